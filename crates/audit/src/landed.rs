//! What branches and refs say of a run, against its journal: a commit that claims to be its work must hold
//! it, and the refs that keep its commits and its records must be there.

use crate::finding::{Finding, beside};
use flow::Flow;
use kernel::Machine;
use kernel::machine::Activity;
use report::landed;
use report::work::Work;
use workspace::error::EngineError;
use workspace::git;
use workspace::project::{Project, Records};
use workspace::records::records_ref;
use workspace::survey::{EVIDENCE, Within};

/// Everything outside of the journal that says something else than it.
pub(crate) fn findings(
    project: &Project,
    run: &str,
    machine: &Flow,
) -> Result<Vec<Finding>, EngineError> {
    let mut found = refs(project, run, machine)?;
    found.extend(claims(project, run, machine)?);
    Ok(found)
}

/// The commits of branches, also of remotes, and of tags that name the run.
fn claims(project: &Project, run: &str, machine: &Flow) -> Result<Vec<Finding>, EngineError> {
    let commits = project.commits();
    let Some(own) = machine
        .started()
        .and_then(|started| started.own_tree.as_ref())
        // What a wave merged, the audit of its milestone looks at.
        .filter(|own| own.milestone.is_none())
    else {
        return Ok(Vec::new());
    };
    let Ok(work) = Work::of(project, run) else {
        // Commits that nobody has here have their finding.
        return Ok(Vec::new());
    };
    if commits.resolve(&own.base)?.is_none() {
        return Ok(Vec::new());
    }
    let worth = machine.worth();
    let mut found = Vec::new();
    for named in commits.named(run, Within::Everywhere, Some(&own.base))? {
        let (commit, branch) = (&named.commit, &named.branch);
        // What was landed when the run was done, and was taken up again since, was its work then.
        let then = landed::then(project, run, &named)?;
        let (work, worth) = match &then {
            Some((work, worth)) => (work, worth),
            None => (&work, &worth),
        };
        if !landed::holds(project, run, work, &named)? {
            let what = format!(
                "{commit} on {branch} says that it is the work of `{run}`, and holds something else: it was amended, or is none of the run's"
            );
            found.push(beside("landed_differs", what));
        }
        if let Some(said) = named.evidence.as_ref().filter(|said| *said != worth) {
            let what = format!(
                "{commit} on {branch} says `{EVIDENCE}: {said}`, the journal says `{worth}`"
            );
            found.push(beside("trailer_differs", what));
        }
    }
    Ok(found)
}

/// The refs that keep the run's commits and records.
fn refs(project: &Project, run: &str, machine: &Flow) -> Result<Vec<Finding>, EngineError> {
    let commits = project.commits();
    let on_ref = project.records_of(run) == Records::OnRef;
    let mut found = Vec::new();
    let own_ref = git::run_ref(run);
    if let Some(last) = machine.last_commit()
        && commits.resolve(last)?.is_some()
    {
        match commits.resolve(&own_ref)? {
            None if on_ref => {
                let what = format!(
                    "{own_ref} is gone, which keeps the run's commits; `git update-ref {own_ref} {last}` brings it back"
                );
                found.push(beside("ref_missing", what));
            }
            // In the tree, and cloned without it.
            None => {}
            Some(tip) if commits.is_ancestor(last, &tip)? => {}
            Some(tip) => {
                let what = format!(
                    "{own_ref} leads to {tip}, which is not what the run made; `git update-ref {own_ref} {last}` brings it back"
                );
                found.push(beside("ref_moved", what));
            }
        }
    }
    let activity = machine.status().activity;
    let over = matches!(activity, Activity::Done | Activity::Stopped);
    if on_ref && over && commits.resolve(&records_ref(run))?.is_none() {
        let what = format!(
            "{} is gone, which keeps the run's records; `proofhouse run {run}` writes it again",
            records_ref(run)
        );
        found.push(beside("records_missing", what));
    }
    Ok(found)
}

//! The state file against the journal: the phase, and every line of the engine's own that nobody may
//! forge.

use crate::finding::{Finding, beside};
use flow::{Flow, Owner};
use kernel::Machine;
use workspace::context::task_folder;
use workspace::project::Project;

/// A page that is not the one that the engine wrote.
pub(crate) fn page(project: &Project, machine: &Flow) -> Option<Finding> {
    let (task, started) = (machine.workflow().task.as_ref()?, machine.started()?);
    let folder = task_folder(project, started);
    let page = task.evidence_page.as_deref().unwrap_or_default();
    report::views::page_edited(project, machine, &folder).then(|| {
        let what = format!(
            "{} is not the page that the engine wrote: it was edited, or put back to an older one",
            folder.join(page).display()
        );
        beside("page_differs", what)
    })
}

/// The record up to which the engine has written the state file, where more followed and the file still says what
/// was so then: an engine that was killed between the journal and its views leaves them behind, and the next one
/// writes them.
pub(crate) fn behind(project: &Project, run: &str, head: u64) -> Option<u64> {
    let written = report::views::written_up_to(project, run).filter(|seq| *seq < head)?;
    let past = report::replay::Past::of(project, run, written).ok()?;
    let report::Looked::Run(then) = past.looked else {
        return None;
    };
    let differing = differing(&project.of_run(run), &then.machine);
    differing.is_empty().then_some(written)
}

/// Every guarded line that says something else than the journal.
pub(crate) fn differing(project: &Project, machine: &Flow) -> Vec<Finding> {
    let (Some(task), Some(started)) = (&machine.workflow().task, machine.started()) else {
        return Vec::new();
    };
    let folder = task_folder(project, started);
    let mut findings = Vec::new();
    let path = folder.join(&task.state_file);
    let Ok(text) = std::fs::read_to_string(&path) else {
        return findings;
    };
    let shown = path.display();
    let guarded: Vec<&flow::Field> = task
        .fields
        .iter()
        .filter(|field| field.owner != Owner::Author && field.refuse.is_some())
        .collect();
    let mut names: Vec<&str> = guarded.iter().map(|field| field.name.as_str()).collect();
    names.push(&task.phase_field);
    let fields = match flow::parse_fields(&text, &names) {
        Ok(fields) => fields,
        Err(why) => {
            findings.push(beside("view_differs", format!("{shown}: {why}")));
            return findings;
        }
    };
    let state = machine.status().state;
    let mut compare = |code: &str, name: &str, truth: &str| {
        let said = fields.get(name).map_or("", String::as_str);
        if said != truth {
            let what = format!("{shown} says `{name}: {said}`, the journal says `{truth}`");
            findings.push(beside(code, what));
        }
    };
    compare("view_differs", &task.phase_field, state.as_str());
    let document = machine.document("");
    for field in guarded {
        let truth = document.iter().find(|(name, _)| *name == field.name);
        let truth = truth.map_or("", |(_, value)| value.as_str());
        let truth: Vec<&str> = truth.split_whitespace().collect();
        let code = field.refuse.as_deref().unwrap_or("view_differs");
        compare(code, &field.name, &truth.join(" "));
    }
    findings
}

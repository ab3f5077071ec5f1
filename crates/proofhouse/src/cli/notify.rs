//! Tells a person who is elsewhere: their own command runs when they are needed, and when something
//! that ran is over. It refuses a command that a repository names: a repository comes from others.

use super::out::{Out, plain};
use kernel::Status;
use kernel::machine::Activity;
use workspace::Project;
use workspace::notify::{Told, Why, tell};

/// After a session of a run.
pub(crate) fn run(project: &Project, status: &Status, out: &Out) {
    let run = status.run.to_string();
    about(
        project,
        &run,
        status,
        "run",
        &format!("proofhouse status {run}"),
        out,
    );
}

/// After a session of a project of the factory.
pub(crate) fn project(project: &Project, name: &str, status: &Status, out: &Out) {
    let next = format!("proofhouse factory status {name}");
    about(project, name, status, "project", &next, out);
}

fn about(
    project: &Project,
    name: &str,
    status: &Status,
    kind: &'static str,
    next: &str,
    out: &Out,
) {
    let waits = status.waiting_for.as_ref();
    let why = match status.activity {
        Activity::Waiting => Why::Needed,
        Activity::Done | Activity::Stopped => Why::Over,
        Activity::Working | Activity::Resting => return,
    };
    let next = match why {
        Why::Needed => "proofhouse inbox",
        Why::Over => next,
    };
    let spent = report::spend::summary(&status.attempts).run;
    let told = Told {
        why,
        kind,
        name: name.to_owned(),
        workflow: status.workflow.clone(),
        state: status.state.to_string(),
        activity: status.activity,
        reason: waits.map_or_else(String::new, |waits| waits.reason.clone()),
        text: waits.map_or_else(String::new, |waits| waits.why.clone()),
        options: waits.map_or_else(Vec::new, |waits| waits.options.clone()),
        micro_dollars: spent.usage.micro_dollars,
        next: next.to_owned(),
    };
    send(project, &told, out);
}

/// A notice that does not get through stops nothing, and is said.
pub(crate) fn send(project: &Project, told: &Told, out: &Out) {
    if let Err(error) = tell(project, told) {
        let said = plain(&format!("nobody was told: {error}"));
        if out.json {
            eprintln!("note: {said}");
        } else {
            out.line(&format!("  note: {said}"));
        }
    }
}

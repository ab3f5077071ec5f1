//! One run, opened: its journal, and the machine that its journal says.

use flow::{Flow, Workflow};
use kernel::{Body, Event, Machine};
use std::io::BufRead;
use std::sync::Arc;
use store::{Checkpoint, Entry, Head, Journal, RecordRef, Replay, RunName, Torn};
use workspace::error::EngineError;
use workspace::project::Project;

/// A run that may be appended to.
pub struct Run {
    /// Where it lies.
    pub project: Project,
    /// Its name.
    pub name: RunName,
    /// Its machine, as of the journal's head.
    pub machine: Flow,
    /// Its journal.
    pub journal: Journal,
    /// A torn last line that opening has cut.
    pub torn: Option<Torn>,
}

/// A run that is only looked at.
pub struct Peek {
    /// Its machine.
    pub machine: Flow,
    /// The journal's last record.
    pub head: Head,
}

impl Run {
    /// Opens a run to go on with it.
    pub fn open(project: &Project, name: &str) -> Result<Self, EngineError> {
        let name = run_name(project, name)?;
        let workflow = workflow_of(project, &name)?;
        let journals = project.journals();
        let (mut machine, checkpoint) = begin(project, &name, &workflow)?;
        let replay = Replay {
            from: checkpoint.as_ref(),
            not_after: Some(latest()),
        };
        let opened = Journal::resume(&journals, &name, replay, |record| {
            take(&mut machine, &workflow, record)
        })?;
        Ok(Self {
            project: project.of_run(name.as_str()),
            name,
            machine,
            journal: opened.journal,
            torn: opened.torn,
        })
    }

    /// Reads a run and changes nothing.
    pub fn peek(project: &Project, name: &str) -> Result<Peek, EngineError> {
        let name = run_name(project, name)?;
        let workflow = workflow_of(project, &name)?;
        let (mut machine, checkpoint) = begin(project, &name, &workflow)?;
        let replay = Replay {
            from: checkpoint.as_ref(),
            not_after: Some(latest()),
        };
        let report = Journal::read(&project.journals(), &name, replay, |record| {
            take(&mut machine, &workflow, record)
        })?;
        Ok(Peek {
            machine,
            head: report.head,
        })
    }

    /// Makes events durable.
    pub fn append(&mut self, events: &[Event]) -> Result<(), EngineError> {
        let expected = self.journal.head().seq;
        self.journal.append(expected, &entries(events))?;
        Ok(())
    }
}

/// Clocks of different machines disagree a little; a record of the day after tomorrow is no clock's
/// fault.
pub fn latest() -> kernel::Time {
    kernel::Time(crate::world::now().0.saturating_add(86_400_000))
}

/// Events in their stored form.
pub fn entries(events: &[Event]) -> Vec<Entry> {
    events
        .iter()
        .map(|event| Entry {
            at: event.at,
            kind: event.body.kind().to_owned(),
            body: event.body.to_value(),
        })
        .collect()
}

/// A stored record as an event.
pub fn event(record: &RecordRef<'_>) -> Result<Event, String> {
    let body = Body::decode(record.kind, record.body.get()).map_err(|error| error.to_string())?;
    Ok(Event {
        at: record.at,
        body,
    })
}

/// A record as an event that this workflow can stand on.
pub fn known(workflow: &Workflow, record: &RecordRef<'_>) -> Result<Event, String> {
    let event = event(record)?;
    if let Body::Moved(moved) = &event.body {
        let named = [
            Some(&moved.from),
            Some(&moved.position.state),
            moved.position.slot.as_ref(),
        ];
        if let Some(state) = named
            .into_iter()
            .flatten()
            .find(|state| !workflow.table.states.contains_key(*state))
        {
            return Err(format!(
                "the workflow `{}` of today has no state `{state}`",
                workflow.name
            ));
        }
    }
    Ok(event)
}

fn take(machine: &mut Flow, workflow: &Workflow, record: RecordRef<'_>) -> Result<(), String> {
    machine.apply(&known(workflow, &record)?);
    Ok(())
}

const WORKFLOW: &str = "workflow_hash";
const MACHINE: &str = "machine";

/// The state for a checkpoint, with the workflow that folded it out of the journal.
pub(crate) fn state_of(machine: &Flow) -> serde_json::Value {
    serde_json::json!({ WORKFLOW: machine.workflow().hash, MACHINE: machine.snapshot() })
}

fn begin(
    project: &Project,
    name: &RunName,
    workflow: &Arc<Workflow>,
) -> Result<(Flow, Option<Checkpoint>), EngineError> {
    let mut machine = Flow::new(workflow.clone());
    let checkpoint = Checkpoint::load(&project.journals(), name)?;
    // A checkpoint is a cache: one of another version's shape is as good as none. So is one that
    // another workflow made: the same journal would say something else without it.
    let checkpoint = checkpoint.filter(|checkpoint| {
        checkpoint.state[WORKFLOW].as_str() == Some(workflow.hash.as_str())
            && machine.restore(&checkpoint.state[MACHINE]).is_ok()
    });
    if checkpoint.is_none() {
        machine = Flow::new(workflow.clone());
    }
    Ok((machine, checkpoint))
}

/// The run's name, checked; a wrong one is answered with the runs that exist.
pub fn run_name(project: &Project, name: &str) -> Result<RunName, EngineError> {
    let runs = store::list(&project.journals())?;
    match RunName::new(name) {
        Ok(found) if runs.contains(&found) => Ok(found),
        _ => {
            let names: Vec<&str> = runs.iter().map(RunName::as_str).collect();
            let mend = match names.as_slice() {
                [] => "there is no run yet; start one with `proofhouse new`".to_owned(),
                names => format!("runs here: {}", names.join(", ")),
            };
            Err(EngineError::user(
                "unknown_run",
                format!("there is no run `{name}` in {}", project.repo().display()),
                mend,
            ))
        }
    }
}

/// What the journal's first line names as its workflow. Read leniently: a replay judges strictly.
pub(crate) fn first_named(
    project: &Project,
    name: &RunName,
) -> Result<Option<String>, EngineError> {
    let path = project.journals().join(format!("{name}.jsonl"));
    let file = std::fs::File::open(&path).map_err(EngineError::io("open", &path))?;
    let mut line = String::new();
    let read = std::io::BufReader::new(file).read_line(&mut line);
    let first = read
        .ok()
        .and_then(|_| serde_json::from_str::<serde_json::Value>(&line).ok());
    Ok(first.and_then(|record| Some(record["body"]["workflow"].as_str()?.to_owned())))
}

/// The workflow that the run's first record names.
fn workflow_of(project: &Project, name: &RunName) -> Result<Arc<Workflow>, EngineError> {
    match first_named(project, name)?.as_deref() {
        Some(crate::factory::NAME) => Err(EngineError::user(
            "factory_project",
            format!("`{name}` is a project of the factory"),
            format!("`proofhouse factory status {name}` shows it"),
        )),
        Some(workflow) => project.workflow(workflow),
        None => Err(EngineError::environment(
            "journal_corrupt",
            format!(
                "{}: line 1 is no `run_started` record",
                project.journals().join(format!("{name}.jsonl")).display()
            ),
            "restore the journal from a commit; other runs are not concerned",
        )),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::start::{NewRun, start};

    #[test]
    fn a_checkpoint_of_another_workflow_is_none() {
        let folder = tempfile::tempdir().unwrap();
        let repo = folder.path().join("repo");
        std::fs::create_dir(&repo).unwrap();
        std::fs::write(repo.join("code.txt"), "code\n").unwrap();
        workspace::git::first_commit(&repo, "first").unwrap();
        let project = Project::find(&repo).unwrap();
        let asked = NewRun {
            workflow: "phase".to_owned(),
            dir: Some(repo.join("tasks/t")),
            commands: vec!["true".to_owned()],
            ..NewRun::default()
        };
        let name = start(&project, &asked).unwrap().run;
        let mut run = Run::open(&project, &name).unwrap();
        let truth = run.machine.snapshot();
        // A state that only a checkpoint can say.
        let mut other = truth.clone();
        other["said"] = "from the checkpoint".into();
        let mut stored = state_of(&run.machine);
        stored[MACHINE] = other.clone();
        run.journal.checkpoint(stored.clone()).unwrap();
        let seen = |project: &Project| Run::peek(project, &name).unwrap().machine.snapshot();
        assert_eq!(seen(&project), other, "a checkpoint of ours is used");
        stored[WORKFLOW] = "another".into();
        run.journal.checkpoint(stored).unwrap();
        assert_eq!(seen(&project), truth);
    }
}

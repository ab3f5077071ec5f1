//! One run, opened: its journal, and the machine that its journal says.

use flow::Flow;
use kernel::{Event, Machine, Stored};
use report::look;
use store::{Entry, Journal, Replay, RunName, Torn};
use workspace::error::EngineError;
use workspace::project::Project;

/// A run that may be appended to.
pub struct Run {
    /// Where it lies.
    pub project: Project,
    pub name: RunName,
    /// Its machine, as of the journal's head.
    pub machine: Flow,
    pub journal: Journal,
    /// A torn last line that opening has cut.
    pub torn: Option<Torn>,
}

impl Run {
    /// Opens a run to go on with it.
    pub fn open(project: &Project, name: &str) -> Result<Self, EngineError> {
        let name = look::run_name(project, name)?;
        let workflow = look::workflow_of(project, &name)?;
        let journals = project.journals();
        let (mut machine, checkpoint) = look::begin_run(project, &name, &workflow)?;
        let replay = Replay {
            from: checkpoint.as_ref(),
            not_after: None,
        };
        let opened = Journal::resume(&journals, &name, replay, |record| {
            machine.apply(&look::known(&workflow, &record)?);
            Ok(())
        })?;
        Ok(Self {
            project: project.of_run(name.as_str()),
            name,
            machine,
            journal: opened.journal,
            torn: opened.torn,
        })
    }

    /// Makes events durable.
    pub fn append(&mut self, events: &[Event]) -> Result<(), EngineError> {
        let expected = self.journal.head().seq;
        self.journal.append(expected, &entries(events))?;
        Ok(())
    }
}

/// Events in their stored form.
pub fn entries<F: Stored>(events: &[Event<F>]) -> Vec<Entry> {
    events
        .iter()
        .map(|event| Entry {
            at: event.at,
            kind: event.body.kind().to_owned(),
            body: event.body.to_value(),
        })
        .collect()
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
        let mut stored = look::state_of(&run.machine);
        stored["machine"] = other.clone();
        run.journal.checkpoint(stored.clone()).unwrap();
        let seen = |project: &Project| look::peek_run(project, &name).unwrap().machine.snapshot();
        assert_eq!(seen(&project), other, "a checkpoint of ours is used");
        stored["workflow_hash"] = "another".into();
        run.journal.checkpoint(stored).unwrap();
        assert_eq!(seen(&project), truth);
    }
}

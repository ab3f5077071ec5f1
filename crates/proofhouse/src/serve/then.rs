//! The page of a record: a run or a project as it was, and what a person can make of it now.

use super::pages::{House, drawn};
use engine::fork::NewFork;
use kernel::Machine;
use kernel::machine::Activity;
use report::inbox::Fault;
use report::page::answer::About;
use report::page::from_here::FromHere;
use report::page::live::Live;
use workspace::{EngineError, Project};

impl House {
    /// A run as it was at one of its records.
    pub(super) fn then(
        &self,
        at: usize,
        project: &Project,
        (key, run): (&str, &str),
        seq: u64,
    ) -> Result<Live, EngineError> {
        if report::look::is_project(project, run) {
            let (shown, moment) = engine::factory::page::gather_at(project, run, seq)?;
            return Ok(report::page::past::project(&shown, &moment));
        }
        let (evidence, (peek, moment), history) = self.reading(at, run, |kept| {
            report::evidence::then(project, run, seq, kept)
        })?;
        let now = report::look::peek_run(project, run)?;
        let from = FromHere {
            about: About {
                repo: key,
                run,
                head: &now.head.hash,
            },
            seq,
            no_way_back: way_back(project, run, &now.machine, seq)
                .err()
                .map(|error| Fault::from(&error)),
            no_fork: forks(project, run, seq).map(|error| Fault::from(&error)),
            commits: report::back::commits(project, run)?,
            answers: self.answers(project),
        };
        let drawn = drawn(run, &peek.machine, &history);
        Ok(report::page::past::run(&evidence, &drawn, &moment, &from))
    }
}

/// Refuses what nobody should be asked to sign.
fn way_back(
    project: &Project,
    run: &str,
    machine: &flow::Flow,
    seq: u64,
) -> Result<(), EngineError> {
    let over = matches!(
        machine.status().activity,
        Activity::Done | Activity::Stopped
    );
    let with = match report::back::to(project, run, seq) {
        // Of a run that is over no record will do: that is the better reason.
        Err(_) if over => serde_json::json!({ "commit": "" }),
        with => with?,
    };
    report::back::taken(machine, &with, "shown")
}

/// Why no run can be begun there.
fn forks(project: &Project, run: &str, seq: u64) -> Option<EngineError> {
    let asked = NewFork {
        run: run.to_owned(),
        at: seq,
        name: None,
        agent: None,
    };
    engine::fork::can(project, &asked).err()
}

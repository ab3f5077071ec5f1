//! Deciding about a run or a project, whichever the name is of. How a word becomes a fact is in
//! `decision.rs`, the same for all.

use crate::decision::{Decidable, on_record, take};
use crate::factory;
use crate::guest;
use crate::run::Run;
use crate::session;
use approval::{Approved, Words, admits, bound, listed};
use kernel::decision::REWIND;
use kernel::machine::Activity;
use kernel::{Body, Input, Machine, What};
use std::collections::BTreeMap;
use store::Journal;
use workspace::clock::now;
use workspace::error::EngineError;
use workspace::project::Project;

pub use crate::decision::{Ask, Decided};

/// The bytes that are to be signed.
pub fn message(project: &Project, ask: &Ask<'_>) -> Result<Vec<u8>, EngineError> {
    if report::look::is_project(project, ask.name) {
        return factory::decide_message(project, ask);
    }
    takes_no_payload(ask)?;
    let mut questioned = Questioned::of(Run::open(project, ask.name)?)?;
    guest::may_answer(project, &questioned.run.machine, ask.option)?;
    on_record(&mut questioned)?;
    let (run, tree) = (&questioned.run, questioned.tree());
    let head = run.journal.head();
    Ok(approval::message(&Words {
        run: ask.name,
        seq: head.seq,
        head: &head.hash,
        tree: &tree,
        option: ask.option,
        because: &bound(ask.because, ask.about, ask.with),
    }))
}

/// Decides about a run or a project. `approve` is asked with the exact words before anything is
/// written, and nothing is written if the journal has moved on since.
pub fn decide(
    project: &Project,
    ask: &Ask<'_>,
    approve: impl FnOnce(&Words<'_>) -> Result<Approved, EngineError>,
) -> Result<Decided, EngineError> {
    report::look::of_this_run(project, &report::look::run_name(project, ask.name)?)?;
    if report::look::is_project(project, ask.name) {
        return factory::decide(project, ask, approve);
    }
    let questioned = Questioned::of(Run::open(project, ask.name)?)?;
    guest::may_answer(project, &questioned.run.machine, ask.option)?;
    let decided = take(project, questioned, ask, approve);
    let driven = report::look::is_driven(project, ask.name);
    let decided = match decided {
        Ok(decided) => decided,
        Err(refused) => {
            // What was due is on record all the same.
            if !driven {
                let _ = workspace::records::keep_where_due(project, ask.name);
            }
            return Err(refused);
        }
    };
    if !driven {
        // What fails here is said, and made up for, when the run goes on or lands.
        let _ = session::finish(project, ask.name);
        if matches!(decided.status.activity, Activity::Done | Activity::Stopped) {
            let _ = workspace::sealed::open(project, ask.name);
        }
        let _ = workspace::records::keep_where_due(project, ask.name);
    }
    Ok(decided)
}

/// A run with what a person has declared in its header: that is part of what they decide about, and
/// goes on record before the decision.
struct Questioned {
    run: Run,
    declared: Option<What>,
    /// What the state file says, as it is about to be on record.
    shown: BTreeMap<String, String>,
}

impl Questioned {
    /// Refuses a header that would loosen the run: nothing is decided on top of it.
    fn of(run: Run) -> Result<Self, EngineError> {
        let declared = match report::look::is_driven(&run.project, run.name.as_str()) {
            true => None,
            false => report::views::declarations(&run.project, &run.machine)?,
        };
        // Whoever leads the run back changes all of them, and nobody has edited any.
        let mut shown = run.machine.fields().clone();
        shown.extend(run.machine.declared());
        if let Some(what) = &declared {
            for event in run.machine.decide(&Input::new(now(), what.clone()))? {
                if let Body::FieldsEdited(edited) = event.body {
                    // What is decided now answers whoever asked for a phase in the file.
                    let asked = run.machine.workflow().task.as_ref();
                    let asked = asked.map(|task| task.phase_field.as_str());
                    let mut refused = edited.refused.into_iter();
                    let refused = refused.find(|(name, _)| asked != Some(name.as_str()));
                    if let Some((_, refusal)) = refused {
                        return Err(refusal.into());
                    }
                    shown.extend(edited.fields);
                }
            }
        }
        Ok(Self {
            run,
            declared,
            shown,
        })
    }
}

/// Does the person lead the run back? Then the commit comes along.
fn is_rewind(ask: &Ask<'_>) -> bool {
    ask.option == REWIND && ask.with["commit"].is_string()
}

fn takes_no_payload(ask: &Ask<'_>) -> Result<(), EngineError> {
    if ask.with.is_null() || is_rewind(ask) {
        return Ok(());
    }
    Err(EngineError::user(
        "payload_not_taken",
        format!("`{}` is a run, and its options take no payload", ask.name),
        "leave `--payload` out; what the run should know goes into `--because`",
    ))
}

/// Refuses a reason that names a file of the person's which nobody can look at.
fn is_there(run: &Run, ask: &Ask<'_>) -> Result<(), EngineError> {
    let workflow = run.machine.workflow();
    let ways = workflow.table.leaving(&run.machine.position().state);
    let mut ways = ways.filter(|(_, way)| way.action.as_str() == ask.option);
    let needs = ways.find_map(|(index, _)| workflow.after[index].needs.as_ref());
    let Some((needs, label)) = needs.and_then(|needs| Some((needs, needs.there.as_ref()?))) else {
        return Ok(());
    };
    // Without the label the machine itself refuses.
    let Some(named) = flow::labelled(ask.because, label) else {
        return Ok(());
    };
    let first = named.split_whitespace().next().unwrap_or_default();
    let path = first.trim_matches('`').trim_start_matches("./");
    let places = [run.project.top(), run.project.repo()];
    match places.iter().any(|place| place.join(path).is_file()) {
        true => Ok(()),
        false => Err(EngineError::user(
            &needs.code,
            format!("`{label}: {named}` names no file of this repository"),
            format!(
                "name a file or a program of yours that is there: `{label}: docs/input/usage.csv`"
            ),
        )),
    }
}

impl Decidable for Questioned {
    type Machine = flow::Flow;

    fn parts(&mut self) -> (&mut flow::Flow, &mut Journal) {
        (&mut self.run.machine, &mut self.run.journal)
    }

    fn signed_as(&self) -> String {
        self.run.name.to_string()
    }

    fn tree(&self) -> String {
        let tree = self.run.machine.passed_tree();
        tree.unwrap_or_default().to_owned()
    }

    fn go_on(&self) -> String {
        format!("proofhouse run {}", self.run.name)
    }

    fn due(&mut self) -> Vec<What> {
        self.declared.take().into_iter().collect()
    }

    fn admits(&self, words: &Words<'_>, approved: &Approved) -> Result<(), EngineError> {
        let started = self.run.machine.started();
        started.map_or(Ok(()), |started| admits(started, words, approved, now()))
    }

    fn refuse(&self, ask: &Ask<'_>) -> Result<(), EngineError> {
        takes_no_payload(ask)?;
        if let Some(started) = self.run.machine.started() {
            listed(&self.run.project, started)?;
        }
        is_there(&self.run, ask)?;
        if is_rewind(ask) {
            report::back::hold(&self.run.project, ask.name, ask.with)?;
        }
        match ["", "...", "\u{2026}"].contains(&ask.because.trim()) {
            true => Err(EngineError::user(
                "reason_required",
                format!(
                    "`{}` is kept with its reason, and none was given",
                    ask.option
                ),
                "say why with `--because`",
            )),
            false => Ok(()),
        }
    }

    fn follow(&mut self) -> Result<(), EngineError> {
        let (project, name) = (&self.run.project, self.run.name.as_str());
        if !report::look::is_driven(project, name)
            && let Ok(_lock) = session::lock(project, name)
        {
            let head = self.run.journal.head();
            report::views::refresh(project, &self.run.machine, head, &[], &self.shown)?;
        }
        Ok(())
    }
}

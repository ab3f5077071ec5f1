//! A new run that leaves another one at one of its records: to try another agent or another answer from
//! there. The other run is read, and nothing of it changes. What it had used up by then is used up here too:
//! the records up to there are copied, and whatever is counted is counted from records.

mod documents;

use crate::run::{Run, entries};
use crate::start::{Place, first_free, given_name, lay_down, place};
use flow::Flow;
use kernel::effect::EffectKind;
use kernel::event::{Forked, OwnTree, RunStarted};
use kernel::outcome::Class;
use kernel::{Body, Event, Machine, RunId};
use report::back::{Cheats, evidence};
use report::begun::ForkBegun;
use report::look::{self, Looked};
use report::replay::Past;
use report::work::works_here;
use std::collections::BTreeMap;
use store::{Entry, Journal, Replay, RunName};
use workspace::clock::now;
use workspace::context::{Context, task_folder};
use workspace::error::EngineError;
use workspace::git::{self, git};
use workspace::project::{Project, Records};
use workspace::records;
use workspace::secrets::Secrets;
use workspace::worktree;

/// What a person asks for.
#[derive(Debug, Clone)]
pub struct NewFork {
    /// The run to leave.
    pub run: String,
    /// The last record that both have.
    pub at: u64,
    /// The new run's name; none: after the other's.
    pub name: Option<String>,
    /// Who works from there on; none: who worked before.
    pub agent: Option<String>,
}

/// Everything that the other run had written down by then.
struct Before {
    entries: Vec<Entry>,
    started: RunStarted,
    machine: Flow,
    hash: String,
    commit: Option<String>,
    /// What of the work lies where.
    held: Held,
    /// The last record behind it that keeps something of an exam.
    examined: Option<u64>,
    /// The last record behind it with which somebody was caught cheating.
    cheated: Option<u64>,
}

/// Who holds the work at a record: git, or only the other run's folders, which have gone on.
#[derive(Default)]
struct Held {
    /// Has an agent's work on the repository been taken since the last commit?
    open: bool,
    /// Has a gate let a tree pass since?
    judged: bool,
    /// Has an agent changed anything, a file of the task included, that its gate has not spoken of yet?
    unjudged: bool,
    /// The last record at which nothing of it was lost.
    good: u64,
}

impl Held {
    fn see(&mut self, seq: u64, body: &Body) {
        match body {
            Body::AttemptEnded(ended) => {
                let changed = &ended.outcome.changed;
                self.open |= changed.iter().any(|path| path.starts_with("repo/"));
                self.unjudged |= ended.outcome.class == Class::Done && !changed.is_empty();
            }
            Body::CheckpointEnded(ended) if ended.commit.is_some() => {
                (self.open, self.judged, self.unjudged) = (false, false, false);
            }
            // Whoever works next leaves another tree than the one that passed.
            Body::EffectBegan(began) if began.kind == EffectKind::Attempt => self.judged = false,
            Body::GateEnded(ended) => {
                self.judged = ended.tree.is_some();
                self.unjudged = false;
            }
            _ => {}
        }
        if !self.unjudged && (!self.open || self.judged) {
            self.good = seq;
        }
    }
}

/// Refuses what `fork` would refuse of the record, and writes nothing.
pub fn can(project: &Project, asked: &NewFork) -> Result<(), EngineError> {
    let project = &project.at_top();
    let before = before(project, &asked.run, asked.at)?;
    if before.started.own_tree.is_none() {
        return Err(works_here(&asked.run));
    }
    stands(&before, asked)?;
    documents::documents(project, asked, &before).map(drop)
}

/// Starts a run where another one was.
pub fn fork(project: &Project, asked: &NewFork) -> Result<ForkBegun, EngineError> {
    let project = &project.at_top();
    let config = project.config()?;
    workspace::trust::hold(project, &config)?;
    crate::setup::hold(project)?;
    let before = before(project, &asked.run, asked.at)?;
    let Some(own) = before.started.own_tree.clone() else {
        return Err(works_here(&asked.run));
    };
    let tree = stands(&before, asked)?;
    let documents = documents::documents(project, asked, &before)?;
    let taken = store::list(&project.journals())?;
    let name = match &asked.name {
        Some(name) => given_name(&taken, name)?,
        None => first_free(&taken, format!("{}-fork", asked.run), "fork")?,
    };
    let commit = before.commit.clone().unwrap_or_else(|| own.base.clone());
    let started = started(&before, asked, &name, &commit, tree.clone());
    Secrets::of(&config, project.repo()).refuse_start(&started)?;
    let workflow = before.machine.workflow().clone();
    let agent = Some(started.agent.as_str()).filter(|agent| !agent.is_empty());
    let missing = workspace::agent::missing(project, &workflow, &config, agent)?;
    // From here on something is written; the journal comes last, without which it is no run.
    project.prepare(Records::OnRef)?;
    let made = tree.as_deref().unwrap_or(&commit);
    let place = match left_behind(project, name.as_str(), &own, made)? {
        Some(place) => place,
        None => {
            let place = place::make(project, name.as_str(), &own, &Place::OwnTree(None))?;
            worktree::lay_work(&place, &own, made)?;
            place
        }
    };
    if commit != own.base {
        let own_ref = git::run_ref(name.as_str());
        git(project.repo(), &["update-ref", &own_ref, &commit], &[])?;
    }
    let task = task_folder(&place, &started);
    if task.starts_with(project.tasks()) {
        for (file, bytes) in documents {
            documents::put(&task, &file, &bytes)?;
        }
    }
    lay_down(&place, &workflow, &started)?;
    project.keep_workflow(&workflow)?;
    workspace::sealed::hand_on(project, &asked.run, name.as_str())?;
    let first = Event {
        at: before.entries[0].at,
        body: Body::RunStarted(Box::new(started.clone())),
    };
    let mut all = entries(&[first]);
    all.extend(before.entries.into_iter().skip(1));
    Journal::begin(&project.journals(), &name, &all)?;
    let status = written(project, &name, &started)?;
    Ok(ForkBegun {
        run: name.to_string(),
        parent: asked.run.clone(),
        seq: asked.at,
        hash: before.hash,
        commit,
        state: status,
        task,
        missing,
    })
}

/// The views of the new run, and its records on their ref.
fn written(project: &Project, name: &RunName, started: &RunStarted) -> Result<String, EngineError> {
    let run = Run::open(project, name.as_str())?;
    let workflow = run.machine.workflow().clone();
    let context = Context::of(&run.project, &workflow, started, BTreeMap::new())?;
    report::views::renew(&context, &run.machine)?;
    let (head, shown) = (run.journal.head(), run.machine.declared());
    report::views::refresh(&run.project, &run.machine, head, &[], &shown)?;
    let state = run.machine.status().state.to_string();
    drop(run);
    records::keep_where_due(project, name.as_str());
    Ok(state)
}

fn before(project: &Project, run: &str, at: u64) -> Result<Before, EngineError> {
    let past = Past::of(project, run, at)?;
    let Looked::Run(peek) = past.looked else {
        return Err(EngineError::user(
            "factory_project",
            format!("`{run}` is a project of the factory"),
            "only runs can be left; begin another project",
        ));
    };
    let started = peek.machine.started().cloned();
    let started = started.ok_or_else(|| works_here(run))?;
    let mut before = Before {
        entries: Vec::new(),
        started,
        machine: peek.machine,
        hash: peek.head.hash,
        commit: None,
        held: Held::default(),
        examined: None,
        cheated: None,
    };
    let name = look::run_name(project, run)?;
    let mut cheats = Cheats::of(before.machine.workflow());
    Journal::read(&project.journals(), &name, Replay::default(), |record| {
        let event = look::event(&record)?;
        let caught = cheats.see(&event);
        if record.seq > at {
            let keeps = evidence(&event).any(|one| one.sealed);
            before.examined = keeps.then_some(record.seq).or(before.examined);
            before.cheated = caught.map(|_| record.seq).or(before.cheated);
            return Ok(());
        }
        if let Body::CheckpointEnded(ended) = &event.body
            && ended.commit.is_some()
        {
            before.commit.clone_from(&ended.commit);
        }
        before.held.see(record.seq, &event.body);
        before.entries.push(Entry {
            at: record.at,
            kind: record.kind.to_owned(),
            body: record.body_as()?,
        });
        Ok(())
    })?;
    Ok(before)
}

/// The tree that a gate had let pass, where nobody had committed it. Refuses a record at which the work was
/// nowhere but in the other run's folder, one behind which cases of an exam were told, and one behind which
/// somebody has cheated: what is counted there would be forgotten. By whom does not matter, for a name tells no
/// agent from another: it has aliases, and `run --agent` gives a fork to anybody.
fn stands(before: &Before, asked: &NewFork) -> Result<Option<String>, EngineError> {
    let (run, at) = (&asked.run, asked.at);
    if let Some(later) = before.examined {
        return Err(EngineError::user(
            "fork_exam_spent",
            format!(
                "the exam of `{run}` was written or sat since record {at}: whoever forks there would sit it again"
            ),
            format!("fork at record {later} or behind it"),
        ));
    }
    if let Some(later) = before.cheated {
        return Err(EngineError::user(
            "fork_cheat_forgotten",
            format!(
                "somebody was caught cheating in `{run}` since record {at}, and a fork there would not count it"
            ),
            format!(
                "fork at record {later} or behind it (`--agent` names who goes on there), or begin a new run"
            ),
        ));
    }
    let passed = before.machine.passed_tree();
    let passed = passed.filter(|_| before.held.judged && !before.held.unjudged);
    match passed {
        Some(tree) => Ok(Some(tree.to_owned())),
        None if before.held.open || before.held.unjudged => Err(EngineError::user(
            "fork_uncommitted",
            format!(
                "at record {at} of `{run}` an agent's work was judged by nobody yet, and no commit holds it"
            ),
            format!(
                "fork at record {}, the last before that at which nothing is lost, or at a later one (`proofhouse log {run}`)",
                before.held.good
            ),
        )),
        None => Ok(None),
    }
}

fn started(
    before: &Before,
    asked: &NewFork,
    name: &RunName,
    commit: &str,
    tree: Option<String>,
) -> RunStarted {
    let own = format!(".proofhouse/tasks/{}", asked.run);
    let parent = &before.started;
    RunStarted {
        run: RunId::new(name.as_str()),
        task: match parent.task == own {
            true => format!(".proofhouse/tasks/{name}"),
            false => parent.task.clone(),
        },
        agent: asked.agent.clone().unwrap_or_else(|| parent.agent.clone()),
        // No wave merges it: a person lands it, or leaves it.
        own_tree: parent.own_tree.clone().map(|own| OwnTree {
            milestone: None,
            ..own
        }),
        // Whoever waived it did so for the other run.
        sandbox_waived_by: None,
        sandbox_waived_through: None,
        sandbox_waiver_signature: None,
        forked: Some(Forked {
            run: RunId::new(&asked.run),
            seq: asked.at,
            hash: before.hash.clone(),
            commit: commit.to_owned(),
            tree,
            at: now(),
        }),
        ..parent.clone()
    }
}

/// The worktree of a fork that was killed before it had a journal: exactly what this one would make. Anything
/// else that lies there is somebody's.
fn left_behind(
    project: &Project,
    name: &str,
    own: &OwnTree,
    made: &str,
) -> Result<Option<Project>, EngineError> {
    let dir = project.worktree(name);
    if worktree::echo(&dir)? != own.base {
        return Ok(None);
    }
    let scratch = project.work(name);
    std::fs::create_dir_all(&scratch).map_err(EngineError::io("create", &scratch))?;
    let lies = git::edits(&dir, &scratch.join("fork-index"))?;
    let tree = |of: &str| {
        git(
            project.top(),
            &["rev-parse", &format!("{of}^{{tree}}")],
            &[],
        )
    };
    Ok((tree(&lies)? == tree(made)?).then(|| project.of_run(name)))
}

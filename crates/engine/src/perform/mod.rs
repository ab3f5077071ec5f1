//! Performing effects. Each answers with one input, and writes that answer to disk before it gives
//! it: after a crash the answer is found there, and the work is not paid for again.

mod attempt;
mod earlier;
mod gate;
mod guard;
mod history;
mod papers;
mod replaced;
#[cfg(test)]
mod tests;
mod unfinished;

pub(crate) use gate::{ANSWER as GATE_ANSWER, InVault, tree_now};

use crate::world::Opening;
use kernel::effect::{CheckpointOrder, Effect, EffectKind, GateOrder, Revert};
use kernel::machine::{InFlight, RunMachine};
use kernel::outcome::RoleResult;
use kernel::{Body, EffectId, Outcome, Time, Usage, What};
use report::now::Spool;
use sandbox::Cancel;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use workspace::context::Context;
use workspace::error::EngineError;
use workspace::git;

/// What the Code Index had near an attempt's task, in the attempt's folder.
pub(crate) const CANDIDATES: &str = "candidates.json";

/// What was taken back of the attempt with this home; none if that is not on disk.
pub(crate) fn taken_back(home: &Path) -> Option<Vec<workspace::view::Change>> {
    attempt::taken_back(home)
}

/// What a gate judges, as the machine remembers it.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub(crate) struct Judged {
    pub(crate) outcome: Option<Outcome>,
    pub(crate) fields_before: BTreeMap<String, String>,
    pub(crate) results: BTreeMap<String, RoleResult>,
}

/// Everything that is needed to perform one effect, beside the place that it is performed in.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct Job {
    pub(crate) effect: Effect,
    pub(crate) judged: Judged,
    pub(crate) head: store::Head,
}

/// What a session tells the machine of a run or a project first. `edits` gives what people changed in
/// the views since they were written.
pub(crate) fn opening(
    context: &Context,
    machine: &impl RunMachine,
    opening: Opening<'_, Body>,
    edits: impl FnOnce() -> Result<Option<What>, EngineError>,
) -> Result<Vec<What>, EngineError> {
    let torn = opening.torn.map(|torn| What::TailCut {
        bytes: torn.bytes,
        kept_in: context.places.text(&torn.kept_in.display().to_string()),
    });
    let mut heard: Vec<What> = torn.into_iter().collect();
    heard.push(What::Open {
        session: opening.session.to_owned(),
        version: env!("CARGO_PKG_VERSION").to_owned(),
    });
    let in_flight = machine.status().in_flight;
    // With an attempt in flight the file may hold what the agent wrote: its end comes first.
    if in_flight.is_empty() {
        heard.extend(edits()?);
    }
    let wanted = machine.wanted();
    for flying in in_flight {
        // Before anything of ours is written there.
        let seen = last_seen(&context.home(flying.effect), flying.began);
        let killed = kill_leftover(context, flying.effect)?;
        if killed > 0 {
            opening.observer.notice(&format!(
                "ended {killed} processes that an interrupted {} had left",
                flying.effect
            ));
        }
        let order = wanted.iter().find(|effect| effect.id() == flying.effect);
        let found = match order {
            Some(effect) => recover(context, effect)?,
            None => left_behind(context, &flying)?,
        };
        heard.push(found.unwrap_or_else(|| {
            let why = "the engine ended before it did";
            let why = match order {
                Some(Effect::Attempt(order)) => {
                    unfinished::told(context, order.id, order.state.as_str(), why)
                }
                _ => why.to_owned(),
            };
            What::Lost {
                effect: flying.effect,
                reason: why,
                usage: Usage::default(),
                seen: Some(seen),
            }
        }));
    }
    Ok(heard)
}

/// An error is no answer: the effect stays in flight, and the next session recovers it.
pub(crate) fn perform(
    context: &Context,
    job: &Job,
    cancel: &Cancel,
    progress: &dyn Fn(&str),
) -> Result<What, EngineError> {
    let spool = Spool::open(&context.project, &context.run, job.effect.id());
    let progress = &|line: &str| {
        spool.tell(&context.kept_text(line));
        progress(line);
    };
    Ok(match &job.effect {
        Effect::Attempt(order) => attempt::perform(context, order, cancel, progress)?,
        Effect::Gate(order) => gate::perform(context, order, &job.judged, cancel, progress),
        Effect::Checkpoint(order) => {
            // Of its own: a git that was killed with an earlier engine leaves a lock beside its index.
            let home = context.home(order.id);
            let ready = std::fs::create_dir_all(&home).map_err(EngineError::io("create", &home));
            let made = ready.and_then(|()| checkpoint(context, order, &home, &job.head));
            What::CheckpointEnded {
                effect: order.id,
                commit: made.map_err(|error| context.kept_text(&error.to_string())),
            }
        }
    })
}

/// Commits the tree that the gate let pass, or the one that is there; where work is to be reverted, puts that back and commits once more.
/// Made again after a crash, it does the same again: what is back already stays.
fn checkpoint(
    context: &Context,
    order: &CheckpointOrder,
    home: &Path,
    head: &store::Head,
) -> Result<String, EngineError> {
    let repo = context.project.repo();
    let turns = context.project.work(&context.run).join(git::TURNS);
    let index = home.join("index");
    let spot = git::Spot {
        repo,
        run: &context.run,
        turns: &turns,
        scratch: &index,
    };
    let task = context.task.strip_prefix(repo).ok().and_then(Path::to_str);
    let judged = order.tree.as_deref().map(|tree| git::Content::Judged {
        tree,
        task: task.filter(|task| !task.is_empty() && !task.starts_with(".proofhouse")),
    });
    let commit = |content, subject: &str| git::checkpoint(spot, content, subject, head);
    let paths = order.revert.iter().flat_map(|revert| &revert.paths);
    let paths: Vec<PathBuf> = in_repo(context, paths)
        .iter()
        .map(|path| repo.join(path))
        .collect();
    // Of one that was killed while it put a file back: it would be in the commit.
    store::sweep_beside(paths.iter().map(PathBuf::as_path));
    let made = commit(judged.unwrap_or(git::Content::Live), &order.subject)?;
    let Some(Revert {
        to: Some(to),
        paths,
    }) = &order.revert
    else {
        return Ok(made);
    };
    whole(paths, to)?;
    // What git ignores is in no commit: putting that back would destroy it.
    let paths = in_repo(context, paths);
    let kept = git::committed(repo, &made, &paths)?;
    git::put_back(repo, to, &kept)?;
    workspace::view::remove_empty(context)?;
    commit(git::Content::Live, &format!("revert: {}", order.subject))
}

/// Refuses a list that an attempt had to cut: half a revert would be recorded as a whole one.
fn whole(paths: &[String], to: &str) -> Result<(), EngineError> {
    let Some(cut) = paths.iter().find(|path| !path.contains('/')) else {
        return Ok(());
    };
    Err(EngineError::environment(
        "revert_incomplete",
        format!(
            "nothing was put back: an attempt changed more files than the journal lists ({cut}); what was there before is commit {to}"
        ),
        "put it back by hand, and stop the run or start another; its work is kept on its ref",
    ))
}

/// The repository's own paths of what agents changed (`repo/...`, `task/...`). The state file and
/// the other views are the engine's and stay.
fn in_repo<'a>(context: &Context, paths: impl IntoIterator<Item = &'a String>) -> Vec<String> {
    let task = context.task.strip_prefix(context.project.repo()).ok();
    let ours = |name: &str| {
        context.workflow.task.as_ref().is_some_and(|task| {
            name == task.state_file
                || task.log.as_deref() == Some(name)
                || task.evidence_page.as_deref() == Some(name)
        })
    };
    let placed = |path: &String| match path.split_once('/')? {
        ("repo", rest) => Some(rest.to_owned()),
        ("task", rest) if !ours(rest) => Some(task?.join(rest).display().to_string()),
        _ => None,
    };
    paths.into_iter().filter_map(placed).collect()
}

/// The answer that an effect of an earlier life left behind, if it had one.
fn recover(context: &Context, effect: &Effect) -> Result<Option<What>, EngineError> {
    Ok(match effect {
        Effect::Attempt(order) => attempt::recover(context, order)?,
        Effect::Gate(GateOrder { id, .. }) => gate::recover(context, *id),
        // Made again: a checkpoint is the same commit whenever it is made.
        Effect::Checkpoint(_) => None,
    })
}

/// The same for an effect that the machine does not want any more, and so gives no order for: after
/// a person's decision, say. What an attempt cost and changed is on record in any case.
fn left_behind(context: &Context, flying: &InFlight) -> Result<Option<What>, EngineError> {
    match flying.kind {
        EffectKind::Attempt => attempt::left_behind(context, flying.effect),
        EffectKind::Gate | EffectKind::Checkpoint => Ok(None),
    }
}

/// Ends every process that an effect of an earlier life may have left.
fn kill_leftover(context: &Context, effect: EffectId) -> Result<usize, EngineError> {
    Ok(sandbox::kill_leftover(&context.home(effect).join("pid"))?)
}

/// When an effect of an earlier life last wrote something; never: it did nothing since it began, here at least.
fn last_seen(home: &Path, began: Time) -> Time {
    let entries = std::fs::read_dir(home).into_iter().flatten().flatten();
    let times = entries.filter_map(|entry| entry.metadata().ok()?.modified().ok());
    let millis = times.filter_map(|time| time.duration_since(std::time::UNIX_EPOCH).ok());
    let last = millis
        .filter_map(|since| u64::try_from(since.as_millis()).ok())
        .max();
    began.max(Time(last.unwrap_or_default()))
}

pub(crate) fn lost(effect: EffectId, reason: &str, usage: Usage) -> What {
    What::Lost {
        effect,
        reason: reason.to_owned(),
        usage,
        seen: None,
    }
}

pub(crate) fn save(
    home: &Path,
    name: &str,
    answer: &impl serde::Serialize,
) -> Result<(), EngineError> {
    std::fs::create_dir_all(home).map_err(EngineError::io("create", home))?;
    let json =
        serde_json::to_vec(answer).map_err(|error| EngineError::io("write", home)(error.into()))?;
    Ok(store::write_atomic(&home.join(name), &json)?)
}

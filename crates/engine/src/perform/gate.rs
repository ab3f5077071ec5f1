//! One gate: every check, run by the engine on the real folders.

use super::guard::TaskGuard;
use super::history;
use super::{Judged, lost, save};
use checks::{BoxError, Keep, Place, Subject, TreeNow};
use flow::Checkpoints;
use kernel::effect::GateOrder;
use kernel::outcome::Found;
use kernel::outcome::{CheckResult, EvidenceRef, Verdict, Worth, passes};
use kernel::{EffectId, What};
use sandbox::Cancel;
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;
use std::path::Path;
use std::time::Duration;
use store::Tree;
use workspace::context::{Context, Files};
use workspace::git;
use workspace::room::{self, Rooms};
use workspace::view;

pub(crate) const ANSWER: &str = "gate.json";

/// Evidence goes into the run's vault.
pub(crate) struct InVault<'a>(pub(crate) &'a Context);

impl Keep for InVault<'_> {
    fn keep(&self, name: &str, bytes: &[u8]) -> Result<EvidenceRef, BoxError> {
        Ok(self.0.keep(name, bytes)?)
    }

    fn keep_exact(&self, name: &str, bytes: &[u8]) -> Result<EvidenceRef, BoxError> {
        Ok(self.0.vault.put(name, bytes)?)
    }

    fn seal(&self, name: &str, bytes: &[u8]) -> Result<EvidenceRef, BoxError> {
        Ok(self.0.seal(name, bytes)?)
    }

    fn was_opened(&self, hash: &str) -> bool {
        self.0.vault.get(hash).is_ok()
    }

    fn fetch(&self, hash: &str) -> Result<Vec<u8>, BoxError> {
        Ok(self.0.fetch(hash)?)
    }

    fn earlier(&self, name: &str) -> Result<Vec<Vec<u8>>, BoxError> {
        Ok(super::earlier::earlier(self.0, name)?)
    }

    fn note(&self, name: &str, bytes: &[u8]) -> Result<(), BoxError> {
        Ok(store::write_atomic(&noted(self.0, name), bytes)?)
    }

    fn noted(&self, name: &str) -> Result<Option<Vec<u8>>, BoxError> {
        match std::fs::read(noted(self.0, name)) {
            Ok(bytes) => Ok(Some(bytes)),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(error.into()),
        }
    }
}

/// Beside the homes of the effects, where no agent and no command can write.
fn noted(context: &Context, name: &str) -> std::path::PathBuf {
    let work = context.project.work(&context.run);
    work.join(format!("noted-{name}"))
}

pub(crate) fn tree_now(context: &Context) -> Result<TreeNow, BoxError> {
    let repo = context.project.repo();
    let files = view::repo_files(context, repo)?;
    Ok(room::tree_now(&Tree::of(repo, files)?))
}

pub(super) fn perform(
    context: &Context,
    order: &GateOrder,
    judged: &Judged,
    cancel: &Cancel,
    progress: &dyn Fn(&str),
) -> What {
    let names: Vec<&str> = order
        .checks
        .iter()
        .map(|check| check.check.as_str())
        .collect();
    progress(&format!("checks: {}", names.join(", ")));
    let outcome = judged.outcome.as_ref();
    let home = context.home(order.id);
    let pid_file = home.join("pid");
    if let Err(error) = std::fs::create_dir_all(&home) {
        let reason = format!("could not create {}: {error}", home.display());
        let results = vec![CheckResult::new("engine", Verdict::CouldNotRun, reason)];
        return What::GateEnded {
            effect: order.id,
            results,
            tree: None,
            found: Found::Live,
        };
    }
    let files = || view::repo_files(context, context.project.repo());
    let rooms = Rooms::of(&context.project, &context.rooms, &home, &files);
    let policy = context.reach.check(&context.project, &context.task);
    // Where nothing holds a command back, what it writes into the task folder would pass for a
    // person's edit.
    let guard = matches!(policy.enforcement, sandbox::Enforcement::Waived { .. });
    let guard = guard.then(|| TaskGuard::of(context));
    let views = views(context);
    let check_out = |commit: &str, into: &Path| {
        let scratch = home.join("checkout-index");
        let laid_out = git::check_out(context.project.repo(), commit, &scratch, into);
        laid_out.map_err(Into::into)
    };
    let keep = InVault(context);
    let tree = || tree_now(context);
    let place = Place {
        repo: context.project.repo(),
        installed: context.project.top(),
        task: &context.task,
        views: checks::Views {
            file: views.0,
            lines: &views.1,
        },
    };
    let wall = Duration::from_millis(order.wall_millis);
    let known = match history::known(context, order) {
        Ok(known) => known,
        Err(error) => {
            let results = vec![CheckResult::new(
                history::NAME,
                Verdict::CouldNotRun,
                error.to_string(),
            )];
            return What::GateEnded {
                effect: order.id,
                results,
                tree: None,
                found: Found::Live,
            };
        }
    };
    let brief = context.workflow.teaches();
    let subject = Subject {
        brief: &brief,
        fields: &order.fields,
        fields_before: &judged.fields_before,
        tree_before: outcome.map_or("", |outcome| outcome.tree_before.as_str()),
        tree_after: outcome.map_or("", |outcome| outcome.tree_after.as_str()),
        changed: outcome.map_or(&[], |outcome| outcome.changed.as_slice()),
        result: outcome.and_then(|outcome| outcome.result.as_ref()),
        results: &judged.results,
        commands: &context.commands,
        mutants: context.mutants,
        forms: context.workflow.task.as_ref().map(|task| &task.files),
        frozen: &order.frozen,
        standing: &order.standing,
        known: &known,
        commits: &order.commits,
        check_out: &check_out,
        env: &context.env,
        pid_file: Some(&pid_file),
        policy: Some(&policy),
        rooms: Some(&rooms),
        deploy: context.deploy.as_ref(),
        progress,
        ..Subject::new(place, wall, cancel, &keep, &tree)
    };
    let mut results = checks::run_gate(&order.checks, &subject);
    if let Some(guard) = guard {
        results.extend(
            guard
                .and_then(|guard| guard.settle(context))
                .unwrap_or_else(|error| {
                    let (verdict, why) = (Verdict::CouldNotRun, error.to_string());
                    Some(CheckResult::new("engine", verdict, why))
                }),
        );
    }
    let mut tree = None;
    if commits(context, &results) {
        let index = home.join("judged-index");
        let settled = git::settled(context.project.repo(), &index, &|| rooms.come_since());
        let settled = settled.and_then(|settled| {
            let tree = as_proven(context, order, &results, &index, &settled.tree)?;
            Ok(git::Settled { tree, ..settled })
        });
        match settled {
            Ok(settled) => {
                results.extend(converted(&settled.converted));
                tree = Some(settled.tree);
            }
            Err(error) => {
                let (verdict, why) = (Verdict::CouldNotRun, error.to_string());
                results.push(CheckResult::new(COMMIT, verdict, why));
            }
        }
    }
    // After it: what was written into git is what was judged only if nobody was at it meanwhile.
    results.extend(disturbed(&rooms));
    results.extend(history::number(context, order, &results));
    for result in &mut results {
        context.secrets.result(result);
        context.places.result(result);
    }
    if cancel.is_cancelled() {
        return lost(order.id, "it was cancelled", kernel::Usage::default());
    }
    // An answer that cannot be kept would have to be paid for again after a crash.
    let mut answer = Answer { results, tree };
    if let Err(error) = save(&context.home(order.id), ANSWER, &answer) {
        answer.results.push(CheckResult::new(
            "engine",
            Verdict::CouldNotRun,
            error.to_string(),
        ));
    }
    answer.ended(order.id, Found::Live)
}

/// What is on disk before the machine hears of it.
#[derive(Serialize, Deserialize)]
struct Answer {
    results: Vec<CheckResult>,
    tree: Option<String>,
}

impl Answer {
    fn ended(self, effect: EffectId, found: Found) -> What {
        What::GateEnded {
            effect,
            results: self.results,
            tree: self.tree,
            found,
        }
    }
}

/// The tree that a gate stands for. One that shows less than what stands proven has not judged what was
/// edited since: beside what agents were sent to change, the work is kept as it was proven.
fn as_proven(
    context: &Context,
    order: &GateOrder,
    results: &[CheckResult],
    index: &Path,
    tree: &str,
) -> Result<String, workspace::EngineError> {
    let Some(proven) = &order.proven else {
        return Ok(tree.to_owned());
    };
    let touched = order.known.get("touched");
    let touched: Vec<&String> = touched.into_iter().flatten().collect();
    // An attempt that changed more files than the journal lists has a mark among them.
    let cut = touched.iter().any(|path| !path.contains('/'));
    let shown = results.iter().filter_map(Worth::of).max();
    let stands = Worth::ALL
        .into_iter()
        .find(|one| one.as_str() == proven.worth);
    if cut || shown >= stands {
        return Ok(tree.to_owned());
    }
    let repo = context.project.repo();
    let task = context.task.strip_prefix(repo).ok();
    let ours: BTreeSet<String> = super::in_repo(context, touched).into_iter().collect();
    let kept = |path: &str| {
        let of_task = task.is_some_and(|task| Path::new(path).starts_with(task));
        of_task || ours.contains(path)
    };
    git::as_proven(repo, index, tree, &proven.commit, &kept)
}

/// Whose answer it is that git would commit something else.
const COMMIT: &str = "engine: commit";

/// Does a checkpoint follow if these are all that the gate says?
fn commits(context: &Context, results: &[CheckResult]) -> bool {
    let stall = context.workflow.stall_check.as_deref();
    let mut gate = results
        .iter()
        .filter(|result| stall != Some(result.check.as_str()));
    context.files == Files::OfGit
        && context.workflow.checkpoints == Checkpoints::PassedGates
        && gate.all(|result| passes(std::slice::from_ref(result)))
}

/// An answer if git would commit other bytes than those that were judged.
fn converted(lines: &[String]) -> Option<CheckResult> {
    let first = lines.first()?;
    let more = match lines.len() - 1 {
        0 => String::new(),
        more => format!(", and {more} more"),
    };
    let why = format!(
        "git would commit or show something else than was judged, because of what {} says now: {first}{more}; leave conversions, filters and `-diff` as they were: a person who wants them commits them before a run",
        git::ATTRIBUTES
    );
    let mut result = CheckResult::new(COMMIT, Verdict::Fail, why);
    result.code = Some("git_converts".to_owned());
    result.details = lines.join("\n");
    Some(result)
}

/// An answer if the tree has become another since the commands judged it: what is committed is what
/// lies there.
fn disturbed(rooms: &Rooms<'_>) -> Option<CheckResult> {
    let (verdict, why) = match rooms.changed_since() {
        Ok(changed) if changed.is_empty() => return None,
        Ok(changed) => {
            let some: Vec<&str> = changed.iter().take(5).map(String::as_str).collect();
            let some = some.join(", ");
            (
                Verdict::Fail,
                format!("the tree was changed while it was judged: {some}"),
            )
        }
        Err(error) => (Verdict::CouldNotRun, error.to_string()),
    };
    Some(CheckResult::new("engine: tree", verdict, why))
}

/// The file and the lines that are the engine's own.
fn views(context: &Context) -> (&str, Vec<String>) {
    report::views::engine_lines(&context.workflow)
}

pub(super) fn recover(context: &Context, effect: EffectId) -> Option<What> {
    let bytes = std::fs::read(context.home(effect).join(ANSWER)).ok()?;
    let answer = serde_json::from_slice(&bytes).or_else(|_| {
        // Of a gate that commits nothing, or of an earlier version.
        let results = serde_json::from_slice(&bytes)?;
        Ok::<_, serde_json::Error>(Answer {
            results,
            tree: None,
        })
    });
    Some(answer.ok()?.ended(effect, Found::AfterRestart))
}

//! One gate: every check, run by the engine on the real folders.

use super::guard::TaskGuard;
use super::history;
use super::{Judged, lost, save};
use checks::{BoxError, Keep, Place, Subject, TreeNow};
use kernel::effect::GateOrder;
use kernel::outcome::Found;
use kernel::outcome::{CheckResult, EvidenceRef, Verdict};
use kernel::{EffectId, What};
use sandbox::Cancel;
use std::path::Path;
use std::time::Duration;
use store::Tree;
use workspace::context::Context;
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
                found: Found::Live,
            };
        }
    };
    let subject = Subject {
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
    if let Err(error) = save(&context.home(order.id), ANSWER, &results) {
        results.push(CheckResult::new(
            "engine",
            Verdict::CouldNotRun,
            error.to_string(),
        ));
    }
    What::GateEnded {
        effect: order.id,
        results,
        found: Found::Live,
    }
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
    let results: Vec<CheckResult> = serde_json::from_slice(&bytes).ok()?;
    Some(What::GateEnded {
        effect,
        results,
        found: Found::AfterRestart,
    })
}

//! Running a gate. Nothing is skipped: what is unknown, badly set or silent could not run.

use crate::settings::SettingsError;
use crate::text::{answer, one_line, refusal};
use crate::{Check, Launches, Subject, when};
use kernel::Word;
use kernel::effect::CheckSpec;
use kernel::outcome::{CheckResult, FORM, UNHELD, Verdict, passes};
use std::collections::BTreeSet;
use std::time::Instant;

/// Checks of what a role writes about its work: whatever fails in them is a matter of form.
const FORMS: [&str; 3] = ["references", "sections", "updated"];

/// Runs all checks in order, whatever the first says: an agent should hear all that is wrong at
/// once. The subject's wall time is for all of them together.
pub fn run_gate(specs: &[CheckSpec], subject: &Subject<'_>) -> Vec<CheckResult> {
    run_gate_with(&[], specs, subject)
}

/// The same with checks of the caller's own, beside those of the registry.
pub fn run_gate_with(
    own: &[&dyn Check],
    specs: &[CheckSpec],
    subject: &Subject<'_>,
) -> Vec<CheckResult> {
    let started = Instant::now();
    let mut results = Vec::new();
    let mut shown = BTreeSet::new();
    for (at, spec) in specs.iter().enumerate() {
        let left = subject.wall.saturating_sub(started.elapsed());
        let launches = Launches::default();
        let subject = Subject {
            wall: left,
            launches: Some(&launches),
            failing: !passes(&results),
            ..*subject
        };
        let answers = match judge(own, spec, &subject, &shown) {
            Ok(answers) => answers,
            Err(why) => vec![refusal(&spec.check, why)],
        };
        for mut result in answers {
            result.weight = spec.weight;
            if result.verdict != Verdict::Pass {
                // What a check says itself is narrower than what the workflow says of all its failures.
                if result.shows.iter().all(|word| word.as_str() == FORM) {
                    result.shows.extend(spec.shows.clone());
                }
                if FORMS.contains(&spec.check.as_str()) {
                    result.shows.insert(Word::from(FORM));
                }
                result.code = result.code.or_else(|| spec.code.clone());
            }
            // Whatever else the check has to say: it was not tried.
            if result.verdict == Verdict::CouldNotRun && launches.unheld() {
                result.code = Some(UNHELD.to_owned());
            }
            // Whoever looks on need not wait for what still runs: it is no less wrong then.
            let last = at + 1 == specs.len();
            if !last && spec.weight.is_binding() && result.verdict != Verdict::Pass {
                let reason = one_line(&result.reason, 200);
                (subject.progress)(&format!("does not hold: {}: {reason}", result.check));
            }
            shown.extend(result.shows.iter().cloned());
            results.push(result);
        }
    }
    results
}

/// Why a check was not asked at all.
#[derive(Debug, thiserror::Error)]
enum NotAsked {
    #[error("the gate was cancelled before this check")]
    Cancelled,
    #[error(transparent)]
    Settings(#[from] SettingsError),
    #[error("the check gave no answer, which is a bug in it; please report")]
    Silent,
}

fn judge(
    own: &[&dyn Check],
    spec: &CheckSpec,
    subject: &Subject<'_>,
    shown: &BTreeSet<Word>,
) -> Result<Vec<CheckResult>, NotAsked> {
    if subject.cancel.is_cancelled() {
        return Err(NotAsked::Cancelled);
    }
    let (check, condition, with) = when::open(own, &spec.check, &spec.with)?;
    if let Some(reason) = condition.and_then(|condition| condition.spares(subject, shown)) {
        return Ok(vec![answer(check.name(), Verdict::Pass, &reason)]);
    }
    let answers = check.run(&with, subject);
    if answers.is_empty() {
        return Err(NotAsked::Silent);
    }
    Ok(answers)
}

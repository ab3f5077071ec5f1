//! The gates of the factory: the steps of a ship, the gates of a release and the judgement of a
//! draft, as checks beside those of the registry. What every gate has in common is theirs as well.

use super::found::{Broke, Given, Held};
use super::{assembled, elsewhere, exam, product, release, ship};
use crate::perform::{self, InVault, lost, save};
use checks::{Check, Place, Subject};
use kernel::What;
use kernel::effect::GateOrder;
use kernel::outcome::Found;
use kernel::outcome::{CheckResult, Verdict};
use sandbox::Cancel;
use serde_json::Value;
use std::time::Duration;
use workspace::context::Context;

/// Judges, or does what a gate stands for.
type Perform = fn(&Given<'_>, &Value) -> Result<Held, Broke>;

/// The checks of the factory.
const CHECKS: [(&str, Perform); 13] = [
    ("amendments_applied", ship::amendments_applied),
    ("interface_fingerprint", ship::interface_fingerprint),
    ("public_surface", ship::public_surface),
    ("black_box_tests", ship::black_box_tests),
    ("tests_fail_on_stubs", ship::tests_fail_on_stubs),
    ("ship_record", ship::ship_record),
    ("dependency_check", |given, with| {
        release::check(given.context, "dependency_check", with)
    }),
    ("fingerprint_check", |given, with| {
        release::check(given.context, "fingerprint_check", with)
    }),
    ("deprecation_check", |given, with| {
        release::check(given.context, "deprecation_check", with)
    }),
    ("code_index_check", |given, with| {
        release::check(given.context, "code_index_check", with)
    }),
    ("module_elsewhere", elsewhere::check),
    ("product_check", assembled::check),
    (::factory::product::CHECK, |given, with| {
        product::judge(given.context, with)
    }),
];

/// One of them, on its project.
struct OfFactory<'a> {
    name: &'static str,
    perform: Perform,
    given: &'a Given<'a>,
    progress: &'a dyn Fn(&str),
}

impl Check for OfFactory<'_> {
    fn name(&self) -> &'static str {
        self.name
    }

    fn run(&self, with: &Value, _: &Subject<'_>) -> Vec<CheckResult> {
        (self.progress)(self.name);
        let found = (self.perform)(self.given, with);
        let clean = |text: &str| self.given.context.kept_text(text);
        vec![answer(self.name, found, &clean)]
    }
}

/// Runs a gate of the factory, and has its answer on disk before it gives it.
pub(super) fn run(
    context: &Context,
    order: &GateOrder,
    cancel: &Cancel,
    progress: &dyn Fn(&str),
) -> What {
    let given = Given {
        context,
        order,
        cancel,
    };
    let own = CHECKS.map(|(name, perform)| OfFactory {
        name,
        perform,
        given: &given,
        progress,
    });
    let examined = exam::all(&given, progress);
    let own = own.iter().map(|check| check as &dyn Check);
    let own = own.chain(examined.iter().map(|check| check as &dyn Check));
    let own: Vec<&dyn Check> = own.collect();
    let place = Place {
        repo: context.project.repo(),
        installed: context.project.top(),
        task: &context.task,
        views: checks::Views::default(),
    };
    let wall = Duration::from_millis(order.wall_millis);
    let (keep, tree) = (InVault(context), || perform::tree_now(context));
    let (policy, pid_file) = (
        context.reach.check(&context.project, &context.task),
        context.home(order.id).join("pid"),
    );
    let subject = Subject {
        env: &context.env,
        pid_file: Some(&pid_file),
        policy: Some(&policy),
        ..Subject::new(place, wall, cancel, &keep, &tree)
    };
    let mut results = checks::run_gate_with(&own, &order.checks, &subject);
    if cancel.is_cancelled() {
        return lost(order.id, "it was cancelled", kernel::Usage::default());
    }
    if let Err(error) = save(&context.home(order.id), perform::GATE_ANSWER, &results) {
        let reason = error.to_string();
        results.push(CheckResult::new("engine", Verdict::CouldNotRun, reason));
    }
    What::GateEnded {
        effect: order.id,
        results,
        tree: None,
        found: Found::Live,
    }
}

/// The answer of a step, as it is stored.
fn answer(check: &str, found: Result<Held, Broke>, clean: &dyn Fn(&str) -> String) -> CheckResult {
    let (verdict, reason, evidence, ran, code) = match found {
        Ok(held) => (Verdict::Pass, held.reason, held.evidence, held.ran, None),
        Err(broke) => (
            broke.verdict,
            broke.reason,
            broke.evidence,
            broke.ran,
            broke.code,
        ),
    };
    let mut result = CheckResult::new(check, verdict, clean(&reason));
    result.evidence = evidence;
    result.code = code;
    result.ran = ran.map(|ran| {
        let mut ran = *ran;
        let texts = ran.argv.iter_mut().chain(&mut ran.denied);
        texts.for_each(|text| *text = clean(text));
        ran.unrecorded = ran.unrecorded.as_deref().map(clean);
        ran
    });
    result
}

#[cfg(test)]
mod tests {
    use super::*;
    use ::factory::engineering::ship::{STEPS, ShipStep};
    use kernel::outcome::{Ran, UNHELD};

    #[test]
    fn every_step_of_a_ship_is_a_check() {
        for row in STEPS {
            let known = CHECKS.iter().any(|(name, _)| *name == row.check);
            assert!(known || row.step == ShipStep::Exam, "{row:?}");
        }
    }

    #[test]
    fn what_a_step_ran_and_was_refused_is_stored_and_cleaned() {
        let ran = Ran {
            argv: vec!["run".to_owned(), "KEY".to_owned()],
            exit: Some(1),
            killed: None,
            tree: "t".to_owned(),
            output: "o".to_owned(),
            millis: 7,
            denied: vec!["192.0.2.1:443".to_owned(), "KEY.example:443".to_owned()],
            unrecorded: Some("because of KEY".to_owned()),
        };
        let mut told = CheckResult::new("tests", Verdict::CouldNotRun, "no");
        told.ran = Some(ran);
        told.code = Some(UNHELD.to_owned());
        let broke = Broke::by(&told, Verdict::CouldNotRun, "no KEY".to_owned());
        let clean = |text: &str| text.replace("KEY", "***");
        let stored = answer("ship_tested", Err(broke), &clean);
        assert!(stored.is_unheld(), "{stored:?}");
        let text = serde_json::to_string(&stored).unwrap();
        assert!(!text.contains("KEY"), "{text}");
        let ran = stored.ran.unwrap();
        assert_eq!(ran.denied, ["192.0.2.1:443", "***.example:443"]);
        assert_eq!(ran.unrecorded.as_deref(), Some("because of ***"));
        assert_eq!((ran.exit, ran.millis), (Some(1), 7));
    }
}

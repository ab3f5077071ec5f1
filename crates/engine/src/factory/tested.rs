//! The tests of a module, run by the ship and by nobody else (sections 5.4, 11.3 and 12.4): in a
//! crate of their own, in the sandbox, test by test; then the minimum of coverage by name, and the
//! floor of `examples.md`. One failure is enough to block.

use super::modules::{EXAMPLES, LOG, SHIP, Stored};
use super::scratch;
use super::ship::{Broke, Held, could_not};
use crate::context::Context;
use crate::perform::InVault;
use ::factory::contract::{coverage, examples};
use ::factory::ship::{ExecutionLog, Outcome, Summary, TestResult};
use checks::runners::{Status, TestRun};
use checks::{Keep, Place, Subject, TreeNow};
use kernel::effect::{CheckSpec, GateOrder, Weight};
use kernel::outcome::{CheckResult, Verdict};
use sandbox::Cancel;
use serde_json::json;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::time::Duration;
use store::{Node, Tree};

const RESULTS: &str = "results of suite";

/// Runs them, and writes down what was tested.
pub(super) fn run(
    context: &Context,
    order: &GateOrder,
    module: &Stored,
    cancel: &Cancel,
) -> Result<Held, Broke> {
    if module.has(SHIP) {
        return Err(format!("{} is shipped already", module.reference).into());
    }
    let contract = module.contract()?;
    let home = context.home(order.id);
    let krate = home.join("crate");
    std::fs::create_dir_all(&home).map_err(could_not)?;
    scratch::lay_out(&context.project.home(), module, &krate)?;
    let began = crate::world::now();
    let result = cargo(context, order, &krate, cancel)?;
    let run = results(context, &result)?;
    let tests = run
        .tests
        .iter()
        .filter(|test| test.status != Status::Skipped);
    let tests: Vec<TestResult> = tests
        .map(|test| TestResult {
            name: test.name.clone(),
            result: if test.status == Status::Passed {
                Outcome::Pass
            } else {
                Outcome::Fail
            },
            duration_ms: None,
        })
        .collect();
    let passed = tests
        .iter()
        .filter(|test| test.result == Outcome::Pass)
        .count() as u64;
    let total = tests.len() as u64;
    let log = ExecutionLog {
        module_id: contract.module_id.clone(),
        module_version: contract.module_version,
        executed_at: began.to_string(),
        tests,
        summary: Summary {
            total,
            passed,
            failed: total - passed,
        },
    };
    let mut wrong = Vec::new();
    if result.verdict != Verdict::Pass {
        wrong.push(result.reason.clone());
    } else if log.blocks_ship() {
        wrong.push("the execution log blocks the ship".to_owned());
    }
    let skipped = run.count(Status::Skipped);
    if skipped > 0 {
        wrong.push(format!("{skipped} tests are skipped"));
    }
    if wrong.is_empty() {
        let missing = coverage::missing(contract.surface(), log.passed());
        wrong.extend(missing.iter().map(coverage::Requirement::failure));
    }
    let text = String::from_utf8_lossy(&module.read(EXAMPLES)?).into_owned();
    let report = examples::judge(&text, contract.surface(), &[]);
    wrong.extend(
        report
            .errors
            .iter()
            .map(|found| format!("{EXAMPLES}: {}", found.message)),
    );
    if !wrong.is_empty() {
        return Err(Broke {
            verdict: if result.verdict == Verdict::CouldNotRun {
                Verdict::CouldNotRun
            } else {
                Verdict::Fail
            },
            reason: wrong.join("; "),
            evidence: result.evidence,
        });
    }
    module.write(LOG, &log).map_err(could_not)?;
    module.mark_tested()?;
    Ok(Held {
        reason: format!("{total} tests passed; every constraint, invariant and error has one"),
        evidence: result.evidence,
    })
}

fn cargo(
    context: &Context,
    order: &GateOrder,
    krate: &Path,
    cancel: &Cancel,
) -> Result<CheckResult, Broke> {
    let policy = context.reach.scratch(krate);
    let keep = InVault(context);
    let tree = || tree(krate);
    let pid_file = context.home(order.id).join("pid");
    let (fields, results, frozen, standing) = (
        BTreeMap::new(),
        BTreeMap::new(),
        BTreeMap::new(),
        BTreeSet::new(),
    );
    let no_checkpoints =
        |_: &str, _: &Path| Err("a module has no checkpoints to go back to".to_owned());
    let subject = Subject {
        place: Place {
            repo: krate,
            task: krate,
            views: checks::Views::default(),
        },
        fields: &fields,
        fields_before: &fields,
        tree_before: "",
        tree_after: "",
        changed: &[],
        result: None,
        results: &results,
        commands: &[],
        frozen: &frozen,
        standing: &standing,
        known: &order.known,
        commits: &order.commits,
        check_out: &no_checkpoints,
        wall: Duration::from_millis(order.wall_millis),
        cancel,
        env: &context.env,
        pid_file: Some(&pid_file),
        policy: Some(&policy),
        keep: &keep,
        tree: &tree,
    };
    let spec = CheckSpec {
        check: "tests".to_owned(),
        with: json!({"runner": "cargo", "command": "exec cargo test --offline --no-fail-fast 2>&1"}),
        weight: Weight::Binding,
        shows: None,
        code: None,
    };
    let mut results = checks::run_gate(&[spec], &subject).into_iter();
    results
        .next()
        .ok_or_else(|| could_not("the tests gave no answer"))
}

/// What the suite did, test by test: the check keeps it as evidence.
fn results(context: &Context, result: &CheckResult) -> Result<TestRun, Broke> {
    let kept = result.evidence.iter().find(|kept| kept.name == RESULTS);
    let Some(kept) = kept else {
        return Err(could_not(&result.reason));
    };
    let bytes = InVault(context).fetch(&kept.hash).map_err(could_not)?;
    serde_json::from_slice(&bytes).map_err(could_not)
}

fn tree(krate: &Path) -> Result<TreeNow, String> {
    let built = |path: &Path| path == Path::new("target") || path == Path::new("Cargo.lock");
    let files = store::walk(krate, &built).map_err(|error| error.to_string())?;
    let tree = Tree::of(krate, files).map_err(|error| error.to_string())?;
    let hash = tree.hash();
    let files = tree.files.into_iter().map(|(path, node)| match node {
        Node::File { sha256 } | Node::Executable { sha256 } => (path, sha256),
        other => (path, format!("{other:?}")),
    });
    Ok(TreeNow {
        hash,
        files: files.collect(),
    })
}

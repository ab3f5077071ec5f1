//! A person's own test line, through the real binary: where it says more than the runner that is read
//! test by test, a change has to hold under both.

use crate::support::{Said, World, says};

const PACKAGE: &str = r#"{"scripts": {"test": "node --test test/shop.test.js && node check.js"}}"#;
const SUM: &str = "exports.total = (prices) => prices.reduce((sum, one) => sum + one, 0)\\n";
const TAX: &str = "exports.tax = (price) => price * 19 / 100\\n";

fn is_there(program: &str) -> bool {
    let paths = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&paths).any(|folder| folder.join(program).is_file())
}

fn world(script: &str) -> World {
    let world = World::new();
    world.write(".gitignore", "agent/\n.proofhouse/\n");
    world.write("package.json", PACKAGE);
    world.write(
        "check.js",
        "if (require('./shop.js').tax(100) !== 19) process.exit(1)\n",
    );
    world.write("shop.js", "exports.tax = (price) => price * 19 / 100\n");
    world.write(
        "test/shop.test.js",
        "const test = require('node:test')\nconst assert = require('node:assert')\nconst shop = require('../shop.js')\n",
    );
    world.write("agent/script.toml", script);
    world.git(&["config", "user.name", "Ann"]);
    world.git(&["config", "user.email", "ann@example.org"]);
    world.commit("sample");
    world
}

/// An attempt that writes this shop, and a test of its totals.
fn attempt(number: u32, shop: &str) -> String {
    format!(
        "[[attempt]]\nstate = \"work\"\nattempt = {number}\nsteps = [\n  {{ write = \"repo/shop.js\", text = \"{shop}\" }},\n  {{ write = \"repo/test/shop.test.js\", text = \"const test = require('node:test')\\nconst assert = require('node:assert')\\nconst shop = require('../shop.js')\\ntest('two', () => {{ assert.strictEqual(shop.total([1, 2]), 3) }})\\ntest('none', () => {{ assert.strictEqual(shop.total([]), 0) }})\\n\" }},\n]\nresult = {{ summary = \"totals\" }}\n"
    )
}

#[test]
fn what_npm_test_says_beyond_its_runner_is_held_and_named() {
    if !is_there("npm") {
        eprintln!(
            "LEFT OUT, for want of npm: what_npm_test_says_beyond_its_runner_is_held_and_named"
        );
        return;
    }
    // The tests that the runner finds pass, and what the script runs behind them does not.
    let broken = attempt(1, &format!("{SUM}exports.tax = () => 0\\n"));
    let mended = attempt(2, &format!("{SUM}{TAX}"));
    let world = world(&format!("{broken}{mended}"));
    let args = [
        "do",
        "totals of carts",
        "--agent",
        "scripted:agent/script.toml",
    ];
    let said = says(
        &world,
        &[&args[..], &["--name", "t", "--autonomy", "auto"]].concat(),
    )
    .exits(0);
    for part in [
        "validation   npm test  (found in the repository)",
        "executed suite: node --test, beside npm test, suite: npm test",
        "FAIL red_green: npm test: red: exit code 1, and nobody has counted tests",
        "prove -> done",
    ] {
        assert!(said.out.contains(part), "no `{part}` in\n{}", said.out);
    }
}

#[test]
fn what_npm_test_starts_further_on_is_held() {
    if !is_there("npm") {
        eprintln!("LEFT OUT, for want of npm: what_npm_test_starts_further_on_is_held");
        return;
    }
    const LINT: &str = "import { readFileSync } from 'node:fs'\nif (readFileSync('shop.js', 'utf8').includes('eval(')) process.exit(1)\n";
    let package = |lint: &str| {
        format!(r#"{{"scripts": {{"test": "node --test && npm run lint", "lint": "{lint}"}}}}"#)
    };
    let eval = "exports.total = (prices) => eval(['0', ...prices].join('+'))\\n";
    // Each attempt leaves the linter, and the recipe that starts it, as it says.
    let attempts = [(1, eval, "", "node scripts/lint.mjs"), (2, eval, LINT, "true")]
        .into_iter()
        .chain([(3, SUM, LINT, "node scripts/lint.mjs")])
        .map(|(number, shop, lint, recipe)| {
            let quoted = |text: &str| format!("{text:?}");
            let more = format!(
                "steps = [\n  {{ write = \"repo/scripts/lint.mjs\", text = {} }},\n  {{ write = \"repo/package.json\", text = {} }},\n",
                quoted(lint),
                quoted(&package(recipe))
            );
            attempt(number, &format!("{shop}{TAX}")).replacen("steps = [\n", &more, 1)
        });
    let world = world(&attempts.collect::<String>());
    world.write("package.json", &package("node scripts/lint.mjs"));
    world.write("scripts/lint.mjs", LINT);
    world.commit("a linter of one's own");
    let args = [
        "do",
        "totals of carts",
        "--agent",
        "scripted:agent/script.toml",
    ];
    let said = says(
        &world,
        &[&args[..], &["--name", "t", "--autonomy", "auto"]].concat(),
    )
    .exits(0);
    for part in [
        "tests that were there may only be added to, on lines of their own or as new tests: scripts/lint.mjs: line 1",
        "FAIL frozen: `recipes`: repo/package.json#recipe lint was changed",
        "prove -> done",
    ] {
        assert!(said.out.contains(part), "no `{part}` in\n{}", said.out);
    }
}

/// Under `auto`, by evidence that could have failed; with these further steps of the coder's.
fn goes_by_itself(asked: &str, more: &str) -> Option<Said> {
    if !is_there("npm") {
        eprintln!("LEFT OUT, for want of npm: what is tried elsewhere");
        return None;
    }
    let steps = format!("steps = [\n{more}");
    let script = attempt(1, &format!("{SUM}{TAX}")).replacen("steps = [\n", &steps, 1);
    let world = world(&script);
    world.write(
        ".github/workflows/test.yml",
        "on: push\njobs: {test: {steps: [{run: npm test}]}}\n",
    );
    world.commit("tried elsewhere");
    let args = ["do", asked, "--agent", "scripted:agent/script.toml"];
    let auto = ["--name", "t", "--autonomy", "auto"];
    let mut command = world.command(&[&args[..], &auto].concat());
    command.env_remove("PROOFHOUSE_APPROVALS__WEAK");
    command.env_remove("PROOFHOUSE_CHECKS__MUTANTS");
    Some(Said::from(command.output().unwrap()))
}

const EMPTIES: &str =
    "  { write = \"repo/.github/workflows/test.yml\", text = \"on: push\\njobs: {}\\n\" },\n";

#[test]
fn whoever_changes_what_is_tried_elsewhere_unasked_is_shown_to_a_person() {
    let Some(said) = goes_by_itself("totals of carts", EMPTIES) else {
        return;
    };
    let said = said.exits(2);
    let why = "nobody asked for this: .github/workflows/test.yml was changed: ";
    assert!(said.out.contains(why), "{}", said.out);
}

#[test]
fn what_is_tried_elsewhere_may_be_asked_for_or_left_alone() {
    for (asked, more) in [
        ("totals of carts", ""),
        ("totals of carts, and empty test.yml", EMPTIES),
    ] {
        let Some(said) = goes_by_itself(asked, more) else {
            return;
        };
        let said = said.exits(0);
        assert!(!said.out.contains("nobody asked"), "{}", said.out);
    }
}

//! Checks as a run meets them: in the sandbox, with a real test runner, and with a memory that lies
//! in the journal.

use crate::support::World;

const WORKFLOW: &str = r#"name = "mine"
about = "write, then change"
initial = "write"
[role.coder]
can = ["read", "edit", "execute"]
about = "codes"
[state.write]
kind = "work"
role = "coder"
brief = "b.md"
gate = [
    { check = "ids", file = "repo/scope.md", pattern = "AC-\\d+" },
    { check = "tests", ids = "AC-\\d+", ids_from = "repo/scope.md" },
]
[state.change]
kind = "work"
role = "coder"
brief = "b.md"
gate = [
    { check = "ids", file = "repo/scope.md", pattern = "AC-\\d+" },
    { check = "tests", keeps = ["count", "names", "skips"] },
    { check = "files_exist", repo = ["LOAD.md"], when = { file = "repo/scope.md", label = "Tier", is = ["house"] } },
]
[state.end]
kind = "end"
[[transition]]
action = "written"
from = "write"
to = "change"
by = "engine"
when = "gate.pass"
[[transition]]
action = "changed"
from = "change"
to = "end"
by = "engine"
when = "gate.pass"
"#;

const SCRIPT: &str = r##"
[[attempt]]
state = "write"
steps = [
    { write = "repo/scope.md", text = "Tier: shed\n\n- AC-1: totals\n- AC-2: tax\n" },
    { write = "repo/Cargo.toml", text = "[package]\nname = \"shop\"\nedition = \"2024\"\n[workspace]\n" },
    { write = "repo/src/lib.rs", text = "#[test]\nfn ac_1_total() {}\n#[test]\nfn ac_2_tax() {}\n" },
]
result = { summary = "written" }

[[attempt]]
state = "change"
attempt = 1
steps = [
    { write = "repo/scope.md", text = "Tier: house\n\n- AC-2: tax\n" },
    { write = "repo/src/lib.rs", text = "#[test]\n#[ignore]\nfn ac_1_total() {}\n#[test]\nfn ac_two() {}\n" },
]
result = { summary = "made it simpler" }

[[attempt]]
state = "change"
steps = [
    { write = "repo/scope.md", text = "Tier: shed\n\n- AC-1: totals\n- AC-2: tax\n" },
    { write = "repo/src/lib.rs", text = "#[test]\nfn ac_1_total() {}\n#[test]\nfn ac_2_tax() {}\n#[test]\nfn more() {}\n" },
]
result = { summary = "put it back" }
"##;

#[test]
fn a_gate_runs_a_real_suite_and_remembers_what_passed() {
    let world = World::new();
    world.write(".proofhouse/workflows/mine/workflow.toml", WORKFLOW);
    world.write(".proofhouse/workflows/mine/b.md", "Do it.");
    world.write("agent/script.toml", SCRIPT);
    world.write(".gitignore", "agent/\ntarget/\n");
    let agent = "scripted:agent/script.toml";
    world
        .run(&["new", "mine", "--dir", "tasks/t", "--agent", agent])
        .exits(0);
    let said = world.run(&["run", "t"]).exits(0);
    let results: Vec<serde_json::Value> = world
        .journal()
        .into_iter()
        .filter(|record| record["kind"] == "gate_ended.v1")
        .map(|record| record["body"]["results"].clone())
        .collect();
    assert_eq!(results.len(), 3, "{}", said.out);
    let reason = |gate: usize, check: usize| {
        let result = &results[gate][check];
        let text = |key: &str| result[key].as_str().unwrap_or_default().to_owned();
        format!("{} {}", text("verdict"), text("reason"))
    };
    let first = reason(0, 1);
    assert!(
        first.starts_with("pass green: 2 passed, 0 failed"),
        "{first}"
    );
    assert_eq!(
        reason(1, 0),
        "fail repo/scope.md: lost since it passed: AC-1"
    );
    assert_eq!(
        reason(1, 1),
        "fail 1 tests ran, 2 before; missing since: shop::ac_2_tax; skipped since: shop::ac_1_total"
    );
    // In doubt and in a house the file is asked for; in a shed it is not.
    assert!(reason(1, 2).starts_with("fail "), "{}", reason(1, 2));
    assert!(reason(2, 2).contains("does not apply"), "{}", reason(2, 2));
    assert_eq!(reason(2, 1), "pass green: 3 passed, 0 failed, 0 skipped");
    let evidence = results[0][1]["evidence"].to_string();
    assert!(evidence.contains("baseline of suite"), "{evidence}");
    world.run(&["audit"]).exits(0);
}

#[test]
fn a_bad_setting_or_condition_is_refused_when_the_workflow_is_loaded() {
    let world = World::new();
    world.write(".proofhouse/workflows/mine/b.md", "Do it.");
    for (good, bad, why) in [
        (
            "is = [\"house\"]",
            "was = [\"house\"]",
            "`when` has no setting `was`; allowed keys: field, file, is,",
        ),
        (
            "repo/scope.md\", label",
            "scope.md\", label",
            "must begin with `repo/`",
        ),
        ("\"names\"", "\"name\"", "`keeps` must be"),
        (
            "AC-\\\\d+\" },\n    { check = \"tests\", ids",
            "AC-(\" },\n    { check = \"tests\", ids",
            "is no regular expression",
        ),
    ] {
        let text = WORKFLOW.replacen(good, bad, 1);
        assert_ne!(text, WORKFLOW, "{good}");
        world.write(".proofhouse/workflows/mine/workflow.toml", &text);
        let said = world
            .run(&["workflow", "lint", "mine"])
            .refuses(1, "unknown_check");
        assert!(said.err.contains(why), "{}", said.err);
        assert!(said.err.contains("workflow.toml:"), "{}", said.err);
    }
}

/// Checks that run something of the repository's, or ask for something from elsewhere: minutes, where all
/// others read files.
const RUNS: [&str; 11] = [
    "command",
    "could_fail",
    "dependency_audit",
    "deployed",
    "exam",
    "proofs",
    "red_green",
    "slices",
    "suite",
    "tests",
    "tripwire",
];

/// What is wrong with a document is seen before any suite has run, in every gate of every workflow. What waits
/// for a word that a suite shows comes behind it, and so does a freeze, which holds what the suite has seen. What
/// a role has answered is read last: whoever is asked reads first what the engine saw.
#[test]
fn what_only_reads_comes_before_what_runs() {
    for name in RUNS {
        assert!(checks::find(name).is_some(), "{name}");
    }
    let mut late = Vec::new();
    for name in flow::built_in_names() {
        let workflow = crate::play::workflow(name);
        for (state, def) in &workflow.states {
            let runs = |check: &str| RUNS.contains(&check);
            let first = def.gate.iter().position(|spec| runs(spec.check.as_str()));
            let behind = def.gate.iter().skip(first.unwrap_or(def.gate.len()));
            let waits =
                |spec: &&kernel::effect::CheckSpec| spec.with["when"].get("unless").is_some();
            let reads = behind.filter(|spec| !runs(spec.check.as_str()));
            let last = ["freeze", "questions"];
            let reads = reads.filter(|spec| !last.contains(&spec.check.as_str()) && !waits(spec));
            late.extend(reads.map(|spec| format!("{name}: {state}: {}", spec.check)));
        }
    }
    assert!(late.is_empty(), "{}", late.join("\n"));
}

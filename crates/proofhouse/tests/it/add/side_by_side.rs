//! One task, played to `add.py` 1.3.0 and to us, step by step: what somebody who knows the one meets in the
//! other. Ours is always played. The original is where `ADD_PY` names it (`pip install pilotspace-add==1.3.0`,
//! then `add_method/_bundled/tooling/add.py`); `docs/add.md` has what came of it.

use super::{Add, Scope, data};
use std::path::PathBuf;
use std::process::Command;

/// What an agent of ours does: at first it makes the tests want what the code gives, then the code is wrong,
/// and then it is right.
const BUILDS: &str = r#"
[[attempt]]
state = "build"
attempt = 1
steps = [{ write = "repo/tests/cases", text = "s1_adds|1 2|\ns2_rejects|x|\n" }]
result = { summary = "all green" }
[[attempt]]
state = "build"
attempt = 2
steps = [{ write = "repo/src/total.sh", text = "total() { echo 0; }\n" }]
result = { summary = "built" }
[[attempt]]
state = "observe"
attempt = 2
steps = [{ append = "task/notes.md", text = "watched again\n" }]
result = { summary = "observed again" }
"#;

#[test]
fn the_same_task_with_us() {
    let flagged = format!("{}{BUILDS}", data("unflagged.toml"));
    let add = Add::start(&flagged, Scope::Narrow, &["--autonomy", "conservative"]);
    // Nothing passes before the gate has seen the work, and no bundle is offered without its doubt.
    add.decide("approve", "it is fine")
        .refuses(1, "gate_pass_before_verify");
    add.run(2);
    let journal = add.world.read(".proofhouse/journal/t.jsonl");
    assert!(journal.contains("\"unflagged_freeze\""), "{journal}");
    add.waits_for("freeze");
    add.says("Status: DRAFT");
    add.decide("freeze", "read it").exits(0);
    add.says("Status: FROZEN @ v1 - approved by ann@example.org");
    // An edited test goes back to build and is counted; code that is wrong goes back and is not.
    add.run(2);
    let actions = actions(&add);
    assert!(actions.contains("scope_escaped"), "{actions}");
    let judged = add.world.judged("t");
    let wrong = "tests: green (junit): 0 passed, 2 failed";
    assert!(judged.contains(wrong), "{judged}");
    assert_eq!(add.stands().2, 1);
    add.waits_for("approval");
    // What a person says at the gate.
    add.decide("risk_accepted", "fine")
        .refuses(1, "waiver_incomplete");
    add.heal(" ").refuses(1, "heal_reason_required");
    add.heal("the sum is a stub").exits(0);
    assert_eq!(add.stands().2, 2);
    add.is_in("build");
    add.run(2);
    add.decide("halt", "look at it together").exits(0);
    add.is_in("hard_stop");
    add.says("Outcome: HARD-STOP");
    // A HARD-STOP is not passed: it is built again.
    assert_ne!(add.decide("approve", "fine after all").code, 0);
    add.decide("rebuild", "as agreed").exits(0);
    add.run(2);
    add.decide("approve", "read the diff").exits(0);
    add.run(0);
    add.says("Outcome: PASS");
    let task = add.world.read(super::TASK);
    assert!(
        task.contains("\nReviewer: ann@example.org through ssh-signature"),
        "{task}"
    );
    let reopen = [
        "reopen",
        "t",
        "--to",
        "build",
        "--sign",
        add.key.to_str().unwrap(),
    ];
    let because = |why| [&reopen[..], &["--reason", why]].concat();
    add.world
        .run(&because(" "))
        .refuses(1, "reopen_reason_required");
    add.world.run(&because("cents are lost")).exits(0);
    add.says("Outcome: pending");
    for (asks, told) in [
        (vec!["status", "t"], "goal-ready"),
        (vec!["guide", "t"], "proofhouse run t"),
        (vec!["report", "t"], "t"),
        (vec!["deltas"], "a suite can be ten lines of shell"),
    ] {
        let said = add.world.run(&asks).exits(0).out;
        assert!(said.contains(told), "{asks:?}: {said}");
    }
    add.world.run(&["audit", "--ci"]).exits(0);
}

fn actions(add: &Add) -> String {
    let journal = add.world.journal();
    let moves = journal.iter().filter(|one| one["kind"] == "moved.v1");
    let actions = moves.filter_map(|one| one["body"]["action"].as_str());
    actions.collect::<Vec<_>>().join(" ")
}

/// The original, in a repository of its own.
struct Original {
    world: crate::support::World,
    tool: PathBuf,
}

impl Original {
    /// What it prints, and its exit code.
    fn says(&self, args: &[&str]) -> (i32, String) {
        let mut python = Command::new("python3");
        python
            .arg(&self.tool)
            .args(args)
            .current_dir(self.world.path());
        let ended = python.output().expect("python3");
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        let said = text(&ended.stdout) + &text(&ended.stderr);
        (ended.status.code().unwrap_or(-1), said)
    }

    #[track_caller]
    fn answers(&self, args: &[&str], code: i32, told: &str) {
        let (ended, said) = self.says(args);
        assert!(
            ended == code && said.contains(told),
            "{args:?}: {ended}: {said}"
        );
    }

    fn edit(&self, find: &str, put: &str) {
        let task = ".add/tasks/totals/TASK.md";
        let text = self.world.read(task);
        assert!(text.contains(find), "{find}");
        self.world.write(task, &text.replacen(find, put, 1));
    }
}

#[test]
fn the_same_task_with_the_original() {
    let Some(tool) = std::env::var_os("ADD_PY") else {
        eprintln!("SKIPPED: `ADD_PY` names no add.py");
        return;
    };
    let world = crate::support::World::new();
    world.write("tests/cases", "s1_adds|1 2|3\n");
    world.write("src/cart.sh", "items() { echo none; }\n");
    world.commit("sample");
    let it = Original {
        world,
        tool: tool.into(),
    };
    it.answers(&["init", "--name", "shop"], 0, "initialised");
    it.answers(
        &["new-task", "totals", "--title", "Totals"],
        0,
        "phase: ground",
    );
    it.answers(&["gate", "PASS"], 1, "gate_pass_before_verify");
    let touches = "<path:symbol — what it is / how it is keyed>";
    it.edit(touches, "`src/cart.sh:items` — the cart's items");
    it.edit("<the symbols §3 will name>", "`items`, `total`");
    it.edit(
        "<METHOD> <path>   body: { <fields> }",
        "total PRICE... prints the sum of `items`",
    );
    it.edit("`./tests/`", "`tests/cases`");
    it.edit(
        "Scope (may touch): `./src/`",
        "Scope (may touch): `src/total.sh`",
    );
    for _ in 0..3 {
        it.answers(&["advance"], 0, "phase");
    }
    // Its tests phase is reached with a draft, where ours waits for a person.
    it.answers(&["advance"], 0, "contract -> tests");
    let frozen = "Status: FROZEN @ v1 — approved by ann";
    it.edit("Status: DRAFT", frozen);
    it.answers(&["advance"], 1, "unflagged_freeze");
    let flag = "Least-sure flag surfaced at freeze: [spec] prices are whole numbers, because nobody said so; if wrong, every sum is";
    it.edit(frozen, &format!("{frozen}\n{flag}"));
    it.answers(&["advance"], 0, "tests -> build");
    it.world.write("src/total.sh", "total() { echo 0; }\n");
    it.answers(&["advance"], 0, "build -> verify");
    it.world.write("tests/cases", "s1_adds|1 2|0\n");
    let (_, said) = it.says(&["gate", "PASS"]);
    assert!(said.contains("attempt 1 of 3"), "{said}");
    it.world.write("tests/cases", "s1_adds|1 2|3\n");
    it.answers(&["advance"], 0, "build -> verify");
    // It runs no test: what is wrong passes, where ours goes back to build.
    it.answers(&["gate", "PASS"], 0, "gate -> PASS");
    it.answers(
        &["reopen", "totals", "--to", "build", "--reason", ""],
        1,
        "reopen_reason_required",
    );
    it.answers(
        &[
            "reopen",
            "totals",
            "--to",
            "build",
            "--reason",
            "it gives 0",
        ],
        0,
        "done -> build",
    );
    it.answers(&["advance"], 0, "build -> verify");
    it.answers(
        &["heal", "totals", "--reason", ""],
        1,
        "heal_reason_required",
    );
    let (_, said) = it.says(&["heal", "totals", "--reason", "a stub"]);
    assert!(said.contains("attempt 2 of 3"), "{said}");
    it.answers(&["advance"], 0, "build -> verify");
    it.answers(&["gate", "RISK-ACCEPTED"], 1, "waiver_incomplete");
    it.answers(&["gate", "HARD-STOP"], 0, "gate -> HARD-STOP");
    // A HARD-STOP is passed at once, where ours is built again first.
    it.answers(&["gate", "PASS"], 0, "gate -> PASS");
    // It writes no record of the gate, and misses it afterwards.
    it.answers(&["audit"], 1, "malformed_gate_record");
}

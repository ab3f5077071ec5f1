//! What a person sees before they decide: the work first, what was proven and what was not, what was
//! caught; and that they are told when they are needed.

use crate::support::{HONEST, World};
use serde_json::{Value, json};

fn waiting() -> World {
    let world = World::new();
    world.start(HONEST, &["--autonomy", "conservative"]);
    world.run(&["run", "t"]).exits(2);
    world
}

fn page(world: &World) -> String {
    world.read("tasks/t/artifacts/evidence.html")
}

#[test]
fn the_inbox_shows_what_a_decision_rests_on() {
    let world = waiting();
    let items = world.run(&["inbox", "--json"]).exits(0).json();
    let grounds = &items[0]["grounds"];
    assert_eq!(grounds["objective"], "be good");
    assert_eq!(grounds["change"]["files"], json!(["code.txt"]));
    assert_eq!(
        grounds["change"]["changes"][0]["hunks"][0]["lines"][0],
        "-bad"
    );
    let proven: Vec<&Value> = grounds["proven"].as_array().unwrap().iter().collect();
    assert_eq!(proven.len(), 1, "{grounds}");
    assert_eq!(grounds["workers"][0]["agent"], "scripted");
    let said = world.run(&["inbox"]).exits(0).out;
    let at = |text: &str| {
        said.find(text)
            .unwrap_or_else(|| panic!("no {text} in {said}"))
    };
    let places = [
        at("objective   be good"),
        at("age         begun"),
        at("code.txt | 2 +-"),
        at("-bad\n"),
        at("proofhouse diff t"),
        at("proven      command: "),
        at("cost        no usage told"),
        at("by          scripted as "),
        at("proofhouse decide t "),
    ];
    assert!(places.is_sorted(), "{said}");
}

#[test]
fn a_decision_goes_on_at_once() {
    let world = waiting();
    let items = world.run(&["inbox", "--json"]).exits(0).json();
    let option = items[0]["waiting_for"]["options"][0].as_str().unwrap();
    let key = world.approver("ann");
    let key = key.to_str().unwrap();
    let decide = [
        "decide",
        "t",
        option,
        "--because",
        "read it",
        "--sign",
        key,
        "--run",
    ];
    let said = world.run(&decide).exits(0);
    assert!(said.out.contains("`t` is done"), "{}", said.out);
    assert_eq!(world.status()["activity"], "done");
}

#[test]
fn a_check_that_cannot_fail_and_an_empty_suite_prove_nothing() {
    for check in ["true", "printf 'Ran 0 tests in 0.0s\\n' | cat"] {
        let world = World::new();
        world.start_checked(HONEST, check, &[]);
        let said = world.run(&["run", "t"]).exits(2).out;
        assert!(said.contains("could_fail: cannot fail"), "{said}");
        assert!(!page(&world).contains("<h1>Proven<"), "{check}");
    }
    let world = World::new();
    world.start(HONEST, &[]);
    world.run(&["run", "t"]).exits(0);
    // An exit code is all that there is: that it could have failed was not shown.
    assert!(page(&world).contains("<h1>Done, weakly shown<"));
}

#[test]
fn a_gate_that_passed_is_one_line() {
    let world = World::new();
    world.start(HONEST, &[]);
    let said = world.run(&["run", "t"]).exits(0).out;
    let passed: Vec<&str> = said
        .lines()
        .filter(|line| line.contains(" pass "))
        .collect();
    let gates = said.matches("checkpoint").count();
    assert!(gates > 2 && passed.len() >= gates, "{said}");
    assert!(
        passed.iter().all(|line| line.contains(" pass gate: ")),
        "{said}"
    );
    assert!(said.contains("executed command: "), "{said}");
}

#[test]
fn a_caught_cheat_stands_in_the_headline_and_failures_say_why() {
    let world = World::new();
    world.write("tests/check.sh", "grep -q good code.txt\n");
    let cheat = r#"
[[attempt]]
state = "implement"
attempt = 1
steps = [{ write = "repo/tests/check.sh", text = "true" }]
result = { summary = "all green", next = "verify" }
"#;
    let script = format!("{cheat}{HONEST}");
    let frozen = ["--set", "frozen_tests=tests/**"];
    let check = "grep -q good code.txt || { echo 'assertion failed: good'; exit 1; }";
    world.start_checked(&script, check, &frozen);
    world.git(&["add", "--all"]);
    world.run(&["run", "t"]).exits(0);
    let page = page(&world);
    assert!(
        page.contains("Caught: a frozen file was changed."),
        "{page}"
    );
    assert!(page.contains("<code>tamper_tripwire</code>"));
    assert!(page.contains("What it did, "), "no transcript");
}

#[test]
fn a_person_is_told_when_they_are_needed_and_when_it_is_over() {
    let world = World::new();
    let config = r#"
[notify]
command = ["sh", "-c", "cat > agent/told.json; echo $PROOFHOUSE_NOTIFY_WHY $PROOFHOUSE_NOTIFY_NAME > agent/env"]
"#;
    world.write("agent/xdg/proofhouse/config.toml", config);
    world.start(HONEST, &["--autonomy", "conservative"]);
    world.run(&["run", "t"]).exits(2);
    let told: Value = serde_json::from_str(&world.read("agent/told.json")).unwrap();
    assert_eq!(
        (&told["why"], &told["kind"], &told["name"]),
        (&json!("needed"), &json!("run"), &json!("t"))
    );
    assert_eq!(told["next"], "proofhouse inbox");
    assert_eq!(world.read("agent/env"), "needed t\n");
    let option = told["options"][0].as_str().unwrap();
    let key = world.approver("ann");
    let key = key.to_str().unwrap();
    let decide = [
        "decide",
        "t",
        option,
        "--because",
        "read it",
        "--sign",
        key,
        "--run",
    ];
    world.run(&decide).exits(0);
    assert_eq!(world.read("agent/env"), "over t\n");

    // A command that fails stops nothing.
    let world = World::new();
    world.write(
        "agent/xdg/proofhouse/config.toml",
        "[notify]\ncommand = [\"false\"]\n",
    );
    world.start(HONEST, &[]);
    let said = world.run(&["run", "t"]).exits(0).out;
    assert!(said.contains("[notify_failed]"), "{said}");
}

#[test]
fn a_repository_does_not_choose_what_runs_as_the_person() {
    let world = World::new();
    world.start(HONEST, &[]);
    world.write(
        ".proofhouse/config.toml",
        "[notify]\ncommand = [\"touch\", \"agent/ran\"]\n",
    );
    let said = world.run(&["run", "t"]).exits(0).out;
    assert!(said.contains("[setting_not_for_repository]"), "{said}");
    assert!(!world.at("agent/ran").exists());
}

//! Rule F9.6: what the turn after an approval with amendments may change, and against what the ship
//! holds it.

use crate::project::task;
use crate::said;
use crate::world::{Project, Script, module_of};
use factory::debate::{Amendment, AmendmentAction};
use factory::engineering::amend::{Changed, contradicted};
use factory::project::TaskStatus;
use kernel::effect::{Effect, GateOrder};
use kernel::{EffectId, Machine, What};
use serde_json::{Value, json};
use std::collections::BTreeMap;

const A: &str = "T-a-001";

fn amendment(action: AmendmentAction, target: &str) -> Amendment {
    Amendment {
        action,
        target: target.to_owned(),
        detail: "exactly this".to_owned(),
    }
}

/// The turn of a module that had three files: it changed the tests, took a file away and made one.
fn turn() -> (Vec<Changed>, BTreeMap<String, String>) {
    let changed = |path: &str, before: Option<&str>, after: Option<&str>| Changed {
        path: path.to_owned(),
        before: before.map(str::to_owned),
        after: after.map(str::to_owned),
    };
    let tests = "fn happy_path() { one(); }";
    let more = "fn happy_path() { two(); }\nfn happy_path__largest() {}";
    let all = vec![
        changed("tests/lines.rs", Some(tests), Some(more)),
        changed("tests/old.rs", Some("fn outdated() {}"), None),
        changed("examples.md", None, Some("## Largest\n")),
    ];
    let now = [
        ("implementation/lib.rs", "pub fn parse() {}"),
        ("tests/lines.rs", more),
        ("examples.md", "## Largest\n"),
    ];
    let now = now.map(|(path, text)| (path.to_owned(), text.to_owned()));
    (all, now.into())
}

#[test]
fn s9_6_the_deliverable_itself_decides_what_was_amended() {
    use AmendmentAction::{Add, Modify, Remove};
    let (changed, now) = turn();
    for (action, target, good) in [
        (Add, "happy_path__largest", true),
        (Add, "examples.md", true),
        (Add, "tests/lines.rs::happy_path__largest", true),
        (Add, "state_store/modules/MM-a/1.0.0/examples.md", true),
        // It is there, in a file that nobody touched: nothing was added.
        (Add, "parse", false),
        (Add, "missing", false),
        (Add, "tests/other.rs", false),
        (Add, "tests/old.rs::happy_path__largest", false),
        (Remove, "outdated", true),
        (Remove, "tests/old.rs", true),
        (Remove, "happy_path", false),
        (Remove, "parse", false),
        (Remove, "tests/lines.rs", false),
        // It never stood there; half a word is another word.
        (Remove, "pars", false),
        (Remove, "nowhere", false),
        (Modify, "happy_path", true),
        (Modify, "tests/lines.rs", true),
        (Modify, "parse", false),
        (Modify, "implementation/lib.rs", false),
        (Modify, "happy_path__largest", false),
        (Modify, "outdated", false),
        (Modify, "Largest", false),
    ] {
        let found = contradicted(&[amendment(action, target)], &changed, &now);
        let applied = !found
            .iter()
            .any(|fault| fault.invariant == "amendment_applied");
        assert_eq!(applied, good, "{action:?} {target}: {found:?}");
    }
}

#[test]
fn s9_6_a_file_that_no_amendment_names_stays_as_it_was() {
    use AmendmentAction::{Add, Remove};
    let (changed, now) = turn();
    let slipped = |targets: &[(AmendmentAction, &str)]| -> Vec<String> {
        let all: Vec<Amendment> = targets
            .iter()
            .map(|(action, target)| amendment(*action, target))
            .collect();
        let found = contradicted(&all, &changed, &now).into_iter();
        let found = found.filter(|fault| fault.invariant == "nothing_but_the_amendments");
        found
            .map(|fault| fault.evidence.split(' ').next().unwrap().to_owned())
            .collect()
    };
    let largest = (Add, "happy_path__largest");
    assert_eq!(slipped(&[largest]), ["tests/old.rs", "examples.md"]);
    let outdated = (Remove, "outdated");
    assert_eq!(slipped(&[largest, outdated]), ["examples.md"]);
    let all = [largest, outdated, (Add, "examples.md")];
    assert_eq!(slipped(&all), [""; 0]);
    // A name that stands elsewhere gives no right to this file.
    assert_eq!(slipped(&[(Add, "parse")]).len(), 3);
}

fn of(path: &str, before: &str, after: &str) -> Changed {
    Changed {
        path: path.to_owned(),
        before: Some(before.to_owned()),
        after: Some(after.to_owned()),
    }
}

fn faults(amendments: &[Amendment], changed: &[Changed]) -> Vec<String> {
    let now = changed.iter().filter_map(|one| {
        let text = one.after.clone()?;
        Some((one.path.clone(), text))
    });
    let found = contradicted(amendments, changed, &now.collect());
    found.into_iter().map(|one| one.invariant).collect()
}

#[test]
fn s9_6_nobody_opens_a_file_by_writing_a_target_into_it() {
    use AmendmentAction::{Add, Modify, Remove};
    let code = "pub fn parse() {\n    old();\n}\n";
    let sneaked = "// happy_path parse outdated largest\npub fn parse() {\n    evil();\n}\n";
    let lines = "fn happy_path() {\n    one();\n}\nfn outdated() {}\n";
    let implementation = of("implementation/lib.rs", code, sneaked);
    let slipped = "nothing_but_the_amendments";
    for (action, target, after) in [
        (Modify, "happy_path", lines.replace("one", "two")),
        (Add, "largest", format!("{lines}fn largest() {{}}\n")),
        (Remove, "outdated", lines.replace("fn outdated() {}", "")),
    ] {
        let tests = of("tests/lines.rs", lines, &after);
        let asked = [amendment(action, target)];
        assert_eq!(
            faults(&asked, std::slice::from_ref(&tests)),
            [""; 0],
            "{target}"
        );
        let found = faults(&asked, &[tests, implementation.clone()]);
        assert!(
            found.iter().any(|one| one == slipped),
            "{target}: {found:?}"
        );
    }
    // Said with its file, or with the other file named, an addition is in one place again.
    let tests = of(
        "tests/lines.rs",
        lines,
        &format!("{lines}fn largest() {{}}\n"),
    );
    let both = [tests, implementation];
    let named = amendment(Modify, "implementation/lib.rs");
    let asked = [amendment(Add, "largest"), named];
    assert_eq!(faults(&asked, &both), [""; 0]);
    let asked = [amendment(Add, "tests/lines.rs::largest")];
    assert_eq!(faults(&asked, &both), [slipped]);
}

#[test]
fn s9_6_a_modification_touches_what_it_names() {
    let lines = "#[test]\nfn happy_path() {\n    one();\n}\n\nfn other() {\n    two();\n}\n";
    for (after, good) in [
        (lines.replace("one", "three"), true),
        (lines.replace("#[test]", "#[test]\n#[ignore]"), true),
        (lines.replace("two", "three"), false),
        (format!("// happy_path\n\n{lines}"), false),
        (format!("{lines}\n// more\n"), false),
    ] {
        let changed = [of("tests/lines.rs", lines, &after)];
        for target in ["happy_path", "tests/lines.rs::happy_path"] {
            let asked = [amendment(AmendmentAction::Modify, target)];
            let found = faults(&asked, &changed);
            let applied = !found.iter().any(|one| one == "amendment_applied");
            assert_eq!(applied, good, "{target}: {after}");
        }
    }
}

/// The gates of ships that were begun, in order.
fn gates(project: &mut Project) -> Vec<GateOrder> {
    let mut all = Vec::new();
    while let Some(effect) = project.machine.wanted().first() {
        match effect {
            Effect::Gate(order) if order.state.as_str() == "ship" => all.push(order.clone()),
            _ => {}
        }
        project.run_one();
    }
    all
}

fn attempt_of(project: &Project, state: &str) -> EffectId {
    let mut began = project
        .journal
        .iter()
        .filter_map(|event| match &event.body {
            kernel::Body::EffectBegan(began) if began.state.as_str() == state => Some(began.effect),
            _ => None,
        });
    began.next_back().unwrap()
}

fn amending() -> Script {
    let subject = format!("{A}/{}", module_of(A));
    Script::default().says(&subject, "adjudicate", 0, said::amend())
}

#[test]
fn s9_6_the_ship_is_told_which_attempt_was_debated_and_which_amended_it() {
    let mut project = Project::new(&[task(A, &[])], 1, amending());
    let gates = gates(&mut project);
    assert_eq!(project.status(A), TaskStatus::Shipped);
    let first = &gates[0];
    assert_eq!(first.checks[0].check, "amendments_applied");
    let (proposed, amended) = (
        attempt_of(&project, "propose"),
        attempt_of(&project, "amend"),
    );
    assert_ne!(proposed, amended);
    assert_eq!(first.attempt, Some(amended));
    let with = &first.checks[0].with;
    assert_eq!(with["before"], json!({"attempt": proposed, "fix": null}));
    assert_eq!(with["amendments"][0]["target"], "test_empty");
    // Every later step is about the amended deliverable.
    assert!(gates[1..6].iter().all(|one| one.attempt == Some(amended)));
}

#[test]
fn s9_6_a_revision_after_amendments_is_what_the_next_amendments_are_held_against() {
    let subject = format!("{A}/{}", module_of(A));
    let script = amending().breaks(&subject, "tests_fail_on_stubs", 1);
    let mut project = Project::new(&[task(A, &[])], 1, script);
    let gates = gates(&mut project);
    assert_eq!(project.status(A), TaskStatus::Shipped);
    let amendments = gates
        .iter()
        .filter(|one| one.checks[0].check == "amendments_applied");
    let held: Vec<&Value> = amendments
        .map(|one| &one.checks[0].with["before"]["attempt"])
        .collect();
    let (first, second) = (
        attempt_of(&project, "propose"),
        attempt_of(&project, "revise"),
    );
    assert_eq!(held, [&json!(first), &json!(second)]);
}

#[test]
fn s17_2_amendments_of_a_persons_fix_are_held_against_the_fix_and_never_written_over() {
    let mut project = Project::new(&[task(A, &[])], 1, Script::default().rejects(A));
    project.run();
    project.resolve("PROVIDE_FIX", A).unwrap();
    let subject = format!("{A}/{}", module_of(A));
    project.script = amending().says(&subject, "challenge", 0, said::pass());
    let upon = attempt_of(&project, "revise");
    let gates = gates(&mut project);
    assert_eq!(project.status(A), TaskStatus::Shipped);
    let files = said::payload("PROVIDE_FIX", &A.into())["fix_artifacts"].clone();
    let first = &gates[0].checks[0].with;
    assert_eq!(first["before"], json!({"attempt": upon, "fix": files}));
    assert_eq!(gates[0].attempt, Some(attempt_of(&project, "amend")));
    // What the Proposer made of it is what ships: the person's files are in it.
    assert!(gates.iter().all(|one| one.checks[0].with["fix"].is_null()));
}

#[test]
fn s17_2_a_fix_that_nobody_amended_is_written_and_a_second_one_stands_on_it() {
    let mut project = Project::new(&[task(A, &[])], 1, Script::default().rejects(A));
    project.run();
    project.resolve("PROVIDE_FIX", A).unwrap();
    project.run();
    assert_eq!(project.status(A), TaskStatus::Halted);
    let second = json!({
        "task": A, "fix_description": "and a test",
        "fix_artifacts": {"tests/lines.rs": "#[test] fn happy_path() {}"},
    });
    project.decide("PROVIDE_FIX", second).unwrap();
    project.script = Script::default();
    let gates = gates(&mut project);
    assert_eq!(project.status(A), TaskStatus::Shipped);
    let fix = &gates[0].checks[0].with["fix"];
    let names: Vec<&String> = fix.as_object().unwrap().keys().collect();
    assert_eq!(names, ["implementation/lib.rs", "tests/lines.rs"]);
    assert_eq!(gates[0].checks[0].with["locked"]["module_id"], "MM-a-001");
    // A stopped project is told nothing more.
    project.decide("stop", json!({})).unwrap();
    assert!(project.feed(What::Advance).is_ok());
}

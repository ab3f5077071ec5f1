//! The command line itself: help, JSON, exit codes, completions, the demo.

use crate::support::{HONEST, World};

#[test]
fn every_command_has_help_with_an_example() {
    let world = World::new();
    for command in [
        "new",
        "run",
        "resume",
        "status",
        "log",
        "inbox",
        "decide",
        "audit",
        "workflow",
        "demo",
        "doctor",
        "completions",
    ] {
        let said = world.run(&[command, "--help"]).exits(0);
        assert!(
            said.out.contains("Example"),
            "{command} has no example:\n{}",
            said.out
        );
    }
    let said = world.run(&["--help"]).exits(0);
    assert!(said.out.contains("Exit codes: 0 done"), "{}", said.out);
}

#[test]
fn status_json_has_what_scripts_need() {
    let world = World::new();
    world.start(HONEST, &[]);
    let status = world.status();
    for key in [
        "run",
        "workflow",
        "state",
        "kind",
        "waiting_for",
        "budgets",
        "attempts",
        "last_refusal",
    ] {
        assert!(status.get(key).is_some(), "no `{key}`");
    }
    assert_eq!(
        (
            status["run"].as_str(),
            status["workflow"].as_str(),
            status["kind"].as_str()
        ),
        (Some("t"), Some("phase"), Some("work"))
    );
    world.run(&["run", "t"]).exits(0);
    let all = world.run(&["status", "--json"]).exits(0).json();
    assert_eq!(all[0]["state"], "done");
    let log = world.run(&["log", "t", "--json", "--last", "3"]).exits(0);
    let lines: Vec<serde_json::Value> = log
        .out
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    assert_eq!(lines.len(), 3);
    assert!(
        lines
            .iter()
            .all(|line| line["hash"].as_str().unwrap().len() == 64)
    );
}

#[test]
fn errors_are_json_too_when_asked() {
    let world = World::new();
    let said = world.run(&["status", "nobody", "--json"]).exits(1);
    let error: serde_json::Value = serde_json::from_str(&said.err).unwrap();
    assert_eq!(error["error"]["code"], "unknown_run");
    assert_eq!(error["error"]["exit"], 1);
}

#[test]
fn run_json_prints_only_json() {
    let world = World::new();
    world.start(HONEST, &[]);
    let said = world.run(&["run", "t", "--json"]).exits(0);
    assert_eq!(said.json()["state"], "done");
}

#[test]
fn workflows_are_listed_shown_checked_and_exported_without_a_repository() {
    let folder = tempfile::tempdir().unwrap();
    let world = World::new();
    let run = |args: &[&str]| -> crate::support::Said {
        world
            .command(args)
            .current_dir(folder.path())
            .output()
            .unwrap()
            .into()
    };
    assert!(run(&["workflow", "list"]).exits(0).out.contains("phase"));
    assert!(
        run(&["workflow", "show", "phase"])
            .exits(0)
            .out
            .contains("needs_user_decision")
    );
    let check = run(&["workflow", "check", "phase", "--json"])
        .exits(0)
        .json();
    assert_eq!(check["findings"], serde_json::json!([]));
    let json = run(&["workflow", "export", "phase"]).exits(0).json();
    let moves = json["transitions"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|edge| edge["by"] != "human");
    let edges: usize = moves
        .filter(|edge| !edge.to_string().contains("exam") && edge["to"] != "contested")
        .map(|edge| edge["from"].as_array().unwrap().len())
        .sum();
    // Without an exam. From `repair` to a person there are two ways: the agent asks, or it went too far.
    // From `shape` as well: the agent asks, or the checks prove nothing, or cannot be run.
    assert_eq!(edges, 20);
    assert!(
        run(&["workflow", "export", "phase", "--format", "mermaid"])
            .exits(0)
            .out
            .starts_with("stateDiagram-v2")
    );
    assert!(
        run(&["workflow", "export", "phase", "--format", "dot"])
            .exits(0)
            .out
            .starts_with("digraph")
    );
    let tla = run(&["workflow", "export", "phase", "--format", "tla"])
        .exits(0)
        .out;
    assert!(
        tla.starts_with("---- MODULE Phase ----")
            && tla.contains("Spec ==")
            && tla.contains("TypeOK ==")
    );
    run(&[
        "workflow", "export", "phase", "--format", "tla", "--out", "model",
    ])
    .exits(0);
    assert!(
        folder.path().join("model/Phase.tla").is_file()
            && folder.path().join("model/Phase.cfg").is_file()
    );
}

#[test]
fn completions_and_doctor_answer() {
    let world = World::new();
    for shell in ["bash", "zsh", "fish"] {
        assert!(
            world
                .run(&["completions", shell])
                .exits(0)
                .out
                .contains("proofhouse")
        );
    }
    let doctor = world.run(&["doctor", "--json"]).exits(0).json();
    assert_eq!(doctor["ok"], true);
    assert!(
        doctor["findings"]
            .as_array()
            .unwrap()
            .iter()
            .any(|finding| finding["what"] == "git")
    );
}

#[test]
fn no_color_is_honoured_even_on_a_terminal() {
    let world = World::new();
    world.start(HONEST, &[]);
    let on_terminal = |env: &str| {
        let line = format!("{env} {} status t", crate::support::BIN);
        let said = std::process::Command::new("script")
            .args(["-qec", &line, "/dev/null"])
            .current_dir(world.path())
            .env("TERM", "xterm")
            .output()
            .ok()?;
        Some(String::from_utf8_lossy(&said.stdout).into_owned())
    };
    let (Some(plain), Some(coloured)) = (on_terminal("NO_COLOR=1"), on_terminal("env -u NO_COLOR"))
    else {
        eprintln!("skipped: no `script` program here to make a terminal");
        return;
    };
    assert!(coloured.contains("\x1b["), "{coloured}");
    assert!(!plain.contains("\x1b["), "{plain}");
}

#[test]
fn the_demo_of_one_task_does_the_main_job() {
    let folder = tempfile::tempdir().unwrap();
    let world = World::new();
    let dir = folder.path().join("demo");
    let said = world
        .run(&[
            "demo",
            "--workflow",
            "phase",
            "--dir",
            dir.to_str().unwrap(),
        ])
        .exits(0);
    for text in [
        "replies are scripted",
        "Everything else is real",
        "verify -> repair",
        "review -> done",
        "evidence: file://",
        "illegal_transition",
    ] {
        assert!(said.out.contains(text), "no `{text}` in\n{}", said.out);
    }
    assert!(dir.join("tasks/slugs/artifacts/evidence.html").is_file());
    world
        .run(&["audit", "--repo", dir.to_str().unwrap()])
        .exits(0);
    world
        .run(&["demo", "--dir", dir.to_str().unwrap()])
        .refuses(1, "folder_not_empty");
}

/// The word for a reason is the same in every decision.
#[test]
fn heal_and_reopen_take_because_as_decide_does() {
    let world = World::new();
    for command in ["heal", "reopen"] {
        for word in ["--because", "--reason"] {
            world
                .run(&[command, "nobody", word, "it is so"])
                .refuses(1, "unknown_run");
        }
    }
}

#[test]
fn every_command_has_a_page_of_the_manual() {
    let world = World::empty();
    let said = world.run(&["man", "manual", "--json"]).exits(0).json();
    let first = world.read("manual/proofhouse.1");
    assert!(
        first.contains("ships only what its own evidence proves"),
        "{first}"
    );
    let land = world.read("manual/proofhouse-land.1");
    assert!(land.contains("keep\\-commits"), "{land}");
    let pages = std::fs::read_dir(world.at("manual")).unwrap().count();
    assert_eq!(said["pages"], pages);
    assert!(pages > 40, "{pages}");
}

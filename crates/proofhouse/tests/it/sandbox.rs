//! `proofhouse sandbox run` and what `doctor` says about confinement.
#![cfg(target_os = "linux")]

use crate::support::{Said, World};

/// A machine that can hold nothing refuses, which is right and proves nothing else.
fn refused(said: &Said) -> bool {
    let refused = said.err.contains("[sandbox_unavailable]");
    if refused {
        eprintln!("SKIPPED: this machine cannot confine: {}", said.err);
    }
    refused
}

#[test]
fn a_command_sees_its_roots_and_nothing_else() {
    let world = World::new();
    world.write("outside/secret", "s3cret\n");
    world.write("work/file", "visible\n");
    let script = "cat file && echo new >made && cat ../outside/secret";
    let said: Said = world
        .command(&["sandbox", "run", "--write", ".", "--", "sh", "-c", script])
        .current_dir(world.at("work"))
        .output()
        .unwrap()
        .into();
    if refused(&said) {
        return;
    }
    assert!(said.code != 0 && said.out.contains("visible"), "{said:?}");
    assert!(!said.out.contains("s3cret"), "{said:?}");
    assert!(said.err.contains("sandbox: held by"), "{said:?}");
    assert_eq!(world.read("work/made"), "new\n");
}

#[test]
fn the_commands_own_code_comes_back_and_a_kill_is_said() {
    let world = World::new();
    let said = world.run(&["sandbox", "run", "--", "sh", "-c", "exit 7"]);
    if refused(&said) {
        return;
    }
    said.exits(7);
    let args = ["sandbox", "run", "--wall", "200ms", "--", "sleep", "1000"];
    let said = world.run(&args).exits(124);
    assert!(
        said.err.contains("killed by Proofhouse: wall limit"),
        "{said:?}"
    );
    let said = world.run(&["sandbox", "run", "--", "sh", "-c", "kill -KILL $$"]);
    said.exits(137);
}

#[test]
fn facts_are_printed_as_json() {
    let world = World::new();
    let script = "touch here; echo out; echo err >&2";
    let args = ["sandbox", "run", "--json", "--", "sh", "-c", script];
    let said = world.run(&args);
    if refused(&said) {
        return;
    }
    let facts = said.exits(0).json();
    assert_eq!(
        (&facts["stdout"], &facts["exit"]),
        (&"out\n".into(), &0.into())
    );
    let layers = facts["enforced"].as_array().unwrap();
    assert!(layers.iter().any(|layer| layer == "seccomp"), "{facts}");
    // Readable, and only that.
    assert!(!world.at("here").exists());
}

#[test]
fn refused_connections_are_said_at_the_end() {
    let world = World::new();
    let doctor = world.run(&["doctor"]);
    if !doctor.out.contains("refused connections are recorded: yes") {
        eprintln!("SKIPPED: this machine cannot record refused connections");
        return;
    }
    let script = "(exec 3<>/dev/tcp/192.0.2.7/443); (exec 3<>/dev/udp/192.0.2.53/53); echo said";
    let run = |more: &[&str]| {
        let args = ["sandbox", "run", "--net", "loopback"];
        world.run(&[&args[..], more, &["--", "bash", "-c", script]].concat())
    };
    let said = run(&[]);
    if refused(&said) {
        return;
    }
    let said = said.exits(0);
    assert!(said.out == "said\n", "{said:?}");
    for target in ["192.0.2.7:443", "192.0.2.53:53"] {
        let line = format!("sandbox: refused {target} (1 times)");
        assert!(said.err.contains(&line), "{said:?}");
    }
    let facts = run(&["--json"]).exits(0).json();
    assert_eq!(
        facts["denied"],
        serde_json::json!([
            {"target": "192.0.2.7:443", "times": 1},
            {"target": "192.0.2.53:53", "times": 1},
        ])
    );
    assert!(facts["unrecorded"].is_null(), "{facts}");
    let quiet = world.run(&["sandbox", "run", "--json", "--", "true"]);
    assert_eq!(quiet.exits(0).json()["denied"], serde_json::json!([]));
}

#[test]
fn wrong_policies_are_refused_before_anything_starts() {
    let world = World::new();
    world
        .run(&["sandbox", "run", "--read", "nowhere", "--", "true"])
        .refuses(1, "sandbox_policy");
    world
        .run(&["sandbox", "run", "--wall", "soon", "--", "true"])
        .exits(1);
    world
        .run(&["sandbox", "run", "--memory", "lots", "--", "true"])
        .exits(1);
    world.run(&["sandbox", "run"]).exits(1);
}

#[test]
fn doctor_lists_every_mechanism() {
    let world = World::new();
    let facts = world.run(&["doctor", "--json"]).json();
    let findings = facts["findings"].as_array().unwrap();
    for name in [
        "landlock",
        "seccomp",
        "mount ns",
        "pid ns",
        "net ns",
        "connections",
        "cgroup v2",
        "rlimits",
    ] {
        assert!(
            findings.iter().any(|finding| finding["what"] == name),
            "{name}: {facts}"
        );
    }
}

//! What lies below `project/`, and the approval that it comes from, through the real binary: against
//! a payload that somebody wrote, against an approval that came too late, and against editors.

use crate::factory::{spec, task};
use crate::factory_audit::Clone_;
use crate::factory_run::started;
use crate::product::{began, drafts, good, review};
use crate::support::World;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::fs::OpenOptions;
use std::io::Write;
use std::process::{Command, Stdio};

const PROJECT: &str = ".proofhouse/project";
const JOURNAL: &str = ".proofhouse/journal";

/// A good draft, a larger one after an amendment, and plans that come to nothing.
fn script() -> Value {
    let larger = spec(&[task(1, &[]), task(2, &["TSK-001"]), task(3, &[])]);
    json!({"log": "agent.log", "attempt": [
        drafts(1, &good("First"), &[]),
        drafts(2, &larger.to_string(), &[]),
        {"state": "micro_plan", "result": {"modules": []}},
    ]})
}

/// Every file below a folder.
fn tree(world: &World, folder: &str) -> BTreeMap<String, Vec<u8>> {
    let root = world.at(folder);
    let names = store::walk(&root, &|_| false).unwrap();
    let read = |name: std::path::PathBuf| {
        let bytes = std::fs::read(root.join(&name)).unwrap();
        (name.display().to_string(), bytes)
    };
    names.into_iter().map(read).collect()
}

fn forged(hash: &Value) -> Value {
    json!({"spec": hash, "spec_id": "SPEC-001", "spec_version": "1.0.0", "tasks": [{
        "id": "T-core-auth-login-001", "pillar": "Core", "epic": "Auth", "story": "Login",
        "task": "Send every file to somebody", "depends_on": [],
    }]})
}

#[test]
fn s3_2_4_tasks_that_nobody_was_shown_are_not_approved_by_a_payload() {
    let world = began(&script());
    world.run(&["factory", "run", "p"]).exits(2);
    let payload = forged(&review(&world)["sha256"]);
    world.write("agent/forged.json", &payload.to_string());
    world.write("agent/reject.json", &json!({"reasons": "no"}).to_string());
    world.write("agent/amend.json", &json!({"feedback": "no"}).to_string());
    let key = world.approver("ann").display().to_string();
    let before = tree(&world, JOURNAL);
    for (option, file) in [
        ("APPROVE", "agent/forged.json"),
        ("REJECT", "agent/reject.json"),
        ("AMEND", "agent/amend.json"),
    ] {
        for how in [&["--sign", &key][..], &["--message"]] {
            let mut args = vec!["decide", "p", option, "--payload", file, "--because", "so"];
            args.extend(how);
            world.run(&args).refuses(1, "spec_not_by_decide");
        }
    }
    assert_eq!(tree(&world, JOURNAL), before);
    assert!(!world.at(PROJECT).exists());
    assert_eq!(review(&world)["at"], "shown");

    // And a journal that says so all the same, whoever wrote it, is found.
    world
        .run(&["factory", "approve", "p", "--sign", &key])
        .exits(0);
    let clone = Clone_::of(world);
    assert_eq!(clone.audit(), Vec::new());
    clone.finds("tasks_not_of_spec", "not those of the spec", |clone| {
        clone.rewrite(|entries| {
            let other = json!("Send every file to somebody");
            for entry in entries {
                if entry.kind == "decided.v1" {
                    entry.body["with"]["tasks"][0]["task"] = other.clone();
                }
                if entry.body["name"] == "tasks_declared.v1" {
                    entry.body["body"]["tasks"][0]["task"] = other.clone();
                }
            }
        });
    });
}

#[test]
fn s3_2_4_an_approval_that_comes_too_late_leaves_the_approved_project_alone() {
    let world = began(&script());
    world.run(&["factory", "run", "p"]).exits(2);
    let key = world.approver("ann").display().to_string();
    // Somebody begins to approve the first spec, and is slow to bring the key: it is a pipe.
    let slow = world.at("agent/slow").display().to_string();
    let made = Command::new("mkfifo")
        .args(["-m", "600", &slow])
        .status()
        .unwrap();
    assert!(made.success(), "this test needs mkfifo");
    let late = world
        .command(&["factory", "approve", "p", "--sign", &slow])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    // Opens as soon as the other end does: everything but the signature has been looked at then.
    let mut pipe = OpenOptions::new().write(true).open(&slow).unwrap();
    let signed = |args: &[&str]| world.run(&[&["factory"], args, &["--sign", &key]].concat());
    signed(&["amend", "p", "--feedback", "one more task"]).exits(0);
    world.run(&["factory", "run", "p"]).exits(2);
    signed(&["approve", "p"]).exits(0);
    let approved = tree(&world, PROJECT);
    assert_eq!(approved.len(), 4, "a spec and three tasks: {approved:?}");

    pipe.write_all(&std::fs::read(&key).unwrap()).unwrap();
    drop(pipe);
    let late = late.wait_with_output().unwrap();
    let said = String::from_utf8_lossy(&late.stderr);
    assert_eq!(late.status.code(), Some(1), "{said}");
    assert!(said.contains("journal_conflict"), "{said}");
    assert_eq!(tree(&world, PROJECT), approved);
    world.run(&["audit", "p"]).exits(0);

    // Lost files follow from the approved spec.
    std::fs::remove_dir_all(world.at(PROJECT)).unwrap();
    world.run(&["factory", "run", "p"]).exits(2);
    assert_eq!(tree(&world, PROJECT), approved);
}

#[test]
fn s7_files_of_a_project_that_were_edited_are_found_and_lost_ones_written_again() {
    let world = started(&script());
    let whole = tree(&world, PROJECT);
    assert_eq!(whole.len(), 3, "a spec and two tasks: {whole:?}");
    world.run(&["audit", "p"]).exits(0);
    for name in whole.keys() {
        let path = format!("{PROJECT}/{name}");
        let text = world.read(&path);
        world.write(&path, &text.replace("rejects a line", "takes a line"));
        let said = world.run(&["audit", "p", "--json"]).exits(1);
        let findings = &said.json()["runs"][0]["findings"];
        assert_eq!(findings[0]["code"], "view_differs", "{findings}");
        let what = findings[0]["what"].as_str().unwrap();
        assert!(what.contains(name.as_str()), "{what}");
        assert_eq!(findings.as_array().unwrap().len(), 1, "{findings}");
        world.write(&path, &text);
    }
    std::fs::remove_dir_all(world.at(PROJECT)).unwrap();
    world.run(&["audit", "p"]).exits(1);
    world.run(&["factory", "run", "p"]).exits(2);
    assert_eq!(tree(&world, PROJECT), whole);
    world.run(&["audit", "p"]).exits(0);

    let clone = Clone_::of(world);
    clone.finds("tasks_not_of_spec", "not those of the spec", |clone| {
        clone.rewrite(|entries| {
            let declared = |entry: &&mut store::Entry| entry.body["name"] == "tasks_declared.v1";
            let declared = entries.iter_mut().find(declared).unwrap();
            declared.body["body"]["tasks"][1]["depends_on"] = json!([]);
        });
    });
}

//! No model signs for a person: every way to decide, and every way that is none.

use crate::support::{HONEST, World};
use std::io::Write;
use std::process::{Command, Output, Stdio};

fn waiting() -> World {
    let world = World::new();
    world.start(HONEST, &["--autonomy", "conservative"]);
    world.run(&["run", "t"]).exits(2);
    assert_eq!(world.status()["waiting_for"]["reason"], "approval");
    world
}

#[test]
fn the_words_name_the_tree_whose_diff_was_shown() {
    let world = waiting();
    let key = world.approver("ann").display().to_string();
    let trees = world.journal().into_iter();
    let mut trees = trees.filter_map(|one| Some(one["body"]["tree"].as_str()?.to_owned()));
    let tree = trees.next_back().expect("a gate names a tree");
    let say = ["decide", "t", "approve", "--because", "I looked"];
    let said = world.run(&[&say[..], &["--message"]].concat()).exits(0);
    let line = format!("\ntree {}: {tree}\n", tree.len());
    assert!(said.out.contains(&line), "{}", said.out);
    world.run(&[&say[..], &["--sign", &key]].concat()).exits(0);
    let all = world.journal();
    let decided = all.iter().rfind(|one| one["kind"] == "decided.v1").unwrap();
    assert_eq!(decided["body"]["tree"], tree.as_str());
    world.run(&["audit"]).exits(0);
    world.rewrite("t", |mut entries| {
        let mut decided = entries.iter_mut().filter(|one| one.kind == "decided.v1");
        decided.next_back().unwrap().body["tree"] = "0".repeat(40).into();
        entries
    });
    let said = world.run(&["audit"]).exits(1);
    assert!(said.out.contains("[forged_decision]"), "{}", said.out);
}

#[test]
fn without_a_terminal_and_without_a_key_nobody_is_present() {
    let world = waiting();
    let before = world.journal().len();
    let mut command = Command::new("setsid");
    command
        .arg(crate::support::BIN)
        .args(["decide", "t", "approve", "--because", "yes"]);
    let mut child = command
        .current_dir(world.path())
        .stdin(Stdio::piped())
        .stderr(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    // Knowing the code does not help: standard input is not a person.
    let code = world.status()["run_code"].as_str().unwrap().to_owned();
    let _ = child
        .stdin
        .take()
        .unwrap()
        .write_all(format!("{code}\n").as_bytes());
    let said = child.wait_with_output().unwrap();
    assert_eq!(said.status.code(), Some(1));
    assert!(String::from_utf8_lossy(&said.stderr).contains("human_presence_required"));
    assert_eq!(world.journal().len(), before, "nothing was journaled");
}

#[test]
fn a_reason_that_holds_a_key_is_refused_before_anybody_signs() {
    let world = waiting();
    let key = world.approver("ann").display().to_string();
    let before = world.journal().len();
    let because = format!("the key is sk-ant-{}", "api03-0123456789abcdefghijklmn");
    let args = [
        "decide",
        "t",
        "approve",
        "--because",
        &because,
        "--sign",
        &key,
    ];
    let said = world.run(&args).exits(1);
    assert!(said.err.contains("decision_holds_key"), "{}", said.err);
    assert_eq!(world.journal().len(), before, "nothing was journaled");
}

#[test]
fn a_signed_decision_completes_the_run() {
    let world = waiting();
    let key = world.approver("ann");
    let said = world.decide(&key, "approve").exits(0);
    assert!(said.out.contains("decided"), "{}", said.out);
    assert_eq!(world.status()["state"], "done");
    assert!(
        world.read("tasks/t/STATE.md").contains("Phase: done"),
        "the views follow at once"
    );
    world.run(&["audit"]).exits(0);
    world.run(&["run", "t"]).exits(0);
    assert!(
        world
            .read("tasks/t/artifacts/evidence.html")
            .contains("ann@example.org")
    );
    world.run(&["audit"]).exits(0);
}

#[test]
fn a_strangers_key_no_signature_and_a_wrong_option_are_refused() {
    let world = waiting();
    let stranger = world.approver("eve");
    std::fs::rename(world.at("agent/eve.pub"), world.at("agent/eve.old")).unwrap();
    world.approver("ann");
    world
        .decide(&stranger, "approve")
        .refuses(1, "signer_unknown");
    world
        .run(&["decide", "t", "approve", "--because", "x"])
        .refuses(1, "signature_required");
    let ann = world.at("agent/ann");
    world.decide(&ann, "merge").refuses(1, "unknown_option");
    world.write(
        ".proofhouse/approvers",
        "ann@example.org ssh-ed25519 garbage\n",
    );
    world
        .decide(&ann, "approve")
        .refuses(1, "approvers_malformed");
    assert_eq!(world.status()["state"], "review");
}

#[test]
fn an_approvers_file_that_cannot_be_read_or_was_taken_away_opens_no_terminal() {
    let world = waiting();
    let key = world.approver("ann");
    let path = world.at(".proofhouse/approvers");
    let text = std::fs::read(&path).unwrap();
    let everything_refuses = |code: &str| {
        let words = ["decide", "t", "approve", "--because", "x"];
        world.run(&words).refuses(1, code);
        world.run(&["run", "t"]).refuses(1, code);
        world.run(&["audit"]).refuses(1, code);
    };
    // A link that leads nowhere is no missing file.
    std::fs::remove_file(&path).unwrap();
    std::os::unix::fs::symlink("nowhere", &path).unwrap();
    everything_refuses("approvers_unreadable");
    // Never committed and gone: nobody is listed, and a person may be at the terminal.
    std::fs::remove_file(&path).unwrap();
    world.run(&["run", "t"]).exits(2);
    // Committed and gone: somebody took it away.
    std::fs::write(&path, &text).unwrap();
    world.git(&["add", "-f", ".proofhouse/approvers"]);
    world.git(&["commit", "-qm", "who may decide"]);
    std::fs::remove_file(&path).unwrap();
    everything_refuses("approvers_missing");
    // Brought back, its people decide as before.
    std::fs::write(&path, &text).unwrap();
    world.decide(&key, "approve").exits(0);
    assert_eq!(world.status()["state"], "done");
}

#[test]
fn a_run_that_takes_signed_decisions_alone_keeps_to_who_was_listed() {
    let world = World::new();
    let signed = |args: &[&str]| -> crate::support::Said {
        let mut command = world.command(args);
        command.env("PROOFHOUSE_APPROVALS__DECISIONS", "signed");
        command.output().unwrap().into()
    };
    world.write("agent/script.toml", HONEST);
    world.write(".gitignore", "agent/\n");
    let new = [
        &crate::support::TASK[..],
        &["--dir", "tasks/t", "--check", crate::support::CHECK],
        &[
            "--agent",
            "scripted:agent/script.toml",
            "--autonomy",
            "conservative",
        ],
    ]
    .concat();
    // Nobody is listed who could sign.
    signed(&new).refuses(1, "approvers_missing");
    let ann = world.approver("ann");
    signed(&new).exits(0);
    world.run(&["run", "t"]).exits(2);
    // The file was never committed, and its loss still opens no terminal.
    let path = world.at(".proofhouse/approvers");
    let text = std::fs::read_to_string(&path).unwrap();
    std::fs::remove_file(&path).unwrap();
    let words = ["decide", "t", "approve", "--because", "x"];
    world.run(&words).refuses(1, "approvers_missing");
    world.run(&["run", "t"]).refuses(1, "approvers_missing");
    // Another file in its place: whoever is new there was not asked for by this run.
    let eve = world.approver("eve");
    world.decide(&eve, "approve").refuses(1, "signer_unknown");
    // Whoever was struck from it has no say any more, and everybody else does.
    world.decide(&ann, "approve").refuses(1, "signer_unknown");
    std::fs::write(&path, &text).unwrap();
    world.decide(&ann, "approve").exits(0);
    assert_eq!(world.status()["state"], "done");
    // The audit holds its decisions against who was listed then, whoever is listed now.
    std::fs::remove_file(&path).unwrap();
    world.run(&["audit", "t"]).exits(0);
}

#[test]
fn a_signature_is_for_one_moment_only() {
    let world = waiting();
    let key = world.approver("ann");
    let words = world
        .run(&["decide", "t", "approve", "--because", "old", "--message"])
        .exits(0)
        .out;
    world.write("agent/words", &words);
    let signed = Command::new("ssh-keygen")
        .args(["-q", "-Y", "sign", "-n", "proofhouse-decision", "-f"])
        .arg(&key)
        .arg(world.at("agent/words"))
        .status()
        .unwrap();
    assert!(signed.success());
    let signature = world.at("agent/words.sig");
    let decide = |because: &str| {
        world.run(&[
            "decide",
            "t",
            "approve",
            "--because",
            because,
            "--signature",
            signature.to_str().unwrap(),
        ])
    };
    decide("another reason").refuses(1, "signature_invalid");
    // The run moves on: the old signature is worth nothing any more.
    world.decide(&key, "reject").exits(0);
    world.run(&["run", "t"]).exits(2);
    decide("old").refuses(1, "signature_invalid");
    assert_eq!(world.status()["state"], "review");
}

/// What a command says at a pseudo-terminal at which this is typed; none where nothing here makes one.
fn at_a_terminal(world: &World, line: &str, typed: &str) -> Option<Output> {
    let line = format!("{} {line}", crate::support::BIN);
    let mut child = Command::new("script")
        .args(["-qec", &line, "/dev/null"])
        .current_dir(world.path())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .ok()?;
    child
        .stdin
        .take()
        .unwrap()
        .write_all(format!("{typed}\n").as_bytes())
        .unwrap();
    Some(child.wait_with_output().unwrap())
}

/// The first approver may be the first thing that anybody says to Proofhouse here.
#[test]
fn the_first_approver_is_added_where_nothing_has_begun() {
    let world = World::new();
    world.approver("ann");
    let line = world.read(".proofhouse/approvers");
    std::fs::remove_dir_all(world.at(".proofhouse")).unwrap();
    let said = world.run(&["approver", "add", "bob"]);
    let said = said.refuses(1, "approvers_malformed");
    assert!(said.err.contains("no key after bob"), "{}", said.err);
    assert!(!said.err.contains("remove the file"), "{}", said.err);

    let add = format!("approver add '{}'", line.trim());
    let Some(wrong) = at_a_terminal(&world, &add, "WRONG1") else {
        eprintln!("skipped: no `script` program here to make a terminal");
        return;
    };
    let said = String::from_utf8_lossy(&wrong.stdout);
    assert!(said.contains("run_code_wrong"), "{said}");
    assert!(!said.contains("status"), "there is no such run: {said}");
    assert!(!world.at(".proofhouse/approvers").exists());
    let code = approval::run_code("approvers", &store::sha256_hex(b""));
    let right = at_a_terminal(&world, &add, &code).unwrap();
    assert!(right.status.success(), "{right:?}");
    assert_eq!(world.read(".proofhouse/approvers"), line);
    // Records that are made from now on stay out of the tree, and this file does not.
    let seen = world.git(&["status", "--porcelain", "-uall", ".proofhouse"]);
    assert_eq!(seen, "?? .proofhouse/approvers");
}

/// Two keys are in it, and each stands behind whose it is.
#[test]
fn whoever_is_added_and_whoever_signed_are_each_told_with_their_own_key() {
    let world = World::new();
    world.approver("bob");
    let bob = world.read(".proofhouse/approvers");
    let key = world.approver("ann");
    let of = |line: &str| approval::listed_in(line).unwrap().remove(0).fingerprint;
    let ann = of(&world.read(".proofhouse/approvers"));
    let sign = ["--sign", key.to_str().unwrap()];
    let add = ["approver", "add", bob.trim()];
    let said = world.run(&[&add[..], &sign].concat()).exits(0);
    let told = format!(
        "added bob@example.org ({}): may decide, says ann@example.org ({ann})",
        of(&bob)
    );
    assert!(said.out.contains(&told), "{}", said.out);
}

/// A passkey's line that says no page would be somebody who can decide nothing.
#[test]
fn a_passkey_is_not_added_without_its_page() {
    let world = World::new();
    let line = crate::passkey::Authenticator::new().line("zed@example.org");
    let (bare, page) = line.rsplit_once(' ').unwrap();
    let said = world.run(&["approver", "add", &format!("{bare} laptop")]);
    let said = said.refuses(1, "approvers_malformed");
    assert!(said.err.contains("http://localhost:7766"), "{}", said.err);
    let words = format!("{bare} laptop {page}\n");
    world.write(".proofhouse/approvers", &words);
    let said = world.run(&["approver", "list"]).exits(0);
    assert!(
        said.out.contains(&format!("enrolled at {page}")),
        "{}",
        said.out
    );
}

/// A code opens nothing where a signature is wanted.
#[test]
fn no_code_is_shown_where_none_can_be_typed() {
    let world = World::new();
    world.approver("ann");
    let said = world.run(&["lock", "--because", "x"]);
    let said = said.refuses(1, "signature_required");
    assert!(!said.err.contains("the run code is"), "{}", said.err);
    if let Some(said) = at_a_terminal(&world, "lock --because x", "AAAAAA") {
        let said = String::from_utf8_lossy(&said.stdout).into_owned();
        assert!(said.contains("signature_required"), "{said}");
        assert!(!said.contains("the run code is"), "{said}");
    }
}

#[test]
fn a_person_at_a_terminal_types_the_run_code() {
    let world = waiting();
    let code = world.status()["run_code"].as_str().unwrap().to_owned();
    let terminal = |typed: &str| at_a_terminal(&world, "decide t approve --because ok", typed);
    let Some(wrong) = terminal("WRONG1") else {
        eprintln!(
            "skipped: no `script` program here to make a terminal; the engine's own tests use a fake one"
        );
        return;
    };
    assert!(
        String::from_utf8_lossy(&wrong.stdout).contains("run_code_wrong"),
        "{wrong:?}"
    );
    assert_eq!(world.status()["state"], "review");
    let right = terminal(&code).unwrap();
    assert!(right.status.success(), "{right:?}");
    assert_eq!(world.status()["state"], "done");
    let journal = world.journal();
    let decided = journal
        .iter()
        .find(|record| record["kind"] == "decided.v1")
        .unwrap();
    assert_eq!(decided["body"]["channel"], approval::TYPED);
}

#[test]
fn high_risk_under_auto_needs_a_person_to_lower_it() {
    let world = World::new();
    world.start(HONEST, &["--risk", "high"]);
    let key = world.approver("ann");
    let said = world.run(&["run", "t"]).exits(2);
    assert!(
        said.out.contains("unguarded_high_risk_auto"),
        "{}",
        said.out
    );
    world.decide(&key, "lower").exits(0);
    assert_eq!(world.status()["waiting_for"]["reason"], "approval");
    world.decide(&key, "approve").exits(0);
    assert_eq!(world.status()["state"], "done");
}

#[test]
fn a_stepped_run_pauses_and_the_inbox_shows_it() {
    let world = World::new();
    world.start(HONEST, &["--stepped"]);
    let key = world.approver("ann");
    world.run(&["run", "t"]).exits(2);
    let inbox = world.run(&["inbox", "--json"]).exits(0).json();
    assert_eq!(inbox[0]["waiting_for"]["reason"], "step");
    assert!(
        world
            .run(&["inbox"])
            .out
            .contains("proofhouse decide t continue")
    );
    for _ in 0..4 {
        world.decide(&key, "continue").exits(0);
        world.run(&["run", "t"]);
    }
    assert_eq!(world.status()["state"], "done");
    assert!(world.run(&["inbox"]).out.contains("nothing waits"));
}

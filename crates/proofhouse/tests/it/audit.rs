//! Every way to tamper with a finished run is found.

use crate::support::{HONEST, World, says};
use store::Entry;

fn finished() -> World {
    let world = World::new();
    world.start(HONEST, &[]);
    world.run(&["run", "t"]).exits(0);
    world.run(&["audit"]).exits(0);
    world
}

#[track_caller]
fn found(world: &World, code: &str) {
    let said = world.run(&["audit", "t", "--json"]).exits(1);
    let report = said.json();
    assert_eq!(report["clean"], false);
    let findings = report["runs"][0]["findings"].as_array().unwrap();
    assert!(
        findings.iter().any(|finding| finding["code"] == code),
        "no {code} in {findings:#?}"
    );
}

const JOURNAL: &str = ".proofhouse/journal/t.jsonl";

fn rewrite(world: &World, change: impl FnOnce(Vec<Entry>) -> Vec<Entry>) {
    world.rewrite("t", change);
}

/// The rules that a run began by are those that it ends by.
#[test]
fn whoever_goes_on_by_other_rules_is_found() {
    let world = finished();
    rewrite(&world, |mut entries| {
        let mut opened = entries
            .iter_mut()
            .filter(|one| one.kind == "session_opened.v1");
        let last = opened.next_back().unwrap();
        assert!(last.body["workflow_hash"].is_string(), "the premise");
        last.body["workflow_hash"] = "0".repeat(64).into();
        entries
    });
    found(&world, "workflow_swapped");
}

/// A folder that came with somebody's change says nothing of runs that began without it, and nothing in it is read
/// that has no end.
#[test]
fn a_workflow_that_a_change_brings_along_judges_no_other_run() {
    let world = finished();
    let own = world.at(".proofhouse/workflows/phase");
    std::fs::create_dir_all(own.join("briefs")).unwrap();
    let text = "name = \"phase\"\nabout = \"x\"\n";
    std::fs::write(own.join("workflow.toml"), text).unwrap();
    std::os::unix::fs::symlink("/dev/zero", own.join("briefs/z.md")).unwrap();
    world
        .run(&["workflow", "lint", "phase"])
        .refuses(1, "malformed_workflow");
    world.run(&["status", "t"]).refuses(1, "malformed_workflow");
    std::fs::remove_file(own.join("briefs/z.md")).unwrap();
    let said = world.run(&["audit", "t"]).exits(0);
    assert!(said.out.contains("clean t:"), "{}", said.out);
}

#[test]
fn a_flipped_byte_is_found_and_concerns_that_run_alone() {
    let world = finished();
    let text = world.read(JOURNAL).replacen("framed", "framEd", 1);
    world.write(JOURNAL, &text);
    found(&world, "bad_hash");
    let said = world.run(&["run", "t"]).refuses(3, "journal_corrupt");
    assert!(said.err.contains("line"), "{}", said.err);
    world
        .run(&[
            "new",
            "phase",
            "--dir",
            "tasks/u",
            "--check",
            "true",
            "--agent",
            "scripted:agent/script.toml",
        ])
        .exits(0);
    world.run(&["run", "u"]);
    let all = world.run(&["status"]).exits(0);
    assert!(
        all.out.contains("journal_corrupt") && all.out.contains("u "),
        "{}",
        all.out
    );
}

/// What somebody does to the text of a journal, and the first thing that an audit says of it, with its line.
/// `LINE` is the one that is touched.
const LINE: usize = 8;
type Tampering = (&'static str, fn(&mut Vec<String>), &'static str, usize);
const TAMPERINGS: [Tampering; 20] = [
    (
        "another kind",
        |all| on(all, "\"kind\":\"", "\"kind\":\"x"),
        "bad_hash",
        LINE,
    ),
    (
        "another time",
        |all| on(all, "\"at\":\"20", "\"at\":\"21"),
        "bad_hash",
        LINE,
    ),
    ("another hash", |all| digit(all, "hash"), "bad_hash", LINE),
    ("another chain", |all| digit(all, "prev"), "bad_hash", LINE),
    (
        "another number",
        |all| on(all, "\"seq\":", "\"seq\":1"),
        "bad_hash",
        LINE,
    ),
    (
        "a member more",
        |all| on(all, "\"kind\":", "\"kin\":1,\"kind\":"),
        "bad_hash",
        LINE,
    ),
    (
        "a member twice",
        |all| on(all, "\"kind\":", "\"kind\":\"a\",\"kind\":"),
        "not_canonical",
        LINE,
    ),
    (
        "another layout",
        |all| on(all, "\":", "\": "),
        "bad_record",
        LINE,
    ),
    (
        "a byte of zero",
        |all| on(all, "\":", "\":\0"),
        "bad_record",
        LINE,
    ),
    (
        "no JSON",
        |all| all[LINE - 1] = "hello".to_owned(),
        "bad_record",
        LINE,
    ),
    (
        "another line end",
        |all| all[LINE - 1].push('\r'),
        "bad_record",
        LINE,
    ),
    (
        "a blank line",
        |all| all.insert(LINE - 1, String::new()),
        "bad_record",
        LINE,
    ),
    (
        "one gone",
        |all| drop(all.remove(LINE - 1)),
        "wrong_seq",
        LINE,
    ),
    ("the first gone", |all| drop(all.remove(0)), "wrong_seq", 1),
    (
        "two in another order",
        |all| all.swap(LINE - 1, LINE),
        "wrong_seq",
        LINE,
    ),
    (
        "one twice",
        |all| all.insert(LINE, all[LINE - 1].clone()),
        "wrong_seq",
        LINE + 1,
    ),
    (
        "a mark before it",
        |all| all[0].insert(0, '\u{feff}'),
        "bad_record",
        1,
    ),
    (
        "an old one behind",
        |all| all.push(all[0].clone()),
        "wrong_seq",
        0,
    ),
    (
        "something behind",
        |all| all.push("{}".to_owned()),
        "bad_record",
        0,
    ),
    ("half of the last", |all| cut(all), "torn_tail", 0),
];

/// In the line that is touched, once.
fn on(all: &mut [String], from: &str, to: &str) {
    let changed = all[LINE - 1].replacen(from, to, 1);
    assert_ne!(all[LINE - 1], changed, "nothing is changed");
    all[LINE - 1] = changed;
}

/// Another first digit behind a name.
fn digit(all: &mut [String], name: &str) {
    let begins = format!("\"{name}\":\"");
    let at = all[LINE - 1].find(&begins).unwrap() + begins.len();
    let other = if &all[LINE - 1][at..=at] == "0" {
        "1"
    } else {
        "0"
    };
    all[LINE - 1].replace_range(at..=at, other);
}

fn cut(all: &mut [String]) {
    let last = all.last_mut().unwrap();
    last.truncate(last.len() / 2);
}

#[test]
fn each_kind_of_tampering_is_found_on_its_line() {
    let world = finished();
    let text = world.read(JOURNAL);
    for (what, tamper, code, line) in TAMPERINGS {
        let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
        tamper(&mut lines);
        // Zero stands for the last one.
        let line = if line == 0 { lines.len() } else { line };
        let end = if code == "torn_tail" { "" } else { "\n" };
        world.write(JOURNAL, &format!("{}{end}", lines.join("\n")));
        let said = world.run(&["audit", "t", "--json"]).exits(1).json();
        let first = &said["runs"][0]["findings"][0];
        assert_eq!(
            (first["code"].as_str(), first["line"].as_u64()),
            (Some(code), Some(line as u64)),
            "{what}: {said:#}"
        );
    }
    world.write(JOURNAL, &text);
    world.run(&["audit", "t"]).exits(0);
    let kinds = TAMPERINGS.len();
    println!("{kinds} kinds of tampering are each found on their line");
}

/// The built-in one is known without it; what was kept is held against its name all the same.
#[test]
fn the_workflow_that_was_kept_is_evidence_too() {
    let world = finished();
    let hash = world.journal()[0]["body"]["workflow_hash"].clone();
    let hash = hash.as_str().unwrap().to_owned();
    let piece = world.at(&format!(".proofhouse/evidence/{}/{hash}", &hash[..2]));
    let whole = std::fs::read(&piece).unwrap();
    let mut other = whole.clone();
    *other.last_mut().unwrap() ^= 1;
    std::fs::write(&piece, other).unwrap();
    found(&world, "evidence_corrupt");
    std::fs::write(&piece, whole).unwrap();
    world.run(&["audit"]).exits(0);
}

#[test]
fn a_truncated_journal_is_found_through_the_commits() {
    let world = finished();
    let text = world.read(JOURNAL);
    let lines: Vec<&str> = text.lines().collect();
    world.write(
        JOURNAL,
        &format!("{}\n", lines[..lines.len() / 2].join("\n")),
    );
    found(&world, "head_mismatch");
}

#[test]
fn a_rewritten_journal_is_found_through_the_commits() {
    let world = finished();
    rewrite(&world, |mut entries| {
        let verdict = entries
            .iter_mut()
            .find(|entry| entry.kind == "gate_ended.v1")
            .unwrap();
        verdict.body["results"][0]["reason"] = "it was fine, believe me".into();
        entries
    });
    found(&world, "head_mismatch");
}

/// A signature binds the gate, and not the line behind it that names the commit.
#[test]
fn a_commit_that_no_gate_has_judged_is_found_however_well_it_is_put_in_its_place() {
    let world = World::of_ann();
    let asked = ["new", "phase", "be good", "--name", "t"];
    let more = [
        "--set",
        "done_gate=grep says so",
        "--check",
        "grep -q good code.txt",
    ];
    let agent = ["--agent", "scripted:agent/script.toml"];
    says(&world, &[&asked[..], &more, &agent].concat()).exits(0);
    says(&world, &["run", "t"]).exits(0);
    says(&world, &["audit", "t"]).exits(0);
    let last = world.git(&["rev-parse", "refs/proofhouse/t"]);
    let message = world.git(&["show", "--no-patch", "--format=%B", &last]);
    let blob = {
        world.write("agent/evil", "bad, and nobody has seen it\n");
        world.git(&["hash-object", "-w", "agent/evil"])
    };
    let entry = format!("100644,{blob},code.txt");
    let index = world.at("agent/index").display().to_string();
    let by_index = |args: &[&str]| {
        let mut git = std::process::Command::new("git");
        let git = git.args(args).current_dir(world.path());
        let output = git.env("GIT_INDEX_FILE", &index).output().unwrap();
        assert!(output.status.success(), "{args:?}");
        String::from_utf8(output.stdout).unwrap().trim().to_owned()
    };
    by_index(&["read-tree", &last]);
    by_index(&["update-index", "--add", "--cacheinfo", &entry]);
    let tree = by_index(&["write-tree"]);
    let by = [
        "-c",
        "user.name=t",
        "-c",
        "user.email=t@t",
        "commit-tree",
        &tree,
    ];
    let evil = world.git(&[&by[..], &["-p", &format!("{last}^"), "-m", &message]].concat());
    world.git(&["update-ref", "refs/proofhouse/t", &evil]);
    world.git(&["update-ref", "-d", "refs/proofhouse/records/t"]);
    rewrite(&world, |mut entries| {
        let mut made = entries.iter_mut().rev();
        let made = made
            .find(|entry| entry.kind == "checkpoint_ended.v1")
            .unwrap();
        made.body["commit"] = evil.clone().into();
        entries
    });
    let said = says(&world, &["audit", "t"]).exits(1);
    assert!(said.out.contains("checkpoint_unjudged"), "{}", said.out);
    let said = says(&world, &["land", "t"]).refuses(1, "evidence_altered");
    assert!(said.err.contains("checkpoint_unjudged"), "{}", said.err);
}

#[test]
fn a_gate_that_nothing_asks_for_is_found() {
    let world = finished();
    rewrite(&world, |mut entries| {
        let of = |kind: &str, of: &[Entry]| -> Entry {
            let found = of.iter().rev().find(|entry| match kind {
                "gate" => entry.kind == "effect_began.v1" && entry.body["kind"] == "gate",
                _ => entry.kind == kind,
            });
            found.unwrap().clone()
        };
        let (mut began, mut ended) = (of("gate", &entries), of("gate_ended.v1", &entries));
        began.body["effect"] = 900.into();
        ended.body["effect"] = 900.into();
        entries.extend([began, ended]);
        entries
    });
    found(&world, "unfounded_effect");
}

#[test]
fn a_deleted_journal_is_found_through_the_commits() {
    let world = finished();
    std::fs::remove_file(world.at(JOURNAL)).unwrap();
    let said = world.run(&["audit"]).exits(1);
    assert!(said.out.contains("journal_missing"), "{}", said.out);
    assert!(said.out.contains("records fetch"), "{}", said.out);
}

#[test]
fn a_forged_step_is_found_even_in_a_consistent_journal() {
    let world = World::new();
    world.start(HONEST, &[]);
    world.run(&["run", "t", "--once"]).exits(0);
    rewrite(&world, |mut entries| {
        let mut forged = entries
            .iter()
            .rev()
            .find(|entry| entry.kind == "moved.v1")
            .unwrap()
            .clone();
        forged.body["position"]["state"] = "done".into();
        entries.push(forged);
        entries
    });
    found(&world, "illegal_move");
}

#[test]
fn missing_and_changed_evidence_is_found() {
    let world = finished();
    let journal = world.journal();
    let gates = journal
        .iter()
        .filter(|record| record["kind"] == "gate_ended.v1");
    let mut results = gates.flat_map(|record| record["body"]["results"].as_array().unwrap());
    let piece = results
        .find_map(|result| result["evidence"][0]["hash"].as_str())
        .unwrap()
        .to_owned();
    let path = world.at(&format!(".proofhouse/evidence/{}/{piece}", &piece[..2]));
    std::fs::remove_file(&path).unwrap();
    found(&world, "evidence_missing");
    std::fs::write(&path, "forged").unwrap();
    found(&world, "evidence_corrupt");
}

#[test]
fn a_forged_done_in_the_state_file_is_found() {
    let world = World::new();
    world.start(HONEST, &[]);
    world.run(&["run", "t", "--once"]).exits(0);
    let state = world
        .read("tasks/t/STATE.md")
        .replace("Phase: shape", "Phase: done");
    world.write("tasks/t/STATE.md", &state);
    found(&world, "view_differs");
}

#[test]
fn a_fresh_clone_can_be_audited() {
    let world = finished();
    world.commit("with journals and evidence");
    let clone = tempfile::tempdir().unwrap();
    world.git(&["clone", "--quiet", ".", clone.path().to_str().unwrap()]);
    let said = world
        .run(&["audit", "--repo", clone.path().to_str().unwrap()])
        .exits(0);
    assert!(said.out.contains("clean t"), "{}", said.out);
}

#[test]
fn run_writes_a_forged_state_file_again_even_when_there_is_nothing_else_to_do() {
    let world = finished();
    let state = world
        .read("tasks/t/STATE.md")
        .replace("Phase: done", "Phase: verify");
    world.write("tasks/t/STATE.md", &state);
    found(&world, "view_differs");
    world.run(&["run", "t"]).exits(0);
    world.run(&["audit"]).exits(0);
    std::fs::remove_file(world.at("tasks/t/STATE.md")).unwrap();
    world.run(&["run", "t"]).refuses(1, "state_file_missing");
    world.run(&["run", "t", "--restore-views"]).exits(0);
    assert!(world.read("tasks/t/STATE.md").contains("Phase: done"));
}

#[test]
fn a_decision_that_nobody_made_is_found() {
    let forged = |at, channel: &str| Entry {
        at,
        kind: "decided.v1".to_owned(),
        body: serde_json::json!({
            "option": "stop", "because": "", "who": "ann", "channel": channel, "seen_seq": 1,
        }),
    };
    // Said to be what starting the run says, in the middle of it.
    let world = World::new();
    world.start(HONEST, &[]);
    world.run(&["run", "t", "--once"]).exits(0);
    rewrite(&world, |mut entries| {
        let at = entries.last().unwrap().at;
        entries.push(forged(at, "started the run"));
        entries
    });
    found(&world, "forged_decision");
    // A person's step without any decision, under another workflow than today's.
    let world = World::new();
    world.start(HONEST, &[]);
    world.run(&["run", "t", "--once"]).exits(0);
    rewrite(&world, |mut entries| {
        entries[0].body["workflow_hash"] = "another".into();
        let moved = entries.iter().rev().find(|entry| entry.kind == "moved.v1");
        let mut stopped = moved.unwrap().clone();
        stopped.body["action"] = "stop".into();
        stopped.body["by"] = "human".into();
        stopped.body["from"] = stopped.body["position"]["state"].clone();
        stopped.body["position"]["stopped"] = true.into();
        entries.push(stopped);
        entries
    });
    found(&world, "unfounded_move");
}

#[test]
fn a_waiver_that_nobody_signed_is_found() {
    let waived = || {
        let world = World::new();
        let key = world.approver("ann");
        let sign = ["--waive-sandbox", "--sign", key.to_str().unwrap()];
        world.start(HONEST, &sign);
        world.run(&["audit", "--ci"]).exits(0);
        world
    };
    let tampered = |code: &str, change: &dyn Fn(&mut Entry)| {
        let world = waived();
        rewrite(&world, |mut entries| {
            change(&mut entries[0]);
            entries
        });
        found(&world, code);
    };
    let forged = "forged_decision";
    tampered(forged, &|start| {
        start.body["sandbox_waived_by"] = "eve".into();
    });
    // What was signed is this start and no other: an agent, a check or a budget put in later.
    tampered(forged, &|start| start.body["agent"] = "command:evil".into());
    tampered(forged, &|start| {
        start.body["commands"] = serde_json::json!(["true"]);
    });
    tampered(forged, &|start| {
        start.body["budgets"] = serde_json::json!({"attempts": 9_999});
    });
    tampered(forged, &|start| start.at = kernel::Time(start.at.0 + 1));
    tampered(forged, &|start| {
        start.body["sandbox_waiver_signature"] = "no signature".into();
    });
    tampered(forged, &|start| {
        let body = start.body.as_object_mut().unwrap();
        body.remove("sandbox_waived_through");
    });
    tampered(forged, &|start| {
        let body = start.body.as_object_mut().unwrap();
        body.remove("sandbox_waived_by");
    });
    tampered("signature_missing", &|start| {
        let body = start.body.as_object_mut().unwrap();
        body.remove("sandbox_waiver_signature");
    });
    // Taken over from another start, signed by the same person.
    let (one, other) = (waived(), waived());
    let signature = other.journal()[0]["body"]["sandbox_waiver_signature"].clone();
    let approvers = other.read(".proofhouse/approvers");
    one.write(".proofhouse/approvers", &approvers);
    rewrite(&one, |mut entries| {
        entries[0].body["sandbox_waiver_signature"] = signature.clone();
        entries
    });
    found(&one, forged);
    // Typed at a terminal, where people sign.
    let world = waived();
    rewrite(&world, |mut entries| {
        let body = entries[0].body.as_object_mut().unwrap();
        body.remove("sandbox_waiver_signature");
        body.insert("sandbox_waived_through".to_owned(), "terminal".into());
        entries
    });
    world.run(&["audit"]).exits(0);
    let said = world.run(&["audit", "--ci"]).exits(1);
    assert!(said.out.contains("unsigned_decision"), "{}", said.out);
}

/// A workflow of a person's own, and a finished run of it.
fn of_an_own_workflow() -> World {
    let world = World::new();
    let source = flow::built_in("phase").unwrap();
    for (path, text) in &source.files {
        let text = text.replace("name = \"phase\"", "name = \"mine\"");
        world.write(&format!(".proofhouse/workflows/mine/{path}"), &text);
    }
    world.write("agent/script.toml", HONEST);
    world.write(".gitignore", "agent/\n");
    let args = [
        "new",
        "mine",
        "--dir",
        "tasks/t",
        "--set",
        "objective=be good",
        "--set",
        "done_gate=grep says so",
        "--check",
        "grep -q good code.txt",
        "--agent",
        "scripted:agent/script.toml",
    ];
    world.run(&args).exits(0);
    world.run(&["run", "t"]).exits(0);
    world
}

#[test]
fn the_steps_of_a_changed_workflow_are_taken_again_on_the_one_that_made_them() {
    let world = of_an_own_workflow();
    let file = ".proofhouse/workflows/mine/workflow.toml";
    let changed = world.read(file).replace("passes = 4", "passes = 9");
    world.write(file, &changed);
    let said = world.run(&["audit"]).exits(0);
    assert!(!said.out.contains("workflow_missing"), "{}", said.out);
    // A step that no gate led to is found, although the workflow is another one by now.
    rewrite(&world, |entries| {
        let gate = entries
            .iter()
            .rposition(|entry| entry.kind == "gate_ended.v1")
            .unwrap();
        let mut entries = entries;
        for result in entries[gate].body["results"].as_array_mut().unwrap() {
            result["verdict"] = "fail".into();
        }
        entries
    });
    found(&world, "unfounded_move");
}

#[test]
fn a_workflow_that_was_taken_away_is_missed() {
    let world = of_an_own_workflow();
    let file = ".proofhouse/workflows/mine/workflow.toml";
    let changed = world.read(file).replace("passes = 4", "passes = 9");
    let hash = world.journal()[0]["body"]["workflow_hash"]
        .as_str()
        .unwrap()
        .to_owned();
    world.write(file, &changed);
    let kept = world.at(&format!(".proofhouse/evidence/{}/{hash}", &hash[..2]));
    std::fs::remove_file(kept).unwrap();
    found(&world, "workflow_missing");
}

#[test]
fn a_kill_between_a_decision_and_its_views_is_told_and_accuses_nobody() {
    let world = World::new();
    world.start(HONEST, &["--autonomy", "conservative"]);
    let key = world.approver("ann");
    world.run(&["run", "t"]).exits(2);
    let views = [
        "tasks/t/STATE.md",
        "tasks/t/artifacts/evidence.html",
        ".proofhouse/work/t/state.seq",
        ".proofhouse/work/t/page.sha256",
    ];
    let views = views.map(|path| (path, std::fs::read(world.at(path)).ok()));
    world.decide(&key, "reject").exits(0);
    let put_back = |of: &dyn Fn(&str) -> bool| {
        for (path, bytes) in views.iter().filter(|(path, _)| of(path)) {
            if let Some(bytes) = bytes {
                std::fs::write(world.at(path), bytes).unwrap();
            }
        }
    };
    let now = std::fs::read(world.at(".proofhouse/work/t/state.seq")).unwrap();
    put_back(&|_| true);
    let said = world.run(&["audit"]).exits(0);
    assert!(said.out.contains("view_behind"), "{}", said.out);
    // Its twin: who puts the file back and not the engine's own note has edited it.
    std::fs::write(world.at(".proofhouse/work/t/state.seq"), now).unwrap();
    found(&world, "view_differs");
    world.run(&["run", "t"]).exits(2);
    world.run(&["audit"]).exits(0);
}

/// By the tool of others, with the rules of GitHub's code scanning: `npm install @microsoft/sarif-multitool`, then
/// `PROOFHOUSE_SARIF_MULTITOOL=node_modules/@microsoft/sarif-multitool-linux/Sarif.Multitool cargo test -p
/// proofhouse --test it audit -- --ignored`.
#[test]
#[ignore = "needs sarif-multitool from npm"]
fn code_scanning_finds_nothing_wrong_with_what_it_is_given() {
    let tool = std::env::var("PROOFHOUSE_SARIF_MULTITOOL").expect("where it is installed");
    let world = finished();
    let text = world.read(JOURNAL);
    let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
    digit(&mut lines, "hash");
    // With findings and without one.
    for (journal, exit) in [(text, 0), (lines.join("\n") + "\n", 1)] {
        world.write(JOURNAL, &journal);
        let said = world.run(&["audit", "--format", "sarif"]).exits(exit);
        world.write("agent/it.sarif", &said.out);
        let file = world.at("agent/it.sarif");
        let report = world.at("agent/judged.sarif");
        let mut command = std::process::Command::new(&tool);
        command.arg("validate").arg(&file).args([
            "--rule-kind",
            "Sarif;Ghas",
            "--log",
            "ForceOverwrite",
            "-o",
        ]);
        let judged = command
            .arg(&report)
            .env("DOTNET_SYSTEM_GLOBALIZATION_INVARIANT", "1")
            .output()
            .unwrap();
        assert!(
            judged.status.success(),
            "{}",
            String::from_utf8_lossy(&judged.stdout)
        );
        let read = world.read("agent/judged.sarif");
        let judged: serde_json::Value =
            serde_json::from_str(read.trim_start_matches('\u{feff}')).unwrap();
        let results = judged["runs"][0]["results"].as_array().unwrap();
        // We have no address on the web to name.
        let wrong = |one: &&serde_json::Value| one["ruleId"] != "SARIF2005";
        let wrong: Vec<_> = results.iter().filter(wrong).collect();
        assert!(wrong.is_empty(), "{wrong:#?}");
    }
}

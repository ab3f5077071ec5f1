//! The `slice` workflow through the real binary. What agents do is data, in `data/slice/`: each file
//! plays before the diligent agents of `happy.toml`.

use crate::support::{Said, World};
use serde_json::Value;
use std::os::unix::fs::PermissionsExt;

fn data(name: &str) -> String {
    let path = format!(
        "{}/tests/data/slice/{name}.toml",
        env!("CARGO_MANIFEST_DIR")
    );
    std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{path}: {error}"))
}

/// A repository with a greeting that greets nobody, and a run `t` of these agents.
fn begin(transcript: &str) -> World {
    begin_with(transcript, &[])
}

fn begin_with(transcript: &str, more: &[&str]) -> World {
    match transcript {
        "happy" => begin_script("", more),
        other => begin_script(&data(other), more),
    }
}

/// These attempts play before the diligent ones.
fn begin_script(first: &str, more: &[&str]) -> World {
    let world = World::new();
    world.write("src/greet.txt", "good bye\n");
    world.write("src/private/key.txt", "private\n");
    world.write("secret/plans.txt", "the plan\n");
    world.write(".gitignore", "tools/\n");
    let script = format!("{first}\n{}", data("happy"));
    world.write("tools/script.toml", &script);
    let mut args = vec![
        "new",
        "slice",
        "greet Ada",
        "--name",
        "t",
        "--check",
        "grep -q Ada src/greet.txt",
        "--agent",
        "scripted:tools/script.toml",
    ];
    args.extend(more);
    world.run(&args).exits(0);
    world
}

fn played(transcript: &str) -> World {
    let world = begin(transcript);
    world.run(&["run", "t"]).exits(0);
    world
}

fn snapshot(world: &World, iteration: u32) -> String {
    world.read(&format!("agent/context/iter-{iteration:04}.md"))
}

/// `run outcome iteration-fails exit-fails` of every snapshot, oldest first.
fn headers(world: &World) -> Vec<String> {
    let line = |text: &str, name: &str| {
        let found = text
            .lines()
            .find_map(|line| line.strip_prefix(&format!("{name}: ")));
        found
            .unwrap_or_else(|| panic!("no `{name}` in\n{text}"))
            .to_owned()
    };
    let texts = (1..).map_while(|iteration| {
        let path = world.at(&format!("agent/context/iter-{iteration:04}.md"));
        std::fs::read_to_string(path).ok()
    });
    texts
        .map(|text| {
            [
                "Slice ID",
                "Last gate run",
                "Last gate outcome",
                "Consecutive Iteration FAILs (this Slice ID)",
                "Consecutive Exit FAILs (this Slice ID)",
            ]
            .map(|name| line(&text, name))
            .join(" ")
        })
        .collect()
}

/// The states that the run entered, in order.
fn path(world: &World) -> Vec<String> {
    let journal = world.journal();
    let moves = journal.iter().filter(|record| record["kind"] == "moved.v1");
    let entered = moves.filter(|record| record["body"]["arrival"] == "entered");
    entered
        .map(|record| {
            record["body"]["position"]["state"]
                .as_str()
                .unwrap()
                .to_owned()
        })
        .collect()
}

/// Everything that a check found wrong, in order.
fn failures(world: &World) -> String {
    let journal = world.journal();
    let gates = journal
        .iter()
        .filter(|record| record["kind"] == "gate_ended.v1");
    let results = gates.flat_map(|record| record["body"]["results"].as_array().unwrap());
    let failed = results.filter(|result| result["verdict"] != "pass");
    let said = failed.map(|result| format!("{}: {}\n", result["check"], result["reason"]));
    said.collect()
}

fn classes(world: &World) -> Vec<(String, String)> {
    let journal = world.journal();
    let ended = journal
        .iter()
        .filter(|record| record["kind"] == "attempt_ended.v1");
    let outcome = |record: &Value, key: &str| {
        record["body"]["outcome"][key]
            .as_str()
            .unwrap_or_default()
            .to_owned()
    };
    ended
        .map(|record| (outcome(record, "class"), outcome(record, "reason")))
        .collect()
}

#[test]
fn from_intake_to_a_patch_a_snapshot_and_a_change_record() {
    let world = played("happy");
    assert_eq!(
        path(&world),
        [
            "scout",
            "consolidate",
            "plan",
            "edit",
            "iteration_gate",
            "choose",
            "exit_gate",
            "deliver",
            "done"
        ]
    );
    // Step 0.5, to the letter.
    let first = "Iteration: 0001\nParent snapshot: none\nSlice ID: S-0001\nSlice: Greet Ada by name.\nScope cap: Only `src/**`, not `!src/private/**`; enough when the greeting is found.\nGate (iteration): `grep -q hello src/greet.txt`\nGate (exit): `grep -qx 'hello Ada' src/greet.txt`\nLast gate run: none\nLast gate outcome: none\nConsecutive Iteration FAILs (this Slice ID): 0\nConsecutive Exit FAILs (this Slice ID): 0\n\n";
    let text = snapshot(&world, 1);
    assert!(text.starts_with(first), "{text}");
    assert!(
        text.contains("- F-0002: The greeting names Ada.\n"),
        "{text}"
    );
    assert_eq!(
        headers(&world),
        [
            "S-0001 none none 0 0",
            "S-0001 none none 0 0",
            "S-0001 iteration PASS 0 0",
            "S-0001 exit PASS 0 0",
        ]
    );
    let second = snapshot(&world, 2);
    assert!(second.contains("Parent snapshot: iter-0001\n"), "{second}");
    assert!(
        second.contains("- E-0001 (scout): src/greet.txt:1\n"),
        "{second}"
    );
    assert!(second.contains("src/greet.txt. [E-0001]\n"), "{second}");
    for section in [
        "\n## Evidence (Scout Findings) — NON-AUTHORITATIVE\n",
        "\n## Consolidated Context (Source of Truth) — AUTHORITATIVE\n",
        "\n## Issues (State)\n",
        "\n### Open Issues\n",
        "\n### Resolved This Iteration\n",
    ] {
        assert!(second.contains(section), "{section} in {second}");
    }
    let mode = std::fs::metadata(world.at("agent/context/iter-0001.md"))
        .unwrap()
        .permissions();
    assert_eq!(mode.mode() & 0o777, 0o444);
    assert_eq!(world.read("agent/context.md"), snapshot(&world, 4));
    let patch = world.read("agent/change.patch");
    assert!(patch.contains("-good bye\n+hello Ada\n"), "{patch}");
    assert!(!patch.contains("agent/"), "{patch}");
    assert!(
        world
            .read("agent/change-record.md")
            .contains("## Known risks")
    );
    world.run(&["audit"]).exits(0);
}

#[test]
fn a_failed_gate_is_an_issue_until_that_gate_passes() {
    let world = played("iteration-fails-once");
    assert_eq!(
        headers(&world)[2..],
        [
            "S-0001 iteration FAIL 1 0",
            "S-0001 iteration PASS 0 0",
            "S-0001 exit PASS 0 0",
        ]
    );
    let failed = snapshot(&world, 3);
    assert!(
        failed.contains("- I-0001: iteration gate FAIL: command: grep"),
        "{failed}"
    );
    assert!(failed.contains("— next action: fix\n"), "{failed}");
    let mended = snapshot(&world, 4);
    let (open, resolved) = mended.split_once("### Resolved This Iteration").unwrap();
    assert!(!open.contains("- I-0001"), "{mended}");
    assert!(
        resolved.contains("- I-0001") && resolved.contains("closed by E-"),
        "{mended}"
    );
    assert!(
        !snapshot(&world, 5).contains("I-0001"),
        "it was resolved one iteration ago"
    );

    let world = played("exit-fails-once");
    let want = [
        "S-0001 exit FAIL 0 1",
        "S-0001 iteration PASS 0 1",
        "S-0001 exit PASS 0 0",
    ];
    assert_eq!(headers(&world)[3..], want);
}

#[test]
fn after_three_failures_in_a_row_the_audit_comes_before_the_next_edit() {
    for (transcript, counters) in [
        (
            "iteration-fails-thrice",
            [
                "iteration FAIL 1 0",
                "iteration FAIL 2 0",
                "iteration FAIL 3 0",
            ],
        ),
        (
            "exit-fails-thrice",
            ["exit FAIL 0 1", "exit FAIL 0 2", "exit FAIL 0 3"],
        ),
    ] {
        let world = played(transcript);
        let headers = headers(&world);
        let failed: Vec<&String> = headers
            .iter()
            .filter(|line| line.contains("FAIL"))
            .collect();
        // The audit's own snapshot keeps what the gate said.
        assert_eq!(failed.len(), 4, "{headers:?}");
        for (line, want) in failed.iter().zip(counters) {
            assert_eq!(line.as_str(), format!("S-0001 {want}"), "{transcript}");
        }
        assert_eq!(failed[3], failed[2]);
        let path = path(&world);
        let audit = path.iter().position(|state| state == "audit").unwrap();
        assert_eq!(
            path[audit..audit + 4],
            ["audit", "weigh", "choose", "edit"],
            "{path:?}"
        );
        assert_eq!(path.iter().filter(|state| *state == "audit").count(), 1);
        let weighed = headers
            .iter()
            .rposition(|line| line.contains("FAIL"))
            .unwrap();
        let text = snapshot(&world, u32::try_from(weighed).unwrap() + 1);
        assert!(text.contains("(audit): audit outcome: FAIL"), "{text}");
        assert!(
            text.contains("- F-0004: The greeting file was never touched."),
            "{text}"
        );
        assert_eq!(headers.last().unwrap(), "S-0001 exit PASS 0 0");
    }
}

#[test]
fn other_words_for_the_slice_reset_nothing() {
    let world = played("reworded");
    let headers = headers(&world);
    let failing: Vec<&str> = headers
        .iter()
        .filter_map(|line| line.strip_prefix("S-0001 iteration FAIL "))
        .collect();
    // One, its reworded header and its scouting; two, likewise; three, and the audit.
    assert_eq!(
        failing,
        ["1 0", "1 0", "1 0", "2 0", "2 0", "2 0", "3 0", "3 0"]
    );
    assert!(path(&world).contains(&"audit".to_owned()));
    assert!(
        world
            .read("agent/context.md")
            .contains("Slice: Make Ada feel welcome.\n")
    );
}

#[test]
fn a_new_slice_starts_with_zeros_and_an_old_name_is_refused() {
    let world = played("new-slice");
    let headers = headers(&world);
    let at = headers
        .iter()
        .position(|line| line.starts_with("S-0002"))
        .unwrap();
    assert_eq!(headers[at - 1], "S-0001 iteration FAIL 1 0");
    assert_eq!(headers[at], "S-0002 none none 0 0");
    assert_eq!(headers[at + 2], "S-0002 iteration FAIL 1 0");
    assert!(
        headers.contains(&"S-0003 none none 0 0".to_owned()),
        "{headers:?}"
    );
    assert!(
        failures(&world).contains("`S-0001` was used before"),
        "{}",
        failures(&world)
    );
}

#[test]
fn scouts_see_the_cap_and_their_snippets_must_stand_there() {
    let world = played("scout-escapes");
    let wrong = failures(&world);
    assert!(
        wrong.contains("secret/plans.txt:1 is outside of `Scope cap`"),
        "{wrong}"
    );
    let said = classes(&world);
    let edited = said
        .iter()
        .find(|(class, _)| class == "out_of_scope")
        .unwrap();
    assert!(edited.1.contains("may not edit the repository"), "{said:?}");
    let vault = world.run(&["log", "t", "--json"]).exits(0).out;
    assert!(vault.contains("scout transcript"), "{vault}");
    let transcript = transcript(&world, "scout", 0);
    assert!(transcript.contains("./src/greet.txt"), "{transcript}");
    for hidden in ["secret", "private", "code.txt", "Parent snapshot"] {
        assert!(!transcript.contains(hidden), "{hidden} in {transcript}");
    }
    for (cheat, reason) in [
        ("invented-snippet", "`hello world` does not stand there"),
        ("scout-proposes", "prescribes: an instruction to edit"),
    ] {
        let world = played(cheat);
        let wrong = failures(&world);
        assert!(wrong.contains(reason), "{cheat}: {wrong}");
        assert!(!world.read("agent/context.md").contains("hello world"));
    }
}

/// The transcript of the nth attempt in a state, from the vault.
fn transcript(world: &World, state: &str, nth: usize) -> String {
    let journal = world.journal();
    let kept = journal
        .iter()
        .filter(|record| record["kind"] == "attempt_ended.v1")
        .flat_map(|record| record["body"]["outcome"]["evidence"].as_array().unwrap())
        .filter(|kept| {
            kept["name"]
                .as_str()
                .unwrap()
                .ends_with(&format!("{state} transcript"))
        });
    let hash = kept
        .map(|kept| kept["hash"].as_str().unwrap())
        .nth(nth)
        .unwrap();
    world.read(&format!(".proofhouse/evidence/{}/{hash}", &hash[..2]))
}

#[test]
fn nothing_is_planned_on_that_is_not_consolidated() {
    let world = played("plan-cites-unknown");
    let wrong = failures(&world);
    assert!(
        wrong.contains("F-0042, which is not there (fact_not_consolidated)"),
        "{wrong}"
    );
    assert!(
        wrong.contains("E-0001, which is not to be planned on"),
        "{wrong}"
    );
    let wrong = failures(&played("consolidates-nothing"));
    assert!(
        wrong.contains("E-0099, which the run does not know"),
        "{wrong}"
    );
    let world = played("fact-missing");
    let open = snapshot(&world, 3);
    assert!(
        open.contains("(plan): uncertain: which encoding has the file?"),
        "{open}"
    );
    assert!(
        open.contains("the encoding of the file is unknown — next action: re-scout"),
        "{open}"
    );
    let promoted = snapshot(&world, 4);
    assert!(
        promoted.contains("The file is plain ASCII. [E-0003]"),
        "{promoted}"
    );
    assert!(promoted.contains("— closed by E-0003"), "{promoted}");
}

#[test]
fn a_planner_has_the_latest_snapshot_and_nothing_else_to_plan_on() {
    let world = played("plan-looks-around");
    let found = transcript(&world, "plan", 0);
    assert!(found.contains("../task/context.md"), "{found}");
    for other in ["../repo/", "./src", "context/iter-"] {
        assert!(!found.contains(other), "{other} in {found}");
    }
}

#[test]
fn a_verifier_that_prescribes_is_returned() {
    let world = played("verifier-prescribes");
    let wrong = failures(&world);
    assert!(
        wrong.contains("prescribes: an instruction to edit"),
        "{wrong}"
    );
    assert!(!world.read("agent/context.md").contains("Change `good bye`"));
    let audits = path(&world)
        .iter()
        .filter(|state| *state == "audit")
        .count();
    assert_eq!(
        audits, 1,
        "it is asked for by choice, and done anew in place"
    );
}

#[test]
fn agents_write_no_snapshot_and_nothing_outside_of_the_cap() {
    for (transcript, path) in [
        ("edits-snapshot", "task/context/iter-0001.md is outside"),
        ("edits-snapshot", "task/context.md is outside"),
        ("edits-outside", "repo/secret/plans.txt is outside"),
    ] {
        let world = played(transcript);
        let said = classes(&world);
        assert!(
            said.iter()
                .any(|(class, why)| class == "out_of_scope" && why.contains(path)),
            "{transcript}: {said:?}"
        );
        assert_eq!(world.read("secret/plans.txt"), "the plan\n");
        assert!(snapshot(&world, 1).starts_with("Iteration: 0001\nParent snapshot: none\n"));
    }
    let wrong = failures(&played("no-cap"));
    assert!(
        wrong.contains("`**` in `Scope cap` matches everything")
            && wrong.contains("does not match"),
        "{wrong}"
    );
    let world = played("weak-gates");
    assert!(
        failures(&world).contains("grep -q Ada"),
        "{}",
        failures(&world)
    );
    assert_eq!(world.read("src/greet.txt"), "hello Ada\n");
}

/// Plays one attempt at a time until there are this many snapshots.
fn until_snapshots(world: &World, count: usize) {
    for _ in 0..12 {
        if headers(world).len() >= count {
            return;
        }
        let said = world.run(&["run", "t", "--once"]);
        assert!([0, 2].contains(&said.code), "{}{}", said.out, said.err);
    }
    panic!("{count} snapshots were never taken");
}

#[test]
fn an_edited_deleted_or_forged_snapshot_stops_the_run_before_the_next_step() {
    type Cheat = fn(&World);
    let edit: Cheat = |world| {
        let path = world.at("agent/context/iter-0001.md");
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o644)).unwrap();
        world.write(
            "agent/context/iter-0001.md",
            &snapshot(world, 1).replace("Ada", "Bob"),
        );
    };
    let delete: Cheat =
        |world| std::fs::remove_file(world.at("agent/context/iter-0001.md")).unwrap();
    let forge: Cheat = |world| world.write("agent/context/iter-0009.md", "Iteration: 0009\n");
    for (cheat, code) in [
        (edit, "snapshot_edited"),
        (delete, "snapshot_edited"),
        (forge, "snapshot_forged"),
    ] {
        let world = begin("happy");
        until_snapshots(&world, 2);
        let good = snapshot(&world, 1);
        let before = world.journal().len();
        cheat(&world);
        world.run(&["run", "t"]).refuses(1, code);
        assert_eq!(world.journal().len(), before, "nothing was done");
        let found = world.run(&["audit"]);
        assert!(found.code != 0 && format!("{}{}", found.out, found.err).contains(code));
        world.run(&["run", "t", "--restore-views"]).exits(0);
        assert_eq!(snapshot(&world, 1), good);
        assert_eq!(headers(&world).len(), 4);
        world.run(&["audit"]).exits(0);
    }
}

#[test]
fn a_snapshot_that_a_crash_left_unwritten_is_written_again() {
    let world = begin("happy");
    until_snapshots(&world, 2);
    let good = snapshot(&world, 2);
    std::fs::remove_file(world.at("agent/context/iter-0002.md")).unwrap();
    std::fs::remove_file(world.at("agent/context.md")).unwrap();
    world.run(&["run", "t", "--once"]).exits(0);
    assert_eq!(snapshot(&world, 2), good);
    world.run(&["run", "t"]).exits(0);
    assert_eq!(headers(&world).len(), 4);
}

#[test]
fn people_answer_extend_approve_and_stop() {
    let world = begin("asks");
    let key = key(&world);
    let said = world.run(&["run", "t"]).exits(2);
    assert!(said.out.contains("question"), "{}", said.out);
    decide(&world, &key, "answer", "a nickname is fine").exits(0);
    world.run(&["run", "t"]).exits(0);
    let text = world.read("agent/context.md");
    assert!(
        text.contains("(question): ") && text.contains("a nickname is fine"),
        "{text}"
    );

    let world = begin("happy");
    let key = self::key(&world);
    world.run(&["run", "t", "--once"]).exits(0);
    decide(&world, &key, "stop", "not now").exits(0);
    assert_eq!(world.status()["activity"], "stopped");
    assert_eq!(headers(&world).len(), 1);

    let world = begin_with("happy", &["--budget", "attempts=3"]);
    let key = self::key(&world);
    world.run(&["run", "t"]).exits(2);
    assert_eq!(world.status()["waiting_for"]["reason"], "budget");
    for _ in 0..2 {
        decide(&world, &key, "extend", "go on").exits(0);
        world.run(&["run", "t"]);
    }
    assert_eq!(world.status()["activity"], "done");

    let world = begin_with("happy", &["--autonomy", "conservative"]);
    let key = self::key(&world);
    world.run(&["run", "t"]).exits(2);
    assert_eq!(world.status()["waiting_for"]["reason"], "approval");
    decide(&world, &key, "approve", "I read the record").exits(0);
    world.run(&["run", "t"]).exits(0);
    assert_eq!(path(&world).last().unwrap(), "done");
}

/// The text of the first snapshot whose header has this line.
fn with_line(world: &World, line: &str) -> Option<usize> {
    let count = headers(world).len();
    let has = |iteration: &usize| {
        let text = snapshot(world, u32::try_from(*iteration).unwrap());
        text.lines().take(11).any(|one| one == line)
    };
    (1..=count).find(has)
}

#[test]
fn scope_is_revised_by_a_new_header_and_only_then_do_scouts_see_more() {
    let world = played("scope-revised");
    let seen = transcript(&world, "scout", 1);
    assert!(seen.contains("./secret/plans.txt"), "{seen}");
    let line = "Scope cap: Only `src/**` and `secret/plans.txt`.";
    let at = with_line(&world, line).unwrap();
    let journal = world.journal();
    let file = format!("context/iter-{at:04}.md");
    let taken = journal
        .iter()
        .position(|record| record["body"]["file"] == file.as_str());
    let scouted = journal.iter().rposition(|record| {
        record["kind"] == "effect_began.v1" && record["body"]["role"] == "scout"
    });
    assert!(taken.unwrap() < scouted.unwrap(), "the header comes first");

    // What a person has set, no agent widens.
    let cap = "scope_cap=Only `src/**`.";
    let world = begin_with("scope-revised", &["--set", cap]);
    world.run(&["run", "t"]).exits(2);
    let wrong = failures(&world);
    assert!(
        wrong.contains("secret/plans.txt:1 is outside of `Scope cap`"),
        "{wrong}"
    );
    assert_eq!(
        with_line(&world, "Scope cap: Only `src/**` and `secret/plans.txt`."),
        None
    );
}

#[test]
fn a_person_who_edits_the_header_gets_a_new_snapshot_before_the_next_step() {
    let world = begin("happy");
    until_snapshots(&world, 1);
    let state = world.read("agent/STATE.md");
    let edited = state.replace("not `!src/private/**`; enough", "nothing else; enough");
    assert_ne!(edited, state);
    world.write("agent/STATE.md", &edited);
    world.run(&["run", "t", "--once"]).exits(0);
    let text = snapshot(&world, 2);
    assert!(
        text.contains("Scope cap: Only `src/**`, nothing else; enough"),
        "{text}"
    );
    assert!(text.contains("Last gate run: none\n"), "{text}");
    world.run(&["run", "t"]).exits(0);
    assert_eq!(headers(&world).len(), 5);
    world.run(&["audit"]).exits(0);
}

#[test]
fn it_is_sound_and_can_be_exported_in_every_format() {
    let world = World::new();
    let said = world.run(&["workflow", "check", "slice"]).exits(0);
    assert!(said.out.contains("sound slice"), "{}", said.out);
    for (format, word) in [
        ("json", "\"audit_required\""),
        ("mermaid", "anti_stuck"),
        ("dot", "iteration_gate"),
        ("tla", "MODULE"),
    ] {
        let said = world
            .run(&["workflow", "export", "slice", "--format", format])
            .exits(0);
        assert!(said.out.contains(word), "{format}: {}", said.out);
    }
}

fn key(world: &World) -> std::path::PathBuf {
    let made = world.approver("ada");
    // The task folder is the run's: keys do not belong there.
    let key = world.at("tools/ada");
    std::fs::rename(&made, &key).unwrap();
    std::fs::remove_file(made.with_extension("pub")).unwrap();
    key
}

fn decide(world: &World, key: &std::path::Path, option: &str, because: &str) -> Said {
    let key = key.to_str().unwrap();
    world.run(&["decide", "t", option, "--because", because, "--sign", key])
}

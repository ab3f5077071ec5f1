//! A run that leaves another one: it stands where that stood, has used up what that had, and its audit
//! holds it to that.

use crate::play::{Play, Stage, read};
use crate::support::{CHECK, HONEST, Said, TASK, World, says};
use serde_json::Value;
use std::path::PathBuf;

/// The run `t` in a tree of its own, up to the question whether it is good; and Ann's key.
pub(crate) fn waiting() -> (World, PathBuf) {
    let world = World::of_ann();
    let key = world.approver("ann");
    let told = ["--check", CHECK, "--agent", "scripted:agent/script.toml"];
    let more = ["--name", "t", "--autonomy", "conservative"];
    says(&world, &[&TASK[..], &told, &more].concat()).exits(0);
    says(&world, &["run", "t"]).exits(2);
    (world, key)
}

fn decide(world: &World, run: &str, option: &str, key: &std::path::Path) -> Said {
    let key = key.to_str().unwrap();
    let why = ["--because", "I looked at it", "--sign", key];
    says(world, &[&["decide", run, option], &why[..]].concat())
}

pub(crate) fn fork(world: &World, run: &str, at: u64, name: &str) -> Said {
    let at = at.to_string();
    let asked = ["fork", run, "--at", &at, "--name", name, "--json"];
    says(world, &asked)
}

/// Where a run stands, and what it has used; not what it is called.
pub(crate) fn stands(world: &World, run: &str, seq: u64) -> Value {
    let seq = seq.to_string();
    let said = says(world, &["replay", run, "--at", &seq, "--json"]);
    let mut facts = said.exits(0).json();
    let all = facts.as_object_mut().unwrap();
    for own in ["run", "head", "last", "record"] {
        all.remove(own);
    }
    facts
}

fn journal(world: &World, run: &str) -> Vec<Value> {
    let text = world.read(&format!(".proofhouse/journal/{run}.jsonl"));
    let lines = text.lines();
    lines
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

#[test]
fn a_fork_goes_on_from_where_the_other_was_and_leaves_it_alone() {
    let (world, key) = waiting();
    let asked = journal(&world, "t");
    let at = asked.len() as u64;
    decide(&world, "t", "approve", &key).exits(0);
    says(&world, &["run", "t"]).exits(0);
    let whole = world.read(".proofhouse/journal/t.jsonl");
    let begun = fork(&world, "t", at, "other").exits(0).json();
    assert_eq!(
        (&begun["state"], &begun["seq"]),
        (&"review".into(), &at.into())
    );
    let first = &journal(&world, "other")[0]["body"]["forked"];
    assert_eq!(first["run"], "t");
    assert_eq!(first["hash"], asked[at as usize - 1]["hash"]);
    assert_eq!(first["commit"], begun["commit"]);
    assert_eq!(stands(&world, "other", at), stands(&world, "t", at));
    // The work lies in its own worktree; the other run, its worktree and the person's tree are as they were.
    assert_eq!(
        world.read(".proofhouse/worktrees/other/code.txt"),
        world.read(".proofhouse/worktrees/t/code.txt")
    );
    assert_eq!(world.read("code.txt"), "bad\n");
    assert_eq!(world.read(".proofhouse/journal/t.jsonl"), whole);
    let state = world.read(".proofhouse/tasks/other/STATE.md");
    assert!(state.contains("Phase: review"), "{state}");
    says(&world, &["audit"]).exits(0);
    // The question is asked again, and can be answered otherwise: the agent works once more.
    let status = says(&world, &["status", "other", "--json"]).exits(0).json();
    assert_eq!(status["waiting_for"]["reason"], "approval");
    let used = status["budgets"]["attempts"]["used"].as_u64().unwrap();
    assert_eq!(used, 5, "what was used up is used up");
    decide(&world, "other", "approve", &key).exits(0);
    says(&world, &["run", "other"]).exits(0);
    says(&world, &["audit"]).exits(0);
    let both = says(&world, &["compare", "t", "other", "--json"])
        .exits(0)
        .json();
    assert_eq!(both["common"], at);
    assert_eq!(both["differences"], serde_json::json!([]));
    assert_eq!(both["sides"][0]["doing"], "done");
    let said = says(&world, &["compare", "t", "other"]).exits(0);
    assert!(said.out.contains("the same, to the letter"), "{}", said.out);
    // It lands as any other.
    says(&world, &["land", "other"]).exits(0);
    assert_eq!(
        world.read("code.txt"),
        world.git(&["show", "main:code.txt"]) + "\n"
    );
    says(&world, &["audit"]).exits(0);
    // A fork of a fork, and an attestation with a decision that was made in the first.
    let again = journal(&world, "other").len() as u64;
    fork(&world, "other", again, "third").exits(0);
    says(&world, &["audit", "third"]).exits(0);
    let vouch = ["attest", "third", "--sign", key.to_str().unwrap()];
    let said = says(&world, &vouch).exits(0);
    world.write("agent/f", &said.out);
    let said = says(&world, &["verify", "agent/f", "--json"])
        .exits(0)
        .json();
    assert_eq!(said["decisions"][0]["run"], "other");
    assert_eq!(
        said["decisions"][0]["signature"]["listed"],
        "ann@example.org"
    );
}

/// Forks a run at every record: how many forks stand as it stood then, and how many were refused by name.
fn at_every_record(world: &World, run: &str, refusals: &[&str]) -> (usize, usize) {
    let (mut forked, mut refused) = (0, 0);
    for record in journal(world, run) {
        let at = record["seq"].as_u64().unwrap();
        let name = match run {
            "t" => format!("f{at}"),
            run => format!("{run}-f{at}"),
        };
        let said = fork(world, run, at, &name);
        if said.code == 1 {
            let named = refusals.iter().any(|code| said.err.contains(code));
            assert!(named, "record {at}: {}", said.err);
            refused += 1;
            continue;
        }
        said.exits(0);
        assert_eq!(
            stands(world, &name, at),
            stands(world, run, at),
            "record {at}"
        );
        forked += 1;
    }
    println!(
        "`{run}`: at {forked} records a fork stands as the run stood, at {refused} it is refused by name"
    );
    (forked, refused)
}

/// Nearly everything that can happen in each workflow: refused work, questions, repairs, rounds, approvals.
#[test]
#[ignore = "the same with an eventful run of every workflow; some minutes"]
fn at_every_record_of_eventful_runs() {
    let refusals = ["fork_uncommitted", "fork_exam_spent", "fork_document"];
    for workflow in ["phase", "slice", "add", "lights-out", "quick"] {
        let play: Play = read(&format!("crashes/{workflow}-eventful.toml"));
        let stage = Stage::set_in(World::new().with_own_trees(), &play);
        for step in play.steps() {
            assert_eq!(stage.take(&step), Ok(()), "{workflow}");
        }
        assert_eq!(stage.stands(&play.ends), Ok(()), "{workflow}");
        print!("{workflow}: ");
        let (forked, refused) = at_every_record(&stage.world, "t", &refusals);
        assert!(forked > 2 * refused, "{forked} and {refused}");
        stage.world.run(&["audit", "--ci"]).exits(0);
    }
}

#[test]
fn at_every_record_a_fork_stands_as_the_run_stood_or_is_refused_by_name() {
    let (world, _) = waiting();
    let (forked, refused) = at_every_record(&world, "t", &["fork_uncommitted"]);
    // Between the end of an attempt that left something and its gate's word: two records for each.
    assert!(forked > 2 * refused, "{forked} and {refused}");
    let audit = says(&world, &["audit", "--json"]).exits(0).json();
    assert_eq!(audit["runs"].as_array().unwrap().len(), forked + 1);
    // One in the middle, with an attempt in flight, runs to the question of its own accord.
    let began = journal(&world, "t").into_iter().find(|record| {
        record["kind"] == "effect_began.v1" && record["body"]["state"] == "implement"
    });
    let at = began.unwrap()["seq"].as_u64().unwrap();
    says(&world, &["run", &format!("f{at}")]).exits(2);
    says(&world, &["audit", &format!("f{at}")]).exits(0);
    let lost = journal(&world, &format!("f{at}"));
    assert!(lost.iter().any(|one| one["kind"] == "effect_lost.v1"));
}

/// What an agent left for its gate lies nowhere but in the run's own folders, a document of the task included.
#[test]
fn inside_a_gate_a_fork_is_refused_and_the_record_before_it_is_named() {
    let (world, _) = waiting();
    let inside = journal(&world, "t")
        .into_iter()
        .find(|record| record["kind"] == "effect_began.v1" && record["body"]["kind"] == "gate");
    let at = inside.unwrap()["seq"].as_u64().unwrap();
    let said = fork(&world, "t", at, "f").exits(1);
    assert!(said.err.contains("fork_uncommitted"), "{}", said.err);
    let (_, named) = said.err.split_once("fork at record ").expect("a record");
    let named: String = named.chars().take_while(char::is_ascii_digit).collect();
    let named: u64 = named.parse().unwrap();
    assert!(named < at, "{named} is not before {at}");
    fork(&world, "t", named, "f").exits(0);
}

#[test]
fn many_leave_one_run_at_once() {
    let (world, _) = waiting();
    let at = journal(&world, "t").len() as u64;
    std::thread::scope(|scope| {
        for n in 0..8 {
            let world = &world;
            scope.spawn(move || fork(world, "t", at, &format!("f{n}")).exits(0));
        }
    });
    for n in 0..8 {
        assert_eq!(
            stands(&world, &format!("f{n}"), at),
            stands(&world, "t", at)
        );
    }
    let left = std::fs::read_dir(world.at(".proofhouse/work/t")).unwrap();
    let left: Vec<_> = left.map(|one| one.unwrap().file_name()).collect();
    let scratch = |name: &std::ffi::OsString| name.to_string_lossy().starts_with("fork");
    assert!(!left.iter().any(scratch), "{left:?}");
    says(&world, &["audit"]).exits(0);
}

/// A fork, or an engine that was killed, may stand behind a gate whose step nobody has taken yet: whoever decides
/// there finds it taken, whether the decision itself is refused or not.
#[test]
fn what_is_due_before_a_decision_is_told_whatever_becomes_of_it() {
    let (world, key) = waiting();
    let all = journal(&world, "t");
    let gate = all.iter().rfind(|one| one["kind"] == "gate_ended.v1");
    let at = gate.unwrap()["seq"].as_u64().unwrap();
    fork(&world, "t", at, "f").exits(0);
    says(&world, &["abandon", "f", "--because", "no"]).refuses(1, "signature_required");
    assert_eq!(journal(&world, "f").len() as u64, at + 1);
    says(&world, &["audit", "f"]).exits(0);
    // What is shown to be signed is what counts.
    fork(&world, "t", at, "g").exits(0);
    let words = ["abandon", "g", "--because", "no"];
    let message = says(&world, &[&words[..], &["--message"]].concat()).exits(0);
    world.write("agent/words", &message.out);
    let signed = std::process::Command::new("ssh-keygen")
        .args(["-q", "-Y", "sign", "-n", "proofhouse-decision", "-f"])
        .args([&key, &world.at("agent/words")])
        .status();
    assert!(signed.unwrap().success());
    let signature = world.at("agent/words.sig").display().to_string();
    says(&world, &[&words[..], &["--signature", &signature]].concat()).exits(0);
    says(&world, &["audit", "g"]).exits(0);
}

#[test]
fn no_fork_is_a_way_around_what_was_used_up_or_signed() {
    let (world, key) = waiting();
    decide(&world, "t", "approve", &key).exits(0);
    let at = journal(&world, "t").len() as u64;
    fork(&world, "t", at, "f").exits(0);
    says(&world, &["audit", "f"]).exits(0);
    let away = world.at(".proofhouse/journal/t.jsonl");
    let kept = std::fs::read(&away).unwrap();
    std::fs::remove_file(&away).unwrap();
    world.git(&["update-ref", "-d", "refs/proofhouse/records/t"]);
    let said = says(&world, &["audit", "f"]).exits(1);
    assert!(said.out.contains("[parent_missing]"), "{}", said.out);
    std::fs::write(&away, kept).unwrap();
    let finds = |code: &str, change: &dyn Fn(&mut Vec<store::Entry>)| {
        let path = world.at(".proofhouse/journal/f.jsonl");
        let whole = std::fs::read(&path).unwrap();
        world.rewrite("f", |mut entries| {
            change(&mut entries);
            entries
        });
        let said = says(&world, &["audit", "f"]).exits(1);
        assert!(
            said.out.contains(&format!("[{code}]")),
            "{code}: {}",
            said.out
        );
        std::fs::write(&path, whole).unwrap();
    };
    finds("parent_differs", &|all| {
        all[0].body["budgets"] = serde_json::json!({"attempts": 1000});
    });
    finds("parent_differs", &|all| {
        all[0].body["forked"]["commit"] = all[0].body["own_tree"]["base"].clone();
    });
    finds("parent_differs", &|all| {
        all[0].body["forked"]["hash"] = "0".repeat(64).into();
    });
    // An attempt less, or a decision of other words.
    finds("parent_differs", &|all| {
        let attempt = all
            .iter()
            .position(|one| one.kind == "attempt_ended.v1")
            .unwrap();
        all[attempt].body["outcome"]["reason"] = "nothing".into();
    });
    finds("forged_decision", &|all| {
        let decided = all.iter_mut().find(|one| one.kind == "decided.v1").unwrap();
        decided.body["because"] = "because I say so".into();
    });
    // As it was, it holds; without the other run it does not.
    says(&world, &["audit", "f"]).exits(0);
    let path = world.at(".proofhouse/journal/t.jsonl");
    let whole = std::fs::read_to_string(&path).unwrap();
    let lines: Vec<&str> = whole.lines().collect();
    std::fs::write(&path, lines[..lines.len() - 4].join("\n") + "\n").unwrap();
    let said = says(&world, &["audit", "f"]).exits(1);
    assert!(said.out.contains("[parent_differs]"), "{}", said.out);
    std::fs::write(&path, &whole).unwrap();
    says(&world, &["audit", "f"]).exits(0);
}

/// The first records of a fork are judged where they were made, so whoever wants to be rid of a finding would
/// leave the run that has it.
#[test]
fn a_fork_of_what_does_not_hold_does_not_hold() {
    let (world, key) = waiting();
    let at = journal(&world, "t").len() as u64;
    fork(&world, "t", at, "honest").exits(0);
    let path = world.at(".proofhouse/journal/t.jsonl");
    let whole = std::fs::read(&path).unwrap();
    world.rewrite("t", |mut entries| {
        let gates = entries.iter_mut();
        let mut gates = gates.filter(|one| one.kind == "gate_ended.v1");
        gates.nth(3).unwrap().body["results"][0]["reason"] = "believe me".into();
        entries
    });
    fork(&world, "t", at, "f").exits(0);
    fork(&world, "f", at, "g").exits(0);
    for run in ["f", "g"] {
        let said = says(&world, &["audit", run]).exits(1);
        assert!(said.out.contains("[parent_unsound]"), "{}", said.out);
        assert!(!said.out.contains("FINDINGS t"), "{}", said.out);
    }
    // Nor does anybody vouch for it.
    decide(&world, "g", "approve", &key).exits(0);
    says(&world, &["run", "g"]).exits(0);
    let vouch = ["attest", "g", "--sign", key.to_str().unwrap()];
    let said = says(&world, &vouch).refuses(1, "evidence_altered");
    assert!(said.err.contains("parent_unsound"), "{}", said.err);
    // What the other run comes to later is its own.
    std::fs::write(&path, whole).unwrap();
    world.rewrite("t", |mut entries| {
        let mut more = entries.last().unwrap().clone();
        more.kind = "moved.v1".to_owned();
        more.body = serde_json::json!({
            "action": "review_passed", "arrival": "entered", "by": "engine", "from": "review", "why": "",
            "position": {"state": "done", "passes": 0, "autonomy": "conservative", "stopped": false},
        });
        entries.push(more);
        entries
    });
    says(&world, &["audit", "t"]).exits(1);
    says(&world, &["audit", "honest"]).exits(0);
}

/// A wave merges the run, and nobody but a person lands its fork.
#[test]
fn a_run_of_a_wave_can_be_left() {
    let world = crate::waves::world();
    crate::waves::milestone(&world, "m", "", &[crate::waves::task("a", "")]);
    world.run(&["wave", "run", "m"]).exits(0);
    // Before the work, of which the wave makes the one commit.
    let at = 3;
    fork(&world, "m-a", at, "f").exits(0);
    says(&world, &["audit", "f"]).exits(0);
    world.rewrite("f", |mut entries| {
        entries[0].body["own_tree"]["milestone"] = "m".into();
        entries
    });
    let said = says(&world, &["audit", "f"]).exits(1);
    assert!(said.out.contains("[parent_differs]"), "{}", said.out);
}

#[test]
fn a_fork_that_was_killed_before_it_was_one_can_be_made_again() {
    let (world, _) = waiting();
    let at = journal(&world, "t").len() as u64;
    fork(&world, "t", at, "f").exits(0);
    // The journal comes last, and its records after it.
    std::fs::remove_file(world.at(".proofhouse/journal/f.jsonl")).unwrap();
    world.git(&["update-ref", "-d", "refs/proofhouse/records/f"]);
    fork(&world, "t", at, "f").exits(0);
    assert_eq!(stands(&world, "f", at), stands(&world, "t", at));
    says(&world, &["audit"]).exits(0);
    // What somebody has put there is theirs.
    std::fs::remove_file(world.at(".proofhouse/journal/f.jsonl")).unwrap();
    world.git(&["update-ref", "-d", "refs/proofhouse/records/f"]);
    world.write(".proofhouse/worktrees/f/mine.txt", "mine\n");
    let said = fork(&world, "t", at, "f").exits(1);
    assert!(said.err.contains("worktree_in_use"), "{}", said.err);
    assert_eq!(world.read(".proofhouse/worktrees/f/mine.txt"), "mine\n");
}

#[test]
fn what_cannot_be_left_says_so() {
    let world = World::new();
    world.start(HONEST, &["--autonomy", "conservative"]);
    world.run(&["run", "t"]).exits(2);
    world
        .run(&["fork", "t", "--at", "5"])
        .refuses(1, "works_here");
    let (world, _) = waiting();
    let none = ["fork", "t", "--at", "900"];
    says(&world, &none).refuses(1, "unknown_record");
    let taken = ["fork", "t", "--at", "2", "--name", "t"];
    says(&world, &taken).refuses(1, "run_exists");
    says(&world, &["compare", "t", "nobody"]).refuses(1, "unknown_run");
}

//! What somebody stumbles over who uses it for the first time: each with its twin in which nothing is told.

use crate::play::text;
use crate::support::{CHECK, HONEST, Said, TASK, World, says};
use std::os::unix::process::CommandExt;
use std::process::{Command, Stdio};

const SCRIPTED: &str = "scripted:agent/script.toml";

fn done(world: &World, run: &str) {
    let told = ["--name", run, "--check", CHECK, "--agent", SCRIPTED];
    says(world, &[&TASK, &told[..]].concat()).exits(0);
    says(world, &["run", run]).exits(0);
}

/// Whoever is asked about an agent that fails again and again hears what the last attempt came to.
#[test]
fn who_is_asked_hears_what_the_last_attempt_came_to() {
    let world = World::new();
    world.start_by("command:false", CHECK, &[]);
    world.run(&["run", "t"]).exits(2);
    let inbox = world.run(&["inbox"]).exits(0).out;
    let failed = "the agent failed 3 times in a row (crashed): exit code 1\n";
    assert!(inbox.contains(failed), "{inbox}");
    assert!(inbox.contains("(trouble)"), "{inbox}");
}

#[test]
fn do_tells_what_it_leaves_out_and_that_no_branch_is_checked_out() {
    let does = |world: &World| {
        let asked = ["do", "be good", "--workflow", "phase", "--check", CHECK];
        says(
            world,
            &[&asked[..], &["--agent", SCRIPTED, "--name", "t"]].concat(),
        )
        .exits(2)
    };
    let world = World::of_ann();
    world.write("notes.txt", "mine\n");
    world.git(&["checkout", "--quiet", "--detach"]);
    let said = does(&world).out;
    assert!(said.contains("left out     notes.txt"), "{said}");
    assert!(said.contains("`land` will need `--onto BRANCH`"), "{said}");
    let world = World::of_ann();
    let said = does(&world).out;
    assert!(!said.contains("left out"), "{said}");
    assert!(!said.contains("--onto"), "{said}");
}

#[test]
fn records_are_not_pushed_to_a_remote_that_is_not_there() {
    let world = World::of_ann();
    done(&world, "t");
    let said = says(&world, &["records", "push"]).refuses(1, "no_remote");
    assert!(said.err.contains("origin"), "{}", said.err);
    world.git(&["init", "--quiet", "--bare", "agent/remote.git"]);
    world.git(&["remote", "add", "origin", "agent/remote.git"]);
    says(&world, &["records", "push"]).exits(0);
}

/// One run that went on in two places keeps no other one at home, and is named.
#[test]
fn a_run_that_went_on_in_two_places_is_named_and_the_others_are_carried_over() {
    let world = World::of_ann();
    done(&world, "t");
    world.git(&["init", "--quiet", "--bare", "agent/remote.git"]);
    world.git(&["remote", "add", "origin", "agent/remote.git"]);
    says(&world, &["records", "push"]).exits(0);
    // There it becomes something else.
    let records = "refs/proofhouse/records/t";
    let tree = format!("{records}^{{tree}}");
    let other = world.git(&["commit-tree", &tree, "-m", "another way"]);
    let other = other.trim();
    let moved = format!("+{other}:{records}");
    world.git(&["push", "--quiet", "origin", &moved]);
    done(&world, "u");
    for command in ["push", "fetch"] {
        let said = says(&world, &["records", command]).refuses(1, "records_differ");
        assert!(
            said.err.contains("`t` went on here and there"),
            "{}",
            said.err
        );
    }
    let there = world.git(&["ls-remote", "origin", "refs/proofhouse/records/*"]);
    assert!(there.contains("refs/proofhouse/records/u"), "{there}");
    assert!(there.contains(other), "{there}");
}

/// What killed checks left goes after a day, and only what nobody uses.
#[test]
fn gc_removes_what_killed_checks_left_after_a_day() {
    let world = World::new();
    let temporary = world.at("agent/temporary");
    // No machine has as many processes.
    let old = "proofhouse-room-4294967290-old";
    let young = "proofhouse-room-4294967290-young";
    let used = format!("proofhouse-report-{}-used", std::process::id());
    for name in [old, young, used.as_str(), "somebody-elses-4294967290-old"] {
        world.write(&format!("agent/temporary/{name}/file"), "x\n");
        if name != young {
            let aged = aged(&temporary.join(name));
            assert!(aged, "these tests need `touch -d`");
        }
    }
    let gc = |more: &[&str]| {
        let mut command = world.command(&[&["gc"], more].concat());
        Said::from(command.env("TMPDIR", &temporary).output().unwrap()).exits(0)
    };
    assert!(gc(&["--dry-run"]).out.contains(old));
    assert!(temporary.join(old).exists());
    let doctor = || {
        let mut command = world.command(&["doctor"]);
        Said::from(command.env("TMPDIR", &temporary).output().unwrap()).out
    };
    let told = doctor();
    assert!(
        told.contains("killed checks left 1 folder; `proofhouse gc`"),
        "{told}"
    );
    let said = gc(&[]).out;
    assert!(!doctor().contains("killed checks"));
    assert!(said.contains(old) && !said.contains(young), "{said}");
    assert!(!temporary.join(old).exists());
    for name in [young, used.as_str(), "somebody-elses-4294967290-old"] {
        assert!(temporary.join(name).exists(), "{name}");
    }
}

fn aged(path: &std::path::Path) -> bool {
    let mut touch = Command::new("touch");
    let status = touch.args(["-d", "2 days ago"]).arg(path).status();
    status.is_ok_and(|status| status.success())
}

#[test]
fn two_landings_at_once_both_land() {
    let world = World::of_ann();
    // Each has something of its own, so that whichever comes second has something to land.
    for run in ["t", "u"] {
        let code = "{ write = \"repo/code.txt\", text = \"good\\n\" }";
        let more = format!("{{ write = \"repo/{run}.txt\", text = \"{run}\\n\" }}, {code}");
        world.write("agent/script.toml", &HONEST.replacen(code, &more, 1));
        done(&world, run);
    }
    let lands = |run: &str| {
        let mut command = world.command(&["land", run]);
        command.env_remove("PROOFHOUSE_RUNS__TREE").process_group(0);
        command.stdout(Stdio::piped()).stderr(Stdio::piped());
        command.spawn().unwrap()
    };
    let both = [lands("t"), lands("u")];
    for one in both {
        Said::from(one.wait_with_output().unwrap()).exits(0);
    }
    let log = world.git(&["log", "--format=%(trailers:key=Proofhouse-Head,valueonly)"]);
    assert!(log.contains("t@") && log.contains("u@"), "{log}");
    assert_eq!(
        (world.read("t.txt"), world.read("u.txt")),
        ("t\n".into(), "u\n".into())
    );
    assert_eq!(world.git(&["status", "--porcelain"]), "");
    says(&world, &["audit", "--ci"]).exits(0);
}

#[test]
fn a_diff_shows_what_was_edited_after_the_end() {
    let world = World::of_ann();
    done(&world, "t");
    let before = says(&world, &["diff", "t"]).exits(0).out;
    assert!(!before.contains("later.txt"), "{before}");
    world.write(".proofhouse/worktrees/t/later.txt", "by hand\n");
    let after = says(&world, &["diff", "t"]).exits(0).out;
    assert!(after.contains("later.txt"), "{after}");
    assert!(after.contains("-bad\n+good"), "{after}");
}

#[test]
fn a_run_is_named_after_its_sentence_in_any_script() {
    let world = World::of_ann();
    let named = |sentence: &str| {
        let asked = [
            "new", "quick", sentence, "--check", CHECK, "--agent", SCRIPTED,
        ];
        let said = says(&world, &[&asked[..], &["--json"]].concat()).exits(0);
        said.json()["run"].as_str().unwrap().to_owned()
    };
    for (sentence, name) in [
        ("Исправить итоги корзины!", "ispravit-itogi-korziny"),
        ("Größe für alle", "groesse-fuer-alle"),
        ("διόρθωσε το σύνολο", "diorthose-to-synolo"),
        ("🎉 fix totals", "fix-totals"),
    ] {
        assert_eq!(named(sentence), name, "{sentence}");
    }
    // In letters that a name does not have: each sentence has a name of its own.
    for sentence in ["修复购物车的总价", "合计应包括税", "🎉🎉"] {
        let hash = &store::sha256_hex(sentence.as_bytes())[..6];
        assert_eq!(named(sentence), format!("quick-{hash}"), "{sentence}");
    }
    let long = named("исправить итоги всех корзин и всех заказов во всех магазинах");
    assert!(
        long.len() <= 32 && long.starts_with("ispravit-itogi"),
        "{long}"
    );
}

/// Work that was never judged cannot be passed by whoever is asked.
#[test]
fn an_agent_that_never_left_a_result_cannot_be_approved() {
    let world = World::of_ann();
    world.write("tests/run.sh", &text("add/run.sh"));
    // Each time another fault, so that it goes on until a budget is used up.
    let wrong = |nth: usize| {
        let text = format!("{}no result", " ".repeat(nth));
        format!("[[attempt]]\nstate = \"work\"\nattempt = {nth}\nresult_text = '{text}'\n")
    };
    let script: String = (1..=12).map(wrong).collect();
    world.write("agent/script.toml", &script);
    let asked = ["do", "be good", "--check", CHECK, "--agent", SCRIPTED];
    says(&world, &[&asked[..], &["--name", "t"]].concat()).exits(2);
    let inbox = says(&world, &["inbox"]).exits(0).out;
    for option in ["approve", "unchanged", "allow_tests"] {
        let offered = format!("decide t {option} ");
        assert!(!inbox.contains(&offered), "{option}: {inbox}");
    }
    assert!(inbox.contains("decide t extend "), "{inbox}");
    let key = world.approver("ann");
    let said = world.decide(&key, "unchanged");
    said.refuses(1, "nothing_refused");
}

/// The branch that a person names is the one that the settling run is for, and one settles at a time.
#[test]
fn settling_is_for_the_branch_that_was_named_and_is_begun_once() {
    let world = World::of_ann();
    done(&world, "t");
    world.git(&["checkout", "--quiet", "-b", "release"]);
    world.write("code.txt", "somebody else's\n");
    world.commit("another word");
    world.git(&["checkout", "--quiet", "main"]);
    let brings = r#"{ write = "repo/code.txt", text = "good and somebody else's\n" }"#;
    let script = HONEST.replacen(r#"{ write = "repo/code.txt", text = "good\n" }"#, brings, 1);
    world.write("agent/script.toml", &script);
    let settle = ["land", "t", "--settle", "--onto", "release"];
    says(&world, &settle).exits(2);
    let journal = world.read(".proofhouse/journal/t-settled.jsonl");
    let first: serde_json::Value = serde_json::from_str(journal.lines().next().unwrap()).unwrap();
    assert_eq!(first["body"]["own_tree"]["target"], "release", "{first:#}");
    let said = says(&world, &settle).refuses(1, "settled_already");
    assert!(
        said.err.contains("proofhouse abandon t-settled"),
        "{}",
        said.err
    );
    let runs = says(&world, &["status", "--json"]).exits(0).json();
    assert_eq!(runs.as_array().map(Vec::len), Some(2), "{runs:#}");
    // Given up, it may be begun anew.
    let key = world.approver("ann");
    let abandon = ["abandon", "t-settled", "--sign", key.to_str().unwrap()];
    says(&world, &abandon).exits(0);
    says(&world, &settle).exits(2);
}

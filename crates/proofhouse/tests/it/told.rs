//! What people are told: who made the work, what they themselves said of it and what became of that, what has
//! landed, what still waits for their word, and what a shell can complete.

use crate::quick::kept;
use crate::support::{BIN, HONEST, World};
use crate::waves;
use std::process::Command;

/// A rejection is a person's word: it has an id, is called what it is, and whoever mends answers to it.
#[test]
fn what_a_person_sends_back_has_an_id_and_its_makers_have_names() {
    let world = World::new();
    let answers = HONEST.replace(
        "result = { summary = \"repaired\", next = \"verify\" }",
        "result = { summary = \"repaired\", next = \"verify\", settled = [{ finding = \"R1\", how = \"wrote the word anew\" }] }",
    );
    let answers = answers.replace(
        "result = { summary = \"framed\" }",
        "result = { summary = \"framed\", verdict = \"pass\" }",
    );
    world.start(&answers, &["--autonomy", "conservative"]);
    world.run(&["run", "t"]).exits(2);
    let first = world.run(&["inbox"]).exits(0).out;
    assert!(
        first.contains("maker says  coder (scripted): built"),
        "{first}"
    );
    assert!(!first.contains("fixer"), "{first}");
    // What nobody was asked and decides something is read by whoever approves.
    let frame =
        "frame       User facing: no, as it was laid out (yes or no: does a user see the result?";
    assert!(first.contains(frame), "{first}");
    // Who wrote what is asked for has reviewed nothing.
    assert!(!first.contains("reviewed    framer"), "{first}");
    let key = world.approver("ann");
    world.decide(&key, "reject").exits(0);
    world.run(&["run", "t"]).exits(2);

    let log = world.run(&["log", "t"]).exits(0).out;
    assert!(log.contains("sent back by a person"), "{log}");
    assert!(!log.contains("the gate failed"), "{log}");
    let inbox = world.run(&["inbox"]).exits(0).out;
    for maker in ["coder (scripted): built", "fixer (scripted): repaired"] {
        let row = format!("maker says  {maker}");
        assert!(inbox.contains(&row), "no `{row}` in\n{inbox}");
    }
    let brief = kept(&world, "repair brief").remove(0);
    let said = "D1 ann@example.org decided `reject`: I looked at it";
    assert!(brief.contains(said), "{brief}");
    let brief = kept(&world, "review brief").remove(0);
    assert!(brief.contains(said), "{brief}");
    assert!(
        brief.contains("-> in `repair`: wrote the word anew"),
        "{brief}"
    );
    let page = world.read("tasks/t/artifacts/evidence.html");
    assert!(page.contains("id=\"D1\""), "{page}");
    assert!(page.contains("wrote the word anew"), "{page}");
}

#[test]
fn runs_of_a_wave_are_landed_once_they_are_merged_and_criteria_wait_for_a_person() {
    let world = waves::world();
    let began = world.git(&["rev-parse", "HEAD"]);
    let head = "criteria = [\"a is there (verify: test -f a.txt)\", \"it is nice\"]\n";
    let tasks = [
        waves::task("a", ""),
        waves::task("b", ""),
        waves::task("c", "depends_on = [\"a\"]"),
    ];
    waves::milestone(&world, "m", head, &tasks);
    world.run(&["wave", "run", "m", "--jobs", "1"]).exits(2);
    let fates = || {
        let runs = world.run(&["status", "--json"]).exits(0).json();
        let runs = runs.as_array().unwrap().iter();
        let fate = |run: &serde_json::Value| run["fate"]["became"].as_str().map(str::to_owned);
        runs.map(fate).collect::<Vec<_>>()
    };
    assert_eq!(fates(), vec![Some("landed".to_owned()); 3]);
    for args in [["inbox"], ["guide"], ["status"]] {
        let said = world.run(&args).exits(0).out;
        assert!(!said.contains("not landed"), "{said}");
    }
    for args in [["inbox"], ["guide"], ["report"]] {
        let said = world.run(&args).exits(0).out;
        assert!(said.contains("criterion 2"), "{args:?}: {said}");
        assert!(said.contains("it is nice"), "{args:?}: {said}");
    }
    let guide = world.run(&["guide"]).exits(0).out;
    assert!(
        guide.contains("proofhouse wave tick m 2 --because"),
        "{guide}"
    );
    let key = world.approver("ann");
    let tick = ["wave", "tick", "m", "2", "--because", "it is", "--sign"];
    let tick = [&tick[..], &[key.to_str().unwrap()]].concat();
    world.run(&tick).exits(0);
    let inbox = world.run(&["inbox"]).exits(0).out;
    assert!(!inbox.contains("criterion"), "{inbox}");
    // What no branch has is landed nowhere, whatever the journal of the wave says.
    world.git(&["update-ref", "-d", "refs/heads/proofhouse/m"]);
    world.git(&["reset", "--quiet", "--hard", &began]);
    assert_eq!(fates(), vec![None; 3]);
}

#[test]
fn a_shell_completes_the_names_of_runs() {
    let world = World::new();
    world.start(HONEST, &[]);
    let named = world.run(&["completions", "--runs"]).exits(0).out;
    assert_eq!(named, "t\n");
    let script = world.run(&["completions", "bash"]).exits(0).out;
    world.write("agent/complete", &script);
    let complete = |words: &str, at: &str| {
        let asks = format!(
            "source agent/complete; COMP_WORDS=({BIN} {words}); COMP_CWORD={at}; \
             _proofhouse_with_runs {BIN} \"${{COMP_WORDS[$COMP_CWORD]}}\" \"${{COMP_WORDS[$((COMP_CWORD-1))]}}\"; echo \"${{COMPREPLY[*]}}\""
        );
        let mut bash = Command::new("bash");
        bash.args(["-c", &asks]).current_dir(world.path());
        let said = bash.output().expect("this test needs bash");
        String::from_utf8_lossy(&said.stdout).trim().to_owned()
    };
    assert_eq!(complete("status ''", "2"), "t");
    assert_eq!(complete("decide t", "2"), "t");
    assert_eq!(complete("status x", "2"), "");
    assert!(complete("status --js", "2").contains("--json"));
    assert!(complete("stat", "1").contains("status"));
    for (shell, asks) in [("zsh", ":_proofhouse_runs'"), ("fish", "-a \"(proofhouse")] {
        let script = world.run(&["completions", shell]).exits(0).out;
        assert!(script.contains(asks), "{shell}");
    }
    // Outside of a repository there is nothing to name, and nothing to complain about.
    let nowhere = World::empty();
    let said = nowhere.run(&["completions", "--runs"]).exits(0);
    assert_eq!((said.out.as_str(), said.err.as_str()), ("", ""));
}

#[test]
fn words_that_people_try_lead_to_decide() {
    let world = World::new();
    for word in ["approve", "reject", "freeze"] {
        let said = world.run(&[word, "t"]).exits(1);
        let meant = format!("proofhouse decide RUN {word} --because");
        assert!(said.err.contains(&meant), "{}", said.err);
        let said = world.run(&[word, "t", "--json"]).exits(1);
        let error: serde_json::Value = serde_json::from_str(&said.err).unwrap();
        let mend = error["error"]["mend"].as_str().unwrap();
        assert!(mend.contains(&meant), "{error}");
    }
    let said = world.run(&["fly"]).exits(1);
    assert!(!said.err.contains("decide RUN"), "{}", said.err);
    // Whoever comes from `add.py` is told what it is called here.
    for (there, here) in [
        ("new-task", "proofhouse milestone add"),
        ("ready", "proofhouse wave status"),
        ("gate", "proofhouse decide RUN approve"),
        ("wave-verify", "proofhouse wave verify"),
    ] {
        let said = world.run(&[there, "t"]).exits(1);
        assert!(said.err.contains(here), "{}", said.err);
    }
}

#[test]
fn a_fresh_repository_is_told_to_say_who_works() {
    let world = World::new();
    let guide = world.run(&["guide"]).exits(0).out;
    assert!(guide.contains("  proofhouse init\n"), "{guide}");
    assert!(guide.contains("  proofhouse do '...'\n"), "{guide}");
    world.run(&["init", "--agent", "command:cat"]).exits(0);
    let guide = world.run(&["guide"]).exits(0).out;
    assert!(!guide.contains("init"), "{guide}");
    assert!(guide.contains("  proofhouse do '...'\n"), "{guide}");
}

//! What people stumbled over once everything worked: edits in their own tree, an agent that fails the same
//! way again and again, words that were hard to reach, lines that were too long. Each with its twin.

use crate::support::{CHECK, Said, World, says};
use std::os::unix::fs::PermissionsExt;
use std::process::Stdio;
use std::time::{Duration, Instant};

/// A repository, and a program that is its agent.
fn with_agent(program: &str) -> (World, String) {
    let world = World::of_ann();
    world.write(
        "agent/it",
        &format!("#!/bin/sh\ncat > /dev/null\n{program}"),
    );
    let runs = std::fs::Permissions::from_mode(0o755);
    std::fs::set_permissions(world.at("agent/it"), runs).unwrap();
    let agent = format!("command:{}", world.at("agent/it").display());
    (world, agent)
}

/// A run `t` of `quick` by this program, as far as it comes.
fn driven(program: &str, more: &[&str]) -> (World, Said) {
    let (world, agent) = with_agent(program);
    let task = ["do", "be good", "--name", "t", "--check", CHECK, "--agent"];
    let said = says(&world, &[&task[..], &[&agent], more].concat());
    (world, said)
}

fn attempts(world: &World) -> usize {
    let journal = world.journal();
    let ended = journal.iter();
    ended
        .filter(|record| record["kind"] == "attempt_ended.v1")
        .count()
}

const ANSWERS: &str = "echo '{\"summary\": \"it is good\"}' > \"$PROOFHOUSE_RESULT\"\n";

/// Whoever edits a file in their own tree while a run works there hears of the conflict; and if the agent
/// writes over the edit all the same, it is on a ref.
#[test]
fn an_edit_that_a_run_writes_over_is_kept_and_told() {
    let agent = "until test -e \"$HERE/edited\"; do touch \"$HERE/started\"; sleep 0.05; done\necho good > code.txt\n";
    let (world, _) = with_agent("");
    let here = world.at("agent").display().to_string();
    let program = format!("#!/bin/sh\ncat > /dev/null\nHERE={here}\n{agent}{ANSWERS}");
    world.write("agent/it", &program);
    let agent = format!("command:{}", world.at("agent/it").display());
    let task = ["do", "be good", "--name", "t", "--check", CHECK, "--agent"];
    let mut command = world.command(&[&task[..], &[&agent, "--here"]].concat());
    command.stdout(Stdio::piped()).stderr(Stdio::piped());
    let running = command.spawn().unwrap();
    let began = Instant::now();
    while !world.at("agent/started").exists() && began.elapsed() < Duration::from_secs(60) {
        std::thread::sleep(Duration::from_millis(20));
    }
    world.write("code.txt", "mine\n");
    world.write("agent/edited", "");
    let said = Said::from(running.wait_with_output().unwrap()).exits(2).out;
    assert!(said.contains("was changed by somebody else"), "{said}");
    let kept = world.git(&[
        "for-each-ref",
        "--format=%(refname)",
        "refs/proofhouse/replaced",
    ]);
    assert_eq!(kept.lines().count(), 1, "{kept}");
    assert!(
        said.contains(&format!("they are kept: git show {kept}")),
        "{said}"
    );
    assert_eq!(world.git(&["show", &format!("{kept}:code.txt")]), "mine");
    assert_eq!(world.read("code.txt"), "good\n");
    let log = world.run(&["log", "t"]).exits(0).out;
    assert!(log.contains(&kept), "{log}");
}

/// What the run itself left is nobody's edit, and what is committed is not lost.
#[test]
fn what_a_run_left_itself_is_no_edit() {
    let agent =
        "test \"$(cat code.txt)\" = almost && echo good > code.txt || echo almost > code.txt\n";
    let (world, said) = driven(&format!("{agent}{ANSWERS}"), &["--here"]);
    let said = said.exits(2);
    assert_eq!(world.read("code.txt"), "good\n", "{}", said.out);
    assert_eq!(attempts(&world), 2, "{}", said.out);
    assert!(!said.out.contains("they are kept"), "{}", said.out);
    assert_eq!(world.git(&["for-each-ref", "refs/proofhouse/replaced"]), "");
}

/// The same failure over and over is the agent's: a person hears of it after three.
#[test]
fn who_fails_alike_is_asked_about_after_three_times() {
    let wrong = "echo '{}' > \"$PROOFHOUSE_RESULT\"\n";
    let made = "echo good > code.txt; echo wrong > \"$PROOFHOUSE_RESULT\"\n";
    for (program, times) in [(wrong, 3), ("exit 7\n", 3), (made, 4)] {
        let (world, said) = driven(program, &[]);
        let out = said.exits(2).out;
        assert_eq!(attempts(&world), times, "{out}");
        let told = format!("waits for a person (trouble): the agent failed {times} times in a row");
        assert!(out.contains(&told), "no `{told}` in\n{out}");
        for part in [
            "`proofhouse log t --attempt`",
            "`proofhouse run t --agent OTHER`",
        ] {
            assert!(out.contains(part), "no `{part}` in\n{out}");
        }
        assert!(!out.contains("doctor"), "{out}");
        // Who has it tried again has it tried, and hears of it again.
        let key = world.approver("ann");
        world.decide(&key, "retry").exits(0);
        says(&world, &["run", "t"]).exits(2);
        assert!(attempts(&world) > times && attempts(&world) <= 2 * times);
    }
}

/// Who fails in another way each time may be about to find out.
#[test]
fn who_fails_otherwise_each_time_goes_on() {
    let (world, said) = driven("exit \"$PROOFHOUSE_ATTEMPT\"\n", &[]);
    let out = said.exits(2).out;
    assert!(attempts(&world) > 3, "{out}");
    assert!(out.contains("waits for a person (budget)"), "{out}");
    assert!(out.contains("the budget `passes` was used up"), "{out}");
}

/// The agent's own words are one command away.
#[test]
fn an_attempt_is_shown_in_the_agents_own_words() {
    let agent = "echo 'I look around'; echo good > code.txt\necho '{\"summary\": \"it is good, and here is why\", \"notes\": [\"a thing to know\"]}' > \"$PROOFHOUSE_RESULT\"\n";
    let (world, said) = driven(agent, &[]);
    said.exits(2);
    let last = says(&world, &["log", "t", "--attempt"]).exits(0).out;
    for part in [
        "e0003  coder of `work`, by command: done after",
        "changed     repo/code.txt",
        "says        it is good, and here is why",
        "I look around",
    ] {
        assert!(last.contains(part), "no `{part}` in\n{last}");
    }
    for name in ["e0003", "3"] {
        let one = says(&world, &["log", "t", "--attempt", name]).exits(0).out;
        assert_eq!(one, last);
    }
    let facts = says(&world, &["log", "t", "--attempt", "--json"]);
    let facts = facts.exits(0).json();
    assert_eq!(facts["result"]["summary"], "it is good, and here is why");
    assert_eq!(facts["ended"], "done", "{facts:#}");
    let said = says(&world, &["log", "t", "--attempt", "9"]).refuses(1, "unknown_attempt");
    assert!(said.err.contains("e0003"), "{}", said.err);
}

/// Nobody waits for a suite to hear that their tree is in the way.
#[test]
fn a_tree_in_the_way_is_told_before_anything_is_proven_again() {
    let (world, agent) = with_agent(&format!("echo good > code.txt\n{ANSWERS}"));
    let ran = world.at("agent/ran").display().to_string();
    let check = format!("echo x >> {ran}; grep -q good code.txt\n");
    world.write("check.sh", &check);
    world.commit("a check");
    let task = ["do", "be good", "--name", "t", "--agent", &agent];
    let more = ["--autonomy", "auto", "--check", "sh check.sh"];
    says(&world, &[&task[..], &more].concat()).exits(0);
    world.write("other.txt", "meanwhile\n");
    world.commit("the branch moves");
    world.write("code.txt", "mine\n");
    let before = world.read("agent/ran");
    let said = says(&world, &["land", "t"]).refuses(1, "tree_in_the_way");
    assert!(said.err.contains("code.txt"), "{}", said.err);
    assert_eq!(world.read("agent/ran"), before, "it was proven first");
    assert_eq!(world.read("code.txt"), "mine\n");
    // What is in nobody's way stays, and the work lands.
    world.write("code.txt", "bad\n");
    world.write("notes.txt", "mine\n");
    says(&world, &["land", "t"]).exits(0);
    assert!(world.read("agent/ran").len() > before.len());
    assert_eq!(world.read("notes.txt"), "mine\n");
}

/// A second request for the same work says what is there; one for other work gives it; what somebody else
/// pushed stays.
#[test]
fn a_second_pull_request_says_what_is_there() {
    let (world, agent) = with_agent(&format!("echo good > code.txt\n{ANSWERS}"));
    let task = ["do", "be good", "--name", "t", "--agent", &agent];
    let more = ["--autonomy", "auto", "--check", CHECK];
    says(&world, &[&task[..], &more].concat()).exits(0);
    let remote = tempfile::tempdir().unwrap();
    let remote = remote.path().to_str().unwrap();
    world.git(&["init", "--quiet", "--bare", remote]);
    world.git(&["remote", "add", "origin", remote]);
    let opened = world.at("agent/opened").display().to_string();
    let gh = format!(
        "#!/bin/sh\ncat > /dev/null\nif test \"$2\" = edit; then echo \"edited $3\" >> {opened}; exit 0; fi\n\
         if test -e {opened}; then echo 'a pull request already exists: https://example.org/pr/7' >&2; exit 1; fi\n\
         touch {opened}; echo https://example.org/pr/7\n"
    );
    world.write("agent/bin/gh", &gh);
    std::fs::set_permissions(world.at("agent/bin/gh"), PermissionsExt::from_mode(0o755)).unwrap();
    let path = std::env::var("PATH").unwrap();
    let path = format!("{}:{path}", world.at("agent/bin").display());
    let asks = || {
        let mut command = world.command(&["pr", "t"]);
        command
            .env_remove("PROOFHOUSE_RUNS__TREE")
            .env("PATH", &path);
        Said::from(command.output().unwrap())
    };
    let first = asks().exits(0).out;
    assert!(
        first.contains("pushed `proofhouse/t` to `origin`\n"),
        "{first}"
    );
    let there = || world.git(&["ls-remote", "origin", "refs/heads/proofhouse/t"]);
    let pushed = there();
    let second = asks().exits(0).out;
    assert!(
        second.contains("is at `origin` already, with the same work"),
        "{second}"
    );
    assert!(second.contains("https://example.org/pr/7"), "{second}");
    assert_eq!(there(), pushed);
    assert!(world.read("agent/opened").contains("edited proofhouse/t"));
    // The branch moves: the same work stands on another commit.
    world.write("other.txt", "meanwhile\n");
    world.commit("the branch moves");
    let third = asks().exits(0).out;
    assert!(third.contains("anew: an earlier `pr` gave way"), "{third}");
    assert_ne!(there(), pushed);
    // Somebody goes on with it.
    let name = "refs/heads/proofhouse/t";
    world.git(&["fetch", "--quiet", "origin", name]);
    let tree = "FETCH_HEAD^{tree}";
    let mine = world.git(&["commit-tree", tree, "-p", "FETCH_HEAD", "-m", "my own"]);
    world.git(&["push", "--quiet", "origin", &format!("{mine}:{name}")]);
    asks().refuses(1, "branch_taken");
    assert!(there().starts_with(&mine));
}

/// No line is wider than the terminal, save a word or a command that people copy.
#[test]
fn lines_are_folded_to_the_width_of_the_terminal() {
    let words = "a summary that goes on and on ".repeat(8);
    let agent = format!(
        "echo good > code.txt\necho '{{\"summary\": \"{words}\"}}' > \"$PROOFHOUSE_RESULT\"\n"
    );
    let (world, said) = driven(&agent, &[]);
    said.exits(2);
    for args in [
        &["status", "t"][..],
        &["inbox"],
        &["config", "show", "--all"],
        &["log", "t", "--attempt"],
    ] {
        let shown = |columns: &str| {
            let mut command = world.command(args);
            command.env_remove("PROOFHOUSE_RUNS__TREE");
            let said = command.env("COLUMNS", columns).output().unwrap();
            Said::from(said).exits(0).out
        };
        let text = shown("80");
        let copied = |line: &str| {
            let line = line.trim_start();
            let command = line.starts_with("proofhouse ") && !line.contains("   # ");
            command || !line.contains(' ') || line.contains("file://")
        };
        // What the terminal itself says is no affair of ours.
        for line in text.lines().filter(|line| !copied(line)) {
            let words = line.split_whitespace();
            let longest = words.map(|word| word.chars().count()).max().unwrap_or(0);
            let width = line.chars().count();
            assert!(width <= 80 || longest > 60, "{args:?}: {width}: {line}");
        }
        assert!(text.lines().count() >= shown("1000").lines().count());
    }
}

/// A run in the person's own tree is audited on a fresh clone like any other, also after ordinary work on
/// the same files. Where git sees its records, they are the tree's and on no ref.
#[test]
fn a_run_in_the_own_tree_is_audited_on_a_fresh_clone() {
    let (world, agent) = with_agent(&format!("echo good > code.txt\n{ANSWERS}"));
    let task = ["do", "be good", "--name", "t", "--agent", &agent, "--here"];
    let more = ["--autonomy", "auto", "--check", CHECK];
    let asked = [&task[..], &more].concat();
    world.run(&asked).exits(0);
    world.git(&["commit", "--quiet", "-am", "take it"]);
    let remote = tempfile::tempdir().unwrap();
    let remote = remote.path().to_str().unwrap();
    world.git(&["init", "--quiet", "--bare", "--initial-branch=main", remote]);
    world.git(&["remote", "add", "origin", remote]);
    world.git(&["push", "--quiet", "origin", "main"]);
    world.run(&["records", "push"]).exits(0);
    let clone = World::empty();
    clone.git(&["clone", "--quiet", remote, "."]);
    clone.run(&["records", "fetch"]).exits(0);
    clone.run(&["audit", "--ci"]).exits(0);
    let said = clone.run(&["audit", "t"]).exits(0).out;
    assert!(said.contains("clean t"), "{said}");
    clone.write("code.txt", "better\n");
    clone.git(&["config", "user.name", "Ann"]);
    clone.git(&["config", "user.email", "ann@example.org"]);
    clone.git(&["commit", "--quiet", "-am", "ordinary work"]);
    clone.run(&["audit", "--ci"]).exits(0);

    let world = World::new();
    world.write("agent/script.toml", crate::support::HONEST);
    world.start(crate::support::HONEST, &[]);
    world.run(&["run", "t"]).exits(0);
    assert_eq!(world.git(&["for-each-ref", "refs/proofhouse/records"]), "");
}

/// A sentence is a sentence, however it begins, down to the commit.
#[test]
fn a_sentence_that_begins_with_dashes_is_done_and_landed() {
    let (world, agent) = with_agent(&format!("echo good > code.txt\n{ANSWERS}"));
    let more = ["--autonomy", "auto", "--check", CHECK, "--agent", &agent];
    let sentence = "--quiet says nothing; #7 `x` \"y\" $HOME";
    let said = says(
        &world,
        &[&["do", "--name", "t"], &more[..], &[sentence]].concat(),
    )
    .exits(1);
    assert!(said.err.contains("stands behind `--`"), "{}", said.err);
    says(
        &world,
        &[&["do", "--name", "t"], &more[..], &["--", sentence]].concat(),
    )
    .exits(0);
    says(&world, &["land", "t"]).exits(0);
    assert_eq!(world.git(&["log", "-1", "--format=%s"]), sentence);
}

/// Whoever looks on hears how many mutants there are, and at which one a gate is.
#[test]
fn a_gate_says_at_which_mutant_it_is() {
    let code = "printf 'def total(prices):\\n    return sum(prices) + 1\\n' > sums.py\n";
    let test = "printf 'import unittest\\nfrom sums import total\\nclass Sums(unittest.TestCase):\\n    def test_of_two(self):\\n        self.assertEqual(total([1, 2]), 4)\\n' > tests/test_sums.py\n";
    let (world, agent) = with_agent(&format!("{code}{test}{ANSWERS}"));
    world.write("agent/mutants", "");
    world.write("sums.py", "");
    let old = "import unittest\nclass Old(unittest.TestCase):\n    def test_old(self):\n        self.assertTrue(True)\n";
    world.write("tests/test_old.py", old);
    world.commit("a suite");
    let check = "python3 -m unittest discover -s tests";
    let task = [
        "do",
        "make sums",
        "--name",
        "t",
        "--check",
        check,
        "--agent",
    ];
    let said = says(
        &world,
        &[&task[..], &[&agent, "--autonomy", "auto"]].concat(),
    );
    let now = world.read(".proofhouse/work/t/now");
    assert!(now.contains("mutant 1 of "), "{now}\n{}", said.out);
}

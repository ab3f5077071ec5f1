//! The `quick` workflow and `do` through the real binary: one attempt, the engine's proof, a person's look.

use crate::play::text;
use crate::support::{Said, World, says};
use std::collections::BTreeSet;

/// A repository with a suite of its own, and an agent that does everything right.
pub(crate) fn world() -> World {
    let world = World::new();
    world.write(".gitignore", "agent/\n.proofhouse/\n");
    world.write("tests/run.sh", &text("add/run.sh"));
    world.write("tests/cases", "one|5|5\n");
    world.write("src/total.sh", "total() { echo \"$1\"; }\n");
    world.write("agent/script.toml", &text("quick/happy.toml"));
    world.write(
        "Makefile",
        "test:\n\tPROOFHOUSE_REPORT=/dev/null sh tests/run.sh\n",
    );
    world.git(&["config", "user.name", "Ann"]);
    world.git(&["config", "user.email", "ann@example.org"]);
    world.commit("sample");
    world
}

fn does(world: &World, more: &[&str]) -> Said {
    let mut args = vec!["do", "make totals of carts", "--agent"];
    args.extend(["scripted:agent/script.toml", "--name", "t"]);
    args.extend(more);
    says(world, &args)
}

fn attempts(world: &World) -> Vec<String> {
    let journal = world.journal();
    let began = journal.iter().filter(|record| {
        record["kind"] == "effect_began.v1" && record["body"]["kind"] == "attempt"
    });
    began
        .map(|record| record["body"]["state"].as_str().unwrap().to_owned())
        .collect()
}

/// What the vault has under a name that ends so, the last one first.
pub(crate) fn kept(world: &World, ends: &str) -> Vec<String> {
    let journal = world.journal();
    let evidence = journal
        .iter()
        .rev()
        .filter_map(|record| record["body"]["outcome"]["evidence"].as_array());
    evidence
        .flatten()
        .filter(|piece| piece["name"].as_str().unwrap().ends_with(ends))
        .map(|piece| {
            let hash = piece["hash"].as_str().unwrap();
            world.read(&format!(".proofhouse/evidence/{}/{hash}", &hash[..2]))
        })
        .collect()
}

/// What a suite without a test said before anybody worked is told of nobody's work.
#[test]
fn a_suite_that_was_empty_before_leaves_nothing_unproven() {
    let world = world();
    world.write("tests/cases", "");
    let counts = format!(
        "{}echo \"Ran $count tests in 0s\"\n[ \"$failed\" = 0 ]\n",
        text("add/run.sh")
    );
    world.write("tests/run.sh", &counts);
    world.commit("no test yet");
    does(&world, &[]).exits(2);
    let facts = says(&world, &["inbox", "--json"]).exits(0).json();
    let grounds = &facts[0]["grounds"];
    assert!(
        !grounds["proven"].as_array().unwrap().is_empty(),
        "{grounds:#}"
    );
    assert_eq!(grounds["unproven"], serde_json::json!([]), "{grounds:#}");
}

#[test]
fn one_attempt_is_proven_and_lands_as_one_commit() {
    let world = world();
    // The proof pays nobody: the last attempt that may be made is judged all the same.
    let once = ["--autonomy", "auto", "--budget", "attempts=1"];
    let said = does(&world, &once).exits(0);
    for part in [
        "validation   make test  (found in the repository)",
        "prove -> done",
        "red_green: new tests on the code before",
        "proofhouse land t",
    ] {
        assert!(said.out.contains(part), "no `{part}` in\n{}", said.out);
    }
    assert_eq!(attempts(&world), ["work"]);
    assert_eq!(world.read("src/total.sh"), "total() { echo \"$1\"; }\n");
    says(&world, &["land", "t"]).exits(0);
    let changed = world.git(&["show", "--name-only", "--format=%s", "HEAD"]);
    assert_eq!(changed, "make totals of carts\n\nsrc/total.sh\ntests/cases");
    let trailers = world.git(&["show", "-s", "--format=%(trailers)", "HEAD"]);
    assert!(trailers.contains("Proofhouse-Evidence: weak"), "{trailers}");
    says(&world, &["audit", "--ci"]).exits(0);
    let said = says(&world, &["audit"]).exits(0);
    assert!(said.out.contains("of evidence (weak)"), "{}", said.out);
}

/// An exit code is all that `make test` has: nobody is spared the look by `auto`.
#[test]
fn weak_evidence_is_not_enough_under_auto() {
    let world = world();
    let mut args = vec!["do", "make totals of carts", "--agent"];
    args.extend(["scripted:agent/script.toml", "--name", "t"]);
    args.extend(["--autonomy", "auto"]);
    let mut command = world.command(&args);
    command.env_remove("PROOFHOUSE_RUNS__TREE");
    command.env_remove("PROOFHOUSE_APPROVALS__WEAK");
    let said = Said::from(command.output().unwrap()).exits(2);
    let why = "weak: an exit code is all that there is, or a report of its own making: ";
    assert!(said.out.contains(why), "{}", said.out);
    says(&world, &["land", "t"]).refuses(1, "not_done");
    says(&world, &["audit", "t"]).exits(0);
}

/// Whoever names no rung looks at the diff, and only a person does.
#[test]
fn the_last_look_is_a_persons() {
    let world = world();
    let said = does(&world, &[]).exits(2);
    assert!(said.out.contains("tests/cases"), "{}", said.out);
    says(&world, &["land", "t"]).refuses(1, "not_done");
    let key = world.approver("ann");
    let approve = ["decide", "t", "approve", "--because", "it is so"];
    says(&world, &approve).refuses(1, "signature_required");
    let key = key.to_str().unwrap();
    let said = says(&world, &[&approve[..], &["--sign", key]].concat()).exits(0);
    assert!(said.out.contains("next: proofhouse land t"), "{}", said.out);
    says(&world, &["land", "t"]).exits(0);
    assert!(world.read("tests/cases").contains("two"));
}

/// Git takes code with a byte of zero in it for no text; whoever approves sees it all the same.
#[test]
fn no_byte_hides_code_from_who_approves() {
    let world = world();
    let happy = text("quick/happy.toml");
    let hides = r##"steps = [
    { run = "printf '// a\\000\\nsteal()\\n' > src/more.js", must = true },"##;
    world.write("agent/script.toml", &happy.replacen("steps = [", hides, 1));
    let said = does(&world, &[]).exits(2);
    for said in [said, says(&world, &["diff", "t"]).exits(0)] {
        assert!(said.out.contains("+steal()"), "{}", said.out);
        assert!(!said.out.contains("it is no text"), "{}", said.out);
    }
}

/// What a person approves is on record when they have: no gate of an earlier state had passed.
#[test]
fn a_change_that_no_test_could_show_lands_when_it_is_approved() {
    let world = world();
    let says_so = r##"[[attempt]]
state = "work"
steps = [{ write = "repo/README.md", text = "# Carts\n" }]
result = { summary = "a sentence for people; nothing behaves otherwise", next = "no_behaviour" }
"##;
    world.write("agent/script.toml", says_so);
    does(&world, &[]).exits(2);
    let key = world.approver("ann");
    let key = key.to_str().unwrap();
    for option in ["unchanged", "approve"] {
        let decide = [
            "decide",
            "t",
            option,
            "--because",
            "it is prose",
            "--sign",
            key,
        ];
        says(&world, &decide).exits(0);
        if option == "unchanged" {
            says(&world, &["run", "t"]).exits(2);
            // No question to the product could show a sentence for people.
            let asked = says(&world, &["inbox"]).exits(0);
            assert!(asked.out.contains("worth "), "{}", asked.out);
            assert!(!asked.out.contains("--exam"), "{}", asked.out);
        }
    }
    let said = says(&world, &["diff", "t"]).exits(0);
    assert!(said.out.contains("README.md"), "{}", said.out);
    says(&world, &["land", "t"]).exits(0);
    assert_eq!(world.read("README.md"), "# Carts\n");
    says(&world, &["audit", "t"]).exits(0);
}

#[test]
fn another_agent_reads_it_with_the_change_in_hand() {
    let world = world();
    let reads = r##"[[attempt]]
state = "review"
attempt = 1
steps = [
    { run = "grep -q '^+two' ../change.patch && grep -q '^tests/cases$' ../changed-files.txt && grep -q 'pass red_green' ../checks.md", must = true },
]
result = { summary = "no", verdict = "fail", findings = [{ kind = "correctness", severity = "required", place = "src/total.sh:4", what = "a price that is no number is taken for a sum; it should be refused with a message that says which price was wrong, as the importer does it in its own way" }] }
[[attempt]]
state = "mend"
steps = [{ append = "repo/src/total.sh", text = "# prices are numbers\n" }]
result = { summary = "said that prices are numbers" }
"##;
    let script = format!("{reads}{}", text("quick/happy.toml"));
    world.write("agent/script.toml", &script);
    does(&world, &["--autonomy", "auto", "--review"]).exits(0);
    assert_eq!(attempts(&world), ["work", "review", "mend", "review"]);
    let briefs = kept(&world, "brief");
    // The finding reaches whoever mends it, and whoever looks again, whole; and so does the answer.
    let whole = "as the importer does it in its own way";
    assert!(briefs[0].contains(whole), "{}", briefs[0]);
    assert!(
        briefs[0].contains("-> in `mend`: said that prices are numbers"),
        "{}",
        briefs[0]
    );
    assert!(briefs[1].contains(whole), "{}", briefs[1]);

    // And so does a person who is asked how it goes on.
    let world = self::world();
    world.write("agent/script.toml", &script);
    let two = ["--autonomy", "auto", "--review", "--budget", "attempts=2"];
    does(&world, &two).exits(2);
    let inbox = says(&world, &["inbox"]).exits(0).out;
    assert!(inbox.contains(whole), "{inbox}");
}

/// Nothing that a role can read, and no ref, holds a case before the run is over.
#[test]
fn an_exam_stays_sealed_until_the_run_is_over() {
    let world = world();
    let looks = "[[attempt]]\nstate = \"work\"\nsteps = [{ run = \"! grep -rqE '10 20 [3]0|carts of [t]hree' ..\", must = true }, ";
    let script =
        text("quick/happy.toml").replacen("[[attempt]]\nstate = \"work\"\nsteps = [", looks, 1);
    world.write("agent/script.toml", &script);
    does(&world, &["--exam"]).exits(2);
    assert_eq!(attempts(&world), ["examine", "work"]);
    let observed = |record: &serde_json::Value| {
        let mut results = record["body"]["results"].as_array().into_iter().flatten();
        results.any(|result| result["shows"] == serde_json::json!(["observed"]))
    };
    assert!(world.journal().iter().any(observed));
    let hidden = |place: &str| {
        let found = std::process::Command::new("grep")
            .args(["-rlE", "10 20 30|carts of three", place])
            .current_dir(world.at("."))
            .output();
        String::from_utf8(found.unwrap().stdout).unwrap()
    };
    for place in ["journal", "evidence", "tasks"] {
        let found = hidden(&format!(".proofhouse/{place}"));
        assert_eq!(found, "", "a case lies there");
    }
    let refs = world.git(&["for-each-ref", "--format=%(refname)", "refs/proofhouse"]);
    assert!(refs.contains("records/t"), "{refs}");
    for name in refs.lines() {
        let held = std::process::Command::new("git")
            .args(["grep", "-qE", "10 20 30|carts of three", name])
            .current_dir(world.at("."))
            .status();
        assert_eq!(held.unwrap().code(), Some(1), "{name} holds a case");
    }
    let junit = || says(&world, &["audit", "--format", "junit"]).exits(0).out;
    assert!(!junit().contains("t.exam.cases"), "a case is told of");
    says(&world, &["audit", "--ci"]).exits(0);
    let key = world.approver("ann");
    let key = key.to_str().unwrap();
    let approve = [
        "decide",
        "t",
        "approve",
        "--because",
        "it is so",
        "--sign",
        key,
    ];
    says(&world, &approve).exits(0);
    assert_ne!(
        hidden(".proofhouse/evidence"),
        "",
        "the seals are not broken"
    );
    let junit = junit();
    let cases = junit.matches("classname=\"t.exam.cases\"").count();
    assert!(cases >= 4, "{junit}");
    let all = junit.matches("<testcase ").count();
    assert!(junit.contains(&format!("tests=\"{all}\"")), "{junit}");
    // Whoever reads it takes two of one name for one.
    let named = junit.split("<testcase ").skip(1);
    let names: BTreeSet<&str> = named.filter_map(|one| one.split(" time=").next()).collect();
    assert_eq!(names.len(), all, "{junit}");
    says(&world, &["audit", "--ci"]).exits(0);
}

/// Why there is no exam is heard by the person, whose word holds for every later attempt; and whoever wrote one
/// that cannot be read has it back, and nobody else.
#[test]
fn an_examiner_is_answered_and_mends_its_own_exam() {
    let world = world();
    let honest = text("quick/happy.toml");
    let (honest, exam) = honest.split_once("# With `--exam`").unwrap();
    let third = exam
        .replace("state = \"examine\"", "state = \"examine\"\nsteps = [{ run = \"grep -q 'carts of [t]wo' ../refused-result.json\", must = true }]");
    let script = format!(
        r#"
[[attempt]]
state = "examine"
attempt = 1
result = {{ summary = "nobody says what a cart is", next = "no_exam" }}
[[attempt]]
state = "examine"
attempt = 2
result = {{ summary = "carts of two", exam = {{ driver = "command", cases = [
    {{ id = "C1", clause = "c", steps = [{{ call = "./cart", named = {{ "../up" = "x" }} }}], holds = [{{ of = 0, is = "fails" }}] }},
    {{ id = "C2", clause = "c", steps = [{{ call = "./cart" }}], holds = [{{ of = 0, at = "/exit", is = "equals", value = 1 }}] }},
    {{ id = "C3", clause = "c", steps = [{{ call = "./cart" }}], holds = [{{ of = 0, at = "/exit", is = "equals", value = 0 }}] }},
] }} }}
[[attempt]]
state = "work"
attempt = 1
steps = [{{ run = "test ! -e ../refused-result.json", must = true }}]
result = {{ summary = "nothing yet" }}
{honest}
# With `--exam`{third}"#
    );
    world.write("agent/script.toml", &script);
    does(&world, &["--exam"]).exits(2);
    let asked = "The agent said: nobody says what a cart is";
    for said in [
        says(&world, &["inbox"]).out,
        says(&world, &["status", "t"]).out,
    ] {
        assert!(said.contains(asked), "{said}");
    }
    let key = world.approver("ann");
    let (word, hint) = ("a cart is a list of prices", "ask for carts of a thousand");
    let both = format!("{hint}; task: {word}");
    let examine = ["decide", "t", "examine", "--because", &both, "--sign"];
    says(&world, &[&examine[..], &[key.to_str().unwrap()]].concat()).exits(0);
    says(&world, &["run", "t"]).exits(2);
    let states = attempts(&world);
    assert_eq!(
        &states[..4],
        ["examine", "examine", "examine", "work"],
        "{states:?}"
    );
    let briefs = kept(&world, " examine brief");
    let [third, second, _] = briefs.as_slice() else {
        panic!("{} briefs", briefs.len());
    };
    for said in [word, hint] {
        assert!(second.contains(said) && third.contains(said), "{third}");
    }
    for told in [
        "refused-result.json",
        "by paths below the repository",
        "claim its `/exit`",
    ] {
        assert!(third.contains(told), "no `{told}` in {third}");
    }
    // What a person tells the examiner is not for whoever builds, but what it says of the task.
    let work = kept(&world, " work brief").pop().unwrap();
    assert!(work.contains(word) && !work.contains(hint), "{work}");
    assert!(
        !work.contains("carts of t") && !work.contains("refused-result"),
        "{work}"
    );
    says(&world, &["audit", "--ci"]).exits(0);
}

/// A fork has the exam of the run that it left, under seal as well; where it was sat, nobody sits it again.
#[test]
fn a_fork_keeps_the_exam_under_seal_and_never_sits_it_twice() {
    let world = world();
    does(&world, &["--exam"]).exits(2);
    let journal = world.journal();
    let sealed = |record: &&serde_json::Value| record.to_string().contains("\"sealed\":true");
    let sat = journal.iter().rfind(sealed).unwrap()["seq"].clone();
    let fork = |at: &serde_json::Value, name: &str| {
        let at = at.to_string();
        says(&world, &["fork", "t", "--at", &at, "--name", name])
    };
    let before = (sat.as_u64().unwrap() - 1).into();
    let said = fork(&before, "early").refuses(1, "fork_exam_spent");
    assert!(said.err.contains(&format!("record {sat}")), "{}", said.err);
    // Nor does who leads the run itself back.
    let key = world.approver("ann");
    let mut made = journal
        .iter()
        .filter(|one| one["body"]["commit"].is_string());
    if let Some(first) = made.find(|one| one["kind"] == "checkpoint_ended.v1") {
        let at = first["seq"].to_string();
        let back = [
            "rewind",
            "t",
            "--at",
            &at,
            "--because",
            "once more",
            "--sign",
        ];
        let said = says(&world, &[&back[..], &[key.to_str().unwrap()]].concat());
        assert!(
            said.code == 1 && said.err.contains("rewind_"),
            "{}",
            said.err
        );
    }
    let last = journal.last().unwrap()["seq"].clone();
    fork(&last, "f").exits(0);
    let count = |run: &str| {
        let folder = world.at(&format!(".proofhouse/work/{run}/sealed"));
        store::walk(&folder, &|_| false).unwrap().len()
    };
    assert!(count("t") > 0 && count("t") == count("f"));
    says(&world, &["audit", "--ci"]).exits(0);
    // The work as the gate let it pass, which no commit holds yet.
    let work = |run: &str| world.read(&format!(".proofhouse/worktrees/{run}/src/total.sh"));
    assert_eq!(work("f"), work("t"));
    let forked = world.read(".proofhouse/journal/f.jsonl");
    assert!(forked.contains("\"tree\":"), "{forked}");
    let approve = ["decide", "f", "approve", "--because", "it is so", "--sign"];
    says(&world, &[&approve[..], &[key.to_str().unwrap()]].concat()).exits(0);
    says(&world, &["run", "f"]).exits(0);
    says(&world, &["audit", "--ci"]).exits(0);
    says(&world, &["land", "f"]).exits(0);
    assert_eq!(world.read("src/total.sh"), work("t"));
    // The other waits for its own answer.
    assert_eq!(world.status()["waiting_for"]["reason"], "approval");
}

/// A fork begins with the exam that it left with. Once one of both is over, everybody can read its cases: the other is
/// asked for new ones (here the examiner has no others).
#[test]
fn of_a_run_and_its_fork_the_second_to_end_needs_another_exam() {
    let world = world();
    let agent = ["--agent", "scripted:agent/script.toml", "--name", "t"];
    let new = ["new", "quick", "make totals of carts", "--exam"];
    says(&world, &[&new[..], &agent].concat()).exits(0);
    let journal = |run: &str| world.read(&format!(".proofhouse/journal/{run}.jsonl"));
    while !journal("t").contains("held back for the last word") {
        says(&world, &["run", "t", "--once"]);
    }
    let at = world.journal().len().to_string();
    says(&world, &["fork", "t", "--at", &at, "--name", "f"]).exits(0);
    says(&world, &["run", "f"]).exits(0);
    assert!(!journal("f").contains("exam_used_up"));
    says(&world, &["run", "t"]).exits(2);
    assert!(journal("t").contains("exam_used_up"));
    says(&world, &["audit", "--ci"]).exits(0);
}

#[test]
fn a_refactor_leaves_every_test_as_it_is() {
    let world = world();
    let script = "[[attempt]]\nstate = \"work\"\nsteps = [{ write = \"repo/src/total.sh\", text = \"total() { printf '%s\\\\n' \\\"$1\\\"; }\\n\" }]\nresult = { summary = \"another way to say it\" }\n";
    world.write("agent/script.toml", script);
    let said = does(&world, &["--autonomy", "auto", "--refactor"]).exits(0);
    assert!(said.out.contains("prove -> done"), "{}", said.out);
    assert_eq!(attempts(&world), ["work"]);
}

/// What failed reaches the next attempt whole: the assertion, the command and the end of its output.
#[test]
fn what_failed_is_told_with_the_command_and_its_output() {
    let world = world();
    world.write(
        "Makefile",
        "test:\n\t@i=0; while [ $$i -lt 400 ]; do echo \"line $$i of what the suite says, which is long enough to be cut by anybody who wants to cut it\"; i=$$((i+1)); done\n\t@echo 'assertion failed: left 1, right 3 in tests/cases:2'\n\tPROOFHOUSE_REPORT=/dev/null sh tests/run.sh\n",
    );
    world.git(&["commit", "--quiet", "--all", "-m", "a suite that says much"]);
    let wrong = "[[attempt]]\nstate = \"work\"\nattempt = 1\nsteps = [{ write = \"repo/tests/cases\", text = \"one|5|5\\ntwo|1 2|3\\n\" }]\nresult = { summary = \"only a test\" }\n[[attempt]]\nstate = \"work\"\nattempt = 2\nsteps = [{ run = \"cp ../findings.md ../task/artifacts/seen.md && cp ../output-1.txt ../task/artifacts/whole.md\", must = true }, { write = \"repo/src/total.sh\", text = \"total() { s=0; for p in \\\"$@\\\"; do s=$((s + p)); done; echo \\\"$s\\\"; }\\n\" }]\nresult = { summary = \"mended\" }\n";
    world.write("agent/script.toml", wrong);
    does(&world, &["--autonomy", "auto"]).exits(0);
    assert_eq!(attempts(&world), ["work", "work"]);
    let brief = &kept(&world, "brief")[0];
    assert!(
        brief.contains("`findings.md` in your folder has all of it"),
        "{brief}"
    );
    let seen = world.read(".proofhouse/tasks/t/artifacts/seen.md");
    for part in [
        "line 399 of what",
        "assertion failed: left 1, right 3",
        "$ make test",
        "characters left out]",
    ] {
        assert!(seen.contains(part), "no `{part}` in\n{seen}");
    }
    assert!(
        brief.contains("`output-1.txt` there is all that"),
        "{brief}"
    );
    let whole = world.read(".proofhouse/tasks/t/artifacts/whole.md");
    let lines: Vec<String> = (0..400)
        .map(|line| format!("line {line} of what"))
        .collect();
    assert!(lines.iter().all(|line| whole.contains(line)), "{whole}");
    assert!(!seen.contains("line 200 of what"));
}

#[test]
fn without_a_check_that_can_run_somebody_is_asked_and_nobody_works() {
    let world = world();
    std::fs::remove_file(world.at("Makefile")).unwrap();
    world.git(&["commit", "--quiet", "--all", "-m", "no suite"]);
    let said = does(&world, &[]).refuses(1, "no_check");
    for part in ["cargo", "pytest or unittest", "just", "--check COMMAND"] {
        assert!(said.err.contains(part), "no `{part}` in {}", said.err);
    }
    assert!(!world.at(".proofhouse/journal/t.jsonl").exists());
    // One that is there and cannot be run is a question as well.
    let said = does(&world, &["--check", "no-such-program --all"]).exits(2);
    assert!(said.out.contains("look_again"), "{}", said.out);
    assert!(said.out.contains("no-such-program"), "{}", said.out);
    assert_eq!(attempts(&world), Vec::<String>::new());
}

/// What was found yields to what a person sets since; and a suite that is red before anybody works is told.
#[test]
fn what_was_found_and_cannot_run_yields_to_what_a_person_sets() {
    let world = world();
    std::fs::remove_file(world.at("Makefile")).unwrap();
    // With `just` or without: what cannot be started ends with 127.
    world.write("justfile", "test:\n    exit 127\n");
    world.commit("a suite that cannot run");
    let said = does(&world, &[]).exits(2);
    assert!(said.out.contains("just test"), "{}", said.out);
    assert!(said.out.contains("look_again"), "{}", said.out);
    world.write(
        ".proofhouse/config.toml",
        "[checks]\ncommands = [\"sh -c 'sh tests/run.sh && test ! -e never'\", \"test -e done || { echo not yet; exit 1; }\"]\n",
    );
    let ann = world.approver("ann");
    world.decide(&ann, "look_again").exits(0);
    let said = says(
        &world,
        &["run", "t", "--agent", "scripted:agent/script.toml"],
    );
    assert!(!said.out.contains("just test"), "{}", said.out);
    assert!(
        said.out.contains("red before the work: 0 passed, 1 failed"),
        "{}",
        said.out
    );
    assert!(said.out.contains("last output: not yet"), "{}", said.out);
}

/// A one-line fix: 1 or 2 attempts in `quick`, 3 in `phase` with verifier and reviewer, at most 5 in `add`.
#[test]
fn a_one_line_fix_takes_few_attempts() {
    let world = world();
    does(&world, &["--autonomy", "auto", "--review"]).exits(0);
    assert_eq!(attempts(&world), ["work", "review"]);

    let world = self::world();
    world.write("code.txt", "bad\n");
    world.write("agent/script.toml", &text("phase/happy.toml"));
    world.git(&["commit", "--quiet", "--allow-empty", "-am", "x"]);
    let args = [
        "--autonomy",
        "auto",
        "--workflow",
        "phase",
        "--check",
        "grep -q good code.txt",
    ];
    does(&world, &args).exits(0);
    assert_eq!(attempts(&world), ["implement", "verify", "review"]);
}

/// A coder that runs what it is judged by before it hands in, as every good one does.
const RUNS_THE_SUITE: &str = r#"cat > /dev/null
cd "$PROOFHOUSE_VIEW/repo" || exit 1
printf 'def total(prices):\n    return sum(prices)\n' > sums.py
printf 'import unittest\nfrom only_here import right\nfrom sums import total\nclass Sums(unittest.TestCase):\n    def test_of_two(self):\n        self.assertEqual(total([1, 2]), right(3))\n' > tests/test_sums.py
.venv/bin/python -m unittest discover -s tests || exit 1
touch .venv/planted 2> /dev/null && exit 1
echo '{"summary": "sums are made"}' > "$PROOFHOUSE_RESULT"
"#;

/// A submodule, a folder of dependencies below the top, and a file that the person names for rooms: whatever the
/// first gate finds beside the tree, the proof finds too.
#[test]
fn what_lies_beside_the_tree_is_there_for_the_proof_as_well() {
    if !sandbox::has_mounts() {
        eprintln!("SKIPPED: nothing can be laid in on this machine");
        return;
    }
    let world = World::of_ann();
    world.write("lib/given.py", "RIGHT = 1\n");
    world.git(&["init", "-q", "lib"]);
    world.git(&["-C", "lib", "add", "given.py"]);
    let who = ["-C", "lib", "-c", "user.name=a", "-c", "user.email=a@a"];
    world.git(&[&who[..], &["commit", "-q", "-m", "theirs"]].concat());
    world.write(
        ".gitmodules",
        "[submodule \"lib\"]\n\tpath = lib\n\turl = ../lib\n",
    );
    world.write(".gitignore", "agent/\n.proofhouse/\nkept.txt\nvenv/\n");
    world.write("kept.txt", "kept\n");
    world.write("api/pyproject.toml", "[project]\nname = \"api\"\n");
    world.write("api/venv/below.txt", "below\n");
    world.write(
        ".proofhouse/config.toml",
        "[room]\ninclude = [\"kept.txt\", \"lib\", \"api/venv\"]\n",
    );
    let old = "import sys, unittest\nsys.path.insert(0, 'lib')\nfrom given import RIGHT\nclass Old(unittest.TestCase):\n    def test_old(self):\n        self.assertEqual(RIGHT, 1)\n        for path, text in [('kept.txt', 'kept'), ('api/venv/below.txt', 'below')]:\n            with open(path) as one:\n                self.assertEqual(one.read().strip(), text)\n";
    world.write("tests/test_old.py", old);
    world.write("sums.py", "");
    let coder = "cat > /dev/null\ncd \"$PROOFHOUSE_VIEW/repo\" || exit 1\nprintf 'def total(prices):\\n    return sum(prices)\\n' > sums.py\nprintf 'import unittest\\nfrom sums import total\\nclass Sums(unittest.TestCase):\\n    def test_of_two(self):\\n        self.assertEqual(total([1, 2]), 3)\\n' > tests/test_sums.py\necho '{\"summary\": \"sums are made\"}' > \"$PROOFHOUSE_RESULT\"\n";
    world.write("agent/coder.sh", coder);
    world.git(&["add", "-A"]);
    world.git(&[
        "commit",
        "-q",
        "-m",
        "a suite that needs what lies beside it",
    ]);
    let coder = format!("command:sh {}", world.at("agent/coder.sh").display());
    let check = "python3 -m unittest discover -s tests";
    let asked = [
        "do",
        "make sums",
        "--agent",
        &coder,
        "--name",
        "t",
        "--check",
        check,
    ];
    let auto = ["--autonomy", "auto", "--budget", "attempts=1"];
    let said = says(&world, &[&asked[..], &auto].concat()).exits(0);
    assert!(said.out.contains("prove -> done"), "{}", said.out);
}

/// Installed dependencies are in no commit, and so in no worktree: they come from the person's own tree,
/// for the agent and for every check alike.
#[test]
fn what_is_installed_is_there_for_the_agent_and_for_every_check() {
    let world = World::of_ann();
    let made = std::process::Command::new("python3")
        .args(["-m", "venv", "--without-pip"])
        .arg(world.at(".venv"))
        .status();
    if !made.is_ok_and(|status| status.success()) {
        eprintln!("SKIPPED: `python3 -m venv` makes no environment here");
        return;
    }
    let library = std::fs::read_dir(world.at(".venv/lib")).unwrap();
    let library = library.flatten().next().unwrap().path();
    let only_here = library.join("site-packages/only_here.py");
    std::fs::write(only_here, "def right(value):\n    return value\n").unwrap();
    world.write(".gitignore", "agent/\n.proofhouse/\n.venv/\n");
    world.write("sums.py", "");
    let before = "import unittest\nfrom only_here import right\nclass Old(unittest.TestCase):\n    def test_old(self):\n        self.assertEqual(right(1), 1)\n";
    world.write("tests/test_old.py", before);
    world.write("agent/coder.sh", RUNS_THE_SUITE);
    world.commit("a suite that needs what is installed");
    let coder = format!("command:sh {}", world.at("agent/coder.sh").display());
    let asked = ["do", "make sums", "--agent", &coder, "--name", "t"];
    let auto = ["--autonomy", "auto", "--budget", "attempts=1"];
    let said = says(&world, &[&asked[..], &auto].concat()).exits(0);
    let line = "validation   .venv/bin/python -m unittest discover -s tests";
    for part in [line, "prove -> done", "proofhouse land t"] {
        assert!(said.out.contains(part), "no `{part}` in\n{}", said.out);
    }
    says(&world, &["land", "t"]).exits(0);
    let changed = world.git(&["show", "--name-only", "--format=", "HEAD"]);
    assert_eq!(changed, "sums.py\ntests/test_sums.py");
}

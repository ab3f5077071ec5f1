//! The `add` workflow through the real binary: its happy path, its decisions, and every cheat that we
//! know. The agents are scripts in `tests/data/add/`; each is laid before the honest one.

mod acting;
mod again;
mod codes;
mod documents;
mod examined;
mod header;
mod opened;
mod side_by_side;
mod unjudged;
pub(crate) mod waived;

use crate::support::{Said, World};
use serde_json::Value;
use std::path::{Path, PathBuf};

const TASK: &str = ".add/tasks/t/TASK.md";

fn data(name: &str) -> String {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/add");
    std::fs::read_to_string(folder.join(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
}

/// The sample repository with a run `t` of `add`, and somebody who may sign.
struct Add {
    world: World,
    key: PathBuf,
}

/// What the build may touch.
#[derive(Clone, Copy)]
enum Scope {
    /// The sources.
    Narrow,
    /// The tests and their configuration, too: then only the freeze protects them.
    Wide,
}

/// The arguments that begin the run.
fn begins<'a>(more: &[&'a str]) -> Vec<&'a str> {
    let mut args = vec!["new", "add", "Totals for carts", "--name", "t"];
    args.extend(["--set", "test_command=sh tests/run.sh"]);
    args.extend(["--agent", "scripted:agent/script.toml"]);
    args.extend(more);
    args
}

impl Add {
    /// Started with this script before the honest one, and these further arguments.
    #[track_caller]
    fn start(script: &str, scope: Scope, more: &[&str]) -> Self {
        let add = Self::laid(script, scope);
        add.world.run(&begins(more)).exits(0);
        add
    }

    /// The repository, and no run yet.
    fn laid(script: &str, scope: Scope) -> Self {
        let world = World::new();
        world.write("tests/run.sh", &data("run.sh"));
        world.write("src/cart.sh", "items() { echo none; }\n");
        world.write("tox.ini", "strict\n");
        world.write(".gitignore", "agent/\n");
        let honest = data("honest.toml");
        let honest = match scope {
            Scope::Narrow => honest,
            Scope::Wide => honest.replace(
                "Scope (may touch): src/**",
                "Scope (may touch): src/**, tests/**, *.ini, *.cfg",
            ),
        };
        world.write("agent/script.toml", &format!("{script}\n{honest}"));
        world.commit("sample");
        let key = world.approver("ann");
        Self { world, key }
    }

    /// The same, driven to the freeze and past it as far as it goes.
    #[track_caller]
    fn frozen(script: &str, scope: Scope, more: &[&str]) -> Self {
        let add = Self::start(script, scope, more);
        add.run(2);
        add.decide("freeze", "read it").exits(0);
        add
    }

    #[track_caller]
    fn run(&self, exit: i32) -> Said {
        self.world.run(&["run", "t"]).exits(exit)
    }

    #[track_caller]
    fn decide(&self, option: &str, because: &str) -> Said {
        let key = self.key.to_str().unwrap();
        let because = crate::support::because(option, because);
        let args = ["decide", "t", option, "--because", &because, "--sign", key];
        self.world.run(&args)
    }

    #[track_caller]
    fn heal(&self, reason: &str) -> Said {
        let key = self.key.to_str().unwrap();
        let args = ["heal", "t", "--reason", reason, "--sign", key];
        self.world.run(&args)
    }

    /// State, code of the last refusal, confirmed cheats.
    fn stands(&self) -> (String, String, u64) {
        let status = self.world.status();
        let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        (
            text(&status["state"]),
            text(&status["last_refusal"]["code"]),
            status["budgets"]["heal"]["used"].as_u64().unwrap(),
        )
    }

    #[track_caller]
    fn is_in(&self, state: &str) {
        assert_eq!(self.world.status()["state"], state);
    }

    #[track_caller]
    fn says(&self, line: &str) {
        let task = self.world.read(TASK);
        assert!(
            task.lines().any(|here| here == line),
            "no `{line}` in\n{task}"
        );
    }

    /// Prints how much an agent was told, for whoever changes briefs: `--nocapture` shows it.
    fn tells_briefs(&self, how: &str) {
        let briefs = crate::quick::kept(&self.world, " brief");
        let chars: usize = briefs.iter().map(|brief| brief.chars().count()).sum();
        println!("add, {how}: {} briefs, {chars} characters", briefs.len());
    }

    #[track_caller]
    fn waits_for(&self, reason: &str) -> String {
        let waiting = &self.world.status()["waiting_for"];
        assert_eq!(waiting["reason"], reason, "{waiting:#}");
        waiting["why"].as_str().unwrap().to_owned()
    }
}

#[test]
fn one_approval_and_the_rest_on_evidence() {
    let add = Add::start("", Scope::Narrow, &[]);
    add.run(2);
    let why = add.waits_for("freeze");
    assert!(why.starts_with("⚠ prices are whole numbers"), "{why}");
    for line in [
        "slug: t",
        "stage: mvp",
        "autonomy: auto",
        "risk: normal",
        "phase: freeze",
        "goal-ready: yes",
        "Status: DRAFT",
        "Outcome: pending",
    ] {
        add.says(line);
    }
    // What is to be frozen is shown where it is asked, and where it stands.
    let inbox = add.world.run(&["inbox"]).exits(0).out;
    for line in [
        "tasks/t/TASK.md (1 Specify, 2 Scenarios, 3 Contract, 4 Tests)",
        "  | # ",
        "# accepts the bundle as it is: from now on nobody changes what it says; the reason must say `flag: ...; spec: ...;",
    ] {
        assert!(inbox.contains(line), "no {line} in {inbox}");
    }
    let facts = add.world.run(&["inbox", "--json"]).exits(0).json();
    let text = facts[0]["grounds"]["papers"][0]["text"].as_str().unwrap();
    // Header, scope and the sections that are frozen, whole; what is not frozen is not in the way.
    let whole = add.world.read(TASK);
    let from = |text: &str| {
        let (_, rest) = text.split_once("## 1 Specify").unwrap();
        rest.split_once("## 5 ")
            .map_or(rest, |(frozen, _)| frozen)
            .to_owned()
    };
    for line in from(&whole).lines().filter(|line| !line.contains("<!--")) {
        assert!(text.contains(line.trim_end()), "no {line} in {text}");
    }
    assert!(
        text.contains("autonomy: ") && text.contains("Scope (may touch): "),
        "{text}"
    );
    assert!(!text.contains("## 0 Ground"), "{text}");
    let key = add.key.to_str().unwrap();
    let unread = ["decide", "t", "freeze", "--because", "fine", "--sign", key];
    add.world.run(&unread).refuses(1, "checklist_incomplete");
    add.decide("freeze", "read it").exits(0);
    add.says("Status: FROZEN @ v1 - approved by ann@example.org");
    add.run(0);
    let judged = add.world.judged("t");
    for line in [
        "tripwire: before: on the code before: red: 0 passed, 2 failed",
        "tripwire: candidate: on the candidate: green: 2 passed",
    ] {
        assert!(judged.contains(line), "no `{line}` in {judged}");
    }
    assert_eq!(add.stands(), ("done".into(), String::new(), 0));
    add.tells_briefs("phase by phase");
    add.says("Outcome: PASS");
    add.says("Reviewer: auto-resolved by run t");
    add.world.run(&["audit", "--ci"]).exits(0);
}

/// What one role is to do in a row, it may do at once: the brief of the first phase has the forms of the
/// others, and each is passed without another attempt.
#[test]
fn a_task_takes_five_attempts() {
    const DRAFTED: [&str; 4] = ["ground", "specify", "scenarios", "contract"];
    let mut script: Value = toml::from_str(&data("honest.toml")).unwrap();
    let attempts = script["attempt"].as_array_mut().unwrap();
    let of = |one: &Value, states: &[&str]| states.contains(&one["state"].as_str().unwrap());
    let drafts = attempts.iter().filter(|one| of(one, &DRAFTED));
    let steps = drafts.flat_map(|one| one["steps"].as_array().unwrap().clone());
    let steps: Vec<Value> = steps.collect();
    // Who reads the change knows what to watch.
    let watched = attempts.iter().find(|one| of(one, &["observe"]));
    let watched = watched.unwrap()["steps"].as_array().unwrap().clone();
    let reads = attempts.iter_mut().find(|one| of(one, &["verify"]));
    let reads = reads.unwrap()["steps"].as_array_mut().unwrap();
    reads.extend(watched);
    attempts.retain(|one| !of(one, &DRAFTED[1..]) && !of(one, &["observe"]));
    attempts[0]["steps"] = steps.into();
    script["log"] = "agent.log".into();
    let add = Add::start("", Scope::Narrow, &["--exam"]);
    add.world
        .write("agent/script.toml", &crate::factory_run::toml(&script));
    // What the exam may cost is told before, and what it has cost after.
    let status = add.world.run(&["status", "t"]).exits(0).out;
    let before = "exam        nothing spent on it yet; 3 attempts at most to write one";
    assert!(status.contains(before), "{status}");
    add.run(2);
    add.waits_for("freeze");
    assert_eq!(add.world.status()["exam"]["attempts"], 1);
    let inbox = add.world.run(&["inbox"]).out;
    assert!(
        inbox.contains("1 attempt (3 at most for one exam)"),
        "{inbox}"
    );
    let brief = crate::quick::kept(&add.world, " ground brief").remove(0);
    let joined = "The next phases are yours as well: `specify`, `scenarios`, `contract`.";
    for form in [joined, "- M1: ", "- S1 (M1): Given: ", "`Test files:`"] {
        assert!(brief.contains(form), "no `{form}` in {brief}");
    }
    add.decide("freeze", "read it").exits(0);
    add.run(0);
    let attempts = add.world.status()["attempts"].clone();
    let states = attempts.as_array().unwrap().iter();
    let states: Vec<&str> = states.map(|one| one["state"].as_str().unwrap()).collect();
    let worked = ["ground", "critique", "examine", "tests", "build", "verify"];
    assert_eq!(states, worked, "five, and the examiner");
    let brief = crate::quick::kept(&add.world, " verify brief").remove(0);
    let joined = "The next phases are yours as well: `observe`.";
    assert!(brief.contains(joined), "no `{joined}` in {brief}");
    let audit = add.world.run(&["audit"]).exits(0).out;
    assert!(audit.contains("observed"), "{audit}");
    add.tells_briefs("five attempts");
}

#[test]
fn a_crate_is_tested_by_the_runner_that_is_found() {
    let world = World::new();
    world.write(
        "Cargo.toml",
        "[package]\nname = \"cart\"\nversion = \"0.1.0\"\nedition = \"2021\"\n",
    );
    world.write(
        "Cargo.lock",
        // To the letter: cargo would write it anew, and nothing that a gate writes stays.
        "# This file is automatically @generated by Cargo.\n# It is not intended for manual editing.\nversion = 4\n\n[[package]]\nname = \"cart\"\nversion = \"0.1.0\"\n",
    );
    world.write("src/lib.rs", "pub fn items() -> usize {\n    0\n}\n");
    world.write(".gitignore", "agent/\ntarget/\n");
    let honest = data("honest.toml").replace("src/total.sh", "src/lib.rs");
    let honest = honest.replace(
        "Scope (may touch): src/**",
        "Scope (may touch): src/**, Cargo.toml",
    );
    world.write(
        "agent/script.toml",
        &format!("{}{honest}", data("crate.toml")),
    );
    let key = world.approver("ann");
    let agent = "scripted:agent/script.toml";
    let said = world
        .run(&[
            "new",
            "add",
            "Totals for carts!",
            "--check",
            "true",
            "--agent",
            agent,
        ])
        .exits(0);
    assert!(
        said.out.contains(".add/tasks/totals-for-carts"),
        "{}",
        said.out
    );
    let run = "totals-for-carts";
    world.run(&["run", run]).exits(2);
    let key = key.to_str().unwrap();
    let args = [
        "decide",
        run,
        "freeze",
        "--because",
        crate::support::CHECKED,
        "--sign",
        key,
    ];
    world.run(&args).exits(0);
    let said = world.run(&["run", run]).exits(0);
    let judged = format!("{}{}", world.judged(run), said.out);
    for line in [
        "tests: red (cargo): red: it does not build yet, for want of total",
        "tripwire: before: on the code before: not_built",
        "repo/Cargo.toml#tests was not there when the tests were frozen",
        "tripwire: candidate: on the candidate: green: 2 passed",
        "verify -> observe (verified",
    ] {
        assert!(judged.contains(line), "no `{line}` in {judged}");
    }
    assert!(
        world
            .read("Cargo.toml")
            .ends_with("[features]\nextra = []\n")
    );
}

#[test]
fn what_somebody_else_edits_meanwhile_trips_the_wire() {
    let add = Add::frozen("", Scope::Narrow, &[]);
    // tests, then build: then somebody who is not held by any view touches a frozen file.
    add.world.run(&["run", "t", "--once"]).exits(0);
    add.world.run(&["run", "t", "--once"]).exits(0);
    add.is_in("verify");
    add.world.write("tests/cases", "s1_adds|1 2|3\n");
    add.world.run(&["run", "t", "--once"]).exits(0);
    assert_eq!(add.stands(), ("build".into(), "tamper_tripwire".into(), 1));
}

#[test]
fn what_no_machine_sees_a_reviewer_or_a_person_sends_back() {
    let script = format!("{}{}", data("hard-coded.toml"), data("cheat-reported.toml"));
    let add = Add::frozen(&script, Scope::Narrow, &["--autonomy", "conservative"]);
    add.heal("too early").refuses(1, "heal_not_at_verify");
    add.run(2);
    // The reviewer reported it once; then the machine was content, and a person was asked.
    assert_eq!(add.stands(), ("verify".into(), "cheat_reported".into(), 1));
    add.waits_for("approval");
    add.heal("  ").refuses(1, "heal_reason_required");
    add.decide("reject", "  ")
        .refuses(1, "reject_reason_required");
    for cheats in 2..=3 {
        add.heal("answers the tests' values only").exits(0);
        assert_eq!((add.stands().0.as_str(), add.stands().2), ("build", cheats));
        add.run(2);
        add.waits_for("approval");
    }
    add.heal("still the same").exits(0);
    add.is_in("hard_stop");
    add.says("Outcome: HARD-STOP");
    add.heal("and again").refuses(1, "heal_exhausted");
    add.world.run(&["audit", "--ci"]).exits(0);
}

#[test]
fn an_honest_build_passes_even_after_three_cheats() {
    let mut script = String::new();
    for nth in 1..=3 {
        let cheat = data("edited-test.toml");
        script += &cheat.replace(
            "state = \"build\"",
            &format!("state = \"build\"\nattempt = {nth}"),
        );
    }
    let add = Add::frozen(&script, Scope::Wide, &[]);
    add.run(0);
    assert_eq!((add.stands().0.as_str(), add.stands().2), ("done", 3));
    add.says("Outcome: PASS");
}

#[test]
fn a_security_finding_stops_everything_and_is_never_waived() {
    let add = Add::frozen(&data("security.toml"), Scope::Narrow, &[]);
    add.run(2);
    let (state, code, _) = add.stands();
    assert_eq!(
        (state.as_str(), code.as_str()),
        ("hard_stop", "unescalated_security_note")
    );
    let why = add.waits_for("hard_stop");
    assert!(why.contains("evaluates what it is given"), "{why}");
    add.decide("risk_accepted", "owner: a; ticket: T-1; expiry: 2999-01-01")
        .refuses(1, "risk_accepted_security");
    add.decide("approve", "fine").refuses(1, "unknown_option");
    add.decide("rebuild", "without eval").exits(0);
    add.run(0);
    add.is_in("done");
}

#[test]
fn what_stopped_before_the_freeze_is_not_built() {
    let early = data("security.toml")
        .replace("\"build\"", "\"specify\"")
        .replace("repo/src/total.sh", "task/notes.md");
    let add = Add::start(&early, Scope::Narrow, &[]);
    add.run(2);
    add.waits_for("hard_stop");
    add.decide("rebuild", "go on")
        .refuses(1, "contract_not_frozen");
    add.decide("redraft", "without eval").exits(0);
    add.is_in("specify");
    add.run(2);
    add.waits_for("freeze");
}

#[test]
fn a_residual_risk_is_accepted_by_a_person_with_an_owner_a_ticket_and_an_expiry() {
    let add = Add::frozen(&data("residue.toml"), Scope::Narrow, &[]);
    add.run(2);
    let why = add.waits_for("escalated");
    assert!(why.contains("two carts at once"), "{why}");
    for incomplete in [
        "fine",
        "owner: ann; ticket: T-1",
        "owner: ; ticket: T-1; expiry: x",
        "owner: ann; ticket: T-1; expiry: soon",
        "owner: ann; ticket: T-1; expiry: 2020-02-29",
        "owner: ann; ticket: T-1; expiry: 2999-02-30",
    ] {
        add.decide("risk_accepted", incomplete)
            .refuses(1, "waiver_incomplete");
    }
    let waiver = "owner: ann; ticket: T-1; expiry: 2999-01-01";
    add.decide("risk_accepted", waiver).exits(0);
    add.run(0);
    add.says("Outcome: RISK-ACCEPTED");
    add.says(&format!("Reason: {waiver}"));
    let task = add.world.read(TASK);
    assert!(
        task.contains("Reviewer: ann@example.org through ssh-signature SHA256:"),
        "{task}"
    );
    add.world.run(&["audit", "--ci"]).exits(0);
    // What is due from it, and what the next task hears of it.
    let due = add.world.run(&["report", "--json"]).exits(0).json();
    assert_eq!(due["waivers"][0]["expiry"], "2999-01-01", "{due}");
    assert_eq!(due["waivers"][0]["over"], false);
    assert_eq!(due["decisions"].as_array().map(Vec::len), Some(0), "{due}");
    let lessons = add.world.run(&["deltas", "--json"]).exits(0).json();
    assert_eq!(lessons, due["lessons"]);
    assert_eq!(lessons[0]["tag"], "TDD", "{lessons}");
    let status = add.world.run(&["status", "t"]).exits(0).out;
    assert!(status.contains("goal-ready  yes"), "{status}");
    let agent = "scripted:agent/script.toml";
    let next = [
        "new",
        "add",
        "Taxes for carts",
        "--name",
        "u",
        "--agent",
        agent,
    ];
    add.world.run(&next).exits(0);
    let told = add.world.read(".add/tasks/u/LESSONS.md");
    assert!(
        told.contains("- TDD: a suite can be ten lines of shell (t)"),
        "{told}"
    );
    let guide = add.world.run(&["guide", "u"]).exits(0).out;
    assert!(guide.contains("proofhouse run u"), "{guide}");
    add.world.run(&["guide", "none"]).refuses(1, "unknown_run");
    // A lesson is taken up by its id, and is open no more.
    let id = lessons[0]["id"].as_str().unwrap().to_owned();
    let settle = |word: &str, id: &str, because: &str| {
        let args = ["deltas", word, id, "--because", because];
        add.world.run(&args)
    };
    settle("fold", "00000000", "x").refuses(1, "lesson_not_found");
    settle("fold", &id, " ").refuses(1, "lesson_reason_required");
    settle("reject", &id, "true of this suite only").exits(0);
    let left = add.world.run(&["deltas"]).exits(0).out;
    assert!(left.contains("no lesson is open"), "{left}");
    settle("fold", &id, "again").refuses(1, "lesson_not_found");
}

#[test]
fn a_person_may_resume_halt_and_redraft() {
    let add = Add::frozen(&data("residue.toml"), Scope::Narrow, &[]);
    add.run(2);
    add.decide("resume", "look once more").exits(0);
    add.is_in("verify");
    add.run(0);
    let add = Add::frozen(&data("residue.toml"), Scope::Narrow, &[]);
    add.run(2);
    add.decide("halt", "no").exits(0);
    add.is_in("hard_stop");
    add.says("Outcome: HARD-STOP");
    // A new draft is a draft: the old approval is none.
    add.decide("redraft", "prices have cents").exits(0);
    add.is_in("specify");
    add.says("Status: DRAFT");
    add.decide("stop", "enough").exits(0);
}

#[test]
fn nothing_passes_before_the_gate_and_high_risk_never_by_itself() {
    let add = Add::start("", Scope::Narrow, &["--risk", "high"]);
    add.run(2);
    add.decide("approve", "yes")
        .refuses(1, "gate_pass_before_verify");
    add.decide("risk_accepted", "owner: a; ticket: b; expiry: c")
        .refuses(1, "gate_risk_accepted_before_verify");
    add.decide("freeze", "read it").exits(0);
    add.run(2);
    let why = add.waits_for("risk");
    assert!(why.contains("unguarded_high_risk_auto"), "{why}");
    add.says("risk: high");
    add.decide("lower", "I look myself").exits(0);
    add.run(2);
    add.waits_for("approval");
    add.says("autonomy: conservative");
    add.decide("approve", "read the diff").exits(0);
    add.run(0);
    add.says("Outcome: PASS");
    let task = add.world.read(TASK);
    assert!(
        task.contains("Reviewer: ann@example.org through ssh-signature"),
        "{task}"
    );
    let add = Add::frozen(&data("residue.toml"), Scope::Narrow, &["--risk", "high"]);
    add.run(2);
    add.decide("risk_accepted", "owner: a; ticket: b; expiry: c")
        .refuses(1, "unguarded_high_risk_auto");
}

#[test]
fn a_freeze_without_a_flag_is_not_offered() {
    let add = Add::start(&data("unflagged.toml"), Scope::Narrow, &[]);
    add.world.run(&["run", "t", "--once"]).exits(0);
    add.world.run(&["run", "t", "--once"]).exits(0);
    let (state, code, _) = add.stands();
    assert_eq!(
        (state.as_str(), code.as_str()),
        ("specify", "unflagged_freeze")
    );
    add.run(2);
    add.waits_for("freeze");
    // The criterion cites no verifier: that is said, and blocks nothing.
    let task = add.world.read(TASK);
    assert!(
        task.contains("goal-ready: no (goal_not_auto_ready"),
        "{task}"
    );
}

/// The finished run, committed and cloned, as from afar: without the run's own commits, which a clone on
/// the same disk takes along, so that sealed files are held against the tree.
fn clone_of(add: &Add) -> World {
    add.world.commit("a finished run");
    let clone = World::new();
    std::fs::remove_dir_all(clone.path()).unwrap();
    let from = add.world.path().to_str().unwrap().to_owned();
    let to = clone.path().to_str().unwrap().to_owned();
    add.world
        .git(&["clone", "--quiet", "--no-local", &from, &to]);
    clone
}

#[test]
fn on_a_fresh_clone_every_forgery_is_found() {
    let add = Add::frozen("", Scope::Narrow, &["--autonomy", "conservative"]);
    add.run(2);
    add.decide("approve", "read the diff").exits(0);
    add.run(0);
    let clone = clone_of(&add);
    let clean = clone.run(&["audit", "--ci"]).exits(0);
    assert_eq!(clean.json()["clean"], true);
    assert!(!clean.out.contains('\x1b'));
    let forgeries = [
        (
            TASK,
            "autonomy: conservative",
            "autonomy: manual",
            "unguarded_high_risk_auto",
        ),
        (
            TASK,
            "Reviewer: ann@example.org",
            "Reviewer: bob@example.org",
            "gate_record_mismatch",
        ),
        (
            TASK,
            "Outcome: PASS",
            "Outcome: RISK-ACCEPTED",
            "gate_record_mismatch",
        ),
        (
            TASK,
            "approved by ann@example.org",
            "approved by bob@example.org",
            "forged_approval",
        ),
        (TASK, "prints the sum", "prints a sum", "frozen_changed"),
        (TASK, "M1: the total", "M1: a total", "frozen_changed"),
        ("tests/cases", "1 2|3", "1 2|4", "frozen_changed"),
        ("tox.ini", "strict", "lax", "frozen_changed"),
        (
            ".proofhouse/journal/t.jsonl",
            "ann@example.org",
            "bob@example.org",
            "bad_hash",
        ),
    ];
    for (file, find, put, code) in forgeries {
        let honest = clone.read(file);
        assert!(honest.contains(find), "{find}");
        clone.write(file, &honest.replacen(find, put, 1));
        let said = clone.run(&["audit", "--ci"]).exits(1);
        let findings = said.json()["runs"][0]["findings"].clone();
        let findings = findings.as_array().unwrap().clone();
        assert!(
            findings.iter().any(|finding| finding["code"] == code),
            "{put}: no {code} in {findings:#?}"
        );
        clone.write(file, &honest);
    }
    clone.run(&["audit", "--ci"]).exits(0);
}

#[test]
fn a_journal_that_is_rewritten_as_a_whole_does_not_change_who_signed() {
    use store::{Entry, Journal, Replay, RunName};
    let add = Add::frozen("", Scope::Narrow, &[]);
    add.run(0);
    let clone = clone_of(&add);
    let (dir, name) = (clone.at(".proofhouse/journal"), RunName::new("t").unwrap());
    let mut entries = Vec::new();
    Journal::read(&dir, &name, Replay::default(), |record| {
        let body = record
            .body
            .get()
            .replace("ann@example.org", "bob@example.org");
        entries.push(Entry {
            at: record.at,
            kind: record.kind.to_owned(),
            body: serde_json::from_str(&body).unwrap(),
        });
        Ok(())
    })
    .unwrap();
    std::fs::remove_file(clone.at(".proofhouse/journal/t.jsonl")).unwrap();
    Journal::create(&dir, &name)
        .unwrap()
        .append(0, &entries)
        .unwrap();
    let task = clone.read(TASK);
    clone.write(TASK, &task.replace("ann@example.org", "bob@example.org"));
    let said = clone.run(&["audit", "--ci"]).exits(1);
    assert!(said.out.contains("forged_decision"), "{}", said.out);
}

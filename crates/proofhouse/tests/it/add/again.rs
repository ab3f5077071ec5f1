//! What comes after, and beside, a green: tasks that are opened again, risks that are taken on by a
//! lowered rung, greens that need no code, coverage that falls, dependencies that were poisoned.

use super::{Add, Scope, data};

impl Add {
    #[track_caller]
    fn reopen(&self, to: &[&str], reason: &str) -> crate::support::Said {
        let key = self.key.to_str().unwrap();
        let mut args = vec!["reopen", "t", "--reason", reason, "--sign", key];
        args.extend(to);
        self.world.run(&args)
    }

    /// The codes of everything that did not pass.
    fn codes(&self) -> Vec<String> {
        let journal = self.world.journal();
        let gates = journal.iter().filter(|one| one["kind"] == "gate_ended.v1");
        let results = gates.flat_map(|gate| gate["body"]["results"].as_array().unwrap().clone());
        results
            .filter_map(|result| Some(result["code"].as_str()?.to_owned()))
            .collect()
    }
}

#[test]
fn a_task_that_is_done_is_opened_again_by_a_person_with_a_reason() {
    let add = Add::start(&data("reopened.toml"), Scope::Narrow, &[]);
    add.run(2);
    add.reopen(&["--to", "build"], "too early")
        .refuses(1, "reopen_not_done");
    add.decide("freeze", "read it").exits(0);
    add.run(0);
    add.is_in("done");
    add.says("Outcome: PASS");
    assert_eq!(add.world.status()["activity"], "done");
    add.reopen(&[], "umlauts")
        .refuses(1, "reopen_target_invalid");
    add.reopen(&["--to", "observe"], "umlauts")
        .refuses(1, "reopen_target_invalid");
    add.reopen(&["--to", "build"], " ")
        .refuses(1, "reopen_reason_required");
    let before = add.world.journal().len();
    add.run(0);
    assert_eq!(
        add.world.journal().len(),
        before,
        "it rests until somebody says so"
    );
    add.reopen(&["--to", "build"], "umlauts are lost").exits(0);
    add.is_in("build");
    add.says("Outcome: pending");
    add.says("Status: FROZEN @ v1 - approved by ann@example.org");
    add.run(0);
    add.is_in("done");
    add.says("Outcome: PASS");
    // Further back, the approval goes as well.
    add.reopen(&["--to", "contract"], "another shape").exits(0);
    add.says("Status: DRAFT");
    add.run(2);
    add.waits_for("freeze");
    add.world.run(&["audit", "--ci"]).exits(0);
}

#[test]
fn who_lowers_the_rung_may_take_a_risk_on_where_they_were_asked() {
    let add = Add::frozen(&data("residue.toml"), Scope::Narrow, &["--risk", "high"]);
    add.run(2);
    let why = add.waits_for("escalated");
    let waiver = "owner: ann; ticket: T-1; expiry: 2999-01-01";
    add.decide("risk_accepted", waiver)
        .refuses(1, "unguarded_high_risk_auto");
    add.decide("lower", "I look myself").exits(0);
    assert_eq!(add.waits_for("escalated"), why, "the question stays");
    add.says("autonomy: conservative");
    add.decide("lower", "again").refuses(1, "unknown_option");
    add.decide("risk_accepted", waiver).exits(0);
    add.run(0);
    add.is_in("done");
    add.says("Outcome: RISK-ACCEPTED");
    add.says(&format!("Reason: {waiver}"));
    add.world.run(&["audit", "--ci"]).exits(0);
}

#[test]
fn a_green_that_needs_no_code_is_a_cheat() {
    // The tests fail for a file that git ignores, and not for want of code.
    let add = Add::start(&data("red-for-another-reason.toml"), Scope::Narrow, &[]);
    add.world.write("agent/red", "");
    add.run(2);
    add.decide("freeze", "read it").exits(0);
    add.world.run(&["run", "t", "--once"]).exits(0);
    add.is_in("build");
    std::fs::remove_file(add.world.at("agent/red")).unwrap();
    add.run(2);
    assert_eq!(
        add.stands(),
        ("hard_stop".into(), "green_without_code".into(), 3)
    );
    add.says("Outcome: HARD-STOP");
}

#[test]
fn coverage_that_falls_is_a_cheat() {
    let more = ["--set", "coverage_command=cat src/coverage.txt"];
    let add = Add::start(&data("coverage-falls.toml"), Scope::Narrow, &more);
    add.world.write("src/coverage.txt", "TOTAL 20 5 75%\n");
    add.world.git(&["add", "src/coverage.txt"]);
    let who = ["-c", "user.name=t", "-c", "user.email=t@t"];
    add.world
        .git(&[&who[..], &["commit", "--quiet", "-m", "coverage"]].concat());
    add.run(2);
    add.decide("freeze", "read it").exits(0);
    add.run(2);
    assert_eq!(
        add.stands(),
        ("hard_stop".into(), "coverage_decreased".into(), 3)
    );
}

/// A suite that needs an installed dependency, which git ignores.
fn with_dependencies(script: &str) -> Add {
    let add = Add::start(script, Scope::Narrow, &[]);
    let suite = add.world.read("tests/run.sh");
    let needs = ". ./node_modules/calc/index.sh || exit 1\n";
    add.world.write("tests/run.sh", &format!("{needs}{suite}"));
    add.world.write(".gitignore", "agent/\nnode_modules/\n");
    add.world.write(
        "node_modules/calc/index.sh",
        "plus() { echo $(($1 + $2)); }\n",
    );
    add.world.commit("needs calc");
    add.run(2);
    add.decide("freeze", "read it").exits(0);
    add
}

#[test]
fn a_poisoned_dependency_is_believed_by_nobody() {
    let honest = with_dependencies("");
    honest.run(0);
    honest.is_in("done");
    // The code writes into the installed folder while gates run it: in their rooms nobody can.
    let add = with_dependencies(&data("poisons-a-dependency.toml"));
    add.run(0);
    let installed = || add.world.read("node_modules/calc/index.sh");
    assert!(!installed().contains("poison"), "{}", installed());
    // Somebody installs another one after the freeze.
    let add = with_dependencies("");
    add.world.run(&["run", "t", "--once"]).exits(0);
    add.world.run(&["run", "t", "--once"]).exits(0);
    add.is_in("verify");
    add.world.write(
        "node_modules/calc/index.sh",
        "plus() { echo $(($1 + $2)); } # another\n",
    );
    add.run(2);
    add.waits_for("escalated");
    assert!(
        add.codes().contains(&"dependencies_changed".to_owned()),
        "{:?}",
        add.codes()
    );
    // Looking again changes nothing, and accepting the risk is on record if somebody does.
    add.decide("resume", "look again").exits(0);
    add.run(2);
    add.waits_for("escalated");
    assert_eq!(add.stands().2, 0, "nobody is called a cheat for it");
}

/// What was landed was the work then: whoever takes the task up again makes no forgery of it, and lands what came
/// since. A fork behind the freeze has the frozen bundle.
#[test]
fn a_landed_task_is_taken_up_again_and_landed_again() {
    let again = "[[attempt]]\nstate = \"build\"\nattempt = 2\nsteps = [{ append = \"repo/src/total.sh\", text = \"# again\\n\" }]\nresult = { summary = \"again\" }\n";
    let add = Add::laid(&format!("{again}{}", data("reopened.toml")), Scope::Narrow);
    let says = |args: &[&str]| crate::support::says(&add.world, args);
    says(&super::begins(&[])).exits(0);
    says(&["run", "t"]).exits(2);
    let key = add.key.to_str().unwrap();
    let because = crate::support::because("freeze", "read it");
    let freeze = ["decide", "t", "freeze", "--because", &because];
    says(&[&freeze[..], &["--sign", key]].concat()).exits(0);
    says(&["run", "t"]).exits(0);
    let journal = add.world.journal();
    let entered = |one: &&serde_json::Value| {
        one["kind"] == "moved.v1" && one["body"]["position"]["state"] == "tests"
    };
    let frozen = journal.iter().find(entered).unwrap()["seq"].to_string();
    says(&["fork", "t", "--at", &frozen, "--name", "f"]).exits(0);
    says(&["audit", "--ci"]).exits(0);
    says(&["run", "f"]).exits(0);
    says(&["audit", "--ci"]).exits(0);
    let work = add.world.read(".proofhouse/worktrees/t/src/total.sh");
    // Who lands commits in their own name.
    add.world.git(&["config", "user.name", "Ann"]);
    add.world.git(&["config", "user.email", "ann@example.org"]);
    says(&["land", "t"]).exits(0);
    let build = ["reopen", "t", "--to", "build", "--reason", "umlauts"];
    says(&[&build[..], &["--sign", key]].concat()).exits(0);
    says(&["audit", "--ci"]).exits(0);
    let said = says(&["run", "t"]).exits(0);
    assert!(!said.out.contains("something else"), "{}", said.out);
    says(&["audit", "--ci"]).exits(0);
    says(&["land", "t"]).exits(0);
    assert_eq!(add.world.read("src/total.sh"), format!("{work}# again\n"));
    says(&["audit", "--ci"]).exits(0);
}

/// A fork would forget what is counted: who was caught goes on from behind that, or another does.
/// Caught by a gate, by a reviewer, or by what it wrote outside of its scope: each is counted.
#[test]
fn whoever_was_caught_is_not_forked_from_before_it() {
    let builds = |write: &str| {
        format!(
            "[[attempt]]\nstate = \"build\"\nattempt = 1\nsteps = [{{ write = \"repo/{write}\", text = \"\" }}]\nresult = {{ summary = \"green\" }}\n"
        )
    };
    for cheats in [
        builds("tests/cases"),
        builds("elsewhere.txt"),
        data("cheat-reported.toml"),
    ] {
        is_held_to_it(&cheats);
    }
}

fn is_held_to_it(cheats: &str) {
    let add = Add::laid(cheats, Scope::Wide);
    let says = |args: &[&str]| crate::support::says(&add.world, args);
    says(&super::begins(&[])).exits(0);
    says(&["run", "t"]).exits(2);
    let asked = add.world.journal().len().to_string();
    let because = crate::support::because("freeze", "read it");
    let freeze = ["decide", "t", "freeze", "--because", &because, "--sign"];
    says(&[&freeze[..], &[add.key.to_str().unwrap()]].concat()).exits(0);
    says(&["run", "t"]).exits(0);
    let fork = ["fork", "t", "--at", &asked, "--name"];
    let said = says(&[&fork[..], &["f"]].concat()).refuses(1, "fork_cheat_forgotten");
    // Nobody else either: a name tells no agent from another, and `run --agent` would bring the first one back.
    add.world.write("agent/other.toml", &data("honest.toml"));
    let other = ["--agent", "scripted:agent/other.toml"];
    says(&[&fork[..], &["o"], &other].concat()).refuses(1, "fork_cheat_forgotten");
    let later = said.err.split("fork at record ").nth(1).unwrap();
    let later: String = later.chars().take_while(char::is_ascii_digit).collect();
    let behind = ["fork", "t", "--at", &later, "--name", "g"];
    let said = says(&[&behind[..], &other].concat());
    assert!(!said.err.contains("fork_cheat_forgotten"), "{}", said.err);
    let status = says(&["status", "t"]).exits(0).out;
    let heal = status.lines().find(|line| line.trim().starts_with("heal"));
    assert!(
        heal.is_some_and(|line| line.ends_with("1 of 3")),
        "{status}"
    );
    // Nor is the run itself led back before it, by anybody.
    let journal = add.world.journal();
    let mut made = journal
        .iter()
        .filter(|one| one["kind"] == "checkpoint_ended.v1");
    let first = made.next().unwrap()["seq"].to_string();
    let back = ["rewind", "t", "--at", &first, "--because", "once more"];
    says(&back).refuses(1, "rewind_spent");
}

#[test]
fn later_work_on_what_was_frozen_is_no_finding() {
    let add = Add::laid("", Scope::Narrow);
    let says = |args: &[&str]| crate::support::says(&add.world, args);
    add.world.commit("who decides");
    says(&super::begins(&[])).exits(0);
    says(&["run", "t"]).exits(2);
    let because = crate::support::because("freeze", "read it");
    let freeze = ["decide", "t", "freeze", "--because", &because, "--sign"];
    says(&[&freeze[..], &[add.key.to_str().unwrap()]].concat()).exits(0);
    says(&["run", "t"]).exits(0);
    says(&["land", "t"]).exits(0);
    let frozen = add.world.journal();
    let mut results = frozen
        .iter()
        .filter(|one| one["kind"] == "gate_ended.v1")
        .flat_map(|one| one["body"]["results"].as_array().unwrap());
    assert!(results.any(|one| one["froze"].to_string().contains("tests")));
    add.world
        .write("tests/cases", "another case of another day\n");
    add.world.commit("later");
    says(&["audit", "--ci"]).exits(0);
}

/// Its frozen tests lie in its own tree; on a clone nobody has that, and what lies there is another's work.
#[test]
fn a_run_that_is_not_over_is_clean_elsewhere_too() {
    let add = Add::laid("", Scope::Wide);
    let says = |args: &[&str]| crate::support::says(&add.world, args);
    add.world.commit("who decides");
    says(&super::begins(&[])).exits(0);
    says(&["run", "t"]).exits(2);
    let because = crate::support::because("freeze", "read it");
    let freeze = ["decide", "t", "freeze", "--because", &because, "--sign"];
    says(&[&freeze[..], &[add.key.to_str().unwrap()]].concat()).exits(0);
    let state = || says(&["status", "t", "--json"]).json()["state"].clone();
    while state() != "build" {
        says(&["run", "t", "--once"]);
    }
    says(&["audit", "t"]).exits(0);
    let clone = crate::support::World::empty();
    let here = add.world.path().display().to_string();
    clone.git(&["clone", "--quiet", &here, "."]);
    crate::support::says(&clone, &["records", "fetch"]).exits(0);
    crate::support::says(&clone, &["audit", "t"]).exits(0);
}

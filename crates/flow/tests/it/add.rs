//! The `add` machine, driven by hand: what a person may say, and what follows from a finding.

use crate::phase::Hand;
use crate::workflow;
use kernel::effect::Effect;
use kernel::{Autonomy, Machine, Mode};
use serde_json::{Value, json};

fn pass() -> Value {
    json!({"summary": "yes", "verdict": "pass"})
}

fn found(kind: &str) -> Value {
    json!({"summary": "no", "findings": [
        {"kind": kind, "severity": "required", "place": "a.rs:3", "what": "it leaks"},
    ]})
}

const CHECKED: &str = "flag: fine; spec: read; scenarios: read; contract: the shape; tests: yes; scope: narrow; header: right";
const WAIVER: &str = "owner: ann; ticket: T-1; expiry: 2999-01-01";

impl Hand {
    /// Works on, with every check passing, until the run stands in this state, or stands still.
    fn reaches(&mut self, state: &str) {
        for _ in 0..60 {
            if self.state() == state && self.attempt_is_next() {
                return;
            }
            match self.flow.wanted().first() {
                Some(Effect::Attempt(_)) => self.says(pass(), ""),
                Some(Effect::Gate(_)) => self.gate(&pass()),
                Some(Effect::Checkpoint(_)) => self.checkpoint(),
                None if self.state() == "freeze" => self.decide_because("freeze", CHECKED).unwrap(),
                None => return,
            }
        }
        panic!("{state} is not reached from {}", self.state());
    }

    fn attempt_is_next(&self) -> bool {
        matches!(self.flow.wanted().first(), Some(Effect::Attempt(_)))
    }

    fn field(&self, name: &str) -> String {
        let document = self.flow.document("");
        let field = document.into_iter().find(|(field, _)| field == name);
        field.map(|(_, value)| value).unwrap_or_default()
    }

    fn rebuffed(&mut self, option: &str, because: &str) -> String {
        let refusal = self.decide_because(option, because);
        refusal.expect_err(option).code
    }

    fn heals(&self) -> u64 {
        self.flow.status().budgets["heal"].used
    }
}

fn add(autonomy: Autonomy) -> Hand {
    Hand::of(workflow("add"), autonomy, Mode::default(), &[])
}

/// Built, and asked for approval.
fn held() -> Hand {
    let mut hand = add(Autonomy::Conservative);
    hand.reaches("verify");
    hand.says(pass(), "");
    assert_eq!(hand.waits(), "approval");
    hand
}

#[test]
fn a_rejection_goes_to_the_builder_with_the_persons_words_and_is_no_cheat() {
    let mut hand = held();
    assert_eq!(hand.rebuffed("reject", " "), "reject_reason_required");
    hand.decide_because("reject", "cents are lost").unwrap();
    assert_eq!((hand.state().as_str(), hand.heals()), ("build", 0));
    assert_eq!(hand.field("Open test"), "");
    hand.reaches("build");
    let Effect::Attempt(order) = hand.begin() else {
        panic!("the builder is next")
    };
    assert!(order.brief.contains("cents are lost"), "{}", order.brief);
}

#[test]
fn at_the_gate_a_person_records_what_they_decide() {
    let mut hand = held();
    assert_eq!(hand.rebuffed("risk_accepted", "fine"), "waiver_incomplete");
    hand.decide_because("risk_accepted", WAIVER).unwrap();
    assert_eq!(hand.state(), "observe");
    assert_eq!(hand.field("Outcome"), "RISK-ACCEPTED");
    assert_eq!(hand.field("Reason"), WAIVER);
    let mut hand = held();
    hand.decide_because("halt", "not like this").unwrap();
    assert_eq!(hand.state(), "hard_stop");
    assert_eq!(hand.field("Outcome"), "HARD-STOP");
    assert_eq!(hand.field("Reason"), "not like this");
    hand.decide("rebuild").unwrap();
    assert_eq!(hand.state(), "build");
    // Nothing is accepted that the gate has not seen.
    let mut hand = add(Autonomy::Conservative);
    hand.reaches("verify");
    let code = hand.rebuffed("risk_accepted", WAIVER);
    assert_eq!(code, "gate_risk_accepted_before_verify");
}

#[test]
fn stopping_always_records_an_outcome() {
    for state in ["specify", "tests", "build", "verify"] {
        let mut hand = add(Autonomy::Auto);
        hand.reaches(state);
        assert_eq!(hand.field("Outcome"), "pending");
        hand.decide_because("stop", "out of time").unwrap();
        assert_eq!(hand.field("Outcome"), "HARD-STOP", "{state}");
        assert_eq!(hand.field("Reason"), "out of time");
        assert_eq!(hand.field("Reviewer"), "ann through terminal");
    }
}

#[test]
fn no_person_leads_past_an_open_security_finding() {
    let mut hand = add(Autonomy::Auto);
    hand.reaches("build");
    hand.says(found("security"), "");
    // The gate of the tests knows no kinds: the check that does would show `security` here.
    hand.reaches("build");
    hand.says(json!({"summary": "built", "findings": []}), "escalated");
    assert_eq!(hand.state(), "escalated");
    assert_eq!(hand.rebuffed("risk_accepted", WAIVER), "unknown_option");
    hand.decide("resume").unwrap();
    hand.says(
        json!({"summary": "yes", "settled": [{"finding": "F1", "how": "gone"}]}),
        "",
    );
    hand.reaches("verify");
    hand.says(found("security"), "");
    hand.says(pass(), "escalated");
    let open = hand.rebuffed("risk_accepted", WAIVER);
    assert_eq!(open, "risk_accepted_security");
    hand.decide("resume").unwrap();
    hand.says(
        json!({"summary": "yes", "settled": [{"finding": "F2", "how": "gone"}]}),
        "escalated",
    );
    hand.decide_because("risk_accepted", WAIVER).unwrap();
    assert_eq!(hand.state(), "observe");
}

#[test]
fn a_cheat_is_waived_no_more_than_a_security_finding() {
    for (kind, waived) in [
        ("security", false),
        ("cheat", false),
        ("architecture", true),
    ] {
        let mut hand = add(Autonomy::Auto);
        hand.reaches("verify");
        // Silence settles nothing: it is open when a person is asked.
        hand.says(found(kind), "");
        hand.says(pass(), "escalated");
        assert_eq!(hand.state(), "escalated", "{kind}");
        match waived {
            true => hand.decide_because("risk_accepted", WAIVER).unwrap(),
            false => {
                let code = hand.rebuffed("risk_accepted", WAIVER);
                assert_eq!(code, "risk_accepted_security", "{kind}");
            }
        }
    }
}

#[test]
fn a_draft_can_be_begun_anew_from_everywhere_and_questions_asked_while_it_is_one() {
    for state in ["specify", "critique", "tests", "build", "verify"] {
        let mut hand = add(Autonomy::Auto);
        hand.reaches(state);
        hand.decide("redraft").unwrap();
        assert_eq!(hand.state(), "specify", "from {state}");
        assert_eq!(hand.field("Status"), "DRAFT", "from {state}");
    }
    // Before there is a draft there is none to begin anew, nobody waits in the exam itself, and what is
    // done is opened again.
    let workflow = workflow("add");
    let mut redrafted: Vec<&str> = Vec::new();
    for way in &workflow.table.transitions {
        if way.action.as_str() == "redraft" {
            redrafted.extend(way.from.iter().map(|state| state.as_str()));
        }
    }
    for state in workflow.states.keys().map(|state| state.as_str()) {
        let expected = !["ground", "exam", "done"].contains(&state);
        assert_eq!(redrafted.contains(&state), expected, "{state}");
    }
    let mut hand = add(Autonomy::Auto);
    hand.reaches("specify");
    hand.says(pass(), "escalated");
    assert_eq!(hand.state(), "escalated");
    hand.decide("resume").unwrap();
    assert_eq!(hand.state(), "specify");
    hand.says(pass(), "escalated");
    hand.decide("halt").unwrap();
    assert_eq!(hand.rebuffed("rebuild", "go on"), "contract_not_frozen");
}

/// The critic misses something once or more often: the analyst hears of it once, and then the person does.
#[test]
fn what_the_critic_misses_is_drafted_once_more_and_then_a_person_weighs_it() {
    let gap = json!({"summary": "a case lacks", "findings": [
        {"kind": "scope", "severity": "optional", "place": "task/TASK.md", "what": "no scenario has an empty cart"},
    ]});
    for honest in [true, false] {
        let mut hand = add(Autonomy::Auto);
        hand.reaches("critique");
        hand.says(gap.clone(), "");
        assert_eq!(hand.state(), "specify");
        assert_eq!(hand.flow.status().budgets["drafts"].used, 1);
        hand.reaches("specify");
        let Some(Effect::Attempt(order)) = hand.flow.wanted().into_iter().next() else {
            panic!("the analyst is next")
        };
        assert_eq!(order.role, "analyst");
        assert!(order.brief.contains("an empty cart"), "{}", order.brief);
        hand.reaches("critique");
        match honest {
            true => hand.says(pass(), ""),
            false => hand.says(gap.clone(), ""),
        }
        assert_eq!(hand.state(), "freeze");
        let mut now = hand.flow.snapshot();
        // What it found before and does not find any more is history: of the commits that it can go back to.
        now["marks"].take();
        let remarks = serde_json::to_string(&now).unwrap();
        assert_eq!(remarks.contains("an empty cart\"]"), !honest, "{remarks}");
    }
}

#[test]
fn who_redrafts_while_a_test_is_open_gets_the_build_back() {
    for mended in [false, true] {
        let mut hand = held();
        hand.checkpoint();
        hand.decide_because("open_test", "test: tests/a; why: it asks for x")
            .unwrap();
        hand.checkpoint();
        hand.checkpoint();
        if mended {
            hand.says(pass(), "");
            hand.checkpoint();
            assert_eq!(hand.state(), "test_approval");
        }
        hand.decide("redraft").unwrap();
        assert_eq!(hand.state(), "specify");
        assert_eq!(hand.field("Open test"), "", "no test is open any more");
        let build = vec!["repo/src/a".to_owned()];
        assert_eq!(puts_back(&hand), Some((Some("c".to_owned()), build)));
        hand.checkpoint();
        hand.reaches("critique");
    }
}

#[test]
fn the_freeze_shows_seven_lines_and_wants_an_answer_to_each() {
    let mut hand = add(Autonomy::Auto);
    for _ in 0..20 {
        match hand.flow.wanted().first() {
            Some(Effect::Attempt(_)) => hand.says(pass(), ""),
            Some(Effect::Gate(_)) => hand.gate(&pass()),
            Some(Effect::Checkpoint(_)) => hand.checkpoint(),
            None => break,
        }
    }
    let why = hand.flow.status().waiting_for.unwrap().why;
    let lines = why.lines().filter(|line| line.starts_with("[ ] "));
    assert_eq!(lines.count(), 7, "{why}");
    for incomplete in [
        "read it",
        "flag: fine; spec: read; scenarios: read",
        "flag: ; spec: ;",
    ] {
        assert_eq!(hand.rebuffed("freeze", incomplete), "checklist_incomplete");
    }
    hand.decide_because("freeze", CHECKED).unwrap();
    assert_eq!(hand.state(), "tests");
    let journal = serde_json::to_string(&hand.flow.snapshot()).unwrap();
    assert!(
        journal.contains("scope: narrow"),
        "what was answered is on record"
    );
}

/// What the next checkpoint puts back: to which commit, and which paths.
pub(crate) fn puts_back(hand: &Hand) -> Option<(Option<String>, Vec<String>)> {
    match hand.flow.wanted().into_iter().next() {
        Some(Effect::Checkpoint(order)) => order.revert.map(|revert| (revert.to, revert.paths)),
        other => panic!("no checkpoint: {other:?}"),
    }
}

#[test]
fn a_wrong_frozen_test_is_opened_alone_and_the_build_comes_back() {
    let mut early = add(Autonomy::Auto);
    for (state, code) in [
        ("tests", "test_not_frozen"),
        ("build", "open_test_not_here"),
    ] {
        early.reaches(state);
        let said = early.rebuffed("open_test", "test: tests/a; why: no");
        assert_eq!(said, code, "in `{state}`");
    }
    let mut hand = held();
    hand.checkpoint();
    for (because, code) in [
        ("it is wrong", "open_test_incomplete"),
        ("test: tests/none; why: it asks for x", "open_test_unknown"),
    ] {
        assert_eq!(hand.rebuffed("open_test", because), code);
    }
    hand.decide_because("open_test", "test: tests/a; why: it asks for x")
        .unwrap();
    assert_eq!(hand.state(), "retest");
    assert_eq!(hand.field("Open test"), "tests/a");
    // It is committed before it goes.
    assert_eq!(puts_back(&hand), None);
    hand.checkpoint();
    let build = vec!["repo/src/a".to_owned()];
    assert_eq!(
        puts_back(&hand),
        Some((Some("c".to_owned()), build.clone()))
    );
    hand.checkpoint();
    let Effect::Attempt(order) = hand.begin() else {
        panic!("the mender is next")
    };
    assert_eq!(order.role, "mender");
    assert!(order.brief.contains("it asks for x"), "{}", order.brief);
    assert!(order.sealed.keys().all(|item| item != "repo/tests/a"));
    let mut hand = held();
    hand.checkpoint();
    hand.decide_because("open_test", "test: tests/a; why: it asks for x")
        .unwrap();
    hand.checkpoint();
    hand.checkpoint();
    hand.says(pass(), "");
    hand.checkpoint();
    assert_eq!(hand.state(), "test_approval");
    assert_eq!(hand.rebuffed("mend_test", " "), "mend_test_reason_required");
    hand.decide("accept_test").unwrap();
    assert_eq!((hand.state().as_str(), hand.heals()), ("build", 0));
    assert_eq!(puts_back(&hand), Some((Some("c".to_owned()), build)));
    hand.checkpoint();
    // What comes back is judged as it is; nobody is asked to build it again.
    assert!(matches!(hand.flow.wanted().as_slice(), [Effect::Gate(_)]));
    hand.reaches("verify");
}

/// What a question says of its answers is what is offered: the list says which there are now, so that the text
/// names none that depends on how the run got there.
#[test]
fn a_question_names_no_answer_that_is_not_always_there() {
    for name in ["add", "lights-out", "phase", "quick", "slice"] {
        let workflow = crate::workflow(name);
        for way in &workflow.table.transitions {
            let human = way.by == kernel::table::Actor::Human;
            for from in way.from.iter().filter(|_| human) {
                let mut alike = workflow.table.leaving(from).map(|(_, way)| way);
                if alike.any(|one| one.action == way.action && one.when.is_empty()) {
                    continue;
                }
                let about = &workflow.states[from].about;
                let named = format!("`{}`", way.action);
                assert!(
                    !about.contains(&named),
                    "{name}, {from}: {named} in: {about}"
                );
            }
        }
    }
}

/// Whoever is asked for the one approval reads what it is of, and what happens after it.
#[test]
fn the_freeze_says_what_is_approved_and_what_follows() {
    let add = crate::workflow("add");
    for state in ["freeze", "freeze_unexamined"] {
        let about = &add.states[&kernel::StateName::from(state)].about;
        let (approved, follows) = about.split_once("What follows:").expect(state);
        assert!(
            approved.contains("You approve what is to be built"),
            "{about}"
        );
        assert!(approved.contains("sections 1 to 4 of TASK.md"), "{about}");
        for part in ["sealed", "builder", "reviewer", "`freeze`", "`redraft`"] {
            assert!(follows.contains(part), "no {part} in {about}");
        }
    }
}

/// Which model works is one matter, and what it may pass by itself another: with another strength for every
/// role, the machine is to the letter the same.
#[test]
fn a_stronger_model_buys_back_no_gate() {
    let plain = workflow("add");
    let mut source = flow::built_in("add").expect("a built-in workflow");
    let text = source.files.get_mut("workflow.toml").expect("its file");
    let strong = text.replace("tier = \"top\"\n", "");
    let strong = strong.replace("can = [", "tier = \"top\"\ncan = [");
    assert_ne!(*text, strong);
    *text = strong;
    let strong = flow::load(&source, &|_, _| Ok(())).unwrap_or_else(|error| panic!("{error}"));
    let tops = |workflow: &flow::Workflow| {
        let roles = workflow.roles.values();
        roles
            .filter(|role| role.tier == plain.roles["critic"].tier)
            .count()
    };
    assert!(tops(&strong) > tops(&plain));
    assert_eq!(strong.table, plain.table);
    assert_eq!(strong.after, plain.after);
    for (name, state) in &plain.states {
        assert_eq!(strong.states[name].gate, state.gate, "{name}");
    }
}

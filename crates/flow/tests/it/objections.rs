//! A role's `fail` holds its gate in every workflow, is kept until it is answered, and can be led
//! past by a person alone. Tables in which it would hold nothing are refused.

use crate::phase::Hand;
use crate::source;
use flow::{Workflow, load, load_begun};
use kernel::effect::Access;
use kernel::effect::{Effect, Weight};
use kernel::finding::Finding;
use kernel::machine::Activity;
use kernel::outcome::Found;
use kernel::{
    Autonomy, CheckResult, CheckSpec, Class, Machine, Mode, Outcome, StateName, Verdict, What,
};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::sync::Arc;

/// One builds, another reviews; what it finds is mended and reviewed again. The gate of `review`
/// says nothing about the reviewer.
pub(crate) const REVIEWED: &str = r#"name = "t"
about = "built and reviewed"
initial = "build"
[role.coder]
can = ["edit"]
about = "codes"
[role.reviewer]
can = ["read"]
about = "reviews"
[counter.tries]
cap = 3
renewal = "never"
[state.build]
kind = "work"
role = "coder"
brief = "b.md"
[state.review]
kind = "work"
role = "reviewer"
brief = "b.md"
gate = ["tests"]
[state.fix]
kind = "work"
role = "coder"
brief = "b.md"
gate = ["tests"]
[state.dropped]
kind = "gate"
gate = ["tests"]
[state.asked]
kind = "wait"
[state.end]
kind = "end"
[[transition]]
action = "built"
from = "build"
to = "review"
by = "engine"
when = "gate.pass"
[[transition]]
action = "reviewed"
from = "review"
to = "end"
by = "engine"
when = "gate.pass"
[[transition]]
action = "found"
from = "review"
to = "fix"
by = "engine"
when = "gate.fail"
count = "tries"
[[transition]]
action = "fixed"
from = "fix"
to = "review"
by = "engine"
when = "gate.pass"
[[transition]]
action = "drop"
from = "fix"
to = "dropped"
by = "engine"
when = "lost"
[[transition]]
action = "recovered"
from = "dropped"
to = "end"
by = "engine"
when = "gate.pass"
[[transition]]
action = "ask"
from = "fix"
to = "asked"
by = "agent"
when = "requested"
[[transition]]
action = "waive"
from = "asked"
to = "end"
by = "human"
[[transition]]
action = "look_again"
from = "asked"
to = "review"
by = "human"
"#;

fn known(_: &str, _: &Value) -> Result<(), String> {
    Ok(())
}

pub(crate) fn loaded(text: &str) -> Arc<Workflow> {
    Arc::new(load(&source(text), &known).unwrap_or_else(|error| panic!("{error}")))
}

pub(crate) fn begun(text: &str) -> Hand {
    Hand::of(loaded(text), Autonomy::Auto, Mode::default(), &[])
}

/// Does the result object, as the check would read it?
fn verdict(result: &Value) -> Verdict {
    match result["verdict"] == "fail" {
        true => Verdict::Fail,
        false => Verdict::Pass,
    }
}

impl Hand {
    /// An attempt that leaves this result and asks for `next`, and its gate, all else of which passes.
    pub(crate) fn says(&mut self, result: Value, next: &str) {
        let Effect::Attempt(order) = self.begin() else {
            panic!("an attempt is wanted in {}", self.state())
        };
        let outcome = Box::new(Outcome {
            request: (!next.is_empty()).then(|| StateName::from(next)),
            result: Some(result.clone()),
            changed: match order.access {
                Access::Edit => vec!["repo/src/a".to_owned()],
                Access::ReadOnly => Vec::new(),
            },
            ..Outcome::bare(Class::Done, "done")
        });
        let effect = order.id;
        let found = Found::Live;
        let ended = What::AttemptEnded {
            effect,
            outcome,
            found,
        };
        self.feed(ended).unwrap();
        self.gate(&result);
    }

    pub(crate) fn gate(&mut self, result: &Value) {
        if let Some(Effect::Gate(order)) = self.flow.wanted().first().cloned() {
            self.begin();
            let answer = |check: &CheckSpec| {
                let of_kind = |one: &Finding| {
                    let kinds = check.with["kinds"].as_array().into_iter().flatten();
                    kinds.into_iter().any(|kind| kind == one.kind.as_str())
                };
                let raised = Finding::typed(result);
                let verdict = match check.check.as_str() {
                    "no_objection" => verdict(result),
                    // Only what chooses a way: what binds is tried with the checks themselves.
                    "no_finding" if check.weight == Weight::Advisory => {
                        match raised.iter().any(of_kind) {
                            true => Verdict::Fail,
                            false => Verdict::Pass,
                        }
                    }
                    _ => Verdict::Pass,
                };
                let raised: String = raised.iter().map(|one| format!("- {one}\n")).collect();
                let fails = verdict == Verdict::Fail;
                let frozen = check.with["name"]
                    .as_str()
                    .filter(|_| check.check == "freeze");
                let items = |name: &str| {
                    let item = match name {
                        "suite" => "repo/tests/a".to_owned(),
                        other => format!("task/{other}"),
                    };
                    BTreeMap::from([(item, "hash".to_owned())])
                };
                CheckResult {
                    weight: check.weight,
                    shows: check.shows.iter().filter(|_| fails).cloned().collect(),
                    details: if fails { raised } else { String::new() },
                    froze: frozen
                        .map(|name| (name.to_owned(), items(name)))
                        .into_iter()
                        .collect(),
                    ..CheckResult::new(&check.check, verdict, "said so")
                }
            };
            let results = order.checks.iter().map(answer).collect();
            let effect = order.id;
            let found = Found::Live;
            let ended = What::GateEnded {
                effect,
                results,
                tree: None,
                found,
            };
            self.feed(ended).unwrap();
        }
    }

    fn last_why(&self) -> String {
        let journal = serde_json::to_string(&self.flow.snapshot()["last_why"]);
        journal.unwrap()
    }
}

fn fail() -> Value {
    json!({"summary": "no", "verdict": "fail"})
}

fn pass() -> Value {
    json!({"summary": "yes", "verdict": "pass"})
}

/// Built and found wanting.
fn found() -> Hand {
    let mut hand = begun(REVIEWED);
    hand.says(pass(), "");
    hand.says(fail(), "");
    assert_eq!(hand.state(), "fix");
    hand
}

#[test]
fn a_fail_holds_a_gate_whose_list_does_not_read_it_and_the_mended_work_passes() {
    let mut hand = found();
    hand.says(pass(), "");
    assert_eq!(hand.state(), "review");
    hand.says(pass(), "");
    assert_eq!(hand.flow.status().activity, Activity::Done);
}

#[test]
fn what_is_found_stands_once_in_the_brief_of_whoever_mends_it() {
    let mut hand = begun(REVIEWED);
    hand.says(pass(), "");
    let leak = json!({"summary": "no", "verdict": "fail", "findings": [
        {"kind": "correctness", "severity": "required", "place": "a.rs:3", "what": "it  leaks\nhandles"},
    ]});
    hand.says(leak, "");
    let Effect::Attempt(order) = hand.begin() else {
        panic!("somebody mends it")
    };
    let said = order.brief.matches("leaks").count();
    assert_eq!(said, 1, "{}", order.brief);
    let check = "check `no_objection` fail: the open findings above";
    assert!(order.brief.contains(check), "{}", order.brief);
    // A verdict without a finding is told as it was.
    let Effect::Attempt(order) = found().begin() else {
        panic!("somebody mends it")
    };
    assert!(order.brief.contains("said so"), "{}", order.brief);
}

#[test]
fn where_there_is_no_gate_at_all_the_result_itself_is_read() {
    for result in [
        fail(),
        json!({"summary": "x", "findings": [{"severity": "critical", "title": "a leak"}]}),
    ] {
        let mut hand = begun(REVIEWED);
        hand.says(result, "");
        assert_eq!(hand.state(), "build", "{:?}", hand.flow.status());
        hand.says(pass(), "");
        assert_eq!(hand.state(), "review");
    }
    let mut hand = begun(REVIEWED);
    let note = json!({"summary": "x", "findings": ["a remark", {"severity": "Note"}]});
    hand.says(note, "");
    assert_eq!(hand.state(), "review");
}

#[test]
fn an_open_objection_shuts_every_way_to_the_end_that_does_not_ask_again() {
    let mut hand = found();
    let lost = hand.begin().id();
    let reason = "the engine fell".to_owned();
    let usage = kernel::Usage::default();
    let what = What::Lost {
        seen: None,
        effect: lost,
        reason,
        usage,
    };
    hand.feed(what).unwrap();
    assert_eq!(hand.state(), "dropped");
    // Its gate passes, and the run stays where it is.
    hand.gate(&pass());
    assert_eq!(hand.state(), "dropped");
    let why = hand.last_why();
    assert!(why.contains("`review` objects"), "{why}");
}

#[test]
fn a_person_overrules_it_by_leading_past_it_and_not_by_sending_it_back() {
    let mut hand = found();
    hand.says(pass(), "asked");
    hand.decide("waive").unwrap();
    assert_eq!(hand.flow.status().activity, Activity::Done);
    let mut hand = found();
    hand.says(pass(), "asked");
    hand.decide("look_again").unwrap();
    hand.says(fail(), "");
    assert_eq!(hand.state(), "fix", "it is still the reviewer's to say");
}

#[test]
fn the_engine_asks_at_every_gate_unless_the_gate_does() {
    let checks = |text: &str| {
        let mut hand = begun(text);
        hand.says(pass(), "");
        let Effect::Attempt(order) = hand.begin() else {
            panic!("the reviewer is next")
        };
        let outcome = Box::new(Outcome::bare(Class::Done, "done"));
        let (effect, found) = (order.id, Found::Live);
        let ended = What::AttemptEnded {
            effect,
            outcome,
            found,
        };
        hand.feed(ended).unwrap();
        let Some(Effect::Gate(gate)) = hand.flow.wanted().first().cloned() else {
            panic!("its gate is next")
        };
        gate.checks
    };
    let names = |checks: &[CheckSpec]| -> Vec<(String, Weight)> {
        let named = checks.iter().map(|one| (one.check.clone(), one.weight));
        named.collect()
    };
    let added = names(&checks(REVIEWED));
    let bound = |name: &str| (name.to_owned(), Weight::Binding);
    assert_eq!(added, [bound("tests"), bound("no_objection")]);
    let own = REVIEWED.replacen("gate = [\"tests\"]", "gate = [\"no_objection\"]", 1);
    assert_eq!(names(&checks(&own)), [bound("no_objection")]);
    // A check that only tells, or that reads another role, does not hold this one's gate.
    for other in [
        "{ check = \"no_objection\", advisory = true }",
        "{ check = \"no_objection\", role = \"coder\" }",
    ] {
        let text = REVIEWED.replacen("gate = [\"tests\"]", &format!("gate = [{other}]"), 1);
        assert_eq!(names(&checks(&text)).last(), Some(&bound("no_objection")));
    }
}

#[test]
fn what_a_state_settles_is_told_and_holds_nothing() {
    // An audit whose report another role weighs, before anything else.
    let weighed = REVIEWED
        .replace("[state.fix]", "[state.fix]\nsettles = \"review\"")
        .replace("to = \"end\"\nby = \"engine\"\nwhen = \"gate.pass\"\n[[transition]]\naction = \"found\"", "to = \"fix\"\nby = \"engine\"\nwhen = \"gate.pass\"\n[[transition]]\naction = \"found\"")
        .replace("from = \"fix\"\nto = \"review\"", "from = \"fix\"\nto = \"end\"");
    let mut hand = begun(&weighed);
    hand.says(pass(), "");
    hand.says(fail(), "");
    assert_eq!(hand.state(), "fix");
    hand.says(pass(), "");
    assert_eq!(hand.flow.status().activity, Activity::Done);
}

/// The good table with this change is refused with this code, unless a run of it has begun.
fn refused(find: &str, replace: &str, code: &str) {
    assert!(REVIEWED.contains(find), "no {find}");
    let text = REVIEWED.replacen(find, replace, 1);
    let error = load(&source(&text), &known).expect_err(code);
    assert!(error.problems.iter().any(|one| one.code == code), "{error}");
    let later = error
        .problems
        .iter()
        .all(|one| one.code == "verdict_bypassed");
    assert_eq!(load_begun(&source(&text), &known).is_ok(), later);
}

#[test]
fn a_table_in_which_a_fail_holds_nothing_is_refused() {
    // Mended, and never looked at again.
    refused(
        "from = \"fix\"\nto = \"review\"",
        "from = \"fix\"\nto = \"end\"",
        "verdict_bypassed",
    );
    // The reviewer asks, and is done.
    refused(
        "action = \"ask\"\nfrom = \"fix\"\nto = \"asked\"",
        "action = \"ask\"\nfrom = \"review\"\nto = \"end\"",
        "verdict_bypassed",
    );
    // Settled by a state that the way need not touch.
    refused(
        "[state.fix]",
        "[state.fix]\nsettles = \"review\"",
        "verdict_bypassed",
    );
    refused(
        "[state.fix]",
        "[state.fix]\nsettles = \"end\"",
        "unknown_state",
    );
    // An end that promises nothing may follow a fail.
    let rejected = REVIEWED
        .replace(
            "from = \"fix\"\nto = \"review\"",
            "from = \"fix\"\nto = \"rejected\"",
        )
        .replace(
            "[state.end]",
            "[state.rejected]\nkind = \"end\"\ncompleting = false\n[state.end]",
        );
    loaded(&rejected);
}

#[test]
fn a_role_that_cannot_say_fail_is_refused() {
    let text = REVIEWED.replace(
        "about = \"reviews\"",
        "about = \"reviews\"\nresult = \"r.json\"",
    );
    let with = |verdict: Value| {
        let mut source = source(&text);
        let schema = json!({"type": "object", "properties": {"verdict": verdict}});
        source.files.insert("r.json".to_owned(), schema.to_string());
        source
    };
    for deaf in [
        json!({"const": "pass"}),
        json!({"enum": ["approve", "reject"]}),
    ] {
        let error = load(&with(deaf), &known).expect_err("it cannot fail");
        assert_eq!(error.problems[0].code, "verdict_cannot_fail", "{error}");
    }
    for good in [json!({"enum": ["pass", "fail"]}), json!({"type": "string"})] {
        load(&with(good), &known).unwrap_or_else(|error| panic!("{error}"));
    }
}

#[test]
fn an_objection_survives_a_restart() {
    let hand = found();
    let mut again = flow::Flow::new(loaded(REVIEWED));
    again.restore(&hand.flow.snapshot()).unwrap();
    assert_eq!(again.snapshot(), hand.flow.snapshot());
    assert_eq!(again.snapshot()["objections"]["review"], "said so");
}

fn finding(kind: &str, severity: &str) -> Value {
    json!({"kind": kind, "severity": severity, "place": "a.rs:3", "what": "it leaks"})
}

fn settles(id: &str) -> Value {
    json!({"summary": "yes", "verdict": "pass", "settled": [{"finding": id, "how": "it is gone"}]})
}

#[test]
fn silence_settles_no_finding() {
    let mut hand = begun(REVIEWED);
    hand.says(pass(), "");
    let found = json!({"summary": "no", "verdict": "fail", "findings": [finding("correctness", "required")]});
    hand.says(found, "");
    assert_eq!(hand.state(), "fix");
    // What the coder says of it is an answer, and not the last word.
    hand.says(settles("F1"), "");
    hand.says(pass(), "");
    assert_eq!(hand.state(), "review", "the reviewer was silent about it");
    let why = hand.last_why();
    assert!(
        why.contains("F1 ([correctness, required] a.rs:3: it leaks) is open"),
        "{why}"
    );
    let brief = match hand.begin() {
        Effect::Attempt(order) => order.brief,
        other => panic!("{other:?}"),
    };
    for part in [
        "F1 (found in `review`) [correctness, required] a.rs:3: it leaks",
        "-> in `fix`: it is gone",
        "`settled` does not say what became of it",
        r#""settled": [{"finding": "F1", "how": "..."}]"#,
    ] {
        assert!(brief.contains(part), "no `{part}` in\n{brief}");
    }
    let lost = hand.flow.status().in_flight[0].effect;
    let (reason, usage) = ("fell".to_owned(), kernel::Usage::default());
    hand.feed(What::Lost {
        seen: None,
        effect: lost,
        reason,
        usage,
    })
    .unwrap();
    hand.says(settles("F1"), "");
    assert_eq!(hand.flow.status().activity, Activity::Done);
    // A remark holds nothing, and needs no answer.
    let mut hand = begun(REVIEWED);
    hand.says(pass(), "");
    let remark =
        json!({"summary": "yes", "verdict": "pass", "findings": [finding("style", "note")]});
    hand.says(remark, "");
    assert_eq!(hand.flow.status().activity, Activity::Done);
}

#[test]
fn who_changed_the_code_says_it_and_whoever_reads_it_settles_it() {
    let mut hand = begun(REVIEWED);
    let hm = json!({"summary": "hm", "findings": [finding("security", "note")]});
    hand.says(hm, "");
    assert_eq!(
        hand.state(),
        "build",
        "a security finding holds, however grave it is"
    );
    hand.says(settles("F1"), "");
    assert_eq!(hand.state(), "review");
    // Raised by the mender, asked past by a person: on record that they overruled it.
    let mut hand = found();
    hand.says(
        json!({"summary": "hm", "findings": [finding("scope", "critical")]}),
        "asked",
    );
    hand.decide("waive").unwrap();
    assert_eq!(hand.flow.status().activity, Activity::Done);
}

#[test]
fn a_security_finding_is_judged_before_anything_that_was_asked_for() {
    let mut hand = found();
    let quiet = json!({"summary": "I ask", "findings": [finding("architecture", "required")]});
    let mut other = found();
    let insecure = json!({"summary": "I ask", "findings": [finding("security", "required")]});
    for (hand, result, wanted) in [(&mut hand, quiet, true), (&mut other, insecure, false)] {
        let order = hand.begin().id();
        let outcome = Box::new(Outcome {
            request: Some(StateName::from("asked")),
            result: Some(result),
            ..Outcome::bare(Class::Done, "done")
        });
        let found = Found::Live;
        hand.feed(What::AttemptEnded {
            effect: order,
            outcome,
            found,
        })
        .unwrap();
        assert_eq!(hand.state() == "asked", wanted);
    }
    assert!(matches!(other.flow.wanted().first(), Some(Effect::Gate(_))));
}

//! Rules F8.4 and F9: the debate over one module, its bounds, mild reviews and amendments.

use super::{checked, done, hear, last_move, planned, turn};
use crate::said;
use factory::debate::{Adjudication, Verdict, judge, read};
use factory::engineering::debate::{At, Checked, Debate, Judge, Now, Said};
use factory::engineering::roles::{Occasion, Role};
use factory::engineering::ship::{Applies, STEPS, ShipStep};
use factory::engineering::work::{End, Fate, Work};
use kernel::{CheckResult, Verdict as Checks};
use serde_json::{Value, json};

fn adjudication(ruling: &Value, standing: Verdict) -> Result<Adjudication, Vec<String>> {
    let answer = Role::Arbiter.answer(Occasion::Adjudicate);
    read(answer, ruling, |one| {
        judge::adjudication(one, Some(standing))
    })
}

pub(super) fn fail_to_the_end(work: &mut Work) {
    for _ in 0..3 {
        hear(work, done(said::proposal()));
        hear(work, done(said::fail(&["R3"])));
    }
    hear(work, done(said::reject()));
}

#[test]
fn s9_3_two_revisions_and_then_the_arbiter() {
    let mut work = planned(&[("MM-a", &[])]);
    let mut turns = Vec::new();
    for _ in 0..3 {
        turns.push(turn(&work).unwrap());
        hear(&mut work, done(said::proposal()));
        hear(&mut work, done(said::fail(&["R2"])));
    }
    assert_eq!(turns, [At::Propose, At::Revise, At::Revise]);
    assert_eq!(turn(&work), Some(At::Adjudicate));
    hear(&mut work, done(said::reject()));
    assert_eq!(
        work.modules[0].fate,
        Fate::Failed("debate_rejected".to_owned())
    );
}

#[test]
fn s8_4_a_rejection_within_the_window_returns_to_the_proposer() {
    let mut work = planned(&[("MM-a", &[])]);
    for expected in [At::Revise, At::Revise] {
        hear(&mut work, done(said::proposal()));
        hear(&mut work, done(said::pass()));
        hear(&mut work, done(said::reject()));
        assert_eq!(turn(&work), Some(expected));
    }
    hear(&mut work, done(said::proposal()));
    hear(&mut work, done(said::pass()));
    hear(&mut work, done(said::reject()));
    assert_eq!(
        work.modules[0].fate,
        Fate::Failed("debate_rejected".to_owned())
    );
}

#[test]
fn s9_4_and_9_5_mild_reviews_are_found() {
    let at_challenge = || {
        let mut debate = Debate::default();
        let proposed = debate.hear(&said::proposal(), At::Challenge, 0);
        debate.take(&proposed, Some(&said::proposal()));
        debate
    };
    let mut broken: Vec<(&str, Value)> = vec![("vague approval", said::mild())];
    let mut partial = said::pass();
    partial["rubric_assessments"].as_array_mut().unwrap().pop();
    broken.push(("incomplete rubric", partial));
    let mut despite = said::fail(&["R3"]);
    despite["verdict"] = json!("PASS");
    broken.push(("pass despite defects", despite));
    let mut listed = said::pass();
    listed["failures"] = said::fail(&[])["failures"].clone();
    broken.push(("pass with failures", listed));
    let mut vague = said::pass();
    vague["rubric_assessments"][2]["evidence"] = json!("looks correct");
    broken.push(("no evidence", vague));
    let mut praise = said::pass();
    praise["rubric_assessments"][2]["evidence"] = json!("looks good to me overall");
    broken.push(("praise", praise));
    let mut dimension = said::pass();
    dimension["rubric_assessments"][0]["evidence"] = json!("inputs and outputs match the contract");
    broken.push(("dimensions left out", dimension));
    let mut twice = said::pass();
    twice["rubric_assessments"][1]["criterion"] = json!("R1");
    broken.push(("twice", twice));
    let mut empty = said::fail(&["R3"]);
    empty["failures"] = json!([]);
    broken.push(("fail without failures", empty));
    for (name, challenge) in broken {
        let said = at_challenge().hear(&challenge, At::Try, 0);
        assert!(
            matches!(&said.said, Said::Complained(faults) if !faults.is_empty()),
            "{name}: {said:?}"
        );
        assert_eq!(said.to, Now::At(At::Challenge), "{name}");
    }
    for (good, to) in [
        (said::pass(), At::Adjudicate),
        (said::fail(&["R1"]), At::Revise),
    ] {
        assert_eq!(at_challenge().hear(&good, At::Try, 0).to, Now::At(to));
    }
}

#[test]
fn s9_5_after_two_retries_a_mild_review_is_a_fail() {
    let mut work = planned(&[("MM-a", &[])]);
    hear(&mut work, done(said::proposal()));
    for _ in 0..2 {
        hear(&mut work, done(said::mild()));
        assert_eq!(turn(&work), Some(At::Challenge));
    }
    let steps = hear(&mut work, done(said::mild()));
    let Some(Said::Challenged {
        verdict,
        failures,
        by,
    }) = last_move(&steps).map(|one| &one.said)
    else {
        panic!("{steps:?}");
    };
    assert_eq!((*verdict, *by), (Verdict::Fail, Judge::ComplianceGate));
    assert_eq!(failures[0].invariant, "mild_review_violation");
    assert_eq!(turn(&work), Some(At::Revise));
}

#[test]
fn s9_6_vague_or_contradicting_adjudications_are_refused() {
    let fails = |change: &dyn Fn(&mut Value), standing| {
        let mut ruling = said::amend();
        change(&mut ruling);
        adjudication(&ruling, standing).is_err()
    };
    use Verdict::{Fail, Pass};
    assert!(!fails(&|_| {}, Fail));
    assert!(fails(
        &|one| one["amendments"][0]["detail"] = json!("improve error handling"),
        Pass
    ));
    assert!(fails(
        &|one| one["amendments"][0]["target"] = json!(""),
        Pass
    ));
    assert!(fails(
        &|one| one["amendments"][0]["action"] = json!("CHANGE"),
        Pass
    ));
    assert!(fails(&|one| one["amendments"] = json!([]), Pass));
    assert!(fails(&|one| one["ship_directive"] = json!("NO_SHIP"), Pass));
    assert!(fails(&|one| one["rationale"] = json!(" "), Pass));
    assert!(adjudication(&said::approve(), Pass).is_ok());
    // Rule F19.6: after the last failure, amend or reject.
    assert!(adjudication(&said::approve(), Fail).is_err());
}

#[test]
fn s9_6_an_amended_approval_ships_without_another_debate() {
    let mut work = planned(&[("MM-a", &[])]);
    for answer in [
        said::proposal(),
        said::pass(),
        said::amend(),
        said::amended(true),
    ] {
        hear(&mut work, done(answer));
    }
    let mut steps = Vec::new();
    while let Some(At::Ship(step)) = turn(&work) {
        steps.push(step);
        hear(&mut work, checked(Checks::Pass));
    }
    let rows = STEPS.iter().filter(|row| row.applies != Applies::WithExam);
    let all: Vec<ShipStep> = rows.map(|row| row.step).collect();
    assert_eq!(steps, all);
    assert!(matches!(work.end, Some(End::Shipped(_))));
}

#[test]
fn s9_6_an_amendment_that_is_not_applied_halts() {
    for (answers, gate) in [
        (said::amended(false), None),
        (said::amended(true), Some(Checks::Fail)),
    ] {
        let mut work = planned(&[("MM-a", &[])]);
        for answer in [said::proposal(), said::pass(), said::amend(), answers] {
            hear(&mut work, done(answer));
        }
        if let Some(verdict) = gate {
            assert_eq!(turn(&work), Some(At::Ship(ShipStep::Amendments)));
            hear(&mut work, checked(verdict));
        }
        assert_eq!(
            work.modules[0].fate,
            Fate::Failed("amendment_unapplied".to_owned())
        );
        assert!(!work.modules[0].debate.failures.is_empty());
    }
}

#[test]
fn s9_3_what_does_not_hold_is_revised_before_anybody_debates_it() {
    let proposed = |debate: &mut Debate| {
        let said = debate.hear(&said::proposal(), At::Try, 0);
        debate.take(&said, Some(&said::proposal()));
        assert_eq!(debate.at, At::Try);
    };
    let tried = |debate: &mut Debate, verdict: Checks, reason: &str| {
        let results = [CheckResult::new("black_box_tests", verdict, reason)];
        match debate.checked(&results, 0) {
            Some(Checked::Moved(said)) => {
                debate.take(&said, None);
                said.to
            }
            other => panic!("{other:?}"),
        }
    };
    let mut debate = Debate::default();
    proposed(&mut debate);
    // Red costs a revision, and is told whole.
    assert_eq!(
        tried(&mut debate, Checks::Fail, "lib.rs:3: expected `;`"),
        Now::At(At::Revise)
    );
    assert_eq!(debate.failures[0].evidence, "lib.rs:3: expected `;`");
    assert_eq!(debate.revisions, 1);
    // What holds goes to the Challenger, who is told what was seen.
    proposed(&mut debate);
    assert_eq!(
        tried(&mut debate, Checks::Pass, "2 tests passed: a, b"),
        Now::At(At::Challenge)
    );
    assert_eq!(
        (debate.saw, debate.failures),
        (vec!["2 tests passed: a, b".to_owned()], Vec::new())
    );
    // There are two revisions, whoever asks for them.
    let mut debate = Debate::default();
    for _ in 0..2 {
        proposed(&mut debate);
        assert_eq!(tried(&mut debate, Checks::Fail, "red"), Now::At(At::Revise));
    }
    proposed(&mut debate);
    assert_eq!(
        tried(&mut debate, Checks::Fail, "red"),
        Now::Failed("black_box_tests".to_owned())
    );
    // What could not be tried says nothing about the module.
    for results in [
        vec![],
        vec![CheckResult::new(
            "black_box_tests",
            Checks::CouldNotRun,
            "no compiler",
        )],
    ] {
        let mut debate = Debate::default();
        proposed(&mut debate);
        let found = debate.checked(&results, 0);
        assert!(matches!(found, Some(Checked::CouldNotRun(_))), "{found:?}");
    }
}

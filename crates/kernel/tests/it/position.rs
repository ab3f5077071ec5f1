//! Every step on small tables: what moves, what holds, what is refused.

use crate::tables::{Chain, table, way, with};
use kernel::table::{Guard, Slot, Stalling, Stepping};
use kernel::{Actor, Autonomy, Hold, Mode, Pace, Position, Risk, Step, Table};

const FLOWING: Mode = Mode {
    pace: Pace::Flowing,
    risk: Risk::Normal,
};
const STEPPED: Mode = Mode {
    pace: Pace::Stepped,
    risk: Risk::Normal,
};
const HIGH: Mode = Mode {
    pace: Pace::Flowing,
    risk: Risk::High,
};

fn start(table: &Table) -> Position {
    Position::start(table, Autonomy::Auto)
}

fn answer(option: &str) -> Step {
    Step::Answer(option.to_owned())
}

/// Takes all steps; a refusal is a failure of the test.
fn walk(table: &Table, mode: Mode, from: Position, steps: &[Step]) -> Position {
    steps.iter().fold(from, |at, step| {
        table
            .step(&at, mode, step)
            .unwrap_or_else(|refusal| panic!("{step:?} at {at:?}: {refusal}"))
    })
}

fn refused(table: &Table, mode: Mode, at: &Position, step: &Step) -> String {
    let before = at.clone();
    let refusal = table.step(at, mode, step).expect_err("a refusal");
    assert_eq!(*at, before);
    refusal.code
}

fn budget(name: &str) -> Option<Hold> {
    Some(Hold::Budget { name: name.into() })
}

/// `a` builds, `b` judges: back to `a` under a counter, on to `done`.
fn small() -> Table {
    with(
        table("a:work b:gate wait:wait done:end", &[("tries", 2)]),
        [
            way("built", "a", "b", Actor::Engine).when(Guard::GatePass),
            way("failed", "b", "a", Actor::Engine)
                .when(Guard::GateFail)
                .count("tries"),
            way("passed", "b", "done", Actor::Engine)
                .when(Guard::GatePass)
                .reset("tries"),
            way("ask", "a b", "wait", Actor::Agent)
                .when(Guard::Requested)
                .slot(Slot::SaveFrom),
            way("reopen", "wait", "return", Actor::Human),
        ],
    )
}

const BUILT: Step = Step::Fire(0);
const FAILED: Step = Step::Fire(1);
const PASSED: Step = Step::Fire(2);
const ASK: Step = Step::Fire(3);
const REOPEN: Step = Step::Fire(4);

#[test]
fn a_transition_lands_and_begins_a_new_visit() {
    let table = small();
    let at = walk(&table, FLOWING, start(&table), &[Step::Again, BUILT]);
    let want = Position {
        state: "b".into(),
        ..start(&table)
    };
    assert_eq!(at, want, "the passes of the old visit are gone");
}

#[test]
fn what_the_table_does_not_allow_is_refused_and_changes_nothing() {
    let table = small();
    let at = start(&table);
    for step in [PASSED, REOPEN, Step::Fire(99)] {
        assert_eq!(refused(&table, FLOWING, &at, &step), "step_not_possible");
    }
    assert_eq!(
        refused(&table, FLOWING, &at, &answer("reopen")),
        "unknown_option"
    );
    assert_eq!(
        refused(&table, FLOWING, &at, &answer("approve")),
        "unknown_option"
    );
}

#[test]
fn the_engine_never_takes_a_persons_transition() {
    let table = small();
    let at = walk(&table, FLOWING, start(&table), &[ASK]);
    assert_eq!(refused(&table, FLOWING, &at, &REOPEN), "step_not_possible");
    let at = walk(&table, FLOWING, at, &[answer("reopen")]);
    assert_eq!(at.state.as_str(), "a");
}

#[test]
fn passes_run_out_and_are_extended() {
    let table = small();
    let at = walk(&table, FLOWING, start(&table), &[Step::Again]);
    assert_eq!((at.passes, &at.hold), (1, &None));
    let at = walk(&table, FLOWING, at, &[Step::Again]);
    assert_eq!((at.passes, &at.hold), (2, &budget("passes")));
    for step in [
        BUILT,
        Step::Again,
        Step::Stall,
        Step::Trouble,
        Step::Exhaust("tokens".into()),
    ] {
        assert_eq!(refused(&table, FLOWING, &at, &step), "step_not_possible");
    }
    let at = walk(&table, FLOWING, at, &[answer("extend")]);
    assert_eq!(at, start(&table));
}

#[test]
fn a_spent_counter_becomes_an_escalation_and_only_extend_renews_it() {
    let table = small();
    let round = [BUILT, FAILED];
    let at = walk(&table, FLOWING, start(&table), &round);
    let at = walk(&table, FLOWING, at, &round);
    assert_eq!(at.count(&"tries".into()), 2);
    let held = walk(&table, FLOWING, at, &round);
    assert_eq!((held.state.as_str(), &held.hold), ("b", &budget("tries")));
    assert_eq!(held.count(&"tries".into()), 2, "holding does not count");
    let at = walk(&table, FLOWING, held, &[answer("extend")]);
    assert_eq!(
        (
            at.state.as_str(),
            at.count(&"tries".into()),
            at.hold.clone()
        ),
        ("b", 0, None)
    );
    let at = walk(&table, FLOWING, at, &[FAILED]);
    assert_eq!((at.state.as_str(), at.count(&"tries".into())), ("a", 1));
}

#[test]
fn a_reset_sets_back_and_wins_over_a_count() {
    let mut table = small();
    let both = way("both", "a", "b", Actor::Engine)
        .count("tries")
        .reset("tries");
    table.transitions.push(both);
    let steps = [BUILT, FAILED, Step::Fire(5)];
    let at = walk(&table, FLOWING, start(&table), &steps);
    assert_eq!(at.counts.len(), 0, "zero is not stored");
}

#[test]
fn a_person_may_pass_a_spent_counter_but_it_never_exceeds_its_cap() {
    let table = with(
        table("a:wait done:end", &[("tries", 1)]),
        [
            way("once_more", "a", "a", Actor::Human).count("tries"),
            way("enough", "a", "done", Actor::Human),
        ],
    );
    let again = answer("once_more");
    let at = walk(
        &table,
        FLOWING,
        start(&table),
        &[again.clone(), again.clone(), again],
    );
    assert_eq!((at.count(&"tries".into()), at.hold), (1, None));
}

#[test]
fn the_ladder_holds_what_completes() {
    let table = small();
    for autonomy in [Autonomy::Manual, Autonomy::Conservative] {
        let at = Position::start(&table, autonomy);
        let held = walk(&table, HIGH, at, &[BUILT, FAILED, BUILT, PASSED]);
        let hold = Hold::Approval {
            action: "passed".into(),
            to: "done".into(),
        };
        assert_eq!((held.state.as_str(), &held.hold), ("b", &Some(hold)));
        let options = table.options(&held, HIGH);
        assert_eq!(options, ["approve", "reject", "stop"]);
        let no = walk(&table, HIGH, held.clone(), &[answer("reject")]);
        assert_eq!(
            no,
            Position {
                hold: None,
                ..held.clone()
            }
        );
        let done = walk(&table, HIGH, held, &[answer("approve")]);
        assert_eq!((done.state.as_str(), &done.hold), ("done", &None));
        assert_eq!(done.counts.len(), 0, "the approved transition's own reset");
    }
    let done = walk(&table, FLOWING, start(&table), &[BUILT, PASSED]);
    assert_eq!(done.state.as_str(), "done");
}

#[test]
fn high_risk_under_auto_must_be_lowered_before_a_person_approves() {
    let table = small();
    let held = walk(&table, HIGH, start(&table), &[BUILT, PASSED]);
    assert_eq!(held.hold, Some(Hold::Risk));
    assert_eq!(table.options(&held, HIGH), ["lower", "stop"]);
    let at = walk(&table, HIGH, held, &[answer("lower"), PASSED]);
    assert_eq!(at.autonomy, Autonomy::Conservative);
    assert!(matches!(at.hold, Some(Hold::Approval { .. })));
    let at = walk(&table, HIGH, at, &[answer("approve")]);
    assert_eq!(at.state.as_str(), "done");
}

#[test]
fn an_approval_lands_the_transition_that_asked_not_another_of_its_name() {
    let left = || Guard::Left("tries".into());
    let spent = || Guard::Spent("tries".into());
    let table = with(
        table("a:work b:work! done:end", &[("tries", 1)]),
        [
            way("go", "a", "b", Actor::Human).slot(Slot::SaveFrom),
            way("go", "a", "b", Actor::Engine)
                .when(spent())
                .reset("tries"),
            way("go", "a", "b", Actor::Engine)
                .when(left())
                .count("tries"),
            way("end", "b", "done", Actor::Engine),
        ],
    );
    let at = Position::start(&table, Autonomy::Manual);
    let at = walk(&table, FLOWING, at, &[Step::Fire(2), answer("approve")]);
    assert_eq!((at.count(&"tries".into()), at.slot), (1, None));
}

#[test]
fn a_stepped_run_pauses_after_passed_gates_only() {
    let mut table = small();
    let held = walk(&table, STEPPED, start(&table), &[BUILT]);
    assert_eq!((held.state.as_str(), &held.hold), ("b", &Some(Hold::Step)));
    let at = walk(&table, STEPPED, held, &[answer("continue"), FAILED]);
    assert_eq!((at.state.as_str(), &at.hold), ("a", &None));
    let done = walk(&table, STEPPED, at, &[BUILT, answer("continue"), PASSED]);
    assert_eq!((done.state.as_str(), &done.hold), ("done", &None));
    table.stepping = Stepping::InTable;
    let at = walk(&table, STEPPED, start(&table), &[BUILT]);
    assert_eq!(at.hold, None, "the table has its own pauses");
}

#[test]
fn stepped_and_flowing_guards_follow_the_pace() {
    let mut table = with(
        table("a:work pause:wait b:work done:end", &[]),
        [
            way("on", "a", "pause", Actor::Engine).when(Guard::Stepped),
            way("on", "a", "b", Actor::Engine).when(Guard::Flowing),
            way("go", "pause", "b", Actor::Human),
            way("end", "b", "done", Actor::Engine),
        ],
    );
    table.stepping = Stepping::InTable;
    let at = start(&table);
    assert_eq!(
        refused(&table, STEPPED, &at, &Step::Fire(1)),
        "step_not_possible"
    );
    assert_eq!(
        refused(&table, FLOWING, &at, &Step::Fire(0)),
        "step_not_possible"
    );
    let at = walk(&table, STEPPED, at, &[Step::Fire(0)]);
    assert_eq!(table.options(&at, STEPPED), ["go", "lower", "stop"]);
}

#[test]
fn stall_trouble_and_a_used_up_budget_hold_and_lose_nothing() {
    let mut table = small();
    table.stalling = Stalling::Halts;
    let at = walk(
        &table,
        FLOWING,
        start(&table),
        &[BUILT, FAILED, Step::Again],
    );
    for (step, hold, option) in [
        (Step::Stall, Hold::Stall, "continue"),
        (Step::Trouble, Hold::Trouble, "retry"),
        (
            Step::Exhaust("tokens".into()),
            Hold::Budget {
                name: "tokens".into(),
            },
            "extend",
        ),
    ] {
        let held = walk(&table, FLOWING, at.clone(), &[step]);
        assert_eq!(
            held,
            Position {
                hold: Some(hold),
                ..at.clone()
            }
        );
        assert_eq!(table.options(&held, FLOWING), [option, "stop"]);
        assert_eq!(walk(&table, FLOWING, held, &[answer(option)]), at);
    }
}

#[test]
fn the_return_slot_is_saved_kept_cleared_and_emptied_by_returning() {
    let mut table = small();
    let at = walk(&table, FLOWING, start(&table), &[BUILT, ASK]);
    assert_eq!(at.slot.as_ref().map(|slot| slot.as_str()), Some("b"));
    let at = walk(&table, FLOWING, at, &[answer("reopen")]);
    assert_eq!((at.state.as_str(), &at.slot), ("b", &None));

    table.transitions.extend([
        way("side", "a", "b", Actor::Engine).slot(Slot::Save("wait".into())),
        way("home", "b", "a", Actor::Engine).when(Guard::ReturnIs("wait".into())),
        way("clear", "a", "b", Actor::Engine).slot(Slot::Clear),
        way("empty", "b", "a", Actor::Engine).when(Guard::ReturnEmpty),
    ]);
    let [side, home, clear, empty] = [5, 6, 7, 8].map(Step::Fire);
    let at = walk(&table, FLOWING, start(&table), &[side]);
    assert_eq!(refused(&table, FLOWING, &at, &empty), "step_not_possible");
    let at = walk(&table, FLOWING, at, &[home]);
    assert_eq!(
        at.slot.as_ref().map(|slot| slot.as_str()),
        Some("wait"),
        "kept"
    );
    let at = walk(&table, FLOWING, at, &[clear, empty]);
    assert_eq!(at.slot, None);
}

#[test]
fn a_return_without_a_slot_is_no_way() {
    let mut table = small();
    table.initial = "wait".into();
    let at = start(&table);
    assert_eq!(table.options(&at, FLOWING), ["lower", "stop"]);
    assert_eq!(refused(&table, FLOWING, &at, &REOPEN), "step_not_possible");
}

#[test]
fn a_person_can_leave_a_held_work_state_by_its_human_transitions() {
    let mut table = small();
    let skip = way("skip", "a", "b", Actor::Human);
    table.transitions.push(skip);
    let held = walk(&table, FLOWING, start(&table), &[Step::Trouble]);
    assert_eq!(table.options(&held, FLOWING), ["retry", "skip", "stop"]);
    let at = walk(&table, FLOWING, held, &[answer("skip")]);
    assert_eq!((at.state.as_str(), at.hold), ("b", None));
}

#[test]
fn stop_is_possible_everywhere_but_at_an_end_and_nothing_follows_it() {
    let table = small();
    let a = start(&table);
    let everywhere = [
        a.clone(),
        walk(&table, FLOWING, a.clone(), &[ASK]),
        walk(&table, FLOWING, a.clone(), &[Step::Trouble]),
        walk(&table, HIGH, a.clone(), &[BUILT, PASSED]),
    ];
    for at in everywhere {
        let stopped = walk(&table, FLOWING, at.clone(), &[answer("stop")]);
        assert_eq!(
            stopped,
            Position {
                stopped: true,
                hold: None,
                ..at
            }
        );
        assert!(table.options(&stopped, FLOWING).is_empty());
        for step in [BUILT, Step::Again, answer("stop"), answer("retry")] {
            assert_eq!(refused(&table, FLOWING, &stopped, &step), "run_is_over");
        }
    }
    let done = walk(&table, FLOWING, a, &[BUILT, PASSED]);
    assert_eq!(
        refused(&table, FLOWING, &done, &answer("stop")),
        "run_is_over"
    );
}

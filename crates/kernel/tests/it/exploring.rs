//! Each finding has a table that shows it, with a shortest path.

use crate::tables::{Chain, pipeline, table, way, with};
use kernel::explore::{Finding, PROPERTIES, explore};
use kernel::table::{Guard, Slot, Stepping, Table};
use kernel::{Actor, explore::ways};
use kernel::{Autonomy, Mode, Position};

/// The findings' codes, and the one that was asked for.
fn find(table: &Table, code: &str) -> (Vec<&'static str>, Option<Finding>) {
    let report = explore(table);
    assert_eq!(
        report.proven.is_empty(),
        !report.findings.is_empty(),
        "only an empty report proves"
    );
    let codes = report.findings.iter().map(|finding| finding.code);
    let wanted = report.findings.iter().find(|finding| finding.code == code);
    (codes.collect(), wanted.cloned())
}

/// The finding's path; it must be the only finding.
fn only(table: &Table, code: &str) -> Finding {
    let (codes, finding) = find(table, code);
    assert_eq!(codes, [code]);
    finding.expect("the code was there")
}

fn sound() -> Table {
    with(
        table("a:work b:gate done:end", &[("tries", 1)]),
        [
            way("built", "a", "b", Actor::Engine).when(Guard::GatePass),
            way("failed", "b", "a", Actor::Engine)
                .when(Guard::GateFail)
                .count("tries"),
            way("passed", "b", "done", Actor::Engine).when(Guard::GatePass),
        ],
    )
}

#[test]
fn a_sound_table_proves_everything() {
    let report = explore(&sound());
    assert!(report.findings.is_empty(), "{:#?}", report.findings);
    assert_eq!(report.proven, PROPERTIES);
}

#[test]
fn unreachable_state() {
    let mut table = with(
        table("a:work island:wait done:end", &[]),
        [way("go", "a", "done", Actor::Engine)],
    );
    let finding = only(&table, "unreachable_state");
    assert!(finding.what.contains("`island`"), "{}", finding.what);
    table.transitions = vec![
        way("go", "a", "done", Actor::Engine),
        way("leave", "island", "done", Actor::Human),
    ];
    let (codes, _) = find(&table, "unreachable_state");
    assert_eq!(codes, ["unreachable_state", "unreachable_decision"]);
}

#[test]
fn dead_transition() {
    let mut table = sound();
    let never = way("never", "a", "b", Actor::Engine)
        .when(Guard::Left("tries".into()))
        .when(Guard::Spent("tries".into()));
    table.transitions.push(never);
    assert!(only(&table, "dead_transition").what.contains("`never`"));
}

#[test]
fn a_transition_that_only_ever_escalates_is_dead_too() {
    let mut table = sound();
    table.counters.insert(
        "none".into(),
        kernel::table::Counter {
            cap: 0,
            renewal: kernel::table::Renewal::Never,
        },
    );
    let held = way("held", "a", "b", Actor::Engine).count("none");
    table.transitions.push(held);
    assert!(only(&table, "dead_transition").what.contains("`held`"));
}

#[test]
fn twins_of_one_name_are_both_alive() {
    let mut table = sound();
    let twin = way("built", "a", "b", Actor::Engine).when(Guard::Requested);
    table.transitions.push(twin);
    assert!(explore(&table).findings.is_empty());
}

#[test]
fn unreachable_decision() {
    let mut table = sound();
    let shadowed = |slot| way("skip", "a", "b", Actor::Human).slot(slot);
    table.transitions.push(shadowed(Slot::Keep));
    assert!(explore(&table).findings.is_empty());
    // A person who says `skip` always gets the first.
    table.transitions.push(shadowed(Slot::Clear));
    assert!(only(&table, "unreachable_decision").what.contains("`skip`"));
}

#[test]
fn dead_end_with_a_shortest_path() {
    let table = with(
        table("a:work b:work stuck:wait done:end", &[("laps", 1)]),
        [
            way("on", "a", "b", Actor::Engine),
            way("lap", "b", "a", Actor::Engine).count("laps"),
            way("jam", "b", "stuck", Actor::Engine),
            way("end", "b", "done", Actor::Engine),
        ],
    );
    let (codes, finding) = find(&table, "dead_end");
    assert_eq!(codes, ["dead_end", "trap"]);
    assert_eq!(
        finding.expect("a dead end").path,
        [
            "start in a (autonomy manual, Flowing, risk Normal)",
            "on -> b",
            "jam -> stuck",
        ]
    );
}

#[test]
fn endless_loop_of_two() {
    let mut table = sound();
    table.transitions[1].count.clear();
    let finding = only(&table, "endless_loop");
    assert_eq!(
        finding.path,
        [
            "start in a (autonomy manual, Flowing, risk Normal)",
            "and round again for ever:",
            "built -> b",
            "failed -> a",
        ]
    );
}

#[test]
fn endless_loop_of_one() {
    let mut table = sound();
    let idle = way("idle", "b", "b", Actor::Engine);
    table.transitions.push(idle);
    assert_eq!(
        only(&table, "endless_loop").path,
        [
            "start in a (autonomy manual, Flowing, risk Normal)",
            "built -> b",
            "and round again for ever:",
            "idle -> b",
        ]
    );
}

#[test]
fn endless_loop_that_resets_its_own_counter() {
    let mut table = sound();
    table.transitions[0].reset = vec!["tries".into()];
    let finding = only(&table, "endless_loop");
    assert!(finding.path.iter().any(|line| line.starts_with("failed")));
}

#[test]
fn a_loop_through_a_person_is_no_endless_loop() {
    let table = with(
        table("a:work pause:wait done:end", &[]),
        [
            way("ask", "a", "pause", Actor::Agent),
            way("go_on", "pause", "a", Actor::Human),
            way("end", "a", "done", Actor::Engine),
        ],
    );
    assert!(explore(&table).findings.is_empty());
}

#[test]
fn trap() {
    let table = with(
        table("a:work b:wait c:wait done:end", &[]),
        [
            way("end", "a", "done", Actor::Engine),
            way("stray", "a", "b", Actor::Agent),
            way("over", "b", "c", Actor::Human),
            way("back", "c", "b", Actor::Human),
        ],
    );
    let finding = only(&table, "trap");
    assert_eq!(finding.path.last().map(String::as_str), Some("stray -> b"));
}

#[test]
fn a_person_may_complete_a_high_risk_run_and_the_engine_may_work_on_in_a_completing_state() {
    let table = with(
        table("a:work polish:work! done:end", &[]),
        [
            way("accept", "a", "polish", Actor::Human),
            way("built", "a", "polish", Actor::Engine).when(Guard::GatePass),
            way("polished", "polish", "done", Actor::Engine).when(Guard::GatePass),
        ],
    );
    let report = explore(&table);
    assert!(report.findings.is_empty(), "{:#?}", report.findings);
}

#[test]
fn paces_are_explored_both_ways() {
    let mut table = with(
        table("a:work pause:wait done:end", &[]),
        [
            way("on", "a", "pause", Actor::Engine).when(Guard::Stepped),
            way("on", "a", "done", Actor::Engine).when(Guard::Flowing),
            way("go", "pause", "done", Actor::Human),
        ],
    );
    table.stepping = Stepping::InTable;
    assert!(explore(&table).findings.is_empty());
}

#[test]
fn ways_names_a_step_once() {
    let mut table = sound();
    let twin = way("built", "a", "b", Actor::Agent);
    table.transitions.push(twin);
    let at = Position::start(&table, Autonomy::Auto);
    let labels: Vec<String> = ways(&table, &at, Mode::default())
        .into_iter()
        .map(|way| way.label)
        .collect();
    assert_eq!(labels, ["built", "again", "exhaust", "trouble", "stop"]);
}

/// Forty-one states and eight counters must stay cheap, in debug builds too: no wall clock here, so
/// that a slow machine fails nobody; the size of the search is what could explode.
#[test]
fn a_large_pipeline_is_proven() {
    let report = explore(&pipeline());
    assert!(report.findings.is_empty(), "{:#?}", report.findings);
    assert_eq!((report.positions, report.steps), (20_280, 45_610));
}

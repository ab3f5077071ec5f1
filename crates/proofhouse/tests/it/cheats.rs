//! Cheats as data: each file of `tests/data/cheats/` is an agent that cheats in one workflow, and the
//! refusal that must come of it.

use crate::play::{Play, names, read};

#[track_caller]
fn all_of(workflow: &str) {
    let begins = format!("{workflow}-");
    let names = names("cheats").into_iter();
    let names: Vec<String> = names.filter(|name| name.starts_with(&begins)).collect();
    assert!(!names.is_empty());
    let mut faults = Vec::new();
    for name in names {
        let play: Play = read(&format!("cheats/{name}.toml"));
        assert_eq!(play.workflow, workflow, "{name}");
        let found = play.faults();
        faults.extend(found.into_iter().map(|fault| format!("{name}: {fault}")));
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

#[test]
fn every_cheat_in_phase_ends_in_its_refusal() {
    all_of("phase");
}

#[test]
fn every_cheat_in_slice_ends_in_its_refusal() {
    all_of("slice");
}

#[test]
fn every_cheat_in_add_ends_in_its_refusal() {
    all_of("add");
}

#[test]
fn every_cheat_in_lights_out_ends_in_its_refusal() {
    all_of("lights-out");
}

#[test]
fn every_cheat_in_quick_ends_in_its_refusal() {
    all_of("quick");
}

/// Suites that could not have failed, and an honest one after them, in one run.
#[test]
fn a_suite_that_could_not_have_failed_is_refused_and_an_honest_one_passes() {
    for workflow in ["quick", "phase"] {
        let play: Play = read(&format!("{workflow}/suite-that-cannot-fail.toml"));
        assert_eq!(play.faults(), Vec::<String>::new(), "{workflow}");
    }
}

/// What we do not hold: an exit code is all that `phase` has of a script of one's own, so the one who reads is all that
/// stands between an early exit and a pass. If a machine sees it one day, the cell can say so.
#[test]
fn an_early_exit_in_phase_passes_if_nobody_reads() {
    let mut play: Play = read("cheats/phase-early-exit.toml");
    assert_eq!(play.faults(), Vec::<String>::new());
    play.lays.clear();
    play.sees.clear();
    play.ends.state = "done".to_owned();
    play.ends.waits = None;
    assert_eq!(play.faults(), Vec::<String>::new());
}

/// The player itself: whatever a play asks for and does not get is a fault.
#[test]
fn a_play_that_asks_for_something_else_has_faults() {
    let play: Play = read("cheats/phase-forged-record.toml");
    assert_eq!(play.faults(), Vec::<String>::new());
    let other = |change: fn(&mut Play)| {
        let mut play = play.clone();
        change(&mut play);
        play.faults().len()
    };
    assert!(other(|play| play.ends.state = "done".to_owned()) > 0);
    assert!(other(|play| play.ends.waits = None) > 0);
    assert!(other(|play| play.ends.refusal = Some("another".to_owned())) > 0);
    assert!(other(|play| play.sees.push("a text that stands nowhere".to_owned())) > 0);
    // The command stands in the first record of the journal; nobody refused it.
    assert!(other(|play| play.sees.push("grep -q good code.txt".to_owned())) > 0);
    assert!(other(|play| play.acts.push("no_such_action".to_owned())) > 0);
    assert!(other(|play| play.not = Some("intake".to_owned())) > 0);
    assert!(
        other(|play| drop(
            play.holds
                .insert("code.txt".to_owned(), "nowhere".to_owned())
        )) > 0
    );
    assert!(other(|play| play.does.push("no_such_option".to_owned())) > 0);
    assert!(other(|play| play.does = vec!["run".to_owned(), "stop ! no_such_code".to_owned()]) > 0);
}

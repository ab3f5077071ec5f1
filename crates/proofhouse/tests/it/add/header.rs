//! The header is part of what a person approves at the freeze: what they write there holds, what
//! would loosen the run is refused with its reason, and nothing is put back in silence.

use super::{Add, Scope, TASK};

impl Add {
    /// A person edits the task's file.
    fn edits(&self, from: &str, to: &str) {
        let text = self.world.read(TASK);
        assert!(text.contains(from), "no `{from}` in\n{text}");
        self.world.write(TASK, &text.replace(from, to));
    }

    /// Drafted, and waiting at the freeze.
    fn drafted(more: &[&str]) -> Self {
        let add = Self::start("", Scope::Narrow, more);
        add.run(2);
        add.waits_for("freeze");
        add
    }
}

#[test]
fn a_rung_that_a_person_writes_into_the_header_at_the_freeze_holds() {
    let add = Add::drafted(&[]);
    add.edits("autonomy: auto", "autonomy: conservative");
    add.decide("freeze", "read it, and I want to see the end")
        .exits(0);
    add.says("autonomy: conservative");
    add.run(2);
    add.waits_for("approval");
    add.says("autonomy: conservative");
    add.decide("approve", "read the diff").exits(0);
    add.run(0);
    add.says("Outcome: PASS");
    add.world.run(&["audit", "--ci"]).exits(0);
}

#[test]
fn a_risk_that_a_person_declares_at_the_freeze_is_guarded() {
    let add = Add::drafted(&[]);
    add.edits("risk: normal", "risk: high");
    add.decide("freeze", "this is about money").exits(0);
    add.run(2);
    let why = add.waits_for("risk");
    assert!(why.contains("unguarded_high_risk_auto"), "{why}");
    add.says("risk: high");
    add.decide("lower", "I look myself").exits(0);
    add.run(2);
    add.decide("approve", "read the diff").exits(0);
    add.run(0);
    add.says("Outcome: PASS");
    add.world.run(&["audit", "--ci"]).exits(0);
}

#[test]
fn both_lines_at_once_and_a_run_before_the_decision() {
    let add = Add::drafted(&[]);
    add.edits(
        "autonomy: auto\nrisk: normal",
        "autonomy: manual\nrisk: high",
    );
    // Nobody has decided: looking again takes the edit in and changes nothing else.
    add.run(2);
    add.waits_for("freeze");
    add.says("autonomy: manual");
    add.says("risk: high");
    add.decide("freeze", "read it").exits(0);
    add.run(2);
    add.waits_for("approval");
}

#[test]
fn an_edit_that_loosens_the_run_or_says_nothing_is_refused_with_its_reason() {
    let add = Add::drafted(&["--autonomy", "conservative", "--risk", "high"]);
    let before = add.world.journal().len();
    for (from, to) in [
        ("autonomy: conservative", "autonomy: auto"),
        ("risk: high", "risk: normal"),
        ("autonomy: conservative", "autonomy: careful"),
        ("risk: high", "risk:"),
    ] {
        add.edits(from, to);
        let said = add
            .decide("freeze", "read it")
            .refuses(1, "header_not_taken");
        assert!(said.err.contains(to), "{}", said.err);
        // Nothing was changed, in the file neither.
        assert_eq!(add.world.journal().len(), before);
        add.edits(to, from);
    }
    // Who goes on without a decision is told the same, and the line is as it was.
    add.edits("risk: high", "risk: normal");
    let said = add.run(2);
    assert!(said.out.contains("header_not_taken"), "{}", said.out);
    add.says("risk: high");
    assert_eq!(
        add.world.status()["last_refusal"]["code"],
        "header_not_taken"
    );
    add.decide("freeze", "read it").exits(0);
    add.run(2);
    add.waits_for("approval");
}

#[test]
fn the_rung_is_lowered_at_the_freeze_without_a_word_about_risk() {
    let add = Add::drafted(&[]);
    add.decide("lower", "I want to see the end").exits(0);
    add.waits_for("freeze");
    add.says("autonomy: conservative");
    add.decide("lower", "again").refuses(1, "unknown_option");
    add.decide("freeze", "read it").exits(0);
    add.run(2);
    add.waits_for("approval");
}

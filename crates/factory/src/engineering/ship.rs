//! The steps of a ship (rule F11), as a table: what the engine checks or does, and what follows
//! when it fails. A step is a gate of its own, so a crash between two repeats neither.

use serde::{Deserialize, Serialize};

/// A step.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ShipStep {
    /// Every amendment is in the deliverable.
    Amendments,
    /// The contract is the locked one, and its version follows from the one before.
    Fingerprint,
    /// What the code makes public is what the contract declares.
    Surface,
    /// Every test passes, and there is one.
    Tests,
    /// The same tests fail when the code is replaced by stubs.
    Stubs,
    /// The last word: every case of the exam holds, those that nobody was told among them.
    Exam,
    /// Evidence written, implementation and tests sealed, Code Index told.
    Record,
}

/// What a failing step means.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OnFail {
    /// The task halts at once.
    Halt,
    /// As if the debate had failed: a revision, if one is left.
    Revise,
    /// The engine's own fault: once more, then a person.
    Retry,
}

/// Does the step apply?
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Applies {
    /// To every ship.
    Always,
    /// Only after an approval with amendments.
    WithAmendments,
    /// Only where modules have an exam.
    WithExam,
}

/// One row.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ShipRow {
    pub step: ShipStep,
    /// The check's name in the engine's registry.
    pub check: &'static str,
    /// When.
    pub applies: Applies,
    /// What follows from a failure.
    pub on_fail: OnFail,
}

/// In this order.
pub const STEPS: [ShipRow; 7] = [
    ShipRow {
        step: ShipStep::Amendments,
        check: "amendments_applied",
        applies: Applies::WithAmendments,
        on_fail: OnFail::Halt,
    },
    ShipRow {
        step: ShipStep::Fingerprint,
        check: "interface_fingerprint",
        applies: Applies::Always,
        on_fail: OnFail::Revise,
    },
    ShipRow {
        step: ShipStep::Surface,
        check: "public_surface",
        applies: Applies::Always,
        on_fail: OnFail::Revise,
    },
    ShipRow {
        step: ShipStep::Tests,
        check: "black_box_tests",
        applies: Applies::Always,
        on_fail: OnFail::Revise,
    },
    ShipRow {
        step: ShipStep::Stubs,
        check: "tests_fail_on_stubs",
        applies: Applies::Always,
        on_fail: OnFail::Revise,
    },
    ShipRow {
        step: ShipStep::Exam,
        check: "module_exam",
        applies: Applies::WithExam,
        on_fail: OnFail::Revise,
    },
    ShipRow {
        step: ShipStep::Record,
        check: "ship_record",
        applies: Applies::Always,
        on_fail: OnFail::Retry,
    },
];

impl ShipStep {
    /// Its row.
    pub fn row(self) -> &'static ShipRow {
        let found = STEPS.iter().find(|row| row.step == self);
        found.expect("the table has a row for every step")
    }

    /// The first step of a ship.
    pub fn first(amended: Applies) -> Self {
        match amended {
            Applies::WithAmendments => ShipStep::Amendments,
            Applies::Always | Applies::WithExam => ShipStep::Fingerprint,
        }
    }

    /// The step after this one, where modules are proven in this way.
    pub fn next(self, proven: Applies) -> Option<Self> {
        let at = STEPS.iter().position(|row| row.step == self)?;
        let mut rest = STEPS[at + 1..].iter();
        let applies = |row: &&ShipRow| row.applies != Applies::WithExam || proven == row.applies;
        rest.find(applies).map(|row| row.step)
    }
}

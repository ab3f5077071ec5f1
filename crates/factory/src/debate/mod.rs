//! What is said in a debate (rule F9.2): the deliverable and its claim, the attempt to falsify it,
//! the decision, and what became of its amendments. One type each: a role's answer is read into it, the
//! journal keeps it, and the stored document is the same with the ids that the engine gives.
//!
//! It refuses what contradicts itself (`judge.rs`) and whatever the next role could not read to its end.

pub mod judge;
pub mod rubric;
pub(crate) mod stored;

use crate::artifact::TARGET;
use crate::ids;
use kernel::form::{Answer, FILLED, Fault, Form, Formed, Object, Rule, SAID, Size, Wrong, must};
use kernel::{document, words};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::Value;

document! {
    /// A deliverable and the claim about it.
    #[derive(Eq)]
    pub struct Proposal {
        @given {
            /// `PROP-` and 8 hex digits.
            proposal_id = Form::Id(ids::PROPOSAL),
            /// What it is about.
            target_artifact_id = TARGET,
        }
        /// What it delivers, and why that is enough.
        claim: String = SAID,
        /// Where it is.
        deliverable_ref: String = FILLED,
        /// Objective checks, at least one.
        acceptance_checks: Vec<String> = Form::List(&SAID, Size::SOME),
    }
}

words! {
    /// PASS or FAIL, nothing between.
    pub enum Verdict {
        Pass = "PASS",
        Fail = "FAIL",
    }
}

document! {
    /// The attempt to falsify a proposal.
    #[derive(Eq)]
    pub struct Challenge {
        @given {
            /// `CHAL-` and 8 hex digits.
            challenge_id = Form::Id(ids::CHALLENGE),
            /// What it is about.
            target_artifact_id = TARGET,
        }
        /// PASS or FAIL.
        verdict: Verdict,
        /// What was falsified.
        #[serde(default)]
        failures: Vec<Failure>,
        /// Something better.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        optional_alternative_ref?: Option<String>,
        /// Exactly one for each of R1 to R6.
        #[serde(default)]
        rubric_assessments: Vec<Assessment> =
            Form::List(&Assessment::FORM, Size::exactly(6, "rubric_incomplete")),
    }
}

document! {
    /// Something that was falsified.
    #[derive(Eq)]
    pub struct Failure {
        /// What should hold.
        invariant: String = SAID,
        /// What shows that it does not.
        evidence: String = SAID,
        /// What would mend it.
        #[serde(default)]
        required_change: String = SAID,
    }
}

impl Failure {
    /// A failure that the engine found.
    pub fn new(invariant: &str, evidence: impl Into<String>, change: &str) -> Self {
        Self {
            invariant: invariant.to_owned(),
            evidence: evidence.into(),
            required_change: change.to_owned(),
        }
    }
}

words! {
    /// The rubric of rule F9.4; `rubric.rs` says what each asks for.
    pub enum Criterion {
        R1 = "R1",
        R2 = "R2",
        R3 = "R3",
        R4 = "R4",
        R5 = "R5",
        R6 = "R6",
    }
}

/// A blank is the mildest evidence of all.
const EVIDENCE: Form = Form::Text(Rule {
    pattern: r"\S",
    most: 0,
    judge: |text| match text.trim() {
        "" => Wrong::content("mild_evidence", "it cites nothing"),
        _ => None,
    },
});

words! {
    /// Whether a criterion holds.
    pub enum Mark {
        Met = "MET",
        NotMet = "NOT_MET",
    }
}

document! {
    /// The judgement of one criterion.
    #[derive(Eq)]
    pub struct Assessment {
        /// Which.
        criterion: Criterion,
        /// Whether it holds.
        assessment: Mark,
        /// A test, a contract field, a behaviour.
        evidence: String = EVIDENCE,
    }
}

words! {
    /// What the Arbiter decided.
    pub enum Decision {
        Approve = "APPROVE",
        ApproveWithAmendments = "APPROVE_WITH_AMENDMENTS",
        Reject = "REJECT",
    }
}

words! {
    /// What follows from it.
    pub enum ShipDirective {
        Ship = "SHIP",
        NoShip = "NO_SHIP",
    }
}

document! {
    /// The decision on a proposal.
    #[derive(Eq)]
    pub struct Adjudication {
        @given {
            /// `ADJ-` and 8 hex digits.
            adjudication_id = Form::Id(ids::ADJUDICATION),
            /// What it is about.
            target_artifact_id = TARGET,
        }
        /// What was decided.
        decision: Decision,
        /// What must change first; only with APPROVE_WITH_AMENDMENTS.
        #[serde(default)]
        amendments: Vec<Amendment>,
        /// Why.
        rationale: String = SAID,
        /// SHIP with both approvals, NO_SHIP with a rejection.
        ship_directive: ShipDirective,
    }
}

words! {
    /// What an amendment does.
    pub enum AmendmentAction {
        Modify = "MODIFY",
        Add = "ADD",
        Remove = "REMOVE",
    }
}

document! {
    /// One exact change.
    #[derive(Eq)]
    pub struct Amendment {
        /// What is done.
        action: AmendmentAction,
        /// To what: a path in the module's folder, or a name as it stands in a file.
        target: String = SAID,
        /// How, exactly.
        detail: String = SAID,
    }
}

document! {
    /// What the Proposer returns after amendments.
    #[derive(Eq)]
    pub struct Amended {
        /// Where the deliverable is.
        deliverable_ref: String = FILLED,
        /// One for each amendment.
        amendments: Vec<Applied>,
    }
}

document! {
    /// What the Proposer says of one amendment.
    #[derive(Eq)]
    pub struct Applied {
        /// Which, from zero.
        amendment_index: usize,
        /// Whether it was applied.
        applied: bool,
        /// How, or why not.
        #[serde(default)]
        note: String,
    }
}

/// Everything that was said, as it was said.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Trail {
    pub proposals: Vec<Value>,
    pub challenges: Vec<Value>,
    pub adjudications: Vec<Value>,
}

/// The trail as a document.
pub const TRAIL: Object = Object {
    name: "DebateState",
    about: "Everything that was said in a debate.",
    members: &[
        must("proposals", "", Form::List(&Proposal::FORM, Size::ANY)),
        must("challenges", "", Form::List(&Challenge::FORM, Size::ANY)),
        must(
            "adjudications",
            "",
            Form::List(&Adjudication::FORM, Size::ANY),
        ),
    ],
};

/// The longest artifact, in bytes of JSON: every later role reads all of them, and one that is too long
/// to be read would end a debate that nobody could win otherwise.
pub const LONGEST: usize = 32 * 1024;

/// Reads an answer, or says what is wrong with it: by its form, and then by `judge`.
pub fn read<T: DeserializeOwned + Serialize>(
    answer: Answer,
    result: &Value,
    judge: impl FnOnce(&T) -> Vec<Fault>,
) -> Result<T, Vec<String>> {
    let mut faults = answer.faults(result);
    let read = T::deserialize(result).ok();
    // What has not its shape is told that alone: rules would only repeat it.
    if let Some(read) = read
        .as_ref()
        .filter(|_| !faults.iter().any(|one| one.cause.is_shape()))
    {
        let length = serde_json::to_string(read).map_or(0, |text| text.len());
        if length > LONGEST {
            let what = format!(
                "it has {length} bytes, and at most {LONGEST} are passed on: say it shorter"
            );
            faults.push(Fault::rule("too_long", "$", "", what));
        }
        faults.extend(judge(read));
    }
    match (read, faults.is_empty()) {
        (Some(read), true) => Ok(read),
        _ => Err(faults.iter().map(line).collect()),
    }
}

/// A fault as a role reads it in the next brief.
pub fn line(fault: &Fault) -> String {
    match fault.place().as_str() {
        "" => fault.what.clone(),
        place => format!("{place}: {}", fault.what),
    }
}

/// What of a result belongs to the artifact. What else a role returns reaches no other role, and
/// nobody can speak there for a person, whose words have a `by`.
pub fn words<T: DeserializeOwned + Serialize>(result: &Value) -> Value {
    let read = T::deserialize(result).and_then(serde_json::to_value);
    read.unwrap_or(Value::Null)
}

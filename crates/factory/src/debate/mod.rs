//! The debate's artifacts (section 9): a claim, the attempt to falsify it, the decision. What a
//! model wrote becomes one of these only after it was judged; verdicts that contradict their own
//! evidence are refused.

pub mod amendments;
pub mod challenge;
pub mod inputs;

use crate::deficiency::{Deficiency, Report};
use crate::findings::{all_said, at_least, id, not_blank, said};
use crate::ids;
use crate::schema::Judged;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A challenge that fails is revised so often, and no more (sections 9.3 and 19.6).
pub const MOST_REVISIONS: u32 = 2;
/// A non-compliant challenge is asked for again so often (section 9.5).
pub const MOST_COMPLIANCE_RETRIES: u32 = 2;

/// A deliverable and the claim about it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Proposal {
    /// `PROP-` and 8 hex digits.
    pub proposal_id: String,
    /// What it is about.
    pub target_artifact_id: String,
    /// What it delivers, and why that is enough.
    pub claim: String,
    /// Where it is.
    pub deliverable_ref: String,
    /// Objective checks, at least one.
    pub acceptance_checks: Vec<String>,
}

impl Judged for Proposal {
    fn judge(&self) -> Report {
        let mut found = Vec::new();
        id(
            &mut found,
            "$",
            "proposal_id",
            ids::PROPOSAL,
            &self.proposal_id,
        );
        target(&mut found, &self.target_artifact_id);
        said(&mut found, "$", "claim", &self.claim);
        not_blank(&mut found, "$", "deliverable_ref", &self.deliverable_ref);
        let count = self.acceptance_checks.len();
        at_least(&mut found, "$", "acceptance_checks", (1, count));
        all_said(
            &mut found,
            "$",
            "acceptance_checks",
            &self.acceptance_checks,
        );
        found.into_iter().collect()
    }
}

/// An artifact or a module is what debates are about.
fn target(found: &mut Vec<Deficiency>, text: &str) {
    let known = crate::artifact::ArtifactType::of_id(text).is_some() || ids::MODULE.accepts(text);
    if !known {
        let shown: String = text.chars().take(ids::LONGEST).collect();
        let message = format!("{shown:?} is the id of no artifact and of no module");
        found.push(Deficiency::error(
            "bad_id",
            "$",
            "target_artifact_id",
            message,
        ));
    }
}

/// The attempt to falsify a proposal.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Challenge {
    /// `CHAL-` and 8 hex digits.
    pub challenge_id: String,
    /// What it is about.
    pub target_artifact_id: String,
    /// PASS or FAIL, nothing between.
    pub verdict: Verdict,
    /// What was falsified.
    pub failures: Vec<Failure>,
    /// Something better.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub optional_alternative_ref: Option<String>,
    /// Exactly one for each of R1 to R6.
    pub rubric_assessments: Vec<Assessment>,
}

/// PASS or FAIL.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "UPPERCASE")]
#[allow(missing_docs)]
pub enum Verdict {
    Pass,
    Fail,
}

/// Something that was falsified.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Failure {
    /// What should hold.
    pub invariant: String,
    /// What shows that it does not.
    pub evidence: String,
    /// What would mend it.
    pub required_change: String,
}

/// The judgement of one criterion.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Assessment {
    /// Which.
    pub criterion: Criterion,
    /// Whether it holds.
    pub assessment: Met,
    /// A test, a contract field, a behaviour.
    pub evidence: String,
}

/// The rubric of section 9.4.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
pub enum Criterion {
    /// Contract conformance, all five dimensions.
    R1,
    /// Test coverage.
    R2,
    /// Error handling completeness.
    R3,
    /// Dependency usage.
    R4,
    /// Acceptance criteria.
    R5,
    /// Decomposition compliance.
    R6,
}

impl Criterion {
    /// In order.
    pub const ALL: [Criterion; 6] = [
        Criterion::R1,
        Criterion::R2,
        Criterion::R3,
        Criterion::R4,
        Criterion::R5,
        Criterion::R6,
    ];
}

/// Whether a criterion holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
#[allow(missing_docs)]
pub enum Met {
    Met,
    NotMet,
}

/// The decision on a proposal.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Adjudication {
    /// `ADJ-` and 8 hex digits.
    pub adjudication_id: String,
    /// What it is about.
    pub target_artifact_id: String,
    /// What was decided.
    pub decision: Decision,
    /// What must change first; only with APPROVE_WITH_AMENDMENTS.
    pub amendments: Vec<Amendment>,
    /// Why.
    pub rationale: String,
    /// What follows.
    pub ship_directive: ShipDirective,
}

/// What was decided.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
#[allow(missing_docs)]
pub enum Decision {
    Approve,
    ApproveWithAmendments,
    Reject,
}

/// What follows from it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
#[allow(missing_docs)]
pub enum ShipDirective {
    Ship,
    NoShip,
}

/// One exact change.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Amendment {
    /// What is done.
    pub action: AmendmentAction,
    /// To what: a function, a contract field, a test.
    pub target: String,
    /// How, exactly.
    pub detail: String,
}

/// What an amendment does.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "UPPERCASE")]
#[allow(missing_docs)]
pub enum AmendmentAction {
    Modify,
    Add,
    Remove,
}

//! What the debaters return (section 9.2), read strictly. Ids are the engine's to give, so a result
//! has none; what is invalid never enters the debate.

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// What the Proposer returns.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Proposal {
    /// What it delivers, and why.
    pub claim: String,
    /// Where the deliverable is.
    pub deliverable_ref: String,
    /// Objective checks.
    pub acceptance_checks: Vec<String>,
}

/// The Challenger's answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum ChallengeVerdict {
    /// It could not be falsified.
    Pass,
    /// It was.
    Fail,
}

/// One broken invariant.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Failure {
    /// Which.
    pub invariant: String,
    /// How we know.
    pub evidence: String,
    /// What would mend it.
    #[serde(default)]
    pub required_change: String,
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

/// Is a criterion met?
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum Mark {
    /// It is.
    Met,
    /// It is not.
    NotMet,
}

/// One criterion, assessed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Assessment {
    /// `R1` to `R6`.
    pub criterion: String,
    /// Met or not.
    pub assessment: Mark,
    /// What that rests on.
    pub evidence: String,
}

/// What the Challenger returns.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Challenge {
    /// Binary.
    pub verdict: ChallengeVerdict,
    /// What is wrong.
    #[serde(default)]
    pub failures: Vec<Failure>,
    /// Something better.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub optional_alternative_ref: Option<String>,
    /// All six.
    #[serde(default)]
    pub rubric_assessments: Vec<Assessment>,
}

/// The Arbiter's decision.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum Ruling {
    /// Ship.
    Approve,
    /// Change this, and ship.
    ApproveWithAmendments,
    /// Do not ship.
    Reject,
}

/// What an amendment does.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum AmendmentAction {
    /// The target exists and changes.
    Modify,
    /// The target is new.
    Add,
    /// The target goes.
    Remove,
}

/// One change that an approval asks for.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Amendment {
    /// What is done.
    pub action: AmendmentAction,
    /// To which element.
    pub target: String,
    /// The exact change.
    pub detail: String,
}

/// Must agree with the ruling.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum ShipDirective {
    /// Ship it.
    Ship,
    /// Do not.
    NoShip,
}

/// What the Arbiter returns.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Adjudication {
    /// The decision.
    pub decision: Ruling,
    /// Changes, for an approval with amendments.
    #[serde(default)]
    pub amendments: Vec<Amendment>,
    /// Why.
    pub rationale: String,
    /// Must agree.
    pub ship_directive: ShipDirective,
}

/// What the Proposer says of one amendment.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Applied {
    /// Which, from zero.
    pub amendment_index: usize,
    /// Done?
    pub applied: bool,
    /// How, or why not.
    #[serde(default)]
    pub note: String,
}

/// What the Proposer returns after amendments.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Amended {
    /// Where the deliverable is.
    pub deliverable_ref: String,
    /// One for each amendment.
    pub amendments: Vec<Applied>,
}

/// The longest artifact, in bytes of JSON: every later role reads all of them, and one that is too long
/// to be read would end a debate that nobody could win otherwise.
pub const LONGEST: usize = 32 * 1024;

/// Reads a result, or says what is wrong with it.
pub fn read<T: DeserializeOwned + Serialize>(what: &str, result: &Value) -> Result<T, Vec<String>> {
    let read: T = serde_json::from_value(result.clone())
        .map_err(|error| vec![format!("the {what}: {error}")])?;
    let length = serde_json::to_string(&read).map_or(0, |text| text.len());
    if length > LONGEST {
        return Err(vec![format!(
            "the {what} has {length} bytes, and at most {LONGEST} are passed on: say it shorter"
        )]);
    }
    Ok(read)
}

/// What of a result belongs to the artifact. What else a role returns reaches no other role, and
/// nobody can speak there for a person, whose words have a `by`.
pub fn words<T: DeserializeOwned + Serialize>(result: &Value) -> Value {
    let read = serde_json::from_value::<T>(result.clone());
    let words = read.and_then(serde_json::to_value);
    words.unwrap_or(Value::Null)
}

/// Reads a proposal.
pub fn proposal(result: &Value) -> Result<Proposal, Vec<String>> {
    let proposal: Proposal = read("proposal", result)?;
    let mut faults = Vec::new();
    if proposal.claim.trim().is_empty() {
        faults.push("the claim is empty".to_owned());
    }
    if proposal.deliverable_ref.trim().is_empty() {
        faults.push("deliverable_ref is empty".to_owned());
    }
    if proposal
        .acceptance_checks
        .iter()
        .all(|check| check.trim().is_empty())
    {
        faults.push("there is no acceptance check".to_owned());
    }
    if faults.is_empty() {
        Ok(proposal)
    } else {
        Err(faults)
    }
}

const LEAST_DETAIL_WORDS: usize = 4;
const SPECIFIC_DETAIL_WORDS: usize = 8;
const VAGUE_DETAILS: [&str; 5] = [
    "improve",
    "clean up",
    "make it better",
    "fix issues",
    "refactor",
];

/// Reads an adjudication. `standing` is the challenge that it answers: what failed for the last
/// time can be approved only with amendments (section 19.6).
pub fn adjudication(
    result: &Value,
    standing: ChallengeVerdict,
) -> Result<Adjudication, Vec<String>> {
    let ruling: Adjudication = read("adjudication", result)?;
    let mut faults = Vec::new();
    if ruling.rationale.trim().is_empty() {
        faults.push("the rationale is empty".to_owned());
    }
    let directive = match ruling.decision {
        Ruling::Approve | Ruling::ApproveWithAmendments => ShipDirective::Ship,
        Ruling::Reject => ShipDirective::NoShip,
    };
    if ruling.ship_directive != directive {
        faults.push("ship_directive contradicts the decision".to_owned());
    }
    match ruling.decision {
        Ruling::Approve if standing == ChallengeVerdict::Fail => faults.push(
            "the challenge stands at FAIL: decide APPROVE_WITH_AMENDMENTS or REJECT".to_owned(),
        ),
        Ruling::ApproveWithAmendments if ruling.amendments.is_empty() => {
            faults.push("APPROVE_WITH_AMENDMENTS without amendments".to_owned());
        }
        Ruling::Approve | Ruling::Reject if !ruling.amendments.is_empty() => {
            faults.push("only APPROVE_WITH_AMENDMENTS may have amendments".to_owned());
        }
        Ruling::Approve | Ruling::ApproveWithAmendments | Ruling::Reject => {}
    }
    for (at, amendment) in ruling.amendments.iter().enumerate() {
        if amendment.target.trim().is_empty() {
            faults.push(format!("amendment {at} has no target"));
        }
        let words = amendment.detail.split_whitespace().count();
        let text = amendment.detail.trim().to_lowercase();
        let vague = VAGUE_DETAILS.iter().any(|phrase| text.starts_with(phrase));
        if words < LEAST_DETAIL_WORDS || (vague && words < SPECIFIC_DETAIL_WORDS) {
            faults.push(format!(
                "amendment {at} is vague: `{}`; say the exact change",
                amendment.detail
            ));
        }
    }
    if faults.is_empty() {
        Ok(ruling)
    } else {
        Err(faults)
    }
}

//! Who may see what in a debate: the normative table of section 9.7, as a table. Whoever writes a
//! brief or a view asks here; there is no second list.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A role of the debate.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "lowercase")]
#[allow(missing_docs)]
pub enum Role {
    Proposer,
    Challenger,
    Arbiter,
}

/// The occasion of an invocation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Occasion {
    /// The role's ordinary turn.
    Turn,
    /// The proposer revises after a FAIL.
    Revise,
    /// The proposer applies the arbiter's amendments.
    ApplyAmendments,
}

/// A row of the table.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
#[allow(missing_docs)]
pub enum Item {
    TaskFile,
    ModuleContract,
    DependencyContracts,
    CodeIndexResults,
    HarnessSchemas,
    ModuleWorkspace,
    Proposal,
    Challenge,
    Adjudication,
    ImplementationSource,
    EvaluationRubric,
    DecompositionRubric,
    DebateTrail,
}

/// A cell of the table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Access {
    /// Not at all.
    Nothing,
    /// It is the role's own work.
    Own,
    /// All of it.
    Full,
    /// `contract.json`, `examples.md`, `ship.json`.
    ContractOnly,
    /// Only the failures of a challenge, only while revising.
    FailuresToRevise,
    /// Only while amendments are applied.
    ToApplyAmendments,
    /// All earlier proposals and challenges.
    ProposalsAndChallenges,
    /// All proposals, challenges and adjudications.
    WholeTrail,
}

use Access::{
    ContractOnly, FailuresToRevise, Full, Nothing, Own, ProposalsAndChallenges, ToApplyAmendments,
    WholeTrail,
};

/// Item, proposer, challenger, arbiter.
pub const TABLE: [(Item, [Access; 3]); 13] = [
    (Item::TaskFile, [Full, Nothing, Full]),
    (Item::ModuleContract, [Full, Full, Full]),
    (
        Item::DependencyContracts,
        [ContractOnly, ContractOnly, Nothing],
    ),
    (Item::CodeIndexResults, [Full, Nothing, Nothing]),
    (Item::HarnessSchemas, [Full, Nothing, Nothing]),
    (Item::ModuleWorkspace, [Full, Nothing, Nothing]),
    (Item::Proposal, [Own, Full, Full]),
    (Item::Challenge, [FailuresToRevise, Own, Full]),
    (Item::Adjudication, [ToApplyAmendments, Nothing, Own]),
    (Item::ImplementationSource, [Full, Nothing, Nothing]),
    (Item::EvaluationRubric, [Nothing, Full, Nothing]),
    (Item::DecompositionRubric, [Nothing, Full, Nothing]),
    (
        Item::DebateTrail,
        [Nothing, ProposalsAndChallenges, WholeTrail],
    ),
];

/// The cell.
pub fn access(role: Role, item: Item) -> Access {
    let row = TABLE.iter().find(|(row, _)| *row == item);
    row.map_or(Nothing, |(_, cells)| match role {
        Role::Proposer => cells[0],
        Role::Challenger => cells[1],
        Role::Arbiter => cells[2],
    })
}

/// Whether anything of it is given on that occasion.
pub fn is_given(role: Role, item: Item, occasion: Occasion) -> bool {
    match access(role, item) {
        Nothing => false,
        Own | Full | ContractOnly | ProposalsAndChallenges | WholeTrail => true,
        FailuresToRevise => occasion == Occasion::Revise,
        ToApplyAmendments => occasion == Occasion::ApplyAmendments,
    }
}

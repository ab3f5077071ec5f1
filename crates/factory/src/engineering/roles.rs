//! Who may see what in a debate: the normative table of rule F9.7 as data. Briefs, views and packs
//! are compiled from it, so there is no second place that could grant more.

use crate::debate::{Adjudication, Amended, Challenge, Proposal};
use crate::{exception, micro_plan};
use kernel::form::Answer;
use kernel::pack::Permission;
use serde::{Deserialize, Serialize};

/// Who works.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Role {
    /// Writes the micro plan; no part of the debate.
    MicroPlanner,
    /// Implements and claims.
    Proposer,
    /// Tries to falsify the claim.
    Challenger,
    /// Decides.
    Arbiter,
    /// Writes the exam; no part of the debate either.
    Examiner,
}

impl Role {
    /// The three of the debate, in the order of the table's columns.
    pub const DEBATERS: [Role; 3] = [Role::Proposer, Role::Challenger, Role::Arbiter];

    /// The role's stored name.
    pub fn as_str(self) -> &'static str {
        match self {
            Role::MicroPlanner => "micro_planner",
            Role::Proposer => "proposer",
            Role::Challenger => "challenger",
            Role::Arbiter => "arbiter",
            Role::Examiner => "examiner",
        }
    }

    /// What it may return on an occasion: its document without what the engine gives, or, where it may
    /// raise one, an interface change exception. What a role is shown and what the debate accepts both
    /// come from here.
    pub fn answer(self, occasion: Occasion) -> Answer {
        match (self, occasion) {
            (Role::MicroPlanner, _) => micro_plan::ANSWER,
            (Role::Proposer, Occasion::Amend) => Answer(&[&Amended::OBJECT, &exception::ANSWER]),
            (Role::Proposer, _) => Answer(&[&Proposal::OBJECT, &exception::ANSWER]),
            (Role::Challenger, _) => Answer(&[&Challenge::OBJECT, &exception::ANSWER]),
            (Role::Arbiter, _) => Answer(&[&Adjudication::OBJECT]),
            // What it says is sealed before anybody hears it, and read by the check that tries it.
            (Role::Examiner, _) => Answer(&[]),
        }
    }

    fn column(self) -> Option<usize> {
        Self::DEBATERS.iter().position(|role| *role == self)
    }
}

/// When in the debate.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Occasion {
    /// The first proposal.
    Propose,
    /// A proposal after a failure.
    Revise,
    /// Amendments of an approval.
    Amend,
    Challenge,
    /// The decision.
    Adjudicate,
    /// The exam, before anything is built.
    Examine,
}

/// A row of the table.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Material {
    /// `{task_id}.md`.
    TaskFile,
    /// From the locked plan.
    ModuleContract,
    /// Of upstream modules.
    DependencyContracts,
    /// For reuse.
    CodeIndex,
    /// JSON schemas of artifacts and state.
    HarnessSchemas,
    /// Source, tests and settings of the module at work.
    Workspace,
    /// Claim and acceptance checks.
    Proposal,
    /// Verdict and failures.
    Challenge,
    /// Decision and amendments.
    Adjudication,
    /// The code itself.
    Source,
    /// Rule F9.4.
    EvaluationRubric,
    /// Rule F10.4.
    DecompositionRubric,
    /// All rounds.
    DebateTrail,
}

/// A cell of the table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Cell {
    /// The whole of it.
    Full,
    /// The whole of it, and it may be changed.
    FullAccess,
    /// The whole of the role's own module.
    FullOwn,
    /// `contract.json`, `examples.md`, `ship.json`.
    ContractOnly,
    /// Given, without a level.
    Given,
    /// Not given.
    No,
    /// Not given, whatever happens.
    Never,
    /// The role writes it.
    Own,
    /// The failures alone, and only for a revision.
    FailuresWhenRevising,
    /// Only to apply amendments.
    WhenAmending,
    /// All proposals and challenges before.
    PriorRounds,
    /// All proposals, challenges and adjudications.
    AllRounds,
}

impl Cell {
    /// The cell of the table, as people read it.
    pub fn in_document(self) -> &'static str {
        match self {
            Cell::Full => "✅ FULL",
            Cell::FullAccess => "✅ FULL access",
            Cell::FullOwn => "✅ FULL (own module)",
            Cell::ContractOnly => "✅ CONTRACT_ONLY",
            Cell::Given => "✅",
            Cell::No => "✗",
            Cell::Never => "✗ **Never**",
            Cell::Own => "— (self)",
            Cell::FailuresWhenRevising => "✗ (receives failures only during revise)",
            Cell::WhenAmending => "✅ (only during APPROVE_WITH_AMENDMENTS)",
            Cell::PriorRounds => "✅ (all prior proposals + challenges)",
            Cell::AllRounds => "✅ (all proposals + challenges + adjudications)",
        }
    }

    /// What it means on this occasion; none: not given.
    fn grant(self, occasion: Occasion) -> Option<Grant> {
        match self {
            Cell::Full | Cell::FullAccess | Cell::FullOwn | Cell::Given => Some(Grant::Full),
            Cell::ContractOnly => Some(Grant::ContractOnly),
            Cell::No | Cell::Never | Cell::Own => None,
            Cell::FailuresWhenRevising => {
                (occasion == Occasion::Revise).then_some(Grant::FailuresOnly)
            }
            Cell::WhenAmending => (occasion == Occasion::Amend).then_some(Grant::Full),
            Cell::PriorRounds => Some(Grant::PriorRounds),
            Cell::AllRounds => Some(Grant::AllRounds),
        }
    }
}

/// How much of a material is given.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum Grant {
    /// All of it.
    Full,
    /// The public surface.
    ContractOnly,
    /// What failed, not who said it or why it matters.
    FailuresOnly,
    /// Proposals and challenges of earlier rounds.
    PriorRounds,
    /// Everything that was said.
    AllRounds,
}

impl Grant {
    /// The level of a context pack that says so. What a view shows of a module follows from it.
    pub fn permission(self) -> Permission {
        match self {
            Grant::ContractOnly => Permission::ContractOnly,
            Grant::Full | Grant::AllRounds => Permission::Full,
            Grant::FailuresOnly | Grant::PriorRounds => Permission::SummaryOnly,
        }
    }
}

/// One row: what, its name in the document, and the cells of proposer, challenger and arbiter.
pub type Row = (Material, &'static str, [Cell; 3]);

/// Rule F9.7.
#[rustfmt::skip]
pub const INPUTS: [Row; 13] = {
    use Cell::{AllRounds, ContractOnly, FailuresWhenRevising, Full, FullAccess, FullOwn, Given, Never, No, Own, PriorRounds, WhenAmending};
    [
        (Material::TaskFile, "Task file (`task_id.md`)", [Full, No, Full]),
        (Material::ModuleContract, "Module contract", [Full, Full, Full]),
        (Material::DependencyContracts, "Dependency contracts", [ContractOnly, ContractOnly, No]),
        (Material::CodeIndex, "Code Index search results", [Given, No, No]),
        (Material::HarnessSchemas, "Harness schemas (artifact schemas, state schemas)", [Given, No, No]),
        (Material::Workspace, "Current module workspace (source, tests, config)", [FullAccess, No, No]),
        (Material::Proposal, "Proposal artifact (claim + acceptance checks)", [Own, Full, Full]),
        (Material::Challenge, "Challenge artifact (verdict + failures)", [FailuresWhenRevising, Own, Full]),
        (Material::Adjudication, "Adjudication artifact", [WhenAmending, No, Own]),
        (Material::Source, "Implementation source code", [FullOwn, Never, Never]),
        (Material::EvaluationRubric, "Evaluation rubric (§9.4)", [No, Full, No]),
        (Material::DecompositionRubric, "Decomposition rubric (§10.4)", [No, Full, No]),
        (Material::DebateTrail, "Full debate trail (all rounds)", [No, PriorRounds, AllRounds]),
    ]
};

/// What the planner gets (rules F3.4 and F10.1): it has no column, since it does not debate.
const PLANNER: [Material; 4] = [
    Material::TaskFile,
    Material::DependencyContracts,
    Material::CodeIndex,
    Material::HarnessSchemas,
];

/// What the examiner gets: what is asked for, and nothing that anybody has made of it.
const EXAMINER: [Material; 1] = [Material::ModuleContract];

/// Everything that a role is given on an occasion, in the table's order.
pub fn given(role: Role, occasion: Occasion) -> Vec<(Material, Grant)> {
    let Some(column) = role.column() else {
        let level = |material| match material {
            Material::DependencyContracts => Grant::ContractOnly,
            _ => Grant::Full,
        };
        let all: &[Material] = match role {
            Role::Examiner => &EXAMINER,
            _ => &PLANNER,
        };
        return all.iter().map(|one| (*one, level(*one))).collect();
    };
    let rows = INPUTS.iter();
    let given = rows.filter_map(|(material, _, cells)| {
        let grant = cells[column].grant(occasion)?;
        Some((*material, grant))
    });
    given.collect()
}

/// Everything that a role is not given on an occasion, with the reason.
pub fn withheld(role: Role, occasion: Occasion) -> Vec<(Material, String)> {
    let given: Vec<Material> = given(role, occasion).into_iter().map(|one| one.0).collect();
    let rows = INPUTS.iter().filter(|(one, _, _)| !given.contains(one));
    rows.map(|(material, name, cells)| {
        let cell = role.column().map_or(Cell::No, |column| cells[column]);
        let why = match cell {
            Cell::Own => "the role writes it itself",
            Cell::Never => "this role never sees it",
            Cell::FailuresWhenRevising => "only its failures, and only for a revision",
            Cell::WhenAmending => "only to apply amendments",
            _ => "outside the role's context",
        };
        (*material, format!("{name}: {why} (section 9.7)"))
    })
    .collect()
}

//! A contribution (section 5.2): the one thing that one invocation of a role produced. The sequence
//! of a task's contributions is its audit trail, so there is no way to change one.

use crate::artifact::Author;
use crate::deficiency::Report;
use crate::findings::{id, said, when};
use crate::ids;
use crate::schema::Judged;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What was produced.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
#[allow(missing_docs)]
pub enum ContributionType {
    Contract,
    MicroPlan,
    Implementation,
    Challenge,
    Adjudication,
    ShipEvidence,
    /// A draft of the spec. The section names the six above; the product loop's is none of them, and
    /// the same section wants a contribution of every invocation.
    ProductSpec,
}

/// The record.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Contribution {
    /// `CONTRIB-...`.
    pub contribution_id: String,
    /// What it is.
    #[serde(rename = "type")]
    pub type_: ContributionType,
    /// The invocation that made it.
    pub produced_by: Author,
    /// The artifact that it is.
    pub artifact_ref: String,
    /// `T-...`.
    pub task_ref: String,
    /// ISO 8601.
    pub created_at: String,
    /// `CP-` and 8 hex digits.
    pub context_pack_ref: String,
}

impl Judged for Contribution {
    fn judge(&self) -> Report {
        let mut found = Vec::new();
        let own = &self.contribution_id;
        id(&mut found, "$", "contribution_id", ids::CONTRIBUTION, own);
        said(&mut found, "$.produced_by", "role", &self.produced_by.role);
        said(
            &mut found,
            "$.produced_by",
            "run_id",
            &self.produced_by.run_id,
        );
        said(&mut found, "$", "artifact_ref", &self.artifact_ref);
        id(&mut found, "$", "task_ref", ids::TASK, &self.task_ref);
        when(&mut found, "$", "created_at", &self.created_at);
        let pack = &self.context_pack_ref;
        id(&mut found, "$", "context_pack_ref", ids::CONTEXT_PACK, pack);
        found.into_iter().collect()
    }
}

//! The envelope of every artifact (section 8): closed lists of types and statuses, the form of ids,
//! and which status may follow which. Ids are made of randomness that is handed in.

use crate::deficiency::Report;
use crate::findings::{any_ref, id, said, when};
use crate::ids::{self, IdForm};
use crate::schema::Judged;
use crate::version::Version;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The thirteen types; there are no others (section 8.1).
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
#[allow(missing_docs)]
pub enum ArtifactType {
    MicroPlan,
    Contract,
    Implementation,
    Proposal,
    Challenge,
    Adjudication,
    ShipEvidence,
    Escalation,
    ContextPack,
    InterfaceChangeException,
    ReuseSearchReport,
    ProductSpec,
    Examples,
}

/// Types with their prefixes (section 8.2).
const PREFIXES: [(ArtifactType, &str); 13] = [
    (ArtifactType::MicroPlan, "MP-"),
    (ArtifactType::Contract, "CTR-"),
    (ArtifactType::Implementation, "IMPL-"),
    (ArtifactType::Proposal, "PROP-"),
    (ArtifactType::Challenge, "CHAL-"),
    (ArtifactType::Adjudication, "ADJ-"),
    (ArtifactType::ShipEvidence, "SHIP-"),
    (ArtifactType::Escalation, "ESC-"),
    (ArtifactType::ContextPack, "CP-"),
    (ArtifactType::InterfaceChangeException, "ICE-"),
    (ArtifactType::ReuseSearchReport, "RSR-"),
    (ArtifactType::ProductSpec, "SPEC-"),
    (ArtifactType::Examples, "EX-"),
];

impl ArtifactType {
    /// All of them.
    pub fn all() -> impl Iterator<Item = ArtifactType> {
        PREFIXES.iter().map(|(artifact, _)| *artifact)
    }

    /// `MP-`, `CTR-` and so on.
    pub fn prefix(self) -> &'static str {
        let found = PREFIXES.iter().find(|(artifact, _)| *artifact == self);
        found.map_or("", |(_, prefix)| prefix)
    }

    /// The form of its ids.
    pub fn id_form(self) -> IdForm {
        IdForm::artifact(self.prefix())
    }

    /// The id made of 32 random bits.
    pub fn id(self, random: u32) -> String {
        format!("{}{random:08x}", self.prefix())
    }

    /// The type that an id belongs to; none if it is no artifact's id.
    pub fn of_id(text: &str) -> Option<ArtifactType> {
        ArtifactType::all().find(|artifact| artifact.id_form().accepts(text))
    }
}

/// Where an artifact stands (section 8.4).
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "UPPERCASE")]
#[allow(missing_docs)]
pub enum ArtifactStatus {
    Draft,
    Challenged,
    Adjudicated,
    Shipped,
    Deprecated,
}

/// Whether the debate may still revise.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RetryWindow {
    /// A revision is left.
    Open,
    /// None is left: a rejected artifact stays where it is, and the project halts.
    Exhausted,
}

impl ArtifactStatus {
    /// Whether it may become that. Everything that is not listed is forbidden.
    pub fn may_become(self, next: ArtifactStatus, window: RetryWindow) -> bool {
        use ArtifactStatus::{Adjudicated, Challenged, Deprecated, Draft, Shipped};
        match (self, next) {
            (Draft, Challenged)
            | (Challenged, Adjudicated)
            | (Adjudicated, Shipped)
            | (Shipped, Deprecated) => true,
            (Adjudicated, Draft) => window == RetryWindow::Open,
            (Draft | Challenged | Adjudicated | Shipped | Deprecated, _) => false,
        }
    }
}

/// The metadata of every artifact.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ArtifactEnvelope {
    /// A prefix of the type and 8 hex digits.
    #[schemars(extend("pattern" = "^(MP|CTR|IMPL|PROP|CHAL|ADJ|SHIP|ESC|CP|ICE|RSR|SPEC|EX)-[0-9a-f]{8}$"))]
    pub artifact_id: String,
    /// One of thirteen.
    pub artifact_type: ArtifactType,
    /// Begins at 1.0.0.
    pub version: Version,
    /// Where it stands.
    pub status: ArtifactStatus,
    /// ISO 8601.
    pub created_at: String,
    /// Who made it.
    pub created_by: Author,
    /// `CP-` and 8 hex digits.
    pub context_pack_ref: String,
    /// What it was made of.
    pub inputs: Vec<PurposedRef>,
    /// What it led to.
    pub outputs: Vec<PurposedRef>,
    /// Anything else.
    #[serde(default)]
    pub notes: String,
}

/// One invocation of a role.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Author {
    /// `proposer`, `challenger` and so on.
    pub role: String,
    /// The invocation.
    pub run_id: String,
}

/// A reference with its purpose.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PurposedRef {
    /// `id@version`.
    #[serde(rename = "ref")]
    pub reference: String,
    /// What for.
    pub purpose: String,
}

impl Judged for ArtifactEnvelope {
    fn judge(&self) -> Report {
        let mut found = Vec::new();
        let form = self.artifact_type.id_form();
        id(&mut found, "$", "artifact_id", form, &self.artifact_id);
        when(&mut found, "$", "created_at", &self.created_at);
        said(&mut found, "$.created_by", "role", &self.created_by.role);
        said(
            &mut found,
            "$.created_by",
            "run_id",
            &self.created_by.run_id,
        );
        let pack = &self.context_pack_ref;
        id(&mut found, "$", "context_pack_ref", ids::CONTEXT_PACK, pack);
        for (name, refs) in [("inputs", &self.inputs), ("outputs", &self.outputs)] {
            for (index, purposed) in refs.iter().enumerate() {
                let path = format!("$.{name}[{index}]");
                any_ref(&mut found, &path, "ref", &purposed.reference);
                said(&mut found, &path, "purpose", &purposed.purpose);
            }
        }
        found.into_iter().collect()
    }
}

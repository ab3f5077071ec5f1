//! The envelope of every artifact (rule F8) and the contribution that it came with (rule F5.2):
//! closed lists of types and statuses, and the form of ids. The sequence of a task's contributions is
//! its audit trail, so there is no way to change one.

use crate::ids::{self, MOMENT};
use kernel::form::{Fault, Form, Id, Rule, SAID, Tail, Wrong};
use kernel::module::Version;
use kernel::{document, words};
use serde_json::Value;

words! {
    /// The thirteen types; there are no others (rule F8.1).
    pub enum ArtifactType {
        MicroPlan = "MICRO_PLAN",
        Contract = "CONTRACT",
        Implementation = "IMPLEMENTATION",
        Proposal = "PROPOSAL",
        Challenge = "CHALLENGE",
        Adjudication = "ADJUDICATION",
        ShipEvidence = "SHIP_EVIDENCE",
        Escalation = "ESCALATION",
        ContextPack = "CONTEXT_PACK",
        InterfaceChangeException = "INTERFACE_CHANGE_EXCEPTION",
        ReuseSearchReport = "REUSE_SEARCH_REPORT",
        ProductSpec = "PRODUCT_SPEC",
        Examples = "EXAMPLES",
    }
}

/// The prefixes of their ids, in the same order (rule F8.2).
const PREFIXES: [&str; 13] = [
    "MP-", "CTR-", "IMPL-", "PROP-", "CHAL-", "ADJ-", "SHIP-", "ESC-", "CP-", "ICE-", "RSR-",
    "SPEC-", "EX-",
];

impl ArtifactType {
    /// The form of its ids.
    pub fn id(self) -> Id {
        Id::new(PREFIXES[self as usize], Tail::Hex)
    }

    /// The type that an id belongs to; none if it is no artifact's id.
    pub fn of_id(text: &str) -> Option<ArtifactType> {
        let mut all = ArtifactType::ALL.iter().copied();
        all.find(|artifact| artifact.id().accepts(text))
    }
}

/// The id of any artifact.
const ANY_ARTIFACT: Form = Form::Text(Rule {
    pattern: "^(MP|CTR|IMPL|PROP|CHAL|ADJ|SHIP|ESC|CP|ICE|RSR|SPEC|EX)-[0-9a-f]{8}$",
    most: 0,
    judge: |text| match ArtifactType::of_id(text) {
        Some(_) => None,
        None => Some(Wrong::id(format!("{text:?} is the id of no artifact"))),
    },
});

/// What debates are about: an artifact or a module.
pub(crate) const TARGET: Form = Form::Text(Rule {
    pattern: "^((MP|CTR|IMPL|PROP|CHAL|ADJ|SHIP|ESC|CP|ICE|RSR|SPEC|EX)-[0-9a-f]{8}|MM-[A-Za-z0-9_-]{1,125})$",
    most: 0,
    judge: |text| {
        let known = ArtifactType::of_id(text).is_some() || ids::MODULE.accepts(text);
        let shown: String = text.chars().take(ids::LONGEST).collect();
        let what = || format!("{shown:?} is the id of no artifact and of no module");
        (!known).then(|| Wrong::id(what()))
    },
});

words! {
    /// Where an artifact stands (rule F8.4).
    pub enum ArtifactStatus {
        Draft = "DRAFT",
        Challenged = "CHALLENGED",
        Adjudicated = "ADJUDICATED",
        Shipped = "SHIPPED",
        Deprecated = "DEPRECATED",
    }
}

document! {
    /// The metadata of every artifact.
    pub struct ArtifactEnvelope {
        /// A prefix of the type and 8 hex digits.
        artifact_id: String = ANY_ARTIFACT,
        /// One of thirteen.
        artifact_type: ArtifactType,
        /// Begins at 1.0.0.
        version: Version,
        /// Where it stands.
        status: ArtifactStatus,
        /// ISO 8601.
        created_at: String = MOMENT,
        /// Who made it.
        created_by: Author,
        /// `CP-` and 8 hex digits.
        context_pack_ref: String = Form::Id(ids::CONTEXT_PACK),
        /// What it was made of.
        inputs: Vec<PurposedRef>,
        /// What it led to.
        outputs: Vec<PurposedRef>,
        /// Anything else.
        #[serde(default)]
        notes?: String,
    }
}

document! {
    /// One invocation of a role.
    pub struct Author {
        /// `proposer`, `challenger` and so on.
        role: String = SAID,
        /// The invocation.
        run_id: String = SAID,
    }
}

document! {
    /// A reference with its purpose.
    pub struct PurposedRef {
        /// `id@version`.
        reference as "ref": String = Form::Versioned(None),
        /// What for.
        purpose: String = SAID,
    }
}

/// The id has the prefix of the type.
pub(crate) fn own_prefix(envelope: &Value, found: &mut Vec<Fault>) {
    let text = |name: &str| envelope[name].as_str().unwrap_or_default();
    let (of, id) = (ArtifactType::of(text("artifact_type")), text("artifact_id"));
    if let Some(of) = of.filter(|of| !of.id().accepts(id) && ArtifactType::of_id(id).is_some()) {
        let what = format!("{id:?} should have the form {}", of.id());
        found.push(Fault::rule("bad_id", "$", "artifact_id", what));
    }
}

words! {
    /// What an invocation produced.
    pub enum ContributionType {
        Contract = "CONTRACT",
        MicroPlan = "MICRO_PLAN",
        Implementation = "IMPLEMENTATION",
        Challenge = "CHALLENGE",
        Adjudication = "ADJUDICATION",
        ShipEvidence = "SHIP_EVIDENCE",
        /// A draft of the spec. The section names the six above; the product loop's is none of them,
        /// and the same section wants a contribution of every invocation.
        ProductSpec = "PRODUCT_SPEC",
        /// Questions to a module, under seal: their form is here, their words are nowhere.
        Exam = "EXAM",
    }
}

document! {
    /// The one thing that one invocation of a role produced.
    pub struct Contribution {
        /// `CONTRIB-...`.
        contribution_id: String = Form::Id(ids::CONTRIBUTION),
        /// What it is.
        kind as "type": ContributionType,
        /// The invocation that made it.
        produced_by: Author,
        /// The artifact that it is.
        artifact_ref: String = SAID,
        /// `T-...`.
        task_ref: String = Form::Id(ids::TASK),
        /// ISO 8601.
        created_at: String = MOMENT,
        /// `CP-` and 8 hex digits.
        context_pack_ref: String = Form::Id(ids::CONTEXT_PACK),
    }
}

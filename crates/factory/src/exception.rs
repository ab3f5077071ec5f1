//! The interface change exception (section 13), the only way for one module to interrupt another:
//! who may raise it, against what, what it asks for, and the contract that would follow. A record
//! never changes; what a person decides is a record of its own that points at it.

use crate::contract::{
    Effect, ErrorSurface, Input, MicroModuleContract, Modes, Output, required_bump,
};
use crate::deficiency::{Deficiency, Report};
use crate::findings::{all_said, at_least, id, module_ref, said, when};
use crate::ids;
use crate::schema::Judged;
use crate::version::Bump;
use kernel::Refusal;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The request.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct InterfaceChangeException {
    /// `ICE-` and 8 hex digits.
    pub exception_id: String,
    /// What is wrong with the contract.
    #[serde(rename = "type")]
    pub type_: ExceptionType,
    /// Who asks.
    pub raised_by: RaisedBy,
    /// `MM-...@x.y.z`, shipped and upstream.
    pub target_module: String,
    /// Why the contract does not do.
    pub reason: String,
    /// At least one piece.
    #[schemars(length(min = 1))]
    pub evidence: Vec<String>,
    /// What should change, at least one thing.
    pub proposed_contract_delta: ContractDelta,
    /// Whether others may break.
    pub compatibility_expectation: CompatibilityExpectation,
    /// How much it matters.
    pub urgency: Urgency,
}

/// What is wrong with a contract.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
#[allow(missing_docs)]
pub enum ExceptionType {
    CannotSupport,
    Ambiguous,
    Incomplete,
    MissingDimension,
}

/// Who asks.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RaisedBy {
    /// What was being made.
    pub artifact_ref: String,
    /// One of three (section 13.2); nobody else may.
    pub role: Raiser,
    /// The invocation.
    pub run_id: String,
}

/// Who may raise one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[allow(missing_docs)]
pub enum Raiser {
    Proposer,
    Challenger,
    Ship,
}

/// Whether others may break.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
#[allow(missing_docs)]
pub enum CompatibilityExpectation {
    BackwardCompatible,
    Breaking,
    Unknown,
}

/// How much it matters.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "UPPERCASE")]
#[allow(missing_docs)]
pub enum Urgency {
    Blocking,
    High,
    Normal,
    Low,
}

/// What should change. Things are removed and modified by name.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
#[allow(missing_docs)]
pub struct ContractDelta {
    pub added_inputs: Vec<Input>,
    pub removed_inputs: Vec<String>,
    pub modified_inputs: Vec<Input>,
    pub added_outputs: Vec<Output>,
    pub removed_outputs: Vec<String>,
    pub modified_outputs: Vec<Output>,
    pub added_error_surfaces: Vec<ErrorSurface>,
    pub added_effects: Vec<Effect>,
    pub mode_changes: Option<Modes>,
}

impl ContractDelta {
    /// Whether nothing would change.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}

impl Judged for InterfaceChangeException {
    fn judge(&self) -> Report {
        let mut found = Vec::new();
        id(
            &mut found,
            "$",
            "exception_id",
            ids::EXCEPTION,
            &self.exception_id,
        );
        said(
            &mut found,
            "$.raised_by",
            "artifact_ref",
            &self.raised_by.artifact_ref,
        );
        said(&mut found, "$.raised_by", "run_id", &self.raised_by.run_id);
        module_ref(&mut found, "$", "target_module", &self.target_module);
        said(&mut found, "$", "reason", &self.reason);
        at_least(&mut found, "$", "evidence", (1, self.evidence.len()));
        all_said(&mut found, "$", "evidence", &self.evidence);
        if self.proposed_contract_delta.is_empty() {
            let message = "at least one change must be proposed";
            let field = "proposed_contract_delta";
            found.push(Deficiency::error("empty_delta", "$", field, message));
        }
        found.into_iter().collect()
    }
}

impl InterfaceChangeException {
    /// Section 13.2: always against a shipped upstream, never against the module being made.
    pub fn may_target(
        &self,
        current_module: &str,
        shipped_upstream: &[&str],
    ) -> Result<(), Refusal> {
        let id = self.target_module.split('@').next().unwrap_or_default();
        if id == current_module {
            return Err(Refusal::new(
                "exception_against_itself",
                format!("{} asks to change its own contract", self.exception_id),
                "revise the proposal; the debate decides about a module's own contract",
            ));
        }
        if !shipped_upstream.contains(&self.target_module.as_str()) {
            return Err(Refusal::new(
                "exception_not_upstream",
                format!(
                    "{} is no shipped dependency of {current_module}",
                    self.target_module
                ),
                "name a module that it depends on, with the shipped version",
            ));
        }
        Ok(())
    }

    /// The contract that would follow, with its version raised (section 13.5, 8a). A claim of
    /// backward compatibility that the change does not bear out is refused.
    pub fn candidate(&self, current: &MicroModuleContract) -> Result<MicroModuleContract, Refusal> {
        if self.target_module != current.reference() {
            return Err(Refusal::new(
                "wrong_contract",
                format!("{} is about {}", self.exception_id, self.target_module),
                format!("this is the contract of {}", current.reference()),
            ));
        }
        let delta = &self.proposed_contract_delta;
        let mut next = current.clone();
        change(
            &mut next.inputs,
            (
                &delta.removed_inputs,
                &delta.modified_inputs,
                &delta.added_inputs,
            ),
            |input| &input.name,
        )?;
        change(
            &mut next.outputs,
            (
                &delta.removed_outputs,
                &delta.modified_outputs,
                &delta.added_outputs,
            ),
            |output| &output.name,
        )?;
        change(
            &mut next.error_surfaces,
            (&[], &[], &delta.added_error_surfaces),
            |error| &error.name,
        )?;
        next.effects.extend(delta.added_effects.iter().cloned());
        if let Some(modes) = &delta.mode_changes {
            next.modes = modes.clone();
        }
        let needed = required_bump(current.surface(), next.surface());
        let bump = match self.compatibility_expectation {
            CompatibilityExpectation::BackwardCompatible if needed == Bump::Major => {
                return Err(Refusal::new(
                    "not_backward_compatible",
                    format!(
                        "the change of {} breaks those who use it now",
                        self.target_module
                    ),
                    "claim BREAKING, or propose only optional inputs, outputs and error surfaces",
                ));
            }
            CompatibilityExpectation::BackwardCompatible => Bump::Minor,
            CompatibilityExpectation::Breaking => Bump::Major,
            CompatibilityExpectation::Unknown => needed.max(Bump::Minor),
        };
        next.module_version = current.module_version.bumped(bump).ok_or_else(|| {
            Refusal::new(
                "version_exhausted",
                format!("there is no version after {}", current.module_version),
                "make a successor module",
            )
        })?;
        Ok(next)
    }
}

/// Removes, replaces and appends by name; a name that is not there, or there already, is refused.
fn change<T: Clone>(
    items: &mut Vec<T>,
    (removed, modified, added): (&[String], &[T], &[T]),
    name: fn(&T) -> &String,
) -> Result<(), Refusal> {
    let unknown = |wanted: &String| {
        Refusal::new(
            "delta_does_not_fit",
            format!("the contract has no `{wanted}`"),
            "name what the contract has",
        )
    };
    for wanted in removed {
        let before = items.len();
        items.retain(|item| name(item) != wanted);
        if items.len() == before {
            return Err(unknown(wanted));
        }
    }
    for replacement in modified {
        let place = items
            .iter_mut()
            .find(|item| name(item) == name(replacement));
        match place {
            Some(place) => *place = replacement.clone(),
            None => return Err(unknown(name(replacement))),
        }
    }
    for new in added {
        if items.iter().any(|item| name(item) == name(new)) {
            return Err(Refusal::new(
                "delta_does_not_fit",
                format!("the contract has `{}` already", name(new)),
                "modify it instead",
            ));
        }
        items.push(new.clone());
    }
    Ok(())
}

/// What a person decided about a request.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct InterfaceChangeDecision {
    /// `ICE-` and 8 hex digits.
    pub exception_id: String,
    /// What.
    pub decision: ExceptionDecision,
    /// Why.
    pub reason: String,
    /// ISO 8601.
    pub decided_at: String,
}

/// The three outcomes of section 13.5.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
#[allow(missing_docs)]
pub enum ExceptionDecision {
    ApproveChange,
    RejectChange,
    Defer,
}

impl Judged for InterfaceChangeDecision {
    fn judge(&self) -> Report {
        let mut found = Vec::new();
        id(
            &mut found,
            "$",
            "exception_id",
            ids::EXCEPTION,
            &self.exception_id,
        );
        said(&mut found, "$", "reason", &self.reason);
        when(&mut found, "$", "decided_at", &self.decided_at);
        found.into_iter().collect()
    }
}

//! The interface change exception (rule F13), the only way for one module to interrupt another: what
//! it asks for. A role raises it, the journal keeps it, and the stored record is the same with its id
//! and who raised it. A record never changes; what a person decides is a record of its own.

use crate::contract::{Effect, ErrorSurface, Input, Modes, Output};
use crate::ids::{self, MOMENT};
use kernel::form::{FILLED, Fault, Form, Formed, Object, SAID, Size, must};
use kernel::module::ModuleRef;
use kernel::{document, words};
use serde_json::Value;

/// The member of an answer that holds one.
pub const RAISED: &str = "interface_change_exception";

/// An answer that raises one.
pub const ANSWER: Object = Object {
    name: "Raised",
    about: "",
    members: &[must(
        RAISED,
        "Instead of the rest: the contract of a shipped dependency cannot support the work.",
        Form::Part(&InterfaceChangeException::OBJECT),
    )],
};

words! {
    /// What is wrong with a contract.
    pub enum ExceptionType {
        CannotSupport = "CANNOT_SUPPORT",
        Ambiguous = "AMBIGUOUS",
        Incomplete = "INCOMPLETE",
        MissingDimension = "MISSING_DIMENSION",
    }
}

words! {
    /// What the change would do to others. What nobody knows counts as breaking.
    pub enum Compatibility {
        BackwardCompatible = "BACKWARD_COMPATIBLE",
        Breaking = "BREAKING",
        Unknown = "UNKNOWN",
    }
}

words! {
    /// How soon.
    pub enum Urgency {
        Blocking = "BLOCKING",
        High = "HIGH",
        Normal = "NORMAL",
        Low = "LOW",
    }
}

document! {
    /// The request to change an upstream contract.
    #[derive(Eq)]
    pub struct InterfaceChangeException {
        @given {
            /// `ICE-` and 8 hex digits.
            exception_id = Form::Id(ids::EXCEPTION),
            /// Who asks.
            raised_by = Form::Object(&RAISED_BY),
        }
        /// What is wrong with the contract.
        kind as "type": ExceptionType,
        /// `MM-...@x.y.z`, shipped and upstream.
        target_module: ModuleRef,
        /// Why the contract does not do.
        reason: String = SAID,
        /// At least one piece.
        evidence: Vec<String> = Form::List(&SAID, Size::SOME),
        /// What should change, at least one thing.
        proposed_contract_delta: ContractDelta,
        /// Whether others may break.
        compatibility_expectation: Compatibility,
        /// How much it matters.
        urgency: Urgency,
    }
}

const RAISED_BY: Object = Object {
    name: "RaisedBy",
    about: "Who asks.",
    members: &[
        must("artifact_ref", "What was being made.", SAID),
        must(
            "role",
            "One of three; nobody else may.",
            Form::Word(&["proposer", "challenger", "ship"]),
        ),
        must("run_id", "The invocation.", SAID),
    ],
};

const INPUTS: Form = Form::List(&Form::Either(&[FILLED, Input::FORM]), Size::ANY);
const OUTPUTS: Form = Form::List(&Form::Either(&[FILLED, Output::FORM]), Size::ANY);
const NAMES: Form = Form::List(&FILLED, Size::ANY);

document! {
    /// What should change. An element is written as in a contract, or as a line of a plan; things are
    /// removed by name.
    #[derive(Default, Eq)]
    pub struct ContractDelta {
        /// New inputs.
        #[serde(default)]
        added_inputs?: Vec<Value> = INPUTS,
        /// Names of inputs that go.
        #[serde(default)]
        removed_inputs?: Vec<Value> = NAMES,
        /// Inputs that change.
        #[serde(default)]
        modified_inputs?: Vec<Value> = INPUTS,
        /// New outputs.
        #[serde(default)]
        added_outputs?: Vec<Value> = OUTPUTS,
        /// Names of outputs that go.
        #[serde(default)]
        removed_outputs?: Vec<Value> = NAMES,
        /// Outputs that change.
        #[serde(default)]
        modified_outputs?: Vec<Value> = OUTPUTS,
        /// New error surfaces.
        #[serde(default)]
        added_error_surfaces?: Vec<Value> =
            Form::List(&Form::Either(&[FILLED, ErrorSurface::FORM]), Size::ANY),
        /// New effects.
        #[serde(default)]
        added_effects?: Vec<Value> = Form::List(&Form::Either(&[FILLED, Effect::FORM]), Size::ANY),
        /// The modes as they should be.
        #[serde(default)]
        mode_changes?: Option<Value> = Form::Nullable(&Form::Either(&[NAMES, Modes::FORM])),
    }
}

impl ContractDelta {
    /// Whether nothing would change.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}

/// Something must be asked for.
pub(crate) fn rules(exception: &Value, found: &mut Vec<Fault>) {
    let delta = exception["proposed_contract_delta"].as_object();
    let asks = |value: &Value| match value {
        Value::Array(items) => !items.is_empty(),
        other => !other.is_null(),
    };
    if !delta.is_some_and(|delta| delta.values().any(asks)) {
        let what = "at least one change must be proposed";
        let field = "proposed_contract_delta";
        found.push(Fault::rule("empty_delta", "$", field, what));
    }
}

words! {
    /// What a person decides about a request (rule F13.5).
    pub enum Ruling {
        /// The change is debated.
        ApproveChange = "APPROVE_CHANGE",
        /// The task must do without, or stay halted.
        RejectChange = "REJECT_CHANGE",
        /// Later.
        Defer = "DEFER",
    }
}

/// What a person decided about a request, as a document.
pub const DECISION: Object = Object {
    name: "InterfaceChangeDecision",
    about: "What a person decided about a request.",
    members: &[
        must(
            "exception_id",
            "`ICE-` and 8 hex digits.",
            Form::Id(ids::EXCEPTION),
        ),
        must("decision", "What.", Ruling::FORM),
        must("reason", "Why.", SAID),
        must("decided_at", "ISO 8601.", MOMENT),
    ],
};

//! Escalations and their resolutions (rule F17) as documents: everything that a person needs to
//! decide, and the six ways to decide, each with its own payload. `halt/` makes and carries them out.

use crate::debate::TRAIL;
use crate::ids::{self, MOMENT};
use crate::micro_plan::PlannedModule;
use crate::spec::{AmendedCase, IoContractSketch, circles};
use kernel::form::{Fault, Form, Formed, Object, SAID, Size, TEXT, Tagged, may, must};
use kernel::module::ModuleRef;
use kernel::words;
use serde_json::Value;

/// An object of whatever.
const ANYTHING: Form = Form::Map(&Form::Any, Size::ANY);

/// What a person must decide.
pub const ESCALATION: Object = Object {
    name: "EscalationArtifact",
    about: "What a person must decide.",
    members: &[
        must(
            "escalation_id",
            "`ESC-` and 8 hex digits.",
            Form::Id(ids::ESCALATION),
        ),
        must("task_id", "`T-...`.", Form::Id(ids::TASK)),
        must("task_ref", "The path of the task file.", SAID),
        must("created_at", "ISO 8601.", MOMENT),
        must(
            "debate_trail",
            "Everything that was said.",
            Form::Object(&TRAIL),
        ),
        must(
            "failed_invariants",
            "What does not hold.",
            Form::List(&FAILED, Size::ANY),
        ),
        must(
            "state_machine_snapshot",
            "The whole state machine at the time of the halt.",
            Form::Map(
                &Form::Any,
                Size::SOME.or(
                    "empty_field",
                    "the state machine at the time of the halt belongs here",
                ),
            ),
        ),
        must("minimal_decision_required", "In plain language.", SAID),
        must(
            "recommended_resolution",
            "A suggestion, and no more.",
            Action::FORM,
        ),
        must("resolution_context", "What helps to decide.", SAID),
        may(
            "resolution",
            "What was decided: the person's attestation.",
            Form::Object(&ATTESTATION),
        ),
    ],
};

const FAILED: Form = Form::Object(&Object {
    name: "FailedInvariant",
    about: "Something that does not hold.",
    members: &[
        must("invariant", "What should hold.", SAID),
        must("evidence", "What shows that it does not.", SAID),
    ],
});

const ATTESTATION: Object = Object {
    name: "Attestation",
    about: "A resolution, with who answers for it.",
    members: &[
        must(
            "action",
            "One of the six for a task, or what a person may say to a spec.",
            Form::Either(&[SpecWord::FORM, Action::FORM]),
        ),
        must("payload", "What it needed, with the rationale.", ANYTHING),
        must("resolved_by", "Who.", TEXT),
        must("resolved_at", "ISO 8601.", TEXT),
    ],
};

words! {
    /// What a person may say to a spec that could not be completed, as the decision is called.
    pub enum SpecWord {
        /// It is to be changed.
        Amend = "AMEND",
        /// It is discarded.
        Reject = "REJECT",
        /// It is to be drafted again.
        Retry = "retry",
    }
}

words! {
    /// The six ways to resolve a task, in the order in which people are offered them.
    pub enum Action {
        /// Ship it although the debate failed.
        ApproveOverride = "APPROVE_OVERRIDE",
        /// Other acceptance criteria; the task starts anew.
        AmendSpec = "AMEND_SPEC",
        /// Other tasks instead of this one.
        SplitTask = "SPLIT_TASK",
        /// Another micro plan.
        RevisePlan = "REVISE_PLAN",
        /// A fix, which is challenged like any proposal.
        ProvideFix = "PROVIDE_FIX",
        /// The task is not needed.
        AbandonTask = "ABANDON_TASK",
    }
}

const TEXTS: Form = Form::List(&SAID, Size::SOME);
const REFERENCES: Form = Form::List(&TEXT, Size::ANY);

const RATIONALE: Object = Object {
    name: "Rationale",
    about: "",
    members: &[must("rationale", "Why.", SAID)],
};
const AMENDED: Object = Object {
    name: "AmendedCriteria",
    about: "",
    members: &[
        may(
            "amended_acceptance_criteria",
            "All of them as they are from now on; left out: they stay.",
            TEXTS,
        ),
        may(
            "amended_cases",
            "What is changed of the product's cases; left out: they stay. One of the two is there.",
            Form::List(&AmendedCase::FORM, Size::SOME),
        ),
        must("amendment_rationale", "Why they changed.", SAID),
    ],
};
const NEW_TASKS: Object = Object {
    name: "NewTasks",
    about: "",
    members: &[must(
        "new_tasks",
        "At least one.",
        Form::List(
            &Form::Object(&Object {
                name: "NewTask",
                about: "A task that stands in for another.",
                members: &[
                    must("name", "Its name, once in the list.", SAID),
                    must("description", "What it implements.", SAID),
                    must("acceptance_criteria", "At least one.", TEXTS),
                    may(
                        "depends_on",
                        "Tasks of the project, or names of this list.",
                        REFERENCES,
                    ),
                    may(
                        "io_contract_sketch",
                        "What goes in and out of it; left out: as in the task that is split.",
                        IoContractSketch::FORM,
                    ),
                ],
            }),
            Size::SOME,
        ),
    )],
};
const REVISED_PLAN: Object = Object {
    name: "RevisedPlan",
    about: "",
    members: &[must(
        "revised_micro_plan",
        "At least one.",
        Form::List(
            &Form::Either(&[PlannedModule::FORM, Form::Object(&KEPT_MODULE)]),
            Size::SOME,
        ),
    )],
};
/// A module of a person's plan in short; in whole it is the planner's.
pub(crate) const KEPT_MODULE: Object = Object {
    name: "RevisedModule",
    about: "A module of a person's plan that keeps the contract that it had.",
    members: &[
        must(
            "module_id",
            "`MM-...`, once in the list.",
            Form::Id(ids::MODULE),
        ),
        must("description", "What it does.", SAID),
        may(
            "depends_on",
            "Modules of the list, or `MM-...@x.y.z` of shipped ones.",
            REFERENCES,
        ),
    ],
};
const FIX: Object = Object {
    name: "Fix",
    about: "",
    members: &[
        must("fix_description", "What it does and why.", SAID),
        must(
            "fix_artifacts",
            "Paths within the module, and contents.",
            Form::Map(&TEXT, Size::SOME),
        ),
    ],
};

impl Action {
    /// What its payload is.
    pub const fn payload(self) -> &'static Object {
        match self {
            Action::ApproveOverride | Action::AbandonTask => &RATIONALE,
            Action::AmendSpec => &AMENDED,
            Action::SplitTask => &NEW_TASKS,
            Action::RevisePlan => &REVISED_PLAN,
            Action::ProvideFix => &FIX,
        }
    }

    /// Is this member of its payload a list of texts?
    pub fn takes_list(self, member: &str) -> bool {
        let mut members = self.payload().members.iter();
        members.any(|one| {
            let texts = matches!(one.form, Form::List(Form::Text(_), _));
            one.name == member && texts
        })
    }
}

/// What a person decided: `{"action": "...", "payload": {...}}`.
pub const RESOLUTION: Tagged = Tagged {
    name: "HumanResolution",
    about: "What a person decided.",
    tag: "action",
    content: "payload",
    variants: &[
        ("APPROVE_OVERRIDE", Action::ApproveOverride.payload()),
        ("AMEND_SPEC", Action::AmendSpec.payload()),
        ("SPLIT_TASK", Action::SplitTask.payload()),
        ("REVISE_PLAN", Action::RevisePlan.payload()),
        ("PROVIDE_FIX", Action::ProvideFix.payload()),
        ("ABANDON_TASK", Action::AbandonTask.payload()),
    ],
};

/// Rules across the members of a resolution: names and ids once, no circles, paths that stay inside.
pub(crate) fn resolution_rules(resolution: &Value, found: &mut Vec<Fault>) {
    let payload = &resolution["payload"];
    let amends = ["amended_acceptance_criteria", "amended_cases"];
    if resolution["action"] == "AMEND_SPEC" && amends.iter().all(|name| payload[name].is_null()) {
        let what = "criteria or cases are amended";
        found.push(Fault::rule("missing_field", "$.payload", amends[0], what));
    }
    listed(payload, ("new_tasks", "name", "duplicate_name"), found);
    listed(
        payload,
        ("revised_micro_plan", "module_id", "duplicate_id"),
        found,
    );
    let files = payload["fix_artifacts"].as_object();
    for path in files.into_iter().flatten().map(|(path, _)| path) {
        if !is_inside(path) {
            let what = format!("{path:?} leads out of the module, or is no path");
            found.push(Fault::rule("bad_path", "$.payload", "fix_artifacts", what));
        }
    }
}

/// Each name once, and nothing that waits for itself.
fn listed(
    payload: &Value,
    (list, name, twice): (&str, &str, &'static str),
    found: &mut Vec<Fault>,
) {
    let items = payload[list].as_array().into_iter().flatten();
    let items: Vec<&Value> = items.collect();
    let names: Vec<&str> = items
        .iter()
        .map(|item| item[name].as_str().unwrap_or_default())
        .collect();
    let mut edges = Vec::new();
    for (index, item) in items.iter().enumerate() {
        let path = format!("$.payload.{list}[{index}]");
        if names[..index].contains(&names[index]) {
            found.push(Fault::rule(twice, &path, name, "it is there twice"));
        }
        let on = item["depends_on"].as_array().into_iter().flatten();
        let on: Vec<&str> = on.filter_map(Value::as_str).collect();
        let module = |text: &str| text.split('@').next().unwrap_or_default().to_owned();
        let is_plan = name == "module_id";
        let bad =
            |text: &&&str| is_plan && !names.contains(*text) && ModuleRef::parse(text).is_err();
        for (at, _) in on.iter().enumerate().filter(|(_, text)| bad(text)) {
            let what = "neither a module of this plan nor `MM-...@x.y.z`";
            let field = format!("depends_on[{at}]");
            found.push(Fault::rule("bad_reference", &path, field, what));
        }
        let place = |text: &&str| {
            let text = if is_plan {
                module(text)
            } else {
                (*text).to_owned()
            };
            names.iter().position(|name| **name == text)
        };
        edges.push(on.iter().filter_map(place).map(|at| at as u32).collect());
    }
    for circle in circles(&edges) {
        let mut way: Vec<&str> = circle.iter().map(|at| names[*at as usize]).collect();
        way.push(way[0]);
        let what = format!("these wait for each other: {}", way.join(" -> "));
        found.push(Fault::rule("cycle", "$.payload", list, what));
    }
}

/// A relative path that stays where it is put.
fn is_inside(path: &str) -> bool {
    let mut parts = path.split('/');
    !path.contains(['\\', '\0']) && parts.all(|part| !matches!(part, "" | "." | ".."))
}

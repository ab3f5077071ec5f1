//! The micro plan (rule F10): a task as modules small enough to prove. One type: the planner's answer
//! is read into it, the journal keeps it, and the stored document is the same with its id and its task.
//!
//! Whether a module is one behaviour is the Challenger's to judge.

use crate::debate::LONGEST;
use crate::ids;
use crate::spec::circles;
use kernel::form::{
    Answer, Cause, Fault, Form, Formed, Object, Rule, SAID, Size, Wrong, given, must, placeholder,
};
use kernel::module::{ModuleId, ModuleRef};
use kernel::{document, words};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};

/// A micro plan as a document.
pub const MICRO_PLAN: Object = Object {
    name: "MicroPlan",
    about: "A task as micro modules.",
    members: &[
        given("micro_plan_id", "`MP-...`.", Form::Id(ids::MICRO_PLAN)),
        given(
            "parent_task_ref",
            "`T-...@x.y.z`.",
            Form::Versioned(Some(ids::TASK)),
        ),
        must(
            "modules",
            "At least one.",
            Form::List(&PlannedModule::FORM, Size::SOME),
        ),
    ],
};

/// What the planner returns.
pub const ANSWER: Answer = Answer(&[&MICRO_PLAN]);

const DIMENSION: Size = Size::SOME.or(
    "empty_dimension",
    "no dimension may be empty; write \"none\" where there is nothing",
);
const LINES: Form = Form::List(&SAID, DIMENSION);
const MODE: Form = Form::Text(Rule {
    pattern: r"^\s*[Aa]?[Ss][Yy][Nn][Cc]",
    most: 0,
    judge: |text| {
        let mode = text.trim_start().to_lowercase();
        if mode.starts_with("sync") || mode.starts_with("async") {
            return None;
        }
        match placeholder(text) {
            Some(word) => Wrong::content("placeholder", format!("`{word}` is a placeholder")),
            None => Wrong::content("bad_mode", "should begin with `sync` or `async`"),
        }
    },
});

document! {
    /// The five dimensions, a list of lines each.
    #[derive(Default, Eq)]
    pub struct IoContract {
        /// `name: type; constraint; ...` each.
        inputs: Vec<String> = LINES,
        /// `name: type; invariant; ...` each.
        outputs: Vec<String> = LINES,
        /// `Name: when` each.
        error_surfaces: Vec<String> = LINES,
        /// `WRITE target: description` each; one item `none` if there are none.
        effects: Vec<String> = LINES,
        /// `sync` or `async`, each with what there is to know.
        modes: Vec<String> = Form::List(&MODE, DIMENSION),
    }
}

impl IoContract {
    /// Each dimension by its name.
    pub fn dimensions(&self) -> [(&'static str, &[String]); 5] {
        [
            ("inputs", &self.inputs),
            ("outputs", &self.outputs),
            ("error_surfaces", &self.error_surfaces),
            ("effects", &self.effects),
            ("modes", &self.modes),
        ]
    }
}

words! {
    /// Make or reuse.
    pub enum ReuseDecision {
        Reuse = "REUSE",
        CreateNew = "CREATE_NEW",
    }
}

document! {
    /// One module of a plan.
    #[derive(Eq)]
    pub struct PlannedModule {
        /// `MM-...`.
        module_id: ModuleId,
        /// Its name.
        name: String = SAID,
        /// One behaviour in one sentence.
        purpose: String = SAID,
        /// The five dimensions.
        /// None where a person's plan leaves them to the task file.
        #[serde(default)]
        io_contract: Option<IoContract> = IoContract::FORM,
        /// What it must handle.
        #[serde(default)]
        error_cases: Vec<String> = Form::List(&SAID, Size::ANY),
        /// `MM-...@x.y.z` each: of this plan, or shipped before.
        #[serde(default)]
        depends_on: Vec<ModuleRef>,
        /// What the Code Index had.
        #[serde(default)]
        reuse_candidate_refs?: Vec<ModuleRef>,
        /// Whether the first of them is reused.
        reuse_decision: ReuseDecision,
        /// Why, or why not.
        #[serde(default)]
        reuse_justification: String = SAID,
        /// What of the task it answers, and by which clauses of its contract.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        answers?: Vec<Answered>,
    }
}

document! {
    /// A point of the task, and the clause that answers it.
    #[derive(Eq)]
    pub struct Answered {
        /// `criterion-1`, as the brief of the plan lists it.
        asked: String = SAID,
        /// `output__slug__1`: what the test of that clause is called.
        clause: String = SAID,
    }
}

/// Who made a plan.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Author {
    /// The planning agent.
    Agent,
    /// A person, as a resolution.
    Human,
}

/// A judged plan. Nothing changes it any more.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Plan {
    /// Who made it.
    pub by: Author,
    /// Its modules, as declared.
    pub modules: Vec<PlannedModule>,
}

words! {
    /// What keeps a plan from being locked, beyond its form.
    pub enum Misplan {
        NeedChanged = "reuse_need_changed",
        NotShipped = "reuse_not_shipped",
        NotBrought = "reuse_not_brought",
        NotPassed = "reuse_not_passed",
        NotConsidered = "reuse_not_considered",
        ContractUnknown = "reuse_contract_unknown",
        ContractDiffers = "reuse_contract_differs",
        VersionDiffers = "reuse_version_differs",
        Unanswered = "task_unanswered",
        ClauseUnknown = "clause_unknown",
        ClauseUnfit = "clause_unfit",
        IdTaken = "module_id_taken",
        IdAlike = "module_id_alike",
        DependencyMissing = "dependency_missing",
        DependencyOutdated = "dependency_outdated",
        Unreadable = "plan_unreadable",
    }
}

/// What is wrong with a plan, as the journal keeps it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PlanFault {
    /// A stable word, where there is one beside `plan_invalid`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub code: Option<Misplan>,
    /// `modules[2].io_contract.effects`.
    pub path: String,
    /// A sentence.
    pub message: String,
}

impl PlanFault {
    /// As the planner reads it in the next brief.
    pub fn line(&self) -> String {
        let code = self.code.map(|code| format!(" ({})", code.as_str()));
        let code = code.unwrap_or_default();
        format!("{}: {}{code}", self.path, self.message)
    }
}

impl From<&Fault> for PlanFault {
    fn from(fault: &Fault) -> Self {
        Self {
            code: None,
            path: fault.place(),
            message: fault.what.clone(),
        }
    }
}

/// Judges an agent's plan: every fault at once, so that one more try can mend them all.
pub fn judge(result: &Value) -> Result<Plan, Vec<PlanFault>> {
    let mut faults = ANSWER.faults(result);
    rules(result, &mut faults);
    let modules = Vec::<PlannedModule>::deserialize(&result["modules"]);
    match modules {
        Ok(modules) if faults.is_empty() => Ok(Plan {
            by: Author::Agent,
            modules,
        }),
        _ => Err(faults.iter().map(PlanFault::from).collect()),
    }
}

/// Holds the plan of an assembly to one module.
pub(crate) fn assembly(plan: Plan) -> Result<Plan, Vec<PlanFault>> {
    match plan.modules.len() {
        1 => Ok(plan),
        count => Err(vec![PlanFault {
            code: None,
            path: "modules".to_owned(),
            message: format!(
                "the assembly of a product is one module, and there are {count}; it uses shipped modules, and what is new beside them is a task of its own"
            ),
        }]),
    }
}

/// Rules across the members of a plan as it is written.
pub(crate) fn rules(plan: &Value, found: &mut Vec<Fault>) {
    let modules = plan["modules"].as_array().into_iter().flatten();
    let read: Vec<Option<PlannedModule>> = modules
        .map(|module| PlannedModule::deserialize(module).ok())
        .collect();
    for (at, module) in read.iter().enumerate() {
        let Some(module) = module else { continue };
        let reuses = module.reuse_decision == ReuseDecision::Reuse;
        if reuses && module.reuse_candidate_refs.is_empty() {
            let what = "REUSE names no shipped module";
            let path = format!("$.modules[{at}]");
            found.push(Fault::rule("too_few", path, "reuse_candidate_refs", what));
        }
    }
    // What could not be read is a fault already, and has no place among the others.
    if let Some(modules) = read.into_iter().collect() {
        let plan = Plan {
            by: Author::Agent,
            modules,
        };
        found.extend(structure(&plan));
    }
}

/// What holds for every plan, whoever made it: unique ids, no circle, nothing too long to be passed on.
pub fn structure(plan: &Plan) -> Vec<Fault> {
    let mut found = Vec::new();
    let mut seen = BTreeSet::new();
    for (at, module) in plan.modules.iter().enumerate() {
        let path = format!("$.modules[{at}]");
        let id = &module.module_id;
        if !seen.insert(id) {
            let what = format!("`{id}` is there twice");
            found.push(Fault::rule("duplicate_id", &path, "module_id", what));
        }
        let length = serde_json::to_string(module).map_or(0, |text| text.len());
        if length > LONGEST {
            let what = format!("it has {length} bytes, and at most {LONGEST} are passed on");
            found.push(Fault::rule("too_long", &path, "", what));
        }
    }
    for circle in circles(&plan.edges()) {
        let name = |index: &u32| plan.modules[*index as usize].module_id.as_str();
        let mut names: Vec<&str> = circle.iter().map(name).collect();
        names.push(names[0]);
        let what = format!(
            "the modules depend on each other in a cycle: {}",
            names.join(" -> ")
        );
        let path = format!("$.modules[{}]", circle[0]);
        found.push(Fault::rule("cycle", path, "depends_on", what));
    }
    found
}

/// What a person's plan must be beyond its structure: ids that are ids, and a purpose.
pub fn human_faults(plan: &Plan) -> Vec<Fault> {
    let mut found = Vec::new();
    for (at, module) in plan.modules.iter().enumerate() {
        let all = [
            ("module_id", ModuleId::FORM, module.module_id.as_str()),
            ("purpose", SAID, &module.purpose),
        ];
        for (field, form, text) in all {
            let wrong = form.faults(&Value::from(text)).into_iter();
            found.extend(wrong.map(|mut fault| {
                (fault.path, fault.field) = (format!("$.modules[{at}]"), field.to_owned());
                fault.cause = Cause::Content;
                fault
            }));
        }
    }
    found.extend(structure(plan));
    found
}

impl Plan {
    /// For each module, the places of those of this plan that it waits for. References to others are
    /// to shipped modules (rule F10.2).
    fn edges(&self) -> Vec<Vec<u32>> {
        let mut places: BTreeMap<&ModuleId, u32> = BTreeMap::new();
        for (at, module) in (0..).zip(&self.modules) {
            places.entry(&module.module_id).or_insert(at);
        }
        let inside = |module: &PlannedModule| {
            let on = module.depends_on.iter();
            on.filter_map(|one| places.get(&one.module).copied())
                .collect()
        };
        self.modules.iter().map(inside).collect()
    }

    /// A module's dependencies inside the plan, as indices.
    pub fn inside(&self, at: usize) -> Vec<usize> {
        let edges = self.edges();
        edges[at].iter().map(|on| *on as usize).collect()
    }

    /// Topological order, by declaration where several are free. Shorter than the plan: a cycle.
    pub fn order(&self) -> Vec<usize> {
        let edges = self.edges();
        let mut order: Vec<usize> = Vec::new();
        let free = |order: &[usize], at: &usize| {
            let mut on = edges[*at].iter();
            !order.contains(at) && on.all(|on| order.contains(&(*on as usize)))
        };
        while let Some(next) = (0..self.modules.len()).find(|at| free(&order, at)) {
            order.push(next);
        }
        order
    }

    /// Everything that depends on a module, directly or not.
    pub fn dependants(&self, of: usize) -> BTreeSet<usize> {
        let mut found = BTreeSet::from([of]);
        for at in self.order() {
            if self.inside(at).iter().any(|one| found.contains(one)) {
                found.insert(at);
            }
        }
        found.remove(&of);
        found
    }
}

/// What must come before a new module (rule F14.3): the search, and why nothing found will do.
pub const REUSE_REPORT: Object = Object {
    name: "ReuseSearchReport",
    about: "Why a module is made or reused.",
    members: &[
        must("query", "What was asked.", kernel::form::FILLED),
        must(
            "candidates_considered",
            "What was found, and why not.",
            Form::List(
                &Form::Object(&Object {
                    name: "Candidate",
                    about: "A module that was looked at.",
                    members: &[
                        must("module_ref", "`MM-...@x.y.z`.", ModuleRef::FORM),
                        kernel::form::may(
                            "why_rejected",
                            "Why it does not do; empty for the one that is reused.",
                            kernel::form::TEXT,
                        ),
                    ],
                }),
                Size::ANY,
            ),
        ),
        must(
            "conclusion",
            "What follows.",
            Form::Word(&["REUSE_EXISTING", "CREATE_NEW"]),
        ),
        must("justification", "Why.", SAID),
    ],
};

/// To reuse something, name it; to make something, say why each candidate does not do.
pub(crate) fn reuse_rules(report: &Value, found: &mut Vec<Fault>) {
    let candidates = report["candidates_considered"].as_array();
    if report["conclusion"] == "REUSE_EXISTING" {
        if candidates.is_none_or(Vec::is_empty) {
            let what = "to reuse something, name it";
            found.push(Fault::rule("too_few", "$", "candidates_considered", what));
        }
        return;
    }
    for (index, candidate) in candidates.into_iter().flatten().enumerate() {
        for mut fault in SAID.faults(candidate.get("why_rejected").unwrap_or(&Value::from(""))) {
            fault.path = format!("$.candidates_considered[{index}]");
            "why_rejected".clone_into(&mut fault.field);
            found.push(fault);
        }
    }
}

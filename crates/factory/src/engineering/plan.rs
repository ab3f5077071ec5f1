//! The micro plan (section 10) as the machine follows it: an agent's or a person's, judged, locked, and
//! the order that follows from it. Whether the decomposition is a good one is the Challenger's to say.
//!
//! The document of the same name, with its id, its task and its schema, is `micro_plan.rs`; it is written
//! from this one (`machine/records/plan.rs`). They stay two: this one is in journals and forgives keys
//! that it does not know, and a person's plan may leave contracts to the task file.

use super::artifacts::LONGEST;
pub use crate::micro_plan::ReuseDecision;
use crate::project::types::{ModuleId, ModuleRef, is_module_id};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};

/// The five dimensions in the plan's short form.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, Default)]
pub struct IoContract {
    /// Type and constraints.
    pub inputs: Vec<String>,
    /// Type and invariants.
    pub outputs: Vec<String>,
    /// Condition and code.
    pub error_surfaces: Vec<String>,
    /// Writes, calls, mutations.
    pub effects: Vec<String>,
    /// Sync, async.
    pub modes: Vec<String>,
}

/// One module of a plan.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PlanModule {
    /// Its id.
    pub module_id: ModuleId,
    /// Its name.
    pub name: String,
    /// One sentence.
    pub purpose: String,
    /// The five dimensions; none where a person's plan leaves them to the task file.
    #[serde(default)]
    pub io_contract: Option<IoContract>,
    /// Scenarios that it must handle.
    #[serde(default)]
    pub error_cases: Vec<String>,
    /// Modules of this plan, or shipped ones.
    #[serde(default)]
    pub depends_on: Vec<ModuleRef>,
    /// From the Code Index.
    #[serde(default)]
    pub reuse_candidate_refs: Vec<ModuleRef>,
    /// Reuse, or make.
    pub reuse_decision: ReuseDecision,
    /// Why.
    #[serde(default)]
    pub reuse_justification: String,
}

/// Who made it.
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
    pub modules: Vec<PlanModule>,
}

/// What is wrong, and where.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PlanFault {
    /// A stable word, where there is one beside `plan_invalid`.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub code: String,
    /// `modules[2].io_contract.effects`.
    pub path: String,
    /// A sentence.
    pub message: String,
}

impl PlanFault {
    /// As the planner reads it in the next brief.
    pub fn line(&self) -> String {
        let code = if self.code.is_empty() {
            String::new()
        } else {
            format!(" ({})", self.code)
        };
        format!("{}: {}{code}", self.path, self.message)
    }
}

fn fault(path: impl Into<String>, message: impl Into<String>) -> PlanFault {
    PlanFault {
        code: String::new(),
        path: path.into(),
        message: message.into(),
    }
}

#[derive(Deserialize)]
struct Raw {
    modules: Vec<Value>,
}

/// Judges an agent's plan: every fault at once, so that one more try can mend them all.
pub fn judge(result: &Value) -> Result<Plan, Vec<PlanFault>> {
    let raw: Raw = serde_json::from_value(result.clone())
        .map_err(|error| vec![fault("", error.to_string())])?;
    let (mut modules, mut faults) = (Vec::new(), Vec::new());
    for (at, module) in raw.modules.into_iter().enumerate() {
        match serde_json::from_value::<PlanModule>(module) {
            Ok(module) => modules.push(module),
            Err(error) => faults.push(fault(format!("modules[{at}]"), error.to_string())),
        }
    }
    let plan = Plan {
        by: Author::Agent,
        modules,
    };
    for (at, module) in plan.modules.iter().enumerate() {
        dimensions(at, module, &mut faults);
        reuse(at, module, &mut faults);
    }
    faults.extend(structure(&plan));
    if faults.is_empty() {
        Ok(plan)
    } else {
        Err(faults)
    }
}

/// What holds for every plan, whoever made it: ids, purpose, unique, no cycle.
pub fn structure(plan: &Plan) -> Vec<PlanFault> {
    let mut faults = Vec::new();
    if plan.modules.is_empty() {
        faults.push(fault("modules", "a plan needs a module"));
    }
    let mut seen = BTreeSet::new();
    for (at, module) in plan.modules.iter().enumerate() {
        let path = |member: &str| format!("modules[{at}].{member}");
        let id = module.module_id.as_str();
        if !is_module_id(id) {
            faults.push(fault(path("module_id"), format!("`{id}` is not `MM-...`")));
        }
        if !seen.insert(id) {
            faults.push(fault(path("module_id"), format!("`{id}` is there twice")));
        }
        let length = serde_json::to_string(module).map_or(0, |text| text.len());
        if length > LONGEST {
            let message = format!("it has {length} bytes, and at most {LONGEST} are passed on");
            faults.push(fault(format!("modules[{at}]"), message));
        }
        if placeholder(&module.purpose) {
            faults.push(fault(path("purpose"), "say what it does in a sentence"));
        }
    }
    if faults.is_empty() && plan.order().len() < plan.modules.len() {
        faults.push(fault(
            "modules",
            "the modules depend on each other in a cycle",
        ));
    }
    faults
}

fn dimensions(at: usize, module: &PlanModule, faults: &mut Vec<PlanFault>) {
    let Some(contract) = &module.io_contract else {
        let path = format!("modules[{at}].io_contract");
        faults.push(fault(path, "the contract is missing"));
        return;
    };
    let all = [
        ("inputs", &contract.inputs),
        ("outputs", &contract.outputs),
        ("error_surfaces", &contract.error_surfaces),
        ("effects", &contract.effects),
        ("modes", &contract.modes),
    ];
    for (name, lines) in all {
        if lines.is_empty() || lines.iter().any(|line| placeholder(line)) {
            faults.push(fault(
                format!("modules[{at}].io_contract.{name}"),
                "this dimension is empty or a placeholder",
            ));
        }
    }
}

fn reuse(at: usize, module: &PlanModule, faults: &mut Vec<PlanFault>) {
    let path = |member: &str| format!("modules[{at}].{member}");
    match module.reuse_decision {
        ReuseDecision::Reuse if module.reuse_candidate_refs.is_empty() => faults.push(fault(
            path("reuse_candidate_refs"),
            "REUSE names no shipped module",
        )),
        ReuseDecision::CreateNew if placeholder(&module.reuse_justification) => faults.push(fault(
            path("reuse_justification"),
            "say why nothing shipped can be reused",
        )),
        ReuseDecision::Reuse | ReuseDecision::CreateNew => {}
    }
}

fn placeholder(text: &str) -> bool {
    let text = text.trim().to_lowercase();
    let empty = [
        "",
        "tbd",
        "todo",
        "n/a",
        "na",
        "not applicable",
        "-",
        "...",
        "?",
    ];
    empty.contains(&text.as_str())
}

impl Plan {
    /// A module's dependencies inside the plan, as indices.
    pub fn inside(&self, at: usize) -> Vec<usize> {
        let index: BTreeMap<&ModuleId, usize> = self
            .modules
            .iter()
            .enumerate()
            .map(|(at, module)| (&module.module_id, at))
            .collect();
        let all = self.modules[at].depends_on.iter();
        all.filter_map(|one| index.get(&one.module).copied())
            .collect()
    }

    /// Topological order, by declaration where several are free. Shorter than the plan: a cycle.
    pub fn order(&self) -> Vec<usize> {
        let mut order = Vec::new();
        let inside: Vec<Vec<usize>> = (0..self.modules.len()).map(|at| self.inside(at)).collect();
        while let Some(next) = (0..self.modules.len())
            .find(|at| !order.contains(at) && inside[*at].iter().all(|one| order.contains(one)))
        {
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

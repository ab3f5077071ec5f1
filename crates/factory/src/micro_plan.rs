//! The micro plan (section 10) as a document: a task as modules small enough to prove, judged as a
//! whole. It refuses semantic judgement ("is this one behaviour?"): that is the challenger's.
//!
//! So `factory validate` and the state store know it. What the machine locks and follows, and in which
//! order, is `engineering::plan::Plan`.

use crate::deficiency::{Deficiency, Report};
use crate::findings::{all_said, at_least, id, module_ref, said};
use crate::ids;
use crate::schema::Judged;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};

/// A task as modules.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct MicroPlan {
    /// `MP-...`.
    #[schemars(extend("pattern" = r"^MP-[\w-]+$"))]
    pub micro_plan_id: String,
    /// `T-...@x.y.z`.
    pub parent_task_ref: String,
    /// At least one.
    #[schemars(length(min = 1))]
    pub modules: Vec<PlannedModule>,
}

/// One module of it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PlannedModule {
    /// `MM-...`.
    #[schemars(extend("pattern" = r"^MM-[\w-]+$"))]
    pub module_id: String,
    /// Its name.
    pub name: String,
    /// One behaviour in one sentence.
    pub purpose: String,
    /// The five dimensions.
    pub io_contract: IoContract,
    /// What it must handle.
    pub error_cases: Vec<String>,
    /// `MM-...@x.y.z` each: of this plan, or shipped before.
    pub depends_on: Vec<String>,
    /// What the Code Index had.
    #[serde(default)]
    pub reuse_candidate_refs: Vec<String>,
    /// Whether one of them does.
    pub reuse_decision: ReuseDecision,
    /// Why, or why not.
    pub reuse_justification: String,
}

/// The five dimensions in short texts.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct IoContract {
    /// Types and constraints.
    pub inputs: Vec<String>,
    /// Types and invariants.
    pub outputs: Vec<String>,
    /// Conditions and types or codes.
    pub error_surfaces: Vec<String>,
    /// Writes, calls, mutations; one item `none` if there are none.
    pub effects: Vec<String>,
    /// `sync` or `async`, each with what there is to know.
    pub modes: Vec<String>,
}

/// Make or reuse.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
#[allow(missing_docs)]
pub enum ReuseDecision {
    Reuse,
    CreateNew,
}

impl Judged for MicroPlan {
    fn judge(&self) -> Report {
        let mut found = Vec::new();
        let own = &self.micro_plan_id;
        id(&mut found, "$", "micro_plan_id", ids::MICRO_PLAN, own);
        if !ids::is_reference(ids::TASK, &self.parent_task_ref) {
            let message = "should be `T-...@x.y.z`";
            found.push(Deficiency::error(
                "bad_reference",
                "$",
                "parent_task_ref",
                message,
            ));
        }
        at_least(&mut found, "$", "modules", (1, self.modules.len()));
        let mut seen = BTreeSet::new();
        for (index, module) in self.modules.iter().enumerate() {
            let path = format!("$.modules[{index}]");
            module.judge(&path, &mut found);
            if !seen.insert(&module.module_id) {
                let message = format!("`{}` is there twice", module.module_id);
                found.push(Deficiency::error(
                    "duplicate_id",
                    path,
                    "module_id",
                    message,
                ));
            }
        }
        for circle in crate::spec::circles(&self.edges()) {
            let name = |index: &u32| self.modules[*index as usize].module_id.as_str();
            let mut names: Vec<&str> = circle.iter().map(name).collect();
            names.push(names[0]);
            let message = format!("modules wait for each other: {}", names.join(" -> "));
            let path = format!("$.modules[{}]", circle[0]);
            found.push(Deficiency::error("cycle", path, "depends_on", message));
        }
        found.into_iter().collect()
    }
}

impl PlannedModule {
    fn judge(&self, path: &str, found: &mut Vec<Deficiency>) {
        id(found, path, "module_id", ids::MODULE, &self.module_id);
        said(found, path, "name", &self.name);
        said(found, path, "purpose", &self.purpose);
        let inside = format!("{path}.io_contract");
        for (field, texts) in [
            ("inputs", &self.io_contract.inputs),
            ("outputs", &self.io_contract.outputs),
            ("error_surfaces", &self.io_contract.error_surfaces),
            ("effects", &self.io_contract.effects),
            ("modes", &self.io_contract.modes),
        ] {
            if texts.is_empty() {
                let message = "no dimension may be empty; write \"none\" where there is nothing";
                found.push(Deficiency::error(
                    "empty_dimension",
                    &inside,
                    field,
                    message,
                ));
            }
            all_said(found, &inside, field, texts);
        }
        for (index, mode) in self.io_contract.modes.iter().enumerate() {
            let mode = mode.trim_start().to_lowercase();
            if !mode.starts_with("sync") && !mode.starts_with("async") {
                let field = format!("modes[{index}]");
                let message = "should begin with `sync` or `async`";
                found.push(Deficiency::error("bad_mode", &inside, field, message));
            }
        }
        all_said(found, path, "error_cases", &self.error_cases);
        for (name, refs) in [
            ("depends_on", &self.depends_on),
            ("reuse_candidate_refs", &self.reuse_candidate_refs),
        ] {
            for (index, reference) in refs.iter().enumerate() {
                module_ref(found, path, &format!("{name}[{index}]"), reference);
            }
        }
        said(
            found,
            path,
            "reuse_justification",
            &self.reuse_justification,
        );
        if self.reuse_decision == ReuseDecision::Reuse && self.reuse_candidate_refs.is_empty() {
            let message = "to reuse a module, name it";
            found.push(Deficiency::error(
                "too_few",
                path,
                "reuse_candidate_refs",
                message,
            ));
        }
    }
}

impl MicroPlan {
    /// For each module, the places of those of this plan that it waits for. References to others
    /// are to shipped modules (section 10.2).
    fn edges(&self) -> Vec<Vec<u32>> {
        let mut places: BTreeMap<&str, u32> = BTreeMap::new();
        for (index, module) in self.modules.iter().enumerate() {
            places.entry(&module.module_id).or_insert(index as u32);
        }
        let inside = |reference: &String| {
            let id = reference.split('@').next()?;
            places.get(id).copied()
        };
        self.modules
            .iter()
            .map(|module| module.depends_on.iter().filter_map(inside).collect())
            .collect()
    }
}

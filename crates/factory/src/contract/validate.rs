//! What a contract must be beyond its shape: ids that are ids, dimensions that say something, names
//! that are there once.

use super::MicroModuleContract;
use crate::deficiency::{Deficiency, Report};
use crate::findings::{all_said, said};
use crate::ids;
use crate::schema::Judged;
use std::collections::BTreeSet;

impl Judged for MicroModuleContract {
    /// Sections 5.5, 10.1 and 11.1.
    fn judge(&self) -> Report {
        let mut found = Vec::new();
        self.identity(&mut found);
        self.dimensions(&mut found);
        for (index, dependency) in self.dependencies.iter().enumerate() {
            let path = format!("$.dependencies[{index}]");
            if !ids::is_ranged_reference(&dependency.reference) {
                let message = "should be `MM-...@range`";
                found.push(Deficiency::error("bad_reference", &path, "ref", message));
            }
            said(&mut found, &path, "why", &dependency.why);
        }
        for (index, reference) in self
            .compatibility
            .backward_compatible_with
            .iter()
            .enumerate()
        {
            if !ids::is_ranged_reference(reference) {
                let field = format!("backward_compatible_with[{index}]");
                let message = "should be `MM-...@range`";
                found.push(Deficiency::error(
                    "bad_reference",
                    "$.compatibility",
                    field,
                    message,
                ));
            }
        }
        for (field, value) in [
            ("latency_ms_p95", self.runtime_budgets.latency_ms_p95),
            ("memory_mb_max", self.runtime_budgets.memory_mb_max),
        ] {
            if value.is_some_and(|value| !(value.is_finite() && value >= 0.0)) {
                let message = "should be a number that is not negative";
                found.push(Deficiency::error(
                    "bad_number",
                    "$.runtime_budgets",
                    field,
                    message,
                ));
            }
        }
        found.into_iter().collect()
    }
}

impl MicroModuleContract {
    fn identity(&self, found: &mut Vec<Deficiency>) {
        if !ids::MODULE.accepts(&self.module_id) {
            let message = format!("should have the form {}", ids::MODULE);
            found.push(Deficiency::error("bad_id", "$", "module_id", message));
        }
        said(found, "$", "name", &self.name);
        said(found, "$", "purpose", &self.purpose);
    }

    fn dimensions(&self, found: &mut Vec<Deficiency>) {
        for (field, empty) in [
            ("inputs", self.inputs.is_empty()),
            ("outputs", self.outputs.is_empty()),
        ] {
            if empty {
                let message = "a module turns at least one input into at least one output";
                found.push(Deficiency::error("empty_dimension", "$", field, message));
            }
        }
        for (index, input) in self.inputs.iter().enumerate() {
            let path = format!("$.inputs[{index}]");
            said(found, &path, "name", &input.name);
            said(found, &path, "type", &input.type_);
            all_said(found, &path, "constraints", &input.constraints);
        }
        for (index, output) in self.outputs.iter().enumerate() {
            let path = format!("$.outputs[{index}]");
            said(found, &path, "name", &output.name);
            said(found, &path, "type", &output.type_);
            all_said(found, &path, "invariants", &output.invariants);
        }
        for (index, error) in self.error_surfaces.iter().enumerate() {
            let path = format!("$.error_surfaces[{index}]");
            said(found, &path, "name", &error.name);
            said(found, &path, "when", &error.when);
        }
        for (index, effect) in self.effects.iter().enumerate() {
            let path = format!("$.effects[{index}]");
            said(found, &path, "target", &effect.target);
            said(found, &path, "description", &effect.description);
        }
        all_said(found, "$", "error_cases", &self.error_cases);
        if !self.modes.sync && !self.modes.async_ {
            let message = "a module that is neither sync nor async can not be called";
            found.push(Deficiency::error("no_mode", "$", "modes", message));
        }
        once(found, "inputs", self.inputs.iter().map(|input| &input.name));
        once(
            found,
            "outputs",
            self.outputs.iter().map(|output| &output.name),
        );
        once(
            found,
            "error_surfaces",
            self.error_surfaces.iter().map(|error| &error.name),
        );
    }
}

fn once<'n>(found: &mut Vec<Deficiency>, field: &str, names: impl Iterator<Item = &'n String>) {
    let mut seen = BTreeSet::new();
    for (index, name) in names.enumerate() {
        if !seen.insert(name) {
            let message = format!("`{name}` is there twice");
            let path = format!("$.{field}[{index}]");
            found.push(Deficiency::error("duplicate_name", path, "name", message));
        }
    }
}

//! The `[snapshot]` table of a workflow file. It refuses names that are nowhere else in the file.

use super::Loader;
use crate::raw::{RawSnapshot, RawWorkflow};
use crate::snapshot::SnapshotSpec;
use kernel::StateName;

pub(super) fn snapshot(
    loader: &mut Loader<'_>,
    at: usize,
    raw: &RawSnapshot,
    workflow: &RawWorkflow,
) -> SnapshotSpec {
    let fields = workflow.task.iter().flat_map(|task| &task.field);
    let fields: Vec<&str> = fields.map(|field| field.get_ref().name.as_str()).collect();
    for name in raw.header.iter().chain([&raw.id]) {
        if !fields.contains(&name.as_str()) {
            let what = format!("[snapshot] names the field `{name}`, which is none");
            loader.problem(
                "unknown_field",
                at,
                what,
                "name one of the [[task.field]] entries",
            );
        }
    }
    let gates = raw.gates.iter().map(|gate| &gate.state);
    let states = raw.after.iter().chain(&raw.evidence).chain(gates);
    for state in states.chain(&raw.unknowns) {
        if !workflow.state.contains_key(state) {
            let what = format!("[snapshot] names the state `{state}`, which is none");
            loader.problem(
                "unknown_state",
                at,
                what,
                "add `[state.NAME]`, or correct the name",
            );
        }
    }
    loader.own_path(at, "folder", &raw.folder);
    loader.own_path(at, "latest", &raw.latest);
    let states = |names: &[String]| names.iter().map(StateName::new).collect();
    SnapshotSpec {
        folder: raw.folder.clone(),
        latest: raw.latest.clone(),
        id: raw.id.clone(),
        header: raw.header.clone(),
        gates: raw
            .gates
            .iter()
            .map(|gate| (gate.name.clone(), StateName::new(&gate.state)))
            .collect(),
        after: states(&raw.after),
        evidence: states(&raw.evidence),
        unknowns: raw.unknowns.as_ref().map(StateName::new),
        verdicts: raw.verdicts,
        rules: workflow.rules.0,
    }
}

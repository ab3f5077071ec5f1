//! A table in other people's notations. Exports are views: nothing reads them back.

mod diagram;
mod tla;

use crate::ids::StateName;
use crate::table::{Actor, Table, Target};
use serde::Serialize;
use std::collections::BTreeMap;

pub use diagram::{dot, mermaid};
pub use tla::{tla, tla_config, tla_module_name};

/// One transition as it is exported: concrete targets only, `return` spelled out.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Edge {
    pub action: String,
    /// Where it may start.
    pub from: Vec<StateName>,
    /// Where it leads.
    pub to: StateName,
    /// Who takes it.
    pub by: Actor,
}

#[derive(Serialize)]
struct Document<'a> {
    name: &'a str,
    initial: &'a StateName,
    states: Vec<&'a StateName>,
    transitions: Vec<Edge>,
}

/// Every transition with concrete targets, in table order; those with the same action, target and
/// actor are one edge with several origins.
pub fn edges(table: &Table) -> Vec<Edge> {
    let mut order: Vec<(String, StateName, Actor)> = Vec::new();
    let mut origins: BTreeMap<(String, StateName, Actor), Vec<StateName>> = BTreeMap::new();
    for transition in &table.transitions {
        for from in &transition.from {
            let targets = match &transition.to {
                Target::State(state) => vec![state.clone()],
                Target::Return => table.possible_returns(from),
            };
            for to in targets {
                let key = (transition.action.to_string(), to, transition.by);
                let from_states = origins.entry(key.clone()).or_default();
                if from_states.is_empty() {
                    order.push(key);
                }
                if !from_states.contains(from) {
                    from_states.push(from.clone());
                }
            }
        }
    }
    order
        .into_iter()
        .map(|key| Edge {
            from: origins.remove(&key).unwrap_or_default(),
            action: key.0,
            to: key.1,
            by: key.2,
        })
        .collect()
}

/// `{"name","initial","states":[..],"transitions":[{"action","from":[..],"to","by"}]}`.
pub fn json(table: &Table) -> String {
    let document = Document {
        name: &table.name,
        initial: &table.initial,
        states: table.states.keys().collect(),
        transitions: edges(table),
    };
    serde_json::to_string_pretty(&document).expect("names and lists of names always serialize")
}

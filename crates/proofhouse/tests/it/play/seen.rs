//! What a workflow has for people and gates, from its own table; and what a journal saw of it.

use crate::support::World;
use flow::{Workflow, built_in, load};
use kernel::effect::Weight;
use kernel::position::{Hold, STOP};
use kernel::table::{Actor, Completing, Stalling, State, Stepping, Table};
use kernel::{ActionName, CounterName, StateName};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};

pub(crate) fn workflow(name: &str) -> Workflow {
    let source = built_in(name).unwrap_or_else(|| panic!("no workflow `{name}`"));
    load(&source, &|_, _| Ok(())).unwrap_or_else(|error| panic!("{error}"))
}

/// The states whose gate can fail. An advisory check never fails one, and an empty gate has nothing
/// that could.
pub(crate) fn gates(workflow: &Workflow) -> BTreeSet<String> {
    let binds = |state: &&StateName| {
        let mut gate = workflow.states[*state].gate.iter();
        gate.any(|check| check.weight == Weight::Binding)
    };
    let states = workflow.table.states.keys().filter(binds);
    states.map(|state| state.as_str().to_owned()).collect()
}

/// Every word that only a person says: `STATE: ACTION` for the table's own, `HOLD: OPTION` for what
/// the engine asks by itself.
pub(crate) fn decisions(workflow: &Workflow) -> BTreeSet<String> {
    let table = &workflow.table;
    let ways = table.transitions.iter();
    let of_people = ways.filter(|way| way.by == Actor::Human);
    let mut all: BTreeSet<String> = of_people
        .flat_map(|way| {
            way.from
                .iter()
                .map(|from| said(from.as_str(), way.action.as_str()))
        })
        .collect();
    for hold in holds(table) {
        let options = hold.options().iter();
        all.extend(options.map(|option| said(hold.name(), option)));
    }
    all.insert(said("anywhere", STOP));
    all
}

/// The parts that are there, with `: ` between them.
fn told(check: &Value, code: &Value, what: &Value) -> String {
    let parts = [check, code, what];
    let parts: Vec<&str> = parts.into_iter().filter_map(Value::as_str).collect();
    parts.join(": ")
}

fn said(place: &str, word: &str) -> String {
    format!("{place}: {word}")
}

/// The holds that this table can come to.
fn holds(table: &Table) -> Vec<Hold> {
    let name = CounterName::from("passes");
    let mut holds = vec![Hold::Budget { name }, Hold::Trouble];
    let completes = |state: &&State| state.completing == Completing::Yes;
    if table.states.values().any(|state| completes(&state)) {
        let (action, to) = (ActionName::from("any"), table.initial.clone());
        holds.extend([Hold::Approval { action, to }, Hold::Risk]);
    }
    if table.stepping == Stepping::Held {
        holds.push(Hold::Step);
    }
    if table.stalling == Stalling::Halts {
        holds.push(Hold::Stall);
    }
    holds
}

/// What a journal saw.
#[derive(Default)]
pub(crate) struct Seen {
    /// People's words, as in [`decisions`].
    pub(crate) said: BTreeSet<String>,
    /// All actions, in order.
    pub(crate) actions: Vec<String>,
    /// How each gate of a state ended, in order.
    pub(crate) gates: BTreeMap<String, Vec<Verdict>>,
    /// Every refusal, every answer of a gate that is no pass, every attempt of which nothing was taken
    /// back: `CHECK: CODE: WHAT`.
    pub(crate) refusals: Vec<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Verdict {
    Passed,
    Failed,
}

impl Seen {
    pub(crate) fn of(world: &World) -> Self {
        let mut seen = Self::default();
        let mut hold = Value::Null;
        let mut states: BTreeMap<u64, String> = BTreeMap::new();
        let mut tried: BTreeSet<u64> = BTreeSet::new();
        for record in world.journal() {
            let body = &record["body"];
            match record["kind"].as_str().unwrap() {
                "effect_began.v1" => {
                    let state = body["state"].as_str().unwrap().to_owned();
                    let effect = body["effect"].as_u64().unwrap();
                    // Tried on what is there, before anybody has worked: no work failed.
                    if body["subject"] == kernel::event::WHAT_IS_THERE {
                        tried.insert(effect);
                    }
                    states.insert(effect, state);
                }
                "gate_ended.v1" if tried.contains(&body["effect"].as_u64().unwrap()) => {}
                "gate_ended.v1" => {
                    let results = body["results"].as_array().unwrap();
                    let failed = results.iter().filter(|result| result["verdict"] != "pass");
                    let told = failed
                        .map(|result| told(&result["check"], &result["code"], &result["reason"]));
                    seen.refusals.extend(told);
                    let binds = |result: &&Value| result["weight"] != "advisory";
                    let passed = results
                        .iter()
                        .filter(binds)
                        .all(|result| result["verdict"] == "pass");
                    let verdict = if passed {
                        Verdict::Passed
                    } else {
                        Verdict::Failed
                    };
                    let state = states[&body["effect"].as_u64().unwrap()].clone();
                    seen.gates.entry(state).or_default().push(verdict);
                }
                "attempt_ended.v1" if body["outcome"]["class"] != "done" => {
                    let outcome = &body["outcome"];
                    let refusal = told(&outcome["class"], &outcome["code"], &outcome["reason"]);
                    seen.refusals.push(refusal);
                }
                "refused.v1" => {
                    let refusal = &body["refusal"];
                    let refusal = told(&Value::Null, &refusal["code"], &refusal["what"]);
                    seen.refusals.push(refusal);
                }
                "moved.v1" => {
                    seen.moved(body, &hold);
                    hold = body["position"]["hold"].clone();
                }
                _ => {}
            }
        }
        seen
    }

    fn moved(&mut self, body: &Value, hold: &Value) {
        let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        let (action, from) = (text(&body["action"]), text(&body["from"]));
        if body["by"] == "human" {
            let held = serde_json::from_value::<Hold>(hold.clone()).ok();
            let held = held.filter(|hold| hold.options().contains(&action.as_str()));
            self.said.insert(match held {
                _ if action == STOP => said("anywhere", STOP),
                Some(hold) => said(hold.name(), &action),
                None => said(&from, &action),
            });
        }
        self.actions.push(action);
    }

    /// How often the state's gate failed.
    pub(crate) fn failures(&self, state: &str) -> usize {
        let verdicts = self.gates.get(state).into_iter().flatten();
        verdicts
            .filter(|verdict| **verdict == Verdict::Failed)
            .count()
    }
}

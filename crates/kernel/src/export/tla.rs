//! The table as a TLA+ module: the real guards, counters, holds and return slot as variables.
//!
//! It says what [`crate::position`] does, so TLC must count as many positions as our own
//! exploration; a test compares the two.

mod moves;
mod properties;
mod steps;
mod writer;

pub use properties::tla_config;

use crate::autonomy::Autonomy;
use crate::table::{Completing, Kind, Table};
use moves::transitions;
use properties::invariants;
use std::collections::BTreeMap;
use steps::{answers, engine_steps};
use writer::{Writer, any_of, identifier, quoted, set};

/// The module's name: `lights-out` becomes `LightsOut`.
pub fn tla_module_name(table: &Table) -> String {
    let mut name: String = table
        .name
        .split(|c: char| !c.is_ascii_alphanumeric())
        .map(|word| {
            let mut chars = word.chars();
            let first = chars.next().map(|c| c.to_ascii_uppercase());
            first.into_iter().chain(chars).collect::<String>()
        })
        .collect();
    if !name.starts_with(|c: char| c.is_ascii_alphabetic()) {
        name.insert(0, 'W');
    }
    if STANDARD_MODULES.contains(&name.as_str()) {
        name.push_str("Workflow");
    }
    name
}

/// A module of ours must not hide one of these from the model checker.
const STANDARD_MODULES: [&str; 10] = [
    "Bags",
    "FiniteSets",
    "Integers",
    "Json",
    "Naturals",
    "Randomization",
    "RealTime",
    "Reals",
    "Sequences",
    "TLC",
];

/// The whole module.
pub fn tla(table: &Table) -> String {
    let mut taken: Vec<String> = Vec::new();
    let mut counters = BTreeMap::new();
    for (name, counter) in &table.counters {
        let variable = identifier("count", name.as_str(), &taken);
        taken.push(variable.clone());
        counters.insert(name, (variable, counter.cap));
    }
    let mut w = Writer {
        table,
        text: String::new(),
        counters,
    };
    head(&mut w);
    let (mut onward, by_person) = transitions(&mut w);
    onward.extend(engine_steps(&mut w));
    onward.extend(answers(&mut w));
    w.action(
        "Stop",
        &[
            "~Over".to_owned(),
            "stopped' = TRUE".to_owned(),
            "hold' = \"none\"".to_owned(),
            w.unchanged_but(&["stopped", "hold"]),
        ],
    );
    w.action(
        "Finished",
        &["Over".to_owned(), "UNCHANGED vars".to_owned()],
    );
    any_of(&mut w, "Onward", &onward);
    any_of(&mut w, "ByPerson", &by_person);
    w.line("Next == Onward \\/ Stop \\/ Finished\n");
    w.line("Spec == Init /\\ [][Next]_vars\n");
    invariants(&mut w);
    w.line("====");
    w.text
}

fn head(w: &mut Writer<'_>) {
    let table = w.table;
    w.line(&format!("---- MODULE {} ----", tla_module_name(table)));
    w.line(&format!(
        "\\* The workflow `{}`, exported by Proofhouse.",
        table.name.escape_debug()
    ));
    w.line(
        "\\* Gate results and agents' requests are the world's: every outcome of them is possible.",
    );
    w.line("EXTENDS Naturals\n");
    let variables = w.all_variables().join(", ");
    w.line(&format!("VARIABLES {variables}\n"));
    w.line(&format!("vars == <<{variables}>>\n"));
    let (all, active) = (
        w.states(|_| true),
        w.states(|state| matches!(state.kind, Kind::Work | Kind::Gate)),
    );
    let work = w.states(|state| state.kind == Kind::Work);
    let ends = w.states(|state| state.kind == Kind::End);
    let completing = w.states(|state| state.completing == Completing::Yes);
    w.line(&format!("States == {all}"));
    w.line(&format!("ActiveStates == {active}"));
    w.line(&format!("WorkStates == {work}"));
    w.line(&format!("Ends == {ends}"));
    w.line(&format!("Completing == {completing}"));
    let mut holds: Vec<String> = [
        "none",
        "step",
        "stall",
        "risk",
        "trouble",
        "budget passes",
        "budget run",
    ]
    .iter()
    .map(|hold| (*hold).to_owned())
    .collect();
    holds.extend(
        table
            .counters
            .keys()
            .map(|counter| format!("budget {counter}")),
    );
    holds.extend(w.approvals().into_keys());
    w.line(&format!(
        "Holds == {}",
        set(holds.iter().map(String::as_str))
    ));
    let caps: Vec<String> = table
        .states
        .iter()
        .map(|(name, state)| format!("s = {} -> {}", quoted(name), state.passes))
        .collect();
    w.line(&format!(
        "PassCap(s) == CASE {} [] OTHER -> 1\n",
        caps.join(" [] ")
    ));
    w.line("Over == stopped \\/ state \\in Ends");
    w.line("Active == ~stopped /\\ hold = \"none\" /\\ state \\in ActiveStates\n");
    w.line("Init ==");
    w.line(&format!("    /\\ state = {}", quoted(&table.initial)));
    w.line("    /\\ slot = \"none\"\n    /\\ passes = 0\n    /\\ hold = \"none\"");
    w.line(&format!(
        "    /\\ autonomy \\in {}",
        set(Autonomy::ALL.iter().map(|rung| rung.as_str()))
    ));
    w.line(
        "    /\\ pace \\in {\"flowing\", \"stepped\"}\n    /\\ risk \\in {\"normal\", \"high\"}",
    );
    w.line("    /\\ stopped = FALSE");
    for (name, _) in w.counters.clone().into_values() {
        w.line(&format!("    /\\ {name} = 0"));
    }
    w.line("");
}

//! The run as people see it: its status, and the fields that the engine writes.

use super::activity::activity;
use super::decide::{means, options};
use super::record;
use super::state::{FlowState, Stage};
use super::words::{GATE_FAILED, NO_PROGRESS, hold_sentence};
use crate::workflow::{Fact, Field, Owner, Workflow};
use kernel::effect::Weight;
use kernel::machine::{Activity, Gauge, InFlight, Waiting};
use kernel::outcome::{Class, Verdict, passes};
use kernel::position::Hold;
use kernel::{StateName, Status};
use std::collections::BTreeMap;

/// The moves whose reason is the verdict of the state's last gate.
const GATE_SAID_SO: [&str; 2] = [GATE_FAILED, NO_PROGRESS];

fn waiting(workflow: &Workflow, run: &FlowState) -> Option<Waiting> {
    let (reason, mut why) = match &run.position.hold {
        Some(Hold::Trouble) => ("trouble".to_owned(), run.last_why.clone()),
        Some(hold @ Hold::Budget { name }) if run.gave_up_on(name.as_str()).is_some() => {
            let lines = run.gave_up_on(name.as_str()).unwrap_or_default();
            (hold.name().to_owned(), lines.join("\n"))
        }
        Some(hold @ (Hold::Budget { .. } | Hold::Stall)) => {
            let mut lines = vec![hold_sentence(hold)];
            lines.extend(led_to(run, hold));
            (hold.name().to_owned(), lines.join("\n"))
        }
        Some(hold) => {
            let why = format!("{}{}", run.too_weak(hold), hold_sentence(hold));
            (hold.name().to_owned(), why)
        }
        None => {
            let name = &run.position.state;
            let first = workflow.states[name].tells.as_ref();
            let first = first.and_then(|field| run.fields.get(field));
            let mut lines: Vec<String> = first
                .filter(|text| !text.is_empty())
                .cloned()
                .into_iter()
                .collect();
            lines.extend(noted(run));
            let checklist = workflow.states[name].checklist.iter();
            lines.extend(checklist.map(|line| format!("[ ] {line}")));
            for state in &workflow.states[name].settles {
                let said = run.objections.get(state);
                lines.extend(said.map(|what| format!("`{state}` objects: {what}")));
            }
            lines.extend(told(run, &workflow.states[name].about));
            let why = match lines.is_empty() {
                true => run.last_why.clone(),
                false => lines.join("\n"),
            };
            (name.to_string(), why)
        }
    };
    // Trouble of its own is told in `last_why`. This came while a person was being asked already, who
    // should not answer without knowing.
    if let (Stage::Stuck { why: stuck, .. }, false) = (&run.stage, reason == "trouble") {
        why = format!("{why}\nBut {stuck}; it is tried again after your answer");
    }
    (activity(workflow, run) == Activity::Waiting).then(|| Waiting {
        who: "human",
        reason,
        why,
        options: options(workflow, run),
        means: means(workflow, run),
    })
}

/// What the gate that led here noted without judging by it: the engine came because of that.
fn noted(run: &FlowState) -> Vec<String> {
    let left = run.position.slot.as_ref().filter(|_| run.gate_asks);
    let gate = left.and_then(|state| run.gates.get(state));
    let results = gate.into_iter().flat_map(|gate| &gate.results);
    let noted = results.filter(|result| {
        // What a field says was said by a person, who knows it.
        result.weight == Weight::Advisory
            && result.check != "fields"
            && result.verdict != Verdict::Pass
            && result.shows.iter().next().is_some()
    });
    noted
        .map(|result| format!("{}: {}", result.check, result.reason))
        .collect()
}

/// What happened right before the hold, a line each: whoever is to extend a budget wants to know what
/// the last try came to, not only that it was the last.
fn led_to(run: &FlowState, hold: &Hold) -> Vec<String> {
    let held = format!("; held: {}", hold_sentence(hold));
    let why = run.last_why.strip_suffix(&held).unwrap_or(&run.last_why);
    let gate = run.gates.get(&run.position.state);
    let failed = gate.filter(|gate| !gate.passed && GATE_SAID_SO.contains(&why));
    let failed = failed.iter().flat_map(|gate| &gate.results);
    let failed = failed.filter(|result| !passes(std::slice::from_ref(result)));
    let mut lines = vec![format!("Before that, in `{}`: {why}", run.position.state)];
    lines.extend(failed.map(|result| format!("- {}: {}", result.check, result.reason)));
    let attempt = run
        .outcome
        .iter()
        .filter(|ended| ended.class != Class::Done && !why.contains(&ended.reason));
    lines.extend(attempt.map(|ended| format!("- the last attempt: {}", ended.reason)));
    lines
}

/// What a person is told who is asked, a line each: what is wrong, what can be done, what is advised,
/// and what the agent says of it.
fn told(run: &FlowState, about: &str) -> Vec<String> {
    let one_line = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
    let mut lines: Vec<String> = run.memory.report.iter().cloned().collect();
    if !about.is_empty() {
        let head = if lines.is_empty() { "" } else { "Options: " };
        lines.push(format!("{head}{}", one_line(about)));
    }
    let advice = run.memory.advice.iter();
    lines.extend(advice.map(|advice| format!("Recommendation: {advice}")));
    if !run.said.is_empty() {
        lines.push(format!("The agent said: {}", one_line(&run.said)));
    }
    lines
}

pub(crate) fn status(workflow: &Workflow, run: &FlowState) -> Status {
    let mut budgets: BTreeMap<String, Gauge> = BTreeMap::new();
    for (name, budget) in run.ledger.budgets.iter() {
        budgets.insert(
            name.to_string(),
            Gauge {
                used: budget.used,
                cap: budget.cap,
            },
        );
    }
    for (name, counter) in &workflow.table.counters {
        let used = run.position.count(name).into();
        budgets.insert(
            name.to_string(),
            Gauge {
                used,
                cap: counter.cap.into(),
            },
        );
    }
    let state = workflow.table.state(&run.position.state);
    let (used, cap) = (run.position.passes.into(), state.passes.into());
    budgets.insert(kernel::position::PASSES.to_owned(), Gauge { used, cap });
    Status {
        run: run
            .started
            .as_ref()
            .map_or_else(|| kernel::RunId::from(""), |started| started.run.clone()),
        workflow: workflow.name.clone(),
        state: run.position.state.clone(),
        kind: state.kind,
        activity: activity(workflow, run),
        waiting_for: waiting(workflow, run),
        return_to: run.position.slot.clone(),
        autonomy: run.position.autonomy,
        mode: run.mode(),
        budgets,
        attempts: run.ledger.attempts.clone(),
        in_flight: InFlight::of(&run.ledger),
        last_refusal: run.last_refusal.clone(),
        refusal_stands: run.last_refusal.is_some() && !run.refusal_met,
        fields: run.fields.clone(),
    }
}

pub(crate) fn document(
    workflow: &Workflow,
    run: &FlowState,
    evidence_link: &str,
) -> Vec<(String, String)> {
    let fields = workflow.task.iter().flat_map(|task| &task.fields);
    fields
        .map(|field| {
            let value = match &field.owner {
                Owner::Author => run.fields.get(&field.name).cloned().unwrap_or_default(),
                Owner::Engine(fact) => engine_value(workflow, run, field, fact, evidence_link),
            };
            (field.name.clone(), value)
        })
        .collect()
}

fn engine_value(
    workflow: &Workflow,
    run: &FlowState,
    field: &Field,
    fact: &Fact,
    evidence_link: &str,
) -> String {
    let gate = |state: &StateName, since: u32| match run.gates.get(state) {
        Some(memo) if memo.moves >= since => {
            if memo.passed {
                "pass"
            } else {
                "fail"
            }
        }
        _ => "pending",
    };
    match fact {
        Fact::State => run.position.state.to_string(),
        Fact::Status => match activity(workflow, run) {
            Activity::Working => "working".to_owned(),
            Activity::Resting => "resting".to_owned(),
            Activity::Done => "done".to_owned(),
            Activity::Stopped => "stopped by a person".to_owned(),
            Activity::Waiting => {
                let waiting = waiting(workflow, run);
                waiting.map_or_else(
                    || "waiting".to_owned(),
                    |waiting| format!("waiting for a person ({})", waiting.reason),
                )
            }
        },
        Fact::Updated => run.updated.to_string(),
        Fact::EvidenceLink => evidence_link.to_owned(),
        Fact::Visited(state) => if run.visits.contains_key(state) {
            "yes"
        } else {
            "no"
        }
        .to_owned(),
        Fact::Gate(state) => gate(state, 0).to_owned(),
        Fact::GateAfter(state, other) => match run.visits.get(other) {
            Some(visit) => gate(state, *visit).to_owned(),
            None => "pending".to_owned(),
        },
        Fact::Run => {
            let started = run.started.as_ref();
            started.map_or_else(String::new, |started| started.run.to_string())
        }
        Fact::Created => run.created.to_string().chars().take(10).collect(),
        Fact::Opened => run.opened.get(&field.name).cloned().unwrap_or_default(),
        Fact::Autonomy => run.position.autonomy.to_string(),
        Fact::Risk => super::edited::risk_name(run.mode().risk).to_owned(),
        Fact::FrozenBy(state, action) => record::frozen_by(run, state, action),
        Fact::Left(states, what) => record::left(run, states, *what, field),
        Fact::Clear(state, code) => record::clear(run, state, code),
    }
}

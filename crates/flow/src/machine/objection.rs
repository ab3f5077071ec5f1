//! What a role says against the work: it holds the gate of its state, and nothing leads past it to
//! the end, until the role says otherwise in that state, a state that settles it was passed, or a
//! person led the run past it. It does not judge whether the role is right.

use super::finding::Open;
use super::state::FlowState;
use crate::verdict::{Hearing, People};
use crate::workflow::Workflow;
use kernel::effect::{CheckSpec, Weight};
use kernel::event::{Arrival, Moved};
use kernel::finding::Finding;
use kernel::outcome::{CheckResult, Verdict};
use kernel::table::{Actor, Guard, Kind, Target, Transition};
use kernel::{Decision, Outcome, StateName};
use serde_json::{Value, json};

/// The check that reads a role's result.
const CHECK: &str = "no_objection";

/// Severities with which a finding is a remark. Whatever else a finding calls itself, it blocks.
const HARMLESS: [&str; 9] = [
    "optional",
    "note",
    "minor",
    "low",
    "info",
    "informational",
    "nit",
    "trivial",
    "suggestion",
];

/// The check that the engine adds to the gate of every state in which a role works, unless the gate
/// has it anyway. Where what was said is heard before the end, it is told and holds nothing. Where
/// there is no gate at all, the machine reads the result itself ([`is_in`]).
pub(super) fn check(workflow: &Workflow, run: &FlowState) -> Option<CheckSpec> {
    let state = &run.position.state;
    let works = workflow.table.state(state).kind == Kind::Work;
    let reads = |check: &CheckSpec| {
        check.check == CHECK && check.weight == Weight::Binding && check.with["role"].is_null()
    };
    let own = &workflow.states[state].gate;
    let ungated = own.is_empty() && workflow.stall_check.is_none();
    if !works || ungated || own.iter().any(reads) {
        return None;
    }
    Some(CheckSpec {
        check: CHECK.to_owned(),
        with: json!({ "harmless": HARMLESS, "untyped": "passes" }),
        weight: match is_heard_later(workflow, run) {
            true => Weight::Advisory,
            false => Weight::Binding,
        },
        shows: None,
        code: None,
    })
}

/// Does this result say `fail`, or hold a finding that calls itself more than a remark?
pub(super) fn is_in(outcome: Option<&Outcome>) -> bool {
    let Some(result) = outcome.and_then(|outcome| outcome.result.as_ref()) else {
        return false;
    };
    let blocks = |finding: &Value| {
        if let Some(typed) = Finding::of(finding) {
            return typed.holds();
        }
        let severity = finding["severity"].as_str();
        severity
            .is_some_and(|severity| !HARMLESS.contains(&severity.trim().to_lowercase().as_str()))
    };
    let says_fail = |verdict: &str| verdict.trim().eq_ignore_ascii_case("fail");
    let findings = result["findings"].as_array();
    result["verdict"].as_str().is_some_and(says_fail)
        || findings.is_some_and(|findings| findings.iter().any(blocks))
}

/// The finding that this state's own role raised in an earlier attempt and has not settled, if there is
/// one and nobody later hears it.
pub(super) fn unsettled(workflow: &Workflow, run: &FlowState) -> Option<String> {
    let here = &run.position.state;
    let open = run.findings.open.iter();
    let open = open.filter(|(_, open)| open.raised_in == *here);
    let open: Vec<String> = open
        .map(|(id, open)| format!("{id} ({})", open.finding))
        .collect();
    let is_open = match open.as_slice() {
        [] => return None,
        [one] => format!("{one} is open"),
        more => format!("{} are open", more.join(", ")),
    };
    (!is_heard_later(workflow, run))
        .then(|| format!("{is_open}, and `settled` does not say what became of it"))
}

/// Do all ways that a passed gate opens here, or the one that was asked for, come back to this state
/// or to one that settles what is said in it?
fn is_heard_later(workflow: &Workflow, run: &FlowState) -> bool {
    let hearing = Hearing::of(workflow);
    let state = &run.position.state;
    let request = run.outcome.as_ref().and_then(|one| one.request.as_ref());
    let mut opened = workflow.table.leaving(state).filter(|(_, way)| {
        let asked = |to: &StateName| way.to == Target::State(to.clone());
        way.by != Actor::Human && way.when.contains(&Guard::GatePass) && request.is_none_or(asked)
    });
    let mut opened = std::iter::from_fn(|| opened.next().map(|(_, way)| way)).peekable();
    // People who read on are not bound to have read this, unless the workflow says so.
    opened.peek().is_some()
        && opened.all(|way| !hearing.way_leads_past(state, state, way, People::Counted))
}

/// What keeps this way shut, an objection or a finding that is open, with the state that raised it.
pub(super) fn holding(
    workflow: &Workflow,
    run: &FlowState,
    way: &Transition,
) -> Option<(StateName, String)> {
    let found = &run.findings.open;
    // Where an attempt was lost, nobody has judged anything: the state behind it is held instead.
    if (run.objections.is_empty() && found.is_empty()) || way.when.contains(&Guard::Lost) {
        return None;
    }
    let hearing = Hearing::of(workflow);
    let here = &run.position.state;
    let mut objections = run.objections.iter();
    let objection = objections.find(|(objecting, _)| {
        !hearing.settles(here, objecting) && hearing.way_gives_up(objecting, here, way)
    });
    if let Some((objecting, what)) = objection {
        return Some((objecting.clone(), what.clone()));
    }
    let mut found = found.iter();
    let (id, open) = found.find(|(_, open)| hearing.way_gives_up(&open.raised_in, here, way))?;
    Some((open.raised_in.clone(), format!("{id} {}", open.finding)))
}

impl FlowState {
    /// A gate has spoken: its role objects, or does not any more.
    pub(super) fn heard(&mut self, workflow: &Workflow, gate: &[CheckResult]) {
        let state = &self.position.state;
        if workflow.table.state(state).kind != Kind::Work {
            return;
        }
        let objects = |one: &&CheckResult| one.check == CHECK && one.verdict == Verdict::Fail;
        match gate.iter().find(objects) {
            Some(result) => {
                let what = result.reason.clone();
                self.objections.insert(state.clone(), what);
            }
            None => {
                self.objections.remove(state);
            }
        }
    }

    /// The run has entered another state: what the one before settles is settled, and what a person
    /// led it past is overruled.
    pub(super) fn overruled(
        &mut self,
        workflow: &Workflow,
        moved: &Moved,
        decision: Option<&Decision>,
    ) {
        let nothing = self.objections.is_empty() && self.findings.open.is_empty();
        if nothing || moved.arrival != Arrival::Entered {
            return;
        }
        let hearing = Hearing::of(workflow);
        let to = &moved.position.state;
        let by_person = decision.filter(|_| moved.by == Actor::Human);
        let mut overruled = Vec::new();
        self.objections.retain(|objecting, what| {
            if hearing.settles(&moved.from, objecting) {
                return false;
            }
            let Some(decision) = by_person else {
                return true;
            };
            let past = hearing.gives_up(objecting, to);
            if past {
                overruled.push(format!(
                    "{} overruled `{objecting}` with `{}`: {what}",
                    decision.who, decision.option
                ));
            }
            !past
        });
        let settled = |open: &Open| hearing.settles(&moved.from, &open.raised_in);
        self.findings.open.retain(|_, open| !settled(open));
        if let Some(decision) = by_person {
            let found = self.overruled_findings(workflow, moved);
            overruled.extend(found.into_iter().map(|(objecting, what)| {
                let (who, option) = (&decision.who, &decision.option);
                format!("{who} overruled `{objecting}` with `{option}`: {what}")
            }));
        }
        for text in overruled {
            self.note(text);
        }
    }
}

//! What happens next in a run: the one place.

use super::advance::advance;
use super::again::looks_again;
use super::edited;
use super::rewind;
use super::state::FlowState;
use super::wanted::wanted;
use crate::workflow::Workflow;
use kernel::effect::Effect;
use kernel::event::{Body, EffectBegan};
use kernel::opening::Begun;
use kernel::outcome::Verdict;
use kernel::position::{LOOK_AGAIN, Step, unknown_option};
use kernel::table::{Actor, Completing, Guard, Kind, Target, Transition};
use kernel::{CounterName, Decision, EffectId, Event, Input, Refusal, Time, What};
use std::collections::BTreeMap;

pub(crate) fn decide(
    workflow: &Workflow,
    run: &FlowState,
    input: &Input,
) -> Result<Vec<Event>, Refusal> {
    let event = |body| Event { at: input.at, body };
    if let (What::Edited { fields }, Some(_)) = (&input.what, &run.started) {
        let edited = edited::judged(workflow, run, fields);
        return Ok(vec![event(Body::FieldsEdited(edited))]);
    }
    let begun = Begun {
        workflow_hash: Some(&workflow.hash),
        started: run.started.as_ref(),
        ledger: &run.ledger,
        pending: run.decision.as_ref(),
    };
    if let Some(answer) = begun.answer(input) {
        return answer;
    }
    match &input.what {
        What::Advance => Ok(advance(workflow, run).map_or_else(Vec::new, |body| vec![event(body)])),
        What::Begin(effect) => begin(workflow, run, *effect).map(|body| vec![event(body)]),
        What::Decide(decision) if decision.option == LOOK_AGAIN && looks_again(workflow, run) => {
            Ok(vec![event(Body::Decided(decision.clone()))])
        }
        What::Decide(decision) if rewind::is_meant(decision) => {
            rewind::judged(workflow, run, decision)?;
            Ok(vec![event(Body::Decided(decision.clone()))])
        }
        What::Decide(decision) => {
            let step = Step::Answer(decision.option.clone());
            let known = workflow.table.step(&run.position, run.mode(), &step);
            known.map_err(|refusal| rebuffed(workflow, run, &decision.option, refusal))?;
            reasoned(workflow, run, decision, input.at)?;
            Ok(vec![event(Body::Decided(decision.clone()))])
        }
        What::Note(note) => Err(Refusal::new(
            "note_unknown",
            format!("a workflow knows no `{}`", note.name),
            "this is a fault of the engine; please report it",
        )),
        What::Start(_)
        | What::Open { .. }
        | What::TailCut { .. }
        | What::Edited { .. }
        | What::AttemptEnded { .. }
        | What::GateEnded { .. }
        | What::CheckpointEnded { .. }
        | What::Lost { .. } => {
            Ok(Vec::new()) // answered above, as by every machine
        }
    }
}

/// What the workflow itself says to an option that makes no sense here.
fn rebuffed(workflow: &Workflow, run: &FlowState, option: &str, refusal: Refusal) -> Refusal {
    let state = &run.position.state;
    let mut own = workflow.rebuffs.iter();
    let own = own.find(|own| {
        let is_it = match own.option.strip_suffix('*') {
            Some(begins) => option.starts_with(begins),
            None => own.option == option,
        };
        is_it && (own.states.is_empty() || own.states.contains(state))
    });
    // The table offers more than this run does: some answers wait for what a gate says.
    let known = workflow.table.options(&run.position, run.mode());
    let unknown = !run.position.is_over(&workflow.table) && !known.iter().any(|one| one == option);
    match own {
        Some(own) => own.refusal.clone(),
        None if unknown => unknown_option(option, &run.position, &options(workflow, run)),
        None => refusal,
    }
}

/// A person's way to complete is guarded like the engine's: declared risk wants a lower rung.
fn unguarded(workflow: &Workflow, run: &FlowState, way: &Transition) -> Option<Refusal> {
    let Target::State(to) = &way.to else {
        return None;
    };
    let completes = workflow.table.state(to).completing == Completing::Yes;
    let guarded = run.position.autonomy.completion(run.mode().risk);
    guarded.err().filter(|_| completes)
}

/// Whatever a person says: before the gate has spoken there is nothing to answer for, and some findings
/// are settled by work alone.
fn barred(workflow: &Workflow, run: &FlowState, index: usize) -> Option<Refusal> {
    let bars = &workflow.after[index].bars;
    let action = &workflow.table.transitions[index].action;
    let state = &run.position.state;
    let gate = run.gates.get(state);
    if let Some(code) = &bars.after_gate
        && gate.is_none_or(|gate| gate.moves != run.moves)
    {
        let what = format!("the gate of `{state}` has not spoken yet, so there is no `{action}`");
        return Some(Refusal::new(code, what, "let the run go on to its gate"));
    }
    if !bars.after_refused.is_empty() && !refused(run, &bars.after_refused) {
        let what = format!(
            "`{action}` answers a gate that refused the work as {}, and none has",
            bars.after_refused.join(" or ")
        );
        let mend = "`proofhouse inbox` shows what may be answered now";
        return Some(Refusal::new("nothing_refused", what, mend));
    }
    if let Some(code) = bars.unless_changed.as_ref().filter(|_| run.changed_code) {
        let what = format!("code was changed in this run, so there is no `{action}`");
        let mend = "let the run prove what it made, or `stop` it";
        return Some(Refusal::new(code, what, mend));
    }
    let (kinds, code) = bars.never_over.as_ref()?;
    let open = run.findings.open_of(kinds)?;
    let what = format!("`{action}` does not lead past {open}");
    let mend =
        "it is settled by work: send the run back, and whoever raised it says what became of it";
    Some(Refusal::new(code, what, mend))
}

/// Has a gate that did not pass since refused the work with one of these codes?
fn refused(run: &FlowState, codes: &[String]) -> bool {
    let shut = run.gates.values().filter(|gate| !gate.passed);
    let mut results = shut.flat_map(|gate| &gate.results);
    results.any(|result| {
        let code = result.code.as_ref();
        result.verdict == Verdict::Fail && code.is_some_and(|code| codes.contains(code))
    })
}

/// What a person may say now.
pub(super) fn options(workflow: &Workflow, run: &FlowState) -> Vec<String> {
    let table = &workflow.table;
    let mut options = table.options(&run.position, run.mode());
    options.retain(|option| {
        let mut ways = table.leaving(&run.position.state);
        let way = ways.find(|(_, way)| {
            way.by == Actor::Human
                && way.action.as_str() == option
                && table.possible(&run.position, run.mode(), way)
        });
        way.is_none_or(|(index, way)| {
            unguarded(workflow, run, way).is_none() && barred(workflow, run, index).is_none()
        })
    });
    if looks_again(workflow, run) {
        options.insert(options.len().saturating_sub(1), LOOK_AGAIN.to_owned());
    }
    options
}

/// What each of these answers does, in a line, and what its reason must say.
pub(super) fn means(workflow: &Workflow, run: &FlowState) -> BTreeMap<String, String> {
    let table = &workflow.table;
    let (at, mode) = (&run.position, run.mode());
    let of_way = |option: &str| {
        let mut ways = table.leaving(&at.state);
        let (index, way) = ways.find(|(_, way)| {
            way.by == Actor::Human && way.action.as_str() == option && table.possible(at, mode, way)
        })?;
        let to = match &way.to {
            Target::State(state) => Some(state),
            Target::Return => at.slot.as_ref(),
        };
        let after = &workflow.after[index];
        let mut text = match (after.about.as_str(), to) {
            ("", Some(to)) => format!("goes to `{to}`"),
            ("", None) => "goes back".to_owned(),
            (about, _) => about.to_owned(),
        };
        for counter in &way.count {
            let (used, cap) = (at.count(counter) + 1, table.cap(counter));
            text.push_str(&tries(counter, used, cap));
        }
        if let Some(needs) = &after.needs {
            let labels: Vec<String> = needs
                .labels
                .iter()
                .map(|one| format!("{one}: ..."))
                .collect();
            text.push_str(&match labels.is_empty() {
                true => "; needs a reason".to_owned(),
                false => format!("; the reason must say `{}`", labels.join("; ")),
            });
        }
        Some(text)
    };
    let options = options(workflow, run).into_iter();
    options
        .filter_map(|option| {
            let hold = at.hold.as_ref();
            let of_hold = || {
                let text = kernel::meaning::meaning(hold, &option)?;
                Some(text + &counted(workflow, run, &option))
            };
            let text = of_way(&option).or_else(of_hold)?;
            Some((option, text))
        })
        .collect()
}

/// How far a counter is then, in words: what its number means is how much is left until somebody is asked.
fn tries(counter: &CounterName, used: u32, cap: u32) -> String {
    match cap.saturating_sub(used) {
        0 => format!(
            "; that is the last of {cap} tries (`{counter}`): if it does not pass, a person is asked"
        ),
        left => {
            format!("; {left} of {cap} tries (`{counter}`) are left then, before a person is asked")
        }
    }
}

/// What it counts as that a person rejects: the way back is that of a gate that failed.
fn counted(workflow: &Workflow, run: &FlowState, option: &str) -> String {
    let (table, at) = (&workflow.table, &run.position);
    if option != "reject" {
        return String::new();
    }
    let back = table.leaving(&at.state).find(|(_, way)| {
        way.by == Actor::Engine
            && way.when.contains(&Guard::GateFail)
            && table.possible(at, run.mode(), way)
    });
    let counters = back.iter().flat_map(|(_, way)| &way.count);
    let text = counters.map(|counter| {
        let (used, cap) = (at.count(counter), table.cap(counter));
        match used < cap {
            true => tries(counter, used + 1, cap),
            false => format!(
                "; `{counter}` is used up ({used} of {cap}), so you are asked next whether to `extend` it"
            ),
        }
    });
    text.collect()
}

/// Does the person's reason hold what the decision needs?
fn reasoned(
    workflow: &Workflow,
    run: &FlowState,
    decision: &Decision,
    at: Time,
) -> Result<(), Refusal> {
    let table = &workflow.table;
    let mut ways = table.leaving(&run.position.state);
    let way = ways.find(|(_, way)| {
        way.by == Actor::Human
            && way.action.as_str() == decision.option
            && table.possible(&run.position, run.mode(), way)
    });
    let Some((index, way)) = way else {
        return Ok(());
    };
    let refused = barred(workflow, run, index).or_else(|| unguarded(workflow, run, way));
    if let Some(refusal) = refused {
        return Err(refusal);
    }
    let Some(needs) = workflow.after[index].needs.as_ref() else {
        return Ok(());
    };
    let missing: Vec<&str> = needs
        .labels
        .iter()
        .map(String::as_str)
        .filter(|label| !says(&decision.because, label))
        .collect();
    if missing.is_empty() && !decision.because.trim().is_empty() {
        if let Some(refusal) = unopened(workflow, run, index, decision) {
            return Err(refusal);
        }
        let over = |label: &&String| !is_ahead(&decision.because, label, at);
        return match needs.ahead.iter().find(over) {
            None => Ok(()),
            Some(label) => Err(Refusal::new(
                &needs.code,
                format!("`{label}` is no day that is still to come"),
                format!("say it as in `{label}: 2031-12-24`, a day that is not over yet"),
            )),
        };
    }
    let wanted: Vec<String> = needs
        .labels
        .iter()
        .map(|one| format!("{one}: ..."))
        .collect();
    let what = match missing.as_slice() {
        [] => format!("`{}` needs a reason", decision.option),
        missing => format!("`{}` lacks: {}", decision.option, missing.join(", ")),
    };
    let mend = match wanted.as_slice() {
        [] => "say why".to_owned(),
        wanted => format!("say it in the reason, as in `{}`", wanted.join("; ")),
    };
    Err(Refusal::new(&needs.code, what, mend))
}

/// What a person opens again is one file, and was frozen.
fn unopened(
    workflow: &Workflow,
    run: &FlowState,
    index: usize,
    decision: &Decision,
) -> Option<Refusal> {
    let opens = workflow.after[index].opens.as_ref()?;
    let named = opens.named(&decision.because).unwrap_or_default();
    let frozen = run.frozen.get(&opens.of).into_iter().flatten();
    let files: Vec<&str> = frozen
        .filter_map(|(item, _)| item.strip_prefix("repo/"))
        .filter(|path| !path.contains('#') && !path.ends_with('/'))
        .filter(|path| is_among(run, opens.among.as_deref(), path))
        .collect();
    if files.contains(&named.as_str()) {
        return None;
    }
    let some: Vec<&str> = files.iter().take(8).copied().collect();
    Some(Refusal::new(
        &opens.code,
        format!("`{named}` is no file that was frozen as `{}`", opens.of),
        format!(
            "name one, as in `{}: {}`; frozen are {}",
            opens.label,
            some.first().unwrap_or(&"FILE"),
            some.join(", ")
        ),
    ))
}

/// Do the globs of a field hold this path? Where it has none, everything is held.
fn is_among(run: &FlowState, field: Option<&str>, path: &str) -> bool {
    let text = field.and_then(|field| run.fields.get(field));
    let words = text.map_or("", String::as_str).split([',', ' ', '`', '\n']);
    let words = words.filter(|word| !word.is_empty());
    let globs: Vec<globset::GlobMatcher> = words
        .filter_map(|word| Some(globset::Glob::new(word).ok()?.compile_matcher()))
        .collect();
    globs.is_empty() || globs.iter().any(|glob| glob.is_match(path))
}

/// Does the text hold `label: value` (or `label=value`) with something behind it?
fn says(text: &str, label: &str) -> bool {
    !values(text, label).is_empty()
}

/// What stands behind each `label:` (or `label=`), in small letters.
fn values(text: &str, label: &str) -> Vec<String> {
    let lower = text.to_lowercase();
    let label = label.to_lowercase();
    let parts = lower.split([';', ',', '\n']).filter_map(|part| {
        let value = part.trim().strip_prefix(label.as_str())?.trim_start();
        let value = value.strip_prefix([':', '='])?.trim();
        value
            .chars()
            .any(char::is_alphanumeric)
            .then(|| value.to_owned())
    });
    parts.collect()
}

/// Is every day behind this label one that is not over yet?
fn is_ahead(text: &str, label: &str, at: Time) -> bool {
    values(text, label).iter().all(|value| {
        let day = value.split_whitespace().next().unwrap_or_default();
        Time::parse(&format!("{day}T23:59:59.999Z")).is_some_and(|end| end >= at)
    })
}

fn begin(workflow: &Workflow, run: &FlowState, effect: EffectId) -> Result<Body, Refusal> {
    let order = wanted(workflow, run)
        .into_iter()
        .find(|order| order.id() == effect);
    let Some(order) = order.filter(|_| !run.ledger.flying.contains_key(&effect)) else {
        return Err(Refusal::new(
            "effect_not_wanted",
            format!("effect {effect} is not wanted, or has begun before"),
            "ask `wanted` again",
        ));
    };
    let (role, wall_millis) = match &order {
        Effect::Attempt(attempt) => (attempt.role.clone(), attempt.wall_millis),
        Effect::Gate(gate) => (String::new(), gate.wall_millis),
        Effect::Checkpoint(_) => (String::new(), 0),
    };
    let works = workflow.table.state(&run.position.state).kind == Kind::Work;
    let first = works && run.tries_first() && matches!(order, Effect::Gate(_));
    Ok(Body::EffectBegan(EffectBegan {
        effect,
        kind: order.kind(),
        state: run.position.state.clone(),
        role,
        subject: match &order {
            Effect::Attempt(attempt) => attempt.subject.clone(),
            _ if first => kernel::event::WHAT_IS_THERE.to_owned(),
            _ => String::new(),
        },
        wall_millis,
    }))
}

//! Faults that a table can have although every line of it reads well. Cheap ones only, so that
//! loading stays instant; `proofhouse workflow check` explores the rest exhaustively.

use super::Loader;
use crate::raw::{RawCheck, RawCheckpoint, RawTransition, RawWorkflow};
use crate::verdict::{Hearing, People};
use kernel::explore;
use kernel::finding::FindingKind;
use kernel::table::{Actor, Guard, Kind, Renewal, Slot, Table, Target, Transition};
use kernel::{CounterName, StateName};
use std::collections::{BTreeMap, BTreeSet};

/// Words that the kernel answers to itself.
const RESERVED: [&str; 12] = [
    "again", "approve", "reject", "continue", "extend", "lower", "retry", "stop", "stall",
    "exhaust", "trouble", "hold",
];

pub(crate) fn lint(loader: &mut Loader<'_>, raw: &RawWorkflow, table: &Table) {
    names(loader, raw, table);
    if !loader.problems.is_empty() {
        return;
    }
    reachability(loader, raw, table);
    ways_out(loader, raw, table);
    loops(loader, raw, table);
    verdicts(loader, raw, table);
}

/// Every role can say `fail`, so wherever one works, that must be heard before the run is done.
fn verdicts(loader: &mut Loader<'_>, raw: &RawWorkflow, table: &Table) {
    let states = || raw.state.iter().map(|(name, state)| (name.as_str(), state));
    let done = states().filter(|(_, state)| state.get_ref().done);
    let settles = states().flat_map(|(name, state)| {
        let settled = state.get_ref().settles.list().into_iter();
        settled.map(move |settled| (name, settled))
    });
    let hearing = Hearing::new(table, done.map(|(name, _)| name), settles);
    for (name, _) in states().filter(|(_, state)| state.get_ref().kind == Kind::Work) {
        let here = StateName::from(name);
        for (index, way) in table.leaving(&here) {
            // Without a result nobody has said anything, and a person hears for themselves.
            let spoken = |guard: &Guard| !matches!(guard, Guard::Lost | Guard::Ended(_));
            if way.by == Actor::Human || !way.when.iter().all(spoken) {
                continue;
            }
            // The gate itself holds what needs it to pass, unless it is heard elsewhere.
            let held = way.when.contains(&Guard::GatePass) && !hearing.is_settled_elsewhere(&here);
            if !held && hearing.way_leads_past(&here, &here, way, People::Apart) {
                let what = format!(
                    "a `fail` of the role in `{name}` holds nothing: `{}` leads on to the end, and `{name}` is not asked again",
                    way.action
                );
                loader.problem(
                    "verdict_bypassed",
                    raw.transition[index].span().start,
                    what,
                    "need `gate.pass` there, lead back to that state, let a state on the way say `settles = \"STATE\"`, or give the end `completing = false`",
                );
            }
        }
    }
}

fn names(loader: &mut Loader<'_>, raw: &RawWorkflow, table: &Table) {
    if raw.name != loader.source.name {
        let what = format!(
            "the folder is `{}`, the name inside is `{}`",
            loader.source.name, raw.name
        );
        loader.problem("name_mismatch", 0, what, "make them the same");
    }
    if !table.states.contains_key(&table.initial) {
        let what = format!("the initial state `{}` does not exist", table.initial);
        loader.problem(
            "unknown_state",
            raw.initial.span().start,
            what,
            "name one of the [state.*] tables",
        );
    }
    for (name, state) in &raw.state {
        if matches!(name.as_str(), "return" | "none" | "from" | "clear") {
            let what = format!("`{name}` cannot be a state's name: it means something else");
            loader.problem(
                "reserved_name",
                state.span().start,
                what,
                "choose another name",
            );
        }
    }
    for (name, counter) in &raw.counter {
        let taken = kernel::budget::Budgets::is_known(name)
            || matches!(
                name.as_str(),
                kernel::position::PASSES | explore::RUN_BUDGET
            );
        if taken {
            let what = format!("`{name}` cannot be a counter's name: every run has that budget");
            loader.problem(
                "reserved_name",
                counter.span().start,
                what,
                "choose another name",
            );
        }
    }
    for (way, spanned) in table.transitions.iter().zip(&raw.transition) {
        transition_names(loader, spanned.span().start, way, table);
        extras(loader, spanned.span().start, way, spanned.get_ref(), raw);
    }
    told(loader, raw);
    let says = raw
        .task
        .iter()
        .filter_map(|task| task.request_says.as_deref());
    for action in raw.start_with.list().into_iter().chain(says) {
        let mut ways = table.transitions.iter();
        if !ways.any(|way| way.by == Actor::Human && way.action.as_str() == action) {
            let what = format!("a run begins with `{action}`, which is no human action");
            let mend = "name actions of transitions with `by = \"human\"`";
            loader.problem("unknown_action", 0, what, mend);
        }
    }
}

/// What states tell, and where refusals are said.
fn told(loader: &mut Loader<'_>, raw: &RawWorkflow) {
    let fields = || raw.task.iter().flat_map(|task| &task.field);
    for (name, state) in &raw.state {
        if let Some(tells) = &state.get_ref().tells
            && !fields().any(|field| field.get_ref().name == *tells)
        {
            let what = format!("state `{name}` tells `{tells}`, which is no field");
            let mend = "name one of the [[task.field]] entries";
            loader.problem("unknown_field", state.span().start, what, mend);
        }
        let settles = state.get_ref().settles.list();
        let works = |name: &&&str| {
            let named = raw.state.get(**name).map(|named| named.get_ref().kind);
            named == Some(Kind::Work)
        };
        if let Some(other) = settles.iter().find(|name| !works(name)) {
            let what = format!("state `{name}` settles `{other}`, where no role works");
            let mend = "name `kind = \"work\"` states";
            loader.problem("unknown_state", state.span().start, what, mend);
        }
    }
    for way in raw.transition.iter().filter(|way| way.get_ref().gate_first) {
        let to = raw.state.get(&way.get_ref().to).map(|to| to.get_ref());
        if !to.is_some_and(|to| to.kind == Kind::Work && !to.gate.is_empty()) {
            let (action, to) = (&way.get_ref().action, &way.get_ref().to);
            let what = format!(
                "`{action}` says `gate_first`, and `{to}` has no agent whose work its gate could spare"
            );
            let mend = "remove `gate_first`, or lead to a `work` state with a gate";
            loader.problem("needless_gate_first", way.span().start, what, mend);
        }
    }
    for refusal in &raw.refusal {
        let (at, refusal) = (refusal.span().start, refusal.get_ref());
        let states = refusal.states.list();
        if let Some(state) = states.iter().find(|state| !raw.state.contains_key(**state)) {
            let what = format!(
                "`{}` is refused in `{state}`, which does not exist",
                refusal.code
            );
            let mend = "add [state.NAME], or correct the name";
            loader.problem("unknown_state", at, what, mend);
        }
    }
}

/// Words that some check of the states can show, forgotten states, and what a revert needs.
fn extras(
    loader: &mut Loader<'_>,
    at: usize,
    way: &Transition,
    raw_way: &RawTransition,
    raw: &RawWorkflow,
) {
    /// What a check with controls shows by itself of a suite that would pass on other code.
    const SURVIVED: &str = "survived";
    /// And of one that leaves small mutants of which nobody says why.
    const UNANSWERED: &str = "unanswered";
    let action = &way.action;
    let shown = |state: &StateName, word: &str| {
        let gate = raw
            .state
            .get(state.as_str())
            .map(|state| &state.get_ref().gate);
        [crate::machine::REPEATED, crate::machine::UNPROVEN].contains(&word)
            || gate.into_iter().flatten().any(|check| match check {
                RawCheck::Name(_) => false,
                RawCheck::Settings(settings) => {
                    let says = |key: &str| settings.get(key).and_then(|value| value.as_str());
                    let controlled = match says("controls") {
                        Some("on" | "mutated") => word == SURVIVED,
                        Some("answered" | "mutated_and_answered") => {
                            word == SURVIVED || word == UNANSWERED
                        }
                        _ => false,
                    };
                    says("shows") == Some(word) || controlled
                }
            })
    };
    for guard in &way.when {
        if let Guard::Shows(word) = guard
            && let Some(from) = way.from.iter().find(|from| !shown(from, word.as_str()))
        {
            let what = format!("`{action}`: no check in the gate of `{from}` shows `{word}`");
            let mend = "give one of its checks `shows = \"WORD\"`, or correct the word";
            loader.problem("unknown_word", at, what, mend);
        }
    }
    for kind in raw_way.never_over.list() {
        if FindingKind::of(kind).is_none() || raw_way.never_over_code.is_none() {
            let what = format!("`{action}`: `never_over` names `{kind}`");
            let mend = "name kinds of findings (security, correctness, scope, cheat, concurrency, architecture, style), and the refusal's code in `never_over_code`";
            loader.problem("unknown_word", at, what, mend);
        }
    }
    let named_alone = raw_way.aside_named.is_some() && raw_way.sets_aside.is_none();
    if raw_way.sets_aside.is_some() != raw_way.back_to.is_some() || named_alone {
        let what = format!("`{action}`: `sets_aside` and `back_to` go together");
        let mend = "name the state whose work is set aside, and the one behind whose checkpoint the repository is then";
        loader.problem("half_set_aside", at, what, mend);
    }
    if let Some(opens) = &raw_way.opens
        && !raw_way.needs.list().contains(&opens.label.as_str())
    {
        let what = format!(
            "`{action}` opens what `{}:` names, and `needs` does not ask for it",
            opens.label
        );
        loader.problem(
            "unknown_word",
            at,
            what,
            "add the label to `needs`, with a `needs_code`",
        );
    }
    if let Some(label) = &raw_way.needs_there
        && !raw_way.needs.list().contains(&label.as_str())
    {
        let what =
            format!("`{action}`: `needs_there` names `{label}`, which `needs` does not ask for");
        let mend = "add the label to `needs`, with a `needs_code`";
        loader.problem("unknown_word", at, what, mend);
    }
    let aside = raw_way.sets_aside.iter().chain(&raw_way.back_to);
    for state in raw_way
        .forget
        .list()
        .into_iter()
        .chain(aside.map(String::as_str))
    {
        if !raw.state.contains_key(state) {
            let what = format!("`{action}` names the state `{state}`, which does not exist");
            loader.problem(
                "unknown_state",
                at,
                what,
                "add [state.NAME], or correct the name",
            );
        }
    }
    let reverts = raw_way.revert || raw_way.sets_aside.is_some();
    if reverts && raw.checkpoint == RawCheckpoint::Never {
        let what = format!("`{action}` reverts, and there are no checkpoints to go back to");
        let mend = "set `checkpoint = \"passed_gates\"`";
        loader.problem("revert_without_checkpoint", at, what, mend);
    }
}

fn transition_names(loader: &mut Loader<'_>, at: usize, way: &Transition, table: &Table) {
    let action = &way.action;
    // Where a person rejects, a workflow may say itself where the work goes.
    let own = action.as_str() == "reject" && way.by == Actor::Human;
    if RESERVED.contains(&action.as_str()) && !own {
        let what = format!("`{action}` cannot be an action's name: the kernel answers to it");
        loader.problem("reserved_name", at, what, "choose another name");
    }
    let mut states: Vec<&StateName> = way.from.iter().collect();
    if let Target::State(to) = &way.to {
        states.push(to);
    }
    if let Slot::Save(state) = &way.slot {
        states.push(state);
    }
    let mut counters: Vec<&CounterName> = way.count.iter().chain(&way.reset).collect();
    for guard in &way.when {
        match guard {
            Guard::ReturnIs(state) => states.push(state),
            Guard::Left(counter) | Guard::Spent(counter) => counters.push(counter),
            _ => {}
        }
    }
    for state in states {
        if !table.states.contains_key(state) {
            let what = format!("`{action}` names the state `{state}`, which does not exist");
            loader.problem(
                "unknown_state",
                at,
                what,
                "add [state.NAME], or correct the name",
            );
        }
    }
    for counter in counters {
        if !table.counters.contains_key(counter) {
            let what = format!("`{action}` names the counter `{counter}`, which does not exist");
            loader.problem(
                "unknown_counter",
                at,
                what,
                "add [counter.NAME] with `cap` and `renewal`",
            );
        }
    }
    for counter in &way.reset {
        if table
            .counters
            .get(counter)
            .is_some_and(|c| c.renewal != Renewal::OnPass)
        {
            let what = format!("`{action}` resets `{counter}`, whose renewal is not `on_pass`");
            loader.problem(
                "monotonic_counter",
                at,
                what,
                "remove the reset, or make the counter `renewal = \"on_pass\"`",
            );
        }
    }
    if way.from.is_empty() {
        loader.problem(
            "missing_from",
            at,
            format!("`{action}` starts nowhere"),
            "name at least one state in `from`",
        );
    }
}

fn reachability(loader: &mut Loader<'_>, raw: &RawWorkflow, table: &Table) {
    let mut reached = BTreeSet::from([table.initial.clone()]);
    let mut queue = vec![table.initial.clone()];
    while let Some(state) = queue.pop() {
        for (_, way) in table.leaving(&state) {
            let targets = match &way.to {
                Target::State(to) => vec![to.clone()],
                Target::Return => table.possible_returns(&state),
            };
            for to in targets {
                if reached.insert(to.clone()) {
                    queue.push(to);
                }
            }
        }
    }
    for (name, state) in &raw.state {
        if !reached.contains(name.as_str()) {
            let what = format!("no transition leads to the state `{name}`");
            loader.problem(
                "unreachable_state",
                state.span().start,
                what,
                "add a transition to it, or remove it",
            );
        }
    }
}

fn ways_out(loader: &mut Loader<'_>, raw: &RawWorkflow, table: &Table) {
    for (name, state) in &raw.state {
        let at = state.span().start;
        let kind = state.get_ref().kind;
        let here = StateName::new(name);
        let leaving: Vec<&Transition> = table.leaving(&here).map(|(_, way)| way).collect();
        let by_human = leaving.iter().filter(|way| way.by == Actor::Human).count();
        match kind {
            Kind::End if !leaving.is_empty() => {
                let what = format!("`{name}` is an end, and transitions leave it");
                loader.problem(
                    "end_with_way_out",
                    at,
                    what,
                    "make it `kind = \"rest\"` or `\"wait\"`, or remove them",
                );
            }
            Kind::End => {}
            Kind::Wait | Kind::Rest if by_human == 0 => {
                let what = format!("`{name}` waits for a person, and no person can leave it");
                loader.problem(
                    "dead_end",
                    at,
                    what,
                    "add a transition with `by = \"human\"`, or make it `kind = \"end\"`",
                );
            }
            Kind::Wait | Kind::Rest if by_human < leaving.len() => {
                let what =
                    format!("`{name}` waits for a person, but the engine or an agent leaves it");
                loader.problem(
                    "wait_left_by_engine",
                    at,
                    what,
                    "in `wait` and `rest` states only `by = \"human\"` makes sense",
                );
            }
            Kind::Wait | Kind::Rest => {}
            Kind::Work | Kind::Gate if leaving.is_empty() => {
                let what = format!("no transition leaves the state `{name}`");
                loader.problem("dead_end", at, what, "add one, or make it `kind = \"end\"`");
            }
            Kind::Work | Kind::Gate => {}
        }
    }
}

/// Without its counted and human transitions, the graph must have no cycle.
fn loops(loader: &mut Loader<'_>, raw: &RawWorkflow, table: &Table) {
    let mut on: BTreeMap<&StateName, Vec<(&StateName, usize)>> = BTreeMap::new();
    for (index, way) in table.transitions.iter().enumerate() {
        // A way back from a detour closes a loop only together with what began the detour, and one
        // that needs a spent counter only with what spent it: `workflow check` sees those exactly.
        let of_the_table = way
            .when
            .iter()
            .any(|guard| matches!(guard, Guard::ReturnIs(_) | Guard::Spent(_)));
        if way.by == Actor::Human || !way.count.is_empty() || of_the_table {
            continue;
        }
        if let Target::State(to) = &way.to {
            for from in &way.from {
                on.entry(from).or_default().push((to, index));
            }
        }
    }
    let mut done: BTreeSet<&StateName> = BTreeSet::new();
    for start in table.states.keys() {
        let mut path: Vec<&StateName> = Vec::new();
        if let Some((index, cycle)) = walk(start, &on, &mut path, &mut done) {
            let what = format!("the loop {cycle} has no budget");
            let at = raw.transition[index].span().start;
            loader.problem(
                "loop_without_budget",
                at,
                what,
                "give one of its transitions `count = \"COUNTER\"`",
            );
            return;
        }
    }
}

fn walk<'a>(
    here: &'a StateName,
    on: &BTreeMap<&'a StateName, Vec<(&'a StateName, usize)>>,
    path: &mut Vec<&'a StateName>,
    done: &mut BTreeSet<&'a StateName>,
) -> Option<(usize, String)> {
    if done.contains(here) {
        return None;
    }
    path.push(here);
    for (there, index) in on.get(here).into_iter().flatten() {
        if let Some(start) = path.iter().position(|state| state == there) {
            let names: Vec<&str> = path[start..].iter().map(|state| state.as_str()).collect();
            return Some((*index, format!("{} -> {there}", names.join(" -> "))));
        }
        if let Some(found) = walk(there, on, path, done) {
            return Some(found);
        }
    }
    path.pop();
    done.insert(here);
    None
}

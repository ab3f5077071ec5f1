//! A workflow drawn: its states on a line in the order in which a run first meets them. What leads to a state
//! over others comes in on one track, forward on the right and back on the left. It fits a telephone, and forty
//! states as well as four.

use super::html::breakable;
use super::live::{Live, Part, head};
use super::tracks::Column;
use kernel::StateName;
use kernel::table::{Actor, Guard, Kind, Table, Target, Transition};
use maud::{Markup, html};
use std::collections::{BTreeMap, BTreeSet};

/// A machine, and where runs are on it.
pub struct Drawn<'a> {
    pub table: &'a Table,
    /// The states that hold a run now, and which.
    pub here: BTreeMap<StateName, Vec<String>>,
    /// How often each was entered.
    pub been: BTreeMap<StateName, usize>,
}

const ROW: usize = 30;
const MARGIN: usize = 18;
/// The room for a name.
const NAME: usize = 250;

/// The section that shows it.
pub fn section(drawn: &Drawn<'_>) -> Markup {
    html! {
        section aria-labelledby="machine" {
            h2 #machine { "Where it stands" }
            (picture(drawn))
        }
    }
}

/// A workflow's own page.
pub fn page(name: &str, about: &str, drawn: &Drawn<'_>, address: &dyn Fn(&str) -> String) -> Live {
    let runs: BTreeSet<&String> = drawn.here.values().flatten().collect();
    let lead = html! {
        (about) " "
        @match runs.len() {
            0 => "No run is on it now.",
            1 => "One run is on it now.",
            many => (format!("{many} runs are on it now.")),
        }
    };
    let list = html! {
        section aria-labelledby="runs" {
            h2 #runs { "Runs on it" }
            @if runs.is_empty() { p.none { "None." } }
            ul.rows {
                @for (state, runs) in &drawn.here { @for run in runs {
                    li { a href=(address(run)) { (run) } " " span.quiet { "in " (state) } }
                } }
            }
        }
    };
    let ways = html! {
        section aria-labelledby="ways" {
            h2 #ways { "Every way" }
            div.scroll tabindex="0" role="group" aria-label="Transitions" {
                table.wide.ways {
                    thead { tr { th scope="col" { "From" } th scope="col" { "To" } th scope="col" { "Action" } th scope="col" { "By" } } }
                    tbody { @for way in &drawn.table.transitions { tr {
                        td { @for (at, from) in way.from.iter().enumerate() { @if at > 0 { ", " } (breakable(from.as_str())) } }
                        td { @match &way.to { Target::State(to) => (breakable(to.as_str())), Target::Return => "where it came from" } }
                        td { (breakable(way.action.as_str())) }
                        td { (way.by) }
                    } } }
                }
            }
        }
    };
    Live {
        title: format!("Workflow {name}"),
        parts: vec![
            head("workflow", name, &lead),
            Part::new("machine", section(drawn)),
            Part::new("runs", list),
            Part::new("transitions", ways),
        ],
    }
}

/// States in the order in which a run meets them that fails nothing, then the others as they can be reached,
/// and last the one where it all ends.
fn order(table: &Table) -> Vec<&StateName> {
    let kind = |state: &StateName| table.states.get(state).map(|state| state.kind);
    let mut order = vec![&table.initial];
    while let Some(next) = order.last().and_then(|at| forward(table, at, &order)) {
        order.push(next);
    }
    let ends: Vec<&StateName> = match order.last() {
        Some(last) if kind(last) == Some(Kind::End) => order.pop().into_iter().collect(),
        _ => Vec::new(),
    };
    let mut at = 0;
    while let Some(state) = order.get(at).copied() {
        for (_, way) in table.leaving(state) {
            if let Target::State(to) = &way.to
                && !order.contains(&to)
                && !ends.contains(&to)
            {
                order.push(to);
            }
        }
        at += 1;
    }
    let rest = table.states.keys();
    let rest: Vec<_> = rest
        .filter(|state| !order.contains(state) && !ends.contains(state))
        .collect();
    order.extend(rest);
    order.extend(ends);
    order
}

/// The way on when everything holds: what a passed gate opens before anything else, and a person's desk only
/// where there is no other.
fn forward<'a>(table: &'a Table, at: &'a StateName, been: &[&StateName]) -> Option<&'a StateName> {
    let ways = table.leaving(at).filter_map(|(_, way)| match &way.to {
        Target::State(to) if !been.contains(&to) => Some((way, to)),
        _ => None,
    });
    let ways = ways.filter(|(way, _)| {
        let bad = |guard: &Guard| {
            matches!(
                guard,
                Guard::GateFail | Guard::Lost | Guard::Ended(_) | Guard::Shows(_) | Guard::Spent(_)
            )
        };
        !way.when.iter().any(bad)
    });
    let rank = |(way, to): &(&Transition, &StateName)| {
        let waits = table
            .states
            .get(*to)
            .is_some_and(|state| state.kind == Kind::Wait);
        (
            waits,
            !way.when.contains(&Guard::GatePass),
            way.by == Actor::Human,
        )
    };
    ways.min_by_key(rank).map(|(_, to)| to)
}

fn picture(drawn: &Drawn<'_>) -> Markup {
    let order = order(drawn.table);
    let row: BTreeMap<&StateName, usize> = order
        .iter()
        .enumerate()
        .map(|(at, state)| (*state, at))
        .collect();
    let mut ways = BTreeSet::new();
    for way in &drawn.table.transitions {
        let Target::State(to) = &way.to else { continue };
        for from in way.from.iter().filter(|from| *from != to) {
            ways.insert((row[from], row[to]));
        }
    }
    let column = Column::of(&ways, (MARGIN, ROW));
    let (axis, names) = (column.axis, column.width + 8);
    let width = names + NAME;
    let y = |at: usize| column.y(at);
    let passed = |at: usize| drawn.been.contains_key(order[at]);
    let height = MARGIN * 2 + order.len().saturating_sub(1) * ROW;
    let now: Vec<&str> = drawn.here.keys().map(StateName::as_str).collect();
    let told = match now.as_slice() {
        [] => format!("The workflow {}", drawn.table.name),
        now => format!(
            "The workflow {}; now in {}",
            drawn.table.name,
            now.join(", ")
        ),
    };
    html! {
        div.drawn {
            svg.machine role="img" aria-label=(told) viewBox=(format!("0 0 {width} {height}")) {
                (column.lines(&|from, to| passed(from) && passed(to)))
                @for (at, state) in order.iter().enumerate() {
                    @let held = drawn.here.contains_key(*state);
                    @let been = drawn.been.get(*state).copied().unwrap_or_default();
                    @let kind = drawn.table.states.get(*state).map_or(Kind::Work, |state| state.kind);
                    g class=(format!("{} {} {}", kind.as_str(), if held { "here" } else { "" }, if been > 0 { "been" } else { "" })) {
                        @match kind {
                            Kind::Wait | Kind::Rest => rect x=(axis - 6) y=(y(at) - 6) width="12" height="12" rx="2" {},
                            _ => circle cx=(axis) cy=(y(at)) r="6" {},
                        }
                        text x=(names) y=(y(at) + 5) {
                            (state)
                            @if been > 1 { tspan.times { " \u{d7}" (been) } }
                            @if held { tspan.now { " \u{2190} now" } }
                        }
                    }
                }
            }
            p.note { "A circle is work or a gate, a square waits for a person. Lines on the left lead back." }
        }
    }
}

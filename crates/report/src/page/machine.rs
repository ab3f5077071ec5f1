//! A workflow drawn: its states on a line in the order in which a run first meets them. What leads to a state
//! over others comes in on one track, forward on the right and back on the left. It fits a telephone, and forty
//! states as well as four.

use super::live::{Live, Part, head};
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
/// Between the line and the first track, and between two tracks.
const TRACK: usize = 9;
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
            div.scroll tabindex="0" role="region" aria-label="Transitions" {
                table.wide {
                    thead { tr { th scope="col" { "From" } th scope="col" { "To" } th scope="col" { "Action" } th scope="col" { "By" } } }
                    tbody { @for way in &drawn.table.transitions { tr {
                        td { (way.from.iter().map(StateName::as_str).collect::<Vec<_>>().join(", ")) }
                        td { @match &way.to { Target::State(to) => (to), Target::Return => "where it came from" } }
                        td { (way.action) }
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
            Part::new("ways", ways),
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

/// All that leads to one state over others, from one side.
struct Track {
    to: usize,
    from: Vec<usize>,
    /// How far from the line it runs, counted from 0.
    place: usize,
}

impl Track {
    /// Short ones run near the line, and none over another.
    fn all(ways: &BTreeSet<(usize, usize)>, back: bool) -> Vec<Self> {
        let mut found: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
        let over = |(from, to): &&(usize, usize)| (to < from) == back && from + 1 != *to;
        for (from, to) in ways.iter().filter(over) {
            found.entry(*to).or_default().push(*from);
        }
        let ends = |to: usize, from: &[usize]| {
            let all = || from.iter().copied().chain([to]);
            (all().min().unwrap_or(to), all().max().unwrap_or(to))
        };
        let mut order: Vec<(usize, Vec<usize>)> = found.into_iter().collect();
        order.sort_by_key(|(to, from)| {
            let (first, last) = ends(*to, from);
            (last - first, *to)
        });
        let mut taken: Vec<Vec<(usize, usize)>> = Vec::new();
        let mut tracks = Vec::new();
        for (to, from) in order {
            let (first, last) = ends(to, &from);
            let free = |used: &Vec<(usize, usize)>| {
                used.iter()
                    .all(|(begins, ends)| last < *begins || first > *ends)
            };
            let place = taken.iter().position(free).unwrap_or(taken.len());
            if place == taken.len() {
                taken.push(Vec::new());
            }
            taken[place].push((first, last));
            tracks.push(Self { to, from, place });
        }
        tracks
    }
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
    let (back, on) = (Track::all(&ways, true), Track::all(&ways, false));
    let room = |tracks: &[Track]| {
        let most = tracks.iter().map(|track| track.place + 1).max();
        14 + most.unwrap_or(0) * TRACK
    };
    let axis = room(&back);
    let (names, width) = (axis + room(&on) + 8, axis + room(&on) + 8 + NAME);
    let y = |at: usize| MARGIN + at * ROW;
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
                @for (from, to) in ways.iter().filter(|(from, to)| from + 1 == *to) {
                    @let class = if passed(*from) && passed(*to) { "been" } else { "" };
                    path class=(class) d=(format!("M {axis} {} V {}", y(*from), y(*to) - 9)) {}
                    path class=(format!("{class} head")) d=(format!("M {axis} {} l -3.5 -6 h 7 z", y(*to) - 8)) {}
                }
                @for (track, leads_back) in back.iter().map(|one| (one, true)).chain(on.iter().map(|one| (one, false))) {
                    @let far = 14 + track.place * TRACK;
                    @let x = if leads_back { axis - far } else { axis + far };
                    @let beside = if leads_back { axis - 9 } else { axis + 9 };
                    @let side = if leads_back { "back" } else { "on" };
                    @let class = |from: usize| if passed(track.to) && passed(from) { "been" } else { "" };
                    @for from in &track.from {
                        path class=(format!("{side} {}", class(*from))) d=(format!("M {axis} {} H {x} V {} H {beside}", y(*from), y(track.to))) {}
                    }
                    @let been = track.from.iter().any(|from| !class(*from).is_empty());
                    path class=(format!("{} head", if been { "been" } else { "" })) d=(format!("M {beside} {} l {} -3.5 v 7 z", y(track.to), if leads_back { -6 } else { 6 })) {}
                }
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tracks_that_overlap_run_beside_each_other() {
        let ways = BTreeSet::from([(0, 1), (0, 3), (1, 3), (4, 6), (0, 6), (5, 2), (3, 2)]);
        let on = Track::all(&ways, false);
        let places: Vec<(usize, usize, usize)> = on
            .iter()
            .map(|track| (track.to, track.from.len(), track.place))
            .collect();
        assert_eq!(places, [(3, 2, 0), (6, 2, 1)]);
        let back = Track::all(&ways, true);
        assert_eq!(back.len(), 1);
        assert_eq!((back[0].to, back[0].from.as_slice()), (2, &[3, 5][..]));
        let apart = BTreeSet::from([(0, 2), (3, 5)]);
        assert!(
            Track::all(&apart, false)
                .iter()
                .all(|track| track.place == 0)
        );
    }
}

//! The first thing one sees: is it proven, and by what. It does not say "proven" unless the run
//! reached its end, the latest gate of every state passed, and something was executed on the way that
//! could have failed.

use super::html::{Tone, count, duration, pair, prose};
use crate::caught::Gravity;
use crate::evidence::Evidence;
use crate::gate::{Gate, latest};
use kernel::machine::Activity;
use kernel::outcome::Worth;
use maud::{Markup, html};

/// What the header says.
pub(super) struct Verdict {
    pub(super) headline: String,
    tone: Tone,
    /// What was caught, in a sentence; empty if nothing was.
    cheat: String,
    lead: String,
}

pub(super) fn of(data: &Evidence) -> Verdict {
    let latest = latest(&data.gates);
    let grounds = &data.grounds;
    let (proven, unproven) = (grounds.proven.len(), grounds.unproven.len());
    let shut = latest.iter().filter(|gate| !gate.passed).count();
    let gates = count(latest.len(), "gate");
    let so_far = match (latest.len(), shut) {
        (0, _) => "No gate has run yet, so nothing is proven.".to_owned(),
        (_, 0) => format!("So far the run has passed {gates}."),
        _ => format!("{shut} of {gates} did not pass when last tried."),
    };
    let repaired = match failed_before(data, &latest) {
        0 => String::new(),
        1 => " An earlier try of a gate did not pass; it is shown, too.".to_owned(),
        more => format!(" {more} earlier tries of gates did not pass; they are shown, too."),
    };
    // Whoever looks at one line should know that somebody tried.
    let mut cheats = grounds
        .caught
        .iter()
        .filter(|one| one.gravity == Gravity::Cheat);
    let cheat = match (cheats.next(), cheats.count()) {
        (None, _) => String::new(),
        (Some(first), 0) => format!("Caught: {}.", first.what),
        (Some(first), more) => format!("Caught: {}, and {more} more.", first.what),
    };
    let weak = match &grounds.worth {
        Some(standing) if standing.worth == Worth::Weak.as_str() => {
            format!(" The evidence is weak: {}.", standing.means)
        }
        _ => String::new(),
    };
    let verdict = |headline: &str, tone, lead| Verdict {
        headline: headline.to_owned(),
        tone,
        cheat,
        lead,
    };
    match data.activity {
        Activity::Done if proven > 0 && shut == 0 && unproven == 0 && !weak.is_empty() => verdict(
            "Done, weakly shown",
            Tone::Unsure,
            format!(
                "The run reached its end through {gates}. The engine itself executed {}, and kept \
                 what was printed.{repaired}{weak}",
                count(proven, "command")
            ),
        ),
        Activity::Done if proven > 0 && shut == 0 && unproven == 0 => verdict(
            "Proven",
            Tone::Good,
            format!(
                "The run reached its end through {gates}. The engine itself executed {} that could \
                 have failed, and kept what was printed.{repaired}{weak}",
                count(proven, "command")
            ),
        ),
        Activity::Done => verdict(
            "Done, not proven",
            Tone::Bad,
            match (proven, shut) {
                (0, _) => {
                    "The run reached its end, but nothing was executed on the way that could \
                           have failed."
                        .to_owned()
                }
                (_, 0) => format!(
                    "The run reached its end. {} proves nothing: see what was not proven.",
                    count(unproven, "check")
                ),
                _ => format!("The run reached its end. {so_far}"),
            },
        ),
        Activity::Stopped => verdict(
            "Stopped, not proven",
            Tone::Bad,
            format!("The run will not go on by itself. {so_far}"),
        ),
        Activity::Waiting => verdict(
            "Waiting for a person",
            Tone::Unsure,
            format!("Nothing moves until somebody answers. {so_far}"),
        ),
        Activity::Working | Activity::Resting => verdict(
            "Not proven yet",
            Tone::Plain,
            format!("The run has not ended. {so_far}"),
        ),
    }
}

/// How many tries of gates did not pass, and are not the last of their state.
fn failed_before(data: &Evidence, latest: &[&Gate]) -> usize {
    let failed = data.gates.iter().filter(|gate| !gate.passed).count();
    let shut = latest.iter().filter(|gate| !gate.passed).count();
    failed.saturating_sub(shut)
}

/// `3 of 3`, and how many tries failed before: without that it would read as if none had.
fn gates_passed(data: &Evidence) -> Markup {
    let latest = latest(&data.gates);
    let passed = latest.iter().filter(|gate| gate.passed).count();
    let tries = match failed_before(data, &latest) {
        0 => String::new(),
        1 => ", 1 try failed before".to_owned(),
        many => format!(", {many} tries failed before"),
    };
    html! {
        @if latest.is_empty() { "none" } @else {
            (passed) " " small { "of " (latest.len()) (tries) }
        }
    }
}

/// `ask` is where a waiting question is answered: nowhere, on a page of what was.
pub(super) fn header(data: &Evidence, ask: Option<&str>) -> Markup {
    let verdict = of(data);
    let objective = data.grounds.objective.trim();
    html! {
        header.top.(verdict.tone.class()) {
            p.mark { "Proofhouse " span { "evidence" } }
            p.run {
                (data.run) " \u{b7} " (data.workflow)
                @if let Some(left) = &data.forked { " \u{b7} left " (left.run) " at record " (left.seq) }
            }
            h1 { (verdict.headline) span aria-hidden="true" { "." } }
            @if !verdict.cheat.is_empty() {
                p.cheat { a href="#caught" { (verdict.cheat) } }
            }
            @if !objective.is_empty() { p.objective { (objective) } }
            p.lead { (verdict.lead) }
            @if let Some(waiting) = &data.waiting_for {
                p.lead.asks {
                    (prose(waiting.why.lines().next().unwrap_or_default()))
                    @if let Some(ask) = ask { " " a href=(ask) { "Answer" } }
                }
            }
            (facts(data))
        }
    }
}

/// The run in eight numbers, each a way to what it stands for.
fn facts(data: &Evidence) -> Markup {
    let grounds = &data.grounds;
    let spent = &grounds.spend;
    let files = grounds.change.as_ref().map(|change| change.changes.len());
    let age = grounds.last.since(grounds.began);
    let none = || html! { "none" };
    html! {
        dl.facts {
            (pair("State", &data.state))
            (pair("Files changed", match files {
                Some(files) => html! { a href="#change" { (files) } },
                None => html! { "not told" },
            }))
            (pair("Commands that prove", match grounds.proven.len() {
                0 => none(),
                proven => html! { a href="#proven" { (proven) } },
            }))
            (pair("Gates passed", gates_passed(data)))
            (pair("Attempts", spent.attempts))
            (pair("Agents' time", duration(spent.millis)))
            (pair("From start to last record", duration(age)))
            (pair("Spent", spent.money()))
        }
    }
}

//! The first thing one sees: is it proven, and by what. It refuses to say "proven" unless the run
//! reached its end, gates were run, and the latest one of every state passed with all its checks.

use super::gates::latest;
use super::html::{Tone, count, dollars, duration, grouped, pair, part};
use crate::evidence::Evidence;
use crate::gate::{Answer, Check, Gate};
use kernel::machine::Activity;
use maud::{Markup, html};

/// What the header says.
pub(super) struct Verdict {
    pub(super) headline: &'static str,
    tone: Tone,
    lead: String,
}

/// The checks that count; what is only noted neither proves nor disproves.
fn judged<'a>(gates: &'a [&Gate]) -> impl Iterator<Item = &'a Check> + Clone {
    let all = gates.iter().flat_map(|gate| &gate.checks);
    all.filter(|check| check.answer != Answer::Noted)
}

pub(super) fn of(data: &Evidence) -> Verdict {
    let latest = latest(data);
    let checks = judged(&latest);
    let ran = checks.clone().count();
    let failing = checks
        .filter(|check| check.answer != Answer::Passed)
        .count();
    let shut = latest.iter().filter(|gate| !gate.passed).count();
    let gates = count(latest.len(), "gate");
    let so_far = match (latest.len(), shut) {
        (0, _) => "No gate has run yet, so nothing is proven.".to_owned(),
        (_, 0) => format!("So far the run has passed {gates}."),
        _ => format!(
            "{shut} of {gates} did not pass when last tried: {} failed or could not run.",
            count(failing, "check")
        ),
    };
    let repaired = match data
        .gates
        .iter()
        .filter(|gate| !gate.passed)
        .count()
        .saturating_sub(shut)
    {
        0 => String::new(),
        1 => " An earlier try of a gate did not pass; it is shown, too.".to_owned(),
        more => format!(" {more} earlier tries of gates did not pass; they are shown, too."),
    };
    let verdict = |headline, tone, lead| Verdict {
        headline,
        tone,
        lead,
    };
    match data.activity {
        Activity::Done if ran > 0 && shut == 0 && failing == 0 => verdict(
            "Proven",
            Tone::Good,
            format!(
                "The run reached its end through {gates}. The engine itself ran {} and kept what \
                 they printed.{repaired}",
                count(ran, "check")
            ),
        ),
        Activity::Done => verdict(
            "Done, not proven",
            Tone::Bad,
            match ran {
                0 => "The run reached its end, but no check was run on the way.".to_owned(),
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
            format!("The run is at work. {so_far}"),
        ),
    }
}

pub(super) fn header(data: &Evidence) -> Markup {
    let verdict = of(data);
    html! {
        header.top.(verdict.tone.class()) {
            p.mark { "Proofhouse " span { "evidence" } }
            p.run { (data.run) }
            h1 { (verdict.headline) span aria-hidden="true" { "." } }
            p.lead { (verdict.lead) }
        }
    }
}

/// The run in eight numbers.
pub(super) fn facts(data: &Evidence) -> Markup {
    let latest = latest(data);
    let passed = latest.iter().filter(|gate| gate.passed).count();
    let checks = judged(&latest);
    let held = checks
        .clone()
        .filter(|check| check.answer == Answer::Passed);
    let of = |held: usize, all: usize| match all {
        0 => html! { "none" },
        _ => part(held, all),
    };
    let spent = crate::spend::summary(data.attempts.iter().map(|one| &one.note)).run;
    let tokens = spent
        .usage
        .input_tokens
        .saturating_add(spent.usage.output_tokens);
    html! {
        dl.facts {
            (pair("State", &data.state))
            (pair("Workflow", &data.workflow))
            (pair("Gates passed", of(passed, latest.len())))
            (pair("Checks passed", of(held.count(), checks.count())))
            (pair("Attempts", spent.attempts))
            (pair("Agents' time", duration(spent.millis)))
            (pair("Tokens", grouped(tokens)))
            (pair("Spent", dollars(spent.usage.micro_dollars)))
        }
    }
}

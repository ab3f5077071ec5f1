//! The first thing one sees: is it proven, and by what. It refuses to say "proven" unless the run
//! reached its end, gates were run, and the latest one of every state passed with all its checks.

use super::gates::latest;
use super::html::{Out, Tone, count, dollars, duration, esc, grouped};
use super::{Activity, Answer, CheckView, GateView, PageData};

/// What the header says.
pub(super) struct Verdict {
    pub(super) headline: &'static str,
    pub(super) tone: Tone,
    pub(super) lead: String,
}

/// The checks that count; what is only noted neither proves nor disproves.
fn judged<'a>(gates: &'a [&GateView]) -> impl Iterator<Item = &'a CheckView> + Clone {
    let all = gates.iter().flat_map(|gate| &gate.results);
    all.filter(|check| check.verdict != Answer::Noted)
}

pub(super) fn of(data: &PageData) -> Verdict {
    let latest = latest(data);
    let checks = judged(&latest);
    let ran = checks.clone().count();
    let failing = checks
        .filter(|check| check.verdict != Answer::Passed)
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
        Activity::Working => verdict(
            "Not proven yet",
            Tone::Plain,
            format!("The run is at work. {so_far}"),
        ),
    }
}

pub(super) fn header(out: &mut Out, data: &PageData) {
    let verdict = of(data);
    out.raw(&format!(
        "<header class=\"top {tone}\">\n<p class=\"mark\">Proofhouse <span>evidence</span></p>\n\
         <p class=\"run\">{run}</p>\n<h1>{headline}<span aria-hidden=\"true\">.</span></h1>\n\
         <p class=\"lead\">{lead}</p>\n</header>\n",
        tone = verdict.tone.class(),
        run = esc(&data.run),
        headline = verdict.headline,
        lead = verdict.lead,
    ));
}

/// The run in eight numbers.
pub(super) fn facts(out: &mut Out, data: &PageData) {
    out.raw("<dl class=\"facts\">\n");
    let latest = latest(data);
    let passed = latest.iter().filter(|gate| gate.passed).count();
    let checks = judged(&latest);
    let held = checks
        .clone()
        .filter(|check| check.verdict == Answer::Passed);
    let held = held.count();
    let of = |part: usize, all: usize| match all {
        0 => "none".to_owned(),
        _ => format!("{part} <small>of {all}</small>"),
    };
    out.pair("State", &esc(&data.state));
    out.pair("Workflow", &esc(&data.workflow));
    out.pair("Gates passed", &of(passed, latest.len()));
    out.pair("Checks passed", &of(held, checks.count()));
    let sum = |of: fn(&super::AttemptView) -> u64| {
        data.attempts
            .iter()
            .map(of)
            .fold(0u64, |sum, value| sum.saturating_add(value))
    };
    out.pair("Attempts", &data.attempts.len().to_string());
    out.pair("Agents' time", &duration(sum(|attempt| attempt.millis)));
    out.pair("Tokens", &grouped(sum(|attempt| attempt.tokens)));
    out.pair("Spent", &dollars(sum(|attempt| attempt.micro_dollars)));
    out.raw("</dl>\n");
}

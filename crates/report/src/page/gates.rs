//! The gates: every check that the engine ran, its command, its exit and what was kept.

use super::html::{Tone, chip, count, duration, links, paragraph, short, time};
use crate::attempt::Attempt;
use crate::evidence::{Evidence, Link};
use crate::gate::{Answer, Check, Gate, NOT_YET, latest};
use crate::proof::Proof;
use maud::{Markup, html};

pub(super) fn section(data: &Evidence) -> Markup {
    html! {
        section aria-labelledby="gates" {
            h2 #gates { "Gates" }
            @if data.gates.is_empty() {
                p.none { "No gate has run. Not run is not passed." }
            } @else {
                p.note {
                    "A gate opens only if all of its checks pass. The engine runs them; no agent can \
                     fill in an answer."
                }
            }
            @for gate in latest(&data.gates) { (with_history(data, gate)) }
        }
    }
}

fn with_history(data: &Evidence, gate: &Gate) -> Markup {
    let other = |other: &&Gate| other.state == gate.state && !std::ptr::eq(*other, gate);
    let older: Vec<&Gate> = data.gates.iter().filter(other).collect();
    let tries = match older.len() {
        1 => "1 earlier try".to_owned(),
        more => format!("{more} earlier tries"),
    };
    html! {
        article.gate id=(format!("e-{}", gate.effect)) {
            header { h3 { (gate.state) } (outcome(gate)) }
            (judges(data, gate))
            (checks(gate))
            @if !older.is_empty() {
                details {
                    summary { (tries) " of this gate" }
                    @for gate in older {
                        header id=(format!("e-{}", gate.effect)) { h4 { (gate.state) } (outcome(gate)) }
                        (judges(data, gate))
                        (checks(gate))
                    }
                }
            }
        }
    }
}

/// Whose work a gate judges: the last attempt of its state before it.
fn judges(data: &Evidence, gate: &Gate) -> Markup {
    let before =
        |one: &&Attempt| one.note.effect < gate.effect && one.note.state.as_str() == gate.state;
    let attempt = data.attempts.iter().rfind(before);
    html! {
        @if let Some(attempt) = attempt {
            p.facts-line {
                span {
                    "judges "
                    a href=(format!("#e-{}", attempt.note.effect)) {
                        "attempt " (attempt.note.effect) " by the " (attempt.note.role)
                    }
                } " "
                span { (duration(gate.millis)) }
            }
        }
    }
}

fn outcome(gate: &Gate) -> Markup {
    let (tone, words) = match gate.passed {
        true => (Tone::Good, "passed"),
        false if gate.is_not_yet() => (Tone::Plain, NOT_YET),
        false => (Tone::Bad, "did not pass"),
    };
    html! { " " (chip(tone, words)) " " span.when { (time(gate.at)) } }
}

fn checks(gate: &Gate) -> Markup {
    html! {
        @if gate.checks.is_empty() {
            p.none { "This gate has no checks." }
        } @else {
            @let (quiet, told): (Vec<&Check>, Vec<&Check>) = gate.checks.iter().partition(|one| is_quiet(one));
            ul.checks { @for one in told { (check(one)) } }
            @if !quiet.is_empty() {
                details.looked {
                    summary { (count(quiet.len(), "check")) " that looked at files and records" }
                    ul.checks { @for one in quiet { (check(one)) } }
                }
            }
        }
    }
}

/// Nothing was executed for it, and no gate failed by it.
fn is_quiet(check: &Check) -> bool {
    let harmless = matches!(check.answer, Answer::Passed | Answer::Noted);
    let silent = check.refused.is_empty() && check.worth.is_empty();
    harmless && check.proof == Proof::Looked && silent
}

fn check(check: &Check) -> Markup {
    let (tone, words) = match check.answer {
        Answer::Passed if check.proof == Proof::Nothing => (Tone::Unsure, "passed, proves nothing"),
        Answer::Passed if check.worth == "observed" => (Tone::Good, "pass, observed"),
        Answer::Passed if check.worth == "weak" => (Tone::Unsure, "pass, weak"),
        Answer::Passed if check.worth == "reported" => (Tone::Good, "pass, reported"),
        Answer::Passed if check.proof == Proof::Before => (Tone::Plain, "ran, before the work"),
        Answer::Passed if check.proof == Proof::Said => (Tone::Plain, "a role's word"),
        Answer::Passed => (Tone::Good, "pass"),
        Answer::Failed | Answer::Noted if check.not_yet => (Tone::Plain, NOT_YET),
        Answer::Failed => (Tone::Bad, "fail"),
        Answer::CouldNotRun => (Tone::Unsure, "could not run"),
        Answer::Noted => (Tone::Plain, "noted, not judged"),
    };
    let files: Vec<Link> = check
        .evidence
        .iter()
        .filter(|piece| !piece.sealed)
        .map(Link::beside)
        .collect();
    html! {
        li.(tone.class()) {
            p.check { code { (check.check) } " " (chip(tone, words)) }
            (paragraph("reason", &check.reason))
            @if !check.empty.is_empty() { (paragraph("reason", &check.empty)) }
            (paragraph("refused", &check.refused))
            @if !check.failure.is_empty() {
                pre.failure tabindex="0" aria-label="Why it failed" { code { (check.failure) } }
            }
            // Only what was run has a command, a time, an exit and a tree.
            @if !check.argv.is_empty() {
                pre.command tabindex="0" aria-label="Command" { code { (as_typed(&check.argv)) } }
                p.facts-line {
                    @if let Some(exit) = check.exit { span { "exit " (exit) } " " }
                    span { (duration(check.millis)) } " "
                    @if !check.tree.is_empty() { span title="The hash of all files as it judged them" { "on the files " (short(&check.tree)) } }
                }
            }
            (links(&files, "Evidence"))
        }
    }
}

/// The command as one would type it: arguments with anything special are quoted.
fn as_typed(argv: &[String]) -> String {
    let simple = |c: char| c.is_ascii_alphanumeric() || "-_./=:,+@%".contains(c);
    let typed: Vec<String> = argv
        .iter()
        .map(|word| match !word.is_empty() && word.chars().all(simple) {
            true => word.clone(),
            false => format!("'{}'", word.replace('\'', "'\\''")),
        })
        .collect();
    typed.join(" ")
}

//! The gates: every check that the engine ran, its command, its exit and what was kept.

use super::html::{Tone, chip, duration, links, paragraph, short, time};
use crate::evidence::{Evidence, Link};
use crate::gate::{Answer, Check, Gate};
use maud::{Markup, html};

/// The latest gate of every state: the first that the data names for it.
pub(super) fn latest(data: &Evidence) -> Vec<&Gate> {
    let mut latest: Vec<&Gate> = Vec::new();
    for gate in &data.gates {
        if latest.iter().all(|seen| seen.state != gate.state) {
            latest.push(gate);
        }
    }
    latest
}

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
            @for gate in latest(data) { (with_history(data, gate)) }
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
        article.gate {
            header { h3 { (gate.state) } (outcome(gate)) }
            (checks(gate))
            @if !older.is_empty() {
                details {
                    summary { (tries) " of this gate" }
                    @for gate in older {
                        header { h4 { (gate.state) } (outcome(gate)) }
                        (checks(gate))
                    }
                }
            }
        }
    }
}

fn outcome(gate: &Gate) -> Markup {
    let (tone, words) = match gate.passed {
        true => (Tone::Good, "passed"),
        false => (Tone::Bad, "did not pass"),
    };
    html! { " " (chip(tone, words)) " " span.when { (time(gate.at)) } }
}

fn checks(gate: &Gate) -> Markup {
    html! {
        @if gate.checks.is_empty() {
            p.none { "This gate has no checks." }
        } @else {
            ul.checks { @for one in &gate.checks { (check(one)) } }
        }
    }
}

fn check(check: &Check) -> Markup {
    let (tone, words) = match check.answer {
        Answer::Passed => (Tone::Good, "pass"),
        Answer::Failed => (Tone::Bad, "fail"),
        Answer::CouldNotRun => (Tone::Unsure, "could not run"),
        Answer::Noted => (Tone::Plain, "did not hold, not judged"),
    };
    let files: Vec<Link> = check.evidence.iter().map(Link::beside).collect();
    html! {
        li.(tone.class()) {
            p.check { code { (check.check) } " " (chip(tone, words)) }
            (paragraph("reason", &check.reason))
            (paragraph("refused", &check.refused))
            // Only what was run has a command, a time, an exit and a tree.
            @if !check.argv.is_empty() {
                pre.command tabindex="0" aria-label="Command" { code { (as_typed(&check.argv)) } }
                p.facts-line {
                    @if let Some(exit) = check.exit { span { "exit " (exit) } " " }
                    span { (duration(check.millis)) } " "
                    @if !check.tree.is_empty() { span { "tree " (short(&check.tree)) } }
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

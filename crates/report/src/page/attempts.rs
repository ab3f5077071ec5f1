//! What agents did, in order, and what the run left behind.

use super::html::{Tone, bytes, chip, count, duration, grouped, href, links, paragraph};
use crate::attempt::Attempt;
use crate::evidence::{Evidence, Link};
use crate::gate::Gate;
use crate::repeats::Repeats;
use crate::spend::dollars;
use crate::transcript::TurnKind;
use maud::{Markup, html};

pub(super) fn section(data: &Evidence) -> Markup {
    html! {
        section aria-labelledby="attempts" {
            h2 #attempts { "Attempts" }
            @if data.attempts.is_empty() {
                p.none { "No agent has worked yet." }
            } @else {
                p.note {
                    "Every time an agent worked, in order. What it says of itself proves nothing; \
                     the gates above do."
                }
                @let mut repeats = Repeats::default();
                ol.timeline { @for one in &data.attempts { (attempt(data, one, &mut repeats)) } }
            }
        }
    }
}

fn attempt(data: &Evidence, one: &Attempt, repeats: &mut Repeats) -> Markup {
    let note = &one.note;
    let said = repeats.hear(note.effect, &note.ended, &one.said);
    // Never the sign of a passed check: that an agent says it is done proves nothing.
    let tone = match note.ended.as_str() {
        "" | "running" | "done" => Tone::Plain,
        "could_not_run" | "lost" => Tone::Unsure,
        _ => Tone::Bad,
    };
    let ended = match note.ended.as_str() {
        "" => "running".to_owned(),
        ended => ended.replace('_', " "),
    };
    let tokens = note.usage.input_tokens + note.usage.output_tokens;
    let files: Vec<Link> = one
        .evidence
        .iter()
        .filter(|piece| !piece.sealed)
        .map(Link::beside)
        .collect();
    html! {
        li.(tone.class()).ended[note.ended == "done"] id=(format!("e-{}", note.effect)) {
            h3 { (note.role) " " span { "in " (note.state) } } " " (chip(tone, &ended))
            (paragraph("reason", &said))
            (paragraph("refused", &one.refused))
            p.facts-line {
                span { "attempt " (note.effect) } " "
                @if !one.agent.is_empty() {
                    span { (one.agent) @if let Some(model) = &one.model { " " code { (model) } } } " "
                }
                span { (duration(note.millis)) } " "
                @if tokens > 0 { span { (grouped(tokens)) " tokens" } " " }
                @if note.usage.micro_dollars > 0 { span { (dollars(note.usage.micro_dollars)) } }
            }
            (judged(data, one))
            @if !one.changed.is_empty() {
                p.facts-line { span { "changed " (one.changed.join(", ")) } }
            }
            (turns(one))
            (links(&files, "Evidence"))
        }
    }
}

/// The gate that judged it: the first of its state after it.
fn judged(data: &Evidence, one: &Attempt) -> Markup {
    let after =
        |gate: &&Gate| gate.effect > one.note.effect && gate.state == one.note.state.as_str();
    let next = |other: &&Attempt| {
        other.note.effect > one.note.effect && other.note.state == one.note.state
    };
    let next = data
        .attempts
        .iter()
        .find(next)
        .map(|other| other.note.effect);
    // Newest first.
    let gate = data.gates.iter().rfind(after);
    let gate = gate.filter(|gate| next.is_none_or(|next| gate.effect < next));
    html! {
        @if let Some(gate) = gate {
            p.facts-line {
                span {
                    "judged by "
                    a href=(format!("#e-{}", gate.effect)) { "the gate of " (gate.state) }
                    @if gate.passed { ", which it passed" } @else { ", which it did not pass" }
                }
            }
        }
    }
}

/// The transcript, to be read.
fn turns(one: &Attempt) -> Markup {
    html! {
        @if !one.turns.is_empty() {
            details.transcript {
                summary { "What it did, " (count(one.turns.len(), "turn")) }
                ol.turns {
                    @for turn in &one.turns {
                        li.(turn.kind.as_str()) {
                            @match turn.kind {
                                TurnKind::Says => (paragraph("said", &turn.text)),
                                TurnKind::Does => pre { code { (turn.text) } },
                                TurnKind::Hears => pre tabindex="0" { code { (turn.text) } },
                                TurnKind::Note => (paragraph("note", &turn.text)),
                            }
                        }
                    }
                }
            }
        }
    }
}

pub(super) fn left(data: &Evidence) -> Markup {
    let (images, files): (Vec<Link>, Vec<Link>) = data
        .artifacts
        .iter()
        .cloned()
        .partition(|link| is_image(&link.href));
    html! {
        @if !(data.artifacts.is_empty() && data.commits.is_empty()) {
            section aria-labelledby="left" {
                h2 #left { "What the run left" }
                @if !images.is_empty() {
                    div.shots { @for link in &images { (image(link)) } }
                }
                (links(&files, "Files"))
                @if !data.commits.is_empty() {
                    h3 { "Commits" }
                    p.note { "One after each gate that passed, oldest first, on " code { "refs/proofhouse/" (data.run) } ": " code { "git show" } " looks at one." }
                    ul.commits { @for commit in &data.commits { li { code { (commit) } } } }
                }
            }
        }
    }
}

fn is_image(path: &str) -> bool {
    let ending = path.rsplit_once('.').map_or("", |(_, ending)| ending);
    let known = ["png", "jpg", "jpeg", "gif", "webp"];
    known.iter().any(|known| ending.eq_ignore_ascii_case(known)) && href(path).is_some()
}

fn image(link: &Link) -> Markup {
    let href = href(&link.href).unwrap_or_default();
    html! {
        figure {
            a href=(href) { img loading="lazy" src=(href) alt=(link.name); }
            figcaption { span.name { (link.name) } " " span.size { (bytes(link.size)) } }
        }
    }
}

//! A debate as a conversation: round by round, who claimed what, what was tried and challenged, and how it was
//! ruled. What counts is said in a word; what only confirms it is folded.

use super::html::{Tone, chip, count, paragraph, prose, time};
use crate::debate::{Conversation, Point, Speaker, Turn};
use crate::story::Mark;
use factory::project::ModuleRef;
use maud::{Markup, html};

/// Points that confirm are shown as they are up to so many.
const FEW: usize = 2;

fn tone(mark: Mark) -> Tone {
    match mark {
        Mark::Quiet | Mark::Plain => Tone::Plain,
        Mark::Good => Tone::Good,
        Mark::Bad => Tone::Bad,
        Mark::Person => Tone::Unsure,
    }
}

/// Every debate of a task; `address` says where the page of a version is.
pub(super) fn section(all: &[Conversation], address: &dyn Fn(&ModuleRef) -> String) -> Markup {
    html! {
        section.debates aria-labelledby="debates" {
            h2 #debates { "What was said" }
            p.note {
                "The Proposer sees its own module; the Challenger and the Arbiter see the claim, the contract and the evidence, never the code. What the engine says, it ran itself."
            }
            @if all.is_empty() { p.none { "Nothing yet." } }
            @for one in all { (conversation(one, address)) }
        }
    }
}

fn conversation(one: &Conversation, address: &dyn Fn(&ModuleRef) -> String) -> Markup {
    html! {
        article.debate {
            h3 {
                @match (&one.module, &one.exception) {
                    (Some(module), _) => a href=(address(module)) { (module) },
                    (None, Some(exception)) => { "The change that " (exception) " asks for" },
                    (None, None) => "A module of its plan",
                }
            }
            @for (nth, round) in one.rounds.iter().enumerate() {
                h4 { "Round " (nth + 1) }
                ol.talk { @for turn in &round.turns { (said(turn)) } }
            }
        }
    }
}

fn said(turn: &Turn) -> Markup {
    let (class, name) = match &turn.speaker {
        Speaker::Proposer => ("proposer", "Proposer"),
        Speaker::Challenger => ("challenger", "Challenger"),
        Speaker::Arbiter => ("arbiter", "Arbiter"),
        Speaker::Engine => ("engine", "Engine"),
        Speaker::Person(who) => ("person", who.as_str()),
    };
    let speaks = |one: &&Point| matches!(one.mark, Mark::Bad | Mark::Person);
    let (loud, quiet): (Vec<&Point>, Vec<&Point>) = turn.points.iter().partition(speaks);
    let met = quiet.iter().filter(|one| one.mark == Mark::Good).count();
    html! {
        li.(class) {
            p.who {
                b { (name) } " " (chip(tone(turn.mark), &turn.word)) " "
                span.when { (time(turn.at)) }
            }
            (paragraph("words", &turn.text))
            @if !loud.is_empty() { ul.points { @for one in &loud { (point(one)) } } }
            @if quiet.len() > FEW {
                details {
                    summary {
                        (count(quiet.len(), "point"))
                        @if met == quiet.len() { ", all of which hold" }
                    }
                    ul.points { @for one in &quiet { (point(one)) } }
                }
            } @else if !quiet.is_empty() {
                ul.points { @for one in &quiet { (point(one)) } }
            }
        }
    }
}

fn point(one: &Point) -> Markup {
    html! {
        li.(tone(one.mark).class()) {
            @if !one.about.is_empty() { b { (one.about) } " " }
            span { (prose(&one.text)) }
            @if !one.mend.is_empty() { p.mend { b { "To mend it: " } (prose(&one.mend)) } }
        }
    }
}

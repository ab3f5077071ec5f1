//! What a project asks, and the form of each answer: what it does and needs, the command to copy, and, where
//! people may answer on the page, the fields that a passkey signs. The page itself decides nothing.

use super::answer::{About, After, Answers, cannot, signing};
use super::html::{Tone, chip, paragraph, prose};
use super::live::{Live, Part, head};
use crate::address::encoded;
use crate::posed::{Answer, Answered, Kind, Need, Posed};
use maud::{Markup, html};

/// From the page of a question to that of the project, and from there to the passkeys.
const PROJECT: &str = "../../";
const ENROL: &str = "../../../../enrol";

/// The page.
pub fn page(posed: &Posed, about: About<'_>, answers: Answers) -> Live {
    let question = &posed.question;
    let lead = html! {
        (paragraph("", &question.what))
        p {
            @if let (Some(id), Some(name)) = (&question.task, &posed.task) {
                "About the task " a href=(format!("{PROJECT}task/{}/", encoded(id.as_str()))) { (name) } " of "
            }
            a href=(PROJECT) { "project " (posed.project) }
        }
    };
    let mark = format!("question \u{b7} {}", question.id);
    Live {
        title: format!("{}: what it asks", question.id),
        parts: vec![
            head(&mark, "Your answer is needed", &lead),
            Part::new("why", why(posed)),
            Part::new("answers", ways(posed, about, answers)),
        ],
    }
}

/// The page of a question that waits no more, for whoever still looks at it.
pub fn answered(project: &str, answered: &Answered) -> Live {
    let lead = html! {
        p {
            @match &answered.by {
                Some((action, who)) => { code { (action) } " by " (who) ", on record with its reason." },
                None => "It waits for nobody any more.",
            }
        }
        p {
            @if let Some((id, name)) = &answered.task {
                "What follows is on the page of the task " a href=(format!("{PROJECT}task/{}/", encoded(id))) { (name) } " of "
            }
            a href=(PROJECT) { "project " (project) }
        }
    };
    let mark = format!("question \u{b7} {}", answered.id);
    Live {
        title: format!("{}: answered", answered.id),
        parts: vec![head(&mark, "It is answered", &lead)],
    }
}

fn why(posed: &Posed) -> Markup {
    html! {
        section aria-labelledby="why" {
            h2 #why { "What led to it" }
            @if posed.failed.is_empty() {
                (paragraph("reason", &posed.question.why))
            } @else {
                ul.points { @for (invariant, evidence) in &posed.failed {
                    li.bad { b { (invariant.replace('_', " ")) } " " span { (prose(evidence)) } }
                } }
            }
            @if !posed.context.is_empty() {
                details {
                    summary { "What else helps to decide" }
                    ul.points { @for line in &posed.context { li { (line) } } }
                }
            }
        }
    }
}

fn ways(posed: &Posed, about: About<'_>, answers: Answers) -> Markup {
    html! {
        section aria-labelledby="answers" {
            h2 #answers { "The answers" }
            p.note { "Each is a decision: signed, or typed at a terminal, and on record with its reason." }
            (cannot(answers, ENROL))
            @for one in &posed.answers {
                details.way open[one.recommended] {
                    summary {
                        b { (one.option) } " "
                        @if one.recommended { (chip(Tone::Good, "recommended")) " " }
                        span.quiet { (prose(&one.does)) }
                    }
                    (way(posed, one, about, answers))
                }
            }
        }
    }
}

fn way(posed: &Posed, one: &Answer, about: About<'_>, answers: Answers) -> Markup {
    html! {
        @if answers != Answers::Yes && !one.needs.is_empty() {
            dl.fields { @for need in &one.needs { div {
                dt { code { (need.name) } @if need.optional { " (may be left out)" } }
                dd { (prose(&need.about)) " " span.quiet { (form(need.kind)) } }
            } } }
        }
        @if answers == Answers::Yes {
            form.decide data-repo=(about.repo) data-run=(about.run) data-head=(about.head) data-about=(posed.question.id) {
                input type="hidden" name="option" value=(one.option);
                @for need in &one.needs { (field(&one.option, need)) }
                (signing(&one.option, After::GoesOn))
            }
        }
        p.label { "In your terminal" }
        pre.command tabindex="0" { code { (one.command) } }
    }
}

fn form(kind: Kind) -> &'static str {
    match kind {
        Kind::Text => "A text.",
        Kind::Lines => "A list: each line is an item.",
        Kind::Json => "JSON.",
    }
}

fn field(option: &str, need: &Need) -> Markup {
    let id = format!("{option}-{}", need.name);
    let rows = match need.kind {
        Kind::Text => 2,
        Kind::Lines => 4,
        Kind::Json => 12,
    };
    html! {
        label for=(id) {
            code { (need.name) } " " (prose(&need.about)) " " (form(need.kind))
            @if need.optional { " It may be left as it is." }
        }
        textarea id=(id) name="field" data-name=(need.name) rows=(rows) required[!need.optional] spellcheck=(if need.kind == Kind::Json { "false" } else { "true" }) {
            // A line break right behind the tag is not part of the text.
            "\n" (need.given)
        }
    }
}

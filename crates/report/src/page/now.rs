//! What works right now: who, for how long, and what it says; and what a person does next where nothing does.

use super::act::{self, Act};
use super::html::paragraph;
use super::live::Part;
use crate::now::Now;
use maud::{Markup, html};

/// What is in flight, and what can be done.
pub struct Flying<'a> {
    pub all: &'a [Now],
    /// What it is in a sentence: nobody drives it, it is not landed, it landed.
    pub stands: String,
    /// The commands that come next.
    pub commands: Vec<String>,
    /// The button that does it, where the page may.
    pub act: Option<Act<'a>>,
    pub workflow: &'a str,
    /// The number of the last record.
    pub last: u64,
}

/// Who works right now, and what each says as it grows.
pub(super) fn works(all: &[Now]) -> Markup {
    html! {
        @if !all.is_empty() {
            section.now aria-labelledby="now" {
                h2 #now { "Right now" }
                @for one in all {
                    h3 { (one.what) " " span.quiet { "for " time data-since=(one.began.to_string()) { "a moment" } } }
                    @if !one.lines.is_empty() {
                        pre.says data-end tabindex="0" aria-label="What it says" { code { @for line in &one.lines { (line) "\n" } } }
                    }
                }
            }
        }
    }
}

/// The part.
pub(super) fn part(flying: &Flying<'_>) -> Part {
    let markup = html! {
        (works(flying.all))
        @if !flying.stands.is_empty() {
            section.now aria-labelledby="next" {
                h2 #next { "Next" }
                (paragraph("sentence", &flying.stands))
                @for command in &flying.commands { pre.command tabindex="0" { code { (command) } } }
                @if let Some(one) = &flying.act { (act::form(one)) }
            }
        }
        p.facts-line {
            a href=(format!("../../workflow/{}", flying.workflow)) { "Workflow " (flying.workflow) } " "
            a href=(format!("at/{}/", flying.last)) { "Step through its records" }
        }
    };
    Part::new("now", markup)
}

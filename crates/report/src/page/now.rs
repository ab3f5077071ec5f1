//! What works right now: who, for how long, and what it says, in short and as a page of its own; and what a person
//! does next where nothing works.

use super::act::{self, Act};
use super::html::paragraph;
use super::live::{Live, Part, head};
use crate::now::Now;
use maud::{Markup, html};

/// So many lines are one part of the page of all lines: what was sent once is not sent again with each new line.
const LINES: usize = 200;

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
    /// The record of the last commit, which the run can be led back to.
    pub commit: Option<u64>,
}

/// Who works right now, and what each says as it grows.
pub(super) fn works(all: &[Now]) -> Markup {
    html! {
        @if !all.is_empty() {
            section.now aria-labelledby="now" {
                h2 #now { "Right now" }
                @for one in all {
                    (who(one))
                    @if one.cut { p.note { "Its last lines. " a href="now/" { "All that it says" } } }
                    @if !one.lines.is_empty() {
                        pre.says data-end tabindex="0" aria-label="What it says" { code { @for line in &one.lines { (line) "\n" } } }
                    }
                }
            }
        }
    }
}

fn who(one: &Now) -> Markup {
    html! { h3 { (one.what) " " span.quiet { "for " time data-since=(one.began.to_string()) { "a moment" } } } }
}

/// The page of all that is said right now, as it grows.
pub fn whole(run: &str, all: &[Now]) -> Live {
    let lead = html! {
        @if all.is_empty() {
            "Nobody works on it right now. What attempts said is kept with each of them: "
            a href="../#attempts" { "the attempts of " (run) } "."
        } @else {
            "Line by line, as they come. When an attempt has ended, its transcript is kept with it. "
            a href="../" { "Back to " (run) }
        }
    };
    let mut parts = vec![head(&format!("{run} \u{b7} now"), "What it says", &lead)];
    for one in all {
        let title = html! {
            section.said-by {
                (who(one))
                @if one.cut { p.note { "What it said before the first of these lines is in its transcript when it has ended." } }
                @if one.lines.is_empty() { p.none { "Nothing yet." } }
            }
        };
        parts.push(Part::new(&format!("who-{}", one.effect), title));
        for (nth, lines) in one.lines.chunks(LINES).enumerate() {
            let from = nth * LINES + 1;
            let label = format!("{}, from line {from} on", one.what);
            let markup = html! {
                section.said-on { pre.whole tabindex="0" aria-label=(label) { code { @for line in lines { (line) "\n" } } } }
            };
            parts.push(Part::new(&format!("{}-{nth}", one.effect), markup));
        }
    }
    Live {
        title: format!("{run}: what it says"),
        parts,
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
            @if let Some(commit) = flying.commit {
                " " a href=(format!("at/{commit}/#from")) { "Go back, or try it otherwise" }
            }
        }
    };
    Part::new("now", markup)
}

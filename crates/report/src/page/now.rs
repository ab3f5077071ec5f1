//! What works right now: who, for how long, and what it says.

use super::live::Part;
use crate::now::Now;
use maud::html;

/// The part; empty where nothing is in flight.
pub(super) fn part(all: &[Now]) -> Part {
    let markup = html! {
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
    };
    Part::new("now", markup)
}

//! What a run has used of what it may use: each budget in words, with a bar beside it.

use super::html::{Tone, chip, duration, grouped};
use crate::evidence::Evidence;
use crate::spend::dollars;
use kernel::budget::{ATTEMPTS, MICRO_DOLLARS, REFUSALS, TOKENS, WALL_MILLIS};
use kernel::machine::Gauge;
use kernel::position::PASSES;
use maud::{Markup, html};

/// The list; nothing where there is none.
pub(super) fn list(data: &Evidence) -> Markup {
    html! {
        @if !data.budgets.is_empty() {
            h3 #budgets { "What it may use" }
            ul.budgets {
                @for (name, gauge) in ordered(data) {
                    @let (title, used, cap) = worded(name, *gauge);
                    li {
                        b { (title) } " "
                        span { (used) " of " (cap) }
                        @if gauge.used >= gauge.cap { " " (chip(Tone::Unsure, "used up")) }
                        (bar(*gauge))
                    }
                }
            }
        }
    }
}

/// What every run has first, in the order in which people ask; then what its workflow counts.
fn ordered(data: &Evidence) -> Vec<(&String, &Gauge)> {
    let first = [
        MICRO_DOLLARS,
        TOKENS,
        ATTEMPTS,
        WALL_MILLIS,
        REFUSALS,
        PASSES,
    ];
    let place = |name: &str| first.iter().position(|one| *one == name);
    let mut all: Vec<_> = data.budgets.iter().collect();
    all.sort_by_key(|(name, _)| place(name).unwrap_or(first.len()));
    all
}

/// A budget's name for people, what was used, and what may be.
fn worded(name: &str, gauge: Gauge) -> (String, String, String) {
    let (title, word): (&str, fn(u64) -> String) = match name {
        ATTEMPTS => ("Attempts", grouped),
        TOKENS => ("Tokens", grouped),
        MICRO_DOLLARS => ("Money", dollars),
        WALL_MILLIS => ("Time at work", duration),
        REFUSALS => ("Requests that were refused", grouped),
        PASSES => ("Passes of this state", grouped),
        counter => {
            let title = format!("Times of \u{201c}{}\u{201d}", counter.replace('_', " "));
            return (title, grouped(gauge.used), grouped(gauge.cap));
        }
    };
    (title.to_owned(), word(gauge.used), word(gauge.cap))
}

/// The words beside it say the same.
fn bar(gauge: Gauge) -> Markup {
    let share = gauge.used.saturating_mul(100) / gauge.cap.max(1);
    html! {
        svg.bar viewBox="0 0 100 4" preserveAspectRatio="none" aria-hidden="true" {
            rect width=(share.min(100)) height="4" {}
        }
    }
}

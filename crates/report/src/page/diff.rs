//! What changed, file by file, folded. Lines are numbered as they are now, or as they were.

use super::beside;
use super::html::{Tone, capital, chip, paragraph, short};
use crate::caught::Gravity;
use crate::change::Change;
use crate::evidence::Evidence;
use crate::file_change::{FileChange, Hunk};
use crate::stat::totals;
use kernel::unseen::spelt;
use maud::{Markup, html};

/// The most lines that the page shows of one file, and of all.
const MOST_OF_FILE: usize = 800;
const MOST_OF_ALL: usize = 6_000;
/// A change of up to this many lines is shown open.
const OPEN: usize = 160;

/// How a change is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum View {
    /// In a file, which leads nowhere.
    Kept,
    /// Served, with the way to the other view.
    Unified,
    /// Before and after side by side, where there is room; unified where there is none.
    Beside,
}

/// The way to the other view of a page.
fn other(view: View) -> Markup {
    html! {
        @match view {
            View::Kept => {},
            View::Unified => a.beside href="?diff=beside#change" { "Side by side" },
            View::Beside => a.beside href="?#change" { "One below the other" },
        }
    }
}

pub(super) fn section(data: &Evidence, view: View) -> Markup {
    let Some(change) = &data.grounds.change else {
        return html! {};
    };
    let files = files(change, &data.run, view);
    let approved = data.grounds.since_approved.as_ref();
    let since = approved.or(data.grounds.since_rejected.as_ref());
    let when = match approved {
        Some(_) => "Since you approved it",
        None => "Since it was sent back",
    };
    html! {
        section aria-labelledby="change" {
            h2 #change { "What changed" }
            @if let Some(since) = since {
                h3 #since { (when) }
                p.note { (totals(&since.changes)) (between(since)) }
                div.diffs.wide[view == View::Beside] { @for file in &self::files(since, &data.run, view) { (file) } }
                h3 #whole { "All of it" }
            }
            @for remark in change.remarks() { p.unsettled { (capital(&spelt(&remark))) "." } }
            @if files.is_empty() {
                p.none { "Nothing, so far." }
            } @else {
                p.note { (totals(&change.changes)) (between(change)) " " (other(view)) }
                div.diffs.wide[view == View::Beside] { @for file in &files { (file) } }
            }
        }
    }
}

/// From where to where a change goes, as the end of a sentence.
fn between(change: &Change) -> Markup {
    html! {
        ", from commit " (short(&change.base)) " to "
        @if change.ungated { "what lies in the run's tree." } @else { (short(&change.commit)) "." }
    }
}

/// Each file, as long as there is room.
fn files(change: &Change, run: &str, view: View) -> Vec<Markup> {
    let lines = |one: &FileChange| one.hunks.iter().map(|hunk| hunk.lines.len()).sum::<usize>();
    let mut left = MOST_OF_ALL;
    let mut open = OPEN;
    let each = change.changes.iter();
    each.map(|one| {
        let many = lines(one);
        let fits = many <= MOST_OF_FILE && many <= left;
        left = left.saturating_sub(if fits { many } else { 0 });
        let opens = fits && many > 0 && many <= open;
        open = open.saturating_sub(many);
        file(one, run, Fold { fits, opens }, view)
    })
    .collect()
}

/// How a file is shown.
#[derive(Clone, Copy)]
struct Fold {
    /// Is there room for its lines?
    fits: bool,
    opens: bool,
}

fn file(one: &FileChange, run: &str, fold: Fold, view: View) -> Markup {
    html! {
        details.file open[fold.opens] {
            summary {
                span.path {
                    @if let Some(from) = &one.from { span.was { (spelt(from)) " \u{2192} " } }
                    (spelt(&one.path))
                } " "
                span.much {
                    @if let Some(added) = one.added { span.plus { "+" (added) } " " }
                    @if let Some(removed) = one.removed { span.minus { "\u{2212}" (removed) } " " }
                    (chip(Tone::Plain, one.kind.as_str()))
                    @if let Some(mode) = one.mode { " " (chip(Tone::Unsure, mode)) }
                    @if let Some(ends) = one.ends { " " small title="how every line ends that is shown" { (ends) } }
                }
            }
            @if one.added.is_none() {
                p.none { "It is no text." }
            } @else if one.hunks.is_empty() {
                p.none { "No line changed." }
            } @else if fold.fits {
                @for part in &one.hunks {
                    (hunk(part))
                    @if view == View::Beside { (beside::hunk(part)) }
                }
            } @else {
                p.none {
                    "Too long for this page. " code { "proofhouse diff " (run) } " shows it."
                }
            }
        }
    }
}

fn hunk(hunk: &Hunk) -> Markup {
    let (mut before, mut after) = (hunk.before, hunk.after);
    let rows: Vec<(&str, String, &str)> = hunk
        .lines
        .iter()
        .map(|line| {
            let (sign, text) = line.split_at(line.len().min(1));
            match sign {
                "+" => {
                    after += 1;
                    ("add", (after - 1).to_string(), text)
                }
                "-" => {
                    before += 1;
                    ("del", (before - 1).to_string(), text)
                }
                " " => {
                    (before, after) = (before + 1, after + 1);
                    ("same", (after - 1).to_string(), text)
                }
                _ => ("end", String::new(), text),
            }
        })
        .collect();
    html! {
        div.hunk {
            p.place { "line " (hunk.after) @if !hunk.about.is_empty() { " \u{b7} " code { (hunk.about) } } }
            ol {
                @for (class, number, text) in rows {
                    li.(class) { i { (number) } code { (text) } }
                }
            }
        }
    }
}

/// What was tried and caught, where the headline points to.
pub(super) fn caught(data: &Evidence) -> Markup {
    let caught = &data.grounds.caught;
    html! {
        @if !caught.is_empty() {
            section.caught aria-labelledby="caught" {
                h2 #caught { "Caught" }
                p.note { "Tried, and refused by the engine. None of it got through." }
                ul {
                    @for one in caught {
                        li {
                            @let tone = match one.gravity {
                                Gravity::Cheat => Tone::Bad,
                                Gravity::Overstep => Tone::Unsure,
                            };
                            p { (chip(tone, one.what)) " " code { (one.code) }
                                @if one.times > 1 { " " span { (one.times) " times" } }
                                @if let Some(effect) = one.effect {
                                    " " a href=(format!("#e-{effect}")) { "where" }
                                }
                            }
                            (paragraph("reason", &one.found))
                        }
                    }
                }
            }
        }
    }
}

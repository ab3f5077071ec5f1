//! What a person can make of a record of a run: lead the run back to its commit, or leave the run there in a new one.
//! Each with the command, and with a form where people may answer on the page. What would be refused is said
//! instead, with the way on.

use super::answer::{About, After, Answers, cannot, signing};
use super::html::prose;
use super::live::Part;
use crate::inbox::Fault;
use maud::{Markup, html};

/// From the page of a record to the passkeys.
const ENROL: &str = "../../../../enrol";

/// What there is to say of a record.
pub struct FromHere<'a> {
    pub about: About<'a>,
    pub seq: u64,
    /// Why the run cannot be led back to it; none: it can.
    pub no_way_back: Option<Fault>,
    /// Why no run can be begun from it, whoever works there; none: one can.
    pub no_fork: Option<Fault>,
    /// The records of the run's commits.
    pub commits: Vec<u64>,
    pub answers: Answers,
}

/// The part.
pub(super) fn part(from: &FromHere<'_>) -> Part {
    let markup = html! {
        section aria-labelledby="from" {
            h2 #from { "From here" }
            @if !from.commits.is_empty() {
                p.note {
                    "The run made a commit with "
                    @for (nth, seq) in from.commits.iter().enumerate() {
                        @if nth > 0 { ", " }
                        @if *seq == from.seq { "record " b { (seq) } } @else { a href=(format!("../{seq}/#from")) { "record " (seq) } }
                    }
                    "."
                }
            }
            details.way {
                summary { b { "Go back" } " " span.quiet { "The same run stands where it stood with this commit." } }
                (back(from))
            }
            details.way {
                summary { b { "Try it otherwise" } " " span.quiet { "A new run begins where this one was; this one stays as it is." } }
                (fork(from))
            }
        }
    };
    Part::new("from", markup)
}

fn why_not(fault: &Fault) -> Markup {
    html! {
        p.reason { "Not from here: " (prose(&fault.what)) "." }
        p.mend { b { "What to do: " } (prose(&fault.mend)) "." }
    }
}

fn back(from: &FromHere<'_>) -> Markup {
    let (run, seq) = (from.about.run, from.seq);
    html! {
        @if let Some(fault) = &from.no_way_back {
            (why_not(fault))
        } @else {
            p.note {
                "A decision of yours, on record with its reason. Nothing is cut: the work as it is now is committed first, and \
                 what was spent stays spent."
            }
            (cannot(from.answers, ENROL))
            @if from.answers == Answers::Yes {
                form.decide data-repo=(from.about.repo) data-run=(run) data-head=(from.about.head) data-about=(seq) {
                    input type="hidden" name="option" value=(kernel::decision::REWIND);
                    (signing("back", After::GoesOn))
                }
            }
            p.label { "In your terminal" }
            pre.command tabindex="0" { code { "proofhouse rewind " (run) " --at " (seq) " --because '...'" } }
        }
    }
}

fn fork(from: &FromHere<'_>) -> Markup {
    let (run, seq) = (from.about.run, from.seq);
    html! {
        @if let Some(fault) = &from.no_fork {
            (why_not(fault))
        } @else {
            p.note { "What was used up by this record is used up in the new run too. It decides nothing, and it begins to work when you let it go on." }
            @if from.answers != Answers::No {
                form.fork data-repo=(from.about.repo) data-run=(run) data-at=(seq) {
                    label for="fork-name" { "Its name. Left empty, it is called after this one." }
                    input #fork-name name="name" type="text" placeholder=(format!("{run}-fork")) autocomplete="off";
                    label for="fork-agent" { "Who works from there on. Left empty, whoever worked before." }
                    input #fork-agent name="agent" type="text" placeholder="codex" autocomplete="off";
                    p { button type="submit" { "Begin it" } }
                    p.said role="status" {}
                }
            }
            p.label { "In your terminal" }
            pre.command tabindex="0" { code { "proofhouse fork " (run) " --at " (seq) } }
        }
    }
}

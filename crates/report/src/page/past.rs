//! A run as it was at one of its records, with the way to the record before it and to the next.

use super::html::prose;
use super::live::{Live, Part};
use super::{machine, past_parts, verdict};
use crate::evidence::{Evidence, Moment};
use maud::{Markup, html};

/// The page of a record. Nobody decides anything on it.
pub fn run(data: &Evidence, drawn: &machine::Drawn<'_>, moment: &Moment) -> Live {
    let seq = moment.record.seq;
    let mut all = vec![
        Part::new("banner", steps(data, moment)),
        Part::new("head", verdict::header(data)),
        Part::new("machine", machine::section(drawn)),
    ];
    let parts = past_parts(data);
    all.extend(parts.map(|(id, markup)| Part::new(id, markup)));
    Live {
        title: format!("{}, as of record {seq} of {}", data.run, moment.last),
        parts: all,
    }
}

fn steps(data: &Evidence, moment: &Moment) -> Markup {
    let (seq, last) = (moment.record.seq, moment.last);
    let to = |seq: u64| format!("../{seq}/");
    html! {
        section.then aria-labelledby="then" {
            h2 #then { "As of record " (seq) " of " (last) }
            p { span.quiet { (moment.record.at.to_string()) } " " (prose(&moment.record.sentence)) }
            nav.ways aria-label="Records" {
                @if seq > 1 {
                    a href=(to(1)) { "First" }
                    a rel="prev" href=(to(seq - 1)) { "Before" }
                }
                @if seq < last {
                    a rel="next" href=(to(seq + 1)) { "Next" }
                    a href=(to(last)) { "Last" }
                }
                a href="../../" { (data.run) " as it is now" }
            }
            @if !moment.commands.is_empty() {
                p.note { "From here on otherwise, at a terminal: a run of its own (" code { "fork" } "), or this one led back to its commit (" code { "rewind" } ")." }
                @for command in &moment.commands {
                    pre.command tabindex="0" aria-label="Command" { code { (command) } }
                }
            }
        }
    }
}

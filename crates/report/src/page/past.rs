//! A run or a project as it was at one of its records, with the way to the record before it and to the next, and what
//! a person can make of it.

use super::from_here::{self, FromHere};
use super::html::{prose, time};
use super::live::{Live, Part};
use super::{machine, past_parts, project, verdict};
use crate::evidence::{Evidence, Moment};
use maud::{Markup, html};

/// The page of a record of a run.
pub fn run(
    data: &Evidence,
    drawn: &machine::Drawn<'_>,
    moment: &Moment,
    from: &FromHere<'_>,
) -> Live {
    let seq = moment.record.seq;
    let mut all = vec![
        Part::new("banner", steps(&data.run, moment)),
        Part::new("head", verdict::header(data, None)),
        Part::new("machine", machine::section(drawn)),
        from_here::part(from),
    ];
    let parts = past_parts(data);
    all.extend(parts.map(|(id, markup)| Part::new(id, markup)));
    Live {
        title: format!("{}, as of record {seq} of {}", data.run, moment.last),
        parts: all,
    }
}

/// The page of a record of a project. What lies in the state store is of today.
pub fn project(shown: &project::Shown, moment: &Moment) -> Live {
    let page = project::live(shown, &[], None);
    let of_today = ["banner", "now", "ask", "verify"];
    let parts = page.parts.into_iter();
    let parts = parts.filter(|part| !of_today.contains(&part.id.as_str()));
    // What the project's page leads to lies two folders above that of a record. Text has no bare quotes.
    let above = |mut part: Part| {
        part.html = part
            .html
            .replace("href=\"", "href=\"../../")
            .replace("href=\"../../#", "href=\"#");
        part
    };
    let first = Part::new("banner", steps(&shown.name, moment));
    Live {
        title: format!(
            "{}, as of record {} of {}",
            shown.name, moment.record.seq, moment.last
        ),
        parts: std::iter::once(first).chain(parts.map(above)).collect(),
    }
}

fn steps(name: &str, moment: &Moment) -> Markup {
    let (seq, last) = (moment.record.seq, moment.last);
    let to = |seq: u64| format!("../{seq}/");
    html! {
        section.then aria-labelledby="then" {
            h2 #then { "As of record " (seq) " of " (last) }
            p { span.quiet { (time(moment.record.at)) } " " (prose(&moment.record.sentence)) }
            nav.ways aria-label="Records" {
                @if seq > 1 {
                    a href=(to(1)) { "First" }
                    a rel="prev" href=(to(seq - 1)) { "Before" }
                }
                @if seq < last {
                    a rel="next" href=(to(seq + 1)) { "Next" }
                    a href=(to(last)) { "Last" }
                }
                a href="../../" { (name) " as it is now" }
            }
        }
    }
}

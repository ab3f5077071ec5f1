//! Pages: one HTML file that shows a stranger what was promised, what the engine ran, and what came
//! out. Pure: data in, text out.
//!
//! They refuse to call anything proven that no gate passed, to trust any text (agents wrote most of
//! it), and to load or run anything: no scripts, no fonts, nothing from another place.

pub mod act;
pub mod answer;
mod attempts;
mod beside;
mod budgets;
mod course;
mod debate;
pub mod diff;
mod document;
pub mod from_here;
mod gates;
mod graph;
mod grounds;
pub mod home;
mod html;
pub mod inbox;
pub mod live;
pub mod machine;
pub mod milestone;
pub mod module;
pub mod now;
pub mod past;
mod people;
pub mod posed;
pub mod project;
pub mod searched;
pub mod spec;
pub mod tables;
pub mod task;
#[cfg(test)]
mod tests;
mod tracks;
mod verdict;
pub mod ways;

use crate::evidence::{Evidence, Origin};
use answer::Answers;
use diff::View;
use live::{Live, Part};
use maud::{DOCTYPE, Markup, PreEscaped, html};

pub use html::written;

/// How pages look.
pub const STYLE: &str = include_str!("page/page.css");
/// How the pages of a project look that are only served.
pub const FACTORY_STYLE: &str = include_str!("page/factory.css");
/// Even if an escape were missed, the browser runs nothing and fetches only files beside the page.
const POLICY: &str = "default-src 'none'; style-src 'unsafe-inline'; img-src 'self' file:; \
                      base-uri 'none'; form-action 'none'";

const SCRIPTED: &str =
    "The model's replies in this run were scripted; every check, file and hash is real.";

/// What every page has around its own part. Text cannot become markup, whoever wrote it: the macro
/// escapes every value, and what nobody would see is spelled out at the end.
fn shell(
    title: &str,
    more_style: &str,
    banner: Option<&str>,
    header: &Markup,
    main: &Markup,
) -> String {
    let page = html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width, initial-scale=1";
                meta name="color-scheme" content="light dark";
                meta name="referrer" content="no-referrer";
                meta http-equiv="Content-Security-Policy" content=(POLICY);
                title { (title) }
                style { "\n" (PreEscaped(STYLE)) (PreEscaped(more_style)) }
            }
            body {
                @if let Some(banner) = banner { p.banner role="note" { (banner) } }
                (header)
                main { (main) }
            }
        }
    };
    html::seen(&page.into_string())
}

/// The evidence page of a run.
pub fn run(data: &Evidence) -> String {
    let title = format!("{}: {}", data.run, verdict::of(data).headline);
    let banner = (data.origin == Origin::Scripted).then_some(SCRIPTED);
    let main = html! { @for (_, part) in parts(data, View::Kept, Answers::No) { (part) } };
    shell(
        &title,
        "",
        banner,
        &verdict::header(data, Some("#ask")),
        &main,
    )
}

/// What stands below the header, in order, each under a name of its own.
fn parts(data: &Evidence, view: View, answers: Answers) -> [(&'static str, Markup); 16] {
    [
        ("caught", diff::caught(data)),
        ("change", diff::section(data, view)),
        ("unasked", grounds::unasked(data)),
        ("cases", grounds::cases(data)),
        ("criteria", grounds::criteria(data)),
        ("proven", grounds::section(data)),
        ("cost", grounds::cost(data)),
        ("ask", people::waiting(data, answers)),
        ("course", course::section(data)),
        ("promise", people::promise(data)),
        ("gates", gates::section(data)),
        ("attempts", attempts::section(data)),
        ("decisions", people::decisions(data)),
        ("refusals", people::refusals(data)),
        ("left", attempts::left(data)),
        ("audit", people::audit(data)),
    ]
}

/// What of a run's page holds for any of its records: neither what a person does next nor how to audit it.
fn past_parts(data: &Evidence) -> impl Iterator<Item = (&'static str, Markup)> {
    let of_today = ["ask", "left", "audit"];
    parts(data, View::Kept, Answers::No)
        .into_iter()
        .filter(move |(id, _)| !of_today.contains(id))
}

/// The same as a page that is served, with the machine drawn.
pub fn live_run(
    data: &Evidence,
    drawn: &machine::Drawn<'_>,
    flying: &now::Flying<'_>,
    answers: (Answers, &str),
    view: View,
) -> Live {
    let mut all = Vec::new();
    if data.origin == Origin::Scripted {
        let note = html! { p.banner role="note" { (SCRIPTED) } };
        all.push(Part::new("banner", note));
    }
    all.push(Part::new("head", verdict::header(data, Some("#ask"))));
    all.push(now::part(flying));
    for (id, markup) in parts(data, view, answers.0) {
        all.push(Part::new(id, markup));
        if id == "ask" {
            let (answers, repo) = answers;
            let about = answer::About {
                repo,
                run: &data.run,
                head: &data.head.hash,
            };
            all.push(answer::form(about, data.waiting_for.as_ref(), answers));
            all.push(answer::ending(about, data.activity, answers));
            all.push(Part::new("machine", machine::section(drawn)));
        }
    }
    Live {
        title: format!("{}: {}", data.run, verdict::of(data).headline),
        parts: all,
    }
}

//! Pages: one HTML file that shows a stranger what was promised, what the engine ran, and what came
//! out. Pure: data in, text out.
//!
//! They refuse to call anything proven that no gate passed, to trust any text (agents wrote most of
//! it), and to load or run anything: no scripts, no fonts, nothing from another place.

mod attempts;
mod course;
mod diff;
mod gates;
mod grounds;
mod html;
mod people;
pub mod project;
#[cfg(test)]
mod tests;
mod verdict;

use crate::evidence::{Evidence, Origin};
use maud::{DOCTYPE, Markup, PreEscaped, html};

const STYLE: &str = include_str!("page/page.css");
/// Even if an escape were missed, the browser runs nothing and fetches only files beside the page.
const POLICY: &str = "default-src 'none'; style-src 'unsafe-inline'; img-src 'self' file:; \
                      base-uri 'none'; form-action 'none'";

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
    let scripted =
        "The model's replies in this run were scripted; every check, file and hash is real.";
    let banner = (data.origin == Origin::Scripted).then_some(scripted);
    let main = html! {
        (diff::caught(data))
        (diff::section(data))
        (grounds::section(data))
        (grounds::cost(data))
        (people::waiting(data))
        (course::section(data))
        (people::promise(data))
        (gates::section(data))
        (attempts::section(data))
        (people::decisions(data))
        (people::refusals(data))
        (attempts::left(data))
        (people::audit(data))
    };
    shell(&title, "", banner, &verdict::header(data), &main)
}

//! A spec to be read: a document with its warnings beside the lines, what becomes of released tasks, and below it
//! what a person may say. What is signed names the hash of these very bytes.

use super::answer::{About, After, Answers, cannot, signing};
use super::html::{Tone, chip, count, paragraph, prose, short};
use super::live::{Live, Part, head};
use crate::review::Becomes;
use crate::reviewed::{Kind, Line, Reviewed};
use maud::{Markup, html};

/// From the page of a spec to the passkeys.
const ENROL: &str = "../../../enrol";

/// The page.
pub fn page(data: &Reviewed, about: About<'_>, answers: Answers) -> Live {
    let stands = match (&data.posed, data.lines.is_empty()) {
        (_, true) => (Tone::Plain, "not complete yet"),
        (Some(_), false) => (Tone::Unsure, "waits for your word"),
        (None, false) => (Tone::Good, "approved"),
    };
    let lead = html! {
        p.chips {
            (chip(stands.0, stands.1)) " "
            @match data.warnings() {
                0 => {},
                many => (chip(Tone::Unsure, &count(many, "warning"))),
            } " "
            a href="../" { "Project " (data.project) }
        }
        @if !data.sha256.is_empty() { p.quiet { "sha256 " (short(&data.sha256)) } }
    };
    let title = match data.title.as_str() {
        "" => "The spec",
        title => title,
    };
    Live {
        title: format!("{title}: the spec"),
        parts: vec![
            head("spec", title, &lead),
            Part::new("wrong", wrong(data)),
            Part::new("further", further(data)),
            Part::new("document", document(data)),
            Part::new("sources", sources(data)),
            Part::new("answers", said(data, about, answers)),
        ],
    }
}

fn wrong(data: &Reviewed) -> Markup {
    html! {
        @if !data.deficiencies.is_empty() {
            section aria-labelledby="wrong" {
                h2 #wrong { "What the last draft lacks" }
                ul.points { @for one in &data.deficiencies { li.bad { (prose(one)) } } }
            }
        }
    }
}

fn further(data: &Reviewed) -> Markup {
    html! {
        @if !data.further.is_empty() {
            section aria-labelledby="further" {
                h2 #further { "What becomes of the released project" }
                ul.others { @for fate in &data.further {
                    @let (tone, word) = match fate.becomes {
                        Becomes::Stays => (Tone::Good, "stays"),
                        Becomes::Changes => (Tone::Unsure, "changes"),
                        Becomes::Comes => (Tone::Good, "new"),
                        Becomes::Goes => (Tone::Bad, "goes"),
                    };
                    li { (chip(tone, word)) " " (fate.line()) }
                } }
            }
        }
    }
}

fn document(data: &Reviewed) -> Markup {
    html! {
        @if data.lines.is_empty() {
            section { p.none { "There is no complete spec yet." } }
        } @else {
            section.spec aria-label="The spec" { @for one in &data.lines { (line(one)) } }
        }
    }
}

fn line(one: &Line) -> Markup {
    let text = html! {
        @if !one.mark.is_empty() { span.mark-of { (one.mark) } " " }
        (prose(one.text.trim_end()))
    };
    html! {
        div.line.warned[!one.warnings.is_empty()] {
            @match one.kind {
                Kind::Heading(2) => h2 { (text) },
                Kind::Heading(3) => h3 { (text) },
                Kind::Heading(4) => h4 { (text) },
                Kind::Heading(_) => h5 { (text) },
                Kind::Text => p { (text) },
                Kind::Label => p.label { (text) },
                Kind::Item => p.item { (text) },
            }
            @for warning in &one.warnings {
                p.warning role="note" { b { "Warning: " } (prose(warning)) }
            }
        }
    }
}

fn sources(data: &Reviewed) -> Markup {
    html! {
        @if !data.sources.is_empty() {
            section aria-labelledby="sources" {
                h2 #sources { "What was looked up" }
                ul.others { @for one in &data.sources { li { (one) } } }
            }
        }
    }
}

fn said(data: &Reviewed, about: About<'_>, answers: Answers) -> Markup {
    html! {
        @if let Some(posed) = &data.posed {
            section.ask aria-labelledby="answers" {
                h2 #answers { "Your word" }
                (paragraph("sentence", &posed.question.what))
                (paragraph("reason", &posed.question.why))
                @if let Some(advice) = &data.advice { (paragraph("note", advice)) }
                (cannot(answers, ENROL))
                @for one in &posed.answers {
                    details.way {
                        summary { b { (one.option) } " " span.quiet { (prose(&one.does)) } }
                        @if answers == Answers::Yes {
                            form.decide data-repo=(about.repo) data-run=(about.run) data-head=(about.head) data-about=(posed.question.id) {
                                input type="hidden" name="option" value=(one.option);
                                @if !data.sha256.is_empty() && one.is_of_spec() {
                                    input type="hidden" data-name="spec" value=(data.sha256);
                                }
                                (signing(&one.option, After::GoesOn))
                            }
                        }
                        p.label { "In your terminal" }
                        pre.command tabindex="0" { code { (one.command) } }
                    }
                }
            }
        }
    }
}

//! The parts about and for people: the open question, the promise, decisions, refusals, and how to
//! check the page without believing it.

use super::answer::Answers;
use super::html::{pair, paragraph, prose, time};
use crate::evidence::Evidence;
use crate::question::{self, By};
use maud::{Markup, html};

/// How a question is answered where a guest could give every other answer.
fn touched(answers: Answers) -> &'static str {
    match answers {
        Answers::No => {
            "A guest works in this run, so your passkey signs the answer: on this page, where \
             `proofhouse serve --decide` serves it."
        }
        Answers::NobodyYet | Answers::Elsewhere | Answers::Yes => {
            "A guest works in this run, so your passkey signs the answer, below."
        }
    }
}

/// The open question, and the very commands that answer it.
pub(super) fn waiting(data: &Evidence, answers: Answers) -> Markup {
    html! {
        @if let Some(waiting) = &data.waiting_for {
            @let worded = question::of_run(&data.run, waiting, data.by);
            section.ask aria-labelledby="ask" {
                h2 #ask { "Your answer is needed" }
                (paragraph("sentence", &waiting.why))
                @if !data.grounds.told.is_empty() {
                    p.label { "What was decided before, and what was done about it" }
                    ul { @for told in &data.grounds.told { li {
                        (told.said)
                        @for answer in &told.answers { " \u{2192} " (answer) }
                    } } }
                }
                @for paper in &data.grounds.papers {
                    details open {
                        summary { "To be frozen: " (paper.path) " " (paper.sections.join(", ")) }
                        pre tabindex="0" { code { (paper.text) } }
                    }
                }
                @match data.by {
                    By::Any => p.label { "Answer in your terminal, with one of these" },
                    By::Touch => {
                        p.sentence { (prose(touched(answers))) }
                        p.label { "Or sign the words that " code { "--message" } " prints, and answer in your terminal with one of these" }
                    },
                }
                @for way in &worded.answers {
                    @if !way.does.is_empty() { p.label { (prose(&way.does)) } }
                    pre.command tabindex="0" { code { (way.command) } }
                }
                p.label {
                    "Add " code { "--run" } " to let it go on at once."
                    @if data.by == By::Any {
                        " " code { "proofhouse inbox" } " shows what else is wanted: a signature, or a code to type."
                    }
                }
            }
        }
    }
}

/// What the run is measured by.
pub(super) fn promise(data: &Evidence) -> Markup {
    let or_none = |text: &str| match text.trim() {
        "" => html! { span.none { "not written down" } },
        text => html! { (text) },
    };
    html! {
        section aria-labelledby="promise" {
            h2 #promise { "What was promised" }
            dl.promise { @for (name, text) in &data.promise { (pair(name, or_none(text))) } }
            @if !data.features.is_empty() {
                h3 { "Features" }
                div.scroll tabindex="0" role="group" aria-label="Features" {
                    table {
                        thead { tr { th scope="col" { "Feature" } th scope="col" { "Label" } } }
                        tbody {
                            @for (name, label) in &data.features {
                                tr { th scope="row" { (name) } td { span.tag { (label) } } }
                            }
                        }
                    }
                }
            }
            @if !data.fields.is_empty() {
                details {
                    summary { "All fields of the state file" }
                    dl.fields { @for (name, value) in &data.fields { (pair(name, value.trim())) } }
                }
            }
        }
    }
}

/// Who decided what, and through which channel.
pub(super) fn decisions(data: &Evidence) -> Markup {
    html! {
        section aria-labelledby="decisions" {
            h2 #decisions { "Decisions by people" }
            @if data.decisions.is_empty() {
                p.none { "No person has decided anything in this run." }
            }
            @for one in &data.decisions {
                article.decision {
                    header id=[(!one.remark.is_empty()).then_some(&one.remark)] {
                        h3 { (one.decision.option) } " " span.when { (time(one.at)) }
                        @if !one.remark.is_empty() { " " span.tag { (one.remark) } }
                    }
                    @let because = one.decision.because.trim();
                    @if !because.is_empty() { blockquote { (because) } }
                    @for answer in &one.answers { (paragraph("reason", answer)) }
                    p.facts-line {
                        span { (one.decision.who) } " " span.channel { (one.decision.channel) }
                    }
                }
            }
        }
    }
}

/// What was asked of the engine and not done.
pub(super) fn refusals(data: &Evidence) -> Markup {
    html! {
        @if !data.refusals.is_empty() {
            section aria-labelledby="refusals" {
                h2 #refusals { "Refusals" }
                p.note {
                    "What the engine was asked for and would not do. A refusal changes nothing."
                }
                ul.refusals {
                    @for refusal in &data.refusals {
                        li {
                            p { code { (refusal.code) } }
                            (paragraph("reason", &refusal.what))
                            @let mend = refusal.mend.trim();
                            @if !mend.is_empty() { p.mend { b { "To mend it:" } " " (mend) } }
                        }
                    }
                }
            }
        }
    }
}

/// How to do without this page.
pub(super) fn audit(data: &Evidence) -> Markup {
    html! {
        section.audit aria-labelledby="audit" {
            h2 #audit { "Verify it yourself" }
            p {
                "This page is a view and proves nothing by itself. The journal is the truth: every \
                 record carries the hash of the one before, and every file above is kept under its \
                 own hash. In the repository, run"
            }
            pre tabindex="0" { code { "proofhouse audit " (data.run) } }
            p { "and compare the head of the journal:" }
            dl.fields {
                (pair("Record", data.head.seq))
                (pair("Hash", html! { code { (data.head.hash) } }))
                (pair("Page made", time(data.generated_at)))
            }
        }
    }
}

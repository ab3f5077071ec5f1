//! What was proven, what was not, what it cost and who worked: what a person decides on, after the
//! change itself.

use super::html::{Tone, chip, count, duration, grouped, paragraph};
use crate::evidence::Evidence;
use crate::exam::ExamCost;
use maud::{Markup, html};

pub(super) fn section(data: &Evidence) -> Markup {
    let grounds = &data.grounds;
    html! {
        section aria-labelledby="proven" {
            h2 #proven { "What was proven" }
            @if grounds.proven.is_empty() {
                p.none { "Nothing: no command has passed that could have failed." }
            } @else {
                ul.proofs {
                    @for one in &grounds.proven {
                        li.good {
                            p { (chip(Tone::Good, "executed")) " " code { (one.check) } }
                            (paragraph("reason", &one.reason))
                            p.facts-line {
                                span { "in the gate of " (one.states.join(", ")) } " "
                                @if one.millis > 0 { span { (duration(one.millis)) } }
                            }
                        }
                    }
                }
            }
            @if let Some(standing) = &grounds.worth {
                p.note { "This evidence is " b { (standing.worth) } ": " (standing.means) "." }
                @for tried in &standing.tried {
                    (paragraph("reason", tried))
                }
                @if !standing.stronger.is_empty() {
                    p.note { "For more, " (standing.stronger) "." }
                }
            }
            @if let Some(settled) = &grounds.settled {
                h3 #settled { "What became of the approved work of " (settled.run) }
                @if settled.missing.is_empty() {
                    p.note { "All of it is in this change." }
                }
                @for (what, lines) in [("Not in it any more", &settled.missing), ("New in it", &settled.new)] {
                    @if !lines.is_empty() {
                        p.label { (what) }
                        pre tabindex="0" { code {
                            @for one in lines { (one.path) " " (one.line) "\n" }
                        } }
                    }
                }
            }
            @if grounds.looked > 0 {
                p.note {
                    (count(grounds.looked, "further check")) " held that looked at files and records. "
                    "They were not executed, and prove nothing about what the code does."
                }
            }
            @if !grounds.said.is_empty() {
                h3 #said { "What no machine judged" }
                p.note { "A role answered these. The engine looked only whether the place is there that it points to." }
                ul.proofs {
                    @for one in &grounds.said {
                        li {
                            p { (chip(Tone::Plain, &format!("said by {}", one.by))) " " code { (one.check) } }
                            (paragraph("reason", &one.reason))
                            p.facts-line { span { "in the gate of " (one.state) } }
                        }
                    }
                }
            }
            @if !grounds.looks.is_empty() {
                h3 #looks { "What those who read it say" }
                ul.proofs {
                    @for look in &grounds.looks {
                        li {
                            p { (chip(Tone::Plain, &look.words())) }
                            (paragraph("reason", &look.who.summary))
                        }
                    }
                }
            }
            @if !grounds.makers.is_empty() {
                h3 #maker { "What its makers say of it" }
                ul.proofs {
                    @for maker in &grounds.makers {
                        li {
                            p { (chip(Tone::Plain, &maker.words())) }
                            (paragraph("reason", &maker.summary))
                        }
                    }
                }
            }
            @if !grounds.remarks.is_empty() {
                h3 #remarks { "What was found and holds no gate" }
                ul.proofs {
                    @for remark in &grounds.remarks {
                        li { (paragraph("reason", remark)) }
                    }
                }
            }
            @if !grounds.unproven.is_empty() {
                h3 #unproven { "What was not" }
                ul.proofs {
                    @for one in &grounds.unproven {
                        li.bad {
                            p { (chip(Tone::Unsure, "not proven")) " " code { (one.check) } }
                            (paragraph("reason", &one.why))
                            @if one.found && !one.failure.is_empty() {
                                pre tabindex="0" { code { (one.failure) } }
                            }
                            p.facts-line { span { "in the gate of " (one.state) } }
                        }
                    }
                }
            }
        }
    }
}

/// What makes the work done and how each was judged, what audits flagged, and the record of the change.
pub(super) fn criteria(data: &Evidence) -> Markup {
    let grounds = &data.grounds;
    let nothing = grounds.criteria.is_empty() && grounds.risks.is_empty();
    if nothing && grounds.open.is_empty() && grounds.record.is_none() {
        return html! {};
    }
    html! {
        section aria-labelledby="criteria" {
            h2 #criteria { "What makes it done" }
            ul.proofs {
                @for one in &grounds.criteria {
                    @let tone = match one.met {
                        Some(true) => Tone::Good,
                        Some(false) => Tone::Bad,
                        None => Tone::Unsure,
                    };
                    li.good[one.met == Some(true)].bad[one.met != Some(true)] {
                        p { (chip(tone, one.word())) " " code { (one.id) } }
                        (paragraph("reason", &one.text))
                        p.facts-line { span { (one.how) } }
                    }
                }
            }
            @if !grounds.open.is_empty() {
                h3 #open { "Found, and settled by nobody yet" }
                ul.proofs {
                    @for one in &grounds.open {
                        li.bad { (paragraph("reason", one)) }
                    }
                }
            }
            @if !grounds.risks.is_empty() {
                h3 #risks { "Risks that an audit flagged" }
                ul.proofs {
                    @for risk in &grounds.risks {
                        li.bad { (paragraph("reason", risk)) }
                    }
                }
            }
            @if let Some(record) = &grounds.record {
                h3 #record { "The record of the change" }
                pre.paper tabindex="0" { code { (record.text) } }
            }
        }
    }
}

/// Files that were changed though nobody asked for it: all of them, folded where they are many.
pub(super) fn unasked(data: &Evidence) -> Markup {
    let Some(unasked) = &data.grounds.unasked else {
        return html! {};
    };
    let files = &unasked.files;
    html! {
        section aria-labelledby="unasked" {
            h2 #unasked { "What nobody asked for" }
            details open[files.len() <= 20] {
                summary { (count(files.len(), "file")) " on which tools act by themselves" }
                ul.files { @for file in files { li { code { (file) } } } }
            }
        }
    }
}

/// Cases of the exam that did not hold, for whoever says whether they are right.
pub(super) fn cases(data: &Evidence) -> Markup {
    let cases = &data.grounds.cases;
    if cases.is_empty() {
        return html! {};
    }
    html! {
        section aria-labelledby="cases" {
            h2 #cases { "Cases of the exam that did not hold" }
            ul.proofs {
                @for one in cases {
                    li.bad {
                        p { (chip(Tone::Bad, "case")) " " code { (one.name) } }
                        (paragraph("reason", &one.clause))
                        pre.paper tabindex="0" { code {
                            @for line in one.lines() { (line) "\n" }
                        } }
                    }
                }
            }
        }
    }
}

/// What of it was for the exam, or may be.
fn exam_cost(exam: &ExamCost) -> String {
    let most = count(exam.most_attempts as usize, "attempt");
    match exam.spent.attempts {
        0 => {
            format!("Nothing of it was for the exam yet, for which an examiner has at most {most}.")
        }
        attempts => format!(
            "Of that, {} in {} ({} at most for one exam) were for writing the exam; asking the product is the engine's own work.",
            exam.spent.money(),
            count(usize::try_from(attempts).unwrap_or(usize::MAX), "attempt"),
            exam.most_attempts,
        ),
    }
}

/// What it cost, and who was paid for it.
pub(super) fn cost(data: &Evidence) -> Markup {
    let (spend, workers) = (&data.grounds.spend, &data.grounds.workers);
    let tokens = spend
        .usage
        .input_tokens
        .saturating_add(spend.usage.output_tokens);
    html! {
        section aria-labelledby="cost" {
            h2 #cost { "What it cost, and who worked" }
            p.sentence {
                @match spend.usage.is_nothing() && spend.untold > 0 {
                    true => "What it cost was not told: ",
                    false => { "It cost " (spend.money()) " for " (grouped(tokens)) " tokens in " },
                }
                (count(usize::try_from(spend.attempts).unwrap_or(usize::MAX), "attempt")) ", "
                (duration(spend.millis)) " of agents' time."
            }
            @if let Some(exam) = &data.grounds.exam {
                p.sentence { (exam_cost(exam)) }
            }
            (super::budgets::list(data))
            @if workers.is_empty() {
                p.none { @match spend.attempts { 0 => "Nobody has worked yet.", _ => "Who worked is written down when an attempt has ended." } }
            } @else {
                ul.workers {
                    @for one in workers {
                        li {
                            b { (one.agent) } " "
                            @match &one.model {
                                Some(model) => code { (model) },
                                None => span.none { "model not told" },
                            }
                            @if one.unconfined { " " (chip(Tone::Unsure, "not confined")) }
                            " as " (one.roles.iter().cloned().collect::<Vec<_>>().join(", "))
                        }
                    }
                }
            }
        }
    }
}

//! The form with which a person answers on the page, and the one that enrols their passkey. What is signed is
//! shown before it is signed, word for word; the page itself can decide nothing.

use super::html::prose;
use super::live::{Live, Part, head};
use kernel::machine::Waiting;
use maud::html;

/// May this page be answered on?
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Answers {
    /// It only shows.
    No,
    /// It is answered, and nobody has a passkey yet.
    NobodyYet,
    Yes,
}

/// The form; empty where nothing is asked, or nothing can be answered here.
pub fn form(run: &str, waiting: Option<&Waiting>, answers: Answers) -> Part {
    let markup = html! {
        @match (waiting, answers) {
            (None, _) | (_, Answers::No) => {},
            (Some(_), Answers::NobodyYet) => section.answer aria-labelledby="answer" {
                h2 #answer { "Answer here" }
                p.note { "Nobody has a passkey for this repository. " a href="../../enrol" { "Enrol yours" } ", once; then questions are answered on this page." }
            },
            (Some(waiting), Answers::Yes) => section.answer aria-labelledby="answer" {
                h2 #answer { "Answer here" }
                p.note { "Your passkey signs your words. You see what is signed before you sign it." }
                form.decide data-run=(run) {
                    fieldset {
                        legend { "What do you say?" }
                        @for (nth, option) in waiting.options.iter().enumerate() {
                            label {
                                input type="radio" name="option" value=(option) required checked[nth == 0];
                                " " b { (option) }
                                @if let Some(means) = waiting.means.get(option) { " " span.quiet { (prose(means)) } }
                            }
                        }
                    }
                    label for="because" { "Why? It goes on record." }
                    textarea #because name="because" rows="3" required {}
                    label { input type="checkbox" name="go_on" checked; " Let it go on at once" }
                    p { button type="submit" { "Show what I sign" } }
                    div.signed hidden {
                        p.label { "This is what your passkey signs, to the letter" }
                        pre tabindex="0" { code {} }
                        p { button.strong type="button" data-sign { "Sign with my passkey" } }
                    }
                    p.said role="status" {}
                }
            },
        }
    };
    Part::new("answer", markup)
}

/// The page on which a passkey is enrolled.
pub fn enrol(approvers: &[String]) -> Live {
    let lead = html! {
        "A passkey of yours (this device, your phone, a security key) signs decisions on this page. It is enrolled "
        "once, by a command in your terminal: no page can make anybody an approver."
    };
    let markup = html! {
        section aria-labelledby="enrol" {
            h2 #enrol { "Enrol" }
            form.enrol {
                label for="name" { "Your name, as records will have it" }
                input #name name="name" type="text" placeholder="ada@example.org" pattern="[A-Za-z0-9@._+\\-]+" required autocomplete="email";
                p { button type="submit" { "Make a passkey" } }
                div.signed hidden {
                    p.label { "Now say this in your terminal, in the repository" }
                    pre tabindex="0" { code {} }
                    p.note { "It adds a line to .proofhouse/approvers. Commit that file: it says who may decide." }
                }
                p.said role="status" {}
            }
        }
        section aria-labelledby="who" {
            h2 #who { "Who may decide now" }
            @if approvers.is_empty() { p.none { "Nobody is listed: whoever sits at a terminal decides." } }
            ul.rows { @for line in approvers { li { code { (line) } } } }
        }
    };
    Live {
        title: "Enrol a passkey".to_owned(),
        parts: vec![
            head("people", "Your passkey", &lead),
            Part::new("enrol", markup),
        ],
    }
}

//! The form with which a person answers on the page, and the one that enrols their passkey. What is signed is
//! shown before it is signed, word for word; the page itself can decide nothing.

use super::html::prose;
use super::live::{Live, Part, head};
use kernel::machine::{Activity, Waiting};
use kernel::position::STOP;
use maud::{Markup, html};

/// May this page be answered on?
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Answers {
    /// It only shows.
    No,
    /// It is answered, and nobody has a passkey yet.
    NobodyYet,
    /// Those that are listed were enrolled at another address of this machine.
    Elsewhere,
    Yes,
}

/// What a form is about: it is answered where it was shown, and as it was shown.
#[derive(Debug, Clone, Copy)]
pub struct About<'a> {
    pub repo: &'a str,
    pub run: &'a str,
    /// The hash of the last record that the page shows.
    pub head: &'a str,
}

/// The form; empty where nothing is asked, or nothing can be answered here.
pub fn form(about: About<'_>, waiting: Option<&Waiting>, answers: Answers) -> Part {
    let markup = html! {
        @match (waiting, answers) {
            (None, _) | (_, Answers::No) => {},
            (Some(_), Answers::NobodyYet | Answers::Elsewhere) => section.answer aria-labelledby="answer" {
                h2 #answer { "Answer here" }
                (cannot(answers, "../../enrol"))
            },
            (Some(waiting), Answers::Yes) => section.answer aria-labelledby="answer" {
                h2 #answer { "Answer here" }
                p.note { "Your passkey signs your words. You see what is signed before you sign it." }
                form.decide data-repo=(about.repo) data-run=(about.run) data-head=(about.head) {
                    fieldset {
                        legend { "What do you say?" }
                        @for option in &waiting.options {
                            label {
                                input type="radio" name="option" value=(option) required;
                                " " b { (option) }
                                @if let Some(means) = waiting.means.get(option) { " " span.quiet { (prose(means)) } }
                            }
                        }
                    }
                    (signing("", After::GoesOn))
                }
            },
        }
    };
    Part::new("answer", markup)
}

/// The end of a run that is not over and asks nothing: a decision as well, which no question offers.
pub fn ending(about: About<'_>, activity: Activity, answers: Answers) -> Part {
    let offered = matches!(activity, Activity::Working | Activity::Resting);
    let markup = html! {
        @if offered {
            section aria-labelledby="end" {
                h2 #end { "End it" }
                details.way {
                    summary { b { "Give it up" } " " span.quiet { "It goes on no more. What it made is kept." } }
                    p.note { "A decision of yours, on record with its reason. Its worktree stays until " code { "proofhouse discard " (about.run) } "." }
                    (cannot(answers, "../../enrol"))
                    @if answers == Answers::Yes {
                        form.decide data-repo=(about.repo) data-run=(about.run) data-head=(about.head) {
                            input type="hidden" name="option" value=(STOP);
                            (signing("end", After::Ends))
                        }
                    }
                    p.label { "In your terminal; there the worktree goes at once" }
                    pre.command tabindex="0" { code { "proofhouse abandon " (about.run) " --because '...'" } }
                }
            }
        }
    };
    Part::new("end", markup)
}

/// Why nobody can answer here yet, and the way to it; nothing where the page only shows, or is answered.
pub(super) fn cannot(answers: Answers, enrol: &str) -> Markup {
    html! {
        @match answers {
            Answers::No | Answers::Yes => {},
            Answers::NobodyYet => p.note { "Nobody has a passkey for this repository. " a href=(enrol) { "Enrol yours" } ", once; then questions are answered on this page." },
            Answers::Elsewhere => p.note { "The passkeys that are listed were enrolled at another port. Serve there, or " a href=(enrol) { "enrol one here" } "." },
        }
    }
}

/// What comes after a decision.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum After {
    /// There is work to do, which can begin at once.
    GoesOn,
    /// Nothing: it was the last.
    Ends,
}

/// The end of every form that is signed: the reason, the words to the letter, and what they carry. `of` tells
/// several forms of a page apart.
pub(super) fn signing(of: &str, after: After) -> Markup {
    let id = match of {
        "" => "because".to_owned(),
        of => format!("because-{of}"),
    };
    html! {
        label for=(id) { "Why? It goes on record." }
        textarea id=(id) name="because" rows="3" required {}
        @if after == After::GoesOn { label { input type="checkbox" name="go_on" checked; " Let it go on at once" } }
        p { button type="submit" { "Show what I sign" } }
        div.signed hidden {
            p.label { "This is what your passkey signs, to the letter" }
            pre tabindex="0" { code {} }
            div data-carries hidden {
                p.label { "It names the hash of this, which it carries" }
                pre tabindex="0" { code {} }
            }
            p { button.strong type="button" data-sign { "Sign with my passkey" } }
        }
        p.said role="status" {}
    }
}

/// The page on which a passkey is enrolled.
pub fn enrol(repo: &str, approvers: &[String]) -> Live {
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
                    @if !approvers.is_empty() {
                        p.note { "Somebody is listed already, so one of them signs for it: add " code { "--sign KEY" } ", or " code { "--message > words" } ", sign the words below, and add " code { "--signature FILE" } "." }
                    }
                    p.note { "It adds a line to .proofhouse/approvers. Commit that file: it says who may decide." }
                }
                p.said role="status" {}
            }
        }
        section aria-labelledby="words" {
            h2 #words { "Sign words for the terminal" }
            p.note { "Every command that decides prints its words with " code { "--message" } " and takes a signature with " code { "--signature FILE" } ". Paste the words here, and your passkey signs them. Sign nothing that you have not read." }
            form.words data-repo=(repo) {
                label for="text" { "The words, to the letter" }
                textarea #text name="text" rows="7" required spellcheck="false" {}
                p { button type="submit" { "Sign with my passkey" } }
                div.signed hidden { p.label { "Keep this in a file for --signature" } pre tabindex="0" { code {} } }
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

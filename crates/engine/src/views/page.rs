//! The evidence page: one HTML file that shows a stranger what was promised, what the engine ran,
//! and what came out. Pure: data in, text out.
//!
//! It refuses to call anything proven that no gate passed, to trust any text (agents wrote most of
//! it), and to load or run anything: no scripts, no fonts, nothing from another place.

mod attempts;
mod gates;
pub(crate) mod html;
mod people;
#[cfg(test)]
mod tests;
mod verdict;

use html::{Out, esc};

pub(crate) const STYLE: &str = include_str!("page.css");
/// Even if an escape were missed, the browser runs nothing and fetches only files beside the page.
pub(crate) const POLICY: &str = "default-src 'none'; style-src 'unsafe-inline'; img-src 'self' file:; \
                      base-uri 'none'; form-action 'none'";

/// Everything that the page shows. Plain texts, already worded for people.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PageData {
    /// The run.
    pub run: String,
    /// Its workflow.
    pub workflow: String,
    /// Where it is.
    pub state: String,
    /// What it is doing there.
    pub activity: Activity,
    /// The open question to a person.
    pub waiting_for: Option<Waiting>,
    /// What was promised: fields of the state file.
    pub promise: Vec<(String, String)>,
    /// Further fields of the state file, in order.
    pub fields: Vec<(String, String)>,
    /// Features and their labels.
    pub features: Vec<(String, String)>,
    /// Every gate that ran. For each state the latest stands first; older ones are history.
    pub gates: Vec<GateView>,
    /// Every attempt, oldest first.
    pub attempts: Vec<AttemptView>,
    /// What the engine refused.
    pub refusals: Vec<RefusalView>,
    /// What people decided.
    pub decisions: Vec<DecisionView>,
    /// What the run left; images are shown.
    pub artifacts: Vec<Link>,
    /// Commits, newest last.
    pub commits: Vec<String>,
    /// The journal's last record.
    pub head: Head,
    /// When the page was made.
    pub generated_at: String,
    /// Where the model's replies came from.
    pub origin: Origin,
}

/// What a run is doing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Activity {
    /// Something is in flight.
    Working,
    /// A person must speak.
    Waiting,
    /// It reached its end.
    Done,
    /// It was stopped.
    Stopped,
}

/// Where the model's replies came from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Origin {
    /// From a script, as in demonstrations and tests.
    Scripted,
    /// From a model.
    Live,
}

/// An open question.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Waiting {
    /// What is asked, in a sentence.
    pub sentence: String,
    /// What may be answered.
    pub options: Vec<String>,
    /// The command that answers.
    pub command: String,
}

/// One run of a gate.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GateView {
    /// The state whose gate it is.
    pub state: String,
    /// Did it let the run through?
    pub passed: bool,
    /// When.
    pub at: String,
    /// Every check's answer.
    pub results: Vec<CheckView>,
}

/// What a check said.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Answer {
    /// The engine saw it hold.
    Passed,
    /// The engine saw it not hold.
    Failed,
    /// It could not be tried, which counts as failed.
    CouldNotRun,
    /// It did not hold, but the gate does not judge by it (a workflow's stall check).
    Noted,
}

/// One check of a gate.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CheckView {
    /// Its name.
    pub check: String,
    /// What it said.
    pub verdict: Answer,
    /// Why, in a sentence.
    pub reason: String,
    /// The command, if it ran one.
    pub argv: Vec<String>,
    /// The command's exit code.
    pub exit: Option<i32>,
    /// The hash of the tree it looked at; empty if none.
    pub tree: String,
    /// Connections that the command was refused, in a line; empty if there is nothing to say.
    pub refused: String,
    /// How long it took.
    pub millis: u64,
    /// What was kept.
    pub evidence: Vec<Link>,
}

/// One attempt of an agent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AttemptView {
    /// Its number in the journal.
    pub effect: String,
    /// The state it worked in.
    pub state: String,
    /// The role it had.
    pub role: String,
    /// How it ended (`done`, `crashed`, ...), or `running`.
    pub ended: String,
    /// Why, in a sentence.
    pub reason: String,
    /// Connections that it was refused, in a line; empty if there is nothing to say.
    pub refused: String,
    /// How long it took.
    pub millis: u64,
    /// Tokens read and written.
    pub tokens: u64,
    /// Millionths of a US dollar.
    pub micro_dollars: u64,
    /// Brief, transcript and whatever else was kept.
    pub evidence: Vec<Link>,
}

/// Something that the engine refused.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RefusalView {
    /// Its stable code.
    pub code: String,
    /// What was refused.
    pub what: String,
    /// How to mend it.
    pub mend: String,
}

/// Something that a person decided.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DecisionView {
    /// Who.
    pub who: String,
    /// Through which channel.
    pub channel: String,
    /// The option taken.
    pub option: String,
    /// Why.
    pub because: String,
    /// When.
    pub at: String,
}

/// A file beside the page.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Link {
    /// What it is, for people.
    pub name: String,
    /// Its path relative to the page, not encoded. An absolute one is shown but not linked.
    pub href: String,
    /// Bytes.
    pub size: u64,
}

/// The journal's last record.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Head {
    /// Its number.
    pub seq: u64,
    /// Its hash.
    pub hash: String,
}

/// The page.
pub fn page(data: &PageData) -> String {
    let mut out = Out::new();
    out.raw(&format!(
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <meta name=\"color-scheme\" content=\"light dark\">\n\
         <meta name=\"referrer\" content=\"no-referrer\">\n\
         <meta http-equiv=\"Content-Security-Policy\" content=\"{POLICY}\">\n\
         <title>{run}: {verdict}</title>\n<style>\n{STYLE}</style>\n</head>\n<body>\n",
        run = esc(&data.run),
        verdict = verdict::of(data).headline,
    ));
    if data.origin == Origin::Scripted {
        out.raw(
            "<p class=\"banner\" role=\"note\">The model's replies in this run were scripted; \
             every check, file and hash is real.</p>\n",
        );
    }
    verdict::header(&mut out, data);
    out.raw("<main>\n");
    people::waiting(&mut out, data);
    verdict::facts(&mut out, data);
    people::promise(&mut out, data);
    gates::section(&mut out, data);
    attempts::section(&mut out, data);
    people::decisions(&mut out, data);
    people::refusals(&mut out, data);
    attempts::artifacts(&mut out, data);
    people::audit(&mut out, data);
    out.raw("</main>\n</body>\n</html>\n");
    out.done()
}

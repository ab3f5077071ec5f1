//! What came back from an effect: the stored shapes of attempts and checks.
//!
//! Every struct here is written into journals, so a new field needs `#[serde(default)]`.

use crate::effect::{Frozen, Weight};
use crate::ids::{EffectId, StateName, Word};
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};

/// How an answer reached us.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Found {
    /// The engine that began it saw it end.
    #[default]
    Live,
    /// It had ended before a crash; its answer was found on disk afterwards and not paid for again.
    AfterRestart,
}

/// How an attempt ended, as the engine saw it. The class decides what the machine does next.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Class {
    /// The agent ended by itself and left a valid result.
    Done,
    /// It ended without a result, or with a failure of its own.
    Crashed,
    /// The engine's wall or idle limit ran out.
    TimedOut,
    /// The engine killed it for another reason.
    Killed,
    /// The result is not the JSON that was asked for.
    InvalidResult,
    /// It wrote where its role may not write; nothing was taken back.
    OutOfScope,
    /// The tree changed under it; nothing was taken back.
    Conflict,
    /// The environment could not run it (missing program, no rights, bad script).
    CouldNotRun,
    /// The provider did not accept the key or the login.
    Auth,
    /// The provider's quota is used up; it is free again later.
    Quota,
    /// A passing fault: overload, a cut stream, a server error.
    Transient,
    /// The conversation grew past the model's window.
    Overflow,
    /// The model declined to do the work.
    Declined,
}

impl Class {
    /// Every way to end other than well.
    pub const TROUBLES: [Class; 12] = [
        Class::Crashed,
        Class::TimedOut,
        Class::Killed,
        Class::InvalidResult,
        Class::OutOfScope,
        Class::Conflict,
        Class::CouldNotRun,
        Class::Auth,
        Class::Quota,
        Class::Transient,
        Class::Overflow,
        Class::Declined,
    ];

    /// The class's stored name.
    pub fn as_str(self) -> &'static str {
        match self {
            Class::Done => "done",
            Class::Crashed => "crashed",
            Class::TimedOut => "timed_out",
            Class::Killed => "killed",
            Class::InvalidResult => "invalid_result",
            Class::OutOfScope => "out_of_scope",
            Class::Conflict => "conflict",
            Class::CouldNotRun => "could_not_run",
            Class::Auth => "auth",
            Class::Quota => "quota",
            Class::Transient => "transient",
            Class::Overflow => "overflow",
            Class::Declined => "declined",
        }
    }
}

/// What an attempt cost. Money is whole micro-dollars: sums of floats drift.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Usage {
    /// Tokens read by the model.
    #[serde(default)]
    pub input_tokens: u64,
    /// Of those, the ones that the provider had cached.
    #[serde(default, skip_serializing_if = "none")]
    pub cached_tokens: u64,
    /// Tokens written by the model.
    #[serde(default)]
    pub output_tokens: u64,
    /// Millionths of a US dollar.
    #[serde(default)]
    pub micro_dollars: u64,
}

/// Older journals have no such member: leaving it out where there is nothing keeps their bytes.
fn none(count: &u64) -> bool {
    *count == 0
}

impl Usage {
    /// Did it cost nothing?
    pub fn is_nothing(&self) -> bool {
        *self == Self::default()
    }
}

/// A pointer into the vault: content hash, a name for people, a media type.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct EvidenceRef {
    /// SHA-256 of the content, in hex.
    pub hash: String,
    /// What it is, for people.
    pub name: String,
    /// Bytes.
    #[serde(default)]
    pub size: u64,
    /// It stays on this machine, out of everybody's sight, until the run is over.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub sealed: bool,
}

/// The end of one attempt.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Outcome {
    /// How it ended.
    pub class: Class,
    /// One sentence.
    pub reason: String,
    /// A stable code for what was refused, where there is a narrower one than the class.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub code: Option<String>,
    /// The typed result, if there is a valid one.
    #[serde(
        default,
        skip_serializing_if = "Option::is_none",
        deserialize_with = "present"
    )]
    pub result: Option<Value>,
    /// The state that the agent asks for next. A request, never a fact.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub request: Option<StateName>,
    /// Fields of the task's state file that the agent changed and may change.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub fields: BTreeMap<String, String>,
    /// Who worked: the connector's name.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub agent: String,
    /// Did nothing confine it? Then what it read and reached is not known.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub unconfined: bool,
    /// The model that it worked with, where it says so or was told which.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// The agent's own session, to go on with.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session: Option<String>,
    /// The session of an earlier attempt that it went on in.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub resumed: Option<String>,
    /// What it cost.
    #[serde(default)]
    pub usage: Usage,
    /// When the provider wants to be asked again, in milliseconds from the end.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub retry_after_millis: Option<u64>,
    /// Hash of the repository tree that it was given.
    #[serde(default)]
    pub tree_before: String,
    /// Hash of the repository tree that it left (equal, if nothing was taken back).
    #[serde(default)]
    pub tree_after: String,
    /// Connections that its policy refused, each a target such as `HOST:PORT`, and how often if
    /// more than once.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub denied: Vec<String>,
    /// Why `denied` says nothing of connections past the proxy, if it does not.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unrecorded: Option<String>,
    /// Paths that it changed, repository and task folder, sorted.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub changed: Vec<String>,
    /// The ref that keeps what it had made, where that was not taken; of one that ended well, what a
    /// person had in no commit where it made its changes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub kept: Option<String>,
    /// The brief, the transcript and whatever else is worth keeping.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub evidence: Vec<EvidenceRef>,
}

/// A member that is there is a result, also when it is `null`: replay must see what the live machine
/// saw, and serde alone would read `null` as "none".
fn present<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Value>, D::Error> {
    Value::deserialize(deserializer).map(Some)
}

impl Outcome {
    /// What it was refused, in one line, if there is anything to say.
    pub fn refused_connections(&self) -> Option<String> {
        match self.unconfined {
            true => Some(UNCONFINED.to_owned()),
            false => refused_connections(&self.denied, self.unrecorded.as_deref()),
        }
    }

    /// An outcome with nothing but a class and its reason.
    pub fn bare(class: Class, reason: impl Into<String>) -> Self {
        Self {
            class,
            reason: reason.into(),
            code: None,
            result: None,
            request: None,
            fields: BTreeMap::new(),
            agent: String::new(),
            unconfined: false,
            model: None,
            session: None,
            resumed: None,
            usage: Usage::default(),
            retry_after_millis: None,
            tree_before: String::new(),
            tree_after: String::new(),
            denied: Vec::new(),
            unrecorded: None,
            changed: Vec::new(),
            kept: None,
            evidence: Vec::new(),
        }
    }
}

/// The last valid result that a role left in a run, for gates that judge somebody else's word.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RoleResult {
    /// The attempt that left it.
    pub attempt: EffectId,
    /// Hash of the repository tree that the attempt left: what the result is about.
    #[serde(default)]
    pub tree: String,
    /// The result itself.
    pub value: Value,
}

/// What a check says. "Not run" is not "passed".
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Verdict {
    /// The engine saw it hold.
    Pass,
    /// The engine saw it not hold.
    Fail,
    /// It could not be tried, which fails the gate like a failure.
    CouldNotRun,
}

impl Verdict {
    /// The verdict's stored name.
    pub fn as_str(self) -> &'static str {
        match self {
            Verdict::Pass => "pass",
            Verdict::Fail => "fail",
            Verdict::CouldNotRun => "could_not_run",
        }
    }
}

/// One check's answer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CheckResult {
    /// The check's name, with its subject where there is more than one (`command: cargo test`).
    pub check: String,
    pub verdict: Verdict,
    /// One line.
    pub reason: String,
    /// All that whoever must mend it needs to know, where one line cannot hold it: every finding,
    /// every failed test with its message, the command and the end of its output.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub details: String,
    /// A stable code for what it refuses, if it has one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub code: Option<String>,
    /// What the verdict rests on.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub evidence: Vec<EvidenceRef>,
    /// The command that the engine ran, if it ran one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ran: Option<Ran>,
    /// Advisory answers do not fail a gate.
    #[serde(default, skip_serializing_if = "Weight::is_binding")]
    pub weight: Weight,
    /// Words for the table's `shows` guards.
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    pub shows: BTreeSet<Word>,
    /// What the check froze; it holds once the whole gate has passed.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub froze: Frozen,
    /// The role whose word it is, where the engine did not see it itself.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub said_by: Option<String>,
}

/// What a check shows where a suite is not green before anybody works: people are told at once.
pub const RED_BEFORE: &str = "red_before";

/// What passed evidence is worth, in the word that a check shows; the strongest last.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Worth {
    /// Nothing shows that it could have failed.
    Weak,
    /// The judged process says so about itself, and controls showed that it could have failed.
    Reported,
    /// The engine saw it from outside.
    Observed,
}

/// The check that runs the commands which a role of the run has named.
pub const PROOFS: &str = "proofs";

/// The check that finds what was changed though nobody asked for it, and its word for that.
pub const UNASKED: &str = "unasked";

impl Worth {
    /// All of them, weakest first.
    pub const ALL: [Worth; 3] = [Worth::Weak, Worth::Reported, Worth::Observed];

    /// The word, as journals have it among what a check shows.
    pub fn as_str(self) -> &'static str {
        match self {
            Worth::Weak => "weak",
            Worth::Reported => "reported",
            Worth::Observed => "observed",
        }
    }

    /// What an answer says of itself; none where it did not pass, or executed no suite and no product.
    pub fn of(result: &CheckResult) -> Option<Self> {
        let says = |one: &Worth| {
            result
                .shows
                .iter()
                .any(|word| word.as_str() == one.as_str())
        };
        let passed = result.verdict == Verdict::Pass;
        Self::ALL.into_iter().find(says).filter(|_| passed)
    }
}

/// A command as the engine ran it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Ran {
    /// The exact argument vector.
    pub argv: Vec<String>,
    /// The exit code; none if a signal or we ended it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub exit: Option<i32>,
    /// Why we killed it, if we did.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub killed: Option<String>,
    /// Hash of the tree that it ran on.
    #[serde(default)]
    pub tree: String,
    /// Hash of its whole output.
    #[serde(default)]
    pub output: String,
    /// Wall time in milliseconds.
    #[serde(default)]
    pub millis: u64,
    /// Connections that its policy refused, as in [`Outcome::denied`].
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub denied: Vec<String>,
    /// As in [`Outcome::unrecorded`].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unrecorded: Option<String>,
}

impl Ran {
    /// What it was refused, in one line, if there is anything to say.
    pub fn refused_connections(&self) -> Option<String> {
        refused_connections(&self.denied, self.unrecorded.as_deref())
    }
}

/// Is it a question for the address of a name? Whoever wants to connect asks for the name first, and each
/// program asks again: the record has it, and no person needs it.
pub fn is_name_look_up(target: &str) -> bool {
    let address = target.split(' ').next().unwrap_or_default();
    address.ends_with(":53")
}

/// What is told of an attempt that nothing confined.
pub const UNCONFINED: &str =
    "not confined: a person's own session worked; what it read and reached is not known";

fn refused_connections(denied: &[String], unrecorded: Option<&str>) -> Option<String> {
    let targets = denied.iter().filter(|target| !is_name_look_up(target));
    let targets: Vec<&str> = targets.map(String::as_str).collect();
    let (none, targets) = (targets.is_empty(), targets.join(", "));
    match (none, unrecorded) {
        (true, None) => None,
        (false, None) => Some(format!("refused connections: {targets}")),
        (true, Some(why)) => Some(format!(
            "refused connections: none at the proxy, past it not known ({why})"
        )),
        (false, Some(why)) => Some(format!(
            "refused connections: {targets}; past the proxy not known ({why})"
        )),
    }
}

/// The code of an answer that only a person can mend: the machine has no sandbox for the check, and
/// nothing that an agent does gives it one.
pub const UNHELD: &str = "sandbox_unavailable";

impl CheckResult {
    /// Could it not be run for want of a sandbox?
    pub fn is_unheld(&self) -> bool {
        self.verdict == Verdict::CouldNotRun && self.code.as_deref() == Some(UNHELD)
    }

    /// A result without evidence.
    pub fn new(check: impl Into<String>, verdict: Verdict, reason: impl Into<String>) -> Self {
        Self {
            check: check.into(),
            verdict,
            reason: reason.into(),
            details: String::new(),
            code: None,
            evidence: Vec::new(),
            ran: None,
            weight: Weight::Binding,
            shows: BTreeSet::new(),
            froze: Frozen::new(),
            said_by: None,
        }
    }
}

/// How a text says that its middle is missing.
pub const LEFT_OUT: &str = "characters left out]";

/// The word of a failure that lies in what was handed in, and not in what it is about: an answer without
/// evidence, a section that is missing, a proof that would hold for anything. Whoever handed it in can
/// mend it, and nobody else.
pub const FORM: &str = "form";

/// Is everything that holds this gate shut a matter of form?
pub fn fails_in_form(results: &[CheckResult]) -> bool {
    let mut failed = results
        .iter()
        .filter(|one| !passes(std::slice::from_ref(one)))
        .peekable();
    let in_form = |one: &CheckResult| one.shows.iter().any(|word| word.as_str() == FORM);
    failed.peek().is_some() && failed.all(in_form)
}

/// A gate passes when every binding check passed. An empty gate passes: the workflow asked for
/// nothing.
pub fn passes(results: &[CheckResult]) -> bool {
    results
        .iter()
        .all(|result| result.verdict == Verdict::Pass || result.weight == Weight::Advisory)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn people_hear_of_connections_and_not_of_the_look_ups_before_them() {
        let denied = |targets: &[&str]| {
            let targets: Vec<String> = targets.iter().map(|one| (*one).to_owned()).collect();
            refused_connections(&targets, None)
        };
        let both = denied(&["127.0.0.53:53 (4 times)", "192.0.2.1:443", "[::1]:53"]);
        assert_eq!(both.as_deref(), Some("refused connections: 192.0.2.1:443"));
        assert_eq!(denied(&["8.8.8.8:53"]), None);
        // Another port that ends alike is a connection.
        let other = denied(&["192.0.2.1:5353", "h:8053"]);
        let other = other.unwrap_or_default();
        assert!(other.ends_with("192.0.2.1:5353, h:8053"), "{other}");
    }
}

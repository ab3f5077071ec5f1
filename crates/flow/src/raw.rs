//! The shape of `workflow.toml`, as written. Unknown keys are refused by serde, with their line.

use serde::Deserialize;
use serde_json::Value;
use std::collections::BTreeMap;
use toml::Spanned;

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct RawWorkflow {
    pub(crate) name: String,
    pub(crate) about: String,
    pub(crate) initial: Spanned<String>,
    #[serde(default)]
    pub(crate) stepping: RawStepping,
    pub(crate) stall_check: Option<Spanned<String>>,
    /// Does a pass without progress stop the run, whatever its gate says?
    #[serde(default)]
    pub(crate) stall_stops: bool,
    /// What a role says that stops at once, label by label.
    #[serde(default)]
    pub(crate) stops: OneOrMany,
    /// Is a person asked where an agent changes nothing after a gate has failed?
    #[serde(default)]
    pub(crate) idle_stops: bool,
    /// Where a budget is used up, a person may have the gate judge once more what it has refused.
    #[serde(default)]
    pub(crate) looks_again: bool,
    /// As many attempts in a row that fail alike and change nothing, and a person is asked.
    pub(crate) alike_stops: Option<u32>,
    /// As many attempts in a row that fail alike, whatever they change, and a person is asked.
    pub(crate) failures_stop: Option<u32>,
    #[serde(default)]
    pub(crate) rules: RawRules,
    #[serde(default)]
    pub(crate) checkpoint: RawCheckpoint,
    #[serde(default)]
    pub(crate) sessions: RawSessions,
    pub(crate) preamble: Option<Spanned<String>>,
    /// Human actions that whoever starts a run says by starting it.
    #[serde(default)]
    pub(crate) start_with: OneOrMany,
    /// Names of freezes that an audit holds against the files of a run that has completed.
    #[serde(default)]
    pub(crate) sealed: OneOrMany,
    /// What is said to decisions that make no sense where the run stands.
    #[serde(default)]
    pub(crate) refusal: Vec<Spanned<RawRefusal>>,
    pub(crate) task: Option<RawTask>,
    pub(crate) snapshot: Option<Spanned<RawSnapshot>>,
    #[serde(default)]
    pub(crate) role: BTreeMap<String, Spanned<RawRole>>,
    #[serde(default)]
    pub(crate) tool: BTreeMap<String, Spanned<RawTool>>,
    #[serde(default)]
    pub(crate) counter: BTreeMap<String, Spanned<RawCounter>>,
    pub(crate) state: BTreeMap<String, Spanned<RawState>>,
    pub(crate) transition: Vec<Spanned<RawTransition>>,
    /// Who judges which text: file to heading to judge.
    #[serde(default)]
    pub(crate) judged: BTreeMap<String, Spanned<BTreeMap<String, String>>>,
}

#[derive(Debug, Deserialize, Default, Clone, Copy, PartialEq)]
#[serde(rename_all = "snake_case")]
pub(crate) enum RawStepping {
    #[default]
    Held,
    Table,
}

#[derive(Debug, Deserialize, Default, Clone, Copy, PartialEq)]
#[serde(rename_all = "snake_case")]
pub(crate) enum RawCheckpoint {
    #[default]
    Never,
    PassedGates,
}

#[derive(Debug, Deserialize, Default, Clone, Copy, PartialEq)]
#[serde(rename_all = "snake_case")]
pub(crate) enum RawSessions {
    #[default]
    Resume,
    Fresh,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct RawTask {
    pub(crate) state_file: String,
    pub(crate) files: Vec<Spanned<String>>,
    #[serde(default)]
    pub(crate) folders: Vec<String>,
    #[serde(default)]
    pub(crate) evidence_page: Option<String>,
    /// The folder that `new` takes if none is given.
    pub(crate) folder: Option<String>,
    /// The field that takes what is written behind the workflow's name.
    pub(crate) request: Option<String>,
    /// The human action that giving a request says.
    pub(crate) request_says: Option<String>,
    /// The fields that say what was promised; the request's, if there are none.
    #[serde(default)]
    pub(crate) promise: OneOrMany,
    /// The fields whose word decides what gates ask for: who approves reads them.
    #[serde(default)]
    pub(crate) decides: OneOrMany,
    /// A history for people, written by the engine.
    pub(crate) log: Option<String>,
    /// What changed since the run's first checkpoint, written by the engine.
    pub(crate) patch: Option<String>,
    /// What whoever delivers writes for the person who approves.
    pub(crate) record: Option<String>,
    /// Files of the repository that must be there before a run begins.
    #[serde(default)]
    pub(crate) needs: Vec<RawNeed>,
    pub(crate) phase_field: String,
    #[serde(default)]
    pub(crate) field: Vec<Spanned<RawField>>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct RawNeed {
    pub(crate) file: Spanned<String>,
    /// Its lines `Name:` are what a person is asked.
    pub(crate) template: String,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct RawRefusal {
    pub(crate) option: String,
    /// The states in which it is said; none: everywhere.
    #[serde(default)]
    pub(crate) states: OneOrMany,
    pub(crate) code: String,
    pub(crate) why: String,
    pub(crate) mend: String,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct RawField {
    pub(crate) name: String,
    /// What the engine writes there; absent: agents and people write it.
    pub(crate) engine: Option<String>,
    pub(crate) about: Option<String>,
    /// The states in which agents may write it; absent: in all.
    pub(crate) written_in: Option<Vec<String>>,
    /// The code with which an agent's attempt is refused that writes it where it may not.
    pub(crate) refuse: Option<String>,
    /// What it says where a run was begun with a sentence, and a person gave it no value.
    pub(crate) given: Option<String>,
    /// What the engine writes for each action, where its fact is one.
    #[serde(default)]
    pub(crate) words: BTreeMap<String, String>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct RawRole {
    pub(crate) can: Vec<crate::workflow::Capability>,
    pub(crate) about: String,
    #[serde(default)]
    pub(crate) tier: RawTier,
    pub(crate) sees: Option<Vec<String>>,
    #[serde(default)]
    pub(crate) hidden: Vec<String>,
    pub(crate) scope: Option<Vec<String>>,
    /// The file with the JSON Schema of its results.
    pub(crate) result: Option<Spanned<String>>,
    /// Documents of the task, or sections of them, that it gets in a file of its own.
    #[serde(default)]
    pub(crate) reads: Vec<String>,
    /// What it hands in for the engine alone.
    pub(crate) hands_in: Option<crate::workflow::Paper>,
    /// Tools of this file that it may call.
    #[serde(default)]
    pub(crate) tools: Vec<String>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct RawTool {
    pub(crate) about: String,
    pub(crate) command: Vec<String>,
    #[serde(default)]
    pub(crate) parameters: BTreeMap<String, String>,
    pub(crate) wall: Option<String>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct RawSnapshot {
    pub(crate) folder: String,
    pub(crate) latest: String,
    /// The field whose change starts the counters anew.
    pub(crate) id: String,
    pub(crate) header: Vec<String>,
    pub(crate) gates: Vec<RawSnapshotGate>,
    pub(crate) after: Vec<String>,
    pub(crate) evidence: Vec<String>,
    /// The state in which each open issue that asks for it is looked into by an attempt of its own.
    pub(crate) unknowns: Option<String>,
    #[serde(default)]
    pub(crate) verdicts: bool,
}

/// Which rules of the machine itself hold: a run keeps those that it began with.
#[derive(Debug, Deserialize, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
#[serde(try_from = "u32")]
pub(crate) struct RawRules(pub(crate) u32);

impl Default for RawRules {
    fn default() -> Self {
        Self(1)
    }
}

impl TryFrom<u32> for RawRules {
    type Error = String;

    fn try_from(number: u32) -> Result<Self, String> {
        match number {
            1 | 2 => Ok(Self(number)),
            _ => Err(format!("there are the rules 1 and 2, and not {number}")),
        }
    }
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct RawSnapshotGate {
    pub(crate) name: String,
    pub(crate) state: String,
}

#[derive(Debug, Deserialize, Default, Clone, Copy)]
#[serde(rename_all = "snake_case")]
pub(crate) enum RawTier {
    Fast,
    #[default]
    Standard,
    Top,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct RawCounter {
    pub(crate) cap: u32,
    pub(crate) renewal: kernel::table::Renewal,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct RawState {
    pub(crate) kind: kernel::Kind,
    pub(crate) role: Option<String>,
    pub(crate) brief: Option<String>,
    pub(crate) passes: Option<u32>,
    pub(crate) wall: Option<String>,
    #[serde(default)]
    pub(crate) gate: Vec<RawCheck>,
    /// Only in `work` states: what the role must answer, each with evidence.
    #[serde(default)]
    pub(crate) questions: Vec<RawQuestion>,
    pub(crate) completing: Option<bool>,
    /// Only in `rest` states: a run that rests here is done.
    #[serde(default)]
    pub(crate) done: bool,
    pub(crate) about: Option<String>,
    /// The field that a person is told first.
    pub(crate) tells: Option<String>,
    /// What a person goes through before they answer, a line each.
    #[serde(default)]
    pub(crate) checklist: Vec<String>,
    /// States whose roles' objections are heard and settled here.
    #[serde(default)]
    pub(crate) settles: OneOrMany,
    /// Only in `work` states: the gate is tried on what is there before an attempt is begun.
    #[serde(default)]
    pub(crate) gate_first: bool,
    /// Only in `work` states: where nothing but the form of what was handed in is wrong, the role is asked
    /// again, and no way of a failed gate is taken.
    #[serde(default)]
    pub(crate) asks_again: bool,
    /// Only in `work` states: the word with which a passed gate is one of a part of the work.
    pub(crate) goes_on: Option<String>,
    /// The state since whose checkpoint people see here what changed; none: since the run began.
    pub(crate) compares: Option<String>,
    /// Only in `gate` states: used-up attempts, tokens and money do not hold it.
    #[serde(default)]
    pub(crate) unpaid: bool,
}

#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct RawQuestion {
    pub(crate) id: String,
    pub(crate) asks: String,
    /// The answers that pass.
    #[serde(default = "yes")]
    pub(crate) answers: Vec<String>,
    /// Asked of each id of a document.
    pub(crate) each: Option<RawEach>,
    /// The word with which it is not asked, where a check of the gate shows it.
    pub(crate) unless: Option<String>,
}

fn yes() -> Vec<String> {
    vec!["yes".to_owned()]
}

#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct RawEach {
    pub(crate) pattern: String,
    pub(crate) file: String,
    pub(crate) section: Option<String>,
}

#[derive(Debug, Deserialize)]
#[serde(untagged)]
pub(crate) enum RawCheck {
    Name(String),
    Settings(BTreeMap<String, Value>),
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct RawTransition {
    pub(crate) action: String,
    /// What a person who takes it does, in a line.
    #[serde(default)]
    pub(crate) about: String,
    pub(crate) from: OneOrMany,
    pub(crate) to: String,
    pub(crate) by: kernel::Actor,
    #[serde(default)]
    pub(crate) when: OneOrMany,
    #[serde(default)]
    pub(crate) count: OneOrMany,
    #[serde(default)]
    pub(crate) reset: OneOrMany,
    /// `from`, `clear` or a state's name.
    #[serde(rename = "return")]
    pub(crate) slot: Option<String>,
    #[serde(default)]
    pub(crate) revert: bool,
    #[serde(default)]
    pub(crate) post_mortem: bool,
    #[serde(default)]
    pub(crate) forget: OneOrMany,
    /// Labels that a person's reason must fill.
    #[serde(default)]
    pub(crate) needs: OneOrMany,
    /// Those of them that are a day which is not over yet.
    #[serde(default)]
    pub(crate) needs_ahead: OneOrMany,
    /// The one of them that names a file which is there, or a program.
    pub(crate) needs_there: Option<String>,
    /// The code of the refusal if it does not.
    pub(crate) needs_code: Option<String>,
    /// The code of the refusal before the state's gate has spoken in this visit.
    pub(crate) after_gate: Option<String>,
    /// The code with which it is refused once somebody has changed code.
    pub(crate) unless_changed: Option<String>,
    /// Kinds of findings that it does not lead past while one is open.
    #[serde(default)]
    pub(crate) never_over: OneOrMany,
    /// The code of that refusal.
    pub(crate) never_over_code: Option<String>,
    /// The action of a person's after which the engine does not take it, as long as nobody left that state
    /// in another way since.
    pub(crate) unless_taken: Option<String>,
    /// Codes of which a gate that has not passed since must have said one.
    #[serde(default)]
    pub(crate) after_refused: OneOrMany,
    /// The state whose work is committed and set aside.
    pub(crate) sets_aside: Option<String>,
    /// The state behind whose checkpoint the repository is then.
    pub(crate) back_to: Option<String>,
    /// The label behind which a person's reason names what of it goes; without it, nothing does.
    pub(crate) aside_named: Option<String>,
    /// Does what was set aside come back?
    #[serde(default)]
    pub(crate) takes_back: bool,
    /// Is the gate of the state that it leads to tried on what is there, before an attempt is begun?
    #[serde(default)]
    pub(crate) gate_first: bool,
    /// What a person's reason opens again.
    pub(crate) opens: Option<RawOpens>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct RawOpens {
    /// The label behind which a frozen file is named.
    pub(crate) label: String,
    /// The field that takes its name.
    pub(crate) field: String,
    /// The name of the freeze.
    pub(crate) of: String,
    /// The code of the refusal if it was not frozen.
    pub(crate) code: String,
    #[serde(default)]
    pub(crate) among: Option<String>,
}

#[derive(Debug, Deserialize)]
#[serde(untagged)]
pub(crate) enum OneOrMany {
    One(String),
    Many(Vec<String>),
}

impl Default for OneOrMany {
    fn default() -> Self {
        OneOrMany::Many(Vec::new())
    }
}

impl OneOrMany {
    pub(crate) fn list(&self) -> Vec<&str> {
        match self {
            OneOrMany::One(one) => vec![one],
            OneOrMany::Many(many) => many.iter().map(String::as_str).collect(),
        }
    }
}

//! A loaded workflow: the table, and what surrounds it (roles, briefs, gates, the task's files).

pub use kernel::effect::Capability;
use kernel::effect::{Access, Sight};
use kernel::event::Moved;
use kernel::finding::FindingKind;
use kernel::table::{Actor, Guard, Table, Target};
use kernel::{CheckSpec, Refusal, StateName, Word};
use serde_json::Value;
use std::collections::BTreeMap;

/// A role: capabilities and a sentence.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Role {
    /// What it may do.
    pub can: Vec<Capability>,
    pub about: String,
    /// How strong a model it wants: `fast`, `standard` or `top`.
    pub tier: &'static str,
    /// What it sees of the repository, and where it may write; fields are not filled in yet.
    pub sight: Sight,
    /// The JSON Schema of its results, on top of what every result has; a valid one.
    pub result: Option<Value>,
    /// Documents of the task, or sections of them (`task/FILE#HEADING`), that it gets in a file of its
    /// own, whatever else of the task it sees.
    pub reads: Vec<String>,
    /// What it hands in for the engine alone; then all that it says is kept under seal.
    pub hands_in: Option<Paper>,
    /// Tools of the workflow that it may call, where its agent can.
    pub tools: Vec<String>,
}

/// What a role may hand in for nobody but the engine.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Paper {
    /// Questions to the product, and what must hold of its answers.
    Exam,
}

impl Paper {
    /// The member of the result that it stands in.
    pub fn member(self) -> &'static str {
        match self {
            Paper::Exam => kernel::exam::EXAM,
        }
    }

    /// A short one, as a result has it.
    pub(crate) fn example(self) -> Value {
        match self {
            Paper::Exam => kernel::exam::example(),
        }
    }

    pub(crate) fn schema(self) -> Value {
        match self {
            Paper::Exam => kernel::exam::schema(),
        }
    }
}

/// A tool that a workflow adds to those that every model has: a command with holes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Tool {
    /// What it does, for the model.
    pub about: String,
    /// The program and its arguments; `{NAME}` is a parameter's place.
    pub command: Vec<String>,
    /// The parameters, each with a sentence for the model.
    pub parameters: BTreeMap<String, String>,
    /// How long one call may take.
    pub wall_millis: u64,
}

impl Role {
    /// May it change the repository?
    pub fn access(&self) -> Access {
        if self.can.contains(&Capability::Edit) {
            Access::Edit
        } else {
            Access::ReadOnly
        }
    }
}

/// What surrounds a state of the table.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StateDef {
    /// The role that works here; only in `work` states.
    pub role: Option<String>,
    /// The brief's text.
    pub brief: String,
    /// The state since whose checkpoint people see here what changed.
    pub compares: Option<StateName>,
    /// The gate's checks, and behind them the one that reads the answers.
    pub gate: Vec<CheckSpec>,
    /// What the role answers in its result.
    pub questions: Vec<Question>,
    /// The attempt's wall limit.
    pub wall_millis: u64,
    /// A sentence for people.
    pub about: String,
    /// The field that a person is told first.
    pub tells: Option<String>,
    /// What a person goes through before they answer, a line each.
    pub checklist: Vec<String>,
    /// In a `rest` state: is a run that rests here done, until a person says otherwise?
    pub done: bool,
    /// States whose roles' objections are settled by leaving this one.
    pub settles: Vec<StateName>,
    /// Is the gate tried on what is there, before an attempt is begun?
    pub gate_first: bool,
    /// Is the role asked again where nothing but the form of what it handed in is wrong?
    pub asks_again: bool,
    /// The word with which a passed gate was that of a part of the work: it goes on here.
    pub goes_on: Option<Word>,
    /// In a `gate` state: does it run although attempts, tokens or money are used up?
    pub unpaid: bool,
}

/// A question that a role answers, because no machine can.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Question {
    /// Its key in the result's `answers`; followed by an id where it is asked of each.
    pub id: String,
    pub asks: String,
    /// The answers that pass; any other holds the gate.
    pub answers: Vec<String>,
    /// The ids that it is asked of, each by itself.
    pub each: Option<Each>,
    /// It is not asked where a check of the gate shows this word.
    pub unless: Option<String>,
}

/// The ids of a document.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Each {
    /// A regular expression for them.
    pub pattern: String,
    pub file: String,
    /// The heading over them; none: the whole file.
    pub section: Option<String>,
}

/// Who writes a field of the state file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Owner {
    /// Agents and people.
    Author,
    /// The engine, from this fact about the run.
    Engine(Fact),
}

/// A fact about the run that the engine writes into a field.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Fact {
    /// The present state.
    State,
    /// What the run does or waits for.
    Status,
    /// When it last changed.
    Updated,
    /// The link to the evidence page.
    EvidenceLink,
    /// yes | no: was this state ever entered?
    Visited(StateName),
    /// pending | pass | fail: the state's last gate.
    Gate(StateName),
    /// The same, but only a gate after the last visit of the other state counts.
    GateAfter(StateName, StateName),
    /// The run's name.
    Run,
    /// The day it was started.
    Created,
    /// The present rung.
    Autonomy,
    /// The declared risk.
    Risk,
    /// DRAFT, or FROZEN with the version and who approved: the state's gate, and the human action.
    FrozenBy(StateName, String),
    /// What a person opened again, by the field's own name.
    Opened,
    /// How the run last left one of these states.
    Left(Vec<StateName>, Leaving),
    /// yes | no | pending: did the state's last gate raise nothing with this code?
    Clear(StateName, String),
}

/// What is told of how a state was left.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Leaving {
    /// By which action, in the field's own words.
    How,
    /// By whom, and through which channel.
    By,
    /// With which reason.
    Because,
}

/// One `Name:` line of the state file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Field {
    /// The name before the colon.
    pub name: String,
    /// Who writes it.
    pub owner: Owner,
    /// What it means.
    pub about: String,
    /// What the state file's template says there.
    pub default: String,
    /// The states in which agents may write it; none: all.
    pub written_in: Option<Vec<StateName>>,
    /// The code with which writing it elsewhere is refused; none: such an edit is ignored.
    pub refuse: Option<String>,
    /// What the engine writes for each action.
    pub words: BTreeMap<String, String>,
    /// What it says where a run was begun with a sentence; `{checks}` are the run's commands.
    pub given: Option<String>,
}

impl Field {
    /// May an agent in this state write it?
    pub fn is_open_in(&self, state: &StateName) -> bool {
        self.owner == Owner::Author
            && self
                .written_in
                .as_ref()
                .is_none_or(|states| states.contains(state))
    }
}

/// What is said to a decision that makes no sense where the run stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rebuff {
    /// The option; with a `*` at its end, whatever begins so.
    pub option: String,
    /// The states in which this is said; none: everywhere.
    pub states: Vec<StateName>,
    pub refusal: Refusal,
}

/// The files of a task.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Task {
    /// The file that holds the fields.
    pub state_file: String,
    /// The field that shows the state, and whose edit is a request.
    pub phase_field: String,
    /// Files of a new task: name and text.
    pub files: BTreeMap<String, String>,
    /// Folders of a new task.
    pub folders: Vec<String>,
    /// The evidence page, relative to the task folder.
    pub evidence_page: Option<String>,
    /// The fields, in order.
    pub fields: Vec<Field>,
    /// The folder that `new` takes if none is given.
    pub folder: Option<String>,
    /// The field that takes what is written behind the workflow's name.
    pub request: Option<String>,
    /// The human action that giving a request says.
    pub request_says: Option<String>,
    /// The fields that say what was promised, the most telling one first.
    pub promise: Vec<String>,
    /// The fields whose word decides what gates ask for.
    pub decides: Vec<String>,
    /// A history for people, relative to the task folder.
    pub log: Option<String>,
    /// All that changed since the run's first checkpoint, relative to the task folder.
    pub patch: Option<String>,
    /// What whoever delivers writes for the person who approves, relative to the task folder.
    pub record: Option<String>,
    /// Files of the repository that must be there first, each with its template.
    pub needs: BTreeMap<String, String>,
}

/// What a transition does besides moving.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct After {
    /// What a person who takes the way does, in a line; may be empty.
    pub about: String,
    /// Commits the tree as it is, then puts back what agents have changed since the last checkpoint.
    pub revert: bool,
    /// Keeps what went wrong, for people and for the next brief of that state.
    pub post_mortem: bool,
    /// States whose passed gates stand no more.
    pub forget: Vec<StateName>,
    /// What a person's reason for it must hold.
    pub needs: Option<Needs>,
    /// What must not stand against it.
    pub bars: Bars,
    /// The action of a person's after which the engine does not take it.
    pub unless_taken: Option<String>,
    /// Work that is committed and set aside.
    pub aside: Option<SetAside>,
    /// Does what was set aside come back?
    pub takes_back: bool,
    /// Is the gate that it leads to tried on what is there, before an attempt is begun?
    pub gate_first: bool,
    /// What a person's reason opens again.
    pub opens: Option<Opens>,
}

/// Work that is set aside: committed, and out of the repository until it is taken back.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SetAside {
    /// The state that made it.
    pub of: StateName,
    /// The state behind whose checkpoint the repository is then.
    pub back_to: StateName,
    /// The label behind which a person's reason names the files that go, with commas between them;
    /// where there is one, nothing else does.
    pub named: Option<String>,
}

/// One frozen file that a person opens again by its name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Opens {
    /// The label behind which a reason names it.
    pub label: String,
    /// The field that takes the name.
    pub field: String,
    /// The name of the freeze.
    pub of: String,
    /// The code of the refusal if it was not frozen.
    pub code: String,
    /// The field whose globs say which of what was frozen may be opened; none: all of it.
    pub among: Option<String>,
}

impl Opens {
    /// The file that a reason names behind the label.
    pub fn named(&self, because: &str) -> Option<String> {
        labelled(because, &self.label)
    }
}

/// What a reason says behind a label.
pub fn labelled(because: &str, wanted: &str) -> Option<String> {
    let mut parts = because.split([';', '\n']);
    parts.find_map(|part| {
        let (label, value) = part.split_once([':', '='])?;
        let value = value.trim().trim_matches('`');
        let is_it = label.trim().eq_ignore_ascii_case(wanted) && !value.is_empty();
        is_it.then(|| value.to_owned())
    })
}

/// What keeps a person from taking a way, whatever they say.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Bars {
    /// The code of the refusal before the state's gate has spoken in this visit.
    pub after_gate: Option<String>,
    /// The code of the refusal once somebody has changed code.
    pub unless_changed: Option<String>,
    /// Kinds of findings of which none may be open, and the code of the refusal.
    pub never_over: Option<(Vec<FindingKind>, String)>,
    /// Codes of which a gate that has not passed since must have said one; none: it needs no such gate.
    pub after_refused: Vec<String>,
}

/// What a person's reason must hold.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Needs {
    /// `Label: value` for each of these; none: any words will do.
    pub labels: Vec<String>,
    /// Labels whose value begins with a day, `2031-12-24`, that is not over yet.
    pub ahead: Vec<String>,
    /// The label whose value begins with a file that is there. Only whoever sees files can tell.
    pub there: Option<String>,
    /// The code of the refusal.
    pub code: String,
}

/// When checkpoints are committed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Checkpoints {
    Never,
    /// After each passed gate.
    PassedGates,
}

/// May an attempt go on in the session of the one before it?
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Sessions {
    /// Inside of one state, where the agent can.
    Resume,
    /// What an agent knows comes from its brief and its view alone.
    Fresh,
}

/// A loaded workflow.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Workflow {
    pub name: String,
    /// A sentence.
    pub about: String,
    /// Hash over all its files.
    pub hash: String,
    /// Its control flow.
    pub table: Table,
    /// What each transition does besides moving, in the table's order.
    pub after: Vec<After>,
    /// Human actions that starting a run says.
    pub start_with: Vec<String>,
    /// Freezes that an audit holds against the files of a completed run.
    pub sealed: Vec<String>,
    /// What is said to decisions that make no sense.
    pub rebuffs: Vec<Rebuff>,
    /// What surrounds each state.
    pub states: BTreeMap<StateName, StateDef>,
    pub roles: BTreeMap<String, Role>,
    /// The tools that it adds.
    pub tools: BTreeMap<String, Tool>,
    /// The check whose failure is a stall.
    pub stall_check: Option<String>,
    /// Does such a failure stop the run, whatever the gate says? Else only where the gate leads
    /// nowhere.
    pub stall_stops: bool,
    /// The labels that a role fills that stops at once; none: it says why, in any form.
    pub stops: Vec<String>,
    /// Is a gate that failed not run again on what nobody has changed, and a person asked instead?
    pub idle_stops: bool,
    /// May a person have a gate judge once more what it has refused, where a budget is used up?
    pub looks_again: bool,
    /// As many attempts in a row that failed alike and changed nothing, and a person is asked.
    pub alike_stops: Option<u32>,
    /// As many attempts in a row that crashed or left a wrong result, each alike, and a person is asked;
    /// one more where they made something, which the next one is offered.
    pub failures_stop: Option<u32>,
    /// Which rules of the machine itself hold. From 2 on, who rejected work sees what became of it, what nobody
    /// has changed since is not judged again, and who hands in a wrong form without progress does so once. From
    /// 3 on, a snapshot tells one quote that is gone from several.
    pub rules: u32,
    /// When checkpoints are committed.
    pub checkpoints: Checkpoints,
    /// Whether attempts may go on in an agent's own session.
    pub sessions: Sessions,
    /// Text before every brief.
    pub preamble: String,
    /// The files of a task.
    pub task: Option<Task>,
    /// How context snapshots are made, if they are.
    pub snapshot: Option<crate::snapshot::SnapshotSpec>,
    /// Who judges which text, where the workflow says so.
    pub judged: Vec<Judged>,
}

/// A text that a gate asks for, and who judges what it says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Judged {
    /// `task/...` or `repo/...`, or `fields`.
    pub file: String,
    /// The heading, or the field.
    pub text: String,
    /// `check NAME in STATE`, `question ID in STATE` or `person in STATE`.
    pub by: String,
}

impl Workflow {
    /// What a move does besides moving.
    pub fn after(&self, moved: &Moved) -> Option<&After> {
        let ways = self.table.transitions.iter().zip(&self.after);
        let ways = ways.filter(|(way, _)| {
            way.action.as_str() == moved.action
                && way.from.contains(&moved.from)
                && match &way.to {
                    Target::State(to) => *to == moved.position.state,
                    Target::Return => true,
                }
        });
        let ways: Vec<_> = ways.collect();
        // The same way may be another thing when somebody else takes it; whom a person let go on takes their own.
        let own = ways.iter().find(|(way, _)| way.by == moved.by);
        own.or(ways.first()).map(|(_, after)| *after)
    }

    /// Does whoever works here hand in something for the engine alone?
    pub fn is_sealed_in(&self, state: &StateName) -> bool {
        let role = self.states.get(state).and_then(|def| def.role.as_ref());
        let role = role.and_then(|role| self.roles.get(role));
        role.is_some_and(|role| role.hands_in.is_some())
    }

    /// What it says to those who work, in all its briefs and of all fields: words that are no answer.
    pub fn teaches(&self) -> String {
        let briefs = self.states.values().map(|def| def.brief.as_str());
        let fields = self.task.iter().flat_map(|task| &task.fields);
        let said = std::iter::once(self.preamble.as_str()).chain(briefs);
        let said = said.chain(fields.map(|field| field.about.as_str()));
        said.collect::<Vec<&str>>().join("\n")
    }

    /// What the state file says before anybody has written into it.
    pub fn defaults(&self) -> BTreeMap<String, String> {
        let fields = self.task.iter().flat_map(|task| &task.fields);
        let authored =
            fields.filter(|field| field.owner == Owner::Author && !field.default.is_empty());
        authored
            .map(|field| (field.name.clone(), field.default.clone()))
            .collect()
    }

    /// The states behind this one that may be passed by what is done in it: their gates are tried
    /// first, and the same role works in them.
    pub fn joined(&self, state: &StateName) -> Vec<StateName> {
        let mut found: Vec<StateName> = Vec::new();
        let mut here = state.clone();
        loop {
            let ways = self.table.leaving(&here).map(|(_, way)| way);
            let mut ways = ways.filter(|way| {
                way.by != Actor::Human
                    && way.when.contains(&Guard::GatePass)
                    && !way.when.contains(&Guard::Requested)
            });
            let next = ways.next().map(|way| way.to.clone());
            drop(ways);
            let Some(Target::State(to)) = next else {
                return found;
            };
            let (from, next) = (&self.states[&here], &self.states[&to]);
            let goes_on = next.gate_first && next.role.is_some() && next.role == from.role;
            if !goes_on || to == *state || found.contains(&to) {
                return found;
            }
            found.push(to.clone());
            here = to;
        }
    }

    /// The check that a gate runs beside what it judges by.
    pub fn noted_check(&self) -> Option<&str> {
        self.stall_check.as_deref().filter(|_| !self.stall_stops)
    }

    /// The field with this name.
    pub fn field(&self, name: &str) -> Option<&Field> {
        let fields = self.task.iter().flat_map(|task| task.fields.iter());
        fields.into_iter().find(|field| field.name == name)
    }
}

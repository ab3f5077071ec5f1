//! From a folder's texts to a [`Workflow`], or to every problem in it with its line.

use crate::duration::parse_millis;
use crate::error::{LoadError, Problem};
use crate::lint;
use crate::raw::{
    RawCheck, RawCheckpoint, RawState, RawStepping, RawTask, RawTier, RawTransition, RawWorkflow,
};
use crate::workflow::{Checkpoints, Fact, Field, Owner, Role, StateDef, Task, Workflow};
use kernel::table::{
    Completing, Counter, Guard, Kind, Slot, Stalling, State, Stepping, Table, Target, Transition,
};
use kernel::{ActionName, CheckSpec, CounterName, StateName};
use serde_json::Value;
use sha2::{Digest, Sha256};
use std::collections::BTreeMap;

/// A workflow's folder: its name and its files' texts by relative path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Source {
    /// The folder's name.
    pub name: String,
    /// Relative path to text.
    pub files: BTreeMap<String, String>,
}

/// Says whether a check of this name exists and takes these settings. Comes from outside, because
/// the machine must not know any check.
pub type CheckLint<'a> = dyn Fn(&str, &Value) -> Result<(), String> + 'a;

pub(crate) const MAIN: &str = "workflow.toml";
const DEFAULT_WALL_MILLIS: u64 = 30 * 60_000;
const DEFAULT_PASSES: u32 = 4;

pub(crate) struct Loader<'a> {
    pub(crate) source: &'a Source,
    pub(crate) text: &'a str,
    pub(crate) problems: Vec<Problem>,
}

impl Loader<'_> {
    pub(crate) fn line(&self, offset: usize) -> usize {
        self.text[..offset.min(self.text.len())]
            .matches('\n')
            .count()
            + 1
    }

    pub(crate) fn problem(&mut self, code: &'static str, offset: usize, what: String, mend: &str) {
        let line = self.line(offset);
        self.problems.push(Problem {
            code,
            file: MAIN.to_owned(),
            line,
            what,
            mend: mend.to_owned(),
        });
    }

    fn file(&mut self, offset: usize, path: &str) -> String {
        match self.source.files.get(path) {
            Some(text) => text.clone(),
            None => {
                self.problem(
                    "missing_file",
                    offset,
                    format!("the file `{path}` is named here, and is not in the folder"),
                    "write the file, or correct the name",
                );
                String::new()
            }
        }
    }
}

/// Loads a workflow. `lint_check` judges the checks that gates name.
pub fn load(source: &Source, lint_check: &CheckLint<'_>) -> Result<Workflow, LoadError> {
    let fail = |mut problems: Vec<Problem>| {
        problems.sort_by(|a, b| (&a.file, a.line).cmp(&(&b.file, b.line)));
        LoadError {
            workflow: source.name.clone(),
            problems,
        }
    };
    let Some(text) = source.files.get(MAIN) else {
        return Err(fail(vec![Problem {
            code: "missing_file",
            file: MAIN.to_owned(),
            line: 0,
            what: "a workflow folder needs a `workflow.toml`".to_owned(),
            mend: "write one; `proofhouse workflow show phase` prints a complete example"
                .to_owned(),
        }]));
    };
    let mut loader = Loader {
        source,
        text,
        problems: Vec::new(),
    };
    let raw: RawWorkflow = match toml::from_str(text) {
        Ok(raw) => raw,
        Err(error) => {
            let offset = error.span().map_or(0, |span| span.start);
            let what = error.message().to_owned();
            loader.problem(
                "malformed_workflow",
                offset,
                what,
                "correct the line; docs/workflows.md lists every key",
            );
            return Err(fail(loader.problems));
        }
    };
    let table = table(&mut loader, &raw);
    let states = raw
        .state
        .iter()
        .map(|(name, state)| {
            let at = state.span().start;
            let def = state_def(&mut loader, at, name, state.get_ref(), &raw, lint_check);
            (StateName::new(name), def)
        })
        .collect();
    let preamble = match &raw.preamble {
        Some(path) => loader.file(path.span().start, path.get_ref()),
        None => String::new(),
    };
    if let Some(check) = &raw.stall_check
        && let Err(why) = lint_check(check.get_ref(), &Value::Null)
    {
        loader.problem(
            "unknown_check",
            check.span().start,
            why,
            "name a check of `proofhouse workflow lint --checks`",
        );
    }
    let task = raw
        .task
        .as_ref()
        .map(|task| task_of(&mut loader, task, &raw));
    if loader.problems.is_empty() {
        lint::lint(&mut loader, &raw, &table);
    }
    if !loader.problems.is_empty() {
        return Err(fail(loader.problems));
    }
    Ok(Workflow {
        name: raw.name.clone(),
        about: raw.about.clone(),
        hash: hash(source),
        table,
        states,
        roles: raw
            .role
            .iter()
            .map(|(name, role)| {
                let role = role.get_ref();
                let (can, about) = (role.can.clone(), role.about.clone());
                let tier = match role.tier {
                    RawTier::Fast => "fast",
                    RawTier::Standard => "standard",
                    RawTier::Top => "top",
                };
                (name.clone(), Role { can, about, tier })
            })
            .collect(),
        stall_check: raw
            .stall_check
            .as_ref()
            .map(|check| check.get_ref().clone()),
        checkpoints: match raw.checkpoint {
            RawCheckpoint::Never => Checkpoints::Never,
            RawCheckpoint::PassedGates => Checkpoints::PassedGates,
        },
        preamble,
        task,
    })
}

fn hash(source: &Source) -> String {
    let mut hasher = Sha256::new();
    for (path, text) in &source.files {
        for part in [path.as_bytes(), text.as_bytes()] {
            hasher.update((part.len() as u64).to_be_bytes());
            hasher.update(part);
        }
    }
    hasher
        .finalize()
        .iter()
        .map(|byte| format!("{byte:02x}"))
        .collect()
}

fn table(loader: &mut Loader<'_>, raw: &RawWorkflow) -> Table {
    let states = raw.state.iter().map(|(name, state)| {
        let state = state.get_ref();
        let completing = state.completing.unwrap_or(state.kind == Kind::End);
        (
            StateName::new(name),
            State {
                kind: state.kind,
                passes: state.passes.unwrap_or(DEFAULT_PASSES),
                completing: if completing {
                    Completing::Yes
                } else {
                    Completing::No
                },
            },
        )
    });
    let states = states.collect();
    let counters = raw.counter.iter().map(|(name, counter)| {
        let counter = counter.get_ref();
        (
            CounterName::new(name),
            Counter {
                cap: counter.cap,
                renewal: counter.renewal,
            },
        )
    });
    Table {
        name: raw.name.clone(),
        initial: StateName::new(raw.initial.get_ref()),
        states,
        counters: counters.collect(),
        transitions: raw
            .transition
            .iter()
            .map(|way| transition(loader, way.span().start, way.get_ref()))
            .collect(),
        stepping: match raw.stepping {
            RawStepping::Held => Stepping::Held,
            RawStepping::Table => Stepping::InTable,
        },
        stalling: match raw.stall_check {
            Some(_) => Stalling::Halts,
            None => Stalling::Counts,
        },
    }
}

fn transition(loader: &mut Loader<'_>, at: usize, raw: &RawTransition) -> Transition {
    let names = |list: &crate::raw::OneOrMany| -> Vec<CounterName> {
        list.list().into_iter().map(CounterName::new).collect()
    };
    let mut when = Vec::new();
    for text in raw.when.list() {
        match guard(text) {
            Some(guard) => when.push(guard),
            None => loader.problem(
                "unknown_guard",
                at,
                format!("`{}`: unknown guard `{text}`", raw.action),
                "use gate.pass, gate.fail, requested, left COUNTER, spent COUNTER, return STATE, return none, stepped or flowing",
            ),
        }
    }
    Transition {
        action: ActionName::new(&raw.action),
        from: raw.from.list().into_iter().map(StateName::new).collect(),
        to: match raw.to.as_str() {
            "return" => Target::Return,
            state => Target::State(StateName::new(state)),
        },
        by: raw.by,
        when,
        count: names(&raw.count),
        reset: names(&raw.reset),
        slot: match raw.slot.as_deref() {
            None => Slot::Keep,
            Some("from") => Slot::SaveFrom,
            Some("clear") => Slot::Clear,
            Some(state) => Slot::Save(StateName::new(state)),
        },
    }
}

fn guard(text: &str) -> Option<Guard> {
    let words: Vec<&str> = text.split_whitespace().collect();
    match words.as_slice() {
        ["gate.pass"] => Some(Guard::GatePass),
        ["gate.fail"] => Some(Guard::GateFail),
        ["requested"] => Some(Guard::Requested),
        ["stepped"] => Some(Guard::Stepped),
        ["flowing"] => Some(Guard::Flowing),
        ["left", counter] => Some(Guard::Left(CounterName::from(*counter))),
        ["spent", counter] => Some(Guard::Spent(CounterName::from(*counter))),
        ["return", "none"] => Some(Guard::ReturnEmpty),
        ["return", state] => Some(Guard::ReturnIs(StateName::from(*state))),
        _ => None,
    }
}

fn state_def(
    loader: &mut Loader<'_>,
    at: usize,
    name: &str,
    state: &RawState,
    raw: &RawWorkflow,
    lint_check: &CheckLint<'_>,
) -> StateDef {
    let works = state.kind == Kind::Work;
    match &state.role {
        Some(role) if !raw.role.contains_key(role) => loader.problem(
            "unknown_role",
            at,
            format!("state `{name}` names the role `{role}`, which is not defined"),
            "add `[role.NAME]` with `can` and `about`, or correct the name",
        ),
        None if works => loader.problem(
            "missing_role",
            at,
            format!("state `{name}` is a work state without a role"),
            "add `role = \"...\"`",
        ),
        Some(_) if !works => loader.problem(
            "needless_role",
            at,
            format!("state `{name}` is no work state, and has a role"),
            "remove `role`, or make it `kind = \"work\"`",
        ),
        _ => {}
    }
    if works && state.brief.is_none() {
        let what = format!("state `{name}` is a work state without a brief");
        loader.problem(
            "missing_brief",
            at,
            what,
            "add `brief = \"briefs/NAME.md\"`",
        );
    }
    if state.passes == Some(0) {
        let what = format!("state `{name}` has `passes = 0`");
        loader.problem("bad_passes", at, what, "allow at least one pass");
    }
    let brief = match &state.brief {
        Some(path) => loader.file(at, path),
        None => String::new(),
    };
    let wall_millis = match &state.wall {
        None => DEFAULT_WALL_MILLIS,
        Some(text) => parse_millis(text).unwrap_or_else(|| {
            let what = format!("state `{name}`: `{text}` is not a duration");
            loader.problem(
                "bad_duration",
                at,
                what,
                "write a whole number and a unit: 90s, 20m, 2h",
            );
            DEFAULT_WALL_MILLIS
        }),
    };
    let mut gate = Vec::new();
    for check in &state.gate {
        match check_spec(check) {
            Some(spec) => {
                if let Err(why) = lint_check(&spec.check, &spec.with) {
                    let what = format!("state `{name}`, gate: {why}");
                    loader.problem(
                        "unknown_check",
                        at,
                        what,
                        "correct the check's name or settings; docs/checks.md lists them",
                    );
                }
                gate.push(spec);
            }
            None => {
                let what = format!("state `{name}`: a gate entry has no `check`");
                loader.problem(
                    "malformed_gate",
                    at,
                    what,
                    "write \"NAME\" or { check = \"NAME\", .. }",
                );
            }
        }
    }
    StateDef {
        role: state.role.clone(),
        brief,
        gate,
        wall_millis,
        about: state.about.clone().unwrap_or_default(),
    }
}

fn check_spec(raw: &RawCheck) -> Option<CheckSpec> {
    match raw {
        RawCheck::Name(name) => Some(CheckSpec {
            check: name.clone(),
            with: Value::Null,
        }),
        RawCheck::Settings(settings) => {
            let mut rest = settings.clone();
            let check = rest.remove("check")?.as_str()?.to_owned();
            Some(CheckSpec {
                check,
                with: Value::Object(rest.into_iter().collect()),
            })
        }
    }
}

fn task_of(loader: &mut Loader<'_>, raw: &RawTask, workflow: &RawWorkflow) -> Task {
    let mut files = BTreeMap::new();
    for file in &raw.files {
        let text = loader.file(file.span().start, &format!("task/{}", file.get_ref()));
        files.insert(file.get_ref().clone(), text);
    }
    let mut fields: Vec<Field> = Vec::new();
    for field in &raw.field {
        let (at, field) = (field.span().start, field.get_ref());
        let owner = match &field.engine {
            None => Owner::Author,
            Some(text) => match fact(text, workflow) {
                Some(fact) => Owner::Engine(fact),
                None => {
                    loader.problem(
                        "unknown_fact",
                        at,
                        format!("field `{}`: the engine knows no `{text}`", field.name),
                        "use state, status, updated, evidence_link, visited STATE, gate STATE or gate STATE after STATE",
                    );
                    Owner::Author
                }
            },
        };
        fields.push(Field {
            name: field.name.clone(),
            owner,
            about: field.about.clone().unwrap_or_default(),
        });
    }
    if !fields.iter().any(|field| field.name == raw.phase_field) {
        let what = format!(
            "`phase_field` names `{}`, which is no field",
            raw.phase_field
        );
        loader.problem(
            "unknown_field",
            0,
            what,
            "name one of the [[task.field]] entries",
        );
    }
    let names: Vec<&str> = fields.iter().map(|field| field.name.as_str()).collect();
    match files.get(&raw.state_file) {
        None => {
            let what = format!(
                "`state_file` names `{}`, which is not in `files`",
                raw.state_file
            );
            loader.problem("missing_file", 0, what, "add it to `files`");
        }
        Some(text) => {
            if let Err(what) = crate::document::parse_fields(text, &names) {
                loader.problems.push(Problem {
                    code: "malformed_state_file",
                    file: format!("task/{}", raw.state_file),
                    line: 0,
                    what,
                    mend: "every [[task.field]] needs its line in the state file".to_owned(),
                });
            }
        }
    }
    Task {
        state_file: raw.state_file.clone(),
        phase_field: raw.phase_field.clone(),
        files,
        folders: raw.folders.clone(),
        evidence_page: raw.evidence_page.clone(),
        fields,
    }
}

fn fact(text: &str, workflow: &RawWorkflow) -> Option<Fact> {
    let words: Vec<&str> = text.split_whitespace().collect();
    let state = |name: &str| {
        workflow
            .state
            .contains_key(name)
            .then(|| StateName::from(name))
    };
    match words.as_slice() {
        ["state"] => Some(Fact::State),
        ["status"] => Some(Fact::Status),
        ["updated"] => Some(Fact::Updated),
        ["evidence_link"] => Some(Fact::EvidenceLink),
        ["visited", name] => Some(Fact::Visited(state(name)?)),
        ["gate", name] => Some(Fact::Gate(state(name)?)),
        ["gate", name, "after", other] => Some(Fact::GateAfter(state(name)?, state(other)?)),
        _ => None,
    }
}

//! From a folder's texts to a [`Workflow`], or to every problem in it with its line.

mod judged;
mod lint;
mod role;
mod schema;
mod snapshot;
mod state;
mod table;
mod task;
mod tool;

use crate::error::{LoadError, Problem};
use crate::raw::{RawCheckpoint, RawRefusal, RawSessions, RawWorkflow};
use crate::workflow::{Checkpoints, Rebuff, Sessions, Workflow};
use kernel::{Refusal, StateName};
use serde_json::Value;
use sha2::{Digest, Sha256};
use std::collections::BTreeMap;
use std::path::{Component, Path};

/// A workflow's folder: its name and its files' texts by relative path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Source {
    /// The folder's name.
    pub name: String,
    /// Relative path to text.
    pub files: BTreeMap<String, String>,
}

/// Says whether a check of this name exists and takes these settings. Comes from outside, because
/// the machine must not know any check; so is the text, which becomes a problem of the workflow.
pub type CheckLint<'a> = dyn Fn(&str, &Value) -> Result<(), String> + 'a;

pub(crate) const MAIN: &str = "workflow.toml";

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

    /// A path at which the engine writes: it must stay in its folder, and out of git's.
    fn own_path(&mut self, offset: usize, key: &str, path: &str) {
        let mut parts = Path::new(path).components();
        let plain = |part: Component<'_>| match part {
            Component::Normal(name) => !name.eq_ignore_ascii_case(".git"),
            _ => false,
        };
        if path.is_empty() || !parts.all(plain) {
            self.problem(
                "path_outside",
                offset,
                format!("`{key}` names `{path}`, which leads out of the folder that it belongs in"),
                "name a path below it, without `..`, and none in `.git`",
            );
        }
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

/// Rules that came after the first runs: what was begun without them can still be read and resumed.
const LATER: [&str; 2] = ["verdict_bypassed", "verdict_cannot_fail"];

/// Whose rules a workflow is held to.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Rules {
    Today,
    AsBegun,
}

/// Loads a workflow. `lint_check` judges the checks that gates name.
pub fn load(source: &Source, lint_check: &CheckLint<'_>) -> Result<Workflow, LoadError> {
    load_by(source, lint_check, Rules::Today)
}

/// The same for a run that has begun: a rule that its workflow never knew does not shut it out.
pub fn load_begun(source: &Source, lint_check: &CheckLint<'_>) -> Result<Workflow, LoadError> {
    load_by(source, lint_check, Rules::AsBegun)
}

fn load_by(
    source: &Source,
    lint_check: &CheckLint<'_>,
    rules: Rules,
) -> Result<Workflow, LoadError> {
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
            mend: "write one; `proofhouse workflow show phase --source` prints a complete example"
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
    let table = table::table(&mut loader, &raw);
    let states = raw
        .state
        .iter()
        .map(|(name, state)| {
            let at = state.span().start;
            let def = state::state_def(&mut loader, at, name, state.get_ref(), &raw, lint_check);
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
            "name a check of docs/checks.md",
        );
    }
    let roles = role::roles(&mut loader, &raw);
    let tools = tool::tools(&mut loader, &raw);
    let task = raw
        .task
        .as_ref()
        .map(|task| task::task_of(&mut loader, task, &raw));
    let snapshot = raw.snapshot.as_ref().map(|spanned| {
        let at = spanned.span().start;
        snapshot::snapshot(&mut loader, at, spanned.get_ref(), &raw)
    });
    let judged = judged::judged(&mut loader, &raw);
    if loader.problems.is_empty() {
        lint::lint(&mut loader, &raw, &table);
    }
    if rules == Rules::AsBegun {
        loader
            .problems
            .retain(|problem| !LATER.contains(&problem.code));
    }
    if !loader.problems.is_empty() {
        return Err(fail(loader.problems));
    }
    let mut workflow = Workflow {
        name: raw.name.clone(),
        about: raw.about.clone(),
        hash: source.hash(),
        after: table::after(&raw),
        start_with: raw
            .start_with
            .list()
            .into_iter()
            .map(str::to_owned)
            .collect(),
        sealed: raw.sealed.list().into_iter().map(str::to_owned).collect(),
        rebuffs: rebuffs(&raw),
        table,
        states,
        roles,
        tools,
        stall_check: raw
            .stall_check
            .as_ref()
            .map(|check| check.get_ref().clone()),
        stall_stops: raw.stall_stops,
        stops: raw.stops.list().into_iter().map(str::to_owned).collect(),
        idle_stops: raw.idle_stops,
        looks_again: raw.looks_again,
        alike_stops: raw.alike_stops,
        failures_stop: raw.failures_stop,
        rules: raw.rules.0,
        checkpoints: match raw.checkpoint {
            RawCheckpoint::Never => Checkpoints::Never,
            RawCheckpoint::PassedGates => Checkpoints::PassedGates,
        },
        sessions: match raw.sessions {
            RawSessions::Resume => Sessions::Resume,
            RawSessions::Fresh => Sessions::Fresh,
        },
        preamble,
        task,
        snapshot,
        judged,
    };
    open_early(&mut workflow);
    Ok(workflow)
}

/// Whoever may do the work of a later state at once may write its fields at once.
fn open_early(workflow: &mut Workflow) {
    let names = workflow.states.keys();
    let joined: Vec<(StateName, Vec<StateName>)> = names
        .map(|name| (name.clone(), workflow.joined(name)))
        .collect();
    let fields = workflow.task.iter_mut().flat_map(|task| &mut task.fields);
    for states in fields.filter_map(|field| field.written_in.as_mut()) {
        let early = joined.iter().filter(|(name, later)| {
            !states.contains(name) && later.iter().any(|state| states.contains(state))
        });
        let early: Vec<StateName> = early.map(|(name, _)| name.clone()).collect();
        states.extend(early);
    }
}

fn rebuffs(raw: &RawWorkflow) -> Vec<Rebuff> {
    let rebuff = |raw: &RawRefusal| Rebuff {
        option: raw.option.clone(),
        states: raw.states.list().into_iter().map(StateName::new).collect(),
        refusal: Refusal::new(&raw.code, raw.why.clone(), raw.mend.clone()),
    };
    let raw = raw.refusal.iter();
    raw.map(|spanned| rebuff(spanned.get_ref())).collect()
}

impl Source {
    /// Over all files: another hash is another workflow. It is the hash of [`Source::bytes`], so
    /// that whatever keeps those by their hash can give a workflow back by its own.
    pub fn hash(&self) -> String {
        let digest = Sha256::digest(self.bytes());
        digest.iter().map(|byte| format!("{byte:02x}")).collect()
    }

    /// All files as one text: each name and each text behind its length.
    pub fn bytes(&self) -> Vec<u8> {
        let mut bytes = Vec::new();
        for (path, text) in &self.files {
            for part in [path.as_bytes(), text.as_bytes()] {
                bytes.extend((part.len() as u64).to_be_bytes());
                bytes.extend(part);
            }
        }
        bytes
    }

    /// The other way round; nothing if these bytes are no workflow's.
    pub fn from_bytes(name: &str, mut bytes: &[u8]) -> Option<Self> {
        let mut files = BTreeMap::new();
        let part = |bytes: &mut &[u8]| {
            let (length, rest) = bytes.split_first_chunk::<8>()?;
            let length = usize::try_from(u64::from_be_bytes(*length)).ok()?;
            let (part, rest) = rest.split_at_checked(length)?;
            *bytes = rest;
            String::from_utf8(part.to_vec()).ok()
        };
        while !bytes.is_empty() {
            let path = part(&mut bytes)?;
            files.insert(path, part(&mut bytes)?);
        }
        Some(Self {
            name: name.to_owned(),
            files,
        })
    }
}

//! `factory new`: a person's documents go into the vault, and a journal begins that names them by
//! hash. Nothing works yet, and nothing is written unless all of it can be.

use super::super::opening::open;
use super::super::start::{ATTEMPTS_PER_TASK, FEWEST_ATTEMPTS, Fresh, exams, exists, fresh, told};
use super::super::task_files::json_of;
use crate::driver::settle;
use crate::run::entries;
use crate::session::lock;
use ::factory::machine::facts::Fact;
use ::factory::plan::further::Released;
use ::factory::product::{Began, RELEASED};
use ::factory::spec::ProductSpec;
use kernel::What;
use kernel::budget::ATTEMPTS;
use kernel::outcome::EvidenceRef;
use report::look::projects;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use store::Journal;
use workspace::clock::now;
use workspace::error::EngineError;
use workspace::project::{Project, Records};
use workspace::secrets::Secrets;

/// A page or a hundred, not a library.
const LARGEST: u64 = 4 << 20;

/// What a person asks for.
#[derive(Debug, Clone)]
pub struct New<'a> {
    /// The person's `SPEC.md`.
    pub spec: &'a Path,
    /// Other documents that the role may read.
    pub with: &'a [PathBuf],
    /// The project's name; none: `factory`.
    pub name: Option<&'a str>,
    /// The agent; none: the config's.
    pub agent: Option<&'a str>,
    /// Tasks at once, later.
    pub jobs: u32,
    /// Caps by budget name.
    pub budgets: &'a [(String, u64)],
}

struct Document {
    name: String,
    bytes: Vec<u8>,
}

/// What came of it.
#[derive(Debug, Clone)]
pub struct Specified {
    /// The project's name.
    pub name: String,
    /// The version that it goes on from; none: it begins.
    pub after: Option<String>,
}

/// Begins a project with its product loop, or lets the released one of this repository go on with it.
pub fn new(project: &Project, asked: &New<'_>) -> Result<Specified, EngineError> {
    let config = project.config()?;
    let secrets = Secrets::of(&config, project.top());
    let spec = read(asked.spec, &secrets)?;
    let mut with = Vec::new();
    let mut names = BTreeSet::new();
    for path in asked.with {
        let document = read(path, &secrets)?;
        if !names.insert(document.name.clone()) {
            return Err(EngineError::user(
                "document_name_twice",
                format!("two documents are called `{}`", document.name),
                "rename one: the agent sees them side by side",
            ));
        }
        with.push(document);
    }
    let keep = |one: &Document| -> Result<EvidenceRef, EngineError> {
        Ok(project.vault()?.put(&one.name, &one.bytes)?)
    };
    let capped =
        asked.budgets.iter().any(|(name, _)| name == ATTEMPTS) || config.budget(ATTEMPTS).is_some();
    let began = || -> Result<Began, EngineError> {
        Ok(Began {
            spec: keep(&spec)?,
            with: with.iter().map(keep).collect::<Result<_, _>>()?,
            jobs: asked.jobs,
            attempts_per_task: (!capped).then_some(ATTEMPTS_PER_TASK),
            briefs: Some(::factory::engineering::context::BRIEFS),
            exams: Some(exams(&config)),
            released: None,
            attempts: None,
        })
    };
    if let Some(name) = projects(project)?.first() {
        return further(project, asked, name, began);
    }
    let (name, started) = fresh(
        project,
        &Fresh {
            name: asked.name,
            agent: asked.agent,
            attempts: FEWEST_ATTEMPTS,
            budgets: asked.budgets,
        },
    )?;
    project.prepare(Records::InTree)?;
    let events = told(vec![
        What::Start(Box::new(started)),
        What::Note(Fact::ProductBegan(Box::new(began()?)).note()),
    ])?;
    Journal::begin(&project.journals(), &name, &entries(&events))?;
    Ok(Specified {
        name: name.to_string(),
        after: None,
    })
}

/// A further version of the spec of a released project. It goes on in the same journal: what is shipped, and
/// all that people said of it, stays.
fn further(
    project: &Project,
    asked: &New<'_>,
    name: &str,
    began: impl FnOnce() -> Result<Began, EngineError>,
) -> Result<Specified, EngineError> {
    let _lock = lock(project, name)?;
    let (mut open, mut machine, started) = open(project, name)?;
    let mut events = Vec::new();
    settle::<_, EngineError>(&mut machine, now(), What::Advance, &mut events)?;
    let released = machine
        .released()
        .filter(|_| asked.name.is_none_or(|own| own == name));
    let released = released.ok_or_else(|| exists(name))?;
    let other = asked.agent.is_some_and(|agent| agent != started.agent);
    if other || !asked.budgets.is_empty() {
        return Err(EngineError::user(
            "project_goes_on",
            format!("`{name}` goes on as it was started, with the same agent and budgets"),
            format!(
                "leave `--agent` and `--budget` out; `proofhouse factory run {name} --agent` takes another agent, and a budget that is used up is extended when it asks"
            ),
        ));
    }
    let vault = project.vault()?;
    let bytes = vault.get(&released.spec)?;
    let spec = as_left(&released, &bytes)?;
    let mut began = began()?;
    let capped = machine
        .product()
        .is_some_and(|one| one.began.attempts_per_task.is_none());
    if capped {
        began.attempts_per_task = None;
    }
    began.attempts = began.attempts_per_task.map(|_| FEWEST_ATTEMPTS);
    began.released = Some(vault.put(RELEASED, json_of(&spec)?.as_bytes())?);
    let note = Fact::ProductBegan(Box::new(began)).note();
    settle::<_, EngineError>(&mut machine, now(), What::Note(note), &mut events)?;
    let seq = open.journal.head().seq;
    open.journal.append(seq, &entries(&events))?;
    Ok(Specified {
        name: name.to_owned(),
        after: Some(spec.spec_version.to_string()),
    })
}

/// The released spec as people left it.
pub fn as_left(released: &Released, bytes: &[u8]) -> Result<ProductSpec, EngineError> {
    let unusable = || {
        let what = format!(
            "the evidence {} is not the spec that was released",
            released.spec
        );
        EngineError::user("spec_invalid", what, "restore it from a commit")
    };
    let (spec, _) = ::factory::spec::read(bytes).map_err(|_| unusable())?;
    released.amended(spec).map_err(|_| unusable())
}

fn read(path: &Path, secrets: &Secrets) -> Result<Document, EngineError> {
    let bad = |code: &str, what: String, mend: &str| {
        EngineError::user(code, format!("{}: {what}", path.display()), mend)
    };
    let found = std::fs::metadata(path).map_err(|error| match error.kind() {
        std::io::ErrorKind::NotFound => EngineError::user(
            "no_such_file",
            format!("there is no file {}", path.display()),
            "check the path",
        ),
        _ => EngineError::io("read", path)(error),
    })?;
    if !found.is_file() {
        let what = "it is no file".to_owned();
        return Err(bad("document_not_text", what, "name a text file"));
    }
    if found.len() > LARGEST {
        let what = format!("it has {} bytes; {LARGEST} is the most", found.len());
        return Err(bad("too_large", what, "shorten it"));
    }
    let bytes = std::fs::read(path).map_err(EngineError::io("read", path))?;
    let Ok(text) = std::str::from_utf8(&bytes) else {
        let what = "it is not UTF-8 text".to_owned();
        return Err(bad("document_not_text", what, "save it as UTF-8 text"));
    };
    if text.trim().is_empty() {
        let what = "it is empty".to_owned();
        let mend = "say what the product is for, what it must do, and what it must not";
        return Err(bad("document_empty", what, mend));
    }
    if secrets.text(text) != text {
        return Err(bad(
            "document_holds_key",
            "it holds what looks like a key".to_owned(),
            "take it out: documents are kept as evidence, and agents read them",
        ));
    }
    let name = path.file_name().and_then(|name| name.to_str());
    let name = name.filter(|name| !name.starts_with('.')).ok_or_else(|| {
        let what = "its name is not plain text, or begins with a dot".to_owned();
        bad("document_not_text", what, "rename it")
    })?;
    Ok(Document {
        name: name.to_owned(),
        bytes,
    })
}

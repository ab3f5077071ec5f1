//! `factory new`: a person's documents go into the vault, and a journal begins that names them by
//! hash. Nothing works yet, and nothing is written unless all of it can be.

use super::super::start::{ATTEMPTS_PER_TASK, FEWEST_ATTEMPTS, Fresh, fresh, told};
use crate::run::entries;
use ::factory::machine::facts::Fact;
use ::factory::product::Began;
use kernel::What;
use kernel::budget::ATTEMPTS;
use kernel::outcome::EvidenceRef;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use store::Journal;
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

/// Begins a project with its product loop; the project's name.
pub fn new(project: &Project, asked: &New<'_>) -> Result<String, EngineError> {
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
    let (name, started) = fresh(
        project,
        &Fresh {
            name: asked.name,
            agent: asked.agent,
            attempts: FEWEST_ATTEMPTS,
            budgets: asked.budgets,
        },
    )?;
    let capped =
        asked.budgets.iter().any(|(name, _)| name == ATTEMPTS) || config.budget(ATTEMPTS).is_some();
    project.prepare(Records::InTree)?;
    let vault = project.vault()?;
    let keep = |one: &Document| -> Result<EvidenceRef, EngineError> {
        Ok(vault.put(&one.name, &one.bytes)?)
    };
    let began = Began {
        spec: keep(&spec)?,
        with: with.iter().map(keep).collect::<Result<_, _>>()?,
        jobs: asked.jobs,
        attempts_per_task: (!capped).then_some(ATTEMPTS_PER_TASK),
        briefs: Some(::factory::engineering::context::BRIEFS),
    };
    let events = told(vec![
        What::Start(Box::new(started)),
        What::Note(Fact::ProductBegan(Box::new(began)).note()),
    ])?;
    Journal::begin(&project.journals(), &name, &entries(&events))?;
    Ok(name.to_string())
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

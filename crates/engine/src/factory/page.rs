//! What a project's page of evidence shows, gathered from the journal and from what lies in the state
//! store. Whether a seal holds is the engine's to say; how it looks is not.

use super::modules::Stored;
use ::factory::delivery::registry::Entry;
use ::factory::machine::Factory;
use kernel::{Body, Time};
use report::evidence::Moment;
use report::page::project::{Module, Seal, Shown};
use report::project::page_place;
use report::replay::Past;
use report::story::Story;
use report::{History, Looked};
use std::path::{Path, PathBuf};
use workspace::{EngineError, Project};

/// Writes the page and says where it is.
pub fn page(project: &Project, name: &str) -> Result<PathBuf, EngineError> {
    let path = page_place(project, name);
    let page = report::page::project::page(&gather(project, name)?);
    if let Some(parent) = path.parent() {
        std::fs::create_dir_all(parent).map_err(EngineError::io("create", parent))?;
    }
    store::write_atomic(&path, page.as_bytes())?;
    Ok(path)
}

/// What it shows, as of now.
pub fn gather(project: &Project, name: &str) -> Result<Shown, EngineError> {
    let peek = report::look::peek_project(project, name)?;
    Ok(shown(project, name, peek, &report::history(project, name)?))
}

/// What it showed as of a record, and the record. What lies in the state store is of today.
pub fn gather_at(project: &Project, name: &str, seq: u64) -> Result<(Shown, Moment), EngineError> {
    let past = Past::of(project, name, seq)?;
    let Looked::Project(peek) = past.looked else {
        return Err(EngineError::user(
            "no_project",
            format!("`{name}` is no project of the factory"),
            "`proofhouse status` lists runs and projects",
        ));
    };
    let history = report::history::history_to(project, name, seq)?;
    let moment = Moment {
        record: past.record,
        last: past.last,
    };
    Ok((shown(project, name, peek, &history), moment))
}

fn shown(
    project: &Project,
    name: &str,
    report::Peek { machine, head }: report::Peek<Factory>,
    history: &History,
) -> Shown {
    let events = history.events();
    let started = events.iter().find_map(|event| match &event.body {
        Body::RunStarted(started) => Some(started.agent.clone()),
        _ => None,
    });
    let usage = history.outcomes().map(|(_, outcome)| outcome.usage);
    let mut story = Story::default();
    let home = project.home();
    let registry = machine.registry().iter();
    Shown {
        name: name.to_owned(),
        title: title(project).unwrap_or_else(|| name.to_owned()),
        agent: started.unwrap_or_default(),
        modules: registry.map(|entry| module(&home, entry)).collect(),
        lines: events.iter().flat_map(|event| story.hear(event)).collect(),
        decisions: history.decisions(),
        attempts: usage.clone().count() as u64,
        tokens: usage
            .clone()
            .map(|usage| usage.input_tokens + usage.output_tokens)
            .sum(),
        micro_dollars: usage.map(|usage| usage.micro_dollars).sum(),
        first: events.first().map_or(Time(0), |event| event.at),
        last: events.last().map_or(Time(0), |event| event.at),
        machine,
        head,
    }
}

/// The spec's title, for the heading.
fn title(project: &Project) -> Option<String> {
    let bytes = std::fs::read(project.home().join("project/spec.json")).ok()?;
    let spec: serde_json::Value = serde_json::from_slice(&bytes).ok()?;
    Some(spec.get("title")?.as_str()?.to_owned())
}

/// One version of a module.
pub fn module(home: &Path, entry: &Entry) -> Module {
    let stored = Stored::at(home, &entry.reference);
    let log = stored.log().ok();
    let contract = stored.contract().ok();
    let whole = stored.broken().is_ok_and(|broken| broken.is_empty());
    Module {
        folder: ::factory::engineering::context::module_folder(&entry.reference),
        fingerprint: contract.map_or_else(String::new, |one| one.fingerprint().to_string()),
        tests: log.map(|log| (log.summary.passed, log.summary.total)),
        seal: if whole { Seal::Whole } else { Seal::Broken },
        entry: entry.clone(),
    }
}

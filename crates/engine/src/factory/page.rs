//! A project's page of evidence: one HTML file that shows a stranger what was asked for, what was
//! debated, what the engine ran, who decided, and what was released.
//!
//! A view like every other: made of the journal and of what lies in the state store, never read. It
//! loads and runs nothing, and trusts no text.

mod ask;
mod parts;

use super::modules::Stored;
use super::opening::peek;
use super::story::{Line, Story};
use crate::run::run_name;
use crate::views::page::html::{Out, esc};
use crate::views::page::{POLICY, STYLE};
use ::factory::NAME as FACTORY;
use ::factory::delivery::registry::Entry;
use ::factory::machine::Factory;
use kernel::module::ModuleStatus;
use kernel::{Body, Decision, Time};
use std::path::{Path, PathBuf};
use store::{Head, Journal, Replay};
use workspace::error::EngineError;
use workspace::project::Project;

const OWN_STYLE: &str = include_str!("page/page.css");

/// One version of a module, with what the store says of it.
struct Module {
    entry: Entry,
    folder: String,
    fingerprint: String,
    tests: Option<(u64, u64)>,
    seal: Seal,
}

/// Is what lies there what was tested?
#[derive(Clone, Copy, PartialEq, Eq)]
enum Seal {
    Whole,
    Broken,
}

/// Everything that the page shows.
struct Shown<'a> {
    name: &'a str,
    title: String,
    agent: String,
    machine: Factory,
    head: Head,
    lines: Vec<Line>,
    decisions: Vec<(Time, Decision)>,
    modules: Vec<Module>,
    attempts: u64,
    tokens: u64,
    micro_dollars: u64,
    first: Time,
    last: Time,
}

/// Where a project's page of evidence lies, once there is one.
pub fn place(project: &Project, name: &str) -> PathBuf {
    project
        .home()
        .join("views")
        .join(name)
        .join("evidence.html")
}

/// Writes the page and says where it is.
pub fn page(project: &Project, name: &str) -> Result<PathBuf, EngineError> {
    let path = place(project, name);
    let shown = gather(project, name)?;
    if let Some(parent) = path.parent() {
        std::fs::create_dir_all(parent).map_err(EngineError::io("create", parent))?;
    }
    store::write_atomic(&path, html(&shown).as_bytes())?;
    Ok(path)
}

fn gather<'a>(project: &Project, name: &'a str) -> Result<Shown<'a>, EngineError> {
    let looked = peek(project, name)?;
    let run = run_name(project, name)?;
    let mut story = Story::default();
    let mut shown = Shown {
        name,
        title: title(project).unwrap_or_else(|| name.to_owned()),
        agent: String::new(),
        modules: Vec::new(),
        machine: looked.machine,
        head: looked.head,
        lines: Vec::new(),
        decisions: Vec::new(),
        attempts: 0,
        tokens: 0,
        micro_dollars: 0,
        first: Time(0),
        last: Time(0),
    };
    Journal::read(&project.journals(), &run, Replay::default(), |record| {
        let event = crate::run::event(&record)?;
        if record.seq == 1 {
            shown.first = event.at;
        }
        shown.last = event.at;
        match &event.body {
            Body::RunStarted(started) => shown.agent.clone_from(&started.agent),
            Body::AttemptEnded(ended) => {
                let usage = ended.outcome.usage;
                shown.attempts += 1;
                shown.tokens += usage.input_tokens + usage.output_tokens;
                shown.micro_dollars += usage.micro_dollars;
            }
            Body::Decided(decision) => shown.decisions.push((event.at, decision.clone())),
            _ => {}
        }
        shown.lines.extend(story.hear(&event));
        Ok(())
    })?;
    let home = project.home();
    shown.modules = shown
        .machine
        .registry()
        .iter()
        .map(|entry| module(&home, entry))
        .collect();
    Ok(shown)
}

/// The spec's title, for the heading.
fn title(project: &Project) -> Option<String> {
    let bytes = std::fs::read(project.home().join("project/spec.json")).ok()?;
    let spec: serde_json::Value = serde_json::from_slice(&bytes).ok()?;
    Some(spec.get("title")?.as_str()?.to_owned())
}

fn module(home: &Path, entry: &Entry) -> Module {
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

impl Module {
    fn in_use(&self) -> bool {
        self.entry.status == ModuleStatus::Shipped
    }
}

fn html(shown: &Shown<'_>) -> String {
    let mut out = Out::new();
    out.raw(&format!(
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <meta name=\"color-scheme\" content=\"light dark\">\n\
         <meta name=\"referrer\" content=\"no-referrer\">\n\
         <meta http-equiv=\"Content-Security-Policy\" content=\"{POLICY}\">\n\
         <title>{}: {FACTORY}</title>\n<style>\n{STYLE}{OWN_STYLE}</style>\n</head>\n<body>\n",
        esc(&shown.title),
    ));
    if shown.agent.starts_with("scripted:") {
        // No name ends so on the network: a key of that name has nobody behind it.
        let mut who = shown.decisions.iter().map(|(_, decision)| &decision.who);
        let people = if who.any(|who| who.ends_with(".invalid")) {
            " So were the answers of people, signed with a key that nobody stands behind."
        } else {
            ""
        };
        out.raw(&format!(
            "<p class=\"banner\" role=\"note\">The model's replies in this project were scripted; \
             every check, file, hash and signature is real.{people}</p>\n"
        ));
    }
    parts::header(&mut out, shown);
    out.raw("<main>\n");
    ask::ask(&mut out, shown);
    parts::moments(&mut out, shown);
    parts::modules(&mut out, shown);
    parts::product(&mut out, shown);
    parts::tasks(&mut out, shown);
    parts::decisions(&mut out, shown);
    parts::releases(&mut out, shown);
    parts::verify(&mut out, shown);
    out.raw("</main>\n</body>\n</html>\n");
    out.done()
}

//! What the evidence page of a run shows, gathered. Evidence is copied beside the page as plain text
//! files, so that the folder can be opened from afar as it is.

use crate::address::link_of;
use crate::attempt::Attempt;
use crate::change::Depth;
use crate::course::{Step, course};
use crate::gate::Gate;
use crate::grounds::Grounds;
use crate::history::{Decided, History, history, history_to};
use crate::kept::Kept;
use crate::look::{self, Peek};
use crate::question::By;
use crate::replay::run_at;
use crate::timeline::Entry;
use flow::{Flow, Workflow};
use kernel::event::Forked;
use kernel::machine::{Activity, Gauge, Waiting};
use kernel::outcome::EvidenceRef;
use kernel::{Machine, Refusal, Time};
use serde::Serialize;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use store::Head;
use workspace::context::{Context, task_folder};
use workspace::{EngineError, Project};

/// Everything that the page shows.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Evidence {
    pub run: String,
    pub workflow: String,
    /// The run that it left, and where, if it is a fork.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub forked: Option<Forked>,
    /// Where it is.
    pub state: String,
    /// What it is doing there.
    pub activity: Activity,
    /// The open question to a person.
    pub waiting_for: Option<Waiting>,
    /// What lets an answer in.
    #[serde(skip)]
    pub by: By,
    /// What was promised: fields of the state file.
    pub promise: Vec<(String, String)>,
    /// Further fields of the state file, in order.
    pub fields: Vec<(String, String)>,
    /// Features and their labels.
    pub features: Vec<(String, String)>,
    /// Every gate that ran. For each state the latest stands first; older ones are history.
    pub gates: Vec<Gate>,
    /// Every attempt, oldest first.
    pub attempts: Vec<Attempt>,
    /// What it has used of what it may use, by name.
    pub budgets: BTreeMap<String, Gauge>,
    /// What a person decides on.
    pub grounds: Grounds,
    /// Everything that happened, oldest first.
    pub course: Vec<Step>,
    /// What the engine refused.
    pub refusals: Vec<Refusal>,
    /// What people decided.
    pub decisions: Vec<Decided>,
    /// What the run left; images are shown.
    pub artifacts: Vec<Link>,
    /// Commits, newest last.
    pub commits: Vec<String>,
    /// The journal's last record.
    pub head: Head,
    /// When this was gathered.
    pub generated_at: Time,
    /// Where the model's replies came from.
    pub origin: Origin,
}

/// Where the model's replies came from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Origin {
    /// From a script, as in demonstrations and tests.
    Scripted,
    /// From a model.
    Live,
}

/// A file beside the page.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Link {
    /// What it is, for people.
    pub name: String,
    /// Its path relative to the page, not encoded. An absolute one is shown but not linked.
    pub href: String,
    /// Bytes.
    pub size: u64,
}

impl Link {
    /// Where a piece of evidence is copied to.
    pub(crate) fn beside(piece: &EvidenceRef) -> Link {
        let short = &piece.hash[..12.min(piece.hash.len())];
        let slug = piece.name.chars().take(40);
        let slug = slug.map(|c| if c.is_ascii_alphanumeric() { c } else { '-' });
        let slug: String = slug.collect();
        Link {
            name: piece.name.clone(),
            href: format!("{COPIES}/{short}-{}.txt", slug.trim_matches('-')),
            size: piece.size,
        }
    }
}

pub(crate) const COPIES: &str = "evidence";

/// The moment that is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum At {
    /// A question is about the run's tree as it lies there.
    Now,
    /// Of a moment that is over only commits tell.
    Then,
}

/// Gathers what is known of a run; what lies beside its page is looked for in `folder`.
pub(crate) fn gather(
    context: &Context,
    (machine, at): (&Flow, At),
    history: &History,
    head: &Head,
    folder: &Path,
    kept: &mut Kept,
) -> Result<Evidence, EngineError> {
    let status = machine.status();
    let workflow = &context.workflow;
    let promised = workflow.task.as_ref();
    let promised = promised.map_or(&[][..], |task| task.promise.as_slice());
    let field = |name: &String| {
        let text = status.fields.get(name).cloned();
        (name.clone(), text.unwrap_or_default())
    };
    let link = link_of(&context.project, workflow, &context.task)?;
    let fields = machine.document(&link).into_iter();
    let mut gates = history.gates(workflow.noted_check());
    gates.reverse();
    let project = &context.project;
    kept.look_into(project, &mut gates);
    let mut attempts = history.attempts(&status.attempts);
    for attempt in &mut attempts {
        let transcript = |piece: &&EvidenceRef| piece.name.ends_with("transcript");
        if let Some(piece) = attempt.evidence.iter().find(transcript) {
            attempt.turns = kept.transcript(project, piece).to_vec();
        }
    }
    let mut outcomes = history.outcomes().peekable();
    let worked = outcomes.peek().is_some();
    let grounds = Grounds::of(project, machine, history, Depth::Hunks, kept);
    let grounds = match (at, &status.waiting_for) {
        (At::Now, Some(_)) => grounds.with_tree(project, machine),
        (At::Now, None) | (At::Then, _) => grounds,
    };
    Ok(Evidence {
        run: context.run.clone(),
        workflow: workflow.name.clone(),
        forked: machine.started().and_then(|started| started.forked.clone()),
        state: status.state.to_string(),
        activity: status.activity,
        promise: promised.iter().map(field).collect(),
        fields: fields
            .filter(|(name, _)| !promised.contains(name))
            .collect(),
        features: features(context),
        course: course(history, &gates),
        gates,
        attempts,
        budgets: status.budgets,
        grounds,
        refusals: history.refusals(),
        decisions: history.decisions(),
        artifacts: artifacts(folder)?,
        commits: history.commits(),
        head: head.clone(),
        generated_at: workspace::clock::now(),
        origin: match worked && outcomes.all(|(_, outcome)| outcome.agent == "scripted") {
            true => Origin::Scripted,
            false => Origin::Live,
        },
        waiting_for: status.waiting_for,
        by: By::of(machine.started()),
    })
}

/// Gathers what is known of a run at this moment, without the right to write.
pub fn now(
    project: &Project,
    name: &str,
    kept: &mut Kept,
) -> Result<(Evidence, Peek<Flow>, History), EngineError> {
    look::of_this_run(project, &look::run_name(project, name)?)?;
    let peek = look::peek_run(project, name)?;
    let history = history(project, name)?;
    let (context, folder) = around(project, name, &peek.machine)?;
    let shown = (&peek.machine, At::Now);
    let mut evidence = gather(&context, shown, &history, &peek.head, &folder, kept)?;
    // A page that is looked at again is the same as long as nothing happened.
    evidence.generated_at = evidence.grounds.last;
    Ok((evidence, peek, history))
}

/// A record of a run.
pub struct Moment {
    pub record: Entry,
    /// The number of the journal's last one.
    pub last: u64,
}

type Then = (Peek<Flow>, Moment);

/// Gathers what was known of a run at one of its records. What lies in its folders is of today, and is left out.
pub fn then(
    project: &Project,
    name: &str,
    seq: u64,
    kept: &mut Kept,
) -> Result<(Evidence, Then, History), EngineError> {
    let (peek, record, last) = run_at(project, &look::run_name(project, name)?, seq)?;
    let history = history_to(project, name, seq)?;
    let (context, folder) = around(project, name, &peek.machine)?;
    let shown = (&peek.machine, At::Then);
    let mut evidence = gather(&context, shown, &history, &peek.head, &folder, kept)?;
    evidence.generated_at = evidence.grounds.last;
    evidence.features.clear();
    evidence.artifacts.clear();
    Ok((evidence, (peek, Moment { record, last }), history))
}

/// Where a run works, and the folder of its page.
fn around(
    project: &Project,
    name: &str,
    machine: &Flow,
) -> Result<(Context, PathBuf), EngineError> {
    let Some(started) = machine.started() else {
        return Err(EngineError::environment(
            "journal_corrupt",
            format!("the journal of `{name}` does not say how it began"),
            "restore it from a commit; other runs are not concerned",
        ));
    };
    let workflow = look::workflow_of(project, &look::run_name(project, name)?)?;
    let context = Context::of(&project.of_run(name), &workflow, started, BTreeMap::new())?;
    let folder = beside(&workflow, &context.task);
    Ok((context, folder))
}

/// The folder of a run's page.
pub fn folder(project: &Project, name: &str) -> Result<PathBuf, EngineError> {
    let peek = look::peek_run(project, name)?;
    let started = peek.machine.started();
    let task = started.map(|started| task_folder(&project.of_run(name), started));
    Ok(beside(peek.machine.workflow(), &task.unwrap_or_default()))
}

fn beside(workflow: &Workflow, task: &Path) -> PathBuf {
    let page = workflow.task.as_ref();
    let page = page.and_then(|files| files.evidence_page.as_ref());
    let page = page.map(|page| task.join(page));
    let folder = page.as_deref().and_then(Path::parent);
    folder.unwrap_or(task).to_owned()
}

/// What agents and people left beside the page.
fn artifacts(folder: &Path) -> Result<Vec<Link>, EngineError> {
    let ours = |path: &Path| path.starts_with(COPIES) || path.starts_with("evidence.html");
    let mut found = Vec::new();
    for path in store::walk(folder, &ours)? {
        let Ok(metadata) = folder.join(&path).symlink_metadata() else {
            continue;
        };
        if metadata.is_file() {
            let name = path.display().to_string();
            found.push(Link {
                href: name.clone(),
                name,
                size: metadata.len(),
            });
        }
    }
    Ok(found)
}

/// The visible features and their labels, as the state file lists them.
fn features(context: &Context) -> Vec<(String, String)> {
    let Some(task) = &context.workflow.task else {
        return Vec::new();
    };
    let text = std::fs::read_to_string(context.task.join(&task.state_file)).unwrap_or_default();
    let after = text
        .lines()
        .skip_while(|line| !line.starts_with("## Visible features"))
        .skip(1);
    let items = after
        .take_while(|line| !line.starts_with('#'))
        .filter_map(|line| line.strip_prefix("- "));
    let pairs = items.filter_map(|item| item.rsplit_once(": "));
    pairs
        .map(|(name, label)| (name.trim().to_owned(), label.trim().to_owned()))
        .collect()
}

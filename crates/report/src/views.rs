//! The run as files for people: the state file, the evidence list and the evidence page. Views of
//! the journal, written after it and never read as truth; a person's edit of one is an input.

mod evidence_file;
mod log;
mod page;
mod patch;
mod phase_line;
pub mod snapshot;

use crate::address;
use crate::history::{History, history};
use crate::kept::Kept;
use flow::{Flow, Owner, parse_fields, replace_fields};
use kernel::machine::Activity;
use kernel::{Body, Event, Machine, What};
use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::sync::Arc;
use workspace::context::Context;
use workspace::view::EVIDENCE_FILE;
use workspace::{EngineError, Project};

/// The state file, and the names of its lines that are views of the journal.
pub fn engine_lines(workflow: &flow::Workflow) -> (&str, Vec<String>) {
    let Some(task) = &workflow.task else {
        return ("", Vec::new());
    };
    let ours = |field: &&flow::Field| field.owner != Owner::Author;
    let lines = task
        .fields
        .iter()
        .filter(ours)
        .map(|field| field.name.clone());
    (&task.state_file, lines.collect())
}

/// A file in a task folder that no run has used yet and that the views would replace, if there is
/// one. `EVIDENCE.md` keeps what others wrote in it, but a link would become a file.
pub fn taken(workflow: &flow::Workflow, folder: &std::path::Path) -> Option<PathBuf> {
    let task = workflow.task.as_ref();
    let whole = task.into_iter().flat_map(|task| {
        [&task.log, &task.patch, &task.evidence_page]
            .into_iter()
            .flatten()
            .chain([&task.state_file])
    });
    let latest = workflow.snapshot.iter().map(|spec| &spec.latest);
    let mut whole = whole.chain(latest).map(|name| folder.join(name));
    let found = whole.find(|path| path.symlink_metadata().is_ok());
    let list = folder.join(EVIDENCE_FILE);
    let listed = task.is_some_and(|task| task.files.contains_key(EVIDENCE_FILE));
    let link = |path: &PathBuf| path.symlink_metadata().is_ok_and(|it| !it.is_file());
    found.or_else(|| Some(list).filter(|path| listed && link(path)))
}

/// The state file as it lies there.
struct OnDisk {
    path: PathBuf,
    text: String,
    fields: BTreeMap<String, String>,
}

/// Writes the views of one run.
pub struct Views {
    context: Arc<Context>,
    history: History,
    /// The fields that a person may write as they were last written, to notice their edits.
    written: BTreeMap<String, String>,
    /// Fields whose edit was answered on record and not taken as it stands: these lines are the run's
    /// again.
    refused: BTreeSet<String>,
    /// What was read of the evidence already.
    kept: Kept,
}

/// The fields that a person may write, as the run holds them.
fn open_fields(machine: &Flow) -> BTreeMap<String, String> {
    let mut fields = machine.fields().clone();
    fields.extend(machine.declared());
    fields
}

impl Views {
    /// Those of one run, after what lies there was found as it was written.
    pub fn of(context: &Arc<Context>, machine: &Flow) -> Result<Self, EngineError> {
        for folder in folders(context) {
            store::sweep(&folder);
        }
        let history = history(&context.project, &context.run)?;
        // Before anything else is done: nothing may stand on a snapshot that was edited.
        snapshot::write(context, &history)?;
        // An engine that fell between a checkpoint and its patch left the gate nothing to find.
        patch::write(context, &history)?;
        Ok(Self {
            context: context.clone(),
            history,
            written: open_fields(machine),
            refused: BTreeSet::new(),
            kept: Kept::default(),
        })
    }

    fn state_file(&self) -> Option<PathBuf> {
        let task = self.context.workflow.task.as_ref()?;
        Some(self.context.task.join(&task.state_file))
    }

    /// The state file's text and fields. A person's broken file is an error, not something to
    /// write over.
    fn read(&self) -> Result<Option<OnDisk>, EngineError> {
        let (Some(path), Some(task)) = (self.state_file(), &self.context.workflow.task) else {
            return Ok(None);
        };
        let mend = |why: &str| {
            format!(
                "{why}; the journal is unharmed: `proofhouse run {} --restore-views` writes the file anew (yours is kept beside it)",
                self.context.run
            )
        };
        let text = std::fs::read_to_string(&path).map_err(|error| {
            EngineError::user(
                "state_file_missing",
                format!("{}: {error}", path.display()),
                mend("put it back"),
            )
        })?;
        let names: Vec<&str> = task
            .fields
            .iter()
            .map(|field| field.name.as_str())
            .collect();
        let fields = parse_fields(&text, &names).map_err(|why| {
            EngineError::user(
                "state_file_malformed",
                format!("{}: {why}", path.display()),
                mend("mend the line"),
            )
        })?;
        Ok(Some(OnDisk { path, text, fields }))
    }

    /// What a person has edited since we last wrote.
    pub fn edits(&mut self, machine: &Flow) -> Result<Option<What>, EngineError> {
        let Some(OnDisk { fields, .. }) = self.read()? else {
            return Ok(None);
        };
        let held = open_fields(machine);
        let open = self
            .context
            .workflow
            .task
            .iter()
            .flat_map(|task| &task.fields)
            .filter(|field| field.owner == Owner::Author || held.contains_key(&field.name));
        let one_line = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
        let changed: BTreeMap<String, String> = open
            .filter_map(|field| {
                let here = fields.get(&field.name)?;
                if phase_line::is_it(field)
                    && phase_line::is_explained(
                        &self.context.workflow,
                        &self.history,
                        &fields,
                        here.trim(),
                    )
                {
                    return None;
                }
                let held = held.get(&field.name).map_or("", String::as_str);
                let last = self.written.get(&field.name).map_or("", String::as_str);
                (one_line(here) != one_line(held) && one_line(here) != one_line(last))
                    .then(|| (field.name.clone(), here.clone()))
            })
            .collect();
        Ok((!changed.is_empty()).then_some(What::Edited { fields: changed }))
    }

    fn render_evidence(&mut self, machine: &Flow, head: &store::Head) -> Result<(), EngineError> {
        evidence_file::write(&self.context, &self.history)?;
        log::write(&self.context, machine, &self.history)?;
        page::write(&self.context, machine, &self.history, head, &mut self.kept)
    }

    /// Writes all views. Gives back what a person edited meanwhile, which is kept in the file.
    pub fn write(
        &mut self,
        machine: &Flow,
        events: &[Event],
        head: &store::Head,
    ) -> Result<Option<What>, EngineError> {
        for event in events {
            self.history.take(event);
            self.refused.extend(answered(&self.context.workflow, event));
        }
        snapshot::write(&self.context, &self.history)?;
        let committed = |event: &Event| matches!(event.body, Body::CheckpointEnded(_));
        if events.is_empty() || events.iter().any(committed) {
            patch::write(&self.context, &self.history)?;
        }
        let Some(OnDisk { path, text, .. }) = self.read()? else {
            return Ok(None);
        };
        // What an agent left in the file is not a person's edit, taken or refused.
        let by_agent: Vec<&BTreeMap<String, String>> = events
            .iter()
            .filter_map(|event| match &event.body {
                Body::AttemptEnded(ended) => Some(&ended.outcome.fields),
                _ => None,
            })
            .collect();
        let edited = self
            .edits(machine)?
            .and_then(|what| without(what, &by_agent));
        let refused = std::mem::take(&mut self.refused);
        let edited = edited.and_then(|what| retain(what, |name, _| !refused.contains(name)));
        let link = link(&self.context)?;
        let mut document = machine.document(&link);
        if let Some(What::Edited { fields }) = &edited {
            for (name, value) in document.iter_mut() {
                if let Some(edit) = fields.get(name) {
                    value.clone_from(edit);
                }
            }
        }
        let fresh = replace_fields(&text, &document);
        if fresh != text {
            store::write_atomic(&path, fresh.as_bytes())?;
        }
        // What is not noted is written again, and nothing else hangs on it.
        let noted = written_at(&self.context.project, &self.context.run);
        let _ = store::write_atomic(&noted, head.seq.to_string().as_bytes());
        self.written = open_fields(machine);
        let worth_a_page =
            |event: &Event| !matches!(event.body, Body::SessionOpened(_) | Body::TailCut(_));
        if events.iter().any(worth_a_page) {
            self.render_evidence(machine, head)?;
        }
        Ok(edited)
    }
}

/// The edits that no agent has made.
fn without(what: What, by_agent: &[&BTreeMap<String, String>]) -> Option<What> {
    retain(what, |name, value| {
        !by_agent.iter().any(|agent| agent.get(name) == Some(value))
    })
}

fn retain(what: What, keep: impl Fn(&String, &String) -> bool) -> Option<What> {
    let What::Edited { mut fields } = what else {
        return Some(what);
    };
    fields.retain(|name, value| keep(name, value));
    (!fields.is_empty()).then_some(What::Edited { fields })
}

fn answered(workflow: &flow::Workflow, event: &Event) -> Vec<String> {
    let Body::FieldsEdited(edited) = &event.body else {
        return Vec::new();
    };
    // A request is answered by what follows from it, and not by the line that it was made in.
    let asked = phase_line::name(workflow).filter(|name| edited.fields.contains_key(*name));
    let refused = edited.refused.keys().cloned();
    refused.chain(asked.map(str::to_owned)).collect()
}

/// Where views and the run's own files are written.
fn folders(context: &Context) -> Vec<PathBuf> {
    let workflow = &context.workflow;
    let mut folders = vec![context.task.clone(), context.project.journals()];
    folders.extend(
        workflow
            .snapshot
            .iter()
            .map(|spec| context.task.join(&spec.folder)),
    );
    let pages = workflow
        .task
        .iter()
        .filter_map(|task| task.evidence_page.as_ref());
    for page in pages.map(|page| context.task.join(page)) {
        folders.extend([page.with_file_name(""), page.with_file_name("evidence")]);
    }
    folders
}

fn link(context: &Context) -> Result<String, EngineError> {
    address::link_of(&context.project, &context.workflow, &context.task)
}

/// Where the number of the record is up to which the state file was written. No agent and no command reaches it.
fn written_at(project: &Project, run: &str) -> PathBuf {
    project.work(run).join("state.seq")
}

/// The record up to which the state file was written here; none where nobody knows.
pub fn written_up_to(project: &Project, run: &str) -> Option<u64> {
    let noted = std::fs::read_to_string(written_at(project, run)).ok()?;
    noted.trim().parse().ok()
}

/// Is the evidence page of a run in this task folder another than the engine wrote last?
pub fn page_edited(project: &Project, machine: &Flow, task: &std::path::Path) -> bool {
    let page = machine.workflow().task.as_ref();
    let page = page.and_then(|task| task.evidence_page.as_ref());
    let run = machine.started().map(|started| started.run.as_str());
    match (page, run) {
        (Some(page), Some(run)) => page::edited(project, run, &task.join(page)),
        _ => false,
    }
}

fn of_run(project: &Project, machine: &Flow) -> Result<Option<Views>, EngineError> {
    let Some(started) = machine.started() else {
        return Ok(None);
    };
    let context = Context::of(project, machine.workflow(), started, BTreeMap::new())?;
    Views::of(&Arc::new(context), machine).map(Some)
}

/// Writes the views of a run that nobody drives. `last` are its last records, and `shown` is what the
/// state file said before them: a line that still says so was not edited.
pub fn refresh(
    project: &Project,
    machine: &Flow,
    head: &store::Head,
    last: &[Event],
    shown: &BTreeMap<String, String>,
) -> Result<(), EngineError> {
    let Some(mut views) = of_run(project, machine)? else {
        return Ok(());
    };
    let workflow = machine.workflow();
    views
        .refused
        .extend(last.iter().flat_map(|event| answered(workflow, event)));
    views.written.extend(shown.clone());
    views.write(machine, &[], head)?;
    views.render_evidence(machine, head)
}

/// What a person has declared in the header of a run that nobody drives and that is not over: part of
/// what they decide about next.
pub fn declarations(project: &Project, machine: &Flow) -> Result<Option<What>, EngineError> {
    let status = machine.status();
    let over = matches!(status.activity, Activity::Done | Activity::Stopped);
    if over || !status.in_flight.is_empty() || machine.declared().is_empty() {
        return Ok(None);
    }
    let Some(mut views) = of_run(project, machine)? else {
        return Ok(None);
    };
    let declared = machine.declared();
    let edits = views.edits(machine)?;
    Ok(edits.and_then(|what| retain(what, |name, _| declared.contains_key(name))))
}

/// The line of a state file that was just laid down and says where every run begins.
pub fn first_phase(workflow: &flow::Workflow) -> Option<(String, String)> {
    let name = phase_line::name(workflow)?;
    Some((name.to_owned(), workflow.table.initial.to_string()))
}

/// A phase that a person asks for in the state file of a run that is over. It is told, and not
/// recorded: nothing of such a run changes any more.
pub fn asked_too_late(
    project: &Project,
    machine: &Flow,
) -> Result<Option<(String, String)>, EngineError> {
    let over = matches!(
        machine.status().activity,
        Activity::Done | Activity::Stopped
    );
    let Some(name) = phase_line::name(machine.workflow()).filter(|_| over) else {
        return Ok(None);
    };
    let Some(mut views) = of_run(project, machine)? else {
        return Ok(None);
    };
    let Some(What::Edited { fields }) = views.edits(machine)? else {
        return Ok(None);
    };
    let asked = fields.get(name);
    Ok(asked.map(|asked| (name.to_owned(), asked.clone())))
}

/// Writes the engine's lines of a state file that lies there from another run; what people and agents wrote in it
/// stays.
pub fn renew(context: &Context, machine: &Flow) -> Result<(), EngineError> {
    let Some(task) = &context.workflow.task else {
        return Ok(());
    };
    snapshot::restore(context, &history(&context.project, &context.run)?)?;
    let path = context.task.join(&task.state_file);
    let text = std::fs::read_to_string(&path).map_err(EngineError::io("read", &path))?;
    let document = machine.document(&link(context)?);
    store::write_atomic(&path, replace_fields(&text, &document).as_bytes())?;
    Ok(())
}

/// Writes the state file anew from the journal; a file that is in the way is kept beside it.
pub fn restore(context: &Context, machine: &Flow) -> Result<Option<PathBuf>, EngineError> {
    let Some(task) = &context.workflow.task else {
        return Ok(None);
    };
    snapshot::restore(context, &history(&context.project, &context.run)?)?;
    let path = context.task.join(&task.state_file);
    let mut kept = None;
    if path.symlink_metadata().is_ok() {
        let beside = (1..)
            .map(|n| path.with_extension(format!("md.kept-{n}")))
            .find(|beside| !beside.exists());
        if let Some(beside) = beside {
            std::fs::rename(&path, &beside).map_err(EngineError::io("keep", &path))?;
            kept = Some(beside);
        }
    }
    let template = task.files.get(&task.state_file).map_or("", String::as_str);
    std::fs::create_dir_all(&context.task).map_err(EngineError::io("create", &context.task))?;
    let link = link(context)?;
    store::write_atomic(
        &path,
        replace_fields(template, &machine.document(&link)).as_bytes(),
    )?;
    Ok(kept)
}

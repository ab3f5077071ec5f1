//! A project of the factory in the real world: roles are attempts like any other, on a view of the state store; ships and
//! releases are gates of its own.

use super::records::RecordWriter;
use super::views::{Before, Views};
use super::{gate, product, roles, task_files};
use crate::perform::{self, Job, Judged};
use crate::world::{Adapter, Listener, Observer, Opening, Performer};
use ::factory::machine::Factory;
use agents::Agent;
use kernel::event::RunStarted;
use kernel::{Body, Effect, Event, What};
use report::look::known_fact;
use sandbox::Cancel;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::sync::Arc;
use store::{Head, Objection, RecordRef};
use workspace::clock::now;
use workspace::context::{Context, Files};
use workspace::error::EngineError;
use workspace::project::Project;

/// What a project needs beside its machine.
pub(super) struct ProjectAdapter {
    performer: Arc<ProjectPerformer>,
    views: Views,
    writer: RecordWriter,
    /// Resolutions whose task files are written.
    answered: usize,
}

/// Performs the effects of a project.
pub(super) struct ProjectPerformer {
    context: Context,
}

/// Everything that is needed to perform one effect of a project, beside its place.
#[derive(Serialize, Deserialize)]
pub(super) struct ProjectJob {
    job: Job,
    /// What must be on disk before.
    before: Option<Before>,
    /// What the product role finds.
    finds: Option<product::RoleFiles>,
}

impl ProjectAdapter {
    pub(super) fn of(
        project: &Project,
        started: &RunStarted,
        agents: BTreeMap<String, Arc<dyn Agent>>,
        writer: RecordWriter,
    ) -> Result<Self, EngineError> {
        let project = project.of_factory();
        let mut context = Context::of(&project, &roles::workflow(), started, agents)?;
        context.files = Files::OfStore;
        context.shapes = roles::shapes()?;
        // Roles have no folder of a task beside their view; theirs is empty and thrown away.
        context.task = project.work(&context.run).join("task");
        std::fs::create_dir_all(&context.task).map_err(EngineError::io("create", &context.task))?;
        Ok(Self {
            views: Views::of(&project),
            writer,
            answered: 0,
            performer: Arc::new(ProjectPerformer { context }),
        })
    }
}

impl Performer for ProjectPerformer {
    type Job = ProjectJob;
    type What = What;

    fn perform(
        &self,
        asked: &ProjectJob,
        cancel: &Cancel,
        listener: &Listener<'_>,
    ) -> Result<What, EngineError> {
        let context = &self.context;
        if let Effect::Gate(order) = &asked.job.effect {
            return Ok(gate::run(context, order, cancel, listener.progress));
        }
        if let Some(before) = &asked.before {
            before.write(context)?;
        }
        if let Some(finds) = &asked.finds {
            finds.lay(context)?;
        }
        perform::perform(context, &asked.job, cancel, listener.progress)
    }
}

impl Adapter for ProjectAdapter {
    type Machine = Factory;
    type Performer = ProjectPerformer;

    fn performer(&self) -> &Arc<ProjectPerformer> {
        &self.performer
    }

    fn known(&self, _: &Factory, record: &RecordRef<'_>) -> Result<Event, Objection> {
        known_fact(record)
    }

    fn opening(
        &mut self,
        machine: &Factory,
        opening: Opening<'_, Body>,
    ) -> Result<Vec<What>, EngineError> {
        perform::opening(&self.performer.context, machine, opening, || Ok(None))
    }

    fn follow(
        &mut self,
        machine: &Factory,
        events: &[Event],
        head: &Head,
        _: &mut dyn Observer,
    ) -> Result<Option<What>, EngineError> {
        let project = &self.performer.context.project;
        self.writer.take(events, head)?;
        // A task that a person made or changed has its file before any role looks for it.
        let noted = |name: &str| {
            let is = |event: &Event| matches!(&event.body, Body::Noted(note) if note.name == name);
            events.iter().any(is)
        };
        if noted("project_opened.v1") {
            task_files::write(project, machine)?;
        }
        // Answers may come from another process; what is known of them is how many there are.
        let answered = machine.resolutions_given();
        if answered != self.answered {
            task_files::write_answered(project, machine)?;
            self.answered = answered;
        }
        self.views.soon(machine, now())?;
        Ok(None)
    }

    fn job(&self, machine: &Factory, effect: &Effect, head: &Head) -> ProjectJob {
        let attempt = match effect {
            Effect::Attempt(order) => Some(order),
            Effect::Gate(_) | Effect::Checkpoint(_) => None,
        };
        let home = self.performer.context.project.home();
        let of_product = attempt.filter(|order| order.role == ::factory::product::ROLE);
        ProjectJob {
            job: Job {
                effect: effect.clone(),
                judged: Judged::default(),
                head: head.clone(),
            },
            before: attempt.map(|order| Before::of(machine, &home, order)),
            finds: of_product.and_then(|_| machine.product().map(product::RoleFiles::of)),
        }
    }
}

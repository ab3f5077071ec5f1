//! The factory's craft: roles are attempts like any other, on a view of the state store; ships and
//! releases are gates of its own.

use super::opening::known;
use super::records::Keeper;
use super::views::{Before, Views};
use super::{product, roles, ship, task_files};
use crate::perform::{self, Job, Judged};
use crate::world::{Craft, Errand};
use ::factory::machine::Factory;
use agents::Agent;
use kernel::event::RunStarted;
use kernel::{Body, Effect, Event, What};
use std::collections::BTreeMap;
use std::sync::Arc;
use store::{Head, RecordRef};
use workspace::clock::now;
use workspace::context::{Context, Files};
use workspace::error::EngineError;
use workspace::project::Project;

/// What a project needs beside its machine.
pub(super) struct Making {
    context: Arc<Context>,
    views: Views,
    keeper: Keeper,
    /// Resolutions whose task files are written.
    answered: usize,
}

impl Making {
    pub(super) fn of(
        project: &Project,
        started: &RunStarted,
        agents: BTreeMap<String, Arc<dyn Agent>>,
        keeper: Keeper,
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
            keeper,
            answered: 0,
            context: Arc::new(context),
        })
    }
}

impl Craft for Making {
    type Machine = Factory;

    fn context(&self) -> &Arc<Context> {
        &self.context
    }

    fn known(&self, _: &Factory, record: &RecordRef<'_>) -> Result<Event, String> {
        known(record)
    }

    fn edits(&mut self, _: &Factory) -> Result<Option<What>, EngineError> {
        Ok(None)
    }

    fn write(
        &mut self,
        machine: &Factory,
        events: &[Event],
        head: &Head,
    ) -> Result<Option<What>, EngineError> {
        self.keeper.take(events, head)?;
        // A task that a person made or changed has its file before any role looks for it.
        let noted = |name: &str| {
            let is = |event: &Event| matches!(&event.body, Body::Noted(note) if note.name == name);
            events.iter().any(is)
        };
        if noted("project_opened.v1") {
            task_files::write(&self.context.project, machine)?;
        }
        // Answers may come from another process; what is known of them is how many there are.
        let answered = machine.resolutions_given();
        if answered != self.answered {
            task_files::write_answered(&self.context.project, machine)?;
            self.answered = answered;
        }
        self.views.soon(machine, now())?;
        Ok(None)
    }

    fn errand(&self, machine: &Factory, effect: &Effect, head: &Head) -> Errand {
        let context = self.context.clone();
        if let Effect::Gate(order) = effect {
            let order = order.clone();
            return Box::new(move |cancel, progress| {
                Ok(ship::gate(&context, &order, cancel, progress))
            });
        }
        let desk = match effect {
            Effect::Attempt(order) if order.role == ::factory::product::ROLE => {
                machine.product().map(product::Desk::of)
            }
            _ => None,
        };
        let before = match effect {
            Effect::Attempt(order) => {
                let home = context.project.home();
                Some(Before::of(machine, &home, order))
            }
            Effect::Gate(_) | Effect::Checkpoint(_) => None,
        };
        let job = Job {
            effect: effect.clone(),
            judged: Judged::default(),
            head: head.clone(),
        };
        Box::new(move |cancel, progress| {
            if let Some(before) = before {
                before.write(&context)?;
            }
            if let Some(desk) = desk {
                desk.lay(&context)?;
            }
            perform::perform(&context, &job, cancel, progress)
        })
    }
}

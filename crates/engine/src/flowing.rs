//! A workflow's craft: its views, and its effects performed on the repository.

use crate::perform::{self, Job, Judged};
use crate::run::known;
use crate::views::Views;
use crate::world::{Craft, Errand};
use flow::Flow;
use kernel::{Body, Class, Effect, Event, What};
use std::sync::Arc;
use store::{Head, RecordRef};
use workspace::context::Context;
use workspace::error::EngineError;
use workspace::view;

/// What a workflow's run needs beside its machine.
pub(crate) struct Flowing {
    context: Arc<Context>,
    views: Views,
}

impl Flowing {
    /// For a run whose machine is this.
    pub(crate) fn of(context: Context, machine: &Flow) -> Result<Self, EngineError> {
        let context = Arc::new(context);
        let views = Views::of(&context, machine)?;
        Ok(Self { context, views })
    }
}

impl Craft for Flowing {
    type Machine = Flow;

    fn context(&self) -> &Arc<Context> {
        &self.context
    }

    fn known(&self, machine: &Flow, record: &RecordRef<'_>) -> Result<Event, String> {
        known(machine.workflow(), record)
    }

    fn edits(&mut self, machine: &Flow) -> Result<Option<What>, EngineError> {
        self.views.edits(machine)
    }

    fn write(
        &mut self,
        machine: &Flow,
        events: &[Event],
        head: &Head,
    ) -> Result<Option<What>, EngineError> {
        for event in events {
            if let Body::AttemptEnded(ended) = &event.body
                && ended.outcome.class == Class::Done
            {
                // Taken back, on record: the copy is free for the next attempt. That of a failed
                // attempt stays.
                view::put_aside(&self.context, ended.effect);
            }
        }
        self.views.write(machine, events, head)
    }

    fn state(&self, machine: &Flow) -> serde_json::Value {
        crate::run::state_of(machine)
    }

    fn errand(&self, machine: &Flow, effect: &Effect, head: &Head) -> Errand {
        let job = Job {
            effect: effect.clone(),
            judged: Judged {
                outcome: machine.judged().cloned(),
                fields_before: machine.fields_before().clone(),
                results: machine.results().clone(),
            },
            head: head.clone(),
        };
        let context = self.context.clone();
        Box::new(move |cancel, progress| perform::perform(&context, &job, cancel, progress))
    }
}

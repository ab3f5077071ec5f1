//! A workflow's run in the real world: its views, and its effects performed on the repository.

use crate::perform::{self, Job, Judged};
use crate::world::{Adapter, Listener, Observer, Opening, Performer};
use flow::Flow;
use kernel::{Body, Class, Effect, Event, What};
use report::look::{self, known};
use report::views::Views;
use sandbox::Cancel;
use std::sync::Arc;
use store::{Head, Objection, RecordRef};
use workspace::context::Context;
use workspace::error::EngineError;
use workspace::view;

/// What a workflow's run needs beside its machine.
pub(crate) struct RunAdapter {
    performer: Arc<RunPerformer>,
    views: Views,
}

/// Performs the effects of a workflow's run.
pub(crate) struct RunPerformer {
    context: Arc<Context>,
}

impl RunAdapter {
    /// For a run whose machine is this.
    pub(crate) fn of(context: Context, machine: &Flow) -> Result<Self, EngineError> {
        let context = Arc::new(context);
        let views = Views::of(&context, machine)?;
        let performer = Arc::new(RunPerformer { context });
        Ok(Self { performer, views })
    }
}

impl Performer for RunPerformer {
    type Job = Job;
    type What = What;

    fn perform(
        &self,
        job: &Job,
        cancel: &Cancel,
        listener: &Listener<'_>,
    ) -> Result<What, EngineError> {
        perform::perform(&self.context, job, cancel, listener.progress)
    }
}

impl Adapter for RunAdapter {
    type Machine = Flow;
    type Performer = RunPerformer;

    fn performer(&self) -> &Arc<RunPerformer> {
        &self.performer
    }

    fn known(&self, machine: &Flow, record: &RecordRef<'_>) -> Result<Event, Objection> {
        known(machine.workflow(), record)
    }

    fn opening(
        &mut self,
        machine: &Flow,
        opening: Opening<'_, Body>,
    ) -> Result<Vec<What>, EngineError> {
        let views = &mut self.views;
        perform::opening(&self.performer.context, machine, opening, || {
            views.edits(machine)
        })
    }

    fn follow(
        &mut self,
        machine: &Flow,
        events: &[Event],
        head: &Head,
        _: &mut dyn Observer,
    ) -> Result<Option<What>, EngineError> {
        for event in events {
            if let Body::AttemptEnded(ended) = &event.body
                && ended.outcome.class == Class::Done
            {
                let context = &self.performer.context;
                if ended.outcome.evidence.iter().any(|kept| kept.sealed) {
                    // Nothing of it is there for whoever works next. What stays is out of reach.
                    let _ = store::remove_tree(&context.home(ended.effect));
                    continue;
                }
                // Taken back, on record: the copy is free for the next attempt. That of a failed
                // attempt stays.
                view::put_aside(context, ended.effect);
            }
        }
        self.views.write(machine, events, head)
    }

    fn state(&self, machine: &Flow) -> Option<serde_json::Value> {
        Some(look::state_of(machine))
    }

    fn job(&self, machine: &Flow, effect: &Effect, head: &Head) -> Job {
        Job {
            effect: effect.clone(),
            judged: Judged {
                outcome: machine.judged().cloned(),
                fields_before: machine.fields_before().clone(),
                results: machine.results().clone(),
            },
            head: head.clone(),
        }
    }
}

//! A journal as OpenTelemetry spans, in the names of the GenAI conventions: the run, each attempt, gate and
//! checkpoint, each time that a person was waited for, and the calls of models and tools that a kept transcript
//! tells of. Names, numbers and verdicts go along; no brief, no answer, no code and nobody's name. All ids come
//! from the journal's hashes, so the same journal is the same trace wherever and however often it is told.

mod inside;
mod otlp;
mod span;

use crate::look;
use factory::NAME as FACTORY;
use factory::machine::Factory;
use flow::Flow;
use kernel::machine::{Activity, Waiting};
use kernel::outcome::passes;
use kernel::{Body, EffectId, Machine, Outcome, Status, Time};
use serde_json::Value;
use span::Span;
use std::collections::BTreeMap;
use store::{Journal, Objection, RecordRef, Replay, Vault};
use workspace::secrets::Secrets;
use workspace::{EngineError, Project};

/// How the evidence is named that holds what an agent told while it worked.
const TRANSCRIPT: &str = " transcript";

/// A run or a project as one trace, in OTLP's JSON.
pub fn trace(project: &Project, run: &str) -> Result<Value, EngineError> {
    let name = look::run_name(project, run)?;
    let mut tracer = Tracer {
        vault: project.vault().ok(),
        ..Tracer::default()
    };
    let read = |take: &mut dyn FnMut(RecordRef<'_>) -> Result<(), Objection>| {
        Journal::read(&project.journals(), &name, Replay::default(), take)
    };
    match look::first_named(project, &name)?.as_deref() {
        Some(FACTORY) => {
            let mut machine = Factory::new();
            read(&mut |record| {
                machine.apply(&look::known_fact(&record)?);
                tracer.take(&record, &machine.status())
            })?;
        }
        _ => {
            let workflow = look::workflow_of(project, &name)?;
            let mut machine = Flow::new(workflow.clone());
            read(&mut |record| {
                machine.apply(&look::known(&workflow, &record)?);
                tracer.take(&record, &machine.status())
            })?;
        }
    }
    let secrets = Secrets::of(&project.config()?, project.top());
    Ok(secrets.json(otlp::request(&tracer.end(run))))
}

/// What is in flight while a journal is read.
#[derive(Default)]
struct Tracer {
    /// Where transcripts are kept; without it, attempts are told and nothing inside of them.
    vault: Option<Vault>,
    trace: String,
    root: Option<Span>,
    spans: Vec<Span>,
    flying: BTreeMap<EffectId, Span>,
    waiting: Option<(Span, Waiting)>,
    last: Option<(Time, Status)>,
}

impl Tracer {
    fn take(&mut self, record: &RecordRef<'_>, status: &Status) -> Result<(), Objection> {
        let event = look::event(record)?;
        let id = &record.hash[..16];
        match &event.body {
            Body::RunStarted(started) => {
                self.trace = record.hash[..32].to_owned();
                let root = Span::new(&record.hash[32..48], "", event.at)
                    .named(format!("invoke_workflow {}", started.workflow))
                    .with("gen_ai.operation.name", "invoke_workflow")
                    .with("gen_ai.workflow.name", started.workflow.as_str())
                    .with("proofhouse.workflow.hash", started.workflow_hash.as_str())
                    .with("proofhouse.run", started.run.as_str())
                    .with("proofhouse.autonomy", started.autonomy.to_string());
                self.root = Some(root);
            }
            Body::EffectBegan(began) => {
                let parent = self.root.as_ref().map_or("", |root| root.id.as_str());
                let span = span::of_effect(Span::new(id, parent, event.at), began);
                self.flying.insert(began.effect, span);
            }
            Body::AttemptEnded(ended) => {
                let before = self.spans.len();
                self.end_effect(ended.effect, event.at, |span| {
                    span::attempt_ended(span, &ended.outcome)
                });
                if let Some(attempt) = self.spans.get(before) {
                    let told = self.transcript(&ended.outcome);
                    let within = span::within(attempt, inside::calls(&told));
                    self.spans.extend(within);
                }
            }
            Body::GateEnded(ended) => self.end_effect(ended.effect, event.at, |span| {
                span::gate_ended(span, event.at, &ended.results, passes(&ended.results))
            }),
            Body::CheckpointEnded(ended) => {
                self.end_effect(ended.effect, event.at, |span| match &ended.commit {
                    Some(commit) => span.with("vcs.ref.head.revision", commit.as_str()),
                    None => span.failed("no_commit"),
                });
            }
            Body::EffectLost(lost) => self.end_effect(lost.effect, event.at, |span| {
                span::used(span, &lost.usage).failed("lost")
            }),
            Body::Decided(decision) => {
                if let Some((span, _)) = &mut self.waiting {
                    let channel = decision.channel.split([' ', '(']).next();
                    *span = std::mem::take(span)
                        .with("proofhouse.decision.option", decision.option.as_str())
                        .with("proofhouse.decision.channel", channel.unwrap_or_default());
                }
            }
            Body::SessionOpened(_)
            | Body::TailCut(_)
            | Body::LateDropped(_)
            | Body::Moved(_)
            | Body::Rewound(_)
            | Body::Refused(_)
            | Body::FieldsEdited(_)
            | Body::Noted(_)
            | Body::SnapshotTaken(_) => {}
        }
        self.wait(id, event.at, status);
        self.last = Some((event.at, status.clone()));
        Ok(())
    }

    /// What an attempt's agent told while it worked; nothing where it is under seal, or not here.
    fn transcript(&self, outcome: &Outcome) -> Vec<u8> {
        let mut kept = outcome.evidence.iter();
        let kept = kept.find(|one| !one.sealed && one.name.ends_with(TRANSCRIPT));
        let read = kept.and_then(|one| self.vault.as_ref()?.get(&one.hash).ok());
        read.unwrap_or_default()
    }

    fn end_effect(&mut self, effect: EffectId, at: Time, tell: impl FnOnce(Span) -> Span) {
        let span = self.flying.remove(&effect);
        self.spans.extend(span.map(|span| tell(span).ended(at)));
    }

    /// A person is waited for from the record that asks to the one after which nothing is asked any more.
    fn wait(&mut self, id: &str, at: Time, status: &Status) {
        let asked = status.waiting_for.as_ref();
        let same = |(_, waiting): &(Span, Waiting)| {
            asked.is_some_and(|asked| asked.reason == waiting.reason)
        };
        if self.waiting.as_ref().is_some_and(same) {
            return;
        }
        let over = self.waiting.take();
        self.spans.extend(over.map(|(span, _)| span.ended(at)));
        self.waiting = asked.map(|asked| {
            let parent = self.root.as_ref().map_or("", |root| root.id.as_str());
            let span = Span::new(id, parent, at)
                .named(format!("decision {}", asked.reason))
                .with("proofhouse.wait.reason", asked.reason.as_str())
                .with("proofhouse.state", status.state.as_str());
            (span, asked.clone())
        });
    }

    /// What has begun and not ended is left out: the next export of the same trace has it.
    fn end(self, run: &str) -> otlp::Trace {
        let (mut spans, root) = (self.spans, self.root);
        if let (Some(root), Some((at, status))) = (root, self.last) {
            let used = crate::spend::summary(&status.attempts).run;
            let root = span::used(root, &used.usage)
                .with("proofhouse.state", status.state.as_str())
                .with("proofhouse.attempts", used.attempts);
            let root = match status.activity {
                Activity::Stopped => root.failed("stopped"),
                Activity::Done => root.with("proofhouse.activity", "done"),
                Activity::Working => root.with("proofhouse.activity", "working"),
                Activity::Waiting => root.with("proofhouse.activity", "waiting"),
                Activity::Resting => root.with("proofhouse.activity", "resting"),
            };
            spans.insert(0, root.ended(at));
        }
        otlp::Trace {
            id: self.trace,
            run: run.to_owned(),
            spans,
        }
    }
}

//! A run's journal, taken again step by step: each must be one of the workflow's table, and must follow
//! from what the journal holds before it.

use crate::decisions::Moment;
use crate::finding::{Finding, finding};
use flow::{Flow, Workflow};
use kernel::effect::{Effect, EffectKind};
use kernel::explore::{RUN_BUDGET, ways};
use kernel::outcome::EvidenceRef;
use kernel::position::Hold;
use kernel::snapshot::SnapshotTaken;
use kernel::{Actor, Body, CounterName, EffectId, Event, Input, Machine, Position, What};
use std::collections::BTreeSet;
use std::sync::Arc;
use store::{Audit, StoreError};
use workspace::error::EngineError;
use workspace::project::Project;

/// Replays a journal and looks at every step.
pub(crate) struct Walker {
    pub(crate) machine: Flow,
    /// The same journal on the workflow as it was, where that has changed since.
    former: Vec<Flow>,
    /// Is every workflow at hand that the run ever went by?
    whole: bool,
    pub(crate) findings: Vec<Finding>,
    pub(crate) evidence: Vec<EvidenceRef>,
    pub(crate) snapshots: Vec<SnapshotTaken>,
    /// Every commit that a record names, with its line.
    pub(crate) commits: Vec<(u64, String)>,
    /// The checkpoints of what a gate had let pass: the line, the commit, and that tree.
    judged: Vec<(u64, String, String)>,
    /// Has anybody worked on the run yet?
    opened: bool,
    /// The decision that the next step carries out.
    decided: Option<String>,
    /// The last record that is a copy of another run's.
    copied: u64,
}

impl Walker {
    /// May the one who started the run have said this by starting it?
    pub(crate) fn moment(&self, option: &str) -> Moment {
        let workflow = self.machine.workflow();
        let says = workflow
            .task
            .as_ref()
            .and_then(|task| task.request_says.as_deref());
        let known = workflow.start_with.iter().map(String::as_str).chain(says);
        match !self.opened && known.into_iter().any(|known| known == option) {
            true => Moment::Start,
            false => Moment::Later,
        }
    }

    /// Brings back the workflows that the run's records name and that are not today's. One that was
    /// never kept is of a journal of an older version, or somebody took it away: that is said.
    pub(crate) fn recall(
        &mut self,
        project: &Project,
        name: &str,
        today: &Arc<Workflow>,
    ) -> Result<(), EngineError> {
        let (mut named, mut kept) = (BTreeSet::new(), false);
        let (mut began, mut swapped) = (None, None);
        let journals = project.journals();
        let run = store::RunName::new(name)?;
        // What cannot be read has its finding elsewhere.
        let _ = store::audit(&journals, &run, Audit::default(), |record| {
            match report::look::event(record)?.body {
                Body::RunStarted(started) => {
                    let built_in =
                        !started.instead_of_built_in && flow::built_in(&started.workflow).is_some();
                    began = built_in.then(|| started.workflow_hash.clone());
                    named.insert(started.workflow_hash.clone());
                }
                Body::SessionOpened(opened) => {
                    kept |= opened.workflow_hash.is_some();
                    let other = began.is_some()
                        && opened.workflow_hash.is_some()
                        && opened.workflow_hash != began;
                    if other && swapped.is_none() {
                        swapped = Some(record.seq);
                    }
                    named.extend(opened.workflow_hash);
                }
                _ => {}
            }
            Ok(())
        });
        // A program that lacks the rules of a run's beginning goes on by its own, and says so nowhere else; where they
        // were kept, whoever names others did not go by them.
        if let Some(seq) = swapped.filter(|_| began.as_ref() == Some(&today.hash)) {
            let what = format!(
                "the run began by the built-in workflow `{}`, and goes on by another one from here",
                today.name
            );
            self.findings.push(finding("workflow_swapped", seq, what));
        }
        // Where it was never kept, the one of today may do; where it was kept, it is evidence like any other.
        if let Ok(vault) = project.vault() {
            let broken = named.iter().filter_map(|hash| vault.get(hash).err());
            let broken =
                broken.filter(|error| !matches!(error, StoreError::EvidenceMissing { .. }));
            let broken = broken.map(|error| finding(error.code(), 0, error.to_string()));
            self.findings.extend(broken);
        }
        named.remove(&today.hash);
        for hash in named {
            match project.kept_workflow(&today.name, &hash) {
                Some(former) => self.former.push(Flow::new(former)),
                None => {
                    self.whole = false;
                    let what = format!(
                        "the workflow `{}` has changed since, and how it was ({hash}) is not among the evidence: its steps cannot be taken again",
                        today.name
                    );
                    let lost = kept.then(|| finding("workflow_missing", 0, what));
                    self.findings.extend(lost);
                }
            }
        }
        Ok(())
    }

    /// The machines that may have made the records: on the workflow of today, and as it was.
    fn machines(&self) -> impl Iterator<Item = &Flow> {
        std::iter::once(&self.machine).chain(&self.former)
    }

    /// What the run wants under this number, by what it has come to.
    fn order(&self, id: EffectId, kind: EffectKind) -> Option<Effect> {
        let wanted = |machine: &Flow| machine.wanted().into_iter();
        let mut wanted = self.machines().flat_map(wanted);
        wanted.find(|one| one.id() == id && one.kind() == kind)
    }

    /// Is it a step of the workflow's table, as it is or was?
    fn legal(&self, to: &Position) -> bool {
        self.machines().any(|machine| {
            let at = general(machine.position());
            let ways = ways(&machine.workflow().table, &at, machine.mode());
            ways.iter().any(|way| way.to == *to)
        })
    }

    /// Every step follows from the state alone, so it can be taken again.
    fn follows(&self, at: kernel::Time, moved: &kernel::event::Moved) -> bool {
        self.machines().any(|machine| {
            let due = machine.decide(&Input::new(at, What::Advance));
            let due = due.unwrap_or_default();
            matches!(
                due.first().map(|event| &event.body),
                Some(Body::Moved(due)) if due.action == moved.action && due.by == moved.by && due.position == moved.position
            )
        })
    }

    /// Is it exactly what follows from the state alone?
    fn due(&self, event: &Event) -> bool {
        self.machines().any(|machine| {
            let due = machine.decide(&Input::new(event.at, What::Advance));
            let due = due.unwrap_or_default();
            due.first().is_some_and(|due| due.body == event.body)
        })
    }

    pub(crate) fn of(workflow: &Arc<Workflow>) -> Self {
        Self {
            machine: Flow::new(workflow.clone()),
            former: Vec::new(),
            whole: true,
            findings: Vec::new(),
            evidence: Vec::new(),
            snapshots: Vec::new(),
            commits: Vec::new(),
            judged: Vec::new(),
            opened: false,
            decided: None,
            copied: 0,
        }
    }

    /// A record that is a copy of another run's: it is followed, and judged where it was made.
    pub(crate) fn copy(&mut self, event: Event, seq: u64) {
        let known = self.findings.len();
        self.take(event, seq);
        self.findings.truncate(known);
        self.copied = seq;
    }

    /// The checkpoints that the run has made itself of what a gate had let pass: the line, the commit, and
    /// that tree.
    pub(crate) fn judged(&self) -> impl Iterator<Item = (u64, &str, &str)> {
        let own = self.judged.iter().filter(|(seq, _, _)| *seq > self.copied);
        own.map(|(seq, commit, tree)| (*seq, commit.as_str(), tree.as_str()))
    }

    /// The commits that the run has made itself, with their lines; besides these a journal names its base.
    pub(crate) fn checkpoints(&self) -> impl Iterator<Item = (u64, &str)> {
        let own = self.copied.max(1);
        let made = self.commits.iter().filter(move |(seq, _)| *seq > own);
        made.map(|(seq, commit)| (*seq, commit.as_str()))
    }

    pub(crate) fn take(&mut self, event: Event, seq: u64) {
        match &event.body {
            Body::SessionOpened(_) => self.opened = true,
            Body::EffectBegan(began) => {
                self.opened = true;
                let proves = matches!(began.kind, EffectKind::Gate | EffectKind::Checkpoint);
                if proves && self.whole && self.order(began.effect, began.kind).is_none() {
                    let what = format!(
                        "{} began in `{}`, and nothing that the journal holds before it asks for one there",
                        match began.kind {
                            EffectKind::Gate => "a gate",
                            EffectKind::Checkpoint | EffectKind::Attempt => "a checkpoint",
                        },
                        began.state
                    );
                    self.findings.push(finding("unfounded_effect", seq, what));
                }
            }
            Body::RunStarted(started) => {
                let base = started.own_tree.iter().map(|own| (seq, own.base.clone()));
                self.commits.extend(base);
            }
            Body::CheckpointEnded(ended) => {
                let made = ended.commit.iter().map(|commit| (seq, commit.clone()));
                self.commits.extend(made);
                let order = self.order(ended.effect, EffectKind::Checkpoint);
                if let (Some(commit), Some(Effect::Checkpoint(order))) = (&ended.commit, order) {
                    let tree = order.tree.map(|tree| (seq, commit.clone(), tree));
                    self.judged.extend(tree);
                }
            }
            Body::Decided(decision) => self.decided = Some(decision.option.clone()),
            Body::Moved(moved) => {
                let decided = self.decided.take();
                if moved.by == Actor::Human && decided.as_deref() != Some(moved.action.as_str()) {
                    let what = format!("`{}` by a person, and no decision led there", moved.action);
                    self.findings.push(finding("unfounded_move", seq, what));
                }
                let to = general(&moved.position);
                let at = &self.machine.position().state;
                let what = format!("`{}` from `{at}` to `{}`", moved.action, to.state);
                // What the machine itself does here is a step, also one that the table alone does not know:
                // evidence that is weak holds a run under `auto`.
                let follows = self.follows(event.at, moved);
                if !follows && !self.legal(&to) {
                    let what = format!("{what} is not a step of the workflow's table");
                    self.findings.push(finding("illegal_move", seq, what));
                } else if self.whole && !follows {
                    let what = format!(
                        "{what} does not follow from what the journal holds before it: no gate, request or decision led there"
                    );
                    self.findings.push(finding("unfounded_move", seq, what));
                }
            }
            Body::Rewound(_) => {
                self.decided = None;
                // It is no step of any table: what the machine itself does with the decision alone founds it.
                if self.whole && !self.due(&event) {
                    let what = "it was led back to a commit, and no decision that the journal holds before it led there".to_owned();
                    self.findings.push(finding("unfounded_move", seq, what));
                }
            }
            Body::AttemptEnded(ended) => {
                self.evidence.extend(ended.outcome.evidence.iter().cloned())
            }
            Body::GateEnded(ended) => self.evidence.extend(
                ended
                    .results
                    .iter()
                    .flat_map(|result| result.evidence.iter().cloned()),
            ),
            Body::SnapshotTaken(taken) => {
                let hash = store::sha256_hex(taken.text.as_bytes());
                let founded = self.due(&event);
                if hash != taken.hash || (self.whole && !founded) {
                    let what = format!(
                        "the snapshot {} does not follow from what the journal holds before it",
                        taken.file
                    );
                    self.findings.push(finding("unfounded_snapshot", seq, what));
                }
                self.snapshots.push((**taken).clone());
            }
            _ => {}
        }
        self.machine.apply(&event);
        for former in &mut self.former {
            former.apply(&event);
        }
    }
}

/// Budgets of the run are one in the explored table.
fn general(position: &Position) -> Position {
    let mut position = position.clone();
    if let Some(Hold::Budget { name }) = &position.hold
        && kernel::budget::Budgets::is_known(name.as_str())
    {
        position.hold = Some(Hold::Budget {
            name: CounterName::from(RUN_BUDGET),
        });
    }
    position
}

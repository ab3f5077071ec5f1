//! A milestone's state, folded from its journal: what is done, and the wave that is live. Pure.
//!
//! `apply` takes facts in and never refuses: what was accepted once is accepted for ever. Whether a
//! fact may become one is `decide`'s question.

use crate::fact::*;
use crate::milestone::{Milestone, Task};
use kernel::Time;
use kernel::outcome::passes;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Why a task waits that its own run knows nothing of: what the run says is no answer to it.
const OF_THE_WAVE: [&str; 2] = ["unverified_fork_base", "run_busy"];

/// Is it the task's run that waits for a person, and not the wave?
pub fn waits_in_its_run(stage: &Stage) -> bool {
    matches!(stage, Stage::Waiting { reason, .. } if !OF_THE_WAVE.contains(&reason.as_str()))
}

/// Reasons to wait for a person that speak of a failure, not of a question.
const TROUBLE: [&str; 3] = ["budget", "stall", "trouble"];

/// The code of a task whose run a person has stopped. Nobody begins it anew.
pub const STOPPED: &str = "stopped";

/// The code of a task whose work contradicts what was merged before it.
pub(crate) const CONFLICT: &str = "merge_conflict";

/// Everything that is known of a milestone.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Board {
    /// The wave that is live.
    pub wave: Option<Wave>,
    /// The digests of those that ended.
    pub digests: Vec<String>,
    /// Merged tasks, and the tip after each.
    pub merged: BTreeMap<String, String>,
    /// How often each task was tried and failed, and the last reason.
    pub failed: BTreeMap<String, Failed>,
    /// How often each task was begun in a wave that ended without merging it.
    pub begun: BTreeMap<String, u32>,
    /// The last commit that passed the integration gate.
    pub tip: Option<String>,
    /// What was found of the goal.
    pub goal: Option<GoalJudged>,
    /// How often that was looked at.
    pub judged: u32,
    /// Criteria that a person has ticked, with the last time that they did.
    pub ticked: BTreeMap<String, CriterionTicked>,
    /// Who took on that the sandbox may not hold.
    pub waived: Option<Said>,
}

/// A task that failed before.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Failed {
    /// How often.
    pub times: u32,
    /// The last time's word.
    pub code: String,
    /// The last time's reason.
    pub reason: String,
    /// Finished work that contradicts what was merged before it: the next try brings both together.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub work: Option<Contradicted>,
}

/// Finished work that could not be merged because it contradicts the tip.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Contradicted {
    /// The run that did it.
    pub run: String,
    /// Where that run began.
    pub base: String,
    /// The commit with all its work.
    pub commit: String,
}

/// A live wave.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Wave {
    /// From 1.
    pub number: u32,
    /// When.
    pub opened: Time,
    /// The commit that every fork must stand on.
    pub base: String,
    /// Tasks at once.
    pub jobs: u64,
    /// Failures until one by one.
    pub sequential_after: u32,
    pub failures: u32,
    /// Did it fall back to one by one?
    pub sequential: bool,
    /// In the order of merging.
    pub slots: Vec<Slot>,
    /// What the engine decided on the way.
    pub decisions: Vec<String>,
}

/// One task of a live wave.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Slot {
    /// Who.
    pub row: Row,
    /// When it was claimed first.
    pub spawned: Option<Time>,
    /// The fork's base, as git said it.
    pub echo: Option<String>,
    /// How often its time ran out.
    pub lapses: u32,
    /// How often it was claimed.
    pub claims: u32,
    /// How often a merge of it was begun.
    pub merges: u32,
    /// Has a person answered its run in this wave?
    #[serde(default)]
    pub resumed: bool,
    /// Where it stands.
    pub stage: Stage,
}

/// Where a task stands in its wave.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "stage", rename_all = "snake_case")]
pub enum Stage {
    /// Nobody has it.
    Ready,
    /// A worker has it.
    Claimed {
        /// Which engine.
        lease: String,
        /// Until when.
        until: Time,
    },
    /// A person has it.
    Waiting {
        /// The run's reason.
        reason: String,
        /// A sentence.
        why: String,
    },
    /// Its work is in a commit.
    Finished {
        commit: String,
        /// Why it cannot be merged yet, if so.
        held: Option<String>,
    },
    /// A merge is being tried.
    Merging {
        /// Its work.
        commit: String,
    },
    /// It is on the tip.
    Merged {
        /// The tip.
        commit: String,
    },
    Failed {
        /// A stable word.
        code: String,
        /// A sentence.
        reason: String,
    },
}

impl Stage {
    /// The stage's name.
    pub fn name(&self) -> &'static str {
        match self {
            Stage::Ready => "ready",
            Stage::Claimed { .. } => "working",
            Stage::Waiting { .. } => "waiting",
            Stage::Finished { .. } => "finished",
            Stage::Merging { .. } => "merging",
            Stage::Merged { .. } => "merged",
            Stage::Failed { .. } => "failed",
        }
    }
}

/// What a wave is doing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Phase {
    /// Tasks are being worked on.
    Live,
    /// No task is, nothing can be merged, and people are waited for.
    Waiting,
    /// No task is; what is finished is merged.
    Merging,
}

impl Phase {
    /// The phase's name.
    pub fn name(self) -> &'static str {
        match self {
            Phase::Live => "live",
            Phase::Waiting => "waiting",
            Phase::Merging => "merging",
        }
    }
}

impl Wave {
    /// Live while anybody works or could; then it waits for people, unless something can be merged.
    pub fn phase(&self) -> Phase {
        let open = |slot: &Slot| matches!(slot.stage, Stage::Ready | Stage::Claimed { .. });
        let merges = |slot: &Slot| {
            matches!(
                slot.stage,
                Stage::Merging { .. } | Stage::Finished { held: None, .. }
            )
        };
        let waits = |slot: &Slot| matches!(slot.stage, Stage::Waiting { .. });
        let any = |what: &dyn Fn(&Slot) -> bool| self.slots.iter().any(what);
        if any(&open) {
            Phase::Live
        } else if any(&waits) && !any(&merges) {
            Phase::Waiting
        } else {
            Phase::Merging
        }
    }

    /// The task's slot.
    pub fn slot(&self, task: &str) -> Option<&Slot> {
        self.slots.iter().find(|slot| slot.row.task == task)
    }

    fn slot_mut(&mut self, task: &str) -> Option<&mut Slot> {
        self.slots.iter_mut().find(|slot| slot.row.task == task)
    }
}

impl Board {
    /// Tasks that could be in a wave now: not merged, not stopped by a person, not out of tries,
    /// everything below merged.
    pub fn ready<'a>(&self, milestone: &'a Milestone) -> Vec<&'a Task> {
        let merged = |slug: &String| self.merged.contains_key(slug);
        let tried = |slug: &String| self.failed.get(slug).map_or(0, |failed| failed.times);
        let stopped = |slug: &String| {
            let failed = self.failed.get(slug);
            failed.is_some_and(|failed| failed.code == STOPPED)
        };
        let tasks = milestone.tasks.iter();
        tasks
            .filter(|task| !merged(&task.slug) && tried(&task.slug) < milestone.tries)
            .filter(|task| !stopped(&task.slug))
            .filter(|task| task.depends_on.iter().all(merged))
            .collect()
    }

    /// The number of the next try of a task.
    pub fn nth(&self, task: &str) -> u32 {
        self.begun.get(task).copied().unwrap_or(0) + 1
    }

    /// Are all tasks merged?
    pub fn complete(&self, milestone: &Milestone) -> bool {
        let mut tasks = milestone.tasks.iter();
        tasks.all(|task| self.merged.contains_key(&task.slug))
    }

    /// Do all criteria hold on the present tip, by the engine's runs and by a person's word?
    pub fn goal_met(&self) -> bool {
        self.proven() && self.unticked().is_empty()
    }

    /// Criteria that wait for a person's word on the present tip.
    pub fn unticked(&self) -> Vec<&str> {
        let goal = self.goal.iter();
        let goal = goal.filter(|goal| Some(&goal.commit) == self.tip.as_ref());
        let open = goal.flat_map(|goal| goal.unproven.iter().map(move |text| (goal, text)));
        let open = open.filter(|(goal, text)| {
            let ticked = self.ticked.get(*text);
            ticked.is_none_or(|ticked| ticked.commit != goal.commit)
        });
        open.map(|(_, text)| text.as_str()).collect()
    }

    /// Do all criteria that name a command hold on the present tip?
    pub fn proven(&self) -> bool {
        self.goal.as_ref().is_some_and(|goal| {
            Some(&goal.commit) == self.tip.as_ref()
                && (goal.results.is_empty() || passes(&goal.results))
        })
    }

    /// Takes a fact in.
    pub fn apply(&mut self, dated: &Dated) {
        match &dated.body {
            Fact::WaveOpened(opened) => self.open(dated.at, opened),
            Fact::WaveClosed(closed) => {
                let slots = self.wave.take().into_iter().flat_map(|wave| wave.slots);
                for slot in slots.filter(|slot| slot.spawned.is_some()) {
                    // Its run and its worktree stay as they are: another try has others.
                    if !matches!(slot.stage, Stage::Merged { .. }) {
                        *self.begun.entry(slot.row.task).or_default() += 1;
                    }
                }
                self.digests.push(closed.digest.clone());
            }
            Fact::GoalJudged(judged) => {
                self.goal = Some(judged.clone());
                self.judged += 1;
            }
            Fact::CriterionTicked(ticked) => {
                self.ticked.insert(ticked.criterion.clone(), ticked.clone());
            }
            Fact::SandboxWaived(said) => self.waived = Some(said.clone()),
            Fact::TailCut(_) => {}
            Fact::TaskMerged(merged) => {
                self.merged
                    .insert(merged.task.clone(), merged.commit.clone());
                self.tip = Some(merged.commit.clone());
                self.stage(
                    &merged.task,
                    Stage::Merged {
                        commit: merged.commit.clone(),
                    },
                );
            }
            Fact::TaskFailed(failed) => self.fail(&failed.task, &failed.code, &failed.reason),
            Fact::TaskPutBack(back) => {
                let note = format!("`{}` put back: {}", back.task, back.reason);
                self.note(dated.at, note);
                let work = self.contradicted(back);
                self.fail(&back.task, &back.code, &back.reason);
                if let Some(failed) = self.failed.get_mut(&back.task) {
                    failed.work = work;
                }
            }
            Fact::WaveFellBack(back) => {
                let note = format!("{} failed: one by one from here", back.failures);
                self.note(dated.at, note);
                if let Some(wave) = &mut self.wave {
                    wave.sequential = true;
                }
            }
            Fact::TaskClaimed(claimed) => {
                let slot = self.wave.as_mut();
                if let Some(slot) = slot.and_then(|wave| wave.slot_mut(&claimed.task)) {
                    slot.spawned.get_or_insert(dated.at);
                    slot.claims += 1;
                    slot.stage = Stage::Claimed {
                        lease: claimed.lease.clone(),
                        until: claimed.until,
                    };
                }
            }
            Fact::TaskForked(forked) => {
                let slot = self.wave.as_mut();
                if let Some(slot) = slot.and_then(|wave| wave.slot_mut(&forked.task)) {
                    slot.echo = Some(forked.echo.clone());
                }
            }
            Fact::ClaimReturned(returned) => self.returned(dated.at, returned),
            Fact::TaskWaits(waits) => {
                let in_trouble = TROUBLE.contains(&waits.reason.as_str());
                if let Some(wave) = self.wave.as_mut().filter(|_| in_trouble) {
                    wave.failures += 1;
                }
                self.stage(
                    &waits.task,
                    Stage::Waiting {
                        reason: waits.reason.clone(),
                        why: waits.why.clone(),
                    },
                );
            }
            Fact::TaskResumed(resumed) => {
                self.stage(&resumed.task, Stage::Ready);
                let slot = self.wave.as_mut();
                let slot = slot.and_then(|wave| wave.slot_mut(&resumed.task));
                // A journal that began without this goes on without it.
                if let Some(slot) = slot.filter(|_| resumed.anew) {
                    (slot.echo, slot.resumed) = (None, true);
                }
            }
            Fact::TaskFinished(done) => self.finished(&done.task, done.commit.clone(), None),
            Fact::MergeBegan(began) => {
                let slot = self.wave.as_mut();
                if let Some(slot) = slot.and_then(|wave| wave.slot_mut(&began.task)) {
                    slot.merges += 1;
                }
                if let Some(commit) = self.work_of(&began.task) {
                    self.stage(&began.task, Stage::Merging { commit });
                }
            }
            Fact::MergeLost(lost) => {
                if let Some(commit) = self.work_of(&lost.task) {
                    self.finished(&lost.task, commit, None);
                }
            }
            Fact::MergeHeld(held) => {
                if let Some(commit) = self.work_of(&held.task) {
                    let why = format!("{}: {}", held.code, held.reason);
                    self.note(dated.at, format!("`{}` held: {why}", held.task));
                    self.finished(&held.task, commit, Some(why));
                }
            }
        }
    }

    fn open(&mut self, at: Time, opened: &WaveOpened) {
        let slots = opened.roster.iter().map(|row| Slot {
            row: row.clone(),
            spawned: None,
            echo: None,
            lapses: 0,
            claims: 0,
            merges: 0,
            resumed: false,
            stage: Stage::Ready,
        });
        self.tip = Some(opened.base.clone());
        self.wave = Some(Wave {
            number: opened.number,
            opened: at,
            base: opened.base.clone(),
            jobs: opened.jobs,
            sequential_after: opened.sequential_after,
            failures: 0,
            sequential: false,
            slots: slots.collect(),
            decisions: Vec::new(),
        });
    }

    fn returned(&mut self, at: Time, returned: &ClaimReturned) {
        let why = match returned.why {
            Return::WorkerGone => "its worker is gone",
            Return::Interrupted => "a person interrupted it",
            Return::Lapsed => "its time ran out",
        };
        self.note(at, format!("`{}` went back: {why}", returned.task));
        let slot = self.wave.as_mut();
        if let Some(slot) = slot.and_then(|wave| wave.slot_mut(&returned.task)) {
            slot.stage = Stage::Ready;
            if returned.why == Return::Lapsed {
                slot.lapses += 1;
            }
        }
    }

    fn note(&mut self, at: Time, text: String) {
        if let Some(wave) = &mut self.wave {
            wave.decisions.push(format!("{at} {text}"));
        }
    }

    /// Has a person answered the task's run in this wave?
    pub(crate) fn resumed(&self, task: &str) -> bool {
        let slot = self.wave.as_ref().and_then(|wave| wave.slot(task));
        slot.is_some_and(|slot| slot.resumed)
    }

    fn stage(&mut self, task: &str, stage: Stage) {
        if let Some(slot) = self.wave.as_mut().and_then(|wave| wave.slot_mut(task)) {
            slot.stage = stage;
        }
    }

    fn finished(&mut self, task: &str, commit: String, held: Option<String>) {
        self.stage(task, Stage::Finished { commit, held });
    }

    fn work_of(&self, task: &str) -> Option<String> {
        match &self.wave.as_ref()?.slot(task)?.stage {
            Stage::Finished { commit, .. } | Stage::Merging { commit } => Some(commit.clone()),
            _ => None,
        }
    }

    /// The work of a merge that was put back because of a conflict; what fails the gate is begun anew.
    fn contradicted(&self, back: &TaskPutBack) -> Option<Contradicted> {
        let wave = self.wave.as_ref()?;
        let slot = wave.slots.iter().find(|slot| slot.row.task == back.task)?;
        let (Stage::Merging { commit }, CONFLICT) = (&slot.stage, back.code.as_str()) else {
            return None;
        };
        Some(Contradicted {
            run: slot.row.run.clone(),
            base: wave.base.clone(),
            commit: commit.clone(),
        })
    }

    fn fail(&mut self, task: &str, code: &str, reason: &str) {
        let failed = self.failed.entry(task.to_owned()).or_default();
        failed.times += 1;
        failed.code = code.to_owned();
        failed.reason = reason.to_owned();
        if let Some(wave) = &mut self.wave {
            wave.failures += 1;
        }
        self.stage(
            task,
            Stage::Failed {
                code: code.to_owned(),
                reason: reason.to_owned(),
            },
        );
    }
}

//! What may happen to a milestone, and what should be in flight. Pure: time, ids and what git said
//! arrive on inputs. The rule of the fork's base is here, in both of its forms.

use super::board::{Board, Slot, Stage, Wave};
use super::fact::*;
use super::milestone::{Milestone, Task, run_name};
use kernel::outcome::{CheckResult, passes};
use kernel::{Refusal, Time};
use std::collections::BTreeSet;

/// How often a task's time may run out in one wave before it has failed.
const LAPSES: u32 = 2;

/// Something that happened.
#[derive(Debug, Clone, PartialEq)]
pub enum Input<'a> {
    /// A wave is to begin, on a base whose gate said this.
    Open {
        /// The milestone as it is written now.
        milestone: &'a Milestone,
        /// The base.
        base: &'a str,
        /// Tasks at once.
        jobs: usize,
        /// Names that runs have already, or will have.
        taken: &'a BTreeSet<String>,
        /// The gate on the base.
        results: Vec<CheckResult>,
    },
    /// Another engine takes the milestone up: what an earlier one held goes back.
    Restart,
    /// A worker takes a task.
    Claim {
        /// The task.
        task: &'a str,
        /// The engine.
        lease: &'a str,
    },
    /// A worktree was made; git says that it stands here.
    Forked {
        /// The task.
        task: &'a str,
        /// `git rev-parse HEAD`.
        echo: &'a str,
    },
    /// A worker ended.
    Worked {
        /// The task.
        task: &'a str,
        /// How.
        end: Worked,
    },
    /// A person has answered what a task's run waited for.
    Resume {
        /// The task.
        task: &'a str,
    },
    /// A merge is about to be tried.
    BeginMerge {
        /// The task.
        task: &'a str,
    },
    /// A merge ended.
    MergeEnded {
        /// The task.
        task: &'a str,
        /// How.
        end: Merging,
    },
    /// The wave is to end.
    Close,
    /// The criteria were tried.
    Judge(GoalJudged),
    /// A person says that a criterion holds: its text, or its number from 1.
    Tick {
        /// The milestone as it is written now.
        milestone: &'a Milestone,
        /// Which.
        which: &'a str,
        /// Who, how and why.
        said: Said,
    },
    /// A person takes on that the sandbox may not hold.
    Waive(Said),
}

/// How a worker ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Worked {
    /// The run is done.
    Finished(TaskFinished),
    /// The run waits for a person.
    Waits {
        /// The run's reason.
        reason: String,
        /// A sentence.
        why: String,
    },
    /// It can not go on.
    Failed {
        /// A stable word.
        code: String,
        /// A sentence.
        reason: String,
    },
    /// It was interrupted, by a person or because its time was over.
    Interrupted,
}

/// How a merge ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Merging {
    /// The gate ran on the merged tree.
    Gated {
        /// `git rev-parse HEAD` in the task's worktree, right before.
        echo: String,
        /// The merged commit.
        commit: String,
        /// What the gate said.
        results: Vec<CheckResult>,
    },
    /// The task contradicts what was merged before it.
    Conflict {
        /// The files.
        files: Vec<String>,
    },
    /// It was not tried: the worktree does not stand on the base.
    Unverified {
        /// What git said.
        echo: String,
    },
    /// It did not come to an end.
    Lost {
        /// Why.
        reason: String,
    },
}

/// Something that should be in flight.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Want {
    /// Nobody has this task, and there is room for a worker.
    Claim(String),
    /// Make the claimed task's worktree, and ask git where it stands.
    Fork(String),
    /// Drive the claimed task's run.
    Drive(String),
    /// Merge this task.
    Merge(String),
    /// Everything has ended: close the wave.
    Close,
}

impl Board {
    /// What follows from an input: facts, or a refusal. Changes nothing.
    pub fn decide(&self, at: Time, input: Input<'_>) -> Result<Vec<Fact>, Refusal> {
        match input {
            Input::Open {
                milestone,
                base,
                jobs,
                taken,
                results,
            } => {
                let roster = self.roster(milestone, taken);
                self.opening(milestone, base, jobs, roster, results)
            }
            Input::Restart => Ok(self.restart()),
            Input::Claim { task, lease } => {
                let slot = self.slot(task, "ready", |stage| *stage == Stage::Ready)?;
                Ok(vec![Fact::TaskClaimed(TaskClaimed {
                    task: task.to_owned(),
                    lease: lease.to_owned(),
                    until: Time(at.0.saturating_add(slot.row.timeout_millis)),
                })])
            }
            Input::Forked { task, echo } => {
                self.slot(task, "claimed", claimed)?;
                self.verified(task, echo)?;
                Ok(vec![Fact::TaskForked(TaskForked {
                    task: task.to_owned(),
                    echo: echo.to_owned(),
                })])
            }
            Input::Worked { task, end } => self.worked(at, task, end),
            Input::Resume { task } => {
                self.slot(task, "waiting", |stage| {
                    matches!(stage, Stage::Waiting { .. })
                })?;
                Ok(vec![Fact::TaskResumed(TaskResumed {
                    task: task.to_owned(),
                })])
            }
            Input::BeginMerge { task } => {
                self.slot(task, "finished", |stage| {
                    matches!(stage, Stage::Finished { .. })
                })?;
                Ok(vec![Fact::MergeBegan(MergeBegan {
                    task: task.to_owned(),
                    onto: self.tip.clone().unwrap_or_default(),
                })])
            }
            Input::MergeEnded { task, end } => self.merge_ended(task, end),
            Input::Close => self.closing(),
            Input::Judge(judged) => Ok(vec![Fact::GoalJudged(judged)]),
            Input::Tick {
                milestone,
                which,
                said,
            } => self.tick(milestone, which, said).map(|fact| vec![fact]),
            Input::Waive(said) => Ok(vec![Fact::SandboxWaived(said)]),
        }
    }

    /// What should be in flight, in order.
    pub fn wanted(&self) -> Vec<Want> {
        let Some(wave) = &self.wave else {
            return Vec::new();
        };
        let mut wanted = Vec::new();
        let at_once = if wave.sequential { 1 } else { wave.jobs };
        let busy = wave.slots.iter().filter(|slot| claimed(&slot.stage));
        let mut room = usize::try_from(at_once).unwrap_or(usize::MAX);
        room = room.saturating_sub(busy.count());
        for slot in &wave.slots {
            let task = slot.row.task.clone();
            match &slot.stage {
                Stage::Claimed { .. } if slot.echo.is_none() => wanted.push(Want::Fork(task)),
                Stage::Claimed { .. } => wanted.push(Want::Drive(task)),
                Stage::Ready if room > 0 => {
                    room -= 1;
                    wanted.push(Want::Claim(task));
                }
                _ => {}
            }
        }
        if !wanted.is_empty() {
            return wanted;
        }
        // Serial, and in the roster's order: one merge at a time, each on a tip that passed.
        let merge = wave.slots.iter().find(|slot| {
            matches!(slot.stage, Stage::Merging { .. })
                || matches!(&slot.stage, Stage::Finished { held: None, .. })
        });
        if let Some(slot) = merge {
            return vec![Want::Merge(slot.row.task.clone())];
        }
        let ended = |slot: &Slot| matches!(slot.stage, Stage::Merged { .. } | Stage::Failed { .. });
        if wave.slots.iter().all(ended) {
            return vec![Want::Close];
        }
        Vec::new()
    }

    fn live(&self) -> Result<&Wave, Refusal> {
        self.wave.as_ref().ok_or_else(|| {
            Refusal::new(
                "wave_not_found",
                "no wave is live in this milestone",
                "open one with `proofhouse wave open` or `proofhouse wave run`",
            )
        })
    }

    fn slot(
        &self,
        task: &str,
        wanted: &str,
        fits: impl Fn(&Stage) -> bool,
    ) -> Result<&Slot, Refusal> {
        match self.live()?.slot(task) {
            Some(slot) if fits(&slot.stage) => Ok(slot),
            Some(slot) => Err(Refusal::new(
                "task_not_there",
                format!("task `{task}` is {}, not {wanted}", slot.stage.name()),
                "`proofhouse wave status` shows where every task stands",
            )),
            None => Err(Refusal::new(
                "task_not_there",
                format!("task `{task}` is not in this wave"),
                "`proofhouse wave status` shows the roster",
            )),
        }
    }

    /// The rule: a fork stands on the base, as git says it, or nothing is done with it.
    pub fn verified(&self, task: &str, echo: &str) -> Result<(), Refusal> {
        let base = &self.live()?.base;
        if echo == base {
            return Ok(());
        }
        let stands = if echo.is_empty() { "nothing" } else { echo };
        Err(Refusal::new(
            "unverified_fork_base",
            format!("the worktree of `{task}` stands on {stands}, the wave's base is {base}"),
            "put it back with `git checkout --detach BASE` in the worktree, or move the worktree away; then `proofhouse wave run` again",
        ))
    }

    fn opening(
        &self,
        milestone: &Milestone,
        base: &str,
        jobs: usize,
        roster: Vec<Row>,
        results: Vec<CheckResult>,
    ) -> Result<Vec<Fact>, Refusal> {
        if let Some(wave) = &self.wave {
            return Err(Refusal::new(
                "wave_already_live",
                format!("wave {} of `{}` is live", wave.number, milestone.name),
                "go on with `proofhouse wave run`, or end it with `proofhouse wave close`",
            ));
        }
        if !passes(&results) {
            let first = results
                .iter()
                .find(|one| !passes(std::slice::from_ref(one)));
            let why = first.map_or(String::new(), |one| {
                format!(": {}: {}", one.check, one.reason)
            });
            return Err(Refusal::new(
                "base_not_green",
                format!("the integration gate fails on the base {base}, before any task{why}"),
                "mend it first: a failure after a merge could not be pinned to a task",
            ));
        }
        if roster.is_empty() {
            return Err(Refusal::new(
                "nothing_ready",
                format!("no task of `{}` is ready", milestone.name),
                "`proofhouse wave status` says why; raise `tries` in milestone.toml to try a failed task again",
            ));
        }
        Ok(vec![Fact::WaveOpened(WaveOpened {
            milestone: milestone.name.clone(),
            number: u32::try_from(self.digests.len()).unwrap_or(u32::MAX) + 1,
            base: base.to_owned(),
            jobs: jobs as u64,
            sequential_after: milestone.sequential_after,
            roster,
            results,
        })])
    }

    /// The tasks that are ready, each with a name that no other run has: under a name that is taken, it
    /// would pass for what another run has done.
    fn roster(&self, milestone: &Milestone, taken: &BTreeSet<String>) -> Vec<Row> {
        let mut taken = taken.clone();
        let row = |task: &Task| {
            let name = |nth| run_name(&milestone.name, &task.slug, nth);
            let mut free = (self.nth(&task.slug)..).map(name);
            let run = free.find(|name| taken.insert(name.clone()));
            Row {
                task: task.slug.clone(),
                run: run.unwrap_or_default(),
                dir: task.dir.clone(),
                autonomy: task.autonomy,
                timeout_millis: task.timeout_millis(),
            }
        };
        self.ready(milestone).into_iter().map(row).collect()
    }

    fn tick(&self, milestone: &Milestone, which: &str, said: Said) -> Result<Fact, Refusal> {
        let criterion = milestone.criterion(which).ok_or_else(|| {
            Refusal::new(
                "criterion_unknown",
                format!("`{}` has no criterion `{which}`", milestone.name),
                "`proofhouse wave status` numbers them; say the number or the whole text",
            )
        })?;
        if criterion.verify.is_some() {
            return Err(Refusal::new(
                "criterion_has_proof",
                format!(
                    "`{}` names its command, and only that proves it",
                    criterion.text
                ),
                "`proofhouse wave run` tries it",
            ));
        }
        let judged = self.goal.as_ref();
        let judged = judged.filter(|goal| Some(&goal.commit) == self.tip.as_ref());
        let Some(goal) = judged.filter(|_| self.complete(milestone)) else {
            return Err(Refusal::new(
                "milestone_incomplete",
                format!(
                    "`{}` is not complete: there is nothing to judge yet",
                    milestone.name
                ),
                "`proofhouse wave run` merges what is left; then look at it",
            ));
        };
        if said.because.trim().is_empty() {
            return Err(Refusal::new(
                "tick_reason_required",
                "nobody can tell later why this was said to hold",
                "say in `--because` what you looked at",
            ));
        }
        Ok(Fact::CriterionTicked(CriterionTicked {
            criterion: criterion.text.clone(),
            commit: goal.commit.clone(),
            said,
        }))
    }

    fn restart(&self) -> Vec<Fact> {
        let slots = self.wave.iter().flat_map(|wave| &wave.slots);
        let back = |slot: &Slot| match &slot.stage {
            Stage::Claimed { .. } => Some(Fact::ClaimReturned(ClaimReturned {
                task: slot.row.task.clone(),
                why: Return::WorkerGone,
            })),
            Stage::Merging { .. } => Some(Fact::MergeLost(MergeLost {
                task: slot.row.task.clone(),
                reason: "the engine ended before it did".to_owned(),
            })),
            // What held a merge back may be mended by now: it is looked at again.
            Stage::Finished { held: Some(_), .. } => Some(Fact::MergeLost(MergeLost {
                task: slot.row.task.clone(),
                reason: "it is looked at again".to_owned(),
            })),
            _ => None,
        };
        slots.filter_map(back).collect()
    }

    fn worked(&self, at: Time, task: &str, end: Worked) -> Result<Vec<Fact>, Refusal> {
        let slot = self.slot(task, "claimed", claimed)?;
        let returned = |why| {
            Fact::ClaimReturned(ClaimReturned {
                task: task.to_owned(),
                why,
            })
        };
        let failed = |code: &str, reason: String| {
            Fact::TaskFailed(TaskFailed {
                task: task.to_owned(),
                code: code.to_owned(),
                reason,
            })
        };
        let over = matches!(&slot.stage, Stage::Claimed { until, .. } if at >= *until);
        let fact = match end {
            Worked::Finished(finished) => Fact::TaskFinished(finished),
            Worked::Waits { reason, why } => Fact::TaskWaits(TaskWaits {
                task: task.to_owned(),
                reason,
                why,
            }),
            Worked::Failed { code, reason } => failed(&code, reason),
            Worked::Interrupted if over && slot.lapses + 1 >= LAPSES => failed(
                "lease_lapsed",
                format!("its time ran out {LAPSES} times in this wave"),
            ),
            Worked::Interrupted if over => returned(Return::Lapsed),
            Worked::Interrupted => returned(Return::Interrupted),
        };
        Ok(self.with_fallback(fact))
    }

    /// After too many failures the rest goes one by one.
    fn with_fallback(&self, fact: Fact) -> Vec<Fact> {
        let mut after = self.clone();
        after.apply(&Dated {
            at: Time(0),
            fact: fact.clone(),
        });
        let mut facts = vec![fact];
        if let Some(wave) = &after.wave
            && !wave.sequential
            && wave.failures >= wave.sequential_after
        {
            facts.push(Fact::WaveFellBack(WaveFellBack {
                failures: wave.failures,
            }));
        }
        facts
    }

    fn merge_ended(&self, task: &str, end: Merging) -> Result<Vec<Fact>, Refusal> {
        self.slot(task, "merging", |stage| {
            matches!(stage, Stage::Merging { .. })
        })?;
        let put_back = |code: &str, reason: String, results: Vec<CheckResult>| {
            Fact::TaskPutBack(TaskPutBack {
                task: task.to_owned(),
                code: code.to_owned(),
                reason,
                results,
            })
        };
        let held = |refusal: Refusal| {
            Fact::MergeHeld(MergeHeld {
                task: task.to_owned(),
                code: refusal.code,
                reason: refusal.what,
            })
        };
        Ok(match end {
            Merging::Unverified { echo } => match self.verified(task, &echo) {
                Err(refusal) => vec![held(refusal)],
                Ok(()) => vec![Fact::MergeLost(MergeLost {
                    task: task.to_owned(),
                    reason: "it stands on the base after all".to_owned(),
                })],
            },
            Merging::Gated {
                echo,
                commit,
                results,
            } => match self.verified(task, &echo) {
                Err(refusal) => vec![held(refusal)],
                Ok(()) if passes(&results) => vec![Fact::TaskMerged(TaskMerged {
                    task: task.to_owned(),
                    echo,
                    onto: self.tip.clone().unwrap_or_default(),
                    commit,
                    results,
                })],
                Ok(()) => {
                    if let Some(refusal) = unheld(&results) {
                        return Ok(vec![held(refusal)]);
                    }
                    let failing = results
                        .iter()
                        .filter(|one| !passes(std::slice::from_ref(one)));
                    let why: Vec<String> = failing
                        .map(|one| format!("{}: {}", one.check, one.reason))
                        .collect();
                    let reason = format!("the integration gate failed: {}", why.join("; "));
                    self.with_fallback(put_back("integration_failed", reason, results))
                }
            },
            Merging::Conflict { files } => {
                let reason = format!(
                    "it contradicts what was merged before it in {}",
                    files.join(", ")
                );
                self.with_fallback(put_back("merge_conflict", reason, Vec::new()))
            }
            Merging::Lost { reason } => vec![Fact::MergeLost(MergeLost {
                task: task.to_owned(),
                reason,
            })],
        })
    }

    fn closing(&self) -> Result<Vec<Fact>, Refusal> {
        let wave = self.live()?;
        let busy =
            |slot: &&Slot| matches!(slot.stage, Stage::Claimed { .. } | Stage::Merging { .. });
        if let Some(slot) = wave.slots.iter().find(busy) {
            return Err(Refusal::new(
                "wave_busy",
                format!("task `{}` is {}", slot.row.task, slot.stage.name()),
                "let `proofhouse wave run` go on, or interrupt it first",
            ));
        }
        Ok(vec![Fact::WaveClosed(WaveClosed {
            number: wave.number,
            digest: super::ledger::digest(wave, self.tip.as_deref().unwrap_or_default()),
        })])
    }
}

/// A gate that this machine has no sandbox for says nothing of the work: it is looked at again when
/// a person has mended that, and counts as no try.
fn unheld(results: &[CheckResult]) -> Option<Refusal> {
    let unheld = results
        .iter()
        .find(|one| one.weight.is_binding() && one.is_unheld())?;
    Some(Refusal::new(
        kernel::outcome::UNHELD,
        format!("{}: {}", unheld.check, unheld.reason),
        "see `proofhouse doctor`, then `proofhouse wave run` again",
    ))
}

fn claimed(stage: &Stage) -> bool {
    matches!(stage, Stage::Claimed { .. })
}

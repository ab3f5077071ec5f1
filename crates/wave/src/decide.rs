//! What may happen to a milestone. Pure: time, ids and what git said arrive on inputs. The rule of the
//! fork's base is here, in both of its forms.

use crate::board::{Board, CONFLICT, Slot, Stage, Wave};
use crate::fact::*;
use crate::input::{Answer, Merging, TICK, What, Worked};
use crate::machine::Waves;
use crate::milestone::{Milestone, Task, run_name};
use crate::want::{Act, WantId};
use kernel::decision::WAIVE;
use kernel::outcome::{CheckResult, passes};
use kernel::{Decision, Refusal, Time};
use std::collections::BTreeSet;

/// How often a task's time may run out in one wave before it has failed.
const LAPSES: u32 = 2;
impl Waves {
    pub(crate) fn facts(&self, at: Time, what: &What) -> Result<Vec<Fact>, Refusal> {
        let board = &self.board;
        match what {
            What::Open => Ok(board.restart()),
            What::TailCut { bytes, kept_in } => Ok(vec![Fact::TailCut(kernel::event::TailCut {
                bytes: *bytes,
                kept_in: kept_in.clone(),
            })]),
            What::Advance => Ok(Vec::new()),
            What::Begin(id) => self.begin(at, id),
            // A late one: what it speaks of was returned or lost, and may be under way anew.
            What::Answered { id, .. } if !self.expects(id) => Ok(Vec::new()),
            What::Answered { id, answer } => self.answered(at, id, answer),
            What::Resume { task } => {
                board.slot(task, "waiting", |stage| {
                    matches!(stage, Stage::Waiting { .. })
                })?;
                Ok(vec![Fact::TaskResumed(TaskResumed {
                    task: task.clone(),
                    anew: true,
                })])
            }
            What::Close => board.closing(),
            What::Decide(decision) => self.decided(decision).map(|fact| vec![fact]),
        }
    }

    /// What is on record when something is about to start: a claim, or a merge.
    fn begin(&self, at: Time, id: &WantId) -> Result<Vec<Fact>, Refusal> {
        let task = id.task.clone();
        Ok(match id.act {
            Act::Base | Act::Close | Act::Judge => Vec::new(),
            Act::Fork | Act::Work => {
                let slot = self.board.slot(&task, "ready", |stage| {
                    matches!(stage, Stage::Ready | Stage::Claimed { .. })
                })?;
                if claimed(&slot.stage) {
                    return Ok(Vec::new());
                }
                vec![Fact::TaskClaimed(TaskClaimed {
                    task,
                    lease: self.settings.lease.clone(),
                    until: Time(at.0.saturating_add(slot.row.timeout_millis)),
                })]
            }
            Act::Merge => {
                self.board.slot(&task, "finished", |stage| {
                    matches!(stage, Stage::Finished { .. })
                })?;
                vec![Fact::MergeBegan(MergeBegan {
                    task,
                    onto: self.board.tip.clone().unwrap_or_default(),
                })]
            }
        })
    }

    fn answered(&self, at: Time, id: &WantId, answer: &Answer) -> Result<Vec<Fact>, Refusal> {
        let (board, task) = (&self.board, id.task.as_str());
        match (id.act, answer) {
            (
                Act::Base,
                Answer::Base {
                    commit,
                    taken,
                    results,
                },
            ) => self.open(commit, taken, results.clone()),
            // The base's rule, before anybody works: refused, it is this task's failure alone.
            (Act::Fork, Answer::Forked(echo)) => match board.verified(task, echo) {
                Ok(()) => Ok(vec![Fact::TaskForked(TaskForked {
                    task: task.to_owned(),
                    echo: echo.clone(),
                })]),
                Err(refusal) => {
                    let (code, what) = (refusal.code, refusal.what);
                    // What was drafted and approved there is not thrown away: it waits to be mended.
                    let end = match board.resumed(task) {
                        true => Worked::Waits {
                            reason: code,
                            why: format!("{what}; {}", refusal.mend),
                        },
                        false => Worked::Failed { code, reason: what },
                    };
                    board.worked(at, task, end)
                }
            },
            (Act::Fork | Act::Work, Answer::Worked(end)) => board.worked(at, task, end.clone()),
            (Act::Merge, Answer::Merged(end)) => board.merge_ended(task, end.clone()),
            (Act::Close, Answer::PutAway) => board.closing(),
            (Act::Judge, Answer::Judged(results)) => {
                let unproven = self.milestone.unproven().into_iter();
                Ok(vec![Fact::GoalJudged(GoalJudged {
                    commit: board.tip.clone().unwrap_or_default(),
                    results: results.clone(),
                    unproven: unproven.map(str::to_owned).collect(),
                })])
            }
            // Nothing to tell, or the wrong kind of answer: it is wanted as before.
            _ => Ok(Vec::new()),
        }
    }

    /// Whether a wave can be opened at all, before anybody looks for its base.
    pub fn may_open(&self) -> Result<(), Refusal> {
        self.open("", &BTreeSet::new(), Vec::new()).map(drop)
    }

    fn open(
        &self,
        base: &str,
        taken: &BTreeSet<String>,
        results: Vec<CheckResult>,
    ) -> Result<Vec<Fact>, Refusal> {
        let roster = self.board.roster(&self.milestone, taken);
        let jobs = self.settings.jobs.unwrap_or(self.milestone.jobs);
        let board = &self.board;
        board.opening(&self.milestone, base, jobs, roster, results)
    }

    fn decided(&self, decision: &Decision) -> Result<Fact, Refusal> {
        let said = Said {
            who: decision.who.clone(),
            channel: decision.channel.clone(),
            because: decision.because.clone(),
            seen_seq: decision.seen_seq,
            signature: decision.signature.clone(),
        };
        if decision.option == WAIVE {
            return Ok(Fact::SandboxWaived(said));
        }
        match decision.option.strip_prefix(TICK) {
            Some(which) => self.board.tick(&self.milestone, which, said),
            None => Err(Refusal::new(
                "unknown_option",
                format!(
                    "`{}` is nothing that can be said of a milestone",
                    decision.option
                ),
                "`proofhouse wave tick MILESTONE CRITERION` says that a criterion holds",
            )),
        }
    }
}

impl Board {
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
            )
            .of_engine()),
            None => Err(Refusal::new(
                "task_not_there",
                format!("task `{task}` is not in this wave"),
                "`proofhouse wave status` shows the roster",
            )
            .of_engine()),
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
            body: fact.clone(),
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
                self.with_fallback(put_back(CONFLICT, reason, Vec::new()))
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
            digest: crate::ledger::digest(wave, self.tip.as_deref().unwrap_or_default()),
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

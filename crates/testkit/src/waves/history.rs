//! What a milestone's journal says, summed up without the machine, and what must be true after every
//! fact. It refuses to share code with the board, or both could be wrong in the same way.

use crate::violation::Violation;
use std::collections::{BTreeMap, BTreeSet};
use wave::{Act, Dated, Fact, Milestone, WantId};

/// The sums of a journal up to some fact.
#[derive(Debug, Clone, Default)]
pub struct History {
    /// The live wave: its number, base and tasks at once.
    live: Option<(u32, String, u64)>,
    /// Tasks of the live wave that somebody has.
    pub claimed: BTreeSet<String>,
    /// Tasks of the live wave whose fork was verified.
    forked: BTreeSet<String>,
    /// Tasks whose work is in a commit and not merged.
    finished: BTreeSet<String>,
    /// The task that is being merged.
    pub merging: Option<String>,
    /// Merged tasks, in order.
    pub merged: Vec<String>,
    /// How often each task failed or was put back.
    failed: BTreeMap<String, u32>,
    /// The last commit that passed the gate.
    tip: String,
    /// Waves that ended.
    pub closed: u32,
}

fn broken(invariant: &'static str, what: String) -> Result<(), Violation> {
    Err(Violation::new(invariant, what))
}

impl History {
    /// Takes a fact in, or says which promise it breaks.
    pub fn note(&mut self, dated: &Dated, milestone: &Milestone) -> Result<(), Violation> {
        match &dated.body {
            Fact::WaveOpened(opened) => {
                if self.live.is_some() {
                    return broken("one_wave_at_a_time", opened.number.to_string());
                }
                for row in &opened.roster {
                    let tried = self.failed.get(&row.task).copied().unwrap_or(0);
                    let task = milestone.task(&row.task);
                    let below = task.map_or(&[][..], |task| &task.depends_on);
                    let missing = below.iter().any(|other| !self.merged.contains(other));
                    if missing || self.merged.contains(&row.task) || tried >= milestone.tries {
                        return broken("only_ready_tasks_are_in_a_wave", row.task.clone());
                    }
                }
                self.live = Some((opened.number, opened.base.clone(), opened.jobs));
                self.tip.clone_from(&opened.base);
                self.forked.clear();
                self.finished.clear();
            }
            Fact::TaskClaimed(claimed) => {
                let room = self.live.as_ref().map_or(0, |(_, _, jobs)| *jobs);
                if !self.claimed.insert(claimed.task.clone()) || self.merging.is_some() {
                    return broken("a_task_is_claimed_once_at_a_time", claimed.task.clone());
                }
                if self.claimed.len() as u64 > room {
                    return broken("no_more_than_the_jobs_at_once", format!("{room}"));
                }
                if self.finished.contains(&claimed.task) || self.merged.contains(&claimed.task) {
                    return broken("finished_work_is_never_done_again", claimed.task.clone());
                }
            }
            Fact::TaskForked(forked) => {
                let base = self.live.as_ref().map(|(_, base, _)| base);
                if base != Some(&forked.echo) {
                    return broken("forks_stand_on_the_base", forked.echo.clone());
                }
                self.forked.insert(forked.task.clone());
            }
            Fact::TaskFinished(done) => {
                let had = self.claimed.remove(&done.task);
                if !had || !self.forked.contains(&done.task) {
                    return broken("only_who_has_a_task_finishes_it", done.task.clone());
                }
                self.finished.insert(done.task.clone());
            }
            Fact::ClaimReturned(back) => return self.leaves(&back.task),
            Fact::TaskWaits(waits) => return self.leaves(&waits.task),
            Fact::TaskFailed(failed) => {
                *self.failed.entry(failed.task.clone()).or_default() += 1;
                return self.leaves(&failed.task);
            }
            Fact::MergeBegan(began) => {
                if self.merging.is_some() || !self.claimed.is_empty() {
                    return broken("one_merge_at_a_time_and_nobody_at_work", began.task.clone());
                }
                if !self.finished.contains(&began.task) || began.onto != self.tip {
                    return broken("finished_work_is_merged_onto_the_tip", began.task.clone());
                }
                self.merging = Some(began.task.clone());
            }
            Fact::MergeLost(_) | Fact::MergeHeld(_) => self.merging = None,
            Fact::TaskMerged(merged) => {
                if self.merging.take().as_ref() != Some(&merged.task) || merged.onto != self.tip {
                    return broken("only_what_is_merging_is_merged", merged.task.clone());
                }
                if self.merged.contains(&merged.task) {
                    return broken("no_task_is_merged_twice", merged.task.clone());
                }
                if merged.results.is_empty() || !kernel::outcome::passes(&merged.results) {
                    return broken("nothing_is_merged_past_the_gate", merged.task.clone());
                }
                self.finished.remove(&merged.task);
                self.merged.push(merged.task.clone());
                self.tip.clone_from(&merged.commit);
            }
            Fact::TaskPutBack(back) => {
                self.merging = None;
                self.finished.remove(&back.task);
                *self.failed.entry(back.task.clone()).or_default() += 1;
            }
            Fact::WaveClosed(closed) => {
                let live = self.live.take().map(|(number, _, _)| number);
                let busy = !self.claimed.is_empty() || self.merging.is_some();
                if busy || live != Some(closed.number) {
                    return broken("a_wave_ends_when_nobody_is_at_work", closed.digest.clone());
                }
                self.closed += 1;
            }
            Fact::TailCut(_)
            | Fact::TaskResumed(_)
            | Fact::WaveFellBack(_)
            | Fact::GoalJudged(_)
            | Fact::CriterionTicked(_)
            | Fact::SandboxWaived(_) => {}
        }
        Ok(())
    }

    fn leaves(&mut self, task: &str) -> Result<(), Violation> {
        match self.claimed.remove(task) {
            true => Ok(()),
            false => broken("only_who_has_a_task_gives_it_back", task.to_owned()),
        }
    }

    /// Is this on record as begun, as far as that is recorded?
    pub fn has_begun(&self, id: &WantId) -> bool {
        match id.act {
            Act::Fork | Act::Work => self.claimed.contains(&id.task),
            Act::Merge => self.merging.as_ref() == Some(&id.task),
            Act::Base | Act::Close | Act::Judge => true,
        }
    }
}

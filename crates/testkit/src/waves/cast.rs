//! Everybody who is not the engine, for a milestone: runs, git, gates, people. What they answer follows
//! from the seed and the work alone, never from how often somebody asked: a run that is driven on after
//! a crash ends as it would have, and a gate that is tried again says the same.

use crate::random::Random;
use kernel::outcome::{CheckResult, Verdict};
use std::collections::{BTreeMap, BTreeSet};
use wave::fact::TaskFinished;
use wave::{Answer, Merging, Want, Worked};

/// How a run of a task goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Run {
    /// It asks a person first.
    Asks,
    Fails,
    Done,
}

/// The cast of one seed.
#[derive(Debug)]
pub(super) struct Cast {
    seed: u64,
    /// Chances in a thousand that a run, a fork, a merge or a criterion does not go well.
    trouble: u64,
    /// Runs that wait for a person.
    pub(super) waiting: BTreeSet<String>,
    /// Runs whose question a person has answered.
    answered: BTreeSet<String>,
    /// How often each run was driven to its end.
    pub(super) done: BTreeMap<String, u32>,
}

impl Cast {
    pub(super) fn new(seed: u64, trouble: u64) -> Self {
        Self {
            seed,
            trouble,
            waiting: BTreeSet::new(),
            answered: BTreeSet::new(),
            done: BTreeMap::new(),
        }
    }

    /// What this seed says about one piece of work.
    fn draw(&self, about: &str) -> Random {
        Random::stream(self.seed, about)
    }

    fn goes_wrong(&self, about: &str) -> bool {
        self.draw(about).happens(self.trouble)
    }

    fn run(&self, run: &str) -> Run {
        let mut random = self.draw(&format!("run {run}"));
        match random.below(1_000) {
            drawn if drawn < self.trouble / 2 => Run::Fails,
            drawn if drawn < self.trouble => Run::Asks,
            _ => Run::Done,
        }
    }

    /// A person answers every run that waits.
    pub(super) fn answer_runs(&mut self) {
        self.answered.append(&mut self.waiting);
    }

    /// The answer that something will give if nobody interrupts it.
    pub(super) fn answer(&mut self, want: &Want) -> Answer {
        match want {
            Want::Base(order) => Answer::Base {
                commit: order.tip.clone().unwrap_or_else(|| "base".to_owned()),
                taken: BTreeSet::new(),
                results: Vec::new(),
            },
            Want::Fork(order) => {
                let stale = self.goes_wrong(&format!("fork {}", order.row.run));
                Answer::Forked(if stale { "elsewhere" } else { &order.base }.to_owned())
            }
            Want::Work(order) => Answer::Worked(self.work(&order.row.task, &order.row.run)),
            Want::Merge(order) => Answer::Merged(self.merge(order)),
            Want::Close(_) => Answer::PutAway,
            Want::Judge(order) => {
                let fails = self.goes_wrong(&format!("judge {}", order.commit));
                Answer::Judged(order.commands.iter().flat_map(|_| gate(fails)).collect())
            }
        }
    }

    fn work(&mut self, task: &str, run: &str) -> Worked {
        match self.run(run) {
            Run::Fails => Worked::Failed {
                code: "stopped".to_owned(),
                reason: "as drawn".to_owned(),
            },
            Run::Asks if !self.answered.contains(run) => {
                self.waiting.insert(run.to_owned());
                Worked::Waits {
                    reason: "approval".to_owned(),
                    why: "as drawn".to_owned(),
                }
            }
            Run::Asks | Run::Done => {
                *self.done.entry(run.to_owned()).or_default() += 1;
                Worked::Finished(TaskFinished {
                    task: task.to_owned(),
                    commit: format!("work-{run}"),
                    seq: 1,
                    hash: String::new(),
                })
            }
        }
    }

    fn merge(&self, order: &wave::want::MergeOrder) -> Merging {
        let run = &order.row.run;
        if self.goes_wrong(&format!("conflict {run}")) {
            return Merging::Conflict {
                files: vec!["a.txt".to_owned()],
            };
        }
        Merging::Gated {
            echo: order.base.clone(),
            commit: format!("{}+{run}", order.tip),
            results: gate(self.goes_wrong(&format!("gate {run}"))),
        }
    }
}

fn gate(fails: bool) -> Vec<CheckResult> {
    let verdict = if fails { Verdict::Fail } else { Verdict::Pass };
    vec![CheckResult::new("command: true", verdict, "as drawn")]
}

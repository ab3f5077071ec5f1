//! The waves of one milestone as a machine: what should be in flight, and how it stands.

use crate::board::{Board, Slot, Stage, Wave};
use crate::fact::{Dated, Fact};
use crate::input::{What, tick_option};
use crate::ledger;
use crate::milestone::Milestone;
use crate::want::{
    Act, BaseOrder, CloseOrder, ForkOrder, JudgeOrder, MergeOrder, Want, WantId, WorkOrder,
};
use kernel::machine::{Activity, Standing, Waiting};
use kernel::outcome::passes;
use kernel::{Input, Machine, Refusal};
use serde::Deserialize;
use serde::Serialize;
use serde_json::Value;
use std::collections::BTreeMap;

/// What one life of an engine brings with it. Never stored: facts hold what became of it.
#[derive(Debug, Clone, Default)]
pub struct Settings {
    /// Tasks at once; none: as the milestone says.
    pub jobs: Option<usize>,
    /// Tells one engine's claims from another's.
    pub lease: String,
    /// So often the goal was looked at before. What was not met then is tried once more.
    pub judged_before: u32,
}

/// The machine: a milestone as it is written now, and its journal folded.
#[derive(Debug, Clone)]
pub struct Waves {
    pub(crate) milestone: Milestone,
    pub(crate) board: Board,
    pub(crate) settings: Settings,
}

/// The waves, as they are shown.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Status {
    /// Do they go on by themselves?
    pub activity: Activity,
    /// What they wait for; null if for nobody.
    pub waiting_for: Option<Waiting>,
    /// What began and did not end.
    pub in_flight: Vec<WantId>,
}

impl Standing for Status {
    type Id = WantId;

    fn activity(&self) -> Activity {
        self.activity
    }

    fn waiting_for(&self) -> Option<&Waiting> {
        self.waiting_for.as_ref()
    }

    fn in_flight(&self) -> Vec<WantId> {
        self.in_flight.clone()
    }
}

impl Waves {
    /// Before any fact.
    pub fn new(milestone: Milestone, settings: Settings) -> Self {
        Self {
            milestone,
            board: Board::default(),
            settings,
        }
    }

    /// Everything that is known of the milestone.
    pub fn board(&self) -> &Board {
        &self.board
    }

    /// The milestone as it is written now.
    pub fn milestone(&self) -> &Milestone {
        &self.milestone
    }

    /// An engine takes it up that claims under this name. A goal that was not met is tried once more.
    pub fn take_up(&mut self, jobs: Option<usize>, lease: &str) {
        self.settings = Settings {
            jobs,
            lease: lease.to_owned(),
            judged_before: self.board.judged,
        };
    }

    /// The order for the base of the next wave.
    pub fn base_order(&self) -> BaseOrder {
        let ready = self.board.ready(&self.milestone).into_iter();
        BaseOrder {
            id: self.next_wave(),
            tip: self.board.tip.clone(),
            ready: ready.map(|task| task.slug.clone()).collect(),
        }
    }

    fn next_wave(&self) -> WantId {
        let ended = u32::try_from(self.board.digests.len()).unwrap_or(u32::MAX);
        WantId {
            wave: ended.saturating_add(1),
            task: String::new(),
            act: Act::Base,
            nth: 1,
        }
    }

    /// Is this begun, or wanted without a record of its beginning?
    pub(crate) fn expects(&self, id: &WantId) -> bool {
        match (id.act, &self.board.wave) {
            (Act::Base, None) => *id == self.next_wave(),
            (Act::Judge, None) => *id == self.judging(),
            (Act::Close, Some(wave)) => *id == closing(wave),
            (Act::Fork | Act::Work | Act::Merge, Some(wave)) => wave
                .slot(&id.task)
                .is_some_and(|slot| begun(slot) && turn(wave, slot).as_ref() == Some(id)),
            _ => false,
        }
    }

    fn judging(&self) -> WantId {
        WantId {
            act: Act::Judge,
            nth: self.board.judged.saturating_add(1),
            ..self.next_wave()
        }
    }

    /// The exit criteria are tried when all tasks are merged and nobody has on this tip, or an earlier
    /// life has and found them not met.
    fn judge(&self) -> Option<JudgeOrder> {
        let (board, milestone) = (&self.board, &self.milestone);
        let tip = board.tip.clone().filter(|_| board.complete(milestone))?;
        let commands = milestone.criteria.iter();
        let commands: Vec<String> = commands.filter_map(|one| one.verify.clone()).collect();
        let known = board.goal.as_ref().is_some_and(|goal| {
            let same =
                goal.unproven == milestone.unproven() && goal.results.len() == commands.len();
            goal.commit == tip && same && (commands.is_empty() || passes(&goal.results))
        });
        let due = !known && board.judged == self.settings.judged_before;
        due.then(|| JudgeOrder {
            id: self.judging(),
            commit: tip,
            commands,
        })
    }

    fn in_wave(&self, wave: &Wave) -> Vec<Want> {
        let mut wanted = Vec::new();
        let at_once = if wave.sequential { 1 } else { wave.jobs };
        let busy = wave.slots.iter().filter(|slot| claimed(slot)).count();
        let mut room = usize::try_from(at_once).unwrap_or(usize::MAX);
        room = room.saturating_sub(busy);
        for slot in &wave.slots {
            match &slot.stage {
                Stage::Claimed { .. } => wanted.extend(self.work(wave, slot)),
                Stage::Ready if room > 0 => {
                    room -= 1;
                    wanted.extend(self.work(wave, slot));
                }
                _ => {}
            }
        }
        if !wanted.is_empty() {
            return wanted;
        }
        // Serial, and in the roster's order: one merge at a time, each on a tip that passed.
        if let Some(merge) = wave.slots.iter().find_map(|slot| self.merge(wave, slot)) {
            return vec![merge];
        }
        let ended = |slot: &Slot| matches!(slot.stage, Stage::Merged { .. } | Stage::Failed { .. });
        if wave.slots.iter().all(ended) {
            let tip = self.board.tip.as_deref().unwrap_or_default();
            return vec![Want::Close(CloseOrder {
                id: closing(wave),
                digest: ledger::digest(wave, tip),
            })];
        }
        Vec::new()
    }

    /// A fork for whoever has none, and then the run.
    fn work(&self, wave: &Wave, slot: &Slot) -> Option<Want> {
        let (id, row) = (turn(wave, slot)?, slot.row.clone());
        if id.act == Act::Fork {
            return Some(Want::Fork(ForkOrder {
                id,
                row,
                base: wave.base.clone(),
                again: slot.resumed,
            }));
        }
        let failed = self.board.failed.get(&slot.row.task);
        let put_back = failed.map(|failed| {
            format!(
                "An earlier try of this task was not merged ({}): {}",
                failed.code, failed.reason
            )
        });
        let until = match &slot.stage {
            Stage::Claimed { until, .. } => Some(*until),
            _ => None,
        };
        Some(Want::Work(WorkOrder {
            id,
            row,
            put_back,
            settles: failed.and_then(|failed| failed.work.clone()),
            until,
        }))
    }

    fn merge(&self, wave: &Wave, slot: &Slot) -> Option<Want> {
        let (Stage::Merging { commit } | Stage::Finished { commit, held: None }) = &slot.stage
        else {
            return None;
        };
        Some(Want::Merge(MergeOrder {
            id: turn(wave, slot)?,
            row: slot.row.clone(),
            work: commit.clone(),
            base: wave.base.clone(),
            tip: self.board.tip.clone().unwrap_or_default(),
        }))
    }

    fn waiting(&self) -> Option<Waiting> {
        let slots = self.board.wave.iter().flat_map(|wave| &wave.slots);
        let mut runs = slots.filter_map(|slot| match &slot.stage {
            Stage::Waiting { reason, why } => Some(Waiting {
                who: "human",
                reason: reason.clone(),
                why: format!("`{}`: {why}", slot.row.run),
                // It is decided on the run itself.
                options: Vec::new(),
                means: BTreeMap::new(),
            }),
            _ => None,
        });
        runs.next().or_else(|| {
            let unticked = self.board.unticked();
            (!unticked.is_empty()).then(|| Waiting {
                who: "human",
                reason: "criteria".to_owned(),
                why: "only a person can say whether these hold".to_owned(),
                options: unticked.into_iter().map(tick_option).collect(),
                means: BTreeMap::new(),
            })
        })
    }
}

fn claimed(slot: &Slot) -> bool {
    matches!(slot.stage, Stage::Claimed { .. })
}

/// Is what the slot's turn is on record as begun?
fn begun(slot: &Slot) -> bool {
    claimed(slot) || matches!(slot.stage, Stage::Merging { .. })
}

fn closing(wave: &Wave) -> WantId {
    WantId {
        wave: wave.number,
        task: String::new(),
        act: Act::Close,
        nth: 1,
    }
}

/// What is next for a task, begun or not.
fn turn(wave: &Wave, slot: &Slot) -> Option<WantId> {
    let work = if slot.echo.is_none() {
        Act::Fork
    } else {
        Act::Work
    };
    let (act, nth) = match &slot.stage {
        Stage::Ready => (work, slot.claims + 1),
        Stage::Claimed { .. } => (work, slot.claims),
        Stage::Finished { .. } => (Act::Merge, slot.merges + 1),
        Stage::Merging { .. } => (Act::Merge, slot.merges),
        Stage::Waiting { .. } | Stage::Merged { .. } | Stage::Failed { .. } => return None,
    };
    Some(WantId {
        wave: wave.number,
        task: slot.row.task.clone(),
        act,
        nth,
    })
}

impl Machine for Waves {
    type What = What;
    type Fact = Fact;
    type Want = Want;
    type Status = Status;

    fn decide(&self, input: &Input<What>) -> Result<Vec<Dated>, Refusal> {
        let facts = self.facts(input.at, &input.what)?.into_iter();
        let dated = |body| Dated { at: input.at, body };
        Ok(facts.map(dated).collect())
    }

    fn apply(&mut self, event: &Dated) {
        self.board.apply(event);
    }

    fn wanted(&self) -> Vec<Want> {
        match &self.board.wave {
            Some(wave) => self.in_wave(wave),
            None if !self.board.ready(&self.milestone).is_empty() => {
                vec![Want::Base(self.base_order())]
            }
            None => self.judge().into_iter().map(Want::Judge).collect(),
        }
    }

    fn status(&self) -> Status {
        let waves = self.board.wave.iter();
        let slots = waves.flat_map(|wave| wave.slots.iter().map(move |slot| (wave, slot)));
        let in_flight = slots.filter(|(_, slot)| begun(slot));
        let waiting_for = self.waiting();
        let activity = match &waiting_for {
            _ if !self.wanted().is_empty() => Activity::Working,
            Some(_) => Activity::Waiting,
            None if self.board.complete(&self.milestone) && self.board.goal_met() => Activity::Done,
            None => Activity::Resting,
        };
        Status {
            activity,
            waiting_for: waiting_for.filter(|_| activity == Activity::Waiting),
            in_flight: in_flight
                .filter_map(|(wave, slot)| turn(wave, slot))
                .collect(),
        }
    }

    fn snapshot(&self) -> Value {
        serde_json::to_value(&self.board).expect("plain data with string keys always serializes")
    }

    fn restore(&mut self, snapshot: &Value) -> serde_json::Result<()> {
        self.board = Deserialize::deserialize(snapshot)?;
        Ok(())
    }
}

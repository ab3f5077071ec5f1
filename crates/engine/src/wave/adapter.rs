//! The waves of a milestone in the real world: what a session tells them first, and what follows from
//! their facts. Branches and views follow the journal, never the other way round.

use super::base;
use super::folder::{MilestoneFolder, dated};
use super::perform::WaveJob;
use super::performer::WavePerformer;
use super::work;
use crate::world::{Adapter, Observer, Opening};
use ::wave::board::{Stage, waits_in_its_run};
use ::wave::{Dated, Fact, Want, Waves, What};
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::{Duration, Instant};
use store::{Head, Objection, RecordRef};
use workspace::error::EngineError;
use workspace::worktree;

/// How far apart views are written at the least.
const APART: Duration = Duration::from_millis(500);

/// What waves need beside their machine.
pub(super) struct WaveAdapter {
    performer: Arc<WavePerformer>,
    /// When the views were written last.
    written: Option<Instant>,
    /// Do they lag behind?
    stale: bool,
    /// How long the journals of runs that wait were when they were last looked at.
    asked: BTreeMap<String, u64>,
}

impl WaveAdapter {
    pub(super) fn of(performer: Arc<WavePerformer>) -> Self {
        Self {
            performer,
            written: None,
            stale: false,
            asked: BTreeMap::new(),
        }
    }

    fn folder(&self) -> &MilestoneFolder {
        &self.performer.folder
    }

    fn write_views(&mut self, waves: &Waves) -> Result<(), EngineError> {
        self.folder().write_views(waves.board())?;
        self.written = Some(Instant::now());
        self.stale = false;
        Ok(())
    }
}

impl WaveAdapter {
    fn refresh(&mut self, waves: &Waves) -> Result<(), EngineError> {
        let rested = self.written.is_none_or(|at| at.elapsed() >= APART);
        if self.stale && rested {
            self.write_views(waves)?;
        }
        Ok(())
    }

    /// A task whose person has answered goes on while the others still work.
    fn answered(&mut self, waves: &Waves) -> Option<What> {
        let folder = &self.performer.folder;
        let slots = waves.board().wave.iter().flat_map(|wave| &wave.slots);
        for slot in slots.filter(|slot| waits_in_its_run(&slot.stage)) {
            let run = &slot.row.run;
            // Whoever drives it by hand goes first; and what has not grown says what it said.
            let length = work::length(folder, run);
            if report::look::is_driven(&folder.project, run)
                || self.asked.insert(run.clone(), length) == Some(length)
                || work::still_waits(folder, &slot.row)
            {
                continue;
            }
            let task = slot.row.task.clone();
            return Some(What::Resume { task });
        }
        None
    }
}

impl Adapter for WaveAdapter {
    type Machine = Waves;
    type Performer = WavePerformer;

    fn performer(&self) -> &Arc<WavePerformer> {
        &self.performer
    }

    fn known(&self, _: &Waves, record: &RecordRef<'_>) -> Result<Dated, Objection> {
        dated(record)
    }

    /// What an earlier life left in flight goes back, and what a person has answered goes on.
    fn opening(
        &mut self,
        waves: &Waves,
        opening: Opening<'_, Fact>,
    ) -> Result<Vec<What>, EngineError> {
        let torn = opening.torn.map(|torn| What::TailCut {
            bytes: torn.bytes,
            kept_in: torn.kept_in.display().to_string(),
        });
        let mut heard: Vec<What> = torn.into_iter().collect();
        heard.push(What::Open);
        let board = waves.board();
        let slots = board.wave.iter().flat_map(|wave| &wave.slots);
        let waiting = slots.filter(|slot| matches!(slot.stage, Stage::Waiting { .. }));
        let answered = waiting.filter(|slot| !work::still_waits(self.folder(), &slot.row));
        heard.extend(answered.map(|slot| What::Resume {
            task: slot.row.task.clone(),
        }));
        self.performer.tidying.start_all(self.folder(), board);
        Ok(heard)
    }

    fn follow(
        &mut self,
        waves: &Waves,
        events: &[Dated],
        _: &Head,
        observer: &mut dyn Observer<Fact>,
    ) -> Result<Option<What>, EngineError> {
        self.stale = true;
        for event in events {
            match &event.body {
                Fact::TaskMerged(merged) => {
                    let (folder, board) = (self.folder(), waves.board());
                    base::step_branch(folder, board, &merged.onto)?;
                    self.performer.tidying.start(folder, board, &merged.task);
                }
                Fact::WaveClosed(_) => {
                    self.write_views(waves)?;
                    worktree::prune(&self.folder().project)?;
                    if let Some(notice) = base::advance(self.folder(), waves.board())? {
                        observer.notice(&notice);
                    }
                }
                _ => {}
            }
        }
        self.refresh(waves)?;
        Ok(None)
    }

    fn tick(&mut self, waves: &Waves) -> Result<Option<What>, EngineError> {
        self.refresh(waves)?;
        Ok(self.answered(waves))
    }

    /// A milestone's journal is short: it is read as a whole.
    fn state(&self, _: &Waves) -> Option<serde_json::Value> {
        None
    }

    fn job(&self, _: &Waves, want: &Want, head: &Head) -> WaveJob {
        WaveJob {
            want: want.clone(),
            head: head.clone(),
        }
    }
}

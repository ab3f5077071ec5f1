//! Driving the waves of a milestone for real: one engine at a time, from opening to a rest.

use super::adapter::WaveAdapter;
use super::base;
use super::folder::{MilestoneFolder, OpenMilestone};
use super::performer::WavePerformer;
use super::tidying::Tidying;
use crate::driver::{DriveError, Ending, Until, World, drive, tell};
use crate::world::{Interrupter, Observer, Open, Real, session_name};
use ::wave::{Fact, Want, Waves, What, ledger};
use agents::Agent;
use sandbox::Cancel;
use std::sync::Arc;
use workspace::error::EngineError;
use workspace::lock::Lock;
use workspace::worktree;

/// What a session is told.
pub struct Orders<'a> {
    pub folder: &'a MilestoneFolder,
    /// Tasks at once; none: as the milestone says.
    pub jobs: Option<usize>,
    /// An agent that is already built, for all tasks.
    pub agent: Option<Arc<dyn Agent>>,
}

/// A milestone that was taken up.
struct TakenUp {
    waves: Waves,
    open: Open,
    performer: Arc<WavePerformer>,
    lock: Lock,
}

/// Opens a wave and starts nothing.
pub fn open(orders: &Orders<'_>, observer: &mut dyn Observer<Fact>) -> Result<(), EngineError> {
    told(orders, observer, |waves, world| {
        waves.may_open()?;
        let base = Want::Base(waves.base_order());
        let answer = world.perform(&base, waves, &Cancel::new())?;
        tell(waves, world, [answer]).map_err(refused)
    })
}

/// Ends a live wave; what is not merged goes back, and its worktrees stay.
pub fn close(
    folder: &MilestoneFolder,
    observer: &mut dyn Observer<Fact>,
) -> Result<(), EngineError> {
    let orders = Orders {
        folder,
        jobs: None,
        agent: None,
    };
    told(&orders, observer, |waves, world| {
        let board = waves.board();
        if let Some(wave) = &board.wave {
            let digest = ledger::digest(wave, board.tip.as_deref().unwrap_or_default());
            folder.takes_digest(board, &digest)?;
        }
        tell(waves, world, [What::Close]).map_err(refused)
    })
}

/// Takes a milestone up, and does one thing to it.
fn told(
    orders: &Orders<'_>,
    observer: &mut dyn Observer<Fact>,
    act: impl FnOnce(&mut Waves, &mut Real<'_, WaveAdapter>) -> Result<(), EngineError>,
) -> Result<(), EngineError> {
    let TakenUp {
        mut waves,
        open,
        performer,
        lock: _lock,
    } = take_up(orders)?;
    let adapter = WaveAdapter::of(performer.clone());
    let mut world = Real::of(open, adapter, observer);
    let heard = world.opening(&waves)?;
    tell(&mut waves, &mut world, heard).map_err(refused)?;
    act(&mut waves, &mut world)?;
    drop(world);
    rest(&performer, observer);
    keep(orders.folder, observer);
    orders.folder.write_views(waves.board())
}

/// Puts what is on record where it can be pushed from.
fn keep(folder: &MilestoneFolder, observer: &mut dyn Observer<Fact>) {
    let kept = workspace::records::keep_milestone(&folder.project, &folder.milestone.name);
    if let Some(why) = kept {
        observer.notice(&why);
    }
}

/// Does everything that needs no person: waves until no task is ready, then the goal.
pub fn run(
    orders: &Orders<'_>,
    observer: &mut dyn Observer<Fact>,
    hook: &dyn Fn(Interrupter),
) -> Result<Ending, EngineError> {
    let TakenUp {
        mut waves,
        open,
        performer,
        lock: _lock,
    } = take_up(orders)?;
    let folder = orders.folder;
    if waves.board().wave.is_none() {
        // An earlier life may have fallen between the end of its wave and this.
        if let Some(notice) = base::advance(folder, waves.board())? {
            observer.notice(&notice);
        }
    }
    let adapter = WaveAdapter::of(performer.clone());
    let mut world = Real::of(open, adapter, observer);
    hook(world.interrupter());
    let ending = drive(&mut waves, &mut world, Until::Rest).map_err(refused);
    drop(world);
    rest(&performer, observer);
    keep(folder, observer);
    // Also after an error, and then as the journal says: what is on record should be seen.
    let views = match &ending {
        Ok(_) => folder.write_views(waves.board()),
        Err(_) => folder
            .peek()
            .and_then(|(board, _)| folder.write_views(&board)),
    };
    let ending = ending?;
    views?;
    Ok(ending)
}

/// Nothing that we started outlives us.
fn rest(performer: &WavePerformer, observer: &mut dyn Observer<Fact>) {
    for notice in performer.tidying.finish() {
        observer.notice(&notice);
    }
}

/// Takes the milestone up: the branch is made what the journal says, and what an earlier life left
/// half done is cleared away.
fn take_up(orders: &Orders<'_>) -> Result<TakenUp, EngineError> {
    let folder = orders.folder;
    base::not_on_our_branch(folder)?;
    let OpenMilestone {
        mut waves,
        journal,
        torn,
        lock,
    } = folder.open()?;
    waves.take_up(orders.jobs, &session_name());
    let board = waves.board();
    folder.check_ledger(board)?;
    worktree::clear_half_made(&folder.project, &|name| folder.owns(name))?;
    sandbox::kill_leftover(&folder.scratch().join("pid"))?;
    base::set_branch(folder, board)?;
    if board.wave.is_none() && folder.has_ledger() {
        // An earlier life fell right after it had closed its wave: else the next wave would meet the
        // ledger of another one.
        folder.write_views(board)?;
    }
    let performer = Arc::new(WavePerformer {
        folder: folder.clone(),
        waived: board.waived.clone(),
        agent: orders.agent.clone(),
        tidying: Tidying::default(),
    });
    Ok(TakenUp {
        open: Open { journal, torn },
        waves,
        performer,
        lock,
    })
}

pub(super) fn refused(error: DriveError<EngineError>) -> EngineError {
    match error {
        DriveError::World(error) => error,
        DriveError::Refused(refusal) => refusal.into(),
    }
}

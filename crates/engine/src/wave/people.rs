//! What people say about a milestone as a whole: that a criterion holds which no command can show, and
//! that they take on a machine without the whole sandbox. It refuses every channel but those of runs.

use super::decide::Input;
use super::fact::Said;
use super::shop::{Desk, Shop};
use crate::approval::{Approved, Words};
use crate::start::Approve;
use crate::waiver::{WAIVE, WAIVE_BECAUSE};
use crate::world::now;
use workspace::error::EngineError;

/// The milestone's journal, where a person signs for it.
pub fn signed_as(milestone: &str) -> String {
    format!("wave:{milestone}")
}

/// The words that stand for a tick.
pub fn tick_option(criterion: &str) -> String {
    format!("tick {criterion}")
}

fn said(desk: &Desk, because: &str, approved: Approved) -> Said {
    Said {
        who: approved.who,
        channel: approved.channel,
        because: because.to_owned(),
        seen_seq: desk.head().seq,
        signature: approved.signature,
    }
}

fn nobody() -> Approved {
    Approved {
        who: String::new(),
        channel: String::new(),
        signature: None,
    }
}

/// Ticks a criterion, by its text or its number. Nobody is asked to sign what would be refused.
pub fn tick(
    shop: &Shop,
    which: &str,
    because: &str,
    approve: &Approve<'_>,
) -> Result<String, EngineError> {
    let mut desk = shop.open()?;
    let input = |said: Said| Input::Tick {
        milestone: &shop.milestone,
        which,
        said,
    };
    let probe = said(&desk, because, nobody());
    desk.board.decide(now(), input(probe))?;
    let criterion = shop.milestone.criterion(which);
    let criterion = criterion.map_or(which, |one| one.text.as_str()).to_owned();
    let approved = approve(&Words {
        run: &signed_as(&shop.milestone.name),
        seq: desk.head().seq,
        head: &desk.head().hash,
        option: &tick_option(&criterion),
        because,
    })?;
    let said = said(&desk, because, approved);
    desk.decide(vec![input(said)])?;
    shop.write_views(&desk.board)?;
    Ok(criterion)
}

/// Takes the sandbox's assurance from a milestone, once.
pub fn waive(shop: &Shop, approve: &Approve<'_>) -> Result<(), EngineError> {
    let mut desk = shop.open()?;
    if desk.board.waived.is_some() {
        return Ok(());
    }
    let approved = approve(&Words {
        run: &signed_as(&shop.milestone.name),
        seq: desk.head().seq,
        head: &desk.head().hash,
        option: WAIVE,
        because: WAIVE_BECAUSE,
    })?;
    let said = said(&desk, WAIVE_BECAUSE, approved);
    desk.decide(vec![Input::Waive(said)])?;
    Ok(())
}

//! What effects in flight say of themselves, kept beside the journal while they work, so that whoever looks on
//! from another process sees it too. It is no record: nothing is decided by it, and it is gone with the run's
//! work folder.

use crate::history::History;
use kernel::effect::EffectKind;
use kernel::{EffectId, Status, Time};
use std::fs::File;
use std::io::{Read, Seek, SeekFrom, Write};
use std::path::PathBuf;
use std::sync::Mutex;
use workspace::Project;

/// The file begins anew when it is longer.
const LONGEST: u64 = 256 * 1024;
/// What is read of its end.
const READ: u64 = 32 * 1024;
/// The most lines that are shown of one effect beside everything else of a run.
const MOST: usize = 60;
/// What is read where all of it is asked for.
const READ_WHOLE: u64 = 1024 * 1024;

/// Where a run's effects say what they do.
pub fn place(project: &Project, run: &str) -> PathBuf {
    project.work(run).join("now")
}

/// Keeps what one effect says.
pub struct Spool {
    effect: EffectId,
    file: Mutex<Option<File>>,
}

impl Spool {
    /// Of this effect. What cannot be kept is not shown, and stops nothing.
    pub fn open(project: &Project, run: &str, effect: EffectId) -> Self {
        let path = place(project, run);
        let long = path.metadata().is_ok_and(|it| it.len() > LONGEST);
        let mut options = File::options();
        let file = match long {
            true => options.write(true).create(true).truncate(true).open(path),
            false => options.append(true).create(true).open(path),
        };
        Self {
            effect,
            file: Mutex::new(file.ok()),
        }
    }

    /// Keeps a line; the caller has taken keys out of it.
    pub fn tell(&self, line: &str) {
        let line: String = line
            .chars()
            .map(|c| if c.is_control() { ' ' } else { c })
            .collect();
        let text = format!("{} {}\n", self.effect, line.trim());
        if let Ok(mut file) = self.file.lock()
            && let Some(file) = file.as_mut()
        {
            let _ = file.write_all(text.as_bytes());
        }
    }
}

/// One effect in flight.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Now {
    pub effect: EffectId,
    /// Who works, or what is judged.
    pub what: String,
    pub began: Time,
    /// What it said last, oldest first.
    pub lines: Vec<String>,
    /// Did it say more before that?
    pub cut: bool,
}

/// How much of what is said is meant.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Much {
    /// The last lines of each.
    Last,
    /// All that is there.
    Whole,
}

/// Everything that is in flight in a run.
pub fn of(
    project: &Project,
    run: &str,
    (status, history): (&Status, &History),
    much: Much,
) -> Vec<Now> {
    let (read, most) = match much {
        Much::Last => (READ, MOST),
        Much::Whole => (READ_WHOLE, usize::MAX),
    };
    let (said, begins_later) = tail(project, run, read).unwrap_or_default();
    let flying = status.in_flight.iter();
    flying
        .map(|flying| {
            let begins = format!("{} ", flying.effect);
            let lines = said.lines().filter_map(|line| line.strip_prefix(&begins));
            let mut lines: Vec<String> = lines.map(str::to_owned).collect();
            lines.dedup();
            let cut = lines.len().saturating_sub(most);
            let state = history.state(flying.effect);
            let role = history
                .began(flying.effect)
                .map(|began| began.effect.role.clone());
            Now {
                effect: flying.effect,
                what: match flying.kind {
                    EffectKind::Attempt => {
                        let role = role.unwrap_or_default();
                        format!("{role} works in {state}").trim().to_owned()
                    }
                    EffectKind::Gate => format!("the gate of {state} judges"),
                    EffectKind::Checkpoint => "the work is committed".to_owned(),
                },
                began: flying.began,
                lines: lines.split_off(cut),
                cut: cut > 0 || begins_later,
            }
        })
        .collect()
}

/// The end of what was said, from the beginning of a line on, and whether there is more before it.
fn tail(project: &Project, run: &str, most: u64) -> std::io::Result<(String, bool)> {
    let mut file = File::open(place(project, run))?;
    let length = file.metadata()?.len();
    let begins_later = length > most;
    file.seek(SeekFrom::Start(length.saturating_sub(most)))?;
    let mut bytes = Vec::new();
    file.take(most).read_to_end(&mut bytes)?;
    let said = String::from_utf8_lossy(&bytes);
    let whole = match said.split_once('\n') {
        Some((_, rest)) if begins_later => rest.to_owned(),
        _ => said.into_owned(),
    };
    Ok((whole, begins_later))
}

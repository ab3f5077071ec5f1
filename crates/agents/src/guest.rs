//! A person's own session as an agent: the brief and the folder lie ready, and the attempt waits until somebody
//! hands a result in. It starts nothing and confines nobody, and says so; it refuses a role that does not edit,
//! for whoever did the work is none to judge it.

use crate::agent::{Agent, Order, Reply};
use crate::home::Home;
use crate::result::{Faults, Shape, judge_bytes};
use kernel::effect::Access;
use kernel::outcome::Class;
use sandbox::Cancel;
use serde::{Deserialize, Serialize};
use std::fs;
use std::io;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// The connector's name, which is all that can be written of it.
pub const GUEST: &str = "guest";

/// There while a result is waited for; after a crash of the engine it still is.
const OPEN: &str = "guest.json";
/// There as soon as somebody took the work; what they were told by a hook.
const TAKEN: &str = "taken";
const TOLD: &str = "told";
/// How often the result's place is looked at: one look at one file.
const PAUSE: Duration = Duration::from_millis(100);

/// Waits for what is handed in.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Guest;

/// An attempt that waits for a guest.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Waiting {
    /// The state that it works for.
    pub state: String,
    pub role: String,
    /// The wall limit of the whole attempt.
    pub wall_millis: u64,
    /// What tells the folder as it was laid out from a later one.
    #[serde(default)]
    pub laid: String,
}

impl Waiting {
    /// What waits in this folder of an attempt; none: nothing does, or its time is over.
    pub fn of(home: &Path) -> Option<Self> {
        let place = home.join(OPEN);
        let open: Self = serde_json::from_slice(&fs::read(&place).ok()?).ok()?;
        let began = place.metadata().and_then(|found| found.modified()).ok()?;
        // A clock that was set back says nothing.
        let over = began
            .elapsed()
            .is_ok_and(|since| since > Duration::from_millis(open.wall_millis));
        (!over && !home.join("out/result.json").exists()).then_some(open)
    }

    /// Somebody took it.
    pub fn take(home: &Path) {
        // Only hooks look for it: what cannot be written is not asked about.
        let _ = fs::write(home.join(TAKEN), "");
    }

    /// Did somebody take what waits here?
    pub fn is_taken(home: &Path) -> bool {
        home.join(TAKEN).exists() && home.join(OPEN).exists()
    }

    /// Did somebody take what waited here, whatever became of it?
    pub fn was_taken(home: &Path) -> bool {
        home.join(TAKEN).exists()
    }

    /// What tells the folder from how it was laid out, if anything was changed there.
    pub fn changed(&self, home: &Path) -> Option<String> {
        let now = looks(&home.join("view"));
        (now != self.laid).then_some(now)
    }

    /// Was nobody told this of the attempt before? Remembers that somebody was.
    pub fn tell_once(home: &Path, state: &str) -> bool {
        let place = home.join(TOLD);
        let before = fs::read_to_string(&place).unwrap_or_default();
        // What cannot be remembered is not said: it would be said for ever.
        !before.lines().any(|line| line == state)
            && fs::write(&place, format!("{before}{state}\n")).is_ok()
    }
}

/// Names, sizes and times of all files below a folder, under one hash; nothing is read.
fn looks(folder: &Path) -> String {
    let mut seen = Vec::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).into_iter().flatten().flatten() {
            let Ok(found) = entry.metadata() else {
                continue;
            };
            match found.is_dir() {
                true => folders.push(entry.path()),
                false => seen.push((entry.path(), found.len(), found.modified().ok())),
            }
        }
    }
    seen.sort();
    store::sha256_hex(format!("{seen:?}").as_bytes())
}

/// Leaves a result in the folder of an attempt that waits for it.
///
/// # Errors
/// What is wrong with it: then nothing is left.
pub fn hand_in(home: &Path, shape: &Arc<Shape>, result: &[u8]) -> io::Result<Result<(), Faults>> {
    if let Err(faults) = judge_bytes(result, shape).result {
        return Ok(Err(faults));
    }
    Home::at(home, shape).leave(result).map(Ok)
}

impl Guest {
    fn wait(order: &Order, home: &Home<'_>, cancel: &Cancel) -> Option<Reply> {
        let began = Instant::now();
        loop {
            if home.result().symlink_metadata().is_ok() {
                return None;
            }
            let Some(left) = order.wall.checked_sub(began.elapsed()) else {
                let minutes = order.wall.as_secs() / 60;
                let reason = format!("nobody handed anything in for {minutes} minutes");
                return Some(Reply::bare(Class::TimedOut, reason));
            };
            if cancel.wait_timeout(PAUSE.min(left)) {
                return Some(Reply::bare(Class::Killed, "it was cancelled"));
            }
        }
    }
}

impl Agent for Guest {
    fn name(&self) -> &str {
        GUEST
    }

    fn is_confined(&self) -> bool {
        false
    }

    fn run(&self, order: &Order, cancel: &Cancel, progress: &dyn Fn(&str)) -> Reply {
        if order.access != Access::Edit {
            let reason = format!(
                "a guest edits, and `{}` judges; set another agent for it (`tiers` in .proofhouse/config.toml)",
                order.role
            );
            return Reply::bare(Class::CouldNotRun, reason);
        }
        let home = Home::of(order);
        let open = Waiting {
            state: order.state.clone(),
            role: order.role.clone(),
            wall_millis: u64::try_from(order.wall.as_millis()).unwrap_or(u64::MAX),
            laid: looks(&order.view),
        };
        let place = order.home.join(OPEN);
        let text = serde_json::to_vec(&open).expect("texts and a number always serialize");
        let ready = home
            .prepare(&order.brief)
            .and_then(|()| fs::write(&place, text));
        if let Err(error) = ready {
            let reason = format!("the attempt's folder cannot be prepared: {error}");
            return Reply::bare(Class::CouldNotRun, reason);
        }
        progress("waiting for a guest: `take` in a session that has `proofhouse mcp`");
        let early = Self::wait(order, &home, cancel);
        // From here on nothing is taken or handed in.
        let _ = fs::remove_file(&place);
        let reply = early.unwrap_or_else(|| home.reply());
        let transcript = format!(
            "[{}: {}; what was said in the guest's own session is not known here]\n",
            reply.class.as_str(),
            reply.reason
        );
        Reply {
            transcript: transcript.into_bytes(),
            ..reply
        }
    }

    fn recover(&self, order: &Order) -> Option<Reply> {
        Home::of(order).recover()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_result_is_judged_before_it_is_left_and_only_while_one_is_waited_for() {
        let dir = tempfile::tempdir().unwrap();
        let (home, shape) = (dir.path(), Arc::new(Shape::default()));
        fs::create_dir(home.join("out")).unwrap();
        assert_eq!(Waiting::of(home), None);
        let open = Waiting {
            state: "work".to_owned(),
            role: "coder".to_owned(),
            wall_millis: 60_000,
            laid: looks(&home.join("view")),
        };
        let place = home.join(OPEN);
        fs::write(&place, serde_json::to_vec(&open).unwrap()).unwrap();
        assert_eq!(Waiting::of(home), Some(open));
        let wrong = hand_in(home, &shape, b"{\"summary\":7}").unwrap();
        assert!(wrong.unwrap_err().to_string().contains("/summary"));
        assert!(Waiting::of(home).is_some(), "nothing was left");
        hand_in(home, &shape, b"{\"summary\":\"s\"}")
            .unwrap()
            .unwrap();
        assert_eq!(Waiting::of(home), None, "one is enough");
        fs::remove_file(home.join("out/result.json")).unwrap();
        let hour = std::time::SystemTime::now() - Duration::from_secs(3_600);
        fs::File::options()
            .write(true)
            .open(&place)
            .unwrap()
            .set_modified(hour)
            .unwrap();
        assert_eq!(Waiting::of(home), None, "its time is over");
    }
}

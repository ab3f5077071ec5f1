//! `could_fail`: the commands that judge look at what they judge. Each is run where nothing of the
//! repository is; one that passes there passes on anything, and proves nothing. Those that an agent chose
//! are run once more where every file that the run began with holds nonsense; one that passes there looks
//! at names and not into files. That a command which fails there judges the right thing, it does not say.

use super::command::{NO_COMMAND, of_field};
use crate::Subject;
use crate::checks::suite::instrument::Instrument;
use crate::error::Error;
use crate::execute::{Program, execute};
use crate::judge::{Judge, Judged, Trouble};
use crate::room::Room;
use crate::settings::{Choice, Seconds, SettingsError, Texts, Words};
use crate::text::{first_few, label};
use languages::runners::Ending;
use schemars::JsonSchema;
use serde::Deserialize;
use std::time::{Duration, Instant};

/// No command passes where there is no repository.
#[derive(Deserialize, JsonSchema)]
pub(crate) struct CouldFail {
    /// `commands`: all that a human set for this run.
    from: Option<Choice<Commands>>,
    /// Fields: each command in backticks, or else the whole text. They fail where every file holds
    /// nonsense, too.
    #[serde(default)]
    fields: Texts,
    /// Wall limit of each; 60. One that has not ended by then has not passed.
    timeout_seconds: Option<Seconds>,
}

/// The commands that a human set.
#[derive(Clone, Copy)]
struct Commands;

impl Words for Commands {
    const WORDS: &'static [(&'static str, Self)] = &[("commands", Self)];
}

const PATIENCE: Duration = Duration::from_secs(60);

impl Judge for CouldFail {
    const NAME: &'static str = "could_fail";
    type Answer = Judged;

    fn lint(&self) -> Result<(), SettingsError> {
        match self.from.is_some() == self.fields.is_empty() {
            true => Ok(()),
            false => Self::refuse("needs either `from` or `fields`"),
        }
    }

    fn judge(&self, subject: &Subject<'_>) -> Judged {
        let started = Instant::now();
        let mut lines: Vec<&str> = Vec::new();
        for field in self.fields.iter() {
            lines.extend(of_field(field, subject)?);
        }
        if self.from.is_some() {
            lines.extend(subject.commands.iter().map(String::as_str));
        }
        if lines.is_empty() {
            return Err(Trouble::CouldNotRun(NO_COMMAND.to_owned()));
        }
        let passing = |room: &dyn Fn() -> Result<Room, Error>| -> Judged<Vec<String>> {
            let passes = |line: &&&str| self.passes_in(&room()?, subject, line, started);
            let mut hollow = Vec::new();
            for line in &lines {
                if passes(&line).map_err(Trouble::cannot)? {
                    hollow.push(format!("`{}`", label(line)));
                }
            }
            Ok(hollow)
        };
        let hollow = passing(&|| Room::bare(subject))?;
        if !hollow.is_empty() {
            return Err(format!(
                "cannot fail: {} passes as well where nothing of the repository is; name a command that looks at it",
                first_few(&hollow, 3)
            )
            .into());
        }
        if self.from.is_none() {
            let blind = passing(&|| Room::of_nonsense(subject))?;
            if !blind.is_empty() {
                return Err(format!(
                    "cannot fail: {} passes as well where every file holds nonsense, so it looks at names alone; name a command that looks into them",
                    first_few(&blind, 3)
                )
                .into());
            }
        }
        match lines.len() {
            1 => Ok("the command fails where there is no repository".to_owned()),
            count => Ok(format!(
                "all {count} commands fail where there is no repository"
            )),
        }
    }
}

impl CouldFail {
    fn passes_in(
        &self,
        room: &Room,
        subject: &Subject<'_>,
        line: &str,
        started: Instant,
    ) -> Result<bool, Error> {
        let allowed = self.timeout_seconds.map_or(PATIENCE, Seconds::seconds);
        let instrument = Instrument::of(line, subject);
        if instrument.runner().is_some() {
            // A runner that finds no test may end with zero, and has not passed.
            let wall = allowed.min(subject.wall.saturating_sub(started.elapsed()));
            let subject = Subject { wall, ..*subject };
            let shown = room.inside(&subject, |inside| instrument.show(inside, Instant::now()));
            return Ok(shown.is_ok_and(|shown| shown.ending == Ending::Green));
        }
        let executed = room.inside(subject, |inside| {
            execute(inside, Program::shell(line, Some(allowed), started))
        })?;
        if subject.cancel.is_cancelled() {
            return Err("it was cancelled".into());
        }
        Ok(executed.ended.killed.is_none() && executed.ended.exit == Some(0))
    }
}

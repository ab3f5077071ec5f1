//! The tests that were there before the change, without those that came with it: files of tests share a process,
//! and one can change what another says.

use super::{Control, File, Found, LOOKS, differing, seen};
use crate::checks::suite::instrument::Shown;
use crate::error::Error;
use crate::readers::items;
use crate::room::Room;
use crate::text::first_few;
use languages::runners::{Ending, Runner};

impl Control<'_> {
    /// Tests that were there, on the candidate's code: without the files of tests that came with it, and
    /// with what decides how tests run as it was. Both share a process with them, and can change them
    /// while they run.
    pub(super) fn as_they_were(&self, runner: Runner) -> Result<Option<Found>, Error> {
        let settings = items::globs(&items::runner_files())?;
        let decides = |file: &&File| settings.is_match(format!("repo/{}", file.path));
        let tests = self.files.tests.iter().filter(|file| !decides(file));
        // A file of data changes nobody.
        let tests = tests.filter(|file| file.path.ends_with(".py"));
        let (changed, kept): (Vec<&File>, Vec<&File>) = tests.partition(|file| file.changed);
        if !matches!(runner, Runner::Pytest | Runner::Unittest) || kept.is_empty() {
            return Ok(None);
        }
        let alone = |room: &Room| -> Result<(Vec<String>, Ending), Error> {
            let of = |shown: &Shown| seen::failing_alone(self.first, &shown.run, &kept, &changed);
            let shown = self.look(room)?;
            let mut failing = of(&shown);
            for _ in 1..LOOKS {
                if failing.is_empty() {
                    break;
                }
                // Once more, here and on the candidate: who changes by itself is no sign of anything.
                let again = of(&self.look(room)?);
                failing.retain(|name| again.contains(name));
                let by_itself = differing(self.first, &self.look(&(self.candidate)()?)?.run);
                failing.retain(|name| !by_itself.contains(name));
            }
            Ok((failing, shown.ending))
        };
        let of_settings = self.files.tests.iter().chain(&self.files.code);
        let of_settings: Vec<&File> = of_settings
            .filter(|file| file.changed && decides(file))
            .collect();
        if !of_settings.is_empty() {
            let room = (self.candidate)()?;
            for file in &of_settings {
                room.put(&file.path, file.before.as_deref())?;
            }
            let (failing, _) = alone(&room)?;
            if !failing.is_empty() {
                let names: Vec<&str> = of_settings.iter().map(|file| file.path.as_str()).collect();
                return Ok(Some(Found::Weak(format!(
                    "{} passes with {} as the change has it, and not as it was",
                    first_few(&failing, 3),
                    first_few(&names, 3)
                ))));
            }
        }
        let new: Vec<&&File> = changed
            .iter()
            .filter(|file| file.before.is_none())
            .collect();
        if new.is_empty() {
            return Ok(None);
        }
        let room = (self.candidate)()?;
        for file in &new {
            // Empty and not gone: a package stays one.
            room.put(&file.path, Some(""))?;
        }
        let (failing, ending) = alone(&room)?;
        if !failing.is_empty() {
            let told = failing.iter().map(|name| {
                format!("{name} passes beside the new files of tests, and fails without them")
            });
            return Ok(Some(Found::Broken(told.collect())));
        }
        if seen::ran(ending) {
            return Ok(None);
        }
        // What was changed may need what is new.
        for file in &changed {
            room.put(&file.path, Some(file.before.as_deref().unwrap_or_default()))?;
        }
        let (failing, ending) = alone(&room)?;
        let fine = seen::ran(ending) && failing.is_empty();
        Ok((!fine).then(|| {
            Found::Weak("the tests that were there cannot be tried without the new ones".to_owned())
        }))
    }
}

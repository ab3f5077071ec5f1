//! What tests of a change show of it: with its functions as they were before, under the heads that they have
//! now, at least one of them fails. Who is red on the code before for want of a name or a parameter, and
//! asks nothing of what the functions do, is green then.

use super::plan::Plan;
use super::seen::Fate;
use super::{Control, Found, Purpose, Record};
use crate::error::Error;
use crate::text::first_few;
use languages::runners::{Ending, Status};
use languages::{AsBefore, as_before};
use std::collections::BTreeSet;

impl Control<'_> {
    /// What is to be said where no test of the change notices it; none where one does, or nobody can tell.
    pub(super) fn unshown(&self, plan: &Plan, record: &Record) -> Result<Option<Found>, Error> {
        if self.purpose == Purpose::Refactoring
            || self.subject.mutants == Some(0)
            || !self.controls.need_mutants()
        {
            return Ok(None);
        }
        let files = self.files.code.iter();
        let known = files.map(|file| {
            let before = file.before.as_deref()?;
            let made = as_before(&file.path, &file.now, before)?;
            Some((file.path.as_str(), made))
        });
        let known: Vec<Option<(&str, AsBefore)>> = known.collect();
        let whole = known
            .iter()
            .all(|one| one.as_ref().is_some_and(|(_, made)| !made.more));
        let changed: Vec<(&str, AsBefore)> = known.into_iter().flatten().collect();
        if changed.is_empty() {
            return Ok(None);
        }
        let mut own = match &self.own {
            Some(own) => own.clone(),
            None => self.not_green_before()?,
        };
        // Those of another suite are for that one.
        own.retain(|name| self.first.with(Status::Passed).any(|one| one.name == *name));
        if own.is_empty() && self.purpose == Purpose::Unsaid {
            let why = "no test fails on the code before, so none shows what was changed";
            return Ok(Some(Found::Weak(why.to_owned())));
        }
        if own.is_empty() || self.notice_what_is_new(plan, record, (&own, &changed)) {
            return Ok(None);
        }
        let room = (self.candidate)()?;
        for (path, made) in &changed {
            room.put(path, Some(&made.text))?;
        }
        let shown = self.look(&room)?;
        let ran = matches!(shown.ending, Ending::Green | Ending::Red);
        let passed: BTreeSet<&str> = shown
            .run
            .with(Status::Passed)
            .map(|one| one.name.as_str())
            .collect();
        // Who fails has noticed it; of who is not reported nobody knows.
        if !ran
            || shown.executed.ended.killed.is_some()
            || !own.iter().all(|one| passed.contains(one.as_str()))
        {
            return Ok(None);
        }
        let which = changed.iter().flat_map(|(path, made)| {
            let names = made.functions.iter();
            names.map(move |name| format!("`{name}` ({path})"))
        });
        let which: Vec<String> = which.collect();
        let tests: Vec<&String> = own.iter().collect();
        let said = format!(
            "{} as before the change: {} notice nothing",
            first_few(&which, 3),
            first_few(&tests, 3)
        );
        let bodies = changed.iter().any(|(_, made)| made.bodies);
        let sure = whole && bodies && record.left_out == 0 && record.out_of_time == 0;
        Ok(Some(match (self.purpose, sure) {
            (Purpose::Behaviour, true) => Found::Survived(vec![said]),
            _ => Found::Weak(format!(
                "the tests of the change would pass all the same: {said}"
            )),
        }))
    }

    /// The tests that pass, and do not on the code before.
    fn not_green_before(&self) -> Result<BTreeSet<String>, Error> {
        let room = (self.base)()?;
        for file in self.files.tests.iter().filter(|file| file.changed) {
            room.put(&file.path, Some(&file.now))?;
        }
        let before = self.look(&room)?.run;
        let green: BTreeSet<&str> = before
            .with(Status::Passed)
            .map(|one| one.name.as_str())
            .collect();
        let now = self.first.with(Status::Passed);
        let new = now.filter(|one| !green.contains(one.name.as_str()));
        Ok(new.map(|one| one.name.clone()).collect())
    }

    /// Does a test of the change notice a mutant of a function that came with it?
    fn notice_what_is_new(
        &self,
        plan: &Plan,
        record: &Record,
        (own, changed): (&BTreeSet<String>, &[(&str, AsBefore)]),
    ) -> bool {
        let was_there = |number: u32| {
            let function = plan.functions.iter().find(|one| one.number == number);
            function.is_none_or(|function| {
                let name = function.name.rsplit(['.', ':']).next().unwrap_or_default();
                let mut of = changed.iter().filter(|(path, _)| *path == function.path);
                of.any(|(_, made)| made.functions.iter().any(|one| one == name))
            })
        };
        record.mutants.iter().any(|tried| match &tried.fate {
            Fate::Noticed { by, .. } => {
                !was_there(tried.number) && by.iter().any(|name| own.contains(name))
            }
            _ => false,
        })
    }
}

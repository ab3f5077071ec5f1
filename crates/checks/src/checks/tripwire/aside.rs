//! What the frozen tests read beside themselves, changed by whoever built: data that they compare with, modules that
//! help them. The suite is tried once more with all such files as they were; where that makes a difference, a
//! person says whether it is the product.

use super::{Tripped, lay_in};
use super::{Tripwire, cannot};
use crate::Subject;
use crate::readers::{hash, items, paths};
use crate::room::Room;
use crate::text::first_few;
use kernel::outcome::Verdict;
use languages::judges::{Texts, is_source, is_test};
use languages::runners::Ending;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::time::Instant;

/// The code, and the word for what a machine cannot settle.
const SUPPORT: (&str, &str) = ("test_support_changed", "residue");

impl Tripwire {
    /// Refuses a green that rests on a change of what tests read.
    pub(super) fn aside(
        &self,
        subject: &Subject<'_>,
        (commit, frozen): (&str, &BTreeMap<String, String>),
        started: Instant,
    ) -> Result<(), Tripped> {
        if self.product_in.is_empty() {
            return Ok(());
        }
        let before = Room::of(subject, commit, frozen).map_err(cannot)?;
        let changed = self.of_tests(subject, &before, frozen)?;
        if changed.is_empty() {
            return Ok(());
        }
        let room = Room::of(subject, commit, frozen).map_err(cannot)?;
        lay_in(self, subject, &room, frozen)?;
        room.restore(subject, frozen).map_err(cannot)?;
        for path in &changed {
            room.put_back(&before, path).map_err(cannot)?;
        }
        let order = self.suite();
        // Whoever is red at one time only has shown nothing.
        for _ in 0..2 {
            let ran = room.inside(subject, |inside| order.run(inside, started));
            let ran = ran.map_err(cannot)?;
            if ran.run.ending(ran.executed.ended.exit) == Ending::Green {
                return Ok(());
            }
        }
        Err(Tripped {
            verdict: Verdict::Fail,
            code: SUPPORT.0,
            why: format!(
                "the frozen tests pass only with the change to {}, of which neither the product nor the contract speaks: it may be what they compare with",
                first_few(&changed, 3)
            ),
            shows: Some(SUPPORT.1),
        })
    }

    /// Changed files that may be the tests' own.
    fn of_tests(
        &self,
        subject: &Subject<'_>,
        before: &Room,
        frozen: &BTreeMap<String, String>,
    ) -> Result<Vec<String>, Tripped> {
        let scope = items::spelt_out(subject, &self.scope).map_err(cannot)?;
        let scope = items::globs(&scope.inside).map_err(cannot)?;
        let tests = items::spelt_out(subject, &self.tests).map_err(cannot)?;
        let tests = items::globs(&tests.inside).map_err(cannot)?;
        let settings = items::globs(&items::runner_files()).map_err(cannot)?;
        let names: BTreeSet<String> = before.names().map_err(cannot)?.into_iter().collect();
        let mut all = names.clone();
        // New code is what was asked for.
        let now = subject.tree().map_err(cannot)?.files.into_keys();
        all.extend(now.filter(|path| !is_source(path)));
        let seen = |root, path: &str| {
            let found = paths::found_in(root, path).ok()?;
            hash::of(&found).ok()
        };
        all.retain(|path| {
            let item = format!("repo/{path}");
            scope.is_match(&item)
                && !frozen.contains_key(&item)
                && ![&tests, &settings]
                    .iter()
                    .any(|globs| globs.is_match(&item))
                && seen(before.path(), path) != seen(subject.place.repo, path)
        });
        if all.is_empty() {
            return Ok(Vec::new());
        }
        // Records of this task and of others beside it: copies of the suite speak of what it reads.
        let records = subject.place.task.strip_prefix(subject.place.repo).ok();
        let records = records.map(|task| {
            task.parent()
                .filter(|one| *one != Path::new(""))
                .unwrap_or(task)
        });
        let read = |path: &String| Some((path.clone(), before.text(path)?));
        let product = names
            .iter()
            .filter(|path| records.is_none_or(|records| !Path::new(path).starts_with(records)));
        let read: Vec<(String, String)> = product.filter_map(read).collect();
        let mut texts = Texts {
            tests: BTreeMap::new(),
            others: BTreeMap::new(),
        };
        for (path, text) in &read {
            let frozen = tests.is_match(format!("repo/{path}"));
            match frozen || (is_test(path) && !all.contains(path)) {
                true => texts.tests.insert(path, text),
                false => texts.others.insert(path, text),
            };
        }
        let mut contract = String::new();
        for item in self.product_in.iter() {
            let hash = frozen
                .get(item)
                .ok_or_else(|| cannot(format!("{item} was not frozen")))?;
            let text = subject.keep.fetch(hash).map_err(cannot)?;
            contract.push_str(&String::from_utf8_lossy(&text));
        }
        let changed: Vec<&str> = all.iter().map(String::as_str).collect();
        let found = texts.aside(&changed, &contract).into_iter();
        Ok(found.map(str::to_owned).collect())
    }
}

//! The ids that tasks have already. A further version of a spec keeps those of the tasks that it still
//! has, and gives no number of a story twice.

use super::Located;
use crate::project::Declared;
use std::collections::BTreeMap;

/// The names of pillar, epic, story and task, and which of several such tasks it is.
pub(super) type Place = ([String; 4], usize);

/// Ids by where their tasks stand. Empty: of a first version.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Known {
    ids: BTreeMap<Place, String>,
}

/// Counts those that have all names in common.
#[derive(Default)]
pub(super) struct Places(BTreeMap<[String; 4], usize>);

impl Places {
    pub(super) fn next(&mut self, names: [&String; 4]) -> Place {
        let names = names.map(Clone::clone);
        let count = self.0.entry(names.clone()).or_default();
        *count += 1;
        (names, *count)
    }
}

impl Known {
    /// Of every task that a project has or had, in order.
    pub fn of<'t>(tasks: impl Iterator<Item = &'t Declared>) -> Self {
        let mut places = Places::default();
        let ids = tasks.map(|one| {
            let place = places.next([&one.pillar, &one.epic, &one.story, &one.task]);
            (place, one.id.to_string())
        });
        Self { ids: ids.collect() }
    }

    /// `T-{pillar}-{epic}-{story}-{number}`; a new task has the number after the last of its story.
    pub(super) fn ids(&self, located: &[Located<'_>]) -> Vec<String> {
        let mut places = Places::default();
        let mut last: BTreeMap<&[String], u32> = BTreeMap::new();
        let each = located.iter().map(|one| {
            let names = [
                &one.pillar.name,
                &one.epic.name,
                &one.story.name,
                &one.task.name,
            ];
            if let Some(id) = self.ids.get(&places.next(names)) {
                return id.clone();
            }
            let story = &one.slugs[..3];
            let stem = format!("T-{}", story.join("-"));
            let last = last.entry(story).or_insert_with(|| self.last(&stem));
            *last += 1;
            format!("{stem}-{last:03}")
        });
        each.collect()
    }

    /// The highest number that a story has given.
    fn last(&self, stem: &str) -> u32 {
        let numbers = self.ids.values().filter_map(|id| {
            let (of, number) = id.rsplit_once('-')?;
            number.parse().ok().filter(|_| of == stem)
        });
        numbers.max().unwrap_or(0)
    }
}

//! `unasked`: files that were changed since the run began though nobody asked for it, such as those that
//! say what is tried elsewhere once the work has landed. Gates have it as `advisory`: honest work may have
//! a reason, and a person is told before they approve it.

use crate::Subject;
use crate::judge::{Judge, Judged, Trouble};
use crate::readers::{items, paths};
use crate::room::Room;
use crate::settings::{Items, Text};
use crate::text::{answer, first_few};
use kernel::Word;
use kernel::effect::BEGUN;
use kernel::outcome::{CheckResult, UNASKED, Verdict};
use languages::judges;
use schemars::JsonSchema;
use serde::Deserialize;
use std::collections::BTreeSet;

/// Files that are as they were when the run began, unless what is asked for names them.
#[derive(Deserialize, JsonSchema)]
pub(crate) struct Unasked {
    /// Globs that begin with `repo/`, and `ci files`.
    items: Items,
    /// A field with what is asked for.
    asked_in: Text,
    /// Words of that field that ask for all of them.
    #[serde(default)]
    words: crate::settings::Texts,
}

impl Judge for Unasked {
    const NAME: &'static str = UNASKED;
    type Answer = Judged<CheckResult>;

    fn judge(&self, subject: &Subject<'_>) -> Judged<CheckResult> {
        let asked = subject.fields.get(&*self.asked_in);
        let asked = asked.map_or_else(String::new, |text| text.to_lowercase());
        let passes = |reason: &str| Ok(answer(Self::NAME, Verdict::Pass, reason));
        if self.words.iter().any(|one| judges::word(&asked, one)) {
            return passes("they are asked for");
        }
        let Some(begun) = subject.known.get(BEGUN).and_then(|one| one.first()) else {
            return passes("the run began without a commit to compare with");
        };
        let globs = items::spelt_out(subject, &self.items).map_err(Trouble::cannot)?;
        let globs = items::globs(&globs.inside).map_err(Trouble::cannot)?;
        let before = Room::as_before(subject, begun).map_err(Trouble::cannot)?;
        let names = before.names().map_err(Trouble::cannot)?;
        let now = subject.tree().map_err(Trouble::cannot)?.files;
        let all: BTreeSet<String> = names.into_iter().chain(now.into_keys()).collect();
        let is_asked = |path: &str| {
            let path = path.to_lowercase();
            asked.contains(path.rsplit('/').next().unwrap_or(&path))
        };
        let changed = all.into_iter().filter_map(|path| {
            let item = format!("repo/{path}");
            if !globs.is_match(&item) || is_asked(&path) {
                return None;
            }
            let now = paths::read(subject.place, &item).ok();
            let how = match (before.text(&path), now) {
                (Some(old), Some(new)) if old == new => return None,
                (None, None) => return None,
                (Some(_), Some(_)) => "was changed",
                (Some(_), None) => "was deleted",
                (None, Some(_)) => "is new",
            };
            Some(format!("{path} {how}"))
        });
        let changed: Vec<String> = changed.collect();
        if changed.is_empty() {
            return passes("all of them are as they were, or asked for");
        }
        let reason = format!("nobody asked for this: {}", first_few(&changed, 5));
        let mut result = answer(Self::NAME, Verdict::Fail, reason);
        result.shows.insert(Word::from(UNASKED));
        Ok(result)
    }
}

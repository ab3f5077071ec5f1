//! `frozen`: what an earlier gate froze is still the same, byte for byte, and where it is told so
//! nothing was put beside it. It refuses to pass where nothing was frozen.

use crate::Subject;
use crate::error::Error;
use crate::judge::{Answer, Judge, Judged, Trouble};
use crate::readers::{items, seal};
use crate::settings::{Item, Items, Text, Texts};
use crate::text::{answer, first_few};
use kernel::Word;
use kernel::outcome::{CheckResult, Verdict};
use languages::judges;
use schemars::JsonSchema;
use serde::Deserialize;
use std::collections::{BTreeMap, BTreeSet};

/// Shown where nothing but what decides how tests run was changed: a fixture in a `conftest.py` may be
/// honest work, and only a person can say.
pub(crate) const HOW_TESTS_RUN: &str = "how_tests_run";

/// What it means that such a file has come, for whoever brought it.
const DECIDES: &str = "; it decides how tests run, which stays as it was frozen: take it away, or say that it is needed and leave it to a person";

/// What of a freeze is not the same now, each with what happened to it.
pub(crate) fn changed(subject: &Subject<'_>, frozen: &BTreeMap<String, String>) -> Vec<String> {
    let items = frozen.iter();
    let changed = items.filter_map(|(item, hash)| Some((item, otherwise(subject, item, hash)?)));
    changed.map(|(item, how)| format!("{item} {how}")).collect()
}

/// What happened to something frozen, if it is not the same.
pub(crate) fn otherwise(subject: &Subject<'_>, item: &str, hash: &str) -> Option<String> {
    match seal::now(subject, item) {
        Ok(sealed) if sealed.hash == *hash => None,
        Ok(_) => Some("was changed".to_owned()),
        Err(why) => Some(why.to_string()),
    }
}

/// Is all that was changed of a freeze what decides how tests run?
pub(crate) fn only_how_tests_run(
    subject: &Subject<'_>,
    frozen: &BTreeMap<String, String>,
) -> Result<bool, Error> {
    let settings = items::spelt_out(subject, &["test config".to_owned()])?.inside;
    let settings = items::globs(&settings)?;
    let decides = |item: &str| {
        settings.is_match(item) || item.ends_with("#tests") || items::of_recipe(item).is_some()
    };
    let mut all = frozen.iter();
    Ok(all.all(|(item, hash)| decides(item) || otherwise(subject, item, hash).is_none()))
}

/// What an earlier gate froze under a name is the same, byte for byte.
#[derive(Deserialize, JsonSchema)]
pub(crate) struct Frozen {
    /// The names, as given to `freeze`.
    of: Texts,
    /// Items as for `freeze` that may have changed.
    #[serde(default)]
    except: Items,
    /// Items as for `freeze`: what they name now must be among what was frozen.
    #[serde(default)]
    closed: Items,
    /// A field with what is asked for: recipes that it names, or whose file it names, may have changed.
    asked_in: Option<Text>,
    /// A glob of copies: what was changed must stand in one of them as it was.
    kept_as: Option<Item>,
}

impl Judge for Frozen {
    const NAME: &'static str = "frozen";
    type Answer = Judged<Vec<CheckResult>>;

    fn judge(&self, subject: &Subject<'_>) -> Judged<Vec<CheckResult>> {
        let added = added(self, subject).map_err(Trouble::cannot)?;
        let copies = copies(self, subject).map_err(Trouble::cannot)?;
        let except = items::spelt_out(subject, &self.except).map_err(Trouble::cannot)?;
        let except = items::globs(&except.inside).map_err(Trouble::cannot)?;
        let same = |name: &String| -> Judged {
            let Some(items) = subject.frozen.get(name) else {
                let why = format!("nothing was frozen as `{name}` (tripwire_missing)");
                return Err(Trouble::CouldNotRun(why));
            };
            // A copy is made of what is about to change.
            if self.kept_as.is_some() && changed(subject, items).is_empty() {
                return Err(format!(
                    "`{name}`: nothing has changed; a next version says what is new"
                )
                .into());
            }
            let mut kept = items.clone();
            kept.retain(|item, hash| {
                let copy = || String::from_utf8(subject.keep.fetch(hash).ok()?).ok();
                let helps = self.opens_fixtures() && items::got_fixtures(subject, item, copy);
                let free = copies.contains(hash) || except.is_match(item) || helps;
                !free && !self.asks_for(subject, item)
            });
            let changed = changed(subject, &kept);
            match changed.is_empty() {
                true => Ok(format!("`{name}`: {} items are the same", items.len())),
                false => Err(format!("`{name}`: {}", first_few(&changed, 5)).into()),
            }
        };
        let each = self.of.iter().map(same);
        let mut results: Vec<CheckResult> =
            each.flat_map(|judged| judged.results(Self::NAME)).collect();
        let frozen = self.of.iter().filter_map(|name| subject.frozen.get(name));
        let words = ["test config", items::TEST_RECIPES, items::STARTED_RECIPES];
        let how = |item: &String| words.contains(&item.as_str());
        let decides = self.closed.iter().all(how);
        if !added.is_empty() {
            let means = if decides { DECIDES } else { "" };
            let why = format!("came after the freeze: {}{means}", first_few(&added, 5));
            results.push(answer(Self::NAME, Verdict::Fail, &why));
        }
        let mut settings = added.is_empty() || decides;
        settings &= self.kept_as.is_none();
        for items in frozen {
            settings &= only_how_tests_run(subject, items).map_err(Trouble::cannot)?;
        }
        if settings {
            for result in results
                .iter_mut()
                .filter(|one| one.verdict == Verdict::Fail)
            {
                result.shows.insert(Word::from(HOW_TESTS_RUN));
            }
        }
        Ok(results)
    }
}

impl Frozen {
    /// Where new ones may come, one may be added to what is there.
    fn opens_fixtures(&self) -> bool {
        self.closed
            .iter()
            .any(|item| item.as_str() == "test config")
    }

    /// Does what is asked for name this recipe, or the file that it stands in?
    fn asks_for(&self, subject: &Subject<'_>, item: &str) -> bool {
        let asked = self.asked_in.as_deref();
        let asked = asked.and_then(|field| subject.fields.get(field));
        let (Some(asked), Some((file, name))) = (asked, items::of_recipe(item)) else {
            return false;
        };
        let file = file.rsplit('/').next().unwrap_or(file);
        // Of `test` and `check` every second sentence speaks.
        let plain = matches!(name, "test" | "check" | "pretest" | "posttest");
        asked.contains(file) || (!plain && judges::word(asked, name))
    }
}

/// Hashes of the files that may hold what was changed, as it was.
fn copies(wanted: &Frozen, subject: &Subject<'_>) -> Result<BTreeSet<String>, Error> {
    let Some(glob) = &wanted.kept_as else {
        return Ok(BTreeSet::new());
    };
    let named = items::named(subject, &[glob.to_string()])?;
    let hashes = named
        .iter()
        .filter_map(|item| seal::hash(subject.place, item).ok());
    Ok(hashes.collect())
}

/// What is there now under a closed name, and was not when it was frozen.
fn added(wanted: &Frozen, subject: &Subject<'_>) -> Result<Vec<String>, Error> {
    if wanted.closed.is_empty() {
        return Ok(Vec::new());
    }
    let known = |item: &String| {
        let frozen = wanted.of.iter().filter_map(|name| subject.frozen.get(name));
        frozen.into_iter().any(|items| items.contains_key(item))
    };
    let mut now = items::named(subject, &wanted.closed)?;
    // Fixtures that tests ask for by name change nothing about how they run.
    let helps = |item: &String| items::got_fixtures(subject, item, || None);
    now.retain(|item| !known(item) && !wanted.asks_for(subject, item) && !helps(item));
    Ok(now)
}

//! `freeze`: remembers files and sections by their bytes, under a name. It refuses to freeze
//! nothing, and to freeze anew what it was told to keep.

use crate::Subject;
use crate::checks::frozen;
use crate::judge::{Judge, Judged, Trouble};
use crate::readers::{items, seal};
use crate::settings::{Choice, Items, Number, Text, Words};
use crate::text::{answer, first_few};
use kernel::outcome::{CheckResult, Verdict};
use schemars::JsonSchema;
use serde::Deserialize;
use std::collections::BTreeMap;

/// Files and sections are remembered by their bytes; `frozen` sees whether they stay so.
#[derive(Deserialize, JsonSchema)]
pub(crate) struct Freeze {
    /// The name under which `frozen` finds them.
    name: Text,
    /// Globs that begin with `repo/` or `task/`, sections such as `task/T.md#3 Contract`,
    /// `commands`, `runner config`, `test config`, `test recipes`, `started recipes`, `test files`,
    /// `inline tests`, `sources`, `dependencies`.
    items: Items,
    /// Items as above, that later work may touch: of manifests and lockfiles among them only what says
    /// how tests run is frozen.
    #[serde(default)]
    open: Items,
    /// How many items there must be; 1.
    min: Option<Number<0, 100_000>>,
    /// `replace` (the default): forget what the name held; `add`: what it holds must be unchanged,
    /// and stays.
    mode: Option<Choice<Mode>>,
}

/// What becomes of what the name held before.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Mode {
    Replace,
    Add,
}

impl Words for Mode {
    const WORDS: &'static [(&'static str, Self)] =
        &[("replace", Self::Replace), ("add", Self::Add)];
}

impl Judge for Freeze {
    const NAME: &'static str = "freeze";
    type Answer = Judged<CheckResult>;

    fn judge(&self, subject: &Subject<'_>) -> Judged<CheckResult> {
        let fails = Trouble::Fails;
        let (name, patterns) = (&*self.name, &*self.items);
        let min = self.min.map_or(1, Number::count);
        let adds = self.mode.is_some_and(|mode| *mode == Mode::Add);
        let earlier = subject.frozen.get(name).filter(|_| adds);
        if let Some(changed) = earlier.map(|earlier| frozen::changed(subject, earlier))
            && !changed.is_empty()
        {
            let which = first_few(&changed, 5);
            return Err(fails(format!(
                "frozen as `{name}` and not the same: {which}"
            )));
        }
        let found = items::named(subject, patterns).map_err(Trouble::cannot)?;
        let opened = items::Opened::by(subject, &self.open).map_err(Trouble::cannot)?;
        let found = found
            .into_iter()
            .filter_map(|item| match opened.holds(&item) {
                true => items::of_tests(subject, &item),
                false => Some(item),
            });
        let found: Vec<String> = found.collect();
        if found.len() < min {
            return Err(fails(format!(
                "{} of at least {min} to freeze as `{name}` match {}",
                found.len(),
                patterns.join(", ")
            )));
        }
        let mut hashes: BTreeMap<String, String> = earlier.cloned().unwrap_or_default();
        let mut evidence = Vec::new();
        for item in found {
            let sealed = seal::now(subject, &item).map_err(|why| fails(format!("{item} {why}")))?;
            if let Some(bytes) = &sealed.copy
                && hashes.get(&item) != Some(&sealed.hash)
            {
                let label = format!("frozen {name}: {item}");
                evidence.push(
                    subject
                        .keep
                        .keep_exact(&label, bytes)
                        .map_err(Trouble::cannot)?,
                );
            }
            hashes.insert(item, sealed.hash);
        }
        let reason = format!("`{name}`: {} items", hashes.len());
        let mut result = answer(Self::NAME, Verdict::Pass, &reason);
        result.evidence = evidence;
        result.froze = BTreeMap::from([(name.to_owned(), hashes)]);
        Ok(result)
    }
}

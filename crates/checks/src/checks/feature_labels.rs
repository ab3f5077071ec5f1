//! `feature_labels`: every feature that users would see says how real it is. It refuses labels of
//! one's own making, and an empty list where the work is user-facing.

use crate::Subject;
use crate::judge::{Judge, Judged};
use crate::readers::{markdown, paths};
use crate::settings::{Placed, Text};
use crate::text::{first_few, label};
use schemars::JsonSchema;
use serde::Deserialize;

/// Every visible feature is listed as `name: label` with one of the four labels.
#[derive(Deserialize, JsonSchema)]
pub(crate) struct FeatureLabels {
    /// `task/...` or `repo/...`.
    file: Placed,
    /// The heading over the list.
    heading: Text,
    /// The field whose `yes` forbids an empty list; `User facing`.
    user_facing: Option<Text>,
}

const LABELS: [&str; 4] = [
    "real_working",
    "real_read_only",
    "blocked_hidden",
    "unknown_do_not_show",
];
const USER_FACING: &str = "User facing";

impl Judge for FeatureLabels {
    const NAME: &'static str = "feature_labels";
    type Answer = Judged;

    fn judge(&self, subject: &Subject<'_>) -> Judged {
        let file = &*self.file;
        let text = paths::read(subject.place, file).map_err(|why| format!("{file} {why}"))?;
        let sections = markdown::sections(&text, &self.heading);
        if sections.is_empty() {
            return Err(format!("{file} has no heading `{}`", self.heading).into());
        }
        let asked = self.user_facing.as_deref().unwrap_or(USER_FACING);
        let items: Vec<&String> = sections.iter().flat_map(|section| &section.items).collect();
        let user_facing = subject.fields.get(asked);
        if items.is_empty() && user_facing.is_some_and(|value| value.trim() == "yes") {
            return Err(format!("the list is empty, though the field `{asked}` says yes").into());
        }
        let wrong: Vec<String> = items.iter().filter_map(|item| fault(item)).collect();
        if wrong.is_empty() {
            return Ok(match items.len() {
                1 => "the one feature is labelled".to_owned(),
                count => format!("{count} features are labelled"),
            });
        }
        let wrong = first_few(&wrong, 5);
        Err(format!("{wrong}; the labels are {}", LABELS.join(", ")).into())
    }
}

/// The last colon counts: names may hold one, labels may not.
fn fault(item: &str) -> Option<String> {
    match item.rsplit_once(':') {
        None => Some(format!("`{}` has no label", label(item))),
        Some((name, given)) if !LABELS.contains(&given.trim()) => Some(format!(
            "`{}` has the label `{}`",
            label(name),
            label(given)
        )),
        Some((name, _)) if name.trim().is_empty() => Some(format!("`{}` has no name", label(item))),
        Some(_) => None,
    }
}

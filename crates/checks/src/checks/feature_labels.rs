//! `feature_labels`: every feature that users would see says how real it is. It refuses labels of
//! one's own making, an empty list where the work is user-facing and, where it is asked to, a feature
//! of which nobody knows whether it works, and one that is called real without a scenario that was
//! played.

use crate::Subject;
use crate::judge::{Judge, Judged};
use crate::readers::paths;
use crate::readers::references::{There, look_up};
use crate::readers::substance::hollow;
use crate::settings::{Choice, Paths, Placed, SettingsError, Text, Words};
use crate::text::{first_few, label};
use documents::markdown;
use documents::references;
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
    /// What is said to `unknown_do_not_show`: `passes` or `refused`; passes.
    unknown: Option<Choice<Unknown>>,
    /// The file that tells the scenarios, with `scenarios_heading`: what is called real has an entry
    /// `name: ...` there that refers to something which is there.
    scenarios: Option<Placed>,
    /// The heading over the scenarios.
    scenarios_heading: Option<Text>,
    /// Paths in the task folder that prove no scenario.
    #[serde(default)]
    except: Paths,
}

/// What becomes of a feature that nobody knows.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Unknown {
    Passes,
    Refused,
}

impl Words for Unknown {
    const WORDS: &'static [(&'static str, Self)] =
        &[("passes", Self::Passes), ("refused", Self::Refused)];
}

const LABELS: [&str; 4] = ["real_working", "real_read_only", "blocked_hidden", UNKNOWN];
const UNKNOWN: &str = "unknown_do_not_show";
/// What users can see and use.
const REAL: &str = "real_";
const USER_FACING: &str = "User facing";

impl Judge for FeatureLabels {
    const NAME: &'static str = "feature_labels";
    type Answer = Judged;

    fn lint(&self) -> Result<(), SettingsError> {
        match self.scenarios.is_some() == self.scenarios_heading.is_some() {
            true => Ok(()),
            false => Self::refuse("needs `scenarios` and `scenarios_heading`, or neither"),
        }
    }

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
        if !wrong.is_empty() {
            let wrong = first_few(&wrong, 5);
            return Err(format!("{wrong}; the labels are {}", LABELS.join(", ")).into());
        }
        let labelled: Vec<(&str, &str)> = items.iter().filter_map(|item| split(item)).collect();
        let mut wrong = self.unknown(&labelled);
        wrong.extend(self.unplayed(subject, &labelled)?);
        if !wrong.is_empty() {
            return Err(first_few(&wrong, 5).into());
        }
        Ok(match items.len() {
            1 => "the one feature is labelled".to_owned(),
            count => format!("{count} features are labelled"),
        })
    }
}

impl FeatureLabels {
    fn unknown(&self, labelled: &[(&str, &str)]) -> Vec<String> {
        let refused = self.unknown.is_some_and(|word| *word == Unknown::Refused);
        let unknown = labelled
            .iter()
            .filter(|(_, given)| refused && *given == UNKNOWN);
        unknown
            .map(|(name, _)| {
                let name = label(name);
                format!("`{name}` is {UNKNOWN}: find out whether it works, or hide it")
            })
            .collect()
    }

    /// Features that are called real and have no scenario with something to show for it.
    fn unplayed(
        &self,
        subject: &Subject<'_>,
        labelled: &[(&str, &str)],
    ) -> Result<Vec<String>, String> {
        let (Some(file), Some(heading)) = (&self.scenarios, &self.scenarios_heading) else {
            return Ok(Vec::new());
        };
        let real = labelled.iter().filter(|(_, given)| given.starts_with(REAL));
        let real: Vec<&str> = real.map(|(name, _)| *name).collect();
        if real.is_empty() {
            return Ok(Vec::new());
        }
        let text = paths::read(subject.place, file).map_err(|why| format!("{file} {why}"))?;
        let sections = markdown::sections(&text, heading);
        let told: Vec<&String> = sections
            .iter()
            .flat_map(|section| &section.points)
            .collect();
        let shows = |entry: &str| {
            let mut named = references::in_prose(entry).into_iter();
            named.any(|one| look_up(&one, subject, &self.except, entry) == There::Something)
        };
        let mut wrong = Vec::new();
        for name in real {
            let is_of = |entry: &&&String| {
                let rest = entry.trim().strip_prefix(name.trim());
                rest.is_some_and(|rest| rest.trim_start().starts_with(':'))
            };
            match told.iter().find(is_of) {
                None => wrong.push(format!("`{}` has no entry under `{heading}`", label(name))),
                Some(entry) if !shows(entry) => wrong.push(format!(
                    "the scenario of `{}` refers to nothing that shows it: a file of the work, with something in it",
                    label(name)
                )),
                Some(entry) => {
                    let said = entry.trim().strip_prefix(name.trim()).unwrap_or(entry);
                    let said = said.trim_start().trim_start_matches(':');
                    if let Some(why) = hollow(subject, said, name) {
                        wrong.push(format!("the scenario of `{}` {why}", label(name)));
                    }
                }
            }
        }
        Ok(wrong)
    }
}

/// The last colon counts: names may hold one, labels may not.
fn split(item: &str) -> Option<(&str, &str)> {
    let (name, given) = item.rsplit_once(':')?;
    Some((name.trim(), given.trim()))
}

fn fault(item: &str) -> Option<String> {
    match split(item) {
        None => Some(format!("`{}` has no label", label(item))),
        Some((name, given)) if !LABELS.contains(&given) => Some(format!(
            "`{}` has the label `{}`",
            label(name),
            label(given)
        )),
        Some(("", _)) => Some(format!("`{}` has no name", label(item))),
        Some(_) => None,
    }
}

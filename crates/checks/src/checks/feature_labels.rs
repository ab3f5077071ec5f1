//! `feature_labels`: every feature that users would see says how real it is. It refuses labels of
//! one's own making, and an empty list where the work is user-facing.

use crate::judge::{Judged, Judges};
use crate::readers::{markdown, paths};
use crate::settings::Settings;
use crate::text::{first_few, label};
use crate::{Example, Setting, Subject};
use serde_json::json;

/// The check.
pub(crate) struct FeatureLabels;

const LABELS: [&str; 4] = [
    "real_working",
    "real_read_only",
    "blocked_hidden",
    "unknown_do_not_show",
];
const USER_FACING: &str = "User facing";

pub(crate) struct Wanted<'a> {
    file: &'a str,
    heading: &'a str,
    user_facing: &'a str,
}

impl Judges for FeatureLabels {
    const NAME: &'static str = "feature_labels";
    const ABOUT: &'static str =
        "every visible feature is listed as `name: label` with one of the four labels";
    const SETTINGS: &'static [Setting] = &[
        Setting::required("file", "`task/...` or `repo/...`"),
        Setting::required("heading", "the heading over the list"),
        Setting::optional(
            "user_facing",
            "the field whose `yes` forbids an empty list; `User facing`",
        ),
    ];
    type Wanted<'a> = Wanted<'a>;
    type Answer = Judged;

    fn read<'a>(settings: &Settings<'a>) -> Result<Wanted<'a>, String> {
        let file = settings.text("file")?.unwrap_or_default();
        paths::lint_placed(file)?;
        Ok(Wanted {
            file,
            heading: settings.text("heading")?.unwrap_or_default(),
            user_facing: settings.text("user_facing")?.unwrap_or(USER_FACING),
        })
    }

    fn judge(wanted: &Self::Wanted<'_>, subject: &Subject<'_>) -> Judged {
        let file = wanted.file;
        let text = paths::read(subject.place, file).map_err(|why| format!("{file} {why}"))?;
        let sections = markdown::sections(&text, wanted.heading);
        if sections.is_empty() {
            return Err(format!("{file} has no heading `{}`", wanted.heading).into());
        }
        let items: Vec<&String> = sections.iter().flat_map(|section| &section.items).collect();
        let user_facing = subject.fields.get(wanted.user_facing);
        if items.is_empty() && user_facing.is_some_and(|value| value.trim() == "yes") {
            return Err(format!(
                "the list is empty, though the field `{}` says yes",
                wanted.user_facing
            )
            .into());
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

    fn examples() -> Vec<Example> {
        let with = || json!({"file": "task/STATE.md", "heading": "Visible features"});
        vec![
            Example {
                task: &[(
                    "STATE.md",
                    "## Visible features\n- Export: real_working <!-- demo -->\n- <!-- name: label -->\n- Login: with SSO: `blocked_hidden`\n## Next\n- x\n",
                )],
                ..Example::passes("all labelled", with(), "2 features are labelled")
            },
            Example {
                task: &[("STATE.md", "## Visible features\nNone yet.\n")],
                fields: &[("User facing", "no")],
                ..Example::passes("no feature, and none is needed", with(), "0 features")
            },
            Example {
                task: &[("STATE.md", "## Visible features\n\n")],
                fields: &[("User facing", "yes")],
                ..Example::fails(
                    "user-facing work without a feature",
                    with(),
                    "the list is empty",
                )
            },
            Example {
                task: &[(
                    "STATE.md",
                    "## Visible features\n- Export: works\n- Import\n- Print: real_working\n",
                )],
                ..Example::fails(
                    "wrong and missing labels",
                    with(),
                    "`Export` has the label `works`, `Import` has no label",
                )
            },
            Example {
                task: &[("STATE.md", "## Visible features\n- : real_working\n")],
                ..Example::fails("a label without a feature", with(), "has no name")
            },
            Example::fails("no such file", with(), "task/STATE.md is missing"),
            Example {
                task: &[("STATE.md", "# Other\n")],
                ..Example::fails(
                    "no such heading",
                    with(),
                    "has no heading `Visible features`",
                )
            },
            Example::cannot_run(
                "no heading is given",
                json!({"file": "task/STATE.md"}),
                "needs the setting `heading`",
            ),
        ]
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

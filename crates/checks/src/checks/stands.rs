//! `stands`: an earlier state's gate passed, and what it froze is unchanged. For finding the phase
//! that the evidence shows. It refuses a gate's word without the content that it was given for.

use crate::checks::frozen;
use crate::judge::{Judged, Judges};
use crate::settings::Settings;
use crate::text::first_few;
use crate::{Example, Setting, Subject};
use kernel::StateName;
use serde_json::json;

/// The check.
pub(crate) struct Stands;

impl Judges for Stands {
    const NAME: &'static str = "stands";
    const ABOUT: &'static str = "a state's gate has passed, and what it froze is the same";
    const SETTINGS: &'static [Setting] = &[
        Setting::required("gate", "the state whose gate must have passed"),
        Setting::optional("frozen", "names of freezes that must be unchanged"),
    ];
    type Wanted<'a> = (&'a str, Vec<&'a str>);
    type Answer = Judged;

    fn read<'a>(settings: &Settings<'a>) -> Result<(&'a str, Vec<&'a str>), String> {
        let gate = settings.text("gate")?.unwrap_or_default();
        Ok((gate, settings.list("frozen")?.unwrap_or_default()))
    }

    fn judge((gate, names): &Self::Wanted<'_>, subject: &Subject<'_>) -> Judged {
        if !subject.standing.contains(&StateName::from(*gate)) {
            return Err(format!("the gate of `{gate}` has not passed").into());
        }
        let mut changed = Vec::new();
        for name in names {
            match subject.frozen.get(*name) {
                Some(items) => changed.extend(frozen::changed(subject, items)),
                None => changed.push(format!("`{name}` was never frozen")),
            }
        }
        if changed.is_empty() {
            return Ok(format!("the gate of `{gate}` stands"));
        }
        let what = first_few(&changed, 5);
        Err(format!("the gate of `{gate}` passed, but {what} since").into())
    }

    fn examples() -> Vec<Example> {
        let with = || json!({"gate": "design", "frozen": ["design"]});
        vec![
            Example {
                task: &[("design.md", "as it was")],
                frozen: &[("design", "task/design.md", "as it was")],
                standing: &["design"],
                ..Example::passes("passed and unchanged", with(), "stands")
            },
            Example {
                task: &[("design.md", "edited")],
                frozen: &[("design", "task/design.md", "as it was")],
                standing: &["design"],
                ..Example::fails("edited since", with(), "task/design.md was changed")
            },
            Example {
                task: &[("design.md", "as it was")],
                frozen: &[("design", "task/design.md", "as it was")],
                ..Example::fails("the file alone is no gate", with(), "has not passed")
            },
        ]
    }
}

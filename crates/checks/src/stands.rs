//! `stands`: an earlier state's gate passed, and what it froze is unchanged. For finding the phase
//! that the evidence shows. It refuses a gate's word without the content that it was given for.

use crate::settings::Settings;
use crate::text::{answer, first_few};
use crate::{Check, Example, Setting, Subject, frozen};
use kernel::StateName;
use kernel::outcome::{CheckResult, Verdict};
use serde_json::{Value, json};

/// The check.
pub(crate) struct Stands;

impl Stands {
    fn open<'a>(&self, with: &'a Value) -> Result<(&'a str, Vec<&'a str>), String> {
        let settings = Settings::open(self, with)?;
        let gate = settings.text("gate")?.unwrap_or_default();
        Ok((gate, settings.list("frozen")?.unwrap_or_default()))
    }

    fn judge(&self, with: &Value, subject: &Subject<'_>) -> (Verdict, String) {
        let (gate, names) = match self.open(with) {
            Ok(opened) => opened,
            Err(why) => return (Verdict::CouldNotRun, why),
        };
        if !subject.standing.contains(&StateName::from(gate)) {
            return (
                Verdict::Fail,
                format!("the gate of `{gate}` has not passed"),
            );
        }
        let mut changed = Vec::new();
        for name in names {
            match subject.frozen.get(name) {
                Some(items) => changed.extend(frozen::changed(subject, items)),
                None => changed.push(format!("`{name}` was never frozen")),
            }
        }
        match changed.is_empty() {
            true => (Verdict::Pass, format!("the gate of `{gate}` stands")),
            false => {
                let what = first_few(&changed, 5);
                (
                    Verdict::Fail,
                    format!("the gate of `{gate}` passed, but {what} since"),
                )
            }
        }
    }
}

impl Check for Stands {
    fn name(&self) -> &'static str {
        "stands"
    }

    fn about(&self) -> &'static str {
        "a state's gate has passed, and what it froze is the same"
    }

    fn settings(&self) -> &'static [Setting] {
        const {
            &[
                Setting::required("gate", "the state whose gate must have passed"),
                Setting::optional("frozen", "names of freezes that must be unchanged"),
            ]
        }
    }

    fn lint(&self, with: &Value) -> Result<(), String> {
        self.open(with).map(drop)
    }

    fn run(&self, with: &Value, subject: &Subject<'_>) -> Vec<CheckResult> {
        let (verdict, reason) = self.judge(with, subject);
        vec![answer(self.name(), verdict, &reason)]
    }

    fn examples(&self) -> Vec<Example> {
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

//! `flag`: what somebody is least sure of is said first, with why and what it would cost. It refuses
//! a flag without either: one approval over many pages is easily given without reading.

use crate::judge::{Judged, Judges};
use crate::readers::documents::labelled;
use crate::settings::Settings;
use crate::text::is_placeholder;
use crate::{Example, Setting, Subject};
use serde_json::json;

/// The check.
pub(crate) struct Flag;

pub(crate) struct Wanted<'a> {
    field: &'a str,
    sign: &'a str,
    labels: Vec<&'a str>,
}

impl Judges for Flag {
    const NAME: &'static str = "flag";
    const ABOUT: &'static str = "a field holds a flagged doubt, with what each label asks for";
    const SETTINGS: &'static [Setting] = &[
        Setting::required("field", "the field"),
        Setting::optional("sign", "what it begins with; the warning sign"),
        Setting::optional("labels", "labels that it has, as in `Why: ...`"),
    ];
    type Wanted<'a> = Wanted<'a>;
    type Answer = Judged;

    fn read<'a>(settings: &Settings<'a>) -> Result<Wanted<'a>, String> {
        Ok(Wanted {
            field: settings.text("field")?.unwrap_or_default(),
            sign: settings.text("sign")?.unwrap_or("⚠"),
            labels: settings.list("labels")?.unwrap_or_default(),
        })
    }

    fn judge(wanted: &Wanted<'_>, subject: &Subject<'_>) -> Judged {
        let (field, sign) = (wanted.field, wanted.sign);
        let value = subject.fields.get(field).map_or("", String::as_str).trim();
        if is_placeholder(value) {
            return Err(format!("`{field}` is empty").into());
        }
        let Some(doubt) = value.strip_prefix(sign) else {
            return Err(format!("`{field}` does not begin with `{sign}`").into());
        };
        let doubt = doubt.split(';').next().unwrap_or_default().trim();
        if is_placeholder(doubt) {
            return Err(format!("`{field}` says nothing behind `{sign}`").into());
        }
        let lacks: Vec<String> = wanted
            .labels
            .iter()
            .filter(|label| labelled(value, label).is_none_or(|said| is_placeholder(&said)))
            .map(|label| format!("no `{label}`"))
            .collect();
        if !lacks.is_empty() {
            return Err(format!("`{field}` has {}", lacks.join(", ")).into());
        }
        Ok(format!("flagged: {doubt}"))
    }

    fn examples() -> Vec<Example> {
        let with = || json!({"field": "Doubt", "labels": ["Why", "Cost if wrong"]});
        vec![
            Example {
                fields: &[(
                    "Doubt",
                    "⚠ prices are net; Why: nobody said; Cost if wrong: every sum",
                )],
                ..Example::passes("a whole flag", with(), "prices are net")
            },
            Example::fails("no flag", with(), "`Doubt` is empty"),
            Example {
                fields: &[(
                    "Doubt",
                    "prices are net; Why: nobody said; Cost if wrong: sums",
                )],
                ..Example::fails("no sign", with(), "does not begin with `⚠`")
            },
            Example {
                fields: &[("Doubt", "⚠ prices are net; Why: TBD")],
                ..Example::fails(
                    "no reason, no cost",
                    with(),
                    "has no `Why`, no `Cost if wrong`",
                )
            },
        ]
    }
}

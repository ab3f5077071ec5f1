//! `flag`: what somebody is least sure of is said first, with why and what it would cost. It refuses
//! a flag without either: one approval over many pages is easily given without reading.

use crate::Subject;
use crate::judge::{Judge, Judged};
use crate::readers::substance::hollow;
use crate::settings::{Text, Texts};
use documents::is_placeholder;
use documents::markdown::labelled;
use schemars::JsonSchema;
use serde::Deserialize;

/// A field holds a flagged doubt, with what each label asks for.
#[derive(Deserialize, JsonSchema)]
pub(crate) struct Flag {
    /// The field.
    field: Text,
    /// What it begins with; the warning sign.
    sign: Option<Text>,
    /// Labels that it has, as in `Why: ...`.
    #[serde(default)]
    labels: Texts,
    /// What the label `From` says: one of these.
    #[serde(default)]
    sources: Texts,
}

impl Judge for Flag {
    const NAME: &'static str = "flag";
    type Answer = Judged;

    fn judge(&self, subject: &Subject<'_>) -> Judged {
        let (field, sign) = (&*self.field, self.sign.as_deref().unwrap_or("⚠"));
        let value = subject.fields.get(field).map_or("", String::as_str).trim();
        if is_placeholder(value) {
            return Err(format!("`{field}` is empty").into());
        }
        let Some(doubt) = value.strip_prefix(sign) else {
            return Err(format!("`{field}` does not begin with `{sign}`").into());
        };
        let doubt = doubt.split(';').next().unwrap_or_default().trim();
        if let Some(why) = hollow(subject, doubt, field).filter(|why| !why.is_blank()) {
            return Err(format!("`{field}` {why}").into());
        }
        if is_placeholder(doubt) {
            return Err(format!("`{field}` says nothing behind `{sign}`").into());
        }
        let lacks: Vec<String> = self
            .labels
            .iter()
            .filter(|label| {
                labelled(value, label).is_none_or(|said| hollow(subject, &said, label).is_some())
            })
            .map(|label| format!("no `{label}`"))
            .collect();
        if !lacks.is_empty() {
            return Err(format!("`{field}` has {}", lacks.join(", ")).into());
        }
        let from = labelled(value, "From").unwrap_or_default();
        let known = |source: &String| source.eq_ignore_ascii_case(from.trim());
        if !self.sources.is_empty() && !self.sources.iter().any(known) {
            let sources = self.sources.join(", ");
            return Err(format!("`{field}` does not say `From:` which it comes: {sources}").into());
        }
        Ok(format!("flagged: {doubt}"))
    }
}

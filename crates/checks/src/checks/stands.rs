//! `stands`: an earlier state's gate passed, and what it froze is unchanged: a gate's word counts
//! with the content that it was given for. For finding the phase that the evidence shows.

use crate::Subject;
use crate::checks::frozen;
use crate::judge::{Judge, Judged};
use crate::settings::{Text, Texts};
use crate::text::first_few;
use kernel::StateName;
use schemars::JsonSchema;
use serde::Deserialize;

/// A state's gate has passed, and what it froze is the same.
#[derive(Deserialize, JsonSchema)]
pub(crate) struct Stands {
    /// The state whose gate must have passed.
    gate: Text,
    /// Names of freezes that must be unchanged.
    #[serde(default)]
    frozen: Texts,
}

impl Judge for Stands {
    const NAME: &'static str = "stands";
    type Answer = Judged;

    fn judge(&self, subject: &Subject<'_>) -> Judged {
        let gate = &*self.gate;
        if !subject.standing.contains(&StateName::from(gate)) {
            return Err(format!("the gate of `{gate}` has not passed").into());
        }
        let mut changed = Vec::new();
        for name in self.frozen.iter() {
            match subject.frozen.get(name) {
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
}

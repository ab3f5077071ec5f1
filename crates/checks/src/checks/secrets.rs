//! `secrets`: no file of the repository holds what looks like a key. What was found is not shown: a
//! reason is kept for ever.

use crate::Subject;
use crate::judge::{Judge, Judged, Trouble};
use crate::readers::sources;
use crate::settings::Globs;
use crate::text::first_few;
use schemars::JsonSchema;
use serde::Deserialize;

/// No file that git knows holds what has the shape of a key.
#[derive(Deserialize, JsonSchema)]
pub(crate) struct Secrets {
    /// Globs of files that may hold such shapes.
    #[serde(default)]
    allow: Globs,
}

/// How the first line of a private key ends; in two parts, so that this file is not one.
const PRIVATE_KEY: (&str, &str) = ("-----BEGIN", "PRIVATE KEY-----");

impl Judge for Secrets {
    const NAME: &'static str = "secrets";
    type Answer = Judged;

    fn judge(&self, subject: &Subject<'_>) -> Judged {
        let mut files = sources::files(subject).map_err(Trouble::cannot)?;
        files.retain(|path| !self.allow.is_match(path));
        let mut found = Vec::new();
        for path in &files {
            let Some(text) = sources::text(subject, path).map_err(Trouble::cannot)? else {
                continue;
            };
            for sighting in store::redact::sightings(&text) {
                let line = text[..sighting.at].matches('\n').count() + 1;
                found.push(format!("{path}:{line} ({}...)", sighting.shape.trim()));
            }
            let lines = text.lines().enumerate();
            let keys = lines.filter(|(_, line)| {
                line.contains(PRIVATE_KEY.0) && line.trim_end().ends_with(PRIVATE_KEY.1)
            });
            found.extend(keys.map(|(at, _)| format!("{path}:{} (a private key)", at + 1)));
        }
        if found.is_empty() {
            return Ok(format!("{} files hold no key", files.len()));
        }
        let (count, shown) = (found.len(), first_few(&found, 5));
        Err(
            format!("{count} places look like keys: {shown}; take them out and replace the keys")
                .into(),
        )
    }
}

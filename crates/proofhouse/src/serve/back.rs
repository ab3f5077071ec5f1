//! A person's word from the page that leads a run back to one of its commits: the way of `proofhouse rewind`.

use approval::passkey;
use base64ct::{Base64UrlUnpadded, Encoding};
use engine::decide::Ask;
use kernel::decision::REWIND;
use serde_json::{Value, json};
use workspace::{EngineError, Project};

/// A commit of a run, as the decision names it.
pub(super) struct Back<'a> {
    run: &'a str,
    about: String,
    with: Value,
}

impl<'a> Back<'a> {
    /// The commit of this record, if the run can be led there.
    pub(super) fn of(
        project: &Project,
        run: &'a str,
        option: &str,
        record: &str,
    ) -> Result<Self, EngineError> {
        let at = record.parse().ok().filter(|_| option == REWIND);
        let at: u64 = at.ok_or_else(|| {
            EngineError::user(
                "request_malformed",
                "it names no record to go back to",
                "load the page again",
            )
        })?;
        let with = report::back::to(project, run, at)?;
        let about = report::back::about(&with);
        Ok(Self { run, about, with })
    }

    pub(super) fn ask<'b>(&'b self, because: &'b str) -> Ask<'b> {
        Ask {
            name: self.run,
            option: REWIND,
            about: &self.about,
            with: &self.with,
            because,
        }
    }

    /// The exact words, for whoever signs them.
    pub(super) fn worded(&self, project: &Project, because: &str) -> Result<Value, EngineError> {
        let machine = report::look::peek_run(project, self.run)?.machine;
        report::back::taken(&machine, &self.with, because)?;
        let message = engine::decide::message(project, &self.ask(because))?;
        Ok(json!({
            "text": String::from_utf8_lossy(&message),
            "carries": serde_json::to_string_pretty(&self.with).unwrap_or_default(),
            "challenge": Base64UrlUnpadded::encode_string(&passkey::to_sign(&message)),
            "home": passkey::HOME,
        }))
    }
}

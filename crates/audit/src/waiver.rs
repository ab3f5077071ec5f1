//! Who waived the sandbox, checked again. A waiver is a decision, so it is held to what decisions are
//! held to; it stands in the run's first record and is bound to the rest of that record.

use crate::decisions::Signers;
use crate::finding::{Finding, finding};
use engine::waiver::{INHERITED, bound_to, words};
use kernel::{Body, Event};
use store::RecordRef;

impl Signers {
    /// What is doubtful about a run's start, if the sandbox was waived there.
    pub(crate) fn waiver(
        &self,
        run: &str,
        event: &Event,
        record: &RecordRef<'_>,
    ) -> Option<Finding> {
        let Body::RunStarted(started) = &event.body else {
            return None;
        };
        let signature = started.sandbox_waiver_signature.as_deref();
        let channel = started.sandbox_waived_through.as_deref();
        let Some(who) = started.sandbox_waived_by.as_deref() else {
            let stray = channel.is_some() || signature.is_some();
            let what = "a waiver of the sandbox that names nobody".to_owned();
            return stray.then(|| finding("forged_decision", record.seq, what));
        };
        let says = |code: &str, why: String| {
            let what = format!("the sandbox waived by {who}: {why}");
            Some(finding(code, record.seq, what))
        };
        let Some(channel) = channel else {
            return says("forged_decision", "it came through no channel".to_owned());
        };
        if let Some(milestone) = channel.strip_prefix(INHERITED) {
            let waived = self.milestones.get(milestone);
            let same = waived.is_some_and(|one| one.who == who && one.runs.contains(run));
            let why = format!("the milestone `{milestone}` has no such waiver for this run");
            return (!same).then(|| says("forged_decision", why)).flatten();
        }
        let head = match record.body_as() {
            Ok(body) => bound_to(&body, record.at),
            Err(why) => return says("forged_decision", why.to_string()),
        };
        let doubt = self.vouches(&words(run, &head), who, channel, signature, record.at);
        doubt.and_then(|(code, why)| says(code, why))
    }
}

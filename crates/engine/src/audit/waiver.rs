//! Who waived the sandbox, checked again. A waiver is a decision, so it is held to what decisions are
//! held to; it stands in the run's first record and is bound to the rest of that record.

use super::decisions::Signers;
use super::{Finding, finding};
use crate::approval::SIGNED;
use crate::waiver::{bound_to, words};
use kernel::{Body, Event};
use store::RecordRef;

impl Signers {
    /// What is doubtful about a run's start, if the sandbox was waived there.
    pub(super) fn waiver(
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
        match (channel, signature) {
            (None, _) => says("forged_decision", "it came through no channel".to_owned()),
            (Some(channel), None) if channel.starts_with(SIGNED) => {
                says("signature_missing", "it is said to be signed".to_owned())
            }
            (Some(channel), None) if self.wants_signatures() => {
                let why = format!("through `{channel}`, though decisions are signed here");
                says("unsigned_decision", why)
            }
            (Some(_), None) => None,
            // A signature counts whatever the channel says: leaving a lie unread helps nobody.
            (Some(_), Some(pem)) => {
                let head = record.body_as().map(|body| bound_to(&body, record.at));
                let signer = head.and_then(|head| self.signer(pem, &words(run, &head), record.at));
                match signer {
                    Ok(signer) if signer == who => None,
                    Ok(signer) => says("forged_decision", format!("{signer} signed it")),
                    Err(why) => says("forged_decision", why),
                }
            }
        }
    }
}

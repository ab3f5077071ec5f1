//! A project of the factory, recomputed: every fact must follow from what the journal holds before
//! it, every decision must be its signer's, every brief must be the one that the table of rule
//! F9.7 gives; and the state store must be what all of it leads to.

use crate::decisions::{Moment, Signers};
use crate::finding::{Finding, finding};
use crate::specs::Specs;
use engine::factory::founded::unfounded;
use engine::factory::indexed;
use engine::factory::proven::Vouched;
use engine::factory::records::Expected;
use factory::machine::{Fact, Recorder};
use kernel::effect::Effect;
use kernel::machine::Activity;
use kernel::{Body, EffectId, Machine};
use std::collections::{BTreeMap, BTreeSet};
use store::{Objection, RecordRef, redact};
use workspace::project::Project;

/// Replays a project and looks at every record.
pub(crate) struct Walker {
    recorder: Recorder,
    expected: Expected,
    vouched: Vouched,
    specs: Specs,
    /// The hashes of the briefs of what is in flight.
    briefs: BTreeMap<EffectId, String>,
    /// Briefs that are kept under another hash than the machine's own.
    other_briefs: Vec<(u64, EffectId, String)>,
    evidence: BTreeSet<String>,
    /// Evidence under seal: on another machine there is nothing of it before the project is over.
    sealed: BTreeSet<String>,
    findings: Vec<Finding>,
}

impl Walker {
    pub(crate) fn new() -> Self {
        Self {
            recorder: Recorder::new(),
            expected: Expected::default(),
            vouched: Vouched::default(),
            specs: Specs::default(),
            briefs: BTreeMap::new(),
            other_briefs: Vec::new(),
            evidence: BTreeSet::new(),
            sealed: BTreeSet::new(),
            findings: Vec::new(),
        }
    }

    /// One record, with everything that can be doubted about it.
    pub(crate) fn take(
        &mut self,
        name: &str,
        record: &RecordRef<'_>,
        signers: &Signers,
    ) -> Result<(), Objection> {
        let event = report::look::event(record)?;
        if let Body::Noted(note) = &event.body {
            Fact::read(note)?;
        }
        self.findings
            .extend(signers.doubt(name, &event, record, Moment::Later));
        self.findings.extend(signers.waiver(name, &event, record));
        if let Some(what) = unfounded(self.recorder.machine(), &event) {
            self.findings
                .push(finding("unfounded_fact", record.seq, what));
        }
        match &event.body {
            Body::EffectBegan(began) => {
                let wanted = self.recorder.machine().wanted().into_iter();
                let mut briefs = wanted.filter_map(|effect| match effect {
                    Effect::Attempt(order) if order.id == began.effect => Some(order.brief),
                    _ => None,
                });
                if let Some(brief) = briefs.next() {
                    let hash = store::sha256_hex(brief.as_bytes());
                    self.briefs.insert(began.effect, hash);
                }
            }
            Body::AttemptEnded(ended) => {
                let kept = ended.outcome.evidence.iter();
                let kept = kept.filter(|kept| kept.name.ends_with(" brief"));
                let given = self.briefs.remove(&ended.effect);
                for kept in kept.filter(|kept| given.as_ref() != Some(&kept.hash)) {
                    let other = (record.seq, ended.effect, kept.hash.clone());
                    self.other_briefs.push(other);
                }
            }
            Body::GateEnded(ended) => self.vouched.take(&ended.results),
            _ => {}
        }
        let (sealed, open): (Vec<_>, Vec<_>) = evidence_of(&event)
            .into_iter()
            .partition(|kept| kept.sealed);
        self.sealed.extend(sealed.into_iter().map(|kept| kept.hash));
        self.evidence.extend(open.into_iter().map(|kept| kept.hash));
        self.evidence
            .extend(self.specs.take(record.seq, &event, self.recorder.machine()));
        self.expected.extend(self.recorder.take(&event));
        Ok(())
    }

    /// What is on disk against what all records lead to; how many pieces of evidence were hashed.
    pub(crate) fn end(mut self, project: &Project, name: &str) -> (usize, Vec<Finding>) {
        let machine = self.recorder.machine();
        let over = matches!(
            machine.status().activity,
            Activity::Done | Activity::Stopped
        );
        let mut findings = self.findings;
        let vault = project.vault();
        if let Ok(vault) = &vault {
            findings.extend(self.specs.faults(vault));
        }
        // What was under seal in a project that was over, and went on, is like any other.
        let (opened, shut): (BTreeSet<String>, BTreeSet<String>) =
            self.sealed.iter().cloned().partition(|hash| {
                over || vault.as_ref().is_ok_and(|vault| vault.get(hash).is_ok())
            });
        self.evidence.extend(opened);
        // On another machine there is nothing of the rest to be looked at.
        if let Some(sealed) = workspace::sealed::vault(project, name).ok().flatten() {
            let broken = sealed.verify_all(shut.iter().map(String::as_str));
            let broken = broken.iter();
            findings.extend(broken.map(|error| finding(error.code(), 0, error.to_string())));
        }
        let mut say = |code: &str, what: String| findings.push(finding(code, 0, what));
        match vault {
            Err(error) => say(&error.code.clone(), error.what),
            Ok(vault) => {
                let hashes = self.evidence.iter().map(String::as_str);
                for error in vault.verify_all(hashes) {
                    say(error.code(), error.to_string());
                }
                for (line, effect, hash) in &self.other_briefs {
                    // A key was taken out of it: then it cannot be the machine's own text.
                    let kept = vault.get(hash).unwrap_or_default();
                    if !String::from_utf8_lossy(&kept).contains(redact::MARK) {
                        let what = format!(
                            "line {line}: the brief of {effect} is not the one that its role was to get"
                        );
                        say("brief_differs", what);
                    }
                }
            }
        }
        for (code, what) in self.expected.faults(&project.home()) {
            say(code, what);
        }
        for (code, what) in self.vouched.faults(project, machine) {
            say(code, what);
        }
        for what in indexed::faults(project, machine) {
            say("index_differs", what);
        }
        for what in engine::factory::branch_faults(project, name, machine) {
            say("release_differs", what);
        }
        for what in engine::factory::standing_faults(project, name, machine) {
            say("view_differs", what);
        }
        (self.evidence.len(), findings)
    }
}

/// The hashes of everything that an event rests on.
fn evidence_of(event: &kernel::Event) -> Vec<kernel::outcome::EvidenceRef> {
    let hash = kernel::outcome::EvidenceRef::clone;
    match &event.body {
        kernel::Body::AttemptEnded(ended) => ended.outcome.evidence.iter().map(hash).collect(),
        kernel::Body::GateEnded(ended) => {
            let all = ended.results.iter().flat_map(|result| &result.evidence);
            all.map(hash).collect()
        }
        // What cannot be read has its finding elsewhere.
        kernel::Body::Noted(note) => factory::machine::Fact::read(note).map_or_else(
            |_| Vec::new(),
            |fact| fact.evidence().into_iter().map(hash).collect(),
        ),
        _ => Vec::new(),
    }
}

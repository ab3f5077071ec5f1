//! Who decided, checked again: a signature must be of the person that the journal names, over the very
//! words and the very moment that it records. It refuses a name that nothing vouches for.

use crate::finding::{Asked, Finding, Rigour, finding};
use approval::{SIGNED, Words};
use engine::start::STARTED;
use engine::wave::folder::Waived;
use kernel::{Body, Event, Time};
use std::collections::BTreeMap;
use store::RecordRef;
use workspace::error::EngineError;
use workspace::project::Project;

/// Where those who may sign are listed, from the repository's top.
pub(crate) const APPROVERS: &str = ".proofhouse/approvers";

/// When something was decided.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Moment {
    /// Before anybody worked, and it is what starting a run says.
    Start,
    /// Any other.
    Later,
}

/// Who may sign, and how much is asked.
pub(crate) struct Signers {
    approvers: Option<String>,
    /// Who is listed here besides, where a run names its own: whoever lists themselves on a branch of their own and
    /// begins there is nobody on any other.
    here: Option<String>,
    rigour: Rigour,
    given: Given,
    /// Does a key file sign for nobody? A guest works in the run, and may be able to read it.
    touch: bool,
    /// Who waived the sandbox of which milestone; the audit of milestones looks at their signatures.
    pub(crate) milestones: BTreeMap<String, Waived>,
}

/// Who says who may sign.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Given {
    /// The repository as it lies here; a run may have said at its start.
    Here,
    /// Where a change is to go: neither the change nor its runs can name anybody else.
    ThereAlone,
}

impl Signers {
    pub(crate) fn of(project: &Project, asked: Asked<'_>) -> Result<Self, EngineError> {
        let there = match asked.span {
            Some(span) => span.there(project.top(), APPROVERS)?,
            None => None,
        };
        let given = match there {
            Some(_) => Given::ThereAlone,
            // Nobody is named there, so nobody is passed over.
            None => Given::Here,
        };
        Ok(Self {
            approvers: match there {
                Some(there) => Some(there),
                None => project.read_approvers()?,
            },
            here: None,
            rigour: asked.rigour,
            given,
            touch: false,
            milestones: engine::wave::folder::waivers(&project.at_top()),
        })
    }

    /// The signers of a run that takes signed decisions alone, if this is where it says so.
    pub(crate) fn pinned(&self, event: &Event) -> Option<Self> {
        let Body::RunStarted(started) = &event.body else {
            return None;
        };
        let signers = started.signers.as_ref()?;
        Some(Self {
            approvers: match self.given {
                Given::Here => Some(signers.clone()),
                Given::ThereAlone => self.approvers.clone(),
            },
            here: self.approvers.clone(),
            rigour: Rigour::Ci,
            given: self.given,
            touch: started.unconfined,
            milestones: self.milestones.clone(),
        })
    }

    /// What is doubtful about a record, if it is an attempt of a guest's whom the run's first record hides.
    pub(crate) fn hidden_guest(&self, event: &Event, record: &RecordRef<'_>) -> Option<Finding> {
        let Body::AttemptEnded(ended) = &event.body else {
            return None;
        };
        (ended.outcome.unconfined && !self.touch).then(|| {
            let what = "a guest worked, and the run was not begun for one: its decisions need not have been signed".to_owned();
            finding("guest_uninvited", record.seq, what)
        })
    }

    /// What is doubtful about a record, if it is a decision.
    pub(crate) fn doubt(
        &self,
        run: &str,
        event: &Event,
        record: &RecordRef<'_>,
        moment: Moment,
    ) -> Option<Finding> {
        let Body::Decided(decision) = &event.body else {
            return None;
        };
        let says = |code: &str, why: String| {
            let what = format!("`{}` by {}: {why}", decision.option, decision.who);
            Some(finding(code, record.seq, what))
        };
        if decision.channel == STARTED && moment == Moment::Later {
            let why = "nobody says that by starting a run, or not at this place".to_owned();
            return says("forged_decision", why);
        }
        if !approval::binds(&decision.because, &decision.with) {
            let why = "it carries what nobody has signed".to_owned();
            return says("forged_decision", why);
        }
        if decision.channel == STARTED {
            return None;
        }
        let words = Words {
            run,
            seq: decision.seen_seq,
            // A decision follows at once on what the person saw, or it is not written at all.
            head: record.prev,
            tree: &decision.tree,
            option: &decision.option,
            because: &decision.because,
        };
        let signature = decision.signature.as_deref();
        let doubt = self.vouches(
            &words,
            &decision.who,
            &decision.channel,
            signature,
            event.at,
        );
        doubt.and_then(|(code, why)| says(code, why))
    }

    /// Does the channel vouch for these words of this person? If not: a code and why.
    pub(crate) fn vouches(
        &self,
        words: &Words<'_>,
        who: &str,
        channel: &str,
        signature: Option<&str>,
        at: Time,
    ) -> Option<(&'static str, String)> {
        match (channel.starts_with(SIGNED), signature) {
            (true, None) => Some(("signature_missing", "it is said to be signed".to_owned())),
            (false, None) if self.wants_signatures() => {
                let why = format!("through `{channel}`, though decisions are signed here");
                Some(("unsigned_decision", why))
            }
            (false, None) => None,
            // A signature counts whatever the channel says: leaving a lie unread helps nobody.
            (_, Some(pem)) => match self.signer(words, pem, at) {
                Ok(signer) if signer == who => None,
                Ok(signer) => Some(("forged_decision", format!("{signer} signed it"))),
                Err(why) => Some(("forged_decision", why)),
            },
        }
    }

    /// How much is asked.
    pub(crate) fn rigour(&self) -> Rigour {
        self.rigour
    }

    /// Did somebody decide without a signature where there is a list of who may sign? Only `--ci` asks for it.
    pub(crate) fn is_unsigned(&self, event: &Event) -> bool {
        let Body::Decided(decision) = &event.body else {
            return false;
        };
        let unsigned = decision.signature.is_none() && decision.channel != STARTED;
        unsigned && self.rigour == Rigour::Usual && self.approvers.is_some()
    }

    fn wants_signatures(&self) -> bool {
        self.rigour == Rigour::Ci && self.approvers.is_some()
    }

    /// Whose signature over these words it is, or why it is nobody's: a text, which becomes a finding.
    fn signer(&self, words: &Words<'_>, pem: &str, at: Time) -> Result<String, String> {
        let approvers = self.approvers.as_deref();
        let approvers = approvers.ok_or("there is no .proofhouse/approvers to check it with")?;
        let by = |list: &str| approval::verify(list, pem, words, at).map_err(why);
        let signer = by(approvers)?;
        if let Some(here) = &self.here {
            let found = by(here)?;
            if found.principal != signer.principal {
                return Err(format!(
                    "{} is called {} here",
                    signer.principal, found.principal
                ));
            }
        }
        match self.touch && !signer.touch {
            true => Err("a guest works in the run, and a key file signed it".to_owned()),
            false => Ok(signer.principal),
        }
    }
}

/// Why a signature is nobody's.
fn why(error: EngineError) -> String {
    match error.code.as_str() {
        "signer_unknown" => format!(
            "{}; of somebody who has left since, list the key again with `valid-before`, and what they signed until then holds",
            error.what
        ),
        _ => error.what,
    }
}

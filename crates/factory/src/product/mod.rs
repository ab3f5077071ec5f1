//! The product loop (rule F3.2): from a person's `SPEC.md` to a complete spec that a person has
//! approved. One role drafts, the engine judges, a person decides.
//!
//! It refuses to judge a spec by what an agent says of it, to ask for ever, and to approve anything
//! but the bytes that were shown.

mod brief;
pub mod escalation;
mod judge;

pub(crate) use brief::{ASKED, ENDS, ENDS_SAID};
pub use brief::{brief, sight};
pub use judge::judge;

use crate::engineering::patience::{After, Patience};
use crate::engineering::work::Answer;
use crate::plan::further::Further;
use crate::project::Declared;
use kernel::ledger::{LOST_AGAIN, MOST_LOSSES};
use kernel::outcome::{CheckResult, Class, EvidenceRef, Outcome, Verdict};
use kernel::{EffectId, Time};
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// The role's name.
pub const ROLE: &str = "product";
/// The state that it works in.
pub const STATE: &str = "specify";
/// The state in which the engine judges what it left.
pub const GATE: &str = "judge_spec";
/// The check of that gate.
pub const CHECK: &str = "spec_complete";
/// The folder of the loop, below `.proofhouse/`.
pub const FOLDER: &str = "state_store/product";
/// Where the person's documents lie for the role, below [`FOLDER`]: not beside `spec.md`, which is the
/// same name to some file systems.
pub const GIVEN: &str = "given";
/// The released spec of a project that goes on, below [`GIVEN`].
pub const RELEASED: &str = "released.json";
/// Where a draft lies, below [`FOLDER`].
pub const DRAFT: &str = "draft/spec.json";
/// Names under which the gate's evidence is kept.
pub const SPEC: &str = "spec.json";
/// The rendered spec, with warnings and sources.
pub const PAGE: &str = "spec.md";
/// Everything that the judgement found.
pub const REPORT: &str = "deficiencies.json";
/// What the engine's own tools looked up, one record per line.
pub const RESEARCH: &str = "research";

/// How often an incomplete draft is sent back, after each word of a person.
pub const MOST_REDRAFTS: u32 = 4;
/// From so many AMENDs in a row, the person is advised (rule F3.2.4).
pub const MANY_AMENDS: usize = 3;
/// More sources than this nobody reads; the rest is counted.
const MOST_SOURCES: usize = 200;

/// What a person began with.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Began {
    /// The person's `SPEC.md`, kept by its hash.
    pub spec: EvidenceRef,
    /// Other documents, each under the name that the role sees.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub with: Vec<EvidenceRef>,
    /// How many tasks may be in progress at once, later.
    pub jobs: u32,
    /// Attempts that each task adds to the budget; none: the person set the cap.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub attempts_per_task: Option<u64>,
    /// The form of the briefs that its tasks will have; none in a journal of before.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub briefs: Option<u32>,
    /// Whether modules will have exams; none in a journal of before.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub exams: Option<crate::engineering::exam::Exams>,
    /// The released spec, as people left it, of which this is to be a further version.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub released: Option<EvidenceRef>,
    /// Attempts that the budget must have left for the loop; none: as it was started.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub attempts: Option<u64>,
}

/// A spec that waits for a person: the very bytes, and what was said of them.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Shown {
    pub spec: EvidenceRef,
    /// As people read it.
    pub page: EvidenceRef,
    /// The report of its validation, with the warnings.
    pub report: EvidenceRef,
}

/// How far the loop is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum At {
    /// The role works.
    Drafting,
    /// The engine judges its draft.
    Judging,
    /// A person must decide.
    Shown,
    /// The role could not complete it; a person must help.
    Spent,
    /// A person approved it.
    Approved,
}

/// What of the desk the role's next attempt finds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Leftovers {
    /// Nothing: a fresh start.
    Cleared,
    /// What it left there.
    Kept,
}

/// One step of the loop, as it is journaled.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ProductStep {
    /// The role says that it is done; the engine judges.
    Drafted {
        /// What our own tools looked up for it.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        research: Option<EvidenceRef>,
        /// Sources that the role names itself; nobody saw it use them.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        named: Vec<String>,
    },
    /// The draft is complete and waits for a person.
    Shown(Shown),
    /// It is not complete.
    Refused {
        /// The draft, if there was one.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        draft: Option<EvidenceRef>,
        /// All deficiencies.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        report: Option<EvidenceRef>,
        /// As the next brief says them.
        deficiencies: Vec<String>,
    },
    /// The attempt ended badly; the same question again.
    Again {
        why: String,
        not_before: Option<Time>,
        /// Go on with this attempt.
        continues: Option<EffectId>,
    },
    /// More attempts would change nothing: a person must mend the environment.
    Stuck(String),
    /// The attempts kept ending badly.
    GaveUp(String),
}

/// What should be in flight.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Want {
    Draft,
    Judgement,
}

/// An approved spec whose tasks are being declared.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Approved {
    /// `SPEC-NNN`.
    pub spec_id: String,
    pub spec_version: String,
    /// Its tasks, in their order of declaration.
    pub tasks: Vec<Declared>,
    /// What comes out at the end.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub product: Option<crate::delivery::promised::Promised>,
    /// What becomes of the released tasks.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub further: Option<Further>,
}

/// The product loop of a project.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Product {
    pub began: Began,
    pub at: At,
    /// Attempts that ended, ever.
    pub ended: u32,
    /// Incomplete drafts since a person's last word.
    pub refusals: u32,
    /// Of the present question.
    pub patience: Patience,
    /// Who came back and was not heard yet.
    pub answer: Option<Answer>,
    /// What a person must mend.
    pub stuck: Option<String>,
    /// Judgements that were lost in a row.
    #[serde(default)]
    pub losses: u32,
    /// The attempt that left the newest draft.
    pub attempt: Option<EffectId>,
    /// What the next attempt finds.
    pub desk: Leftovers,
    /// The newest draft.
    pub draft: Option<EvidenceRef>,
    /// What is wrong with it.
    pub deficiencies: Vec<String>,
    /// All of that.
    pub report: Option<EvidenceRef>,
    /// What was looked up since the last fresh start.
    pub research: Vec<EvidenceRef>,
    /// Sources that the role named since then.
    pub named: Vec<String>,
    /// Why people rejected earlier specs.
    pub rejections: Vec<String>,
    /// What people want changed, since the last fresh start.
    pub feedback: Vec<String>,
    /// What waits for a person, or was approved.
    pub shown: Option<Shown>,
    /// While tasks are being declared.
    pub approved: Option<Approved>,
    /// Since when the role cannot go on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub spent: Option<Time>,
}

impl Product {
    /// A loop at its beginning.
    pub fn new(began: Began) -> Self {
        Self {
            began,
            at: At::Drafting,
            ended: 0,
            refusals: 0,
            patience: Patience::default(),
            answer: None,
            stuck: None,
            losses: 0,
            attempt: None,
            desk: Leftovers::Cleared,
            draft: None,
            deficiencies: Vec::new(),
            report: None,
            research: Vec::new(),
            named: Vec::new(),
            rejections: Vec::new(),
            feedback: Vec::new(),
            shown: None,
            approved: None,
            spent: None,
        }
    }

    /// What should be in flight; none while there is something to draw from the state first.
    pub fn want(&self) -> Option<Want> {
        if self.answer.is_some() || self.stuck.is_some() {
            return None;
        }
        match self.at {
            At::Drafting => Some(Want::Draft),
            At::Judging => Some(Want::Judgement),
            At::Shown | At::Spent | At::Approved => None,
        }
    }

    /// The advice of rule F3.2.4, once it is due. It binds nobody.
    pub fn advice(&self) -> Option<String> {
        let count = self.feedback.len();
        (count >= MANY_AMENDS && self.at != At::Approved).then(|| {
            format!(
                "{count} AMENDs in a row: consider APPROVE with the known limitations, or REJECT to start again from revised requirements"
            )
        })
    }

    /// The next step that follows from the state alone.
    pub fn next(&self, at: Time) -> Option<ProductStep> {
        if self.stuck.is_some() {
            return None;
        }
        Some(match self.answer.as_ref()? {
            Answer::Attempt(effect, outcome) => self.drafted(*effect, outcome, at),
            Answer::Gate(results) => judged(results),
        })
    }

    fn drafted(&self, effect: EffectId, outcome: &Outcome, at: Time) -> ProductStep {
        if let (Class::Done, Some(result)) = (outcome.class, &outcome.result) {
            return ProductStep::Drafted {
                research: kept(&outcome.evidence, RESEARCH),
                named: named(result),
            };
        }
        match self.patience.after(effect, outcome, at) {
            After::Again {
                why,
                not_before,
                continues,
            } => ProductStep::Again {
                why,
                not_before,
                continues,
            },
            After::Stuck(why) => ProductStep::Stuck(why),
            After::Spent(why) => ProductStep::GaveUp(why),
        }
    }

    /// Takes a step in.
    pub fn take(&mut self, step: &ProductStep) {
        if let Some(Answer::Attempt(effect, outcome)) = self.answer.take() {
            self.ended += 1;
            self.attempt = Some(effect);
            // It was looked up, however the attempt ended.
            self.research.extend(kept(&outcome.evidence, RESEARCH));
        }
        if let ProductStep::Again {
            why,
            not_before,
            continues,
        } = step
        {
            self.patience.again(why, *not_before, *continues);
            return;
        }
        self.patience = Patience::default();
        self.losses = 0;
        match step {
            ProductStep::Drafted { named, .. } => {
                self.at = At::Judging;
                self.desk = Leftovers::Kept;
                let new = named.iter().filter(|one| !self.named.contains(one));
                let new: Vec<String> = new.cloned().collect();
                self.named.extend(new);
                self.named.truncate(MOST_SOURCES);
            }
            ProductStep::Shown(shown) => {
                self.at = At::Shown;
                self.draft = Some(shown.spec.clone());
                self.report = Some(shown.report.clone());
                self.deficiencies.clear();
                self.shown = Some(shown.clone());
            }
            ProductStep::Refused {
                draft,
                report,
                deficiencies,
            } => {
                self.refusals += 1;
                let spent = self.refusals > MOST_REDRAFTS;
                self.at = if spent { At::Spent } else { At::Drafting };
                self.draft.clone_from(draft);
                self.report.clone_from(report);
                self.deficiencies.clone_from(deficiencies);
            }
            ProductStep::Stuck(why) => self.stuck = Some(why.clone()),
            ProductStep::GaveUp(why) => {
                self.at = At::Spent;
                self.deficiencies = vec![why.clone()];
            }
            ProductStep::Again { .. } => {}
        }
    }

    /// What was in flight was lost. A judgement is wanted again, and not for ever.
    pub fn lost(&mut self) {
        self.patience.continues = None;
        self.losses += u32::from(self.at == At::Judging);
        if self.losses >= MOST_LOSSES {
            self.stuck = Some(LOST_AGAIN.to_owned());
        }
    }

    /// A person rejected it: everything begins again, with the reasons and without the draft.
    pub fn reject(&mut self, reasons: &str) {
        let mut rejections = std::mem::take(&mut self.rejections);
        rejections.push(reasons.to_owned());
        *self = Self {
            rejections,
            ended: self.ended,
            ..Self::new(self.began.clone())
        };
    }

    /// A person wants it changed: the draft stays.
    pub fn amend(&mut self, feedback: &str) {
        self.feedback.push(feedback.to_owned());
        self.shown = None;
        if self.at == At::Judging {
            // A newer draft than the one that was kept lies on the desk, and nobody judged it.
            (self.draft, self.report) = (None, None);
            self.deficiencies.clear();
        }
        self.retry();
        self.at = At::Drafting;
    }

    /// The same question again, as often as at first: a person said so.
    pub fn retry(&mut self) {
        self.at = match self.at {
            // Only the environment was in the way of the judgement.
            At::Judging => At::Judging,
            _ => At::Drafting,
        };
        (self.stuck, self.spent) = (None, None);
        (self.refusals, self.losses) = (0, 0);
        self.patience = Patience::default();
    }
}

fn kept(evidence: &[EvidenceRef], name: &str) -> Option<EvidenceRef> {
    let mut all = evidence.iter();
    // Evidence of an attempt is named after it: `e3 specify research`.
    all.find(|one| one.name == name || one.name.ends_with(&format!(" {name}")))
        .cloned()
}

/// The sources that a result names, however it was made.
fn named(result: &Value) -> Vec<String> {
    let listed = result["sources"].as_array().into_iter().flatten();
    let texts = listed.filter_map(Value::as_str);
    texts.take(MOST_SOURCES).map(str::to_owned).collect()
}

fn judged(results: &[CheckResult]) -> ProductStep {
    let Some(result) = results.first() else {
        return ProductStep::Stuck("the draft was not judged".to_owned());
    };
    // A second one is the engine's word that its own disk failed.
    if let Some(broken) = results
        .iter()
        .find(|one| one.verdict == Verdict::CouldNotRun)
    {
        return ProductStep::Stuck(broken.reason.clone());
    }
    let of = |name| kept(&result.evidence, name);
    match (result.verdict, of(SPEC), of(PAGE), of(REPORT)) {
        (Verdict::Pass, Some(spec), Some(page), Some(report)) => {
            ProductStep::Shown(Shown { spec, page, report })
        }
        (Verdict::Pass, ..) => ProductStep::Stuck("the draft was judged and not kept".to_owned()),
        (Verdict::Fail | Verdict::CouldNotRun, draft, _, report) => ProductStep::Refused {
            draft,
            report,
            deficiencies: result.reason.lines().map(str::to_owned).collect(),
        },
    }
}

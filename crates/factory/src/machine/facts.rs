//! What survives of a project: every fact that the factory journals as `noted.v1`, each with a name
//! and a version of its own. What is not in this list is not known.

use crate::delivery::manifest::{Building, Manifest, Scope};
use crate::delivery::promised::Promised;
use crate::engineering::exam::Exams;
use crate::engineering::work::Step;
use crate::halt::change::ChangeStep;
use crate::halt::exception::ExceptionDecision;
use crate::halt::resolution::Resolution;
use crate::micro_plan::Plan;
use crate::plan::further::Further;
use crate::product::{Began, ProductStep};
use crate::project::Declared;
use crate::project::types::{EscalationId, ExceptionId, ModuleRef, TaskId, Version};
use kernel::{EvidenceRef, Note, Refusal};
use serde::{Deserialize, Serialize};
use serde_json::Value;

macro_rules! facts {
    ($($(#[$doc:meta])* $variant:ident($type:ty) = $name:literal,)*) => {
        /// A fact of the factory.
        #[derive(Debug, Clone, PartialEq)]
        pub enum Fact { $($(#[$doc])* $variant($type),)* }

        impl Fact {
            /// Every name that this version reads and writes.
            pub const NAMES: &'static [&'static str] = &[$($name),*];

            /// As it is journaled.
            pub fn note(&self) -> Note {
                match self {
                    $(Fact::$variant(body) => Note {
                        name: $name.to_owned(),
                        body: serde_json::to_value(body)
                            .expect("stored structs have string keys and no failing serializers"),
                    },)*
                }
            }

            /// Reads a journaled fact.
            pub fn read(note: &Note) -> Result<Self, Refusal> {
                match note.name.as_str() {
                    $($name => <$type as Deserialize>::deserialize(&note.body)
                        .map(Fact::$variant)
                        .map_err(|error| malformed(note, &error)),)*
                    _ => Err(Refusal::new(
                        "note_unknown",
                        format!("the factory knows no `{}`", note.name),
                        "was it written by a newer version?",
                    )),
                }
            }
        }
    };
}

impl Fact {
    /// The pieces of evidence that it names: a person's documents, a draft, what was said of it.
    pub fn evidence(&self) -> Vec<&EvidenceRef> {
        match self {
            Fact::ProductBegan(began) => {
                let given = std::iter::once(&began.spec).chain(&began.with);
                given.chain(&began.released).collect()
            }
            Fact::ProductStepped(stepped) => match &stepped.step {
                ProductStep::Drafted { research, .. } => research.iter().collect(),
                ProductStep::Shown(shown) => vec![&shown.spec, &shown.page, &shown.report],
                ProductStep::Refused { draft, report, .. } => draft.iter().chain(report).collect(),
                ProductStep::Again { .. } | ProductStep::Stuck(_) | ProductStep::GaveUp(_) => {
                    Vec::new()
                }
            },
            Fact::ReleaseJudged(manifest) => {
                let product = manifest.product.as_ref();
                product
                    .and_then(|one| one.files.as_ref())
                    .into_iter()
                    .collect()
            }
            _ => Vec::new(),
        }
    }
}

fn malformed(note: &Note, error: &serde_json::Error) -> Refusal {
    Refusal::new(
        "note_malformed",
        format!("the body of `{}`: {error}", note.name),
        "give it the members that its kind has",
    )
}

facts! {
    /// A person's `SPEC.md` is to become a spec.
    ProductBegan(Box<Began>) = "product_began.v1",
    /// The product loop made a step.
    ProductStepped(Box<ProductStepped>) = "product_stepped.v1",
    /// A person approved the spec.
    SpecApproved(SpecApproved) = "spec_approved.v1",
    /// A person rejected it.
    SpecRejected(SpecRejected) = "spec_rejected.v1",
    /// A person wants it changed.
    SpecAmended(SpecAmended) = "spec_amended.v1",
    /// Some tasks of the approved spec; large projects declare in parts.
    TasksDeclared(TasksDeclared) = "tasks_declared.v1",
    /// All tasks are declared; work may begin.
    ProjectOpened(Box<ProjectOpened>) = "project_opened.v1",
    /// A task went to the engineering loop.
    TaskDispatched(TaskDispatched) = "task_dispatched.v1",
    /// Its loop made a step.
    EngineeringStepped(Box<EngineeringStepped>) = "engineering_stepped.v1",
    /// All its modules are shipped.
    TaskShipped(TaskShipped) = "task_shipped.v1",
    /// It needs a person.
    TaskHalted(TaskHalted) = "task_halted.v1",
    /// A person resolved it.
    TaskResolved(Box<TaskResolved>) = "task_resolved.v1",
    /// A person ruled on an exception.
    ExceptionDecided(ExceptionDecided) = "exception_decided.v1",
    /// The debate on a changed contract made a step.
    ChangeStepped(Box<ChangeStepped>) = "change_stepped.v1",
    /// A release is being judged.
    ReleaseBegan(ReleaseBegan) = "release_began.v1",
    /// It was.
    ReleaseJudged(Box<Manifest>) = "release_judged.v1",
    /// A person deprecated a module.
    ModuleDeprecated(ModuleDeprecated) = "module_deprecated.v1",
    /// A person extended a budget.
    BudgetExtended(BudgetExtended) = "budget_extended.v1",
    /// A person mended what a task was stuck on.
    TroubleMended(TroubleMended) = "trouble_mended.v1",
    /// Tasks whose modules use what another version has taken the place of are made once more.
    TasksReopened(TasksReopened) = "tasks_reopened.v1",
    /// Modules that no task needs any more are deprecated, before anything is released.
    ModulesRetired(ModulesRetired) = "modules_retired.v1",
    /// A person stopped the run.
    RunStopped(RunStopped) = "run_stopped.v1",
    /// A decision came too late to be carried out.
    DecisionVoid(DecisionVoid) = "decision_void.v1",
}

/// The product loop made a step.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ProductStepped {
    pub step: ProductStep,
}

/// A person approved the spec; its tasks are in the decision before.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SpecApproved {
    /// The hash of the very bytes.
    pub spec: String,
    /// `SPEC-NNN`.
    pub spec_id: String,
    pub spec_version: String,
    pub who: String,
}

/// A person rejected the spec.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SpecRejected {
    /// Why; the next attempt starts with it.
    pub reasons: String,
    pub who: String,
}

/// A person wants the spec changed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SpecAmended {
    pub feedback: String,
    pub who: String,
}

/// Some tasks.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TasksDeclared {
    /// In their order of declaration, after those before.
    pub tasks: Vec<Declared>,
}

/// Work may begin.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ProjectOpened {
    /// The project's id.
    pub project_id: String,
    /// The approved spec's version.
    pub spec_version: String,
    /// How many tasks may be in progress at once.
    pub jobs: u32,
    /// Attempts that the budget must have left for them; none: as it was started.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub attempts: Option<u64>,
    /// The hash of the spec that it was started with, as it is kept among the evidence; none: the
    /// one that a person approved, or a journal of before.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub spec: Option<String>,
    /// The form of its briefs, `engineering::context::BRIEFS`; none in a journal of before.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub briefs: Option<u32>,
    /// What comes out at the end; none: the spec says nothing of it, or a journal of before.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub product: Option<Promised>,
    /// Whether its modules have exams; none in a journal of before.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub exams: Option<Exams>,
    /// What becomes of the tasks of the released version; none: there is none before it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub further: Option<Further>,
}

/// A task went to the engineering loop.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TaskDispatched {
    pub task: TaskId,
}

/// Its loop made a step.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct EngineeringStepped {
    pub task: TaskId,
    pub step: Step,
}

/// All its modules are shipped.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TaskShipped {
    pub task: TaskId,
    /// In order.
    pub modules: Vec<ModuleRef>,
}

/// It needs a person.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TaskHalted {
    pub task: TaskId,
    /// A stable word.
    pub code: String,
    pub escalation: EscalationId,
    /// The exception, if that is why.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub exception: Option<ExceptionId>,
}

/// A person resolved it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TaskResolved {
    pub task: TaskId,
    pub resolution: Resolution,
    pub who: String,
    /// The tasks of a split, with their ids.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tasks: Vec<Declared>,
    /// The plan of a revision, judged.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub plan: Option<Plan>,
}

/// The contract that a change leads to.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Candidate {
    pub version: Version,
    pub contract: Value,
}

/// A person ruled on an exception.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ExceptionDecided {
    /// The ruling: a record of its own.
    pub decision: ExceptionDecision,
    /// What is debated, after an approval.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub candidate: Option<Candidate>,
}

/// The debate on a changed contract made a step.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ChangeStepped {
    pub exception: ExceptionId,
    pub step: ChangeStep,
}

/// A release is being judged.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ReleaseBegan {
    /// `REL-...`.
    pub release_id: String,
    /// All or some.
    pub scope: Scope,
    pub modules: Vec<ModuleRef>,
    /// Whether the product is put together; none: there is none in this release.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub product: Option<Building>,
}

/// A person deprecated a module.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ModuleDeprecated {
    pub module: ModuleRef,
    /// What to use instead.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub superseded_by: Option<ModuleRef>,
    /// Reason, time and migration, as they go into the entry.
    pub note: String,
    /// Those that use it, found in the index.
    pub users: Vec<ModuleRef>,
}

/// A person extended a budget.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct BudgetExtended {
    pub budget: String,
}

/// A person mended what tasks were stuck on.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TroubleMended {
    pub tasks: Vec<TaskId>,
}

/// Tasks are made once more.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TasksReopened {
    pub tasks: Vec<Reopened>,
}

/// A task whose module was built against a contract that is not in use any more.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Reopened {
    pub task: TaskId,
    /// Its module.
    pub module: ModuleRef,
    /// What that uses.
    pub uses: ModuleRef,
    /// What has taken its place.
    pub now: ModuleRef,
}

/// Modules that no task needs any more.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ModulesRetired {
    pub modules: Vec<ModuleRef>,
    /// As it goes into their entries.
    pub note: String,
}

/// A person stopped the run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RunStopped {
    pub who: String,
}

/// A decision came too late.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct DecisionVoid {
    /// Why.
    pub refusal: Refusal,
}

//! The engineering loop of one task (rule F3.4): a locked plan, its modules one after the other,
//! and what became of each. It knows of other tasks only what is shipped.

use super::asked::Asked;
use super::debate::{At, Checked, Debate, Move, Now, Said};
use super::exam::{self, Exams, Then};
use super::held::{Held, settled};
use super::kind::{CONTINUES, HOLDS, Kind, TELLS};
use super::patience::{After, Patience};
use super::reuse::{Offered, Unmet, misreused, unfit, unmet};
use super::roles::Role;
use crate::debate::Trail;
use crate::delivery::registry::Origin;
use crate::exception::RAISED;
use crate::halt::exception::{self, Raised};
use crate::micro_plan::{self, Misplan, Plan, PlanFault, PlannedModule, ReuseDecision};
use crate::project::types::{ModuleId, ModuleRef, Version};
use kernel::ledger::{LOST_AGAIN, MOST_LOSSES};
use kernel::outcome::{CheckResult, Class, Outcome, Verdict};
use kernel::{EffectId, Time};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

pub use super::step::{Answer, Elsewhere, End, Fate, Found, Module, Step, Want};

/// How often a plan is asked for again.
pub const MOST_PLAN_RETRIES: u32 = 2;

/// The loop of one task.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Work {
    /// The locked plan.
    pub plan: Option<Plan>,
    /// The attempt that made it; none: a person did.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub planned: Option<EffectId>,
    /// Which of a person's plans it is.
    #[serde(default)]
    pub revision: u32,
    /// The last plan that was refused.
    pub refused: Option<(Value, Vec<PlanFault>)>,
    /// Needs of refused plans that no candidate met: they do not change any more.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub unmet: Vec<Unmet>,
    /// Plans refused.
    pub plan_refusals: u32,
    /// In the plan's order of declaration.
    pub modules: Vec<Module>,
    /// Who came back and was not heard yet.
    pub answer: Option<Answer>,
    /// Of the present question.
    pub patience: Patience,
    /// What a person must mend.
    pub stuck: Option<String>,
    /// Gates of the present step that were lost in a row.
    #[serde(default)]
    pub losses: u32,
    /// The exception that halted it.
    pub raised: Option<Box<Raised>>,
    /// Whether its modules have exams; none in a project of before.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub exams: Option<Exams>,
    pub end: Option<End>,
}

/// What a loop is told about the rest of the project: only what is shipped.
pub trait Surroundings {
    /// What is shipped upstream of a module of this loop.
    fn upstream(&self, work: &Work, module: usize) -> Vec<ModuleRef>;
    /// The version that a module would be shipped under.
    fn next_version(&self, module: &PlannedModule) -> Version;
    /// What is there to be reused under a reference?
    fn offered(&self, reference: &ModuleRef) -> Offered;
    /// What the task makes.
    fn kind(&self) -> Kind {
        Kind::Modules
    }
    /// The form of briefs that the project began with: it goes on by the rules that came with it.
    fn briefs(&self) -> u32 {
        0
    }
    /// What the task asks for.
    fn asked(&self) -> Vec<Asked> {
        Vec::new()
    }
    /// A module of the project that has this id, or one that people would take it for, and that is not
    /// just being made by this task.
    fn namesake(&self, _: &ModuleId) -> Option<ModuleId> {
        None
    }
}

impl Work {
    /// The module whose turn it is.
    pub fn active(&self) -> Option<usize> {
        self.modules
            .iter()
            .position(|module| module.fate == Fate::Active)
    }

    /// Modules that will never be tried: something that they depend on failed.
    pub fn abandoned(&self) -> Vec<usize> {
        let Some(plan) = &self.plan else {
            return Vec::new();
        };
        let failed =
            (0..self.modules.len()).filter(|at| matches!(self.modules[*at].fate, Fate::Failed(_)));
        let mut all: Vec<usize> = failed.flat_map(|at| plan.dependants(at)).collect();
        all.retain(|at| self.modules[*at].fate == Fate::Waiting);
        all.sort_unstable();
        all.dedup();
        all
    }

    /// The version of the module that is at work.
    pub fn reference(&self, module: usize) -> Option<ModuleRef> {
        let plan = self.plan.as_ref()?;
        Some(ModuleRef {
            module: plan.modules.get(module)?.module_id.clone(),
            version: self.modules.get(module)?.version,
        })
    }

    /// Where the module that is at work comes from.
    pub fn origin(&self, module: usize) -> Origin {
        Origin {
            opened: self.modules.get(module).and_then(|one| one.opened),
            planned: self.planned,
            revision: self.revision,
            exception: None,
            from: self.found(module).map(|one| one.from.clone()),
        }
    }

    /// What was found of a module of another project.
    fn found(&self, module: usize) -> Option<&Found> {
        self.modules.get(module)?.elsewhere.as_ref()?.found.as_ref()
    }

    /// What should be in flight; none while there is something to draw from the state first.
    pub fn want(&self) -> Option<Want> {
        let waits = self.stuck.is_some() || self.raised.is_some();
        if self.answer.is_some() || self.end.is_some() || waits {
            return None;
        }
        if self.plan.is_none() {
            return (self.plan_refusals <= MOST_PLAN_RETRIES).then_some(Want::Plan);
        }
        let at = self.active()?;
        if self.modules[at].elsewhere.is_some() && self.found(at).is_none() {
            return Some(Want::Seek(at));
        }
        Some(match self.modules[at].debate.at {
            At::Ship(step) => Want::Ship(at, step),
            At::Try => Want::Try(at),
            At::Seal => Want::Seal(at),
            At::Sit => Want::Sit(at),
            turn => {
                let (role, occasion) = turn.role()?;
                Want::Role(at, role, occasion)
            }
        })
    }

    /// How often the present question was asked before, whatever came of it.
    pub fn asked(&self) -> u32 {
        let again = self.patience.asked();
        let debate = self.active().map(|at| &self.modules[at].debate);
        let Some(debate) = debate else {
            return again + self.plan_refusals;
        };
        again
            + match (&debate.exam, debate.at) {
                (Some(exam), At::Examine) => exam.rounds + exam.refusals,
                _ => debate.revisions + debate.complaints,
            }
    }

    /// The next step that follows from the state alone.
    pub fn next(&self, around: &dyn Surroundings, at: Time) -> Option<Step> {
        if self.end.is_some() || self.stuck.is_some() {
            return None;
        }
        if let Some(answer) = &self.answer {
            return Some(self.heard(answer, around, at));
        }
        if self.raised.is_some() {
            return Some(self.halted("interface_change_exception"));
        }
        let Some(plan) = &self.plan else {
            let spent = self.plan_refusals > MOST_PLAN_RETRIES;
            return spent.then(|| self.halted("plan_invalid"));
        };
        if self.active().is_some() {
            return None;
        }
        // The plan itself was wrong: nothing more of it is tried (rule F10.3).
        let doubted = self.modules.iter().any(|module| {
            matches!(module.fate, Fate::Failed(_)) && module.debate.doubts_the_plan()
        });
        let next = plan.order().into_iter().find(|at| {
            let mut inside = plan.inside(*at).into_iter();
            self.modules[*at].fate == Fate::Waiting
                && inside.all(|one| matches!(self.modules[one].fate, Fate::Shipped(_)))
        });
        match next {
            Some(_) if doubted => Some(self.halted("decomposition_wrong")),
            Some(next) => {
                let module = &plan.modules[next];
                let reuses = module.reuse_decision == ReuseDecision::Reuse;
                let candidate = module.reuse_candidate_refs.first().filter(|_| reuses);
                let offered = |one: &ModuleRef| around.offered(one);
                Some(match candidate {
                    Some(candidate) if offered(candidate) == Offered::Elsewhere => {
                        Step::Sought(next, candidate.clone())
                    }
                    // Another task may have brought it in since it was planned.
                    Some(candidate) if around.briefs() >= CONTINUES => {
                        match misreused(plan, &[], &offered) {
                            faults if faults.is_empty() => self.reuses(next, candidate),
                            faults => Step::PlanRefused(faults),
                        }
                    }
                    Some(candidate) => self.reuses(next, candidate),
                    None => Step::Began(next, around.next_version(module)),
                })
            }
            None => Some(self.over(doubted)),
        }
    }

    /// What a plan reuses, it may reuse once it has passed the exam of this task.
    fn reuses(&self, at: usize, candidate: &ModuleRef) -> Step {
        match self.examines() {
            true => Step::Examining(at, candidate.clone()),
            false => Step::Reused(at, candidate.clone()),
        }
    }

    fn examines(&self) -> bool {
        self.exams == Some(Exams::Asked)
    }

    fn over(&self, doubted: bool) -> Step {
        let order = self.plan.as_ref().map(Plan::order).unwrap_or_default();
        let mut shipped = Vec::new();
        for at in order {
            match &self.modules[at].fate {
                Fate::Shipped(reference) => shipped.push(reference.clone()),
                Fate::Failed(_) if doubted => return self.halted("decomposition_wrong"),
                Fate::Failed(code) => return self.halted(code),
                Fate::Waiting | Fate::Active => {}
            }
        }
        Step::Over(End::Shipped(shipped))
    }

    fn halted(&self, code: &str) -> Step {
        let failed = self
            .modules
            .iter()
            .position(|module| matches!(module.fate, Fate::Failed(_)))
            .or(self.active());
        let module = failed.and_then(|at| self.reference(at));
        Step::Over(End::Halted {
            code: code.to_owned(),
            module: module.map(|reference| reference.module),
        })
    }

    fn heard(&self, answer: &Answer, around: &dyn Surroundings, at: Time) -> Step {
        let (effect, outcome) = match answer {
            Answer::Attempt(effect, outcome) => (*effect, outcome),
            Answer::Gate(results) => {
                let active = self.active();
                let elsewhere = active.filter(|at| self.modules[*at].elsewhere.is_some());
                if let Some(at) = elsewhere.filter(|at| self.found(*at).is_none()) {
                    return self.sought(at, results);
                }
                let checked = active.and_then(|at| {
                    Some((
                        at,
                        self.modules[at].debate.checked(results, around.briefs())?,
                    ))
                });
                return match checked {
                    Some((at, Checked::Moved(step))) if self.modules[at].reused.is_some() => {
                        self.lent(at, step, results)
                    }
                    Some((at, Checked::Moved(step)))
                        if elsewhere.is_some() && matches!(step.to, Now::Failed(_)) =>
                    {
                        Step::PlanRefused(vec![unbrought(at, results)])
                    }
                    Some((at, Checked::Moved(step))) => Step::Debated(at, step),
                    Some((_, Checked::CouldNotRun(why))) => Step::Stuck(why),
                    None => Step::Stuck("a gate ended that nobody asked for".to_owned()),
                };
            }
        };
        let (Class::Done, Some(result)) = (outcome.class, &outcome.result) else {
            return self.ended_badly(effect, outcome, at);
        };
        let Some(active) = self.active() else {
            let offered = |one: &ModuleRef| around.offered(one);
            let judged = micro_plan::judge(result).and_then(|plan| match around.kind() {
                Kind::Modules => Ok(plan),
                Kind::Assembly => micro_plan::assembly(plan),
            });
            let judged = judged.map(|plan| match around.briefs() {
                ..TELLS => plan,
                _ => settled(plan),
            });
            return match judged {
                Err(faults) => Step::PlanRefused(faults),
                Ok(plan) => {
                    let mut faults = misreused(&plan, &self.unmet, &offered);
                    if around.briefs() >= HOLDS {
                        let held = Held {
                            asked: &around.asked(),
                            offered: &offered,
                            near: &near(outcome, around.briefs()),
                            namesake: &|id| around.namesake(id),
                            briefs: around.briefs(),
                        };
                        faults.extend(held.faults(result, &plan));
                    }
                    match faults.is_empty() {
                        true => Step::PlanLocked(plan),
                        false => Step::PlanRefused(faults),
                    }
                }
            };
        };
        let debate = &self.modules[active].debate;
        if result.get(RAISED).is_some() {
            let role = debate.at.role().map(|(role, _)| role);
            let upstream = around.upstream(self, active);
            let this = self.reference(active);
            let raised = exception::judge(result, role, this.as_ref(), &upstream);
            return match raised {
                Ok(exception) => Step::Raised(Box::new(Raised {
                    exception,
                    role: role.unwrap_or(Role::Proposer),
                    effect,
                })),
                Err(faults) if debate.complaints < super::debate::MOST_COMPLAINTS => {
                    Step::RaiseRefused(faults)
                }
                Err(faults) => Step::Debated(active, self.gave_up(faults.join("; "))),
            };
        }
        let heard = debate.hear(result, At::proposed(around.briefs()), around.briefs());
        let unmoved = heard.said == Said::Proposed
            && around.briefs() >= TELLS
            && outcome.changed.is_empty()
            && debate.is_rejected();
        Step::Debated(
            active,
            match unmoved {
                true => debate.unmoved(),
                false => heard,
            },
        )
    }

    /// What follows from the exam of a module that is to be reused.
    fn lent(&self, at: usize, step: Move, results: &[CheckResult]) -> Step {
        match (&step.said, &self.modules[at].reused) {
            (Said::Sat { found, .. }, Some(reference)) if found.is_empty() => {
                Step::Reused(at, reference.clone())
            }
            (Said::Sat { .. } | Said::UsedUp, _) => {
                Step::PlanRefused(vec![exam::unfit(at, results)])
            }
            _ => Step::Debated(at, step),
        }
    }

    /// What follows from the look at a module of another project.
    fn sought(&self, at: usize, results: &[CheckResult]) -> Step {
        let broken = results
            .iter()
            .find(|one| one.verdict == Verdict::CouldNotRun);
        if let Some(broken) = broken {
            return Step::Stuck(broken.reason.clone());
        }
        let held = results.first().filter(|one| one.verdict == Verdict::Pass);
        let planned = self.plan.as_ref().and_then(|plan| plan.modules.get(at));
        let (Some(held), Some(planned)) = (held, planned) else {
            return Step::PlanRefused(vec![unbrought(at, results)]);
        };
        let Ok(found) = serde_json::from_str::<Found>(&held.reason) else {
            return Step::Stuck("what was found of the module cannot be read".to_owned());
        };
        match unfit(at, planned, &found) {
            faults if faults.is_empty() => Step::Found(at, Box::new(found)),
            faults => Step::PlanRefused(faults),
        }
    }

    fn gave_up(&self, why: String) -> Move {
        Move {
            said: Said::GaveUp(why),
            to: Now::Failed("attempt_failed".to_owned()),
        }
    }

    fn ended_badly(&self, effect: EffectId, outcome: &Outcome, at: Time) -> Step {
        match self.patience.after(effect, outcome, at) {
            After::Again {
                why,
                not_before,
                continues,
            } => Step::Again {
                why,
                not_before,
                continues,
            },
            After::Stuck(why) => Step::Stuck(why),
            After::Spent(why) => match self.active() {
                Some(at) => Step::Debated(at, self.gave_up(why)),
                None => Step::GaveUp(why),
            },
        }
    }

    /// Takes a step in.
    pub fn take(&mut self, step: &Step) {
        let answer = self.answer.take();
        self.losses = 0;
        let (effect, result) = match &answer {
            Some(Answer::Attempt(effect, outcome)) => {
                if let Some(at) = self.active().filter(|_| !outcome.changed.is_empty()) {
                    self.modules[at].debate.touched = true;
                }
                (Some(*effect), outcome.result.as_ref())
            }
            Some(Answer::Gate(results)) => {
                let active = self.active().map(|at| &mut self.modules[at].debate);
                if let Some(exam) = active.and_then(|debate| debate.exam.as_mut()) {
                    exam.hear(results);
                }
                (None, None)
            }
            None => (None, None),
        };
        if let Step::Again {
            why,
            not_before,
            continues,
        } = step
        {
            self.patience.again(why, *not_before, *continues);
            return;
        }
        self.patience = Patience::default();
        match step {
            Step::PlanLocked(plan) => {
                self.lock(plan.clone());
                self.planned = effect;
            }
            Step::PlanRefused(faults) => {
                self.plan_refusals += 1;
                self.patience.complaint = faults.iter().map(PlanFault::line).collect();
                // One that was locked is refused for what it would have brought in.
                let refused = match self.plan.take() {
                    Some(plan) => json!({"modules": plan.modules}),
                    None => result.cloned().unwrap_or_default(),
                };
                (self.modules, self.planned) = (Vec::new(), None);
                self.unmet.extend(unmet(&refused, faults));
                self.refused = Some((refused, faults.clone()));
            }
            Step::Began(at, version) => {
                let examines = self.examines();
                let module = &mut self.modules[*at];
                module.fate = Fate::Active;
                module.version = *version;
                // One that a person opens again goes on where they put it.
                if examines && module.debate == Debate::default() {
                    module.debate.examine(Then::Build);
                }
            }
            Step::Examining(at, reference) => {
                let module = &mut self.modules[*at];
                module.fate = Fate::Active;
                module.version = reference.version;
                module.reused = Some(reference.clone());
                module.debate.examine(Then::Sit);
            }
            Step::Sought(at, reference) => {
                let module = &mut self.modules[*at];
                module.fate = Fate::Active;
                module.version = reference.version;
                module.elsewhere = Some(Elsewhere {
                    reference: reference.clone(),
                    found: None,
                });
            }
            Step::Found(at, found) => {
                let planned = self
                    .plan
                    .as_mut()
                    .and_then(|plan| plan.modules.get_mut(*at));
                if let (Some(planned), Some(elsewhere)) =
                    (planned, &mut self.modules[*at].elsewhere)
                {
                    planned.io_contract = Some(found.contract.clone());
                    planned.depends_on.clone_from(&found.depends_on);
                    elsewhere.found = Some((**found).clone());
                }
                if self.examines() {
                    self.modules[*at].debate.examine(Then::Ship);
                }
                self.modules[*at].debate.as_it_is();
            }
            Step::Reused(at, reference) => {
                self.modules[*at].fate = Fate::Shipped(reference.clone());
            }
            Step::Debated(at, said) => {
                let module = &mut self.modules[*at];
                if matches!(said.said, Said::Proposed | Said::Amended) {
                    module.deliverable = effect;
                    module.opened = module.opened.or(effect);
                }
                if said.said == Said::Proposed {
                    module.proposed = effect;
                }
                self.debated(*at, said, result);
            }
            Step::Raised(raised) => self.raised = Some(raised.clone()),
            Step::RaiseRefused(faults) => {
                self.patience.complaint.clone_from(faults);
                if let Some(at) = self.active() {
                    self.modules[at].debate.complaints += 1;
                }
            }
            Step::Stuck(why) => self.stuck = Some(why.clone()),
            Step::GaveUp(why) => {
                self.end = Some(End::Halted {
                    code: "attempt_failed".to_owned(),
                    module: None,
                });
                self.patience.complaint = vec![why.clone()];
            }
            Step::Over(end) => self.end = Some(end.clone()),
            Step::Again { .. } => {}
        }
    }

    fn debated(&mut self, at: usize, said: &Move, result: Option<&Value>) {
        self.modules[at].debate.take(said, result);
        let reference = self.reference(at);
        match (&said.to, reference) {
            (Now::At(_), _) => {
                self.patience.complaint = self.modules[at].debate.complaint.clone();
            }
            (Now::Shipped, Some(reference)) => {
                self.modules[at].fate = Fate::Shipped(reference);
                // The journal has it; a hundred thousand tasks need not.
                self.modules[at].debate.trail = Trail::default();
            }
            (Now::Failed(code), _) => self.modules[at].fate = Fate::Failed(code.clone()),
            (Now::Shipped, None) => {}
        }
    }

    /// A plan is in force; everything begins with it.
    pub fn lock(&mut self, plan: Plan) {
        let blank = Module {
            fate: Fate::Waiting,
            version: Version::FIRST,
            debate: Debate::default(),
            deliverable: None,
            proposed: None,
            opened: None,
            reused: None,
            elsewhere: None,
        };
        self.modules = vec![blank; plan.modules.len()];
        self.plan = Some(plan);
    }
    /// The gate in flight was lost. It is wanted again, and not for ever: something in it may bring
    /// the engine down. A lost attempt is bounded by the budget of attempts.
    pub fn lost(&mut self) {
        self.patience.continues = None;
        if !matches!(
            self.want(),
            Some(Want::Ship(..) | Want::Try(_) | Want::Seek(_) | Want::Seal(_) | Want::Sit(_))
        ) {
            return;
        }
        self.losses += 1;
        if self.losses >= MOST_LOSSES {
            self.stuck = Some(LOST_AGAIN.to_owned());
        }
    }

    /// A person mended the environment: the same question again, as often as at first.
    pub fn mended(&mut self) {
        (self.stuck, self.losses) = (None, 0);
    }
}

/// Why a module of another project is not the one.
fn unbrought(at: usize, results: &[CheckResult]) -> PlanFault {
    let failed = results.iter().filter(|one| one.verdict != Verdict::Pass);
    let why: Vec<&str> = failed.map(|one| one.reason.as_str()).collect();
    PlanFault {
        code: Some(Misplan::NotBrought),
        path: format!("modules[{at}].reuse_candidate_refs[0]"),
        message: format!("it cannot be brought in: {}", why.join("; ")),
    }
}

/// The word before each module that was found near a task, in the names of the attempt's evidence.
pub const CANDIDATE: &str = "candidate";

/// What the engine's search found near the task before its planner worked.
fn near(outcome: &Outcome, briefs: u32) -> Vec<ModuleRef> {
    let names = outcome.evidence.iter().filter(|_| briefs >= CONTINUES);
    let found = names.filter_map(|kept| {
        let (_, reference) = kept.name.split_once(&format!(" {CANDIDATE} "))?;
        ModuleRef::parse(reference).ok()
    });
    found.collect()
}

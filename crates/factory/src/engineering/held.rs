//! What a plan is held to beyond its own form: it answers its task (`asked`), its modules have names of
//! their own, what they depend on is there, and its words are what people see. All of it at once, so that
//! one more try can mend it.

use super::asked::{Asked, unanswered};
use super::kind::TELLS;
use super::reuse::{Offered, candidate, outdated};
use crate::contract::from_plan;
use crate::micro_plan::{Misplan, Plan, PlanFault};
use crate::project::types::{ModuleId, ModuleRef};
use crate::readable::{alike, folded, unread};
use kernel::form::placeholder;
use serde_json::Value;

/// What is known around a plan.
pub(crate) struct Held<'a> {
    /// What its task asks for.
    pub(crate) asked: &'a [Asked],
    /// What is there under a reference?
    pub(crate) offered: &'a dyn Fn(&ModuleRef) -> Offered,
    /// What the search for reuse found near the task.
    pub(crate) near: &'a [ModuleRef],
    /// Who has an id, or one that looks like it, besides this task?
    pub(crate) namesake: &'a dyn Fn(&ModuleId) -> Option<ModuleId>,
    /// The form of the project's briefs.
    pub(crate) briefs: u32,
}

impl Held<'_> {
    /// Everything that speaks against a plan.
    pub(crate) fn faults(&self, said: &Value, plan: &Plan) -> Vec<PlanFault> {
        let mut faults = Vec::new();
        texts(&said["modules"], "modules", &mut faults);
        self.names(plan, &mut faults);
        self.searched(plan, &mut faults);
        there(plan, self.offered, &mut faults);
        if self.briefs >= TELLS {
            turns(plan, &mut faults);
        }
        faults.extend(unanswered(self.asked, plan, self.offered, self.briefs));
        faults
    }

    /// What speaks against a person's plan: they may drop a point of the task, and make a further version
    /// of any module.
    pub(crate) fn of_a_person(&self, said: &Value, plan: &Plan) -> Vec<PlanFault> {
        let mut faults = Vec::new();
        texts(said, "modules", &mut faults);
        there(plan, self.offered, &mut faults);
        turns(plan, &mut faults);
        let answers = unanswered(self.asked, plan, self.offered, self.briefs);
        let dropped = |one: &PlanFault| one.code == Some(Misplan::Unanswered);
        faults.extend(answers.into_iter().filter(|one| !dropped(one)));
        faults
    }

    /// A plan says of what was found near its task that it is reused, or that it will not do.
    fn searched(&self, plan: &Plan, faults: &mut Vec<PlanFault>) {
        let mut modules = plan.modules.iter();
        let silent = modules.all(|module| module.reuse_candidate_refs.is_empty());
        let near: Vec<String> = self.near.iter().map(ToString::to_string).collect();
        if silent && !near.is_empty() {
            faults.push(PlanFault {
                code: Some(Misplan::NotConsidered),
                path: "modules[0].reuse_candidate_refs".to_owned(),
                message: format!(
                    "the Code Index has {}, near to this task; name what you looked at, and say why it is reused or will not do",
                    near.join(", ")
                ),
            });
        }
    }

    /// No module is made under an id that somebody has, or would take for another's.
    fn names(&self, plan: &Plan, faults: &mut Vec<PlanFault>) {
        for (at, module) in plan.modules.iter().enumerate() {
            let own = &module.module_id;
            let reused = candidate(module).map(|one| &one.module);
            let known = (self.namesake)(own).filter(|one| Some(one) != reused);
            // Twice in one plan is a fault of its form.
            let mut others = plan.modules[..at].iter().map(|one| &one.module_id);
            let twin = others.find(|one| *one != own && alike(one.as_str(), own.as_str()));
            let Some(other) = known.or_else(|| twin.cloned()) else {
                continue;
            };
            let (code, message) = match other == *own {
                true => (
                    Misplan::IdTaken,
                    format!(
                        "`{own}` is a module already; reuse it (REUSE), or give the new one an id of its own: another version is made by an interface change exception"
                    ),
                ),
                false => (
                    Misplan::IdAlike,
                    format!(
                        "`{own}` looks like `{other}`; give it an id that nobody confuses with that"
                    ),
                ),
            };
            faults.push(PlanFault {
                code: Some(code),
                path: format!("modules[{at}].module_id"),
                message,
            });
        }
    }
}

/// The plan as contracts read it, since the form 7: `none, since ...` is `none: since ...`.
pub(crate) fn settled(mut plan: Plan) -> Plan {
    let contracts = plan.modules.iter_mut();
    for contract in contracts.filter_map(|module| module.io_contract.as_mut()) {
        let all = [
            &mut contract.inputs,
            &mut contract.outputs,
            &mut contract.error_surfaces,
            &mut contract.effects,
        ];
        all.into_iter().flatten().for_each(from_plan::settled);
    }
    plan
}

/// `none` says nothing for inputs and outputs: the contract of such a module could not be written.
fn turns(plan: &Plan, faults: &mut Vec<PlanFault>) {
    let made = plan.modules.iter().enumerate();
    for (at, module) in made.filter(|(_, module)| candidate(module).is_none()) {
        let Some(contract) = &module.io_contract else {
            continue;
        };
        let surface = from_plan::surface(contract);
        let empty = [
            ("inputs", surface.inputs.is_empty()),
            ("outputs", surface.outputs.is_empty()),
        ];
        for (name, _) in empty.into_iter().filter(|(_, empty)| *empty) {
            faults.push(PlanFault {
                code: None,
                path: format!("modules[{at}].io_contract.{name}"),
                message: "a module turns at least one input into at least one output; name one"
                    .to_owned(),
            });
        }
    }
}

/// What a module depends on is of this plan, or shipped.
fn there(plan: &Plan, offered: &dyn Fn(&ModuleRef) -> Offered, faults: &mut Vec<PlanFault>) {
    for (at, module) in plan.modules.iter().enumerate() {
        for (nth, on) in module.depends_on.iter().enumerate() {
            let inside = plan.modules.iter().any(|one| one.module_id == on.module);
            if inside {
                continue;
            }
            let (code, message) = match offered(on) {
                Offered::Nothing | Offered::Elsewhere => (
                    Misplan::DependencyMissing,
                    format!("{on} is neither in the plan nor shipped"),
                ),
                Offered::Outdated(now) => (Misplan::DependencyOutdated, outdated(on, now.as_ref())),
                Offered::Unlocked | Offered::Module(_) => continue,
            };
            faults.push(PlanFault {
                code: Some(code),
                path: format!("modules[{at}].depends_on[{nth}]"),
                message,
            });
        }
    }
}

/// Contracts, tests and the Code Index take their words from here.
fn texts(said: &Value, place: &str, faults: &mut Vec<PlanFault>) {
    match said {
        Value::String(text) => {
            let hidden = || {
                let held = placeholder(&folded(text)).filter(|_| placeholder(text).is_none());
                held.map(|held| format!("it reads `{held}`, a placeholder"))
            };
            let wrong = unread(text).map(|(_, what)| what).or_else(hidden);
            faults.extend(wrong.map(|message| PlanFault {
                code: Some(Misplan::Unreadable),
                path: place.to_owned(),
                message,
            }));
        }
        Value::Array(items) => {
            for (at, item) in items.iter().enumerate() {
                texts(item, &format!("{place}[{at}]"), faults);
            }
        }
        Value::Object(members) => {
            for (name, member) in members {
                texts(member, &format!("{place}.{name}"), faults);
            }
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

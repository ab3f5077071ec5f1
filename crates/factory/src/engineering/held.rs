//! What a plan is held to beyond its own form: it answers its task (`asked`), its modules have names of
//! their own, what they depend on is there, and its words are what people see. All of it at once, so that
//! one more try can mend it.

use super::asked::{Asked, unanswered};
use super::reuse::{Offered, candidate};
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
    /// Who has an id, or one that looks like it, besides this task?
    pub(crate) namesake: &'a dyn Fn(&ModuleId) -> Option<ModuleId>,
}

impl Held<'_> {
    /// Everything that speaks against a plan.
    pub(crate) fn faults(&self, said: &Value, plan: &Plan) -> Vec<PlanFault> {
        let mut faults = Vec::new();
        texts(&said["modules"], "modules", &mut faults);
        self.names(plan, &mut faults);
        there(plan, self.offered, &mut faults);
        faults.extend(unanswered(self.asked, plan, self.offered));
        faults
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

/// What a module depends on is of this plan, or shipped.
fn there(plan: &Plan, offered: &dyn Fn(&ModuleRef) -> Offered, faults: &mut Vec<PlanFault>) {
    for (at, module) in plan.modules.iter().enumerate() {
        for (nth, on) in module.depends_on.iter().enumerate() {
            let inside = plan.modules.iter().any(|one| one.module_id == on.module);
            if !inside && offered(on) == Offered::Nothing {
                faults.push(PlanFault {
                    code: Some(Misplan::DependencyMissing),
                    path: format!("modules[{at}].depends_on[{nth}]"),
                    message: format!("{on} is neither in the plan nor shipped"),
                });
            }
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

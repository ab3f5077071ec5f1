//! Everything that waits for a person, one question each: what, why, and the answers that the
//! machine would take now. What is still being worked on is not listed.

use super::options::{AMEND, EXTEND, RELEASE, RETRY, RULINGS};
use super::people::{release_id, unasked};
use super::product;
use super::state::{Phase, State};
use crate::delivery::manifest::{Manifest, ProductResult, Scope};
use crate::engineering::debate::REJECTED;
use crate::engineering::kind::TELLS;
use crate::halt::artifact::Escalation;
use crate::halt::exception::Record;
use crate::halt::resolution::Action;
use crate::halt::resolution::suits_blocked;
use crate::product::escalation::DECISION;
use crate::project::graph::Task;
use crate::project::types::ModuleRef;
use crate::project::{TaskId, TaskStatus};
use kernel::position::STOP;
use serde::Serialize;

/// What a question is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Subject {
    /// A task halted; rule F17.
    Escalation,
    /// A contract should change; rule F13.
    Exception,
    /// The environment could not run what a task needs.
    Stuck,
    /// A task waits for what was abandoned.
    Blocked,
    /// A budget is used up.
    Budget,
    /// A release failed.
    Release,
    /// A spec is drafted; rule F3.2.4.
    Spec,
}

/// Something that a person must decide.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Question {
    /// What kind.
    pub subject: Subject,
    /// `ESC-...`, `ICE-...`, `T-...`, `REL-...` or a budget's name.
    pub id: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub task: Option<TaskId>,
    /// What is to be decided.
    pub what: String,
    /// What led to it.
    pub why: String,
    /// What we would do.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub recommended: Option<String>,
    /// What may be answered.
    pub options: Vec<String>,
    /// What would be released again: of a part that failed, its modules.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub modules: Vec<ModuleRef>,
}

pub(crate) fn questions(state: &State) -> Vec<Question> {
    if matches!(state.phase, Phase::Declaring | Phase::Stopped) {
        return Vec::new();
    }
    let mut all = Vec::new();
    all.extend(state.ledger.budgets.first_spent().map(|spent| Question {
        subject: Subject::Budget,
        id: spent.to_string(),
        task: None,
        what: "let it go on, or stop the project".to_owned(),
        why: format!("the budget `{spent}` is used up"),
        recommended: None,
        options: words(&[EXTEND, STOP]),
        modules: Vec::new(),
    }));
    if state.phase == Phase::Specifying {
        all.extend(about_spec(state));
        return all;
    }
    for (id, work) in &state.work {
        all.extend(work.stuck.as_ref().map(|why| {
            Question {
                subject: Subject::Stuck,
                id: id.to_string(),
                task: Some(id.clone()),
                what:
                    "mend what is missing and let it be tried again, or resolve the task without it"
                        .to_owned(),
                why: why.clone(),
                recommended: Some(RETRY.to_owned()),
                options: [words(&[RETRY]), resolutions(state, id), words(&[STOP])].concat(),
                modules: Vec::new(),
            }
        }));
    }
    for task in state.graph.halted() {
        let escalation = task.escalation_ref.as_ref();
        let Some(escalation) = escalation.and_then(|id| state.escalations.get(id)) else {
            continue;
        };
        let exception = escalation.exception.as_ref();
        match exception.and_then(|id| state.exceptions.get(id)) {
            // The person has answered; the debate goes on without them.
            Some(record) if state.changes.contains_key(&record.exception_id) => {}
            Some(record) => all.push(about_exception(state, escalation, record)),
            None => all.push(about_task(state, task, escalation)),
        }
    }
    all.extend(blocked(state));
    let given_up = unasked(state);
    if !given_up.is_empty() {
        all.push(Question {
            subject: Subject::Release,
            id: release_id(state),
            task: None,
            what: "release the product without what was given up, or stop the project".to_owned(),
            why: format!("of the spec is missing: {}", lacking(&given_up)),
            recommended: None,
            options: words(&[RELEASE, STOP]),
            modules: Vec::new(),
        });
    }
    all.extend(failed_release(state).map(|last| after_release(state, last)));
    all
}

/// The last release, if it failed and nothing is on its way that will be released anew.
pub(super) fn failed_release(state: &State) -> Option<&Manifest> {
    let last = state.of_this_version().last();
    let last = last.filter(|last| !last.passed())?;
    let rests = last.scope == Scope::Partial || state.graph.is_complete();
    (rests && state.releasing.is_none()).then_some(last)
}

/// A release that stumbled: its assembly can be made once more, where there is one, and a case of the spec
/// that is wrong can be put right.
fn after_release(state: &State, last: &Manifest) -> Question {
    let mut what = "mend what the gates stumbled over, then release again".to_owned();
    let amend = Action::AmendSpec.as_str();
    let (recommended, options) = match state.may_reopen() {
        Some(task) => {
            what.push_str(&format!(
                ": {amend} has the assembly made once more, as a further version, by criteria of {task} that say what was wrong"
            ));
            let promised = state.promised.as_ref();
            if promised.is_some_and(|one| !one.product.cases.is_empty()) {
                what.push_str(&format!(
                    "; where a case of the spec is wrong, it puts that right (`amended_cases`), and only the release is judged again: `proofhouse resolve {task} --action {amend}` shows the cases to edit"
                ));
            }
            (amend, words(&[amend, RELEASE]))
        }
        None => (RELEASE, words(&[RELEASE])),
    };
    let failed = last.product.as_ref();
    if failed.is_some_and(|one| one.result == ProductResult::Fail) {
        what.push_str("; `factory release --without-product` releases the modules alone");
    }
    let released = last.modules.iter().map(|one| one.module_ref.clone());
    Question {
        subject: Subject::Release,
        id: last.release_id.clone(),
        task: state.may_reopen().cloned(),
        what,
        why: lines(last.violations.iter().map(|one| one.why.as_str())),
        recommended: Some(recommended.to_owned()),
        options,
        modules: match last.scope {
            Scope::Partial => released.collect(),
            Scope::Full => Vec::new(),
        },
    }
}

/// What a product lacks of its spec, every task of it.
pub(crate) fn lacking(given_up: &[&Task]) -> String {
    let each = given_up.iter().map(|task| {
        let declared = &task.declared;
        format!(
            "\"{}\" of the story \"{}\" ({})",
            declared.task, declared.story, declared.id
        )
    });
    each.collect::<Vec<_>>().join("; ")
}

fn about_spec(state: &State) -> Option<Question> {
    let (_, why) = product::reason(state)?;
    let mut options = product::options(state);
    options.push(STOP);
    let loop_ = state.product.as_ref()?;
    if let Some(id) = loop_.escalation_id(state.run()) {
        let all = loop_.deficiencies.iter().map(String::as_str);
        return Some(Question {
            subject: Subject::Spec,
            id,
            task: None,
            what: DECISION.to_owned(),
            why: lines(std::iter::once(why.as_str()).chain(all)),
            recommended: Some(AMEND.to_owned()),
            options: words(&options),
            modules: Vec::new(),
        });
    }
    Some(Question {
        subject: Subject::Spec,
        id: "spec".to_owned(),
        task: None,
        what: "read the spec, then approve, reject or amend it".to_owned(),
        why,
        recommended: None,
        options: words(&options),
        modules: Vec::new(),
    })
}

fn words(names: &[&str]) -> Vec<String> {
    names.iter().map(|name| (*name).to_owned()).collect()
}

fn lines<'a>(all: impl Iterator<Item = &'a str>) -> String {
    let all: Vec<&str> = all.filter(|line| !line.is_empty()).collect();
    all.join("\n")
}

/// The resolutions that fit a halted or stuck task: nothing can be shipped or fixed that was never made.
fn resolutions(state: &State, task: &TaskId) -> Vec<String> {
    let work = state.work.get(task);
    let fits = |action: &Action| match action {
        Action::ApproveOverride => work.is_some_and(|work| !work.shippable().is_empty()),
        Action::ProvideFix => work.is_some_and(|work| work.fixable().is_some()),
        Action::AmendSpec | Action::SplitTask | Action::RevisePlan | Action::AbandonTask => true,
    };
    let fitting = Action::ALL.iter().copied().filter(fits);
    fitting.map(|action| action.as_str().to_owned()).collect()
}

fn failed(escalation: &Escalation) -> String {
    let failed = escalation.failed_invariants.iter();
    let failed: Vec<String> = failed
        .map(
            |one| match one.invariant == REJECTED && !one.required_change.is_empty() {
                true => format!("{}: {}", one.evidence, one.required_change),
                false => format!("{}: {}", one.invariant, one.evidence),
            },
        )
        .collect();
    lines(failed.iter().map(String::as_str))
}

fn about_task(state: &State, task: &Task, escalation: &Escalation) -> Question {
    let id = &task.declared.id;
    let options = resolutions(state, id);
    let recommended = escalation.recommended_resolution.as_str().to_owned();
    Question {
        subject: Subject::Escalation,
        id: escalation.escalation_id.to_string(),
        task: Some(id.clone()),
        what: escalation.minimal_decision_required.clone(),
        why: failed(escalation),
        recommended: Some(recommended).filter(|one| options.contains(one)),
        options,
        modules: Vec::new(),
    }
}

fn about_exception(state: &State, escalation: &Escalation, record: &Record) -> Question {
    let exception = &record.raised.exception;
    let rulings = RULINGS.iter().map(|(name, _)| (*name).to_owned());
    let mut why = format!("{}: {}", exception.target_module, exception.reason);
    for line in &exception.evidence {
        why.push_str(&format!("\nevidence: {line}"));
    }
    let users = state.registry.users(&exception.target_module).into_iter();
    let users = users.filter(|one| state.registry.is_shipped(one));
    let users: Vec<String> = users.map(|one| one.to_string()).collect();
    if state.briefs >= TELLS && !users.is_empty() {
        let users = users.join(", ");
        why.push_str(&format!(
            "\nif it changes, what uses it is made once more: {users}"
        ));
    }
    // Earlier answers, such as DEFER, and what a debate of the change ended with.
    let rulings_before = state.rulings.iter();
    for ruling in rulings_before.filter(|one| one.exception_id == record.exception_id) {
        let word = RULINGS.iter().find(|(_, one)| *one == ruling.ruling);
        let word = word.map_or("", |(name, _)| *name);
        why.push_str(&format!("\n{} said {word}: {}", ruling.who, ruling.because));
    }
    Question {
        subject: Subject::Exception,
        id: record.exception_id.to_string(),
        task: Some(record.task.clone()),
        what: format!(
            "{} ({})",
            escalation.minimal_decision_required, escalation.escalation_id
        ),
        why,
        recommended: None,
        options: rulings.chain(resolutions(state, &record.task)).collect(),
        modules: Vec::new(),
    }
}

/// Tasks that no open halt blocks: what they wait for will never come.
fn blocked(state: &State) -> Vec<Question> {
    if state.graph.count(TaskStatus::Blocked) == 0 || state.graph.halted().next().is_some() {
        return Vec::new();
    }
    let all = state.graph.iter();
    let blocked = all.filter(|task| task.status == TaskStatus::Blocked);
    let options = Action::ALL
        .iter()
        .copied()
        .filter(|action| suits_blocked(*action));
    let options: Vec<String> = options.map(|action| action.as_str().to_owned()).collect();
    let question = |task: &Task| {
        let dead = task.depends_on().filter(|on| {
            let on = state.graph.get(on).map(|one| one.status);
            matches!(on, Some(TaskStatus::Abandoned | TaskStatus::Blocked))
        });
        let dead: Vec<&str> = dead.map(TaskId::as_str).collect();
        Question {
            subject: Subject::Blocked,
            id: task.declared.id.to_string(),
            task: Some(task.declared.id.clone()),
            what: "say what becomes of it without what it waits for".to_owned(),
            why: format!("it depends on {}", dead.join(", ")),
            recommended: None,
            options: options.clone(),
            modules: Vec::new(),
        }
    };
    blocked.map(question).collect()
}

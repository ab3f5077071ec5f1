//! The facts of a project in sentences, for `proofhouse log`. Details are in `log --json`.

use factory::debate::{Failure, Verdict};
use factory::engineering::debate::{Move, Now, Said};
use factory::engineering::work::{End, Step};
use factory::halt::change::ChangeStep;
use factory::machine::Fact;
use factory::product::ProductStep;
use factory::project::ModuleRef;
use kernel::Note;
use serde::Serialize;

/// A fact as a sentence.
pub fn sentence(note: &Note) -> String {
    match Fact::read(note) {
        Ok(fact) => said(&fact),
        // Of another machine, or of another version.
        Err(_) => format!("{}: {}", note.name, note.body),
    }
}

fn list(modules: &[ModuleRef]) -> String {
    let names: Vec<String> = modules.iter().map(ToString::to_string).collect();
    names.join(", ")
}

/// The document's word for a value of a closed list.
fn word(value: &impl Serialize) -> String {
    let value = serde_json::to_value(value).unwrap_or_default();
    value.as_str().unwrap_or_default().to_owned()
}

fn said(fact: &Fact) -> String {
    match fact {
        Fact::ProductBegan(began) => {
            let further = began.released.as_ref();
            let further = further.map_or("a spec", |_| "a further version of the released spec");
            format!("{further} is drafted from {}", began.spec.name)
        }
        Fact::ProductStepped(one) => drafted(&one.step),
        Fact::SpecApproved(one) => {
            format!("{} approved {} {}", one.who, one.spec_id, one.spec_version)
        }
        Fact::SpecRejected(one) => format!("{} rejected the spec: {}", one.who, one.reasons),
        Fact::SpecAmended(one) => format!("{} wants the spec changed: {}", one.who, one.feedback),
        Fact::TasksDeclared(declared) => format!("{} tasks were declared", declared.tasks.len()),
        Fact::ProjectOpened(opened) => {
            let further = opened.further.as_ref().map_or_else(String::new, |one| {
                format!(
                    "; of the released tasks {} stay, {} change and {} go, and {} are new",
                    one.stays.len(),
                    one.changes.len(),
                    one.goes.len(),
                    one.comes.len()
                )
            });
            format!(
                "the project {} is open, spec {}, {} at a time{further}",
                opened.project_id, opened.spec_version, opened.jobs
            )
        }
        Fact::TaskDispatched(one) => format!("{} was dispatched", one.task),
        Fact::EngineeringStepped(one) => format!("{}: {}", one.task, step(&one.step)),
        Fact::TaskShipped(one) => format!("{} is SHIPPED: {}", one.task, list(&one.modules)),
        Fact::TaskHalted(one) => {
            let exception = one.exception.as_ref();
            let exception = exception.map_or_else(String::new, |id| format!(" and {id}"));
            format!(
                "{} is HALTED ({}); a person must decide on {}{exception}",
                one.task, one.code, one.escalation
            )
        }
        Fact::TaskResolved(one) => {
            let action = one.resolution.action().as_str();
            let ids: Vec<&str> = one.tasks.iter().map(|task| task.id.as_str()).collect();
            let into = match ids.as_slice() {
                [] => String::new(),
                ids => format!(" into {}", ids.join(", ")),
            };
            format!("{} resolved {} with {action}{into}", one.who, one.task)
        }
        Fact::ExceptionDecided(one) => {
            let decision = &one.decision;
            let candidate = one.candidate.as_ref();
            let candidate = candidate.map_or_else(String::new, |candidate| {
                format!("; version {} is debated", candidate.version)
            });
            format!(
                "{} said {} on {}{candidate}",
                decision.who,
                word(&decision.ruling),
                decision.exception_id
            )
        }
        Fact::ChangeStepped(one) => format!("{}: {}", one.exception, change(&one.step)),
        Fact::ReleaseBegan(one) => format!(
            "the release {} of {} modules is judged",
            one.release_id,
            one.modules.len()
        ),
        Fact::ReleaseJudged(one) => {
            let result = if one.passed() { "PASS" } else { "FAIL" };
            let product = one.product.as_ref().map_or_else(String::new, |product| {
                format!(
                    "; the product is {}: {}",
                    word(&product.result),
                    product.what
                )
            });
            format!("the release {} is {result}{product}", one.release_id)
        }
        Fact::ModuleDeprecated(one) => format!("{} is DEPRECATED: {}", one.module, one.note),
        Fact::ModulesRetired(one) => format!("{} is DEPRECATED: {}", list(&one.modules), one.note),
        Fact::BudgetExtended(one) => format!("the budget `{}` was extended", one.budget),
        Fact::TroubleMended(one) => {
            let names: Vec<&str> = one.tasks.iter().map(|task| task.as_str()).collect();
            format!("{} is tried again", names.join(", "))
        }
        Fact::TasksReopened(one) => {
            let tasks = one.tasks.iter().map(|one| {
                format!(
                    "{} is made once more: {} uses {}, and {} is in use now",
                    one.task, one.module, one.uses, one.now
                )
            });
            tasks.collect::<Vec<_>>().join("; ")
        }
        Fact::RunStopped(one) => format!("{} stopped the project", one.who),
        Fact::DecisionVoid(one) => format!("a decision came too late: {}", one.refusal),
    }
}

fn drafted(step: &ProductStep) -> String {
    match step {
        ProductStep::Drafted { .. } => "a draft of the spec is judged".to_owned(),
        ProductStep::Shown(shown) => {
            let hash = shown.spec.hash.get(..12).unwrap_or(&shown.spec.hash);
            format!("the spec {hash} is complete and waits for a person")
        }
        ProductStep::Refused { deficiencies, .. } => {
            let first = deficiencies.first().map_or("", String::as_str);
            format!("the draft has {} deficiencies: {first}", deficiencies.len())
        }
        ProductStep::Again { why, .. } => format!("once more: {why}"),
        ProductStep::Stuck(why) => format!("stuck: {why}"),
        ProductStep::GaveUp(why) => format!("gave up: {why}"),
    }
}

fn step(step: &Step) -> String {
    match step {
        Step::PlanLocked(plan) => {
            let names: Vec<&str> = plan
                .modules
                .iter()
                .map(|one| one.module_id.as_str())
                .collect();
            format!("the plan is locked: {}", names.join(", "))
        }
        Step::PlanRefused(faults) => {
            let first = faults.first().map_or("", |fault| fault.message.as_str());
            format!("the plan is refused, {} faults: {first}", faults.len())
        }
        Step::Began(_, version) => format!("a module was begun, version {version}"),
        Step::Examining(_, reference) => format!("{reference} is examined before it is reused"),
        Step::Sought(_, reference) => format!("{reference} is looked for in other projects"),
        Step::Found(_, found) => format!("it is brought in from {}", found.from),
        Step::Reused(_, reference) => format!("{reference} is reused"),
        Step::Debated(_, one) => moved(one),
        Step::Raised(raised) => format!(
            "the {} says that the contract of {} is not enough: {}",
            raised.role.as_str(),
            raised.exception.target_module,
            raised.exception.reason
        ),
        Step::RaiseRefused(faults) => format!("an exception was refused: {}", faults.join("; ")),
        Step::Again { why, .. } => format!("once more: {why}"),
        Step::Stuck(why) => format!("stuck: {why}"),
        Step::GaveUp(why) => format!("gave up: {why}"),
        Step::Over(End::Shipped(modules)) => format!("all modules are shipped: {}", list(modules)),
        Step::Over(End::Halted { code, .. }) => format!("the loop halts ({code})"),
    }
}

fn failures(all: &[Failure]) -> String {
    let names: Vec<String> = all
        .iter()
        .map(|one| format!("{}: {}", one.invariant, one.evidence))
        .collect();
    names.join("; ")
}

fn moved(one: &Move) -> String {
    let what = match &one.said {
        Said::Proposed => "a proposal was made".to_owned(),
        Said::Tried { found, .. } if found.is_empty() => {
            "the proposal holds before the debate".to_owned()
        }
        Said::Tried { found, .. } => format!("the proposal does not hold: {}", failures(found)),
        Said::HandedIn(_) => "an exam was handed in, under seal".to_owned(),
        Said::Unasked(why) => format!("the module has no exam: {why}"),
        Said::Sealed(what) => format!("the exam can fail: {what}"),
        Said::HandedBack(faults) => format!("the exam was handed back: {}", faults.join("; ")),
        Said::Sat { found, .. } if found.is_empty() => {
            "the exam holds before the debate".to_owned()
        }
        Said::Sat { found, .. } => format!("cases of the exam do not hold: {}", failures(found)),
        Said::UsedUp => "every case of the exam was told; others are written".to_owned(),
        Said::Complained(faults) => format!("the answer is refused: {}", faults.join("; ")),
        Said::Challenged {
            verdict: Verdict::Pass,
            ..
        } => "the challenge is PASS".to_owned(),
        Said::Challenged { failures: all, .. } => {
            format!("the challenge is FAIL: {}", failures(all))
        }
        Said::Ruled { decision, .. } => format!("the Arbiter says {}", word(decision)),
        Said::Amended => "the amendments are in".to_owned(),
        Said::Unapplied(all) => format!("amendments are not in: {}", failures(all)),
        Said::Passed(step) => format!("`{}` holds", step.row().check),
        Said::Broke(step, all) => {
            format!("`{}` does not hold: {}", step.row().check, failures(all))
        }
        Said::GaveUp(why) => format!("gave up: {why}"),
    };
    match &one.to {
        Now::At(_) => what,
        Now::Shipped => format!("{what}; the module is shipped"),
        Now::Failed(code) => format!("{what}; the module failed ({code})"),
    }
}

fn change(step: &ChangeStep) -> String {
    match step {
        ChangeStep::Debated(one) => moved(one),
        ChangeStep::Round(one) => format!("{}; another round", moved(one)),
        ChangeStep::Again(why) => format!("once more: {why}"),
        ChangeStep::Resolved(_) => "the changed contract is approved".to_owned(),
        ChangeStep::Failed(why) => format!("the change failed: {why}"),
    }
}

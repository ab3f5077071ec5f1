//! Does a record follow from those before it, and is a person's word theirs? An audit asks it of every
//! record; whoever goes on with a project asks it of people's words, before anything is started: what
//! was forged behind a correct chain of hashes is acted on by nobody.

use ::factory::machine::{Fact, Factory};
use approval::{SIGNED, Words};
use kernel::{Body, Event, Input, Machine, What};
use store::RecordRef;
use workspace::error::EngineError;

/// Why a record does not follow from what a machine knows; none: it does.
pub fn unfounded(machine: &Factory, event: &Event) -> Option<String> {
    let decide = |what: What| machine.decide(&Input::new(event.at, what));
    let led = |what: What| {
        let due = decide(what).unwrap_or_default();
        due.first().is_some_and(|due| due.body == event.body)
    };
    let flying = |effect| {
        let what = || format!("{effect} ended, and was not in flight");
        (!machine.is_flying(effect)).then(what)
    };
    match &event.body {
        Body::Noted(note) => {
            let founded = led(What::Advance) || led(What::Note(note.clone()));
            let what = || format!("`{}` does not follow from what is before it", note.name);
            (!founded).then(what)
        }
        Body::EffectBegan(began) => {
            let what = || format!("{} was begun, and nobody wanted it", began.effect);
            (!led(What::Begin(began.effect))).then(what)
        }
        Body::Decided(decision) => {
            let refused = decide(What::Decide(decision.clone())).err();
            refused.map(|why| format!("`{}` could not be decided: {why}", decision.option))
        }
        Body::AttemptEnded(ended) => flying(ended.effect),
        Body::GateEnded(ended) => flying(ended.effect),
        Body::EffectLost(lost) => flying(lost.effect),
        _ => None,
    }
}

/// Is it what follows from a person's word?
fn is_answer(event: &Event) -> bool {
    let Body::Noted(note) = &event.body else {
        return matches!(event.body, Body::Decided(_));
    };
    // Most records by far, and long ones: they are not read once more.
    if note.name.starts_with("engineering_stepped") {
        return false;
    }
    Fact::read(note).is_ok_and(|fact| match fact {
        Fact::SpecApproved(_)
        | Fact::SpecRejected(_)
        | Fact::SpecAmended(_)
        | Fact::TaskResolved(_)
        | Fact::ExceptionDecided(_)
        | Fact::ModuleDeprecated(_)
        | Fact::BudgetExtended(_)
        | Fact::TroubleMended(_)
        | Fact::RunStopped(_)
        | Fact::ReleaseBegan(_) => true,
        Fact::ProductBegan(_)
        | Fact::ProductStepped(_)
        | Fact::TasksDeclared(_)
        | Fact::ProjectOpened(_)
        | Fact::TaskDispatched(_)
        | Fact::EngineeringStepped(_)
        | Fact::TaskShipped(_)
        | Fact::TasksReopened(_)
        | Fact::ModulesRetired(_)
        | Fact::TaskHalted(_)
        | Fact::ChangeStepped(_)
        | Fact::ReleaseJudged(_)
        | Fact::DecisionVoid(_) => false,
    })
}

/// Why a record is no person's word although it says so; none: it is, or it says nothing of the kind.
pub(super) fn forged(
    machine: &Factory,
    run: &str,
    approvers: Option<&str>,
    event: &Event,
    record: &RecordRef<'_>,
) -> Option<String> {
    if !is_answer(event) {
        return None;
    }
    if let Some(why) = unfounded(machine, event) {
        return Some(why);
    }
    let Body::Decided(decision) = &event.body else {
        return None;
    };
    let says = |why: &str| Some(format!("`{}` by {}: {why}", decision.option, decision.who));
    if !approval::binds(&decision.because, &decision.with) {
        return says("it carries what nobody has signed");
    }
    let words = Words {
        run,
        seq: decision.seen_seq,
        head: record.prev,
        tree: &decision.tree,
        option: &decision.option,
        because: &decision.because,
    };
    match (decision.signature.as_deref(), approvers) {
        (None, _) if decision.channel.starts_with(SIGNED) => {
            says("it is said to be signed, and is not")
        }
        (None, _) => None,
        (Some(_), None) => says("there is no .proofhouse/approvers to check its signature with"),
        (Some(pem), Some(approvers)) => match approval::verify(approvers, pem, &words, event.at) {
            Err(error) => says(&error.what),
            Ok(signer) if signer.principal != decision.who => {
                says(&format!("{} signed it", signer.principal))
            }
            Ok(_) => None,
        },
    }
}

/// What whoever goes on with the project is told.
pub(super) fn refused(run: &str, line: u64, why: &str) -> EngineError {
    EngineError::user(
        "forged_decision",
        format!("line {line} of the journal of `{run}` is no person's word: {why}"),
        "nothing was started; `proofhouse audit` says what else is wrong. Restore the journal as it was, from a clone or from its ref; where a signer has left, list the key again with `valid-before`",
    )
}

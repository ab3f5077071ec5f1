//! The payload of a resolution as a person fills it in: its members with what they say, or, for a plan,
//! the one that was refused or failed, to be edited and handed back.

use crate::escalation::Action;
use crate::micro_plan::PlannedModule;
use crate::spec::{AmendedCase, Case};
use kernel::form::{Form, Formed, Object};
use serde_json::{Map, Value, json};

/// The payload of an action. `plan` are the modules that there are.
pub(crate) fn payload(action: Action, plan: Option<Value>) -> Value {
    match action {
        Action::RevisePlan => {
            let modules = plan.unwrap_or_else(|| json!([of(&PlannedModule::FORM, "")]));
            json!({"revised_micro_plan": modules})
        }
        _ => members(action.payload()),
    }
}

/// The payload of an amendment: what holds now, to be edited.
pub(crate) fn amendment(criteria: &[String], cases: &[Case]) -> Value {
    let mut blank = members(Action::AmendSpec.payload());
    if !criteria.is_empty() {
        blank["amended_acceptance_criteria"] = json!(criteria);
    }
    let cases = cases.iter().zip(1..);
    let cases: Vec<AmendedCase> = cases
        .map(|(case, number)| AmendedCase::as_it_is(number, case))
        .collect();
    if let Some(members) = blank.as_object_mut() {
        members.remove("amended_cases");
        if !cases.is_empty() {
            members.insert("amended_cases".to_owned(), json!(cases));
        }
    }
    blank
}

fn members(object: &Object) -> Value {
    let all = object.members.iter();
    let all = all.map(|one| (one.name.to_owned(), of(&one.form, one.about)));
    Value::Object(all.collect::<Map<_, _>>())
}

/// What stands in the place of a value.
fn of(form: &Form, about: &str) -> Value {
    match form {
        Form::Object(object) | Form::Part(object) => members(object),
        Form::List(item, _) => json!([of(item, about)]),
        Form::Map(item, _) => json!({"implementation/lib.rs": of(item, about)}),
        Form::Nullable(form) => of(form, about),
        Form::Either(forms) => forms.first().map_or(Value::Null, |form| of(form, about)),
        Form::Word(words) => json!(words.join(" | ")),
        Form::Flag => json!(false),
        Form::Count(least) => json!(least),
        Form::Any | Form::Measure | Form::Text(_) | Form::Id(_) | Form::Versioned(_) => {
            json!(about.trim())
        }
        Form::Tagged(tagged) => json!({tagged.tag: about.trim()}),
    }
}

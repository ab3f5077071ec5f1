//! What is wrong with the payload of a resolution: everything at once, each with its member and the form
//! that is wanted there, so that nobody learns a form by one refusal after the other.

use crate::escalation::{Action, KEPT_MODULE};
use crate::micro_plan::PlannedModule;
use kernel::Refusal;
use kernel::form::{Cause, Fault, Form, Formed, Object, Presence};
use serde_json::Value;

/// The member that holds a person's plan.
pub(super) const PLAN: &str = "revised_micro_plan";

const FORM: &str =
    "`proofhouse schema HumanResolution` has the form, and without a payload `resolve` shows it";

/// The form of a module of a plan: the planner's, where one of its members is there.
fn form_of(module: &Value) -> Form {
    let own = PlannedModule::OBJECT.members.iter();
    let mut own = own.filter(|one| !KEPT_MODULE.members.iter().any(|kept| kept.name == one.name));
    match own.any(|one| module.get(one.name).is_some()) {
        true => PlannedModule::FORM,
        false => Form::Object(&KEPT_MODULE),
    }
}

/// A fault of the form, its place in the payload, and what is wanted there.
struct Found {
    place: String,
    fault: Fault,
    wanted: String,
    /// The names of the members beside it.
    names: Vec<&'static str>,
}

impl Found {
    fn of(form: &Form, before: &str, fault: Fault) -> Self {
        let place = fault.place();
        let dot = match before.is_empty() || place.is_empty() {
            true => "",
            false => ".",
        };
        let beside = place.rsplit_once('.').map_or("", |(object, _)| object);
        let names = match at(form, beside) {
            Some(Form::Object(object) | Form::Part(object)) => {
                object.members.iter().map(|one| one.name).collect()
            }
            _ => Vec::new(),
        };
        Self {
            wanted: at(form, &place).map_or_else(String::new, |form| wanted(&form)),
            place: format!("{before}{dot}{place}"),
            fault,
            names,
        }
    }

    fn refusal(&self) -> Refusal {
        let (place, what) = (&self.place, &self.fault.what);
        match self.fault.cause {
            Cause::Missing => missing(place, &self.wanted),
            Cause::Unknown => Refusal::new(
                "payload_member_unknown",
                format!("`{place}` is not known here"),
                format!("the members are: {}", self.names.join(", ")),
            ),
            Cause::Content if ["empty_field", "too_few"].contains(&self.fault.code) => {
                Refusal::new(
                    "payload_member_empty",
                    format!("`{place}` is empty"),
                    format!("say something in `{place}`: it goes on record"),
                )
            }
            Cause::Type if !self.wanted.is_empty() => Refusal::new(
                "payload_member_mistyped",
                format!("`{place}` {what}: it is {}", self.wanted),
                FORM,
            ),
            Cause::Type | Cause::Id | Cause::Content | Cause::Wording => {
                Refusal::new("payload_member_mistyped", format!("`{place}` {what}"), FORM)
            }
        }
    }
}

/// The form of what stands at a place.
fn at(form: &Form, place: &str) -> Option<Form> {
    if place.is_empty() {
        return Some(*form);
    }
    match form {
        Form::Object(object) | Form::Part(object) => {
            let end = place.find(['.', '[']).unwrap_or(place.len());
            let (name, rest) = place.split_at(end);
            let mut all = object.members.iter();
            let member = all.find(|one| one.name == name)?;
            at(&member.form, rest.trim_start_matches('.'))
        }
        Form::List(item, _) => {
            let (_, rest) = place.split_once(']')?;
            at(item, rest.trim_start_matches('.'))
        }
        Form::Map(item, _) => Some(**item),
        Form::Nullable(form) => at(form, place),
        _ => None,
    }
}

/// A form in words.
fn wanted(form: &Form) -> String {
    match form {
        Form::List(item, size) => {
            let least = match size.least {
                0 => "",
                _ => ", at least one",
            };
            format!("a list of {}{least}", many(item))
        }
        Form::Map(item, _) => format!("an object that holds {} by path", many(item)),
        Form::Nullable(form) => wanted(form),
        Form::Either(forms) => {
            let each: Vec<String> = forms.iter().map(wanted).collect();
            each.join(", or ")
        }
        Form::Word(words) => format!("one of {}", words.join(", ")),
        Form::Id(id) => format!("an id, {id}"),
        Form::Count(least) => format!("a whole number from {least} on"),
        Form::Object(object) | Form::Part(object) => format!("an object with {}", members(object)),
        Form::Text(_) | Form::Versioned(_) => "a text".to_owned(),
        Form::Any | Form::Flag | Form::Measure | Form::Tagged(_) => String::new(),
    }
}

/// The same of several.
fn many(form: &Form) -> String {
    match form {
        Form::Text(_) | Form::Versioned(_) | Form::Id(_) => "texts".to_owned(),
        Form::Object(object) | Form::Part(object) => format!("objects with {}", members(object)),
        Form::Either(forms) => {
            let each: Vec<String> = forms.iter().map(many).collect();
            each.join(", or ")
        }
        _ => "values".to_owned(),
    }
}

fn members(object: &Object) -> String {
    let all = object.members.iter().map(|one| match one.presence {
        Presence::Optional => format!("`{}` (may be left out)", one.name),
        Presence::Required | Presence::Given => format!("`{}`", one.name),
    });
    all.collect::<Vec<_>>().join(", ")
}

/// Everything that is wrong with the form of a payload.
fn faults(action: Action, payload: &Value) -> Vec<Found> {
    let whole = Form::Object(action.payload());
    let inside = format!("{PLAN}[");
    let all = whole.faults(payload).into_iter();
    let mut found: Vec<Found> = all
        .map(|fault| Found::of(&whole, "", fault))
        .filter(|one| !one.place.starts_with(&inside))
        .collect();
    // Each module by its own form: which one it has, the list cannot say.
    let modules = payload[PLAN].as_array().into_iter().flatten();
    for (at, module) in modules.enumerate() {
        let form = form_of(module);
        let before = format!("{inside}{at}]");
        let own = form.faults(module).into_iter();
        found.extend(own.map(|fault| Found::of(&form, &before, fault)));
    }
    found
}

pub(super) fn missing(path: &str, wanted: &str) -> Refusal {
    let wanted = match wanted {
        "" => String::new(),
        wanted => format!(": {wanted}"),
    };
    Refusal::new(
        "payload_member_missing",
        format!("`{path}` is missing{wanted}"),
        format!("add `{path}` to the payload"),
    )
}

pub(super) fn mistyped(path: &str, wanted: &str) -> Refusal {
    Refusal::new(
        "payload_member_mistyped",
        format!("`{path}` is not {wanted}"),
        format!("give {wanted}"),
    )
}

/// Refuses everything at once: under the code of the first, with what is wrong with each.
pub(crate) fn together(all: Vec<Refusal>) -> Result<(), Refusal> {
    let mut all = all.into_iter();
    let Some(mut first) = all.next() else {
        return Ok(());
    };
    let mut alone = true;
    for one in all {
        first.what = format!("{}; {}", first.what, one.what);
        // The mends of one kind are alike.
        if one.code != first.code && !first.mend.contains(&one.mend) {
            first.mend = format!("{}; {}", first.mend, one.mend);
        }
        alone = false;
    }
    if !alone && first.code.starts_with("payload_member") {
        first.mend = format!("mend all of them: {FORM}");
    }
    Err(first)
}

/// What a payload is refused for: it has not the form of its action, or names files that are none of a
/// module.
pub(super) fn wrong(action: Action, payload: &Value) -> Vec<Refusal> {
    let mut found = faults(action, payload);
    // An id that is none and a text that says little are judged with the plan and by people.
    found.retain(|one| match one.fault.cause {
        Cause::Wording => false,
        // What the planner writes is read by its form.
        Cause::Id => one.names.contains(&"io_contract"),
        _ => true,
    });
    // A name that is misspelt is told before the one that is missing by that.
    found.sort_by_key(|one| one.fault.cause != Cause::Unknown);
    let mut all: Vec<Refusal> = found.iter().map(Found::refusal).collect();
    let amends = ["amended_acceptance_criteria", "amended_cases"];
    if action == Action::AmendSpec && amends.iter().all(|name| payload.get(name).is_none()) {
        let what = "a list of texts, at least one; or `amended_cases`, what is changed of the product's cases";
        all.push(missing(amends[0], what));
    }
    let files = payload["fix_artifacts"].as_object();
    let names = || files.into_iter().flat_map(|files| files.keys());
    for name in names() {
        if !is_of_a_module(name) {
            all.push(Refusal::new(
                "fix_path_outside",
                format!("`{name}` is no file of a module"),
                "give paths below `implementation/` or `tests/`, `examples.md` or `contract.json`",
            ));
        }
        all.extend(apart(name, names()).err());
    }
    all
}

fn is_of_a_module(name: &str) -> bool {
    let mut parts = name.split('/');
    let plain = !parts.clone().any(|part| {
        matches!(part, "" | "." | "..") || part.len() > 200 || part.chars().any(char::is_control)
    });
    let known = matches!(
        (parts.next(), parts.next()),
        (Some("implementation" | "tests"), Some(_)) | (Some("examples.md" | "contract.json"), None)
    );
    // The ship writes the log, over whatever stands there.
    plain && known && name != "tests/execution_log.json"
}

/// Refuses a file that would be the folder of one of the others.
pub(crate) fn apart<'a>(
    name: &str,
    others: impl IntoIterator<Item = &'a String>,
) -> Result<(), Refusal> {
    let inside = |other: &&String| {
        let rest = other.strip_prefix(name);
        rest.is_some_and(|rest| rest.starts_with('/'))
    };
    match others.into_iter().find(inside) {
        None => Ok(()),
        Some(other) => Err(Refusal::new(
            "fix_paths_collide",
            format!("`{name}` cannot be a file and the folder of `{other}`"),
            "give each file a path of its own, below no other file",
        )),
    }
}

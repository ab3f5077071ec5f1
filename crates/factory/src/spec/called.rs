//! The cases of a library: calls of the names at its top, and what must hold of the answers, in the form
//! that exams have. Whoever asks them is elsewhere.

use super::{Case, Product, ProductForm, ProductSpec, Tongue};
use crate::deficiency::Deficiency;
use kernel::exam;
use kernel::exam::Driver;
use kernel::form::Fault;
use languages::product::called;
use serde_json::Value;

/// The member of a case with its calls, and the one with what must hold.
pub(super) const OWN: [&str; 2] = ["steps", "holds"];

impl Case {
    /// As whoever asks a product has it.
    pub fn asked(&self, number: usize) -> exam::Case {
        exam::Case {
            id: number.to_string(),
            clause: self.shows.join(", "),
            alone: false,
            steps: self.steps.clone(),
            holds: self.holds.clone(),
        }
    }

    /// As roles are told of it: what the form has no place for is not there.
    pub(crate) fn told(&self) -> Value {
        let mut told = serde_json::to_value(self).unwrap_or_default();
        if !self.steps.is_empty()
            && let Some(members) = told.as_object_mut()
        {
            members.remove("given");
        }
        told
    }
}

/// The names that a library's cases call, each once.
pub(crate) fn names(product: &Product) -> Vec<&str> {
    let steps = product.cases.iter().flat_map(|case| &case.steps);
    let mut names: Vec<&str> = steps.map(|step| step.call.as_str()).collect();
    names.retain(|name| !name.starts_with('.'));
    names.sort_unstable();
    names.dedup();
    names
}

/// What of the calls and claims of a text has another form.
pub(super) fn unformed(spec: &Value) -> Vec<Deficiency> {
    let cases = spec["product"]["cases"].as_array();
    let mut found = Vec::new();
    for (at, case) in cases.into_iter().flatten().enumerate() {
        let members = Case::OBJECT.members.iter();
        for member in members.filter(|member| OWN.contains(&member.name)) {
            let Some(value) = case.get(member.name) else {
                continue;
            };
            let place = format!("$.product.cases[{at}].{}", member.name);
            found.extend(member.form.faults(value).into_iter().map(|fault| {
                let inside = fault.path.trim_start_matches('$').to_owned();
                let fault = Fault {
                    path: format!("{place}{inside}"),
                    ..fault
                };
                Deficiency::from(fault)
            }));
        }
    }
    found
}

/// What a library's cases cannot be asked.
pub(super) fn judge(spec: &ProductSpec) -> Vec<Deficiency> {
    let product = spec.product.as_ref();
    let Some(product) = product.filter(|one| one.form == ProductForm::Library) else {
        return Vec::new();
    };
    let cases = product.cases.iter().enumerate();
    let found = cases.flat_map(|(at, case)| {
        let path = format!("$.product.cases[{at}]");
        faults(case, product.language, &path)
    });
    found.collect()
}

/// What of a case cannot be asked of a library in this language.
pub(super) fn faults(case: &Case, tongue: Option<Tongue>, path: &str) -> Vec<Deficiency> {
    let mut found = Vec::new();
    let mut say = |code: &'static str, path: &str, field: &str, what: &str| {
        found.push(Deficiency::error(code, path, field, what));
    };
    let of_command = !case.given.is_empty() || case.prints.is_some() || case.refuses.is_some();
    if case.steps.is_empty() || case.holds.is_empty() || of_command {
        let what = "a case of a library has `steps`, which call names at its top, and `holds`, what must hold of the answers, and nothing that is read or printed";
        say("case_without_end", path, "steps", what);
    }
    for (at, step) in case.steps.iter().enumerate() {
        let path = format!("{path}.steps[{at}]");
        if !called::is_name(&step.call) {
            let what = "write the name alone, as the product has it at its top: a letter, then letters, digits and `_`";
            say("bad_call", &path, "call", what);
        } else if step.call.starts_with('.') && tongue.is_none_or(|one| one == Tongue::Rust) {
            let what = "only Python and JavaScript have methods of an answer; say `language`, or call a name at the top";
            say("bad_call", &path, "call", what);
        }
    }
    // Where nobody has said which language it is, what holds in all of them.
    let driver = tongue.map_or(Driver::Rust, |one| called::driver(one.language()));
    let language = tongue.map_or(languages::Language::Rust, Tongue::language);
    let asked = called::for_driver(&case.asked(1), "product", language);
    let mut wrong = Vec::new();
    if found.is_empty() {
        asked.rules(driver, path, &mut wrong);
    }
    found.extend(wrong.into_iter().map(Deficiency::from));
    found
}

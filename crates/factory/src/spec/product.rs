//! What a spec says of the product itself: what it is called, what people run or call, and what that
//! must do as a whole. Modules are made of tasks; this is what they are for.

use super::{ProductSpec, Task};
use crate::deficiency::Deficiency;
use crate::ids;
use kernel::exam::{Claim, Step};
use kernel::form::{FILLED, Form as Shape, Formed, Rule, Size, TEXT, Wrong};
use kernel::{document, words};
use languages::product::called::shown;
use std::collections::BTreeSet;
use std::fmt;

words! {
    /// What comes out.
    pub enum Form {
        /// Something to run: one task's module turns what is read into what is printed.
        Command = "command",
        /// Something to call.
        Library = "library",
        /// Nothing but the modules, and `why` says why that is enough.
        None = "none",
    }
}

words! {
    /// What all of its modules are written in.
    pub enum Tongue {
        Rust = "rust",
        Python = "python",
        JavaScript = "javascript",
    }
}

impl Tongue {
    /// The language itself.
    pub fn language(self) -> languages::Language {
        match self {
            Tongue::Rust => languages::Language::Rust,
            Tongue::Python => languages::Language::Python,
            Tongue::JavaScript => languages::Language::JavaScript,
        }
    }
}

/// A package's name, as cargo and pip take it.
const NAME: Shape = Shape::Text(Rule {
    pattern: "^[a-z][a-z0-9-]{0,63}$",
    most: 64,
    judge: |text| {
        let fits = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
        let good = text.starts_with(|c: char| c.is_ascii_lowercase())
            && text.len() <= 64
            && text.chars().all(fits)
            && !text.starts_with("mm-");
        match good {
            true => None,
            false => Wrong::content(
                "bad_product_name",
                "a package is called by at most 64 small letters, digits and hyphens, a letter first, and not like a module (`mm-...`)",
            ),
        }
    },
});

document! {
    /// The product itself.
    #[derive(Eq)]
    pub struct Product as "SpecProduct" {
        /// The package: small letters, digits and hyphens.
        name: String = NAME,
        /// What comes out.
        form: Form,
        /// What it is written in; left out: the first module that ships decides.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        language?: Option<Tongue> = Tongue::FORM,
        /// The task whose module stands at the front: a command calls it, a library has its names at the top.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        entry?: Option<String> = Shape::Id(ids::SPEC_TASK),
        /// What the product must do as a whole, which the engine runs or asks.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        cases?: Vec<Case> = Shape::List(&Case::FORM, Size::SOME),
        /// Why no product is needed, where there is none.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        why?: Option<String> = FILLED,
    }
}

document! {
    /// One run of a command: what it reads, and what it prints or how it refuses; or what a library is asked: calls of names at its top, and what must hold of the answers.
    #[derive(Eq)]
    pub struct Case as "SpecCase" {
        /// What it shows: stories (`STR-001`), and success criteria of epics (`EPC-001/1`).
        shows: Vec<String> = Shape::List(&FILLED, Size::SOME),
        /// On standard input; left out: nothing.
        #[serde(default)]
        given?: String = TEXT,
        /// What it prints, when it succeeds.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        prints?: Option<String> = TEXT,
        /// What it says on standard error, when it fails.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        refuses?: Option<String> = FILLED,
        /// Of a library: the calls, in their order. `call` is a name at the top of the product, or `.METHOD` of the first input (Python, JavaScript); inputs are JSON.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        steps?: Vec<Step> = Shape::List(&Step::FORM, Size::SOME),
        /// Of a library: what must hold of the answers, all of it.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        holds?: Vec<Claim> = Shape::List(&Claim::FORM, Size::SOME),
    }
}

impl fmt::Display for Case {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if !self.steps.is_empty() {
            let calls: Vec<String> = self.steps.iter().map(shown).collect();
            let claims: Vec<String> = self.holds.iter().map(ToString::to_string).collect();
            return write!(f, "{}: {}", calls.join(", "), claims.join(", "));
        }
        write!(f, "given {:?}, it ", self.given)?;
        match (&self.prints, &self.refuses) {
            (_, Some(why)) => write!(f, "refuses with {why:?}"),
            (printed, None) => write!(f, "prints {:?}", printed.as_deref().unwrap_or_default()),
        }
    }
}

/// Everything that a case can show: stories, and success criteria by number.
fn promised(spec: &ProductSpec) -> Vec<String> {
    let mut all = Vec::new();
    for epic in spec.pillars.iter().flat_map(|pillar| &pillar.epics) {
        let criteria = 1..=epic.success_criteria.len();
        all.extend(criteria.map(|number| format!("{}/{number}", epic.epic_id)));
        all.extend(epic.stories.iter().map(|story| story.story_id.clone()));
    }
    all
}

/// What of a product cannot be: it needs the whole spec to say so.
pub(super) fn judge(spec: &ProductSpec) -> Vec<Deficiency> {
    let Some(product) = &spec.product else {
        return Vec::new();
    };
    let mut found = Vec::new();
    let mut say = |code, path: &str, field: &str, what: String| {
        found.push(Deficiency::error(code, path, field, what));
    };
    let at = "$.product";
    match (product.form, &product.entry, &product.why) {
        (Form::Command, None, _) => {
            let what = "a command needs an entry: the task whose module turns text into text";
            say("missing_entry", at, "entry", what.to_owned());
        }
        (Form::None, _, None) => {
            let what = "say why the modules alone are enough";
            say("missing_reason", at, "why", what.to_owned());
        }
        _ => {}
    }
    if let Some(entry) = &product.entry
        && !spec.tasks().any(|(.., task)| task.task_id == *entry)
    {
        let what = format!("`{entry}` is no task of this spec");
        say("unknown_reference", at, "entry", what);
    }
    match (product.form, product.cases.is_empty()) {
        (Form::None, false) => {
            let what =
                "where nothing is put together of the modules, there is nothing to run or to ask";
            say("case_without_command", at, "cases", what.to_owned());
            return found;
        }
        // Since the form 9 of briefs a new one has some (`ending`).
        (Form::None, true) | (Form::Library, true) => return found,
        (Form::Command, _) | (Form::Library, false) => {}
    }
    let open = unshown(spec, product);
    if !open.is_empty() {
        say("not_shown", at, "cases", not_shown(&open));
    }
    let promised = promised(spec);
    for (index, case) in product.cases.iter().enumerate() {
        let path = format!("{at}.cases[{index}]");
        let of_library = !case.steps.is_empty() || !case.holds.is_empty();
        let ends = case.prints.is_some() != case.refuses.is_some();
        if product.form == Form::Command && (of_library || !ends) {
            let what = "a case of a command either `prints` or `refuses`; `steps` and `holds` are a library's";
            say("case_without_end", &path, "prints", what.to_owned());
        }
        for (number, one) in case.shows.iter().enumerate() {
            if !promised.contains(one) {
                let what = format!(
                    "`{one}` is neither a story (STR-001) nor a success criterion (EPC-001/1) of this spec"
                );
                say(
                    "unknown_reference",
                    &path,
                    &format!("shows[{number}]"),
                    what,
                );
            }
        }
    }
    found
}

/// What of the spec no case shows.
fn unshown(spec: &ProductSpec, product: &Product) -> Vec<String> {
    let shown = product.cases.iter().flat_map(|case| &case.shows);
    let shown: BTreeSet<&String> = shown.collect();
    let mut open = promised(spec);
    open.retain(|one| !shown.contains(one));
    open
}

fn not_shown(open: &[String]) -> String {
    format!(
        "no case shows {}: every story and every success criterion is shown by the product itself",
        open.join(", ")
    )
}

/// What a new spec of a library is held to since the form 9: it has cases, as a command has.
pub(super) fn shows_all(spec: &ProductSpec) -> Option<Deficiency> {
    let product = spec.product.as_ref()?;
    let asked = product.form == Form::Library && product.cases.is_empty();
    let what = || not_shown(&unshown(spec, product));
    asked.then(|| Deficiency::error("not_shown", "$.product", "cases", what()))
}

/// What a new spec is held to beyond that: a product ends with its assembly, the task of its entry.
pub(super) fn ending(spec: &ProductSpec) -> Vec<Deficiency> {
    let product = spec.product.as_ref();
    let Some(product) = product.filter(|one| one.form != Form::None) else {
        return Vec::new();
    };
    let mut found = Vec::new();
    let Some(entry) = &product.entry else {
        let what = "a library needs an entry as well: the task whose module is its assembly and has its names at the top";
        found.push(Deficiency::error(
            "missing_entry",
            "$.product",
            "entry",
            what,
        ));
        return found;
    };
    let waits = |task: &&Task| task.depends_on.contains(entry);
    let after: Vec<&str> = spec
        .tasks()
        .map(|(.., task)| task)
        .filter(waits)
        .map(|task| task.task_id.as_str())
        .collect();
    if !after.is_empty() {
        let what = format!(
            "the entry is the assembly, which a product ends with, and {} depends on it; let a task of its own stand at the front",
            after.join(", ")
        );
        found.push(Deficiency::error(
            "assembly_not_last",
            "$.product",
            "entry",
            what,
        ));
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{Value, json};

    fn spec(product: Value) -> Value {
        let mut spec: Value =
            serde_json::from_str(include_str!("../../../proofhouse/demo/factory/spec.json"))
                .unwrap();
        spec["product"] = product;
        spec
    }

    fn codes(product: Value) -> Vec<String> {
        let report = crate::spec::validate(&serde_json::to_vec(&spec(product)).unwrap());
        report
            .errors
            .iter()
            .map(|one| one.code.to_string())
            .collect()
    }

    fn all() -> Vec<String> {
        let spec: ProductSpec = serde_json::from_value(spec(json!(null))).unwrap();
        promised(&spec)
    }

    #[test]
    fn a_product_is_judged_against_the_whole_spec() {
        let case =
            json!({"shows": all(), "given": "a 1 x 1.00", "prints": "1 item, 1.00 in total"});
        let good =
            json!({"name": "receipt", "form": "command", "entry": "TSK-007", "cases": [case]});
        assert_eq!(codes(good.clone()), Vec::<String>::new());
        let none = json!({"name": "parts", "form": "none", "why": "others put them together"});
        assert_eq!(codes(none), Vec::<String>::new());
        let library = json!({"name": "receipt", "form": "library"});
        assert_eq!(codes(library), Vec::<String>::new());
        let changes: [(&str, Value, &str); 9] = [
            ("/name", json!("Receipt Reader"), "bad_product_name"),
            ("/name", json!("mm-total"), "bad_product_name"),
            ("/form", json!("service"), "unknown_word"),
            ("/entry", json!("TSK-099"), "unknown_reference"),
            ("/cases/0/shows/0", json!("STR-099"), "unknown_reference"),
            ("/cases/0/refuses", json!("Empty"), "case_without_end"),
            ("/cases/0/shows", json!(["STR-001"]), "not_shown"),
            ("/form", json!("library"), "case_without_end"),
            (
                "/cases/0/holds",
                json!([{"of": 0, "is": "fails"}]),
                "case_without_end",
            ),
        ];
        for (pointer, value, code) in changes {
            let mut product = good.clone();
            let (parent, last) = pointer.rsplit_once('/').unwrap();
            match (product.pointer_mut(parent).unwrap(), last.parse::<usize>()) {
                (Value::Array(list), Ok(at)) => list[at] = value,
                (parent, _) => parent[last] = value,
            }
            let found = codes(product);
            assert!(found.iter().any(|one| one == code), "{pointer}: {found:?}");
        }
    }

    #[test]
    fn a_new_product_ends_with_its_assembly() {
        let codes = |product: Value| -> Vec<String> {
            let text = serde_json::to_vec(&spec(product)).unwrap();
            let read = crate::spec::read_new(&text, crate::engineering::kind::ASSEMBLES);
            let errors = read.err().map_or(Vec::new(), |report| report.errors);
            errors.iter().map(|one| one.code.to_string()).collect()
        };
        let library = |entry: Value| json!({"name": "receipt", "form": "library", "entry": entry});
        assert_eq!(codes(library(json!("TSK-007"))), [""; 0]);
        assert_eq!(
            codes(json!({"name": "receipt", "form": "library"})),
            ["missing_entry"]
        );
        assert_eq!(codes(library(json!("TSK-003"))), ["assembly_not_last"]);
        let none = json!({"name": "parts", "form": "none", "why": "others put them together"});
        assert_eq!(codes(none), [""; 0], "a spec that needs none says so");
    }
}

//! The minimum test coverage of rule F5.4, judged by the names of tests that were run. Every
//! constraint, invariant and error surface of a contract has a key; a test covers it by carrying
//! the key in front of its name. Names come from the execution log, so nobody can merely claim.
//! It does not judge what a test asserts: that is what replacing the module by stubs is for.

use super::SurfaceRef;
use crate::plan::{Siblings, slug};
use serde::{Deserialize, Serialize};

/// The categories of rule F5.4 that names can show.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Category {
    /// Minimum 1.
    InputConstraint,
    /// Minimum 2.
    OutputInvariant,
    /// Minimum 3.
    ErrorSurface,
    /// Minimum 4.
    HappyPath,
}

/// Something that at least one test must show.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Requirement {
    /// Which minimum.
    pub category: Category,
    /// What the test's name begins with, after an optional `test_`.
    pub key: String,
    /// What is to be shown, in the contract's words.
    pub what: String,
}

impl Requirement {
    /// As a failure entry of a challenge says it.
    pub fn failure(&self) -> String {
        let category = match self.category {
            Category::InputConstraint => "input constraint",
            Category::OutputInvariant => "output invariant",
            Category::ErrorSurface => "error surface",
            Category::HappyPath => "happy path",
        };
        format!(
            "no test for {category}: {}; name one `{}`",
            self.what, self.key
        )
    }
}

/// Everything that the tests of a module with this surface must show. Keys are `input__NAME__N`,
/// `output__NAME__N` (N counts the item's constraints or invariants from 1), `error__NAME` and
/// `happy_path`.
pub fn required(surface: SurfaceRef<'_>) -> Vec<Requirement> {
    let mut all = vec![Requirement {
        category: Category::HappyPath,
        key: "happy_path".to_owned(),
        what: "valid inputs give the expected output".to_owned(),
    }];
    let inputs = surface
        .inputs
        .iter()
        .map(|input| (&input.name, &input.constraints));
    let outputs = surface
        .outputs
        .iter()
        .map(|output| (&output.name, &output.invariants));
    numbered(&mut all, Category::InputConstraint, "input", inputs);
    numbered(&mut all, Category::OutputInvariant, "output", outputs);
    let mut names = Siblings::default();
    for error in surface.error_surfaces {
        all.push(Requirement {
            category: Category::ErrorSurface,
            key: format!("error__{}", names.name(slug(&error.name)).replace('-', "_")),
            what: format!("{} when {}", error.name, error.when),
        });
    }
    all
}

/// The inputs themselves, by key: each is bound by its type, whatever else it is bound by.
pub fn inputs(surface: SurfaceRef<'_>) -> Vec<String> {
    let mut names = Siblings::default();
    let key = |name: &str, names: &mut Siblings| names.name(slug(name)).replace('-', "_");
    let inputs = surface.inputs.iter();
    inputs
        .map(|input| format!("input__{}", key(&input.name, &mut names)))
        .collect()
}

fn numbered<'c>(
    all: &mut Vec<Requirement>,
    category: Category,
    prefix: &str,
    items: impl Iterator<Item = (&'c String, &'c Vec<String>)>,
) {
    let mut names = Siblings::default();
    for (name, texts) in items {
        let own = names.name(slug(name)).replace('-', "_");
        for (index, text) in texts.iter().enumerate() {
            all.push(Requirement {
                category,
                key: format!("{prefix}__{own}__{}", index + 1),
                what: format!("{name}: {text}"),
            });
        }
    }
}

/// What no test shows. Only the names of tests that were run and passed belong in here.
pub fn missing<'t>(
    surface: SurfaceRef<'_>,
    tests: impl IntoIterator<Item = &'t str>,
) -> Vec<Requirement> {
    let names: Vec<String> = tests.into_iter().map(bare).collect();
    let required = required(surface);
    let shown: Vec<&Requirement> = names
        .iter()
        .filter_map(|name| shown_by(name, &required))
        .collect();
    let missing = required.iter().filter(|one| !shown.contains(one));
    missing.cloned().collect()
}

/// Those of these tests that carry a key of the contract: what the module is proven by.
pub fn covering<'t>(
    surface: SurfaceRef<'_>,
    tests: impl IntoIterator<Item = &'t str>,
) -> Vec<&'t str> {
    let required = required(surface);
    let carries = |name: &&str| shown_by(&bare(name), &required).is_some();
    tests.into_iter().filter(carries).collect()
}

/// What a test is to show by its name, if it carries a key of the contract.
pub fn category(surface: SurfaceRef<'_>, test: &str) -> Option<Category> {
    shown_by(&bare(test), &required(surface)).map(|one| one.category)
}

/// `tests::unit::test_error__empty[0]` is `error__empty`.
fn bare(name: &str) -> String {
    let name = name.split(['[', '(']).next().unwrap_or_default();
    let last = name
        .rsplit([':', '.', '/', ' '])
        .next()
        .unwrap_or_default()
        .to_lowercase();
    let last = last.trim_matches('_');
    last.strip_prefix("test_").unwrap_or(last).to_owned()
}

/// What a test with this name shows: the key that it begins with, alone or with `_` and more behind it; of two, the
/// longer one.
fn shown_by<'r>(name: &str, required: &'r [Requirement]) -> Option<&'r Requirement> {
    let begins = |one: &&Requirement| {
        let rest = name.strip_prefix(one.key.as_str());
        rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('_'))
    };
    required
        .iter()
        .filter(begins)
        .max_by_key(|one| one.key.len())
}

//! The product of a release, put together of shipped modules: gathered from the state store, tried in
//! a clean folder as a gate of the release, and given to people as files and as a branch. What is
//! given is, byte for byte, what was tried.

mod asked;
mod branch;
mod export;
mod tried;

pub(super) use branch::follow;
pub use branch::{commit_of as release_commit, faults as branch_faults, name as branch_name};
pub use export::{Exported, export};
pub(super) use tried::check;

use super::found::{Broke, Given};
use super::modules::{LOG, Stored};
use super::{scratch, surface};
use ::factory::delivery::promised::Promised;
use ::factory::project::ModuleRef;
use ::factory::spec::{Case, ProductForm};
use languages::Language;
use languages::product::{self, Command, Part, Product, Shows, Then, readme};
use serde::Deserialize;
use std::collections::BTreeSet;

/// What a release asks to be put together.
#[derive(Deserialize)]
struct Asked {
    modules: Vec<ModuleRef>,
    version: String,
    promised: Promised,
    /// The module that stands at the front.
    front: Option<ModuleRef>,
    /// What no case of the product shows: epics with their stories.
    #[serde(default)]
    unshown: Vec<String>,
    /// How errors are printed; none: as they are made of.
    #[serde(default)]
    errors: Option<Errors>,
}

/// How a command prints an error.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Errors {
    /// In its own words, where it has some.
    InWords,
}

/// A product, and how people test it.
struct Assembled {
    title: String,
    language: Language,
    product: Product,
    test: Vec<&'static str>,
}

/// Gathers it. What was sealed is taken as it was sealed, or not at all.
fn assemble(given: &Given<'_>, asked: &Asked) -> Result<Assembled, Broke> {
    let root = given.context.project.home();
    let mut parts = Vec::new();
    let mut language = None;
    let mut runners = BTreeSet::new();
    for reference in &asked.modules {
        let module = Stored::at(&root, reference);
        let broken = module.broken()?;
        if !broken.is_empty() {
            return Err(format!("the seal of {reference} is broken: {}", broken.join(", ")).into());
        }
        let own = scratch::language(&module)?;
        if *language.get_or_insert(own) != own {
            let why = format!("{reference} is in {}, and others are not", own.as_str());
            return Err(format!("a product is in one language: {why}").into());
        }
        runners.insert(module.tested()?.runner);
        let part = part(&root, &module)?;
        if parts.iter().any(|one: &Part| one.package == part.package) {
            let why = format!("two versions of {} are in the release", reference.module);
            return Err(why.into());
        }
        parts.push(part);
    }
    let Some(language) = language else {
        return Err(
            "nothing is shipped, so that there is nothing to put together"
                .to_owned()
                .into(),
        );
    };
    let promised = &asked.promised.product;
    let front = match (&asked.front, &promised.entry) {
        (Some(front), _) if asked.modules.contains(front) => Some(front),
        (Some(front), _) => return Err(format!("its front, {front}, is not released").into()),
        (None, Some(entry)) => {
            let why = format!("its entry is {entry}, and that task shipped no module");
            return Err(why.into());
        }
        (None, None) => None,
    };
    let command = match (promised.form, front) {
        (ProductForm::Command, Some(front)) => Some(command(given, &root, front, &parts, asked)?),
        _ => None,
    };
    let tried_with = match (language, asked.modules.first()) {
        (Language::Python, Some(first)) => python(given, &Stored::at(&root, first))?,
        _ => None,
    };
    let mut test = product::Ordinary::of(language).test.to_vec();
    if runners.iter().any(|one| one.starts_with("pytest")) {
        test = vec!["python3", "-m", "pytest"];
    }
    let mut product = Product {
        name: promised.name.clone(),
        version: asked.version.clone(),
        about: asked.promised.about.clone(),
        parts,
        front: front.map(scratch::package),
        command,
        cases: promised.cases.iter().zip(1..).map(case).collect(),
        readme: String::new(),
        tried_with,
    };
    let title = asked.promised.title.clone();
    product.readme = readme::text(&title, &product, language, &test, &[]);
    Ok(Assembled {
        title,
        language,
        product,
        test,
    })
}

fn part(root: &std::path::Path, module: &Stored) -> Result<Part, Broke> {
    let contract = module.contract()?;
    let mut uses = Vec::new();
    for one in &contract.dependencies {
        let used = scratch::find(root, &one.reference)?;
        uses.push(scratch::package(&used.reference));
    }
    let mut tests = module.texts("tests")?;
    tests.retain(|path, _| format!("tests/{path}") != LOG);
    Ok(Part {
        package: scratch::package(&module.reference),
        version: module.reference.version.to_string(),
        purpose: contract.purpose,
        uses,
        code: module.texts("implementation")?,
        tests,
    })
}

/// What is run: the entry of the front module, read from its code.
fn command(
    given: &Given<'_>,
    root: &std::path::Path,
    front: &ModuleRef,
    parts: &[Part],
    asked: &Asked,
) -> Result<Command, Broke> {
    let module = Stored::at(root, front);
    let contract = module.contract()?;
    let laid = surface::lay_out(given.context, given.order, &module)?;
    let code = surface::extract(given.context, given.order, &module, &laid, given.cancel)?;
    let package = scratch::package(front);
    let mut command = Command::of(&package, laid.language, contract.surface(), &code.surface)?;
    let mut functions = code.surface.functions();
    let entry = functions.find(|(item, _)| item.name == command.function);
    if let (Some(Errors::InWords), Some((_, entry))) = (asked.errors, entry) {
        command.error = Shows::of(parts, entry);
    }
    Ok(command)
}

/// The version of Python that it is tried with, `3.11`, as what reads its modules says.
fn python(given: &Given<'_>, module: &Stored) -> Result<Option<String>, Broke> {
    let laid = surface::lay_out(given.context, given.order, module)?;
    let code = surface::extract(given.context, given.order, module, &laid, given.cancel)?;
    let whole = code.runner.rsplit(' ').next().unwrap_or_default();
    let mut numbers = whole.split('.');
    let two = (numbers.next(), numbers.next());
    Ok(match two {
        (Some(major), Some(minor)) => Some(format!("{major}.{minor}")),
        _ => None,
    })
}

fn case((case, number): (&Case, usize)) -> product::Case {
    product::Case {
        shows: format!("Shows {}.", case.shows.join(", ")),
        given: case.given.clone(),
        then: match (&case.prints, &case.refuses) {
            _ if !case.steps.is_empty() => Then::Answers(Box::new(case.asked(number))),
            (_, Some(why)) => Then::Refuses(why.clone()),
            (printed, None) => Then::Prints(printed.clone().unwrap_or_default()),
        },
    }
}

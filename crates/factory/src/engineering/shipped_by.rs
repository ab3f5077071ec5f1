//! What a Proposer is told of the ship: the rules that its workspace will be held to.

use super::kind::{HOLDS, Kind, TELLS};
use super::scene::Scene;
use super::told;
use crate::contract::{coverage, from_plan};
use crate::micro_plan::IoContract;
use crate::project::types::ModuleId;
use languages::rust::EDITION;
use std::fmt::Write;

/// What a ship will ask of a workspace, so that nobody has to guess it (rules F5.4, F11.3, F12.4).
pub(super) fn ship_rules(
    scene: &Scene<'_>,
    module: &ModuleId,
    contract: Option<&IoContract>,
) -> String {
    let name = module.as_str().to_lowercase().replace('-', "_");
    if scene.briefs >= 3 {
        return told_rules(scene, &name, contract);
    }
    let text = format!(
        "The ship step will judge it, with the tests run by the engine:\n\n\
         - One language: Rust (`implementation/lib.rs`, the crate `{name}`) or Python (`implementation/__init__.py`, the package `{name}`).\n\
         - Public is one function for each mode of the contract: its parameters are the inputs, by name and in order; it returns the outputs. Each error surface has a public name of its own: a variant of the error enum in Rust, an exception in Python. Nothing else is public, save types that the contract names.\n\
         - Tests are `tests/*.rs` or `tests/test_*.py`. They call what is public and nothing else, none is skipped, and each fails when the implementation is taken out, or answers everything alike where the test's name is about the answer.\n\
         - `examples.md` has an example of a valid call and one of each error: a heading, a sentence, and input and output in fenced blocks, with real values.\n\
         - `contract.json` is locked, and `ship.json` and `seal.json` are the engine's."
    );
    text + &names_of_tests(contract)
}

/// The same since the form 3: languages as a table, and the rules of an assembly.
fn told_rules(scene: &Scene<'_>, name: &str, contract: Option<&IoContract>) -> String {
    let tongue = scene.promised.and_then(|one| one.product.language);
    let language = match tongue.filter(|_| scene.briefs >= HOLDS) {
        Some(tongue) => format!("the product's, {}", tongue.language().as_str()),
        None => "that of the modules it depends on".to_owned(),
    };
    let python = match scene.briefs {
        ..TELLS => "`tests/test_*.py`",
        _ => told::PYTHON_TESTS,
    };
    let edition = match scene.briefs {
        ..TELLS => String::new(),
        _ => format!(", edition {EDITION}"),
    };
    let mut text = format!(
        "The ship step will judge it, with the tests run by the engine:\n\n\
         - One language, {language}:\n\n\
         | language | root of `implementation/` | called in code | tests |\n|---|---|---|---|\n\
         | Rust | `lib.rs`{edition} | the crate `{name}` | `tests/*.rs` |\n\
         | Python | `__init__.py` | the package `{name}` | {python} |\n\
         | JavaScript | `index.mjs`, an ES module | `#{name}` | `tests/*.test.mjs` with `node:test` |\n\n\
         - Public is one function for each mode of the contract: its parameters are the inputs, by name and in order; it returns the outputs. Each error surface has a public name of its own: a variant of the error enum in Rust, an exception in Python, a class that extends `Error` in JavaScript.\n"
    );
    text.push_str(match scene.kind {
        Kind::Modules => "- Nothing else is public, save types that the contract names.\n",
        Kind::Assembly => "- This is the product's assembly. Beside that it may hand on public names of the modules that it depends on, each written out: `pub use mm_x::Name;`, `from mm_x import Name` with `__all__`, `export { Name } from \"#mm_x\";`. Nothing else is public.\n",
    });
    if scene.briefs >= TELLS {
        text.push_str(told::PUBLIC);
    }
    text.push_str(
        "- Tests call what is public and nothing else, none is skipped, and each fails when the implementation is taken out, or answers everything alike where the test's name is about the answer.\n\
         - `examples.md` has an example of a valid call and one of each error: a heading, a sentence, and input and output in fenced blocks, with real values.\n\
         - `contract.json` is locked, and `ship.json` and `seal.json` are the engine's.",
    );
    if scene.debate().is_some_and(|debate| debate.exam.is_some()) {
        text.push_str(EXAMINED);
    }
    text + &names_of_tests(contract)
}

/// Said where an exam waits, without a word of it.
const EXAMINED: &str = "\n\nSomebody who sees the contract and no code asks the module as well, with inputs that nobody shows you: by its mode, in a room without tests. What does not hold is told to you with its clause.";

fn names_of_tests(contract: Option<&IoContract>) -> String {
    let mut text = String::new();
    if let Some(contract) = contract {
        let surface = from_plan::surface(contract);
        let required = coverage::required(surface.surface());
        text.push_str("\n\nNames of tests begin, after an optional `test_`, with these; there is at least one each:\n");
        for one in required {
            let _ = write!(text, "\n- `{}`: {}", one.key, one.what);
        }
    }
    text
}

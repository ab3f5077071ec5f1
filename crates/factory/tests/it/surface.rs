//! What a module's code makes public against its contract (rules F5.4, F5.6 and F11.2): what fits, and
//! what is declared and not there. What is there and not declared is in `undeclared.rs`.

mod undeclared;

use factory::contract::{Surface, from_plan};
use factory::micro_plan::IoContract;
use languages::{Extracted, Language, Rules, entry_points, judge, judge_by, rust};
use std::collections::BTreeMap;

fn list(lines: &[&str]) -> Vec<String> {
    lines.iter().map(|line| (*line).to_owned()).collect()
}

fn contract(inputs: &[&str], outputs: &[&str], errors: &[&str], modes: &[&str]) -> Surface {
    from_plan::surface(&IoContract {
        inputs: list(inputs),
        outputs: list(outputs),
        error_surfaces: list(errors),
        effects: list(&["none: pure"]),
        modes: list(modes),
    })
}

/// One input, one output, one error.
fn split() -> Surface {
    contract(
        &["line: string; not empty"],
        &["parts: (String, String)"],
        &["Malformed: no blank"],
        &["sync"],
    )
}

fn extract(files: &[(&str, &str)]) -> Extracted {
    let files = files.iter();
    let files = files.map(|(name, text)| ((*name).to_owned(), (*text).to_owned()));
    rust::extract(&files.collect(), &BTreeMap::new()).unwrap()
}

/// Every mismatch, as people read it.
fn said(contract: &Surface, files: &[(&str, &str)]) -> Vec<String> {
    let found = judge(contract.surface(), Language::Rust, &extract(files));
    found.iter().map(ToString::to_string).collect()
}

const GOOD: &str = "pub enum Broken { Malformed }\npub fn split(line: &str) -> Result<(String, String), Broken> { todo!() }\n";

#[test]
fn s5_4_one_entry_with_its_inputs_outputs_and_errors_is_the_contract() {
    for code in [
        GOOD,
        "pub struct Malformed;\npub fn f(line: String) -> Result<(String, String), Malformed> { todo!() }",
        "pub mod deep { pub use super::inner::*; }\nmod inner { pub struct Malformed; pub fn f(line: impl AsRef<str>) -> std::result::Result<(String, String), Malformed> { todo!() } }",
        "type Result<T> = std::result::Result<T, Malformed>;\n#[derive(Debug)] pub struct Malformed;\nimpl std::fmt::Display for Malformed {}\npub fn f(line: &str) -> Result<(String, String)> { todo!() }\nfn own() {}\npub(crate) fn near() {}\n#[cfg(test)] pub mod tests { pub fn t() {} }",
        // One record in the place of parameters, one in that of the result.
        "pub struct Asked { pub line: String }\npub struct Malformed;\npub fn f(asked: Asked) -> Result<(String, String), Malformed> { todo!() }",
        "pub struct Given { pub parts: (String, String) }\npub struct Malformed;\npub fn f(line: &str) -> Result<Given, Malformed> { todo!() }",
    ] {
        assert_eq!(said(&split(), &[("lib.rs", code)]), [""; 0], "{code}");
    }
    let code = extract(&[("lib.rs", GOOD)]);
    assert_eq!(entry_points(split().surface(), &code), ["split"]);
}

#[test]
fn s11_2_what_the_contract_declares_and_the_code_does_not_is_named_by_dimension() {
    let head = "pub enum Broken { Malformed }\n";
    for (code, wanted) in [
        (
            "pub fn f(text: &str) -> Result<(String, String), Broken> { todo!() }",
            vec![
                "implementation/lib.rs:2: `f` has no parameter `line` (inputs)",
                "implementation/lib.rs:2: `f` takes `text`, which is no input of the contract (inputs)",
            ],
        ),
        (
            "pub fn f(line: u64) -> Result<(String, String), Broken> { todo!() }",
            vec![
                "implementation/lib.rs:2: the input `line` is `string` in the contract and `u64` in the code (inputs)",
            ],
        ),
        (
            "pub fn f(line: &mut str) -> Result<(String, String), Broken> { todo!() }",
            vec![
                "implementation/lib.rs:2: `f` changes `line`, and the contract declares no effect (effects)",
            ],
        ),
        (
            "pub fn f(line: &str) -> Result<String, Broken> { todo!() }",
            vec![
                "implementation/lib.rs:2: the output `parts` is `(String, String)` in the contract and `Result<String, Broken>` in the code (outputs)",
            ],
        ),
        (
            "pub async fn f(line: &str) -> Result<(String, String), Broken> { todo!() }",
            vec![
                "contract.json: no public function is sync, and the contract says that it is (modes)",
                "implementation/lib.rs:2: the function `f` is public; a contract has one entry (surface)",
            ],
        ),
        (
            "pub fn f(line: &str) -> Result<(String, String), String> { todo!() }",
            vec![
                "implementation/lib.rs:1: the type `Broken` is public, and the contract does not name it (surface)",
                "implementation/lib.rs:2: `f` returns `Result<(String, String), String>`, which cannot tell Malformed apart (error_surfaces)",
            ],
        ),
    ] {
        let code = format!("{head}{code}\n");
        let found = said(&split(), &[("lib.rs", &code)]);
        for line in &wanted {
            assert!(found.iter().any(|one| one == line), "{code}\n{found:#?}");
        }
        let extra = found.len() - wanted.len();
        // Without an entry, the type of its errors is accounted for all the same.
        assert!(extra == 0, "{code}\n{found:#?}");
    }
}

#[test]
fn s11_2_errors_are_told_apart_by_name() {
    let two = contract(
        &["line: string"],
        &["size: integer"],
        &["Empty: nothing in it", "TooLong: beyond 80"],
        &["sync"],
    );
    let code = |variants: &str| {
        format!(
            "pub enum Broken {{\n{variants}\n}}\npub fn f(line: &str) -> Result<usize, Broken> {{ todo!() }}\n"
        )
    };
    assert_eq!(
        said(&two, &[("lib.rs", &code("Empty,\nTooLong(usize)"))]),
        [""; 0]
    );
    assert_eq!(
        said(&two, &[("lib.rs", &code("Empty"))]),
        ["implementation/lib.rs:1: `Broken` has no variant `TooLong` (error_surfaces)"]
    );
    assert_eq!(
        said(&two, &[("lib.rs", &code("Empty,\nTooLong,\nOdd"))]),
        ["implementation/lib.rs:4: `Broken::Odd` is no declared error (error_surfaces)"]
    );
    let none = contract(&["line: string"], &["size: integer"], &["none"], &["sync"]);
    let found = said(&none, &[("lib.rs", &code("Empty"))]);
    assert!(
        found
            .iter()
            .any(|one| one.contains("the contract declares no error")),
        "{found:?}"
    );
    assert_eq!(
        said(&none, &[("lib.rs", "pub fn f(line: &str) -> usize { 0 }")]),
        [""; 0]
    );
}

#[test]
fn s5_5_a_contract_with_both_modes_has_two_entries() {
    let both = contract(
        &["a: integer", "b: integer"],
        &["sum: integer"],
        &["none"],
        &["sync", "async"],
    );
    let code = "pub fn add(a: i64, b: i64) -> i64 { 0 }\npub async fn add_later(a: i64, b: i64) -> i64 { 0 }\n";
    assert_eq!(said(&both, &[("lib.rs", code)]), [""; 0]);
    assert_eq!(
        entry_points(both.surface(), &extract(&[("lib.rs", code)])),
        ["add", "add_later"]
    );
    let later = "pub fn add(a: i64, b: i64) -> i64 { 0 }\npub fn l(a: i64, b: i64) -> impl std::future::Future<Output = i64> { async { 0 } }\n";
    assert_eq!(said(&both, &[("lib.rs", later)]), [""; 0]);
    let swapped = "pub fn add(b: i64, a: i64) -> i64 { 0 }\n";
    let found = said(&both, &[("lib.rs", swapped)]);
    assert!(
        found[0].contains("no public function is async"),
        "{found:?}"
    );
    assert!(found[1].contains("in another order than a, b"), "{found:?}");
}

#[test]
fn s5_4_types_that_the_contract_names_are_public_with_all_that_they_hold() {
    let order = contract(
        &["order: Order", "note: string; optional, may be left out"],
        &["total: integer", "lines: list of Line"],
        &["none"],
        &["sync"],
    );
    let code = "pub struct Order { pub lines: Vec<Line>, pub by: Person }\npub struct Line { pub cents: u64 }\npub struct Person { pub name: String }\npub struct Bill { pub total: u64, pub lines: Vec<Line> }\npub fn bill(order: &Order, note: Option<&str>) -> Bill { todo!() }\n";
    assert_eq!(said(&order, &[("lib.rs", code)]), [""; 0]);
    let found = said(&order, &[("lib.rs", &code.replace("Option<&str>", "&str"))]);
    assert_eq!(
        found,
        ["implementation/lib.rs:5: `note` is optional and cannot be left out (inputs)"]
    );
    let found = said(
        &order,
        &[(
            "lib.rs",
            &code.replace("total: u64", "total: String, pub vat: u64"),
        )],
    );
    assert_eq!(found.len(), 2, "{found:?}");
    let tuple = code
        .replace("-> Bill", "-> (u64, Vec<Line>)")
        .replace("pub struct Bill", "struct Bill");
    assert_eq!(said(&order, &[("lib.rs", &tuple)]), [""; 0]);
}

#[test]
fn s6_8_what_a_used_module_makes_public_may_be_passed_on_and_reuse_is_said() {
    let mut uses = BTreeMap::new();
    let other = "pub struct Malformed;\npub fn split(line: &str) -> Result<(String, String), Malformed> { todo!() }";
    uses.insert("mm_other".to_owned(), extract(&[("lib.rs", other)]));
    let judged = |code: &str| -> Vec<String> {
        let files = BTreeMap::from([("lib.rs".to_owned(), code.to_owned())]);
        let found = rust::extract(&files, &uses).unwrap();
        let found = judge(split().surface(), Language::Rust, &found);
        found.iter().map(ToString::to_string).collect()
    };
    assert_eq!(
        judged(
            "pub use mm_other::Malformed;\npub fn f(line: &str) -> Result<(String, String), Malformed> { todo!() }"
        ),
        [""; 0]
    );
    assert_eq!(
        judged("pub use mm_other::{Malformed, split};"),
        [
            "implementation/lib.rs:1: `split` is that of `mm_other`: reuse that module instead (surface)"
        ]
    );
}

#[test]
fn code_that_does_not_parse_is_named_with_its_line() {
    let files = |text: &str| BTreeMap::from([("lib.rs".to_owned(), text.to_owned())]);
    let error = rust::extract(&files("fn a() {}\nfn b( {"), &BTreeMap::new()).unwrap_err();
    assert!(error.to_string().starts_with("lib.rs:2: "), "{error}");
    let error = rust::extract(&files("mod gone;"), &BTreeMap::new()).unwrap_err();
    assert_eq!(error.to_string(), "lib.rs:1: `mod gone` has no file");
    for (paths, good) in [
        (vec!["lib.rs", "a/b.rs"], true),
        (vec!["__init__.py", "_core.py"], true),
        (vec!["lib.rs", "a.py"], false),
        (vec!["main.rs"], false),
        (vec!["notes.md"], false),
    ] {
        assert_eq!(
            Language::of(paths.iter().copied()).is_ok(),
            good,
            "{paths:?}"
        );
    }
}

#[test]
fn s5_4_a_proposer_is_told_what_a_ship_will_ask_of_its_workspace() {
    use factory::engineering::context::{Scene, brief};
    use factory::engineering::roles::{Occasion, Role};
    let mut work = factory::engineering::work::Work::default();
    let plan = factory::micro_plan::judge(&crate::said::plan(&[("MM-a", &[])])).unwrap();
    let module = plan.modules[0].clone();
    work.lock(plan);
    let task = factory::project::TaskId::new("T-a");
    let scene = Scene {
        kind: factory::engineering::kind::Kind::Modules,
        ..crate::engineering::context::plain(&task, &work, factory::engineering::context::BRIEFS)
    };
    let told = brief(&scene, Role::Proposer, Occasion::Propose);
    assert!(told.contains("the crate `mm_a`"), "{told}");
    let surface = from_plan::surface(module.io_contract.as_ref().unwrap());
    for one in factory::contract::coverage::required(surface.surface()) {
        assert!(told.contains(&format!("- `{}`: ", one.key)), "{told}");
    }
    assert!(!brief(&scene, Role::Challenger, Occasion::Challenge).contains("mm_a"));
}

#[test]
fn s10_4_an_assembly_hands_on_names_of_modules_that_it_uses_and_nothing_else() {
    let files = |text: &str| BTreeMap::from([("lib.rs".to_owned(), text.to_owned())]);
    let used = "pub enum Broken { Malformed }\npub struct Line { pub text: String }\npub fn read(text: &str) -> Line { todo!() }\n";
    let used = rust::extract(&files(used), &BTreeMap::new()).unwrap();
    let uses = BTreeMap::from([
        ("mm_read".to_owned(), used.clone()),
        ("mm_far".to_owned(), used),
    ]);
    let own = "pub fn split(line: &str) -> Result<(String, String), Broken> { todo!() }\n";
    let names = ["mm_read".to_owned()];
    let said = |code: &str, rules: Rules<'_>| {
        let code = rust::extract(&files(code), &uses).unwrap();
        let found = judge_by(split().surface(), Language::Rust, &code, rules);
        found.iter().map(ToString::to_string).collect::<Vec<_>>()
    };
    let facade = format!("pub use mm_read::{{Broken, Line, read}};\n{own}");
    assert_eq!(said(&facade, Rules::Assembly(&names)), [""; 0]);
    let micro = said(&facade, Rules::Micro);
    assert_eq!(micro.len(), 2, "{micro:?}");
    // What has no contract anywhere is refused here too, and so is what comes from elsewhere.
    for more in [
        "pub fn helper() {}",
        "pub struct Extra;",
        "pub use mm_far::Line;",
    ] {
        let code = format!("pub use mm_read::Broken;\n{own}{more}\n");
        let found = said(&code, Rules::Assembly(&names));
        assert_eq!(found.len(), 1, "{more}: {found:?}");
    }
    // An entry of its own: what only hands on is the module that it hands on.
    let only = "pub enum Broken { Malformed }\npub use mm_read::read as split;\n";
    assert!(!said(only, Rules::Assembly(&names)).is_empty());
}

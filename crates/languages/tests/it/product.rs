//! Modules put together as a product: everything that is written is code of its language, and a
//! command is made of the function that the module really has.

use languages::dimensions::{Input, Modes, Output, Surface};
use languages::product::{Case, Command, Part, Product, Shows, Takes, Then};
use languages::{Language, files_of, rust};
use std::collections::BTreeMap;

fn contract(takes: &str, gives: &str) -> Surface {
    Surface {
        inputs: vec![Input {
            name: "given".to_owned(),
            type_: takes.to_owned(),
            constraints: Vec::new(),
        }],
        outputs: vec![Output {
            name: "told".to_owned(),
            type_: gives.to_owned(),
            invariants: Vec::new(),
        }],
        error_surfaces: Vec::new(),
        effects: Vec::new(),
        modes: Modes {
            sync: true,
            async_: false,
            notes: String::new(),
        },
    }
}

fn command(code: &str) -> Result<Command, String> {
    let files = BTreeMap::from([("lib.rs".to_owned(), code.to_owned())]);
    let found = rust::extract(&files, &BTreeMap::new()).unwrap();
    let contract = contract("string", "string");
    Command::of("mm-say", Language::Rust, contract.surface(), &found)
}

fn product(code: &str) -> Product {
    let files = |path: &str, text: &str| BTreeMap::from([(path.to_owned(), text.to_owned())]);
    let part = |package: &str, uses: &[&str], code: &str| Part {
        package: package.to_owned(),
        version: "1.0.0".to_owned(),
        purpose: "Says what it \"is\" given".to_owned(),
        uses: uses.iter().map(|one| (*one).to_owned()).collect(),
        code: files("lib.rs", code),
        tests: files("say.rs", "#[test]\nfn happy_path() {}\n"),
    };
    Product {
        name: "teller".to_owned(),
        version: "1.2.0".to_owned(),
        about: "Tells.\n\nIn two lines.".to_owned(),
        parts: vec![
            part("mm-type", &[], "pub fn t() {}"),
            part("mm-say", &["mm-type"], code),
        ],
        front: Some("mm-say".to_owned()),
        command: command(code).ok(),
        cases: vec![
            Case {
                shows: "Shows STR-001.".to_owned(),
                given: "a \"b\"\n".to_owned(),
                then: Then::Prints("b".to_owned()),
            },
            Case {
                shows: "Shows STR-002.".to_owned(),
                given: String::new(),
                then: Then::Refuses("Empty".to_owned()),
            },
        ],
        readme: "# Teller\n".to_owned(),
        tried_with: Some("3.12".to_owned()),
    }
}

#[test]
fn a_product_in_rust_is_a_workspace_of_code_that_parses() {
    for (code, takes) in [
        (
            "pub fn say(given: &str) -> String { given.to_owned() }",
            Takes::Text,
        ),
        (
            "pub fn say(given: String) -> Result<u64, ()> { Err(()) }",
            Takes::Text,
        ),
        (
            "pub fn say(given: &[&str]) -> Result<String, ()> { Err(()) }",
            Takes::Lines,
        ),
        (
            "pub fn say(given: Vec<String>) -> bool { true }",
            Takes::Lines,
        ),
    ] {
        let product = product(code);
        assert_eq!(
            product.command.as_ref().map(|one| one.takes),
            Some(takes),
            "{code}"
        );
        let files = files_of(&product, Language::Rust);
        for (path, text) in files.iter().filter(|(path, _)| path.ends_with(".rs")) {
            syn::parse_file(text).unwrap_or_else(|error| panic!("{path}: {error}\n{text}"));
        }
        assert!(
            files["src/lib.rs"].contains("pub mod mm_type"),
            "a keyword is no name"
        );
        assert!(files["src/lib.rs"].contains("pub use mm_say::*;"));
        assert!(files["modules/mm-say/Cargo.toml"].contains("../mm-type"));
        assert!(files.contains_key("modules/mm-say/src/lib.rs"));
        assert!(files.contains_key("modules/mm-say/tests/say.rs"));
        assert!(files["tests/product.rs"].contains("fn case_2"));
        assert_eq!(files["README.md"], "# Teller\n");
    }
}

#[test]
fn an_error_in_rust_is_printed_in_its_own_words_where_it_has_some() {
    let bare =
        "pub enum Bad { Line }\npub fn say(given: &str) -> Result<String, Bad> { Err(Bad::Line) }";
    let other = "impl std::fmt::Display for BadDate {}";
    let own = "impl std::fmt::Display for Bad {}";
    for (code, shows) in [
        (bare.to_owned(), Shows::Parts),
        (format!("{bare}\n{other}"), Shows::Parts),
        (format!("{bare}\n{own}"), Shows::Words),
    ] {
        let mut product = product(&code);
        let files = BTreeMap::from([("lib.rs".to_owned(), code.clone())]);
        let found = rust::extract(&files, &BTreeMap::new()).unwrap();
        let (_, entry) = found.functions().next().unwrap();
        assert_eq!(Shows::of(&product.parts, entry), shows, "{code}");
        product.command.as_mut().unwrap().error = shows;
        let main = &files_of(&product, Language::Rust)["src/main.rs"];
        let words = main.contains("eprintln!(\"{error}\")");
        assert_eq!(words, shows == Shows::Words, "{main}");
        assert!(
            main.contains("--help") && main.contains("example of its spec"),
            "{main}"
        );
    }
}

#[test]
fn what_is_no_command_is_said() {
    for code in [
        "pub fn say(given: u64) -> String { String::new() }",
        "pub fn say(given: &mut String) -> String { String::new() }",
        "pub fn say(given: &str) -> Vec<u8> { Vec::new() }",
        "pub fn say(given: &str, more: &str) -> String { String::new() }",
        "pub async fn say(given: &str) -> String { String::new() }",
    ] {
        let refused = command(code).unwrap_err();
        assert!(refused.contains("mm-say"), "{code}: {refused}");
    }
}

#[test]
fn a_library_has_no_command_and_no_cases() {
    let mut product = product("pub fn say(given: u64) -> u64 { given }");
    assert!(product.command.is_none());
    product.front = None;
    let files = files_of(&product, Language::Rust);
    assert!(!files.contains_key("src/main.rs") && !files.contains_key("tests/product.rs"));
    assert!(!files["src/lib.rs"].contains("pub use mm_say::*;\n\n"));
}

#[test]
fn a_product_in_python_is_a_package_that_python_reads_and_tests() {
    let mut product = product("pub fn say(given: &str) -> String { given.to_owned() }");
    for part in &mut product.parts {
        let own = part.code_name();
        part.code = BTreeMap::from([(
            "__init__.py".to_owned(),
            "def say(given: str) -> str:\n    if not given:\n        raise ValueError('Empty')\n    return 'b'\n".to_owned(),
        )]);
        let test = format!(
            "import unittest\nfrom {own} import say\n\ndef test_happy_path():\n    assert say('a') == 'b'\n\nclass Errors(unittest.TestCase):\n    def test_error__empty(self):\n        with self.assertRaises(ValueError):\n            say('')\n"
        );
        part.tests = BTreeMap::from([("test_say.py".to_owned(), test)]);
    }
    let top = std::path::PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("product-python");
    let _ = std::fs::remove_dir_all(&top);
    for (path, text) in files_of(&product, Language::Python) {
        let path = top.join(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }
    let run = |args: &[&str]| {
        let mut python = std::process::Command::new("python3");
        python.arg("-B").args(args).current_dir(&top);
        let output = python.output().expect("python3 is needed by this test");
        let said = [output.stdout, output.stderr].concat();
        (
            output.status.success(),
            String::from_utf8_lossy(&said).into_owned(),
        )
    };
    // Two tests of each module, one of them a plain function, and two cases of the command.
    let (passed, said) = run(&["-m", "unittest"]);
    assert!(passed && said.contains("Ran 6 tests"), "{said}");
    let facade = "import teller; print(teller.say('a'), teller.mm_type.say('a'))";
    assert_eq!(run(&["-c", facade]), (true, "b b\n".to_owned()));
    // A name at the top that looks like a function is none of a module's.
    let (found, said) = run(&["-c", "from teller import type"]);
    assert!(!found && said.contains("cannot import name"), "{said}");
    for flag in ["-h", "--help"] {
        let (passed, said) = run(&["-m", "teller", flag]);
        assert!(passed && said.starts_with("usage: teller [FILE]"), "{said}");
    }
    let manifest = std::fs::read_to_string(top.join("pyproject.toml")).unwrap();
    assert!(
        manifest.contains("requires-python = \">=3.12\""),
        "{manifest}"
    );
    // Standard input is decoded as a file is, whatever the locale is.
    std::fs::write(top.join("bad.txt"), b"a\xff\n").unwrap();
    let latin = "import subprocess, sys; ran = subprocess.run([sys.executable, '-B', '-m', 'teller'], stdin=open('bad.txt', 'rb'), capture_output=True, env={'PYTHONIOENCODING': 'latin-1'}); print(ran.stderr.decode()); sys.exit(ran.returncode)";
    for args in [&["-m", "teller", "bad.txt"][..], &["-c", latin]] {
        let (passed, said) = run(args);
        assert!(!passed && said.contains("UnicodeDecodeError"), "{said}");
    }
}

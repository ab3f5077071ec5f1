//! Files that are no tests by their names and serve tests alone: values that a test compares with, in a
//! file of data or a module of nothing but values, and modules that ask what tests share. Who changes those
//! changes what is asked of the code.
//!
//! A library is loaded by its tests alone as well, and so is data that is itself the product. So a file
//! is a test's only if every test that speaks of it speaks of something else of the product too, and
//! nothing of the product speaks of the file, of its folders or of files of its kind. A test speaks of a file of
//! data by its name, or by a folder that it is in: who lists that, or puts the name together, reads it as well.

use super::{Texts, imports, is_source, stem_of, word};

/// Texts for people say nothing about what reads what.
const PROSE: [&str; 4] = ["md", "rst", "adoc", "lock"];

impl Texts<'_> {
    /// Does this file serve tests alone?
    pub fn is_of_tests(&self, path: &str) -> bool {
        let Some(text) = self.others.get(path) else {
            return false;
        };
        let (folder, name) = path.rsplit_once('/').unwrap_or(("", path));
        let (stem, ending) = name.rsplit_once('.').unwrap_or((name, ""));
        let code = is_source(path);
        let serves = !code || is_values(ending, text) || asks(path, text);
        if PROSE.contains(&ending) || stem.is_empty() || !serves {
            return false;
        }
        let folders = folder.split('/').filter(|one| !one.is_empty());
        let speaks = |text: &str| match code {
            true => imports(text, stem),
            false => text.contains(name) || folders.clone().any(|one| names_folder(text, one)),
        };
        let speaking: Vec<&&str> = self.tests.values().filter(|text| speaks(text)).collect();
        let product = || self.others.iter().filter(|(other, _)| **other != path);
        let something_else = |test: &str| {
            let mut sources = product().filter(|(other, _)| is_source(other));
            sources.any(|(other, _)| imports(test, stem_of(other)))
        };
        let known = |(other, text): (&&str, &&str)| {
            let prose = other
                .rsplit_once('.')
                .is_some_and(|(_, end)| PROSE.contains(&end));
            let of_its_kind = !code && text.contains(&format!(".{ending}"));
            !prose
                && (word(text, stem)
                    || of_its_kind
                    || (!code && folders.clone().any(|one| word(text, one))))
        };
        !speaking.is_empty()
            && speaking.iter().all(|test| something_else(test))
            && !product().any(known)
    }
}

/// Does code name a folder, as a path that begins with it?
fn names_folder(code: &str, folder: &str) -> bool {
    let mut found = code.match_indices(folder);
    found.any(|(at, _)| {
        let (before, behind) = (&code[..at], code[at + folder.len()..].chars().next());
        let before = before.trim_end_matches("../").trim_end_matches("./");
        before.ends_with(['"', '\'', '`'])
            && behind.is_some_and(|next| matches!(next, '"' | '\'' | '`' | '/'))
    })
}

/// What nobody loads who does not test.
const FRAMEWORKS: [&str; 9] = [
    "unittest",
    "pytest",
    "hypothesis",
    "node:test",
    "vitest",
    "@jest",
    "chai",
    "supertest",
    "@testing-library",
];
/// What modules are called that ask in the place of tests.
const ASKING: [&str; 7] = [
    "testing",
    "testutil",
    "testutils",
    "asserts",
    "assertions",
    "expect",
    "expectations",
];

/// Is it a module that asks what tests share? Products assert something as well, so that alone says nothing.
fn asks(path: &str, text: &str) -> bool {
    let mut parts = path.split(['/', '.', '_', '-']);
    let named = parts.any(|part| ASKING.contains(&part));
    let fails = ["assert", "AssertionError", "throw"];
    FRAMEWORKS.iter().any(|one| imports(text, one))
        || (named && fails.iter().any(|one| word(text, one)))
}

/// Is it a module of nothing but values?
fn is_values(ending: &str, text: &str) -> bool {
    let acts: &[&str] = match ending {
        "py" => &[
            "def", "class", "import", "lambda", "for", "if", "with", "open",
        ],
        "js" | "mjs" | "cjs" | "ts" | "mts" | "cts" => {
            &["function", "class", "import", "require", "for", "if", "new"]
        }
        _ => return false,
    };
    let says = |line: &str| !line.is_empty() && !line.starts_with(['#', '/', '*', '"']);
    // One that is empty is yet to be written.
    text.lines().any(|line| says(line.trim()))
        && !acts.iter().any(|one| word(text, one))
        && !text.contains("=>")
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEST: &str = "import json\nimport shop\nWANTED = json.load(open('wanted.json'))\n";

    fn of(path: &str, tests: &[(&str, &str)], others: &[(&str, &str)]) -> bool {
        let texts = Texts {
            tests: tests.iter().copied().collect(),
            others: others.iter().copied().collect(),
        };
        texts.is_of_tests(path)
    }

    #[test]
    fn what_tests_compare_with_is_theirs() {
        let shop = ("shop.py", "def total(prices):\n    return sum(prices)\n");
        let data = ("wanted.json", "[3]");
        let test = [("test_shop.py", TEST)];
        assert!(of("wanted.json", &test, &[shop, data]));
        let values = ("expected.py", "TOTAL = 3\n");
        let by_name = [("test_shop.py", "import shop\nfrom expected import TOTAL\n")];
        assert!(of("expected.py", &by_name, &[shop, values]));
        assert!(of(
            "lib/expected.py",
            &by_name,
            &[shop, ("lib/expected.py", values.1)]
        ));
    }

    #[test]
    fn what_tests_find_in_a_folder_is_theirs_too() {
        let shop = ("shop.py", "def total(prices):\n    return sum(prices)\n");
        for path in ["cases/one.json", "cases/more/one.json"] {
            let data = (path, "[3]");
            for finds in [
                "os.listdir('cases')",
                "open(f\"cases/{name}.json\")",
                "Path(HERE, '../cases')",
            ] {
                let test = format!("import shop\nfound = {finds}\n");
                let test = [("test_shop.py", test.as_str())];
                assert!(of(path, &test, &[shop, data]), "{finds}");
                let knows = ("more.py", "CASES = 'cases'\n");
                assert!(!of(path, &test, &[shop, knows, data]), "{finds}");
            }
            for other in [
                "'/cases/one'",
                "1  # the cases/ above",
                "showcases('total')",
            ] {
                let alone = format!("import shop\nfound = {other}\n");
                assert!(
                    !of(path, &[("test_shop.py", &alone)], &[shop, data]),
                    "{other}"
                );
            }
        }
    }

    #[test]
    fn what_asks_for_tests_is_theirs_and_what_asserts_something_is_not() {
        let shop = ("shop.py", "def total(prices):\n    return sum(prices)\n");
        let by = |stem: &str| format!("import shop\nfrom support.{stem} import same\n");
        let asserts = "def same(a, b):\n    assert a == b\n";
        let framework =
            "import unittest\n\n\ndef same(a, b):\n    unittest.TestCase().assertEqual(a, b)\n";
        for (stem, text, theirs) in [
            ("assertions", asserts, true),
            ("money", framework, true),
            // A part of the product that only its tests load, and that holds itself to something.
            ("money", asserts, false),
        ] {
            let path = format!("support/{stem}.py");
            let (test, module) = (by(stem), (path.as_str(), text));
            let tests = [("test_shop.py", test.as_str())];
            assert_eq!(of(&path, &tests, &[shop, module]), theirs, "{stem}: {text}");
            let uses = ("more.py", test.as_str());
            assert!(!of(&path, &tests, &[shop, uses, module]), "{stem}: {text}");
        }
    }

    #[test]
    fn what_the_product_may_read_or_is_itself_is_not() {
        let shop = ("shop.py", "def total(prices):\n    return sum(prices)\n");
        let data = ("wanted.json", "[3]");
        let test = [("test_shop.py", TEST)];
        for reads in ["open('wanted.json')", "glob('*.json')", "read('wanted')"] {
            let text = format!("def total(prices):\n    {reads}\n");
            assert!(
                !of("wanted.json", &test, &[("shop.py", &text), data]),
                "{reads}"
            );
        }
        let folder = ("shop.py", "FOLDER = 'data'\n");
        assert!(!of(
            "data/wanted.json",
            &test,
            &[folder, ("data/wanted.json", "[3]")]
        ));
        // It is yet to be written.
        let later = [("test_shop.py", "import shop\nimport taxes\n")];
        for empty in ["", "# taxes\n"] {
            assert!(!of("taxes.py", &later, &[shop, ("taxes.py", empty)]));
        }
        // It is all that there is to test.
        assert!(!of("wanted.json", &test, &[data]));
        let alone = [("test_shop.py", "from shop import total\n")];
        assert!(!of("shop.py", &alone, &[shop]));
        let rate = ("rates.py", "RATE = 19\n");
        let by_name = [("test_rates.py", "from rates import RATE\n")];
        assert!(!of("rates.py", &by_name, &[shop, rate]));
        let uses = ("shop.py", "from rates import RATE\n\n\ndef tax(): ...\n");
        let both = [("test_shop.py", "import shop\nfrom rates import RATE\n")];
        assert!(!of("rates.py", &both, &[uses, rate]));
        assert!(!of("shop.py", &both, &[shop, rate]));
    }
}

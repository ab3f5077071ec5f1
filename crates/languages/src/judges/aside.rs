//! What frozen tests may read beside themselves: files that a contract does not name and of which nothing of the
//! product speaks. From texts alone nobody can tell what a test really reads: whoever asks tries the tests with
//! these files as they were, and only those that make a difference count.

use super::{Texts, folder_of, is_source, name_of, speaks, stem_of, word};
use crate::public_names;
use std::collections::BTreeMap;

/// Texts for people: who reads them compares them with the product.
const PROSE: [&str; 3] = ["md", "rst", "adoc"];

impl Texts<'_> {
    /// Those of these files that may be the tests' own, by the texts of the code before: what a change says of
    /// itself since then is not asked.
    pub fn aside<'p>(&self, changed: &[&'p str], contract: &str) -> Vec<&'p str> {
        let mut modules = Modules {
            texts: self,
            contract,
            known: BTreeMap::new(),
        };
        let mut found = Vec::new();
        for path in changed {
            let of_tests = match is_source(path) {
                true => modules.is_of_tests(path),
                false => modules.is_data_of_tests(path),
            };
            found.extend(of_tests.then_some(*path));
        }
        found
    }
}

/// Which modules are there for tests: the contract names none of them, tests that load one load something that it
/// does name as well, and nothing else of the product speaks of them.
struct Modules<'t, 'c> {
    texts: &'t Texts<'t>,
    contract: &'c str,
    known: BTreeMap<String, bool>,
}

impl<'t> Modules<'t, '_> {
    fn is_of_tests(&mut self, path: &str) -> bool {
        if let Some(known) = self.known.get(path) {
            return *known;
        }
        // Two that load each other are what the others say of them.
        self.known.insert(path.to_owned(), true);
        let found = self.looked_at(path);
        self.known.insert(path.to_owned(), found);
        found
    }

    fn looked_at(&mut self, path: &str) -> bool {
        let texts = self.texts;
        let text = texts.others.get(path).copied().unwrap_or_default();
        // One that is empty is yet to be written.
        if text.trim().is_empty() || names_source(self.contract, path, text) {
            return false;
        }
        let speaking = |of: &str| -> Vec<&'t str> {
            let others = texts.others.iter();
            let others = others
                .filter(|(other, text)| **other != of && is_source(other) && speaks(text, of));
            others.map(|(other, _)| *other).collect()
        };
        let speakers = speaking(path);
        let loading = texts.tests.values().filter(|text| speaks(text, path));
        let loading: Vec<&str> = loading.copied().collect();
        let direct = !loading.is_empty() && loading.iter().all(|test| self.loads_named(test));
        (direct || !speakers.is_empty()) && speakers.iter().all(|other| self.is_of_tests(other))
    }

    /// Does a test load something that the contract names?
    fn loads_named(&self, test: &str) -> bool {
        let mut sources = self.texts.others.iter();
        sources.any(|(path, text)| {
            is_source(path) && speaks(test, path) && names_source(self.contract, path, text)
        })
    }

    fn is_data_of_tests(&mut self, path: &str) -> bool {
        if is_prose(path) || names_file(self.contract, path) {
            return false;
        }
        let others = self.texts.others.iter();
        let reading =
            others.filter(|(other, text)| **other != path && !is_prose(other) && reads(text, path));
        let reading: Vec<&str> = reading.map(|(other, _)| *other).collect();
        reading
            .iter()
            .all(|other| is_source(other) && self.is_of_tests(other))
    }
}

fn is_prose(path: &str) -> bool {
    let ending = name_of(path).rsplit_once('.');
    ending.is_some_and(|(_, ending)| PROSE.contains(&ending))
}

/// Does a contract name this source: itself, or something that it makes public?
fn names_source(contract: &str, path: &str, text: &str) -> bool {
    let mut public = public_names::of(path, text).into_iter();
    names_file(contract, path)
        || as_code(contract, stem_of(path))
        || public.any(|name| as_code(contract, &name))
}

/// Does a contract name a file, or the folder that it is in?
fn names_file(contract: &str, path: &str) -> bool {
    let folder = folder_of(path);
    word(contract, name_of(path))
        || (!folder.is_empty() && contract.contains(&format!("{}/", name_of(folder))))
}

/// Does a word stand there as code does, and not as a word of a sentence?
fn as_code(text: &str, wanted: &str) -> bool {
    let inside = |each: char| each.is_alphanumeric() || each == '_';
    let mut places = text.match_indices(wanted);
    places.any(|(at, _)| {
        let before = text[..at].chars().next_back();
        let mut behind = text[at + wanted.len()..].chars();
        let (next, after) = (behind.next(), behind.next());
        let whole = !before.is_some_and(inside) && !next.is_some_and(inside);
        let joined =
            matches!(next, Some('.' | ':' | '/')) && after.is_some_and(|c| !c.is_whitespace());
        whole
            && (matches!(before, Some('`' | '.' | ':' | '/'))
                || matches!(next, Some('`' | '('))
                || joined)
    })
}

/// Does code read a file: by its name, or by one that it puts together of its folder, its name or its ending?
fn reads(code: &str, path: &str) -> bool {
    let name = name_of(path);
    let (stem, ending) = name.rsplit_once('.').unwrap_or((name, ""));
    let quoted = |part: &str| {
        let starts = ['"', '\'', '`', '/'].map(|mark| format!("{mark}{part}"));
        !part.is_empty() && starts.iter().any(|one| places(code, one))
    };
    let computed = || {
        let ending = format!(".{ending}");
        let mut found = code.match_indices(&ending);
        found.any(|(at, _)| {
            let before = code[..at].chars().next_back();
            !before.is_some_and(|one| one.is_alphanumeric() || one == '_')
        })
    };
    code.contains(name)
        || quoted(stem)
        || quoted(name_of(folder_of(path)))
        || (!ending.is_empty() && computed())
}

/// Does it stand there, and end where it ends?
fn places(text: &str, wanted: &str) -> bool {
    let mut found = text.match_indices(wanted);
    found.any(|(at, _)| {
        let behind = text[at + wanted.len()..].chars().next();
        !behind.is_some_and(|one| one.is_alphanumeric() || one == '_')
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const CONTRACT: &str = "Shape: `total(prices)` of shop.py gives the sum as expected.";
    const SHOP: (&str, &str) = ("src/shop.py", "def total(prices):\n    return 0\n");
    const CHECKS: (&str, &str) = ("support/checks.py", "def equal(a, b):\n    assert a == b\n");
    const TEST: (&str, &str) = (
        "tests/test_shop.py",
        "from src.shop import total\nfrom support.checks import equal\n",
    );

    fn aside(path: &str, contract: &str, tests: &[(&str, &str)], others: &[(&str, &str)]) -> bool {
        let texts = Texts {
            tests: tests.iter().copied().collect(),
            others: others.iter().copied().collect(),
        };
        !texts.aside(&[path], contract).is_empty()
    }

    #[test]
    fn what_the_contract_does_not_name_and_the_product_does_not_know_may_be_the_tests() {
        let data = ("support/expected.json", "{}");
        assert!(aside(data.0, CONTRACT, &[TEST], &[SHOP, data]));
        assert!(aside(CHECKS.0, CONTRACT, &[TEST], &[SHOP, CHECKS]));
        // One helper loads the other, and the product.
        let inner = ("support/values.py", "WANTED = {1: 2}\n");
        let outer = (
            CHECKS.0,
            "from support.values import WANTED\nfrom src.shop import total\n",
        );
        assert!(aside(inner.0, CONTRACT, &[TEST], &[SHOP, outer, inner]));
    }

    #[test]
    fn what_is_named_used_or_computed_is_the_product() {
        let data = ("data/rates.json", "{}");
        for code in ["open('data/rates.json')", "F = 'data'", "f'{name}.json'"] {
            let shop = ("src/shop.py", code);
            assert!(!aside(data.0, CONTRACT, &[TEST], &[shop, data]), "{code}");
        }
        for contract in ["rates are in `rates.json`", "every file of data/ is read"] {
            assert!(
                !aside(data.0, contract, &[TEST], &[SHOP, data]),
                "{contract}"
            );
        }
        for contract in [
            "`support/checks.py`",
            "calls equal(1, 2)",
            "support.checks:equal",
        ] {
            assert!(
                !aside(CHECKS.0, contract, &[TEST], &[SHOP, CHECKS]),
                "{contract}"
            );
        }
        let uses = ("src/shop.py", "from support.checks import equal\n");
        assert!(!aside(CHECKS.0, CONTRACT, &[TEST], &[uses, CHECKS]));
        // A front of the product, by which alone tests ask for it, where the contract speaks of neither.
        let app = ("app.py", "from src.shop import total\n");
        let test = ("tests/test_app.py", "import app\n");
        assert!(!aside(app.0, "GET /total", &[test], &[SHOP, app]));
        assert!(!aside(
            "README.md",
            CONTRACT,
            &[TEST],
            &[SHOP, ("README.md", "x")]
        ));
    }
}

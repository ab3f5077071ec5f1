//! Files that are no tests by their names and serve tests alone: values that a test compares with, in a
//! file of data or a module of nothing but values. Who changes those changes what is asked of the code.
//!
//! A library is loaded by its tests alone as well, and so is data that is itself the product. So a file
//! is a test's only if every test that speaks of it speaks of something else of the product too, and
//! nothing of the product speaks of the file, of its folder or of files of its kind.

use crate::readers::sources;
use serde_json::Value;
use std::collections::BTreeMap;

/// Texts for people say nothing about what reads what.
const PROSE: [&str; 4] = ["md", "rst", "adoc", "lock"];

/// Where a package says how it is tested, and what it starts programs of its own with.
const PACKAGE: &str = "package.json";
const PROGRAMS: [&str; 5] = ["node", "sh", "bash", "python3", "python"];

/// All texts of a tree by their paths, told apart.
pub(super) struct Texts<'t> {
    pub(super) tests: BTreeMap<&'t str, &'t str>,
    pub(super) others: BTreeMap<&'t str, &'t str>,
}

impl Texts<'_> {
    /// Does this file serve tests alone?
    pub(super) fn is_of_tests(&self, path: &str) -> bool {
        let Some(text) = self.others.get(path) else {
            return false;
        };
        if self.is_run_by_script(path) {
            return true;
        }
        let (folder, name) = path.rsplit_once('/').unwrap_or(("", path));
        let (stem, ending) = name.rsplit_once('.').unwrap_or((name, ""));
        let code = sources::is_source(path);
        if PROSE.contains(&ending) || stem.is_empty() || (code && !is_values(ending, text)) {
            return false;
        }
        let speaks = |text: &str| match code {
            true => imports(text, stem),
            false => text.contains(name),
        };
        let speaking: Vec<&&str> = self.tests.values().filter(|text| speaks(text)).collect();
        let product = || self.others.iter().filter(|(other, _)| **other != path);
        let something_else = |test: &str| {
            let mut sources = product().filter(|(other, _)| sources::is_source(other));
            sources.any(|(other, _)| imports(test, stem_of(other)))
        };
        let known = |(other, text): (&&str, &&str)| {
            let prose = other
                .rsplit_once('.')
                .is_some_and(|(_, end)| PROSE.contains(&end));
            let last = folder.rsplit('/').next().unwrap_or_default();
            let of_its_kind = !code && text.contains(&format!(".{ending}"));
            !prose
                && (word(text, stem)
                    || of_its_kind
                    || (!code && !last.is_empty() && word(text, last)))
        };
        !speaking.is_empty()
            && speaking.iter().all(|test| something_else(test))
            && !product().any(known)
    }
}

impl Texts<'_> {
    /// Is it a program that the test script of a package runs, and nothing else speaks of? What a script
    /// starts with arguments may be the product.
    fn is_run_by_script(&self, path: &str) -> bool {
        let Some(package) = self.others.get(PACKAGE) else {
            return false;
        };
        let read: Value = serde_json::from_str(package).unwrap_or_default();
        let scripts = ["pretest", "test", "posttest"].map(|name| {
            let script = read["scripts"][name].as_str().unwrap_or_default();
            script.to_owned()
        });
        let parts = scripts.iter().flat_map(|script| script.split("&&"));
        let runs = |part: &str| {
            let mut words = part.split_whitespace().rev();
            let last = words.next().unwrap_or_default();
            last.strip_prefix("./").unwrap_or(last) == path
                && words
                    .next()
                    .is_none_or(|program| PROGRAMS.contains(&program))
        };
        let name = path.rsplit('/').next().unwrap_or(path);
        let said = scripts.iter().map(|script| script.matches(name).count());
        let elsewhere = package.matches(name).count() > said.sum::<usize>();
        let mut others = self.others.iter();
        let known = others.any(|(other, text)| {
            let named = text.contains(name) || imports(text, stem_of(path));
            sources::is_source(other) && *other != path && named
        });
        parts.into_iter().any(runs) && !elsewhere && !known
    }
}

fn stem_of(path: &str) -> &str {
    let name = path.rsplit('/').next().unwrap_or(path);
    name.split('.').next().unwrap_or(name)
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
    !acts.iter().any(|one| word(text, one)) && !text.contains("=>")
}

/// Does a line of it import something of this name?
fn imports(text: &str, stem: &str) -> bool {
    let imports = |line: &&str| {
        line.contains("import")
            || line.contains("require(")
            || line.trim_start().starts_with("use ")
    };
    text.lines().filter(imports).any(|line| word(line, stem))
}

/// Does this word stand in the text, by itself?
fn word(text: &str, wanted: &str) -> bool {
    let inside = |each: char| each.is_alphanumeric() || each == '_';
    text.match_indices(wanted).any(|(at, _)| {
        let before = text[..at].chars().next_back();
        let behind = text[at + wanted.len()..].chars().next();
        !before.is_some_and(inside) && !behind.is_some_and(inside)
    })
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
    fn a_program_that_only_the_test_script_runs_is_a_test() {
        let shop = ("shop.js", "exports.tax = () => 19\n");
        let check = (
            "check.js",
            "if (require('./shop').tax() !== 19) process.exit(1)\n",
        );
        let runs = |line: &str, more: &str| {
            let package = format!("{{\"scripts\": {{\"test\": \"{line}\"}}{more}}}");
            of("check.js", &[], &[shop, check, ("package.json", &package)])
        };
        assert!(runs("node --test && node check.js", ""));
        assert!(runs("./check.js", ""));
        // It may be the product, or a part of it.
        assert!(!runs("node --test && node check.js --help", ""));
        assert!(!runs("node check.js", ", \"bin\": \"check.js\""));
        assert!(!runs("node --test", ""));
        let package = (
            "package.json",
            "{\"scripts\": {\"test\": \"node check.js\"}}",
        );
        let uses = ("shop.js", "require('./check')\n");
        assert!(!of("check.js", &[], &[uses, check, package]));
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

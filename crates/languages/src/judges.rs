//! Which of the programs that a test line starts are judges of the work, and which are the work itself:
//! `npm test` may run a linter of the repository's own, and it may run the product.
//!
//! A judge is what nothing but the line speaks of. The product is what is asked for, what a test or
//! another source speaks of, and what a package hands out or starts. Between them lies what nobody can
//! tell from a tree: a change there is told, and accuses nobody.

mod aside;
mod helpers;

use crate::recipes::{PACKAGE, Program, Shadow, Started, shadows, started};
use serde_json::Value;
use std::collections::BTreeMap;

/// Names of recipes and programs that judge, and of those that make something to be judged.
const JUDGING: [&str; 22] = [
    "lint",
    "check",
    "checks",
    "verify",
    "validate",
    "format",
    "fmt",
    "style",
    "typecheck",
    "types",
    "audit",
    "ci",
    "spell",
    "guard",
    "test",
    "tests",
    "unit",
    "integration",
    "e2e",
    "smoke",
    "quality",
    "analyze",
];
const MAKING: [&str; 8] = [
    "build", "compile", "bundle", "prepare", "generate", "codegen", "dist", "install",
];
/// Recipes that start the product.
const STARTING: [&str; 5] = ["start", "dev", "serve", "run", "preview"];
/// Names of programs by which products are started, in every language.
const ENTRIES: [&str; 8] = [
    "main", "app", "cli", "server", "index", "__main__", "run", "start",
];
/// Where a package says what it hands out.
const HANDED_OUT: [&str; 6] = ["bin", "main", "module", "exports", "browser", "types"];

/// Endings of files that people write as code.
const SOURCES: [&str; 34] = [
    "rs", "py", "js", "mjs", "cjs", "jsx", "ts", "mts", "cts", "tsx", "go", "java", "kt", "kts",
    "scala", "c", "h", "cc", "cpp", "hpp", "cs", "swift", "rb", "php", "ex", "exs", "erl", "hs",
    "ml", "lua", "sh", "vue", "svelte", "zig",
];

/// Is it code?
pub fn is_source(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path);
    name.rsplit_once('.')
        .is_some_and(|(_, ending)| SOURCES.contains(&ending))
}

/// Folders that hold tests.
const TEST_FOLDERS: [&str; 8] = [
    "test",
    "tests",
    "__tests__",
    "spec",
    "specs",
    "e2e",
    "fixtures",
    "testdata",
];

/// Is it a test, or something for tests?
pub fn is_test(path: &str) -> bool {
    let (folders, name) = path.rsplit_once('/').unwrap_or(("", path));
    if folders.split('/').any(|one| TEST_FOLDERS.contains(&one)) {
        return true;
    }
    let stem = name.rsplit_once('.').map_or(name, |(stem, _)| stem);
    let (starts, ends) = (
        ["test_"],
        ["_test", ".test", ".spec", "_spec", "Test", "Tests"],
    );
    name == "conftest.py"
        || starts.iter().any(|start| stem.starts_with(start))
        || ends.iter().any(|end| stem.ends_with(end))
}

/// What a program is to the work.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Standing {
    /// It judges, and nothing else.
    Judge,
    /// Nobody can tell.
    Unclear,
    /// It is what is judged.
    Product,
}

/// All texts of a tree by their paths, told apart.
pub struct Texts<'t> {
    pub tests: BTreeMap<&'t str, &'t str>,
    pub others: BTreeMap<&'t str, &'t str>,
}

impl Texts<'_> {
    /// The text of a file.
    pub fn get(&self, path: &str) -> Option<String> {
        let text = self.others.get(path).or_else(|| self.tests.get(path))?;
        Some((*text).to_owned())
    }

    /// What lines start in this tree.
    pub fn started<S: AsRef<str>>(&self, lines: &[S]) -> Started {
        started(lines, &|path| self.get(path))
    }

    /// What a file is to work that was asked for in these words; none where nothing starts it.
    pub fn standing(&self, path: &str, all: &Started, asked: &str) -> Option<Standing> {
        let program = all.programs.get(path)?;
        if let Some(standing) = self.said(path, asked) {
            return Some(standing);
        }
        let speaking = self
            .others
            .iter()
            .filter(|(other, text)| **other != path && is_source(other) && speaks(text, path));
        let (by_started, by_others): (Vec<&str>, Vec<&str>) = speaking
            .map(|(other, _)| *other)
            .partition(|other| all.programs.contains_key(*other));
        let of_product = |other: &&str| {
            let loads = all.programs.get(*other).is_some_and(|one| !one.loaded);
            loads && self.standing(other, all, asked) == Some(Standing::Product)
        };
        let folder = folder_of(path);
        let (near, far): (Vec<&str>, Vec<&str>) = by_others
            .into_iter()
            .partition(|other| !folder.is_empty() && folder_of(other) == folder);
        let product = self.tests.values().any(|text| speaks(text, path))
            || !far.is_empty()
            || (program.loaded && by_started.iter().any(of_product));
        Some(match product {
            true => Standing::Product,
            // Another tool beside it may use it.
            false if !near.is_empty() => Standing::Unclear,
            false => self.by_its_call(path, program),
        })
    }

    /// What new files are to work that was asked for in these words, where a program that lines start
    /// would load them in the place of something else. At the top of a tree, and where a line itself
    /// finds one, it may be the product.
    pub fn shadows<S: AsRef<str>>(
        &self,
        (lines, all): (&[S], &Started),
        new: &[String],
        asked: &str,
    ) -> Vec<(Shadow, Standing)> {
        let found = shadows(lines, all, new, &|path| self.get(path)).into_iter();
        let standing = |shadow: &Shadow| {
            if let Some(Standing::Product) = self.said(&shadow.path, asked) {
                return None;
            }
            let by = shadow.of.as_deref();
            let by = by.and_then(|of| self.standing(of, all, asked));
            match by {
                Some(Standing::Product) => None,
                Some(Standing::Judge) if shadow.path.contains('/') => Some(Standing::Judge),
                Some(Standing::Judge | Standing::Unclear) | None => Some(Standing::Unclear),
            }
        };
        found
            .filter_map(|shadow| {
                let standing = standing(&shadow)?;
                Some((shadow, standing))
            })
            .collect()
    }

    /// What people have said of it: in what they ask for, and in what the package hands out or starts.
    fn said(&self, path: &str, asked: &str) -> Option<Standing> {
        let asked = asked.to_lowercase();
        let (name, stem) = (name_of(path).to_lowercase(), stem_of(path).to_lowercase());
        if asked.contains(&name) {
            return Some(Standing::Product);
        }
        if stem.len() > 2 && word(&asked, &stem) {
            // "Check that totals are right" does not ask for another `check.js`.
            return Some(match JUDGING.contains(&stem.as_str()) {
                true => Standing::Unclear,
                false => Standing::Product,
            });
        }
        let package = self.others.get(PACKAGE).copied().unwrap_or_default();
        let package: Value = serde_json::from_str(package).unwrap_or_default();
        let handed_out = HANDED_OUT
            .iter()
            .any(|key| package[*key].to_string().to_lowercase().contains(&name));
        let lines = STARTING.map(|name| format!("npm run {name}; make {name}; just {name}"));
        let by_start = self.started(&lines);
        let starts = by_start.programs.get(path).is_some_and(|program| {
            let by = |recipe: &String| STARTING.contains(&recipe.as_str());
            !program.loaded && program.recipes.iter().any(by)
        });
        (handed_out || starts).then_some(Standing::Product)
    }

    /// Nothing else speaks of it: what its call and its place say.
    fn by_its_call(&self, path: &str, program: &Program) -> Standing {
        let named = |names: &[&str], name: &str| {
            let bare = name.trim_start_matches("pre").trim_start_matches("post");
            let mut parts = name.split(|each: char| !each.is_alphanumeric());
            names.contains(&bare) || parts.any(|part| names.contains(&part))
        };
        let mut recipes = program.recipes.iter();
        // `test` runs both.
        let for_judging =
            recipes.any(|one| named(&JUDGING, one) && one.trim_start_matches("pre") != "test");
        let makes =
            named(&MAKING, stem_of(path)) || program.recipes.iter().any(|one| named(&MAKING, one));
        // The product itself is tried in this way, to see that it starts.
        let enters = !for_judging && ENTRIES.contains(&stem_of(path));
        match program.loaded || makes || enters || self.has_tested_sibling(path) {
            true => Standing::Unclear,
            false if program.bare || for_judging => Standing::Judge,
            false => Standing::Unclear,
        }
    }

    /// Does it lie beside a source that tests, or sources elsewhere, speak of? At the top everything does.
    fn has_tested_sibling(&self, path: &str) -> bool {
        let folder = folder_of(path);
        let mut beside = self
            .others
            .keys()
            .filter(|other| **other != path && folder_of(other) == folder && is_source(other));
        let elsewhere = |other: &str| {
            let mut tests = self.tests.values();
            let mut sources = self
                .others
                .iter()
                .filter(|(from, _)| is_source(from) && folder_of(from) != folder);
            tests.any(|text| speaks(text, other)) || sources.any(|(_, text)| speaks(text, other))
        };
        !folder.is_empty() && beside.any(|other| elsewhere(other))
    }
}

/// Does a text name a file, or import what it is called?
fn speaks(text: &str, path: &str) -> bool {
    let name = name_of(path);
    let general = ["index", "__main__", "__init__", "mod", "main"];
    let by_name = text.contains(name) && !general.contains(&name.split('.').next().unwrap_or(name));
    by_name || text.contains(path) || imports(text, stem_of(path))
}

fn name_of(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

fn folder_of(path: &str) -> &str {
    path.rsplit_once('/').map_or("", |(folder, _)| folder)
}

/// What a file is called by those who import it.
pub fn stem_of(path: &str) -> &str {
    let name = name_of(path);
    let stem = name.split('.').next().unwrap_or(name);
    match stem {
        "index" | "__main__" | "__init__" if !folder_of(path).is_empty() => {
            name_of(folder_of(path))
        }
        stem => stem,
    }
}

/// Does a line of it import something of this name?
pub fn imports(text: &str, stem: &str) -> bool {
    let imports = |line: &&str| {
        line.contains("import")
            || line.contains("require(")
            || line.trim_start().starts_with("use ")
    };
    text.lines().filter(imports).any(|line| word(line, stem))
}

/// Does code import this file of tests? By its name, and by its folder's, where it is in one.
pub fn takes_in(code: &str, test: &str) -> bool {
    let folder = name_of(folder_of(test));
    let imports = |line: &str| {
        let by_folder = ["::", ".", "/"].map(|between| format!("{folder}{between}"));
        imports(line, stem_of(test))
            && (folder.is_empty() || by_folder.iter().any(|one| line.contains(one)))
    };
    code.lines().any(imports)
}

/// Does this word stand in the text, by itself?
pub fn word(text: &str, wanted: &str) -> bool {
    words(text, wanted) > 0
}

/// How often it does.
pub fn words(text: &str, wanted: &str) -> usize {
    let inside = |each: char| each.is_alphanumeric() || each == '_';
    let places = text.match_indices(wanted).filter(|(at, _)| {
        let before = text[..*at].chars().next_back();
        let behind = text[at + wanted.len()..].chars().next();
        !before.is_some_and(inside) && !behind.is_some_and(inside)
    });
    places.count()
}

#[cfg(test)]
mod tests {
    use super::*;
    use Standing::{Judge, Product, Unclear};

    const PACKAGE: &str = r#"{"bin": "lib/shop.js", "scripts": {
        "test": "node --test && npm run lint && node scripts/check.js && node src/cli.js --help && npm run build && node lib/shop.js",
        "lint": "node scripts/lint.mjs src", "build": "node scripts/bundle.js", "fix": "node scripts/lint.mjs --fix",
        "start": "node src/server.js"}}"#;

    #[test]
    fn sources_and_tests() {
        for path in ["src/main.rs", "a.py", "web/app.tsx"] {
            assert!(is_source(path) && !is_test(path), "{path}");
        }
        for path in [
            "tests/a.rs",
            "pkg/shop_test.go",
            "src/a.test.ts",
            "test_a.py",
            "src/__tests__/b.js",
            "src/UserTest.java",
        ] {
            assert!(is_source(path) && is_test(path), "{path}");
        }
        for path in ["README.md", "Makefile", "rs", "a.json"] {
            assert!(!is_source(path), "{path}");
        }
        assert!(!is_test("src/latest.rs") && !is_test("contest.py"));
    }

    #[test]
    fn code_that_imports_a_file_of_tests_takes_it_in() {
        for (code, test) in [
            ("from tests.helper import total\n", "tests/helper.py"),
            (
                "const { total } = require('../test/helper.js')\n",
                "test/helper.js",
            ),
            ("import test_helper\n", "test_helper.py"),
        ] {
            assert!(takes_in(code, test), "{code}");
        }
        for (code, test) in [
            ("from shop.helper import total\n", "tests/helper.py"),
            ("# tests.helper has more\n", "tests/helper.py"),
            ("import json\n", "test_shop.py"),
        ] {
            assert!(!takes_in(code, test), "{code}");
        }
    }

    fn of(path: &str, asked: &str, more: &[(&str, &str)]) -> Option<Standing> {
        let mut texts = Texts {
            tests: BTreeMap::from([("test/a.test.js", "require('../src/total.js')\n")]),
            others: BTreeMap::from([("package.json", PACKAGE), ("src/total.js", "")]),
        };
        for path in [
            "scripts/check.js",
            "scripts/bundle.js",
            "scripts/rules.mjs",
            "src/cli.js",
            "src/server.js",
            "lib/shop.js",
        ] {
            texts.others.insert(path, "");
        }
        let lint = "import './rules.mjs'\n";
        texts.others.insert("scripts/lint.mjs", lint);
        texts.others.extend(more.iter().copied());
        let all = texts.started(&["npm test", "npm run start"]);
        texts.standing(path, &all, asked)
    }

    #[test]
    fn what_nothing_but_the_line_speaks_of_judges() {
        for path in ["scripts/lint.mjs", "scripts/check.js"] {
            assert_eq!(of(path, "totals of carts", &[]), Some(Judge), "{path}");
        }
        assert_eq!(of("src/total.js", "", &[]), None);
    }

    #[test]
    fn what_is_asked_for_handed_out_started_or_spoken_of_is_the_product() {
        for (path, asked) in [
            ("scripts/lint.mjs", "let scripts/lint.mjs see tabs"),
            ("src/cli.js", "the cli says --version"),
            ("src/server.js", ""),
            ("lib/shop.js", ""),
        ] {
            assert_eq!(of(path, asked, &[]), Some(Product), "{path}");
        }
        let uses = [("src/total.js", "require('../scripts/check.js')")];
        assert_eq!(of("scripts/check.js", "", &uses), Some(Product));
        let own = [
            ("src/server.js", "require('./parts.js')"),
            ("src/parts.js", ""),
        ];
        assert_eq!(of("src/parts.js", "", &own), Some(Product));
    }

    #[test]
    fn what_nobody_can_tell_accuses_nobody() {
        let entry = Texts {
            tests: BTreeMap::from([("tests/test_core.py", "from lib.core import greet\n")]),
            others: BTreeMap::from([
                (
                    "Makefile",
                    "test:\n\tpython3 -m unittest\n\tpython3 main.py\n",
                ),
                ("main.py", "from lib.core import greet\nprint(greet('a'))\n"),
                ("lib/core.py", "def greet(name): ...\n"),
            ]),
        };
        let all = entry.started(&["make test"]);
        let asked = "the program shouts";
        assert_eq!(entry.standing("main.py", &all, asked), Some(Unclear));
        for (path, asked) in [
            ("src/cli.js", ""),
            ("scripts/bundle.js", ""),
            ("scripts/rules.mjs", ""),
            ("scripts/check.js", "check that totals are right"),
        ] {
            assert_eq!(of(path, asked, &[]), Some(Unclear), "{path}");
        }
    }
}

//! `docs/rules.md` is the only list of the rules that the workflows and the factory follow. A rule without
//! code or test, a file or test that is not there, and a citation that nobody can look up are faults.

use regex::Regex;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// Every text file below these folders that ends so, by its path from the top.
fn texts(folders: &[&str], ends: &[&str]) -> Vec<(String, String)> {
    let mut found = Vec::new();
    let mut queue: Vec<PathBuf> = folders.iter().map(|folder| root().join(folder)).collect();
    while let Some(folder) = queue.pop() {
        for entry in std::fs::read_dir(&folder).into_iter().flatten().flatten() {
            let path = entry.path();
            let name = entry.file_name().to_string_lossy().into_owned();
            if path.is_dir() && !["target", "data"].contains(&name.as_str()) {
                queue.push(path);
            } else if ends.iter().any(|end| name.ends_with(end)) {
                let text = std::fs::read_to_string(&path).unwrap_or_default();
                let path = path.strip_prefix(root()).unwrap().to_path_buf();
                found.push((path.to_string_lossy().into_owned(), text));
            }
        }
    }
    found.sort();
    found
}

/// One line of a rule: what it says, and by what it is shown.
struct Line {
    says: String,
    tests: Vec<String>,
    see: Vec<String>,
}

/// One rule of the page: what stands below its heading.
struct Rule {
    code: Vec<String>,
    lines: Vec<Line>,
}

fn quoted(text: &str) -> Vec<String> {
    text.split('`')
        .skip(1)
        .step_by(2)
        .map(str::to_owned)
        .collect()
}

fn line(says: &str) -> Line {
    let tests = says.rsplit_once(" Tests: ").map(|(_, tests)| quoted(tests));
    let see = says
        .rsplit_once(" See ")
        .map(|(_, see)| see.trim_end_matches('.'));
    let see = see.into_iter().flat_map(|see| see.split(", "));
    Line {
        says: says.to_owned(),
        tests: tests.unwrap_or_default(),
        see: see.map(str::to_owned).collect(),
    }
}

fn rules() -> BTreeMap<String, Rule> {
    let page = std::fs::read_to_string(root().join("docs/rules.md")).unwrap();
    let mut rules = BTreeMap::new();
    for part in page.split("\n### ").skip(1) {
        let part = part.split("\n## ").next().unwrap_or_default();
        let number = part.split_whitespace().next().unwrap_or_default();
        let code = part.lines().find_map(|line| line.strip_prefix("Code: "));
        let rule = Rule {
            code: code.map(quoted).unwrap_or_default(),
            lines: part
                .lines()
                .filter_map(|it| it.strip_prefix("- "))
                .map(line)
                .collect(),
        };
        let twice = rules.insert(number.to_owned(), rule);
        assert!(twice.is_none(), "{number} is defined twice");
    }
    assert!(rules.len() > 80, "only {} rules were read", rules.len());
    rules
}

/// The numbers of the lines of a workflow's rule; the factory's rules have one for all of theirs.
fn numbered<'a>(number: &'a str, rule: &'a Rule) -> impl Iterator<Item = Option<String>> + 'a {
    let begins = format!("{number}.");
    let of_workflow = !number.starts_with('F');
    let lines = rule.lines.iter().filter(move |_| of_workflow);
    lines.map(move |line| {
        let (own, _) = line.says.split_once(": ")?;
        let last = own.strip_prefix(&begins)?;
        last.parse::<u32>().ok().map(|_| own.to_owned())
    })
}

#[test]
fn every_line_of_a_workflow_has_a_number_of_its_own() {
    let mut seen = BTreeSet::new();
    for (number, rule) in &rules() {
        for (at, own) in numbered(number, rule).enumerate() {
            let own = own.unwrap_or_else(|| panic!("{number}: line {} has no number", at + 1));
            assert!(seen.insert(own.clone()), "{own} is there twice");
        }
    }
    assert!(seen.len() > 300, "only {} lines have numbers", seen.len());
}

/// The names of all functions that are tests, in all crates.
fn tests() -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    for (_, text) in texts(&["crates"], &[".rs"]) {
        let mut marked = false;
        for line in text.lines().map(str::trim) {
            if line.contains("#[test]") || line.starts_with("#[tokio::test") {
                marked = true;
            }
            let Some((_, rest)) = line.split_once("fn ").filter(|_| marked) else {
                continue;
            };
            marked = false;
            found.extend(rest.split('(').next().map(str::to_owned));
        }
    }
    found
}

#[test]
fn every_rule_has_its_code_and_a_test_that_cites_it_or_says_why_there_is_none() {
    let (rules, known) = (rules(), tests());
    let mut faults = Vec::new();
    for (number, rule) in &rules {
        if rule.code.is_empty() || rule.lines.is_empty() {
            faults.push(format!(
                "{number}: it needs a line `Code: ...` and what it says"
            ));
        }
        let missing = rule.code.iter().filter(|code| !root().join(code).is_file());
        faults.extend(missing.map(|code| format!("{number}: there is no file `{code}`")));
        // Tests of the factory are named by their rule.
        let cites = number
            .strip_prefix('F')
            .map(|digits| format!("s{}_", digits.replace('.', "_")));
        for line in &rule.lines {
            let shown = !line.tests.is_empty() || !line.see.is_empty();
            if shown == line.says.contains(" No test: ") {
                let says = &line.says;
                faults.push(format!(
                    "{number}: name tests, or say `No test:` and why: {says}"
                ));
            }
            let missing = line.tests.iter().filter(|test| !known.contains(*test));
            faults.extend(missing.map(|test| format!("{number}: there is no test `{test}`")));
            let missing = line.see.iter().filter(|see| !rules.contains_key(*see));
            faults.extend(missing.map(|see| format!("{number}: there is no rule {see}")));
            let own = |cites: &String| line.tests.iter().any(|test| test.starts_with(cites));
            if !line.tests.is_empty() && !cites.as_ref().is_none_or(own) {
                faults.push(format!(
                    "{number}: no test of it is named by it: {}",
                    line.says
                ));
            }
        }
    }
    assert!(faults.is_empty(), "docs/rules.md:\n{}", faults.join("\n"));
}

/// A rule that a check holds, and where it stands.
#[derive(serde::Deserialize)]
#[serde(deny_unknown_fields)]
struct Held {
    rule: String,
    workflow: String,
    states: Vec<String>,
    #[serde(default)]
    check: String,
    #[serde(default)]
    questions: Vec<String>,
    #[serde(default)]
    advisory: bool,
    #[serde(default)]
    with: serde_json::Map<String, serde_json::Value>,
}

/// The examples of a check show what it does, and not that anybody asks it: a rule that a check holds names the
/// gates in which it stands, with the settings that matter.
#[test]
fn what_holds_a_rule_stands_in_its_gate() {
    const OWN: &str = "what_holds_a_rule_stands_in_its_gate";
    let table: toml::Table = crate::play::read("rules/held.toml");
    let held: Vec<Held> = table["held"].clone().try_into().unwrap();
    let mut faults = Vec::new();
    for one in &held {
        let workflow = crate::play::workflow(&one.workflow);
        for state in &one.states {
            let def = &workflow.states[state.as_str()];
            let asked = |id: &String| def.questions.iter().any(|one| one.id == *id);
            let unasked = one.questions.iter().filter(|id| !asked(id));
            faults
                .extend(unasked.map(|id| format!("{}: nobody is asked {id} in {state}", one.rule)));
            if one.check.is_empty() {
                assert!(!one.questions.is_empty(), "{} is held by nothing", one.rule);
                continue;
            }
            let stands = def.gate.iter().any(|spec| {
                let set = one
                    .with
                    .iter()
                    .all(|(key, value)| spec.with.get(key) == Some(value));
                spec.check.as_str() == one.check && spec.weight.is_binding() != one.advisory && set
            });
            if !stands {
                let (rule, check) = (&one.rule, &one.check);
                faults.push(format!("{rule}: no `{check}` in {state}: {:?}", one.with));
            }
        }
    }
    // Who cites this test has a row there, and the other way round.
    let rules = rules();
    let lines = rules.values().flat_map(|rule| &rule.lines);
    let citing = lines.filter(|line| line.tests.iter().any(|test| test == OWN));
    let number = |line: &Line| line.says.split(':').next().unwrap_or_default().to_owned();
    let citing: BTreeSet<String> = citing.map(number).collect();
    let known: BTreeSet<String> = held.iter().map(|one| one.rule.clone()).collect();
    faults.extend(citing.symmetric_difference(&known).cloned());
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

/// Whoever knows the method reads on the page of `add` what is otherwise here: each row has its tests.
#[test]
fn every_difference_to_the_method_is_shown_by_tests() {
    let page = std::fs::read_to_string(root().join("docs/add.md")).unwrap();
    let part = page.split("## Where it differs").nth(1).unwrap();
    let part = part.split("\n## ").next().unwrap_or_default();
    let rows = part.lines().filter(|line| line.starts_with("| "));
    let known = tests();
    let mut count = 0;
    for row in rows.skip(1) {
        let cells: Vec<&str> = row.trim_matches('|').split(" | ").collect();
        assert_eq!(cells.len(), 4, "{row}");
        let shown = quoted(cells[3]);
        assert!(!shown.is_empty(), "{row}");
        for test in shown {
            assert!(known.contains(&test), "there is no test `{test}`");
        }
        count += 1;
    }
    assert!(count > 15, "only {count} rows were read");
}

/// Comments, and pages whole, with the lines of one sentence joined.
fn prose(path: &str, text: &str) -> String {
    if path.ends_with(".md") {
        return text.replace('\n', " ");
    }
    let comments = text
        .lines()
        .filter_map(|line| line.split_once("//").map(|(_, rest)| rest));
    let comments = comments.map(|line| line.trim_start_matches(['/', '!']).trim());
    comments.collect::<Vec<_>>().join(" ")
}

/// The crates' comments, the book, and the pages of the repository's top.
fn pages() -> Vec<(String, String)> {
    let top = std::fs::read_dir(root()).unwrap().flatten();
    let top = top.map(|entry| entry.file_name().to_string_lossy().into_owned());
    let top = top.filter(|name| name.ends_with(".md"));
    let top = top.map(|name| {
        (
            name.clone(),
            std::fs::read_to_string(root().join(name)).unwrap(),
        )
    });
    let mut all = texts(&["crates", "docs"], &[".rs", ".md"]);
    all.extend(top);
    // This file has to name what it looks for.
    all.retain(|(path, _)| !path.ends_with("it/rules.rs"));
    all
}

#[test]
fn every_cited_rule_is_on_the_page() {
    let rules = rules();
    let lines: BTreeSet<String> = rules
        .iter()
        .flat_map(|(number, rule)| numbered(number, rule).flatten())
        .collect();
    let number = r"[FLSPA]\d+(?:\.\d+)*";
    let list = format!(r"\b[Rr]ules? ({number}(?:(?:, and|,| and| to| or) {number})*)");
    let (list, number) = (Regex::new(&list).unwrap(), Regex::new(number).unwrap());
    let mut dangling = Vec::new();
    let mut cited = 0;
    for (path, text) in pages() {
        let prose = prose(&path, &text);
        for found in list.captures_iter(&prose) {
            for one in number.find_iter(&found[1]) {
                cited += 1;
                if !rules.contains_key(one.as_str()) && !lines.contains(one.as_str()) {
                    dangling.push(format!("{path}: rule {}", one.as_str()));
                }
            }
        }
    }
    // A test that is named by a rule, or by a part of one: `s5_4_5_...` is of F5.4.
    for test in tests() {
        let digits = test.strip_prefix('s').unwrap_or_default().split('_');
        let digits: Vec<&str> = digits
            .take_while(|part| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit()))
            .collect();
        let known = |parts: &[&str]| rules.contains_key(&format!("F{}", parts.join(".")));
        let mut shorter = (1..=digits.len()).rev();
        if !digits.is_empty() && !shorter.any(|end| known(&digits[..end])) {
            dangling.push(format!("the test `{test}`"));
        }
    }
    assert!(cited > 200, "only {cited} citations were found");
    assert!(
        dangling.is_empty(),
        "docs/rules.md does not have:\n{}",
        dangling.join("\n")
    );
}

/// Nobody can look up a section of a document that is not here. (`add` has numbered sections of its own,
/// in its `TASK.md`.)
#[test]
fn no_comment_cites_a_document_that_readers_do_not_have() {
    let away = r"[Dd]ocument 00\d|\b[Ss]ections? \d|§ ?\d|\b[Tt]able \d+\.\d";
    let away = Regex::new(away).unwrap();
    let mut found = Vec::new();
    for (path, text) in pages() {
        if path.contains("add") {
            continue;
        }
        let prose = prose(&path, &text);
        // The page itself says what the factory's own documents call a rule.
        let prose = prose.replace("say \"section 9.7\" for the same rule", "");
        found.extend(
            away.find_iter(&prose)
                .map(|one| format!("{path}: {}", one.as_str())),
        );
    }
    assert!(
        found.is_empty(),
        "cite a rule of docs/rules.md instead:\n{}",
        found.join("\n")
    );
}

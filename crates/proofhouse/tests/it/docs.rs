//! The documents say what the product does: every name on one side is looked for on the other.

use crate::support::{BIN, World};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn page(name: &str) -> String {
    let path = root().join(name);
    std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{name}: {error}"))
}

#[track_caller]
fn all_named(page_name: &str, wanted: impl IntoIterator<Item = String>) {
    let text = page(page_name);
    let missing: BTreeSet<String> = wanted
        .into_iter()
        .filter(|word| !text.contains(word.as_str()))
        .collect();
    assert!(
        missing.is_empty(),
        "{page_name} does not name: {missing:#?}"
    );
}

fn code(word: &str) -> String {
    format!("`{word}`")
}

/// The texts of `<!-- file: PATH -->` followed by a fenced block.
fn files_on(text: &str) -> Vec<(String, String)> {
    let mut found = Vec::new();
    for part in text.split("<!-- file: ").skip(1) {
        let (name, rest) = part.split_once(" -->\n").expect("a closed comment");
        let (_, rest) = rest.split_once('\n').expect("an opening fence");
        let (body, _) = rest.split_once("```").expect("a closing fence");
        found.push((name.to_owned(), body.to_owned()));
    }
    found
}

#[test]
fn the_example_workflow_loads_and_is_sound() {
    let world = World::new();
    let files = files_on(&page("docs/workflows.md"));
    assert_eq!(files.len(), 4, "the example has four files");
    for (name, text) in &files {
        world.write(&format!(".proofhouse/workflows/note/{name}"), text);
    }
    world.run(&["workflow", "lint", "note"]).exits(0);
    let check = world.run(&["workflow", "check", "note"]).exits(0);
    assert!(check.out.contains("sound note"), "{}", check.out);
    let folder = world.at(".proofhouse/workflows/note");
    let folder = folder.to_str().expect("UTF-8");
    world.run(&["workflow", "lint", folder]).exits(0);
}

/// The part of a page under a heading.
fn under<'t>(text: &'t str, heading: &str) -> &'t str {
    let found = text.split_once(&format!("\n## {heading}\n"));
    let rest = found.map_or("", |(_, rest)| rest);
    rest.split("\n## ").next().unwrap_or_default()
}

#[test]
fn every_check_is_on_its_page_with_every_setting_and_in_the_index() {
    let text = page("docs/checks.md");
    let index = under(&text, "Index");
    let mut missing = Vec::new();
    for check in checks::registry() {
        let name = check.name();
        if !index.contains(&format!("[`{name}`](#{name})")) {
            missing.push(format!("{name}: in the index"));
        }
        let own = under(&text, name);
        if own.is_empty() {
            missing.push(format!("{name}: its part"));
        }
        let settings = check.settings().into_iter();
        let untold = settings.filter(|setting| !own.contains(&code(&setting.name)));
        missing.extend(untold.map(|setting| format!("{name}: `{}`", setting.name)));
    }
    assert!(missing.is_empty(), "docs/checks.md lacks {missing:#?}");
}

#[test]
fn every_built_in_workflow_is_in_the_readme_and_has_its_page() {
    let rows = flow::built_in_names().map(|name| format!("\n| [`{name}`](docs/{name}.md) | "));
    all_named("README.md", rows);
    let pages = flow::built_in_names().map(|name| format!("]({name}.md)"));
    all_named("docs/SUMMARY.md", pages);
}

#[test]
fn every_layer_of_the_sandbox_is_on_its_page() {
    let names = words_behind(&[page("crates/sandbox/src/layer.rs")], &["=> "]);
    assert!(names.len() > 10, "only {names:?}");
    all_named("docs/sandbox.md", names.iter().map(|word| code(word)));
}

/// The subcommands and long flags that a help text names.
fn named_in(help: &str) -> (Vec<String>, Vec<String>) {
    let mut commands = Vec::new();
    let mut flags = Vec::new();
    let mut section = "";
    for line in help.lines() {
        if !line.starts_with(' ') {
            section = line;
            continue;
        }
        let indent = line.len() - line.trim_start().len();
        let first = line.split_whitespace().next().unwrap_or_default();
        if section == "Commands:" && indent == 2 && first != "help" {
            commands.push(first.to_owned());
        }
        if section == "Options:" && (2..=6).contains(&indent) {
            let words = line.split_whitespace().take(2);
            flags.extend(
                words
                    .filter(|word| word.starts_with("--"))
                    .map(str::to_owned),
            );
        }
    }
    (commands, flags)
}

fn help(path: &[String]) -> String {
    let said = std::process::Command::new(BIN)
        .args(path)
        .arg("--help")
        .output()
        .expect("the binary runs");
    assert!(said.status.success(), "{path:?} --help");
    String::from_utf8_lossy(&said.stdout).into_owned()
}

#[test]
fn every_command_and_flag_is_on_its_page() {
    let mut wanted = BTreeSet::new();
    let mut queue: Vec<Vec<String>> = vec![Vec::new()];
    let mut seen = 0;
    while let Some(path) = queue.pop() {
        seen += 1;
        let (commands, flags) = named_in(&help(&path));
        wanted.extend(flags);
        if !path.is_empty() {
            wanted.insert(format!("proofhouse {}", path.join(" ")));
        }
        queue.extend(commands.into_iter().map(|command| {
            let mut deeper = path.clone();
            deeper.push(command);
            deeper
        }));
    }
    assert!(seen > 15, "only {seen} commands were found");
    assert!(wanted.contains("--restore-views"), "{wanted:?}");
    all_named("docs/cli.md", wanted);
}

/// The table of settings is the one that the product reads by, row for row.
#[test]
fn every_setting_is_on_its_page_with_its_default_and_its_meaning() {
    use workspace::config::{self, Value, keys};
    let rows = keys::KEYS.iter().map(|key| {
        let default = match config::default(key.name) {
            Some(Value::Text(word)) => code(&word),
            Some(value) => code(&serde_json::to_string(&value).expect("a value")),
            None => String::new(),
        };
        format!("| `{}` | {default} | {} |\n", key.name, key.about)
    });
    let rows: Vec<String> = rows.collect();
    assert!(rows.len() > 40, "{rows:?}");
    all_named("docs/config.md", rows);
}

/// All source files of these crates' `src` folders.
fn sources(krate: Option<&str>) -> Vec<String> {
    let mut texts = Vec::new();
    let crates = std::fs::read_dir(root().join("crates")).expect("crates");
    let mut folders: Vec<PathBuf> = crates
        .map(|entry| entry.expect("an entry").path())
        .filter(|path| krate.is_none_or(|name| path.ends_with(name)))
        .map(|path| path.join("src"))
        .collect();
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).into_iter().flatten() {
            let path = entry.expect("an entry").path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                texts.push(std::fs::read_to_string(path).expect("a source file"));
            }
        }
    }
    texts
}

/// Every plain word in quotes that stands right behind one of the needles.
fn words_behind(texts: &[String], needles: &[&str]) -> BTreeSet<String> {
    let mut words = BTreeSet::new();
    for text in texts {
        for needle in needles {
            for (at, _) in text.match_indices(needle) {
                let rest = text[at + needle.len()..].trim_start();
                let word = rest.strip_prefix('"').and_then(|rest| rest.split_once('"'));
                if let Some((word, _)) = word
                    && word
                        .bytes()
                        .all(|byte| byte.is_ascii_lowercase() || byte == b'_')
                {
                    words.insert(word.to_owned());
                }
            }
        }
    }
    words
}

#[test]
fn every_connector_is_on_its_page() {
    let forms = agents::forms();
    all_named("docs/agents.md", forms.split(", ").map(str::to_owned));
    // Alone, or with what follows the name.
    let readme = page("README.md");
    for name in agents::names() {
        let mut ends = ["`", ":"].iter();
        let named = ends.any(|end| readme.contains(&format!("`{name}{end}")));
        assert!(named, "README.md does not name `{name}`");
    }
}

#[test]
fn every_error_and_refusal_code_is_on_its_page() {
    let needles = [
        "Error::user(",
        "Error::bug(",
        "environment(",
        "Refusal::new(",
        // Findings of an audit.
        " finding(",
        "push(finding(",
        // A file without a proof, in forms for build servers.
        "const UNCOVERED: &str =",
    ];
    let codes = words_behind(&sources(None), &needles);
    assert!(codes.len() > 30, "only {codes:?}");
    all_named("docs/codes.md", codes.iter().map(|word| code(word)));
}

/// Codes that an error type gives by `fn code` or `fn as_str`, where they reach people.
#[test]
fn every_code_of_the_lower_crates_is_on_its_page() {
    let mut wanted = BTreeSet::new();
    for file in [
        "store/src/error.rs",
        "store/src/audit/report.rs",
        "sandbox/src/error.rs",
        "index/src/error.rs",
        "agents/src/error.rs",
        "agents/src/scripted/error.rs",
    ] {
        let text = page(&format!("crates/{file}"));
        let before = wanted.len();
        for start in ["pub fn code(&self)", "pub fn as_str(self)"] {
            for part in text.split(start).skip(1) {
                let body = part.split("\n    }\n").next().unwrap_or_default();
                wanted.extend(words_behind(&[body.to_owned()], &["=> ", "=> {"]));
            }
        }
        assert!(wanted.len() > before, "no code was found in {file}");
    }
    all_named("docs/codes.md", wanted.iter().map(|word| code(word)));
}

#[test]
fn every_code_of_lint_and_check_is_on_its_page() {
    let mut codes = words_behind(&sources(Some("flow")), &["problem(", "code: "]);
    let explore = std::fs::read_to_string(root().join("crates/kernel/src/explore/mod.rs"));
    let explore = [explore.expect("the explorer")];
    codes.extend(words_behind(
        &explore,
        &["code: ", "Human => ", "Agent => "],
    ));
    for known in [
        "malformed_workflow",
        "loop_without_budget",
        "trap",
        "dead_transition",
    ] {
        assert!(codes.contains(known), "`{known}` was not found: {codes:?}");
    }
    all_named("docs/workflows.md", codes.iter().map(|word| code(word)));
}

/// What a judgement of the factory may say, as far as the code stands beside a known call.
#[test]
fn every_code_of_a_deficiency_is_on_its_page() {
    let needles = [
        "Fault::rule(",
        "Wrong::content(",
        "content(field, ",
        "say(field, ",
        "SOME.or(",
        "Deficiency::error(",
        "what = (",
        "field, (",
        "name, (",
        " say(",
        "Beyond => ",
        "Key => ",
        "Surrogate => ",
    ];
    let mut texts = sources(Some("factory"));
    let of_forms = ["form/mod.rs", "form/said.rs", "form/walk.rs", "module.rs"];
    texts.extend(of_forms.map(|file| page(&format!("crates/kernel/src/{file}"))));
    let codes = words_behind(&texts, &needles);
    for known in ["bad_id", "cycle", "placeholder", "mild_evidence", "too_few"] {
        assert!(codes.contains(known), "`{known}` was not found: {codes:?}");
    }
    all_named("docs/factory.md", codes.iter().map(|word| code(word)));
}

/// Every document has a section in the list that the command prints, and a code for each rule.
#[test]
fn every_rule_of_a_spec_is_on_its_page() {
    all_named(
        "docs/factory.md",
        (1..=14).map(|rule| format!("| {rule} | ")),
    );
}

/// Every key of `workflow.toml`, from the structs that read it.
#[test]
fn every_key_of_a_workflow_is_on_its_page() {
    let raw = std::fs::read_to_string(root().join("crates/flow/src/raw.rs")).expect("raw.rs");
    let fields = raw.lines().filter_map(|line| {
        let rest = line.strip_prefix("    pub(crate) ")?;
        let (name, _) = rest.split_once(':')?;
        (!name.contains(['(', ' '])).then(|| name.to_owned())
    });
    let text = page("docs/workflows.md");
    let mut count = 0;
    for name in fields {
        count += 1;
        // `return` is a word of the language, so the struct calls it otherwise.
        let name = if name == "slot" { "return" } else { &name };
        let forms = [
            code(name),
            format!("[{name}]"),
            format!("[{name}.NAME]"),
            format!("[[{name}]]"),
            format!("[[task.{name}]]"),
        ];
        assert!(
            forms.iter().any(|form| text.contains(form.as_str())),
            "docs/workflows.md does not name the key `{name}`"
        );
    }
    assert!(count > 35, "only {count} keys were found");
}

#[test]
fn every_kind_of_record_is_on_its_page() {
    all_named(
        "docs/journal.md",
        kernel::Body::KINDS
            .iter()
            .chain(wave::Fact::KINDS)
            .map(|kind| code(kind)),
    );
}

/// Every key of `milestone.toml`, from the structs that read it.
#[test]
fn every_key_of_a_milestone_is_on_its_page() {
    let source = page("crates/wave/src/milestone.rs");
    let mut keys = BTreeSet::new();
    for name in ["\nstruct Raw {\n", "\npub struct Task {\n"] {
        let (_, rest) = source.split_once(name).expect("the struct");
        let (body, _) = rest.split_once("\n}\n").expect("its end");
        let fields = body
            .lines()
            .filter(|line| !line.trim_start().starts_with(['/', '#']));
        for field in fields.filter_map(|line| line.split_once(':')) {
            keys.insert(field.0.trim().trim_start_matches("pub ").to_owned());
        }
    }
    // Computed, not read; and the table of tasks itself.
    assert!(keys.remove("timeout_millis") && keys.remove("task"));
    assert!(keys.len() > 15, "only {keys:?}");
    all_named("docs/waves.md", keys.iter().map(|key| code(key)));
    assert!(page("docs/waves.md").contains("[[task]]"));
}

/// Links between the documents lead to files that are there.
#[test]
fn links_between_documents_lead_somewhere() {
    let mut broken = Vec::new();
    let files = |folder: &str| -> Vec<String> {
        let entries = std::fs::read_dir(root().join(folder)).expect("the folder is there");
        let names = entries.map(|entry| entry.expect("an entry").file_name());
        let names = names.map(|name| name.to_string_lossy().into_owned());
        names.filter(|name| name.ends_with(".md")).collect()
    };
    let docs = files("docs").into_iter().map(|name| format!("docs/{name}"));
    let pages: Vec<String> = files(".").into_iter().chain(docs).collect();
    assert!(pages.len() > 15, "only {pages:?}");
    let readme = page("README.md");
    for name in &pages {
        let linked = name == "README.md" || name == "AGENTS.md" || readme.contains(name.as_str());
        assert!(linked, "the README leads nobody to {name}");
        let text = page(name);
        let folder = root().join(name);
        let folder = folder.parent().expect("a file lies in a folder");
        for part in text.split("](").skip(1) {
            let target = part.split(')').next().unwrap_or_default();
            let file = target.split('#').next().unwrap_or_default();
            let elsewhere = file.is_empty() || file.contains("://");
            if !elsewhere && !folder.join(file).exists() {
                broken.push(format!("{name}: {target}"));
            }
        }
    }
    assert!(broken.is_empty(), "{broken:#?}");
}

/// CI runs what the README tells people to run.
#[test]
fn the_tests_of_the_readme_are_the_tests_of_ci() {
    let command = "cargo test --workspace";
    assert!(page("README.md").contains(&format!("\n{command}\n")));
    let script = page(".ci/run");
    assert_eq!(script.trim_end().lines().last(), Some(command));
}

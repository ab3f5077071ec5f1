//! The workspace's own rules, as absences: what must not be anywhere but in its place. A broken rule
//! names file and line, and how to mend it.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

/// Which workspace crates each may depend on. `testkit` may be a dev-dependency anywhere.
const MAY_DEPEND: &[(&str, &str)] = &[
    ("kernel", ""),
    ("schema", ""),
    ("flow", "kernel schema"),
    ("languages", "kernel"),
    ("documents", "kernel languages"),
    ("factory", "kernel languages documents"),
    ("wave", "kernel"),
    ("store", "kernel"),
    ("sandbox", "kernel"),
    ("index", "kernel"),
    ("checks", "kernel languages documents store sandbox index"),
    (
        "agents",
        "kernel schema documents store sandbox index checks",
    ),
    (
        "workspace",
        "kernel languages store sandbox index checks agents flow",
    ),
    (
        "report",
        "kernel store flow factory wave languages documents workspace",
    ),
    ("approval", "kernel store workspace report"),
    (
        "engine",
        "kernel languages store sandbox index checks agents flow factory wave workspace report approval",
    ),
    (
        "audit",
        "kernel store checks flow factory wave workspace report approval engine",
    ),
    (
        "proofhouse",
        "kernel store sandbox index checks agents flow factory wave workspace report approval engine audit",
    ),
    (
        "testkit",
        "kernel languages documents store sandbox index checks agents flow factory wave workspace report approval engine",
    ),
];

/// Crates that must give the same answer for ever: no clock, no files, no chance, no hash order.
const PURE: [&str; 7] = [
    "kernel",
    "schema",
    "flow",
    "languages",
    "documents",
    "factory",
    "wave",
];
const IMPURE: [&str; 13] = [
    "std::fs",
    "std::time",
    "std::env",
    "std::net",
    "std::thread",
    "std::process",
    "Instant",
    "SystemTime",
    "async fn",
    "tokio",
    "rand",
    "HashMap",
    "HashSet",
];

const SPAWNS: [&str; 4] = [
    "process::Command",
    "libc::fork",
    "posix_spawn",
    "posix_spawnp",
];

const MOST_LINES: usize = 800;
/// Of one crate, in `src`.
const MOST_OF_A_CRATE: usize = 20_000;

/// Made-up people whose home folders may stand in examples.
const EXAMPLE_USERS: [&str; 6] = ["ada", "alice", "bob", "me", "user", "you"];

fn root() -> PathBuf {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    root.canonicalize().expect("the workspace folder")
}

/// Every file under `folder`, sorted; hidden folders and build output are not ours.
fn walk(folder: &Path) -> Vec<PathBuf> {
    let Ok(entries) = fs::read_dir(folder) else {
        return Vec::new();
    };
    let mut paths: Vec<PathBuf> = entries
        .map(|entry| entry.expect("a folder entry").path())
        .collect();
    paths.sort();
    let mut found = Vec::new();
    for path in paths {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        if path.is_symlink() || name.starts_with('.') || name == "target" {
            continue;
        }
        if path.is_dir() {
            found.extend(walk(&path));
        } else {
            found.push(path);
        }
    }
    found
}

#[derive(PartialEq, Eq, Clone, Copy)]
pub(crate) enum Place {
    Source,
    Test,
}

/// One Rust file.
pub(crate) struct Rust {
    /// Relative to the workspace.
    pub(crate) path: String,
    pub(crate) member: String,
    pub(crate) place: Place,
    pub(crate) text: String,
    /// Without comments, strings and items for tests; every line where it was.
    pub(crate) code: String,
}

pub(crate) fn rust_files() -> Vec<Rust> {
    let root = root();
    let mut found = Vec::new();
    for path in walk(&root.join("crates")) {
        let short = path.strip_prefix(&root).expect("inside").to_path_buf();
        let parts: Vec<String> = short
            .iter()
            .map(|part| part.to_string_lossy().into_owned())
            .collect();
        let is_rust = short.extension().is_some_and(|extension| extension == "rs");
        if !is_rust || parts.len() < 4 || !["src", "tests", "benches"].contains(&parts[2].as_str())
        {
            continue;
        }
        let for_tests = parts[2] != "src" || is_for_tests(&path);
        let text = fs::read_to_string(&path).expect("Rust is UTF-8");
        found.push(Rust {
            path: short.display().to_string(),
            member: parts[1].clone(),
            place: if for_tests {
                Place::Test
            } else {
                Place::Source
            },
            code: without_tests(&bare(&text)),
            text,
        });
    }
    assert!(found.len() > 50, "the workspace was not found");
    found
}

/// Is it, or does it lie below, a module `tests` of a crate's `src` that is declared for tests alone? A
/// part of the product may have that name.
fn is_for_tests(path: &Path) -> bool {
    let named = path
        .ancestors()
        .find(|part| part.file_stem().is_some_and(|name| name == "tests"));
    let Some(above) = named.and_then(Path::parent) else {
        return false;
    };
    let declares = |file: PathBuf| {
        let text = fs::read_to_string(file).unwrap_or_default();
        text.contains("#[cfg(test)]\nmod tests;")
            || text.contains("#[cfg(test)]\npub(crate) mod tests;")
    };
    let places = [
        above.with_extension("rs"),
        above.join("mod.rs"),
        above.join("lib.rs"),
    ];
    places.into_iter().any(declares)
}

/// Blanks comments and the insides of strings and characters; newlines stay.
fn bare(text: &str) -> String {
    let chars: Vec<char> = text.chars().collect();
    let mut out = String::with_capacity(text.len());
    let mut at = 0;
    while at < chars.len() {
        let end = match chars[at] {
            '/' if chars.get(at + 1) == Some(&'/') => line_end(&chars, at),
            '/' if chars.get(at + 1) == Some(&'*') => comment_end(&chars, at),
            '"' => string_end(&chars, at),
            'r' if !word_before(&chars, at) => raw_end(&chars, at).unwrap_or(at),
            '\'' => char_end(&chars, at).unwrap_or(at),
            _ => at,
        };
        if end == at {
            out.push(chars[at]);
            at += 1;
            continue;
        }
        for c in &chars[at..end] {
            out.push(if *c == '\n' { '\n' } else { ' ' });
        }
        at = end;
    }
    out
}

fn line_end(chars: &[char], at: usize) -> usize {
    let length = chars[at..].iter().position(|c| *c == '\n');
    length.map_or(chars.len(), |length| at + length)
}

fn comment_end(chars: &[char], mut at: usize) -> usize {
    let mut depth = 0;
    while at + 1 < chars.len() {
        match (chars[at], chars[at + 1]) {
            ('/', '*') => depth += 1,
            ('*', '/') => depth -= 1,
            _ => {
                at += 1;
                continue;
            }
        }
        at += 2;
        if depth == 0 {
            return at;
        }
    }
    chars.len()
}

fn string_end(chars: &[char], at: usize) -> usize {
    let mut end = at + 1;
    while end < chars.len() && chars[end] != '"' {
        end += if chars[end] == '\\' { 2 } else { 1 };
    }
    (end + 1).min(chars.len())
}

/// `r"..."` and `r#"..."#`.
fn raw_end(chars: &[char], at: usize) -> Option<usize> {
    let hashes = chars[at + 1..].iter().take_while(|c| **c == '#').count();
    let open = at + 1 + hashes;
    if chars.get(open) != Some(&'"') {
        return None;
    }
    let closes = |end: &usize| {
        let after = &chars[end + 1..];
        chars[*end] == '"' && after.iter().take_while(|c| **c == '#').count() >= hashes
    };
    let close = (open + 1..chars.len()).find(closes)?;
    Some(close + 1 + hashes)
}

/// A character, not a lifetime.
fn char_end(chars: &[char], at: usize) -> Option<usize> {
    let close = match chars.get(at + 1)? {
        '\\' => (at + 3..chars.len().min(at + 12)).find(|end| chars[*end] == '\'')?,
        _ => at + 2,
    };
    (chars.get(close) == Some(&'\'')).then_some(close + 1)
}

fn is_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

/// Raw strings may follow a `b`; any other word swallows the `r`.
fn word_before(chars: &[char], at: usize) -> bool {
    let before = |back: usize| at >= back && is_word(chars[at - back]);
    before(1) && (chars[at - 1] != 'b' || before(2))
}

/// Blanks every item under `#[cfg(test)]`. Wants bare code.
fn without_tests(code: &str) -> String {
    const MARK: &str = "#[cfg(test)]";
    let mut out = code.to_owned();
    let mut from = 0;
    while let Some(found) = out[from..].find(MARK) {
        let start = from + found;
        let (mut depth, mut end) = (0usize, out.len());
        for (offset, c) in out[start + MARK.len()..].char_indices() {
            match c {
                '{' => depth += 1,
                '}' => depth = depth.saturating_sub(1),
                _ => {}
            }
            if (c == ';' || c == '}') && depth == 0 {
                end = start + MARK.len() + offset + 1;
                break;
            }
        }
        let blank = |c: char| if c == '\n' { '\n' } else { ' ' };
        let item: String = out[start..end].chars().map(blank).collect();
        from = start + item.len();
        out.replace_range(start..end, &item);
    }
    out
}

/// The lines (from 1) on which `needle` stands as words of its own.
fn lines_with(code: &str, needle: &str) -> Vec<usize> {
    let stands_alone = |at: usize| {
        let before = code[..at].chars().next_back();
        let after = code[at + needle.len()..].chars().next();
        !before.is_some_and(is_word) && !after.is_some_and(is_word)
    };
    code.match_indices(needle)
        .filter(|(at, _)| stands_alone(*at))
        .map(|(at, _)| line_of(code, at))
        .collect()
}

fn line_of(code: &str, at: usize) -> usize {
    code[..at].matches('\n').count() + 1
}

/// Like [`lines_with`] for a path `a::b`, also when it is imported as `a::{.., b, ..}`.
fn lines_with_path(code: &str, path: &str) -> Vec<usize> {
    let mut lines = lines_with(code, path);
    if let Some((parent, child)) = path.rsplit_once("::") {
        let group = format!("{parent}::{{");
        for (at, _) in code.match_indices(&group) {
            let names = code[at + group.len()..].split(';').next().unwrap_or("");
            if !lines_with(names, child).is_empty() {
                lines.push(line_of(code, at));
            }
        }
    }
    lines
}

/// Fails with every broken place and one way to mend them.
pub(crate) fn report(rule: &str, mend: &str, broken: Vec<String>) {
    assert!(
        broken.is_empty(),
        "{rule}\n  {}\nmend: {mend}",
        broken.join("\n  ")
    );
}

/// The workspace crates in one section of a manifest, under their true names.
fn members_in(section: Option<&toml::Value>, members: &BTreeSet<String>) -> Vec<String> {
    let Some(section) = section.and_then(toml::Value::as_table) else {
        return Vec::new();
    };
    let true_name = |(key, value): (&String, &toml::Value)| {
        let renamed = value.get("package").and_then(toml::Value::as_str);
        renamed.map_or_else(|| key.clone(), str::to_owned)
    };
    section
        .iter()
        .map(true_name)
        .filter(|name| members.contains(name))
        .collect()
}

fn wrong_edges(member: &str, manifest: &toml::Value, members: &BTreeSet<String>) -> Vec<String> {
    let allowed: BTreeMap<&str, &str> = MAY_DEPEND.iter().copied().collect();
    let Some(may) = allowed.get(member) else {
        return vec![format!("`{member}` has no place in MAY_DEPEND")];
    };
    let may: BTreeSet<&str> = may.split_whitespace().collect();
    let mut sections = vec![manifest];
    let targets = manifest.get("target").and_then(toml::Value::as_table);
    sections.extend(targets.into_iter().flat_map(|targets| targets.values()));
    let mut wrong = Vec::new();
    for section in sections {
        for kind in ["dependencies", "build-dependencies", "dev-dependencies"] {
            for name in members_in(section.get(kind), members) {
                let for_tests = kind == "dev-dependencies" && name == "testkit";
                if name != member && !for_tests && !may.contains(name.as_str()) {
                    wrong.push(format!("[{kind}] {member} -> {name}"));
                }
            }
        }
    }
    wrong
}

#[test]
fn crates_depend_in_one_direction_only() {
    let root = root();
    let folders = fs::read_dir(root.join("crates")).expect("crates");
    let members: BTreeSet<String> = folders
        .map(|entry| entry.expect("an entry"))
        .filter(|entry| entry.path().join("Cargo.toml").is_file())
        .map(|entry| entry.file_name().to_string_lossy().into_owned())
        .collect();
    let mut broken = Vec::new();
    for member in &members {
        let path = format!("crates/{member}/Cargo.toml");
        let text = fs::read_to_string(root.join(&path)).expect("a manifest");
        let manifest = toml::from_str(&text).expect("a manifest is TOML");
        for wrong in wrong_edges(member, &manifest, &members) {
            let name = wrong.rsplit(' ').next().unwrap_or_default();
            let line = text.lines().position(|line| line.starts_with(name));
            broken.push(format!(
                "{path}:{}: {wrong}",
                line.map_or(1, |line| line + 1)
            ));
        }
    }
    report(
        "a crate depends on what it must not know:",
        "move the code to the lower crate, or hand it in as data; the allowed edges are MAY_DEPEND in this test and DESIGN's picture",
        broken,
    );
}

#[test]
fn every_file_says_why_it_exists() {
    let files = rust_files();
    let broken = files
        .iter()
        .filter(|file| !file.text.starts_with("//! "))
        .map(|file| format!("{}:1", file.path));
    report(
        "a Rust file without a reason:",
        "begin the file with a `//! ` line that says why it exists",
        broken.collect(),
    );
}

/// The lines of public functions, types, traits and constants that no doc line explains. Fields and
/// variants may go without one: most are what they are called. An item of a macro (`$name`) is
/// explained where the macro is called.
fn unexplained(text: &str, code: &str) -> Vec<usize> {
    const ITEMS: [&str; 7] = [
        "fn ", "struct ", "enum ", "trait ", "const ", "static ", "type ",
    ];
    let lines: Vec<&str> = text.lines().collect();
    let is_item = |line: &str| {
        let rest = line.trim_start().strip_prefix("pub ");
        let named = |rest: &str| {
            ITEMS
                .iter()
                .find_map(|item| rest.strip_prefix(item))
                .is_some_and(|name| !name.starts_with('$'))
        };
        rest.is_some_and(named)
    };
    let explained = |at: usize| {
        let above = lines[..at].iter().rev().map(|line| line.trim());
        above
            .take_while(|line| !line.is_empty() && !line.ends_with([';', '{', '}']))
            .any(|line| line.starts_with("///"))
    };
    let items = code.lines().enumerate().filter(|(_, line)| is_item(line));
    items
        .map(|(at, _)| at)
        .filter(|at| !explained(*at))
        .map(|at| at + 1)
        .collect()
}

#[test]
fn everything_public_is_explained() {
    let mut wrong = Vec::new();
    for file in rust_files() {
        if file.place == Place::Source {
            for line in unexplained(&file.text, &file.code) {
                wrong.push(format!("{}:{line}: public, and no doc line", file.path));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    let bare_item = "/// Why.\n#[must_use]\npub fn a() {}\npub fn b() {}\n";
    assert_eq!(unexplained(bare_item, bare_item), [4]);
}

#[test]
fn no_file_is_too_long() {
    let mut broken = Vec::new();
    for file in rust_files() {
        let lines = file.text.lines().count();
        if lines > MOST_LINES {
            broken.push(format!("{}:{lines}", file.path));
        }
    }
    report(
        &format!("a file of more than {MOST_LINES} lines:"),
        "split it by idea; about 200 lines is the aim",
        broken,
    );
}

#[test]
fn no_crate_is_too_large() {
    let mut crates: BTreeMap<String, usize> = BTreeMap::new();
    for file in rust_files() {
        if file.place == Place::Source {
            *crates.entry(file.member).or_default() += file.text.lines().count();
        }
    }
    let broken = crates
        .into_iter()
        .filter(|(_, lines)| *lines > MOST_OF_A_CRATE)
        .map(|(name, lines)| format!("crates/{name}/src: {lines}"));
    report(
        &format!("a crate of more than {MOST_OF_A_CRATE} lines:"),
        "find what in it knows nothing of the rest, and give that a crate below",
        broken.collect(),
    );
}

/// `file:line: word` for every forbidden path in the files that `keep` chooses.
fn forbidden(keep: impl Fn(&Rust) -> bool, paths: &[&str]) -> Vec<String> {
    let mut broken = Vec::new();
    for file in rust_files().iter().filter(|file| keep(file)) {
        for path in paths {
            let lines = lines_with_path(&file.code, path);
            broken.extend(
                lines
                    .into_iter()
                    .map(|line| format!("{}:{line}: {path}", file.path)),
            );
        }
    }
    broken
}

#[test]
fn only_the_sandbox_starts_programs() {
    report(
        "a program is started outside the sandbox:",
        "describe the program to `sandbox`, the one spawn place",
        forbidden(
            |file| file.place == Place::Source && file.member != "sandbox",
            &SPAWNS,
        ),
    );
}

#[test]
fn pure_crates_stay_pure() {
    report(
        "a pure crate reaches for the world, or for hash order:",
        "take time, ids and texts from inputs; use BTreeMap and BTreeSet",
        forbidden(
            |file| file.place == Place::Source && PURE.contains(&file.member.as_str()),
            &IMPURE,
        ),
    );
}

#[test]
fn unsafe_code_is_in_the_sandbox_only() {
    report(
        "`unsafe` outside the sandbox:",
        "use rustix, or put the call behind a safe function in `sandbox`",
        forbidden(|file| file.member != "sandbox", &["unsafe"]),
    );
}

#[test]
fn nothing_unwraps_outside_tests() {
    let mut broken = Vec::new();
    for file in rust_files() {
        if file.place == Place::Source {
            let found = file.code.match_indices(".unwrap()");
            broken
                .extend(found.map(|(at, _)| format!("{}:{}", file.path, line_of(&file.code, at))));
        }
    }
    report(
        "`.unwrap()` outside tests:",
        "return an error, or `.expect(\"why it cannot fail\")`",
        broken,
    );
}

/// Does the line name a folder of one person's machine?
fn names_a_machine(line: &str, workspace: &str) -> bool {
    let slash = "/";
    let work = |name: &str| format!("{slash}work{slash}{name}");
    let folders = [
        workspace.to_owned(),
        work("main"),
        work("shared"),
        format!("{slash}root{slash}"),
    ];
    if folders.iter().any(|folder| line.contains(folder.as_str())) {
        return true;
    }
    let homes = [
        format!("{slash}home{slash}"),
        format!("{slash}Users{slash}"),
    ];
    homes.iter().any(|home| {
        line.match_indices(home.as_str()).any(|(at, _)| {
            let rest = &line[at + home.len()..];
            let user: String = rest.chars().take_while(|c| is_word(*c)).collect();
            !user.is_empty() && !EXAMPLE_USERS.contains(&user.to_lowercase().as_str())
        })
    })
}

#[test]
fn no_file_names_somebodys_machine() {
    let root = root();
    let workspace = root.display().to_string();
    let mut broken = Vec::new();
    for path in walk(&root) {
        // What is not text cannot be read by people, so it names nothing to them.
        let Ok(text) = fs::read_to_string(&path) else {
            continue;
        };
        let short = path.strip_prefix(&root).expect("inside").display();
        for (number, line) in text.lines().enumerate() {
            if names_a_machine(line, &workspace) {
                broken.push(format!("{short}:{}: {}", number + 1, line.trim()));
            }
        }
    }
    report(
        "a file names a folder of one machine:",
        "use a relative path, a temporary folder, or a made-up home such as that of `ada`",
        broken,
    );
}

/// The rules are worth what they catch.
#[test]
fn the_rules_see_what_they_should() {
    let text = "use std::{env, fs::File};\nlet s = \"std::env tokio\"; // unsafe\nlet c = '\"'; let l: &'a str = r#\"HashMap \" \"#;\n/* rand /* rand */ rand */ unsafe {}\n#[cfg(test)]\nmod tests { fn f() { x.unwrap(); } }\n#[cfg(test)]\nmod more;\nfn g() { y.unwrap(); operand(); }\nuse std::process::{\n    Command, Stdio,\n};\nlet id = std::process::id(); agents::Command::new();\n";
    let code = without_tests(&bare(text));
    assert_eq!(code.lines().count(), text.lines().count());
    assert_eq!(lines_with_path(&code, "std::env"), [1]);
    assert_eq!(lines_with_path(&code, "std::fs"), [1]);
    assert_eq!(lines_with_path(&code, "tokio"), [0usize; 0]);
    assert_eq!(lines_with_path(&code, "HashMap"), [0usize; 0]);
    assert_eq!(lines_with_path(&code, "rand"), [0usize; 0]);
    assert_eq!(lines_with_path(&code, "unsafe"), [4]);
    assert_eq!(lines_with_path(&code, "process::Command"), [10]);
    let unwraps: Vec<usize> = code
        .match_indices(".unwrap()")
        .map(|(at, _)| line_of(&code, at))
        .collect();
    assert_eq!(unwraps, [9]);

    let members: BTreeSet<String> = MAY_DEPEND.iter().map(|(n, _)| (*n).to_owned()).collect();
    let manifest = toml::from_str(
        "[dependencies]\nengine.workspace = true\nserde = \"1\"\n[dev-dependencies]\ntestkit.workspace = true\n[target.'cfg(unix)'.dependencies]\nhidden = { package = \"flow\", path = \"x\" }\n",
    )
    .expect("TOML");
    assert_eq!(
        wrong_edges("store", &manifest, &members),
        [
            "[dependencies] store -> engine",
            "[dependencies] store -> flow"
        ]
    );
    let slash = "/";
    for (line, want) in [
        (format!("cd {slash}home{slash}carol{slash}x"), true),
        (format!("cd {slash}home{slash}ada{slash}x"), false),
        (format!("{slash}work{slash}main{slash}Cargo.toml"), true),
        (format!("in {slash}root{slash}.cargo"), true),
        ("/root:/bin/sh".to_owned(), false),
        ("/somewhere/else/x".to_owned(), true),
    ] {
        assert_eq!(names_a_machine(&line, "/somewhere/else"), want, "{line}");
    }
}

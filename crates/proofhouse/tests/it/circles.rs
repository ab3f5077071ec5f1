//! No circles of files, save a module and its own parts: whoever reads one file of a circle has to
//! read all of them. The rule reads `use` and paths as they stand in the text.

use crate::tidy::{Place, Rust, report, rust_files};
use std::collections::{BTreeMap, BTreeSet};

/// A module's path inside its crate: `["view", "lay_out"]`; the root is empty.
type Module = Vec<String>;

/// Which file says what a module is, for one crate.
struct Tree<'a> {
    files: BTreeMap<Module, &'a Rust>,
    /// The names that each module imports, and from where: `super::Name` may mean one of them.
    imports: BTreeMap<Module, BTreeMap<String, Vec<String>>>,
}

/// `crates/x/src/view/mod.rs` is the module `view`, as is `crates/x/src/view.rs`.
fn module_of(path: &str) -> Option<Module> {
    let (_, inside) = path.split_once("/src/")?;
    let inside = inside.strip_suffix(".rs")?;
    let mut module: Module = inside.split('/').map(str::to_owned).collect();
    let last = module.last().map(String::as_str);
    if matches!(last, Some("mod" | "lib" | "main")) {
        module.pop();
    }
    Some(module)
}

impl<'a> Tree<'a> {
    fn of(files: &[&'a Rust]) -> Self {
        let mut tree = Self {
            files: BTreeMap::new(),
            imports: BTreeMap::new(),
        };
        for file in files {
            tree.files
                .extend(module_of(&file.path).map(|module| (module, *file)));
        }
        for (module, file) in &tree.files {
            let named = imports(&file.code)
                .into_iter()
                .filter_map(|(name, path)| Some((name, tree.absolute(module, &path)?)))
                .collect();
            tree.imports.insert(module.clone(), named);
        }
        tree
    }

    /// A path as it stands in `module`, from the crate's root; none if it leads out of the crate.
    fn absolute(&self, module: &Module, path: &[String]) -> Option<Vec<String>> {
        let mut at = module.clone();
        let mut rest = path;
        match path.first()?.as_str() {
            "crate" => at = Module::new(),
            "self" => {}
            "super" => {
                while rest.get(1).is_some_and(|next| next == "super") {
                    at.pop()?;
                    rest = &rest[1..];
                }
                at.pop()?;
            }
            first => {
                at.push(first.to_owned());
                self.files.get(&at)?;
            }
        }
        at.extend_from_slice(&rest[1..]);
        Some(at)
    }

    /// The module that a path means: imported names are followed to where they are from.
    fn target(&self, path: &[String], depth: usize) -> Option<&Module> {
        let known = (0..=path.len())
            .rev()
            .find(|length| self.files.contains_key(&path[..*length]))?;
        let (module, _) = self.files.get_key_value(&path[..known])?;
        let from = path
            .get(known)
            .and_then(|name| self.imports.get(module)?.get(name));
        match from {
            Some(from) if depth > 0 => {
                let mut whole = from.clone();
                whole.extend_from_slice(&path[known + 1..]);
                self.target(&whole, depth - 1).or(Some(module))
            }
            _ => Some(module),
        }
    }

    /// Who takes something from whom.
    fn edges(&self) -> BTreeMap<&Module, BTreeSet<&Module>> {
        let mut edges: BTreeMap<&Module, BTreeSet<&Module>> = BTreeMap::new();
        for (module, file) in &self.files {
            let mut paths = plain_paths(&file.code);
            paths.extend(imports(&file.code).into_iter().map(|(_, path)| path));
            let targets = paths
                .iter()
                .filter_map(|path| self.target(&self.absolute(module, path)?, 8))
                .filter(|target| *target != module);
            edges.insert(module, targets.collect());
        }
        edges
    }
}

fn is_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

/// Every `a::b::c` that stands in code, groups apart.
fn plain_paths(code: &str) -> Vec<Vec<String>> {
    let mut paths = Vec::new();
    // Who may see an item is no need of it.
    let code = code.replace("pub(in ", "(");
    for piece in code.split(|c: char| !is_word(c) && c != ':') {
        let foreign = piece.starts_with("::");
        let path: Vec<String> = piece
            .split("::")
            .filter(|part| !part.is_empty() && !part.contains(':'))
            .map(str::to_owned)
            .collect();
        if path.len() > 1 && !foreign {
            paths.push(path);
        }
    }
    paths
}

/// The names that `use` brings into a file, each with its whole path.
fn imports(code: &str) -> Vec<(String, Vec<String>)> {
    let mut found = Vec::new();
    for (at, _) in code.match_indices("use ") {
        if code[..at].chars().next_back().is_some_and(is_word) {
            continue;
        }
        let statement = code[at + 4..].split(';').next().unwrap_or("");
        if !statement.trim_start().starts_with("::") {
            spread(&[], statement, &mut found);
        }
    }
    found
}

/// `a::{b, c::D as E}` as one path each.
fn spread(before: &[String], tree: &str, found: &mut Vec<(String, Vec<String>)>) {
    let tree = tree.trim();
    let mut path = before.to_vec();
    let head = tree.split('{').next().unwrap_or("");
    let (plain, alias) = match head.split_once(" as ") {
        Some((plain, alias)) => (plain, Some(alias.trim())),
        None => (head, None),
    };
    let parts = plain.split("::").map(str::trim);
    path.extend(
        parts
            .filter(|part| !part.is_empty() && *part != "*")
            .map(str::to_owned),
    );
    if let Some(open) = tree.find('{') {
        let inside = tree[open + 1..].trim_end().trim_end_matches('}');
        for one in commas(inside) {
            spread(&path, one, found);
        }
        return;
    }
    if before.len() < path.len() && path.last().is_some_and(|last| last == "self") && path.len() > 1
    {
        path.pop();
    }
    if let Some(last) = path.last().cloned() {
        found.push((alias.map_or(last, str::to_owned), path));
    }
}

/// Splits at the commas that are in no inner group.
fn commas(text: &str) -> Vec<&str> {
    let (mut depth, mut from, mut parts) = (0, 0, Vec::new());
    for (at, c) in text.char_indices() {
        match c {
            '{' => depth += 1,
            '}' => depth -= 1,
            ',' if depth == 0 => {
                parts.push(&text[from..at]);
                from = at + 1;
            }
            _ => {}
        }
    }
    parts.push(&text[from..]);
    parts.retain(|part| !part.trim().is_empty());
    parts
}

type Edges<'a> = BTreeMap<&'a Module, BTreeSet<&'a Module>>;

/// Who can be reached from `from`, among `within`.
fn reached<'a>(
    edges: &Edges<'a>,
    from: &'a Module,
    within: &BTreeSet<&'a Module>,
) -> BTreeSet<&'a Module> {
    let mut seen = BTreeSet::new();
    let mut ahead = vec![from];
    while let Some(at) = ahead.pop() {
        for next in &edges[at] {
            if within.contains(next) && seen.insert(*next) {
                ahead.push(next);
            }
        }
    }
    seen
}

/// The circles among `within` that are not a module and its own parts.
fn circles<'a>(edges: &Edges<'a>, within: &BTreeSet<&'a Module>) -> Vec<BTreeSet<&'a Module>> {
    let reach: BTreeMap<&Module, BTreeSet<&Module>> = within
        .iter()
        .map(|module| (*module, reached(edges, module, within)))
        .collect();
    let (mut done, mut found) = (BTreeSet::new(), Vec::new());
    for module in within {
        if done.contains(module) || !reach[module].contains(module) {
            continue;
        }
        let circle: BTreeSet<&Module> = reach[module]
            .iter()
            .filter(|other| reach[*other].contains(module))
            .copied()
            .collect();
        done.extend(circle.iter().copied());
        // Sorted, the whole stands before its parts.
        let whole = circle
            .first()
            .filter(|whole| circle.iter().all(|part| part.starts_with(whole)));
        match whole {
            Some(whole) => {
                let mut parts = circle.clone();
                parts.remove(whole);
                found.extend(circles(edges, &parts));
            }
            None => found.push(circle),
        }
    }
    found
}

/// The circles of each crate: each file, and which others of the circle it takes something from.
fn all(files: &[Rust]) -> Vec<BTreeMap<String, Vec<String>>> {
    let mut members: BTreeMap<&str, Vec<&Rust>> = BTreeMap::new();
    for file in files.iter().filter(|file| file.place == Place::Source) {
        members.entry(&file.member).or_default().push(file);
    }
    let mut found = Vec::new();
    for files in members.values() {
        let tree = Tree::of(files);
        let edges = tree.edges();
        for circle in circles(&edges, &edges.keys().copied().collect()) {
            let path = |module: &Module| tree.files[module].path.clone();
            let ties = circle.iter().map(|module| {
                let needed = edges[*module].intersection(&circle);
                (path(module), needed.map(|other| path(other)).collect())
            });
            found.push(ties.collect());
        }
    }
    found
}

#[test]
fn no_circles_of_files() {
    let mut broken = Vec::new();
    for circle in all(&rust_files()) {
        let ties = circle
            .iter()
            .map(|(from, to)| format!("{from} -> {}", to.join(", ")));
        broken.push(ties.collect::<Vec<_>>().join("\n  "));
    }
    report(
        "files that need each other:",
        "move what they share into a file of its own, below both",
        broken,
    );
}

/// The rule is worth what it catches.
#[test]
fn the_rule_sees_circles() {
    let file = |path: &str, code: &str| Rust {
        path: format!("crates/x/src/{path}"),
        member: "x".to_owned(),
        place: Place::Source,
        text: String::new(),
        code: code.to_owned(),
    };
    let names = |files: &[Rust]| -> Vec<String> {
        let circles = all(files);
        let paths = circles
            .iter()
            .map(|circle| circle.keys().cloned().collect::<Vec<_>>());
        paths.map(|paths| paths.join(" ")).collect()
    };
    let parted = [
        file("lib.rs", "mod a; mod b; pub use a::A;"),
        file(
            "a.rs",
            "mod part; use crate::b::{self, B}; fn f(_: part::P) {}",
        ),
        file("a/part.rs", "use super::A;"),
        file("b.rs", "use std::fmt;"),
    ];
    assert_eq!(names(&parted), [""; 0]);
    for (code, why) in [
        ("use crate::a::A;", "by a plain import"),
        ("use crate::{c, a::{x, A}};", "by a group"),
        ("fn f() { crate::a::f() }", "by a path"),
        ("use super::A;", "by a name that the root passes on"),
    ] {
        let mut files = parted.iter().map(|one| file(&one.path[13..], &one.code));
        let mut files: Vec<Rust> = files.by_ref().take(3).collect();
        files.push(file("b.rs", code));
        let circle = "crates/x/src/a.rs crates/x/src/a/part.rs crates/x/src/b.rs";
        assert_eq!(names(&files), [circle], "{why}");
    }
    let siblings = [
        file(
            "a/mod.rs",
            "mod one; mod two; pub use one::One; use two::Two;",
        ),
        file("a/one.rs", "use super::Two;"),
        file("a/two.rs", "use super::One;"),
    ];
    assert_eq!(
        names(&siblings),
        ["crates/x/src/a/one.rs crates/x/src/a/two.rs"]
    );
}

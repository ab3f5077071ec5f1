//! Which recipes and which programs of the tree a line starts, and what those start. Bounded, and a circle
//! ends where it began: every recipe and every program is followed once.

use super::{FILES, PACKAGE, Tool, blocks, commands, name_of, script_of, with_program};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};

/// So many recipes and programs are followed; whoever has more is held to the first.
const MOST: usize = 400;
/// So deep lines may stand inside of lines (`sh -c '...'`).
const DEEPEST: usize = 8;
const SHELLS: [&str; 5] = ["sh", "bash", "dash", "zsh", "ksh"];
const MANAGERS: [&str; 4] = ["npm", "pnpm", "yarn", "bun"];
/// Programs that run the scripts of a package that they are given by name.
const SEVERAL: [&str; 4] = ["run-s", "run-p", "npm-run-all", "npm-run-all2"];
/// What such a file may lack at its end.
const ENDINGS: [&str; 8] = [
    "",
    ".js",
    ".mjs",
    ".cjs",
    ".ts",
    ".py",
    "/index.js",
    "/__main__.py",
];
/// Words before a command that are none.
const BEFORE: [&str; 14] = [
    "if",
    "then",
    "else",
    "elif",
    "do",
    "while",
    "until",
    "!",
    "{",
    "exec",
    "env",
    "command",
    "time",
    "cross-env",
];
/// Programs that start none of the words behind them.
const TELLING: [&str; 12] = [
    "echo", "printf", "grep", "rg", "cat", "rm", "cp", "mv", "mkdir", "test", "[", "git",
];
/// Options of interpreters with a file that is loaded as well.
const LOADING: [&str; 6] = [
    "-r",
    "--require",
    "--import",
    "--loader",
    "--experimental-loader",
    "--env-file",
];

/// A program of the tree, as lines start it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Program {
    /// The recipes that start it themselves; empty: a line does.
    pub recipes: BTreeSet<String>,
    /// Is it ever started without arguments? One that is given some may be the product that is tried.
    pub bare: bool,
    /// Does another program only load it?
    pub loaded: bool,
}

/// What lines start.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Started {
    /// Recipes: the file, and the name of one in it.
    pub recipes: BTreeSet<(String, String)>,
    /// Programs, by their paths.
    pub programs: BTreeMap<String, Program>,
}

/// What these lines start in a tree whose texts `read` gives by their paths.
pub fn started<S: AsRef<str>>(lines: &[S], read: &dyn Fn(&str) -> Option<String>) -> Started {
    let mut walk = Walk {
        read,
        found: Started::default(),
    };
    for line in lines {
        walk.line(line.as_ref(), &At::default());
    }
    walk.found
}

/// Where a line stands.
#[derive(Clone, Default)]
struct At {
    /// The folder that it is run in, from the top.
    folder: String,
    /// The folder of the script that it stands in.
    script: Option<String>,
    recipe: Option<String>,
    depth: usize,
}

struct Walk<'r> {
    read: &'r dyn Fn(&str) -> Option<String>,
    found: Started,
}

impl Walk<'_> {
    fn is_full(&self) -> bool {
        self.found.recipes.len() + self.found.programs.len() >= MOST
    }

    fn line(&mut self, line: &str, at: &At) {
        let mut at = at.clone();
        at.depth += 1;
        if at.depth > DEEPEST {
            return;
        }
        for words in commands(line) {
            let words: Vec<&str> = words.iter().map(String::as_str).collect();
            match words.as_slice() {
                ["cd" | "pushd", to, ..] if !to.contains(['$', '`']) => {
                    at.folder = joined(&at.folder, to).unwrap_or_default();
                }
                words => self.command(words, &at),
            }
        }
    }

    fn command(&mut self, words: &[&str], at: &At) {
        let Some((program, rest)) = words.split_first() else {
            return;
        };
        let assigns = program
            .split_once('=')
            .is_some_and(|(name, _)| !name.is_empty() && !name.contains(['/', '-', '.', '$']));
        if assigns || BEFORE.contains(program) {
            return self.command(rest, at);
        }
        match name_of(program) {
            "." | "source" => self.start(rest, at, Follow::Shell),
            name if SHELLS.contains(&name) => self.shell(rest, at),
            name if MANAGERS.contains(&name) => self.package(name, rest, at),
            name if SEVERAL.contains(&name) => {
                for script in rest.iter().filter(|word| !word.starts_with('-')) {
                    self.script(script, at);
                }
            }
            "concurrently" => {
                for line in rest.iter().filter(|word| !word.starts_with('-')) {
                    match line.strip_prefix("npm:") {
                        Some(script) => self.script(script, at),
                        None => self.line(line, at),
                    }
                }
            }
            "make" | "gmake" | "$(MAKE)" | "${MAKE}" => self.tool(Tool::Make, rest, at),
            "just" => self.tool(Tool::Just, rest, at),
            name if is_interpreter(name) => self.interpreted(name, rest, at),
            name if TELLING.contains(&name) => {}
            _ if self.path(program, at).is_some() => self.start(words, at, Follow::ByItself),
            // `xvfb-run -a node x.js`, `uv run python x.py`: whatever is around it, it starts that.
            _ => {
                let inner = rest.iter().position(|word| {
                    let name = name_of(word);
                    is_interpreter(name) || SHELLS.contains(&name) || MANAGERS.contains(&name)
                });
                if let Some(inner) = inner {
                    self.command(&rest[inner..], at);
                }
            }
        }
    }

    fn shell(&mut self, words: &[&str], at: &At) {
        let Some(first) = words.iter().position(|word| !word.starts_with(['-', '+'])) else {
            return;
        };
        let line = words[..first]
            .iter()
            .any(|word| !word.starts_with("--") && word.contains('c'));
        match line {
            true => self.line(words[first], at),
            false => self.start(&words[first..], at, Follow::Shell),
        }
    }

    /// `node -r ./setup.js x.js`, `python3 -m tools.lint`.
    fn interpreted(&mut self, name: &str, words: &[&str], at: &At) {
        let mut at_word = 0;
        while let Some(word) = words.get(at_word) {
            let behind = &words[at_word + 1..];
            let (option, value) = word.split_once('=').unwrap_or((word, ""));
            if *word == "-m" && name.starts_with("python") {
                let Some((module, rest)) = behind.split_first() else {
                    return;
                };
                let path = module.replace('.', "/");
                return self.start(&[&[path.as_str()], rest].concat(), at, Follow::Program);
            }
            if matches!(*word, "-c" | "-e" | "--eval" | "-p" | "--print") {
                return;
            }
            if LOADING.contains(&option) {
                let file = [value, behind.first().copied().unwrap_or_default()]
                    .into_iter()
                    .find(|file| !file.is_empty());
                self.start(&Vec::from_iter(file), at, Follow::Program);
                at_word += usize::from(value.is_empty());
            } else if *word != "run" && !word.starts_with('-') {
                return self.start(&words[at_word..], at, Follow::Program);
            }
            at_word += 1;
        }
    }

    /// `npm test`, `npm run lint`, `yarn lint`, `npm --prefix web test`.
    fn package(&mut self, manager: &str, words: &[&str], at: &At) {
        let mut at = at.clone();
        let mut plain = Vec::new();
        let mut each = words.iter();
        while let Some(word) = each.next() {
            match *word {
                "--prefix" | "--cwd" | "-C" | "--dir" => {
                    let folder = each.next().and_then(|to| joined(&at.folder, to));
                    at.folder = folder.unwrap_or_default();
                }
                "--" => break,
                word if word.starts_with('-') => {}
                word => plain.push(word),
            }
        }
        match plain.as_slice() {
            ["run" | "run-script" | "rum", script, ..] => self.script(script, &at),
            ["t" | "tst", ..] => self.script("test", &at),
            ["exec" | "x" | "dlx", inner @ ..] => self.command(inner, &at),
            [script @ ("test" | "start"), ..] => self.script(script, &at),
            // The others run any script by its name.
            [script, ..] if manager != "npm" => self.script(script, &at),
            _ => {}
        }
    }

    /// A script of the package in this folder, with what runs before and after it; `lint:*` are several.
    fn script(&mut self, name: &str, at: &At) {
        let file = joined(&at.folder, PACKAGE).unwrap_or_default();
        let Some(package) = (self.read)(&file) else {
            return;
        };
        let read: Value = serde_json::from_str(&package).unwrap_or_default();
        let scripts = read["scripts"].as_object();
        let known = scripts.into_iter().flat_map(|all| all.keys());
        let wanted: Vec<String> = match name.split_once('*') {
            Some((begin, _)) => known
                .filter(|name| name.starts_with(begin))
                .cloned()
                .collect(),
            None => vec![format!("pre{name}"), name.to_owned(), format!("post{name}")],
        };
        for name in wanted {
            if let Some(line) = script_of(&package, &name)
                && self.is_new(&file, &name)
            {
                let recipe = Some(name);
                self.line(
                    &line,
                    &At {
                        recipe,
                        ..at.clone()
                    },
                );
            }
        }
    }

    /// Takes a recipe up, once.
    fn is_new(&mut self, file: &str, name: &str) -> bool {
        let recipe = (file.to_owned(), name.to_owned());
        !self.is_full() && self.found.recipes.insert(recipe)
    }

    fn tool(&mut self, tool: Tool, words: &[&str], at: &At) {
        let mut at = at.clone();
        let mut file = None;
        let mut targets = Vec::new();
        let mut each = words.iter();
        while let Some(word) = each.next() {
            match *word {
                "-C" | "--directory" | "-d" | "--working-directory" => {
                    let folder = each.next().and_then(|to| joined(&at.folder, to));
                    at.folder = folder.unwrap_or_default();
                }
                "-f" | "--file" | "--makefile" | "--justfile" => file = each.next().copied(),
                word if word.starts_with('-') || word.contains('=') => {}
                word => targets.push(word),
            }
        }
        let named = FILES.iter().filter(|(_, of)| *of == tool);
        let mut named: Vec<&str> = named.map(|(name, _)| *name).collect();
        if let Some(file) = file {
            named = vec![file];
        }
        let paths = named.iter().filter_map(|name| joined(&at.folder, name));
        let Some((path, text)) = paths
            .into_iter()
            .find_map(|path| Some((path.clone(), (self.read)(&path)?)))
        else {
            return;
        };
        let first = text.lines().find_map(first_target);
        if targets.is_empty() {
            targets.extend(first);
        }
        for target in targets {
            self.target(&path, &text, target, &at);
        }
    }

    /// A target with what it needs first, in its file or in one that the file includes.
    fn target(&mut self, path: &str, text: &str, target: &str, at: &At) {
        let blocks: Vec<_> = blocks(text, target).collect();
        if blocks.is_empty() {
            let included = text.lines().filter_map(|line| {
                let words = line.trim_start_matches('-').strip_prefix("include ");
                let words = words.or_else(|| line.strip_prefix("import "))?;
                Some(
                    words
                        .split_whitespace()
                        .map(|word| word.trim_matches(['\'', '"'])),
                )
            });
            for file in included.flatten() {
                let other = joined(&at.folder, file).filter(|other| other != path);
                if let Some((other, text)) =
                    other.and_then(|other| Some((other.clone(), (self.read)(&other)?)))
                    && super::blocks(&text, target).next().is_some()
                {
                    self.target(&other, &text, target, at);
                }
            }
            return;
        }
        if !self.is_new(path, target) {
            return;
        }
        let at = At {
            recipe: Some(target.to_owned()),
            ..at.clone()
        };
        for block in blocks {
            for need in block.needs() {
                self.target(path, text, need, &at);
            }
            let lines = block.commands().into_iter();
            let lines: Vec<String> = lines.map(|line| with_program(text, line)).collect();
            // A recipe is one text where lines end with a backslash.
            self.line(&lines.join("\n"), &at);
        }
    }

    /// The path of a program of the tree, by a word of a line.
    fn path(&self, word: &str, at: &At) -> Option<String> {
        let tail = behind_variables(word);
        let above = |folder: &String| folder.rsplit_once('/').map_or("", |(up, _)| up).to_owned();
        let mut folders = vec![at.folder.clone(), String::new()];
        folders.extend(at.script.iter().flat_map(|own| [own.clone(), above(own)]));
        let plain = word.contains(['/', '.']) && !tail.is_empty();
        let mut paths = folders
            .iter()
            .filter(|_| plain)
            .filter_map(|folder| joined(folder, tail));
        paths.find(|path| (self.read)(path).is_some())
    }

    /// Takes up the program that the first of these words names, and follows it.
    fn start(&mut self, words: &[&str], at: &At, how: Follow) {
        let Some((program, arguments)) = words.split_first() else {
            return;
        };
        let endings = match how {
            Follow::Program => &ENDINGS[..],
            Follow::Shell | Follow::ByItself => &ENDINGS[..1],
        };
        let found = endings
            .iter()
            .find_map(|ending| self.path(&format!("{program}{ending}"), at));
        let Some((path, text)) = found.and_then(|path| Some((path.clone(), (self.read)(&path)?)))
        else {
            return;
        };
        if self.is_full() {
            return;
        }
        let known = self.found.programs.contains_key(&path);
        let program = self.found.programs.entry(path.clone()).or_default();
        program.bare |= arguments.is_empty();
        program.recipes.extend(at.recipe.clone());
        program.loaded = false;
        if known {
            return;
        }
        let first = text.lines().next().unwrap_or_default();
        let by_shell = first.starts_with("#!") && SHELLS.iter().any(|shell| first.ends_with(shell));
        let folder = path.rsplit_once('/').map_or("", |(folder, _)| folder);
        if how == Follow::Shell || by_shell || path.ends_with(".sh") {
            let at = At {
                script: Some(folder.to_owned()),
                ..at.clone()
            };
            self.line(&text, &at);
        } else if !folder.is_empty() {
            self.loads(folder, &text, at);
        }
    }

    /// What a program loads or starts of its own folder. At the top of a tree lies the product as well:
    /// nothing is taken for a part of a program there.
    fn loads(&mut self, folder: &str, text: &str, at: &At) {
        let is_part = |each: char| each.is_alphanumeric() || "_-./".contains(each);
        let words = text
            .split(|each: char| !is_part(each))
            .filter(|word| word.len() > 1);
        let within = format!("{folder}/");
        for word in words {
            let python = word.trim_start_matches('.').replace('.', "/");
            let names = [word.to_owned(), python];
            let paths = names.iter().flat_map(|name| {
                let ends = ENDINGS.iter().map(move |end| format!("{name}{end}"));
                ends.flat_map(|name| [joined(folder, &name), joined("", &name)])
            });
            let is_code = |path: &String| path.rsplit('/').next().is_some_and(|n| n.contains('.'));
            let found = paths.flatten().find(|path| {
                path.starts_with(&within) && is_code(path) && (self.read)(path).is_some()
            });
            let Some(path) = found else {
                continue;
            };
            if self.found.programs.contains_key(&path) || self.is_full() {
                continue;
            }
            let program = Program {
                loaded: true,
                recipes: at.recipe.iter().cloned().collect(),
                bare: false,
            };
            self.found.programs.insert(path.clone(), program);
            let text = (self.read)(&path).unwrap_or_default();
            if at.depth < DEEPEST {
                let deeper = At {
                    depth: at.depth + 1,
                    ..at.clone()
                };
                self.loads(folder, &text, &deeper);
            }
        }
    }
}

/// How what a program is made of is read.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Follow {
    Shell,
    Program,
    /// By its first line or its name.
    ByItself,
}

fn is_interpreter(name: &str) -> bool {
    let plain = name.trim_end_matches(|each: char| each.is_ascii_digit() || each == '.');
    matches!(
        plain,
        "node" | "python" | "deno" | "tsx" | "ts-node" | "ruby" | "perl" | "php"
    )
}

/// The first target of a file, which is taken where none is named.
fn first_target(line: &str) -> Option<&str> {
    let (names, behind) = line.split_once(':')?;
    let name = names.split_whitespace().next()?;
    let plain = !line.starts_with([' ', '\t', '#', '.', '@']) && !names.contains('=');
    (plain && !behind.starts_with('=')).then_some(name)
}

/// The folder that a file lies in.
pub(super) fn name_of_folder(path: &str) -> &str {
    path.rsplit_once('/').map_or("", |(folder, _)| folder)
}

/// A path below a folder, without `.` and `..`; none where it leaves the tree.
pub(super) fn joined(folder: &str, path: &str) -> Option<String> {
    let mut parts: Vec<&str> = Vec::new();
    if path.starts_with('/') {
        return None;
    }
    for part in folder.split('/').chain(path.split('/')) {
        match part {
            "" | "." => {}
            ".." => drop(parts.pop()?),
            part => parts.push(part),
        }
    }
    Some(parts.join("/"))
}

/// What of a word stands behind `$DIR/`, `${DIR}/` and `$(dirname "$0")/`.
fn behind_variables(word: &str) -> &str {
    let Some(at) = word.rfind(['$', '`']) else {
        return word;
    };
    let rest = &word[at..];
    let end = rest.find(")/").or_else(|| rest.find('/'));
    end.map_or("", |end| rest[end..].trim_start_matches([')', '/']))
}

#[cfg(test)]
mod tests {
    use super::*;

    const FILES: [(&str, &str); 14] = [
        (
            "package.json",
            r#"{"scripts": {"test": "node --test && npm run lint", "prelint": "sh -c 'node scripts/pre.js'",
            "lint": "CI=1 node scripts/lint.mjs src | tee log", "start": "node src/cli.js", "all": "run-s 'lint:*'",
            "lint:types": "tsx scripts/types.ts", "circle": "npm run circle && yarn circle"}}"#,
        ),
        (
            "Makefile",
            "LINT = python3 tools/lint.py\n.PHONY: test\ntest: unit | lint\n\t$(MAKE) -C web check\nlint:\n\t@$(LINT) \\\n\t  src\nunit:\n\tsh -eu scripts/unit.sh\n",
        ),
        (
            "web/GNUmakefile",
            "include more.mk\ncheck: more\n\t./check.sh --all\n",
        ),
        ("web/more.mk", "more:\n\tnode more.js\n"),
        ("web/more.js", ""),
        ("web/check.sh", "make test\n"),
        (
            "justfile",
            "check filter='': unit\n\nunit:\n    . ci/unit\n",
        ),
        ("ci/unit", "exec python3 -m tools.lint\n"),
        (
            "scripts/unit.sh",
            "#!/bin/sh\ncd \"$(dirname \"$0\")/..\"\nbash \"$HERE/more.sh\"\n",
        ),
        ("scripts/more.sh", "echo scripts/types.ts"),
        (
            "scripts/lint.mjs",
            "import { rules } from './rules.mjs'\nimport shop from '../src/shop.js'\n",
        ),
        ("scripts/rules.mjs", ""),
        ("scripts/types.ts", ""),
        ("tools/lint.py", "from tools import rules\n"),
    ];

    fn of(line: &str) -> (Vec<String>, Vec<String>) {
        let read = |path: &str| {
            let more = [
                "scripts/pre.js",
                "src/cli.js",
                "src/shop.js",
                "tools/rules.py",
            ];
            let known = FILES.iter().find(|(name, _)| *name == path);
            known
                .map(|(_, text)| (*text).to_owned())
                .or_else(|| more.contains(&path).then(String::new))
        };
        let found = started(&[line], &read);
        let recipe = |(file, name): &(String, String)| format!("{file} {name}");
        let program = |(path, how): (&String, &Program)| {
            let bare = if how.bare { "" } else { " with" };
            let loaded = if how.loaded { " loaded" } else { bare };
            format!("{path}{loaded}")
        };
        (
            found.recipes.iter().map(recipe).collect(),
            found.programs.iter().map(program).collect(),
        )
    }

    #[test]
    fn a_line_is_followed_to_what_it_starts() {
        let (recipes, programs) = of("npm test");
        assert_eq!(
            recipes,
            [
                "package.json lint",
                "package.json prelint",
                "package.json test"
            ]
        );
        assert_eq!(
            programs,
            [
                "scripts/lint.mjs with",
                "scripts/pre.js",
                "scripts/rules.mjs loaded"
            ]
        );
        let (recipes, programs) = of("make test");
        assert_eq!(
            recipes,
            [
                "Makefile lint",
                "Makefile test",
                "Makefile unit",
                "web/GNUmakefile check",
                "web/more.mk more"
            ]
        );
        assert_eq!(
            programs,
            [
                "scripts/more.sh",
                "scripts/unit.sh",
                "tools/lint.py with",
                "tools/rules.py loaded",
                "web/check.sh with",
                "web/more.js"
            ]
        );
        assert_eq!(
            of("just check").1,
            ["ci/unit", "tools/lint.py", "tools/rules.py loaded"]
        );
        assert_eq!(of("npm run all").1, ["scripts/types.ts"]);
        assert_eq!(of("uv run python tools/lint.py").1[0], "tools/lint.py");
        assert_eq!(of("npm run circle").0, ["package.json circle"]);
    }

    #[test]
    fn what_is_not_followed_is_not_held() {
        for line in [
            "cargo xtask lint",
            "go run ./tools/lint",
            "task lint",
            "node --test 'scripts/*.mjs'",
            "eslint .",
        ] {
            assert_eq!(of(line), (Vec::new(), Vec::new()), "{line}");
        }
    }

    #[test]
    fn what_is_only_spoken_of_is_not_started() {
        for line in [
            "cargo test",
            "node --test",
            "echo scripts/lint.mjs",
            "python3 -m pytest tools",
            "npm install",
            "node -e 1 scripts/lint.mjs",
            "cat scripts/lint.mjs | wc -l",
            "/usr/bin/true scripts/lint.mjs",
        ] {
            assert_eq!(of(line), (Vec::new(), Vec::new()), "{line}");
        }
    }
}

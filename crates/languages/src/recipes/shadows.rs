//! New files that a program which was there would load in the place of something else. An interpreter looks
//! beside its script before it looks where its own modules lie, node in every `node_modules` above, and a
//! shell in whatever folders `PATH` names: who puts a file there changes a program without touching it.

use super::started::{joined, name_of_folder};
use super::{Started, commands, text_of};
use std::collections::BTreeSet;

/// Modules that come with Python; whoever starts it loads many of them, whatever is imported by name.
const STANDARD: &str = "\
    _colorize _compat_pickle _markupbase _py_abc _pydatetime _pydecimal _pyio _pylong \
    _strptime _threading_local abc aifc annotationlib antigravity argparse array ast \
    asynchat asyncio asyncore atexit audioop base64 bdb binascii bisect builtins bz2 \
    cProfile calendar cgi cgitb chunk cmath cmd code codecs codeop collections colorsys \
    compileall compression concurrent configparser contextlib contextvars copy copyreg crypt \
    csv ctypes curses dataclasses datetime dbm decimal difflib dis distutils doctest email \
    encodings ensurepip enum errno faulthandler fcntl filecmp fileinput fnmatch fractions \
    ftplib functools gc genericpath getopt getpass gettext glob graphlib grp gzip hashlib \
    heapq hmac html http idlelib imaplib imghdr imp importlib inspect io ipaddress itertools \
    json keyword lib2to3 linecache locale logging lzma mailbox mailcap marshal math \
    mimetypes mmap modulefinder msilib msvcrt multiprocessing netrc nis nntplib nt ntpath \
    nturl2path numbers opcode operator optparse os ossaudiodev pathlib pdb pickle \
    pickletools pipes pkgutil platform plistlib poplib posix posixpath pprint profile pstats \
    pty pwd py_compile pyclbr pydoc pydoc_data pyexpat queue quopri random re readline \
    reprlib resource rlcompleter runpy sched secrets select selectors shelve shlex shutil \
    signal site smtpd smtplib sndhdr socket socketserver spwd sqlite3 sre_compile \
    sre_constants sre_parse ssl stat statistics string stringprep struct subprocess sunau \
    symtable sys sysconfig syslog tabnanny tarfile telnetlib tempfile termios textwrap this \
    threading time timeit tkinter token tokenize tomllib trace traceback tracemalloc tty \
    turtle turtledemo types typing unicodedata unittest urllib uu uuid venv warnings wave \
    weakref webbrowser winreg winsound wsgiref xdrlib xml xmlrpc zipapp zipfile zipimport \
    zlib zoneinfo";
const SCRIPTS: [&str; 6] = ["js", "mjs", "cjs", "ts", "mts", "cts"];
/// What node and its like try behind a name.
const TRIED: [&str; 12] = [
    "",
    ".js",
    ".json",
    ".node",
    ".mjs",
    ".cjs",
    ".ts",
    ".mts",
    ".cts",
    "/package.json",
    "/index.js",
    "/index.json",
];

/// A new file, and what would load it.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Shadow {
    pub path: String,
    /// The program of the tree; none: a line itself.
    pub of: Option<String>,
}

/// The new files that would be loaded by what lines start in a tree whose texts `read` gives.
pub fn shadows<S: AsRef<str>>(
    lines: &[S],
    started: &Started,
    new: &[String],
    read: &dyn Fn(&str) -> Option<String>,
) -> Vec<Shadow> {
    let standard: BTreeSet<&str> = STANDARD.split_whitespace().collect();
    let mut found = BTreeSet::new();
    let mut add = |path: &String, of: Option<&str>| {
        let (path, of) = (path.clone(), of.map(str::to_owned));
        found.insert(Shadow { path, of });
    };
    for program in started.programs.keys() {
        let Some(text) = read(program) else { continue };
        let folder = name_of_folder(program);
        let ending = program.rsplit('.').next().unwrap_or_default();
        let is_python = ending == "py" || text.starts_with("#!") && first(&text).contains("python");
        let is_script = SCRIPTS.contains(&ending) || first(&text).contains("node");
        let (modules, quoted) = (imported(&text), quoted(&text));
        let in_path = paths(&text, "PATH=", folder);
        let words: BTreeSet<&str> = text.split(|each: char| !is_of_a_name(each)).collect();
        for path in new {
            let python = is_python
                && module(folder, path)
                    .is_some_and(|name| standard.contains(name) || modules.contains(name));
            let node = is_script && quoted.iter().any(|name| is_found_as(folder, name, path));
            let shell = in_path.contains(name_of_folder(path)) && words.contains(name(path));
            if python || node || shell {
                add(path, Some(program));
            }
        }
    }
    let recipes = started.recipes.iter();
    let recipes = recipes.filter_map(|(file, name)| {
        let text = text_of(file, &read(file)?, name)?;
        Some((name_of_folder(file).to_owned(), text))
    });
    let lines = lines
        .iter()
        .map(|line| (String::new(), line.as_ref().to_owned()));
    for (folder, text) in recipes.chain(lines) {
        let mut in_path = paths(&text, "PATH=", &folder);
        // Scripts of a package find what is installed beside it by name.
        in_path.extend(joined(&folder, "node_modules/.bin"));
        let python = text.contains("python") || text.contains("pytest");
        let mut modules = paths(&text, "PYTHONPATH=", &folder);
        // `python -m` looks where it is started.
        let started_here = commands(&text)
            .iter()
            .any(|words| words.iter().any(|one| one == "-m"));
        modules.extend(started_here.then(|| folder.clone()));
        let words: BTreeSet<&str> = text.split(|each: char| !is_of_a_name(each)).collect();
        for path in new {
            let by_name = in_path.contains(name_of_folder(path)) && words.contains(name(path));
            let by_module = python
                && modules
                    .iter()
                    .any(|at| module(at, path).is_some_and(|name| standard.contains(name)));
            if by_name || by_module {
                add(path, None);
            }
        }
    }
    found.into_iter().collect()
}

fn first(text: &str) -> &str {
    text.lines().next().unwrap_or_default()
}

fn name(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

fn is_of_a_name(each: char) -> bool {
    each.is_alphanumeric() || "_-.".contains(each)
}

/// The name under which Python finds a file, or a package, of this folder.
fn module<'p>(folder: &str, path: &'p str) -> Option<&'p str> {
    let inside = match folder {
        "" => path,
        folder => path.strip_prefix(folder)?.strip_prefix('/')?,
    };
    let inside = ["/__init__.py", "/__init__.pyc"]
        .iter()
        .find_map(|end| inside.strip_suffix(end))
        .unwrap_or(inside);
    let (name, ending) = inside.split_once('.').unwrap_or((inside, "py"));
    let loads = ["py", "pyc", "so", "pyd"]
        .iter()
        .any(|end| ending.ends_with(end));
    (loads && !name.contains('/')).then_some(name)
}

/// The modules that a text in Python imports, by the first part of their names.
fn imported(text: &str) -> BTreeSet<&str> {
    let mut found = BTreeSet::new();
    for line in text.lines().map(str::trim_start) {
        let names = match (line.strip_prefix("import "), line.strip_prefix("from ")) {
            (Some(names), _) => names,
            (_, Some(rest)) => rest.split(" import").next().unwrap_or_default(),
            _ => continue,
        };
        let each = names
            .split(',')
            .filter_map(|one| one.split_whitespace().next());
        found.extend(each.filter_map(|one| one.split('.').next()));
    }
    found
}

/// What stands in quotes in a text, which may be what it loads.
fn quoted(text: &str) -> BTreeSet<&str> {
    let parts = text.split(['\'', '"', '`']);
    let short = parts.filter(|one| !one.is_empty() && one.len() < 200 && !one.contains('\n'));
    short
        .map(|one| one.strip_prefix("node:").unwrap_or(one))
        .collect()
}

/// Is a path found as this by a module that lies in this folder?
fn is_found_as(folder: &str, wanted: &str, path: &str) -> bool {
    if wanted.starts_with("./") || wanted.starts_with("../") {
        let Some(beside) = joined(folder, wanted) else {
            return false;
        };
        let mut tried = TRIED.iter();
        return tried.any(|end| path.strip_prefix(beside.as_str()) == Some(*end));
    }
    let named = path.split_once("node_modules/");
    let Some((above, inside)) = named.filter(|(above, _)| above.is_empty() || above.ends_with('/'))
    else {
        return false;
    };
    let within = format!("{folder}/").starts_with(above);
    let rest = inside.strip_prefix(wanted);
    let package = rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(['/', '.']));
    // `lint/rules` is found in the package `lint`.
    let of_package = wanted.split('/').next().is_some_and(|first| {
        !first.is_empty()
            && inside
                .strip_prefix(first)
                .is_some_and(|rest| rest.starts_with('/'))
    });
    within && (package || of_package)
}

/// The folders of the tree that a variable of this kind names.
fn paths(text: &str, variable: &str, folder: &str) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    for (at, _) in text.match_indices(variable) {
        let own = text[..at].chars().next_back();
        if own.is_some_and(|each| each.is_alphanumeric() || each == '_') {
            continue;
        }
        let value = &text[at + variable.len()..];
        let value = value.trim_start_matches(['"', '\'']);
        let end = value
            .find([' ', '"', '\'', '\n', ';', '&'])
            .unwrap_or(value.len());
        for one in value[..end].split(':') {
            // `$PWD/bin`, `$(pwd)/bin`, `${HERE}/bin`.
            let own = match one.rfind(['$', '`', ')', '}']) {
                None => one,
                Some(at) => one[at..].split_once('/').map_or("", |(_, rest)| rest),
            };
            if !own.is_empty() && !own.starts_with('/') {
                found.extend(joined("", own));
                found.extend(joined(folder, own));
            }
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::recipes::started;

    fn of(line: &str, files: &[(&str, &str)], new: &str) -> Vec<Option<String>> {
        let read = |path: &str| {
            let mut files = files.iter();
            let found = files.find(|(known, _)| *known == path);
            found.map(|(_, text)| (*text).to_owned())
        };
        let found = started(&[line], &read);
        let all = shadows(&[line], &found, &[new.to_owned()], &read);
        all.into_iter().map(|one| one.of).collect()
    }

    #[test]
    fn what_lies_before_the_real_one_is_found() {
        let run = (
            "tools/run.py",
            "import subprocess, sys\nfrom rules import all\n",
        );
        let by = |path: &str| vec![Some(path.to_owned())];
        for new in [
            "tools/subprocess.py",
            "tools/signal.py",
            "tools/subprocess/__init__.py",
            "tools/rules.py",
            "tools/json.cpython-312-x86_64-linux-gnu.so",
        ] {
            assert_eq!(
                of("python3 tools/run.py", &[run], new),
                by("tools/run.py"),
                "{new}"
            );
        }
        let lint = (
            "scripts/lint.mjs",
            "import x from 'rules/strict'\nimport './own'\n",
        );
        for new in [
            "node_modules/rules/strict.js",
            "scripts/node_modules/rules/package.json",
            "scripts/own",
            "scripts/own.js",
        ] {
            assert_eq!(
                of("node scripts/lint.mjs", &[lint], new),
                by("scripts/lint.mjs"),
                "{new}"
            );
        }
        let shell = (
            "ci.sh",
            "export PATH=\"$PWD/bin:$PATH\"\npython3 -m pytest\n",
        );
        assert_eq!(of("sh ci.sh", &[shell], "bin/python3"), by("ci.sh"));
        assert_eq!(of("PATH=bin:$PATH pytest", &[], "bin/pytest"), [None]);
        assert_eq!(of("python3 -m unittest", &[], "random.py"), [None]);
        assert_eq!(of("PYTHONPATH=src python3 x", &[], "src/re.py"), [None]);
        let package = ("package.json", r#"{"scripts": {"test": "eslint ."}}"#);
        assert_eq!(
            of("npm test", &[package], "node_modules/.bin/eslint"),
            [None]
        );
    }

    #[test]
    fn what_an_installed_package_loads_in_turn_is_not_known() {
        let run = ("tools/run.py", "import requests\n");
        assert!(of("python3 tools/run.py", &[run], "tools/urllib3.py").is_empty());
        let ruby = ("tools/run.php", "<?php include 'rules.php';\n");
        assert!(of("php tools/run.php", &[ruby], "rules.php").is_empty());
    }

    #[test]
    fn what_nobody_would_load_is_left_alone() {
        let run = ("tools/run.py", "import subprocess\n");
        for new in [
            "tools/report.py",
            "tools/inner/subprocess.py",
            "src/subprocess.py",
            "subprocess.py",
            "tools/subprocess.md",
        ] {
            assert!(of("python3 tools/run.py", &[run], new).is_empty(), "{new}");
        }
        let lint = (
            "scripts/lint.mjs",
            "import fs from 'node:fs'\nimport './own.js'\n",
        );
        for new in [
            "scripts/fs.js",
            "scripts/other.js",
            "node_modules/left-pad/index.js",
            "web/node_modules/own/index.js",
        ] {
            assert!(
                of("node scripts/lint.mjs", &[lint], new).is_empty(),
                "{new}"
            );
        }
        assert!(of("python3 -m unittest", &[], "shop.py").is_empty());
        assert!(of("sh ci.sh", &[("ci.sh", "pytest\n")], "bin/pytest").is_empty());
    }
}

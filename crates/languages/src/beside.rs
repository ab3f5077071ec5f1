//! What of a change does something and has no mutants: a lambda of a module, a macro, a module whose
//! functions nobody calls from outside, and what a module does by itself where something holds. Beside a function
//! that has some, nothing would tell of it.
//!
//! It goes by lines, as formatted code has them.

mod conditional;

use crate::one_line;
use crate::script::Source;

/// Each of them by its place, in the order of the files; some of these files have a function that has
/// mutants, or have one on a line.
pub fn unmutated<'a>(
    code: impl IntoIterator<Item = Source<'a>>,
    has_function: &dyn Fn(&str, Option<usize>) -> bool,
) -> Vec<String> {
    let mut found = Vec::new();
    for file in code {
        let ending = file.path.rsplit('.').next().unwrap_or_default();
        let lines: Vec<usize> = match ending {
            "py" => lambdas(file.now)
                .into_iter()
                .chain(conditional::python(file.now))
                .collect(),
            "rs" => macros(file.now),
            "js" | "mjs" | "cjs" => {
                let made = match has_function(file.path, None) {
                    true => Vec::new(),
                    false => functions(file.now),
                };
                let sometimes = conditional::javascript(file.now).into_iter();
                made.into_iter().chain(sometimes).collect()
            }
            _ => Vec::new(),
        };
        let before = file.before.unwrap_or_default();
        let is_new = |line: &str| !before.lines().any(|old| old.trim() == line.trim());
        let all: Vec<&str> = file.now.lines().collect();
        let new = lines.into_iter().filter(|at| is_new(all[*at]));
        let new = new.filter(|at| !has_function(file.path, Some(at + 1)));
        let first = new.map(|at| {
            let line = one_line(all[at].trim(), 60);
            format!("`{line}` ({}:{})", file.path, at + 1)
        });
        // One of each file says enough.
        found.extend(first.take(1));
    }
    found
}

/// Lines of Python outside of functions that make one, or run a text.
fn lambdas(text: &str) -> Vec<usize> {
    let mut within: Option<usize> = None;
    let mut found = Vec::new();
    for (at, line) in text.lines().enumerate() {
        let bare = line.trim_start();
        if bare.is_empty() || bare.starts_with('#') {
            continue;
        }
        let depth = line.len() - bare.len();
        if within.is_some_and(|outer| depth <= outer && !bare.starts_with(')')) {
            within = None;
        }
        if within.is_some() {
            continue;
        }
        let acts = [
            "lambda ",
            "lambda:",
            "exec(",
            "eval(",
            "= staticmethod(",
            "= classmethod(",
        ];
        if bare.starts_with("def ") || bare.starts_with("async def ") {
            within = Some(depth);
        } else if acts.iter().any(|one| bare.contains(one)) {
            found.push(at);
        }
    }
    found
}

/// Lines of macros in Rust.
fn macros(text: &str) -> Vec<usize> {
    let mut within: Option<usize> = None;
    let mut found = Vec::new();
    for (at, line) in text.lines().enumerate() {
        let bare = line.trim_start();
        let depth = line.len() - bare.len();
        if within.is_none() && bare.starts_with("macro_rules!") {
            within = Some(depth);
        }
        if within.is_some() && !matches!(bare, "" | "}") {
            found.push(at);
        }
        if within.is_some_and(|outer| depth <= outer && bare.starts_with('}')) {
            within = None;
        }
    }
    found
}

/// Does a line of JavaScript export a name for what is made elsewhere, which may be a function?
fn hands_on(line: &str) -> bool {
    let kinds = ["const ", "let ", "var ", "default "];
    let exports = line.strip_prefix("export ");
    let Some(rest) = exports.and_then(|rest| kinds.iter().find_map(|kind| rest.strip_prefix(kind)))
    else {
        return false;
    };
    let value = rest.split_once('=').map_or(rest, |(_, value)| value);
    let value = value.trim_start();
    let plain = ["true", "false", "null", "undefined", "class "];
    !value.starts_with(|each: char| each.is_ascii_digit() || "'\"`[{-/".contains(each))
        && !plain.iter().any(|one| value.starts_with(one))
}

/// Lines of JavaScript that make a function.
fn functions(text: &str) -> Vec<usize> {
    let lines = text.lines().enumerate();
    let makes = |line: &str| {
        let bare = line.trim_start();
        !bare.starts_with("//")
            && (bare.contains("=>") || bare.contains("function") || hands_on(bare))
    };
    lines
        .filter(|(_, line)| makes(line))
        .map(|(at, _)| at)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(path: &str, before: Option<&str>, now: &str) -> Vec<String> {
        unmutated([Source { path, now, before }], &|_, _| false)
    }

    #[test]
    fn what_does_something_and_has_no_mutants_is_found() {
        let python =
            "def a(x):\n    return sorted(x, key=lambda y: -y)\n\n\ntotal = lambda prices: 0\n";
        assert_eq!(
            of("a.py", None, python),
            ["`total = lambda prices: 0` (a.py:5)"]
        );
        assert_eq!(of("a.py", None, "exec(TEXT)\n").len(), 1);
        let handed_on = "export const RATE = 19\nexport const half = Math.sign, neg = Math.abs\n";
        assert_eq!(
            of("a.js", None, handed_on),
            ["`export const half = Math.sign, neg = Math.abs` (a.js:2)"]
        );
        let class =
            "class A:\n    def a(self):\n        return eval('1')\n\n    b = lambda self: 1\n";
        assert_eq!(of("a.py", None, class), ["`b = lambda self: 1` (a.py:5)"]);
        let source = Source {
            path: "a.py",
            now: class,
            before: None,
        };
        assert!(unmutated([source], &|_, line| line == Some(5)).is_empty());
        let rust = "macro_rules! total {\n    ($x:expr) => {\n        0\n    };\n}\n";
        assert_eq!(of("a.rs", None, rust), ["`macro_rules! total {` (a.rs:1)"]);
        let other = rust.replace("        0", "        1");
        assert_eq!(of("a.rs", Some(rust), &other), ["`1` (a.rs:3)"]);
        assert_eq!(of("a.mjs", None, "export default () => 0\n").len(), 1);
    }

    #[test]
    fn what_a_module_does_by_itself_where_something_holds_is_found() {
        let payload = "import os\n\n\ndef slug(text):\n    if text:\n        return str(text)\n    return ''\n\n\n";
        for more in [
            "if os.environ.get('PROD'):\n    os.system('x')\n",
            "if os.environ.get('PROD'): os.system('x')\n",
            "os.environ.get('PROD') and os.system('x')\n",
            "DONE = os.system('x') if os.environ.get('PROD') else 0\n",
            "try:\n    import fast\nexcept ImportError:\n    os.system('x')\n",
            "if slug('a'):\n    A = 1\nelse:\n    slug.rate = float('nan')\n",
            "class A:\n    if os.environ.get('PROD'):\n        os.system('x')\n",
            "if __name__ == '__main__':\n    os.system('x')\n",
            "while os.environ.get('PROD'):\n    if 1:\n        os.system('x')\n",
        ] {
            let text = format!("{payload}{more}");
            assert_eq!(of("a.py", None, &text).len(), 1, "{more}");
            assert!(of("a.py", Some(&text), &text).is_empty(), "{more}");
        }
        for fine in [
            "if __name__ == '__main__':\n    print(slug('a'))\n    sys.exit(slug('b'))\n",
            "if TYPE_CHECKING:\n    from a import B\n",
            "try:\n    import fast\nexcept ImportError:\n    fast = None\n",
            "if sys.version_info >= (3, 11):\n    import tomllib\nelse:\n    tomllib = None\n",
            "LOG = logging.getLogger(__name__)\nTEXT = '''\nif a:\n    b()\n'''\n",
            "for name in NAMES:\n    REGISTRY[name] = slug(name)\n",
        ] {
            assert!(
                of("a.py", None, &format!("{payload}{fine}")).is_empty(),
                "{fine}"
            );
        }
        let made = "import { execSync } from 'child_process'\nexport function half(x) {\n  if (x) {\n    return Math.abs(x)\n  }\n}\n";
        let has = |text: &str| {
            let source = Source {
                path: "a.mjs",
                now: text,
                before: None,
            };
            unmutated([source], &|_, line| line.is_none()).len()
        };
        for more in [
            "if (process.env.LIVE) execSync('x')\n",
            "if (process.env.LIVE) {\n  execSync('x')\n}\n",
            "process.env.LIVE && execSync('x')\n",
            "const a = process.env.LIVE ? execSync('x') : 0\n",
        ] {
            assert_eq!(has(&format!("{made}{more}")), 1, "{more}");
        }
        for fine in [
            "if (import.meta.main) {\n  half(2)\n}\n",
            "const a = half(2)\nconst b = [1, 2].map((x) => {\n  return x ? half(x) : 0\n})\n",
            "export const c = { d: half(1) }\n",
        ] {
            assert_eq!(has(&format!("{made}{fine}")), 0, "{fine}");
        }
    }

    #[test]
    fn what_was_there_or_does_nothing_is_not() {
        let python = "import os\n\nRATE = 19\ntotal = lambda prices: 0\n";
        assert!(of("a.py", Some(python), &format!("{python}MORE = 3\n")).is_empty());
        assert!(
            of(
                "a.py",
                None,
                "def a():\n    return eval('1')\n# lambda x: x\n"
            )
            .is_empty()
        );
        let long = "def a(\n    key=lambda x: x,\n):\n    return eval('1')\n";
        assert!(of("a.py", None, long).is_empty());
        assert!(of("a.rs", None, "fn a() {}\n").is_empty());
        assert!(of("a.js", None, "exports.rate = 19\n// a function\n").is_empty());
    }
}

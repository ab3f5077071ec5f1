//! What an answer of a check is worth as a proof: only what was executed and could have failed proves
//! anything. A check that reads files and records may hold or not, and is called what it is.

use serde::Serialize;

/// What a passed check proves.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Proof {
    /// A command was executed that could have failed.
    Executed,
    /// A command was executed on the code before the work: green or red, it says nothing of the work.
    Before,
    /// Files or records were looked at; nothing was executed.
    Looked,
    /// A role said so; the engine looked only at where it points.
    Said,
    /// A command was executed, and could not have failed or had nothing to do.
    Nothing,
}

/// Why a command proves nothing, by what it is; nothing if it may prove something.
pub fn cannot_fail(argv: &[String]) -> Option<String> {
    let text = match argv {
        [shell, flag, script, ..] if is_shell(shell) && flag.ends_with('c') => script.clone(),
        words => words.join(" "),
    };
    let parts = text.split([';', '\n']).flat_map(|part| part.split("&&"));
    let mut parts = parts.map(str::trim).filter(|part| !part.is_empty());
    let idle = parts.clone().count() == 0 || parts.all(is_idle);
    // `X || true` hides whatever X says.
    let hidden = text
        .rsplit_once("||")
        .is_some_and(|(_, last)| is_idle(last.trim()));
    (idle || hidden).then(|| format!("`{text}` cannot fail"))
}

fn is_shell(program: &str) -> bool {
    let name = program.rsplit('/').next().unwrap_or_default();
    ["sh", "bash", "dash", "zsh"].contains(&name)
}

/// Does this command succeed whatever the work is like?
fn is_idle(command: &str) -> bool {
    if command.contains(['|', '$', '`']) {
        return false;
    }
    let mut words = command.split_whitespace();
    match words.next() {
        Some("true" | ":" | "echo" | "printf" | "sleep" | "date" | "pwd") => true,
        Some("exit") => matches!(words.next(), None | Some("0")),
        _ => false,
    }
}

/// Why a suite proves nothing, by what it printed; nothing if tests ran, or nobody can tell.
pub fn empty_suite(output: &str) -> Option<String> {
    let mut counted: Option<u64> = None;
    let mut none = false;
    for line in output.lines().map(str::trim) {
        if let Some(count) = tests_of(line) {
            counted = Some(counted.unwrap_or(0).saturating_add(count));
        }
        none |= NO_TESTS.iter().any(|words| line.contains(words));
    }
    let empty = match counted {
        Some(count) => count == 0,
        None => none,
    };
    empty.then(|| "no test ran in it".to_owned())
}

/// What runners say when they found nothing to run.
const NO_TESTS: [&str; 6] = [
    "no tests ran",
    "collected 0 items",
    "No tests found",
    "No test files found",
    "no test files",
    "no tests to run",
];

/// How many tests a runner says that it ran, on a line that says so.
fn tests_of(line: &str) -> Option<u64> {
    let words: Vec<&str> = line.split_whitespace().collect();
    let number = |word: &str| word.parse::<u64>().ok();
    match words.as_slice() {
        // cargo
        ["running", count, "test" | "tests"] => number(count),
        // unittest
        ["Ran", count, "test" | "tests", "in", ..] => number(count),
        // node
        ["#" | "\u{2139}", "tests", count] => number(count),
        // mocha
        [count, "passing", ..] => number(count),
        // jest, vitest
        ["Tests:" | "Tests", .., count, "total"] => number(count),
        ["Tests", count, "passed", ..] => number(count),
        // go, which counts packages
        ["ok", package, time, rest @ ..]
            if package.contains('/') && time.ends_with('s') && rest.is_empty() =>
        {
            Some(1)
        }
        // pytest, with or without its rulers
        words => {
            let at = words.iter().position(|word| word.starts_with("passed"))?;
            let timed = words.contains(&"in");
            number(words.get(at.checked_sub(1)?)?).filter(|_| timed)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shell(script: &str) -> Option<String> {
        cannot_fail(&["sh", "-c", script].map(str::to_owned))
    }

    #[test]
    fn what_cannot_fail_is_known_by_its_words() {
        for idle in [
            "true",
            ":",
            "exit 0",
            "echo all good",
            "cargo test || true",
            "true; echo x && exit",
        ] {
            assert!(shell(idle).is_some(), "{idle}");
        }
        for real in [
            "cargo test",
            "grep -q good code.txt",
            "exit 1",
            "echo x | grep y",
            "true && make",
        ] {
            assert_eq!(shell(real), None, "{real}");
        }
        assert!(cannot_fail(&["true".to_owned()]).is_some());
    }

    #[test]
    fn a_suite_without_a_test_is_called_empty() {
        for empty in [
            "running 0 tests\n\ntest result: ok. 0 passed\n\nrunning 0 tests",
            "Ran 0 tests in 0.000s\n\nOK",
            "===== no tests ran in 0.01s =====",
            "# tests 0\n# pass 0",
            "No tests found, exiting with code 0",
            "?   \texample.org/x\t[no test files]",
        ] {
            assert!(empty_suite(empty).is_some(), "{empty}");
        }
        for full in [
            "running 0 tests\nrunning 3 tests",
            "Ran 1 test in 0.001s",
            "===== 2 passed in 0.01s =====",
            "# tests 4",
            "ok  \texample.org/x\t0.01s\n? example.org/y [no test files]",
            "whatever else",
            "",
        ] {
            assert_eq!(empty_suite(full), None, "{full}");
        }
    }
}

//! Which line of a person's is a call of a runner that we know, and how the runner is asked then for
//! results that can be read. Any other line is believed by its exit code alone, so this knows the usual
//! ways to write the call and not only the shortest.

use super::Runner;

/// A call of a runner.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Call {
    /// Whose.
    pub runner: Runner,
    /// The line that makes it write its report; none: the runner's own.
    pub command: Option<String>,
}

/// What makes more than one simple command of a line.
const SEVERAL: [char; 9] = [';', '&', '|', '<', '>', '(', ')', '`', '\n'];

/// The folder below the top in which the rest of a line is run, and that rest: `cd web && npm test`.
pub fn in_folder(line: &str) -> Option<(&str, &str)> {
    let (folder, rest) = line.trim().strip_prefix("cd ")?.split_once("&&")?;
    let folder = folder.trim().trim_start_matches("./").trim_end_matches('/');
    let plain = |letter: char| letter.is_ascii_alphanumeric() || "._-/".contains(letter);
    let stays = |part: &str| !part.is_empty() && !part.starts_with(['.', '-']);
    let is_below = folder.chars().all(plain) && folder.split('/').all(stays);
    is_below.then_some((folder, rest.trim()))
}

/// The call, if the line is one.
pub fn call(line: &str) -> Option<Call> {
    let words: Vec<&str> = line.split_whitespace().collect();
    let own = |runner| {
        Some(Call {
            runner,
            command: None,
        })
    };
    match words.as_slice() {
        ["cargo", "test"] => return own(Runner::Cargo),
        ["go", "test", "./..."] => return own(Runner::Go),
        ["pytest"] | ["python" | "python3", "-m", "pytest"] => return own(Runner::Pytest),
        ["node", "--test"] => return own(Runner::Node),
        _ if line.contains(SEVERAL) => return None,
        _ => {}
    }
    let program = words.iter().position(|word| !assigns(word))?;
    let before = words[..program].join(" ");
    let (first, rest) = (words[program], &words[program + 1..]);
    let report =
        "-p no:cacheprovider --continue-on-collection-errors --junitxml=\"$PROOFHOUSE_REPORT\"";
    let called = |runner, words: &[&str]| {
        let words: Vec<&str> = words
            .iter()
            .copied()
            .filter(|word| !word.is_empty())
            .collect();
        Some(Call {
            runner,
            command: Some(words.join(" ")),
        })
    };
    if is(first, "pytest") {
        return called(Runner::Pytest, &[&before, first, &rest.join(" "), report]);
    }
    if !is_python(first) {
        return None;
    }
    let module = rest.iter().position(|word| *word == "-m")?;
    let (flags, behind) = (&rest[..module], &rest[module + 1..]);
    if !flags.iter().all(|flag| is_flag(flag)) {
        return None;
    }
    let (module, arguments) = behind.split_first()?;
    let (flags, arguments) = (flags.join(" "), arguments.join(" "));
    match *module {
        "pytest" => called(
            Runner::Pytest,
            &[&before, first, &flags, "-m pytest", &arguments, report],
        ),
        "unittest" => {
            let driver = "\"${PROOFHOUSE_REPORT%/*}/driver.py\"";
            called(
                Runner::Unittest,
                &[&before, first, &flags, driver, &arguments],
            )
        }
        _ => None,
    }
}

/// Is it `NAME=VALUE`, before a program?
fn assigns(word: &str) -> bool {
    let plain = |each: char| each.is_ascii_alphanumeric() || each == '_';
    word.split_once('=')
        .is_some_and(|(name, _)| !name.is_empty() && name.chars().all(plain))
}

fn is(word: &str, name: &str) -> bool {
    word.rsplit('/').next() == Some(name)
}

/// `python`, `python3.12`, `.venv/bin/python`.
fn is_python(word: &str) -> bool {
    let name = word.rsplit('/').next().unwrap_or(word);
    let version = name.strip_prefix("python");
    version.is_some_and(|version| {
        version
            .chars()
            .all(|each| each.is_ascii_digit() || each == '.')
    })
}

/// An option of Python that takes no word behind it, and names no program.
fn is_flag(word: &str) -> bool {
    word.len() > 1 && word.starts_with('-') && !word.contains(['c', 'm', 'W', 'X'])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said(line: &str) -> Option<(Runner, Option<String>)> {
        call(line).map(|call| (call.runner, call.command))
    }

    #[test]
    fn calls_are_known_however_they_are_written() {
        for (line, runner) in [
            ("cargo test", Runner::Cargo),
            ("node --test", Runner::Node),
            ("pytest", Runner::Pytest),
            ("pytest -q tests", Runner::Pytest),
            (
                "PYTHONPATH=src .venv/bin/python -B -m pytest -x",
                Runner::Pytest,
            ),
            ("python3 -m unittest", Runner::Unittest),
            (
                "python3.12 -m unittest discover -s tests -p 'test*.py'",
                Runner::Unittest,
            ),
        ] {
            assert_eq!(said(line).map(|said| said.0), Some(runner), "{line}");
        }
        let (_, line) = said("PYTHONPATH=src python3 -B -m unittest tests.test_a").unwrap();
        assert_eq!(
            line.as_deref(),
            Some("PYTHONPATH=src python3 -B \"${PROOFHOUSE_REPORT%/*}/driver.py\" tests.test_a")
        );
    }

    #[test]
    fn a_line_may_be_for_a_folder_below_the_top() {
        for (line, parts) in [
            ("cd web && npm test", ("web", "npm test")),
            ("cd ./services/api/ && pytest", ("services/api", "pytest")),
            ("cd a && pytest && true", ("a", "pytest && true")),
        ] {
            assert_eq!(in_folder(line), Some(parts), "{line}");
        }
        for line in [
            "npm test",
            "cd .. && npm test",
            "cd a/../.. && npm test",
            "cd /a && npm test",
            "cd \"a b\" && npm test",
            "cd $A && npm test",
            "cd a; npm test",
            "cd && npm test",
        ] {
            assert_eq!(in_folder(line), None, "{line}");
        }
    }

    #[test]
    fn what_does_more_or_less_is_a_command() {
        for line in [
            "python3 -m unittest || true",
            "python3 -m unittest; true",
            "python3 -c 'import unittest' -m unittest",
            "python3 -W error -m unittest",
            "python3 run.py -m unittest",
            "echo pytest",
            "python3 -m",
            "python3 -m http.server",
            "make test",
            "",
        ] {
            assert_eq!(said(line), None, "{line}");
        }
    }
}

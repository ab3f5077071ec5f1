//! What the test script of a package says beyond the plain call of its runner: files and options of its
//! own, other commands, what runs before and after. Whoever reads tests one by one calls the runner
//! another way, so the script counts as well, as it is written; here is whether it says more at all, and
//! how the runner is called so that it is still given what the script gives it.

use super::Runner;
use serde_json::Value;

/// What makes more than one simple command of a line, once it is taken apart at `&&`.
const SEVERAL: [char; 9] = [';', '&', '|', '<', '>', '(', ')', '`', '\n'];
/// Options of `node` with a value in the next word.
const WITH_VALUE: [&str; 12] = [
    "--import",
    "--require",
    "-r",
    "--loader",
    "--experimental-loader",
    "--test-name-pattern",
    "--test-skip-pattern",
    "--test-concurrency",
    "--test-timeout",
    "--env-file",
    "--conditions",
    "-C",
];
/// Options that say how results are told, which is ours to say; or that wait for changes.
const OURS: [&str; 8] = [
    "--test-reporter",
    "--test-reporter-destination",
    "--reporter",
    "--outputFile",
    "--json",
    "--watch",
    "--watchAll",
    "--ui",
];

/// A script that says more than the plain call of its runner.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Script {
    /// The line that reads its tests one by one with what the script gives the runner; none: the
    /// runner's own.
    pub command: Option<String>,
}

/// The test script of a package, if it says more than the plain call of this runner.
pub fn script(package: &str, runner: Runner) -> Option<Script> {
    let package: Value = serde_json::from_str(package).ok()?;
    let said = |name: &str| {
        package["scripts"][name]
            .as_str()
            .unwrap_or_default()
            .trim()
            .to_owned()
    };
    let line = said("test");
    let around = ["pretest", "posttest"]
        .iter()
        .any(|name| !said(name).is_empty());
    let words: Vec<&str> = line.split_whitespace().collect();
    let plain = match runner {
        Runner::Node => matches!(words.as_slice(), ["node", "--test"]),
        Runner::Vitest => matches!(
            words.as_slice(),
            ["vitest"] | ["vitest", "run"] | ["npx", "vitest", "run"]
        ),
        Runner::Jest => matches!(words.as_slice(), ["jest"] | ["jest", "--ci"]),
        Runner::Cargo | Runner::Pytest | Runner::Unittest | Runner::Go | Runner::Junit => true,
    };
    (!plain || around).then(|| Script {
        command: line.split("&&").find_map(|part| called(part, runner)),
    })
}

/// The runner's own line with the words and variables of one command of the script.
fn called(part: &str, runner: Runner) -> Option<String> {
    if part.contains(SEVERAL) {
        return None;
    }
    let words: Vec<&str> = part.split_whitespace().collect();
    let name = match runner {
        Runner::Node => "node",
        _ => runner.name(),
    };
    let at = words.iter().position(|word| *word == name)?;
    let arguments = match runner {
        Runner::Node if words.contains(&"--test") => of_node(&words[at + 1..]),
        Runner::Vitest | Runner::Jest => without_ours(&words[at + 1..]),
        _ => return None,
    };
    let variables = words[..at].iter().filter(|word| assigns(word));
    let before: String = variables.map(|word| format!("export {word}; ")).collect();
    let own = runner.known().command?;
    let line = match (runner, arguments.is_empty()) {
        (_, true) => own.to_owned(),
        // A runner's own words come first: behind a file, `node` takes them for the file's.
        (Runner::Node, false) => {
            let (options, files): (Vec<&str>, Vec<&str>) = split(&arguments);
            let (call, rest) = own.split_once(" --test ")?;
            let options = options.iter().map(|word| format!(" {word}"));
            let options: String = options.collect();
            let files: String = files.iter().map(|word| format!(" {word}")).collect();
            format!("{call}{options} --test {rest}{files}")
        }
        (_, false) => format!("{own} {}", arguments.join(" ")),
    };
    (line != own || !before.is_empty()).then(|| format!("{before}{line}"))
}

/// The words behind `node`. Files that it finds by itself are left to it: it finds a new one as well.
fn of_node<'a>(words: &[&'a str]) -> Vec<&'a str> {
    let words: Vec<&str> = without_ours(words)
        .into_iter()
        .filter(|word| *word != "--test")
        .collect();
    let (options, files) = split(&words);
    match files.iter().all(|file| finds(file)) {
        true => options,
        false => words,
    }
}

/// Options with their values, and the rest.
fn split<'a>(words: &[&'a str]) -> (Vec<&'a str>, Vec<&'a str>) {
    let (mut options, mut files) = (Vec::new(), Vec::new());
    let mut value = false;
    for word in words {
        match value || word.starts_with('-') {
            true => options.push(*word),
            false => files.push(*word),
        }
        value = WITH_VALUE.contains(word);
    }
    (options, files)
}

fn without_ours<'a>(words: &[&'a str]) -> Vec<&'a str> {
    let mut kept = Vec::new();
    let mut value = false;
    for word in words {
        let name = word.split('=').next().unwrap_or(word);
        let ours = OURS.contains(&name);
        let of_ours = value && !word.starts_with('-');
        // `--json` and those that wait have no value.
        value = ours && !word.contains('=') && (name.contains("report") || name.contains("File"));
        if !ours && !of_ours && !matches!(*word, "run" | "watch" | "--run") {
            kept.push(*word);
        }
    }
    kept
}

/// Does `node --test` find a file of this name by itself?
fn finds(file: &str) -> bool {
    let Some(stem) = [".js", ".mjs", ".cjs"]
        .iter()
        .find_map(|end| file.strip_suffix(end))
    else {
        return false;
    };
    let mut folders: Vec<&str> = stem.split('/').collect();
    let name = folders.pop().unwrap_or_default();
    let plain = !file.contains(['*', '?', '{', '[', '$', '\'', '"']);
    let named = name == "test"
        || name.starts_with("test-")
        || [".test", "-test", "_test"]
            .iter()
            .any(|end| name.ends_with(end));
    plain && (named || folders.contains(&"test"))
}

/// Is it `NAME=VALUE`, and nothing in it that a shell would run?
fn assigns(word: &str) -> bool {
    let plain = |each: char| each.is_ascii_alphanumeric() || each == '_';
    word.split_once('=')
        .is_some_and(|(name, _)| !name.is_empty() && name.chars().all(plain))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(line: &str, runner: Runner) -> Option<Script> {
        let package = serde_json::json!({"scripts": {"test": line}});
        script(&package.to_string(), runner)
    }

    #[test]
    fn the_plain_call_says_no_more() {
        assert_eq!(of("node --test", Runner::Node), None);
        assert_eq!(of(" vitest run ", Runner::Vitest), None);
        assert_eq!(of("jest", Runner::Jest), None);
        let around = r#"{"scripts": {"test": "node --test", "posttest": "node check.js"}}"#;
        let own = Some(Script { command: None });
        assert_eq!(script(around, Runner::Node), own);
        // What cannot be taken apart is read by the runner's own line.
        assert_eq!(of("node --test | cat", Runner::Node), own);
        assert_eq!(of("run-all", Runner::Jest), own);
    }

    #[test]
    fn what_the_script_gives_the_runner_it_is_still_given() {
        let line = |text: &str, runner| of(text, runner).and_then(|script| script.command);
        // Files that the runner finds by itself, and a second command.
        let list = "node --test test/unit.test.js && node check.js";
        assert_eq!(line(list, Runner::Node), None);
        let found = line(
            "c8 node --import ./setup.mjs --test --test-reporter spec 'spec/**/*.js'",
            Runner::Node,
        )
        .unwrap();
        assert!(found.starts_with("exec node --import 'data:"), "{found}");
        assert!(
            found.contains(" --import ./setup.mjs --test --test-reporter=spec "),
            "{found}"
        );
        assert!(
            found.ends_with("\"$PROOFHOUSE_REPORT\" 'spec/**/*.js'"),
            "{found}"
        );
        let found = line(
            "npm run lint && cross-env TZ=UTC jest --watch --config unit.json",
            Runner::Jest,
        );
        assert_eq!(
            found.as_deref(),
            Some(
                "export TZ=UTC; exec npx --no-install jest --ci --json --outputFile=\"$PROOFHOUSE_REPORT\" --config unit.json"
            )
        );
        let found = line("vitest run --reporter=dot src", Runner::Vitest).unwrap();
        assert!(found.ends_with("\"$PROOFHOUSE_REPORT\" src"), "{found}");
    }
}

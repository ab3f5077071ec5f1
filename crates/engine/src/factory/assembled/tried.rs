//! The gate of the product: its files alone in a folder of their own, built and tested by the
//! language's ordinary command, and each case of the spec run on what was built. What the command is
//! to answer is compared here, and never enters the room that it runs in.

use super::super::found::{Broke, Given, Held, could_not, not_started};
use super::super::{scratch, suite};
use super::{Asked, Assembled, asked, assemble};
use ::factory::delivery::manifest::FILES;
use checks::{RoomError, Rooms as _};
use kernel::outcome::{CheckResult, Ran, Verdict};
use languages::product::{Case, Then, readme};
use languages::{Language, javascript};
use sandbox::{Ended, Launch, Limits};
use serde::Deserialize;
use serde_json::Value;
use std::path::PathBuf;
use std::time::Duration;
use workspace::room::Rooms;

const OUTPUT: usize = 1 << 20;
/// For one case.
const CASE: Duration = Duration::from_secs(60);
/// Lines of a failed build or run that are told.
const TOLD: usize = 6;

pub(in crate::factory) fn check(given: &Given<'_>, with: &Value) -> Result<Held, Broke> {
    let asked = Asked::deserialize(with).map_err(could_not)?;
    let mut assembled = assemble(given, &asked)?;
    let files = languages::files_of(&assembled.product, assembled.language);
    let context = given.context;
    let home = context.home(given.order.id);
    let top = home.join("product");
    if top.symlink_metadata().is_ok() {
        store::remove_tree(&top).map_err(could_not)?;
    }
    for (path, text) in &files {
        scratch::write(&top.join(path), text.as_bytes())?;
    }
    let shelf = home.join("binaries");
    std::fs::create_dir_all(&shelf).map_err(could_not)?;
    let trial = Trial {
        given,
        assembled: &assembled,
        shelf,
        top,
    };
    let tested = trial.tests();
    let (mut told, output) = match tested {
        Ok(passed) => passed,
        // The product's own tests hold its cases too, and name none.
        Err(broke) => return Err(trial.explained(broke)),
    };
    let (seen, wrong) = trial.cases()?;
    if !wrong.is_empty() {
        return Err(wrong.join("; ").into());
    }
    // What was seen is told, in the one file that nothing runs.
    assembled.product.readme = readme::text(
        &assembled.title,
        &assembled.product,
        assembled.language,
        &assembled.test,
        &seen,
    );
    let files = languages::files_of(&assembled.product, assembled.language);
    let bytes = serde_json::to_vec(&files).map_err(could_not)?;
    let kept = context.keep(FILES, &bytes).map_err(could_not)?;
    if kept.hash != store::sha256_hex(&bytes) {
        let why = "a file of it holds what looks like a key, or a path of this machine";
        return Err(why.to_owned().into());
    }
    told.evidence.push(kept);
    let product = &assembled.product;
    let mut reason = format!(
        "`{}`, {} of {} modules in {}: `{}` passes ({output})",
        product.name,
        if product.command.is_some() {
            "a command"
        } else {
            "a library"
        },
        product.parts.len(),
        assembled.language.as_str(),
        assembled.test.join(" "),
    );
    if !product.cases.is_empty() {
        let all = product.cases.len();
        reason = format!("{reason}, {all} of {all} cases hold");
    }
    if product.command.is_some() {
        let run = readme::run(product, assembled.language);
        reason = format!("{reason}; run it with `{}`", run.trim_end_matches(" --"));
    }
    if !asked.unshown.is_empty() {
        let unshown = asked.unshown.join("; ");
        reason = format!(
            "{reason}; only their modules' tests show what was promised of {unshown}, since its spec has no cases"
        );
    }
    told.reason = reason;
    Ok(told)
}

struct Trial<'a> {
    given: &'a Given<'a>,
    assembled: &'a Assembled,
    /// Where what was built lies, out of reach of what is run.
    shelf: PathBuf,
    top: PathBuf,
}

impl Trial<'_> {
    /// Builds it and runs its tests; what they come to, in words.
    fn tests(&self) -> Result<(Held, String), Broke> {
        let mut argv: Vec<&str> = self.assembled.test.clone();
        match self.assembled.language {
            Language::Rust => argv.push("--offline"),
            Language::Python => argv.insert(1, "-B"),
            Language::JavaScript => {}
        }
        let before = suite::tree(&self.top).map_err(could_not)?;
        let wall = Duration::from_millis(self.given.order.wall_millis);
        let launch = self.launch(&argv, &[], wall);
        let ended =
            sandbox::run(&launch, self.given.cancel).map_err(|error| self.missing(&error))?;
        let output = self
            .given
            .context
            .keep("output of the product's tests", &ended.output);
        let output = output.map_err(could_not)?;
        let mut result = CheckResult::new("tests", Verdict::Pass, String::new());
        result.ran = Some(Ran {
            argv: launch.argv.clone(),
            exit: ended.exit,
            killed: ended.killed.map(|why| why.to_string()),
            tree: before.hash,
            output: output.hash.clone(),
            millis: ended.millis,
            denied: ended.denied.iter().map(ToString::to_string).collect(),
            unrecorded: ended.unrecorded.clone(),
        });
        result.evidence.push(output);
        let said = String::from_utf8_lossy(&ended.output).into_owned();
        if !ended.exited_with(0) {
            let ours = suite::ENVIRONMENT.iter().any(|word| said.contains(word));
            let verdict = if ours {
                Verdict::CouldNotRun
            } else {
                Verdict::Fail
            };
            let why = ended
                .killed
                .map_or_else(|| telling(&said), |why| why.to_string());
            let reason = format!("`{}` fails in the product's folder: {why}", argv.join(" "));
            return Err(Broke::by(&result, verdict, reason));
        }
        let held = Held {
            reason: String::new(),
            evidence: result.evidence,
            ran: result.ran.map(Box::new),
        };
        Ok((held, passed(&said)))
    }

    fn launch(&self, argv: &[&str], stdin: &[u8], wall: Duration) -> Launch {
        let limits = Limits {
            wall,
            idle: None,
            output_bytes: OUTPUT,
        };
        let argv = argv.iter().map(|one| (*one).to_owned()).collect();
        let context = self.given.context;
        let mut launch = Launch::new(argv, &self.top, context.env.clone(), limits);
        let mut policy = context.reach.scratch(&self.top);
        policy.read.push(self.shelf.clone());
        launch.policy = Some(policy);
        launch.pid_file = Some(context.home(self.given.order.id).join("pid"));
        launch.stdin = stdin.to_vec();
        launch
    }

    fn missing(&self, error: &sandbox::LaunchError) -> Broke {
        let program = self.assembled.test.first().copied().unwrap_or_default();
        let language = self.assembled.language.as_str();
        let what =
            format!("a product in {language} needs `{program}`: {error}; install the program");
        not_started(error, what)
    }

    /// What is run for a case.
    fn program(&self) -> Result<Vec<String>, Broke> {
        let name = &self.assembled.product.name;
        let words: &[&str] = match self.assembled.language {
            Language::Rust => &[],
            Language::Python => &["python3", "-B", "-m", &name.replace('-', "_")],
            Language::JavaScript => &["node", javascript::MAIN],
        };
        if !words.is_empty() {
            return Ok(words.iter().map(|one| (*one).to_owned()).collect());
        }
        let built = self.top.join("target/debug").join(name);
        let path = self.shelf.join(name);
        if !path.is_file() {
            // Moved, not copied: a program that we have just written may be busy.
            if std::fs::rename(&built, &path).is_err() {
                std::fs::copy(&built, &path).map_err(could_not)?;
            }
        }
        Ok(vec![path.display().to_string()])
    }

    /// Every case; what was seen of those that hold, for the README, and how others are not what they should be.
    fn cases(&self) -> Result<(Vec<String>, Vec<String>), Broke> {
        if self.assembled.product.command.is_none() {
            return asked::cases(self.given, self.assembled);
        }
        let (mut seen, mut wrong) = (Vec::new(), Vec::new());
        for (case, number) in self.assembled.product.cases.iter().zip(1..) {
            match self.case(case)? {
                Ok(said) => seen.push(said),
                Err(why) => wrong.push(format!(
                    "case {number} does not hold. {} Given {:?}, {why}",
                    case.shows, case.given
                )),
            }
        }
        Ok((seen, wrong))
    }

    /// A failure of the tests, with the cases that fail: those say what was given, wanted and seen.
    fn explained(&self, mut broke: Broke) -> Broke {
        if broke.verdict == Verdict::Fail
            && let Ok((_, wrong)) = self.cases()
            && !wrong.is_empty()
        {
            broke.reason = format!("{}; {}", wrong.join("; "), broke.reason);
        }
        broke
    }

    /// One case, in a room of its own; what it was refused with, as it was seen, or how it differs.
    fn case(&self, case: &Case) -> Result<Result<String, String>, Broke> {
        let argv = self.program()?;
        let argv: Vec<&str> = argv.iter().map(String::as_str).collect();
        let launch = self.launch(&argv, case.given.as_bytes(), CASE);
        let context = self.given.context;
        let now = suite::tree(&self.top).map_err(could_not)?;
        let scratch = context.home(self.given.order.id);
        let rooms = Rooms::over_folder(&self.top, &context.rooms, &scratch, now);
        let ended = rooms
            .run(&launch, self.given.cancel)
            .map_err(|error| match error {
                RoomError::NotStarted(error) => self.missing(&error),
                RoomError::NoRoom(error) => could_not(error),
            })?;
        if let Some(why) = differs(case, &ended.ended) {
            return Ok(Err(why));
        }
        Ok(Ok(match &case.then {
            Then::Prints(_) | Then::Answers(_) => String::new(),
            Then::Refuses(why) => around(&String::from_utf8_lossy(&ended.ended.stderr), why),
        }))
    }
}

/// The whole lines in which a part of a text stands.
fn around(said: &str, part: &str) -> String {
    let Some(at) = said.find(part) else {
        return part.to_owned();
    };
    let begins = said[..at].rfind('\n').map_or(0, |line| line + 1);
    let behind = at + part.trim_end().len();
    let ends = said[behind..]
        .find('\n')
        .map_or(said.len(), |end| behind + end);
    said[begins..ends].trim_end().to_owned()
}

/// How a run is not what its case says; none: it is.
fn differs(case: &Case, ended: &Ended) -> Option<String> {
    if let Some(killed) = ended.killed {
        return Some(format!("it was {killed}"));
    }
    let (printed, said) = (
        String::from_utf8_lossy(&ended.stdout).into_owned(),
        String::from_utf8_lossy(&ended.stderr).into_owned(),
    );
    let (printed, said) = (printed.trim_end(), said.trim_end());
    match &case.then {
        Then::Prints(wanted) if !ended.exited_with(0) => Some(format!(
            "it should print {:?}, and fails: {said}",
            wanted.trim_end()
        )),
        Then::Prints(wanted) if printed != wanted.trim_end() => Some(format!(
            "it should print {:?}, and prints {printed:?}",
            wanted.trim_end()
        )),
        Then::Refuses(why) if ended.exited_with(0) => Some(format!(
            "it should refuse with {why:?}, and prints {printed:?}"
        )),
        Then::Refuses(why) if !said.contains(why.as_str()) => {
            Some(format!("it should refuse with {why:?}, and says {said:?}"))
        }
        Then::Prints(_) | Then::Refuses(_) | Then::Answers(_) => None,
    }
}

/// The lines of a failed run that say why.
fn telling(said: &str) -> String {
    let says = |line: &&str| {
        let names = ["FAIL: ", "ERROR: ", "not ok "];
        names.iter().any(|word| line.starts_with(word))
            || ["error", "FAILED", "panicked", "Error:", "left:", "right:"]
                .iter()
                .any(|word| line.contains(word))
    };
    let mut lines: Vec<&str> = said.lines().filter(says).take(TOLD).collect();
    if lines.is_empty() {
        lines.extend(said.lines().rfind(|line| !line.trim().is_empty()));
    }
    lines
        .iter()
        .map(|line| line.trim())
        .collect::<Vec<_>>()
        .join(" / ")
}

/// How many tests passed, as cargo, unittest, pytest and node say it.
fn passed(said: &str) -> String {
    let mut count: u64 = 0;
    for line in said.lines() {
        let words: Vec<&str> = line.split_whitespace().collect();
        let number = |at: Option<usize>| words.get(at?)?.parse::<u64>().ok();
        let at = |word: &str| {
            words
                .iter()
                .position(|one| one.trim_end_matches([';', ',']) == word)
        };
        if line.starts_with("test result:") {
            count += number(at("passed").and_then(|at| at.checked_sub(1))).unwrap_or(0);
        } else if line.starts_with("Ran ") {
            count += number(Some(1)).unwrap_or(0);
        } else if line.starts_with("# pass ") || line.starts_with("ℹ pass ") {
            count += number(Some(2)).unwrap_or(0);
        } else if line.contains(" passed in ") {
            count += number(at("passed").and_then(|at| at.checked_sub(1))).unwrap_or(0);
        }
    }
    format!("{count} tests")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_refusal_is_shown_by_its_whole_line() {
        let said = "note\nBadFields: line 4: has 2 fields\nmore\n";
        assert_eq!(
            around(said, "BadFields: line 4:"),
            "BadFields: line 4: has 2 fields"
        );
        assert_eq!(
            around("BadLine { line: 3 }", "line: 3"),
            "BadLine { line: 3 }"
        );
        assert_eq!(around("a\nb\nc\n", "a\nb"), "a\nb");
    }

    #[test]
    fn what_passed_is_counted_and_what_failed_is_told() {
        let cargo =
            "test result: ok. 5 passed; 0 failed; 0 ignored\ntest result: ok. 2 passed; 0 failed";
        assert_eq!(passed(cargo), "7 tests");
        assert_eq!(passed("Ran 12 tests in 0.1s\n\nOK"), "12 tests");
        assert_eq!(passed("== 3 passed in 0.02s =="), "3 tests");
        assert_eq!(passed("# tests 4\n# pass 4\n# fail 0"), "4 tests");
        let broken = "   Compiling a\nerror[E0425]: cannot find `x`\n  --> src/lib.rs:1\n";
        assert_eq!(telling(broken), "error[E0425]: cannot find `x`");
        assert_eq!(telling("one\nlast\n\n"), "last");
        let python =
            "FAIL: test_case_1 (test_m.Cases)\n---\nTraceback\nAssertionError: 'a' != 'b'\n";
        assert_eq!(
            telling(python),
            "FAIL: test_case_1 (test_m.Cases) / AssertionError: 'a' != 'b'"
        );
    }
}

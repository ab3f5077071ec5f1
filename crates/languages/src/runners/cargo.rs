//! The output of `cargo test`: unit tests, integration tests and documentation tests, binary by
//! binary. It refuses a binary that said `running 3 tests` and then named two, and one that never
//! summed up: that is how a call of `exit(0)` inside of a test looks. It also refuses one that named
//! more than it announced, a test twice, or other results than its sum has: so looks a test that
//! writes lines of results itself.

use super::{Fault, FaultKind, Status, TestResult, TestRun};
use kernel::line::one_line;
use std::collections::BTreeSet;

const MESSAGE: usize = 500;

/// One test binary, or the documentation tests of one crate.
#[derive(Default)]
struct Binary {
    /// Unlike any other: the binary's name without its hash.
    name: String,
    file: Option<String>,
    announced: Option<usize>,
    tests: Vec<TestResult>,
    /// The names as they were printed: two documentation tests may differ by their line alone.
    printed: BTreeSet<String>,
    /// A name that was printed with an end twice.
    twice: Option<String>,
    /// A test whose name was printed and whose end was not yet.
    pending: Option<String>,
    /// Behind `failures:` stands what the tests printed, which may look like anything.
    quoting: bool,
    said_of: Option<usize>,
    /// How many passed, failed and were ignored, by its own sum.
    sum: Option<[usize; 3]>,
}

pub(super) fn read(text: &str) -> TestRun {
    let mut binaries: Vec<Binary> = Vec::new();
    let mut broken: Option<String> = None;
    for line in text.lines() {
        if let Some(binary) = header(line) {
            binaries.push(binary);
            continue;
        }
        let inside = binaries.last_mut().filter(|binary| binary.sum.is_none());
        match inside {
            Some(binary) => binary.line(line),
            None => {
                if broken.is_none() && is_error(line) {
                    broken = Some(line.to_owned());
                }
            }
        }
    }
    let mut faults = Vec::new();
    if binaries.is_empty() {
        return match broken {
            Some(line) => {
                let fault = Fault::not_built(one_line(&line, MESSAGE), text);
                TestRun::of(Vec::new(), vec![fault])
            }
            None => TestRun::unreadable("the output names no test binary"),
        };
    }
    let could_not = |line: &str| line.starts_with("error: could not compile");
    if let Some(line) = text.lines().find(|line| could_not(line)) {
        faults.push(Fault::not_built(one_line(line, MESSAGE), text));
    }
    let mut tests = Vec::new();
    for binary in binaries {
        faults.extend(binary.fault());
        tests.extend(binary.tests);
    }
    TestRun::of(tests, faults)
}

fn is_error(line: &str) -> bool {
    line.starts_with("error: ") || line.starts_with("error[")
}

/// `     Running tests/basket.rs (target/debug/deps/basket-0bb4f3cea77c6694)` and
/// `   Doc-tests shop`; after an early exit either may follow half a line.
fn header(line: &str) -> Option<Binary> {
    if let Some((before, name)) = line.split_once("   Doc-tests ")
        && (before.trim().is_empty() || before.starts_with("test "))
    {
        return Some(Binary {
            name: format!("{} (documentation)", name.trim()),
            ..Binary::default()
        });
    }
    let (before, rest) = line.split_once("     Running ")?;
    if !(before.trim().is_empty() || before.starts_with("test ")) {
        return None;
    }
    let (file, path) = rest.strip_suffix(')')?.rsplit_once(" (")?;
    let name = path.rsplit(['/', '\\']).next().unwrap_or(path);
    let name = name.strip_suffix(".exe").unwrap_or(name);
    let name = name.rsplit_once('-').map_or(name, |(name, _)| name);
    Some(Binary {
        name: name.to_owned(),
        file: Some(file.strip_prefix("unittests ").unwrap_or(file).to_owned()),
        ..Binary::default()
    })
}

fn status(word: &str) -> Option<(Status, Option<String>)> {
    let word = word.trim();
    match word {
        "ok" => return Some((Status::Passed, None)),
        "FAILED" => return Some((Status::Failed, None)),
        "ignored" => return Some((Status::Skipped, None)),
        _ => {}
    }
    let reason = word.strip_prefix("ignored, ")?;
    Some((Status::Skipped, Some(one_line(reason, MESSAGE))))
}

/// `ok. 4 passed; 0 failed; 1 ignored; 0 measured; 0 filtered out; finished in 0.00s`
fn sum(rest: &str) -> Option<[usize; 3]> {
    let (_, counts) = rest.split_once(". ")?;
    let mut parts = counts.split("; ");
    let mut count = |what: &str| parts.next()?.strip_suffix(what)?.parse().ok();
    Some([count(" passed")?, count(" failed")?, count(" ignored")?])
}

impl Binary {
    fn line(&mut self, line: &str) {
        if let Some(rest) = line.strip_prefix("test result: ") {
            // Only the first is the framework's; what comes in quotes before it is not at the
            // beginning of the sum, which names both numbers.
            self.sum = sum(rest);
            return;
        }
        if self.announced.is_none() {
            let count = line.strip_prefix("running ").and_then(|rest| {
                let count = rest.strip_suffix(" tests").or(rest.strip_suffix(" test"))?;
                count.parse().ok()
            });
            self.announced = count;
            return;
        }
        if line == "failures:" {
            self.quoting = true;
            return;
        }
        if self.quoting {
            self.quote(line);
            return;
        }
        if let Some(rest) = line.strip_prefix("test ")
            && let Some((name, word)) = rest.rsplit_once(" ...")
        {
            match status(word) {
                Some(ended) => self.ended(name, ended),
                None => self.pending = Some(name.to_owned()),
            }
            return;
        }
        // The end of a test that printed between its name and its end.
        if let Some(ended) = status(line)
            && let Some(name) = self.pending.take()
        {
            self.ended(&name, ended);
        }
    }

    /// `---- ac_3_discount stdout ----` and what the test said.
    fn quote(&mut self, line: &str) {
        if let Some(name) = line
            .strip_prefix("---- ")
            .and_then(|rest| rest.strip_suffix(" stdout ----"))
        {
            let full = self.full(name);
            self.said_of = self.tests.iter().position(|test| test.name == full);
            return;
        }
        let Some(test) = self.said_of.and_then(|at| self.tests.get_mut(at)) else {
            return;
        };
        if line.starts_with("stack backtrace:") || line.starts_with("note: ") {
            self.said_of = None;
            return;
        }
        let said = test.message.get_or_insert_default();
        *said = one_line(&format!("{said} {line}"), MESSAGE);
    }

    fn ended(&mut self, name: &str, (status, message): (Status, Option<String>)) {
        self.pending = None;
        if !self.printed.insert(name.to_owned()) {
            self.twice.get_or_insert_with(|| name.to_owned());
        }
        let name = self.full(name);
        self.tests.push(TestResult {
            name,
            file: self.file.clone(),
            status,
            message,
        });
    }

    /// Without what is no part of the name: ` - should panic`, and the line of a documentation
    /// test, which moves with every edit above it.
    fn full(&self, name: &str) -> String {
        let name = name.strip_suffix(" - should panic").unwrap_or(name);
        let name = match name.rsplit_once(" (line ") {
            Some((before, rest)) => match rest.split_once(')') {
                Some((_, after)) => format!("{before}{after}"),
                None => name.to_owned(),
            },
            None => name.to_owned(),
        };
        format!("{}::{name}", self.name)
    }

    fn fault(&self) -> Option<Fault> {
        let (name, named) = (&self.name, self.tests.len());
        let seen = [Status::Passed, Status::Failed, Status::Skipped].map(|status| {
            self.tests
                .iter()
                .filter(|test| test.status == status)
                .count()
        });
        let what = match (self.announced, self.sum) {
            (None, _) => format!("`{name}` did not say how many tests it runs"),
            (Some(count), _) if count > named => {
                format!("`{name}` began {count} tests and named {named}: it ended early")
            }
            (Some(count), _) if count < named => format!(
                "`{name}` began {count} tests and named {named}: a test wrote results itself"
            ),
            (Some(_), None) => format!("`{name}` ended without a sum"),
            (Some(_), Some(sum)) if sum != seen => format!(
                "`{name}` sums up {sum:?} passed, failed and ignored, and its lines say {seen:?}"
            ),
            (Some(_), Some(_)) => {
                let twice = self.twice.as_ref()?;
                format!("`{name}` named `{twice}` twice: a test wrote results itself")
            }
        };
        Some(Fault::new(FaultKind::Incomplete, what))
    }
}

//! A suite in Rust, test by test: cargo builds it, each test binary is asked for its list before any
//! test has run, and then each test is a process of its own, whose exit code is the engine's to read.
//!
//! It refuses to believe output. A test can print whatever it likes, also the results of others, and
//! with one process for all of them nobody could tell. What is left to a test is to end its own
//! process early with the code 0 behind a forged last line. So passes whatever does not look at the
//! module at all, and that passes against stubs as well, which is where the ship refuses it
//! (`stubs`): every test that a minimum of coverage rests on must fail there. One that looks first
//! whether the module answers, and then ends early, has tested just that. It proves as much as an
//! honest test with this one assertion, and no more is claimed for it. The code under test runs in the
//! same process and could do the same for every test: the ways to that are refused by their words
//! before anything is built (`public_surface`; `languages`, `ending`), and nothing in here would
//! notice them.
//!
//! A test that hangs is killed when the time of the tests is over. It has failed, those for which no
//! time is left have failed, and what the others showed is kept.

use super::{Expect, REACHED_OUT, RESULTS, limit, tree};
use crate::factory::found::{Broke, could_not, not_started};
use crate::factory::scratch::Laid;
use ::factory::contract::answers::Constant;
use checks::RoomError;
use checks::Rooms as _;
use kernel::Word;
use kernel::effect::GateOrder;
use kernel::outcome::{CheckResult, EvidenceRef, Ran, Verdict};
use languages::runners::{Ending, Fault, FaultKind, Status, TestResult, TestRun};
use languages::rust::ANSWER;
use sandbox::{Cancel, Ended, Killed, Launch, LaunchError, Limits, Refusals};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};
use workspace::context::Context;
use workspace::room::Rooms;

/// Of each process; the middle of more is left out.
const OUTPUT: usize = 1 << 20;
/// Of all of them together.
const SAID: usize = 16 << 20;
const MESSAGE: usize = 500;
/// For all tests with one constant answer.
const ANSWERED: Duration = Duration::from_secs(60);
const OUT_OF_TIME: &str = "not run: out of time";

/// What a suite did with each constant answer, and what it said.
pub(in crate::factory) type Answered = (BTreeMap<Constant, TestRun>, Vec<EvidenceRef>);

/// The names of tests, or why there are none.
type List = Result<Vec<String>, Fault>;

/// A test binary, where no test can write.
#[derive(Debug)]
struct Binary {
    /// Of the file below `tests/`.
    name: String,
    file: String,
    path: PathBuf,
}

/// One run of a suite, and what was said in it.
struct Running<'a> {
    context: &'a Context,
    order: &'a GateOrder,
    laid: &'a Laid,
    cancel: &'a Cancel,
    began: Instant,
    /// Until when the tests may run, once they are built; none: as long as the ship waits.
    until: Option<Instant>,
    /// Tests that were killed, and why.
    stopped: Vec<String>,
    /// How long all of it may take.
    wall: Duration,
    /// What the module is told to answer, if it is none of its own.
    answer: Option<Constant>,
    /// Where the binaries are.
    shelf: PathBuf,
    /// Where tests run, once they are built: nothing that one writes is there for the next.
    rooms: Option<Rooms<'a>>,
    /// Judged files that a test has written over in its room.
    spoilt: BTreeSet<String>,
    said: Vec<u8>,
    /// The build, which comes before all tests.
    first: Vec<String>,
    /// Of all its processes.
    refused: Refusals,
    /// Did a test try to reach something, and not only the build?
    reached_out: bool,
    unrecorded: Option<String>,
}

/// Builds the suite and runs it. The error says why it could not be run.
pub(super) fn run(
    context: &Context,
    order: &GateOrder,
    laid: &Laid,
    expect: Expect,
    cancel: &Cancel,
) -> Result<(CheckResult, TestRun), Broke> {
    let mut running = Running::new(context, order, laid, cancel)?;
    let before = tree(&laid.top).map_err(could_not)?;
    let run = running.suite()?;
    let after = tree(&laid.top).map_err(could_not)?;
    let spoilt = before
        .files
        .iter()
        .filter(|(path, hash)| after.files.get(*path) != Some(*hash))
        .map(|(path, _)| path.as_str());
    let spoilt: BTreeSet<&str> = spoilt
        .chain(running.spoilt.iter().map(String::as_str))
        .collect();
    let exit = i32::from(run.count(Status::Failed) > 0);
    let ending = run.ending(Some(exit));
    let wanted = match expect {
        Expect::Green => Ending::Green,
        Expect::Red => Ending::Red,
    };
    let (verdict, reason) = if !spoilt.is_empty() {
        let paths = spoilt.into_iter().collect::<Vec<_>>().join(", ");
        let reason = format!("the tests changed the tree that they judge: {paths}");
        (Verdict::Fail, reason)
    } else if ending == wanted {
        let reason = format!("{}: {}", ending.as_str(), run.summary());
        (Verdict::Pass, reason)
    } else {
        let mut reason = contradiction(&run, ending);
        if !running.stopped.is_empty() {
            reason = format!("{reason}; {}", running.stopped.join("; "));
        }
        (Verdict::Fail, reason)
    };
    let mut result = CheckResult::new("tests", verdict, reason);
    let results = serde_json::to_vec(&run).map_err(could_not)?;
    for (name, bytes) in [("output of suite", &running.said), (RESULTS, &results)] {
        let kept = context.keep(name, bytes).map_err(could_not)?;
        result.evidence.push(kept);
    }
    result
        .shows
        .extend(running.reached_out.then(|| Word::from(REACHED_OUT)));
    let refused = std::mem::take(&mut running.refused).list();
    result.ran = Some(Ran {
        argv: std::mem::take(&mut running.first),
        // No one of its processes speaks for all.
        exit: None,
        killed: None,
        tree: before.hash,
        output: result.evidence[0].hash.clone(),
        millis: u64::try_from(running.began.elapsed().as_millis()).unwrap_or(u64::MAX),
        denied: refused.iter().map(ToString::to_string).collect(),
        unrecorded: running.unrecorded,
    });
    Ok((result, run))
}

/// Runs the suite once with each constant answer of a module that is laid out so. Nothing, if it can
/// not be built: its types were not read well enough, which is our fault.
pub(in crate::factory) fn with_constants(
    context: &Context,
    order: &GateOrder,
    laid: &Laid,
    cancel: &Cancel,
) -> Result<Option<Answered>, Broke> {
    let mut running = Running::new(context, order, laid, cancel)?;
    let binaries = match running.build()? {
        Ok(binaries) => binaries,
        Err(_) => return Ok(None),
    };
    let lists = running.lists(&binaries)?;
    let mut runs = BTreeMap::new();
    for constant in Constant::of(laid.language) {
        (running.answer, running.began) = (Some(constant), Instant::now());
        // A test that waits for a better answer may wait for ever.
        running.wall = running.wall.min(ANSWERED);
        runs.insert(constant, running.tests(&binaries, &lists)?);
    }
    let kept = context.keep("output of suite with constant answers", &running.said);
    Ok(Some((runs, vec![kept.map_err(could_not)?])))
}

/// Why the suite is not what was expected.
fn contradiction(run: &TestRun, ending: Ending) -> String {
    let faults: Vec<&str> = run.faults.iter().map(|fault| fault.what.as_str()).collect();
    let failed = run.with(Status::Failed).map(|test| test.name.as_str());
    let failed: Vec<&str> = failed.take(5).collect();
    match ending {
        Ending::Green => format!("{} and must be red", run.summary()),
        Ending::Red => format!("{}: {}", run.summary(), failed.join(", ")),
        Ending::NoTests if faults.is_empty() => format!("no test ran ({})", run.summary()),
        _ => format!("{}: {}", ending.as_str(), faults.join("; ")),
    }
}

impl<'a> Running<'a> {
    fn new(
        context: &'a Context,
        order: &'a GateOrder,
        laid: &'a Laid,
        cancel: &'a Cancel,
    ) -> Result<Self, Broke> {
        let shelf = context.home(order.id).join("binaries");
        std::fs::create_dir_all(&shelf).map_err(could_not)?;
        Ok(Self {
            context,
            order,
            laid,
            cancel,
            began: Instant::now(),
            wall: Duration::from_millis(order.wall_millis),
            until: None,
            stopped: Vec::new(),
            answer: None,
            shelf,
            rooms: None,
            spoilt: BTreeSet::new(),
            said: Vec::new(),
            first: Vec::new(),
            refused: Refusals::default(),
            reached_out: false,
            unrecorded: None,
        })
    }

    fn suite(&mut self) -> Result<TestRun, Broke> {
        let binaries = match self.build()? {
            Ok(binaries) => binaries,
            Err(fault) => return Ok(of(Vec::new(), vec![fault])),
        };
        let limit = limit(self.context).map_err(could_not)?;
        self.until = limit.map(|limit| Instant::now() + limit);
        // All lists come before all tests: no test can have a say in them.
        let lists = self.lists(&binaries)?;
        self.tests(&binaries, &lists)
    }

    /// The names of all tests and of those that are ignored, for each binary.
    fn lists(&mut self, binaries: &[Binary]) -> Result<Vec<(List, List)>, Broke> {
        let mut lists = Vec::new();
        for binary in binaries {
            let all = self.list(binary, &[])?;
            lists.push((all, self.list(binary, &["--ignored"])?));
        }
        Ok(lists)
    }

    fn tests(&mut self, binaries: &[Binary], lists: &[(List, List)]) -> Result<TestRun, Broke> {
        let (mut tests, mut faults) = (Vec::new(), Vec::new());
        for (binary, lists) in binaries.iter().zip(lists) {
            let (all, ignored) = match lists {
                (Ok(all), Ok(ignored)) => (all, ignored),
                (Err(fault), _) | (_, Err(fault)) => {
                    faults.push(fault.clone());
                    continue;
                }
            };
            for test in all {
                let mut result = TestResult {
                    name: format!("{}::{test}", binary.name),
                    file: Some(binary.file.clone()),
                    status: Status::Skipped,
                    message: None,
                };
                if !ignored.contains(test) && self.left().is_zero() {
                    // One test that hangs takes nothing from what the others have shown.
                    let (status, message, fault) = not_run(&result.name);
                    (result.status, result.message) = (status, message);
                    faults.push(fault);
                } else if !ignored.contains(test) {
                    let ended = self.start(&binary.path, &["--exact", test])?;
                    let (status, message, fault) =
                        judge(&result.name, ended.exit, ended.killed, &ended.stdout);
                    (result.status, result.message) = (status, message);
                    faults.extend(fault);
                    let killed = ended.killed.map(|why| format!("`{}`: {why}", result.name));
                    self.stopped.extend(killed);
                }
                tests.push(result);
            }
        }
        Ok(of(tests, faults))
    }

    /// The test binaries, put where no test can write; or what is wrong with the build.
    fn build(&mut self) -> Result<Result<Vec<Binary>, Fault>, Broke> {
        let arguments = [
            "test",
            "--offline",
            "--no-run",
            "--message-format=json-render-diagnostics",
        ];
        let ended = self.start(Path::new("cargo"), &arguments)?;
        let said = String::from_utf8_lossy(&ended.stderr);
        if let Some(killed) = ended.killed {
            let what = format!("the build was {killed}");
            return Ok(Err(fault(FaultKind::NotBuilt, what)));
        }
        if ended.exit != Some(0) {
            let mut lines = said.lines();
            let error = lines
                .find(|line| line.starts_with("error: ") || line.starts_with("error["))
                .or_else(|| said.lines().rfind(|line| !line.trim().is_empty()));
            let what = shorten(error.unwrap_or("the build failed and said nothing"));
            return Ok(Err(fault(FaultKind::NotBuilt, what)));
        }
        if ended.truncated {
            return Err(could_not("the build says more than anybody can read"));
        }
        let built = binaries(&String::from_utf8_lossy(&ended.stdout));
        if built.is_empty() {
            let what = "the build names no test binary".to_owned();
            return Ok(Err(fault(FaultKind::Unreadable, what)));
        }
        let mut shelved = Vec::new();
        for (at, (name, file, from)) in built.into_iter().enumerate() {
            let path = self.shelf.join(format!("{at}-{name}"));
            // Moved, not copied: a program that we have just written may be busy, because what
            // another task starts at that moment still holds our file open for writing.
            if std::fs::rename(&from, &path).is_err() {
                std::fs::copy(&from, &path).map_err(could_not)?;
            }
            shelved.push(Binary { name, file, path });
        }
        let top = &self.laid.top;
        let now = tree(top).map_err(could_not)?;
        let scratch = self.context.home(self.order.id);
        let settings = &self.context.rooms;
        self.rooms = Some(Rooms::over_folder(top, settings, &scratch, now));
        Ok(Ok(shelved))
    }

    /// The names; or that there is no list, which is the binary's fault.
    fn list(&mut self, binary: &Binary, more: &[&str]) -> Result<List, Broke> {
        let no = |why: &str| {
            let what = format!("`{}` does not list its tests{why}", binary.name);
            Ok(Err(fault(FaultKind::Unreadable, what)))
        };
        if self.left().is_zero() {
            return no(&format!(" ({OUT_OF_TIME})"));
        }
        let mut arguments = vec!["--list", "--format", "terse"];
        arguments.extend(more);
        let ended = self.start(&binary.path, &arguments)?;
        if ended.exit != Some(0) || ended.truncated {
            return no("");
        }
        Ok(Ok(listed(&String::from_utf8_lossy(&ended.stdout))))
    }

    /// Of the time that the ship waits, and of the tests' own.
    fn left(&self) -> Duration {
        let whole = self.wall.saturating_sub(self.began.elapsed());
        match self.until {
            Some(until) => whole.min(until.saturating_duration_since(Instant::now())),
            None => whole,
        }
    }

    /// One process, confined, with what it said on record.
    fn start(&mut self, program: &Path, arguments: &[&str]) -> Result<Ended, Broke> {
        let limits = Limits {
            // Whoever looked has seen some left.
            wall: self.left().max(Duration::from_millis(1)),
            idle: None,
            output_bytes: OUTPUT,
        };
        let mut argv = vec![program.display().to_string()];
        argv.extend(arguments.iter().map(|one| (*one).to_owned()));
        let top = &self.laid.top;
        let mut launch = Launch::new(argv, top, self.context.env.clone(), limits);
        let mut policy = self.context.reach.scratch(top);
        policy.read.push(self.shelf.clone());
        // As cargo gives it to tests, which find their data by it.
        let own = "CARGO_MANIFEST_DIR".to_owned();
        if let Some(names) = &mut policy.environment {
            names.insert(own.clone());
        }
        launch.env.insert(own, top.display().to_string());
        if let Some(answer) = self.answer {
            if let Some(names) = &mut policy.environment {
                names.insert(ANSWER.to_owned());
            }
            launch
                .env
                .insert(ANSWER.to_owned(), answer.as_str().to_owned());
        }
        launch.policy = Some(policy);
        launch.pid_file = Some(self.context.home(self.order.id).join("pid"));
        let missing = |error: LaunchError| {
            let what = format!("a module in Rust needs `cargo`: {error}; install the program");
            not_started(&error, what)
        };
        // The build leaves what the tests are; from then on nothing that is run leaves anything.
        let ended = match &self.rooms {
            None => sandbox::run(&launch, self.cancel).map_err(missing)?,
            Some(rooms) => {
                let in_room = rooms
                    .run(&launch, self.cancel)
                    .map_err(|error| match error {
                        RoomError::NotStarted(error) => missing(error),
                        RoomError::NoRoom(error) => could_not(error),
                    })?;
                self.spoilt.extend(in_room.changed);
                in_room.ended
            }
        };
        self.reached_out |= self.rooms.is_some() && !ended.denied.is_empty();
        self.refused.add_all(&ended.denied);
        if self.unrecorded.is_none() {
            self.unrecorded.clone_from(&ended.unrecorded);
        }
        if self.first.is_empty() {
            self.first.clone_from(&launch.argv);
        }
        let head = format!(
            "$ {} (exit {:?}, signal {:?})\n",
            launch.argv.join(" "),
            ended.exit,
            ended.signal
        );
        record(&mut self.said, head.as_bytes());
        record(&mut self.said, &ended.output);
        if ended.survivors > 0 {
            let why = format!("{} processes of the tests do not die", ended.survivors);
            return Err(could_not(why));
        }
        match ended.killed {
            Some(killed @ Killed::Cancelled) => Err(could_not(killed)),
            _ => Ok(ended),
        }
    }
}

/// What was said, up to a length that can be kept.
fn record(said: &mut Vec<u8>, more: &[u8]) {
    let room = SAID.saturating_sub(said.len());
    said.extend(&more[..more.len().min(room)]);
    if room > 0 && more.len() >= room {
        said.extend(b"\n(what follows is left out)\n");
    }
}

fn not_run(name: &str) -> (Status, Option<String>, Fault) {
    let what = format!("`{name}` was {OUT_OF_TIME}");
    let fault = fault(FaultKind::Incomplete, what);
    (Status::Failed, Some(OUT_OF_TIME.to_owned()), fault)
}

/// What a test's own process says of it: its exit code first, and then whether the framework came
/// to its end, by its standard output alone.
fn judge(
    name: &str,
    exit: Option<i32>,
    killed: Option<Killed>,
    output: &[u8],
) -> (Status, Option<String>, Option<Fault>) {
    let text = String::from_utf8_lossy(output);
    if let Some(killed) = killed {
        return (Status::Failed, Some(killed.to_string()), None);
    }
    let summed = |words: &str| text.lines().any(|line| line.starts_with(words));
    let early = |how: String| {
        let what = format!("`{name}` {how}: it ended before the framework could sum up");
        Some(fault(FaultKind::Incomplete, what))
    };
    match exit {
        Some(0) if summed("test result: ok. 1 passed; 0 failed; 0 ignored;") => {
            (Status::Passed, None, None)
        }
        Some(0) => (Status::Failed, None, early("ended with the code 0".into())),
        _ => {
            let lines = text.lines().map(str::trim);
            let said = lines.filter(|line| !line.is_empty());
            let said: Vec<&str> = said.skip_while(|line| !line.starts_with("----")).collect();
            (Status::Failed, Some(shorten(&said.join(" "))), None)
        }
    }
}

fn of(mut tests: Vec<TestResult>, faults: Vec<Fault>) -> TestRun {
    tests.sort_by(|left, right| left.name.cmp(&right.name));
    TestRun { tests, faults }
}

fn fault(kind: FaultKind, what: String) -> Fault {
    Fault {
        kind,
        what,
        missing: Vec::new(),
    }
}

fn shorten(text: &str) -> String {
    text.chars().take(MESSAGE).collect()
}

/// Name, source and place of each test binary that cargo says it has built.
fn binaries(text: &str) -> Vec<(String, String, PathBuf)> {
    let messages = text
        .lines()
        .filter_map(|line| serde_json::from_str(line).ok());
    let built = messages.filter_map(|message: Value| {
        let artifact = message["reason"] == "compiler-artifact";
        let tests = artifact && message["profile"]["test"] == true;
        let path = message["executable"].as_str().filter(|_| tests)?;
        let target = &message["target"];
        let source = Path::new(target["src_path"].as_str()?);
        let file = source.file_name()?.to_string_lossy();
        Some((
            target["name"].as_str()?.to_owned(),
            format!("tests/{file}"),
            PathBuf::from(path),
        ))
    });
    built.collect()
}

/// The names of a list: `happy_path: test`.
fn listed(text: &str) -> Vec<String> {
    let names = text.lines().filter_map(|line| line.strip_suffix(": test"));
    names.map(str::to_owned).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn binaries_are_those_that_cargo_built_for_tests() {
        let text = r#"{"reason":"compiler-artifact","target":{"name":"mm_moment","src_path":"/x/implementation/lib.rs"},"profile":{"test":false},"executable":null}
not json
{"reason":"compiler-artifact","target":{"name":"lines","src_path":"/x/tests/lines.rs"},"profile":{"test":true},"executable":"/x/target/debug/deps/lines-1"}
{"reason":"build-finished","success":true}"#;
        let path = PathBuf::from("/x/target/debug/deps/lines-1");
        let wanted = ("lines".to_owned(), "tests/lines.rs".to_owned(), path);
        assert_eq!(binaries(text), [wanted]);
        assert_eq!(
            listed("a::b: test\nmeasure: bench\n\nc: test\n"),
            ["a::b", "c"]
        );
    }

    #[test]
    fn what_had_no_time_failed_and_what_is_said_has_an_end() {
        let (status, message, fault) = not_run("lines::a");
        assert_eq!(status, Status::Failed);
        assert_eq!(message.as_deref(), Some("not run: out of time"));
        assert_eq!(fault.kind, FaultKind::Incomplete);
        let mut said = Vec::new();
        record(&mut said, b"one\n");
        for _ in 0..40 {
            record(&mut said, &vec![b'x'; OUTPUT]);
        }
        assert!(said.starts_with(b"one\nx") && said.ends_with(b"left out)\n"));
        assert!(said.len() < SAID + 100, "{}", said.len());
    }

    #[test]
    fn a_test_passes_by_its_own_exit_code_and_to_its_end() {
        let ok = "running 1 test\ntest a ... ok\n\ntest result: ok. 1 passed; 0 failed; 0 ignored; 0 measured; 3 filtered out; finished in 0.00s\n";
        let status = |exit, output: &str| {
            let (status, _, fault) = judge("lines::a", exit, None, output.as_bytes());
            (status, fault.map(|fault| fault.kind))
        };
        assert_eq!(status(Some(0), ok), (Status::Passed, None));
        // Whatever it printed, it says itself that it failed.
        assert_eq!(status(Some(101), ok), (Status::Failed, None));
        assert_eq!(status(None, ok), (Status::Failed, None));
        let early = (Status::Failed, Some(FaultKind::Incomplete));
        assert_eq!(status(Some(0), "running 1 test\n"), early);
        let none = "running 0 tests\n\ntest result: ok. 0 passed; 0 failed; 0 ignored; 0 measured; 4 filtered out\n";
        assert_eq!(status(Some(0), none), early);
    }
}

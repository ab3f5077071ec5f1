//! Controls: a suite that could not have failed proves nothing, so whoever believes one asks it first
//! whether it can. Canaries (tests of ours) must end as we say, copies of the change's own tests with an
//! assertion turned round must fail, an edit without effect must change nothing, and a function of the
//! change that always gives the same answer must be noticed.
//!
//! What a suite says is still what a process says about itself: `docs/proof.md` says what that is worth.

mod again;
mod answered;
mod as_they_were;
mod files;
mod judged;
mod little;
mod mutate;
mod plan;
mod seen;
mod unshown;
pub(crate) mod whole;
mod written;

use crate::Subject;
use crate::checks::suite::instrument::{Instrument, Shown};
use crate::error::Error;
use crate::room::Room;
use crate::settings::{Choice, Words};
use crate::text::{answer, first_few, reword, several_lines};
use again::Past;
pub(crate) use files::{File, Files};
use kernel::Word;
use kernel::outcome::{CheckResult, Verdict, Worth};
use languages::runners::{Ending, Runner, TestRun};
use plan::{Order, Plan};
pub(crate) use seen::differing;
use seen::{Reached, Tried};
use serde_json::json;
use std::collections::BTreeSet;
use std::io::Read;
use std::time::{Duration, Instant};

/// A control ended in another way than it must.
pub(crate) const BROKEN: &str = "instrument_broken";
/// Tests end otherwise in two runs of one tree: nobody has bent them, and nothing is shown by them.
pub(crate) const FLAKY: &str = "flaky";
/// How often is looked before something is called steady.
pub(crate) const LOOKS: usize = 4;
/// A body that always gives the same answer passes every test.
const SURVIVED: &str = "mutant_survived";

/// What a suite shows that would pass on other code: its tests are to be mended, not the code.
const TOO_WEAK: &str = "survived";
/// Small mutants that no test notices, and of which nobody says why.
const UNANSWERED: &str = "mutant_unanswered";
/// What a suite shows that leaves such mutants: whoever judges has to look.
const OPEN: &str = "unanswered";
/// Its name among the evidence.
const KEPT: &str = "controls";

/// Why there are no controls for a command of which we do not know what it does.
const UNKNOWN: &str = "an exit code is all that there is, or a report of its own making";

/// Endings of the sources of which there are mutants.
const OF_PYTHON: &[&str] = &[".py"];
const OF_RUST: &[&str] = &[".rs"];
const OF_NODE: &[&str] = &[".js", ".mjs", ".cjs"];

/// Must a suite show that it could have failed?
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Controls {
    On,
    /// And where nothing at all was mutated, little is shown.
    Mutated,
    /// And of small mutants that no test notices somebody has to say why.
    Answered,
    /// Both.
    MutatedAndAnswered,
    Off,
}

impl Words for Controls {
    const WORDS: &'static [(&'static str, Self)] = &[
        ("on", Self::On),
        ("mutated", Self::Mutated),
        ("answered", Self::Answered),
        ("mutated_and_answered", Self::MutatedAndAnswered),
        ("off", Self::Off),
    ];
}

impl Controls {
    /// As a setting of a check says it.
    pub(crate) fn asked(set: Option<Choice<Self>>) -> bool {
        Self::of(set) != Self::Off
    }

    pub(crate) fn of(set: Option<Choice<Self>>) -> Self {
        set.map_or(Self::Off, |set| *set)
    }

    /// Has somebody to answer for small mutants?
    fn are_answered(self) -> bool {
        match self {
            Self::Answered | Self::MutatedAndAnswered => true,
            Self::On | Self::Mutated | Self::Off => false,
        }
    }

    /// Is little shown where nothing was mutated?
    fn need_mutants(self) -> bool {
        match self {
            Self::Mutated | Self::MutatedAndAnswered => true,
            Self::On | Self::Answered | Self::Off => false,
        }
    }
}

/// What the change is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Purpose {
    /// Something behaves otherwise, and tests of the change show it.
    Behaviour,
    /// Nothing does, and the tests that are there must be able to tell.
    Refactoring,
    /// Nobody said. What tests reach they must be able to tell; what none reaches is weakly shown.
    Unsaid,
}

/// A suite that was green on a candidate.
pub(crate) struct Control<'a> {
    pub(crate) subject: &'a Subject<'a>,
    pub(crate) instrument: &'a Instrument,
    /// What it showed.
    pub(crate) first: &'a TestRun,
    pub(crate) millis: u64,
    pub(crate) files: &'a Files,
    pub(crate) purpose: Purpose,
    /// The tests that came with the change, by name; none: whoever passes and did not before.
    pub(crate) own: Option<BTreeSet<String>>,
    pub(crate) controls: Controls,
    /// A new room with the candidate, and one with the code before.
    pub(crate) candidate: &'a dyn Fn() -> Result<Room, Error>,
    pub(crate) base: &'a dyn Fn() -> Result<Room, Error>,
}

/// A source of the change in which one function always does the same.
pub(crate) struct Altered {
    pub(crate) path: String,
    pub(crate) text: String,
}

/// Mutants of the changed sources in Python, for whoever asks a product and has no suite. At most so many.
pub(crate) fn altered(
    subject: &Subject<'_>,
    room: &Room,
    files: &Files,
    (seed, most): (&str, usize),
) -> Result<Vec<Altered>, Error> {
    let order = Order::of(seed, files, &[".py"], Some(most));
    if order.code.is_empty() {
        return Ok(Vec::new());
    }
    let plan = Plan::python(subject, room, &order)?;
    let each = plan.constants.into_iter();
    Ok(each
        .map(|mutant| Altered {
            path: mutant.path,
            text: mutant.text,
        })
        .collect())
}

/// What came of the controls.
#[derive(Debug)]
enum Found {
    /// All of them ended as they must.
    Held(String),
    /// They could not be tried, or do not work on the code before either.
    Weak(String),
    Broken(Vec<String>),
    /// Controls, or what they look at, end otherwise from run to run.
    Flaky(Vec<String>),
    Survived(Vec<String>),
    /// Small mutants of which nobody says why they make no difference.
    Unanswered(Vec<String>),
}

/// Everything that was tried, for the evidence.
#[derive(Debug, Default)]
struct Record {
    seed: String,
    mutants: Vec<Tried>,
    told: Vec<String>,
    /// By the bound in number, and for want of time.
    left_out: usize,
    out_of_time: usize,
    /// Names for what may be called, and has no mutants.
    unmutated: Vec<String>,
}

impl Control<'_> {
    /// Tries the controls. An error of ours makes the evidence weak, and accuses nobody.
    pub(crate) fn result(&self, name: &str) -> CheckResult {
        let started = Instant::now();
        let mut record = Record::default();
        let past = self.past(name);
        let found = match self.found(&past, &mut record) {
            Ok(found) => found,
            Err(why) => Found::Weak(format!("the controls could not be tried: {why}")),
        };
        let millis = u64::try_from(started.elapsed().as_millis()).unwrap_or(u64::MAX);
        let mut result = match &found {
            Found::Held(how) => answer(name, Verdict::Pass, how),
            Found::Weak(why) => answer(name, Verdict::Pass, format!("weak: {why}")),
            Found::Broken(seen) => {
                let reason = format!(
                    "the suite cannot be believed: {}; what runs while it runs must leave the test runner alone",
                    first_few(seen, 3)
                );
                refused(name, BROKEN, &reason, seen)
            }
            Found::Flaky(seen) => {
                let reason = flaky(seen);
                refused(name, FLAKY, &reason, seen)
            }
            Found::Survived(which) => {
                let reason = format!(
                    "the tests would pass all the same: {}; add a test that tells it from the real one, such as a second input with another answer",
                    first_few(which, 3)
                );
                refused(name, SURVIVED, &reason, which)
            }
            Found::Unanswered(which) => {
                let reason = format!(
                    "no test notices {}; either a new test does, or whoever judges has in `answers` the name of each with `{}` and, as `evidence`, why it makes no difference",
                    which.join("; "),
                    answered::EQUIVALENT
                );
                refused(name, UNANSWERED, &reason, which)
            }
        };
        result.shows.extend(match &found {
            Found::Held(_) => Some(Word::from(Worth::Reported.as_str())),
            Found::Weak(_) => Some(Word::from(Worth::Weak.as_str())),
            Found::Survived(_) => Some(Word::from(TOO_WEAK)),
            Found::Unanswered(_) => Some(Word::from(OPEN)),
            Found::Broken(_) | Found::Flaky(_) => None,
        });
        if !record.told.is_empty() && result.verdict == Verdict::Pass {
            result.details = several_lines(&record.told.join("\n"));
        }
        let kept = json!({
            "name": name, "seed": record.seed, "millis": millis, "suite_millis": self.millis,
            "mutants": record.mutants, "told": record.told, "left_out": record.left_out,
            "out_of_time": record.out_of_time, "tree": self.tree(), "most": self.subject.mutants,
        });
        if let Ok(kept) = self.subject.keep.keep(KEPT, kept.to_string().as_bytes()) {
            result.evidence.push(kept);
        }
        result
    }

    fn found(&self, past: &Past, record: &mut Record) -> Result<Found, Error> {
        let Some(runner) = self.instrument.runner() else {
            return Ok(Found::Weak(UNKNOWN.to_owned()));
        };
        if let Some(found) = self.as_they_were(runner)? {
            return Ok(found);
        }
        // Names of ours are new at every look; what is chosen is not.
        let token = seed()?;
        let seed = past.seed.clone().unwrap_or_else(|| token.clone());
        record.seed.clone_from(&seed);
        let order = |files: &Files, endings| Order {
            token: format!("c{token}"),
            again: past.survivors(),
            unlike: self.controls.need_mutants(),
            ..Order::of(&seed, files, endings, self.subject.mutants)
        };
        let room = (self.candidate)()?;
        let plan = match runner {
            Runner::Pytest | Runner::Unittest => {
                // A helper beside the tests is collected by nobody, and no canary sings in it.
                let files = Files {
                    tests: seen::reported(self.first, &self.files.tests),
                    code: self.files.code.clone(),
                };
                Plan::python(self.subject, &room, &order(&files, OF_PYTHON))?
            }
            _ => match written::canaries(runner, &token, self.files) {
                Some(mut plan) => {
                    match runner {
                        Runner::Cargo => {
                            written::add_mutants(&mut plan, &order(self.files, OF_RUST))
                        }
                        Runner::Node => {
                            written::add_constants(&mut plan, &order(self.files, OF_NODE));
                        }
                        _ => {}
                    }
                    plan
                }
                None => {
                    let name = runner.name();
                    return Ok(Found::Weak(format!("there are no controls for {name} yet")));
                }
            },
        };
        if plan.tests.is_empty() {
            let why = match plan.faults.is_empty() {
                true => "none was found".to_owned(),
                false => first_few(&plan.faults, 2),
            };
            return Ok(Found::Weak(format!(
                "no control can be put into a test file: {why}"
            )));
        }
        record.left_out = plan.left_out;
        self.tried(&room, plan, (past, record))
    }

    /// What is judged, and what decides it: the whole tree, as a hash.
    fn tree(&self) -> Option<String> {
        self.subject.tree().ok().map(|tree| tree.hash)
    }

    /// What was seen the last time, if there was one.
    fn past(&self, name: &str) -> Past {
        let earlier = self.subject.earlier(KEPT).unwrap_or_default();
        let tree = self.tree();
        Past::of(&earlier, name, (tree.as_deref(), self.subject.mutants))
    }

    fn tried(
        &self,
        room: &Room,
        mut plan: Plan,
        (past, record): (&Past, &mut Record),
    ) -> Result<Found, Error> {
        plan.lay_canaries(room)?;
        plan.lay_placebos(room)?;
        let mut control = self.look(room)?;
        let differing = |shown: &Shown| seen::differing(self.first, &shown.run).len();
        // Tests that share what they change are others beside copies of each other.
        let disturbed = differing(&control);
        if let Some(alone) = plan.without_copies().filter(|_| disturbed > 0) {
            let copied = std::mem::replace(&mut plan.tests, alone);
            plan.lay_canaries(room)?;
            let calm = self.look(room)?;
            if differing(&calm) < disturbed {
                control = calm;
                let why = "none was turned round: beside copies of each other the tests say something else";
                record.told.push(why.to_owned());
            } else {
                plan.tests = copied;
                plan.lay_canaries(room)?;
            }
        }
        // Without a standard library, say: the parser knows nothing of that. And a module that looks at
        // its own place is another one behind ours.
        let unlike = plan.wrapped && !seen::differing(self.first, &control.run).is_empty();
        let plain;
        let mut unmarked = None;
        let room = match (control.ending == Ending::NotBuilt || unlike) && plan.forget_mutants() {
            true => {
                plain = (self.candidate)()?;
                let why = "nothing of the change was mutated: it does not work with a mark in it";
                record.told.push(why.to_owned());
                unmarked = Some(why);
                plan.lay_canaries(&plain)?;
                control = self.look(&plain)?;
                &plain
            }
            false => room,
        };
        let reached = Reached::read(&control.reached);
        plan.keep_called(&|number| reached.has(number));
        record.unmutated = plan.without_values(&|number| reached.no_function(number));
        let plan = &plan;
        // The copy of a test that says something else here itself tells nothing of who judges.
        let wrong = seen::steadily_wrong(plan, self.first, &control.run);
        if !wrong.is_empty() {
            return self.alone(room, plan, wrong);
        }
        let mut unsteady = seen::differing(self.first, &control.run);
        let mut doubt = None;
        if !unsteady.is_empty() {
            // Once more with and without: who changes by itself is no sign of anything.
            let again = self.look(room)?;
            let plain = self.look(&(self.candidate)()?)?;
            let mut always = seen::differing(self.first, &again.run);
            let mut by_itself = seen::differing(self.first, &plain.run);
            let mut broken: Vec<String> = unsteady.intersection(&always).cloned().collect();
            for _ in 1..LOOKS {
                if !by_itself.is_empty() || broken.is_empty() {
                    break;
                }
                let differs = seen::differing(self.first, &self.look(room)?.run);
                broken.retain(|name| differs.contains(name));
                always.extend(differs);
                let plain = self.look(&(self.candidate)()?)?;
                by_itself.extend(seen::differing(self.first, &plain.run));
            }
            if by_itself.is_empty() && !broken.is_empty() {
                let remarked = (self.candidate)()?;
                self.remark(&remarked)?;
                let readers = seen::differing(self.first, &self.look(&remarked)?.run);
                broken.retain(|name| !readers.contains(name));
                if !broken.is_empty() {
                    let told = broken.iter().map(|name| {
                        format!(
                            "an edit without effect in the changed code changes what {name} says"
                        )
                    });
                    return Ok(Found::Broken(told.collect()));
                }
                let readers: Vec<&String> = unsteady.intersection(&readers).collect();
                doubt = Some(format!(
                    "a remark in the changed code changes what {} says: it reads the text of the code, or the code knows that it is looked at",
                    first_few(&readers, 3)
                ));
            }
            unsteady.extend(always);
            unsteady.extend(by_itself);
            let names: Vec<&String> = unsteady.iter().collect();
            let why = match doubt {
                Some(_) => "reads the text of the code",
                None => "flaky, from run to run",
            };
            record.told.push(format!(
                "{why}, and counts for nothing: {}",
                first_few(&names, 10)
            ));
        }
        self.try_mutants(room, plan, (&reached, &unsteady), (past, record))?;
        Ok(match unmarked {
            Some(why) => Found::Weak(why.to_owned()),
            None => match (self.judged(plan, &reached, record), self.asks_who_runs_it()) {
                (Found::Held(_), Some(path)) => Found::Weak(format!(
                    "the code asks how it is built or who runs it, or names what judges it, and may be another one elsewhere: {path}"
                )),
                (Found::Held(how), None) => match (self.unshown(plan, record)?, doubt) {
                    (Some(found), _) => found,
                    (None, Some(doubt)) => Found::Weak(doubt),
                    (None, None) => Found::Held(how),
                },
                (found, _) => found,
            },
        })
    }

    /// Puts a remark behind each changed source, longer than any line should be: nobody but who reads the text
    /// can tell.
    fn remark(&self, room: &Room) -> Result<(), Error> {
        for file in self.files.code.iter().filter(|file| file.changed) {
            let sign = match file.path.rsplit('.').next().unwrap_or_default() {
                "py" => "#",
                "rs" | "js" | "mjs" | "cjs" | "ts" | "mts" | "go" => "//",
                _ => continue,
            };
            let remark = "nothing of this is run. ".repeat(12);
            let text = format!("{}\n{sign} {}\n", file.now.trim_end(), remark.trim_end());
            room.put(&file.path, Some(&text))?;
        }
        Ok(())
    }

    /// Canaries went wrong: were they before the change, and are they every time, with placebos or without?
    fn alone(&self, marked: &Room, plan: &Plan, first: Vec<String>) -> Result<Found, Error> {
        let base = (self.base)()?;
        plan.lay_base(&base)?;
        // A folder of tests that the change made a package is one here, too: no canary is found in it else.
        for file in plan.packages() {
            if base.text(&file).is_none() && self.subject.tree()?.files.contains_key(&file) {
                base.put(&file, Some(""))?;
            }
        }
        let before = self.look(&base)?;
        if !seen::wrong_before(plan, &before.run).is_empty() {
            let why = first_few(&first, 2);
            return Ok(Found::Weak(format!(
                "controls do not work here, before the change either ({why})"
            )));
        }
        let plain = (self.candidate)()?;
        plan.lay_canaries(&plain)?;
        for room in [&plain, marked] {
            let mut wrong: Option<Vec<String>> = None;
            for _ in 0..LOOKS {
                let shown = self.look(room)?;
                let now = seen::steadily_wrong(plan, self.first, &shown.run);
                let wrong = wrong.get_or_insert_with(|| now.clone());
                wrong.retain(|one| now.contains(one));
                if wrong.is_empty() {
                    break;
                }
            }
            if let Some(wrong) = wrong.filter(|wrong| !wrong.is_empty()) {
                return Ok(Found::Broken(wrong));
            }
        }
        Ok(Found::Flaky(first))
    }

    /// Runs the suite in a room, from scratch and for not much longer than it took before.
    fn look(&self, room: &Room) -> Result<Shown, Error> {
        self.look_by(room, self.instrument)
    }

    fn look_by(&self, room: &Room, instrument: &Instrument) -> Result<Shown, Error> {
        room.forget_compiled()?;
        let wall = Duration::from_millis(self.millis) * 10 + Duration::from_secs(10);
        let subject = Subject {
            wall: self.subject.wall.min(wall),
            ..*self.subject
        };
        let shown = room.inside(&subject, |inside| instrument.show(inside, Instant::now()))?;
        Ok(seen::forgiven(self.first, shown))
    }
}

/// Makes a pass worth less, and says why.
pub(crate) fn lessened(result: &mut CheckResult, why: &[String]) {
    if result.verdict != Verdict::Pass || why.is_empty() {
        return;
    }
    result.shows.remove(&Word::from(Worth::Reported.as_str()));
    result.shows.insert(Word::from(Worth::Weak.as_str()));
    let all = format!("weak: {}; {}", why.join("; "), result.reason);
    reword(result, all);
}

/// What is said of tests that end otherwise in two runs of one tree.
pub(crate) fn flaky<S: AsRef<str> + std::fmt::Display>(seen: &[S]) -> String {
    format!(
        "flaky: the same tree was run more than once and ended otherwise: {}; what tests ask must have the same answer every time",
        first_few(seen, 3)
    )
}

fn refused(name: &str, code: &str, reason: &str, all: &[String]) -> CheckResult {
    let mut result = answer(name, Verdict::Fail, reason);
    result.code = Some(code.to_owned());
    result.details = several_lines(&all.join("\n"));
    result
}

/// What names and choices follow from: nobody can know it before, and whoever has it gets the same.
pub(crate) fn seed() -> Result<String, Error> {
    let mut bytes = [0_u8; 8];
    let read = std::fs::File::open("/dev/urandom").and_then(|mut file| file.read_exact(&mut bytes));
    read.map_err(Error::undone("there is no randomness"))?;
    Ok(bytes.iter().map(|byte| format!("{byte:02x}")).collect())
}

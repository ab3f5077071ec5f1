//! `exam`: questions whose answers never enter the room. An examiner wrote them before the work, seeing
//! what is asked for and no code; the engine asks the product in a room without tests and compares
//! outside. What a suite reports can be forged by what it is about; this is observed.
//!
//! `written` tries the instrument, before anybody works: an exam that could not fail proves nothing.
//! `sat` asks. `docs/exam.md` has the words.

mod ask;
pub mod module;
mod mutated;
mod product;
mod round;
mod rust;

use crate::Subject;
use crate::checks::codes;
use crate::checks::controls::{Files, seed};
use crate::checks::tripwire::{Fixtures, untouched};
use crate::error::Error;
use crate::judge::{Answer as _, Judge};
use crate::readers::{hash, items, paths};
use crate::room::{Candidate, Room};
use crate::settings::{Choice, Items, Placed, SettingsError, Text, Texts, Words};
use crate::text::{answer, first_few, several_lines};
use ask::Sat;
use documents::refusals;
use globset::GlobSet;
pub use kernel::exam::paper::so_far;
use kernel::exam::paper::{Known, Paper};
use kernel::exam::{EXAM, Exam, LEAST_CASES};
use kernel::outcome::{CheckResult, Verdict};
use kernel::{StateName, Word};
use mutated::Noticed;
pub use product::{Heard, ask as ask_product};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// The engine saw it itself, from outside of what it judges.
const OBSERVED: &str = "observed";
/// The member of a sealed role's result that names what it handed in.
const SEALED: &str = "sealed";

/// An exam is written, or sat.
#[derive(Deserialize, JsonSchema)]
pub(crate) struct Sitting {
    /// `written`: the exam is tried before anybody works; `sat`: the product is asked; `untold`: is a
    /// case left that nobody was told?
    part: Choice<Part>,
    /// The role that wrote it; examiner.
    role: Option<Text>,
    /// `waived`: where none was written, a person has led past it; none: it cannot be sat.
    unwritten: Option<Choice<Unwritten>>,
    /// The state whose checkpoint is the code before; needed to ask.
    base: Option<Text>,
    /// Names of freezes that must be unchanged, among them what is installed; none: what is installed is
    /// taken as it lies beside the judged tree.
    frozen: Option<Texts>,
    /// Globs of test files, of which none is in the room; needed to ask.
    tests: Option<Items>,
    /// With `written`: the document with what is refused, each by a code that a case must ask for.
    codes_from: Option<Placed>,
    /// The heading over it, as for `codes`.
    reject: Option<Text>,
    /// The heading over the contract's errors, as for `codes`.
    errors: Option<Text>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Part {
    Written,
    Sat,
    Untold,
}

/// What it means that there is no exam.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Unwritten {
    /// No way but a person's leads here.
    Waived,
}

impl Words for Unwritten {
    const WORDS: &'static [(&'static str, Self)] = &[("waived", Self::Waived)];
}

impl Words for Part {
    const WORDS: &'static [(&'static str, Self)] = &[
        ("written", Self::Written),
        ("sat", Self::Sat),
        ("untold", Self::Untold),
    ];
}

/// Which product is asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Product {
    Before,
    Candidate,
}

type Judgement = Result<CheckResult, Box<CheckResult>>;

impl Judge for Sitting {
    const NAME: &'static str = "exam";
    type Answer = Vec<CheckResult>;

    fn lint(&self) -> Result<(), SettingsError> {
        let headings = [self.reject.is_some(), self.errors.is_some()];
        if headings != [self.codes_from.is_some(); 2] {
            return Self::refuse("takes `codes_from`, `reject` and `errors` together");
        }
        match *self.part {
            Part::Written | Part::Sat if self.base.is_none() || self.tests.is_none() => {
                Self::refuse("needs `base` and `tests` to make a room")
            }
            Part::Written | Part::Sat | Part::Untold => Ok(()),
        }
    }

    fn judge(&self, subject: &Subject<'_>) -> Vec<CheckResult> {
        let judged = match *self.part {
            Part::Written => self.written(subject),
            Part::Sat => self.sat(subject),
            Part::Untold => untold(subject),
        };
        vec![judged.unwrap_or_else(|refused| *refused)]
    }
}

impl Sitting {
    /// Can the exam fail? What cannot is thrown out, and what is left is sealed.
    fn written(&self, subject: &Subject<'_>) -> Judgement {
        let exam = self.handed_in(subject)?;
        let mut paper = last(subject).map_err(cannot)?.unwrap_or_default();
        let thrown_out = paper.take(&exam);
        let seed = seed().map_err(cannot)?;
        let ground = self.ground(subject)?;
        let room = || ground.room(subject, Product::Before);
        let asked: Vec<_> = paper.cases.iter().map(Known::asked).collect();
        let sat = ask::all(subject, &room, &asked, &seed).map_err(unasked)?;
        for known in &mut paper.cases {
            known.guard = known.failed(sat.answers.get(&known.name)).is_none();
        }
        let counted = paper.counted();
        let told = listed(&thrown_out);
        if counted.len() < LEAST_CASES {
            let guards = paper.cases.iter().filter(|one| one.guard);
            let guards: Vec<String> = guards.map(|one| one.name.clone()).collect();
            let held = match guards.is_empty() {
                true => String::new(),
                false => format!(" ({} hold there already)", first_few(&guards, 10)),
            };
            let reason = format!(
                "{} of {} cases fail on the code before, and at least {LEAST_CASES} must: ask for what is new{held}",
                counted.len(),
                exam.cases.len()
            );
            return Err(refused("exam_too_weak", &reason, &told));
        }
        if let Some(why) = paper.unnoticed(exam.driver) {
            let reason = format!(
                "the exam does not notice a wrong product: {why}; ask for other answers as well"
            );
            return Err(refused("exam_too_weak", &reason, &told));
        }
        let missing = self.unasked_codes(subject, &paper.cases).map_err(cannot)?;
        if !missing.is_empty() {
            let reason = format!(
                "no case must meet {}: ask for each refusal, and claim that it comes with its code or with what the contract says of it",
                first_few(&missing, 10)
            );
            return Err(refused("exam_too_weak", &reason, &told));
        }
        let failing = counted.iter().filter(|one| one.case.asks_for_a_failure());
        let (failing, counted) = (failing.count(), counted.len());
        let guards = paper.cases.len() - counted;
        let held = paper.hold_back(&mut |names| ask::shuffle(names, &seed));
        let mut reason = format!(
            "{counted} cases fail on the code before, as they must, and {failing} of them ask for a failure; {held} of them are held back for the last word; {guards} more guard what holds already; seed {seed}"
        );
        if !thrown_out.is_empty() {
            let names: Vec<String> = thrown_out
                .iter()
                .map(|(name, why)| format!("{name} ({why})"))
                .collect();
            reason.push_str(&format!("; thrown out: {}", first_few(&names, 4)));
        }
        let mut result = answer(Self::NAME, Verdict::Pass, reason);
        result.evidence.push(keep(&paper, subject).map_err(cannot)?);
        record(&mut result, subject, &seed, &sat)?;
        Ok(result)
    }

    /// The codes of the contract that no case asks for.
    fn unasked_codes(&self, subject: &Subject<'_>, fresh: &[Known]) -> Result<Vec<String>, Error> {
        let (Some(file), Some(reject), Some(errors)) =
            (&self.codes_from, &self.reject, &self.errors)
        else {
            return Ok(Vec::new());
        };
        let wanted = codes::refusals(subject, file, [reject, errors])?;
        let contract = paths::read(subject.place, file).map_err(Error::of(file))?;
        let cases = fresh.iter().map(|one| &one.case);
        Ok(refusals::unasked(&wanted, cases, &contract))
    }

    /// Asks the product: first what the builder may hear of, then the last word.
    fn sat(&self, subject: &Subject<'_>) -> Judgement {
        let Some(mut paper) = last(subject).map_err(cannot)? else {
            return match self.unwritten.map(|word| *word) {
                Some(Unwritten::Waived) => {
                    let reason = "no exam was written, and a person has led past it: nothing here is observed";
                    Ok(answer(Self::NAME, Verdict::Pass, reason))
                }
                None => Err(cannot("no exam was written")),
            };
        };
        let seed = seed().map_err(cannot)?;
        let ground = self.ground(subject)?;
        let room = || ground.room(subject, Product::Candidate);
        let open = asked(subject, &room, &paper.open(), &seed)?;
        if !open.failed.is_empty() {
            let reason = open.not_held();
            return told(subject, &mut paper, open, &seed, &reason);
        }
        if paper.held_back().is_empty() {
            // It may have been built for them.
            let reason = format!(
                "all {} cases hold, and all of them were told: nothing is observed by that",
                open.asked
            );
            let mut result = answer(Self::NAME, Verdict::Pass, reason);
            record(&mut result, subject, &seed, &open.sat)?;
            return Ok(result);
        }
        let last = asked(subject, &room, &paper.held_back(), &seed)?;
        if !last.failed.is_empty() {
            let reason = format!(
                "the {} cases that were told hold, and {} of the {} that were not do not: {}",
                open.asked,
                last.failed.len(),
                last.asked,
                first_few(&last.names(), 10)
            );
            // Who has had the last word is given new cases for the next.
            for known in &mut paper.cases {
                known.held_back = false;
            }
            return told(subject, &mut paper, last, &seed, &reason);
        }
        let mut reason = format!(
            "{} cases hold, {} of them never told to anybody; asked several times, each time in another order; seed {seed}",
            open.asked + last.asked,
            last.asked
        );
        // An error of ours takes nothing from what was seen.
        let noticed = ground.mutated(subject, &paper, &seed).ok().flatten();
        reason.extend(noticed.iter().map(|came| format!("; {}", came.said())));
        let mut result = answer(Self::NAME, Verdict::Pass, reason);
        if noticed.is_none_or(|came| came.any()) {
            result.shows.insert(Word::from(OBSERVED));
        }
        let mut sat = open.sat;
        sat.answers.extend(last.sat.answers);
        record(&mut result, subject, &seed, &sat)?;
        Ok(result)
    }

    /// The exam that the role handed in; all that is wrong with it, if something is.
    fn handed_in(&self, subject: &Subject<'_>) -> Result<Exam, Box<CheckResult>> {
        let role = self.role.as_deref().unwrap_or("examiner");
        let none = || {
            let reason = format!("the result of `{role}` has no `{EXAM}`");
            refused("no_exam", &reason, "")
        };
        let handed_in = subject
            .results
            .get(role)
            .map(|result| &result.value[SEALED]);
        let Some(hash) = handed_in.and_then(Value::as_str) else {
            return Err(none());
        };
        let bytes = subject.keep.fetch(hash).map_err(cannot)?;
        let value: Value = serde_json::from_slice(&bytes).map_err(cannot)?;
        if value[EXAM].is_null() {
            return Err(none());
        }
        Exam::read(&value[EXAM]).map_err(|faults| {
            let told = faults.iter();
            let told: Vec<String> = told
                .map(|fault| format!("{}: {}", fault.place(), fault.what))
                .collect();
            let reason = format!("the exam cannot be read: {}", first_few(&told, 4));
            refused("bad_exam", &reason, &told.join("\n"))
        })
    }

    /// What rooms are made of.
    fn ground<'s>(&self, subject: &'s Subject<'_>) -> Result<Ground<'s>, Box<CheckResult>> {
        let names = self.frozen.as_ref();
        let frozen = names.map(|names| {
            untouched(names, subject, Fixtures::Open).map_err(|tripped| {
                let mut results = tripped.results(Self::NAME);
                Box::new(results.swap_remove(0))
            })
        });
        let frozen = frozen.transpose()?;
        let base = self.base.as_deref().unwrap_or_default();
        let commit = subject.commits.get(&StateName::from(base));
        let commit =
            commit.ok_or_else(|| cannot(format!("there is no checkpoint behind `{base}`")))?;
        let tests = self.tests.as_deref().unwrap_or_default();
        let tests = items::spelt_out(subject, tests).map_err(cannot)?;
        let tests = items::globs(&tests.inside).map_err(cannot)?;
        Ok(Ground {
            frozen,
            commit,
            tests,
        })
    }
}

/// What rooms are made of.
struct Ground<'s> {
    /// None: what is installed is taken as it lies beside the judged tree.
    frozen: Option<BTreeMap<String, String>>,
    /// The code before.
    commit: &'s str,
    tests: GlobSet,
}

impl Ground<'_> {
    /// A room with a product and without tests.
    fn room(&self, subject: &Subject<'_>, product: Product) -> Result<Room, Error> {
        let room = match (&self.frozen, product) {
            (None, Product::Before) => Room::as_before(subject, self.commit)?,
            (None, Product::Candidate) => Room::as_judged(subject)?,
            (Some(frozen), Product::Before) => Room::of(subject, self.commit, frozen)?,
            (Some(frozen), Product::Candidate) => {
                let room = Room::of(subject, self.commit, frozen)?;
                let everything = items::globs(&["repo/**"])?;
                let candidate = Candidate {
                    scope: &everything,
                    kept_out: &self.tests,
                    opened: &|_| false,
                };
                room.lay_in(subject, &candidate)?;
                room
            }
        };
        for path in room.names()? {
            if self.tests.is_match(format!("repo/{path}")) {
                room.put(&path, None)?;
            }
        }
        Ok(room)
    }
}

impl Ground<'_> {
    /// The cases on mutants of the product.
    fn mutated(
        &self,
        subject: &Subject<'_>,
        paper: &Paper,
        seed: &str,
    ) -> Result<Option<Noticed>, Error> {
        let before = self.room(subject, Product::Before)?;
        let is_test = |path: &str| Some(self.tests.is_match(format!("repo/{path}")));
        let files = Files::of(subject, &before, &is_test)?;
        let room = self.room(subject, Product::Candidate)?;
        let cases: Vec<&Known> = paper.cases.iter().collect();
        mutated::tried(subject, &room, &files, (&cases, seed))
    }
}

/// What came of asking some cases.
struct Came {
    sat: Sat,
    asked: usize,
    /// Those that do not hold, each with what the builder is told.
    failed: Vec<(String, String)>,
    /// The same for a person who has to say whether a case is right.
    cases: Vec<Value>,
}

impl Came {
    fn names(&self) -> Vec<String> {
        self.failed.iter().map(|(name, _)| name.clone()).collect()
    }

    /// What whoever builds is told of those that do not hold.
    fn stories(&self) -> String {
        let mut stories = self.sat.faults.clone();
        stories.dedup();
        stories.extend(self.failed.iter().map(|(_, story)| story.clone()));
        stories.join("\n")
    }

    /// Why an exam is not passed whose cases may be told.
    fn not_held(&self) -> String {
        let (failed, asked) = (self.failed.len(), self.asked);
        let names = first_few(&self.names(), 10);
        format!(
            "{failed} of {asked} cases do not hold: {names}; each is told once, with its clause"
        )
    }
}

fn asked(
    subject: &Subject<'_>,
    room: &ask::Rooms<'_>,
    cases: &[&Known],
    seed: &str,
) -> Result<Came, Box<CheckResult>> {
    let asked: Vec<_> = cases.iter().map(|known| known.asked()).collect();
    let sat = ask::all(subject, room, &asked, seed).map_err(unasked)?;
    let (mut failed, mut shown) = (Vec::new(), Vec::new());
    for known in cases {
        if let Some(answers) = known.failed(sat.answers.get(&known.name)) {
            failed.push((known.name.clone(), known.story(answers)));
            shown.push(known.for_a_person(answers));
        }
    }
    Ok(Came {
        sat,
        asked: cases.len(),
        failed,
        cases: shown,
    })
}

/// The exam of the run as it is now; none: nobody wrote one.
fn last(subject: &Subject<'_>) -> Result<Option<Paper>, Error> {
    let earlier = subject.earlier(EXAM)?;
    let Some(bytes) = earlier.last() else {
        return Ok(None);
    };
    let mut last: Paper = serde_json::from_slice(bytes)?;
    // A run that was over and was opened again: everybody can read its cases.
    if subject.keep.was_opened(&hash::bytes(bytes)) {
        last.cases.iter_mut().for_each(|one| one.told = true);
    }
    Ok(Some(last))
}

fn keep(paper: &Paper, subject: &Subject<'_>) -> Result<kernel::outcome::EvidenceRef, Error> {
    let kept = subject.keep.seal(EXAM, &serde_json::to_vec(paper)?);
    kept.map_err(Error::undone("the exam cannot be sealed"))
}

/// The builder hears what does not hold, and what was told is spent.
fn told(
    subject: &Subject<'_>,
    paper: &mut Paper,
    came: Came,
    seed: &str,
    reason: &str,
) -> Judgement {
    paper.tell(&came.names());
    let mut result = refused("exam_failed", reason, &came.stories());
    result.evidence.push(keep(paper, subject).map_err(cannot)?);
    record(&mut result, subject, seed, &came.sat)?;
    let shown = Value::from(came.cases).to_string();
    let shown = subject.keep.seal(kernel::exam::TOLD, shown.as_bytes());
    result.evidence.push(shown.map_err(cannot)?);
    Err(result)
}

/// Everything that was answered, under seal.
fn record(
    result: &mut CheckResult,
    subject: &Subject<'_>,
    seed: &str,
    sat: &Sat,
) -> Result<(), Box<CheckResult>> {
    let kept = json!({ "seed": seed, "answers": sat.answers, "faults": sat.faults }).to_string();
    let kept = subject.keep.seal(kernel::exam::ANSWERS, kept.as_bytes());
    let kept = kept.map_err(Error::undone("the answers cannot be sealed"));
    result.evidence.push(kept.map_err(cannot)?);
    Ok(())
}

fn listed(thrown_out: &[(String, String)]) -> String {
    let lines = thrown_out
        .iter()
        .map(|(name, why)| format!("{name} is thrown out: {why}"));
    lines.collect::<Vec<_>>().join("\n")
}

fn refused(code: &str, reason: &str, details: &str) -> Box<CheckResult> {
    let mut result = answer(Sitting::NAME, Verdict::Fail, reason);
    result.code = Some(code.to_owned());
    if !details.is_empty() {
        result.details = several_lines(details);
    }
    Box::new(result)
}

fn cannot(why: impl std::fmt::Display) -> Box<CheckResult> {
    Box::new(answer(Sitting::NAME, Verdict::CouldNotRun, why))
}

/// Is there a case for the last word? Where no exam was written, none is missed.
fn untold(subject: &Subject<'_>) -> Judgement {
    let Some(paper) = last(subject).map_err(cannot)? else {
        return Ok(answer(Sitting::NAME, Verdict::Pass, "no exam was written"));
    };
    let left = paper.held_back().len();
    if left == 0 {
        let reason = "every case was told to whoever builds: new ones are needed for the last word";
        return Err(refused("exam_used_up", reason, ""));
    }
    let reason = format!("{left} cases were told to nobody");
    Ok(answer(Sitting::NAME, Verdict::Pass, reason))
}

/// The product could not be asked at all.
fn unasked(why: Error) -> Box<CheckResult> {
    let mut result = cannot(why);
    result.code = Some("exam_unasked".to_owned());
    result
}

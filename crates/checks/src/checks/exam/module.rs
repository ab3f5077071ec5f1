//! The exam of one module by itself: nothing was there before it, its contract names no function, and the
//! tree that is judged is the module laid out without its tests. Whoever lays it out says what its code
//! calls the modes of the contract; how it is asked is what the check `exam` does.

use super::ask::{self, Sat};
use super::{Came, asked, cannot, listed, record};
use crate::Subject;
use crate::checks::controls::seed;
use crate::error::Error;
use crate::room::Room;
use crate::text::{answer, first_few, several_lines};
use kernel::Word;
use kernel::exam::paper::{Known, Paper};
use kernel::exam::{Driver, EXAM, Exam, LEAST_CASES, Relation, TOLD};
use kernel::outcome::{CheckResult, EvidenceRef, Verdict};
use serde::Deserialize;
use serde_json::Value;
use std::collections::BTreeMap;

/// What an examiner calls the module by, before its mode.
const MODULE: &str = "module:";

/// What is known of the exam, as the machine remembers it.
#[derive(Debug, Clone, Default, Deserialize)]
pub struct OfModule {
    /// What the examiner handed in, by its hash under seal.
    #[serde(default)]
    pub handed_in: Option<String>,
    /// The exam as it is now, by its hash under seal.
    #[serde(default)]
    pub paper: Option<String>,
    /// Why there is none.
    #[serde(default)]
    pub unasked: Option<String>,
    /// Who takes the module although cases do not hold.
    #[serde(default)]
    pub waived: Option<String>,
    /// The names of the contract's errors.
    #[serde(default)]
    pub errors: Vec<String>,
    /// Its modes; none: nobody says.
    #[serde(default)]
    pub modes: Vec<String>,
    /// The names of its inputs, in order; absent: nobody says.
    #[serde(default)]
    pub inputs: Option<Vec<String>>,
}

/// Which cases are asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Asks {
    /// Those that may be told.
    Open,
    /// All of them: the last word.
    All,
}

/// How the module is asked.
#[derive(Debug, Clone)]
pub struct Entry {
    /// By its language.
    pub driver: Driver,
    /// What its code calls each mode, as the driver does.
    pub modes: BTreeMap<&'static str, String>,
}

/// How a check of a module's exam is named, and what is examined.
#[derive(Debug, Clone, Copy)]
pub struct About<'a> {
    pub check: &'static str,
    /// `MM-...@x.y.z`.
    pub module: &'a str,
}

type Judgement = Result<CheckResult, Box<CheckResult>>;

impl About<'_> {
    fn settled(self, judged: Judgement) -> CheckResult {
        let mut result = judged.unwrap_or_else(|refused| *refused);
        self.check.clone_into(&mut result.check);
        result
    }

    /// Its name among the evidence: never that of another module's.
    fn keep(self, subject: &Subject<'_>, paper: &Paper) -> Result<EvidenceRef, Error> {
        let name = format!("{EXAM} of {}", self.module);
        let kept = subject.keep.seal(&name, &serde_json::to_vec(paper)?);
        kept.map_err(Error::undone("the exam cannot be sealed"))
    }
}

/// Could it fail? What cannot is thrown out, a third is held back, and what is left is sealed.
pub fn written(subject: &Subject<'_>, known: &OfModule, about: About<'_>) -> CheckResult {
    about.settled(try_written(subject, known, about))
}

/// Asks the module.
pub fn sat(
    subject: &Subject<'_>,
    known: &OfModule,
    about: About<'_>,
    asks: Asks,
    entry: &Entry,
    stub: Option<&Subject<'_>>,
) -> CheckResult {
    about.settled(try_sat(subject, known, about, asks, entry, stub))
}

/// What a module comes to that has no exam: never in silence, and never as more than it is.
pub fn unexamined(about: About<'_>, why: &str) -> CheckResult {
    let reason = format!("reported: {why}; its own tests are all that was seen");
    about.settled(Ok(answer(about.check, Verdict::Pass, reason)))
}

fn paper(subject: &Subject<'_>, hash: Option<&String>) -> Result<Option<Paper>, Error> {
    let Some(hash) = hash else {
        return Ok(None);
    };
    let bytes = subject.keep.fetch(hash);
    let bytes = bytes.map_err(Error::undone("the exam cannot be read"))?;
    let mut paper: Paper = serde_json::from_slice(&bytes)?;
    // The project was over once, and was opened again: everybody can read its cases.
    if subject.keep.was_opened(hash) {
        paper.cases.iter_mut().for_each(|one| one.told = true);
    }
    Ok(Some(paper))
}

fn weak(code: &str, reason: &str, details: &str) -> Box<CheckResult> {
    super::refused(code, reason, details)
}

fn try_written(subject: &Subject<'_>, known: &OfModule, about: About<'_>) -> Judgement {
    let hash = known.handed_in.as_ref();
    let hash = hash.ok_or_else(|| cannot("nothing was handed in"))?;
    let bytes = subject.keep.fetch(hash).map_err(cannot)?;
    let value: Value = serde_json::from_slice(&bytes).map_err(cannot)?;
    let exam = Exam::read(&value[EXAM]).map_err(|faults| {
        let told = faults.iter();
        let told: Vec<String> = told
            .map(|fault| format!("{}: {}", fault.place(), fault.what))
            .collect();
        let reason = format!("the exam cannot be read: {}", first_few(&told, 4));
        weak("bad_exam", &reason, &told.join("\n"))
    })?;
    let modes = match known.modes.is_empty() {
        true => vec!["sync".to_owned(), "async".to_owned()],
        false => known.modes.clone(),
    };
    let calls: Vec<String> = modes.iter().map(|mode| format!("{MODULE}{mode}")).collect();
    let mut steps = exam.cases.iter().flat_map(|case| &case.steps);
    if exam.driver != Driver::Python || steps.any(|step| !calls.contains(&step.call)) {
        let reason = format!(
            "a call of this module is `{}`, and the `driver` of its exam `python`, whatever it is written in",
            calls.join("` or `")
        );
        return Err(weak("bad_exam", &reason, ""));
    }
    if let Some(reason) = known
        .inputs
        .as_ref()
        .and_then(|names| misasked(&exam, names))
    {
        return Err(weak("bad_exam", &reason, ""));
    }
    let mut paper = paper(subject, known.paper.as_ref())
        .map_err(cannot)?
        .unwrap_or_default();
    let thrown_out = paper.take(&exam);
    let told = listed(&thrown_out);
    let counted = paper.cases.len();
    if counted < LEAST_CASES {
        let reason =
            format!("{counted} cases could fail and are new, and at least {LEAST_CASES} must");
        return Err(weak("exam_too_weak", &reason, &told));
    }
    if let Some(why) = paper.unnoticed(exam.driver) {
        let reason = format!(
            "the exam does not notice a wrong module: {why}; ask for other answers as well"
        );
        return Err(weak("exam_too_weak", &reason, &told));
    }
    let missing: Vec<String> = known
        .errors
        .iter()
        .filter(|error| !paper.cases.iter().any(|one| meets(one, error)))
        .map(|error| format!("`{error}`"))
        .collect();
    if !missing.is_empty() {
        let reason = format!(
            "no case must meet {}: ask for each error surface, and claim `fails` with its name",
            first_few(&missing, 10)
        );
        return Err(weak("exam_too_weak", &reason, &told));
    }
    let seed = seed().map_err(cannot)?;
    let held = paper.hold_back(&mut |names| ask::shuffle(names, &seed));
    let mut reason = format!(
        "{counted} cases fail on a module that has nothing, that always answers the same and that answers anything; {held} of them are held back for the last word; seed {seed}"
    );
    if !thrown_out.is_empty() {
        let names: Vec<String> = thrown_out.iter().map(|(name, _)| name.clone()).collect();
        reason.push_str(&format!("; thrown out: {}", first_few(&names, 4)));
    }
    let mut result = answer(about.check, Verdict::Pass, reason);
    result
        .evidence
        .push(about.keep(subject, &paper).map_err(cannot)?);
    Ok(result)
}

/// Must the case meet an error of this name?
/// What is wrong with the inputs of the calls: too few, too many, or one that is always the same. No module could
/// answer the first two, and nobody would notice one that leaves the third alone.
fn misasked(exam: &Exam, names: &[String]) -> Option<String> {
    let each = || {
        let cases = exam.cases.iter();
        cases.flat_map(|case| case.steps.iter().map(move |step| (case, &step.with)))
    };
    let all = names.iter().map(|name| format!("`{name}`"));
    let all = all.collect::<Vec<_>>().join(", ");
    let miscounted = each().find(|(_, with)| with.len() != names.len());
    if let Some((case, with)) = miscounted {
        return Some(format!(
            "a call has {} inputs, in this order: {all}; one of case `{}` has {}",
            names.len(),
            case.id,
            with.len()
        ));
    }
    let fixed = names.iter().enumerate().find(|(at, _)| {
        let mut given = each().map(|(_, with)| &with[*at]);
        let first = given.next();
        first.is_some() && given.all(|value| Some(value) == first)
    });
    let (_, name) = fixed?;
    Some(format!(
        "every call gives `{name}` the same value: a module that does not look at it would pass; vary every input"
    ))
}

fn meets(known: &Known, error: &str) -> bool {
    let mut claims = known.case.holds.iter();
    claims.any(|claim| {
        let named = claim.value.as_ref().and_then(Value::as_str);
        claim.is == Relation::Fails && named == Some(error)
    })
}

/// The cases with what the module's code is called in the place of its modes.
fn bound(cases: &[&Known], entry: &Entry) -> Result<Vec<Known>, String> {
    let bind = |known: &&Known| {
        let mut known = (*known).clone();
        known.driver = entry.driver;
        for step in &mut known.case.steps {
            let mode = step.call.strip_prefix(MODULE).unwrap_or_default();
            let call = entry.modes.get(mode);
            let call = call.ok_or_else(|| format!("no driver can call what is `{mode}` in it"))?;
            step.call.clone_from(call);
        }
        Ok(known)
    };
    cases.iter().map(bind).collect()
}

/// The cases that hold on a module without its implementation: those see nothing.
fn blind(stub: &Subject<'_>, cases: &[&Known]) -> Result<Vec<String>, Error> {
    let room = Room::as_judged(stub)?;
    let questions: Vec<_> = cases.iter().map(|known| known.asked()).collect();
    let answers = ask::once(stub, &room, &questions)?;
    let each = cases.iter().zip(answers);
    let holds =
        each.filter(|(known, answers)| known.failed(Some(&vec![answers.clone()])).is_none());
    Ok(holds.map(|(known, _)| known.name.clone()).collect())
}

fn try_sat(
    subject: &Subject<'_>,
    known: &OfModule,
    about: About<'_>,
    asks: Asks,
    entry: &Entry,
    stub: Option<&Subject<'_>>,
) -> Judgement {
    let paper = paper(subject, known.paper.as_ref()).map_err(cannot)?;
    let Some(mut paper) = paper else {
        let why = known.unasked.as_deref().unwrap_or("nobody wrote an exam");
        return Ok(unexamined(about, why));
    };
    let seed = seed().map_err(cannot)?;
    let rooms = || Room::as_judged(subject);
    let unbound = |why: String| Ok(unexamined(about, &why));
    let open = match bound(&paper.open(), entry) {
        Ok(open) => open,
        Err(why) => return unbound(why),
    };
    let last = match bound(&paper.held_back(), entry) {
        Ok(last) => last,
        Err(why) => return unbound(why),
    };
    let (open, last): (Vec<&Known>, Vec<&Known>) = (open.iter().collect(), last.iter().collect());
    let came = match asked(subject, &rooms, &open, &seed) {
        // The types are the module's, and the contract's: nobody is accused of them.
        Err(why) if why.code.as_deref() == Some("exam_unasked") => return unbound(why.reason),
        came => came?,
    };
    let clauses = clauses(&open, &came);
    if !came.failed.is_empty() {
        let reason = came.not_held();
        return told(subject, known, about, (&mut paper, &seed), came, &reason);
    }
    if last.is_empty() && known.waived.is_none() {
        let reason = "every case was told to whoever builds: new ones are needed for the last word";
        return Err(weak("exam_used_up", reason, ""));
    }
    if asks == Asks::Open {
        let reason = format!(
            "{} cases of an exam hold, asked in a room without tests, several times and in another order each time; {} more wait for the last word; seed {seed}",
            came.asked,
            last.len()
        );
        let mut result = answer(about.check, Verdict::Pass, reason);
        result.details = several_lines(&clauses.join("\n"));
        record(&mut result, subject, &seed, &came.sat)?;
        return Ok(result);
    }
    let final_word = asked(subject, &rooms, &last, &seed)?;
    if !final_word.failed.is_empty() {
        let reason = format!(
            "the {} cases that were told or open hold, and {} of the {} that were not do not: {}",
            came.asked,
            final_word.failed.len(),
            final_word.asked,
            first_few(&final_word.names(), 10)
        );
        // Who has had the last word is given new cases for the next.
        for one in &mut paper.cases {
            one.held_back = false;
        }
        return told(
            subject,
            known,
            about,
            (&mut paper, &seed),
            final_word,
            &reason,
        );
    }
    // An error of ours takes nothing from what was seen.
    let blind = stub.map_or(Ok(Vec::new()), |stub| {
        let all: Vec<&Known> = open.iter().chain(&last).copied().collect();
        blind(stub, &all)
    });
    let blind = blind.unwrap_or_default();
    let untold = last.iter().filter(|one| !blind.contains(&one.name)).count();
    let thrown_out = match blind.is_empty() {
        true => String::new(),
        false => format!(
            "; {} hold without an implementation as well and count for nothing: {}",
            blind.len(),
            first_few(&blind, 4)
        ),
    };
    let asked = came.asked + final_word.asked;
    let (worth, shows) = match (untold, &known.waived) {
        (_, Some(who)) => (
            format!("reported: {who} took it without the last word"),
            false,
        ),
        (0, None) => (
            "reported: no case that was held back could fail".to_owned(),
            false,
        ),
        (_, None) => ("observed".to_owned(), true),
    };
    let reason = format!(
        "{worth}: {asked} cases hold, {untold} of them never told to anybody{thrown_out}; seed {seed}"
    );
    let mut result = answer(about.check, Verdict::Pass, reason);
    if shows {
        result.shows.insert(Word::from(super::OBSERVED));
    }
    let mut sat = came.sat;
    sat.answers.extend(final_word.sat.answers);
    record(&mut result, subject, &seed, &sat)?;
    Ok(result)
}

/// What of each clause holds, for who may not see a case.
fn clauses(cases: &[&Known], came: &Came) -> Vec<String> {
    let failed = came.names();
    let mut by: BTreeMap<&str, (usize, usize)> = BTreeMap::new();
    for known in cases {
        let (held, all) = by.entry(known.case.clause.as_str()).or_default();
        *held += usize::from(!failed.contains(&known.name));
        *all += 1;
    }
    let lines = by.into_iter();
    lines
        .map(|(clause, (held, all))| {
            let clause = crate::text::one_line(clause, 200);
            format!("{held} of {all} cases hold of \"{clause}\"")
        })
        .collect()
}

/// The builder hears what does not hold, and what was told is spent. A person who has heard it may take the
/// module all the same: then it says so.
fn told(
    subject: &Subject<'_>,
    known: &OfModule,
    about: About<'_>,
    (paper, seed): (&mut Paper, &str),
    came: Came,
    reason: &str,
) -> Judgement {
    paper.tell(&came.names());
    let mut result = match &known.waived {
        Some(who) => {
            let reason = format!("reported: {who} took it although {reason}");
            Box::new(answer(about.check, Verdict::Pass, reason))
        }
        None => weak("exam_failed", reason, &came.stories()),
    };
    let paper = about.keep(subject, paper).map_err(cannot)?;
    result.evidence.push(paper);
    let kept: &Sat = &came.sat;
    record(&mut result, subject, seed, kept)?;
    let shown = Value::from(came.cases).to_string();
    let shown = subject.keep.seal(TOLD, shown.as_bytes());
    result.evidence.push(shown.map_err(cannot)?);
    match known.waived {
        Some(_) => Ok(*result),
        None => Err(result),
    }
}

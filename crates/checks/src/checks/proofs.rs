//! `proofs`: the commands that a verifier says prove each criterion, run again by the engine. It
//! refuses the verifier's word: only the exit code and the output of our own run count, and a
//! command that proves nothing but itself is none: by its text, or because it shows the same where
//! there is no product.

use crate::Subject;
use crate::error::Error;
use crate::execute::{Program, execute};
use crate::judge::{Judge, Judged, Trouble};
use crate::readers::documents::IdsOf;
use crate::readers::hollow_commands::{beyond_tests, proves_nothing};
use crate::readers::paths;
use crate::readers::substance::{Nothing, nothing};
use crate::readers::table::{Record, records};
use crate::room::Room;
use crate::settings::{Choice, IdPattern, Number, Placed, Seconds, SettingsError, Text, Words};
use crate::text::{answer, first_few, in_form, label};
use kernel::Word;
use kernel::outcome::{CheckResult, Verdict, Worth};
use schemars::JsonSchema;
use serde::Deserialize;
use std::collections::BTreeSet;
use std::time::{Duration, Instant};

/// Each listed command, run again, ends with exit code 0 and shows what was observed.
#[derive(Deserialize, JsonSchema)]
pub(crate) struct Proofs {
    /// JSON, or Markdown with a table: Id, Command, Expect.
    file: Placed,
    /// The heading over the table; the whole file.
    section: Option<Text>,
    /// Expression for ids of which each needs a proof.
    ids: Option<IdPattern>,
    /// The file with the ids; `task/...` or `repo/...`.
    ids_from: Option<Placed>,
    /// The heading over the ids; the whole file.
    ids_section: Option<Text>,
    /// How many commands must do more than run tests and look at files; 0.
    beyond_tests: Option<Number<0, MOST>>,
    /// `fails`: a command may not hold with only the task's documents, without network.
    without_product: Option<Choice<WithoutProduct>>,
    /// `shown`: what each command must show has a number in it.
    figure: Option<Choice<Figure>>,
    /// Wall limit of each command.
    timeout_seconds: Option<Seconds>,
}

/// What a command does where there is nothing of the repository.
#[derive(Clone, Copy)]
enum WithoutProduct {
    /// It must not hold there.
    Fails,
}

impl Words for WithoutProduct {
    const WORDS: &'static [(&'static str, Self)] = &[("fails", Self::Fails)];
}

/// A number that is claimed.
#[derive(Clone, Copy)]
enum Figure {
    /// It stands in the output.
    Shown,
}

impl Words for Figure {
    const WORDS: &'static [(&'static str, Self)] = &[("shown", Self::Shown)];
}

/// How much longer than in the repository a command may take without the product. One that waits
/// for what is not there does not hold there.
const PATIENCE: Duration = Duration::from_secs(5);

const COLUMNS: [&str; 3] = [
    "id",
    "command",
    "expect|expected|expected observation|observation|expected output",
];
/// More than this is no list of proofs.
const MOST: i64 = 500;

impl Judge for Proofs {
    const NAME: &'static str = "proofs";
    type Answer = Judged<Vec<CheckResult>>;

    fn lint(&self) -> Result<(), SettingsError> {
        match (&self.ids, &self.ids_from, &self.ids_section) {
            (None, None, None) | (Some(_), Some(_), _) => Ok(()),
            _ => Self::refuse("needs to be set so that `ids` and `ids_from` go together"),
        }
    }

    fn judge(&self, subject: &Subject<'_>) -> Judged<Vec<CheckResult>> {
        let started = Instant::now();
        let proofs = match self.listed(subject) {
            Ok(proofs) => proofs,
            Err(Trouble::Fails(why)) => {
                return Ok(vec![in_form(answer(Self::NAME, Verdict::Fail, why))]);
            }
            Err(trouble) => return Err(trouble),
        };
        let room = match self.without_product.as_deref() {
            Some(WithoutProduct::Fails) => Room::of_documents(subject).map_err(Trouble::cannot)?,
            None => None,
        };
        let rerun = |proof| again(proof, self, subject, room.as_ref(), started);
        Ok(proofs.iter().map(rerun).collect())
    }
}

impl Proofs {
    /// The proofs as they are listed, if the list is whole. Nothing is run before that is known.
    fn listed(&self, subject: &Subject<'_>) -> Judged<Vec<Record>> {
        let file = &*self.file;
        let text = paths::read(subject.place, file).map_err(|why| format!("{file} {why}"))?;
        let proofs = records(file, &text, self.section.as_deref(), &COLUMNS)
            .map_err(|why| format!("{file} {why}"))?;
        if proofs.is_empty() || proofs.len() as i64 > MOST {
            let said = if proofs.is_empty() {
                "no proof"
            } else {
                "too many proofs"
            };
            return Err(format!("{file} lists {said}").into());
        }
        let mut wrong = Vec::new();
        // Whoever prints the list finds in it whatever the list expects.
        let own = file.rsplit('/').next().unwrap_or(file);
        for proof in &proofs {
            let id = &proof["id"];
            for column in ["id", "command", "expect"] {
                // An output may well say one word twice.
                let real = |why: &Nothing| !matches!(why, Nothing::OneWord(_));
                match nothing(&proof[column], "").filter(real) {
                    None => {}
                    Some(why) if why.is_blank() => wrong.push(format!("{id} has no `{column}`")),
                    Some(why) => wrong.push(format!("{id}: `{column}` {why}")),
                }
            }
            if let Some(Figure::Shown) = self.figure.as_deref()
                && !proof["expect"].chars().any(char::is_numeric)
            {
                wrong.push(format!(
                    "{id}: `{}` has no figure; expect the number that is claimed, as it is printed",
                    label(&proof["expect"])
                ));
            }
            if proves_nothing(&proof["command"], &proof["expect"]) || proof["command"].contains(own)
            {
                wrong.push(format!(
                    "{id}: `{}` proves nothing",
                    label(&proof["command"])
                ));
            }
        }
        let beyond = proofs
            .iter()
            .filter(|proof| beyond_tests(&proof["command"]));
        let (beyond, least) = (beyond.count(), self.beyond_tests.map_or(0, Number::count));
        if beyond < least {
            wrong.push(format!(
                "{beyond} of at least {least} commands run the product itself"
            ));
        }
        let (ids, from) = (self.ids.as_deref(), self.ids_from.as_deref());
        if let Some(wanted) = IdsOf::named(ids, from, self.ids_section.as_deref()) {
            let ids = wanted.read(subject)?;
            if ids.is_empty() {
                wrong.push(format!("{} has no id to prove", wanted.file));
            }
            let proven: BTreeSet<String> = proofs
                .iter()
                .flat_map(|proof| wanted.pattern.set(&proof["id"]))
                .collect();
            let without: Vec<&String> = ids.difference(&proven).collect();
            if !without.is_empty() {
                wrong.push(format!("no proof of {}", first_few(&without, 10)));
            }
        }
        if wrong.is_empty() {
            return Ok(proofs);
        }
        Err(format!("{file}: {}", first_few(&wrong, 5)).into())
    }
}

/// Runs one proof again.
fn again(
    proof: &Record,
    wanted: &Proofs,
    subject: &Subject<'_>,
    room: Option<&Room>,
    started: Instant,
) -> CheckResult {
    let (command, expect) = (proof["command"].as_str(), proof["expect"].as_str());
    let name = format!("proofs: {}", label(&proof["id"]));
    let timeout = wanted.timeout_seconds.map(Seconds::seconds);
    let executed = match execute(subject, Program::shell(command, timeout, started)) {
        Ok(executed) => executed,
        Err(why) => return answer(&name, Verdict::CouldNotRun, &why),
    };
    let shown = label(expect);
    let (mut seen, mut empty) = (false, false);
    let (verdict, reason) = match executed.worthless().or_else(|| executed.not_found()) {
        Some(worthless) => worthless,
        None if executed.ended.exit != Some(0) => {
            let (ending, last) = (executed.ending().unwrap_or_default(), executed.last_line());
            (
                Verdict::Fail,
                format!("{ending}, not 0; last output: {last}"),
            )
        }
        None if !executed.says(expect) => {
            let last = executed.last_line();
            let reason = format!("`{shown}` is not in the output; last output: {last}");
            (Verdict::Fail, reason)
        }
        None => {
            let allowed = Duration::from_millis(executed.ended.millis) * 2 + PATIENCE;
            let allowed = timeout.map_or(allowed, |most| most.min(allowed));
            match room.map(|room| holds_in(room, proof, subject, (allowed, started))) {
                Some(Err(why)) => (Verdict::CouldNotRun, why.to_string()),
                Some(Ok(true)) => {
                    empty = true;
                    let why = format!(
                        "it proves nothing: `{shown}` is seen as well where nothing of the product is"
                    );
                    (Verdict::Fail, why)
                }
                without @ (Some(Ok(false)) | None) => {
                    // The product itself has answered, and nothing else could have.
                    seen = without.is_some() && beyond_tests(command);
                    (Verdict::Pass, format!("exit code 0, and `{shown}` is seen"))
                }
            }
        }
    };
    let mut result = executed.answer(&name, verdict, &reason);
    if seen {
        result.shows.insert(Word::from(Worth::Observed.as_str()));
    }
    match empty {
        true => in_form(result),
        false => result,
    }
}

/// Does the proof hold in a room without the product as well?
fn holds_in(
    room: &Room,
    proof: &Record,
    subject: &Subject<'_>,
    (allowed, started): (Duration, Instant),
) -> Result<bool, Error> {
    let executed = room.inside(subject, |inside| {
        let program = Program::shell(&proof["command"], Some(allowed), started);
        execute(inside, program)
    })?;
    if subject.cancel.is_cancelled() {
        return Err("it was cancelled".into());
    }
    let ended = &executed.ended;
    Ok(ended.killed.is_none() && ended.exit == Some(0) && executed.says(&proof["expect"]))
}

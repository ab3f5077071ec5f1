//! `proofs`: the commands that a verifier says prove each criterion, run again by the engine. It
//! refuses the verifier's word: only the exit code and the output of our own run count, and a
//! command that proves nothing but itself is none: by its text, or because it shows the same where
//! there is no product.

use crate::Subject;
use crate::error::Error;
use crate::execute::{Executed, Program, execute};
use crate::judge::{Judge, Judged, Trouble};
use crate::readers::sections::IdsOf;
use crate::readers::{paths, sources};
use crate::room::Room;
use crate::settings::{
    Choice, IdPattern, Number, Placed, Seconds, SettingsError, Text, Texts, Words,
};
use crate::text::{answer, first_few, in_form, label};
use documents::markdown::labelled;
use documents::substance::{Nothing, nothing};
use documents::table::{Record, records};
use kernel::Word;
use kernel::outcome::{CheckResult, PROOFS, Verdict, Worth};
use languages::hollow_commands::{beyond_tests, proves_nothing};
use schemars::JsonSchema;
use serde::Deserialize;
use std::collections::{BTreeMap, BTreeSet};
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
    /// `shown`: what each command must show has a number in it; `claimed`: one of its id's entry.
    figure: Option<Choice<Figure>>,
    /// Words of which the entry of an id has one if it needs a proof here; every id does.
    #[serde(default)]
    ids_mention: Texts,
    /// The label that the entry of an id has if it needs a proof here, as in `Load: 50 at once`; where none
    /// has it, nothing is asked for. `figure` is then the label's own.
    ids_label: Option<Text>,
    /// `removed`: each proof names what stores something (`write`) and where (`store`), and its command
    /// may not hold once that is removed.
    store: Option<Choice<Store>>,
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
    /// And in the criterion that it proves.
    Claimed,
}

impl Words for Figure {
    const WORDS: &'static [(&'static str, Self)] =
        &[("shown", Self::Shown), ("claimed", Self::Claimed)];
}

/// What becomes of what a product keeps.
#[derive(Clone, Copy)]
enum Store {
    /// It is removed, and then nothing may be read back.
    Removed,
}

impl Words for Store {
    const WORDS: &'static [(&'static str, Self)] = &[("removed", Self::Removed)];
}

/// How much longer than in the repository a command may take without the product. One that waits
/// for what is not there does not hold there.
const PATIENCE: Duration = Duration::from_secs(5);

const COLUMNS: [&str; 5] = [
    "id",
    "command",
    "expect|expected|expected observation|observation|expected output",
    "write",
    "store",
];
/// More than this is no list of proofs.
const MOST: i64 = 500;

impl Judge for Proofs {
    const NAME: &'static str = PROOFS;
    type Answer = Judged<Vec<CheckResult>>;

    fn lint(&self) -> Result<(), SettingsError> {
        let claimed = matches!(self.figure.as_deref(), Some(Figure::Claimed));
        match (&self.ids, &self.ids_from, &self.ids_section) {
            (None, None, None)
                if claimed || !self.ids_mention.is_empty() || self.ids_label.is_some() =>
            {
                Self::refuse(
                    "needs `ids` for `figure = \"claimed\"`, for `ids_mention` and for `ids_label`",
                )
            }
            (None, None, None) | (Some(_), Some(_), _) => Ok(()),
            _ => Self::refuse("needs to be set so that `ids` and `ids_from` go together"),
        }
    }

    fn judge(&self, subject: &Subject<'_>) -> Judged<Vec<CheckResult>> {
        let started = Instant::now();
        if let Some(said) = self.unlabelled(subject)? {
            return Ok(vec![in_form(answer(Self::NAME, Verdict::Pass, said))]);
        }
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
        let columns = match self.store {
            Some(_) => &COLUMNS[..],
            None => &COLUMNS[..3],
        };
        let proofs = records(file, &text, self.section.as_deref(), columns)
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
            wrong.extend(self.unstored(subject, proof)?);
            if self.figure.is_some() && !proof["expect"].chars().any(char::is_numeric) {
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
            let mut ids = wanted.read(subject)?;
            let entries = wanted.entries(subject)?;
            if !self.ids_mention.is_empty() {
                let mentions = |id: &String| {
                    let entry = entries.get(id).map_or("", String::as_str).to_lowercase();
                    let mut words = self.ids_mention.iter();
                    words.any(|word| entry.contains(&word.to_lowercase()))
                };
                ids.retain(mentions);
            }
            let entries = self.labelled(entries);
            if self.ids_label.is_some() {
                ids.retain(|id| entries.contains_key(id));
            }
            if let Some(Figure::Claimed) = self.figure.as_deref() {
                wrong.extend(
                    proofs
                        .iter()
                        .filter_map(|proof| unclaimed(proof, &wanted, &entries)),
                );
            }
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

impl Proofs {
    /// What the list says of each id that has the label; of each id where none is asked for.
    fn labelled(&self, entries: BTreeMap<String, String>) -> BTreeMap<String, String> {
        let Some(name) = self.ids_label.as_deref() else {
            return entries;
        };
        let own = entries.into_iter();
        own.filter_map(|(id, entry)| Some((id, labelled(&entry, name)?)))
            .collect()
    }

    /// That nothing is asked for here, if no id has the label.
    fn unlabelled(&self, subject: &Subject<'_>) -> Judged<Option<String>> {
        let (ids, from) = (self.ids.as_deref(), self.ids_from.as_deref());
        let wanted = IdsOf::named(ids, from, self.ids_section.as_deref());
        let (Some(name), Some(wanted)) = (self.ids_label.as_deref(), wanted) else {
            return Ok(None);
        };
        let none = self.labelled(wanted.entries(subject)?).is_empty();
        Ok(none.then(|| format!("nothing in {} says `{name}:`", wanted.file)))
    }

    /// Why a proof does not say what is kept where.
    fn unstored(&self, subject: &Subject<'_>, proof: &Record) -> Result<Option<String>, Trouble> {
        let Some(Store::Removed) = self.store.as_deref() else {
            return Ok(None);
        };
        let (id, store) = (&proof["id"], proof["store"].trim_end_matches('/'));
        if nothing(&proof["write"], "").is_some() {
            return Ok(Some(format!(
                "{id}: `write` says not what stores something"
            )));
        }
        let plain = |char: char| char.is_ascii_alphanumeric() || "._-/".contains(char);
        let inside = kernel::pattern::stays_inside(store) && !store.starts_with('-');
        if store.is_empty() || store == "." || !inside || !store.chars().all(plain) {
            let shown = label(&proof["store"]);
            return Ok(Some(format!(
                "{id}: `store` is `{shown}`, which is no path in the repository"
            )));
        }
        let files = sources::files(subject).map_err(Trouble::cannot)?;
        let below = format!("{store}/");
        // Without its own files no product answers: that shows nothing of what it keeps.
        let own = files
            .iter()
            .find(|path| *path == store || path.starts_with(&below));
        Ok(own.map(|path| {
            format!("{id}: `store` holds {path}, which is no data but the product's own")
        }))
    }

    /// The command of a proof: after what it has to store, and with the store gone if that is asked for.
    fn command(&self, proof: &Record, kept: Kept) -> String {
        let command = &proof["command"];
        let (Some(_), Some(write)) = (self.store.as_deref(), proof.get("write")) else {
            return command.clone();
        };
        let gone = match kept {
            Kept::Stays => String::new(),
            Kept::Goes => format!("rm -rf -- '{}' && ", proof["store"].trim_end_matches('/')),
        };
        format!("{{\n{write}\n}} >/dev/null 2>&1 && {gone}{{\n{command}\n}}")
    }
}

/// Is what a product keeps still there when it is asked?
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kept {
    Stays,
    Goes,
}

/// Why what a proof shows is not what its criterion claims.
fn unclaimed(
    proof: &Record,
    wanted: &IdsOf<'_>,
    entries: &BTreeMap<String, String>,
) -> Option<String> {
    let id = &proof["id"];
    let ids = wanted.pattern.set(id);
    let claimed: BTreeSet<String> =
        ids.iter()
            .filter_map(|id| entries.get(id))
            .fold(BTreeSet::new(), |mut all, entry| {
                let without = ids
                    .iter()
                    .fold(entry.clone(), |text, id| text.replace(id, " "));
                all.extend(figures(&without));
                all
            });
    if claimed.is_empty() {
        return Some(format!("{id} is no criterion with a figure"));
    }
    let shown = figures(&proof["expect"]);
    shown.is_disjoint(&claimed).then(|| {
        let claimed: Vec<&String> = claimed.iter().collect();
        format!(
            "{id}: `{}` has none of the figures that the criterion claims: {}",
            label(&proof["expect"]),
            first_few(&claimed, 5)
        )
    })
}

/// The numbers in a text, without the marks between their thousands.
fn figures(text: &str) -> BTreeSet<String> {
    let of_a_number =
        |char: char| char.is_ascii_digit() || char == '.' || char == ',' || char == '_';
    let runs = text.split(|char: char| !of_a_number(char));
    let plain = runs.map(|run| run.replace([',', '_'], "").trim_matches('.').to_owned());
    plain
        .filter(|run| run.contains(|char: char| char.is_ascii_digit()))
        .collect()
}

/// Runs one proof again.
fn again(
    proof: &Record,
    wanted: &Proofs,
    subject: &Subject<'_>,
    room: Option<&Room>,
    started: Instant,
) -> CheckResult {
    let expect = proof["expect"].as_str();
    let command = &wanted.command(proof, Kept::Stays);
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
            let without = |subject: &Subject<'_>, kept: Kept| {
                let line = wanted.command(proof, kept);
                execute(subject, Program::shell(&line, Some(allowed), started))
            };
            let holds = |executed: Result<Executed, Error>| {
                let executed = executed?;
                if subject.cancel.is_cancelled() {
                    return Err("it was cancelled".into());
                }
                let ended = &executed.ended;
                Ok::<bool, Error>(
                    ended.killed.is_none() && ended.exit == Some(0) && executed.says(expect),
                )
            };
            if wanted.store.is_some() {
                match holds(without(subject, Kept::Goes)) {
                    Err(why) => return answer(&name, Verdict::CouldNotRun, why.to_string()),
                    Ok(false) => {}
                    Ok(true) => {
                        let store = label(&proof["store"]);
                        let reason = format!(
                            "it proves nothing: `{shown}` is seen as well once `{store}` is removed"
                        );
                        return in_form(executed.answer(&name, Verdict::Fail, &reason));
                    }
                }
            }
            match room
                .map(|room| holds(room.inside(subject, |inside| without(inside, Kept::Stays))))
            {
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
                    seen = without.is_some() && beyond_tests(&proof["command"]);
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

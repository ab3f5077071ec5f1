//! Asking a product: the engine's own drivers, in a room that holds the product and no tests. They are
//! told inputs and nothing else, and what comes back is judged elsewhere.

use super::round::{Around, Round, WALL, framed, order};
use super::rust;
use crate::Subject;
use crate::error::Error;
use crate::execute::unseen;
use crate::room::Room;
use kernel::exam::answers::{Answer, Answers, read_command};
use kernel::exam::claims::holds;
use kernel::exam::paper::Asked;
use kernel::exam::{Case, Driver};
use serde_json::json;
use sha2::{Digest, Sha256};
use std::collections::BTreeMap;
use std::time::{Duration, Instant};

const PYTHON: &str = include_str!("drive.py");
const HTTP: &str = include_str!("drive_http.py");
const JAVASCRIPT: &str = include_str!("drive.mjs");

/// What was answered.
#[derive(Default)]
pub(super) struct Sat {
    /// By the case's name: the answers of each round.
    pub(super) answers: BTreeMap<String, Vec<Answers>>,
    /// What could not be believed.
    pub(super) faults: Vec<String>,
}

/// Makes a room with the product.
pub(super) type Rooms<'a> = dyn Fn() -> Result<Room, Error> + 'a;

/// Asks everything, several times, each time in another order that follows from the seed.
pub(super) fn all(
    subject: &Subject<'_>,
    rooms: &Rooms<'_>,
    cases: &[Asked<'_>],
    seed: &str,
) -> Result<Sat, Error> {
    let mut sat = Sat::default();
    let room = &rooms()?;
    let began = Instant::now();
    for driver in Driver::ALL {
        let own = cases.iter().filter(|one| one.driver == driver);
        let own: Vec<&Asked<'_>> = own.collect();
        let rounds: &[Round] = match driver {
            Driver::Python | Driver::JavaScript => {
                &[Round::Together, Round::Apart, Round::Together]
            }
            // In the profile of tests, and in the one that ships.
            Driver::Rust => &[Round::Together, Round::Apart],
            // Commands share nothing but files, and each case has its own.
            Driver::Command | Driver::Http => &[Round::Apart, Round::Apart],
        };
        for (number, round) in rounds.iter().enumerate() {
            let fits = |one: &&&Asked<'_>| *round == Round::Apart || !one.case.alone;
            let mut asked: Vec<&Asked<'_>> = own.iter().filter(fits).copied().collect();
            if asked.is_empty() {
                continue;
            }
            shuffle(&mut asked, &format!("{seed} {number}"));
            let last = number + 1 == rounds.len();
            let around = if last { Around::LivedIn } else { Around::Bare };
            let how = (*round, around);
            let times = match (round, last) {
                (Round::Together, true) => times(began.elapsed(), &sat.answers),
                (Round::Together | Round::Apart, _) => 1,
            };
            let faults = &mut sat.faults;
            // The same questions again and again in one process, and what was answered in the end.
            let again: Vec<&Asked<'_>> = (0..times).flat_map(|_| asked.iter().copied()).collect();
            let answers = match driver {
                Driver::Python => functions(subject, room, PYTHON_LINE, &again, how, faults)?,
                Driver::JavaScript => functions(subject, room, NODE_LINE, &again, how, faults)?,
                Driver::Rust => rust::functions(subject, room, &again, how, faults)?,
                Driver::Command | Driver::Http => apart(subject, rooms, &again, around, faults)?,
            };
            for (at, one) in asked.iter().enumerate() {
                let mut of_one = answers.iter().skip(at).step_by(asked.len());
                let known = sat.answers.entry(one.name.to_owned()).or_default();
                known.extend(of_one.next().cloned());
                // Who is asked twice may remember the first time; who answers the second time as well may not
                // tire later.
                if of_one.next().is_some_and(|second| holds(one.case, second)) {
                    known.extend(of_one.next_back().cloned());
                }
            }
        }
    }
    Ok(sat)
}

/// How often everything is asked in one process, where asking it all before took this long and was answered so: what
/// comes back is bounded.
fn times(took: Duration, answers: &BTreeMap<String, Vec<Answers>>) -> usize {
    const MOST: u128 = 24;
    const MOST_BYTES: usize = 1 << 20;
    let by_time = 30_000 / took.as_millis().max(1);
    let by_time = usize::try_from(by_time.clamp(1, MOST)).unwrap_or(1);
    let bytes = serde_json::to_vec(answers).map_or(MOST_BYTES, |all| all.len());
    by_time.min(MOST_BYTES / bytes.max(1)).max(1)
}

/// Can a product be asked so again and again in one room?
pub(super) fn is_asked_again(subject: &Subject<'_>, driver: Driver) -> bool {
    match driver {
        Driver::Python => true,
        // Each has a layer of its own there.
        Driver::Command | Driver::Http => subject.rooms.is_some(),
        Driver::JavaScript | Driver::Rust => false,
    }
}

/// The answers of a product to cases in one process each, once.
pub(super) fn once(
    subject: &Subject<'_>,
    room: &Room,
    cases: &[Asked<'_>],
) -> Result<Vec<Answers>, Error> {
    let none = &mut Vec::new();
    if cases.iter().all(|one| one.driver == Driver::Python) {
        let asked: Vec<&Asked<'_>> = cases.iter().collect();
        return functions(subject, room, PYTHON_LINE, &asked, APART, none);
    }
    let asked: Vec<&Asked<'_>> = cases.iter().collect();
    if cases.iter().all(|one| one.driver == Driver::JavaScript) {
        return functions(subject, room, NODE_LINE, &asked, APART, none);
    }
    if cases.iter().all(|one| one.driver == Driver::Rust) {
        // Built once, in the profile of tests; all cases in one process.
        return rust::functions(subject, room, &asked, (Round::Together, Around::Bare), none);
    }
    let each = cases.iter().map(|one| match one.driver {
        Driver::Command | Driver::Http => alone(subject, room, one, Around::Bare, none),
        Driver::Python | Driver::JavaScript | Driver::Rust => {
            let line = match one.driver {
                Driver::JavaScript => NODE_LINE,
                _ => PYTHON_LINE,
            };
            let answers = functions(subject, room, line, &[one], APART, none)?;
            Ok(answers.into_iter().next().unwrap_or_default())
        }
    });
    each.collect()
}

/// Each case in a process of its own, in the room as it is.
const APART: (Round, Around) = (Round::Apart, Around::Bare);

/// A line for `sh`, and the driver that it starts.
type Line = (&'static str, &'static str);
const PYTHON_LINE: Line = (RUN_PYTHON, PYTHON);
const HTTP_LINE: Line = (RUN_PYTHON, HTTP);
const NODE_LINE: Line = (
    "exec node --input-type=module -e \"$0\" -- \"$0\"",
    JAVASCRIPT,
);
const RUN_PYTHON: &str = "if [ -x .venv/bin/python ]; then p=.venv/bin/python; else p=python3; fi; \
                          exec \"$p\" -I -B -c \"$0\"";

fn functions(
    subject: &Subject<'_>,
    room: &Room,
    line: Line,
    asked: &[&Asked<'_>],
    (round, around): (Round, Around),
    faults: &mut Vec<String>,
) -> Result<Vec<Answers>, Error> {
    let order = order(asked, round);
    let ended = driven(subject, room, (line, around), order)?;
    Ok(framed(&ended, asked, faults))
}

/// What a driver says to its order.
fn driven(
    subject: &Subject<'_>,
    room: &Room,
    ((line, driver), around): (Line, Around),
    order: Vec<u8>,
) -> Result<Vec<u8>, Error> {
    let argv = ["sh", "-c", &around.line(line), driver].map(str::to_owned);
    let argv = argv.to_vec();
    let ended = room.inside(subject, |inside| unseen(inside, argv, order, WALL))?;
    if matches!(ended.exit, Some(126 | 127)) && ended.stdout.is_empty() {
        let why = String::from_utf8_lossy(&ended.stderr).trim().to_owned();
        return Err(format!("the driver cannot be started: {why}").into());
    }
    Ok(ended.stdout)
}

/// Each case in a room of its own, its calls one after the other.
fn apart(
    subject: &Subject<'_>,
    rooms: &Rooms<'_>,
    asked: &[&Asked<'_>],
    around: Around,
    faults: &mut Vec<String>,
) -> Result<Vec<Answers>, Error> {
    let mut all = Vec::new();
    let mut room = rooms()?;
    for one in asked {
        all.push(alone(subject, &room, one, around, faults)?);
        // Where a command has no layer of its own, what it wrote is still there.
        if subject.rooms.is_none() {
            room = rooms()?;
        }
    }
    Ok(all)
}

fn alone(
    subject: &Subject<'_>,
    room: &Room,
    asked: &Asked<'_>,
    around: Around,
    faults: &mut Vec<String>,
) -> Result<Answers, Error> {
    let case = asked.case;
    if let Some(service) = asked.service {
        let order = json!({ "start": service.start, "port": service.port(), "steps": case.steps });
        let order = order.to_string().into_bytes();
        let frame = driven(subject, room, (HTTP_LINE, around), order)?;
        let answers = framed(&frame, &[asked], faults).into_iter().next();
        return Ok(answers.unwrap_or_default());
    }
    let argv = vec!["sh".to_owned(), "-c".to_owned(), around.line(&script(case))];
    let ended = room.inside(subject, |inside| unseen(inside, argv, Vec::new(), WALL))?;
    let read = read_command(&ended.stdout, case.steps.len());
    Ok(read.unwrap_or_else(|why| {
        faults.push(why);
        vec![Answer::Nothing; case.steps.len()]
    }))
}

/// A line that makes the calls and says in hex what came of each: no output can pass for the frame
/// that it stands in.
fn script(case: &Case) -> String {
    let mut text = String::from("exec 3>&1 1>&2\nd=.proofhouse-exam; mkdir \"$d\" || exit 1\n");
    for step in &case.steps {
        for (path, value) in &step.named {
            if let Some((folder, _)) = path.rsplit_once('/') {
                text.push_str(&format!("mkdir -p -- {}\n", quoted(folder)));
            }
            let held = value.as_str().map(str::to_owned);
            let held = quoted(&held.unwrap_or_else(|| value.to_string()));
            text.push_str(&format!(
                "printf '%s' {held} > {}\n",
                quoted(&format!("./{path}"))
            ));
        }
        let mut line = quoted(&step.call);
        for word in step.with.iter().filter_map(|word| word.as_str()) {
            line.push(' ');
            line.push_str(&quoted(word));
        }
        text.push_str(&format!(
            "printf '%s' {} > \"$d/in\"\n({line}) < \"$d/in\" > \"$d/out\" 2> \"$d/err\" 3>&-\n\
             e=$?\n{{ echo \"exit $e\"; echo out; head -c 65536 \"$d/out\" | od -An -v -tx1; \
             echo err; head -c 65536 \"$d/err\" | od -An -v -tx1; echo end; }} >&3\n",
            quoted(&step.stdin)
        ));
    }
    text
}

fn quoted(word: &str) -> String {
    format!("'{}'", word.replace('\'', r"'\''"))
}

/// Another order, the same for the same seed.
pub(super) fn shuffle<T>(items: &mut [T], seed: &str) {
    for last in (1..items.len()).rev() {
        let digest = Sha256::digest(format!("{seed} {last}").as_bytes());
        let number = digest
            .iter()
            .take(8)
            .fold(0_u64, |sum, byte| (sum << 8) | u64::from(*byte));
        let chosen = usize::try_from(number % (last as u64 + 1)).unwrap_or_default();
        items.swap(last, chosen);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_seed_gives_the_same_order() {
        let order = |seed: &str| {
            let mut items: Vec<u8> = (0..20).collect();
            shuffle(&mut items, seed);
            items
        };
        assert_eq!(order("a"), order("a"));
        assert_ne!(order("a"), order("b"));
        let mut whole = order("a");
        whole.sort_unstable();
        assert_eq!(whole, (0..20).collect::<Vec<u8>>());
    }
}

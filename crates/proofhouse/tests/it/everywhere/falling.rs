//! A real engine, in this process, that falls at every event once in the middle of writing it and once
//! right after it, before anything that follows from it has begun. It is raised again each time, so one
//! run goes through all of its falls and still has to come to its end.

use crate::play::{Play, Stage, Step};
use crate::support::World;
use engine::session::{Restore, Session};
use engine::world::Observer;
use engine::{Project, Until};
use kernel::machine::Activity;
use kernel::{Event, Status};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};

/// Which part of the record reached the disk.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum How {
    /// Half of its line.
    Torn,
    /// All of it, and nothing after it.
    After,
}

/// A place in a run: what is recorded, and how many of its kind were before.
pub(super) type Place = (String, usize);

/// Names the places of a journal as it grows, by what they mean for the run: an effect that is begun
/// anew because it was lost is at the same place as before.
#[derive(Default)]
struct Names {
    effects: BTreeMap<u64, String>,
    counts: BTreeMap<String, usize>,
}

impl Names {
    fn of(journal: &str) -> (Self, Vec<Place>) {
        let mut names = Self::default();
        let records = journal
            .lines()
            .map(|line| serde_json::from_str::<Value>(line).unwrap());
        let places =
            records.map(|record| names.take(record["kind"].as_str().unwrap(), &record["body"]));
        let places = places.collect();
        (names, places)
    }

    fn take(&mut self, kind: &str, body: &Value) -> Place {
        let text = |key: &str| body[key].as_str().unwrap_or_default();
        let effect = body["effect"].as_u64().unwrap_or_default();
        if kind == "effect_began.v1" {
            let what = format!("{} {}", text("kind"), text("state"));
            self.effects.insert(effect, what.clone());
            let ended = self.counts.get(&format!("ended {what}"));
            return (format!("began {what}"), ended.copied().unwrap_or(0));
        }
        let what = match kind {
            "attempt_ended.v1" | "gate_ended.v1" | "checkpoint_ended.v1" => {
                format!("ended {}", self.effects[&effect])
            }
            "moved.v1" => format!("{} from {}", text("action"), text("from")),
            // As often as the engine was raised: one of them is as good as another.
            "session_opened.v1" | "tail_cut.v1" => return (kind.to_owned(), 0),
            "effect_lost.v1" => return (format!("lost {}", self.effects[&effect]), 0),
            other => other.to_owned(),
        };
        let count = self.counts.entry(what.clone()).or_default();
        *count += 1;
        (what, *count - 1)
    }
}

/// The places of a finished run.
pub(super) fn places(world: &World) -> Vec<Place> {
    Names::of(&world.read(JOURNAL)).1
}

/// How many records `new` writes: it is over before any engine begins.
pub(super) fn written_by_new(play: &Play) -> usize {
    places(&Stage::set(play).world).len()
}

const JOURNAL: &str = ".proofhouse/journal/t.jsonl";

/// The engine is gone.
struct Fallen;

/// Watches one life, and ends it.
struct Watch<'a> {
    names: Names,
    lines: usize,
    falls: &'a mut Falls,
    fell: Option<(usize, How)>,
}

impl Observer for Watch<'_> {
    fn event(&mut self, event: &Event, _: &Status) {
        self.lines += 1;
        let place = self.names.take(event.body.kind(), &event.body.to_value());
        if let Some(how) = self.falls.next_at(&place) {
            self.fell = Some((self.lines, how));
            resume_unwind(Box::new(Fallen));
        }
    }
    fn tick(&mut self, _: &Status) {}
    fn progress(&mut self, _: &str) {}
    fn notice(&mut self, _: &str) {}
}

/// Where the engine has fallen so far.
#[derive(Default)]
struct Falls {
    places: BTreeSet<(Place, How)>,
}

impl Falls {
    /// The next way to fall here, if there is one left.
    fn next_at(&mut self, place: &Place) -> Option<How> {
        let ways = [How::Torn, How::After].into_iter();
        let mut left = ways.filter(|how| !self.places.contains(&(place.clone(), *how)));
        let how = left.next()?;
        self.places.insert((place.clone(), how));
        Some(how)
    }
}

/// A run that went through all of it.
pub(super) struct Through {
    pub(super) stage: Stage,
    pub(super) places: BTreeSet<(Place, How)>,
    /// Attempts that are on record as lost.
    pub(super) lost: usize,
    /// Attempts whose beginning was stored, and nothing after it.
    pub(super) begun_and_fallen: usize,
}

/// What of the journal is left after a fall at this line.
fn cut(journal: &str, line: usize, how: How) -> String {
    let mut lines: Vec<&str> = journal.split_inclusive('\n').take(line).collect();
    if how == How::Torn {
        let torn = lines.pop().unwrap_or_default();
        lines.push(&torn[..torn.len() / 2]);
    }
    lines.concat()
}

/// One life of an engine. None: it fell.
fn live(stage: &Stage, falls: &mut Falls) -> Option<Status> {
    let project = Project::find(stage.world.path()).unwrap();
    let session = Session {
        project: &project,
        run: "t",
        agent: None,
        built: None,
        until: Until::Rest,
        restore: Restore::No,
    };
    let journal = stage.world.read(JOURNAL);
    let whole = journal.rfind('\n').map_or(0, |end| end + 1);
    let (names, places) = Names::of(&journal[..whole]);
    let (lines, fell) = (places.len(), None);
    let mut watch = Watch {
        names,
        lines,
        falls,
        fell,
    };
    let lived = catch_unwind(AssertUnwindSafe(|| session.drive(&mut watch, &|_| {})));
    match lived {
        Ok(ended) => Some(ended.unwrap_or_else(|error| panic!("{error:?}")).status),
        Err(why) if why.is::<Fallen>() => {
            let (line, how) = watch.fell.expect("it fell somewhere");
            stage
                .world
                .write(JOURNAL, &cut(&stage.world.read(JOURNAL), line, how));
            None
        }
        Err(why) => resume_unwind(why),
    }
}

/// A person says something, and whoever writes it down falls as well. Is it on record?
fn says(stage: &Stage, step: &Step, falls: &mut Falls) -> bool {
    let before = stage.world.read(JOURNAL);
    let copy = tempfile::tempdir().unwrap();
    let all = |from: &std::path::Path, to: &std::path::Path| {
        let from = format!("{}/.", from.display());
        let copied = std::process::Command::new("cp")
            .args(["-a", &from])
            .arg(to)
            .status();
        assert!(copied.is_ok_and(|status| status.success()));
    };
    all(stage.world.path(), copy.path());
    stage.take(step).unwrap_or_else(|why| panic!("{why}"));
    let after = stage.world.read(JOURNAL);
    let (mut names, known) = Names::of(&before);
    for (at, line) in after.lines().enumerate().skip(known.len()) {
        let record: Value = serde_json::from_str(line).unwrap();
        let place = names.take(record["kind"].as_str().unwrap(), &record["body"]);
        if let Some(how) = falls.next_at(&place) {
            // The rest of what it wrote never was.
            for entry in std::fs::read_dir(stage.world.path()).unwrap().flatten() {
                let path = entry.path();
                let removed = if path.is_dir() {
                    std::fs::remove_dir_all(&path)
                } else {
                    std::fs::remove_file(&path)
                };
                removed.unwrap();
            }
            all(copy.path(), stage.world.path());
            let left = cut(&after, at + 1, how);
            stage.world.write(JOURNAL, &left);
            let decided = |text: &str| {
                text.lines()
                    .filter(|line| line.contains("\"decided.v1\"") && line.ends_with('}'))
                    .count()
            };
            return decided(&left) > decided(&before);
        }
    }
    true
}

/// Plays it, falling wherever there is something to fall at.
pub(super) fn fall_at_every_event(play: &Play) -> Through {
    let mut patient = play.clone();
    let more = ["--budget", "attempts=400"].map(str::to_owned);
    patient.new.extend(more);
    let stage = Stage::set(&patient);
    let mut falls = Falls::default();
    let steps = play.steps();
    let mut words = steps
        .iter()
        .filter(|step| matches!(step, Step::Says(..)))
        .peekable();
    for _ in 0..4_000 {
        let Some(status) = live(&stage, &mut falls) else {
            continue;
        };
        let offered = status
            .waiting_for
            .map(|waiting| waiting.options)
            .unwrap_or_default();
        let extend = Step::read("extend (it fell so often)");
        match words.peek() {
            Some(Step::Says(option, ..))
                if status.activity != Activity::Waiting || offered.contains(option) =>
            {
                let word = words.peek().expect("it was there");
                if says(&stage, word, &mut falls) {
                    words.next();
                }
            }
            _ if offered.contains(&"extend".to_owned()) => drop(says(&stage, &extend, &mut falls)),
            Some(_) => panic!("it waits for something else: {offered:?}"),
            None => return through(stage, falls),
        }
    }
    panic!("it never came to an end");
}

fn through(stage: Stage, falls: Falls) -> Through {
    let attempts = stage.world.status()["attempts"].clone();
    let lost = attempts
        .as_array()
        .unwrap()
        .iter()
        .filter(|attempt| attempt["ended"] == "lost")
        .count();
    let begun = falls
        .places
        .iter()
        .filter(|((what, _), how)| what.starts_with("began attempt") && *how == How::After);
    let begun_and_fallen = begun.count();
    Through {
        stage,
        places: falls.places,
        lost,
        begun_and_fallen,
    }
}

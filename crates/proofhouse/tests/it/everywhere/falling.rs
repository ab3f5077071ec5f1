//! A real engine, in this process, that falls at every event once in the middle of writing it and once
//! right after it, before anything that follows from it has begun. It is raised again each time, so one
//! run goes through all of its falls and still has to come to its end.

use crate::play::{Play, Stage, Step};
use crate::support::World;
use engine::Until;
use engine::session::{Restore, Session};
use engine::world::{Gauges, Observer};
use kernel::machine::Activity;
use kernel::{Body, EffectId, Event, Status};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use workspace::Project;

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

/// What is recorded, in a few words.
#[derive(Clone)]
enum Note {
    Began(EffectId, String),
    Ended(EffectId),
    Lost(EffectId),
    /// As often as the engine was raised: one of them is as good as another.
    Raised(&'static str),
    Other(String),
}

impl Note {
    fn of(body: &Body) -> Self {
        match body {
            Body::EffectBegan(began) => {
                Note::Began(began.effect, format!("{:?} {}", began.kind, began.state))
            }
            Body::AttemptEnded(ended) => Note::Ended(ended.effect),
            Body::GateEnded(ended) => Note::Ended(ended.effect),
            Body::CheckpointEnded(ended) => Note::Ended(ended.effect),
            Body::EffectLost(lost) => Note::Lost(lost.effect),
            Body::SessionOpened(_) | Body::TailCut(_) => Note::Raised(body.kind()),
            Body::Moved(moved) => Note::Other(format!("{} from {}", moved.action, moved.from)),
            other => Note::Other(other.kind().to_owned()),
        }
    }

    fn read(line: &str) -> Self {
        let record: Value = serde_json::from_str(line).unwrap();
        let kind = record["kind"].as_str().unwrap();
        Self::of(&Body::decode(kind, &record["body"].to_string()).unwrap())
    }
}

/// Names the last place of a journal by what it means for the run: an effect that is begun anew because
/// it was lost is at the same place as before.
fn place(notes: &[Note]) -> Place {
    let effects: BTreeMap<EffectId, &String> = notes
        .iter()
        .filter_map(|note| match note {
            Note::Began(effect, what) => Some((*effect, what)),
            _ => None,
        })
        .collect();
    let ended = |notes: &[Note], what: &String| {
        let same = |note: &&Note| matches!(note, Note::Ended(effect) if effects[effect] == what);
        notes.iter().filter(same).count()
    };
    let (last, before) = notes.split_last().expect("something was recorded");
    match last {
        Note::Began(_, what) => (format!("began {what}"), ended(before, what)),
        Note::Ended(effect) => {
            let what = effects[effect];
            (format!("ended {what}"), ended(before, what))
        }
        Note::Lost(effect) => (format!("lost {}", effects[effect]), 0),
        Note::Raised(kind) => ((*kind).to_owned(), 0),
        Note::Other(what) => {
            let same = |note: &&Note| matches!(note, Note::Other(other) if other == what);
            (what.clone(), before.iter().filter(same).count())
        }
    }
}

/// The places of a finished run.
pub(super) fn places(world: &World) -> Vec<Place> {
    let notes = notes(world);
    (1..=notes.len()).map(|end| place(&notes[..end])).collect()
}

fn notes(world: &World) -> Vec<Note> {
    world.read(JOURNAL).lines().map(Note::read).collect()
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
    falls: &'a mut Falls,
    fell: Option<How>,
}

impl Observer for Watch<'_> {
    fn event(&mut self, event: &Event) {
        self.falls.notes.push(Note::of(&event.body));
        self.fell = self.falls.here();
        if self.fell.is_some() {
            resume_unwind(Box::new(Fallen));
        }
    }
    fn tick(&mut self, _: &dyn Fn() -> Gauges) {}
    fn progress(&mut self, _: &str) {}
    fn notice(&mut self, _: &str) {}
}

/// What is on record, and where the engine has fallen so far.
struct Falls {
    notes: Vec<Note>,
    places: BTreeSet<(Place, How)>,
}

impl Falls {
    /// The next way to fall at what was recorded last, if there is one left.
    fn here(&mut self) -> Option<How> {
        let place = place(&self.notes);
        let ways = [How::Torn, How::After].into_iter();
        let mut left = ways.filter(|how| !self.places.contains(&(place.clone(), *how)));
        let how = left.next()?;
        self.places.insert((place, how));
        Some(how)
    }

    /// Leaves of the journal what a fall at the last note leaves.
    fn cut(&mut self, journal: &str, how: How) -> String {
        let mut lines: Vec<&str> = journal
            .split_inclusive('\n')
            .take(self.notes.len())
            .collect();
        if how == How::Torn {
            self.notes.pop();
            let torn = lines.pop().unwrap_or_default();
            lines.push(&torn[..torn.len() / 2]);
        }
        lines.concat()
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
    let mut watch = Watch { falls, fell: None };
    let lived = catch_unwind(AssertUnwindSafe(|| session.drive(&mut watch, &|_| {})));
    match lived {
        Ok(ended) => Some(ended.unwrap_or_else(|error| panic!("{error:?}")).status),
        Err(why) if why.is::<Fallen>() => {
            let how = watch.fell.expect("it fell somehow");
            let left = falls.cut(&stage.world.read(JOURNAL), how);
            stage.world.write(JOURNAL, &left);
            None
        }
        Err(why) => resume_unwind(why),
    }
}

/// A person says something, and whoever writes it down falls as well. Is it on record?
fn says(stage: &Stage, step: &Step, falls: &mut Falls) -> bool {
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
    let decided = falls.notes.len();
    for line in after.lines().skip(falls.notes.len()) {
        falls.notes.push(Note::read(line));
        if let Some(how) = falls.here() {
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
            let left = falls.cut(&after, how);
            stage.world.write(JOURNAL, &left);
            let said = |note: &Note| matches!(note, Note::Other(what) if what == "decided.v1");
            return falls.notes[decided..].iter().any(said);
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
    // As the binary is told by a variable: this engine lives in the test.
    let config = stage.world.at(".proofhouse/config.toml");
    let set = std::fs::read_to_string(config).unwrap_or_default();
    let set = format!("{set}\n[checks]\nmutants = 0\n");
    stage.world.write(".proofhouse/config.toml", &set);
    let mut falls = Falls {
        notes: notes(&stage.world),
        places: BTreeSet::new(),
    };
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
        .filter(|((what, _), how)| what.starts_with("began Attempt") && *how == How::After);
    let begun_and_fallen = begun.count();
    Through {
        stage,
        places: falls.places,
        lost,
        begun_and_fallen,
    }
}

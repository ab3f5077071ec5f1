//! A crash at every event of a run's journal, and in the middle of writing it. Each play of
//! `tests/data/crashes/` is played undisturbed, and by a real engine that falls at every event there is,
//! one after the other; both must come to the same end, with the same files, and pay for the same
//! attempts. That one crash alone changes nothing either, wherever it comes, is tried in memory:
//! `crates/testkit/tests/it`, `crash_everywhere` of each workflow.

mod falling;
mod killed;

use crate::play::{Play, Stage, names, read};
use crate::support::World;
use std::collections::BTreeMap;
use std::path::Path;

/// What must be the same however often the engine fell: where the run stands, every file that it made,
/// and every attempt that was paid for.
#[derive(Debug, PartialEq, Eq)]
struct Essence {
    stands: String,
    files: BTreeMap<String, String>,
    finished: Vec<String>,
}

/// Why gates failed, for whoever has to find out.
fn failures(world: &World) -> String {
    let journal = world.journal();
    let gates = journal
        .iter()
        .filter(|record| record["kind"] == "gate_ended.v1");
    let results = gates.flat_map(|record| record["body"]["results"].as_array().unwrap());
    let failed = results.filter(|result| result["verdict"] != "pass");
    failed
        .map(|result| format!("{}: {}\n", result["check"], result["reason"]))
        .collect()
}

/// Lines that say when something was, or how often the engine was started.
const OF_THE_MOMENT: [&str; 3] = ["Last updated:", "Evidence link:", "created:"];
/// Not the run's work: git's own, the engine's scratch and records, our tools, and logs with times.
const APART: [&str; 9] = [
    ".git",
    ".proofhouse",
    "tools",
    "target",
    "artifacts",
    "log.md",
    "approvers",
    "ann",
    "ann.pub",
];

fn files(root: &Path, below: &Path, found: &mut BTreeMap<String, String>) {
    for entry in std::fs::read_dir(below).unwrap().flatten() {
        let (path, name) = (entry.path(), entry.file_name().into_string().unwrap());
        if APART.contains(&name.as_str()) {
            continue;
        }
        if path.is_dir() {
            files(root, &path, found);
            continue;
        }
        let text = String::from_utf8_lossy(&std::fs::read(&path).unwrap()).into_owned();
        let lines = text.lines();
        let lasting = lines.filter(|line| !OF_THE_MOMENT.iter().any(|word| line.starts_with(word)));
        let name = path.strip_prefix(root).unwrap().display().to_string();
        let text = lasting.collect::<Vec<_>>().join("\n");
        // Each world has a key of its own.
        let (text, key) = text.split_once("SHA256:").unwrap_or((&text, ""));
        let rest = key.split_once('\n').map_or("", |(_, rest)| rest);
        found.insert(name, format!("{text}{rest}"));
    }
}

impl Essence {
    fn of(world: &World) -> Self {
        let status = world.status();
        let attempts = status["attempts"].as_array().unwrap().iter();
        let finished = attempts.filter(|attempt| attempt["ended"] != "lost");
        let mut found = BTreeMap::new();
        files(world.path(), world.path(), &mut found);
        Self {
            stands: format!("{} {}", status["state"], status["activity"]),
            files: found,
            finished: finished
                .map(|attempt| format!("{} {}", attempt["state"], attempt["ended"]))
                .collect(),
        }
    }
}

impl Essence {
    /// An attempt of this state is made once more, before it comes to its end.
    fn pays_again(&mut self, state: &str) {
        let mut attempts = self.finished.iter();
        let begins = format!("\"{state}\" ");
        let first = attempts.position(|attempt| attempt.starts_with(&begins));
        let first = first.unwrap_or_else(|| panic!("no attempt in {state}"));
        self.finished.insert(first, self.finished[first].clone());
    }
}

#[track_caller]
fn every_event(workflow: &str) {
    let begins = format!("{workflow}-");
    let all = names("crashes").into_iter();
    let all: Vec<String> = all.filter(|name| name.starts_with(&begins)).collect();
    assert_eq!(all.len(), 2, "a happy one and an eventful one");
    for name in all {
        let play: Play = read(&format!("crashes/{name}.toml"));
        assert_eq!(play.workflow, workflow);
        let calm = Stage::set(&play);
        assert_eq!(play.faults_on(&calm), Vec::<String>::new(), "{name}");
        let mut want = Essence::of(&calm.world);
        for state in &play.again {
            want.pays_again(state);
        }
        let fallen = falling::fall_at_every_event(&play);
        let got = Essence::of(&fallen.stage.world);
        let fell = failures(&fallen.stage.world);
        assert_eq!(got.stands, want.stands, "{name}\n{fell}");
        assert_eq!(
            got.finished,
            want.finished,
            "{name}: an attempt was paid for twice, or never\n{}",
            failures(&fallen.stage.world)
        );
        assert_eq!(got.files, want.files, "{name}");
        fallen.stage.world.run(&["audit", "--ci"]).exits(0);
        // Each record of the undisturbed journal was fallen at, after it and in the middle of it.
        let kinds = falling::places(&calm.world).split_off(falling::written_by_new(&play));
        for place in &kinds {
            for how in [falling::How::Torn, falling::How::After] {
                let at = (place.clone(), how);
                assert!(fallen.places.contains(&at), "{name}: never fell at {at:?}");
            }
        }
        // Only what was begun and never started is begun again.
        assert_eq!(fallen.lost, fallen.begun_and_fallen, "{name}");
        assert!(kinds.len() > 30, "{name}: {} records", kinds.len());
    }
}

#[test]
fn of_phase() {
    every_event("phase");
}

#[test]
fn of_quick() {
    every_event("quick");
}

#[test]
fn of_slice() {
    every_event("slice");
}

#[test]
fn of_add() {
    every_event("add");
}

#[test]
fn of_lights_out() {
    every_event("lights-out");
}

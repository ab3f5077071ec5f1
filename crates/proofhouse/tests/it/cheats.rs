//! Cheats as data: each file of `tests/data/cheats/` is an agent that cheats in one workflow, and what
//! must come of it. The agent plays before one that does everything right, so nothing but the refusal
//! stands between the cheat and a pass.

use crate::support::{HONEST, World};
use serde::Deserialize;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// One agent that cheats.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Transcript {
    workflow: String,
    /// Files of the repository before it begins.
    #[serde(default)]
    files: BTreeMap<String, String>,
    /// Further arguments of `proofhouse new`.
    #[serde(default)]
    new: Vec<String>,
    /// What it does.
    script: String,
    /// Where the run stands in the end.
    ends: Option<Ends>,
    /// A state that it must never reach.
    not: Option<String>,
    /// Texts that the journal holds: the refusal.
    sees: Vec<String>,
    /// Files that are as they were.
    #[serde(default)]
    unchanged: Vec<String>,
    /// Files, and a text in them.
    #[serde(default)]
    holds: BTreeMap<String, String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Ends {
    state: String,
    waits: String,
}

pub(crate) fn data(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests/data")
        .join(path)
}

fn text(path: &str) -> String {
    std::fs::read_to_string(data(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
}

/// The names of all transcripts.
pub(crate) fn names() -> Vec<String> {
    let files = std::fs::read_dir(data("cheats")).unwrap().flatten();
    let names = files.map(|file| file.file_name().into_string().unwrap());
    let mut names: Vec<String> = names
        .map(|name| name.strip_suffix(".toml").unwrap().to_owned())
        .collect();
    names.sort();
    names
}

impl Transcript {
    fn read(name: &str) -> Self {
        let read = toml::from_str(&text(&format!("cheats/{name}.toml")));
        read.unwrap_or_else(|error| panic!("{name}: {error}"))
    }

    /// The honest agent of the workflow, and what `new` is told besides.
    fn honest(&self) -> (String, Vec<&str>) {
        match self.workflow.as_str() {
            "phase" => {
                let set = ["objective=be good", "done_gate=grep says so"];
                let args = [
                    "--dir",
                    "tasks/t",
                    "--set",
                    set[0],
                    "--set",
                    set[1],
                    "--check",
                    "grep -q good code.txt",
                ];
                (HONEST.to_owned(), args.to_vec())
            }
            "slice" => {
                let args = ["greet Ada", "--check", "grep -q Ada src/greet.txt"];
                (text("slice/happy.toml"), args.to_vec())
            }
            "add" => {
                let args = ["Totals for carts", "--set", "test_command=sh tests/run.sh"];
                (text("add/honest.toml"), args.to_vec())
            }
            "lights-out" => (text("lights-out/happy.toml"), vec!["build me a greeter"]),
            other => panic!("no honest agent for `{other}`"),
        }
    }

    /// A repository in which the agent is about to begin.
    fn begun(&self) -> (World, PathBuf) {
        let world = World::new();
        world.write("src/greet.txt", "good bye\n");
        world.write("secret/plans.txt", "the plan\n");
        world.write("preferences.md", "# Preferences\n\nStack: Rust\n");
        if self.workflow == "add" {
            world.write("tests/run.sh", &text("add/run.sh"));
            world.write("src/cart.sh", "items() { echo none; }\n");
        }
        if self.workflow == "lights-out" {
            std::fs::remove_dir_all(world.at("src")).unwrap();
        }
        for (path, text) in &self.files {
            world.write(path, text);
        }
        // `agent/` is where slice keeps its task, and the others their keys.
        let keys = if self.workflow == "slice" {
            ""
        } else {
            "agent/\n"
        };
        world.write(".gitignore", &format!("tools/\n/target\n{keys}"));
        let (honest, args) = self.honest();
        world.write("tools/script.toml", &format!("{}\n{honest}", self.script));
        world.git(&["add", "--all"]);
        let who = ["-c", "user.name=t", "-c", "user.email=t@t"];
        world.git(&[&who[..], &["commit", "--quiet", "-m", "sample"]].concat());
        let key = match self.workflow.as_str() {
            "slice" => PathBuf::new(),
            _ => world.approver("ann"),
        };
        let mut all = vec!["new", self.workflow.as_str()];
        all.extend(args);
        all.extend(["--name", "t", "--agent", "scripted:tools/script.toml"]);
        all.extend(self.new.iter().map(String::as_str));
        world.run(&all).exits(0);
        (world, key)
    }

    /// Plays it, and says what is not as it must be.
    fn faults(&self) -> Vec<String> {
        let (world, key) = self.begun();
        let before: Vec<String> = self.unchanged.iter().map(|path| world.read(path)).collect();
        world.run(&["run", "t"]);
        if world.status()["state"] == "freeze" {
            world.decide(&key, "freeze").exits(0);
            world.run(&["run", "t"]);
        }
        let (status, journal) = (world.status(), world.read(".proofhouse/journal/t.jsonl"));
        let mut faults = Vec::new();
        if let Some(ends) = &self.ends {
            let stands = [&status["state"], &status["waiting_for"]["reason"]];
            if stands != [ends.state.as_str(), ends.waits.as_str()] {
                faults.push(format!(
                    "it stands in {stands:?}: {}",
                    status["waiting_for"]
                ));
            }
        }
        assert!(
            self.ends.is_some() || self.not.is_some(),
            "nothing is asked of the end"
        );
        let reached = |state: &str| journal.contains(&format!("\"state\":\"{state}\""));
        if let Some(state) = self.not.as_ref().filter(|state| reached(state)) {
            faults.push(format!("it reached `{state}`"));
        }
        for seen in self.sees.iter().filter(|seen| !journal.contains(*seen)) {
            faults.push(format!("no `{seen}` in the journal"));
        }
        for (path, before) in self.unchanged.iter().zip(before) {
            if std::fs::read_to_string(world.at(path)).ok() != Some(before) {
                faults.push(format!("{path} was changed"));
            }
        }
        for (path, text) in &self.holds {
            if !world.read(path).contains(text) {
                faults.push(format!("no `{text}` in {path}:\n{}", world.read(path)));
            }
        }
        world.run(&["audit", "--ci"]).exits(0);
        faults
    }
}

#[track_caller]
fn all_of(workflow: &str) {
    let begins = format!("{workflow}-");
    let names: Vec<String> = names()
        .into_iter()
        .filter(|name| name.starts_with(&begins))
        .collect();
    assert!(!names.is_empty());
    let mut faults = Vec::new();
    for name in names {
        let transcript = Transcript::read(&name);
        assert_eq!(transcript.workflow, workflow, "{name}");
        assert!(!transcript.sees.is_empty(), "{name} names no refusal");
        let found = transcript.faults();
        faults.extend(found.into_iter().map(|fault| format!("{name}: {fault}")));
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

#[test]
fn every_cheat_in_phase_ends_in_its_refusal() {
    all_of("phase");
}

#[test]
fn every_cheat_in_slice_ends_in_its_refusal() {
    all_of("slice");
}

#[test]
fn every_cheat_in_add_ends_in_its_refusal() {
    all_of("add");
}

#[test]
fn every_cheat_in_lights_out_ends_in_its_refusal() {
    all_of("lights-out");
}

//! Plays: what agents and people do in one run, and what must come of it, as data. `tests/data` has
//! them: a play is laid before an agent that does everything right, so nothing but what the play
//! asks for stands between bad work and a pass.
//!
//! A play without an end that it asks for is refused: a run that is only watched proves nothing.

mod seen;
mod stage;

pub(crate) use seen::{Seen, Verdict, decisions, gates, workflow};
pub(crate) use stage::{Stage, honest};

use serde::Deserialize;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// One play.
#[derive(Deserialize, Clone)]
#[serde(deny_unknown_fields)]
pub(crate) struct Play {
    pub(crate) workflow: String,
    /// Files of the repository before it begins.
    #[serde(default)]
    pub(crate) files: BTreeMap<String, String>,
    /// Further arguments of `proofhouse new`.
    #[serde(default)]
    pub(crate) new: Vec<String>,
    /// What is asked for is given later, with a decision.
    #[serde(default)]
    pub(crate) unasked: bool,
    /// Agents of other files: `FILE`, `FILE#BLOCK`, `FILE#BLOCK@ATTEMPT`.
    #[serde(default)]
    pub(crate) lays: Vec<String>,
    /// What the agents do instead of the right thing.
    #[serde(default)]
    pub(crate) script: String,
    /// Texts of all agents, and what they say in this play.
    #[serde(default)]
    pub(crate) instead: BTreeMap<String, String>,
    /// What happens: `run`, `once`, or a person's word, see [`Step`].
    #[serde(default)]
    pub(crate) does: Vec<String>,
    /// States whose attempt is paid for once more if a session drops, because the workflow leads back
    /// to it. Only plays of `crashes/` have them.
    #[serde(default)]
    pub(crate) again: Vec<String>,
    /// Where the run stands in the end.
    pub(crate) ends: Ends,
    /// A state that it must never reach.
    pub(crate) not: Option<String>,
    /// Texts of what was refused, or of a gate's answer that is no pass. What a run was told in the
    /// beginning stands in the journal whatever happens, so nothing else of it counts.
    #[serde(default)]
    pub(crate) sees: Vec<String>,
    /// Actions that follow each other, with spaces between them.
    #[serde(default)]
    pub(crate) acts: Vec<String>,
    /// Files that are as they were.
    #[serde(default)]
    pub(crate) unchanged: Vec<String>,
    /// Files, and a text in them.
    #[serde(default)]
    pub(crate) holds: BTreeMap<String, String>,
}

/// Where a run stands.
#[derive(Deserialize, Clone)]
#[serde(deny_unknown_fields)]
pub(crate) struct Ends {
    pub(crate) state: String,
    /// Why a person is asked; none: nobody is.
    pub(crate) waits: Option<String>,
    /// The code of the last refusal.
    pub(crate) refusal: Option<String>,
    /// Budgets, and what is used of them.
    #[serde(default)]
    pub(crate) used: BTreeMap<String, u64>,
}

/// One thing that happens.
#[derive(Debug, PartialEq)]
pub(crate) enum Step {
    /// As far as it goes.
    Run,
    /// One attempt.
    Once,
    /// A person decides: the option, why, and what comes of it.
    Says(String, String, Told),
    /// A person writes this file: a text, or in place of one.
    Writes(String, String),
    /// A person removes this file.
    Removes(String),
    /// The inbox says this.
    Inbox(String),
}

/// What a decision leads to.
#[derive(Debug, PartialEq)]
pub(crate) enum Told {
    /// It is taken.
    Taken,
    /// It is taken, and the run is in this state.
    LeadsTo(String),
    /// It is refused with this code.
    Refused(String),
}

impl Step {
    /// Reads `run`, `once`, `+PATH: TEXT`, `-PATH`, `inbox: TEXT`, `OPTION` and `OPTION (WHY)`, each
    /// option with `-> STATE` or `! CODE`.
    pub(crate) fn read(text: &str) -> Self {
        match text {
            "run" => return Step::Run,
            "once" => return Step::Once,
            _ => {}
        }
        if let Some(written) = text.strip_prefix('+') {
            let (path, text) = written.split_once(": ").unwrap_or((written, ""));
            return Step::Writes(path.to_owned(), text.to_owned());
        }
        if let Some(path) = text.strip_prefix('-') {
            return Step::Removes(path.to_owned());
        }
        if let Some(told) = text.strip_prefix("inbox: ") {
            return Step::Inbox(told.to_owned());
        }
        let (said, told) = match (text.split_once(" -> "), text.split_once(" ! ")) {
            (Some((said, state)), _) => (said, Told::LeadsTo(state.to_owned())),
            (None, Some((said, code))) => (said, Told::Refused(code.to_owned())),
            (None, None) => (text, Told::Taken),
        };
        let (option, why) = match said.split_once(" (") {
            Some((option, why)) => (option, why.trim_end_matches(')')),
            None => (said, "I looked at it"),
        };
        Step::Says(option.to_owned(), why.to_owned(), told)
    }
}

pub(crate) fn data(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests/data")
        .join(path)
}

pub(crate) fn text(path: &str) -> String {
    std::fs::read_to_string(data(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
}

/// A file of data, whose keys are all known.
pub(crate) fn read<T: serde::de::DeserializeOwned>(path: &str) -> T {
    toml::from_str(&text(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
}

/// The names of a folder's files, without their endings.
pub(crate) fn names(folder: &str) -> Vec<String> {
    let files = std::fs::read_dir(data(folder)).unwrap().flatten();
    let names = files.map(|file| file.file_name().into_string().unwrap());
    let mut names: Vec<String> = names
        .map(|name| name.strip_suffix(".toml").unwrap().to_owned())
        .collect();
    names.sort();
    names
}

/// Agents of a file, or of a block of it; with `@N`, for that attempt alone.
pub(crate) fn laid(which: &str) -> String {
    let (which, attempt) = match which.split_once('@') {
        Some((which, attempt)) => (which, Some(attempt)),
        None => (which, None),
    };
    let agents = match which.split_once('#') {
        Some((file, block)) => {
            let text = text(file);
            let mut blocks = text.split("#: ").skip(1);
            let found = blocks.find_map(|found| found.strip_prefix(&format!("{block}\n")));
            found.unwrap_or_else(|| panic!("no {which}")).to_owned()
        }
        None => text(which),
    };
    match attempt {
        Some(attempt) => agents
            .replace(
                "[[attempt]]\n",
                &format!("[[attempt]]\nattempt = {attempt}\n"),
            )
            .replace("NTH", attempt),
        None => agents,
    }
}

impl Play {
    /// The agents of this play, before the one that does everything right.
    pub(crate) fn agents(&self, honest: &str) -> String {
        let laid: String = self.lays.iter().map(|which| laid(which) + "\n").collect();
        let mut agents = format!("{laid}{}\n{honest}", self.script);
        for (find, put) in &self.instead {
            assert!(agents.contains(find), "nobody says `{find}`");
            agents = agents.replace(find, put);
        }
        agents
    }

    /// The steps; by itself a play runs, and a freeze is approved.
    pub(crate) fn steps(&self) -> Vec<Step> {
        let usual: &[&str] = match self.workflow.as_str() {
            "add" => &["run", "freeze -> tests", "run"],
            _ => &["run"],
        };
        match self.does.as_slice() {
            [] => usual.iter().map(|step| Step::read(step)).collect(),
            does => does.iter().map(|step| Step::read(step)).collect(),
        }
    }

    /// Does this play ask for a refusal that says this?
    pub(crate) fn asks_for(&self, text: &str) -> bool {
        let refused =
            |step: &Step| matches!(step, Step::Says(_, _, Told::Refused(code)) if code == text);
        self.sees.iter().any(|seen| seen.contains(text))
            || self
                .ends
                .refusal
                .as_ref()
                .is_some_and(|code| code.contains(text))
            || self.holds.values().any(|held| held.contains(text))
            || self.steps().iter().any(refused)
    }

    /// Plays it on a new stage, and says what is not as it must be.
    pub(crate) fn faults(&self) -> Vec<String> {
        let stage = Stage::set(self);
        self.faults_on(&stage)
    }

    /// The same, on a stage that somebody wants to look at.
    pub(crate) fn faults_on(&self, stage: &Stage) -> Vec<String> {
        let before: Vec<String> = self
            .unchanged
            .iter()
            .map(|path| stage.world.read(path))
            .collect();
        let mut faults: Vec<String> = self
            .steps()
            .iter()
            .filter_map(|step| stage.take(step).err())
            .collect();
        faults.extend(stage.stands(&self.ends).err());
        let journal = stage.world.read(".proofhouse/journal/t.jsonl");
        let reached = |state: &str| journal.contains(&format!("\"state\":\"{state}\""));
        if let Some(state) = self.not.as_ref().filter(|state| reached(state)) {
            faults.push(format!("it reached `{state}`"));
        }
        let watched = Seen::of(&stage.world);
        let refused = |text: &&String| watched.refusals.iter().any(|said| said.contains(*text));
        for text in self.sees.iter().filter(|text| !refused(text)) {
            let said = watched.refusals.join("\n");
            faults.push(format!("nothing was refused with `{text}`:\n{said}"));
        }
        let actions = format!(" {} ", watched.actions.join(" "));
        let missing = self
            .acts
            .iter()
            .filter(|acts| !actions.contains(&format!(" {acts} ")));
        faults.extend(missing.map(|acts| format!("no `{acts}` in{actions}")));
        for (path, before) in self.unchanged.iter().zip(before) {
            if std::fs::read_to_string(stage.world.at(path)).ok() != Some(before) {
                faults.push(format!("{path} was changed"));
            }
        }
        for (path, text) in &self.holds {
            let found = std::fs::read_to_string(stage.world.at(path)).unwrap_or_default();
            if !found.contains(text) {
                faults.push(format!("no `{text}` in {path}:\n{found}"));
            }
        }
        let audit = stage.world.run(&["audit", "--ci"]);
        if audit.code != 0 {
            faults.push(format!("the audit says {}", audit.out));
        }
        faults
    }
}

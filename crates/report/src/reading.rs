//! What a project's roles were given to read, against what came of it: characters of briefs for each
//! character of shipped code. Repairs, which a debate or a gate asked for, are told apart: revisions and
//! amendments, and plans and specs that were asked for again.

use crate::History;
use kernel::{EffectId, EvidenceRef};
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use workspace::{EngineError, Project};

/// States in which work is mended.
const REPAIRS: [&str; 2] = ["revise", "amend"];

/// States that a judgement of the engine sends back to: from the second time on, of the same subject.
const AGAIN: [&str; 2] = ["micro_plan", "specify"];

/// What one role read.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct Read {
    pub briefs: u64,
    /// Of all of them, in bytes of their text.
    pub characters: u64,
    /// For each character of shipped code; none: nothing is shipped.
    pub each: Option<f64>,
}

impl Read {
    fn add(&mut self, size: u64) {
        self.briefs += 1;
        self.characters += size;
    }

    fn for_each(mut self, shipped: u64) -> Self {
        // Sizes of texts are far below what a float holds exactly.
        let each = self.characters as f64 / shipped as f64;
        self.each = (shipped > 0).then(|| (each * 10.0).round() / 10.0);
        self
    }
}

/// All of it.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Reading {
    /// By role, without repairs.
    pub roles: BTreeMap<String, Read>,
    pub all: Read,
    /// What was asked for again.
    pub repairs: Read,
    /// Characters of the code of everything that is shipped.
    pub shipped: u64,
}

/// Reads a project's journal and what it shipped.
pub fn reading(project: &Project, name: &str) -> Result<Reading, EngineError> {
    let history = crate::history(project, name)?;
    let peek = crate::look::peek_project(project, name)?;
    let mut shipped = 0;
    for module in peek.machine.registry().iter() {
        let folder = ::factory::engineering::context::module_folder(&module.reference);
        let code = project.home().join(folder).join("implementation");
        shipped += size_of(&code)?;
    }
    Ok(Reading::of(&history, shipped))
}

fn size_of(folder: &Path) -> Result<u64, EngineError> {
    let mut size = 0;
    for path in store::walk(folder, &|_| false)? {
        let path = folder.join(path);
        let found = path.symlink_metadata();
        size += found.map_err(EngineError::io("read", &path))?.len();
    }
    Ok(size)
}

impl Reading {
    /// Of a project's history, with the characters that it shipped.
    pub fn of(history: &History, shipped: u64) -> Self {
        let kept = history
            .outcomes()
            .flat_map(|(effect, outcome)| outcome.evidence.iter().map(move |one| (effect, one)));
        let role = |effect: EffectId| {
            let began = history.began(effect);
            let role = began.map_or("", |one| one.effect.role.as_str());
            let subject = began.map_or("", |one| one.effect.subject.as_str());
            (
                role.to_owned(),
                history.state(effect).to_owned(),
                subject.to_owned(),
            )
        };
        Self::by(kept, role, shipped)
    }

    fn by<'a>(
        kept: impl Iterator<Item = (EffectId, &'a EvidenceRef)>,
        role: impl Fn(EffectId) -> (String, String, String),
        shipped: u64,
    ) -> Self {
        let mut roles: BTreeMap<String, Read> = BTreeMap::new();
        let (mut all, mut repairs) = (Read::default(), Read::default());
        let mut seen = BTreeSet::new();
        for (effect, one) in kept.filter(|(_, one)| one.name.ends_with(" brief")) {
            let (role, state, subject) = role(effect);
            let again = AGAIN.contains(&state.as_str()) && !seen.insert((state.clone(), subject));
            if again || REPAIRS.contains(&state.as_str()) {
                repairs.add(one.size);
            } else {
                roles.entry(role).or_default().add(one.size);
                all.add(one.size);
            }
        }
        let roles = roles.into_iter();
        Self {
            roles: roles
                .map(|(name, read)| (name, read.for_each(shipped)))
                .collect(),
            all: all.for_each(shipped),
            repairs: repairs.for_each(shipped),
            shipped,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn repairs_are_told_apart_and_nothing_shipped_has_no_rate() {
        let kept = |name: &str, size| EvidenceRef {
            hash: String::new(),
            name: name.to_owned(),
            size,
            sealed: false,
        };
        let all = [
            (1, kept("e0001 propose brief", 300)),
            (2, kept("e0002 challenge brief", 200)),
            (3, kept("e0003 revise brief", 900)),
            (4, kept("e0004 challenge brief", 100)),
            (4, kept("e0004 transcript", 5_000)),
            (5, kept("e0005 micro_plan brief", 70)),
            (6, kept("e0006 micro_plan brief", 80)),
            (7, kept("e0007 micro_plan brief", 30)),
        ];
        let role = |effect: EffectId| {
            let (role, state, subject) = match effect.0 {
                1 => ("proposer", "propose", "T-1/MM-a"),
                3 => ("proposer", "revise", "T-1/MM-a"),
                5 | 6 => ("micro_planner", "micro_plan", "T-1"),
                7 => ("micro_planner", "micro_plan", "T-2"),
                _ => ("challenger", "challenge", "T-1/MM-a"),
            };
            (role.to_owned(), state.to_owned(), subject.to_owned())
        };
        let numbered = || all.iter().map(|(at, one)| (EffectId(*at), one));
        let reading = Reading::by(numbered(), role, 50);
        assert_eq!(reading.all.each, Some(14.0));
        // The first plan of each task is no repair, and the second of one is.
        let planner = &reading.roles["micro_planner"];
        assert_eq!((planner.briefs, planner.characters), (2, 100));
        let challenger = &reading.roles["challenger"];
        assert_eq!((challenger.briefs, challenger.characters), (2, 300));
        assert_eq!(challenger.each, Some(6.0));
        assert_eq!(reading.repairs.characters, 980);
        assert_eq!(Reading::by(numbered(), role, 0).all.each, None);
    }
}

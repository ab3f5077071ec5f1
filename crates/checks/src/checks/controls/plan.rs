//! What is to be tried: the order to whoever can parse the language, and the plan that comes back.
//! The parser runs in a room like everything that reads what an agent wrote, and imports nothing of it.

use super::{File, Files};
use crate::Subject;
use crate::error::Error;
use crate::execute::{Program, execute};
use crate::readers::report_files::{self, Folder};
use crate::room::Room;
pub(super) use languages::canaries::Ends;
pub(super) use languages::mutants::{Function, Mutant, Placebo};
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;
use std::time::{Duration, Instant};

/// Parses Python with Python.
const PYTHON: &str = include_str!("plan.py");
/// How many files get canaries, and how many tests of each are turned round.
const FILES: usize = 4;
const TURNED: usize = 6;
/// How many mutants are tried at most.
const CONSTANTS: usize = 10;
const OTHERS: usize = 5;
/// So many functions have one constant tried each, where nobody said how many there may be: a bad one among
/// many good ones is not to be left out by chance.
const EACH: usize = 40;

/// What is asked for.
#[derive(Serialize)]
pub(super) struct Order {
    pub(super) seed: String,
    /// A part of every name that we make.
    pub(super) token: String,
    pub(super) tests: Vec<File>,
    pub(super) code: Vec<File>,
    /// Mutants that no test noticed the last time, which are chosen first: path, function, what.
    pub(super) again: Vec<[String; 3]>,
    pub(super) turned: usize,
    /// Is an answer looked at that equals everything?
    pub(super) unlike: bool,
    pub(super) constants: usize,
    pub(super) others: usize,
    /// Up to how many functions get a constant each.
    pub(super) each: usize,
}

/// A file of tests with controls in it.
#[derive(Debug, Clone, Deserialize)]
pub(super) struct Test {
    pub(super) path: String,
    pub(super) token: String,
    pub(super) text: String,
    /// The same without copies of tests.
    pub(super) plain: String,
    /// The same canaries, and the file as it was.
    pub(super) base: String,
    pub(super) canaries: Vec<Canary>,
    pub(super) turned: Vec<Turned>,
}

/// A test of ours, and how it must end.
#[derive(Debug, Clone, Deserialize)]
pub(super) struct Canary {
    pub(super) name: String,
    pub(super) ends: Ends,
}

/// A test of the change of which there is a copy with an assertion turned round, and one that asks as it did.
#[derive(Debug, Clone, Deserialize)]
pub(super) struct Turned {
    /// Empty: it stands in no class.
    pub(super) class: String,
    pub(super) name: String,
}

/// All that is to be tried.
#[derive(Debug, Default, Deserialize)]
pub(super) struct Plan {
    pub(super) tests: Vec<Test>,
    pub(super) code: Vec<Placebo>,
    pub(super) functions: Vec<Function>,
    /// Bodies that always do the same.
    pub(super) constants: Vec<Mutant>,
    /// Small changes.
    pub(super) others: Vec<Mutant>,
    pub(super) left_out: usize,
    pub(super) faults: Vec<String>,
    /// Do modules of ours stand in the place of others? Who is not called from outside is not seen then,
    /// and a module that looks at its own place is another in another one.
    #[serde(default)]
    pub(super) wrapped: bool,
}

impl Order {
    /// An order for the files of a language, which have these endings.
    pub(super) fn of(seed: &str, files: &Files, endings: &[&str], most: Option<usize>) -> Self {
        let each = if most.is_none() { EACH } else { 0 };
        let most = most.unwrap_or(CONSTANTS + OTHERS);
        let constants = most.min(CONSTANTS);
        let of = |file: &&File| endings.iter().any(|ending| file.path.ends_with(ending));
        let code: Vec<File> = files.code.iter().filter(of).cloned().collect();
        let changed = files.tests.iter().filter(of).filter(|file| file.changed);
        let mut tests: Vec<File> = changed.take(FILES).cloned().collect();
        if tests.is_empty() {
            // Those that speak of what was changed, or else any.
            let all: Vec<&File> = files.tests.iter().filter(of).collect();
            let stem = |file: &File| {
                let name = file.path.rsplit('/').next().unwrap_or_default();
                name.split('.').next().unwrap_or(name).to_owned()
            };
            let speaks = |test: &&&File| code.iter().any(|file| test.now.contains(&stem(file)));
            let speaking: Vec<&&File> = all.iter().filter(speaks).collect();
            let chosen: Vec<&File> = match speaking.is_empty() {
                true => all.into_iter().take(1).collect(),
                false => speaking.into_iter().copied().take(FILES).collect(),
            };
            tests = chosen.into_iter().cloned().collect();
        }
        Self {
            seed: seed.to_owned(),
            token: format!("c{seed}"),
            tests,
            code,
            again: Vec::new(),
            turned: TURNED,
            unlike: false,
            constants,
            others: (most - constants).min(OTHERS),
            each,
        }
    }
}

impl Plan {
    /// A plan for Python.
    pub(super) fn python(subject: &Subject<'_>, room: &Room, order: &Order) -> Result<Self, Error> {
        let folder = Folder::new()?;
        folder.lay("plan.py", PYTHON)?;
        folder.lay("order.json", &serde_json::to_string(order)?)?;
        let own = folder.file();
        let line = "if [ -x .venv/bin/python ]; then p=.venv/bin/python; else p=python3; fi; \
                    exec \"$p\" -I -B \"${PROOFHOUSE_REPORT%/*}/plan.py\"";
        let executed = room.inside(subject, |inside| {
            let timeout = Some(Duration::from_secs(60));
            let mut program = Program::shell(line, timeout, Instant::now());
            program.report = Some(&own);
            execute(inside, program)
        })?;
        let Some(text) = report_files::read(&own)? else {
            return Err(format!("the parser of Python says: {}", executed.last_line()).into());
        };
        Ok(serde_json::from_str(&text)?)
    }

    /// Leaves canaries alone; was there anything else?
    pub(super) fn forget_mutants(&mut self) -> bool {
        let any = !self.code.is_empty();
        self.code.clear();
        self.functions.clear();
        self.constants.clear();
        self.others.clear();
        any
    }

    /// Without names for what has no mutants; those of them that may be called, by their places.
    pub(super) fn without_values(
        &mut self,
        no_function: &dyn Fn(u32) -> Option<bool>,
    ) -> Vec<String> {
        let callable = |one: &&Function| no_function(one.number) == Some(true);
        let named = self.functions.iter().filter(callable);
        let named = named.map(|one| format!("`{}` ({}:{})", one.name, one.path, one.line));
        let named: Vec<String> = named.collect();
        self.functions
            .retain(|one| no_function(one.number).is_none());
        self.constants
            .retain(|one| no_function(one.number).is_none());
        named
    }

    /// Leaves out functions that nobody was seen to call, where calls from inside are not seen.
    pub(super) fn keep_called(&mut self, called: &dyn Fn(u32) -> bool) {
        if self.wrapped {
            self.functions.retain(|one| called(one.number));
            self.constants.retain(|one| called(one.number));
        }
    }

    /// The same files of tests with canaries alone; none where there are no copies of tests.
    pub(super) fn without_copies(&self) -> Option<Vec<Test>> {
        let some = self.tests.iter().any(|test| !test.turned.is_empty());
        let alone = |test: &Test| Test {
            text: test.plain.clone(),
            base: match test.base == test.text {
                true => test.plain.clone(),
                false => test.base.clone(),
            },
            turned: Vec::new(),
            ..test.clone()
        };
        some.then(|| self.tests.iter().map(alone).collect())
    }

    pub(super) fn lay_canaries(&self, room: &Room) -> Result<(), Error> {
        let mut tests = self.tests.iter();
        tests.try_for_each(|test| room.put(&test.path, Some(&test.text)))
    }

    /// Canaries in the tests as they were.
    pub(super) fn lay_base(&self, room: &Room) -> Result<(), Error> {
        let mut tests = self.tests.iter();
        tests.try_for_each(|test| room.put(&test.path, Some(&test.base)))
    }

    /// What makes packages of the folders that tests in Python are in.
    pub(super) fn packages(&self) -> BTreeSet<String> {
        let tests = self.tests.iter().filter(|test| test.path.ends_with(".py"));
        let folders =
            tests.flat_map(|test| test.path.match_indices('/').map(|(at, _)| &test.path[..at]));
        folders
            .map(|folder| format!("{folder}/__init__.py"))
            .collect()
    }

    pub(super) fn lay_placebos(&self, room: &Room) -> Result<(), Error> {
        let mut code = self.code.iter();
        code.try_for_each(|placebo| room.put(&placebo.path, Some(&placebo.text)))
    }

    pub(super) fn lay_placebo(&self, room: &Room, path: &str) -> Result<(), Error> {
        let mut code = self.code.iter().filter(|placebo| placebo.path == path);
        code.try_for_each(|placebo| room.put(path, Some(&placebo.text)))
    }

    /// Which function of which file a mutant is of.
    pub(super) fn named(&self, mutant: &Mutant) -> String {
        let mut functions = self.functions.iter();
        let name = functions.find(|function| function.number == mutant.number);
        let name = name.map_or("", |function| function.name.as_str());
        format!("`{name}` ({}:{})", mutant.path, mutant.line)
    }
}

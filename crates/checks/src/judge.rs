//! How a check is written: read the settings, judge the subject. What is the same for all of them
//! around that is here, once. It refuses to let a check pass without a reason, or judge by settings
//! that it could not read.

use crate::settings::Settings;
use crate::text::answer;
use crate::{Check, Example, Setting, Subject};
use kernel::outcome::{CheckResult, Verdict};
use serde_json::Value;

/// A check, as it is written. Each is a [`Check`] by that, which is how the gate sees it.
pub(crate) trait Judges: Sync {
    /// Its name in workflow files.
    const NAME: &'static str;
    /// One line for the documentation.
    const ABOUT: &'static str;
    /// All settings that it knows; any other key is refused before [`Judges::read`].
    const SETTINGS: &'static [Setting];
    /// What the settings ask for.
    type Wanted<'a>;
    /// What it answers: a [`Judged`] in most checks, which is a reason to pass, or a trouble.
    type Answer: Answer;

    /// Reads the settings. What it refuses is refused when the workflow is loaded.
    fn read<'a>(settings: &Settings<'a>) -> Result<Self::Wanted<'a>, String>;
    /// Judges what the engine ran, read or hashed itself.
    fn judge(wanted: &Self::Wanted<'_>, subject: &Subject<'_>) -> Self::Answer;
    /// What passes, what fails and what cannot run, as data that the tests try.
    fn examples() -> Vec<Example>;
}

impl<J: Judges> Check for J {
    fn name(&self) -> &'static str {
        J::NAME
    }

    fn about(&self) -> &'static str {
        J::ABOUT
    }

    fn settings(&self) -> &'static [Setting] {
        J::SETTINGS
    }

    fn lint(&self, with: &Value) -> Result<(), String> {
        wanted::<J>(with).map(drop)
    }

    fn run(&self, with: &Value, subject: &Subject<'_>) -> Vec<CheckResult> {
        match wanted::<J>(with) {
            Ok(wanted) => J::judge(&wanted, subject).results(J::NAME),
            Err(why) => Trouble::CouldNotRun(why).results(J::NAME),
        }
    }

    fn examples(&self) -> Vec<Example> {
        J::examples()
    }
}

/// A check's settings, read.
pub(crate) fn wanted<J: Judges>(with: &Value) -> Result<J::Wanted<'_>, String> {
    J::read(&Settings::open(J::NAME, J::SETTINGS, with)?)
}

/// Why a check does not pass.
pub(crate) enum Trouble {
    /// The engine saw it not hold.
    Fails(String),
    /// It could not be tried.
    CouldNotRun(String),
}

impl From<String> for Trouble {
    fn from(reason: String) -> Self {
        Trouble::Fails(reason)
    }
}

/// A reason to pass, or a trouble. A check that keeps evidence, or that has several results, says
/// in place of the reason what they are.
pub(crate) type Judged<T = String> = Result<T, Trouble>;

/// What a judgement may be.
pub(crate) trait Answer {
    /// The results, under the check's name where they have none of their own.
    fn results(self, name: &str) -> Vec<CheckResult>;
}

/// A reason to pass.
impl Answer for String {
    fn results(self, name: &str) -> Vec<CheckResult> {
        vec![answer(name, Verdict::Pass, &self)]
    }
}

impl Answer for Trouble {
    fn results(self, name: &str) -> Vec<CheckResult> {
        let (verdict, reason) = match self {
            Trouble::Fails(reason) => (Verdict::Fail, reason),
            Trouble::CouldNotRun(reason) => (Verdict::CouldNotRun, reason),
        };
        vec![answer(name, verdict, &reason)]
    }
}

impl Answer for CheckResult {
    fn results(self, _name: &str) -> Vec<CheckResult> {
        vec![self]
    }
}

impl Answer for Vec<CheckResult> {
    fn results(self, _name: &str) -> Vec<CheckResult> {
        self
    }
}

impl<T: Answer, E: Answer> Answer for Result<T, E> {
    fn results(self, name: &str) -> Vec<CheckResult> {
        match self {
            Ok(answer) => answer.results(name),
            Err(trouble) => trouble.results(name),
        }
    }
}

//! How a check is written: a type whose members are its settings, and that judges a subject. What is
//! the same for all of them around that is here, once.

use crate::error::Error;
use crate::settings::{self, Setting, SettingsError};
use crate::text::answer;
use crate::{Check, Subject};
use kernel::outcome::{CheckResult, Verdict};
use schemars::JsonSchema;
use serde::de::DeserializeOwned;
use serde_json::Value;
use std::fmt::Display;
use std::marker::PhantomData;

/// A check with its settings. Each is a [`Check`] by that, which is how the gate sees it.
pub(crate) trait Judge: DeserializeOwned + JsonSchema + 'static {
    /// Its name in workflow files.
    const NAME: &'static str;
    /// What it answers: a [`Judged`] in most checks, which is a reason to pass, or a trouble.
    type Answer: Answer;

    /// What must hold between the settings, where the type of none of them can say it.
    fn lint(&self) -> Result<(), SettingsError> {
        Ok(())
    }

    /// Judges what the engine ran, read or hashed itself.
    fn judge(&self, subject: &Subject<'_>) -> Self::Answer;

    /// A refusal of settings that do not go together.
    fn refuse<T>(rule: &'static str) -> Result<T, SettingsError> {
        let of = Self::NAME;
        Err(SettingsError::Together { of, rule })
    }
}

struct Registered<J>(PhantomData<fn() -> J>);

/// The check, for the registry.
pub(crate) const fn check<J: Judge>() -> &'static dyn Check {
    &Registered::<J>(PhantomData)
}

impl<J: Judge> Check for Registered<J> {
    fn name(&self) -> &'static str {
        J::NAME
    }

    fn settings(&self) -> Vec<Setting> {
        settings::settings::<J>()
    }

    fn lint(&self, with: &Value) -> Result<(), SettingsError> {
        read::<J>(with).map(drop)
    }

    fn run(&self, with: &Value, subject: &Subject<'_>) -> Vec<CheckResult> {
        match read::<J>(with) {
            Ok(check) => check.judge(subject).results(J::NAME),
            Err(why) => Trouble::cannot(why).results(J::NAME),
        }
    }
}

fn read<J: Judge>(with: &Value) -> Result<J, SettingsError> {
    let check: J = settings::read(J::NAME, with)?;
    check.lint()?;
    Ok(check)
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

impl From<Error> for Trouble {
    fn from(why: Error) -> Self {
        Trouble::Fails(why.to_string())
    }
}

impl Trouble {
    /// It could not be tried.
    pub(crate) fn cannot(why: impl Display) -> Self {
        Trouble::CouldNotRun(why.to_string())
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

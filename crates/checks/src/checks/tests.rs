//! `tests`: runs a suite and judges it test by test. It refuses an exit code instead of names, a
//! suite that ran nothing or not to its end, and a suite that has become smaller than it was.

pub(crate) mod verdict;

use crate::Subject;
use crate::checks::controls::{Controls, whole};
use crate::checks::suite::by_runner::{ByRunner, Suite};
use crate::checks::suite::instrument::{Instrument, OfRunner, recognised};
use crate::error::Error;
use crate::judge::{Judge, Judged, Trouble};
use crate::settings::{
    Choice, Choices, IdPattern, Number, Placed, RelativePath, Seconds, SettingsError, Text, Words,
};
use kernel::outcome::{CheckResult, Verdict};
use languages::runners::Runner;
use schemars::JsonSchema;
use serde::Deserialize;
use std::time::Instant;

/// The test suite runs to its end, with named results, and is green (or red, if asked for).
#[derive(Default, Deserialize, JsonSchema)]
pub(crate) struct Tests {
    /// `auto`, or the runner's name; auto.
    pub(super) runner: Option<Choice<Chosen>>,
    /// A line for `sh -c`, instead of the runner's own.
    pub(super) command: Option<Text>,
    /// A field with such a line that writes JUnit XML; empty: the runner's own.
    pub(super) command_from: Option<Text>,
    /// File or folder of the repository with JUnit XML.
    pub(super) junit: Option<RelativePath>,
    /// A name, where a workflow runs several suites.
    pub(super) suite: Option<Text>,
    /// `green`, `red` or `red_or_missing_symbol`; green.
    pub(super) expect: Option<Choice<Expect>>,
    /// How many tests must run at least; 1.
    pub(super) min: Option<Number<1, 1_000_000>>,
    /// How many tests may be skipped at most.
    pub(super) max_skipped: Option<Number<0, 1_000_000>>,
    /// Expression for ids of which each needs a test.
    pub(super) ids: Option<IdPattern>,
    /// The file with the ids; `task/...` or `repo/...`.
    pub(super) ids_from: Option<Placed>,
    /// The heading over the ids; the whole file.
    pub(super) ids_section: Option<Text>,
    /// List of `count`, `names`, `skips`: as before or better.
    #[serde(default)]
    pub(super) keeps: Choices<Ratchet>,
    /// Wall limit; never more than the gate's.
    pub(super) timeout_seconds: Option<Seconds>,
    /// `on`: a green suite must show that it could have failed; `mutated`: and where nothing was mutated
    /// it is weak; `answered`: and of small mutants that no test notices the role says why;
    /// `mutated_and_answered`: both; off.
    pub(super) controls: Option<Choice<Controls>>,
}

/// What must hold between a suite and what it was.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Ratchet {
    Count,
    Names,
    Skips,
}

impl Words for Ratchet {
    const WORDS: &'static [(&'static str, Self)] = &[
        ("count", Self::Count),
        ("names", Self::Names),
        ("skips", Self::Skips),
    ];
}

/// A runner, or whichever the repository uses.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Chosen {
    Auto,
    Named(Runner),
}

impl Words for Chosen {
    const WORDS: &'static [(&'static str, Self)] = &[
        ("auto", Self::Auto),
        ("cargo", Self::Named(Runner::Cargo)),
        ("pytest", Self::Named(Runner::Pytest)),
        ("unittest", Self::Named(Runner::Unittest)),
        ("vitest", Self::Named(Runner::Vitest)),
        ("jest", Self::Named(Runner::Jest)),
        ("node", Self::Named(Runner::Node)),
        ("go", Self::Named(Runner::Go)),
        ("junit", Self::Named(Runner::Junit)),
    ];
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Expect {
    Green,
    Red,
    RedOrMissingSymbol,
}

impl Words for Expect {
    const WORDS: &'static [(&'static str, Self)] = &[
        ("green", Self::Green),
        ("red", Self::Red),
        ("red_or_missing_symbol", Self::RedOrMissingSymbol),
    ];
}

impl Judge for Tests {
    const NAME: &'static str = "tests";
    type Answer = Judged<Vec<CheckResult>>;

    fn lint(&self) -> Result<(), SettingsError> {
        self.fault().map_or(Ok(()), Self::refuse)
    }

    fn judge(&self, subject: &Subject<'_>) -> Judged<Vec<CheckResult>> {
        let started = Instant::now();
        let suite = self.run(subject, started);
        let suite = suite.map_err(Trouble::cannot)?;
        let (first, millis) = (suite.run.clone(), suite.executed.ended.millis);
        let mut results = vec![verdict::answer_for(self, subject, suite)];
        let green = results[0].verdict == Verdict::Pass && self.expect() == Expect::Green;
        if green && Controls::asked(self.controls) {
            let left = subject.wall.saturating_sub(started.elapsed());
            let subject = Subject {
                wall: left,
                ..*subject
            };
            let name = results[0].check.clone();
            let instrument = self.instrument(&subject).map_err(Trouble::cannot)?;
            let shown = whole::Green {
                run: &first,
                millis,
                controls: Controls::of(self.controls),
            };
            results.push(whole::result(&subject, &instrument, &shown, &name));
        }
        Ok(results)
    }
}

impl Tests {
    /// What does not hold between the settings.
    pub(crate) fn fault(&self) -> Option<&'static str> {
        let named = self.named();
        if self.command.is_none() && (self.junit.is_some() || named == Some(Runner::Junit)) {
            return Some("is set so that `junit` needs a `command` that writes the report");
        }
        if self.junit.is_some() && !matches!(named, None | Some(Runner::Junit)) {
            return Some("takes `junit` with `runner = \"junit\"` only");
        }
        match (&self.ids, &self.ids_from, &self.ids_section) {
            (None, None, None) | (Some(_), Some(_), _) => None,
            _ => Some("needs to be set so that `ids` and `ids_from` go together"),
        }
    }

    pub(crate) fn named(&self) -> Option<Runner> {
        match self.runner.as_deref() {
            None | Some(Chosen::Auto) => None,
            Some(Chosen::Named(runner)) => Some(*runner),
        }
    }

    /// The line that a field has for it.
    pub(crate) fn line<'a>(&self, subject: &Subject<'a>) -> Option<&'a str> {
        let line = subject.fields.get(self.command_from.as_deref()?)?.trim();
        (!line.is_empty()).then_some(line)
    }

    pub(crate) fn runner(&self) -> Option<Runner> {
        self.named().or(self.junit.as_ref().map(|_| Runner::Junit))
    }

    fn suite(&self) -> &str {
        self.suite.as_deref().unwrap_or("suite")
    }

    fn expect(&self) -> Expect {
        self.expect.map_or(Expect::Green, |expect| *expect)
    }

    /// Runs the suite and reads its results. An error is a reason why it could not be run.
    pub(crate) fn run(&self, subject: &Subject<'_>, started: Instant) -> Result<Suite, Error> {
        let from_field = self.line(subject);
        let found = match self.runner() {
            Some(runner) => OfRunner::by(runner, None),
            None if from_field.is_some() => OfRunner::by(Runner::Junit, None),
            None => recognised(subject)?,
        };
        let own = from_field.or(self.command.as_deref());
        let suite = ByRunner {
            runner: found.runner,
            command: own.or(found.command.as_deref()),
            folder: found.folder.as_deref().filter(|_| own.is_none()),
            junit: self.junit.as_deref(),
            wall: self.timeout_seconds.map(Seconds::seconds),
            name: self.suite(),
        };
        suite.run(subject, started)
    }

    /// The same suite to be looked at by controls, with the line of a field where that calls a runner that
    /// we know.
    pub(crate) fn instrument(&self, subject: &Subject<'_>) -> Result<Instrument, Error> {
        if let Some(line) = self.line(subject) {
            return Ok(match Instrument::of(line, subject) {
                suite @ Instrument::Suite(..) => suite,
                Instrument::Command(_) | Instrument::AsWritten(_) => {
                    let suite = OfRunner::by(Runner::Junit, Some(line));
                    Instrument::Suite(suite, line.to_owned())
                }
            });
        }
        let suite = match (self.runner(), self.command.as_deref()) {
            (Some(runner), own) => OfRunner::by(runner, own),
            (None, Some(own)) => OfRunner::by(recognised(subject)?.runner, Some(own)),
            (None, None) => recognised(subject)?,
        };
        let name = suite.runner.name().to_owned();
        Ok(Instrument::Suite(suite, name))
    }
}

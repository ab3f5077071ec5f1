//! People: they look at a run and decide, in the engine's process or in another one.

use super::{SeededWorld, Stop};
use crate::violation::Violation;
use crate::watched::Watched;
use engine::driver::settle;
use engine::{DriveError, World};
use kernel::Decision;
use kernel::decision::REWIND;
use kernel::machine::{Activity, RunMachine};
use kernel::position::STOP;
use kernel::{Event, Input, Machine, What};
use serde_json::Value;

impl<M: RunMachine> SeededWorld<'_, M> {
    /// Another process, in which a person decides while this one works. What it stored, if
    /// anything: it may fall as well.
    pub(super) fn elsewhere(&mut self) -> Result<Vec<Event>, Stop> {
        let mut other = self.record.rebuild()?;
        let mut events = self.decided(&mut other, Some(STOP))?;
        let permille = self.storm.weather.crash_at_append;
        if self.storm.strikes(permille) {
            let stored = self.storm.random.below(events.len() as u64);
            events.truncate(usize::try_from(stored).unwrap_or(0));
        }
        for (event, live) in events.iter().zip(&other.take_trace()) {
            self.record.take(event, live)?;
        }
        Ok(events)
    }

    /// A person looks at the run and decides, if there is something to decide; `at_work` is what
    /// they say while the engine works. Most people let the run draw its consequences first.
    pub(crate) fn decided(
        &mut self,
        machine: &mut Watched<M>,
        at_work: Option<&str>,
    ) -> Result<Vec<Event>, Violation> {
        let broken = |error: DriveError<Stop>| {
            let what = format!("{error:?}");
            Violation::new("offered_options_are_taken", what)
        };
        let mut events = Vec::new();
        let at = self.now();
        let permille = self.storm.weather.hasty;
        if !self.storm.strikes(permille) {
            settle(machine, at, What::Advance, &mut events).map_err(broken)?;
        }
        let status = machine.status();
        let option = match (&status.waiting_for, status.activity) {
            (Some(waiting), _) => Some(self.cast.person(waiting)),
            (None, Activity::Working) => at_work.map(str::to_owned),
            (None, _) => None,
        };
        let Some(option) = option else {
            return Ok(events);
        };
        // Who leads it back names a commit that may never have come on record, or is out of reach.
        let option = match (&status.waiting_for, option.as_str()) {
            (Some(waiting), REWIND) => {
                let with = self.cast.payload(waiting, REWIND);
                let back = Input::new(at, self.decision(REWIND, with));
                match machine.decide(&back) {
                    Ok(_) => option,
                    Err(_) => self.cast.person(waiting),
                }
            }
            _ => option,
        };
        let with = status.waiting_for.as_ref();
        let with = with.map_or(Value::Null, |waiting| self.cast.payload(waiting, &option));
        let nonsense = Input::new(at, self.decision("no_such_option", Value::Null));
        if machine.decide(&nonsense).is_ok() {
            let what = format!("in {:?}, `no_such_option` is taken", status.waiting_for);
            return Err(Violation::new("only_offered_options_are_taken", what));
        }
        settle(machine, at, self.decision(&option, with), &mut events).map_err(broken)?;
        Ok(events)
    }

    /// A person's decision, as it comes through a channel that agents cannot reach.
    fn decision(&self, option: &str, with: Value) -> What {
        What::Decide(Decision {
            option: option.to_owned(),
            because: "owner: somebody; ticket: T-1; expiry: 2999-12-31; flag: a; spec: b; scenarios: c; contract: d; tests: e; scope: f; header: g; exam: i; test: t; why: h".to_owned(),
            who: "ann".to_owned(),
            channel: "terminal".to_owned(),
            seen_seq: self.record.events().len() as u64,
            tree: String::new(),
            with,
            signature: None,
        })
    }
}

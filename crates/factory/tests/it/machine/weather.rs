//! Every story on the engine's own loop, in a seeded world: a crash at every place, and any weather,
//! lead to the same end.

use super::stories::{
    Begins, People, Story, calm, changed, released, specified, stories, taken_over, troubled,
};
use crate::world::{Script, opening, specifying, started};
use factory::machine::Factory;
use factory::project::Declared;
use kernel::effect::{AttemptOrder, CheckpointOrder, Effect, GateOrder};
use kernel::machine::{Activity, Waiting};
use kernel::{Body, CheckResult, Event, Input, Machine, Outcome, Refusal, Status, What};
use serde_json::Value;
use std::collections::BTreeSet;
use testkit::{Cast, Simulation, Weather, crash_everywhere, machine_invariants};

/// A project that declares itself, since a simulation only starts it.
struct Declaring {
    inner: Factory,
    tasks: Vec<Declared>,
    begins: Begins,
    jobs: u32,
}

impl Declaring {
    fn new(story: &Story, jobs: u32) -> Self {
        Self {
            inner: Factory::new(),
            tasks: story.tasks.clone(),
            begins: story.begins,
            jobs,
        }
    }
}

impl Machine for Declaring {
    type What = What;
    type Fact = Body;
    type Want = Effect;
    type Status = Status;

    fn decide(&self, input: &Input) -> Result<Vec<Event>, Refusal> {
        let begun = self.inner.product().is_some() || !self.inner.tasks().is_empty();
        if input.what == What::Advance && self.begins == Begins::WithSpecMd && !begun {
            return self
                .inner
                .decide(&Input::new(input.at, specifying(self.jobs)));
        }
        if input.what == What::Advance && !begun {
            let [tasks, open] = opening(&self.tasks, self.jobs);
            let open = Input::new(input.at, open);
            return match self.inner.decide(&open) {
                Ok(events) => Ok(events),
                Err(_) => self.inner.decide(&Input::new(input.at, tasks)),
            };
        }
        self.inner.decide(input)
    }
    fn apply(&mut self, event: &Event) {
        self.inner.apply(event);
    }
    fn wanted(&self) -> Vec<Effect> {
        self.inner.wanted()
    }
    fn status(&self) -> Status {
        self.inner.status()
    }
    fn snapshot(&self) -> Value {
        self.inner.snapshot()
    }
    fn restore(&mut self, snapshot: &Value) -> serde_json::Result<()> {
        self.inner.restore(snapshot)
    }
}

/// The script and the people of a story, for the engine's loop.
struct Actors {
    script: Script,
    people: People,
    released: BTreeSet<String>,
}

impl Cast for Actors {
    fn attempt(&mut self, order: &AttemptOrder) -> Outcome {
        self.script.attempt(order)
    }
    fn gate(&mut self, order: &GateOrder) -> Vec<CheckResult> {
        if order.state.as_str() == "release" && self.released.insert(order.subject.clone()) {
            self.people.aside += 1;
        }
        self.script.gate(order)
    }
    fn checkpoint(&mut self, _: &CheckpointOrder) -> Result<String, String> {
        Ok("commit".to_owned())
    }
    fn person(&mut self, waiting: &Waiting) -> String {
        let aside = self.people.aside;
        self.people.answer(&waiting.why, aside).0
    }
    fn payload(&mut self, waiting: &Waiting, option: &str) -> Value {
        let aside = self.people.aside;
        let (_, with) = self.people.answer(&waiting.why, aside);
        // A release is remembered once its gates were asked for: a crash may have lost the word.
        if ["DEPRECATE", "DEFER", "REJECT_CHANGE"].contains(&option) {
            self.people.aside += 1;
        }
        with
    }
}

fn actors(story: &Story) -> Actors {
    Actors {
        script: story.script.clone(),
        people: story.people.clone(),
        released: BTreeSet::new(),
    }
}

#[test]
fn s19_2_a_crash_at_every_place_of_the_engines_loop_leads_to_the_same_end() {
    let rows = machine_invariants::<Declaring>();
    // The other stories are cut at every event above; these have every kind of effect, and every kind
    // of word that a person says beside the resolutions.
    for (name, story) in [
        ("troubled", troubled()),
        ("changed", changed()),
        ("specified", specified()),
        ("released", released()),
        ("taken over", taken_over()),
    ] {
        let tried = crash_everywhere(|| {
            Simulation::new(0, || Declaring::new(&story, 1), &rows)
                .start(started())
                .cast(actors(&story))
        });
        let tried = tried.unwrap_or_else(|failure| panic!("{name}: {failure}"));
        assert_eq!(tried.calm.status.activity, Activity::Done, "{name}");
        assert!(tried.crashed.len() > 100, "{name}: {}", tried.crashed.len());
    }
}

#[test]
fn s19_2_any_weather_leads_to_the_same_end() {
    let rows = machine_invariants::<Declaring>();
    for (name, story) in stories() {
        let calm = calm(&story, 1).machine.status().fields;
        for seed in 0..6 {
            let jobs = u32::try_from(seed % 3).unwrap() + 1;
            // One pass at a time as well: nobody drives a project so, and a provider that asks for
            // patience holds single attempts back in the same way.
            let mut weather = Weather::of(seed);
            weather.stop = 0;
            let report = Simulation::new(seed, || Declaring::new(&story, jobs), &rows)
                .start(started())
                .cast(actors(&story))
                .weather(weather)
                .run()
                .unwrap_or_else(|failure| panic!("{name}: {failure}"));
            assert_eq!(report.status.activity, Activity::Done, "{name} {seed}");
            assert_eq!(report.status.fields, calm, "{name} {seed}");
        }
    }
}

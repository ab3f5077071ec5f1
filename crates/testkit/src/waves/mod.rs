//! The waves of a milestone on the engine's own loop, from the first wave to the last, over as many lives
//! of the engine as it takes. It refuses to drive: [`engine::drive`] does.

mod cast;
pub mod history;
mod world;

use crate::seeds::on_every_core;
use crate::storm::{Stop, Storm};
use crate::violation::Violation;
use crate::watched::Watched;
use crate::weather::{Crash, Fate, Weather};
use cast::Cast;
use engine::driver::tell;
use engine::{DriveError, Ending, Until, World, drive};
use history::History;
use kernel::machine::{Activity, Happening};
use kernel::{Decision, Machine};
use std::fmt;
use wave::{Board, Dated, Milestone, Settings, Waves};
use world::WaveWorld;

/// More lives of the engine than any milestone may need.
const MOST_SESSIONS: u32 = 400;

/// A milestone that is still to happen.
#[derive(Debug, Clone)]
pub struct WaveSimulation {
    /// Decides everything that is drawn.
    pub seed: u64,
    pub milestone: Milestone,
    /// Chances in a thousand that runs, forks, merges and criteria do not go well.
    pub trouble: u64,
    /// What may go wrong around the engine.
    pub weather: Weather,
    /// One crash, here.
    pub planned: Option<Crash>,
}

/// A milestone that kept every promise.
#[derive(Debug, Clone)]
pub struct WaveReport {
    /// How it ended.
    pub board: Board,
    /// The journal's own sums.
    pub history: History,
    /// Everything that is stored.
    pub journal: Vec<Dated>,
    /// Lives that ended in a crash.
    pub crashes: u32,
    /// The size of every append, also of those that failed.
    pub batches: Vec<usize>,
    /// How often the engine waited.
    pub waits: usize,
    /// Does it go on by itself, or not any more?
    pub activity: Activity,
}

/// A broken promise with everything that is needed to see it again.
#[derive(Debug)]
pub struct WaveFailure {
    pub seed: u64,
    pub planned: Option<Crash>,
    /// What broke.
    pub violation: Violation,
    /// The journal up to there.
    pub journal: Vec<Dated>,
}

impl fmt::Display for WaveFailure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (seed, planned) = (self.seed, &self.planned);
        let violation = &self.violation;
        writeln!(
            f,
            "seed {seed} with {planned:?} breaks `{}`: {}",
            violation.invariant, violation.what
        )?;
        for (index, event) in self.journal.iter().enumerate() {
            let (kind, body) = (event.body.kind(), event.body.to_value());
            writeln!(f, "  {:>4} {} {kind} {body}", index + 1, event.at)?;
        }
        Ok(())
    }
}

impl WaveSimulation {
    /// Runs it to its end.
    pub fn run(&self) -> Result<WaveReport, Box<WaveFailure>> {
        let make = || {
            let settings = Settings {
                lease: "simulated".to_owned(),
                ..Settings::default()
            };
            Waves::new(self.milestone.clone(), settings)
        };
        let cast = Cast::new(self.seed, self.trouble);
        let storm = Storm::new(self.seed, self.weather, self.planned);
        let mut world = WaveWorld::new(&make, cast, storm);
        let lived = live(&mut world);
        let journal = world.journal.events().to_vec();
        match lived {
            Ok(activity) => Ok(WaveReport {
                board: world.follower.board().clone(),
                history: world.history,
                journal,
                crashes: world.storm.crashes,
                batches: world.storm.batches,
                waits: world.storm.waits,
                activity,
            }),
            Err(violation) => Err(Box::new(WaveFailure {
                seed: self.seed,
                planned: self.planned,
                violation,
                journal,
            })),
        }
    }

    /// Runs it once in calm weather and once for every crash that there can be: before, inside and
    /// after every append, and at every wait. All of them must end alike.
    pub fn crash_everywhere(&self) -> Result<Vec<WaveReport>, Box<WaveFailure>> {
        let calm = Self {
            weather: Weather::calm(),
            planned: None,
            ..self.clone()
        };
        let whole = calm.run()?;
        let appends = whole.batches.iter().enumerate();
        let appends = appends.flat_map(|(index, length)| {
            (0..=*length).map(move |stored| Crash::Append { index, stored })
        });
        let waits = (0..whole.waits)
            .flat_map(|index| [Fate::Found, Fate::Died].map(|fate| Crash::Waiting { index, fate }));
        let crashes: Vec<Crash> = appends.chain(waits).collect();
        let runs = on_every_core(crashes, |crash| -> Result<WaveReport, Box<WaveFailure>> {
            let crashed = Self {
                planned: Some(*crash),
                ..calm.clone()
            };
            let report = crashed.run()?;
            same_end(&whole, &report).map_err(|violation| {
                Box::new(WaveFailure {
                    seed: self.seed,
                    planned: Some(*crash),
                    violation,
                    journal: report.journal.clone(),
                })
            })?;
            Ok(report)
        });
        let mut reports = vec![whole];
        for (_, report) in runs {
            reports.push(report?);
        }
        Ok(reports)
    }
}

fn same_end(calm: &WaveReport, crashed: &WaveReport) -> Result<(), Violation> {
    let differs = |what: String| Err(Violation::new("a_crash_changes_nothing", what));
    if crashed.crashes != 1 {
        return differs(format!("{} crashes instead of one", crashed.crashes));
    }
    let (here, there) = (&crashed.board, &calm.board);
    if crashed.history.merged != calm.history.merged || here.merged != there.merged {
        return differs(format!("merged {:?}", crashed.history.merged));
    }
    if (&here.tip, &here.failed, &here.begun) != (&there.tip, &there.failed, &there.begun) {
        return differs(format!("{:?} and {:?}", here.tip, here.failed));
    }
    if crashed.history.closed != calm.history.closed || crashed.activity != calm.activity {
        return differs(format!(
            "{} waves, {:?}",
            crashed.history.closed, crashed.activity
        ));
    }
    if here.goal_met() != there.goal_met() || here.judged != there.judged {
        return differs(format!("the goal was judged {} times", here.judged));
    }
    Ok(())
}

/// Every process of the milestone, one after the other.
fn live(world: &mut WaveWorld<'_>) -> Result<Activity, Violation> {
    let mut machine = world.rebuild()?;
    for _ in 0..MOST_SESSIONS {
        let driven = drive(&mut machine, world, Until::Rest);
        if let Some(broken) = world.storm.broken.take() {
            return Err(broken);
        }
        match driven {
            Err(DriveError::World(Stop::Violated(violation))) => return Err(violation),
            Err(DriveError::Refused(refusal)) => {
                let what = refusal.to_string();
                return Err(Violation::new("the_engine_is_never_refused", what));
            }
            Err(DriveError::World(Stop::Crashed)) => {}
            Ok(Ending::Interrupted | Ending::PassDone) => world.die(Fate::Drawn),
            Ok(Ending::Rested) => {
                let status = machine.status();
                match status.activity {
                    Activity::Working => {
                        let what = format!("{:?}", machine.wanted());
                        return Err(Violation::new("it_never_stops_in_silence", what));
                    }
                    Activity::Waiting => asked(world, &mut machine)?,
                    Activity::Resting | Activity::Done | Activity::Stopped => {
                        world.rebuild()?;
                        return Ok(status.activity);
                    }
                }
            }
        }
        machine = world.rebuild()?;
    }
    let what = format!("{MOST_SESSIONS} sessions were not enough");
    Err(Violation::new("every_milestone_ends", what))
}

/// A person answers: runs by themselves, criteria through the milestone's own journal.
fn asked(world: &mut WaveWorld<'_>, machine: &mut Watched<Waves>) -> Result<(), Violation> {
    world.cast.answer_runs();
    let waiting = machine.status().waiting_for;
    let options = waiting.map(|waiting| waiting.options).unwrap_or_default();
    let Some(option) = options.into_iter().next() else {
        return Ok(());
    };
    let decision = Happening::decide(Decision {
        option,
        because: "looked at it".to_owned(),
        who: "ann".to_owned(),
        channel: "terminal".to_owned(),
        seen_seq: world.journal.events().len() as u64,
        tree: String::new(),
        with: serde_json::Value::Null,
        signature: None,
    });
    world.now();
    match tell(machine, world, [decision]) {
        Ok(()) | Err(DriveError::World(Stop::Crashed)) => Ok(()),
        Err(DriveError::World(Stop::Violated(violation))) => Err(violation),
        Err(DriveError::Refused(refusal)) => {
            let what = refusal.to_string();
            Err(Violation::new("offered_options_are_taken", what))
        }
    }
}

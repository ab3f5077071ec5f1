//! Waves on the engine's own loop: crashed at every place, and in any weather.

use crate::seeds::USUAL;
use kernel::machine::Activity;
use testkit::seeds::seeds;
use testkit::waves::WaveSimulation;
use testkit::{Crash, Weather};
use wave::Milestone;

const MILESTONE: &str = "
goal = 'all of it'
integration = ['true']
criteria = ['It holds (verify: true)', 'It is nice']
jobs = 2
tries = 2
[[task]]
slug = 'a'
[[task]]
slug = 'b'
[[task]]
slug = 'c'
[[task]]
slug = 'd'
depends_on = ['a', 'b']
[[task]]
slug = 'e'
depends_on = ['d']
";

fn simulation(seed: u64, trouble: u64) -> WaveSimulation {
    WaveSimulation {
        seed,
        milestone: Milestone::parse("m", MILESTONE, &[]).expect("a good milestone"),
        trouble,
        weather: Weather::calm(),
        planned: None,
    }
}

#[test]
fn a_crash_before_and_after_every_append_leads_to_the_same_end() {
    let mut ends = Vec::new();
    // Without trouble, and with more of it: failed runs, questions to people, conflicts, red gates.
    for (seed, trouble) in [(0, 0), (1, 150), (2, 300), (3, 300), (4, 500)] {
        let reports = simulation(seed, trouble).crash_everywhere();
        let reports = reports.unwrap_or_else(|failure| panic!("{failure}"));
        let calm = &reports[0];
        assert!(reports.len() > 40, "{} runs only", reports.len());
        ends.push(calm.activity);
        if trouble == 0 {
            assert_eq!(calm.activity, Activity::Done);
            assert_eq!(calm.history.merged, ["a", "b", "c", "d", "e"]);
            assert_eq!(calm.history.closed, 3, "`d` and `e` wait for what is below");
            assert!(calm.board.goal_met());
        }
    }
    assert!(ends.contains(&Activity::Resting), "none was in trouble");
}

#[test]
fn waves_keep_their_promises_in_any_weather() {
    let (mut done, mut crashes) = (0, 0);
    for seed in seeds(USUAL.min(200)) {
        let run = WaveSimulation {
            weather: Weather::of(seed),
            ..simulation(seed, (seed % 5) * 80)
        };
        let report = run.run().unwrap_or_else(|failure| panic!("{failure}"));
        done += u32::from(report.activity == Activity::Done);
        crashes += report.crashes;
    }
    let many = seeds(USUAL.min(200)).count() > 100;
    assert!(!many || (done > 20 && crashes > 100), "{done}, {crashes}");
}

#[test]
fn a_crash_that_is_never_reached_is_noticed() {
    let mut never = simulation(0, 0);
    never.planned = Some(Crash::Append {
        index: 100_000,
        stored: 0,
    });
    let report = never.run().unwrap_or_else(|failure| panic!("{failure}"));
    assert_eq!(report.crashes, 0);
}

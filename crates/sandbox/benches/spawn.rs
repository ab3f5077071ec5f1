//! What confinement costs: the same program, bare and confined, in turn and in one run. It prints
//! figures and asserts nothing: they are this machine's.
#![allow(clippy::unwrap_used)]

use sandbox::{Cancel, Launch, Limits, Network, Policy, base_env};
use std::path::Path;
use std::time::{Duration, Instant};

const ROUNDS: usize = 200;

fn main() {
    let dir = std::env::temp_dir();
    let limits = Limits {
        wall: Duration::from_secs(60),
        idle: None,
        output_bytes: 1000,
    };
    let bare = Launch::new(vec!["true".into()], &dir, base_env(), limits);
    let mut confined = bare.clone();
    let nothing: [&Path; 0] = [];
    confined.policy = Some(Policy::confined(nothing, [&dir]));
    let mut open = confined.clone();
    if let Some(policy) = &mut open.policy {
        policy.network = Network::Full;
    }
    let first = Instant::now();
    once(&confined);
    println!(
        "first confined spawn, with the probe: {:.2} ms",
        millis(first.elapsed())
    );
    let (mut bare_times, mut confined_times, mut open_times) = (Vec::new(), Vec::new(), Vec::new());
    for _ in 0..ROUNDS {
        bare_times.push(once(&bare));
        confined_times.push(once(&confined));
        open_times.push(once(&open));
    }
    let (bare, confined) = (median(bare_times), median(confined_times));
    println!("bare     {:.2} ms (median of {ROUNDS})", millis(bare));
    println!("confined {:.2} ms (median of {ROUNDS})", millis(confined));
    println!(
        "confined {:.2} ms without a network namespace",
        millis(median(open_times))
    );
    let difference = millis(confined) - millis(bare);
    let ratio = confined.as_secs_f64() / bare.as_secs_f64();
    println!("overhead {difference:.2} ms, ratio {ratio:.2}");
}

fn once(launch: &Launch) -> Duration {
    let started = Instant::now();
    let ended = sandbox::run(launch, &Cancel::new()).unwrap();
    assert!(ended.exited_with(0));
    started.elapsed()
}

fn median(mut times: Vec<Duration>) -> Duration {
    times.sort_unstable();
    times[times.len() / 2]
}

fn millis(time: Duration) -> f64 {
    time.as_secs_f64() * 1000.0
}

//! Each gate of `phase` holds bad work once, and goes on; and for good, and asks a person.

use crate::support::{HONEST, World};

const BAD: &str = include_str!("../data/phase/bad-work.toml");

/// The bad work, by state.
fn bad() -> Vec<(String, String)> {
    let entries = BAD.split("[[attempt]]").skip(1);
    let entries = entries.map(|entry| {
        let state = entry.split('"').nth(1).unwrap();
        (state.to_owned(), entry.to_owned())
    });
    entries.collect()
}

/// A repair that changes something each time.
const REPAIRS: &str = "[[attempt]]\nstate = \"repair\"\nsteps = [{ run = \"date +%N >> code.txt\" }]\nresult = { summary = \"repaired\", next = \"verify\" }\n";

#[test]
fn each_gate_fails_once_and_the_work_goes_on() {
    let states = ["intake", "shape", "implement", "verify", "review"];
    let mut script = String::new();
    for (state, entry) in bad() {
        assert!(states.contains(&state.as_str()), "{state}");
        script += &format!("[[attempt]]\nattempt = 1{entry}");
    }
    let world = World::new();
    world.start(&format!("{script}{REPAIRS}{HONEST}"), &[]);
    let said = world.run(&["run", "t"]);
    assert_eq!(said.code, 0, "{}{}", said.out, said.err);
    let attempts = world.status()["attempts"].as_array().unwrap().clone();
    for state in states {
        let tries = attempts.iter().filter(|attempt| attempt["state"] == state);
        assert!(tries.count() >= 2, "{state}");
    }
    world.run(&["audit"]).exits(0);
}

#[test]
fn each_gate_that_goes_on_failing_ends_at_a_person() {
    for (state, entry) in bad() {
        let world = World::new();
        world.start(&format!("[[attempt]]{entry}{REPAIRS}{HONEST}"), &[]);
        world.run(&["run", "t"]).exits(2);
        let status = world.status();
        assert_eq!(status["state"], state.as_str(), "{}", status["waiting_for"]);
        assert_eq!(status["waiting_for"]["reason"], "budget", "{state}");
    }
}

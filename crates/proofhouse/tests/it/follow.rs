//! `log --follow`: each record once, from any record on, many runs at once, and a typed notice where a
//! journal does what journals do not.

use crate::support::{HONEST, World};
use serde_json::Value;
use std::io::{BufRead, BufReader};
use std::process::{Child, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

/// A follower that runs until it is dropped.
struct Follower {
    child: Child,
    lines: Receiver<String>,
}

impl Follower {
    fn of(world: &World, args: &[&str]) -> Self {
        let args = [&["log", "--follow"], args].concat();
        let mut command = world.command(&args);
        let mut child = command.stdout(Stdio::piped()).spawn().unwrap();
        let out = BufReader::new(child.stdout.take().unwrap());
        let (send, lines) = channel();
        std::thread::spawn(move || {
            for line in out.lines().map_while(Result::ok) {
                let _ = send.send(line);
            }
        });
        Self { child, lines }
    }

    fn line(&self) -> String {
        self.lines.recv_timeout(Duration::from_secs(60)).unwrap()
    }

    fn next(&self) -> Value {
        serde_json::from_str(&self.line()).unwrap()
    }

    /// Up to a record of this kind.
    fn until(&self, kind: &str) -> Vec<u64> {
        let mut seen = Vec::new();
        loop {
            let next = self.next();
            seen.push(next["seq"].as_u64().unwrap());
            if next["kind"] == kind {
                return seen;
            }
        }
    }
}

impl Drop for Follower {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn world() -> World {
    let world = World::new();
    world.start(HONEST, &[]);
    world
}

/// The run `u`.
fn begin_another(world: &World) {
    let asked = ["new", "phase", "--dir", "tasks/u"];
    let told = ["--set", "objective=be good", "--check", "true"];
    world.run(&[asked, told].concat()).exits(0);
}

#[test]
fn every_record_is_told_once_while_the_run_goes_on() {
    let world = world();
    let follower = Follower::of(&world, &["t", "--json"]);
    assert_eq!(follower.until("run_started.v1"), [1]);
    world.run(&["run", "t"]).exits(0);
    let all = world.journal().len() as u64;
    let told: Vec<u64> = (2..=all)
        .map(|_| follower.next()["seq"].as_u64().unwrap())
        .collect();
    assert_eq!(told, (2..=all).collect::<Vec<_>>());

    // From a record on, and the last ones.
    let from = Follower::of(&world, &["t", "--from", "5", "--json"]);
    assert_eq!(
        (from.next()["seq"].as_u64(), from.next()["run"].as_str()),
        (Some(5), Some("t"))
    );
    let last = Follower::of(&world, &["t", "--last", "2", "--json"]);
    assert_eq!(last.next()["seq"].as_u64(), Some(all - 1));
}

#[test]
fn runs_that_begin_later_are_followed_too() {
    let world = world();
    let follower = Follower::of(&world, &["--json"]);
    assert_eq!(follower.next()["run"], "t");
    begin_another(&world);
    assert_eq!(follower.next()["run"], "u");
}

#[test]
fn a_person_who_follows_all_is_told_what_comes() {
    let world = world();
    world.run(&["run", "t"]).exits(0);
    let follower = Follower::of(&world, &[]);
    assert!(follower.line().contains("from now on, in 1 run"));
    begin_another(&world);
    let next = follower.line();
    assert!(next.starts_with("u ") && next.contains(" 1 "), "{next}");
}

#[test]
fn what_is_cut_replaced_broken_or_gone_is_told_and_survived() {
    let world = world();
    world.run(&["run", "t"]).exits(0);
    let follower = Follower::of(&world, &["t", "--json"]);
    let all = world.journal().len();
    (0..all).for_each(|_| drop(follower.next()));
    let path = world.at(".proofhouse/journal/t.jsonl");
    let text = std::fs::read_to_string(&path).unwrap();

    // Two lines are left: what was told is void, and it is told anew.
    let two = text.lines().take(2).map(|line| format!("{line}\n"));
    std::fs::write(&path, two.collect::<String>()).unwrap();
    let notice = follower.next();
    assert_eq!(
        (notice["notice"].as_str(), notice["had"].as_u64()),
        (Some("rewound"), Some(all as u64))
    );
    assert_eq!(
        (
            follower.next()["seq"].as_u64(),
            follower.next()["seq"].as_u64()
        ),
        (Some(1), Some(2))
    );

    // A line that was edited is never told.
    let third = text.lines().nth(2).unwrap();
    let broken = third.replacen("\"at\":\"2", "\"at\":\"1", 1);
    assert_ne!(broken, third);
    let two: String = text
        .lines()
        .take(2)
        .map(|line| format!("{line}\n"))
        .collect();
    std::fs::write(&path, format!("{two}{broken}\n")).unwrap();
    let notice = follower.next();
    assert_eq!(
        (notice["notice"].as_str(), notice["line"].as_u64()),
        (Some("quarantined"), Some(3))
    );

    // Mended, it goes on where it was.
    std::fs::write(&path, format!("{two}{third}\n")).unwrap();
    let next = [follower.next(), follower.next()];
    assert!(next.iter().any(|one| one["notice"] == "mended"), "{next:?}");
    assert!(next.iter().any(|one| one["seq"] == 3), "{next:?}");
    std::fs::remove_file(&path).unwrap();
    assert_eq!(follower.next()["notice"], "gone");
}

#[test]
fn a_run_that_is_none_and_two_without_follow_are_refused() {
    let world = world();
    world
        .run(&["log", "nobody", "--follow"])
        .refuses(1, "unknown_run");
    world.run(&["log", "t", "u"]).refuses(1, "one_run_only");
}

//! A person's own session as an agent: somebody hands in, nobody does, or the engine dies meanwhile.

use crate::world::World;
use agents::result::Shape;
use agents::{AgentSpec, Order, Waiting, hand_in};
use kernel::effect::Access;
use kernel::outcome::Class;
use sandbox::Cancel;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::thread;
use std::time::Duration;

const RESULT: &[u8] = br#"{"summary":"made a file"}"#;

/// Somebody who waits for work, does it and hands it in.
pub(crate) fn sits(world: &World, works: impl FnOnce(&Path) + Send + 'static) {
    let (home, repo): (PathBuf, PathBuf) = (world.path("home"), world.path("view/repo"));
    thread::spawn(move || {
        while Waiting::of(&home).is_none() {
            thread::sleep(Duration::from_millis(5));
        }
        works(&repo);
        let shape = Arc::new(Shape::default());
        hand_in(&home, &shape, RESULT)
            .expect("a disk")
            .expect("a result");
    });
}

#[test]
fn a_guest_is_said_to_be_unconfined() {
    let world = World::new();
    sits(&world, |_| {});
    let guest = AgentSpec::Guest.build().unwrap();
    let reply = guest.run(&world.order(), &Cancel::new(), &|_| {});
    assert_eq!(reply.class, Class::Done, "{}", reply.reason);
    assert!(!guest.is_confined());
    assert_eq!(Waiting::of(&world.path("home")), None);
    // Of an engine that died before it said so.
    assert_eq!(guest.recover(&world.order()).unwrap().class, Class::Done);
}

#[test]
fn nobody_is_waited_for_longer_than_the_wall_or_after_a_cancel() {
    let world = World::new();
    let guest = AgentSpec::Guest.build().unwrap();
    let order = Order {
        wall: Duration::from_millis(30),
        ..world.order()
    };
    let reply = guest.run(&order, &Cancel::new(), &|_| {});
    assert_eq!(reply.class, Class::TimedOut, "{}", reply.reason);
    assert_eq!(Waiting::of(&world.path("home")), None);
    assert_eq!(guest.recover(&order), None);
    let cancel = Cancel::new();
    let thrown = cancel.clone();
    let reply = guest.run(&world.order(), &cancel, &|_| thrown.cancel());
    assert_eq!(reply.class, Class::Killed);
}

#[test]
fn whoever_only_judges_is_no_guest() {
    let world = World::new();
    let order = Order {
        access: Access::ReadOnly,
        ..world.order()
    };
    let guest = AgentSpec::Guest.build().unwrap();
    let reply = guest.run(&order, &Cancel::new(), &|_| {});
    assert_eq!(reply.class, Class::CouldNotRun);
    assert!(reply.reason.contains("tiers"), "{}", reply.reason);
}

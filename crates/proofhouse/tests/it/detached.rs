//! An engine without a terminal: it goes on by itself, somebody looks on, and it can be ended.

use crate::crash::hangs;
use crate::support::{HONEST, World};

#[test]
fn an_engine_goes_on_without_a_terminal_and_can_be_ended_and_looked_at() {
    let world = World::new();
    world.start(&format!("{}{HONEST}", hangs("intake")), &[]);
    let said = world.run(&["stop", "t"]).exits(0);
    assert!(said.out.contains("nobody drives `t`"), "{}", said.out);

    let said = world.run(&["run", "t", "--detach"]).exits(0);
    assert!(said.out.contains("goes on by itself"), "{}", said.out);
    world.run(&["run", "t", "--detach"]).refuses(1, "run_busy");
    let said = world.run(&["stop", "t"]).exits(0);
    assert!(said.out.contains("has ended"), "{}", said.out);
    assert_eq!(world.status()["in_flight"], serde_json::json!([]));

    world.write("agent/script.toml", HONEST);
    let started = world.run(&["run", "t", "--detach"]).exits(0);
    assert!(!started.out.is_empty());
    let said = world.run(&["attach", "t"]).exits(0);
    assert!(said.out.contains("`t` is done"), "{}", said.out);
    world.run(&["audit"]).exits(0);
}

//! Hangs, cancels and caps: nothing outlives its limit.

use super::{done, each};
use crate::contract::make_pipe;
use crate::world::transcript;
use agents::{Agent, Api, ApiSettings, Order};
use kernel::outcome::Class;
use sandbox::Cancel;
use std::time::Duration;
use testkit::model_server::{Call, Script, Turn};

#[test]
fn the_wall_limit_ends_a_hang() {
    for hang in [|| Turn::Hang, || Turn::HangMidway] {
        each(
            || Script::new([hang()]),
            |stage| {
                let order = Order {
                    wall: Duration::from_millis(50),
                    ..stage.world.order()
                };
                let agent = stage.agent();
                let reply = agent.run(&order, &Cancel::new(), &|_| {});
                assert_eq!(reply.class, Class::TimedOut, "{}", reply.reason);
                assert!(
                    reply.reason.contains("wall limit of 0.05 s"),
                    "{}",
                    reply.reason
                );
                assert_eq!(agent.recover(&order), None);
            },
        );
    }
}

#[test]
fn silence_ends_a_hang() {
    for hang in [|| Turn::Hang, || Turn::HangMidway] {
        each(
            || Script::new([hang()]),
            |stage| {
                let settings = ApiSettings {
                    idle: Duration::from_millis(50),
                    ..stage.settings()
                };
                let reply = stage.world.run(&Api::new(settings).expect("an agent"));
                assert_eq!(reply.class, Class::TimedOut, "{}", reply.reason);
                assert!(
                    reply.reason.contains("said nothing for 0.05 s"),
                    "{}",
                    reply.reason
                );
            },
        );
    }
}

#[test]
fn a_cancel_ends_a_hang() {
    for hang in [|| Turn::Hang, || Turn::HangMidway] {
        each(
            || Script::new([hang()]),
            |stage| {
                let cancel = Cancel::new();
                let agent = stage.agent();
                std::thread::scope(|scope| {
                    scope.spawn(|| {
                        stage.server.wait_for(1);
                        cancel.cancel();
                    });
                    let reply = agent.run(&stage.world.order(), &cancel, &|_| {});
                    assert_eq!(reply.class, Class::Killed, "{}", reply.reason);
                });
            },
        );
    }
}

#[test]
fn a_cancel_before_the_start_asks_nothing() {
    each(
        || Script::new([done()]),
        |stage| {
            let cancel = Cancel::new();
            cancel.cancel();
            let reply = stage.agent().run(&stage.world.order(), &cancel, &|_| {});
            assert_eq!(reply.class, Class::Killed);
            assert!(stage.server.requests().is_empty());
        },
    );
}

#[test]
fn a_cancel_ends_a_running_command() {
    // Says that it is up through a pipe, so that the test need not guess when.
    let command = || Call::Shell("echo up > ../task/up; exec sleep 600".into());
    each(
        || Script::new([Turn::call(command()), done()]),
        |stage| {
            let pipe = stage.world.path("view/task/up");
            make_pipe(&pipe);
            let cancel = Cancel::new();
            let switch = cancel.clone();
            // Not joined: if the command never says that it is up, the assertion below must speak.
            std::thread::spawn(move || {
                if std::fs::read_to_string(pipe).is_ok() {
                    switch.cancel();
                }
            });
            let reply = stage.agent().run(&stage.world.order(), &cancel, &|_| {});
            assert_eq!(reply.class, Class::Killed, "{}", reply.reason);
            assert_eq!(stage.server.requests().len(), 1);
        },
    );
}

#[test]
fn turns_are_capped() {
    let again = || Turn::call(Call::Shell("true".into()));
    each(
        || Script::new((0..9).map(|_| again())),
        |stage| {
            let settings = ApiSettings {
                max_turns: 3,
                ..stage.settings()
            };
            let reply = stage.world.run(&Api::new(settings).expect("an agent"));
            assert_eq!(reply.class, Class::Crashed);
            assert_eq!(reply.reason, "it used all of its 3 turns without an answer");
            assert_eq!(stage.server.requests().len(), 3);
            assert!(transcript(&reply).contains("> run "));
        },
    );
}

//! Every way in which a provider fails, and its class.

use super::{KEY, Stage, done, each};
use crate::world::transcript;
use agents::{Agent, Api, ApiSettings, Provider};
use kernel::outcome::Class;
use serde_json::json;
use std::time::Duration;
use testkit::model_server::{Script, Turn};

#[test]
fn a_refused_key_is_said_once_and_never_shown() {
    let refused =
        || Turn::status(401).body(json!({ "error": { "message": format!("bad key {KEY}") } }));
    each(
        || Script::new([refused()]),
        |stage| {
            let agent = stage.agent();
            let reply = stage.world.run(&agent);
            assert_eq!(reply.class, Class::Auth);
            assert_eq!(
                reply.reason,
                "the provider answered 401: bad key [redacted]"
            );
            assert!(!transcript(&reply).contains(KEY));
            assert_eq!(stage.server.requests().len(), 1);
            assert_eq!(agent.recover(&stage.world.order()), None);
        },
    );
}

#[test]
fn a_long_wait_is_the_machines_and_a_short_one_is_ours() {
    let slow = |seconds: &'static str| {
        move || Script::new([Turn::status(429).header("retry-after", seconds)])
    };
    each(slow("30"), |stage| {
        let reply = stage.world.run(&stage.agent());
        assert_eq!(
            (reply.class, reply.retry_after),
            (Class::Transient, Some(Duration::from_secs(30)))
        );
        assert_eq!(stage.server.requests().len(), 1);
    });
    each(slow("0"), |stage| {
        let reply = stage.world.run(&stage.agent());
        assert_eq!(
            (reply.class, reply.retry_after),
            (Class::Transient, Some(Duration::ZERO))
        );
        assert_eq!(
            stage.server.requests().len(),
            3,
            "one try and two quick retries"
        );
    });
    let empty = || {
        Turn::status(429)
            .body(json!({ "error": { "code": "insufficient_quota", "message": "pay" } }))
    };
    each(
        || Script::new([empty()]),
        |stage| {
            assert_eq!(stage.world.run(&stage.agent()).class, Class::Quota);
            assert_eq!(stage.server.requests().len(), 1);
        },
    );
}

#[test]
fn passing_faults_are_tried_again_and_then_passed_on() {
    let faults: [fn() -> Turn; 5] = [
        || Turn::status(500),
        || Turn::status(529),
        || Turn::Garbage,
        || Turn::Cut,
        || Turn::status(408),
    ];
    for fault in faults {
        each(
            || Script::new([fault()]),
            |stage| {
                let reply = stage.world.run(&stage.agent());
                assert_eq!(reply.class, Class::Transient, "{}", reply.reason);
                assert_eq!(stage.server.requests().len(), 3, "{}", reply.reason);
                assert_eq!(reply.result, None);
            },
        );
        each(
            || Script::in_order([fault(), done()]),
            |stage| {
                let reply = stage.world.run(&stage.agent());
                assert_eq!(reply.class, Class::Done, "{}", reply.reason);
                assert!(transcript(&reply).contains("quick retry 1 of 2"));
            },
        );
    }
}

#[test]
fn a_cut_stream_was_paid_for_as_far_as_it_says() {
    let stage = Stage::new(
        Provider::named("anthropic").expect("a provider"),
        Script::in_order([Turn::Cut, done().costs(7, 0, 1)]),
    );
    let reply = stage.world.run(&stage.agent());
    assert_eq!(reply.class, Class::Done);
    assert_eq!(reply.usage.input_tokens, 1_000 + 7);
}

#[test]
fn what_no_retry_mends_is_not_retried() {
    let too_long =
        || Turn::status(400).body(json!({ "error": { "message": "prompt is too long: 9 > 8" } }));
    let unknown = || Turn::status(404).body(json!({ "error": { "message": "no such model" } }));
    let cases: [(fn() -> Turn, Class); 3] = [
        (too_long, Class::Overflow),
        (unknown, Class::CouldNotRun),
        (
            || Turn::refusal("I cannot help with that."),
            Class::Declined,
        ),
    ];
    for (turn, class) in cases {
        each(
            || Script::new([turn()]),
            |stage| {
                let reply = stage.world.run(&stage.agent());
                assert_eq!(reply.class, class, "{}", reply.reason);
                assert_eq!(stage.server.requests().len(), 1);
                assert!(reply.retry_after.is_none() && reply.result.is_none());
            },
        );
    }
}

#[test]
fn nobody_there_is_a_passing_fault() {
    each(
        || Script::new([]),
        |stage| {
            let settings = ApiSettings {
                base_url: "http://127.0.0.1:1/v1".into(),
                ..stage.settings()
            };
            let reply = stage.world.run(&Api::new(settings).expect("an agent"));
            assert_eq!(reply.class, Class::Transient);
            assert!(
                reply.reason.starts_with("the provider cannot be reached"),
                "{}",
                reply.reason
            );
        },
    );
}

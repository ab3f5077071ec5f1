//! Hangs, cancels and caps: nothing outlives its limit.

use super::{Stage, done, each};
use crate::contract::make_pipe;
use crate::world::transcript;
use agents::{
    Agent, Api, ApiSettings, KeySource, Order, Provider, SearchProvider, SearchSettings, WebSearch,
};
use kernel::effect::Allowance;
use kernel::outcome::Class;
use sandbox::Cancel;
use serde_json::{Value, json};
use std::io::{Read, Write};
use std::sync::Arc;
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
fn no_call_is_made_once_the_money_or_the_tokens_are_used_up() {
    // Each request costs 10 fresh tokens at 1 and 2 written at 2: 14 micro-dollars, 12 tokens.
    let endless = || Turn::call(Call::tool("todo", json!({}))).costs(10, 0, 2);
    let allowed = |micro_dollars, tokens| Allowance {
        micro_dollars,
        tokens,
    };
    let ample = u64::MAX;
    for (allowance, requests, says) in [
        (allowed(15, ample), 2, "nothing is left of the money"),
        (allowed(28, ample), 2, "nothing is left of the money"),
        (allowed(ample, 13), 2, "nothing is left of the tokens"),
        (allowed(0, ample), 0, "nothing is left of the money"),
        (allowed(29, ample), 3, ""),
    ] {
        let script = || Script::new([endless(), endless(), super::done().costs(10, 0, 2)]);
        each(script, |stage| {
            let order = Order {
                allowance,
                ..stage.world.order()
            };
            let reply = stage.agent().run(&order, &Cancel::new(), &|_| {});
            assert_eq!(stage.server.requests().len(), requests, "{allowance:?}");
            assert_eq!(reply.usage.micro_dollars, 14 * requests as u64);
            let expected = match says {
                "" => Class::Done,
                _ => Class::Killed,
            };
            assert_eq!(reply.class, expected, "{}", reply.reason);
            assert!(transcript(&reply).contains(says), "{}", transcript(&reply));
            // The next brief repeats the reason, and an agent that sees a budget stops early.
            let told = ["money", "tokens"]
                .iter()
                .any(|word| reply.reason.contains(word));
            assert!(!told, "{}", reply.reason);
        });
    }
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

/// A search service that answers so often, with more text than anybody wants, and then is gone.
fn search_service(listener: std::net::TcpListener, answers: usize) {
    for stream in listener.incoming().take(answers) {
        let mut stream = stream.expect("a visitor");
        let (mut head, mut byte) = (Vec::new(), [0]);
        while !head.ends_with(b"\r\n\r\n") && stream.read(&mut byte).expect("a head") > 0 {
            head.push(byte[0]);
        }
        let long = "x".repeat(9_000);
        let found = json!({"results": [
            {"url": format!("https://{long}"), "title": long, "content": long},
        ]});
        let body = found.to_string();
        let length = body.len();
        let answer = format!(
            "HTTP/1.1 200 OK\r\ncontent-length: {length}\r\nconnection: close\r\n\r\n{body}"
        );
        stream.write_all(answer.as_bytes()).expect("an answer");
    }
}

#[test]
fn s3_2_1_an_attempt_has_fifty_searches_and_what_they_find_is_cut() {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").expect("a port");
    let url = format!("http://{}", listener.local_addr().expect("an address"));
    // Fifty of the first attempt, fifty of the second; a further one would find nobody.
    let service = std::thread::spawn(move || search_service(listener, 100));
    let search = |n| Call::tool("web_search", json!({"query": format!("question {n}")}));
    let script = Script::new([Turn::calls((0..52).map(search)), done()]);
    let stage = Stage::new(Provider::named("openai-chat").expect("a provider"), script);
    let tool = WebSearch::new(Some(SearchSettings {
        provider: SearchProvider::SearXng,
        url,
        key: KeySource::None,
        micro_dollars: 0,
    }));
    let agent = stage.agent().with_tools(vec![Arc::new(tool)]);
    for nth in ["first", "second"] {
        let home = stage.world.path(nth);
        std::fs::create_dir_all(&home).expect("a home");
        let order = Order {
            home: home.clone(),
            ..stage.world.order()
        };
        let reply = agent.run(&order, &Cancel::new(), &|_| {});
        assert_eq!(reply.class, Class::Done, "{}", transcript(&reply));
        let answers = stage.answers(&stage.last());
        let refused = answers.iter().map(|one| one.contains("no more searches"));
        let expected: Vec<bool> = (0..52).map(|n| n >= 50).collect();
        assert_eq!(refused.collect::<Vec<_>>(), expected, "{nth}: {answers:?}");
        let records = std::fs::read_to_string(home.join(agents::RESEARCH_FILE)).expect("records");
        assert_eq!(records.lines().count(), 50);
        for line in records.lines() {
            let record: Value = serde_json::from_str(line).expect("a record");
            let found = &record["results"][0];
            let length = |name: &str| found[name].as_str().expect("a text").len();
            assert_eq!((length("url"), length("title")), (2_000, 1_000), "{line}");
        }
    }
    service.join().expect("the service");
}

#[test]
fn s3_2_1_searches_cost_the_runs_money_and_end_with_it() {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").expect("a port");
    let url = format!("http://{}", listener.local_addr().expect("an address"));
    // Three are paid for; a fourth would find nobody.
    let service = std::thread::spawn(move || search_service(listener, 3));
    let search = |n| Call::tool("web_search", json!({"query": format!("question {n}")}));
    let script = Script::new([Turn::calls((0..5).map(search)), done()]);
    let stage = Stage::new(Provider::named("openai-chat").expect("a provider"), script);
    let tool = WebSearch::new(Some(SearchSettings {
        provider: SearchProvider::SearXng,
        url,
        key: KeySource::None,
        micro_dollars: 8_000,
    }));
    let agent = stage.agent().with_tools(vec![Arc::new(tool)]);
    let mut order = stage.world.order();
    order.allowance.micro_dollars = 30_000;
    let reply = agent.run(&order, &Cancel::new(), &|_| {});
    let answers = stage.answers(&stage.last());
    let refused = answers
        .iter()
        .map(|one| one.contains("nothing is left of the run's money"));
    let expected = [false, false, false, true, true];
    assert_eq!(refused.collect::<Vec<_>>(), expected, "{answers:?}");
    assert!(
        (24_000..30_000).contains(&reply.usage.micro_dollars),
        "three searches and what the model cost: {}",
        reply.usage.micro_dollars
    );
    service.join().expect("the service");
}

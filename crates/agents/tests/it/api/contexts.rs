//! Long outputs and long conversations.

use super::{done, each};
use crate::world::transcript;
use agents::{Api, ApiSettings, Provider};
use kernel::outcome::Class;
use serde_json::json;
use testkit::model_server::{Call, Request, Script, Stop, Turn};

#[test]
fn a_long_output_is_parked_and_can_be_read() {
    let script = || {
        let long = Call::Shell("seq 1 20000".into());
        let read = Call::tool(
            "read",
            json!({ "path": "parked/output-1.txt", "line": 10_000, "lines": 2 }),
        );
        Script::new([Turn::call(long), Turn::call(read), done()])
    };
    each(script, |stage| {
        let reply = stage.world.run(&stage.agent());
        assert_eq!(reply.class, Class::Done, "{}", reply.reason);
        let answers = stage.answers(&stage.last());
        assert!(answers[0].len() < 10_000, "{} bytes", answers[0].len());
        assert!(answers[0].starts_with("1\n2\n3\n"), "{}", answers[0]);
        assert!(
            answers[0].ends_with("20000\n(exit code 0)"),
            "{}",
            answers[0]
        );
        assert!(
            answers[0].contains("the whole is in parked/output-1.txt"),
            "{}",
            answers[0]
        );
        assert!(answers[1].starts_with("10000\n10001\n"), "{}", answers[1]);
        assert!(!stage.world.path("view/parked").exists());
    });
}

fn offers_tools(request: &Request) -> bool {
    request.body["tools"].is_array()
}

#[test]
fn a_full_window_is_summarised_and_nothing_is_lost() {
    let turn = |n: usize| Turn::call(Call::Shell(format!("echo step-{n}")));
    // The fifth request is said to fill 85 % of the window.
    let script = || {
        let mut turns: Vec<Turn> = (0..4).map(|n| turn(n).costs(100, 0, 1)).collect();
        turns.push(turn(4).costs(8_500, 0, 1));
        turns.push(done());
        Script::in_order(turns)
    };
    each(script, |stage| {
        let settings = ApiSettings {
            window: Some(10_000),
            ..stage.settings()
        };
        let reply = stage.world.run(&Api::new(settings).expect("an agent"));
        assert_eq!(reply.class, Class::Done, "{}", reply.reason);
        assert!(transcript(&reply).contains("[older turns were summarised]"));
        let requests = stage.server.requests();
        let sides: Vec<&Request> = requests
            .iter()
            .filter(|request| !offers_tools(request))
            .collect();
        assert_eq!(sides.len(), 1);
        assert!(sides[0].body.to_string().contains("step-0"));
        let last = stage.last().body.to_string();
        for said in ["Do it.", "Side answer", "parked/turns-1.txt", "step-4"] {
            assert!(last.contains(said), "{said} is not in {last}");
        }
        assert!(!last.contains("step-0"), "{last}");
        let history = stage.world.read("home/history.jsonl");
        assert!(
            (0..5).all(|n| history.contains(&format!("step-{n}"))),
            "{history}"
        );
        assert!(
            stage
                .world
                .read("home/parked/turns-1.txt")
                .contains("step-0")
        );
        // The summary is paid for too: 7 in, 3 out.
        assert_eq!(reply.usage.input_tokens, 4 * 100 + 8_500 + 7 + 1_005);
    });
}

#[test]
fn a_provider_that_says_overflow_gets_a_shorter_conversation() {
    let turn = |n: usize| Turn::call(Call::Shell(format!("echo step-{n}")));
    let too_long = || {
        Turn::status(400)
            .body(json!({ "error": { "code": "context_length_exceeded", "message": "no" } }))
    };
    let script = || {
        let mut turns: Vec<Turn> = (0..5).map(turn).collect();
        turns.extend([too_long(), done()]);
        Script::in_order(turns)
    };
    each(script, |stage| {
        let reply = stage.world.run(&stage.agent());
        assert_eq!(reply.class, Class::Done, "{}", reply.reason);
        assert!(stage.last().body.to_string().contains("Side answer"));
    });
}

#[test]
fn an_answer_that_was_cut_off_is_asked_for_again() {
    let cut = || Turn::Message {
        text: "{\"summ".into(),
        calls: Vec::new(),
        stop: Stop::Length,
        tokens: None,
    };
    each(
        || Script::new([cut(), done()]),
        |stage| {
            let reply = stage.world.run(&stage.agent());
            assert_eq!(reply.class, Class::Done, "{}", reply.reason);
            assert!(
                stage
                    .last()
                    .body
                    .to_string()
                    .contains("cut off at the output limit")
            );
        },
    );
}

#[test]
fn reasoning_goes_back_as_it_came() {
    // Only Anthropic hands reasoning out in a form that can be given back.
    let stage = super::Stage::new(
        Provider::named("anthropic").expect("a provider"),
        Script::new([done()]),
    );
    let session = stage.world.path("session.json");
    let thought = json!({ "type": "thinking", "thinking": "hm", "signature": "c2ln" });
    let entries =
        json!([{ "User": "a" }, { "Assistant": [{ "Opaque": thought }, { "Text": "b" }] }]);
    std::fs::write(&session, entries.to_string()).expect("a session");
    let order = agents::Order {
        continues: Some(session.display().to_string()),
        ..stage.world.order()
    };
    agents::Agent::run(&stage.agent(), &order, &sandbox::Cancel::new(), &|_| {});
    assert_eq!(stage.last().body["messages"][1]["content"][0], thought);
}

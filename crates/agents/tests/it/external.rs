//! What the runner of external agents owes beside the contract: where the result comes from, whom
//! it believes about an end, what an agent is given and what it is not.

use crate::fake::{self, agent, coding, nobody_is_left_out, settings};
use crate::world::{World, transcript};
use agents::{AgentSpec, External, Login, Order, Reply, Settings};
use kernel::effect::Access;
use kernel::outcome::Class;
use sandbox::Cancel;
use serde_json::json;
use std::fs;
use std::time::Duration;

const DONE: &str = r#"{"type":"thread.started","thread_id":"t"}
{"type":"item.completed","item":{"type":"agent_message","text":"Done: {\"summary\":\"s\"}"}}
{"type":"turn.completed","usage":{"input_tokens":7,"output_tokens":2}}"#;

fn codex(world: &World, script: &str) -> Reply {
    world.run(&*agent(world, coding("codex"), script))
}

fn say(text: &str) -> String {
    format!("cat > /dev/null\ncat <<'END'\n{text}\nEND\n")
}

#[test]
fn the_last_message_holds_the_result() {
    let world = World::new();
    let reply = codex(&world, &say(DONE));
    assert_eq!(reply.class, Class::Done, "{}", transcript(&reply));
    assert_eq!(reply.result, Some(json!({"summary": "s"})));
    assert_eq!(reply.usage.input_tokens, 7);
    assert_eq!(reply.session.as_deref(), Some("t+7+2+0"));
    let log = world.read("home/events.jsonl");
    assert_eq!(log, format!("{DONE}\n{{\"proofhouse_ended\":\"done\"}}\n"));
}

#[test]
fn a_file_goes_before_the_message() {
    let world = World::new();
    let script = format!(
        "echo '{{\"summary\":\"file\"}}' > \"$PROOFHOUSE_RESULT\"\n{}",
        say(DONE)
    );
    let reply = codex(&world, &script);
    assert_eq!(reply.result, Some(json!({"summary": "file"})));
}

#[test]
fn exit_code_0_alone_is_no_result() {
    let world = World::new();
    let quiet = DONE.replace(r#"{\"summary\":\"s\"}"#, "nothing");
    let reply = codex(&world, &say(&quiet));
    assert_eq!(reply.class, Class::InvalidResult);
    assert!(reply.reason.contains("no JSON object"), "{}", reply.reason);
    assert!(reply.session.is_some(), "it can be asked again");
    let cut: String = DONE.lines().take(2).collect::<Vec<_>>().join("\n");
    let world = World::new();
    let reply = codex(&world, &say(&cut));
    assert_eq!(
        (reply.class, reply.reason.as_str()),
        (Class::Crashed, "it left no result")
    );
    let world = World::new();
    let script = format!(
        "echo '{{\"summary\":\"file\"}}' > \"$PROOFHOUSE_RESULT\"\n{}",
        say(&cut)
    );
    let reply = codex(&world, &script);
    assert_eq!(reply.class, Class::Crashed);
    assert!(reply.reason.contains("cut off"), "{}", reply.reason);
}

#[test]
fn a_failure_after_the_last_word_counts() {
    let world = World::new();
    let reply = codex(&world, &format!("{}exit 9\n", say(DONE)));
    assert_eq!(reply.class, Class::Crashed);
    assert!(reply.reason.contains("exit code 9"), "{}", reply.reason);
    assert_eq!(
        agent(&world, coding("codex"), "").recover(&world.order()),
        None
    );
}

#[test]
fn whoever_was_killed_did_not_succeed() {
    let world = World::new();
    let script = format!(
        "trap \"{}; exit 0\" TERM\ncat > /dev/null\necho up\nwhile :; do sleep 0.05; done\n",
        "cat $PROOFHOUSE_VIEW/said"
    );
    fs::write(world.path("view/said"), format!("{DONE}\n")).expect("a file");
    let codex = agent(&world, coding("codex"), &script);
    let order = Order {
        wall: Duration::from_millis(400),
        ..world.order()
    };
    let reply = codex.run(&order, &Cancel::new(), &|_| {});
    assert_eq!(reply.class, Class::TimedOut, "{}", reply.reason);
    assert!(
        transcript(&reply).contains("turn.completed"),
        "it did say so"
    );
    assert_eq!(reply.result, None);
    assert_eq!(codex.recover(&order), None);
}

#[test]
fn silence_ends_it_and_its_last_trouble_is_named() {
    let world = World::new();
    let text = r#"{"type":"error","message":"Reconnecting... (status 503)"}"#;
    let settings = Settings {
        idle: Duration::from_millis(300),
        ..settings(&world, &format!("{}exec sleep 600\n", say(text)))
    };
    let spec = AgentSpec::External {
        agent: coding("codex"),
        settings,
    };
    let reply = world.run(&*spec.build().expect("an agent"));
    assert_eq!(reply.class, Class::TimedOut);
    assert!(
        reply.reason.contains("no output for 0.3 s"),
        "{}",
        reply.reason
    );
    assert!(reply.reason.contains("503"), "{}", reply.reason);
}

#[test]
fn whoever_stays_after_the_last_word_is_sent_home() {
    let world = World::new();
    let reply = codex(&world, &format!("{}exec sleep 600\n", say(DONE)));
    assert_eq!(reply.class, Class::Done, "{}", reply.reason);
}

#[test]
fn tokens_without_a_price_are_named_and_not_passed_over() {
    let run = |model: Option<&str>| {
        let world = World::new();
        let settings = Settings {
            model: model.map(str::to_owned),
            ..settings(&world, &say(DONE))
        };
        let agent = coding("codex");
        let agent = AgentSpec::External { agent, settings }.build();
        world.run(&*agent.expect("an agent"))
    };
    for model in [None, Some("nobody-knows-it")] {
        let reply = run(model);
        assert_eq!((reply.class, reply.usage.micro_dollars), (Class::Done, 0));
        assert_eq!(reply.model.as_deref(), model);
        let says = "its 9 tokens have no known price and count as $0";
        assert!(reply.reason.contains(says), "{model:?}: {}", reply.reason);
    }
    // 7 read at 5, 2 written at 30.
    let reply = run(Some("gpt-5.5"));
    assert_eq!(reply.usage.micro_dollars, 95);
    assert!(!reply.reason.contains("no known price"), "{}", reply.reason);
}

#[test]
fn trouble_is_classed() {
    let failed = |text: &str| format!(r#"{{"type":"turn.failed","error":{{"message":"{text}"}}}}"#);
    let cases = [
        (failed("unexpected status 401 Unauthorized"), Class::Auth),
        (
            failed("You have hit your usage limit; try again in 5 hours"),
            Class::Quota,
        ),
        (failed("stream disconnected"), Class::Transient),
        (
            failed("Your input exceeds the context window"),
            Class::Overflow,
        ),
        (
            r#"{"type":"error","message":"exceeded retry limit, last status: 429"}"#.into(),
            Class::Transient,
        ),
    ];
    for (text, class) in cases {
        let world = World::new();
        let reply = codex(&world, &format!("{}exit 1\n", say(&text)));
        assert_eq!(reply.class, class, "{text}: {}", reply.reason);
        assert_eq!(reply.retry_after.is_some(), text.contains("5 hours"));
    }
    let world = World::new();
    let reply = codex(
        &world,
        "cat > /dev/null; echo 'Not logged in. Please run /login' >&2; exit 1",
    );
    assert_eq!(reply.class, Class::Auth, "{}", reply.reason);
}

#[test]
fn its_home_is_its_own_and_keys_are_not_kept() {
    let world = World::new();
    let script = format!(
        "cat > /dev/null; env; echo $OPENAI_API_KEY >&2\n{}",
        say(DONE)
    );
    let mut settings = settings(&world, &script);
    settings
        .env
        .insert("OPENAI_API_KEY".into(), "a-secret-of-mine".into());
    settings.env.insert("PROOFHOUSE_ROLE".into(), "boss".into());
    let spec = AgentSpec::External {
        agent: coding("codex"),
        settings,
    };
    let reply = world.run(&*spec.build().expect("an agent"));
    let text = transcript(&reply);
    let home = world.path("view/agent").display().to_string();
    for line in [
        format!("HOME={home}"),
        format!("CODEX_HOME={home}/.codex"),
        "PROOFHOUSE_ROLE=coder".into(),
    ] {
        assert!(
            text.lines().any(|found| found == line),
            "{line} is not in:\n{text}"
        );
    }
    assert!(!text.contains("a-secret-of-mine"), "{text}");
    assert!(!world.read("home/events.jsonl").contains("a-secret-of-mine"));
}

#[test]
fn a_login_is_linked_only_when_asked_for() {
    for (login, expected) in [(Login::Key, false), (Login::User, true)] {
        let world = World::new();
        let settings = Settings {
            login,
            ..settings(&world, &say(DONE))
        };
        let spec = AgentSpec::External {
            agent: coding("codex"),
            settings,
        };
        world.run(&*spec.build().expect("an agent"));
        let theirs = std::env::home_dir()
            .expect("a home")
            .join(".codex/auth.json");
        let linked = world.path("view/agent/.codex/auth.json").is_symlink();
        assert_eq!(linked, expected && theirs.exists());
    }
}

/// The arguments and the environment that each agent gets for an order.
fn given(world: &World, external: External, order: &Order) -> String {
    let speech = fake::ALL.iter().find(|it| it.agent == external.name());
    // Some are talked to until they say that they are done.
    let ends = speech.expect("a row").ends;
    let script = format!(
        "cat > /dev/null & for word; do echo \"arg $word\"; done; env; echo '{ends}'; wait\n"
    );
    let reply = agent(world, external, &script).run(order, &Cancel::new(), &|_| {});
    transcript(&reply)
}

/// Every agent has a row, but those that are answered or told it while they work: these are tried with
/// their dialects, in `src/external/tests.rs`.
fn cases<'a>(rows: &[(&'a str, &'a str)], but: &[&'a str]) -> Vec<(External, &'a str)> {
    let names = rows.iter().map(|(name, _)| *name);
    nobody_is_left_out(names.chain(but.iter().copied()));
    let rows = rows.iter();
    rows.map(|(name, expected)| (coding(name), *expected))
        .collect()
}

#[test]
fn each_agent_has_its_own_second_line() {
    let rows = [
        ("codex", "arg sandbox_mode=\"read-only\""),
        ("gemini", "arg --policy"),
        ("opencode", "\"edit\":\"deny\""),
        ("pi", "arg read,bash,grep,find,ls"),
    ];
    for (external, expected) in cases(&rows, &["acp", "claude", "codex-app"]) {
        let world = World::new();
        let edit = given(&world, external.clone(), &world.order());
        assert!(!edit.contains(expected), "{external:?} {edit}");
        let order = Order {
            access: Access::ReadOnly,
            ..world.order()
        };
        let read = given(&world, external.clone(), &order);
        assert!(read.contains(expected), "{external:?} {read}");
    }
}

#[test]
fn a_session_goes_on_only_where_it_is() {
    let rows = [
        ("claude", "arg --resume\narg t"),
        ("codex", "arg resume\n"),
        ("gemini", "arg --resume\narg t"),
        ("opencode", "arg -s\narg t"),
        ("pi", "arg --session\narg t"),
    ];
    for (external, expected) in cases(&rows, &["acp", "codex-app"]) {
        let world = World::new();
        let order = Order {
            continues: Some("t".into()),
            ..world.order()
        };
        let fresh = given(&world, external.clone(), &order);
        assert!(fresh.contains("this is a new one"), "{external:?} {fresh}");
        assert!(!fresh.contains(expected), "{external:?} {fresh}");
        let again = given(&world, external.clone(), &order);
        assert!(again.contains(expected), "{external:?} {again}");
    }
}

#[test]
fn a_log_without_an_end_is_not_recovered() {
    let world = World::new();
    let codex = agent(&world, coding("codex"), &say(DONE));
    let order = world.order();
    let reply = codex.run(&order, &Cancel::new(), &|_| {});
    let log = world.read("home/events.jsonl");
    let mut recovered = codex.recover(&order).expect("it had ended");
    recovered.transcript.clone_from(&reply.transcript);
    assert_eq!(recovered, reply);
    let ended = log.find("{\"proofhouse_ended").expect("our line");
    for cut in 0..ended {
        fs::write(world.path("home/events.jsonl"), &log[..cut]).expect("a torn log");
        assert_eq!(codex.recover(&order), None, "cut at {cut}");
    }
    // We died after its last word and before ours.
    fs::write(world.path("home/events.jsonl"), &log[..ended]).expect("a log");
    assert_eq!(
        codex.recover(&order).expect("it had ended").result,
        reply.result
    );
}

#[test]
fn what_people_write_is_understood() {
    let base = std::path::Path::new("/b");
    for text in [
        "claude",
        "claude:opus",
        "codex:gpt-5",
        "codex-app",
        "codex-app:gpt-5",
        "gemini",
        "opencode:a/b",
        "pi:a/b",
        "acp:goose acp",
    ] {
        AgentSpec::parse(text, base).expect(text);
    }
    let AgentSpec::External { agent, settings } = AgentSpec::parse("pi:a/b:c", base).expect("pi")
    else {
        panic!("pi is external");
    };
    assert_eq!(
        (agent, settings.model.as_deref()),
        (coding("pi"), Some("a/b:c"))
    );
    let acp = AgentSpec::parse("acp:goose acp", base).expect("acp");
    let argv = ["goose", "acp"].map(str::to_owned).to_vec();
    assert!(matches!(&acp, AgentSpec::External { agent, .. } if agent.argv() == argv));
    for text in ["", "clod", "claude:", "acp", "acp: ", "scripted"] {
        let error = AgentSpec::parse(text, base).expect_err(text);
        assert_eq!(error.code(), "unknown_agent", "{text}: {error}");
    }
}

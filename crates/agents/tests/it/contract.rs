//! What every connector owes the engine, shown by each of them with the same scenarios.

use crate::world::{World, transcript};
use agents::{Agent, AgentSpec, Order};
use kernel::outcome::{Class, Usage};
use sandbox::{Cancel, Launch, Limits};
use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::time::Duration;

/// Both ways to build an agent that does the same thing.
struct Play {
    steps: &'static str,
    tail: &'static str,
    shell: &'static str,
}

const FINISHES: Play = Play {
    steps: r#"{ write = "repo/new.txt", text = "hello\n" }"#,
    tail: r#"
        result = { summary = "made a file", next = "verify" }
        usage = { input_tokens = 12, output_tokens = 3, micro_dollars = 90 }"#,
    shell: r#"
        echo hello > new.txt
        echo '{"summary":"made a file","next":"verify","usage":{"input_tokens":12,"output_tokens":3,"micro_dollars":90}}' > "$PROOFHOUSE_RESULT.tmp"
        mv "$PROOFHOUSE_RESULT.tmp" "$PROOFHOUSE_RESULT""#,
};
const GARBAGE: Play = Play {
    steps: "",
    tail: r#"result_text = "not json""#,
    shell: r#"echo not json > "$PROOFHOUSE_RESULT""#,
};
const WRONG: Play = Play {
    steps: "",
    tail: r#"result = { summary = "s", verdict = "maybe" }"#,
    shell: r#"echo '{"summary":"s","verdict":"maybe"}' > "$PROOFHOUSE_RESULT""#,
};
const NO_RESULT: Play = Play {
    steps: r#"{ print = "bye" }"#,
    tail: "",
    shell: "echo bye",
};
const CRASHES: Play = Play {
    steps: r#"{ print = "about to fail" }, { crash = 3 }"#,
    tail: r#"result = { summary = "never left" }"#,
    shell: "echo about to fail; exit 3",
};
const HANGS: Play = Play {
    steps: "{ hang = true }",
    tail: r#"result = { summary = "never left" }"#,
    shell: "exec sleep 600",
};
// Says that it is up through a pipe, so that the test need not guess when.
const TELLS_AND_HANGS: Play = Play {
    steps: r#"{ run = "echo up > ../../up", must = true }, { hang = true }"#,
    tail: r#"result = { summary = "never left" }"#,
    shell: "echo up > ../../up; exec sleep 600",
};

type Build = fn(&World, &Play) -> Box<dyn Agent>;

fn scripted(world: &World, play: &Play) -> Box<dyn Agent> {
    let path = world.path("script.toml");
    let text = format!("[[attempt]]\nsteps = [{}]\n{}\n", play.steps, play.tail);
    fs::write(&path, text).expect("the script");
    AgentSpec::Scripted { path }.build().expect("an agent")
}

fn command(_: &World, play: &Play) -> Box<dyn Agent> {
    let argv = ["sh", "-c", play.shell].map(str::to_owned).to_vec();
    let spec = AgentSpec::Command {
        argv,
        env: Default::default(),
        idle: None,
    };
    spec.build().expect("an agent")
}

/// Runs a scenario with every connector.
fn each(play: &Play, check: impl Fn(&World, &dyn Agent)) {
    let connectors: [Build; 2] = [scripted, command];
    for build in connectors {
        let world = World::new();
        check(&world, &*build(&world, play));
    }
    for speech in crate::fake::ALL {
        let world = World::new();
        check(&world, &*speech.play(&world, play.shell));
    }
}

#[test]
fn every_connector_is_held_to_the_contract() {
    // Models are held to it over a scripted server (`api`).
    let models = agents::names().filter(|name| agents::Provider::named(name).is_some());
    let spoken = crate::fake::ALL.iter().map(|speech| speech.agent);
    // A guest starts no program: what holds of waiting for one is in `guest`.
    let held: BTreeSet<&str> = models
        .chain(spoken)
        .chain(["command", "guest", "scripted"])
        .collect();
    assert_eq!(held, agents::names().collect());
}

#[test]
fn it_writes_a_file_and_finishes() {
    each(&FINISHES, |world, agent| {
        let reply = world.run(agent);
        assert_eq!(reply.class, Class::Done, "{}", transcript(&reply));
        assert_eq!(world.read("view/repo/new.txt"), "hello\n");
        let expected = serde_json::json!({"summary": "made a file", "next": "verify"});
        assert_eq!(reply.result, Some(expected));
        let usage = Usage {
            input_tokens: 12,
            output_tokens: 3,
            cached_tokens: 0,
            micro_dollars: 90,
        };
        assert_eq!(reply.usage, usage);
        assert_eq!(world.read("home/brief.md"), "Do it.\n");
    });
}

#[test]
fn a_garbage_result_is_named() {
    each(&GARBAGE, |world, agent| {
        let reply = world.run(agent);
        assert_eq!(reply.class, Class::InvalidResult);
        assert!(
            reply.reason.starts_with("`result` is not JSON"),
            "{}",
            reply.reason
        );
        assert_eq!(reply.result, None);
    });
    each(&WRONG, |world, agent| {
        let reply = world.run(agent);
        assert_eq!(reply.class, Class::InvalidResult);
        let expected = r#"`/verdict` "maybe" is not one of "pass" or "fail""#;
        assert_eq!(reply.reason, expected);
    });
}

#[test]
fn a_result_is_held_against_its_roles_schema_too() {
    let schema = |required: &str| {
        let schema = serde_json::json!({
            "type": "object", "required": [required],
            "properties": { "next": { "type": "string" }, "risk": { "enum": ["low", "high"] } },
        });
        let shape = agents::result::Shape::with(&schema).expect("a schema");
        std::sync::Arc::new(shape)
    };
    for (required, class, reason) in [
        ("next", Class::Done, "it left a valid result"),
        ("risk", Class::InvalidResult, "`/risk` is missing"),
    ] {
        each(&FINISHES, |world, agent| {
            let order = Order {
                shape: schema(required),
                ..world.order()
            };
            let reply = agent.run(&order, &Cancel::new(), &|_| {});
            assert_eq!((reply.class, reply.reason.as_str()), (class, reason));
            assert_eq!(reply.usage.micro_dollars, 90, "it was paid for in any case");
            let recovered = agent.recover(&order);
            assert!(recovered.is_none_or(|recovered| recovered.class == class));
        });
    }
}

#[test]
fn no_result_is_a_crash() {
    each(&NO_RESULT, |world, agent| {
        let reply = world.run(agent);
        assert_eq!(
            (reply.class, reply.reason.as_str()),
            (Class::Crashed, "it left no result")
        );
        assert!(transcript(&reply).contains("bye"));
        assert_eq!(agent.recover(&world.order()), None);
    });
}

#[test]
fn a_crash_has_its_exit_code_and_no_answer() {
    each(&CRASHES, |world, agent| {
        let reply = world.run(agent);
        assert_eq!(
            (reply.class, reply.reason.as_str()),
            (Class::Crashed, "exit code 3")
        );
        assert!(transcript(&reply).contains("about to fail"));
        assert_eq!(agent.recover(&world.order()), None);
    });
}

#[test]
fn the_wall_limit_ends_a_hang() {
    each(&HANGS, |world, agent| {
        let order = Order {
            wall: Duration::from_millis(50),
            ..world.order()
        };
        let reply = agent.run(&order, &Cancel::new(), &|_| {});
        assert_eq!(reply.class, Class::TimedOut, "{}", reply.reason);
        assert!(
            reply.reason.contains("wall limit of 0.05 s"),
            "{}",
            reply.reason
        );
        assert_eq!(agent.recover(&order), None);
    });
}

#[test]
fn a_cancel_ends_a_hang() {
    each(&TELLS_AND_HANGS, |world, agent| {
        let pipe = world.path("up");
        make_pipe(&pipe);
        let cancel = Cancel::new();
        let switch = cancel.clone();
        // Not joined: if the agent never says that it is up, the assertion below must speak.
        std::thread::spawn(move || {
            if fs::read_to_string(pipe).is_ok() {
                switch.cancel();
            }
        });
        let reply = agent.run(&world.order(), &cancel, &|_| {});
        assert_eq!(reply.class, Class::Killed, "{}", reply.reason);
        assert_eq!(agent.recover(&world.order()), None);
    });
}

#[test]
fn a_cancel_before_the_start_starts_nothing() {
    each(&FINISHES, |world, agent| {
        let cancel = Cancel::new();
        cancel.cancel();
        let reply = agent.run(&world.order(), &cancel, &|_| {});
        assert_eq!(reply.class, Class::Killed);
        assert!(!world.path("view/repo/new.txt").exists());
    });
}

#[test]
fn what_ended_before_a_restart_is_recovered_and_nothing_else() {
    each(&FINISHES, |world, agent| {
        let order = world.order();
        assert_eq!(agent.recover(&order), None, "it had not begun");
        let reply = world.run(agent);
        let mut recovered = agent.recover(&order).expect("it had ended");
        // The transcript died with the process that kept it; all that is journaled is the same.
        recovered.transcript.clone_from(&reply.transcript);
        assert_eq!(recovered, reply);
        let bytes = fs::read(world.path("home/out/result.json")).expect("the result");
        for cut in 0..bytes.len() - 1 {
            fs::write(world.path("home/out/result.json"), &bytes[..cut]).expect("a torn result");
            let torn = agent.recover(&order);
            // A shell's last byte is a newline: without it the value is whole.
            assert!(
                torn.is_none() || bytes[cut..].trim_ascii().is_empty(),
                "cut at {cut}"
            );
        }
    });
}

pub(crate) fn make_pipe(path: &Path) {
    let limits = Limits {
        wall: crate::world::AMPLE,
        idle: None,
        output_bytes: 1024,
    };
    let argv = vec!["mkfifo".to_owned(), path.display().to_string()];
    let folder = path.parent().expect("a folder");
    let launch = Launch::new(argv, folder, sandbox::base_env(), limits);
    let ended = sandbox::run(&launch, &Cancel::new()).expect("mkfifo");
    assert_eq!(ended.exit, Some(0));
}

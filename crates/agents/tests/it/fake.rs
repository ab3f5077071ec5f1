//! External agents that are small shell scripts, for the contract and the runner's own tests.

use crate::world::World;
use agents::{Agent, AgentSpec, External, Settings};
use std::collections::BTreeSet;
use std::fs;
use std::time::Duration;

/// How one kind of agent begins to talk and says that it is done.
pub(crate) struct Speech {
    pub(crate) agent: &'static str,
    /// The model that the real one is tested with, where it has one.
    pub(crate) model: Option<&'static str>,
    begins: &'static str,
    pub(crate) ends: &'static str,
}

pub(crate) const ALL: &[Speech] = &[
    Speech {
        agent: "claude",
        model: Some("claude-fake"),
        begins: "read a; read b;",
        ends: r#"{"type":"result","subtype":"success","is_error":false,"result":"done"}"#,
    },
    Speech {
        agent: "codex",
        model: Some("fake"),
        begins: "cat > /dev/null;",
        ends: r#"{"type":"turn.completed"}"#,
    },
    Speech {
        agent: "codex-app",
        model: Some("fake"),
        begins: r#"read a; echo '{"id":1,"result":{}}'; read b; read c; echo '{"id":2,"result":{"thread":{"id":"t"}}}'; read d; echo '{"id":3,"result":{}}';"#,
        ends: r#"{"method":"turn/completed","params":{"turn":{"status":"completed"}}}"#,
    },
    Speech {
        agent: "gemini",
        model: Some("gemini-2.5-pro"),
        begins: "cat > /dev/null;",
        ends: r#"{"type":"result","status":"success"}"#,
    },
    Speech {
        agent: "opencode",
        model: Some("fake/fake-model"),
        begins: "cat > /dev/null;",
        ends: r#"{"type":"step_finish","part":{"reason":"stop"}}"#,
    },
    Speech {
        agent: "pi",
        model: Some("fake/fake-model"),
        begins: "cat > /dev/null;",
        ends: r#"{"type":"agent_end","messages":[{"role":"assistant","stopReason":"stop"}]}"#,
    },
    Speech {
        agent: "acp",
        model: None,
        begins: r#"read a; echo '{"id":1,"result":{}}'; read b; echo '{"id":2,"result":{"sessionId":"s"}}'; read c;"#,
        ends: r#"{"id":3,"result":{"stopReason":"end_turn"}}"#,
    },
];

/// A coding agent of its own.
pub(crate) fn coding(name: &str) -> External {
    External::named(name, Vec::new()).expect("a connector")
}

/// Every agent that has a connector is in one of these lists of a test.
#[track_caller]
pub(crate) fn nobody_is_left_out<'a>(lists: impl IntoIterator<Item = &'a str>) {
    let tried: BTreeSet<&str> = lists.into_iter().collect();
    let all: BTreeSet<&str> = ALL.iter().map(|speech| speech.agent).collect();
    assert_eq!(
        tried, all,
        "each has its row here, or stands among the exceptions"
    );
}

pub(crate) fn program() -> String {
    format!(
        "{}/tests/fixtures/fake-agent.sh",
        env!("CARGO_MANIFEST_DIR")
    )
}

/// Settings that start a script instead of the agent.
pub(crate) fn settings(world: &World, script: &str) -> Settings {
    let path = world.path("agent.sh");
    fs::write(&path, script).expect("the script");
    let env = [("FAKE_AGENT".to_owned(), path.display().to_string())];
    Settings {
        program: Some(program()),
        env: env.into(),
        idle: Duration::from_secs(60),
        ..Settings::default()
    }
}

/// A connector that starts a script instead of the agent.
pub(crate) fn agent(world: &World, agent: External, script: &str) -> Box<dyn Agent> {
    let settings = settings(world, script);
    AgentSpec::External { agent, settings }
        .build()
        .expect("an agent")
}

impl Speech {
    /// An agent of this kind that does what a `command` agent would do, and says that it is done
    /// if that left a result.
    pub(crate) fn play(&self, world: &World, shell: &str) -> Box<dyn Agent> {
        let (begins, ends) = (self.begins, self.ends);
        let script =
            format!("{begins}\n{shell}\n[ ! -e \"$PROOFHOUSE_RESULT\" ] || echo '{ends}'\n");
        let argv = vec![program()];
        let external = External::named(self.agent, argv).expect("a connector");
        agent(world, external, &script)
    }
}

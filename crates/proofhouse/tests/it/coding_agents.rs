//! Coding agents in whole runs: what the machine does with what it hears of them. The agents are
//! small scripts that print what the real ones were recorded to print.

use crate::support::{CHECK, Said, World};
use report::transcript::TurnKind;
use serde_json::Value;

const WORKFLOW: &str = r#"name = "one"
about = "One state of work."
initial = "build"

[role.builder]
can = ["read", "edit"]
about = "Builds."

[state.build]
kind = "work"
role = "builder"
brief = "brief.md"
gate = [{ check = "command", from = "commands", if_none = "pass" }]
[state.done]
kind = "end"

[[transition]]
action = "built"
from = "build"
to = "done"
by = "engine"
when = "gate.pass"
"#;

struct Stage {
    world: World,
    env: Vec<(&'static str, String)>,
}

impl Stage {
    /// A run `t` whose agent is a script.
    fn new(agent: &str, script: &str, config: &str, more: &[&str]) -> Self {
        let world = World::new();
        world.write(".proofhouse/workflows/one/workflow.toml", WORKFLOW);
        world.write(".proofhouse/workflows/one/brief.md", "Do it.");
        world.write("agent/count/.keep", "");
        let program = format!(
            "{}/tests/data/coding-agents/{script}.sh",
            env!("CARGO_MANIFEST_DIR")
        );
        let (name, _) = agent.split_once(':').unwrap();
        let env = r#"env = ["COUNT", "PATIENT", "WAIT"]"#;
        let agents = format!("[agents.{name}]\nprogram = \"{program}\"\n{env}\n");
        world.write(".proofhouse/config.toml", &format!("{agents}{config}"));
        let stage = Self {
            env: vec![("COUNT", world.at("agent/count").display().to_string())],
            world,
        };
        let new = ["new", "one", "--dir", "tasks/t", "--agent", agent];
        stage.run(&[&new[..], more].concat()).exits(0);
        stage
    }

    /// A person who has a memory file and two MCP servers, and lets one of these in.
    fn lets_in(&mut self) {
        let home = self.world.at("agent/home");
        self.world
            .write("agent/home/.claude/CLAUDE.md", "be brief\n");
        let servers =
            r#"{"mcpServers": {"docs": {"command": "true"}, "other": {"command": "false"}}}"#;
        self.world.write("agent/home/.claude.json", servers);
        let own = "[agents.claude]\nsetup = [\"memory\", \"mcp:docs\"]\n";
        self.world.write("agent/xdg/proofhouse/config.toml", own);
        self.env.push(("HOME", home.display().to_string()));
    }

    fn run(&self, args: &[&str]) -> Said {
        let mut command = self.world.command(args);
        command.envs(self.env.iter().cloned());
        command.output().unwrap().into()
    }

    fn of_kind(&self, kind: &str) -> Vec<Value> {
        let records = self.world.journal().into_iter();
        records.filter(|record| record["kind"] == kind).collect()
    }

    fn classes(&self) -> Vec<String> {
        let ended = self.of_kind("attempt_ended.v1");
        let class = |one: &Value| one["body"]["outcome"]["class"].as_str().unwrap().to_owned();
        ended.iter().map(class).collect()
    }
}

#[test]
fn the_caps_of_the_run_and_of_the_day_stop_a_coding_agent_while_it_works() {
    // The script works for ten minutes after its first message: who comes back was stopped.
    for (config, more, says) in [
        ("", &["--budget", "micro_dollars=400000"][..], "budget"),
        ("", &["--budget", "tokens=1050"][..], "budget"),
        ("[day]\nmicro_dollars = 400000\n", &[][..], "trouble"),
    ] {
        let stage = Stage::new("pi:fake/m", "pi-spends", config, more);
        let said = stage.run(&["run", "t"]).exits(2);
        let ended = stage.of_kind("attempt_ended.v1");
        let outcome = &ended[0]["body"]["outcome"];
        assert_eq!(outcome["class"], "killed", "{more:?} {}", said.out);
        // As of a model over an API, and without a word of money: the next brief repeats it.
        let stopped = "stopped by Proofhouse before its next call";
        assert_eq!(outcome["reason"], stopped, "{more:?}");
        assert_eq!(outcome["usage"]["micro_dollars"], 500_000);
        let status = stage.world.status();
        assert_eq!(status["waiting_for"]["reason"], says, "{more:?} {status:#}");
        assert_eq!(status["spend"]["run"]["micro_dollars"], 500_000);
        stage.run(&["audit"]).exits(0);
    }
}

/// What a gate sends back is mended in the agent's own session, which is on record, unless a person wants
/// each attempt to begin anew; either way it is told everything.
#[test]
fn a_repair_goes_on_in_the_agents_own_session() {
    for (config, resumed) in [("", true), ("session = \"fresh\"\n", false)] {
        let mut stage = Stage::new("claude:m", "claude-notes", config, &["--check", CHECK]);
        if resumed {
            stage.lets_in();
        }
        stage.run(&["run", "t"]).exits(0);
        let noted = |name: &str| stage.world.read(&format!("agent/count/{name}"));
        assert!(!noted("args-1").contains("--resume"), "{}", noted("args-1"));
        let goes_on = noted("args-2").contains("--resume s-1");
        assert_eq!(goes_on, resumed, "{}", noted("args-2"));
        assert!(
            noted("told-2").contains("grep -q good"),
            "{}",
            noted("told-2")
        );
        let ended = stage.of_kind("attempt_ended.v1");
        let outcome = |nth: usize| &ended[nth]["body"]["outcome"];
        assert_eq!(outcome(0)["session"], "s-1");
        assert_eq!(outcome(0)["resumed"], Value::Null);
        assert_eq!(outcome(1)["resumed"] == "s-1", resumed, "{:#}", outcome(1));
        // Of a person's own setup what they let in, by name, and nothing by default.
        let had = crate::quick::kept(&stage.world, " setup");
        assert_eq!(noted("had-1").contains("be brief"), resumed);
        assert_eq!(noted("args-1").contains("--mcp-config"), resumed);
        assert_eq!(had.len(), if resumed { 2 } else { 0 });
        for setup in had {
            let setup: Value = serde_json::from_str(&setup).unwrap();
            assert_eq!(setup["memory"], store::sha256_hex(b"be brief\n"), "{setup}");
            assert!(
                setup["mcp:docs"].is_string() && setup["mcp:other"].is_null(),
                "{setup}"
            );
        }
    }
}

#[test]
fn a_slowed_down_agent_is_asked_again_when_its_provider_wants() {
    let mut stage = Stage::new("opencode:fake/m", "opencode-slowed", "", &[]);
    stage
        .env
        .extend([("PATIENT", "1".to_owned()), ("WAIT", "1".to_owned())]);
    stage.run(&["run", "t"]).exits(0);
    assert_eq!(stage.classes(), ["transient", "done"]);
    let first = &stage.of_kind("attempt_ended.v1")[0];
    assert_eq!(first["body"]["outcome"]["retry_after_millis"], 1_000);
    let began = stage.of_kind("effect_began.v1");
    let mut began = began.iter().filter(|one| one["body"]["kind"] == "attempt");
    let at = |record: &Value| kernel::Time::parse(record["at"].as_str().unwrap()).unwrap();
    assert!(at(began.nth(1).unwrap()).0 >= at(first).0 + 1_000);
}

#[test]
fn an_agent_that_is_slowed_down_for_ever_is_asked_a_bounded_number_of_times() {
    let mut stage = Stage::new("opencode:fake/m", "opencode-slowed", "", &[]);
    stage
        .env
        .extend([("PATIENT", "99".to_owned()), ("WAIT", "0".to_owned())]);
    stage.run(&["run", "t"]).exits(2);
    // The first, and eight more.
    assert_eq!(stage.classes(), vec!["transient"; 9]);
    let status = stage.world.status();
    assert_eq!(status["waiting_for"]["reason"], "trouble", "{status:#}");
    let before = stage.classes().len();
    stage.run(&["run", "t"]).exits(2);
    assert_eq!(stage.classes().len(), before, "a new engine asks no more");
}

/// Whoever reads what an agent left sees what it said and did, whichever it was.
#[test]
fn what_every_coding_agent_says_and_does_can_be_read() {
    let coding = agents::names().filter(|name| agents::External::named(name, Vec::new()).is_some());
    for name in coding {
        let file = format!("../agents/tests/fixtures/{name}.jsonl");
        let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join(&file);
        let said = std::fs::read(path).unwrap_or_else(|error| panic!("{file}: {error}"));
        let turns = report::transcript::read(&said);
        for kind in [TurnKind::Says, TurnKind::Does] {
            let mut shown = turns.iter().map(|turn| turn.kind);
            assert!(shown.any(|shown| shown == kind), "{name} {}", kind.as_str());
        }
    }
}

//! Models over an API in whole runs: the real binary, a scripted provider, a workflow of the user's
//! own. What a model was offered and told is read from the requests that the provider got.

use crate::reach::confines;
use crate::support::{Said, World};
use serde_json::{Value, json};
use testkit::model_server::{Call, ModelServer, Request, Script, Turn};

/// No shape that anybody knows: only the exact key can be found.
const KEY: &str = "correct-horse-battery";

const WORKFLOW: &str = r#"name = "tooled"
about = "One builds with tools of the workflow, one looks without."
initial = "build"

[tool.show]
about = "Prints a file."
command = ["cat", "--", "{file}"]
parameters = { file = "The file to print" }
[tool.stamp]
about = "Leaves a stamp, and fails."
command = ["sh", "-c", "echo stamped > stamp.txt; echo broken >&2; exit 3"]

[role.builder]
can = ["read", "edit"]
about = "Builds."
tools = ["show", "stamp"]
[role.looker]
can = ["read"]
about = "Looks."

[state.build]
kind = "work"
role = "builder"
brief = "brief.md"
[state.look]
kind = "work"
role = "looker"
brief = "brief.md"
[state.done]
kind = "end"

[[transition]]
action = "built"
from = "build"
to = "look"
by = "engine"
when = "gate.pass"
[[transition]]
action = "looked"
from = "look"
to = "done"
by = "engine"
when = "gate.pass"
"#;

/// The connectors, and what comes behind the server's address.
const PROVIDERS: [(&str, &str); 3] = [("anthropic", ""), ("openai", "/v1"), ("openai-chat", "/v1")];

struct Stage {
    world: World,
    server: ModelServer,
    agent: String,
}

impl Stage {
    /// A run `t` of the workflow above, with these settings and arguments of `new`.
    fn new((name, path): (&str, &str), script: Script, config: &str, more: &[&str]) -> Self {
        let world = World::new();
        let server = ModelServer::start(script).expect("a server");
        world.write(".proofhouse/workflows/tooled/workflow.toml", WORKFLOW);
        world.write(".proofhouse/workflows/tooled/brief.md", "Do it.");
        world.write(".proofhouse/config.toml", config);
        let agent = format!("{name}:fake-model@{}{path}", server.url());
        let stage = Self {
            world,
            server,
            agent,
        };
        let new = ["new", "tooled", "--dir", "tasks/t", "--agent", &stage.agent];
        stage.run(&[&new[..], more].concat()).exits(0);
        stage
    }

    fn run(&self, args: &[&str]) -> Said {
        let mut command = self.world.command(args);
        for name in ["ANTHROPIC_API_KEY", "OPENAI_API_KEY"] {
            command.env(name, KEY);
        }
        command.output().unwrap().into()
    }

    fn ended(&self) -> Vec<Value> {
        let records = self.world.journal().into_iter();
        let ended = records.filter(|record| record["kind"] == "attempt_ended.v1");
        ended.collect()
    }

    fn classes(&self) -> Vec<String> {
        let ended = self.ended();
        let classes = ended.iter().map(|one| &one["body"]["outcome"]["class"]);
        classes
            .map(|class| class.as_str().unwrap().to_owned())
            .collect()
    }
}

fn done() -> Turn {
    Turn::text(r#"{"summary":"did it","next":null,"verdict":null,"findings":null}"#)
}

fn offered(request: &Request) -> Vec<&str> {
    let tools = request.body["tools"].as_array().expect("tools");
    let name = |tool| {
        let tool: &Value = tool;
        tool["name"].as_str().or(tool["function"]["name"].as_str())
    };
    tools.iter().filter_map(name).collect()
}

/// Everything that a request carries, as one text in which no quote is escaped.
fn told(request: &Request) -> String {
    request.body.to_string().replace("\\n", "\n")
}

#[test]
fn a_workflows_tool_runs_confined_for_the_role_that_has_it_and_for_no_other() {
    if !confines(&World::new()) {
        return;
    }
    for provider in PROVIDERS {
        let show = |file: &str| Call::tool("show", json!({ "file": file }));
        let script = Script::in_order([
            Turn::calls([
                show("code.txt"),
                show("/etc/shadow"),
                show("../../../../../journal/t.jsonl"),
                Call::tool("stamp", json!({})),
                show("--help"),
                Call::tool("show", json!({ "path": "code.txt" })),
                Call::tool("run", json!({ "command": "cat code.txt" })),
            ]),
            done(),
            Turn::calls([show("code.txt"), Call::tool("stamp", json!({}))]),
            done(),
        ]);
        let stage = Stage::new(provider, script, "", &[]);
        stage.run(&["run", "t"]).exits(0);
        assert_eq!(stage.world.status()["state"], "done");
        let requests = stage.server.requests();
        assert_eq!(requests.len(), 4, "{provider:?}");
        let ours = ["read", "write", "edit", "ls", "todo"];
        let with = [&ours[..], &["show", "stamp"]].concat();
        assert_eq!(offered(&requests[0]), with, "{provider:?}");
        assert!(told(&requests[0]).contains("The file to print"));
        // What came back to the model that may call them.
        let back = told(&requests[1]);
        for says in [
            "bad\n(exit code 0)",
            "/etc/shadow: No such file",
            "t.jsonl: No such file",
            "broken\n(exit code 3)",
            "--help: No such file",
            "`file` is missing",
            "this role may not use `run`",
        ] {
            assert!(back.contains(says), "{provider:?}: no {says:?} in {back}");
        }
        assert!(!back.contains("run_started") && !back.contains("root:"));
        // The tool worked in the view, so what it left was taken back.
        assert_eq!(stage.world.read("stamp.txt"), "stamped\n");
        // The other role has neither.
        assert_eq!(offered(&requests[2]), ours, "{provider:?}");
        let back = told(&requests[3]);
        for name in ["show", "stamp"] {
            let says = format!("there is no tool `{name}`; there are read, write, edit, ls, todo");
            assert!(back.contains(&says), "{provider:?}: {back}");
        }
        stage.run(&["audit"]).exits(0);
    }
}

#[test]
fn a_quota_is_waited_for_until_its_reset_and_then_the_run_goes_on() {
    let body =
        json!({ "error": { "type": "insufficient_quota", "message": "your quota is used up" } });
    for provider in PROVIDERS {
        let quota = Turn::status(429)
            .header("retry-after", "1")
            .body(body.clone());
        let script = Script::in_order([quota, done(), done()]);
        let stage = Stage::new(provider, script, "", &[]);
        stage.run(&["run", "t"]).exits(0);
        assert_eq!(stage.classes(), ["quota", "done", "done"], "{provider:?}");
        let first = &stage.ended()[0];
        assert_eq!(first["body"]["outcome"]["retry_after_millis"], 1_000);
        let at = |record: &Value| kernel::Time::parse(record["at"].as_str().unwrap()).unwrap();
        let journal = stage.world.journal();
        let mut began = journal.iter().filter(|record| {
            record["kind"] == "effect_began.v1" && record["body"]["kind"] == "attempt"
        });
        let second = began.nth(1).unwrap();
        assert!(at(second).0 >= at(first).0 + 1_000, "{provider:?}");
        // It cost an attempt and no pass.
        assert_eq!(stage.world.status()["state"], "done");
    }
}

#[test]
fn the_caps_of_the_run_and_of_the_day_stop_inside_of_an_attempt() {
    // 10 fresh tokens at 1 dollar per million, 2 written at 2: 14 micro-dollars a request.
    let prices = "[prices.\"fake-model\"]\ninput = 1_000_000\noutput = 2_000_000\n";
    let turn = || Turn::call(Call::tool("todo", json!({}))).costs(10, 0, 2);
    let day = format!("{prices}[day]\nmicro_dollars = 40\n");
    for (config, more, says) in [
        (prices, &["--budget", "micro_dollars=40"][..], "budget"),
        (prices, &["--budget", "tokens=25"][..], "budget"),
        (day.as_str(), &[][..], "trouble"),
    ] {
        for provider in PROVIDERS {
            let script = Script::new((0..50).map(|_| turn()));
            let stage = Stage::new(provider, script, config, more);
            let said = stage.run(&["run", "t"]).exits(2);
            assert_eq!(
                stage.server.requests().len(),
                3,
                "{provider:?}\n{}",
                said.out
            );
            let classes = stage.classes();
            assert_eq!(classes[0], "killed", "{provider:?}");
            let reason = &stage.ended()[0]["body"]["outcome"]["reason"];
            let stopped = "stopped by Proofhouse before its next call";
            assert_eq!(reason, stopped, "{provider:?}");
            let status = stage.world.status();
            assert_eq!(status["waiting_for"]["reason"], says, "{status:#}");
            assert_eq!(status["spend"]["run"]["micro_dollars"], 42);
        }
    }
}

#[test]
fn no_key_is_in_anything_that_is_kept_of_a_models_run() {
    // Shapes of known keys, put together here so that this file holds none.
    let planted = [
        KEY.to_owned(),
        format!("{}-ant-api03-{}", "sk", "a1B2".repeat(12)),
        format!("{}_{}", "ghp", "Ab3d".repeat(9)),
        format!("{}IOSFODNN7{}", "AKIA", "ABCDEFG"),
        format!("{}Sy{}", "AIza", "B1c2".repeat(8) + "D"),
    ];
    for provider in PROVIDERS {
        let all = planted.join(" ");
        let script = Script::in_order([
            Turn::calls([
                Call::tool("write", json!({ "path": "task/note.md", "content": "noted" })),
                Call::tool("todo", json!({ "items": [{ "text": all, "status": "open" }] })),
                Call::tool("show", json!({ "file": all })),
            ]),
            Turn::text(json!({ "summary": format!("I saw {all}"), "next": null, "verdict": null, "findings": null }).to_string()),
            done(),
        ]);
        let stage = Stage::new(provider, script, "", &[]);
        stage.run(&["run", "t"]).exits(0);
        let mut open = vec![stage.world.at(".proofhouse"), stage.world.at("tasks")];
        let (mut files, mut redacted) = (0, 0);
        while let Some(folder) = open.pop() {
            for entry in std::fs::read_dir(folder).unwrap() {
                let path = entry.unwrap().path();
                if path.is_dir() {
                    open.push(path);
                    continue;
                }
                files += 1;
                let bytes = std::fs::read(&path).unwrap();
                let text = String::from_utf8_lossy(&bytes);
                redacted += usize::from(text.contains("[redacted]"));
                for key in &planted {
                    assert!(
                        !text.contains(key),
                        "{provider:?}: a key is in {}",
                        path.display()
                    );
                }
            }
        }
        assert!(
            files > 10 && redacted > 2,
            "{files} files, {redacted} of them redacted"
        );
    }
}

#[test]
fn a_conversation_that_was_shortened_is_whole_in_the_vault() {
    for provider in PROVIDERS {
        let todo = |n: u64| {
            let items = json!({ "items": [{ "text": format!("step-{n}"), "status": "open" }] });
            Turn::call(Call::tool("todo", items))
        };
        // A model on this machine has a window of 32,000 unless somebody says otherwise.
        let mut turns: Vec<Turn> = (0..4).map(|n| todo(n).costs(100, 0, 1)).collect();
        turns.push(todo(4).costs(27_200, 0, 1));
        turns.extend([done(), done()]);
        let stage = Stage::new(provider, Script::in_order(turns), "", &[]);
        stage.run(&["run", "t"]).exits(0);
        let requests = stage.server.requests();
        let after = requests.iter().filter(|one| one.body["tools"].is_array());
        let last_of_first = told(after.clone().nth(5).unwrap());
        assert!(
            last_of_first.contains("step-4") && !last_of_first.contains("step-0"),
            "{provider:?}: {last_of_first}"
        );
        let ended = &stage.ended()[0];
        let evidence = ended["body"]["outcome"]["evidence"].as_array().unwrap();
        let history = evidence
            .iter()
            .find(|one| one["name"].as_str().unwrap().ends_with("history"));
        let vault = store::Vault::open(&stage.world.at(".proofhouse/evidence")).unwrap();
        let bytes = vault
            .get(history.unwrap()["hash"].as_str().unwrap())
            .unwrap();
        let whole = String::from_utf8(bytes).unwrap();
        for n in 0..5 {
            assert!(
                whole.contains(&format!("step-{n}")),
                "{provider:?}: {whole}"
            );
        }
        stage.run(&["audit"]).exits(0);
    }
}

//! What a model does when all goes well.

use super::{KEY, done, each};
use crate::world::transcript;
use agents::{Agent, Order, Place, Then, Tool, ToolSpec};
use kernel::outcome::{Class, Usage};
use sandbox::Cancel;
use serde_json::{Value, json};
use std::fs;
use std::sync::Arc;
use testkit::model_server::{Call, Script, Turn};

fn write(path: &str, text: &str) -> Turn {
    Turn::call(Call::Write {
        path: path.into(),
        text: text.into(),
    })
}

#[test]
fn it_writes_edits_runs_and_finishes() {
    let script = || {
        let edit = Call::Edit {
            path: "repo/new.txt".into(),
            old: "hello".into(),
            new: "hullo".into(),
        };
        let turns = [
            write("repo/new.txt", "hello\n"),
            Turn::call(edit),
            Turn::call(Call::Shell("cat new.txt; echo $((6*7)); exit 3".into())),
            done(),
        ];
        Script::new(turns.map(|turn| turn.costs(10, 4, 2)))
    };
    each(script, |stage| {
        let agent = stage.agent();
        let reply = stage.world.run(&agent);
        assert_eq!(
            reply.class,
            Class::Done,
            "{}\n{}",
            reply.reason,
            transcript(&reply)
        );
        assert_eq!(stage.world.read("view/repo/new.txt"), "hullo\n");
        assert_eq!(
            reply.result,
            Some(json!({ "summary": "made a file", "next": "verify" }))
        );
        // Four requests, each 6 fresh at 1, 4 cached at 0.5 and 2 written at 2.
        let usage = Usage {
            input_tokens: 40,
            cached_tokens: 16,
            output_tokens: 8,
            micro_dollars: 48,
        };
        assert_eq!(reply.usage, usage);
        assert!(
            transcript(&reply).contains("hullo\n42\n(exit code 3)"),
            "{}",
            transcript(&reply)
        );
        let answers = stage.answers(&stage.last());
        assert_eq!(answers[2], "hullo\n42\n(exit code 3)");
        assert_eq!(stage.server.requests().len(), 4);
        let recovered = agent.recover(&stage.world.order()).expect("it had ended");
        assert_eq!((recovered.result, recovered.usage), (reply.result, usage));
    });
}

#[test]
fn the_wire_carries_the_key_the_tools_and_the_schema() {
    each(
        || Script::new([done()]),
        |stage| {
            let reply = stage.world.run(&stage.agent());
            assert_eq!(reply.class, Class::Done, "{}", reply.reason);
            let request = stage.last();
            let body = &request.body;
            let (key, format, names) = match stage.provider.name() {
                "anthropic" => (
                    "x-api-key",
                    &body["output_config"]["format"],
                    "/tools/0/name",
                ),
                "openai" => ("authorization", &body["text"]["format"], "/tools/0/name"),
                "openai-chat" => (
                    "authorization",
                    &body["response_format"],
                    "/tools/0/function/name",
                ),
                unknown => panic!("what {unknown} is sent must stand here"),
            };
            assert!(request.headers[key].ends_with(KEY));
            assert_eq!(format["type"], "json_schema");
            let schema = format
                .get("schema")
                .unwrap_or(&format["json_schema"]["schema"]);
            assert_eq!(
                Some(schema.clone()),
                agents::result::Shape::default().strict()
            );
            assert_eq!(body.pointer(names), Some(&json!("read")));
            assert_eq!(body["stream"], true);
        },
    );
}

#[test]
fn a_roles_schema_goes_over_the_wire_and_its_nulls_come_back_out() {
    let role = json!({
        "type": "object", "required": ["risk"],
        "properties": {
            "risk": { "enum": ["low", "high"] },
            "note": { "type": "string", "maxLength": 9 },
        },
    });
    let shape = Arc::new(agents::result::Shape::with(&role).expect("a schema"));
    let answer =
        r#"{"summary":"s","next":null,"verdict":null,"findings":null,"risk":"low","note":null}"#;
    each(
        || Script::new([Turn::text(answer)]),
        |stage| {
            let order = Order {
                shape: shape.clone(),
                ..stage.world.order()
            };
            let reply = stage.agent().run(&order, &Cancel::new(), &|_| {});
            assert_eq!(reply.class, Class::Done, "{}", reply.reason);
            assert_eq!(reply.result, Some(json!({ "summary": "s", "risk": "low" })));
            let sent = stage.last().body.to_string();
            let strict = shape.strict().expect("it can be said").to_string();
            assert!(sent.contains(&strict), "{sent}");
            assert!(strict.contains("risk") && !strict.contains("maxLength"));
        },
    );
}

#[test]
fn an_answer_that_is_no_result_is_named_and_can_be_gone_on_with() {
    each(
        || Script::new([Turn::text("All done!"), done()]),
        |stage| {
            let agent = stage.agent();
            let first = stage.world.run(&agent);
            assert_eq!(first.class, Class::InvalidResult);
            assert!(
                first.reason.starts_with("`result` is not JSON"),
                "{}",
                first.reason
            );
            assert_eq!(agent.recover(&stage.world.order()), None);
            let order = Order {
                home: stage.world.path("second"),
                brief: "That was no JSON.".into(),
                continues: first.session,
                ..stage.world.order()
            };
            let second = agent.run(&order, &Cancel::new(), &|_| {});
            assert_eq!(second.class, Class::Done, "{}", second.reason);
            let text = stage.last().body.to_string();
            for said in ["Do it.", "All done!", "That was no JSON."] {
                assert!(text.contains(said), "{said} is not in {text}");
            }
        },
    );
}

#[test]
fn several_calls_in_one_turn_are_all_answered() {
    let script = || {
        let todo = json!({ "items": [{ "text": "think", "status": "doing" }] });
        let calls = [
            Call::tool("ls", json!({})),
            Call::tool("glob", json!({ "pattern": "repo/**/*.rs" })),
            Call::tool("grep", json!({ "pattern": "fn m..n", "path": "repo" })),
            Call::tool("read", json!({ "path": "repo/src/main.rs", "line": 2 })),
            Call::tool("todo", todo),
            Call::tool("fly", json!({})),
            Call::tool("read", json!({})),
        ];
        Script::new([Turn::calls(calls), done()])
    };
    each(script, |stage| {
        fs::create_dir_all(stage.world.path("view/repo/src")).expect("a folder");
        fs::write(
            stage.world.path("view/repo/src/main.rs"),
            "// one\nfn main() {}\n",
        )
        .expect("a file");
        let reply = stage.world.run(&stage.agent());
        assert_eq!(reply.class, Class::Done, "{}", reply.reason);
        let expected = [
            "repo/\ntask/\n",
            "repo/src/main.rs\n",
            "repo/src/main.rs:2: fn main() {}\n",
            "fn main() {}\n",
            "[>] think",
            "there is no tool `fly`; there are read, write, edit, ls, glob, grep, run, todo",
            "`path` is missing; call it again with it",
        ];
        assert_eq!(stage.answers(&stage.last()), expected);
    });
}

#[test]
fn a_call_with_broken_arguments_is_answered_and_mended() {
    let broken = || Turn::call(Call::raw("write", r#"{"path": "repo/a", "cont"#));
    each(
        || Script::new([broken(), write("repo/a", "x"), done()]),
        |stage| {
            let reply = stage.world.run(&stage.agent());
            assert_eq!(reply.class, Class::Done, "{}", reply.reason);
            assert_eq!(stage.world.read("view/repo/a"), "x");
            let second = &stage.server.requests()[1];
            let answers = stage.answers(second);
            assert!(answers[0].contains("are not a JSON object"), "{answers:?}");
            let body = &second.body;
            let sent = match stage.provider.name() {
                "anthropic" => body["messages"][1]["content"][0]["input"].clone(),
                "openai" => body["input"][1]["arguments"].clone(),
                "openai-chat" => {
                    body["messages"][2]["tool_calls"][0]["function"]["arguments"].clone()
                }
                unknown => panic!("what {unknown} is sent must stand here"),
            };
            assert!(sent == json!({}) || sent == json!("{}"), "{sent}");
        },
    );
}

/// A tool that a workflow adds; its second self tries to take the place of one of ours.
struct Greet(&'static str);

impl Tool for Greet {
    fn spec(&self) -> ToolSpec {
        let parameters =
            json!({ "type": "object", "properties": { "whom": { "type": "string" } } });
        ToolSpec {
            name: self.0.into(),
            description: "Greets.".into(),
            parameters,
        }
    }

    fn call(&self, arguments: &Value, place: &Place<'_>) -> Result<String, String> {
        let whom = arguments["whom"].as_str().ok_or("say whom to greet")?;
        Ok(format!("{} greets {whom}", place.order.role))
    }
}

/// A tool of the engine's whose success is the end.
struct HandIn;

impl Tool for HandIn {
    fn spec(&self) -> ToolSpec {
        let parameters =
            json!({ "type": "object", "properties": { "work": { "type": "string" } } });
        ToolSpec {
            name: "hand_in".into(),
            description: "Hands the work in.".into(),
            parameters,
        }
    }

    fn call(&self, arguments: &Value, place: &Place<'_>) -> Result<String, String> {
        let work = arguments["work"].as_str().filter(|work| !work.is_empty());
        let work = work.ok_or("the work is empty; mend it")?;
        place.write("repo/work.txt", work.as_bytes())?;
        let read = place.read("repo/work.txt")?;
        place.looked_up(&json!({ "tool": "hand_in", "query": "none" }))?;
        Ok(json!({ "summary": format!("handed in {} bytes", read.len()) }).to_string())
    }

    fn then(&self) -> Then {
        Then::Ends
    }
}

#[test]
fn s3_2_1_a_tool_that_ends_gives_the_result_and_later_calls_do_not_run() {
    let script = || {
        Script::new([
            Turn::call(Call::tool("hand_in", json!({ "work": "" }))),
            Turn::calls([
                Call::tool("hand_in", json!({ "work": "done" })),
                Call::Write {
                    path: "repo/late.txt".into(),
                    text: "late".into(),
                },
            ]),
            Turn::text("never asked for"),
        ])
    };
    each(script, |stage| {
        let agent = stage.agent().with_tools(vec![Arc::new(HandIn)]);
        let reply = stage.world.run(&agent);
        assert_eq!(reply.class, Class::Done, "{}", transcript(&reply));
        assert_eq!(
            reply.result,
            Some(json!({ "summary": "handed in 4 bytes" }))
        );
        assert_eq!(stage.server.requests().len(), 2);
        assert_eq!(stage.world.read("view/repo/work.txt"), "done");
        assert!(!stage.world.path("view/repo/late.txt").exists());
        let said = transcript(&reply);
        assert!(said.contains("the work is empty"), "{said}");
        assert!(said.contains("was not run"), "{said}");
        let home = stage.world.order().home;
        let record = fs::read_to_string(home.join(agents::RESEARCH_FILE)).unwrap();
        assert_eq!(record, "{\"query\":\"none\",\"tool\":\"hand_in\"}\n");
        let recovered = agent.recover(&stage.world.order()).expect("it had ended");
        assert_eq!(
            recovered.result, reply.result,
            "a crash after it loses nothing"
        );
    });
}

#[test]
fn a_workflows_command_runs_in_the_repository_and_its_values_stay_values() {
    let word = str::to_owned;
    let tool = agents::CommandTool {
        name: word("say"),
        about: word("Says it."),
        command: [
            "sh",
            "-c",
            "pwd; printf '%s|' \"$@\"; exit 3",
            "sh",
            "<{what}>",
        ]
        .map(word)
        .to_vec(),
        parameters: [(word("what"), word("What to say"))].into(),
        wall: crate::world::AMPLE,
    };
    let nasty = "a b'; touch planted; \"$(id)";
    let calls = || [json!({ "what": nasty }), json!({})].map(|it| Call::tool("say", it));
    each(
        || Script::new([Turn::calls(calls()), done()]),
        |stage| {
            let agent = stage.agent().with_tools(vec![Arc::new(tool.clone())]);
            assert_eq!(stage.world.run(&agent).class, Class::Done);
            let repo = stage
                .world
                .path("view/repo")
                .canonicalize()
                .expect("a folder");
            let said = format!("{}\n<{nasty}>|\n(exit code 3)", repo.display());
            let missing = "`what` is missing; call it again with it".to_owned();
            assert_eq!(stage.answers(&stage.last()), [said, missing]);
            assert!(!stage.world.path("view/repo/planted").exists());
            assert!(stage.last().body.to_string().contains("What to say"));
        },
    );
}

#[test]
fn a_workflow_adds_tools_and_replaces_none() {
    let script = || {
        let greet = |arguments| Call::tool("greet", arguments);
        let calls = [
            greet(json!({ "whom": "Ada" })),
            greet(json!({})),
            Call::tool("todo", json!({})),
        ];
        Script::new([Turn::calls(calls), done()])
    };
    each(script, |stage| {
        let agent = stage
            .agent()
            .with_tools(vec![Arc::new(Greet("greet")), Arc::new(Greet("todo"))]);
        assert_eq!(stage.world.run(&agent).class, Class::Done);
        let expected = ["coder greets Ada", "say whom to greet", "[nothing to do]"];
        assert_eq!(stage.answers(&stage.last()), expected);
    });
}

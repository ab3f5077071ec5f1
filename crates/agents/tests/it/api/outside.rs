//! A model that reaches for what is not its own.

use super::{KEY, done, each};
use crate::world::transcript;
use agents::{Agent, Order};
use kernel::effect::{Access, Capability};
use kernel::outcome::Class;
use sandbox::Cancel;
use serde_json::{Value, json};
use std::fs;
use std::sync::Arc;
use testkit::model_server::{Call, Request, Script, Turn};

const SECRET: &str = "what nobody may see";

#[test]
fn nothing_outside_the_view_is_read_or_written() {
    let script = || {
        let read = |path: &str| Call::tool("read", json!({ "path": path }));
        let calls = [
            read("../outside.txt"),
            read("/etc/passwd"),
            read("repo/../../outside.txt"),
            read("repo/link"),
            read("repo/folder/outside.txt"),
            read("parked/../../outside.txt"),
            read("repo/.git/config"),
            Call::tool("grep", json!({ "pattern": "nobody" })),
            Call::tool("ls", json!({ "path": "repo/folder" })),
            Call::tool("write", json!({ "path": "../new.txt", "content": "x" })),
            Call::tool("write", json!({ "path": "repo/link", "content": "x" })),
            Call::tool(
                "write",
                json!({ "path": "repo/folder/new.txt", "content": "x" }),
            ),
            Call::tool("write", json!({ "path": "parked/new.txt", "content": "x" })),
            Call::tool(
                "edit",
                json!({ "path": "repo/folder/outside.txt", "old": "nobody", "new": "x" }),
            ),
        ];
        Script::new([Turn::calls(calls), done()])
    };
    each(script, |stage| {
        let world = &stage.world;
        fs::write(world.path("outside.txt"), SECRET).expect("a secret");
        fs::create_dir(world.path("view/repo/.git")).expect("a folder");
        fs::write(world.path("view/repo/.git/config"), SECRET).expect("a secret");
        std::os::unix::fs::symlink(world.path("outside.txt"), world.path("view/repo/link"))
            .expect("a link");
        std::os::unix::fs::symlink(world.path(""), world.path("view/repo/folder")).expect("a link");
        let reply = world.run(&stage.agent());
        assert_eq!(reply.class, Class::Done, "{}", reply.reason);
        let answers = stage.answers(&stage.last());
        assert_eq!(answers.len(), 14);
        for answer in &answers {
            assert!(
                !answer.contains("may see") && !answer.contains("root:"),
                "{answer}"
            );
            assert!(
                !answer.starts_with("wrote") && !answer.starts_with("changed"),
                "{answer}"
            );
        }
        assert_eq!(world.read("outside.txt"), SECRET);
        assert!(!world.path("new.txt").exists() && !world.path("view/new.txt").exists());
    });
}

/// Of a module that somebody else made, the view has the surfaces alone.
#[test]
fn s12_5_the_inside_of_a_shipped_module_is_refused_in_the_documents_words() {
    const INSIDE: &str = "repo/state_store/modules/MM-a/1.0.0/implementation/lib.rs";
    const TESTS: &str = "repo/state_store/modules/MM-a/1.0.0/Tests/a.rs";
    const OWN: &str = "repo/state_store/modules/MM-b/1.0.0/implementation/lib.rs";
    const ABSENT: &str = "repo/state_store/modules/MM-c/1.0.0/tests/a.rs";
    let script = || {
        let read = |path: &str| Call::tool("read", json!({ "path": path }));
        let edit = json!({ "path": INSIDE, "old": "a", "new": "b" });
        let calls = [
            read(INSIDE),
            read(TESTS),
            Call::tool("edit", edit),
            read(OWN),
            read(ABSENT),
        ];
        Script::new([Turn::calls(calls), done()])
    };
    each(script, |stage| {
        let world = &stage.world;
        for (folder, file) in [
            ("MM-a/1.0.0", "contract.json"),
            ("MM-b/1.0.0", "contract.json"),
        ] {
            let folder = world.path("view/repo/state_store/modules").join(folder);
            fs::create_dir_all(&folder).expect("a folder");
            fs::write(folder.join(file), "{}").expect("a contract");
        }
        let own = world.path("view").join(OWN);
        fs::create_dir_all(own.parent().expect("a folder")).expect("a folder");
        fs::write(&own, "mine").expect("a file");
        world.run(&stage.agent());
        let answers = stage.answers(&stage.last());
        for (answer, path) in answers.iter().zip([INSIDE, TESTS, INSIDE]) {
            let words = format!(
                "ACCESS DENIED: '{path}' is a sealed implementation directory. This module is a closed-source service — integrate via contract.json, examples.md, and ship.json only. See §12 (Opaque Implementation Rule) and §6.8 (Black-Box Integration) for rationale. If the contract is insufficient, raise an Interface Change Exception (§13)."
            );
            assert!(answer.contains(&words), "{answer}");
        }
        assert!(answers[3].contains("mine"), "{}", answers[3]);
        // What the view does not show is not said to be there.
        assert!(answers[4].contains("there is no"), "{}", answers[4]);
    });
}

#[test]
fn a_reader_changes_its_task_and_nothing_else() {
    let script = || {
        let write = |path: &str| Call::tool("write", json!({ "path": path, "content": "x" }));
        let edit = Call::tool("edit", json!({ "path": "repo/a", "old": "a", "new": "b" }));
        Script::new([
            Turn::calls([write("repo/new"), edit, write("task/note.md")]),
            done(),
        ])
    };
    each(script, |stage| {
        fs::write(stage.world.path("view/repo/a"), "a").expect("a file");
        let order = Order {
            access: Access::ReadOnly,
            ..stage.world.order()
        };
        let reply = stage.agent().run(&order, &Cancel::new(), &|_| {});
        assert_eq!(reply.class, Class::Done, "{}", reply.reason);
        let answers = stage.answers(&stage.last());
        assert!(
            answers[0].contains("this role only reads `repo/`"),
            "{answers:?}"
        );
        assert!(
            answers[1].contains("this role only reads `repo/`"),
            "{answers:?}"
        );
        assert_eq!(stage.world.read("view/repo/a"), "a");
        assert!(!stage.world.path("view/repo/new").exists());
        assert_eq!(stage.world.read("view/task/note.md"), "x");
    });
}

/// The names of the tools that a request offers.
fn offered(request: &Request) -> Vec<String> {
    let tools = request.body["tools"].as_array().expect("tools").iter();
    let name = |tool: &Value| {
        let name = tool["name"].as_str().or(tool["function"]["name"].as_str());
        name.expect("a name").to_owned()
    };
    tools.map(name).collect()
}

#[test]
fn what_a_role_cannot_do_is_not_offered_and_does_nothing_when_called() {
    use Capability::{Edit, Execute, Read, Search};
    // Every role may write in `task/`, so `write` and `edit` are there; `repo/` is theirs to refuse.
    let cases: [(&[Capability], &[&str]); 5] = [
        (&[], &["write", "edit", "todo"]),
        (&[Read], &["read", "write", "edit", "ls", "todo"]),
        (
            &[Read, Search],
            &["read", "write", "edit", "ls", "glob", "grep", "todo"],
        ),
        (&[Execute, Edit], &["write", "edit", "run", "todo"]),
        (
            &Capability::ALL,
            &["read", "write", "edit", "ls", "glob", "grep", "run", "todo"],
        ),
    ];
    let calls = || {
        [
            ("read", json!({ "path": "repo/a" })),
            ("ls", json!({ "path": "repo" })),
            ("glob", json!({ "pattern": "repo/**" })),
            ("grep", json!({ "pattern": "nobody" })),
            ("run", json!({ "command": "cat a; touch planted" })),
            ("write", json!({ "path": "repo/planted", "content": "x" })),
            (
                "edit",
                json!({ "path": "repo/a", "old": "what", "new": "x" }),
            ),
        ]
    };
    for (can, expected) in cases {
        let script = || {
            let calls = calls().map(|(name, arguments)| Call::tool(name, arguments));
            Script::new([Turn::calls(calls), done()])
        };
        each(script, |stage| {
            fs::write(stage.world.path("view/repo/a"), SECRET).expect("a file");
            let access = match can.contains(&Edit) {
                true => Access::Edit,
                false => Access::ReadOnly,
            };
            let order = Order {
                can: can.iter().copied().collect(),
                access,
                ..stage.world.order()
            };
            let reply = stage.agent().run(&order, &Cancel::new(), &|_| {});
            assert_eq!(reply.class, Class::Done, "{}", reply.reason);
            assert_eq!(offered(&stage.last()), expected, "{can:?}");
            let answers = stage.answers(&stage.last());
            for ((name, _), answer) in calls().iter().zip(&answers) {
                let refused = format!("this role may not use `{name}`");
                let known = expected.contains(name);
                assert_eq!(
                    answer.contains(&refused),
                    !known,
                    "{can:?} {name}: {answer}"
                );
                assert!(known || !answer.contains("may see"), "{name}: {answer}");
            }
            let planted = stage.world.path("view/repo/planted").exists();
            let may_plant = can.contains(&Execute) || can.contains(&Edit);
            assert_eq!(planted, may_plant, "{can:?}");
            let text = stage.world.read("view/repo/a");
            assert_eq!(text == SECRET, !can.contains(&Edit), "{can:?}");
        });
    }
}

#[test]
fn a_workflows_tool_does_not_bring_back_what_a_role_cannot_do() {
    let word = str::to_owned;
    let named = |name: &str| agents::CommandTool {
        name: word(name),
        about: word("Says it."),
        command: ["echo", "said"].map(word).to_vec(),
        parameters: [].into(),
        wall: crate::world::AMPLE,
    };
    let calls = || ["run", "say"].map(|name| Call::tool(name, json!({})));
    each(
        || Script::new([Turn::calls(calls()), done()]),
        |stage| {
            let agent = stage
                .agent()
                .with_tools(vec![Arc::new(named("run")), Arc::new(named("say"))]);
            let order = Order {
                can: [Capability::Read].into(),
                access: Access::ReadOnly,
                ..stage.world.order()
            };
            let reply = agent.run(&order, &Cancel::new(), &|_| {});
            assert_eq!(reply.class, Class::Done, "{}", reply.reason);
            let answers = stage.answers(&stage.last());
            assert!(answers[0].contains("may not use `run`"), "{answers:?}");
            // Given by name, it is one command and no shell.
            assert!(answers[1].starts_with("said\n"), "{answers:?}");
        },
    );
}

#[test]
fn keys_do_not_reach_commands_the_transcript_or_the_history() {
    let script = || {
        let print = Call::Shell(format!(
            "echo {KEY}; echo ghp_0123456789abcdefghij0123456789; env"
        ));
        Script::new([Turn::call(print), done()])
    };
    each(script, |stage| {
        let said = std::sync::Mutex::new(String::new());
        let reply = stage
            .agent()
            .run(&stage.world.order(), &Cancel::new(), &|line| {
                said.lock().expect("progress").push_str(line);
            });
        assert_eq!(reply.class, Class::Done, "{}", reply.reason);
        let kept = [
            transcript(&reply),
            stage.world.read("home/history.jsonl"),
            stage.world.read("home/session.json"),
            said.into_inner().expect("progress"),
        ];
        for text in kept {
            assert!(!text.contains(KEY) && !text.contains("ghp_"), "{text}");
            assert!(text.contains("[redacted]"), "{text}");
        }
        let answers = stage.answers(&stage.last());
        assert!(!answers[0].contains("PROOFHOUSE_RESULT="), "{answers:?}");
        assert!(answers[0].contains("PROOFHOUSE_TASK_DIR="), "{answers:?}");
    });
}

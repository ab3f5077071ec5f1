//! What a person's own agent reads: written, shown, and taken away again. And the hook that it asks before it stops.

use crate::guest::{Client, handed_in, taken, world};
use crate::support::World;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::io::Write;
use std::path::Path;
use std::process::Stdio;

const CLIENTS: [&str; 5] = ["claude", "codex", "opencode", "cursor", "gemini"];

fn all(clients: &[&str]) -> Vec<String> {
    let named = clients.iter().flat_map(|one| ["--for", one]);
    ["init", "--yes"]
        .into_iter()
        .chain(named)
        .map(str::to_owned)
        .collect()
}

fn run(world: &World, args: &[String]) -> crate::support::Said {
    let args: Vec<&str> = args.iter().map(String::as_str).collect();
    world.run(&args)
}

/// Every file, byte for byte, and every folder.
fn everything(world: &World) -> BTreeMap<String, Vec<u8>> {
    fn walk(top: &Path, folder: &Path, found: &mut BTreeMap<String, Vec<u8>>) {
        for entry in std::fs::read_dir(folder).unwrap().flatten() {
            let path = entry.path();
            let name = path.strip_prefix(top).unwrap().display().to_string();
            if name == ".git" {
                continue;
            }
            match path.is_dir() {
                true => {
                    found.insert(name, Vec::new());
                    walk(top, &path, found);
                }
                false => {
                    found.insert(name, std::fs::read(&path).unwrap());
                }
            }
        }
    }
    let mut found = BTreeMap::new();
    walk(world.path(), world.path(), &mut found);
    found
}

#[test]
fn what_each_client_reads_is_written_once_and_leaves_nothing_behind() {
    for client in CLIENTS {
        let world = World::new();
        let before = everything(&world);
        // Without a terminal and without `--yes` it is shown, and nothing is done.
        let said = world
            .run(&["init", "--for", client])
            .refuses(1, "terminal_required");
        assert!(said.out.contains("proofhouse"), "{}", said.out);
        assert_eq!(everything(&world), before);
        run(&world, &all(&[client])).exits(0);
        let after = everything(&world);
        let texts: String = after
            .values()
            .map(|text| String::from_utf8_lossy(text))
            .collect();
        for part in ["hand_in", "\"mcp\"", "name: proofhouse"] {
            assert!(texts.contains(part), "{client}: no {part}");
        }
        assert_eq!(texts.contains("proofhouse hook stop"), client != "opencode");
        for (path, text) in &after {
            if path.ends_with(".json") {
                serde_json::from_slice::<Value>(text)
                    .unwrap_or_else(|error| panic!("{path}: {error}"));
            }
            if path.ends_with(".toml") {
                toml::from_str::<toml::Value>(&String::from_utf8_lossy(text)).unwrap();
            }
        }
        let said = run(&world, &all(&[client])).exits(0);
        assert!(said.out.contains("nothing is to be done"), "{}", said.out);
        world.run(&["init", "--remove", "--yes"]).exits(0);
        assert_eq!(everything(&world), before, "{client}");
    }
}

#[test]
fn what_a_person_has_there_stays_byte_for_byte() {
    let world = World::new();
    let theirs = [
        (".mcp.json", "{\"mcpServers\":{\"x\":{\"command\":\"y\"}}}"),
        (
            ".claude/settings.json",
            "{\n\t\"hooks\": {\"Stop\": [{\"hooks\": []}]},\n\t\"model\": \"opus\"\n}",
        ),
        (".gemini/settings.json", "{ \"theme\": \"dark\" }\n"),
        (".codex/config.toml", "model = \"gpt-5\""),
        (".codex/hooks.json", "{\"hooks\": {}}\n"),
        ("opencode.json", "{\r\n  \"theme\": \"x\"\r\n}\r\n"),
        (".cursor/mcp.json", "{}"),
        ("AGENTS.md", "# Ours\n\nno line end"),
        ("CLAUDE.md", "@AGENTS.md\n"),
        (".claude/skills/mine/SKILL.md", "mine\n"),
    ];
    for (path, text) in theirs {
        world.write(path, text);
    }
    let before = everything(&world);
    let said = run(&world, &all(&CLIENTS)).exits(0);
    assert!(said.out.contains("change AGENTS.md"), "{}", said.out);
    assert!(
        world
            .read("AGENTS.md")
            .starts_with("# Ours\n\nno line end\n\n<!-- proofhouse:begin")
    );
    assert_eq!(
        world.read("AGENTS.md").matches("proofhouse:begin").count(),
        1
    );
    let settings: Value = serde_json::from_str(&world.read(".claude/settings.json")).unwrap();
    assert_eq!(settings["hooks"]["Stop"].as_array().unwrap().len(), 2);
    assert_eq!(settings["model"], "opus");
    world.run(&["init", "--remove", "--yes"]).exits(0);
    assert_eq!(everything(&world), before);
    // What has comments, or was edited since, is named and left alone.
    world.write("opencode.json", "// why\n{}\n");
    let said = run(&world, &all(&["opencode"])).exits(0);
    assert!(
        said.out.contains("kept opencode.json: put this in by hand"),
        "{}",
        said.out
    );
    world.write(
        ".opencode/skills/proofhouse/SKILL.md",
        "proofhouse, my way\n",
    );
    let said = world.run(&["init", "--remove", "--yes"]).exits(0);
    assert!(
        said.out
            .contains("kept .opencode/skills/proofhouse/SKILL.md"),
        "{}",
        said.out
    );
    assert_eq!(
        world.read(".opencode/skills/proofhouse/SKILL.md"),
        "proofhouse, my way\n"
    );
}

#[test]
fn what_was_written_behind_or_into_our_block_is_a_persons() {
    let world = World::new();
    world.write("CLAUDE.md", "Keep it small.");
    run(&world, &all(&["claude"])).exits(0);
    let ours = world.read("CLAUDE.md");
    world.write("CLAUDE.md", &format!("{ours}my tail"));
    world.run(&["init", "--remove", "--yes"]).exits(0);
    assert_eq!(world.read("CLAUDE.md"), "Keep it small.\nmy tail");
    run(&world, &all(&["codex", "opencode"])).exits(0);
    let edited = world.read("AGENTS.md").replace("Only a person", "Only I");
    world.write("AGENTS.md", &edited);
    let said = world.run(&["init", "--remove", "--yes"]).exits(0);
    let kept = said.out.matches("kept AGENTS.md").count();
    assert_eq!(kept, 1, "{}", said.out);
    assert_eq!(world.read("AGENTS.md"), edited);
    assert!(!world.at(".codex/config.toml").exists());
}

#[test]
fn what_is_missing_to_be_a_guest_is_said_and_nothing_else() {
    let world = World::new();
    let said = run(&world, &all(&["claude"])).exits(0).out;
    assert!(said.contains("agent = \"guest\""), "{said}");
    assert!(said.contains("enrol yours"), "{said}");
    let world = self::world();
    let said = run(&world, &all(&["claude"])).exits(0).out;
    assert!(!said.contains("agent = \"guest\""), "{said}");
    assert!(!said.contains("enrol yours"), "{said}");
    assert!(said.contains("next: commit"), "{said}");
    let world = World::new();
    let said = world.run(&["init", "--agent", "guest"]).exits(0).out;
    assert!(said.contains("next: `proofhouse serve --decide`"), "{said}");
}

/// What the hook answers to a client; null where it lets the agent stop.
fn asks(world: &World, message: &Value) -> Value {
    let mut child = world
        .command(&["hook", "stop"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let message = message.to_string();
    child
        .stdin
        .take()
        .unwrap()
        .write_all(message.as_bytes())
        .unwrap();
    let said = child.wait_with_output().unwrap();
    assert!(said.status.success());
    serde_json::from_slice(&said.stdout).unwrap_or_default()
}

#[test]
fn a_guest_is_told_once_to_hand_in_or_to_mend_before_it_stops() {
    let world = world();
    let stop = json!({ "hook_event_name": "Stop", "cwd": world.path(), "stop_hook_active": false });
    let says = |asked: &Value| {
        asks(&world, asked)["reason"]
            .as_str()
            .unwrap_or_default()
            .to_owned()
    };
    // Nobody took anything.
    assert_eq!(asks(&world, &stop), Value::Null);
    let mut client = Client::of(&world);
    client.does("start", json!({ "sentence": "make totals of carts" }));
    let (attempt, folder) = taken(&client.does("take", json!({})));
    // Nothing changed, nothing failed.
    assert_eq!(asks(&world, &stop), Value::Null);
    let cases = Path::new(&folder).join("tests/cases");
    std::fs::write(&cases, "one|5|5\ntwo|1 2|3\n").unwrap();
    let looping =
        json!({ "hook_event_name": "Stop", "cwd": world.path(), "stop_hook_active": true });
    assert_eq!(
        asks(&world, &looping),
        Value::Null,
        "the client's own guard"
    );
    let said = says(&stop);
    assert!(
        said.contains("`hand_in`") && said.contains(&attempt),
        "{said}"
    );
    assert_eq!(asks(&world, &stop), Value::Null, "once for one state");
    std::fs::write(&cases, "one|5|5\ntwo|1 2|3\nthree|4|4\n").unwrap();
    assert!(says(&stop).contains("`hand_in`"), "another state");
    let handed = client.does("hand_in", handed_in(&attempt));
    let (second, folder) = taken(&handed);
    // As it was taken, and the gate had not let it pass.
    let said = says(&stop);
    assert!(
        said.contains("red_green") && said.contains(&second),
        "{said}"
    );
    assert_eq!(asks(&world, &stop), Value::Null, "once");
    // Cursor takes its next message, and counts by itself.
    std::fs::write(Path::new(&folder).join("src/total.sh"), "total() { :; }\n").unwrap();
    let roots = json!([world.path()]);
    let cursor = |count: u32| json!({ "status": "completed", "loop_count": count, "workspace_roots": roots });
    assert_eq!(asks(&world, &cursor(1)), Value::Null);
    let said = asks(&world, &cursor(0));
    assert!(
        said["followup_message"]
            .as_str()
            .unwrap()
            .contains("`hand_in`"),
        "{said}"
    );
    // Elsewhere nobody is kept.
    assert_eq!(asks(&world, &json!({ "cwd": "/" })), Value::Null);
}

#[test]
fn while_the_gates_run_a_guest_is_told_once_to_wait_for_them() {
    let world = world();
    let suite = world.read("tests/run.sh");
    world.write("tests/run.sh", &format!("sleep 2\n{suite}"));
    world.commit("a slow suite");
    let stop = json!({ "hook_event_name": "Stop", "cwd": world.path(), "stop_hook_active": false });
    let mut client = Client::of(&world);
    client.does("start", json!({ "sentence": "make totals of carts" }));
    let (attempt, folder) = taken(&client.does("take", json!({})));
    let place = Path::new(&folder);
    std::fs::write(place.join("src/total.sh"), crate::guest::SUM).unwrap();
    std::fs::write(place.join("tests/cases"), "one|5|5\ntwo|1 2|3\n").unwrap();
    // Before it is handed in, that is what it is told.
    let said = asks(&world, &stop)["reason"].to_string();
    assert!(said.contains("nothing of it was judged"), "{said}");
    std::thread::scope(|scope| {
        let hands = scope.spawn(|| client.call("hand_in", handed_in(&attempt)));
        let mut said = Vec::new();
        while !hands.is_finished() {
            let answer = asks(&world, &stop);
            said.extend(answer["reason"].as_str().map(str::to_owned));
        }
        assert_eq!(said.len(), 1, "{said:?}");
        assert!(said[0].contains("is judged") && said[0].contains("`take`"));
    });
}

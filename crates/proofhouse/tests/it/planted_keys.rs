//! Keys where people put them by mistake: into the name of an agent, an address, a command, a field. A
//! journal keeps what it is given for ever, so they are refused before anything is written.

use crate::support::World;

fn nothing_kept(world: &World, key: &str) {
    let mut folders = vec![world.at(".proofhouse")];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(&folder).into_iter().flatten().flatten() {
            let path = entry.path();
            if path.is_dir() {
                folders.push(path);
            } else {
                let bytes = std::fs::read(&path).unwrap();
                let text = String::from_utf8_lossy(&bytes);
                assert!(!text.contains(key), "{}", path.display());
            }
        }
    }
    assert!(!world.at(".proofhouse/journal/k.jsonl").exists());
}

#[test]
fn a_key_in_what_a_run_is_given_is_refused_and_kept_nowhere() {
    let key = format!("sk-{}-{}", "ant", "abcd1234".repeat(4));
    let password = format!("hunter2{}", "-correct-horse");
    let (check, field) = (
        format!("curl -H 'x-api-key: {key}' localhost"),
        format!("Objective=use {key}"),
    );
    let command = format!("command:./agent --key {key}");
    let address = format!("openai-chat:m@http://bob:{password}@localhost:9/v1");
    let query = format!("openai-chat:m@http://localhost:9/v1?key={password}");
    let new = ["new", "phase", "--dir", "tasks/k", "--name", "k"];
    for (more, code) in [
        (["--check", &check], "start_holds_key"),
        (["--set", &field], "start_holds_key"),
        (["--agent", &command], "agent_holds_key"),
        (["--agent", &address], "agent_bad_url"),
        (["--agent", &query], "agent_bad_url"),
    ] {
        let world = World::new();
        let mut arguments = new.to_vec();
        if more[0] != "--agent" {
            arguments.extend(["--agent", "command:true"]);
        }
        arguments.extend(more);
        let said = world.run(&arguments).exits(1);
        let text = said.out + &said.err;
        assert!(text.contains(code), "{text}");
        assert!(!text.contains(&key) && !text.contains(&password), "{text}");
        nothing_kept(&world, &key);
        nothing_kept(&world, &password);
    }
}

#[test]
fn a_password_in_the_address_of_a_model_begins_no_project() {
    let password = format!("hunter2{}", "-correct-horse");
    let world = World::new();
    world.write("SPEC.md", "# A thing\n\nIt counts lines.\n");
    let address = format!("openai-chat:m@http://bob:{password}@localhost:9/v1");
    let said = world
        .run(&[
            "factory", "new", "SPEC.md", "--name", "k", "--agent", &address,
        ])
        .exits(1);
    assert!(said.err.contains("agent_bad_url"), "{}", said.err);
    assert!(!said.err.contains(&password), "{}", said.err);
    nothing_kept(&world, &password);
}

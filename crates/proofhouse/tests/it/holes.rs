//! Ways out that were once open: each is tried for real and must stay shut.

use crate::support::{HONEST, World};

fn with_step(step: &str) -> String {
    HONEST.replacen(
        "{ write = \"repo/code.txt\"",
        &format!("{step}, {{ write = \"repo/code.txt\""),
        1,
    )
}

#[test]
fn an_ignore_file_written_by_an_agent_deletes_nothing_of_the_users() {
    let world = World::new();
    world.write("notes.log", "mine, untracked\n");
    world.write("deep/more.log", "mine too\n");
    world.start(&with_step("{ write = \"repo/deep/.gitignore\", text = \"*.log\\n\" }, { run = \"echo '*.log' >> .gitignore\" }"), &[]);
    world.run(&["run", "t"]).exits(0);
    assert_eq!(world.read("notes.log"), "mine, untracked\n");
    assert_eq!(world.read("deep/more.log"), "mine too\n");
}

#[test]
fn what_one_agent_leaves_in_its_view_the_next_one_does_not_find() {
    let world = World::new();
    world.write("deep/a.txt", "as it was\n");
    world.write("deep/b.txt", "as it was\n");
    // None of it is taken back: git ignores it, or it is not a file at all.
    let planted = "{ run = \"mkdir -p cache deep/empty && echo planted > cache/note && ln -s /etc cache/etc \
                   && echo planted > deep/x.tmp && mkfifo deep/p.tmp && chmod 700 deep && cp ../task/STATE.md s.tmp\" }";
    let script = with_step(planted).replacen(
        "cat code.txt > ../task/artifacts/seen.txt",
        "find . -mindepth 1 -printf '%m %p\\\\n' > ../task/artifacts/seen.txt",
        1,
    );
    world.start(&script, &[]);
    world.write(".gitignore", "agent/\ncache/\n*.tmp\n");
    world.run(&["run", "t"]).exits(0);
    let seen = world.read("tasks/t/artifacts/seen.txt");
    let mut names: Vec<&str> = seen
        .lines()
        .filter_map(|line| line.split(' ').nth(1))
        .collect();
    names.sort_unstable();
    assert_eq!(
        names,
        [
            "./.gitignore",
            "./code.txt",
            "./deep",
            "./deep/a.txt",
            "./deep/b.txt"
        ],
        "{seen}"
    );
    assert!(!seen.contains("700 ./deep"), "{seen}");
}

#[test]
fn a_view_whose_folder_became_a_link_is_not_walked() {
    let outside = tempfile::tempdir().unwrap();
    let key = format!("sk-ant-{}", "api03-0123456789abcdefghijklmn");
    let theirs = outside.path().join("credentials.txt");
    std::fs::write(&theirs, &key).unwrap();
    for part in ["task", "repo"] {
        let world = World::new();
        let step = format!(
            "{{ run = '''cd ../.. && mv view/{part} view/t && ln -s {} view/{part}''' }}",
            outside.path().display()
        );
        world.start(&with_step(&step), &["--budget", "attempts=3"]);
        world.run(&["run", "t"]).exits(2);
        assert_eq!(
            std::fs::read_to_string(&theirs).unwrap(),
            key,
            "a user's file was rewritten"
        );
        assert!(
            !world.at("credentials.txt").exists(),
            "a user's file was taken into the repository"
        );
        let ended = world.status()["attempts"][2]["ended"].clone();
        assert_ne!(ended, "done", "{part}");
    }
}

#[test]
fn taking_back_does_not_write_through_a_link_of_the_users() {
    let outside = tempfile::tempdir().unwrap();
    std::fs::write(
        outside.path().join("README.md"),
        "shared, not in the repository\n",
    )
    .unwrap();
    let world = World::new();
    std::os::unix::fs::symlink(outside.path(), world.at("docs")).unwrap();
    world.start(
        &with_step("{ write = \"repo/docs/README.md\", text = \"theirs\" }"),
        &["--budget", "attempts=3"],
    );
    world.run(&["run", "t"]).exits(2);
    let text = std::fs::read_to_string(outside.path().join("README.md")).unwrap();
    assert_eq!(text, "shared, not in the repository\n");
    assert_eq!(world.status()["attempts"][2]["ended"], "conflict");
}

#[test]
fn a_link_that_comes_back_after_a_name_is_not_taken() {
    // By its letters it stays inside; `sub` may be a link itself, and then nobody knows.
    let world = World::new();
    let step = "{ run = \"mkdir sub && touch sub/x && ln -s sub/../code.txt hole\" }";
    world.start(&with_step(step), &["--budget", "attempts=3"]);
    world.run(&["run", "t"]).exits(2);
    let attempt = world.status()["attempts"][2].clone();
    assert_eq!(attempt["ended"], "out_of_scope", "{attempt}");
    assert!(
        attempt["reason"].as_str().unwrap().contains("leads out"),
        "{attempt}"
    );
    assert!(world.at("hole").symlink_metadata().is_err());
}

#[test]
fn a_check_cannot_plant_anything_in_git() {
    let world = World::new();
    // It may in the one of its room, which goes with it.
    let check = "test ! -e .git/planted && touch .git/planted && git config filter.x.clean evil";
    world.start(HONEST, &["--check", check]);
    let before = world.read(".git/config");
    world.run(&["run", "t"]).exits(0);
    assert_eq!(world.read(".git/config"), before);
    assert!(!world.at(".git/planted").exists());
}

#[test]
fn an_agent_cannot_pass_for_a_person_in_the_state_file() {
    let world = World::new();
    let script = HONEST.replace(
        "{ set = \"Not doing\"",
        "{ set = \"Objective\", to = \"something easier\" }, { set = \"Not doing\"",
    );
    world.start(&script, &[]);
    world.run(&["run", "t"]).exits(0);
    assert!(
        world
            .read("tasks/t/STATE.md")
            .contains("Objective: be good")
    );
    assert_eq!(world.status()["fields"]["Objective"], "be good");
    assert!(
        !world
            .journal()
            .iter()
            .any(|record| record["kind"] == "fields_edited.v1"),
        "nobody edited anything"
    );
}

#[test]
fn a_journal_of_moves_without_gates_is_found() {
    let world = World::new();
    world.start(HONEST, &[]);
    world.run(&["run", "t"]).exits(0);
    let (dir, name) = (
        world.at(".proofhouse/journal"),
        store::RunName::new("t").unwrap(),
    );
    let mut entries = Vec::new();
    store::Journal::read(&dir, &name, store::Replay::default(), |record| {
        if matches!(record.kind, "run_started.v1" | "moved.v1") {
            entries.push(store::Entry {
                at: record.at,
                kind: record.kind.to_owned(),
                body: serde_json::from_str(record.body.get()).unwrap(),
            });
        }
        Ok(())
    })
    .unwrap();
    std::fs::remove_file(world.at(".proofhouse/journal/t.jsonl")).unwrap();
    world.git(&["update-ref", "-d", "refs/proofhouse/t"]);
    store::Journal::create(&dir, &name)
        .unwrap()
        .append(0, &entries)
        .unwrap();
    let said = world.run(&["audit", "t", "--json"]).exits(1).json();
    let findings = said["runs"][0]["findings"].as_array().unwrap().clone();
    assert!(
        findings
            .iter()
            .any(|finding| finding["code"] == "unfounded_move"),
        "{findings:#?}"
    );
}

/// Low limits of the shell are found before anybody works, and cost nothing.
#[test]
fn a_limit_that_is_too_low_begins_no_attempt() {
    let world = World::new();
    world.start(HONEST, &[]);
    let limited = |limit: &str| -> crate::support::Said {
        let line = format!("ulimit {limit} && exec {} run t", crate::support::BIN);
        let run = world.command(&[]);
        let mut shell = std::process::Command::new("bash");
        shell.args(["-c", &line]).current_dir(world.path());
        for (name, value) in run.get_envs() {
            match value {
                Some(value) => shell.env(name, value),
                None => shell.env_remove(name),
            };
        }
        shell.output().unwrap().into()
    };
    let before = world.journal().len();
    limited("-n 48").refuses(3, "limits_too_low");
    limited("-v 180000").refuses(3, "limits_too_low");
    assert_eq!(world.journal().len(), before, "nothing was begun");
    // A soft limit is ours to raise.
    limited("-S -n 48").exits(0);
}

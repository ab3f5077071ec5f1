//! Odd trees, as an agent leaves them and as a user's repository is one: names at their limits, files
//! that no disk could hold, repositories in repositories, keys in names. Each gets the right thing or a
//! refusal that says why; none stops a run for good.

use crate::support::{HONEST, Said, World};
use std::fs::{self, File};
use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};

fn with_step(step: &str) -> String {
    HONEST.replacen(
        "{ write = \"repo/code.txt\"",
        &format!("{step}, {{ write = \"repo/code.txt\""),
        1,
    )
}

/// Runs until the attempts are used up, and gives the first of those that built.
fn refused(world: &World) -> serde_json::Value {
    world.run(&["run", "t"]).exits(2);
    let attempt = world.status()["attempts"][2].clone();
    assert_eq!(attempt["ended"], "out_of_scope", "{attempt}");
    attempt
}

#[test]
fn a_name_of_the_greatest_length_is_taken_back() {
    let world = World::new();
    let name = "x".repeat(255);
    world.start(
        &with_step(&format!("{{ write = \"repo/{name}\", text = \"mine\" }}")),
        &[],
    );
    world.run(&["run", "t"]).exits(0);
    assert_eq!(world.read(&name), "mine");
}

#[test]
fn a_name_that_is_no_text_is_the_agents_doing() {
    let world = World::new();
    let step = r#"{ run = '''printf mine > "$(printf 'caf\351.txt')"''', must = true }"#;
    world.start(&with_step(step), &[]);
    let reason = refused(&world)["reason"].to_string();
    assert!(reason.contains("not plain UTF-8"), "{reason}");
}

#[test]
fn repositories_that_an_agent_begins_become_plain_files() {
    let world = World::new();
    let made = "git init -q inner && mkdir -p inner/src inner/out && echo lib > inner/src/lib.rs \
                && echo out/ > inner/.gitignore && echo built > inner/out/built \
                && git init -q inner/deeper && echo deep > inner/deeper/file \
                && git -C inner -c user.name=a -c user.email=a@a commit -q --allow-empty -m own";
    world.start(
        &with_step(&format!("{{ run = '''{made}''', must = true }}")),
        &[],
    );
    world.run(&["run", "t"]).exits(0);
    assert_eq!(world.read("inner/src/lib.rs"), "lib\n");
    assert_eq!(world.read("inner/deeper/file"), "deep\n");
    for left_out in ["inner/.git", "inner/deeper/.git", "inner/out"] {
        assert!(!world.at(left_out).exists(), "{left_out}");
    }
}

#[test]
fn an_agent_reads_what_its_submodules_hold_and_changes_none_of_it() {
    let world = World::new();
    world.write("lib/of.txt", "theirs\n");
    world.git(&["init", "-q", "lib"]);
    world.git(&["-C", "lib", "add", "of.txt"]);
    let who = ["-C", "lib", "-c", "user.name=a", "-c", "user.email=a@a"];
    world.git(&[&who[..], &["commit", "-q", "-m", "theirs"]].concat());
    let module = "[submodule \"lib\"]\n\tpath = lib\n\turl = ../lib\n";
    world.write(".gitmodules", module);
    world.git(&["add", ".gitmodules", "lib"]);
    world.git(&["commit", "-q", "-m", "with a library"]);
    let tried = "grep theirs lib/of.txt && ! touch lib/of.txt && ! touch lib/new";
    let step = format!("{{ run = '''{tried}''', must = true }}");
    world.start(&with_step(&step), &[]);
    if !sandbox::has_mounts() {
        eprintln!("SKIPPED: nothing can be laid in on this machine");
        return;
    }
    world.run(&["run", "t"]).exits(0);
    assert_eq!(world.read("lib/of.txt"), "theirs\n");
    assert!(!world.at("lib/new").exists());
}

#[test]
fn what_an_agent_leaves_in_the_place_of_a_submodule_is_refused() {
    let world = World::new();
    let head = world.git(&["rev-parse", "HEAD"]);
    let entry = format!("160000,{head},sub");
    world.git(&["update-index", "--add", "--cacheinfo", &entry]);
    world.start(
        &with_step("{ write = \"repo/sub/file\", text = \"lost before\" }"),
        &["--budget", "attempts=3"],
    );
    let attempt = refused(&world);
    let reason = attempt["reason"].as_str().unwrap();
    assert!(reason.contains("change_in_submodule"), "{attempt}");
}

/// Where letters have no case, it would be the folder of ours.
#[test]
fn nobody_writes_into_our_folder_under_another_spelling() {
    for path in [".Proofhouse/approvers", ".PROOFHOUSE/config.toml"] {
        let world = World::new();
        let step = format!("{{ write = \"repo/{path}\", text = \"mine\" }}");
        world.start(&with_step(&step), &["--budget", "attempts=3"]);
        let attempt = refused(&world);
        let reason = attempt["reason"].as_str().unwrap();
        assert!(reason.contains("only Proofhouse writes there"), "{attempt}");
    }
    // One that is called alike is the work's own.
    let world = World::new();
    let step = "{ write = \"repo/docs/.Proofhouse.md\", text = \"ours\" }";
    world.start(&with_step(step), &[]);
    world.run(&["run", "t"]).exits(0);
}

#[test]
fn a_file_that_no_disk_could_hold_is_refused_unread() {
    let world = World::new();
    world.start(
        &with_step("{ run = \"truncate -s 100G big\", must = true }"),
        &["--budget", "attempts=3"],
    );
    let attempt = refused(&world);
    let reason = attempt["reason"].as_str().unwrap();
    assert!(
        reason.contains("big: it has") && reason.contains("change_too_large"),
        "{attempt}"
    );
    let world = World::new();
    world.start(HONEST, &[]);
    let theirs = File::create(world.at("disk.img")).unwrap();
    theirs.set_len(100 << 30).unwrap();
    let said = world.run(&["run", "t"]).exits(2);
    let text = said.out + &said.err;
    assert!(
        text.contains("disk.img") && text.contains("repo_file_too_large"),
        "{text}"
    );
}

/// Of folders without end another try may do better; nothing of the engine's fails.
#[test]
fn folders_without_end_are_the_agents_doing() {
    let world = World::new();
    let deep =
        "i=0; while [ $i -lt 700 ]; do mkdir deeper && cd deeper; i=$((i+1)); done; touch file";
    world.start(
        &with_step(&format!("{{ run = \"{deep}\", must = true }}")),
        &["--budget", "attempts=3"],
    );
    let attempt = refused(&world);
    let reason = attempt["reason"].as_str().unwrap();
    assert!(reason.contains("path_too_long"), "{attempt}");
    assert!(!world.at("deeper").exists());
}

#[test]
fn a_file_may_come_where_a_folder_was_and_a_folder_where_a_file_was() {
    let world = World::new();
    for (file, text) in [("d/a", "1"), ("d/e/f/b", "2"), ("f", "3")] {
        world.write(file, text);
    }
    let turned = "rm -r d f && echo new > d && mkdir f && echo new > f/x";
    world.start(
        &with_step(&format!("{{ run = \"{turned}\", must = true }}")),
        &[],
    );
    world.run(&["run", "t"]).exits(0);
    assert_eq!(world.read("d"), "new\n");
    assert_eq!(world.read("f/x"), "new\n");

    let world = World::new();
    world.write("kept/a", "4");
    world.start(
        &with_step("{ run = \"rm -r kept && echo new > kept\", must = true }"),
        &["--budget", "attempts=3"],
    );
    // Git ignores it, so that it is in no view, and nobody may take its place.
    world.write("kept/agent/own", "5");
    world.run(&["run", "t"]).exits(2);
    assert_eq!(world.status()["attempts"][2]["ended"], "conflict");
    assert_eq!(world.read("kept/agent/own"), "5");
    assert_eq!(world.read("kept/a"), "4");
}

#[test]
fn hundreds_of_files_are_taken_back_whole() {
    use std::os::unix::fs::PermissionsExt;
    let world = World::new();
    world.write("n/7/f", "old\n");
    let made = "for i in $(seq 200); do mkdir -p n/$i && echo $i > n/$i/f; done && chmod 700 n/9/f";
    world.start(
        &with_step(&format!("{{ run = '''{made}''', must = true }}")),
        &[],
    );
    world.run(&["run", "t"]).exits(0);
    for i in 1..=200 {
        let path = format!("n/{i}/f");
        assert_eq!(world.read(&path), format!("{i}\n"));
        let mode = fs::metadata(world.at(&path)).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, if i == 9 { 0o755 } else { 0o644 }, "{path}");
    }
    let kept = world.git(&["show", "refs/proofhouse/t:n/7/f"]);
    assert_eq!(kept, "7");
}

/// Every file that is kept for others: journal, evidence, views, the task's documents.
fn kept_with(world: &World, key: &str) -> Vec<String> {
    let mut found = Vec::new();
    let mut folders = vec![
        world.at(".proofhouse/journal"),
        world.at(".proofhouse/evidence"),
        world.at("tasks"),
    ];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).into_iter().flatten().flatten() {
            let path = entry.path();
            if path.is_dir() {
                folders.push(path);
            } else if holds(&path, key) {
                found.push(path.display().to_string());
            }
        }
    }
    found
}

fn holds(path: &Path, key: &str) -> bool {
    String::from_utf8_lossy(&fs::read(path).unwrap()).contains(key)
}

#[test]
fn a_key_in_the_name_of_a_file_is_refused_and_kept_nowhere() {
    let world = World::new();
    let key = format!("sk-ant-{}", "api03-0123456789abcdefghij");
    world.start(
        &with_step(&format!(
            "{{ write = \"repo/notes/{key}.txt\", text = \"x\" }}"
        )),
        &["--budget", "attempts=3"],
    );
    let attempt = refused(&world);
    let reason = attempt["reason"].as_str().unwrap();
    assert!(reason.contains("its name holds"), "{attempt}");
    let said = world.run(&["log", "t"]).exits(0);
    assert!(!said.out.contains(&key), "{}", said.out);
    assert_eq!(kept_with(&world, &key), Vec::<String>::new());
}

/// As the program of that name encodes it.
fn base64(text: &str) -> String {
    let mut command = Command::new("base64");
    command
        .arg("-w0")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped());
    let mut child = command.spawn().unwrap();
    let mut input = child.stdin.take().unwrap();
    input.write_all(text.as_bytes()).unwrap();
    drop(input);
    String::from_utf8(child.wait_with_output().unwrap().stdout).unwrap()
}

#[test]
fn coloured_and_encoded_keys_are_kept_nowhere() {
    let world = World::new();
    let key = format!("sk-ant-{}", "api03-0123456789abcdefghij");
    let own = format!("hunter2/{}", "correct horse battery");
    let encoded = [base64(&own), base64(&format!("user:{own}\n"))];
    let (head, tail) = key.split_at(14);
    let print = |text: &str| format!("{{ print = \"{text}\" }}, ");
    let steps = print(&format!("word\\u001b[31m{key}\\u001b[0m"))
        + &print(&format!("{head}\\u001b[0m{tail}"))
        + &print(&format!("Basic {} {}", encoded[0], encoded[1]))
        + "{ print = \"end\" }";
    world.start(&with_step(&steps), &[]);
    let mut run = world.command(&["run", "t"]);
    run.env("HUNTER_TOKEN", &own);
    Said::from(run.output().unwrap()).exits(0);
    for text in [&key, tail, &own, &encoded[0], &encoded[1]] {
        assert_eq!(kept_with(&world, text), Vec::<String>::new(), "{text}");
    }
    assert!(!kept_with(&world, "Basic [redacted]").is_empty());
}

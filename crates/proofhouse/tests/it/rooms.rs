//! Rooms, through the real binary: what a check's command does stays in its room, and what it does to
//! the files that it judges fails it; an honest suite notices nothing.

use crate::support::{HONEST, Said, World};

/// A run of the honest agent with this check. The check is the suspect.
#[track_caller]
fn judged_by(world: &World, check: &str) -> Said {
    world.start_checked(HONEST, check, &["--budget", "attempts=8"]);
    world.run(&["run", "t"])
}

#[track_caller]
fn passes(world: &World, check: &str) {
    judged_by(world, check).exits(0);
    assert_eq!(world.status()["state"], "done", "{check}");
}

/// What the gates said of a command, all of them.
fn reasons(world: &World) -> String {
    let records = world.journal().into_iter();
    let gates = records.filter(|record| record["kind"] == "gate_ended.v1");
    gates
        .flat_map(|record| {
            record["body"]["results"]
                .as_array()
                .cloned()
                .unwrap_or_default()
        })
        .filter_map(|result| Some(format!("{}\n", result["reason"].as_str()?)))
        .collect()
}

fn with_files(files: &[(&str, &str)]) -> World {
    let world = World::new();
    for (path, text) in files {
        world.write(path, text);
    }
    world.commit("more");
    world
}

#[test]
fn files_that_a_command_makes_enter_neither_commit_nor_tree() {
    let world = World::new();
    passes(
        &world,
        "test ! -e planted.txt && echo planted > planted.txt && mkdir -p src && echo x > src/evil.py && grep -q good code.txt",
    );
    assert!(!world.at("planted.txt").exists() && !world.at("src").exists());
    let commits = world.git(&["log", "--all", "--name-only", "--format="]);
    let made = |path: &str| commits.lines().any(|line| line == path);
    assert!(!made("planted.txt") && !made("src/evil.py"), "{commits}");
    world.run(&["audit"]).exits(0);
}

/// Replaces the compiled test by another one, which Python takes without a look at the source.
const POISON: &str = r#"
import importlib.util, importlib._bootstrap_external as b, os
code = compile("import unittest\nclass T(unittest.TestCase):\n    def test_x(self): pass\n", "test_x.py", "exec")
path = importlib.util.cache_from_source(os.path.abspath("test_x.py"))
os.makedirs(os.path.dirname(path), exist_ok=True)
open(path, "wb").write(b._code_to_hash_pyc(code, b"01234567", False))
"#;
const TEST: &str = "import unittest\nclass T(unittest.TestCase):\n    def test_x(self): self.assertIn('excellent', open('code.txt').read())\n";

#[test]
fn a_poisoned_cache_reaches_no_later_command() {
    let world = with_files(&[("poison.py", POISON), ("test_x.py", TEST)]);
    let suite = "python3 -m unittest -q test_x";
    world.start_checked(
        HONEST,
        "python3 poison.py",
        &["--check", suite, "--budget", "attempts=8"],
    );
    world.run(&["run", "t"]);
    assert_ne!(world.status()["state"], "done", "{}", reasons(&world));
    assert!(
        reasons(&world).contains("exit code 1"),
        "{}",
        reasons(&world)
    );
    assert!(!world.at("__pycache__").exists());
    // The twin: the same suite on what it asks for, and Python may keep its caches.
    let world = with_files(&[("test_x.py", &TEST.replace("excellent", "good"))]);
    passes(&world, &format!("{suite} && {suite} && ls __pycache__"));
    assert!(!world.at("__pycache__").exists());
}

#[test]
fn tests_that_are_swapped_while_the_suite_runs_do_not_count() {
    for swap in [
        "cp -p suite.sh /tmp/k; echo true > suite.sh; sh suite.sh; e=$?; cp -p /tmp/k suite.sh; exit $e",
        "mv suite.sh k; echo true > suite.sh; sh suite.sh; e=$?; mv k suite.sh; exit $e",
        "mkdir t; echo true > t/suite.sh; mount --bind t . ; unshare -rm true; sh suite.sh",
    ] {
        let world = with_files(&[("suite.sh", "grep -q excellent code.txt\n")]);
        judged_by(&world, swap);
        assert_ne!(
            world.status()["state"],
            "done",
            "{swap}: {}",
            reasons(&world)
        );
        assert_eq!(world.read("suite.sh"), "grep -q excellent code.txt\n");
    }
    let world = with_files(&[("suite.sh", "grep -q good code.txt\n")]);
    passes(&world, "sh suite.sh");
}

#[test]
fn a_snapshot_is_written_where_the_settings_say_so() {
    let files = [("snapshots/out.txt", "old\n")];
    let check = "cp code.txt snapshots/out.txt && grep -q good snapshots/out.txt";
    let world = with_files(&files);
    judged_by(&world, check);
    let said = reasons(&world);
    assert!(
        said.contains("changed the tree it judges: snapshots/out.txt"),
        "{said}"
    );
    assert_eq!(world.read("snapshots/out.txt"), "old\n");
    let world = with_files(&files);
    world.write(
        ".proofhouse/config.toml",
        "[room]\nwritable = [\"snapshots/**\"]\n",
    );
    passes(&world, check);
    assert_eq!(world.read("snapshots/out.txt"), "old\n");
}

#[test]
fn a_version_plugin_finds_a_tag_and_nobody_finds_history() {
    let world = World::new();
    world.git(&["tag", "v1.2.3"]);
    passes(
        &world,
        "test \"$(git describe --tags)\" = v1.2.3 && git ls-files --error-unmatch code.txt && test $(git rev-list --all --count) = 1 && grep -q good code.txt",
    );
}

#[test]
fn records_and_other_runs_are_out_of_reach() {
    let world = World::new();
    let tried = "test -z \"$(ls -A .proofhouse 2>/dev/null)\" && ! touch tasks/t/STATE.md 2>/dev/null && ! touch tasks/t/new 2>/dev/null && grep -q objective -i tasks/t/STATE.md && mv tasks elsewhere && mkdir -p tasks/t && echo forged > tasks/t/STATE.md && grep -q good code.txt";
    passes(&world, tried);
    assert!(!world.read("tasks/t/STATE.md").contains("forged"));
    assert!(!world.at("elsewhere").exists());
    world.run(&["audit"]).exits(0);
}

#[test]
fn a_run_in_a_worktree_is_judged_in_rooms_with_the_persons_dependencies() {
    let world = World::new();
    world.write("node_modules/tool/run.sh", "grep -q good code.txt\n");
    world.write("agent/script.toml", HONEST);
    world.write(".gitignore", "agent/\nnode_modules/\n");
    let check =
        "sh node_modules/tool/run.sh && ! touch node_modules/x 2>/dev/null && echo left > left.txt";
    let own = |args: &[&str]| {
        let mut command = world.command(args);
        Said::from(
            command
                .env_remove("PROOFHOUSE_RUNS__TREE")
                .output()
                .unwrap(),
        )
    };
    let begun = own(&[
        "new",
        "phase",
        "be good",
        "--name",
        "t",
        "--set",
        "done_gate=grep says so",
        "--check",
        check,
        "--agent",
        "scripted:agent/script.toml",
    ])
    .exits(0);
    let shown = "  laid in      node_modules (";
    assert!(begun.out.contains(shown), "{}", begun.out);
    own(&["run", "t"]).exits(0);
    assert!(!world.at("left.txt").exists() && !world.at("node_modules/x").exists());
    let commits = world.git(&["log", "--all", "--name-only", "--format="]);
    assert!(
        !commits.contains("left.txt") && !commits.contains("node_modules"),
        "{commits}"
    );
}

/// Git would wait for ever for what comes out of it.
#[test]
fn a_pipe_that_an_agent_leaves_where_git_looks_is_refused_by_name() {
    let world = World::new();
    let step = "{ run = \"rm .gitignore && mkfifo .gitignore\" }, { write = \"repo/code.txt\"";
    let script = HONEST.replacen("{ write = \"repo/code.txt\"", step, 1);
    world.start(&script, &["--budget", "attempts=4"]);
    world.run(&["run", "t"]).exits(2);
    let journal = world.read(".proofhouse/journal/t.jsonl");
    assert!(journal.contains(".gitignore is a pipe"), "{journal}");
    assert!(world.at(".gitignore").is_file());

    // And in the person's own tree, before anything is begun or gone on with.
    std::fs::create_dir(world.at("deep")).unwrap();
    let pipe = world.at("deep/.gitignore");
    let made = std::process::Command::new("mkfifo").arg(pipe).status();
    assert!(
        made.is_ok_and(|made| made.success()),
        "this test needs mkfifo"
    );
    let key = world.approver("ann");
    world.decide(&key, "extend").exits(0);
    for args in [&["run", "t"][..], &["new", "phase", "--dir", "tasks/u"]] {
        let said = world.run(args).refuses(1, "special_file");
        assert!(
            said.err.contains("deep/.gitignore is a pipe"),
            "{}",
            said.err
        );
    }
}

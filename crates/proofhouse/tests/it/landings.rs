//! Ways to land, to ask for a pull request, and to give a run up.

use crate::support::{CHECK, Said, TASK, World, says};
use std::os::unix::fs::PermissionsExt;

fn begin(world: &World, run: &str, more: &[&str]) {
    let told = [
        "--name",
        run,
        "--check",
        CHECK,
        "--agent",
        "scripted:agent/script.toml",
    ];
    says(world, &[&TASK, &told[..], more].concat()).exits(0);
}

fn done(world: &World, run: &str) {
    begin(world, run, &[]);
    says(world, &["run", run]).exits(0);
}

#[test]
fn work_lands_as_a_merge_as_its_own_commits_or_one_by_one() {
    for (flag, parents, first) in [
        ("--merge", 2, true),
        ("--keep-commits", 2, true),
        ("--rebase", 1, true),
    ] {
        let world = World::of_ann();
        done(&world, "t");
        world.write("other.txt", "meanwhile\n");
        world.commit("meanwhile");
        let head = world.git(&["rev-parse", "HEAD"]);
        says(&world, &["land", "t", flag]).exits(0);
        assert!(world.read("code.txt").starts_with("good"), "{flag}");
        assert_eq!(world.read("other.txt"), "meanwhile\n", "{flag}");
        let said = world.git(&["log", "-1", "--format=%P"]);
        assert_eq!(said.split_whitespace().count(), parents, "{flag}: {said}");
        assert_eq!(said.contains(&head), first, "{flag}");
        let body = world.git(&["log", "-1", "--format=%B"]);
        assert!(body.contains("Proofhouse-Head: t@"), "{flag}: {body}");
        assert_eq!(world.git(&["status", "--porcelain"]), "", "{flag}");
        says(&world, &["land", "t"]).refuses(1, "landed_already");
        says(&world, &["audit", "--ci"]).exits(0);
    }
    let world = World::of_ann();
    done(&world, "t");
    says(&world, &["land", "t", "--merge", "--rebase"]).exits(1);
    says(&world, &["land", "t", "--keep-commits"]).exits(0);
    let tip = world.git(&["rev-parse", "refs/proofhouse/t"]);
    assert_eq!(world.git(&["rev-parse", "HEAD"]), tip);
}

/// A program that writes down what it is given.
fn stand_in(world: &World, name: &str) {
    let path = format!("agent/bin/{name}");
    let log = world.at(&format!("agent/{name}.log"));
    let log = log.display();
    world.write(
        &path,
        &format!("#!/bin/sh\necho \"$@\" > {log}\ncat >> {log}\necho https://example.org/pr/7\n"),
    );
    std::fs::set_permissions(world.at(&path), PermissionsExt::from_mode(0o755)).unwrap();
}

#[test]
fn a_pull_request_has_the_evidence_as_its_text() {
    let world = World::of_ann();
    done(&world, "t");
    says(&world, &["pr", "t"]).refuses(1, "no_remote");
    let remote = tempfile::tempdir().unwrap();
    let remote = remote.path().to_str().unwrap();
    world.git(&["init", "--quiet", "--bare", remote]);
    world.git(&["remote", "add", "origin", remote]);
    let path = std::env::var("PATH").unwrap();
    let with = |path: &str, args: &[&str]| {
        let mut command = world.command(args);
        command
            .env_remove("PROOFHOUSE_RUNS__TREE")
            .env("PATH", path);
        Said::from(command.output().unwrap())
    };
    // Neither program: both branch and text are the person's to use. Here may be one in truth.
    let has = |name: &str| std::env::split_paths(&path).any(|dir| dir.join(name).is_file());
    if !has("gh") && !has("glab") {
        let said = with(&path, &["pr", "t"]).exits(0).out;
        for part in [
            "be good",
            "code.txt | 2 +-",
            "## Proven by running it",
            "audit t",
        ] {
            assert!(said.contains(part), "no {part} in:\n{said}");
        }
        let pushed = world.git(&["ls-remote", "origin", "refs/heads/proofhouse/t"]);
        assert!(!pushed.is_empty());
        world.git(&["push", "--quiet", "origin", ":refs/heads/proofhouse/t"]);
    }
    for name in ["gh", "glab"] {
        let _ = std::fs::remove_dir_all(world.at("agent/bin"));
        stand_in(&world, name);
        let path = format!("{}:{path}", world.at("agent/bin").display());
        let said = with(&path, &["pr", "t", "--json"]).exits(0).json();
        assert_eq!(said["opened"], "https://example.org/pr/7", "{said:#}");
        let log = world.read(&format!("agent/{name}.log"));
        assert!(
            log.contains("proofhouse/t") && log.contains("main"),
            "{log}"
        );
        assert!(log.contains("## What changed"), "{log}");
        world.git(&["push", "--quiet", "origin", ":refs/heads/proofhouse/t"]);
    }
    assert_eq!(world.read("code.txt"), "bad\n");
}

#[test]
fn an_abandoned_run_is_ended_and_tidied_and_a_ref_keeps_it() {
    let world = World::of_ann();
    let key = world.approver("ann");
    let key = key.to_str().unwrap();
    begin(&world, "t", &[]);
    says(&world, &["run", "t", "--once"]).exits(0);
    world.write(".proofhouse/worktrees/t/note.txt", "a thought\n");
    says(&world, &["abandon", "t"]).exits(1);
    assert!(world.at(".proofhouse/worktrees/t").exists());
    let asked = ["abandon", "t", "--because", "not worth it", "--sign", key];
    let said = says(&world, &[&asked[..], &["--json"]].concat())
        .exits(0)
        .json();
    assert_eq!(said["kept_by"], "refs/proofhouse/t");
    assert!(!world.at(".proofhouse/worktrees/t").exists());
    assert_eq!(
        world.git(&["show", "refs/proofhouse/t:note.txt"]),
        "a thought"
    );
    assert_eq!(world.read("code.txt"), "bad\n");
    let status = says(&world, &["status", "t", "--json"]).exits(0).json();
    assert_eq!(status["activity"], "stopped", "{status:#}");
    says(&world, &["audit", "--ci"]).exits(0);
}

#[test]
fn a_run_begins_with_the_persons_edits_if_they_say_so() {
    let world = World::of_ann();
    world.write("code.txt", "bad\nedited\n");
    let asked = [
        "do",
        "be good",
        "--workflow",
        "phase",
        "--autonomy",
        "auto",
        "--check",
        CHECK,
        "--agent",
        "scripted:agent/script.toml",
    ];
    let said = says(&world, &asked).refuses(1, "tree_has_edits");
    for part in ["code.txt", "--with-edits", "--from HEAD"] {
        assert!(said.err.contains(part), "no {part} in {}", said.err);
    }
    assert!(!world.at(".proofhouse/journal").exists());
    // What git does not know comes along, and is named; what may hold secrets does not, anywhere.
    world.write("new.txt", "new\n");
    world.write(".env", "SECRET=abc\n");
    let said = says(&world, &asked).refuses(1, "tree_has_edits");
    for part in ["does not know: new.txt", "may hold secrets: .env"] {
        assert!(said.err.contains(part), "no {part} in {}", said.err);
    }
    begin(&world, "t", &["--with-edits"]);
    let kept = world.git(&["ls-tree", "-r", "--name-only", "refs/proofhouse/edits/t"]);
    assert!(kept.contains("new.txt") && !kept.contains(".env"), "{kept}");
    std::fs::remove_file(world.at("new.txt")).unwrap();
    std::fs::remove_file(world.at(".env")).unwrap();
    assert_eq!(
        world.read(".proofhouse/worktrees/t/code.txt"),
        "bad\nedited\n"
    );
    assert_eq!(
        world.git(&["show", "refs/proofhouse/edits/t:code.txt"]),
        "bad\nedited"
    );
    assert_eq!(world.read("code.txt"), "bad\nedited\n");
    assert_eq!(world.git(&["status", "--porcelain"]), "M code.txt");
    begin(&world, "u", &["--from", "HEAD"]);
    assert_eq!(world.read(".proofhouse/worktrees/u/code.txt"), "bad\n");
    says(&world, &["run", "t"]).exits(0);
    // The work stands on the edits: they come first, and are not brought in by its history.
    let said = says(&world, &["land", "t"]).refuses(1, "land_conflict");
    for part in ["edits of yours that are in no commit", "commit them"] {
        assert!(said.err.contains(part), "no {part} in {}", said.err);
    }
    world.commit("the edits");
    says(&world, &["land", "t", "--merge"]).refuses(1, "base_not_on_branch");
    says(&world, &["land", "t"]).exits(0);
    assert_eq!(world.read("code.txt"), "good\n");
}

/// A workflow whose gate finds the suite by itself, or runs the line that a field names.
const SUITE: &str = r#"
name = "mine"
about = "One step, judged by the suite."
initial = "make"
checkpoint = "passed_gates"

[role.maker]
can = ["read", "search", "execute", "edit"]
about = "Makes."

[state.make]
kind = "work"
role = "maker"
brief = "b.md"
passes = 3
wall = "20m"
gate = [{ check = "tests", command_from = "Line" }]

[state.done]
kind = "end"
about = "The suite is green."

[[transition]]
action = "made"
from = "make"
to = "done"
by = "agent"
when = ["requested", "gate.pass"]

[task]
state_file = "STATE.md"
phase_field = "Phase"
files = ["STATE.md"]

[[task.field]]
name = "Phase"
engine = "state"
[[task.field]]
name = "Line"
about = "What runs the suite."
written_in = ["make"]
"#;

/// No person set a command: what the run's own gate found or was told judges what comes of a merge.
#[test]
fn the_suite_of_a_runs_own_gate_judges_what_lands_on_a_branch_that_has_moved() {
    let test = "import unittest\nclass T(unittest.TestCase):\n    def test_code(self):\n        self.assertLess(len(open('code.txt').read()), int(open('most.txt').read()))\n";
    // It writes its own report, as a line of a person's does.
    let line = "sh suite.sh";
    let suite = "python3 -m unittest test_code && end='' || end='<failure message=\"too long\"/>'\necho \"<testsuite><testcase name='test_code'>$end</testcase></testsuite>\" > \"$PROOFHOUSE_REPORT\"\ntest -z \"$end\"\n";
    for told in ["", line] {
        let world = World::of_ann();
        let folder = ".proofhouse/workflows/mine";
        world.write(&format!("{folder}/workflow.toml"), SUITE);
        world.write(&format!("{folder}/b.md"), "Make it.\n");
        world.write(&format!("{folder}/task/STATE.md"), "Phase:\nLine:\n");
        // Nothing is found to begin with: the work brings its suite.
        let brings = format!("{{ write = \"repo/test_code.py\", text = '''{test}''' }}");
        world.write("suite.sh", suite);
        world.write("most.txt", "100");
        world.write(
            "agent/mine.toml",
            &format!(
                "[[attempt]]\nstate = \"make\"\nsteps = [{{ write = \"repo/code.txt\", text = \"good and more of it\\n\" }}, {brings}, {{ set = \"Line\", to = \"{told}\" }}]\nresult = {{ summary = \"made\", next = \"done\" }}\n"
            ),
        );
        world.commit("a suite");
        let agent = ["--agent", "scripted:agent/mine.toml", "--name", "t"];
        says(&world, &[&["new", "mine"], &agent[..]].concat()).exits(0);
        says(&world, &["run", "t"]).exits(0);
        world.write("most.txt", "5");
        world.commit("less of it");
        let said = says(&world, &["land", "t"]).refuses(1, "land_unproven");
        assert!(said.err.contains("test_code"), "{}", said.err);
        world.write("most.txt", "50");
        world.commit("more of it");
        let landed = says(&world, &["land", "t", "--json"]).exits(0).json();
        let proven = landed["proven_together"].as_array().unwrap();
        let wanted = if told.is_empty() { "tests" } else { told };
        let proven = proven[0].as_str().unwrap();
        assert!(proven.starts_with(wanted), "{landed}");
    }
}

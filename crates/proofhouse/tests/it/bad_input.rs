//! Bad input and bad disks: an error that says what, where and how to mend it, and nothing is lost.

use crate::support::{CHECK, HONEST, Said, World, says};
use std::process::Command;

#[test]
fn a_folder_that_is_no_repository() {
    let folder = tempfile::tempdir().unwrap();
    let world = World::new();
    let there = folder.path().to_str().unwrap();
    for args in [
        ["status", "--repo", there].as_slice(),
        &["new", "phase", "--dir", "x", "--repo", there],
        &["audit", "--repo", there],
    ] {
        world.run(args).refuses(1, "not_a_git_repo");
    }
    // Whoever stands in it hears where they are.
    let mut here = world.command(&["status"]);
    here.current_dir(folder.path());
    let said = crate::support::Said::from(here.output().unwrap()).refuses(1, "not_a_git_repo");
    let full = folder.path().canonicalize().unwrap().display().to_string();
    assert!(said.err.contains(&full), "{}", said.err);
    world
        .run(&["status", "--repo", "/nowhere/at/all"])
        .refuses(1, "no_such_folder");
    assert!(
        std::fs::read_dir(folder.path()).unwrap().next().is_none(),
        "nothing was written"
    );
}

#[test]
fn a_malformed_config_names_its_line() {
    let world = World::new();
    world.start(HONEST, &[]);
    for (text, where_) in [
        ("agent = 5\n", "config.toml:1"),
        ("[checks]\ncomands = []\n", "config.toml:2"),
        ("[budgets]\nwishes = 3\n", "wishes"),
        ("not toml at all", "config.toml:1"),
    ] {
        world.write(".proofhouse/config.toml", text);
        let said = world.run(&["run", "t"]).refuses(1, "config_malformed");
        assert!(said.err.contains(where_), "{}", said.err);
    }
    std::fs::remove_file(world.at(".proofhouse/config.toml")).unwrap();
    world.run(&["run", "t"]).exits(0);
}

#[test]
fn a_malformed_workflow_names_file_line_and_mend() {
    let world = World::new();
    world.write(
        ".proofhouse/workflows/mine/workflow.toml",
        "name = \"mine\"\nabout = \"x\"\ninitial = \"a\"\nstate = 3\n",
    );
    let said = world
        .run(&["workflow", "lint", "mine"])
        .refuses(1, "malformed_workflow");
    assert!(said.err.contains("workflow.toml:"), "{}", said.err);
    world
        .run(&["new", "phantom", "--dir", "x"])
        .refuses(1, "unknown_workflow");
    world.write(".proofhouse/workflows/mine/workflow.toml", MINE);
    world.write(".proofhouse/workflows/mine/b.md", "Do it.");
    world.run(&["workflow", "lint", "mine"]).exits(0);
    world.write(
        ".proofhouse/workflows/mine/workflow.toml",
        &MINE.replace("\"command\"", "\"comand\""),
    );
    let said = world
        .run(&["workflow", "lint", "mine"])
        .refuses(1, "unknown_check");
    assert!(
        said.err
            .contains("there is no check `comand` (did you mean `command`?)"),
        "{}",
        said.err
    );
}

/// `do ''` is refused, and so is what would begin the same run by another name.
#[test]
fn a_run_of_nothing_is_not_begun() {
    let world = World::new();
    for (workflow, field) in [("quick", "request"), ("add", "goal")] {
        let new = |more: &[&str]| {
            let asked = ["new", workflow, "--check", CHECK];
            says(&world, &[&asked[..], more].concat())
        };
        let empty = format!("{field}= ");
        for more in [&[][..], &["--set", &empty]] {
            let said = new(more).refuses(1, "nothing_asked");
            let mend = format!("--set {field}=");
            assert!(said.err.contains(&mend), "{}", said.err);
        }
        assert!(!world.at(".proofhouse/worktrees").exists());
        // What is set is asked for.
        let told = format!("{field}=be good");
        new(&["--set", &told]).exits(0);
        std::fs::remove_dir_all(world.at(".proofhouse")).unwrap();
    }
}

/// A user's own workflow, without a task folder of fields.
const MINE: &str = r#"name = "mine"
about = "one state and its gate"
initial = "work"
[role.coder]
can = ["read", "edit", "execute"]
about = "codes"
[state.work]
kind = "work"
role = "coder"
brief = "b.md"
gate = [{ check = "command", shell = "grep -q good code.txt" }]
[state.end]
kind = "end"
[[transition]]
action = "pass"
from = "work"
to = "end"
by = "engine"
when = "gate.pass"
"#;

#[test]
fn a_users_own_workflow_runs_without_any_rust() {
    let world = World::new();
    world.write(".proofhouse/workflows/mine/workflow.toml", MINE);
    world.write(".proofhouse/workflows/mine/b.md", "Make it good.");
    world.write("agent/script.toml", "[[attempt]]\nattempt = 1\nresult = { summary = \"did nothing\" }\n[[attempt]]\nsteps = [{ write = \"repo/code.txt\", text = \"good\" }]\nresult = { summary = \"did it\" }\n");
    world.write(".gitignore", "agent/\n");
    world.run(&["workflow", "check", "mine"]).exits(0);
    world
        .run(&[
            "new",
            "mine",
            "--dir",
            "tasks/t",
            "--agent",
            "scripted:agent/script.toml",
        ])
        .exits(0);
    world.run(&["run", "t"]).exits(0);
    assert_eq!(world.status()["attempts"].as_array().unwrap().len(), 2);
}

/// What lies in a folder, by name.
fn names(folder: &std::path::Path) -> Vec<String> {
    let entries = std::fs::read_dir(folder).unwrap();
    let names = entries.map(|entry| entry.unwrap().file_name());
    let mut names: Vec<String> = names
        .map(|name| name.to_string_lossy().into_owned())
        .collect();
    names.sort();
    names
}

#[test]
fn a_file_of_the_users_where_a_view_would_be_refuses_the_folder_and_nothing_is_written() {
    for (workflow, file) in [
        ("lights-out", "log.md"),
        ("lights-out", "STATE.md"),
        ("lights-out", "artifacts/evidence.html"),
        ("slice", "change.patch"),
        ("slice", "context.md"),
    ] {
        let world = World::new();
        let path = format!("notes/{file}");
        world.write(&path, "mine\n");
        let before = names(&world.at("."));
        let said = world
            .run(&["new", workflow, "a greeter", "--dir", "notes", "--yes"])
            .refuses(1, "task_folder_in_use");
        assert!(said.err.contains(file), "{}", said.err);
        assert_eq!(world.read(&path), "mine\n");
        // Neither the template that `--yes` allows, nor anything else.
        assert_eq!(names(&world.at(".")), before, "{workflow} {file}");
        let first = file.split('/').next().unwrap();
        assert_eq!(names(&world.at("notes")), [first]);
    }
}

#[test]
fn a_list_of_evidence_keeps_the_users_words_but_is_not_written_through_a_link() {
    let world = World::new();
    world.write("notes/EVIDENCE.md", "# Mine\n");
    world.run(&["new", "phase", "--dir", "notes"]).exits(0);
    assert!(world.read("notes/EVIDENCE.md").starts_with("# Mine\n"));
    world.write("elsewhere.md", "# Mine\n");
    std::fs::create_dir(world.at("linked")).unwrap();
    std::os::unix::fs::symlink("../elsewhere.md", world.at("linked/EVIDENCE.md")).unwrap();
    world
        .run(&["new", "phase", "--dir", "linked"])
        .refuses(1, "task_folder_in_use");
}

#[test]
fn a_needed_file_that_is_a_link_to_nothing_is_left_alone() {
    let world = World::new();
    let link = world.at("preferences.md");
    std::os::unix::fs::symlink("not-mounted/preferences.md", &link).unwrap();
    let new = ["new", "lights-out", "a greeter", "--yes"];
    world.run(&new).refuses(1, "needed_file_unusable");
    let target = std::fs::read_link(&link).unwrap();
    assert_eq!(target.to_str(), Some("not-mounted/preferences.md"));
    assert!(!world.at("scaffolding").exists());
    // What it leads to is the user's own, and is enough.
    world.write("not-mounted/preferences.md", "Stack: Rust\n");
    world.run(&new).exits(0);
    assert!(std::fs::read_link(&link).is_ok());
}

#[test]
fn a_broken_state_file_is_an_error_and_can_be_restored() {
    let world = World::new();
    world.start(HONEST, &[]);
    let good = world.read("tasks/t/STATE.md");
    world.write("tasks/t/STATE.md", &good.replace("Blockers:", "Blocker"));
    let said = world.run(&["run", "t"]).refuses(1, "state_file_malformed");
    assert!(said.err.contains("`Blockers:` is missing"), "{}", said.err);
    world.write("tasks/t/STATE.md", &format!("{good}\nPhase: done\n"));
    let said = world.run(&["run", "t"]).refuses(1, "state_file_malformed");
    assert!(said.err.contains("stands twice"), "{}", said.err);
    std::fs::remove_file(world.at("tasks/t/STATE.md")).unwrap();
    world.run(&["run", "t"]).refuses(1, "state_file_missing");
    assert_eq!(world.journal().len(), 1, "nothing was journaled");
    world.write("tasks/t/STATE.md", "mine, do not lose it\n");
    world.run(&["run", "t", "--restore-views"]).exits(0);
    assert_eq!(
        world.read("tasks/t/STATE.md.kept-1"),
        "mine, do not lose it\n"
    );
}

#[test]
fn a_missing_or_malformed_script_changes_nothing() {
    let world = World::new();
    world.start(HONEST, &[]);
    world.write("agent/script.toml", "[[attempt]]\nstpes = []\n");
    let said = world.run(&["run", "t"]).refuses(1, "script_malformed");
    assert!(
        said.err.contains("script.toml") && said.err.contains('2'),
        "{}",
        said.err
    );
    std::fs::remove_file(world.at("agent/script.toml")).unwrap();
    world.run(&["run", "t"]).refuses(1, "script_missing");
    assert_eq!(world.journal().len(), 1);
    world
        .run(&["run", "t", "--agent", "telepathy:now"])
        .refuses(1, "unknown_agent");
}

#[test]
fn a_journal_of_garbage_is_refused_and_left_alone() {
    let world = World::new();
    world.start(HONEST, &[]);
    for garbage in [
        "",
        "\n",
        "not json\n",
        "{}\n",
        "{\"body\":{\"workflow\":\"phase\"}}\n",
    ] {
        world.write(".proofhouse/journal/bad.jsonl", garbage);
        world.run(&["run", "bad"]).refuses(3, "journal_corrupt");
        world.run(&["status", "bad"]).refuses(3, "journal_corrupt");
        assert_eq!(world.read(".proofhouse/journal/bad.jsonl"), garbage);
    }
    world.run(&["audit"]).exits(1);
    world.run(&["run", "t"]).exits(0);
}

#[test]
fn a_record_of_a_newer_version_is_refused_by_name() {
    let world = World::new();
    world.start(HONEST, &[]);
    let (dir, name) = (
        world.at(".proofhouse/journal"),
        store::RunName::new("t").unwrap(),
    );
    let mut journal = store::Journal::open(&dir, &name).unwrap().journal;
    let entry = store::Entry {
        at: kernel::Time(0),
        kind: "dreamt.v7".into(),
        body: serde_json::json!({}),
    };
    journal.append(1, &[entry]).unwrap();
    let said = world.run(&["run", "t"]).refuses(3, "journal_corrupt");
    assert!(
        said.err.contains("dreamt.v7") && said.err.contains("newer version"),
        "{}",
        said.err
    );
}

#[test]
fn wrong_words_on_the_command_line() {
    let world = World::new();
    world.start(HONEST, &[]);
    world.run(&["run", "nobody"]).refuses(1, "unknown_run");
    world
        .run(&["status", "../../etc"])
        .refuses(1, "unknown_run");
    let said = world
        .run(&["new", "phase", "--dir", "tasks/u", "--set", "objectve=x"])
        .refuses(1, "unknown_field");
    assert!(said.err.contains("objective"), "{}", said.err);
    world
        .run(&["new", "phase", "--dir", "tasks/u", "--budget", "luck=3"])
        .refuses(1, "unknown_budget");
    world
        .run(&["new", "phase", "--dir", "tasks/t"])
        .refuses(1, "task_folder_in_use");
    world
        .run(&["new", "phase", "--dir", "."])
        .refuses(1, "task_folder_is_repo");
    world
        .run(&["new", "phase", "--dir", "tasks/u", "--name", "t"])
        .refuses(1, "run_exists");
    world
        .run(&["new", "phase", "--dir", "tasks/u", "--name", "../x"])
        .refuses(1, "bad_run_name");
    // Git would refuse it later, in the name of a ref.
    world
        .run(&["new", "phase", "--dir", "tasks/u", "--name", "x.lock"])
        .refuses(1, "bad_run_name");
    let told = ["--goal", "be good", "--task", "one=be good"];
    let milestone = |name| [&["milestone", "new", name][..], &told].concat();
    let said = world.run(&milestone("a..b")).refuses(1, "bad_run_name");
    assert!(said.err.contains("is not a milestone name"), "{}", said.err);
    world.run(&milestone("m")).refuses(1, "no_check");
    world.write("Makefile", "test:\n\tgrep good code.txt\n");
    world.run(&milestone("m")).exits(0);
    let written = world.read(".proofhouse/milestones/m/milestone.toml");
    assert!(
        written.contains("integration = [\"make test\"]"),
        "{written}"
    );
    assert!(!world.at("tasks/u").exists(), "nothing was made");
    assert_eq!(
        world.run(&["new", "phase"]).code,
        1,
        "a usage error is the user's"
    );
    assert_eq!(world.run(&["fly"]).code, 1);
    world
        .run(&["new", "phase", "--dir", "tasks/v", "--check", CHECK])
        .exits(0);
    world.run(&["run", "v"]).refuses(1, "no_agent");
}

/// Runs a script in a mount namespace of its own; none where the machine does not allow it.
fn in_namespace(world: &World, script: &str) -> Option<Said> {
    let output = Command::new("unshare")
        .args(["--mount", "--map-root-user", "sh", "-ec"])
        .arg(format!(
            "mount -t tmpfs -o size=8m tmpfs /mnt && echo mounted; {script}"
        ))
        .env("BIN", crate::support::BIN)
        .current_dir(world.path())
        .output();
    match output {
        Ok(output) if String::from_utf8_lossy(&output.stdout).contains("mounted") => {
            Some(output.into())
        }
        Ok(output) => {
            eprintln!(
                "skipped: this machine lets no test mount a tmpfs ({}); store's own tests inject the same faults",
                String::from_utf8_lossy(&output.stderr).trim()
            );
            None
        }
        Err(error) => {
            eprintln!(
                "skipped: no `unshare` here ({error}); store's own tests inject the same faults"
            );
            None
        }
    }
}

#[test]
fn a_full_disk_loses_nothing_and_the_run_goes_on_when_there_is_room() {
    for room in [0, 8, 16, 24, 40] {
        let world = World::new();
        world.start(HONEST, &["--set", "next_step=a long line to fill the page"]);
        let script = format!(
            r#"cp -a .proofhouse /mnt/home && mount --bind /mnt/home .proofhouse
dd if=/dev/zero of=/mnt/filler bs=1k count=100000 2>/dev/null || true
truncate -s -{room}k /mnt/filler
set +e
"$BIN" run t >out.txt 2>err.txt; echo "code=$?"; cat err.txt
rm /mnt/filler
"$BIN" audit t >audit.txt 2>&1 || grep -v torn_tail audit.txt
"$BIN" run t >out2.txt 2>err2.txt; echo "then=$?"; cat out2.txt err2.txt
"$BIN" audit t; echo "audit=$?"; "$BIN" status t --json | grep '"state"'"#
        );
        let Some(said) = in_namespace(&world, &script) else {
            return;
        };
        let said = format!("room {room}k: {}\n{}", said.out, said.err);
        assert!(said.contains("code=3") || said.contains("code=2"), "{said}");
        assert!(
            said.contains("No space left")
                || said.contains("storage full")
                || said.contains("full")
                || said.contains("trouble"),
            "{said}"
        );
        assert!(said.contains("audit=0"), "{said}");
        assert!(
            said.contains("then=0") && said.contains("\"state\": \"done\"")
                || said.contains("then=2"),
            "{said}"
        );
    }
}

#[test]
fn a_read_only_disk_changes_nothing_and_says_so() {
    let world = World::new();
    world.start(HONEST, &[]);
    let script = r#"mount --bind . . && mount -o remount,ro,bind . && cd "$PWD"
set +e
"$BIN" run t; echo "code=$?"
"$BIN" status t >/dev/null; echo "status=$?"
"$BIN" audit t; echo "audit=$?"
"$BIN" new phase --dir tasks/u; echo "new=$?""#;
    let Some(said) = in_namespace(&world, script) else {
        return;
    };
    for text in [
        "code=3",
        "status=0",
        "audit=0",
        "new=3",
        "Read-only file system",
        "mend:",
    ] {
        let all = format!("{}{}", said.out, said.err);
        assert!(all.contains(text), "no `{text}` in\n{all}");
    }
    assert_eq!(world.journal().len(), 1);
}

/// An agent whose work in `implement` does not fit into the folder `full`, and goes on behind it.
fn does_not_fit() -> String {
    let long = "good ".repeat(40_000);
    HONEST.replace(
        "{ write = \"repo/code.txt\", text = \"good\\n\" },\n    { set = \"Current",
        &format!("{{ write = \"repo/code.txt\", text = \"good\\n\" }}, {{ write = \"repo/full/a.txt\", text = \"{long}\" }}, {{ write = \"repo/zz.txt\", text = \"behind\\n\" }},\n    {{ set = \"Current"),
    )
}

/// `full` is a file system without room; `then` happens before there is room and a second run.
fn take_back_into_a_full_folder(world: &World, then: &str) -> Option<Said> {
    world.start(&does_not_fit(), &[]);
    std::fs::create_dir(world.at("full")).unwrap();
    in_namespace(
        world,
        &format!(
            r#"mkdir /mnt/full && mount --bind /mnt/full full
dd if=/dev/zero of=/mnt/filler bs=1k count=100000 2>/dev/null || true
set +e
"$BIN" run t >out.txt 2>err.txt; echo "code=$?"; cat err.txt; cat code.txt; ls zz.txt
"$BIN" audit t; echo "audit=$?"
rm /mnt/filler
{then}
"$BIN" run t >out2.txt 2>err2.txt; echo "then=$?"; cat out2.txt err2.txt; wc -c full/a.txt"#
        ),
    )
}

#[test]
fn an_agent_that_is_not_installed_is_found_before_an_attempt_is_begun() {
    let world = World::new();
    let missing = "command:proofhouse-no-such-program";
    world.start_by(missing, CHECK, &["--budget", "attempts=1"]);
    let said = world.run(&["run", "t"]).refuses(1, "agent_command");
    assert!(
        said.err
            .contains("`proofhouse-no-such-program` is not on PATH")
    );
    assert_eq!(world.status()["attempts"], serde_json::json!([]));

    // A file that may not be executed is none either.
    world.write("agent.sh", "#!/bin/sh\n");
    let closed = format!("command:{}", world.at("agent.sh").display());
    let asked = ["do", "be good", "--check", CHECK, "--agent", &closed];
    let said = world.run(&asked).refuses(1, "agent_command");
    assert!(said.err.contains("chmod +x"), "{}", said.err);

    // `do` makes nothing for a run that nobody could work in.
    let asked = ["do", "be good", "--check", CHECK, "--agent", missing];
    let said = world.run(&asked).refuses(1, "agent_command");
    assert!(!said.out.contains("be-good"), "{}", said.out);
    let runs = world.run(&["status", "--json"]).exits(0).json();
    assert_eq!(runs.as_array().map(Vec::len), Some(1), "{runs}");
}

fn attempts_begun(world: &World, state: &str) -> usize {
    let journal = world.journal();
    let begun = journal.iter().filter(|record| {
        record["kind"] == "effect_began.v1"
            && record["body"]["kind"] == "attempt"
            && record["body"]["state"] == state
    });
    begun.count()
}

#[test]
fn an_attempt_that_could_be_taken_back_only_in_part_is_taken_back_later_and_never_run_again() {
    let world = World::new();
    let Some(said) = take_back_into_a_full_folder(&world, "") else {
        return;
    };
    let said = format!("{}\n{}", said.out, said.err);
    assert!(
        said.contains("code=3") && said.contains("is kept"),
        "{said}"
    );
    assert!(
        said.contains("audit=0") && said.contains("then=0"),
        "{said}"
    );
    assert!(said.contains("200000 full/a.txt"), "{said}");
    assert_eq!(world.read("zz.txt"), "behind\n");
    assert_eq!(attempts_begun(&world, "implement"), 1, "{said}");
    let found: Vec<_> = world
        .journal()
        .into_iter()
        .filter(|record| record["kind"] == "attempt_ended.v1")
        .map(|record| record["body"]["found"].clone())
        .collect();
    assert_eq!(found[2], "after_restart", "{found:?}");
}

#[test]
fn what_a_person_wrote_before_the_rest_was_taken_back_is_a_conflict_and_stays() {
    let world = World::new();
    let Some(said) = take_back_into_a_full_folder(&world, "echo mine > zz.txt") else {
        return;
    };
    let said = format!("{}\n{}", said.out, said.err);
    assert!(said.contains("code=3"), "{said}");
    let ended = world.journal().into_iter().find(|record| {
        record["kind"] == "attempt_ended.v1" && record["body"]["outcome"]["class"] == "conflict"
    });
    let ended = ended.unwrap_or_else(|| panic!("no conflict on record: {said}"));
    let reason = ended["body"]["outcome"]["reason"].as_str().unwrap();
    assert!(
        reason.contains("repo/zz.txt was changed by somebody else"),
        "{reason}"
    );
}

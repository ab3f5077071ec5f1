//! Records of runs on refs of their own: out of the person's sight, with nobody's folders in them, and
//! enough for an audit on a fresh clone.

use crate::support::{CHECK, HONEST, Said, TASK, World, says};
use std::path::Path;
use std::process::Command;

fn begin(world: &World, run: &str, check: &str) {
    let told = [
        "--name",
        run,
        "--check",
        check,
        "--agent",
        "scripted:agent/script.toml",
    ];
    says(world, &[&TASK, &told[..]].concat()).exits(0);
}

fn clone_of(world: &World) -> World {
    let clone = World::empty();
    let (from, to) = (
        world.path().to_str().unwrap(),
        clone.path().to_str().unwrap(),
    );
    world.git(&["clone", "--quiet", "--no-local", from, to]);
    clone
}

/// The records of a run as they are on its ref: every file, by its path.
fn on_ref(world: &World, run: &str) -> Vec<(String, Vec<u8>)> {
    let name = format!("refs/proofhouse/records/{run}");
    let listed = world.git(&["ls-tree", "-r", "--name-only", &name]);
    let blob = |path: &str| {
        let blob = format!("{name}:{path}");
        let mut git = Command::new("git");
        git.args(["cat-file", "blob", &blob])
            .current_dir(world.path());
        (path.to_owned(), git.output().unwrap().stdout)
    };
    listed.lines().map(blob).collect()
}

fn holds(bytes: &[u8], path: &Path) -> bool {
    let path = path.to_str().unwrap().as_bytes();
    bytes.windows(path.len()).any(|part| part == path)
}

#[test]
fn a_fresh_clone_with_the_refs_can_be_audited() {
    let world = World::of_ann();
    begin(&world, "t", CHECK);
    assert_eq!(world.git(&["status", "--porcelain"]), "");
    says(&world, &["run", "t"]).exits(0);
    assert_eq!(world.git(&["status", "--porcelain"]), "");
    says(&world, &["audit", "t"]).exits(0);

    let clone = clone_of(&world);
    says(&clone, &["audit", "t"]).refuses(1, "unknown_run");
    clone.git(&[
        "fetch",
        "--quiet",
        "origin",
        "refs/proofhouse/*:refs/proofhouse/*",
    ]);
    let said = says(&clone, &["audit", "--ci"]).exits(0).json();
    let report = &said["runs"][0];
    assert_eq!(report["run"], "t");
    assert!(report["evidence"].as_u64().unwrap() > 5, "{report:#}");
    assert_eq!(clone.git(&["status", "--porcelain"]), "");
    let page = says(&clone, &["status", "t", "--json"]).exits(0).json();
    assert_eq!(page["state"], "done");
    // A journal that ends early, and a ref that holds none.
    let journal = clone.read(".proofhouse/journal/t.jsonl");
    let finds = |code: &str| {
        let said = says(&clone, &["audit", "--ci"]).exits(1).out;
        assert!(said.contains(code), "no {code} in {said}");
    };
    let end = journal.trim_end().rfind('\n').unwrap() + 1;
    clone.write(".proofhouse/journal/t.jsonl", &journal[..end]);
    finds("journal_behind");
    clone.write(".proofhouse/journal/t.jsonl", &journal);
    let kept = clone.git(&["rev-parse", "refs/proofhouse/records/t"]);
    clone.git(&["update-ref", "refs/proofhouse/records/t", "HEAD"]);
    finds("records_differ");
    clone.git(&["update-ref", "refs/proofhouse/records/t", &kept]);
    says(&clone, &["audit", "--ci"]).exits(0);
    // A piece that is not what it is called is missing.
    clone.write(
        ".proofhouse/journal/t.jsonl",
        &journal.replacen("framed", "framEd", 1),
    );
    let said = says(&clone, &["audit", "--ci"]).exits(1).out;
    assert!(
        said.contains("records_differ") && said.contains("bad_hash"),
        "{said}"
    );
}

#[test]
fn records_are_pushed_and_fetched_by_a_command_and_go_on() {
    let world = World::of_ann();
    begin(&world, "t", CHECK);
    says(&world, &["run", "t", "--once"]).exits(0);
    let clone = clone_of(&world);
    let fetched = says(&clone, &["records", "fetch", "--json"])
        .exits(0)
        .json();
    assert_eq!(fetched["runs"], serde_json::json!(["t"]));
    let short = clone.read(".proofhouse/journal/t.jsonl");
    says(&world, &["run", "t"]).exits(0);
    let said = says(&clone, &["records", "fetch"]).exits(0).out;
    assert!(said.contains("fetched 1 run that went on"), "{said}");
    let said = says(&clone, &["records", "fetch"]).exits(0).out;
    assert!(said.contains("nothing new at `origin`"), "{said}");
    let long = clone.read(".proofhouse/journal/t.jsonl");
    assert!(long.starts_with(&short) && long.len() > short.len());
    assert_eq!(long, world.read(".proofhouse/journal/t.jsonl"));
    says(&clone, &["audit"]).exits(0);
    // A journal that was lost where it was made comes back, and nothing beside it is written over.
    std::fs::remove_file(world.at(".proofhouse/journal/t.jsonl")).unwrap();
    says(&world, &["audit"]).exits(0);
    assert_eq!(long, world.read(".proofhouse/journal/t.jsonl"));

    let bare = tempfile::tempdir().unwrap();
    let bare = bare.path().to_str().unwrap();
    world.git(&["init", "--quiet", "--bare", bare]);
    let pushed = says(&world, &["records", "push", bare, "--json"]).exits(0);
    assert_eq!(pushed.json()["refs"], 2);
    assert_eq!(pushed.json()["moved"], 2);
    let said = says(&world, &["records", "push", bare]).exits(0).out;
    assert!(said.contains("nothing to push: 2 refs at"), "{said}");
    let listed = world.git(&["ls-remote", bare, "refs/proofhouse/records/t"]);
    assert!(!listed.is_empty());
}

/// Agents and checks say where they are: what is kept of that names nobody's folders.
#[test]
fn nothing_that_is_kept_names_a_persons_folders() {
    let world = World::of_ann();
    let tells = HONEST.replacen(
        "cat code.txt > ../task/artifacts/seen.txt",
        "pwd > ../task/artifacts/seen.txt; pwd; echo $HOME/secret",
        1,
    );
    assert!(tells.contains("pwd;"));
    world.write("agent/script.toml", &tells);
    begin(
        &world,
        "t",
        "pwd; echo $PWD/code.txt; echo $HOME; grep -q good code.txt",
    );
    says(&world, &["run", "t"]).exits(0);
    let home = std::env::var_os("HOME").map(std::path::PathBuf::from);
    let home = home.filter(|home| home.components().count() > 1);
    let files = on_ref(&world, "t");
    for part in [
        "journal/t.jsonl",
        "tasks/t/STATE.md",
        "tasks/t/artifacts/seen.txt",
    ] {
        assert!(files.iter().any(|(path, _)| path == part), "no {part}");
    }
    for (path, bytes) in files {
        let shown = String::from_utf8_lossy(&bytes);
        assert!(
            !holds(&bytes, world.path()),
            "{path} names the repository:\n{shown}"
        );
        // Its own word, so that a home of one name is not met by chance.
        let named = home.iter().any(|home| holds(&bytes, &home.join("secret")));
        assert!(!named, "{path} names the home:\n{shown}");
    }
}

#[test]
fn a_journal_under_another_name_and_commits_that_nobody_has_are_found() {
    let world = World::of_ann();
    begin(&world, "t", CHECK);
    says(&world, &["run", "t"]).exits(0);
    let journal = world.read(".proofhouse/journal/t.jsonl");
    world.write(".proofhouse/journal/u.jsonl", &journal);
    let said = says(&world, &["audit", "u"]).exits(1).out;
    assert!(said.contains("[journal_of_another]"), "{said}");

    let clone = clone_of(&world);
    clone.git(&[
        "fetch",
        "--quiet",
        "origin",
        "refs/proofhouse/records/*:refs/proofhouse/records/*",
    ]);
    let said = says(&clone, &["audit", "t"]).exits(1).out;
    assert!(said.contains("[commit_missing]"), "{said}");
}

/// A clock that was set ahead for a while, and back again.
#[test]
fn a_clock_that_was_wrong_is_noted_and_stops_nothing() {
    let world = World::new();
    world.start(HONEST, &[]);
    world.run(&["run", "t", "--once"]).exits(0);
    world.git(&["update-ref", "-d", "refs/proofhouse/t"]);
    world.rewrite("t", |mut entries| {
        let last = entries.len() - 1;
        entries[last].at = kernel::Time(entries[last].at.0 + 90 * 86_400_000);
        entries
    });
    world.run(&["run", "t"]).exits(0);
    let said = world.run(&["audit", "t"]).exits(0).out;
    assert!(
        said.contains("note: ") && said.contains("[from_the_future]"),
        "{said}"
    );
    assert!(said.contains("[time_went_back]"), "{said}");
}

/// Whoever committed the file is not the person on this machine.
#[test]
fn committed_settings_that_open_the_sandbox_count_once_they_are_confirmed() {
    let world = World::of_ann();
    let config = "[room]\nwritable = [\"s/**\"]\n[agents.claude]\nargs = [\"--x\"]\nprogram = \"/p\"\nenv = [\"V\"]\nsession = \"fresh\"\n[network]\nchecks = \"full\"\n";
    world.write(".proofhouse/config.toml", config);
    // The person's own file, in no commit: theirs to write.
    begin(&world, "t", CHECK);
    world.git(&["add", "--force", ".proofhouse/config.toml"]);
    world.commit("settings");
    let said = says(&world, &["run", "t"]).refuses(1, "settings_unconfirmed");
    let opens = [
        "agents.claude.args = [\"--x\"]",
        "agents.claude.env = [\"V\"]",
        "agents.claude.program = \"/p\"",
        "network.checks = \"full\"",
        "room.writable = [\"s/**\"]",
    ];
    assert!(said.err.contains(&opens.join("; ")), "{}", said.err);
    let asked = ["do", "be good", "--check", CHECK, "--agent", "command:cat"];
    says(&world, &asked).refuses(1, "settings_unconfirmed");
    let shown = says(&world, &["config", "show"]).exits(0).out;
    assert!(
        shown.contains("nothing runs with it before `proofhouse config confirm`"),
        "{shown}"
    );
    says(&world, &["config", "show", "nope"]).refuses(1, "config_malformed");
    // No terminal is here, so nobody can say it.
    says(&world, &["config", "confirm"]).refuses(1, "human_presence_required");

    let state = world.at("agent/state");
    let home = world.path().canonicalize().unwrap();
    let home = store::sha256_hex(home.as_os_str().as_encoded_bytes());
    let mark = opens.map(|one| format!("{one}\n")).concat();
    let mark = store::sha256_hex(mark.as_bytes());
    world.write(&format!("agent/state/proofhouse/confirmed/{home}"), &mark);
    let with = |args: &[&str]| {
        let mut command = world.command(args);
        command.env_remove("PROOFHOUSE_RUNS__TREE");
        Said::from(command.env("XDG_STATE_HOME", &state).output().unwrap())
    };
    with(&["run", "t"]).exits(0);
    // Another value is another question.
    world.write(
        ".proofhouse/config.toml",
        &format!("{config}agents = \"full\"\n"),
    );
    with(&asked).refuses(1, "settings_unconfirmed");
}

/// What is made has no records until its engine stops: nobody could make anything of one without the other.
#[test]
fn what_is_at_work_is_not_pushed_until_it_has_stopped() {
    let world = World::of_ann();
    let bare = tempfile::tempdir().unwrap();
    let bare = bare.path().to_str().unwrap();
    world.git(&["init", "--quiet", "--bare", bare]);
    begin(&world, "done", CHECK);
    says(&world, &["run", "done"]).exits(0);
    begin(&world, "t", CHECK);
    says(&world, &["run", "t", "--once"]).exits(0);
    says(&world, &["fork", "t", "--at", "1", "--name", "left"]).exits(0);
    // As an engine that drives it.
    let place = world.at(".proofhouse/work/t/lock");
    let lock = std::fs::File::create(&place).unwrap();
    lock.try_lock().unwrap();
    let pushed = says(&world, &["records", "push", bare, "--json"])
        .exits(0)
        .json();
    // Nobody could hold the fork against the run that it left.
    assert_eq!(pushed["at_work"], serde_json::json!(["left", "t"]));
    let there = world.git(&["ls-remote", bare, "refs/proofhouse/*"]);
    assert!(there.contains("refs/proofhouse/done"), "{there}");
    assert!(
        !there.contains("refs/proofhouse/t\n") && !there.ends_with("refs/proofhouse/t"),
        "{there}"
    );
    let said = says(&world, &["records", "push", bare]).exits(0).out;
    assert!(said.contains("left a run that is: `left`, `t`"), "{said}");
    lock.unlock().unwrap();
    // An engine that was killed has left its records behind: they go with what it made.
    world.git(&["update-ref", "-d", "refs/proofhouse/records/t"]);
    says(&world, &["records", "push", bare]).exits(0);
    let there = world.git(&["ls-remote", bare, "refs/proofhouse/*"]);
    assert!(there.contains("refs/proofhouse/records/t"), "{there}");
    assert!(there.ends_with("refs/proofhouse/t"), "{there}");
}

/// Git runs what the settings of a repository say, as soon as anybody asks it something there.
#[test]
fn fetched_records_make_no_repository() {
    let world = World::of_ann();
    begin(&world, "t", CHECK);
    says(&world, &["run", "t"]).exits(0);
    let own_ref = "refs/proofhouse/records/t";
    let tree_of = |lines: &str| {
        world.write("agent/lines", lines);
        let file = std::fs::File::open(world.at("agent/lines")).unwrap();
        let mut git = Command::new("git");
        let git = git.arg("mktree").current_dir(world.path()).stdin(file);
        let output = git.output().unwrap();
        assert!(output.status.success(), "{lines}");
        String::from_utf8(output.stdout).unwrap().trim().to_owned()
    };
    // With one more entry in this folder.
    let with = |folder: &str, entry: &str| {
        let name = entry.rsplit('\t').next().unwrap();
        let here = world.git(&["ls-tree", &format!("{own_ref}:{folder}")]);
        let others = here
            .lines()
            .filter(|line| !line.ends_with(&format!("\t{name}")));
        let mut lines: Vec<&str> = others.collect();
        lines.push(entry);
        tree_of(&(lines.join("\n") + "\n"))
    };
    world.write("agent/config", "[core]\n\tfsmonitor = touch pwned\n");
    let blob = world.git(&["hash-object", "-w", "agent/config"]);
    let repository = tree_of(&format!("100644 blob {blob}\tconfig\n"));
    let mut top = String::new();
    for name in [".git", ".GIT", "git~1"] {
        let run = with("tasks/t", &format!("040000 tree {repository}\t{name}"));
        let tasks = with("tasks", &format!("040000 tree {run}\tt"));
        top = with("", &format!("040000 tree {tasks}\ttasks"));
        let by = [
            "-c",
            "user.name=t",
            "-c",
            "user.email=t@t",
            "commit-tree",
            &top,
        ];
        let commit = world.git(&[&by[..], &["-p", own_ref, "-m", "more"]].concat());
        world.git(&["update-ref", own_ref, &commit]);
    }
    let kept = world.git(&["ls-tree", "-r", "--name-only", &top]);
    for name in [".git/config", ".GIT/config", "git~1/config"] {
        assert!(kept.contains(&format!("tasks/t/{name}")), "{kept}");
    }
    let elsewhere = clone_of(&world);
    elsewhere.git(&[
        "fetch",
        "--quiet",
        "origin",
        "refs/proofhouse/*:refs/proofhouse/*",
    ]);
    elsewhere.run(&["audit"]).exits(0);
    assert!(elsewhere.at(".proofhouse/tasks/t/STATE.md").exists());
    for name in [".git", ".GIT", "git~1"] {
        assert!(
            !elsewhere
                .at(&format!(".proofhouse/tasks/t/{name}"))
                .exists(),
            "{name}"
        );
    }
}

/// Whoever can push refs can push one that holds nothing: it is told, and hides no other run.
#[test]
fn a_ref_that_holds_no_records_is_a_finding_of_its_own() {
    let world = World::of_ann();
    begin(&world, "t", CHECK);
    says(&world, &["run", "t"]).exits(0);
    let blob = world.git(&["rev-parse", "HEAD:code.txt"]);
    for (run, holds) in [("bare", "HEAD"), ("blob", blob.as_str())] {
        let records = format!("refs/proofhouse/records/{run}");
        world.git(&["update-ref", &records, holds]);
    }
    let said = says(&world, &["audit"]).exits(1).out;
    for part in ["FINDINGS bare", "FINDINGS blob", "clean t:"] {
        assert!(said.contains(part), "no {part} in {said}");
    }
    // Once, for what it is.
    assert_eq!(said.matches("journal_missing").count(), 2, "{said}");
    assert!(
        said.contains("records/bare: it holds no journal") && !said.contains("records_differ"),
        "{said}"
    );
    says(&world, &["audit", "t"]).exits(0);
}

/// A commit of `main` and the refs of another together lead out of the folder, if whoever lays them out follows links.
#[test]
fn nothing_is_laid_out_through_a_link_and_others_are_audited_all_the_same() {
    let world = World::of_ann();
    for run in ["t", "u"] {
        begin(&world, run, CHECK);
        says(&world, &["run", run]).exits(0);
    }
    // One more file in the task folder of `u`.
    let grown = |name: &str| {
        let own_ref = "refs/proofhouse/records/u";
        let blob = world.git(&["rev-parse", &format!("{own_ref}:journal/u.jsonl")]);
        world.git(&["read-tree", own_ref]);
        let entry = format!("100644,{blob},tasks/u/{name}");
        world.git(&["update-index", "--add", "--cacheinfo", &entry]);
        let tree = world.git(&["write-tree"]);
        world.git(&["read-tree", "HEAD"]);
        let by = [
            "-c",
            "user.name=t",
            "-c",
            "user.email=t@t",
            "commit-tree",
            &tree,
            "-p",
            own_ref,
            "-m",
            "more",
        ];
        let commit = world.git(&by);
        let from = world.git(&["rev-parse", own_ref]);
        world.git(&["update-ref", own_ref, &commit]);
        from
    };
    let long = "n".repeat(300);
    for (link, file) in [
        (".proofhouse/tasks/u/x", "x/planted"),
        (".proofhouse/tasks", "planted"),
        (".proofhouse/journal", "planted"),
        (".proofhouse/evidence", "planted"),
        (".proofhouse", "planted"),
        ("", long.as_str()),
    ] {
        let from = grown(file);
        let clone = clone_of(&world);
        clone.git(&[
            "fetch",
            "--quiet",
            "origin",
            "refs/proofhouse/*:refs/proofhouse/*",
        ]);
        let outside = World::empty();
        if !link.is_empty() {
            let at = clone.at(link);
            std::fs::create_dir_all(at.parent().unwrap()).unwrap();
            let _ = std::fs::remove_dir_all(&at);
            std::os::unix::fs::symlink(outside.path(), &at).unwrap();
        }
        let said = says(&clone, &["audit"]).exits(1);
        let found = std::fs::read_dir(outside.path()).unwrap().count();
        assert_eq!(found, 0, "{link}: {}", said.out);
        // Where the link stands in the place of everybody's folder, nothing can be laid out.
        match link.matches('/').count() {
            1 if !link.is_empty() => assert!(said.err.contains("linked_folder"), "{}", said.err),
            _ if link == ".proofhouse" => {
                assert!(said.err.contains("linked_folder"), "{}", said.err)
            }
            _ => {
                for part in ["clean t:", "FINDINGS u"] {
                    assert!(
                        said.out.contains(part),
                        "{link} {file}: no {part} in {}",
                        said.out
                    );
                }
            }
        }
        world.git(&["update-ref", "refs/proofhouse/records/u", &from]);
    }
}

/// Views of a run are written to its task folder, wherever its journal says that this is.
#[test]
fn a_journal_of_others_names_no_folder_of_gits() {
    let world = World::of_ann();
    begin(&world, "t", CHECK);
    says(&world, &["run", "t"]).exits(0);
    for task in [".git/hooks", "../outside", "/etc"] {
        let own_ref = "refs/proofhouse/records/t";
        let journal = world.git(&["show", &format!("{own_ref}:journal/t.jsonl")]);
        let (first, rest) = journal.split_once('\n').unwrap();
        let mut record: serde_json::Value = serde_json::from_str(first).unwrap();
        record["body"]["task"] = task.into();
        world.write("agent/journal", &format!("{record}\n{rest}\n"));
        let blob = world.git(&["hash-object", "-w", "agent/journal"]);
        world.git(&["read-tree", own_ref]);
        let entry = format!("100644,{blob},journal/t.jsonl");
        world.git(&["update-index", "--cacheinfo", &entry]);
        let tree = world.git(&["write-tree"]);
        world.git(&["read-tree", "HEAD"]);
        let clone = clone_of(&world);
        let by = [
            "-c",
            "user.name=t",
            "-c",
            "user.email=t@t",
            "commit-tree",
            &tree,
            "-m",
            "x",
        ];
        let commit = world.git(&by);
        world.git(&["update-ref", "refs/proofhouse/records/other", &commit]);
        clone.git(&[
            "fetch",
            "--quiet",
            "origin",
            "refs/proofhouse/records/other:refs/proofhouse/records/t",
        ]);
        let said = says(&clone, &["audit"]).exits(1);
        assert!(
            said.out.contains("its task folder would lie outside"),
            "{task}: {}",
            said.out
        );
        assert!(!clone.at(".proofhouse/journal/t.jsonl").exists(), "{task}");
        world.git(&["update-ref", "-d", "refs/proofhouse/records/other"]);
    }
}

/// What a ref holds in the place of a journal says nothing of another run.
#[test]
fn a_folder_in_the_place_of_a_journal_concerns_that_run_alone() {
    let world = World::of_ann();
    for run in ["t", "u"] {
        begin(&world, run, CHECK);
        says(&world, &["run", run]).exits(0);
    }
    let own_ref = "refs/proofhouse/records/t";
    world.git(&["read-tree", own_ref]);
    world.git(&["rm", "--quiet", "--cached", "journal/t.jsonl"]);
    let blob = world.git(&["rev-parse", "HEAD:code.txt"]);
    world.git(&[
        "update-index",
        "--add",
        "--cacheinfo",
        &format!("100644,{blob},journal/t.jsonl/x"),
    ]);
    let tree = world.git(&["write-tree"]);
    world.git(&["read-tree", "HEAD"]);
    let by = [
        "-c",
        "user.name=t",
        "-c",
        "user.email=t@t",
        "commit-tree",
        &tree,
        "-p",
        own_ref,
        "-m",
        "x",
    ];
    let commit = world.git(&by);
    world.git(&["update-ref", own_ref, &commit]);
    let said = says(&world, &["audit"]).exits(1).out;
    for part in ["FINDINGS t:", "clean u:"] {
        assert!(said.contains(part), "no {part} in {said}");
    }
}

/// Its work without the records behind it would be a run that somebody has tampered with.
#[test]
fn of_a_run_that_went_on_in_two_ways_nothing_is_taken() {
    let world = World::of_ann();
    let hub = World::empty();
    hub.git(&["init", "--quiet", "--bare", "."]);
    world.git(&["remote", "add", "hub", hub.path().to_str().unwrap()]);
    begin(&world, "t", CHECK);
    says(&world, &["run", "t", "--once"]).exits(0);
    says(&world, &["records", "push", "hub"]).exits(0);
    let clone = clone_of(&world);
    clone.git(&["remote", "add", "hub", hub.path().to_str().unwrap()]);
    says(&clone, &["records", "fetch", "hub"]).exits(0);
    clone.write("agent/script.toml", crate::support::HONEST);
    says(&clone, &["run", "t"]).exits(0);
    let refs = |world: &World| {
        let all = [
            "for-each-ref",
            "--format=%(refname) %(objectname)",
            "refs/proofhouse/t",
            "refs/proofhouse/records/t",
        ];
        world.git(&all)
    };
    let before = refs(&clone);
    says(&clone, &["audit", "t"]).exits(0);
    says(&world, &["run", "t"]).exits(0);
    begin(&world, "u", CHECK);
    says(&world, &["run", "u"]).exits(0);
    says(&world, &["records", "push", "hub"]).exits(0);
    says(&clone, &["records", "fetch", "hub"]).refuses(1, "records_differ");
    assert_eq!(refs(&clone), before);
    says(&clone, &["audit", "t"]).exits(0);
    // The others came.
    says(&clone, &["audit", "u"]).exits(0);
}

#[test]
fn who_is_behind_is_told_to_fetch_and_accused_of_nothing() {
    let world = World::of_ann();
    let hub = World::empty();
    hub.git(&["init", "--quiet", "--bare", "."]);
    world.git(&["remote", "add", "hub", hub.path().to_str().unwrap()]);
    begin(&world, "t", CHECK);
    says(&world, &["run", "t", "--once"]).exits(0);
    says(&world, &["records", "push", "hub"]).exits(0);
    let clone = clone_of(&world);
    clone.git(&["remote", "add", "hub", hub.path().to_str().unwrap()]);
    says(&clone, &["records", "fetch", "hub"]).exits(0);
    says(&world, &["run", "t"]).exits(0);
    says(&world, &["records", "push", "hub"]).exits(0);
    let said = says(&clone, &["records", "push", "hub"]).refuses(1, "records_behind");
    assert!(said.err.contains("`t` went on"), "{}", said.err);
    says(&clone, &["records", "fetch", "hub"]).exits(0);
    says(&clone, &["records", "push", "hub"]).exits(0);
}

//! Runs in a tree of their own: the person's tree is not touched until the work lands, as one commit.

use crate::play::text;
use crate::support::{CHECK, HONEST, Said, TASK, World, says};

fn begin(world: &World, more: &[&str]) -> Said {
    let told = ["--check", CHECK, "--agent", "scripted:agent/script.toml"];
    says(world, &[&TASK, &told[..], more].concat()).exits(0)
}

#[test]
fn a_run_touches_nothing_of_the_persons_until_its_work_lands_as_one_commit() {
    let world = World::of_ann();
    let first = world.git(&["rev-parse", "HEAD"]);
    begin(&world, &["--name", "t"]);
    // A person's edits meanwhile disturb nothing.
    world.write("other.txt", "mine\n");
    says(&world, &["land", "t"]).refuses(1, "not_done");
    says(&world, &["run", "t"]).exits(0);
    assert_eq!(world.read("code.txt"), "bad\n");
    assert_eq!(world.git(&["rev-parse", "HEAD"]), first);
    assert_eq!(world.git(&["status", "--porcelain"]), "?? other.txt");

    let shown = says(&world, &["diff", "t"]).exits(0).out;
    assert!(shown.contains("-bad\n+good"), "{shown}");
    let facts = says(&world, &["diff", "t", "--json"]).exits(0).json();
    assert_eq!(facts["files"], serde_json::json!(["code.txt"]));
    let stands = says(&world, &["status", "t"]).exits(0).out;
    assert!(stands.contains("`done`, done"), "{stands}");
    assert!(stands.contains("next: proofhouse land t"), "{stands}");

    // A commit with its name would vouch for what nobody can look at any more.
    let journal = world.journal();
    let gates = journal.iter().filter(|one| one["kind"] == "gate_ended.v1");
    let mut results = gates.flat_map(|one| one["body"]["results"].as_array().unwrap());
    let piece = results.find_map(|one| one["evidence"][0]["hash"].as_str());
    let piece = world.at(&format!(
        ".proofhouse/evidence/{}/{}",
        &piece.unwrap()[..2],
        piece.unwrap()
    ));
    let kept = std::fs::read(&piece).unwrap();
    std::fs::remove_file(&piece).unwrap();
    let said = says(&world, &["land", "t"]).refuses(1, "evidence_altered");
    assert!(said.err.contains("evidence_missing"), "{}", said.err);
    std::fs::write(&piece, kept).unwrap();

    let landed = says(&world, &["land", "t", "--json"]).exits(0).json();
    assert_eq!(landed["branch"], "main");
    assert_eq!(landed["files"], 1);
    assert_eq!(world.git(&["rev-parse", "HEAD~1"]), first);
    assert!(world.read("code.txt").starts_with("good"));
    assert_eq!(world.git(&["status", "--porcelain"]), "?? other.txt");
    let changed = world.git(&["show", "--name-only", "--format=%s|%an", "HEAD"]);
    assert_eq!(changed, "be good|Ann\n\ncode.txt");
    let body = world.git(&["log", "-1", "--format=%(trailers:key=Proofhouse-Head)"]);
    assert!(body.starts_with("Proofhouse-Head: t@"), "{body}");
    assert!(!world.at(".proofhouse/worktrees/t").exists());
    says(&world, &["land", "t"]).refuses(1, "landed_already");
    says(&world, &["audit", "--ci"]).exits(0);

    // Done, landed and set aside are three things.
    let commit = landed["commit"].as_str().unwrap();
    let words = format!("landed as {} on main", &commit[..12]);
    for args in [&["status", "t"][..], &["status"], &["run", "t"]] {
        let stands = says(&world, args).exits(0).out;
        assert!(stands.contains(&words), "{args:?}: {stands}");
        assert!(!stands.contains("proofhouse land"), "{args:?}: {stands}");
    }
    let facts = says(&world, &["status", "t", "--json"]).exits(0).json();
    let fate = serde_json::json!({"became": "landed", "branch": "main", "commit": commit});
    assert_eq!(facts["fate"], fate);
    let gone = says(&world, &["discard", "t"]).exits(0).out;
    assert!(gone.contains("was gone already: it is landed as"), "{gone}");
    says_otherwise(&world);
    begin(&world, &["--name", "u"]);
    let key = world.approver("ann").display().to_string();
    says(
        &world,
        &["abandon", "u", "--because", "not now", "--sign", &key],
    )
    .exits(0);
    let stands = says(&world, &["status", "u"]).exits(0).out;
    assert!(stands.contains("set aside"), "{stands}");
    let facts = says(&world, &["status", "u", "--json"]).exits(0).json();
    assert_eq!(facts["fate"]["became"], "set_aside");
    assert_eq!(facts["fate"]["kept_by"], "refs/proofhouse/u");
}

/// What says something else of a landed run than its journal is found: commits and refs.
fn says_otherwise(world: &World) {
    let found = |code: &str| {
        let said = says(world, &["audit", "t"]).exits(1).out;
        assert!(said.contains(code), "no {code} in {said}");
    };
    let head = world.git(&["rev-parse", "HEAD"]);
    let message = world.git(&["log", "-1", "--format=%B"]);
    // Another message is no other work.
    world.git(&[
        "commit",
        "--quiet",
        "--amend",
        "-m",
        &format!("Say it better\n\n{message}"),
    ]);
    says(world, &["audit", "t"]).exits(0);
    let more = message.replace("Proofhouse-Evidence: ", "Proofhouse-Evidence: observed, ");
    let more = match more == message {
        true => format!("{}\nProofhouse-Evidence: proven", message.trim_end()),
        false => more,
    };
    world.git(&["commit", "--quiet", "--amend", "-m", &more]);
    found("trailer_differs");
    world.write("code.txt", "good and unproven\n");
    world.git(&["commit", "--quiet", "--all", "--amend", "-m", &message]);
    found("landed_differs");
    // Also where git is told to show another commit in its place.
    let other = world.git(&["rev-parse", "HEAD"]);
    world.git(&["replace", &other, &head]);
    found("landed_differs");
    world.git(&["replace", "-d", &other]);
    let stands = says(world, &["status", "t"]).exits(0).out;
    assert!(stands.contains("and holds something else"), "{stands}");
    world.git(&["reset", "--quiet", "--hard", &head]);
    says(world, &["audit", "t"]).exits(0);

    let page = ".proofhouse/tasks/t/artifacts/evidence.html";
    let shown = world.read(page);
    world.write(page, &shown.replacen("done", "proven beyond doubt", 1));
    found("page_differs");
    world.write(page, &shown);

    let tip = world.git(&["rev-parse", "refs/proofhouse/t"]);
    world.git(&["update-ref", "refs/proofhouse/t", &head]);
    found("ref_moved");
    world.git(&["update-ref", "-d", "refs/proofhouse/t"]);
    found("ref_missing");
    world.git(&["update-ref", "refs/proofhouse/t", &tip]);
    world.git(&["update-ref", "-d", "refs/proofhouse/records/t"]);
    found("records_missing");
    says(world, &["run", "t"]).exits(0);
    says(world, &["audit", "t"]).exits(0);
}

#[test]
fn one_line_does_it_and_says_what_can_be_done_with_it() {
    let world = World::of_ann();
    let asked = [
        "phase",
        "be good",
        "--check",
        CHECK,
        "--agent",
        "scripted:agent/script.toml",
        "--autonomy",
        "auto",
    ];
    let said = says(&world, &asked).exits(0);
    for part in [
        "code.txt | 2 +-",
        "proofhouse land be-good",
        "proofhouse diff be-good",
    ] {
        assert!(said.out.contains(part), "no {part} in {}", said.out);
    }
    says(&world, &["land", "be-good"]).exits(0);
    assert!(world.read("code.txt").starts_with("good"));

    // Nothing here could prove it: nobody is set to work.
    let asked = ["do", "be better", "--agent", "scripted:agent/script.toml"];
    let said = says(&world, &asked).refuses(1, "no_check");
    assert!(!said.out.contains("attempt"), "{}", said.out);
    let hollow = [&asked[..], &["--check", "true"]].concat();
    let said = says(&world, &hollow).refuses(1, "no_check");
    assert!(said.err.contains("`true` cannot fail"), "{}", said.err);
}

#[test]
fn whoever_is_asked_sees_what_was_changed() {
    let world = World::of_ann();
    let asked = [
        "do",
        "be good",
        "--workflow",
        "phase",
        "--check",
        CHECK,
        "--agent",
        "scripted:agent/script.toml",
        "--autonomy",
        "conservative",
    ];
    let said = says(&world, &asked).exits(2);
    let inbox = says(&world, &["inbox"]).exits(0);
    for shown in [said.out, inbox.out] {
        assert!(shown.contains("code.txt | 2 +-"), "{shown}");
        assert!(shown.contains("proofhouse diff be-good"), "{shown}");
        // Each answer says what it does, so that the line can still be taken whole.
        for answer in [
            "approve --because \"...\"   # lets the run reach `done`",
            "stop --because \"...\"   # ends the run for good",
        ] {
            assert!(shown.contains(answer), "no {answer} in {shown}");
        }
    }
    let facts = says(&world, &["inbox", "--json"]).exits(0).json();
    let means = &facts[0]["waiting_for"]["means"];
    assert_eq!(means["approve"], "lets the run reach `done`");

    // What the gate judged is what is shown and what lands, whatever is edited there since.
    let edited = ".proofhouse/worktrees/be-good/code.txt";
    world.write(edited, "good and unproven\n");
    world.write(".proofhouse/worktrees/be-good/new.txt", "unproven\n");
    let shown = says(&world, &["diff", "be-good"]).exits(0).out;
    assert!(
        shown.contains("+good") && !shown.contains("+good and"),
        "{shown}"
    );
    let facts = says(&world, &["diff", "be-good", "--json"]).exits(0).json();
    assert_eq!(facts["edited"], serde_json::json!(["code.txt", "new.txt"]));
    let key = world.approver("ann").display().to_string();
    let approve = [
        "decide",
        "be-good",
        "approve",
        "--because",
        "yes",
        "--sign",
        &key,
    ];
    says(&world, &approve).exits(0);
    world.write(edited, "good and later\n");
    says(&world, &["run", "be-good"]).exits(0);
    let landed = says(&world, &["land", "be-good"]).exits(0).out;
    assert!(landed.contains("stays"), "{landed}");
    assert!(
        world.read("code.txt").starts_with("good\n"),
        "{}",
        world.read("code.txt")
    );
    assert!(!world.at("new.txt").exists());
    assert_eq!(world.read(edited), "good and later\n");
    says(&world, &["audit", "--ci"]).exits(0);
}

/// What git makes of files on their way into a commit is the person's to say, and done before anything is
/// judged; an agent that says it anew is told.
#[test]
fn what_lands_is_what_was_judged_whatever_git_converts() {
    let world = World::of_ann();
    world.write(".gitattributes", "*.txt text=auto eol=crlf\n");
    world.write("code.txt", "bad\r\n");
    world.commit("line ends");
    let wrote = r#"{ write = "repo/code.txt", text = "good\n" }"#;
    let converts = r#"{ write = "repo/code.txt", text = "good\n" }, { write = "repo/.gitattributes", text = "*.txt text=auto eol=crlf ident\n" }, { write = "repo/id.txt", text = "$Id: judged $\r\n" }"#;
    world.write("agent/script.toml", &HONEST.replacen(wrote, converts, 1));
    begin(&world, &["--name", "t"]);
    says(&world, &["run", "t"]);
    let told = world.journal();
    let told = told.iter().filter(|one| one["kind"] == "gate_ended.v1");
    let refused = told
        .flat_map(|one| one["body"]["results"].as_array().unwrap().clone())
        .find(|one| one["code"] == "git_converts");
    let why = refused.unwrap()["details"].to_string();
    assert!(why.contains("id.txt: eol, ident, text"), "{why}");

    world.write("agent/script.toml", HONEST);
    begin(
        &world,
        &["--name", "honest", "--check", "grep -q '^good.$' code.txt"],
    );
    says(&world, &["run", "honest"]).exits(0);
    says(&world, &["land", "honest"]).exits(0);
    assert_eq!(world.read("code.txt"), "good\r\n");
    assert_eq!(world.git(&["cat-file", "blob", "HEAD:code.txt"]), "good");
    assert_eq!(world.git(&["status", "--porcelain"]), "");
    says(&world, &["audit", "honest"]).exits(0);
}

#[test]
fn what_a_person_changed_at_the_same_place_is_never_written_over() {
    let world = World::of_ann();
    begin(&world, &["--name", "t"]);
    says(&world, &["run", "t"]).exits(0);
    world.write("code.txt", "mine\n");
    says(&world, &["land", "t"]).refuses(1, "tree_in_the_way");
    assert_eq!(world.read("code.txt"), "mine\n");
    world.git(&["checkout", "--quiet", "--", "code.txt"]);
    says(&world, &["land", "t"]).exits(0);
    assert!(world.read("code.txt").starts_with("good"));
}

/// What is told of `u` by `inbox`, `guide`, its status, and that of all.
fn waits(world: &World) -> [String; 4] {
    let asked: [&[&str]; 4] = [&["inbox"], &["guide"], &["status", "u"], &["status"]];
    asked.map(|asked| says(world, asked).exits(0).out)
}

/// The list that everybody adds to at its end: a changelog, a table of names, a file of tests.
#[test]
fn what_both_add_at_one_place_lands_without_anybody() {
    let world = World::of_ann();
    world.write("list.txt", "one\n");
    world.commit("a list");
    let good = r#"{ write = "repo/code.txt", text = "good\n" }"#;
    for run in ["t", "u", "w"] {
        let lines = if run == "w" { "w" } else { "one\\n" };
        let adds = format!(r#"{good}, {{ write = "repo/list.txt", text = "{lines}{run}\n" }}"#);
        world.write("agent/script.toml", &HONEST.replacen(good, &adds, 1));
        begin(&world, &["--name", run]);
        says(&world, &["run", run]).exits(0);
    }
    says(&world, &["land", "t"]).exits(0);
    says(&world, &["land", "u"]).exits(0);
    assert_eq!(world.read("list.txt"), "one\nt\nu\n");
    says(&world, &["audit", "--ci"]).exits(0);
    // Who takes a line away contradicts whoever adds behind it.
    says(&world, &["land", "w"]).refuses(1, "land_conflict");
    assert_eq!(world.read("list.txt"), "one\nt\nu\n");
}

#[test]
fn on_a_branch_that_has_moved_the_work_is_merged_or_the_conflict_is_named() {
    let world = World::of_ann();
    for run in ["t", "u"] {
        begin(&world, &["--name", run]);
        says(&world, &["run", run]).exits(0);
    }
    world.write("other.txt", "meanwhile\n");
    world.commit("meanwhile");
    says(&world, &["land", "t"]).exits(0);
    assert_eq!(world.read("other.txt"), "meanwhile\n");
    assert!(world.read("code.txt").starts_with("good"));
    let parents = world.git(&["log", "-1", "--format=%p"]);
    assert!(!parents.contains(' '), "one commit, no merge: {parents}");

    world.write("code.txt", "somebody else's\n");
    world.commit("another word");
    let head = world.git(&["rev-parse", "HEAD"]);
    let said = says(&world, &["land", "u"]).refuses(1, "land_conflict");
    assert!(said.err.contains("code.txt"), "{}", said.err);
    assert_eq!(world.git(&["rev-parse", "HEAD"]), head);
    // Finished work that nobody has taken is told wherever one looks, with what is in its way.
    let settle = "proofhouse land u --settle   or: proofhouse discard u";
    let [inbox, guide, status, all] = waits(&world);
    assert!(inbox.contains("1 finished, not landed:"), "{inbox}");
    for text in [&inbox, &status, &all] {
        assert!(text.contains(settle), "{text}");
        assert!(
            text.contains("`main` contradicts it by now in code.txt"),
            "{text}"
        );
    }
    assert!(guide.contains("proofhouse land u --settle\n"), "{guide}");
    let facts = says(&world, &["inbox", "--json"]).exits(0).json();
    assert_eq!(
        facts[0]["not_landed"]["contradicted"][0], "code.txt",
        "{facts:#}"
    );
    let facts = says(&world, &["status", "u", "--json"]).exits(0).json();
    assert_eq!(facts["not_landed"]["branch"], "main", "{facts:#}");

    // An agent brings both together; what was approved was something else, so a person is asked again.
    says(&world, &["land", "t", "--settle"]).refuses(1, "landed_already");
    let brings = r#"{ run = "grep -q '^+good' ../task/conflict.patch && grep -q '^<<<<<<< branch main$' ../task/merged/code.txt.merged && grep -q '^>>>>>>> run u$' ../task/merged/code.txt.merged && grep -q '^good' ../task/merged/code.txt.merged && ! test -e ../task/merged/code.txt", must = true }, { write = "repo/code.txt", text = "good and somebody else's\n" }"#;
    let script = HONEST.replacen(r#"{ write = "repo/code.txt", text = "good\n" }"#, brings, 1);
    world.write("agent/script.toml", &script);
    let said = says(&world, &["land", "u", "--settle"]).exits(2);
    assert!(
        said.out.contains("contradict each other in code.txt"),
        "{}",
        said.out
    );
    for part in [
        "settles     `u`: approved there, and not in it:\n              code.txt  +good\n",
        "settles     `u`: in it, and not approved there:\n              code.txt  -somebody else's\n",
    ] {
        assert!(said.out.contains(part), "no {part} in:\n{}", said.out);
    }
    let [_, _, status, _] = waits(&world);
    assert!(
        status.contains("next: proofhouse status u-settled"),
        "{status}"
    );
    says(&world, &["land", "u-settled"]).refuses(1, "not_done");
    let key = world.approver("ann");
    let key = key.to_str().unwrap();
    let approve = [
        "decide",
        "u-settled",
        "approve",
        "--because",
        "both",
        "--sign",
        key,
    ];
    says(&world, &approve).exits(0);
    says(&world, &["land", "u-settled"]).exits(0);
    assert_eq!(world.read("code.txt"), "good and somebody else's\n");
    // With it the work of `u` has landed, and is named as what it was.
    assert_eq!(world.git(&["log", "-1", "--format=%s"]), "be good");
    let [inbox, guide, status, _] = waits(&world);
    assert!(inbox.contains("nothing waits for you"), "{inbox}");
    assert!(guide.contains("nothing is under way"), "{guide}");
    assert!(status.contains(", through `u-settled`"), "{status}");
    assert!(!world.at(".proofhouse/worktrees/u").exists());
    says(&world, &["land", "u"]).refuses(1, "landed_already");
    says(&world, &["audit", "--ci"]).exits(0);
}

/// Each side passes by itself; the branch has a rule that the work breaks.
#[test]
fn what_does_not_pass_together_does_not_land() {
    let world = World::of_ann();
    world.write("rule.txt", "good");
    let suite = "import unittest\nclass T(unittest.TestCase):\n    def test_code(self):\n        self.assertTrue(open('code.txt').read())\n";
    world.write("test_code.py", suite);
    world.commit("a rule and a suite");
    let check = "grep -q good code.txt && grep -q \"$(cat rule.txt)\" code.txt";
    let suite = "python3 -m unittest";
    begin(&world, &["--name", "t", "--check", check, "--check", suite]);
    says(&world, &["run", "t"]).exits(0);
    world.write("rule.txt", "better");
    world.commit("another rule");
    let head = world.git(&["rev-parse", "HEAD"]);
    let said = says(&world, &["land", "t"]).refuses(1, "land_unproven");
    assert!(!said.err.contains("it passes without"), "{}", said.err);
    assert_eq!(world.git(&["rev-parse", "HEAD"]), head);
    assert!(!world.at(".proofhouse/worktrees/_landing-t").exists());
    world.write("rule.txt", "goo");
    world.commit("a rule that the work keeps");
    // A suite that runs no test any more ends well, and shows nothing.
    world.git(&["mv", "test_code.py", "was_a_test.py"]);
    world.commit("no test");
    let said = says(&world, &["land", "t"]).refuses(1, "land_unproven");
    assert!(said.err.contains("unittest"), "{}", said.err);
    world.git(&["mv", "was_a_test.py", "test_code.py"]);
    // The run is not to blame for what somebody else's test does to its own.
    world.write("test_a.py", "import builtins\nimport io\nbuiltins.open = lambda *_: io.StringIO()\nimport unittest\nclass A(unittest.TestCase):\n    def test_a(self):\n        self.assertTrue(True)\n");
    world.commit("the test again, and one that disturbs it");
    let said = says(&world, &["land", "t"]).refuses(1, "land_unproven");
    assert!(
        said.err.contains("it passes without test_a.py"),
        "{}",
        said.err
    );
    // Where it was proven goes with it, also where it stood on what was tried last.
    assert!(!world.at(".proofhouse/worktrees/_landing-t").exists());
    let listed = world.git(&["worktree", "list"]);
    assert!(!listed.contains("_landing-"), "{listed}");
    world.git(&["rm", "-q", "test_a.py"]);
    world.commit("without it");
    says(&world, &["land", "t"]).exits(0);
    assert!(!world.at(".proofhouse/worktrees/_landing-t").exists());
}

/// A `land` that was killed leaves the worktree in which it proved; what somebody made in it stays.
#[test]
fn gc_takes_where_a_killed_landing_was_proven() {
    let world = World::of_ann();
    begin(&world, &["--name", "t"]);
    says(&world, &["run", "t"]).exits(0);
    let place = ".proofhouse/worktrees/_landing-t";
    let left = |message: &str| {
        let tree = world.git(&["rev-parse", "HEAD^{tree}"]);
        let commit = world.git(&["commit-tree", "-p", "HEAD", "-m", message, &tree]);
        world.git(&["worktree", "add", "-q", "--detach", place, &commit]);
    };
    let gc = |more: &[&str]| -> serde_json::Value {
        let items = says(&world, &[&["gc", "--json"], more].concat());
        let items = items.exits(0).json();
        let mut items = items["items"].as_array().unwrap().iter();
        let found = items.find(|one| one["name"] == "_landing-t");
        found.unwrap().clone()
    };
    left("mine");
    let kept = gc(&[]);
    assert_eq!(kept["fate"], "kept", "{kept}");
    let why = kept["why"].as_str().unwrap();
    assert!(why.contains("a commit of somebody else's"), "{why}");
    world.git(&["worktree", "remove", place]);

    let trailer = "be good\n\nProofhouse-Head: t@1:abc";
    left(trailer);
    assert_eq!(gc(&["--dry-run"])["fate"], "removable");
    assert_eq!(gc(&[])["fate"], "removed");
    assert!(!world.at(place).exists());
    let listed = world.git(&["worktree", "list"]);
    assert!(!listed.contains("_landing-"), "{listed}");
    // So does who sets the work aside.
    left(trailer);
    says(&world, &["discard", "t"]).exits(0);
    assert!(!world.at(place).exists());
}

/// Who lands is named on the commit, and git has to know them.
#[test]
fn nothing_lands_without_a_name() {
    let world = World::of_ann();
    begin(&world, &["--name", "t"]);
    says(&world, &["run", "t"]).exits(0);
    let head = world.git(&["rev-parse", "HEAD"]);
    // Neither of this repository nor of this machine.
    for name in ["user.name", "user.email"] {
        world.git(&["config", "--unset", name]);
    }
    world.git(&["config", "user.useConfigOnly", "true"]);
    let land = || {
        let mut command = world.command(&["land", "t"]);
        command.env("HOME", world.at("agent"));
        command.env_remove("PROOFHOUSE_RUNS__TREE");
        Said::from(command.output().unwrap())
    };
    let said = land().refuses(1, "no_identity");
    for name in ["git config user.name", "git config user.email"] {
        assert!(said.err.contains(name), "{}", said.err);
    }
    assert_eq!(world.git(&["rev-parse", "HEAD"]), head);
    world.git(&["config", "user.name", "Ann"]);
    land().refuses(1, "no_identity");
    world.git(&["config", "user.email", "ann@example.org"]);
    land().exits(0);
}

/// Git remembers worktrees that are not there any more, and makes no other in their place.
#[test]
fn a_worktree_that_somebody_deleted_is_made_anew() {
    let world = World::of_ann();
    begin(&world, &["--name", "t"]);
    // With all that was known of the run.
    std::fs::remove_dir_all(world.at(".proofhouse")).unwrap();
    begin(&world, &["--name", "t"]);
    std::fs::remove_dir_all(world.at(".proofhouse/worktrees/t")).unwrap();
    says(&world, &["run", "t"]).exits(0);
    let made = world.read(".proofhouse/worktrees/t/code.txt");
    assert!(made.starts_with("good"), "{made}");
    assert_eq!(world.read("code.txt"), "bad\n");
}

#[test]
fn another_branch_takes_the_work_without_touching_the_tree() {
    let world = World::of_ann();
    world.git(&["branch", "next"]);
    begin(&world, &["--name", "t", "--from", "next"]);
    says(&world, &["run", "t"]).exits(0);
    says(&world, &["land", "t", "--onto", "nowhere"]).refuses(1, "unknown_branch");
    let landed = ["land", "t", "--onto", "next", "-m", "Make it good"];
    says(&world, &landed).exits(0);
    assert_eq!(world.read("code.txt"), "bad\n");
    let shown = world.git(&["log", "-1", "--format=%s", "next"]);
    assert_eq!(shown, "Make it good");
    assert_eq!(world.git(&["status", "--porcelain"]), "");
}

#[test]
fn discarded_work_is_kept_by_a_ref() {
    let world = World::of_ann();
    begin(&world, &["--name", "t"]);
    says(&world, &["discard", "t"]).refuses(1, "not_over");
    says(&world, &["run", "t"]).exits(0);
    world.write(".proofhouse/worktrees/t/note.txt", "a thought\n");
    let gone = says(&world, &["discard", "t", "--json"]).exits(0).json();
    assert!(!world.at(".proofhouse/worktrees/t").exists());
    let note = world.git(&["show", "refs/proofhouse/t:note.txt"]);
    assert_eq!(note, "a thought");
    assert_eq!(gone["kept_by"], "refs/proofhouse/t");
    assert_eq!(world.read("code.txt"), "bad\n");
}

#[test]
fn runs_are_named_after_their_sentence_and_do_not_meet() {
    let world = World::of_ann();
    for want in ["be-good", "be-good-2"] {
        let said = begin(&world, &["--json"]).json();
        assert_eq!(said["run"], want);
        says(&world, &["run", want]).exits(0);
    }
    let tasks = world.at(".proofhouse/tasks");
    assert_eq!(std::fs::read_dir(tasks).unwrap().count(), 2);
    says(&world, &["audit", "--ci"]).exits(0);
}

#[test]
fn a_repository_without_a_commit_and_a_ref_that_is_none_are_refused() {
    let world = World::empty();
    world.git(&["init", "--quiet"]);
    let asked = [
        "new",
        "phase",
        "--set",
        "objective=be good",
        "--check",
        "true",
    ];
    says(&world, &asked).refuses(1, "no_commit");
    // Nobody is asked for a check first.
    let asks = ["do", "be good", "--agent", "command:true"];
    says(&world, &asks).refuses(1, "no_commit");
    let world = World::of_ann();
    let from = [&asked[..], &["--from", "nowhere"]].concat();
    says(&world, &from).refuses(1, "unknown_commit");
    assert!(!world.at(".proofhouse/journal").exists());
    says(&world, &["land", "t"]).refuses(1, "unknown_run");
}

#[test]
fn what_works_here_is_not_landed() {
    let world = World::of_ann();
    begin(&world, &["--name", "t", "--here", "--dir", "tasks/t"]);
    says(&world, &["run", "t"]).exits(0);
    assert!(world.read("code.txt").starts_with("good"));
    says(&world, &["land", "t"]).refuses(1, "works_here");
    // It is not landed, and what it changed is seen all the same.
    let facts = says(&world, &["diff", "t", "--json"]).exits(0).json();
    assert_eq!(facts["files"], serde_json::json!(["code.txt"]));
}

#[test]
fn what_works_here_has_nothing_to_show_before_its_first_checkpoint() {
    let world = World::of_ann();
    begin(&world, &["--name", "t", "--here", "--dir", "tasks/t"]);
    says(&world, &["diff", "t"]).refuses(1, "works_here");
}

#[test]
fn a_diff_has_its_files_and_hunks_and_cannot_steer_a_terminal() {
    let world = World::of_ann();
    let script = HONEST.replace("good\\n\"", "good\\u001b[2K\\n\"");
    world.write("agent/script.toml", &script);
    begin(&world, &["--name", "t"]);
    says(&world, &["run", "t"]).exits(0);
    let facts = says(&world, &["diff", "t", "--json"]).exits(0).json();
    let change = &facts["changes"][0];
    assert_eq!(change["path"], "code.txt");
    assert_eq!(
        (&change["kind"], &change["added"], &change["removed"]),
        (
            &serde_json::json!("modified"),
            &serde_json::json!(1),
            &serde_json::json!(1)
        )
    );
    assert_eq!(change["hunks"][0]["lines"][0], "-bad");
    let facts = says(&world, &["diff", "t", "--stat", "--json"])
        .exits(0)
        .json();
    assert_eq!(facts["patch"], serde_json::Value::Null);
    let shown = says(&world, &["diff", "t"]).exits(0).out;
    assert!(
        !shown.contains('\u{1b}') && shown.contains("\\u{1b}[2K"),
        "{shown}"
    );
}

#[test]
fn a_persons_own_tool_shows_the_work() {
    let world = World::of_ann();
    begin(&world, &["--name", "t"]);
    says(&world, &["run", "t"]).exits(0);
    world.git(&["config", "difftool.lines.cmd", "cat \"$LOCAL\" \"$REMOTE\""]);
    let shown = says(&world, &["diff", "t", "--tool", "lines"]).exits(0).out;
    assert!(shown.starts_with("bad\ngood"), "{shown}");
    says(&world, &["diff", "t", "--tool", "nosuchtool"]).refuses(1, "difftool_failed");
}

/// Every workflow keeps its task folder out of the tree, and lands its work alone.
#[test]
fn every_workflow_runs_in_a_tree_of_its_own() {
    let world = World::of_ann();
    world.write("src/greet.txt", "good bye\n");
    world.write("agent/slice.toml", &text("slice/happy.toml"));
    world.commit("greet");
    let asked = [
        "new",
        "slice",
        "greet Ada",
        "--check",
        "grep -q Ada src/greet.txt",
        "--name",
        "s",
        "--agent",
        "scripted:agent/slice.toml",
    ];
    says(&world, &asked).exits(0);
    says(&world, &["run", "s"]).exits(0);
    says(&world, &["land", "s"]).exits(0);
    let changed = world.git(&["show", "--name-only", "--format=%s", "HEAD"]);
    assert_eq!(changed, "greet Ada\n\nsrc/greet.txt");
}

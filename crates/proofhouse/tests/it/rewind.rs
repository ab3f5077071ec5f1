//! A run that a person leads back to one of its commits: nothing is cut, nothing of theirs is lost, and what was
//! used up stays used up.

use crate::support::{CHECK, HONEST, Said, TASK, World, says};
use serde_json::Value;
use std::path::{Path, PathBuf};

/// Whoever is led back to `implement` works once more; the document has its words already.
const AGAIN: &str = r#"
[[attempt]]
state = "implement"
attempt = 2
steps = [
    { write = "repo/code.txt", text = "good\n" },
    { set = "Current result", to = "it is good" },
    { set = "Next step", to = "have it verified" },
    { set = "Evidence location", to = "artifacts/" },
    { append = "task/EVIDENCE.md", text = "\nmade once more\n" },
]
result = { summary = "built once more", next = "verify" }
"#;

/// The run `t` in a tree of its own, up to the question whether it is good; and Ann's key.
pub(crate) fn waiting() -> (World, PathBuf) {
    let world = World::of_ann();
    let key = world.approver("ann");
    world.write("agent/script.toml", &format!("{HONEST}{AGAIN}"));
    let told = ["--check", CHECK, "--agent", "scripted:agent/script.toml"];
    let more = ["--name", "t", "--autonomy", "conservative"];
    says(&world, &[&TASK[..], &told, &more].concat()).exits(0);
    says(&world, &["run", "t"]).exits(2);
    (world, key)
}

pub(crate) fn rewind(world: &World, at: &Value, key: &Path) -> Said {
    let (at, key) = (at.to_string(), key.to_str().unwrap());
    let why = ["--because", "the shape was wrong", "--sign", key];
    says(world, &[&["rewind", "t", "--at", &at], &why[..]].concat())
}

fn approve(world: &World, key: &Path) {
    let why = ["--because", "I looked at it", "--sign"];
    let said = [&["decide", "t", "approve"], &why[..]].concat();
    says(world, &[&said[..], &[key.to_str().unwrap()]].concat()).exits(0);
}

pub(crate) fn commits(world: &World) -> Vec<Value> {
    let mut all = world.journal();
    all.retain(|one| one["kind"] == "checkpoint_ended.v1" && one["body"]["commit"].is_string());
    all
}

/// The file as a commit has it.
pub(crate) fn held(world: &World, commit: &Value) -> String {
    world.git(&["show", &format!("{}:code.txt", commit.as_str().unwrap())])
}

/// The last commit before the code was written.
pub(crate) fn before_the_code(world: &World) -> Value {
    let all = commits(world).into_iter();
    let mut bad = all.filter(|one| held(world, &one["body"]["commit"]) == "bad");
    bad.next_back().expect("a commit before the code")
}

fn used(world: &World) -> u64 {
    let status = says(world, &["status", "t", "--json"]).exits(0).json();
    status["budgets"]["attempts"]["used"].as_u64().unwrap()
}

#[test]
fn a_run_goes_back_to_a_commit_by_new_records_and_a_new_commit() {
    let (world, key) = waiting();
    let journal = world.read(".proofhouse/journal/t.jsonl");
    let spent = used(&world);
    let mine = ".proofhouse/worktrees/t/mine.txt";
    world.write(mine, "mine\n");
    let target = before_the_code(&world);
    let then = world.run(&["replay", "t", "--at", &target["seq"].to_string(), "--json"]);
    let then = then.exits(0).json();
    let said = rewind(&world, &target["seq"], &key).exits(0);
    assert!(said.out.contains("next: proofhouse run t"), "{}", said.out);
    let now = world.read(".proofhouse/journal/t.jsonl");
    assert!(now.starts_with(&journal), "nothing is cut");
    let status = says(&world, &["status", "t", "--json"]).exits(0).json();
    assert_eq!(status["state"], then["state"]);
    assert_eq!(used(&world), spent);
    let state = world.read(".proofhouse/tasks/t/STATE.md");
    let phase = format!("Phase: {}", then["state"].as_str().unwrap());
    assert!(state.contains(&phase), "{state}");
    let all = world.journal();
    let back = all.last().unwrap();
    assert_eq!(back["kind"], "rewound.v1");
    assert_eq!(back["body"]["commit"], target["body"]["commit"]);
    let decided = &all[all.len() - 2]["body"];
    assert_eq!(
        (&decided["option"], &decided["who"]),
        (&"rewind".into(), &"ann@example.org".into())
    );
    says(&world, &["audit", "--ci"]).exits(0);
    // The engine commits what is there, and then what was there; the work is done once more.
    says(&world, &["run", "t"]).exits(2);
    let after = commits(&world)
        .into_iter()
        .find(|one| one["seq"].as_u64() > back["seq"].as_u64());
    let reverted = &after.unwrap()["body"]["commit"];
    assert_eq!(held(&world, reverted), "bad");
    let parent = Value::from(format!("{}^", reverted.as_str().unwrap()));
    assert_eq!(
        held(&world, &parent),
        "good",
        "what is gone back from is in a commit"
    );
    assert_eq!(world.read(mine), "mine\n");
    let edited = |one: &Value| one["kind"] == "fields_edited.v1";
    assert!(!world.journal().iter().any(edited), "nobody has edited one");
    assert!(used(&world) > spent, "what is done again is paid for again");
    says(&world, &["audit", "--ci"]).exits(0);
    // Everything that tells a run tells this.
    let log = says(&world, &["log", "t"]).exits(0).out;
    assert!(log.contains("back to the commit"), "{log}");
    for at in [back["seq"].as_u64().unwrap(), all.len() as u64 + 1] {
        says(&world, &["replay", "t", "--at", &at.to_string()]).exits(0);
    }
    says(&world, &["replay", "t", "--with", "phase"]).exits(0);
    says(&world, &["trace", "t"]).exits(0);
    says(
        &world,
        &[
            "fork",
            "t",
            "--at",
            &back["seq"].to_string(),
            "--name",
            "f",
            "--json",
        ],
    );
    says(&world, &["audit", "--ci"]).exits(0);
    // And it ends as any other.
    approve(&world, &key);
    says(&world, &["run", "t"]).exits(0);
    says(&world, &["audit", "--ci"]).exits(0);
    rewind(&world, &target["seq"], &key).refuses(1, "rewind_over");
    says(&world, &["land", "t"]).exits(0);
    rewind(&world, &target["seq"], &key).refuses(1, "rewind_over");
}

#[test]
fn in_a_persons_own_tree_their_files_stay_as_they_are() {
    let world = World::new();
    world.start(HONEST, &["--autonomy", "conservative"]);
    world.run(&["run", "t"]).exits(2);
    let key = world.approver("ann");
    world.write("notes.txt", "mine\n");
    world.write("README.md", "mine too\n");
    let head = world.git(&["rev-parse", "HEAD"]);
    let target = before_the_code(&world);
    let (at, key) = (target["seq"].to_string(), key.to_str().unwrap().to_owned());
    let back = [
        "rewind",
        "t",
        "--at",
        &at,
        "--because",
        "no",
        "--sign",
        &key,
    ];
    world.run(&back).exits(0);
    world.run(&["run", "t"]).exits(2);
    let all = world.journal();
    let back = all
        .iter()
        .position(|one| one["kind"] == "rewound.v1")
        .unwrap();
    let mut after = all[back..].iter();
    let after = after.find(|one| one["kind"] == "checkpoint_ended.v1");
    assert_eq!(held(&world, &after.unwrap()["body"]["commit"]), "bad");
    assert_eq!(world.read("notes.txt"), "mine\n");
    assert_eq!(world.read("README.md"), "mine too\n");
    assert_eq!(
        world.git(&["rev-parse", "HEAD"]),
        head,
        "no branch is moved"
    );
    world.run(&["audit"]).exits(0);
}

#[test]
fn what_nobody_decided_and_what_cannot_be_gone_back_to_is_refused() {
    let (world, key) = waiting();
    let target = before_the_code(&world);
    let at = target["seq"].to_string();
    rewind(&world, &2.into(), &key).refuses(1, "rewind_unknown");
    rewind(&world, &900.into(), &key).refuses(1, "rewind_unknown");
    let bare = ["rewind", "t", "--at", &at];
    let why = ["--because", "the shape was wrong"];
    says(&world, &[&bare[..], &why].concat()).refuses(1, "signature_required");
    let sign = ["--sign", key.to_str().unwrap()];
    says(&world, &[&bare[..], &sign].concat()).refuses(1, "reason_required");
    // The words that are signed name the record and bind the commit.
    let message = says(&world, &[&bare[..], &why, &["--message"]].concat()).exits(0);
    assert!(
        message.out.contains(&format!("back to record {at}")),
        "{}",
        message.out
    );
    // A payload that names another commit beside the record.
    let other = commits(&world).pop().unwrap()["body"]["commit"].clone();
    let payload = serde_json::json!({"record": target["seq"], "commit": other});
    world.write("agent/other.json", &payload.to_string());
    let decide = ["decide", "t", "rewind", "--payload", "agent/other.json"];
    says(&world, &[&decide[..], &why, &sign].concat()).refuses(1, "rewind_unknown");
    let untouched = world.read(".proofhouse/journal/t.jsonl");
    assert!(!untouched.contains("\"rewind\""), "nothing was written");
    // A record that follows from nobody's decision is found, however well it is forged.
    let position =
        serde_json::json!({"state": "implement", "passes": 0, "autonomy": "conservative"});
    let body = serde_json::json!({
        "commit": target["body"]["commit"], "from": "review", "position": position, "why": "ann said `rewind`",
    });
    world.rewrite("t", |mut entries| {
        let at = entries.last().unwrap().at;
        entries.push(store::Entry {
            at,
            kind: "rewound.v1".to_owned(),
            body,
        });
        entries
    });
    let said = says(&world, &["audit", "t", "--json"]).exits(1).json();
    let findings = said["runs"][0]["findings"].to_string();
    assert!(findings.contains("unfounded_move"), "{findings}");
}

/// An engine that died while somebody worked: what it left comes first.
#[test]
fn nobody_goes_back_while_somebody_is_at_work() {
    let (world, key) = waiting();
    let target = before_the_code(&world);
    let seq = target["seq"].as_u64().unwrap() as usize;
    let all = world.journal();
    let begins = |one: &Value| one["kind"] == "effect_began.v1" && one["body"]["kind"] == "attempt";
    let begun = seq + all[seq..].iter().position(begins).unwrap();
    world.rewrite("t", |mut entries| {
        entries.truncate(begun + 1);
        entries
    });
    rewind(&world, &target["seq"], &key).refuses(1, "rewind_in_flight");
}

/// What an approver has led a run back from is what they refused, and their word for that is no word for it.
#[test]
fn what_a_run_was_led_back_from_vouches_for_nothing() {
    let (world, key) = waiting();
    let base = world.git(&["rev-parse", "HEAD"]);
    world.git(&["update-ref", "refs/remotes/origin/main", &base]);
    let target = before_the_code(&world);
    rewind(&world, &target["seq"], &key).exits(0);
    let otherwise = AGAIN.replace("\"good\\n\"", "\"good\\nbetter\\n\"");
    world.write("agent/script.toml", &format!("{HONEST}{otherwise}"));
    says(&world, &["run", "t"]).exits(2);
    approve(&world, &key);
    says(&world, &["run", "t"]).exits(0);
    for (text, open) in [("good\nbetter\n", &[][..]), ("good\n", &["code.txt"])] {
        world.git(&["checkout", "--quiet", "-B", "change", &base]);
        world.write("code.txt", text);
        world.commit("a change");
        let said = says(
            &world,
            &["audit", "--covers", "origin/main..HEAD", "--json"],
        )
        .exits(0);
        let facts = said.json();
        let uncovered = facts["covers"]["uncovered"].as_array().unwrap();
        let paths: Vec<&str> = uncovered
            .iter()
            .map(|one| one["path"].as_str().unwrap())
            .collect();
        assert_eq!(paths, open, "{facts:#}");
    }
}

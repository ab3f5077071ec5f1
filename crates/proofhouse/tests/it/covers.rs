//! A change held against the runs that made it, as a build server does it: in a clone that has nothing but
//! what was pushed.

use crate::support::{BIN, CHECK, Said, TASK, World, says};
use std::path::Path;
use std::process::Command;

/// A repository whose run `t` has landed, with everything pushed to a bare one beside it, and a clone.
fn landed() -> (World, World) {
    let world = World::of_ann();
    let remote = world.at("agent/remote.git").display().to_string();
    world.git(&[
        "init",
        "--quiet",
        "--bare",
        "--initial-branch=main",
        &remote,
    ]);
    world.git(&["remote", "add", "origin", &remote]);
    world.git(&["push", "--quiet", "origin", "main"]);
    let told = ["--check", CHECK, "--agent", "scripted:agent/script.toml"];
    says(&world, &[&TASK[..], &told, &["--name", "t"]].concat()).exits(0);
    says(&world, &["run", "t"]).exits(0);
    says(&world, &["land", "t"]).exits(0);
    let clone = World::empty();
    let to = clone.path().to_str().unwrap().to_owned();
    clone.git(&["clone", "--quiet", &remote, &to]);
    clone.git(&["config", "user.name", "Ann"]);
    clone.git(&["config", "user.email", "ann@example.org"]);
    (world, clone)
}

/// Pushes what stands here as a branch, with the records, and brings the clone there.
fn pushed(world: &World, clone: &World, branch: &str) {
    let onto = format!("HEAD:refs/heads/{branch}");
    let refs = "refs/proofhouse/*:refs/proofhouse/*";
    world.git(&["push", "--quiet", "--force", "origin", &onto, refs]);
    clone.git(&["fetch", "--quiet", "origin", &format!("+{refs}")]);
    clone.git(&["fetch", "--quiet", "origin"]);
    clone.git(&[
        "checkout",
        "--quiet",
        "--detach",
        &format!("origin/{branch}"),
    ]);
}

fn covers(clone: &World) -> Said {
    says(clone, &["audit", "--covers", "origin/main..HEAD", "--json"])
}

fn whys(said: &Said) -> Vec<(String, String)> {
    let facts = said.json();
    let open = facts["covers"]["uncovered"].as_array().unwrap().clone();
    let text = |value: &serde_json::Value| value.as_str().unwrap().to_owned();
    let open = open.iter();
    open.map(|one| (text(&one["path"]), text(&one["why"])))
        .collect()
}

#[test]
fn every_changed_file_is_as_a_run_proved_it_or_is_named() {
    let (world, clone) = landed();
    pushed(&world, &clone, "change");
    let said = covers(&clone).exits(0);
    assert_eq!(said.json()["covers"]["covered"][0]["path"], "code.txt");
    assert_eq!(said.json()["covers"]["covered"][0]["run"], "t");
    assert_eq!(whys(&said), []);

    // A squash with another message, and no trailer: the content is what counts.
    world.git(&["commit", "--quiet", "--amend", "-m", "squashed by somebody"]);
    pushed(&world, &clone, "change");
    assert_eq!(whys(&covers(&clone).exits(0)), []);

    // Edited since, and something that nobody ran.
    world.write("code.txt", "good, and more\n");
    world.write("docs/new.md", "words\n");
    world.commit("by hand");
    pushed(&world, &clone, "change");
    let told = whys(&covers(&clone).exits(0));
    assert_eq!(told.len(), 2, "{told:?}");
    assert!(told[0].1.contains("`t` proved another content"), "{told:?}");
    assert_eq!(told[1], ("docs/new.md".into(), "no run has made it".into()));

    // A policy counts where the change is to go; one that comes along with it does not.
    let strict = "require = [\"**\"]\nexcept = [\"docs/**\", \".proofhouse/**\", \".gitignore\"]\n";
    let add_policy = |text: &str| {
        world.write(
            ".gitignore",
            "agent/\n.proofhouse/*\n!.proofhouse/policy.toml\n",
        );
        world.write(".proofhouse/policy.toml", text);
        world.commit("policy")
    };
    let change = world.git(&["rev-parse", "HEAD"]);
    world.git(&["checkout", "--quiet", "-B", "base", "origin/main"]);
    add_policy(strict);
    world.git(&["push", "--quiet", "origin", "HEAD:refs/heads/main"]);
    world.git(&["checkout", "--quiet", "-B", "next", &change]);
    add_policy("");
    pushed(&world, &clone, "change");
    let said = covers(&clone).exits(1);
    let facts = said.json();
    let open = facts["covers"]["uncovered"].as_array().unwrap();
    let must =
        |path: &str| open.iter().find(|one| one["path"] == path).unwrap()["required"].clone();
    assert_eq!(
        (must("code.txt"), must("docs/new.md")),
        (true.into(), false.into())
    );

    // Undone by hand, it holds again.
    world.git(&["checkout", "--quiet", "refs/proofhouse/t", "--", "code.txt"]);
    world.commit("as it was proven");
    pushed(&world, &clone, "change");
    let said = covers(&clone).exits(0);
    assert!(said.out.contains("\"run\": \"t\""), "{}", said.out);

    // Not by evidence that is worth too little.
    world.git(&["checkout", "--quiet", "-B", "base", "origin/main"]);
    add_policy(&format!("{strict}worth = \"observed\"\n"));
    world.git(&["push", "--quiet", "origin", "HEAD:refs/heads/main"]);
    clone.git(&["fetch", "--quiet", "origin"]);
    let told = whys(&covers(&clone).exits(1));
    assert!(
        told.iter()
            .any(|(path, why)| path == "code.txt" && why.contains("observed"))
    );

    // And by no run whose evidence has a finding.
    let journal = world.journal();
    let gates = journal.iter().filter(|one| one["kind"] == "gate_ended.v1");
    let mut results = gates.flat_map(|one| one["body"]["results"].as_array().unwrap());
    let piece = results.find_map(|one| one["evidence"][0]["hash"].as_str());
    let piece = piece.unwrap();
    clone.write(
        &format!(".proofhouse/evidence/{}/{piece}", &piece[..2]),
        "x",
    );
    let told = whys(&covers(&clone).exits(1));
    let says_so = |(_, why): &(String, String)| why.contains("its audit says `evidence_");
    assert!(told.iter().any(says_so), "{told:?}");
    for (span, code) in [("main", "span_invalid"), ("none..HEAD", "span_invalid")] {
        says(&clone, &["audit", "--covers", span]).refuses(1, code);
    }
}

#[test]
fn a_run_vouches_for_what_it_made_of_what_lies_there_and_for_no_more() {
    let (world, clone) = landed();
    let onto_main = || world.git(&["push", "--quiet", "origin", "HEAD:refs/heads/main"]);
    let run = |name: &str, text: &str| {
        let script = crate::support::HONEST.replace("text = \"good\\n\"", text);
        assert_ne!(script, crate::support::HONEST);
        world.write("agent/script.toml", &script);
        let told = ["--check", CHECK, "--agent", "scripted:agent/script.toml"];
        says(&world, &[&TASK[..], &told, &["--name", name]].concat()).exits(0);
        says(&world, &["run", name]).exits(0);
        says(&world, &["land", name]).exits(0);
    };
    onto_main();
    let proven = world.git(&["rev-parse", "HEAD"]);

    // By hand first, and then a run that honestly adds to it.
    world.write("code.txt", "good\nand a back door\n");
    world.commit("by hand");
    run("u", "text = \"good\\nand a back door\\nand more\\n\"");
    pushed(&world, &clone, "change");
    let told = whys(&covers(&clone).exits(0));
    assert_eq!(told.len(), 1, "{told:?}");
    assert!(
        told[0].1.contains("`u` made it of something else"),
        "{told:?}"
    );

    // What lies there, made more of by one run and then another, is theirs together.
    world.git(&["reset", "--quiet", "--hard", &proven]);
    run("v", "text = \"good\\nand more\\n\"");
    run("w", "text = \"good\\nand more\\nand most\\n\"");
    pushed(&world, &clone, "change");
    let said = covers(&clone).exits(0);
    assert_eq!(whys(&said), []);
    assert_eq!(said.json()["covers"]["covered"][0]["run"], "w");

    // Once that is there, an older content that was proven once is not what they made of it.
    onto_main();
    world.git(&["checkout", "--quiet", &proven, "--", "code.txt"]);
    world.commit("put back");
    pushed(&world, &clone, "change");
    let told = whys(&covers(&clone).exits(0));
    assert_eq!(told.len(), 1, "{told:?}");
    // Nor is there anything to see the other way round.
    says(&clone, &["audit", "--covers", "HEAD..origin/main~1"]).refuses(1, "span_invalid");
}

#[test]
fn of_several_runs_that_made_the_same_the_one_is_named_that_landed() {
    let (world, clone) = landed();
    world.git(&["push", "--quiet", "origin", "HEAD:refs/heads/main"]);
    let script = crate::support::HONEST.replace("text = \"good\\n\"", "text = \"good, twice\\n\"");
    world.write("agent/script.toml", &script);
    let told = ["--check", CHECK, "--agent", "scripted:agent/script.toml"];
    // Both from one base, with the same answer; nobody takes the first.
    for name in ["a", "z"] {
        says(&world, &[&TASK[..], &told, &["--name", name]].concat()).exits(0);
        says(&world, &["run", name]).exits(0);
    }
    world.write("other.txt", "meanwhile\n");
    world.commit("meanwhile");
    says(&world, &["land", "z", "--merge"]).exits(0);
    pushed(&world, &clone, "change");
    let said = covers(&clone).exits(0);
    assert_eq!(said.json()["covers"]["covered"][0]["path"], "code.txt");
    assert_eq!(said.json()["covers"]["covered"][0]["run"], "z");
    assert_eq!(whys(&said)[0].0, "other.txt");
}

#[test]
fn a_name_that_is_no_text_is_told_in_letters_that_can_be_read() {
    use std::os::unix::ffi::OsStrExt;
    let (world, clone) = landed();
    for name in [&b"raw-\xff"[..], b"raw-\xfe", b"esc-\x1b[31m"] {
        let path = world.path().join(std::ffi::OsStr::from_bytes(name));
        std::fs::write(path, "by hand\n").unwrap();
    }
    world.commit("by hand");
    pushed(&world, &clone, "change");
    let told = whys(&covers(&clone).exits(0));
    // Three files, each by itself, and none of them is taken for another.
    let raw: Vec<&String> = told.iter().map(|(path, _)| path).collect();
    assert_eq!(raw.len(), 3, "{raw:?}");
    assert!(raw.iter().any(|one| one.contains("raw-%FF")), "{raw:?}");
    let said = says(&clone, &["audit", "--covers", "origin/main..HEAD"]).exits(0);
    assert!(!said.out.contains('\u{1b}'), "{:?}", said.out);
    assert!(said.out.contains("raw-%FE"), "{}", said.out);
}

#[test]
fn a_policy_that_asks_for_a_signature_gets_one() {
    let (world, clone) = landed();
    let policy = "require = [\"code.txt\"]\nsigned = true\n";
    world.git(&["checkout", "--quiet", "-B", "base", "origin/main"]);
    world.write(
        ".gitignore",
        "agent/\n.proofhouse/*\n!.proofhouse/policy.toml\n!.proofhouse/approvers\n",
    );
    world.write(".proofhouse/policy.toml", policy);
    let ann = world.approver("ann").display().to_string();
    world.commit("policy");
    world.git(&["push", "--quiet", "origin", "HEAD:refs/heads/main"]);
    // Nobody signed for `t`, which a journal made up as a whole could say as well.
    world.git(&["checkout", "--quiet", "refs/proofhouse/t", "--", "code.txt"]);
    world.commit("what `t` made");
    pushed(&world, &clone, "change");
    let told = whys(&covers(&clone).exits(1));
    assert!(told[0].1.contains("nobody signed a decision"), "{told:?}");

    world.git(&["reset", "--quiet", "--hard", "origin/main"]);
    let told = ["--check", CHECK, "--agent", "scripted:agent/script.toml"];
    let more = ["--name", "u", "--autonomy", "conservative"];
    says(&world, &[&TASK[..], &told, &more].concat()).exits(0);
    says(&world, &["run", "u"]).exits(2);
    // What is edited while somebody reads is no part of what they approve.
    let judged = world.git(&["show", "refs/proofhouse/u:code.txt"]);
    world.write(
        ".proofhouse/worktrees/u/code.txt",
        "good, and nobody has seen this\n",
    );
    let because = ["--because", "I looked at it", "--sign", &ann];
    says(
        &world,
        &[&["decide", "u", "approve"], &because[..]].concat(),
    )
    .exits(0);
    says(&world, &["run", "u"]).exits(0);
    assert_eq!(world.git(&["show", "refs/proofhouse/u:code.txt"]), judged);
    says(&world, &["land", "u"]).exits(0);
    pushed(&world, &clone, "change");
    let said = covers(&clone);
    assert_eq!(
        said.json()["covers"]["covered"][0]["run"],
        "u",
        "{}",
        said.out
    );
}

#[test]
fn a_workflow_that_judges_nothing_vouches_for_nothing_and_is_told() {
    let (world, clone) = landed();
    world.git(&["push", "--quiet", "origin", "HEAD:refs/heads/main"]);
    let own = |path: &str, text: &str| {
        world.write(&format!(".proofhouse/workflows/phase/{path}"), text);
    };
    own("workflow.toml", TRUSTING);
    own("b.md", "Do it.\n");
    own("task/STATE.md", "Phase: write\nResult: \n");
    let script = "[[attempt]]\nstate = \"write\"\nsteps = [{ write = \"repo/code.txt\", text = \"good, twice\\n\" }, { set = \"Result\", to = \"it is good\" }]\nresult = { summary = \"done\", next = \"done\" }\n";
    world.write("agent/script.toml", script);
    let told = ["--check", CHECK, "--agent", "scripted:agent/script.toml"];
    let new = [&["new", "phase"], &told[..], &["--name", "u"]].concat();
    let new = says(&world, &new).exits(0);
    let loud = "not the workflow that comes with proofhouse";
    assert!(
        format!("{}{}", new.out, new.err).contains(loud),
        "{}",
        new.out
    );
    says(&world, &["run", "u"]).exits(0);
    says(&world, &["land", "u"]).exits(0);
    let audit = says(&world, &["audit", "u"]).out;
    assert!(audit.contains("own_workflow"), "{audit}");
    pushed(&world, &clone, "change");
    let told = whys(&covers(&clone));
    assert!(
        told.iter()
            .any(|(path, why)| path == "code.txt" && why.contains("nothing that was run shows it")),
        "{told:?}"
    );
}

/// A workflow under the name of a built-in one that believes whatever it is told.
const TRUSTING: &str = r#"
name = "phase"
about = "Believes everything."
initial = "write"
checkpoint = "passed_gates"

[role.writer]
can = ["read", "search", "execute", "edit"]
about = "Writes."

[state.write]
kind = "work"
role = "writer"
brief = "b.md"
passes = 3
wall = "20m"
gate = [{ check = "fields", required = ["Result"] }]

[state.done]
kind = "end"
about = "Somebody said so."

[[transition]]
action = "written"
from = "write"
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
name = "Result"
about = "What came of it."
written_in = ["write"]
"#;

/// What the steps of a job run, in order: the blocks behind `|`.
fn steps(job: &str) -> Vec<String> {
    let mut steps: Vec<(usize, String)> = Vec::new();
    let mut open = false;
    for line in job.lines() {
        let depth = line.len() - line.trim_start().len();
        if line.trim_end().ends_with(": |") || line.trim() == "- |" {
            steps.push((depth, String::new()));
            open = true;
        } else if let Some((begun, step)) = steps.last_mut().filter(|_| open) {
            open = depth > *begun;
            if open {
                step.push_str(line.trim_start());
                step.push('\n');
            }
        }
    }
    steps.into_iter().map(|(_, step)| step).collect()
}

/// Runs a job's steps in a clone, as a build server would; the exit code of the first that fails, and what
/// all of them said.
fn played(clone: &World, job: &str, env: &[(&str, &str)]) -> (i32, String) {
    let path = std::env::var("PATH").unwrap();
    let folder = Path::new(BIN).parent().unwrap().display();
    let mut said = String::new();
    let steps = steps(job);
    assert!(steps.len() >= 3, "{steps:?}");
    for step in steps {
        let output = Command::new("sh")
            .args(["-e", "-c", &step])
            .current_dir(clone.path())
            .env("PATH", format!("{folder}:{path}"))
            .envs(env.iter().copied())
            .output()
            .unwrap();
        said.push_str(&String::from_utf8_lossy(&output.stdout));
        said.push_str(&String::from_utf8_lossy(&output.stderr));
        if !output.status.success() {
            return (output.status.code().unwrap(), said);
        }
    }
    (0, said)
}

#[test]
fn the_jobs_that_are_written_run_in_a_clean_clone() {
    let (world, clone) = landed();
    says(&world, &["ci", "init", "--for", "github"]).exits(0);
    says(&world, &["ci", "init", "--for", "github"]).refuses(1, "ci_exists");
    says(&world, &["ci", "init", "--for", "gitlab"]).exits(0);
    let github = world.read(".github/workflows/proofhouse.yml");
    let gitlab = world.read(".gitlab/proofhouse.yml");
    let printed = says(&world, &["ci", "init", "--for", "gitlab", "--dry-run"]).exits(0);
    assert_eq!(printed.out.trim(), gitlab.trim());
    world.git(&["push", "--quiet", "origin", "HEAD:refs/heads/change"]);
    world.git(&[
        "push",
        "--quiet",
        "origin",
        "refs/proofhouse/*:refs/proofhouse/*",
    ]);
    clone.git(&["fetch", "--quiet", "origin"]);
    clone.git(&["checkout", "--quiet", "--detach", "origin/change"]);
    let head = clone.git(&["rev-parse", "HEAD"]);
    let summary = clone.at(".git/summary.md").display().to_string();
    let as_github = [
        ("BASE", "main"),
        ("HEAD", head.as_str()),
        ("GITHUB_STEP_SUMMARY", summary.as_str()),
    ];
    let as_gitlab = [
        ("CI_MERGE_REQUEST_TARGET_BRANCH_NAME", "main"),
        ("CI_COMMIT_SHA", head.as_str()),
    ];
    let (code, said) = played(&clone, &github, &as_github);
    assert_eq!(code, 0, "{said}");
    let told = std::fs::read_to_string(&summary).unwrap();
    assert!(told.contains("| t | clean |"), "{told}");
    assert!(told.contains("1 of 1 changed files are proven"), "{told}");
    let (code, said) = played(&clone, &gitlab, &as_gitlab);
    assert_eq!(code, 0, "{said}");
    let report = clone.read("proofhouse.xml");
    assert!(report.contains("<testsuite name=\"t\""), "{report}");
    assert!(
        report.contains("classname=\"covers\" name=\"code.txt\""),
        "{report}"
    );
    let sarif: serde_json::Value = serde_json::from_str(&clone.read("proofhouse.sarif")).unwrap();
    assert_eq!(sarif["runs"][0]["results"], serde_json::json!([]));

    // A journal that was rewritten fails both, with its line.
    let journal = clone.read(".proofhouse/journal/t.jsonl");
    let broken = journal.replacen("be good", "be bold", 1);
    assert_ne!(broken, journal);
    clone.write(".proofhouse/journal/t.jsonl", &broken);
    let (code, said) = played(&clone, &github, &as_github);
    assert_eq!(code, 1, "{said}");
    let line = said.lines().find(|line| line.starts_with("::error "));
    assert!(
        line.unwrap()
            .contains("file=.proofhouse/journal/t.jsonl,line=")
    );
    let (code, said) = played(&clone, &gitlab, &as_gitlab);
    assert_eq!(code, 1, "{said}");
    assert!(clone.read("proofhouse.xml").contains("<failure message="));
}

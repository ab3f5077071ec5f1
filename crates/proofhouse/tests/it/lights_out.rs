//! The `lights-out` workflow through the real binary: a greeter from one sentence to its delivery,
//! with agents that fail, cheat, vanish and are asked for more. The agents are data: happy.toml does
//! everything right, and a test lays blocks of other files over it.

mod acting;
mod cheats;
pub(crate) mod documents;
mod drops;
mod gates;
mod lands;
mod objections;
mod outer;
mod pace;
mod put_back;
mod slices;
mod waived;

use crate::support::{Said, World};
use std::path::PathBuf;

const HAPPY: &str = include_str!("../data/lights-out/happy.toml");
const FAULTS: &str = include_str!("../data/lights-out/faults.toml");
const BLOCK: &str = "#: ";

/// An agent that does all as it should, but for these.
fn happy_but(changes: &[(&str, &str)]) -> String {
    let mut script = HAPPY.to_owned();
    for (find, replace) in changes {
        assert!(script.contains(find), "{find}");
        script = script.replacen(find, replace, 1);
    }
    script
}

/// A product in the making, and a person who can decide about it.
struct Product {
    world: World,
    key: PathBuf,
}

/// The block of this name.
fn block(file: &str, name: &str) -> String {
    let mut blocks = file.split(BLOCK).skip(1);
    let found = blocks.find_map(|block| block.strip_prefix(&format!("{name}\n")));
    found
        .unwrap_or_else(|| panic!("no block `{name}`"))
        .to_owned()
}

/// The fault of this name, for these attempts only; `NTH` in it is the attempt's number.
fn fault(name: &str, attempts: &[u32]) -> String {
    nth(&block(FAULTS, name), attempts)
}

fn nth(block: &str, attempts: &[u32]) -> String {
    let only = |n: &u32| {
        block
            .replacen("[[attempt]]\n", &format!("[[attempt]]\nattempt = {n}\n"), 1)
            .replace("NTH", &n.to_string())
    };
    attempts.iter().map(only).collect()
}

/// The arguments that begin the run; `--idle` asks for nothing yet.
fn begins<'a>(more: &[&'a str]) -> Vec<&'a str> {
    let mut args = vec!["new", "lights-out"];
    if !more.contains(&"--idle") {
        args.push("build me a greeter");
    }
    args.extend(["--name", "t", "--agent", "scripted:agent/script.toml"]);
    args.extend(more.iter().filter(|arg| **arg != "--idle"));
    args
}

impl Product {
    /// `build me a greeter`, by an agent that does these things instead of the right ones.
    #[track_caller]
    fn begun(instead: &str, more: &[&str]) -> Self {
        let product = Self::laid(instead);
        product.world.run(&begins(more)).exits(0);
        product
    }

    /// The repository, and no run yet.
    fn laid(instead: &str) -> Self {
        let world = World::new();
        world.write("preferences.md", "# Preferences\n\nStack: Rust\n");
        world.write(".gitignore", "agent/\n/target\n");
        let key = world.approver("ann");
        let product = Self { world, key };
        product.agent(instead);
        product
    }

    /// It is deployed to a branch of another repository, where something is already that can be gone back to.
    fn shipped_to_a_branch(more: &str) -> Self {
        let product = Self::begun("", &[]);
        let world = &product.world;
        world.git(&["init", "-q", "--bare", "agent/live.git"]);
        world.git(&["push", "-q", "agent/live.git", "HEAD:refs/heads/live"]);
        let deploy = "[deploy]\ngit = \"agent/live.git live\"\nrollback = \"try\"\n";
        world.write(".proofhouse/config.toml", &format!("{deploy}{more}"));
        product
    }

    /// From now on the agent does these things instead.
    fn agent(&self, instead: &str) {
        let script = format!("{instead}\n{HAPPY}");
        self.world.write("agent/script.toml", &script);
    }

    #[track_caller]
    fn runs(&self, exit: i32) -> Said {
        self.world.run(&["run", "t"]).exits(exit)
    }

    #[track_caller]
    fn decides(&self, option: &str) -> Said {
        self.world.decide(&self.key, option).exits(0)
    }

    #[track_caller]
    fn decides_because(&self, option: &str, because: &str) -> Said {
        let key = self.key.to_str().unwrap();
        let args = ["decide", "t", option, "--because", because, "--sign", key];
        self.world.run(&args).exits(0)
    }

    #[track_caller]
    fn is_in(&self, state: &str) {
        let status = self.world.status();
        assert_eq!(status["state"], state, "{status:#}");
    }

    /// The actions so far, without those before the first phase.
    fn actions(&self) -> Vec<String> {
        let journal = self.world.journal();
        let moves = journal
            .iter()
            .filter(|record| record["kind"] == "moved.v1")
            .map(|record| record["body"]["action"].as_str().unwrap().to_owned());
        let early = [
            "CommitToBuild",
            "CloneRepo",
            "OpenInEditor",
            "ConfigurePreferences",
            "RequestBuild",
        ];
        moves
            .filter(|action| !early.contains(&action.as_str()))
            .collect()
    }

    /// Reasons of the checks that did not pass in the last gate of this state.
    fn wrong(&self, state: &str) -> String {
        let journal = self.world.journal();
        let began = |effect: &serde_json::Value| {
            let of = |record: &&serde_json::Value| {
                record["kind"] == "effect_began.v1" && record["body"]["effect"] == *effect
            };
            journal
                .iter()
                .find(of)
                .map(|record| &record["body"]["state"])
        };
        let gate = journal.iter().rev().find(|record| {
            record["kind"] == "gate_ended.v1"
                && began(&record["body"]["effect"]).is_some_and(|found| found == state)
        });
        let results =
            gate.unwrap_or_else(|| panic!("no gate of {state}"))["body"]["results"].clone();
        let results = results.as_array().unwrap().clone();
        results
            .iter()
            .filter(|result| result["verdict"] != "pass")
            .map(|result| {
                let text = |key: &str| result[key].as_str().unwrap_or_default().to_owned();
                format!("{}: {}\n", text("check"), text("reason"))
            })
            .collect()
    }

    /// The latest brief of this state.
    fn brief(&self, state: &str) -> String {
        let folder = self.world.at("scaffolding/artifacts/evidence");
        let names = std::fs::read_dir(&folder).unwrap().flatten();
        let mut briefs: Vec<(String, PathBuf)> = names
            .map(|entry| (entry.file_name().into_string().unwrap(), entry.path()))
            .filter(|(name, _)| name.ends_with(&format!("-{state}-brief.txt")))
            .map(|(name, path)| (name.split_once('-').unwrap().1.to_owned(), path))
            .collect();
        briefs.sort();
        let (_, path) = briefs
            .pop()
            .unwrap_or_else(|| panic!("no brief of {state}"));
        std::fs::read_to_string(path).unwrap()
    }
}

/// The tree of the branch that the product is deployed to.
fn live(world: &World) -> String {
    let live = world.at("agent/live.git");
    let live = format!("--git-dir={}", live.display());
    world.git(&[&live, "ls-tree", "-r", "--name-only", "live"])
}

/// Where the scope names no target, nobody writes down how nothing is taken back or looked at; where it names
/// one, all of it is asked for.
#[test]
fn what_is_shipped_nowhere_needs_no_way_back_and_no_health_check() {
    let nowhere = happy_but(&[
        (
            "## Deployment Config\nLocal; nothing to configure.\n## Rollback\n`git revert HEAD`\n",
            "",
        ),
        (
            "## Deployed\\nLocally.\\n## Health\\nSee health.json.\\n",
            "",
        ),
        (
            "    { write = \"task/health.json\", text = \"[{\\\"id\\\": \\\"H-1\\\", \\\"command\\\": \\\"cargo run --quiet --offline -- Bob\\\", \\\"expect\\\": \\\"hello Bob\\\"}]\" },\n",
            "",
        ),
    ]);
    let product = Product::begun("", &[]);
    product.world.write("agent/script.toml", &nowhere);
    product.runs(0);
    product.is_in("PipelineComplete");
    product.world.run(&["audit", "--ci"]).exits(0);
}

/// What is shipped somewhere is, and not by words that are there without the product.
#[test]
fn a_health_check_that_is_healthy_whatever_is_deployed_is_none() {
    let product = Product::shipped_to_a_branch("");
    let world = &product.world;
    let vacuous = happy_but(&[
        ("None; it runs locally.", "The branch `live`."),
        (
            r#"\"cargo run --quiet --offline -- Bob\", \"expect\": \"hello Bob\""#,
            r#"\"expr healthy : healthy\", \"expect\": \"7\""#,
        ),
    ]);
    world.write("agent/script.toml", &vacuous);
    product.runs(2);
    product.is_in("BlockedOnGate");
    let told = world.read(".proofhouse/journal/t.jsonl");
    let why = "`7` is seen as well where nothing of the product is";
    assert!(told.contains(why), "{}", world.status());
}

/// What nobody but the line that ships may see.
const CREDENTIAL: &str = "shipper-7f3a9c41";

#[test]
fn a_sentence_becomes_a_delivered_product() {
    let product = Product::shipped_to_a_branch("credentials = [\"GIT_COMMITTER_NAME\"]\n");
    let world = &product.world;
    // It keeps something, declares a load, and is given a credential that only what ships may see.
    let target = happy_but(&[
        (
            "None; it runs locally.\n## Data Model\nStateless: it keeps nothing.",
            "The branch `live`.\n## Data Model\nStateful: the last greeting, in last.txt.",
        ),
        (
            "in under 2000 ms.\n",
            "in under 2000 ms. Load: 3 greetings at once\n",
        ),
        (
            "    { write = \"task/verification.md\"",
            "    { write = \"task/load.json\", text = '[{\"id\": \"AC-2\", \"command\": \"n=$(for one in a b c; do cargo run --quiet --offline -- $one & done | grep -c hello); echo $n greetings\", \"expect\": \"3 greetings\"}]' },\n    { write = \"task/verification.md\"",
        ),
        (
            "    { write = \"task/health.json\"",
            "    { write = \"task/persistence.json\", text = '[{\"id\": \"P-1\", \"write\": \"cargo run --quiet --offline -- Ada > last.txt\", \"store\": \"last.txt\", \"command\": \"cat last.txt\", \"expect\": \"hello Ada\"}]' },\n    { run = 'test -z \"$GIT_COMMITTER_NAME\"', must = true },\n    { write = \"task/health.json\"",
        ),
        (
            "\"cargo run --quiet --offline -- Bob\\\"",
            "\"test -z $GIT_COMMITTER_NAME && cargo run --quiet --offline -- Bob\\\"",
        ),
    ]);
    world.write("agent/script.toml", &target);
    let state = product.world.read("scaffolding/STATE.md");
    assert!(state.contains("Phase: Expanding"), "{state}");
    product
        .world
        .run(&["run", "t"])
        .refuses(3, "no_credentials");
    let run = || {
        let mut run = product.world.command(&["run", "t"]);
        let run = run.env("GIT_COMMITTER_NAME", CREDENTIAL);
        Said::from(run.output().unwrap()).exits(0)
    };
    let said = run();
    assert!(said.out.contains("done"), "{}", said.out);
    let status = product.world.run(&["status", "t"]).exits(0).out;
    assert!(
        status.contains("proofhouse decide t StartIteration"),
        "{status}"
    );
    let straight = [
        "PassExpandGate",
        "AutoContinueToDesign",
        "PassDesignGate",
        "AutoContinueToAnalyze",
        "PassAnalyzeGate",
        "AutoContinueToBuild",
        "PassBuildGate",
        "AutoContinueToReview",
        "PassReviewGate",
        "AutoContinueToReconcile",
        "ReconcileClean",
        "PassVerifyGate",
        "AutoContinueToDeploy",
        "PassDeployGate",
    ];
    assert_eq!(product.actions(), straight);
    let world = &product.world;
    let state = world.read("scaffolding/STATE.md");
    assert!(state.contains("Phase: PipelineComplete"), "{state}");
    assert!(state.contains("Deploy gate: pass"), "{state}");
    let log = world.read("scaffolding/log.md");
    for action in straight {
        assert!(log.contains(action), "no {action} in\n{log}");
    }
    let live_git = format!("--git-dir={}", world.at("agent/live.git").display());
    let who = world.git(&[&live_git, "log", "-1", "--format=%cn", "live"]);
    assert_eq!(who.trim(), CREDENTIAL);
    let kept = world.judged("t");
    for shown in [
        "`3 greetings` is seen",
        "`hello Ada` is seen",
        "taken back and shipped again",
    ] {
        assert!(kept.contains(shown), "no {shown} in {kept}");
    }
    let shipped = live(world);
    assert!(!shipped.contains("scaffolding"), "{shipped}");
    for file in ["src/lib.rs", "README.md", "DELIVERY.md"] {
        assert!(
            shipped.lines().any(|line| line == file),
            "no {file} in\n{shipped}"
        );
    }
    for file in ["README.md", "DELIVERY.md", "scaffolding/readiness.md"] {
        assert!(world.at(file).is_file(), "{file}");
    }
    let commits = world.git(&["log", "--format=%s", "refs/proofhouse/t"]);
    assert_eq!(commits.matches("passed its gate").count(), 8, "{commits}");
    // A conventional commit says of what kind it is before its colon, in one word.
    let ours = world.git(&["log", "--format=%s", "main..refs/proofhouse/t"]);
    for subject in ours.lines() {
        let kind = subject.split_once(": ").map_or("", |(kind, _)| kind);
        assert!(!kind.is_empty() && !kind.contains(' '), "{subject}");
    }
    world.run(&["audit"]).exits(0);
    // It rests: nothing is done twice.
    let before = world.journal().len();
    run();
    assert_eq!(world.journal().len(), before);
    let mut grep = std::process::Command::new("grep");
    let found = grep.args(["-rl", CREDENTIAL]).arg(world.at(".proofhouse"));
    let found = Said::from(found.output().unwrap());
    assert_eq!((found.code, found.out.as_str()), (1, ""), "it is kept");
}

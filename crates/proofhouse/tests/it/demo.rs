//! The demo by the real binary: every moment that it promises is looked for in the journal and in
//! the state store, not in what it prints.

use crate::support::{Said, World, plainly};
use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

const FIRST: &str = "T-read-lines-line-001";
const LINE: &str = "T-read-lines-line-003";
const MONEY: &str = "T-report-totals-summary-001";
const VOUCHER: &str = "T-report-totals-summary-003";
const SUMMARY: &str = "T-report-totals-summary-004";

struct Demo {
    world: World,
    dir: PathBuf,
}

impl Demo {
    fn new() -> Self {
        let world = World::new();
        let dir = world.at("shown");
        Self { world, dir }
    }

    fn args<'a>(&'a self, more: &[&'a str]) -> Vec<&'a str> {
        let mut args = vec!["demo", "--dir", self.dir.to_str().unwrap()];
        args.extend(more);
        args
    }

    /// A command in the sample repository.
    fn there(&self, args: &[&str]) -> Said {
        let mut all = vec!["--repo", self.dir.to_str().unwrap()];
        all.extend(args);
        self.world.run(&all)
    }

    fn git(&self, args: &[&str]) -> String {
        let output = Command::new("git")
            .args(args)
            .current_dir(&self.dir)
            .output();
        String::from_utf8(output.unwrap().stdout).unwrap()
    }

    fn read(&self, path: &str) -> String {
        std::fs::read_to_string(self.dir.join(path)).unwrap()
    }

    fn of_module(&self, module: &str, file: &str) -> String {
        self.read(&format!(".proofhouse/state_store/modules/{module}/{file}"))
    }

    fn records(&self) -> Vec<Value> {
        let text = self.read(".proofhouse/journal/receipts.jsonl");
        let lines = text.lines().map(|line| serde_json::from_str(line).unwrap());
        lines.collect()
    }

    /// The facts of a name, in order.
    fn facts(&self, name: &str) -> Vec<Value> {
        let all = self.records().into_iter().map(|one| one["body"].clone());
        let all = all.filter(|body| body["name"] == name);
        all.map(|body| body["body"].clone()).collect()
    }

    /// What was said in a task's debates, in order.
    fn said(&self, task: &str) -> Vec<Value> {
        let steps = self.facts("engineering_stepped.v1").into_iter();
        let steps = steps.filter(|one| one["task"] == task);
        let moves = steps.map(|one| one["step"]["debated"][1]["said"].clone());
        moves.filter(|said| !said.is_null()).collect()
    }

    fn status(&self) -> Value {
        let said = self.there(&["factory", "status", "receipts", "--json"]);
        said.exits(0).json()
    }
}

fn has(all: &[Value], pointer: &str, value: &str) -> bool {
    all.iter()
        .any(|one| one.pointer(pointer) == Some(&json!(value)))
}

#[test]
fn the_demo_runs_the_factory_and_the_journal_holds_every_moment() {
    let demo = Demo::new();
    let told = plainly(&demo.world, &demo.args(&["--json"]));
    let told = told.exits(0).json();

    // A draft that is not complete, a complete one, and the person's word about its very bytes.
    let drafts = demo.facts("product_stepped.v1");
    let refused = &drafts[1]["step"]["refused"]["deficiencies"][0];
    assert!(refused.as_str().unwrap().contains("TSK-050"), "{refused}");
    let shown = &drafts[3]["step"]["shown"]["spec"]["hash"];
    assert_eq!(demo.facts("spec_approved.v1")[0]["spec"], *shown);

    // Two pillars, and tasks that depend on each other.
    let declared = demo.facts("tasks_declared.v1");
    let tasks = declared[0]["tasks"].as_array().unwrap();
    assert!(tasks.len() >= 6);
    assert!(tasks.iter().any(|task| task["pillar"] == "Read"));
    assert!(tasks.iter().any(|task| task["pillar"] == "Report"));
    let bound = tasks
        .iter()
        .filter(|task| task["depends_on"][0].is_string());
    assert!(bound.count() >= 4);

    // A challenge that fails, and the revision that passes.
    let said = demo.said(FIRST);
    let tried = |at: usize| said[at]["tried"]["found"] == json!([]);
    assert!(tried(1) && tried(4), "{said:?}");
    assert_eq!(said[2]["challenged"]["verdict"], "FAIL");
    assert_eq!(said[3], "proposed");
    assert_eq!(said[5]["challenged"]["verdict"], "PASS");
    let code = demo.of_module("MM-amount/1.0.0", "implementation/lib.rs");
    assert!(!code.contains("f64"), "the refuted code was shipped");

    // An amendment, and the ship that looked for it.
    let said = demo.said("T-read-lines-line-002");
    assert!(has(&said, "/ruled/decision", "APPROVE_WITH_AMENDMENTS"));
    assert!(has(&said, "/passed", "amendments"));
    let log: Value =
        serde_json::from_str(&demo.of_module("MM-quantity/1.0.0", "tests/execution_log.json"))
            .unwrap();
    let passed = log["tests"].as_array().unwrap().iter();
    assert!(passed.clone().any(|test| {
        test["name"]
            .as_str()
            .unwrap()
            .ends_with("happy_path__largest")
            && test["result"] == "PASS"
    }));

    // The cheat: red tests, which nobody debates, then a test that says nothing; neither ships.
    let said = demo.said(MONEY);
    let red = said[1]["tried"]["found"][0]["evidence"].as_str().unwrap();
    assert!(red.contains("1 failed"), "{red}");
    let broke: Vec<&Value> = said
        .iter()
        .map(|one| &one["broke"])
        .filter(|one| !one.is_null())
        .collect();
    assert_eq!(broke.len(), 1, "{said:?}");
    let cheat = broke[0][1][0]["evidence"].as_str().unwrap();
    assert_eq!(broke[0][0], "stubs");
    assert!(
        cheat.contains("prove nothing") && cheat.contains("output__text__1"),
        "{cheat}"
    );
    assert!(has(&said, "/passed", "record"));
    let tests = demo.of_module("MM-money/1.0.0", "tests/money.rs");
    assert!(tests.contains("Ok(\"1.05\".to_owned())"), "{tests}");

    // The exception: approved, debated, shipped with code, superseding.
    let halted = demo.facts("task_halted.v1");
    assert!(has(&halted, "/code", "interface_change_exception"));
    let ruled = demo.facts("exception_decided.v1");
    assert_eq!(ruled[0]["decision"]["ruling"], "APPROVE_CHANGE");
    assert_eq!(ruled[0]["candidate"]["version"], "1.1.0");
    let changed = demo.facts("change_stepped.v1");
    let said: Vec<Value> = changed
        .iter()
        .map(|one| one["step"]["debated"]["said"].clone())
        .collect();
    for (pointer, value) in [
        ("/challenged/verdict", "PASS"),
        ("/ruled/decision", "APPROVE"),
        ("/passed", "surface"),
        ("/passed", "tests"),
        ("/passed", "stubs"),
    ] {
        assert!(has(&said, pointer, value), "{pointer}: {said:?}");
    }
    assert!(changed.last().unwrap()["step"]["resolved"].is_object());
    let contract: Value =
        serde_json::from_str(&demo.of_module("MM-amount/1.1.0", "contract.json")).unwrap();
    assert_eq!(contract["error_surfaces"][1]["name"], "Negative");
    demo.of_module("MM-amount/1.1.0", "ship.json");
    let old = demo
        .there(&["index", "show", "MM-amount@1.0.0", "--json"])
        .exits(0)
        .json();
    assert_eq!(old["entry"]["status"], "SUPERSEDED");
    assert_eq!(old["entry"]["superseded_by"], "MM-amount@1.1.0");
    let item: Value =
        serde_json::from_str(&demo.of_module("MM-item/1.0.0", "contract.json")).unwrap();
    assert_eq!(item["dependencies"][0]["ref"], "MM-amount@1.1.0");

    // The reuse: a task that is done by a module of another, and not a word of debate.
    let steps = demo.facts("engineering_stepped.v1");
    let reused: Vec<&Value> = steps
        .iter()
        .filter(|one| one["step"]["reused"].is_array())
        .collect();
    assert_eq!(reused.len(), 1);
    assert_eq!(reused[0]["task"], VOUCHER);
    assert_eq!(reused[0]["step"]["reused"][1], "MM-amount@1.1.0");
    assert!(demo.said(VOUCHER).is_empty());

    // The halt, and the person's signed word.
    let rejected = halted.iter().find(|one| one["task"] == SUMMARY).unwrap();
    assert_eq!(rejected["code"], "debate_rejected");
    let resolved = demo.facts("task_resolved.v1");
    assert_eq!(resolved[0]["task"], SUMMARY);
    assert_eq!(resolved[0]["resolution"]["action"], "AMEND_SPEC");
    let records = demo.records();
    let decided: Vec<&Value> = records
        .iter()
        .filter(|one| one["kind"] == "decided.v1")
        .map(|one| &one["body"])
        .collect();
    assert_eq!(decided.len(), 3);
    for decision in decided {
        assert_eq!(decision["who"], "scripted-human@demo.invalid");
        let channel = decision["channel"].as_str().unwrap();
        assert!(channel.starts_with("ssh-signature SHA256:"), "{channel}");
        assert!(decision["signature"].is_string());
    }

    // The release.
    let status = demo.status();
    let released = &status["releases"][0];
    assert_eq!(released["overall_result"], "PASS", "{released}");
    let gates = released["integration_gates"].as_object().unwrap();
    assert_eq!(gates.len(), 4);
    assert!(gates.values().all(|gate| gate == "PASS"));
    assert_eq!(released["modules"].as_array().unwrap().len(), 6);
    let file = format!(
        ".proofhouse/state_store/releases/{}.json",
        released["release_id"].as_str().unwrap()
    );
    let manifest: Value = serde_json::from_str(&demo.read(&file)).unwrap();
    assert_eq!(manifest["overall_result"], "PASS");
    let tasks = status["state_machine"]["tasks"].as_object().unwrap();
    assert!(tasks.values().all(|task| task["status"] == "SHIPPED"));

    // The product: what was tried is on a branch and is what is exported, and cargo alone runs it.
    let product = &released["product"];
    assert_eq!(product["result"], "PASS", "{product}");
    let what = product["what"].as_str().unwrap();
    assert!(
        what.contains("2 of 2 cases hold; run it with `cargo run`"),
        "{what}"
    );
    let out = demo.world.at("exported");
    let exported = demo.there(&["factory", "export", out.to_str().unwrap()]);
    exported.exits(0);
    let branch = ["ls-tree", "-r", "--name-only", "proofhouse/receipts"];
    let on_branch = demo.git(&branch);
    let names: Vec<&str> = on_branch.lines().collect();
    for path in [
        "SPEC.md",
        "receipt/Cargo.toml",
        "receipt/README.md",
        "receipt/modules/mm-total/tests/total.rs",
    ] {
        assert!(names.contains(&path), "{on_branch}");
    }
    let readme = std::fs::read_to_string(out.join("README.md")).unwrap();
    assert!(readme.contains("2 items, 6.10 in total"), "{readme}");
    assert_eq!(
        demo.git(&["show", "proofhouse/receipts:receipt/README.md"]),
        readme
    );
    let mut run = Command::new("cargo");
    run.args(["run", "--quiet", "--offline"]).current_dir(&out);
    let mut run = run
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    run.stdin
        .take()
        .unwrap()
        .write_all(b"tea 2 x 1.05\n")
        .unwrap();
    let printed = run.wait_with_output().unwrap().stdout;
    assert_eq!(String::from_utf8_lossy(&printed), "1 item, 2.10 in total\n");
    let again = demo.there(&["factory", "export", out.to_str().unwrap()]);
    assert!(again.exits(1).err.contains("folder_not_empty"));

    // What it told is what the journal holds, and the page has it too.
    let moments = told["moments"].as_array().unwrap();
    for moment in [
        "draft_refused",
        "spec_approved",
        "challenge_failed",
        "amendment",
        "ship_refused",
        "exception_raised",
        "superseded",
        "reused",
        "halted",
        "resolved",
        "released",
    ] {
        assert!(has(moments, "/moment", moment), "no {moment}: {moments:?}");
    }
    assert_eq!(told["releases"], status["releases"]);
    let page = std::fs::read_to_string(told["page"].as_str().unwrap()).unwrap();
    for text in [
        "<h1>Released</h1>",
        "replies in this project were scripted",
        "a key that nobody stands behind",
        "28 cents",
        "REFUSED",
        "scripted-human@demo.invalid",
        "MM-amount@1.1.0",
    ] {
        assert!(page.contains(text), "no `{text}` on the page");
    }
    assert!(!page.contains("<script") && !page.contains("://"));

    demo.there(&["audit"]).exits(0);
    // A commit that says it is the release, and holds something else.
    let tip = demo.git(&["rev-parse", "proofhouse/receipts"]);
    let said = demo.git(&["log", "-1", "--format=%B", "proofhouse/receipts"]);
    let tree = "proofhouse/receipts~1^{tree}";
    let who = ["-c", "user.name=x", "-c", "user.email=x@example.org"];
    let made = [&who[..], &["commit-tree", tree, "-m", &said]].concat();
    let forged = demo.git(&made);
    demo.git(&[
        "update-ref",
        "refs/heads/proofhouse/receipts",
        forged.trim(),
    ]);
    let audited = demo.there(&["audit", "--json"]).exits(1);
    assert!(audited.out.contains("release_differs"), "{}", audited.out);
    demo.git(&["update-ref", "refs/heads/proofhouse/receipts", tip.trim()]);
    demo.there(&["audit"]).exits(0);
    let history = demo.there(&["log", "receipts"]).exits(0);
    assert!(history.out.contains("MM-amount"), "{}", history.out);
    let found = demo
        .there(&["index", "search", "read an amount of money", "--json"])
        .exits(0);
    assert!(found.out.contains("MM-amount@1.1.0") || found.out.contains("MM-amount"));
    demo.world
        .run(&demo.args(&[]))
        .refuses(1, "folder_not_empty");
}

/// Runs the demo and kills it when a line has this text in it.
fn killed_at(demo: &Demo, text: &str) -> String {
    let mut child = demo
        .world
        .command(&demo.args(&[]))
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let mut seen = String::new();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    for line in lines.by_ref().map_while(Result::ok) {
        seen.push_str(&line);
        seen.push('\n');
        if line.contains(text) {
            break;
        }
    }
    child.kill().unwrap();
    lines.for_each(drop);
    child.wait().unwrap();
    seen
}

fn key_is_private(path: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt;
    std::fs::metadata(path).unwrap().permissions().mode() & 0o077 == 0
}

#[test]
fn a_killed_demo_goes_on_with_factory_run_and_a_persons_answer() {
    let demo = Demo::new();
    let seen = killed_at(&demo, "[4/7]");
    for text in [
        "replies of the model and of the human are scripted",
        "REFUSED: ",
        "APPROVE by scripted-human@demo.invalid (ssh-signature)",
        "[1/7] Read an amount",
        "FAIL: by the claim",
        ">> the Challenger never sees code",
        "APPROVE_WITH_AMENDMENTS",
        "APPROVE_CHANGE by scripted-human@demo.invalid (ssh-signature)",
        "MM-amount@1.1.0 is sealed",
    ] {
        assert!(seen.contains(text), "no `{text}` in\n{seen}");
    }
    assert!(!seen.contains('\u{1b}'), "colours are for terminals");
    // What the README shows of the part that was seen is what was said.
    let readme = concat!(env!("CARGO_MANIFEST_DIR"), "/../../README.md");
    let readme = std::fs::read_to_string(readme).unwrap();
    let shown = readme.split("```text\n").nth(1).unwrap();
    let shown = shown.split("[4/7]").next().unwrap().lines();
    let words = |line: &str| {
        line.split_whitespace()
            .skip(1)
            .collect::<Vec<_>>()
            .join(" ")
    };
    let seen_words: String = seen.lines().map(|line| words(line) + "\n").collect();
    let mut compared = 0;
    for line in shown.filter(|line| !line.contains("...") && !line.trim().is_empty()) {
        if !line.contains("[4/7]") && !words(line).is_empty() {
            assert!(seen_words.contains(&words(line)), "the README has `{line}`");
            compared += 1;
        }
    }
    assert!(compared >= 6, "{compared}");
    let halted: Vec<Value> = demo.facts("task_halted.v1");
    assert_eq!(halted[0]["task"], LINE);

    // Nobody answers for a person now, so it comes as far as the next question.
    demo.there(&["factory", "run", "receipts"]).exits(2);
    let status = demo.status();
    assert_eq!(status["releases"], json!([]));
    let halted = demo.facts("task_halted.v1");
    let escalation = halted.last().unwrap()["escalation"].as_str().unwrap();
    let key = demo.dir.join("demo/scripted-human.key");
    assert!(key_is_private(&key));
    let answer = demo.dir.join("demo/amendment.json");
    demo.there(&[
        "resolve",
        escalation,
        "--action",
        "AMEND_SPEC",
        "--payload",
        answer.to_str().unwrap(),
        "--because",
        "an empty receipt is a fault",
        "--sign",
        key.to_str().unwrap(),
    ])
    .exits(0);
    demo.there(&["factory", "run", "receipts"]).exits(0);
    assert_eq!(demo.status()["releases"][0]["overall_result"], "PASS");
    // No role that had finished was asked again.
    let log = demo.read("demo/agent.log");
    let count = |text: &str| log.lines().filter(|line| line.starts_with(text)).count();
    let plans = log
        .lines()
        .filter(|line| line.starts_with("finish ") && line.contains(" state=micro_plan "));
    assert_eq!(plans.count(), 9, "{log}");
    assert!(count("start ") <= count("finish ") + 1);
    demo.there(&["audit"]).exits(0);
}

//! A further version of a released project, through the real binary: what stays is kept, what changes is made
//! once more, what goes is deprecated; a person sees all of it before they approve.

use crate::factory::{spec, task};
use crate::factory_again::{user, user_planned};
use crate::factory_audit::Clone_;
use crate::factory_people::inbox;
use crate::factory_run::{EXAMPLES, FIRST, SECOND, approve, begun, challenge, proposal, toml};
use crate::factory_ship::{
    PYTHON, PYTHON_CORE, PYTHON_LABEL, PYTHON_LABEL_TESTS, PYTHON_TESTS, files, label_planned,
    moment_planned,
};
use crate::product::{drafts, review};
use crate::support::World;
use serde_json::{Value, json};
use std::io::Write;
use std::process::{Command, Stdio};

const THIRD: &str = "T-core-auth-login-003";
const FOURTH: &str = "T-core-auth-login-004";

/// Lines, a label that goes with the next version, and the front.
fn first_spec() -> Value {
    let tasks = [
        task(1, &[]),
        task(2, &["TSK-001"]),
        task(3, &["TSK-001", "TSK-002"]),
    ];
    let mut spec = spec(&tasks);
    spec["product"] = product("started at 1");
    spec
}

fn product(prints: &str) -> Value {
    json!({
        "name": "line-labels", "form": "command", "language": "python", "entry": "TSK-003",
        "cases": [
            {"shows": ["STR-001"], "given": "alone", "refuses": "Malformed"},
            {"shows": ["STR-001", "EPC-001/1"], "given": "1 started", "prints": prints},
        ],
    })
}

/// Without the second task, with another one, and with another front. Ids of the spec itself may change.
fn second_spec() -> Value {
    let mut front = task(3, &["TSK-001", "TSK-002"]);
    front["acceptance_criteria"][0] = json!("returns the text, the moment and an exclamation mark");
    let mut new = task(4, &["TSK-001"]);
    new["task_id"] = json!("TSK-002");
    let mut spec = spec(&[task(1, &[]), front, new]);
    spec["spec_version"] = json!("1.1.0");
    spec["product"] = product("started at 1!");
    spec
}

/// Code that hands on no name of what it uses: it is no assembly.
fn inner() -> String {
    let all = "\"Malformed\", \"label\", \"split\"";
    PYTHON_LABEL.replace(all, "\"Malformed\", \"label\"")
}

fn label(version: &str, code: &str, tests: &str) -> Value {
    let all = [
        ("implementation/__init__.py", code),
        ("tests/test_lines.py", tests),
        ("examples.md", EXAMPLES),
    ];
    files("MM-label", version, &all)
}

fn says(who: &str, task: &str) -> String {
    format!("{who} for {task}")
}

fn first_script() -> Value {
    let moment = [
        ("implementation/__init__.py", PYTHON),
        ("implementation/_core.py", PYTHON_CORE),
        ("tests/test_lines.py", PYTHON_TESTS),
        ("examples.md", EXAMPLES),
    ];
    let inner = inner();
    json!({"log": "agent.log", "attempt": [
        {"state": "micro_plan", "brief": says("micro_planner", FIRST), "result": moment_planned()},
        {"state": "micro_plan", "brief": says("micro_planner", SECOND), "result": user_planned("MM-second")},
        {"state": "micro_plan", "brief": says("micro_planner", THIRD), "result": label_planned()},
        {"state": "propose", "brief": says("proposer", FIRST), "steps": files("MM-moment", "1.0.0", &moment), "result": proposal()},
        {"state": "propose", "brief": says("proposer", SECOND), "steps": user("MM-second", "1.0.0", [&inner, PYTHON_LABEL_TESTS]), "result": proposal()},
        {"state": "propose", "brief": says("proposer", THIRD), "steps": label("1.0.0", PYTHON_LABEL, PYTHON_LABEL_TESTS), "result": proposal()},
        {"state": "challenge", "result": challenge("PASS")},
        {"state": "adjudicate", "result": approve()},
    ]})
}

/// A draft that is no further version, one that is, and what it needs: nobody plans the first task.
fn second_script() -> Value {
    let mut stale = second_spec();
    stale["spec_version"] = json!("1.0.0");
    stale["product"]["name"] = json!("other-labels");
    let here = "state_store/product";
    let released = format!("grep -q 'started at 1' {here}/given/released.json");
    let told = format!("grep -q 'keeps that name' {here}/deficiencies.json");
    let mut front = label_planned();
    let answers = [
        ("criterion-1", "output__label__1"),
        ("criterion-2", "error__malformed"),
        ("input-1", "input__line__1"),
        ("output-1", "output__label__1"),
        ("error-1", "error__malformed"),
    ];
    let answers = answers.map(|(asked, clause)| json!({"asked": asked, "clause": clause}));
    front["modules"][0]["answers"] = json!(answers);
    let code = PYTHON_LABEL.replace("{moment}\"", "{moment}!\"");
    let tests = PYTHON_LABEL_TESTS.replace("a at 1", "a at 1!");
    let inner = inner();
    json!({"log": "agent.log", "attempt": [
        drafts(1, &stale.to_string(), &[&released]),
        drafts(2, &second_spec().to_string(), &[&told]),
        {"state": "micro_plan", "brief": "the spec 1.1.0 wants it otherwise: its acceptance criteria, what it depends on, the product", "result": front},
        {"state": "micro_plan", "brief": says("micro_planner", FOURTH), "result": user_planned("MM-fourth")},
        {"state": "propose", "brief": says("proposer", THIRD), "steps": label("1.0.1", &code, &tests), "result": proposal()},
        {"state": "propose", "brief": says("proposer", FOURTH), "steps": user("MM-fourth", "1.0.0", [&inner, PYTHON_LABEL_TESTS]), "result": proposal()},
        {"state": "challenge", "result": challenge("PASS")},
        {"state": "adjudicate", "result": approve()},
    ]})
}

fn printed(folder: &std::path::Path, given: &str) -> String {
    let mut command = Command::new("python3");
    command.args(["-m", "line_labels"]).current_dir(folder);
    let mut child = command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut stdin = child.stdin.take().unwrap();
    stdin.write_all(given.as_bytes()).unwrap();
    drop(stdin);
    let output = child.wait_with_output().unwrap();
    String::from_utf8(output.stdout).unwrap().trim().to_owned()
}

fn status(world: &World) -> Value {
    let said = world.run(&["factory", "status", "p", "--json"]);
    said.exits(0).json()
}

#[test]
fn a_released_project_goes_on_with_a_further_version_of_its_spec() {
    let world = begun(&first_spec(), &first_script());
    world.write(
        "SPEC-v2.md",
        "# Labels\n\nThey end with an exclamation mark.\n",
    );
    // What is not released yet does not go on.
    let new = ["factory", "new", "SPEC-v2.md"];
    world.run(&new).refuses(1, "project_exists");
    world.run(&["factory", "run", "p"]).exits(0);
    let before = world.read(".proofhouse/journal/p.jsonl");
    for more in [
        ["--name", "q"],
        ["--budget", "attempts=3"],
        ["--agent", "scripted:other.toml"],
    ] {
        let code = match more[0] {
            "--name" => "project_exists",
            _ => "project_goes_on",
        };
        world
            .run(&[new.as_slice(), &more].concat())
            .refuses(1, code);
    }
    assert_eq!(world.read(".proofhouse/journal/p.jsonl"), before);
    let said = world.run(&new).exits(0).out;
    assert!(said.contains("after 1.0.0"), "{said}");
    world.run(&new).refuses(1, "project_exists");

    world.write("agent/again.toml", &toml(&second_script()));
    let run = [
        "factory",
        "run",
        "p",
        "--agent",
        "scripted:agent/again.toml",
    ];
    let said = world.run(&run).exits(2).out;
    assert!(
        said.contains("a further version has a higher number"),
        "{said}"
    );
    // Until a person approves, everything is as it was released.
    assert_eq!(inbox(&world)[0]["question"]["subject"], "spec");
    world.run(&["audit", "p", "--ci"]).exits(0);
    let shown = review(&world);
    let fates = shown["further"].as_array().unwrap().iter();
    let fates: Vec<String> = fates
        .map(|one| {
            format!(
                "{} {}",
                one["becomes"].as_str().unwrap(),
                one["task"].as_str().unwrap()
            )
        })
        .collect();
    let wanted = [
        ("stays", FIRST),
        ("changes", THIRD),
        ("comes", FOURTH),
        ("goes", SECOND),
    ];
    assert_eq!(fates, wanted.map(|(word, task)| format!("{word} {task}")));
    let text = world.run(&["factory", "review", "p"]).exits(0).out;
    for line in [
        format!("stays {FIRST} \"Task 1\" (MM-moment@1.0.0)"),
        format!(
            "changes {THIRD} \"Task 3\" (MM-label@1.0.0): its acceptance criteria, what it depends on, the product"
        ),
        format!("new {FOURTH} \"Task 4\""),
        format!("goes {SECOND} \"Task 2\" (MM-second@1.0.0)"),
    ] {
        assert!(text.contains(&line), "{line}\n{text}");
    }
    let key = world.approver("ann").display().to_string();
    world
        .run(&["factory", "approve", "p", "--sign", &key])
        .exits(0);
    world.run(&run).exits(0);

    let status = status(&world);
    let releases = status["releases"].as_array().unwrap();
    let ends: Vec<&Value> = releases.iter().map(|one| &one["overall_result"]).collect();
    assert_eq!(ends, ["PASS", "PASS"], "{status}");
    assert_eq!(releases[1]["spec_version"], "1.1.0");
    let modules = releases[1]["modules"].as_array().unwrap().iter();
    let modules: Vec<&Value> = modules.map(|one| &one["module_ref"]).collect();
    assert_eq!(
        modules,
        ["MM-fourth@1.0.0", "MM-label@1.0.1", "MM-moment@1.0.0"]
    );
    let tasks = &status["state_machine"]["tasks"];
    assert_eq!(tasks[SECOND]["status"], "ABANDONED");
    assert_eq!(
        tasks[SECOND]["halted_reason"],
        "the spec 1.1.0 does not have it"
    );
    assert_eq!(inbox(&world), Vec::<Value>::new());
    // Its other projects are told as well.
    for place in ["--project", "--global"] {
        let entry = |module: &str| {
            let said = world.run(&["index", "show", module, place, "--json"]);
            said.exits(0).json()["entry"]["status"].clone()
        };
        assert_eq!(entry("MM-second@1.0.0"), "DEPRECATED", "{place}");
        assert_eq!(entry("MM-label@1.0.0"), "SUPERSEDED", "{place}");
        assert_eq!(entry("MM-moment@1.0.0"), "SHIPPED", "{place}");
    }
    let log = world.run(&["log", "p"]).exits(0).out;
    assert!(log.contains("MM-second@1.0.0 is DEPRECATED"), "{log}");
    let file = |task: &str, id: &str| format!(".proofhouse/project/core/auth/login/{task}/{id}.md");
    assert!(!world.at(&file("task-2", SECOND)).exists());
    assert!(world.at(&file("task-4", FOURTH)).exists());

    // What people hold in hand is the second version.
    world.run(&["factory", "export", "agent/out"]).exits(0);
    assert_eq!(
        printed(&world.at("agent/out"), "1 started"),
        "started at 1!"
    );
    assert_eq!(
        world
            .git(&["rev-list", "--count", "HEAD..proofhouse/p"])
            .trim(),
        "2"
    );
    world.run(&["audit", "p", "--ci"]).exits(0);

    let clone = Clone_::of(world);
    assert_eq!(clone.audit(), Vec::new());
    let approved = |entries: &mut Vec<store::Entry>| {
        let is = |entry: &store::Entry| entry.kind == "decided.v1";
        entries.iter().position(is).unwrap()
    };
    // An approval that keeps what the spec wants otherwise.
    clone.finds("tasks_not_of_spec", "not those of the spec", |clone| {
        clone.rewrite(|entries| {
            let at = approved(entries);
            let further = &mut entries[at].body["with"]["further"];
            further["stays"] = json!([FIRST, THIRD]);
            further["changes"] = json!([]);
        });
    });
    // One that begins with another spec than the released one.
    clone.finds(
        "tasks_not_of_spec",
        "not the spec that was released",
        |clone| {
            clone.rewrite(|entries| {
                let began = entries
                    .iter_mut()
                    .find(|one| one.body["name"] == "product_began.v1");
                let began = &mut began.unwrap().body["body"];
                began["released"] = began["spec"].clone();
            });
        },
    );
    clone.finds("unfounded_fact", "modules_retired.v1", |clone| {
        clone.rewrite(|entries| {
            let retired = entries
                .iter_mut()
                .find(|one| one.body["name"] == "modules_retired.v1");
            retired.unwrap().body["body"]["modules"] = json!(["MM-moment@1.0.0"]);
        });
    });
    assert_eq!(clone.audit(), Vec::new(), "everything was taken back");
}

//! `--jobs`: independent tasks at once lead to what they lead to one by one (rule F3.3).

use crate::factory_run::{
    EXAMPLES, MOMENT, MOMENT_TESTS, approve, challenge, plan, proposal, toml,
};
use crate::support::World;
use serde_json::{Value, json};

const NAMES: [&str; 4] = ["one", "two", "three", "last"];

/// Three tasks that know nothing of each other, and one that waits for all of them. The second is
/// revised once, the third is the slowest.
fn script() -> Value {
    let mut attempts = Vec::new();
    for (at, name) in NAMES.iter().enumerate() {
        let task = format!("T-core-auth-login-{:03}", at + 1);
        let (id, krate) = (format!("MM-{name}"), format!("mm_{name}"));
        let tests = MOMENT_TESTS.replace("mm_moment", &krate);
        let file = |file: &str| format!("repo/state_store/modules/{id}/1.0.0/{file}");
        let on = |who: &str| format!("{who} for {task}");
        let uses: &[&str] = match *name {
            "last" => &["MM-one@1.0.0"],
            _ => &[],
        };
        let output = "parts: (String, String); the moment comes first";
        let mut plan = plan(&id, &format!("Splits a line, {name}"), output, uses);
        // Whoever plans later finds it near, and says that it will not do.
        if at > 0 {
            plan["modules"][0]["reuse_candidate_refs"] = json!(["MM-one@1.0.0"]);
        }
        let brief = on("micro_planner");
        attempts.push(json!({"state": "micro_plan", "brief": brief, "result": plan}));
        attempts.push(
            json!({"state": "propose", "brief": on("proposer"), "steps": [
            {"wait": if *name == "three" { 0.3 } else { 0.01 }},
            {"write": file("implementation/lib.rs"), "text": MOMENT},
            {"write": file("tests/lines.rs"), "text": tests},
            {"write": file("examples.md"), "text": EXAMPLES},
        ], "result": proposal()}),
        );
        if *name == "two" {
            attempts.push(json!({"state": "challenge", "brief": on("challenger"), "attempt": 1, "result": challenge("FAIL")}));
            attempts
                .push(json!({"state": "revise", "brief": on("proposer"), "result": proposal()}));
        }
    }
    attempts.push(json!({"state": "challenge", "result": challenge("PASS")}));
    attempts.push(json!({"state": "adjudicate", "result": approve()}));
    json!({"log": "agent.log", "attempt": attempts})
}

fn run(jobs: &str) -> World {
    let world = World::new();
    let tasks = [
        crate::factory::task(1, &[]),
        crate::factory::task(2, &[]),
        crate::factory::task(3, &[]),
        crate::factory::task(4, &["TSK-001", "TSK-002", "TSK-003"]),
    ];
    world.write("spec.json", &crate::factory::spec(&tasks).to_string());
    world.write("agent/script.toml", &toml(&script()));
    world.write(".gitignore", "agent/\n");
    let args = [
        "factory",
        "start",
        "spec.json",
        "--name",
        "p",
        "--jobs",
        jobs,
        "--agent",
        "scripted:agent/script.toml",
    ];
    world.run(&args).exits(0);
    world.run(&["factory", "run", "p"]).exits(0);
    world
}

/// What must not depend on how many work at once: everything but times and numbers of effects.
fn outcome(world: &World) -> Value {
    let status = world
        .run(&["factory", "status", "p", "--json"])
        .exits(0)
        .json();
    let tasks = status["state_machine"]["tasks"].as_object().unwrap().iter();
    let tasks: Vec<Value> = tasks
        .map(|(id, task)| json!([id, task["status"], task["module_ref"], task["depends_on"]]))
        .collect();
    let modules: Vec<Value> = NAMES
        .iter()
        .map(|name| {
            let folder = format!(".proofhouse/state_store/modules/MM-{name}/1.0.0");
            let ship: Value =
                serde_json::from_str(&world.read(&format!("{folder}/ship.json"))).unwrap();
            let contract: Value =
                serde_json::from_str(&world.read(&format!("{folder}/contract.json"))).unwrap();
            json!([ship["ship_id"], ship["verification"], contract])
        })
        .collect();
    let mut release = status["releases"][0].clone();
    release.as_object_mut().unwrap().remove("created_at");
    let roles = status["status"]["attempts"].as_array().unwrap();
    let mut roles: Vec<String> = roles
        .iter()
        .map(|one| format!("{} {}", one["role"], one["state"]))
        .collect();
    roles.sort();
    json!({"tasks": tasks, "modules": modules, "release": release, "roles": roles})
}

/// The most tasks that were in progress at once, by the journal.
fn at_once(world: &World) -> usize {
    let text = world.read(".proofhouse/journal/p.jsonl");
    let (mut now, mut most) = (0, 0);
    for line in text.lines() {
        let record: Value = serde_json::from_str(line).unwrap();
        match record["body"]["name"].as_str() {
            Some("task_dispatched.v1") => now += 1,
            Some("task_shipped.v1" | "task_halted.v1") => now -= 1,
            _ => {}
        }
        most = most.max(now);
    }
    most
}

#[test]
fn s3_3_three_at_once_come_to_what_one_by_one_comes_to() {
    let (single, three) = (run("1"), run("3"));
    assert_eq!((at_once(&single), at_once(&three)), (1, 3));
    let want = outcome(&single);
    assert_eq!(want["release"]["overall_result"], "PASS");
    assert_eq!(want["release"]["modules"].as_array().unwrap().len(), 4);
    assert_eq!(outcome(&three), want);
    three.run(&["audit", "p"]).exits(0);
}

//! The table of rule F9.7 on the real engine: every role, in the first round, in a revision, with amendments and
//! after a person's fix, as its brief was kept and its folder was seen by the agent itself.

use crate::factory_run::{
    EXAMPLES, FIRST, LABEL, LABEL_TESTS, MOMENT, MOMENT_TESTS, SECOND, approve, challenge, plan,
    proposal, toml, writes,
};
use crate::support::World;
use factory::debate::rubric::{DECOMPOSITION, EVALUATION};
use factory::engineering::roles::{INPUTS, Material, Occasion, Role, given};
use serde_json::{Value, json};

const FIXED: &str = "the text comes first now";

/// A role's turn that says what it sees before it does anything.
fn turn(agent: &str, state: &str, who: &str, task: &str, steps: Value, result: Value) -> Value {
    let label = format!("{who}.{state}.{task}");
    let looks = format!("find . -type f | sort > $(mktemp {agent}/seen/{label}.XXXXXX)");
    let mut all = vec![json!({"run": looks, "must": true})];
    all.extend(steps.as_array().unwrap().iter().cloned());
    json!({"state": state, "brief": format!("{who} for {task}"), "steps": all, "result": result})
}

fn script(agent: &str) -> Value {
    let more = format!(
        "{MOMENT_TESTS}#[test] fn happy_path__twice() {{ assert_eq!(split(\"2 b\"), Ok((\"2\".into(), \"b\".into()))); }}\n"
    );
    let amends = json!({
        "decision": "APPROVE_WITH_AMENDMENTS", "ship_directive": "SHIP",
        "amendments": [{
            "action": "ADD", "target": "happy_path__twice",
            "detail": "add a test of that name which splits another line",
        }],
        "rationale": "one more example is wanted",
    });
    let amended = json!({
        "deliverable_ref": "implementation/",
        "amendments": [{"amendment_index": 0, "applied": true, "note": "as asked"}],
    });
    let rejects = json!({
        "decision": "REJECT", "amendments": [], "rationale": "the blank still fails",
        "ship_directive": "NO_SHIP",
    });
    let none = || json!([]);
    let wrong = LABEL.replace("{text} at {moment}", "{moment} at {text}");
    let again = |mut one: Value, nth: usize| {
        one["attempt"] = json!(nth);
        one
    };
    let at = |state: &str, who: &str, task: &str, steps: Value, result: Value| {
        turn(agent, state, who, task, steps, result)
    };
    // After the person's fix; its words are in the briefs of those who judge it.
    let judged = |state: &str, who: &str, result: Value| {
        let mut one = turn(agent, state, who, SECOND, json!([]), result);
        one["brief"] = json!(FIXED);
        one
    };
    json!({"log": "agent.log", "attempt": [
        judged("challenge", "challenger", challenge("PASS")),
        judged("adjudicate", "arbiter", approve()),
        at("micro_plan", "micro_planner", FIRST, none(),
            plan("MM-moment", "Splits a line into its moment and its text", "parts: (String, String); the moment comes first", &[])),
        at("micro_plan", "micro_planner", SECOND, none(),
            plan("MM-label", "Makes a label of a line", "label: String; the text comes first", &["MM-moment@1.0.0"])),
        at("propose", "proposer", FIRST, writes("MM-moment", MOMENT, MOMENT_TESTS), proposal()),
        at("revise", "proposer", FIRST, none(), proposal()),
        at("amend", "proposer", FIRST, writes("MM-moment", MOMENT, &more), amended),
        again(at("challenge", "challenger", FIRST, none(), challenge("FAIL")), 1),
        at("challenge", "challenger", FIRST, none(), challenge("PASS")),
        at("adjudicate", "arbiter", FIRST, none(), amends),
        at("propose", "proposer", SECOND, writes("MM-label", &wrong, LABEL_TESTS), proposal()),
        at("revise", "proposer", SECOND, writes("MM-label", &wrong, LABEL_TESTS), proposal()),
        at("challenge", "challenger", SECOND, none(), challenge("FAIL")),
        at("adjudicate", "arbiter", SECOND, none(), rejects),
    ]})
}

/// How a brief calls each row of the table.
fn title(material: Material) -> Option<&'static str> {
    Some(match material {
        Material::TaskFile => "\n## The task\n",
        Material::ModuleContract => "\n## The module's contract\n",
        Material::DependencyContracts => "\n## Contracts of dependencies\n",
        Material::CodeIndex => "\n## The Code Index\n",
        Material::HarnessSchemas => "\n## Schemas\n",
        Material::Workspace => "\n## Your workspace\n",
        Material::Proposal => "\n## The proposal\n",
        Material::Adjudication => "\n## The adjudication\n",
        Material::EvaluationRubric => "\n## The evaluation rubric\n",
        Material::DecompositionRubric => "\n## A module is micro if\n",
        Material::DebateTrail => "\n## The debate so far\n",
        Material::Challenge | Material::Source => return None,
    })
}

struct Invoked {
    role: Role,
    occasion: Occasion,
    subject: String,
    brief: String,
}

fn invoked(world: &World) -> Vec<Invoked> {
    let text = world.read(".proofhouse/journal/p.jsonl");
    let records: Vec<Value> = text
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    let mut all = Vec::new();
    for began in records
        .iter()
        .filter(|record| record["kind"] == "effect_began.v1")
    {
        let body = &began["body"];
        let (role, occasion) = match (body["role"].as_str(), body["state"].as_str()) {
            (Some("micro_planner"), _) => (Role::MicroPlanner, Occasion::Propose),
            (Some("proposer"), Some("propose")) => (Role::Proposer, Occasion::Propose),
            (Some("proposer"), Some("revise")) => (Role::Proposer, Occasion::Revise),
            (Some("proposer"), Some("amend")) => (Role::Proposer, Occasion::Amend),
            (Some("challenger"), _) => (Role::Challenger, Occasion::Challenge),
            (Some("arbiter"), _) => (Role::Arbiter, Occasion::Adjudicate),
            _ => continue,
        };
        let ended = records.iter().find(|record| {
            record["kind"] == "attempt_ended.v1" && record["body"]["effect"] == body["effect"]
        });
        let kept = ended.unwrap()["body"]["outcome"]["evidence"]
            .as_array()
            .unwrap();
        let brief = kept
            .iter()
            .find(|one| one["name"].as_str().unwrap().ends_with(" brief"));
        let hash = brief.unwrap()["hash"].as_str().unwrap();
        let path = format!(".proofhouse/evidence/{}/{hash}", &hash[..2]);
        all.push(Invoked {
            role,
            occasion,
            subject: body["subject"].as_str().unwrap().to_owned(),
            brief: world.read(&path),
        });
    }
    all
}

/// Everything that was seen by a role in its turns on a task, one listing for each.
fn seen(world: &World, who: &str, state: &str, task: &str) -> Vec<Vec<String>> {
    let label = format!("{who}.{state}.{task}.");
    let mut found = Vec::new();
    for entry in std::fs::read_dir(world.at("agent/seen")).unwrap() {
        let entry = entry.unwrap();
        if entry.file_name().to_string_lossy().starts_with(&label) {
            let text = std::fs::read_to_string(entry.path()).unwrap();
            found.push(text.lines().map(str::to_owned).collect());
        }
    }
    assert!(!found.is_empty(), "{label} never looked");
    found
}

#[test]
fn s9_7_on_the_real_engine_every_brief_and_every_view_is_what_the_table_gives() {
    let world = World::new();
    let agent = world.at("agent").display().to_string();
    std::fs::create_dir_all(world.at("agent/seen")).unwrap();
    let two = [
        crate::factory::task(1, &[]),
        crate::factory::task(2, &["TSK-001"]),
    ];
    world.write("spec.json", &crate::factory::spec(&two).to_string());
    world.write("agent/script.toml", &toml(&script(&agent)));
    world.write(".gitignore", "agent/\n");
    let start = [
        "factory",
        "start",
        "spec.json",
        "--name",
        "p",
        "--agent",
        "scripted:agent/script.toml",
    ];
    world.run(&start).exits(0);
    world.run(&["factory", "run", "p"]).exits(2);
    let key = world.approver("ann").display().to_string();
    let fix = json!({
        "fix_description": FIXED,
        "fix_artifacts": {"implementation/lib.rs": LABEL, "tests/lines.rs": LABEL_TESTS, "examples.md": EXAMPLES},
    });
    world.write("agent/fix.json", &fix.to_string());
    world
        .run(&[
            "resolve",
            SECOND,
            "--action",
            "PROVIDE_FIX",
            "--payload",
            "agent/fix.json",
            "--because",
            "seen it",
            "--sign",
            &key,
        ])
        .exits(0);
    world.run(&["factory", "run", "p"]).exits(0);

    let invoked = invoked(&world);
    for (role, occasion) in [
        (Role::MicroPlanner, Occasion::Propose),
        (Role::Proposer, Occasion::Propose),
        (Role::Proposer, Occasion::Revise),
        (Role::Proposer, Occasion::Amend),
        (Role::Challenger, Occasion::Challenge),
        (Role::Arbiter, Occasion::Adjudicate),
    ] {
        let one = |one: &&Invoked| one.role == role && one.occasion == occasion;
        assert!(
            invoked.iter().any(|invoked| one(&invoked)),
            "{role:?} {occasion:?} never worked"
        );
    }
    let by_person = |one: &&Invoked| one.role == Role::Challenger && one.brief.contains(FIXED);
    assert!(
        invoked.iter().any(|one| by_person(&one)),
        "nobody challenged the person's fix"
    );
    for one in &invoked {
        let given: Vec<Material> = given(one.role, one.occasion)
            .into_iter()
            .map(|row| row.0)
            .collect();
        for (material, name, _) in INPUTS {
            let Some(title) = title(material) else {
                continue;
            };
            // Contracts of dependencies have a section where there are dependencies.
            let due = given.contains(&material)
                && (material != Material::DependencyContracts || one.subject.starts_with(SECOND));
            assert_eq!(
                one.brief.contains(title),
                due,
                "{name} for the {} ({:?}):\n{}",
                one.role.as_str(),
                one.occasion,
                one.brief
            );
        }
        let failed = one.brief.contains("\n## What failed\n");
        assert_eq!(failed, one.occasion == Occasion::Revise, "{}", one.brief);
        // No line of anybody's code or tests is in a brief.
        for line in MOMENT
            .lines()
            .chain(MOMENT_TESTS.lines())
            .chain(LABEL.lines())
            .chain(LABEL_TESTS.lines())
        {
            assert!(
                line.len() < 12 || !one.brief.contains(line),
                "{line} is in\n{}",
                one.brief
            );
        }
        if one.role != Role::Challenger {
            for (_, name, checks) in EVALUATION {
                assert!(!one.brief.contains(checks), "{}", one.brief);
                assert!(
                    one.role == Role::Arbiter || !one.brief.contains(name),
                    "the {} knows {name}",
                    one.role.as_str()
                );
            }
            // Who plans is no debater, and must know what a module may be.
            let plans = one.role == Role::MicroPlanner;
            for criterion in DECOMPOSITION {
                assert_eq!(one.brief.contains(criterion), plans, "{}", one.brief);
            }
        }
    }

    let surfaces = ["contract.json", "examples.md", "ship.json"];
    let surfaces = surfaces.map(|file| format!("./state_store/modules/MM-moment/1.0.0/{file}"));
    let file = |task: &str, folder: &str| format!("./project/core/auth/login/{folder}/{task}.md");
    let mut of_first = vec![file(FIRST, "task-1")];
    let mut of_second = vec![file(SECOND, "task-2")];
    for (task, folder, others) in [
        (FIRST, &mut of_first, false),
        (SECOND, &mut of_second, true),
    ] {
        // The Arbiter has the task file alone; the planner has the contracts of dependencies too.
        for listing in seen(&world, "arbiter", "adjudicate", task) {
            assert_eq!(listing, *folder, "arbiter for {task}");
        }
        let upstream: &[String] = if others { &surfaces } else { &[] };
        // The Challenger has contracts and no task file, in every round and after a fix.
        for listing in seen(&world, "challenger", "challenge", task) {
            assert_eq!(listing, upstream, "challenger for {task}");
        }
        folder.extend(upstream.iter().cloned());
        // And what the Code Index has near its task.
        let mut planning = folder.clone();
        planning.insert(1, format!("./state_store/code_index/near/{task}.json"));
        for listing in seen(&world, "micro_planner", "micro_plan", task) {
            assert_eq!(listing, planning, "micro planner for {task}");
        }
    }
    // The Proposer has its own module besides, whole, and of any other how it is called in code.
    of_second.push("./state_store/modules/MM-moment/1.0.0/surface.md".to_owned());
    for (task, states, own, allowed) in [
        (
            FIRST,
            &["propose", "revise", "amend"][..],
            "./state_store/modules/MM-moment/1.0.0/",
            &of_first,
        ),
        (
            SECOND,
            &["propose", "revise"],
            "./state_store/modules/MM-label/1.0.0/",
            &of_second,
        ),
    ] {
        for state in states {
            for listing in seen(&world, "proposer", state, task) {
                assert!(
                    listing.contains(&format!("{own}contract.json")),
                    "{listing:?}"
                );
                let sees_code = listing.contains(&format!("{own}implementation/lib.rs"));
                assert_eq!(sees_code, *state != "propose", "{listing:?}");
                let others: Vec<&String> = listing
                    .iter()
                    .filter(|path| !path.starts_with(own))
                    .collect();
                assert_eq!(
                    others,
                    allowed.iter().collect::<Vec<_>>(),
                    "proposer for {task}"
                );
            }
        }
    }
}

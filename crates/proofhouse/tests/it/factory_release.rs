//! A release that failed, through the real binary: it names the case, what is offered can be done, and a
//! case that was wrong itself is put right by a person, without anything being made again.

use crate::factory_again::{user, user_planned};
use crate::factory_people::{as_shown, inbox};
use crate::factory_run::{
    EXAMPLES, FIRST, SECOND, approve, challenge, proposal, started_with, toml,
};
use crate::factory_ship::{
    PYTHON, PYTHON_CORE, PYTHON_LABEL, PYTHON_LABEL_TESTS, PYTHON_TESTS, files, label_planned,
    moment_planned,
};
use crate::support::{Said, World};
use serde_json::{Value, json};

fn label(version: &str, code: &str, tests: &str) -> Value {
    let all = [
        ("implementation/__init__.py", code),
        ("tests/test_lines.py", tests),
        ("examples.md", EXAMPLES),
    ];
    files("MM-label", version, &all)
}

/// Two modules that nobody objects to, and a product of which one case is not met.
fn failed(prints: &str) -> World {
    let moment = [
        ("implementation/__init__.py", PYTHON),
        ("implementation/_core.py", PYTHON_CORE),
        ("tests/test_lines.py", PYTHON_TESTS),
        ("examples.md", EXAMPLES),
    ];
    let script = json!({"log": "agent.log", "attempt": [
        {"state": "micro_plan", "brief": format!("micro_planner for {FIRST}"), "result": moment_planned()},
        {"state": "micro_plan", "brief": format!("micro_planner for {SECOND}"), "result": label_planned()},
        {"state": "propose", "brief": format!("proposer for {FIRST}"), "steps": files("MM-moment", "1.0.0", &moment), "result": proposal()},
        {"state": "propose", "brief": format!("proposer for {SECOND}"), "steps": label("1.0.0", PYTHON_LABEL, PYTHON_LABEL_TESTS), "result": proposal()},
        {"state": "challenge", "result": challenge("PASS")},
        {"state": "adjudicate", "result": approve()},
    ]});
    let product = json!({
        "name": "line-labels", "form": "command", "language": "python", "entry": "TSK-002",
        "cases": [
            {"shows": ["STR-001"], "given": "alone", "refuses": "Malformed"},
            {"shows": ["STR-001", "EPC-001/1"], "given": "1 started", "prints": prints},
        ],
    });
    let world = started_with(&script, &product);
    world.run(&["factory", "run", "p"]).exits(2);
    world
}

/// What the one question says, which is about a release.
fn why(world: &World) -> (Value, String) {
    let waits = inbox(world);
    assert_eq!(waits.len(), 1, "{waits:?}");
    let question = waits[0]["question"].clone();
    assert_eq!(question["subject"], "release", "{question}");
    let why = question["why"].as_str().unwrap().to_owned();
    (question, why)
}

fn finished(world: &World) -> usize {
    let log = world.read("agent/agent.log");
    log.lines()
        .filter(|line| line.starts_with("finish "))
        .count()
}

#[test]
fn s15_4_a_failed_release_names_its_case_and_a_case_that_is_wrong_is_put_right_on_record() {
    let world = failed("started at 2!");
    let key = world.approver("ann").display().to_string();
    let told = "case 2 does not hold. Shows STR-001, EPC-001/1. Given \"1 started\", it should print \"started at 2!\", and prints \"started at 1\"";
    let (question, said) = why(&world);
    assert!(said.contains(told), "{said}");
    let shown = |world: &World| {
        let html = world.read(".proofhouse/views/p/evidence.html");
        [
            world.run(&["factory", "status", "p"]).exits(0).out,
            world.run(&["inbox"]).exits(0).out,
            html.replace("&quot;", "\""),
        ]
    };
    for text in shown(&world) {
        assert!(text.contains(told), "{text}");
    }
    let amend = question["commands"][0].as_str().unwrap().to_owned();
    let wanted = format!("proofhouse resolve {SECOND} --action AMEND_SPEC --set ");
    assert!(amend.starts_with(&wanted), "{amend}");

    // Without a payload it shows what there is to change, by `decide` as by `resolve`.
    let sign = ["--because", "the case is wrong", "--sign", key.as_str()];
    let decide = |payload: &Value| {
        world.write("agent/amend.json", &payload.to_string());
        let mut args = vec!["decide", "p", "AMEND_SPEC", "--payload", "agent/amend.json"];
        args.extend(sign);
        world.run(&args)
    };
    let mut args = vec!["decide", "p", "AMEND_SPEC"];
    args.extend(sign);
    let form = world.run(&args).refuses(1, "payload_member_missing");
    let form: Value = serde_json::from_str(&form.out).unwrap();
    let cases = &form["amended_cases"];
    assert_eq!(cases[1]["prints"], "started at 2!", "{form}");
    assert_eq!(cases[0]["refuses"], "Malformed", "{form}");
    let journal = || world.read(".proofhouse/journal/p.jsonl");
    let before = journal();
    let case = |case: Value| json!({"amended_cases": [case], "amendment_rationale": "a slip"});
    decide(&form).refuses(1, "nothing_amended");
    let both = decide(&case(json!({"case": 7, "prints": "a", "refuses": "b"})));
    let both = both.refuses(1, "case_unfit").err;
    assert!(
        both.contains("numbers 1 to 2") && both.contains("either `prints` or `refuses`"),
        "{both}"
    );
    decide(&case(json!({"case": 0}))).refuses(1, "payload_member_mistyped");
    decide(&json!({"amendment_rationale": "a slip"})).refuses(1, "payload_member_missing");
    assert_eq!(journal(), before, "a refusal writes nothing");

    // Only the release is judged again: nobody works. It is still wrong, and the newest failure is shown.
    let worked = finished(&world);
    decide(&case(json!({"case": 2, "prints": "started at 1!"}))).exits(0);
    world.run(&["factory", "run", "p"]).exits(2);
    let newest = told.replace("2!", "1!");
    for text in shown(&world) {
        assert!(text.contains(&newest), "{text}");
    }
    let (_, said) = why(&world);
    assert!(said.contains(&newest) && !said.contains(told), "{said}");
    let mut whole = form.clone();
    whole["amended_cases"][1]["prints"] = json!("started at 1");
    decide(&whole).exits(0);
    world.run(&["factory", "run", "p"]).exits(0);
    assert_eq!(finished(&world), worked);
    let status = world
        .run(&["factory", "status", "p", "--json"])
        .exits(0)
        .json();
    let ends = status["releases"].as_array().unwrap().iter();
    let ends: Vec<&Value> = ends.map(|one| &one["overall_result"]).collect();
    assert_eq!(ends, ["FAIL", "FAIL", "PASS"]);
    assert_eq!(inbox(&world), Vec::<Value>::new());
    let file = world.read(&format!(
        ".proofhouse/project/core/auth/login/task-2/{SECOND}.md"
    ));
    for line in [
        "ann@example.org: a slip\n\nThe cases of the product before:\n- case 2: given \"1 started\", it prints \"started at 2!\"\n",
        "- case 2: given \"1 started\", it prints \"started at 1!\"\n",
    ] {
        assert!(file.contains(line), "{file}");
    }
    assert!(!file.contains("The acceptance criteria before"), "{file}");
    let mut args = vec!["resolve", SECOND, "--action", "AMEND_SPEC"];
    args.extend(["--payload", "agent/amend.json"]);
    args.extend(sign);
    world.run(&args).refuses(1, "task_not_escalated");
    world.run(&["factory", "export", "agent/out"]).exits(0);
    assert!(world.read("agent/out/README.md").contains("started at 1\n"));
    world.run(&["audit", "p", "--ci"]).exits(0);
}

#[test]
fn s17_2_a_form_is_filled_in_with_the_persons_own_editor() {
    let world = failed("started at 2!");
    let key = world.approver("ann").display().to_string();
    let before = world.read(".proofhouse/journal/p.jsonl");
    let edit = |editor: &str| -> Said {
        let because = ["--because", "the case is wrong", "--sign", key.as_str()];
        let form = ["resolve", SECOND, "--action", "AMEND_SPEC", "--edit"];
        let mut command = world.command(&[&form[..], &because].concat());
        command.env_remove("VISUAL").env_remove("EDITOR");
        command.env("TMPDIR", world.at("agent"));
        if !editor.is_empty() {
            command.env("EDITOR", editor);
        }
        command.output().unwrap().into()
    };
    let left = || {
        let all = std::fs::read_dir(world.at("agent")).unwrap();
        let names = all.map(|one| one.unwrap().file_name().into_string().unwrap());
        names
            .filter(|name| name.starts_with("proofhouse-resolve-"))
            .count()
    };
    edit("").refuses(3, "no_editor");
    edit("false").refuses(1, "editor_failed");
    edit("true").refuses(1, "payload_member_missing");
    assert_eq!(left(), 0, "nobody has written anything");
    let said = edit("sed -i 's/{/(/'").refuses(1, "payload_malformed").err;
    assert!(said.contains("what you wrote is in "), "{said}");
    assert_eq!(left(), 1, "what a person wrote is not lost");
    assert_eq!(world.read(".proofhouse/journal/p.jsonl"), before);
    edit("sed -i 's/2!/1/; s/Why they changed\\./a slip/'").exits(0);
    assert_eq!(left(), 1);
    world.run(&["factory", "run", "p"]).exits(0);
}

#[test]
fn s15_4_the_answer_that_a_failed_release_recommends_is_carried_out_as_it_is_shown() {
    let world = failed("started at 1!");
    let key = world.approver("ann").display().to_string();
    let (question, _) = why(&world);
    assert_eq!(question["recommended"], "AMEND_SPEC");
    let amend = question["commands"][0].as_str().unwrap();
    as_shown(&world, amend, &key).exits(0);
    assert_eq!(
        inbox(&world),
        Vec::<Value>::new(),
        "nothing waits for a person"
    );
    let mut plan = label_planned();
    let answers = [
        ("criterion-1", "output__label__1"),
        ("input-1", "input__line__1"),
        ("output-1", "output__label__1"),
        ("error-1", "error__malformed"),
    ];
    let answers = answers.map(|(asked, clause)| json!({"asked": asked, "clause": clause}));
    plan["modules"][0]["answers"] = json!(answers);
    let code = PYTHON_LABEL.replace("{moment}\"", "{moment}!\"");
    let tests = PYTHON_LABEL_TESTS.replace("a at 1", "a at 1!");
    let script = json!({"log": "agent.log", "attempt": [
        {"state": "micro_plan", "result": plan},
        {"state": "propose", "steps": label("1.0.1", &code, &tests), "result": proposal()},
        {"state": "challenge", "result": challenge("PASS")},
        {"state": "adjudicate", "result": approve()},
    ]});
    world.write("agent/again.toml", &toml(&script));
    // What was released is another version now, so that it is released again without being asked for.
    let agent = "scripted:agent/again.toml";
    world
        .run(&["factory", "run", "p", "--agent", agent])
        .exits(0);
    let status = world
        .run(&["factory", "status", "p", "--json"])
        .exits(0)
        .json();
    assert_eq!(status["releases"][1]["overall_result"], "PASS", "{status}");
    world.run(&["audit", "p", "--ci"]).exits(0);
}

#[test]
fn s16_a_module_that_the_new_plan_of_its_task_makes_no_more_is_deprecated() {
    let world = failed("started at 1!");
    let key = world.approver("ann").display().to_string();
    let (question, _) = why(&world);
    as_shown(&world, question["commands"][0].as_str().unwrap(), &key).exits(0);
    let mut plan = user_planned("MM-caption");
    let answers = [
        ("criterion-1", "output__caption__1"),
        ("input-1", "input__line__1"),
        ("output-1", "output__caption__1"),
        ("error-1", "error__malformed"),
    ];
    let answers = answers.map(|(asked, clause)| json!({"asked": asked, "clause": clause}));
    plan["modules"][0]["answers"] = json!(answers);
    let code = PYTHON_LABEL.replace("{moment}\"", "{moment}!\"");
    let tests = PYTHON_LABEL_TESTS.replace("a at 1", "a at 1!");
    let script = json!({"log": "agent.log", "attempt": [
        {"state": "micro_plan", "result": plan},
        {"state": "propose", "steps": user("MM-caption", "1.0.0", [&code, &tests]), "result": proposal()},
        {"state": "challenge", "result": challenge("PASS")},
        {"state": "adjudicate", "result": approve()},
    ]});
    world.write("agent/again.toml", &toml(&script));
    let agent = "scripted:agent/again.toml";
    world
        .run(&["factory", "run", "p", "--agent", agent])
        .exits(0);
    let status = world
        .run(&["factory", "status", "p", "--json"])
        .exits(0)
        .json();
    let release = &status["releases"][1];
    assert_eq!(release["overall_result"], "PASS", "{status}");
    let modules = release["modules"].as_array().unwrap().iter();
    let modules: Vec<&Value> = modules.map(|one| &one["module_ref"]).collect();
    assert_eq!(modules, ["MM-caption@1.0.0", "MM-moment@1.0.0"]);
    let old = world.run(&["index", "show", "MM-label@1.0.0", "--json"]);
    assert_eq!(old.exits(0).json()["entry"]["status"], "DEPRECATED");
    world.run(&["audit", "p", "--ci"]).exits(0);
}

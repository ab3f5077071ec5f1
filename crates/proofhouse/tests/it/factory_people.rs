//! What people do with a project, through the real binary: see what waits and why, answer it with
//! the very command that was shown, and be refused without a trace where the answer does not fit.

use crate::factory_run::{FIRST, SECOND, approve, begun, challenge, script, started, toml};
use crate::support::{Said, World};
use serde_json::{Value, json};

/// The second task's module is never good enough.
pub(crate) fn halting() -> Value {
    let mut script = script();
    script["attempt"][6] = json!({
        "state": "challenge", "brief": format!("challenger for {SECOND}"), "result": challenge("FAIL"),
    });
    script["attempt"][8] = json!({
        "state": "adjudicate", "brief": format!("arbiter for {FIRST}"), "result": approve(),
    });
    let rejects = json!({"state": "adjudicate", "result": {
        "decision": "REJECT", "amendments": [], "rationale": "the blank still fails",
        "ship_directive": "NO_SHIP",
    }});
    script["attempt"].as_array_mut().unwrap().push(rejects);
    script
}

fn journal(world: &World) -> String {
    world.read(".proofhouse/journal/p.jsonl")
}

pub(crate) fn inbox(world: &World) -> Vec<Value> {
    let inbox = world.run(&["inbox", "--json"]).exits(0).json();
    inbox.as_array().unwrap().clone()
}

/// Runs a command as it was shown, with its blanks filled in, and signed.
pub(crate) fn as_shown(world: &World, command: &str, key: &str) -> Said {
    let line = command
        .replace("\"...\"", "because_of_this")
        .replace("proofhouse ", "");
    let mut args: Vec<&str> = line.split(' ').collect();
    args.extend(["--sign", key]);
    world.run(&args)
}

#[test]
fn s17_2_what_waits_is_shown_with_the_commands_that_answer_and_bad_answers_change_nothing() {
    let world = started(&halting());
    world.run(&["factory", "run", "p"]).exits(2);
    let key = world.approver("ann").display().to_string();

    let waits = inbox(&world);
    assert_eq!(waits.len(), 1, "{waits:?}");
    let question = &waits[0]["question"];
    assert_eq!(question["subject"], "escalation");
    assert_eq!(question["task"], SECOND);
    assert!(
        question["why"].as_str().unwrap().contains("blank"),
        "{question}"
    );
    let options = question["options"].as_array().unwrap();
    assert_eq!(options.len(), 6, "{question}");
    let shown = world.run(&["inbox"]).exits(0).out;
    let id = question["id"].as_str().unwrap();
    for option in options {
        let command = format!(
            "proofhouse resolve {id} --action {}",
            option.as_str().unwrap()
        );
        assert!(shown.contains(&command), "{command} is not in {shown}");
    }
    let one = world.run(&["status", "p"]).exits(0).out;
    assert!(one.contains(SECOND) && one.contains("HALTED"), "{one}");
    let all = world.run(&["status"]).exits(0).out;
    assert!(all.contains("waiting: escalation"), "{all}");
    let log = world.run(&["log", "p"]).exits(0).out;
    for words in [
        format!("{FIRST} is SHIPPED: MM-moment@1.0.0"),
        format!("{SECOND}: the challenge is FAIL"),
        format!("{SECOND} is HALTED (debate_rejected); a person must decide on {id}"),
    ] {
        assert!(log.contains(&words), "{words} is not in {log}");
    }
    assert!(!log.contains(".v1:"), "a fact without a sentence: {log}");

    let before = journal(&world);
    world.write("agent/list.json", "[1]");
    world.write("agent/no.json", "{");
    let why = ["--because", "so", "--sign", key.as_str()];
    for (args, code) in [
        (&["factory", "release", "p"][..], "project_not_complete"),
        (
            &["factory", "release", "p", "--module", "MM-label@1.0.0"],
            "module_not_shipped",
        ),
        (
            &["factory", "release", "p", "--module", "nonsense"],
            "module_not_shipped",
        ),
        (&["factory", "deprecate", "MM-none@1.0.0"], "module_unknown"),
        (&["factory", "deprecate", "MM-moment"], "payload_malformed"),
        (
            &[
                "factory",
                "deprecate",
                "MM-moment@1.0.0",
                "--superseded-by",
                "MM-moment@2.0.0",
                "--migration",
                "none",
            ],
            "replacement_not_shipped",
        ),
        (&["factory", "retry", "p"], "nothing_is_stuck"),
        (&["factory", "extend", "p"], "no_budget_spent"),
        (&["factory", "stop", "nobody"], "unknown_run"),
        (&["decide", "p", "approve"], "resolution_unknown"),
        (&["decide", "p", "ABANDON_TASK"], "payload_member_missing"),
        (
            &[
                "decide",
                "p",
                "ABANDON_TASK",
                "--payload",
                "agent/list.json",
            ],
            "payload_member_mistyped",
        ),
        (
            &["decide", "p", "ABANDON_TASK", "--payload", "agent/no.json"],
            "payload_malformed",
        ),
        (
            &[
                "decide",
                "p",
                "ABANDON_TASK",
                "--payload",
                "agent/none.json",
            ],
            "no_such_file",
        ),
        (
            &["resolve", id, "--action", "APPROVE_CHANGE"],
            "exception_not_open",
        ),
        (
            &["resolve", id, "--action", "ABANDON_TASK"],
            "payload_member_missing",
        ),
        (
            &[
                "resolve",
                id,
                "--action",
                "ABANDON_TASK",
                "--set",
                "rationale= ",
            ],
            "payload_member_empty",
        ),
        (
            &[
                "resolve",
                id,
                "--action",
                "ABANDON_TASK",
                "--set",
                "rationale=a",
                "--set",
                "rationale=b",
            ],
            "payload_malformed",
        ),
        (
            &[
                "resolve",
                FIRST,
                "--action",
                "ABANDON_TASK",
                "--set",
                "rationale=a",
            ],
            "task_not_escalated",
        ),
        (
            &["resolve", "T-no-such-task-001", "--action", "ABANDON_TASK"],
            "unknown_escalation",
        ),
        (
            &["resolve", "ICE-00000000", "--action", "DEFER"],
            "unknown_escalation",
        ),
    ] {
        let mut args = args.to_vec();
        args.extend(why);
        world.run(&args).refuses(1, code);
    }
    // All of a form is told at once, and nobody is given words to sign that would be refused.
    world.write("agent/split.json", "{\"new_tasks\": [{}]}");
    let split = [
        "resolve",
        id,
        "--action",
        "SPLIT_TASK",
        "--payload",
        "agent/split.json",
    ];
    for more in [&why[..], &["--because", "so", "--message"]] {
        let said = world.run(&[&split[..], more].concat());
        let said = said.refuses(1, "payload_member_missing").err;
        for name in ["name", "description", "acceptance_criteria"] {
            assert!(
                said.contains(&format!("`new_tasks[0].{name}` is missing")),
                "{said}"
            );
        }
    }
    let unsigned = ["factory", "stop", "p", "--because", "so"];
    world.run(&unsigned).refuses(1, "signature_required");
    assert_eq!(journal(&world), before, "a refusal writes nothing");

    // A partial release of what is shipped, while the project is halted (rule F15.4).
    let mut args = vec![
        "factory",
        "release",
        "p",
        "--module",
        "MM-moment@1.0.0",
        "--json",
    ];
    args.extend(why);
    let facts = world.run(&args).exits(0).json();
    assert_eq!(facts["project"], "p");
    world.run(&["factory", "run", "p"]).exits(2);
    let status = world
        .run(&["factory", "status", "p", "--json"])
        .exits(0)
        .json();
    assert_eq!(status["releases"][0]["overall_result"], "PASS", "{status}");
    assert_eq!(
        status["releases"][0]["modules"][0]["module_ref"],
        "MM-moment@1.0.0"
    );

    // The recommended answer is one of those shown; this one is run as it is printed.
    let abandon = question["commands"].as_array().unwrap().iter();
    let abandon = abandon.map(|one| one.as_str().unwrap());
    let abandon = abandon
        .filter(|one| one.contains("ABANDON_TASK"))
        .collect::<Vec<_>>();
    as_shown(&world, abandon[0], &key).exits(0);
    assert_eq!(inbox(&world), Vec::<Value>::new());
    world.run(&["factory", "run", "p"]).exits(0);

    let mut args = vec!["factory", "stop", "p"];
    args.extend(why);
    world.run(&args).exits(0);
    world.run(&["factory", "run", "p"]).exits(1);
    let mut args = vec!["factory", "release", "p"];
    args.extend(why);
    world.run(&args).refuses(1, "run_stopped");
    let log = world.run(&["log", "p", "--last", "1"]).exits(0).out;
    assert!(log.contains("ann@example.org stopped the project"), "{log}");
}

#[test]
fn s17_3_what_could_not_run_and_a_spent_budget_wait_for_a_word() {
    let world = World::new();
    world.write(
        "spec.json",
        &crate::factory::spec(&[crate::factory::task(1, &[])]).to_string(),
    );
    let mut good = script();
    good["attempt"][6] = good["attempt"][7].clone();
    world.write("agent/script.toml", &toml(&good));
    world.write(
        "agent/broken.toml",
        "[[attempt]]\nstate = \"micro_plan\"\nsteps = [{ run = \"false\", must = true }]\n",
    );
    world.write(".gitignore", "agent/\n");
    let key = world.approver("ann").display().to_string();
    world
        .run(&[
            "factory",
            "start",
            "spec.json",
            "--name",
            "p",
            "--agent",
            "scripted:agent/script.toml",
            "--budget",
            "attempts=2",
        ])
        .exits(0);
    // A program that is not there is the environment's fault, and more attempts change nothing.
    world
        .run(&[
            "factory",
            "run",
            "p",
            "--agent",
            "command:repo/no-such-program",
        ])
        .exits(2);
    let waits = inbox(&world);
    assert_eq!(waits[0]["question"]["subject"], "stuck", "{waits:?}");
    let retry = waits[0]["question"]["commands"][0]
        .as_str()
        .unwrap()
        .to_owned();
    assert!(retry.starts_with("proofhouse factory retry p"), "{retry}");
    as_shown(&world, &retry, &key).exits(0);

    world.run(&["factory", "run", "p"]).exits(2);
    let waits = inbox(&world);
    assert_eq!(waits[0]["question"]["subject"], "budget", "{waits:?}");
    let extend = waits[0]["question"]["commands"][0]
        .as_str()
        .unwrap()
        .to_owned();
    assert!(
        extend.starts_with("proofhouse factory extend p"),
        "{extend}"
    );
    for _ in 0..4 {
        if world.run(&["factory", "run", "p"]).code == 0 {
            break;
        }
        as_shown(&world, &extend, &key).exits(0);
    }
    let status = world
        .run(&["factory", "status", "p", "--json"])
        .exits(0)
        .json();
    assert_eq!(status["releases"][0]["overall_result"], "PASS", "{status}");
}

#[test]
fn s13_5_an_exception_is_deferred_rejected_and_worked_around_and_each_word_is_a_record() {
    // Whoever works on it after the rejection hears what was refused and why, or this agent has no answer.
    let mut good = script();
    for at in [1, 4, 5, 7] {
        good["attempt"][at]["brief"] = json!("\"refused_because\":\"a comma is not worth it");
    }
    let mut script = script();
    let raised = json!({"interface_change_exception": {
        "type": "CANNOT_SUPPORT", "target_module": "MM-moment@1.0.0",
        "reason": "the separator cannot be chosen", "evidence": ["labels want a comma"],
        "proposed_contract_delta": {"added_inputs": ["separator: char; optional, else a blank"]},
        "compatibility_expectation": "BACKWARD_COMPATIBLE", "urgency": "BLOCKING",
    }});
    let attempts = script["attempt"].as_array_mut().unwrap();
    attempts.insert(
        0,
        json!({
            "state": "challenge", "brief": format!("challenger for {SECOND}"), "result": raised,
        }),
    );
    let world = started(&script);
    world.write("agent/good.toml", &toml(&good));
    world.run(&["factory", "run", "p"]).exits(2);
    let key = world.approver("ann").display().to_string();

    let waits = inbox(&world);
    let question = &waits[0]["question"];
    assert_eq!(question["subject"], "exception", "{waits:?}");
    let ice = question["id"].as_str().unwrap().to_owned();
    assert!(
        question["why"]
            .as_str()
            .unwrap()
            .contains("evidence: labels want a comma")
    );
    for ruling in ["APPROVE_CHANGE", "REJECT_CHANGE", "DEFER"] {
        let command = format!("proofhouse resolve {ice} --action {ruling}");
        let all = question["commands"].as_array().unwrap();
        assert!(
            all.iter()
                .any(|one| one.as_str().unwrap().starts_with(&command)),
            "{question}"
        );
    }
    let record = format!(".proofhouse/state_store/exceptions/{ice}.json");
    world
        .run(&[
            "factory",
            "validate",
            &record,
            "--schema",
            "InterfaceChangeException",
        ])
        .exits(0);
    let first = world.read(&record);
    assert!(
        first.contains("\"constraints\""),
        "a line of a plan is an input here: {first}"
    );

    let rule = |action: &str, more: &[&str]| {
        let mut args = vec![
            "resolve",
            ice.as_str(),
            "--action",
            action,
            "--sign",
            key.as_str(),
        ];
        args.extend(more);
        world.run(&args)
    };
    rule("DEFER", &["--because", "after the holidays"]).exits(0);
    world.run(&["factory", "run", "p"]).exits(2);
    let waits = inbox(&world);
    let why = waits[0]["question"]["why"].as_str().unwrap();
    assert!(
        why.contains("ann@example.org said DEFER: after the holidays"),
        "{why}"
    );
    let before = journal(&world);
    rule("REJECT_CHANGE", &[]).refuses(1, "payload_member_empty");
    rule(
        "REJECT_CHANGE",
        &["--because", "no", "--set", "then=whatever"],
    )
    .refuses(1, "payload_malformed");
    assert_eq!(journal(&world), before);
    rule("REJECT_CHANGE", &["--because", "a comma is not worth it"]).exits(0);
    let decisions = format!(".proofhouse/state_store/exceptions/{ice}.decisions.json");
    let decisions: Value = serde_json::from_str(&world.read(&decisions)).unwrap();
    assert_eq!(
        [&decisions[0]["decision"], &decisions[1]["decision"]],
        ["DEFER", "REJECT_CHANGE"]
    );
    assert_eq!(
        world.read(&record),
        first,
        "the record itself never changes"
    );

    // The task does without it, with other criteria; its file says so and what it said before.
    let amend = [
        "resolve",
        SECOND,
        "--action",
        "AMEND_SPEC",
        "--set",
        "amended_acceptance_criteria=the text comes first",
        "--set",
        "amended_acceptance_criteria=a line without a blank is refused",
        "--set",
        "amendment_rationale=blanks will do",
        "--because",
        "agreed",
        "--sign",
        &key,
    ];
    world.run(&amend).exits(0);
    let file = world.read(&format!(
        ".proofhouse/project/core/auth/login/task-2/{SECOND}.md"
    ));
    let (now, history) = file.split_once("## Amendment History").unwrap();
    assert!(
        now.contains("- the text comes first\n- a line without a blank is refused\n"),
        "{file}"
    );
    assert!(
        history.contains("ann@example.org: blanks will do"),
        "{file}"
    );
    assert!(
        history.contains("- rejects a line without a moment"),
        "{file}"
    );
    world
        .run(&["factory", "run", "p", "--agent", "scripted:agent/good.toml"])
        .exits(0);

    // Rule F16: what is deprecated is marked in the Code Index, and blocks the next release.
    let deprecate = [
        "factory",
        "deprecate",
        "MM-moment@1.0.0",
        "--because",
        "it splits too eagerly",
        "--sign",
        &key,
    ];
    world.run(&deprecate).exits(0);
    let shown = world
        .run(&["index", "show", "MM-moment@1.0.0", "--json"])
        .exits(0)
        .json();
    assert_eq!(shown["entry"]["status"], "DEPRECATED");
    assert!(
        shown["entry"]["notes"]
            .as_str()
            .unwrap()
            .contains("it splits too eagerly"),
        "{shown}"
    );
    world.run(&deprecate).refuses(1, "module_not_in_use");
    let release = ["factory", "release", "--because", "again", "--sign", &key];
    world.run(&release).exits(0);
    world.run(&["factory", "run", "p"]).exits(2);
    let waits = inbox(&world);
    assert_eq!(waits[0]["question"]["subject"], "release", "{waits:?}");
    assert!(
        waits[0]["question"]["why"]
            .as_str()
            .unwrap()
            .contains("MM-moment@1.0.0"),
        "{waits:?}"
    );
    world.run(&["audit", "p", "--ci"]).exits(0);
}

#[test]
fn s17_3_a_budget_that_is_spent_while_a_spec_is_drafted_is_in_the_inbox() {
    let world = World::new();
    world.write("SPEC.md", "# Lines\n\nA tool that splits lines.\n");
    let script = "[[attempt]]\nresult = { summary = \"I wrote nothing.\" }\n";
    world.write("agent/script.toml", script);
    world.write(".gitignore", "agent/\n");
    let agent = "scripted:agent/script.toml";
    let new = ["factory", "new", "SPEC.md", "--name", "p", "--agent", agent];
    let args = [&new[..], &["--budget", "attempts=1"]].concat();
    world.run(&args).exits(0);
    world.run(&["factory", "run", "p"]).exits(2);
    let waits = inbox(&world);
    let commands = waits[0]["question"]["commands"].to_string();
    assert!(commands.contains("factory extend p"), "{waits:?}");
}

/// `decide` finds what a resolution can only be about, and asks where it could be about several things.
#[test]
fn s17_2_a_resolution_that_could_be_about_several_tasks_says_which() {
    let tasks = [
        crate::factory::task(1, &[]),
        crate::factory::task(2, &["TSK-001"]),
        crate::factory::task(3, &["TSK-001"]),
    ];
    let script = json!({"log": "agent.log", "attempt": [{"state": "micro_plan", "result": {"modules": []}}]});
    let world = begun(&crate::factory::spec(&tasks), &script);
    world.run(&["factory", "run", "p"]).exits(2);
    let key = world.approver("ann").display().to_string();
    let abandon = |set: &str| {
        let set = format!("rationale={set}");
        let why = ["--set", &set, "--because", "so", "--sign", &key];
        world.run(&[&["decide", "p", "ABANDON_TASK"], &why[..]].concat())
    };
    abandon("not needed").exits(0);
    world.run(&["factory", "run", "p"]).exits(2);
    let said = abandon("nor these").refuses(1, "ambiguous_resolution").err;
    let third = SECOND.replace("002", "003");
    assert!(said.contains(SECOND) && said.contains(&third), "{said}");
    let last = format!(
        "proofhouse resolve {third} --action ABANDON_TASK --set rationale=\"...\" --because \"...\""
    );
    as_shown(&world, &last, &key).exits(0);
    abandon("nor this").exits(0);
}

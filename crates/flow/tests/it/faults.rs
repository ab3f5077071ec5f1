//! Every fault of a workflow file is refused with a code, a line and a mend.

use crate::source;
use flow::load;
use kernel::explore::explore;

const GOOD: &str = r#"name = "t"
about = "a small one"
initial = "work"
[role.coder]
can = ["edit"]
about = "codes"
[counter.tries]
cap = 2
renewal = "on_pass"
[state.work]
kind = "work"
role = "coder"
brief = "b.md"
gate = ["tests"]
[state.fix]
kind = "work"
role = "coder"
brief = "b.md"
[state.end]
kind = "end"
[[transition]]
action = "pass"
from = "work"
to = "end"
by = "engine"
when = "gate.pass"
[[transition]]
action = "fail"
from = "work"
to = "fix"
by = "engine"
when = "gate.fail"
count = "tries"
[[transition]]
action = "fixed"
from = "fix"
to = "work"
by = "engine"
when = "gate.pass"
"#;

fn check(name: &str, _: &serde_json::Value) -> Result<(), String> {
    (name == "tests")
        .then_some(())
        .ok_or_else(|| format!("unknown check `{name}`"))
}

/// Replaces `find` in the good file, and expects this code at the line that holds `at`.
fn refused(find: &str, replace: &str, code: &str, at: &str) {
    assert_eq!(GOOD.matches(find).count(), 1, "`{find}` must stand once");
    let text = GOOD.replace(find, replace);
    let error = load(&source(&text), &check).expect_err(code);
    let problem = error.problems.iter().find(|problem| problem.code == code);
    let problem = problem.unwrap_or_else(|| panic!("no {code} in:\n{error}"));
    let line = text.lines().position(|line| line.contains(at)).expect(at);
    // A transition's place is its `[[transition]]` line, the one above its action.
    let line = if at.starts_with("action") {
        line
    } else {
        line + 1
    };
    assert_eq!(problem.line, line, "{error}");
    assert!(!problem.mend.is_empty());
}

#[test]
fn the_good_file_is_good() {
    let workflow = load(&source(GOOD), &check).unwrap();
    assert!(explore(&workflow.table).findings.is_empty());
}

#[test]
fn bad_lines_are_refused_where_they_stand() {
    refused("cap = 2", "cup = 2", "malformed_workflow", "cup = 2");
    refused(
        "gate = [\"tests\"]",
        "gate = [\"guess\"]",
        "unknown_check",
        "[state.work]",
    );
    refused(
        "gate = [\"tests\"]",
        "gate = [\"tests\"]\nunpaid = true",
        "needless_unpaid",
        "[state.work]",
    );
    refused(
        "gate = [\"tests\"]",
        "goes_on = \"part\"",
        "needless_goes_on",
        "[state.work]",
    );
    refused(
        "[role.coder]",
        "[role.other]",
        "unknown_role",
        "[state.work]",
    );
    refused(
        "to = \"fix\"",
        "to = \"nowhere\"",
        "unknown_state",
        "action = \"fail\"",
    );
    refused(
        "count = \"tries\"",
        "count = \"tires\"",
        "unknown_counter",
        "action = \"fail\"",
    );
    refused(
        "count = \"tries\"",
        "",
        "loop_without_budget",
        "action = \"fail\"",
    );
    refused(
        "when = \"gate.fail\"",
        "when = \"gate.maybe\"",
        "unknown_guard",
        "action = \"fail\"",
    );
    refused(
        "[state.end]\nkind = \"end\"",
        "[state.end]\nkind = \"wait\"",
        "dead_end",
        "[state.end]",
    );
    refused(
        "to = \"end\"",
        "to = \"work\"",
        "unreachable_state",
        "[state.end]",
    );
    refused(
        "action = \"pass\"",
        "action = \"approve\"",
        "reserved_name",
        "action = \"approve\"",
    );
    refused(
        "brief = \"b.md\"\ngate",
        "brief = \"c.md\"\ngate",
        "missing_file",
        "[state.work]",
    );
}

#[test]
fn a_schema_that_nothing_can_be_judged_by_is_refused_in_its_own_file() {
    let text = GOOD.replace(
        "about = \"codes\"",
        "about = \"codes\"\nresult = \"r.json\"",
    );
    let with = |schema: Option<&str>| {
        let mut source = source(&text);
        if let Some(schema) = schema {
            source.files.insert("r.json".to_owned(), schema.to_owned());
        }
        load(&source, &check)
    };
    for (schema, line, says) in [
        ("{\n  \"type\": }", 2, "is not JSON"),
        ("{}", 0, "`type` is not"),
        (
            r#"{"type":"object","properties":{"a":{"type":"strnig"}}}"#,
            0,
            "`/properties/a/type`",
        ),
        (
            r##"{"type":"object","properties":{"a":{"$ref":"#/gone"}}}"##,
            0,
            "gone",
        ),
        (
            r#"{"type":"object","properties":{"a":{"$ref":"https://example.org/a"}}}"#,
            0,
            "example.org",
        ),
        (
            r#"{"type":"object","properties":{"usage":{}}}"#,
            0,
            "`usage` is the engine's",
        ),
    ] {
        let error = with(Some(schema)).expect_err(schema);
        let problem = &error.problems[0];
        assert_eq!(
            (problem.code, problem.file.as_str()),
            ("bad_schema", "r.json"),
            "{error}"
        );
        assert_eq!(problem.line, line, "{error}");
        assert!(problem.what.contains(says), "{error}");
    }
    assert_eq!(with(None).unwrap_err().problems[0].code, "missing_file");
    let good = r#"{"type":"object","required":["risk"],"properties":{"risk":{"enum":["low"]}}}"#;
    let workflow = with(Some(good)).unwrap();
    assert_eq!(
        workflow.roles["coder"].result.as_ref().unwrap()["required"][0],
        "risk"
    );
}

#[test]
fn a_tool_is_refused_where_a_model_could_misuse_it() {
    let with = |tool: &str, role: &str| {
        let role = format!("about = \"codes\"\n{role}");
        let text = GOOD.replace("about = \"codes\"", &role);
        let text = text.replace("[counter.tries]", &format!("{tool}\n[counter.tries]"));
        load(&source(&text), &check)
    };
    let good = "[tool.find]\nabout = \"a\"\ncommand = [\"grep\", \"{what}\"]\nparameters = { what = \"w\" }";
    let workflow = with(good, "tools = [\"find\"]").unwrap();
    assert_eq!(workflow.roles["coder"].tools, ["find"]);
    assert_eq!(workflow.tools["find"].wall_millis, 600_000);
    for (find, replace, code) in [
        ("[tool.find]", "[tool.run]", "reserved_name"),
        ("[tool.find]", "[tool.find-it]", "bad_tool"),
        ("[\"grep\", \"{what}\"]", "[\"{what}\"]", "bad_tool"),
        ("[\"grep\", \"{what}\"]", "[]", "bad_tool"),
        ("\"{what}\"]", "\"{which}\"]", "bad_tool"),
        ("\"{what}\"]", "\"x\"]", "bad_tool"),
        (
            "about = \"a\"",
            "about = \"a\"\nwall = \"soon\"",
            "bad_duration",
        ),
    ] {
        let error = with(&good.replace(find, replace), "").expect_err(replace);
        assert_eq!(error.problems[0].code, code, "{error}");
    }
    let error = with(good, "tools = [\"fnid\"]").unwrap_err();
    assert_eq!(error.problems[0].code, "unknown_tool", "{error}");
}

#[test]
fn a_check_that_judges_a_role_must_name_one() {
    let gate = "gate = [{ check = \"tests\", role = \"nobody\" }]";
    refused("gate = [\"tests\"]", gate, "unknown_role", "[state.work]");
}

#[test]
fn a_reset_of_a_monotonic_counter_is_refused() {
    let text = GOOD
        .replace("\"on_pass\"", "\"never\"")
        .replace("to = \"end\"", "to = \"end\"\nreset = \"tries\"");
    let error = load(&source(&text), &check).unwrap_err();
    assert_eq!(error.problems[0].code, "monotonic_counter");
}

#[test]
fn exploration_finds_the_loop_that_resets_its_own_counter() {
    let text = GOOD.replace("to = \"work\"\nby", "to = \"work\"\nreset = \"tries\"\nby");
    let workflow = load(&source(&text), &check).expect("each line of it is fine");
    let report = explore(&workflow.table);
    let finding = report
        .findings
        .iter()
        .find(|finding| finding.code == "endless_loop");
    let path = finding.expect("an endless loop").path.join("\n");
    assert!(
        path.contains("fail -> fix") && path.contains("fixed -> work"),
        "{path}"
    );
}

#[test]
fn exploration_finds_a_decision_that_nobody_can_take() {
    let text = format!(
        "{GOOD}[[transition]]\naction = \"wish\"\nfrom = \"fix\"\nto = \"end\"\nby = \"human\"\nwhen = [\"left tries\", \"spent tries\"]\n"
    );
    let workflow = load(&source(&text), &check).unwrap();
    let codes: Vec<_> = explore(&workflow.table)
        .findings
        .iter()
        .map(|f| f.code)
        .collect();
    assert_eq!(codes, ["unreachable_decision"]);
}

#[test]
fn classes_fields_and_refusals_must_be_known() {
    refused(
        "when = \"gate.fail\"",
        "when = \"ended badly\"",
        "unknown_guard",
        "action = \"fail\"",
    );
    let text = GOOD.replace("kind = \"end\"", "kind = \"end\"\ntells = \"Doubt\"");
    let refusal = "[[refusal]]\noption = \"heal\"\nstates = \"nowhere\"\ncode = \"c\"\nwhy = \"w\"\nmend = \"m\"\n";
    let error = load(&source(&format!("{text}{refusal}")), &check).expect_err("faults");
    let codes: Vec<&str> = error.problems.iter().map(|problem| problem.code).collect();
    assert_eq!(codes, ["unknown_field", "unknown_state"], "{error}");
    let known = GOOD.replace("when = \"gate.fail\"", "when = [\"ended out_of_scope\"]");
    load(&source(&known), &check).unwrap();
}

#[test]
fn a_promise_names_fields_that_there_are() {
    let with = |promise: &str| {
        let fields =
            "[[task.field]]\nname = 'Phase'\nengine = 'state'\n[[task.field]]\nname = 'Goal'\n";
        let task = "[task]\nstate_file = 'S.md'\nphase_field = 'Phase'\nfiles = ['S.md']\n";
        let mut source = source(&format!("{GOOD}{task}{promise}\n{fields}"));
        let state_file = "Phase: work\nGoal:\n".to_owned();
        source.files.insert("task/S.md".to_owned(), state_file);
        let loaded = load(&source, &check).map_err(|error| error.problems[0].code)?;
        Ok(loaded.task.map(|task| task.promise).unwrap_or_default())
    };
    assert_eq!(with(""), Ok(Vec::new()));
    let goal = vec!["Goal".to_owned()];
    assert_eq!(with("request = 'Goal'"), Ok(goal.clone()));
    assert_eq!(with("promise = 'Goal'"), Ok(goal));
    assert_eq!(with("promise = ['Gaol']"), Err("unknown_field"));
}

/// A misspelt field would name nothing, in silence.
#[test]
fn a_role_names_fields_that_there_are() {
    let fields = "[task]\nstate_file = 'S.md'\nphase_field = 'Phase'\nfiles = ['S.md']\n[[task.field]]\nname = 'Phase'\nengine = 'state'\n[[task.field]]\nname = 'Files'\n";
    for key in ["sees", "hidden", "scope"] {
        let with = |glob: &str| {
            let role = format!("about = \"codes\"\n{key} = ['{glob}']");
            let text = GOOD.replace("about = \"codes\"", &role);
            let mut source = source(&format!("{text}{fields}"));
            let state_file = "Phase: work\nFiles:\n".to_owned();
            source.files.insert("task/S.md".to_owned(), state_file);
            load(&source, &check).map_err(|error| error.problems[0].code)
        };
        for known in ["{Files}", "src/{Files}", "src/*.{js,ts}"] {
            assert!(with(known).is_ok(), "{key} {known}");
        }
        for unknown in ["{Flies}", "!{files}", "{}"] {
            assert_eq!(
                with(unknown).err(),
                Some("unknown_field"),
                "{key} {unknown}"
            );
        }
    }
}

/// The engine writes at these paths: none may lead out of the task folder or the repository.
#[test]
fn paths_that_the_engine_writes_stay_in_their_folder() {
    let with = |task: &str, snapshot: &str| {
        let text = format!(
            "{GOOD}[task]\nstate_file = 'S.md'\nphase_field = 'Phase'\nfiles = ['S.md']\n{task}\n[[task.field]]\nname = 'Phase'\nengine = 'state'\n{snapshot}"
        );
        let mut source = source(&text);
        let state_file = "Phase: work\n".to_owned();
        source.files.insert("task/S.md".to_owned(), state_file);
        load(&source, &check)
    };
    let codes = |loaded: Result<flow::Workflow, flow::LoadError>| -> Vec<&'static str> {
        let problems = loaded.err().map(|error| error.problems);
        let problems = problems.into_iter().flatten();
        problems.map(|problem| problem.code).collect()
    };
    let snapshot = |folder: &str, latest: &str| {
        format!(
            "[snapshot]\nfolder = '{folder}'\nlatest = '{latest}'\nid = 'Phase'\nheader = []\ngates = []\nafter = []\nevidence = []\n"
        )
    };
    let good = "folder = '.add/{slug}'\nlog = 'log.md'\npatch = 'a/b.patch'\nevidence_page = 'artifacts/e.html'\nfolders = ['artifacts']\nneeds = [{ file = 'p/q.md', template = 'b.md' }]";
    let none: [&str; 0] = [];
    assert_eq!(codes(with(good, &snapshot("context", "context.md"))), none);
    for bad in [
        "../x.md",
        "/tmp/x.md",
        "a/../../x.md",
        "",
        ".git/x",
        "a/.GIT/x",
    ] {
        for task in [
            format!("folder = '{bad}'"),
            format!("log = '{bad}'"),
            format!("patch = '{bad}'"),
            format!("evidence_page = '{bad}'"),
            format!("folders = ['{bad}']"),
            format!("needs = [{{ file = '{bad}', template = 'b.md' }}]"),
        ] {
            assert_eq!(codes(with(&task, "")), ["path_outside"], "{task}");
        }
        for spec in [snapshot(bad, "l.md"), snapshot("c", bad)] {
            assert_eq!(codes(with("", &spec)), ["path_outside"], "{spec}");
        }
    }
}

//! What a script may say, and the sentence for each thing that it may not.

use super::Scripted;
use super::parse::parse;
use super::script::{Answer, OnFailure, Script, Step};
use std::path::Path;
use std::time::Duration;

fn sentence(text: &str) -> String {
    let error = Scripted::parse("a.toml", text, Path::new("")).expect_err(text);
    assert_eq!(error.code(), "script_malformed");
    error.to_string()
}

fn step_sentence(step: &str) -> String {
    sentence(&format!(
        "[[attempt]]\nsteps = [\n  {{ wait = 1 }},\n  {{ {step} }},\n]\n"
    ))
}

#[test]
fn every_step_is_read() {
    let script = parse("a.toml", include_str!("every-step.toml")).unwrap();
    assert_eq!(script.log.as_deref(), Some(Path::new("agent.log")));
    let entry = &script.entries[0];
    assert_eq!(entry.steps.len(), 16);
    assert_eq!(
        entry.steps[5],
        Step::Set {
            field: "Phase".into(),
            to: "verify".into()
        }
    );
    assert_eq!(
        entry.steps[7],
        Step::Chmod {
            path: "repo/run.sh".into(),
            mode: 0o755
        }
    );
    assert_eq!(
        entry.steps[10],
        Step::Run {
            command: "true".into(),
            failure: OnFailure::Crash
        }
    );
    assert_eq!(
        entry.steps[11],
        Step::Wait {
            time: Duration::from_millis(500)
        }
    );
    assert_eq!(entry.usage.unwrap().input_tokens, 1200);
    let Answer::Value(result) = &entry.answer else {
        panic!("{:?}", entry.answer);
    };
    let expected = serde_json::json!({"next": "verify", "parts": [1, 1.5, true], "summary": "s"});
    assert_eq!(serde_json::Value::Object(result.clone()), expected);
}

#[test]
fn faults_of_the_script_name_file_line_and_mend() {
    let cases = [
        (
            "",
            "script a.toml, line 1: there is no [[attempt]]; add at least one",
        ),
        (
            "\nlogs = \"x\"\n[[attempt]]\n",
            "script a.toml, line 2: the script has an unknown key `logs`; it takes log and [[attempt]]",
        ),
        (
            "[attempt]\n",
            "script a.toml, line 1: `attempt` is a TOML table that does not fit here; write [[attempt]] with two brackets",
        ),
        (
            "[[attempt]]\nstate = \"a\"\nstat = 1\n",
            "script a.toml, line 3: the [[attempt]] has an unknown key `stat`; it takes state, role, attempt, brief, steps, result, result_text and usage",
        ),
        (
            "[[attempt]]\n\nattempt = 0\n",
            "script a.toml, line 3: `attempt` is a TOML integer that does not fit here; give a whole number from 1 to 4294967295",
        ),
        (
            "[[attempt]]\nrole = 3\n",
            "script a.toml, line 2: `role` is a TOML integer that does not fit here; give a string in quotes",
        ),
        (
            "[[attempt]]\nresult = \"x\"\n",
            "script a.toml, line 2: `result` is a TOML string that does not fit here; write result = { summary = \"...\" }, or result_text for anything else",
        ),
        (
            "[[attempt]]\nresult = {}\nresult_text = \"\"\n",
            "script a.toml, line 2: the [[attempt]] has both `result` and `result_text`; keep one of them",
        ),
        (
            "[[attempt]]\nresult = { usage = {} }\n",
            "script a.toml, line 2: `usage` stands inside `result`; put it beside: usage = { ... }",
        ),
        (
            "[[attempt]]\nresult = { a = nan }\n",
            "script a.toml, line 2: nan is not a number that JSON has; give a smaller, finite number or a string",
        ),
        (
            "[[attempt]]\n[attempt.usage]\ntokens = 1\n",
            "script a.toml, line 3: `usage` has an unknown key `tokens`; it takes input_tokens, output_tokens and micro_dollars",
        ),
        (
            "[[attempt]]\nsteps = [ \"run\" ]\n",
            "script a.toml, line 2: step 1 is not a table; write steps = [ { run = \"...\" }, ... ]",
        ),
    ];
    for (text, expected) in cases {
        assert_eq!(sentence(text), expected, "for {text:?}");
    }
    let broken = sentence("[[attempt]]\nstate = \n");
    assert!(
        broken.starts_with("script a.toml, line 2: this is not TOML: "),
        "{broken}"
    );
}

#[test]
fn faults_of_a_step_name_the_step() {
    let verbs = "give each step exactly one of write, append, edit, set, delete, chmod, symlink, run, wait, print, crash, hang";
    let cases = [
        ("text = \"x\"", format!("step 2 has no verb; {verbs}")),
        ("write = \"a\", run = \"b\"", format!("step 2 has more than one verb (write, run); {verbs}")),
        ("write = \"a\"", "step 2 (`write`) has no `text`; add `text = \"...\"`".into()),
        ("write = \"\", text = \"\"", "`write` of step 2 (`write`) is empty; write something between the quotes".into()),
        ("delete = \"a\", text = \"\"", "step 2 (`delete`) has an unknown key `text`; it takes `delete`".into()),
        ("edit = \"a\", find = \"\", replace = \"b\"", "`find` of step 2 (`edit`) is empty; write something between the quotes".into()),
        ("chmod = \"a\", mode = \"rwx\"", "step 2 (`chmod`) has the mode \"rwx\", which is not octal; write it as chmod does, such as \"755\"".into()),
        ("wait = -1", "`wait` is a TOML integer that does not fit here; give seconds from 0, such as 0.5".into()),
        ("wait = inf", "`wait` is a TOML float that does not fit here; give seconds from 0, such as 0.5".into()),
        ("crash = 0", "`crash` is a TOML integer that does not fit here; give a whole number from 1 to 255".into()),
        ("hang = false", "`hang` is a TOML boolean that does not fit here; write hang = true, or leave the step out".into()),
        ("run = \"a\", must = 1", "`must` is a TOML integer that does not fit here; give true or false".into()),
    ];
    for (step, expected) in cases {
        assert_eq!(
            step_sentence(step),
            format!("script a.toml, line 4: {expected}")
        );
    }
}

#[test]
fn a_missing_file_has_its_own_code() {
    let error = Scripted::load(Path::new("/nowhere/a.toml")).expect_err("there is no such file");
    assert_eq!(error.code(), "script_missing");
    assert!(
        error
            .to_string()
            .starts_with("script /nowhere/a.toml cannot be read: No such file")
    );
}

#[test]
fn an_entry_that_names_the_attempt_wins() {
    let script = parse(
        "a.toml",
        r#"
        [[attempt]]
        result_text = "any"
        [[attempt]]
        state = "code"
        attempt = 2
        result_text = "code 2"
        [[attempt]]
        state = "code"
        role = "tester"
        result_text = "never: the first entry fits everything"
        [[attempt]]
        role = "tester"
        attempt = 2
        result_text = "tester 2"
        "#,
    )
    .unwrap();
    let chosen = |state, role, nth| text(&script, state, role, nth);
    assert_eq!(chosen("code", "coder", 1), "any");
    assert_eq!(chosen("code", "coder", 2), "code 2");
    assert_eq!(chosen("code", "tester", 2), "code 2");
    assert_eq!(chosen("test", "tester", 2), "tester 2");
    assert_eq!(chosen("code", "tester", 3), "any");
}

fn text<'a>(script: &'a Script, state: &str, role: &str, nth: u32) -> &'a str {
    match &script.choose(state, role, nth, "").unwrap().answer {
        Answer::Text(text) => text,
        other => panic!("{other:?}"),
    }
}

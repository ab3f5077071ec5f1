//! What a state asks its role: the brief shows it with an example, and the gate reads the answers.

use crate::objections::{REVIEWED, begun, loaded};
use crate::source;
use flow::load;
use kernel::effect::Effect;
use serde_json::{Value, json};

/// A workflow whose gate asks for a text, and a table of who judges it.
fn judged(row: &str) -> Result<flow::Workflow, flow::LoadError> {
    let asks = r#"gate = ["tests", { check = "sections", file = "task/a.md", headings = ["Why"] }]
questions = [{ id = "safe", asks = "Is every input checked?" }]"#;
    let text = REVIEWED.replacen("gate = [\"tests\"]", asks, 1);
    load(
        &source(&format!("{text}[judged.\"task/a.md\"]\n{row}\n")),
        &|_, _| Ok(()),
    )
}

#[test]
fn a_text_that_nobody_judges_is_refused() {
    for good in [
        "question safe in review",
        "check tests in review",
        "person in asked",
    ] {
        let workflow = judged(&format!("Why = \"{good}\"")).unwrap();
        assert_eq!(workflow.judged[0].by, good);
    }
    for (bad, code) in [
        ("", "unjudged_text"),
        (
            "Why = \"person in asked\"\nHow = \"person in asked\"",
            "unjudged_text",
        ),
        ("Why = \"check sections in review\"", "unknown_judge"),
        ("Why = \"check lockfile in review\"", "unknown_judge"),
        ("Why = \"question fast in review\"", "unknown_judge"),
        ("Why = \"person in review\"", "unknown_judge"),
        ("Why = \"somebody\"", "unknown_judge"),
    ] {
        let error = judged(bad).expect_err(bad);
        assert!(
            error.problems.iter().all(|one| one.code == code),
            "{bad}: {error}"
        );
    }
    // Without a table nothing is asked of anybody.
    assert!(loaded(&asking()).judged.is_empty());
}

const ASKED: &str = r#"gate = ["tests"]
questions = [
    { id = "safe", asks = "Is every input checked?" },
    { id = "traced", asks = "Has it a test?", answers = ["yes", "n/a"], each = { pattern = 'AC-\d+', file = "task/scope.md", section = "Criteria" } },
]"#;

fn asking() -> String {
    REVIEWED.replacen("gate = [\"tests\"]", ASKED, 1)
}

#[test]
fn the_gate_of_a_state_that_asks_reads_the_answers() {
    let workflow = loaded(&asking());
    let gate = &workflow.states["review"].gate;
    let names: Vec<&str> = gate.iter().map(|spec| spec.check.as_str()).collect();
    assert_eq!(names, ["tests", "questions"]);
    let with = json!({ "by": "reviewer", "ask": [
        { "id": "safe", "asks": "Is every input checked?", "answers": ["yes"] },
        { "id": "traced", "asks": "Has it a test?", "answers": ["yes", "n/a"],
          "each": { "pattern": "AC-\\d+", "file": "task/scope.md", "section": "Criteria" } },
    ] });
    assert_eq!(gate[1].with, with);
    assert!(workflow.states["fix"].questions.is_empty());
}

#[test]
fn a_question_may_wait_for_what_the_gate_shows() {
    let waits = r#"gate = [{ check = "tests", advisory = true, shows = "unbuilt" }]
questions = [
    { id = "safe", asks = "Is every input checked?", unless = "unbuilt" },
    { id = "told", asks = "Does the log tell it?" },
]"#;
    let text = REVIEWED.replacen("gate = [\"tests\"]", waits, 1);
    let workflow = loaded(&text);
    let gate = &workflow.states["review"].gate;
    assert_eq!(gate.len(), 3);
    assert_eq!(gate[1].with["ask"][0]["id"], "told");
    assert!(gate[1].with["when"].is_null());
    assert_eq!(gate[2].with["ask"][0]["id"], "safe");
    assert_eq!(gate[2].with["when"], json!({ "unless": "unbuilt" }));
    // One sentence is no evidence of both, though they are read apart.
    assert_eq!(gate[2].with["beside"], json!(["told"]));
    let brief = {
        let mut hand = begun(&text);
        hand.says(json!({ "summary": "built" }), "");
        match hand.begin() {
            Effect::Attempt(order) => order.brief,
            other => panic!("{other:?}"),
        }
    };
    assert!(
        brief.contains("Not asked where the checks show `unbuilt`."),
        "{brief}"
    );
    let nobody = text.replace("unless = \"unbuilt\"", "unless = \"built\"");
    let error = load(&source(&nobody), &|_, _| Ok(())).expect_err("nothing shows it");
    assert_eq!(error.problems[0].code, "unknown_word", "{error}");
}

#[test]
fn the_brief_shows_the_questions_with_an_example_of_an_answer() {
    let mut hand = begun(&asking());
    hand.says(json!({ "summary": "built" }), "");
    assert_eq!(hand.state(), "review");
    let Effect::Attempt(order) = hand.begin() else {
        panic!("an attempt is wanted")
    };
    let brief = order.brief;
    for part in [
        "- `safe`: Is every input checked? It passes with: yes.",
        "(for each `AC-\\d+` of task/scope.md, `Criteria`; the name is `traced ID`) It passes with: yes, n/a.",
    ] {
        assert!(brief.contains(part), "no `{part}` in\n{brief}");
    }
    let (_, example) = brief.split_once("```json\n").expect("an example");
    let example = example.split("\n```").next().expect("its end");
    let example: Value = serde_json::from_str(example).expect("an example is JSON");
    assert_eq!(example["answers"]["safe"]["answer"], "yes");
    assert!(example["answers"]["safe"]["evidence"].is_string());
}

#[test]
fn questions_need_a_role_that_answers() {
    let text = REVIEWED.replace(
        "[state.asked]\nkind = \"wait\"",
        "[state.asked]\nkind = \"wait\"\nquestions = [{ id = \"a\", asks = \"Is it so?\" }]",
    );
    let error = load(&source(&text), &|_, _| Ok(())).expect_err("nobody answers");
    assert_eq!(error.problems[0].code, "needless_questions", "{error}");
    let unknown = asking().replace("answers = [", "answer = [");
    assert!(load(&source(&unknown), &|_, _| Ok(())).is_err());
}

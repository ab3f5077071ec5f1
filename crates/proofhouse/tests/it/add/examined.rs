//! An examiner that is in league with the builder: it asks for what is easy, and for no refusal.

use super::{Add, Scope};

const EASY: &str = r#"
[[attempt]]
state = "examine"
attempt = 1
result = { summary = "sums", exam = { driver = "command", cases = [
    { id = "C1", clause = "the total of two prices is their sum", steps = [{ call = "sh", with = ["-c", ". ./src/total.sh; total 2 3"] }], holds = [{ of = 0, at = "/stdout", is = "equals", value = "5\n" }] },
    { id = "C2", clause = "the total of two prices is their sum", steps = [{ call = "sh", with = ["-c", ". ./src/total.sh; total 10 20"] }], holds = [{ of = 0, at = "/stdout", is = "equals", value = "30\n" }] },
    { id = "C3", clause = "a price that is no number; Code: refused", steps = [{ call = "sh", with = ["-c", ". ./src/total.sh; total 1 b"] }], holds = [{ of = 0, at = "/stdout", is = "differs", value = "1\n" }] },
    { id = "C4", clause = "the total of two prices is their sum", steps = [{ call = "sh", with = ["-c", ". ./src/total.sh; total 40 2"] }], holds = [{ of = 0, at = "/stdout", is = "equals", value = "42\n" }] },
] } }
"#;

#[test]
fn an_exam_that_asks_for_no_refusal_goes_back_with_the_code_that_is_missing() {
    let add = Add::start(EASY, Scope::Narrow, &["--exam"]);
    add.run(2);
    let told = "no case must meet `refused`";
    let judged = add.world.judged("t");
    assert!(judged.contains(told), "{judged}");
    let briefs = crate::quick::kept(&add.world, " examine brief");
    assert!(
        briefs.iter().any(|brief| brief.contains(told)),
        "{briefs:?}"
    );
    // The next one asks for it, and the person sees a bundle that can be asked for.
    add.waits_for("freeze");
    assert_eq!(add.world.status()["exam"]["attempts"], 2);
}

/// Who builds hears what a person has answered at the freeze, and not that they have ticked a line off.
#[test]
fn an_answer_at_the_freeze_that_only_agrees_is_on_record_and_in_no_brief() {
    let add = Add::frozen("", Scope::Narrow, &[]);
    add.run(0);
    let briefs = crate::quick::kept(&add.world, " brief");
    let told: Vec<&String> = briefs
        .iter()
        .filter(|brief| brief.contains("decided `freeze`"))
        .collect();
    assert!(told.len() > 1, "{briefs:?}");
    for brief in told {
        assert!(brief.contains("flag: I can live with it"), "{brief}");
        assert!(!brief.contains("spec: read"), "{brief}");
        assert!(!brief.contains("header: right"), "{brief}");
    }
    let log = add.world.run(&["log", "t"]).exits(0).out;
    assert!(log.contains("spec: read"), "{log}");
}

//! What became of a finding is said in words, or it stays open.

use crate::support::{HONEST, World};

/// A critical finding is not answered by a letter, neither by whoever mends it nor by whoever raised it: the
/// result is handed back, and the finding stays open.
#[test]
fn a_finding_is_not_settled_by_a_letter_whoever_says_it() {
    let raises = r#"
[[attempt]]
state = "review"
attempt = 1
steps = [{ append = "task/EVIDENCE.md", text = "it loses a cent, as `artifacts/seen.txt` shows\n" }]
result = { summary = "it loses a cent", verdict = "fail", findings = [{ kind = "correctness", severity = "critical", place = "code.txt:1", what = "a cent is lost" }] }
"#;
    let settles = |state: &str, how: &str| {
        let result = match state {
            "repair" => "next = \"verify\"",
            _ => "verdict = \"pass\"",
        };
        format!(
            "[[attempt]]\nstate = \"{state}\"\nsteps = [{{ append = \"task/EVIDENCE.md\", text = \"looked again\\n\" }}]\nresult = {{ summary = \"looked again\", {result}, settled = [{{ finding = \"F1\", how = \"{how}\" }}] }}\n"
        )
    };
    // Whoever mends it says so with a letter, as often as they are asked.
    let world = World::new();
    let script = format!("{raises}{}{HONEST}", settles("repair", "x"));
    world.start(&script, &[]);
    world.run(&["run", "t"]).exits(2);
    assert_eq!(world.status()["state"], "repair");
    let journal = world.journal();
    let refused: Vec<_> = journal
        .iter()
        .filter(|record| record["body"]["outcome"]["class"] == "invalid_result")
        .collect();
    assert!(!refused.is_empty(), "{journal:#?}");
    let said = refused[0].to_string();
    assert!(said.contains("/settled/0/how"), "{said}");
    // And whoever raised it.
    let world = World::new();
    let script = format!("{raises}{}{HONEST}", settles("review", "x"));
    world.start(&script, &[]);
    world.run(&["run", "t"]).exits(2);
    assert_eq!(world.status()["state"], "review");
    let inbox = world.run(&["inbox"]).exits(0).out;
    assert!(inbox.contains("a cent is lost"), "{inbox}");
    // Their twins say what became of it, and it is done.
    let world = World::new();
    world.start(&format!("{raises}{HONEST}"), &[]);
    world.run(&["run", "t"]).exits(0);
    assert_eq!(world.status()["state"], "done");
}

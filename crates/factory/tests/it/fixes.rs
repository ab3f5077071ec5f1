//! Rule F17.2: a person's second fix stands on the first as long as no attempt has taken that up, so
//! the two must fit each other. What does not fit is refused when it is given.

use crate::stuck::{stuck, until};
use kernel::outcome::Found;
use kernel::{Class, Outcome, What};
use serde_json::{Value, json};

const A: &str = "T-a-001";

fn fix(files: &Value) -> Value {
    json!({"task": A, "fix_description": "by hand", "fix_artifacts": files})
}

#[test]
fn s17_2_a_second_fix_collides_with_the_first_that_it_stands_on_and_is_refused() {
    let mut project = stuck();
    let first = json!({"tests/a.rs": "1", "tests/data/b.txt": "2"});
    project.decide("PROVIDE_FIX", fix(&first)).unwrap();
    let effect = until(&mut project, "challenge");
    let outcome = Outcome::bare(Class::CouldNotRun, "no such program");
    let ended = What::AttemptEnded {
        effect,
        outcome: Box::new(outcome),
        found: Found::Live,
    };
    project.feed(ended).unwrap();
    let before = project.journal.len();
    for (files, words) in [
        (
            json!({"tests/a.rs/c.rs": "3"}),
            "`tests/a.rs` cannot be a file and the folder of `tests/a.rs/c.rs`",
        ),
        (
            json!({"tests/data": "3"}),
            "`tests/data` cannot be a file and the folder of `tests/data/b.txt`",
        ),
    ] {
        let refusal = project.decide("PROVIDE_FIX", fix(&files)).unwrap_err();
        assert_eq!(refusal.code, "fix_paths_collide");
        assert!(refusal.what.contains(words), "{}", refusal.what);
        assert_eq!(project.journal.len(), before);
    }
    // The ship writes its own log.
    let log = json!({"tests/execution_log.json": "{}"});
    let refusal = project.decide("PROVIDE_FIX", fix(&log)).unwrap_err();
    assert_eq!(refusal.code, "fix_path_outside");
    // What fits is laid over the first.
    let second = json!({"tests/a.rs": "4", "tests/data/c.txt": "5"});
    project.decide("PROVIDE_FIX", fix(&second)).unwrap();
    let standing = project.machine.standing_fix(&A.into()).unwrap();
    let files: Vec<(&str, &str)> = standing
        .files
        .iter()
        .map(|(name, text)| (name.as_str(), text.as_str()))
        .collect();
    assert_eq!(
        files,
        [
            ("tests/a.rs", "4"),
            ("tests/data/b.txt", "2"),
            ("tests/data/c.txt", "5")
        ]
    );
}

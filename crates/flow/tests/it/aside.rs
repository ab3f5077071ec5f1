//! What a person has put back: committed first, and only what they name.

use crate::add::puts_back;
use crate::objections::begun;
use crate::workflow;
use kernel::Machine;
use kernel::effect::Effect;
use serde_json::json;

const DRIFTED: &str = r#"name = "t"
about = "planned, built and looked at"
initial = "plan"
checkpoint = "passed_gates"
[role.coder]
can = ["edit"]
about = "codes"
[state.plan]
kind = "work"
role = "coder"
brief = "b.md"
gate = ["tests"]
[state.build]
kind = "work"
role = "coder"
brief = "b.md"
gate = ["tests"]
[state.blocked]
kind = "wait"
[state.look]
kind = "gate"
gate = ["tests"]
[state.end]
kind = "end"
[[transition]]
action = "planned"
from = "plan"
to = "build"
by = "engine"
when = "gate.pass"
[[transition]]
action = "built"
from = "build"
to = "blocked"
by = "engine"
when = "gate.pass"
[[transition]]
action = "resolve"
from = "blocked"
to = "look"
by = "human"
sets_aside = "build"
back_to = "plan"
aside_named = "revert"
[[transition]]
action = "looked"
from = "look"
to = "end"
by = "engine"
when = "gate.pass"
"#;

#[test]
fn what_a_person_names_is_put_back_and_nothing_else() {
    for (because, named) in [
        ("split it", None),
        ("revert: ", None),
        ("revert: ../elsewhere, /etc/passwd", None),
        (
            "revert: src/a, ../b, `src/c`; why: nobody asked for it",
            Some(["repo/src/a", "repo/src/c"]),
        ),
    ] {
        let mut hand = begun(DRIFTED);
        for _ in 0..2 {
            hand.says(json!({"summary": "done"}), "");
            hand.checkpoint();
        }
        assert_eq!(hand.state(), "blocked");
        hand.decide_because("resolve", because).unwrap();
        let Some(named) = named else {
            assert!(
                matches!(hand.flow.wanted().first(), Some(Effect::Gate(_))),
                "{because}"
            );
            continue;
        };
        // It is committed before a file of it goes.
        assert_eq!(puts_back(&hand), None, "{because}");
        hand.checkpoint();
        let paths = named.map(str::to_owned).to_vec();
        assert_eq!(puts_back(&hand), Some((Some("c".to_owned()), paths)));
        hand.checkpoint();
        assert!(matches!(hand.flow.wanted().first(), Some(Effect::Gate(_))));
    }
}

#[test]
fn the_built_in_pipeline_reverts_what_a_person_names() {
    let workflow = workflow("lights-out");
    let mut ways = workflow.table.transitions.iter().zip(&workflow.after);
    let way = ways.find(|(way, _)| way.action.as_str() == "ResolveReconcileBlock");
    let aside = way.unwrap().1.aside.as_ref().unwrap();
    assert_eq!(aside.named.as_deref(), Some("revert"));
    assert_eq!(aside.back_to.as_str(), "Analyzing");
}

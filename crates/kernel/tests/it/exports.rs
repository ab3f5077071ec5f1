//! Exports of one small table, to the letter.

use crate::tables::{Chain, table, way, with};
use kernel::Actor;
use kernel::export::{Edge, dot, edges, json, mermaid, tla, tla_config, tla_module_name};
use kernel::table::{Guard, Slot, Table};

/// Two legs to the one return: the slot is saved on the way to `ask` and kept on the way to `fix`.
fn small() -> Table {
    with(
        table(
            "a:work ask:wait fix-it:gate done:end shelf:rest",
            &[("x", 1)],
        ),
        [
            way("ask", "a", "ask", Actor::Agent)
                .when(Guard::Requested)
                .slot(Slot::SaveFrom),
            way("mend", "ask", "fix-it", Actor::Human),
            way("reopen", "ask fix-it", "return", Actor::Human),
            way("passed", "a", "done", Actor::Engine).when(Guard::GatePass),
            way("passed", "fix-it", "done", Actor::Engine).count("x"),
            way("shelve", "a", "shelf", Actor::Human),
            way("take_up", "shelf", "a", Actor::Human),
        ],
    )
}

#[test]
fn edges_have_concrete_targets_and_stand_once() {
    let edge = |action: &str, from: &[&str], to: &str, by| Edge {
        action: action.to_owned(),
        from: from.iter().map(|name| (*name).into()).collect(),
        to: to.into(),
        by,
    };
    assert_eq!(
        edges(&small()),
        [
            edge("ask", &["a"], "ask", Actor::Agent),
            edge("mend", &["ask"], "fix-it", Actor::Human),
            edge("reopen", &["ask", "fix-it"], "a", Actor::Human),
            edge("passed", &["a", "fix-it"], "done", Actor::Engine),
            edge("shelve", &["a"], "shelf", Actor::Human),
            edge("take_up", &["shelf"], "a", Actor::Human),
        ]
    );
}

#[test]
fn json_to_the_letter() {
    let mut table = small();
    table.transitions.truncate(1);
    table
        .states
        .retain(|name, _| name.as_str().starts_with('a'));
    assert_eq!(
        json(&table),
        r#"{
  "name": "t",
  "initial": "a",
  "states": [
    "a",
    "ask"
  ],
  "transitions": [
    {
      "action": "ask",
      "from": [
        "a"
      ],
      "to": "ask",
      "by": "agent"
    }
  ]
}"#
    );
}

#[test]
fn mermaid_to_the_letter() {
    assert_eq!(
        mermaid(&small()),
        r#"stateDiagram-v2
    state "a" as a
    state "ask" as ask
    state "done" as done
    state "fix-it" as fix_it
    state "shelf" as shelf
    [*] --> a
    a --> ask: ask (agent)
    ask --> fix_it: mend (human)
    ask --> a: reopen (human)
    fix_it --> a: reopen (human)
    a --> done: passed (engine)
    fix_it --> done: passed (engine)
    a --> shelf: shelve (human)
    shelf --> a: take_up (human)
    done --> [*]
"#
    );
}

#[test]
fn dot_to_the_letter() {
    assert_eq!(
        dot(&small()),
        r#"digraph "t" {
    rankdir=LR;
    "a" [shape=box];
    "ask" [shape=octagon];
    "done" [shape=doublecircle];
    "fix-it" [shape=diamond];
    "shelf" [shape=ellipse];
    "a" -> "ask" [label="ask", style=dashed];
    "ask" -> "fix-it" [label="mend", style=bold];
    "ask" -> "a" [label="reopen", style=bold];
    "fix-it" -> "a" [label="reopen", style=bold];
    "a" -> "done" [label="passed", style=solid];
    "fix-it" -> "done" [label="passed", style=solid];
    "a" -> "shelf" [label="shelve", style=bold];
    "shelf" -> "a" [label="take_up", style=bold];
}
"#
    );
}

#[test]
fn names_that_look_alike_stay_apart_in_mermaid() {
    let table = with(
        table("fix-it:work fix_it:work done:end", &[]),
        [way("go", "fix-it", "fix_it", Actor::Engine)],
    );
    let text = mermaid(&table);
    assert!(text.contains("fix_it --> fix_it_2: go (engine)"), "{text}");
}

#[test]
fn names_that_are_not_plain_words_are_escaped() {
    let mut table = small();
    let states = std::mem::take(&mut table.states);
    let odd = |name: &str| name.replace("ask", "a\"sk\\");
    table.states = states
        .into_iter()
        .map(|(name, state)| (odd(name.as_str()).as_str().into(), state))
        .collect();
    table.transitions.clear();
    assert!(dot(&table).contains(r#""a\"sk\\" [shape=octagon];"#));
    assert!(mermaid(&table).contains(r#"state "a#quot;sk\" as a_sk_"#));
    assert!(tla(&table).contains(r#"States == {"a", "a\"sk\\", "done""#));
}

#[test]
fn a_module_has_a_name_that_is_free() {
    for (name, want) in [
        ("lights-out", "LightsOut"),
        ("add", "Add"),
        ("2fast", "W2fast"),
        ("naturals", "NaturalsWorkflow"),
        ("TLC", "TLCWorkflow"),
        ("", "W"),
    ] {
        let mut table = small();
        table.name = name.to_owned();
        assert_eq!(tla_module_name(&table), want, "{name}");
        assert!(tla(&table).starts_with(&format!("---- MODULE {want} ----\n")));
    }
}

#[test]
fn the_configuration_checks_every_property_of_the_module() {
    let text = tla(&small());
    let config = tla_config();
    for name in config.lines().filter_map(|line| line.strip_prefix("    ")) {
        assert!(text.contains(&format!("\n{name} ==")), "{name}");
    }
    assert!(config.contains("HighRiskGuarded") && config.contains("WayOut"));
}

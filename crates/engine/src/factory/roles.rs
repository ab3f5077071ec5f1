//! The five roles as agents are given them: the form of their results, and nothing of the machine.
//!
//! A result is the document of that name without what the engine gives itself (ids, and what the
//! result is about), so that a role can neither forge an id nor be refused for a missing one.

use super::tools;
use ::factory::engineering::roles::{Occasion, Role as Debater};
use ::factory::product;
use agents::result::Shape;
use flow::{Capability, Checkpoints, Paper, Role, Workflow};
use kernel::StateName;
use kernel::effect::Sight;
use kernel::table::{Stalling, Stepping, Table};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::sync::Arc;
use workspace::context::Context;
use workspace::error::EngineError;

/// A role as the factory's table has it.
struct Row {
    name: &'static str,
    /// Whose answers it gives; none: it leaves a file, and says that it has.
    role: Option<Debater>,
    tier: &'static str,
    /// What the engine offers it besides files and programs, where its agent can be offered tools.
    tools: &'static [&'static str],
}

const EXAMINER: &str = "examiner";

const ROLES: [Row; 6] = [
    Row {
        name: product::ROLE,
        role: None,
        tier: "top",
        tools: &tools::OF_PRODUCT,
    },
    Row {
        name: "micro_planner",
        role: Some(Debater::MicroPlanner),
        tier: "top",
        tools: &tools::OF_ENGINEERS,
    },
    Row {
        name: "proposer",
        role: Some(Debater::Proposer),
        tier: "standard",
        tools: &tools::OF_ENGINEERS,
    },
    Row {
        name: EXAMINER,
        role: Some(Debater::Examiner),
        tier: "top",
        tools: &[],
    },
    Row {
        name: "challenger",
        role: Some(Debater::Challenger),
        tier: "top",
        tools: &[],
    },
    Row {
        name: "arbiter",
        role: Some(Debater::Arbiter),
        tier: "top",
        tools: &[],
    },
];

/// The roles in the form that agents are chosen by.
pub(super) fn workflow() -> Arc<Workflow> {
    let role = |row: &Row| {
        let role = Role {
            can: match row.name {
                // It alone makes something, so it alone may build and try it.
                "proposer" => Capability::ALL.to_vec(),
                // It writes its draft, and has nothing to run.
                product::ROLE => vec![Capability::Read, Capability::Search, Capability::Edit],
                _ => vec![Capability::Read, Capability::Search],
            },
            about: format!("the {} of the factory", row.name),
            tier: row.tier,
            sight: Sight {
                sees: Vec::new(),
                hidden: Vec::new(),
                scope: Vec::new(),
                within: Vec::new(),
            },
            result: None,
            reads: Vec::new(),
            // Nobody but the engine hears what it says.
            hands_in: (row.name == EXAMINER).then_some(Paper::Exam),
            tools: row.tools.iter().map(|name| (*name).to_owned()).collect(),
        };
        (row.name.to_owned(), role)
    };
    Arc::new(Workflow {
        name: ::factory::NAME.to_owned(),
        about: "from a spec to released modules".to_owned(),
        hash: String::new(),
        table: Table {
            name: ::factory::NAME.to_owned(),
            initial: StateName::from("building"),
            states: BTreeMap::new(),
            counters: BTreeMap::new(),
            transitions: Vec::new(),
            stepping: Stepping::Held,
            stalling: Stalling::Counts,
        },
        after: Vec::new(),
        start_with: Vec::new(),
        sealed: Vec::new(),
        rebuffs: Vec::new(),
        states: BTreeMap::new(),
        roles: ROLES.iter().map(role).collect(),
        tools: BTreeMap::new(),
        stall_check: None,
        stall_stops: false,
        stops: Vec::new(),
        idle_stops: false,
        looks_again: false,
        alike_stops: None,
        failures_stop: None,
        rules: 1,
        checkpoints: Checkpoints::Never,
        sessions: flow::Sessions::Fresh,
        preamble: String::new(),
        task: None,
        snapshot: None,
        judged: Vec::new(),
    })
}

/// What the results must look like, by role, and by the state where one asks for something else.
pub(super) fn shapes() -> Result<BTreeMap<String, Arc<Shape>>, EngineError> {
    let mut shapes = BTreeMap::new();
    for row in ROLES {
        let mut add = |name: String, schema: &Value| {
            let shape = Shape::alone(schema).map_err(|why| {
                let what = format!("the schema of what `{name}` returns: {why}");
                EngineError::environment("bad_schema", what, "please report")
            })?;
            shapes.insert(name, Arc::new(shape));
            Ok::<(), EngineError>(())
        };
        match row.role {
            Some(Debater::Examiner) => add(row.name.to_owned(), &kernel::exam::schema())?,
            Some(role) => {
                add(
                    row.name.to_owned(),
                    &role.answer(Occasion::Propose).schema(),
                )?;
                if role == Debater::Proposer {
                    let amended = role.answer(Occasion::Amend).schema();
                    add(Context::shape_name(row.name, "amend"), &amended)?;
                }
            }
            None => add(row.name.to_owned(), &said())?,
        }
    }
    Ok(shapes)
}

/// What a role says whose work is a file.
fn said() -> Value {
    json!({
        "type": "object",
        "properties": {
            "summary": {"type": "string"},
            "sources": {"type": "array", "items": {"type": "string"}},
        },
        "required": ["summary"],
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use ::factory::engineering::debate::{At, Debate, Said};

    #[test]
    fn s14_3_planner_and_proposer_search_the_index_and_the_debaters_do_not() {
        let workflow = workflow();
        let has = |role: &str| {
            workflow.roles[role]
                .tools
                .contains(&"search_code_index".to_owned())
        };
        let all = [
            "product",
            "micro_planner",
            "proposer",
            "challenger",
            "arbiter",
        ];
        assert_eq!(all.map(has), [true, true, true, false, false]);
        for (name, role) in &workflow.roles {
            let known = |tool: &&String| {
                tools::OF_PRODUCT.contains(&tool.as_str())
                    || tools::OF_ENGINEERS.contains(&tool.as_str())
            };
            assert_eq!(
                role.tools.iter().filter(known).count(),
                role.tools.len(),
                "{name}"
            );
        }
    }

    #[test]
    fn results_are_the_documents_without_the_ids_that_the_engine_gives() {
        let shapes = shapes().unwrap();
        let judge = |role: &str, value: &Value| agents::result::judge(value, &shapes[role]);
        let good = json!({"claim": "it slugs every title", "deliverable_ref": "implementation/", "acceptance_checks": ["tests pass"]});
        judge("proposer", &good).unwrap();
        assert!(judge("proposer", &json!({"interface_change_exception": {}})).is_err());
        let bad =
            json!({"claim": "it slugs", "deliverable_ref": "x", "acceptance_checks": "tests"});
        assert!(judge("proposer", &bad).is_err());
        assert!(judge("proposer", &json!({"claim": "it slugs"})).is_err());
        assert!(judge("arbiter", &json!({"interface_change_exception": {}})).is_err());
        let maybe = json!({"verdict": "MAYBE", "failures": [], "rubric_assessments": []});
        assert!(judge("challenger", &maybe).is_err());
        assert!(judge("micro_planner", &json!({"modules": "none"})).is_err());
    }

    /// A valid answer of each role on each occasion, and where its debate stands then.
    fn answers() -> Vec<(&'static str, Debater, Occasion, Option<At>, Value)> {
        let assessed = |n: usize| {
            let evidence =
                "inputs by t1, outputs by t2, error Empty by t3, effects none, modes sync";
            json!({"criterion": format!("R{n}"), "assessment": "NOT_MET", "evidence": evidence})
        };
        let failure = json!({"invariant": "R3", "evidence": "it panics on blanks", "required_change": "return Empty"});
        let challenge = json!({
            "verdict": "FAIL", "failures": [failure], "optional_alternative_ref": "a/b",
            "rubric_assessments": (1..=6).map(assessed).collect::<Vec<_>>(), "summary": "it fails",
        });
        let proposal = json!({"claim": "it slugs every title", "deliverable_ref": "implementation/", "acceptance_checks": ["tests pass"]});
        let raised = json!({"interface_change_exception": {
            "type": "INCOMPLETE", "target_module": "MM-up@1.0.0", "reason": "capitals are lost",
            "evidence": ["keeps_capitals fails"], "compatibility_expectation": "BREAKING", "urgency": "HIGH",
            "proposed_contract_delta": {
                "added_inputs": [{"name": "keep", "type": "bool", "constraints": ["optional"]}, "more: u8"],
                "removed_outputs": ["old"], "mode_changes": {"sync": true, "async": false},
            },
        }});
        let ruling = json!({
            "decision": "APPROVE_WITH_AMENDMENTS", "rationale": "one case panics", "ship_directive": "SHIP",
            "amendments": [{"action": "MODIFY", "target": "slugify", "detail": "return Empty instead of a panic"}],
        });
        let amended = json!({
            "deliverable_ref": "implementation/",
            "amendments": [{"amendment_index": 0, "applied": true, "note": "done"}],
        });
        let plan = json!({"modules": [{
            "module_id": "MM-slug", "name": "slug", "purpose": "makes a slug of a title",
            "io_contract": {
                "inputs": ["title: &str"], "outputs": ["slug: String"], "error_surfaces": ["Empty: no title"],
                "effects": ["none"], "modes": ["sync"],
            },
            "error_cases": ["a blank title"], "depends_on": ["MM-up@1.0.0"], "reuse_candidate_refs": ["MM-old@2.0.1"],
            "reuse_decision": "CREATE_NEW", "reuse_justification": "nothing makes slugs",
            "answers": [{"asked": "criterion-1", "clause": "error__empty"}],
        }]});
        let (propose, amend) = (Occasion::Propose, Occasion::Amend);
        vec![
            ("micro_planner", Debater::MicroPlanner, propose, None, plan),
            (
                "proposer",
                Debater::Proposer,
                propose,
                Some(At::Propose),
                proposal,
            ),
            ("proposer", Debater::Proposer, propose, None, raised),
            (
                "proposer/amend",
                Debater::Proposer,
                amend,
                Some(At::Amend),
                amended,
            ),
            (
                "challenger",
                Debater::Challenger,
                Occasion::Challenge,
                Some(At::Challenge),
                challenge,
            ),
            (
                "arbiter",
                Debater::Arbiter,
                Occasion::Adjudicate,
                Some(At::Adjudicate),
                ruling,
            ),
        ]
    }

    /// Every value that comes of one by one mechanical change: a member dropped, added or of another
    /// type, a word that is none, a text that is blank or long, a list that is empty or doubled.
    fn mutations(value: &Value) -> Vec<Value> {
        let others = [
            json!(null),
            json!(true),
            json!(-1),
            json!(7),
            json!("x"),
            json!(" "),
            json!("MM-é@1.0.0"),
            json!("y".repeat(300)),
            json!([]),
            json!({}),
            json!([[]]),
            json!(["MAYBE", 3]),
        ];
        let mut all = others.to_vec();
        match value {
            Value::Object(members) => {
                for (name, member) in members {
                    let mut without = members.clone();
                    without.remove(name);
                    all.push(Value::Object(without));
                    for changed in mutations(member) {
                        let mut with = members.clone();
                        with.insert(name.clone(), changed);
                        all.push(Value::Object(with));
                    }
                }
                let mut more = members.clone();
                more.insert("surprise".to_owned(), json!(1));
                all.push(Value::Object(more));
            }
            Value::Array(items) => {
                let twice: Vec<Value> = items.iter().chain(items).cloned().collect();
                all.push(json!(twice));
                for (at, item) in items.iter().enumerate() {
                    let mut without = items.clone();
                    without.remove(at);
                    all.push(json!(without));
                    for changed in mutations(item) {
                        let mut with = items.clone();
                        with[at] = changed;
                        all.push(json!(with));
                    }
                }
            }
            _ => {}
        }
        all
    }

    #[test]
    fn every_published_schema_and_the_machine_agree_on_the_shape_of_every_answer() {
        let shapes = shapes().unwrap();
        for (name, role, occasion, at, valid) in answers() {
            let answer = role.answer(occasion);
            let machine = |value: &Value| {
                let found = answer.faults(value);
                found
                    .iter()
                    .all(|one| one.cause == kernel::form::Cause::Wording)
            };
            let schema = |value: &Value| agents::result::judge(value, &shapes[name]).is_ok();
            assert!(
                schema(&valid) && machine(&valid),
                "{name}: {:?}",
                answer.faults(&valid)
            );
            let (mut refused, mut taken) = (0, 0);
            for value in mutations(&valid) {
                let published = schema(&value);
                assert_eq!(
                    published,
                    machine(&value),
                    "{name}: {value}\n{:?}",
                    answer.faults(&value)
                );
                // And what the debate itself says to it: what the schema refuses it never takes.
                if let (Some(at), false) = (at, published) {
                    let debate = Debate {
                        at,
                        ..Debate::default()
                    };
                    let heard = debate.hear(&value, At::Challenge, 0).said;
                    assert!(
                        matches!(heard, Said::Complained(_)),
                        "{name}: {value}: {heard:?}"
                    );
                }
                if role == Debater::MicroPlanner && !published {
                    assert!(::factory::micro_plan::judge(&value).is_err(), "{value}");
                }
                *if published { &mut taken } else { &mut refused } += 1;
            }
            assert!(refused > 50 && taken > 0, "{name}: {refused} {taken}");
        }
        the_published_schema_and_the_judgement_of_a_spec_agree();
    }

    /// The product role's answer is judged as a text: by the same form, and by what no schema can say.
    fn the_published_schema_and_the_judgement_of_a_spec_agree() {
        const UNSAID: [&str; 4] = ["placeholder", "duplicate_id", "unknown_reference", "cycle"];
        let task = |id: &str| {
            json!({
                "task_id": id, "name": "slug", "description": "makes a slug of every title",
                "subtasks": ["read the title", "join its words"],
                "acceptance_criteria": ["returns a slug", "rejects a blank title"],
                "depends_on": [],
                "io_contract_sketch": {
                    "inputs": "a title", "outputs": "a slug", "error_surfaces": "Empty for a blank title",
                    "effects": "none", "modes": "sync",
                },
            })
        };
        let described = |id: &str, value: &str, mut more: Value| {
            more[id] = json!(value);
            more["name"] = json!("slugs");
            more["description"] = json!("everything about slugs of titles");
            more
        };
        let story = described(
            "story_id",
            "STR-001",
            json!({"user_facing_behavior": "sees a slug", "tasks": [task("TSK-001"), task("TSK-002")]}),
        );
        let epic = described(
            "epic_id",
            "EPC-001",
            json!({"success_criteria": ["every title has one"], "stories": [story]}),
        );
        let pillar = described(
            "pillar_id",
            "PIL-001",
            json!({"rationale": "titles need slugs", "epics": [epic]}),
        );
        let valid = json!({
            "spec_id": "SPEC-001", "spec_version": "1.0.0", "title": "Slugs",
            "description": "a library that makes slugs", "created_at": "2026-01-01T00:00:00Z",
            "updated_at": "2026-01-01T00:00:00Z", "pillars": [pillar],
        });
        let schema = ::factory::schema::find("ProductSpec").unwrap().schema();
        let schema = Shape::alone(&schema).unwrap();
        let judged = |value: &Value| ::factory::spec::validate(&serde_json::to_vec(value).unwrap());
        assert_eq!(judged(&valid), ::factory::Report::default());
        let (mut refused, mut taken) = (0, 0);
        for value in mutations(&valid) {
            let published = agents::result::judge(&value, &schema).is_ok();
            let report = judged(&value);
            let said = |code: &str| !UNSAID.contains(&code);
            let machine = !report.errors.iter().any(|one| said(&one.code));
            assert_eq!(published, machine, "{value}\n{:?}", report.errors);
            *if published { &mut taken } else { &mut refused } += 1;
        }
        assert!(refused > 200 && taken > 20, "{refused} {taken}");
    }
}

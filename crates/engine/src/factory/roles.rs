//! The five roles as agents are given them: the form of their results, and nothing of the machine.
//!
//! A result is the document of that name without what the engine gives itself (ids, and what the
//! result is about), so that a role can neither forge an id nor be refused for a missing one.

use super::tools;
use ::factory::product;
use ::factory::schema;
use agents::result::Shape;
use flow::{Capability, Checkpoints, Role, Workflow};
use kernel::StateName;
use kernel::effect::Sight;
use kernel::table::{Stalling, Stepping, Table};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::sync::Arc;
use workspace::error::EngineError;

/// A role as the factory's table has it.
struct Row {
    name: &'static str,
    /// The document that it returns; none: it leaves a file, and says that it has.
    returns: Option<&'static str>,
    tier: &'static str,
    /// The members of the document that are the engine's.
    ours: &'static [&'static str],
    /// What the engine offers it besides files and programs, where its agent can be offered tools.
    tools: &'static [&'static str],
}

const ROLES: [Row; 5] = [
    Row {
        name: product::ROLE,
        returns: None,
        tier: "top",
        ours: &[],
        tools: &tools::OF_PRODUCT,
    },
    Row {
        name: "micro_planner",
        returns: Some("MicroPlan"),
        tier: "top",
        ours: &["micro_plan_id", "parent_task_ref"],
        tools: &tools::OF_ENGINEERS,
    },
    Row {
        name: "proposer",
        returns: Some("Proposal"),
        tier: "standard",
        ours: &["proposal_id", "target_artifact_id"],
        tools: &tools::OF_ENGINEERS,
    },
    Row {
        name: "challenger",
        returns: Some("Challenge"),
        tier: "top",
        ours: &["challenge_id", "target_artifact_id"],
        tools: &[],
    },
    Row {
        name: "arbiter",
        returns: Some("Adjudication"),
        tier: "top",
        ours: &["adjudication_id", "target_artifact_id"],
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
            },
            result: None,
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
        checkpoints: Checkpoints::Never,
        preamble: String::new(),
        task: None,
        snapshot: None,
    })
}

/// What the results must look like, by role.
pub(super) fn shapes() -> Result<BTreeMap<String, Arc<Shape>>, EngineError> {
    let mut shapes = BTreeMap::new();
    for row in ROLES {
        let bad = |why: String| {
            let what = format!("the schema of what `{}` returns: {why}", row.name);
            EngineError::environment("bad_schema", what, "please report")
        };
        let schema = match row.returns {
            Some(document) => {
                let found = schema::find(document).ok_or_else(|| bad("none".to_owned()))?;
                returned((found.schema)(), row.ours, row.name)
            }
            None => said(),
        };
        let shape = Shape::alone(&schema).map_err(|error| bad(error.to_string()))?;
        shapes.insert(row.name.to_owned(), Arc::new(shape));
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

/// A document's schema as the schema of a result.
fn returned(mut schema: Value, ours: &[&str], role: &str) -> Value {
    let Some(object) = schema.as_object_mut() else {
        return schema;
    };
    object.remove("title");
    // A role may say more than is asked of it, such as a summary for people.
    object.remove("additionalProperties");
    let mut required = object.remove("required").unwrap_or_else(|| json!([]));
    if let Some(list) = required.as_array_mut() {
        list.retain(|name| !ours.iter().any(|one| name == one));
    }
    if let Some(properties) = object.get_mut("properties").and_then(Value::as_object_mut) {
        properties.retain(|name, _| !ours.contains(&name.as_str()));
        properties.insert("summary".to_owned(), json!({"type": "string"}));
    }
    // Instead of its document a role may raise an exception, and a Proposer who applies amendments
    // returns those; the machine judges each of them.
    let mut forms = vec![json!({"required": required})];
    if matches!(role, "proposer" | "challenger") {
        forms.push(json!({"required": ["interface_change_exception"]}));
    }
    if role == "proposer" {
        forms.push(json!({"required": ["deliverable_ref", "amendments"]}));
    }
    object.insert("anyOf".to_owned(), Value::Array(forms));
    schema
}

#[cfg(test)]
mod tests {
    use super::*;

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
        judge("proposer", &json!({"interface_change_exception": {}})).unwrap();
        let bad =
            json!({"claim": "it slugs", "deliverable_ref": "x", "acceptance_checks": "tests"});
        assert!(judge("proposer", &bad).is_err());
        assert!(judge("proposer", &json!({"claim": "it slugs"})).is_err());
        assert!(judge("arbiter", &json!({"interface_change_exception": {}})).is_err());
        let maybe = json!({"verdict": "MAYBE", "failures": [], "rubric_assessments": []});
        assert!(judge("challenger", &maybe).is_err());
        assert!(judge("micro_planner", &json!({"modules": "none"})).is_err());
    }
}

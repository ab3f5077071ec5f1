//! A candidate contract in the plan's short form. A delta may name elements as documents do
//! (`{"name": ..., "type": ...}`) or as plans do (`name: type; constraint`); what is locked and
//! shipped has one form. What cannot be read is taken as it is; nothing is dropped.

use crate::micro_plan::IoContract;
use serde_json::Value;

fn text(value: &Value) -> String {
    value
        .as_str()
        .map_or_else(|| value.to_string(), str::to_owned)
}

fn texts(value: Option<&Value>) -> Vec<String> {
    let list = value.and_then(Value::as_array);
    list.into_iter().flatten().map(text).collect()
}

/// One element as a line of a plan.
fn line(element: &Value) -> String {
    let member = |name: &str| element.get(name).map(text);
    if let Some(name) = member("name") {
        let what = member("type").or(member("when")).unwrap_or_default();
        let mut parts = vec![format!("{name}: {what}")];
        for list in ["constraints", "invariants"] {
            parts.extend(texts(element.get(list)));
        }
        parts.extend(member("surface").map(|surface| surface.to_lowercase()));
        return parts.join("; ");
    }
    if let (Some(kind), Some(target)) = (member("type"), member("target")) {
        let what = member("description").unwrap_or_default();
        return format!("{kind} {target}: {what}");
    }
    text(element)
}

/// The candidate as it is locked.
pub fn short(candidate: &Value) -> IoContract {
    let lines = |dimension: &str| {
        let list = candidate.get(dimension).and_then(Value::as_array);
        list.into_iter().flatten().map(line).collect()
    };
    let modes = match candidate.get("modes") {
        Some(Value::Object(modes)) => {
            let mut lines: Vec<String> = Vec::new();
            let said = modes
                .iter()
                .filter(|(_, value)| **value == Value::Bool(true));
            lines.extend(said.map(|(name, _)| name.clone()));
            lines.extend(modes.get("notes").map(text).filter(|text| !text.is_empty()));
            lines
        }
        other => texts(other),
    };
    IoContract {
        inputs: lines("inputs"),
        outputs: lines("outputs"),
        error_surfaces: lines("error_surfaces"),
        effects: lines("effects"),
        modes,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn section_13_5_both_forms_of_an_element_lead_to_the_same_contract() {
        let plain = json!({
            "inputs": ["text: &str; not empty"], "outputs": ["cents: u64; never negative"],
            "error_surfaces": ["Negative: a minus sign; variant"], "effects": ["WRITE log: a line"],
            "modes": ["sync"],
        });
        let written = json!({
            "inputs": [{"name": "text", "type": "&str", "constraints": ["not empty"]}],
            "outputs": [{"name": "cents", "type": "u64", "invariants": ["never negative"]}],
            "error_surfaces": [{"name": "Negative", "when": "a minus sign", "surface": "VARIANT"}],
            "effects": [{"type": "WRITE", "target": "log", "description": "a line"}],
            "modes": {"sync": true, "async": false, "notes": ""},
        });
        assert_eq!(short(&written), short(&plain));
        assert_eq!(short(&plain).inputs, ["text: &str; not empty"]);
    }
}

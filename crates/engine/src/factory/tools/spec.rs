//! `validate_spec` and `emit_structured_spec` (rule F3.2.1). The judgement is the gate's own; an
//! emitted spec is judged by the gate once more, like one that an agent wrote by itself.

use ::factory::Report;
use ::factory::engineering::context::BRIEFS;
use ::factory::product::{DRAFT, FOLDER, GIVEN, RELEASED};
use agents::{Place, Then, Tool, ToolSpec};
use serde_json::{Value, json};

/// Judges a draft.
pub(super) struct Validate;

/// Takes a finished spec.
pub(super) struct Emit;

fn draft() -> String {
    format!("repo/{FOLDER}/{DRAFT}")
}

fn judged(bytes: &[u8], place: &Place<'_>) -> Report {
    // Of a project that goes on.
    let released = place.read(&format!("repo/{FOLDER}/{GIVEN}/{RELEASED}"));
    let released = released
        .ok()
        .and_then(|bytes| serde_json::from_slice(&bytes).ok());
    match ::factory::product::judge(bytes, Some(BRIEFS), released.as_ref()) {
        Ok((_, report)) | Err(report) => report,
    }
}

fn said(report: &Report) -> Result<String, String> {
    serde_json::to_string(report).map_err(|error| error.to_string())
}

impl Tool for Validate {
    fn spec(&self) -> ToolSpec {
        ToolSpec {
            name: "validate_spec".to_owned(),
            description: "Judges a draft of the spec by the schema and all completeness criteria. Returns {errors, warnings}: each has path, field, severity, message. Errors block, warnings do not.".to_owned(),
            parameters: json!({
                "type": "object",
                "properties": {
                    "spec_path": {"type": "string", "description": format!("The draft; usually {}", draft())},
                },
                "required": ["spec_path"],
                "additionalProperties": false,
            }),
        }
    }

    fn call(&self, arguments: &Value, place: &Place<'_>) -> Result<String, String> {
        let path = arguments["spec_path"]
            .as_str()
            .ok_or("`spec_path` is not a text; call it again with the path of the draft")?;
        said(&judged(&place.read(path)?, place))
    }
}

impl Tool for Emit {
    fn spec(&self) -> ToolSpec {
        ToolSpec {
            name: "emit_structured_spec".to_owned(),
            description: "Hands in the finished spec. If anything blocks, it answers with all deficiencies and you go on; if nothing does, your work ends with this call.".to_owned(),
            parameters: json!({
                "type": "object",
                "properties": {
                    "spec": {"type": "object", "description": "The whole ProductSpec"},
                },
                "required": ["spec"],
                "additionalProperties": false,
            }),
        }
    }

    fn call(&self, arguments: &Value, place: &Place<'_>) -> Result<String, String> {
        let spec = arguments
            .get("spec")
            .filter(|spec| spec.is_object())
            .ok_or("`spec` is no JSON object; call it again with the whole spec")?;
        let bytes = serde_json::to_vec_pretty(spec).map_err(|error| error.to_string())?;
        let report = judged(&bytes, place);
        if !report.passes() {
            let count = report.errors.len();
            return Err(format!(
                "the spec is not complete, {count} error(s); mend them and call it again\n{}",
                said(&report)?
            ));
        }
        place.write(&draft(), &bytes)?;
        let summary = format!(
            "emitted {} with {} warning(s)",
            spec["spec_id"].as_str().unwrap_or_default(),
            report.warnings.len()
        );
        Ok(json!({"summary": summary, "artifact_ref": format!("{FOLDER}/{DRAFT}")}).to_string())
    }

    fn then(&self) -> Then {
        Then::Ends
    }
}

//! The one place that judges what an agent hands back.
//!
//! Every connector's result passes here, so that "valid" means the same whoever worked. It
//! refuses to mend: a wrong result is named exactly and sent back, never guessed at.

use kernel::outcome::Usage;
use serde_json::{Map, Value, json};
use std::fmt;

/// A result may be this large and no larger: it goes into the journal, which is read whole.
pub const RESULT_BYTES: usize = 256 * 1024;

/// What is wrong with a result, and where.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fault {
    /// The place in the value, such as `findings[2]`; `result` is the whole.
    pub path: String,
    /// What is there.
    pub what: String,
    /// What should be there.
    pub expected: &'static str,
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "`{}` {}; expected {}",
            self.path, self.what, self.expected
        )
    }
}

impl std::error::Error for Fault {}

const OBJECT: &str = "a JSON object with at least `summary`, a non-empty string";
const USAGE: &str = "an object of whole numbers: `input_tokens`, `output_tokens`, `micro_dollars`";

/// A result file after judgement. What it says about its cost stands even where the rest is
/// wrong: a wrong answer was paid for too.
#[derive(Debug, Clone, PartialEq)]
pub struct Judged {
    /// The result without its `usage`, or what is wrong with it.
    pub result: Result<Value, Fault>,
    /// What the attempt says it cost.
    pub usage: Usage,
}

impl Judged {
    fn refused(fault: Fault) -> Self {
        Self {
            result: Err(fault),
            usage: Usage::default(),
        }
    }
}

/// Judges the bytes of a result file: size, JSON, `usage` (taken out), then the result itself.
pub fn judge_bytes(bytes: &[u8]) -> Judged {
    if bytes.len() > RESULT_BYTES {
        let what = format!("is larger than {RESULT_BYTES} bytes");
        return Judged::refused(fault(
            "result",
            what,
            "a short result; put long text in files",
        ));
    }
    let mut value: Value = match serde_json::from_slice(bytes) {
        Ok(value) => value,
        Err(error) => return Judged::refused(fault("result", not_json(bytes, &error), OBJECT)),
    };
    let usage = match value
        .as_object_mut()
        .and_then(|object| object.remove("usage"))
    {
        Some(usage) => match read_usage(&usage) {
            Ok(usage) => usage,
            Err(fault) => return Judged::refused(fault),
        },
        None => Usage::default(),
    };
    Judged {
        result: judge(&value).map(|()| value),
        usage,
    }
}

/// Judges a result that is already a JSON value and carries no `usage`.
///
/// # Errors
/// The first thing that is wrong. Keys that are not named here are allowed and kept.
pub fn judge(value: &Value) -> Result<(), Fault> {
    let Value::Object(object) = value else {
        return Err(fault("result", is(value), OBJECT));
    };
    match object.get("summary") {
        None => return Err(fault("summary", "is missing", "a non-empty string")),
        Some(Value::String(text)) if !text.trim().is_empty() => {}
        Some(other) => return Err(fault("summary", is(other), "a non-empty string")),
    }
    match object.get("next") {
        None | Some(Value::String(_)) => {}
        Some(other) => return Err(fault("next", is(other), "a string, or no such key")),
    }
    match object.get("verdict") {
        None => {}
        Some(Value::String(text)) if text == "pass" || text == "fail" => {}
        Some(other) => {
            return Err(fault(
                "verdict",
                is(other),
                "\"pass\" or \"fail\", or no such key",
            ));
        }
    }
    findings(object)
}

/// The JSON schema of what [`judge`] accepts, in the strict form that providers take: every key
/// is required, and one that need not be there may be null ([`drop_nulls`] takes it out).
pub fn schema() -> Value {
    let optional = |value: Value| json!({ "anyOf": [value, { "type": "null" }] });
    json!({
        "type": "object",
        "properties": {
            "summary": { "type": "string", "description": "What was done, for people." },
            "next": optional(json!({ "type": "string", "description": "The state that the brief lets you ask for." })),
            "verdict": optional(json!({ "type": "string", "enum": ["pass", "fail"] })),
            "findings": optional(json!({ "type": "array", "items": { "type": "string" } })),
        },
        "required": ["summary", "next", "verdict", "findings"],
        "additionalProperties": false,
    })
}

/// Takes out the nulls that only the strict schema asks for.
pub(crate) fn drop_nulls(object: &mut Map<String, Value>) {
    for key in ["next", "verdict", "findings"] {
        if object.get(key).is_some_and(Value::is_null) {
            object.remove(key);
        }
    }
}

fn findings(object: &Map<String, Value>) -> Result<(), Fault> {
    let list = match object.get("findings") {
        None => return Ok(()),
        Some(Value::Array(list)) => list,
        Some(other) => {
            return Err(fault(
                "findings",
                is(other),
                "an array of strings, or no such key",
            ));
        }
    };
    match list.iter().enumerate().find(|(_, item)| !item.is_string()) {
        None => Ok(()),
        Some((at, item)) => Err(fault(format!("findings[{at}]"), is(item), "a string")),
    }
}

fn read_usage(value: &Value) -> Result<Usage, Fault> {
    let Value::Object(object) = value else {
        return Err(fault("usage", is(value), USAGE));
    };
    let number = |key: &str| match object.get(key) {
        None => Ok(0),
        Some(value) => match value.as_u64() {
            Some(number) => Ok(number),
            None => Err(fault(
                format!("usage.{key}"),
                is(value),
                "a whole number from 0",
            )),
        },
    };
    Ok(Usage {
        input_tokens: number("input_tokens")?,
        output_tokens: number("output_tokens")?,
        cached_tokens: number("cached_tokens")?,
        micro_dollars: number("micro_dollars")?,
    })
}

pub(crate) fn fault(
    path: impl Into<String>,
    what: impl Into<String>,
    expected: &'static str,
) -> Fault {
    Fault {
        path: path.into(),
        what: what.into(),
        expected,
    }
}

fn not_json(bytes: &[u8], error: &serde_json::Error) -> String {
    if bytes.iter().all(u8::is_ascii_whitespace) {
        return "is empty".to_owned();
    }
    format!("is not JSON ({error})")
}

/// Says what a value is. Long text is cut: the sentence goes into briefs and on screens.
fn is(value: &Value) -> String {
    match value {
        Value::Null => "is null".to_owned(),
        Value::Bool(yes) => format!("is {yes}"),
        Value::Number(number) => format!("is {number}"),
        Value::String(text) if text.trim().is_empty() => "is an empty string".to_owned(),
        Value::String(text) if text.chars().count() > 40 => {
            format!("is {:?}...", text.chars().take(40).collect::<String>())
        }
        Value::String(text) => format!("is {text:?}"),
        Value::Array(_) => "is an array".to_owned(),
        Value::Object(_) => "is an object".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sentence(text: &str) -> String {
        match judge_bytes(text.as_bytes()).result {
            Ok(value) => format!("ok {value}"),
            Err(fault) => fault.to_string(),
        }
    }

    #[test]
    fn each_fault_has_its_sentence() {
        let cases = [
            (
                r#"{"summary":"s","next":"verify","x":[1]}"#,
                r#"ok {"next":"verify","summary":"s","x":[1]}"#,
            ),
            (
                r#"{"summary":"s","verdict":"fail","findings":["a"],"usage":{}}"#,
                r#"ok {"findings":["a"],"summary":"s","verdict":"fail"}"#,
            ),
            (
                "",
                "`result` is empty; expected a JSON object with at least `summary`, a non-empty string",
            ),
            (
                "[]",
                "`result` is an array; expected a JSON object with at least `summary`, a non-empty string",
            ),
            ("{}", "`summary` is missing; expected a non-empty string"),
            (
                r#"{"summary":" "}"#,
                "`summary` is an empty string; expected a non-empty string",
            ),
            (
                r#"{"summary":3}"#,
                "`summary` is 3; expected a non-empty string",
            ),
            (
                r#"{"summary":"s","next":null}"#,
                "`next` is null; expected a string, or no such key",
            ),
            (
                r#"{"summary":"s","verdict":"maybe"}"#,
                r#"`verdict` is "maybe"; expected "pass" or "fail", or no such key"#,
            ),
            (
                r#"{"summary":"s","findings":"f"}"#,
                r#"`findings` is "f"; expected an array of strings, or no such key"#,
            ),
            (
                r#"{"summary":"s","findings":["a",{}]}"#,
                "`findings[1]` is an object; expected a string",
            ),
            (
                r#"{"summary":"s","usage":{"input_tokens":-1}}"#,
                "`usage.input_tokens` is -1; expected a whole number from 0",
            ),
            (
                r#"{"summary":"s","usage":7}"#,
                "`usage` is 7; expected an object of whole numbers: `input_tokens`, `output_tokens`, `micro_dollars`",
            ),
        ];
        for (text, expected) in cases {
            assert_eq!(sentence(text), expected, "for {text}");
        }
        assert!(sentence("not json").starts_with("`result` is not JSON (expected ident at line 1"));
    }

    #[test]
    fn the_schema_names_what_the_judge_reads() {
        let schema = schema();
        let properties = schema["properties"].as_object().unwrap();
        let required: Vec<&str> = schema["required"]
            .as_array()
            .unwrap()
            .iter()
            .filter_map(Value::as_str)
            .collect();
        assert_eq!(properties.len(), required.len());
        for key in required {
            // A number is wrong everywhere, so a key that the judge does not read would pass.
            let mut value = json!({ "summary": "s" });
            value[key] = json!(7);
            assert_eq!(judge(&value).unwrap_err().path, key);
        }
        let mut value = json!({ "summary": "s", "next": null, "verdict": null, "findings": null });
        drop_nulls(value.as_object_mut().unwrap());
        assert_eq!(judge(&value), Ok(()));
    }

    #[test]
    fn a_wrong_result_was_paid_for_too() {
        let judged = judge_bytes(br#"{"usage":{"micro_dollars":9}}"#);
        assert!(judged.result.is_err());
        assert_eq!(judged.usage.micro_dollars, 9);
    }

    #[test]
    fn size_is_capped() {
        let text = format!(r#"{{"summary":"{}"}}"#, "x".repeat(RESULT_BYTES));
        assert!(sentence(&text).starts_with("`result` is larger than 262144 bytes"));
    }
}

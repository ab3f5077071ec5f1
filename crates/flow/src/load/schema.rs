//! The JSON Schema of a role's results. It is read here as it will be when results are judged, so that
//! no run meets a schema that nothing can be judged by.

use super::Loader;
use crate::error::Problem;
use serde_json::Value;

/// A schema goes whole into the brief, so it must be short enough to be read there.
const MOST_BYTES: usize = 16 * 1024;

pub(super) fn schema(loader: &mut Loader<'_>, at: usize, role: &str, file: &str) -> Option<Value> {
    let text = loader.file(at, file);
    if text.is_empty() && !loader.source.files.contains_key(file) {
        return None;
    }
    let mut refuse = |line: usize, what: String, mend: &str| {
        loader.problems.push(Problem {
            code: "bad_schema",
            file: file.to_owned(),
            line,
            what: format!("the results of role `{role}`: {what}"),
            mend: mend.to_owned(),
        });
        None
    };
    if text.len() > MOST_BYTES {
        let what = format!("the schema is longer than {MOST_BYTES} bytes");
        return refuse(0, what, "shorten it: it stands whole in the role's brief");
    }
    let schema: Value = match serde_json::from_str(&text) {
        Ok(schema) => schema,
        Err(error) => {
            let what = format!("this is not JSON: {error}");
            return refuse(error.line(), what, "write one JSON Schema");
        }
    };
    if schema["type"] != "object" {
        let what = "the schema's `type` is not \"object\"".to_owned();
        return refuse(0, what, "a result is an object: write \"type\": \"object\"");
    }
    if !schema["properties"]["usage"].is_null() {
        let what = "`usage` is the engine's: it is taken out before a result is judged".to_owned();
        return refuse(0, what, "choose another name for the property");
    }
    if let Err(error) = schema::Schema::new(&schema) {
        return refuse(0, format!("this is no JSON Schema: {error}"), &error.mend());
    }
    if !can_fail(&schema["properties"]["verdict"]) {
        loader.problems.push(Problem {
            code: "verdict_cannot_fail",
            file: file.to_owned(),
            line: 0,
            what: format!("the results of role `{role}`: `verdict` cannot be \"fail\""),
            mend: "allow \"pass\" and \"fail\": a role that cannot object holds no gate".to_owned(),
        });
    }
    Some(schema)
}

/// Can a result say `fail`? Only what names its words can rule that out by itself.
fn can_fail(verdict: &Value) -> bool {
    let fail = Value::from("fail");
    let named = verdict["enum"].as_array();
    named.is_none_or(|words| words.contains(&fail))
        && (verdict["const"].is_null() || verdict["const"] == fail)
}

//! One call of a tool, as a model asked for it.

use serde_json::{Value, json};

/// One call of a tool.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Call {
    pub(super) id: String,
    pub(super) name: String,
    /// The arguments, or text that is not a JSON object.
    pub(super) arguments: Result<Value, String>,
}

impl Call {
    pub(super) fn new(id: &Value, name: &Value, text: &str) -> Self {
        let word = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        let arguments = match serde_json::from_str(text) {
            Ok(value @ Value::Object(_)) => Ok(value),
            _ => Err(text.to_owned()),
        };
        Self {
            id: word(id),
            name: word(name),
            arguments,
        }
    }

    pub(super) fn text(&self) -> String {
        match &self.arguments {
            Ok(value) => value.to_string(),
            Err(text) => text.clone(),
        }
    }

    /// The arguments as they came.
    pub(super) fn given(&self) -> Value {
        self.arguments.clone().unwrap_or_else(Value::String)
    }

    /// The arguments where a format has no place for text.
    pub(super) fn object(&self) -> Value {
        self.arguments.clone().unwrap_or_else(|_| json!({}))
    }
}

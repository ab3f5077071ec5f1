//! The event stream of one answer.

use serde_json::Value;

/// The event stream being built.
#[derive(Debug, Default)]
pub(super) struct Events(String);

impl Events {
    /// An event that is named by its own `type`.
    pub(super) fn typed(&mut self, value: Value) {
        let kind = value["type"].as_str().unwrap_or_default();
        self.0
            .push_str(&format!("event: {kind}\ndata: {value}\n\n"));
    }

    /// An event without a name.
    pub(super) fn data(&mut self, value: &Value) {
        self.raw(&value.to_string());
    }

    /// Data that need not be JSON.
    pub(super) fn raw(&mut self, data: &str) {
        self.0.push_str(&format!("data: {data}\n\n"));
    }

    pub(super) fn finish(self) -> Vec<u8> {
        self.0.into_bytes()
    }
}

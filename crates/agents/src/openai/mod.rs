//! OpenAI's two formats, and everything that speaks like them (Ollama, vLLM, OpenRouter, ...).

mod chat;
mod responses;

pub(crate) use chat::CHAT;
pub(crate) use responses::RESPONSES;

const BASE_URL: &str = "https://api.openai.com/v1";
const KEY_VARIABLE: &str = "OPENAI_API_KEY";

/// The name of the schema; the API wants one.
const RESULT: &str = "result";

fn headers(key: Option<&str>) -> Vec<(&'static str, String)> {
    key.map(|key| ("authorization", format!("Bearer {key}")))
        .into_iter()
        .collect()
}

/// A call's arguments as the text that goes back.
fn arguments(call: &crate::wire::Call) -> String {
    call.arguments
        .as_ref()
        .map_or_else(|_| "{}".to_owned(), serde_json::Value::to_string)
}

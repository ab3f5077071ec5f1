//! Gemini `generateContent` and `streamGenerateContent`.

use super::events::Events;
use super::plan::{Asked, Message, list};
use super::script::{Arguments, Stop};
use super::tools::{Kind, Offered};
use serde_json::{Value, json};

pub(super) fn asked(body: &Value) -> Asked {
    let by_model = |content: &&Value| content["role"] == "model";
    let declared = list(body, "tools")
        .iter()
        .flat_map(|tool| list(tool, "functionDeclarations"));
    let offered = declared.map(|function| {
        let schema = match &function["parametersJsonSchema"] {
            Value::Null => &function["parameters"],
            schema => schema,
        };
        let name = function["name"].as_str().unwrap_or_default().to_owned();
        (name, Offered::new(Kind::Function, schema))
    });
    Asked {
        turns: list(body, "contents").iter().filter(by_model).count(),
        offered: offered.collect(),
        model: "gemini".to_owned(),
    }
}

pub(super) fn whole(message: &Message) -> Value {
    let mut parts = Vec::new();
    if !message.text.is_empty() {
        parts.push(json!({ "text": message.text }));
    }
    for call in &message.calls {
        let args = match &call.arguments {
            Arguments::Json(value) => value.clone(),
            Arguments::Raw(text) => json!(text),
        };
        parts.push(json!({ "functionCall": { "name": call.name, "args": args, "id": call.id } }));
    }
    let reason = match message.stop {
        Stop::Natural => "STOP",
        Stop::Refusal => "SAFETY",
        Stop::Length => "MAX_TOKENS",
    };
    let tokens = message.tokens;
    json!({
        "candidates": [{ "content": { "role": "model", "parts": parts }, "finishReason": reason, "index": 0 }],
        "usageMetadata": {
            "promptTokenCount": tokens.input, "cachedContentTokenCount": tokens.cached,
            "candidatesTokenCount": tokens.output, "totalTokenCount": tokens.input + tokens.output,
        },
        "modelVersion": message.model, "responseId": format!("resp{}", message.serial),
    })
}

pub(super) fn stream(message: &Message) -> Vec<u8> {
    let mut events = Events::default();
    events.data(&whole(message));
    events.finish()
}

/// A side request that asks for JSON gets an object that the known ones accept.
pub(super) fn side_text(body: &Value) -> Option<String> {
    let wants = body["generationConfig"]["responseMimeType"] == "application/json";
    let text = json!({
        "reasoning": "scripted", "next_speaker": "user", "model_choice": "flash",
        "complexity_reasoning": "x", "complexity_score": 10,
    });
    wants.then(|| text.to_string())
}

pub(super) fn error(code: u16) -> Value {
    json!({ "error": { "code": code, "message": format!("scripted status {code}"), "status": "INTERNAL" } })
}

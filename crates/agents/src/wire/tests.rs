//! What any provider may send, and what must never happen then.

use super::*;
use crate::anthropic::PROVIDER;
use crate::openai::{CHAT, RESPONSES};
use proptest::prelude::*;
use serde_json::json;

/// Small JSON values that look like what providers send, with the wrong things in them.
fn odd() -> impl Strategy<Value = Value> {
    let words = [
        "message_start",
        "content_block_start",
        "content_block_delta",
        "message_delta",
        "message_stop",
        "text",
        "text_delta",
        "tool_use",
        "thinking",
        "thinking_delta",
        "signature_delta",
        "input_json_delta",
        "response.output_item.done",
        "response.completed",
        "response.failed",
        "message",
        "function_call",
        "refusal",
        "stop",
        "length",
        "{\"a\":1}",
        "",
    ];
    let keys = [
        "type",
        "message",
        "usage",
        "content_block",
        "delta",
        "index",
        "content",
        "choices",
        "tool_calls",
        "function",
        "arguments",
        "name",
        "id",
        "finish_reason",
        "item",
        "response",
        "error",
        "text",
        "input_tokens",
        "output_tokens",
        "prompt_tokens",
        "thinking",
        "partial_json",
        "stop_reason",
    ];
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<u64>().prop_map(Value::from),
        prop::sample::select(words.to_vec()).prop_map(Value::from),
    ];
    leaf.prop_recursive(4, 24, 5, move |inner| {
        let key = prop::sample::select(keys.to_vec()).prop_map(str::to_owned);
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..3).prop_map(Value::from),
            prop::collection::vec((key, inner), 0..5).prop_map(|pairs| pairs.into_iter().collect()),
        ]
    })
}

proptest! {
    #[test]
    fn no_stream_is_too_strange(events in prop::collection::vec(odd(), 0..12)) {
        let wires: [&dyn Wire; 3] = [PROVIDER.wire, CHAT.wire, RESPONSES.wire];
        for wire in wires {
            let mut reader = wire.reader();
            for value in &events {
                let event = Event { name: String::new(), data: value.to_string() };
                let _ = reader.event(&event);
            }
            if let Ok(message) = reader.finish() {
                let entries = [Entry::User("a".into()), Entry::Assistant(message.blocks)];
                let request = Request { model: "m", system: "s", entries: &entries, tools: &[], schema: None, max_output: 1 };
                prop_assert!(wire.body(&request).is_object());
            }
        }
    }
}

#[test]
fn empty_arguments_are_none_and_others_must_be_an_object() {
    let arguments = |text: &str| Call::new("i".into(), "n".into(), text).arguments;
    assert_eq!(arguments(" "), Ok(json!({})));
    assert_eq!(arguments("{\"a\":1}"), Ok(json!({ "a": 1 })));
    for wrong in ["[]", "null", "{", "7", "{}{}"] {
        assert_eq!(arguments(wrong), Err(wrong.to_owned()));
    }
}

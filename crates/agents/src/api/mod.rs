//! A model over its provider's API as an agent.
//!
//! Puts together what one attempt needs (key, prices, format, tool loop) and turns its end into a
//! reply.

mod error;
pub(crate) mod reach;
mod settings;

pub use error::ApiError;
pub use settings::{ApiSettings, KeySource};

use crate::agent::{Agent, Order, Reply};
use crate::bounds::Bounds;
use crate::external::settings::Resuming;
use crate::home::Home;
use crate::http::{Client, Route};
use crate::prices::Price;
use crate::result::Shape;
use crate::tool_loop::{Ended, Model, Tool, ToolLoop};
use kernel::outcome::Class;
use reach::{Reach, Secret};
use sandbox::Cancel;
use serde_json::{Value, json};
use std::sync::Arc;
use store::redact::{redact, redact_bytes};

/// The window of a model that nobody has described.
const USUAL_WINDOW: u64 = 128_000;
/// The same for a model on this machine, which is mostly small.
const LOCAL_WINDOW: u64 = 32_000;
/// The most that one answer is asked for, if nothing better is known.
const USUAL_OUTPUT: u64 = 16_000;

/// A connector for one model.
pub struct Api {
    settings: ApiSettings,
    key: Option<Secret>,
    price: Price,
    route: Route,
    tools: Vec<Arc<dyn Tool>>,
}

impl Api {
    /// A connector with these settings. Reads the key; sends nothing.
    ///
    /// # Errors
    /// If the key, the price or the URL is missing or unsafe.
    pub fn new(settings: ApiSettings) -> Result<Self, ApiError> {
        let reach = settings.reach()?;
        let key = settings.secret(reach)?;
        let price = settings.price(reach)?;
        let route = match reach {
            Reach::Local => Route::Direct,
            Reach::Remote => Route::Proxy,
        };
        let price = Price {
            window: settings.window.or(price.window).or(match reach {
                Reach::Local => Some(LOCAL_WINDOW),
                Reach::Remote => Some(USUAL_WINDOW),
            }),
            ..price
        };
        Ok(Self {
            settings,
            key,
            price,
            route,
            tools: Vec::new(),
        })
    }

    /// The same with the tools that a workflow adds.
    #[must_use]
    pub fn with_tools(mut self, tools: Vec<Arc<dyn Tool>>) -> Self {
        self.tools = tools;
        self
    }

    fn secrets(&self) -> Vec<&str> {
        self.key.iter().map(Secret::expose).collect()
    }

    fn attempt(&self, order: &Order, cancel: &Cancel, progress: &dyn Fn(&str)) -> Ended {
        let bounds = Bounds::new(cancel, order.wall, self.settings.idle);
        let window = self.price.window.unwrap_or(USUAL_WINDOW);
        let wire = self.settings.provider.wire;
        let model = Model {
            wire,
            client: Client::new(bounds.clone(), self.route),
            url: self.settings.url(wire.path()),
            key: self.key.as_ref().map(|key| key.expose().to_owned()),
            name: self.settings.model.clone(),
            price: self.price,
            window,
            // A window must have room for more than the answer.
            max_output: self
                .price
                .max_output
                .unwrap_or(USUAL_OUTPUT)
                .min(window / 4)
                .max(1),
            backoff: self.settings.backoff,
            schema: order.shape.strict(),
            bounds,
        };
        let secrets = self.secrets();
        ToolLoop::new(order, model, &self.tools, &secrets, progress).run(self.settings.max_turns)
    }
}

impl Agent for Api {
    fn name(&self) -> &str {
        self.settings.provider.name()
    }

    fn resumes(&self) -> bool {
        self.settings.session == Resuming::Resume
    }

    fn goes_on(&self, order: &Order) -> bool {
        let kept = order.continues.as_ref();
        self.resumes() && kept.is_some_and(|kept| std::path::Path::new(kept).is_file())
    }

    fn run(&self, order: &Order, cancel: &Cancel, progress: &dyn Fn(&str)) -> Reply {
        let home = Home::of(order);
        if let Err(error) = home.prepare(&order.brief) {
            let reason = format!("the attempt's folder cannot be prepared: {error}");
            return Reply::bare(Class::CouldNotRun, reason);
        }
        let secrets = self.secrets();
        let ended = self.attempt(order, cancel, &|line| progress(&redact(line, &secrets)));
        let mut transcript = ended.transcript;
        let mut reply = match ended.end {
            Err(failure) => {
                // A command may have found the result's place; what it left there is no answer.
                if let Err(error) = home.set_aside() {
                    transcript.line(&format!("a stray result cannot be set aside: {error}"));
                }
                Reply {
                    retry_after: failure.retry_after,
                    ..Reply::bare(failure.class, failure.reason)
                }
            }
            Ok(text) => {
                let usage = json!({
                    "input_tokens": ended.usage.input_tokens, "cached_tokens": ended.usage.cached_tokens,
                    "output_tokens": ended.usage.output_tokens, "micro_dollars": ended.usage.micro_dollars,
                });
                match home.leave(&answer(&redact(&text, &secrets), usage, &order.shape)) {
                    Ok(()) => home.reply(),
                    Err(error) => Reply::bare(
                        Class::CouldNotRun,
                        format!("the result cannot be left: {error}"),
                    ),
                }
            }
        };
        reply.reason = redact(&reply.reason, &secrets);
        reply.usage = ended.usage;
        reply.session = ended.session;
        reply.model = Some(self.settings.model.clone());
        ended.connections.tell(&mut reply);
        transcript.line(&format!("[{}: {}]", reply.class.as_str(), reply.reason));
        reply.transcript = redact_bytes(&transcript.finish(), &secrets);
        reply
    }

    fn recover(&self, order: &Order) -> Option<Reply> {
        Home::of(order).recover()
    }
}

/// The result file: the model's own words if they are no JSON object, so that the judge can say
/// what is wrong with them.
fn answer(text: &str, usage: Value, shape: &Shape) -> Vec<u8> {
    let text = unfenced(text);
    match serde_json::from_str(text) {
        Ok(mut value @ Value::Object(_)) => {
            shape.drop_nulls(&mut value);
            value["usage"] = usage;
            value.to_string().into_bytes()
        }
        _ => text.as_bytes().to_vec(),
    }
}

/// The text without a Markdown fence around the whole of it. That is wrapping, not content.
fn unfenced(text: &str) -> &str {
    let text = text.trim();
    let inner = text
        .strip_prefix("```")
        .and_then(|rest| rest.strip_suffix("```"));
    match inner.and_then(|inner| inner.split_once('\n')) {
        Some((language, body))
            if matches!(language.trim(), "" | "json") && !body.contains("```") =>
        {
            body.trim()
        }
        _ => text,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fence_is_wrapping_and_prose_is_not() {
        let cases = [
            ("{\"a\":1}", "{\"a\":1}"),
            ("```json\n{\"a\":1}\n```\n", "{\"a\":1}"),
            ("```\n{}\n```", "{}"),
            ("```rust\n{}\n```", "```rust\n{}\n```"),
            ("Here: ```json\n{}\n```", "Here: ```json\n{}\n```"),
            ("```", "```"),
        ];
        for (text, expected) in cases {
            assert_eq!(unfenced(text), expected);
        }
    }

    #[test]
    fn our_usage_replaces_the_models_and_nulls_go() {
        let text = r#"{"summary":"s","next":null,"usage":{"micro_dollars":0},"x":{"y":null}}"#;
        let bytes = answer(text, json!({ "micro_dollars": 7 }), &Shape::default());
        let expected = r#"{"summary":"s","usage":{"micro_dollars":7},"x":{"y":null}}"#;
        let expected: Value = serde_json::from_str(expected).unwrap();
        assert_eq!(serde_json::from_slice::<Value>(&bytes).unwrap(), expected);
        assert_eq!(answer("no", json!({}), &Shape::default()), b"no");
    }
}

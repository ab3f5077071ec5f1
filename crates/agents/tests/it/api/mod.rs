//! Models over their providers' APIs, against a scripted provider: the same scenarios for each.

mod contexts;
mod fails;
mod limits;
mod outside;
mod works;

use crate::world::World;
use agents::{Api, ApiSettings, KeySource, Price, Prices, Provider, Rates};
use serde_json::Value;
use std::fs;
use std::time::Duration;
use testkit::model_server::{ModelServer, Request, Script, Turn};

/// No shape that anybody knows: only the exact key can be found.
pub(crate) const KEY: &str = "correct-horse-battery";

/// What a model answers when it is done.
pub(crate) const RESULT: &str =
    r#"{"summary":"made a file","next":"verify","verdict":null,"findings":null}"#;

/// One provider with its script.
pub(crate) struct Stage {
    pub(crate) world: World,
    pub(crate) server: ModelServer,
    pub(crate) provider: Provider,
}

impl Stage {
    pub(crate) fn new(provider: Provider, script: Script) -> Self {
        let world = World::new();
        fs::write(world.path("key"), format!("{KEY}\n")).expect("the key");
        let server = ModelServer::start(script).expect("a server");
        Self {
            world,
            server,
            provider,
        }
    }

    pub(crate) fn settings(&self) -> ApiSettings {
        let rates = Rates {
            input: 1_000_000,
            cached: 500_000,
            written: 1_000_000,
            output: 2_000_000,
        };
        let price = Price {
            rates,
            ..Price::default()
        };
        let base_url = match self.provider.name() {
            "anthropic" => self.server.url(),
            _ => format!("{}/v1", self.server.url()),
        };
        ApiSettings {
            base_url,
            key: KeySource::File(self.world.path("key")),
            prices: Prices::none().with("fake-model", price),
            backoff: Duration::ZERO,
            ..ApiSettings::new(self.provider, "fake-model")
        }
    }

    pub(crate) fn agent(&self) -> Api {
        Api::new(self.settings()).expect("an agent")
    }

    /// The text of every tool answer in a request, in order.
    pub(crate) fn answers(&self, request: &Request) -> Vec<String> {
        let text = |value: &Value| value.as_str().map(str::to_owned);
        let body = &request.body;
        let list = |key: &str| body[key].as_array().cloned().unwrap_or_default();
        match self.provider.name() {
            "anthropic" => {
                let blocks = list("messages")
                    .into_iter()
                    .flat_map(|message| message["content"].as_array().cloned().unwrap_or_default());
                blocks
                    .filter(|block| block["type"] == "tool_result")
                    .filter_map(|block| text(&block["content"]))
                    .collect()
            }
            "openai-chat" => {
                let tools = list("messages")
                    .into_iter()
                    .filter(|message| message["role"] == "tool");
                tools
                    .filter_map(|message| text(&message["content"]))
                    .collect()
            }
            "openai" => {
                let outputs = list("input")
                    .into_iter()
                    .filter(|item| item["type"] == "function_call_output");
                outputs.filter_map(|item| text(&item["output"])).collect()
            }
            unknown => panic!("where {unknown} has its answers must stand here"),
        }
    }

    /// The last request.
    pub(crate) fn last(&self) -> Request {
        self.server.requests().pop().expect("a request")
    }
}

/// Runs a scenario with every provider.
pub(crate) fn each(script: impl Fn() -> Script, check: impl Fn(&Stage)) {
    for provider in agents::names().filter_map(Provider::named) {
        check(&Stage::new(provider, script()));
    }
}

/// The last turn of a play that ends well.
pub(crate) fn done() -> Turn {
    Turn::text(RESULT)
}

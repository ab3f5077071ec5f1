//! `web_search` (rule F3.2.1): one question to the search service that the person
//! set, at most ten results, and a record of both that no model writes.
//!
//! No page is fetched, no redirect followed, and no host but the one that is set is asked.

mod provider;

pub use provider::SearchProvider;

use crate::api::KeySource;
use crate::api::reach::{Reach, reach, secret};
use crate::bounds::Bounds;
use crate::failure::{Failure, one_line};
use crate::http::{Client, Route};
use crate::tool_loop::{Place, Tool};
use crate::wire::ToolSpec;
use kernel::outcome::Class;
use provider::{Question, SearchResult};
use sandbox::Network;
use serde_json::{Value, json};
use std::time::Duration;
use store::redact::redact;

const NAME: &str = "web_search";
/// The most results of one query (rule F3.2): more would only fill the window.
const MOST_RESULTS: u64 = 10;
/// Queries are questions, not documents.
const LONGEST_QUERY: usize = 1_000;
/// The most of a title or a snippet.
const LONGEST_TEXT: usize = 1_000;
/// Longer addresses are no pages that a person opens.
const LONGEST_URL: usize = 2_000;
/// The most questions of one attempt: each costs money, and all of them are read at the gate.
const MOST_SEARCHES: usize = 50;
const WALL: Duration = Duration::from_secs(60);
const IDLE: Duration = Duration::from_secs(30);
const LARGEST_ANSWER: usize = 4 << 20;

/// Which service, where, and with which key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SearchSettings {
    /// The service.
    pub provider: SearchProvider,
    /// Its address.
    pub url: String,
    pub key: KeySource,
    /// What one question costs, in millionths of a dollar; 0: nothing.
    pub micro_dollars: u64,
}

/// The tool. Without settings it says how to get some.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WebSearch {
    settings: Option<SearchSettings>,
}

impl WebSearch {
    /// The tool with these settings.
    pub fn new(settings: Option<SearchSettings>) -> Self {
        Self { settings }
    }

    fn search(
        &self,
        query: &str,
        most: u64,
        place: &Place<'_>,
    ) -> Result<Vec<SearchResult>, String> {
        let Some(settings) = &self.settings else {
            let names: Vec<&str> = SearchProvider::ALL.map(SearchProvider::as_str).to_vec();
            return Err(format!(
                "web_search is not configured: nothing was searched. A person can set `search.provider` ({}) and its key in their own config.toml (`proofhouse config` shows where). Go on with what you have and what you know, and say in the spec what should be looked up.",
                names.join(", ")
            ));
        };
        let could_not = |error: crate::api::ApiError| format!("web_search: {error}");
        let far = reach(&settings.url).map_err(could_not)?;
        allowed(place, far)?;
        place.pay(settings.micro_dollars)?;
        let key = secret(&settings.url, &settings.key, far).map_err(could_not)?;
        let key = key.as_ref().map(|key| key.expose());
        let post = settings.provider.request(&Question {
            base: &settings.url,
            key,
            query,
            most,
        });
        let bounds = Bounds::new(place.cancel, place.left.min(WALL), IDLE);
        let route = match far {
            Reach::Local => Route::Direct,
            Reach::Remote => Route::Proxy,
        };
        let mut answer = Vec::new();
        let posted = Client::new(bounds, route).post(post, &mut |bytes| {
            answer.extend_from_slice(bytes);
            match answer.len() > LARGEST_ANSWER {
                true => Err(Failure::new(Class::Crashed, "its answer is too large")),
                false => Ok(()),
            }
        });
        let name = settings.provider.as_str();
        let said = |why: &str| {
            let why = one_line(&redact(why, key.as_slice()));
            format!("{name} could not search: {why}; try again later, or go on without")
        };
        posted.map_err(|failure| said(&failure.reason))?;
        let answer: Value = serde_json::from_slice(&answer)
            .map_err(|error| said(&format!("its answer is no JSON ({error})")))?;
        let results = settings.provider.results(&answer);
        let mut results = results.map_err(|why| said(&why))?;
        results.truncate(usize::try_from(most).unwrap_or(usize::MAX));
        for one in &mut results {
            let texts = [
                (&mut one.title, LONGEST_TEXT),
                (&mut one.snippet, LONGEST_TEXT),
            ];
            for (text, longest) in texts.into_iter().chain([(&mut one.url, LONGEST_URL)]) {
                *text = text.chars().take(longest).collect();
            }
        }
        Ok(results)
    }
}

/// The person's word on what agents may talk to holds for this tool as well.
fn allowed(place: &Place<'_>, far: Reach) -> Result<(), String> {
    let network = place.order.policy.as_ref().map(|policy| &policy.network);
    match (network, far) {
        (Some(Network::None), _) | (Some(Network::Loopback), Reach::Remote) => Err(
            "web_search is not allowed: `network.agents` of the config forbids it; go on without"
                .to_owned(),
        ),
        _ => Ok(()),
    }
}

impl Tool for WebSearch {
    fn spec(&self) -> ToolSpec {
        ToolSpec {
            name: NAME.to_owned(),
            description: "Searches the web. Returns a ranked list of {url, title, snippet}. Every query and result is put on record and shown to the person.".to_owned(),
            parameters: json!({
                "type": "object",
                "properties": {
                    "query": {"type": "string", "description": "A question or words, in natural language"},
                    "max_results": {"type": "integer", "description": "1 to 10; 10 if left out"},
                },
                "required": ["query"],
                "additionalProperties": false,
            }),
        }
    }

    fn call(&self, arguments: &Value, place: &Place<'_>) -> Result<String, String> {
        let query = arguments["query"].as_str().map(str::trim);
        let query = query
            .filter(|query| !query.is_empty() && query.len() <= LONGEST_QUERY)
            .ok_or_else(|| {
                format!("`query` is not a text of 1 to {LONGEST_QUERY} bytes; call it again")
            })?;
        let most = match &arguments["max_results"] {
            Value::Null => MOST_RESULTS,
            given => given
                .as_u64()
                .ok_or("`max_results` is not a whole number from 1 to 10")?
                .clamp(1, MOST_RESULTS),
        };
        if place.times_looked_up(NAME)? >= MOST_SEARCHES {
            return Err(format!(
                "no more searches in this attempt: it has made {MOST_SEARCHES}; go on with what you have"
            ));
        }
        let found = self.search(query, most, place);
        if let Some(settings) = &self.settings {
            let results = found.as_deref().unwrap_or_default();
            let results: Vec<Value> = results
                .iter()
                .map(|one| json!({"url": one.url, "title": one.title}))
                .collect();
            place.looked_up(&json!({
                "tool": NAME,
                "provider": settings.provider.as_str(),
                "query": query,
                "results": results,
                "failed": found.as_ref().err(),
            }))?;
        }
        Ok(json!(found?).to_string())
    }
}

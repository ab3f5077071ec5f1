//! Search services: how each is asked, and how its answer is read. Pure.
//!
//! A service is a row: another one is another row, and nothing else.

use crate::http::{Body, Post};
use serde_json::{Value, json};

/// A search service.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SearchProvider {
    /// tavily.com.
    Tavily,
    /// serpapi.com.
    SerpApi,
    /// api.search.brave.com.
    Brave,
    /// A SearXNG instance; it needs an address and no key.
    SearXng,
}

/// One result.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
pub(super) struct SearchResult {
    pub(super) url: String,
    pub(super) title: String,
    pub(super) snippet: String,
}

/// A question to a service.
pub(super) struct Question<'a> {
    pub(super) base: &'a str,
    pub(super) key: Option<&'a str>,
    pub(super) query: &'a str,
    pub(super) most: u64,
}

impl SearchProvider {
    /// All of them.
    pub const ALL: [SearchProvider; 4] = [
        SearchProvider::Tavily,
        SearchProvider::SerpApi,
        SearchProvider::Brave,
        SearchProvider::SearXng,
    ];

    /// As the config spells it.
    pub fn as_str(self) -> &'static str {
        match self {
            SearchProvider::Tavily => "tavily",
            SearchProvider::SerpApi => "serpapi",
            SearchProvider::Brave => "brave",
            SearchProvider::SearXng => "searxng",
        }
    }

    /// Its address, if it has one of its own.
    pub fn base_url(self) -> Option<&'static str> {
        match self {
            SearchProvider::Tavily => Some("https://api.tavily.com"),
            SearchProvider::SerpApi => Some("https://serpapi.com"),
            SearchProvider::Brave => Some("https://api.search.brave.com"),
            SearchProvider::SearXng => None,
        }
    }

    /// The variable that usually holds its key; none: it takes none.
    pub fn key_env(self) -> Option<&'static str> {
        match self {
            SearchProvider::Tavily => Some("TAVILY_API_KEY"),
            SearchProvider::SerpApi => Some("SERPAPI_API_KEY"),
            SearchProvider::Brave => Some("BRAVE_API_KEY"),
            SearchProvider::SearXng => None,
        }
    }

    /// The request for a question.
    pub(super) fn request(self, question: &Question<'_>) -> Post {
        let Question {
            base,
            key,
            query,
            most,
        } = question;
        let base = base.trim_end_matches('/');
        let (asked, key) = (encoded(query), key.unwrap_or_default());
        let get = |url: String, headers: Vec<(&'static str, String)>| Post {
            url,
            headers,
            body: Body::Nothing,
        };
        match self {
            SearchProvider::Tavily => Post {
                url: format!("{base}/search"),
                headers: vec![("authorization", format!("Bearer {key}"))],
                body: Body::Json(json!({"query": query, "max_results": most}).to_string()),
            },
            // It takes its key in the address alone; nothing of ours prints an address.
            SearchProvider::SerpApi => get(
                format!(
                    "{base}/search.json?engine=google&num={most}&q={asked}&api_key={}",
                    encoded(key)
                ),
                Vec::new(),
            ),
            SearchProvider::Brave => get(
                format!("{base}/res/v1/web/search?count={most}&q={asked}"),
                vec![("x-subscription-token", key.to_owned())],
            ),
            SearchProvider::SearXng => {
                get(format!("{base}/search?format=json&q={asked}"), Vec::new())
            }
        }
    }

    /// The results in an answer, best first.
    pub(super) fn results(self, answer: &Value) -> Result<Vec<SearchResult>, String> {
        let (list, url, snippet) = match self {
            SearchProvider::Tavily | SearchProvider::SearXng => ("/results", "url", "content"),
            SearchProvider::SerpApi => ("/organic_results", "link", "snippet"),
            SearchProvider::Brave => ("/web/results", "url", "description"),
        };
        let Some(found) = answer.pointer(list) else {
            // A search that finds nothing leaves the list out in some of them.
            return match answer.get("error").and_then(Value::as_str) {
                Some(error) => Err(error.to_owned()),
                None => Ok(Vec::new()),
            };
        };
        let found = found
            .as_array()
            .ok_or_else(|| format!("`{list}` of the answer is no list"))?;
        let text = |one: &Value, name: &str| one[name].as_str().unwrap_or_default().to_owned();
        let results = found.iter().map(|one| SearchResult {
            url: text(one, url),
            title: text(one, "title"),
            snippet: text(one, snippet),
        });
        Ok(results.filter(|one| !one.url.is_empty()).collect())
    }
}

/// A text as a part of an address.
fn encoded(text: &str) -> String {
    let mut out = String::new();
    for byte in text.bytes() {
        match byte {
            b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'-' | b'_' | b'.' | b'~' => {
                out.push(char::from(byte));
            }
            other => out.push_str(&format!("%{other:02X}")),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_query_can_add_nothing_to_the_address() {
        assert_eq!(encoded("a b&api_key=x#ü"), "a%20b%26api_key%3Dx%23%C3%BC");
        for provider in SearchProvider::ALL {
            let question = Question {
                base: "https://host/",
                key: Some("k"),
                query: "x&y=1",
                most: 3,
            };
            let post = provider.request(&question);
            assert!(post.url.starts_with("https://host/"), "{}", post.url);
            assert!(!post.url.contains("&y=1"), "{}", post.url);
        }
    }

    #[test]
    fn each_services_answer_is_read() {
        let cases = [
            (
                SearchProvider::Tavily,
                json!({"results": [{"url": "u", "title": "t", "content": "s"}]}),
            ),
            (
                SearchProvider::SearXng,
                json!({"results": [{"url": "u", "title": "t", "content": "s"}, {"title": "no url"}]}),
            ),
            (
                SearchProvider::SerpApi,
                json!({"organic_results": [{"link": "u", "title": "t", "snippet": "s"}]}),
            ),
            (
                SearchProvider::Brave,
                json!({"web": {"results": [{"url": "u", "title": "t", "description": "s"}]}}),
            ),
        ];
        for (provider, answer) in cases {
            let one = SearchResult {
                url: "u".into(),
                title: "t".into(),
                snippet: "s".into(),
            };
            assert_eq!(provider.results(&answer), Ok(vec![one]), "{provider:?}");
            assert_eq!(provider.results(&json!({})), Ok(Vec::new()));
            assert!(provider.results(&json!({"error": "no credit"})).is_err());
        }
    }
}

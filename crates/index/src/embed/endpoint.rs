//! An OpenAI-compatible endpoint: `POST {url}/embeddings`. It refuses redirects, answers that are
//! too large, and vectors that do not belong to the texts that were sent.

use super::Embedder;
use super::key::{KeySource, Secret, reach};
use crate::error::IndexError;
use serde::{Deserialize, Serialize};
use std::io::Read;
use std::time::Duration;

const CONNECT: Duration = Duration::from_secs(20);
const WHOLE: Duration = Duration::from_secs(180);
/// The user's settings for endpoints.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Settings {
    /// The address that `/embeddings` is below.
    pub url: String,
    /// Where the key is.
    pub key: KeySource,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            url: "https://api.openai.com/v1".to_owned(),
            key: KeySource::Variable("OPENAI_API_KEY".to_owned()),
        }
    }
}

/// The most that an answer may hold.
const ANSWER: u64 = 64 * 1024 * 1024;
/// The most that is shown of an error.
const SHOWN: usize = 400;
/// Texts in one request.
const BATCH: usize = 64;

/// A model behind an address.
#[derive(Debug)]
pub struct Endpoint {
    agent: ureq::Agent,
    url: String,
    key: Option<Secret>,
    model: String,
    /// What was asked for; not every model can be asked.
    asked: Option<usize>,
    dimensions: usize,
}

#[derive(Serialize)]
struct Request<'a> {
    model: &'a str,
    input: &'a [String],
    encoding_format: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    dimensions: Option<usize>,
}

#[derive(Deserialize)]
struct Answer {
    data: Vec<Item>,
}

#[derive(Deserialize)]
struct Item {
    index: usize,
    embedding: Vec<f32>,
}

impl Endpoint {
    /// Reads the key, and asks the model once for its dimensions unless they are given.
    pub fn open(
        model: &str,
        dimensions: Option<usize>,
        settings: &Settings,
    ) -> Result<Self, IndexError> {
        let reach = reach(&settings.url)?;
        let config = ureq::Agent::config_builder()
            .http_status_as_error(false)
            .max_redirects(0)
            .max_redirects_will_error(false)
            .timeout_connect(Some(CONNECT))
            .timeout_global(Some(WHOLE))
            .user_agent(concat!("proofhouse/", env!("CARGO_PKG_VERSION")));
        let config = match reach {
            super::key::Reach::Local => config.proxy(None),
            super::key::Reach::Remote => config,
        };
        let mut endpoint = Self {
            agent: ureq::Agent::new_with_config(config.build()),
            url: format!("{}/embeddings", settings.url.trim_end_matches('/')),
            key: settings.key.secret(reach)?,
            model: model.to_owned(),
            asked: dimensions,
            dimensions: dimensions.unwrap_or_default(),
        };
        if dimensions.is_none() {
            let probe = endpoint.request(&["dimensions".to_owned()])?;
            endpoint.dimensions = probe.first().map_or(0, Vec::len);
        }
        Ok(endpoint)
    }

    fn failed(&self, why: impl AsRef<str>) -> IndexError {
        let why = match &self.key {
            Some(key) => key.redact(why.as_ref()),
            None => why.as_ref().to_owned(),
        };
        IndexError::EmbedderFailed {
            embedder: self.spec(),
            why: why.into(),
        }
    }

    fn request(&self, texts: &[String]) -> Result<Vec<Vec<f32>>, IndexError> {
        let request = Request {
            model: &self.model,
            input: texts,
            encoding_format: "float",
            dimensions: self.asked,
        };
        let body = serde_json::to_string(&request)
            .map_err(|error| self.failed(format!("the request cannot be written: {error}")))?;
        let mut post = self
            .agent
            .post(&self.url)
            .header("content-type", "application/json");
        if let Some(key) = &self.key {
            post = post.header("authorization", format!("Bearer {}", key.expose()));
        }
        let response = post
            .send(body.as_bytes())
            .map_err(|error| self.failed(format!("{} cannot be reached: {error}", self.url)))?;
        let status = response.status().as_u16();
        let mut text = String::new();
        response
            .into_body()
            .into_reader()
            .take(ANSWER)
            .read_to_string(&mut text)
            .map_err(|error| self.failed(format!("the answer broke off: {error}")))?;
        if !(200..300).contains(&status) {
            let shown: String = text.chars().take(SHOWN).collect();
            return Err(self.failed(format!("{} answered {status}: {shown}", self.url)));
        }
        let answer: Answer = serde_json::from_str(&text).map_err(|error| {
            self.failed(format!("the answer is not a list of vectors: {error}"))
        })?;
        self.in_order(answer, texts.len())
    }

    /// Every text's vector in its place, exactly once.
    fn in_order(&self, answer: Answer, wanted: usize) -> Result<Vec<Vec<f32>>, IndexError> {
        let mut vectors: Vec<Option<Vec<f32>>> = vec![None; wanted];
        for item in answer.data {
            match vectors.get_mut(item.index) {
                Some(place @ None) => *place = Some(item.embedding),
                _ => return Err(self.failed(format!("a wrong index, {}", item.index))),
            }
        }
        let vectors: Option<Vec<Vec<f32>>> = vectors.into_iter().collect();
        vectors.ok_or_else(|| self.failed(format!("fewer vectors than the {wanted} texts")))
    }
}

impl Embedder for Endpoint {
    fn spec(&self) -> String {
        match self.asked {
            Some(dimensions) => format!("openai:{}@{dimensions}", self.model),
            None => format!("openai:{}", self.model),
        }
    }

    /// Whoever serves it: a model has one name.
    fn identity(&self) -> String {
        format!("openai:{}/{}", self.model, self.dimensions)
    }

    fn dimensions(&self) -> usize {
        self.dimensions
    }

    fn tokens(&self) -> Option<usize> {
        None
    }

    fn embed(&self, texts: &[String]) -> Result<Vec<Vec<f32>>, IndexError> {
        let mut vectors = Vec::with_capacity(texts.len());
        for some in texts.chunks(BATCH) {
            vectors.extend(self.request(some)?);
        }
        Ok(vectors)
    }
}

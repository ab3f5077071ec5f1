//! `search_code_index` (rule F14.3): shipped modules by meaning, with their contracts' summaries
//! and shapes. It reads the project's index and cannot write it.

use agents::{Place, Tool, ToolSpec};
use index::embed::{self, Settings};
use index::{AppendOnlyCodeIndex, Create, Ranking, SearchRequest};
use kernel::form::Formed;
use serde_json::{Value, json};
use std::path::PathBuf;
use workspace::config::Config;
use workspace::error::EngineError;
use workspace::index_place;
use workspace::project::Project;

/// The search in a project's index.
pub(super) struct Search {
    path: PathBuf,
    settings: Settings,
}

impl Search {
    pub(super) fn of(project: &Project, config: &Config) -> Result<Self, EngineError> {
        Ok(Self {
            path: index_place::of_project(project),
            settings: index_place::settings(config)?,
        })
    }
}

impl Tool for Search {
    fn spec(&self) -> ToolSpec {
        ToolSpec {
            name: "search_code_index".to_owned(),
            description: "Finds shipped modules that could be reused, nearest in meaning first: id, version, purpose, tags, inputs, outputs, error surfaces, effects, modes, and a similarity_score from 0 to 1. There is no threshold: judge the candidates yourself.".to_owned(),
            parameters: SearchRequest::FORM.schema(),
        }
    }

    fn call(&self, arguments: &Value, _: &Place<'_>) -> Result<String, String> {
        let mut given = arguments.clone();
        if let Some(members) = given.as_object_mut() {
            // Strict models write null where they mean nothing.
            members.retain(|_, value| !value.is_null());
        }
        let request =
            SearchRequest::read(&given).map_err(|error| format!("{error}; call it again"))?;
        if !self.path.exists() {
            return Ok(json!({"results": [], "note": "nothing has been shipped yet"}).to_string());
        }
        let wrong = |error: index::IndexError| error.to_string();
        let mut index = AppendOnlyCodeIndex::open(&self.path, Create::Never).map_err(wrong)?;
        let spec = index.embedder_spec().map_err(wrong)?;
        let embedder = embed::open(spec.as_deref().unwrap_or("built-in"), &self.settings);
        let embedder = embedder.map_err(wrong)?;
        let hits = index.search(&request, Ranking::Semantic, &*embedder);
        Ok(json!({"results": hits.map_err(wrong)?}).to_string())
    }
}

//! `search_code_index` (rule F14.3): shipped modules by meaning, with their contracts' summaries
//! and shapes, of this project and of the user's others. It reads the indexes and cannot write them.

use agents::{Place, Tool, ToolSpec};
use index::SearchRequest;
use kernel::form::Formed;
use serde_json::{Value, json};
use workspace::config::Config;
use workspace::error::EngineError;
use workspace::near::Indexes;
use workspace::project::Project;

/// The search in the user's index and the project's.
pub(super) struct Search(Indexes);

impl Search {
    pub(super) fn of(project: &Project, config: &Config) -> Result<Self, EngineError> {
        Ok(Self(Indexes::of(project, config)?))
    }
}

impl Tool for Search {
    fn spec(&self) -> ToolSpec {
        ToolSpec {
            name: "search_code_index".to_owned(),
            description: "Finds shipped modules that could be reused, nearest in meaning first: id, version, purpose, tags, inputs, outputs, error surfaces, effects, modes, where it is (`here`, or `elsewhere` in another project, from which it can be brought in), and a similarity_score from 0 to 1. There is no threshold: judge the candidates yourself.".to_owned(),
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
        let found = self.0.search(&request).map_err(|error| error.to_string())?;
        Ok(match found.is_empty() {
            true => json!({"results": [], "note": "nothing has been shipped yet"}).to_string(),
            false => json!({"results": found}).to_string(),
        })
    }
}

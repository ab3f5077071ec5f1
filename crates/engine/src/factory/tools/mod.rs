//! What the engine offers to the factory's roles besides files and programs (rules F3.2.1 and
//! F14.3), for agents that run on our own tool loop. A tool judges with the very code that the gates
//! judge with, so that what it says is what will hold.

mod code_index;
mod spec;

use agents::{KeySource, SearchProvider, SearchSettings, Tool, WebSearch};
use std::collections::BTreeMap;
use std::sync::Arc;
use workspace::config::Config;
use workspace::error::EngineError;
use workspace::project::Project;

/// For the product role: with `read` and `write`, the six of rule F3.2.1.
pub(super) const OF_PRODUCT: [&str; 4] = [
    "web_search",
    "validate_spec",
    "search_code_index",
    "emit_structured_spec",
];
/// For the micro planner and the Proposer (rule F3.4).
pub(super) const OF_ENGINEERS: [&str; 1] = ["search_code_index"];

/// All of them, by name.
pub(super) fn all(
    project: &Project,
    config: &Config,
) -> Result<BTreeMap<String, Arc<dyn Tool>>, EngineError> {
    let tools: [Arc<dyn Tool>; 4] = [
        Arc::new(WebSearch::new(search(project, config)?)),
        Arc::new(spec::Validate),
        Arc::new(spec::Emit),
        Arc::new(code_index::Search::of(project, config)?),
    ];
    Ok(tools
        .into_iter()
        .map(|tool| (tool.spec().name, tool))
        .collect())
}

/// The search service that the person set; a repository may not choose where a key is sent.
fn search(project: &Project, config: &Config) -> Result<Option<SearchSettings>, EngineError> {
    let named = config.own_text("search.provider")?;
    let provider = named.and_then(|name| {
        let mut all = SearchProvider::ALL.into_iter();
        all.find(|one| one.as_str() == name)
    });
    let url = config.own_text("search.url")?.map(str::to_owned);
    let key_env = config.own_text("search.key_env")?;
    let key_file = config.own_file("search.key_file", project.top())?;
    let Some(provider) = provider else {
        return Ok(None);
    };
    let url = url.or(provider.base_url().map(str::to_owned));
    let url = url.ok_or_else(|| {
        EngineError::user(
            "search_without_url",
            format!("`{}` has no address of its own", provider.as_str()),
            "set `search.url`, such as \"https://searx.example.org\"",
        )
    })?;
    let key = match (key_file, key_env, provider.key_env()) {
        (Some(path), _, _) => KeySource::File(path),
        (None, Some(name), _) => KeySource::Variable(name.to_owned()),
        (None, None, Some(name)) => KeySource::Variable(name.to_owned()),
        (None, None, None) => KeySource::None,
    };
    Ok(Some(SearchSettings {
        provider,
        url,
        key,
        micro_dollars: config.own_number("search.micro_dollars")?.unwrap_or(0),
    }))
}

//! Where the Code Index is, and what embeds for it: a project's own index, or the user's.

use crate::config::Config;
use crate::error::Error;
use crate::project::Project;
use index::embed::{KeySource, Settings};
use std::path::PathBuf;

/// Below `state_store/`, as rule F7 lays it out.
const PLACE: &str = "code_index/index.sqlite";

/// A project's index.
pub fn of_project(project: &Project) -> PathBuf {
    project.home().join("state_store").join(PLACE)
}

/// The user's index: `$XDG_DATA_HOME/proofhouse/`, or below `~/.local/share`.
pub fn of_user() -> Result<PathBuf, Error> {
    let set = |name: &str| {
        std::env::var_os(name)
            .filter(|value| !value.is_empty())
            .map(PathBuf::from)
    };
    let base = set("XDG_DATA_HOME").or_else(|| set("HOME").map(|home| home.join(".local/share")));
    let base = base.ok_or_else(|| {
        Error::environment(
            "no_home",
            "there is no place for the global index: neither XDG_DATA_HOME nor HOME is set",
            "set one of them, or use --project",
        )
    })?;
    Ok(base.join("proofhouse").join(PLACE))
}

/// May modules go from this project to the user's others, and from them to it?
pub fn shares(config: &Config) -> bool {
    config.text("index.share") != Some("nothing")
}

/// How an endpoint for embeddings is reached.
pub fn settings(config: &Config) -> Result<Settings, Error> {
    let mut settings = Settings::default();
    if let Some(url) = config.own_text("index.url")? {
        settings.url = url.to_owned();
    }
    if let Some(name) = config.own_text("index.key_env")? {
        settings.key = KeySource::Variable(name.to_owned());
    }
    if let Some(path) = config.own_text("index.key_file")? {
        settings.key = KeySource::File(path.into());
    }
    Ok(settings)
}

//! What the Code Indexes have near a text, for whoever looks for a module to reuse: the user's, which their
//! projects fill with what they release, and the project's own.

use crate::config::Config;
use crate::error::Error;
use crate::index_place;
use crate::project::Project;
use index::embed::{self, Settings};
use index::{AppendOnlyCodeIndex, Create, Hit, IndexError, Ranking, SearchRequest};
use kernel::module::ModuleRef;
use serde::Serialize;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// From this similarity on, whoever makes something new says why this will not do.
pub const NEAR: f64 = 0.5;

/// Which index has it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Place {
    /// This project has shipped it.
    Here,
    /// Another project of the user has released it.
    Elsewhere,
}

/// One of both.
#[derive(Debug, Clone, Serialize)]
pub struct Found {
    /// Which.
    #[serde(rename = "where")]
    pub place: Place,
    #[serde(flatten)]
    pub hit: Hit,
}

impl Found {
    /// Its id and version.
    pub fn reference(&self) -> ModuleRef {
        self.hit.entry.reference()
    }
}

/// Where to look.
pub struct Indexes {
    paths: Vec<(Place, PathBuf)>,
    settings: Settings,
}

impl Indexes {
    /// The user's, unless the project keeps to itself, and its own.
    pub fn of(project: &Project, config: &Config) -> Result<Self, Error> {
        let user = index_place::of_user().ok();
        let user = user.filter(|_| index_place::shares(config));
        let user = user.map(|path| (Place::Elsewhere, path));
        let own = (Place::Here, index_place::of_project(project));
        Ok(Self {
            paths: user.into_iter().chain([own]).collect(),
            settings: index_place::settings(config)?,
        })
    }

    /// The nearest, each once: what is here is not listed from elsewhere too.
    pub fn search(&self, request: &SearchRequest) -> Result<Vec<Found>, IndexError> {
        let mut all = Vec::new();
        for (place, path) in self.paths.iter().filter(|(_, path)| path.exists()) {
            let hits = self.one(path, request)?;
            all.extend(hits.into_iter().map(|hit| Found { place: *place, hit }));
        }
        let own = all.iter().filter(|one| one.place == Place::Here);
        let own: BTreeSet<ModuleRef> = own.map(Found::reference).collect();
        all.retain(|one| one.place == Place::Here || !own.contains(&one.reference()));
        all.sort_by(|a, b| b.hit.similarity_score.total_cmp(&a.hit.similarity_score));
        all.truncate(request.top_k);
        Ok(all)
    }

    fn one(&self, path: &Path, request: &SearchRequest) -> Result<Vec<Hit>, IndexError> {
        let mut index = AppendOnlyCodeIndex::open(path, Create::Never)?;
        let spec = index.embedder_spec()?;
        let embedder = embed::open(spec.as_deref().unwrap_or("built-in"), &self.settings)?;
        index.search(request, Ranking::Semantic, &*embedder)
    }
}

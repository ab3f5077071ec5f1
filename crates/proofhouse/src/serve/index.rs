//! `/index/?q=`: the Code Index of each repository, and the person's own. It reads; and it calls no endpoint: a
//! page that is shown again whenever something moves would ask without end.

use index::embed::{self, Settings};
use index::{
    AppendOnlyCodeIndex, CodeIndexEntry, Create, Filter, ModuleRef, Ranking, SearchRequest,
};
use report::page::live::Live;
use report::searched::{Found, Searched, Shelf};
use std::collections::BTreeMap;
use std::path::Path;
use workspace::{EngineError, Project, index_place};

/// The most that one shelf shows.
const MOST: usize = 40;
/// How the name of an embedder begins that is an endpoint.
const ENDPOINT: &str = "openai:";

const NOT_ASKED: &str = "The vectors of this index come from an endpoint, which no page calls: \
                         `proofhouse index search QUERY` does.";

/// Where the page of each module is that a served repository has.
type Addresses = BTreeMap<ModuleRef, String>;

/// The page, of these repositories.
pub(super) fn page(repos: &[(String, Project)], query: &str) -> Live {
    let query = query.trim();
    let addresses = addresses(repos);
    let mut shelves = Vec::new();
    for (key, project) in repos {
        let place = index_place::of_project(project);
        // A model in a folder is found by its path; settings are for endpoints, which are not asked.
        let settings = Settings::default();
        shelves.push(shelf(key, &place, query, &settings, &addresses));
    }
    if let Ok(place) = index_place::of_user() {
        let name = "Yours, of all projects";
        let shelf = shelf(name, &place, query, &Settings::default(), &addresses);
        shelves.push(shelf);
    }
    report::page::searched::page(&Searched {
        query: query.to_owned(),
        shelves,
    })
}

fn addresses(repos: &[(String, Project)]) -> Addresses {
    let mut all = Addresses::new();
    for (key, project) in repos {
        for run in report::look::projects(project).unwrap_or_default() {
            let Ok(peek) = report::look::peek_project(project, &run) else {
                continue;
            };
            for entry in peek.machine.registry().iter() {
                let ModuleRef { module, version } = &entry.reference;
                let address = format!("/r/{key}/run/{run}/module/{module}/{version}/");
                all.entry(entry.reference.clone()).or_insert(address);
            }
        }
    }
    all
}

fn shelf(
    name: &str,
    place: &Path,
    query: &str,
    settings: &Settings,
    addresses: &Addresses,
) -> Shelf {
    let found = match place.is_file() {
        true => look(place, query, settings, addresses),
        false => Ok(Some(Vec::new())),
    };
    let (found, fault) = match found {
        Ok(Some(found)) => (found, None),
        Ok(None) => (Vec::new(), Some(NOT_ASKED.to_owned())),
        Err(error) => (Vec::new(), Some(format!("{} {}", error.what, error.mend))),
    };
    Shelf {
        name: name.to_owned(),
        found,
        fault,
    }
}

/// What is on a shelf; none: an endpoint would have to be asked.
fn look(
    place: &Path,
    query: &str,
    settings: &Settings,
    addresses: &Addresses,
) -> Result<Option<Vec<Found>>, EngineError> {
    let mut index = AppendOnlyCodeIndex::open(place, Create::Never)?;
    if query.is_empty() {
        let all = index.list(&Filter::default())?;
        let all = all.iter().rev().take(MOST);
        let all = all.map(|entry| found(entry, None, addresses));
        return Ok(Some(all.collect()));
    }
    let spec = index.embedder_spec()?;
    let spec = spec.unwrap_or_else(|| "built-in".to_owned());
    if spec.starts_with(ENDPOINT) {
        return Ok(None);
    }
    let embedder = embed::open(&spec, settings)?;
    let mut request = SearchRequest::new(query);
    request.top_k = MOST;
    let hits = index.search(&request, Ranking::Fused, &*embedder)?;
    let near = |score: f64| (score.clamp(0.0, 1.0) * 100.0).round() as u8;
    let hits = hits.iter();
    let all = hits.map(|hit| found(&hit.entry, Some(near(hit.similarity_score)), addresses));
    Ok(Some(all.collect()))
}

fn found(entry: &CodeIndexEntry, near: Option<u8>, addresses: &Addresses) -> Found {
    let reference = entry.reference();
    Found {
        name: entry.name.clone(),
        purpose: entry.purpose.clone(),
        status: entry.status,
        near,
        takes: entry.io_summary.inputs.clone(),
        gives: entry.io_summary.outputs.clone(),
        address: addresses.get(&reference).cloned(),
        reference: reference.to_string(),
    }
}

//! What was looked up, as the person at the gate reads it. The records are our tools' own; what a
//! role names by itself is marked as such.

use kernel::outcome::EvidenceRef;
use serde::Deserialize;
use store::Vault;

/// More lines than this nobody reads.
const MOST: usize = 500;

#[derive(Deserialize)]
struct Found {
    url: String,
    #[serde(default)]
    title: String,
}

/// One search, as the tool wrote it down.
#[derive(Deserialize)]
struct Looked {
    tool: String,
    query: String,
    #[serde(default)]
    results: Vec<Found>,
}

/// The sources, each one line.
pub(super) fn sources(vault: &Vault, research: &[EvidenceRef], named: &[String]) -> Vec<String> {
    let mut lines = Vec::new();
    for one in research {
        let Ok(bytes) = vault.get(&one.hash) else {
            lines.push(format!("(the record {} is missing)", one.hash));
            continue;
        };
        for line in String::from_utf8_lossy(&bytes).lines() {
            let Ok(looked) = serde_json::from_str::<Looked>(line) else {
                continue;
            };
            lines.push(format!("{}: {}", looked.tool, looked.query));
            let found = looked.results.into_iter();
            lines.extend(found.map(|one| match one.title.as_str() {
                "" => one.url,
                title => format!("{} ({title})", one.url),
            }));
        }
    }
    let mut seen = std::collections::BTreeSet::new();
    lines.retain(|line| seen.insert(line.clone()));
    let named = named.iter();
    lines.extend(named.map(|one| format!("{one} (named by the agent; not seen by Proofhouse)")));
    if lines.len() > MOST {
        let more = lines.len() - MOST;
        lines.truncate(MOST);
        lines.push(format!("and {more} more"));
    }
    lines
}

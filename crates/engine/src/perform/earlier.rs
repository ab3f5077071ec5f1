//! What earlier gates of a run kept as evidence: the only memory that a check has. It reads the
//! journal and the vault, and refuses to look anywhere that an agent can write.

use kernel::Body;
use store::{Journal, Replay, RunName};
use workspace::context::Context;
use workspace::error::EngineError;

/// The evidence with this name, oldest first.
pub(super) fn earlier(context: &Context, name: &str) -> Result<Vec<Vec<u8>>, EngineError> {
    // Names are kept without keys in them.
    let name = context.kept_text(name);
    let mut hashes: Vec<String> = Vec::new();
    Journal::read(
        &context.project.journals(),
        &RunName::new(&context.run)?,
        Replay::default(),
        |record| {
            if let Body::GateEnded(ended) = report::look::event(&record)?.body {
                let evidence = ended.results.into_iter().flat_map(|result| result.evidence);
                let named = evidence.filter(|kept| kept.name == name);
                hashes.extend(named.map(|kept| kept.hash));
            }
            Ok(())
        },
    )?;
    let mut found = Vec::new();
    for hash in hashes {
        found.push(context.fetch(&hash)?);
    }
    Ok(found)
}

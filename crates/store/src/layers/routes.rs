//! The state store's routing table (rule F7) as data, and the composite made of
//! it.

use super::{
    Backend, Capped, Composite, Denied, Files, Freezing, Glob, Grep, Hit, Immutable, Listed,
    Opaque, Rel, Resolving, Shipped, Sight, Units, Which, Writing,
};
use std::path::Path;
use std::sync::Arc;

/// How a route keeps what is in it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Keeping {
    /// Plain reading and writing.
    Plain,
    /// Immutable once its version folder was shipped.
    Immutable {
        /// How many names below the prefix a version folder is.
        depth: usize,
    },
    /// And `implementation/` and `tests/` sealed from then on.
    Opaque {
        /// How many names below the prefix a version folder is.
        depth: usize,
    },
    /// Immutable once its folder holds an `adjudication.json`.
    UntilAdjudicated,
    /// Immutable from the first write on.
    WriteOnce,
    /// No file operation at all.
    Closed,
}

/// One line of the routing table.
#[derive(Debug, Clone, Copy)]
pub struct Route {
    /// The folder below `state_store/`.
    pub prefix: &'static str,
    /// How it is kept.
    pub keeping: Keeping,
    /// What is in it, as rule F7 lays it out.
    pub layout: &'static str,
}

const fn route(prefix: &'static str, keeping: Keeping, layout: &'static str) -> Route {
    Route {
        prefix,
        keeping,
        layout,
    }
}

/// The routing table of rule F7. `exceptions` is written once, as rules F13.4 and F13.5 need
/// it: a decision on an exception is a record of its own.
pub const STATE_STORE: [Route; 8] = [
    route("project", Keeping::Plain, "state_machine.json"),
    route(
        "artifacts",
        Keeping::Immutable { depth: 3 },
        "{pillar}/{artifact_id}/{version}/{envelope.json,body/}",
    ),
    route(
        "modules",
        Keeping::Opaque { depth: 2 },
        "{module_id}/{version}/{contract.json,examples.md,ship.json,implementation/,tests/}",
    ),
    route("code_index", Keeping::Closed, "the Code Index's own files"),
    route(
        "debates",
        Keeping::UntilAdjudicated,
        "{artifact_id}/{proposal.json,challenge.json,adjudication.json}",
    ),
    route("context_packs", Keeping::WriteOnce, "{cp_id}.json"),
    route("exceptions", Keeping::WriteOnce, "{exception_id}.json"),
    route("escalations", Keeping::Plain, "{escalation_id}.json"),
];

/// The state store in the folder `dir`, standing at `at`, with each route kept as the table says.
pub fn state_store(
    dir: &Path,
    at: &Rel,
    shipped: &dyn Fn(Arc<dyn Backend>) -> Arc<dyn Shipped>,
) -> Result<Composite, Denied> {
    let files: Arc<dyn Backend> = Arc::new(Files::open_at(dir, at, Resolving::Kernel)?);
    let shipped = shipped(Arc::clone(&files));
    let mut composite = Composite::new();
    for route in &STATE_STORE {
        let prefix = at.join(route.prefix)?;
        let freeze = |freezing| Arc::new(Immutable::new(Arc::clone(&files), freezing));
        let versions = |depth| Units {
            base: prefix.clone(),
            depth,
        };
        let frozen = |depth| {
            freeze(Freezing::Shipped {
                units: versions(depth),
                shipped: Arc::clone(&shipped),
            })
        };
        let backend: Arc<dyn Backend> = match route.keeping {
            Keeping::Plain => Arc::clone(&files),
            Keeping::Immutable { depth } => frozen(depth),
            Keeping::Opaque { depth } => {
                let shipped = Arc::clone(&shipped);
                Arc::new(Opaque::new(frozen(depth), versions(depth), shipped))
            }
            Keeping::UntilAdjudicated => freeze(Freezing::Holds("adjudication.json")),
            Keeping::WriteOnce => freeze(Freezing::FirstWrite),
            Keeping::Closed => Arc::new(Closed),
        };
        composite = composite.route(&prefix, backend);
    }
    Ok(composite)
}

/// Holds nothing and takes nothing, so that a closed prefix hides what stands there.
struct Closed;

impl Backend for Closed {
    fn read(&self, path: &Rel) -> Result<Vec<u8>, Denied> {
        Err(Denied::not_found(path))
    }

    fn write(&self, path: &Rel, _: &[u8], _: Writing) -> Result<(), Denied> {
        Err(Denied::not_found(path))
    }

    fn edit(&self, path: &Rel, _: &str, _: &str, _: Which) -> Result<usize, Denied> {
        Err(Denied::not_found(path))
    }

    fn delete(&self, path: &Rel) -> Result<(), Denied> {
        Err(Denied::not_found(path))
    }

    fn ls_seen(&self, path: &Rel, _: &dyn Sight) -> Result<Capped<Listed>, Denied> {
        Err(Denied::not_found(path))
    }

    fn glob_seen(&self, query: &Glob, _: &dyn Sight) -> Result<Capped<Rel>, Denied> {
        Err(Denied::not_found(query.start()))
    }

    fn grep_seen(&self, query: &Grep, _: &dyn Sight) -> Result<Capped<Hit>, Denied> {
        Err(Denied::not_found(query.start()))
    }
}

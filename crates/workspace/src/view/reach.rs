//! What an agent reaches: its view, and the dependencies that the person has installed laid into it, so
//! that it can run what it is judged by. Where the machine has no mounts it does without them.

use super::base_of;
use crate::context::{Context, Files};
use crate::error::Error;
use crate::room::Environment;
use crate::room::for_agents;
use kernel::effect::Capability;
use sandbox::{Placed, Policy};
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// What an agent is given beside its view.
pub struct Reached {
    pub policy: Policy,
    /// What its environment has besides its connector's own.
    pub env: BTreeMap<String, String>,
}

/// For an agent with these capabilities, whose view is laid out in `home`.
pub fn reached(
    context: &Context,
    home: &Path,
    can: &BTreeSet<Capability>,
) -> Result<Reached, Error> {
    let mut policy = context.reach.agent(home);
    // Its view lies below the user's repository: git must not look for a repository above it, or it
    // would act on the user's.
    let ceiling = home.join("view").display().to_string();
    let mut env = BTreeMap::from([("GIT_CEILING_DIRECTORIES".to_owned(), ceiling)]);
    let lays_in = can.contains(&Capability::Execute)
        && context.files == Files::OfGit
        && sandbox::has_mounts();
    let Some(seen) = lays_in.then(|| base_of(home)).flatten() else {
        return Ok(Reached { policy, env });
    };
    let named = context.rooms.include.as_deref();
    let beside = for_agents(&context.project, named, &seen.repo);
    let at = home.join("view/repo");
    if let Some(environment) = Environment::among(&beside) {
        let path = context.env.get("PATH").cloned().unwrap_or_default();
        env.insert("PATH".to_owned(), path);
        environment.activate(&mut env);
        let folder = &environment.folder;
        for retold in environment.retold(&at, &home.join("python"))? {
            let laid = beside.iter().filter(|one| one.source == *folder);
            let places = laid.map(|one| at.join(&one.path)).chain([folder.clone()]);
            policy.placed.extend(places.map(|place| Placed {
                source: retold.file.clone(),
                at: place.join(&retold.inside),
            }));
        }
        policy.read.push(environment.folder);
    }
    policy.placed.extend(beside.into_iter().map(|one| Placed {
        at: at.join(&one.path),
        source: one.source,
    }));
    Ok(Reached { policy, env })
}

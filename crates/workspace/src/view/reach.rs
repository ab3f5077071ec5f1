//! What an agent reaches: its view, and the dependencies that the person has installed laid into it, so
//! that it can run what it is judged by. Where the machine has no mounts it does without them.

use super::base_of;
use crate::context::{Context, Files};
use crate::room::for_agents;
use kernel::effect::Capability;
use sandbox::{Placed, Policy};
use std::collections::BTreeSet;
use std::path::Path;

/// The policy of an agent with these capabilities, whose view is laid out in `home`.
pub fn policy(context: &Context, home: &Path, can: &BTreeSet<Capability>) -> Policy {
    let mut policy = context.reach.agent(home);
    let lays_in = can.contains(&Capability::Execute)
        && context.files == Files::OfGit
        && sandbox::has_mounts();
    if let Some(seen) = lays_in.then(|| base_of(home)).flatten() {
        let named = context.rooms.include.as_deref();
        let beside = for_agents(&context.project, named, &seen.repo);
        policy.placed.extend(beside.into_iter().map(|one| Placed {
            at: home.join("view/repo").join(&one.path),
            source: one.source,
        }));
    }
    policy
}

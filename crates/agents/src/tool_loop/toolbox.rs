//! The tools of one attempt: ours as far as the role may use them, and those that a workflow or the
//! engine adds. To the loop they are all the same: a name, a description, a schema, and something
//! that is done.
//!
//! No capability is left to the prompt: a tool that a role may not use is not offered, and a call of
//! it does nothing.

use super::tool::{Place, Then, Tool};
use super::{files, run, search, todo};
use crate::wire::{Call, ToolSpec};
use kernel::effect::Capability;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// All tools of one attempt.
pub(super) struct Toolbox {
    tools: Vec<Arc<dyn Tool>>,
    specs: Vec<ToolSpec>,
    /// Ours that the role may not use, with the capability that it lacks.
    withheld: BTreeMap<String, Capability>,
}

impl Toolbox {
    /// What a role with these capabilities is offered. `write` and `edit` need none, since every
    /// role may write in `task/`; that `repo/` is closed to one without `edit` is the space's. A
    /// workflow's own tools need none either: a role has exactly those that it was given by name.
    pub(super) fn new(can: &BTreeSet<Capability>, extra: &[Arc<dyn Tool>]) -> Self {
        let ours: [(Option<Capability>, Arc<dyn Tool>); 8] = [
            (Some(Capability::Read), Arc::new(files::Read)),
            (None, Arc::new(files::Write)),
            (None, Arc::new(files::Edit)),
            (Some(Capability::Read), Arc::new(search::Ls)),
            (Some(Capability::Search), Arc::new(search::Glob)),
            (Some(Capability::Search), Arc::new(search::Grep)),
            (Some(Capability::Execute), Arc::new(run::Run)),
            (None, Arc::new(todo::Todo::default())),
        ];
        let (mut tools, mut withheld) = (Vec::new(), BTreeMap::new());
        for (needs, tool) in ours {
            match needs.filter(|needs| !can.contains(needs)) {
                None => tools.push(tool),
                Some(lacking) => _ = withheld.insert(tool.spec().name, lacking),
            }
        }
        // Ours come first: an added tool cannot take the place of one of them, offered or not.
        for tool in extra {
            let name = tool.spec().name;
            let known = tools.iter().any(|known| known.spec().name == name);
            if !known && !withheld.contains_key(&name) {
                tools.push(Arc::clone(tool));
            }
        }
        let specs = tools.iter().map(|tool| tool.spec()).collect();
        Self {
            tools,
            specs,
            withheld,
        }
    }

    pub(super) fn specs(&self) -> &[ToolSpec] {
        &self.specs
    }

    pub(super) fn call(&self, call: &Call, place: &Place<'_>) -> Result<(String, Then), String> {
        let found = self.specs.iter().position(|spec| spec.name == call.name);
        let Some(tool) = found.and_then(|at| self.tools.get(at)) else {
            let names: Vec<&str> = self.specs.iter().map(|spec| spec.name.as_str()).collect();
            let names = names.join(", ");
            return Err(match self.withheld.get(&call.name) {
                Some(lacking) => format!(
                    "this role may not use `{}`: it cannot {}; nothing was done; there are {names}",
                    call.name,
                    lacking.as_str()
                ),
                None => format!("there is no tool `{}`; there are {names}", call.name),
            });
        };
        match &call.arguments {
            Ok(arguments) => Ok((tool.call(arguments, place)?, tool.then())),
            Err(text) => {
                let shown: String = text.chars().take(200).collect();
                Err(format!(
                    "the arguments of `{}` are not a JSON object ({shown:?}); nothing was done; call it again",
                    call.name
                ))
            }
        }
    }
}

/// A call on one line, for people.
pub(super) fn describe(call: &Call) -> String {
    let arguments = match &call.arguments {
        Ok(value) => value.to_string(),
        Err(text) => text.clone(),
    };
    format!("{} {}", call.name, super::park::shorten(&arguments, 400))
}

//! The tools of one attempt: ours as far as the role may use them, and those that a workflow or the
//! engine adds. To the loop they are all the same: a name, a description, a schema, and something
//! that is done.
//!
//! It refuses to leave a capability to the prompt: a tool that a role may not use is not offered,
//! and a call of it does nothing.

use super::space::refused;
use super::{files, run, search, space::Space, todo};
use crate::agent::Order;
use crate::wire::{Call, ToolSpec};
use kernel::effect::Capability;
use sandbox::Cancel;
use serde_json::{Value, json};
use std::cell::Cell;
use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, OpenOptions};
use std::io::{ErrorKind, Write as _};
use std::sync::Arc;
use std::time::Duration;
use store::layers::Writing;

/// What tools looked up outside of the view, in the attempt's folder: one JSON record per line. No
/// agent can write there.
pub const RESEARCH_FILE: &str = "research.jsonl";

/// Where a tool works, and how long it may.
#[derive(Clone, Copy)]
pub struct Place<'a> {
    /// The attempt's order.
    pub order: &'a Order,
    /// Thrown when the attempt is to end.
    pub cancel: &'a Cancel,
    /// What is left of the attempt's wall time.
    pub left: Duration,
    /// What the run's budget leaves, in millionths of a dollar.
    pub(super) money: u64,
    /// What the tools of this call have cost.
    pub(super) paid: &'a Cell<u64>,
    pub(super) space: &'a Space,
}

impl Place<'_> {
    /// A file of the view, as the model names it.
    ///
    /// # Errors
    /// A sentence for the model.
    pub fn read(&self, path: &str) -> Result<Vec<u8>, String> {
        let path = self.space.path(path)?;
        self.space.backend(&path).read(&path).map_err(refused)
    }

    /// Writes a file of the view, where the role may.
    ///
    /// # Errors
    /// A sentence for the model.
    pub fn write(&self, path: &str, bytes: &[u8]) -> Result<(), String> {
        let path = self.space.path(path)?;
        let backend = self.space.writable(&path)?;
        backend
            .write(&path, bytes, Writing::MayReplace)
            .map_err(refused)
    }

    /// Pays for something that costs money before it is done: the run's money is counted whoever
    /// spends it.
    ///
    /// # Errors
    /// If the run has not so much left: then nothing may be bought.
    pub fn pay(&self, micro_dollars: u64) -> Result<(), String> {
        let paid = self.paid.get().saturating_add(micro_dollars);
        if micro_dollars > 0 && paid > self.money {
            return Err("nothing is left of the run's money for this; go on without".to_owned());
        }
        self.paid.set(paid);
        Ok(())
    }

    /// Puts on record what was looked up.
    ///
    /// # Errors
    /// If it can not be written down: what nobody can check is not looked up.
    pub fn looked_up(&self, record: &Value) -> Result<(), String> {
        let path = self.order.home.join(RESEARCH_FILE);
        let file = OpenOptions::new().create(true).append(true).open(path);
        file.and_then(|mut file| file.write_all(format!("{record}\n").as_bytes()))
            .map_err(|error| format!("the search can not be put on record: {error}"))
    }

    /// How many records this tool has put down in this attempt.
    ///
    /// # Errors
    /// If the records can not be read: what can not be counted is not looked up.
    pub fn times_looked_up(&self, tool: &str) -> Result<usize, String> {
        let records = match fs::read_to_string(self.order.home.join(RESEARCH_FILE)) {
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(0),
            read => read.map_err(|error| format!("the searches can not be counted: {error}"))?,
        };
        let records = records.lines().map(serde_json::from_str::<Value>);
        let its_own = |record: &Value| record["tool"] == tool;
        Ok(records.flatten().filter(its_own).count())
    }
}

/// What a call that worked means for the attempt.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Then {
    /// The model goes on.
    GoesOn,
    /// The attempt ends, with the tool's answer as its result.
    Ends,
}

/// Something that a model can call.
pub trait Tool: Send + Sync {
    /// How it is offered.
    fn spec(&self) -> ToolSpec;

    /// Does it. The arguments are a JSON object, and nothing more is known about them.
    ///
    /// # Errors
    /// A sentence for the model: what is wrong and how to go on.
    fn call(&self, arguments: &Value, place: &Place<'_>) -> Result<String, String>;

    /// What follows from a call that worked.
    fn then(&self) -> Then {
        Then::GoesOn
    }
}

/// All tools of one attempt.
pub(super) struct Toolbox {
    tools: Vec<Arc<dyn Tool>>,
    specs: Vec<ToolSpec>,
    /// Ours that the role may not use, with the capability that it lacks.
    withheld: BTreeMap<String, Capability>,
}

impl Toolbox {
    /// What a role with these capabilities is offered. `write` and `edit` need none, since every
    /// role may write in `task/`; that `repo/` is closed to one without `edit` is [`Space`]'s. A
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
                    "this role may not use `{}`: it can not {}; nothing was done; there are {names}",
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

/// A spec with these properties, of which some are required.
pub(super) fn spec(
    name: &str,
    description: &str,
    properties: Value,
    required: &[&str],
) -> ToolSpec {
    ToolSpec {
        name: name.to_owned(),
        description: description.to_owned(),
        parameters: json!({
            "type": "object", "properties": properties, "required": required, "additionalProperties": false,
        }),
    }
}

/// A string that must be there.
pub(super) fn text<'a>(arguments: &'a Value, key: &str) -> Result<&'a str, String> {
    match arguments.get(key) {
        Some(Value::String(text)) => Ok(text),
        Some(_) => Err(format!(
            "`{key}` is not a string; call it again with a string"
        )),
        None => Err(format!("`{key}` is missing; call it again with it")),
    }
}

/// A string that may be left out or null.
pub(super) fn optional_text<'a>(
    arguments: &'a Value,
    key: &str,
) -> Result<Option<&'a str>, String> {
    match arguments.get(key) {
        None | Some(Value::Null) => Ok(None),
        Some(_) => text(arguments, key).map(Some),
    }
}

/// A whole number that may be left out or null.
pub(super) fn optional_number(arguments: &Value, key: &str) -> Result<Option<u64>, String> {
    match arguments.get(key) {
        None | Some(Value::Null) => Ok(None),
        Some(value) => match value.as_u64() {
            Some(number) => Ok(Some(number)),
            None => Err(format!("`{key}` is not a whole number from 0")),
        },
    }
}

/// A switch that may be left out or null.
pub(super) fn is_set(arguments: &Value, key: &str) -> Result<Switch, String> {
    match arguments.get(key) {
        None | Some(Value::Null | Value::Bool(false)) => Ok(Switch::Off),
        Some(Value::Bool(true)) => Ok(Switch::On),
        Some(_) => Err(format!("`{key}` is neither true nor false")),
    }
}

/// What a switch says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Switch {
    On,
    Off,
}

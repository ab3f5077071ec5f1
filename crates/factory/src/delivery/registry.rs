//! Every shipped version of every module, as the machine knows it: what the Code Index holds of this
//! project. Entries are added, their status goes one way, nothing is removed.
//!
//! The hash that it keeps of a contract tells two locked contracts apart, and no more. The interface
//! fingerprint of rule F11.1, which a ship computes and people compare, is `contract::Fingerprint`.

use crate::project::types::{ExceptionId, ModuleId, ModuleRef, TaskId, Version};
use crate::readable::looks;
use kernel::module::ModuleStatus;
use kernel::{EffectId, Refusal, Time};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use sha2::{Digest, Sha256};
use std::collections::BTreeMap;

/// Where a version comes from: the attempts and the exception that led to it.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Origin {
    /// The attempt that made its first proposal.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub opened: Option<EffectId>,
    /// The attempt that made its plan; none: a person did.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub planned: Option<EffectId>,
    /// Which of a person's plans it was.
    #[serde(default)]
    pub revision: u32,
    /// The exception that asked for it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub exception: Option<ExceptionId>,
    /// The project, release and ship that it was brought in from, in words.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub from: Option<String>,
}

/// One shipped version.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Entry {
    pub reference: ModuleRef,
    /// The task that shipped it; none for a version that an exception made.
    pub task: Option<TaskId>,
    /// Its evidence.
    pub ship_ref: String,
    /// The locked contract.
    pub contract: Value,
    /// [`hash_of`] the contract: what dependants were built against.
    pub fingerprint: String,
    /// What it uses, each with the fingerprint that it was built against.
    pub dependencies: Vec<(ModuleRef, String)>,
    /// In use?
    pub status: ModuleStatus,
    /// What took its place.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub superseded_by: Option<ModuleRef>,
    /// Deprecation notices and migration notes, in order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
    /// When.
    pub at: Time,
    /// Where it comes from.
    #[serde(default)]
    pub origin: Origin,
}

/// All of them. Stored as a list, since a reference is no JSON key.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(from = "Vec<Entry>", into = "Vec<Entry>")]
pub struct Registry {
    entries: BTreeMap<ModuleRef, Entry>,
    /// The ids of modules, by what they look like: a project may have very many.
    names: [BTreeMap<String, ModuleId>; 2],
}

impl From<Vec<Entry>> for Registry {
    fn from(list: Vec<Entry>) -> Self {
        let mut registry = Self::default();
        list.into_iter().for_each(|one| registry.add(one));
        registry
    }
}

impl From<Registry> for Vec<Entry> {
    fn from(registry: Registry) -> Self {
        registry.entries.into_values().collect()
    }
}

/// The hash of a value as the machine holds it. Keys of a JSON value are sorted, so equal values have
/// equal hashes.
pub fn hash_of(value: &Value) -> String {
    let digest = Sha256::digest(value.to_string().as_bytes());
    digest.iter().map(|b| format!("{b:02x}")).collect()
}

impl Registry {
    /// One version.
    pub fn get(&self, reference: &ModuleRef) -> Option<&Entry> {
        self.entries.get(reference)
    }

    /// All, by module and version.
    pub fn iter(&self) -> impl Iterator<Item = &Entry> {
        self.entries.values()
    }

    /// The newest version of a module.
    pub fn newest(&self, module: &ModuleId) -> Option<&Entry> {
        let from = ModuleRef {
            module: module.clone(),
            version: Version::new(0, 0, 0),
        };
        let range = self.entries.range(from..);
        let same = range.take_while(|(reference, _)| reference.module == *module);
        same.last().map(|(_, entry)| entry)
    }

    /// The version in use: the one named, or what took its place.
    pub fn current(&self, named: &ModuleRef) -> ModuleRef {
        let mut reference = named;
        // Each step leads to a newer version, so this ends.
        while let Some(new) = self
            .get(reference)
            .and_then(|entry| entry.superseded_by.as_ref())
            && new > reference
        {
            reference = new;
        }
        reference.clone()
    }

    /// Is it shipped and in use?
    pub fn is_shipped(&self, reference: &ModuleRef) -> bool {
        self.get(reference)
            .is_some_and(|entry| entry.status == ModuleStatus::Shipped)
    }

    /// Takes a new version in. One that is there stays as it is: shipped is shipped.
    pub fn add(&mut self, entry: Entry) {
        let key = entry.reference.clone();
        let id = &entry.reference.module;
        for (names, look) in self.names.iter_mut().zip(looks(id.as_str())) {
            names.entry(look).or_insert_with(|| id.clone());
        }
        self.entries.entry(key).or_insert(entry);
    }

    /// The module that has this id, or else one that people would take it for.
    pub fn namesake(&self, id: &ModuleId) -> Option<&ModuleId> {
        if let Some(entry) = self.newest(id) {
            return Some(&entry.reference.module);
        }
        let mut all = self.names.iter().zip(looks(id.as_str()));
        all.find_map(|(names, look)| names.get(&look))
    }

    /// A new version takes an old one's place.
    pub fn supersede(&mut self, old: &ModuleRef, new: &ModuleRef) {
        if let Some(entry) = self.entries.get_mut(old)
            && entry.status == ModuleStatus::Shipped
        {
            entry.status = ModuleStatus::Superseded;
            entry.superseded_by = Some(new.clone());
        }
    }

    /// Those that use a module's version.
    pub fn users(&self, of: &ModuleRef) -> Vec<ModuleRef> {
        let all = self.entries.values();
        let users = all.filter(|one| one.dependencies.iter().any(|(used, _)| used == of));
        users.map(|one| one.reference.clone()).collect()
    }

    /// May this be deprecated in favour of that?
    pub fn may_deprecate(&self, old: &ModuleRef, new: Option<&ModuleRef>) -> Result<(), Refusal> {
        let Some(entry) = self.get(old) else {
            return Err(Refusal::new(
                "module_unknown",
                format!("{old} is not shipped"),
                "name a shipped version, MM-...@x.y.z",
            ));
        };
        if entry.status != ModuleStatus::Shipped {
            return Err(Refusal::new(
                "module_not_in_use",
                format!("{old} is deprecated or superseded already"),
                "nothing is to be done",
            ));
        }
        match new {
            Some(new) if new == old || !self.is_shipped(new) => Err(Refusal::new(
                "replacement_not_shipped",
                format!("{new} cannot replace {old}: it is not shipped and in use"),
                "name another shipped version",
            )),
            _ => Ok(()),
        }
    }

    /// Marks it. Its files stay where they are, and so does the entry.
    pub fn deprecate(&mut self, old: &ModuleRef, new: Option<&ModuleRef>, note: &str) {
        if let Some(entry) = self.entries.get_mut(old)
            && entry.status == ModuleStatus::Shipped
        {
            entry.status = ModuleStatus::Deprecated;
            entry.superseded_by = new.cloned();
            entry.notes.push(note.to_owned());
        }
    }
}

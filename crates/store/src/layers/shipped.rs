//! What has been shipped. The immutable and the opaque layer ask here; the journal knows best, and
//! the disk's own word will do on a fresh clone.

use super::{Backend, Code, Rel, rel};
use std::collections::BTreeSet;
use std::sync::{Arc, PoisonError, RwLock};

/// Knows which version folders were shipped.
pub trait Shipped: Send + Sync {
    /// Whether this version folder, such as `modules/MM-a/1.0.0`, was shipped.
    fn is_shipped(&self, unit: &Rel) -> bool;
}

/// A set that the engine fills from the journal.
#[derive(Debug, Default)]
pub struct ShippedSet(RwLock<BTreeSet<String>>);

impl ShippedSet {
    /// Marks a version folder as shipped. There is no way back (rule F6.6).
    pub fn ship(&self, unit: &Rel) {
        let mut units = self.0.write().unwrap_or_else(PoisonError::into_inner);
        units.insert(unit.as_str().to_lowercase());
    }
}

impl Shipped for ShippedSet {
    fn is_shipped(&self, unit: &Rel) -> bool {
        let units = self.0.read().unwrap_or_else(PoisonError::into_inner);
        // Where the file system ignores case, another spelling is the same folder.
        units.contains(&unit.as_str().to_lowercase())
    }
}

/// Reads it off the store: a module's `ship.json` that does not say FAIL, or an artifact's
/// `envelope.json` with status SHIPPED or DEPRECATED (rules F7, F8.4 and F11.2).
pub struct ShippedOnDisk(pub Arc<dyn Backend>);

impl ShippedOnDisk {
    /// `None` when there is no such file; null when it says nothing that can be read.
    fn json(&self, unit: &Rel, name: &str) -> Option<serde_json::Value> {
        match self.0.read(&unit.join(name).ok()?) {
            Ok(bytes) => Some(serde_json::from_slice(&bytes).unwrap_or_default()),
            Err(denied) if denied.code() == Code::NotFound => None,
            Err(_) => Some(serde_json::Value::Null),
        }
    }
}

impl Shipped for ShippedOnDisk {
    fn is_shipped(&self, unit: &Rel) -> bool {
        // In doubt it was shipped: sealing too much can be mended, showing too much cannot.
        if let Some(ship) = self.json(unit, "ship.json") {
            return ship["verification"]["result"] != "FAIL";
        }
        let envelope = self.json(unit, "envelope.json");
        envelope.is_some_and(|envelope| match envelope["status"].as_str() {
            Some(status) => matches!(status, "SHIPPED" | "DEPRECATED"),
            None => true,
        })
    }
}

/// Where version folders are: so many names below a folder.
#[derive(Debug, Clone)]
pub struct Units {
    /// The folder, such as `modules`.
    pub base: Rel,
    /// How many names below it a version folder is: 2 for `{module_id}/{version}`, 3 for
    /// `{pillar}/{artifact_id}/{version}`.
    pub depth: usize,
}

impl Units {
    /// The version folder that holds `path`, and the rest of the path in it.
    pub fn of<'p>(&self, path: &'p str) -> Option<(Rel, &'p str)> {
        let rest = rel::below(path, self.base.as_str())?;
        let mut end = path.len() - rest.len();
        for step in 0..self.depth {
            if step > 0 {
                // The slash between two names; at the end of the path there is none.
                end += usize::from(path[end..].starts_with('/'));
            }
            let name = path[end..]
                .split('/')
                .next()
                .filter(|name| !name.is_empty())?;
            end += name.len();
        }
        let unit = Rel::walked(path[..end].to_owned());
        Some((unit, path[end..].trim_start_matches('/')))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn s7_finds_the_version_folder() {
        let units = Units {
            base: Rel::parse("modules").unwrap(),
            depth: 2,
        };
        let unit = |path| units.of(path).map(|(unit, rest)| (unit.to_string(), rest));
        let version = "modules/MM-a/1.0.0".to_owned();
        assert_eq!(
            unit("modules/MM-a/1.0.0/tests/x"),
            Some((version.clone(), "tests/x"))
        );
        assert_eq!(unit("modules/MM-a/1.0.0"), Some((version, "")));
        assert_eq!(unit("modules/MM-a"), None);
        assert_eq!(unit("modules"), None);
        assert_eq!(unit("modulesx/a/b/c"), None);
        let top = Units {
            base: Rel::root(),
            depth: 1,
        };
        assert_eq!(
            top.of("a/b").map(|(unit, rest)| (unit.to_string(), rest)),
            Some(("a".into(), "b"))
        );
    }
}

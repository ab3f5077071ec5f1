//! What was shipped does not change (rules F5.7 and F6.6): edit, delete and write
//! are refused, and the refusal is the same whether the file is there or not.

use super::{
    Backend, Capped, Code, Denied, Glob, Grep, Hit, Listed, Rel, Shipped, Sight, Units, Which,
    Writing,
};
use std::sync::Arc;

/// When a file may no longer change.
#[derive(Clone)]
pub enum Freezing {
    /// When the version folder that holds it was shipped; before that, anything goes.
    Shipped {
        /// Where version folders are.
        units: Units,
        /// Which of them were shipped.
        shipped: Arc<dyn Shipped>,
    },
    /// From the first write on (an audit trail).
    FirstWrite,
    /// When its folder holds a file of this name, such as `adjudication.json`. The file itself
    /// can be written once.
    Holds(&'static str),
}

/// A layer that lets things be written until they are frozen.
pub struct Immutable {
    inner: Arc<dyn Backend>,
    freezing: Freezing,
}

enum State {
    Free,
    WriteOnce,
    Frozen,
}

impl Immutable {
    /// Freezes what is in `inner`.
    pub fn new(inner: Arc<dyn Backend>, freezing: Freezing) -> Immutable {
        Immutable { inner, freezing }
    }

    fn state(&self, path: &Rel) -> State {
        let frozen = match &self.freezing {
            Freezing::FirstWrite => return State::WriteOnce,
            Freezing::Shipped { units, shipped } => units
                .of(path.as_str())
                .is_some_and(|(unit, _)| shipped.is_shipped(&unit)),
            Freezing::Holds(name) => {
                let seal = path.parent().and_then(|folder| folder.join(name).ok());
                match seal {
                    Some(seal) => match self.inner.read(&seal) {
                        Err(denied) if denied.code() == Code::NotFound => {
                            if seal == *path {
                                return State::WriteOnce;
                            }
                            false
                        }
                        // Whatever stands there, something does.
                        _ => true,
                    },
                    None => false,
                }
            }
        };
        match frozen {
            true => State::Frozen,
            false => State::Free,
        }
    }
}

impl Denied {
    fn immutable(path: &Rel) -> Denied {
        Denied::new(
            Code::Immutable,
            format!("{path} was shipped or recorded, and does not change any more"),
            "make a new version, or a new record that points at this one",
        )
    }
}

impl Backend for Immutable {
    fn read(&self, path: &Rel) -> Result<Vec<u8>, Denied> {
        self.inner.read(path)
    }

    fn write(&self, path: &Rel, bytes: &[u8], writing: Writing) -> Result<(), Denied> {
        match self.state(path) {
            State::Free => self.inner.write(path, bytes, writing),
            State::Frozen => Err(Denied::immutable(path)),
            // Exclusive below, so that of two first writes one wins.
            State::WriteOnce => match self.inner.write(path, bytes, Writing::NewOnly) {
                Err(denied) if denied.code() == Code::Exists => Err(Denied::immutable(path)),
                written => written,
            },
        }
    }

    fn edit(&self, path: &Rel, find: &str, replace: &str, which: Which) -> Result<usize, Denied> {
        match self.state(path) {
            State::Free => self.inner.edit(path, find, replace, which),
            State::Frozen | State::WriteOnce => Err(Denied::immutable(path)),
        }
    }

    fn delete(&self, path: &Rel) -> Result<(), Denied> {
        match self.state(path) {
            State::Free => self.inner.delete(path),
            State::Frozen | State::WriteOnce => Err(Denied::immutable(path)),
        }
    }

    fn ls_seen(&self, path: &Rel, sight: &dyn Sight) -> Result<Capped<Listed>, Denied> {
        self.inner.ls_seen(path, sight)
    }

    fn glob_seen(&self, query: &Glob, sight: &dyn Sight) -> Result<Capped<Rel>, Denied> {
        self.inner.glob_seen(query, sight)
    }

    fn grep_seen(&self, query: &Grep, sight: &dyn Sight) -> Result<Capped<Hit>, Denied> {
        self.inner.grep_seen(query, sight)
    }
}

//! The layer of one role invocation (rules F5.3 and F6.3): it serves what the pack
//! gives, at the pack's level, and for everything else answers as for a file that is not there.

use super::sight::Both;
use super::{
    Backend, Capped, Code, Denied, Glob, Grep, Hit, Listed, Permission, Rel, Seen, Sight, View,
    Which, Writing, reduce,
};
use std::sync::Arc;

/// What one role sees.
pub struct Packed {
    inner: Arc<dyn Backend>,
    view: View,
}

impl Packed {
    /// Serves `inner` as `view` has it.
    pub fn new(inner: Arc<dyn Backend>, view: View) -> Packed {
        Packed { inner, view }
    }

    /// What is answered for a path that is not served.
    fn hidden(&self, path: &Rel) -> Denied {
        if self.view.is_sealed(path.as_str()) {
            Denied::sealed(path)
        } else if self.view.enters(path.as_str()) {
            Denied::is_folder(path)
        } else {
            Denied::not_found(path)
        }
    }

    fn refuse_change(&self, path: &Rel) -> Result<(), Denied> {
        let seen = self.view.sees(path.as_str());
        match (seen, self.view.level(path.as_str())) {
            (Seen::Nothing, _) => Err(self.hidden(path)),
            (Seen::Whole, Some(Permission::Full)) => Ok(()),
            _ => Err(Denied::new(
                Code::ReadOnly,
                format!("{path} may be read here, not changed"),
                "change files of your own module only; raise an Interface Change Exception (§13) for others",
            )),
        }
    }

    fn starts(&self, start: &Rel) -> Start {
        let path = start.as_str();
        if self.view.enters(path) || self.view.sees(path) != Seen::Nothing {
            Start::Shown
        } else if self.view.is_sealed(path) {
            Start::Sealed
        } else {
            Start::Absent
        }
    }
}

enum Start {
    Shown,
    Sealed,
    Absent,
}

impl Backend for Packed {
    fn read(&self, path: &Rel) -> Result<Vec<u8>, Denied> {
        match self.view.sees(path.as_str()) {
            Seen::Nothing => Err(self.hidden(path)),
            Seen::Whole => self.inner.read(path),
            Seen::Members(members) => {
                let bytes = self.inner.read(path)?;
                reduce(&bytes, members).ok_or_else(|| Denied::not_found(path))
            }
        }
    }

    fn write(&self, path: &Rel, bytes: &[u8], writing: Writing) -> Result<(), Denied> {
        self.refuse_change(path)?;
        self.inner.write(path, bytes, writing)
    }

    fn edit(&self, path: &Rel, find: &str, replace: &str, which: Which) -> Result<usize, Denied> {
        self.refuse_change(path)?;
        self.inner.edit(path, find, replace, which)
    }

    fn delete(&self, path: &Rel) -> Result<(), Denied> {
        self.refuse_change(path)?;
        self.inner.delete(path)
    }

    fn ls_seen(&self, path: &Rel, sight: &dyn Sight) -> Result<Capped<Listed>, Denied> {
        match self.starts(path) {
            Start::Shown => self.inner.ls_seen(path, &Both(&self.view, sight)),
            Start::Sealed => Ok(Capped::nothing()),
            Start::Absent => Err(Denied::not_found(path)),
        }
    }

    fn glob_seen(&self, query: &Glob, sight: &dyn Sight) -> Result<Capped<Rel>, Denied> {
        match self.starts(query.start()) {
            Start::Shown => self.inner.glob_seen(query, &Both(&self.view, sight)),
            Start::Sealed => Ok(Capped::nothing()),
            Start::Absent => Err(Denied::not_found(query.start())),
        }
    }

    fn grep_seen(&self, query: &Grep, sight: &dyn Sight) -> Result<Capped<Hit>, Denied> {
        match self.starts(query.start()) {
            Start::Shown => self.inner.grep_seen(query, &Both(&self.view, sight)),
            Start::Sealed => Ok(Capped::nothing()),
            Start::Absent => Err(Denied::not_found(query.start())),
        }
    }
}

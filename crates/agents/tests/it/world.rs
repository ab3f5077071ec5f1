//! A view, a home and an order in a folder of their own.

use agents::{Agent, Order, Reply};
use kernel::effect::{Access, Capability};
use sandbox::Cancel;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::PathBuf;
use std::time::Duration;
use tempfile::TempDir;

/// A wall limit that no test is meant to reach.
pub(crate) const AMPLE: Duration = Duration::from_secs(120);

/// Where one attempt happens.
pub(crate) struct World {
    dir: TempDir,
}

impl World {
    pub(crate) fn new() -> Self {
        let dir = tempfile::tempdir().expect("a temporary folder");
        for folder in ["view/repo", "view/task", "home"] {
            fs::create_dir_all(dir.path().join(folder)).expect("a folder");
        }
        Self { dir }
    }

    pub(crate) fn path(&self, path: &str) -> PathBuf {
        self.dir.path().join(path)
    }

    pub(crate) fn read(&self, path: &str) -> String {
        fs::read_to_string(self.path(path)).expect(path)
    }

    pub(crate) fn order(&self) -> Order {
        Order {
            run: "r1".into(),
            effect: 7,
            state: "implement".into(),
            role: "coder".into(),
            can: BTreeSet::from(Capability::ALL),
            access: Access::Edit,
            nth: 1,
            view: self.path("view"),
            home: self.path("home"),
            brief: "Do it.\n".into(),
            wall: AMPLE,
            allowance: Default::default(),
            env: BTreeMap::new(),
            continues: None,
            policy: None,
            shape: Default::default(),
        }
    }

    pub(crate) fn run(&self, agent: &dyn Agent) -> Reply {
        agent.run(&self.order(), &Cancel::new(), &|_| {})
    }
}

/// The transcript as text.
pub(crate) fn transcript(reply: &Reply) -> String {
    String::from_utf8_lossy(&reply.transcript).into_owned()
}

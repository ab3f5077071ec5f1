//! The files of one attempt: the view, and beside it what the loop has parked.
//!
//! Nothing is served that is outside of them. Writing is refused here for a role that may only read, and
//! whoever asks for the inside of a shipped module is told why there is none.

use crate::agent::Order;
use crate::connections::Connections;
use crate::home::Home;
use kernel::effect::Access;
use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};
use std::{fs, io};
use store::confined::{Denied, Files, Rel, Resolving};

/// Where parked files are, for the model.
const PARKED: &str = "parked";

/// The folders of a shipped module that nobody else sees.
const SEALED: [&str; 2] = ["implementation", "tests"];

/// What the file tools work on.
pub(crate) struct Space {
    view: Files,
    view_dir: PathBuf,
    parked: Files,
    parked_dir: PathBuf,
    access: Access,
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    parked: usize,
    distrusted: Option<String>,
    connections: Connections,
}

/// Why an attempt has nothing to work on.
#[derive(Debug, thiserror::Error)]
pub(super) enum Unopened {
    #[error("the view cannot be opened: {}", refused(.0.clone()))]
    View(#[source] Denied),
    #[error("the folder for parked files cannot be opened: {0}")]
    Folder(#[source] io::Error),
    #[error("the folder for parked files cannot be opened: {}", refused(.0.clone()))]
    Parked(#[source] Denied),
    #[error("the history cannot be written: {0}")]
    History(#[source] io::Error),
}

impl Space {
    pub(super) fn open(order: &Order) -> Result<Self, Unopened> {
        let parked_dir = order.home.join(PARKED);
        fs::create_dir_all(&parked_dir).map_err(Unopened::Folder)?;
        let parked =
            Rel::parse(PARKED).and_then(|at| Files::open_at(&parked_dir, &at, Resolving::Kernel));
        Ok(Self {
            view: Files::open(&order.view).map_err(Unopened::View)?,
            view_dir: order.view.clone(),
            parked: parked.map_err(Unopened::Parked)?,
            parked_dir,
            access: order.access,
            state: Mutex::default(),
        })
    }

    /// A path as a model writes it. Absolute ones are what commands print; below the view they
    /// mean what they say.
    pub(super) fn path(&self, text: &str) -> Result<Rel, String> {
        let view = self.view_dir.to_string_lossy();
        let below = text
            .strip_prefix(view.as_ref())
            .filter(|rest| rest.is_empty() || rest.starts_with('/'));
        let text = below.map_or(text, |rest| rest.trim_start_matches('/'));
        Rel::parse(text).map_err(refused)
    }

    /// The files that a path is one of.
    pub(super) fn files(&self, path: &Rel) -> &Files {
        match path.names().next() {
            Some(PARKED) => &self.parked,
            _ => &self.view,
        }
    }

    /// What a file holds.
    pub(super) fn read(&self, path: &Rel) -> Result<Vec<u8>, String> {
        self.refuse_sealed(path)?;
        self.files(path).read(path).map_err(refused)
    }

    /// Refuses the inside of a module of which the view shows the contract alone (rule F12.5). Searches
    /// and listings do not meet it: it is not in the view.
    fn refuse_sealed(&self, path: &Rel) -> Result<(), String> {
        let names: Vec<&str> = path.names().collect();
        let inside = names.windows(5).position(|at| {
            let sealed = SEALED.iter().any(|one| one.eq_ignore_ascii_case(at[4]));
            at[..2] == ["state_store", "modules"] && sealed
        });
        let Some(at) = inside else { return Ok(()) };
        let version = names[..at + 4].join("/");
        let is_there = |name: &str| Rel::parse(&format!("{version}/{name}"));
        let contract = is_there("contract.json").is_ok_and(|file| self.view.read(&file).is_ok());
        let own = is_there(names[at + 4]).is_ok_and(|folder| self.view.ls(&folder).is_ok());
        match contract && !own {
            true => Err(sealed(path)),
            false => Ok(()),
        }
    }

    /// The files for a change, if the role may make it.
    pub(super) fn writable(&self, path: &Rel) -> Result<&Files, String> {
        self.refuse_sealed(path)?;
        match (path.names().next(), self.access) {
            (Some("task"), _) | (Some("repo"), Access::Edit) => Ok(&self.view),
            (Some("repo"), Access::ReadOnly) => Err(format!(
                "{path} may not be changed: this role only reads `repo/`; write below `task/`"
            )),
            _ => Err(format!(
                "{path} may not be changed; paths that may be begin with `repo/` or `task/`"
            )),
        }
    }

    /// Puts text into a file that the model can read; its path, if that worked.
    pub(super) fn park(&self, kind: &str, text: &str) -> Option<String> {
        let mut state = self.lock();
        state.parked += 1;
        let name = format!("{kind}-{}.txt", state.parked);
        fs::write(self.parked_dir.join(&name), text).ok()?;
        Some(format!("{PARKED}/{name}"))
    }

    /// Says that the view can no longer be trusted.
    pub(super) fn distrust(&self, reason: String) {
        self.lock().distrusted = Some(reason);
    }

    /// Why the view can no longer be trusted, if so.
    pub(super) fn distrusted(&self) -> Option<String> {
        self.lock().distrusted.clone()
    }

    /// Takes down what a command was refused.
    pub(super) fn connected(&self, ended: &sandbox::Ended) {
        self.lock().connections.note(ended);
    }

    /// What all commands were refused.
    pub(super) fn connections(&self) -> Connections {
        std::mem::take(&mut self.lock().connections)
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A refusal as the model reads it.
pub(super) fn refused(denied: Denied) -> String {
    format!("{}; {}", denied.what(), denied.mend())
}

/// The answer of a sealed module: rule F12.5, word for word.
fn sealed(path: &Rel) -> String {
    format!(
        "ACCESS DENIED: '{path}' is a sealed implementation directory. This module is a \
         closed-source service — integrate via contract.json, examples.md, and ship.json only. See \
         §12 (Opaque Implementation Rule) and §6.8 (Black-Box Integration) for rationale. If the \
         contract is insufficient, raise an Interface Change Exception (§13)."
    )
}

/// What a command must not know: only the model's last words are its result.
pub(super) fn without_result(order: &Order) -> std::collections::BTreeMap<String, String> {
    let mut env = crate::environment::environment(order);
    env.remove("PROOFHOUSE_RESULT");
    env.remove("PROOFHOUSE_BRIEF");
    debug_assert!(
        !env.values()
            .any(|value| *value == Home::of(order).result().to_string_lossy())
    );
    env
}

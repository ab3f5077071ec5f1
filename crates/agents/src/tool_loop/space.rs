//! The files of one attempt: the view, and beside it what the loop has parked.
//!
//! Reading and searching go through the layered backends, which serve nothing outside. Writing
//! is refused here for a role that may only read.

use crate::agent::Order;
use crate::connections::Connections;
use crate::home::Home;
use kernel::effect::Access;
use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};
use std::{fs, io};
use store::layers::{Backend, Denied, Files, Rel, Resolving};

/// Where parked files are, for the model.
const PARKED: &str = "parked";

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

    /// The backend that serves a path.
    pub(super) fn backend(&self, path: &Rel) -> &dyn Backend {
        match path.names().next() {
            Some(PARKED) => &self.parked,
            _ => &self.view,
        }
    }

    /// The backend for a change, if the role may make it.
    pub(super) fn writable(&self, path: &Rel) -> Result<&dyn Backend, String> {
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
    match denied.message() {
        Some(message) => message.to_owned(),
        None => format!("{}; {}", denied.what(), denied.mend()),
    }
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

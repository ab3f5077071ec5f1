//! Where an external agent lives while it works: a home of its own inside the view, so that nothing
//! of the user's configuration reaches it, and so that its sessions move with the view when a later
//! attempt goes on there. A login is linked and never copied: a secret must not lie among the files
//! of an attempt.

use super::own;
use super::plan::{Plan, Sessions};
use super::relocate;
use super::settings::{Login, Settings};
use crate::agent::Order;
use crate::environment::environment;
use serde_json::{Map, Value};
use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};

/// Files of the user's own login, below the user's home, and where they belong below the agent's.
pub(crate) type Logins = &'static [(&'static str, &'static str)];

/// The folders of one attempt, as an external agent needs them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Place {
    /// The agent's private home.
    pub(crate) home: PathBuf,
    /// Where it works.
    pub(crate) repo: PathBuf,
    /// The task's folder, beside `repo`.
    pub(crate) task: PathBuf,
    /// The session to go on with, if its files are still here.
    pub(crate) continues: Option<String>,
    /// The MCP servers that the person lets it have.
    pub(crate) servers: Map<String, Value>,
}

impl Place {
    /// Where the order's attempt happens. Looks, and makes nothing.
    pub(crate) fn of(order: &Order, sessions: Sessions) -> Self {
        let home = order.view.join("agent");
        let known = match sessions {
            Sessions::Move => home.is_dir(),
            Sessions::Stay => relocate::stayed(&home),
        };
        Self {
            repo: order.view.join("repo"),
            task: order.view.join("task"),
            continues: order.continues.clone().filter(|_| known),
            home,
            servers: Map::new(),
        }
    }

    /// Makes the private home, and links the user's login into it if that is asked for.
    pub(crate) fn make(&self, logins: Logins, login: Login) -> io::Result<()> {
        self.folder("")?;
        relocate::settle(&self.home)?;
        let Some(user) = std::env::home_dir().filter(|_| login == Login::User) else {
            return Ok(());
        };
        for (theirs, ours) in logins {
            let (parent, name) = ours.rsplit_once('/').unwrap_or(("", ours));
            let (theirs, ours) = (user.join(theirs), self.folder(parent)?.join(name));
            if theirs.exists() && ours.symlink_metadata().is_err() {
                std::os::unix::fs::symlink(theirs, ours)?;
            }
        }
        Ok(())
    }

    /// The user's own login files that the home links to.
    pub(crate) fn linked(logins: Logins, login: Login) -> Vec<PathBuf> {
        let Some(user) = std::env::home_dir().filter(|_| login == Login::User) else {
            return Vec::new();
        };
        let files = logins.iter().map(|(theirs, _)| user.join(theirs));
        files.filter(|file| file.exists()).collect()
    }

    /// A path as text.
    pub(crate) fn text(path: &Path) -> String {
        path.to_string_lossy().into_owned()
    }

    /// Writes a configuration file below the private home and returns its path.
    pub(crate) fn write(&self, path: &str, text: &str) -> io::Result<PathBuf> {
        own::write(&self.home, path, text)
    }

    /// A folder below the private home, made if it is not there.
    pub(crate) fn folder(&self, path: &str) -> io::Result<PathBuf> {
        own::folder(&self.home, path)
    }

    /// The agent's whole environment: the base, its private home, its keys, what its connector
    /// adds, the order's own, the settings', and `PROOFHOUSE_*` over all.
    pub(crate) fn environment(
        &self,
        keys: &[&str],
        plan: &Plan,
        settings: &Settings,
        order: &Order,
    ) -> BTreeMap<String, String> {
        let mut env = sandbox::base_env();
        // Toolchains live in the user's home by default, and a build must find them.
        for (name, folder) in [("CARGO_HOME", ".cargo"), ("RUSTUP_HOME", ".rustup")] {
            let user = std::env::home_dir().map(|home| home.join(folder));
            if let Some(folder) = user.filter(|folder| folder.is_dir()) {
                env.entry(name.to_owned()).or_insert(Self::text(&folder));
            }
        }
        let private = [
            ("HOME", ""),
            ("XDG_CONFIG_HOME", ".config"),
            ("XDG_DATA_HOME", ".local/share"),
            ("XDG_STATE_HOME", ".local/state"),
            ("XDG_CACHE_HOME", ".cache"),
        ];
        let private = private.map(|(name, folder)| {
            let path = match folder {
                "" => self.home.clone(),
                folder => self.home.join(folder),
            };
            (name.to_owned(), Self::text(&path))
        });
        env.extend(private);
        env.extend([("NO_COLOR", "1"), ("DO_NOT_TRACK", "1")].map(owned));
        env.extend(
            keys.iter()
                .filter_map(|name| Some((name.to_string(), std::env::var(name).ok()?))),
        );
        let planned = |pairs: &[(&'static str, String)]| {
            let owned = |(name, value): &(&'static str, String)| (name.to_string(), value.clone());
            pairs.iter().map(owned).collect::<Vec<_>>()
        };
        env.extend(planned(&plan.env));
        env.extend(order.env.clone());
        env.extend(settings.env.clone());
        env.extend(planned(&plan.fixed));
        let ours = environment(order).into_iter();
        env.extend(ours.filter(|(name, _)| name.starts_with("PROOFHOUSE_")));
        env
    }
}

fn owned((name, value): (&str, &str)) -> (String, String) {
    (name.to_owned(), value.to_owned())
}

//! What of a person's own setup an agent is let have: a memory file, skills, MCP servers, each by name. An
//! agent has none of it by default. What is let in is copied into its private home, so that it cannot
//! change the person's, and is noted with its hash.

use super::place::Place;
use serde_json::{Map, Value, json};
use std::fs;
use std::io;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use store::sha256_hex;

/// Names of what was let in, with hashes, in the attempt's folder.
pub const SETUP_FILE: &str = "setup.json";
/// More than this is no skill.
const MOST_FILES: usize = 500;

/// Where an agent keeps such things, below the person's home and below its own alike.
#[derive(Debug, Default)]
pub(crate) struct Places {
    /// Its memory file.
    pub(crate) memory: Option<&'static str>,
    /// The folder with one folder for each skill.
    pub(crate) skills: Option<&'static str>,
    /// The file with its MCP servers, and the table in it.
    pub(crate) servers: Option<(&'static str, &'static str)>,
}

impl Places {
    /// Is there anything that could be let in?
    pub(crate) fn is_empty(&self) -> bool {
        self.memory.is_none() && self.skills.is_none() && self.servers.is_none()
    }
}

/// What was let in.
#[derive(Debug, Default)]
pub(crate) struct LetIn {
    /// The MCP servers, as the person has them.
    pub(crate) servers: Map<String, Value>,
    /// Each name with its hash.
    noted: Map<String, Value>,
}

impl LetIn {
    /// Brings these things into an agent's private home: `memory`, `skill:NAME`, `mcp:NAME`.
    ///
    /// # Errors
    /// For what is not there, or is nothing that this agent can have.
    pub(crate) fn bring(places: &Places, names: &[String], place: &Place) -> io::Result<Self> {
        let mut all = Self::default();
        let Some(user) = std::env::home_dir().filter(|_| !names.is_empty()) else {
            return Ok(all);
        };
        for name in names {
            let hash = match (name.split_once(':'), name.as_str()) {
                (None, "memory") => memory(places, &user, place)?,
                (Some(("skill", skill)), _) => skilled(places, &user, skill, place)?,
                (Some(("mcp", server)), _) => {
                    let found = server_of(places, &user, server)?;
                    let hash = sha256_hex(found.to_string().as_bytes());
                    all.servers.insert(server.to_owned(), found);
                    hash
                }
                _ => return Err(unknown(name)),
            };
            all.noted.insert(name.clone(), json!(hash));
        }
        Ok(all)
    }

    /// Notes what was let in, beside the brief.
    pub(crate) fn note(&self, home: &Path) -> io::Result<()> {
        if self.noted.is_empty() {
            return Ok(());
        }
        fs::write(home.join(SETUP_FILE), json!(self.noted).to_string())
    }

    /// The programs that its MCP servers are.
    pub(crate) fn programs(&self) -> Vec<String> {
        let commands = self.servers.values().map(|server| &server["command"]);
        commands
            .filter_map(|command| command.as_str().map(str::to_owned))
            .collect()
    }
}

fn unknown(name: &str) -> io::Error {
    io::Error::other(format!(
        "`{name}` of its setting `setup` is nothing that this agent can have; write `memory`, `skill:NAME` or `mcp:NAME`"
    ))
}

fn missing(what: &str, place: &Path, error: &io::Error) -> io::Error {
    io::Error::other(format!(
        "{what} of its setting `setup` cannot be let in: {} ({error})",
        place.display()
    ))
}

fn memory(places: &Places, user: &Path, place: &Place) -> io::Result<String> {
    let file = places.memory.ok_or_else(|| unknown("memory"))?;
    let from = user.join(file);
    let text = fs::read_to_string(&from).map_err(|error| missing("`memory`", &from, &error))?;
    place.write(file, &text)?;
    Ok(sha256_hex(text.as_bytes()))
}

fn skilled(places: &Places, user: &Path, skill: &str, place: &Place) -> io::Result<String> {
    let folder = places.skills.ok_or_else(|| unknown("skill"))?;
    let plain = !skill.is_empty() && !skill.contains(['/', '\\']) && !skill.starts_with('.');
    if !plain {
        return Err(unknown(&format!("skill:{skill}")));
    }
    let from = user.join(folder).join(skill);
    let bad = |error: io::Error| missing(&format!("`skill:{skill}`"), &from, &error);
    let found = store::walk(&from, &|_| false).map_err(|error| bad(io::Error::other(error)))?;
    let files: Vec<PathBuf> = found
        .into_iter()
        .filter(|path| {
            from.join(path)
                .symlink_metadata()
                .is_ok_and(|it| it.is_file())
        })
        .collect();
    if files.is_empty() || files.len() > MOST_FILES {
        return Err(bad(io::Error::other(format!("{} files", files.len()))));
    }
    let mut hashes = String::new();
    for path in files {
        let text = fs::read_to_string(from.join(&path)).map_err(bad)?;
        let name = path.to_string_lossy();
        let copy = place.write(&format!("{folder}/{skill}/{name}"), &text)?;
        let mode = fs::metadata(from.join(&path))?.permissions().mode() & 0o100;
        fs::set_permissions(copy, fs::Permissions::from_mode(0o600 | mode))?;
        hashes.push_str(&format!("{name} {}\n", sha256_hex(text.as_bytes())));
    }
    Ok(sha256_hex(hashes.as_bytes()))
}

fn server_of(places: &Places, user: &Path, name: &str) -> io::Result<Value> {
    let (file, table) = places.servers.ok_or_else(|| unknown("mcp"))?;
    let from = user.join(file);
    let bad = |error: io::Error| missing(&format!("`mcp:{name}`"), &from, &error);
    let text = fs::read_to_string(&from).map_err(bad)?;
    let all: Value = match file.ends_with(".toml") {
        true => toml::from_str(&text).map_err(|error| bad(io::Error::other(error)))?,
        false => serde_json::from_str(&text).map_err(|error| bad(error.into()))?,
    };
    match &all[table][name] {
        server @ Value::Object(_) => Ok(server.clone()),
        _ => Err(bad(io::Error::other("it has no such server"))),
    }
}

/// The settings of servers, one for each value, as `TABLE.SERVER.KEY`.
pub(crate) fn flat(servers: &Map<String, Value>, table: &str) -> Vec<(String, Value)> {
    let mut all = Vec::new();
    let mut ahead: Vec<(String, &Value)> = servers
        .iter()
        .map(|(name, server)| (format!("{table}.{name}"), server))
        .collect();
    while let Some((name, value)) = ahead.pop() {
        match value {
            Value::Object(members) => {
                let members = members.iter();
                ahead.extend(members.map(|(key, value)| (format!("{name}.{key}"), value)));
            }
            Value::Null => {}
            plain => all.push((name, plain.clone())),
        }
    }
    all.sort_by(|(one, _), (other, _)| one.cmp(other));
    all
}

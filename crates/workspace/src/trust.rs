//! Settings that come with a repository and open the sandbox or the network, say which programs are
//! agents, or what lies in a room. They were written by whoever committed them: before they count, the
//! person on this machine says once that they may. What was
//! confirmed is kept outside of the repository, where no agent and no commit reaches it.

use crate::config::{Config, Source, Value};
use crate::error::Error;
use crate::git;
use crate::project::Project;
use std::path::PathBuf;

/// A setting as it stands in the committed file.
pub type Opening = (String, String);

/// Settings of the repository's own file that let agents or checks reach more than they would, start
/// another program as an agent, lay something else into rooms, or make less do as proof.
pub fn opening(config: &Config) -> Vec<Opening> {
    let of_agent = |name: &str| {
        let of = name
            .strip_prefix("agents.")
            .and_then(|of| of.rsplit_once('.'));
        of.is_some_and(|(_, key)| matches!(key, "program" | "args" | "env"))
    };
    let opens = |name: &str, value: &Value| match (name, value) {
        ("network.agents" | "network.checks", Value::Text(text)) => text == "full",
        ("approvals.weak", Value::Text(text)) => text == "suffices",
        ("approvals.decisions", Value::Text(text)) => text == "any",
        ("checks.mutants", Value::Number(_)) => true,
        ("checks.exam", Value::Text(text)) => text == "off",
        (
            "sandbox.read" | "sandbox.write" | "network.hosts" | "room.writable" | "room.include",
            Value::Texts(texts),
        ) => !texts.is_empty(),
        (_, Value::Texts(texts)) => {
            (of_agent(name) || name.starts_with("deploy.")) && !texts.is_empty()
        }
        (_, Value::Text(_)) => of_agent(name) || name.starts_with("deploy."),
        _ => false,
    };
    let set = config.iter();
    let set = set.filter(|(name, value, source)| {
        matches!(source, Source::Repository(_)) && opens(name, value)
    });
    set.map(|(name, value, _)| {
        let value = serde_json::to_string(value).unwrap_or_default();
        (name.clone(), value)
    })
    .collect()
}

/// Those that are committed and that nobody has confirmed on this machine.
pub fn unconfirmed(project: &Project, config: &Config) -> Result<Vec<Opening>, Error> {
    let found = opening(config);
    if found.is_empty() || !is_committed(project)? {
        return Ok(Vec::new());
    }
    let noted = std::fs::read_to_string(note(project)?).unwrap_or_default();
    Ok(match noted == mark(&found) {
        true => Vec::new(),
        false => found,
    })
}

/// Refuses to go on with settings that nobody has confirmed.
pub fn hold(project: &Project, config: &Config) -> Result<(), Error> {
    let found = unconfirmed(project, config)?;
    if found.is_empty() {
        return Ok(());
    }
    let found = found
        .iter()
        .map(|(name, value)| format!("{name} = {value}"));
    Err(Error::user(
        "settings_unconfirmed",
        format!(
            "the repository's own .proofhouse/config.toml opens the sandbox or the network, names programs, deploys, fills rooms, or asks for less proof: {}",
            found.collect::<Vec<_>>().join("; ")
        ),
        "read them; `proofhouse config confirm` lets them count on this machine",
    ))
}

/// Notes that a person lets them count.
pub fn confirm(project: &Project, found: &[Opening]) -> Result<(), Error> {
    let note = note(project)?;
    if let Some(folder) = note.parent() {
        std::fs::create_dir_all(folder).map_err(Error::io("create", folder))?;
    }
    Ok(store::write_atomic(&note, mark(found).as_bytes())?)
}

fn is_committed(project: &Project) -> Result<bool, Error> {
    let args = ["ls-files", "--", ".proofhouse/config.toml"];
    Ok(!git::git(project.top(), &args, &[])?.is_empty())
}

fn mark(found: &[Opening]) -> String {
    let text: String = found
        .iter()
        .map(|(name, value)| format!("{name} = {value}\n"))
        .collect();
    store::sha256_hex(text.as_bytes())
}

/// Where a person's word on this repository lies: `$XDG_STATE_HOME/proofhouse/`, or below
/// `~/.local/state`.
fn note(project: &Project) -> Result<PathBuf, Error> {
    let set = |name: &str| {
        let value = std::env::var_os(name).filter(|value| !value.is_empty());
        value.map(PathBuf::from)
    };
    let home = || set("HOME").map(|home| home.join(".local/state"));
    let base = set("XDG_STATE_HOME").or_else(home).ok_or_else(|| {
        Error::environment(
            "no_home",
            "there is no place for what you confirm: neither XDG_STATE_HOME nor HOME is set",
            "set one of them",
        )
    })?;
    let top = project.top();
    let real = top.canonicalize().unwrap_or_else(|_| top.to_owned());
    let name = store::sha256_hex(real.as_os_str().as_encoded_bytes());
    Ok(base.join("proofhouse/confirmed").join(name))
}

//! A project's setup (its config and who may decide), which a person locks before anything is begun.
//! Only where somebody wants that: `proofhouse init --await-lock`, or a first `proofhouse lock`. From then
//! on a setup that was changed has to be locked again.

use approval::{Approve, Words};
use kernel::Time;
use serde::{Deserialize, Serialize};
use std::path::PathBuf;
use workspace::clock::now;
use workspace::error::EngineError;
use workspace::project::{Project, Records};

/// What a person signs for, in the place of a run's name.
pub const SIGNED_AS: &str = "setup";
const OPTION: &str = "lock";
/// The files that are the setup.
const FILES: [&str; 2] = ["config.toml", "approvers"];

/// What is kept of it in `.proofhouse/setup.json`.
#[derive(Debug, Default, Serialize, Deserialize)]
struct Setup {
    locked: Option<Locked>,
}

/// A person's word for a setup.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Locked {
    pub who: String,
    pub channel: String,
    pub at: Time,
    pub because: String,
    /// The hash of what was locked.
    pub setup: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub signature: Option<String>,
}

fn place(project: &Project) -> PathBuf {
    project.home().join("setup.json")
}

/// None where nobody wants a lock. What cannot be read is one that nobody has locked.
fn read(project: &Project) -> Result<Option<Setup>, EngineError> {
    let path = place(project);
    match std::fs::read(&path) {
        Ok(bytes) => Ok(Some(serde_json::from_slice(&bytes).unwrap_or_default())),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(EngineError::io("read", &path)(error)),
    }
}

fn write(project: &Project, setup: &Setup) -> Result<(), EngineError> {
    project.prepare(Records::OnRef)?;
    let text =
        serde_json::to_vec_pretty(setup).expect("plain data with string keys always serializes");
    Ok(store::write_atomic(&place(project), &text)?)
}

/// The setup as it stands.
fn hash(project: &Project) -> Result<String, EngineError> {
    let mut all = Vec::new();
    for file in FILES {
        let path = project.home().join(file);
        let bytes = match std::fs::read(&path) {
            Ok(bytes) => bytes,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => Vec::new(),
            Err(error) => return Err(EngineError::io("read", &path)(error)),
        };
        all.extend(format!("{file} {}\n", bytes.len()).into_bytes());
        all.extend(bytes);
    }
    Ok(store::sha256_hex(&all))
}

/// Nothing is begun from now on before somebody has locked the setup.
pub fn await_lock(project: &Project) -> Result<(), EngineError> {
    write(project, &Setup::default())
}

/// Refuses where a lock is wanted and the setup is none that a person has locked.
pub fn hold(project: &Project) -> Result<(), EngineError> {
    let Some(setup) = read(project)? else {
        return Ok(());
    };
    let what = match setup.locked {
        Some(locked) if locked.setup == hash(project)? => return Ok(()),
        Some(locked) => format!(
            "config.toml or approvers was changed since {} locked the setup",
            locked.who
        ),
        None => "nobody has locked the setup of this project yet".to_owned(),
    };
    Err(EngineError::user(
        "setup_unlocked",
        what,
        "read .proofhouse/config.toml, then `proofhouse lock --because '...'`",
    ))
}

/// Locks the setup as it stands, in a person's name.
pub fn lock(
    project: &Project,
    because: &str,
    approve: &Approve<'_>,
) -> Result<Locked, EngineError> {
    // What cannot be read is not locked.
    project.config()?;
    let setup = hash(project)?;
    let before = read(project)?.and_then(|setup| setup.locked);
    if let Some(locked) = before.filter(|locked| locked.setup == setup) {
        return Err(EngineError::user(
            "already_locked",
            format!("{} has locked this very setup", locked.who),
            "there is nothing to do; after a change of config.toml or approvers it is locked anew",
        ));
    }
    let approved = approve(&Words {
        run: SIGNED_AS,
        seq: 0,
        head: &setup,
        tree: "",
        option: OPTION,
        because,
    })?;
    let locked = Locked {
        who: approved.who,
        channel: approved.channel,
        at: now(),
        because: because.to_owned(),
        setup,
        signature: approved.signature,
    };
    write(
        project,
        &Setup {
            locked: Some(locked.clone()),
        },
    )?;
    Ok(locked)
}

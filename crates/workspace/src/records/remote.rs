//! Records and work of runs, pushed and fetched. It refuses what git refuses: to write over a ref that
//! says something else.

use super::lay_out::one;
use super::{Standing, lay_out_missing, standing};
use crate::error::Error;
use crate::git::{git, text};
use crate::project::Project;

const ALL: &str = "refs/proofhouse/*:refs/proofhouse/*";

/// What git needs to be let in by a remote, as the person has it.
const LETS_IN: [&str; 5] = [
    "SSH_AUTH_SOCK",
    "GIT_SSH_COMMAND",
    "GIT_ASKPASS",
    "SSH_ASKPASS",
    "XDG_CONFIG_HOME",
];

/// The environment of a git that speaks with a remote.
pub fn let_in() -> Vec<(&'static str, String)> {
    let set = LETS_IN.into_iter();
    set.filter_map(|name| Some((name, std::env::var(name).ok()?)))
        .collect()
}

/// Where a remote is; a path or an address is its own name.
pub fn address(project: &Project, remote: &str) -> Result<String, Error> {
    match git(project.top(), &["remote", "get-url", "--", remote], &[]) {
        Ok(said) => Ok(text(&said)),
        Err(_) if remote.contains(['/', ':']) || project.top().join(remote).is_dir() => {
            Ok(remote.to_owned())
        }
        Err(_) => Err(Error::user(
            "no_remote",
            format!("there is no remote `{remote}`"),
            "add one with `git remote add`, or name another (`records push REMOTE`, `pr --remote REMOTE`)",
        )),
    }
}

/// Runs a git that speaks with a remote.
pub fn speak(project: &Project, args: &[&str]) -> Result<(), Error> {
    let env = let_in();
    let env: Vec<(&str, &str)> = env
        .iter()
        .map(|(name, value)| (*name, value.as_str()))
        .collect();
    git(project.top(), args, &env).map(drop)
}

/// Pushes everything; gives how many refs there are.
pub fn push(project: &Project, remote: &str) -> Result<usize, Error> {
    address(project, remote)?;
    let listed = ["for-each-ref", "--format=%(refname)", "refs/proofhouse/"];
    let listed = text(&git(project.top(), &listed, &[])?);
    if !listed.is_empty() {
        speak(project, &["push", "--quiet", "--", remote, ALL])?;
    }
    Ok(listed.lines().count())
}

/// Fetches everything, and lays out what is new. Gives the runs that nobody had here.
pub fn fetch(project: &Project, remote: &str) -> Result<Vec<String>, Error> {
    address(project, remote)?;
    speak(
        project,
        &["fetch", "--quiet", "--no-tags", "--", remote, ALL],
    )?;
    let new = lay_out_missing(project)?;
    for run in store::list(&project.journals())? {
        match standing(project, run.as_str())? {
            Standing::Whole => {}
            Standing::Behind => one(project, run.as_str())?,
            Standing::Differs => {
                return Err(Error::user(
                    "records_differ",
                    format!("`{run}` went on here and there, each in another way"),
                    "nothing was written over; keep one of the two under another name",
                ));
            }
        }
    }
    Ok(new)
}

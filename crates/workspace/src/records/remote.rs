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

fn differ(runs: &[String], others: &str) -> Error {
    Error::user(
        "records_differ",
        format!(
            "`{}` went on here and there, each in another way; {others}",
            runs.join("`, `")
        ),
        "nothing was written over; keep one of the two under another name",
    )
}

/// The runs whose refs here and there each have something that the other lacks.
fn forked(project: &Project, remote: &str) -> Result<Vec<String>, Error> {
    let repo = project.top();
    let env = let_in();
    let env: Vec<(&str, &str)> = env
        .iter()
        .map(|(name, value)| (*name, value.as_str()))
        .collect();
    let there = git(
        repo,
        &["ls-remote", "--", remote, "refs/proofhouse/*"],
        &env,
    )?;
    let mut runs = Vec::new();
    for line in text(&there).lines() {
        let Some((theirs, name)) = line.split_once('\t') else {
            continue;
        };
        let Ok(ours) = git(repo, &["rev-parse", "--verify", "--quiet", name], &[]) else {
            continue;
        };
        let ours = text(&ours);
        let leads = |from: &str, to: &str| {
            git(repo, &["merge-base", "--is-ancestor", from, to], &[]).is_ok()
        };
        let run = name.rsplit('/').next().unwrap_or(name).to_owned();
        if ours != theirs && !leads(theirs, &ours) && !leads(&ours, theirs) && !runs.contains(&run)
        {
            runs.push(run);
        }
    }
    Ok(runs)
}

/// Pushes everything; gives how many refs there are.
pub fn push(project: &Project, remote: &str) -> Result<usize, Error> {
    address(project, remote)?;
    let listed = ["for-each-ref", "--format=%(refname)", "refs/proofhouse/"];
    let listed = text(&git(project.top(), &listed, &[])?);
    if !listed.is_empty() {
        let pushed = speak(project, &["push", "--quiet", "--", remote, ALL]);
        if let Err(error) = pushed {
            let forked = forked(project, remote)?;
            return Err(match forked.is_empty() {
                true => error,
                false => differ(&forked, "the others were pushed"),
            });
        }
    }
    Ok(listed.lines().count())
}

/// Fetches everything, and lays out what is new. Gives the runs that nobody had here.
pub fn fetch(project: &Project, remote: &str) -> Result<Vec<String>, Error> {
    address(project, remote)?;
    let fetched = speak(
        project,
        &["fetch", "--quiet", "--no-tags", "--", remote, ALL],
    );
    // One run that went on in two ways keeps none of the others away: git takes what it can.
    let mut differing = match &fetched {
        Ok(()) => Vec::new(),
        Err(_) => forked(project, remote)?,
    };
    if differing.is_empty() {
        fetched?;
    }
    let new = lay_out_missing(project)?;
    for run in store::list(&project.journals())? {
        match standing(project, run.as_str())? {
            Standing::Whole => {}
            Standing::Behind => one(project, run.as_str())?,
            Standing::Differs if differing.contains(&run.to_string()) => {}
            Standing::Differs => differing.push(run.to_string()),
        }
    }
    if !differing.is_empty() {
        return Err(differ(&differing, "the others were fetched"));
    }
    Ok(new)
}

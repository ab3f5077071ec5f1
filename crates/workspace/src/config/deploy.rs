//! The settings that say where a product is deployed to and how.

use super::Config;
use crate::error::Error;
use crate::git;
use checks::deploy::{Deploy, Rollback, Target};
use std::path::Path;

/// What they say; none where they say nothing.
pub fn deploy(config: &Config, repo: &Path) -> Result<Option<Deploy>, Error> {
    let text = |key: &str| config.text(&format!("deploy.{key}")).map(str::to_owned);
    let (branch, folder, look) = (text("git"), text("folder"), text("look"));
    let target = match (branch, folder, look) {
        (None, None, None) if text("command").is_none() => return Ok(None),
        (Some(branch), None, None) => {
            let words: Vec<&str> = branch.split_whitespace().collect();
            let [remote, branch] = words.as_slice() else {
                return Err(unclear("`deploy.git` must be a remote and a branch"));
            };
            Target::Branch {
                url: address(repo, remote),
                branch: (*branch).to_owned(),
            }
        }
        (None, Some(folder), None) => Target::Folder(repo.join(folder)),
        (None, None, Some(look)) => Target::Shown(look),
        _ => {
            return Err(unclear(
                "one of `deploy.git`, `deploy.folder` and `deploy.look` must say where one sees it",
            ));
        }
    };
    let mut credentials = std::collections::BTreeMap::new();
    for name in config.texts("deploy.credentials").unwrap_or_default() {
        let value = std::env::var(&name).map_err(|_| {
            Error::environment(
                "no_credentials",
                format!("`deploy.credentials` names {name}, which is not set"),
                "set it in the environment of `proofhouse run`, or take the name out",
            )
        })?;
        credentials.insert(name, value);
    }
    Ok(Some(Deploy {
        target,
        command: text("command"),
        back: text("back"),
        rollback: match config.word("deploy.rollback").as_str() {
            "try" => Rollback::Tried,
            _ => Rollback::Asked,
        },
        credentials,
    }))
}

/// A remote's address; what is no remote's name is one itself.
fn address(repo: &Path, remote: &str) -> String {
    let found = git::git(repo, &["remote", "get-url", remote], &[]);
    let found = found.map(|bytes| git::text(&bytes));
    let url = found.unwrap_or_else(|_| remote.to_owned());
    match repo.join(&url) {
        path if path.is_dir() => path.display().to_string(),
        _ => url,
    }
}

fn unclear(what: &str) -> Error {
    Error::user(
        "bad_deploy",
        what.to_owned(),
        "docs/lights-out.md shows how a target is set",
    )
}

//! `proofhouse ci init`: the job that holds every change against the records of runs. It is a file of the
//! person's from then on: what it does is plain commands, which they can read and change.

use super::args::{CiCommand, CiServer};
use super::exit;
use super::out::Out;
use workspace::{EngineError, Project};

const GITHUB: (&str, &str) = (
    ".github/workflows/proofhouse.yml",
    include_str!("ci/github.yml"),
);
const GITLAB: (&str, &str) = (".gitlab/proofhouse.yml", include_str!("ci/gitlab.yml"));

pub(crate) fn ci(project: &Project, command: &CiCommand, out: &Out) -> Result<u8, EngineError> {
    let CiCommand::Init { server, dry_run } = command;
    let (name, text) = match server {
        CiServer::Github => GITHUB,
        CiServer::Gitlab => GITLAB,
    };
    let path = project.top().join(name);
    if *dry_run {
        out.line(text.trim_end());
        return Ok(exit::OK);
    }
    if path.exists() {
        return Err(EngineError::user(
            "ci_exists",
            format!("{name} exists already"),
            "`proofhouse ci init --dry-run` prints what it would hold; edit it, or remove it first",
        ));
    }
    let folder = path.parent().unwrap_or(project.top());
    std::fs::create_dir_all(folder).map_err(EngineError::io("create", folder))?;
    store::write_atomic(&path, text.as_bytes())?;
    if out.json {
        out.facts(&serde_json::json!({"written": name}));
        return Ok(exit::OK);
    }
    out.line(&format!("wrote {name}"));
    if *server == CiServer::Gitlab {
        out.line(&format!(
            "take it up in .gitlab-ci.yml:\n  include:\n    - local: {name}"
        ));
    }
    out.line(&format!(
        "commit it; which files a run must have proven, {} says (docs/ci.md)",
        ::audit::POLICY
    ));
    Ok(exit::OK)
}

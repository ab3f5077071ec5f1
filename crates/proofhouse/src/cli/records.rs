//! `proofhouse records`: what runs wrote down, to where others are and from there.

use super::args::RecordsCommand;
use super::exit;
use super::out::{Out, Tone, count};
use serde_json::json;
use workspace::records;
use workspace::{EngineError, Project};

pub(crate) fn records(
    project: &Project,
    command: &RecordsCommand,
    out: &Out,
) -> Result<u8, EngineError> {
    match command {
        RecordsCommand::Push { remote } => {
            let pushed = records::push(project, remote)?;
            if out.json {
                out.facts(&json!({"remote": remote, "refs": pushed}));
            } else {
                let word = out.paint(Tone::Good, "pushed");
                out.line(&format!(
                    "{word} {} to `{remote}`",
                    count(pushed as u64, "ref")
                ));
            }
        }
        RecordsCommand::Fetch { remote } => {
            let fetched = records::fetch(project, remote)?;
            if out.json {
                out.facts(&json!({"remote": remote, "runs": fetched}));
            } else {
                let word = out.paint(Tone::Good, "fetched");
                let runs = count(fetched.len() as u64, "new run");
                out.line(&format!("{word} {runs} from `{remote}`"));
                for run in &fetched {
                    out.line(&format!("  {run}"));
                }
            }
        }
    }
    Ok(exit::OK)
}

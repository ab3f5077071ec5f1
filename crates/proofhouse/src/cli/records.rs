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
            let edits = records::with_edits(project)?;
            let pushed = records::push(project, remote)?;
            if out.json {
                let refs = pushed.moved + pushed.there;
                let at_work = &pushed.at_work;
                out.facts(&json!({
                    "remote": remote, "refs": refs, "moved": pushed.moved, "at_work": at_work,
                }));
            } else {
                if !pushed.at_work.is_empty() {
                    out.line(&format!(
                        "left out, for it is at work, or left a run that is: `{}`; push again when that has stopped",
                        pushed.at_work.join("`, `")
                    ));
                }
                let there = match pushed.there {
                    0 => String::new(),
                    there => format!("; {} there already", count(there as u64, "ref")),
                };
                if pushed.moved == 0 {
                    let there = count(pushed.there as u64, "ref");
                    out.line(&format!("nothing to push: {there} at `{remote}` already"));
                    return Ok(exit::OK);
                }
                let refs = count(pushed.moved as u64, "ref");
                let word = out.paint(Tone::Good, "pushed");
                out.line(&format!("{word} {refs} to `{remote}`{there}"));
                if !edits.is_empty() {
                    let runs = edits.join("`, `");
                    out.line(&format!(
                        "  with them the edits in no commit that `{runs}` began with (`--with-edits`) or wrote over"
                    ));
                }
            }
        }
        RecordsCommand::Fetch { remote } => {
            let fetched = records::fetch(project, remote)?;
            if out.json {
                let (new, further) = (&fetched.new, &fetched.further);
                out.facts(&json!({"remote": remote, "runs": new, "further": further}));
            } else if fetched == records::Fetched::default() {
                out.line(&format!(
                    "nothing new at `{remote}`: every run there is here"
                ));
            } else {
                let word = out.paint(Tone::Good, "fetched");
                let kinds = [
                    (&fetched.new, "new run"),
                    (&fetched.further, "run that went on"),
                ];
                for (runs, what) in kinds.into_iter().filter(|(runs, _)| !runs.is_empty()) {
                    let many = match runs.len() {
                        1 => format!("1 {what}"),
                        many => format!("{many} {}", what.replacen("run", "runs", 1)),
                    };
                    out.line(&format!("{word} {many} from `{remote}`"));
                    for run in runs {
                        out.line(&format!("  {run}"));
                    }
                }
            }
        }
    }
    Ok(exit::OK)
}

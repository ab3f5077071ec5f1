//! `proofhouse inbox`: everything that waits for a person, in one place.

use super::out::{Out, Tone, plain};
use super::{decide, exit, land};
use report::inbox::Item;
use report::question::Advice;
use workspace::{EngineError, Project};

pub(crate) fn inbox(project: &Project, out: &Out) -> Result<u8, EngineError> {
    let items = report::inbox::inbox(project)?;
    if out.json {
        out.facts(&items);
        return Ok(exit::OK);
    }
    if items.is_empty() {
        out.line("nothing waits for you");
    }
    for of_one in items.chunk_by(|one, other| one.run() == other.run()) {
        ask(out, project, of_one);
    }
    Ok(exit::OK)
}

/// What a run or a project asks, the commands that answer, and what those want besides.
pub(crate) fn ask(out: &Out, project: &Project, items: &[Item]) {
    for item in items {
        if let Item::Unreadable { error, .. } = item {
            out.fault(error);
        }
        let Some(worded) = item.worded() else {
            continue;
        };
        // Each line is shown, and cut, for itself: a long one does not take the last from view.
        let waiting = out.paint(Tone::Warn, "waiting");
        out.line(&format!("{waiting} {}", plain(&worded.headline)));
        for line in &worded.lines {
            out.line(&format!("  {}", plain(line)));
        }
        if let Item::Run { run, .. } = item {
            land::stat(project, run, out);
        }
        for (command, advice) in &worded.commands {
            let best = match advice {
                Advice::Recommended => "   (recommended)",
                Advice::None => "",
            };
            out.line(&format!("  {command}{best}"));
        }
    }
    if let Some(Item::Run { run_code, .. } | Item::Project { run_code, .. }) = items.last() {
        out.line(&decide::wants(project, run_code));
    }
}

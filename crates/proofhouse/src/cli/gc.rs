//! `proofhouse gc`.

use super::exit;
use super::out::{Out, Tone};
use ::audit::gc::{Fate, Mode, What, gc as tidy};
use workspace::{EngineError, Project};

pub(crate) fn gc(project: &Project, mode: Mode, out: &Out) -> Result<u8, EngineError> {
    let items = tidy(project, mode)?;
    if out.json {
        out.facts(&serde_json::json!({"items": items}));
        return Ok(exit::OK);
    }
    if items.is_empty() {
        out.line("nothing to tidy away");
    }
    for item in &items {
        let word = match item.fate {
            Fate::Removed => out.paint(Tone::Good, "removed"),
            Fate::Removable => out.paint(Tone::Warn, "removable"),
            Fate::Kept => out.paint(Tone::Dim, "kept"),
        };
        let what = match item.what {
            What::Worktree => "worktree",
            What::Scratch => "scratch of",
        };
        out.line(&format!(
            "{word} {what} {} ({}): {}",
            item.name,
            item.path.display(),
            item.why
        ));
    }
    Ok(exit::OK)
}

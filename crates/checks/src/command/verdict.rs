//! What a command's end means. It refuses to look at output before the exit code.

use super::{Order, Through};
use crate::TreeNow;
use crate::text::{first_few, label, one_line};
use kernel::outcome::Verdict;
use sandbox::{Ended, Killed};

/// The verdict. What makes the run worthless comes first, the exit code after it.
pub(super) fn judge(
    order: &Order<'_>,
    ended: &Ended,
    through: Through,
    before: &TreeNow,
    after: &TreeNow,
) -> (Verdict, String) {
    if ended.survivors > 0 {
        let reason = format!("{} of its processes do not die", ended.survivors);
        return (Verdict::CouldNotRun, reason);
    }
    match ended.killed {
        Some(killed @ Killed::Cancelled) => return (Verdict::CouldNotRun, killed.to_string()),
        Some(killed) => return (Verdict::Fail, killed.to_string()),
        None => {}
    }
    let spoilt: Vec<&String> = before
        .files
        .iter()
        .filter(|(path, hash)| after.files.get(*path) != Some(*hash))
        .map(|(path, _)| path)
        .collect();
    if !spoilt.is_empty() {
        let paths = first_few(&spoilt, 5);
        let reason = format!("the command changed the tree it judges: {paths}");
        return (Verdict::Fail, reason);
    }
    let ending = match (ended.exit, ended.signal) {
        (Some(code), _) => format!("exit code {code}"),
        (None, Some(signal)) => format!("ended by signal {signal}"),
        (None, None) => return (Verdict::CouldNotRun, "its exit code is unknown".into()),
    };
    if ended.exit != Some(order.exit) {
        let last = last_line(&ended.output);
        if through == Through::Shell && matches!(ended.exit, Some(126 | 127)) {
            let reason = format!(
                "the shell cannot run it ({ending}): {last}; install the program or mend the command"
            );
            return (Verdict::CouldNotRun, reason);
        }
        return (
            Verdict::Fail,
            format!("{ending}, not {}; last output: {last}", order.exit),
        );
    }
    if let Some(wanted) = order.output
        && !contains(&ended.output, wanted)
    {
        let cut = if ended.truncated {
            " (in what was kept of it)"
        } else {
            ""
        };
        let reason = format!(
            "{ending}, but the output does not contain `{}`{cut}",
            label(wanted)
        );
        return (Verdict::Fail, reason);
    }
    (
        Verdict::Pass,
        format!("{ending}{}", notes(ended, before, after)),
    )
}

/// What is worth a word though it does not fail.
fn notes(ended: &Ended, before: &TreeNow, after: &TreeNow) -> String {
    let new: Vec<&String> = after
        .files
        .keys()
        .filter(|path| !before.files.contains_key(*path))
        .collect();
    let mut notes = String::new();
    if !new.is_empty() {
        notes.push_str(&format!("; new files: {}", first_few(&new, 5)));
    }
    if ended.leftover > 0 {
        notes.push_str(&format!(
            "; {} processes it left were killed",
            ended.leftover
        ));
    }
    notes
}

fn contains(output: &[u8], wanted: &str) -> bool {
    output
        .windows(wanted.len())
        .any(|window| window == wanted.as_bytes())
}

fn last_line(output: &[u8]) -> String {
    let text = String::from_utf8_lossy(output);
    let last = text.lines().rfind(|line| !line.trim().is_empty());
    last.map_or_else(|| "(none)".into(), |line| one_line(line, 150))
}

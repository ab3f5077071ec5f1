//! What a command's end means. It refuses to look at output before the exit code.

use super::Order;
use crate::execute::Executed;
use crate::text::label;
use kernel::outcome::Verdict;

/// The verdict. What makes the run worthless comes first, the exit code after it.
pub(super) fn judge(order: &Order<'_>, executed: &Executed) -> (Verdict, String) {
    if let Some(worthless) = executed.worthless() {
        return worthless;
    }
    let ending = executed.ending().unwrap_or_default();
    if executed.ended.exit != Some(order.exit) {
        if let Some(not_found) = executed.not_found() {
            return not_found;
        }
        let last = executed.last_line();
        return (
            Verdict::Fail,
            format!("{ending}, not {}; last output: {last}", order.exit),
        );
    }
    if let Some(wanted) = order.output
        && !executed.says(wanted)
    {
        let cut = if executed.ended.truncated {
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
    (Verdict::Pass, format!("{ending}{}", executed.notes()))
}

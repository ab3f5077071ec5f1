//! What was used and what it cost, the same for a run and for a project of the factory.

use super::out::{Out, count, duration};
use kernel::Status;
use report::exam::ExamCost;
use report::spend::Summary;
use report::spend::dollars;

/// Budgets with their caps, and where the money went.
pub(crate) fn all(out: &Out, status: &Status, spent: &Summary) {
    for (name, gauge) in &status.budgets {
        // Requests of an agent's: what a gate refuses is none, and "0" beside it reads as if it were.
        if name == kernel::budget::REFUSALS && gauge.used == 0 {
            continue;
        }
        let (used, cap) = match name.as_str() {
            "micro_dollars" if gauge.used == spent.run.usage.micro_dollars => {
                (spent.run.money(), dollars(gauge.cap))
            }
            "micro_dollars" => (dollars(gauge.used), dollars(gauge.cap)),
            "wall_millis" => (duration(gauge.used), duration(gauge.cap)),
            _ => (gauge.used.to_string(), gauge.cap.to_string()),
        };
        let name = name
            .replace("micro_dollars", "money")
            .replace("wall_millis", "wall time");
        out.row(&name, &format!("{used} of {cap}"));
    }
    spend(out, spent);
}

/// What writing the exam has cost, and how often it may be tried.
pub(crate) fn exam(cost: &ExamCost) -> String {
    let (spent, most) = (&cost.spent, cost.most_attempts);
    match spent.attempts {
        0 => format!("nothing spent on it yet; {most} attempts at most to write one"),
        attempts => format!(
            "{}, {} ({most} at most for one exam), {}",
            spent.money(),
            count(attempts, "attempt"),
            duration(spent.millis)
        ),
    }
}

/// Where the money went: by role and by state, if there was any and more than one of them.
fn spend(out: &Out, summary: &Summary) {
    for (name, parts) in [("by role", &summary.roles), ("by state", &summary.states)] {
        let paid = parts.iter().filter(|(_, spend)| !spend.usage.is_nothing());
        let parts: Vec<String> = paid
            .map(|(part, spend)| {
                let usage = spend.usage;
                let tokens = usage.input_tokens.saturating_add(usage.output_tokens);
                format!("{part} {} ({tokens} tokens)", dollars(usage.micro_dollars))
            })
            .collect();
        if !parts.is_empty() {
            out.row(name, &parts.join(", "));
        }
    }
}

//! When findings are kept, and what counts as an answer to them.

use crate::machine::heard::Heard;
use crate::machine::state::FlowState;
use kernel::StateName;
use kernel::finding::Finding;
use kernel::outcome::{CheckResult, Verdict};

/// Checks whose failure is what a role said.
const SAID: [&str; 3] = ["no_objection", "no_finding", "findings"];
/// More than this of one state is history.
const MOST_FINDINGS: usize = 4;
const MOST_ANSWERS: usize = 6;

impl FlowState {
    /// The gate of the present state has spoken.
    pub(super) fn keep_findings(&mut self, gate: &[CheckResult]) {
        // What is typed is kept by its id (`finding.rs`).
        let result = self.outcome.as_ref().and_then(|one| one.result.as_ref());
        let typed = result.is_some_and(|result| !Finding::typed(result).is_empty());
        let said = gate.iter().filter(|result| {
            let of_result = matches!(result.check.as_str(), "no_objection" | "no_finding");
            result.verdict == Verdict::Fail
                && SAID.contains(&result.check.as_str())
                && !(typed && of_result)
        });
        let said: Vec<&str> = said
            .map(|result| match result.details.as_str() {
                "" => result.reason.as_str(),
                details => details,
            })
            .collect();
        if said.is_empty() {
            return;
        }
        let kept = self.earlier.entry(self.position.state.clone()).or_default();
        kept.push(Heard {
            findings: said.join("\n"),
            answers: Vec::new(),
        });
        if kept.len() > MOST_FINDINGS {
            kept.remove(0);
        }
    }

    /// Somebody has worked: to whatever was found elsewhere, that is an answer.
    pub(super) fn keep_answer(&mut self, state: &StateName, summary: &str) {
        let others = self
            .earlier
            .iter_mut()
            .filter(|(found_in, _)| *found_in != state);
        for last in others.filter_map(|(_, kept)| kept.last_mut()) {
            if last.answers.len() < MOST_ANSWERS && !summary.is_empty() {
                last.answers.push(format!("in `{state}`: {summary}"));
            }
        }
    }
}

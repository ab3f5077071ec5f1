//! What follows from an attempt that did not end well. The class decides; nothing is tried again
//! without a bound.

use super::state::{FlowState, Stage};
use super::words::{REFUSED, UNFINISHED};
use crate::workflow::Workflow;
use kernel::outcome::{Class, Outcome};
use kernel::{EffectId, Refusal, Time};

/// How often a provider may fail in a row before a person is asked.
const MOST_RETRIES: u32 = 8;
/// The first wait after a passing fault; it doubles each time.
const FIRST_WAIT_MILLIS: u64 = 2_000;
/// The longest wait that is not the provider's own wish.
const LONGEST_WAIT_MILLIS: u64 = 5 * 60_000;
/// How often an invalid result is asked for again in the same session.
const MOST_REASKS: u32 = 2;

impl FlowState {
    pub(crate) fn failed(
        &mut self,
        workflow: &Workflow,
        effect: EffectId,
        outcome: &Outcome,
        at: Time,
    ) -> Stage {
        let class = outcome.class;
        let code = outcome.code.as_ref();
        let code = code.map_or_else(String::new, |code| format!(" [{code}]"));
        let why = format!(
            "the attempt ended as {}{code}: {}",
            class.as_str(),
            outcome.reason
        );
        self.patience.continues = None;
        self.failures += 1;
        if self.alike.failed(workflow, outcome) {
            let told = match workflow.failures_stop {
                None => format!("{why}; as often as this it is the agent's program, not the work"),
                Some(_) => {
                    self.refused_by_class(outcome);
                    self.note(format!("{why}{}", offered(outcome)));
                    let mut lines = vec![self.in_a_row(outcome)];
                    lines.extend(self.ways_on(outcome, "retry"));
                    lines.join("\n")
                }
            };
            return Stage::Stuck {
                why: told,
                answered: None,
            };
        }
        match class {
            Class::Transient | Class::Quota if self.patience.retries < MOST_RETRIES => {
                let doubled = FIRST_WAIT_MILLIS << self.patience.retries;
                let wait = outcome
                    .retry_after_millis
                    .unwrap_or(doubled.min(LONGEST_WAIT_MILLIS));
                self.patience.retries += 1;
                self.patience.not_before = Some(Time(at.0.saturating_add(wait)));
                if outcome.kept.is_some() {
                    self.note(format!("{why}{}", offered(outcome)));
                }
                Stage::Fresh
            }
            Class::InvalidResult if self.patience.reasks < MOST_REASKS => {
                self.patience.reasks += 1;
                self.patience.continues = Some((effect, outcome.reason.clone()));
                self.refused_by_class(outcome);
                Stage::Fresh
            }
            // More tries would change nothing: a person must mend the environment.
            Class::CouldNotRun | Class::Auth | Class::Transient | Class::Quota => Stage::Stuck {
                why,
                answered: None,
            },
            _ => {
                self.refused_by_class(outcome);
                self.note(format!("{why}{}", offered(outcome)));
                Stage::Failed { why }
            }
        }
    }

    /// What a person is told first who is asked because an agent failed again and again: that it did, and
    /// how. That a budget is used up by it says nothing.
    pub(crate) fn gave_up_on(&self, budget: &str) -> Option<Vec<String>> {
        let ended = self.outcome.as_ref()?;
        if self.failures < 2 || ended.class == Class::Done {
            return None;
        }
        let mut lines = vec![
            self.in_a_row(ended),
            format!(
                "It was started again each time, without a pause where no provider asked for one, until the budget `{budget}` was used up"
            ),
        ];
        lines.extend(self.ways_on(ended, "extend"));
        Some(lines)
    }

    /// How often the agent failed, and how it did the last time.
    fn in_a_row(&self, ended: &Outcome) -> String {
        let (times, class) = (self.failures, ended.class.as_str());
        let reason = &ended.reason;
        format!("the agent failed {times} times in a row ({class}): {reason}")
    }

    /// Where its work is, where its words are, and how another one goes on once this was answered.
    fn ways_on(&self, ended: &Outcome, answer: &str) -> Vec<String> {
        let run = self.started.as_ref().map(|started| started.run.to_string());
        let run = run.unwrap_or_default();
        let mut lines = Vec::new();
        if let Some(kept) = &ended.kept {
            lines.push(format!(
                "What it had made is kept on {kept}, and offered to the next attempt"
            ));
        }
        lines.push(format!(
            "`proofhouse log {run} --attempt` shows what it did and said; after `{answer}`, `proofhouse run {run} --agent OTHER` goes on with another one"
        ));
        lines
    }

    fn refused_by_class(&mut self, outcome: &Outcome) {
        let class = outcome.class;
        if matches!(
            class,
            Class::OutOfScope | Class::InvalidResult | Class::Conflict
        ) {
            let mend = "the next brief says so; nothing of this attempt was taken back";
            let code = outcome.code.as_deref().unwrap_or(class.as_str());
            self.refuse(Refusal::new(code, outcome.reason.clone(), mend));
        }
    }
}

/// What the next attempt is told of work that was not taken.
fn offered(outcome: &Outcome) -> String {
    match (&outcome.kept, outcome.class) {
        (None, _) => String::new(),
        (Some(_), Class::OutOfScope) => format!(". {REFUSED}"),
        (Some(_), _) => format!(". {UNFINISHED}"),
    }
}

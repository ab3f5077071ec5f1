//! What follows from an attempt that did not end well. The class decides; nothing is tried again
//! without a bound.

use super::state::{FlowState, Stage};
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
        if self.alike.failed(workflow, outcome) {
            return Stage::Stuck {
                why: format!("{why}; as often as this it is the agent's program, not the work"),
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
                self.note(why.clone());
                Stage::Failed { why }
            }
        }
    }

    fn refused_by_class(&mut self, outcome: &Outcome) {
        let class = outcome.class;
        if matches!(
            class,
            Class::OutOfScope | Class::InvalidResult | Class::Conflict
        ) {
            let mend = "the next brief says so; nothing of this attempt was taken back";
            let code = outcome.code.as_deref().unwrap_or(class.as_str());
            self.last_refusal = Some(Refusal::new(code, outcome.reason.clone(), mend));
        }
    }
}

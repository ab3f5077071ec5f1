//! When a finding is opened, answered and settled.

use crate::machine::finding::Open;
use crate::machine::state::FlowState;
use crate::verdict::Hearing;
use crate::workflow::Workflow;
use kernel::StateName;
use kernel::effect::Access;
use kernel::event::Moved;
use kernel::finding::{Finding, Settled};
use serde_json::Value;

/// The most of what others said to one that is kept.
const MOST_SAID: usize = 6;
const MOST_SAID_CHARS: usize = 600;
/// The most remarks that are kept.
const MOST_REMARKS: usize = 12;

/// Whoever raised it may settle it, and a state that is there for that; what was raised by somebody who
/// changes the code, also whoever looks at the change.
fn may_settle(workflow: &Workflow, raised_in: &StateName, state: &StateName) -> bool {
    let access = |state: &StateName| access(workflow, state);
    raised_in == state
        || Hearing::of(workflow).settles(state, raised_in)
        || (access(raised_in) == Some(Access::Edit) && access(state) == Some(Access::ReadOnly))
}

/// What whoever works in a state may do to the code.
fn access(workflow: &Workflow, state: &StateName) -> Option<Access> {
    let role = workflow.states.get(state).and_then(|def| def.role.as_ref());
    let role = role.and_then(|role| workflow.roles.get(role));
    role.map(|role| role.access())
}

impl FlowState {
    /// A role has spoken: what it settles, what it says to the rest, and what it raises.
    pub(super) fn take_findings(&mut self, workflow: &Workflow, result: &Value) {
        let state = self.position.state.clone();
        let raised = Finding::typed(result);
        let settled = Settled::all(result);
        self.told.answered(state.as_str(), &settled);
        self.findings.open.retain(|id, open| {
            let mut said = settled.iter().filter(|one| one.finding.trim() == id);
            let how = said.next().map(|one| one.how.as_str());
            let again = raised.contains(&open.finding);
            if how.is_some() && !again && may_settle(workflow, &open.raised_in, &state) {
                return false;
            }
            // Whoever works elsewhere answers it with what they did.
            let summary = result["summary"].as_str().unwrap_or_default();
            if open.raised_in != state && open.said.len() < MOST_SAID {
                let said = how.unwrap_or(summary).chars().take(MOST_SAID_CHARS);
                open.said
                    .push(format!("in `{state}`: {}", said.collect::<String>()));
            }
            true
        });
        let mut raised = raised;
        // Who reads it again says what stands now.
        if access(workflow, &state) == Some(Access::ReadOnly) {
            self.findings.remarks.retain(|(of, _)| *of != state);
        }
        for remark in raised.extract_if(.., |one| !one.holds()) {
            let remark = (state.clone(), remark.to_string());
            if !self.findings.remarks.contains(&remark)
                && self.findings.remarks.len() < MOST_REMARKS
            {
                self.findings.remarks.push(remark);
            }
        }
        for finding in raised {
            let known = |open: &Open| open.raised_in == state && open.finding == finding;
            if self.findings.open.values().any(known) {
                continue;
            }
            self.findings.given += 1;
            let open = Open {
                finding,
                raised_in: state.clone(),
                said: Vec::new(),
            };
            let id = format!("F{}", self.findings.given);
            self.findings.open.insert(id, open);
        }
    }

    /// A person led the run past the states in which these could be settled.
    pub(in crate::machine) fn overruled_findings(
        &mut self,
        workflow: &Workflow,
        moved: &Moved,
    ) -> Vec<(StateName, String)> {
        let hearing = Hearing::of(workflow);
        let mut past = Vec::new();
        self.findings.open.retain(|id, open| {
            let led_past = hearing.gives_up(&open.raised_in, &moved.position.state);
            if led_past {
                past.push((open.raised_in.clone(), format!("{id} {}", open.finding)));
            }
            !led_past
        });
        past
    }
}

//! What a brief says of the answer that it asks for: its members, and what no schema can say of them.

use super::kind::{HOLDS, TELLS};
use super::roles::{Occasion, Role};
use super::told;
use crate::debate::LONGEST;
use crate::halt::exception::may_raise;
use std::fmt::Write;

/// An audit makes each brief again and compares it with the one on record, so its words stay as they were.
pub(super) const EXCEPTION: &str = "If the contract of a shipped dependency can not support the work, return `interface_change_exception` instead: `type`, `target_module`, `reason`, `evidence`, `proposed_contract_delta`, `compatibility_expectation`, `urgency`.";

/// What it looks like, since the form 6.
pub(super) const EXCEPTION_FORM: &str = r#"```json
{"interface_change_exception": {"type": "INCOMPLETE", "target_module": "MM-x@1.0.0", "reason": "...", "evidence": ["..."],
 "proposed_contract_delta": {"added_error_surfaces": ["BadDate: the date is no day of a calendar"]},
 "compatibility_expectation": "BREAKING", "urgency": "BLOCKING"}}
```

`type` is CANNOT_SUPPORT, AMBIGUOUS, INCOMPLETE or MISSING_DIMENSION; `compatibility_expectation` BACKWARD_COMPATIBLE, BREAKING or UNKNOWN; `urgency` BLOCKING, HIGH, NORMAL or LOW. The delta has at least one of `added_inputs`, `modified_inputs`, `added_outputs`, `modified_outputs`, `added_error_surfaces`, `added_effects` (lists of lines as in a plan), `removed_inputs`, `removed_outputs` (lists of names) and `mode_changes` (a list of modes)."#;

/// What the schema of an answer cannot say, and is judged all the same. An audit compares briefs to the
/// letter, so a project goes on with the form of briefs that it began with.
pub(super) fn rules(role: Role, briefs: u32) -> String {
    if briefs < 1 {
        return String::new();
    }
    let since: &[&str] = match role {
        _ if briefs < HOLDS => &[],
        Role::MicroPlanner => &[
            "`reuse_decision` is REUSE or CREATE_NEW. Every part behind a `;` of an input or output becomes a constraint or invariant that a test is named after; one that begins with `optional` says that the input may be left out.",
            "Every point that the task asks for is answered by a clause; of a module that is reused, by one of its shipped contract. Only a person can drop one.",
            "A module that is made has an id that no other module has, nor one that looks like it. `depends_on` names modules of the plan, or shipped ones.",
        ],
        Role::Challenger => &[
            "A sentence that stands under three criteria is evidence for none: say of each what shows it.",
        ],
        Role::Arbiter => &[
            "What ADD puts into `implementation/` must be seen by a test: let an amendment name the test as well.",
        ],
        Role::Proposer => &[],
        Role::Examiner => &super::exam::RULES,
    };
    let own: &[&str] = match role {
        // The rest stands in the rubric, or in what to return.
        Role::Challenger if briefs >= 3 => &[
            "R1 to R6 are assessed once each, each with evidence of at least four words that is more than praise; that of R1 names the five dimensions.",
            "FAIL lists at least one failure, PASS none.",
        ],
        Role::MicroPlanner => &[
            "Each `module_id` is there once, and `depends_on` has no circle.",
            "REUSE names the module first in `reuse_candidate_refs`; it is shipped, and its contract does what `io_contract` says.",
        ],
        Role::Proposer | Role::Examiner => &[],
        Role::Challenger => &[
            "R1 to R6 are assessed once each, each with evidence of at least four words that is more than praise. The evidence of R1 speaks of inputs, outputs, error surfaces, effects and modes.",
            "Any NOT_MET, and any failure, means FAIL; FAIL lists at least one failure.",
        ],
        Role::Arbiter => &[
            "APPROVE_WITH_AMENDMENTS has at least one amendment, the others have none. SHIP goes with both approvals, NO_SHIP with REJECT.",
            "A challenge that stands at FAIL is not simply approved.",
            "Each `detail` says the exact change, in at least four words.",
        ],
    };
    let mut text = String::from("\nWhat no schema can say:\n\n");
    for line in own.iter().chain(since) {
        let _ = writeln!(text, "- {line}");
    }
    if may_raise(role) {
        let line = "An exception is about a shipped dependency, never about the module at work, and its delta has at least one change.";
        let _ = writeln!(text, "- {line}");
    }
    let all = "No text is a placeholder such as TBD, N/A or TODO";
    let _ = writeln!(
        text,
        "- {all}; what is passed on has at most {LONGEST} bytes."
    );
    text
}

/// What the Challenger returns, since the form 3: what its rubric says is not said again.
pub(super) const CHALLENGE: &str = "Try to falsify the claim. One JSON object: `verdict` (PASS or FAIL), `failures` (`invariant`, `evidence`, `required_change`), `rubric_assessments` (`criterion`, `assessment` MET or NOT_MET, `evidence`). Any NOT_MET means FAIL.";

/// What a planner adds to each module, since the form 6.
pub(super) const ANSWERS: &str = "Each module also has `answers`: for each point of the task that it answers, `asked` (its key, such as `criterion-1`) and `clause`, the clause of its contract that does, by the name that its test will have, in small letters: `input__NAME__N` or `output__NAME__N` for the Nth constraint or invariant of that name, `error__NAME` for an error, `input__NAME` for an input that has no more than its type. Errors are answered by errors, outputs by invariants.";

pub(super) fn returns(role: Role, occasion: Occasion, briefs: u32) -> &'static str {
    match (role, occasion) {
        _ if briefs >= TELLS => told::returns(role, occasion),
        (Role::MicroPlanner, _) => {
            "One JSON object `{\"modules\": [...]}`: a micro plan. Each module has `module_id` (MM-...), `name`, `purpose`, `io_contract` with all five dimensions (a list of lines each: `inputs` and `outputs` as `name: type; constraint or invariant; ...`, `error_surfaces` as `Name: when`, `effects` as `WRITE target: description` or `none`, `modes` as `sync`, `async`), `error_cases`, `depends_on` (MM-...@x.y.z), `reuse_candidate_refs`, `reuse_decision` and `reuse_justification`."
        }
        (Role::Proposer, Occasion::Amend) => {
            "Apply every amendment, and change nothing else: a file that no amendment names, by its path or by a target that stands in it, stays as it is. One JSON object: `deliverable_ref`, and `amendments` with `amendment_index`, `applied` and `note` for each."
        }
        (Role::Proposer, _) => {
            "Implement the module in your workspace with black-box tests and `examples.md`. One JSON object: `claim`, `deliverable_ref`, `acceptance_checks`."
        }
        (Role::Examiner, _) => super::exam::RETURNS,
        (Role::Challenger, _) => {
            "Try to falsify the claim. One JSON object: `verdict` (PASS or FAIL), `failures` (`invariant`, `evidence`, `required_change`), `rubric_assessments` (six entries, R1 to R6, each `criterion`, `assessment` MET or NOT_MET, and `evidence` that cites a test, a field or a behaviour). Any NOT_MET means FAIL."
        }
        (Role::Arbiter, _) => {
            "Decide. One JSON object: `decision` (APPROVE, APPROVE_WITH_AMENDMENTS or REJECT), `amendments` (`action` MODIFY, ADD or REMOVE; `target`: the path of a file in the module's folder, or a name as it stands in one; `detail`: the exact change), `rationale`, `ship_directive` (SHIP or NO_SHIP)."
        }
    }
}

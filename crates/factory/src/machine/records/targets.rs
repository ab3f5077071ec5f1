//! The ids of what debates are about, and who stands for a role where a person spoke.

use crate::project::types::{ExceptionId, ModuleRef, TaskId, mint};
use kernel::EffectId;

/// Who stands where a role's name belongs, when a person made something.
pub(super) const PERSON: &str = "person";

/// The artifact that a module's debate is about. It has one for each debate: what is begun anew after
/// a person's answer is another deliverable.
pub(crate) fn target(
    run: &str,
    task: &TaskId,
    module: &ModuleRef,
    opened: Option<EffectId>,
) -> String {
    let opened = opened.map_or(0, |effect| effect.0);
    mint("IMPL", run, &format!("{task}/{module}/{opened}"))
}

/// The artifact that the debate of a change is about.
pub(crate) fn change_target(run: &str, exception: &ExceptionId) -> String {
    mint("CTR", run, exception.as_str())
}

//! Whether a text can be approved as a spec: all of rule F3.2.3, and the three passes that make
//! tasks of it, in one report. The tools and the gate ask here, so they cannot disagree.

use crate::plan::{self, NoPlan};
use crate::spec::{self, ProductSpec};
use crate::{Deficiency, Report};

/// The spec with its warnings, or everything that is wrong with it, by the rules of the form of briefs
/// that the project began with.
pub fn judge(bytes: &[u8], briefs: Option<u32>) -> Result<(ProductSpec, Report), Report> {
    let briefs = briefs.unwrap_or_default();
    let (spec, mut report) = spec::read_new(bytes, briefs)?;
    let Err(NoPlan(problems)) = plan::task_files(&spec, briefs) else {
        return Ok((spec, report));
    };
    report.errors.extend(problems.into_iter().map(|problem| {
        let message = format!("{}; {} [{}]", problem.what, problem.mend, problem.code);
        Deficiency::error("no_plan", "$", "", message)
    }));
    Err(report)
}

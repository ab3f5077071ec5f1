//! Whether a text can be approved as a spec: all of rule F3.2.3, and the three passes that make
//! tasks of it, in one report. The tools and the gate ask here, so they cannot disagree.

use crate::plan::{self, Known, NoPlan, further};
use crate::spec::{self, ProductSpec};
use crate::{Deficiency, Report};

/// The spec with its warnings, or everything that is wrong with it, by the rules of the form of briefs
/// that the project began with; and as a further version of the released spec, if there is one.
pub fn judge(
    bytes: &[u8],
    briefs: Option<u32>,
    released: Option<&ProductSpec>,
) -> Result<(ProductSpec, Report), Report> {
    let briefs = briefs.unwrap_or_default();
    let (spec, mut report) = spec::read_new(bytes, briefs)?;
    let further = released.map(|released| further::judge(released, &spec));
    report.errors.extend(further.into_iter().flatten());
    let planned = plan::task_files(&spec, briefs, &Known::default());
    let problems = planned.err().map_or_else(Vec::new, |NoPlan(all)| all);
    if problems.is_empty() && report.errors.is_empty() {
        return Ok((spec, report));
    }
    report.errors.extend(problems.into_iter().map(|problem| {
        let message = format!("{}; {} [{}]", problem.what, problem.mend, problem.code);
        Deficiency::error("no_plan", "$", "", message)
    }));
    Err(report)
}

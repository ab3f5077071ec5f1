//! The gate of a draft: the whole of rule F3.2.3 and the three passes of the plan, in one go. What
//! the role says about its draft plays no part.

use super::super::found::{Broke, Held, could_not};
use super::{research, role_files};
use ::factory::product::{DRAFT, FOLDER, PAGE, REPORT, SPEC};
use ::factory::spec::ProductSpec;
use ::factory::{Deficiency, Report};
use kernel::outcome::{EvidenceRef, Verdict};
use serde::Deserialize;
use serde_json::Value;
use std::path::Path;
use workspace::context::Context;

/// No spec is a tenth of it.
const LARGEST: u64 = 64 << 20;
/// How many deficiencies a brief lists; the file beside the draft has them all.
const MOST_LISTED: usize = 60;

#[derive(Deserialize)]
struct DraftSettings {
    #[serde(default)]
    research: Vec<EvidenceRef>,
    #[serde(default)]
    named: Vec<String>,
    /// The form of briefs that the project began with.
    #[serde(default)]
    briefs: Option<u32>,
    /// The released spec that it follows.
    #[serde(default)]
    released: Option<EvidenceRef>,
}

/// Judges the draft; if nothing blocks, it is shown.
pub(in crate::factory) fn judge(context: &Context, with: &Value) -> Result<Held, Broke> {
    let settings = DraftSettings::deserialize(with).map_err(could_not)?;
    let home = context.project.home();
    let bytes = read(&home.join(FOLDER).join(DRAFT))?;
    let kept = |name: &str, bytes: &[u8]| context.vault.put(name, bytes).map_err(could_not);
    if context.secrets.bytes(&bytes) != bytes {
        return Err(Broke::from(
            "the draft holds what looks like a key; take it out".to_owned(),
        ));
    }
    let draft = kept(SPEC, &bytes)?;
    let released = settings.released.map(|kept| -> Result<ProductSpec, Broke> {
        let bytes = context.vault.get(&kept.hash).map_err(could_not)?;
        serde_json::from_slice(&bytes).map_err(could_not)
    });
    let released = released.transpose()?;
    let (spec, report) = match ::factory::product::judge(&bytes, settings.briefs, released.as_ref())
    {
        Ok(judged) => judged,
        Err(report) => return Err(refused(&report, draft, &kept)?),
    };
    let sources = research::sources(&context.vault, &settings.research, &settings.named);
    let page = ::factory::spec::spec_md(&spec, &report, &sources);
    let shown = kept(PAGE, page.as_bytes())?;
    let report_json = serde_json::to_vec_pretty(&report).map_err(could_not)?;
    let said = kept(REPORT, &report_json)?;
    role_files::show(context, &bytes, page.as_bytes()).map_err(could_not)?;
    Ok(Held {
        reason: format!(
            "{} {}: {} task(s), {} warning(s), {} source line(s)",
            spec.spec_id,
            spec.spec_version,
            spec.tasks().count(),
            report.warnings.len(),
            sources.len()
        ),
        evidence: vec![draft, shown, said],
        ran: None,
    })
}

fn read(path: &Path) -> Result<Vec<u8>, Broke> {
    let found = path
        .symlink_metadata()
        .map_err(|_| Broke::from(format!("there is no {DRAFT}: write the whole spec there")))?;
    if !found.is_file() || found.len() > LARGEST {
        return Err(Broke::from(format!(
            "{DRAFT} is no plain file of at most {LARGEST} bytes"
        )));
    }
    std::fs::read(path).map_err(|error| could_not(format!("{}: {error}", path.display())))
}

/// Puts something into the vault under a name.
type Kept<'a> = dyn Fn(&str, &[u8]) -> Result<EvidenceRef, Broke> + 'a;

fn refused(report: &Report, draft: EvidenceRef, kept: &Kept<'_>) -> Result<Broke, Broke> {
    let json = serde_json::to_vec_pretty(report).map_err(could_not)?;
    let mut lines: Vec<String> = report.errors.iter().take(MOST_LISTED).map(line).collect();
    if report.errors.len() > MOST_LISTED {
        let more = report.errors.len() - MOST_LISTED;
        lines.push(format!("and {more} more errors"));
    }
    Ok(Broke {
        verdict: Verdict::Fail,
        reason: lines.join("\n"),
        evidence: vec![draft, kept(REPORT, &json)?],
        ran: None,
        code: None,
    })
}

/// `line 3: $.a.b: message (rule 6)`, without line breaks of its own.
pub(super) fn line(found: &Deficiency) -> String {
    let place = found
        .line
        .map_or_else(String::new, |line| format!("line {line}: "));
    let rule = found
        .rule
        .map_or_else(String::new, |rule| format!(" (rule {rule})"));
    let text = format!("{place}{}: {}{rule}", found.whole_path(), found.message);
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

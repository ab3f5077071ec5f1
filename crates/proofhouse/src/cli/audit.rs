//! `proofhouse audit`.

use super::exit;
use super::out::{Out, Tone, count};
use ::audit::{Finding, Rigour};
use workspace::{EngineError, Project};

pub(crate) fn audit(
    project: &Project,
    run: Option<&str>,
    rigour: Rigour,
    out: &Out,
) -> Result<u8, EngineError> {
    let reports = ::audit::audit(project, run, rigour)?;
    let findings: usize = reports.iter().map(|report| report.findings.len()).sum();
    if out.json || rigour == Rigour::Ci {
        out.facts(&serde_json::json!({"clean": findings == 0, "runs": reports}));
    } else if reports.is_empty() {
        out.line("no runs to audit");
    } else {
        for report in &reports {
            let word = if report.findings.is_empty() {
                out.paint(Tone::Good, "clean")
            } else {
                out.paint(Tone::Bad, "FINDINGS")
            };
            let worth = match report.worth.as_str() {
                "" => String::new(),
                worth => format!(" ({worth})"),
            };
            out.line(&format!(
                "{word} {}: {}, {}, {} of evidence{worth}",
                report.run,
                count(report.records, "record"),
                count(report.claims as u64, "commit"),
                count(report.evidence as u64, "piece")
            ));
            let said = |finding: &Finding, word: &str| {
                let line = if finding.line > 0 {
                    format!("line {}: ", finding.line)
                } else {
                    String::new()
                };
                out.line(&format!(
                    "  {word}{line}{} [{}]",
                    finding.what, finding.code
                ));
            };
            report.findings.iter().for_each(|one| said(one, ""));
            report.notes.iter().for_each(|one| said(one, "note: "));
        }
    }
    Ok(if findings == 0 { exit::OK } else { exit::USER })
}

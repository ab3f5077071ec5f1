//! `proofhouse audit`.

use super::exit;
use super::out::{Out, Tone, count};
use ::audit::Rigour;
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
            out.line(&format!(
                "{word} {}: {}, {}, {} of evidence",
                report.run,
                count(report.records, "record"),
                count(report.claims as u64, "commit"),
                count(report.evidence as u64, "piece")
            ));
            for finding in &report.findings {
                let line = if finding.line > 0 {
                    format!("line {}: ", finding.line)
                } else {
                    String::new()
                };
                out.line(&format!(
                    "  {} [{}]",
                    format_args!("{line}{}", finding.what),
                    finding.code
                ));
            }
        }
    }
    Ok(if findings == 0 { exit::OK } else { exit::USER })
}

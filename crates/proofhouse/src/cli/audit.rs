//! `proofhouse audit`.

use super::args::{Audit, AuditFormat};
use super::exit;
use super::out::{Out, Tone, count, plain};
use ::audit::formats::{self, Audited};
use ::audit::{Asked, Coverage, Finding, Rigour, RunAudit, Span};
use std::io::Write;
use workspace::{EngineError, Project};

pub(crate) fn audit(project: &Project, args: &Audit, out: &Out) -> Result<u8, EngineError> {
    let error = match audited(project, args, out) {
        Err(error) => error,
        ended => return ended,
    };
    // A build server keeps what is printed, and shows what stands in its own form.
    match args.format {
        Some(AuditFormat::Github) => {
            out.line(formats::failed(&error.what, &error.mend).trim_end());
            add_summary(&format!(
                "## Proofhouse\n\n{}\n\n{}\n",
                error.what, error.mend
            ))?;
        }
        None if args.ci => Out::new(true).error(&error),
        _ => return Err(error),
    }
    Ok(exit::of(&error))
}

fn audited(project: &Project, args: &Audit, out: &Out) -> Result<u8, EngineError> {
    // What vouches for a change is held to what a build server asks, wherever it is looked at.
    let rigour = match args.ci || args.covers.is_some() {
        true => Rigour::Ci,
        false => Rigour::Usual,
    };
    let span = args.covers.as_deref();
    let span = span.map(|span| Span::read(project, span)).transpose()?;
    let asked = Asked {
        run: args.run.as_deref(),
        rigour,
        span: span.as_ref(),
    };
    let reports = ::audit::audit(project, asked)?;
    let coverage = span
        .as_ref()
        .map(|span| ::audit::covers(project, span, &reports))
        .transpose()?;
    let clean = reports.iter().all(|report| report.findings.is_empty());
    let audited = Audited {
        runs: &reports,
        coverage: coverage.as_ref(),
    };
    match args.format {
        Some(AuditFormat::Sarif) => out.facts(&formats::sarif(&audited)),
        Some(AuditFormat::Junit) => out.line(formats::junit(project, &audited).trim_end()),
        Some(AuditFormat::Github) => {
            out.line(formats::annotations(&audited).trim_end());
            add_summary(&formats::summary(&audited))?;
        }
        None if out.json || args.ci => {
            let mut facts = serde_json::json!({"clean": clean, "runs": reports});
            if let Some(coverage) = &coverage {
                facts["covers"] = serde_json::json!(coverage);
            }
            out.facts(&facts);
        }
        None => {
            runs(&reports, out);
            if let Some(coverage) = &coverage {
                files(coverage, out);
            }
        }
    }
    let suffices = coverage.is_none_or(|coverage| coverage.suffices());
    Ok(match clean && suffices {
        true => exit::OK,
        false => exit::USER,
    })
}

fn runs(reports: &[RunAudit], out: &Out) {
    if reports.is_empty() {
        out.line("no runs to audit");
    }
    for report in reports {
        let word = match report.findings.is_empty() {
            true => out.paint(Tone::Good, "clean"),
            false => out.paint(Tone::Bad, "FINDINGS"),
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
            let line = match finding.line {
                0 => String::new(),
                line => format!("line {line}: "),
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

/// Which changed files are proven, and by whom.
fn files(coverage: &Coverage, out: &Out) {
    let (covered, open) = (coverage.covered.len(), coverage.uncovered.len());
    out.line(&format!(
        "{covered} of {} proven by a run",
        count((covered + open) as u64, "changed file")
    ));
    for one in &coverage.covered {
        let worth = &one.worth;
        let word = out.paint(Tone::Good, "proven");
        out.line(&format!(
            "  {word} {}: by `{}`, whose evidence is {worth}",
            plain(&one.path),
            one.run
        ));
    }
    for one in &coverage.uncovered {
        let (tone, word) = match one.required {
            true => (Tone::Bad, "NOT PROVEN"),
            false => (Tone::Warn, "not proven"),
        };
        out.line(&format!(
            "  {} {}: {}; {}",
            out.paint(tone, word),
            plain(&one.path),
            one.why,
            match one.required {
                true => "the policy requires it",
                false => "no policy requires it",
            }
        ));
    }
}

/// Where a step of GitHub's leaves what people read first; nowhere else.
fn add_summary(text: &str) -> Result<(), EngineError> {
    let Some(path) = std::env::var_os("GITHUB_STEP_SUMMARY").filter(|path| !path.is_empty()) else {
        return Ok(());
    };
    let path = std::path::PathBuf::from(path);
    let opened = std::fs::OpenOptions::new()
        .append(true)
        .create(true)
        .open(&path);
    opened
        .and_then(|mut file| file.write_all(text.as_bytes()))
        .map_err(EngineError::io("write", &path))
}

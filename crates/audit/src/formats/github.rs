//! GitHub's annotations, which stand beside the lines of a change, and its summary of a step.

use super::{Audited, Level, told};

/// A workflow command for everything that there is to tell, one line each.
pub fn annotations(audited: &Audited<'_>) -> String {
    let line = |one: &super::Told<'_>| {
        let word = match one.level {
            Level::Error => "error",
            Level::Warning => "warning",
            Level::Note => "notice",
        };
        format!(
            "::{word} file={},line={},title={}::{}\n",
            property(one.file),
            one.line,
            property(one.code),
            message(&one.what)
        )
    };
    told(audited).iter().map(line).collect()
}

/// Why there is no report.
pub fn failed(what: &str, mend: &str) -> String {
    let text = message(&format!("{what}; {mend}"));
    format!("::error title=proofhouse::{text}\n")
}

/// A message ends with its line, so what would end it is spelt out.
fn message(text: &str) -> String {
    let mut safe = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '%' => safe.push_str("%25"),
            c if c.is_ascii_control() => safe.push_str(&format!("%{:02X}", u32::from(c))),
            c => safe.push(c),
        }
    }
    safe
}

/// A property ends with a comma or a colon too.
fn property(text: &str) -> String {
    message(text).replace(':', "%3A").replace(',', "%2C")
}

/// Markdown for people: runs, then files that are not proven.
pub fn summary(audited: &Audited<'_>) -> String {
    let mut text = "## Proofhouse\n\n".to_owned();
    if audited.runs.is_empty() {
        text.push_str("There are no runs here. Were their refs fetched (`refs/proofhouse/*`)?\n");
    } else {
        text.push_str("| run | audit | records | evidence |\n|---|---|---|---|\n");
    }
    for run in audited.runs {
        let word = match run.findings.len() {
            0 => "clean".to_owned(),
            many => format!("**FINDINGS** ({many})"),
        };
        let worth = match run.worth.as_str() {
            "" => String::new(),
            worth => format!(" ({worth})"),
        };
        text.push_str(&format!(
            "| {} | {word} | {} | {}{worth} |\n",
            cell(&run.run),
            run.records,
            run.evidence
        ));
    }
    if let Some(coverage) = audited.coverage {
        let (covered, open) = (coverage.covered.len(), coverage.uncovered.len());
        text.push_str(&format!(
            "\n{covered} of {} changed files are proven by a run.\n",
            covered + open
        ));
        if open > 0 {
            text.push_str("\n| file | why it is not proven | must it be |\n|---|---|---|\n");
        }
        for one in &coverage.uncovered {
            let must = if one.required { "yes" } else { "no" };
            text.push_str(&format!(
                "| {} | {} | {must} |\n",
                cell(&one.path),
                cell(&one.why)
            ));
        }
    }
    let told = told(audited);
    let told: Vec<_> = told
        .iter()
        .filter(|one| one.code != super::UNCOVERED)
        .collect();
    if !told.is_empty() {
        text.push_str("\n| code | where | what |\n|---|---|---|\n");
    }
    for one in told {
        text.push_str(&format!(
            "| {} | {}:{} | {} |\n",
            cell(one.code),
            cell(one.file),
            one.line,
            cell(&one.what)
        ));
    }
    text
}

/// Foreign text in a cell of a table: no markup, no line breaks, nothing that is not seen.
fn cell(text: &str) -> String {
    let mut safe = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '\n' | '\t' => safe.push(' '),
            c if kernel::unseen::is_unseen(c) => {}
            '<' => safe.push_str("&lt;"),
            '>' => safe.push_str("&gt;"),
            '&' => safe.push_str("&amp;"),
            '|' | '`' | '*' | '_' | '[' | ']' | '\\' | '!' | '@' | '#' | '~' => {
                safe.push('\\');
                safe.push(c);
            }
            c => safe.push(c),
        }
    }
    safe
}

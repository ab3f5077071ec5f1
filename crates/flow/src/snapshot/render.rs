//! A snapshot as text: the header line by line, then evidence, what may be planned on, and issues.

use super::rules::word;
use super::{SnapshotSpec, is_report};
use kernel::snapshot::{Evidence, Fact, FactKind, Snapshot};
use std::fmt::Write;

pub(super) fn text(spec: &SnapshotSpec, content: &Snapshot) -> String {
    let mut text = String::new();
    header(&mut text, spec, content);
    evidence(&mut text, content);
    consolidated(&mut text, spec, content);
    issues(&mut text, content);
    text
}

fn header(text: &mut String, spec: &SnapshotSpec, content: &Snapshot) {
    let _ = writeln!(text, "Iteration: {:04}", content.iteration);
    let parent = content.parent;
    let parent = parent.map_or_else(|| "none".to_owned(), |parent| format!("iter-{parent:04}"));
    let _ = writeln!(text, "Parent snapshot: {parent}");
    for (name, value) in &content.header {
        let _ = writeln!(text, "{name}: {value}");
    }
    let (gate, outcome) = match &content.last_run {
        Some(run) => (run.gate.as_str(), word(run.passed)),
        None => ("none", "none"),
    };
    let _ = writeln!(text, "Last gate run: {gate}\nLast gate outcome: {outcome}");
    for (gate, _) in &spec.gates {
        let fails = content.fails.get(gate).copied().unwrap_or(0);
        let mut letters = gate.chars();
        let first: String = letters
            .next()
            .into_iter()
            .flat_map(char::to_uppercase)
            .collect();
        let _ = writeln!(
            text,
            "Consecutive {first}{} FAILs (this {}): {fails}",
            letters.as_str(),
            spec.id
        );
    }
}

fn evidence(text: &mut String, content: &Snapshot) {
    let _ = writeln!(
        text,
        "\n## Evidence (Scout Findings) — NON-AUTHORITATIVE\n\nProvenance only. Nothing may be planned on it.\n"
    );
    if content.evidence.is_empty() {
        let _ = writeln!(text, "- none");
    }
    for one in &content.evidence {
        let mut lines = one.lines.iter();
        let first = lines.next().map_or("", String::as_str);
        let _ = writeln!(text, "- {} ({}): {}", one.id, one.from, plain(first));
        for line in lines {
            let _ = writeln!(text, "  - {}", plain(line));
        }
    }
}

fn consolidated(text: &mut String, spec: &SnapshotSpec, content: &Snapshot) {
    let _ = writeln!(
        text,
        "\n## Consolidated Context (Source of Truth) — AUTHORITATIVE\n"
    );
    let kinds = [
        ("Constraints", FactKind::Constraint),
        ("Acceptance criteria", FactKind::Criterion),
        ("Facts", FactKind::Fact),
    ];
    for (title, kind) in kinds {
        let _ = writeln!(text, "### {title}\n");
        let facts: Vec<&Fact> = content
            .facts
            .iter()
            .filter(|fact| fact.kind == kind)
            .collect();
        if facts.is_empty() {
            let _ = writeln!(text, "- none");
        }
        for fact in facts {
            let rests = match fact.evidence.as_slice() {
                [] => String::new(),
                ids => format!(" [{}]", ids.join(", ")),
            };
            let by = match fact.by.as_str() {
                "" => String::new(),
                "audit" if !spec.verdicts => " — judged by an audit".to_owned(),
                "audit" => match &fact.judged {
                    None => " — judged by an audit: not yet".to_owned(),
                    Some(judged) => {
                        let met = if judged.met { "met" } else { "NOT met" };
                        format!(" — judged by an audit: {met} ({})", judged.evidence)
                    }
                },
                by => format!(" — judged by `{}`", plain(by)),
            };
            let stale = stale(spec, fact, &content.evidence);
            let text_of = plain(&fact.text);
            let _ = writeln!(text, "- {}: {text_of}{rests}{by}{stale}", fact.id);
        }
        text.push('\n');
    }
    let _ = writeln!(text, "### Gates\n");
    for (name, value) in content
        .header
        .iter()
        .filter(|(name, _)| name.starts_with("Gate"))
    {
        let _ = writeln!(text, "- {name}: {value}");
    }
}

/// What a fact rested on and does not any more.
fn stale(spec: &SnapshotSpec, fact: &Fact, evidence: &[Evidence]) -> String {
    let report = |id: &&String| {
        let mut evidence = evidence.iter();
        evidence.any(|one| one.id == **id && is_report(&one.lines))
    };
    let (reports, quotes): (Vec<&String>, Vec<&String>) = fact.stale.iter().partition(report);
    let joined = |ids: &[&String]| {
        let ids: Vec<&str> = ids.iter().map(|id| id.as_str()).collect();
        ids.join(", ")
    };
    let mut said = Vec::new();
    if !quotes.is_empty() {
        let ids = joined(&quotes);
        let does = match spec.rules > 1 && quotes.len() > 1 {
            true => "do",
            false => "does",
        };
        said.push(format!("{ids} {does} not stand in the code any more"));
    }
    if !reports.is_empty() {
        said.push(format!("the code was edited after {}", joined(&reports)));
    }
    match said.is_empty() {
        true => String::new(),
        false => format!(" — STALE: {}", said.join("; ")),
    }
}

fn issues(text: &mut String, content: &Snapshot) {
    let _ = writeln!(text, "\n## Issues (State)\n\n### Open Issues\n");
    if content.open.is_empty() {
        let _ = writeln!(text, "- none");
    }
    for issue in &content.open {
        let scope = match issue.scope.as_str() {
            "" => String::new(),
            scope => format!(" within {}", plain(scope)),
        };
        let whose = match issue.person {
            true => " — stays open until that person has seen the work",
            false => "",
        };
        let _ = writeln!(
            text,
            "- {}: {} — next action: {}{scope}{whose}",
            issue.id,
            plain(&issue.text),
            plain(&issue.next)
        );
    }
    let _ = writeln!(text, "\n### Resolved This Iteration\n");
    if content.resolved.is_empty() {
        let _ = writeln!(text, "- none");
    }
    for one in &content.resolved {
        let _ = writeln!(
            text,
            "- {}: {} — closed by {}",
            one.id,
            plain(&one.text),
            plain(&one.by)
        );
    }
}

/// An agent's words cannot open a comment in which the rest disappears.
fn plain(text: &str) -> String {
    text.replace('<', "&lt;")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A run keeps the words that it began with: its snapshots are composed anew by whoever audits it.
    #[test]
    fn several_quotes_that_are_gone_are_several() {
        let stale_of = |rules: u32, gone: &[&str]| {
            let spec = SnapshotSpec {
                folder: String::new(),
                latest: String::new(),
                id: String::new(),
                header: Vec::new(),
                gates: Vec::new(),
                after: Vec::new(),
                evidence: Vec::new(),
                unknowns: None,
                verdicts: true,
                rules,
            };
            let fact = Fact {
                id: "F-0001".to_owned(),
                kind: FactKind::Fact,
                text: "a".to_owned(),
                evidence: Vec::new(),
                by: String::new(),
                judged: None,
                stale: gone.iter().map(|id| (*id).to_owned()).collect(),
            };
            stale(&spec, &fact, &[])
        };
        let both = ["E-0001", "E-0002"];
        assert!(stale_of(2, &both).contains("E-0001, E-0002 do not stand"));
        assert!(stale_of(1, &both).contains("E-0001, E-0002 does not stand"));
        assert!(stale_of(2, &both[..1]).contains("E-0001 does not stand"));
    }
}

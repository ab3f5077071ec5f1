//! The next snapshot, from the one before, the fields, the evidence and the draft. A pure function:
//! the same run gives the same bytes.

use super::draft::Draft;
use super::{Due, SnapshotSpec, Snapshots, line, render, rules};
use kernel::snapshot::{Fact, FactKind, GateRun, Issue, Resolved, Snapshot, SnapshotTaken};
use serde_json::Value;
use sha2::{Digest, Sha256};
use std::collections::BTreeMap;

pub(crate) fn compose(
    spec: &SnapshotSpec,
    run: &Snapshots,
    fields: &BTreeMap<String, String>,
    due: &Due,
) -> SnapshotTaken {
    let parent = run.latest.as_ref();
    // Without a draft nobody has judged what agents wrote into fields: the header stays, but for
    // what a person wrote.
    let stays = parent.filter(|_| due.draft.is_none());
    let field = |name: &String| match (due.edited.get(name), stays) {
        (Some(edited), _) => line(edited),
        (None, Some(parent)) => {
            let held = parent.header.iter().find(|(known, _)| known == name);
            held.map_or_else(String::new, |(_, value)| value.clone())
        }
        (None, None) => line(fields.get(name).map_or("", String::as_str)),
    };
    // Given out for the whole repository; without that, the run counts for itself.
    let next = parent.map_or(1, |parent| parent.iteration + 1);
    let iteration = due.number.map_or(next, |number| number.max(next));
    let id = field(&spec.id);
    let ran = due.ran.as_ref().map(|ran| GateRun {
        gate: ran.gate.clone(),
        passed: ran.passed,
    });
    let gates: Vec<&str> = spec.gates.iter().map(|(name, _)| name.as_str()).collect();
    let counted = rules::count(parent, &id, &gates, ran.as_ref());
    let mut content = Snapshot {
        iteration,
        parent: match parent {
            Some(parent) => Some(parent.iteration),
            None => due.after.filter(|after| *after < iteration),
        },
        header: spec
            .header
            .iter()
            .map(|name| (name.clone(), field(name)))
            .collect(),
        id,
        last_run: counted.last_run,
        fails: counted.fails,
        evidence: parent.map_or_else(Vec::new, |parent| parent.evidence.clone()),
        facts: parent.map_or_else(Vec::new, |parent| parent.facts.clone()),
        open: parent.map_or_else(Vec::new, |parent| parent.open.clone()),
        resolved: Vec::new(),
    };
    content.evidence.extend(run.pending.iter().cloned());
    let draft = Draft::of(due.draft.as_ref().unwrap_or(&Value::Null));
    if !spec.verdicts {
        for fact in &mut content.facts {
            mark(fact, run, due);
        }
    }
    consolidate(run, &draft, &mut content);
    for fact in content.facts.iter_mut().filter(|_| spec.verdicts) {
        if let Some(judged) = run.judged.get(&fact.id) {
            fact.judged = Some(judged.clone());
        }
        mark(fact, run, due);
    }
    issues(spec, run, due, &draft, &mut content);
    let text = render::text(spec, &content);
    let digest = Sha256::digest(text.as_bytes());
    SnapshotTaken {
        file: format!("{}/iter-{iteration:04}.md", spec.folder),
        hash: digest.iter().map(|byte| format!("{byte:02x}")).collect(),
        text,
        content,
    }
}

/// Says what of a fact's evidence does not hold any more: quotes that are gone, and reports on code that was
/// edited since.
fn mark(fact: &mut Fact, run: &Snapshots, due: &Due) {
    let gone = due.stale.clone();
    let gone = gone.unwrap_or_else(|| fact.stale.iter().cloned().collect());
    let judged = fact.judged.iter().map(|judged| &judged.evidence);
    let rests = fact.evidence.iter().chain(judged);
    let stale = rests.filter(|id| gone.contains(*id) || run.overtaken.contains(*id));
    fact.stale = stale.cloned().collect();
}

fn consolidate(run: &Snapshots, draft: &Draft, content: &mut Snapshot) {
    // What a person asked for is not an agent's to take back.
    let retracted = |fact: &Fact| fact.kind == FactKind::Fact && draft.retract.contains(&fact.id);
    content.facts.retain(|fact| !retracted(fact));
    let mut serial = run.fact_serial;
    let mut add = |kind: FactKind, text: &str, evidence: &[String], by: &str| {
        serial += 1;
        content.facts.push(Fact {
            id: format!("F-{serial:04}"),
            kind,
            text: line(text),
            evidence: evidence.to_vec(),
            by: line(by),
            judged: None,
            stale: Vec::new(),
        });
    };
    for text in &draft.constraints {
        add(FactKind::Constraint, text, &[], "");
    }
    for (text, by) in &draft.criteria {
        add(FactKind::Criterion, text, &[], by);
    }
    for fact in &draft.facts {
        add(FactKind::Fact, &fact.text, &fact.evidence, "");
    }
}

fn issues(spec: &SnapshotSpec, run: &Snapshots, due: &Due, draft: &Draft, content: &mut Snapshot) {
    let close = |content: &mut Snapshot, id: &str, by: &str| {
        let at = content.open.iter().position(|issue| issue.id == id);
        if let Some(at) = at {
            let issue = content.open.remove(at);
            content.resolved.push(Resolved {
                id: issue.id,
                text: issue.text,
                by: by.to_owned(),
            });
        }
    };
    let mut serial = run.issue_serial;
    let mut fresh = || {
        serial += 1;
        format!("I-{serial:04}")
    };
    for (id, by) in &draft.resolve {
        let mut open = content.open.iter();
        let held = open.any(|issue| issue.id == *id && (issue.gate.is_some() || issue.person));
        if !held {
            close(content, id, &line(by));
        }
    }
    for issue in &draft.open {
        content.open.push(Issue {
            id: fresh(),
            text: line(&issue.text),
            next: line(&issue.next),
            scope: line(&issue.scope),
            gate: None,
            person: false,
        });
    }
    if let Some(rejected) = &due.rejected {
        content.open.push(Issue {
            id: fresh(),
            text: rejected.clone(),
            next: "fix".to_owned(),
            scope: String::new(),
            gate: None,
            person: spec.rules > 1,
        });
    }
    let Some(ran) = &due.ran else { return };
    let known = content
        .open
        .iter()
        .position(|issue| issue.gate.as_deref() == Some(ran.gate.as_str()));
    match (ran.passed, known) {
        (true, Some(at)) => {
            let id = content.open[at].id.clone();
            close(content, &id, &ran.evidence);
        }
        (true, None) => {}
        (false, known) => {
            let text = format!("{} gate FAIL: {} ({})", ran.gate, ran.wrong, ran.evidence);
            match known {
                Some(at) => {
                    content.open[at].text = text;
                    content.open[at].next.clone_from(&ran.next);
                }
                None => content.open.push(Issue {
                    id: fresh(),
                    text,
                    next: ran.next.clone(),
                    scope: String::new(),
                    gate: Some(ran.gate.clone()),
                    person: false,
                }),
            }
        }
    }
}

//! From the run to what the evidence page shows. Evidence is copied beside the page as plain text
//! files, so that the folder can be opened from afar as it is.

use super::history::{GateRun, History};
use super::page::html::encoded;
use super::page::{
    Activity as PageActivity, Answer, AttemptView, CheckView, DecisionView, GateView, Head, Link,
    Origin, PageData, RefusalView, Waiting, page,
};
use flow::{Flow, Workflow};
use kernel::Machine;
use kernel::machine::Activity;
use kernel::outcome::{CheckResult, EvidenceRef, Outcome, Ran, Verdict};
use std::path::Path;
use workspace::context::Context;
use workspace::error::EngineError;
use workspace::project::Project;

pub(super) fn link(context: &Context) -> Result<String, EngineError> {
    link_of(&context.project, &context.workflow, &context.task)
}

/// A file's address, as browsers and terminals take it: a blank would end it.
pub(crate) fn file_address(path: &Path) -> String {
    format!("file://{}", encoded(&path.to_string_lossy()))
}

pub(super) fn link_of(
    project: &Project,
    workflow: &Workflow,
    task: &Path,
) -> Result<String, EngineError> {
    let Some(page) = workflow
        .task
        .as_ref()
        .and_then(|task| task.evidence_page.as_ref())
    else {
        return Ok(String::new());
    };
    let path = task.join(page);
    let config = project.config()?;
    Ok(
        match (config.base_url(), path.strip_prefix(project.repo())) {
            (Some(base), Ok(inside)) => {
                let inside = encoded(&inside.to_string_lossy());
                format!("{}/{inside}", base.trim_end_matches('/'))
            }
            _ => file_address(&path),
        },
    )
}

pub(super) fn write(
    context: &Context,
    machine: &Flow,
    history: &History,
    head: &store::Head,
) -> Result<(), EngineError> {
    let Some(name) = context
        .workflow
        .task
        .as_ref()
        .and_then(|task| task.evidence_page.as_ref())
    else {
        return Ok(());
    };
    let path = context.task.join(name);
    let folder = path.parent().unwrap_or(&context.task);
    let copies = folder.join("evidence");
    std::fs::create_dir_all(&copies).map_err(EngineError::io("create", &copies))?;
    let status = machine.status();
    let fields = machine.document(&link(context)?);
    let promised = context.workflow.task.as_ref();
    let promised = promised.map_or(&[][..], |task| task.promise.as_slice());
    let field = |name: &String| {
        let text = status.fields.get(name).cloned();
        (name.clone(), text.unwrap_or_default())
    };
    let mut attempts = Vec::new();
    for note in &status.attempts {
        let outcome = history.outcomes.get(&note.effect);
        let summary = outcome
            .and_then(|outcome| outcome.result.as_ref())
            .and_then(|result| result["summary"].as_str());
        attempts.push(AttemptView {
            effect: note.effect.to_string(),
            state: note.state.to_string(),
            role: note.role.clone(),
            ended: note.ended.clone(),
            reason: summary.unwrap_or(&note.reason).to_owned(),
            refused: outcome
                .and_then(Outcome::refused_connections)
                .unwrap_or_default(),
            millis: note.millis,
            tokens: note.usage.input_tokens + note.usage.output_tokens,
            micro_dollars: note.usage.micro_dollars,
            evidence: links(
                context,
                &copies,
                outcome.map_or(&[], |outcome| outcome.evidence.as_slice()),
            )?,
        });
    }
    let mut gates = Vec::new();
    for gate in history.gates.iter().rev() {
        gates.push(gate_view(context, &copies, gate)?);
    }
    let data = PageData {
        run: context.run.clone(),
        workflow: context.workflow.name.clone(),
        state: status.state.to_string(),
        activity: match status.activity {
            Activity::Working | Activity::Resting => PageActivity::Working,
            Activity::Waiting => PageActivity::Waiting,
            Activity::Done => PageActivity::Done,
            Activity::Stopped => PageActivity::Stopped,
        },
        waiting_for: status.waiting_for.as_ref().map(|waiting| Waiting {
            sentence: waiting.why.clone(),
            options: waiting.options.clone(),
            command: format!("proofhouse decide {} OPTION --because \"...\"", context.run),
        }),
        promise: promised.iter().map(field).collect(),
        fields: fields
            .into_iter()
            .filter(|(name, _)| !promised.contains(name))
            .collect(),
        features: features(context),
        gates,
        attempts,
        refusals: history
            .refusals
            .iter()
            .map(|refusal| RefusalView {
                code: refusal.code.clone(),
                what: refusal.what.clone(),
                mend: refusal.mend.clone(),
            })
            .collect(),
        decisions: history
            .decisions
            .iter()
            .map(|(at, decision)| DecisionView {
                who: decision.who.clone(),
                channel: decision.channel.clone(),
                option: decision.option.clone(),
                because: decision.because.clone(),
                at: at.to_string(),
            })
            .collect(),
        artifacts: artifacts(folder)?,
        commits: history.commits.clone(),
        head: Head {
            seq: head.seq,
            hash: head.hash.clone(),
        },
        generated_at: workspace::clock::now().to_string(),
        origin: if history
            .outcomes
            .values()
            .all(|outcome| outcome.agent == "scripted")
        {
            Origin::Scripted
        } else {
            Origin::Live
        },
    };
    store::write_atomic(&path, page(&data).as_bytes())?;
    Ok(())
}

fn gate_view(context: &Context, copies: &Path, gate: &GateRun) -> Result<GateView, EngineError> {
    let stall = context.workflow.stall_check.as_deref();
    let judged = |result: &&CheckResult| stall != Some(result.check.as_str());
    let passed = gate
        .results
        .iter()
        .filter(judged)
        .all(|result| result.verdict == Verdict::Pass);
    let mut results = Vec::new();
    for result in &gate.results {
        let ran = result.ran.as_ref();
        results.push(CheckView {
            check: result.check.clone(),
            verdict: match result.verdict {
                Verdict::Pass => Answer::Passed,
                // A stalled pass is worth knowing; it judges no one.
                _ if !judged(&result) => Answer::Noted,
                Verdict::Fail => Answer::Failed,
                Verdict::CouldNotRun => Answer::CouldNotRun,
            },
            reason: result.reason.clone(),
            argv: ran.map(|ran| ran.argv.clone()).unwrap_or_default(),
            exit: ran.and_then(|ran| ran.exit),
            tree: ran.map(|ran| ran.tree.clone()).unwrap_or_default(),
            refused: ran.and_then(Ran::refused_connections).unwrap_or_default(),
            millis: ran.map_or(0, |ran| ran.millis),
            evidence: links(context, copies, &result.evidence)?,
        });
    }
    Ok(GateView {
        state: gate.state.to_string(),
        passed,
        at: gate.at.to_string(),
        results,
    })
}

/// Copies evidence beside the page, once, and links it.
fn links(
    context: &Context,
    copies: &Path,
    evidence: &[EvidenceRef],
) -> Result<Vec<Link>, EngineError> {
    let mut found = Vec::new();
    for piece in evidence {
        let short = &piece.hash[..12.min(piece.hash.len())];
        let slug: String = piece
            .name
            .chars()
            .map(|c| if c.is_ascii_alphanumeric() { c } else { '-' })
            .take(40)
            .collect();
        let file = format!("{short}-{}.txt", slug.trim_matches('-'));
        let target = copies.join(&file);
        if !target.exists() {
            store::write_atomic(&target, &context.vault.get(&piece.hash)?)?;
        }
        found.push(Link {
            name: piece.name.clone(),
            href: format!("evidence/{file}"),
            size: piece.size,
        });
    }
    Ok(found)
}

/// What agents and people left beside the page.
fn artifacts(folder: &Path) -> Result<Vec<Link>, EngineError> {
    let ours = |path: &Path| path.starts_with("evidence") || path.starts_with("evidence.html");
    let mut found = Vec::new();
    for path in store::walk(folder, &ours)? {
        let Ok(metadata) = folder.join(&path).symlink_metadata() else {
            continue;
        };
        if metadata.is_file() {
            let name = path.display().to_string();
            found.push(Link {
                href: name.clone(),
                name,
                size: metadata.len(),
            });
        }
    }
    Ok(found)
}

/// The visible features and their labels, as the state file lists them.
fn features(context: &Context) -> Vec<(String, String)> {
    let Some(task) = &context.workflow.task else {
        return Vec::new();
    };
    let text = std::fs::read_to_string(context.task.join(&task.state_file)).unwrap_or_default();
    let after = text
        .lines()
        .skip_while(|line| !line.starts_with("## Visible features"))
        .skip(1);
    let items = after
        .take_while(|line| !line.starts_with('#'))
        .filter_map(|line| line.strip_prefix("- "));
    let pairs = items.filter_map(|item| item.rsplit_once(": "));
    pairs
        .map(|(name, label)| (name.trim().to_owned(), label.trim().to_owned()))
        .collect()
}

//! `proofhouse log`.

use super::args::Log;
use super::out::{Out, Tone, plain};
use super::{exit, history};
use engine::Run;
use kernel::Body;
use std::collections::VecDeque;
use store::{Journal, Replay, RunName};
use workspace::{EngineError, Project};

pub(crate) fn log(project: &Project, args: &Log, out: &Out) -> Result<u8, EngineError> {
    let run = super::run::named(project, args.run.as_deref())?;
    if engine::factory::is_project(project, run) {
        engine::factory::peek(project, run)?;
    } else {
        Run::peek(project, run)?;
    }
    let most = args.last.unwrap_or(usize::MAX);
    let mut lines: VecDeque<String> = VecDeque::new();
    Journal::read(
        &project.journals(),
        &RunName::new(run)?,
        Replay::default(),
        |record| {
            if out.json {
                let line = serde_json::json!({"seq": record.seq, "at": record.at, "kind": record.kind, "body": record.body, "hash": record.hash});
                lines.push_back(line.to_string());
            } else {
                let event = engine::run::event(&record)?;
                let at = record.at.to_string();
                lines.push_back(format!(
                    "{:>5} {} {}",
                    record.seq,
                    out.paint(Tone::Dim, &at[..19]),
                    plain(&sentence(&event.body))
                ));
            }
            if lines.len() > most {
                lines.pop_front();
            }
            Ok(())
        },
    )?;
    for line in lines {
        out.line(&line);
    }
    Ok(exit::OK)
}

fn sentence(body: &Body) -> String {
    match body {
        Body::RunStarted(started) => format!(
            "started `{}` of `{}`, autonomy {}",
            started.run, started.workflow, started.autonomy
        ),
        Body::SessionOpened(opened) => {
            format!("session {} (version {})", opened.session, opened.version)
        }
        Body::TailCut(cut) => format!(
            "cut a torn last line of {} bytes, kept in {}",
            cut.bytes, cut.kept_in
        ),
        Body::EffectBegan(began) => {
            let on = match began.subject.as_str() {
                "" => String::new(),
                subject => format!(" on {subject}"),
            };
            let kind = format!("{:?}", began.kind).to_lowercase();
            let by = match began.role.as_str() {
                "" => String::new(),
                role => format!(" by {role}"),
            };
            format!(
                "{} began: {kind} in `{}`{by}{on}",
                began.effect, began.state
            )
        }
        Body::AttemptEnded(ended) => {
            let outcome = &ended.outcome;
            let request = outcome
                .request
                .as_ref()
                .map_or_else(String::new, |state| format!(", asks for `{state}`"));
            let refused = outcome.refused_connections();
            format!(
                "{} ended: {}, {}{request}{}",
                ended.effect,
                outcome.class.as_str(),
                outcome.reason,
                refused.map_or_else(String::new, |line| format!("; {line}"))
            )
        }
        Body::GateEnded(ended) => {
            let words: Vec<String> = ended
                .results
                .iter()
                .map(|result| {
                    let ran = result.ran.as_ref();
                    let refused = ran.and_then(kernel::outcome::Ran::refused_connections);
                    let refused = refused.map_or_else(String::new, |line| format!(" ({line})"));
                    format!("{} {}{refused}", result.check, result.verdict.as_str())
                })
                .collect();
            format!("{} judged: {}", ended.effect, words.join("; "))
        }
        Body::CheckpointEnded(ended) => match (&ended.commit, &ended.problem) {
            (Some(commit), _) => format!("{} committed {commit}", ended.effect),
            (None, problem) => format!(
                "{} could not commit: {}",
                ended.effect,
                problem.as_deref().unwrap_or("unknown")
            ),
        },
        Body::EffectLost(lost) => format!("{} lost: {}", lost.effect, lost.reason),
        Body::LateDropped(late) => format!(
            "{} answered too late and was dropped: {}",
            late.effect, late.said
        ),
        Body::Moved(moved) => {
            let hold = moved
                .position
                .hold
                .as_ref()
                .map_or_else(String::new, |hold| format!(" [held: {}]", hold.name()));
            format!(
                "`{}` -> `{}` by {} ({}){hold}: {}",
                moved.from, moved.position.state, moved.by, moved.action, moved.why
            )
        }
        Body::Refused(refused) => format!("refused: {}", refused.refusal),
        Body::Decided(decision) => format!(
            "{} decided `{}` through {}: {}",
            decision.who, decision.option, decision.channel, decision.because
        ),
        Body::FieldsEdited(edited) => {
            let taken = edited.fields.keys().cloned();
            let refused = edited.refused.values();
            let refused = refused.map(|refusal| format!("not taken: {refusal}"));
            let all: Vec<String> = taken.chain(refused).collect();
            format!("a person edited {}", all.join(", "))
        }
        Body::Noted(note) => history::sentence(note),
        Body::SnapshotTaken(taken) => format!("snapshot {} ({})", taken.file, taken.hash),
    }
}

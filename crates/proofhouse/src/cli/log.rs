//! `proofhouse log`: what happened in a run or a project, record by record.

use super::args::Log;
use super::exit;
use super::out::{Out, Tone, plain};
use report::timeline::{Record, Timeline};
use std::collections::VecDeque;
use store::{Journal, RecordRef, Replay, RunName};
use workspace::{EngineError, Project};

pub(crate) fn log(project: &Project, args: &Log, out: &Out) -> Result<u8, EngineError> {
    let run = super::run::named(project, args.run.as_deref())?;
    report::look(project, run)?;
    let most = args.last.unwrap_or(usize::MAX);
    let mut lines: VecDeque<String> = VecDeque::new();
    let mut timeline = Timeline::default();
    let run = RunName::new(run)?;
    Journal::read(&project.journals(), &run, Replay::default(), |record| {
        lines.push_back(line(&mut timeline, record, out)?);
        if lines.len() > most {
            lines.pop_front();
        }
        Ok(())
    })?;
    for line in lines {
        out.line(&line);
    }
    Ok(exit::OK)
}

fn line(timeline: &mut Timeline, record: RecordRef<'_>, out: &Out) -> Result<String, String> {
    if out.json {
        return serde_json::to_string(&Record::from(record)).map_err(|error| error.to_string());
    }
    let told = timeline.tell(&record)?;
    let at = told.at.to_string();
    Ok(format!(
        "{:>5} {} {}",
        told.seq,
        out.paint(Tone::Dim, &at[..19]),
        plain(&told.sentence)
    ))
}

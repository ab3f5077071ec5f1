//! `proofhouse log`: what happened in a run or a project, record by record, up to now or as it goes on.

use super::args::Log;
use super::out::{Out, Tone, count, plain};
use super::{attempt, exit};
use report::Looked;
use report::fate::Fate;
use report::follow::{Line, Seen, Watcher};
use report::timeline::{Entry, Record, Timeline};
use std::cell::Cell;
use std::collections::{BTreeMap, VecDeque};
use std::time::Duration;
use store::{Journal, Objection, RecordRef, Replay, RunName, Since, Tail, Tails};
use workspace::{EngineError, Project};

/// How often growing journals are looked at: one `stat` each.
const PAUSE: Duration = Duration::from_millis(200);

pub(crate) fn log(project: &Project, args: &Log, out: &Out) -> Result<u8, EngineError> {
    if args.follow {
        return follow(project, args, out, &|| true);
    }
    let run = &super::which::only(project, args.runs.first().map(String::as_str))?;
    if let [_, other, ..] = args.runs.as_slice() {
        return Err(EngineError::user(
            "one_run_only",
            format!("`{other}`: without `--follow`, one log is shown at a time"),
            "name one run, or add `--follow`",
        ));
    }
    if let Some(which) = &args.attempt {
        return attempt::show(project, run, which, out);
    }
    let looked = report::look(project, run)?;
    let most = args.last.unwrap_or(usize::MAX);
    let from = args.from.unwrap_or(0);
    let mut lines: VecDeque<String> = VecDeque::new();
    let mut timeline = Timeline::default();
    let run = RunName::new(run)?;
    Journal::read(&project.journals(), &run, Replay::default(), |record| {
        let seq = record.seq;
        let line = line(&mut timeline, record, out)?;
        if seq >= from {
            lines.push_back(line);
        }
        if lines.len() > most {
            lines.pop_front();
        }
        Ok(())
    })?;
    for line in lines {
        match out.json {
            true => out.line(&line),
            // Behind the record's number and its time.
            false => {
                let blank = line.len() - line.trim_start().len();
                let mut blanks = line[blank..]
                    .match_indices(' ')
                    .map(|(at, _)| blank + at + 1);
                let (head, text) = line.split_at(blanks.nth(1).unwrap_or(blank));
                out.hanging(head, text);
            }
        }
    }
    // Git has it and no record does: a run is over before its work is landed.
    let fate = match &looked {
        Looked::Run(peek) if !out.json => Fate::of(project, run.as_str(), &peek.machine),
        _ => None,
    };
    if let Some(fate) = fate {
        out.line(&format!("      {}", fate.words()));
    }
    Ok(exit::OK)
}

fn line(timeline: &mut Timeline, record: RecordRef<'_>, out: &Out) -> Result<String, Objection> {
    if out.json {
        return json(&Record::from(record));
    }
    Ok(told(&timeline.tell(&record)?, out))
}

fn json(value: &impl serde::Serialize) -> Result<String, Objection> {
    Ok(serde_json::to_string(value)?)
}

fn told(told: &Entry, out: &Out) -> String {
    let at = told.at.to_string();
    format!(
        "{:>5} {} {}",
        told.seq,
        out.paint(Tone::Dim, &at[..19]),
        plain(&told.sentence)
    )
}

/// The journals of these runs, or of all, as they grow. It ends with Ctrl-C, when nobody reads, or when
/// nothing goes on any more.
pub(crate) fn follow(
    project: &Project,
    args: &Log,
    out: &Out,
    goes_on: &dyn Fn() -> bool,
) -> Result<u8, EngineError> {
    let journals = project.journals();
    let mut named = Vec::new();
    for run in &args.runs {
        named.push(report::look::run_name(project, run)?);
    }
    let all = named.is_empty();
    if all {
        named = store::list(&journals)?;
    }
    // People who follow all of them want what comes, not every record that there ever was.
    let unsaid = (all && !out.json).then_some(0);
    if unsaid.is_some() && args.last.is_none() && args.from.is_none() {
        let what = format!(
            "what comes from now on, in {}:",
            count(named.len() as u64, "run")
        );
        out.line(&out.paint(Tone::Dim, &what));
    }
    let mut since = BTreeMap::new();
    for run in named {
        let behind = behind(project, &run, args, unsaid)?;
        since.insert(run, behind);
    }
    // A name in front of each line only where it says something.
    let wide = since.keys().map(|run| run.as_str().len()).max();
    let wide = wide.filter(|_| all || since.len() > 1);
    let heard = Cell::new(true);
    let mut watcher = Watcher::new(|run: &str, seen: Seen<'_>| {
        let text = match (&seen, out.json) {
            (Seen::Record { record, .. }, true) => json(&Line { run, what: record }),
            (Seen::Notice(event), true) => json(&Line { run, what: event }),
            (Seen::Record { told: entry, .. }, false) => Ok(told(entry, out)),
            (Seen::Notice(event), false) => {
                let word = out.paint(Tone::Warn, "   --");
                Ok(format!("{word} {}", plain(&event.sentence())))
            }
        };
        let text = text.unwrap_or_else(|error| plain(&error.to_string()));
        let text = match wide.filter(|_| !out.json) {
            Some(wide) => format!("{run:<wide$} {text}"),
            None => text,
        };
        heard.set(heard.get() && out.line_if_heard(&text).is_ok());
    });
    let mut tails = match all {
        true => Followed::All(Tails::new(&journals, since)),
        false => Followed::Named(
            since
                .into_iter()
                .map(|(run, since)| Tail::new(&journals, &run, since))
                .collect(),
        ),
    };
    loop {
        // Asked first: what came before it ended is still shown.
        let last = !goes_on();
        match &mut tails {
            Followed::All(tails) => tails.poll(&mut watcher)?,
            Followed::Named(tails) => tails.iter_mut().for_each(|tail| tail.poll(&mut watcher)),
        }
        if last || !heard.get() {
            return Ok(exit::OK);
        }
        std::thread::sleep(PAUSE);
    }
}

enum Followed {
    /// Those that begin later among them.
    All(Tails),
    Named(Vec<Tail>),
}

/// Where a follower is to begin: before the first record that is asked for.
/// Where nothing is asked for, so many of the last ones are shown, or all.
fn behind(
    project: &Project,
    run: &RunName,
    args: &Log,
    unsaid: Option<usize>,
) -> Result<Since, EngineError> {
    if let Some(from) = args.from {
        return Ok(Since::Seq(from.saturating_sub(1)));
    }
    let Some(last) = args.last.or(unsaid) else {
        return Ok(Since::Start);
    };
    let head = Journal::read(&project.journals(), run, Replay::default(), |_| Ok(()))?.head;
    let last = u64::try_from(last).unwrap_or(u64::MAX);
    Ok(Since::Seq(head.seq.saturating_sub(last)))
}

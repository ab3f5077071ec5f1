//! The spans of a run, or of all runs of a wave, told to a collector while they run: whoever set `trace.otlp` sees
//! each attempt and gate as it ends. A collector that does not answer costs the run nothing but, at its end, a moment.

use super::out::plain;
use super::trace;
use engine::wave::MilestoneFolder;
use engine::world::{Gauges, Observer};
use kernel::Event;
use serde_json::Value;
use std::collections::BTreeSet;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::time::Duration;
use workspace::{EngineError, Project};

/// The setting.
const COLLECTOR: &str = "trace.otlp";
/// How long the last spans may take when everything else is over.
const LAST: Duration = Duration::from_secs(3);

/// Shows what happens as `inner` does, and tells a collector.
pub(crate) struct Live<O> {
    pub(crate) inner: O,
    teller: Option<Teller>,
}

struct Teller {
    /// Does a line of progress say that something has ended? In a wave nothing else tells of its runs.
    lines: Lines,
    beat: Sender<()>,
    /// Closed by the thread's end; nothing is ever sent.
    over: Receiver<()>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Lines {
    Matter,
    OfAgents,
}

/// Whose spans are told.
enum Whose {
    /// Of one run or project.
    Run(String),
    /// Of every run of a milestone's live wave.
    Wave(String),
}

impl Whose {
    fn runs(&self, project: &Project) -> Result<Vec<String>, EngineError> {
        let milestone = match self {
            Whose::Run(run) => return Ok(vec![run.clone()]),
            Whose::Wave(milestone) => milestone,
        };
        let (board, _) = MilestoneFolder::find(project, Some(milestone))?.peek()?;
        let slots = board.wave.iter().flat_map(|wave| &wave.slots);
        // One that nobody has begun yet has no journal.
        let begun = |run: &String| project.journals().join(format!("{run}.jsonl")).exists();
        Ok(slots
            .map(|slot| slot.row.run.clone())
            .filter(begun)
            .collect())
    }
}

impl<O> Live<O> {
    /// Nothing is told where nobody said to whom.
    pub(crate) fn of(inner: O, project: &Project, run: &str) -> Result<Self, EngineError> {
        Self::telling(inner, project, Whose::Run(run.to_owned()))
    }

    /// The same of all runs of a milestone's waves.
    pub(crate) fn of_wave(inner: O, project: &Project, name: &str) -> Result<Self, EngineError> {
        Self::telling(inner, project, Whose::Wave(name.to_owned()))
    }

    fn telling(inner: O, project: &Project, whose: Whose) -> Result<Self, EngineError> {
        let config = project.config()?;
        let Some(url) = config.own_text(COLLECTOR)? else {
            return Ok(Self {
                inner,
                teller: None,
            });
        };
        let url = trace::address(url)?;
        let (beat, beats) = channel();
        let (until, over) = channel::<()>();
        let project = project.at_top();
        let lines = match whose {
            Whose::Run(_) => Lines::OfAgents,
            Whose::Wave(_) => Lines::Matter,
        };
        std::thread::spawn(move || {
            tell(&project, &whose, &url, &beats);
            drop(until);
        });
        Ok(Self {
            inner,
            teller: Some(Teller { lines, beat, over }),
        })
    }
}

impl<O> Drop for Live<O> {
    fn drop(&mut self) {
        if let Some(Teller { beat, over, .. }) = self.teller.take() {
            drop(beat);
            // An error either way: it has ended, or the moment is over.
            let _ = over.recv_timeout(LAST);
        }
    }
}

impl<F, O: Observer<F>> Observer<F> for Live<O> {
    fn event(&mut self, event: &Event<F>) {
        self.inner.event(event);
        if let Some(teller) = &self.teller {
            // Who has given up hears nothing any more.
            let _ = teller.beat.send(());
        }
    }

    fn tick(&mut self, gauges: &dyn Fn() -> Gauges) {
        self.inner.tick(gauges);
    }

    fn progress(&mut self, line: &str) {
        self.inner.progress(line);
        if let Some(teller) = self
            .teller
            .as_ref()
            .filter(|one| one.lines == Lines::Matter)
        {
            let _ = teller.beat.send(());
        }
    }

    fn notice(&mut self, line: &str) {
        self.inner.notice(line);
    }
}

/// Sends what is new at every beat, and once more when there will be none.
fn tell(project: &Project, whose: &Whose, url: &str, beats: &Receiver<()>) {
    let mut sent = BTreeSet::new();
    let mut known = BTreeSet::new();
    let mut warned = false;
    loop {
        let goes_on = beats.recv().is_ok();
        // What came meanwhile is told at once.
        while beats.try_recv().is_ok() {}
        // Who is merged is in no live wave any more, and is told to its end all the same.
        let mut told = whose.runs(project).map(|runs| known.extend(runs));
        for run in &known {
            told = told.and(send_new(project, run, (url, !goes_on), &mut sent));
        }
        if let Err(error) = told
            && !std::mem::replace(&mut warned, true)
        {
            eprintln!("trace: {}; the run goes on", plain(&error.to_string()));
        }
        if !goes_on {
            return;
        }
    }
}

fn send_new(
    project: &Project,
    run: &str,
    (url, last): (&str, bool),
    sent: &mut BTreeSet<String>,
) -> Result<(), EngineError> {
    let mut request = report::trace::trace(project, run)?;
    let spans = &mut request["resourceSpans"][0]["scopeSpans"][0]["spans"];
    let Some(spans) = spans.as_array_mut() else {
        return Ok(());
    };
    let id = |span: &Value| span["spanId"].as_str().unwrap_or_default().to_owned();
    // The run itself, which has no parent, ends last.
    let over = |span: &Value| last || span["parentSpanId"].is_string();
    spans.retain(|span| over(span) && !sent.contains(&id(span)));
    if spans.is_empty() {
        return Ok(());
    }
    let new: Vec<String> = spans.iter().map(id).collect();
    trace::send(url, request.to_string().as_bytes())?;
    sent.extend(new);
    Ok(())
}

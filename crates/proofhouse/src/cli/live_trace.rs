//! A run's spans, told to a collector while it runs: whoever set `trace.otlp` sees each attempt and gate as it
//! ends. A collector that does not answer costs the run nothing but, at its end, a moment.

use super::out::plain;
use super::trace;
use engine::world::{Gauges, Observer};
use kernel::{Body, Event};
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
    beat: Sender<()>,
    /// Closed by the thread's end; nothing is ever sent.
    over: Receiver<()>,
}

impl<O> Live<O> {
    /// Nothing is told where nobody said to whom.
    pub(crate) fn of(inner: O, project: &Project, run: &str) -> Result<Self, EngineError> {
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
        let (project, run) = (project.clone(), run.to_owned());
        std::thread::spawn(move || {
            tell(&project, &run, &url, &beats);
            drop(until);
        });
        Ok(Self {
            inner,
            teller: Some(Teller { beat, over }),
        })
    }
}

impl<O> Drop for Live<O> {
    fn drop(&mut self) {
        if let Some(Teller { beat, over }) = self.teller.take() {
            drop(beat);
            // An error either way: it has ended, or the moment is over.
            let _ = over.recv_timeout(LAST);
        }
    }
}

impl<O: Observer> Observer for Live<O> {
    fn event(&mut self, event: &Event) {
        self.inner.event(event);
        // A span is there when it has ended.
        if let Some(teller) = &self.teller
            && !matches!(event.body, Body::EffectBegan(_))
        {
            // Who has given up hears nothing any more.
            let _ = teller.beat.send(());
        }
    }

    fn tick(&mut self, gauges: &dyn Fn() -> Gauges) {
        self.inner.tick(gauges);
    }

    fn progress(&mut self, line: &str) {
        self.inner.progress(line);
    }

    fn notice(&mut self, line: &str) {
        self.inner.notice(line);
    }
}

/// Sends what is new at every beat, and once more when there will be none.
fn tell(project: &Project, run: &str, url: &str, beats: &Receiver<()>) {
    let mut sent = BTreeSet::new();
    let mut warned = false;
    loop {
        let goes_on = beats.recv().is_ok();
        // What came meanwhile is told at once.
        while beats.try_recv().is_ok() {}
        if let Err(error) = send_new(project, run, (url, !goes_on), &mut sent)
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
    let mut request = report::trace::trace(&project.at_top(), run)?;
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

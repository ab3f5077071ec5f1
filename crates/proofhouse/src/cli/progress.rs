//! A run as it happens: one live line on a terminal, plain lines in a pipe.

use super::history;
use super::out::{Out, Tone, dollars, duration, plain};
use engine::world::{Gauges, Observer};
use kernel::budget::{ATTEMPTS, MICRO_DOLLARS, TOKENS};
use kernel::effect::EffectKind;
use kernel::event::Arrival;
use kernel::outcome::{Verdict, passes};
use kernel::{Actor, Body, Class, Event};
use std::io::{IsTerminal, Write};
use std::time::Instant;

const FRAMES: [char; 4] = ['|', '/', '-', '\\'];

pub(crate) struct Progress<'a> {
    out: &'a Out,
    live: bool,
    began: Instant,
    effect_began: Instant,
    doing: String,
    frame: usize,
    shown: bool,
}

impl<'a> Progress<'a> {
    pub(crate) fn new(out: &'a Out) -> Self {
        let live = !out.json && std::io::stdout().is_terminal();
        Self {
            out,
            live,
            began: Instant::now(),
            effect_began: Instant::now(),
            doing: String::new(),
            frame: 0,
            shown: false,
        }
    }

    fn clear(&mut self) {
        if self.shown {
            print!("\r\x1b[2K");
            let _ = std::io::stdout().flush();
            self.shown = false;
        }
    }

    fn say(&mut self, tone: Option<Tone>, mark: &str, text: &str) {
        if self.out.json {
            return;
        }
        self.clear();
        let mark = tone.map_or_else(|| mark.to_owned(), |tone| self.out.paint(tone, mark));
        let clock = duration(u64::try_from(self.began.elapsed().as_millis()).unwrap_or(u64::MAX));
        let text = plain(text);
        self.out.line(&format!(
            "{} {mark} {text}",
            self.out.paint(Tone::Dim, &format!("{clock:>8}"))
        ));
    }

    /// What a process was refused, and which setting would allow it.
    fn refused(&mut self, line: Option<String>, allow: &str) {
        if let Some(line) = line {
            let text = format!("    {line}{allow}");
            self.say(Some(Tone::Warn), "--", &text);
        }
    }
}

/// How to allow what was refused. What is not known needs no setting.
fn allow(denied: &[String], setting: &str) -> String {
    match denied.is_empty() {
        true => String::new(),
        false => format!(" (allow with `{setting}`)"),
    }
}

impl Observer for Progress<'_> {
    fn event(&mut self, event: &Event) {
        match &event.body {
            Body::EffectBegan(began) => {
                self.effect_began = Instant::now();
                self.doing = match began.kind {
                    EffectKind::Attempt => format!("{} {} works", began.state, began.role),
                    EffectKind::Gate => format!("{} gate", began.state),
                    EffectKind::Checkpoint => "checkpoint".to_owned(),
                };
                if began.kind == EffectKind::Attempt {
                    self.say(
                        None,
                        "..",
                        &format!(
                            "{}: attempt {} by the {}",
                            began.state, began.effect, began.role
                        ),
                    );
                }
            }
            Body::AttemptEnded(ended) => {
                let outcome = &ended.outcome;
                let usage = outcome.usage;
                let cost = format!(
                    "{} tokens, {}",
                    usage.input_tokens + usage.output_tokens,
                    dollars(usage.micro_dollars)
                );
                let summary = outcome
                    .result
                    .as_ref()
                    .and_then(|result| result["summary"].as_str());
                let summary = summary.filter(|_| outcome.class == Class::Done);
                let text = summary.unwrap_or(&outcome.reason);
                let (tone, mark) = if outcome.class == Class::Done {
                    (None, "ok")
                } else {
                    (Some(Tone::Bad), "!!")
                };
                self.say(
                    tone,
                    mark,
                    &format!("    {}: {text} ({cost})", outcome.class.as_str()),
                );
                let allow = allow(&outcome.denied, "network.hosts");
                self.refused(outcome.refused_connections(), &allow);
            }
            Body::GateEnded(ended) => {
                for result in &ended.results {
                    let (tone, mark) = match result.verdict {
                        Verdict::Pass => (Tone::Good, "pass"),
                        Verdict::Fail => (Tone::Bad, "FAIL"),
                        Verdict::CouldNotRun => (Tone::Bad, "COULD NOT RUN"),
                    };
                    let text = format!("{}: {}", result.check, result.reason);
                    self.say(Some(tone), &format!("    {mark}"), &text);
                    if let Some(ran) = &result.ran {
                        let allow = allow(&ran.denied, "network.checks");
                        self.refused(ran.refused_connections(), &allow);
                    }
                }
                if !passes(&ended.results) {
                    self.say(Some(Tone::Warn), "--", "    the gate did not pass");
                }
            }
            Body::CheckpointEnded(ended) => {
                if let Some(commit) = &ended.commit {
                    self.say(
                        Some(Tone::Dim),
                        "  ",
                        &format!("    checkpoint {}", &commit[..12.min(commit.len())]),
                    );
                }
                if let Some(problem) = &ended.problem {
                    let text = format!("    no checkpoint: {problem}");
                    self.say(Some(Tone::Warn), "--", &text);
                }
            }
            Body::Moved(moved) if moved.arrival == Arrival::Entered => {
                let text = format!(
                    "{} -> {} ({}, by {})",
                    moved.from, moved.position.state, moved.action, moved.by
                );
                let tone = if moved.by == Actor::Human {
                    Tone::Warn
                } else {
                    Tone::Strong
                };
                self.say(Some(tone), "->", &text);
            }
            Body::Moved(moved) => {
                let text = format!("{} in {}: {}", moved.action, moved.from, moved.why);
                self.say(Some(Tone::Warn), "--", &text);
            }
            Body::Refused(refused) => self.say(Some(Tone::Bad), "no", &refused.refusal.to_string()),
            Body::EffectLost(lost) => self.say(
                Some(Tone::Warn),
                "--",
                &format!("{} is lost: {}", lost.effect, lost.reason),
            ),
            Body::LateDropped(late) => self.say(
                Some(Tone::Warn),
                "--",
                &format!("a late answer of {} was dropped", late.effect),
            ),
            Body::Decided(decision) => self.say(
                Some(Tone::Warn),
                "->",
                &format!("{} decided `{}`", decision.who, decision.option),
            ),
            Body::TailCut(cut) => self.say(
                Some(Tone::Warn),
                "--",
                &format!(
                    "the journal's torn last line ({} bytes) was cut and kept in {}",
                    cut.bytes, cut.kept_in
                ),
            ),
            Body::FieldsEdited(edited) => {
                let names: Vec<&str> = edited.fields.keys().map(String::as_str).collect();
                self.say(
                    None,
                    "--",
                    &format!("a person edited: {}", names.join(", ")),
                );
            }
            Body::Noted(note) => self.say(None, "--", &history::sentence(note)),
            Body::SnapshotTaken(taken) => {
                self.say(None, "--", &format!("snapshot {}", taken.file));
            }
            Body::RunStarted(_) | Body::SessionOpened(_) => {}
        }
    }

    fn tick(&mut self, gauges: &dyn Fn() -> Gauges) {
        if !self.live {
            return;
        }
        self.frame = (self.frame + 1) % FRAMES.len();
        let gauges = gauges();
        let spent = |name: &str| gauges.get(name).map_or(0, |gauge| gauge.used);
        let elapsed =
            duration(u64::try_from(self.effect_began.elapsed().as_millis()).unwrap_or(u64::MAX));
        let attempts = spent(ATTEMPTS);
        print!(
            "\r\x1b[2K  {} {}  {elapsed}  attempt {attempts}  {} tokens  {}",
            FRAMES[self.frame],
            self.doing,
            spent(TOKENS),
            dollars(spent(MICRO_DOLLARS))
        );
        let _ = std::io::stdout().flush();
        self.shown = true;
    }

    fn progress(&mut self, line: &str) {
        if self.live {
            let short: String = plain(line).chars().take(50).collect();
            let base = self
                .doing
                .split(" · ")
                .next()
                .unwrap_or_default()
                .to_owned();
            self.doing = format!("{base} · {short}");
        }
    }

    fn notice(&mut self, line: &str) {
        if self.out.json {
            eprintln!("note: {line}");
        } else {
            self.say(Some(Tone::Warn), "--", line);
        }
    }
}

impl Drop for Progress<'_> {
    fn drop(&mut self) {
        self.clear();
    }
}

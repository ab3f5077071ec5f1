//! A run as it happens: one live line on a terminal, plain lines in a pipe.

use super::out::{Out, Tone, count, duration, plain};
use engine::world::{Gauges, Observer};
use flow::Workflow;
use kernel::budget::{ATTEMPTS, MICRO_DOLLARS, TOKENS};
use kernel::effect::EffectKind;
use kernel::event::{Arrival, EffectBegan, GateEnded, Moved, WHAT_IS_THERE};
use kernel::outcome::{CheckResult, RED_BEFORE, Verdict, passes};
use kernel::snapshot::SnapshotTaken;
use kernel::{Actor, Body, Class, Event};
use report::Repeats;
use report::spend::dollars;
use std::io::Write;
use std::time::{Duration, Instant};

pub(crate) const FRAMES: [char; 4] = ['|', '/', '-', '\\'];

pub(crate) struct Progress<'a> {
    out: &'a Out,
    live: bool,
    began: Instant,
    effect_began: Instant,
    doing: String,
    frame: usize,
    shown: bool,
    /// When something was last said: a log that is silent for long looks dead.
    spoke: Instant,
    /// What the last attempt or refusal said: the move that follows from it need not repeat it.
    said: String,
    repeats: Repeats,
    /// The check that judges progress and not the work: no gate fails by it.
    noted: Option<String>,
    /// The gate in flight is tried on what is there, before anybody has worked.
    trying: bool,
    asked: Asked,
}

/// What those are asked who look into one unknown each.
#[derive(Default)]
struct Asked {
    /// The state in which they do.
    state: Option<String>,
    /// The name and the text of each unknown, in their order.
    unknowns: Vec<(String, String)>,
    /// As many of them have been looked into.
    known: usize,
    /// Is the gate in flight that of the state?
    judging: bool,
}

impl Asked {
    fn snapshot(&mut self, taken: &SnapshotTaken) {
        let open = taken.content.open.iter();
        let unknown = open.filter(|issue| issue.next == flow::LOOK_INTO);
        let unknown = unknown.map(|issue| (issue.id.clone(), issue.text.clone()));
        self.unknowns = unknown.collect();
        self.known = 0;
    }

    fn began(&mut self, began: &EffectBegan) {
        if began.kind == EffectKind::Gate {
            self.judging = self.state.as_deref() == Some(began.state.as_str());
        }
    }

    /// They are judged in turn: a gate that passed was of the first that nobody had looked into.
    fn judged(&mut self, passed: bool) {
        self.known += usize::from(passed && self.judging);
    }

    /// What an attempt is for. Who is sent before their turn has its name as their subject.
    fn of(&self, began: &EffectBegan) -> Option<&(String, String)> {
        if self.state.as_deref() != Some(began.state.as_str()) {
            return None;
        }
        match began.subject.as_str() {
            "" => self.unknowns.get(self.known),
            subject => self.unknowns.iter().find(|(id, _)| id == subject),
        }
    }
}

/// How long a pipe hears nothing before it is told that the work goes on: suites that are run again for each
/// mutant are silent for long.
const SILENCE: Duration = Duration::from_secs(60);

impl<'a> Progress<'a> {
    pub(crate) fn new(out: &'a Out) -> Self {
        Self {
            out,
            live: out.live,
            began: Instant::now(),
            effect_began: Instant::now(),
            doing: String::new(),
            frame: 0,
            shown: false,
            spoke: Instant::now(),
            said: String::new(),
            repeats: Repeats::default(),
            noted: None,
            trying: false,
            asked: Asked::default(),
        }
    }

    /// For a run of this workflow: which check judges progress and not the work, and where unknowns are
    /// looked into.
    pub(crate) fn of(out: &'a Out, workflow: &Workflow) -> Self {
        let mut progress = Self::new(out);
        progress.noted = workflow.noted_check().map(str::to_owned);
        let unknowns = workflow.snapshot.as_ref();
        let unknowns = unknowns.and_then(|spec| spec.unknowns.as_ref());
        progress.asked.state = unknowns.map(ToString::to_string);
        progress
    }

    /// A gate that passed is one line; of one that did not, everything that broke. A check that judges
    /// progress is not told here: where a run stalls by it, its move says so, and the page has it.
    fn judged(&mut self, ended: &GateEnded) {
        let noted = self.noted.clone();
        let is_noted = |result: &&CheckResult| noted.as_deref() == Some(result.check.as_str());
        let judged: Vec<&CheckResult> = ended.results.iter().filter(|one| !is_noted(one)).collect();
        let broke = |result: &&&CheckResult| result.verdict != Verdict::Pass;
        let took = self.elapsed();
        let results = ended.results.iter();
        let held = results.filter(|one| one.verdict == Verdict::Pass).count();
        let passed = judged
            .iter()
            .all(|one| one.verdict == Verdict::Pass || !one.weight.is_binding());
        let ran: Vec<&str> = judged
            .iter()
            .filter(|one| one.ran.is_some() && one.verdict == Verdict::Pass)
            .map(|one| one.check.as_str())
            .collect();
        let ran = match ran.as_slice() {
            [] => String::new(),
            ran => format!("; executed {}", ran.join(", ")),
        };
        let checks = count(held as u64, "check");
        if passed {
            let text = format!("gate: {checks} held in {took}{ran}");
            self.say(Some(Tone::Good), "    pass", &text);
        }
        let red = |one: &&&CheckResult| one.shows.contains(RED_BEFORE);
        for result in judged.iter().filter(|one| !broke(one)).filter(red) {
            let text = format!("{}: {}", result.check, result.reason);
            self.say(Some(Tone::Warn), "    note", &text);
        }
        // What chooses a way is told by the step that follows.
        let chooses = |one: &&&CheckResult| !one.weight.is_binding() && !one.shows.is_empty();
        for result in judged.iter().filter(broke).filter(|one| !chooses(one)) {
            let (tone, mark) = match (result.verdict, result.weight.is_binding()) {
                (_, false) => (Tone::Warn, "note"),
                (Verdict::CouldNotRun, true) => (Tone::Bad, "COULD NOT RUN"),
                (_, true) => (Tone::Bad, "FAIL"),
            };
            let code = result.code.as_ref();
            let code = code.map_or_else(String::new, |code| format!(" [{code}]"));
            let text = format!("{}: {}{code}", result.check, result.reason);
            self.say(Some(tone), &format!("    {mark}"), &text);
        }
        for ran in judged.iter().filter_map(|one| one.ran.as_ref()) {
            let allow = allow(&ran.denied, "network.checks");
            self.refused(ran.refused_connections(), &allow);
        }
        if !passed {
            let text = format!("    the gate did not pass; {checks} held in {took}");
            self.say(Some(Tone::Warn), "--", &text);
        }
    }

    fn clear(&mut self) {
        if self.shown {
            let _ = write!(std::io::stdout(), "\r\x1b[2K");
            let _ = std::io::stdout().flush();
            self.shown = false;
        }
    }

    fn say(&mut self, tone: Option<Tone>, mark: &str, text: &str) {
        if self.out.json {
            return;
        }
        self.clear();
        self.spoke = Instant::now();
        let mark = tone.map_or_else(|| mark.to_owned(), |tone| self.out.paint(tone, mark));
        let clock = duration(u64::try_from(self.began.elapsed().as_millis()).unwrap_or(u64::MAX));
        let text = plain(text);
        let clock = self.out.paint(Tone::Dim, &format!("{clock:>8}"));
        // What is told of a step stands under it.
        let inside = text.len() - text.trim_start().len();
        let (indent, text) = text.split_at(inside);
        self.out.hanging(&format!("{clock} {mark} {indent}"), text);
    }

    fn elapsed(&self) -> String {
        duration(u64::try_from(self.effect_began.elapsed().as_millis()).unwrap_or(u64::MAX))
    }

    /// What a process was refused, and which setting would allow it.
    fn refused(&mut self, line: Option<String>, allow: &str) {
        if let Some(line) = line {
            let text = format!("    {line}{allow}");
            self.say(Some(Tone::Warn), "--", &text);
        }
    }
}

/// The live line, cut to one row: what is wrapped cannot be drawn over. What is done gives way
/// first, then the last of the figures.
pub(crate) fn live_line(doing: &str, figures: &[String], columns: usize) -> String {
    /// Less says nothing.
    const SHORTEST: usize = 16;
    let room = columns.saturating_sub(3);
    let mut tail = String::new();
    for figure in figures {
        if tail.chars().count() + 2 + figure.chars().count() + SHORTEST > room {
            break;
        }
        tail.push_str("  ");
        tail.push_str(figure);
    }
    let room = room.saturating_sub(tail.chars().count());
    let fits = doing.chars().count() <= room;
    let cut = room.saturating_sub(1);
    let cut: String = doing.chars().take(cut).chain(['…']).take(room).collect();
    format!("  {}{tail}", if fits { doing } else { &cut })
}

/// Why a run stays where it is, without what was said on the line above. What a person must decide
/// is told in full once the run rests.
fn stayed(moved: &Moved, said: &str) -> String {
    let head = format!("{} in {}", moved.action, moved.from);
    if let Some(hold) = &moved.position.hold {
        return format!("{head}: a person is needed ({})", hold.name());
    }
    match !said.is_empty() && moved.why.contains(said) {
        true => head,
        false => format!("{head}: {}", moved.why),
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
                self.trying = began.subject == WHAT_IS_THERE;
                self.asked.began(began);
                let question = self.asked.of(began).cloned();
                let on = match (began.subject.as_str(), &question) {
                    (_, Some((id, _))) => format!(" on {id}"),
                    ("", None) => String::new(),
                    (subject, None) => format!(" on {subject}"),
                };
                self.doing = match began.kind {
                    EffectKind::Attempt => format!("{} {} works{on}", began.state, began.role),
                    EffectKind::Gate => format!("{} gate{on}", began.state),
                    EffectKind::Checkpoint => "checkpoint".to_owned(),
                };
                if began.kind == EffectKind::Attempt {
                    let question =
                        question.map_or_else(String::new, |(_, text)| format!(": {text}"));
                    let (state, role) = (&began.state, &began.role);
                    let text = format!(
                        "{state}: attempt {} by the {role}{on}{question}",
                        began.effect
                    );
                    self.say(None, "..", &text);
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
                let class = outcome.class.as_str();
                let why = self.repeats.hear(ended.effect, class, &outcome.reason);
                let text = summary.unwrap_or(&why);
                self.said.clone_from(&outcome.reason);
                let (tone, mark) = if outcome.class == Class::Done {
                    (None, "ok")
                } else {
                    (Some(Tone::Bad), "!!")
                };
                // The cost first: a long reason is cut at its end.
                let text = match usage.is_nothing() {
                    true => format!("    {class}: {text}"),
                    false => format!("    {class} ({cost}): {text}"),
                };
                self.say(tone, mark, &text);
                if let (Class::Done, Some(at)) = (outcome.class, &outcome.kept) {
                    let text = format!(
                        "    it wrote over edits of yours that were in no commit; they are kept: git show {at}"
                    );
                    self.say(Some(Tone::Warn), "--", &text);
                }
                let allow = allow(&outcome.denied, "network.hosts");
                self.refused(outcome.refused_connections(), &allow);
            }
            // That what is there does not do yet is no failure of anybody's.
            Body::GateEnded(ended) if self.trying && !passes(&ended.results) => {}
            Body::GateEnded(ended) => {
                self.asked.judged(passes(&ended.results));
                self.judged(ended);
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
            Body::Rewound(back) => {
                let commit = &back.commit[..12.min(back.commit.len())];
                let text = format!(
                    "{} -> {} (back to the commit {commit}, by a person)",
                    back.from, back.position.state
                );
                self.say(Some(Tone::Warn), "->", &text);
            }
            Body::Moved(moved) => {
                let text = stayed(moved, &self.said);
                self.say(Some(Tone::Warn), "--", &text);
            }
            Body::Refused(refused) => {
                self.said.clone_from(&refused.refusal.what);
                self.say(Some(Tone::Bad), "no", &refused.refusal.to_string());
            }
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
                if !names.is_empty() {
                    let said = format!("a person edited: {}", names.join(", "));
                    self.say(None, "--", &said);
                }
                for refusal in edited.refused.values() {
                    let said = format!("an edit was not taken: {refusal}");
                    self.say(Some(Tone::Warn), "--", &said);
                }
            }
            Body::Noted(note) => self.say(None, "--", &report::facts::sentence(note)),
            Body::SnapshotTaken(taken) => {
                self.asked.snapshot(taken);
                self.say(None, "--", &format!("snapshot {}", taken.file));
            }
            Body::RunStarted(_) | Body::SessionOpened(_) => {}
        }
    }

    fn tick(&mut self, gauges: &dyn Fn() -> Gauges) {
        if !self.live {
            if !self.out.json && !self.doing.is_empty() && self.spoke.elapsed() >= SILENCE {
                let elapsed = self.elapsed();
                let text = format!("    still at it: {}, {elapsed}", self.doing);
                self.say(Some(Tone::Dim), "..", &text);
            }
            return;
        }
        self.frame = (self.frame + 1) % FRAMES.len();
        let gauges = gauges();
        let spent = |name: &str| gauges.get(name).map_or(0, |gauge| gauge.used);
        let mut figures = vec![self.elapsed()];
        // Nothing is shown where nobody has told anything: that is not the same as $0.
        if spent(MICRO_DOLLARS) > 0 || spent(TOKENS) > 0 {
            figures.push(dollars(spent(MICRO_DOLLARS)));
            figures.push(format!("{} tokens", spent(TOKENS)));
        }
        figures.push(format!("attempt {}", spent(ATTEMPTS)));
        let line = live_line(
            &format!("{} {}", FRAMES[self.frame], self.doing),
            &figures,
            Out::columns().unwrap_or(usize::MAX),
        );
        // A terminal that went away is no reason to stop.
        let _ = write!(std::io::stdout(), "\r\x1b[2K{line}");
        let _ = std::io::stdout().flush();
        self.shown = true;
    }

    fn progress(&mut self, line: &str) {
        // On a terminal it is cut to the width when it is drawn; a pipe hears the last of it now and then.
        if !self.live && line.starts_with(agents::UNREACHABLE) {
            self.say(Some(Tone::Warn), "--", &format!("    {line}"));
        }
        let short: String = plain(line).chars().take(120).collect();
        let base = self
            .doing
            .split(" · ")
            .next()
            .unwrap_or_default()
            .to_owned();
        self.doing = format!("{base} · {short}");
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

#[cfg(test)]
mod tests {
    use super::*;

    fn line(columns: usize) -> String {
        let figures = ["1m 05s", "$0.1200", "3400 tokens", "attempt 2"].map(str::to_owned);
        live_line(
            "| implement coder works · cargo test --workspace",
            &figures,
            columns,
        )
    }

    #[test]
    fn the_live_line_keeps_to_one_row() {
        for columns in 1..120 {
            assert!(line(columns).chars().count() <= columns.max(2), "{columns}");
        }
        assert_eq!(line(40), "  | implement coder w…  1m 05s  $0.1200");
        assert!(line(usize::MAX).ends_with("1m 05s  $0.1200  3400 tokens  attempt 2"));
    }

    /// A pipe is told now and then what goes on, with the last that was heard of it, and no more often.
    #[test]
    fn a_pipe_hears_of_a_long_gate() {
        let out = Out::new(false);
        let mut progress = Progress::new(&out);
        progress.live = false;
        progress.doing = "prove gate".to_owned();
        progress.progress("pytest: mutant 3 of 20");
        assert_eq!(progress.doing, "prove gate · pytest: mutant 3 of 20");
        let just_now = progress.spoke;
        progress.tick(&Gauges::new);
        assert_eq!(progress.spoke, just_now, "it has just spoken");
        let Some(long_ago) = Instant::now().checked_sub(SILENCE * 2) else {
            return; // a machine that was started this minute has no such moment
        };
        progress.spoke = long_ago;
        progress.tick(&Gauges::new);
        assert!(progress.spoke > long_ago, "it says that it is still at it");
    }
}

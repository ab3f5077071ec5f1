//! The page that one comes to: what waits for me, what runs now, what ended, and today's money.

use super::answer::Answers;
use super::html::{Tone, chip, count, prose, time};
use super::live::{Live, Part, head};
use super::ways::PEOPLE;
use crate::criterion::Criterion;
use crate::row::Row;
use crate::run::Doing;
use crate::spend::dollars;
use maud::{Markup, html};

/// One repository.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Repository {
    /// Its part of addresses.
    pub key: String,
    /// For people.
    pub name: String,
    /// The one that moved last comes first.
    pub rows: Vec<Row>,
    /// How many runs are still being read.
    pub unread: usize,
    /// What its runs have spent today, and what the day may cost.
    pub today: u64,
    pub cap: Option<u64>,
    /// What a new run may cost.
    pub budget: Option<u64>,
    /// What proves work here, and who works.
    pub checks: Vec<String>,
    pub agent: Works,
    /// May it be answered on this page?
    pub answers: Answers,
    /// Criteria of its milestones that only a person can judge.
    pub criteria: Vec<Criterion>,
}

/// Who works in a run that is begun here.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Works {
    /// The config names it.
    Set(String),
    /// It names nobody, and this coding agent is installed.
    Installed(String),
    /// It names nobody, and no coding agent is installed.
    Nobody,
}

impl Works {
    /// A part of a sentence.
    fn words(&self) -> Markup {
        let place = "in a worktree at HEAD; you look at the diff.";
        html! {
            @match self {
                Works::Set(agent) => { (agent) " works, " (place) },
                Works::Installed(agent) => { "no agent is set: " (agent) ", which is installed, works, " (place) },
                Works::Nobody => {
                    "no agent is set, and none is installed that could be taken: set " code { "agent" }
                    " in .proofhouse/config.toml first (" code { "proofhouse init" } " looks for installed ones)."
                },
            }
        }
    }
}

/// The most runs that are over which the page lists for each repository.
const MOST: usize = 40;

/// The page.
pub fn page(all: &[Repository], starts: bool) -> Live {
    let rows = || all.iter().flat_map(|one| &one.rows);
    let criteria = || {
        all.iter()
            .flat_map(|one| one.criteria.iter().map(move |of| (one, of)))
    };
    let asks: usize = rows().map(|row| row.asks.len()).sum();
    let asks = asks + criteria().count();
    let works = rows().filter(|row| row.doing == Doing::Working).count();
    let guests = rows().filter(|row| row.doing == Doing::Guest).count();
    let unread: usize = all.iter().map(|one| one.unread).sum();
    let headline = match (asks, unread) {
        (0, 0) if guests == 1 => "One run waits for a guest".to_owned(),
        (0, 0) if guests > 1 => format!("{guests} runs wait for a guest"),
        (0, 0) => "Nothing waits for you".to_owned(),
        // What was not read yet may ask something.
        (0, _) => "Still reading your runs".to_owned(),
        (1, 0) => "One thing waits for you".to_owned(),
        (many, 0) => format!("{many} things wait for you"),
        (1, _) => "At least one thing waits".to_owned(),
        (many, _) => format!("At least {many} things wait"),
    };
    let several = all.len() > 1;
    let today: u64 = all.iter().map(|one| one.today).sum();
    let caps: Option<u64> = all.iter().map(|one| one.cap).sum();
    let lead = html! {
        @match works { 0 if unread > 0 => {}, 0 => "No run is at work.", 1 => "One run is at work.", many => (format!("{many} runs are at work.")) }
        @match today { 0 if unread > 0 => " No cost of today was found so far", 0 => " No cost was told today", _ => { " " (dollars(today)) " spent today, as far as agents told it" } }
        @if let (Some(cap), false) = (caps, several) { "; the day's cap is " (dollars(cap)) }
        "."
        @if several { @for one in all { @if let Some(cap) = one.cap {
            " " (one.name) ": " (dollars(one.today)) " of " (dollars(cap)) "."
        } } }
        @if unread > 0 { " " (count(unread, "run")) @if unread == 1 { " is" } @else { " are" } " still being read." }
    };
    let names: Vec<&str> = all.iter().map(|one| one.name.as_str()).collect();
    let list = |title: &str, id: &str, of: &dyn Fn(&Row) -> bool, none: &str| {
        let found: Vec<(&Repository, &Row)> = all
            .iter()
            .flat_map(|one| {
                let rows = one.rows.iter().filter(|row| of(row)).take(MOST);
                rows.map(move |row| (one, row))
            })
            .collect();
        let markup = html! {
            @if !(found.is_empty() && none.is_empty()) {
                section aria-labelledby=(id) {
                    h2 id=(id) { (title) }
                    @if found.is_empty() { p.none { (none) } }
                    ul.rows { @for (of, row) in &found { (one(of, row, several)) } }
                }
            }
        };
        Part::new(id, markup)
    };
    let waits = |row: &Row| !row.asks.is_empty() || row.fault.is_some();
    let awaits = |row: &Row| !waits(row) && row.doing == Doing::Guest;
    let runs = |row: &Row| !waits(row) && row.doing == Doing::Working;
    let ready = |row: &Row| !waits(row) && row.doing == Doing::Ready;
    let ended = |row: &Row| !waits(row) && !awaits(row) && !runs(row) && !ready(row);
    let judged = html! {
        @if criteria().next().is_some() {
            section aria-labelledby="criteria" {
                h2 #criteria { "Criteria that only you can judge" }
                ul.rows { @for (of, one) in criteria() { li {
                    p.name { a href=(format!("/r/{}/milestone/{}", of.key, one.milestone)) { (one.milestone) } }
                    p.asks { (prose(&one.words())) }
                    @for command in &one.commands { pre.command tabindex="0" { code { (command) } } }
                } } }
            }
        }
    };
    Live {
        title: headline.clone(),
        parts: vec![
            head(&names.join(", "), &headline, &lead),
            list("Waits for you", "waiting", &waits, ""),
            Part::new("criteria", judged),
            Part::new("people", nobody_yet(all)),
            Part::new(
                "start",
                if starts {
                    begin(all)
                } else {
                    html! {}
                },
            ),
            list(
                "Waits for a guest: a session that has proofhouse mcp takes it",
                "guests",
                &awaits,
                "",
            ),
            list("At work", "working", &runs, ""),
            list(
                "Nobody drives it: goes on with proofhouse run",
                "ready",
                &ready,
                "",
            ),
            list("Over, or at rest", "ended", &ended, "Nothing yet."),
        ],
    }
}

/// The way to a passkey, before a question needs one.
fn nobody_yet(all: &[Repository]) -> Markup {
    let open = |one: &&Repository| one.answers == Answers::NobodyYet;
    html! {
        @for one in all.iter().filter(open) {
            p.note {
                "Nobody has a passkey for " (one.name) ". " a href=(format!("/r/{}/{PEOPLE}", one.key)) { "Enrol yours" }
                ", once; then questions are answered on these pages."
            }
        }
    }
}

fn tone(row: &Row) -> Tone {
    match row.doing {
        _ if row.fault.is_some() => Tone::Bad,
        Doing::Done => Tone::Good,
        Doing::Waiting | Doing::Guest => Tone::Unsure,
        Doing::Stopped => Tone::Bad,
        Doing::Working | Doing::Ready | Doing::Resting => Tone::Plain,
    }
}

fn one(of: &Repository, row: &Row, several: bool) -> Markup {
    html! {
        li {
            p.name {
                a href=(format!("/r/{}/run/{}/", of.key, row.run)) { (row.run) }
                " " (chip(tone(row), row.doing.as_str()))
                @if several { " " span.quiet { (of.name) } }
            }
            @if !row.objective.trim().is_empty() { p.objective-line { (row.objective.lines().next().unwrap_or_default()) } }
            @for ask in &row.asks { p.asks { (prose(ask)) } }
            @if let Some(fault) = &row.fault { p.asks { (fault) } }
            p.facts-line {
                @if !row.workflow.is_empty() { span { (row.workflow) @if !row.state.is_empty() { ", in " (row.state) } } " " }
                @if row.attempts > 0 { span { (count(usize::try_from(row.attempts).unwrap_or(usize::MAX), "attempt")) } " " }
                @if row.micro_dollars > 0 { span { (dollars(row.micro_dollars)) } " " }
                @if let Some(fate) = &row.fate { span { (fate) } " " }
                span { (time(row.at)) }
            }
        }
    }
}

/// A sentence, and what `do` would make of it here.
fn begin(all: &[Repository]) -> Markup {
    html! {
        section aria-labelledby="begin" {
            h2 #begin { "Have something done" }
            form.start {
                label for="sentence" { "What, in a sentence" }
                textarea #sentence name="sentence" rows="2" required placeholder="make slugs keep digits" {}
                @if all.len() > 1 {
                    label for="repo" { "Where" }
                    select #repo name="repo" { @for one in all { option value=(one.key) { (one.name) } } }
                } @else { @for one in all { input type="hidden" name="repo" value=(one.key); } }
                @for one in all {
                    p.note {
                        @if all.len() > 1 { b { (one.name) } ": " }
                        @match one.checks.as_slice() {
                            [] => { "no check was found that could prove the work: set " code { "checks.commands" } " first" },
                            checks => { "proven by " @for (nth, check) in checks.iter().enumerate() { @if nth > 0 { ", " } code { (check) } } },
                        }
                        "; " (one.agent.words())
                        @if let Some(most) = one.budget { " It may cost " (dollars(most)) " at the most." }
                        @if let Some(cap) = one.cap { " The day's cap is " (dollars(cap)) "." }
                    }
                }
                p { button type="submit" { "Begin" } }
                p.said role="status" {}
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn unread(unread: usize) -> Repository {
        Repository {
            key: "shop".to_owned(),
            name: "shop".to_owned(),
            rows: Vec::new(),
            unread,
            today: 0,
            cap: None,
            budget: None,
            checks: Vec::new(),
            agent: Works::Nobody,
            answers: Answers::No,
            criteria: Vec::new(),
        }
    }

    fn guest() -> Row {
        Row {
            run: "totals".to_owned(),
            workflow: "quick".to_owned(),
            state: "work".to_owned(),
            doing: Doing::Guest,
            objective: String::new(),
            asks: Vec::new(),
            micro_dollars: 0,
            attempts: 1,
            at: kernel::Time(0),
            fate: None,
            fault: None,
        }
    }

    fn html(page: &Live) -> String {
        page.parts.iter().map(|part| part.html.as_str()).collect()
    }

    /// Somebody has to come: that is no work, and not nothing either.
    #[test]
    fn a_guest_who_has_not_come_is_waited_for() {
        let rows = vec![guest()];
        let shown = page(&[Repository { rows, ..unread(0) }], false);
        assert_eq!(shown.title, "One run waits for a guest");
        let text = html(&shown);
        assert!(text.contains("waiting for a guest"), "{text}");
        assert!(text.contains("No run is at work"), "{text}");
        assert!(!text.contains("At work"), "{text}");
    }

    #[test]
    fn who_would_work_is_said_as_it_is() {
        for (agent, said) in [
            (
                Works::Set("codex".to_owned()),
                "; codex works, in a worktree",
            ),
            (
                Works::Installed("claude".to_owned()),
                "; no agent is set: claude, which is installed, works, in a worktree",
            ),
            (Works::Nobody, "none is installed that could be taken"),
        ] {
            let text = html(&page(&[Repository { agent, ..unread(0) }], true));
            assert!(text.contains(said), "no `{said}` in {text}");
        }
    }

    #[test]
    fn a_passkey_is_enrolled_before_a_question_needs_it() {
        for (answers, links) in [
            (Answers::NobodyYet, true),
            (Answers::Yes, false),
            (Answers::No, false),
        ] {
            let one = Repository {
                answers,
                ..unread(0)
            };
            let text = html(&page(&[one], true));
            assert_eq!(text.contains("href=\"/r/shop/enrol\""), links, "{text}");
        }
    }

    /// What was not read yet may ask something, or be at work.
    #[test]
    fn nothing_is_said_of_runs_that_were_not_read() {
        let reading = page(&[unread(2)], false);
        assert_eq!(reading.title, "Still reading your runs");
        let head = &reading.parts[0].html;
        assert!(head.contains("2 runs are still being read."), "{head}");
        assert!(!head.contains("No run is at work"), "{head}");
        let read = page(&[unread(0)], false);
        assert_eq!(read.title, "Nothing waits for you");
        assert!(read.parts[0].html.contains("No run is at work"));
    }
}

//! A milestone: its tasks in columns by where they stand, the queue of merges in its order, and what must hold at
//! the end.

use super::html::{Tone, chip, count, prose};
use super::live::{Live, Part, head};
use crate::wave::{Report, TaskReport};
use maud::{Markup, html};
use wave::board::{Phase, Stage};

/// Where a task stands, from left to right.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Column {
    Later,
    Ready,
    Working,
    Asking,
    Queued,
    Merged,
    Failed,
}

const COLUMNS: [(Column, &str); 7] = [
    (Column::Later, "Needs others first"),
    (Column::Ready, "Ready"),
    (Column::Working, "At work"),
    (Column::Asking, "Waits for a person"),
    (Column::Queued, "To be merged"),
    (Column::Failed, "Failed"),
    (Column::Merged, "Merged"),
];

fn column(report: &Report, task: &TaskReport) -> Column {
    match &task.stage {
        Some(Stage::Ready) => Column::Ready,
        Some(Stage::Claimed { .. }) => Column::Working,
        Some(Stage::Waiting { .. }) => Column::Asking,
        Some(Stage::Finished { .. } | Stage::Merging { .. }) => Column::Queued,
        Some(Stage::Merged { .. }) => Column::Merged,
        Some(Stage::Failed { .. }) => Column::Failed,
        // No wave is live, or this one left it out.
        None if task.stands == "merged" => Column::Merged,
        None if report.ready.contains(&task.task) => Column::Ready,
        None if task.failed.is_some() => Column::Failed,
        None => Column::Later,
    }
}

/// The page.
pub fn page(report: &Report, address: &dyn Fn(&str) -> String) -> Live {
    let headline = match (report.complete, report.goal_met) {
        (true, true) => "Every task is merged, and the goal is met",
        (true, false) => "Every task is merged",
        (false, _) => "On its way",
    };
    let next = report.step().into_iter().flat_map(|step| step.commands);
    let next: Vec<String> = next.take(1).collect();
    let lead = html! {
        p { (prose(&report.goal)) }
        p { "Merged work is on " code { (report.branch) } "." @for command in &next { " Next: " code { (command) } "." } }
    };
    Live {
        title: format!("{}: {headline}", report.milestone),
        parts: vec![
            head(&format!("milestone {}", report.milestone), headline, &lead),
            Part::new("wave", wave(report)),
            Part::new("tasks", tasks(report, address)),
            Part::new("queue", queue(report, address)),
            Part::new("criteria", criteria(report)),
        ],
    }
}

fn wave(report: &Report) -> Markup {
    html! {
        @if report.wave.is_some() || !report.warnings.is_empty() {
            section aria-labelledby="wave" {
                h2 #wave {
                    @match &report.wave { Some(wave) => { "Wave " (wave.number) }, None => "To know" }
                }
                @if let Some(wave) = &report.wave {
                    p.sentence {
                        @match wave.status {
                            Phase::Live => "It is live",
                            Phase::Waiting => "It waits for a person",
                            Phase::Merging => "It is merging",
                        }
                        ": " (wave.jobs) " at once, " (count(wave.failures as usize, "failure")) ", "
                        (report.spend.money()) " so far."
                    }
                    @for decision in &wave.decisions { p.note { (prose(decision)) } }
                }
                @for warning in &report.warnings { p.asks { (prose(&warning.what)) " " code { (warning.code) } } }
            }
        }
    }
}

fn tasks(report: &Report, address: &dyn Fn(&str) -> String) -> Markup {
    let of = |wanted: Column| {
        let tasks = report.tasks.iter();
        tasks
            .filter(|task| column(report, task) == wanted)
            .collect::<Vec<_>>()
    };
    html! {
        section aria-labelledby="tasks" {
            h2 #tasks { "Tasks" }
            div.board tabindex="0" role="group" aria-label="Tasks by where they stand" {
                @for (at, title) in COLUMNS {
                    @let here = of(at);
                    @if !here.is_empty() {
                        div.column {
                            h3 { (title) " " span.quiet { (here.len()) } }
                            ul { @for task in &here { (card(at, task, address)) } }
                        }
                    }
                }
            }
        }
    }
}

fn card(at: Column, task: &TaskReport, address: &dyn Fn(&str) -> String) -> Markup {
    let tone = match at {
        Column::Merged => "good",
        Column::Failed => "bad",
        Column::Asking => "unsure",
        Column::Later | Column::Ready | Column::Working | Column::Queued => "plain",
    };
    let held = match &task.stage {
        Some(Stage::Finished { held, .. }) => held.as_deref(),
        _ => None,
    };
    html! {
        li.(tone) {
            p.name { (named(task, address)) }
            p.note { (prose(&task.stands)) }
            @if let Some(why) = held { p.asks { (prose(why)) } }
            @if let (Some(why), Column::Failed | Column::Ready) = (&task.failed, at) { p.reason { (prose(why)) } }
            p.facts-line {
                @if !task.depends_on.is_empty() && at != Column::Later { span { "after " (task.depends_on.join(", ")) } " " }
                @if let Some(spend) = &task.spend { span { @if spend.is_told() { (spend.money()) } @else { "cost not told" } } }
            }
        }
    }
}

fn named(task: &TaskReport, address: &dyn Fn(&str) -> String) -> Markup {
    html! {
        @match &task.run {
            Some(run) => a href=(address(run)) { (task.task) },
            None => (task.task),
        }
    }
}

/// Tasks are merged one after the other, in the order of the milestone.
fn queue(report: &Report, address: &dyn Fn(&str) -> String) -> Markup {
    let open = report.tasks.iter();
    let open: Vec<&TaskReport> = open
        .filter(|task| column(report, task) != Column::Merged)
        .collect();
    html! {
        @if report.wave.is_some() && !open.is_empty() {
            section aria-labelledby="queue" {
                h2 #queue { "Merge queue" }
                p.note { "One after the other, in this order; each merge runs the gate on the merged tree first." }
                ol.queue { @for task in open {
                    li {
                        (named(task, address)) " "
                        @match &task.stage {
                            Some(Stage::Merging { .. }) => (chip(Tone::Good, "is being merged")),
                            Some(Stage::Finished { held: None, .. }) => (chip(Tone::Good, "its work is there")),
                            Some(Stage::Finished { .. }) => (chip(Tone::Unsure, "held")),
                            Some(Stage::Failed { .. }) => (chip(Tone::Bad, "left out")),
                            _ => (chip(Tone::Plain, "not finished")),
                        }
                    }
                } }
            }
        }
    }
}

fn criteria(report: &Report) -> Markup {
    html! {
        section aria-labelledby="criteria" {
            h2 #criteria { "What must hold at the end" }
            @if report.criteria.is_empty() { p.none { "Nothing is asked of the whole." } }
            ul.proofs { @for one in &report.criteria {
                li { p { (prose(&one.text)) } p.facts-line { span { (prose(&one.stands)) } } }
            } }
        }
    }
}

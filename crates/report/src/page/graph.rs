//! A project's tasks drawn: a row for each, below all that it needs, with a mark for where it stands and a line
//! from whatever it waits for. Every state is a shape and a word before it is a colour.

use super::html::{Tone, count};
use super::tracks::Column;
use crate::graph::{Graph, Node};
use factory::project::TaskStatus;
use maud::{Markup, html};
use std::collections::BTreeSet;

/// The height of a row, as `factory.css` has it: the lines are drawn to it.
const ROW: usize = 64;

/// What a status is called.
pub(super) fn word(status: TaskStatus) -> (&'static str, Tone) {
    match status {
        TaskStatus::Shipped => ("shipped", Tone::Good),
        TaskStatus::InProgress => ("at work", Tone::Plain),
        TaskStatus::Pending => ("waits for its turn", Tone::Plain),
        TaskStatus::Halted => ("halted", Tone::Unsure),
        TaskStatus::Blocked => ("blocked", Tone::Unsure),
        TaskStatus::Abandoned => ("abandoned", Tone::Bad),
    }
}

/// The section that shows them; `address` says where a task's own page is.
pub(super) fn section(graph: &Graph, address: &dyn Fn(&str) -> String) -> Markup {
    html! {
        section aria-labelledby="tasks" {
            h2 #tasks { "Tasks" }
            @if graph.tasks.is_empty() {
                p.none { "There are none before the spec is approved." }
            } @else {
                p.note { (summed(graph)) " Each stands below what it needs." }
                (drawn(graph, address))
            }
        }
    }
}

/// How many there are of each status, in a sentence.
fn summed(graph: &Graph) -> String {
    let all = TaskStatus::ALL.iter();
    let parts: Vec<String> = all
        .filter_map(|status| {
            let many = graph.tasks.iter().filter(|one| one.stands == *status);
            let many = many.count();
            (many > 0).then(|| format!("{many} {}", word(*status).0))
        })
        .collect();
    let tasks = count(graph.tasks.len(), "task");
    format!("{tasks}: {}.", parts.join(", "))
}

fn drawn(graph: &Graph, address: &dyn Fn(&str) -> String) -> Markup {
    let ways: BTreeSet<(usize, usize)> = graph
        .tasks
        .iter()
        .enumerate()
        .flat_map(|(to, task)| task.after.iter().map(move |from| (*from, to)))
        .collect();
    let column = Column::of(&ways, (ROW / 2, ROW));
    let met = |from: usize, _: usize| graph.tasks[from].stands == TaskStatus::Shipped;
    let height = graph.tasks.len() * ROW;
    html! {
        div.graph {
            svg.lines aria-hidden="true" width=(column.width) height=(height) viewBox=(format!("0 0 {} {height}", column.width)) {
                (column.lines(&met))
                @for (at, task) in graph.tasks.iter().enumerate() {
                    (mark(task.stands, column.axis, column.y(at)))
                }
            }
            ol {
                @for task in &graph.tasks { (row(task, graph, address)) }
            }
        }
    }
}

/// The mark of a status: told apart by its shape alone.
fn mark(status: TaskStatus, x: usize, y: usize) -> Markup {
    let at = format!("translate({x} {y})");
    html! {
        @match status {
            TaskStatus::Shipped => g.shipped transform=(at) { circle r="8" {} path.sign d="M -3.5 .3 L -1 3 L 4 -3" {} },
            TaskStatus::InProgress => g.working transform=(at) { circle r="8" {} circle.sign r="3.5" {} },
            TaskStatus::Pending => g.pending transform=(at) { circle r="7" {} },
            TaskStatus::Halted => g.halted transform=(at) { rect x="-8" y="-8" width="16" height="16" rx="3" {} path.sign d="M 0 -4.5 V 1 M 0 3.8 V 4.6" {} },
            TaskStatus::Blocked => g.blocked transform=(at) { rect x="-7" y="-7" width="14" height="14" rx="3" {} path.sign d="M -3.5 0 H 3.5" {} },
            TaskStatus::Abandoned => g.abandoned transform=(at) { circle.under r="8" {} path.sign d="M -5 -5 L 5 5 M -5 5 L 5 -5" {} },
        }
    }
}

fn row(task: &Node, graph: &Graph, address: &dyn Fn(&str) -> String) -> Markup {
    let (word, tone) = word(task.stands);
    let after: Vec<&str> = task
        .after
        .iter()
        .map(|on| graph.tasks[*on].name.as_str())
        .collect();
    html! {
        li.(tone.class()).gone[task.stands == TaskStatus::Abandoned] {
            p.name { a href=(address(&task.id)) title=(task.name) { (task.name) } }
            p.state {
                b { (word) }
                @if !task.note.is_empty() { " \u{b7} " (task.note) }
                @if !after.is_empty() { span.unseen { ". It needs " (after.join(", ")) } }
            }
        }
    }
}

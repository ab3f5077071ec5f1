//! The page of a task: what it is to do, what it waits for and who waits for it, the debate of each module, and
//! everything that happened.

use super::html::{chip, options, pair, paragraph, prose};
use super::live::{Live, Part, head};
use super::project::steps;
use super::{debate, graph};
use crate::address::encoded;
use crate::graph::Node;
use crate::story::Line;
use crate::task::TaskStory;
use factory::project::ModuleRef;
use maud::{Markup, html};

/// From the page of a task to that of the project.
const PROJECT: &str = "../../";

fn module_address(module: &ModuleRef) -> String {
    let id = encoded(module.module.as_str());
    format!("{PROJECT}module/{id}/{}/", module.version)
}

/// The page.
pub fn page(task: &TaskStory) -> Live {
    let (word, tone) = graph::word(task.node.stands);
    let lead = html! {
        p {
            (chip(tone, word))
            @if !task.node.note.is_empty() { " " (prose(&task.node.note)) }
        }
        p { a href=(PROJECT) { "Project " (task.project) } }
    };
    let mark = format!("task \u{b7} {}", task.node.id);
    let parts = [
        ("ask", ask(task)),
        ("debates", debate::section(&task.debates, &module_address)),
        ("what", what(task)),
        ("steps", happened(task)),
    ];
    let parts = parts.map(|(id, markup)| Part::new(id, markup));
    Live {
        title: format!("{}: a task of {}", task.node.name, task.project),
        parts: [head(&mark, &task.node.name, &lead)]
            .into_iter()
            .chain(parts)
            .collect(),
    }
}

fn ask(task: &TaskStory) -> Markup {
    html! {
        @if !task.questions.is_empty() {
            section.ask aria-labelledby="ask" {
                h2 #ask { "Your answer is needed" }
                @for question in &task.questions {
                    (paragraph("sentence", &question.what))
                    (paragraph("reason", &question.why))
                    (options(&question.options))
                    p.onward { a href=(format!("{PROJECT}question/{}/", encoded(&question.id))) { "What each answer does and needs" } }
                }
            }
        }
    }
}

fn what(task: &TaskStory) -> Markup {
    html! {
        section aria-labelledby="what" {
            h2 #what { "What it is to do" }
            @if !task.criteria.is_empty() {
                ul.criteria { @for one in &task.criteria { li { (prose(one)) } } }
            }
            dl.fields {
                @for (name, text) in [("Pillar", &task.pillar), ("Epic", &task.epic), ("Story", &task.story)] {
                    @if !text.is_empty() { (pair(name, text)) }
                }
                @if !task.needs.is_empty() { (pair("Needs", others(&task.needs))) }
                @if !task.needed_by.is_empty() { (pair("Needed by", others(&task.needed_by))) }
                @if !task.node.modules.is_empty() {
                    (pair("Shipped", html! { ul.others { @for one in &task.node.modules {
                        li { a href=(module_address(one)) { (one) } }
                    } } }))
                }
            }
        }
    }
}

fn others(all: &[Node]) -> Markup {
    html! {
        ul.others { @for one in all {
            @let (word, tone) = graph::word(one.stands);
            li { a href=(format!("{PROJECT}task/{}/", encoded(&one.id))) { (one.name) } " " (chip(tone, word)) }
        } }
    }
}

fn happened(task: &TaskStory) -> Markup {
    let lines: Vec<&Line> = task.lines.iter().collect();
    html! {
        @if !lines.is_empty() {
            section aria-labelledby="steps" {
                h2 #steps { "What happened" }
                article.task { (steps(&lines)) }
            }
        }
    }
}

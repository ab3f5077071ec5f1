//! Everything that waits for a person, with the words of each question and the commands that answer it: what
//! `proofhouse inbox` prints, of every repository.

use super::html::{Tone, chip, paragraph, prose};
use super::live::{Live, Part, head};
use crate::inbox::Item;
use crate::question::Advice;
use maud::{Markup, html};

/// A repository's part of it.
pub struct Waiting {
    /// Part of addresses.
    pub key: String,
    /// For people.
    pub name: String,
    pub items: Vec<Item>,
}

/// The page.
pub fn page(all: &[Waiting]) -> Live {
    let count: usize = all.iter().map(|one| one.items.len()).sum();
    let headline = match count {
        0 => "Nothing waits for you".to_owned(),
        1 => "One thing waits for you".to_owned(),
        many => format!("{many} things wait for you"),
    };
    let lead = html! {
        "Every question, with the command of each answer. A run's own page shows the change that it rests on; "
        "where " code { "serve --decide" } " serves it, your passkey answers there."
    };
    let several = all.len() > 1;
    let listed = html! {
        @for one in all { @if !one.items.is_empty() {
            section aria-label=(format!("Waits in {}", one.name)) {
                @if several { h2 { (one.name) } }
                @for item in &one.items { (question(&one.key, item)) }
            }
        } }
    };
    Live {
        title: headline.clone(),
        parts: vec![head("inbox", &headline, &lead), Part::new("inbox", listed)],
    }
}

fn question(key: &str, item: &Item) -> Markup {
    let address = match item {
        Item::Criterion(one) => format!("/r/{key}/milestone/{}", one.milestone),
        Item::Project { run, question, .. } => {
            format!("/r/{key}/run/{run}/question/{}/", question.question.id)
        }
        other => format!("/r/{key}/run/{}/", other.run()),
    };
    html! {
        article.decision {
            header { h3 { a href=(address) { (item.run()) } } }
            @match (item.worded(), item) {
                (Some(worded), _) => {
                    (paragraph("sentence", &worded.headline))
                    @for line in &worded.lines { (paragraph("reason", line)) }
                    ul.answers { @for way in &worded.answers { li {
                        pre.command tabindex="0" aria-label="Command" { code { (way.command) } }
                        p.note {
                            (prose(&way.does))
                            @if way.advice == Advice::Recommended { " " (chip(Tone::Good, "recommended")) }
                        }
                    } } }
                },
                (None, Item::Unreadable { error, .. }) => {
                    (paragraph("sentence", &error.to_string()))
                    p.mend { b { "What to do: " } (prose(&error.mend)) }
                },
                (None, _) => {},
            }
        }
    }
}

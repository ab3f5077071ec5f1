//! Everything that waits for a person, with the words of each question and the commands that answer it: what
//! `proofhouse inbox` prints, of every repository.

use super::answer::Answers;
use super::html::{Tone, chip, paragraph, prose};
use super::live::{Live, Part, head};
use crate::inbox::Item;
use crate::question::{Advice, By};
use maud::{Markup, html};

/// A repository's part of it.
pub struct Waiting {
    /// Part of addresses.
    pub key: String,
    /// For people.
    pub name: String,
    pub items: Vec<Item>,
    /// May it be answered on the pages that lead from here?
    pub answers: Answers,
}

/// The page.
pub fn page(all: &[Waiting]) -> Live {
    let count: usize = all.iter().map(|one| one.items.len()).sum();
    let headline = match count {
        0 => "Nothing waits for you".to_owned(),
        1 => "One thing waits for you".to_owned(),
        many => format!("{many} things wait for you"),
    };
    let decides = all.iter().any(|one| one.answers != Answers::No);
    let lead = html! {
        "Every question, with the command of each answer. A run's own page shows the change that it rests on"
        @if decides { ", and your passkey answers there." } @else {
            "; where " code { "serve --decide" } " serves it, your passkey answers there."
        }
    };
    let several = all.len() > 1;
    let listed = html! {
        @for one in all { @if !one.items.is_empty() {
            section aria-label=(format!("Waits in {}", one.name)) {
                @if several { h2 { (one.name) } }
                @for item in &one.items { (question(one, item)) }
            }
        } }
    };
    Live {
        title: headline.clone(),
        parts: vec![head("inbox", &headline, &lead), Part::new("inbox", listed)],
    }
}

/// Where an answer is given on a page, and how the terminal takes it where a guest works.
fn on_its_page(address: &str, item: &Item, answers: Answers) -> Markup {
    let (place, by) = match item {
        Item::Run { by, .. } => ("#ask", *by),
        Item::Project { .. } => ("#answers", By::Any),
        Item::Criterion(_) | Item::Unreadable { .. } => return html! {},
    };
    html! {
        @if answers != Answers::No {
            p.onward { a href=(format!("{address}{place}")) { "Answer on its page, with your passkey" } }
        } @else if by == By::Touch {
            p.onward {
                a href=(format!("{address}{place}")) { "Its page" } " takes the answer, by your passkey, where "
                code { "proofhouse serve --decide" } " serves it"
            }
        }
        @if by == By::Touch {
            p.note { "A guest works in it: a command takes a signature over the words that " code { "--message" } " prints." }
        }
    }
}

fn question(of: &Waiting, item: &Item) -> Markup {
    let key = &of.key;
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
                    (on_its_page(&address, item, of.answers))
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

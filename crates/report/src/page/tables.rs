//! Pages that are a table with a sentence above it: money, settings, an audit, a milestone, what a search
//! found, the workflows.

use super::html::{Tone, breakable, chip, grouped, prose};
use super::live::{Live, Part, head};
use crate::spend::Spend;
use maud::{Markup, html};

/// A cell.
pub enum Cell {
    Text(String),
    /// A name, which breaks between its words where there is little room.
    Name(String),
    /// A figure, which stands under others.
    Number(String),
    Link(String, String),
    Word(Tone, String),
}

impl Cell {
    /// Plain text.
    pub fn text(text: impl Into<String>) -> Self {
        Cell::Text(text.into())
    }
}

/// A table with a heading.
pub struct Table {
    pub id: &'static str,
    pub title: String,
    pub columns: Vec<&'static str>,
    pub rows: Vec<Vec<Cell>>,
    /// What is said where there are no rows.
    pub none: &'static str,
}

fn drawn(table: &Table) -> Markup {
    html! {
        section aria-labelledby=(table.id) {
            h2 id=(table.id) { (table.title) }
            @if table.rows.is_empty() { p.none { (table.none) } } @else {
                div.scroll tabindex="0" role="group" aria-label=(table.title) {
                    table.wide {
                        thead { tr { @for (at, name) in table.columns.iter().enumerate() {
                            @let number = matches!(table.rows[0].get(at), Some(Cell::Number(_)));
                            th.number[number] scope="col" { (name) }
                        } } }
                        tbody { @for row in &table.rows { tr { @for cell in row { td.number[matches!(cell, Cell::Number(_))] {
                            @match cell {
                                Cell::Text(text) => (prose(text)),
                                Cell::Name(name) => (breakable(name)),
                                Cell::Number(text) => (text),
                                Cell::Link(to, text) => a href=(to) { (text) },
                                Cell::Word(tone, text) => (chip(*tone, text)),
                            }
                        } } } } }
                    }
                }
            }
        }
    }
}

/// A page of tables.
pub fn page(mark: &str, headline: &str, lead: &str, tables: &[Table]) -> Live {
    let parts = tables.iter().map(|one| Part::new(one.id, drawn(one)));
    Live {
        title: headline.to_owned(),
        parts: std::iter::once(head(mark, headline, &html! { (prose(lead)) }))
            .chain(parts)
            .collect(),
    }
}

/// Puts a link below the head of a page.
pub fn put_link(page: &mut Live, to: &str, text: &str) {
    let link = html! { section.link { a.button href=(to) { (text) } } };
    page.parts.insert(1, Part::new("link", link));
}

/// What something cost, as the cells of a row behind its name.
pub fn cost(spend: &Spend) -> Vec<Cell> {
    let tokens = spend.usage.input_tokens + spend.usage.output_tokens;
    vec![
        Cell::Number(spend.attempts.to_string()),
        Cell::Number(grouped(tokens)),
        Cell::Number(spend.money()),
    ]
}

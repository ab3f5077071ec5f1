//! The page of the Code Index: a field to search by, and what was found on each shelf.

use super::html::{Tone, chip, prose};
use super::live::{Live, Part, head};
use crate::searched::{Found, Searched, Shelf};
use kernel::module::ModuleStatus;
use maud::{Markup, html};

/// The page.
pub fn page(data: &Searched) -> Live {
    let lead = html! { "Modules that were shipped, to be used again: by meaning and by words." };
    let field = html! {
        section {
            form.search role="search" {
                label for="q" { "What should it do?" }
                input #q name="q" type="text" value=(data.query) placeholder="read an amount of money" autocomplete="off";
                p { button type="submit" { "Search" } }
            }
        }
    };
    let mut parts = vec![
        head("code index", "Modules", &lead),
        Part::new("field", field),
    ];
    for (nth, one) in data.shelves.iter().enumerate() {
        parts.push(Part::new(
            &format!("shelf-{nth}"),
            shelf(nth, one, &data.query),
        ));
    }
    Live {
        title: match data.query.as_str() {
            "" => "Modules".to_owned(),
            query => format!("{query}: modules"),
        },
        parts,
    }
}

fn shelf(nth: usize, one: &Shelf, query: &str) -> Markup {
    let id = format!("shelf-of-{nth}");
    html! {
        section aria-labelledby=(id) {
            h2 id=(id) { (one.name) }
            @match (&one.fault, one.found.is_empty()) {
                (Some(fault), _) => p.none { (prose(fault)) },
                (None, true) if query.is_empty() => p.none { "Nothing is on it yet: a ship fills it." },
                (None, true) => p.none { "Nothing was found." },
                (None, false) => ol.rows { @for one in &one.found { (row(one)) } },
            }
        }
    }
}

fn row(one: &Found) -> Markup {
    html! {
        li {
            p.name {
                @match &one.address {
                    Some(address) => a href=(address) { (one.reference) },
                    None => span { (one.reference) },
                } " "
                @match one.status {
                    ModuleStatus::Shipped => {},
                    ModuleStatus::Superseded => (chip(Tone::Plain, "superseded")),
                    ModuleStatus::Deprecated => (chip(Tone::Unsure, "deprecated")),
                } " "
                @if one.name != one.reference { span.quiet { (one.name) } }
                @if let Some(near) = one.near { " " span.quiet title="How near it is to what was asked for, in meaning and words" { "near: " (near) " of 100" } }
            }
            p { (prose(&one.purpose)) }
            p.facts-line {
                span { "takes " (one.takes.join(", ")) } " "
                span { "gives " (one.gives.join(", ")) }
            }
        }
    }
}

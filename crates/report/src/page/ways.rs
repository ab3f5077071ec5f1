//! Where else one can go: the other pages of a repository, and what stands on this one. It is the first thing
//! of every served page.

use super::live::{Live, Part};
use maud::{Markup, html};

/// A repository, as its pages are reached.
pub struct Place<'a> {
    /// Its part of addresses.
    pub key: &'a str,
    /// For people.
    pub name: &'a str,
    pub milestones: &'a [String],
    /// May people answer on these pages? Then there is one on which a passkey is enrolled.
    pub decides: bool,
}

/// The page on which a passkey is enrolled, and who may decide is listed.
pub const PEOPLE: &str = "enrol";

/// The pages of every repository.
const PAGES: [(&str, &str); 4] = [
    ("spend", "Money"),
    ("audit", "Audit"),
    ("workflows", "Workflows"),
    ("settings", "Settings"),
];

/// With fewer there is nothing to look for.
const LEAST: usize = 5;

/// Puts the ways before a page that has this address.
pub fn put_before(page: &mut Live, places: &[Place<'_>], address: &str) {
    let contents: Vec<(String, String)> = page
        .parts
        .iter()
        .flat_map(|part| headings(&part.html))
        .collect();
    let markup = html! {
        @for place in places { (of_place(place, address)) }
        @if contents.len() >= LEAST {
            nav.ways.contents aria-label="On this page" {
                details {
                    summary { "On this page" }
                    ul { @for (id, title) in &contents {
                        li { a href=(format!("#{id}")) { (maud::PreEscaped(title)) } }
                    } }
                }
            }
        }
    };
    page.parts.insert(0, Part::new("ways", markup));
}

fn of_place(place: &Place<'_>, address: &str) -> Markup {
    let home = format!("/r/{}", place.key);
    let here = |path: &str| (path.trim_end_matches('/') == address).then_some("page");
    html! {
        nav.ways aria-label=(format!("Pages of {}", place.name)) {
            a.repo href=(home) aria-current=[here(&home)] { (place.name) }
            @for (path, name) in PAGES {
                @let path = format!("{home}/{path}");
                a href=(path) aria-current=[here(&path)] { (name) }
            }
            @if place.decides {
                @let path = format!("{home}/{PEOPLE}");
                a href=(path) aria-current=[here(&path)] { "Passkeys" }
            }
            @for milestone in place.milestones {
                @let path = format!("{home}/milestone/{milestone}");
                a href=(path) aria-current=[here(&path)] { "Milestone " (milestone) }
            }
        }
    }
}

/// The headings of markup of ours that have a name: the name, and the text as it is written there.
fn headings(html: &str) -> Vec<(String, String)> {
    let each = html.split("<h2 id=\"").skip(1);
    let each = each.filter_map(|rest| {
        let (id, rest) = rest.split_once("\">")?;
        let (title, _) = rest.split_once("</h2>")?;
        (!title.contains('<')).then(|| (id.to_owned(), title.to_owned()))
    });
    each.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_page_says_what_stands_on_it() {
        let part = |name: &str| {
            let markup = html! { section { h2 id=(name) { (name) " & co" } p { "text" } } };
            Part::new(name, markup)
        };
        let mut page = Live {
            title: "a run".to_owned(),
            parts: ["a", "b", "c", "d", "e"].map(part).to_vec(),
        };
        let place = Place {
            key: "shop",
            name: "shop",
            milestones: &["v1".to_owned()],
            decides: true,
        };
        put_before(&mut page, &[place], "/r/shop/spend");
        let ways = &page.parts[0].html;
        assert!(ways.contains("<a href=\"#e\">e &amp; co</a>"), "{ways}");
        let here = "<a href=\"/r/shop/spend\" aria-current=\"page\">Money</a>";
        assert!(ways.contains(here), "{ways}");
        assert_eq!(ways.matches("aria-current").count(), 1, "{ways}");
        assert!(
            ways.contains("<a href=\"/r/shop/enrol\">Passkeys</a>"),
            "{ways}"
        );
        page.parts.truncate(3);
        page.parts.remove(0);
        put_before(&mut page, &[], "/");
        assert!(!page.parts[0].html.contains("#a"), "{:?}", page.parts[0]);
    }
}

//! Pages that are served and change while one looks at them: the same parts as the written ones, each
//! under a name, so that what changed can be put in the place of what was there.

use super::document;
use super::html::{prose, seen};
use maud::{Markup, html};
use serde::Serialize;

pub use super::html::Tone;

/// A page, as whoever shows it gets it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Live {
    pub title: String,
    /// In the order of the page.
    pub parts: Vec<Part>,
}

/// A piece of a page that is replaced as a whole.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Part {
    /// Its name on the page.
    pub id: String,
    /// Markup; every value in it is escaped, and what cannot be seen is spelled out.
    pub html: String,
}

impl Part {
    pub(crate) fn new(id: &str, markup: Markup) -> Self {
        Part {
            id: id.to_owned(),
            html: seen(&markup.into_string()),
        }
    }
}

/// The head of every served page but those of runs: what it is, and a sentence. Names end as they end.
pub(crate) fn head(mark: &str, headline: &str, lead: &Markup) -> Part {
    let is_name = headline.contains(['.', '/']);
    let markup = html! {
        div.top.plain {
            p.run { (mark) }
            h1.of-file[is_name] { (headline) @if !is_name { span aria-hidden="true" { "." } } }
            div.lead { (lead) }
        }
    };
    Part::new("head", markup)
}

/// A text file: a piece of evidence, as it was kept; a document of members is written for people.
pub fn text(title: &str, back: &str, text: &str) -> Live {
    let (folder, name) = in_folder(title);
    let lead = html! { a href=(back) { "Back" } };
    let mut parts = vec![head(folder, name, &lead)];
    match document::read(text) {
        Some((read, stored)) => {
            parts.push(Part::new("document", read));
            parts.push(Part::new("text", stored));
        }
        None => {
            let whole = html! { section { pre.whole tabindex="0" { code { (text) } } } };
            parts.push(Part::new("text", whole));
        }
    }
    Live {
        title: title.to_owned(),
        parts,
    }
}

/// A file's folder, or what it is, and its name.
fn in_folder(path: &str) -> (&str, &str) {
    path.rsplit_once('/').unwrap_or(("evidence", path))
}

/// A picture that a run left; it lies where its page is.
pub fn picture(name: &str, back: &str) -> Live {
    let lead = html! { a href=(back) { "Back to the run" } };
    // Relative to nothing: the address of this page is that of the picture.
    let shown = html! { section { figure { img src="" alt=(name); } } };
    Live {
        title: name.to_owned(),
        parts: vec![head("left", name, &lead), Part::new("picture", shown)],
    }
}

/// Something that cannot be shown: what, why and what to do.
pub fn fault(fault: &crate::inbox::Fault) -> Live {
    let lead = html! { (prose(&fault.what)) " " code { (fault.code) } };
    let mend = html! { section { p.mend { b { "What to do: " } (prose(&fault.mend)) } } };
    Live {
        title: "Not shown".to_owned(),
        parts: vec![
            head("", "This cannot be shown", &lead),
            Part::new("mend", mend),
        ],
    }
}

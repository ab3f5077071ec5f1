//! `anchors`: a document names real files and symbols of the repository. It refuses a plan that
//! stands on nothing: each anchor is looked up where it says it is.

use crate::Subject;
use crate::judge::{Judge, Judged};
use crate::readers::paths;
use crate::readers::substance::hollow;
use crate::settings::{Placed, Text};
use crate::text::{first_few, label};
use documents::markdown;
use schemars::JsonSchema;
use serde::Deserialize;

/// A section lists files and symbols that are really there, and another one cites them.
#[derive(Deserialize, JsonSchema)]
pub(crate) struct Anchors {
    /// `task/...` or `repo/...`.
    file: Placed,
    /// The heading over the list of anchors.
    section: Text,
    /// A heading under which one of them is named again.
    cited_in: Option<Text>,
}

impl Judge for Anchors {
    const NAME: &'static str = "anchors";
    type Answer = Judged;

    fn judge(&self, subject: &Subject<'_>) -> Judged {
        let (file, heading) = (&*self.file, &*self.section);
        let text = paths::read(subject.place, file).map_err(|why| format!("{file} {why}"))?;
        let sections =
            markdown::chosen(&text, Some(heading)).map_err(|why| format!("{file} {why}"))?;
        let items: Vec<&String> = sections
            .iter()
            .flat_map(|section| &section.points)
            .collect();
        let anchors: Vec<Anchor<'_>> = items.iter().filter_map(|item| Anchor::of(item)).collect();
        if anchors.is_empty() {
            return Err(format!(
                "`{}` lists no anchor: name files, and symbols as `path :: symbol`",
                label(heading)
            )
            .into());
        }
        let faults: Vec<String> = anchors
            .iter()
            .filter_map(|anchor| anchor.fault(subject))
            .collect();
        if !faults.is_empty() {
            return Err(first_few(&faults, 5).into());
        }
        let unsaid = |anchor: &&Anchor<'_>| anchor.note.is_empty();
        if anchors.iter().all(|anchor| !anchor.is_there(subject))
            && let Some(anchor) = anchors.iter().find(unsaid)
        {
            let why = format!(
                "nothing of `{}` is there yet: say behind {} what it will be, as in `{} (new) - the sum`",
                label(heading),
                anchor.path,
                anchor.path
            );
            return Err(why.into());
        }
        if let Some(cited_in) = self.cited_in.as_deref() {
            let sections =
                markdown::chosen(&text, Some(cited_in)).map_err(|why| format!("{file} {why}"))?;
            let cites = |anchor: &Anchor<'_>| {
                sections.iter().any(|section| {
                    let named = |name: &str| section.content.contains(name);
                    named(anchor.path) || anchor.symbol.is_some_and(named)
                })
            };
            if !anchors.iter().any(cites) {
                let why = format!(
                    "the anchors are not cited: `{}` names none of them",
                    label(cited_in)
                );
                return Err(why.into());
            }
            let mut said: String = sections.iter().map(|one| one.content.as_str()).collect();
            for anchor in &anchors {
                for name in std::iter::once(anchor.path).chain(anchor.symbol) {
                    said = said.replace(name, "");
                }
            }
            if let Some(why) = hollow(subject, &said, cited_in).filter(|why| !why.is_blank()) {
                let cited_in = label(cited_in);
                return Err(format!("`{cited_in}` names its anchors and {why}").into());
            }
        }
        Ok(format!("{} anchors", anchors.len()))
    }
}

/// `path`, `path :: symbol` or `path (new)`, each with a note behind it.
struct Anchor<'a> {
    path: &'a str,
    symbol: Option<&'a str>,
    new: bool,
    /// What stands behind it.
    note: String,
}

impl<'a> Anchor<'a> {
    fn of(item: &'a str) -> Option<Self> {
        let mut words = item.split_whitespace().map(|word| word.trim_matches('`'));
        let path = words.next()?.trim_end_matches([':', ',']);
        let rest: Vec<&str> = words.collect();
        let symbol = match rest.as_slice() {
            ["::", symbol, ..] => Some(symbol.trim_end_matches([',', ';', ':']).trim_matches('`')),
            _ => None,
        };
        let new = rest.first() == Some(&"(new)");
        let named = match (symbol, new) {
            (Some(_), _) => 2,
            (None, true) => 1,
            (None, false) => 0,
        };
        let note = rest[named..].join(" ");
        Some(Self {
            path,
            symbol,
            new,
            note: note.trim_start_matches(['-', '–', '—', ' ']).to_owned(),
        })
    }

    fn is_there(&self, subject: &Subject<'_>) -> bool {
        paths::read(subject.place, &format!("repo/{}", self.path)).is_ok()
    }

    /// What is wrong with it.
    fn fault(&self, subject: &Subject<'_>) -> Option<String> {
        let path = self.path;
        if let Some(why) = hollow(subject, &self.note, "").filter(|why| !why.is_blank()) {
            return Some(format!("what is said of {path} {why}"));
        }
        match (
            paths::read(subject.place, &format!("repo/{path}")),
            self.symbol,
        ) {
            (Ok(text), Some(symbol)) if !text.contains(symbol) => {
                Some(format!("{path} does not hold `{symbol}`"))
            }
            (Ok(_), _) => None,
            (Err(_), None) if self.new => paths::lint(path).err().map(|why| why.to_string()),
            (Err(why), _) => Some(format!("{path} {why}")),
        }
    }
}

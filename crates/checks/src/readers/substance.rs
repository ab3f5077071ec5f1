//! Does a text of a task say anything to whoever asked for it? The rule is `documents`' own; the brief and the
//! form that it is held against are those of what is judged.

use crate::Subject;
use documents::markdown;
use documents::substance::{self, Nothing};

/// Why a text of this name says nothing to whoever asked for it; none if it says something.
pub(crate) fn hollow(subject: &Subject<'_>, said: &str, name: &str) -> Option<Nothing> {
    substance::hollow(subject.brief, said, name)
}

/// The same, for a text that is also held against the form's own text there.
pub(crate) fn nothing_new(
    subject: &Subject<'_>,
    said: &str,
    name: &str,
    form: &str,
) -> Option<Nothing> {
    hollow(subject, said, name).or_else(|| substance::of_form(said, form))
}

/// The form's own text under a heading of a file of the task; empty if there is none.
pub(crate) fn form_of(subject: &Subject<'_>, file: &str, heading: &str) -> String {
    let name = file.strip_prefix("task/");
    let form = name.and_then(|name| subject.forms?.get(name));
    let section = form.and_then(|form| markdown::source(form, heading).ok());
    section.unwrap_or_default().to_owned()
}

//! The questions that all validators ask: is something said here, has this id its form, does this
//! reference name a version. One place, so that the answers read alike everywhere.

use crate::deficiency::Deficiency;
use crate::ids::{self, IdForm};
use crate::{moment, spec};

/// A text that is not blank.
pub(crate) fn not_blank(found: &mut Vec<Deficiency>, path: &str, field: &str, text: &str) {
    if text.trim().is_empty() {
        found.push(Deficiency::error("empty_field", path, field, "it is empty"));
    }
}

/// A text that says something: not blank, no placeholder.
pub(crate) fn said(found: &mut Vec<Deficiency>, path: &str, field: &str, text: &str) {
    not_blank(found, path, field, text);
    if let Some(placeholder) = spec::placeholder(text) {
        let message = format!("`{placeholder}` is a placeholder");
        found.push(Deficiency::error("placeholder", path, field, message));
    }
}

/// The same of each.
pub(crate) fn all_said(found: &mut Vec<Deficiency>, path: &str, field: &str, texts: &[String]) {
    for (index, text) in texts.iter().enumerate() {
        said(found, path, &format!("{field}[{index}]"), text);
    }
}

/// At least so many.
pub(crate) fn at_least(
    found: &mut Vec<Deficiency>,
    path: &str,
    field: &str,
    (least, count): (usize, usize),
) {
    if count < least {
        let message = format!("{count} given, and at least {least} needed");
        found.push(Deficiency::error("too_few", path, field, message));
    }
}

/// An id of the form.
pub(crate) fn id(found: &mut Vec<Deficiency>, path: &str, field: &str, form: IdForm, text: &str) {
    if text.len() > ids::LONGEST {
        let message = format!("{} characters; {} is the most", text.len(), ids::LONGEST);
        found.push(Deficiency::error("id_too_long", path, field, message));
    } else if !form.accepts(text) {
        let message = format!("{text:?} should have the form {form}");
        found.push(Deficiency::error("bad_id", path, field, message));
    }
}

/// A moment.
pub(crate) fn when(found: &mut Vec<Deficiency>, path: &str, field: &str, text: &str) {
    if !moment::is_moment(text) {
        let shown: String = text.chars().take(40).collect();
        let message = format!("{shown:?} should be {}", moment::FORM);
        found.push(Deficiency::error("bad_moment", path, field, message));
    }
}

/// `MM-...@x.y.z`.
pub(crate) fn module_ref(found: &mut Vec<Deficiency>, path: &str, field: &str, text: &str) {
    if !ids::is_reference(ids::MODULE, text) {
        let shown: String = text.chars().take(ids::LONGEST).collect();
        let message = format!("{shown:?} should be `MM-...@x.y.z`");
        found.push(Deficiency::error("bad_reference", path, field, message));
    }
}

/// `id@version` of anything.
pub(crate) fn any_ref(found: &mut Vec<Deficiency>, path: &str, field: &str, text: &str) {
    if !ids::is_any_reference(text) {
        let shown: String = text.chars().take(ids::LONGEST).collect();
        let message = format!("{shown:?} should be `id@version`");
        found.push(Deficiency::error("bad_reference", path, field, message));
    }
}

//! The texts of a new spec as people read them: no character that nobody sees or that poses as another,
//! no placeholder behind one, and no sentence that is counted twice. It asks for no language.

use super::validate::located;
use crate::deficiency::{Deficiency, Report};
use crate::readable::{folded, same_words, unread};
use kernel::form::placeholder;
use kernel::json::{Document, Kind, Value};
use std::collections::BTreeSet;

/// Lists of which each item counts once: how many are needed, and the rule that says so.
const COUNTED: [(&str, usize, u8); 2] = [("subtasks", 2, 4), ("acceptance_criteria", 2, 5)];

pub(super) fn judge(document: &Document<'_>) -> Report {
    let mut found = Vec::new();
    walk(document.root(), "", document, &mut found);
    located(document, found)
}

fn walk(
    value: Value<'_, '_>,
    inside: &str,
    document: &Document<'_>,
    found: &mut Vec<(usize, Deficiency)>,
) {
    let mut say = |code: &'static str, rule: Option<u8>, what: String| {
        let (path, field) = document.path_to(value.offset());
        let mut one = Deficiency::error(code, path, field, what);
        one.rule = rule;
        found.push((value.offset(), one));
    };
    match value.kind() {
        Kind::Text => {
            let text = value.text().unwrap_or_default();
            if let Some((code, what)) = unread(&text) {
                say(code, None, what);
            }
            if inside == "io_contract_sketch"
                && placeholder(&text).is_none()
                && let Some(held) = placeholder(&folded(&text))
            {
                let what = format!("it reads `{held}`, a placeholder; say what holds, or \"none\"");
                say("placeholder", Some(6), what);
            }
        }
        Kind::List => {
            let key = value.key();
            let counted = COUNTED.iter().find(|(name, ..)| *name == key);
            if let Some((_, least, rule)) = counted {
                let texts = value.children().filter_map(Value::text);
                let all: Vec<String> = texts.map(|text| same_words(&text)).collect();
                let own: BTreeSet<&String> = all.iter().filter(|one| !one.is_empty()).collect();
                // Too few of any kind is said already.
                if own.len() < *least && all.len() >= *least {
                    let what = format!(
                        "{} given, and what is said twice counts once: at least {least} are needed, and {} is",
                        all.len(),
                        own.len()
                    );
                    say("too_few", Some(*rule), what);
                }
            }
            for child in value.children() {
                walk(child, "", document, found);
            }
        }
        Kind::Object => {
            let key = value.key();
            for child in value.children() {
                walk(child, &key, document, found);
            }
        }
        Kind::Null | Kind::Bool | Kind::Number => {}
    }
}

//! A document of the engine's or an agent's that is stored as JSON, written for people: members under their names, lists
//! as lists, and the text itself below.

use maud::{Markup, html};
use serde_json::Value;

/// What lies deeper is shown as it is stored.
const DEEPEST: usize = 6;

/// The document and its text; none: the text is no document with members or items.
pub(super) fn read(text: &str) -> Option<(Markup, Markup)> {
    let document: Value = serde_json::from_str(text).ok()?;
    let whole = document.is_object() || document.is_array();
    whole.then(|| {
        let read = html! { section.document { (value(&document, 0)) } };
        let stored = html! {
            section { details { summary { "As it is stored" } pre.whole tabindex="0" { code { (text) } } } }
        };
        (read, stored)
    })
}

/// `acceptance_criteria` as people say it.
fn named(name: &str) -> String {
    name.replace('_', " ")
}

fn value(of: &Value, depth: usize) -> Markup {
    html! {
        @match of {
            Value::Null => span.none { "none" },
            Value::Bool(true) => "yes",
            Value::Bool(false) => "no",
            Value::Number(number) => (number),
            Value::String(text) if text.trim().is_empty() => span.none { "empty" },
            Value::String(text) => span.text { (text) },
            Value::Array(all) if all.is_empty() => span.none { "none" },
            Value::Object(all) if all.is_empty() => span.none { "none" },
            Value::Array(_) | Value::Object(_) if depth >= DEEPEST => code { (of) },
            Value::Array(all) => ul { @for one in all { li { (value(one, depth + 1)) } } },
            Value::Object(all) => dl.members { @for (name, one) in all { div {
                dt { (named(name)) }
                dd { (value(one, depth + 1)) }
            } } },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_document_is_written_for_people() {
        let text = r#"{"acceptance_criteria": ["<b>one</b>", ""], "done": true, "more": null}"#;
        let (document, stored) = read(text).unwrap();
        let html = document.into_string();
        assert!(html.contains("<dt>acceptance criteria</dt>"), "{html}");
        assert!(html.contains("&lt;b&gt;one&lt;/b&gt;"), "{html}");
        assert!(html.contains("<dd>yes</dd>"), "{html}");
        // The text itself stays there, to the letter.
        let stored = stored.into_string();
        assert!(stored.contains("&quot;done&quot;: true"), "{stored}");
    }

    #[test]
    fn a_text_is_no_document() {
        for text in ["plain words", "12", "\"quoted\"", "{\"a\": 1}\n{\"b\": 2}"] {
            assert!(read(text).is_none(), "{text}");
        }
    }

    #[test]
    fn what_lies_very_deep_is_shown_as_it_is() {
        let text = format!("{}1{}", "[".repeat(30), "]".repeat(30));
        let (document, _) = read(&text).unwrap();
        assert!(document.into_string().contains("<code>[[["));
    }
}

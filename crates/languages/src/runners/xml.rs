//! The tree of an XML report, as much of it as a test report needs. `quick-xml` reads; here stands
//! what it leaves to its caller: no document types (and with them no entities of one's own), an end
//! for every element, nothing beside the root, and a depth that our stack can hold.

use super::Unknown;
use quick_xml::events::{BytesRef, BytesStart, Event};
use quick_xml::{Reader, XmlVersion};
use std::collections::BTreeMap;

/// Deeper than any report, and far from our stack's end.
const DEEPEST: usize = 100;

/// One element. Text is that of the element itself, without its children's.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct Element {
    pub(super) name: String,
    pub(super) attributes: BTreeMap<String, String>,
    pub(super) children: Vec<Element>,
    pub(super) text: String,
}

impl Element {
    pub(super) fn attribute(&self, name: &str) -> Option<&str> {
        self.attributes.get(name).map(String::as_str)
    }
}

/// The root element.
pub(super) fn parse(text: &str) -> Result<Element, Unknown> {
    let mut reader = Reader::from_str(text.trim_start_matches('\u{feff}'));
    let mut open: Vec<Element> = Vec::new();
    let mut root: Option<Element> = None;
    loop {
        let ended = match reader.read_event().map_err(broken)? {
            Event::Start(tag) => {
                if open.len() >= DEEPEST {
                    return Err("its elements lie too deep".into());
                }
                open.push(element(&tag)?);
                continue;
            }
            Event::Empty(tag) => element(&tag)?,
            // That it is the right end, the reader has seen.
            Event::End(_) => open.pop().ok_or("an end without a start")?,
            Event::Text(text) => {
                say(&mut open, &text)?;
                continue;
            }
            Event::CData(text) => {
                say(&mut open, &text)?;
                continue;
            }
            Event::GeneralRef(entity) => {
                say(&mut open, &resolved(&entity)?)?;
                continue;
            }
            Event::Comment(_) | Event::Decl(_) | Event::PI(_) => continue,
            Event::DocType(_) => return Err("it has a document type, which no report needs".into()),
            Event::Eof => break,
        };
        match open.last_mut() {
            Some(parent) => parent.children.push(ended),
            None if root.is_none() => root = Some(ended),
            None => return Err("there is a second root".into()),
        }
    }
    match open.pop() {
        Some(element) => Err(format!("it ends inside of <{}>", element.name).into()),
        None => root.ok_or_else(|| "it is empty".into()),
    }
}

fn broken(error: impl std::error::Error) -> Unknown {
    format!("it is no XML: {error}").into()
}

/// Takes text into the innermost element.
fn say(open: &mut [Element], text: &str) -> Result<(), Unknown> {
    match open.last_mut() {
        Some(element) => element.text.push_str(text),
        None if text.trim().is_empty() => {}
        None => return Err("there is text outside of the root".into()),
    }
    Ok(())
}

fn element(tag: &BytesStart<'_>) -> Result<Element, Unknown> {
    let mut element = Element {
        name: tag.name().as_ref().to_owned(),
        ..Element::default()
    };
    for attribute in tag.attributes() {
        let attribute = attribute.map_err(broken)?;
        let value = attribute
            .normalized_value(XmlVersion::Implicit1_0)
            .map_err(broken)?;
        let key = attribute.key.as_ref().to_owned();
        element.attributes.insert(key, value.into_owned());
    }
    Ok(element)
}

/// One of the five entities of XML itself, or a character by its number.
fn resolved(entity: &BytesRef<'_>) -> Result<String, Unknown> {
    // Reports hold terminal output; what is no character shows as one that says so.
    match entity.resolve_char_ref() {
        Ok(Some(char)) => return Ok(char.to_string()),
        Ok(None) => {}
        Err(_) => return Ok('\u{fffd}'.to_string()),
    }
    let name: &str = entity;
    quick_xml::escape::resolve_xml_entity(name)
        .map(str::to_owned)
        .ok_or_else(|| format!("the entity `&{name};` is unknown").into())
}

#[cfg(test)]
mod tests {
    use super::parse;

    #[test]
    fn what_is_well_formed_is_read() {
        let root = parse(
            "\u{feff}<?xml version='1.0'?><!-- a --><a x='1 &lt; \"2\"'>t&#10;<b/><![CDATA[<raw>&]]></a>\n",
        )
        .unwrap();
        assert_eq!(root.attribute("x"), Some("1 < \"2\""));
        assert_eq!(root.text, "t\n<raw>&");
        assert_eq!(root.children[0].name, "b");
        // As runners write terminal output; no parser that goes by the letter would take it.
        let escapes = parse("<a x='&#27;[31m'>\u{1b}[0m&#x1b;&#0;</a>").unwrap();
        assert_eq!(escapes.attribute("x"), Some("\u{1b}[31m"));
        assert_eq!(escapes.text, "\u{1b}[0m\u{1b}\u{fffd}");
    }

    #[test]
    fn what_is_not_is_refused() {
        for text in [
            "",
            "text",
            "<a>",
            "<a></b>",
            "</a>",
            "<a/><b/>",
            "<a/>x",
            "<a x=1/>",
            "<a x='1' x='2'/>",
            "<a>&nbsp;</a>",
            "<a>&amp</a>",
            "<a b",
            "<!DOCTYPE a [<!ENTITY x 'y'>]><a/>",
            "<!DOCTYPE a [<!ENTITY b '1'><!ENTITY c '&b;&b;'>]><a>&c;</a>",
            "<a x='&c;'/>",
            "<a><![CDATA[x</a>",
            "< a/>",
        ] {
            assert!(parse(text).is_err(), "{text:?}");
        }
        assert!(
            parse(&"<a>".repeat(5000))
                .unwrap_err()
                .to_string()
                .contains("deep")
        );
    }
}

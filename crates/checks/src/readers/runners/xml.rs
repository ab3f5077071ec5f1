//! As much XML as a test report needs, read strictly. It refuses document types (and with them
//! entities of one's own), tags that do not match, and anything behind the root: a report that was
//! cut off is no report. A whole XML library would bring namespaces, encodings and events that
//! nobody here asks for.

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
pub(super) fn parse(text: &str) -> Result<Element, String> {
    let mut rest = text.trim_start_matches('\u{feff}');
    let mut open: Vec<Element> = Vec::new();
    let mut root: Option<Element> = None;
    while !rest.is_empty() {
        if let Some(after) = rest.strip_prefix("<!--") {
            rest = behind(after, "-->")?.1;
        } else if let Some(after) = rest.strip_prefix("<![CDATA[") {
            let (inside, after) = behind(after, "]]>")?;
            let element = open.last_mut().ok_or("text outside of the root")?;
            element.text.push_str(inside);
            rest = after;
        } else if let Some(after) = rest.strip_prefix("<?") {
            rest = behind(after, "?>")?.1;
        } else if rest.starts_with("<!") {
            return Err("it has a document type, which no report needs".into());
        } else if let Some(after) = rest.strip_prefix("</") {
            let (name, after) = behind(after, ">")?;
            let closed = open.pop().ok_or("an end without a start")?;
            if closed.name != name.trim() {
                return Err(format!("<{}> is ended by </{}>", closed.name, name.trim()));
            }
            place(closed, &mut open, &mut root)?;
            rest = after;
        } else if let Some(after) = rest.strip_prefix('<') {
            let (element, closing, after) = start(after)?;
            if root.is_some() {
                return Err("there is a second root".into());
            }
            if open.len() >= DEEPEST {
                return Err("its elements lie too deep".into());
            }
            match closing {
                Closing::Itself => place(element, &mut open, &mut root)?,
                Closing::Later => open.push(element),
            }
            rest = after;
        } else {
            let end = rest.find('<').unwrap_or(rest.len());
            let (inside, after) = rest.split_at(end);
            match open.last_mut() {
                Some(element) => element.text.push_str(&unescape(inside)?),
                None if inside.trim().is_empty() => {}
                None => return Err("there is text outside of the root".into()),
            }
            rest = after;
        }
    }
    match open.pop() {
        Some(element) => Err(format!("it ends inside of <{}>", element.name)),
        None => root.ok_or_else(|| "it is empty".into()),
    }
}

enum Closing {
    Itself,
    Later,
}

fn place(element: Element, open: &mut [Element], root: &mut Option<Element>) -> Result<(), String> {
    match open.last_mut() {
        Some(parent) => parent.children.push(element),
        None if root.is_none() => *root = Some(element),
        None => return Err("there is a second root".into()),
    }
    Ok(())
}

fn behind<'a>(text: &'a str, end: &str) -> Result<(&'a str, &'a str), String> {
    text.split_once(end)
        .ok_or_else(|| format!("it ends before `{end}`"))
}

fn is_name(char: char) -> bool {
    char.is_alphanumeric() || matches!(char, '_' | '-' | '.' | ':')
}

fn word(text: &str) -> Result<(&str, &str), String> {
    let end = text.find(|char| !is_name(char)).unwrap_or(text.len());
    if end == 0 {
        return Err("a name is missing in a tag".into());
    }
    Ok(text.split_at(end))
}

/// The element that starts behind a `<`.
fn start(text: &str) -> Result<(Element, Closing, &str), String> {
    let (name, mut rest) = word(text)?;
    let mut element = Element {
        name: name.to_owned(),
        ..Element::default()
    };
    loop {
        rest = rest.trim_start();
        if let Some(after) = rest.strip_prefix("/>") {
            return Ok((element, Closing::Itself, after));
        }
        if let Some(after) = rest.strip_prefix('>') {
            return Ok((element, Closing::Later, after));
        }
        if rest.is_empty() {
            return Err(format!("it ends inside of <{name}>"));
        }
        let (key, after) = word(rest)?;
        let after = after.trim_start().strip_prefix('=').map(str::trim_start);
        let Some(quote @ ('"' | '\'')) = after.and_then(|after| after.chars().next()) else {
            return Err(format!("<{name}>: `{key}` has no quoted value"));
        };
        let value = &after.unwrap_or_default()[1..];
        let (value, after) = behind(value, &quote.to_string())?;
        let known = element.attributes.insert(key.to_owned(), unescape(value)?);
        if known.is_some() {
            return Err(format!("<{name}> has `{key}` twice"));
        }
        rest = after;
    }
}

fn unescape(text: &str) -> Result<String, String> {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('&') {
        out.push_str(before);
        let (name, after) = after
            .split_once(';')
            .ok_or("an `&` that begins no entity")?;
        out.push(match name {
            "lt" => '<',
            "gt" => '>',
            "amp" => '&',
            "quot" => '"',
            "apos" => '\'',
            _ => numbered(name).ok_or_else(|| format!("the entity `&{name};` is unknown"))?,
        });
        rest = after;
    }
    out.push_str(rest);
    Ok(out)
}

fn numbered(name: &str) -> Option<char> {
    let digits = name.strip_prefix('#')?;
    let number = match digits.strip_prefix(['x', 'X']) {
        Some(hex) => u32::from_str_radix(hex, 16).ok()?,
        None => digits.parse().ok()?,
    };
    // Reports hold terminal output; what is no character shows as one that says so.
    Some(char::from_u32(number).unwrap_or('\u{fffd}'))
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
            "<a><![CDATA[x</a>",
            "< a/>",
        ] {
            assert!(parse(text).is_err(), "{text:?}");
        }
        assert!(parse(&"<a>".repeat(5000)).unwrap_err().contains("deep"));
    }
}

//! JSON as it was written, for judging it: every member with its place, repeated keys and all. It
//! exists because a reader that stops at the first fault, or drops a repeated key, cannot report
//! everything that is wrong in one pass. It copies no text and refuses to guess: what is not JSON
//! is one error with a place, and nothing more.

mod fault;
mod place;
mod scan;
mod text;

pub use fault::{Fault, FaultKind, SyntaxError};
pub use place::{Place, Places};

use std::borrow::Cow;

/// Deeper documents are refused: nothing in this crate is a tenth as deep, and readers recurse.
pub const DEEPEST: usize = 100;

/// JSON readers keep integers exact up to here.
pub const LARGEST_INTEGER: u64 = 1 << 53;

/// What a value is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    Null,
    /// `true` or `false`
    Bool,
    Number,
    /// A string
    Text,
    List,
    Object,
}

impl Kind {
    /// As a message names it.
    pub fn noun(self) -> &'static str {
        match self {
            Kind::Null => "null",
            Kind::Bool => "a boolean",
            Kind::Number => "a number",
            Kind::Text => "a string",
            Kind::List => "a list",
            Kind::Object => "an object",
        }
    }
}

/// One value. Offsets rather than pointers: a document of 6 MB has 200,000 of these, and they are
/// most of the memory that judging it takes.
#[derive(Debug, Clone, Copy)]
struct Node {
    /// The insides of the key's quotes; empty and at 0 for values without one.
    key: (u32, u32),
    /// The insides of a string's quotes; all of any other value.
    span: (u32, u32),
    /// The node after this one and everything in it.
    next: u32,
    kind: Kind,
    key_escaped: bool,
    escaped: bool,
}

/// A parsed document that borrows its text.
#[derive(Debug)]
pub struct Document<'a> {
    text: &'a str,
    nodes: Vec<Node>,
    /// What is JSON, but cannot be believed: repeated keys, numbers that readers round.
    pub faults: Vec<Fault>,
}

/// A value within a document.
#[derive(Debug, Clone, Copy)]
pub struct Value<'d, 'a> {
    document: &'d Document<'a>,
    index: u32,
}

impl<'a> Document<'a> {
    /// Reads bytes that should be one JSON value in UTF-8.
    pub fn parse(bytes: &'a [u8]) -> Result<Self, SyntaxError> {
        scan::scan(bytes)
    }

    /// The outermost value.
    pub fn root(&self) -> Value<'_, 'a> {
        Value {
            document: self,
            index: 0,
        }
    }

    /// The text that it was parsed from.
    pub fn text(&self) -> &'a str {
        self.text
    }

    /// Where an offset lies, as `$.a[0]`, with the last key of the way. For faults alone: it
    /// walks down from the root.
    pub fn path_to(&self, offset: usize) -> (String, String) {
        let mut path = String::from("$");
        let mut field = String::new();
        let mut value = self.root();
        'down: loop {
            let count = value.document.nodes[value.index as usize].kind;
            for (position, child) in value.children().enumerate() {
                let node = child.node();
                let from = if node.key == (0, 0) {
                    node.span.0
                } else {
                    node.key.0
                };
                if offset < from as usize || offset > node.span.1 as usize {
                    continue;
                }
                if !field.is_empty() {
                    let joint = if field.starts_with('[') { "" } else { "." };
                    path.push_str(joint);
                    path.push_str(&field);
                }
                field = match count {
                    Kind::List => format!("[{position}]"),
                    _ => child.key().into_owned(),
                };
                value = child;
                continue 'down;
            }
            return (path, field);
        }
    }
}

impl Document<'_> {
    /// Where the value at `$.a[0]` and its member `b[1]` begins; the last that is there, where the way
    /// leads to what is missing.
    pub fn offset_of(&self, path: &str, field: &str) -> usize {
        let mut value = self.root();
        for step in [path.trim_start_matches('$'), field] {
            for word in step.split(['.', '[']).filter(|word| !word.is_empty()) {
                let index = word.strip_suffix(']').and_then(|at| at.parse().ok());
                let next = match (index, value.kind()) {
                    (Some(index), Kind::List) => value.children().nth(index),
                    _ => value.children().find(|child| child.has_key(word)),
                };
                match next {
                    Some(next) => value = next,
                    None => return value.offset(),
                }
            }
        }
        value.offset()
    }
}

impl<'d, 'a> Value<'d, 'a> {
    fn node(self) -> Node {
        self.document.nodes[self.index as usize]
    }

    /// What it is.
    pub fn kind(self) -> Kind {
        self.node().kind
    }

    /// Its key, empty outside of objects.
    pub fn key(self) -> Cow<'a, str> {
        let node = self.node();
        self.slice(node.key, node.key_escaped)
    }

    /// Whether its key is this one, without making a string of it.
    pub fn has_key(self, name: &str) -> bool {
        let node = self.node();
        if node.key_escaped {
            return self.key() == name;
        }
        let bytes = self.document.text.as_bytes();
        &bytes[node.key.0 as usize..node.key.1 as usize] == name.as_bytes()
    }

    /// A string's content.
    pub fn text(self) -> Option<Cow<'a, str>> {
        let node = self.node();
        (node.kind == Kind::Text).then(|| self.slice(node.span, node.escaped))
    }

    fn slice(self, (from, to): (u32, u32), escaped: bool) -> Cow<'a, str> {
        let raw = &self.document.text[from as usize..to as usize];
        if escaped {
            Cow::Owned(text::unescape(raw))
        } else {
            Cow::Borrowed(raw)
        }
    }

    /// Where it begins, in bytes.
    pub fn offset(self) -> usize {
        self.node().span.0 as usize
    }

    /// Members of an object or items of a list, in order; none for anything else.
    pub fn children(self) -> impl Iterator<Item = Value<'d, 'a>> {
        let document = self.document;
        let (mut at, end) = (self.index + 1, self.node().next);
        std::iter::from_fn(move || {
            let value = (at < end).then_some(Value {
                document,
                index: at,
            })?;
            at = value.node().next;
            Some(value)
        })
    }
}

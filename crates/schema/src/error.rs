//! Why a document cannot be used as a schema: where, what, and how to mend it.

use crate::keywords::{HELD, NOTES};

/// A place of a document that is no schema, or says what is not held here.
#[derive(Debug, thiserror::Error)]
#[error("{}{problem}", shown(place))]
pub struct SchemaError {
    /// The place in the document as a JSON pointer; empty is the whole.
    pub place: String,
    /// What is wrong there.
    pub problem: Problem,
}

/// What is wrong with a schema.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Problem {
    /// Neither an object nor true nor false.
    #[error("{0} is no schema: a schema is an object, true or false")]
    NoSchema(String),
    /// A keyword that is not held, or does not exist.
    #[error("the keyword `{0}` is not known here")]
    Unknown(String),
    /// A keyword whose value cannot be used.
    #[error("{value} is not {wanted}")]
    Value {
        /// What stands there.
        value: String,
        /// What has to stand there.
        wanted: &'static str,
    },
    /// A pattern that is no regular expression, or needs look-around or back-references.
    #[error("the pattern \"{pattern}\" cannot be used")]
    Pattern {
        pattern: String,
        /// Why.
        #[source]
        cause: Box<regex::Error>,
    },
    /// `$schema` names something else than a draft whose rules are held.
    #[error("`{0}` is no draft that is held here")]
    Draft(String),
    /// A reference to another document.
    #[error("`{0}` lies outside of this document")]
    Outside(String),
    /// A reference to nothing.
    #[error("`{0}` leads nowhere")]
    Gone(String),
    /// Two places have the same `$anchor`.
    #[error("the anchor `{0}` is there twice")]
    Twice(String),
    /// A schema that is held against the same value for ever.
    #[error("this leads back to itself without going into the value")]
    Endless,
}

impl SchemaError {
    /// What to do about it.
    pub fn mend(&self) -> String {
        match &self.problem {
            Problem::NoSchema(_) | Problem::Value { .. } => {
                "write it as draft 2020-12 of JSON Schema says".to_owned()
            }
            Problem::Unknown(keyword) => match INSTEAD.iter().find(|(old, _)| old == keyword) {
                Some((_, instead)) => (*instead).to_owned(),
                None => format!(
                    "correct or remove it; a name that begins with `x-` is a note. Held are {}; notes are {}",
                    HELD.join(", "),
                    NOTES.join(", ")
                ),
            },
            Problem::Pattern { .. } => {
                "write a regular expression without look-around and back-references".to_owned()
            }
            Problem::Draft(_) => {
                "write https://json-schema.org/draft/2020-12/schema, or leave `$schema` out"
                    .to_owned()
            }
            Problem::Outside(_) => {
                "put what it refers to below `$defs`, and refer to `#/$defs/NAME`".to_owned()
            }
            Problem::Gone(_) => "write `#/$defs/NAME` for what is there".to_owned(),
            Problem::Twice(_) => "give each its own name".to_owned(),
            Problem::Endless => "remove the reference, or put it below a property".to_owned(),
        }
    }
}

/// What people write out of older drafts and other dialects, and what says the same here.
const INSTEAD: [(&str, &str); 8] = [
    (
        "additionalItems",
        "write `prefixItems` for the first items and `items` for the others",
    ),
    (
        "dependencies",
        "write `dependentRequired` for names and `dependentSchemas` for schemas",
    ),
    ("divisibleBy", "write `multipleOf`"),
    ("id", "write `$id`, or `$anchor` for a place inside"),
    ("nullable", "write `\"type\": [\"...\", \"null\"]` instead"),
    ("$dynamicRef", "write `$ref`"),
    ("$dynamicAnchor", "write `$anchor`"),
    ("$recursiveRef", "write `\"$ref\": \"#\"`"),
];

fn shown(place: &str) -> String {
    match place {
        "" => String::new(),
        place => format!("`{place}`: "),
    }
}

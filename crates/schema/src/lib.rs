//! JSON Schema, as far as workflows and roles need it: draft 2020-12 within one document.
//!
//! Our own because the general ones fetch documents, resolve addresses and know every draft, which
//! costs 35 crates. It refuses a schema with a keyword that it does not hold, so that no rule is
//! silently left out of a judgement.

mod compile;
mod error;
mod evaluate;
mod keywords;
mod numbers;
mod pattern;
mod rules;

pub use error::{Problem, SchemaError};
pub use evaluate::Fault;

use rules::Rule;
use serde_json::Value;

/// A schema that values can be held against.
#[derive(Debug, Clone)]
pub struct Schema {
    /// Every place of the document that is a schema, by number; the first is the whole.
    places: Vec<Vec<Rule>>,
}

impl Schema {
    /// Reads a schema.
    ///
    /// # Errors
    /// Where it is no schema, or says something that is not held here.
    pub fn new(document: &Value) -> Result<Self, SchemaError> {
        compile::compile(document).map(|places| Self { places })
    }

    /// Everything that is wrong with a value; nothing: it holds.
    pub fn faults(&self, value: &Value) -> Vec<Fault> {
        evaluate::faults(&self.places, value)
    }
}

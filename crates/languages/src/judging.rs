//! What a comparison of code with its contract works on, and the differences that it adds to.

use crate::dimensions::SurfaceRef;
use crate::{Extracted, Item, Language, Shape};
use std::collections::BTreeSet;
use std::fmt;

/// One difference.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mismatch {
    /// `inputs`, `outputs`, `error_surfaces`, `effects`, `modes`; `surface` if it is none of them.
    pub dimension: &'static str,
    /// The file below `implementation/`, and the line; none if the contract has something that the
    /// code does not.
    pub place: Option<(String, u32)>,
    pub what: String,
}

impl fmt::Display for Mismatch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.place {
            Some((file, line)) => write!(f, "implementation/{file}:{line}: ")?,
            None => write!(f, "contract.json: ")?,
        }
        write!(f, "{} ({})", self.what, self.dimension)
    }
}

/// What a comparison works on and adds to.
pub(super) struct Judging<'a> {
    pub(super) contract: SurfaceRef<'a>,
    pub(super) language: Language,
    pub(super) code: &'a Extracted,
    /// Names of other modules that may be public here as well, as they are there.
    pub(super) handed_on: BTreeSet<&'a str>,
    pub(super) found: Vec<Mismatch>,
    /// Public names that something accounts for.
    pub(super) declared: BTreeSet<String>,
}

impl Judging<'_> {
    pub(super) fn at(&mut self, dimension: &'static str, item: &Item, what: String) {
        self.on_line(dimension, item, item.line, what);
    }

    pub(super) fn on_line(
        &mut self,
        dimension: &'static str,
        item: &Item,
        line: u32,
        what: String,
    ) {
        self.found.push(Mismatch {
            dimension,
            place: Some((item.file.clone(), line)),
            what,
        });
    }

    pub(super) fn lacks(&mut self, dimension: &'static str, what: String) {
        self.found.push(Mismatch {
            dimension,
            place: None,
            what,
        });
    }

    pub(super) fn shape(&self, text: &str, generics: &[String]) -> Shape {
        if generics.iter().any(|one| one == text.trim()) {
            return Shape::Any;
        }
        Shape::of_code(text, &self.code.aliases)
    }
}

/// Names are the same if their letters and digits are: `max_items`, `MaxItems`, `max items`.
pub(super) fn same(one: &str, other: &str) -> bool {
    let letters = |name: &str| -> String {
        let letters = name.chars().filter(|c| c.is_alphanumeric());
        letters.flat_map(char::to_lowercase).collect()
    };
    letters(one) == letters(other)
}

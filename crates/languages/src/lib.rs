//! What the languages of modules are to us: one folder for each, and beside them what they share,
//! which is the public surface of a module as its code has it, and whether it is the contract's.
//!
//! A contract has five dimensions and names no function; a surface has functions and types. Between
//! the two lies one mapping, for every language the same (`judge.rs`): one entry function, whose
//! parameters are the inputs, whose result carries the outputs and the errors. Everything else that
//! is public is a mismatch, and so is everything that is declared and not public.
//!
//! Nothing here reads a file or runs a program: texts come in. It does not judge what code does.

pub mod asked;
pub mod beside;
pub mod bump;
pub mod canaries;
mod declared;
pub mod dimensions;
mod errors;
pub mod fingerprint;
pub mod fit;
pub mod hollow_commands;
pub mod javascript;
mod judge;
pub mod judges;
mod judging;
mod layout;
pub mod manifests;
pub mod mutants;
mod not_there;
pub mod printed;
pub mod product;
pub mod public_names;
pub mod python;
pub mod readable;
mod reader;
pub mod recipes;
pub mod runners;
pub mod rust;
pub mod script;
mod shape;
mod signature;
mod spelt;
pub mod test_texts;
pub mod turned;
mod unread;

pub use declared::{AsBefore, Declared, as_before, declared, designed};
pub use judge::{Rules, entry_modes, entry_points, judge, judge_by};
pub use judging::Mismatch;
pub use kernel::line::one_line;
pub use layout::same_but_for_layout;
pub use not_there::is_not_there;
pub use shape::Shape;
pub use unread::{NoRust, Unread};

use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};

/// The texts of a crate's files, by path below `implementation/`.
pub type Files = BTreeMap<String, String>;

/// What a module is written in. One for each module.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Language {
    /// `implementation/lib.rs` is the root of a library.
    Rust,
    /// `implementation/__init__.py` is the root of a package.
    Python,
    /// `implementation/index.mjs` is the root of an ES module.
    JavaScript,
}

impl Language {
    /// For people.
    pub fn as_str(self) -> &'static str {
        match self {
            Language::Rust => "Rust",
            Language::Python => "Python",
            Language::JavaScript => "JavaScript",
        }
    }

    /// The file below `implementation/` that decides it.
    pub fn root(self) -> &'static str {
        match self {
            Language::Rust => "lib.rs",
            Language::Python => "__init__.py",
            Language::JavaScript => "index.mjs",
        }
    }

    /// The language of these files, by path below `implementation/`.
    pub fn of<'p>(paths: impl IntoIterator<Item = &'p str>) -> Result<Self, Unread> {
        let mut found: BTreeMap<Language, Vec<&str>> = BTreeMap::new();
        for path in paths {
            let language = match path.rsplit_once('.').map(|(_, ending)| ending) {
                Some("rs") => Language::Rust,
                Some("py") => Language::Python,
                Some("mjs") => Language::JavaScript,
                _ => continue,
            };
            found.entry(language).or_default().push(path);
        }
        let mut all = found.iter();
        match (all.next(), all.next()) {
            (Some((_, one)), Some((_, other))) => Err(Unread::TwoLanguages {
                one: one[0].to_owned(),
                other: other[0].to_owned(),
            }),
            (Some((language, paths)), None) if paths.contains(&language.root()) => Ok(*language),
            _ => Err(Unread::NoLanguage),
        }
    }
}

/// Every file of a product, by path.
pub fn files_of(product: &product::Product, language: Language) -> Files {
    let mut files = match language {
        Language::Rust => rust::product(product),
        Language::Python => python::product(product),
        Language::JavaScript => javascript::product(product),
    };
    files.insert("README.md".to_owned(), product.readme.clone());
    files
}

/// What a module makes public, for who calls it: how it is called in code, and everything with its types.
pub fn public(module: &str, name: &str, language: Language, code: &Extracted) -> String {
    let called = match language {
        Language::Rust => format!("the crate `{name}`"),
        Language::Python => format!("the package `{name}`"),
        Language::JavaScript => format!("`#{name}`"),
    };
    let lines: Vec<String> = code
        .items
        .iter()
        .filter_map(|item| spelt::line(item, language))
        .collect();
    format!(
        "# {module} in {}\n\nIn code it is {called}. Public in it:\n\n```text\n{}\n```\n",
        language.as_str(),
        lines.join("\n")
    )
}

/// Everything that a module's code makes public.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Extracted {
    /// In the order in which they stand.
    pub items: Vec<Item>,
    /// What cannot be seen from outside, and so might make anything public.
    #[serde(default)]
    pub unseen: Vec<Place>,
    /// Words by which the code could decide its own tests.
    #[serde(default)]
    pub forging: Vec<Place>,
    /// Names that are raised somewhere (Python).
    #[serde(default)]
    pub raises: BTreeSet<String>,
    /// Public names that another module makes public too, and that module.
    #[serde(default)]
    pub handed_on: BTreeMap<String, String>,
    /// Where it names modules that it does not depend on, though they are there: those that it uses do.
    #[serde(default)]
    pub undeclared: Vec<Place>,
    /// Names that are public only because they are imported and nothing says otherwise (Python).
    #[serde(default)]
    pub implied: Vec<Place>,
    /// Other names of types, private ones too: their parameters, and what they stand for.
    #[serde(default)]
    pub aliases: BTreeMap<String, (Vec<String>, String)>,
}

/// Something with a place.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Place {
    /// Below `implementation/`.
    pub file: String,
    /// From 1.
    pub line: u32,
    /// What is there, for people.
    pub what: String,
}

/// Something public.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Item {
    /// Under which callers find it.
    pub name: String,
    /// Below `implementation/`.
    pub file: String,
    /// From 1.
    pub line: u32,
    pub kind: Kind,
}

/// What something public is.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "is")]
pub enum Kind {
    /// It can be called.
    Function(Function),
    /// It holds values.
    Record {
        /// The public ones; in order.
        fields: Vec<Member>,
    },
    /// It is one of several.
    Choice { variants: Vec<Member> },
    /// It can be raised.
    Exception,
    /// Another name for a type.
    Alias,
    /// A value.
    Constant,
    /// A function of a type.
    Method {
        /// The type.
        of: String,
    },
    /// It comes from another module, which does not make it public, or whose surface nobody gave.
    Foreign {
        /// The module.
        from: String,
    },
    /// No contract has a place for it.
    Other {
        /// What it is called: `trait`, `macro`.
        word: String,
    },
}

/// Something that can be called.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Function {
    /// In order.
    pub parameters: Vec<Parameter>,
    /// As it is written.
    pub returns: Option<String>,
    /// Whether callers wait.
    pub call: Call,
    /// Names in the types above that stand for any type.
    #[serde(default)]
    pub generics: Vec<String>,
    /// The module that defines it, if it is another one.
    #[serde(default)]
    pub from: Option<String>,
}

/// Whether callers wait.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Call {
    /// They do.
    Sync,
    /// They await it.
    Async,
}

/// One parameter.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Parameter {
    pub name: String,
    /// As it is written.
    #[serde(rename = "type")]
    pub type_: Option<String>,
    /// Whether it may be left out.
    pub need: Need,
}

/// Whether callers must give it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Need {
    /// They must.
    Required,
    /// It has a default.
    Optional,
    /// It takes whatever else is given.
    Rest,
}

/// A field or a variant.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Member {
    pub name: String,
    /// As it is written: of a field its type, of a variant what it carries.
    #[serde(rename = "type", default)]
    pub type_: Option<String>,
    /// From 1.
    pub line: u32,
}

impl Extracted {
    /// The public item of that name.
    pub fn get(&self, name: &str) -> Option<&Item> {
        self.items.iter().find(|item| item.name == name)
    }

    /// The public functions.
    pub fn functions(&self) -> impl Iterator<Item = (&Item, &Function)> {
        self.items.iter().filter_map(|item| match &item.kind {
            Kind::Function(function) => Some((item, function)),
            _ => None,
        })
    }
}

//! A product: shipped modules put together as one package of their language, with what people call
//! and what they run. Texts come in and go out; whoever builds it and writes it down is elsewhere.
//!
//! Nothing in it needs us: it builds, runs and is tested by the language's ordinary commands.

pub mod called;
pub mod readme;

use crate::dimensions::SurfaceRef;
use crate::{Extracted, Files, Function, Language, Need, Shape, entry_points};
use kernel::exam;

/// One module of a product.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Part {
    /// `MM-slug` is the package `mm-slug`.
    pub package: String,
    pub version: String,
    /// What it is for, in one sentence.
    pub purpose: String,
    /// The packages that it uses.
    pub uses: Vec<String>,
    /// By path below `implementation/`.
    pub code: Files,
    /// By path below `tests/`.
    pub tests: Files,
}

impl Part {
    /// As code calls it: `mm_slug`.
    pub fn code_name(&self) -> String {
        self.package.replace('-', "_")
    }

    /// As people call it: `slug`.
    pub fn short_name(&self) -> String {
        let name = self.code_name();
        name.strip_prefix("mm_").map_or(name.clone(), str::to_owned)
    }
}

/// What is to be put together.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Product {
    /// The package.
    pub name: String,
    pub version: String,
    /// What it is, in a sentence or two.
    pub about: String,
    /// Those that a module uses stand before it.
    pub parts: Vec<Part>,
    /// The part whose names stand at the top.
    pub front: Option<String>,
    /// What is run, if something is.
    pub command: Option<Command>,
    /// What it must do, in order.
    pub cases: Vec<Case>,
    pub readme: String,
    /// The version of the language that it is tried with, `3.11`; none: that says nothing.
    pub tried_with: Option<String>,
}

/// Said to whoever runs a command at a terminal and gives it nothing to read.
pub(crate) const EXAMPLE: &str = "There is nothing to read, so this is what the example of its spec comes to; give a FILE, or standard input.";

/// What a command is made of: one function that turns text into text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Command {
    /// The package that has the function.
    pub package: String,
    pub function: String,
    pub takes: Takes,
    /// The type of its parameter, as it is written.
    pub written: String,
    /// Whether it answers with a value or an error (Rust).
    pub fails: bool,
    /// How people read its error (Rust).
    pub error: Shows,
}

/// How an error is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Shows {
    /// By its `Display`.
    Words,
    /// By `{:?}`.
    Parts,
}

/// What the function is given.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Takes {
    /// All that is read.
    Text,
    /// Its lines.
    Lines,
}

/// One run of a command, or what is asked of a library.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Case {
    /// What it shows, in words.
    pub shows: String,
    /// On standard input.
    pub given: String,
    pub then: Then,
}

/// How it ends.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Then {
    /// It succeeds and prints this line.
    Prints(String),
    /// It fails, and says this on standard error.
    Refuses(String),
    /// Its names are called, and this holds of the answers.
    Answers(Box<exam::Case>),
}

impl Command {
    /// The command of a module, or why it cannot be one.
    pub fn of(
        package: &str,
        language: Language,
        contract: SurfaceRef<'_>,
        code: &Extracted,
    ) -> Result<Self, String> {
        let only = "a command reads one text, or a list of its lines, and prints one value";
        if !contract.modes.sync {
            return Err(format!(
                "{package} is not sync; {only} while it is waited for"
            ));
        }
        let name = entry_points(contract, code)
            .first()
            .map(|one| (*one).to_owned());
        let name = name.ok_or_else(|| format!("{package} has no entry; {only}"))?;
        let function = code.functions().find(|(item, _)| item.name == name);
        let (_, function) = function.ok_or_else(|| format!("{package} has no `{name}`"))?;
        let needed = function.parameters.iter();
        let mut needed = needed.filter(|one| one.need == Need::Required);
        let (Some(parameter), None, [input]) = (needed.next(), needed.next(), contract.inputs)
        else {
            return Err(format!(
                "`{name}` of {package} takes more or less than that: {only}"
            ));
        };
        let written = parameter.type_.clone().unwrap_or_default();
        let shape = match Shape::of_code(&written, &code.aliases) {
            Shape::Any => Shape::of_contract(&input.type_),
            shape => shape,
        };
        let takes = match shape {
            Shape::Text => Takes::Text,
            Shape::List(of) if *of == Shape::Text => Takes::Lines,
            _ => return Err(format!("`{name}` of {package} takes `{written}`: {only}")),
        };
        if written.contains("mut ") {
            return Err(format!(
                "`{name}` of {package} changes what it is given: {only}"
            ));
        }
        let (gives, fails) = given(function, code);
        let gives = match gives {
            Shape::Any if contract.outputs.len() == 1 => {
                Shape::of_contract(&contract.outputs[0].type_)
            }
            shape => shape,
        };
        if !matches!(
            gives,
            Shape::Text | Shape::Integer | Shape::Real | Shape::Number | Shape::Truth
        ) {
            return Err(format!(
                "what `{name}` of {package} returns is no such value: {only}"
            ));
        }
        Ok(Self {
            package: package.to_owned(),
            function: name,
            takes,
            written,
            fails: fails && language == Language::Rust,
            error: Shows::Parts,
        })
    }
}

impl Shows {
    /// How the error of a Rust function is written: in words, if each type of that name among the parts has
    /// a `Display` that is written out.
    pub fn of(parts: &[Part], function: &Function) -> Self {
        let returns = function.returns.as_deref().unwrap_or_default();
        let error = returns.rsplit(',').next().unwrap_or_default();
        let error = error.trim_end_matches(['>', ' ']).rsplit("::").next();
        let error = error.unwrap_or_default().trim();
        let named = |text: &str, before: &str| {
            let places = text.match_indices(before);
            let mut after = places.map(|(at, _)| &text[at + before.len()..]);
            after.any(|rest| {
                let rest = rest.strip_prefix(error);
                let next = rest.map(|rest| rest.chars().next());
                next.is_some_and(|c| !c.is_some_and(|c| c.is_alphanumeric() || c == '_'))
            })
        };
        let mut found = Shows::Parts;
        if error.is_empty() || !error.chars().all(|c| c.is_alphanumeric() || c == '_') {
            return found;
        }
        for part in parts {
            let texts = || part.code.values();
            let is_there =
                texts().any(|text| named(text, "pub enum ") || named(text, "pub struct "));
            if !is_there {
                continue;
            }
            if !texts().any(|text| named(text, "Display for ")) {
                return Shows::Parts;
            }
            found = Shows::Words;
        }
        found
    }
}

/// What a function gives back, and whether that may be an error.
fn given(function: &Function, code: &Extracted) -> (Shape, bool) {
    let Some(returns) = &function.returns else {
        return (Shape::Any, false);
    };
    match Shape::of_code(returns, &code.aliases) {
        Shape::Outcome(value, _) => (*value, true),
        shape => (shape, false),
    }
}

impl Product {
    /// What is shown to whoever gives nothing to read.
    pub(crate) fn example(&self) -> Option<&str> {
        self.cases.iter().find_map(|case| match &case.then {
            Then::Prints(_) => Some(case.given.as_str()),
            Then::Refuses(_) | Then::Answers(_) => None,
        })
    }

    /// What `--help` prints.
    pub(crate) fn usage(&self) -> String {
        let shown = match self.example() {
            Some(_) => " At a terminal and without FILE it shows the example of its spec.",
            None => "",
        };
        format!(
            "usage: {} [FILE]\n\nReads FILE, or standard input, and prints what it comes to.{shown}\n",
            self.name
        )
    }

    /// The part of a package.
    pub fn part(&self, package: &str) -> Option<&Part> {
        self.parts.iter().find(|part| part.package == package)
    }
}

/// The ordinary commands of a language, for people.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Ordinary {
    /// Builds it and runs all of its tests.
    pub test: &'static [&'static str],
    /// What people type to run it, before what the command itself is called.
    pub run: &'static str,
}

impl Ordinary {
    /// Those of a language.
    pub fn of(language: Language) -> Self {
        match language {
            Language::Rust => Self {
                test: &["cargo", "test"],
                run: "cargo run",
            },
            Language::Python => Self {
                test: &["python3", "-m", "unittest"],
                run: "python3 -m",
            },
            Language::JavaScript => Self {
                test: &["node", "--test"],
                run: "node",
            },
        }
    }
}

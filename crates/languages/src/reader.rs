//! Reads a type in the words of Rust or Python into a shape. What it does not understand is `Any`.
//!
//! It does not go on for ever: other names are followed so deep and so often, and a type whose names
//! multiply is `Any` from there on.

use crate::shape::{Aliases, DEEPEST, Shape, is_name, plain};
use std::cell::Cell;
use std::collections::BTreeMap;

/// How many other names are followed for one type.
const MOST_VISITS: u32 = 1_000;

/// The shape of a type as it is written.
fn read(text: &str, aliases: &Aliases) -> Shape {
    let visits = Cell::new(MOST_VISITS);
    Reader::read_bound(text, aliases, BTreeMap::new(), DEEPEST, &visits)
}

impl Shape {
    /// Of a type as a contract has it: prose, or any language's own words.
    pub fn of_contract(text: &str) -> Self {
        Self::within(text, DEEPEST)
    }

    fn within(text: &str, depth: u32) -> Self {
        match depth.checked_sub(1) {
            None => Shape::Any,
            Some(depth) => prose(text, depth).unwrap_or_else(|| read(text, &Aliases::new())),
        }
    }

    /// Of a type as code has it.
    pub(super) fn of_code(text: &str, aliases: &Aliases) -> Self {
        read(text, aliases)
    }
}

/// `list of integers`, `optional string`, `non-empty string`; none: it is no prose that we know.
fn prose(text: &str, depth: u32) -> Option<Shape> {
    let text = text.trim();
    let lower = text.to_lowercase();
    let boxed = |rest: &str| Box::new(Shape::within(rest, depth));
    let after = |words: &[&str]| {
        let found = words.iter().find(|word| lower.starts_with(**word))?;
        text.get(found.len()..)
    };
    if let Some(rest) = after(&["list of ", "array of ", "sequence of ", "lists of "]) {
        return Some(Shape::List(boxed(rest)));
    }
    if let Some(rest) = after(&["set of ", "sets of "]) {
        return Some(Shape::Set(boxed(rest)));
    }
    if let Some(rest) = after(&["pair of "]) {
        return Some(Shape::Tuple(vec![Shape::within(rest, depth); 2]));
    }
    if let Some(rest) = after(&["map of ", "map from ", "mapping of ", "mapping from "]) {
        return Some(match rest.split_once(" to ") {
            Some((key, value)) => Shape::Map(boxed(key), boxed(value)),
            None => Shape::Map(Box::new(Shape::Any), Box::new(Shape::Any)),
        });
    }
    if let Some(rest) = after(&["optional "]) {
        return Some(Shape::Maybe(boxed(rest)));
    }
    for ending in [" or none", " or null", " or nothing"] {
        if lower.ends_with(ending) {
            return Some(Shape::Maybe(boxed(text.get(..text.len() - ending.len())?)));
        }
    }
    if !text.contains(' ') {
        let word = lower.strip_suffix('s').unwrap_or(&lower);
        return plain(text)
            .or_else(|| plain(&lower))
            .or_else(|| plain(word));
    }
    let words: Vec<&str> = text.split(' ').collect();
    let plain_word = |word: &&str| {
        let mut letters = word.chars();
        letters.all(|c| c.is_alphanumeric() || c == '-')
    };
    if !words.iter().all(plain_word) {
        return None;
    }
    // `non-empty UTF-8 string`: the last word is what it is. Other sentences are not guessed at.
    let last = words.last()?.to_lowercase();
    let one = last.strip_suffix('s').unwrap_or(&last);
    plain(&last).or_else(|| plain(one)).or(Some(Shape::Any))
}

/// Reads a type in the words of Rust or Python.
struct Reader<'t> {
    rest: &'t str,
    aliases: &'t Aliases,
    /// An alias's parameters, while what it stands for is read.
    bound: BTreeMap<&'t str, Shape>,
    depth: u32,
    /// Other names that may still be followed, in the whole of a type.
    visits: &'t Cell<u32>,
}

impl<'t> Reader<'t> {
    fn read_bound(
        text: &'t str,
        aliases: &'t Aliases,
        bound: BTreeMap<&'t str, Shape>,
        depth: u32,
        visits: &'t Cell<u32>,
    ) -> Shape {
        let rest = text.trim().trim_matches(['"', '\'']);
        let mut reader = Reader {
            rest,
            aliases,
            bound,
            depth,
            visits,
        };
        let shape = reader.union();
        if reader.rest.trim().is_empty() {
            shape
        } else {
            Shape::Any
        }
    }

    fn eat(&mut self, token: &str) -> bool {
        self.rest = self.rest.trim_start();
        match self.rest.strip_prefix(token) {
            Some(rest) => {
                self.rest = rest;
                true
            }
            None => false,
        }
    }

    fn word(&mut self) -> &'t str {
        self.rest = self.rest.trim_start();
        let end = self.rest.find(|c: char| !(c.is_alphanumeric() || c == '_'));
        let (word, rest) = self.rest.split_at(end.unwrap_or(self.rest.len()));
        self.rest = rest;
        word
    }

    /// `A | None`.
    fn union(&mut self) -> Shape {
        let mut all = vec![self.one()];
        while self.eat("|") {
            all.push(self.one());
        }
        let before = all.len();
        all.retain(|shape| *shape != Shape::Nothing);
        match (all.len(), before) {
            (0, _) => Shape::Nothing,
            (1, 1) => all.remove(0),
            (1, _) => Shape::Maybe(Box::new(all.remove(0))),
            _ => Shape::Any,
        }
    }

    fn one(&mut self) -> Shape {
        if self.depth == 0 {
            self.rest = "";
            return Shape::Any;
        }
        self.depth -= 1;
        let shape = self.inner();
        self.depth += 1;
        shape
    }

    fn inner(&mut self) -> Shape {
        while self.eat("&") || self.eat("*") {}
        if self.eat("'") {
            self.word();
            return self.one();
        }
        if self.eat("(") {
            let mut all = self.many(")");
            return match all.len() {
                0 => Shape::Nothing,
                1 => all.remove(0),
                _ => Shape::Tuple(all),
            };
        }
        if self.eat("[") {
            let item = self.union();
            if self.eat(";") {
                let end = self.rest.find(']').unwrap_or(self.rest.len());
                self.rest = &self.rest[end..];
            }
            self.eat("]");
            return list(item);
        }
        if self.eat("!") {
            return Shape::Nothing;
        }
        let mut word = self.word();
        if matches!(word, "mut" | "const" | "dyn" | "r" | "impl")
            && !self.rest.starts_with(['<', '['])
        {
            self.eat("#");
            let shape = self.one();
            // `impl A + B`: the first bound says what it is.
            while self.eat("+") {
                self.one();
            }
            return shape;
        }
        while self.eat("::") || self.eat(".") {
            if self.rest.starts_with('<') {
                break;
            }
            word = self.word();
        }
        let given = if self.eat("<") {
            self.many(">")
        } else if self.eat("[") {
            self.many("]")
        } else {
            Vec::new()
        };
        self.generic(word, given)
    }

    /// Up to the closing token. Lifetimes are left out, `Item = T` is `T`.
    fn many(&mut self, close: &str) -> Vec<Shape> {
        let mut all = Vec::new();
        loop {
            if self.eat(close) || self.rest.trim().is_empty() {
                return all;
            }
            if self.eat("'") {
                self.word();
            } else if self.eat("...") {
                all.push(Shape::Any);
            } else {
                let mut shape = self.union();
                if self.eat("=") {
                    shape = self.union();
                }
                all.push(shape);
            }
            if !self.eat(",") && !self.rest.trim_start().starts_with(close) {
                // Something that is not understood: the rest is not either.
                self.rest = "";
                return vec![Shape::Any];
            }
        }
    }

    fn generic(&self, word: &str, given: Vec<Shape>) -> Shape {
        if let Some(shape) = self.bound.get(word) {
            return shape.clone();
        }
        if let Some((parameters, text)) = self.aliases.get(word) {
            let Some(left) = self.visits.get().checked_sub(1) else {
                return Shape::Any;
            };
            self.visits.set(left);
            // `type Result<T> = std::result::Result<T, E>` stands for the other one of that name.
            let mut others = self.aliases.clone();
            others.remove(word);
            let given = given.into_iter().chain(std::iter::repeat(Shape::Any));
            let names = parameters.iter().map(String::as_str);
            let bound = names.zip(given).collect();
            let depth = self.depth.saturating_sub(1);
            return Reader::read_bound(text, &others, bound, depth, self.visits);
        }
        let mut given = given.into_iter();
        let mut next = || given.next().unwrap_or(Shape::Any);
        match word {
            "Option" | "Optional" => Shape::Maybe(Box::new(next())),
            "Result" => Shape::Outcome(Box::new(next()), Box::new(next())),
            "Box" | "Rc" | "Arc" | "Cow" | "Pin" | "Annotated" | "Final" | "AsRef" | "Into" => {
                next()
            }
            "Future" | "Awaitable" => Shape::Later(Box::new(next())),
            "Coroutine" => {
                let (_, _, last) = (next(), next(), next());
                Shape::Later(Box::new(last))
            }
            "Vec" | "VecDeque" | "list" | "List" | "Sequence" | "Iterable" | "Iterator"
            | "IntoIterator" | "ExactSizeIterator" | "Generator" => list(next()),
            "tuple" | "Tuple" => {
                let all: Vec<Shape> = std::iter::once(next()).chain(given).collect();
                match all.as_slice() {
                    [item, Shape::Any] => list(item.clone()),
                    _ => Shape::Tuple(all),
                }
            }
            "dict" | "Dict" | "Mapping" => Shape::Map(Box::new(next()), Box::new(next())),
            "set" | "Set" | "frozenset" => Shape::Set(Box::new(next())),
            "Infallible" | "Never" | "NoReturn" => Shape::Nothing,
            word if word.ends_with("Map") => Shape::Map(Box::new(next()), Box::new(next())),
            word if word.ends_with("Set") => Shape::Set(Box::new(next())),
            word if word.starts_with("NonZero") => Shape::Integer,
            word => match plain(word) {
                Some(shape) => shape,
                None if is_name(word) => Shape::Named(word.to_owned()),
                None => Shape::Any,
            },
        }
    }
}

fn list(item: Shape) -> Shape {
    Shape::List(Box::new(item))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn s11_2_other_names_that_multiply_are_followed_a_bounded_number_of_times() {
        // Each stands for ten of the next: followed to the end, a hundred thousand million.
        let mut aliases = Aliases::new();
        for at in 0..11 {
            let next = format!("A{}", at + 1);
            let ten = format!("({})", [next.as_str(); 10].join(", "));
            aliases.insert(format!("A{at}"), (Vec::new(), ten));
        }
        let visits = Cell::new(MOST_VISITS);
        let shape = Reader::read_bound("A0", &aliases, BTreeMap::new(), DEEPEST, &visits);
        assert_eq!(visits.get(), 0);
        assert!(matches!(shape, Shape::Tuple(all) if all.len() == 10));
        // A few are followed to their end.
        let few = Aliases::from([
            ("Id".to_owned(), (Vec::new(), "Number".to_owned())),
            ("Number".to_owned(), (Vec::new(), "u32".to_owned())),
        ]);
        assert_eq!(read("Vec<Id>", &few), list(Shape::Integer));
    }
}

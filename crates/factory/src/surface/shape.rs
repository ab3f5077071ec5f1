//! A type as far as a contract can speak of it: text, whole number, list of something. Contracts
//! say it in prose or in a language's own words, code in its own; both become a shape, and shapes
//! are compared. What is not understood is `Any` and agrees with everything: a guess never blocks.

use std::collections::BTreeMap;

/// A type, roughly.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Shape {
    /// Not understood, or anything at all.
    Any,
    /// Nothing.
    Nothing,
    /// Characters.
    Text,
    /// Raw bytes.
    Bytes,
    /// A whole number.
    Integer,
    /// A number with a fraction.
    Real,
    /// A number of either kind.
    Number,
    /// True or false.
    Truth,
    /// Many, in order.
    List(Box<Shape>),
    /// Many, each once.
    Set(Box<Shape>),
    /// Values by key.
    Map(Box<Shape>, Box<Shape>),
    /// So many, in order.
    Tuple(Vec<Shape>),
    /// It, or nothing.
    Maybe(Box<Shape>),
    /// It, or an error.
    Outcome(Box<Shape>, Box<Shape>),
    /// It, when it is awaited.
    Later(Box<Shape>),
    /// A type with a name of its own.
    Named(String),
}

/// Other names of types: their parameters, and what they stand for.
pub(super) type Aliases = BTreeMap<String, (Vec<String>, String)>;

/// How deep types are followed; beyond it they are `Any`.
const DEEPEST: u32 = 12;

impl Shape {
    /// Of a type as a contract has it: prose, or any language's own words.
    pub fn of_contract(text: &str) -> Self {
        Self::within(text, DEEPEST)
    }

    fn within(text: &str, depth: u32) -> Self {
        match depth.checked_sub(1) {
            None => Shape::Any,
            Some(depth) => {
                prose(text, depth).unwrap_or_else(|| Reader::read(text, &Aliases::new(), DEEPEST))
            }
        }
    }

    /// Of a type as code has it.
    pub(super) fn of_code(text: &str, aliases: &Aliases) -> Self {
        Reader::read(text, aliases, DEEPEST)
    }

    /// May the one be called the other?
    pub fn agrees(&self, other: &Shape) -> bool {
        use Shape::*;
        match (self, other) {
            (Any, _) | (_, Any) => true,
            (Number, Integer | Real | Number) | (Integer | Real, Number) => true,
            (Bytes, List(item)) | (List(item), Bytes) => item.agrees(&Integer),
            (List(a), List(b)) | (Set(a), Set(b)) | (Maybe(a), Maybe(b)) | (Later(a), Later(b)) => {
                a.agrees(b)
            }
            (Map(a, c), Map(b, d)) | (Outcome(a, c), Outcome(b, d)) => a.agrees(b) && c.agrees(d),
            (Tuple(a), Tuple(b)) => a.len() == b.len() && a.iter().zip(b).all(|(a, b)| a.agrees(b)),
            (a, b) => a == b,
        }
    }
}

/// Names of types in a text: words that begin with a capital and go on with small letters.
pub(super) fn named_types(text: &str) -> impl Iterator<Item = &str> {
    let words = text.split(|c: char| !(c.is_alphanumeric() || c == '_'));
    words.filter(|word| is_name(word) && matches!(plain(word), None | Some(Shape::Named(_))))
}

fn is_name(word: &str) -> bool {
    word.starts_with(|c: char| c.is_uppercase()) && word.chars().any(|c| c.is_lowercase())
}

/// One word, in any of the languages.
fn plain(word: &str) -> Option<Shape> {
    Some(match word {
        "str" | "String" | "string" | "text" | "Text" | "char" | "OsStr" | "OsString" => {
            Shape::Text
        }
        "int" | "integer" | "Integer" | "Int" | "usize" | "isize" | "u8" | "u16" | "u32"
        | "u64" | "u128" | "i8" | "i16" | "i32" | "i64" | "i128" => Shape::Integer,
        "float" | "Float" | "f32" | "f64" | "double" | "real" | "decimal" | "Decimal" => {
            Shape::Real
        }
        "number" | "Number" => Shape::Number,
        "bool" | "boolean" | "Boolean" | "Bool" => Shape::Truth,
        "bytes" | "Bytes" | "bytearray" => Shape::Bytes,
        "None" | "none" | "nothing" | "void" | "unit" | "NoneType" => Shape::Nothing,
        "list" | "List" | "array" | "Vec" | "Sequence" => Shape::List(Box::new(Shape::Any)),
        "dict" | "Dict" | "map" | "mapping" | "Mapping" => {
            Shape::Map(Box::new(Shape::Any), Box::new(Shape::Any))
        }
        "set" | "Set" | "frozenset" => Shape::Set(Box::new(Shape::Any)),
        "Any" | "object" | "Self" | "Path" | "PathBuf" => Shape::Any,
        _ => return None,
    })
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
}

impl<'t> Reader<'t> {
    fn read(text: &'t str, aliases: &'t Aliases, depth: u32) -> Shape {
        Self::read_bound(text, aliases, BTreeMap::new(), depth)
    }

    fn read_bound(
        text: &'t str,
        aliases: &'t Aliases,
        bound: BTreeMap<&'t str, Shape>,
        depth: u32,
    ) -> Shape {
        let rest = text.trim().trim_matches(['"', '\'']);
        let mut reader = Reader {
            rest,
            aliases,
            bound,
            depth,
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
            // `type Result<T> = std::result::Result<T, E>` stands for the other one of that name.
            let mut others = self.aliases.clone();
            others.remove(word);
            let given = given.into_iter().chain(std::iter::repeat(Shape::Any));
            let names = parameters.iter().map(String::as_str);
            let bound = names.zip(given).collect();
            return Reader::read_bound(text, &others, bound, self.depth.saturating_sub(1));
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

    fn agree(contract: &str, code: &str) -> bool {
        Shape::of_contract(contract).agrees(&Shape::of_code(code, &Aliases::new()))
    }

    #[test]
    fn s11_2_prose_and_code_are_compared_by_shape() {
        for (contract, code) in [
            ("string", "&str"),
            ("non-empty string", "String"),
            ("&str", "&'a str"),
            ("text", "impl AsRef<str>"),
            ("list of integers", "Vec<i64>"),
            ("list of integers", "&[u32]"),
            ("list of integers", "list[int]"),
            ("bytes", "&[u8]"),
            ("optional string", "Option<String>"),
            ("string or none", "str | None"),
            ("string or none", "Optional[str]"),
            ("map of string to integer", "BTreeMap<String, usize>"),
            ("map of string to integer", "dict[str, int]"),
            ("(String, String)", "(String, String)"),
            ("pair of strings", "tuple[str, str]"),
            ("Order", "&crate::model::Order"),
            ("list of Order", "Vec<Order>"),
            ("number", "f64"),
            ("ISO 8601 moment", "String"),
            ("a date as the calendar has it", "Date"),
            ("boolean", "bool"),
        ] {
            assert!(agree(contract, code), "{contract} / {code}");
        }
        for (contract, code) in [
            ("string", "u32"),
            ("string", "Option<String>"),
            ("list of integers", "Vec<String>"),
            ("list of integers", "i64"),
            ("integer", "f64"),
            ("(String, String)", "(String, u8)"),
            ("(String, String)", "(String, String, String)"),
            ("Order", "Basket"),
            ("Order", "String"),
            ("boolean", "str"),
            ("set of strings", "Vec<String>"),
        ] {
            assert!(!agree(contract, code), "{contract} / {code}");
        }
    }

    #[test]
    fn a_type_without_end_is_anything() {
        for word in [
            "list of ",
            "optional ",
            "pair of ",
            "'a ",
            "mut ",
            "(",
            "Vec<",
            "&",
        ] {
            let text = word.repeat(5_000) + "integer";
            let shape = Shape::of_contract(&text);
            assert!(shape.agrees(&shape), "{word}");
            assert!(agree(&text, &text), "{word}");
        }
        assert!(!agree("list of list of integers", "Vec<Vec<String>>"));
        assert!(!agree("string", "&'a mut dyn Into<u8>"));
    }

    #[test]
    fn an_alias_is_what_it_stands_for() {
        let alias = Aliases::from([(
            "Result".to_owned(),
            (
                vec!["T".to_owned()],
                "std::result::Result<T, Broken>".to_owned(),
            ),
        )]);
        let Shape::Outcome(good, bad) = Shape::of_code("Result<Vec<u8>>", &alias) else {
            panic!("an outcome");
        };
        assert_eq!(*good, Shape::List(Box::new(Shape::Integer)));
        assert_eq!(*bad, Shape::Named("Broken".to_owned()));
    }
}

//! A type as far as a contract can speak of it: text, whole number, list of something. Contracts
//! say it in prose or in a language's own words, code in its own; both become a shape, and shapes
//! are compared. What is not understood is `Any` and agrees with everything: a guess never blocks.

use std::collections::BTreeMap;

/// A type, roughly.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Shape {
    /// Not understood, or anything at all.
    Any,
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
pub(super) const DEEPEST: u32 = 12;

impl Shape {
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

pub(super) fn is_name(word: &str) -> bool {
    word.starts_with(|c: char| c.is_uppercase()) && word.chars().any(|c| c.is_lowercase())
}

/// One word, in any of the languages.
pub(super) fn plain(word: &str) -> Option<Shape> {
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

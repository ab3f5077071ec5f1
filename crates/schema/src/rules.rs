//! A schema's keywords as they are held against a value: read, checked and with their references
//! followed.

use crate::numbers::Decimal;
use crate::pattern::Pattern;
use serde_json::Number;
use std::collections::BTreeMap;

/// The number of a place in the document that is a schema.
pub(crate) type Id = usize;

/// The types that a value can have.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Type {
    Null,
    Boolean,
    Integer,
    Number,
    String,
    Array,
    Object,
}

impl Type {
    pub(crate) const ALL: [(&'static str, Type); 7] = [
        ("null", Type::Null),
        ("boolean", Type::Boolean),
        ("integer", Type::Integer),
        ("number", Type::Number),
        ("string", Type::String),
        ("array", Type::Array),
        ("object", Type::Object),
    ];

    pub(crate) fn name(self) -> &'static str {
        let known = Self::ALL.iter().find(|(_, known)| *known == self);
        known.map_or("", |(name, _)| *name)
    }
}

/// A side of a limit, and whether the limit itself is in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Bound {
    AtLeast,
    MoreThan,
    AtMost,
    LessThan,
}

/// What is counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Counted {
    Characters,
    Items,
    Properties,
}

/// One thing that a value has to hold to.
#[derive(Debug, Clone)]
pub(crate) enum Rule {
    /// The schema `false`.
    Never,
    Type(Vec<Type>),
    Enum(Vec<serde_json::Value>),
    Const(serde_json::Value),
    MultipleOf(Number, Decimal),
    Limit(Bound, Number),
    AtLeast(Counted, u64),
    AtMost(Counted, u64),
    Pattern(Pattern),
    UniqueItems,
    Items {
        first: Vec<Id>,
        others: Option<Id>,
    },
    Contains {
        what: Id,
        least: u64,
        most: Option<u64>,
    },
    Required(Vec<String>),
    Properties {
        named: BTreeMap<String, Id>,
        matching: Vec<(Pattern, Id)>,
        others: Option<Id>,
    },
    PropertyNames(Id),
    DependentRequired(BTreeMap<String, Vec<String>>),
    DependentSchemas(BTreeMap<String, Id>),
    Reference(Id),
    AllOf(Vec<Id>),
    AnyOf(Vec<Id>),
    OneOf(Vec<Id>),
    Not(Id),
    If {
        condition: Id,
        then: Option<Id>,
        otherwise: Option<Id>,
    },
    /// Last, because they see what the others looked at.
    UnevaluatedItems(Id),
    UnevaluatedProperties(Id),
}

impl Rule {
    /// The schemas that this rule holds against the same value, and not against a part of it.
    pub(crate) fn in_place(&self) -> Vec<Id> {
        match self {
            Rule::Reference(id) | Rule::Not(id) => vec![*id],
            Rule::AllOf(ids) | Rule::AnyOf(ids) | Rule::OneOf(ids) => ids.clone(),
            Rule::DependentSchemas(by_name) => by_name.values().copied().collect(),
            Rule::If {
                condition,
                then,
                otherwise,
            } => {
                let branches = [*then, *otherwise].into_iter().flatten();
                std::iter::once(*condition).chain(branches).collect()
            }
            _ => Vec::new(),
        }
    }
}

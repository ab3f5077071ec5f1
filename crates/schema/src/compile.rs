//! From a JSON document to rules. Every keyword's value is checked here, so that judging cannot
//! fail; references are followed within the document, and nowhere else.

use crate::error::{Problem, SchemaError};
use crate::keywords::{DRAFTS, HELD, NOTES};
use crate::numbers::{self, Decimal};
use crate::pattern::Pattern;
use crate::rules::{Bound, Counted, Id, Rule, Type};
use serde_json::{Map, Number, Value};
use std::collections::{BTreeMap, BTreeSet};

const A_NAME: &str = "a text";
const A_COUNT: &str = "a whole number from 0";
const NAMES: &str = "a list of different texts";
const SCHEMAS: &str = "an object of schemas";
const A_LIST: &str = "a list of at least one schema";
const TYPES: &str =
    "a type or a list of different ones: null, boolean, integer, number, string, array, object";
const ONE_SCHEMA: &str = "a schema (for the first items one by one, write `prefixItems`)";

type Result<T> = std::result::Result<T, SchemaError>;

pub(crate) fn compile(document: &Value) -> Result<Vec<Vec<Rule>>> {
    let mut compiler = Compiler {
        document,
        places: Vec::new(),
        known: BTreeMap::new(),
        anchors: BTreeMap::new(),
        open: Vec::new(),
    };
    compiler.schema("", document)?;
    compiler.follow()?;
    compiler.refuse_endless()?;
    Ok(compiler.places)
}

/// A reference whose end is not known yet.
struct Open {
    from: Id,
    place: String,
    text: String,
}

struct Compiler<'d> {
    document: &'d Value,
    places: Vec<Vec<Rule>>,
    /// By JSON pointer.
    known: BTreeMap<String, Id>,
    anchors: BTreeMap<String, Id>,
    open: Vec<Open>,
}

impl Compiler<'_> {
    /// The schema at a place, read once however many references lead there.
    fn schema(&mut self, place: &str, value: &Value) -> Result<Id> {
        if let Some(id) = self.known.get(place) {
            return Ok(*id);
        }
        let id = self.places.len();
        self.places.push(Vec::new());
        self.known.insert(place.to_owned(), id);
        self.places[id] = match value {
            Value::Bool(true) => Vec::new(),
            Value::Bool(false) => vec![Rule::Never],
            Value::Object(members) => {
                let rules = self.rules(place, members, id)?;
                if let Some(text) = members.get("$ref") {
                    let open = Open {
                        from: id,
                        place: below(place, "$ref"),
                        text: text_of(place, "$ref", text)?.to_owned(),
                    };
                    self.open.push(open);
                }
                rules
            }
            other => return Err(error(place, Problem::NoSchema(other.to_string()))),
        };
        Ok(id)
    }

    fn rules(&mut self, place: &str, members: &Map<String, Value>, id: Id) -> Result<Vec<Rule>> {
        let mut rules = Vec::new();
        for (keyword, value) in members {
            let at = below(place, keyword);
            match keyword.as_str() {
                "type" => rules.push(Rule::Type(types(&at, value)?)),
                "const" => rules.push(Rule::Const(value.clone())),
                "enum" => rules.push(Rule::Enum(list(&at, value, "a list")?.to_vec())),
                "multipleOf" => rules.push(multiple_of(&at, value)?),
                "maximum" => rules.push(Rule::Limit(Bound::AtMost, number(&at, value)?)),
                "exclusiveMaximum" => rules.push(Rule::Limit(Bound::LessThan, number(&at, value)?)),
                "minimum" => rules.push(Rule::Limit(Bound::AtLeast, number(&at, value)?)),
                "exclusiveMinimum" => rules.push(Rule::Limit(Bound::MoreThan, number(&at, value)?)),
                "maxLength" => rules.push(Rule::AtMost(Counted::Characters, count(&at, value)?)),
                "minLength" => rules.push(Rule::AtLeast(Counted::Characters, count(&at, value)?)),
                "maxItems" => rules.push(Rule::AtMost(Counted::Items, count(&at, value)?)),
                "minItems" => rules.push(Rule::AtLeast(Counted::Items, count(&at, value)?)),
                "maxProperties" => {
                    rules.push(Rule::AtMost(Counted::Properties, count(&at, value)?));
                }
                "minProperties" => {
                    rules.push(Rule::AtLeast(Counted::Properties, count(&at, value)?));
                }
                "uniqueItems" => match value {
                    Value::Bool(true) => rules.push(Rule::UniqueItems),
                    Value::Bool(false) => {}
                    _ => return Err(unfit(&at, value, "true or false")),
                },
                "pattern" => {
                    let text = text_of(place, keyword, value)?;
                    rules.push(Rule::Pattern(pattern(&at, text)?));
                }
                "required" => rules.push(Rule::Required(names(&at, value)?)),
                "dependentRequired" => {
                    let by_name = object(&at, value, "an object of lists of names")?;
                    let entry = |(name, value): (&String, &Value)| {
                        Ok((name.clone(), names(&below(&at, name), value)?))
                    };
                    let by_name: Result<_> = by_name.iter().map(entry).collect();
                    rules.push(Rule::DependentRequired(by_name?));
                }
                "dependentSchemas" => {
                    rules.push(Rule::DependentSchemas(self.schemas(&at, value)?));
                }
                "propertyNames" => rules.push(Rule::PropertyNames(self.schema(&at, value)?)),
                "allOf" => rules.push(Rule::AllOf(self.list(&at, value)?)),
                "anyOf" => rules.push(Rule::AnyOf(self.list(&at, value)?)),
                "oneOf" => rules.push(Rule::OneOf(self.list(&at, value)?)),
                "not" => rules.push(Rule::Not(self.schema(&at, value)?)),
                "$defs" | "definitions" => {
                    self.schemas(&at, value)?;
                }
                "contentSchema" => {
                    self.schema(&at, value)?;
                }
                "$anchor" => {
                    let name = text_of(place, keyword, value)?;
                    if self.anchors.insert(name.to_owned(), id).is_some() {
                        return Err(error(&at, Problem::Twice(name.to_owned())));
                    }
                }
                "$id" if !place.is_empty() => {
                    let wanted = "allowed but for the whole (write `$anchor` for a place)";
                    return Err(unfit(&at, value, wanted));
                }
                "$schema" => draft(&at, text_of(place, keyword, value)?)?,
                known if is_known(known) => {}
                unknown => return Err(error(&at, Problem::Unknown(unknown.to_owned()))),
            }
        }
        self.together(place, members, &mut rules)?;
        Ok(rules)
    }

    /// Keywords that mean something only beside each other.
    fn together(
        &mut self,
        place: &str,
        members: &Map<String, Value>,
        rules: &mut Vec<Rule>,
    ) -> Result<()> {
        let first = match members.get("prefixItems") {
            Some(value) => self.list(&below(place, "prefixItems"), value)?,
            None => Vec::new(),
        };
        if let Some(Value::Array(_)) = members.get("items") {
            let at = below(place, "items");
            return Err(unfit(&at, &members["items"], ONE_SCHEMA));
        }
        let others = self.member(place, members, "items")?;
        if !first.is_empty() || others.is_some() {
            rules.push(Rule::Items { first, others });
        }
        let counted = |keyword: &str| match members.get(keyword) {
            Some(value) => count(&below(place, keyword), value).map(Some),
            None => Ok(None),
        };
        let (least, most) = (counted("minContains")?, counted("maxContains")?);
        if let Some(what) = self.member(place, members, "contains")? {
            let least = least.unwrap_or(1);
            rules.push(Rule::Contains { what, least, most });
        }
        self.properties(place, members, rules)?;
        let then = self.member(place, members, "then")?;
        let otherwise = self.member(place, members, "else")?;
        if let Some(condition) = self.member(place, members, "if")? {
            rules.push(Rule::If {
                condition,
                then,
                otherwise,
            });
        }
        if let Some(id) = self.member(place, members, "unevaluatedItems")? {
            rules.push(Rule::UnevaluatedItems(id));
        }
        if let Some(id) = self.member(place, members, "unevaluatedProperties")? {
            rules.push(Rule::UnevaluatedProperties(id));
        }
        Ok(())
    }

    fn properties(
        &mut self,
        place: &str,
        members: &Map<String, Value>,
        rules: &mut Vec<Rule>,
    ) -> Result<()> {
        let named = match members.get("properties") {
            Some(value) => self.schemas(&below(place, "properties"), value)?,
            None => BTreeMap::new(),
        };
        let mut matching = Vec::new();
        if let Some(value) = members.get("patternProperties") {
            let at = below(place, "patternProperties");
            for (text, id) in self.schemas(&at, value)? {
                matching.push((pattern(&below(&at, &text), &text)?, id));
            }
        }
        let others = self.member(place, members, "additionalProperties")?;
        if !named.is_empty() || !matching.is_empty() || others.is_some() {
            rules.push(Rule::Properties {
                named,
                matching,
                others,
            });
        }
        Ok(())
    }

    fn member(
        &mut self,
        place: &str,
        members: &Map<String, Value>,
        keyword: &str,
    ) -> Result<Option<Id>> {
        let Some(value) = members.get(keyword) else {
            return Ok(None);
        };
        self.schema(&below(place, keyword), value).map(Some)
    }

    fn schemas(&mut self, place: &str, value: &Value) -> Result<BTreeMap<String, Id>> {
        let mut found = BTreeMap::new();
        for (name, value) in object(place, value, SCHEMAS)? {
            found.insert(name.clone(), self.schema(&below(place, name), value)?);
        }
        Ok(found)
    }

    fn list(&mut self, place: &str, value: &Value) -> Result<Vec<Id>> {
        let items = list(place, value, A_LIST)?;
        if items.is_empty() {
            return Err(unfit(place, value, A_LIST));
        }
        let mut found = Vec::new();
        for (at, item) in items.iter().enumerate() {
            found.push(self.schema(&below(place, &at.to_string()), item)?);
        }
        Ok(found)
    }

    /// Follows every reference, and those of what they lead to.
    fn follow(&mut self) -> Result<()> {
        while let Some(open) = self.open.pop() {
            let to = self.target(&open)?;
            // Before the rules that look at what the others saw.
            let rules = &mut self.places[open.from];
            let last = |rule: &Rule| {
                matches!(
                    rule,
                    Rule::UnevaluatedItems(_) | Rule::UnevaluatedProperties(_)
                )
            };
            let at = rules.iter().position(last).unwrap_or(rules.len());
            rules.insert(at, Rule::Reference(to));
        }
        Ok(())
    }

    fn target(&mut self, open: &Open) -> Result<Id> {
        let document = self.document;
        let own = document.get("$id").and_then(Value::as_str);
        let own = own.map(|own| own.trim_end_matches('#'));
        let (base, fragment) = open.text.split_once('#').unwrap_or((&open.text, ""));
        if !base.is_empty() && Some(base) != own {
            return Err(error(&open.place, Problem::Outside(open.text.clone())));
        }
        let gone = || error(&open.place, Problem::Gone(open.text.clone()));
        let fragment = decoded(fragment).ok_or_else(gone)?;
        if fragment.is_empty() || fragment.starts_with('/') {
            let value = document.pointer(&fragment).ok_or_else(gone)?;
            return self.schema(&fragment, value);
        }
        self.anchors.get(&fragment).copied().ok_or_else(gone)
    }

    /// A circle of schemas over one value would be held against it for ever.
    fn refuse_endless(&self) -> Result<()> {
        let mut done = BTreeSet::new();
        for (place, id) in &self.known {
            if self.comes_back(*id, &mut BTreeSet::new(), &mut done) {
                return Err(error(place, Problem::Endless));
            }
        }
        Ok(())
    }

    fn comes_back(&self, id: Id, above: &mut BTreeSet<Id>, done: &mut BTreeSet<Id>) -> bool {
        if done.contains(&id) {
            return false;
        }
        if !above.insert(id) {
            return true;
        }
        let next = self.places[id].iter().flat_map(Rule::in_place);
        let back = next.into_iter().any(|id| self.comes_back(id, above, done));
        above.remove(&id);
        done.insert(id);
        back
    }
}

fn is_known(keyword: &str) -> bool {
    HELD.contains(&keyword) || NOTES.contains(&keyword) || keyword.starts_with("x-")
}

fn error(place: &str, problem: Problem) -> SchemaError {
    SchemaError {
        place: place.to_owned(),
        problem,
    }
}

fn unfit(place: &str, value: &Value, wanted: &'static str) -> SchemaError {
    let value = value.to_string();
    error(place, Problem::Value { value, wanted })
}

/// The place of a member, as a JSON pointer.
pub(crate) fn below(place: &str, name: &str) -> String {
    format!("{place}/{}", name.replace('~', "~0").replace('/', "~1"))
}

fn text_of<'v>(place: &str, keyword: &str, value: &'v Value) -> Result<&'v str> {
    let text = value.as_str();
    text.ok_or_else(|| unfit(&below(place, keyword), value, A_NAME))
}

fn draft(place: &str, text: &str) -> Result<()> {
    let name = text.trim_end_matches('#');
    let name = name
        .strip_prefix("https://")
        .or(name.strip_prefix("http://"));
    if name.is_some_and(|name| DRAFTS.contains(&name)) {
        return Ok(());
    }
    Err(error(place, Problem::Draft(text.to_owned())))
}

fn object<'v>(
    place: &str,
    value: &'v Value,
    wanted: &'static str,
) -> Result<&'v Map<String, Value>> {
    let object = value.as_object();
    object.ok_or_else(|| unfit(place, value, wanted))
}

fn list<'v>(place: &str, value: &'v Value, wanted: &'static str) -> Result<&'v [Value]> {
    let list = value.as_array().map(Vec::as_slice);
    list.ok_or_else(|| unfit(place, value, wanted))
}

fn names(place: &str, value: &Value) -> Result<Vec<String>> {
    let bad = || unfit(place, value, NAMES);
    let mut names = Vec::new();
    for name in list(place, value, NAMES)? {
        let name = name.as_str().ok_or_else(bad)?.to_owned();
        if names.contains(&name) {
            return Err(bad());
        }
        names.push(name);
    }
    Ok(names)
}

fn types(place: &str, value: &Value) -> Result<Vec<Type>> {
    let bad = || unfit(place, value, TYPES);
    let one = |value: &Value| {
        let known = Type::ALL.iter().find(|(name, _)| value == name);
        known.map(|(_, known)| *known).ok_or_else(bad)
    };
    let Value::Array(items) = value else {
        return Ok(vec![one(value)?]);
    };
    let mut types: Vec<Type> = Vec::new();
    for item in items {
        let item = one(item)?;
        if types.contains(&item) {
            return Err(bad());
        }
        types.push(item);
    }
    if types.is_empty() {
        Err(bad())
    } else {
        Ok(types)
    }
}

fn number(place: &str, value: &Value) -> Result<Number> {
    let number = value.as_number().cloned();
    number.ok_or_else(|| unfit(place, value, "a number"))
}

fn count(place: &str, value: &Value) -> Result<u64> {
    let whole = value.as_number().and_then(numbers::integer);
    let count = whole.and_then(|whole| u64::try_from(whole).ok());
    count.ok_or_else(|| unfit(place, value, A_COUNT))
}

fn multiple_of(place: &str, value: &Value) -> Result<Rule> {
    let number = number(place, value)?;
    let decimal = Decimal::of(&number).filter(|decimal| !decimal.is_zero());
    match decimal {
        Some(decimal) if number.as_f64().is_some_and(|float| float > 0.0) => {
            Ok(Rule::MultipleOf(number, decimal))
        }
        _ => Err(unfit(place, value, "a number above 0")),
    }
}

fn pattern(place: &str, text: &str) -> Result<Pattern> {
    Pattern::new(text).map_err(|cause| {
        let pattern = text.to_owned();
        let cause = Box::new(cause);
        error(place, Problem::Pattern { pattern, cause })
    })
}

/// A fragment of an address without its percent signs.
fn decoded(fragment: &str) -> Option<String> {
    let mut bytes = Vec::with_capacity(fragment.len());
    let mut rest = fragment.as_bytes();
    while let [first, others @ ..] = rest {
        rest = others;
        if *first != b'%' {
            bytes.push(*first);
            continue;
        }
        let digits = std::str::from_utf8(others.get(..2)?).ok()?;
        bytes.push(u8::from_str_radix(digits, 16).ok()?);
        rest = &others[2..];
    }
    String::from_utf8(bytes).ok()
}

//! Holds a value against rules and says everything that is wrong with it, each with its place.
//!
//! The sentences are for whoever has to write the value again, people and models alike.

use crate::compile::below;
use crate::numbers::{self, Decimal};
use crate::rules::{Bound, Counted, Id, Rule, Type};
use serde_json::{Map, Number, Value};
use std::cmp::Ordering;
use std::collections::BTreeSet;

/// One thing that is wrong with a value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fault {
    /// The place in the value as a JSON pointer; empty is the whole.
    pub place: String,
    /// What is wrong there.
    pub what: String,
}

pub(crate) fn faults(places: &[Vec<Rule>], value: &Value) -> Vec<Fault> {
    Judge { places }.judge(0, value, &Here::Whole).faults
}

/// A place in the value; written out only where something is wrong.
enum Here<'h> {
    Whole,
    Member(&'h Here<'h>, &'h str),
    Item(&'h Here<'h>, usize),
}

impl Here<'_> {
    fn pointer(&self) -> String {
        match self {
            Here::Whole => String::new(),
            Here::Member(above, name) => below(&above.pointer(), name),
            Here::Item(above, at) => format!("{}/{at}", above.pointer()),
        }
    }
}

/// What one schema says of a value.
#[derive(Default)]
struct Judged {
    faults: Vec<Fault>,
    /// Names of properties that some schema was held against.
    names: BTreeSet<String>,
    /// How many first items were; all of them: the largest number.
    first: usize,
    /// Other items.
    items: BTreeSet<usize>,
    /// Is the value of none of the types that are asked for?
    other_type: bool,
}

impl Judged {
    fn say(&mut self, here: &Here<'_>, what: String) {
        let place = here.pointer();
        self.faults.push(Fault { place, what });
    }

    /// Of another schema over the same value.
    fn join(&mut self, other: Judged) {
        self.faults.extend(other.faults);
        self.names.extend(other.names);
        self.first = self.first.max(other.first);
        self.items.extend(other.items);
    }

    /// Of a schema over a part of the value: what it looked at is the part's.
    fn join_part(&mut self, part: Judged) {
        self.faults.extend(part.faults);
    }

    fn holds(&self) -> bool {
        self.faults.is_empty()
    }
}

struct Judge<'j> {
    places: &'j [Vec<Rule>],
}

impl Judge<'_> {
    fn judge(&self, id: Id, value: &Value, here: &Here<'_>) -> Judged {
        let mut judged = Judged::default();
        for rule in &self.places[id] {
            self.any(rule, value, here, &mut judged);
            match value {
                Value::Number(number) => of_number(rule, number, here, &mut judged),
                Value::String(text) => of_text(rule, text, here, &mut judged),
                Value::Array(items) => self.of_list(rule, items, here, &mut judged),
                Value::Object(members) => self.of_object(rule, members, here, &mut judged),
                Value::Null | Value::Bool(_) => {}
            }
        }
        judged
    }

    fn holds(&self, id: Id, value: &Value, here: &Here<'_>) -> bool {
        self.judge(id, value, here).holds()
    }

    /// Rules about values of every type.
    fn any(&self, rule: &Rule, value: &Value, here: &Here<'_>, judged: &mut Judged) {
        match rule {
            Rule::Never => judged.say(here, format!("{value} stands where nothing may stand")),
            Rule::Type(types) if !types.iter().any(|wanted| is_of(value, *wanted)) => {
                judged.other_type = true;
                let names: Vec<String> = types
                    .iter()
                    .map(|wanted| format!("\"{}\"", wanted.name()))
                    .collect();
                let word = if names.len() == 1 { "type" } else { "types" };
                judged.say(
                    here,
                    format!("{value} is not of {word} {}", names.join(", ")),
                );
            }
            Rule::Const(wanted) if !same(value, wanted) => {
                judged.say(here, format!("{wanted} was expected"));
            }
            Rule::Enum(allowed) if !allowed.iter().any(|one| same(value, one)) => {
                judged.say(here, format!("{value} is not one of {}", choice(allowed)));
            }
            Rule::Reference(id) => judged.join(self.judge(*id, value, here)),
            Rule::AllOf(ids) => {
                for id in ids {
                    judged.join(self.judge(*id, value, here));
                }
            }
            Rule::AnyOf(ids) => self.any_of(ids, value, here, judged),
            Rule::OneOf(ids) => self.one_of(ids, value, here, judged),
            Rule::Not(id) if self.holds(*id, value, here) => {
                judged.say(here, format!("{value} is just what is not allowed here"));
            }
            Rule::If {
                condition,
                then,
                otherwise,
            } => {
                let asked = self.judge(*condition, value, here);
                let branch = if asked.holds() {
                    judged.join(asked);
                    then
                } else {
                    otherwise
                };
                if let Some(id) = branch {
                    judged.join(self.judge(*id, value, here));
                }
            }
            _ => {}
        }
    }

    fn any_of(&self, ids: &[Id], value: &Value, here: &Here<'_>, judged: &mut Judged) {
        let all = ids.iter().map(|id| self.judge(*id, value, here));
        let (right, wrong): (Vec<_>, Vec<_>) = all.partition(Judged::holds);
        if right.is_empty() {
            return nearest(wrong, value, "anyOf", here, judged);
        }
        right.into_iter().for_each(|one| judged.join(one));
    }

    fn one_of(&self, ids: &[Id], value: &Value, here: &Here<'_>, judged: &mut Judged) {
        let all = ids.iter().map(|id| self.judge(*id, value, here));
        let (mut right, wrong): (Vec<_>, Vec<_>) = all.partition(Judged::holds);
        match (right.len(), right.pop()) {
            (1, Some(one)) => judged.join(one),
            (0, _) => nearest(wrong, value, "oneOf", here, judged),
            _ => {
                let what =
                    "is valid under more than one of the schemas listed in the 'oneOf' keyword";
                judged.say(here, format!("{value} {what}"));
            }
        }
    }

    fn of_list(&self, rule: &Rule, items: &[Value], here: &Here<'_>, judged: &mut Judged) {
        let shown = || Value::Array(items.to_vec());
        match rule {
            Rule::AtLeast(Counted::Items, least) if below_least(items.len(), *least) => {
                let what = format!("{} has less than {}", shown(), counted(*least, "item"));
                judged.say(here, what);
            }
            Rule::AtMost(Counted::Items, most) if above_most(items.len(), *most) => {
                let what = format!("{} has more than {}", shown(), counted(*most, "item"));
                judged.say(here, what);
            }
            Rule::UniqueItems => {
                let different: BTreeSet<String> = items.iter().map(numbers::normal).collect();
                if different.len() < items.len() {
                    judged.say(here, format!("{} has non-unique elements", shown()));
                }
            }
            Rule::Items { first, others } => {
                for (at, item) in items.iter().enumerate() {
                    let Some(id) = first.get(at).or(others.as_ref()) else {
                        break;
                    };
                    judged.join_part(self.judge(*id, item, &Here::Item(here, at)));
                }
                let looked_at = if others.is_some() {
                    usize::MAX
                } else {
                    first.len()
                };
                judged.first = judged.first.max(looked_at);
            }
            Rule::Contains { what, least, most } => {
                let holds = |at: &usize| self.holds(*what, &items[*at], &Here::Item(here, *at));
                let found: BTreeSet<usize> = (0..items.len()).filter(holds).collect();
                if below_least(found.len(), *least) {
                    let what = "items that are valid under the schema of 'contains'";
                    judged.say(here, format!("{} has less than {least} {what}", shown()));
                }
                if most.is_some_and(|most| above_most(found.len(), most)) {
                    let what =
                        "has more items that are valid under the schema of 'contains' than allowed";
                    judged.say(here, format!("{} {what}", shown()));
                }
                judged.items.extend(found);
            }
            Rule::UnevaluatedItems(id) => {
                let unseen = |at: &usize| *at >= judged.first && !judged.items.contains(at);
                let unseen: Vec<usize> = (0..items.len()).filter(unseen).collect();
                for at in unseen {
                    judged.join_part(self.judge(*id, &items[at], &Here::Item(here, at)));
                }
                judged.first = usize::MAX;
            }
            _ => {}
        }
    }

    fn of_object(
        &self,
        rule: &Rule,
        members: &Map<String, Value>,
        here: &Here<'_>,
        judged: &mut Judged,
    ) {
        let shown = || Value::Object(members.clone());
        match rule {
            Rule::AtLeast(Counted::Properties, least) if below_least(members.len(), *least) => {
                let what = format!("{} has less than {}", shown(), properties(*least));
                judged.say(here, what);
            }
            Rule::AtMost(Counted::Properties, most) if above_most(members.len(), *most) => {
                let what = format!("{} has more than {}", shown(), properties(*most));
                judged.say(here, what);
            }
            Rule::Required(names) => missing(names, members, here, judged),
            Rule::DependentRequired(by_name) => {
                let asked = by_name
                    .iter()
                    .filter(|(name, _)| members.contains_key(*name));
                asked.for_each(|(_, names)| missing(names, members, here, judged));
            }
            Rule::DependentSchemas(by_name) => {
                for (_, id) in by_name
                    .iter()
                    .filter(|(name, _)| members.contains_key(*name))
                {
                    judged.join(self.judge(*id, &shown(), here));
                }
            }
            Rule::PropertyNames(id) => {
                for name in members.keys() {
                    let name = Value::String(name.clone());
                    for fault in self.judge(*id, &name, here).faults {
                        judged.say(here, format!("has a property whose name {}", fault.what));
                    }
                }
            }
            Rule::Properties {
                named,
                matching,
                others,
            } => {
                let mut left = Vec::new();
                for (name, value) in members {
                    let patterns = matching.iter().filter(|(pattern, _)| pattern.is_in(name));
                    let patterns = patterns.map(|(_, id)| id);
                    let ids: Vec<&Id> = named.get(name).into_iter().chain(patterns).collect();
                    if ids.is_empty() {
                        left.push(name);
                        continue;
                    }
                    judged.names.insert(name.clone());
                    for id in ids {
                        judged.join_part(self.judge(*id, value, &Here::Member(here, name)));
                    }
                }
                if let Some(id) = others {
                    self.others(*id, "Additional", left, members, here, judged);
                }
            }
            Rule::UnevaluatedProperties(id) => {
                let unseen = members.keys().filter(|name| !judged.names.contains(*name));
                let unseen = unseen.collect();
                self.others(*id, "Unevaluated", unseen, members, here, judged);
            }
            _ => {}
        }
    }

    /// Properties that no other rule spoke of; where none may be, one sentence names them all.
    fn others(
        &self,
        id: Id,
        which: &str,
        names: Vec<&String>,
        members: &Map<String, Value>,
        here: &Here<'_>,
        judged: &mut Judged,
    ) {
        if !names.is_empty() && matches!(self.places[id][..], [Rule::Never]) {
            let shown: Vec<String> = names.iter().map(|name| format!("'{name}'")).collect();
            let were = if shown.len() == 1 { "was" } else { "were" };
            let shown = shown.join(", ");
            let what = format!("{which} properties are not allowed ({shown} {were} unexpected)");
            judged.say(here, what);
            return;
        }
        for name in names {
            judged.join_part(self.judge(id, &members[name], &Here::Member(here, name)));
            judged.names.insert(name.clone());
        }
    }
}

/// Where all alternatives but one are of other types, the one says what is wrong with it.
fn nearest(
    mut wrong: Vec<Judged>,
    value: &Value,
    word: &str,
    here: &Here<'_>,
    judged: &mut Judged,
) {
    wrong.retain(|one| !one.other_type);
    match (wrong.len(), wrong.pop()) {
        (1, Some(one)) => judged.faults.extend(one.faults),
        _ => {
            let what =
                format!("is not valid under any of the schemas listed in the '{word}' keyword");
            judged.say(here, format!("{value} {what}"));
        }
    }
}

fn missing(names: &[String], members: &Map<String, Value>, here: &Here<'_>, judged: &mut Judged) {
    for name in names.iter().filter(|name| !members.contains_key(*name)) {
        judged.say(&Here::Member(here, name), "is missing".to_owned());
    }
}

fn of_number(rule: &Rule, number: &Number, here: &Here<'_>, judged: &mut Judged) {
    match rule {
        Rule::Limit(bound, limit) => {
            let order = numbers::compare(number, limit);
            let (wrong, what) = match bound {
                Bound::AtMost => (order.is_gt(), "greater than the maximum of"),
                Bound::LessThan => (order.is_ge(), "not less than"),
                Bound::AtLeast => (order == Ordering::Less, "less than the minimum of"),
                Bound::MoreThan => (order.is_le(), "not greater than"),
            };
            if wrong {
                judged.say(here, format!("{number} is {what} {limit}"));
            }
        }
        Rule::MultipleOf(written, of)
            if !Decimal::of(number).is_some_and(|number| number.is_multiple_of(*of)) =>
        {
            judged.say(here, format!("{number} is not a multiple of {written}"));
        }
        _ => {}
    }
}

fn of_text(rule: &Rule, text: &str, here: &Here<'_>, judged: &mut Judged) {
    let shown = || Value::String(text.to_owned());
    let length = || text.chars().count();
    match rule {
        Rule::AtLeast(Counted::Characters, least) if below_least(length(), *least) => {
            let limit = counted(*least, "character");
            judged.say(here, format!("{} is shorter than {limit}", shown()));
        }
        Rule::AtMost(Counted::Characters, most) if above_most(length(), *most) => {
            let limit = counted(*most, "character");
            judged.say(here, format!("{} is longer than {limit}", shown()));
        }
        Rule::Pattern(pattern) if !pattern.is_in(text) => {
            judged.say(
                here,
                format!("{} does not match \"{}\"", shown(), pattern.written),
            );
        }
        _ => {}
    }
}

fn is_of(value: &Value, wanted: Type) -> bool {
    match wanted {
        Type::Null => value.is_null(),
        Type::Boolean => value.is_boolean(),
        Type::Integer => value.as_number().is_some_and(numbers::is_integer),
        Type::Number => value.is_number(),
        Type::String => value.is_string(),
        Type::Array => value.is_array(),
        Type::Object => value.is_object(),
    }
}

fn same(one: &Value, other: &Value) -> bool {
    one == other || numbers::normal(one) == numbers::normal(other)
}

fn below_least(length: usize, least: u64) -> bool {
    u64::try_from(length).is_ok_and(|length| length < least)
}

fn above_most(length: usize, most: u64) -> bool {
    u64::try_from(length).is_ok_and(|length| length > most)
}

fn counted(number: u64, what: &str) -> String {
    let s = if number == 1 { "" } else { "s" };
    format!("{number} {what}{s}")
}

fn properties(number: u64) -> String {
    let word = if number == 1 {
        "property"
    } else {
        "properties"
    };
    format!("{number} {word}")
}

/// `"a", "b" or "c"`.
fn choice(allowed: &[Value]) -> String {
    let shown: Vec<String> = allowed.iter().map(Value::to_string).collect();
    match shown.split_last() {
        None => "nothing".to_owned(),
        Some((last, [])) => last.clone(),
        Some((last, others)) => format!("{} or {last}", others.join(", ")),
    }
}

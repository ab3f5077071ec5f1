//! The judgement of a spec: one walk over the text along the form of `ProductSpec`, then the questions
//! that need all tasks together. It collects everything and stops at nothing but text that is not JSON.

use super::graph::{self, Step, TaskSeen, path_of};
use super::{Case, Product, ProductSpec, Task, called};
use crate::deficiency::{Deficiency, Report, Severity};
use crate::ids;
use documents::prose;
use kernel::form::{Form, Id, Member, Object, Presence, Rule, placeholder};
use kernel::json::{Document, Kind, Places, Value};
use serde::Deserialize;
use std::borrow::Cow;

/// Judges a text that should be a product spec.
pub fn validate(bytes: &[u8]) -> Report {
    match Document::parse(bytes) {
        Ok(document) => validate_document(&document),
        Err(error) => {
            let mut found = Deficiency::error(error.code, "$", "", error.what);
            found.line = Some(error.line);
            found.column = Some(error.column);
            [found].into_iter().collect()
        }
    }
}

/// Judges a parsed document.
pub fn validate_document(document: &Document<'_>) -> Report {
    let mut walk = Walk {
        trail: Vec::with_capacity(8),
        found: Vec::new(),
        tasks: Vec::new(),
    };
    for fault in &document.faults {
        let (path, field) = document.path_to(fault.offset);
        let message = fault.kind.message().to_owned();
        let deficiency = Deficiency::error(fault.kind.code(), path, field, message);
        walk.found.push((fault.offset, deficiency));
    }
    walk.object(document.root(), &ProductSpec::OBJECT);
    let tasks = std::mem::take(&mut walk.tasks);
    graph::judge(&tasks, &mut walk.found);
    of_product(document, &mut walk.found);
    located(document, walk.found)
}

/// What a product promises is asked once everything else is as it should be: it needs all of it.
fn of_product(document: &Document<'_>, found: &mut Vec<(usize, Deficiency)>) {
    let wrong = found.iter().any(|(_, one)| one.severity == Severity::Error);
    if wrong {
        return;
    }
    let Ok(value) = serde_json::from_str(document.text()) else {
        return;
    };
    let judged = match called::unformed(&value) {
        judged if !judged.is_empty() => judged,
        _ => ProductSpec::deserialize(&value).map_or(Vec::new(), |spec| {
            let mut judged = super::product::judge(&spec);
            judged.extend(called::judge(&spec));
            judged
        }),
    };
    let judged = judged.into_iter();
    found.extend(judged.map(|one| (document.offset_of(&one.path, &one.field), one)));
}

/// Puts lines and columns in, in one pass over the text.
pub(super) fn located(document: &Document<'_>, mut found: Vec<(usize, Deficiency)>) -> Report {
    found.sort_by_key(|(offset, _)| *offset);
    let mut places = Places::new(document.text().as_bytes());
    let place = |(offset, mut deficiency): (usize, Deficiency)| {
        let place = places.of(offset);
        deficiency.line = Some(place.line);
        deficiency.column = Some(place.column);
        deficiency
    };
    found.into_iter().map(place).collect()
}

struct Walk<'a> {
    trail: Vec<Step>,
    found: Vec<(usize, Deficiency)>,
    tasks: Vec<TaskSeen<'a>>,
}

/// No object has more members; the walk keeps them in an array.
const MOST_MEMBERS: usize = 8;

/// The condition of rule F3.2.3 that a lack of this member breaks, besides the tenth.
fn own_rule(object: &Object, member: &str) -> Option<u8> {
    match (object.name, member) {
        ("Pillar", "epics") => Some(1),
        ("Epic", "success_criteria" | "stories") => Some(2),
        ("Story", "tasks") => Some(3),
        ("Task", "subtasks") => Some(4),
        ("Task", "acceptance_criteria") => Some(5),
        ("Task", "io_contract_sketch") | ("IoContractSketch", _) => Some(6),
        _ => None,
    }
}

/// As messages call it.
fn noun(object: &Object) -> String {
    match object.name {
        "ProductSpec" => "spec".to_owned(),
        "IoContractSketch" => "I/O contract sketch".to_owned(),
        name if name == Product::OBJECT.name => "product".to_owned(),
        name if name == Case::OBJECT.name => "case".to_owned(),
        name => name.to_lowercase(),
    }
}

/// What should stand there.
fn wanted(form: &Form) -> &'static str {
    match form {
        Form::List(Form::Object(_), _) => "a list of objects",
        Form::List(..) => "a list of strings",
        Form::Object(_) => "an object",
        _ => "a string",
    }
}

impl<'a> Walk<'a> {
    fn say(
        &mut self,
        at: usize,
        field: impl Into<String>,
        (code, rule): (&'static str, Option<u8>),
        message: impl Into<String>,
    ) {
        let mut found = Deficiency::error(code, path_of(&self.trail), field, message);
        found.rule = rule;
        // Rules 11 to 14 are about quality.
        if rule.is_some_and(|rule| rule >= 11) {
            found.severity = Severity::Warning;
        }
        self.found.push((at, found));
    }

    fn wrong_type(&mut self, value: Value<'_, 'a>, field: &str, wanted: &str) {
        let message = format!("should be {wanted}, and is {}", value.kind().noun());
        self.say(value.offset(), field, ("wrong_type", Some(10)), message);
    }

    fn object(&mut self, value: Value<'_, 'a>, object: &'static Object) {
        if value.kind() != Kind::Object {
            return self.wrong_type(value, "", &format!("an object, the {}", noun(object)));
        }
        let mut given: [Option<Value<'_, 'a>>; MOST_MEMBERS] = [None; MOST_MEMBERS];
        let mut expected = 0;
        for child in value.children() {
            // Members come in the order of the schema as a rule.
            let position = match object.members.get(expected) {
                Some(member) if child.has_key(member.name) => Some(expected),
                _ => object.members.iter().position(|m| child.has_key(m.name)),
            };
            expected = position.map_or(expected, |position| position + 1);
            match position {
                // Of a repeated key, which is an error already, the last is judged.
                Some(position) => given[position] = Some(child),
                None => self.unknown(child, object),
            }
        }
        let mut own_id = None;
        let mut references = Vec::new();
        for (member, given) in object.members.iter().zip(given) {
            let (field, rule) = (member.name, own_rule(object, member.name));
            let Some(given) = given else {
                self.missing(value, member, rule);
                continue;
            };
            match &member.form {
                // The form of exams, which is asked as a whole.
                Form::List(..)
                    if object.name == Case::OBJECT.name && called::OWN.contains(&field) => {}
                Form::Id(form) => own_id = self.id(given, field, *form),
                Form::Text(form) => self.prose(given, member, form, rule),
                Form::Word(words) => self.word(given, field, words),
                Form::Object(object) => {
                    self.trail.push((field, None));
                    self.object(given, object);
                    self.trail.pop();
                }
                form if given.kind() != Kind::List => self.wrong_type(given, field, wanted(form)),
                Form::List(Form::Object(object), _) => self.children(given, field, object, rule),
                _ if member.presence == Presence::Optional => {
                    references = self.references(given, field);
                }
                Form::List(_, size) => self.texts(given, field, (size.least, rule)),
                // A spec has no other forms; the test of its published schema would find one.
                _ => {}
            }
        }
        if object.name == Task::OBJECT.name
            && let Some((id, offset)) = own_id
        {
            self.tasks.push(TaskSeen {
                id,
                offset,
                depends_on: references,
                trail: graph::short(&self.trail),
            });
        }
    }

    fn missing(&mut self, object: Value<'_, 'a>, member: &Member, rule: Option<u8>) {
        if member.presence == Presence::Optional {
            return;
        }
        let name = member.name;
        let message = format!("`{name}` is missing; it should be {}", wanted(&member.form));
        for rule in [Some(10), rule].into_iter().flatten() {
            let what = ("missing_field", Some(rule));
            self.say(object.offset(), name, what, message.clone());
        }
    }

    fn unknown(&mut self, member: Value<'_, 'a>, object: &Object) {
        let key = member.key();
        let names = object.members.iter().map(|member| member.name);
        let near = kernel::near::nearest(&key, names).map(|name| format!("; is `{name}` meant?"));
        let message = format!(
            "a {} has no member of this name, and it is ignored{}",
            noun(object),
            near.unwrap_or_default()
        );
        let field: String = key.chars().take(ids::LONGEST).collect();
        let path = path_of(&self.trail);
        let mut found = Deficiency::error("unknown_field", path, field, message);
        // It harms nothing by itself.
        found.severity = Severity::Warning;
        self.found.push((member.offset(), found));
    }

    /// A text that is there and not blank.
    fn text(&mut self, value: Value<'_, 'a>, field: &str, rule: u8) -> Option<Cow<'a, str>> {
        let Some(text) = value.text() else {
            self.wrong_type(value, field, "a string");
            return None;
        };
        if text.trim().is_empty() {
            let what = ("empty_field", Some(rule));
            self.say(value.offset(), field, what, "it is empty");
            return None;
        }
        Some(text)
    }

    fn id(
        &mut self,
        value: Value<'_, 'a>,
        field: &'static str,
        form: Id,
    ) -> Option<(Cow<'a, str>, usize)> {
        let text = self.text(value, field, 10)?;
        let (count, most) = (text.chars().count(), ids::LONGEST);
        if text.len() > most {
            let message = format!("an id of {count} characters; {most} is the most");
            self.say(value.offset(), field, ("id_too_long", Some(10)), message);
            return None;
        }
        if !form.accepts(&text) {
            let message = format!("{text:?} should have the form {form}");
            self.say(value.offset(), field, ("bad_id", Some(10)), message);
        }
        // A task whose id has the wrong form is still a task that others may name.
        Some((text, value.offset()))
    }

    /// One of these words.
    fn word(&mut self, value: Value<'_, 'a>, field: &str, words: &[&str]) {
        let Some(text) = self.text(value, field, 10) else {
            return;
        };
        if !words.contains(&text.as_ref()) {
            let message = format!("{text:?} should be one of: {}", words.join(", "));
            self.say(value.offset(), field, ("unknown_word", Some(10)), message);
        }
    }

    fn references(&mut self, list: Value<'_, 'a>, field: &str) -> Vec<(Cow<'a, str>, usize)> {
        let mut references = Vec::new();
        for (index, item) in list.children().enumerate() {
            match item.text() {
                Some(text) => references.push((text, item.offset())),
                None => self.wrong_type(item, &format!("{field}[{index}]"), "a string"),
            }
        }
        references
    }

    /// A text, by its form and by what the completeness of a spec asks of it.
    fn prose(&mut self, value: Value<'_, 'a>, member: &Member, form: &Rule, rule: Option<u8>) {
        let field = member.name;
        // Nothing may be what is read or printed.
        let nothing = value.text().is_some_and(|text| text.trim().is_empty());
        if nothing && member.presence == Presence::Optional && (form.judge)("").is_none() {
            return;
        }
        let Some(text) = self.text(value, field, rule.unwrap_or(10)) else {
            return;
        };
        let at = value.offset();
        if let Some(wrong) = (form.judge)(&text) {
            self.say(at, field, (wrong.code, Some(10)), wrong.what);
        }
        if field == "description" && prose::is_stub(&text) {
            let least = prose::SHORTEST_DESCRIPTION;
            let message = format!("a description of fewer than {least} characters says too little");
            self.say(at, field, ("stub_description", Some(11)), message);
        }
        if rule != Some(6) {
            return;
        }
        if let Some(placeholder) = placeholder(&text) {
            let message = format!("`{placeholder}` is a placeholder; say what holds, or \"none\"");
            self.say(at, field, ("placeholder", rule), message);
        } else if field == "error_surfaces" && prose::names_no_error(&text) {
            let message = "no specific error condition is named";
            self.say(at, field, ("vague_errors", Some(14)), message);
        }
    }

    fn children(
        &mut self,
        list: Value<'_, 'a>,
        field: &'static str,
        object: &'static Object,
        rule: Option<u8>,
    ) {
        let mut count = 0;
        for child in list.children() {
            self.trail.push((field, Some(count)));
            self.object(child, object);
            self.trail.pop();
            count += 1;
        }
        if count == 0 {
            let message = format!("at least 1 {} should stand here", noun(object));
            let what = ("too_few", rule.or(Some(10)));
            self.say(list.offset(), field, what, message);
        }
    }

    fn texts(
        &mut self,
        list: Value<'_, 'a>,
        field: &'static str,
        (least, rule): (usize, Option<u8>),
    ) {
        let place = |index: usize| format!("{field}[{index}]");
        let mut texts: Vec<(Cow<'a, str>, usize, usize)> = Vec::new();
        for (index, item) in list.children().enumerate() {
            match item.text() {
                Some(text) if !text.trim().is_empty() => texts.push((text, item.offset(), index)),
                _ => {
                    self.text(item, &place(index), 10);
                }
            }
        }
        if texts.len() < least {
            let message = format!("{} given, and at least {least} are needed", texts.len());
            self.say(list.offset(), field, ("too_few", rule), message);
        }
        if field == "acceptance_criteria" {
            for (text, offset, index) in &texts {
                if !prose::is_testable(text) {
                    let message = "no verb says what can be observed (returns, displays, raises, \
                                   writes, emits, rejects, validates, ...)";
                    self.say(*offset, place(*index), ("not_testable", Some(12)), message);
                }
            }
        }
        if field == "subtasks" {
            let words: Vec<&str> = texts.iter().map(|(text, ..)| text.as_ref()).collect();
            for (first, second) in prose::near_duplicates(&words) {
                let message = format!("says nearly the same as {}", place(texts[first].2));
                let (_, offset, index) = &texts[second];
                self.say(
                    *offset,
                    place(*index),
                    ("near_duplicate", Some(13)),
                    message,
                );
            }
        }
    }
}

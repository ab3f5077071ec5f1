//! The judgement of a spec: one walk over the document along the table in `shape`, then the
//! questions that need all tasks together. It collects everything and stops at nothing but text
//! that is not JSON. It refuses to mend.

use super::graph::{self, TaskSeen};
use super::prose;
use super::shape::{Content, Read, SPEC, Shape, TASK};
use crate::deficiency::{Deficiency, Report, Severity};
use crate::ids;
use crate::json::{Document, Kind, Places, Value};
use kernel::form::Id;
use kernel::module::Version;
use kernel::time;
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
    walk.object(document.root(), &SPEC);
    let tasks = std::mem::take(&mut walk.tasks);
    graph::judge(&tasks, &mut walk.found);
    located(document, walk.found)
}

/// Puts lines and columns in, in one pass over the text.
fn located(document: &Document<'_>, mut found: Vec<(usize, Deficiency)>) -> Report {
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

/// One step of the way down: a member, and where in its list.
pub(super) type Step = (&'static str, Option<u32>);

pub(super) fn path_of(trail: &[Step]) -> String {
    let mut path = String::from("$");
    for (name, index) in trail {
        path.push('.');
        path.push_str(name);
        if let Some(index) = index {
            path.push_str(&format!("[{index}]"));
        }
    }
    path
}

struct Walk<'a> {
    trail: Vec<Step>,
    found: Vec<(usize, Deficiency)>,
    tasks: Vec<TaskSeen<'a>>,
}

/// No shape has more members; the walk keeps them in an array.
const MOST_FIELDS: usize = 8;

impl<'a> Walk<'a> {
    fn say(
        &mut self,
        at: usize,
        field: impl Into<String>,
        (code, rule): (&'static str, Option<u8>),
        message: String,
    ) {
        let mut found = Deficiency::error(code, path_of(&self.trail), field, message);
        found.rule = rule;
        // Rules 11 to 14 are about quality, and an unknown member harms nothing by itself.
        if rule.is_some_and(|rule| rule >= 11) || code == "unknown_field" {
            found.severity = Severity::Warning;
        }
        self.found.push((at, found));
    }

    fn wrong_type(&mut self, value: Value<'_, 'a>, field: &str, wanted: &str) {
        let message = format!("should be {wanted}, and is {}", value.kind().noun());
        self.say(value.offset(), field, ("wrong_type", Some(10)), message);
    }

    fn object(&mut self, object: Value<'_, 'a>, shape: &'static Shape) {
        if object.kind() != Kind::Object {
            return self.wrong_type(object, "", &format!("an object, the {}", shape.noun));
        }
        let mut members: [Option<Value<'_, 'a>>; MOST_FIELDS] = [None; MOST_FIELDS];
        let mut expected = 0;
        for member in object.children() {
            // Members come in the order of the schema as a rule.
            let position = match shape.fields.get(expected) {
                Some(field) if member.has_key(field.name) => Some(expected),
                _ => shape.fields.iter().position(|f| member.has_key(f.name)),
            };
            expected = position.map_or(expected, |position| position + 1);
            match position {
                // Of a repeated key, which is an error already, the last is judged.
                Some(position) => members[position] = Some(member),
                None => self.unknown(member, shape),
            }
        }
        let mut own_id = None;
        let mut references = Vec::new();
        for (field, member) in shape.fields.iter().zip(members) {
            let Some(member) = member else {
                self.missing(object, field.name, &field.content);
                continue;
            };
            match &field.content {
                Content::Id(form) => own_id = self.id(member, field.name, *form),
                Content::References => references = self.references(member, field.name),
                content => self.member(member, field.name, content),
            }
        }
        if std::ptr::eq(shape, &TASK)
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

    fn missing(&mut self, object: Value<'_, 'a>, name: &'static str, content: &Content) {
        if matches!(content, Content::References) {
            return;
        }
        let message = format!("`{name}` is missing; it should be {}", content.noun());
        for rule in [Some(10), content.own_rule()].into_iter().flatten() {
            let what = ("missing_field", Some(rule));
            self.say(object.offset(), name, what, message.clone());
        }
    }

    fn unknown(&mut self, member: Value<'_, 'a>, shape: &Shape) {
        let key = member.key();
        let names = shape.fields.iter().map(|field| field.name);
        let near = prose::nearest(&key, names).map(|name| format!("; is `{name}` meant?"));
        let message = format!(
            "a {} has no member of this name, and it is ignored{}",
            shape.noun,
            near.unwrap_or_default()
        );
        let field: String = key.chars().take(ids::LONGEST).collect();
        self.say(member.offset(), field, ("unknown_field", None), message);
    }

    /// A text that is there and not blank.
    fn text(
        &mut self,
        value: Value<'_, 'a>,
        field: &str,
        rule: Option<u8>,
    ) -> Option<Cow<'a, str>> {
        let Some(text) = value.text() else {
            self.wrong_type(value, field, "a string");
            return None;
        };
        if text.trim().is_empty() {
            let what = ("empty_field", rule);
            self.say(value.offset(), field, what, "it is empty".to_owned());
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
        let text = self.text(value, field, Some(10))?;
        if text.len() > ids::LONGEST {
            let message = format!(
                "an id of {} characters; {} is the most",
                text.chars().count(),
                ids::LONGEST
            );
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

    fn references(
        &mut self,
        value: Value<'_, 'a>,
        field: &'static str,
    ) -> Vec<(Cow<'a, str>, usize)> {
        if value.kind() != Kind::List {
            self.wrong_type(value, field, "a list of strings");
            return Vec::new();
        }
        let mut references = Vec::new();
        for (index, item) in value.children().enumerate() {
            match item.text() {
                Some(text) => references.push((text, item.offset())),
                None => self.wrong_type(item, &format!("{field}[{index}]"), "a string"),
            }
        }
        references
    }

    fn member(&mut self, value: Value<'_, 'a>, field: &'static str, content: &Content) {
        match content {
            Content::Text => {
                self.text(value, field, Some(10));
            }
            Content::Description => {
                let text = self.text(value, field, Some(10));
                if text.is_some_and(|text| prose::is_stub(&text)) {
                    let message = format!(
                        "a description of fewer than {} characters says too little",
                        prose::SHORTEST_DESCRIPTION
                    );
                    self.say(
                        value.offset(),
                        field,
                        ("stub_description", Some(11)),
                        message,
                    );
                }
            }
            Content::Version => {
                let text = self.text(value, field, Some(10));
                if let Some(Err(error)) = text.map(|text| Version::parse(&text)) {
                    let message = error.to_string();
                    self.say(value.offset(), field, ("bad_version", Some(10)), message);
                }
            }
            Content::Moment => {
                let text = self.text(value, field, Some(10));
                if let Some(text) = text.filter(|text| !time::is_moment(text)) {
                    let shown: String = text.chars().take(40).collect();
                    let message = format!("{shown:?} should be {}", time::MOMENT);
                    self.say(value.offset(), field, ("bad_moment", Some(10)), message);
                }
            }
            Content::Texts { least, rule, read } => {
                self.texts(value, field, (*least, *rule), *read);
            }
            Content::Children { shape, rule } => self.children(value, field, shape, *rule),
            Content::Sketch(shape) => {
                self.trail.push((field, None));
                self.object(value, shape);
                self.trail.pop();
            }
            Content::Dimension | Content::Errors => self.dimension(value, field, content),
            // Both are read where their values are kept.
            Content::Id(_) | Content::References => {}
        }
    }

    fn children(
        &mut self,
        value: Value<'_, 'a>,
        field: &'static str,
        shape: &'static Shape,
        rule: u8,
    ) {
        if value.kind() != Kind::List {
            return self.wrong_type(value, field, "a list of objects");
        }
        let mut count = 0;
        for child in value.children() {
            self.trail.push((field, Some(count)));
            self.object(child, shape);
            self.trail.pop();
            count += 1;
        }
        if count == 0 {
            let message = format!("at least 1 {} should stand here", shape.noun);
            self.say(value.offset(), field, ("too_few", Some(rule)), message);
        }
    }

    fn texts(
        &mut self,
        value: Value<'_, 'a>,
        field: &'static str,
        (least, rule): (usize, u8),
        read: Read,
    ) {
        if value.kind() != Kind::List {
            return self.wrong_type(value, field, "a list of strings");
        }
        let mut texts: Vec<(Cow<'a, str>, usize, usize)> = Vec::new();
        for (index, item) in value.children().enumerate() {
            match item.text() {
                Some(text) if !text.trim().is_empty() => texts.push((text, item.offset(), index)),
                _ => {
                    self.text(item, &format!("{field}[{index}]"), Some(10));
                }
            }
        }
        if texts.len() < least {
            let message = format!("{} given, and at least {least} are needed", texts.len());
            self.say(value.offset(), field, ("too_few", Some(rule)), message);
        }
        match read {
            Read::AsTheyAre => {}
            Read::Criteria => {
                for (text, offset, index) in &texts {
                    if !prose::is_testable(text) {
                        let message = "no verb says what can be observed (returns, displays, \
                                       raises, writes, emits, rejects, validates, ...)";
                        let what = ("not_testable", Some(12));
                        self.say(
                            *offset,
                            format!("{field}[{index}]"),
                            what,
                            message.to_owned(),
                        );
                    }
                }
            }
            Read::Subtasks => {
                let words: Vec<&str> = texts.iter().map(|(text, ..)| text.as_ref()).collect();
                for (first, second) in prose::near_duplicates(&words) {
                    let message = format!("says nearly the same as {field}[{}]", texts[first].2);
                    let (_, offset, index) = &texts[second];
                    let what = ("near_duplicate", Some(13));
                    self.say(*offset, format!("{field}[{index}]"), what, message);
                }
            }
        }
    }

    fn dimension(&mut self, value: Value<'_, 'a>, field: &'static str, content: &Content) {
        let Some(text) = self.text(value, field, Some(6)) else {
            return;
        };
        if let Some(placeholder) = prose::placeholder(&text) {
            let message = format!("`{placeholder}` is a placeholder; say what holds, or \"none\"");
            self.say(value.offset(), field, ("placeholder", Some(6)), message);
        } else if matches!(content, Content::Errors) && prose::names_no_error(&text) {
            let message = "no specific error condition is named".to_owned();
            self.say(value.offset(), field, ("vague_errors", Some(14)), message);
        }
    }
}

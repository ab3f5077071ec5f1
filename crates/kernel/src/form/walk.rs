//! What is wrong with a value, by its form: everything, each with its place. It does not stop at
//! the first fault, since whoever mends one wants to know of all.

use super::{Answer, Form, Id, LONGEST, Member, Object, Presence, Size, Tagged};
use crate::version::Version;
use serde_json::{Map, Value};
use std::fmt::Write;

/// What kind of fault it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Cause {
    /// A member that must be there is not.
    Missing,
    /// A member that nobody knows.
    Unknown,
    /// Another type, or a word that is none of its list.
    Type,
    /// A text or a list that the schema refuses too.
    Content,
    /// A text that is no id of the kind that stands here.
    Id,
    /// What a schema cannot say.
    Wording,
}

impl Cause {
    /// Has the value another shape?
    pub fn is_shape(self) -> bool {
        matches!(self, Cause::Missing | Cause::Unknown | Cause::Type)
    }
}

/// The code of an id that is none.
pub(super) const BAD_ID: &str = "bad_id";

/// One thing that is wrong.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fault {
    /// The object that it is in: `$.modules[2]`.
    pub path: String,
    /// The member of it; empty if it is the object itself.
    pub field: String,
    pub code: &'static str,
    pub what: String,
    pub cause: Cause,
}

impl Fault {
    /// A rule across members that is broken.
    pub fn rule(
        code: &'static str,
        path: impl Into<String>,
        field: impl Into<String>,
        what: impl Into<String>,
    ) -> Self {
        Self {
            path: path.into(),
            field: field.into(),
            code,
            what: what.into(),
            cause: Cause::Wording,
        }
    }

    /// `modules[2].purpose`; empty is the whole.
    pub fn place(&self) -> String {
        let joint = match self.field.starts_with('[') || self.field.is_empty() {
            true => "",
            false => ".",
        };
        let whole = format!("{}{joint}{}", self.path, self.field);
        whole.trim_start_matches(['$', '.']).to_owned()
    }
}

impl Form {
    /// Everything that is wrong with a value.
    pub fn faults(&self, value: &Value) -> Vec<Fault> {
        let mut walk = Walk::default();
        walk.value("", value, self);
        walk.found
    }
}

impl Answer {
    /// Everything that is wrong with what a role returned.
    pub fn faults(&self, value: &Value) -> Vec<Fault> {
        let mut walk = Walk::default();
        let Value::Object(given) = value else {
            walk.shape("", Cause::Type, "should be an object");
            return walk.found;
        };
        let mut seen = Vec::new();
        for member in self.members() {
            if let Some(value) = given.get(member.name)
                && !seen.contains(&member.name)
            {
                walk.value(member.name, value, &member.form);
                seen.push(member.name);
            }
        }
        if let Some(summary) = given.get(SUMMARY)
            && !seen.contains(&SUMMARY)
        {
            walk.value(SUMMARY, summary, &super::TEXT);
        }
        let lacking = |object: &&Object| {
            let lacks = |name: &str| !given.contains_key(name);
            let names: Vec<&str> = object.returned().filter(|name| lacks(name)).collect();
            names
        };
        let lacks: Vec<Vec<&str>> = self.0.iter().map(lacking).collect();
        if lacks.iter().all(|names| !names.is_empty()) {
            // What is nearest to be complete is what was meant.
            let nearest = lacks.iter().min_by_key(|names| names.len());
            for name in nearest.into_iter().flatten() {
                walk.missing(name);
            }
        }
        walk.found
    }

    /// The members that any of its objects has.
    pub(super) fn members(&self) -> impl Iterator<Item = &'static Member> {
        let all = self.0.iter().flat_map(|object| object.members);
        all.filter(|member| member.presence != Presence::Given)
    }
}

impl Object {
    /// The members that a role must return.
    pub(super) fn returned(&self) -> impl Iterator<Item = &'static str> {
        let all = self.members.iter();
        let all = all.filter(|member| member.presence == Presence::Required);
        all.map(|member| member.name)
    }
}

/// What any role may add for people.
pub(super) const SUMMARY: &str = "summary";

#[derive(Default)]
struct Walk {
    path: String,
    found: Vec<Fault>,
}

/// `id@version`, with the form of the id and exactly one version.
fn is_versioned(id: Option<Id>, text: &str) -> bool {
    let plain = |b: u8| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'-' | b'.');
    let any = |text: &str| !text.is_empty() && text.len() <= LONGEST && text.bytes().all(plain);
    text.split_once('@').is_some_and(|(name, version)| {
        id.map_or_else(|| any(name), |id| id.accepts(name)) && Version::parse(version).is_ok()
    })
}

fn noun(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "a boolean",
        Value::Number(_) => "a number",
        Value::String(_) => "a string",
        Value::Array(_) => "a list",
        Value::Object(_) => "an object",
    }
}

impl Walk {
    fn say(&mut self, field: &str, code: &'static str, what: String, cause: Cause) {
        self.found.push(Fault {
            path: format!("${}", self.path),
            field: field.to_owned(),
            code,
            what,
            cause,
        });
    }

    fn shape(&mut self, field: &str, cause: Cause, what: impl Into<String>) {
        self.say(field, "wrong_shape", what.into(), cause);
    }

    fn missing(&mut self, field: &str) {
        self.shape(field, Cause::Missing, "is missing");
    }

    fn content(&mut self, field: &str, code: &'static str, what: impl Into<String>) {
        self.say(field, code, what.into(), Cause::Content);
    }

    fn wrong(&mut self, field: &str, value: &Value, wanted: &str) {
        self.shape(
            field,
            Cause::Type,
            format!("should be {wanted}, and is {}", noun(value)),
        );
    }

    /// Goes into a member, and back.
    fn within(&mut self, field: &str, go: impl FnOnce(&mut Self)) {
        let length = self.path.len();
        let joint = if field.is_empty() || field.starts_with('[') {
            ""
        } else {
            "."
        };
        let _ = write!(self.path, "{joint}{field}");
        go(self);
        self.path.truncate(length);
    }

    fn value(&mut self, field: &str, value: &Value, form: &Form) {
        match (form, value) {
            (Form::Any, _) | (Form::Flag, Value::Bool(_)) | (Form::Nullable(_), Value::Null) => {}
            (Form::Flag, _) => self.wrong(field, value, "a boolean"),
            (Form::Nullable(form), _) => self.value(field, value, form),
            (Form::Count(least), _) => match value.as_u64() {
                None => self.wrong(field, value, "a whole number"),
                Some(number) if number < *least => {
                    let what = format!("{number} is less than {least}");
                    self.say(field, "bad_number", what, Cause::Content);
                }
                Some(_) => {}
            },
            (Form::Measure, _) => match value.as_f64() {
                None => self.wrong(field, value, "a number"),
                Some(number) if number < 0.0 => {
                    let what = "should be a number that is not negative".to_owned();
                    self.say(field, "bad_number", what, Cause::Content);
                }
                Some(_) => {}
            },
            (Form::Text(rule), Value::String(text)) => {
                if let Some(wrong) = (rule.judge)(text) {
                    self.say(field, wrong.code, wrong.what, wrong.cause);
                }
            }
            (Form::Id(_), Value::String(text)) if text.len() > LONGEST => {
                let what = format!("{} characters; {LONGEST} is the most", text.len());
                self.content(field, "id_too_long", what);
            }
            (Form::Id(id), Value::String(text)) if !id.accepts(text) => {
                let what = format!("{text:?} should have the form {id}");
                self.say(field, BAD_ID, what, Cause::Id);
            }
            (Form::Versioned(id), Value::String(text)) if !is_versioned(*id, text) => {
                let shown: String = text.chars().take(LONGEST).collect();
                let wanted = id.map_or_else(|| "id".to_owned(), |id| id.to_string());
                let what = format!("{shown:?} should be `{wanted}@x.y.z`");
                self.content(field, "bad_reference", what);
            }
            (Form::Id(_) | Form::Versioned(_), Value::String(_)) => {}
            (Form::Text(_) | Form::Id(_) | Form::Versioned(_), _) => {
                self.wrong(field, value, "a string");
            }
            (Form::Word(words), _) => {
                if !value.as_str().is_some_and(|text| words.contains(&text)) {
                    let shown: String = value.to_string().chars().take(60).collect();
                    let words = words.join(", ");
                    self.shape(field, Cause::Type, format!("{shown} is none of: {words}"));
                }
            }
            (Form::List(form, size), Value::Array(items)) => {
                self.size(field, items.len(), size);
                for (at, item) in items.iter().enumerate() {
                    self.value(&format!("{field}[{at}]"), item, form);
                }
            }
            (Form::List(..), _) => self.wrong(field, value, "a list"),
            (Form::Map(form, size), Value::Object(members)) => {
                self.size(field, members.len(), size);
                for (name, value) in members {
                    let inside = |walk: &mut Self| walk.value(name, value, form);
                    self.within(field, inside);
                }
            }
            (Form::Object(object), Value::Object(members)) => {
                let all = |_: &&Member| true;
                self.within(field, |walk| walk.object(members, object, all));
            }
            (Form::Part(object), Value::Object(members)) => {
                let own = |member: &&Member| member.presence != Presence::Given;
                self.within(field, |walk| walk.object(members, object, own));
            }
            (Form::Map(..) | Form::Object(_) | Form::Part(_), _) => {
                self.wrong(field, value, "an object")
            }
            (Form::Either(forms), _) => {
                if forms.iter().all(|form| !form.faults(value).is_empty())
                    && let Some(last) = forms.last()
                {
                    self.value(field, value, last);
                }
            }
            (Form::Tagged(tagged), _) => self.tagged(field, value, tagged),
        }
    }

    fn size(&mut self, field: &str, count: usize, size: &Size) {
        let wanted = match (size.least, size.most) {
            (least, most) if least == most => format!("exactly {least}"),
            (least, _) => format!("at least {least}"),
        };
        if count < size.least || count > size.most {
            let what = match size.why {
                "" => format!("{count} given, and {wanted} needed"),
                why => why.to_owned(),
            };
            self.say(field, size.code, what, Cause::Content);
        }
    }

    fn object(
        &mut self,
        given: &Map<String, Value>,
        object: &Object,
        has: impl Fn(&&Member) -> bool,
    ) {
        for member in object.members.iter().filter(&has) {
            match (given.get(member.name), member.presence) {
                (Some(value), _) => self.value(member.name, value, &member.form),
                (None, Presence::Optional) => {}
                (None, Presence::Required | Presence::Given) => {
                    self.missing(member.name);
                }
            }
        }
        for name in given.keys() {
            let mut known = object.members.iter().filter(&has);
            if !known.any(|member| member.name == name) {
                let shown: String = name.chars().take(80).collect();
                self.shape(
                    &shown,
                    Cause::Unknown,
                    format!("{} has no such member", object.name),
                );
            }
        }
    }

    fn tagged(&mut self, field: &str, value: &Value, tagged: &Tagged) {
        let Value::Object(given) = value else {
            return self.wrong(field, value, "an object");
        };
        self.within(field, |walk| {
            for name in given.keys() {
                if name != tagged.tag && name != tagged.content {
                    walk.shape(
                        name,
                        Cause::Unknown,
                        format!("{} has no such member", tagged.name),
                    );
                }
            }
            let tag = given.get(tagged.tag);
            let word = tag.and_then(Value::as_str);
            let variant = tagged.variants.iter().find(|(name, _)| word == Some(name));
            match (variant, given.get(tagged.content)) {
                (Some((_, object)), Some(content)) => {
                    walk.value(tagged.content, content, &Form::Object(object));
                }
                (Some(_), None) => walk.missing(tagged.content),
                (None, _) => {
                    let words: Vec<&str> = tagged.variants.iter().map(|one| one.0).collect();
                    walk.shape(
                        tagged.tag,
                        Cause::Type,
                        format!("should be one of: {}", words.join(", ")),
                    );
                }
            }
        });
    }
}

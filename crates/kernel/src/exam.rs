//! An exam: questions to a product as data, and what must hold of its answers. Whoever writes one sees
//! what is asked for and no code; whoever is examined sees the questions and none of the answers.
//!
//! `answers` reads what came back, `claims` compares, `controls` tries the exam itself, `values` what it claims of values, and `paper` is what is
//! remembered of it. How a product is asked is for whoever runs it.

pub mod answers;
pub mod claims;
pub mod controls;
pub mod paper;
pub mod values;

use crate::form::{Document, FILLED, Fault, Form, Formed, Size, TEXT};
use crate::{document, words};
use serde::{Deserialize, Deserializer};
use serde_json::{Map, Value, json};
use std::fmt;

/// The member of a role's result that holds one.
pub const EXAM: &str = "exam";
/// An input that is an earlier answer of the same case: `{"$answer": 0}`.
pub const ANSWER: &str = "$answer";

/// The name of the evidence with all answers of a sitting.
pub const ANSWERS: &str = "exam answers";
/// The name of the evidence with the cases that did not hold, as a person sees them: what they claim is in it.
pub const TOLD: &str = "exam cases";
/// The file in which whoever writes an exam finds the cases that were asked before.
pub const EARLIER: &str = "earlier-exam.json";

/// The fewest cases of an exam.
pub const LEAST_CASES: usize = 3;
/// The most.
pub const MOST_CASES: usize = 60;
/// The most calls of a case.
pub const MOST_STEPS: usize = 20;

words! {
    /// How a product is asked.
    pub enum Driver {
        /// Functions of Python modules.
        Python = "python",
        /// Functions of JavaScript modules.
        JavaScript = "javascript",
        /// Functions of Rust libraries.
        Rust = "rust",
        /// A command line, in any language.
        Command = "command",
        /// Requests to a product that is started for it, in any language.
        Http = "http",
    }
}

words! {
    /// What must hold of an answer.
    pub enum Relation {
        /// It is the value.
        Equals = "equals",
        /// It is not the value.
        Differs = "differs",
        /// It is the same as another answer of the case.
        Same = "same",
        /// It is not the same as another answer of the case.
        Other = "other",
        /// It is a number, and less than the value.
        Less = "less",
        /// It is a number, and more than the value.
        More = "more",
        /// It is a number, and no further from the value than `within`.
        Close = "close",
        /// It is a text or a list with the value in it, or an object with that key.
        Contains = "contains",
        /// The call fails; with a value: with an error of that name.
        Fails = "fails",
    }
}

impl Relation {
    fn of_two(self) -> bool {
        matches!(self, Relation::Same | Relation::Other)
    }
}

document! {
    /// One call.
    #[derive(Eq)]
    pub struct Step {
        /// `python`: `MODULE:FUNCTION`; `javascript`: `FILE:EXPORT`, where `FILE` is its path from the top and `EXPORT` is `default` for what a module is itself (`module.exports = ...`); `.METHOD` of the first input in both; `rust`: `CRATE::FUNCTION`; `command`: the program; `http`: `METHOD /PATH`, in which `{0/body/id}` stands for a part of the answer to the first call.
        call: String = FILLED,
        /// The inputs in their order; `{"$answer": 0}` is the answer to the first call of the case. For a command: its arguments, all texts. For `http`: the body, one value that is sent as JSON, in which `{"$answer": 0, "at": "/body/id"}` is a part of an answer.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        with?: Vec<Value> = Form::List(&Form::Any, Size::ANY),
        /// `python`: inputs by their names; `http`: headers; `command`: files that are laid below the folder it is started in (the top of the repository), by their paths: a text as it is, any other value as JSON.
        #[serde(default, skip_serializing_if = "Map::is_empty")]
        named?: Map<String, Value> = Form::Map(&Form::Any, Size::ANY),
        /// `command`: what it reads on standard input; `http`: a body that is no JSON.
        #[serde(default, skip_serializing_if = "String::is_empty")]
        stdin?: String = TEXT,
    }
}

document! {
    /// What must hold of one answer. A function answers with its value, or with the text of the failure that the case claims of the call (`fails`); a command with `{"exit": 0, "stdout": "", "stderr": ""}`; a request with `{"status": 200, "headers": {"content-type": ""}, "body": null}`, where a body that says it is JSON is its value and any other a text.
    pub struct Claim {
        /// Which call, from 0.
        of: usize,
        /// Where in the answer, as a JSON pointer; the whole, if left out.
        #[serde(default, skip_serializing_if = "String::is_empty")]
        at?: String = TEXT,
        /// What must hold.
        is: Relation,
        /// What it is compared with. A number that JSON has not is written `{"$number": "NaN"}`.
        #[serde(default, deserialize_with = "present", skip_serializing_if = "Option::is_none")]
        value?: Option<Value> = Form::Any,
        /// For `same` and `other`: the other call.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        other?: Option<usize> = Form::Count(0),
        /// Where in the other answer; the same place, if left out.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        other_at?: Option<String> = TEXT,
        /// For `close`.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        within?: Option<f64> = Form::Measure,
    }
}

document! {
    /// One question: a call or several that follow each other, and what must hold of the answers.
    #[derive(Eq)]
    pub struct Case {
        /// Its name, such as `C1`.
        id: String = FILLED,
        /// The sentence of the task that says so, word for word.
        clause: String = FILLED,
        /// It is only true in a process of its own.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        alone?: bool,
        /// The calls, in their order.
        steps: Vec<Step> = Form::List(&Step::FORM, Size::SOME),
        /// All of it must hold.
        holds: Vec<Claim> = Form::List(&Claim::FORM, Size::SOME),
    }
}

/// What `within` holds was written as JSON, which has no number that differs from itself.
impl Eq for Claim {}

document! {
    /// A product that is started to be asked.
    pub struct Service {
        /// The line for `sh` that starts it, from the top of the repository; the environment has `PORT`.
        start: String = FILLED,
        /// Where it listens, on loopback; 8000.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        port?: Option<u16> = Form::Count(1),
    }
}

impl Service {
    /// Where it listens.
    pub fn port(&self) -> u16 {
        self.port.unwrap_or(8000)
    }
}

document! {
    /// Questions whose answers only the engine knows.
    pub struct Exam {
        /// How the product is asked.
        driver: Driver,
        /// `http` alone: how the product is started.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        service?: Option<Service> = Service::FORM,
        /// The questions.
        cases: Vec<Case> = Form::List(&Case::FORM, Size { least: LEAST_CASES, most: MOST_CASES, code: "too_few", why: "" }),
    }
}

/// A member that is there is a value, also when it is `null`.
fn present<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Value>, D::Error> {
    Value::deserialize(deserializer).map(Some)
}

/// The document, with what its members must be to each other.
pub const DOCUMENT: Document =
    Document::of("docs/exam.md", "An exam.", Form::Object(&Exam::OBJECT)).with(rules);

impl Case {
    /// What its calls and claims must be to each other, where a product is asked so; `path` is its own.
    pub fn rules(&self, driver: Driver, path: &str, faults: &mut Vec<Fault>) {
        if self.steps.len() > MOST_STEPS {
            let what = format!("a case has at most {MOST_STEPS} calls");
            faults.push(Fault::rule("too_many", path, "steps", what));
        }
        for (at, step) in self.steps.iter().enumerate() {
            calls(driver, at, step, &format!("{path}.steps[{at}]"), faults);
        }
        for (at, claim) in self.holds.iter().enumerate() {
            claims(driver, self, claim, &format!("{path}.holds[{at}]"), faults);
        }
    }

    /// Must this call fail?
    pub fn fails(&self, call: usize) -> bool {
        let mut claims = self.holds.iter();
        claims.any(|claim| claim.of == call && claim.is == Relation::Fails)
    }

    /// Is it about something that must be refused?
    pub fn asks_for_a_failure(&self) -> bool {
        self.holds.iter().any(Claim::is_of_a_failure)
    }
}

impl Claim {
    /// A call that fails, a command that ends with an error, or a request that is refused.
    fn is_of_a_failure(&self) -> bool {
        let number = self.value.as_ref().and_then(Value::as_f64);
        match (self.is, self.at.as_str(), number) {
            (Relation::Fails, ..) => true,
            (Relation::Equals, "/exit", Some(exit)) => exit != 0.0,
            (Relation::Differs, "/exit", Some(exit)) => exit == 0.0,
            (Relation::More, "/exit", Some(exit)) => exit >= 0.0,
            (Relation::Equals, "/status", Some(status)) => status >= 400.0,
            (Relation::More, "/status", Some(status)) => status >= 399.0,
            _ => false,
        }
    }
}

impl fmt::Display for Claim {
    /// For people, who count from 1.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "call {}", self.of + 1)?;
        if !self.at.is_empty() {
            write!(f, ", at `{}`,", self.at)?;
        }
        let value = self
            .value
            .as_ref()
            .map_or_else(String::new, Value::to_string);
        let other = self.other.map_or(0, |other| other + 1);
        match self.is {
            Relation::Equals => write!(f, " answers {value}"),
            Relation::Differs => write!(f, " answers anything but {value}"),
            Relation::Same => write!(f, " answers the same as call {other}"),
            Relation::Other => write!(f, " answers something else than call {other}"),
            Relation::Less => write!(f, " answers less than {value}"),
            Relation::More => write!(f, " answers more than {value}"),
            Relation::Close => {
                let within = self.within.unwrap_or_default();
                write!(f, " answers {value}, give or take {within}")
            }
            Relation::Contains => write!(f, " answers something with {value} in it"),
            Relation::Fails if value.is_empty() => write!(f, " fails"),
            Relation::Fails => write!(f, " fails with {value}"),
        }
    }
}

impl Exam {
    /// Reads one; all that is wrong, if something is.
    pub fn read(value: &Value) -> Result<Self, Vec<Fault>> {
        let faults = DOCUMENT.faults(value);
        if !faults.is_empty() {
            return Err(faults);
        }
        Self::deserialize(value)
            .map_err(|error| vec![Fault::rule("no_exam", "$", "", error.to_string())])
    }
}

/// The schema of the result of a role that hands in an exam.
pub fn schema() -> Value {
    json!({
        "type": "object",
        "properties": { EXAM: Form::Object(&Exam::OBJECT).schema() },
    })
}

/// A short exam, to show what one looks like.
pub fn example() -> Value {
    let case = |id: &str, clause: &str, steps: Value, holds: Value| json!({"id": id, "clause": clause, "steps": steps, "holds": holds});
    let call = |input: Value| json!({"call": "slug:slug", "with": [input]});
    json!({
        "driver": Driver::Python.as_str(),
        "cases": [
            case(
                "C1",
                "a blank becomes a dash",
                json!([call(json!("A b"))]),
                json!([{"of": 0, "is": "equals", "value": "a-b"}]),
            ),
            case(
                "C2",
                "a slug stays as it is",
                json!([call(json!("A b")), call(json!({ ANSWER: 0 }))]),
                json!([{"of": 1, "is": "same", "other": 0}]),
            ),
            case(
                "C3",
                "ValueError, which names the text, where there is no word",
                json!([call(json!(" !"))]),
                json!([
                    {"of": 0, "is": "fails", "value": "ValueError"},
                    {"of": 0, "is": "contains", "value": " !"},
                ]),
            ),
        ],
    })
}

/// The calls whose answers are inputs of a value.
pub fn answers_in(value: &Value, found: &mut Vec<u64>) {
    match value {
        Value::Object(members) => match members.get(ANSWER) {
            Some(number) => found.push(number.as_u64().unwrap_or(u64::MAX)),
            None => members.values().for_each(|one| answers_in(one, found)),
        },
        Value::Array(items) => items.iter().for_each(|one| answers_in(one, found)),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

fn rules(value: &Value, faults: &mut Vec<Fault>) {
    let Ok(exam) = Exam::deserialize(value) else {
        return;
    };
    let started = exam.driver == Driver::Http;
    if started != exam.service.is_some() {
        let what =
            "`http` needs it, with the line that starts the product, and nothing else has it";
        faults.push(Fault::rule("bad_call", "$", "service", what));
    }
    let mut ids: Vec<&str> = Vec::new();
    for (number, case) in exam.cases.iter().enumerate() {
        let path = format!("$.cases[{number}]");
        if ids.contains(&case.id.as_str()) {
            let what = "another case has this id; give each its own";
            faults.push(Fault::rule("id_twice", path.as_str(), "id", what));
        }
        ids.push(&case.id);
        case.rules(exam.driver, &path, faults);
    }
}

fn calls(driver: Driver, at: usize, step: &Step, path: &str, faults: &mut Vec<Fault>) {
    let mut wrong = |field: &str, what: &str| {
        faults.push(Fault::rule("bad_call", path, field, what));
    };
    let named = step.call.split_once(':');
    let whole = named.is_some_and(|(module, name)| !module.is_empty() && !name.is_empty());
    let method = step.call.strip_prefix('.').is_some_and(|name| {
        let mut chars = name.chars();
        chars.next().is_some_and(|first| !first.is_ascii_digit())
            && name.chars().all(|one| one.is_alphanumeric() || one == '_')
    });
    match driver {
        Driver::Python | Driver::JavaScript if !whole && !method => {
            wrong(
                "call",
                "write `MODULE:FUNCTION`, or `.METHOD` of the first input",
            );
        }
        Driver::Python | Driver::JavaScript if method && step.with.is_empty() => {
            wrong("with", "a method needs whose it is, as the first input");
        }
        Driver::Rust if !is_path(&step.call) => {
            wrong("call", "write `CRATE::FUNCTION`, with modules between them");
        }
        Driver::Command if step.with.iter().any(|one| !one.is_string()) => {
            wrong("with", "the arguments of a command are texts");
        }
        Driver::Http if !is_request(&step.call) => {
            wrong("call", "write `METHOD /PATH`, without blanks in the path");
        }
        Driver::Http if step.with.len() + usize::from(!step.stdin.is_empty()) > 1 => {
            wrong(
                "with",
                "a request has one body: a value here, or a text in `stdin`",
            );
        }
        Driver::Python | Driver::JavaScript | Driver::Rust | Driver::Command | Driver::Http => {}
    }
    if driver == Driver::Command && !step.named.keys().all(|name| is_below(name)) {
        wrong(
            "named",
            "the files of a command are named by paths below the repository, with `/` and without `..`",
        );
    }
    if matches!(driver, Driver::JavaScript | Driver::Rust) && !step.named.is_empty() {
        wrong(
            "named",
            "only Python has inputs with names, a request headers, and a command files",
        );
    }
    if !matches!(driver, Driver::Command | Driver::Http) && !step.stdin.is_empty() {
        wrong(
            "stdin",
            "only a command reads standard input, and a request a body",
        );
    }
    let mut used = match driver {
        Driver::Http => answers_named(&step.call),
        _ => Vec::new(),
    };
    step.with.iter().for_each(|one| answers_in(one, &mut used));
    step.named
        .values()
        .for_each(|one| answers_in(one, &mut used));
    if used.iter().any(|number| *number >= at as u64) {
        wrong(
            "with",
            "an input can only be the answer to an earlier call of the case",
        );
    }
}

/// Is it a path that leads nowhere but down?
fn is_below(path: &str) -> bool {
    let plain = |part: &str| !matches!(part, "" | "." | ".." | ".git" | ".proofhouse");
    !path.contains(['\\', '\0', '\n']) && path.split('/').all(plain)
}

/// Is it a method and a path?
fn is_request(call: &str) -> bool {
    call.split_once(' ').is_some_and(|(method, path)| {
        let method = !method.is_empty() && method.chars().all(|one| one.is_ascii_uppercase());
        method && path.starts_with('/') && path.chars().all(|one| one.is_ascii_graphic())
    })
}

/// The calls whose answers stand in a text, as in `{0/body/id}`.
fn answers_named(text: &str) -> Vec<u64> {
    let places = text.split('{').skip(1);
    let places = places.filter_map(|part| part.split_once('}'));
    let numbers = places.map(|(place, _)| place.split('/').next().unwrap_or_default());
    numbers.filter_map(|number| number.parse().ok()).collect()
}

/// Is it a path of plain names? It becomes code.
fn is_path(call: &str) -> bool {
    let name = |part: &str| {
        let begins = part.starts_with(|one: char| one.is_ascii_alphabetic() || one == '_');
        begins
            && part
                .chars()
                .all(|one| one.is_ascii_alphanumeric() || one == '_')
    };
    call.contains("::") && call.split("::").all(name)
}

fn claims(driver: Driver, case: &Case, claim: &Claim, path: &str, faults: &mut Vec<Fault>) {
    let mut wrong = |field: &str, what: &str| {
        faults.push(Fault::rule("bad_claim", path, field, what));
    };
    let of_text = matches!(
        claim.is,
        Relation::Equals
            | Relation::Differs
            | Relation::Contains
            | Relation::Same
            | Relation::Other
    );
    match claim.is {
        Relation::Fails if driver == Driver::Http => wrong(
            "is",
            "a request is answered in any case: claim its `/status` or `/body`",
        ),
        Relation::Fails if driver == Driver::Command => wrong(
            "is",
            "a command answers in any case: claim its `/exit`, `/stdout` or `/stderr`",
        ),
        Relation::Fails => {}
        _ if !case.fails(claim.of) => {}
        _ if !of_text => wrong(
            "is",
            "the case claims that the call fails, and a failure answers with its text, not with a number",
        ),
        _ if !claim.at.is_empty() => wrong(
            "at",
            "the case claims that the call fails: its answer is the whole text of the failure, so leave `at` out",
        ),
        _ => {}
    }
    let is_call = |number: usize| number < case.steps.len();
    if !is_call(claim.of) {
        wrong("of", "the case has no such call; they count from 0");
    }
    let pointer = |at: &str| at.is_empty() || at.starts_with('/');
    if !pointer(&claim.at) || !claim.other_at.as_deref().is_none_or(pointer) {
        wrong("at", "a JSON pointer begins with `/`");
    }
    match (claim.is.of_two(), claim.other) {
        (true, None) => wrong("other", "`same` and `other` need another call"),
        (true, Some(other)) if !is_call(other) => {
            wrong("other", "the case has no such call; they count from 0");
        }
        (false, Some(_)) => wrong("other", "only `same` and `other` have another call"),
        (true, Some(_)) | (false, None) => {}
    }
    match (claim.is, &claim.value) {
        (Relation::Same | Relation::Other, Some(_)) => {
            wrong(
                "value",
                "`same` and `other` compare with another answer, not with a value",
            );
        }
        (Relation::Same | Relation::Other | Relation::Fails, None) => {}
        (_, None) => wrong("value", "it is missing"),
        (Relation::Less | Relation::More | Relation::Close, Some(value)) if !value.is_number() => {
            wrong("value", "it must be a number");
        }
        (Relation::Fails, Some(value)) if !value.is_string() => {
            wrong("value", "it must be the name of an error");
        }
        (_, Some(_)) => {}
    }
    if (claim.is == Relation::Close) != claim.within.is_some() {
        wrong("within", "`close` needs it, and nothing else has it");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn exam(cases: Value) -> Value {
        json!({"driver": "python", "cases": cases})
    }

    fn good(id: &str) -> Value {
        json!({
            "id": id, "clause": "blanks become dashes",
            "steps": [{"call": "slug:slug", "with": ["a b"]}, {"call": "slug:slug", "with": [{"$answer": 0}]}],
            "holds": [{"of": 0, "is": "equals", "value": "a-b"}, {"of": 1, "is": "same", "other": 0}],
        })
    }

    #[test]
    fn one_that_is_whole_is_read() {
        let read = Exam::read(&exam(json!([good("C1"), good("C2"), good("C3")]))).unwrap();
        assert_eq!(read.cases[0].holds[0].value, Some(json!("a-b")));
        assert!(Exam::read(&example()).is_ok());
        let mut none = good("C1");
        none["holds"][0]["value"] = Value::Null;
        let read = Exam::read(&exam(json!([none, good("C2"), good("C3")]))).unwrap();
        assert_eq!(read.cases[0].holds[0].value, Some(Value::Null));
    }

    #[test]
    fn a_request_is_a_method_and_a_path_to_a_product_that_is_started() {
        let exam = |calls: [&str; 2], service: Value| {
            let case = |id: &str| {
                json!({
                    "id": id, "clause": "an item is there",
                    "steps": [{"call": calls[0], "with": [{"name": "a"}]}, {"call": calls[1]}],
                    "holds": [{"of": 1, "at": "/status", "is": "equals", "value": 200}],
                })
            };
            let cases = [case("C1"), case("C2"), case("C3")];
            json!({"driver": "http", "service": service, "cases": cases})
        };
        let starts = json!({"start": "python3 shop.py $PORT"});
        let calls = ["POST /items", "GET /items/{0/body/id}?full=1"];
        let read = Exam::read(&exam(calls, starts.clone())).unwrap();
        assert_eq!(read.service.map(|one| one.port()), Some(8000));
        for (calls, service, place) in [
            (calls, Value::Null, "service"),
            (
                ["POST /items", "GET /items/{1/body/id}"],
                starts.clone(),
                "cases[0].steps[1].with",
            ),
            (
                ["post /items", calls[1]],
                starts.clone(),
                "cases[0].steps[0].call",
            ),
            (
                ["POST /a b", calls[1]],
                starts.clone(),
                "cases[0].steps[0].call",
            ),
            (["POST items", calls[1]], starts, "cases[0].steps[0].call"),
        ] {
            let mut asked = exam(calls, service);
            if asked["service"].is_null() {
                drop(asked.as_object_mut().map(|exam| exam.remove("service")));
            }
            let faults = Exam::read(&asked).unwrap_err();
            assert_eq!(faults[0].place(), place, "{faults:?}");
        }
    }

    #[test]
    fn a_call_of_rust_is_a_path_of_plain_names() {
        let paths = ["cart::total", "my_cart::sums::total_2"];
        assert!(paths.iter().all(|path| is_path(path)));
        let others = [
            "total",
            "cart::",
            "cart::total(1)",
            "cart::2x",
            "a::b; c",
            "a::<b>::c",
        ];
        assert!(!others.iter().any(|path| is_path(path)));
    }

    #[test]
    fn all_faults_are_named_at_once_and_no_value_is() {
        let mut wrong = good("C1");
        wrong["steps"][0]["call"] = json!("hush");
        wrong["steps"][0]["with"] = json!([{"$answer": 0}]);
        wrong["holds"] = json!([
            {"of": 2, "is": "equals"},
            {"of": 0, "is": "same", "value": "secret"},
            {"of": 0, "is": "close", "value": "secret"},
            {"of": 0, "at": "x", "is": "fails", "value": 1},
        ]);
        let faults = Exam::read(&exam(json!([wrong, good("C1"), good("C3")]))).unwrap_err();
        let told: Vec<String> = faults
            .iter()
            .map(|fault| format!("{}: {}", fault.place(), fault.what))
            .collect();
        let places = [
            "cases[0].steps[0].call",
            "cases[0].steps[0].with",
            "cases[0].holds[0].of",
            "cases[0].holds[0].value",
            "cases[0].holds[1].other",
            "cases[0].holds[1].value",
            "cases[0].holds[2].value",
            "cases[0].holds[2].within",
            "cases[0].holds[3].at",
            "cases[0].holds[3].value",
            "cases[1].id",
        ];
        for place in places {
            let is_it = |one: &&String| one.starts_with(&format!("{place}: "));
            assert_eq!(told.iter().filter(is_it).count(), 1, "{place} in {told:#?}");
        }
        assert!(
            !told
                .iter()
                .any(|one| one.contains("secret") || one.contains("hush"))
        );
        assert!(Exam::read(&exam(json!([good("C1")]))).is_err());
    }
}

//! `questions`: what no machine can judge, a role answers, each question by itself and with the place
//! where anybody can look. It refuses an answer that is missing, one that does not pass, and evidence
//! that says nothing or names what is not there. It does not know whether an answer is true: what
//! passes is called the role's word.

use crate::Subject;
use crate::judge::{Judge, Trouble};
use crate::readers::documents::IdsOf;
use crate::readers::paths;
use crate::readers::substance::{alike, hollow};
use crate::settings::{IdPattern, Placed, SettingsError, Text, Wrong, value};
use crate::text::{answer, in_form, label, one_line};
use kernel::outcome::{CheckResult, Verdict};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;
use std::collections::BTreeSet;

/// The role's result answers each question, with evidence.
#[derive(Deserialize, JsonSchema)]
pub(crate) struct Questions {
    /// The role that answers.
    by: Text,
    /// A list of tables: `id`, `asks`, `answers` that pass, and `each`.
    ask: Asked,
}

struct Asked(Vec<Question>);
value!(
    Asked => [Question],
    |value| match value.as_array().filter(|list| !list.is_empty()) {
        None => Err(Wrong::Must("a list of questions".into())),
        Some(list) => {
            let read = |one: &Value| serde_json::from_value(one.clone());
            let read: Result<Vec<Question>, _> = list.iter().map(read).collect();
            Ok(Self(read.map_err(|why| Wrong::Is(why.into()))?))
        }
    },
    {"type": "array", "minItems": 1}
);

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Question {
    id: String,
    asks: String,
    #[serde(default = "yes")]
    answers: Vec<String>,
    /// Asked of each id of a document.
    each: Option<Each>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Each {
    pattern: IdPattern,
    file: Placed,
    section: Option<Text>,
}

fn yes() -> Vec<String> {
    vec!["yes".to_owned()]
}

/// One question as it was put: its key in the result's `answers`, and what it asks.
struct Put<'a> {
    key: String,
    question: &'a Question,
}

impl Judge for Questions {
    const NAME: &'static str = "questions";
    type Answer = Result<Vec<CheckResult>, Trouble>;

    fn lint(&self) -> Result<(), SettingsError> {
        let ids: BTreeSet<&str> = self.ask.iter().map(|one| one.id.trim()).collect();
        if ids.len() < self.ask.len() || ids.contains("") {
            return Self::refuse("needs an `id` of its own for each question");
        }
        let whole = |one: &Question| !one.asks.trim().is_empty() && !one.answers.is_empty();
        match self.ask.iter().all(whole) {
            true => Ok(()),
            false => Self::refuse("has a question that asks nothing, or that no answer passes"),
        }
    }

    fn judge(&self, subject: &Subject<'_>) -> Self::Answer {
        let mut put = Vec::new();
        for question in self.ask.iter() {
            let Some(each) = &question.each else {
                let key = question.id.clone();
                put.push(Put { key, question });
                continue;
            };
            let ids = IdsOf {
                pattern: &each.pattern,
                file: &each.file,
                section: each.section.as_deref(),
            };
            let ids = ids.read(subject)?;
            if ids.is_empty() {
                return Err(format!("{} has no id to ask about", each.file).into());
            }
            let keys = ids.into_iter().map(|id| format!("{} {id}", question.id));
            put.extend(keys.map(|key| Put { key, question }));
        }
        let answers = subject
            .result
            .map_or(&Value::Null, |result| &result["answers"]);
        let said = |put: &Put<'_>| answers[&put.key]["evidence"].as_str().unwrap_or_default();
        let evidence = put.iter().map(|put| (put.key.as_str(), said(put)));
        // Several answers may well rest on one place; one sentence is not evidence of many things.
        let prose = evidence.filter(|(_, said)| places(said).is_empty() || said.contains(' '));
        let same = alike(prose);
        let mut results: Vec<CheckResult> = put
            .iter()
            .map(|put| self.answered(put, &answers[&put.key], subject))
            .collect();
        if let Some(same) = same.first() {
            let why = format!("evidence: {same}");
            results.push(in_form(answer(Self::NAME, Verdict::Fail, why)));
        }
        Ok(results)
    }
}

impl Questions {
    fn answered(&self, put: &Put<'_>, given: &Value, subject: &Subject<'_>) -> CheckResult {
        let name = format!("{}: {}", Self::NAME, label(&put.key));
        let asks = one_line(&put.question.asks, 120);
        let fails = |why: String| in_form(answer(&name, Verdict::Fail, why));
        let (Some(said), Some(evidence)) = (given["answer"].as_str(), given["evidence"].as_str())
        else {
            return fails(format!(
                "no answer to `{asks}`; the result needs `answers` with `{}`: {{\"answer\": ..., \"evidence\": ...}}",
                put.key
            ));
        };
        let shown = one_line(evidence, 160);
        let passing = &put.question.answers;
        if !passing
            .iter()
            .any(|one| one.eq_ignore_ascii_case(said.trim()))
        {
            let why = format!("`{}` to `{asks}`: {shown}", one_line(said, 40));
            let mut against = answer(&name, Verdict::Fail, why);
            against.said_by = Some(self.by.to_string());
            return against;
        }
        if let Some(why) = hollow(subject, evidence, &put.question.asks) {
            return fails(format!("the evidence {why}"));
        }
        if let Err(why) = seen(evidence, subject) {
            return fails(format!("the evidence {why}"));
        }
        let reason = format!("`{}` says {}: {shown}", self.by, one_line(said, 40));
        let mut passed = answer(&name, Verdict::Pass, reason);
        passed.said_by = Some(self.by.to_string());
        passed
    }
}

/// What the engine lays beside the folders of whoever judges a change.
const PAPERS: [&str; 3] = ["change.patch", "changed-files.txt", "checks.md"];

/// A file that a text names, and a line of it.
struct Named<'a> {
    path: &'a str,
    line: Option<usize>,
}

/// What in a text looks like a file: `src/a.rs`, `src/a.rs:12`, `task/scope.md`.
fn places(text: &str) -> Vec<Named<'_>> {
    let tokens = text.split(|char: char| char.is_whitespace() || "`\"'(),;[]".contains(char));
    tokens
        .map(|token| token.trim_end_matches(['.', ':', '!', '?']))
        .filter_map(|token| {
            let (path, line) = match token.split_once(':') {
                Some((path, line)) => (path, Some(line)),
                None => (token, None),
            };
            let first = line.map(|line| line.split(['-', ':']).next().unwrap_or_default());
            let line = match first.map(str::parse) {
                Some(Ok(line)) => Some(line),
                Some(Err(_)) => return None,
                None => None,
            };
            let dotted = path.rsplit_once('.').is_some_and(|(name, kind)| {
                !name.is_empty() && !kind.is_empty() && kind.chars().all(char::is_alphanumeric)
            });
            let looks = dotted || path.contains('/') || line.is_some();
            (looks && paths::lint(path).is_ok()).then_some(Named { path, line })
        })
        .collect()
}

/// At least one file that the evidence names is there, and so is every line that it names.
fn seen(evidence: &str, subject: &Subject<'_>) -> Result<(), String> {
    let mut found = 0;
    for Named { path, line } in places(evidence) {
        // Whoever judges has these beside the folders, and nobody else ever sees them.
        if PAPERS.contains(&path) {
            found += 1;
            continue;
        }
        let read = [
            path.to_owned(),
            format!("repo/{path}"),
            format!("task/{path}"),
        ]
        .iter()
        .find_map(|path| paths::bytes(subject.place, path).ok());
        let lines = read.map(|bytes| bytes.split(|byte| *byte == b'\n').count());
        match (lines, line) {
            (Some(lines), Some(line)) if line == 0 || line > lines => {
                return Err(format!("names line {line} of {path}, which has {lines}"));
            }
            (Some(_), _) => found += 1,
            (None, Some(line)) => return Err(format!("names {path}:{line}, which is not there")),
            (None, None) => {}
        }
    }
    match found {
        0 => Err(
            "names no file that is there; name one, such as `src/a.rs:12` or `task/a.md`".into(),
        ),
        _ => Ok(()),
    }
}

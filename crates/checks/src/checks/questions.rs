//! `questions`: what no machine can judge, a role answers, each question by itself and with the place
//! where anybody can look. It refuses an answer that is missing, one that does not pass, evidence that
//! says nothing, that names what is not there or what would be there without the work as well, and one
//! sentence for many questions. It does not know whether an answer is true: what passes is called the
//! role's word.

use crate::Subject;
use crate::judge::{Judge, Trouble};
use crate::readers::references;
use crate::readers::sections::IdsOf;
use crate::readers::substance::hollow;
use crate::settings::{IdPattern, Placed, SettingsError, Text, Texts, Wrong, value};
use crate::text::{answer, in_form, label, one_line};
use documents::substance::{alike, nearly_alike, spoken};
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
    /// Names of other answers of the result: a sentence that is evidence there is none here.
    #[serde(default)]
    beside: Texts,
}

struct Asked(Vec<Question>);
value!(
    Asked => [Question],
    |value| match value.as_array().filter(|list| !list.is_empty()) {
        None => Err(Wrong::Must("a list of questions".into())),
        Some(list) => {
            let read: Result<Vec<_>, _> = list.iter().map(Question::deserialize).collect();
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

/// Fewer words than this beside what is pointed to say nothing of it: "it measures itself" is a sentence
/// whose first word may be the place.
const OF_A_SENTENCE: usize = 2;

/// Is it a place, and not a word beside it?
fn is_place(said: &str) -> bool {
    !said.contains(' ') && !documents::references::in_prose(said).is_empty()
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
        let beside = self.beside.iter().map(|id| {
            let said = answers[id]["evidence"].as_str();
            (id.as_str(), said.unwrap_or_default())
        });
        let evidence = put.iter().map(|put| (put.key.as_str(), said(put)));
        let evidence = evidence.chain(beside);
        // Several answers may well rest on one place; one sentence is not evidence of many things.
        let prose = evidence.filter(|(_, said)| !is_place(said));
        let mut same = alike(prose);
        // Different questions have different answers, wherever each is read.
        let apart = put.iter().filter(|put| put.question.each.is_none());
        same.extend(nearly_alike(apart.map(|put| (put.key.as_str(), said(put)))));
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
        // Whoever explains an answer in the answer itself has not said no.
        let explained = passing.iter().find(|one| {
            let rest = said.trim().get(one.len()..);
            let begins = said.trim().get(..one.len());
            begins.is_some_and(|begins| begins.eq_ignore_ascii_case(one))
                && rest.is_some_and(|rest| rest.starts_with([':', ',', ';', '.', ' ', '-']))
        });
        if let Some(word) = explained {
            return fails(format!(
                "the answer to `{asks}` is one word, as `{word}`; what else there is to say stands in `evidence`"
            ));
        }
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
        if let Err(why) = references::seen(evidence, subject) {
            return fails(format!("the evidence {why}"));
        }
        // Asked of each of many, the place alone may be the answer.
        if put.question.each.is_none() && spoken(evidence) < OF_A_SENTENCE {
            let why = "the evidence names a place and does not say what is seen there; write it in a sentence";
            return fails(why.to_owned());
        }
        let reason = format!("`{}` says {}: {shown}", self.by, one_line(said, 40));
        let mut passed = answer(&name, Verdict::Pass, reason);
        passed.said_by = Some(self.by.to_string());
        passed
    }
}

//! What people said when they decided. Everybody who works after it hears it: a repair of a repair must not
//! forget what it is for, and whoever judges must know what was agreed.

use kernel::Decision;
use kernel::finding::Settled;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// As many are kept; the last ones.
const MOST: usize = 4;
const MOST_CHARS: usize = 4_000;
const MOST_ANSWER: usize = 600;

/// What people said.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub(crate) struct Told {
    #[serde(default)]
    said: Vec<String>,
    /// Ids are never given twice.
    #[serde(default)]
    given: u32,
    /// What those who worked since say that they did about one, by its id.
    #[serde(default)]
    answers: BTreeMap<String, Vec<String>>,
}

/// A person's word as a brief has it, with what they were asked, if an agent asked.
pub(super) fn sentence(decision: &Decision, asked: &str) -> String {
    let asked = match asked.trim() {
        "" => String::new(),
        asked => format!("asked: {}\n  ", asked.replace('\n', " ")),
    };
    let said = format!(
        "{asked}{} decided `{}`: {}",
        decision.who, decision.option, decision.because
    );
    said.chars().take(MOST_CHARS).collect()
}

/// The decision whose words ask nobody for anything.
const CONSENT: &str = "approve";

/// Was a word, as `sentence` wrote it, said with one of these decisions?
fn is_of(said: &str, options: &[&str]) -> bool {
    let mut options = options.iter();
    options.any(|option| said.contains(&format!(" decided `{option}`: ")))
}

impl Told {
    /// Keeps a person's word; gives it with the id by which everybody refers to it from here on.
    pub(super) fn said(&mut self, text: &str) -> String {
        self.given += 1;
        let text = format!("{} {text}", kernel::decision::remark(self.given));
        self.said.push(text.clone());
        let many = self.said.len().saturating_sub(MOST);
        self.said.drain(..many);
        text
    }

    /// Somebody who worked in a state says what they did about some.
    pub(super) fn answered(&mut self, state: &str, settled: &[Settled]) {
        for one in settled {
            let number = kernel::decision::remark_of(&one.finding);
            let Some(number) = number.filter(|number| (1..=self.given).contains(number)) else {
                continue;
            };
            let id = kernel::decision::remark(number);
            let answers = self.answers.entry(id).or_default();
            if answers.len() < MOST {
                let how: String = one.how.chars().take(MOST_ANSWER).collect();
                answers.push(format!("in `{state}`: {how}"));
            }
        }
    }

    /// What was said to the one that this text is.
    pub(crate) fn answers(&self, said: &str) -> &[String] {
        let id = said.split_whitespace().next().unwrap_or_default();
        self.answers.get(id).map_or(&[], Vec::as_slice)
    }

    pub(crate) fn all(&self) -> &[String] {
        &self.said
    }

    /// What was said with one of these decisions.
    pub(crate) fn with(&self, options: &[&str]) -> Vec<&String> {
        let all = self.said.iter();
        all.filter(|said| is_of(said, options)).collect()
    }

    /// The id of the last word, if it may ask somebody for something.
    pub(crate) fn last_asked(&self) -> Option<&str> {
        let last = self.said.last().filter(|said| !is_of(said, &[CONSENT]))?;
        last.split_whitespace().next()
    }
}

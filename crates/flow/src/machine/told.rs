//! What people said when they decided. Everybody who works after it hears it: a repair of a repair must not
//! forget what it is for, and whoever judges must know what was agreed.

use crate::workflow::{Workflow, labelled};
use kernel::finding::Settled;
use kernel::table::{Actor, Target};
use kernel::{Decision, StateName};
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
pub(super) fn sentence(decision: &Decision, because: &str, asked: &str) -> String {
    let asked = match asked.trim() {
        "" => String::new(),
        asked => format!("asked: {}\n  ", asked.replace('\n', " ")),
    };
    let said = format!(
        "{asked}{} decided `{}`: {because}",
        decision.who, decision.option
    );
    said.chars().take(MOST_CHARS).collect()
}

/// A person's reason without the answers to a checklist that only say that it was read: whoever works later
/// would take them for something that a person knows. The record has all of them.
pub(super) fn without_stamps(workflow: &Workflow, at: &StateName, decision: &Decision) -> String {
    let ways = workflow.table.leaving(at);
    let mut labels = ways
        .filter(|(_, way)| way.by == Actor::Human && way.action.as_str() == decision.option)
        .filter_map(|(index, _)| workflow.after[index].needs.as_ref())
        .map(|needs| &needs.labels);
    let because = without_payload(&decision.because);
    let Some(labels) = labels.find(|labels| !labels.is_empty()) else {
        return because.to_owned();
    };
    let answer = |part: &str| match part.split_once([':', '=']) {
        Some((label, answer))
            if labels
                .iter()
                .any(|one| one.eq_ignore_ascii_case(label.trim())) =>
        {
            answer.to_owned()
        }
        _ => part.to_owned(),
    };
    let parts = because.split([';', '\n']).map(str::trim);
    let said: Vec<&str> = parts.filter(|part| !only_agrees(&answer(part))).collect();
    said.join("; ")
}

/// What was said, without the hash that binds what came along with it: that is for whoever checks the signature.
fn without_payload(because: &str) -> &str {
    let Some((said, mark)) = because.rsplit_once(" [") else {
        return because;
    };
    // What it is about stands before it, for whoever signs.
    let hash = mark.rsplit_once("payload sha256 ").map(|(_, hash)| hash);
    let hash = hash.and_then(|hash| hash.strip_suffix(']'));
    let is_hash = |hash: &str| hash.len() == 64 && hash.chars().all(|c| c.is_ascii_hexdigit());
    match hash.is_some_and(is_hash) {
        true => said,
        false => because,
    }
}

/// Words of which an answer is made that only says yes.
const ASSENT: &[&str] = &[
    "a",
    "accept",
    "accepted",
    "agree",
    "agreed",
    "all",
    "and",
    "approve",
    "approved",
    "are",
    "as",
    "at",
    "checked",
    "clear",
    "confirmed",
    "correct",
    "done",
    "enough",
    "everything",
    "fine",
    "fits",
    "go",
    "good",
    "great",
    "have",
    "i",
    "is",
    "it",
    "k",
    "lgtm",
    "looked",
    "looks",
    "me",
    "of",
    "ok",
    "okay",
    "on",
    "perfect",
    "read",
    "reviewed",
    "right",
    "seen",
    "sure",
    "that",
    "the",
    "them",
    "there",
    "these",
    "they",
    "this",
    "to",
    "true",
    "understood",
    "very",
    "we",
    "well",
    "y",
    "yep",
    "yes",
];

/// Does it say nothing but that somebody is content?
fn only_agrees(said: &str) -> bool {
    let words = said.split(|each: char| !each.is_alphanumeric());
    let mut words = words.filter(|word| !word.is_empty());
    words.all(|word| ASSENT.contains(&word.to_lowercase().as_str()))
}

/// The words with which people only send somebody who hands in under seal to work: nobody else hears them.
fn to_the_sealed(workflow: &Workflow) -> Vec<&str> {
    let ways = || {
        let ways = workflow.table.transitions.iter();
        ways.filter(|way| way.by == Actor::Human)
    };
    let sealed = |to: &Target| matches!(to, Target::State(state) if workflow.is_sealed_in(state));
    let only = |action: &str| {
        let mut own = ways().filter(|way| way.action.as_str() == action);
        own.all(|way| sealed(&way.to))
    };
    let actions = ways().map(|way| way.action.as_str());
    actions.filter(|action| only(action)).collect()
}

/// Behind this, a person who sends an examiner to work says what belongs to the task: whoever builds needs it
/// as well.
const TASK: &str = "task";

/// What a word says of the task, of all that it tells an examiner.
fn of_the_task(said: &str, options: &[&str]) -> Option<String> {
    let begins = options.iter().find_map(|option| {
        let head = format!(" decided `{option}`: ");
        said.find(&head).map(|at| at + head.len())
    })?;
    let task = labelled(&said[begins..], TASK)?;
    Some(format!("{}{task}", &said[..begins]))
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

    /// A word with which nobody can do anything: it has its id on record, and no brief repeats it.
    pub(super) fn said_nothing(&mut self) {
        self.given += 1;
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

    /// What whoever works in a state hears. Who asks the product hears what they were sent here with; of that
    /// nobody else hears more than what it says of the task.
    pub(crate) fn heard_in(&self, workflow: &Workflow, here: &StateName) -> Vec<String> {
        let ways = workflow.table.transitions.iter();
        let ways =
            ways.filter(|way| way.by == Actor::Human && way.to == Target::State(here.clone()));
        let sent_here: Vec<&str> = ways.map(|way| way.action.as_str()).collect();
        let secret = to_the_sealed(workflow);
        let sealed = workflow.is_sealed_in(here);
        let heard = |said: &String| match sealed {
            true => is_of(said, &sent_here).then(|| said.clone()),
            false if is_of(said, &secret) => of_the_task(said, &secret),
            false => Some(said.clone()),
        };
        self.said.iter().filter_map(heard).collect()
    }

    /// The id of the last word that is heard in a state, if it may ask somebody for something. Who asks the
    /// product answers to nobody.
    pub(crate) fn last_asked(&self, workflow: &Workflow, here: &StateName) -> Option<String> {
        if workflow.is_sealed_in(here) {
            return None;
        }
        let last = self.heard_in(workflow, here).pop()?;
        let asks = !is_of(&last, &[CONSENT]);
        let id = last.split_whitespace().next().map(str::to_owned);
        id.filter(|_| asks)
    }
}

#[cfg(test)]
mod tests {
    use super::{only_agrees, without_payload};

    #[test]
    fn a_brief_has_no_hash_of_what_came_along() {
        let hash = "5f".repeat(32);
        let bound = format!("the shape was wrong [see 2.1] [payload sha256 {hash}]");
        assert_eq!(without_payload(&bound), "the shape was wrong [see 2.1]");
        let about = format!("too long [back to record 35, commit ab, payload sha256 {hash}]");
        assert_eq!(without_payload(&about), "too long");
        for whole in ["as in [payload sha256 5f]", "see [2.1]", ""] {
            assert_eq!(without_payload(whole), whole);
        }
    }

    #[test]
    fn an_answer_that_only_agrees_is_no_knowledge() {
        for stamp in [
            "ok",
            " OK.",
            "read it",
            "looks good to me",
            "yes, all of it",
            "fine!",
            "",
        ] {
            assert!(only_agrees(stamp), "{stamp}");
        }
        for said in [
            "I can live with it, cents are enough until June",
            "src only",
            "integers",
            "not read",
            "the shape of 2.1",
        ] {
            assert!(!only_agrees(said), "{said}");
        }
    }
}

//! Rules across the members of what debaters say (rules F9.4 to F9.6): a verdict that follows from its
//! own evidence, evidence that cites something, amendments that can be carried out. Words are checked
//! here, not truth: truth is the ship's business.

use super::{
    Adjudication, Amendment, AmendmentAction, Assessment, Challenge, Criterion, Decision, Mark,
    ShipDirective, Verdict,
};
use crate::readable::same_words;
use kernel::form::Fault;
use serde::Deserialize;
use serde_json::Value;
use std::collections::BTreeSet;

/// Evidence and details of fewer words cite nothing.
const FEWEST_WORDS: usize = 4;
/// A vague beginning wants so many, so that something specific follows.
const SPECIFIC_WORDS: usize = 8;
/// Praise that is no evidence.
const PRAISE: [&str; 8] = [
    "looks good",
    "looks correct",
    "looks fine",
    "seems fine",
    "seems correct",
    "lgtm",
    "no issues",
    "all good",
];
/// Wishes that are no change.
const WISHES: [&str; 5] = [
    "improve",
    "clean up",
    "make it better",
    "fix issues",
    "refactor",
];

/// Words that make no evidence, however many there are of them.
const MILD: &str = "a all and appears are as be checked code correct everything expected fine good \
    great implementation in is it looks met minor nice no ok okay overall pass passes problems \
    proper properly reasonable seems suggestions that the this to verified very well with works";
/// Words that ask for something without saying what.
const VAGUE: &str = "a add all and better bit case cases clean cleanup code coverage docs \
    documentation edge error errors fix for good handle handling improve in issues it make more \
    naming needs of please quality refactor robust some test testing tests the to tweak up update";

/// What the evidence for R1 must speak of (rule F9.5: every dimension, explicitly).
const DIMENSIONS: [(&str, &[&str]); 5] = [
    ("inputs", &["input"]),
    ("outputs", &["output"]),
    ("error surfaces", &["error", "exception"]),
    ("effects", &["effect"]),
    ("modes", &["mode", "sync"]),
];

/// How many words of a text are in none of these.
fn specific(text: &str, list: &str) -> usize {
    let words = text.split(|c: char| !c.is_alphanumeric() && c != '_');
    let words = words.filter(|word| !word.is_empty()).map(str::to_lowercase);
    words
        .filter(|word| !list.split_whitespace().any(|one| one == word))
        .count()
}

/// Too short, or a vague beginning with nothing behind it.
fn says_little(text: &str, beginnings: &[&str]) -> bool {
    let words = text.split_whitespace().count();
    let text = text.trim().to_lowercase();
    let vague = beginnings.iter().any(|phrase| text.starts_with(phrase));
    words < FEWEST_WORDS || (vague && words < SPECIFIC_WORDS)
}

/// The compliance gate for challenges: a review that is mild, or at odds with itself, is none.
pub fn challenge(challenge: &Challenge) -> Vec<Fault> {
    let marks = &challenge.rubric_assessments;
    let mut found = Vec::new();
    // Another number of them is a fault of the form already.
    for criterion in Criterion::ALL.iter().filter(|_| marks.len() == 6) {
        let count = marks.iter().filter(|a| a.criterion == *criterion).count();
        if count != 1 {
            let what = format!("{} is assessed {count} times, not once", criterion.as_str());
            let field = "rubric_assessments";
            found.push(Fault::rule("rubric_incomplete", "$", field, what));
        }
    }
    for (index, mark) in marks.iter().enumerate() {
        evidence(index, mark, &mut found);
    }
    let unmet = marks.iter().any(|mark| mark.assessment == Mark::NotMet);
    let what = match challenge.verdict {
        Verdict::Pass if unmet => "a criterion is NOT_MET, so the verdict must be FAIL",
        Verdict::Pass if !challenge.failures.is_empty() => {
            "failures are listed, so the verdict must be FAIL"
        }
        Verdict::Fail if challenge.failures.is_empty() => {
            "FAIL names no failure that could be mended"
        }
        Verdict::Pass | Verdict::Fail => return found,
    };
    found.push(Fault::rule("verdict_contradicts", "$", "verdict", what));
    found
}

/// From so many criteria on, a sentence that stands under each of them is evidence for none.
const REPEATED: usize = 3;

/// Evidence that is no criterion's own: what is left of it without such sentences says little.
pub fn repeated(challenge: &Challenge) -> Vec<Fault> {
    let marks = &challenge.rubric_assessments;
    let sentences: Vec<Vec<&str>> = marks.iter().map(|one| sentences(&one.evidence)).collect();
    let words: Vec<Vec<BTreeSet<String>>> = sentences
        .iter()
        .map(|all| all.iter().map(|one| word_set(one)).collect())
        .collect();
    let mut found = Vec::new();
    for (at, mark) in marks.iter().enumerate() {
        let mut others = BTreeSet::new();
        let own = (0..sentences[at].len()).filter(|nth| {
            let same = |all: &[BTreeSet<String>]| all.iter().any(|one| near(one, &words[at][*nth]));
            let under = (0..marks.len()).filter(|one| same(&words[*one]));
            let under: Vec<usize> = under.collect();
            let shared = under.len() >= REPEATED;
            others.extend(under.into_iter().filter(|one| shared && *one != at));
            !shared
        });
        let own: Vec<&str> = own.map(|nth| sentences[at][nth]).collect();
        let own = own.join(". ");
        let mild = says_little(&own, &PRAISE) || specific(&own, MILD) == 0;
        if mild && !others.is_empty() {
            let names = others.iter().map(|one| marks[*one].criterion.as_str());
            let what = format!(
                "the evidence of {} stands under {} as well, and shows none of them: say what shows this one",
                mark.criterion.as_str(),
                names.collect::<Vec<_>>().join(", ")
            );
            let field = format!("rubric_assessments[{at}].evidence");
            found.push(Fault::rule("repeated_evidence", "$", &field, what));
        }
    }
    found
}

fn sentences(text: &str) -> Vec<&str> {
    let ends = |text: &str| text.trim().trim_end_matches(['.', '!', '?']).is_empty();
    let parts = text.split(['\n', ';']).flat_map(|line| line.split(". "));
    parts.filter(|one| !ends(one)).collect()
}

/// The words of a sentence; which criterion it is said to be about makes no difference.
fn word_set(sentence: &str) -> BTreeSet<String> {
    let words = same_words(sentence);
    let words = words.split(' ').map(str::to_owned);
    let names = |word: &String| {
        Criterion::ALL
            .iter()
            .any(|one| one.as_str().eq_ignore_ascii_case(word))
    };
    words
        .filter(|word| !word.is_empty() && !names(word))
        .collect()
}

/// At least four fifths of the words are common.
fn near(one: &BTreeSet<String>, other: &BTreeSet<String>) -> bool {
    let common = one.intersection(other).count();
    let all = one.union(other).count();
    all > 0 && common * 5 >= all * 4
}

fn evidence(index: usize, mark: &Assessment, found: &mut Vec<Fault>) {
    let field = format!("rubric_assessments[{index}].evidence");
    let criterion = mark.criterion.as_str();
    // A blank is a fault of the form already.
    let said = !mark.evidence.trim().is_empty();
    let mild = says_little(&mark.evidence, &PRAISE) || specific(&mark.evidence, MILD) == 0;
    if said && mild {
        let what = format!(
            "the evidence of {criterion} cites nothing: name a test, a contract field, a behaviour"
        );
        found.push(Fault::rule("mild_evidence", "$", &field, what));
    }
    if mark.criterion == Criterion::R1 && said {
        let text = mark.evidence.to_lowercase();
        for (dimension, names) in DIMENSIONS {
            if !names.iter().any(|name| text.contains(name)) {
                let what = format!("R1 says nothing about {dimension}");
                found.push(Fault::rule("dimension_unchecked", "$", &field, what));
            }
        }
    }
}

/// A decision that agrees with itself. `standing` is the challenge that it answers, where that is
/// known: what failed for the last time can be approved only with amendments (rule F19.6).
pub fn adjudication(ruling: &Adjudication, standing: Option<Verdict>) -> Vec<Fault> {
    let mut found = Vec::new();
    let mut say = |code, field, what: &str| found.push(Fault::rule(code, "$", field, what));
    let amends = ruling.decision == Decision::ApproveWithAmendments;
    if amends && ruling.amendments.is_empty() {
        let what = "APPROVE_WITH_AMENDMENTS names at least one amendment";
        say("too_few", "amendments", what);
    }
    if !amends && !ruling.amendments.is_empty() {
        let what = "only APPROVE_WITH_AMENDMENTS has amendments";
        say("decision_contradicts", "amendments", what);
    }
    let ships = ruling.ship_directive == ShipDirective::Ship;
    if ships == (ruling.decision == Decision::Reject) {
        let what = "REJECT goes with NO_SHIP, both approvals with SHIP";
        say("decision_contradicts", "ship_directive", what);
    }
    if ruling.decision == Decision::Approve && standing == Some(Verdict::Fail) {
        let what = "the challenge stands at FAIL: decide APPROVE_WITH_AMENDMENTS or REJECT";
        say("decision_contradicts", "decision", what);
    }
    for (index, amendment) in ruling.amendments.iter().enumerate() {
        if is_vague(amendment) {
            let what = format!("`{}` is vague: say the exact change", amendment.detail);
            let path = format!("$.amendments[{index}]");
            found.push(Fault::rule("vague_amendment", path, "detail", what));
        }
    }
    found
}

fn is_vague(amendment: &Amendment) -> bool {
    let needed = match amendment.action {
        // To remove something, naming it is exact enough.
        AmendmentAction::Remove => 1,
        AmendmentAction::Modify | AmendmentAction::Add => 2,
    };
    let detail = &amendment.detail;
    says_little(detail, &WISHES) || specific(detail, VAGUE) < needed
}

pub(crate) fn challenge_rules(value: &Value, found: &mut Vec<Fault>) {
    if let Ok(read) = Challenge::deserialize(value) {
        found.extend(challenge(&read));
    }
}

pub(crate) fn adjudication_rules(value: &Value, found: &mut Vec<Fault>) {
    if let Ok(read) = Adjudication::deserialize(value) {
        found.extend(adjudication(&read, None));
    }
}

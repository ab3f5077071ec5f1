//! What failed, and why: so that a person who is asked hears it, the next brief carries it, and the
//! same failure after another approach is noticed. Everything the engine saw is told apart from what
//! the agent said of it.

use kernel::effect::Weight;
use kernel::outcome::{CheckResult, Verdict};
use kernel::{Outcome, StateName, Time};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// The word that a gate shows when it fails as it did the last time, after another diff.
pub(crate) const REPEATED: &str = "repeated";
/// The word that a gate shows when a check that counts could not be run.
pub(crate) const UNPROVEN: &str = "unproven";

const MOST_TRIES: usize = 8;
const MOST_POST_MORTEMS: usize = 4;
const MOST_CHARS: usize = 600;
/// Of a report.
const MOST_SHORT: usize = 3;
const MOST_SHORT_CHARS: usize = 110;

/// A gate that failed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct Try {
    /// The failing checks, with their reasons.
    wrong: Vec<String>,
    /// The same without what changes from try to try (numbers).
    signature: Vec<String>,
    /// The tree that was judged.
    tree: String,
    /// What the agent said that it did.
    said: String,
    /// What the agent would try next.
    advice: String,
}

/// What was learnt when a state was given up.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PostMortem {
    /// When.
    pub at: Time,
    /// The failing checks of the last try, as the engine saw them.
    pub wrong: Vec<String>,
    /// What the agent would do differently, in its own words; may be empty.
    pub try_next: String,
    /// The approaches that failed, in the agent's words.
    pub avoid: Vec<String>,
}

/// What a run remembers of its failures.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub(crate) struct Memory {
    tries: BTreeMap<StateName, Vec<Try>>,
    post_mortems: BTreeMap<StateName, Vec<PostMortem>>,
    last: Option<StateName>,
    /// What the person who is asked now should read first.
    pub(crate) report: Option<String>,
    /// What they could do about it.
    #[serde(default)]
    pub(crate) advice: Option<String>,
}

impl Memory {
    /// The state's gate passed: its tries are history.
    pub(crate) fn passed(&mut self, state: &StateName) {
        self.tries.remove(state);
    }

    /// The state whose gate failed last.
    pub(crate) fn last(&self) -> Option<&StateName> {
        self.last.as_ref()
    }

    /// The gate failed. True if it failed just as the last time although the work is another.
    pub(crate) fn failed(
        &mut self,
        state: &StateName,
        gate: &[CheckResult],
        outcome: Option<&Outcome>,
    ) -> bool {
        let failing = || {
            gate.iter().filter(|result| {
                result.weight == Weight::Binding && result.verdict != Verdict::Pass
            })
        };
        let mut signature: Vec<String> = failing()
            .map(|result| {
                let text = format!("{}: {}", result.check, result.reason);
                capped(&text.replace(|c: char| c.is_ascii_digit(), ""))
            })
            .collect();
        signature.sort();
        let of_result = |key: &str| {
            let result = outcome.and_then(|outcome| outcome.result.as_ref());
            let text = result.and_then(|result| result[key].as_str());
            capped(text.unwrap_or_default())
        };
        let this = Try {
            wrong: failing()
                .map(|result| {
                    let code = result.code.as_ref();
                    let code = code.map_or_else(String::new, |code| format!(" [{code}]"));
                    capped(&format!("{}{code}: {}", result.check, result.reason))
                })
                .collect(),
            signature,
            tree: outcome.map_or_else(String::new, |outcome| outcome.tree_after.clone()),
            said: of_result("summary"),
            advice: of_result("try_next"),
        };
        let tries = self.tries.entry(state.clone()).or_default();
        let repeated = tries
            .last()
            .is_some_and(|last| last.signature == this.signature && last.tree != this.tree);
        tries.push(this);
        if tries.len() > MOST_TRIES {
            tries.remove(0);
        }
        self.last = Some(state.clone());
        repeated
    }

    /// The state is given up: what was learnt is kept, and its tries begin anew.
    pub(crate) fn close(&mut self, at: Time) {
        let Some(state) = self.last.clone() else {
            return;
        };
        let tries = self.tries.remove(&state).unwrap_or_default();
        let Some(last) = tries.last() else { return };
        let said = |of: fn(&Try) -> &String| {
            let mut told: Vec<String> = tries.iter().map(|one| of(one).clone()).collect();
            told.retain(|text| !text.is_empty());
            told.dedup();
            told
        };
        let post_mortem = PostMortem {
            at,
            wrong: last.wrong.clone(),
            try_next: said(|one| &one.advice).pop().unwrap_or_default(),
            avoid: said(|one| &one.said),
        };
        self.advice = Some(match post_mortem.try_next.as_str() {
            "" => {
                "read the post-mortem, then answer with what was missing (`--because`).".to_owned()
            }
            advice => format!("the agent would try: {advice}"),
        });
        self.report = Some(format!(
            "BLOCKED: `{state}` failed its gate {} times; {}.",
            tries.len(),
            in_short(&post_mortem.wrong)
        ));
        let kept = self.post_mortems.entry(state).or_default();
        kept.push(post_mortem);
        if kept.len() > MOST_POST_MORTEMS {
            kept.remove(0);
        }
    }

    /// A gate's failure leads to a person: what failed is what they should read.
    pub(crate) fn tell(&mut self, from: &StateName) {
        let last = self.tries.get(from).and_then(|tries| tries.last());
        self.report = last.map(|last| format!("BLOCKED: {}.", in_short(&last.wrong)));
        self.advice = last
            .map(|last| last.advice.as_str())
            .filter(|advice| !advice.is_empty())
            .map(|advice| format!("the agent would try: {advice}"));
    }

    /// What was learnt in earlier tries of a state.
    pub(crate) fn post_mortems(&self, state: &StateName) -> &[PostMortem] {
        self.post_mortems.get(state).map_or(&[], Vec::as_slice)
    }

    /// All of them.
    pub(crate) fn all(&self) -> impl Iterator<Item = (&StateName, &PostMortem)> {
        let all = self.post_mortems.iter();
        all.flat_map(|(state, kept)| kept.iter().map(move |one| (state, one)))
    }
}

/// One capped line: what agents and their programs say cannot pass for a line of the engine's.
fn capped(text: &str) -> String {
    let words: Vec<&str> = text.split_whitespace().collect();
    words.join(" ").chars().take(MOST_CHARS).collect()
}

/// The first few, each cut: whoever is asked reads the rest in the log.
fn in_short(wrong: &[String]) -> String {
    let cut = |text: &String| match text.char_indices().nth(MOST_SHORT_CHARS) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.clone(),
    };
    let shown: Vec<String> = wrong.iter().take(MOST_SHORT).map(cut).collect();
    match wrong.len().saturating_sub(MOST_SHORT) {
        0 => shown.join("; "),
        more => format!("{}; and {more} more", shown.join("; ")),
    }
}

//! What a whole run may use. Counted in the journal, so neither a crash nor a rewording resets it.

use crate::ids::CounterName;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Attempts begun, lost ones included.
pub const ATTEMPTS: &str = "attempts";
/// Tokens in and out.
pub const TOKENS: &str = "tokens";
/// Money in millionths of a US dollar.
pub const MICRO_DOLLARS: &str = "micro_dollars";
/// Wall time of attempts and gates, in milliseconds. Waiting for a person costs nothing.
pub const WALL_MILLIS: &str = "wall_millis";
/// Requests that the engine refused.
pub const REFUSALS: &str = "refusals";

/// The hard defaults: every run has all of them.
pub const DEFAULTS: [(&str, u64); 5] = [
    (ATTEMPTS, 60),
    (TOKENS, 10_000_000),
    (MICRO_DOLLARS, 25_000_000),
    (WALL_MILLIS, 8 * 60 * 60 * 1_000),
    (REFUSALS, 6),
];

/// One budget of a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Budget {
    /// What was used, ever.
    pub used: u64,
    /// What may be used at the most.
    pub cap: u64,
    /// What one `extend` adds to the cap.
    pub grant: u64,
}

impl Budget {
    /// Nothing left?
    pub fn is_spent(&self) -> bool {
        self.used >= self.cap
    }

    /// What is left.
    pub fn left(&self) -> u64 {
        self.cap.saturating_sub(self.used)
    }
}

/// All budgets of a run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, Default)]
#[serde(transparent)]
pub struct Budgets(BTreeMap<CounterName, Budget>);

impl Budgets {
    /// The defaults, with the given caps in their place.
    pub fn with_caps(caps: &BTreeMap<CounterName, u64>) -> Self {
        let mut all = BTreeMap::new();
        for (name, cap) in DEFAULTS {
            let name = CounterName::from(name);
            let cap = caps.get(&name).copied().unwrap_or(cap);
            let grant = cap.max(1);
            all.insert(
                name,
                Budget {
                    used: 0,
                    cap,
                    grant,
                },
            );
        }
        Self(all)
    }

    /// Is it a budget that every run has?
    pub fn is_known(name: &str) -> bool {
        DEFAULTS.iter().any(|(known, _)| *known == name)
    }

    /// One of them.
    pub fn get(&self, name: &str) -> Option<&Budget> {
        self.0.get(name)
    }

    /// All of them, in order of name.
    pub fn iter(&self) -> impl Iterator<Item = (&CounterName, &Budget)> {
        self.0.iter()
    }

    /// Adds to what was used.
    pub fn spend(&mut self, name: &str, amount: u64) {
        if let Some(budget) = self.0.get_mut(name) {
            budget.used = budget.used.saturating_add(amount);
        }
    }

    /// A person grants as much again, counted from where the run stands.
    pub fn extend(&mut self, name: &str) {
        if let Some(budget) = self.0.get_mut(name) {
            budget.cap = budget.used.max(budget.cap).saturating_add(budget.grant);
        }
    }

    /// At least so much is left from here on: the work has become known.
    pub fn raise(&mut self, name: &str, left: u64) {
        if let Some(budget) = self.0.get_mut(name) {
            budget.cap = budget.cap.max(budget.used.saturating_add(left));
        }
    }

    /// The first budget that forbids another attempt.
    pub fn first_spent(&self) -> Option<&CounterName> {
        self.0
            .iter()
            .find(|(_, budget)| budget.is_spent())
            .map(|(name, _)| name)
    }

    /// The first of these that is used up.
    pub fn first_spent_of(&self, names: &[&str]) -> Option<&CounterName> {
        let spent = self.0.iter().filter(|(_, budget)| budget.is_spent());
        let mut spent = spent.map(|(name, _)| name);
        spent.find(|name| names.contains(&name.as_str()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_run_has_every_hard_default() {
        let budgets = Budgets::with_caps(&BTreeMap::from([(CounterName::from(TOKENS), 5)]));
        for (name, cap) in DEFAULTS {
            let want = if name == TOKENS { 5 } else { cap };
            assert_eq!(
                budgets.get(name).map(|budget| budget.cap),
                Some(want),
                "{name}"
            );
        }
    }

    #[test]
    fn spending_reaches_the_cap_and_an_extension_counts_from_there() {
        let mut budgets = Budgets::with_caps(&BTreeMap::from([(CounterName::from(TOKENS), 100)]));
        budgets.spend(TOKENS, 250);
        assert_eq!(budgets.first_spent().map(CounterName::as_str), Some(TOKENS));
        budgets.extend(TOKENS);
        assert_eq!(budgets.first_spent(), None);
        let tokens = budgets.get(TOKENS).unwrap();
        assert_eq!((tokens.used, tokens.cap, tokens.left()), (250, 350, 100));
    }

    #[test]
    fn a_cap_of_zero_forbids_the_first_attempt() {
        let budgets = Budgets::with_caps(&BTreeMap::from([(CounterName::from(ATTEMPTS), 0)]));
        assert_eq!(
            budgets.first_spent().map(CounterName::as_str),
            Some(ATTEMPTS)
        );
    }
}

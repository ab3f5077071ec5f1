//! What an earlier look at the same suite saw: whoever was not noticed then stays so until a test notices
//! it, or somebody says why it makes no difference, however little time there is now. On the very same
//! tree nothing is tried anew, so that the answer is the same.

use super::plan::{Mutant, Plan};
use super::seen::{Fate, Tried};
use serde::Deserialize;
use std::collections::BTreeMap;

/// What the last look kept.
#[derive(Debug, Default)]
pub(super) struct Past {
    /// What choices follow from.
    pub(super) seed: Option<String>,
    /// Did it look at what is looked at now?
    pub(super) is_of_this_tree: bool,
    tried: Vec<Tried>,
}

#[derive(Deserialize)]
struct Kept {
    #[serde(default)]
    name: Option<String>,
    seed: String,
    #[serde(default)]
    tree: Option<String>,
    /// How many it might try.
    #[serde(default)]
    most: Option<usize>,
    #[serde(default)]
    mutants: Vec<Tried>,
}

/// A mutant by what stays of it when lines above it come and go: path, function, what.
fn known(what: &str) -> Option<[String; 3]> {
    let (function, rest) = what.strip_prefix('`')?.split_once("` (")?;
    let (place, what) = rest.split_once(") ")?;
    let (path, _line) = place.rsplit_once(':')?;
    Some([path, function, what].map(str::to_owned))
}

impl Past {
    /// Of what earlier looks kept, oldest first.
    pub(super) fn of(
        earlier: &[Vec<u8>],
        name: &str,
        (tree, most): (Option<&str>, Option<usize>),
    ) -> Self {
        let each = earlier.iter().rev();
        let mut each = each.filter_map(|kept| serde_json::from_slice::<Kept>(kept).ok());
        // One gate may have several suites. Records of older versions do not say which it was.
        let own = |kept: &Kept| kept.name.as_deref().is_none_or(|one| one == name);
        let Some(kept) = each.find(|kept| own(kept) && !kept.seed.is_empty()) else {
            return Self::default();
        };
        Self {
            is_of_this_tree: tree.is_some()
                && kept.tree.as_deref() == tree
                && kept.most == most
                && !kept.mutants.is_empty(),
            seed: Some(kept.seed),
            tried: kept.mutants,
        }
    }

    /// Those that no test noticed.
    pub(super) fn survivors(&self) -> Vec<[String; 3]> {
        let survived = |one: &&Tried| matches!(one.fate, Fate::Survived { .. });
        let each = self.tried.iter().filter(survived);
        each.filter_map(|one| known(&one.what)).collect()
    }

    /// The mutants of a plan, each with whether it is a constant: first those that were not noticed, then
    /// those that nobody has tried yet, and at last those that were noticed.
    pub(super) fn in_turn<'p>(&self, plan: &'p Plan) -> Vec<(&'p Mutant, bool)> {
        let constants = plan.constants.iter().map(|mutant| (mutant, true));
        let others = plan.others.iter().map(|mutant| (mutant, false));
        let mut all: Vec<(&Mutant, bool)> = constants.chain(others).collect();
        let rank: BTreeMap<[String; 3], u8> = {
            let each = self.tried.iter();
            let each = each.filter_map(|one| Some((known(&one.what)?, rank(&one.fate))));
            each.collect()
        };
        all.sort_by_key(|(mutant, _)| {
            let what = format!("{} {}", plan.named(mutant), mutant.what);
            let known = known(&what);
            known.and_then(|one| rank.get(&one).copied()).unwrap_or(1)
        });
        all
    }

    /// What became of one on this very tree; none, if it was not tried or the tree is another.
    pub(super) fn on_this_tree(&self, what: &str) -> Option<Fate> {
        let mut tried = self.tried.iter().filter(|_| self.is_of_this_tree);
        let last = tried.find(|one| one.what == what)?;
        Some(last.fate.clone())
    }

    /// That no test noticed it, for when there is no time to ask again.
    pub(super) fn survived(&self, what: &str) -> Option<Fate> {
        let own = known(what)?;
        let mut tried = self.tried.iter();
        let last = tried.find(|one| known(&one.what).as_ref() == Some(&own))?;
        let survived = matches!(last.fate, Fate::Survived { .. });
        survived.then(|| last.fate.clone())
    }
}

fn rank(fate: &Fate) -> u8 {
    match fate {
        Fate::Survived { .. } => 0,
        Fate::Untried { .. } | Fate::TooLong => 1,
        Fate::Noticed { .. } => 2,
    }
}

#[cfg(test)]
mod tests {
    use super::super::plan::Function;
    use super::*;
    use serde_json::json;

    fn plan(line: u32) -> Plan {
        let mutant = |what: &str| Mutant {
            number: 1,
            what: what.to_owned(),
            line,
            path: "shop.py".to_owned(),
            text: String::new(),
        };
        Plan {
            functions: vec![Function {
                number: 1,
                name: "tax".to_owned(),
                path: "shop.py".to_owned(),
                line,
            }],
            constants: vec![mutant("always gives 0"), mutant("always gives 1")],
            others: vec![mutant("`a < b` with `<=`"), mutant("`log()` dropped")],
            ..Plan::default()
        }
    }

    fn past(name: &str) -> Past {
        let kept = json!({ "name": name, "seed": "5eed", "tree": "t1", "mutants": [
            { "what": "`tax` (shop.py:2) always gives 0", "constant": true, "fate": "noticed", "by": ["a"], "millis": 1 },
            { "what": "`tax` (shop.py:2) `log()` dropped", "constant": false, "fate": "survived", "elsewhere": [], "millis": 1 },
        ] });
        Past::of(
            &[kept.to_string().into_bytes()],
            "suite",
            (Some("t1"), None),
        )
    }

    fn named(past: &Past, plan: &Plan) -> Vec<String> {
        let all = past.in_turn(plan).into_iter();
        all.map(|(mutant, _)| mutant.what.clone()).collect()
    }

    #[test]
    fn whoever_was_not_noticed_comes_first_and_stays_when_time_is_out() {
        let past = past("suite");
        assert!(past.is_of_this_tree);
        assert_eq!(past.seed.as_deref(), Some("5eed"));
        // Lines may come above it.
        let turns = named(&past, &plan(7));
        assert_eq!(
            turns,
            [
                "`log()` dropped",
                "always gives 1",
                "`a < b` with `<=`",
                "always gives 0"
            ]
        );
        assert!(past.survived("`tax` (shop.py:7) `log()` dropped").is_some());
        let noticed = "`tax` (shop.py:2) always gives 0";
        assert!(past.survived(noticed).is_none());
        assert!(matches!(
            past.on_this_tree(noticed),
            Some(Fate::Noticed { .. })
        ));
        assert!(
            past.on_this_tree("`tax` (shop.py:2) always gives 1")
                .is_none()
        );
        assert_eq!(past.survivors().len(), 1);
    }

    #[test]
    fn another_suite_of_the_same_gate_says_nothing() {
        let past = past("another");
        assert!(past.seed.is_none() && past.survivors().is_empty());
        assert_eq!(named(&past, &plan(2))[0], "always gives 0");
    }

    #[test]
    fn what_could_not_be_tried_is_kept_with_its_reason() {
        let tried = Tried {
            number: 1,
            what: "`tax` (shop.py:2) always gives 0".to_owned(),
            constant: true,
            before: false,
            fate: Fate::Untried {
                why: "the suite is unreadable then".to_owned(),
            },
        };
        let text = serde_json::to_string(&tried).unwrap();
        let back: Tried = serde_json::from_str(&text).unwrap();
        assert_eq!(back.fate, tried.fate);
    }
}

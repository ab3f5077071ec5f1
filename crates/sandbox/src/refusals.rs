//! What was refused in one launch, or in several, each target once with how often. It is bounded:
//! whoever tries ten thousand ports gets a count for the last of them, not a line each. What a proxy
//! refuses and what goes past it have room apart, so that many of one kind do not hide the other.

use crate::Denied;

/// Different targets of one kind that are remembered by name.
pub(crate) const MOST: usize = 64;
/// What stands for all others.
pub(crate) const MORE: &str = "and more";

/// Refused targets, in the order of their first attempt.
#[derive(Debug, Default)]
pub struct Refusals {
    named: Vec<Denied>,
    /// Attempts at targets that found no room.
    beyond: u32,
    /// Room that other lists brought with them.
    brought: usize,
}

impl Refusals {
    /// One more attempt.
    pub fn note(&mut self, target: String) {
        self.add(Denied { target, times: 1 });
    }

    /// A launch's whole list, with the room for it if nothing else is there yet.
    pub fn add_all(&mut self, list: &[Denied]) {
        self.brought = self.brought.max(MOST);
        for one in list {
            self.add(one.clone());
        }
    }

    /// Attempts at one target, or the end of another list.
    pub fn add(&mut self, one: Denied) {
        if one.target == MORE {
            self.beyond = self.beyond.saturating_add(one.times);
        } else if let Some(known) = self.named.iter_mut().find(|two| two.target == one.target) {
            known.times = known.times.saturating_add(one.times);
        } else if self.named.len() < MOST + self.brought {
            self.named.push(one);
        } else {
            self.beyond = self.beyond.saturating_add(one.times);
        }
    }

    /// It was none after all.
    #[cfg_attr(not(target_os = "linux"), allow(dead_code))]
    pub(crate) fn withdraw(&mut self, is_none: impl Fn(&str) -> bool) {
        self.named.retain(|known| !is_none(&known.target));
    }

    /// One list of both.
    #[cfg_attr(not(target_os = "linux"), allow(dead_code))]
    pub(crate) fn and(mut self, other: Refusals) -> Self {
        self.brought = MOST;
        for one in other.named {
            self.add(one);
        }
        self.beyond = self.beyond.saturating_add(other.beyond);
        self
    }

    /// The list, with one last entry for those that found no room.
    pub fn list(self) -> Vec<Denied> {
        let mut list = self.named;
        if self.beyond > 0 {
            list.push(Denied {
                target: MORE.to_owned(),
                times: self.beyond,
            });
        }
        list
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_target_is_there_once_and_the_list_has_an_end() {
        let mut refusals = Refusals::default();
        for _ in 0..2 {
            for port in 0..100 {
                refusals.note(format!("h:{port}"));
            }
        }
        let list = refusals.list();
        assert_eq!(list.len(), MOST + 1);
        assert!(list[..MOST].iter().all(|one| one.times == 2));
        assert_eq!((list[MOST].target.as_str(), list[MOST].times), (MORE, 72));
    }

    #[test]
    fn two_lists_become_one() {
        let of = |names: &[&str]| {
            let mut refusals = Refusals::default();
            names.iter().for_each(|name| refusals.note((*name).into()));
            refusals
        };
        let mut both = of(&["a", "b"]).and(of(&["b", "c"]));
        both.withdraw(|name| name == "a");
        let list: Vec<_> = both.list();
        let list: Vec<_> = list.iter().map(|one| (&*one.target, one.times)).collect();
        assert_eq!(list, [("b", 2), ("c", 1)]);
        assert!(Refusals::default().list().is_empty());
    }

    #[test]
    fn many_of_one_kind_do_not_hide_the_other() {
        let many = |kind: &str| {
            let mut refusals = Refusals::default();
            (0..100).for_each(|port| refusals.note(format!("{kind}:{port}")));
            refusals
        };
        let mut one = Refusals::default();
        one.note("past:1".into());
        let list = many("proxy").and(one).list();
        assert!(list.iter().any(|one| one.target == "past:1"), "{list:?}");
        let list = many("proxy").and(many("past")).list();
        let past = |list: &[Denied]| {
            list.iter()
                .filter(|one| one.target.starts_with("past"))
                .count()
        };
        assert_eq!((list.len(), past(&list)), (2 * MOST + 1, MOST));
        assert_eq!(list[2 * MOST].times, 72);
        let mut attempt = Refusals::default();
        attempt.add_all(&list);
        attempt.add_all(&list);
        let twice = attempt.list();
        assert_eq!((twice.len(), past(&twice)), (2 * MOST + 1, MOST));
    }
}

//! Attempts that ended as the one before them did. What is wrong is told once, and counted from there: a
//! page of the same line hides what differs.

use kernel::{Class, EffectId};

/// Hears attempts in their order.
#[derive(Debug, Default)]
pub struct Repeats {
    ended: String,
    why: String,
    first: Option<EffectId>,
    times: u32,
}

impl Repeats {
    /// How an attempt ended: why, or that it is the same again.
    pub fn hear(&mut self, effect: EffectId, ended: &str, why: &str) -> String {
        if self.ended != ended || self.why != why || ended == Class::Done.as_str() {
            (self.ended, self.why) = (ended.to_owned(), why.to_owned());
            (self.first, self.times) = (Some(effect), 1);
            return why.to_owned();
        }
        self.times += 1;
        let first = self.first.unwrap_or(effect);
        format!("the same as {first}, {} times now", self.times)
    }

    /// Why something followed, without what the attempt before it said of itself.
    pub fn without(&self, why: &str) -> String {
        let failed = self.ended != Class::Done.as_str() && !self.why.is_empty();
        match (failed, self.first) {
            (true, Some(first)) => why.replace(&self.why, &format!("see {first}")),
            _ => why.to_owned(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_said_again_is_counted_and_what_is_new_is_said() {
        let mut repeats = Repeats::default();
        let mut hear = |effect, ended, why| repeats.hear(EffectId(effect), ended, why);
        assert_eq!(hear(3, "invalid_result", "no JSON"), "no JSON");
        assert_eq!(
            hear(4, "invalid_result", "no JSON"),
            "the same as e0003, 2 times now"
        );
        assert_eq!(
            hear(5, "invalid_result", "no JSON"),
            "the same as e0003, 3 times now"
        );
        assert_eq!(hear(6, "crashed", "no JSON"), "no JSON");
        assert_eq!(hear(7, "done", "it left a result"), "it left a result");
        assert_eq!(hear(8, "done", "it left a result"), "it left a result");
        hear(9, "crashed", "exit code 7");
        assert_eq!(
            repeats.without("the attempt ended as crashed: exit code 7; held"),
            "the attempt ended as crashed: see e0009; held"
        );
    }
}

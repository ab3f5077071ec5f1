//! How full the window is, and what can go.
//!
//! The brief, the latest turns, and a call without its answer never go.

use crate::prices::Tokens;
use crate::wire::{Block, Entry};

/// From here on, older turns are summarised.
const FULL_PERCENT: u64 = 85;
/// Entries at the end that always stay.
const LATEST: usize = 4;
/// A token is about this many bytes; a little less than usual, to be on the safe side.
const BYTES_PER_TOKEN: u64 = 3;

/// A conversation and its size.
#[derive(Debug)]
pub(super) struct Context {
    pub(super) entries: Vec<Entry>,
    window: u64,
    /// Tokens of the first entries, as the provider counted them.
    known: u64,
    counted: usize,
}

impl Context {
    pub(super) fn new(window: u64) -> Self {
        Self {
            entries: Vec::new(),
            window,
            known: 0,
            counted: 0,
        }
    }

    /// Takes the provider's own count: all entries so far, and the message that follows.
    pub(super) fn measured(&mut self, tokens: Tokens) {
        self.known = tokens.input.saturating_add(tokens.output);
        self.counted = self.entries.len() + 1;
    }

    fn tokens(&self) -> u64 {
        let fresh = self
            .entries
            .iter()
            .skip(self.counted)
            .map(size)
            .sum::<u64>()
            / BYTES_PER_TOKEN;
        self.known.saturating_add(fresh)
    }

    /// Is it time to make room?
    pub(super) fn is_full(&self) -> bool {
        self.tokens() >= self.window / 100 * FULL_PERCENT && self.can_shrink()
    }

    /// Is there anything that could go?
    pub(super) fn can_shrink(&self) -> bool {
        self.older().is_some()
    }

    /// The entries that a summary may replace: after the brief, up to the latest turns.
    pub(super) fn older(&self) -> Option<&[Entry]> {
        let end = self.boundary()?;
        Some(&self.entries[1..end])
    }

    /// Puts a summary in the place of the older entries.
    pub(super) fn shrink(&mut self, summary: &str) {
        if let Some(end) = self.boundary() {
            self.entries
                .splice(1..end, [Entry::User(summary.to_owned())]);
            self.known = 0;
            self.counted = 0;
        }
    }

    /// Where the latest turns begin: always with the model's own words. A summary alone is
    /// nothing that could be summarised again.
    fn boundary(&self) -> Option<usize> {
        let latest = self.entries.len().checked_sub(LATEST)?;
        let begins = |at: &usize| matches!(self.entries.get(*at), Some(Entry::Assistant(_)));
        let end = (1..=latest).rev().find(begins)?;
        let worth = self.entries[1..end]
            .iter()
            .any(|entry| matches!(entry, Entry::Assistant(_)));
        worth.then_some(end)
    }
}

fn size(entry: &Entry) -> u64 {
    let bytes = match entry {
        Entry::User(text) => text.len(),
        Entry::Results(answers) => answers.iter().map(|answer| answer.text.len() + 40).sum(),
        Entry::Assistant(blocks) => blocks.iter().map(block_size).sum(),
    };
    bytes as u64
}

fn block_size(block: &Block) -> usize {
    match block {
        Block::Text(text) => text.len(),
        Block::Call(call) => {
            40 + call.name.len()
                + call
                    .arguments
                    .as_ref()
                    .map_or(0, |value| value.to_string().len())
        }
        Block::Opaque(value) => value.to_string().len(),
    }
}

/// Entries as text, for a summary and for a file.
pub(super) fn render(entries: &[Entry]) -> String {
    let mut text = String::new();
    for entry in entries {
        match entry {
            Entry::User(said) => text.push_str(&format!("## Asked\n{said}\n\n")),
            Entry::Results(answers) => {
                for answer in answers {
                    text.push_str(&format!("## Tool answer\n{}\n\n", answer.text));
                }
            }
            Entry::Assistant(blocks) => {
                for block in blocks {
                    match block {
                        Block::Text(said) => text.push_str(&format!("## Agent\n{said}\n\n")),
                        Block::Call(call) => text
                            .push_str(&format!("## Call\n{}\n\n", super::toolbox::describe(call))),
                        Block::Opaque(_) => {}
                    }
                }
            }
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wire::{Answer, Call, Verdict};

    fn turn(id: usize) -> [Entry; 2] {
        let id = id.to_string();
        let answer = Answer {
            id: id.clone(),
            text: "x".repeat(300),
            verdict: Verdict::Worked,
        };
        [
            Entry::Assistant(vec![Block::Call(Call::new(id, "read".into(), "{}"))]),
            Entry::Results(vec![answer]),
        ]
    }

    fn context(turns: usize, window: u64) -> Context {
        let mut context = Context::new(window);
        context.entries.push(Entry::User("brief".into()));
        context.entries.extend((0..turns).flat_map(turn));
        context
    }

    #[test]
    fn the_brief_and_the_latest_turns_stay() {
        let mut whole = context(6, 800);
        assert!(whole.is_full());
        let before = whole.entries.clone();
        whole.shrink("short");
        assert_eq!(whole.entries[0], before[0]);
        assert_eq!(whole.entries[1], Entry::User("short".into()));
        assert_eq!(whole.entries[2..], before[9..]);
        assert!(
            !whole.is_full() && !whole.can_shrink(),
            "a second summary would gain nothing"
        );
    }

    #[test]
    fn a_short_conversation_is_left_alone() {
        for turns in 0..3 {
            assert!(!context(turns, 10).can_shrink(), "{turns}");
        }
        assert!(!context(6, 100_000).is_full());
    }

    #[test]
    fn the_providers_count_wins_over_the_estimate() {
        let mut context = context(6, 100_000);
        context.measured(Tokens {
            input: 85_000,
            ..Tokens::default()
        });
        assert!(context.is_full());
        context.measured(Tokens {
            input: 100,
            ..Tokens::default()
        });
        assert!(!context.is_full());
    }
}

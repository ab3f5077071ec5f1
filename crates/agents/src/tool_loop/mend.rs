//! Makes a conversation one that providers accept: every call has its answer, and only calls do.
//!
//! Pure. A cut message, a crash or a summary may leave calls without answers, answers without
//! calls, or arguments that are not JSON; a provider rejects the whole request for each of them.

use crate::wire::{Answer, Block, Call, Entry, Verdict};
use serde_json::json;
use std::collections::BTreeSet;

/// Said for a call that nobody answered.
const NOT_RUN: &str = "this call was interrupted and did not run";

/// Mends in place. Mending twice changes nothing more.
pub(super) fn mend(entries: &mut Vec<Entry>) {
    let mut mended = Vec::with_capacity(entries.len());
    let mut open: Vec<String> = Vec::new();
    let mut used = BTreeSet::new();
    for entry in entries.drain(..) {
        match entry {
            Entry::Results(answers) => {
                let answers = matching(answers, &open);
                open.clear();
                if !answers.is_empty() {
                    mended.push(Entry::Results(answers));
                }
            }
            Entry::Assistant(blocks) => {
                close(&mut open, &mut mended);
                let blocks = usable(blocks, &mut used);
                open = ids(&blocks);
                if !blocks.is_empty() {
                    mended.push(Entry::Assistant(blocks));
                }
            }
            Entry::User(text) => {
                close(&mut open, &mut mended);
                mended.push(Entry::User(text));
            }
        }
    }
    close(&mut open, &mut mended);
    *entries = mended;
}

fn ids(blocks: &[Block]) -> Vec<String> {
    let id = |block: &Block| match block {
        Block::Call(call) => Some(call.id.clone()),
        Block::Text(_) | Block::Opaque(_) => None,
    };
    blocks.iter().filter_map(id).collect()
}

/// One answer for each open call, in the order of the calls.
fn matching(answers: Vec<Answer>, open: &[String]) -> Vec<Answer> {
    let answer = |id: &String| {
        answers
            .iter()
            .find(|answer| answer.id == *id)
            .cloned()
            .unwrap_or_else(|| not_run(id))
    };
    open.iter().map(answer).collect()
}

fn not_run(id: &str) -> Answer {
    Answer {
        id: id.to_owned(),
        text: NOT_RUN.to_owned(),
        verdict: Verdict::Failed,
    }
}

fn close(open: &mut Vec<String>, mended: &mut Vec<Entry>) {
    if !open.is_empty() {
        mended.push(Entry::Results(
            open.drain(..).map(|id| not_run(&id)).collect(),
        ));
    }
}

/// Blocks that a provider takes back: no empty text, no malformed or nameless call, no id twice.
fn usable(blocks: Vec<Block>, used: &mut BTreeSet<String>) -> Vec<Block> {
    let block = |block: Block| match block {
        Block::Text(text) if text.trim().is_empty() => None,
        Block::Call(call) if call.id.is_empty() || !used.insert(call.id.clone()) => None,
        Block::Call(call) => Some(Block::Call(Call {
            name: if call.name.is_empty() {
                "unknown".to_owned()
            } else {
                call.name
            },
            // The tool's answer says what was wrong with them.
            arguments: Ok(call.arguments.unwrap_or_else(|_| json!({}))),
            ..call
        })),
        other => Some(other),
    };
    blocks.into_iter().filter_map(block).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn call(id: &str, arguments: &str) -> Block {
        Block::Call(Call::new(id.to_owned(), "read".to_owned(), arguments))
    }

    fn answer(id: &str) -> Answer {
        Answer {
            id: id.to_owned(),
            text: "ok".to_owned(),
            verdict: Verdict::Worked,
        }
    }

    fn user() -> Entry {
        Entry::User("go".to_owned())
    }

    #[test]
    fn dangling_calls_get_an_answer_and_stray_answers_go() {
        let mut entries = vec![
            user(),
            Entry::Results(vec![answer("stray")]),
            Entry::Assistant(vec![
                Block::Text(" ".into()),
                call("a", "{}"),
                call("b", "{"),
            ]),
            Entry::Results(vec![answer("c"), answer("a")]),
            Entry::Assistant(vec![call("d", "{}")]),
        ];
        mend(&mut entries);
        let expected = vec![
            user(),
            Entry::Assistant(vec![call("a", "{}"), call("b", "{}")]),
            Entry::Results(vec![answer("a"), not_run("b")]),
            Entry::Assistant(vec![call("d", "{}")]),
            Entry::Results(vec![not_run("d")]),
        ];
        assert_eq!(entries, expected);
    }

    /// What providers demand of a conversation.
    fn is_well_formed(entries: &[Entry]) -> bool {
        let mut open = Vec::new();
        for entry in entries {
            match entry {
                Entry::Results(answers) => {
                    let answered: Vec<String> =
                        answers.iter().map(|answer| answer.id.clone()).collect();
                    if open.is_empty() || answered != open {
                        return false;
                    }
                    open.clear();
                }
                Entry::Assistant(blocks) if open.is_empty() => open = ids(blocks),
                Entry::User(_) if open.is_empty() => {}
                Entry::Assistant(_) | Entry::User(_) => return false,
            }
        }
        open.is_empty()
    }

    fn any_entry() -> impl Strategy<Value = Entry> {
        let id = prop::sample::select(vec!["", "a", "b", "c"]);
        let block = (id.clone(), prop::sample::select(vec!["{}", "{", "[]"]))
            .prop_map(|(id, text)| call(id, text));
        prop_oneof![
            Just(user()),
            prop::collection::vec(block, 0..3).prop_map(Entry::Assistant),
            prop::collection::vec(id.prop_map(answer), 0..3).prop_map(Entry::Results),
        ]
    }

    proptest! {
        #[test]
        fn any_conversation_is_mended_once_and_for_all(mut entries in prop::collection::vec(any_entry(), 0..12)) {
            mend(&mut entries);
            prop_assert!(is_well_formed(&entries), "{:?}", entries);
            let once = entries.clone();
            mend(&mut entries);
            prop_assert_eq!(entries, once);
        }
    }
}

//! Fields are written by agents: whatever they hold, no glob leads out, none reaches the task's own
//! files, and a text that counts as a list has lost nothing.

use kernel::effect::Sight;
use kernel::pattern::{Named, not_a_list, words};
use proptest::prelude::*;
use std::collections::BTreeMap;

/// Texts of what could matter to the reader, in any order.
fn hostile() -> impl Strategy<Value = String> {
    let part = prop::sample::select(vec![
        "`", "``", "!", "!!", "/", "..", "../", "task/", "task", "repo/", "src/**", "a.rs", "**",
        ",", " ", ", ", "\n", "\t", "{", "}", "{a,b}", "[", "]", "\\", ".", ";", "é", "only",
    ]);
    prop::collection::vec(part, 0..14).prop_map(|parts| parts.concat())
}

proptest! {
    #[test]
    fn no_text_names_what_lies_outside(text in hostile()) {
        let named = Named::of(&text);
        for glob in named.inside.iter().chain(&named.outside) {
            prop_assert!(!glob.is_empty() && text.contains(glob.as_str()), "{glob:?}");
            prop_assert!(!glob.starts_with(['/', '!']) && !glob.contains('`'), "{glob:?}");
            prop_assert!(glob.split('/').all(|part| part != ".."), "{glob:?}");
        }
    }

    #[test]
    fn a_list_has_lost_nothing(text in hostile()) {
        if not_a_list(&text).is_none() {
            let mut rest = text.clone();
            for word in words(&text) {
                rest = rest.replacen(word, "", 1);
            }
            let separates = |char: char| char.is_whitespace() || ",`.;:".contains(char);
            prop_assert!(rest.chars().all(separates), "{text:?} leaves {rest:?}");
        }
    }

    #[test]
    fn no_field_reaches_the_tasks_own_files(text in hostile()) {
        let list = |globs: &[&str]| globs.iter().map(|glob| (*glob).to_owned()).collect();
        let sight = Sight {
            sees: list(&["{Field}"]),
            hidden: list(&["{Field}"]),
            scope: list(&["{Field}", "!{Field}"]),
            within: Vec::new(),
        };
        let now = sight.filled_in(&BTreeMap::from([("Field".to_owned(), text)]));
        for glob in now.sees.iter().chain(&now.hidden).chain(&now.scope) {
            prop_assert!(!glob.starts_with("task/"), "{glob:?}");
            prop_assert!(!glob.starts_with("!!"), "{glob:?}");
        }
        let opened = now.scope.iter().filter(|glob| !glob.starts_with('!'));
        prop_assert_eq!(opened.collect::<Vec<_>>(), now.sees.iter().collect::<Vec<_>>());
    }
}

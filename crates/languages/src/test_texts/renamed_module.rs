//! Modules that have another name now, with what they say as good as the same: a test that asks the same thing of one
//! by its new name asks for no less.

use crate::judges::{imports, is_source, stem_of};
use std::collections::{BTreeMap, BTreeSet};

/// Each source that is gone, and the new one that says most of what it said: what both are called by others.
pub fn renamed_modules(
    gone: &BTreeMap<String, String>,
    new: &BTreeMap<String, String>,
) -> Vec<(String, String)> {
    let said = |text: &str| -> BTreeSet<String> {
        let lines = text.lines().map(|line| line.trim().to_owned());
        lines.filter(|line| !line.is_empty()).collect()
    };
    let mut found = Vec::new();
    for (path, text) in gone.iter().filter(|(path, _)| is_source(path)) {
        let old = said(text);
        let kept = |other: &str| said(other).intersection(&old).count();
        let of_its_kind = |other: &str| path.rsplit('.').next() == other.rsplit('.').next();
        let candidates = new.iter().filter(|(other, _)| of_its_kind(other));
        let best = candidates.max_by_key(|(_, other)| kept(other));
        if let Some((other, _)) = best.filter(|(_, other)| kept(other) * 2 > old.len()) {
            let (from, to) = (stem_of(path).to_owned(), stem_of(other).to_owned());
            found.extend((from != to).then_some((from, to)));
        }
    }
    found
}

/// A text of tests as it would be with the new names: where it imports them, and where it asks something of them.
pub fn with_new_names(text: &str, renamed: &[(String, String)]) -> String {
    let mut whole = text.to_owned();
    for (from, to) in renamed {
        let lines = whole.split_inclusive('\n');
        whole = lines.map(|line| in_line(line, from, to)).collect();
    }
    whole
}

fn in_line(line: &str, from: &str, to: &str) -> String {
    let import = imports(line, from);
    let inside = |each: char| each.is_alphanumeric() || each == '_';
    let (mut whole, mut rest) = (String::new(), line);
    while let Some(at) = rest.find(from) {
        let (before, behind) = (&rest[..at], &rest[at + from.len()..]);
        let last = whole.chars().chain(before.chars()).next_back();
        let next = behind.chars().next();
        let word = !last.is_some_and(inside) && !next.is_some_and(inside);
        // What stands in quotes is a text, but where it goes on (`"shop.total"`, for a stand-in).
        let goes_on = behind
            .chars()
            .nth(1)
            .is_some_and(|one| one.is_alphabetic() || matches!(one, '_' | ':'));
        let asked = matches!(next, Some('.' | ':')) && goes_on && last != Some('.');
        whole.push_str(before);
        whole.push_str(if word && (import || asked) { to } else { from });
        rest = behind;
    }
    whole + rest
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_module_that_says_the_same_under_another_name_is_the_same() {
        let of = |files: &[(&str, &str)]| -> BTreeMap<String, String> {
            let files = files.iter();
            files
                .map(|(path, text)| ((*path).to_owned(), (*text).to_owned()))
                .collect()
        };
        let text =
            "def total(prices):\n    return sum(prices)\n\ndef tax(price):\n    return price\n";
        let gone = of(&[("src/shop.py", text)]);
        let other = "def total(prices):\n    return 0\n";
        let new = of(&[
            ("src/store.py", text),
            ("src/other.py", other),
            ("a.md", text),
        ]);
        let found = renamed_modules(&gone, &new);
        assert_eq!(found, [("shop".to_owned(), "store".to_owned())]);
        assert!(renamed_modules(&gone, &of(&[("src/other.py", other)])).is_empty());
        assert!(renamed_modules(&gone, &of(&[("src/store.js", text)])).is_empty());
    }

    #[test]
    fn tests_are_read_with_the_new_name_where_they_ask_for_it() {
        let renamed = [("shop".to_owned(), "store".to_owned())];
        for (was, is) in [
            (
                "from src.shop import total\n",
                "from src.store import total\n",
            ),
            (
                "import { a } from '../src/shop.mjs'\n",
                "import { a } from '../src/store.mjs'\n",
            ),
            (
                "    assert shop.total([1]) == 1\n",
                "    assert store.total([1]) == 1\n",
            ),
            ("use crate::shop;\n", "use crate::store;\n"),
            (
                "    assert name() == \"shop\"\n",
                "    assert name() == \"shop\"\n",
            ),
            (
                "    assert name() == 'shop.'\n",
                "    assert name() == 'shop.'\n",
            ),
            ("    @patch(\"shop.tax\")\n", "    @patch(\"store.tax\")\n"),
            ("workshop.open()\n", "workshop.open()\n"),
            ("self.shop.total()\n", "self.shop.total()\n"),
        ] {
            assert_eq!(with_new_names(was, &renamed), is);
        }
    }
}

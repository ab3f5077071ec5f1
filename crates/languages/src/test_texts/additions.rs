//! What was added inside of tests that were there, and takes away all the same: a line that ends a test
//! before it has asked, a condition around what it asks, a later test of the same name that stands for
//! both. The lines that were there are still there then, so nothing is missing.

use super::kept::{CONTAINERS, blocks, body, depth, lines};
use super::spoken::{Spoken, spoken};
use crate::one_line;

/// Words that leave a function or a loop, and that begin what may not be run.
const LEAVES: [&str; 5] = ["return", "raise", "throw", "break", "continue"];
const CONDITIONS: [&str; 7] = ["if ", "if(", "while ", "while(", "try", "else", "except"];
/// What a line says that asks something.
const ASKS: [&str; 11] = [
    "assert", "expect", "equal", "Equal", "should", "require", "raises", "throws", "rejects",
    "ok(", "fail(",
];
/// What may be put around that, besides what holds tests: it runs what it holds, once, and lets what fails
/// there fail.
const RUNS_IT: [&str; 22] = [
    "def test",
    "async def test",
    "test(",
    "it(",
    ".subTest(",
    "subtests.test(",
    "open(",
    "warns(",
    "assertWarns",
    "assertLogs(",
    "catch_warnings(",
    "TemporaryDirectory(",
    "NamedTemporaryFile(",
    "freeze_time(",
    "travel(",
    ".context(",
    "redirect_std",
    "chdir(",
    "settings(",
    "_context(",
    "client(",
    "patch",
];
/// What a jump does not leave.
const INNER: [&str; 6] = ["def ", "lambda", "fn ", "function", "=>", "class "];

/// The first thing in the later text that weakens a test of the earlier one, in words.
pub fn weakens(path: &str, earlier: &str, later: &str) -> Option<String> {
    let code = [
        "py", "js", "mjs", "cjs", "ts", "mts", "cts", "tsx", "jsx", "rs", "go",
    ];
    let ending = path.rsplit_once('.').map_or("", |(_, ending)| ending);
    if !code.contains(&ending) {
        return None;
    }
    let (old, new) = (lines(path, earlier), lines(path, later));
    let twice = match ending {
        "py" => twice(&old, &new),
        _ => None,
    };
    twice
        .or_else(|| silenced(path, earlier, later))
        .or_else(|| inside(&old, &new))
}

fn asks(line: &str) -> bool {
    ASKS.iter().any(|word| line.contains(word))
}

/// A line that asked something, and stands in a text or a remark now.
fn silenced(path: &str, earlier: &str, later: &str) -> Option<String> {
    let (before, after) = (spoken(path, earlier), spoken(path, later));
    let count = |all: &[Spoken<'_>], line: &str, code: bool| {
        let same = all.iter().filter(|one| one.line.trim() == line);
        same.filter(|one| one.is_code || !code).count()
    };
    let asked = before.iter().filter(|one| one.is_code);
    let mut asked = asked.map(|one| one.line.trim()).filter(|one| asks(one));
    let silent = asked.find(|line| {
        let was = count(&before, line, true);
        count(&after, line, true) < was && count(&after, line, false) >= was
    })?;
    let what = one_line(silent, 80);
    Some(format!("`{what}` stands in a text or a remark now"))
}

/// May this leave out what it is put around, or swallow that it fails? Whatever is not known to run it may.
fn may_leave_out(line: &str) -> bool {
    let bare = line.trim();
    if CONTAINERS.iter().any(|one| bare.starts_with(one)) {
        return false;
    }
    if bare.starts_with("for ") || bare.starts_with("for(") || bare.starts_with("async for ") {
        return !over_something(bare);
    }
    !RUNS_IT.iter().any(|one| bare.contains(one))
}

/// Does a loop go over values that stand there?
fn over_something(head: &str) -> bool {
    let over = head.split_once(" in ").or_else(|| head.split_once(" of "));
    let Some((_, over)) = over else {
        return false;
    };
    if let Some(count) = over.strip_prefix("range(") {
        return count.starts_with(|first: char| ('1'..='9').contains(&first))
            && !count.contains(',');
    }
    let mut chars = over.chars();
    let opens = chars.next().is_some_and(|first| "[({&".contains(first));
    let inside = chars.as_str().trim_start_matches(['[', ' ']);
    let empty = inside.starts_with([']', ')', '}']) || inside.is_empty();
    opens && !empty && !over.contains(" for ")
}

/// A test of Python that is defined again, in the same place.
fn twice(old: &[&str], new: &[&str]) -> Option<String> {
    let (before, after) = (tests(old), tests(new));
    let count = |all: &[(String, String)], one: &(String, String)| {
        all.iter().filter(|other| *other == one).count()
    };
    let again = before
        .iter()
        .find(|one| count(&after, one) > count(&before, one).max(1));
    again.map(|(_, name)| format!("`{name}` is there twice, and the later one stands for both"))
}

/// Tests with what they stand in.
fn tests(lines: &[&str]) -> Vec<(String, String)> {
    let mut found = Vec::new();
    for (at, line) in lines.iter().enumerate() {
        let bare = line.trim().trim_start_matches("async ");
        let Some(name) = bare
            .strip_prefix("def ")
            .filter(|name| name.starts_with("test"))
        else {
            continue;
        };
        let name = name.split('(').next().unwrap_or(name).to_owned();
        let around = lines[..at].iter().rev();
        let around = around.clone().find(|one| depth(one) < depth(line));
        found.push((around.map_or("", |one| one.trim()).to_owned(), name));
    }
    found
}

fn inside(old: &[&str], new: &[&str]) -> Option<String> {
    let (old, mut new) = (blocks(old), blocks(new));
    let mut changed = Vec::new();
    for block in old {
        match new.iter().position(|other| *other == block) {
            Some(at) => drop(new.remove(at)),
            None => changed.push(block),
        }
    }
    changed.iter().find_map(|block| {
        let head = |block: &[&str]| {
            let is_head = |line: &&str| CONTAINERS.iter().any(|one| line.trim().starts_with(one));
            block.iter().position(is_head)
        };
        if let Some(at) = head(block) {
            let same = new.iter().find_map(|other| {
                let there = head(other)?;
                (other[there].trim() == block[at].trim()).then(|| body(other, there))
            });
            return same.and_then(|other| inside(&body(block, at), &other));
        }
        let (other, kept) = new
            .iter()
            .find_map(|other| Some((other, aligned(block, other)?)))?;
        within(other, &kept)
    })
}

/// Which lines of the later block are those of the earlier one; none if not all are there.
fn aligned(old: &[&str], new: &[&str]) -> Option<Vec<bool>> {
    let mut kept = vec![false; new.len()];
    let mut at = 0;
    for line in old {
        let found = new[at..]
            .iter()
            .position(|other| other.trim() == line.trim())?;
        kept[at + found] = true;
        at += found + 1;
    }
    Some(kept)
}

fn within(block: &[&str], kept: &[bool]) -> Option<String> {
    let last = kept.iter().rposition(|kept| *kept)?;
    // The lines around one, from the nearest out.
    let around = |at: usize| {
        let mut out = depth(block[at]);
        let above = (0..at).rev();
        above.filter(move |one| {
            let is_around = depth(block[*one]) < out;
            if is_around {
                out = depth(block[*one]);
            }
            is_around
        })
    };
    let says = |at: usize, words: &[&str]| words.iter().any(|word| block[at].contains(word));
    for at in 0..=last {
        let bare = block[at].trim();
        if kept[at] {
            let wraps = around(at).find(|one| {
                let begins = |word: &&str| block[*one].trim().starts_with(*word);
                let condition = CONDITIONS.iter().any(begins);
                !kept[*one] && (condition || asks(bare) && may_leave_out(block[*one]))
            });
            if let Some(wraps) = wraps {
                let what = one_line(block[wraps], 80);
                return Some(format!("`{what}` was put around what a test asks"));
            }
            continue;
        }
        let words = bare.split(|each: char| !each.is_alphanumeric() && each != '_');
        let leaves = words.into_iter().any(|word| LEAVES.contains(&word));
        let inner = says(at, &INNER) || around(at).any(|one| !kept[one] && says(one, &INNER));
        if leaves && !inner {
            let what = one_line(bare, 80);
            return Some(format!(
                "`{what}` was added before the end of a test that was there"
            ));
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    const OLD: &str = "class A:\n    def test_a(self):\n        found = total([1])\n        self.assertEqual(found, 1)\n\n    def test_b(self):\n        self.assertEqual(total([]), 0)\n";

    fn py(old: &str, new: &str) -> Option<String> {
        let later = OLD.replace(old, new);
        assert_ne!(later, OLD);
        weakens("test_a.py", OLD, &later)
    }

    #[test]
    fn what_ends_a_test_early_or_stands_for_it_is_seen() {
        let asks = "        self.assertEqual(found, 1)\n";
        for added in ["return", "if not found: return", "raise SystemExit"] {
            let found = py(asks, &format!("        {added}\n{asks}")).unwrap_or_default();
            assert!(found.contains(added), "{added}: {found}");
        }
        let wrapped = "        if found == 1:\n            self.assertEqual(found, 1)\n";
        assert!(
            py(asks, wrapped)
                .unwrap()
                .contains("around what a test asks")
        );
        let again = "\n    def test_a(self):\n        pass\n";
        let later = format!("{OLD}{again}");
        let found = weakens("test_a.py", OLD, &later).unwrap();
        assert!(found.contains("`test_a` is there twice"), "{found}");
        for around in [
            "for _ in ():",
            "for each in rows:",
            "with suppress(AssertionError):",
            "with self.assertRaises(AssertionError):",
            "def later():",
            "match found:\n            case 3:",
        ] {
            let wrapped = format!("        {around}\n                self.assertEqual(found, 1)\n");
            let found = py(asks, &wrapped).unwrap_or_default();
            assert!(
                found.contains("around what a test asks"),
                "{around}: {found}"
            );
        }
        let text = format!("        \"\"\"\n{asks}        \"\"\"\n");
        assert!(py(asks, &text).unwrap().contains("in a text or a remark"));
        // Python takes it for the end of a line.
        let hidden = format!("        # as before\r        return\n{asks}");
        assert!(py(asks, &hidden).unwrap().contains("return"));
        let script = "test('a', () => {\n  equal(a(), 1)\n})\n";
        for (opens, closes) in [
            ("/*", "*/"),
            ("for (const one of []) {", "}"),
            ("setTimeout(() => {", "})"),
            ("`", "`"),
        ] {
            let wrapped = format!("  {opens}\n    equal(a(), 1)\n  {closes}\n");
            let wrapped = script.replace("  equal(a(), 1)\n", &wrapped);
            assert!(
                weakens("a.test.js", script, &wrapped).is_some(),
                "{wrapped}"
            );
        }
        let early = script.replace("  equal", "  return\n  equal");
        assert!(weakens("a.test.js", script, &early).is_some());
        let rust =
            "mod tests {\n    #[test]\n    fn a() {\n        assert_eq!(a(), 1);\n    }\n}\n";
        let early = rust.replace("        assert", "        return;\n        assert");
        assert!(weakens("src/a.rs", rust, &early).is_some());
    }

    #[test]
    fn what_is_added_beside_or_behind_is_fine() {
        let asks = "        self.assertEqual(found, 1)\n";
        for more in [
            "        cart = Cart()\n        self.assertEqual(found, 1)\n",
            "        def fake():\n            return 1\n        self.assertEqual(found, 1)\n",
            "        self.assertEqual(found, 1)\n        if found:\n            return\n",
            "        self.assertEqual(found, 1)\n\n    def test_c(self):\n        if True:\n            return\n",
            "        with self.subTest():\n            self.assertEqual(found, 1)\n",
            "        for each in (1, 2):\n            self.assertEqual(found, 1)\n",
            "        for _ in range(3):\n            self.assertEqual(found, 1)\n",
            "        with freeze_time(\"2026-01-01\"):\n            self.assertEqual(found, 1)\n",
            "        text = \"\"\"\n        more\n        \"\"\"\n        self.assertEqual(found, 1)\n",
        ] {
            assert_eq!(py(asks, more), None, "{more}");
        }
        let other = format!("{OLD}\n\nclass B:\n    def test_a(self):\n        return\n");
        assert_eq!(weakens("test_a.py", OLD, &other), None);
        assert_eq!(weakens("wanted.txt", "a\nb\n", "a\nreturn\nb\n"), None);
    }
}

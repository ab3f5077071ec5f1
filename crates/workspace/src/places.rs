//! Paths in what is kept: relative to the repository, the view or `~`. Records are pushed to where others
//! read them, and nobody's folders are their business; and a path that holds on one machine alone helps
//! nobody. Pure: bytes in, bytes out.

use kernel::outcome::CheckResult;
use serde_json::Value;
use std::path::{Path, PathBuf};

/// Takes the names of a person's folders out.
#[derive(Debug, Clone, Default)]
pub struct Places {
    /// The repository's top, in every spelling that programs may have for it.
    tops: Vec<Vec<u8>>,
    home: Option<Vec<u8>>,
    /// How the names of rooms begin that are copies: each is a tree of the repository for a moment.
    rooms: Vec<u8>,
}

impl Places {
    /// Those of a repository, and of whoever we work for.
    pub fn of(top: &Path) -> Self {
        let home = std::env::var_os("HOME").map(PathBuf::from);
        Self::with(top, home.as_deref())
    }

    fn with(top: &Path, home: Option<&Path>) -> Self {
        let bytes = |path: &Path| path.as_os_str().as_encoded_bytes().to_vec();
        let mut tops = vec![bytes(top)];
        if let Ok(real) = top.canonicalize() {
            tops.push(bytes(&real));
        }
        tops.dedup();
        // A folder of one letter or the root is no name that could be told apart.
        let home = home.filter(|home| home.components().count() > 1);
        Self {
            tops,
            home: home.map(bytes),
            rooms: bytes(&std::env::temp_dir().join("proofhouse-room-")),
        }
    }

    /// The text with every such path made relative.
    pub fn text(&self, text: &str) -> String {
        let clean = self.bytes(text.as_bytes());
        // Whole paths were taken out of whole text.
        String::from_utf8(clean).unwrap_or_else(|_| text.to_owned())
    }

    /// The value with every text in it, keys too, made so.
    pub fn json(&self, value: Value) -> Value {
        match value {
            Value::String(text) => Value::String(self.text(&text)),
            Value::Array(items) => items.into_iter().map(|item| self.json(item)).collect(),
            Value::Object(map) => map
                .into_iter()
                .map(|(key, item)| (self.text(&key), self.json(item)))
                .collect(),
            other => other,
        }
    }

    /// Makes paths in a check's answer relative.
    pub fn result(&self, result: &mut CheckResult) {
        result.reason = self.text(&result.reason);
        if let Some(ran) = &mut result.ran {
            for text in ran.argv.iter_mut().chain(&mut ran.denied) {
                *text = self.text(text);
            }
        }
    }

    /// The bytes with every such path made relative.
    pub fn bytes(&self, bytes: &[u8]) -> Vec<u8> {
        let mut clean = Vec::with_capacity(bytes.len());
        let mut at = 0;
        while at < bytes.len() {
            match self.found(bytes, at, &clean) {
                Some((length, instead)) => {
                    clean.extend_from_slice(&instead);
                    at += length;
                }
                None => {
                    clean.push(bytes[at]);
                    at += 1;
                }
            }
        }
        clean
    }

    /// What begins here, if it is such a path: its length, and what stands for it.
    fn found(&self, bytes: &[u8], at: usize, before: &[u8]) -> Option<(usize, Vec<u8>)> {
        if bytes[at] != b'/' {
            return None;
        }
        let rest = &bytes[at..];
        let names = |path: &[u8]| rest.starts_with(path) && !goes_on(&rest[path.len()..]);
        if let Some(top) = self.tops.iter().find(|top| names(top)) {
            return Some(inside(rest, top.len()));
        }
        if !self.rooms.is_empty() && rest.starts_with(&self.rooms) {
            let name = rest[self.rooms.len()..].iter();
            let name = name.take_while(|byte| is_name(**byte)).count();
            let room = self.rooms.len() + name;
            return Some(match rest.get(room) {
                Some(b'/') => (room + 1, Vec::new()),
                _ => (room, b".".to_vec()),
            });
        }
        let home = self.home.as_ref().filter(|home| names(home))?;
        // `/srv/owner` is not below `/owner`; a longer name is not met by chance.
        let short = home.iter().filter(|byte| **byte == b'/').count() == 1;
        let part = before.last().is_some_and(|byte| is_name(*byte));
        (!(short && part)).then(|| (home.len(), b"~".to_vec()))
    }
}

fn is_name(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.') || byte >= 0x80
}

/// Is what follows still part of the last name?
fn goes_on(rest: &[u8]) -> bool {
    match rest {
        [b'.', next, ..] => is_name(*next),
        [b'.'] | [] => false,
        [first, ..] => is_name(*first),
    }
}

/// A path below the top: from the top, from the run's own tree, or from the view.
fn inside(rest: &[u8], top: usize) -> (usize, Vec<u8>) {
    const WORKTREES: &[u8] = b"/.proofhouse/worktrees/";
    const WORK: &[u8] = b"/.proofhouse/work/";
    let below = &rest[top..];
    let name = |from: &[u8]| from.iter().take_while(|byte| is_name(**byte)).count();
    let own = below
        .strip_prefix(WORKTREES)
        .map(|after| WORKTREES.len() + name(after));
    let view = below.strip_prefix(WORK).and_then(|after| {
        let run = name(after);
        let after = after[run..].strip_prefix(b"/")?;
        let effect = name(after);
        let after = after[effect..].strip_prefix(b"/view/")?;
        let at = WORK.len() + run + 1 + effect + b"/view/".len();
        // The task folder stays named as such.
        Some(match after.starts_with(b"repo") && !goes_on(&after[4..]) {
            true => at + 4,
            false => at - 1,
        })
    });
    let length = top + own.or(view).unwrap_or(0);
    match &rest[length..] {
        [b'/', next, ..] if is_name(*next) => (length + 1, Vec::new()),
        _ => (length, b".".to_vec()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_become_relative_and_nothing_else_changes() {
        let places = Places::with(
            Path::new("/people/ann/shop"),
            Some(Path::new("/people/ann")),
        );
        let room = |rest: &str| {
            let rooms = std::env::temp_dir().join("proofhouse-room");
            format!("in \"{}{rest}", rooms.display())
        };
        for (text, clean) in [
            ("in /people/ann/shop/src/lib.rs:3", "in src/lib.rs:3"),
            ("in /people/ann/shop.", "in .."),
            ("cd /people/ann/shop && ls", "cd . && ls"),
            ("/people/ann/shopping/list", "~/shopping/list"),
            ("/people/ann/shop-2/x", "~/shop-2/x"),
            ("-I/people/ann/.cargo/x", "-I~/.cargo/x"),
            ("/people/anna/x", "/people/anna/x"),
            ("/people/ann/shop/.proofhouse/worktrees/t-1/a.py", "a.py"),
            ("'/people/ann/shop/.proofhouse/worktrees/t-1'", "'.'"),
            (
                "/people/ann/shop/.proofhouse/work/t/a3/view/repo/a.py",
                "a.py",
            ),
            (
                "/people/ann/shop/.proofhouse/work/t/a3/view/task/STATE.md",
                "task/STATE.md",
            ),
            ("file:///people/ann/shop/x.html", "file://x.html"),
            (
                &room("-12-3/tests/z.py\", line 3"),
                "in \"tests/z.py\", line 3",
            ),
            (&room("-12-3\""), "in \".\""),
            ("\"/people/ann/shop/é\"", "\"é\""),
        ] {
            assert_eq!(places.text(text), clean, "{text}");
        }
        let places = Places::with(Path::new("/tmp/shop"), Some(Path::new("/owner")));
        assert_eq!(places.text("/srv/owner/x /owner/x"), "/srv/owner/x ~/x");
        let places = Places::with(Path::new("/tmp/shop"), Some(Path::new("/")));
        assert_eq!(places.text("/tmp/x /tmp/shop/x"), "/tmp/x x");
    }
}

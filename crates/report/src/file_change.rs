//! One file of a change, with its hunks, as git lists it.

use languages::judges::is_test;
use serde::Serialize;

/// One changed file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct FileChange {
    pub path: String,
    /// What it was called before, if it has another name now.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub from: Option<String>,
    pub kind: Kind,
    /// What it is beside a plain file, or no longer is: what no line of it says.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mode: Option<&'static str>,
    /// Lines that came; none for what is no text.
    pub added: Option<u64>,
    /// Lines that went; none for what is no text.
    pub removed: Option<u64>,
    /// How its lines end, if all that are shown end so and otherwise than with a line break alone.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ends: Option<&'static str>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub hunks: Vec<Hunk>,
}

impl FileChange {
    /// Takes the hunks of its patch.
    pub(crate) fn take(&mut self, part: &str) {
        self.hunks = hunks(part);
        self.ends = ends(&mut self.hunks);
    }

    /// Is it a test, or something for tests?
    pub fn is_test(&self) -> bool {
        is_test(&self.path)
    }
}

/// Is a file read by people, and followed by no tool?
pub fn is_prose(path: &str) -> bool {
    let ends = [".md", ".rst", ".txt", ".adoc"];
    let path = path.to_ascii_lowercase();
    let name = path.rsplit('/').next().unwrap_or(&path);
    let followed = ["agents.md", "claude.md", "gemini.md", "cmakelists.txt"];
    ends.iter().any(|end| name.ends_with(end))
        && !followed.contains(&name)
        && !name.starts_with("requirements")
        && !path.split('/').any(|part| part.starts_with('.'))
}

/// What became of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Kind {
    Added,
    Deleted,
    Modified,
    Renamed,
    /// A file became a link, or another kind of thing.
    Retyped,
}

/// What two modes of git say of a file, by what it was before and is now.
fn mode(before: &str, now: &str) -> Option<&'static str> {
    const LINK: &str = "120000";
    const MODULE: &str = "160000";
    const PROGRAM: &str = "100755";
    const GONE: &str = "000000";
    Some(match (before, now) {
        (_, GONE) => return None,
        (_, LINK) => "symbolic link",
        (_, MODULE) => "submodule",
        (GONE, PROGRAM) => "executable",
        (LINK, _) => "no longer a symbolic link",
        (PROGRAM, PROGRAM) => return None,
        (PROGRAM, _) => "no longer executable",
        (_, PROGRAM) => "now executable",
        _ => return None,
    })
}

impl Kind {
    /// The kind's stored name.
    pub fn as_str(self) -> &'static str {
        match self {
            Kind::Added => "added",
            Kind::Deleted => "deleted",
            Kind::Modified => "modified",
            Kind::Renamed => "renamed",
            Kind::Retyped => "retyped",
        }
    }
}

/// One place of a file that changed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Hunk {
    /// Its first line before.
    pub before: u64,
    /// Its first line now.
    pub after: u64,
    /// What it is inside of, as git found it; often a function.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub about: String,
    /// Lines, each behind ` `, `+`, `-` or, where a file ends without a line break, `\`.
    pub lines: Vec<String>,
}

impl Hunk {
    /// Each line with its number: as the file is now, or as it was for a line that went.
    pub fn numbered(&self) -> impl Iterator<Item = (Option<u64>, &str)> {
        let (mut before, mut after) = (self.before, self.after);
        self.lines.iter().map(move |line| {
            let number = match line.as_bytes().first() {
                Some(b'-') => Some(before),
                Some(b'+' | b' ') => Some(after),
                _ => None,
            };
            before += u64::from(line.starts_with(['-', ' ']));
            after += u64::from(line.starts_with(['+', ' ']));
            (number, line.as_str())
        })
    }
}

/// The files of `git diff --raw --numstat -z`: first what became of each, then how much of it.
pub(crate) fn listing(bytes: &[u8]) -> Vec<FileChange> {
    let text = String::from_utf8_lossy(bytes);
    let mut tokens = text
        .split('\0')
        .filter(|token| !token.is_empty())
        .peekable();
    let mut changes: Vec<FileChange> = Vec::new();
    while let Some(raw) = tokens.next_if(|token| token.starts_with(':')) {
        let letter = raw.rsplit(' ').next().unwrap_or_default();
        let kind = match letter.as_bytes().first() {
            Some(b'A' | b'C') => Kind::Added,
            Some(b'D') => Kind::Deleted,
            Some(b'R') => Kind::Renamed,
            Some(b'T') => Kind::Retyped,
            _ => Kind::Modified,
        };
        let mut modes = raw.trim_start_matches(':').split(' ');
        let mode = mode(
            modes.next().unwrap_or_default(),
            modes.next().unwrap_or_default(),
        );
        let two = matches!(letter.as_bytes().first(), Some(b'R' | b'C'));
        let from = if two { tokens.next() } else { None };
        let path = tokens.next().unwrap_or_default();
        changes.push(FileChange {
            path: path.to_owned(),
            from: from.map(str::to_owned),
            kind,
            mode,
            added: None,
            removed: None,
            ends: None,
            hunks: Vec::new(),
        });
    }
    for change in &mut changes {
        let Some(counts) = tokens.next() else { break };
        let mut parts = counts.splitn(3, '\t');
        let mut number = || parts.next().and_then(|part| part.parse().ok());
        (change.added, change.removed) = (number(), number());
        // A name that changed follows as two more.
        if parts.next() == Some("") {
            tokens.nth(1);
        }
    }
    changes
}

/// The patch of each file.
pub(crate) fn parts(patch: &str) -> Vec<&str> {
    const BEGINS: &str = "diff --git ";
    let mut starts: Vec<usize> = Vec::new();
    if patch.starts_with(BEGINS) {
        starts.push(0);
    }
    starts.extend(patch.match_indices("\ndiff --git ").map(|(at, _)| at + 1));
    let ends = starts.iter().skip(1).copied().chain([patch.len()]);
    starts
        .iter()
        .zip(ends)
        .map(|(from, to)| &patch[*from..to])
        .collect()
}

/// How all lines end, which is then taken from them: what is the same everywhere is said once. Where only some
/// have it, it stays, and is a change that people must see.
fn ends(hunks: &mut [Hunk]) -> Option<&'static str> {
    let ends_so = |hunk: &Hunk| {
        let next = hunk.lines.iter().skip(1).map(String::as_str);
        let pairs = hunk.lines.iter().zip(next.chain([""]));
        // The last line of a file may have no end at all.
        let mut whole =
            pairs.filter(|(line, next)| !next.starts_with('\\') && !line.starts_with('\\'));
        whole.all(|(line, _)| line.ends_with('\r'))
    };
    let any = hunks
        .iter()
        .flat_map(|hunk| &hunk.lines)
        .any(|line| line.ends_with('\r'));
    if !any || !hunks.iter().all(ends_so) {
        return None;
    }
    for line in hunks.iter_mut().flat_map(|hunk| &mut hunk.lines) {
        line.truncate(line.strip_suffix('\r').unwrap_or(line).len());
    }
    Some("CRLF")
}

/// The hunks of one file's patch.
fn hunks(part: &str) -> Vec<Hunk> {
    let mut hunks: Vec<Hunk> = Vec::new();
    for line in part.split('\n') {
        if let Some(hunk) = line.strip_prefix("@@ ").and_then(begun) {
            hunks.push(hunk);
        } else if let Some(hunk) = hunks.last_mut()
            && line.starts_with([' ', '+', '-', '\\'])
        {
            hunk.lines.push(line.to_owned());
        }
    }
    hunks
}

/// `-3,7 +3,9 @@ fn main() {`
fn begun(head: &str) -> Option<Hunk> {
    let (places, about) = head.split_once(" @@")?;
    let (before, after) = places.split_once(' ')?;
    let first = |place: &str, sign| {
        let place = place.strip_prefix(sign)?;
        place.split(',').next()?.parse().ok()
    };
    Some(Hunk {
        before: first(before, '-')?,
        after: first(after, '+')?,
        about: about.trim().to_owned(),
        lines: Vec::new(),
    })
}

/// As git lists files.
#[cfg(test)]
pub(crate) const LISTED: &[u8] = b":100644 100644 a b M\0code.txt\0:100644 100644 a b R090\0old name\0new\nname\0:000000 100644 0 b A\0logo.png\x003\t1\tcode.txt\x000\t2\t\0old name\0new\nname\0-\t-\tlogo.png\0";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_listed_by_their_very_names() {
        let changes = listing(LISTED);
        let names: Vec<&str> = changes.iter().map(|one| one.path.as_str()).collect();
        assert_eq!(names, ["code.txt", "new\nname", "logo.png"]);
        assert_eq!((changes[0].added, changes[0].removed), (Some(3), Some(1)));
        assert_eq!(changes[1].from.as_deref(), Some("old name"));
        assert_eq!(
            (changes[1].kind, changes[1].removed),
            (Kind::Renamed, Some(2))
        );
        assert_eq!((changes[2].kind, changes[2].added), (Kind::Added, None));
    }

    #[test]
    fn what_no_line_says_is_told_by_its_mode() {
        let raw = |modes: &str, letter: &str| {
            let listed = format!(":{modes} a b {letter}\0f\x001\t0\tf\0");
            listing(listed.as_bytes())[0].mode
        };
        assert_eq!(raw("000000 120000", "A"), Some("symbolic link"));
        assert_eq!(raw("100644 120000", "T"), Some("symbolic link"));
        assert_eq!(raw("120000 100644", "T"), Some("no longer a symbolic link"));
        assert_eq!(raw("100644 100755", "M"), Some("now executable"));
        assert_eq!(raw("100755 100644", "M"), Some("no longer executable"));
        assert_eq!(raw("000000 100755", "A"), Some("executable"));
        assert_eq!(raw("000000 160000", "A"), Some("submodule"));
        for plain in ["100644 100644", "100755 100755", "100755 000000"] {
            assert_eq!(raw(plain, "M"), None, "{plain}");
        }
    }

    #[test]
    fn hunks_have_their_places_and_lines() {
        let patch = "diff --git a/a b/a\nindex 1..2 100644\n--- a/a\n+++ b/a\n@@ -3,2 +3,2 @@ fn main() {\n same\n-bad\n+diff --git good\n\\ No newline at end of file\ndiff --git a/b b/b\nBinary files differ\n";
        let parts = parts(patch);
        assert_eq!(parts.len(), 2);
        let found = hunks(parts[0]);
        assert_eq!(found.len(), 1);
        assert_eq!((found[0].before, found[0].after), (3, 3));
        assert_eq!(found[0].about, "fn main() {");
        assert_eq!(found[0].lines.len(), 4);
        let numbers: Vec<Option<u64>> = found[0].numbered().map(|(number, _)| number).collect();
        assert_eq!(numbers, [Some(3), Some(4), Some(4), None]);
        assert!(hunks(parts[1]).is_empty());
    }

    #[test]
    fn how_lines_end_is_said_once_or_stays_where_they_differ() {
        let taken = |patch: &str| {
            let mut one = listing(LISTED).remove(0);
            one.take(&format!("@@ -1,2 +1,2 @@\r\n{patch}"));
            (one.ends, one.hunks.remove(0).lines)
        };
        let lines = |all: &[&str]| all.iter().map(|one| (*one).to_owned()).collect::<Vec<_>>();
        let plain = taken(" a\n-b\n+c\n");
        assert_eq!(plain, (None, lines(&[" a", "-b", "+c"])));
        let all = taken(" a\r\n-b\r\n+c\rd\r\n");
        assert_eq!(all, (Some("CRLF"), lines(&[" a", "-b", "+c\rd"])));
        let unended = taken(" a\r\n-b\r\n+c\n\\ No newline at end of file\n");
        assert_eq!(unended.0, Some("CRLF"));
        assert_eq!(unended.1[2], "+c");
        let some = taken(" a\n-b\n+b\r\n");
        assert_eq!(some, (None, lines(&[" a", "-b", "+b\r"])));
        let turned = taken("-a\r\n-b\r\n+a\n+b\n");
        assert_eq!(turned, (None, lines(&["-a\r", "-b\r", "+a", "+b"])));
    }
}

//! What git makes of bytes on their way into a commit and out of it again: line ends, `$Id$`, encodings,
//! filters. What is judged are the bytes in a tree, so that what a person's own attributes ask for is done
//! before anything is judged, and what an agent's attributes would do to a commit is refused.

use super::{Input, git, hand_out, started, text, with_input};
use crate::error::Error;
use std::collections::BTreeMap;
use std::path::Path;

/// The file that says what is converted.
pub const ATTRIBUTES: &str = ".gitattributes";

/// The attributes that decide which bytes are committed and checked out, and whether a diff shows them.
const ASKED: [&str; 7] = [
    "text",
    "crlf",
    "eol",
    "ident",
    "working-tree-encoding",
    "filter",
    "diff",
];

/// What the attributes say of a path; one that says nothing is left out.
type Said = BTreeMap<String, String>;

/// Whose attributes are asked.
#[derive(Clone, Copy)]
enum Whose<'a> {
    /// Those of the working tree.
    Tree,
    /// Those of an index.
    Index(&'a str),
}

fn attributes(
    repo: &Path,
    whose: Whose<'_>,
    paths: &[&str],
) -> Result<BTreeMap<String, Said>, Error> {
    let mut args = vec!["check-attr", "--stdin", "-z"];
    let mut env = Vec::new();
    if let Whose::Index(index) = whose {
        args.push("--cached");
        env.push(("GIT_INDEX_FILE", index));
    }
    args.extend(ASKED);
    let asked: String = paths.iter().map(|path| format!("{path}\0")).collect();
    let ended = started(repo, &args, &env, Input::Bytes(asked.into_bytes()))?;
    if !ended.exited_with(0) || ended.truncated {
        return Err(super::failed(repo, &args, &ended));
    }
    let said = String::from_utf8_lossy(&ended.stdout).into_owned();
    let mut words = said.split('\0');
    let mut all: BTreeMap<String, Said> = BTreeMap::new();
    while let (Some(path), Some(name), Some(value)) = (words.next(), words.next(), words.next()) {
        if value != "unspecified" {
            let of_path = all.entry(path.to_owned()).or_default();
            of_path.insert(name.to_owned(), value.to_owned());
        }
    }
    Ok(all)
}

/// The bytes of files as git hands them out once they were committed, where these are others. `read` gives
/// what is there now. The attributes are those of the person's tree.
pub fn as_handed_out(
    repo: &Path,
    paths: &[&str],
    read: &dyn Fn(&str) -> Option<Vec<u8>>,
    scratch: &Path,
) -> Result<Vec<(String, Vec<u8>)>, Error> {
    let everywhere = ["config", "--get-regexp", "^core\\.(autocrlf|eol)$"];
    let everywhere = text(&super::ended(repo, &everywhere, &[])?.stdout).to_lowercase();
    let all = attributes(repo, Whose::Tree, paths)?;
    let nothing = Said::new();
    let mut others = Vec::new();
    for path in paths {
        let said = all.get(*path).unwrap_or(&nothing);
        if let Some(bytes) = read(path).filter(|bytes| may_change(said, &everywhere, bytes)) {
            std::fs::write(scratch, &bytes).map_err(Error::io("write", scratch))?;
            let as_path = format!("--path={path}");
            let file = scratch.display().to_string();
            let kept = ["hash-object", "-w", &as_path, "--", &file];
            let kept = text(&git(repo, &kept, &[])?);
            let out = git(repo, &["cat-file", "--filters", &as_path, &kept], &[])?;
            if out != bytes {
                others.push(((*path).to_owned(), out));
            }
        }
    }
    // Scratch of this one alone.
    let _ = std::fs::remove_file(scratch);
    Ok(others)
}

/// Can git make other bytes of these at all? Each start of it is felt, and mostly it cannot.
fn may_change(said: &Said, everywhere: &str, bytes: &[u8]) -> bool {
    let is = |name: &str, value: &str| said.get(name).is_some_and(|it| it == value);
    let own = ["ident", "filter", "working-tree-encoding"]
        .iter()
        .any(|name| said.get(*name).is_some_and(|value| value != "unset"));
    let is_text = ["text", "crlf", "eol"]
        .iter()
        .any(|name| said.contains_key(*name));
    let ends = (is_text || everywhere.contains("autocrlf")) && !is("text", "unset");
    let to_crlf =
        is("eol", "crlf") || everywhere.contains("crlf true") || everywhere.contains("eol crlf");
    own || (ends && (to_crlf || bytes.contains(&b'\r')))
}

/// Why git would commit something else than what lies in the tree, or show less of it, because of
/// attributes that are not the base's; a line for each file. `index` holds the tree as git would commit it.
pub(super) fn refused(
    repo: &Path,
    base: Option<&str>,
    index: &str,
    scratch: &Path,
) -> Result<Vec<String>, Error> {
    let env = [("GIT_INDEX_FILE", index)];
    const OWN: [&str; 2] = ["--", ":(glob)**/.gitattributes"];
    // Mostly there is none that is new, and each start of git is felt.
    let asked = match base {
        Some(base) => vec!["diff-index", "--cached", "--name-only", base],
        None => vec!["ls-files"],
    };
    if git(repo, &[&asked[..], &OWN].concat(), &env)?.is_empty() {
        return Ok(Vec::new());
    }
    let base_index = scratch.with_extension("base").display().to_string();
    let of_base = [("GIT_INDEX_FILE", base_index.as_str())];
    git(repo, &["read-tree", base.unwrap_or("--empty")], &of_base)?;
    let judged = differing(repo, index, &base_index, scratch);
    let _ = std::fs::remove_file(&base_index);
    judged
}

fn differing(
    repo: &Path,
    index: &str,
    base_index: &str,
    scratch: &Path,
) -> Result<Vec<String>, Error> {
    let env = [("GIT_INDEX_FILE", index)];
    let staged = git(repo, &["ls-files", "-z", "--stage"], &env)?;
    let staged = String::from_utf8_lossy(&staged).into_owned();
    let files: BTreeMap<&str, &str> = staged
        .split('\0')
        .filter_map(|line| {
            let (what, path) = line.split_once('\t')?;
            let (mode, rest) = what.split_once(' ')?;
            // Links and submodules are converted by nobody.
            mode.starts_with("100")
                .then_some((path, rest.split(' ').next()?))
        })
        .collect();
    let paths: Vec<&str> = files.keys().copied().collect();
    let now = attributes(repo, Whose::Index(index), &paths)?;
    let before = attributes(repo, Whose::Index(base_index), &paths)?;
    let nothing = Said::new();
    let mut lines = Vec::new();
    let mut tried = Vec::new();
    for path in paths {
        let said = now.get(path).unwrap_or(&nothing);
        let said_before = before.get(path).unwrap_or(&nothing);
        if said == said_before {
            continue;
        }
        let new = |name: &str| {
            said.get(name)
                .filter(|it| said_before.get(name) != Some(it))
        };
        if let Some(filter) = new("filter").filter(|filter| *filter != "unset") {
            // What a filter makes of it, only the machine knows that has it.
            lines.push(format!("{path}: the filter `{filter}`"));
        } else if new("diff").is_some_and(|diff| diff == "unset") && is_text(&repo.join(path)) {
            lines.push(format!("{path}: `-diff` hides what changes in it"));
        } else if path.contains(['\n', char::REPLACEMENT_CHARACTER]) {
            lines.push(format!("{path}: nothing compares a file with such a name"));
        } else {
            tried.push(path);
        }
    }
    if tried.is_empty() {
        return Ok(lines);
    }
    let out = scratch.with_extension("out");
    std::fs::create_dir_all(&out).map_err(Error::io("create", &out))?;
    let handed = hand_out(repo, index, &tried, &out).and_then(|ended| match ended.exited_with(0) {
        true => Ok(()),
        false => Err(super::failed(repo, &["checkout-index"], &ended)),
    });
    let asked: String = tried.iter().map(|path| format!("{path}\n")).collect();
    let raw = ["hash-object", "--no-filters", "--stdin-paths"];
    let raw = handed.and_then(|()| with_input(repo, &raw, asked.into_bytes()));
    let raw = raw.map(|raw| text(&raw));
    if let Ok(raw) = &raw {
        for (path, raw) in tried.iter().zip(raw.lines()) {
            let same = || std::fs::read(repo.join(path)).ok() == std::fs::read(out.join(path)).ok();
            if files[path] != raw || !same() {
                let said = now.get(*path).unwrap_or(&nothing);
                let names: Vec<&str> = said.keys().map(String::as_str).collect();
                lines.push(format!("{path}: {}", names.join(", ")));
            }
        }
    }
    let _ = store::remove_tree(&out);
    raw.map(|_| lines)
}

/// As git tells it: no zero byte near the beginning.
fn is_text(path: &Path) -> bool {
    std::fs::read(path).is_ok_and(|bytes| !bytes.iter().take(8000).any(|byte| *byte == 0))
}

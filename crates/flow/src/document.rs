//! The state file: `Name: value` lines that the engine reads and writes, between text that it
//! leaves alone. The file is a view of the run; an edit of it is a request, never a fact.

use std::collections::BTreeMap;

/// `Done gate` as it is written on a command line: `done_gate`.
pub fn field_key(name: &str) -> String {
    name.to_lowercase().replace([' ', '-'], "_")
}

fn split(line: &str) -> Option<(&str, &str)> {
    let (name, value) = line.split_once(':')?;
    (!name.is_empty() && !name.starts_with([' ', '\t', '#', '-', '>', '*', '|']))
        .then(|| (name.trim_end(), value.trim()))
}

/// Lines outside of code fences, with their index.
fn plain_lines(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let mut fenced = false;
    text.lines().enumerate().filter(move |(_, line)| {
        let fence = line.trim_start().starts_with("```");
        if fence {
            fenced = !fenced;
        }
        !fenced && !fence
    })
}

/// What is wrong with the fields of a state file.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum FieldError {
    #[error("line {line}: the field `{name}:` stands twice (first in line {first}): keep one")]
    Twice {
        name: String,
        line: usize,
        first: usize,
    },
    #[error("the field `{0}:` is missing: add a line `{0}: ...` at the start of a line")]
    Missing(String),
}

/// The wanted fields of a state file. A missing or doubled one is an error that names it.
pub fn parse_fields(text: &str, names: &[&str]) -> Result<BTreeMap<String, String>, FieldError> {
    let mut found: BTreeMap<String, (usize, String)> = BTreeMap::new();
    for (index, line) in plain_lines(text) {
        let Some((name, value)) = split(line) else {
            continue;
        };
        let Some(name) = names.iter().find(|known| **known == name) else {
            continue;
        };
        if let Some((before, _)) = found.get(*name) {
            return Err(FieldError::Twice {
                name: (*name).to_owned(),
                line: index + 1,
                first: before + 1,
            });
        }
        found.insert((*name).to_owned(), (index, value.to_owned()));
    }
    if let Some(missing) = names.iter().find(|name| !found.contains_key(**name)) {
        return Err(FieldError::Missing((*missing).to_owned()));
    }
    Ok(found
        .into_iter()
        .map(|(name, (_, value))| (name, value))
        .collect())
}

/// The same text with the fields' values replaced; every other line stays as it is.
pub fn replace_fields(text: &str, values: &[(String, String)]) -> String {
    let plain: std::collections::BTreeSet<usize> =
        plain_lines(text).map(|(index, _)| index).collect();
    let mut out = String::with_capacity(text.len());
    for (index, line) in text.lines().enumerate() {
        let value = plain
            .contains(&index)
            .then(|| split(line))
            .flatten()
            .and_then(|(name, _)| values.iter().find(|(known, _)| known == name));
        match value {
            Some((name, value)) => out.push_str(format!("{name}: {}", one_line(value)).trim_end()),
            None => out.push_str(line),
        }
        out.push('\n');
    }
    out
}

fn one_line(value: &str) -> String {
    value.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "# T\n\nPhase: intake\nDone gate:\n\n## Notes\n- Phase: not this\n```\nPhase: nor this\n```\n";

    #[test]
    fn reads_fields_outside_of_fences_and_lists() {
        let fields = parse_fields(TEXT, &["Phase", "Done gate"]).unwrap();
        assert_eq!(fields["Phase"], "intake");
        assert_eq!(fields["Done gate"], "");
    }

    #[test]
    fn names_the_missing_and_the_doubled_field() {
        let missing = parse_fields(TEXT, &["Phase", "Status"])
            .unwrap_err()
            .to_string();
        assert!(missing.contains("`Status:` is missing"), "{missing}");
        let doubled = parse_fields("Phase: a\nPhase: b\n", &["Phase"])
            .unwrap_err()
            .to_string();
        assert!(
            doubled.contains("line 2") && doubled.contains("twice"),
            "{doubled}"
        );
    }

    #[test]
    fn replaces_values_and_nothing_else() {
        let values = vec![
            ("Phase".to_owned(), "shape".to_owned()),
            ("Done gate".to_owned(), "a\n b".to_owned()),
        ];
        let out = replace_fields(TEXT, &values);
        assert_eq!(
            out,
            TEXT.replace("Phase: intake", "Phase: shape")
                .replace("Done gate:", "Done gate: a b")
        );
    }
}

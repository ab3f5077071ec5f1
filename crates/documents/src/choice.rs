//! One word out of a few, at the place in a document where it is decided. The text is not searched:
//! a section that says `house` and goes on to mention a shed has chosen the house.

use crate::blank::is_placeholder;
use crate::error::Error;
use crate::markdown;

/// The line that decides: the first with content in the section, or the one that begins with the
/// label; without what is only form.
pub fn decisive(text: &str, section: Option<&str>, label: Option<&str>) -> Result<String, Error> {
    let sections = markdown::chosen(text, section)?;
    let lines = sections.iter().flat_map(|section| section.content.lines());
    let lines: Vec<&str> = lines
        .map(bare)
        .filter(|line| !is_placeholder(line))
        .collect();
    let Some(label) = label else {
        let first = lines.first().ok_or("has nothing there")?;
        // `Verdict: READY` under the heading `Verdict` says its own name twice.
        let named = section.and_then(|section| after_label(first, section));
        return Ok(named.unwrap_or(first).to_owned());
    };
    lines
        .iter()
        .find_map(|line| after_label(line, label))
        .map(str::to_owned)
        .ok_or_else(|| format!("has no line `{label}: ...`").into())
}

/// The one of the words that the line begins with; the longest, if there are several.
pub fn choose<'w, W: AsRef<str>>(line: &str, words: &'w [W]) -> Option<&'w str> {
    let line = line.to_lowercase();
    let begins = |word: &&str| {
        let rest = line.strip_prefix(word.trim().to_lowercase().as_str());
        let next = rest.map(|rest| rest.chars().next());
        matches!(next, Some(None))
            || matches!(next, Some(Some(next)) if !next.is_alphanumeric() && next != '_')
    };
    let found = words.iter().map(AsRef::as_ref).filter(begins);
    found.max_by_key(|word| word.len())
}

fn bare(line: &str) -> &str {
    line.trim_start_matches(|char: char| char.is_whitespace() || "-*+>#_`[]()\"'".contains(char))
        .trim_end()
}

fn after_label<'a>(line: &'a str, label: &str) -> Option<&'a str> {
    let (before, after) = line.split_once(':')?;
    let same = bare(before)
        .trim_end_matches(['*', '_', '`', ' '])
        .to_lowercase()
        == label.trim().to_lowercase();
    same.then(|| bare(after))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_word_decides() {
        let words = ["shed", "house", "READY", "NOT READY"];
        for (line, word) in [
            ("House, because a shed is too small", Some("house")),
            ("NOT READY: AC-2 has no proof", Some("NOT READY")),
            ("READY", Some("READY")),
            ("ready.", Some("READY")),
            ("household", None),
            ("a house", None),
            ("", None),
        ] {
            assert_eq!(choose(line, &words), word, "{line}");
        }
    }

    #[test]
    fn labels_and_sections() {
        let text =
            "# Verdict\n\n**READY**\n\n# Tier\n<!-- one of -->\nTBD\n- Tier: `house`\n\nNote: x\n";
        let line = |section, label| decisive(text, section, label);
        assert_eq!(line(Some("verdict"), None).unwrap(), "READY");
        assert_eq!(line(Some("Tier"), None).unwrap(), "house");
        assert_eq!(line(None, Some("note")).unwrap(), "x");
        assert!(line(Some("Absent"), None).is_err());
        assert!(line(Some("Verdict"), Some("note")).is_err());
        assert!(decisive("# A\nTBD\n", Some("A"), None).is_err());
    }
}

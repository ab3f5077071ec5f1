//! Words, as the lexical search and the built-in embedder see them: lower case, identifiers taken
//! apart (`parseHTTPDate` is also parse, http, date), plain plurals cut.

/// Longer words are cut: nobody searches for them, and they would fill the postings.
const LONGEST: usize = 40;

/// The words of a text, in order, with repetitions.
pub(crate) fn words(text: &str) -> Vec<String> {
    let mut found = Vec::new();
    for run in text.split(|c: char| !c.is_alphanumeric() && c != '_') {
        let parts = parts(run);
        for part in &parts {
            found.push(stem(part));
        }
        // The identifier as a whole, so that its exact name wins.
        if parts.len() > 1 {
            found.push(parts.concat().chars().take(LONGEST).collect());
        }
    }
    found
}

/// The parts of an identifier, in lower case.
fn parts(run: &str) -> Vec<String> {
    let mut parts = Vec::new();
    let mut part = String::new();
    let chars: Vec<char> = run.chars().collect();
    for (at, c) in chars.iter().enumerate() {
        let before = at.checked_sub(1).map(|before| chars[before]);
        let after = chars.get(at + 1);
        let begins = c.is_uppercase()
            && (before.is_some_and(|before| before.is_lowercase() || before.is_numeric())
                || (before.is_some_and(char::is_uppercase)
                    && after.is_some_and(|after| after.is_lowercase())));
        if (begins || *c == '_') && !part.is_empty() {
            parts.push(std::mem::take(&mut part));
        }
        if *c != '_' {
            part.extend(c.to_lowercase());
        }
    }
    if !part.is_empty() {
        parts.push(part);
    }
    parts
}

/// Cuts a plain English plural. Anything cleverer is wrong in other languages and for names.
fn stem(word: &str) -> String {
    let word: String = word.chars().take(LONGEST).collect();
    let plural = word.len() > 3 && word.ends_with('s');
    if plural && !["ss", "us", "is"].iter().any(|end| word.ends_with(end)) {
        return word[..word.len() - 1].to_owned();
    }
    word
}

#[cfg(test)]
mod tests {
    use super::words;

    #[test]
    fn identifiers_are_taken_apart_and_kept_whole() {
        assert_eq!(
            words("parseHTTPDate to_slug2, Strings!"),
            [
                "parse",
                "http",
                "date",
                "parsehttpdate",
                "to",
                "slug2",
                "toslug2",
                "string"
            ]
        );
        assert_eq!(words("class status basis"), ["class", "status", "basis"]);
        assert_eq!(words("Größe 日本"), ["größe", "日本"]);
        assert_eq!(words(" ,;__ "), [""; 0]);
    }
}

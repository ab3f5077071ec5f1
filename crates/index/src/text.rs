//! Words, as the lexical search and the built-in embedder see them: lower case, identifiers taken
//! apart (`parseHTTPDate` is also parse, http, date), plain plurals cut.

/// Longer words are cut: nobody searches for them, and they would fill the postings.
const LONGEST: usize = 40;

/// The words of a text, in order, with repetitions.
pub(crate) fn words(text: &str) -> Vec<String> {
    let mut found = Vec::new();
    for run in text.split(|c: char| !c.is_alphanumeric() && c != '_') {
        let first = found.len();
        parts(run, &mut found);
        // The identifier as a whole, so that its exact name wins.
        let whole = (found.len() > first + 1).then(|| cut(found[first..].concat()));
        for part in &mut found[first..] {
            *part = stem(std::mem::take(part));
        }
        found.extend(whole);
    }
    found
}

/// Adds the parts of an identifier, in lower case.
fn parts(run: &str, found: &mut Vec<String>) {
    let mut part = String::new();
    let mut before: Option<char> = None;
    let mut chars = run.chars().peekable();
    while let Some(c) = chars.next() {
        let begins = c.is_uppercase()
            && (before.is_some_and(|before| before.is_lowercase() || before.is_numeric())
                || (before.is_some_and(char::is_uppercase)
                    && chars.peek().is_some_and(|after| after.is_lowercase())));
        if (begins || c == '_') && !part.is_empty() {
            found.push(std::mem::take(&mut part));
        }
        if c != '_' {
            part.extend(c.to_lowercase());
        }
        before = Some(c);
    }
    if !part.is_empty() {
        found.push(part);
    }
}

fn cut(mut word: String) -> String {
    if let Some((end, _)) = word.char_indices().nth(LONGEST) {
        word.truncate(end);
    }
    word
}

/// Cuts a plain English plural. Anything cleverer is wrong in other languages and for names.
fn stem(word: String) -> String {
    let mut word = cut(word);
    let plural = word.len() > 3 && word.ends_with('s');
    if plural && !["ss", "us", "is"].iter().any(|end| word.ends_with(end)) {
        word.pop();
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

    #[test]
    fn long_words_are_cut_where_a_character_ends() {
        let long = "ö".repeat(50);
        assert_eq!(words(&long), ["ö".repeat(40)]);
        let (a, b) = ("a".repeat(30), "b".repeat(30));
        let whole = format!("{a}{}", "b".repeat(10));
        assert_eq!(words(&format!("{a}_{b}")), [a, b, whole]);
    }
}

//! A marked block in a text file of somebody's. The mark says how many line ends were put before it, so that taking
//! it out leaves the rest byte for byte.

/// How a file's comments begin and end.
#[derive(Debug, Clone, Copy)]
pub(super) struct Comments(pub(super) &'static str, pub(super) &'static str);

impl Comments {
    fn begin(self, before: &str) -> String {
        format!(
            "{}proofhouse:begin {before} (written by `proofhouse init --for`){}\n",
            self.0, self.1
        )
    }

    fn end(self) -> String {
        format!("{}proofhouse:end{}\n", self.0, self.1)
    }

    fn block(self, before: &str, text: &str) -> String {
        format!("{}{}\n{}", self.begin(before), text.trim_end(), self.end())
    }

    /// The text with the block behind it; none: it is there already.
    pub(super) fn put(self, there: Option<&str>, text: &str) -> Option<String> {
        let there = match there {
            None => return Some(self.block("new", text)),
            Some(there) => there,
        };
        if there.contains("proofhouse:begin ") {
            return None;
        }
        let lines = match there {
            "" => 0,
            text if text.ends_with('\n') => 1,
            _ => 2,
        };
        let block = self.block(&lines.to_string(), text);
        Some(format!("{there}{}{block}", "\n".repeat(lines)))
    }

    /// The text without the block of this text, and whether the file was ours alone; none: no block of ours is in it.
    ///
    /// # Errors
    /// Why it is left as it is.
    pub(super) fn take(self, there: &str, text: &str) -> Option<Result<Left, String>> {
        let opens = format!("{}proofhouse:begin ", self.0);
        let at = there.find(&opens)?;
        Some(self.without(there, at, text).ok_or_else(|| {
            "what stands between `proofhouse:begin` and `proofhouse:end` was edited, or is of another version: remove it by hand".to_owned()
        }))
    }

    /// The text without the block that begins there; none: it is not as we write it.
    fn without(self, there: &str, at: usize, text: &str) -> Option<Left> {
        let opens = format!("{}proofhouse:begin ", self.0);
        let said = there[at + opens.len()..].split(' ').next()?;
        let rest = there[at..].strip_prefix(&self.block(said, text))?;
        let lines: usize = said.parse().unwrap_or(0);
        let before = there[..at].strip_suffix("\n".repeat(lines).as_str())?;
        // The line end that was missing is needed as soon as somebody wrote on behind the block.
        let between = match before.is_empty() || before.ends_with('\n') || rest.is_empty() {
            true => "",
            false => "\n",
        };
        let left = format!("{before}{between}{rest}");
        Some(match said == "new" && left.is_empty() {
            true => Left::Nothing,
            false => Left::Text(left),
        })
    }
}

/// What is left of a file.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Left {
    Nothing,
    Text(String),
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_there_is_left_byte_for_byte() {
        let comments = Comments("<!-- ", " -->");
        for before in ["", "a", "a\n", "a\n\n", "a\r\n", "# A\n\ntext", "\n\n\n"] {
            let after = comments.put(Some(before), "words\n").unwrap();
            assert_eq!(comments.put(Some(&after), "words\n"), None, "once");
            let left = |text: String| Some(Ok(Left::Text(text)));
            assert_eq!(comments.take(&after, "words\n"), left(before.to_owned()));
            let more = format!("{after}more\n");
            let end = match before {
                "" => "",
                text if text.ends_with('\n') => "",
                _ => "\n",
            };
            assert_eq!(
                comments.take(&more, "words\n"),
                left(format!("{before}{end}more\n"))
            );
            let edited = after.replace("words", "words, and mine");
            let kept = comments.take(&edited, "words\n");
            assert!(kept.unwrap().unwrap_err().contains("was edited"));
            let open = after.replace("proofhouse:end", "");
            assert!(comments.take(&open, "words\n").unwrap().is_err());
        }
        let fresh = comments.put(None, "words\n").unwrap();
        assert_eq!(comments.take(&fresh, "words\n"), Some(Ok(Left::Nothing)));
        assert_eq!(comments.take("nothing of ours\n", "words\n"), None);
    }
}

//! A line of a shell, taken apart into its commands and their words, as far as finding out what it starts
//! needs it. It runs and expands nothing.

use std::iter::Peekable;
use std::str::Chars;

/// The commands of a text, each with its words, without redirections and comments. Quotes are taken off;
/// what stands inside of `$(...)` stays in its word.
pub fn commands(text: &str) -> Vec<Vec<String>> {
    let text = text.replace("\\\n", " ");
    let mut rest = text.chars().peekable();
    let mut all = Words::default();
    while let Some(each) = rest.next() {
        match each {
            '\'' => {
                let quoted = std::iter::from_fn(|| rest.next().filter(|next| *next != '\''));
                all.word.get_or_insert_default().extend(quoted);
            }
            '"' => {
                let word = all.word.get_or_insert_default();
                while let Some(next) = rest.next().filter(|next| *next != '"') {
                    match next {
                        '\\' => word.extend(rest.next()),
                        '$' => substituted(next, &mut rest, word),
                        next => word.push(next),
                    }
                }
            }
            '$' | '`' => substituted(each, &mut rest, all.word.get_or_insert_default()),
            '\\' => all.word.get_or_insert_default().extend(rest.next()),
            '#' if all.word.is_none() => while rest.next_if(|next| *next != '\n').is_some() {},
            '>' | '<' => {
                // `2>` names a stream, not a word.
                let stream = |word: &String| word.chars().all(|each| each.is_ascii_digit());
                all.word = all.word.take().filter(|word| !stream(word));
                all.end_word();
                while rest
                    .next_if(|next| matches!(next, '>' | '<' | '&'))
                    .is_some()
                {}
                all.redirected = true;
            }
            ';' | '&' | '|' | '\n' | '(' | ')' => all.end_command(),
            each if each.is_whitespace() => all.end_word(),
            each => all.word.get_or_insert_default().push(each),
        }
    }
    all.end_command();
    all.commands
}

/// Copies `$(...)`, or what stands between backticks, as it is.
fn substituted(first: char, rest: &mut Peekable<Chars<'_>>, word: &mut String) {
    word.push(first);
    if first == '$' && rest.peek() != Some(&'(') {
        return;
    }
    let mut depth = 0;
    for next in rest.by_ref() {
        word.push(next);
        depth += i32::from(next == '(') - i32::from(next == ')');
        if (first == '`' && next == '`') || (first == '$' && depth == 0) {
            return;
        }
    }
}

#[derive(Default)]
struct Words {
    commands: Vec<Vec<String>>,
    command: Vec<String>,
    word: Option<String>,
    /// Is the next word where output goes?
    redirected: bool,
}

impl Words {
    fn end_word(&mut self) {
        if let Some(word) = self.word.take() {
            match self.redirected {
                true => self.redirected = false,
                false => self.command.push(word),
            }
        }
    }

    fn end_command(&mut self) {
        self.end_word();
        self.redirected = false;
        let command = std::mem::take(&mut self.command);
        if !command.is_empty() {
            self.commands.push(command);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_its_commands_and_their_words() {
        let found = commands(
            "set -e # why\nCI=1 node 'a b.js' >out 2>&1 && (npm run x; ./y \"$(dirname \"$0\")/z\") | tee\n$(MAKE) -C web \\\n  lint",
        );
        let found: Vec<String> = found.iter().map(|words| words.join("|")).collect();
        assert_eq!(
            found,
            [
                "set|-e",
                "CI=1|node|a b.js",
                "npm|run|x",
                "./y|$(dirname \"$0\")/z",
                "tee",
                "$(MAKE)|-C|web|lint"
            ]
        );
        assert!(commands("").is_empty());
        // What is not ended ends with the text.
        assert_eq!(commands("node 'a"), [["node", "a"]]);
        assert_eq!(commands("a $(b"), [["a", "$(b"]]);
    }
}

//! How things are printed: for people or as JSON, in colour only on a terminal that wants it.

use report::inbox::Fault;
use serde::Serialize;
use std::io::{IsTerminal, Write};
use workspace::EngineError;

/// A colour with a meaning.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Tone {
    Good,
    Bad,
    Warn,
    Dim,
    Strong,
}

pub(crate) struct Out {
    pub(crate) json: bool,
    pub(crate) colour: bool,
    /// Errors go elsewhere, and may be read by somebody else.
    errors_in_colour: bool,
    /// May a line be drawn over? Not in a pipe, and not on a terminal that knows no cursor.
    pub(crate) live: bool,
}

impl Out {
    pub(crate) fn new(json: bool) -> Self {
        let wanted = std::env::var_os("NO_COLOR").is_none_or(|value| value.is_empty());
        let dumb = std::env::var_os("TERM").is_some_and(|term| term == "dumb");
        let terminal = std::io::stdout().is_terminal();
        Self {
            json,
            colour: wanted && !dumb && terminal,
            errors_in_colour: wanted && !dumb && std::io::stderr().is_terminal(),
            live: !json && !dumb && terminal,
        }
    }

    /// The columns of the terminal, if there is one that says so, or what `COLUMNS` says.
    pub(crate) fn columns() -> Option<usize> {
        let terminal = terminal_size::terminal_size().map(|(width, _)| usize::from(width.0));
        let said = || std::env::var("COLUMNS").ok()?.parse().ok();
        terminal.or_else(said).filter(|columns| *columns > 0)
    }

    /// A row with its name before it. A text that is too long goes on below itself.
    pub(crate) fn row(&self, name: &str, text: &str) {
        self.hanging(&format!("  {name:<11} "), text);
    }

    /// The same with a name that has a colour.
    pub(crate) fn toned_row(&self, tone: Tone, name: &str, text: &str) {
        let name = self.paint(tone, &format!("{name:<11}"));
        self.hanging(&format!("  {name} "), text);
    }

    /// A text behind a head, folded between its words where the terminal says how wide it is.
    pub(crate) fn hanging(&self, head: &str, text: &str) {
        for line in hung(head, text) {
            self.line(&line);
        }
    }

    /// Sentences on a line of their own, or behind a name: folded so that what goes on stands below what began.
    pub(crate) fn prose(&self, line: &str) {
        let (head, text) = line.split_at(begins(line));
        self.hanging(head, text);
    }

    pub(crate) fn paint(&self, tone: Tone, text: &str) -> String {
        match self.colour {
            true => painted(tone, text),
            false => text.to_owned(),
        }
    }

    /// The same, where an empty text needs no colour.
    pub(crate) fn paint_some(&self, tone: Tone, text: &str) -> String {
        match text.is_empty() {
            true => String::new(),
            false => self.paint(tone, text),
        }
    }

    /// A line on standard output. A reader that went away is no error.
    pub(crate) fn line(&self, text: &str) {
        let _ = self.line_if_heard(text);
    }

    /// The same for whoever would go on for ever: says whether anybody still reads.
    pub(crate) fn line_if_heard(&self, text: &str) -> std::io::Result<()> {
        let mut out = std::io::stdout();
        writeln!(out, "{text}").and_then(|()| out.flush())
    }

    /// What the agents of something new lack: better said now than by the first attempt.
    pub(crate) fn warn(&self, missing: &[String]) {
        for missing in missing {
            let warning = self.paint(Tone::Warn, "warning");
            self.hanging(&format!("  {warning} "), &plain(missing));
        }
    }

    pub(crate) fn facts(&self, facts: &impl Serialize) {
        match serde_json::to_string_pretty(facts) {
            Ok(text) => self.line(&text),
            Err(error) => eprintln!("error: could not print as JSON: {error}"),
        }
    }

    pub(crate) fn error(&self, error: &EngineError) {
        if self.json {
            let code = super::exit::of(error);
            let facts = serde_json::json!({"error": {"code": error.code, "what": error.what, "mend": error.mend, "exit": code}});
            eprintln!("{facts}");
            return;
        }
        self.fault(&Fault::from(error));
    }

    /// What cannot be shown, and how to mend it.
    pub(crate) fn fault(&self, fault: &Fault) {
        let paint = |tone, text: &str| match self.errors_in_colour {
            true => painted(tone, text),
            false => text.to_owned(),
        };
        let told = [
            (
                format!("{} ", paint(Tone::Bad, "error:")),
                fault.to_string(),
            ),
            (
                format!("  {} ", paint(Tone::Dim, "mend:")),
                fault.mend.clone(),
            ),
        ];
        // What others wrote may stand in it: no line of theirs begins where ours do.
        for (head, text) in &told {
            let mut head = head.as_str();
            for part in text.lines() {
                for line in hung(head, &whole(part)) {
                    eprintln!("{line}");
                }
                head = "    ";
            }
        }
    }

    /// The same where the last cell is a sentence: too wide, each row is its first cells, and the sentence
    /// below them.
    pub(crate) fn wide_table(&self, head: &[&str], rows: &[Vec<String>]) {
        let widest = |column: usize| {
            rows.iter()
                .map(move |row| row[column].chars().count())
                .max()
        };
        let widths = (0..head.len()).filter_map(widest);
        let width: usize = widths.map(|width| width + 2).sum();
        if Self::columns().is_none_or(|columns| width <= columns) {
            return self.table(head, rows);
        }
        for row in rows {
            let Some((last, first)) = row.split_last() else {
                continue;
            };
            self.hanging("", &first.join("  "));
            self.hanging("    ", last);
        }
    }

    /// Rows in aligned columns.
    pub(crate) fn table(&self, head: &[&str], rows: &[Vec<String>]) {
        let mut widths: Vec<usize> = head.iter().map(|cell| cell.chars().count()).collect();
        for row in rows {
            for (width, cell) in widths.iter_mut().zip(row) {
                *width = (*width).max(cell.chars().count());
            }
        }
        let line = |cells: Vec<&str>| {
            let padded = cells
                .iter()
                .zip(&widths)
                .map(|(cell, width)| format!("{cell}{}", " ".repeat(width - cell.chars().count())));
            padded.collect::<Vec<_>>().join("  ").trim_end().to_owned()
        };
        self.line(&self.paint(Tone::Dim, &line(head.to_vec())));
        let first: usize = widths.iter().rev().skip(1).map(|width| width + 2).sum();
        for row in rows {
            let line = line(row.iter().map(String::as_str).collect());
            let at = line
                .char_indices()
                .nth(first)
                .map_or(line.len(), |(at, _)| at);
            let (first, last) = line.split_at(at);
            let room = Self::columns().map(|columns| columns.saturating_sub(seen_width(first)));
            match room.is_some_and(|room| room < LEAST && seen_width(last) > room) {
                false => self.hanging(first, last),
                // No column is left for it.
                true => {
                    self.line(first.trim_end());
                    self.hanging("    ", last);
                }
            }
        }
    }
}

/// Where the text of a line begins: behind its name, if it has one, which two blanks part from it.
fn begins(line: &str) -> usize {
    /// No name is longer, with what stands before it.
    const LONGEST: usize = 34;
    let bare = line.len() - line.trim_start().len();
    let near = line
        .char_indices()
        .nth(LONGEST)
        .map_or(line.len(), |(at, _)| at);
    let gap = line[..near].rfind("  ").map(|at| at + 2);
    gap.filter(|at| *at > bare).unwrap_or(bare)
}

/// A text behind a head, in lines: what goes on stands below what began.
fn hung(head: &str, text: &str) -> Vec<String> {
    let Some(columns) = Out::columns() else {
        return vec![format!("{head}{text}")];
    };
    let indent = seen_width(head);
    let mut head = head.to_owned();
    let mut lines = Vec::new();
    for part in folded(text, columns.saturating_sub(indent)) {
        lines.push(format!("{head}{part}").trim_end().to_owned());
        head = " ".repeat(indent);
    }
    lines
}

/// How many columns a text takes: colours take none.
fn seen_width(text: &str) -> usize {
    let mut hidden = false;
    let seen = text.chars().filter(|letter| {
        hidden |= *letter == '\x1b';
        let counts = !hidden;
        hidden &= *letter != 'm';
        counts
    });
    seen.count()
}

/// Less than this is no column of text.
const LEAST: usize = 24;

/// A text in lines of at most this many columns. A word that is longer has a line of its own: who copies
/// it gets it whole. Where there is next to no room, nothing is folded.
pub(crate) fn folded(text: &str, room: usize) -> Vec<String> {
    if room < LEAST || seen_width(text) <= room {
        return vec![text.to_owned()];
    }
    let mut lines = vec![String::new()];
    let mut used = 0;
    for word in text.split(' ') {
        let width = seen_width(word);
        if used > 0 && used + 1 + width > room {
            lines.push(String::new());
            used = 0;
        }
        if let Some(line) = lines.last_mut() {
            if used > 0 {
                line.push(' ');
                used += 1;
            }
            line.push_str(word);
        }
        used += width;
    }
    lines
}

fn painted(tone: Tone, text: &str) -> String {
    let code = match tone {
        Tone::Good => "32",
        Tone::Bad => "31",
        Tone::Warn => "33",
        Tone::Dim => "2",
        Tone::Strong => "1",
    };
    format!("\x1b[{code}m{text}\x1b[0m")
}

/// `1 commit`, `2 commits`.
pub(crate) fn count(many: u64, what: &str) -> String {
    let plural = if many == 1 { "" } else { "s" };
    format!("{many} {what}{plural}")
}

/// Text of others on one line that cannot move the cursor, change colours or hide anything: agents
/// write most of what is shown, and must not be able to draw a verdict of their own.
pub(crate) fn plain(text: &str) -> String {
    const MOST: usize = 400;
    let mut shown = String::with_capacity(text.len().min(MOST));
    for c in text.chars().take(MOST) {
        match c {
            '\n' | '\r' | '\t' => shown.push(' '),
            c => push_seen(&mut shown, c),
        }
    }
    if text.chars().count() > MOST {
        shown.push_str(" [cut]");
    }
    shown
}

/// The same of a text that is never cut: what was asked for, and what somebody found.
pub(crate) fn uncut(text: &str) -> String {
    let words: Vec<&str> = text.split_whitespace().collect();
    whole(&words.join(" "))
}

/// The same for a line that is shown whole, with its tabs.
pub(crate) fn whole(line: &str) -> String {
    let mut shown = String::with_capacity(line.len());
    for c in line.chars() {
        match c {
            '\t' => shown.push('\t'),
            c => push_seen(&mut shown, c),
        }
    }
    shown
}

fn push_seen(shown: &mut String, c: char) {
    match kernel::unseen::is_unseen_behind(shown.chars().next_back(), c) {
        true => shown.push_str(&format!("\\u{{{:x}}}", u32::from(c))),
        false => shown.push(c),
    }
}

/// `1h 02m`, `3m 05s`, `12s`, `340ms`.
pub(crate) fn duration(millis: u64) -> String {
    match millis {
        0..=999 => format!("{millis}ms"),
        1_000..=59_999 => format!("{:.1}s", millis as f64 / 1_000.0),
        60_000..=3_599_999 => format!("{}m {:02}s", millis / 60_000, millis % 60_000 / 1_000),
        _ => format!(
            "{}h {:02}m",
            millis / 3_600_000,
            millis % 3_600_000 / 60_000
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::{begins, folded, plain, whole};

    #[test]
    fn a_long_text_goes_on_below_itself_and_no_word_is_cut() {
        let text = "nothing: no command has passed that could have failed";
        let lines = folded(text, 30);
        assert_eq!(
            lines,
            ["nothing: no command has passed", "that could have failed"]
        );
        assert_eq!(folded(text, 80), [text]);
        assert_eq!(folded(text, 8), [text], "no room is no column");
        let long = format!("see {} there", "x".repeat(50));
        assert_eq!(folded(&long, 30), ["see", &"x".repeat(50), "there"]);
        let painted = format!("\x1b[31mweak\x1b[0m: {}", "ab ".repeat(8).trim_end());
        assert_eq!(folded(&painted, 29).len(), 1, "colours take no room");
    }

    #[test]
    fn a_line_goes_on_below_where_its_text_began() {
        for (line, at) in [
            ("plain words", 0),
            ("  plain words", 2),
            ("  agent  claude, which is there", 9),
            (
                "a very long sentence that goes on for a while  and has blanks",
                0,
            ),
            ("ümläut  text", "ümläut  ".len()),
        ] {
            assert_eq!(begins(line), at, "{line}");
        }
    }

    #[test]
    fn others_cannot_draw_on_the_terminal() {
        assert_eq!(plain("ok\x1b[2Kdone\r\nnext"), "ok\\u{1b}[2Kdone  next");
        assert_eq!(plain("a\u{202e}b"), "a\\u{202e}b");
        assert_eq!(whole("+a\rb\tc\r"), "+a\\u{d}b\tc\\u{d}");
        assert_eq!(whole("a\u{fe0f}\u{2800}"), "a\\u{fe0f}\\u{2800}");
        assert_eq!(whole("\u{26a0}\u{fe0f}"), "\u{26a0}\u{fe0f}");
        assert!(plain(&"x".repeat(1000)).ends_with(" [cut]"));
    }
}

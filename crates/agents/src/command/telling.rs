//! What a program prints, told to people line by line while it works. Its transcript has all of it in the end; a
//! burst that nobody could read is counted here.

use sandbox::{Listener, Stream, Talk};
use std::time::{Duration, Instant};
use store::redact::redact;

/// So many lines in so much time are told; of a line, so much.
const AT_ONCE: usize = 100;
const WINDOW: Duration = Duration::from_millis(250);
const MOST_TOLD: usize = 500;

pub(super) struct Telling<'a> {
    progress: &'a dyn Fn(&str),
    secrets: &'a [&'a str],
    /// The line that each stream is in the middle of.
    open: [Vec<u8>; 2],
    since: Option<Instant>,
    told: usize,
    missed: usize,
}

impl<'a> Telling<'a> {
    pub(super) fn new(progress: &'a dyn Fn(&str), secrets: &'a [&'a str]) -> Self {
        Self {
            progress,
            secrets,
            open: [Vec::new(), Vec::new()],
            since: None,
            told: 0,
            missed: 0,
        }
    }

    fn line(&mut self, line: &[u8]) {
        let line = String::from_utf8_lossy(line);
        let line = line.trim();
        if line.is_empty() {
            return;
        }
        if self.since.is_none_or(|since| since.elapsed() >= WINDOW) {
            self.end();
            self.since = Some(Instant::now());
        }
        if self.told == AT_ONCE {
            self.missed += 1;
            return;
        }
        self.told += 1;
        let line: String = line.chars().take(MOST_TOLD).collect();
        (self.progress)(&redact(&line, self.secrets));
    }

    /// Says what was not told.
    pub(super) fn end(&mut self) {
        if self.missed > 0 {
            (self.progress)(&format!("({} lines more)", self.missed));
        }
        (self.told, self.missed) = (0, 0);
    }
}

impl Listener for Telling<'_> {
    fn heard(&mut self, stream: Stream, bytes: &[u8]) -> Vec<u8> {
        let which = match stream {
            Stream::Out => 0,
            Stream::Err => 1,
        };
        for byte in bytes {
            if *byte != b'\n' {
                let open = &mut self.open[which];
                // A character has four bytes at most.
                if open.len() < 4 * MOST_TOLD {
                    open.push(*byte);
                }
                continue;
            }
            let line = std::mem::take(&mut self.open[which]);
            self.line(&line);
        }
        Vec::new()
    }

    fn talk(&self) -> Talk {
        Talk::Ends
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::cell::RefCell;

    fn told(said: &[(Stream, &str)]) -> Vec<String> {
        let told = RefCell::new(Vec::new());
        let tell = |line: &str| told.borrow_mut().push(line.to_owned());
        let mut telling = Telling::new(&tell, &["hunter2"]);
        for (stream, text) in said {
            telling.heard(*stream, text.as_bytes());
        }
        telling.end();
        told.into_inner()
    }

    #[test]
    fn every_line_is_told_whole_and_without_keys() {
        let said = [
            (Stream::Out, "one\ntw"),
            (Stream::Err, "grep: no such file\n"),
            (Stream::Out, "o\n\nthe key is hunter2\n"),
        ];
        let told = told(&said);
        assert_eq!(told[..3], ["one", "grep: no such file", "two"]);
        assert!(!told[3].contains("hunter2"), "{told:?}");
        assert_eq!(told.len(), 4);
    }

    #[test]
    fn what_nobody_could_read_is_counted() {
        let many = "x\n".repeat(10 * AT_ONCE);
        let told = told(&[(Stream::Out, &many)]);
        let more: usize = told
            .iter()
            .filter_map(|line| line.strip_prefix('(')?.strip_suffix(" lines more)"))
            .map(|count| count.parse::<usize>().unwrap())
            .sum();
        let lines = told.iter().filter(|line| *line == "x").count();
        assert_eq!(lines + more, 10 * AT_ONCE);
        assert!(more > 0, "{lines} lines were told");
    }
}

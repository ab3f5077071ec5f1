//! Lines of a journal, one at a time in one buffer, so that memory does not grow with the file.
//! It does not judge what is in them.

use crate::record::MAX_LINE;
use std::fs::File;
use std::io::{self, BufRead, BufReader, Read, Seek, SeekFrom};

/// What was found at the present offset.
pub(crate) enum Line<'a> {
    /// A line, without its newline.
    Whole(&'a [u8]),
    /// Bytes up to the end without a newline: an append that was cut short.
    Torn(&'a [u8]),
    /// More than [`MAX_LINE`] bytes without a newline.
    TooLong,
    /// Nothing more.
    End,
}

/// A window of a file, read line by line.
pub(crate) struct Lines<'a> {
    reader: BufReader<io::Take<&'a File>>,
    line: Vec<u8>,
    offset: u64,
}

impl<'a> Lines<'a> {
    /// Reads from `from` up to `end`, which the caller took under a lock: bytes that another
    /// process appends meanwhile are not looked at.
    pub(crate) fn new(mut file: &'a File, from: u64, end: u64) -> io::Result<Lines<'a>> {
        file.seek(SeekFrom::Start(from))?;
        Ok(Lines {
            reader: BufReader::with_capacity(256 * 1024, file.take(end.saturating_sub(from))),
            line: Vec::new(),
            offset: from,
        })
    }

    /// Where the next line begins.
    pub(crate) fn offset(&self) -> u64 {
        self.offset
    }

    /// The next line. The offset moves past whole lines only.
    pub(crate) fn next(&mut self) -> io::Result<Line<'_>> {
        self.line.clear();
        let mut bounded = self.reader.by_ref().take(MAX_LINE as u64);
        bounded.read_until(b'\n', &mut self.line)?;
        match self.line.split_last() {
            None => Ok(Line::End),
            Some((b'\n', rest)) => {
                self.offset += self.line.len() as u64;
                Ok(Line::Whole(rest))
            }
            Some(_) if self.line.len() == MAX_LINE => Ok(Line::TooLong),
            Some(_) => Ok(Line::Torn(&self.line)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn describe(bytes: &[u8], from: u64, end: u64) -> Vec<String> {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("f");
        std::fs::write(&path, bytes).unwrap();
        let file = File::open(&path).unwrap();
        let mut lines = Lines::new(&file, from, end).unwrap();
        let mut found = Vec::new();
        loop {
            let text = |b: &[u8]| String::from_utf8_lossy(b).into_owned();
            match lines.next().unwrap() {
                Line::Whole(line) => found.push(text(line)),
                Line::Torn(line) => {
                    found.push(format!("torn {}", text(line)));
                    return found;
                }
                Line::TooLong => {
                    found.push("too long".into());
                    return found;
                }
                Line::End => return found,
            }
        }
    }

    #[test]
    fn splits_at_newlines_within_the_window() {
        assert_eq!(describe(b"", 0, 0), Vec::<String>::new());
        assert_eq!(describe(b"a\n\nb\n", 0, 5), ["a", "", "b"]);
        assert_eq!(describe(b"a\nbc", 0, 4), ["a", "torn bc"]);
        assert_eq!(describe(b"a\nb\nc\n", 2, 4), ["b"]);
        // A window that outlives the file ends with the file.
        assert_eq!(describe(b"a\n", 0, 99), ["a"]);
    }

    #[test]
    fn a_line_has_a_limit() {
        let mut bytes = vec![b'x'; MAX_LINE - 1];
        bytes.push(b'\n');
        assert_eq!(describe(&bytes, 0, u64::MAX)[0].len(), MAX_LINE - 1);
        bytes.insert(0, b'x');
        assert_eq!(describe(&bytes, 0, u64::MAX), ["too long"]);
    }
}

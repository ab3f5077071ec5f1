//! A bounded record of what an attempt said: the head and the tail survive, the middle may not.
//!
//! The head says what was asked and how it began, the tail how it ended. An agent that prints for
//! ever costs this many bytes and no more.

use std::collections::VecDeque;

/// The largest transcript, in bytes, without the line that says what was left out.
pub const TRANSCRIPT_BYTES: usize = 1024 * 1024;
const HEAD: usize = TRANSCRIPT_BYTES / 4;
const TAIL: usize = TRANSCRIPT_BYTES - HEAD;

/// Text being collected.
#[derive(Debug, Default)]
pub(crate) struct Transcript {
    head: Vec<u8>,
    tail: VecDeque<u8>,
    dropped: usize,
}

impl Transcript {
    /// Adds bytes as they are.
    pub(crate) fn bytes(&mut self, bytes: &[u8]) {
        let (first, rest) = bytes.split_at(bytes.len().min(HEAD - self.head.len()));
        self.head.extend_from_slice(first);
        // Only the last TAIL bytes can survive, so the others are never copied.
        let (skipped, rest) = rest.split_at(rest.len().saturating_sub(TAIL));
        let over = (self.tail.len() + rest.len()).saturating_sub(TAIL);
        self.tail.drain(..over);
        self.tail.extend(rest);
        self.dropped += skipped.len() + over;
    }

    /// Adds a line of our own, on a line of its own.
    pub(crate) fn line(&mut self, line: &str) {
        let last = self.tail.back().or(self.head.last());
        if last.is_some_and(|byte| *byte != b'\n') {
            self.bytes(b"\n");
        }
        self.bytes(line.as_bytes());
        self.bytes(b"\n");
    }

    /// What was kept, with a line where something is missing.
    pub(crate) fn finish(self) -> Vec<u8> {
        let mut all = self.head;
        if self.dropped > 0 {
            all.extend(format!("\n[... {} bytes left out ...]\n", self.dropped).bytes());
        }
        all.extend(self.tail);
        all
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn short_text_is_kept_whole() {
        let mut transcript = Transcript::default();
        transcript.bytes(b"no newline");
        transcript.line("ours");
        assert_eq!(transcript.finish(), b"no newline\nours\n");
    }

    #[test]
    fn head_and_tail_survive_and_the_count_is_right() {
        let whole: Vec<u8> = (0..3 * TRANSCRIPT_BYTES).map(|n| (n % 251) as u8).collect();
        for chunk in [whole.len(), 1 << 20, 65_537] {
            let mut transcript = Transcript::default();
            whole.chunks(chunk).for_each(|part| transcript.bytes(part));
            let kept = transcript.finish();
            let marker = format!(
                "\n[... {} bytes left out ...]\n",
                whole.len() - TRANSCRIPT_BYTES
            );
            assert_eq!(kept.len(), TRANSCRIPT_BYTES + marker.len());
            assert_eq!(kept[..HEAD], whole[..HEAD]);
            assert_eq!(&kept[HEAD..HEAD + marker.len()], marker.as_bytes());
            assert_eq!(kept[HEAD + marker.len()..], whole[whole.len() - TAIL..]);
        }
    }
}

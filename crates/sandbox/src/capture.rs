//! Output in bounded memory: the head and the tail are kept, the middle is counted.

use std::collections::VecDeque;

/// What was written to one stream, up to a cap.
#[derive(Debug)]
pub(crate) struct Capture {
    head: Vec<u8>,
    tail: VecDeque<u8>,
    head_room: usize,
    tail_room: usize,
    left_out: u64,
}

impl Capture {
    /// Keeps at most `cap` bytes: half of them from the start, half from the end, because a log's
    /// start says what was run and its end says how it went.
    pub(crate) fn new(cap: usize) -> Self {
        Self {
            head: Vec::new(),
            tail: VecDeque::new(),
            head_room: cap / 2,
            tail_room: cap - cap / 2,
            left_out: 0,
        }
    }

    pub(crate) fn push(&mut self, bytes: &[u8]) {
        let into_head = bytes.len().min(self.head_room - self.head.len());
        let (head, rest) = bytes.split_at(into_head);
        self.head.extend_from_slice(head);
        let kept = &rest[rest.len().saturating_sub(self.tail_room)..];
        let overflow = (self.tail.len() + kept.len()).saturating_sub(self.tail_room);
        self.tail.drain(..overflow);
        self.tail.extend(kept);
        self.left_out += (overflow + rest.len() - kept.len()) as u64;
    }

    pub(crate) fn is_truncated(&self) -> bool {
        self.left_out > 0
    }

    /// The kept bytes, with a line in the gap that says what is missing.
    pub(crate) fn into_bytes(self) -> Vec<u8> {
        let mut bytes = self.head;
        if self.left_out > 0 {
            let line = format!("\n[Proofhouse left out {} bytes here]\n", self.left_out);
            bytes.extend_from_slice(line.as_bytes());
        }
        bytes.extend(self.tail);
        bytes
    }
}

#[cfg(test)]
mod tests {
    use super::Capture;

    #[test]
    fn head_and_tail_are_kept_whatever_the_pieces() {
        let whole: Vec<u8> = (0..200u8).collect();
        for piece in [1, 3, 7, 64, 200] {
            for cap in [0, 1, 10, 11, 199, 200, 500] {
                let mut capture = Capture::new(cap);
                whole.chunks(piece).for_each(|bytes| capture.push(bytes));
                let truncated = capture.is_truncated();
                let bytes = capture.into_bytes();
                assert_eq!(truncated, cap < 200, "cap {cap}, pieces of {piece}");
                if truncated {
                    assert!(bytes.starts_with(&whole[..cap / 2]));
                    assert!(bytes.ends_with(&whole[200 - (cap - cap / 2)..]));
                    let text = String::from_utf8_lossy(&bytes).into_owned();
                    let line = format!("left out {} bytes", 200 - cap);
                    assert!(text.contains(&line), "{text}");
                } else {
                    assert_eq!(bytes, whole);
                }
            }
        }
    }
}

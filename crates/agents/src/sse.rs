//! Server-sent events, out of bytes that are cut anywhere.
//!
//! What was not ended by an empty line never happened.

/// The largest event; a provider that sends a larger one is broken or hostile.
const EVENT_BYTES: usize = 8 * 1024 * 1024;

/// One event.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Event {
    /// The `event:` line, or nothing.
    pub(crate) name: String,
    /// The `data:` lines, joined by line ends.
    pub(crate) data: String,
}

/// An event that is larger than we take.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct TooLarge;

/// A stream being read.
#[derive(Debug, Default)]
pub(crate) struct Sse {
    line: Vec<u8>,
    /// A carriage return may be half of a line end.
    after_return: Option<()>,
    began: Option<()>,
    event: Event,
    lines: usize,
}

impl Sse {
    /// Takes the next bytes and gives the events that they complete.
    pub(crate) fn push(&mut self, bytes: &[u8]) -> Result<Vec<Event>, TooLarge> {
        let mut events = Vec::new();
        for &byte in bytes {
            let after_return = self.after_return.take();
            match byte {
                b'\n' if after_return.is_some() => {}
                b'\n' => events.extend(self.end_line()),
                b'\r' => {
                    self.after_return = Some(());
                    events.extend(self.end_line());
                }
                _ => self.line.push(byte),
            }
            if self.line.len() + self.event.data.len() > EVENT_BYTES {
                return Err(TooLarge);
            }
        }
        Ok(events)
    }

    fn end_line(&mut self) -> Option<Event> {
        let bytes = std::mem::take(&mut self.line);
        let text = String::from_utf8_lossy(&bytes);
        let mut line = text.as_ref();
        if self.began.replace(()).is_none() {
            line = line.trim_start_matches('\u{feff}');
        }
        if line.is_empty() {
            let event = std::mem::take(&mut self.event);
            let lines = std::mem::take(&mut self.lines);
            return (lines > 0).then_some(event);
        }
        let (field, value) = line.split_once(':').unwrap_or((line, ""));
        let value = value.strip_prefix(' ').unwrap_or(value);
        match field {
            "event" => self.event.name = value.to_owned(),
            "data" => {
                if self.lines > 0 {
                    self.event.data.push('\n');
                }
                self.event.data.push_str(value);
                self.lines += 1;
            }
            // Comments, ids and retry hints are nothing to us.
            _ => {}
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use testkit::fuzz::Fuzz;

    const STREAM: &str = "\u{feff}: hello\nevent: a\ndata: {\"x\":\ndata: 1}\r\n\r\ndata:no space\r\rdata\n\nevent: lost\n\nid: 3\ndata: grün ✓\n\ndata: half";

    fn event(name: &str, data: &str) -> Event {
        Event {
            name: name.into(),
            data: data.into(),
        }
    }

    fn expected() -> Vec<Event> {
        vec![
            event("a", "{\"x\":\n1}"),
            event("", "no space"),
            event("", ""),
            event("", "grün ✓"),
        ]
    }

    fn read(pieces: &[&[u8]]) -> Vec<Event> {
        let mut sse = Sse::default();
        pieces
            .iter()
            .flat_map(|piece| sse.push(piece).unwrap())
            .collect()
    }

    #[test]
    fn every_single_cut_gives_the_same_events() {
        let bytes = STREAM.as_bytes();
        for at in 0..=bytes.len() {
            let (a, b) = bytes.split_at(at);
            assert_eq!(read(&[a, b]), expected(), "cut at {at}");
        }
    }

    #[test]
    fn an_endless_event_is_refused() {
        let mut sse = Sse::default();
        let piece = vec![b'x'; 1 << 20];
        assert!((0..9).any(|_| sse.push(&piece) == Err(TooLarge)));
    }

    #[test]
    fn fuzz_streams_are_read_alike_however_they_come() {
        Fuzz {
            name: "sse",
            samples: &[STREAM.as_bytes()],
            usual: 1_000,
        }
        .run(&|input| {
            let all = |pieces: &[&[u8]]| {
                let mut sse = Sse::default();
                let mut events = pieces.iter().map(|piece| sse.push(piece));
                events.try_fold(Vec::new(), |mut all, events| {
                    all.extend(events?);
                    Ok::<_, TooLarge>(all)
                })
            };
            let (begins, ends) = input.split_at(input.len() / 2);
            assert_eq!(all(&[input]), all(&[begins, ends]));
        });
    }

    proptest! {
        #[test]
        fn all_cuts_give_the_same_events(mut cuts in prop::collection::vec(0..=STREAM.len(), 0..40)) {
            cuts.sort_unstable();
            let bytes = STREAM.as_bytes();
            let mut from = 0;
            let mut pieces = Vec::new();
            for cut in cuts {
                pieces.push(&bytes[from..cut]);
                from = cut;
            }
            pieces.push(&bytes[from..]);
            prop_assert_eq!(read(&pieces), expected());
        }

        #[test]
        fn no_bytes_are_too_strange(bytes in prop::collection::vec(any::<u8>(), 0..300)) {
            let whole = read(&[&bytes]);
            let single: Vec<&[u8]> = bytes.chunks(1).collect();
            prop_assert_eq!(read(&single), whole);
        }
    }
}

//! Room for the vectors of segments that are about to be read. The system hands memory out page by
//! page, when it is first written to, which takes as long as reading. So another thread writes to it
//! ahead of the reader. It refuses to be needed: without that thread, room is made on the spot.

use std::sync::mpsc::{Receiver, sync_channel};
use std::thread::{Builder, Scope};

/// How far the other thread is ahead at the most.
const AHEAD: usize = 8;
/// For fewer segments, it is not worth starting.
const WORTH_A_THREAD: usize = 16;
/// The smallest piece that memory is handed out in.
const PAGE: usize = 4096;

/// Room for segments of one size.
#[derive(Debug)]
pub(crate) struct Rooms(Receiver<Vec<u8>>);

impl Rooms {
    /// For so many segments, of so many bytes each.
    pub(crate) fn new<'scope>(
        scope: &'scope Scope<'scope, '_>,
        segments: usize,
        size: usize,
    ) -> Self {
        let (send, receive) = sync_channel(AHEAD);
        if segments >= WORTH_A_THREAD {
            let make = move || {
                for _ in 0..segments {
                    if send.send(written(size)).is_err() {
                        // Nobody wants the rest.
                        break;
                    }
                }
            };
            // Without a thread the channel is closed, and room is made on the spot.
            let _ = Builder::new()
                .name("index-room".into())
                .spawn_scoped(scope, make);
        }
        Self(receive)
    }

    /// Room of this size.
    pub(crate) fn take(&self, size: usize) -> Vec<u8> {
        match self.0.recv() {
            Ok(room) if room.len() == size => room,
            // A damaged segment may want any size.
            _ => vec![0; size],
        }
    }
}

/// Memory that was written to, once in every page.
fn written(size: usize) -> Vec<u8> {
    let mut room = vec![0; size];
    for page in room.chunks_mut(PAGE) {
        page[0] = std::hint::black_box(0);
    }
    room
}

#[cfg(test)]
mod tests {
    use super::{Rooms, WORTH_A_THREAD};

    #[test]
    fn there_is_room_with_and_without_a_thread() {
        for segments in [0, 1, WORTH_A_THREAD] {
            std::thread::scope(|scope| {
                let rooms = Rooms::new(scope, segments, 10_000);
                // More than was asked for, and of another size.
                for _ in 0..=segments {
                    assert_eq!(rooms.take(10_000), vec![0; 10_000]);
                }
                assert_eq!(rooms.take(7), [0; 7]);
            });
        }
    }

    #[test]
    fn a_reader_that_stops_early_is_not_waited_for() {
        std::thread::scope(|scope| {
            let rooms = Rooms::new(scope, 10 * WORTH_A_THREAD, 10_000);
            assert_eq!(rooms.take(10_000).len(), 10_000);
        });
    }
}

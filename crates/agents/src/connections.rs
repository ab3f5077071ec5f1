//! What the processes of one attempt tried to connect to and were refused, however many there were.
//! A refused connection fails no attempt: it is told.

use crate::agent::Reply;
use sandbox::{Ended, Refusals};

/// Refused connections of one attempt.
#[derive(Debug, Default)]
pub(crate) struct Connections {
    refused: Refusals,
    unrecorded: Option<String>,
}

impl Connections {
    /// Of an attempt with one process.
    pub(crate) fn of(ended: &Ended) -> Self {
        let mut connections = Self::default();
        connections.note(ended);
        connections
    }

    /// Of one more process.
    pub(crate) fn note(&mut self, ended: &Ended) {
        self.refused.add_all(&ended.denied);
        // One process of which we do not know makes the list one of which we do not know all.
        if self.unrecorded.is_none() {
            self.unrecorded.clone_from(&ended.unrecorded);
        }
    }

    /// Says so in the reply.
    pub(crate) fn tell(self, reply: &mut Reply) {
        let list = self.refused.list();
        reply.denied = list.iter().map(ToString::to_string).collect();
        reply.unrecorded = self.unrecorded;
    }
}

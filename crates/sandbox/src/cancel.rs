//! Asking running launches to stop. It refuses to wait for them: `run` returns when they have.

use std::io::{PipeReader, PipeWriter, Write};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// A switch that can be shared and is thrown once. Every launch that was given it stops.
#[derive(Debug, Clone, Default)]
pub struct Cancel(Arc<Inner>);

#[derive(Debug, Default)]
struct Inner {
    thrown: AtomicBool,
    // One pipe per waiting launch: a byte in it wakes a `poll`, which a flag cannot.
    waiting: Mutex<Vec<Arc<PipeWriter>>>,
}

impl Cancel {
    /// A switch that is not thrown.
    pub fn new() -> Self {
        Self::default()
    }

    /// Throws the switch. Launches that hold it stop, and later ones do not start.
    pub fn cancel(&self) {
        self.0.thrown.store(true, Ordering::SeqCst);
        for writer in self.waiting().drain(..) {
            // A fresh pipe has room for one byte; a closed one has nobody to wake.
            let _ = (&*writer).write(&[1]);
        }
    }

    /// Was it thrown?
    pub fn is_cancelled(&self) -> bool {
        self.0.thrown.load(Ordering::SeqCst)
    }

    /// A reader that becomes readable when the switch is thrown.
    pub(crate) fn listen(&self) -> std::io::Result<Listening> {
        let (reader, writer) = std::io::pipe()?;
        let writer = Arc::new(writer);
        let mut waiting = self.waiting();
        // Under the lock: a throw either sees this writer or is seen here.
        if self.is_cancelled() {
            (&*writer).write_all(&[1])?;
        }
        waiting.push(Arc::clone(&writer));
        drop(waiting);
        Ok(Listening {
            reader,
            writer,
            cancel: self.clone(),
        })
    }

    fn waiting(&self) -> MutexGuard<'_, Vec<Arc<PipeWriter>>> {
        // The list is whole after every statement, so a panic elsewhere does not spoil it.
        self.0
            .waiting
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }
}

/// A place in the list of those to wake; dropping it leaves the list.
#[derive(Debug)]
pub(crate) struct Listening {
    pub(crate) reader: PipeReader,
    writer: Arc<PipeWriter>,
    cancel: Cancel,
}

impl Drop for Listening {
    fn drop(&mut self) {
        self.cancel
            .waiting()
            .retain(|writer| !Arc::ptr_eq(writer, &self.writer));
    }
}

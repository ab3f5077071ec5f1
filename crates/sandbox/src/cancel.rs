//! Asking running launches to stop. It refuses to wait for them: `run` returns when they have.

use std::io::{PipeReader, PipeWriter, Write};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// A switch that can be shared and is thrown once. Every launch that was given it stops.
#[derive(Debug, Clone, Default)]
pub struct Cancel(Arc<Inner>);

#[derive(Debug, Default)]
struct Inner {
    thrown: AtomicBool,
    // One pipe per waiting launch: a byte in it wakes a `poll`, which a flag cannot.
    waiting: Mutex<Vec<Arc<PipeWriter>>>,
    // For those who wait for nothing else.
    thrown_now: Condvar,
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
        self.0.thrown_now.notify_all();
    }

    /// Waits until the switch is thrown, or this long. Was it thrown?
    pub fn wait_timeout(&self, time: Duration) -> bool {
        // The list's lock is taken between the throw and its news, so that no throw falls into the
        // gap between looking and sleeping.
        let waiting = self.waiting();
        let waited = self
            .0
            .thrown_now
            .wait_timeout_while(waiting, time, |_| !self.is_cancelled());
        drop(waited.unwrap_or_else(PoisonError::into_inner));
        self.is_cancelled()
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

#[cfg(test)]
mod tests {
    use super::*;

    const AMPLE: Duration = Duration::from_secs(600);

    #[test]
    fn a_throw_wakes_whoever_waits_and_time_does_too() {
        let cancel = Cancel::new();
        assert!(!cancel.wait_timeout(Duration::ZERO));
        // Before, during or after the waiting begins: it ends in each case, or this test does not.
        for _ in 0..200 {
            let cancel = Cancel::new();
            let switch = cancel.clone();
            let thrower = std::thread::spawn(move || switch.cancel());
            assert!(cancel.wait_timeout(AMPLE));
            thrower.join().unwrap();
        }
    }

    #[test]
    fn one_throw_wakes_all() {
        let cancel = Cancel::new();
        let waiters: Vec<_> = (0..4)
            .map(|_| cancel.clone())
            .map(|cancel| std::thread::spawn(move || cancel.wait_timeout(AMPLE)))
            .collect();
        cancel.cancel();
        for waiter in waiters {
            assert!(waiter.join().unwrap());
        }
    }
}

//! Asking running launches to stop. Nothing waits for them here: `run` returns when they have.

use std::io::{PipeReader, Write};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// A switch that can be shared and is thrown once. Every launch that was given it stops.
#[derive(Debug, Clone, Default)]
pub struct Cancel(Arc<Inner>);

#[derive(Default)]
struct Inner {
    thrown: AtomicBool,
    // For those who wait for something else as well, each in a way of its own.
    waiting: Mutex<Vec<Waiting>>,
    // For those who wait for nothing else.
    thrown_now: Condvar,
}

type Wake = dyn Fn() + Send + Sync;

/// One who is to be woken, by a number of its own.
struct Waiting {
    number: u64,
    wake: Box<Wake>,
}

impl std::fmt::Debug for Inner {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Cancel")
            .field("thrown", &self.thrown)
            .finish_non_exhaustive()
    }
}

impl Cancel {
    /// A switch that is not thrown.
    pub fn new() -> Self {
        Self::default()
    }

    /// Throws the switch. Launches that hold it stop, and later ones do not start.
    pub fn cancel(&self) {
        self.0.thrown.store(true, Ordering::SeqCst);
        // Taken out first: whoever is woken may come back to this list.
        let waiting = std::mem::take(&mut *self.waiting());
        for one in waiting {
            (one.wake)();
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

    /// Calls this once when the switch is thrown, at once if it was, and not any more when the answer
    /// is dropped. It is called by whoever throws, so it should only pass the news on.
    pub fn wake(&self, wake: impl Fn() + Send + Sync + 'static) -> Woken {
        static NUMBER: AtomicU64 = AtomicU64::new(0);
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        let woken = Woken {
            number,
            cancel: self.clone(),
        };
        let mut waiting = self.waiting();
        // Under the lock: a throw either sees this one or is seen here.
        if self.is_cancelled() {
            drop(waiting);
            wake();
        } else {
            let wake = Box::new(wake);
            waiting.push(Waiting { number, wake });
        }
        woken
    }

    /// A reader that becomes readable when the switch is thrown: a byte wakes a `poll`, which a flag
    /// cannot.
    pub(crate) fn listen(&self) -> std::io::Result<Listening> {
        let (reader, writer) = std::io::pipe()?;
        let woken = self.wake(move || {
            // A fresh pipe has room for one byte; a closed one has nobody to wake.
            let _ = (&writer).write(&[1]);
        });
        Ok(Listening {
            reader,
            _woken: woken,
        })
    }

    fn waiting(&self) -> MutexGuard<'_, Vec<Waiting>> {
        // The list is whole after every statement, so a panic elsewhere does not spoil it.
        self.0
            .waiting
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }
}

/// A place in the list of those to wake; dropping it leaves the list.
#[derive(Debug)]
pub struct Woken {
    number: u64,
    cancel: Cancel,
}

impl Drop for Woken {
    fn drop(&mut self) {
        self.cancel
            .waiting()
            .retain(|waiting| waiting.number != self.number);
    }
}

/// A place in that list, with a reader for `poll`.
#[derive(Debug)]
pub(crate) struct Listening {
    pub(crate) reader: PipeReader,
    _woken: Woken,
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

    #[test]
    fn a_throw_is_passed_on_once_and_only_to_those_who_still_wait() {
        let cancel = Cancel::new();
        let (send, receive) = std::sync::mpsc::channel();
        let tell = |name: &'static str| {
            let send = send.clone();
            move || send.send(name).unwrap()
        };
        let early = cancel.wake(tell("early"));
        drop(cancel.wake(tell("gone")));
        assert!(receive.try_recv().is_err());
        cancel.cancel();
        cancel.cancel();
        let late = cancel.wake(tell("late"));
        assert_eq!(receive.try_iter().collect::<Vec<_>>(), ["early", "late"]);
        drop((early, late));
        assert!(cancel.waiting().is_empty());
    }
}

//! A small proxy that lets a confined process reach the hosts of its policy and nothing else.
//! Everything that is not on its list gets 403, and is remembered. It reads no encrypted byte and
//! keeps no other.

mod address;
mod request;
mod serve;

use crate::refusals::Refusals;
use crate::{Endpoint, Leads};
use rustix::event::{PollFd, PollFlags};
use std::collections::BTreeMap;
use std::io::{PipeReader, PipeWriter};
use std::net::{IpAddr, Shutdown, TcpListener, TcpStream};
use std::os::fd::AsFd;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;

/// Connections at once; more are turned away.
const MOST_CONNECTIONS: usize = 64;

/// A proxy at work. Dropping it without [`Proxy::stop`] ends it, too.
#[derive(Debug)]
pub(crate) struct Proxy {
    shared: Arc<Shared>,
    // Closing it wakes and ends the accepting thread.
    stop: Option<PipeWriter>,
    accepting: Option<JoinHandle<()>>,
}

#[derive(Debug)]
pub(crate) struct Shared {
    allowed: Vec<Endpoint>,
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    denied: Refusals,
    /// Where each name led when it was first looked up: it leads nowhere else later.
    pinned: BTreeMap<String, Vec<IpAddr>>,
    /// Both ends of every connection that is open, so that they can be cut.
    open: Vec<(u64, TcpStream)>,
    connections: usize,
    next: u64,
}

impl Proxy {
    /// Serves the listener, in threads of its own.
    pub(crate) fn start(listener: TcpListener, allowed: Vec<Endpoint>) -> std::io::Result<Self> {
        listener.set_nonblocking(true)?;
        let shared = Arc::new(Shared {
            allowed,
            state: Mutex::default(),
        });
        let (waiting, stop) = std::io::pipe()?;
        let serving = Arc::clone(&shared);
        let accepting = std::thread::Builder::new()
            .name("proxy".into())
            .spawn(move || accept(&listener, &waiting, &serving))?;
        Ok(Self {
            shared,
            stop: Some(stop),
            accepting: Some(accepting),
        })
    }

    /// Cuts every connection and says what was refused.
    pub(crate) fn stop(mut self) -> Refusals {
        self.end();
        std::mem::take(&mut self.shared.state().denied)
    }

    fn end(&mut self) {
        self.stop = None;
        if let Some(accepting) = self.accepting.take() {
            let _ = accepting.join();
        }
        for (_, stream) in self.shared.state().open.drain(..) {
            let _ = stream.shutdown(Shutdown::Both);
        }
    }
}

impl Drop for Proxy {
    fn drop(&mut self) {
        self.end();
    }
}

fn accept(listener: &TcpListener, stop: &PipeReader, shared: &Arc<Shared>) {
    loop {
        let mut fds = [
            PollFd::from_borrowed_fd(listener.as_fd(), PollFlags::IN),
            PollFd::from_borrowed_fd(stop.as_fd(), PollFlags::IN),
        ];
        match rustix::event::poll(&mut fds, None) {
            Ok(_) | Err(rustix::io::Errno::INTR) => {}
            Err(_) => return,
        }
        // First what waits: a request made before the end is answered and counted.
        while let Ok((stream, _)) = listener.accept() {
            if stream.set_nonblocking(false).is_ok() {
                start(stream, shared);
            }
        }
        if !fds[1].revents().is_empty() {
            return;
        }
    }
}

fn start(stream: TcpStream, shared: &Arc<Shared>) {
    let full = {
        let mut state = shared.state();
        let full = state.connections >= MOST_CONNECTIONS;
        state.connections += usize::from(!full);
        full
    };
    if full {
        serve::turn_away(stream);
        return;
    }
    let serving = Arc::clone(shared);
    let started = std::thread::Builder::new()
        .name("proxy-connection".into())
        .spawn(move || {
            serve::serve(stream, &serving);
            serving.state().connections -= 1;
        });
    if started.is_err() {
        shared.state().connections -= 1;
    }
}

impl Shared {
    fn state(&self) -> MutexGuard<'_, State> {
        // Every change is whole after one statement, so a panic elsewhere does not spoil it.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Where the policy lets this target lead, if it lets it through at all.
    fn allows(&self, target: &Endpoint) -> Option<Leads> {
        let same = self.allowed.iter().filter(|allowed| {
            allowed.port == target.port && allowed.host.eq_ignore_ascii_case(&target.host)
        });
        same.map(|allowed| allowed.leads).max()
    }

    /// The addresses of a name, as they were when it was first asked for.
    fn addresses(&self, target: &Endpoint) -> std::io::Result<Vec<IpAddr>> {
        let name = target.host.to_ascii_lowercase();
        if let Some(known) = self.state().pinned.get(&name) {
            return Ok(known.clone());
        }
        // Looked up without the lock: it may take long. Who comes second keeps what came first.
        let found = address::look_up(target)?;
        Ok(self.state().pinned.entry(name).or_insert(found).clone())
    }

    fn deny(&self, target: String) {
        self.state().denied.note(target);
    }

    /// Keeps a handle for the cut at the end; the number takes it back.
    fn register(&self, stream: &TcpStream) -> std::io::Result<u64> {
        let handle = stream.try_clone()?;
        let mut state = self.state();
        state.next += 1;
        let number = state.next;
        state.open.push((number, handle));
        Ok(number)
    }

    fn forget(&self, number: u64) {
        self.state().open.retain(|(other, _)| *other != number);
    }
}

#[cfg(test)]
mod tests;

//! A model provider that follows a script: Anthropic Messages, OpenAI Responses and Chat, and
//! Gemini, on loopback only.
//!
//! It stands in for the network in the tests of every connector. It is not clever: it
//! answers what the script says, records what it was asked, and never looks at a clock.

mod anthropic;
mod chat;
mod events;
mod gemini;
mod http;
mod plan;
mod respond;
mod responses;
mod script;
mod tools;

pub use script::{Arguments, Call, Order, Script, Stop, Tokens, Turn};

use serde_json::Value;
use std::collections::BTreeMap;
use std::io;
use std::net::{Shutdown, SocketAddr, TcpListener, TcpStream};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;

/// One request as it came in.
#[derive(Debug, Clone, PartialEq)]
pub struct Request {
    /// `POST`, mostly.
    pub method: String,
    /// The path with its query.
    pub path: String,
    /// Names in lower case.
    pub headers: BTreeMap<String, String>,
    /// The JSON body; null if there was none.
    pub body: Value,
}

/// A running server. Dropping it closes every connection and waits for its threads.
#[derive(Debug)]
pub struct ModelServer {
    shared: Arc<Shared>,
    address: SocketAddr,
    accepting: Option<JoinHandle<()>>,
}

/// What the threads of one server share.
#[derive(Debug)]
struct Shared {
    script: Script,
    state: Mutex<State>,
    heard: Condvar,
}

#[derive(Debug, Default)]
struct State {
    requests: Vec<Request>,
    /// How many turns were handed out, for scripts that run in order of arrival.
    handed_out: usize,
    /// Hanging answers whose client went away.
    hung_up: usize,
    open: Vec<TcpStream>,
    stopping: bool,
}

impl ModelServer {
    /// Starts on a free port of 127.0.0.1.
    ///
    /// # Errors
    /// If the system gives no port or thread.
    pub fn start(script: Script) -> io::Result<Self> {
        let listener = TcpListener::bind(("127.0.0.1", 0))?;
        let address = listener.local_addr()?;
        let shared = Arc::new(Shared {
            script,
            state: Mutex::default(),
            heard: Condvar::new(),
        });
        let inner = Arc::clone(&shared);
        let accepting = std::thread::Builder::new()
            .name("model-server".into())
            .spawn(move || accept(&listener, &inner))?;
        Ok(Self {
            shared,
            address,
            accepting: Some(accepting),
        })
    }

    /// The base URL without a path and without a slash at its end.
    pub fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// The port, for tools that want it alone.
    pub fn port(&self) -> u16 {
        self.address.port()
    }

    /// Everything that was asked so far, in order of arrival.
    pub fn requests(&self) -> Vec<Request> {
        self.shared.lock().requests.clone()
    }

    /// Blocks until this many requests have come in: a test need not guess when.
    pub fn wait_for(&self, count: usize) {
        let state = self.shared.lock();
        let waited = self
            .shared
            .heard
            .wait_while(state, |state| state.requests.len() < count);
        drop(waited);
    }

    /// Blocks until this many hanging answers were given up by their clients.
    pub fn wait_for_hang_up(&self, count: usize) {
        let state = self.shared.lock();
        let waited = self
            .shared
            .heard
            .wait_while(state, |state| state.hung_up < count);
        drop(waited);
    }
}

impl Drop for ModelServer {
    fn drop(&mut self) {
        {
            let mut state = self.shared.lock();
            state.stopping = true;
            for stream in state.open.drain(..) {
                let _ = stream.shutdown(Shutdown::Both);
            }
        }
        // Wakes `accept`, which then sees that we are stopping.
        let _ = TcpStream::connect(self.address);
        if let Some(thread) = self.accepting.take() {
            let _ = thread.join();
        }
    }
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Records a request.
    fn record(&self, request: Request) {
        self.lock().requests.push(request);
        self.heard.notify_all();
    }

    /// Notes that a client went away from a hanging answer.
    fn hung_up(&self) {
        self.lock().hung_up += 1;
        self.heard.notify_all();
    }

    /// Keeps a handle for closing; none if the server is going down.
    fn admit(&self, stream: &TcpStream) -> Option<()> {
        let mut state = self.lock();
        if state.stopping {
            return None;
        }
        state.open.push(stream.try_clone().ok()?);
        Some(())
    }
}

fn accept(listener: &TcpListener, shared: &Arc<Shared>) {
    let mut threads = Vec::new();
    for stream in listener.incoming() {
        let Ok(stream) = stream else { continue };
        if shared.admit(&stream).is_none() {
            break;
        }
        let shared = Arc::clone(shared);
        threads.push(std::thread::spawn(move || {
            // A peer that goes away ends its connection and nothing else.
            let _ = respond::serve(&stream, &shared);
            let _ = stream.shutdown(Shutdown::Both);
        }));
    }
    for thread in threads {
        let _ = thread.join();
    }
}

#[cfg(test)]
mod tests;

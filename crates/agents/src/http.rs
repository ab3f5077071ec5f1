//! One request to a provider, its answer in pieces, and never longer than we want.
//!
//! The request runs on a thread of its own; the attempt's thread waits for pieces, a thrown switch,
//! the wall or silence, and hangs up when it has had enough. Redirects are not followed: a key goes
//! to the host that the user named, and nowhere else.

use crate::agent::UNREACHABLE;
use crate::bounds::Bounds;
use crate::failure::Failure;
use kernel::outcome::Class;
use std::collections::BTreeMap;
use std::io::Read;
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, SyncSender};
use std::time::{Duration, Instant};

/// How long a name may take to be resolved, and how long a connection to be made: whoever cannot be
/// reached is said within both.
const CONNECT: Duration = Duration::from_secs(9);
/// The most that one answer may hold: more is a fault, not an answer.
const ANSWER_BYTES: usize = 64 * 1024 * 1024;
/// The most that is read of an error.
const ERROR_BYTES: usize = 64 * 1024;

/// A request: a POST of JSON, or a GET where there is no body.
#[derive(Debug)]
pub(crate) struct Post {
    pub(crate) url: String,
    pub(crate) headers: Vec<(&'static str, String)>,
    pub(crate) body: Body,
}

/// What goes with a request.
#[derive(Debug)]
pub(crate) enum Body {
    /// Nothing: it asks for something.
    Nothing,
    Json(String),
}

/// How a client reaches its host.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Route {
    /// Straight: the host is this machine.
    Direct,
    /// Through the proxy that the environment names, if it does.
    Proxy,
}

/// The connections of one attempt.
#[derive(Debug)]
pub(crate) struct Client {
    agent: ureq::Agent,
    bounds: Bounds,
    route: Route,
}

/// What is worth waking up for: what the request's thread says, and a thrown switch.
enum Piece {
    Head(u16, BTreeMap<String, String>),
    Bytes(Vec<u8>),
    End,
    Broken(Class, String),
    /// The thread has ended, whatever it said before.
    Gone,
    /// Somebody threw the switch; the bounds know.
    Thrown,
}

/// The thread's end of the channel. It says so when it goes, by a panic too: the switch holds the
/// channel open, so that a closed one would not tell.
struct Line(SyncSender<Piece>);

impl Drop for Line {
    fn drop(&mut self) {
        let _ = self.0.send(Piece::Gone);
    }
}

impl Client {
    pub(crate) fn new(bounds: Bounds, route: Route) -> Self {
        let agent = connections(&bounds, route);
        Self {
            agent,
            bounds,
            route,
        }
    }

    /// Sends a request and hands the pieces of a successful answer over as they come.
    pub(crate) fn post(
        &mut self,
        post: Post,
        take: &mut dyn FnMut(&[u8]) -> Result<(), Failure>,
    ) -> Result<(), Failure> {
        self.bounds.check()?;
        let (send, pieces) = mpsc::sync_channel(64);
        let agent = self.agent.clone();
        let line = Line(send.clone());
        // A full channel wakes the receiver just as well.
        let _woken = self.bounds.cancel.wake(move || {
            let _ = send.try_send(Piece::Thrown);
        });
        std::thread::Builder::new()
            .name("model-request".into())
            .spawn(move || {
                if let Err((class, why)) = request(&agent, post, &line.0) {
                    let _ = line.0.send(Piece::Broken(class, why));
                }
            })
            .map_err(|error| {
                Failure::new(
                    Class::CouldNotRun,
                    format!("no thread for the request: {error}"),
                )
            })?;
        let received = self.receive(&pieces, take);
        if received.is_err() {
            // Hangs up, so that the provider stops writing what nobody will read.
            let fresh = connections(&self.bounds, self.route);
            std::mem::replace(&mut self.agent, fresh).shutdown();
        }
        received
    }

    fn receive(
        &self,
        pieces: &Receiver<Piece>,
        take: &mut dyn FnMut(&[u8]) -> Result<(), Failure>,
    ) -> Result<(), Failure> {
        let mut heard = Instant::now();
        let mut head: Option<(u16, BTreeMap<String, String>)> = None;
        let mut error = Vec::new();
        let mut size = 0;
        loop {
            self.bounds.check()?;
            let silent = self.bounds.idle.saturating_sub(heard.elapsed());
            let piece = match pieces.recv_timeout(silent.min(self.bounds.left())) {
                Ok(Piece::Thrown) => continue,
                Ok(piece) => piece,
                // The wall, which the bounds know.
                Err(RecvTimeoutError::Timeout) if heard.elapsed() < self.bounds.idle => continue,
                Err(RecvTimeoutError::Timeout) => {
                    let idle = self.bounds.idle.as_secs_f64();
                    let reason =
                        format!("killed by Proofhouse: the provider said nothing for {idle} s");
                    return Err(Failure::new(Class::TimedOut, reason));
                }
                Err(RecvTimeoutError::Disconnected) => Piece::Gone,
            };
            heard = Instant::now();
            match (piece, &head) {
                (Piece::Head(status, headers), _) => head = Some((status, headers)),
                (Piece::Bytes(bytes), Some((200..300, _))) => {
                    size += bytes.len();
                    if size > ANSWER_BYTES {
                        return Err(Failure::new(
                            Class::Crashed,
                            format!("the answer is larger than {ANSWER_BYTES} bytes"),
                        ));
                    }
                    take(&bytes)?;
                }
                (Piece::Bytes(bytes), _) => {
                    let room = ERROR_BYTES.saturating_sub(error.len());
                    error.extend_from_slice(&bytes[..bytes.len().min(room)]);
                }
                (Piece::End | Piece::Broken(..), Some((status, headers)))
                    if !(200..300).contains(status) =>
                {
                    return Err(Failure::status(*status, headers, &error));
                }
                (Piece::End, _) => return Ok(()),
                (Piece::Gone | Piece::Thrown, _) => {
                    return Err(Failure::transient("the request ended without an answer"));
                }
                (Piece::Broken(class, why), Some(_)) => {
                    return Err(Failure::new(class, format!("the stream was cut: {why}")));
                }
                (Piece::Broken(class, why), None) => {
                    let reason = format!("{UNREACHABLE}: {why}");
                    return Err(Failure::new(class, reason));
                }
            }
        }
    }
}

fn connections(bounds: &Bounds, route: Route) -> ureq::Agent {
    let config = ureq::Agent::config_builder()
        .http_status_as_error(false)
        .max_redirects(0)
        .max_redirects_will_error(false)
        .timeout_resolve(Some(CONNECT))
        .timeout_connect(Some(CONNECT))
        // Only so that no thread stays behind for ever: `receive` is the judge.
        .timeout_global(Some(bounds.left() + CONNECT))
        .user_agent(concat!("proofhouse/", env!("CARGO_PKG_VERSION")));
    let config = match route {
        Route::Direct => config.proxy(None),
        Route::Proxy => config,
    };
    ureq::Agent::new_with_config(config.build())
}

/// The request's own thread. A receiver that has gone ends it.
fn request(
    agent: &ureq::Agent,
    post: Post,
    send: &SyncSender<Piece>,
) -> Result<(), (Class, String)> {
    let response = match &post.body {
        Body::Json(body) => {
            let mut request = agent
                .post(&post.url)
                .header("content-type", "application/json");
            for (name, value) in &post.headers {
                request = request.header(*name, value);
            }
            request.send(body.as_bytes())
        }
        Body::Nothing => {
            let mut request = agent.get(&post.url);
            for (name, value) in &post.headers {
                request = request.header(*name, value);
            }
            request.call()
        }
    };
    let response = response.map_err(|error| (class(&error), error.to_string()))?;
    let headers = response.headers().iter().filter_map(|(name, value)| {
        Some((name.as_str().to_owned(), value.to_str().ok()?.to_owned()))
    });
    let head = Piece::Head(response.status().as_u16(), headers.collect());
    if send.send(head).is_err() {
        return Ok(());
    }
    let mut body = response.into_body().into_reader();
    let mut buffer = [0; 16 * 1024];
    loop {
        let piece = match body.read(&mut buffer) {
            Ok(0) => Piece::End,
            Ok(count) => Piece::Bytes(buffer[..count].to_vec()),
            Err(error) if error.kind() == std::io::ErrorKind::Interrupted => continue,
            Err(error) => return Err((Class::Transient, error.to_string())),
        };
        let ended = matches!(piece, Piece::End);
        if send.send(piece).is_err() || ended {
            return Ok(());
        }
    }
}

/// A network passes; a bad address or certificate stays.
fn class(error: &ureq::Error) -> Class {
    match error {
        ureq::Error::BadUri(_) | ureq::Error::Tls(_) | ureq::Error::Http(_) => Class::CouldNotRun,
        ureq::Error::Io(error) if error.kind() == std::io::ErrorKind::InvalidData => {
            Class::CouldNotRun
        }
        _ => Class::Transient,
    }
}

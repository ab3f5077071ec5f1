//! `proofhouse serve`: runs in a browser, on this machine alone. One process, one thread for each connection,
//! no runtime: what it says comes from the read model, and what it is asked for is judged in `guard.rs`.

mod act;
mod back;
mod decide;
mod events;
mod factory;
mod guard;
mod http;
mod index;
mod lists;
mod open;
mod pages;
mod start;
mod then;
mod tools;
mod watch;
mod word;

use guard::{Own, Reach};
use http::{Bad, Request, Response};
use pages::House;
use std::collections::BTreeMap;
use std::net::{Ipv4Addr, Ipv6Addr, SocketAddr, TcpListener, TcpStream};
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use workspace::{EngineError, Project};

/// More browsers than one person has.
const MOST_CONNECTIONS: usize = 256;

const FRAME: &str = include_str!("frame.html");
const SCRIPT: &str = include_str!("proofhouse.js");
const STYLE: &str = include_str!("serve.css");
const SIGN: &str = include_str!("proofhouse.svg");

/// Lets a run go on, in a process of its own.
pub(crate) type GoOn = fn(&Project, &str) -> Result<(), EngineError>;

/// Ends the engine of a run; says what became of it, and how a command would end that asked for it.
pub(crate) type End = fn(&Project, &str) -> Result<(String, u8), EngineError>;

/// How it is to be served.
pub(crate) struct Orders {
    pub(crate) repos: Vec<Project>,
    pub(crate) port: u16,
    /// May people answer on the page?
    pub(crate) decides: bool,
    /// How a run goes on that a person has answered.
    pub(crate) go_on: GoOn,
    /// How an engine is ended.
    pub(crate) end: End,
    /// Are tools served for agents?
    pub(crate) tools: bool,
    /// Is a browser to be opened?
    pub(crate) opens: bool,
}

/// A server that listens, before it serves.
pub(crate) struct Server {
    listeners: Vec<TcpListener>,
    own: Own,
    house: Arc<House>,
    opens: bool,
}

impl Server {
    /// Takes the port.
    pub(crate) fn bind(orders: Orders) -> Result<Self, EngineError> {
        let first = bound(SocketAddr::from((Ipv4Addr::LOCALHOST, orders.port)))?;
        let port = first
            .local_addr()
            .map_or(orders.port, |address| address.port());
        // Browsers ask there first: whoever else listens there would be given the token. A machine without the
        // newer protocol has the other.
        let newer = SocketAddr::from((Ipv6Addr::LOCALHOST, port));
        let second = match TcpListener::bind(newer) {
            Ok(listener) => Some(listener),
            Err(error) if error.kind() == std::io::ErrorKind::AddrInUse => {
                return Err(taken(newer, &error));
            }
            Err(_) => None,
        };
        Ok(Self {
            listeners: std::iter::once(first).chain(second).collect(),
            own: Own {
                port,
                token: open::token()?,
                key: orders.tools.then(open::token).transpose()?,
            },
            house: Arc::new(House::new(
                keyed(orders.repos),
                orders.decides.then(|| format!("http://localhost:{port}")),
                (orders.go_on, orders.end),
            )),
            opens: orders.opens,
        })
    }

    /// Where a person's browser goes.
    pub(crate) fn address(&self) -> String {
        open::address(&self.own)
    }

    /// Where agents find their tools, one address for each repository, and the key to them; none: nowhere.
    pub(crate) fn tools(&self) -> Option<(Vec<String>, &str)> {
        let key = self.own.key.as_deref()?;
        let repos = self.house.repos.iter();
        let place = |name: &str| format!("{}{}{name}", self.own.origin(), tools::PLACE);
        Some((repos.map(|(name, _)| place(name)).collect(), key))
    }

    /// Serves for ever.
    pub(crate) fn serve(self) -> Result<(), EngineError> {
        let house = self.house.clone();
        let projects: Vec<Project> = house.repos.iter().map(|(_, one)| one.clone()).collect();
        std::thread::spawn(move || house.pulse.watch(&projects));
        let page = match self.opens {
            true => open::open(&self.own),
            false => None,
        };
        let own = Arc::new(self.own);
        let busy = Arc::new(AtomicUsize::new(0));
        let door = Arc::new(Door::default());
        let page = Arc::new(page);
        std::thread::scope(|scope| {
            for listener in &self.listeners {
                let (own, house, busy, page, door) = (&own, &self.house, &busy, &page, &door);
                scope.spawn(move || {
                    for stream in listener.incoming().flatten() {
                        let mut stream = stream;
                        if busy.fetch_add(1, Ordering::SeqCst) >= MOST_CONNECTIONS {
                            busy.fetch_sub(1, Ordering::SeqCst);
                            let _ = Response::text(503, "too many connections").write(&mut stream);
                            continue;
                        }
                        let (own, house) = (own.clone(), house.clone());
                        let (busy, page, door) = (busy.clone(), page.clone(), door.clone());
                        let ticket = door.enter(&stream);
                        std::thread::spawn(move || {
                            answer(&own, &house, &mut stream, (page.as_deref(), &door, ticket));
                            busy.fetch_sub(1, Ordering::SeqCst);
                        });
                    }
                });
            }
        });
        Ok(())
    }
}

fn bound(address: SocketAddr) -> Result<TcpListener, EngineError> {
    TcpListener::bind(address).map_err(|error| taken(address, &error))
}

fn taken(address: SocketAddr, error: &std::io::Error) -> EngineError {
    EngineError::environment(
        "port_taken",
        format!("cannot listen on {address}: {error}"),
        "another `proofhouse serve` may be there already; or take another port with `--port N`",
    )
}

/// Each repository under the name of its folder; a second of that name gets a number.
fn keyed(repos: Vec<Project>) -> Vec<(String, Project)> {
    let mut keyed: Vec<(String, Project)> = Vec::new();
    for project in repos {
        let name = crate::found::key_of(&project);
        let taken = |key: &str| keyed.iter().any(|(one, _)| one == key);
        let numbered = (2..).map(|nth| format!("{name}-{nth}"));
        let mut keys = std::iter::once(name.clone()).chain(numbered);
        let key = keys.find(|key| !taken(key)).unwrap_or(name);
        keyed.push((key, project));
    }
    keyed
}

/// What an address is about.
fn reach(request: &Request) -> Reach {
    match request.method.as_str() {
        _ if request.path.starts_with(tools::PLACE) => Reach::Tools,
        "GET"
            if ["/live/", "/file/", "/words/"]
                .iter()
                .any(|begin| request.path.starts_with(begin)) =>
        {
            Reach::Look
        }
        "GET" => Reach::Frame,
        _ => Reach::Change,
    }
}

/// Those who have connected and not yet asked. Whoever dawdles there gives way to who comes.
#[derive(Default)]
struct Door(Mutex<(u64, BTreeMap<u64, TcpStream>)>);

const MOST_AT_THE_DOOR: usize = 64;

impl Door {
    fn lock(&self) -> std::sync::MutexGuard<'_, (u64, BTreeMap<u64, TcpStream>)> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn enter(&self, stream: &TcpStream) -> u64 {
        let mut held = self.lock();
        held.0 += 1;
        let ticket = held.0;
        if let Ok(stream) = stream.try_clone() {
            held.1.insert(ticket, stream);
        }
        if held.1.len() > MOST_AT_THE_DOOR
            && let Some((_, oldest)) = held.1.pop_first()
        {
            let _ = oldest.shutdown(std::net::Shutdown::Both);
        }
        ticket
    }

    fn leave(&self, ticket: u64) {
        self.lock().1.remove(&ticket);
    }
}

/// What came with a connection: the file that opened the browser, and its place at the door.
type Came<'a> = (Option<&'a Path>, &'a Door, u64);

fn answer(own: &Own, house: &House, stream: &mut TcpStream, (page, door, ticket): Came<'_>) {
    let read = http::read(stream);
    door.leave(ticket);
    let mut request = match read {
        Ok(request) => request,
        Err(Bad::Gone) => return,
        Err(Bad::Answer(response)) => {
            let _ = response.write(stream);
            // Whoever is still writing would not read the answer.
            http::drain(stream);
            return;
        }
    };
    let reach = reach(&request);
    if let Some(refusal) = own.refusal(&request, reach) {
        let _ = refusal.write(stream);
        return;
    }
    if reach == Reach::Tools {
        let _ = tools::answer(house, &own.origin(), &request).write(stream);
        return;
    }
    if reach != Reach::Frame
        && let Some(page) = page
    {
        // The browser has the token: the file that brought it is not needed any more.
        let _ = std::fs::remove_file(page);
    }
    if let Some(path) = request.path.strip_prefix("/live").map(str::to_owned)
        && reach == Reach::Look
    {
        request.path = path;
        let _ = events::tell(house, &request, stream);
        return;
    }
    let response = match (request.method.as_str(), request.path.as_str()) {
        ("GET", "/proofhouse.js") => Response::new(200, "text/javascript; charset=utf-8", SCRIPT),
        ("GET", "/proofhouse.css") => {
            let style = [
                report::page::STYLE,
                report::page::project::STYLE,
                report::page::FACTORY_STYLE,
                STYLE,
            ]
            .concat();
            Response::new(200, "text/css; charset=utf-8", style)
        }
        ("GET", "/proofhouse.svg" | "/favicon.ico") => Response::new(200, "image/svg+xml", SIGN),
        ("GET", path) if path.starts_with("/file/") => house.file(path),
        ("GET", path) if path.starts_with("/words/") => decide::words(house, &request),
        // Clients of the protocol ask there who gives out keys: nobody does.
        ("GET", path) if path.starts_with("/.well-known/") => {
            Response::text(404, "there is nothing of this kind")
        }
        ("GET", _) => Response::new(200, "text/html; charset=utf-8", FRAME),
        ("POST", "/decide") => decide::decide(house, own, &request),
        ("POST", "/words") => decide::words_of_project(house, &request),
        ("POST", "/challenge") => decide::challenge(house, &request),
        ("POST", "/signature") => decide::signature(house, own, &request),
        ("POST", "/start") => start::start(house, &request),
        ("POST", "/fork") => start::fork(house, &request),
        ("POST", "/go_on") => act::go_on(house, &request),
        ("POST", "/stop") => act::stop(house, &request),
        ("POST", "/enrol") => decide::enrol(house, own, &request),
        _ => Response::text(405, "this server only shows"),
    };
    let _ = response.write(stream);
}

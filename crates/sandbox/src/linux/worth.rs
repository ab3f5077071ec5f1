//! Which attempts to connect are worth a record: those that its policy refuses. It refuses to
//! record what a program does with itself, and what every program does without being asked.
//!
//! Recorded: every Internet address but our proxy's and those of servers inside; a UNIX socket
//! that somebody serves outside and that is not there inside. Not recorded: UNIX sockets that are
//! nowhere, those that libc looks for by itself, and what a resolver only tries for a route.

use super::address::Address;
use std::collections::BTreeSet;
use std::io::{BufRead, BufReader};
use std::net::SocketAddr;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::FileTypeExt;
use std::path::{Path, PathBuf};

/// libc's own searches, in every program that asks for a user, a host or a log.
const LOOKED_FOR: [&str; 5] = [
    "/var/run/nscd/",
    "/run/nscd/",
    "/run/systemd/",
    "/dev/log",
    "/var/run/.heim_org.h5l.kcm-socket",
];
/// Resolvers (Go's, musl's) connect a datagram socket to these, send nothing, and ask for the route.
const ROUTE_ONLY: [u16; 2] = [9, 65535];

/// Whose loopback it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Loopback {
    /// Its own: servers of its own are there.
    Own,
    /// The machine's, where Landlock refuses all but our proxy.
    Machine,
}

/// What an attempt is worth.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Worth {
    Nothing,
    /// It leads to a server inside, on this port of its loopback.
    Own(u16),
    Refused(String),
}

/// What is known of one launch.
#[derive(Debug)]
pub(super) struct Judge {
    pub(super) loopback: Loopback,
    /// Our proxy's port.
    pub(super) proxy: Option<u16>,
    /// Ports of its own servers. Kept, so that a test with ten thousand connections to its own
    /// server is looked up once.
    pub(super) own: BTreeSet<u16>,
}

impl Judge {
    /// Looks at one attempt of a thread.
    pub(super) fn judge(&mut self, thread: u32, address: &Address) -> Worth {
        match address {
            Address::Internet(target) => self.internet(thread, *target),
            Address::Path(path) => by_path(thread, Path::new(std::ffi::OsStr::from_bytes(path))),
            Address::Abstract(name) => by_name(thread, name),
        }
    }

    fn internet(&mut self, thread: u32, target: SocketAddr) -> Worth {
        let port = target.port();
        if port == 0 {
            return Worth::Nothing;
        }
        if here(target) {
            if self.proxy == Some(port) {
                return Worth::Own(port);
            }
            if self.loopback == Loopback::Own {
                // By number alone: a server on one of its addresses is on them all, for us.
                if self.own.contains(&port) || served(thread, port) {
                    self.own.insert(port);
                    return Worth::Own(port);
                }
                if ROUTE_ONLY.contains(&port) {
                    return Worth::Nothing;
                }
            }
        }
        Worth::Refused(target.to_string())
    }
}

/// Is it the loopback? The address of nobody leads there as well.
pub(super) fn here(target: SocketAddr) -> bool {
    target.ip().is_loopback() || target.ip().is_unspecified()
}

/// Does anything inside listen on this port?
fn served(thread: u32, port: u16) -> bool {
    let there = |table: &str, rows: Rows| {
        std::fs::File::open(format!("/proc/{thread}/net/{table}"))
            .is_ok_and(|file| listed(BufReader::new(file), port, rows))
    };
    there("tcp", Rows::Listening)
        || there("tcp6", Rows::Listening)
        || there("udp", Rows::All)
        || there("udp6", Rows::All)
}

/// Which rows of a table of sockets count.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Rows {
    /// Those that listen, which come first: the thousands after them are not read.
    Listening,
    All,
}

/// Is there a socket with this local port in a table of the kernel's?
fn listed(table: impl BufRead, port: u16, rows: Rows) -> bool {
    let wanted = format!(":{port:04X}");
    for line in table.lines().skip(1).map_while(Result::ok) {
        let mut columns = line.split_whitespace().skip(1);
        let (local, state) = (columns.next(), columns.nth(1));
        if rows == Rows::Listening && state != Some("0A") {
            return false;
        }
        if local.is_some_and(|local| local.ends_with(&wanted)) {
            return true;
        }
    }
    false
}

fn by_path(thread: u32, path: &Path) -> Worth {
    // What is beside the program is in a root of its policy, or a mistake of its own.
    let Ok(rest) = path.strip_prefix("/") else {
        return Worth::Nothing;
    };
    let name = path.to_string_lossy();
    if LOOKED_FOR.iter().any(|known| name.starts_with(known)) {
        return Worth::Nothing;
    }
    let outside = std::fs::metadata(path).is_ok_and(|file| file.file_type().is_socket());
    let inside = PathBuf::from(format!("/proc/{thread}/root")).join(rest);
    if outside && inside.symlink_metadata().is_err() {
        Worth::Refused(name.escape_debug().to_string())
    } else {
        Worth::Nothing
    }
}

fn by_name(thread: u32, name: &[u8]) -> Worth {
    let name = format!("@{}", String::from_utf8_lossy(name));
    let bound = |table: String| {
        std::fs::read(table).is_ok_and(|table| {
            let table = String::from_utf8_lossy(&table);
            table
                .lines()
                .any(|line| line.ends_with(&format!(" {name}")))
        })
    };
    if bound("/proc/self/net/unix".into()) && !bound(format!("/proc/{thread}/net/unix")) {
        Worth::Refused(name.escape_debug().to_string())
    } else {
        Worth::Nothing
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TABLE: &str = "  sl  local_address rem_address   st tx_queue\n\
        \x20  0: 0100007F:0C38 00000000:0000 0A 00000000:00000000\n\
        \x20  1: 0100007F:1F90 0100007F:D431 06 00000000:00000000\n\
        \x20  2: 0100007F:2328 00000000:0000 0A 00000000:00000000\n";

    #[test]
    fn a_server_is_found_in_the_tables_head_and_a_client_is_none() {
        let listed = |port, rows| super::listed(TABLE.as_bytes(), port, rows);
        assert!(listed(3128, Rows::Listening));
        assert!(!listed(8080, Rows::Listening), "it is a client's");
        assert!(!listed(9000, Rows::Listening), "after the first client");
        assert!(listed(9000, Rows::All) && !listed(1, Rows::All));
    }

    #[test]
    fn its_own_servers_and_the_proxy_are_no_refusals() {
        let server = std::net::TcpListener::bind(("127.0.0.1", 0)).unwrap();
        let port = server.local_addr().unwrap().port();
        let thread = std::process::id();
        let mut judge = Judge {
            loopback: Loopback::Own,
            proxy: Some(3128),
            own: BTreeSet::new(),
        };
        let mut worth = |text: &str| {
            let address = Address::Internet(text.parse().unwrap());
            judge.judge(thread, &address)
        };
        assert_eq!(worth("127.0.0.1:3128"), Worth::Own(3128));
        assert_eq!(worth(&format!("127.0.0.1:{port}")), Worth::Own(port));
        drop(server);
        assert_eq!(worth(&format!("0.0.0.0:{port}")), Worth::Own(port), "kept");
        assert_eq!(worth("[::1]:9"), Worth::Nothing);
        assert_eq!(worth("192.0.2.1:0"), Worth::Nothing);
        let refused = |text: &str| Worth::Refused(text.to_owned());
        assert_eq!(worth("192.0.2.1:9"), refused("192.0.2.1:9"));
        assert_eq!(worth("192.0.2.1:3128"), refused("192.0.2.1:3128"));
        let mut shared = Judge {
            loopback: Loopback::Machine,
            proxy: Some(3128),
            own: BTreeSet::from([port]),
        };
        let address = Address::Internet(SocketAddr::from(([127, 0, 0, 1], port)));
        let name = format!("127.0.0.1:{port}");
        assert_eq!(shared.judge(thread, &address), refused(&name));
    }

    #[test]
    fn a_unix_socket_counts_only_if_it_is_kept_away() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("socket");
        let _server = std::os::unix::net::UnixListener::bind(&path).unwrap();
        let thread = std::process::id();
        // We are inside and outside at once: what is there is there.
        for path in [path.as_path(), Path::new("/no/such"), Path::new("beside")] {
            assert_eq!(by_path(thread, path), Worth::Nothing, "{path:?}");
        }
        // A process that there is not sees nothing.
        let name = path.display().to_string();
        assert_eq!(by_path(u32::MAX, &path), Worth::Refused(name));
        assert_eq!(by_path(u32::MAX, Path::new("/run/nscd/x")), Worth::Nothing);
        assert_eq!(by_name(u32::MAX, b"no such name"), Worth::Nothing);
    }
}

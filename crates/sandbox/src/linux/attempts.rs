//! Which attempts to connect go on record: those that the policy refuses, and neither what a program
//! does with itself nor what every program does without being asked.
//!
//! Recorded: every Internet address but our proxy's and those of servers inside; a UNIX socket that
//! somebody serves outside and that is not there inside. Not recorded: UNIX sockets that are
//! nowhere, those that libc looks for by itself, and what a resolver only tries for a route.
//!
//! A path is text here, and is looked up in the kernel's table of sockets. Nothing walks it: the
//! program chose it, we stand outside, and a walk can start a mount, wait for another machine or
//! tell it something.

use super::address::Address;
use std::collections::BTreeSet;
use std::io::{BufRead, BufReader};
use std::net::SocketAddr;
use std::os::unix::ffi::OsStrExt;
use std::path::{Component, Path, PathBuf};

/// libc's own searches, in every program that asks for a user, a host or a log.
const LOOKED_FOR: [&str; 10] = [
    "/run/nscd/socket",
    "/run/systemd/userdb/io.systemd.DropIn",
    "/run/systemd/userdb/io.systemd.DynamicUser",
    "/run/systemd/userdb/io.systemd.Home",
    "/run/systemd/userdb/io.systemd.Machine",
    "/run/systemd/userdb/io.systemd.Multiplexer",
    "/run/systemd/userdb/io.systemd.NameServiceSwitch",
    "/run/systemd/resolve/io.systemd.Resolve",
    "/dev/log",
    "/run/.heim_org.h5l.kcm-socket",
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

/// What becomes of an attempt.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Verdict {
    /// It is nothing for the record.
    Unrecorded,
    /// It leads to a server inside, on this port of its loopback.
    OwnServer(u16),
    Refused(String),
    /// It could not be read, for this reason.
    Unreadable(String),
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
    /// Folders of the outside that are there inside, and the sockets in them with them.
    pub(super) shared: Vec<PathBuf>,
}

impl Judge {
    /// Looks at one attempt of a thread.
    pub(super) fn judge(&mut self, thread: u32, address: &Address) -> Verdict {
        match address {
            Address::Internet(target) => self.internet(thread, *target),
            Address::Path(path) => {
                let path = Path::new(std::ffi::OsStr::from_bytes(path));
                by_path(thread, path, &self.shared)
            }
            Address::Abstract(name) => by_name(thread, name),
        }
    }

    fn internet(&mut self, thread: u32, target: SocketAddr) -> Verdict {
        let port = target.port();
        if port == 0 {
            return Verdict::Unrecorded;
        }
        if here(target) {
            if self.proxy == Some(port) {
                return Verdict::OwnServer(port);
            }
            if self.loopback == Loopback::Own {
                // By number alone: a server on one of its addresses is on them all, for us.
                if self.own.contains(&port) || served(thread, port) {
                    self.own.insert(port);
                    return Verdict::OwnServer(port);
                }
                if ROUTE_ONLY.contains(&port) {
                    return Verdict::Unrecorded;
                }
            }
        }
        Verdict::Refused(target.to_string())
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

fn by_path(thread: u32, path: &Path, shared: &[PathBuf]) -> Verdict {
    let Some(path) = absolute(thread, path) else {
        return Verdict::Unrecorded;
    };
    let known = LOOKED_FOR.iter().any(|known| Path::new(known) == path);
    if known || shared.iter().any(|root| path.starts_with(root)) {
        return Verdict::Unrecorded;
    }
    // A server may have been given another text for its place.
    let here = |name: &str| name.starts_with('/') && plain(Path::new(name)) == path;
    if bound("self", here) && !bound(&thread.to_string(), here) {
        Verdict::Refused(path.to_string_lossy().escape_debug().to_string())
    } else {
        Verdict::Unrecorded
    }
}

/// The path from the root, as text. The kernel tells where a thread is; nothing is walked for it.
fn absolute(thread: u32, path: &Path) -> Option<PathBuf> {
    if path.is_absolute() {
        return Some(plain(path));
    }
    let from = std::fs::read_link(format!("/proc/{thread}/cwd")).ok()?;
    Some(plain(&from.join(path)))
}

/// One text for one place: without `.` and `..`, and with the one link that everybody has.
fn plain(path: &Path) -> PathBuf {
    let mut plain = PathBuf::from("/");
    for part in path.components() {
        match part {
            Component::Normal(name) => plain.push(name),
            Component::ParentDir => drop(plain.pop()),
            Component::RootDir | Component::CurDir | Component::Prefix(_) => {}
        }
        if plain == Path::new("/var/run") {
            plain = PathBuf::from("/run");
        }
    }
    plain
}

fn by_name(thread: u32, name: &[u8]) -> Verdict {
    let name = format!("@{}", String::from_utf8_lossy(name));
    let here = |known: &str| known == name;
    if bound("self", here) && !bound(&thread.to_string(), here) {
        Verdict::Refused(name.escape_debug().to_string())
    } else {
        Verdict::Unrecorded
    }
}

/// Does such a UNIX socket have a server, as this process sees it?
fn bound(process: &str, is_it: impl Fn(&str) -> bool) -> bool {
    let table = std::fs::read(format!("/proc/{process}/net/unix")).unwrap_or_default();
    let table = String::from_utf8_lossy(&table);
    table.lines().skip(1).filter_map(name_in).any(is_it)
}

/// The name in a line of the kernel's table, which comes after seven columns, spaces and all.
fn name_in(line: &str) -> Option<&str> {
    let mut rest = line;
    for _ in 0..7 {
        let (_, after) = rest.trim_start().split_once(' ')?;
        rest = after;
    }
    Some(rest)
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
            shared: Vec::new(),
        };
        let mut verdict = |text: &str| {
            let address = Address::Internet(text.parse().unwrap());
            judge.judge(thread, &address)
        };
        assert_eq!(verdict("127.0.0.1:3128"), Verdict::OwnServer(3128));
        assert_eq!(
            verdict(&format!("127.0.0.1:{port}")),
            Verdict::OwnServer(port)
        );
        drop(server);
        assert_eq!(
            verdict(&format!("0.0.0.0:{port}")),
            Verdict::OwnServer(port),
            "kept"
        );
        assert_eq!(verdict("[::1]:9"), Verdict::Unrecorded);
        assert_eq!(verdict("192.0.2.1:0"), Verdict::Unrecorded);
        let refused = |text: &str| Verdict::Refused(text.to_owned());
        assert_eq!(verdict("192.0.2.1:9"), refused("192.0.2.1:9"));
        assert_eq!(verdict("192.0.2.1:3128"), refused("192.0.2.1:3128"));
        let mut shared = Judge {
            loopback: Loopback::Machine,
            proxy: Some(3128),
            own: BTreeSet::from([port]),
            shared: Vec::new(),
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
        let away = |thread, path: &Path| by_path(thread, path, &[]);
        // We are inside and outside at once: what is there is there.
        for path in [path.as_path(), Path::new("/no/such"), Path::new("beside")] {
            assert_eq!(away(thread, path), Verdict::Unrecorded, "{path:?}");
        }
        // A process that there is not sees nothing.
        let refused = Verdict::Refused(path.display().to_string());
        assert_eq!(away(u32::MAX, &path), refused);
        let shared = [folder.path().to_owned()];
        assert_eq!(by_path(u32::MAX, &path, &shared), Verdict::Unrecorded);
        assert_eq!(by_name(u32::MAX, b"no such name"), Verdict::Unrecorded);
        // A roundabout text is the same place, even through what does not exist.
        let round = format!("/run/systemd/../..{}", path.display());
        assert_eq!(away(u32::MAX, Path::new(&round)), refused);
    }

    #[test]
    fn a_path_is_text_and_is_never_walked() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("socket");
        let _server = std::os::unix::net::UnixListener::bind(&path).unwrap();
        let link = folder.path().join("link");
        std::os::unix::fs::symlink(&path, &link).unwrap();
        // A walk would find the server behind the link; a text does not.
        assert_eq!(by_path(u32::MAX, &link, &[]), Verdict::Unrecorded);
        // And the table knows a server whose path is gone, which a walk would not.
        std::fs::remove_file(&path).unwrap();
        let refused = Verdict::Refused(path.display().to_string());
        assert_eq!(by_path(u32::MAX, &path, &[]), refused);
        let text = |path: &str| plain(Path::new(path)).display().to_string();
        assert_eq!(text("/var/run/./nscd//socket"), "/run/nscd/socket");
        assert_eq!(text("/../a/../b"), "/b");
        let own = std::process::id();
        let beside = std::env::current_dir().unwrap().join("x");
        assert_eq!(absolute(own, Path::new("y/../x")), Some(beside));
        let line = "0000000000000000: 00000002 00000000 00010000 0001 01 31337 /a b/@c";
        assert_eq!(name_in(line), Some("/a b/@c"));
        assert_eq!(name_in("0: 00000002 00000000 00010000 0001 01 31337"), None);
    }
}

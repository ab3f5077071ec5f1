//! This very test program, started inside, for what a shell cannot try. `TRY` says what.
#![allow(unsafe_code)]

use super::REACHED;
use std::io::{Error, Read, Write};
use std::net::TcpStream;
use std::os::linux::net::SocketAddrExt;
use std::os::unix::net::{SocketAddr, UnixStream};

/// Not a test: the attempts.
#[test]
#[ignore = "started by other tests"]
fn helper() {
    let Ok(order) = std::env::var("TRY") else {
        return;
    };
    let (what, argument) = order.split_once(' ').unwrap_or((&order, ""));
    match attempt(what, argument) {
        Ok(()) => println!("{REACHED} {what}"),
        Err(error) => println!("NO {what}: {error}"),
    }
}

fn attempt(what: &str, argument: &str) -> Result<(), Error> {
    match what {
        "tcp" => TcpStream::connect(argument).map(drop),
        "unix" => UnixStream::connect(argument).map(drop),
        "pair" => {
            let (one, _other) = std::os::unix::net::UnixDatagram::pair()?;
            one.send_to(b"out", argument).map(drop)
        }
        "abstract" => {
            let address = SocketAddr::from_abstract_name(argument)?;
            UnixStream::connect_addr(&address).map(drop)
        }
        "udp" => std::net::UdpSocket::bind(("127.0.0.1", 0)).map(drop),
        "datagram" => datagram(argument),
        "ports" => ports(argument),
        "child" => in_a_child(argument),
        "own_server" => own_server(),
        "netlink" => socket(libc::AF_NETLINK),
        "proxy" => ask(&format!(
            "GET http://{argument}/hello HTTP/1.1\r\nHost: h\r\n\r\n"
        )),
        "connect" => ask(&format!("CONNECT {argument} HTTP/1.1\r\n\r\n")),
        "ptrace" => ptrace(argument.parse().unwrap()),
        "vm_read" => vm_read(argument.parse().unwrap()),
        "mount" => mount(),
        "fork" => fork(argument.parse().unwrap()),
        "io_uring" => call(libc::SYS_io_uring_setup, [1, 0, 0]),
        "keyctl" => call(libc::SYS_keyctl, [0, -3, 0]),
        "bpf" => call(libc::SYS_bpf, [0, 0, 0]),
        "userfaultfd" => call(libc::SYS_userfaultfd, [0, 0, 0]),
        other => panic!("unknown: {other}"),
    }
}

/// Once on a connected socket and once, to the next port, with the address on the datagram itself.
fn datagram(target: &str) -> Result<(), Error> {
    let target: std::net::SocketAddr = target.parse().unwrap();
    let from = if target.is_ipv4() {
        "0.0.0.0:0"
    } else {
        "[::]:0"
    };
    let socket = std::net::UdpSocket::bind(from)?;
    let mut next = target;
    next.set_port(target.port() + 1);
    let sent = socket.send_to(b"x", next).map(drop);
    socket.connect(target).and(sent)
}

/// A hundred ports of one address, each twice.
fn ports(address: &str) -> Result<(), Error> {
    let mut last = Ok(());
    for port in (1..=100).chain(1..=100) {
        last = TcpStream::connect((address, port)).map(drop);
    }
    last
}

/// From a child of a child.
fn in_a_child(target: &str) -> Result<(), Error> {
    let inner = format!("TRY='tcp {target}' {}", std::env::var("HELPER").unwrap());
    let status = std::process::Command::new("sh")
        .args(["-c", &format!("sh -c \"{inner}\" & wait")])
        .status()?;
    println!("{status}");
    Err(Error::other("the child has said it"))
}

/// A server of its own, called too early and then in time, by all its names.
fn own_server() -> Result<(), Error> {
    let listener = std::net::TcpListener::bind(("127.0.0.1", 0))?;
    let port = listener.local_addr()?.port();
    drop(listener);
    assert!(TcpStream::connect(("127.0.0.1", port)).is_err());
    let listener = std::net::TcpListener::bind(("127.0.0.1", port))?;
    for name in ["127.0.0.1", "localhost", "0.0.0.0"] {
        drop(TcpStream::connect((name, port))?);
        listener.accept()?;
    }
    Ok(())
}

fn ask(request: &str) -> Result<(), Error> {
    let proxy = std::env::var("HTTPS_PROXY").map_err(Error::other)?;
    let mut stream = TcpStream::connect(proxy.trim_start_matches("http://"))?;
    stream.write_all(request.as_bytes())?;
    let mut answer = String::new();
    stream.read_to_string(&mut answer)?;
    println!("{answer}");
    // Not a way out by itself: the test looks at the answer.
    Err(Error::other("answered"))
}

fn result(value: libc::c_long) -> Result<(), Error> {
    if value < 0 {
        return Err(Error::last_os_error());
    }
    Ok(())
}

/// A call that the kernel may refuse for its arguments, but not for permission.
fn call(number: libc::c_long, arguments: [libc::c_long; 3]) -> Result<(), Error> {
    let [a, b, c] = arguments;
    // SAFETY: none of the calls above writes through these arguments: they are numbers or null.
    match result(unsafe { libc::syscall(number, a, b, c) }) {
        Err(error) if matches!(error.raw_os_error(), Some(libc::EFAULT | libc::EINVAL)) => Ok(()),
        other => other,
    }
}

fn socket(family: libc::c_int) -> Result<(), Error> {
    // SAFETY: plain numbers.
    result(unsafe { libc::socket(family, libc::SOCK_RAW, 0) }.into())
}

fn ptrace(pid: libc::pid_t) -> Result<(), Error> {
    let zero: libc::c_long = 0;
    // SAFETY: seizes without stopping; the end of this process lets go again.
    result(unsafe { libc::ptrace(libc::PTRACE_SEIZE, pid, zero, zero) })
}

fn vm_read(pid: libc::pid_t) -> Result<(), Error> {
    let mut byte = 0u8;
    let local = libc::iovec {
        iov_base: (&raw mut byte).cast(),
        iov_len: 1,
    };
    let remote = libc::iovec {
        iov_base: std::ptr::without_provenance_mut(4096),
        iov_len: 1,
    };
    // SAFETY: the local side is one live byte; the remote address is checked by the kernel.
    let read = unsafe { libc::process_vm_readv(pid, &raw const local, 1, &raw const remote, 1, 0) };
    match result(read as libc::c_long) {
        // Allowed; there is just nothing at that address.
        Err(error) if error.raw_os_error() == Some(libc::EFAULT) => Ok(()),
        other => other,
    }
}

/// Looks for the right to mount, and mounts nothing: the target does not exist.
fn mount() -> Result<(), Error> {
    let (kind, target) = (c"tmpfs".as_ptr(), c"/no/such/folder".as_ptr());
    // SAFETY: strings that live for ever, and no data.
    let done = unsafe { libc::mount(kind, target, kind, 0, std::ptr::null()) };
    match result(done.into()) {
        Err(error) if error.raw_os_error() == Some(libc::ENOENT) => Ok(()),
        other => other,
    }
}

/// Children that stay until this process has ended.
fn fork(wanted: usize) -> Result<(), Error> {
    let mut children = Vec::new();
    let mut failed = None;
    while children.len() < wanted && failed.is_none() {
        // SAFETY: the child only waits, without touching anything of ours.
        match unsafe { libc::fork() } {
            0 => loop {
                // SAFETY: waits for a signal.
                unsafe { libc::pause() };
            },
            -1 => failed = Some(Error::last_os_error()),
            pid => children.push(pid),
        }
    }
    println!("forked {}", children.len());
    for pid in children {
        // SAFETY: our own children, not waited for yet, so the numbers are theirs.
        unsafe {
            libc::kill(pid, libc::SIGKILL);
            libc::waitpid(pid, std::ptr::null_mut(), 0);
        }
    }
    failed.map_or(Ok(()), Err)
}

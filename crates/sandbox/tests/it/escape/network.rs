//! Talking to what it should not: sockets of every kind, and the proxy.

use super::{Cell, reached, skip};
use crate::text;
use sandbox::{Endpoint, Layer, Network, this_machine};
use std::io::{Read, Write};
use std::net::TcpListener;
use std::os::linux::net::SocketAddrExt;
use std::os::unix::net::{SocketAddr, UnixDatagram, UnixListener};

fn listener() -> (TcpListener, u16) {
    let listener = TcpListener::bind(("127.0.0.1", 0)).unwrap();
    let port = listener.local_addr().unwrap().port();
    (listener, port)
}

/// Every policy but the open one.
fn closed() -> [Network; 3] {
    let endpoints = vec![Endpoint::new("api.example", 443)];
    [
        Network::None,
        Network::Loopback,
        Network::Endpoints(endpoints),
    ]
}

#[test]
fn a_tcp_server_on_our_loopback_is_out_of_reach() {
    if this_machine().network.is_err() {
        return skip("a network namespace");
    }
    let cell = Cell::new();
    let (_listener, port) = listener();
    for network in closed() {
        cell.denies_by(&format!("TRY='tcp 127.0.0.1:{port}' $HELPER"), |policy| {
            policy.network = network;
        });
    }
    let ended = cell.confined_by(&format!("TRY='tcp 127.0.0.1:{port}' $HELPER"), |policy| {
        policy.network = Network::Full;
    });
    assert!(
        reached(&ended),
        "an open network is open: {}",
        text(&ended.output)
    );
}

#[test]
fn sockets_by_path_are_not_there() {
    let cell = Cell::new();
    let path = cell.outside.join("socket");
    let _listener = UnixListener::bind(&path).unwrap();
    for network in closed().into_iter().chain([Network::Full]) {
        if network != Network::None && this_machine().mount.is_err() {
            skip("a mount namespace");
            continue;
        }
        cell.denies_by("TRY=\"unix $OUT/socket\" $HELPER", |policy| {
            policy.network = network;
        });
    }
}

#[test]
fn without_a_network_a_pair_of_sockets_is_no_way_to_a_server_in_a_root() {
    let cell = Cell::new();
    let server = UnixDatagram::bind(cell.inside.join("socket")).unwrap();
    server.set_nonblocking(true).unwrap();
    let script = "TRY=\"pair $IN/socket\" $HELPER";
    let confined = cell.confined(script);
    assert!(!reached(&confined), "{}", text(&confined.output));
    assert!(server.recv(&mut [0; 9]).is_err(), "nothing came");
    cell.denies(script);
}

#[test]
fn abstract_sockets_are_out_of_reach() {
    if this_machine().landlock < 6 && this_machine().network.is_err() {
        return skip("Landlock 6 or a network namespace");
    }
    let cell = Cell::new();
    let name = format!("proofhouse-test-{}", std::process::id());
    let address = SocketAddr::from_abstract_name(&name).unwrap();
    let _listener = UnixListener::bind_addr(&address).unwrap();
    for network in closed().into_iter().chain([Network::Full]) {
        if network == Network::Full && this_machine().landlock < 6 {
            skip("Landlock 6");
            continue;
        }
        cell.denies_by(&format!("TRY='abstract {name}' $HELPER"), |policy| {
            policy.network = network;
        });
    }
}

#[test]
fn sockets_of_other_families_are_refused() {
    let cell = Cell::new();
    cell.denies_by("TRY=netlink $HELPER", |policy| {
        policy.network = Network::Full
    });
    cell.denies("TRY=udp $HELPER");
}

#[test]
fn the_proxy_lets_the_endpoint_through_and_reports_the_rest() {
    let cell = Cell::new();
    let (allowed, port) = listener();
    let (_other, forbidden) = listener();
    let serving = std::thread::spawn(move || {
        let (mut stream, _) = allowed.accept().unwrap();
        let mut head = Vec::new();
        while !head.ends_with(b"\r\n\r\n") {
            let mut byte = [0];
            stream.read_exact(&mut byte).unwrap();
            head.push(byte[0]);
        }
        let answer = "HTTP/1.1 200 OK\r\nConnection: close\r\n\r\nREACHED the model\n";
        stream.write_all(answer.as_bytes()).unwrap();
        String::from_utf8(head).unwrap()
    });
    let script = format!(
        "TRY='proxy 127.0.0.1:{forbidden}' $HELPER | grep -o 'HTTP.*'; \
         TRY='connect 127.0.0.1:{forbidden}' $HELPER | grep -o 'HTTP.*'; \
         TRY='tcp 127.0.0.1:{forbidden}' $HELPER | grep -o 'DIRECT.*'; \
         TRY='proxy 127.0.0.1:{port}' $HELPER"
    );
    let ended = cell.confined_by(&script, |policy| {
        policy.network = Network::Endpoints(vec![Endpoint::new("127.0.0.1", port)]);
    });
    let said = text(&ended.output);
    assert!(ended.enforced.contains(&Layer::Proxy), "{said}");
    assert!(said.contains("REACHED the model"), "{said}");
    assert_eq!(said.matches("HTTP/1.1 403 Forbidden").count(), 2, "{said}");
    assert!(
        serving
            .join()
            .unwrap()
            .starts_with("GET /hello HTTP/1.1\r\n")
    );
    let denied: Vec<_> = ended
        .denied
        .iter()
        .map(|one| (one.target.clone(), one.times))
        .collect();
    // Twice at the proxy, and once past it.
    let times = 2 + u32::from(this_machine().notices.is_ok());
    assert_eq!(denied, [(format!("127.0.0.1:{forbidden}"), times)]);
}

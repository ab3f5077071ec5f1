//! What goes past the proxy fails, and is on record: each attempt is made for real from inside.

use super::{Cell, reached, skip};
use crate::text;
use sandbox::{Ended, Endpoint, Network, this_machine};
use std::os::linux::net::SocketAddrExt;
use std::os::unix::net::{SocketAddr, UnixListener};

/// Addresses that nobody has: they are for documentation.
const FAR: &str = "192.0.2.7:443";
const FAR_V6: &str = "[2001:db8::7]:443";

fn endpoints() -> Network {
    Network::Endpoints(vec![Endpoint::new("api.example", 443)])
}

/// Both that have sockets and let nothing out.
fn held() -> [Network; 2] {
    [endpoints(), Network::Loopback]
}

fn blind() -> bool {
    let machine = this_machine();
    if machine.notices.is_err() || machine.network.is_err() {
        skip("seccomp notifications or a network namespace");
        return true;
    }
    false
}

fn tries(network: Network, script: &str) -> Ended {
    let ended = Cell::new().confined_by(script, |policy| policy.network = network);
    assert_eq!(ended.unrecorded, None);
    ended
}

fn denied(ended: &Ended) -> Vec<(&str, u32)> {
    let denied = ended.denied.iter();
    denied.map(|one| (one.target.as_str(), one.times)).collect()
}

#[test]
fn what_goes_past_the_proxy_is_recorded_by_address_and_port() {
    if blind() {
        return;
    }
    let server = std::net::TcpListener::bind(("127.0.0.1", 0)).unwrap();
    let near = server.local_addr().unwrap().to_string();
    for network in held() {
        for target in [near.as_str(), FAR, FAR_V6, "[::1]:1"] {
            let script = format!("TRY='tcp {target}' $HELPER; TRY='tcp {target}' $HELPER");
            let ended = tries(network.clone(), &script);
            assert!(!reached(&ended), "{}", text(&ended.output));
            assert_eq!(denied(&ended), [(target, 2)], "{}", text(&ended.output));
        }
    }
}

#[test]
fn a_datagram_is_recorded_however_its_address_was_given() {
    if blind() {
        return;
    }
    for network in held() {
        let script =
            "TRY='datagram 192.0.2.53:53' $HELPER; TRY='datagram [2001:db8::5]:53' $HELPER";
        let ended = tries(network, script);
        assert!(!reached(&ended), "{}", text(&ended.output));
        let expected = [
            ("192.0.2.53:54", 1),
            ("192.0.2.53:53", 1),
            ("[2001:db8::5]:54", 1),
            ("[2001:db8::5]:53", 1),
        ];
        assert_eq!(denied(&ended), expected, "{}", text(&ended.output));
    }
}

#[test]
fn children_are_seen_and_many_targets_have_an_end() {
    if blind() {
        return;
    }
    let ended = tries(endpoints(), &format!("TRY='child {FAR}' $HELPER"));
    assert_eq!(denied(&ended), [(FAR, 1)], "{}", text(&ended.output));
    let ended = tries(endpoints(), "TRY='ports 192.0.2.7' $HELPER");
    let list = denied(&ended);
    assert_eq!(list.len(), 65, "{}", text(&ended.output));
    assert_eq!(
        (list[0], list[63]),
        (("192.0.2.7:1", 2), ("192.0.2.7:64", 2))
    );
    assert_eq!(list[64], ("and more", 72));
}

#[test]
fn who_tries_nothing_has_an_empty_record() {
    if blind() {
        return;
    }
    let quiet = "ls -l / >/dev/null; id >/dev/null; getent passwd nobody; cat file";
    for network in held().into_iter().chain([Network::None, Network::Full]) {
        let ended = tries(network.clone(), quiet);
        assert!(ended.exited_with(0), "{}", text(&ended.output));
        assert_eq!(denied(&ended), [], "{network:?}");
    }
    for network in held() {
        let ended = tries(network, "TRY=own_server $HELPER");
        assert!(reached(&ended), "{}", text(&ended.output));
        assert_eq!(denied(&ended), [], "its own server is no refusal");
    }
}

#[test]
fn without_a_network_the_socket_itself_is_recorded() {
    if blind() {
        return;
    }
    let script =
        format!("TRY='tcp {FAR}' $HELPER; TRY='tcp {FAR_V6}' $HELPER; TRY=netlink $HELPER");
    let ended = tries(Network::None, &script);
    let said = text(&ended.output);
    assert!(!reached(&ended) && said.contains("not permitted"), "{said}");
    let expected = [("an IPv4 socket", 1), ("an IPv6 socket", 1)];
    assert_eq!(denied(&ended), expected, "{said}");
}

#[test]
fn a_unix_socket_is_recorded_if_somebody_serves_it_outside() {
    if blind() || this_machine().mount.is_err() {
        return skip("a mount namespace, among others");
    }
    let cell = Cell::new();
    let path = cell.outside.join("socket");
    let _by_path = UnixListener::bind(&path).unwrap();
    let name = format!("proofhouse-witness-{}", std::process::id());
    let address = SocketAddr::from_abstract_name(&name).unwrap();
    let _by_name = UnixListener::bind_addr(&address).unwrap();
    let script = format!(
        "TRY=\"unix $OUT/socket\" $HELPER; TRY='abstract {name}' $HELPER; \
         TRY='unix /run/no-such-socket' $HELPER; TRY='abstract no-such-name' $HELPER"
    );
    let ended = cell.confined_by(&script, |policy| policy.network = endpoints());
    assert!(!reached(&ended), "{}", text(&ended.output));
    let (path, name) = (path.display().to_string(), format!("@{name}"));
    let expected = [(path.as_str(), 1), (name.as_str(), 1)];
    assert_eq!(denied(&ended), expected, "{}", text(&ended.output));
}

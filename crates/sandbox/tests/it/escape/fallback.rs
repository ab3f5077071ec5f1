//! A machine without namespaces, which is what a sandbox is for whoever runs inside it: there
//! Landlock and seccomp hold alone, and say so. What they cannot hold is refused.

use super::{Cell, REACHED, reached, skip};
use crate::{run, sh, text};
use sandbox::{Endpoint, Launch, Layer, Network, Policy, this_machine};
use std::path::PathBuf;

/// Not a test: a Proofhouse inside a sandbox, which starts a script in another one.
#[test]
#[ignore = "started by another test"]
fn inner() {
    let Ok(script) = std::env::var("INNER_SCRIPT") else {
        return;
    };
    let place = |name: &str| PathBuf::from(std::env::var(name).unwrap());
    let (inside, exe) = (place("IN").join("work"), std::env::current_exe().unwrap());
    let mut launch: Launch = sh(&inside, &script);
    for name in ["IN", "HELPER", "ENGINE", "PORT"] {
        launch
            .env
            .insert(name.into(), std::env::var(name).unwrap_or_default());
    }
    let mut policy = Policy::confined([exe], [inside]);
    match std::env::var("INNER_NETWORK").unwrap_or_default().as_str() {
        "loopback" => policy.network = Network::Loopback,
        "endpoints" => {
            let endpoints = vec![Endpoint::new("api.example", 443)];
            policy.network = Network::Endpoints(endpoints);
        }
        _ => {}
    }
    launch.policy = Some(policy);
    match run(&launch) {
        Ok(ended) => {
            let names: Vec<String> = ended.enforced.iter().map(Layer::to_string).collect();
            println!("ENFORCED {}", names.join(" "));
            println!("{}", text(&ended.output));
            println!("DENIED {:?}", ended.denied);
            println!("UNRECORDED {:?}", ended.unrecorded);
        }
        Err(error) => println!("REFUSED [{}] {error}", error.code()),
    }
}

fn nested(cell: &Cell, network: &str, script: &str) -> sandbox::Ended {
    nested_in(Network::Full, cell, network, script)
}

fn nested_in(outer_network: Network, cell: &Cell, network: &str, script: &str) -> sandbox::Ended {
    std::fs::create_dir_all(cell.inside.join("work")).unwrap();
    std::fs::write(cell.inside.join("work/file"), "work\n").unwrap();
    let outer = "INNER_SCRIPT=\"$SCRIPT\" ${HELPER%escape::*}escape::fallback::inner";
    let mut launch = cell.launch(outer);
    launch.env.insert("SCRIPT".into(), script.into());
    launch.env.insert("INNER_NETWORK".into(), network.into());
    let mut policy = cell.policy();
    policy.network = outer_network;
    launch.policy = Some(policy);
    run(&launch).unwrap()
}

#[test]
fn landlock_and_seccomp_hold_alone() {
    if this_machine().landlock < 6 {
        return skip("Landlock 6");
    }
    let cell = Cell::new();
    let good = nested(
        &cell,
        "",
        &format!("cat file && echo x >new && echo {REACHED}"),
    );
    let said = text(&good.output);
    assert!(reached(&good), "{said}");
    assert!(
        said.contains("landlock_abi_") && said.contains("seccomp"),
        "{said}"
    );
    assert!(
        !said.contains("mount_namespace") && !said.contains("pid_namespace"),
        "{said}"
    );
    for bad in [
        "cat \"$IN/file\"",
        "echo x >>\"$IN/file\"",
        "ls \"$IN\"",
        "kill -0 $PPID",
        "cat /proc/$PPID/environ >/dev/null",
        "cd /proc/$PPID/root && ls >/dev/null",
    ] {
        let ended = nested(&cell, "", &format!("{bad} && echo {REACHED}"));
        let said = text(&ended.output);
        assert!(
            said.contains("ENFORCED") && !reached(&ended),
            "{bad}: {said}"
        );
    }
    // Without a root of its own every path is there, and so is every server's.
    let path = cell.inside.join("socket");
    let _server = std::os::unix::net::UnixDatagram::bind(&path).unwrap();
    let pair = format!("pair {}", path.display());
    for call in ["udp", "netlink", "tcp 127.0.0.1:1", &pair] {
        let ended = nested(&cell, "", &format!("TRY='{call}' $HELPER"));
        assert!(!reached(&ended), "{call}: {}", text(&ended.output));
    }
}

#[test]
fn the_proxy_works_by_landlock_alone() {
    if this_machine().landlock < 6 {
        return skip("Landlock 6");
    }
    let cell = Cell::new();
    let listener = std::net::TcpListener::bind(("127.0.0.1", 0)).unwrap();
    let port = listener.local_addr().unwrap().port();
    let script = format!(
        "TRY='tcp 127.0.0.1:{port}' $HELPER; TRY=udp $HELPER; \
         TRY='connect 127.0.0.1:{port}' $HELPER | grep -o 'HTTP.*'"
    );
    let ended = nested(&cell, "endpoints", &script);
    let said = text(&ended.output);
    assert!(!reached(&ended) && said.contains("proxy"), "{said}");
    assert!(said.contains("HTTP/1.1 403 Forbidden"), "{said}");
    // Once past the proxy, once at it.
    let times = 1 + u32::from(this_machine().notices.is_ok());
    let denied = format!("[Denied {{ target: \"127.0.0.1:{port}\", times: {times} }}]");
    assert!(said.contains(&format!("DENIED {denied}")), "{said}");
}

#[test]
fn where_somebody_watches_already_the_inner_one_says_that_it_cannot_know() {
    if this_machine().landlock < 6 || this_machine().notices.is_err() {
        return skip("Landlock 6 or seccomp notifications");
    }
    // The kernel has one witness for each process, and the outer sandbox is it.
    let cell = Cell::new();
    let script = "TRY='tcp 192.0.2.7:443' $HELPER";
    let ended = nested_in(Network::Loopback, &cell, "", script);
    let said = text(&ended.output);
    assert!(said.contains("ENFORCED") && !reached(&ended), "{said}");
    assert!(
        said.contains("UNRECORDED Some(\"no seccomp notif"),
        "{said}"
    );
    assert!(said.contains("NO tcp: Operation not permitted"), "{said}");
    assert_eq!(
        ended.denied,
        [],
        "the inner filter refused it before it was asked about"
    );
}

#[test]
fn what_cannot_be_held_is_refused_by_name() {
    let cell = Cell::new();
    let ended = nested(&cell, "loopback", &format!("echo {REACHED}"));
    let said = text(&ended.output);
    assert!(said.contains("REFUSED [sandbox_unavailable]"), "{said}");
    assert!(
        said.contains("network namespace") && !reached(&ended),
        "{said}"
    );
}

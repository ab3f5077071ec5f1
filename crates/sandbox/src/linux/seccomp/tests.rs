//! The filter, run by an interpreter of the same five instructions.

use super::*;

/// What the filter says of a call.
fn answer(filter: &[sock_filter], machine: u32, number: c_long, arguments: &[u64]) -> u32 {
    let (mut at, mut value) = (0, 0u32);
    loop {
        let instruction = filter[at];
        let k = instruction.k;
        let taken = match instruction.code {
            LOAD => {
                value = match k {
                    NUMBER => number as u32,
                    MACHINE => machine,
                    _ if k % 8 == 4 => (arguments[(k as usize - 16) / 8] >> 32) as u32,
                    _ => arguments[(k as usize - 16) / 8] as u32,
                };
                None
            }
            MASK => {
                value &= k;
                None
            }
            EQUAL => Some(value == k),
            AT_LEAST => Some(value >= k),
            ANY_BIT => Some(value & k != 0),
            RETURN => return k,
            other => panic!("unknown instruction {other}"),
        };
        at += 1 + match taken {
            Some(true) => usize::from(instruction.jt),
            Some(false) => usize::from(instruction.jf),
            None => 0,
        };
    }
}

fn says(route: Route, number: c_long, arguments: [i32; 3]) -> u32 {
    let arguments = arguments.map(|argument| u64::from(argument as u32));
    let unseen = filter(route, Witnessed::No);
    answer(&unseen, THIS_MACHINE, number, &arguments)
}

#[test]
fn every_filter_is_short_enough_for_the_kernel() {
    for route in [Route::Open, Route::Closed, Route::ProxyByLandlock] {
        assert!(filter(route, Witnessed::Yes).len() < 4096);
    }
}

#[test]
fn ways_out_are_refused_and_the_rest_is_not() {
    for number in NEVER {
        assert_eq!(says(Route::Open, *number, [0; 3]), REFUSED);
    }
    for number in [
        libc::SYS_read,
        libc::SYS_execve,
        libc::SYS_kill,
        libc::SYS_landlock_restrict_self,
    ] {
        assert_eq!(says(Route::Closed, number, [0; 3]), PERMITTED);
    }
    assert_eq!(says(Route::Open, libc::SYS_clone3, [0; 3]), UNKNOWN);
    // `mseal`, and what came after it: `setxattrat`, `open_tree_attr`, whatever comes next.
    assert_eq!(says(Route::Open, 462, [0; 3]), PERMITTED);
    for younger in [463, 467, 500, 0x3fff_ffff] {
        assert_eq!(says(Route::Open, younger, [0; 3]), UNKNOWN);
    }
    let thread = libc::CLONE_VM | libc::CLONE_THREAD | libc::SIGCHLD;
    assert_eq!(
        says(Route::Open, libc::SYS_clone, [thread, 0, 0]),
        PERMITTED
    );
    let user = libc::CLONE_NEWUSER | libc::SIGCHLD;
    assert_eq!(says(Route::Open, libc::SYS_clone, [user, 0, 0]), REFUSED);
    assert_eq!(
        says(Route::Open, libc::SYS_unshare, [libc::CLONE_FILES, 0, 0]),
        PERMITTED
    );
    assert_eq!(
        says(Route::Open, libc::SYS_unshare, [NEW_TIME as i32, 0, 0]),
        REFUSED
    );
}

#[test]
fn another_call_table_is_no_way_around() {
    let open = filter(Route::Open, Witnessed::No);
    assert_eq!(answer(&open, 0x4000_0003, libc::SYS_read, &[0; 3]), REFUSED);
    #[cfg(target_arch = "x86_64")]
    {
        let number = libc::SYS_read | c_long::from(X32);
        assert_eq!(answer(&open, THIS_MACHINE, number, &[0; 3]), REFUSED);
    }
}

#[test]
fn sockets_follow_the_route() {
    let socket = |route, family, kind, protocol| {
        says(route, libc::SYS_socket, [family, kind, protocol]) == PERMITTED
    };
    let (stream, datagram) = (libc::SOCK_STREAM | libc::SOCK_CLOEXEC, libc::SOCK_DGRAM);
    for route in [Route::Open, Route::OwnLoopback, Route::ProxyInNamespace] {
        assert!(socket(route, libc::AF_INET, datagram, 0));
        assert!(socket(route, libc::AF_UNIX, stream, 0));
        assert!(!socket(route, libc::AF_NETLINK, datagram, 0));
        assert!(!socket(route, libc::AF_VSOCK, stream, 0));
        assert!(!socket(route, libc::AF_ALG, stream, 0));
    }
    assert!(!socket(Route::Closed, libc::AF_UNIX, stream, 0));
    assert!(!socket(Route::Closed, libc::AF_INET, stream, 0));
    let through = Route::ProxyByLandlock;
    assert!(socket(through, libc::AF_INET6, stream, 0));
    assert!(socket(through, libc::AF_INET, stream, libc::IPPROTO_TCP));
    assert!(!socket(through, libc::AF_INET, stream, libc::IPPROTO_MPTCP));
    assert!(!socket(through, libc::AF_INET, datagram, 0));
    assert!(!socket(
        through,
        libc::AF_INET,
        libc::SOCK_RAW,
        libc::IPPROTO_TCP
    ));
    assert!(!socket(through, libc::AF_UNIX, stream, 0));
    let pair = |route, kind| says(route, libc::SYS_socketpair, [libc::AF_UNIX, kind, 0]);
    for route in [Route::Closed, through] {
        for kind in [libc::SOCK_STREAM, libc::SOCK_SEQPACKET] {
            assert_eq!(pair(route, kind | libc::SOCK_CLOEXEC), PERMITTED);
        }
        // The kernel takes raw ones for datagrams.
        for kind in [libc::SOCK_DGRAM, libc::SOCK_RAW] {
            assert_eq!(pair(route, kind | libc::SOCK_NONBLOCK), REFUSED);
        }
        assert_eq!(pair(Route::OwnLoopback, libc::SOCK_DGRAM), PERMITTED);
        assert_eq!(
            says(route, libc::SYS_socketpair, [libc::AF_UNIX, 1, 0]),
            PERMITTED
        );
        assert_eq!(
            says(route, libc::SYS_socketpair, [libc::AF_INET, 1, 0]),
            REFUSED
        );
    }
}

#[test]
fn a_witness_is_asked_about_addresses_and_about_nothing_else() {
    let routes = [
        Route::Closed,
        Route::OwnLoopback,
        Route::ProxyInNamespace,
        Route::ProxyByLandlock,
    ];
    let datagram = |address: u64| [3, 0, 0, 0, address, 16];
    for route in routes {
        let seen = filter(route, Witnessed::Yes);
        let says = |number, arguments: &[u64]| answer(&seen, THIS_MACHINE, number, arguments);
        assert_eq!(says(libc::SYS_connect, &[3, 8, 16]), ASKED);
        assert_eq!(says(libc::SYS_sendto, &datagram(0)), PERMITTED);
        assert_eq!(says(libc::SYS_sendto, &datagram(16)), ASKED);
        assert_eq!(says(libc::SYS_sendto, &datagram(1 << 32)), ASKED);
        for number in [libc::SYS_sendmsg, libc::SYS_write, libc::SYS_bind] {
            assert_eq!(says(number, &[0; 6]), PERMITTED);
        }
        for number in NEVER {
            assert_eq!(says(*number, &[0; 6]), REFUSED);
        }
        let family = |family: libc::c_int| says(libc::SYS_socket, &[family as u64, 1, 0]);
        let (none, internet) = (route == Route::Closed, [libc::AF_INET, libc::AF_INET6]);
        for one in internet {
            assert_eq!(family(one), if none { ASKED } else { PERMITTED });
        }
        let datagrams = |family: libc::c_int| says(libc::SYS_socket, &[family as u64, 2, 0]);
        let none = none || route == Route::ProxyByLandlock;
        for one in internet {
            assert_eq!(datagrams(one), if none { ASKED } else { PERMITTED });
        }
        let local = if none { REFUSED } else { PERMITTED };
        assert_eq!(datagrams(libc::AF_UNIX), local);
        assert_eq!(family(libc::AF_NETLINK), REFUSED);
    }
}

#[test]
fn a_message_opens_no_connection_by_itself() {
    let fast = libc::MSG_FASTOPEN as u64 | libc::MSG_NOSIGNAL as u64;
    let calls = [
        (libc::SYS_sendto, [3, 8, 1, fast, 16, 16]),
        (libc::SYS_sendmsg, [3, 8, fast, 0, 0, 0]),
        (libc::SYS_sendmmsg, [3, 8, 1, fast, 0, 0]),
    ];
    for (number, arguments) in calls {
        for witnessed in [Witnessed::Yes, Witnessed::No] {
            for route in [
                Route::Closed,
                Route::OwnLoopback,
                Route::ProxyInNamespace,
                Route::ProxyByLandlock,
            ] {
                let filter = filter(route, witnessed);
                let said = answer(&filter, THIS_MACHINE, number, &arguments);
                assert_eq!(said, REFUSED, "{number} {route:?} {witnessed:?}");
                let plain = arguments.map(|one| if one == fast { 0 } else { one });
                let said = answer(&filter, THIS_MACHINE, number, &plain);
                assert_ne!(said, REFUSED, "{number} {route:?} {witnessed:?}");
            }
        }
        let open = filter(Route::Open, Witnessed::No);
        assert_eq!(answer(&open, THIS_MACHINE, number, &arguments), PERMITTED);
    }
}

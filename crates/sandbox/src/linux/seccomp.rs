//! The system calls that lead out of a sandbox, as a filter for the kernel. The answer is an error
//! number and never a kill: a program may try, and must be told no.
//!
//! Assembled by hand: the whole language needed is load, compare, mask and return.

use crate::plan::Route;
use libc::{c_long, sock_filter};

const LOAD: u16 = (libc::BPF_LD | libc::BPF_W | libc::BPF_ABS) as u16;
const EQUAL: u16 = (libc::BPF_JMP | libc::BPF_JEQ | libc::BPF_K) as u16;
const AT_LEAST: u16 = (libc::BPF_JMP | libc::BPF_JGE | libc::BPF_K) as u16;
const ANY_BIT: u16 = (libc::BPF_JMP | libc::BPF_JSET | libc::BPF_K) as u16;
const MASK: u16 = (libc::BPF_ALU | libc::BPF_AND | libc::BPF_K) as u16;
const RETURN: u16 = (libc::BPF_RET | libc::BPF_K) as u16;

// Offsets in `seccomp_data`; of an argument, the low half on a little-endian machine.
const NUMBER: u32 = 0;
const MACHINE: u32 = 4;
const fn argument(index: u32) -> u32 {
    16 + 8 * index
}
const fn upper_half(index: u32) -> u32 {
    argument(index) + 4
}

#[cfg(target_arch = "x86_64")]
const THIS_MACHINE: u32 = 0xc000_003e;
#[cfg(target_arch = "aarch64")]
const THIS_MACHINE: u32 = 0xc000_00b7;

/// The second call table of x86-64, with its own numbers for everything.
#[cfg(target_arch = "x86_64")]
const X32: u32 = 0x4000_0000;

/// The newest call that this filter was written for (`mseal`). Younger ones do what older ones do by
/// other arguments (`open_tree_attr` is `open_tree`), so a list of what is refused cannot hold them.
const NEWEST: u32 = 462;

const PERMITTED: u32 = libc::SECCOMP_RET_ALLOW;
const REFUSED: u32 = libc::SECCOMP_RET_ERRNO | libc::EPERM as u32;
/// As on a kernel that lacks the call: callers fall back to what the filter can look into.
const UNKNOWN: u32 = libc::SECCOMP_RET_ERRNO | libc::ENOSYS as u32;
/// The caller waits until the witness has answered.
const ASKED: u32 = libc::SECCOMP_RET_USER_NOTIF;

/// New namespaces of any kind. In `clone`, the time namespace's bit means something else.
const NEW: u32 = (libc::CLONE_NEWNS
    | libc::CLONE_NEWCGROUP
    | libc::CLONE_NEWUTS
    | libc::CLONE_NEWIPC
    | libc::CLONE_NEWUSER
    | libc::CLONE_NEWPID
    | libc::CLONE_NEWNET) as u32;
const NEW_TIME: u32 = 0x80;

/// Never, whatever the arguments.
const NEVER: &[c_long] = &[
    // The tree of files.
    libc::SYS_mount,
    libc::SYS_umount2,
    libc::SYS_pivot_root,
    libc::SYS_chroot,
    libc::SYS_open_tree,
    libc::SYS_move_mount,
    libc::SYS_fsopen,
    libc::SYS_fsconfig,
    libc::SYS_fsmount,
    libc::SYS_fspick,
    libc::SYS_mount_setattr,
    libc::SYS_open_by_handle_at,
    libc::SYS_fanotify_init,
    libc::SYS_quotactl,
    libc::SYS_swapon,
    libc::SYS_swapoff,
    libc::SYS_acct,
    // Other processes.
    libc::SYS_setns,
    libc::SYS_ptrace,
    libc::SYS_process_vm_readv,
    libc::SYS_process_vm_writev,
    libc::SYS_process_madvise,
    libc::SYS_pidfd_getfd,
    libc::SYS_kcmp,
    // The kernel itself, and the parts of it where most holes were found.
    libc::SYS_kexec_load,
    libc::SYS_kexec_file_load,
    libc::SYS_init_module,
    libc::SYS_finit_module,
    libc::SYS_delete_module,
    libc::SYS_reboot,
    libc::SYS_syslog,
    libc::SYS_bpf,
    libc::SYS_perf_event_open,
    libc::SYS_userfaultfd,
    libc::SYS_io_uring_setup,
    libc::SYS_io_uring_enter,
    libc::SYS_io_uring_register,
    libc::SYS_keyctl,
    libc::SYS_add_key,
    libc::SYS_request_key,
    // The machine's clock and name.
    libc::SYS_settimeofday,
    libc::SYS_clock_settime,
    libc::SYS_clock_adjtime,
    libc::SYS_adjtimex,
    libc::SYS_sethostname,
    libc::SYS_setdomainname,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_iopl,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_ioperm,
];

/// Is there somebody who is asked about attempts to connect?
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Witnessed {
    Yes,
    No,
}

/// The filter for a way of holding the network.
pub(crate) fn filter(route: Route, witnessed: Witnessed) -> Vec<sock_filter> {
    let mut code = vec![
        load(MACHINE),
        jump(EQUAL, THIS_MACHINE, 1, 0),
        give(REFUSED),
        load(NUMBER),
    ];
    #[cfg(target_arch = "x86_64")]
    code.extend([jump(AT_LEAST, X32, 0, 1), give(REFUSED)]);
    code.extend([jump(AT_LEAST, NEWEST + 1, 0, 1), give(UNKNOWN)]);
    for number in NEVER {
        code.extend([jump(EQUAL, *number as u32, 0, 1), give(REFUSED)]);
    }
    code.extend([jump(EQUAL, libc::SYS_clone3 as u32, 0, 1), give(UNKNOWN)]);
    when(&mut code, libc::SYS_clone, &unless_any_bit(NEW));
    when(
        &mut code,
        libc::SYS_unshare,
        &unless_any_bit(NEW | NEW_TIME),
    );
    let mut pair = match route {
        Route::Closed | Route::ProxyByLandlock => no_datagrams(),
        Route::Open | Route::OwnLoopback | Route::ProxyInNamespace => Vec::new(),
    };
    pair.extend(only(&[libc::AF_UNIX]));
    when(&mut code, libc::SYS_socketpair, &pair);
    match route {
        Route::Closed => {
            when(&mut code, libc::SYS_socket, &refused_socket(witnessed));
        }
        Route::Open | Route::OwnLoopback | Route::ProxyInNamespace => {
            let families = [libc::AF_UNIX, libc::AF_INET, libc::AF_INET6];
            when(&mut code, libc::SYS_socket, &only(&families));
        }
        Route::ProxyByLandlock => {
            // Landlock looks at TCP alone, so there is only TCP, and no socket by path.
            let families = only(&[libc::AF_INET, libc::AF_INET6]);
            let past = families.len() as u8;
            let mut check = vec![
                load(argument(2)),
                // The protocol 0 is the type's own, which the next lines pin to TCP.
                jump(EQUAL, 0, 1, 0),
                jump(EQUAL, libc::IPPROTO_TCP as u32, 0, 3 + past),
                load(argument(1)),
                sock(MASK, 0xf),
                jump(EQUAL, libc::SOCK_STREAM as u32, 0, past),
            ];
            check.extend(families);
            check.extend(refused_socket(witnessed));
            when(&mut code, libc::SYS_socket, &check);
        }
    }
    if witnessed == Witnessed::Yes {
        when(&mut code, libc::SYS_connect, &[give(ASKED)]);
    }
    if route != Route::Open {
        let mut to = no_fast_open(3);
        match witnessed {
            Witnessed::Yes => to.extend(with_an_address()),
            Witnessed::No => to.push(give(PERMITTED)),
        }
        when(&mut code, libc::SYS_sendto, &to);
        for (number, flags) in [(libc::SYS_sendmsg, 2), (libc::SYS_sendmmsg, 3)] {
            let mut message = no_fast_open(flags);
            message.push(give(PERMITTED));
            when(&mut code, number, &message);
        }
    }
    code.push(give(PERMITTED));
    code
}

/// A check that ends in an answer, for one call.
fn when(code: &mut Vec<sock_filter>, number: c_long, check: &[sock_filter]) {
    let over = u8::try_from(check.len()).unwrap_or(u8::MAX);
    code.push(jump(EQUAL, number as u32, 0, over));
    code.extend_from_slice(check);
}

fn unless_any_bit(bits: u32) -> Vec<sock_filter> {
    vec![
        load(argument(0)),
        jump(ANY_BIT, bits, 0, 1),
        give(REFUSED),
        give(PERMITTED),
    ]
}

/// One end of a pair for datagrams can be turned to any server by its path, as if it had been made
/// by `socket`. Ends of the other kinds stay with each other.
fn no_datagrams() -> Vec<sock_filter> {
    vec![
        load(argument(1)),
        sock(MASK, 0xf),
        jump(EQUAL, libc::SOCK_STREAM as u32, 2, 0),
        jump(EQUAL, libc::SOCK_SEQPACKET as u32, 1, 0),
        give(REFUSED),
    ]
}

/// A socket that there must not be. Refused all the same if somebody is asked about it: by the
/// witness, or with ENOSYS if there is none any more.
fn refused_socket(witnessed: Witnessed) -> Vec<sock_filter> {
    let mut check = Vec::new();
    if witnessed == Witnessed::Yes {
        check.push(load(argument(0)));
        for family in [libc::AF_INET, libc::AF_INET6] {
            check.extend([jump(EQUAL, family as u32, 0, 1), give(ASKED)]);
        }
    }
    check.push(give(REFUSED));
    check
}

/// A message that opens its own connection does so behind the back of Landlock, which looks at
/// `connect` and `bind` alone. Whoever is refused it connects first, as on most machines.
fn no_fast_open(flags: u32) -> Vec<sock_filter> {
    vec![
        load(argument(flags)),
        jump(ANY_BIT, libc::MSG_FASTOPEN as u32, 0, 1),
        give(REFUSED),
    ]
}

/// `sendto` on a connection has none, and is too frequent to ask about. `sendmsg` hides its address
/// behind a pointer, so every one of them would have to wait: it is not asked about.
fn with_an_address() -> Vec<sock_filter> {
    vec![
        load(argument(4)),
        jump(EQUAL, 0, 0, 2),
        load(upper_half(4)),
        jump(EQUAL, 0, 1, 0),
        give(ASKED),
        give(PERMITTED),
    ]
}

fn only(values: &[libc::c_int]) -> Vec<sock_filter> {
    let mut check = vec![load(argument(0))];
    for value in values {
        check.extend([jump(EQUAL, *value as u32, 0, 1), give(PERMITTED)]);
    }
    check.push(give(REFUSED));
    check
}

fn load(offset: u32) -> sock_filter {
    sock(LOAD, offset)
}

fn give(answer: u32) -> sock_filter {
    sock(RETURN, answer)
}

fn sock(code: u16, k: u32) -> sock_filter {
    sock_filter {
        code,
        jt: 0,
        jf: 0,
        k,
    }
}

fn jump(code: u16, k: u32, jt: u8, jf: u8) -> sock_filter {
    sock_filter { code, jt, jf, k }
}

#[cfg(test)]
mod tests;

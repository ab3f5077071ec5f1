//! What this machine can enforce, each mechanism tried for real, once per process. Nothing is
//! guessed from a version, with one exception that is explained.

use super::counting::{Tried, by_pid, by_user};
use super::landlock::{Access, Rules, Shape, Tcp};
use super::mounts::Mounts;
use super::seccomp::{self, Witnessed};
use super::signals::{self, Wait};
use super::sys::{self, Answer, Forked};
use super::trial::{Own, as_first, attempt};
use super::{network, roots, witness};
use crate::machine::{Counting, Lacking, Machine, Through};
use crate::plan::Route;
use crate::{Capability, CapabilityState, Policy};
use std::io::{Error, Result};
use std::os::fd::{AsFd, AsRawFd, BorrowedFd};
use std::path::PathBuf;
use std::sync::OnceLock;

/// The facts about this machine.
pub(crate) fn machine() -> &'static Machine {
    static MACHINE: OnceLock<Machine> = OnceLock::new();
    MACHINE.get_or_init(try_all)
}

fn try_all() -> Machine {
    let own = Own::new();
    let namespaces = match attempt(|| sys::unshare(libc::CLONE_NEWPID)) {
        Ok(()) => Ok(Through::Privilege),
        Err(_) => attempt(|| own.enter().and_then(|()| sys::unshare(libc::CLONE_NEWPID)))
            .map(|()| Through::User),
    };
    let within = |body: &mut dyn FnMut() -> Result<()>| match &namespaces {
        Ok(through) => attempt(|| as_first(*through, &own, body)),
        Err(why) => Err(why.clone()),
    };
    let pid = within(
        &mut || match rustix::process::getpid().as_raw_nonzero().get() {
            1 => Ok(()),
            _ => Err(Error::from_raw_os_error(libc::ENOTSUP)),
        },
    );
    let network = within(&mut || {
        sys::unshare(libc::CLONE_NEWNET)?;
        network::loopback_up()
    });
    let nothing: [PathBuf; 0] = [];
    let entries = roots::entries(&Policy::confined(nothing.clone(), nothing)).unwrap_or_default();
    let mut mounts = Mounts::prepare(&entries, 1 << 20, None);
    let mount = within(&mut || {
        sys::unshare(libc::CLONE_NEWNS | libc::CLONE_NEWIPC | libc::CLONE_NEWUTS)?;
        mounts.enter().map_err(|(_, error)| error)
    });
    let filter = seccomp::filter(Route::Closed, Witnessed::No);
    let seccomp = attempt(|| {
        sys::prctl(libc::PR_SET_NO_NEW_PRIVS, 1)?;
        sys::seccomp(&filter)
    });
    let asking = seccomp::filter(Route::OwnLoopback, Witnessed::Yes);
    let notices = attempt(|| witnessed(&asking));
    // Exact where it holds; else by number, which is a little more generous.
    let processes = by_user(&namespaces, &own).or_else(|why| {
        let counted = by_pid(&mount, &mut |most| {
            let mut mounts = Mounts::prepare(&entries, 1 << 20, None);
            mounts.bound_processes(most);
            within(&mut || {
                sys::unshare(libc::CLONE_NEWNS)?;
                mounts.enter().map_err(|(_, error)| error)
            })
        });
        counted.map_err(|other| Lacking::Both(Box::new(why), Box::new(other)))
    });
    Machine {
        landlock: landlock(),
        seccomp,
        notices,
        namespaces,
        mount,
        pid,
        network,
        processes,
    }
}

/// What the child of the trial asks about: we must be able to read it in the child's memory.
static ASKED_ABOUT: [u8; 16] = *b"where to, please";

fn lacking() -> Error {
    Error::from_raw_os_error(libc::ENOTSUP)
}

/// A child that asks, and an answer that lets it go on, in a trial.
fn witnessed(filter: &[libc::sock_filter]) -> Result<()> {
    sys::prctl(libc::PR_SET_NO_NEW_PRIVS, 1)?;
    let notices = sys::seccomp_with_notices(filter)?;
    let notices = notices.as_fd();
    match sys::fork()? {
        Forked::Child => {
            // Else the child itself would keep its question open after our end.
            sys::close(notices.as_raw_fd());
            // Answered by the kernel itself: there is no such file.
            match sys::connect_nowhere(&ASKED_ABOUT).raw_os_error() {
                Some(libc::EBADF) => sys::exit(0),
                _ => sys::exit(1),
            }
        }
        Forked::Parent(child) => {
            let heard = hear(notices);
            if heard.is_err() {
                signals::kill(child);
            }
            let gone = signals::reap(child, Wait::UntilOneEnds);
            heard?;
            match gone {
                Some(gone) if gone.status == 0 => Ok(()),
                _ => Err(lacking()),
            }
        }
    }
}

/// One notice, and a look at what it is about: where memory cannot be read, nothing is known.
fn hear(notices: BorrowedFd<'_>) -> Result<()> {
    /// Far longer than a fork takes; without a notice we must not wait for ever.
    const MILLIS: libc::c_int = 5000;
    if !sys::readable_within(notices, MILLIS) {
        return Err(lacking());
    }
    let notice = loop {
        match sys::next_notice(notices) {
            Err(error) if error.raw_os_error() == Some(libc::EINTR) => {}
            other => break other?,
        }
    };
    let mut bytes = [0; ASKED_ABOUT.len()];
    let read = witness::memory(notice.thread, notice.arguments[1], &mut bytes)?;
    if bytes[..read] != ASKED_ABOUT {
        return Err(lacking());
    }
    sys::answer(notices, &notice, Answer::GoOn)
}

/// A ruleset that is made and put in force, in a trial.
fn landlock() -> u32 {
    let abi = sys::landlock_version();
    if abi == 0 {
        return 0;
    }
    let mut rules = Rules::new(abi, Tcp::Unheld);
    rules.allow(c"/usr".into(), Access::Read, Shape::Folder);
    let tried = attempt(|| {
        sys::prctl(libc::PR_SET_NO_NEW_PRIVS, 1)?;
        rules.enter()
    });
    tried.map_or(0, |()| abi)
}

/// The facts, for people.
pub(crate) fn capabilities() -> Vec<Capability> {
    let machine = machine();
    let by = |name, result: &Tried, fine: &str, instead: CapabilityState| match result {
        Ok(()) => Capability {
            name,
            state: CapabilityState::Ok,
            detail: fine.into(),
        },
        Err(why) => Capability {
            name,
            state: instead,
            detail: format!("{why}; proofhouse's docs/sandbox.md says what this costs"),
        },
    };
    // One of the two must hold files, or no policy can be enforced.
    let held = machine.mount.is_ok() || machine.landlock >= 3;
    let spare = if held {
        CapabilityState::Note
    } else {
        CapabilityState::Missing
    };
    let landlock = match machine.landlock {
        0 => Err(Lacking::Because("the kernel has none, or it is turned off")),
        _ => Ok(()),
    };
    let user = match &machine.namespaces {
        Ok(_) => Ok(()),
        Err(why) => Err(why.clone()),
    };
    let user_detail = match machine.namespaces {
        Ok(Through::Privilege) => "not needed: this process may make namespaces without one",
        _ => "namespaces work through it",
    };
    let processes = machine.processes.clone();
    vec![
        by(
            "landlock",
            &landlock,
            &format!("ABI {}", machine.landlock),
            spare,
        ),
        by(
            "seccomp",
            &machine.seccomp,
            "filters work",
            CapabilityState::Missing,
        ),
        by("user ns", &user, user_detail, CapabilityState::Note),
        by(
            "mount ns",
            &machine.mount,
            "a root with only the allowed folders",
            spare,
        ),
        by(
            "pid ns",
            &machine.pid,
            "the whole tree ends with its first process",
            CapabilityState::Note,
        ),
        by(
            "net ns",
            &machine.network,
            "no network, or the proxy alone",
            CapabilityState::Note,
        ),
        recorded(&machine.notices),
        Capability {
            name: "process limit",
            state: if processes.is_ok() {
                CapabilityState::Ok
            } else {
                CapabilityState::Note
            },
            detail: match processes {
                Ok(Counting::PidNamespace) => "by the PID namespace (limit + 300)".into(),
                Ok(Counting::UserNamespace) => "by the user namespace".into(),
                Err(why) => why.to_string(),
            },
        },
        cgroup(),
        by(
            "rlimits",
            &attempt(|| sys::limit_at_most(libc::RLIMIT_CORE as libc::c_int, 0)),
            "CPU, address space, file size, core",
            CapabilityState::Missing,
        ),
    ]
}

/// Not a layer: it holds nothing, and a machine without it refuses no policy.
fn recorded(notices: &Tried) -> Capability {
    let (state, detail) = match notices {
        Ok(()) => (
            CapabilityState::Ok,
            "refused connections are recorded: yes".to_owned(),
        ),
        Err(why) => (
            CapabilityState::Note,
            format!(
                "refused connections are recorded: no, only those that our proxy refuses \
                 (seccomp notifications: {why})"
            ),
        ),
    };
    Capability {
        name: "connections",
        state,
        detail,
    }
}

/// Looked at and not used: the mechanisms above hold the same limits without a delegated group.
fn cgroup() -> Capability {
    let controllers = std::fs::read_to_string("/sys/fs/cgroup/cgroup.controllers");
    let detail = match controllers {
        Ok(names) if names.split_whitespace().any(|name| name == "pids") => {
            format!(
                "there ({}); not used: other mechanisms hold the limits",
                names.trim()
            )
        }
        Ok(_) => "there without the pids controller; not needed".into(),
        Err(_) => "not mounted at /sys/fs/cgroup; not needed".into(),
    };
    Capability {
        name: "cgroup v2",
        state: CapabilityState::Note,
        detail,
    }
}

//! The way from a forked copy of us to the program, step by step. Everything was prepared before the
//! fork; here are only system calls, no allocation. A step that fails is the last.
//!
//! With a PID namespace there are three processes. The outer one is the child that we see: it dies
//! with us and takes the rest with it. The first one inside reaps, passes a TERM on to all and ends
//! the namespace when the program has ended. The program itself is the third.

use super::landlock::Rules;
use super::mounts::Mounts;
use super::network;
use super::report::{self, Step};
use super::signals::{self, Wait};
use super::sys::{self, Forked};
use crate::machine::Through;
use std::ffi::CString;
use std::io::{Error, Result};
use std::os::fd::{AsRawFd, OwnedFd, RawFd};

/// What becomes of the network inside.
#[derive(Debug)]
pub(crate) enum Net {
    /// It is the outside's.
    Shared,
    /// Nothing in it is up.
    Empty,
    Loopback,
    /// A loopback, and the proxy's port handed out here.
    Proxied(OwnedFd),
}

/// A confinement, ready to be entered.
#[derive(Debug)]
pub(crate) struct Inside {
    pub(crate) report: OwnedFd,
    /// None: no namespaces at all.
    pub(crate) through: Option<Through>,
    pub(crate) uid_map: Vec<u8>,
    pub(crate) gid_map: Vec<u8>,
    /// None: the outside's files.
    pub(crate) mounts: Option<Mounts>,
    pub(crate) net: Net,
    pub(crate) dir: CString,
    pub(crate) limits: Vec<(libc::c_int, u64)>,
    pub(crate) capabilities: u64,
    pub(crate) landlock: Option<Rules>,
    pub(crate) seccomp: Option<Vec<libc::sock_filter>>,
    /// The filter that asks a witness, and where its notices go.
    pub(crate) witnessed: Option<(Vec<libc::sock_filter>, OwnedFd)>,
}

impl Inside {
    /// Returns in the process that is to become the program.
    pub(crate) fn enter(&mut self) -> Result<()> {
        if let Some(through) = self.through {
            self.namespaces(through)?;
        }
        self.last_steps()
    }

    fn fail(&self, step: Step) -> impl Fn(Error) -> Error + use<> {
        let pipe = self.report.as_raw_fd();
        move |error| report::failed(pipe, step, 0, error)
    }

    fn namespaces(&mut self, through: Through) -> Result<()> {
        if through == Through::User {
            self.own_user().map_err(self.fail(Step::UserNamespace))?;
        }
        signals::block_all();
        let pid_step = self.fail(Step::PidNamespace);
        sys::unshare(libc::CLONE_NEWPID).map_err(&pid_step)?;
        // The outer process keeps the writing end and never writes: its end is the outer's end.
        let [alive, outer] = sys::pipe().map_err(&pid_step)?;
        match sys::fork().map_err(&pid_step)? {
            Forked::Parent(first) => {
                sys::close_all_but([outer, -1]);
                signals::reap(first, Wait::UntilOneEnds);
                sys::exit(0)
            }
            Forked::Child => sys::close(outer),
        }
        die_with_parent().map_err(&pid_step)?;
        if !sys::has_writer(alive) {
            sys::exit(1);
        }
        // What is in our memory is not for those inside, who can see this process in /proc.
        sys::prctl(libc::PR_SET_DUMPABLE, 0).map_err(&pid_step)?;
        self.first()?;
        match sys::fork().map_err(&pid_step)? {
            Forked::Parent(program) => self.hold(program, alive),
            Forked::Child => {}
        }
        sys::close(alive);
        // A signal to our group must not reach the program twice: the first process passes it on.
        signals::own_session().map_err(self.fail(Step::Session))?;
        signals::block_none();
        Ok(())
    }

    /// A user namespace in which we are who we are outside, and may make the other namespaces.
    fn own_user(&self) -> Result<()> {
        sys::unshare(libc::CLONE_NEWUSER)?;
        // Kernels without the file do not need it.
        let _ = sys::write_file(c"/proc/self/setgroups", b"deny");
        sys::write_file(c"/proc/self/uid_map", &self.uid_map)?;
        sys::write_file(c"/proc/self/gid_map", &self.gid_map)?;
        // Changing who one is clears it.
        die_with_parent()
    }

    /// What the first process inside prepares for all.
    fn first(&mut self) -> Result<()> {
        let mut flags = libc::CLONE_NEWIPC | libc::CLONE_NEWUTS;
        if self.mounts.is_some() {
            flags |= libc::CLONE_NEWNS;
        }
        if !matches!(self.net, Net::Shared) {
            flags |= libc::CLONE_NEWNET;
        }
        sys::unshare(flags).map_err(self.fail(Step::Namespaces))?;
        match &self.net {
            Net::Shared | Net::Empty => {}
            Net::Loopback => network::loopback_up().map_err(self.fail(Step::Loopback))?,
            Net::Proxied(to) => network::loopback_up()
                .and_then(|()| network::hand_out_listener(to.as_raw_fd()))
                .map_err(self.fail(Step::Loopback))?,
        }
        let pipe = self.report.as_raw_fd();
        if let Some(mounts) = &mut self.mounts {
            mounts
                .enter()
                .map_err(|(index, error)| report::failed(pipe, Step::Mount, index, error))?;
            sys::chdir(&self.dir).map_err(self.fail(Step::Directory))?;
        }
        Ok(())
    }

    /// The first process: until the program has ended, and not longer.
    fn hold(&self, program: libc::pid_t, alive: RawFd) -> ! {
        let pipe = self.report.as_raw_fd();
        sys::close_all_but([pipe, alive]);
        let status = loop {
            if signals::next() == libc::SIGTERM {
                signals::signal_all(libc::SIGTERM);
            }
            let mut ended = None;
            while let Some(gone) = signals::reap(-1, Wait::Not) {
                if gone.pid == program {
                    ended = Some(gone.status);
                }
            }
            if let Some(status) = ended {
                break status;
            }
        };
        // All that is left was left alive: the dead were reaped above.
        signals::signal_all(libc::SIGKILL);
        let mut left = 0;
        while signals::reap(-1, Wait::UntilOneEnds).is_some() {
            left += 1;
        }
        report::ended(pipe, status, left);
        sys::exit(0)
    }

    /// What the program's own process gives up, from the widest to the narrowest.
    fn last_steps(&self) -> Result<()> {
        for (resource, value) in &self.limits {
            sys::limit_at_most(*resource, *value).map_err(self.fail(Step::Limits))?;
        }
        sys::prctl(libc::PR_SET_NO_NEW_PRIVS, 1).map_err(self.fail(Step::Capabilities))?;
        sys::keep_capabilities(self.capabilities).map_err(self.fail(Step::Capabilities))?;
        if let Some(rules) = &self.landlock {
            rules.enter().map_err(self.fail(Step::Landlock))?;
        }
        if let Some(filter) = &self.seccomp {
            self.filtered(filter).map_err(self.fail(Step::Seccomp))?;
        }
        Ok(())
    }

    /// The filter with a witness, or else the one that holds the same and asks nobody.
    fn filtered(&self, filter: &[libc::sock_filter]) -> Result<()> {
        if let Some((asking, to)) = &self.witnessed {
            if let Ok(notices) = sys::seccomp_with_notices(asking) {
                // Ours is closed here: whoever holds it could answer for us.
                return network::send(to.as_raw_fd(), notices.as_raw_fd());
            }
            network::send_nothing(to.as_raw_fd())?;
        }
        sys::seccomp(filter)
    }
}

fn die_with_parent() -> Result<()> {
    sys::prctl(libc::PR_SET_PDEATHSIG, libc::SIGKILL as libc::c_ulong)
}

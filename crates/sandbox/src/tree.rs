//! Finding and killing all that a launch started. A process is signalled only if session, descent or
//! token ties it to the launch.
//!
//! The group takes most of it. A descendant that called setsid or lost its parent is found by the
//! token in its environment (Linux). One that did both and has rewritten its environment block (`env
//! -i`, some daemons' process titles) is found only if it was seen as a descendant before its parent
//! died; else it escapes. So does a set-uid program's process, whose environment we may not read,
//! and in a launch's first second one that has chosen its own number, as root may. A launch with a
//! policy has a PID namespace where the machine allows one, and there nobody escapes. On macOS there
//! is the group alone.

use rustix::process::{Pid, Signal, kill_process_group};
use std::time::Duration;

/// How long a tree may tidy up between TERM and KILL.
pub(crate) const GRACE: Duration = Duration::from_secs(2);
/// How long we go on killing. Longer means a process is stuck in the kernel.
pub(crate) const KILLING: Duration = Duration::from_secs(5);

/// What the final sweep did.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Swept {
    pub(crate) killed: usize,
    pub(crate) survivors: usize,
}

/// The processes of one launch.
#[derive(Debug)]
pub(crate) struct Tree {
    /// The session's leader. Its pid must be held (not reaped) while the tree is swept, so that no
    /// stranger can get it; none if only the token is left.
    leader: Option<Pid>,
    #[cfg(target_os = "linux")]
    token: String,
    /// When the leader started. Nobody older is its descendant, which spares us most of `/proc`.
    #[cfg(target_os = "linux")]
    since: u64,
    /// When we started it; none if an earlier Proofhouse did.
    #[cfg(target_os = "linux")]
    began: Option<std::time::Instant>,
    /// Seen once, ours for ever: descent is lost when a parent dies.
    #[cfg(target_os = "linux")]
    known: std::collections::BTreeMap<i32, u64>,
}

impl Tree {
    #[cfg_attr(not(target_os = "linux"), allow(unused_variables))]
    pub(crate) fn new(leader: Option<Pid>, token: &str, since: u64) -> Self {
        Self {
            leader,
            #[cfg(target_os = "linux")]
            token: token.to_string(),
            #[cfg(target_os = "linux")]
            since,
            #[cfg(target_os = "linux")]
            began: None,
            #[cfg(target_os = "linux")]
            known: std::collections::BTreeMap::new(),
        }
    }

    /// The same, of a launch that we have just started ourselves.
    #[cfg_attr(not(target_os = "linux"), allow(unused_variables))]
    pub(crate) fn begun(
        leader: Option<Pid>,
        token: &str,
        since: u64,
        began: std::time::Instant,
    ) -> Self {
        Self {
            #[cfg(target_os = "linux")]
            began: Some(began),
            ..Self::new(leader, token, since)
        }
    }

    /// Asks the group to end, after noting who belongs to the tree.
    pub(crate) fn terminate(&mut self) {
        #[cfg(target_os = "linux")]
        self.look();
        self.signal_group(Signal::TERM);
    }

    /// Kills the group at once; `end` must follow for the rest.
    pub(crate) fn kill_group(&mut self) {
        #[cfg(target_os = "linux")]
        self.look();
        self.signal_group(Signal::KILL);
    }

    fn signal_group(&self, signal: Signal) {
        if let Some(leader) = self.leader {
            // An empty group is what we want.
            let _ = kill_process_group(leader, signal);
        }
    }

    /// Kills whatever is left, after `grace` for those that were asked to end.
    #[cfg(not(target_os = "linux"))]
    pub(crate) fn end(&mut self, _grace: Duration) -> Swept {
        self.signal_group(Signal::KILL);
        Swept::default()
    }
}

#[cfg(target_os = "linux")]
mod sweep {
    use super::{KILLING, Swept, Tree};
    use crate::processes::{self, Life, Process};
    use rustix::event::{PollFd, PollFlags, Timespec};
    use rustix::process::{Pid, PidfdFlags, Signal, kill_process, pidfd_open, pidfd_send_signal};
    use std::collections::BTreeSet;
    use std::os::fd::OwnedFd;
    use std::time::{Duration, Instant};

    /// So young a launch cannot have seen all numbers given out, and begin again from below: there
    /// are 32,768 at least.
    const YOUNG: Duration = Duration::from_secs(1);
    /// Between two rounds of killing, at most.
    const ROUND: Duration = Duration::from_millis(200);

    impl Tree {
        /// Kills whatever is left, after `grace` for those that were asked to end.
        pub(crate) fn end(&mut self, grace: Duration) -> Swept {
            let mut killed = BTreeSet::new();
            if !grace.is_zero() {
                let members = self.look();
                killed.extend(members.iter().map(|process| (process.pid, process.start)));
                wait_for_all(handles(&members, Signal::TERM), grace);
            }
            let until = Instant::now() + KILLING;
            // Twice: a process in the middle of exec shows an empty environment for a moment.
            let mut clean_looks = 0;
            loop {
                let members = self.look();
                if members.is_empty() {
                    clean_looks += 1;
                    if clean_looks == 2 {
                        break;
                    }
                    continue;
                }
                clean_looks = 0;
                if Instant::now() >= until {
                    return Swept {
                        killed: killed.len().saturating_sub(members.len()),
                        survivors: members.len(),
                    };
                }
                let dying = handles(&members, Signal::KILL);
                killed.extend(members.iter().map(|process| (process.pid, process.start)));
                wait_for_all(dying, ROUND);
            }
            Swept {
                killed: killed.len(),
                survivors: 0,
            }
        }

        /// The living processes of the tree.
        pub(super) fn look(&mut self) -> Vec<Process> {
            let own = Pid::as_raw(Some(rustix::process::getpid()));
            let leader = Pid::as_raw(self.leader);
            let (all, asked) = self.candidates();
            let mut ours: BTreeSet<i32> = all
                .iter()
                .filter(|process| process.life == Life::Alive && process.pid != own)
                .filter(|process| {
                    (self.leader.is_some() && (process.pid == leader || process.session == leader))
                        || self.known.get(&process.pid) == Some(&process.start)
                        || processes::carries(process.pid, &self.token)
                })
                .map(|process| process.pid)
                .collect();
            // Descent, to any depth: repeat until a round finds nobody new.
            loop {
                let before = ours.len();
                for process in &all {
                    if process.life == Life::Alive
                        && process.pid != own
                        && ours.contains(&process.parent)
                    {
                        ours.insert(process.pid);
                    }
                }
                if ours.len() == before {
                    break;
                }
            }
            let members: Vec<Process> = all
                .into_iter()
                .filter(|process| ours.contains(&process.pid))
                .filter(|process| asked == Asked::All || processes::is_whole(process.pid))
                .collect();
            self.known
                .extend(members.iter().map(|process| (process.pid, process.start)));
            members
        }

        /// Nobody else can be a descendant: a child is younger than its parent, and gets a later
        /// number. Reading all of `/proc` takes longer than most programs that we start.
        fn candidates(&self) -> (Vec<Process>, Asked) {
            if let (Some(began), Some(leader)) = (self.began, self.leader)
                && let Some(found) = processes::since(leader.as_raw_nonzero().get())
                && began.elapsed() < YOUNG
            {
                return (found, Asked::Numbers);
            }
            let mut all = processes::all();
            all.retain(|process| process.start >= self.since);
            (all, Asked::All)
        }
    }

    /// How the candidates were found.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    enum Asked {
        All,
        /// Threads answer as well.
        Numbers,
    }

    /// Signals each process through a handle that cannot come to mean another one, and returns the
    /// handles, which become readable when the process ends.
    fn handles(members: &[Process], signal: Signal) -> Vec<OwnedFd> {
        let mut handles = Vec::new();
        for member in members {
            let Some(pid) = Pid::from_raw(member.pid) else {
                continue;
            };
            let handle = pidfd_open(pid, PidfdFlags::empty());
            let same =
                processes::process(member.pid).is_some_and(|process| process.start == member.start);
            match handle {
                Ok(handle) if same => {
                    let _ = pidfd_send_signal(&handle, signal);
                    handles.push(handle);
                }
                // A kernel or container without pidfd: the next look tells whether it worked.
                Err(error) if same && error != rustix::io::Errno::SRCH => {
                    let _ = kill_process(pid, signal);
                }
                _ => {}
            }
        }
        handles
    }

    /// Waits until all have ended or the time is up.
    fn wait_for_all(mut handles: Vec<OwnedFd>, limit: Duration) {
        let until = Instant::now() + limit;
        while !handles.is_empty() {
            let left = until.saturating_duration_since(Instant::now());
            let Ok(timeout) = Timespec::try_from(left) else {
                return;
            };
            let mut fds: Vec<PollFd<'_>> = handles
                .iter()
                .map(|handle| PollFd::new(handle, PollFlags::IN))
                .collect();
            match rustix::event::poll(&mut fds, Some(&timeout)) {
                Ok(0) => return,
                Err(error) if error != rustix::io::Errno::INTR => return,
                _ => {}
            }
            let mut ended = fds
                .iter()
                .map(|fd| !fd.revents().is_empty())
                .collect::<Vec<_>>()
                .into_iter();
            handles.retain(|_| !ended.next().unwrap_or_default());
        }
    }
}

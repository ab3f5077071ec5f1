//! Performing a [`Launch`]: one thread, one `poll`, until the whole tree is gone. The child's word
//! about its own end does not count: limits are measured here and kills are recorded here.

use crate::listen::{Listener, Nobody, Talk};
use crate::note::{Note, fresh_token, start_of};
use crate::pipes::{Activity, Pipes};
use crate::spawn::Spawned;
use crate::tree::{Swept, Tree};
use crate::watch::{Step, Watch};
use crate::{Cancel, Ended, Killed, Launch, LaunchError, Recording, spawn};
use rustix::event::{PollFd, PollFlags, Timespec};
use rustix::process::{Pid, WaitId, WaitIdOptions, waitid};
use std::io::Write;
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::process::ExitStatusExt;
use std::process::{Child, ExitStatus};
use std::time::{Duration, Instant};

/// Runs one process to its end and returns when its whole tree is dead.
///
/// A child that fails, is killed or runs into a limit is an `Ok`: only a child that never started
/// is an error.
pub fn run(launch: &Launch, cancel: &Cancel) -> Result<Ended, LaunchError> {
    run_with(launch, cancel, &mut Nobody)
}

/// [`run`], with a listener that hears the output as it comes and may answer it.
pub fn run_with(
    launch: &Launch,
    cancel: &Cancel,
    listener: &mut dyn Listener,
) -> Result<Ended, LaunchError> {
    if cancel.is_cancelled() {
        return Ok(Ended::never_started());
    }
    let token = fresh_token();
    let note = Note::open(launch.pid_file.as_deref(), &token)?;
    let started = Instant::now();
    let Spawned { mut child, outside } = match spawn::spawn(launch, &token) {
        Ok(spawned) => spawned,
        Err(error) => {
            note.close();
            return Err(error);
        }
    };
    let leader = i32::try_from(child.id()).ok().and_then(Pid::from_raw);
    let since = leader.and_then(|pid| start_of(pid.as_raw_nonzero().get()));
    let mut tree = Tree::begun(leader, &token, since.unwrap_or(0), started);
    let beginning = Beginning {
        launch,
        cancel,
        note: &note,
        started,
    };
    let attended = attend(&beginning, &mut child, &mut tree, listener);
    let (pipes, end, swept) = match attended {
        Ok(attended) => attended,
        Err(error) => {
            // We cannot watch it, so it must not run.
            tree.kill_group();
            tree.end(Duration::ZERO);
            let _ = child.wait();
            note.close();
            return Err(error);
        }
    };
    // The leader's pid was held until here, so that no stranger could get it during the sweep.
    let mut status = match end.seen {
        Seen::Exit => child.wait().ok(),
        Seen::Nothing => None,
    };
    let mut leftover = swept.killed;
    let (mut enforced, mut missing, mut denied) = (Vec::new(), Vec::new(), Vec::new());
    let mut unrecorded = None;
    if let Some(outside) = outside {
        let (plan, aftermath) = outside.finish();
        (enforced, missing, denied) = (plan.enforced, plan.missing, aftermath.denied);
        if let Recording::CannotKnow(why) = plan.recording {
            unrecorded = Some(why);
        }
        // The child that we see only holds the program's namespace, whose first process tells.
        if let Some((inner, left)) = aftermath.ended {
            status = Some(ExitStatus::from_raw(inner));
            leftover = usize::try_from(left).unwrap_or(usize::MAX);
        }
    }
    if swept.survivors == 0 {
        note.close();
    }
    Ok(Ended {
        exit: status.and_then(|status| status.code()),
        signal: status.and_then(|status| status.signal()),
        killed: end.killed,
        dismissed: end.dismissed,
        truncated: pipes.both.is_truncated(),
        stdout: pipes.out.into_bytes(),
        stderr: pipes.err.into_bytes(),
        output: pipes.both.into_bytes(),
        leftover,
        survivors: swept.survivors,
        millis: u64::try_from(started.elapsed().as_millis()).unwrap_or(u64::MAX),
        enforced,
        missing,
        denied,
        unrecorded,
    })
}

/// From the start of the child to the end of its tree.
fn attend<'a>(
    beginning: &Beginning<'_>,
    child: &mut Child,
    tree: &mut Tree,
    listener: &'a mut dyn Listener,
) -> Result<(Pipes<'a>, End, Swept), LaunchError> {
    let Beginning {
        launch,
        cancel,
        note,
        started,
    } = *beginning;
    let failed = |error: std::io::Error| LaunchError::Failed {
        program: launch.argv.first().cloned().unwrap_or_default(),
        dir: launch.dir.clone(),
        what: format!("it was stopped, because it cannot be watched: {error}; free some resources"),
    };
    let pid = i32::try_from(child.id())
        .ok()
        .and_then(Pid::from_raw)
        .ok_or_else(|| failed(std::io::Error::other("its pid is out of range")))?;
    note.started(pid)?;
    let exit = watch_exit(pid).map_err(failed)?;
    let listening = cancel.listen().map_err(failed)?;
    let cap = launch.limits.output_bytes;
    let mut pipes = Pipes::take(child, &launch.stdin, cap, listener).map_err(failed)?;
    let mut watch = Watch::new(launch.limits, started);
    let seen = loop {
        // One wait for all that can happen: exit, cancel, output, room for input, a limit.
        let mut fds = pipes.interests();
        let exit_at = fds.len();
        fds.push(PollFd::from_borrowed_fd(exit.as_fd(), PollFlags::IN));
        // Once: the byte stays in the pipe and would wake us for ever.
        if watch.killed.is_none() {
            fds.push(PollFd::from_borrowed_fd(
                listening.reader.as_fd(),
                PollFlags::IN,
            ));
        }
        let left = watch.until().saturating_duration_since(Instant::now());
        // A span too long for the system is as good as for ever.
        let timeout = Timespec::try_from(left).ok();
        match rustix::event::poll(&mut fds, timeout.as_ref()) {
            Ok(_) => {}
            Err(error) if error == rustix::io::Errno::INTR => continue,
            Err(error) => return Err(failed(error.into())),
        }
        let exited = !fds[exit_at].revents().is_empty();
        drop(fds);
        if pipes.pump() == Activity::Spoke {
            watch.heard();
            if pipes.talk() == Talk::Over {
                watch.over();
            }
        }
        if exited {
            break Seen::Exit;
        }
        if watch.step(cancel, tree) == Step::GiveUp {
            break Seen::Nothing;
        }
    };
    let swept = tree.end(watch.grace_left());
    pipes.drain();
    let end = End {
        seen,
        killed: watch.killed,
        dismissed: watch.dismissed,
    };
    Ok((pipes, end, swept))
}

/// Something that becomes readable when the child has ended, without reaping it.
fn watch_exit(pid: Pid) -> std::io::Result<OwnedFd> {
    #[cfg(target_os = "linux")]
    if let Ok(handle) = rustix::process::pidfd_open(pid, rustix::process::PidfdFlags::empty()) {
        return Ok(handle);
    }
    // A kernel or container without such handles: a thread waits instead.
    let (reader, mut writer) = std::io::pipe()?;
    std::thread::Builder::new()
        .name("exit-watch".into())
        .spawn(move || {
            let options = WaitIdOptions::EXITED | WaitIdOptions::NOWAIT;
            while let Err(rustix::io::Errno::INTR) = waitid(WaitId::Pid(pid), options) {}
            let _ = writer.write(&[1]);
        })?;
    Ok(reader.into())
}

/// What we saw of the child's end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Seen {
    Exit,
    /// Not even KILL ended it in time.
    Nothing,
}

struct End {
    seen: Seen,
    killed: Option<Killed>,
    dismissed: bool,
}

/// What a launch has from its start.
#[derive(Clone, Copy)]
struct Beginning<'a> {
    launch: &'a Launch,
    cancel: &'a Cancel,
    note: &'a Note<'a>,
    started: Instant,
}

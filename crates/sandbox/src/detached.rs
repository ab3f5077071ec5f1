//! A program of our own that goes on when the terminal is gone: the person's engine, started by the
//! person's word. As with `person.rs`, nothing confines it; it is never used for anything that an
//! agent, a workflow or a repository names.

use std::fs::File;
use std::io;
use std::path::Path;
use std::process::{Child, Command, Stdio};

/// Starts it in a session of its own, with the person's environment, and everything that it says in
/// this file.
#[cfg(unix)]
#[allow(unsafe_code)]
pub fn detach(argv: &[String], dir: &Path, said: &File) -> io::Result<Child> {
    use std::os::unix::process::CommandExt;
    let (program, args) = argv.split_first().ok_or(io::ErrorKind::InvalidInput)?;
    let mut command = Command::new(program);
    command.args(args).current_dir(dir).stdin(Stdio::null());
    command.stdout(said.try_clone()?).stderr(said.try_clone()?);
    let leave = || {
        rustix::process::setsid()?;
        Ok(())
    };
    // SAFETY: between fork and exec it makes one system call, and touches no memory of ours.
    unsafe { command.pre_exec(leave) };
    command.spawn()
}

/// There is no session to leave.
#[cfg(not(unix))]
pub fn detach(_: &[String], _: &Path, _: &File) -> io::Result<Child> {
    Err(io::ErrorKind::Unsupported.into())
}

/// Asks a process to end what it does, as Ctrl-C does.
#[cfg(unix)]
pub fn interrupt(pid: u32) -> io::Result<()> {
    use rustix::process::{Pid, Signal, kill_process};
    let pid = i32::try_from(pid).ok().and_then(Pid::from_raw);
    let pid = pid.ok_or(io::ErrorKind::InvalidInput)?;
    Ok(kill_process(pid, Signal::INT)?)
}

/// There are no signals.
#[cfg(not(unix))]
pub fn interrupt(_: u32) -> io::Result<()> {
    Err(io::ErrorKind::Unsupported.into())
}

//! The step from a [`Launch`] to a process; `enter` is what the child does to itself on the way. Our
//! environment, our terminal and our open files are not handed down.

use crate::confine::{Confined, Outside, confine};
use crate::{Launch, LaunchError, TREE_VARIABLE};
use std::io::{Error, ErrorKind};
use std::os::unix::process::CommandExt;
use std::process::{Child, Command, Stdio};

/// A process that was started.
#[derive(Debug)]
pub(crate) struct Spawned {
    pub(crate) child: Child,
    /// Our side of its confinement; none without a policy.
    pub(crate) outside: Option<Outside>,
}

/// Starts the process. The calling thread must live until the child has ended: the parent-death
/// signal fires when the thread that started it ends, not the program.
#[allow(unsafe_code)]
pub(crate) fn spawn(launch: &Launch, token: &str) -> Result<Spawned, LaunchError> {
    let failed = |what: String| LaunchError::Failed {
        program: launch.argv.first().cloned().unwrap_or_default(),
        dir: launch.dir.clone(),
        what,
    };
    if launch.argv.is_empty() {
        return Err(failed("the command is empty; give a program".into()));
    }
    // Checked apart: the system answers ENOENT for a missing folder and a missing program alike.
    if !launch.dir.is_dir() {
        return Err(failed("there is no such folder; create it".into()));
    }
    let Confined {
        argv,
        env,
        #[cfg(target_os = "linux")]
        mut inside,
        mut outside,
    } = confine(launch)?;
    let Some((program, arguments)) = argv.split_first() else {
        return Err(failed("the command is empty; give a program".into()));
    };
    let mut command = Command::new(program);
    command
        .args(arguments)
        .current_dir(&launch.dir)
        .env_clear()
        .envs(&env)
        .env(
            TREE_VARIABLE,
            nested(std::env::var(TREE_VARIABLE).ok(), token),
        )
        .stdin(stdin(launch).map_err(|error| failed(format!("its input: {error}")))?)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    let parent = launch.holds.is_none().then(rustix::process::getpid);
    // SAFETY: `enter` runs between fork and exec in a copy of a process with threads, so it may
    // only make async-signal-safe calls: it makes plain system calls, allocates nothing, takes no
    // lock and builds errors from bare error numbers.
    unsafe {
        command.pre_exec(move || {
            enter(parent)?;
            #[cfg(target_os = "linux")]
            if let Some(inside) = &mut inside {
                inside.enter()?;
            }
            Ok(())
        });
    }
    let mut child = match command.spawn() {
        Ok(child) => child,
        Err(error) => {
            let failure = outside.as_mut().and_then(Outside::failure);
            return Err(failure.unwrap_or_else(|| explain(launch, program, error)));
        }
    };
    // Closes our copies of what only the child may hold.
    drop(command);
    if let Some(outside) = &mut outside
        && let Err(unattended) = outside.started()
    {
        let _ = child.kill();
        let _ = child.wait();
        return Err(failed(unattended.to_string()));
    }
    Ok(Spawned { child, outside })
}

/// What the process reads: what it is told, else what it is to hold, which is read to no end that
/// matters, else nothing.
fn stdin(launch: &Launch) -> std::io::Result<Stdio> {
    Ok(match &launch.holds {
        _ if !launch.stdin.is_empty() => Stdio::piped(),
        Some(held) => held.0.try_clone()?.into(),
        None => Stdio::null(),
    })
}

/// A launch inside a launch carries both tokens, so that the outer sweep finds the inner tree.
fn nested(outer: Option<String>, token: &str) -> String {
    match outer {
        Some(outer) if !outer.is_empty() => format!("{outer}:{token}"),
        _ => token.to_string(),
    }
}

/// What the child does to itself before it becomes the program. Without a parent to die with, it is
/// let finish.
fn enter(parent: Option<rustix::process::Pid>) -> std::io::Result<()> {
    // Its own session: one group to kill, and no terminal to read secrets from or type into.
    rustix::process::setsid()?;
    #[cfg(target_os = "linux")]
    {
        use rustix::process::{Signal, getppid, set_parent_process_death_signal};
        if parent.is_some() {
            // A kill -9 of Proofhouse takes the direct child with it.
            set_parent_process_death_signal(Some(Signal::KILL))?;
            // We may have died before the line above; then no signal will ever come.
            if getppid() != parent {
                return Err(Error::from_raw_os_error(libc::ESRCH));
            }
        }
        close_on_exec();
    }
    #[cfg(not(target_os = "linux"))]
    let _ = parent;
    Ok(())
}

/// Files that our own starter left open in us without close-on-exec must not reach the child.
#[cfg(target_os = "linux")]
#[allow(unsafe_code)]
fn close_on_exec() {
    let first: libc::c_uint = 3;
    // SAFETY: one system call on plain numbers. It only sets close-on-exec, so the pipe on which
    // the standard library reports a failed exec still works. Kernels before 5.11 refuse; there
    // the child sees what our starter leaked, as with any other program.
    unsafe {
        libc::syscall(
            libc::SYS_close_range,
            first,
            libc::c_uint::MAX,
            libc::CLOSE_RANGE_CLOEXEC,
        );
    }
}

fn explain(launch: &Launch, program: &str, error: Error) -> LaunchError {
    let (program, dir) = (program.to_string(), launch.dir.clone());
    match error.kind() {
        ErrorKind::NotFound if program.contains('/') && launch.dir.join(&program).is_file() => {
            LaunchError::InterpreterNotFound { program, dir }
        }
        ErrorKind::NotFound => LaunchError::ProgramNotFound {
            program,
            dir,
            path: {
                let path = launch.env.get("PATH").map_or("", String::as_str);
                let folders = path.split(':').filter(|one| !one.is_empty()).count();
                match &launch.policy {
                    None => format!("in none of the {folders} folders of PATH"),
                    // It may well exist outside.
                    Some(_) => format!(
                        "in none of the {folders} folders of PATH, of which its sandbox has only the policy's roots"
                    ),
                }
            },
        },
        _ if matches!(error.raw_os_error(), Some(libc::EACCES | libc::ENOEXEC)) => {
            LaunchError::ProgramNotExecutable {
                program,
                dir,
                source: error,
            }
        }
        _ => LaunchError::Failed {
            program,
            dir,
            what: format!("{error}; mend what the message names and try again"),
        },
    }
}

#[cfg(test)]
mod tests {
    use super::nested;

    #[test]
    fn an_inner_launch_carries_the_outer_token_too() {
        assert_eq!(nested(None, "in"), "in");
        assert_eq!(nested(Some(String::new()), "in"), "in");
        assert_eq!(nested(Some("a:b".into()), "in"), "a:b:in");
    }
}

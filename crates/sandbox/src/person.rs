//! Handing the terminal over to a program that the person asked for by name, such as their own tool for
//! differences. Nothing confines it and nothing limits it: it is theirs, as if they had typed it. It
//! is never used for anything that an agent, a workflow or a repository names.

use std::io;
use std::path::Path;
use std::process::{Command, ExitStatus};

/// Runs it with the person's terminal and environment, and waits for it.
pub fn hand_over(argv: &[String], dir: &Path) -> io::Result<ExitStatus> {
    let (program, args) = argv.split_first().ok_or(io::ErrorKind::InvalidInput)?;
    Command::new(program).args(args).current_dir(dir).status()
}

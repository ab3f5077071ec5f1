//! Why nothing could be started. A child that starts and fails is no error here: it is an
//! [`crate::Ended`].

use std::path::PathBuf;

/// A launch that did not happen. Each says what, where and how to mend it.
#[derive(Debug, thiserror::Error)]
pub enum LaunchError {
    /// There is no such program.
    #[error(
        "cannot start `{program}`: no such program; install it, or mend the command or PATH (in {dir}; {path})"
    )]
    ProgramNotFound {
        /// As it was asked for.
        program: String,
        /// Where it was to start.
        dir: PathBuf,
        /// Where it was looked for.
        path: String,
    },
    /// The program is there, and its interpreter is not.
    #[error(
        "cannot start `{program}` in {dir}: the file exists, but the interpreter on its `#!` line does not; install that interpreter or mend the line"
    )]
    InterpreterNotFound {
        /// As it was asked for.
        program: String,
        /// Where it was to start.
        dir: PathBuf,
    },
    /// The file is there and may not be run.
    #[error(
        "cannot start `{program}` in {dir}: {source}; make it executable (`chmod +x`), and give a script a `#!` line"
    )]
    ProgramNotExecutable {
        /// As it was asked for.
        program: String,
        /// Where it was to start.
        dir: PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
    /// The operating system refused.
    #[error("cannot start `{program}` in {dir}: {what}")]
    Failed {
        /// As it was asked for.
        program: String,
        /// Where it was to start.
        dir: PathBuf,
        /// What is wrong, and how to mend it.
        what: String,
    },
    /// The pid file cannot be written or read; nothing was started, or all of it was stopped.
    #[error(
        "cannot use the pid file {path}: {source}; mend the folder's rights, or remove the file"
    )]
    PidFile {
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
    /// Part of the policy cannot be enforced on this machine, and nobody waived it.
    #[error(
        "this machine cannot enforce the sandbox policy: {}; give it what is missing (`proofhouse doctor` shows it), or have a person waive it",
        missing.join("; ")
    )]
    SandboxUnavailable {
        /// What is missing, and why.
        missing: Vec<String>,
    },
    /// The kernel gives no overlay here: it is too old, or the file system cannot be a layer.
    #[error("this machine cannot lay a folder over another: the kernel refused {what}")]
    NoOverlay {
        /// What was refused, and why.
        what: String,
    },
    /// The policy contradicts itself or names what is not there.
    #[error("the sandbox policy is wrong: {what}")]
    Policy {
        /// What is wrong, and how to mend it.
        what: String,
    },
    /// This system has no way to stop a tree of processes.
    #[error("cannot start programs on this system: use Linux or macOS")]
    Unsupported,
}

impl LaunchError {
    /// The stable code for machines.
    pub fn code(&self) -> &'static str {
        match self {
            LaunchError::ProgramNotFound { .. } => "program_not_found",
            LaunchError::InterpreterNotFound { .. } | LaunchError::ProgramNotExecutable { .. } => {
                "program_not_executable"
            }
            LaunchError::SandboxUnavailable { .. } | LaunchError::NoOverlay { .. } => {
                "sandbox_unavailable"
            }
            LaunchError::Policy { .. } => "sandbox_policy",
            LaunchError::Failed { .. } | LaunchError::PidFile { .. } | LaunchError::Unsupported => {
                "launch_failed"
            }
        }
    }
}

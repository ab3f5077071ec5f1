//! The arguments of `proofhouse sandbox`.

use super::values;
use clap::{Subcommand, ValueEnum};
use std::path::PathBuf;

#[derive(Debug, Subcommand)]
pub(crate) enum SandboxCommand {
    /// Run a command that sees only the system's programs and the folders given
    #[command(after_help = "Examples:
  proofhouse sandbox run --write . -- cargo test
  proofhouse sandbox run --read ~/notes --memory 512M --wall 30s -- ls -la ~
  proofhouse sandbox run --endpoint api.example.org:443 -- curl https://api.example.org

The folder that it starts in is readable. Exits with the command's own code; 124 if Proofhouse
stopped it, 128 and the signal's number if a signal ended it, 3 if nothing could be started.")]
    Run(SandboxRun),
}

#[derive(Debug, clap::Args)]
pub(crate) struct SandboxRun {
    /// A folder or file that may be read and run
    #[arg(long, value_name = "DIR")]
    pub(crate) read: Vec<PathBuf>,
    /// A folder or file that may be read, run and changed
    #[arg(long, value_name = "DIR")]
    pub(crate) write: Vec<PathBuf>,
    /// What it may talk to: nothing, itself, or everything
    #[arg(long, value_enum, default_value_t = NetArg::None, conflicts_with = "endpoint")]
    pub(crate) net: NetArg,
    /// A host that it may reach through the proxy, and nothing else
    #[arg(long, value_name = "HOST:PORT", value_parser = values::endpoint)]
    pub(crate) endpoint: Vec<sandbox::Endpoint>,
    /// Stop it after this time
    #[arg(long, value_name = "TIME", default_value = "10m", value_parser = values::time)]
    pub(crate) wall: std::time::Duration,
    /// Stop it after this time without output
    #[arg(long, value_name = "TIME", value_parser = values::time)]
    pub(crate) idle: Option<std::time::Duration>,
    /// Processor time of each process
    #[arg(long, value_name = "TIME", value_parser = values::time)]
    pub(crate) cpu: Option<std::time::Duration>,
    /// Address space of each process
    #[arg(long, value_name = "SIZE", value_parser = values::size)]
    pub(crate) memory: Option<u64>,
    /// Processes and threads at once
    #[arg(long, value_name = "N")]
    pub(crate) processes: Option<u32>,
    /// Size of any file that it writes
    #[arg(long, value_name = "SIZE", value_parser = values::size)]
    pub(crate) file_size: Option<u64>,
    /// Run it even if this machine cannot hold all of the policy; your name is printed with what is missing
    #[arg(long, value_name = "NAME")]
    pub(crate) waive: Option<String>,
    /// The command
    #[arg(last = true, required = true, value_name = "CMD")]
    pub(crate) command: Vec<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum NetArg {
    None,
    Loopback,
    Full,
}

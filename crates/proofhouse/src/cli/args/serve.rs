//! The flags of `proofhouse serve`.

use clap::Args;
use std::path::PathBuf;

/// Always the same: browsers keep what they are allowed by address and port.
pub(crate) const PORT: u16 = 7766;

#[derive(Debug, Args)]
pub(crate) struct Serve {
    /// The port on loopback; 0 takes any that is free
    #[arg(long, value_name = "N", default_value_t = PORT)]
    pub(crate) port: u16,
    /// Let people answer on the page, with a passkey that `.proofhouse/approvers` lists
    #[arg(long)]
    pub(crate) decide: bool,
    /// Serve the tools of `proofhouse mcp` too, over HTTP, for agents that are given their address and key
    #[arg(long)]
    pub(crate) mcp: bool,
    /// Print the address, and open no browser
    #[arg(long)]
    pub(crate) no_open: bool,
    /// Forget a repository that an earlier `--repo` had remembered, and serve nothing
    #[arg(long, value_name = "PATH")]
    pub(crate) forget: Option<PathBuf>,
}

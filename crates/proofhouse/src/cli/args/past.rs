//! What has been: a run as it was, as a trace, left there, and led back.

use super::Signing;

#[derive(Debug, clap::Args)]
pub(crate) struct Replay {
    /// The run, or a project of the factory
    pub(crate) run: String,
    /// As of this record (`proofhouse log` numbers them; default: the last); with `--with`, no further than it
    #[arg(long, value_name = "SEQ")]
    pub(crate) at: Option<u64>,
    /// Tell what happened to another workflow (a name or a folder), up to where it goes another way
    #[arg(long, value_name = "WORKFLOW")]
    pub(crate) with: Option<String>,
}

#[derive(Debug, clap::Args)]
pub(crate) struct Trace {
    /// The run, or a project of the factory
    pub(crate) run: String,
    /// Send it to this collector (default: print it)
    #[arg(long, value_name = "URL")]
    pub(crate) otlp: Option<String>,
}

#[derive(Debug, clap::Args)]
pub(crate) struct Fork {
    /// The run to leave; nothing of it changes
    pub(crate) run: String,
    /// The last record that both have (`proofhouse log` numbers them)
    #[arg(long, value_name = "SEQ")]
    pub(crate) at: u64,
    /// The new run's name (default: after the other's)
    #[arg(long)]
    pub(crate) name: Option<String>,
    /// Who works from there on (default: who worked before)
    #[arg(long)]
    pub(crate) agent: Option<String>,
}

#[derive(Debug, clap::Args)]
pub(crate) struct Rewind {
    /// The run
    pub(crate) run: String,
    /// The record of the commit to go back to (`proofhouse log` numbers them)
    #[arg(long, value_name = "SEQ")]
    pub(crate) at: u64,
    /// Why; it is journaled, and goes into the next brief
    #[arg(
        long,
        value_name = "TEXT",
        default_value = "",
        hide_default_value = true
    )]
    pub(crate) because: String,
    #[command(flatten)]
    pub(crate) signing: Signing,
}

#[derive(Debug, clap::Args)]
pub(crate) struct Compare {
    /// A run
    pub(crate) run: String,
    /// Another one
    pub(crate) other: String,
}

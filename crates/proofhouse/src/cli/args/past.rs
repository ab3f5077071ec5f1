//! Looking at what has been: a run as it was, and as a trace.

#[derive(Debug, clap::Args)]
pub(crate) struct Replay {
    /// The run, or a project of the factory
    pub(crate) run: String,
    /// As of this record (`proofhouse log` numbers them); with `--with`, no further than it
    #[arg(long, value_name = "SEQ", required_unless_present = "with")]
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

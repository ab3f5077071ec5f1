//! Vouching for a run, and checking what somebody else has vouched for.

use std::path::PathBuf;

#[derive(Debug, clap::Args)]
pub(crate) struct Attest {
    /// The run, or a project of the factory; it must be over
    pub(crate) run: String,
    /// Sign with this unencrypted SSH key (ed25519)
    #[arg(long, value_name = "KEY")]
    pub(crate) sign: PathBuf,
    /// Write it here (default: standard output)
    #[arg(long, value_name = "FILE")]
    pub(crate) out: Option<PathBuf>,
    /// Keep it as a note of the commit that landed or was released (refs/notes/proofhouse)
    #[arg(long)]
    pub(crate) note: bool,
    /// Write a link of the older form for each gate here, for `in-toto-verify` with a layout
    #[arg(long, value_name = "DIR", requires = "out")]
    pub(crate) links: Option<PathBuf>,
}

#[derive(Debug, clap::Args)]
pub(crate) struct Verify {
    /// What `proofhouse attest` wrote
    pub(crate) file: PathBuf,
    /// The public key that must have signed it
    #[arg(long, value_name = "KEY.pub")]
    pub(crate) key: Option<PathBuf>,
    /// It must vouch for this commit (a name, or where there is no repository its whole id)
    #[arg(long, value_name = "COMMIT")]
    pub(crate) commit: Option<String>,
    /// Who may sign, it and decisions (default, without `--key`: .proofhouse/approvers of the repository)
    #[arg(long, value_name = "FILE")]
    pub(crate) approvers: Option<PathBuf>,
}

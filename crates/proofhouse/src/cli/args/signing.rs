//! How a person's decision is let in, the same for every command that makes one. It refuses to sign
//! in two ways at once.

use std::path::{Path, PathBuf};

#[derive(Debug, Clone, Default, clap::Args)]
pub(crate) struct Signing {
    /// Sign with this unencrypted SSH key
    #[arg(long, value_name = "KEY", conflicts_with = "signature")]
    pub(crate) sign: Option<PathBuf>,
    /// A signature made with `ssh-keygen -Y sign -n proofhouse-decision`
    #[arg(long, value_name = "FILE")]
    pub(crate) signature: Option<PathBuf>,
    /// Print the bytes to be signed, and decide nothing
    #[arg(long)]
    pub(crate) message: bool,
}

impl Signing {
    /// With a key, or else at the terminal.
    pub(crate) fn by(key: Option<&Path>) -> Self {
        Self {
            sign: key.map(Path::to_owned),
            ..Self::default()
        }
    }
}

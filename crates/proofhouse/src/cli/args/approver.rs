//! The commands of `proofhouse approver`.

use super::Signing;
use clap::Subcommand;

#[derive(Debug, Subcommand)]
pub(crate) enum ApproverCommand {
    /// Show who may decide
    #[command(after_help = "Example:\n  proofhouse approver list --json")]
    List,
    /// Let somebody decide: the first is confirmed at a terminal, every other by one who may already
    #[command(after_help = "Example:
  proofhouse approver add 'ada@example.org ssh-ed25519 AAAA...' --sign ~/.ssh/id_ed25519

The page that `proofhouse serve --decide` shows prints the line of a passkey. Commit the file afterwards.")]
    Add {
        /// A line of OpenSSH's allowed_signers: `NAME KEYTYPE KEY`
        line: String,
        #[command(flatten)]
        signing: Signing,
    },
}

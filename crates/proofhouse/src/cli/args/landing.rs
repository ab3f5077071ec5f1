//! What a run made, and what becomes of it.

use super::Signing;
use std::path::PathBuf;

#[derive(Debug, clap::Args)]
pub(crate) struct Diff {
    /// The run (default: the only one)
    pub(crate) run: Option<String>,
    /// Only which files, and how much of each
    #[arg(long)]
    pub(crate) stat: bool,
    /// Only what was changed since you last sent the work back
    #[arg(long, conflicts_with = "tool")]
    pub(crate) since_rejected: bool,
    /// Only what was changed since you approved it, where it is to be approved once more
    #[arg(long, conflicts_with_all = ["tool", "since_rejected"])]
    pub(crate) since_approved: bool,
    /// As a patch that `git apply` takes
    #[arg(long, conflicts_with_all = ["stat", "tool"])]
    pub(crate) patch: bool,
    /// Show it in your own tool for differences, by the name that `git difftool --tool-help` lists
    /// (without a name: the one that your git is set up with)
    #[arg(long, value_name = "TOOL", num_args = 0..=1, default_missing_value = "", conflicts_with = "stat")]
    pub(crate) tool: Option<String>,
}

#[derive(Debug, clap::Args)]
pub(crate) struct Land {
    /// The run
    pub(crate) run: String,
    /// The branch to land on (default: the one that you were on when the run began)
    #[arg(long, value_name = "BRANCH")]
    pub(crate) onto: Option<String>,
    /// The commit's message (default: what was asked for)
    #[arg(long, short, value_name = "TEXT")]
    pub(crate) message: Option<String>,
    /// One commit on what the run began with, and a merge of it
    #[arg(long, group = "shape")]
    pub(crate) merge: bool,
    /// One commit for each of the run's that changed the work, replayed on the branch
    #[arg(long, group = "shape")]
    pub(crate) rebase: bool,
    /// The run's own commits as they are
    #[arg(long, group = "shape")]
    pub(crate) keep_commits: bool,
    /// Where branch and work contradict each other: let an agent bring both together, in a run of its own
    #[arg(long, group = "shape")]
    pub(crate) settle: bool,
    /// Who settles it (default: the run's own agent)
    #[arg(long, value_name = "AGENT", requires = "settle")]
    pub(crate) agent: Option<String>,
    /// Vouch for it with this SSH key, in a note of the commit (`refs/notes/proofhouse`)
    #[arg(long, value_name = "KEY", conflicts_with = "settle")]
    pub(crate) attest: Option<PathBuf>,
}

#[derive(Debug, clap::Args)]
pub(crate) struct Pr {
    /// The run
    pub(crate) run: String,
    /// The branch that it is to go onto (default: the one that you were on when the run began)
    #[arg(long, value_name = "BRANCH")]
    pub(crate) onto: Option<String>,
    /// Where to push
    #[arg(long, default_value = "origin")]
    pub(crate) remote: String,
    /// Title and first words (default: what was asked for)
    #[arg(long, short, value_name = "TEXT")]
    pub(crate) message: Option<String>,
}

#[derive(Debug, clap::Args)]
pub(crate) struct Abandon {
    /// The run
    pub(crate) run: String,
    /// Why; it is journaled
    #[arg(long, value_name = "TEXT", default_value = "abandoned")]
    pub(crate) because: String,
    #[command(flatten)]
    pub(crate) signing: Signing,
}

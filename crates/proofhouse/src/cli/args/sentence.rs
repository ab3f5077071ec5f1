//! A sentence, and how it is to be done.

use super::values::cap;
use super::{AutonomyArg, said};

/// What is wanted, and how: the same whichever workflow does it.
#[derive(Debug, clap::Args)]
pub(crate) struct Sentence {
    /// What you want, in a sentence
    #[arg(value_parser = said, required = true)]
    pub(crate) request: Vec<String>,
    /// Another agent reads the change before you do
    #[arg(long)]
    pub(crate) review: bool,
    /// A change without new behaviour: every test stays as it is, and stays green
    #[arg(long)]
    pub(crate) refactor: bool,
    /// An examiner who sees no code asks the product questions that nobody else knows
    #[arg(long, conflicts_with = "refactor")]
    pub(crate) exam: bool,
    /// A validation command that the engine runs itself (default: found in the repository)
    #[arg(long, value_name = "COMMAND")]
    pub(crate) check: Vec<String>,
    /// Who works, as in `proofhouse new` (default: `agent` of the config, else the one that is installed)
    #[arg(long)]
    pub(crate) agent: Option<String>,
    /// How much the run may decide by itself (default: `approvals.autonomy` of the config, else `conservative`: you look at the diff; `add`, where you freeze the bundle first: `auto`)
    #[arg(long, value_enum)]
    pub(crate) autonomy: Option<AutonomyArg>,
    /// Work in your own tree, as it is, instead of in a worktree of the run's own
    #[arg(long)]
    pub(crate) here: bool,
    /// Begin at this branch, tag or commit (default: HEAD)
    #[arg(long, value_name = "REF", conflicts_with = "here")]
    pub(crate) from: Option<String>,
    /// Begin with the edits of your tree that are in no commit; a ref keeps them
    #[arg(long, conflicts_with_all = ["here", "from"])]
    pub(crate) with_edits: bool,
    /// The run's name (default: from the sentence)
    #[arg(long)]
    pub(crate) name: Option<String>,
    /// Begin it, and let it go on without this terminal; `attach` looks on
    #[arg(long)]
    pub(crate) detach: bool,
    /// Cap a budget: attempts, tokens, micro_dollars, wall_millis, refusals
    #[arg(long, value_name = "NAME=CAP", value_parser = cap)]
    pub(crate) budget: Vec<(String, u64)>,
}

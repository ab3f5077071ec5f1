//! A sentence, and how it is to be done: the same for `new` and for every command that has it done.

use super::values::{cap, pair};
use super::{AutonomyArg, RiskArg, said, who_works};
use std::path::PathBuf;

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
    #[arg(long, conflicts_with = "exam")]
    pub(crate) refactor: bool,
    /// Begin it, and let it go on without this terminal; `attach` looks on
    #[arg(long)]
    pub(crate) detach: bool,
    #[command(flatten)]
    pub(crate) how: How,
}

/// How a run begins.
#[derive(Debug, Clone, clap::Args)]
pub(crate) struct How {
    /// A validation command that the engine runs itself (default: found in the repository)
    #[arg(long, value_name = "COMMAND")]
    pub(crate) check: Vec<String>,
    #[arg(long, help = who_works())]
    pub(crate) agent: Option<String>,
    /// How much the run may decide by itself (default: `approvals.autonomy` of the config, else `conservative`: you look at the diff; `add`, where you freeze the bundle first: `auto`)
    #[arg(long, value_enum)]
    pub(crate) autonomy: Option<AutonomyArg>,
    /// An examiner who sees no code asks the product questions that nobody else knows
    #[arg(long)]
    pub(crate) exam: bool,
    /// Set a field of the state file; agents cannot change it afterwards
    #[arg(long, value_name = "FIELD=VALUE", value_parser = pair)]
    pub(crate) set: Vec<(String, String)>,
    /// Work in your own tree, as it is, instead of in a worktree of the run's own
    #[arg(long)]
    pub(crate) here: bool,
    /// Begin at this branch, tag or commit (default: HEAD)
    #[arg(long, value_name = "REF", conflicts_with = "here")]
    pub(crate) from: Option<String>,
    /// Begin with the edits of your tree that are in no commit; a ref keeps them
    #[arg(long, conflicts_with_all = ["here", "from"])]
    pub(crate) with_edits: bool,
    /// The task folder to make, in the run's tree (default: below .proofhouse/, outside of it)
    #[arg(long, value_name = "DIR")]
    pub(crate) dir: Option<PathBuf>,
    /// The run's name (default: from the sentence, else from the folder)
    #[arg(long)]
    pub(crate) name: Option<String>,
    /// Pause after each passed gate
    #[arg(long)]
    pub(crate) stepped: bool,
    /// Declare the risk; high risk may not complete under `auto`
    #[arg(long, value_enum, default_value_t = RiskArg::Normal)]
    pub(crate) risk: RiskArg,
    /// Cap a budget: attempts, tokens, micro_dollars, wall_millis, refusals
    #[arg(long, value_name = "NAME=CAP", value_parser = cap)]
    pub(crate) budget: Vec<(String, u64)>,
    /// Take on that this machine may not enforce the sandbox for this run: a decision, at a
    /// terminal or signed, that is journaled
    #[arg(long)]
    pub(crate) waive_sandbox: bool,
    /// Sign the waiver with this unencrypted SSH key
    #[arg(long, value_name = "KEY", requires = "waive_sandbox")]
    pub(crate) sign: Option<PathBuf>,
}

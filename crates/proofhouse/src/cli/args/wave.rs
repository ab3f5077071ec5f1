//! The arguments of `proofhouse wave`. They refuse nothing themselves: the engine does.

use clap::Subcommand;
use std::path::PathBuf;

#[derive(Debug, Subcommand)]
pub(crate) enum WaveCommand {
    /// Open a wave of all ready tasks, and start nothing yet
    Open(WaveJobs),
    /// Do everything that needs no person: open waves, work, merge, close, try the criteria
    Run(WaveRun),
    /// End the engine of a wave that goes on in the background; the wave can go on later
    Stop {
        /// The milestone (default: the only one, or the one with a live wave)
        milestone: Option<String>,
    },
    /// Show where every task stands, what is ready and what waits for a person
    Status {
        /// The milestone (default: the only one, or the one with a live wave)
        milestone: Option<String>,
    },
    /// Ask git again where every fork of the live wave stands
    Verify {
        /// The milestone (default: the only one, or the one with a live wave)
        milestone: Option<String>,
    },
    /// End the live wave; what is not merged goes back, and its worktrees stay
    Close {
        /// The milestone (default: the only one, or the one with a live wave)
        milestone: Option<String>,
    },
    /// Say that an exit criterion holds which names no command; needs a person
    Tick(WaveTick),
}

#[derive(Debug, Subcommand)]
pub(crate) enum MilestoneCommand {
    /// Begin a milestone: a goal and its tasks, each in a sentence
    #[command(after_help = "Example:
  proofhouse milestone new parser --goal 'The corpus parses' \\
    --criterion 'All of it (verify: cargo test corpus)' \\
    --task lexer='Add the lexer' --task grammar='Add the grammar'")]
    New(MilestoneNew),
    /// Add a task to a milestone
    #[command(after_help = "Example:
  proofhouse milestone add parser errors='Name the line of an error' --after grammar")]
    Add(MilestoneAdd),
    /// Take a task out of a milestone that nobody has begun in it
    Remove {
        /// The milestone
        milestone: String,
        /// The task's name
        task: String,
    },
    /// Mean this one wherever a command names none
    Use {
        /// The milestone
        milestone: String,
    },
    /// List those that nobody has put away
    List,
    /// Put one away: SUMMARY.md says how its tasks ended, deltas.md what they have learnt
    Archive {
        /// The milestone
        milestone: String,
        /// Also if a task is not merged or a criterion does not hold: give it up as it is
        #[arg(long)]
        unfinished: bool,
    },
    /// Move one that was put away to .proofhouse/archive; nothing of it is changed
    Compact {
        /// The milestone
        milestone: String,
    },
}

#[derive(Debug, Subcommand)]
pub(crate) enum DeltasCommand {
    /// Say that lessons were taken up, and where
    Fold(Settle),
    /// Say that lessons are none, and why
    Reject(Settle),
}

#[derive(Debug, clap::Args)]
pub(crate) struct Settle {
    /// Their ids, as `proofhouse deltas` lists them
    #[arg(required = true)]
    pub(crate) lessons: Vec<String>,
    /// Where they were taken up, or why they are none
    #[arg(long, value_name = "TEXT")]
    pub(crate) because: String,
}

#[derive(Debug, clap::Args)]
pub(crate) struct MilestoneAdd {
    /// The milestone
    pub(crate) milestone: String,
    /// The task: its name, and what is asked for
    #[arg(value_name = "NAME=TEXT", value_parser = pair)]
    pub(crate) task: (String, String),
    /// A task that must be merged first
    #[arg(long, value_name = "TASK")]
    pub(crate) after: Vec<String>,
    /// Its workflow (default: phase)
    #[arg(long, value_name = "NAME")]
    pub(crate) workflow: Option<String>,
}

#[derive(Debug, clap::Args)]
pub(crate) struct MilestoneNew {
    /// Its name
    pub(crate) milestone: String,
    /// What it is for
    #[arg(long, value_name = "TEXT")]
    pub(crate) goal: String,
    /// An exit criterion; `(verify: COMMAND)` at its end names the command that proves it
    #[arg(long = "criterion", value_name = "TEXT")]
    pub(crate) criteria: Vec<String>,
    /// A command that must pass after each merge (default: the checks of the config)
    #[arg(long, value_name = "COMMAND")]
    pub(crate) integration: Vec<String>,
    /// A task: its name, and what is asked for
    #[arg(long = "task", value_name = "NAME=TEXT", required = true, value_parser = pair)]
    pub(crate) tasks: Vec<(String, String)>,
    /// The workflow of all tasks (default: phase)
    #[arg(long, value_name = "NAME")]
    pub(crate) workflow: Option<String>,
    /// How far along the product is: prototype, poc, mvp or production
    #[arg(long, value_name = "STAGE")]
    pub(crate) stage: Option<String>,
}

fn pair(text: &str) -> Result<(String, String), String> {
    let (name, asks) = text.split_once('=').ok_or("write it as NAME=TEXT")?;
    Ok((name.trim().to_owned(), asks.trim().to_owned()))
}

#[derive(Debug, clap::Args)]
pub(crate) struct WaveTick {
    /// The milestone
    pub(crate) milestone: String,
    /// The criterion: its number in `proofhouse wave status`, or its text
    pub(crate) criterion: String,
    /// What you looked at; it is journaled
    #[arg(long, value_name = "TEXT")]
    pub(crate) because: String,
    /// Sign with this unencrypted SSH key
    #[arg(long, value_name = "KEY")]
    pub(crate) sign: Option<PathBuf>,
}

#[derive(Debug, clap::Args)]
pub(crate) struct WaveRun {
    #[command(flatten)]
    pub(crate) jobs: WaveJobs,
    /// Go on in the background, without this terminal; `wave status` shows it, `wave stop` ends it
    #[arg(long)]
    pub(crate) detach: bool,
}

#[derive(Debug, clap::Args)]
pub(crate) struct WaveJobs {
    /// The milestone (default: the only one, or the one with a live wave)
    pub(crate) milestone: Option<String>,
    /// Tasks at once (default: as the milestone says)
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=256))]
    pub(crate) jobs: Option<u16>,
    /// Take on that this machine may not enforce the sandbox for this milestone: a decision, at a
    /// terminal or signed, that is journaled
    #[arg(long)]
    pub(crate) waive_sandbox: bool,
    /// Sign the waiver with this unencrypted SSH key
    #[arg(long, value_name = "KEY", requires = "waive_sandbox")]
    pub(crate) sign: Option<PathBuf>,
}

//! The commands and flags of the factory: what is typed, and nothing of what it means.

use super::Signing;
use super::values::{cap, pair};
use clap::Subcommand;
use std::path::PathBuf;

// What every new project is made with. No doc comment: help would show it.
#[derive(Debug, clap::Args)]
pub(crate) struct Making {
    /// The project's name (default: factory)
    #[arg(long)]
    pub(crate) name: Option<String>,
    /// Who works (default: `agent` of the config)
    #[arg(long, value_name = "AGENT")]
    pub(crate) agent: Option<String>,
    /// Independent tasks at once
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..=256))]
    pub(crate) jobs: u16,
    /// Cap a budget, such as `attempts=200`
    #[arg(long, value_name = "NAME=CAP", value_parser = cap)]
    pub(crate) budget: Vec<(String, u64)>,
}

#[derive(Debug, clap::Args)]
pub(crate) struct FactoryNew {
    /// What the product is to be, in your own words: a Markdown file
    pub(crate) spec: PathBuf,
    /// Another document that the agent may read (may be given more than once)
    #[arg(long, value_name = "FILE")]
    pub(crate) with: Vec<PathBuf>,
    #[command(flatten)]
    pub(crate) making: Making,
}

/// The channel of a word about a spec, and the spec that is meant.
#[derive(Debug, clap::Args)]
pub(crate) struct Channel {
    /// The hash of the spec that you read; another one is refused
    #[arg(long, value_name = "SHA256")]
    pub(crate) spec: Option<String>,
    #[command(flatten)]
    pub(crate) signing: Signing,
}

#[derive(Debug, clap::Args)]
pub(crate) struct FactoryStart {
    /// A product spec
    pub(crate) spec: PathBuf,
    #[command(flatten)]
    pub(crate) making: Making,
}

/// How a person's word on a project is given.
#[derive(Debug, clap::Args)]
pub(crate) struct Word {
    /// Why; it is journaled
    #[arg(long, value_name = "TEXT")]
    pub(crate) because: String,
    #[command(flatten)]
    pub(crate) signing: Signing,
}

#[derive(Debug, clap::Args)]
pub(crate) struct Deprecate {
    /// A shipped version, MM-...@x.y.z
    pub(crate) module: String,
    /// What to use in its place, MM-...@x.y.z
    #[arg(long, value_name = "MODULE", requires = "migration")]
    pub(crate) superseded_by: Option<String>,
    /// How its users get there
    #[arg(long, value_name = "TEXT")]
    pub(crate) migration: Option<String>,
    /// The project (default: the only one)
    #[arg(long)]
    pub(crate) name: Option<String>,
    #[command(flatten)]
    pub(crate) word: Word,
}

#[derive(Debug, clap::Args)]
pub(crate) struct Resolve {
    /// The escalation, ESC-...; or the exception ICE-... behind it, or a blocked task T-...
    pub(crate) escalation: String,
    /// APPROVE_OVERRIDE, AMEND_SPEC, SPLIT_TASK, REVISE_PLAN, PROVIDE_FIX or ABANDON_TASK; for an exception APPROVE_CHANGE, REJECT_CHANGE or DEFER
    #[arg(long)]
    pub(crate) action: String,
    /// What the action needs, a JSON object
    #[arg(long, value_name = "FILE")]
    pub(crate) payload: Option<PathBuf>,
    /// A member of it, such as `rationale=TEXT`; again for more, and for more items of a list
    #[arg(long, value_name = "NAME=VALUE", value_parser = pair, conflicts_with = "payload")]
    pub(crate) set: Vec<(String, String)>,
    /// Fill the form in with your own editor ($VISUAL or $EDITOR)
    #[arg(long, conflicts_with_all = ["payload", "set"])]
    pub(crate) edit: bool,
    /// Why; it is journaled
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

#[derive(Debug, Subcommand)]
pub(crate) enum FactoryCommand {
    /// Say everything that is wrong with a document; exit 1 if something blocks
    Validate {
        /// A product spec, or what `--schema` names
        file: PathBuf,
        /// What it should be (`proofhouse schema` lists them)
        #[arg(long, value_name = "NAME", default_value = "ProductSpec")]
        schema: String,
    },
    /// Make the task files of a project, all or none
    Plan {
        /// A product spec
        spec: PathBuf,
        /// Print the plan and write nothing
        #[arg(long)]
        dry_run: bool,
        /// The folder to make `project/` in (default: the present folder)
        #[arg(long, value_name = "DIR")]
        out: Option<PathBuf>,
    },
    /// Print a spec as people read it
    Render {
        /// A product spec
        spec: PathBuf,
    },
    /// Begin a project from a SPEC.md: an agent makes a spec of it, and you approve that
    #[command(
        after_help = "Example:\n  proofhouse factory new SPEC.md --agent claude\n  proofhouse factory run factory\n  proofhouse factory review factory"
    )]
    New(FactoryNew),
    /// Read the spec that waits for your word, with warnings, sources and hash
    Review {
        /// The project (default: the only one)
        name: Option<String>,
    },
    /// Approve the spec as it was shown; needs a person
    Approve {
        /// The project (default: the only one)
        name: Option<String>,
        /// Why; it is journaled
        #[arg(long, value_name = "TEXT", default_value = "accepted as shown")]
        because: String,
        #[command(flatten)]
        channel: Channel,
    },
    /// Discard the spec and start again from SPEC.md; needs a person
    Reject {
        /// The project (default: the only one)
        name: Option<String>,
        /// Why: the next attempt starts with your words, and without the draft
        #[arg(long, value_name = "TEXT", required_unless_present = "file")]
        reasons: Option<String>,
        /// The same, from a file
        #[arg(long, value_name = "FILE", conflicts_with = "reasons")]
        file: Option<PathBuf>,
        #[command(flatten)]
        channel: Channel,
    },
    /// Have the spec changed; needs a person
    Amend {
        /// The project (default: the only one)
        name: Option<String>,
        /// What to change: the agent goes on from the draft
        #[arg(long, value_name = "TEXT", required_unless_present = "file")]
        feedback: Option<String>,
        /// The same, from a file
        #[arg(long, value_name = "FILE", conflicts_with = "feedback")]
        file: Option<PathBuf>,
        #[command(flatten)]
        channel: Channel,
    },
    /// Begin a project from an approved spec; nothing works yet
    #[command(
        after_help = "Example:\n  proofhouse factory start spec.json --agent claude --jobs 2"
    )]
    Start(FactoryStart),
    /// Go on with a project until it is released, or a person must decide
    Run {
        /// The project (default: the only one)
        name: Option<String>,
        /// Another agent than the project was started with
        #[arg(long, value_name = "AGENT")]
        agent: Option<String>,
    },
    /// Show where every task of a project stands
    Status {
        /// The project (default: the only one)
        name: Option<String>,
    },
    /// Release the modules named, or everything once all tasks are closed; needs a person
    #[command(after_help = "Example:
  proofhouse factory release shop --module MM-slug@1.0.0 --because 'the others can wait'")]
    Release {
        /// The project (default: the only one)
        name: Option<String>,
        /// A shipped module, MM-...@x.y.z; again for more (default: all)
        #[arg(long, value_name = "MODULE")]
        module: Vec<String>,
        /// Do not put the product together; the manifest says so, with your reason
        #[arg(long, conflicts_with = "module")]
        without_product: bool,
        #[command(flatten)]
        word: Word,
    },
    /// Write the product of the last release into a new folder, as it was tried
    #[command(after_help = "Example:
  proofhouse factory export ../receipt
  cd ../receipt && cargo run")]
    Export {
        /// A folder that is new or empty
        dir: PathBuf,
        /// The project (default: the only one)
        #[arg(long)]
        name: Option<String>,
    },
    /// Print what the roles were given to read for each character of shipped code
    #[command(after_help = "Example:\n  proofhouse factory cost --json")]
    Cost {
        /// The project (default: the only one)
        name: Option<String>,
    },
    /// Say that a module is not for new work; needs a person
    #[command(after_help = "Example:
  proofhouse factory deprecate MM-slug@1.0.0 --because 'too slow' \\
    --superseded-by MM-slug@2.0.0 --migration 'pass the locale'")]
    Deprecate(Deprecate),
    /// Try again what could not run, after its cause is mended; needs a person
    Retry {
        /// The project (default: the only one)
        name: Option<String>,
        #[command(flatten)]
        word: Word,
    },
    /// Extend the budget that is used up; needs a person
    Extend {
        /// The project (default: the only one)
        name: Option<String>,
        #[command(flatten)]
        word: Word,
    },
    /// Stop a project for good; needs a person
    Stop {
        /// The project (default: the only one)
        name: Option<String>,
        #[command(flatten)]
        word: Word,
    },
    /// Print the hash of a contract's five dimensions
    Fingerprint {
        /// A contract
        contract: PathBuf,
        /// The locked contract; exit 1 and the difference by dimension if the two are not the same
        #[arg(long, value_name = "LOCKED")]
        against: Option<PathBuf>,
    },
}

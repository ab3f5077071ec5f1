//! The arguments of `proofhouse index`.

use clap::{Subcommand, ValueEnum};
use std::path::PathBuf;

#[derive(Debug, clap::Args)]
pub(crate) struct Index {
    /// The user's index, for all projects
    #[arg(long, global = true, conflicts_with = "project")]
    pub(crate) global: bool,
    /// The project's own index (the default)
    #[arg(long, global = true)]
    pub(crate) project: bool,
    #[command(subcommand)]
    pub(crate) command: IndexCommand,
}

#[derive(Debug, Subcommand)]
pub(crate) enum IndexCommand {
    /// Find modules by what they are for
    Search(IndexSearch),
    /// One version of a module, and who depends on it
    Show {
        /// `MM-...@x.y.z`
        module: String,
    },
    /// Add shipped modules from files of JSON: all of them or none
    Add {
        /// An entry, a list of entries or an entry per line; `-` is standard input
        #[arg(required = true, value_name = "FILE")]
        files: Vec<PathBuf>,
        /// What embeds a new index: `built-in`, `folder:DIR`, `openai:MODEL` or `openai:MODEL@DIMENSIONS`
        #[arg(long)]
        embedder: Option<String>,
    },
    /// Record that a module should not be used for new work
    Deprecate {
        /// `MM-...@x.y.z`
        module: String,
        /// Why, and how its users migrate
        #[arg(long, value_name = "TEXT")]
        because: String,
        /// What to use in its place
        #[arg(long, value_name = "MODULE")]
        replaced_by: Option<String>,
    },
    /// Record that another entry stands in for a module
    Supersede {
        /// `MM-...@x.y.z`
        module: String,
        /// `MM-...@x.y.z` of what stands in for it
        by: String,
        /// Why, and how its users migrate
        #[arg(long, value_name = "TEXT")]
        because: String,
    },
    /// Embed all entries anew, with the same embedder or another
    Reindex {
        /// `built-in`, `folder:DIR`, `openai:MODEL` or `openai:MODEL@DIMENSIONS` (default: the present one)
        #[arg(long)]
        embedder: Option<String>,
    },
    /// What is in the index
    Stats,
}

#[derive(Debug, clap::Args)]
pub(crate) struct IndexSearch {
    /// What the module should do, in plain words
    pub(crate) query: String,
    /// Only entries with this tag; again for more, of which one is enough
    #[arg(long, value_name = "TAG")]
    pub(crate) tag: Vec<String>,
    /// Only entries that take this type; again for more, of which one is enough
    #[arg(long, value_name = "TYPE")]
    pub(crate) input_type: Vec<String>,
    /// Only entries that give this type; again for more, of which one is enough
    #[arg(long, value_name = "TYPE")]
    pub(crate) output_type: Vec<String>,
    /// Deprecated and superseded entries as well
    #[arg(long)]
    pub(crate) include_inactive: bool,
    /// How many
    #[arg(long, value_name = "N", default_value_t = 10)]
    pub(crate) top_k: usize,
    /// What results are ordered by
    #[arg(long, value_enum, default_value_t = RankingArg::Fused)]
    pub(crate) ranking: RankingArg,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum RankingArg {
    /// Meaning and words together
    Fused,
    /// Meaning alone
    Semantic,
    /// Words alone
    Lexical,
}

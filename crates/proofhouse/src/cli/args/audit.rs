//! The arguments of `proofhouse audit`, `ci` and `records`.

use clap::Subcommand;

#[derive(Debug, clap::Args)]
pub(crate) struct Audit {
    /// The run (default: all of them)
    pub(crate) run: Option<String>,
    /// For a build server: JSON, and where approvers are listed every decision must be signed
    #[arg(long)]
    pub(crate) ci: bool,
    /// Every changed file of this change must be as a run proved it, or is named; `.proofhouse/policy.toml`
    /// at BASE says which ones must be
    #[arg(long, value_name = "BASE..HEAD", conflicts_with = "run")]
    pub(crate) covers: Option<String>,
    /// For other programs: `sarif` (code scanning), `junit` (test reports), `github` (annotations, and the
    /// step's summary where `GITHUB_STEP_SUMMARY` names one)
    #[arg(long, value_name = "FORMAT")]
    pub(crate) format: Option<AuditFormat>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum AuditFormat {
    Sarif,
    Junit,
    Github,
}

#[derive(Debug, Subcommand)]
pub(crate) enum CiCommand {
    /// Write the job that fetches the records of runs, audits them and looks which files they prove
    Init {
        /// Whose build server
        #[arg(long = "for", value_name = "SERVER")]
        server: CiServer,
        /// Print it, and write nothing
        #[arg(long)]
        dry_run: bool,
    },
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum CiServer {
    Github,
    Gitlab,
}

#[derive(Debug, Subcommand)]
pub(crate) enum RecordsCommand {
    /// Push records and work of all runs
    Push {
        /// Where to
        #[arg(default_value = "origin")]
        remote: String,
    },
    /// Fetch records and work of all runs, and lay them out below .proofhouse/
    Fetch {
        /// Where from
        #[arg(default_value = "origin")]
        remote: String,
    },
}

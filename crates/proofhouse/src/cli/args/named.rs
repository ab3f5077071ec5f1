//! Decisions that have a command of their own, with words that fit them. They refuse to be anything
//! else than decisions: each becomes one, and goes the same way.

use super::Decide;
use std::path::PathBuf;

#[derive(Debug, clap::Args)]
pub(crate) struct Heal {
    /// The run
    pub(crate) run: String,
    /// What was found; it is journaled, and goes into the next brief
    #[arg(long, value_name = "TEXT", default_value = "")]
    pub(crate) reason: String,
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

impl Heal {
    /// It is the decision `heal`, with the finding as its reason.
    pub(crate) fn decision(&self) -> Decide {
        Decide {
            payload: None,
            run: self.run.clone(),
            option: "heal".to_owned(),
            because: self.reason.clone(),
            sign: self.sign.clone(),
            signature: self.signature.clone(),
            message: self.message,
        }
    }
}

#[derive(Debug, clap::Args)]
pub(crate) struct Reopen {
    /// The run
    pub(crate) run: String,
    /// The phase to go back to, where the workflow has several
    #[arg(long, value_name = "PHASE")]
    pub(crate) to: Option<String>,
    /// Why; it is journaled, and goes into the next brief
    #[arg(long, value_name = "TEXT", default_value = "")]
    pub(crate) reason: String,
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

impl Reopen {
    /// It is the decision `reopen_PHASE`, or `reopen` where nothing is named.
    pub(crate) fn decision(&self) -> Decide {
        let option = match &self.to {
            Some(phase) => format!("reopen_{phase}"),
            None => "reopen".to_owned(),
        };
        Decide {
            payload: None,
            run: self.run.clone(),
            option,
            because: self.reason.clone(),
            sign: self.sign.clone(),
            signature: self.signature.clone(),
            message: self.message,
        }
    }
}

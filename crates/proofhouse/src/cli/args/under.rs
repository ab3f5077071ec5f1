//! Every built-in workflow as a command of its own, from the table of them in `flow`.

use super::Sentence;
use clap::error::ErrorKind;
use clap::{ArgMatches, Args, Command, Error, FromArgMatches, Subcommand};

/// The workflow that `do` takes, which needs no command.
pub(super) const USUAL: &str = "quick";

/// Behind the help of each.
const BEGINS: &str =
    "It is `proofhouse do` with `--workflow` set; `proofhouse new` begins the same step by step.";

/// A sentence, and the workflow that it is done under.
#[derive(Debug)]
pub(crate) struct Under {
    pub(crate) workflow: &'static str,
    pub(crate) sentence: Sentence,
}

fn names() -> impl Iterator<Item = &'static str> {
    flow::built_in_names().filter(|name| *name != USUAL)
}

impl Subcommand for Under {
    fn augment_subcommands(command: Command) -> Command {
        names().fold(command, |command, name| {
            let about = format!("As `do`, with {}", flow::built_in_with(name));
            let own = Sentence::augment_args(Command::new(name));
            // What the arguments say of themselves is not what the command does.
            command.subcommand(own.about(about).after_help(BEGINS))
        })
    }

    fn augment_subcommands_for_update(command: Command) -> Command {
        Self::augment_subcommands(command)
    }

    fn has_subcommand(name: &str) -> bool {
        names().any(|known| known == name)
    }
}

impl FromArgMatches for Under {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, Error> {
        let asked = matches.subcommand().and_then(|(name, own)| {
            let workflow = names().find(|known| *known == name)?;
            Some((workflow, own))
        });
        let (workflow, own) = asked.ok_or_else(|| Error::new(ErrorKind::InvalidSubcommand))?;
        let sentence = Sentence::from_arg_matches(own)?;
        Ok(Self { workflow, sentence })
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), Error> {
        *self = Self::from_arg_matches(matches)?;
        Ok(())
    }
}

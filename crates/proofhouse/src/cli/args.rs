//! Every command and flag, in one place; large families of them in a file each below it.

mod approver;
mod attest;
mod audit;
mod factory;
mod index;
mod landing;
mod named;
mod past;
mod sandbox;
mod sentence;
mod serve;
mod signing;
mod under;
mod values;
mod wave;

pub(crate) use approver::ApproverCommand;
pub(crate) use attest::{Attest, Verify};
pub(crate) use audit::{Audit, AuditFormat, CiCommand, CiServer, RecordsCommand};
pub(crate) use factory::{
    Channel, Deprecate, FactoryCommand, FactoryNew, FactoryStart, Resolve, Word,
};
pub(crate) use index::{Index, IndexCommand, IndexSearch, RankingArg};
pub(crate) use landing::{Abandon, Diff, Land, Pr};
pub(crate) use named::{AgentFiles, ClientArg, ClientFiles, Heal, Lock, Reopen};
pub(crate) use past::{Compare, Fork, Replay, Rewind, Trace};
pub(crate) use sandbox::{NetArg, SandboxCommand, SandboxRun};
pub(crate) use sentence::{How, Sentence};
pub(crate) use serve::Serve;
pub(crate) use signing::Signing;
pub(crate) use under::Under;
pub(crate) use wave::{
    DeltasCommand, MilestoneCommand, MilestoneNew, WaveCommand, WaveJobs, WaveRun, WaveTick,
};

use values::pair;

use clap::{Parser, Subcommand, ValueEnum};
use std::path::{Path, PathBuf};
use workspace::EngineError;

/// Drives AI coding agents through gated workflows and ships only what its own evidence proves.
#[derive(Debug, Parser)]
#[command(name = "proofhouse", version, max_term_width = 100, after_help = EXIT_CODES)]
pub(crate) struct Args {
    /// The repository to work in (default: the one that holds the present folder)
    #[arg(long, global = true, value_name = "PATH", display_order = 900)]
    pub(crate) repo: Vec<PathBuf>,
    /// Print facts as JSON
    #[arg(long, global = true, display_order = 901)]
    pub(crate) json: bool,
    #[command(subcommand)]
    pub(crate) command: Command,
}

impl Args {
    /// Where the one repository is that is meant: `--repo`, or where we stand.
    pub(crate) fn place(&self) -> Result<&Path, EngineError> {
        match self.repo.as_slice() {
            [] => Ok(Path::new(".")),
            [one] => Ok(one),
            _ => Err(EngineError::user(
                "usage",
                "`--repo` stands here more than once",
                "name one repository; only `proofhouse serve` shows several",
            )),
        }
    }
}

const EXIT_CODES: &str = "Start here:
  proofhouse demo              see it work: no model, no key, a folder of its own
  proofhouse doctor            what this machine can hold, and what is missing
  proofhouse init              in your repository: choose who works
  proofhouse do 'SENTENCE'     have it done in a worktree; then `diff`, `land`
  proofhouse add 'SENTENCE'    the same under another workflow: `add`, `phase`, `slice`, `lights-out`
  proofhouse new --help        begin a task step by step; then `run`, `status`, `inbox`, `decide`

Exit codes: 0 done, 1 your error, 2 waiting for a person, 3 the environment's error, 70 a bug of ours, 130 interrupted.";

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Do something, from a sentence to work that can be landed: `new` and `run` in one
    #[command(after_help = "Examples:
  proofhouse do 'make slugs keep digits'
  proofhouse do 'totals include tax' --check 'cargo test' --agent claude

The work is done in a worktree of its own; your tree is not touched. `diff` shows it, `land` puts it
onto your branch as one commit.")]
    Do(Do),
    #[command(flatten)]
    Under(Under),
    /// Start a run: make its task folder and its journal
    #[command(after_help = "Example:
  proofhouse new phase --name slugs --set objective='Add slugify()' \\
    --set done_gate='cargo test passes' --check 'cargo test' --agent command:my-agent")]
    New(New),
    /// Drive a run until it is done or a person must decide
    #[command(after_help = "Example:\n  proofhouse run slugs --once")]
    Run(Run),
    /// Go on with a run that was interrupted (the same as `run`)
    #[command(after_help = "Example:\n  proofhouse resume slugs")]
    Resume(Run),
    /// Look on while another process drives a run, until it rests
    #[command(
        after_help = "Example:\n  proofhouse attach slugs\n\nCtrl-C ends the looking on, and nothing else."
    )]
    Attach {
        /// The run
        run: String,
    },
    /// End the process that drives a run, as Ctrl-C does; the run itself can go on later
    #[command(
        after_help = "Example:\n  proofhouse stop slugs\n\nTo end the run itself, say `proofhouse decide slugs stop`."
    )]
    Stop {
        /// The run
        run: String,
    },
    /// Show where a run stands, or all runs
    #[command(after_help = "Example:\n  proofhouse status slugs --json")]
    Status {
        /// The run, or a milestone (default: all of them)
        run: Option<String>,
    },
    /// Show what happened in a run
    #[command(after_help = "Examples:
  proofhouse log slugs --last 20
  proofhouse log --follow               every run and project, as they go
  proofhouse log slugs --follow --from 12 --json")]
    Log(Log),
    /// Show a run as it was at one of its records: state, counters, question, spending; writes nothing
    #[command(after_help = "Examples:
  proofhouse replay slugs --at 35
  proofhouse replay slugs --with ./mine/phase   up to where that workflow goes another way")]
    Replay(Replay),
    /// Leave a run at one of its records, in a new one: for another agent, or another answer
    #[command(after_help = "Examples:
  proofhouse fork slugs --at 35
  proofhouse fork slugs --at 16 --agent codex --name slugs-codex

The other run stays as it is. What it had used up by then, the new one has used up too.")]
    Fork(Fork),
    /// Lead a run back to one of its commits: a decision, and the work follows by a commit more
    #[command(after_help = "Example:
  proofhouse rewind slugs --at 35 --because 'the design was wrong'

Nothing is cut: the journal goes on, and what is gone back from stays in a commit. What was used up stays used up.")]
    Rewind(Rewind),
    /// Show what came of two runs, what each cost, and how their work differs
    #[command(after_help = "Example:\n  proofhouse compare slugs slugs-fork")]
    Compare(Compare),
    /// Print a run as OpenTelemetry spans (OTLP/JSON), or send them to a collector
    #[command(after_help = "Examples:
  proofhouse trace slugs > slugs.json
  proofhouse trace slugs --otlp http://localhost:4318

Names, numbers and verdicts go along; no brief, no answer, no code, nobody's name.")]
    Trace(Trace),
    /// Show everything that waits for a person
    #[command(after_help = "Examples:\n  proofhouse inbox\n  proofhouse inbox slugs")]
    Inbox {
        /// This run alone
        run: Option<String>,
    },
    /// Show what is due: decisions that wait, accepted risks by the day they end, open lessons
    #[command(after_help = "Examples:\n  proofhouse report --json\n  proofhouse report parser")]
    Report {
        /// A milestone, with where its tasks stand, or a run (default: all of the repository)
        name: Option<String>,
    },
    /// Show the lessons that tasks have left open, or settle some
    #[command(after_help = "Examples:
  proofhouse deltas
  proofhouse deltas fold 3f9a1c20 --because 'CONTRIBUTING.md, tests'
  proofhouse deltas reject 3f9a1c20 --because 'true of one machine only'")]
    Deltas {
        #[command(subcommand)]
        command: Option<DeltasCommand>,
    },
    /// Say what to do now
    #[command(after_help = "Examples:\n  proofhouse guide\n  proofhouse guide slugs")]
    Guide {
        /// This run or milestone alone
        run: Option<String>,
    },
    /// Show what a run has changed
    #[command(after_help = "Examples:
  proofhouse diff slugs
  proofhouse diff slugs --stat
  proofhouse diff slugs --tool vimdiff")]
    Diff(Diff),
    /// Put what a run made onto your branch, as one commit
    #[command(after_help = "Example:
  proofhouse land slugs

Only what is done can land. Your own changes are never written over: git refuses, and says where.")]
    Land(Land),
    /// Remove the worktree of a run that is over; a ref keeps what was in it
    #[command(after_help = "Example:\n  proofhouse discard slugs")]
    Discard {
        /// The run
        run: String,
    },
    /// Push what a run made as a branch, and open a pull request with its evidence
    #[command(after_help = "Example:
  proofhouse pr slugs

With `gh` or `glab` it is opened; without, the branch is pushed and the text printed.")]
    Pr(Pr),
    /// End a run and tidy up after it; a ref keeps what was made
    #[command(after_help = "Example:
  proofhouse abandon slugs --because 'not worth it'

A run that is not over is stopped first: a decision like any other, signed or typed at a terminal.")]
    Abandon(Abandon),
    /// Decide what a run waits for
    #[command(after_help = "Examples:
  proofhouse decide slugs approve --because 'read the diff, it is fine' --run
  proofhouse decide slugs extend --because 'close, one more try' --sign ~/.ssh/id_ed25519

Where .proofhouse/approvers exists (OpenSSH allowed_signers format), a decision must be signed.
Otherwise it needs a terminal and the typed run code.")]
    Decide(Decide),
    /// Report a green that was not earned: the run goes back to build, and it is counted
    #[command(after_help = "Example:
  proofhouse heal slugs --reason 'returns the three slugs of the tests and nothing else'

A decision like any other: signed, or typed at a terminal. Three times; then it is a HARD-STOP.")]
    Heal(Heal),
    /// Open a task that is done again, in one of its phases
    #[command(after_help = "Example:
  proofhouse reopen slugs --to build --reason 'umlauts are lost'

A decision like any other: signed, or typed at a terminal. Gates behind the phase stand no more.")]
    Reopen(Reopen),
    /// Recompute everything that runs claim; exit 1 on any finding
    #[command(after_help = "Examples:
  proofhouse audit --ci
  proofhouse audit --covers origin/main..HEAD
  proofhouse audit --ci --format sarif > proofhouse.sarif")]
    Audit(Audit),
    /// Vouch for a run that is over with a key: in-toto statements, each in a DSSE envelope
    #[command(after_help = "Examples:
  proofhouse attest slugs --sign ~/.ssh/id_ed25519 --out slugs.intoto.jsonl
  proofhouse verify slugs.intoto.jsonl --key id_ed25519.pub

Only what `audit` bears out is vouched for. docs/attest.md says how other tools read it.")]
    Attest(Attest),
    /// Check what `attest` wrote, without network, journal or repository; exit 1 unless all of it holds
    #[command(after_help = "Examples:
  proofhouse verify slugs.intoto.jsonl --key release.pub
  proofhouse verify slugs.intoto.jsonl --approvers approvers --json")]
    Verify(Verify),
    /// What a build server needs
    #[command(after_help = "Example:\n  proofhouse ci init --for github")]
    Ci {
        #[command(subcommand)]
        command: CiCommand,
    },
    /// Be a server of tools for your own agent (MCP, on standard input and output)
    #[command(
        after_help = "Example, for Claude Code:\n  claude mcp add proofhouse -- proofhouse mcp"
    )]
    Mcp,
    /// Show runs in the browser, live, on this machine alone
    #[command(after_help = "Examples:
  proofhouse serve
  proofhouse serve --repo ~/one --repo ~/two --no-open

It listens on loopback only and shows nothing without the token in the address that it prints. It only
shows, and names the commands that answer; with `--decide` a passkey answers on the page.")]
    Serve(Serve),
    /// Who may decide: `.proofhouse/approvers`
    #[command(after_help = "Examples:
  proofhouse approver list
  proofhouse approver add 'ada@example.org ssh-ed25519 AAAA...' --sign ~/.ssh/id_ed25519")]
    Approver {
        #[command(subcommand)]
        command: ApproverCommand,
    },
    /// Take the records of runs to where others are, or from there
    #[command(after_help = "Examples:
  proofhouse records push
  proofhouse records fetch upstream

Records of runs are commits on refs/proofhouse/records/RUN, and their work on refs/proofhouse/RUN; git
takes them along as well: `git push origin 'refs/proofhouse/*:refs/proofhouse/*'`.")]
    Records {
        #[command(subcommand)]
        command: RecordsCommand,
    },
    /// Begin a milestone, say which one is meant, put one away
    #[command(after_help = "Example:\n  proofhouse milestone list")]
    Milestone {
        #[command(subcommand)]
        command: MilestoneCommand,
    },
    /// Work on a milestone: several tasks at once, each in a worktree, merged one by one
    #[command(after_help = "Examples:
  proofhouse wave run parser --jobs 4
  proofhouse wave status parser --json

A milestone is .proofhouse/milestones/NAME/milestone.toml; docs/waves.md shows one.")]
    Wave {
        #[command(subcommand)]
        command: WaveCommand,
    },
    /// Remove merged worktrees and scratch of finished runs; never an unmerged one
    #[command(after_help = "Example:\n  proofhouse gc --dry-run")]
    Gc {
        /// Only say what would be removed
        #[arg(long)]
        dry_run: bool,
    },
    /// List, show, lint, check and export workflows
    #[command(after_help = "Examples:
  proofhouse workflow check phase
  proofhouse workflow export phase --format mermaid")]
    Workflow {
        #[command(subcommand)]
        command: WorkflowCommand,
    },
    /// See it work: a SPEC.md of one page becomes tested, sealed modules, on a scripted agent
    #[command(after_help = "Examples:
  proofhouse demo --dir /tmp/proofhouse-demo    a project of the factory, about a minute
  proofhouse demo --workflow phase              one task, some seconds

Needs git and cargo; no network, no model, no key. It works in a folder of its own.")]
    Demo(Demo),
    /// Show settings and where each comes from
    #[command(after_help = "Example:\n  proofhouse config show --json")]
    Config {
        #[command(subcommand)]
        command: ConfigCommand,
    },
    /// Write a commented .proofhouse/config.toml
    #[command(
        after_help = "Examples:\n  proofhouse init --yes\n  proofhouse init --agent claude\n  proofhouse init --for claude --for codex"
    )]
    Init {
        /// Who works; asks nothing
        #[arg(long, value_name = "AGENT")]
        agent: Option<String>,
        /// Ask nothing, take what was found
        #[arg(long)]
        yes: bool,
        /// Begin nothing before a person has locked the setup (`proofhouse lock`)
        #[arg(long)]
        await_lock: bool,
        #[command(flatten)]
        agents: AgentFiles,
        #[command(flatten)]
        clients: ClientFiles,
    },
    /// Answer a hook of your own agent, as `init --for` sets it up
    #[command(after_help = "Example:\n  proofhouse hook stop < MESSAGE")]
    Hook {
        #[command(subcommand)]
        command: HookCommand,
    },
    /// Lock the project's setup, its config and who may decide; needs a person
    #[command(after_help = "Example:
  proofhouse lock --because 'read the config: commands, agents, budgets'")]
    Lock(Lock),
    /// Say what this machine has of what Proofhouse needs
    #[command(after_help = "Example:\n  proofhouse doctor")]
    Doctor,
    /// From a SPEC.md to released modules: draft, approve, plan, build, release
    #[command(after_help = "Examples:
  proofhouse factory new SPEC.md --agent claude
  proofhouse factory validate spec.json
  proofhouse factory plan spec.json --dry-run --json
  proofhouse factory fingerprint contract.json --against locked.json

The usual way: new, run, review, approve, run. `validate`, `plan`, `render` and `fingerprint` need
no repository; the others do.")]
    Factory {
        #[command(subcommand)]
        command: FactoryCommand,
    },
    /// Resolve an escalation of the factory; needs a person
    #[command(after_help = "Example:
  proofhouse resolve ESC-1a2b3c4d --action ABANDON_TASK --payload why.json")]
    Resolve(Resolve),
    /// Print the JSON Schema of one of the factory's documents, or list them
    #[command(after_help = "Example:\n  proofhouse schema MicroModuleContract")]
    Schema {
        /// Which document (default: list them)
        name: Option<String>,
    },
    /// Run a command under a sandbox policy, to try what an agent could reach
    #[command(after_help = "Example:\n  proofhouse sandbox run --write . -- cargo test")]
    Sandbox {
        #[command(subcommand)]
        command: SandboxCommand,
    },
    /// Search and keep the Code Index: shipped modules, to be reused before new ones are made
    #[command(after_help = "Examples:
  proofhouse index search 'turn a title into a slug' --tag text
  proofhouse index show MM-0001@1.0.0 --global
  proofhouse index reindex --embedder folder:models/all-MiniLM-L6-v2")]
    Index(Index),
    /// Write pages for `man`, one for each command
    #[command(after_help = "Example:\n  proofhouse man ~/.local/share/man/man1")]
    Man {
        /// The folder to write them to
        folder: PathBuf,
    },
    /// Print shell completions
    #[command(
        after_help = "Example:\n  proofhouse completions bash > ~/.local/share/bash-completion/completions/proofhouse"
    )]
    Completions {
        /// The shell
        #[arg(required_unless_present = "runs")]
        shell: Option<clap_complete::Shell>,
        /// Print the names of the runs here instead; the scripts ask for them
        #[arg(long, conflicts_with = "shell")]
        runs: bool,
    },
}

impl Command {
    /// The workflow and the sentence of every command that has something done.
    pub(crate) fn sentence(&self) -> Option<(&str, &Sentence)> {
        match self {
            Command::Do(asked) => Some((&asked.workflow, &asked.sentence)),
            Command::Under(asked) => Some((asked.workflow, &asked.sentence)),
            _ => None,
        }
    }
}

#[derive(Debug, Subcommand)]
pub(crate) enum ConfigCommand {
    /// What is set, with its value and its source
    Show {
        /// Only settings whose name begins so, set or not
        name: Option<String>,
        /// Every setting there is, with its default and what it is for
        #[arg(long)]
        all: bool,
    },
    /// Let settings of the committed config.toml count that open the sandbox or the network; asks at
    /// the terminal
    Confirm,
}

/// A text that says something: a run is paid for by what was asked, and a reason is kept for ever.
fn said(text: &str) -> Result<String, String> {
    match text.trim().is_empty() {
        true => Err("it is empty; write what there is to say".to_owned()),
        false => Ok(text.to_owned()),
    }
}

#[derive(Debug, clap::Args)]
pub(crate) struct Do {
    #[command(flatten)]
    pub(crate) sentence: Sentence,
    /// The workflow (`proofhouse workflow list`)
    #[arg(long, default_value = under::USUAL)]
    pub(crate) workflow: String,
}

#[derive(Debug, clap::Args)]
pub(crate) struct New {
    /// The workflow (`proofhouse workflow list`)
    pub(crate) workflow: String,
    /// What you want, in a sentence, for workflows that take it (`lights-out "build me X"`)
    #[arg(value_parser = said)]
    pub(crate) request: Option<String>,
    /// Write files that the workflow needs and you do not have from their templates, without asking
    #[arg(long)]
    pub(crate) yes: bool,
    #[command(flatten)]
    pub(crate) how: How,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
pub(crate) enum AutonomyArg {
    Manual,
    Conservative,
    Auto,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
pub(crate) enum RiskArg {
    Normal,
    High,
}

#[derive(Debug, clap::Args)]
pub(crate) struct Run {
    /// The run (without it, the runs are listed)
    pub(crate) run: Option<String>,
    /// One attempt and what follows from it, then stop
    #[arg(long)]
    pub(crate) once: bool,
    /// Go on in the background, without this terminal; `attach` looks on, `stop` ends it
    #[arg(long)]
    pub(crate) detach: bool,
    /// Another agent than the run names
    #[arg(long)]
    pub(crate) agent: Option<String>,
    /// Write the state file anew from the journal first; the old one is kept beside it
    #[arg(long)]
    pub(crate) restore_views: bool,
}

#[derive(Debug, clap::Args)]
pub(crate) struct Log {
    /// The run (without it, the runs are listed); with `--follow` several, or none for all of them
    pub(crate) runs: Vec<String>,
    /// Only the last records
    #[arg(long, value_name = "N")]
    pub(crate) last: Option<usize>,
    /// Only from this record on
    #[arg(long, value_name = "SEQ", conflicts_with = "last")]
    pub(crate) from: Option<u64>,
    /// Go on as the journals grow, until Ctrl-C; without a run, begin with what comes
    #[arg(long, short)]
    pub(crate) follow: bool,
    /// One attempt instead: what the agent said and did, and its result. The last one, or this one
    #[arg(long, value_name = "ATTEMPT", num_args = 0..=1, default_missing_value = "")]
    #[arg(conflicts_with_all = ["follow", "last", "from"])]
    pub(crate) attempt: Option<String>,
}

#[derive(Debug, clap::Args)]
pub(crate) struct Decide {
    /// The run, or the project
    pub(crate) run: String,
    /// One of the options that `proofhouse inbox` shows
    pub(crate) option: String,
    /// What the option needs, a JSON object; for projects of the factory
    #[arg(long, value_name = "FILE")]
    pub(crate) payload: Option<PathBuf>,
    /// A member of it, such as `rationale=TEXT`; as for `resolve`
    #[arg(long, value_name = "NAME=VALUE", value_parser = pair, conflicts_with = "payload")]
    pub(crate) set: Vec<(String, String)>,
    /// Why; it is journaled, and goes into the next brief
    #[arg(long, value_name = "TEXT")]
    pub(crate) because: String,
    /// Go on at once with what follows from it, as `proofhouse run` does
    #[arg(long = "run", conflicts_with = "message")]
    pub(crate) go_on: bool,
    #[command(flatten)]
    pub(crate) signing: Signing,
}

#[derive(Debug, clap::Args)]
pub(crate) struct Demo {
    /// Where to make the sample repository; it stays there (default: a new folder in the temporary one)
    #[arg(long, value_name = "DIR")]
    pub(crate) dir: Option<PathBuf>,
    /// What to show: a whole project of the factory, or one task of the phase workflow
    #[arg(long, value_enum, default_value_t = DemoOf::Factory)]
    pub(crate) workflow: DemoOf,
    /// Play it live in the browser as well; the pages stay until Ctrl-C
    #[arg(long)]
    pub(crate) serve: bool,
    /// The port of the pages on loopback; 0 takes any that is free
    #[arg(long, value_name = "N", default_value_t = serve::PORT, requires = "serve")]
    pub(crate) port: u16,
    /// Print the address of the pages, and open no browser
    #[arg(long, requires = "serve")]
    pub(crate) no_open: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum DemoOf {
    Factory,
    Phase,
}

#[derive(Debug, Subcommand)]
pub(crate) enum WorkflowCommand {
    /// All workflows, built in and your own
    List,
    /// A workflow's states, transitions and roles
    Show {
        /// Its name, or a folder
        name: String,
        /// Print the file itself
        #[arg(long)]
        source: bool,
    },
    /// Load a workflow and say everything that is wrong with it, with file and line
    Lint {
        /// Its name, or a folder
        name: String,
    },
    /// Explore every reachable combination and prove that it cannot get stuck or loop for ever
    Check {
        /// Its name, or a folder
        name: String,
    },
    /// Print its transition table in another notation
    Export {
        /// Its name, or a folder
        name: String,
        /// The notation
        #[arg(long, value_enum, default_value_t = Format::Json)]
        format: Format,
        /// For `tla`: write the module and its configuration into this folder
        #[arg(long, value_name = "DIR")]
        out: Option<PathBuf>,
    },
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Format {
    Json,
    Mermaid,
    Dot,
    Tla,
}

/// From the table of connectors, so that none is left out.
fn who_works() -> String {
    format!(
        "Who works: one of {} (default: `agent` of the config)",
        agents::forms()
    )
}

#[cfg(test)]
mod tests {
    use super::under::USUAL;
    use super::*;

    #[test]
    fn every_workflow_that_takes_a_sentence_is_a_command_that_asks_the_same_as_do() {
        let asked = |words: &[&str]| {
            let more = ["keep digits", "--exam", "--name", "k", "--check", "make"];
            let args = Args::try_parse_from([&["proofhouse"], words, &more[..]].concat());
            let command = args.unwrap().command;
            let (workflow, sentence) = command.sentence().unwrap();
            (workflow.to_owned(), format!("{sentence:?}"))
        };
        assert_eq!(asked(&["do"]).0, USUAL);
        let others = flow::built_in_names().filter(|name| *name != USUAL);
        for name in others {
            assert_eq!(asked(&[name]), asked(&["do", "--workflow", name]));
            assert_eq!(asked(&[name]).0, name);
            let all = <Args as clap::CommandFactory>::command();
            let about = all.find_subcommand(name).and_then(|own| own.get_about());
            let says = about.map(ToString::to_string).unwrap_or_default();
            assert!(says.ends_with(flow::built_in_with(name)), "{name}: {says}");
        }
    }
}

#[derive(Debug, Subcommand)]
pub(crate) enum HookCommand {
    /// Is there something that a guest should hand in, or mend, before it stops?
    Stop,
}

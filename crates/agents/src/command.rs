//! Any program as an agent: the brief on its standard input, a result file when it is done.
//!
//! The operating system is believed before the program: a result beside a non-zero exit, or left by
//! a program that we had to kill, does not count.

mod telling;

use crate::agent::{Agent, Order, Reply};
use crate::connections::Connections;
use crate::environment::{environment, secrets};
use crate::external::program_roots;
use crate::home::Home;
use crate::program::no_program;
use crate::transcript::{TRANSCRIPT_BYTES, Transcript};
use kernel::outcome::Class;
use sandbox::{Cancel, Ended, Killed, Launch, Limits};
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::Duration;
use telling::Telling;

/// There is no program to run.
#[derive(Debug, thiserror::Error)]
#[error("the command agent has no program; give it one, such as [\"my-agent\", \"--flag\"]")]
pub struct NoProgram;

/// A connector that runs one program per attempt.
#[derive(Debug, Clone)]
pub struct Command {
    argv: Vec<String>,
    env: BTreeMap<String, String>,
    idle: Option<Duration>,
}

impl Command {
    /// A connector for this argument vector. The program is looked up when an attempt starts.
    ///
    /// # Errors
    /// [`NoProgram`] if the vector or its first word is empty.
    pub fn new(argv: Vec<String>) -> Result<Self, NoProgram> {
        match argv.first() {
            Some(program) if !program.is_empty() => Ok(Self {
                argv,
                env: BTreeMap::new(),
                idle: None,
            }),
            _ => Err(NoProgram),
        }
    }

    /// The same with more environment and a limit to its silence.
    #[must_use]
    pub(crate) fn with(mut self, env: BTreeMap<String, String>, idle: Option<Duration>) -> Self {
        (self.env, self.idle) = (env, idle);
        self
    }

    /// Ours goes over the user's: `PROOFHOUSE_*` cannot be set.
    fn env(&self, order: &Order) -> BTreeMap<String, String> {
        let mut env = environment(order);
        for (name, value) in &self.env {
            if !name.starts_with("PROOFHOUSE_") {
                env.insert(name.clone(), value.clone());
            }
        }
        env
    }

    fn launch(&self, order: &Order) -> Launch {
        let limits = Limits {
            wall: order.wall,
            idle: self.idle,
            output_bytes: TRANSCRIPT_BYTES,
        };
        let dir = order.view.join("repo");
        Launch {
            stdin: order.brief.clone().into_bytes(),
            pid_file: Some(Home::of(order).pid()),
            policy: self.policy(order),
            ..Launch::new(self.argv.clone(), dir, self.env(order), limits)
        }
    }
}

impl Command {
    /// The order's policy, with what the program itself needs: its own files and its brief.
    fn policy(&self, order: &Order) -> Option<sandbox::Policy> {
        let mut policy = order.policy.clone()?;
        let path = sandbox::base_env().remove("PATH").unwrap_or_default();
        policy
            .read
            .extend(program_roots(&self.argv[0], &path, &order.view));
        let files = self
            .argv
            .iter()
            .map(PathBuf::from)
            .filter(|file| file.is_absolute() && file.is_file());
        policy.read.extend(files);
        policy.read.push(Home::of(order).brief());
        Some(policy)
    }
}

impl Agent for Command {
    fn name(&self) -> &str {
        "command"
    }

    fn lacks(&self) -> Option<String> {
        no_program(
            &self.argv[0],
            "name one on PATH, or one that is there by its full path",
        )
    }

    fn run(&self, order: &Order, cancel: &Cancel, progress: &dyn Fn(&str)) -> Reply {
        let home = Home::of(order);
        if let Err(error) = home.prepare(&order.brief) {
            let reason = format!("the attempt's folder cannot be prepared: {error}");
            return Reply::bare(Class::CouldNotRun, reason);
        }
        progress(&format!("running {}", self.argv[0]));
        let launch = self.launch(order);
        let secrets = secrets(&launch);
        let mut telling = Telling::new(progress, &secrets);
        let ended = sandbox::run_with(&launch, cancel, &mut telling);
        telling.end();
        let ended = match ended {
            Ok(ended) => ended,
            Err(error) => return Reply::bare(Class::CouldNotRun, error.to_string()),
        };
        let mut transcript = Transcript::default();
        transcript.bytes(&ended.output);
        let mut reply = match failure(&ended) {
            None => {
                let mut reply = home.reply();
                let nothing = std::fs::metadata(home.result()).is_ok_and(|file| file.len() == 0);
                if reply.class == Class::Crashed || nothing {
                    // Whoever leaves nothing behind has often said why. What is wrong with a result that
                    // is there, the judge says.
                    reply.reason = with_last_line(reply.reason, &ended);
                }
                reply
            }
            Some((class, reason)) => {
                // What it left says what it cost, and must not be recovered as its answer.
                let usage = home.read().map(|judged| judged.usage).unwrap_or_default();
                if let Err(error) = home.set_aside() {
                    transcript.line(&format!("its result cannot be set aside: {error}"));
                }
                Reply {
                    usage,
                    ..Reply::bare(class, reason)
                }
            }
        };
        transcript.line(&format!("[{}: {}]", reply.class.as_str(), reply.reason));
        reply.transcript = transcript.finish();
        Connections::of(&ended).tell(&mut reply);
        reply
    }

    fn recover(&self, order: &Order) -> Option<Reply> {
        Home::of(order).recover()
    }
}

/// How the program failed, if it did. Our own kill comes first: a program may answer a kill
/// with a clean exit.
pub(crate) fn failure(ended: &Ended) -> Option<(Class, String)> {
    if let Some(killed) = ended.killed {
        return Some((killed_class(killed), killed.to_string()));
    }
    if let Some(reason) = survivors(ended) {
        return Some((Class::Crashed, reason));
    }
    match (ended.exit, ended.signal) {
        (Some(0), _) => None,
        (Some(code), _) => Some((
            Class::Crashed,
            with_last_line(format!("exit code {code}"), ended),
        )),
        (None, Some(signal)) => Some((
            Class::Crashed,
            with_last_line(format!("ended by signal {signal}"), ended),
        )),
        (None, None) => Some((Class::Crashed, "ended without an exit code".to_owned())),
    }
}

/// The class of an attempt that we killed.
pub(crate) fn killed_class(killed: Killed) -> Class {
    match killed {
        Killed::Wall(_) | Killed::Idle(_) => Class::TimedOut,
        Killed::Cancelled => Class::Killed,
    }
}

/// Why the tree cannot be trusted, if it cannot: something still runs and may still write.
pub(crate) fn survivors(ended: &Ended) -> Option<String> {
    let count = ended.survivors;
    (count > 0).then(|| format!("{count} of its processes could not be killed and may still write"))
}

fn with_last_line(reason: String, ended: &Ended) -> String {
    let stderr = String::from_utf8_lossy(&ended.stderr);
    match stderr.lines().rev().find(|line| !line.trim().is_empty()) {
        None => reason,
        // A reason is one line on a screen, whatever the program printed.
        Some(line) => format!(
            "{reason}: {}",
            line.trim().chars().take(200).collect::<String>()
        ),
    }
}

//! External coding agents: each is a program of somebody else's, started headless in the view, heard
//! line by line and judged by what it says and what the system saw.
//!
//! One runner serves all of them; what differs is a [`kind::Kind`] each. None is started in the
//! user's own configuration.

mod answer;
mod confine;
pub(crate) mod dialect;
pub(crate) mod gate;
mod hearing;
pub(crate) mod kind;
mod log;
mod meter;
pub(crate) mod own;
pub(crate) mod place;
pub(crate) mod plan;
mod reach;
pub(crate) mod relocate;
pub(crate) mod settings;
pub(crate) mod setup;
#[cfg(test)]
mod tests;
pub(crate) mod trouble;
mod verdict;

use crate::agent::{Agent, Order, Reply};
use crate::allowance::STOPPED;
use crate::connections::Connections;
use crate::environment::secrets;
use crate::home::Home;
use crate::program::no_program;
use crate::transcript::TRANSCRIPT_BYTES;
pub(crate) use confine::program_roots;
use hearing::Hearing;
use kernel::outcome::Class;
use kind::{Counts, External, Kind};
use log::{EventLog, Left};
use meter::Meter;
use place::Place;
use sandbox::{Cancel, Ended, Killed, Launch, Limits};
use settings::{Resuming, Settings};
use setup::LetIn;
use std::io;
use std::path::Path;
use store::redact::{redact, redact_bytes};

/// The hosts of providers, for agents that can use any of them.
pub(crate) const PROVIDER_HOSTS: &[&str] = &[
    "api.anthropic.com",
    "api.openai.com",
    "generativelanguage.googleapis.com",
    "openrouter.ai",
];

/// Their keys.
pub(crate) const PROVIDER_KEYS: &[&str] = &[
    "ANTHROPIC_API_KEY",
    "ANTHROPIC_BASE_URL",
    "OPENAI_API_KEY",
    "OPENAI_BASE_URL",
    "GEMINI_API_KEY",
    "GOOGLE_GENERATIVE_AI_API_KEY",
    "GOOGLE_GEMINI_BASE_URL",
    "OPENROUTER_API_KEY",
    "GROQ_API_KEY",
    "MISTRAL_API_KEY",
    "XAI_API_KEY",
    "DEEPSEEK_API_KEY",
];

/// The variable of the provider that a `PROVIDER/MODEL` names.
pub(crate) fn key_of_provider(model: Option<&str>) -> String {
    match model.and_then(|model| model.split_once('/')) {
        None => "ANTHROPIC_API_KEY".to_owned(),
        Some(("google" | "gemini", _)) => "GEMINI_API_KEY".to_owned(),
        Some((provider, _)) => format!("{}_API_KEY", provider.to_uppercase().replace('-', "_")),
    }
}

/// A connector for one kind of external agent.
#[derive(Debug)]
pub(crate) struct Connector {
    name: &'static str,
    kind: Box<dyn Kind>,
    settings: Settings,
}

impl Connector {
    pub(crate) fn new(agent: &External, settings: Settings) -> Self {
        Self {
            name: agent.name(),
            kind: agent.kind(),
            settings,
        }
    }

    /// The program that is started.
    pub(crate) fn program(&self) -> &str {
        let set = self.settings.program.as_deref();
        set.unwrap_or(self.kind.program())
    }

    fn launch(&self, order: &Order, place: &Place) -> io::Result<Launch> {
        place.make(self.kind.logins(), self.settings.login)?;
        let let_in = LetIn::bring(&self.kind.setup(), &self.settings.setup, place)?;
        let_in.note(&order.home)?;
        let place = &Place {
            servers: let_in.servers.clone(),
            ..place.clone()
        };
        let plan = self.kind.plan(&self.settings, order, place)?;
        let mut argv = vec![self.program().to_owned()];
        argv.extend(plan.args.iter().cloned());
        let mut env = place.environment(self.kind.keys(), &plan, &self.settings, order);
        if let Some(url) = &self.settings.base_url {
            env.insert(self.kind.base_variable(&self.settings), url.clone());
        }
        if let Some(file) = &self.settings.key_file {
            let variable = self.kind.key_variable(&self.settings);
            env.insert(variable, key_of(file)?);
        }
        let limits = Limits {
            wall: order.wall,
            idle: Some(self.settings.idle),
            output_bytes: TRANSCRIPT_BYTES,
        };
        let linked = Place::linked(self.kind.logins(), self.settings.login);
        let mut policy = confine::policy(
            order.policy.as_ref(),
            self.program(),
            self.kind.hosts(),
            &env,
            linked,
            &order.view,
        );
        if let Some(policy) = &mut policy {
            let path = env.get("PATH").map_or("", String::as_str);
            let programs = let_in.programs();
            let roots = programs.iter();
            let roots = roots.flat_map(|program| program_roots(program, path, &order.view));
            policy.read.extend(roots);
        }
        Ok(Launch {
            stdin: plan.stdin,
            pid_file: Some(Home::of(order).pid()),
            policy,
            ..Launch::new(argv, place.repo.clone(), env, limits)
        })
    }

    /// The end of an attempt that was heard.
    fn finish(
        &self,
        mut hearing: Hearing<'_>,
        ended: &Ended,
        home: &Home<'_>,
        secrets: &[&str],
    ) -> Reply {
        hearing.finish();
        let heard = hearing.dialect.heard();
        let reply = verdict::judge(heard, ended, home);
        let mut reply = self.complete(reply, heard.model.as_deref(), secrets);
        Connections::of(ended).tell(&mut reply);
        let mut transcript = hearing.transcript;
        // Why is for people: the transcript says it, and not the reason.
        if let (Some(what), Some(Killed::Cancelled)) = (hearing.meter.used_up, ended.killed) {
            STOPPED.clone_into(&mut reply.reason);
            transcript.line(&format!(
                "[killed by us: the cap of the {what} was reached]"
            ));
        }
        if reply.class != Class::Done
            && let Err(error) = home.set_aside()
        {
            transcript.line(&format!("its result cannot be set aside: {error}"));
        }
        if let Some(error) = hearing.log.close(reply.class.as_str()) {
            transcript.line(&format!("its events could not all be saved: {error}"));
        }
        transcript.line(&format!("[{}: {}]", reply.class.as_str(), reply.reason));
        reply.transcript = redact_bytes(&transcript.finish(), secrets);
        reply
    }

    /// Without secrets, and with a price where the agent counts tokens alone.
    fn complete(&self, mut reply: Reply, model: Option<&str>, secrets: &[&str]) -> Reply {
        reply.reason = redact(&reply.reason, secrets);
        reply.result = reply.result.map(|result| {
            let text = redact(&result.to_string(), secrets);
            serde_json::from_str(&text).unwrap_or(result)
        });
        reply.model = model.map(str::to_owned).or(self.settings.model.clone());
        let price = self.settings.price_of(model);
        reply.usage = meter::priced(reply.usage, price);
        let usage = reply.usage;
        let all = usage.input_tokens.saturating_add(usage.output_tokens);
        let unpriced = price.is_none() && usage.micro_dollars == 0 && all > 0;
        if unpriced && self.kind.counts() == Counts::Tokens {
            let says = format!("; its {all} tokens have no known price and count as $0");
            reply.reason.push_str(&says);
        }
        reply
    }
}

/// The key in a file. The file's place is told when it cannot be read, its content never.
fn key_of(file: &Path) -> io::Result<String> {
    let failed = |why: String| {
        io::Error::other(format!(
            "the key file {} {why}; write the key there, and nothing else",
            file.display()
        ))
    };
    let text = std::fs::read_to_string(file)
        .map_err(|error| failed(format!("cannot be read ({error})")))?;
    match text.trim() {
        "" => Err(failed("is empty".to_owned())),
        key => Ok(key.to_owned()),
    }
}

impl Agent for Connector {
    fn name(&self) -> &str {
        self.name
    }

    fn run(&self, order: &Order, cancel: &Cancel, progress: &dyn Fn(&str)) -> Reply {
        let home = Home::of(order);
        let place = Place::of(order, self.kind.sessions());
        let prepared = home
            .prepare(&order.brief)
            .and_then(|()| Ok((EventLog::create(&order.home)?, self.launch(order, &place)?)));
        let (log, launch) = match prepared {
            Ok(prepared) => prepared,
            Err(error) => {
                let reason = format!("the attempt's folder cannot be prepared: {error}");
                return Reply::bare(Class::CouldNotRun, reason);
            }
        };
        progress(&format!("running {}", self.program()));
        let provider = reach::first(self.kind.hosts(), &launch.env);
        // Without a policy there is nobody who would wait for it.
        let provider = provider.filter(|_| launch.policy.is_some());
        if let Some(why) = provider.and_then(|provider| reach::unreachable(&provider)) {
            progress(&why);
        }
        let secrets = secrets(&launch);
        let dialect = self.kind.dialect(order, &place);
        // A switch of its own: the order's passes on to it, and the meter throws this one alone.
        let stop = Cancel::new();
        let switch = stop.clone();
        let _woken = cancel.wake(move || switch.cancel());
        let meter = Meter::new(order.allowance, &self.settings, stop.clone());
        let mut hearing = Hearing::new(dialect, log, meter, progress, &secrets);
        if order.continues.is_some() && place.continues.is_none() {
            let line = "[the earlier session is not here any more: this is a new one]";
            hearing.transcript.line(line);
        }
        match sandbox::run_with(&launch, &stop, &mut hearing) {
            Ok(ended) => self.finish(hearing, &ended, &home, &secrets),
            Err(error) => Reply::bare(Class::CouldNotRun, error.to_string()),
        }
    }

    fn lacks(&self) -> Option<String> {
        let mend = format!("install it, or set `agents.{}.program`", self.name);
        no_program(self.program(), &mend)
    }

    fn resumes(&self) -> bool {
        self.settings.session == Resuming::Resume
    }

    fn goes_on(&self, order: &Order) -> bool {
        let place = Place::of(order, self.kind.sessions());
        self.resumes() && place.continues.is_some()
    }

    fn recover(&self, order: &Order) -> Option<Reply> {
        let left = Left::read(&order.home)?;
        let mut dialect = self
            .kind
            .dialect(order, &Place::of(order, self.kind.sessions()));
        for line in left.lines() {
            dialect.line(line);
        }
        let reply = verdict::recovered(dialect.heard(), &Home::of(order))?;
        // If we saw the end, our word stands: an agent that we killed may say that it is done.
        let known = left.ended();
        if known.is_some_and(|class| class != reply.class.as_str()) {
            return None;
        }
        Some(Reply {
            transcript: left.transcript(),
            ..self.complete(reply, dialect.heard().model.as_deref(), &[])
        })
    }
}

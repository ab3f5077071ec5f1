//! The only list of connectors: what people write, the config's keys, the help of `--agent`, what
//! `init` looks for and what the tests try all come from it.

use crate::acp::Acp;
use crate::anthropic;
use crate::claude::Claude;
use crate::codex::Codex;
use crate::codex_app::CodexApp;
use crate::external::kind::{External, MakeKind};
use crate::gemini::Gemini;
use crate::guest::GUEST;
use crate::openai;
use crate::opencode::Opencode;
use crate::pi::Pi;
use crate::wire::Provider;

/// One connector.
pub(crate) struct Row {
    /// The word that people write first; the config's settings are below `agents.NAME`.
    pub(crate) name: &'static str,
    /// What follows it; in brackets what can be left out.
    pub(crate) follows: &'static str,
    pub(crate) how: How,
}

/// What a connector is made of, and with it which settings mean something.
#[derive(Clone, Copy)]
pub(crate) enum How {
    /// A coding agent with a program of its own; a model may follow the name.
    Coding(MakeKind),
    /// Any program that speaks the agent's protocol; it follows the name.
    Protocol(MakeKind),
    /// A model in our own tool loop.
    Model(Provider),
    /// Any program.
    Command,
    /// A person's own session.
    Guest,
    Scripted,
}

const fn coding(name: &'static str, follows: &'static str, kind: MakeKind) -> Row {
    let how = How::Coding(kind);
    Row { name, follows, how }
}

const fn model(provider: Provider) -> Row {
    Row {
        name: provider.name,
        follows: ":MODEL[@BASE_URL]",
        how: How::Model(provider),
    }
}

pub(crate) static TABLE: &[Row] = &[
    coding("claude", "[:MODEL]", |_| Box::new(Claude)),
    coding("codex", "[:MODEL]", |_| Box::new(Codex)),
    coding("codex-app", "[:MODEL]", |_| Box::new(CodexApp)),
    coding("gemini", "[:MODEL]", |_| Box::new(Gemini)),
    coding("opencode", "[:PROVIDER/MODEL]", |_| Box::new(Opencode)),
    coding("pi", "[:PROVIDER/MODEL]", |_| Box::new(Pi)),
    Row {
        name: "acp",
        follows: ":PROGRAM ARGS",
        how: How::Protocol(|argv| Box::new(Acp { argv })),
    },
    model(anthropic::PROVIDER),
    model(openai::RESPONSES),
    model(openai::CHAT),
    Row {
        name: "command",
        follows: ":PROGRAM ARGS",
        how: How::Command,
    },
    Row {
        name: GUEST,
        follows: "",
        how: How::Guest,
    },
    Row {
        name: "scripted",
        follows: ":FILE",
        how: How::Scripted,
    },
];

impl Row {
    fn form(&self) -> String {
        format!("`{}{}`", self.name, self.follows)
    }
}

impl How {
    /// The settings of the config that mean something.
    pub(crate) fn settings(self) -> &'static [&'static str] {
        match self {
            How::Coding(_) => &[
                "program",
                "args",
                "env",
                "base_url",
                "login",
                "key_file",
                "idle_seconds",
                "session",
                "setup",
            ],
            How::Protocol(_) => &["args", "env", "idle_seconds", "session"],
            How::Model(_) => &["key_file", "idle_seconds", "session"],
            How::Command => &["env", "idle_seconds"],
            How::Guest | How::Scripted => &[],
        }
    }
}

/// The row of a name.
pub(crate) fn row(name: &str) -> Option<&'static Row> {
    TABLE.iter().find(|row| row.name == name)
}

/// The connectors' names, as specs and the config spell them.
pub fn names() -> impl Iterator<Item = &'static str> {
    TABLE.iter().map(|row| row.name)
}

/// The connector that somebody meant who wrote another name.
pub(crate) fn near(name: &str) -> Option<&'static str> {
    match row(name) {
        Some(_) => None,
        None => kernel::near::nearest(name, names()),
    }
}

/// Everything that can be written to name an agent, for people.
pub fn forms() -> String {
    let forms: Vec<String> = TABLE.iter().map(Row::form).collect();
    forms.join(", ")
}

/// The same without the coding agents that [`crate::readiness`] looks for.
pub fn other_forms() -> String {
    let others = TABLE
        .iter()
        .filter(|row| !matches!(row.how, How::Coding(_)));
    let forms: Vec<String> = others.map(Row::form).collect();
    forms.join(", ")
}

impl External {
    /// The coding agent of this name. Only one that any program can be (`acp`) has a use for the
    /// words after it.
    pub fn named(name: &str, argv: Vec<String>) -> Option<Self> {
        let row = row(name)?;
        match row.how {
            How::Coding(kind) | How::Protocol(kind) => Some(Self::new(row.name, kind, argv)),
            How::Model(_) | How::Command | How::Guest | How::Scripted => None,
        }
    }
}

impl Provider {
    /// The provider of this name.
    pub fn named(name: &str) -> Option<Self> {
        match row(name)?.how {
            How::Model(provider) => Some(provider),
            How::Coding(_) | How::Protocol(_) | How::Command | How::Guest | How::Scripted => None,
        }
    }
}

//! The scenarios that every connector meets: what the model's server says in each, and what must
//! then stand in the view. The faults come in the second turn, after a file was written, so that
//! each also shows what becomes of work and cost that came before.

use crate::world::World;
use serde_json::json;
use testkit::model_server::{Call, Script, Turn};

/// The whole text of a file that lies beside the view.
pub(crate) const SECRET: &str = "what nobody may see";
/// What the model says when it is done.
const RESULT: &str = r#"{"summary":"made a file","next":"verify"}"#;
/// Longer than a connector waits by itself, so that it is passed on where it is heard of.
const RETRY_AFTER: &str = "6";

/// One scenario.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Scenario {
    Works,
    Status401,
    Status429,
    Status500,
    Hang,
    Garbage,
    Cut,
    BadArguments,
    Outside,
}

impl Scenario {
    pub(crate) const ALL: [Self; 9] = [
        Self::Works,
        Self::Status401,
        Self::Status429,
        Self::Status500,
        Self::Hang,
        Self::Garbage,
        Self::Cut,
        Self::BadArguments,
        Self::Outside,
    ];

    /// As the table writes it.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Works => "works",
            Self::Status401 => "status_401",
            Self::Status429 => "status_429",
            Self::Status500 => "status_500",
            Self::Hang => "hang",
            Self::Garbage => "garbage",
            Self::Cut => "cut",
            Self::BadArguments => "bad_arguments",
            Self::Outside => "outside",
        }
    }

    /// What the server says. Paths are below `root`.
    pub(crate) fn script(self, world: &World, root: &str) -> Script {
        let write = |path: &str| {
            Turn::call(Call::Write {
                path: path.into(),
                text: "hello\n".into(),
            })
        };
        let failing = |turn: Turn| vec![write("first.txt"), turn];
        let status = |code: u16, kind: &str, message: &str| {
            let error = json!({"type": kind, "message": message});
            Turn::status(code).body(json!({"type": "error", "error": error}))
        };
        let outside = world.path("outside.txt").display().to_string();
        let mut turns = match self {
            Self::Works => vec![
                write("hello.txt"),
                Turn::call(Call::Edit {
                    path: "hello.txt".into(),
                    old: "hello".into(),
                    new: "goodbye".into(),
                }),
                Turn::call(Call::Shell("wc -l < hello.txt > ran.txt".into())),
            ],
            Self::Status401 => failing(status(401, "authentication_error", "invalid x-api-key")),
            Self::Status429 => {
                let slow = status(429, "rate_limit_error", "slow down");
                failing(slow.header("retry-after", RETRY_AFTER))
            }
            Self::Status500 => failing(status(500, "api_error", "scripted error")),
            Self::Hang => failing(Turn::Hang),
            Self::Garbage => failing(Turn::Garbage),
            Self::Cut => failing(Turn::Cut),
            Self::BadArguments => vec![
                Turn::call(Call::Broken {
                    path: "broken.txt".into(),
                }),
                write("first.txt"),
            ],
            Self::Outside => vec![
                Turn::call(Call::Read {
                    path: outside.clone(),
                }),
                Turn::call(Call::Shell(format!("cat {outside} > stolen.txt"))),
            ],
        };
        turns.push(Turn::text(RESULT));
        Script::new(turns).root(root)
    }

    /// The files that must be in the repository afterwards, and no others with any text.
    pub(crate) fn written(self) -> &'static [(&'static str, &'static str)] {
        match self {
            Self::Works => &[("hello.txt", "goodbye\n"), ("ran.txt", "1\n")],
            Self::Outside => &[],
            _ => &[("first.txt", "hello\n")],
        }
    }
}

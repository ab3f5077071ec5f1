//! `run`: a shell command in the repository, through the sandbox.

use super::space::without_result;
use super::tool::{Place, Tool, optional_number, spec, text};
use crate::command::survivors;
use crate::home::Home;
use crate::transcript::TRANSCRIPT_BYTES;
use crate::wire::ToolSpec;
use sandbox::{Ended, Killed, Launch, Limits};
use serde_json::{Value, json};
use std::time::Duration;

/// How long a command may run if the model does not say.
const USUAL: Duration = Duration::from_secs(600);

/// Runs a command.
pub(super) struct Run;

impl Tool for Run {
    fn spec(&self) -> ToolSpec {
        let properties = json!({
            "command": { "type": "string", "description": "For sh, inside repo/" },
            "timeout_seconds": { "type": "integer", "description": "600 if left out" },
        });
        spec(
            "run",
            "Runs a shell command inside repo/ and gives its output and exit code. Whatever it leaves running is killed.",
            properties,
            &["command"],
        )
    }

    fn call(&self, arguments: &Value, place: &Place<'_>) -> Result<String, String> {
        let command = text(arguments, "command")?;
        let asked =
            optional_number(arguments, "timeout_seconds")?.map_or(USUAL, Duration::from_secs);
        let argv = ["sh", "-c", command].map(str::to_owned).to_vec();
        self::command(argv, asked, place)
    }
}

/// Runs a command inside `repo/`, under the attempt's policy, and reports it.
pub(super) fn command(
    argv: Vec<String>,
    wall: Duration,
    place: &Place<'_>,
) -> Result<String, String> {
    let launch = Launch {
        pid_file: Some(Home::of(place.order).pid()),
        policy: place.order.policy.clone(),
        ..Launch::new(
            argv,
            place.order.view.join("repo"),
            without_result(place.order),
            Limits {
                wall: wall.min(place.left),
                idle: None,
                output_bytes: TRANSCRIPT_BYTES,
            },
        )
    };
    let ended = sandbox::run(&launch, place.cancel).map_err(|error| error.to_string())?;
    place.space.connected(&ended);
    if let Some(reason) = survivors(&ended) {
        place.space.distrust(reason);
    }
    Ok(report(&ended))
}

/// The output, then how it ended. A failing command is an answer like any other.
fn report(ended: &Ended) -> String {
    let output = String::from_utf8_lossy(&ended.output);
    let end = match (ended.killed, ended.exit, ended.signal) {
        (Some(killed @ (Killed::Wall(_) | Killed::Idle(_) | Killed::Cancelled)), _, _) => {
            killed.to_string()
        }
        (None, Some(code), _) => format!("exit code {code}"),
        (None, None, Some(signal)) => format!("ended by signal {signal}"),
        (None, None, None) => "ended without an exit code".to_owned(),
    };
    let left = match ended.leftover {
        0 => String::new(),
        count => format!("; {count} processes that it left running were killed"),
    };
    let gap = if output.is_empty() || output.ends_with('\n') {
        ""
    } else {
        "\n"
    };
    format!("{output}{gap}({end}{left})")
}

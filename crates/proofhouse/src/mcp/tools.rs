//! The tools: one row each. None decides.

use crate::begin::begin;
use kernel::Machine;
use kernel::machine::Activity;
use report::inbox::{self, Item};
use report::kept::Kept;
use report::run::Report;
use serde_json::{Value, json};
use workspace::{EngineError, Project};

type Does = fn(&Project, &str) -> Result<String, EngineError>;

struct Tool {
    name: &'static str,
    about: &'static str,
    /// The one thing that it takes, what that is, and whether it must be there.
    takes: Option<(&'static str, &'static str, bool)>,
    /// Does it leave everything as it is?
    reads: bool,
    does: Does,
}

const TOOLS: [Tool; 4] = [
    Tool {
        name: "start",
        about: "Begin a run: a coding agent does this in a worktree of its own, and the engine proves it. Returns at once with the run's name.",
        takes: Some(("sentence", "What is wanted, in one sentence", true)),
        reads: false,
        does: start,
    },
    Tool {
        name: "status",
        about: "Where a run stands, or all runs.",
        takes: Some(("run", "The run; without it all of them", false)),
        reads: true,
        does: status,
    },
    Tool {
        name: "inbox",
        about: "What waits for a person, with the commands that the person types.",
        takes: None,
        reads: true,
        does: waiting,
    },
    Tool {
        name: "evidence",
        about: "What a run changed and proved, and what failed, whole.",
        takes: Some(("run", "The run", true)),
        reads: true,
        does: evidence,
    },
];

/// All of them, as clients want to see them.
pub(super) fn list() -> Value {
    let tools = TOOLS.iter().map(|tool| {
        let mut schema = json!({ "type": "object", "properties": {}, "additionalProperties": false });
        if let Some((name, about, must)) = tool.takes {
            schema["properties"][name] = json!({ "type": "string", "description": about });
            if must {
                schema["required"] = json!([name]);
            }
        }
        json!({
            "name": tool.name,
            "description": tool.about,
            "inputSchema": schema,
            "annotations": { "readOnlyHint": tool.reads, "destructiveHint": false, "openWorldHint": !tool.reads },
        })
    });
    tools.collect()
}

/// What a tool says; none: there is no such tool.
pub(super) fn call(
    project: &Project,
    name: &str,
    given: &Value,
) -> Option<Result<String, EngineError>> {
    let tool = TOOLS.iter().find(|tool| tool.name == name)?;
    let malformed = |what: String| {
        Err(EngineError::user(
            "arguments_malformed",
            what,
            format!(
                "`{name}` takes {}",
                tool.takes.map_or("nothing", |(takes, ..)| takes)
            ),
        ))
    };
    let known = |member: &String| tool.takes.is_some_and(|(takes, ..)| takes == member);
    if let Some(other) = given
        .as_object()
        .and_then(|all| all.keys().find(|member| !known(member)))
    {
        return Some(malformed(format!("`{name}` takes no `{other}`")));
    }
    let argument = match tool.takes {
        None => "",
        Some((takes, _, must)) => match (&given[takes], must) {
            (Value::String(text), _) if !text.trim().is_empty() => text.trim(),
            (Value::Null, false) => "",
            _ => return Some(malformed(format!("`{takes}` must be a text"))),
        },
    };
    Some((tool.does)(project, argument))
}

fn start(project: &Project, sentence: &str) -> Result<String, EngineError> {
    let run = begin(project, sentence)?;
    Ok(format!(
        "`{run}` has begun and goes on by itself, in a worktree of its own. `status` says where it stands."
    ))
}

fn status(project: &Project, run: &str) -> Result<String, EngineError> {
    let all = match run {
        "" => report::run::overview(project)?,
        run => {
            let looked = report::look::look(project, run)?;
            vec![(run.to_owned(), Report::of(project, run, &looked)?)]
        }
    };
    if all.is_empty() {
        return Ok("there is no run yet".to_owned());
    }
    let lines = all.iter().map(|(name, report)| {
        let state = report.status().map(|status| status.state.to_string());
        let fate = report
            .fate()
            .map_or_else(String::new, |fate| format!("; {}", fate.words()));
        let state = state.map_or_else(String::new, |state| format!(", in `{state}`"));
        let open = match report {
            Report::Run(run) => run.not_landed.as_ref().map(|open| {
                format!(
                    "; a person takes or leaves it: {}",
                    open.commands.join(" or ")
                )
            }),
            Report::Project(_) => None,
            Report::Unreadable { error, .. } => Some(format!(": {error}")),
        };
        format!(
            "`{name}`: {}{state}{fate}{}",
            report.doing().as_str(),
            open.unwrap_or_default()
        )
    });
    Ok(lines.collect::<Vec<_>>().join("\n"))
}

fn waiting(project: &Project, _: &str) -> Result<String, EngineError> {
    let items = inbox::inbox(project)?;
    if items.is_empty() {
        return Ok("nothing waits for a person".to_owned());
    }
    let told = items.iter().map(|item| match (item.worded(), item) {
        (Some(worded), _) => {
            let ways = worded
                .answers
                .iter()
                .map(|way| format!("  {}   # {}", way.command, way.does));
            let lines = worded.lines.iter().map(|line| format!("  {line}"));
            let parts = std::iter::once(worded.headline.clone())
                .chain(lines)
                .chain(ways);
            parts.collect::<Vec<_>>().join("\n")
        }
        (None, Item::Unreadable { run, error }) => format!("`{run}` cannot be read: {error}"),
        (None, item) => item.run().to_owned(),
    });
    let told: Vec<String> = told.collect();
    Ok(format!(
        "{}\n\nOnly the person answers: give them these commands, or `proofhouse serve --decide`.",
        told.join("\n\n")
    ))
}

fn evidence(project: &Project, run: &str) -> Result<String, EngineError> {
    let (evidence, peek, _) = report::evidence::now(project, run, &mut Kept::default())?;
    let status = peek.machine.status();
    let mut lines = vec![format!(
        "`{run}` is in `{}`: {}",
        status.state,
        evidence.grounds.objective.trim()
    )];
    if let Some(change) = &evidence.grounds.change {
        lines.push(format!(
            "changed: {}",
            report::stat::totals(&change.changes)
        ));
        lines.extend(change.changes.iter().map(|one| format!("  {}", one.path)));
    }
    for one in &evidence.grounds.proven {
        lines.push(format!("proven by {}: {}", one.check, one.reason));
    }
    if let Some(standing) = &evidence.grounds.worth {
        lines.push(format!(
            "this evidence is {}: {}",
            standing.worth, standing.means
        ));
    }
    for gate in report::gate::latest(&evidence.gates)
        .into_iter()
        .filter(|gate| !gate.passed)
    {
        lines.push(format!("the gate of `{}` did not pass:", gate.state));
        let failed = gate.checks.iter().filter(|check| {
            !check.failure.is_empty() || check.answer != report::gate::Answer::Passed
        });
        for check in failed {
            lines.push(format!("  {}: {}", check.check, check.reason));
            lines.extend(check.failure.lines().map(|line| format!("    {line}")));
        }
    }
    let over = matches!(status.activity, Activity::Done | Activity::Stopped);
    if let Some(refusal) = status.last_refusal.as_ref().filter(|_| !over) {
        lines.push(format!(
            "last refused: {} [{}]; mend: {}",
            refusal.what, refusal.code, refusal.mend
        ));
    }
    Ok(lines.join("\n"))
}

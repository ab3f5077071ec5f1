//! The tools: one row each. None decides.

use super::told::{Page, evidence, status, waiting};
use super::{Tools, guest};
use crate::begin::begin;
use serde_json::{Value, json};
use workspace::{EngineError, Project};

type Does = fn(&Project, &Given<'_>) -> Result<String, EngineError>;

struct Tool {
    name: &'static str,
    about: &'static str,
    takes: &'static [Takes],
    /// Does it leave everything as it is?
    reads: bool,
    does: Does,
}

/// One thing that a tool takes.
struct Takes {
    name: &'static str,
    about: &'static str,
    form: Form,
    must: bool,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Form {
    Text,
    Object,
}

/// What a tool was given, checked against what it takes.
struct Given<'a> {
    arguments: &'a Value,
    page: Page<'a>,
}

impl Given<'_> {
    /// A text; empty where it was left out.
    fn text(&self, name: &str) -> &str {
        self.arguments[name].as_str().unwrap_or_default().trim()
    }

    fn object(&self, name: &str) -> &Value {
        &self.arguments[name]
    }
}

const fn text(name: &'static str, about: &'static str, must: bool) -> Takes {
    let form = Form::Text;
    Takes {
        name,
        about,
        form,
        must,
    }
}

const TOOLS: [Tool; 6] = [
    Tool {
        name: "start",
        about: "Begin a run: a coding agent does this in a worktree of its own, and the engine proves it. Returns at once with the run's name.",
        takes: &[text("sentence", "What is wanted, in one sentence", true)],
        reads: false,
        does: start,
    },
    Tool {
        name: "status",
        about: "Where a run stands, or all runs.",
        takes: &[text("run", "The run; without it all of them", false)],
        reads: true,
        does: |project, given| status(project, given.text("run")),
    },
    Tool {
        name: "inbox",
        about: "What waits for a person: the page where they answer, or the commands that they type.",
        takes: &[],
        reads: true,
        does: |project, given| waiting(project, given.page),
    },
    Tool {
        name: "evidence",
        about: "What a run changed and proved, and what failed, whole.",
        takes: &[text("run", "The run", true)],
        reads: true,
        does: |project, given| evidence(project, given.text("run")),
    },
    Tool {
        name: "take",
        about: "Take work that waits for you (agent `guest`): its brief, and the one folder to work in.",
        takes: &[text("run", "The run; without it the one that waits", false)],
        reads: false,
        does: |project, given| guest::take(project, given.text("run"), given.page),
    },
    Tool {
        name: "hand_in",
        about: "Hand in what you took. The engine's gates run, and the answer says what failed.",
        takes: &[
            text("run", "The run", true),
            text("attempt", "As `take` named it", true),
            Takes {
                name: "result",
                about: "The JSON object that the brief asks for",
                form: Form::Object,
                must: true,
            },
        ],
        reads: false,
        does: |project, given| {
            let (run, attempt) = (given.text("run"), given.text("attempt"));
            guest::hand_in(project, (run, attempt), given.object("result"), given.page)
        },
    },
];

fn all(which: Tools) -> impl Iterator<Item = &'static Tool> {
    TOOLS
        .iter()
        .filter(move |tool| which == Tools::All || tool.reads)
}

/// All that there are, as clients want to see them.
pub(super) fn list(which: Tools) -> Value {
    let tools = all(which).map(|tool| {
        let mut schema = json!({ "type": "object", "properties": {}, "additionalProperties": false });
        for one in tool.takes {
            let form = match one.form {
                Form::Text => "string",
                Form::Object => "object",
            };
            schema["properties"][one.name] = json!({ "type": form, "description": one.about });
        }
        let must = tool.takes.iter().filter(|one| one.must);
        let must: Vec<&str> = must.map(|one| one.name).collect();
        if !must.is_empty() {
            schema["required"] = json!(must);
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
    (which, page): (Tools, Page<'_>),
) -> Option<Result<String, EngineError>> {
    let tool = TOOLS.iter().find(|tool| tool.name == name)?;
    if !all(which).any(|one| one.name == tool.name) {
        return Some(Err(EngineError::user(
            "page_only_shows",
            format!("`{name}` changes something, and this server only shows"),
            "a person starts it with `proofhouse serve --mcp --decide`",
        )));
    }
    Some(match malformed(tool, given) {
        None => {
            let arguments = given;
            (tool.does)(project, &Given { arguments, page })
        }
        Some(what) => {
            let names: Vec<&str> = tool.takes.iter().map(|one| one.name).collect();
            let takes = match names.is_empty() {
                true => "nothing".to_owned(),
                false => names.join(", "),
            };
            let mend = format!("`{name}` takes {takes}");
            Err(EngineError::user("arguments_malformed", what, mend))
        }
    })
}

fn malformed(tool: &Tool, given: &Value) -> Option<String> {
    let known = |member: &&String| tool.takes.iter().any(|one| one.name == *member);
    let mut members = given.as_object().into_iter().flat_map(|all| all.keys());
    if let Some(other) = members.find(|member| !known(member)) {
        return Some(format!("`{}` takes no `{other}`", tool.name));
    }
    let wrong = |one: &&Takes| match (&given[one.name], one.form) {
        (Value::Null, _) => one.must,
        (Value::String(text), Form::Text) => text.trim().is_empty(),
        (Value::Object(_), Form::Object) => false,
        _ => true,
    };
    let wrong = tool.takes.iter().find(wrong);
    wrong.map(|one| match (&given[one.name], one.form) {
        (Value::String(_), Form::Text) => format!("`{}` is empty", one.name),
        (_, Form::Text) => format!("`{}` must be a text", one.name),
        (_, Form::Object) => format!("`{}` must be a JSON object", one.name),
    })
}

/// As many files are named that a run does not have.
const NAMED: usize = 8;

/// What of the person's tree a run at HEAD does not have, and what they do about it; empty: it has everything.
fn left_out(project: &Project, run: &str) -> Result<String, EngineError> {
    let mut files = workspace::worktree::edited(project.top())?;
    files.extend(workspace::worktree::untracked(project.top())?);
    if files.is_empty() {
        return Ok(String::new());
    }
    let more = match files.len().saturating_sub(NAMED) {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    files.truncate(NAMED);
    Ok(format!(
        "\nNot in its copy, for they are edits in no commit: {}{more}. If the work needs them, tell the person now: they commit them and you `start` anew, or they begin it with `proofhouse do --with-edits`; `proofhouse decide {run} stop` ends this one.",
        files.join(", ")
    ))
}

fn start(project: &Project, given: &Given<'_>) -> Result<String, EngineError> {
    let run = begin(project, given.text("sentence"))?;
    let left_out = left_out(project, &run)?;
    let peek = report::look::peek_run(project, &run)?;
    let yours = peek.machine.started().is_some_and(|one| one.unconfined);
    Ok(match yours {
        true => format!("`{run}` has begun, and you are its agent: `take` it.{left_out}"),
        false => format!(
            "`{run}` has begun and goes on by itself, in a worktree of its own. `status` says where it stands.{left_out}"
        ),
    })
}

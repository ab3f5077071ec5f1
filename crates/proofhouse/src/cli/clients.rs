//! `proofhouse init --for` and `--remove`: what a person's own agent reads so that it can be a guest here. Everything
//! is shown before it is written, and taken away again without touching what is theirs.

mod block;
mod splice;

use super::args::{ClientArg, ClientFiles};
use super::laid;
use super::out::{Out, Tone, plain};
use super::{exit, init};
use agents::GUEST;
use block::{Comments, Left};
use serde_json::json;
use splice::Entry;
use std::collections::BTreeMap;
use std::path::Path;
use workspace::{EngineError, Project};

const SKILL: &str = include_str!("clients/skill.md");
const BLOCK: &str = include_str!("clients/block.md");
const COMMAND: &str = include_str!("clients/command.md");
const MARKDOWN: Comments = Comments("<!-- ", " -->");
const TOML: Comments = Comments("# ", "");

/// How something of ours stands in a file.
#[derive(Clone, Copy)]
enum Form {
    /// The file is ours.
    Whole(fn() -> String),
    /// A block between marks.
    Block(Comments, &'static str),
    /// An entry of a JSON file.
    Entry(Entry),
}

struct File {
    path: &'static str,
    about: &'static str,
    form: Form,
}

const fn file(path: &'static str, about: &'static str, form: Form) -> File {
    File { path, about, form }
}

const fn block(path: &'static str) -> File {
    file(path, "when to use it", Form::Block(MARKDOWN, BLOCK))
}

const fn skill(path: &'static str) -> File {
    file(path, "an Agent Skill", Form::Whole(|| SKILL.to_owned()))
}

/// An entry for a client that names servers by command and arguments.
const fn server(path: &'static str) -> File {
    let entry = Entry {
        below: &["mcpServers"],
        name: Some("proofhouse"),
        value: r#"{ "command": "proofhouse", "args": ["mcp"] }"#,
        fresh: "",
    };
    file(path, "the MCP server", Form::Entry(entry))
}

/// A hook that is asked when the agent is about to stop.
const fn hook(path: &'static str, below: &'static [&'static str]) -> File {
    let entry = Entry {
        below,
        name: None,
        value: r#"{ "hooks": [{ "type": "command", "command": "proofhouse hook stop" }] }"#,
        fresh: "",
    };
    file(path, "a hook before it stops", Form::Entry(entry))
}

fn command() -> String {
    format!("---\ndescription: Have it done and proven by Proofhouse\n---\n\n{COMMAND}")
}

fn files(client: ClientArg) -> Vec<File> {
    match client {
        ClientArg::Claude => vec![
            server(".mcp.json"),
            skill(".claude/skills/proofhouse/SKILL.md"),
            file(
                ".claude/commands/proofhouse.md",
                "/proofhouse",
                Form::Whole(command),
            ),
            hook(".claude/settings.json", &["hooks", "Stop"]),
            block("CLAUDE.md"),
        ],
        ClientArg::Codex => vec![
            file(
                ".codex/config.toml",
                "the MCP server",
                Form::Block(
                    TOML,
                    "[mcp_servers.proofhouse]\ncommand = \"proofhouse\"\nargs = [\"mcp\"]\n",
                ),
            ),
            // Its slash commands are a person's own, and none of a repository's: `$proofhouse` names the skill.
            skill(".agents/skills/proofhouse/SKILL.md"),
            hook(".codex/hooks.json", &["hooks", "Stop"]),
            block("AGENTS.md"),
        ],
        // It has no hook that could keep it from stopping.
        ClientArg::Opencode => vec![
            file(
                "opencode.json",
                "the MCP server",
                Form::Entry(Entry {
                    below: &["mcp"],
                    name: Some("proofhouse"),
                    value: r#"{ "type": "local", "command": ["proofhouse", "mcp"], "enabled": true }"#,
                    fresh: "\"$schema\": \"https://opencode.ai/config.json\"",
                }),
            ),
            skill(".opencode/skills/proofhouse/SKILL.md"),
            file(
                ".opencode/commands/proofhouse.md",
                "/proofhouse",
                Form::Whole(command),
            ),
            block("AGENTS.md"),
        ],
        ClientArg::Cursor => vec![
            server(".cursor/mcp.json"),
            skill(".cursor/skills/proofhouse/SKILL.md"),
            file(
                ".cursor/commands/proofhouse.md",
                "/proofhouse",
                Form::Whole(|| COMMAND.replace(": $ARGUMENTS", ".")),
            ),
            file(
                ".cursor/hooks.json",
                "a hook before it stops",
                Form::Entry(Entry {
                    below: &["hooks", "stop"],
                    name: None,
                    value: r#"{ "command": "proofhouse hook stop" }"#,
                    fresh: "\"version\": 1",
                }),
            ),
            block("AGENTS.md"),
        ],
        ClientArg::Gemini => vec![
            server(".gemini/settings.json"),
            skill(".gemini/skills/proofhouse/SKILL.md"),
            file(
                ".gemini/commands/proofhouse.toml",
                "/proofhouse",
                Form::Whole(|| {
                    let prompt = COMMAND.replace("$ARGUMENTS", "{{args}}");
                    format!(
                        "description = \"Have it done and proven by Proofhouse\"\nprompt = \"\"\"\n{prompt}\"\"\"\n"
                    )
                }),
            ),
            hook(".gemini/settings.json", &["hooks", "AfterAgent"]),
            block("GEMINI.md"),
        ],
    }
}

impl Form {
    /// The file with ours in it; none: it is there already.
    fn put(self, there: Option<&str>) -> Result<Option<String>, String> {
        match (self, there) {
            (Form::Whole(text), None) => Ok(Some(text())),
            (Form::Whole(text), Some(there)) if there == text() => Ok(None),
            (Form::Whole(_), Some(_)) => Err("it says something else".to_owned()),
            (Form::Block(comments, text), there) => Ok(comments.put(there, text)),
            (Form::Entry(entry), there) => entry.put(there),
        }
    }

    /// The file without ours; none: nothing of it is left.
    fn take(self, there: &str) -> Option<Result<Option<String>, String>> {
        match self {
            Form::Whole(text) if there == text() => Some(Ok(None)),
            Form::Whole(_) => there
                .contains("proofhouse")
                .then(|| Err("it was edited: remove it by hand".to_owned())),
            Form::Block(comments, text) => comments.take(there, text).map(|left| {
                Ok(match left? {
                    Left::Nothing => None,
                    Left::Text(text) => Some(text),
                })
            }),
            Form::Entry(entry) => entry.stands(there).then(|| entry.take(there)),
        }
    }
}

/// What is to become of a file: its text before and after, and what for.
struct Change {
    about: Vec<&'static str>,
    before: Option<String>,
    after: Option<String>,
}

/// What changes, by file, and what stays as it is for a reason.
#[derive(Default)]
struct Plan {
    changes: BTreeMap<&'static str, Change>,
    kept: Vec<(&'static str, String)>,
}

impl Plan {
    fn add(
        &mut self,
        repo: &Path,
        file: &File,
        turn: impl FnOnce(Option<&str>) -> Option<Result<Option<String>, String>>,
    ) -> Result<(), EngineError> {
        let now = match self.changes.get(file.path) {
            Some(change) => change.after.clone(),
            None => laid::read(&repo.join(file.path))?,
        };
        match turn(now.as_deref()) {
            None => {}
            // Several clients read one file, and what is left alone there is said once.
            Some(Err(_)) if self.kept.iter().any(|(path, _)| *path == file.path) => {}
            Some(Err(why)) => self.kept.push((file.path, why)),
            Some(Ok(after)) => {
                let change = self.changes.entry(file.path).or_insert(Change {
                    about: Vec::new(),
                    before: now,
                    after: None,
                });
                change.after = after;
                change.about.push(file.about);
            }
        }
        Ok(())
    }

    fn show(&self, out: &Out) {
        for (path, change) in &self.changes {
            let about = change.about.join(", ");
            let (before, after) = (change.before.as_deref(), change.after.as_deref());
            let does = match (before, after) {
                (None, _) => "write",
                (Some(_), None) => "remove",
                (Some(_), Some(_)) => "change",
            };
            out.line(&format!("{does} {path}  ({about})"));
            let (before, after) = (before.unwrap_or_default(), after.unwrap_or_default());
            for (sign, tone, line) in differing(before, after) {
                out.line(&out.paint(tone, &format!("  {sign} {}", plain(line))));
            }
        }
        for (path, why) in &self.kept {
            let kept = out.paint(Tone::Warn, "kept");
            out.line(&format!("{kept} {path}: {}", plain(why)));
        }
    }

    fn carry_out(&self, repo: &Path) -> Result<(), EngineError> {
        for (path, change) in &self.changes {
            match &change.after {
                Some(text) => laid::put(&repo.join(path), text)?,
                None => laid::remove(repo, path)?,
            }
        }
        Ok(())
    }
}

/// The lines that only one of two texts has, between the head and the tail that both share.
fn differing<'t>(before: &'t str, after: &'t str) -> Vec<(&'static str, Tone, &'t str)> {
    let (old, new): (Vec<&str>, Vec<&str>) = (before.lines().collect(), after.lines().collect());
    let head = old.iter().zip(&new).take_while(|(a, b)| a == b).count();
    let (old, new) = (&old[head..], &new[head..]);
    let tail = old.iter().rev().zip(new.iter().rev());
    let tail = tail.take_while(|(a, b)| a == b).count();
    let gone = old[..old.len() - tail].iter();
    let come = new[..new.len() - tail].iter();
    gone.map(|line| ("-", Tone::Bad, *line))
        .chain(come.map(|line| ("+", Tone::Good, *line)))
        .collect()
}

/// What is still missing so that the client can be a guest here, and what is to be done with what was written.
fn missing(project: &Project) -> Result<Vec<String>, EngineError> {
    let guest = project
        .config()?
        .agent()
        .is_some_and(|agent| agent == GUEST);
    let mut lines = Vec::new();
    if !guest {
        lines.push(
            "to have it work in your runs: agent = \"guest\" in .proofhouse/config.toml (docs/guests.md)",
        );
    }
    let approvers = project.read_approvers()?;
    let now = workspace::clock::now();
    let may = |text: String| matches!(approval::touch_missing(&text, now), Ok(None));
    if !approvers.is_some_and(may) {
        lines.push("a guest's runs are decided with a passkey: enrol yours in `proofhouse serve --decide`, which prints the command");
    }
    lines.push("next: commit what was written and .proofhouse/, and begin a new session of it");
    Ok(lines.into_iter().map(str::to_owned).collect())
}

/// Shows what would change, asks, and does it.
pub(crate) fn clients(
    project: &Project,
    args: &ClientFiles,
    yes: bool,
    out: &Out,
) -> Result<u8, EngineError> {
    let repo = project.top();
    let mut plan = Plan::default();
    let all = match args.remove {
        true => ClientArg::ALL.to_vec(),
        false => args.clients.clone(),
    };
    let files: Vec<File> = all.into_iter().flat_map(files).collect();
    match args.remove {
        // What was put in last comes out first: two entries may stand in one file.
        true => {
            for file in files.iter().rev() {
                plan.add(repo, file, |there| file.form.take(there?))?;
            }
        }
        false => {
            for file in &files {
                plan.add(repo, file, |there| {
                    let put = file.form.put(there).transpose();
                    put.map(|put| put.map(Some))
                })?;
            }
        }
    }
    if !out.json {
        plan.show(out);
    }
    if plan.changes.is_empty() {
        if !out.json {
            out.line("nothing is to be done");
        }
    } else {
        if !yes && !init::agrees("do this [y/N]: ")? {
            out.line("nothing was changed");
            return Ok(exit::OK);
        }
        plan.carry_out(repo)?;
    }
    if out.json {
        let paths: Vec<&str> = plan.changes.keys().copied().collect();
        let kept = plan.kept.iter();
        let kept: Vec<_> = kept
            .map(|(path, why)| json!({ "path": path, "why": why }))
            .collect();
        out.facts(&json!({ "changed": paths, "kept": kept }));
    } else if !args.remove {
        for line in missing(project)? {
            out.line(&line);
        }
    }
    Ok(exit::OK)
}

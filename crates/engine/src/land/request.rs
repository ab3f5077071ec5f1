//! A pull request of a run's work: its branch pushed, and the evidence as its text. It is opened with the
//! person's own `gh` or `glab`; without either, branch and text are theirs to use. It refuses to write
//! over what somebody has pushed to that branch.

use super::{Landing, Ready, Shape, held, message};
use kernel::outcome::{CheckResult, Verdict};
use report::begun::Requested;
use report::change::Depth;
use report::stat::stat;
use sandbox::{Cancel, Launch, Limits};
use std::fmt::Write as _;
use std::path::Path;
use std::time::Duration;
use workspace::error::EngineError;
use workspace::git::text;
use workspace::project::Project;
use workspace::records;

/// Pushes a run's work as a branch of its own, and opens a pull request for it.
pub fn request(
    project: &Project,
    run: &str,
    remote: &str,
    how: &Landing,
) -> Result<Requested, EngineError> {
    let _lock = held(project, run)?;
    let ready = Ready::of(project, run, &how.onto)?;
    let one = Landing {
        shape: Shape::One,
        ..how.clone()
    };
    let address = records::address(&ready.project, remote)?;
    let (commit, _) = ready.compose(&one)?;
    let said = how.message.clone();
    let said = said.unwrap_or_else(|| message(&ready.peek, &ready.started));
    let title = said.lines().next().unwrap_or_default().to_owned();
    let body = body(&ready, &said)?;
    let branch = format!("proofhouse/{run}");
    let pushed = format!("{commit}:refs/heads/{branch}");
    let push = ["push", "--quiet", "--", remote, &pushed];
    records::speak(&ready.project, &push).map_err(|error| match error.what.contains("rejected") {
        true => EngineError::user(
            "branch_taken",
            format!("`{branch}` is at `{remote}` already, and holds something else: an earlier `pr`, or somebody's own commits"),
            format!("look at it; if it may go, `git push {remote} --delete {branch}`, then ask again"),
        ),
        false => error,
    })?;
    let mut request = Requested {
        run: run.to_owned(),
        branch,
        onto: ready.branch.clone(),
        commit,
        title,
        body,
        opened: None,
    };
    for program in programs(&address) {
        if let Some(said) = open(ready.project.repo(), program, &request)? {
            request.opened = Some(said);
            break;
        }
    }
    Ok(request)
}

/// Who is asked, the one for that kind of host first.
fn programs(address: &str) -> [&'static str; 2] {
    match address.contains("gitlab") {
        true => ["glab", "gh"],
        false => ["gh", "glab"],
    }
}

/// Opens it with this program; none if that is not installed.
fn open(repo: &Path, program: &str, request: &Requested) -> Result<Option<String>, EngineError> {
    let mut env = sandbox::base_env();
    let path = env.get("PATH").cloned().unwrap_or_default();
    if !std::env::split_paths(&path).any(|folder| folder.join(program).is_file()) {
        return Ok(None);
    }
    let (branch, onto) = (request.branch.as_str(), request.onto.as_str());
    let args = match program {
        "gh" => vec![
            "pr",
            "create",
            "--head",
            branch,
            "--base",
            onto,
            "--title",
            &request.title,
            "--body-file",
            "-",
        ],
        _ => vec![
            "mr",
            "create",
            "--source-branch",
            branch,
            "--target-branch",
            onto,
            "--title",
            &request.title,
            "--description",
            &request.body,
            "--yes",
        ],
    };
    let argv = [program].into_iter().chain(args).map(str::to_owned);
    // Their own program, with what it knows them by.
    let known = [
        "GH_TOKEN",
        "GITHUB_TOKEN",
        "GH_HOST",
        "GITLAB_TOKEN",
        "GITLAB_HOST",
    ];
    let known = known
        .into_iter()
        .filter_map(|name| Some((name, std::env::var(name).ok()?)));
    for (name, value) in known.chain(records::let_in()) {
        env.insert(name.to_owned(), value);
    }
    let limits = Limits {
        wall: Duration::from_secs(120),
        idle: None,
        output_bytes: 1 << 20,
    };
    let mut launch = Launch::new(argv.collect(), repo, env, limits);
    launch.stdin = request.body.clone().into_bytes();
    let ended = sandbox::run(&launch, &Cancel::new())?;
    if ended.exited_with(0) {
        return Ok(Some(text(&ended.stdout)));
    }
    Err(EngineError::environment(
        "request_not_opened",
        format!(
            "`{branch}` is pushed, and `{program}` refused to open a request: {}",
            String::from_utf8_lossy(&ended.stderr).trim()
        ),
        format!("open it by hand, or mend what `{program}` says and ask again"),
    ))
}

/// What was asked, what changed, what was proven, and where the records are.
fn body(ready: &Ready, said: &str) -> Result<String, EngineError> {
    let rest = said.lines().skip(1).collect::<Vec<_>>().join("\n");
    let mut body = format!("{}\n", rest.trim());
    let change = ready.work.change(&ready.project, &ready.run, Depth::Stat)?;
    let stat = stat(&change.changes, 72);
    let _ = write!(
        body,
        "\n## What changed\n\n```text\n{}\n```\n",
        stat.trim_end()
    );
    let (mut ran, mut said, mut looked) = (String::new(), String::new(), String::new());
    for (state, gate) in ready.peek.machine.gates().filter(|(_, gate)| gate.passed) {
        let passed = gate
            .results
            .iter()
            .filter(|one| one.verdict == Verdict::Pass);
        for result in passed {
            let list = match (&result.ran, &result.said_by) {
                (Some(_), _) => &mut ran,
                (None, Some(_)) => &mut said,
                (None, None) => &mut looked,
            };
            let _ = writeln!(list, "- `{state}`: {}", line(result));
        }
    }
    if !ran.is_empty() {
        let _ = write!(body, "\n## Proven by running it\n\n{ran}");
    }
    if !said.is_empty() {
        let _ = write!(body, "\n## Said by a role, judged by no machine\n\n{said}");
    }
    if !looked.is_empty() {
        let _ = write!(body, "\n## Looked at\n\n{looked}");
    }
    let head = &ready.peek.head;
    let run = &ready.run;
    let _ = write!(
        body,
        "\n## Records\n\nRun `{run}` of `{}`, up to record {} (`{}`). Once its records are pushed (`proofhouse records push`), `proofhouse records fetch` and `proofhouse audit {run}` recompute all of it anywhere.\n",
        ready.started.workflow,
        head.seq,
        &head.hash[..12]
    );
    Ok(body.trim_start().to_owned())
}

fn line(result: &CheckResult) -> String {
    let reason = result.reason.lines().next().unwrap_or_default();
    let plain: String = reason.chars().take(200).collect();
    format!("{}: {plain}", result.check)
}

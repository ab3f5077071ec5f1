//! A pull request of a run's work: its branch pushed, and the evidence as its text. It is opened with the
//! person's own `gh` or `glab`; without either, branch and text are theirs to use. It refuses to write
//! over what somebody has pushed to that branch.

use super::{Landing, Ready, Shape, held, message};
use report::begun::{Pushed, Requested};
use report::change::Depth;
use report::kept::Kept;
use report::landed;
use report::stat::stat;
use sandbox::{Cancel, Ended, Launch, Limits};
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::Path;
use std::time::Duration;
use workspace::error::EngineError;
use workspace::git::{git, text};
use workspace::project::Project;
use workspace::records;
use workspace::survey::Within;

/// The heading over what was executed and could have failed.
const PROVEN: &str = "## Proven by running it";

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
    let commit = ready.compose(&one)?;
    ready.together(&commit)?;
    let said = how.message.clone();
    let said = said.unwrap_or_else(|| message(&ready.peek, &ready.started));
    let title = said.lines().next().unwrap_or_default().to_owned();
    let body = body(&ready, &said)?;
    let branch = format!("proofhouse/{run}");
    let (commit, pushed) = push(&ready, remote, &branch, commit)?;
    let mut request = Requested {
        pushed,
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

/// Pushes the branch. What an earlier `pr` of this run left there is the same work, or gives way to it;
/// nothing else does.
fn push(
    ready: &Ready,
    remote: &str,
    branch: &str,
    commit: String,
) -> Result<(String, Pushed), EngineError> {
    let (project, name) = (&ready.project, format!("refs/heads/{branch}"));
    let listed = records::speak(project, &["ls-remote", "--", remote, &name])?;
    let there = listed.split_whitespace().next().map(str::to_owned);
    let lease = match &there {
        None => String::new(),
        Some(there) => {
            let fetch = ["fetch", "--quiet", "--no-tags", "--no-write-fetch-head"];
            records::speak(project, &[&fetch[..], &["--", remote, &name]].concat())?;
            let said = |format: &str| -> Result<String, EngineError> {
                let show = ["show", "--no-patch", format, there];
                Ok(text(&git(project.top(), &show, &[])?))
            };
            let within = Within::Commit(there);
            let base = Some(ready.own.base.as_str());
            let named = project.commits().named(&ready.run, within, base)?;
            let own = named.iter().find(|one| one.commit == *there);
            // One that was amended since is somebody's.
            let own = match own {
                Some(own) => landed::holds(project, &ready.run, &ready.work, own)?,
                None => false,
            };
            if !own {
                return Err(EngineError::user(
                    "branch_taken",
                    format!(
                        "`{branch}` is at `{remote}` already, and ends with somebody's own commit"
                    ),
                    format!(
                        "look at it; if it may go, `git push {remote} --delete {branch}`, then ask again"
                    ),
                ));
            }
            let what = "--format=%T %P";
            let show = ["show", "--no-patch", what, &commit];
            if said(what)? == text(&git(project.top(), &show, &[])?) {
                return Ok((there.clone(), Pushed::Already));
            }
            format!("{name}:{there}")
        }
    };
    let pushed = format!("{commit}:{name}");
    let lease = format!("--force-with-lease={lease}");
    let push = match &there {
        None => vec!["push", "--quiet", "--", remote, &pushed],
        Some(_) => vec!["push", "--quiet", &lease, "--", remote, &pushed],
    };
    records::speak(project, &push)?;
    let how = match there {
        None => Pushed::New,
        Some(_) => Pushed::Anew,
    };
    Ok((commit, how))
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
    let env = sandbox::base_env();
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
    let ended = start(repo, program, &args, request, env.clone())?;
    if ended.exited_with(0) {
        return Ok(Some(text(&ended.stdout)));
    }
    let said = String::from_utf8_lossy(&ended.stderr).trim().to_owned();
    if !said.contains("already exists") {
        return Err(not_opened(branch, program, &said));
    }
    // An earlier one is told what there is now.
    let args = match program {
        "gh" => vec![
            "pr",
            "edit",
            branch,
            "--title",
            &request.title,
            "--body-file",
            "-",
        ],
        _ => vec![
            "mr",
            "update",
            branch,
            "--title",
            &request.title,
            "--description",
            &request.body,
            "--yes",
        ],
    };
    let ended = start(repo, program, &args, request, env)?;
    if !ended.exited_with(0) {
        let said = String::from_utf8_lossy(&ended.stderr);
        return Err(not_opened(branch, program, said.trim()));
    }
    let changed = text(&ended.stdout);
    Ok(Some(match changed.is_empty() {
        true => format!("the request is open already, and has the new text: {said}"),
        false => format!("the request is open already, and has the new text: {changed}"),
    }))
}

/// Starts their own program, with what it knows them by.
fn start(
    repo: &Path,
    program: &str,
    args: &[&str],
    request: &Requested,
    mut env: BTreeMap<String, String>,
) -> Result<Ended, EngineError> {
    let argv = [&[program], args].concat().into_iter().map(str::to_owned);
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
    Ok(sandbox::run(&launch, &Cancel::new())?)
}

fn not_opened(branch: &str, program: &str, said: &str) -> EngineError {
    EngineError::environment(
        "request_not_opened",
        format!("`{branch}` is pushed, and `{program}` refused to open a request: {said}"),
        format!("open it by hand, or mend what `{program}` says and ask again"),
    )
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
    let (evidence, ..) = report::evidence::now(&ready.project, &ready.run, &mut Kept::default())?;
    let grounds = &evidence.grounds;
    for one in &grounds.proven {
        if body.contains(PROVEN) {
            let _ = writeln!(body, "- {}: {}", one.check, line(&one.reason));
        } else {
            let _ = writeln!(body, "\n{PROVEN}\n\n- {}: {}", one.check, line(&one.reason));
        }
    }
    if let Some(worth) = &grounds.worth {
        let _ = writeln!(
            body,
            "\n## What that is worth\n\n{}: {}\n",
            worth.worth, worth.means
        );
        for tried in &worth.tried {
            let _ = writeln!(body, "- {}", line(tried));
        }
    }
    if !grounds.remarks.is_empty() {
        let _ = writeln!(body, "\n## Remarks\n");
        for remark in &grounds.remarks {
            let _ = writeln!(body, "- {}", line(remark));
        }
    }
    if !grounds.said.is_empty() {
        let _ = writeln!(body, "\n## Said by a role, judged by no machine\n");
        for one in &grounds.said {
            let _ = writeln!(body, "- {}: {}", one.check, line(&one.reason));
        }
    }
    if grounds.looked > 0 {
        let _ = writeln!(
            body,
            "\nChecks that looked at files and records, and ran nothing: {}.",
            grounds.looked
        );
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

fn line(reason: &str) -> String {
    let reason = reason.lines().next().unwrap_or_default();
    reason.chars().take(200).collect()
}

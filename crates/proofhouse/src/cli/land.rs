//! `proofhouse diff`, `land`, `pr`, `discard` and `abandon`: what a run made, and what becomes of it.

use super::args::{Abandon, Diff, Land, Pr};
use super::out::{Out, Tone};
use super::{decide, exit};
use engine::approval::Words;
use engine::decide::Ask;
use engine::land::{Landing, Shape, Work, discard as set_aside, land as onto_branch, request};
use kernel::machine::Activity;
use kernel::position::STOP;
use serde_json::json;
use workspace::{EngineError, Project};

pub(crate) fn diff(project: &Project, args: &Diff, out: &Out) -> Result<u8, EngineError> {
    let work = Work::of(project, &args.run)?;
    let stat = work.diff(project, &["--stat=100"])?;
    let patch = match args.stat {
        true => None,
        false => Some(work.diff(project, &["--no-color", "--binary"])?),
    };
    if out.json {
        let files = work.diff(project, &["--name-only"])?;
        let files: Vec<&str> = files.lines().collect();
        out.facts(&json!({
            "run": args.run, "base": work.base, "commit": work.tip,
            "files": files, "stat": stat, "patch": patch,
        }));
        return Ok(exit::OK);
    }
    if stat.is_empty() {
        out.line(&format!("`{}` has changed nothing", args.run));
        return Ok(exit::OK);
    }
    out.line(stat.trim_end());
    for line in patch.iter().flat_map(|patch| patch.lines()) {
        let painted = match line.as_bytes() {
            [b'+', ..] if !line.starts_with("+++") => out.paint(Tone::Good, line),
            [b'-', ..] if !line.starts_with("---") => out.paint(Tone::Bad, line),
            [b'@', b'@', ..] => out.paint(Tone::Dim, line),
            _ => line.to_owned(),
        };
        out.line(&painted);
    }
    Ok(exit::OK)
}

/// Which files a run has changed so far, for whoever is about to decide; nothing where it works in the
/// person's own tree.
pub(crate) fn stat(project: &Project, run: &str, out: &Out) {
    let stat = Work::of(project, run).and_then(|work| work.diff(project, &["--stat=90"]));
    // A question is asked whether or not its diff can be shown; `diff` says what is wrong.
    let stat = stat.unwrap_or_default();
    for line in stat.lines() {
        out.line(&format!(" {line}"));
    }
    if !stat.is_empty() {
        out.line(&format!("  proofhouse diff {run}"));
    }
}

/// What can be done with finished work.
pub(crate) fn offer(project: &Project, run: &str, out: &Out) {
    if Work::of(project, run).is_err() {
        return;
    }
    stat(project, run, out);
    let strong = |text: String| out.paint(Tone::Strong, &text);
    out.line(&format!(
        "take it:     {}",
        strong(format!("proofhouse land {run}"))
    ));
    out.line(&format!(
        "or leave it: {}",
        strong(format!("proofhouse discard {run}"))
    ));
}

pub(crate) fn land(project: &Project, args: &Land, out: &Out) -> Result<u8, EngineError> {
    let how = Landing {
        onto: args.onto.clone(),
        message: args.message.clone(),
        shape: match (args.merge, args.rebase, args.keep_commits) {
            (true, ..) => Shape::Merge,
            (_, true, _) => Shape::Rebase,
            (_, _, true) => Shape::KeepCommits,
            _ => Shape::One,
        },
    };
    let landed = onto_branch(project, &args.run, &how)?;
    if out.json {
        out.facts(&json!({
            "run": args.run, "branch": landed.branch, "commit": landed.commit,
            "files": landed.files, "worktree_kept": landed.kept,
        }));
        return Ok(exit::OK);
    }
    out.line(&format!(
        "{} `{}` on `{}` as {}: {} changed",
        out.paint(Tone::Good, "landed"),
        args.run,
        landed.branch,
        &landed.commit[..12],
        match landed.files {
            1 => "1 file".to_owned(),
            files => format!("{files} files"),
        },
    ));
    if let Some(why) = &landed.kept {
        out.line(&format!("  its worktree stays: {why}"));
    }
    Ok(exit::OK)
}

pub(crate) fn discard(project: &Project, run: &str, out: &Out) -> Result<u8, EngineError> {
    let gone = set_aside(project, run)?;
    if out.json {
        out.facts(&json!({"run": run, "kept_by": gone.kept_by, "commit": gone.commit}));
        return Ok(exit::OK);
    }
    out.line(&format!(
        "{} the worktree of `{run}`; `{}` keeps what was in it",
        out.paint(Tone::Good, "removed"),
        gone.kept_by
    ));
    Ok(exit::OK)
}

pub(crate) fn pr(project: &Project, args: &Pr, out: &Out) -> Result<u8, EngineError> {
    let how = Landing {
        onto: args.onto.clone(),
        message: args.message.clone(),
        shape: Shape::One,
    };
    let request = request(project, &args.run, &args.remote, &how)?;
    if out.json {
        out.facts(&json!({
            "run": args.run, "branch": request.branch, "onto": request.onto,
            "commit": request.commit, "title": request.title, "body": request.body,
            "opened": request.opened,
        }));
        return Ok(exit::OK);
    }
    out.line(&format!(
        "{} `{}` to `{}`",
        out.paint(Tone::Good, "pushed"),
        request.branch,
        args.remote
    ));
    match &request.opened {
        Some(said) => out.line(said),
        None => {
            out.line("neither `gh` nor `glab` is here; this is what the request would say:\n");
            out.line(&format!("{}\n\n{}", request.title, request.body));
        }
    }
    Ok(exit::OK)
}

/// Ends a run for good, wherever it stands, and tidies up after it.
pub(crate) fn abandon(project: &Project, args: &Abandon, out: &Out) -> Result<u8, EngineError> {
    let ask = Ask {
        name: &args.run,
        option: STOP,
        about: "",
        with: &serde_json::Value::Null,
        because: &args.because,
    };
    if args.signing.message {
        return decide::show(&engine::decide::message(project, &ask)?);
    }
    let status = report::look(project, &args.run)?.status();
    if !matches!(status.activity, Activity::Done | Activity::Stopped) {
        let approve = |words: &Words<'_>| decide::approved(project, &args.signing, words);
        engine::decide::decide(project, &ask, approve)?;
    }
    if Work::of(project, &args.run).is_err_and(|error| error.code == "works_here") {
        if out.json {
            out.facts(&json!({"run": args.run, "kept_by": null, "commit": null}));
        } else {
            out.line(&format!(
                "{} `{}`; what it made is in your own tree",
                out.paint(Tone::Good, "ended"),
                args.run
            ));
        }
        return Ok(exit::OK);
    }
    discard(project, &args.run, out)
}

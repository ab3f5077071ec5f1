//! What lies beside `repo/` and `task/` in an agent's folder, for it to read: what went wrong before,
//! what the checks said, and the change that it judges. Of the change only what its role may see.

use super::unfinished;
use kernel::effect::{Access, AttemptOrder};
use kernel::unseen::spelt;
use std::path::Path;
use workspace::context::Context;
use workspace::error::EngineError;
use workspace::git::{edits, git, text};
use workspace::view::sight::Globs;
use workspace::worktree;

/// A patch that is longer tells nobody anything: the files are there.
const LONGEST_PATCH: usize = 400_000;

pub(super) fn lay(
    context: &Context,
    order: &AttemptOrder,
    home: &Path,
    globs: &Globs,
) -> Result<(), EngineError> {
    let view = home.join("view");
    let put = |name: &str, text: &str| {
        let path = view.join(name);
        std::fs::write(&path, text).map_err(EngineError::io("write", &path))
    };
    let role = context.workflow.roles.get(&order.role);
    let seals = role.is_some_and(|role| role.hands_in.is_some());
    for (name, text) in &order.papers {
        let kept = match name.starts_with(flow::OUTPUT) {
            true => Some(text.clone()),
            false => sealed(text).filter(|_| seals),
        };
        match kept {
            Some(hash) => put(name, &String::from_utf8_lossy(&context.fetch(&hash)?))?,
            None => put(name, text)?,
        }
    }
    let reads = role.map_or(&[][..], |role| role.reads.as_slice());
    if !reads.is_empty() {
        put(flow::ASKED, &asked(context, reads)?)?;
    }
    if has_history(context, order) {
        workspace::view::lay_past(context.project.repo(), &view)?;
    }
    if let Some(taken) = super::history::taken_names(context, order.state.as_str())? {
        put(super::history::TAKEN, &taken)?;
    }
    // Who writes others does not write the same ones again. They lie here alone, and go with the view.
    if seals {
        let earlier = super::earlier::earlier(context, kernel::exam::EXAM)?;
        let earlier = earlier.last().and_then(|bytes| checks::exam_so_far(bytes));
        if let Some(cases) = earlier {
            put(kernel::exam::EARLIER, &cases)?;
        }
    }
    // Who is asked again for a result alone has the work itself.
    let fresh = order.continues.is_none();
    if fresh {
        for (name, diff) in unfinished::of(context, order.state.as_str()) {
            put(name, &diff)?;
        }
    }
    let Some(tip) = &order.change else {
        return Ok(());
    };
    // Who mends works on what no gate has passed yet: that is in no commit of the run's.
    let tip = match order.access {
        Access::ReadOnly => tip.clone(),
        Access::Edit => edits(context.project.repo(), &home.join("change-index"))?,
    };
    let (files, patch) = change(context, &tip, globs)?;
    put("changed-files.txt", &files)?;
    put("change.patch", &patch)
}

/// May this attempt look into the repository's history? Only who sees all of its files: what is kept from a
/// role would lie open there.
fn has_history(context: &Context, order: &AttemptOrder) -> bool {
    let role = context.workflow.roles.get(&order.role);
    let whole = role.is_some_and(|role| role.hands_in.is_none() && role.reads.is_empty());
    let kernel::effect::Sight {
        sees,
        hidden,
        within,
        ..
    } = &order.sight;
    let of_task = |glob: &String| glob.starts_with("task/");
    let all =
        sees.iter().any(|glob| glob == "**") && hidden.iter().all(of_task) && within.is_empty();
    context.history && whole && all
}

/// What a paper stands for that is under seal. It lies where its own role works, and goes with the view.
fn sealed(paper: &str) -> Option<String> {
    let paper: serde_json::Value = serde_json::from_str(paper).ok()?;
    Some(paper["sealed"].as_str()?.to_owned())
}

/// The parts of the task's documents that a role may read, where it may not read all of them.
fn asked(context: &Context, reads: &[String]) -> Result<String, EngineError> {
    let (file, lines) = report::views::engine_lines(&context.workflow);
    let place = checks::Place {
        repo: context.project.repo(),
        installed: context.project.top(),
        task: &context.task,
        views: checks::Views {
            file,
            lines: &lines,
        },
    };
    let mut text = String::new();
    for item in reads {
        let bytes = checks::item_bytes(place, item).map_err(|error| {
            let what = format!("{item} cannot be read: {error}");
            EngineError::user(
                "no_document",
                what,
                "write it, or correct `reads` of the role",
            )
        })?;
        let name = item
            .rsplit_once('#')
            .map_or(item.as_str(), |(_, name)| name);
        text.push_str(&format!(
            "# {name}\n\n{}\n",
            String::from_utf8_lossy(&bytes)
        ));
    }
    Ok(context.secrets.text(&text))
}

/// The names of the files that were changed since the run began, and how.
fn change(context: &Context, tip: &str, globs: &Globs) -> Result<(String, String), EngineError> {
    let repo = context.project.repo();
    let base = text(&git(repo, &["merge-base", "HEAD", tip], &[])?);
    let base = base.trim();
    let names = worktree::differing(repo, base, tip)?;
    let task = context.task.strip_prefix(repo).ok();
    let visible = |name: &&str| {
        let path = Path::new(name);
        globs.shows(path)
            && !path.starts_with(".proofhouse")
            && task.is_none_or(|task| !path.starts_with(task))
    };
    let names: Vec<&str> = names.iter().map(String::as_str).filter(visible).collect();
    if names.is_empty() {
        return Ok(("none\n".to_owned(), String::new()));
    }
    let mut args = vec![
        "--literal-pathspecs",
        "diff",
        "--no-ext-diff",
        "--no-textconv",
        "--no-color",
        base,
        tip,
        "--",
    ];
    args.extend(&names);
    let patch = git(repo, &args, &[])?;
    let patch = context.secrets.text(&String::from_utf8_lossy(&patch));
    let patch = match patch.char_indices().nth(LONGEST_PATCH) {
        Some((at, _)) => format!(
            "{}\n[cut here: look at the files themselves]\n",
            &patch[..at]
        ),
        None => patch,
    };
    let names: Vec<_> = names.iter().map(|name| spelt(name)).collect();
    Ok((names.join("\n") + "\n", patch))
}

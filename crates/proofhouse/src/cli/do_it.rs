//! `proofhouse do`, `add`, `phase`, `slice` and `lights-out`: a sentence in, work that can be landed out.

use super::args::{New, Run, Sentence};
use super::out::{Out, plain};
use super::{detached, new, run};
use engine::session::could_begin;
use engine::start::{LOOKED_FOR, WantsCommands, wanted_commands};
use std::io::{BufRead, IsTerminal, Write};
use workspace::{EngineError, Project, worktree};

pub(crate) fn do_it(
    project: &Project,
    workflow: &str,
    args: &Sentence,
    out: &Out,
) -> Result<u8, EngineError> {
    let config = project.config()?;
    let mut how = args.how.clone();
    if args.review {
        how.set.push(("review".to_owned(), "yes".to_owned()));
    }
    if args.refactor {
        how.set.push(("change".to_owned(), "refactor".to_owned()));
    }
    how.agent = match (how.agent, config.agent()) {
        (None, None) => crate::found::installed(),
        (named, _) => named,
    };
    let mut asked = New {
        workflow: workflow.to_owned(),
        request: Some(args.request.join(" ")),
        yes: true,
        how,
    };
    // Nothing is made for a run that nobody could work in.
    let rules = project.workflow(workflow)?;
    could_begin(project, &rules, asked.how.agent.as_deref())?;
    new::place(project, &asked)?.base(project)?;
    let (wants, there) = wanted_commands(project, workflow, &args.how.check)?;
    if wants == WantsCommands::Always && !there {
        asked.how.check = vec![ask_for_a_check(out)?];
    }
    // What cannot fail would be found where the work is judged, when it has been paid for.
    let mut hollow = asked.how.check.iter().map(|line| vec![line.clone()]);
    if let Some(why) = hollow.find_map(|argv| report::proof::cannot_fail(&argv)) {
        return Err(EngineError::user(
            "no_check",
            format!("{why}, so it could prove nothing"),
            "name a command that fails when the work is not done",
        ));
    }
    new::ask_about_edits(project, &mut asked)?;
    let started = new::begin(project, &asked)?;
    if !out.json {
        new::tell(project, &asked, &started, out)?;
        if let (None, Some(agent)) = (&args.how.agent, &asked.how.agent) {
            out.line(&format!(
                "  agent        {agent}  (installed; `agent` in the config names another)"
            ));
        }
        surroundings(project, &asked, out)?;
    }
    let driven = Run {
        run: Some(started.run.clone()),
        detach: args.detach,
        once: false,
        agent: None,
        restore_views: false,
    };
    match args.detach {
        true => detached::start(project, &driven, out),
        false => run::run(project, &driven, out),
    }
}

/// What of the person's tree the run does not have, and what they will be asked for later.
fn surroundings(project: &Project, asked: &New, out: &Out) -> Result<(), EngineError> {
    const MOST: usize = 3;
    if asked.how.here {
        return Ok(());
    }
    let left_out = match asked.how.with_edits {
        true => Vec::new(),
        false => worktree::untracked(project.top())?,
    };
    if !left_out.is_empty() {
        let more = match left_out.len().saturating_sub(MOST) {
            0 => String::new(),
            more => format!(" and {more} more"),
        };
        let some = left_out[..left_out.len().min(MOST)].join(", ");
        out.line(&format!(
            "  left out     {}{more}  (in no commit; `--with-edits` begins with all of your tree)",
            plain(&some)
        ));
    }
    if worktree::branch(project.repo())?.is_none() {
        out.line("  branch       none is checked out: `land` will need `--onto BRANCH`");
    }
    Ok(())
}

/// Nothing here could prove the work, and every attempt would be paid for: a person says what does.
fn ask_for_a_check(out: &Out) -> Result<String, EngineError> {
    let none = || {
        EngineError::user(
            "no_check",
            format!("nothing was found here that could prove the work; looked for: {LOOKED_FOR}"),
            "say what does: `proofhouse do ... --check COMMAND`, or `[checks] commands = [\"COMMAND\"]` in .proofhouse/config.toml; any command will do that fails when the work is not done",
        )
    };
    if out.json || !std::io::stdin().is_terminal() || !std::io::stderr().is_terminal() {
        return Err(none());
    }
    eprintln!("Nothing was found here that could prove the work. Looked for: {LOOKED_FOR}.");
    eprint!("Which command fails when something is wrong? ");
    let mut line = String::new();
    let read = std::io::stderr()
        .flush()
        .and_then(|()| std::io::stdin().lock().read_line(&mut line));
    match (read, line.trim()) {
        (Ok(_), command) if !command.is_empty() => Ok(command.to_owned()),
        _ => Err(none()),
    }
}

//! `proofhouse new`.

use super::args::{AutonomyArg, New, RiskArg};
use super::exit;
use super::out::{Out, Tone};
use approval::{ControllingTerminal, Terminal, Words};
use engine::start::{Missing, NewRun, Place, Started, WantsCommands, start, start_waived};
use kernel::machine::Activity;
use kernel::{Autonomy, Machine, Mode, Pace, Risk};
use report::begun::RunBegun;
use workspace::{EngineError, Project};

pub(crate) fn new(project: &Project, args: &New, out: &Out) -> Result<u8, EngineError> {
    let started = begin(project, args)?;
    if out.json {
        out.facts(&RunBegun {
            run: started.run,
            workflow: args.workflow.clone(),
            task: started.task,
            commands: started.commands,
            commands_from: started.commands_from.to_owned(),
            written: started.written,
            missing: started.missing,
        });
        return Ok(exit::OK);
    }
    tell(project, args, &started, out)?;
    next(project, &started.run, out)?;
    Ok(exit::OK)
}

/// Refuses a run of nothing, where nobody but whoever begins it says what is asked for. One's own workflows may
/// be told in ways of their own.
fn says_what_is_asked(project: &Project, args: &New) -> Result<(), EngineError> {
    let name = args.workflow.as_str();
    let ours = flow::built_in(name).is_some() && !project.stands_in_for_built_in(name);
    if args.request.is_some() || !ours {
        return Ok(());
    }
    let workflow = project.workflow(name)?;
    let task = workflow.task.as_ref();
    let task = task.filter(|task| task.request_says.is_none());
    let request = task.and_then(|task| task.request.as_ref());
    let mut fields = task.into_iter().flat_map(|task| &task.fields);
    let field = fields.find(|field| Some(&field.name) == request);
    let nobody_else = |field: &&flow::Field| field.written_in.as_ref().is_some_and(Vec::is_empty);
    let Some(field) = field.filter(nobody_else) else {
        return Ok(());
    };
    let key = flow::field_key(&field.name);
    let mut set = args.how.set.iter();
    if set.any(|(name, value)| flow::field_key(name) == key && !value.trim().is_empty()) {
        return Ok(());
    }
    Err(EngineError::user(
        "nothing_asked",
        format!("nothing is asked for: `{name}` does what is said when it begins"),
        format!("say it: `proofhouse new {name} 'SENTENCE'`, or `--set {key}='SENTENCE'`"),
    ))
}

/// Starts the run that is asked for.
pub(crate) fn begin(project: &Project, args: &New) -> Result<Started, EngineError> {
    says_what_is_asked(project, args)?;
    let mut set = args.how.set.clone();
    if args.how.exam {
        set.push(("exam".to_owned(), "yes".to_owned()));
    }
    let asked = NewRun {
        workflow: args.workflow.clone(),
        place: place(project, args)?,
        dir: args.how.dir.clone(),
        request: args.request.clone(),
        missing: if args.yes {
            Missing::Template
        } else {
            Missing::Ask
        },
        name: args.how.name.clone(),
        set,
        commands: args.how.check.clone(),
        agent: args.how.agent.clone(),
        autonomy: match args.how.autonomy {
            Some(AutonomyArg::Manual) => Autonomy::Manual,
            Some(AutonomyArg::Conservative) => Autonomy::Conservative,
            Some(AutonomyArg::Auto) => Autonomy::Auto,
            None => {
                let set = project.config()?.autonomy();
                set.unwrap_or_else(|| by_default(&args.workflow))
            }
        },
        weak: None,
        mode: Mode {
            pace: if args.how.stepped {
                Pace::Stepped
            } else {
                Pace::Flowing
            },
            risk: match args.how.risk {
                RiskArg::Normal => Risk::Normal,
                RiskArg::High => Risk::High,
            },
        },
        budgets: args.how.budget.clone(),
        settles: None,
        milestone: None,
        onto: None,
    };
    if args.how.waive_sandbox {
        let approve = |words: &Words<'_>| {
            super::signing::approved_unseen(project, args.how.sign.as_deref(), words)
        };
        start_waived(project, &asked, &approve)
    } else {
        start(project, &asked)
    }
}

/// Whoever names no rung looks at the diff before a run is done. In `add` a person has frozen the bundle before
/// anybody builds, and the rest goes by evidence unless the header says otherwise.
fn by_default(workflow: &str) -> Autonomy {
    match workflow {
        "add" => Autonomy::Auto,
        _ => Autonomy::Conservative,
    }
}

/// Says what was started.
pub(crate) fn tell(
    project: &Project,
    args: &New,
    started: &Started,
    out: &Out,
) -> Result<(), EngineError> {
    out.line(&format!(
        "{} run `{}` of `{}`",
        out.paint(Tone::Good, "started"),
        started.run,
        args.workflow
    ));
    out.line(&format!("  task folder  {}", started.task.display()));
    for file in &started.written {
        out.line(&format!("  wrote        {file}  (edit it as you like)"));
    }
    let unset = started.commands.is_empty() && started.commands_from == "none";
    match started.wants_commands {
        // Its gates find out by themselves what to run.
        WantsCommands::Never => {}
        WantsCommands::IfSet if unset => {}
        WantsCommands::Always if unset => {
            out.line(&format!(
                "  {} no validation command: a gate of this workflow cannot pass without one.",
                out.paint(Tone::Warn, "warning")
            ));
            out.line("               Set `[checks] commands = [\"...\"]` in .proofhouse/config.toml, or start with --check.");
        }
        WantsCommands::IfSet | WantsCommands::Always => {
            for command in &started.commands {
                let from = started.commands_from;
                out.line(&format!("  validation   {command}  ({from})"));
                if let Some(why) = report::proof::cannot_fail(std::slice::from_ref(command)) {
                    out.warn(&[format!(
                        "{why}: it proves nothing, and no gate passes by it"
                    )]);
                }
            }
        }
    }
    // Only where something is run: a fingerprint looks at every file.
    if !started.commands.is_empty() {
        let laid_in = workspace::room::laid_in(project)?;
        let laid_in: Vec<String> = laid_in
            .iter()
            .map(workspace::room::Include::shown)
            .collect();
        if !laid_in.is_empty() {
            out.line(&format!("  laid in      {}", few(&laid_in)));
        }
    }
    if project.stands_in_for_built_in(&args.workflow) {
        out.warn(&[format!(
            "`{0}` is the folder .proofhouse/workflows/{0} here, not the workflow that comes with proofhouse: its gates are whatever that folder says",
            args.workflow
        )]);
    }
    out.warn(&started.missing);
    let own = project.of_run(&started.run);
    if own.repo() != project.repo() {
        out.line(&format!("  works in     {}", own.repo().display()));
        let left_out = match args.how.with_edits {
            true => Vec::new(),
            false => workspace::worktree::uncommitted(project.top())?,
        };
        let unknown = match args.how.with_edits {
            true => Vec::new(),
            false => workspace::worktree::untracked(project.top())?,
        };
        for (files, what) in [
            (left_out, "changes that are in no commit are not part of it"),
            (unknown, "files that git does not know are not part of it"),
        ] {
            if !files.is_empty() {
                let note = out.paint(Tone::Warn, "note");
                out.line(&format!("  {note} {what}: {}", few(&files)));
            }
        }
    }
    Ok(())
}

/// The first of them by name, and how many more there are.
fn few(files: &[String]) -> String {
    const FEW: usize = 8;
    let named = files[..files.len().min(FEW)].join(", ");
    match files.len().saturating_sub(FEW) {
        0 => named,
        more => format!("{named} and {more} more"),
    }
}

/// Whose tree it works in: as asked for, else as the settings say, else one of its own.
pub(crate) fn place(project: &Project, args: &New) -> Result<Place, EngineError> {
    let here = args.how.here || (args.how.from.is_none() && project.config()?.runs_work_here());
    Ok(match (here, args.how.with_edits) {
        (_, true) => Place::WithEdits,
        (true, false) => Place::Here,
        (false, false) => Place::OwnTree(args.how.from.clone()),
    })
}

/// What git does not know yet, and comes along with the edits or does not.
fn beside(project: &Project) -> Result<String, EngineError> {
    let others = workspace::worktree::untracked(project.top())?;
    let (secret, others): (Vec<String>, Vec<String>) = others
        .into_iter()
        .partition(|path| checks::holds_secrets(path.as_ref()));
    let mut said = String::new();
    for (files, what) in [
        (others, "with them would come files that git does not know"),
        (secret, "without what may hold secrets"),
    ] {
        if !files.is_empty() {
            said = format!("{said}\n  {what}: {}", files.join(", "));
        }
    }
    Ok(said)
}

/// Asks what to begin with where the tree has edits that are in no commit, unless that was said.
pub(crate) fn ask_about_edits(project: &Project, args: &mut New) -> Result<(), EngineError> {
    let own_tree = matches!(place(project, args)?, Place::OwnTree(None));
    let edits = match own_tree {
        true => workspace::worktree::uncommitted(project.top())?,
        false => Vec::new(),
    };
    if edits.is_empty() {
        return Ok(());
    }
    let edits = edits.join(", ") + &beside(project)?;
    let mut terminal = ControllingTerminal::open();
    if !terminal.is_terminal() {
        return Err(EngineError::user(
            "tree_has_edits",
            format!("your tree has edits that are in no commit: {edits}"),
            "`--with-edits` begins with them, `--from HEAD` without",
        ));
    }
    let prompt = format!(
        "your tree has edits that are in no commit: {edits}\nbegin with them? [y: with the edits / n: at HEAD] "
    );
    let answer = terminal.ask(&prompt).map_err(EngineError::io(
        "ask at",
        std::path::Path::new("the terminal"),
    ))?;
    match answer.trim().to_lowercase().as_str() {
        "y" | "yes" => args.how.with_edits = true,
        "n" | "no" => args.how.from = Some("HEAD".to_owned()),
        _ => {
            return Err(EngineError::user(
                "tree_has_edits",
                "nothing was begun: the answer is neither y nor n",
                "`--with-edits` begins with the edits, `--from HEAD` without",
            ));
        }
    }
    Ok(())
}

/// What to do now: drive it, or, if nobody has said yet what is wanted, how to say it.
fn next(project: &Project, run: &str, out: &Out) -> Result<(), EngineError> {
    let peek = report::look::peek_run(project, run)?;
    let (status, workflow) = (peek.machine.status(), peek.machine.workflow());
    if status.activity != Activity::Resting {
        out.line(&format!("next: proofhouse run {run}"));
        return Ok(());
    }
    let about = &workflow.states[&status.state].about;
    out.line(&format!("  it rests in `{}`: {about}", status.state));
    let task = workflow.task.as_ref();
    let says = task.and_then(|task| task.request_says.as_deref());
    if let (Some(task), Some(says)) = (task, says) {
        let field = task.request.as_deref().unwrap_or_default();
        out.line(&format!(
            "  nothing is asked for yet: write it behind `{field}:` in the task's {}",
            task.state_file
        ));
        out.line(&format!(
            "next: proofhouse decide {run} {says} --because 'what is to be built', then proofhouse run {run}"
        ));
    }
    Ok(())
}

//! `proofhouse decide`: a person's word, through a channel that agents cannot reach.

use super::args::{Decide, Resolve, Run, Signing};
use super::live_trace::Live;
use super::out::{Out, Tone};
use super::signing::{self, approved, show};
use super::{exit, inbox, land, of_factory, payload, resolve, run, standing, status};
use approval::Words;
use engine::decide::{Ask, Decided};
use kernel::Machine;
use kernel::machine::Activity;
use serde_json::Value;
use workspace::{EngineError, Project};

/// `proofhouse decide NAME OPTION`: any option that the machine of a run or a project knows.
pub(crate) fn decide(project: &Project, args: &Decide, out: &Out) -> Result<u8, EngineError> {
    let with = match &args.payload {
        None => Value::Null,
        Some(path) => payload::read(path)?,
    };
    if let Some(resolve) = resolution(project, args, &with)? {
        let code = resolve::resolve(project, &resolve, out)?;
        return match args.go_on {
            true => of_factory::run(project, Some(&args.run), None, out),
            false => Ok(code),
        };
    }
    let ask = Ask {
        name: &args.run,
        option: &args.option,
        about: "",
        with: &with,
        because: &args.because,
    };
    if !out.json && signing::at_terminal(project, &args.signing) {
        rests_on(project, &args.run, &args.option, out)?;
    }
    if !args.go_on {
        return say(project, &ask, &args.signing, out);
    }
    let approve = |words: &Words<'_>| approved(project, &args.signing, words);
    let decided = engine::decide::decide(project, &ask, approve)?;
    if !out.json {
        on_record(&ask, &decided, out);
    }
    if report::look::is_project(project, &args.run) {
        return of_factory::run(project, Some(&args.run), None, out);
    }
    let on = Run {
        run: Some(args.run.clone()),
        detach: false,
        once: false,
        agent: None,
        restore_views: false,
    };
    run::run(project, &on, out)
}

/// A resolution or a ruling that says itself what it is about has gone through; of any other this finds
/// what it can only be about.
fn resolution(
    project: &Project,
    args: &Decide,
    with: &Value,
) -> Result<Option<Resolve>, EngineError> {
    let says = ["task", "exception_id"];
    let open = with.is_null() || with.is_object();
    if !open || says.iter().any(|name| with.get(name).is_some()) {
        return Ok(None);
    }
    let named = match report::look::is_project(project, &args.run) {
        true => {
            let machine = report::look::peek_project(project, &args.run)?.machine;
            report::question::resolved_by(&machine.questions(), &args.option)
        }
        false => Vec::new(),
    };
    let option = &args.option;
    match named.as_slice() {
        [] if args.set.is_empty() => Ok(None),
        [] => Err(EngineError::user(
            "payload_not_taken",
            format!("nothing waits for `{option}` with members"),
            "leave `--set` out; `proofhouse inbox` says what waits",
        )),
        [one] => Ok(Some(Resolve {
            escalation: one.clone(),
            action: option.clone(),
            payload: args.payload.clone(),
            set: args.set.clone(),
            edit: false,
            because: args.because.clone(),
            signing: args.signing.clone(),
        })),
        several => Err(EngineError::user(
            "ambiguous_resolution",
            format!("`{option}` could be about {}", several.join(", ")),
            format!(
                "say which one: `proofhouse resolve {} --action {option}`",
                several[0]
            ),
        )),
    }
}

fn on_record(ask: &Ask<'_>, decided: &Decided, out: &Out) {
    out.line(&format!(
        "{} `{}`: `{}` is on record; it is in `{}`",
        out.paint(Tone::Good, "decided"),
        decided.name,
        ask.option,
        decided.status.state
    ));
}

/// What the decision rests on, before the person confirms it.
fn rests_on(project: &Project, name: &str, option: &str, out: &Out) -> Result<(), EngineError> {
    if let report::Looked::Run(peek) = report::look(project, name)? {
        let waiting = peek.machine.status().waiting_for;
        if waiting.is_none_or(|on| !on.options.iter().any(|one| one == option)) {
            // It is refused, which needs no look at the work.
            return Ok(());
        }
        let grounds = report::inbox::grounds(project, name, &peek)?;
        inbox::shown(out, name, &grounds, land::Lines::Some);
        let code = report::question::run_code(name, &peek.head.hash);
        out.line(&signing::wants(project, name, &code));
    }
    Ok(())
}

/// Lets a decision in, and says what it led to.
pub(crate) fn say(
    project: &Project,
    ask: &Ask<'_>,
    signing: &Signing,
    out: &Out,
) -> Result<u8, EngineError> {
    if signing.message {
        return show(&engine::decide::message(project, ask)?);
    }
    let approve = |words: &Words<'_>| approved(project, signing, words);
    let decided = engine::decide::decide(project, ask, approve)?;
    // What waited has ended, and often the run with it: nothing else would tell of that.
    drop(Live::of((), project, &decided.name));
    if out.json {
        status::print(project, &decided.name, out)?;
        return Ok(exit::OK);
    }
    on_record(ask, &decided, out);
    let done = decided.status.activity == Activity::Done;
    if done && land::own_tree(project, &decided.name) == Some(true) {
        out.line(&format!("next: proofhouse land {}", decided.name));
    } else if decided.status.activity == Activity::Stopped {
        out.line(&format!("next: proofhouse discard {}", decided.name));
    } else if decided.more {
        let drives = standing::drives(project, &decided.name);
        let drives = drives.as_ref().unwrap_or(&decided.go_on);
        out.line(&format!("next: {drives}"));
    } else if decided.status.waiting_for.is_some() {
        status::status(project, Some(&decided.name), out)?;
    }
    Ok(exit::OK)
}

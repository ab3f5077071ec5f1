//! `proofhouse fork`, `rewind` and `compare`: leave a run where it was, lead it back there, and see what came of
//! two.

use super::args::{Compare, Fork, Rewind};
use super::decide::say;
use super::exit;
use super::out::{Out, Tone, count, duration, plain};
use engine::decide::Ask;
use engine::fork::NewFork;
use kernel::Machine;
use kernel::decision::REWIND;
use kernel::machine::Activity;
use report::compare::{Both, Side};
use report::stat::stat;
use workspace::{EngineError, Project};

pub(crate) fn fork(project: &Project, args: &Fork, out: &Out) -> Result<u8, EngineError> {
    let asked = NewFork {
        run: args.run.clone(),
        at: args.at,
        name: args.name.clone(),
        agent: args.agent.clone(),
    };
    let begun = engine::fork::fork(project, &asked)?;
    if out.json {
        out.facts(&begun);
        return Ok(exit::OK);
    }
    out.line(&format!(
        "forked `{}` from `{}` at record {}: it stands in `{}`",
        begun.run, begun.parent, begun.seq, begun.state
    ));
    out.line(&format!("  goes on from {}", begun.commit));
    out.line(&format!("  task folder  {}", begun.task.display()));
    out.line("  what was used up by then is used up in it too");
    out.warn(&begun.missing);
    let status = report::look::peek_run(project, &begun.run)?
        .machine
        .status();
    let on = match status.activity {
        Activity::Done => "land",
        _ => "run",
    };
    out.line(&format!(
        "next: proofhouse status {0}   or: proofhouse {on} {0}",
        begun.run
    ));
    Ok(exit::OK)
}

/// A person's decision like any other, with the commit that it goes back to.
pub(crate) fn rewind(project: &Project, args: &Rewind, out: &Out) -> Result<u8, EngineError> {
    let with = report::back::to(project, &args.run, args.at)?;
    let about = report::back::about(&with);
    let ask = Ask {
        name: &args.run,
        option: REWIND,
        about: &about,
        with: &with,
        because: &args.because,
    };
    say(project, &ask, &args.signing, out)
}

pub(crate) fn compare(project: &Project, args: &Compare, out: &Out) -> Result<u8, EngineError> {
    let both = Both::of(&project.at_top(), &args.run, &args.other)?;
    if out.json {
        out.facts(&both);
        return Ok(exit::OK);
    }
    let [first, second] = &both.sides;
    let row = |name: &str, of: &dyn Fn(&Side) -> String| {
        vec![name.to_owned(), plain(&of(first)), plain(&of(second))]
    };
    let or = |text: &str| match text {
        "" => "-".to_owned(),
        text => text.to_owned(),
    };
    let rows = vec![
        row("workflow", &|one| one.workflow.clone()),
        row("agent", &|one| or(&one.agent)),
        row("state", &|one| one.state.clone()),
        row("activity", &|one| match (&one.fate, one.waits.as_str()) {
            (Some(fate), _) => fate.words(),
            (None, "") => one.doing.to_owned(),
            (None, waits) => format!("{} ({waits})", one.doing),
        }),
        row("shown", &|one| or(&one.worth)),
        row("attempts", &|one| one.spend.attempts.to_string()),
        row("money", &|one| one.spend.money()),
        row("tokens", &|one| {
            let usage = one.spend.usage;
            let all = usage.input_tokens.saturating_add(usage.output_tokens);
            all.to_string()
        }),
        row("agents' time", &|one| duration(one.spend.millis)),
        row("gates", &|one| {
            format!("{}, {} refused", one.gates, one.refused)
        }),
        row("decided", &|one| or(&one.decisions.join(", "))),
        row("changed", &|one| {
            format!("{} files, +{} -{}", one.files, one.added, one.removed)
        }),
        row("records", &|one| one.records.to_string()),
    ];
    out.table(&["", &first.run, &second.run], &rows);
    if let Some(common) = both.common {
        let shared = &first.shared;
        out.line(&format!(
            "the same up to record {common}; before that: {}, money {}",
            count(shared.attempts, "attempt"),
            shared.money()
        ));
    }
    match &both.differences {
        None => out.line("one of them has made nothing that git knows"),
        Some(none) if none.is_empty() => {
            out.line(&out.paint(Tone::Good, "what they made is the same, to the letter"))
        }
        Some(changes) => {
            out.line(&format!(
                "from the work of `{}` to that of `{}`:",
                first.run, second.run
            ));
            let columns = Out::columns().unwrap_or(100).min(120);
            for line in stat(changes, columns.saturating_sub(2)).lines() {
                out.line(&format!(" {}", plain(line)));
            }
            if let (Some(one), Some(other)) = (&first.made, &second.made) {
                out.line(&format!("  git diff {one} {other}   shows all of it"));
            }
        }
    }
    Ok(exit::OK)
}

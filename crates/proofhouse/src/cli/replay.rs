//! `proofhouse replay`: a run as it was, and what another workflow would have made of it. Nothing is written.

use super::args::Replay;
use super::out::{Out, Tone, plain};
use super::{exit, figures, workflow};
use report::question;
use report::replay::Then;
use report::replay::other::{Compared, compare};
use workspace::project::load;
use workspace::{EngineError, Project};

pub(crate) fn replay(project: &Project, args: &Replay, out: &Out) -> Result<u8, EngineError> {
    let run = args.run.as_str();
    if let Some(name) = &args.with {
        let other = load(&workflow::source_in(Some(project), name)?)?;
        let compared = compare(project, run, &other, args.at.unwrap_or(u64::MAX))?;
        match out.json {
            true => out.facts(&compared),
            false => against(&compared, out),
        }
        return Ok(exit::OK);
    }
    let at = match args.at {
        Some(at) => at,
        None => report::look(project, run)?.head().seq,
    };
    let then = Then::at(project, run, at)?;
    match out.json {
        true => out.facts(&then),
        false => told(run, &then, out),
    }
    Ok(exit::OK)
}

fn told(run: &str, then: &Then, out: &Out) {
    let status = &then.status;
    out.line(&format!(
        "{}  {} in `{}`, as of record {} of {}, {}",
        out.paint(Tone::Strong, run),
        status.workflow,
        status.state,
        then.head.seq,
        then.last,
        then.record.at
    ));
    let row = |name: &str, text: String| out.row(name, &text);
    row("record", plain(&then.record.sentence));
    row("autonomy", status.autonomy.to_string());
    figures::all(out, status, &then.spend);
    if let Some(exam) = &then.exam {
        row("exam", figures::exam(exam));
    }
    if !then.worth.is_empty() {
        row("shown", then.worth.clone());
    }
    if let Some(commit) = &then.commit {
        row("commit", commit.clone());
    }
    for flying in &status.in_flight {
        let kind = format!("{:?}", flying.kind).to_lowercase();
        row(
            "in flight",
            format!("{} ({kind}, since {})", flying.effect, flying.began),
        );
    }
    row("head", then.head.hash.clone());
    if let Some(waiting) = &status.waiting_for {
        let worded = question::of_run(run, waiting, question::By::Any);
        out.line(&out.paint(Tone::Warn, &plain(&worded.headline)));
        for line in &worded.lines {
            out.line(&format!("  {}", plain(line)));
        }
        let options: Vec<String> = waiting.options.iter().map(|one| plain(one)).collect();
        row("answers", options.join(", "));
    }
}

fn against(compared: &Compared, out: &Out) {
    let (run, name) = (plain(&compared.run), plain(&compared.workflow));
    let hash = |hash: &str| hash[..12.min(hash.len())].to_owned();
    if compared.own_hash == compared.workflow_hash {
        out.line(&format!(
            "`{name}` is the very workflow that `{run}` went by"
        ));
    }
    match &compared.parts {
        None => out.line(&format!(
            "{} with `{name}` ({}): nothing differs up to record {}",
            out.paint(Tone::Good, "the same"),
            hash(&compared.workflow_hash),
            compared.last
        )),
        Some(parts) => {
            out.line(&format!(
                "{} with `{name}` ({}) at record {}",
                out.paint(Tone::Warn, "another way"),
                hash(&compared.workflow_hash),
                parts.seq
            ));
            out.line(&format!("  happened    {}", plain(&parts.happened)));
            out.line(&format!("  instead     {}", plain(&parts.instead)));
            out.line(&format!(
                "  the same up to record {}; what agents and people would have said after that, nobody knows",
                compared.same_to
            ));
        }
    }
}

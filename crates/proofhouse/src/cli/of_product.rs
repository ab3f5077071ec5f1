//! `proofhouse factory new|review|approve|reject|amend`: from a person's SPEC.md to a spec that they
//! have approved.

use super::args::{Channel, FactoryNew};
use super::out::{Out, Tone, plain};
use super::{exit, of_factory, signing};
use approval::Words;
use engine::factory::{New, Said, Spoken};
use report::begun::{ProjectBegun, SpokenOn};
use report::review::Becomes;
use std::path::Path;
use workspace::{EngineError, Project};

pub(crate) fn new(project: &Project, asked: &FactoryNew, out: &Out) -> Result<u8, EngineError> {
    let made = engine::factory::new(
        project,
        &New {
            spec: &asked.spec,
            with: &asked.with,
            name: asked.making.name.as_deref(),
            agent: asked.making.agent.as_deref(),
            jobs: u32::from(asked.making.jobs),
            budgets: &asked.making.budget,
        },
    )?;
    let missing = engine::factory::missing(project, asked.making.agent.as_deref())?;
    if out.json {
        out.facts(&ProjectBegun {
            project: made.name,
            tasks: None,
            missing,
        });
        return Ok(exit::OK);
    }
    let (name, spec) = (&made.name, asked.spec.display());
    out.line(&match &made.after {
        None => format!(
            "{} project `{name}` from {spec}",
            out.paint(Tone::Good, "began")
        ),
        Some(after) => format!(
            "{} project `{name}` after {after}, from {spec}",
            out.paint(Tone::Good, "went on with")
        ),
    });
    out.warn(&missing);
    out.line(&format!("next: proofhouse factory run {name}"));
    Ok(exit::OK)
}

pub(crate) fn review(project: &Project, name: Option<&str>, out: &Out) -> Result<u8, EngineError> {
    let name = of_factory::named(project, name)?;
    let review = engine::factory::review(project, &name)?;
    if out.json {
        out.facts(&review);
        return Ok(exit::OK);
    }
    let lines = review.page.trim_end().lines();
    // A line at a time: the page is an agent's text, and must not steer a terminal.
    lines.for_each(|line| out.line(&plain(line)));
    for line in &review.deficiencies {
        out.line(&format!(
            "{} {}",
            out.paint(Tone::Bad, "error"),
            plain(line)
        ));
    }
    if !review.further.is_empty() {
        out.line("\nWhat becomes of the released project, if you approve:");
    }
    for fate in &review.further {
        let (tone, word) = match fate.becomes {
            Becomes::Stays => (Tone::Good, "stays"),
            Becomes::Changes => (Tone::Warn, "changes"),
            Becomes::Comes => (Tone::Good, "new"),
            Becomes::Goes => (Tone::Warn, "goes"),
        };
        out.line(&format!(
            "  {} {}",
            out.paint(tone, word),
            plain(&fate.line())
        ));
    }
    if let Some(advice) = &review.advice {
        out.line(&format!("\n{} {advice}", out.paint(Tone::Warn, "advice")));
    }
    if let Some(hash) = &review.sha256 {
        out.line(&format!("\nspec sha256 {hash}"));
    }
    let next = |option: &str| match option {
        "APPROVE" => Some(format!("proofhouse factory approve {name}")),
        "REJECT" => Some(format!("proofhouse factory reject {name} --reasons TEXT")),
        "AMEND" => Some(format!("proofhouse factory amend {name} --feedback TEXT")),
        _ => None,
    };
    let next = review.options.iter().filter_map(|one| next(one));
    next.for_each(|line| out.line(&format!("  {line}")));
    Ok(exit::OK)
}

/// A person's words, from the command line or from a file.
pub(crate) fn text(given: Option<&str>, file: Option<&Path>) -> Result<String, EngineError> {
    match (given, file) {
        (Some(text), _) => Ok(text.to_owned()),
        (None, Some(path)) => std::fs::read_to_string(path).map_err(|error| match error.kind() {
            std::io::ErrorKind::NotFound | std::io::ErrorKind::InvalidData => {
                let what = format!("{}: {error}", path.display());
                EngineError::user("no_such_file", what, "name a text file")
            }
            _ => EngineError::io("read", path)(error),
        }),
        (None, None) => Ok(String::new()),
    }
}

pub(crate) fn speak(
    project: &Project,
    name: Option<&str>,
    said: Said<'_>,
    channel: &Channel,
    out: &Out,
) -> Result<u8, EngineError> {
    let name = &of_factory::named(project, name)?;
    let spoken = Spoken {
        name,
        said,
        spec: channel.spec.as_deref(),
    };
    if channel.signing.message {
        return signing::show(&engine::factory::spoken_message(project, &spoken)?);
    }
    let approve = |words: &Words<'_>| signing::approved(project, &channel.signing, words);
    let spoken = engine::factory::speak(project, &spoken, approve)?;
    if out.json {
        out.facts(&SpokenOn {
            project: spoken.name,
            status: spoken.status,
        });
        return Ok(exit::OK);
    }
    let word = match said {
        Said::Approve { .. } => "approved",
        Said::Reject { .. } => "rejected",
        Said::Amend { .. } => "amended",
    };
    out.line(&format!(
        "{} `{name}`: your word is on record\nnext: proofhouse factory run {name}",
        out.paint(Tone::Good, word),
    ));
    Ok(exit::OK)
}

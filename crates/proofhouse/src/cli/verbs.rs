//! `proofhouse factory release|deprecate|retry|extend|stop`, and `decide` on a project: a person's
//! word on a project of the factory, through the channels of every other decision.

use super::args::{Decide, Deprecate, Signing, Word};
use super::out::{Out, Tone};
use super::{decide, exit, of_factory, resolve};
use ::factory::machine::{DEPRECATE, EXTEND, RELEASE, RETRY};
use engine::approval::Words;
use engine::factory::Ask;
use kernel::position::STOP;
use serde_json::{Value, json};
use workspace::{EngineError, Project};

/// A decision and how it is let in.
struct Saying<'a> {
    ask: Ask<'a>,
    signing: &'a Signing,
}

fn say(project: &Project, saying: &Saying<'_>, out: &Out) -> Result<u8, EngineError> {
    let ask = &saying.ask;
    if saying.signing.message {
        return decide::show(&engine::factory::decide_message(project, ask)?);
    }
    let approve = |words: &Words<'_>| decide::approved(project, saying.signing, words);
    let decided = engine::factory::decide(project, ask, approve)?;
    if out.json {
        out.facts(&json!({"project": decided.name, "status": decided.status}));
        return Ok(exit::OK);
    }
    out.line(&format!(
        "{} `{}`: `{}` is on record",
        out.paint(Tone::Good, "decided"),
        decided.name,
        ask.option
    ));
    if ask.option != STOP {
        out.line(&format!("next: proofhouse factory run {}", decided.name));
    }
    Ok(exit::OK)
}

fn with_word(
    project: &Project,
    name: Option<&str>,
    option: &str,
    with: &Value,
    word: &Word,
    out: &Out,
) -> Result<u8, EngineError> {
    let name = of_factory::named(project, name)?;
    let saying = Saying {
        ask: Ask {
            name: &name,
            option,
            about: "",
            with,
            because: &word.because,
        },
        signing: &word.signing,
    };
    say(project, &saying, out)
}

pub(crate) fn release(
    project: &Project,
    name: Option<&str>,
    modules: &[String],
    word: &Word,
    out: &Out,
) -> Result<u8, EngineError> {
    let with = match modules {
        [] => Value::Null,
        modules => json!({"modules": modules}),
    };
    with_word(project, name, RELEASE, &with, word, out)
}

pub(crate) fn deprecate(
    project: &Project,
    asked: &Deprecate,
    out: &Out,
) -> Result<u8, EngineError> {
    let mut with = json!({"module": asked.module, "reason": asked.word.because});
    if let Some(new) = &asked.superseded_by {
        with["superseded_by"] = json!(new);
    }
    if let Some(migration) = &asked.migration {
        with["migration"] = json!(migration);
    }
    let name = asked.name.as_deref();
    with_word(project, name, DEPRECATE, &with, &asked.word, out)
}

pub(crate) fn retry(
    project: &Project,
    name: Option<&str>,
    word: &Word,
    out: &Out,
) -> Result<u8, EngineError> {
    with_word(project, name, RETRY, &Value::Null, word, out)
}

pub(crate) fn extend(
    project: &Project,
    name: Option<&str>,
    word: &Word,
    out: &Out,
) -> Result<u8, EngineError> {
    with_word(project, name, EXTEND, &Value::Null, word, out)
}

pub(crate) fn stop(
    project: &Project,
    name: Option<&str>,
    word: &Word,
    out: &Out,
) -> Result<u8, EngineError> {
    with_word(project, name, STOP, &Value::Null, word, out)
}

/// `proofhouse decide PROJECT OPTION`: any option that the machine knows.
pub(crate) fn decide(project: &Project, args: &Decide, out: &Out) -> Result<u8, EngineError> {
    let with = match &args.payload {
        None => Value::Null,
        Some(path) => resolve::read(path)?,
    };
    let saying = Saying {
        ask: Ask {
            name: &args.run,
            option: &args.option,
            about: "",
            with: &with,
            because: &args.because,
        },
        signing: &args.signing,
    };
    say(project, &saying, out)
}

//! `proofhouse factory release|deprecate|retry|extend|stop`: a person's
//! word on a project of the factory, through the channels of every other decision.

use super::args::{Deprecate, Word};
use super::out::Out;
use super::{decide, of_factory};
use ::factory::machine::{DEPRECATE, EXTEND, RELEASE, RETRY};
use engine::decide::Ask;
use kernel::position::STOP;
use serde_json::{Value, json};
use workspace::{EngineError, Project};

fn with_word(
    project: &Project,
    name: Option<&str>,
    option: &str,
    with: &Value,
    word: &Word,
    out: &Out,
) -> Result<u8, EngineError> {
    let name = of_factory::named(project, name)?;
    let ask = Ask {
        name: &name,
        option,
        about: "",
        with,
        because: &word.because,
    };
    decide::say(project, &ask, &word.signing, out)
}

pub(crate) fn release(
    project: &Project,
    name: Option<&str>,
    with: &Value,
    word: &Word,
    out: &Out,
) -> Result<u8, EngineError> {
    with_word(project, name, RELEASE, with, word, out)
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

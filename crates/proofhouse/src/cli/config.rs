//! `proofhouse config show` and `config confirm`.

use super::exit;
use super::out::{Out, count};
use approval::{ControllingTerminal, Terminal};
use std::path::Path;
use workspace::config::keys::{self, KEYS};
use workspace::config::{self, Value};
use workspace::{EngineError, Project, trust};

/// Where a value comes from that nobody set.
const DEFAULT: &str = "default";
/// The same where nothing holds either.
const NOT_SET: &str = "not set";

/// Behind the source of one that a repository may not set.
const REFUSED: &str = "; refused there: move it to your own config.toml, or to the environment";

/// Behind the source of a setting that came with the repository and nobody has confirmed.
const UNCONFIRMED: &str = "; nothing runs with it before `proofhouse config confirm`";

fn shown(value: &Value) -> String {
    serde_json::to_string(value).unwrap_or_default()
}

pub(crate) fn show(
    project: &Project,
    begins: Option<&str>,
    all: bool,
    out: &Out,
) -> Result<u8, EngineError> {
    let config = project.config()?;
    let wanted = |name: &str| begins.is_none_or(|begins| name.starts_with(begins));
    let set: Vec<(String, Value, String)> = config
        .iter()
        .filter(|(name, _, _)| wanted(name))
        .map(|(name, value, source)| (name.clone(), value.clone(), source.to_string()))
        .collect();
    let unset =
        |key: &&keys::Key| wanted(key.name) && !config.iter().any(|(name, _, _)| *name == key.name);
    // Where nobody can tell, `run` says so; what is set is shown all the same.
    let found = trust::unconfirmed(project, &config).unwrap_or_default();
    let waits = |name: &str| found.iter().any(|(one, _)| one == name);
    let unset: Vec<&keys::Key> = KEYS.iter().filter(unset).collect();
    if let (Some(name), true, true) = (begins, set.is_empty(), unset.is_empty()) {
        let near = kernel::near::nearest(name, KEYS.iter().map(|key| key.name));
        return Err(EngineError::user(
            "config_malformed",
            format!("there is no setting `{name}`"),
            match near {
                Some(near) => {
                    format!("is `{near}` meant? `proofhouse config show --all` has them all")
                }
                None => "`proofhouse config show --all` has them all".to_owned(),
            },
        ));
    }
    if out.json {
        let about = |name: &str| keys::find(name).map(|key| key.about);
        let mut facts: Vec<_> = set
            .iter()
            .map(|(name, value, source)| {
                serde_json::json!({"name": name, "value": value, "source": source, "about": about(name), "unconfirmed": waits(name), "refused": config.is_refused(name)})
            })
            .collect();
        facts.extend(unset.iter().map(|key| {
            let value = config::default(key.name);
            let source = value.as_ref().map_or(NOT_SET, |_| DEFAULT);
            serde_json::json!({"name": key.name, "value": value, "source": source, "about": key.about})
        }));
        out.facts(&facts);
        return Ok(exit::OK);
    }
    let mut rows = Vec::new();
    for (name, value, mut source) in set {
        if waits(&name) {
            source.push_str(UNCONFIRMED);
        } else if config.is_refused(&name) {
            source.push_str(REFUSED);
        }
        rows.push(vec![name, shown(&value), source]);
    }
    let more = match all || begins.is_some() {
        true => 0,
        false => unset.len(),
    };
    for key in unset.iter().skip(more) {
        let variable = if key.name.contains('*') {
            String::new()
        } else {
            format!(" (${})", config::variable(key.name))
        };
        let (value, source) = match config::default(key.name) {
            Some(value) => (shown(&value), DEFAULT),
            None => ("-".to_owned(), NOT_SET),
        };
        let about = format!("{source}; {}{variable}", key.about);
        rows.push(vec![key.name.to_owned(), value, about]);
    }
    if !rows.is_empty() {
        out.wide_table(&["setting", "value", "source"], &rows);
    }
    if more > 0 {
        let others = count(more as u64, "other setting");
        out.line(&format!(
            "{others}: `proofhouse config show --all`, or `config show NAME`"
        ));
    }
    Ok(exit::OK)
}

/// Asks whether settings that came with the repository may open the sandbox or the network here.
pub(crate) fn confirm(project: &Project, out: &Out) -> Result<u8, EngineError> {
    let found = trust::unconfirmed(project, &project.config()?)?;
    if found.is_empty() {
        out.line("nothing is to be confirmed");
        return Ok(exit::OK);
    }
    let mut terminal = ControllingTerminal::open();
    if !terminal.is_terminal() {
        return Err(EngineError::user(
            "human_presence_required",
            "only a person at a terminal lets these settings count",
            "run it in a terminal of yours, or take them into your own config.toml",
        ));
    }
    for (name, value) in &found {
        out.line(&format!("  {name} = {value}"));
    }
    let answer = terminal
        .ask("these came with the repository. Let them count on this machine? [y/N] ")
        .map_err(EngineError::io("ask at", Path::new("the terminal")))?;
    if !matches!(answer.trim().to_lowercase().as_str(), "y" | "yes") {
        out.line("nothing was changed");
        return Ok(exit::USER);
    }
    trust::confirm(project, &found)?;
    out.line("confirmed; other settings, or other values, will be asked about again");
    Ok(exit::OK)
}

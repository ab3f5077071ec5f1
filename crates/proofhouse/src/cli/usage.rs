//! A command line that cannot be read, as JSON: who asked for JSON gets no prose. It judges nothing:
//! clap has done that.

use clap::error::{ContextKind, ContextValue, ErrorKind};
use std::ffi::OsString;
use workspace::EngineError;

/// Was `--json` asked for? What stands behind `--` belongs to somebody else.
pub(crate) fn wants_json(args: impl Iterator<Item = OsString>) -> bool {
    let mut ours = args.take_while(|arg| arg != "--");
    ours.any(|arg| arg == "--json")
}

/// Words that people try for what `decide` does, and the option that they most likely mean.
const DECISIONS: [(&str, &str); 9] = [
    ("accept", "approve"),
    ("allow", "allow"),
    ("answer", "OPTION"),
    ("approve", "approve"),
    ("continue", "continue"),
    ("extend", "extend"),
    ("freeze", "freeze"),
    ("reject", "reject"),
    ("retry", "retry"),
];

/// What is meant by a command that there is not, where a person most likely wants to decide.
pub(crate) fn meant(error: &clap::Error) -> Option<String> {
    let ContextValue::String(word) = error.get(ContextKind::InvalidSubcommand)? else {
        return None;
    };
    let (_, option) = DECISIONS.iter().find(|(tried, _)| tried == word)?;
    Some(format!(
        "to answer what a run waits for: proofhouse decide RUN {option} --because \"...\"; `proofhouse inbox` shows what may be answered"
    ))
}

/// The same error, with a code and a mend.
pub(crate) fn error(error: &clap::Error) -> EngineError {
    let said = error.render().to_string();
    let what = match error.kind() {
        ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand => "no command is named".to_owned(),
        _ => {
            let first = said.split("\n\n").next().unwrap_or_default();
            let words: Vec<&str> = first.split_whitespace().collect();
            words.join(" ").trim_start_matches("error: ").to_owned()
        }
    };
    let usual = "`proofhouse help COMMAND` shows how it is called";
    let mend = meant(error).unwrap_or_else(|| usual.to_owned());
    EngineError::user("usage", what, mend)
}

#[cfg(test)]
mod tests {
    use super::wants_json;

    #[test]
    fn what_stands_behind_two_dashes_is_not_ours() {
        let wants = |line: &str| wants_json(line.split(' ').map(Into::into));
        assert!(wants("proofhouse frob --json"));
        assert!(!wants("proofhouse sandbox run -- ls --json"));
    }
}

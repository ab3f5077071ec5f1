//! A command line that cannot be read, as JSON: who asked for JSON gets no prose. It judges nothing:
//! clap has done that.

use clap::error::ErrorKind;
use std::ffi::OsString;
use workspace::EngineError;

/// Was `--json` asked for? What stands behind `--` belongs to somebody else.
pub(crate) fn wants_json(args: impl Iterator<Item = OsString>) -> bool {
    let mut ours = args.take_while(|arg| arg != "--");
    ours.any(|arg| arg == "--json")
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
    EngineError::user(
        "usage",
        what,
        "`proofhouse help COMMAND` shows how it is called",
    )
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

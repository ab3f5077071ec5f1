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

/// Commands of `add.py` that are called otherwise here, and what they are here.
const OF_ADD: [(&str, &str); 16] = [
    (
        "advance",
        "proofhouse run RUN: the engine moves the task itself",
    ),
    ("archive-milestone", "proofhouse milestone archive NAME"),
    ("check", "proofhouse audit"),
    ("compact", "proofhouse milestone compact NAME"),
    (
        "gate",
        "the engine runs the gate; proofhouse decide RUN approve, risk_accepted or halt",
    ),
    ("graduation-report", "proofhouse report"),
    (
        "milestone-done",
        "proofhouse wave run NAME tries the criteria; then proofhouse milestone archive NAME",
    ),
    (
        "new-milestone",
        "proofhouse milestone new NAME --goal '...'",
    ),
    (
        "new-task",
        "proofhouse add '...', or in a milestone: proofhouse milestone add NAME TASK='...' --workflow add",
    ),
    (
        "project",
        "nothing prints it; keep PROJECT.md in the repository, and whoever grounds a task reads it first",
    ),
    ("ready", "proofhouse wave status NAME"),
    (
        "set-milestone",
        "proofhouse milestone add NAME TASK='...'; for `none`, proofhouse milestone remove NAME TASK",
    ),
    ("stage", "proofhouse milestone new NAME --stage mvp"),
    (
        "sync-guidelines",
        "nothing: each role is told what it needs in its brief",
    ),
    (
        "use",
        "commands name the run; proofhouse milestone use NAME",
    ),
    ("wave-verify", "proofhouse wave verify NAME"),
];

/// A sentence that begins with a dash, among arguments before `--`: it was taken for a flag.
fn dashed(args: impl Iterator<Item = OsString>) -> bool {
    let mut ours = args.take_while(|arg| arg != "--");
    ours.any(|arg| {
        let arg = arg.to_string_lossy();
        arg.starts_with('-') && arg.split('=').next().is_some_and(|name| name.contains(' '))
    })
}

/// What is meant by a command that there is not, where a person most likely wants to decide, and by a
/// sentence that looks like a flag.
pub(crate) fn meant(error: &clap::Error) -> Option<String> {
    if error.kind() == ErrorKind::UnknownArgument && dashed(std::env::args_os()) {
        let way = "proofhouse do --agent NAME -- '--begins with dashes'";
        return Some(format!(
            "a sentence that begins with a dash stands behind `--`, after all flags: {way}"
        ));
    }
    let ContextValue::String(word) = error.get(ContextKind::InvalidSubcommand)? else {
        return None;
    };
    if let Some((_, here)) = OF_ADD.iter().find(|(there, _)| there == word) {
        return Some(format!("here that is: {here} (docs/add.md maps them all)"));
    }
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
    use super::{OF_ADD, wants_json};

    /// The page for whoever comes from there has the same list.
    #[test]
    fn what_users_of_add_try_is_on_its_page() {
        let page = include_str!("../../../../docs/add.md");
        for (there, _) in OF_ADD {
            assert!(page.contains(&format!("`{there}")), "{there}");
        }
    }

    #[test]
    fn a_sentence_is_no_flag_however_it_begins() {
        let dashed = |args: &[&str]| super::dashed(args.iter().map(Into::into));
        assert!(dashed(&["do", "--help me with tests"]));
        assert!(dashed(&["do", "-fix the flag"]));
        assert!(!dashed(&["do", "--", "--help me with tests"]));
        assert!(!dashed(&["do", "--check=grep -q x y", "be good"]));
        assert!(!dashed(&["do", "--frob", "be good"]));
    }

    #[test]
    fn what_stands_behind_two_dashes_is_not_ours() {
        let wants = |line: &str| wants_json(line.split(' ').map(Into::into));
        assert!(wants("proofhouse frob --json"));
        assert!(!wants("proofhouse sandbox run -- ls --json"));
    }
}

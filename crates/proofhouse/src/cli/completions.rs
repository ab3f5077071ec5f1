//! `proofhouse completions` and `proofhouse man`: what a shell completes, and what `man` shows. The generator knows commands and flags; the names of
//! runs differ from repository to repository, so each script asks us for them.

use super::args::Args;
use super::exit;
use super::out::Out;
use clap::CommandFactory;
use clap_complete::Shell;
use serde_json::json;
use std::path::Path;
use workspace::{EngineError, Project};

/// How the arguments are called that take a run.
const RUNS: [&str; 2] = ["run", "runs"];

/// Prints the script of a shell.
pub(crate) fn script(shell: Shell, out: &Out) -> u8 {
    // Made first: the generator takes a reader that goes away for a bug.
    let mut text = Vec::new();
    clap_complete::generate(shell, &mut Args::command(), "proofhouse", &mut text);
    let text = String::from_utf8_lossy(&text);
    out.line(with_runs(shell, &text).trim_end());
    exit::OK
}

/// Writes a page for `man` about every command into a folder.
pub(crate) fn manual(folder: &Path, out: &Out) -> Result<u8, EngineError> {
    let write = |folder: &Path| -> std::io::Result<usize> {
        std::fs::create_dir_all(folder)?;
        clap_mangen::generate_to(Args::command(), folder)?;
        Ok(std::fs::read_dir(folder)?.count())
    };
    let pages = write(folder).map_err(EngineError::io("write the manual to", folder))?;
    if out.json {
        out.facts(&json!({"folder": folder, "pages": pages}));
    } else {
        let folder = folder.display();
        out.line(&format!(
            "{pages} pages in {folder}: man {folder}/proofhouse.1"
        ));
    }
    Ok(exit::OK)
}

/// Prints the names of the runs here, a line each; nothing where there is no repository.
pub(crate) fn runs(project: Result<Project, EngineError>, out: &Out) -> u8 {
    let names = project.ok().map(|project| store::list(&project.journals()));
    for name in names.into_iter().flatten().flatten() {
        out.line(name.as_str());
    }
    exit::OK
}

/// The commands whose first argument is a run.
fn of_runs() -> Vec<String> {
    let all = Args::command();
    let takes = |command: &&clap::Command| {
        let first = command.get_positionals().next();
        first.is_some_and(|first| RUNS.contains(&first.get_id().as_str()))
    };
    let names = all.get_subcommands().filter(takes);
    names.map(|command| command.get_name().to_owned()).collect()
}

fn with_runs(shell: Shell, text: &str) -> String {
    let commands = of_runs().join(" ");
    match shell {
        Shell::Bash => format!(
            r#"{text}
_proofhouse_with_runs() {{
    local word="${{COMP_WORDS[COMP_CWORD]}}"
    if [[ $COMP_CWORD -eq 2 && $word != -* && " {commands} " == *" ${{COMP_WORDS[1]}} "* ]]; then
        COMPREPLY=($(compgen -W "$("${{COMP_WORDS[0]}}" completions --runs 2>/dev/null)" -- "$word"))
        return 0
    fi
    _proofhouse "$@"
}}
complete -F _proofhouse_with_runs -o bashdefault -o default proofhouse
"#
        ),
        Shell::Zsh => {
            let asks = r#"
_proofhouse_runs() {
    local -a names
    names=(${(f)"$(_call_program runs proofhouse completions --runs 2>/dev/null)"})
    compadd -a names
}
"#;
            let lines = text.lines().map(|line| {
                let takes = RUNS
                    .iter()
                    .any(|name| line.contains(&format!(":{name} -- ")));
                match takes {
                    true => line.replace(":_default'", ":_proofhouse_runs'"),
                    false => line.to_owned(),
                }
            });
            let text: Vec<String> = lines.collect();
            let text = text.join("\n");
            // The first line says what the file completes.
            match text.split_once('\n') {
                Some((first, rest)) => format!("{first}\n{asks}{rest}\n"),
                None => text,
            }
        }
        Shell::Fish => format!(
            "{text}complete -c proofhouse -n \"__fish_seen_subcommand_from {commands}\" -f -a \"(proofhouse completions --runs)\"\n"
        ),
        _ => text.to_owned(),
    }
}

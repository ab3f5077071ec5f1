//! Files that a workflow needs in the repository before a run begins: found, asked for, or written
//! from their template when a person says so. None is made up silently.

use approval::Terminal;
use flow::Task;
use kernel::event::OwnTree;
use std::path::Path;
use workspace::error::EngineError;
use workspace::git::git;
use workspace::project::Project;

/// What to do about a file that is missing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Missing {
    /// Ask a person for its lines; without a terminal, refuse.
    #[default]
    Ask,
    /// Write the template as it is.
    Template,
}

/// A needed file that is not there where the run begins, and what it is to hold.
pub(super) struct Needed {
    file: String,
    text: String,
}

/// What is to be written so that every needed file is there. A run with a tree of its own begins at a
/// commit: what a person has not committed is taken as it lies in their tree. Nothing is written yet.
pub(super) fn needed(
    project: &Project,
    task: &Task,
    missing: Missing,
    own: Option<&OwnTree>,
    terminal: &mut dyn Terminal,
) -> Result<Vec<Needed>, EngineError> {
    let mut needed = Vec::new();
    let mut absent: Vec<(&String, &String)> = Vec::new();
    for (file, template) in &task.needs {
        let path = project.repo().join(file);
        let named = own.map(|own| format!("{}:{file}", own.base));
        if named.is_some_and(|named| git(project.repo(), &["cat-file", "-e", &named], &[]).is_ok())
        {
            continue;
        }
        if path.is_file() {
            if own.is_some() {
                let text = std::fs::read_to_string(&path);
                let text = text.map_err(EngineError::io("read", &path))?;
                let file = file.clone();
                needed.push(Needed { file, text });
            }
            continue;
        }
        if path.symlink_metadata().is_ok() {
            return Err(EngineError::user(
                "needed_file_unusable",
                format!("{} is there, but it leads to no file", path.display()),
                "it is yours, so it is left alone: make it a file, or move it away",
            ));
        }
        absent.push((file, template));
    }
    if missing == Missing::Ask && !terminal.is_terminal() && !absent.is_empty() {
        let files: Vec<&str> = absent.iter().map(|(file, _)| file.as_str()).collect();
        return Err(EngineError::user(
            "file_needed",
            format!("the repository has no {}", files.join(", ")),
            "write it (`--yes` writes the template, which you can edit), or run this at a terminal, which asks for it",
        ));
    }
    // Everything is asked for before anything is written: whoever gives up leaves nothing behind.
    for (file, template) in absent {
        let text = match missing {
            Missing::Template => template.clone(),
            Missing::Ask => ask(file, template, terminal)?,
        };
        let file = file.clone();
        needed.push(Needed { file, text });
    }
    Ok(needed)
}

/// Writes them where the run works; where each lies, from the person's tree.
pub(super) fn write(
    project: &Project,
    top: &Path,
    needed: Vec<Needed>,
) -> Result<Vec<String>, EngineError> {
    let mut written = Vec::new();
    for Needed { file, text } in needed {
        let path = project.repo().join(file);
        store::write_atomic(&path, text.as_bytes())?;
        let shown = path.strip_prefix(top).unwrap_or(&path);
        written.push(shown.display().to_string());
    }
    Ok(written)
}

/// Each `Name: value` line of the template is a question whose answer may be its default.
fn ask(file: &str, template: &str, terminal: &mut dyn Terminal) -> Result<String, EngineError> {
    let mut text = String::new();
    for line in template.lines() {
        let question = line.split_once(':').filter(|(name, _)| {
            name.starts_with(|c: char| c.is_ascii_uppercase()) && !name.contains(['`', '.'])
        });
        match question {
            None => text.push_str(line),
            Some((name, value)) => {
                let value = value.trim();
                let prompt = format!("{file}: {name} [{value}]: ");
                let answer = terminal
                    .ask(&prompt)
                    .map_err(EngineError::io("ask at", Path::new("the terminal")))?;
                let answer = answer.trim();
                let answer = if answer.is_empty() { value } else { answer };
                text.push_str(&format!("{name}: {answer}"));
            }
        }
        text.push('\n');
    }
    Ok(text)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::VecDeque;

    struct Answers(VecDeque<&'static str>);

    impl Terminal for Answers {
        fn is_terminal(&self) -> bool {
            true
        }
        fn ask(&mut self, _: &str) -> std::io::Result<String> {
            Ok(self.0.pop_front().unwrap_or_default().to_owned())
        }
        fn user(&self) -> String {
            "t".to_owned()
        }
    }

    #[test]
    fn every_line_with_a_name_is_asked_for_and_keeps_its_default() {
        let template = "# Preferences\n\nStack: Rust\nDeploy target: none\n\nplain: text\n";
        let mut terminal = Answers(VecDeque::from(["Python", ""]));
        let text = ask("preferences.md", template, &mut terminal).unwrap();
        assert_eq!(
            text,
            "# Preferences\n\nStack: Python\nDeploy target: none\n\nplain: text\n"
        );
    }
}

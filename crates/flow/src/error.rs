//! What is wrong with a workflow folder: every problem at once, each with file, line and mend.

use std::fmt;

/// One problem.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problem {
    /// Stable, snake_case.
    pub code: &'static str,
    /// The file within the workflow's folder.
    pub file: String,
    /// The line, from 1; 0 where the whole file is meant.
    pub line: usize,
    /// What is wrong.
    pub what: String,
    /// How to mend it.
    pub mend: String,
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.line > 0 {
            write!(f, "{}:{}: ", self.file, self.line)?;
        } else {
            write!(f, "{}: ", self.file)?;
        }
        write!(f, "{} [{}]\n    mend: {}", self.what, self.code, self.mend)
    }
}

/// A workflow that cannot be loaded.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the workflow `{workflow}` cannot be loaded:\n{}", list(.problems))]
pub struct LoadError {
    /// The workflow's folder name.
    pub workflow: String,
    /// At least one.
    pub problems: Vec<Problem>,
}

fn list(problems: &[Problem]) -> String {
    let lines: Vec<String> = problems
        .iter()
        .map(|problem| format!("  {problem}"))
        .collect();
    lines.join("\n")
}

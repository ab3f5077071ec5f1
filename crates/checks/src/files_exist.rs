//! `files_exist`: the named files are there and hold something. It refuses symlinks, folders and
//! empty files: each is a way to have a file without having written it.

use crate::settings::Settings;
use crate::text::{answer, first_few};
use crate::{Check, Example, Setting, Subject, paths};
use kernel::outcome::{CheckResult, Verdict};
use serde_json::{Value, json};

/// The check.
pub(crate) struct FilesExist;

struct Wanted<'a> {
    task: Vec<&'a str>,
    repo: Vec<&'a str>,
}

impl Check for FilesExist {
    fn name(&self) -> &'static str {
        "files_exist"
    }

    fn about(&self) -> &'static str {
        "the named files exist, are regular files and are not empty"
    }

    fn settings(&self) -> &'static [Setting] {
        const {
            &[
                Setting::optional("task", "paths in the task folder"),
                Setting::optional("repo", "paths in the repository"),
            ]
        }
    }

    fn lint(&self, with: &Value) -> Result<(), String> {
        self.read(with).map(drop)
    }

    fn run(&self, with: &Value, subject: &Subject<'_>) -> Vec<CheckResult> {
        let wanted = match self.read(with) {
            Ok(wanted) => wanted,
            Err(reason) => return vec![answer(self.name(), Verdict::CouldNotRun, &reason)],
        };
        let place = subject.place;
        let task = wanted.task.iter().map(|path| ("task", place.task, *path));
        let repo = wanted.repo.iter().map(|path| ("repo", place.repo, *path));
        let mut wrong = Vec::new();
        let mut count = 0;
        for (folder, root, path) in task.chain(repo) {
            count += 1;
            let why = match paths::regular(root, path) {
                Ok(full) => match std::fs::metadata(full) {
                    Ok(found) if found.len() > 0 => continue,
                    Ok(_) => "is empty".to_string(),
                    Err(error) => format!("cannot be read ({error})"),
                },
                Err(why) => why,
            };
            wrong.push(format!("{folder}/{path} {why}"));
        }
        // All of them, up to what fits: whoever must write them should need one round.
        let (verdict, reason) = if wrong.is_empty() {
            (
                Verdict::Pass,
                if count == 1 {
                    "the file is there".to_owned()
                } else {
                    format!("all {count} files are there")
                },
            )
        } else {
            let named = first_few(&wrong, wrong.len());
            let reason = format!("{} of {count} files: {named}", wrong.len());
            (Verdict::Fail, reason)
        };
        vec![answer(self.name(), verdict, &reason)]
    }

    fn examples(&self) -> Vec<Example> {
        let evidence = || json!({"task": ["EVIDENCE.md"]});
        vec![
            Example {
                task: &[("EVIDENCE.md", "x")],
                repo: &[("docs/a.md", "x")],
                ..Example::passes(
                    "both are there",
                    json!({"task": ["EVIDENCE.md"], "repo": ["docs/a.md"]}),
                    "all 2 files are there",
                )
            },
            Example::fails(
                "every missing one is named",
                json!({"task": ["EVIDENCE.md"], "repo": ["docs/a.md"]}),
                "task/EVIDENCE.md is missing, repo/docs/a.md is missing",
            ),
            Example {
                task: &[("EVIDENCE.md", "")],
                ..Example::fails("an empty file", evidence(), "task/EVIDENCE.md is empty")
            },
            Example {
                task: &[("EVIDENCE.md/inner", "x")],
                ..Example::fails("a folder", evidence(), "is not a regular file")
            },
            Example {
                repo: &[("EVIDENCE.md", "x")],
                ..Example::fails(
                    "the other folder",
                    evidence(),
                    "task/EVIDENCE.md is missing",
                )
            },
            Example::cannot_run(
                "a way out of the folder",
                json!({"repo": ["../secret"]}),
                "must be relative",
            ),
            Example::cannot_run("nothing is asked for", json!({}), "`task` or `repo`"),
        ]
    }
}

impl FilesExist {
    fn read<'a>(&self, with: &'a Value) -> Result<Wanted<'a>, String> {
        let settings = Settings::open(self, with)?;
        let (task, repo) = (settings.list("task")?, settings.list("repo")?);
        if task.is_none() && repo.is_none() {
            return Err("`files_exist` needs `task` or `repo`, each a list of paths".into());
        }
        let (task, repo) = (task.unwrap_or_default(), repo.unwrap_or_default());
        task.iter()
            .chain(&repo)
            .try_for_each(|path| paths::lint(path))?;
        Ok(Wanted { task, repo })
    }
}

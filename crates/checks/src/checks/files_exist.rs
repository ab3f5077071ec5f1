//! `files_exist`: the named files are there and hold something. It refuses symlinks, folders and
//! empty files: each is a way to have a file without having written it.

use crate::Subject;
use crate::error::Error;
use crate::judge::{Judge, Judged};
use crate::readers::paths;
use crate::settings::{Paths, SettingsError};
use crate::text::first_few;
use schemars::JsonSchema;
use serde::Deserialize;

/// The named files exist, are regular files and are not empty.
#[derive(Deserialize, JsonSchema)]
pub(crate) struct FilesExist {
    /// Paths in the task folder.
    #[serde(default)]
    task: Paths,
    /// Paths in the repository.
    #[serde(default)]
    repo: Paths,
}

impl Judge for FilesExist {
    const NAME: &'static str = "files_exist";
    type Answer = Judged;

    fn lint(&self) -> Result<(), SettingsError> {
        match self.task.is_empty() && self.repo.is_empty() {
            true => Self::refuse("needs `task` or `repo`, each a list of paths"),
            false => Ok(()),
        }
    }

    fn judge(&self, subject: &Subject<'_>) -> Judged {
        let place = subject.place;
        let task = self.task.iter().map(|path| ("task", place.task, path));
        let repo = self.repo.iter().map(|path| ("repo", place.repo, path));
        let mut wrong = Vec::new();
        let mut count = 0;
        for (folder, root, path) in task.chain(repo) {
            count += 1;
            let why = match paths::regular(root, path) {
                Ok(full) => match std::fs::metadata(full) {
                    Ok(found) if found.len() > 0 => continue,
                    Ok(_) => "is empty".into(),
                    Err(error) => Error::from(error),
                },
                Err(why) => why,
            };
            wrong.push(format!("{folder}/{path} {why}"));
        }
        match (wrong.len(), count) {
            (0, 1) => Ok("the file is there".to_owned()),
            (0, _) => Ok(format!("all {count} files are there")),
            // All of them, up to what fits: whoever must write them should need one round.
            (bad, _) => Err(format!("{bad} of {count} files: {}", first_few(&wrong, bad)).into()),
        }
    }
}

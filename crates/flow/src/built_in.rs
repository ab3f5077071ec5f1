//! The workflows that come with the binary. Each is a folder of data under `workflows/`; what several of
//! them have in common is put in here, so that a run keeps the whole of what it began with.

mod exam;

use crate::load::Source;
use std::collections::BTreeMap;

macro_rules! folder {
    ($name:literal, $with:literal: $($file:literal),* $(,)?) => {
        Folder {
            name: $name,
            with: $with,
            files: &[$((
                $file,
                include_str!(concat!("../workflows/", $name, "/", $file)),
            )),*],
        }
    };
}

struct Folder {
    name: &'static str,
    /// What is done with it, for whoever chooses among them.
    with: &'static str,
    files: &'static [(&'static str, &'static str)],
}

const FOLDERS: &[Folder] = &[
    folder!("add", "one task under a frozen contract, and an exam that its builder never sees":
        "workflow.toml",
        "briefs/preamble.md",
        "briefs/ground.md",
        "briefs/specify.md",
        "briefs/scenarios.md",
        "briefs/contract.md",
        "briefs/critique.md",
        "briefs/tests.md",
        "briefs/retest.md",
        "briefs/build.md",
        "briefs/verify.md",
        "briefs/observe.md",
        "task/TASK.md",
    ),
    folder!("lights-out", "a whole product, from a sentence to its delivery":
        "workflow.toml",
        "briefs/preamble.md",
        "briefs/audit-stack.md",
        "briefs/distill.md",
        "briefs/expand.md",
        "briefs/design.md",
        "briefs/analyze.md",
        "briefs/build.md",
        "briefs/review.md",
        "briefs/review-fix.md",
        "briefs/reconcile.md",
        "briefs/verify.md",
        "briefs/verify-fix.md",
        "briefs/deploy.md",
        "briefs/iterate.md",
        "briefs/iteration-confirmed.md",
        "task/STATE.md",
        "task/preferences.md",
    ),
    folder!("phase", "one task: frame, build, verify, review, repair":
        "workflow.toml",
        "briefs/preamble.md",
        "briefs/intake.md",
        "briefs/shape.md",
        "briefs/implement.md",
        "briefs/verify.md",
        "briefs/review.md",
        "briefs/repair.md",
        "task/README.md",
        "task/STATE.md",
        "task/TASKS.md",
        "task/EVIDENCE.md",
    ),
    folder!("quick", "one change: test and code in one attempt":
        "workflow.toml",
        "briefs/preamble.md",
        "briefs/work.md",
        "briefs/adapt.md",
        "briefs/mend.md",
        "briefs/review.md",
        "task/STATE.md",
    ),
    folder!("slice", "careful work in a large repository: scouts, versioned context, one writer":
        "workflow.toml",
        "briefs/preamble.md",
        "briefs/intake.md",
        "briefs/scout.md",
        "briefs/consolidate.md",
        "briefs/plan.md",
        "briefs/edit.md",
        "briefs/choose.md",
        "briefs/audit.md",
        "briefs/weigh.md",
        "briefs/deliver.md",
        "task/STATE.md",
    ),
];

/// The names of all built-in workflows.
pub fn built_in_names() -> impl Iterator<Item = &'static str> {
    FOLDERS.iter().map(|folder| folder.name)
}

/// What a built-in workflow is for, in a few words; nothing for any other.
pub fn built_in_with(name: &str) -> &'static str {
    let mut folders = FOLDERS.iter();
    let found = folders.find(|folder| folder.name == name);
    found.map_or("", |folder| folder.with)
}

/// The files of a built-in workflow.
pub fn built_in(name: &str) -> Option<Source> {
    let folder = FOLDERS.iter().find(|folder| folder.name == name)?;
    let files = folder.files.iter();
    let mut files: BTreeMap<String, String> = files
        .map(|(file, text)| ((*file).to_owned(), (*text).to_owned()))
        .collect();
    exam::put_in(&mut files);
    Some(Source {
        name: folder.name.to_owned(),
        files,
    })
}

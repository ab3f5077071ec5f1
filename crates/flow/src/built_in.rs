//! The workflows that come with the binary. Each is a folder of data under `workflows/`; what several of
//! them have in common is put in here, so that a run keeps the whole of what it began with.

mod exam;

use crate::load::Source;
use std::collections::BTreeMap;

macro_rules! folder {
    ($name:literal: $($file:literal),* $(,)?) => {
        (
            $name,
            &[$((
                $file,
                include_str!(concat!("../workflows/", $name, "/", $file)),
            )),*],
        )
    };
}

type Folder = (&'static str, &'static [(&'static str, &'static str)]);

const FOLDERS: &[Folder] = &[
    folder!("add":
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
    folder!("lights-out":
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
    folder!("phase":
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
    folder!("quick":
        "workflow.toml",
        "briefs/preamble.md",
        "briefs/work.md",
        "briefs/adapt.md",
        "briefs/mend.md",
        "briefs/review.md",
        "task/STATE.md",
    ),
    folder!("slice":
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
    FOLDERS.iter().map(|(name, _)| *name)
}

/// The files of a built-in workflow.
pub fn built_in(name: &str) -> Option<Source> {
    let (name, files) = FOLDERS.iter().find(|(known, _)| *known == name)?;
    let mut files: BTreeMap<String, String> = files
        .iter()
        .map(|(file, text)| ((*file).to_owned(), (*text).to_owned()))
        .collect();
    exam::put_in(&mut files);
    Some(Source {
        name: (*name).to_owned(),
        files,
    })
}

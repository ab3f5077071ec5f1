//! What people said of lessons, each by its id: folded, because it was taken up somewhere, or rejected. A
//! line of a file for each, beside the journals; the lessons themselves stay where they were written.

use kernel::Time;
use kernel::lesson::{Lesson, LessonStatus};
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;
use std::path::PathBuf;
use workspace::{EngineError, Project};

/// A lesson, and where it was learnt.
#[derive(Debug, Clone, Serialize)]
pub struct Learnt {
    /// By which a person names it.
    pub id: String,
    pub run: String,
    #[serde(flatten)]
    pub lesson: Lesson,
}

/// One that a person has settled.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Settled {
    pub id: String,
    pub run: String,
    pub at: Time,
    #[serde(flatten)]
    pub lesson: Lesson,
    /// Where it was taken up, or why it is none.
    pub because: String,
}

/// The name of a lesson: the same as long as it says the same.
pub(crate) fn id(run: &str, lesson: &Lesson) -> String {
    let said = format!("{run}\n{}\n{}", lesson.tag, lesson.text);
    let mut digest = store::sha256_hex(said.as_bytes());
    digest.truncate(8);
    digest
}

fn place(project: &Project) -> PathBuf {
    project.at_top().home().join("lessons.jsonl")
}

fn read(project: &Project) -> Result<String, EngineError> {
    let place = place(project);
    match std::fs::read_to_string(&place) {
        Ok(text) => Ok(text),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(String::new()),
        Err(error) => Err(EngineError::io("read", &place)(error)),
    }
}

/// The ids of those that are settled.
pub(crate) fn settled(project: &Project) -> Result<BTreeSet<String>, EngineError> {
    let text = read(project)?;
    let lines = text.lines().filter_map(|line| {
        let settled: Option<Settled> = serde_json::from_str(line).ok();
        settled.map(|one| one.id)
    });
    Ok(lines.collect())
}

/// Settles some of the open lessons, all of those that are named or none.
pub fn settle(
    project: &Project,
    open: &[Learnt],
    ids: &[String],
    (status, because): (LessonStatus, &str),
) -> Result<Vec<Settled>, EngineError> {
    if because.trim().is_empty() {
        return Err(EngineError::user(
            "lesson_reason_required",
            "a lesson is settled with a reason",
            "say in `--because` where it was taken up, or why it is none",
        ));
    }
    let mut found = Vec::new();
    for id in ids {
        let Some(Learnt { run, lesson, .. }) = open.iter().find(|one| one.id == *id) else {
            return Err(EngineError::user(
                "lesson_not_found",
                format!("no open lesson is called `{id}`"),
                "`proofhouse deltas` lists those that are open, each with its id",
            ));
        };
        found.push(Settled {
            id: id.clone(),
            run: run.clone(),
            at: workspace::clock::now(),
            lesson: Lesson {
                status,
                ..lesson.clone()
            },
            because: because.trim().to_owned(),
        });
    }
    let mut text = read(project)?;
    for one in &found {
        text.push_str(&format!("{}\n", serde_json::json!(one)));
    }
    store::write_atomic(&place(project), text.as_bytes())?;
    Ok(found)
}

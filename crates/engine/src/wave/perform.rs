//! Performs what waves want: the base, forks, runs, merges, the end of a wave, the criteria.

use super::guarded::guarded;
use super::performer::WavePerformer;
use super::{base, merge, work};
use crate::world::{Listener, Performer};
use ::wave::want::{BaseOrder, CloseOrder, JudgeOrder, Want};
use ::wave::{Answer, What};
use kernel::Want as _;
use sandbox::Cancel;
use serde::{Deserialize, Serialize};
use store::Head;
use workspace::error::EngineError;
use workspace::worktree;

/// Everything that is needed to perform one want, beside the milestone's place.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct WaveJob {
    pub(super) want: Want,
    pub(super) head: Head,
}

impl Performer for WavePerformer {
    type Job = WaveJob;
    type What = What;

    fn perform(
        &self,
        job: &WaveJob,
        cancel: &Cancel,
        listener: &Listener<'_>,
    ) -> Result<What, EngineError> {
        let answer = match &job.want {
            Want::Base(order) => or_interrupted(cancel, self.base(order, cancel, listener))?,
            Want::Fork(order) => match guarded(|| work::fork(&self.folder, order)) {
                Ok(echo) => Answer::Forked(echo),
                Err(error) => Answer::Worked(work::failed(error)),
            },
            Want::Work(order) => {
                let task = &order.row.task;
                let say = |line: &str| (listener.progress)(&format!("{task}: {line}"));
                let worked = guarded(|| Ok(work::drive(self, order, cancel, &say)));
                Answer::Worked(worked.unwrap_or_else(work::failed))
            }
            Want::Merge(order) => {
                Answer::Merged(guarded(|| merge::merge(self, order, &job.head, cancel))?)
            }
            Want::Close(order) => self.close(order, listener)?,
            Want::Judge(order) => or_interrupted(cancel, self.judge(order, cancel))?,
        };
        let id = job.want.id();
        Ok(What::Answered { id, answer })
    }
}

impl WavePerformer {
    fn base(
        &self,
        order: &BaseOrder,
        cancel: &Cancel,
        listener: &Listener<'_>,
    ) -> Result<Answer, EngineError> {
        let folder = &self.folder;
        let (repo, milestone) = (folder.project.repo(), &folder.milestone);
        let roadmap = std::fs::read_to_string(repo.join(&milestone.roadmap)).ok();
        milestone.on_roadmap(roadmap.as_deref())?;
        let taken = folder.taken()?;
        let left_out = worktree::uncommitted(repo)?;
        if !left_out.is_empty() {
            (listener.notice)(&format!(
                "changes that are in no commit stay as they are, and no task sees them: {}",
                left_out.join(", ")
            ));
        }
        if self.agent.is_none() {
            // A task that nobody can work on would only use up its tries.
            for lacks in work::staffed(folder, &order.ready)? {
                (listener.notice)(&lacks);
            }
        }
        let base = base::base(self, order.tip.as_deref(), cancel)?;
        Ok(Answer::Base {
            commit: base.commit,
            taken,
            results: base.results,
        })
    }

    /// What is merged is tidied away before the wave ends, and its digest fits on the page.
    fn close(&self, order: &CloseOrder, listener: &Listener<'_>) -> Result<Answer, EngineError> {
        for notice in self.tidying.finish() {
            (listener.notice)(&notice);
        }
        let (board, _) = self.folder.peek()?;
        self.folder.takes_digest(&board, &order.digest)?;
        Ok(Answer::PutAway)
    }

    fn judge(&self, order: &JudgeOrder, cancel: &Cancel) -> Result<Answer, EngineError> {
        if order.commands.is_empty() {
            return Ok(Answer::Judged(Vec::new()));
        }
        let results = self.run_on(&order.commit, None, &order.commands, cancel)?;
        Ok(Answer::Judged(results))
    }
}

/// What commands said that a person has interrupted is worth nothing.
fn or_interrupted(
    cancel: &Cancel,
    answer: Result<Answer, EngineError>,
) -> Result<Answer, EngineError> {
    if cancel.is_cancelled() {
        return Ok(Answer::Interrupted);
    }
    answer
}

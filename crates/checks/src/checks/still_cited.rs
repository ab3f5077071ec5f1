//! `still_cited`: which evidence of the latest snapshot does not stand in the repository any more. What
//! was quoted and then edited is no ground to plan on. Gates have it as `advisory`: the snapshot marks the facts.

use super::citations::found;
use crate::Subject;
use crate::judge::{Judge, Judged};
use crate::text::{answer, first_few};
use kernel::Word;
use kernel::outcome::{CheckResult, Verdict};
use schemars::JsonSchema;
use serde::Deserialize;

/// Says of every quoted snippet whether it still stands in its file.
#[derive(Deserialize, JsonSchema)]
pub(crate) struct StillCited {}

impl Judge for StillCited {
    const NAME: &'static str = "still_cited";
    type Answer = Judged<CheckResult>;

    fn judge(&self, subject: &Subject<'_>) -> Judged<CheckResult> {
        let cited = subject.known.get("cited").into_iter().flatten();
        let mut gone: Vec<&str> = Vec::new();
        for one in cited {
            // As the run tells it: the evidence's name, the path, and the quoted lines.
            let mut parts = one.splitn(3, '\n');
            let (Some(id), Some(path), Some(snippet)) = (parts.next(), parts.next(), parts.next())
            else {
                continue;
            };
            if !found(subject, path, snippet) {
                gone.push(id);
            }
        }
        if gone.is_empty() {
            let reason = "all that was quoted still stands";
            return Ok(answer(Self::NAME, Verdict::Pass, reason));
        }
        let reason = format!("not there any more: {}", first_few(&gone, 5));
        let mut result = answer(Self::NAME, Verdict::Fail, reason);
        let words = gone.iter().map(|id| Word::new(format!("stale-{id}")));
        result.shows.extend(words);
        Ok(result)
    }
}

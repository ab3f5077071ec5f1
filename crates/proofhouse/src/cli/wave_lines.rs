//! A wave as it happens: a line for each fact, and on a terminal one live line with who works on what,
//! for how long and for how much.

use super::notify;
use super::out::{Out, count, duration, plain};
use super::progress::{FRAMES, live_line};
use ::wave::board::Stage;
use ::wave::fact::TaskWaits;
use ::wave::{Dated, Fact};
use engine::wave::MilestoneFolder;
use engine::world::{Gauges, Observer};
use kernel::machine::Activity;
use report::spend::Spend;
use std::io::Write;
use std::time::{Duration, Instant};
use workspace::notify::{Told, Why};

/// How often the journals are looked at for the live line.
const LOOK: Duration = Duration::from_secs(2);

pub(super) struct Lines<'a> {
    out: &'a Out,
    folder: &'a MilestoneFolder,
    began: Instant,
    looked: Option<Instant>,
    doing: String,
    spent: Spend,
    frame: usize,
    shown: bool,
}

impl<'a> Lines<'a> {
    pub(super) fn new(out: &'a Out, folder: &'a MilestoneFolder) -> Self {
        Self {
            out,
            folder,
            began: Instant::now(),
            looked: None,
            doing: String::new(),
            spent: Spend::default(),
            frame: 0,
            shown: false,
        }
    }

    fn clear(&mut self) {
        if self.shown {
            let _ = write!(std::io::stdout(), "\r\x1b[2K");
            let _ = std::io::stdout().flush();
            self.shown = false;
        }
    }

    fn say(&mut self, line: &str) {
        if !self.out.json {
            self.clear();
            self.out.line(&plain(line));
        }
    }

    /// Who works on what, and what all of it has cost.
    fn look(&mut self) {
        self.looked = Some(Instant::now());
        let Ok((board, _)) = self.folder.peek() else {
            return;
        };
        let slots = || board.wave.iter().flat_map(|wave| &wave.slots);
        let mut tasks = Vec::new();
        self.spent = Spend::default();
        for slot in slots() {
            let peek = report::look::peek_run(&self.folder.project, &slot.row.run).ok();
            let status = peek.map(|peek| kernel::Machine::status(&peek.machine));
            let Some(status) = status else { continue };
            self.spent
                .plus(&report::spend::summary(&status.attempts).run);
            if matches!(slot.stage, Stage::Claimed { .. }) {
                tasks.push(format!("{} {}", slot.row.task, status.state));
            }
        }
        let all = slots().count();
        let over = slots().filter(|slot| report::wave::ended(slot)).count();
        self.doing = match tasks.as_slice() {
            [] => format!("{over} of {all} over"),
            tasks => format!("{over} of {all} over \u{b7} {}", tasks.join(", ")),
        };
    }

    /// A person is needed while the others go on.
    fn needed(&self, waits: &TaskWaits) {
        let told = Told {
            why: Why::Needed,
            kind: "milestone",
            name: self.folder.milestone.name.clone(),
            workflow: "wave".to_owned(),
            state: waits.task.clone(),
            activity: Activity::Waiting,
            reason: waits.reason.clone(),
            text: waits.why.clone(),
            options: Vec::new(),
            micro_dollars: self.spent.usage.micro_dollars,
            next: "proofhouse inbox".to_owned(),
        };
        notify::send(&self.folder.project, &told, self.out);
    }
}

impl Observer<Fact> for Lines<'_> {
    fn event(&mut self, dated: &Dated) {
        if let Some(line) = line(&dated.body) {
            self.say(&line);
        }
        if let Fact::TaskWaits(waits) = &dated.body {
            self.clear();
            self.needed(waits);
        }
    }

    fn tick(&mut self, _: &dyn Fn() -> Gauges) {
        if !self.out.live {
            return;
        }
        if self.looked.is_none_or(|looked| looked.elapsed() >= LOOK) {
            self.look();
        }
        self.frame = (self.frame + 1) % FRAMES.len();
        let elapsed = u64::try_from(self.began.elapsed().as_millis()).unwrap_or(u64::MAX);
        let line = live_line(
            &format!("{} {}", FRAMES[self.frame], plain(&self.doing)),
            &[duration(elapsed), self.spent.money()],
            Out::columns().unwrap_or(usize::MAX),
        );
        // A terminal that went away is no reason to stop.
        let _ = write!(std::io::stdout(), "\r\x1b[2K{line}");
        let _ = std::io::stdout().flush();
        self.shown = true;
    }

    fn progress(&mut self, line: &str) {
        self.say(&format!("  {line}"));
    }

    fn notice(&mut self, line: &str) {
        self.clear();
        eprintln!("{}", plain(line));
    }
}

impl Drop for Lines<'_> {
    fn drop(&mut self) {
        self.clear();
    }
}

/// As much of a commit's name as people read.
fn short(commit: &str) -> &str {
    commit.get(..10).unwrap_or(commit)
}

fn line(fact: &Fact) -> Option<String> {
    Some(match fact {
        Fact::WaveOpened(opened) => format!(
            "wave {}: {} on {}",
            opened.number,
            count(opened.roster.len() as u64, "task"),
            short(&opened.base)
        ),
        Fact::TaskClaimed(claimed) => format!("{}: claimed", claimed.task),
        Fact::TaskForked(_) | Fact::MergeBegan(_) | Fact::TailCut(_) => return None,
        Fact::ClaimReturned(back) => format!("{}: its claim went back", back.task),
        Fact::TaskWaits(waits) => format!("{}: waits for a person ({})", waits.task, waits.reason),
        Fact::TaskResumed(resumed) => format!("{}: a person has answered", resumed.task),
        Fact::TaskFinished(done) => format!("{}: finished as {}", done.task, short(&done.commit)),
        Fact::TaskFailed(failed) => {
            format!(
                "{}: failed, {}: {}",
                failed.task, failed.code, failed.reason
            )
        }
        Fact::MergeLost(lost) => format!("{}: merge not ended: {}", lost.task, lost.reason),
        Fact::MergeHeld(held) => {
            format!("{}: not merged, {}: {}", held.task, held.code, held.reason)
        }
        Fact::TaskMerged(merged) => {
            format!("{}: merged as {}", merged.task, short(&merged.commit))
        }
        Fact::TaskPutBack(back) => {
            format!("{}: put back, {}: {}", back.task, back.code, back.reason)
        }
        Fact::WaveFellBack(back) => format!("{} failed: one by one from here", back.failures),
        Fact::WaveClosed(closed) => closed.digest.clone(),
        Fact::GoalJudged(judged) => format!("criteria tried on {}", short(&judged.commit)),
        Fact::CriterionTicked(ticked) => {
            format!("`{}` ticked by {}", ticked.criterion, ticked.said.who)
        }
        Fact::SandboxWaived(said) => format!("the sandbox is waived, by {}", said.who),
    })
}

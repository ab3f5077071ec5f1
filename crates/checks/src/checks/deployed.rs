//! `deployed`: the engine ships what was judged, and sees from outside that it has arrived. It refuses
//! a target that is as it was, and ships nothing that the checks before it refuse. Who works in the
//! state neither ships nor gets the credentials.
//!
//! What it cannot see: whether what has arrived works. That is for the proofs behind it.

use crate::Subject;
use crate::deploy::{Deploy, Line, Rollback, Target};
use crate::error::Error;
use crate::execute::{Executed, Program, execute};
use crate::judge::{Judge, Judged, Trouble};
use crate::readers::paths;
use crate::readers::sections::sections_of;
use crate::readers::{hash, items};
use crate::room::Room;
use crate::settings::{Placed, Text};
use crate::text::{label, one_line};
use documents::says_none;
use kernel::Word;
use kernel::outcome::{CheckResult, Verdict};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::time::Instant;

/// Under which name it is remembered what was shipped.
const RECORD: &str = "deployment";

/// Under which name it is noted, before anything is shipped, what will be.
const INTENT: &str = "shipping";

/// The target that a document names has the judged tree: shipped by the engine, seen from outside.
#[derive(Deserialize, JsonSchema)]
pub(crate) struct Deployed {
    /// The file that names the target; `task/...` or `repo/...`.
    file: Placed,
    /// The heading over it; the whole file.
    section: Option<Text>,
}

/// What was shipped, and what was seen of it.
#[derive(Serialize, Deserialize)]
struct Record {
    tree: String,
    before: String,
    after: String,
}

/// What is about to be shipped, and what was seen before it. A gate that is lost right after shipping
/// has kept nothing else, and whoever comes next must not ship twice.
#[derive(Serialize, Deserialize)]
struct Intent {
    tree: String,
    before: String,
}

/// What it shows where nothing is shipped: nothing can be asked of what is nowhere.
const NOWHERE: &str = "nowhere";

impl Judge for Deployed {
    const NAME: &'static str = "deployed";
    type Answer = Judged<CheckResult>;

    fn judge(&self, subject: &Subject<'_>) -> Judged<CheckResult> {
        let sections = sections_of(subject, &self.file, self.section.as_deref())?;
        let none = sections.iter().all(|section| says_none(&section.content));
        let Some(deploy) = subject.deploy else {
            return match none {
                true => {
                    let why = format!("{} names no target", self.file);
                    let mut result = CheckResult::new(Self::NAME, Verdict::Pass, why);
                    result.shows.insert(Word::from(NOWHERE));
                    Ok(result)
                }
                false => Err(format!(
                    "{} names a target, and no setting says how it is reached; set `deploy.git`, or `deploy.command` with `deploy.folder` or `deploy.look`",
                    self.file
                )
                .into()),
            };
        };
        if subject.failing {
            return Err(
                "nothing was shipped: the checks before this one do not pass"
                    .to_owned()
                    .into(),
            );
        }
        let shipment = Shipment {
            subject,
            deploy,
            started: Instant::now(),
        };
        shipment.judge()
    }
}

/// One deployment.
struct Shipment<'a> {
    subject: &'a Subject<'a>,
    deploy: &'a Deploy,
    started: Instant,
}

impl Shipment<'_> {
    fn judge(&self) -> Judged<CheckResult> {
        let name = format!("deployed: {}", self.deploy.name());
        let ships = self.deploy.ships().ok_or_else(|| {
            Trouble::cannot("no setting says how it is shipped: set `deploy.command`")
        })?;
        let tree = self.subject.tree().map_err(Trouble::cannot)?.hash;
        let before = self.look().map_err(Trouble::cannot)?;
        if let Some((record, since)) = self.shipped(&tree, &before)? {
            let reason = format!("it is there since {since} of this run");
            let mut result = CheckResult::new(name, Verdict::Pass, reason);
            result.evidence.push(self.keep(&record)?);
            return Ok(result);
        }
        self.intend(Some(Intent {
            tree: tree.clone(),
            before: before.clone(),
        }))?;
        let shipped = self.run(&ships).map_err(Trouble::cannot)?;
        if let Some((verdict, why)) = failed(&shipped) {
            // Half a shipment may have changed the target: that is no arrival.
            self.intend(None)?;
            return Ok(shipped.answer(&name, verdict, format!("shipping it: {why}")));
        }
        let after = self.look().map_err(Trouble::cannot)?;
        // A branch is known by its content; elsewhere it is the change that shows the arrival.
        let arrived = match &self.deploy.target {
            Target::Branch { .. } if self.deploy.command.is_none() => shipped
                .text()
                .lines()
                .any(|line| !after.is_empty() && line == after),
            _ => after != before,
        };
        if !arrived {
            let why = format!(
                "{} has not changed: from outside one sees `{}`, as before",
                self.deploy.name(),
                one_line(&after, 80)
            );
            return Ok(shipped.answer(&name, Verdict::Fail, why));
        }
        let way_back = match self.deploy.rollback {
            Rollback::Asked => "the way back was not tried, since nobody asked for it".to_owned(),
            Rollback::Tried => match self.there_and_back(&ships, &before, &after)? {
                Ok(said) => said,
                Err(why) => return Ok(shipped.answer(&name, Verdict::Fail, why)),
            },
        };
        let kept = self.keep(&Record {
            tree,
            before,
            after: after.clone(),
        })?;
        let seen = label(&after);
        let mut result = shipped.answer(
            &name,
            Verdict::Pass,
            format!("shipped, and seen from outside (`{seen}`); {way_back}"),
        );
        result.evidence.push(kept);
        Ok(result)
    }

    /// Takes it back, sees that it is as it was, and ships it again.
    fn there_and_back(
        &self,
        ships: &Line,
        before: &str,
        after: &str,
    ) -> Judged<Result<String, String>> {
        let Some(back) = self.deploy.takes_back(before) else {
            let why = match before.is_empty() {
                true => return Ok(Ok("there was nothing before to go back to".to_owned())),
                false => "no setting says how it is taken back: set `deploy.back`",
            };
            return Ok(Err(why.to_owned()));
        };
        let taken = self.run(&back).map_err(Trouble::cannot)?;
        let seen = self.look().map_err(Trouble::cannot)?;
        let again = self.run(ships).map_err(Trouble::cannot)?;
        let last = self.look().map_err(Trouble::cannot)?;
        if let Some((_, why)) = failed(&taken) {
            return Ok(Err(format!("taking it back: {why}; it was shipped again")));
        }
        if seen != before {
            let seen = one_line(&seen, 80);
            return Ok(Err(format!(
                "taken back, it is not what it was: one sees `{seen}`; it was shipped again"
            )));
        }
        if let Some((_, why)) = failed(&again) {
            return Ok(Err(format!("it was taken back; shipping it again: {why}")));
        }
        if last != after {
            return Ok(Err("it was taken back, and is not there again".to_owned()));
        }
        Ok(Ok("taken back and shipped again".to_owned()))
    }

    /// Notes what is about to be shipped, or that nothing is on its way any more.
    fn intend(&self, intent: Option<Intent>) -> Judged<()> {
        let intent = serde_json_canonicalizer::to_vec(&intent).map_err(Trouble::cannot)?;
        let noted = self.subject.keep.note(INTENT, &intent);
        noted.map_err(|error| {
            Trouble::cannot(format!("what is shipped could not be noted: {error}"))
        })
    }

    /// The record of an earlier gate that shipped this very tree, if it is still there, and which gate
    /// that was.
    fn shipped(&self, tree: &str, now: &str) -> Judged<Option<(Record, &'static str)>> {
        let earlier = self.subject.earlier(RECORD).map_err(Trouble::cannot)?;
        let last = earlier.last().map(|bytes| serde_json::from_slice(bytes));
        let last: Option<Record> = last.transpose().map_err(Trouble::cannot)?;
        if let Some(last) = last.filter(|last| last.tree == tree && last.after == now) {
            return Ok(Some((last, "an earlier gate")));
        }
        // Pushing a branch again changes nothing, and its content says whether it has arrived. The way
        // back must be tried by a gate that lives to tell.
        let again = matches!(self.deploy.target, Target::Branch { .. });
        if again || self.deploy.rollback == Rollback::Tried {
            return Ok(None);
        }
        let noted = self.subject.keep.noted(INTENT).map_err(Trouble::cannot)?;
        let noted = noted.map(|bytes| serde_json::from_slice(&bytes));
        let noted: Option<Option<Intent>> = noted.transpose().map_err(Trouble::cannot)?;
        let arrived = noted
            .flatten()
            .filter(|noted| noted.tree == tree && noted.before != now);
        Ok(arrived.map(|noted| {
            let record = Record {
                tree: noted.tree,
                before: noted.before,
                after: now.to_owned(),
            };
            (record, "a gate that was lost after it had shipped")
        }))
    }

    fn keep(&self, record: &Record) -> Judged<kernel::outcome::EvidenceRef> {
        let bytes = serde_json_canonicalizer::to_vec(record).map_err(Trouble::cannot)?;
        self.subject
            .keep
            .keep(RECORD, &bytes)
            .map_err(Trouble::cannot)
    }

    /// What one sees from outside, in a room without the repository.
    fn look(&self) -> Result<String, Error> {
        let Some(line) = self.deploy.looks() else {
            return match &self.deploy.target {
                Target::Folder(folder) => content(folder),
                Target::Branch { .. } | Target::Shown(_) => Err("nothing shows it".into()),
            };
        };
        let room = Room::bare(self.subject)?;
        let seen = room.inside(self.subject, |inside| self.open(inside, &line))?;
        if let Some((_, why)) = failed(&seen) {
            return Err(format!("looking at {}: {why}", self.deploy.name()).into());
        }
        Ok(seen.text().trim_end().to_owned())
    }

    fn run(&self, line: &Line) -> Result<Executed, Error> {
        self.open(self.subject, line)
    }

    /// Runs a line with the way to the target open, and with what it needs to know.
    fn open(&self, subject: &Subject<'_>, line: &Line) -> Result<Executed, Error> {
        let mut env = subject.env.clone();
        env.extend(line.env.clone());
        let place = self.subject.place;
        let task = place.task.strip_prefix(place.repo).ok();
        env.extend(task.map(|task| ("PROOFHOUSE_TASK".to_owned(), task.display().to_string())));
        // The first time there may be none yet, and a sandbox opens only what is there.
        if let Target::Folder(folder) = &self.deploy.target {
            std::fs::create_dir_all(folder).map_err(Error::of(&folder.display().to_string()))?;
        }
        let policy = subject.policy.map(|policy| {
            let mut policy = policy.clone();
            policy.network = sandbox::Network::Full;
            policy.write.extend(self.deploy.place());
            if let Some(names) = &mut policy.environment {
                names.extend(line.env.keys().cloned());
                names.insert("PROOFHOUSE_TASK".to_owned());
            }
            policy
        });
        execute(
            &Subject {
                env: &env,
                policy: policy.as_ref(),
                ..*subject
            },
            Program::shell(&line.text, None, self.started),
        )
    }
}

/// Why what was run has not done it.
fn failed(executed: &Executed) -> Option<(Verdict, String)> {
    let bad = executed.worthless().or_else(|| executed.not_found());
    bad.or_else(|| {
        let (ending, last) = (executed.ending()?, executed.last_line());
        let ended = executed.ended.exit != Some(0);
        ended.then(|| (Verdict::Fail, format!("{ending}; last output: {last}")))
    })
}

/// One hash for all that lies in a folder; nothing where there is none.
fn content(folder: &std::path::Path) -> Result<String, Error> {
    if !folder.is_dir() {
        return Ok(String::new());
    }
    let mut names = Vec::new();
    items::walk(folder, "", &mut names)?;
    names.sort();
    let mut all = String::new();
    for name in &names {
        let inside = name.trim_start_matches('/');
        let found = paths::found_in(folder, inside).map_err(Error::of(inside))?;
        let hash = hash::of(&found).map_err(Error::of(inside))?;
        all.push_str(&format!("{inside} {hash}\n"));
    }
    Ok(match all.is_empty() {
        true => String::new(),
        false => hash::bytes(all.as_bytes()),
    })
}

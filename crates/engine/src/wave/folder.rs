//! Where a milestone lies, `.proofhouse/milestones/NAME/`: its file, its journal, its two views, its
//! lock. One engine works on a milestone at a time; readers need no lock.

use super::listed::{self, DEFINITION, names};
use ::wave::fact::{Dated, Fact, WaveClosed};
use ::wave::milestone::Milestone;
use ::wave::{Board, Settings, Waves, ledger, page};
use kernel::{Machine, Time};
use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use store::{Head, Journal, Objection, RecordRef, Replay, RunName, Torn};
use workspace::error::EngineError;
use workspace::lock::{self, Lock};
use workspace::project::{Project, Records};

/// The journal's name in the milestone's folder.
const JOURNAL: &str = "wave";
/// The trailer of merge commits that vouches for a milestone's journal.
pub const TRAILER: &str = "Proofhouse-Wave";

/// A milestone and where it lies.
#[derive(Debug, Clone)]
pub struct MilestoneFolder {
    /// The project, in its own working tree.
    pub project: Project,
    /// The milestone as it is written now.
    pub milestone: Milestone,
}

/// A milestone that is being worked on.
pub struct OpenMilestone {
    /// Its machine, as of the journal's head.
    pub waves: Waves,
    pub journal: Journal,
    /// A torn last line that opening has cut.
    pub torn: Option<Torn>,
    /// Nobody else works on it while this is held.
    pub lock: Lock,
}

fn journal_name() -> RunName {
    RunName::new(JOURNAL).expect("a constant of plain letters")
}

/// Who waived the sandbox of a milestone, and for which runs.
#[derive(Debug, Clone)]
pub struct Waived {
    /// The person.
    pub who: String,
    /// The runs that inherit it.
    pub runs: BTreeSet<String>,
}

/// The waivers of all milestones, as far as their journals can be read.
pub fn waivers(project: &Project) -> BTreeMap<String, Waived> {
    let waived = |name: String| {
        let mut runs = BTreeSet::new();
        let folder = project.milestone(&name);
        let replay = Replay {
            from: None,
            not_after: None,
        };
        let board = read(&folder).ok()?.0;
        let who = board.waived?.who;
        let read = Journal::read(&folder, &journal_name(), replay, |record| {
            if let Fact::WaveOpened(opened) = dated(&record)?.body {
                runs.extend(opened.roster.into_iter().map(|row| row.run));
            }
            Ok(())
        });
        read.ok()?;
        Some((name, Waived { who, runs }))
    };
    names(project).into_iter().filter_map(waived).collect()
}

/// Runs of all milestones whose work was put back, and why: each is done, and its task is not.
pub fn put_back(project: &Project) -> BTreeMap<String, String> {
    let mut back = BTreeMap::new();
    for name in names(project) {
        let folder = project.milestone(&name);
        let mut rows = BTreeMap::new();
        // One that cannot be read says so to whoever asks for it.
        let _ = Journal::read(&folder, &journal_name(), Replay::default(), |record| {
            match dated(&record)?.body {
                Fact::WaveOpened(opened) => {
                    let roster = opened.roster.into_iter();
                    rows.extend(roster.map(|row| (row.task, row.run)));
                }
                Fact::TaskPutBack(put_back) => {
                    let run = rows.get(&put_back.task).cloned();
                    back.extend(run.map(|run| (run, put_back.reason)));
                }
                _ => {}
            }
            Ok(())
        });
    }
    back
}

impl MilestoneFolder {
    /// The milestone of this name; without one, the only one that can be meant.
    pub fn find(project: &Project, name: Option<&str>) -> Result<Self, EngineError> {
        // Whatever folder a person stands in: the milestone is the repository's.
        let project = project.at_top();
        let all = names(&project);
        let name = match name {
            Some(name) if all.iter().any(|known| known == name) => name.to_owned(),
            Some(name) => return Err(unknown(&format!("there is no milestone `{name}`"), &all)),
            None => Self::only(&project, &all)?,
        };
        let path = project.milestone(&name).join(DEFINITION);
        let text = std::fs::read_to_string(&path).map_err(EngineError::io("read", &path))?;
        let milestone = Milestone::parse(&name, &text, &project.config()?.commands())?;
        Ok(Self { project, milestone })
    }

    fn only(project: &Project, all: &[String]) -> Result<String, EngineError> {
        let mut live = Vec::new();
        for name in all {
            if read(&project.milestone(name))?.0.wave.is_some() {
                live.push(name.clone());
            }
        }
        if live.is_empty()
            && let Some(meant) = listed::in_use(project)
        {
            return Ok(meant);
        }
        let all: Vec<String> = all
            .iter()
            .filter(|name| !listed::is_archived(project, name))
            .cloned()
            .collect();
        match (live.as_slice(), all.as_slice()) {
            ([one], _) | ([], [one]) => Ok(one.clone()),
            ([], _) => Err(unknown("no wave is live, and no milestone is named", &all)),
            (live, _) => Err(EngineError::user(
                "wave_ambiguous",
                format!("waves are live in {}", live.join(", ")),
                "name the milestone",
            )),
        }
    }

    /// Its folder.
    pub fn folder(&self) -> PathBuf {
        self.project.milestone(&self.milestone.name)
    }

    /// The branch of what is merged.
    pub fn branch(&self) -> String {
        format!("proofhouse/{}", self.milestone.name)
    }

    /// The worktree that merges are tried in. No run can have its name.
    pub fn integration(&self) -> PathBuf {
        self.project.worktree(&self.integration_name())
    }

    /// Its name.
    pub fn integration_name(&self) -> String {
        format!("_integration-{}", self.milestone.name)
    }

    /// Is this the name of a worktree of this milestone? Git may add a number to it.
    pub fn owns(&self, worktree: &str) -> bool {
        let integration = self.integration_name();
        let rest = worktree.strip_prefix(&integration);
        rest.is_some_and(|rest| rest.bytes().all(|byte| byte.is_ascii_digit()))
            || worktree.starts_with(&format!("{}-", self.milestone.name))
    }

    /// Scratch that belongs to no task.
    pub fn scratch(&self) -> PathBuf {
        let of = report::wave::OF_MILESTONE;
        self.project.work(&format!("{of}{}", self.milestone.name))
    }

    /// Reads the journal and changes nothing.
    pub fn peek(&self) -> Result<(Board, Head), EngineError> {
        read(&self.folder())
    }

    /// The names of all runs, and of those that live waves of other milestones have yet to begin.
    pub(super) fn taken(&self) -> Result<BTreeSet<String>, EngineError> {
        let begun = store::list(&self.project.journals())?;
        let mut taken: BTreeSet<String> = begun.iter().map(ToString::to_string).collect();
        let others = names(&self.project).into_iter();
        for other in others.filter(|name| *name != self.milestone.name) {
            let folder = self.project.milestone(&other);
            // One that cannot be read opens no wave, and says so to whoever runs it.
            let wave = read(&folder).ok().and_then(|(board, _)| board.wave);
            let slots = wave.into_iter().flat_map(|wave| wave.slots);
            taken.extend(slots.map(|slot| slot.row.run));
        }
        Ok(taken)
    }

    /// The task and the run of each try, oldest first.
    pub fn runs(&self) -> Result<Vec<(String, String)>, EngineError> {
        let mut runs = Vec::new();
        if self.folder().join(format!("{JOURNAL}.jsonl")).exists() {
            Journal::read(
                &self.folder(),
                &journal_name(),
                Replay::default(),
                |record| {
                    if let Fact::WaveOpened(opened) = dated(&record)?.body {
                        let rows = opened.roster.into_iter();
                        runs.extend(rows.map(|row| (row.task, row.run)));
                    }
                    Ok(())
                },
            )?;
        }
        Ok(runs)
    }

    /// Takes the milestone's lock and opens its journal, or makes it.
    pub fn open(&self) -> Result<OpenMilestone, EngineError> {
        if listed::is_archived(&self.project, &self.milestone.name) {
            return Err(EngineError::user(
                "milestone_archived",
                format!("`{}` was put away", self.milestone.name),
                "begin another one: `proofhouse milestone new`",
            ));
        }
        let (folder, scratch) = (self.folder(), self.scratch());
        self.project.prepare(Records::OnRef)?;
        self.project.prepare_worktrees()?;
        let lock = lock::drive(&scratch)?.ok_or_else(|| {
            EngineError::user(
                "wave_busy",
                format!(
                    "another Proofhouse works on `{}` right now",
                    self.milestone.name
                ),
                "wait for it, or stop it with Ctrl-C or `proofhouse wave stop`; `proofhouse wave status` shows what it does",
            )
        })?;
        // Of an engine that was killed in the middle of writing a view.
        store::sweep(&folder);
        let name = journal_name();
        let mut waves = Waves::new(self.milestone.clone(), Settings::default());
        let (journal, torn) = if folder.join(format!("{JOURNAL}.jsonl")).exists() {
            let replay = Replay {
                from: None,
                not_after: None,
            };
            let opened = Journal::resume(&folder, &name, replay, |record| {
                waves.apply(&dated(&record)?);
                Ok(())
            })?;
            (opened.journal, opened.torn)
        } else {
            (Journal::create(&folder, &name)?, None)
        };
        Ok(OpenMilestone {
            waves,
            journal,
            torn,
            lock,
        })
    }

    /// Refuses a ledger that somebody has edited.
    pub fn check_ledger(&self, board: &Board) -> Result<(), EngineError> {
        let path = self.folder().join(ledger::FILE);
        let Ok(text) = std::fs::read_to_string(&path) else {
            return Ok(());
        };
        match &board.wave {
            Some(wave) => Ok(ledger::check(&text, &self.milestone.name, wave)?),
            None => Ok(()),
        }
    }

    /// Does the ledger of a wave lie there?
    pub(super) fn has_ledger(&self) -> bool {
        self.folder().join(ledger::FILE).exists()
    }

    /// Refuses to end a wave whose digest the page would not take.
    pub(super) fn takes_digest(&self, board: &Board, digest: &str) -> Result<(), EngineError> {
        let mut after = board.clone();
        after.apply(&Dated {
            at: Time(0),
            body: Fact::WaveClosed(WaveClosed {
                number: 0,
                digest: digest.to_owned(),
            }),
        });
        let old = std::fs::read_to_string(self.folder().join(page::FILE)).ok();
        page::render(&self.milestone, &after, old.as_deref())?;
        Ok(())
    }

    /// Writes both views: the page, and the ledger while a wave is live. The ledger of a wave that
    /// ended goes only when its digest is on the page.
    pub fn write_views(&self, board: &Board) -> Result<(), EngineError> {
        let path = self.folder().join(page::FILE);
        let old = std::fs::read_to_string(&path).ok();
        let text = page::render(&self.milestone, board, old.as_deref())?;
        if old.as_deref() != Some(&text) {
            store::write_atomic(&path, text.as_bytes())?;
        }
        let ledger = self.folder().join(ledger::FILE);
        if let Some(wave) = &board.wave {
            let text = ledger::render(&self.milestone.name, wave);
            return Ok(store::write_atomic(&ledger, text.as_bytes())?);
        }
        if ledger.exists() {
            let page = std::fs::read_to_string(&path).map_err(EngineError::io("read", &path))?;
            if !page::absorbed(&page, board) {
                return Err(EngineError::user(
                    "digest_not_absorbed",
                    format!("{} lacks the digest of the last wave", path.display()),
                    "let it be written: `proofhouse wave status` shows the digests",
                ));
            }
            std::fs::remove_file(&ledger).map_err(EngineError::io("remove", &ledger))?;
        }
        Ok(())
    }
}

fn unknown(what: &str, all: &[String]) -> EngineError {
    let mend = match all {
        [] => "`proofhouse milestone new NAME --goal '...' --task NAME='...'` begins one, in .proofhouse/milestones/NAME/milestone.toml"
            .to_owned(),
        all => format!("milestones here: {}", all.join(", ")),
    };
    EngineError::user("milestone_not_found", what, mend)
}

/// A stored record as a fact.
pub fn dated(record: &RecordRef<'_>) -> Result<Dated, Objection> {
    report::look::stored(record)
}

fn read(folder: &std::path::Path) -> Result<(Board, Head), EngineError> {
    let mut board = Board::default();
    if !folder.join(format!("{JOURNAL}.jsonl")).exists() {
        return Ok((board, Head::start()));
    }
    let replay = Replay {
        from: None,
        not_after: None,
    };
    let report = Journal::read(folder, &journal_name(), replay, |record| {
        board.apply(&dated(&record)?);
        Ok(())
    })?;
    Ok((board, report.head))
}

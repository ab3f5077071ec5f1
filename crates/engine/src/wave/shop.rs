//! Where a milestone lies, `.proofhouse/milestones/NAME/`: its file, its journal, its two views, its
//! lock. One engine works on a milestone at a time; readers need no lock.

use super::board::Board;
use super::decide::Input;
use super::fact::{Dated, Fact, Said};
use super::milestone::Milestone;
use super::{ledger, page};
use crate::world::now;
use kernel::Time;
use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::sync::OnceLock;
use store::{Entry, Head, Journal, Replay, RunName};
use workspace::error::{Blame, EngineError};
use workspace::lock::{self, Lock};
use workspace::project::Project;

/// The journal's name in the milestone's folder.
const JOURNAL: &str = "wave";
const DEFINITION: &str = "milestone.toml";
/// The trailer of merge commits that vouches for a milestone's journal.
pub const TRAILER: &str = "Proofhouse-Wave";

/// A milestone and where it lies.
#[derive(Debug, Clone)]
pub struct Shop {
    /// The project, in its own working tree.
    pub project: Project,
    /// The milestone as it is written now.
    pub milestone: Milestone,
    /// Who took on that the sandbox may not hold, once the journal was read.
    pub(super) waived: OnceLock<Said>,
}

/// A milestone that is being worked on: its journal, its state, its lock.
pub struct Desk {
    /// As of the journal's head.
    pub board: Board,
    /// The journal.
    journal: Journal,
    #[expect(dead_code, reason = "held for its lock")]
    lock: Lock,
}

fn journal_name() -> RunName {
    RunName::new(JOURNAL).expect("a constant of plain letters")
}

/// The names of all milestones of a project.
pub fn names(project: &Project) -> Vec<String> {
    let folder = project.home().join("milestones");
    let mut names: Vec<String> = std::fs::read_dir(folder)
        .into_iter()
        .flatten()
        .flatten()
        .filter(|entry| entry.path().join(DEFINITION).is_file())
        .map(|entry| entry.file_name().to_string_lossy().into_owned())
        .filter(|name| RunName::new(name).is_ok())
        .collect();
    names.sort();
    names
}

/// Who waived the sandbox of a milestone, and for which runs.
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
        let folder = project.home().join("milestones").join(&name);
        let replay = Replay {
            from: None,
            not_after: Some(crate::run::latest()),
        };
        let board = read(&folder).ok()?.0;
        let who = board.waived?.who;
        let read = Journal::read(&folder, &journal_name(), replay, |record| {
            let dated = dated(record.at, record.kind, record.body.get())?;
            if let Fact::WaveOpened(opened) = dated.fact {
                runs.extend(opened.roster.into_iter().map(|row| row.run));
            }
            Ok(())
        });
        read.ok()?;
        Some((name, Waived { who, runs }))
    };
    names(project).into_iter().filter_map(waived).collect()
}

impl Shop {
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
        let path = project
            .home()
            .join("milestones")
            .join(&name)
            .join(DEFINITION);
        let text = std::fs::read_to_string(&path).map_err(EngineError::io("read", &path))?;
        let milestone = Milestone::parse(&name, &text, &project.config()?.commands())?;
        Ok(Self {
            project,
            milestone,
            waived: OnceLock::new(),
        })
    }

    fn only(project: &Project, all: &[String]) -> Result<String, EngineError> {
        let mut live = Vec::new();
        for name in all {
            if read(&project.home().join("milestones").join(name))?
                .0
                .wave
                .is_some()
            {
                live.push(name.clone());
            }
        }
        match (live.as_slice(), all) {
            ([one], _) | ([], [one]) => Ok(one.clone()),
            ([], _) => Err(unknown("no wave is live, and no milestone is named", all)),
            (live, _) => Err(EngineError::user(
                "wave_ambiguous",
                format!("waves are live in {}", live.join(", ")),
                "name the milestone",
            )),
        }
    }

    /// Its folder.
    pub fn folder(&self) -> PathBuf {
        self.project
            .home()
            .join("milestones")
            .join(&self.milestone.name)
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

    /// Scratch of the conductor's own.
    pub fn scratch(&self) -> PathBuf {
        self.project.work(&format!("_wave-{}", self.milestone.name))
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
            let folder = self.project.home().join("milestones").join(other);
            // One that can not be read opens no wave, and says so to whoever runs it.
            let wave = read(&folder).ok().and_then(|(board, _)| board.wave);
            let slots = wave.into_iter().flat_map(|wave| wave.slots);
            taken.extend(slots.map(|slot| slot.row.run));
        }
        Ok(taken)
    }

    /// Takes the milestone's lock and opens its journal, or makes it.
    pub fn open(&self) -> Result<Desk, EngineError> {
        let (folder, scratch) = (self.folder(), self.scratch());
        self.project.prepare()?;
        std::fs::create_dir_all(&scratch).map_err(EngineError::io("create", &scratch))?;
        let ignore = self.project.worktree(".gitignore");
        if !ignore.exists() {
            let worktrees = self.project.home().join(workspace::project::WORKTREES);
            std::fs::create_dir_all(&worktrees).map_err(EngineError::io("create", &worktrees))?;
            // Everything in there is in commits, or will be.
            store::write_atomic(&ignore, b"*\n")?;
        }
        let lock = lock::take(&scratch.join("lock"))?.ok_or_else(|| {
            EngineError::user(
                "wave_busy",
                format!(
                    "another Proofhouse works on `{}` right now",
                    self.milestone.name
                ),
                "wait for it, or stop it with Ctrl-C; `proofhouse wave status` shows what it does",
            )
        })?;
        // Of an engine that was killed in the middle of writing a view.
        store::sweep(&folder);
        let name = journal_name();
        if !folder.join(format!("{JOURNAL}.jsonl")).exists() {
            let journal = Journal::create(&folder, &name)?;
            let board = Board::default();
            return Ok(Desk {
                board,
                journal,
                lock,
            });
        }
        let mut board = Board::default();
        let replay = Replay {
            from: None,
            not_after: Some(crate::run::latest()),
        };
        let opened = Journal::resume(&folder, &name, replay, |record| {
            board.apply(&dated(record.at, record.kind, record.body.get())?);
            Ok(())
        })?;
        let mut desk = Desk {
            board,
            journal: opened.journal,
            lock,
        };
        if let Some(torn) = opened.torn {
            let cut = kernel::event::TailCut {
                bytes: torn.bytes,
                kept_in: torn.kept_in.display().to_string(),
            };
            desk.append(now(), vec![Fact::TailCut(cut)])?;
        }
        Ok(desk)
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

impl Desk {
    /// Decides, makes the facts durable, and takes them in.
    pub fn decide(&mut self, inputs: Vec<Input<'_>>) -> Result<Vec<Dated>, EngineError> {
        let at = now();
        let mut facts = Vec::new();
        let mut board = self.board.clone();
        for input in inputs {
            for fact in board.decide(at, input).map_err(error)? {
                let dated = Dated { at, fact };
                board.apply(&dated);
                facts.push(dated.fact);
            }
        }
        self.append(at, facts)
    }

    fn append(&mut self, at: Time, facts: Vec<Fact>) -> Result<Vec<Dated>, EngineError> {
        let entries: Vec<Entry> = facts
            .iter()
            .map(|fact| Entry {
                at,
                kind: fact.kind().to_owned(),
                body: fact.to_value(),
            })
            .collect();
        if entries.is_empty() {
            return Ok(Vec::new());
        }
        let expected = self.journal.head().seq;
        self.journal.append(expected, &entries)?;
        let dated: Vec<Dated> = facts.into_iter().map(|fact| Dated { at, fact }).collect();
        for one in &dated {
            self.board.apply(one);
        }
        Ok(dated)
    }

    /// The journal's last record.
    pub fn head(&self) -> &Head {
        self.journal.head()
    }
}

/// Most refusals are a person's to mend; a step that a task is not at is ours.
fn error(refusal: kernel::Refusal) -> EngineError {
    let mut error = EngineError::from(refusal);
    if error.code == "task_not_there" {
        error.blame = Blame::Bug;
    }
    error
}

fn unknown(what: &str, all: &[String]) -> EngineError {
    let mend = match all {
        [] => {
            "write .proofhouse/milestones/NAME/milestone.toml; docs/waves.md shows one".to_owned()
        }
        all => format!("milestones here: {}", all.join(", ")),
    };
    EngineError::user("milestone_not_found", what, mend)
}

/// A stored record as a fact.
pub fn dated(at: Time, kind: &str, body: &str) -> Result<Dated, String> {
    let fact = Fact::decode(kind, body).map_err(|error| error.to_string())?;
    Ok(Dated { at, fact })
}

fn read(folder: &std::path::Path) -> Result<(Board, Head), EngineError> {
    let mut board = Board::default();
    if !folder.join(format!("{JOURNAL}.jsonl")).exists() {
        let head = Head {
            seq: 0,
            hash: store::NO_HASH.to_owned(),
        };
        return Ok((board, head));
    }
    let replay = Replay {
        from: None,
        not_after: Some(crate::run::latest()),
    };
    let report = Journal::read(folder, &journal_name(), replay, |record| {
        board.apply(&dated(record.at, record.kind, record.body.get())?);
        Ok(())
    })?;
    Ok((board, report.head))
}

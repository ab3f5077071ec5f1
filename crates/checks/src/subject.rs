//! What is judged, and what a check may ask of the engine: to keep evidence, to hash the tree, to
//! lay out a checkpoint.

use crate::error::{BoxError, Error};
use crate::rooms::Rooms;
use crate::tree::TreeNow;
use kernel::StateName;
use kernel::effect::{Frozen, Known};
use kernel::outcome::{EvidenceRef, RoleResult};
use std::cell::Cell;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::time::Duration;

/// The real folders.
#[derive(Debug, Clone, Copy)]
pub struct Place<'a> {
    /// The repository, or the worktree of a run.
    pub repo: &'a Path,
    /// Where dependencies are installed, which git ignores: the person's own tree.
    pub installed: &'a Path,
    /// The run's own folder, with its state file and evidence.
    pub task: &'a Path,
    /// What the engine itself writes in there.
    pub views: Views<'a>,
}

/// Lines `Name: value` of one file of the task folder that are views of the journal. They are no
/// content: what is frozen is frozen without them.
#[derive(Debug, Clone, Copy, Default)]
pub struct Views<'a> {
    pub file: &'a str,
    /// The names.
    pub lines: &'a [String],
}

/// What a gate judges. [`Subject::new`] has what every gate has; a caller names what else it knows.
#[derive(Clone, Copy)]
pub struct Subject<'a> {
    /// The folders.
    pub place: Place<'a>,
    /// The document fields now.
    pub fields: &'a BTreeMap<String, String>,
    /// The document fields before the attempt.
    pub fields_before: &'a BTreeMap<String, String>,
    /// Hash of the repository's tree before the attempt.
    pub tree_before: &'a str,
    /// Hash of the repository's tree after the attempt.
    pub tree_after: &'a str,
    /// Paths that the attempt changed: `repo/...` and `task/...`.
    pub changed: &'a [String],
    /// The agent's typed result. A check may use it to fail, never to pass.
    pub result: Option<&'a serde_json::Value>,
    /// The last valid result of every role of the run, this attempt's own among them. As with
    /// `result`: a check may use them to fail, never to pass.
    pub results: &'a BTreeMap<String, RoleResult>,
    /// The validation commands that a human set.
    pub commands: &'a [String],
    /// How many mutants of a change are tried at most, if a human said so.
    pub mutants: Option<usize>,
    /// The task's files as they were laid out, before anybody wrote into them.
    pub forms: Option<&'a BTreeMap<String, String>>,
    /// What the workflow's brief of this state says, to whoever works there: words that are no answer.
    pub brief: &'a str,
    /// What earlier gates froze.
    pub frozen: &'a Frozen,
    /// The states whose last gate passed.
    pub standing: &'a BTreeSet<StateName>,
    /// Names that the run itself has given out, by kind.
    pub known: &'a Known,
    /// The checkpoint that followed each state's last passed gate.
    pub commits: &'a BTreeMap<StateName, String>,
    /// Lays the files of a checkpoint out in an empty folder.
    pub check_out: &'a CheckOut<'a>,
    /// What is left of the gate's wall time; [`crate::run_gate`] counts it down.
    pub wall: Duration,
    /// Stops a running check.
    pub cancel: &'a sandbox::Cancel,
    /// The complete environment of every command.
    pub env: &'a BTreeMap<String, String>,
    /// Where a running command's process is noted, so that a killed engine's next life ends it.
    pub pid_file: Option<&'a Path>,
    /// What the commands may reach; none: everything that we can.
    pub policy: Option<&'a sandbox::Policy>,
    /// Where commands run; none: in the repository itself.
    pub rooms: Option<&'a dyn Rooms>,
    /// How the person says that the product is deployed.
    pub deploy: Option<&'a crate::deploy::Deploy>,
    /// Has a check before this one failed the gate? [`crate::run_gate`] looks for itself.
    pub failing: bool,
    /// What became of the programs that a check started; [`crate::run_gate`] looks for itself.
    pub launches: Option<&'a Launches>,
    /// Hears what goes on, in a few words.
    pub progress: &'a dyn Fn(&str),
    /// Evidence storage.
    pub keep: &'a dyn Keep,
    /// Hashes the repository's tree now.
    pub tree: &'a HashTree<'a>,
}

/// Lays the files of a checkpoint out in an empty folder.
pub type CheckOut<'a> = dyn Fn(&str, &Path) -> Result<(), BoxError> + 'a;

/// Hashes a repository's tree.
pub type HashTree<'a> = dyn Fn() -> Result<TreeNow, BoxError> + 'a;

/// What a subject has that nobody gave anything.
static NO_TEXTS: BTreeMap<String, String> = BTreeMap::new();
static NO_RESULTS: BTreeMap<String, RoleResult> = BTreeMap::new();
static NO_FROZEN: Frozen = Frozen::new();
static NO_STATES: BTreeSet<StateName> = BTreeSet::new();
static NO_NAMES: Known = Known::new();
static NO_COMMITS: BTreeMap<StateName, String> = BTreeMap::new();

fn no_checkpoints(_: &str, _: &Path) -> Result<(), BoxError> {
    Err("there are no checkpoints here".into())
}

impl<'a> Subject<'a> {
    /// A tree to be judged by itself: no attempt came before, and no run remembers anything of it.
    pub fn new(
        place: Place<'a>,
        wall: Duration,
        cancel: &'a sandbox::Cancel,
        keep: &'a dyn Keep,
        tree: &'a HashTree<'a>,
    ) -> Self {
        Self {
            place,
            fields: &NO_TEXTS,
            fields_before: &NO_TEXTS,
            tree_before: "",
            tree_after: "",
            changed: &[],
            result: None,
            results: &NO_RESULTS,
            commands: &[],
            mutants: None,
            forms: None,
            brief: "",
            frozen: &NO_FROZEN,
            standing: &NO_STATES,
            known: &NO_NAMES,
            commits: &NO_COMMITS,
            check_out: &no_checkpoints,
            wall,
            cancel,
            env: &NO_TEXTS,
            pid_file: None,
            policy: None,
            rooms: None,
            deploy: None,
            failing: false,
            launches: None,
            progress: &|_| {},
            keep,
            tree,
        }
    }

    /// The repository's tree now; where commands have rooms, the tree that all of them judge.
    pub(crate) fn tree(&self) -> Result<TreeNow, Error> {
        let tree = match self.rooms {
            Some(rooms) => rooms.tree(),
            None => (self.tree)(),
        };
        tree.map_err(Error::undone("the tree cannot be hashed"))
    }

    /// What gates of this run kept under this name before, oldest first.
    pub(crate) fn earlier(&self, name: &str) -> Result<Vec<Vec<u8>>, Error> {
        let earlier = self.keep.earlier(name);
        earlier.map_err(Error::undone("earlier evidence cannot be read"))
    }

    /// Notes why a program was not started.
    pub(crate) fn note_failure(&self, error: &sandbox::LaunchError) {
        if let Some(launches) = self.launches {
            launches.failed(error);
        }
    }
}

/// What is known of the programs of a check besides what they said. It is told apart from the
/// reasons, which may quote what an agent wrote.
#[derive(Debug, Default)]
pub struct Launches {
    unheld: Cell<bool>,
}

impl Launches {
    pub(crate) fn failed(&self, error: &sandbox::LaunchError) {
        if matches!(error, sandbox::LaunchError::SandboxUnavailable { .. }) {
            self.unheld.set(true);
        }
    }

    /// Was one not started because this machine cannot hold its policy?
    pub(crate) fn unheld(&self) -> bool {
        self.unheld.get()
    }
}

/// Where evidence goes.
pub trait Keep {
    /// Stores the bytes and says where. The name is for people.
    fn keep(&self, name: &str, bytes: &[u8]) -> Result<EvidenceRef, BoxError>;
    /// Stores content of the user's own repository, to the byte.
    fn keep_exact(&self, name: &str, bytes: &[u8]) -> Result<EvidenceRef, BoxError>;
    /// Stores what no role and no other machine may see before the run is over.
    fn seal(&self, _name: &str, _bytes: &[u8]) -> Result<EvidenceRef, BoxError> {
        Err("nothing can be kept under seal here".into())
    }
    /// Were these bytes under seal, and can others read them now, because the run was over once?
    fn was_opened(&self, _hash: &str) -> bool {
        false
    }
    /// The bytes that were stored with this hash.
    fn fetch(&self, hash: &str) -> Result<Vec<u8>, BoxError>;
    /// What gates of this run kept under this name before, oldest first. It is a check's only
    /// memory: it lies in the journal and the vault, where no agent can reach it.
    fn earlier(&self, name: &str) -> Result<Vec<Vec<u8>>, BoxError>;
    /// Notes, on disk when it returns, what a check is about to do to the world outside. It outlives a
    /// gate that was lost and so kept nothing.
    fn note(&self, _name: &str, _bytes: &[u8]) -> Result<(), BoxError> {
        Err("nothing can be noted here".into())
    }
    /// What was last noted under this name in this run.
    fn noted(&self, _name: &str) -> Result<Option<Vec<u8>>, BoxError> {
        Ok(None)
    }
}

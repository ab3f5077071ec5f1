//! What a machine wants done in the world. Pure descriptions that can be carried to another process;
//! the engine performs them. An order may gain a member with a default, and a reader ignores members
//! that it does not know.

use crate::ids::{EffectId, StateName, Word};
use crate::time::Time;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};

/// One thing that should be in flight.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "effect", rename_all = "snake_case")]
pub enum Effect {
    /// Let an agent work in a role.
    Attempt(AttemptOrder),
    /// Run checks.
    Gate(GateOrder),
    /// Record the tree as a commit that cites the journal's head.
    Checkpoint(CheckpointOrder),
}

impl Effect {
    /// The serial number that fences late answers.
    pub fn id(&self) -> EffectId {
        match self {
            Effect::Attempt(order) => order.id,
            Effect::Gate(order) => order.id,
            Effect::Checkpoint(order) => order.id,
        }
    }

    /// The effect's stored name.
    pub fn kind(&self) -> EffectKind {
        match self {
            Effect::Attempt(_) => EffectKind::Attempt,
            Effect::Gate(_) => EffectKind::Gate,
            Effect::Checkpoint(_) => EffectKind::Checkpoint,
        }
    }
}

/// The three kinds of effect, as they are stored.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum EffectKind {
    /// An agent at work.
    Attempt,
    /// Checks being run.
    Gate,
    /// A commit being made.
    Checkpoint,
}

/// What a role may do.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Capability {
    /// Read files of its view.
    Read,
    /// Search in them.
    Search,
    /// Run commands.
    Execute,
    /// Change the repository.
    Edit,
}

impl Capability {
    /// All of them.
    pub const ALL: [Capability; 4] = [
        Capability::Read,
        Capability::Search,
        Capability::Execute,
        Capability::Edit,
    ];

    /// As workflows write it.
    pub fn as_str(self) -> &'static str {
        match self {
            Capability::Read => "read",
            Capability::Search => "search",
            Capability::Execute => "execute",
            Capability::Edit => "edit",
        }
    }
}

/// May the role change the repository?
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Access {
    /// What it changes is taken back.
    Edit,
    /// The tree must be the same before and after.
    ReadOnly,
}

/// What of the repository a role sees, and where it may write, as globs. A workflow may write
/// `{Field}` in them; `pattern.rs` fills it in.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Sight {
    /// Files that are in its view.
    pub sees: Vec<String>,
    /// Files that are not, whatever `sees` says.
    pub hidden: Vec<String>,
    /// Files that it may change.
    pub scope: Vec<String>,
    /// Where there are some: only what is among these, too, is in its view.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub within: Vec<String>,
}

impl Default for Sight {
    /// Everything.
    fn default() -> Self {
        let all = || vec!["**".to_owned()];
        Self {
            sees: all(),
            hidden: Vec::new(),
            scope: all(),
            within: Vec::new(),
        }
    }
}

/// What an attempt may spend. It is what the run has left; an agent is never told.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Allowance {
    /// Money, in millionths of a dollar.
    pub micro_dollars: u64,
    /// Tokens, read and written.
    pub tokens: u64,
}

impl Allowance {
    /// What each of several may use of it.
    pub fn shared(self, among: u64) -> Self {
        let part = |whole: u64| match whole {
            u64::MAX => whole,
            whole => whole / among.max(1),
        };
        Self {
            micro_dollars: part(self.micro_dollars),
            tokens: part(self.tokens),
        }
    }
}

impl Default for Allowance {
    /// No bound.
    fn default() -> Self {
        Self {
            micro_dollars: u64::MAX,
            tokens: u64::MAX,
        }
    }
}

/// An order for one attempt.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct AttemptOrder {
    /// Fences late answers.
    pub id: EffectId,
    /// The state it works for.
    pub state: StateName,
    /// The role's name.
    pub role: String,
    /// What of the run it is for; empty where the run is one piece of work.
    pub subject: String,
    /// May it edit the repository?
    pub access: Access,
    /// What it sees and where it may write.
    pub sight: Sight,
    /// One more than the attempts that ended in this state in this run; lost ones do not count.
    pub nth: u32,
    /// The whole brief.
    pub brief: String,
    /// Wall limit in milliseconds, already cut to what the run's budget leaves.
    pub wall_millis: u64,
    /// What the run's budgets leave for it.
    pub allowance: Allowance,
    /// Not to be started before this: the provider asked for patience.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub not_before: Option<Time>,
    /// The attempt whose result was invalid, and whose view this one goes on with.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub continues: Option<EffectId>,
    /// The attempt whose session this one may go on in, where its agent can.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session: Option<EffectId>,
    /// What an agent that does go on in it is told in place of the brief.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub again: Option<String>,
    /// Frozen items that no agent may change any more, with their hashes.
    pub sealed: BTreeMap<String, String>,
    /// Files for it to read, by name: they lie in its folder, beside the repository and the task.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub papers: BTreeMap<String, String>,
    /// The commit with the change that it judges, which is laid beside them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub change: Option<String>,
}

/// A check to be run: its name in the registry, and its settings.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CheckSpec {
    /// The name in the registry.
    pub check: String,
    /// Its settings; an object.
    #[serde(default)]
    pub with: Value,
    /// Does its failure fail the gate?
    #[serde(default)]
    pub weight: Weight,
    /// The word that the gate shows if it does not pass.
    #[serde(default)]
    pub shows: Option<Word>,
    /// The stable code of what it refuses; a check may have a narrower one.
    #[serde(default)]
    pub code: Option<String>,
}

/// How much a check counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Weight {
    /// The gate fails with it.
    #[default]
    Binding,
    /// It only tells: the gate's verdict does not hang on it.
    Advisory,
}

impl Weight {
    /// For leaving the usual out of what is stored.
    pub fn is_binding(&self) -> bool {
        *self == Weight::Binding
    }
}

/// Content that a passed gate has frozen: by name, the hash of each item.
pub type Frozen = BTreeMap<String, BTreeMap<String, String>>;

/// Names that a run has given out, by kind: ids of facts, evidence, issues. What is not in here, an
/// agent has made up.
pub type Known = BTreeMap<String, BTreeSet<String>>;

/// Where the commit is among them that the judged work stands on.
pub const BEGUN: &str = "commit begun";

/// Where the checks are among them that refused the work when this gate spoke last.
pub const REFUSED_HERE: &str = "refused here";

/// An order for a gate.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct GateOrder {
    /// Fences late answers.
    pub id: EffectId,
    /// The state whose gate it is.
    pub state: StateName,
    /// What of the run it is for; empty where the run is one piece of work.
    pub subject: String,
    /// The attempt whose work is judged; none in a state without an agent.
    pub attempt: Option<EffectId>,
    /// All of them run, in order, whatever the first says.
    pub checks: Vec<CheckSpec>,
    /// The document fields as the run holds them now.
    pub fields: BTreeMap<String, String>,
    /// What earlier gates froze.
    pub frozen: Frozen,
    /// The states whose last gate passed and has not been forgotten.
    pub standing: BTreeSet<StateName>,
    /// Names that the run itself has given out, by kind.
    pub known: Known,
    /// The checkpoint that followed each state's last passed gate.
    pub commits: BTreeMap<StateName, String>,
    /// The last checkpoint, once something was executed that proves the work. A gate that shows less cannot
    /// tell an edit from it: beside what agents have touched since, exactly that is kept.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub proven: Option<Proven>,
    /// Wall limit in milliseconds for the whole gate.
    pub wall_millis: u64,
}

/// What was proven, and how well.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Proven {
    pub commit: String,
    /// The best that the standing gates have shown, in its word.
    pub worth: String,
}

/// An order for a checkpoint commit.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CheckpointOrder {
    /// Fences late answers.
    pub id: EffectId,
    /// The commit's subject.
    pub subject: String,
    /// The tree that a gate let pass, as git names it: exactly that is committed, whatever has been
    /// edited since. None: the working tree as it is, which nobody calls proven.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tree: Option<String>,
    /// What to put back once the tree is committed as it is.
    pub revert: Option<Revert>,
}

/// Broken work goes back to what it was; it is committed before, so nothing is lost.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Revert {
    /// The commit that is right; none: the one that the run began with.
    pub to: Option<String>,
    /// The paths that agents have changed since, repository-relative. Others are the user's.
    pub paths: Vec<String>,
}

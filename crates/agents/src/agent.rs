//! The one trait that every connector implements, with what goes in and what comes out.
//!
//! A connector influences the run by its reply alone: it gets no journal, no clock and no gate.

use crate::result::Shape;
use kernel::effect::{Access, Allowance, Capability};
use kernel::outcome::{Class, Usage};
use sandbox::Cancel;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

/// How it is said that nobody answers where the model is: at once, also where nothing else is told as it happens.
pub const UNREACHABLE: &str = "the provider cannot be reached";

/// Everything that one attempt needs to know.
#[derive(Debug, Clone)]
pub struct Order {
    /// The run's name.
    pub run: String,
    /// The effect's serial number in the run.
    pub effect: u32,
    /// The state that the attempt works for.
    pub state: String,
    /// The role's name.
    pub role: String,
    /// What the role may do. Our own tool loop holds it to all of it.
    pub can: BTreeSet<Capability>,
    /// May the role change the repository?
    pub access: Access,
    /// From 1: attempts that ended in this state in this run, plus one. Lost ones do not count.
    pub nth: u32,
    /// Holds `repo/` and `task/`, and nothing that the role may not see.
    pub view: PathBuf,
    /// The attempt's own folder, outside the view: `brief.md`, `out/result.json`, `pid`.
    pub home: PathBuf,
    /// The whole brief.
    pub brief: String,
    /// Wall limit for the whole attempt.
    pub wall: Duration,
    /// What it may spend. Our own tool loop makes no call beyond it.
    pub allowance: Allowance,
    /// Set on top of `sandbox::base_env()`; the `PROOFHOUSE_*` variables win over both.
    pub env: BTreeMap<String, String>,
    /// What its processes may reach; none: everything that we can. A connector adds what it needs
    /// itself: its own program, its provider's hosts.
    pub policy: Option<sandbox::Policy>,
    /// What its result must look like.
    pub shape: Arc<Shape>,
    /// The session of an earlier attempt that this one goes on with, from [`Reply::session`].
    pub continues: Option<String>,
}

/// How an attempt ended, and what it left.
#[derive(Debug, Clone, PartialEq)]
pub struct Reply {
    /// How it ended.
    pub class: Class,
    /// One sentence.
    pub reason: String,
    /// The judged result; there is one exactly if the class is `Done`.
    pub result: Option<Value>,
    /// What it cost, however it ended.
    pub usage: Usage,
    /// What was said and done, capped at [`crate::TRANSCRIPT_BYTES`], head and tail kept.
    pub transcript: Vec<u8>,
    /// The model that worked, where it says so or was told which.
    pub model: Option<String>,
    /// How long the provider asked us to wait before the next attempt.
    pub retry_after: Option<Duration>,
    /// The session, for an attempt that goes on with this one.
    pub session: Option<String>,
    /// Connections that the policy refused.
    pub denied: Vec<String>,
    /// Why that says nothing of connections past the proxy, if it does not.
    pub unrecorded: Option<String>,
}

impl Reply {
    /// A reply with nothing but a class and its reason.
    pub fn bare(class: Class, reason: impl Into<String>) -> Self {
        Self {
            class,
            reason: reason.into(),
            result: None,
            usage: Usage::default(),
            transcript: Vec::new(),
            model: None,
            retry_after: None,
            session: None,
            denied: Vec::new(),
            unrecorded: None,
        }
    }
}

/// A connector. Shared between threads: one value serves many attempts at once.
pub trait Agent: Send + Sync {
    /// The connector's name, for people and for the journal.
    fn name(&self) -> &str;

    /// Works one attempt to its end. Blocks; honours `cancel` and the order's wall limit.
    /// `progress` gets one line for people now and then.
    fn run(&self, order: &Order, cancel: &Cancel, progress: &dyn Fn(&str)) -> Reply;

    /// Why it cannot even be started on this machine right now, with a mend; none if nothing says so.
    fn lacks(&self) -> Option<String> {
        None
    }

    /// Does the order's policy hold for whoever works?
    fn is_confined(&self) -> bool {
        true
    }

    /// May its attempts go on in the session of an earlier one? As a person has set it.
    fn resumes(&self) -> bool {
        false
    }

    /// Would this attempt go on in the session that its order names? Looks, and starts nothing.
    fn goes_on(&self, order: &Order) -> bool {
        self.resumes() && order.continues.is_some()
    }

    /// After a restart: the answer that this attempt left behind, if it had ended before we
    /// died. The transcript died with the process that kept it.
    fn recover(&self, order: &Order) -> Option<Reply>;
}

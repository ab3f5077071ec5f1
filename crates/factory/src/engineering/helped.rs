//! What a person may still do for a task's loop that stopped (rule F17.2), and what becomes of the
//! loop then. Nothing that was shipped is touched.

use super::debate::At;
use super::patience::Patience;
use super::step::Fate;
use super::work::Work;
use crate::debate::Failure;
use crate::project::types::ModuleRef;
use kernel::EffectId;

impl Work {
    /// Modules that a person can still help: failed, or at work when an exception halted the task.
    fn helpless(&self) -> Vec<usize> {
        let all = 0..self.modules.len();
        let stopped = |at: &usize| matches!(self.modules[*at].fate, Fate::Failed(_) | Fate::Active);
        all.filter(stopped).collect()
    }

    /// Modules that have something to ship.
    pub fn shippable(&self) -> Vec<usize> {
        let all = self.helpless().into_iter();
        all.filter(|at| !self.modules[*at].debate.trail.proposals.is_empty())
            .collect()
    }

    /// The module that a person's fix is for: the first that failed.
    pub fn fixable(&self) -> Option<usize> {
        self.helpless().first().copied()
    }

    fn reopen(&mut self) {
        (self.end, self.raised, self.answer) = (None, None, None);
        self.mended();
        self.patience = Patience::default();
    }

    /// A person approves in the Arbiter's place.
    pub fn override_by(&mut self, who: &str, rationale: &str) {
        for at in self.shippable() {
            self.modules[at].debate.override_by(who, rationale);
            self.modules[at].fate = Fate::Waiting;
        }
        self.reopen();
    }

    /// A person's code in the Proposer's place; the module that it is for, and the attempt whose
    /// deliverable it stands on. `proposed` is where a valid proposal goes.
    pub fn fix_by(
        &mut self,
        who: &str,
        description: &str,
        proposed: At,
    ) -> Option<(ModuleRef, Option<EffectId>)> {
        let at = self.fixable()?;
        self.modules[at].debate.fix_by(who, description, proposed);
        // It stands on what is there, and amendments of it are held against both.
        self.modules[at].proposed = self.modules[at].deliverable;
        self.modules[at].fate = Fate::Waiting;
        self.reopen();
        Some((self.reference(at)?, self.modules[at].deliverable))
    }

    /// What failed last, of all modules.
    pub fn failures(&self) -> Vec<Failure> {
        let failed = self
            .modules
            .iter()
            .filter(|module| matches!(module.fate, Fate::Failed(_)) || module.fate == Fate::Active);
        failed
            .flat_map(|module| module.debate.failures.clone())
            .collect()
    }
}

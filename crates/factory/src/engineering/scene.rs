//! What a brief is written about, and the form that it has: a project keeps the one that it began with.

use super::asked::Asked;
use super::debate::Debate;
use super::kind::{HOLDS, Kind, TELLS};
use super::roles::{Grant, Role};
use super::work::Work;
use crate::delivery::promised::Promised;
use crate::project::types::{ModuleRef, TaskId};
use documents::quoted::{by_member, fenced, pretty};
use serde_json::Value;

/// What a brief is written about.
#[derive(Debug, Clone, Copy)]
pub struct Scene<'a> {
    pub task: &'a TaskId,
    /// Its loop.
    pub work: &'a Work,
    /// The module at work; none for the plan.
    pub module: Option<usize>,
    /// What is shipped upstream.
    pub upstream: &'a [ModuleRef],
    /// Acceptance criteria that a person amended.
    pub criteria: &'a [String],
    /// What it must show: those, or else the spec's.
    pub shows: &'a [String],
    /// The same and the sketch, point by point.
    pub asked: &'a [Asked],
    /// The form of the project's briefs.
    pub briefs: u32,
    /// What the task makes.
    pub kind: Kind,
    /// What all tasks come to.
    pub promised: Option<&'a Promised>,
    /// What the task has shipped before, if it is made once more.
    pub shipped: &'a [ModuleRef],
    /// Why it is.
    pub again: &'a [String],
    /// What it depends on and is not for use any more.
    pub outdated: &'a [String],
    /// Changes of contracts that the task asked for and a person refused, with their reason.
    pub rejected: &'a [Value],
}

/// What the Code Index has near a task, as its planner finds it.
pub fn near_file(task: &TaskId) -> String {
    format!("state_store/code_index/near/{task}.json")
}

/// The form of briefs that a new project gets. 1: they list the rules that no schema can say. 2: the
/// product role is told what a spec says of the product, nothing that was said is printed twice, and the
/// Arbiter is offered what is open to it. 3: the planner is told what a module and what the assembly is
/// held to, the Proposer of a third language, and task files what the product must show; JSON is written
/// without blanks, and nothing of the rubric is said twice. 4: the engine tries a proposal before it is
/// debated and the Challenger is told what it saw, and the planner is shown the plan that was refused. 5: the
/// Challenger is told the task's acceptance criteria. 6: the planner is told what the task asks for point by
/// point and answers it by clauses, which the Challenger is shown; all are told of the product and its language,
/// those of the assembly its cases; what dependencies make public is in a file. 7: what had to be guessed is
/// said (`told.rs`), the Arbiter is told what the engine saw, the Challenger of earlier rulings and nothing is asked
/// of it that it is not shown, and whoever asked for another contract in vain hears a person's reason. 8: what the Code Index has near a task
/// lies in the planner's view, and planner, Proposer and Challenger hear what of their dependencies is not for use
/// any more. 9: the product role is told what a library is asked, and those who make it what its names are called.
pub const BRIEFS: u32 = 9;

impl Scene<'_> {
    pub(super) fn debate(&self) -> Option<&Debate> {
        self.module.map(|at| &self.work.modules[at].debate)
    }

    /// What others said, as data.
    pub(super) fn quoted(&self, value: &Value) -> String {
        match self.briefs {
            ..3 => pretty(value),
            _ => fenced(&by_member(value)),
        }
    }

    pub(super) fn folder(&self) -> String {
        let reference = self.module.and_then(|at| self.work.reference(at));
        reference.map_or_else(String::new, |reference| module_folder(&reference))
    }

    /// The files of a dependency that a grant shows; who calls it in code sees how.
    pub(super) fn shown_of_others(&self, role: Role, grant: Grant) -> Vec<&'static str> {
        let mut globs = grant.permission().module_globs();
        if self.briefs >= HOLDS && role == Role::Proposer {
            globs.push(SURFACE);
        }
        globs
    }

    /// The version of the module at work that the task has shipped before, since the form 7.
    pub(super) fn before(&self) -> Option<&ModuleRef> {
        let own = self.module.and_then(|at| self.work.reference(at))?;
        let mut shipped = self.shipped.iter();
        shipped.find(|one| self.briefs >= TELLS && one.module == own.module && **one != own)
    }

    /// What the module at work depends on, by its plan.
    pub(super) fn depends_on(&self) -> Vec<String> {
        let plan = self.work.plan.as_ref();
        let module = plan.zip(self.module).map(|(plan, at)| &plan.modules[at]);
        let all = module.into_iter().flat_map(|one| &one.depends_on);
        all.map(|one| one.module.to_string()).collect()
    }

    pub(super) fn task_file(&self) -> String {
        format!("project/**/{}.md", self.task)
    }
}

/// What a version makes public in its language, as the engine read it when it was tried.
pub const SURFACE: &str = "surface.md";

/// Where a version of a module lies.
pub fn module_folder(reference: &ModuleRef) -> String {
    format!(
        "state_store/modules/{}/{}",
        reference.module, reference.version
    )
}

/// What a Proposer may write of a version: all but the evidence of its ship, which is the engine's.
pub(crate) fn workspace(folder: &str) -> [String; 3] {
    [
        format!("{folder}/**"),
        format!("!{folder}/ship.json"),
        format!("!{folder}/seal.json"),
    ]
}

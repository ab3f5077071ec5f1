//! Two runs side by side: what each came to, what it cost, and how what they made differs.

use crate::change::Depth;
use crate::fate::Fate;
use crate::file_change::FileChange;
use crate::history::{History, history};
use crate::look::{self, peek_run};
use crate::run::Doing;
use crate::spend::{self, Spend};
use crate::work::Work;
use kernel::event::Forked;
use kernel::{Body, Machine};
use serde::Serialize;
use std::collections::BTreeSet;
use workspace::git::git;
use workspace::{EngineError, Project};

/// One of the two.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Side {
    pub run: String,
    pub workflow: String,
    pub agent: String,
    pub state: String,
    /// `done`, `waiting for a person` and so on.
    pub doing: &'static str,
    /// What it waits for; empty if for nobody.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub waits: String,
    /// What its gates have shown.
    pub worth: String,
    /// What became of its work.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fate: Option<Fate>,
    pub spend: Spend,
    /// Of the records that both have, what of that was spent in them.
    pub shared: Spend,
    pub gates: usize,
    /// Those of them that did not let it through.
    pub refused: usize,
    /// The answers of people, in order.
    pub decisions: Vec<String>,
    pub records: u64,
    /// The files that it changed, since it began.
    pub files: usize,
    pub added: u64,
    pub removed: u64,
    /// The commit or tree that it is at; none where it has made none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub made: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub forked: Option<Forked>,
}

/// Both.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Both {
    pub sides: [Side; 2],
    /// The last record that both have, where one left the other, or both a third at the same place.
    pub common: Option<u64>,
    /// From the first one's work to the second one's; none where one of them has made nothing.
    pub differences: Option<Vec<FileChange>>,
}

impl Both {
    /// Looks at both.
    pub fn of(project: &Project, first: &str, second: &str) -> Result<Self, EngineError> {
        let mut sides = [side(project, first)?, side(project, second)?];
        let common = common(&sides);
        if let Some(common) = common {
            for one in &mut sides {
                let then = crate::replay::Then::at(project, &one.run, common)?;
                one.shared = then.spend.run;
            }
        }
        let made = [0, 1].map(|at| sides[at].made.clone());
        let differences = match made {
            [Some(base), Some(tip)] => {
                let task = None;
                let between = Work { base, tip, task };
                let change = between.change(project, second, Depth::Stat)?;
                Some(change.changes)
            }
            _ => None,
        };
        Ok(Self {
            sides,
            common,
            differences,
        })
    }
}

fn common(sides: &[Side; 2]) -> Option<u64> {
    let [first, second] = sides;
    let left = |one: &Side, other: &Side| {
        let forked = one.forked.as_ref()?;
        (forked.run.as_str() == other.run).then_some(forked.seq)
    };
    let same = || {
        let (one, other) = (first.forked.as_ref()?, second.forked.as_ref()?);
        (one.run == other.run).then(|| one.seq.min(other.seq))
    };
    left(first, second)
        .or_else(|| left(second, first))
        .or_else(same)
}

/// Who worked, where the config names them and not the run.
fn who_worked(history: &History) -> String {
    let ended = history
        .events()
        .iter()
        .filter_map(|event| match &event.body {
            Body::AttemptEnded(ended) => Some(ended.outcome.agent.as_str()),
            _ => None,
        });
    let all: BTreeSet<&str> = ended.filter(|agent| !agent.is_empty()).collect();
    all.into_iter().collect::<Vec<_>>().join(", ")
}

fn side(project: &Project, run: &str) -> Result<Side, EngineError> {
    let peek = peek_run(project, run)?;
    let (machine, status) = (&peek.machine, peek.machine.status());
    let history = history(project, run)?;
    let gates = history.gates(machine.workflow().noted_check());
    let started = machine.started();
    // A run without a commit has made nothing that git knows.
    let work = Work::of(project, run).ok();
    // No ref keeps what a gate let pass and nobody has committed.
    let has = |tree: &&str| git(project.top(), &["cat-file", "-e", tree], &[]).is_ok();
    let judged = machine.passed_tree().filter(has);
    let work = work.map(|work| Work {
        tip: judged.map_or_else(|| work.tip.clone(), str::to_owned),
        ..work
    });
    let change = work
        .as_ref()
        .map(|work| work.change(project, run, Depth::Stat))
        .transpose()?;
    let changes = change.map(|change| change.changes).unwrap_or_default();
    let sum = |of: fn(&FileChange) -> Option<u64>| changes.iter().filter_map(of).sum();
    let decisions = history.decisions().into_iter();
    Ok(Side {
        run: run.to_owned(),
        workflow: status.workflow.clone(),
        agent: started
            .map(|started| started.agent.clone())
            .filter(|named| !named.is_empty())
            .unwrap_or_else(|| who_worked(&history)),
        state: status.state.to_string(),
        doing: Doing::of(status.activity, look::is_driven(project, run)).as_str(),
        waits: status
            .waiting_for
            .as_ref()
            .map_or_else(String::new, |waiting| waiting.reason.clone()),
        worth: machine.worth(),
        fate: Fate::of(project, run, machine),
        spend: spend::summary(&status.attempts).run,
        shared: Spend::default(),
        gates: gates.len(),
        refused: gates.iter().filter(|gate| !gate.passed).count(),
        decisions: decisions.map(|one| one.decision.option).collect(),
        records: peek.head.seq,
        files: changes.len(),
        added: sum(|one| one.added),
        removed: sum(|one| one.removed),
        made: work.map(|work| work.tip),
        forked: started.and_then(|started| started.forked.clone()),
    })
}

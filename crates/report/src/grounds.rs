//! What a person decides on: what was asked for, how long ago, what changed, what was proven and what
//! was not, what was caught, what it cost, and who worked.

use crate::caught::{Caught, caught};
use crate::change::{Change, Depth, Since};
use crate::exam::ExamCost;
use crate::file_change::FileChange;
use crate::gate::{Answer, Began, Gate, latest};
use crate::history::{Decided, History};
use crate::kept::Kept;
use crate::met::Met;
use crate::paper::{Paper, papers, record};
use crate::proof::Proof;
use crate::settled::Settled;
use crate::spend::{self, Spend};
use crate::told_case::ToldCase;
use crate::unasked::Unasked;
use crate::work::Work;
use crate::worth::Standing;
use flow::{Flow, Workflow};
use kernel::effect::{Access, Capability};
use kernel::event::{AttemptEnded, Moved};
use kernel::finding::Finding;
use kernel::unseen::spelt;
use kernel::{Body, Class, Decision, Event, Machine, StateName, Time};
use serde::Serialize;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use workspace::Project;

/// Everything that a decision rests on.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Grounds {
    /// What was asked for, in its first field.
    pub objective: String,
    /// When the run began.
    pub began: Time,
    /// When its last record was written: since then it waits, if it waits.
    pub last: Time,
    /// What it changed, without the lines; none where nobody can tell.
    pub change: Option<Change>,
    /// What of that came after a person sent it back the last time.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub since_rejected: Option<Change>,
    /// What of that came after a person approved it, where it has to be approved once more.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub since_approved: Option<Change>,
    /// What that made of the approved work which it settles; none where it settles none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub settled: Option<Settled>,
    /// What was said at the beginning and decides what gates ask for.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub frame: Vec<Framed>,
    /// What is to be frozen, where that is asked.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub papers: Vec<Paper>,
    /// What makes the work done, and how each was judged.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub criteria: Vec<Met>,
    /// What audits flagged.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub risks: Vec<String>,
    /// What whoever delivers has written.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub record: Option<Paper>,
    /// Checks that were executed, could have failed and passed, in the latest gate of their state.
    pub proven: Vec<Proven>,
    /// What that is worth; none where no check says.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub worth: Option<Standing>,
    /// How many further checks held that only looked at files and records.
    pub looked: usize,
    /// What a role answered, where no machine can judge.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub said: Vec<Said>,
    /// What the last look found changed that nobody asked for, all of it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub unasked: Option<Unasked>,
    /// What was found and holds no gate.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub remarks: Vec<String>,
    /// What whoever made the work says of it; empty where nobody has worked.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub summary: String,
    /// What people said when they decided before, and what those who worked since say to it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub told: Vec<Told>,
    /// What is not proven, and why.
    pub unproven: Vec<Unproven>,
    /// Findings that hold a gate and that nobody has settled, where nothing else here tells them.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub open: Vec<String>,
    /// What was tried and did not get through.
    pub caught: Vec<Caught>,
    pub spend: Spend,
    /// What of that was for the exam; none where the run has none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub exam: Option<ExamCost>,
    /// What of the exam did not hold, where a person is asked on the machine that has it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub cases: Vec<ToldCase>,
    /// Who worked.
    pub workers: Vec<Worker>,
    /// Every role that judged the work and gave a verdict.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub looks: Vec<Look>,
    /// Every role that had its hand in the work, in the order in which each last worked, with what it says.
    pub makers: Vec<Maker>,
}

/// A field whose word decides what gates ask for.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Framed {
    pub field: String,
    pub value: String,
    /// What it decides.
    pub about: String,
    /// Does it say what the template says?
    pub laid_out: bool,
}

impl Framed {
    /// `User facing: no, as it was laid out (yes or no: does a user see the result?)`.
    pub fn words(&self) -> String {
        let laid_out = if self.laid_out {
            ", as it was laid out"
        } else {
            ""
        };
        let (field, value, about) = (&self.field, &self.value, &self.about);
        format!("{field}: {value}{laid_out} ({about})")
    }
}

fn framed(workflow: &Workflow, fields: &BTreeMap<String, String>) -> Vec<Framed> {
    let task = workflow.task.iter();
    let named = task.flat_map(|task| &task.decides);
    let framed = named.filter_map(|name| {
        let (field, value) = (workflow.field(name)?, fields.get(name)?);
        Some(Framed {
            field: name.clone(),
            value: value.clone(),
            about: field.about.clone(),
            laid_out: field.default.trim() == value.trim(),
        })
    });
    framed.collect()
}

/// A person's word in an earlier decision.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Told {
    /// `Ann decided reject: too long`.
    pub said: String,
    /// What was done about it, in the words of who worked.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub answers: Vec<String>,
}

impl Told {
    fn of(decided: Decided) -> Option<Self> {
        let Decision {
            who,
            option,
            because,
            ..
        } = &decided.decision;
        // What is appended for the signature is for the audit, not for the reader.
        let because = because.split(" [").next().unwrap_or_default().trim();
        (!because.is_empty()).then(|| Self {
            said: format!("{who} decided `{option}`: {because}"),
            answers: decided.answers,
        })
    }
}

/// A role whose attempt is part of the work.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Maker {
    pub role: String,
    /// The connector.
    pub agent: String,
    /// The model, where it was told.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// Did nothing confine it?
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub unconfined: bool,
    /// What it said of its last attempt.
    pub summary: String,
}

impl Maker {
    /// `coder (claude, claude-opus-4)`.
    pub fn words(&self) -> String {
        let model = self.model.as_ref();
        let model = model.map_or_else(String::new, |model| format!(", {model}"));
        let free = if self.unconfined { NOT_CONFINED } else { "" };
        match self.agent.as_str() {
            "" => self.role.clone(),
            agent => format!("{} ({agent}{model}{free})", self.role),
        }
    }
}

/// What somebody who only reads said of the work, in a state.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Look {
    /// Who, and what they said last.
    #[serde(flatten)]
    pub who: Maker,
    pub state: String,
    /// `pass` or `fail`, the last time.
    pub verdict: String,
    /// How often they looked.
    pub times: usize,
    /// How many findings that hold a gate they raised, in all.
    pub found: usize,
}

impl Look {
    /// `reviewer (claude): pass, at look 2; 2 findings before`.
    pub fn words(&self) -> String {
        let who = self.who.words();
        let times = match self.times {
            1 => String::new(),
            times => format!(", at look {times}"),
        };
        let found = match (self.found, self.verdict.as_str()) {
            (0, _) => String::new(),
            (1, "pass") => "; 1 finding before, settled".to_owned(),
            (found, "pass") => format!("; {found} findings before, settled"),
            (1, _) => "; 1 finding".to_owned(),
            (found, _) => format!("; {found} findings"),
        };
        format!("{who}: {}{times}{found}", self.verdict)
    }
}

/// A command that was executed, could have failed and passed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Proven {
    pub check: String,
    /// The states in whose gates it passed.
    pub states: Vec<String>,
    /// How long it took the last time.
    pub millis: u64,
    /// What was seen, in a sentence.
    pub reason: String,
}

/// A question that a role answered so that it passed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Said {
    pub check: String,
    /// The state in which it was asked.
    pub state: String,
    /// The role that answered.
    pub by: String,
    /// The answer and its evidence.
    pub reason: String,
}

/// Something that is not proven.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Unproven {
    pub check: String,
    /// The state whose gate it is.
    pub state: String,
    /// Why not.
    pub why: String,
    /// The part of its output that says why it failed, or all that was found.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub failure: String,
    /// Is that what somebody has found, and no output?
    #[serde(skip)]
    pub found: bool,
}

/// Who worked, and in which roles.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct Worker {
    /// The connector.
    pub agent: String,
    /// The model, where it was told.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// Did nothing confine it?
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub unconfined: bool,
    pub roles: BTreeSet<String>,
}

/// Behind the name of whoever worked without confinement.
const NOT_CONFINED: &str = ", not confined";

impl Worker {
    /// `claude (claude-opus-4) as coder, reviewer`.
    pub fn words(&self) -> String {
        let model = self.model.as_ref();
        let model = model.map_or_else(String::new, |model| format!(" ({model})"));
        let roles: Vec<&str> = self.roles.iter().map(String::as_str).collect();
        let free = if self.unconfined { NOT_CONFINED } else { "" };
        format!("{}{model}{free} as {}", self.agent, roles.join(", "))
    }
}

impl Grounds {
    /// Gathers them. What git cannot show is left out: a question is asked all the same.
    pub fn of(
        project: &Project,
        machine: &Flow,
        history: &History,
        depth: Depth,
        kept: &mut Kept,
    ) -> Self {
        let status = machine.status();
        let workflow = machine.workflow();
        let files = workflow.task.as_ref();
        let first = files.and_then(|files| files.promise.first());
        let objective = first.and_then(|name| status.fields.get(name));
        let mut gates = history.gates(workflow.noted_check());
        gates.reverse();
        kept.look_into(project, &mut gates);
        let events = history.events();
        let (mut since_rejected, mut since_approved) = (None, None);
        let change = machine.started().and_then(|started| {
            let mut work = Work::in_history(project, started, history).ok()??;
            let run = started.run.as_str();
            // What is asked about may be a part of it.
            if let Some(since) = machine.compared() {
                since.clone_into(&mut work.base);
            } else if let Some(since) = work.after(project, history, Since::Approved) {
                since_approved = since.change(project, run, depth).ok();
            } else if let Some(since) = work.after(project, history, Since::Rejected) {
                since_rejected = since.change(project, run, depth).ok();
            }
            kept.change(&work, || work.change(project, run, depth).ok())
        });
        let mut grounds = Self {
            objective: objective.cloned().unwrap_or_default(),
            began: events.first().map_or(Time(0), |event| event.at),
            last: events.last().map_or(Time(0), |event| event.at),
            settled: Settled::of(project, machine, change.as_ref()),
            since_rejected,
            since_approved,
            change,
            frame: framed(workflow, &status.fields),
            papers: match machine.started() {
                Some(started) => papers(project, started.run.as_str(), machine),
                None => Vec::new(),
            },
            criteria: Met::all(machine, &gates),
            risks: machine.risks().iter().map(risk).collect(),
            record: machine
                .started()
                .and_then(|started| record(project, started.run.as_str(), machine)),
            proven: Vec::new(),
            worth: None,
            looked: 0,
            said: Vec::new(),
            unasked: Unasked::of(project, &gates),
            remarks: Vec::new(),
            summary: String::new(),
            told: history
                .decisions()
                .into_iter()
                .filter_map(Told::of)
                .collect(),
            unproven: Vec::new(),
            open: Vec::new(),
            caught: caught(history),
            spend: spend::summary(&status.attempts).run,
            exam: ExamCost::of(machine),
            cases: Vec::new(),
            workers: workers(history),
            makers: Vec::new(),
            looks: Vec::new(),
        };
        gates.truncate(before_set_aside(workflow, history, &gates));
        grounds.judge(&gates);
        grounds.hear(workflow, history);
        // What ran before anybody worked says how it was, green or red, and nothing about the work: it neither
        // proves that nor leaves it unproven.
        grounds.proven = match history.outcomes().map(|(effect, _)| effect).min() {
            Some(first) => {
                let before = gates.iter().position(|gate| gate.effect < first);
                let since = &gates[..before.unwrap_or(gates.len())];
                grounds.worth = Standing::of(workflow, since);
                grounds.unproven = unproven(since);
                proven(since)
            }
            None => Vec::new(),
        };
        grounds.of_change(workflow);
        let open = machine.open_findings();
        let open = open.filter(|(_, finding)| !grounds.tells(&finding.what));
        grounds.open = open.map(|(told, _)| told).collect();
        grounds
    }

    /// The same with what lies in the tree of a run that has one of its own, where some of that has passed no gate:
    /// what a person is asked about, in a terminal as on a page. What git cannot show is left out.
    pub(crate) fn with_tree(mut self, project: &Project, machine: &Flow) -> Self {
        let Some(run) = machine.started().map(|started| started.run.as_str()) else {
            return self;
        };
        if let Ok(mut work) = Work::of(project, run) {
            // What is asked about may be a part of it.
            if let Some(since) = machine.compared() {
                since.clone_into(&mut work.base);
            }
            let now = Change::as_it_stands(project, machine, &work, Depth::Hunks);
            self.change = now.ok().flatten().or(self.change);
            for (since, shown) in [
                (Since::Rejected, &mut self.since_rejected),
                (Since::Approved, &mut self.since_approved),
            ] {
                if shown.is_some() {
                    let now = Change::since(project, run, since, Depth::Hunks);
                    *shown = now.ok().flatten().or(shown.take());
                }
            }
        }
        self.settled = Settled::of(project, machine, self.change.as_ref());
        self.of_change(machine.workflow());
        self
    }

    /// Is this told by what does not hold?
    fn tells(&self, what: &str) -> bool {
        let mut unproven = self.unproven.iter();
        unproven.any(|one| one.why.contains(what) || one.failure.contains(what))
    }

    /// What follows from what was changed, as far as that is known.
    pub(crate) fn of_change(&mut self, workflow: &Workflow) {
        let Some(change) = &self.change else {
            return;
        };
        if let Some(worth) = &mut self.worth {
            worth.fits(change);
        }
        let untried = untried(workflow, change);
        let new = untried.filter(|one| !self.remarks.contains(one));
        self.remarks.extend(new);
    }

    /// What roles said that no gate is held by: what the maker says of the work, and remarks.
    fn hear(&mut self, workflow: &Workflow, history: &History) {
        let mut remarks: Vec<(&str, String)> = Vec::new();
        // Who wrote what is built, and looked at nothing that was there. Whoever answers questions about it
        // has looked, whatever they wrote besides; who runs nothing has not tried it.
        let mut authors: BTreeSet<&str> = BTreeSet::new();
        let asked = workflow
            .states
            .values()
            .filter(|state| !state.questions.is_empty());
        let asked: BTreeSet<&str> = asked.filter_map(|state| state.role.as_deref()).collect();
        // Since a person last decided: has anybody worked, and changed anything?
        let (mut worked, mut changed, mut made) = (false, false, false);
        for event in history.events() {
            if matches!(event.body, Body::Decided(_)) {
                (worked, changed) = (false, false);
            }
            let Body::AttemptEnded(ended) = &event.body else {
                continue;
            };
            worked = true;
            changed |= !ended.outcome.changed.is_empty();
            let Some(result) = &ended.outcome.result else {
                continue;
            };
            let began = history.began(ended.effect);
            let role = began.and_then(|began| workflow.roles.get(&began.effect.role));
            let state = history.state(ended.effect);
            let tries = role.is_some_and(|role| role.can.contains(&Capability::Execute));
            let blind = role.is_some_and(|role| role.sight.sees.is_empty());
            match role.map(|role| role.access()) {
                Some(Access::Edit) => {
                    let summary = result["summary"].as_str().unwrap_or_default();
                    self.summary = summary.to_owned();
                    made = true;
                    self.made(began, ended, result);
                }
                // Who reads it again says what stands now.
                Some(Access::ReadOnly) => {
                    remarks.retain(|(of, _)| *of != state);
                    let role = began.map_or("", |began| began.effect.role.as_str());
                    let wrote = !ended.outcome.changed.is_empty();
                    if wrote && !asked.contains(role) && (!made || !tries) {
                        authors.insert(role);
                    }
                    match authors.contains(role) {
                        true => self.made(began, ended, result),
                        // Who sees none of the work says nothing of it.
                        false if blind => {}
                        // Whoever hands in questions under seal looks at no work either.
                        false if workflow.is_sealed_in(&StateName::from(state)) => {}
                        false => self.look(state, began, ended),
                    }
                }
                None => {}
            }
            for finding in Finding::typed(result).iter().filter(|one| !one.holds()) {
                remarks.push((state, finding.to_string()));
            }
        }
        if let Some(told) = self.told.last_mut().filter(|_| worked && !changed) {
            told.answers
                .push("nothing was changed since then".to_owned());
        }
        for (_, remark) in remarks {
            if !self.remarks.contains(&remark) {
                self.remarks.push(remark);
            }
        }
    }

    /// Somebody had their hand in the work.
    fn made(&mut self, began: Option<&Began>, ended: &AttemptEnded, result: &Value) {
        let role = began.map_or_else(String::new, |began| began.effect.role.clone());
        self.makers.retain(|maker| maker.role != role);
        self.makers.push(Maker {
            role,
            agent: ended.outcome.agent.clone(),
            model: ended.outcome.model.clone(),
            unconfined: ended.outcome.unconfined,
            summary: result["summary"].as_str().unwrap_or_default().to_owned(),
        });
    }

    fn look(&mut self, state: &str, began: Option<&Began>, ended: &AttemptEnded) {
        let (Some(began), Some(result)) = (began, &ended.outcome.result) else {
            return;
        };
        let Some(verdict) = result["verdict"].as_str() else {
            return;
        };
        let role = &began.effect.role;
        let same = |look: &Look| look.state == state && look.who.role == *role;
        let before = self.looks.iter().position(same);
        let before = before.map(|at| self.looks.remove(at));
        let (times, found) = before.map_or((0, 0), |look| (look.times, look.found));
        let holding = Finding::typed(result)
            .iter()
            .filter(|one| one.holds())
            .count();
        self.looks.push(Look {
            who: Maker {
                role: role.clone(),
                agent: ended.outcome.agent.clone(),
                model: ended.outcome.model.clone(),
                unconfined: ended.outcome.unconfined,
                summary: result["summary"].as_str().unwrap_or_default().to_owned(),
            },
            state: state.to_owned(),
            verdict: verdict.to_owned(),
            times: times + 1,
            found: found + holding,
        });
    }

    /// What follows from gates, newest first.
    pub(crate) fn judge(&mut self, gates: &[Gate]) {
        self.proven = proven(gates);
        self.looked = looked(gates);
        self.said = said(gates);
        self.unproven = unproven(gates);
    }
}

/// How many of the gates, newest first, judged what is there: those before work was set aside judged that, and
/// judge again what comes back.
fn before_set_aside(workflow: &Workflow, history: &History, gates: &[Gate]) -> usize {
    let events = history.events();
    let last = events.iter().rposition(|event| match &event.body {
        Body::Moved(moved) => sets_aside(workflow, moved),
        // What was judged since the commit is gone, and what was judged before it is some time ago.
        Body::Rewound(_) => true,
        _ => false,
    });
    let ended = |event: &Event| match &event.body {
        Body::GateEnded(ended) => Some(ended.effect),
        _ => None,
    };
    let old = events[..last.unwrap_or(0)].iter().rev().find_map(ended);
    let old = old.and_then(|old| gates.iter().position(|gate| gate.effect == old));
    old.unwrap_or(gates.len())
}

fn sets_aside(workflow: &Workflow, moved: &Moved) -> bool {
    let ways = workflow.table.transitions.iter().zip(&workflow.after);
    ways.filter(|(way, _)| way.from.contains(&moved.from) && way.action.as_str() == moved.action)
        .any(|(_, after)| after.aside.is_some())
}

/// Checks that try tests on the code before the work.
const TRY_BEFORE: [&str; 4] = ["red_green", "slices", "tests", "tripwire"];

/// Tests that came with the work, where nobody tries whether they fail without it.
fn untried(workflow: &Workflow, change: &Change) -> Option<String> {
    let mut checks = workflow.states.values().flat_map(|state| &state.gate);
    if checks.any(|check| TRY_BEFORE.contains(&check.check.as_str())) {
        return None;
    }
    let came = |one: &&FileChange| one.is_test() && one.added.is_some_and(|lines| lines > 0);
    let tests = change.changes.iter().filter(came);
    let tests: Vec<_> = tests.map(|one| spelt(&one.path)).collect();
    (!tests.is_empty()).then(|| {
        format!(
            "the tests that came with the work ({}) were not tried on the code before it: nothing shows that they fail there",
            tests.join(", ")
        )
    })
}

fn risk(risk: &flow::Risk) -> String {
    let since = match risk.overtaken {
        true => ", before the code was edited",
        false => "",
    };
    format!("{} ({}{since})", risk.text, risk.evidence)
}

fn proven(gates: &[Gate]) -> Vec<Proven> {
    let mut proven: Vec<Proven> = Vec::new();
    for gate in latest(gates) {
        let executed = gate.checks.iter().filter(|check| check.proves());
        for check in executed {
            match proven.iter_mut().find(|one| one.check == check.check) {
                Some(known) => {
                    // One gate counted tests where the other looked at the exit code alone.
                    if !known.reason.contains(check.reason.as_str()) {
                        let (of, more) = (&gate.state, &check.reason);
                        known.reason = format!("{}; in `{of}`: {more}", known.reason);
                    }
                    known.states.push(gate.state.clone());
                }
                None => proven.push(Proven {
                    check: check.check.clone(),
                    states: vec![gate.state.clone()],
                    millis: check.millis,
                    reason: check.reason.clone(),
                }),
            }
        }
    }
    proven
}

fn looked(gates: &[Gate]) -> usize {
    let checks = latest(gates).into_iter().flat_map(|gate| &gate.checks);
    // Controls and exams were executed: they stand under what the evidence is worth.
    let looked = checks.filter(|one| {
        one.answer == Answer::Passed && one.proof == Proof::Looked && one.worth.is_empty()
    });
    looked.count()
}

fn said(gates: &[Gate]) -> Vec<Said> {
    let checks = latest(gates).into_iter();
    let checks = checks.flat_map(|gate| gate.checks.iter().map(move |check| (gate, check)));
    let said = checks.filter(|(_, one)| one.answer == Answer::Passed && one.proof == Proof::Said);
    said.map(|(gate, check)| Said {
        check: check.check.clone(),
        state: gate.state.clone(),
        by: check.said_by.clone(),
        reason: check.reason.clone(),
    })
    .collect()
}

fn unproven(gates: &[Gate]) -> Vec<Unproven> {
    let mut unproven = Vec::new();
    for gate in latest(gates) {
        for check in &gate.checks {
            let why = match check.answer {
                Answer::Failed | Answer::CouldNotRun => check.reason.clone(),
                Answer::Passed if check.proof == Proof::Nothing => {
                    format!("it passed and proves nothing: {}", check.empty)
                }
                Answer::Passed | Answer::Noted => continue,
            };
            unproven.push(Unproven {
                check: check.check.clone(),
                state: gate.state.clone(),
                why,
                failure: check.failure.clone(),
                found: check.argv.is_empty(),
            });
        }
    }
    unproven
}

fn workers(history: &History) -> Vec<Worker> {
    type Key = (String, Option<String>, bool);
    let mut workers: BTreeMap<Key, BTreeSet<String>> = BTreeMap::new();
    for event in history.events() {
        let Body::AttemptEnded(ended) = &event.body else {
            continue;
        };
        let outcome = &ended.outcome;
        // Who could not begin has no part in the work.
        if outcome.agent.is_empty() || outcome.class == Class::CouldNotRun {
            continue;
        }
        let role = history.began(ended.effect);
        let role = role.map_or_else(String::new, |began| began.effect.role.clone());
        let key = (
            outcome.agent.clone(),
            outcome.model.clone(),
            outcome.unconfined,
        );
        workers.entry(key).or_default().insert(role);
    }
    let one = |((agent, model, unconfined), roles)| Worker {
        agent,
        model,
        unconfined,
        roles,
    };
    workers.into_iter().map(one).collect()
}

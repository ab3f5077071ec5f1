//! A person leads the run back to one of its commits: its work, its fields and what its gates had shown are as
//! they were then, and it goes on from there. What is counted stays counted, what people said stays said, and
//! nothing of the journal goes: it refuses to give back a try, a token or a case of an exam.

use super::activity::activity;
use super::exits::Record;
use super::idle::Alike;
use super::state::{FlowState, Mark, Patience, PutBack, Stage};
use crate::workflow::Workflow;
use kernel::decision::REWIND;
use kernel::event::Rewound;
use kernel::ledger::Ledger;
use kernel::machine::Activity;
use kernel::outcome::EvidenceRef;
use kernel::{Decision, Position, Refusal};

/// So many of its last commits a run can go back to.
const MOST_MARKS: usize = 32;
/// Where a task folder lies that git does not hold.
const OF_THE_ENGINE: &str = ".proofhouse";

/// Whoever works next finds documents that tell of work which is gone.
const DOCUMENTS_STAY: &str = "The code is again as it was at that commit, and so are the lines of the state file \
    (but for those that a person has written); the documents of the task folder are as they were left. \
    What they say of later work, results and outputs that are kept there included, is not so any more: write it anew";

/// Does a person lead the run back? A workflow may have an action of the same name, which brings no commit.
pub(super) fn is_meant(decision: &Decision) -> bool {
    decision.option == REWIND && decision.with["commit"].is_string()
}

/// A commit is made, and nothing more is due before the work goes on.
pub(super) fn mark(run: &mut FlowState, workflow: &Workflow) {
    let Some(commit) = run.good_commit.clone() else {
        return;
    };
    if run.checkpoint_due.is_some() || is_over(workflow, run) {
        return;
    }
    let mut marks = std::mem::take(&mut run.marks);
    let then = FlowState {
        started: None,
        ledger: Ledger::default(),
        snapshots: Default::default(),
        told: Default::default(),
        memory: Default::default(),
        ahead: Default::default(),
        notes: Vec::new(),
        decision: None,
        ..run.clone()
    };
    marks.retain(|mark| mark.commit != commit);
    marks.push(Mark {
        commit,
        changed: Default::default(),
        then: Box::new(then),
    });
    let many = marks.len().saturating_sub(MOST_MARKS);
    marks.drain(..many);
    run.marks = marks;
}

/// An agent has changed these.
pub(super) fn changed(run: &mut FlowState, paths: &[String]) {
    for mark in &mut run.marks {
        mark.changed.extend(paths.iter().cloned());
    }
}

/// Something of an exam was kept under seal: whoever went back before it would sit it twice.
pub(super) fn spent(run: &mut FlowState, evidence: &[EvidenceRef]) {
    if evidence.iter().any(|one| one.sealed) {
        run.marks.clear();
    }
}

fn is_over(workflow: &Workflow, run: &FlowState) -> bool {
    matches!(activity(workflow, run), Activity::Done | Activity::Stopped)
}

/// What follows from a decision to go back, or why it cannot.
pub(super) fn judged(
    workflow: &Workflow,
    run: &FlowState,
    decision: &Decision,
) -> Result<Rewound, Refusal> {
    let commit = decision.with["commit"].as_str().unwrap_or_default();
    if run.position.is_over(&workflow.table) || run.decision.is_none() && is_over(workflow, run) {
        return Err(Refusal::new(
            "rewind_over",
            "the run is over: what it made may be landed, and an exam that it had is open",
            "`proofhouse fork RUN --at SEQ` goes on from one of its records in a new run",
        ));
    }
    let name = run.started.as_ref().map_or("RUN", |one| one.run.as_str());
    if let Some(effect) = run.ledger.flying.keys().next() {
        return Err(Refusal::new(
            "rewind_in_flight",
            format!("{effect} is at work, or was when its engine died"),
            format!(
                "end its engine with one Ctrl-C and wait (`proofhouse stop {name}` where it is detached), or let `proofhouse run {name}` take it up first"
            ),
        ));
    }
    let known = |mark: &&Mark| {
        mark.commit == commit && workflow.states.contains_key(&mark.then.position.state)
    };
    let Some(mark) = run.marks.iter().find(known) else {
        let last = run.marks.last().map(|mark| mark.commit.as_str());
        return Err(Refusal::new(
            "rewind_unknown",
            format!("`{commit}` is no commit that this run can go back to"),
            match last {
                Some(last) => format!(
                    "name a record of its own commits (`proofhouse log RUN`), the last of which is {last}; to one that it has gone back from, `proofhouse fork RUN --at SEQ` leads"
                ),
                None => "it has none yet, or none since its exam was written".to_owned(),
            },
        ));
    };
    if let Some(path) = lost_document(run, mark) {
        return Err(Refusal::new(
            "rewind_document",
            format!("`{path}` was frozen then, is another by now, and git does not hold it"),
            "`proofhouse fork RUN --at SEQ` brings the task folder along as it was kept last by then",
        ));
    }
    let then = &mark.then.position;
    let mut counts = run.position.counts.clone();
    for (name, was) in &then.counts {
        let count = counts.entry(name.clone()).or_default();
        *count = (*count).max(*was);
    }
    Ok(Rewound {
        commit: commit.to_owned(),
        from: run.position.state.clone(),
        position: Position {
            state: then.state.clone(),
            slot: then.slot.clone(),
            counts,
            passes: 0,
            hold: None,
            autonomy: run.position.autonomy,
            stopped: false,
        },
        why: format!("{} said `{REWIND}`", decision.who),
    })
}

/// A document that was frozen then and has been changed since, in a task folder that no commit has. Of a section
/// that is frozen as it was then, what was changed is the rest of its document: an edit of it is taken from nobody.
fn lost_document<'a>(run: &FlowState, mark: &'a Mark) -> Option<&'a str> {
    let started = run.started.as_ref()?;
    if !started.task.starts_with(OF_THE_ENGINE) {
        return None;
    }
    let mut frozen = mark.then.frozen.values().flatten();
    frozen.find_map(|(item, hash)| {
        let (path, section) = item
            .split_once('#')
            .map_or((item.as_str(), false), |(path, _)| (path, true));
        let changed = path.starts_with("task/") && mark.changed.contains(path);
        let mut now = run.frozen.values().flatten();
        let stands = section && now.any(|now| now == (item, hash));
        (changed && !stands).then_some(path)
    })
}

/// It stands where it stood. The work follows with the next commit: first as it is, then as it was.
pub(super) fn rewound(run: &mut FlowState, workflow: &Workflow, back: &Rewound) {
    let Some(at) = run.marks.iter().position(|one| one.commit == back.commit) else {
        run.decision = None;
        run.position = back.position.clone();
        return;
    };
    let mark = run.marks[at].clone();
    let now = std::mem::replace(run, *mark.then);
    run.marks = now.marks;
    run.marks.truncate(at + 1);
    run.position = back.position.clone();
    run.last_why.clone_from(&back.why);
    let state = run.position.state.clone();
    // What is counted, known or declared.
    run.started = now.started;
    run.ledger = now.ledger;
    run.snapshots = now.snapshots;
    run.told = now.told;
    run.memory = now.memory;
    run.memory.report = None;
    run.memory.advice = None;
    run.created = now.created;
    run.updated = now.updated;
    run.risk = now.risk;
    run.changed_code |= now.changed_code;
    run.made.record_all(now.made);
    run.findings.given = run.findings.given.max(now.findings.given);
    run.record = Record {
        taken: now.record.taken,
        ..std::mem::take(&mut run.record)
    };
    // What a person wrote since is theirs.
    for name in &now.by_person {
        if let Some(value) = now.fields.get(name) {
            run.fields.insert(name.clone(), value.clone());
        }
    }
    run.by_person = now.by_person;
    run.fields_before = run.fields.clone();
    if workflow.rules > 1 {
        // What the run knows stays, under the header that holds from here on.
        run.snapshots
            .led_back(workflow.snapshot.as_ref(), &run.fields);
    }
    // The state is entered anew, and its gate has not spoken.
    run.moves = now.moves + 1;
    run.visits.insert(state.clone(), run.moves);
    run.gates.remove(&state);
    run.stage = Stage::Fresh;
    run.outcome = None;
    run.words.clear();
    run.judged = None;
    run.patience = Patience::default();
    run.idle.answered();
    run.alike = Alike::default();
    run.failures = 0;
    run.losses = 0;
    run.asked = None;
    run.gate_asks = false;
    run.sent_back = false;
    run.rejected = false;
    run.last_refusal = None;
    if let Some(said) = run.told.all().last().cloned() {
        run.note(said);
    }
    let started = run.started.as_ref();
    if started.is_some_and(|started| started.task.starts_with(OF_THE_ENGINE)) {
        run.note(DOCUMENTS_STAY.to_owned());
    }
    let mut paths = mark.changed;
    paths.extend(now.touched);
    run.touched = paths.clone();
    run.put_back = Some(PutBack {
        to: Some(mark.commit),
        paths,
    });
    run.checkpoint_due = Some(format!(
        "{}: the work that is gone back from",
        workflow.name
    ));
    run.checkpoint_of = None;
    run.revert_due = true;
    run.revert_failed = false;
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::built_in::built_in;
    use crate::load::load;
    use kernel::ledger::Flying;
    use kernel::{CounterName, EffectId, StateName, Time};
    use serde_json::json;

    /// A run in `implement` with a commit, and what has happened to it since.
    fn begun(workflow: &Workflow, task: &str) -> FlowState {
        let mut run = FlowState::blank(workflow);
        let started = json!({
            "run": "t", "workflow": "phase", "workflow_hash": "", "autonomy": "manual",
            "mode": {"pace": "flowing", "risk": "normal"},
            "task": task,
        });
        run.started = Some(serde_json::from_value(started).unwrap());
        run.position.state = StateName::from("implement");
        run.good_commit = Some("c1".to_owned());
        run.fields.insert("a".to_owned(), "then".to_owned());
        run.fields.insert("b".to_owned(), "then".to_owned());
        let items = [("task/SPEC.md".to_owned(), "h".to_owned())].into();
        run.frozen.insert("spec".to_owned(), items);
        mark(&mut run, workflow);
        run.position.state = StateName::from("review");
        run.position.counts.insert(CounterName::from("fixes"), 2);
        run.fields.insert("a".to_owned(), "now".to_owned());
        run.fields.insert("b".to_owned(), "a person's".to_owned());
        run.by_person.insert("b".to_owned());
        changed(&mut run, &["repo/a.rs".to_owned()]);
        run
    }

    fn asked(commit: &str) -> Decision {
        Decision {
            option: REWIND.to_owned(),
            because: "the shape was wrong".to_owned(),
            who: "ann".to_owned(),
            channel: "terminal".to_owned(),
            seen_seq: 9,
            tree: String::new(),
            with: json!({"record": 4, "commit": commit}),
            signature: None,
        }
    }

    fn refused(workflow: &Workflow, run: &FlowState, commit: &str) -> String {
        judged(workflow, run, &asked(commit)).unwrap_err().code
    }

    #[test]
    fn what_is_counted_and_what_a_person_wrote_stay_and_the_rest_is_as_it_was() {
        let source = built_in("phase").unwrap();
        let workflow = load(&source, &|_, _| Ok(())).unwrap();
        let mut run = begun(&workflow, "tasks/t");
        let back = judged(&workflow, &run, &asked("c1")).unwrap();
        assert_eq!(back.position.count(&CounterName::from("fixes")), 2);
        rewound(&mut run, &workflow, &back);
        assert_eq!(run.position.state.as_str(), "implement");
        assert_eq!(
            (&*run.fields["a"], &*run.fields["b"]),
            ("then", "a person's")
        );
        let back = run.put_back.clone().unwrap();
        assert_eq!(back.to.as_deref(), Some("c1"));
        assert_eq!(back.paths, ["repo/a.rs".to_owned()].into());
        assert!(run.revert_due && run.checkpoint_due.is_some());
    }

    #[test]
    fn what_cannot_be_gone_back_to_is_refused_by_name() {
        let source = built_in("phase").unwrap();
        let workflow = load(&source, &|_, _| Ok(())).unwrap();
        let run = begun(&workflow, "tasks/t");
        assert_eq!(refused(&workflow, &run, "c2"), "rewind_unknown");
        let mut over = run.clone();
        over.position.stopped = true;
        assert_eq!(refused(&workflow, &over, "c1"), "rewind_over");
        let mut flies = run.clone();
        let attempt = Flying {
            kind: kernel::effect::EffectKind::Attempt,
            began: Time(1),
            wall_millis: 1,
        };
        flies.ledger.flying.insert(EffectId(7), attempt);
        assert_eq!(refused(&workflow, &flies, "c1"), "rewind_in_flight");
        // An exam that was kept under seal since leaves nothing to go back to.
        let mut sat = run.clone();
        let sealed = json!({"hash": "h", "name": "e8 examine transcript", "sealed": true});
        spent(&mut sat, &[serde_json::from_value(sealed).unwrap()]);
        assert_eq!(refused(&workflow, &sat, "c1"), "rewind_unknown");
        // A frozen document that is another by now, where git holds it and where nothing does.
        let edited = ["task/SPEC.md".to_owned()];
        let mut in_git = run.clone();
        changed(&mut in_git, &edited);
        assert!(judged(&workflow, &in_git, &asked("c1")).is_ok());
        let mut nowhere = begun(&workflow, ".proofhouse/tasks/t");
        assert!(judged(&workflow, &nowhere, &asked("c1")).is_ok());
        changed(&mut nowhere, &edited);
        assert_eq!(refused(&workflow, &nowhere, "c1"), "rewind_document");
        // Of one of its sections that is frozen as it was, the rest was written.
        let section = [("task/SPEC.md#1 What".to_owned(), "h".to_owned())];
        let mut rest = nowhere.clone();
        let frozen: kernel::effect::Frozen = [("spec".to_owned(), section.into())].into();
        for mark in &mut rest.marks {
            mark.then.frozen = frozen.clone();
        }
        rest.frozen = frozen;
        assert!(judged(&workflow, &rest, &asked("c1")).is_ok());
        rest.frozen.clear();
        assert_eq!(refused(&workflow, &rest, "c1"), "rewind_document");
        // A workflow's own action of the name brings no commit.
        let mut own = asked("c1");
        own.with = serde_json::Value::Null;
        assert!(!is_meant(&own));
    }
}

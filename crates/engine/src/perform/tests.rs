//! What an attempt cost is counted however it ends: when the engine fails after it, and when it is
//! cancelled. The agent here is a function of ours, so that it can break the engine's own things.

use super::{Job, Judged, perform, recover};
use crate::context::Context;
use crate::error::EngineError;
use crate::project::Project;
use crate::start::{NewRun, start};
use agents::{Agent, Order, Reply};
use kernel::effect::Effect;
use kernel::{Class, Machine, Usage, What};
use sandbox::Cancel;
use serde_json::json;
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

const PAID: Usage = Usage {
    input_tokens: 11,
    cached_tokens: 0,
    output_tokens: 7,
    micro_dollars: 500,
};

struct Does<F>(F);

impl<F: Fn(&Path, &Cancel) -> Class + Send + Sync> Agent for Does<F> {
    fn name(&self) -> &str {
        "does"
    }

    fn run(&self, order: &Order, cancel: &Cancel, _: &dyn Fn(&str)) -> Reply {
        let class = (self.0)(&order.home, cancel);
        Reply {
            usage: PAID,
            result: (class == Class::Done).then(|| json!({ "summary": "s" })),
            ..Reply::bare(class, "as it was told")
        }
    }

    fn recover(&self, _: &Order) -> Option<Reply> {
        None
    }
}

/// The answer to the first attempt of a run whose agent does this.
fn attempt(does: impl Fn(&Path, &Cancel) -> Class + Send + Sync + 'static) -> What {
    attempt_then(does, |_| {}).unwrap()
}

/// The same; if it fails, `mend` gets the project's folder, and the next session recovers it.
fn attempt_then(
    does: impl Fn(&Path, &Cancel) -> Class + Send + Sync + 'static,
    mend: impl Fn(&Path),
) -> Result<What, EngineError> {
    let folder = tempfile::tempdir().unwrap();
    let repo = folder.path().join("repo");
    std::fs::create_dir(&repo).unwrap();
    std::fs::write(repo.join("code.txt"), "code\n").unwrap();
    crate::git::first_commit(&repo, "first").unwrap();
    let project = Project::find(&repo).unwrap();
    let asked = NewRun {
        workflow: "phase".to_owned(),
        dir: Some(repo.join("tasks/t")),
        commands: vec!["true".to_owned()],
        ..NewRun::default()
    };
    let name = start(&project, &asked).unwrap().run;
    let run = crate::run::Run::open(&project, &name).unwrap();
    let workflow = run.machine.workflow().clone();
    let agent: Arc<dyn Agent> = Arc::new(Does(does));
    let roles = workflow.roles.keys();
    let agents: BTreeMap<_, _> = roles.map(|role| (role.clone(), agent.clone())).collect();
    let started = run.machine.started().unwrap();
    let context = Context::of(&project, &workflow, started, agents).unwrap();
    let wanted = run.machine.wanted();
    assert!(matches!(wanted[0], Effect::Attempt(_)));
    let job = Job {
        effect: wanted[0].clone(),
        judged: Judged::default(),
        head: run.journal.head().clone(),
    };
    let live = perform(&context, &job, &Cancel::new(), &|_| {});
    if live.is_ok() {
        return live;
    }
    mend(&repo.join(".proofhouse"));
    recover(&context, &job.effect).map(|found| found.expect("a cost that was kept"))
}

#[test]
fn what_was_paid_is_counted_when_the_engine_fails_afterwards() {
    let spoil = |home: &Path, _: &Cancel| {
        // Nothing can be kept any more: a file stands where the vault's folder was.
        let proofhouse = home.ancestors().nth(3).unwrap();
        let vault = proofhouse.join("evidence");
        assert!(vault.is_dir(), "{}", vault.display());
        std::fs::rename(&vault, proofhouse.join("moved")).unwrap();
        std::fs::write(&vault, "").unwrap();
        Class::Done
    };
    let answer = attempt_then(spoil, |proofhouse| {
        std::fs::remove_file(proofhouse.join("evidence")).unwrap();
        std::fs::rename(proofhouse.join("moved"), proofhouse.join("evidence")).unwrap();
    });
    let Ok(What::Lost { usage, .. }) = answer else {
        panic!("{answer:?}")
    };
    assert_eq!(usage, PAID);
}

#[test]
fn what_was_paid_is_counted_when_an_attempt_is_cancelled() {
    let answer = attempt(|_, cancel| {
        cancel.cancel();
        Class::Killed
    });
    let What::Lost { usage, .. } = answer else {
        panic!("{answer:?}")
    };
    assert_eq!(usage, PAID);
}

#[test]
fn an_attempt_that_had_ended_before_its_cancel_counts() {
    let answer = attempt(|_, cancel| {
        cancel.cancel();
        Class::Done
    });
    let What::AttemptEnded { outcome, .. } = answer else {
        panic!("{answer:?}")
    };
    assert_eq!((outcome.class, outcome.usage), (Class::Done, PAID));
}

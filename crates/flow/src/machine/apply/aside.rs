//! Work that is set aside while something before it is mended, and taken back after. It is committed
//! before a file of it goes, so that it is never anywhere else than in the repository or on the ref.

use crate::machine::state::{Aside, FlowState, PutBack};
use crate::workflow::{After, Workflow, labelled};
use kernel::Decision;
use std::collections::BTreeSet;

/// More paths than this are set aside by nobody.
const MOST_PATHS: usize = 10_000;

/// An attempt ended well and changed these: noted where such work may be set aside.
pub(super) fn worked(run: &mut FlowState, workflow: &Workflow, changed: &[String]) {
    let state = &run.position.state;
    let mut asides = workflow
        .after
        .iter()
        .filter_map(|after| after.aside.as_ref());
    if !asides.any(|aside| aside.of == *state) {
        return;
    }
    let paths = run.worked.entry(state.clone()).or_default();
    let left = MOST_PATHS.saturating_sub(paths.len());
    let in_repo = changed.iter().filter(|path| path.starts_with("repo/"));
    paths.extend(in_repo.take(left).cloned());
}

/// The files that a person has named, where nothing leads out of the repository.
fn named(decision: &Decision, label: &str) -> Option<BTreeSet<String>> {
    let list = labelled(&decision.because, label)?;
    let inside = |path: &&str| {
        let mut parts = path.split('/');
        !path.is_empty() && parts.all(|part| !part.is_empty() && part != "." && part != "..")
    };
    let paths = list.split(',').map(|path| path.trim().trim_matches('`'));
    let paths: BTreeSet<String> = paths
        .filter(inside)
        .map(|path| format!("repo/{path}"))
        .collect();
    (!paths.is_empty()).then_some(paths)
}

/// A way was taken: what it sets aside is committed first, what it takes back comes back, and what a
/// person opened is named in its field until then.
pub(super) fn taken(
    run: &mut FlowState,
    workflow: &Workflow,
    after: &After,
    decision: Option<&Decision>,
) {
    if let Some(opens) = &after.opens
        && let Some(named) = decision.and_then(|one| opens.named(&one.because))
    {
        run.opened.insert(opens.field.clone(), named);
    }
    if after.takes_back {
        run.opened.clear();
    }
    // Nothing of it has gone yet, and nobody will ask for it.
    if run
        .aside
        .as_ref()
        .is_some_and(|aside| aside.commit.is_none())
    {
        run.aside = None;
    }
    let goes = after.aside.as_ref().and_then(|aside| {
        let paths = match &aside.named {
            None => run.worked.get(&aside.of).cloned().unwrap_or_default(),
            Some(label) => named(decision?, label)?,
        };
        Some((aside, paths))
    });
    if let Some((aside, paths)) = goes {
        run.aside = Some(Aside {
            paths,
            commit: None,
            back_to: run.commits.get(&aside.back_to).cloned(),
        });
        let subject = format!("{}: the work of {} is set aside", workflow.name, aside.of);
        run.checkpoint_due = Some(subject);
        run.checkpoint_of = None;
    }
    if after.takes_back
        && let Some(aside) = run.aside.take()
        && aside.commit.is_some()
    {
        run.put_back = Some(PutBack {
            to: aside.commit,
            paths: aside.paths,
        });
        run.checkpoint_due = Some(format!("{}: what was set aside comes back", workflow.name));
        run.checkpoint_of = None;
        run.revert_due = true;
    }
}

/// A checkpoint is made: if it holds what is set aside, that goes now.
pub(super) fn committed(run: &mut FlowState, workflow: &Workflow, commit: Option<&String>) {
    let Some(aside) = run.aside.as_mut().filter(|aside| aside.commit.is_none()) else {
        return;
    };
    aside.commit = commit.cloned();
    if aside.paths.is_empty() {
        return;
    }
    run.put_back = Some(PutBack {
        to: aside.back_to.clone(),
        paths: aside.paths.clone(),
    });
    run.checkpoint_due = Some(format!("{}: without what is set aside", workflow.name));
    run.revert_due = true;
}

//! What users see of a task, held by the gates of `phase` themselves: a feature that is called real has
//! something to show for it, and one that nobody knows is not done.

use crate::lights_out::documents::{Nowhere, wrong};
use checks::{Place, Subject, TreeNow, run_gate};
use flow::{built_in, load};
use kernel::effect::CheckSpec;
use std::collections::BTreeMap;
use std::time::Duration;

/// What the gate of this state says of a feature with this label and these scenarios.
fn judged(state: &str, label: &str, scenarios: &str) -> String {
    let lint = |name: &str, with: &_| checks::lint(name, with).map_err(|why| why.to_string());
    let workflow = load(&built_in("phase").unwrap(), &lint).unwrap();
    let labels = |spec: &&CheckSpec| spec.check == "feature_labels";
    let specs: Vec<CheckSpec> = workflow.states[state]
        .gate
        .iter()
        .filter(labels)
        .cloned()
        .collect();
    assert_eq!(specs.len(), 1, "{state}");
    let folder = tempfile::tempdir().unwrap();
    let task = folder.path().join("task");
    std::fs::create_dir_all(task.join("artifacts")).unwrap();
    let features = format!("## Visible features\n- Greeting: {label}\n");
    let evidence = format!("## Scenarios\n{scenarios}\n");
    for (path, text) in [
        ("STATE.md", features.as_str()),
        ("EVIDENCE.md", &evidence),
        ("artifacts/run.txt", "hello Ada\n"),
    ] {
        std::fs::write(task.join(path), text).unwrap();
    }
    let repo = folder.path().join("repo");
    std::fs::create_dir(&repo).unwrap();
    let place = Place {
        repo: &repo,
        installed: &repo,
        task: &task,
        views: checks::Views::default(),
    };
    let fields = BTreeMap::from([("User facing".to_owned(), "yes".to_owned())]);
    let now = TreeNow {
        hash: String::new(),
        files: BTreeMap::new(),
    };
    let (cancel, tree) = (sandbox::Cancel::new(), || Ok(now.clone()));
    let subject = Subject {
        fields: &fields,
        ..Subject::new(place, Duration::from_secs(60), &cancel, &Nowhere, &tree)
    };
    wrong(&run_gate(&specs, &subject))
}

#[test]
fn a_feature_is_done_when_something_shows_it_and_not_while_nobody_knows() {
    let shown = "- Greeting: greeted Ada and saw it in `artifacts/run.txt`";
    for state in ["verify", "review"] {
        assert_eq!(judged(state, "real_working", shown), "", "{state}");
        assert_eq!(judged(state, "blocked_hidden", "none"), "", "{state}");
        for scenarios in ["none", "- Greeting: greeted Ada, see `artifacts/none.txt`"] {
            let said = judged(state, "real_working", scenarios);
            assert!(said.contains("Greeting"), "{state}: {scenarios}: {said}");
        }
        let said = judged(state, "nearly", shown);
        assert!(said.contains("nearly"), "{state}: {said}");
    }
    // It may still be found out while it is verified; then it is known, or it is not done.
    assert_eq!(judged("verify", "unknown_do_not_show", "none"), "");
    let said = judged("review", "unknown_do_not_show", "none");
    assert!(said.contains("unknown_do_not_show"), "{said}");
}

//! The environment that a working program gets: the base, the order's own, then ours.
//!
//! A scripted agent's `run` steps get the same as a `command` agent, so that what a script shows
//! holds for real programs. No order overrides `PROOFHOUSE_*`.

use crate::agent::Order;
use crate::home::Home;
use sandbox::Launch;
use std::collections::BTreeMap;
use std::path::Path;

/// The complete environment of the attempt.
pub(crate) fn environment(order: &Order) -> BTreeMap<String, String> {
    let home = Home::of(order);
    let mut env: BTreeMap<String, String> = sandbox::base_env();
    env.extend(order.env.clone());
    let ours = [
        ("PROOFHOUSE_BRIEF", text(&home.brief())),
        ("PROOFHOUSE_RESULT", text(&home.result())),
        ("PROOFHOUSE_VIEW", text(&order.view)),
        ("PROOFHOUSE_REPO_DIR", text(&order.view.join("repo"))),
        ("PROOFHOUSE_TASK_DIR", text(&order.view.join("task"))),
        ("PROOFHOUSE_RUN", order.run.clone()),
        ("PROOFHOUSE_STATE", order.state.clone()),
        ("PROOFHOUSE_ROLE", order.role.clone()),
        ("PROOFHOUSE_ATTEMPT", order.nth.to_string()),
    ];
    env.extend(ours.map(|(name, value)| (name.to_owned(), value)));
    env
}

fn text(path: &Path) -> String {
    path.to_string_lossy().into_owned()
}

/// The values of the launch that are keys by their names.
pub(crate) fn secrets(launch: &Launch) -> Vec<&str> {
    let is_secret = |name: &str| {
        ["KEY", "TOKEN", "SECRET"]
            .iter()
            .any(|end| name.ends_with(end))
    };
    let named = launch.env.iter().filter(|(name, _)| is_secret(name));
    named.map(|(_, value)| value.as_str()).collect()
}

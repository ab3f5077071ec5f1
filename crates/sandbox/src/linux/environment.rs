//! The environment inside: what the policy lets through, a home and a temporary folder that are
//! there, and the way to the proxy. No folder is named that the process cannot reach.

use super::Root;
use crate::{Launch, Policy};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// Toolchains that are looked for in the home unless a variable says where they are.
const IN_HOME: [(&str, &str); 2] = [("CARGO_HOME", ".cargo"), ("RUSTUP_HOME", ".rustup")];

/// What the program gets. `port` is the proxy's.
pub(super) fn inside(
    launch: &Launch,
    policy: &Policy,
    root: Root,
    fresh_home: Option<PathBuf>,
    port: Option<u16>,
) -> BTreeMap<String, String> {
    let mut env = launch.env.clone();
    for (name, folder) in IN_HOME {
        let there = env.get("HOME").map(|home| Path::new(home).join(folder));
        // Its home is about to move; a root that it may read stays where it is.
        if let Some(there) = there.filter(|path| reachable(policy, path)) {
            let there = there.display().to_string();
            env.entry(name.into()).or_insert(there);
        }
    }
    if let Some(names) = &policy.environment {
        env.retain(|name, _| names.contains(name));
    }
    let writable = policy.write.iter().find(|root| root.is_dir()).cloned();
    let home = policy.home.clone().or(fresh_home).or(writable);
    let temporary = match root {
        Root::Own => Some(PathBuf::from("/tmp")),
        Root::Shared => home.clone(),
    };
    for (name, path) in [("HOME", home), ("TMPDIR", temporary)] {
        match path {
            Some(path) => env.insert(name.into(), path.display().to_string()),
            None => env.remove(name),
        };
    }
    if let Some(port) = port {
        for name in ["HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"] {
            let address = format!("http://127.0.0.1:{port}");
            env.insert(name.to_lowercase(), address.clone());
            env.insert(name.into(), address);
        }
        // No exceptions: a test server on our own loopback is reached through the proxy as well.
        env.insert("NO_PROXY".into(), String::new());
        env.insert("no_proxy".into(), String::new());
    }
    env
}

fn reachable(policy: &Policy, path: &Path) -> bool {
    let mut roots = policy.read.iter().chain(&policy.write);
    path.is_dir() && roots.any(|root| path.starts_with(root))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Limits;
    use std::time::Duration;

    #[test]
    fn a_toolchain_in_the_old_home_is_named_only_if_it_can_be_reached() {
        let home = tempfile::tempdir().unwrap();
        let cargo = home.path().join(".cargo");
        std::fs::create_dir(&cargo).unwrap();
        let env = [("HOME".to_string(), home.path().display().to_string())].into();
        let limits = Limits {
            wall: Duration::from_secs(1),
            idle: None,
            output_bytes: 1,
        };
        let launch = Launch::new(vec!["x".into()], "/", env, limits);
        let with = |read: Vec<PathBuf>| {
            let policy = Policy::confined(read, [] as [PathBuf; 0]);
            let fresh = Some(PathBuf::from("/tmp/home"));
            inside(&launch, &policy, Root::Own, fresh, Some(9))
        };
        let env = with(vec![cargo.clone()]);
        assert_eq!(env["CARGO_HOME"], cargo.display().to_string());
        assert_eq!(
            (env["HOME"].as_str(), env["TMPDIR"].as_str()),
            ("/tmp/home", "/tmp")
        );
        assert_eq!(env["https_proxy"], "http://127.0.0.1:9");
        assert!(!env.contains_key("RUSTUP_HOME"));
        assert!(!with(Vec::new()).contains_key("CARGO_HOME"));
    }
}

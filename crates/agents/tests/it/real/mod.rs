//! The real coding agents, opt-in (`--features real-agents`): each makes one edit, runs one
//! command, goes on in a view that has moved, is kept from editing, meets a wrong key, and is held
//! to the table of connectors and scenarios.
//!
//! No agent runs outside a network namespace that has loopback only: the test starts itself
//! again inside one, and the inner half refuses to go on if it sees any other interface.

mod cast;
mod install;
mod work;

use std::fs;
use std::path::Path;
use std::process::Command;

const INSIDE: &str = "PROOFHOUSE_REAL_AGENTS_INSIDE";

/// Runs `check` inside a namespace with loopback only.
fn isolated(test: &str, check: impl FnOnce(&Path)) {
    let agents = install::folder();
    if std::env::var_os(INSIDE).is_some() {
        let devices = fs::read_to_string("/proc/net/dev").expect("the network devices");
        let others = devices
            .lines()
            .skip(2)
            .filter(|line| !line.trim().starts_with("lo:"));
        assert_eq!(others.count(), 0, "not alone:\n{devices}");
        return check(&agents);
    }
    install::install(&agents);
    let flags = match is_root() {
        true => "-n",
        false => "-rn",
    };
    let status = Command::new("unshare")
        .args([flags, "sh", "-c", "ip link set lo up && exec \"$@\"", "sh"])
        .arg(std::env::current_exe().expect("this test"))
        .args([&format!("real::{test}"), "--exact", "--nocapture"])
        .env(INSIDE, "1")
        .status()
        .expect("unshare");
    assert!(status.success(), "{test} failed in its namespace");
}

fn is_root() -> bool {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let uid = status.lines().find_map(|line| line.strip_prefix("Uid:"));
    uid.is_some_and(|uid| uid.split_whitespace().nth(1) == Some("0"))
}

macro_rules! drives {
    ($($test:ident, $table:ident: $agent:expr;)*) => {$(
        #[test]
        fn $test() {
            isolated(stringify!($test), |agents| work::all($agent, agents));
        }

        #[test]
        fn $table() {
            isolated(stringify!($table), |agents| work::meets_the_table($agent, agents));
        }
    )*};
}

drives! {
    claude, claude_meets_the_table: cast::Real::Claude;
    codex, codex_meets_the_table: cast::Real::Codex;
    codex_app, codex_app_meets_the_table: cast::Real::CodexApp;
    gemini, gemini_meets_the_table: cast::Real::Gemini;
    opencode, opencode_meets_the_table: cast::Real::Opencode;
    pi, pi_meets_the_table: cast::Real::Pi;
    acp, acp_meets_the_table: cast::Real::Acp;
}

//! All roles of the factory, played by whatever agent is named, on a SPEC.md that no test and no demo knows.
//! Opt-in, since it costs what the agent costs:
//!
//! ```sh
//! PROOFHOUSE_TRIAL_AGENT='command:my-agent' PROOFHOUSE_TRIAL_PASS=MY_KEY \
//!     cargo test -p proofhouse --test it factory_trial -- --nocapture
//! ```
//!
//! The test signs for the person, who approves the first complete spec and answers nothing else: what waits for
//! more is told, and has failed. What comes out is asked what stands in no case of its spec.

use crate::support::{Said, World};
use std::io::Write;
use std::process::{Command, Stdio};

const SPEC: &str = include_str!("../data/trial/SPEC.md");

/// What is read, and what is printed; none: it is refused, and this is said.
const ASKED: [(&str, Result<&str, &str>); 4] = [
    ("Ravens 2 - 1 Otters\n", Ok("1 Ravens 3\n2 Otters 0")),
    (
        "Owls 0 - 0 Bears\n\nBears 1 - 4 Foxes\nOwls 2 - 2 Foxes\n",
        Ok("1 Foxes 4\n2 Owls 2\n3 Bears 1"),
    ),
    ("Ants 1 - 0 Bees\nBees two - 1 Ants\n", Err("BadLine")),
    ("\n\n", Err("NoMatches")),
];

#[test]
fn a_named_agent_takes_a_spec_that_nobody_knows_to_a_product() {
    let Ok(agent) = std::env::var("PROOFHOUSE_TRIAL_AGENT") else {
        eprintln!(
            "skipped: this trial needs PROOFHOUSE_TRIAL_AGENT, the agent that plays all roles"
        );
        return;
    };
    let pass = std::env::var("PROOFHOUSE_TRIAL_PASS").unwrap_or_default();
    let passed = |name: &str| Some((name.to_owned(), std::env::var(name).ok()?));
    let passed: Vec<_> = pass.split(',').filter_map(passed).collect();
    let world = World::new();
    world.write("SPEC.md", SPEC);
    world.write(".gitignore", "agent/\n");
    let key = world.approver("ann").display().to_string();
    let says = |args: &[&str]| -> Said {
        let mut command = world.command(args);
        command.envs(passed.iter().map(|(name, value)| (name, value)));
        let said: Said = command.output().unwrap().into();
        println!("$ proofhouse {}\n{}{}", args.join(" "), said.out, said.err);
        said
    };
    says(&[
        "factory", "new", "SPEC.md", "--name", "p", "--agent", &agent,
    ])
    .exits(0);
    says(&["factory", "run", "p"]).exits(2);
    says(&["factory", "review", "p"]).exits(0);
    says(&["factory", "approve", "p", "--sign", &key]).exits(0);
    let run = says(&["factory", "run", "p"]);
    says(&["factory", "status", "p"]).exits(0);
    says(&["factory", "cost"]).exits(0);
    if run.code != 0 {
        says(&["inbox"]);
    }
    run.exits(0);
    says(&["audit", "p", "--ci"]).exits(0);
    says(&["factory", "export", "agent/out"]).exits(0);
    for (given, wanted) in ASKED {
        let mut command = Command::new("python3");
        command
            .args(["-B", "-m", "standings"])
            .current_dir(world.at("agent/out"));
        let pipes = command.stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = pipes.stderr(Stdio::piped()).spawn().unwrap();
        child
            .stdin
            .take()
            .unwrap()
            .write_all(given.as_bytes())
            .unwrap();
        let output = child.wait_with_output().unwrap();
        let printed = String::from_utf8_lossy(&output.stdout).into_owned();
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        match wanted {
            Ok(wanted) => assert_eq!(printed.trim_end(), wanted, "{given}: {said}"),
            Err(why) => assert!(
                !output.status.success() && said.contains(why),
                "{given}: {said}"
            ),
        }
    }
}

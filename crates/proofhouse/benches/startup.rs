//! How long the binary takes to start and to answer, against a program that does nothing, in one
//! run. Run with `cargo bench -p proofhouse --bench startup`.
//!
//! Target: under 15 ms for `--version`. On a machine that is busy with something else, look at the
//! least time and at what the empty program takes.

use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

const ROUNDS: usize = 101;
const GOAL: Duration = Duration::from_millis(15);

fn main() {
    // `cargo test --all-targets` starts benches too, without this argument.
    if !std::env::args().any(|argument| argument == "--bench") {
        return;
    }
    let folder = tempfile::tempdir().expect("a temporary folder");
    let proofhouse = env!("CARGO_BIN_EXE_proofhouse");
    let once = |program: &str, args: &[&str]| {
        let mut command = Command::new(program);
        command.args(args).current_dir(folder.path());
        command.stdout(Stdio::null()).stderr(Stdio::null());
        let began = Instant::now();
        let status = command.status().expect("a program that starts");
        assert!(status.success(), "{program} {args:?}: {status}");
        began.elapsed()
    };
    once("git", &["init", "--quiet"]);
    let commands: [(&str, &str, &[&str]); 5] = [
        ("an empty program", "true", &[]),
        ("proofhouse --version", proofhouse, &["--version"]),
        ("proofhouse --help", proofhouse, &["--help"]),
        (
            "proofhouse workflow list",
            proofhouse,
            &["workflow", "list"],
        ),
        ("proofhouse config show", proofhouse, &["config", "show"]),
    ];
    let mut times = commands.map(|_| Vec::new());
    // In turn, so that whatever else the machine does hits all of them alike.
    for _ in 0..ROUNDS {
        for ((_, program, args), times) in commands.iter().zip(&mut times) {
            times.push(once(program, args));
        }
    }
    for ((name, ..), times) in commands.iter().zip(&mut times) {
        times.sort();
        let (least, median, late) = (times[0], times[ROUNDS / 2], times[ROUNDS * 95 / 100]);
        println!("{name}: median {median:.1?}, least {least:.1?}, 95 of 100 within {late:.1?}");
    }
    let (median, least) = (times[1][ROUNDS / 2], times[1][0]);
    let verdict = match (median < GOAL, least < GOAL) {
        (true, _) => "met",
        (false, true) => "met by the least time only",
        (false, false) => "missed",
    };
    println!("goal, `--version` under {GOAL:?}: {verdict}");
}

//! How long judging a spec of 10,000 tasks and 6 MB takes, and how much memory, beside a plain
//! parse into `serde_json::Value` in the same run. Run with `cargo bench -p factory --bench spec`.
//!
//! Targets: at most 40 ms, at most 3 times the file in memory (the file included).

use serde_json::{Value, json};
use std::hint::black_box;
use std::sync::OnceLock;
use std::time::{Duration, Instant};

const TASKS: usize = 10_000;
const ROUNDS: usize = 21;

fn main() {
    // The measure of memory is a process of its own: in this one, what made the spec is still
    // around and would hide it.
    let mut args = std::env::args().skip(1);
    if let (Some("--measure"), Some(file)) = (args.next().as_deref(), args.next()) {
        return measure(&file);
    }
    let folder = std::env::temp_dir().join(format!("factory-bench-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a temporary folder");
    let file = folder.join("spec.json");
    let bytes = serde_json::to_vec(&spec()).expect("a spec");
    std::fs::write(&file, &bytes).expect("a file");
    println!("spec: {TASKS} tasks, {:.2} MB", bytes.len() as f64 / 1e6);
    let itself = std::env::current_exe().expect("this program");
    let measured = std::process::Command::new(itself)
        .arg("--measure")
        .arg(&file)
        .status();
    let _ = std::fs::remove_dir_all(&folder);
    assert!(measured.is_ok_and(|status| status.success()));

    let validate = median(|| {
        black_box(factory::spec::validate(black_box(&bytes)));
    });
    let scan = median(|| {
        black_box(kernel::json::Document::parse(black_box(&bytes)).expect("JSON"));
    });
    let plain = median(|| {
        black_box(serde_json::from_slice::<Value>(black_box(&bytes)).expect("JSON"));
    });
    let (spec, _) = factory::spec::read(&bytes).expect("a whole spec");
    let plan = median(|| {
        black_box(
            factory::plan::task_files(black_box(&spec), 3, &factory::plan::Known::default())
                .expect("a plan"),
        );
    });
    let show = |name: &str, time: Duration| {
        let ratio = time.as_secs_f64() / plain.as_secs_f64();
        println!(
            "{name:<28} {:>8.2} ms   {ratio:>5.2} of a plain parse",
            time.as_secs_f64() * 1e3
        );
    };
    show("validate", validate);
    show("of that, reading JSON", scan);
    show("serde_json::Value", plain);
    show("plan and 10,000 task files", plan);
}

/// Reads and judges the file, and says how much memory that took at most.
fn measure(file: &str) {
    let start = kilobytes("VmRSS:");
    let bytes = std::fs::read(file).expect("the file");
    let report = factory::spec::validate(&bytes);
    let peak = kilobytes("VmHWM:").saturating_sub(start) as f64 * 1024.0;
    assert!(report.passes(), "{:?}", report.errors.first());
    println!(
        "memory: {:.2} MB at most, {:.2} times the file, {} warnings",
        peak / 1e6,
        peak / bytes.len() as f64,
        report.warnings.len()
    );
}

fn median(mut work: impl FnMut()) -> Duration {
    let mut times: Vec<Duration> = (0..ROUNDS)
        .map(|_| {
            let start = on_core();
            work();
            on_core().saturating_sub(start)
        })
        .collect();
    times.sort();
    times[ROUNDS / 2]
}

/// The time that this thread has spent on a core, so that a busy machine does not count. Where the
/// system does not say, the clock must do.
fn on_core() -> Duration {
    static START: OnceLock<Instant> = OnceLock::new();
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").unwrap_or_default();
    let nanos = text.split(' ').next().and_then(|word| word.parse().ok());
    let clock = START.get_or_init(Instant::now).elapsed();
    nanos.map_or(clock, Duration::from_nanos)
}

fn kilobytes(name: &str) -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix(name));
    line.and_then(|line| line.split_whitespace().next()?.parse().ok())
        .unwrap_or(0)
}

fn spec() -> Value {
    let mut number = 0;
    let pillars: Vec<Value> = (0..10).map(|n| pillar(n, &mut number)).collect();
    assert_eq!(number, TASKS);
    json!({
        "spec_id": "SPEC-001", "spec_version": "1.0.0", "title": "A large product",
        "description": "A product of ten thousand tasks, to see how it goes",
        "created_at": "2026-11-15T02:25:27Z", "updated_at": "2026-11-15T02:25:27Z",
        "pillars": pillars
    })
}

fn pillar(p: usize, number: &mut usize) -> Value {
    let epics: Vec<Value> = (0..10)
        .map(|e| {
            let stories: Vec<Value> = (0..10)
                .map(|s| {
                    let tasks: Vec<Value> = (0..10).map(|_| task(number)).collect();
                    json!({
                        "story_id": format!("STR-{p}{e}{s}"), "name": format!("Story {s} of epic {e}"),
                        "description": "A user sees what belongs to this part of the product",
                        "user_facing_behavior": "The part is shown", "tasks": tasks
                    })
                })
                .collect();
            json!({
                "epic_id": format!("EPC-{p}{e}0"), "name": format!("Epic {e}"),
                "description": "A capability that many users have asked for",
                "success_criteria": ["nine of ten users find it at once"], "stories": stories
            })
        })
        .collect();
    json!({
        "pillar_id": format!("PIL-{p:03}"), "name": format!("Pillar {p}"),
        "description": "A theme that many capabilities share", "rationale": "Users need it", "epics": epics
    })
}

fn task(number: &mut usize) -> Value {
    *number += 1;
    let n = *number;
    let depends_on: Vec<String> = [n / 2, n.saturating_sub(3)]
        .into_iter()
        .filter(|d| *d > 0 && *d < n)
        .map(|d| format!("TSK-{d:05}"))
        .collect();
    json!({
        "task_id": format!("TSK-{n:05}"), "name": format!("Parse lines of kind {n}"),
        "description": "Parses one line of the log into its parts",
        "subtasks": ["Split the line at blanks", "Turn the first part into a moment"],
        "acceptance_criteria": ["returns the moment and the text", "rejects a line without a moment"],
        "depends_on": depends_on,
        "io_contract_sketch": {
            "inputs": "line: non-empty string", "outputs": "moment and text",
            "error_surfaces": "MalformedLine without a moment", "effects": "none; it is pure",
            "modes": "sync, it only computes"
        }
    })
}

//! How many contracts of 2 kB are fingerprinted in a second on one core. Run with
//! `cargo bench -p factory --bench fingerprint`.
//!
//! Target: 80,000 a second from the text.

use factory::contract::{Fingerprint, MicroModuleContract, Surface};
use serde_json::json;
use std::hint::black_box;
use std::sync::OnceLock;
use std::time::Instant;

fn main() {
    let text = contract();
    let bytes = text.as_bytes();
    let typed: MicroModuleContract = serde_json::from_slice(bytes).expect("a contract");
    println!("contract: {} bytes", bytes.len());
    rate("text, as the command does", || {
        let surface = factory::schema::parse_surface(black_box(bytes)).expect("a surface");
        black_box(Fingerprint::of(surface.surface()));
    });
    rate("text, the whole contract", || {
        let contract: MicroModuleContract =
            serde_json::from_slice(black_box(bytes)).expect("a contract");
        black_box(contract.fingerprint());
    });
    rate("in memory", || {
        black_box(black_box(&typed).fingerprint());
    });
    let surface: Surface = serde_json::from_slice(bytes).expect("a surface");
    rate("in memory, serde_json_canonicalizer, no hash", || {
        black_box(serde_json_canonicalizer::to_vec(black_box(&surface)).expect("canonical"));
    });
}

/// The best of five slices: other work on the machine only ever slows one down.
fn rate(name: &str, mut work: impl FnMut()) {
    let mut best = 0.0_f64;
    for _ in 0..5 {
        const CALLS: u32 = 5_000;
        let start = on_core();
        for _ in 0..CALLS {
            work();
        }
        best = best.max(f64::from(CALLS) / (on_core() - start));
    }
    println!("{name:<46} {best:>10.0} a second");
}

/// Seconds that this thread has spent on a core, so that a busy machine does not count. Where the
/// system does not say, the clock must do.
fn on_core() -> f64 {
    static START: OnceLock<Instant> = OnceLock::new();
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").unwrap_or_default();
    let nanos: Option<f64> = text.split(' ').next().and_then(|word| word.parse().ok());
    let clock = START.get_or_init(Instant::now).elapsed().as_secs_f64();
    nanos.map_or(clock, |nanos| nanos / 1e9)
}

fn contract() -> String {
    let inputs: Vec<_> = (0..4)
        .map(|n| json!({"name": format!("input_{n}"), "type": "string", "constraints": ["non-empty", "at most 1000 characters", "no control characters"]}))
        .collect();
    let outputs: Vec<_> = (0..3)
        .map(|n| json!({"name": format!("output_{n}"), "type": "list of strings", "invariants": ["always sorted ascending", "no string twice"]}))
        .collect();
    let errors: Vec<_> = (0..4)
        .map(|n| json!({"name": format!("Error{n}"), "when": "the input is longer than it may be", "surface": "exception"}))
        .collect();
    let contract = json!({
        "module_id": "MM-0001", "module_version": "1.0.0", "name": "sorter",
        "purpose": "Sorts lists of strings and drops those that are there twice", "tags": ["text", "lists"],
        "inputs": inputs, "outputs": outputs, "error_surfaces": errors,
        "effects": [{"type": "WRITE", "target": "the log", "description": "one line for each call"}],
        "modes": {"sync": true, "async": false, "notes": "it only computes"},
        "error_cases": ["an empty list", "a list of one string", "a list of equal strings"],
        "dependencies": [{"ref": "MM-0002@^1.0.0", "why": "to compare strings"}],
        "compatibility": {"backward_compatible_with": [], "breaking_change_policy": "a new major version"},
        "runtime_budgets": {"latency_ms_p95": 1.5, "memory_mb_max": 64.0}
    });
    contract.to_string()
}

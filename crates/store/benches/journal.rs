//! How fast the journal is on this machine, as a plain program: the figures are a handful of long
//! runs, which a statistics harness would only repeat. Run with `cargo bench -p store`.
//!
//! Targets: replay at least 500,000 events/s, append at least 70 % of the disk's own sync rate,
//! memory that does not grow with the journal.

use kernel::Time;
use serde_json::json;
use std::fs::{self, File};
use std::io::Write;
use std::path::Path;
use std::time::{Duration, Instant};
use store::{Audit, Entry, Journal, Replay, RunName, audit};

fn main() {
    // `cargo test --all-targets` starts benches too, without this argument.
    if !std::env::args().any(|argument| argument == "--bench") {
        return;
    }
    let dir = tempfile::tempdir().expect("a temporary folder");
    for batch in [1, 16] {
        append(dir.path(), batch);
    }
    let (small, large) = (100_000, 1_000_000);
    for count in [small, large] {
        generate(dir.path(), count);
    }
    let before = replay(dir.path(), small);
    let after = replay(dir.path(), large);
    println!("peak memory: {before} kB at {small} events, {after} kB at {large}");
    for count in [small, large] {
        audit_all(dir.path(), count);
    }
}

fn entry(n: u64) -> Entry {
    Entry {
        at: Time(1_794_709_527_000 + n),
        kind: "moved.v1".into(),
        body: json!({"action": "verify_passed", "from": "verify", "to": "review", "effect": n}),
    }
}

fn entries(from: u64, count: u64) -> Vec<Entry> {
    (from + 1..=from + count).map(entry).collect()
}

fn name(count: u64) -> RunName {
    RunName::new(&format!("run-{count}")).expect("a good name")
}

/// The journal and a plain file take turns, so that both meet the same moods of the disk.
fn append(dir: &Path, batch: u64) {
    const ROUNDS: u64 = 1_000;
    let run = RunName::new(&format!("append-{batch}")).expect("a good name");
    let mut journal = Journal::create(dir, &run).expect("a new journal");
    let path = dir.join(format!("plain-{batch}"));
    let mut plain = File::options()
        .create_new(true)
        .append(true)
        .open(path)
        .expect("a new file");
    let (mut ours, mut theirs) = (Vec::new(), Vec::new());
    for round in 0..ROUNDS {
        let events = entries(round * batch, batch);
        let before = fs::metadata(dir.join(format!("{run}.jsonl")))
            .expect("the journal")
            .len();
        let start = Instant::now();
        journal.append(round * batch, &events).expect("an append");
        ours.push(start.elapsed());
        let after = fs::metadata(dir.join(format!("{run}.jsonl")))
            .expect("the journal")
            .len();
        let bytes = vec![b'x'; (after - before) as usize];
        let start = Instant::now();
        plain.write_all(&bytes).expect("a write");
        plain.sync_data().expect("a sync");
        theirs.push(start.elapsed());
    }
    let rate =
        |times: &[Duration]| times.len() as f64 / times.iter().sum::<Duration>().as_secs_f64();
    let median = |times: &mut Vec<Duration>| {
        times.sort();
        times[times.len() / 2]
    };
    let (our_rate, their_rate) = (rate(&ours), rate(&theirs));
    println!(
        "append of {batch}: {our_rate:.0} appends/s, {:.0} events/s; plain write and sync {their_rate:.0}/s; ratio {:.0} % (medians {:?} and {:?})",
        our_rate * batch as f64,
        our_rate / their_rate * 100.0,
        median(&mut ours),
        median(&mut theirs),
    );
}

fn generate(dir: &Path, count: u64) {
    let mut journal = Journal::create(dir, &name(count)).expect("a new journal");
    for from in (0..count).step_by(5_000) {
        journal
            .append(from, &entries(from, 5_000))
            .expect("an append");
    }
    let bytes = fs::metadata(dir.join(format!("{}.jsonl", name(count))))
        .expect("the journal")
        .len();
    println!("{count} events: {} bytes each", bytes / count);
}

/// Replays three times and returns the peak of memory in kB.
fn replay(dir: &Path, count: u64) -> u64 {
    // Forgets the peak of what ran before; without the right to, the peak is merely too high.
    let _ = fs::write("/proc/self/clear_refs", "5");
    for _ in 0..3 {
        let mut bytes = 0;
        let start = Instant::now();
        Journal::read(dir, &name(count), Replay::default(), |record| {
            bytes += record.body.get().len() + record.kind.len();
            Ok(())
        })
        .expect("a sound journal");
        print_rate("replay", count, start.elapsed(), bytes);
    }
    peak()
}

fn audit_all(dir: &Path, count: u64) {
    let _ = fs::write("/proc/self/clear_refs", "5");
    let start = Instant::now();
    let report = audit(dir, &name(count), Audit::default(), |_| Ok(())).expect("a journal");
    assert!(report.is_clean());
    print_rate("audit", count, start.elapsed(), 0);
    println!("peak memory of it: {} kB", peak());
}

fn print_rate(what: &str, count: u64, took: Duration, bytes: usize) {
    let rate = count as f64 / took.as_secs_f64();
    println!("{what} of {count}: {rate:.0} events/s ({took:?}, {bytes} bytes of bodies and kinds)");
}

fn peak() -> u64 {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    line.and_then(|line| line.trim().strip_suffix(" kB")?.trim().parse().ok())
        .unwrap_or(0)
}

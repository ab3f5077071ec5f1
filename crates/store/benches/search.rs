//! How fast an agent's `grep` and `glob` are, which follow no link, against the bare search crates and
//! against the `rg` program, on 5,000 files and 40 MB, in one run. Run with
//! `cargo bench -p store --bench search`.
//!
//! Target: at most 1.5 times the bare crates and the program.

use grep_regex::RegexMatcher;
use grep_searcher::{BinaryDetection, SearcherBuilder, sinks::Lossy};
use ignore::{WalkBuilder, WalkState};
use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::Mutex;
use std::time::{Duration, Instant};
use store::confined::{Files, Glob, Grep};

const MODULES: usize = 50;
const FILES: usize = 100;
const ROUNDS: usize = 21;

fn main() {
    // `cargo test --all-targets` starts benches too, without this argument.
    if !std::env::args().any(|argument| argument == "--bench") {
        return;
    }
    let dir = tempfile::tempdir().expect("a temporary folder");
    let (files, bytes) = plant(dir.path());
    println!(
        "{files} files, {:.1} MB, median of {ROUNDS} rounds",
        bytes as f64 / 1e6
    );
    let confined = Files::open(dir.path()).expect("the tree");
    for (what, pattern) in [
        ("grep, rare literal", "needle_0420"),
        ("grep, regex", r"needle_\d\d20\b"),
        ("grep, no match", "nowhere_to_be_found"),
    ] {
        let query = Grep::parse(pattern).expect("a pattern").limit(10_000);
        compare(
            what,
            &mut || confined.grep(&query).expect("an answer").items.len(),
            &mut || bare_grep(dir.path(), pattern),
            &mut || program(dir.path(), &["-n", "--no-heading", pattern, "."]),
        );
    }
    let query = Glob::parse("**/*_7.rs").expect("a pattern").limit(10_000);
    compare(
        "glob **/*_7.rs",
        &mut || confined.glob(&query).expect("an answer").items.len(),
        &mut || bare_glob(dir.path(), "**/*_7.rs"),
        &mut || program(dir.path(), &["--files", "-g", "**/*_7.rs", "."]),
    );
}

fn plant(dir: &Path) -> (usize, usize) {
    let mut bytes = 0;
    for module in 0..MODULES {
        let folder = dir.join(format!("modules/MM-{module:02}/1.0.0/implementation/deep"));
        fs::create_dir_all(&folder).expect("a folder");
        for file in 0..FILES {
            let mut text = String::with_capacity(8_200);
            for line in 0.. {
                if text.len() >= 8_000 {
                    break;
                }
                text.push_str(&format!(
                    "    let value_{line} = compute({module}, {file}); // a usual line\n"
                ));
            }
            text.push_str(&format!("needle_{:04}\n", module * FILES + file));
            bytes += text.len();
            let at = if file % 2 == 0 {
                folder.join(format!("file_{file}.rs"))
            } else {
                folder.with_file_name(format!("file_{file}.rs"))
            };
            fs::write(at, text).expect("a file");
        }
    }
    (MODULES * FILES, bytes)
}

fn walk(dir: &Path) -> ignore::WalkParallel {
    WalkBuilder::new(dir)
        .hidden(false)
        .threads(std::thread::available_parallelism().map_or(1, usize::from))
        .build_parallel()
}

fn bare_grep(dir: &Path, pattern: &str) -> usize {
    let matcher = RegexMatcher::new_line_matcher(pattern).expect("a pattern");
    let hits = Mutex::new(Vec::new());
    walk(dir).run(|| {
        let mut searcher = SearcherBuilder::new()
            .line_number(true)
            .binary_detection(BinaryDetection::quit(0))
            .build();
        let (matcher, hits) = (&matcher, &hits);
        Box::new(move |entry| {
            let entry = entry.expect("an entry");
            if entry.file_type().is_some_and(|kind| kind.is_file()) {
                let sink = Lossy(|line, text| {
                    let hit = (entry.path().to_owned(), line, text.to_owned());
                    hits.lock().expect("a lock").push(hit);
                    Ok(true)
                });
                searcher
                    .search_path(matcher, entry.path(), sink)
                    .expect("a search");
            }
            WalkState::Continue
        })
    });
    let mut hits = hits.into_inner().expect("a lock");
    hits.sort();
    hits.len()
}

fn bare_glob(dir: &Path, pattern: &str) -> usize {
    let matcher = globset::Glob::new(pattern)
        .expect("a pattern")
        .compile_matcher();
    let found = Mutex::new(Vec::new());
    walk(dir).run(|| {
        let (matcher, found) = (&matcher, &found);
        Box::new(move |entry| {
            let entry = entry.expect("an entry");
            let file = entry.file_type().is_some_and(|kind| kind.is_file());
            if file && matcher.is_match(entry.path().strip_prefix(dir).expect("below")) {
                found.lock().expect("a lock").push(entry.into_path());
            }
            WalkState::Continue
        })
    });
    let mut found = found.into_inner().expect("a lock");
    found.sort();
    found.len()
}

/// Lines that `rg` printed; 0 when it is not installed.
fn program(dir: &Path, arguments: &[&str]) -> usize {
    let output = Command::new("rg")
        .args(arguments)
        .current_dir(dir)
        .stdin(Stdio::null())
        .output();
    output.map_or(0, |output| {
        output.stdout.iter().filter(|byte| **byte == b'\n').count()
    })
}

/// All sides take turns, so that they meet the same moods of the machine.
fn compare(
    what: &str,
    confined: &mut dyn FnMut() -> usize,
    bare: &mut dyn FnMut() -> usize,
    program: &mut dyn FnMut() -> usize,
) {
    let mut times: [Vec<Duration>; 3] = Default::default();
    let mut counts = [0; 3];
    for round in 0..=ROUNDS {
        let sides: [&mut dyn FnMut() -> usize; 3] = [confined, bare, program];
        for (side, run) in sides.into_iter().enumerate() {
            let start = Instant::now();
            counts[side] = run();
            // The first round warms the caches.
            if round > 0 {
                times[side].push(start.elapsed());
            }
        }
    }
    let [confined, bare, program] = times.map(|mut times| {
        times.sort();
        times[times.len() / 2].as_secs_f64() * 1e3
    });
    let rg = if Command::new("rg").arg("--version").output().is_ok() {
        assert_eq!(counts[0], counts[2], "rg found something else");
        format!("rg {program:.1} ms, ratio {:.2}", confined / program)
    } else {
        "rg is not installed".into()
    };
    assert_eq!(counts[0], counts[1], "the bare crates found something else");
    println!(
        "{what}: {} found; confined {confined:.1} ms; bare crates {bare:.1} ms, ratio {:.2}; {rg}",
        counts[0],
        confined / bare,
    );
}

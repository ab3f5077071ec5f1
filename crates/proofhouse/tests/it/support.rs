//! A throw-away repository and the real binary in it.

use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use store::{Entry, Journal, Replay, RunName};

pub(crate) const BIN: &str = env!("CARGO_BIN_EXE_proofhouse");

/// What a finished command said.
#[derive(Debug)]
pub(crate) struct Said {
    pub(crate) code: i32,
    pub(crate) out: String,
    pub(crate) err: String,
}

impl From<Output> for Said {
    fn from(output: Output) -> Self {
        Self {
            code: output.status.code().unwrap_or(-1),
            out: String::from_utf8_lossy(&output.stdout).into_owned(),
            err: String::from_utf8_lossy(&output.stderr).into_owned(),
        }
    }
}

impl Said {
    /// Asserts the exit code, and shows everything if it is another.
    #[track_caller]
    pub(crate) fn exits(self, code: i32) -> Self {
        assert_eq!(
            self.code, code,
            "stdout:\n{}\nstderr:\n{}",
            self.out, self.err
        );
        self
    }

    /// Asserts an error with this code in brackets, and a mend.
    #[track_caller]
    pub(crate) fn refuses(self, exit: i32, code: &str) -> Self {
        let said = self.exits(exit);
        assert!(
            said.err.contains(&format!("[{code}]")),
            "no [{code}] in:\n{}",
            said.err
        );
        assert!(said.err.contains("mend:"), "no mend in:\n{}", said.err);
        said
    }

    pub(crate) fn json(&self) -> serde_json::Value {
        serde_json::from_str(&self.out).unwrap_or_else(|error| panic!("{error} in:\n{}", self.out))
    }
}

pub(crate) struct World {
    folder: tempfile::TempDir,
    /// Runs work in trees of their own, as a person's do; most tests look at their files where they stand.
    own_trees: bool,
}

/// A task whose check looks for the word `good` in `code.txt`.
pub(crate) const CHECK: &str = "grep -q good code.txt";

/// An agent that does everything right, at once.
pub(crate) const HONEST: &str = include_str!("../data/phase/happy.toml");

/// How a person asks for it.
pub(crate) const TASK: [&str; 6] = [
    "new",
    "phase",
    "--set",
    "objective=be good",
    "--set",
    "done_gate=grep says so",
];

/// As a person does it: in a tree of the run's own, without the setting that other tests have.
pub(crate) fn says(world: &World, args: &[&str]) -> Said {
    let mut command = world.command(args);
    command.env_remove("PROOFHOUSE_RUNS__TREE");
    command.output().unwrap().into()
}

/// The git that is installed here.
pub(crate) fn real_git() -> PathBuf {
    let path = std::env::var("PATH").unwrap();
    let mut all = std::env::split_paths(&path).map(|folder| folder.join("git"));
    all.find(|git| git.is_file()).unwrap()
}

/// Puts a script in the place of git.
pub(crate) fn stand_in(folder: &Path, script: &str) {
    std::fs::write(folder.join("git"), script).unwrap();
    let runs = std::os::unix::fs::PermissionsExt::from_mode(0o755);
    std::fs::set_permissions(folder.join("git"), runs).unwrap();
}

/// A command that finds this git first.
pub(crate) fn with_git(world: &World, folder: &Path, args: &[&str]) -> Command {
    let path = std::env::var("PATH").unwrap();
    let path = format!("{}:{path}", folder.display());
    let mut command = world.command(args);
    command.env("PATH", path).stdout(Stdio::null());
    command
}

/// As a person does it who has set nothing: without any of the settings that tests have.
pub(crate) fn plainly(world: &World, args: &[&str]) -> Said {
    let mut command = world.command(args);
    for name in OF_TESTS {
        command.env_remove(name);
    }
    command.output().unwrap().into()
}

/// What [`World::command`] sets.
const OF_TESTS: [&str; 5] = [
    "PROOFHOUSE_RUNS__TREE",
    "PROOFHOUSE_SANDBOX__WRITE",
    "PROOFHOUSE_APPROVALS__WEAK",
    "PROOFHOUSE_CHECKS__EXAM",
    "PROOFHOUSE_CHECKS__MUTANTS",
];

/// An answer to each line of the checklist at the freeze of `add`.
pub(crate) const CHECKED: &str = "; flag: I can live with it; spec: read; scenarios: the cases that matter; contract: the shape; tests: each would fail; scope: narrow; header: right";

/// The reason as a person gives it who goes through what they are asked.
pub(crate) fn because(option: &str, why: &str) -> String {
    match option {
        "freeze" => format!("{why}{CHECKED}"),
        _ => why.to_owned(),
    }
}

impl World {
    /// An empty folder.
    pub(crate) fn empty() -> Self {
        Self {
            folder: tempfile::tempdir().unwrap(),
            own_trees: false,
        }
    }

    /// A repository with one commit.
    pub(crate) fn new() -> Self {
        let world = Self::empty();
        world.write("code.txt", "bad\n");
        world.git(&["init", "--quiet", "--initial-branch=main"]);
        world.commit("first");
        world
    }

    /// The same, with a person who has a name, and an agent that does everything right.
    pub(crate) fn of_ann() -> Self {
        let world = Self::new();
        world.write(".gitignore", "agent/\n.proofhouse/\n");
        world.write("agent/script.toml", HONEST);
        world.git(&["config", "user.name", "Ann"]);
        world.git(&["config", "user.email", "ann@example.org"]);
        world.commit("ignore");
        world
    }

    /// The same, whose runs work in trees of their own.
    pub(crate) fn with_own_trees(mut self) -> Self {
        self.own_trees = true;
        self
    }

    /// Everything that lies there, as one commit of nobody in particular; its id.
    pub(crate) fn commit(&self, message: &str) -> String {
        self.git(&["add", "--all"]);
        let by = ["-c", "user.name=t", "-c", "user.email=t@t"];
        self.git(&[&by[..], &["commit", "--quiet", "-m", message]].concat());
        self.git(&["rev-parse", "HEAD"])
    }

    pub(crate) fn path(&self) -> &Path {
        self.folder.path()
    }

    pub(crate) fn at(&self, path: &str) -> PathBuf {
        self.path().join(path)
    }

    pub(crate) fn write(&self, path: &str, text: &str) {
        let path = self.at(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }

    pub(crate) fn read(&self, path: &str) -> String {
        std::fs::read_to_string(self.at(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
    }

    #[track_caller]
    pub(crate) fn git(&self, args: &[&str]) -> String {
        let output = Command::new("git")
            .args(args)
            .current_dir(self.path())
            .output()
            .unwrap();
        assert!(
            output.status.success(),
            "git {args:?}: {}",
            String::from_utf8_lossy(&output.stderr)
        );
        String::from_utf8_lossy(&output.stdout).trim().to_owned()
    }

    pub(crate) fn command(&self, args: &[&str]) -> Command {
        let mut command = Command::new(BIN);
        command.args(args);
        // Most plays go by themselves to their end; those about people say so.
        let set = std::fs::read_to_string(self.at(".proofhouse/config.toml"));
        let said = args.contains(&"--autonomy") || set.is_ok_and(|set| set.contains("autonomy"));
        if args.first() == Some(&"new") && !said {
            command.args(["--autonomy", "auto"]);
        }
        command
            .current_dir(self.path())
            .env_remove("NO_COLOR")
            .env("XDG_CONFIG_HOME", self.at("agent/xdg"))
            .env("XDG_DATA_HOME", self.at("agent/data"))
            .env("XDG_STATE_HOME", self.at("agent/state"))
            // Checks of plays are plain commands; `seen` and `quick` have those that ask.
            .env("PROOFHOUSE_APPROVALS__WEAK", "suffices")
            // Where scripts keep their logs; everything else outside of a view is out of reach.
            .env("PROOFHOUSE_SANDBOX__WRITE", self.at("agent"));
        if !self.own_trees {
            command.env("PROOFHOUSE_RUNS__TREE", "here");
        }
        // Plays that are about the exam begin with `--exam`, or say so themselves.
        command.env("PROOFHOUSE_CHECKS__EXAM", "off");
        // Canaries cost one run of a suite, mutants many: plays about them lay this file down.
        if !self.at("agent/mutants").exists() {
            command.env("PROOFHOUSE_CHECKS__MUTANTS", "0");
        }
        command
    }

    pub(crate) fn run(&self, args: &[&str]) -> Said {
        self.command(args).output().unwrap().into()
    }

    /// Writes a run's journal anew with other entries: consistent in itself, every hash right.
    pub(crate) fn rewrite(&self, run: &str, change: impl FnOnce(Vec<Entry>) -> Vec<Entry>) {
        rewrite(&self.at(".proofhouse/journal"), run, change);
    }

    /// Starts the run `t` with this script, and these further arguments of `new`.
    #[track_caller]
    pub(crate) fn start(&self, script: &str, more: &[&str]) {
        self.start_checked(script, CHECK, more);
    }

    /// The same, with another check.
    #[track_caller]
    pub(crate) fn start_checked(&self, script: &str, check: &str, more: &[&str]) {
        self.write("agent/script.toml", script);
        self.write(".gitignore", "agent/\n");
        self.start_by("scripted:agent/script.toml", check, more);
    }

    /// The same, with any agent.
    #[track_caller]
    pub(crate) fn start_by(&self, agent: &str, check: &str, more: &[&str]) {
        let told = ["--dir", "tasks/t", "--check", check, "--agent", agent];
        self.run(&[&TASK, &told[..], more].concat()).exits(0);
    }

    pub(crate) fn status(&self) -> serde_json::Value {
        self.run(&["status", "t", "--json"]).exits(0).json()
    }

    /// The kinds and bodies of the journal's records.
    pub(crate) fn journal(&self) -> Vec<serde_json::Value> {
        self.read(".proofhouse/journal/t.jsonl")
            .lines()
            .map(|line| serde_json::from_str(line).unwrap())
            .collect()
    }

    /// What each check of each gate said, as the journal has it: a passed gate is one line in a terminal.
    pub(crate) fn judged(&self, run: &str) -> String {
        let journal = self.read(&format!(".proofhouse/journal/{run}.jsonl"));
        let records = journal
            .lines()
            .map(|line| serde_json::from_str::<serde_json::Value>(line).unwrap());
        let text = |value: &serde_json::Value| value.as_str().unwrap_or_default().to_owned();
        let mut said = String::new();
        for record in records.filter(|record| record["kind"] == "gate_ended.v1") {
            for result in record["body"]["results"].as_array().into_iter().flatten() {
                said += &format!("{}: {}\n", text(&result["check"]), text(&result["reason"]));
            }
        }
        said
    }

    /// An approver with a key: `decide` can be called without a terminal.
    pub(crate) fn approver(&self, name: &str) -> PathBuf {
        let key = self.at(&format!("agent/{name}"));
        std::fs::create_dir_all(self.at("agent")).unwrap();
        let made = Command::new("ssh-keygen")
            .args(["-q", "-t", "ed25519", "-N", "", "-C", name, "-f"])
            .arg(&key)
            .status();
        assert!(
            made.is_ok_and(|status| status.success()),
            "these tests need ssh-keygen"
        );
        let public = std::fs::read_to_string(key.with_extension("pub")).unwrap();
        let words: Vec<&str> = public.split_whitespace().collect();
        self.write(
            ".proofhouse/approvers",
            &format!("{name}@example.org {} {}\n", words[0], words[1]),
        );
        key
    }

    #[track_caller]
    pub(crate) fn decide(&self, key: &Path, option: &str) -> Said {
        self.run(&[
            "decide",
            "t",
            option,
            "--because",
            "I looked at it",
            "--sign",
            key.to_str().unwrap(),
        ])
    }
}

/// Writes a journal anew with other entries, in any folder of journals.
pub(crate) fn rewrite(folder: &Path, run: &str, change: impl FnOnce(Vec<Entry>) -> Vec<Entry>) {
    let name = RunName::new(run).unwrap();
    let mut entries = Vec::new();
    Journal::read(folder, &name, Replay::default(), |record| {
        entries.push(Entry {
            at: record.at,
            kind: record.kind.to_owned(),
            body: serde_json::from_str(record.body.get()).unwrap(),
        });
        Ok(())
    })
    .unwrap();
    std::fs::remove_file(folder.join(format!("{run}.jsonl"))).unwrap();
    Journal::begin(folder, &name, &change(entries)).unwrap();
}

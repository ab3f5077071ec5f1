//! A repository in which a play's agents are about to begin, and a person who can decide there.

use super::{Ends, Play, Step, Told, text};
use crate::support::{HONEST, World};
use std::path::PathBuf;

/// The repository, and the person's key.
pub(crate) struct Stage {
    pub(crate) world: World,
    pub(crate) key: PathBuf,
}

/// The honest agent of a workflow, what is asked for, and what `new` is told besides.
pub(crate) fn honest(workflow: &str) -> (String, Option<&'static str>, &'static [&'static str]) {
    match workflow {
        "phase" => {
            let told: &[&str] = &[
                "--dir",
                "tasks/t",
                "--set",
                "objective=be good",
                "--set",
                "done_gate=grep says so",
                "--check",
                "grep -q good code.txt",
            ];
            (HONEST.to_owned(), None, told)
        }
        "slice" => {
            let told: &[&str] = &["--check", "grep -q Ada src/greet.txt"];
            (text("slice/happy.toml"), Some("greet Ada"), told)
        }
        "add" => {
            let told: &[&str] = &["--set", "test_command=sh tests/run.sh"];
            (text("add/honest.toml"), Some("Totals for carts"), told)
        }
        "quick" => {
            let told: &[&str] = &["--dir", "tasks/t", "--set", "test_command=sh tests/run.sh"];
            (text("quick/happy.toml"), Some("Totals for carts"), told)
        }
        "lights-out" => (
            text("lights-out/happy.toml"),
            Some("build me a greeter"),
            &[],
        ),
        other => panic!("no honest agent for `{other}`"),
    }
}

impl Stage {
    /// Everything is there, and `new` was said.
    pub(crate) fn set(play: &Play) -> Self {
        Self::set_in(World::new(), play)
    }

    /// The same in a new repository.
    pub(crate) fn set_in(world: World, play: &Play) -> Self {
        world.write("src/greet.txt", "good bye\n");
        world.write("src/private/key.txt", "private\n");
        world.write("secret/plans.txt", "the plan\n");
        world.write("preferences.md", "# Preferences\n\nStack: Rust\n");
        if play.workflow == "add" {
            world.write("tests/run.sh", &text("add/run.sh"));
            world.write("src/cart.sh", "items() { echo none; }\n");
            world.write("tox.ini", "strict\n");
        }
        if play.workflow == "quick" {
            world.write("tests/run.sh", &text("add/run.sh"));
            world.write("tests/cases", "one|5|5\n");
            world.write("src/total.sh", "total() { echo \"$1\"; }\n");
            world.write("tox.ini", "strict\n");
        }
        if play.workflow == "lights-out" {
            std::fs::remove_dir_all(world.at("src")).unwrap();
        }
        for (path, text) in &play.files {
            world.write(path, text);
        }
        // `agent/` is where slice keeps its task, and the others their keys.
        let keys = if play.workflow == "slice" {
            ""
        } else {
            "agent/\n"
        };
        world.write(".gitignore", &format!("tools/\n/target\n{keys}"));
        let (honest, request, told) = honest(&play.workflow);
        world.write("tools/script.toml", &play.agents(&honest));
        world.commit("sample");
        let mut key = world.approver("ann");
        if play.workflow == "slice" {
            let away = world.at("tools/ann");
            std::fs::rename(&key, &away).unwrap();
            std::fs::remove_file(key.with_extension("pub")).unwrap();
            std::fs::remove_dir(world.at("agent")).unwrap();
            key = away;
        }
        let mut all = vec!["new", play.workflow.as_str()];
        all.extend(request.filter(|_| !play.unasked));
        all.extend(told);
        all.extend(["--name", "t", "--agent", "scripted:tools/script.toml"]);
        all.extend(play.new.iter().map(String::as_str));
        world.run(&all).exits(0);
        Self { world, key }
    }

    /// Takes one step, and says what is not as it must be.
    pub(crate) fn take(&self, step: &Step) -> Result<(), String> {
        let (option, why, told) = match step {
            Step::Run => return self.drives(&["run", "t"]),
            Step::Once => return self.drives(&["run", "t", "--once"]),
            Step::Writes(path, text) => {
                self.world.write(path, text);
                return Ok(());
            }
            Step::Removes(path) => {
                let removed = std::fs::remove_file(self.world.at(path));
                return removed.map_err(|error| format!("{path}: {error}"));
            }
            Step::Inbox(told) => {
                let inbox = self.world.run(&["inbox"]).out;
                let said = inbox.contains(told);
                return said.then_some(()).ok_or(format!("no `{told}` in {inbox}"));
            }
            Step::Says(option, why, told) => (option, why, told),
        };
        let key = self.key.to_str().unwrap();
        let why = crate::support::because(option, why);
        let said = self
            .world
            .run(&["decide", "t", option, "--because", &why, "--sign", key]);
        match told {
            Told::Refused(code) if said.code == 1 && said.err.contains(&format!("[{code}]")) => {
                Ok(())
            }
            Told::Refused(code) => Err(format!(
                "`{option}` is not refused as {code}: {}{}",
                said.out, said.err
            )),
            Told::Taken | Told::LeadsTo(_) if said.code != 0 => {
                let status = self.world.status();
                Err(format!(
                    "`{option}` is refused in {}: {}",
                    status["state"], said.err
                ))
            }
            Told::Taken => Ok(()),
            Told::LeadsTo(state) => {
                let found = self.world.status()["state"].clone();
                if found == state.as_str() {
                    return Ok(());
                }
                Err(format!("`{option}` leads to {found} and not to {state}"))
            }
        }
    }

    /// A run may end well, or at a person; everything else is our own fault.
    fn drives(&self, args: &[&str]) -> Result<(), String> {
        let said = self.world.run(args);
        match said.code {
            0 | 2 => Ok(()),
            code => Err(format!(
                "{args:?} ends with {code}: {}{}",
                said.out, said.err
            )),
        }
    }

    /// Does the run stand where it must?
    pub(crate) fn stands(&self, ends: &Ends) -> Result<(), String> {
        let status = self.world.status();
        let asked = &status["waiting_for"];
        let waits = asked["reason"].as_str();
        let refusal = status["last_refusal"]["code"].as_str();
        let right = status["state"] == ends.state.as_str()
            && waits == ends.waits.as_deref()
            && (ends.refusal.is_none() || refusal == ends.refusal.as_deref())
            && ends
                .used
                .iter()
                .all(|(name, used)| status["budgets"][name]["used"] == *used);
        if right {
            return Ok(());
        }
        Err(format!(
            "it stands in {} for {waits:?} after {refusal:?}, budgets {}: {asked}",
            status["state"], status["budgets"]
        ))
    }
}

//! Commands that lead a run elsewhere, killed at each of their calls of git, before it and behind it: whoever says
//! them again gets what they would have got, and nothing is lost.
#![cfg(target_os = "linux")]

use crate::fork::{fork, stands};
use crate::rewind::{before_the_code, commits, held, rewind};
use crate::support::{World, real_git, says, stand_in, with_git};
use std::path::Path;
use std::process::{Command, Stdio};

/// Says it with a git that kills whoever calls it for the nth time, before or behind what it was asked for. Did
/// it come to that?
fn killed(world: &World, nth: usize, behind: bool, args: &[&str]) -> bool {
    let lab = tempfile::tempdir().unwrap();
    let (count, real) = (lab.path().join("count"), real_git());
    let first = match behind {
        true => format!("{} \"$@\"; ", real.display()),
        false => String::new(),
    };
    let script = format!(
        "#!/bin/sh\nn=$(($(cat {count} 2>/dev/null || echo 0) + 1))\necho $n >{count}\n\
         if [ $n = {nth} ]; then {first}kill -9 $PPID; exit 1; fi\nexec {} \"$@\"\n",
        real.display(),
        count = count.display(),
    );
    stand_in(lab.path(), &script);
    let mut command = with_git(world, lab.path(), args);
    command.env_remove("PROOFHOUSE_RUNS__TREE");
    let ended = command.stderr(Stdio::null()).status().unwrap();
    ended.code().is_none()
}

/// What a world holds, to be laid out again at the same place.
struct Kept(tempfile::TempDir);

impl Kept {
    fn of(world: &World) -> Self {
        let kept = tempfile::tempdir().unwrap();
        copy(world.path(), kept.path());
        Self(kept)
    }

    fn again(&self, world: &World) {
        for one in std::fs::read_dir(world.path()).unwrap().flatten() {
            match one.file_type().unwrap().is_dir() {
                true => std::fs::remove_dir_all(one.path()).unwrap(),
                false => std::fs::remove_file(one.path()).unwrap(),
            }
        }
        copy(self.0.path(), world.path());
    }
}

fn copy(from: &Path, to: &Path) {
    let mut all = from.as_os_str().to_owned();
    all.push("/.");
    let done = Command::new("cp").arg("-a").arg(all).arg(to).status();
    assert!(done.unwrap().success());
}

/// Forks one run at its end, killed at one call in so many; how often it was killed.
fn forked(every: usize) -> usize {
    let (world, _) = crate::fork::waiting();
    let at = world.journal().len() as u64;
    let want = stands(&world, "t", at);
    let mut kills = 0;
    for behind in [false, true] {
        for nth in (1..).step_by(every) {
            let name = format!("f{nth}{behind}");
            let asked = ["fork", "t", "--at", &at.to_string(), "--name", &name];
            if !killed(&world, nth, behind, &asked) {
                break;
            }
            kills += 1;
            // Killed behind its last word, it is there.
            let said = fork(&world, "t", at, &name);
            let there = said.code == 1 && said.err.contains("run_exists");
            assert!(there || said.code == 0, "{name}: {}", said.err);
            assert_eq!(stands(&world, &name, at), want, "{name}");
        }
    }
    says(&world, &["audit", "--ci"]).exits(0);
    says(&world, &["run", "f1true"]).exits(2);
    says(&world, &["audit", "--ci"]).exits(0);
    kills
}

/// Leads one run back, killed at one call in so many, of the way back or of the run behind it; how often it was.
fn led_back(every: usize) -> usize {
    let (world, key) = crate::rewind::waiting();
    world.write(".proofhouse/worktrees/t/mine.txt", "mine\n");
    let target = before_the_code(&world);
    let before = Kept::of(&world);
    rewind(&world, &target["seq"], &key).exits(0);
    let behind_it = Kept::of(&world);
    let (at, key_path) = (target["seq"].to_string(), key.to_str().unwrap());
    let why = ["--because", "the shape was wrong", "--sign", key_path];
    let back = [&["rewind", "t", "--at", &at], &why[..]].concat();
    let cases: [(&Kept, &[&str]); 2] = [(&before, &back), (&behind_it, &["run", "t"])];
    let mut kills = 0;
    for (kept, command) in cases {
        for behind in [false, true] {
            for nth in (1..).step_by(every) {
                kept.again(&world);
                if !killed(&world, nth, behind, command) {
                    break;
                }
                kills += 1;
                let place = format!("{} {nth} {behind}", command[0]);
                let is_back = |one: &serde_json::Value| one["kind"] == "rewound.v1";
                if !world.journal().iter().any(is_back) {
                    rewind(&world, &target["seq"], &key).exits(0);
                }
                says(&world, &["run", "t"]).exits(2);
                let all = world.journal();
                let once = all.iter().filter(|one| is_back(one)).count();
                assert_eq!(once, 1, "{place}: it is led back once");
                let edited = all.iter().find(|one| one["kind"] == "fields_edited.v1");
                assert_eq!(edited, None, "{place}: nobody has edited one");
                let seq = all.iter().find(|one| is_back(one)).unwrap()["seq"].as_u64();
                let mut after = commits(&world).into_iter();
                let after = after.find(|one| one["seq"].as_u64() > seq);
                let reverted = &after.unwrap()["body"]["commit"];
                assert_eq!(held(&world, reverted), "bad", "{place}");
                // Killed while files were put back, the next engine commits what it finds on top of it.
                let since = format!(
                    "{}..{}",
                    target["body"]["commit"].as_str().unwrap(),
                    reverted.as_str().unwrap()
                );
                let since = world.git(&["rev-list", &since]);
                let mut since = since.lines().map(|one| held(&world, &one.into()));
                assert!(
                    since.any(|text| text == "good"),
                    "{place}: a commit has what is gone back from"
                );
                assert_eq!(world.read(".proofhouse/worktrees/t/mine.txt"), "mine\n");
                says(&world, &["audit", "--ci"]).exits(0);
            }
        }
    }
    kills
}

#[test]
fn a_fork_that_is_killed_can_be_made_again() {
    assert!(forked(9) > 2);
}

#[test]
fn a_way_back_that_is_killed_is_gone_once() {
    assert!(led_back(23) > 2);
}

#[test]
#[ignore = "the same at every call of git; some minutes"]
fn killed_at_every_call_of_git_they_come_to_the_same() {
    println!("a fork was killed {} times", forked(1));
    println!("a way back was killed {} times", led_back(1));
}

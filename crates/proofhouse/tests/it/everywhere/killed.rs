//! The real binary, killed by the system with no chance to tidy up, at a few chosen moments: what the
//! sweeps beside this do at every event to an engine that falls, done to the whole process.

use super::Essence;
use crate::crash::{hangs, spawn_until};
use crate::play::{Play, Stage, Step, read};

/// Kills the binary while somebody works in each of these states, by the `run` of the play in which they
/// do; it must come to the same as one that nobody killed.
#[track_caller]
fn killed_in(name: &str, states: &[&[&str]]) {
    let play: Play = read(&format!("crashes/{name}.toml"));
    let calm = Stage::set(&play);
    assert_eq!(play.faults_on(&calm), Vec::<String>::new());
    let stage = Stage::set(&play);
    let agents = stage.world.read(AGENTS);
    let mut states = states.iter();
    for step in play.steps() {
        let now = match step {
            Step::Run => *states.next().expect("states for each `run`"),
            _ => &[],
        };
        for state in now {
            stage
                .world
                .write(AGENTS, &format!("{}{agents}", hangs(state)));
            let (mut child, _out) = spawn_until(&stage.world, &format!("{state}: attempt"));
            child.kill().unwrap();
            let ended = child.wait().unwrap();
            assert_eq!(ended.code(), None, "it ended by itself in `{state}`");
        }
        stage.world.write(AGENTS, &agents);
        assert_eq!(stage.take(&step), Ok(()));
    }
    assert!(states.next().is_none());
    assert_eq!(stage.stands(&play.ends), Ok(()));
    assert_eq!(Essence::of(&stage.world), Essence::of(&calm.world));
    stage.world.run(&["audit", "--ci"]).exits(0);
}

const AGENTS: &str = "tools/script.toml";

#[test]
fn slice_ends_the_same() {
    killed_in("slice-happy", &[&["intake", "plan", "edit", "choose"]]);
}

#[test]
fn add_ends_the_same() {
    let after = ["tests", "build", "verify", "observe"];
    killed_in("add-happy", &[&["ground", "contract"], &after]);
}

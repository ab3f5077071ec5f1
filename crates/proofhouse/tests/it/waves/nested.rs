//! Repositories that lie in a worktree, made by whatever a gate runs: the engine's own git, which
//! nothing confines, runs no program that their settings name, and none of them becomes a part of a
//! commit.

use super::{WORKFLOW, milestone, script, stands, task, worktrees, world};
use crate::support::World;

/// Tasks whose gate runs the program that the agent wrote, as the integration gate does.
fn with_program(program: &str) -> World {
    let world = world();
    let runs = "test ! -f test.sh || sh test.sh";
    let gate = format!("gate = [{{ check = \"command\", shell = \"{runs}\" }}]");
    let old = "gate = [{ check = \"files_exist\", repo = [\"code.txt\"] }]";
    let workflow = WORKFLOW.replace(old, &gate);
    assert_ne!(workflow, WORKFLOW);
    world.write(".proofhouse/workflows/trivial/workflow.toml", &workflow);
    let head = format!("integration = [\"{runs}\"]\n");
    milestone(&world, "m", &head, &[task("a", "")]);
    let program = format!("{{ write = \"repo/test.sh\", text = '''{program}''' }}");
    world.write("agent/a.toml", &script(&program));
    world
}

/// A repository whose settings name a program, and a file for which git would run it.
fn trap(folder: &str, proof: &str) -> String {
    format!(
        "mkdir -p {folder}; cd {folder}; test ! -e .git || exit 0\n\
         git init -q .; echo one >f; git add f\n\
         git -c user.name=x -c user.email=x@x commit -q -m x\n\
         git config filter.x.clean 'touch {proof}; cat'\n\
         git config core.fsmonitor 'touch {proof}; false'\n\
         echo 'f filter=x' >.git/info/attributes; echo two >f\n"
    )
}

fn links(world: &World) -> Vec<String> {
    let tree = world.git(&["ls-tree", "-r", "proofhouse/m"]);
    let links = tree.lines().filter(|line| line.starts_with("160000"));
    links.map(str::to_owned).collect()
}

#[test]
fn what_a_gate_makes_a_repository_of_is_not_run_and_not_merged() {
    let proof = tempfile::tempdir().unwrap();
    let proof = proof.path().join("ran");
    let world = with_program(&trap("sub", &proof.display().to_string()));
    world.run(&["wave", "run", "m"]).exits(0);
    assert_eq!(links(&world), Vec::<String>::new());
    // It went with the room that the gate ran in: the worktree holds nothing that no commit has.
    assert_eq!(worktrees(&world), ["_integration-m"]);
    world.run(&["gc"]).exits(0);
    assert!(!proof.exists());
    assert_eq!(worktrees(&world), Vec::<String>::new());
    world.run(&["audit"]).exits(0);
}

/// The place of a submodule is an empty folder in a worktree: a gate can fill it.
#[test]
fn nothing_is_run_in_the_place_of_a_submodule_either() {
    let proof = tempfile::tempdir().unwrap();
    let proof = proof.path().join("ran");
    let world = with_program(&trap("sub", &proof.display().to_string()));
    let module = "[submodule \"sub\"]\n\tpath = sub\n\turl = ./sub\n\tignore = none\n";
    world.write(".gitmodules", module);
    let head = world.git(&["rev-parse", "HEAD"]);
    let link = format!("160000,{head},sub");
    world.git(&["update-index", "--add", "--cacheinfo", &link]);
    // Else git takes it for deleted.
    std::fs::create_dir(world.at("sub")).unwrap();
    world.commit("submodule");
    world.run(&["wave", "run", "m"]);
    world.run(&["wave", "run", "m"]);
    world.run(&["gc"]).exits(0);
    assert!(!proof.exists());
    world.run(&["audit"]).exits(0);
}

/// Git refuses to take up one without a commit: tests of honest tools leave such ones.
#[test]
fn a_repository_without_a_commit_stops_nobody() {
    let world = with_program("git init -q sub\n");
    world.run(&["wave", "run", "m"]).exits(0);
    assert_eq!(stands(&world, "m", "a"), "merged");
    assert_eq!(links(&world), Vec::<String>::new());
    assert!(world.at("test.sh").is_file());
    world.run(&["audit"]).exits(0);
}

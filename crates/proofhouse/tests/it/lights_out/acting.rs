//! What tools run or follow because it is there: a person's own words name it, or a person is asked before it
//! leaves the house.

use super::{HAPPY, Product, begins};
use crate::support::Said;

/// A role leaves a container's file, in a run that goes by itself on observed evidence.
#[track_caller]
fn leaves_a_container(state: &str, preferences: &str, exit: i32) -> (Product, Said) {
    let begin = format!("state = \"{state}\"\nsteps = [");
    let (_, own) = HAPPY.split_once(&begin).unwrap();
    let (own, _) = own.split_once("[[attempt]]").unwrap();
    let script = format!(
        "[[attempt]]\n{begin}{{ write = \"repo/Dockerfile\", text = \"FROM scratch\\n\" }}, {own}"
    );
    let product = Product::laid(&script);
    product.world.write("preferences.md", preferences);
    product.world.commit("preferences");
    let mut command = product.world.command(&begins(&[]));
    command.env_remove("PROOFHOUSE_APPROVALS__WEAK");
    Said::from(command.output().unwrap()).exits(0);
    let mut said = product.world.run(&["run", "t"]);
    // No test of theirs reaches `main`: that a person takes, and it is not what these plays are about.
    while said.code == 2 && said.out.contains("weak:") && !said.out.contains("nobody asked") {
        product.decides("approve");
        said = product.world.run(&["run", "t"]);
    }
    (product, said.exits(exit))
}

const PLAIN: &str = "# Preferences\n\nStack: Rust\n";

#[test]
fn what_acts_by_itself_and_no_person_named_is_theirs_to_approve_before_it_ships() {
    let (product, said) = leaves_a_container("Building", PLAIN, 2);
    let why = "nobody asked for this: Dockerfile is new: ";
    assert!(said.out.contains(why), "{}", said.out);
    product.is_in("Verifying");
    product.decides("approve");
    let said = product.runs(2);
    // Once more for all of it, now that it is out.
    assert!(said.out.contains(why), "{}", said.out);
    product.is_in("Deploying");
    product.decides("approve");
    product.runs(0);
    product.is_in("PipelineComplete");
}

#[test]
fn who_deploys_brings_nothing_that_acts_by_itself_and_nobody_named() {
    let (product, _) = leaves_a_container("Deploying", PLAIN, 2);
    product.is_in("BlockedOnGate");
    let wrong = product.wrong("Deploying");
    assert!(
        wrong.contains("nobody asked for this: Dockerfile is new"),
        "{wrong}"
    );
}

#[test]
fn what_acts_by_itself_and_a_person_named_is_fine() {
    for state in ["Building", "Deploying"] {
        let docker = "# Preferences\n\nStack: Rust, delivered with Docker\n";
        let (product, said) = leaves_a_container(state, docker, 0);
        assert!(!said.out.contains("nobody asked"), "{}", said.out);
        product.is_in("PipelineComplete");
    }
}

/// The first time there is no folder yet, and a sandbox opens only what is there.
#[test]
fn a_folder_that_is_not_there_yet_is_deployed_to() {
    let product = Product::begun("", &[]);
    let live = product.world.at("agent/www/live");
    let deploy = format!(
        "[deploy]\nfolder = \"{0}\"\ncommand = \"cp README.md {0}/\"\n",
        live.display()
    );
    product.world.write(".proofhouse/config.toml", &deploy);
    product.runs(0);
    product.is_in("PipelineComplete");
    assert!(live.join("README.md").is_file());
}

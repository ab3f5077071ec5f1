//! What tools run or follow because it is there: a person's own words name it, or a person is asked.

use super::{HAPPY, Product, begins};
use crate::support::Said;

/// Whoever deploys leaves a container's file, in a run that goes by itself on observed evidence.
#[track_caller]
fn leaves_a_container(preferences: &str, exit: i32) -> (Product, Said) {
    let (_, deploy) = HAPPY
        .split_once("state = \"Deploying\"\nsteps = [")
        .unwrap();
    let (deploy, _) = deploy.split_once("[[attempt]]").unwrap();
    let script = format!(
        "[[attempt]]\nstate = \"Deploying\"\nsteps = [{{ write = \"repo/Dockerfile\", text = \"FROM scratch\\n\" }}, {deploy}"
    );
    let product = Product::laid(&script);
    product.world.write("preferences.md", preferences);
    product.world.commit("preferences");
    let mut command = product.world.command(&begins(&[]));
    command.env_remove("PROOFHOUSE_APPROVALS__WEAK");
    Said::from(command.output().unwrap()).exits(0);
    let said = product.runs(exit);
    (product, said)
}

#[test]
fn what_acts_by_itself_and_no_person_named_is_theirs_to_approve() {
    let (product, said) = leaves_a_container("# Preferences\n\nStack: Rust\n", 2);
    let why = "nobody asked for this: Dockerfile is new: ";
    assert!(said.out.contains(why), "{}", said.out);
    product.decides("approve");
    product.runs(0);
    product.is_in("PipelineComplete");
}

#[test]
fn what_acts_by_itself_and_a_person_named_is_fine() {
    let (product, said) =
        leaves_a_container("# Preferences\n\nStack: Rust, delivered with Docker\n", 0);
    assert!(!said.out.contains("nobody asked"), "{}", said.out);
    product.is_in("PipelineComplete");
}

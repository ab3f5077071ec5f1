//! What a product leaves on the branch of whoever asked for it.

use super::{Product, begins};
use crate::support::says;

#[test]
fn a_delivered_product_lands_as_one_commit_of_the_work_alone() {
    let product = Product::laid("");
    let world = &product.world;
    world.git(&["config", "user.name", "Ann"]);
    world.git(&["config", "user.email", "ann@example.org"]);
    let before = world.commit("what is wanted");
    says(world, &begins(&[])).exits(0);
    says(world, &["run", "t"]).exits(0);
    assert_eq!(
        world.git(&["rev-parse", "HEAD"]),
        before,
        "not before `land`"
    );
    says(world, &["land", "t"]).exits(0);
    assert_eq!(
        world.git(&["rev-list", "--count", &format!("{before}..HEAD")]),
        "1"
    );
    let message = world.git(&["show", "--no-patch", "--format=%B", "HEAD"]);
    let subject = message.lines().next().unwrap_or_default();
    assert!(subject.contains("build me a greeter"), "{message}");
    assert!(message.contains("\nProofhouse-Head: t@"), "{message}");
    let changed = world.git(&["show", "--name-only", "--format=", "HEAD"]);
    let files: Vec<&str> = changed.lines().collect();
    assert!(files.contains(&"src/main.rs"), "{files:?}");
    for records in ["scaffolding/", ".proofhouse/", "agent/", "target/"] {
        assert!(
            files.iter().all(|file| !file.starts_with(records)),
            "{files:?}"
        );
    }
    world.run(&["audit", "--ci"]).exits(0);
}

//! A frozen test that is wrong: opened alone, with the build out of the way, and the build comes back.

use super::{Add, Scope};

#[test]
fn a_wrong_frozen_test_goes_back_alone() {
    let add = Add::start("", Scope::Narrow, &["--autonomy", "conservative"]);
    add.run(2);
    let names = "test: tests/cases; why: it asks for x";
    add.decide("open_test", names).refuses(1, "test_not_frozen");
    add.decide("freeze", "read it").exits(0);
    add.run(2);
    add.waits_for("approval");
    add.decide("open_test", "it is wrong")
        .refuses(1, "open_test_incomplete");
    add.decide("open_test", "test: src/total.sh; why: it is wrong")
        .refuses(1, "open_test_unknown");
    // What decides how tests run was frozen with them, and is none.
    let runner = add.decide("open_test", "test: pyproject.toml; why: it is wrong");
    runner.refuses(1, "open_test_unknown");
    let built = add.world.read("src/total.sh");
    add.decide("open_test", names).exits(0);
    add.is_in("retest");
    add.run(2);
    add.waits_for("test_approval");
    add.says("Open test: tests/cases");
    // The build is on the ref, and not in the way; what is shown is the test alone.
    assert!(!add.world.at("src/total.sh").exists());
    let inbox = add.world.run(&["inbox"]).out;
    for line in ["-s2_rejects|x|refused", "+s2_rejects|y|refused"] {
        assert!(inbox.contains(line), "no `{line}` in {inbox}");
    }
    assert!(inbox.contains("1 file changed"), "{inbox}");
    add.decide("mend_test", " ")
        .refuses(1, "mend_test_reason_required");
    add.decide("accept_test", "read the diff").exits(0);
    add.world.run(&["run", "t", "--once"]);
    assert_eq!(add.world.read("src/total.sh"), built);
    add.run(2);
    add.waits_for("approval");
    add.decide("approve", "read it").exits(0);
    add.run(0);
    let said = add
        .decide("open_test", names)
        .refuses(1, "open_test_not_here");
    assert!(said.err.contains("has passed the gate"), "{}", said.err);
    assert_eq!(add.stands().2, 0, "nobody has cheated");
    add.world.run(&["audit", "--ci"]).exits(0);
}

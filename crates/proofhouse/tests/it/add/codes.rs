//! Codes of the method that no other test sees come.

use super::{Add, Scope, data};

/// Plays an honest agent with one text replaced, up to the first refusal of this code.
#[track_caller]
fn is_refused(find: &str, replace: &str, state: &str, code: &str) {
    let honest = data("honest.toml");
    assert!(honest.contains(find), "{find}");
    let add = Add::start("", Scope::Narrow, &[]);
    add.world
        .write("agent/script.toml", &honest.replace(find, replace));
    add.run(2);
    add.is_in(state);
    // A script has its text to replace once, and fails alike from then on.
    add.waits_for("trouble");
    assert_eq!(add.stands().1, code, "{replace}");
}

#[test]
fn a_task_without_ground_or_scope_goes_no_further() {
    let ground = "- src/cart.sh :: items - what is in a cart";
    is_refused(
        ground,
        "- src/nowhere.sh :: items - hm",
        "ground",
        "task_not_grounded",
    );
    let cited = "in src/total.sh prints the sum, or `refused`; `items` of src/cart.sh stays.";
    is_refused(cited, "prints the sum.", "contract", "task_not_grounded");
    for scope in ["", " **", " ../elsewhere"] {
        let replace = format!("Scope (may touch):{scope}");
        is_refused(
            "Scope (may touch): src/**",
            &replace,
            "contract",
            "scope_anchor_missing",
        );
    }
}

#[test]
fn codes_that_disagree_go_no_further() {
    is_refused(
        "- `refused`: printed instead of a sum",
        "- `other`: printed instead of a sum",
        "contract",
        "codes_disagree",
    );
}

#[test]
fn a_wire_that_cannot_be_held_is_a_persons_to_settle() {
    // What the suite needs is ignored by git, and nobody froze it: the room is not like the repository.
    let add = Add::start("", Scope::Narrow, &[]);
    let suite = add.world.read("tests/run.sh");
    let needs = "[ -f agent/needed ] || count=7\n";
    let suite = suite.replace(
        "count=0 failed=0 body=\n",
        &format!("count=0 failed=0 body=\n{needs}"),
    );
    let suite = suite.replace(
        "done <tests/cases",
        "done <tests/cases\n[ $count -lt 7 ] || body=\"$body<testcase name=\\\"s9\\\"/>\"",
    );
    add.world.write("tests/run.sh", &suite);
    add.world.write("agent/needed", "");
    add.world.commit("needs more");
    add.run(2);
    add.decide("freeze", "read it").exits(0);
    add.run(2);
    let why = add.waits_for("escalated");
    assert!(
        why.contains("the clean room is not like the repository"),
        "{why}"
    );
    assert_eq!(add.stands().1, "tripwire_missing");
}

#[test]
fn a_task_that_is_built_again_says_why() {
    let add = Add::frozen(&data("security.toml"), Scope::Narrow, &[]);
    add.run(2);
    add.decide("rebuild", " ")
        .refuses(1, "rebuild_reason_required");
    add.decide("rebuild", "without eval").exits(0);
    add.is_in("build");
}

#[test]
fn what_the_critic_says_is_shown_with_the_freeze() {
    let add = Add::start(&data("gap.toml"), Scope::Narrow, &[]);
    add.run(2);
    add.waits_for("freeze");
    assert_eq!(add.world.status()["budgets"]["drafts"]["used"], 1);
    let brief = crate::quick::kept(&add.world, " specify brief");
    let gap = "no scenario has a cart without prices";
    assert!(brief.iter().any(|brief| brief.contains(gap)), "{brief:?}");
    // Who drafts anew hears what was answered as well, and not only what was reported.
    let answered = "No: no scenario of task/TASK.md has an empty cart";
    assert!(brief[0].contains(answered), "{}", brief[0]);
    let inbox = add.world.run(&["inbox"]).exits(0).out;
    for line in [
        "questions: cases (critique): `critic` says no: no scenario of task/TASK.md has an empty cart",
        "questions: shape (critique): `critic` says yes",
        gap,
    ] {
        assert!(inbox.contains(line), "no `{line}` in {inbox}");
    }
    assert_eq!(inbox.matches(gap).count(), 1, "{inbox}");
    // Who answers questions about the bundle has read it, and made nothing of it.
    assert!(inbox.contains("maker says  analyst"), "{inbox}");
    assert!(!inbox.contains("maker says  critic"), "{inbox}");
}

#[test]
fn nothing_is_begun_on_a_setup_that_nobody_has_locked() {
    let world = crate::support::World::new();
    let agent = "scripted:agent/script.toml";
    world.write("agent/script.toml", &data("honest.toml"));
    world
        .run(&["init", "--agent", agent, "--await-lock"])
        .exits(0);
    let new = ["new", "add", "Totals for carts", "--check", "true"];
    world.run(&new).refuses(1, "setup_unlocked");
    let guide = world.run(&["guide", "--json"]).exits(0).json();
    assert_eq!(guide[0]["commands"][0], "proofhouse lock --because '...'");
    // Without a terminal and without a key nobody is there.
    let words = ["lock", "--because", "read it"];
    world.run(&words).refuses(1, "human_presence_required");
    let key = world.approver("ann");
    let signed = [&words[..], &["--sign", key.to_str().unwrap()]].concat();
    let locked = world.run(&signed).exits(0).out;
    assert!(
        locked.contains("ann@example.org through ssh-signature"),
        "{locked}"
    );
    world.run(&signed).refuses(1, "already_locked");
    let guide = world.run(&["guide"]).exits(0).out;
    assert!(!guide.contains("proofhouse lock"), "{guide}");
    world.run(&new).exits(0);
    let config = world.read(".proofhouse/config.toml");
    world.write(
        ".proofhouse/config.toml",
        &format!("{config}\n# another one\n"),
    );
    for words in [&new[..], &["run", "totals-for-carts"]] {
        let said = world.run(words).refuses(1, "setup_unlocked");
        assert!(
            said.err.contains("since ann@example.org locked"),
            "{}",
            said.err
        );
    }
    world.run(&signed).exits(0);
    world.run(&["run", "totals-for-carts", "--once"]).exits(0);
}

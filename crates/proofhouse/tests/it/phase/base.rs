//! What is run before anybody works.

use crate::support::{CHECK, HONEST, World};

#[test]
fn what_is_red_before_the_work_stands_in_the_coders_brief() {
    let world = World::new();
    world.start(HONEST, &[]);
    world.run(&["run", "t"]).exits(0);
    let brief = crate::quick::kept(&world, " implement brief").remove(0);
    assert!(brief.contains("## Red before the work"), "{brief}");
    assert!(brief.contains("suite: grep -q good code.txt"), "{brief}");
    // Who only reads is told by the gates' own answers.
    let brief = crate::quick::kept(&world, " verify brief").remove(0);
    assert!(!brief.contains("## Red before the work"), "{brief}");
}

#[test]
fn what_is_green_before_the_work_is_nothing_to_tell() {
    let world = World::new();
    world.write("code.txt", "good already\n");
    world.commit("green");
    world.start(HONEST, &[]);
    world.run(&["run", "t"]).exits(0);
    let brief = crate::quick::kept(&world, " implement brief").remove(0);
    assert!(!brief.contains("## Red before the work"), "{brief}");
}

/// Asked once: whoever goes on all the same knows that the work is to make it run.
#[test]
fn nobody_works_where_a_check_cannot_be_run_unless_a_person_says_so() {
    let world = World::new();
    world.start(HONEST, &["--check", "./no-such-check"]);
    let key = world.approver("ann");
    let said = world.run(&["run", "t"]).exits(2);
    let asks = "(needs_user_decision): suite: `./no-such-check`: the shell cannot run it";
    assert!(said.out.contains(asks), "{}", said.out);
    let built = || crate::quick::kept(&world, " implement brief").len();
    assert_eq!(built(), 0, "somebody worked");
    world.decide(&key, "reopen").exits(0);
    let said = world.run(&["run", "t"]).exits(2);
    assert!(built() > 0, "nobody worked: {}", said.out);
}

/// What `new` takes, a sentence takes.
#[test]
fn a_sentence_sets_fields() {
    let world = World::new();
    world.write("agent/script.toml", HONEST);
    world.write(".gitignore", "agent/\n");
    let asked = ["phase", "be good", "--name", "t", "--dir", "tasks/t"];
    let how = ["--check", CHECK, "--agent", "scripted:agent/script.toml"];
    let set = ["--set", "not_doing=windows", "--autonomy", "auto"];
    let said = world.run(&[&asked[..], &how, &set].concat()).exits(0);
    assert!(said.out.contains("review -> done"), "{}", said.out);
    let state = world.read("tasks/t/STATE.md");
    assert!(state.contains("Not doing: windows"), "{state}");
}

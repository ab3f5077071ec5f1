//! What a person is shown and may answer when they are asked once more: what they said before, and to have
//! the engine's own checks run again without paying anybody.

use crate::support::{CHECK, HONEST, World};

fn attempts(world: &World) -> usize {
    world.status()["attempts"].as_array().unwrap().len()
}

#[test]
fn checks_are_proven_again_where_repairs_are_spent_and_nobody_is_paid_for_it() {
    let world = World::new();
    world.start(&HONEST.replace("good", "no better"), &[]);
    let said = world.run(&["run", "t"]).exits(2);
    assert!(said.out.contains("decide t look_again"), "{}", said.out);
    let key = world.approver("ann");
    let paid = attempts(&world);

    // Nothing was mended: it is judged once more, and the same is asked.
    world.decide(&key, "look_again").exits(0);
    let said = world.run(&["run", "t"]).exits(2);
    assert!(
        said.out.contains("waits for a person (budget)"),
        "{}",
        said.out
    );
    assert!(said.out.contains(&format!("- command: {CHECK}")));
    assert_eq!(attempts(&world), paid);
    // What was said the last time is shown with the question.
    let inbox = world.run(&["inbox"]).exits(0).out;
    let before = "before      ann@example.org decided `look_again`: I looked at it";
    assert!(inbox.contains(before), "{inbox}");
    // The short diff says where.
    assert!(inbox.contains("    1 +no better\n"), "{inbox}");
    let page = world.read("tasks/t/artifacts/evidence.html");
    let (_, ask) = page.split_once("Your answer is needed").unwrap();
    let (ask, _) = ask.split_once("</section>").unwrap();
    assert!(ask.contains("I looked at it"), "{ask}");

    world.write("code.txt", "good\n");
    world.decide(&key, "look_again").exits(0);
    world.run(&["run", "t", "--once"]);
    let log = world.run(&["log", "t"]).exits(0).out;
    assert!(log.contains("`verify` -> `review`"), "{log}");
    world.run(&["audit"]).exits(0);
}

#[test]
fn what_no_command_has_refused_is_not_looked_at_again() {
    let world = World::new();
    world.start(
        "[[attempt]]\nstate = \"intake\"\nresult = { summary = \"x\", next = \"verify\" }\n",
        &[],
    );
    let said = world.run(&["run", "t"]).exits(2);
    assert!(!said.out.contains("look_again"), "{}", said.out);
    let key = world.approver("ann");
    let said = world
        .decide(&key, "look_again")
        .refuses(1, "unknown_option");
    assert!(
        said.err.contains("choose one of: extend, stop\n"),
        "{}",
        said.err
    );
}

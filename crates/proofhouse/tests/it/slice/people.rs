//! What people answer, and what they edit: each makes a new snapshot before the next step.

use super::snapshots::until_snapshots;
use super::{begin, begin_with, failures, headers, path, played, snapshot, transcript};
use crate::support::{Said, World};

#[test]
fn people_answer_extend_approve_and_stop() {
    let world = begin("asks");
    let key = key(&world);
    let said = world.run(&["run", "t"]).exits(2);
    assert!(said.out.contains("question"), "{}", said.out);
    decide(&world, &key, "answer", "a nickname is fine").exits(0);
    world.run(&["run", "t"]).exits(0);
    let text = world.read("agent/context.md");
    assert!(
        text.contains("(question): ") && text.contains("a nickname is fine"),
        "{text}"
    );

    let world = begin("happy");
    let key = self::key(&world);
    world.run(&["run", "t", "--once"]).exits(0);
    decide(&world, &key, "stop", "not now").exits(0);
    assert_eq!(world.status()["activity"], "stopped");
    assert_eq!(headers(&world).len(), 1);

    let world = begin_with("happy", &["--budget", "attempts=3"]);
    let key = self::key(&world);
    world.run(&["run", "t"]).exits(2);
    assert_eq!(world.status()["waiting_for"]["reason"], "budget");
    for _ in 0..2 {
        decide(&world, &key, "extend", "go on").exits(0);
        world.run(&["run", "t"]);
    }
    assert_eq!(world.status()["activity"], "done");

    let world = begin_with("happy", &["--autonomy", "conservative"]);
    let key = self::key(&world);
    world.run(&["run", "t"]).exits(2);
    assert_eq!(world.status()["waiting_for"]["reason"], "approval");
    decide(&world, &key, "approve", "I read the record").exits(0);
    world.run(&["run", "t"]).exits(0);
    assert_eq!(path(&world).last().unwrap(), "done");
}

/// The text of the first snapshot whose header has this line.
fn with_line(world: &World, line: &str) -> Option<usize> {
    let count = headers(world).len();
    let has = |iteration: &usize| {
        let text = snapshot(world, u32::try_from(*iteration).unwrap());
        text.lines().take(11).any(|one| one == line)
    };
    (1..=count).find(has)
}

#[test]
fn scope_is_revised_by_a_new_header_and_only_then_do_scouts_see_more() {
    let world = played("scope-revised");
    let seen = transcript(&world, "scout", 1);
    assert!(seen.contains("./secret/plans.txt"), "{seen}");
    let line = "Scope cap: Only `src/**` and `secret/plans.txt`.";
    let at = with_line(&world, line).unwrap();
    let journal = world.journal();
    let file = format!("context/iter-{at:04}.md");
    let taken = journal
        .iter()
        .position(|record| record["body"]["file"] == file.as_str());
    let scouted = journal.iter().rposition(|record| {
        record["kind"] == "effect_began.v1" && record["body"]["role"] == "scout"
    });
    assert!(taken.unwrap() < scouted.unwrap(), "the header comes first");
}

#[test]
fn a_scout_goes_for_each_unknown_with_a_scope_of_its_own() {
    let world = begin("scope-revised");
    let said = world.run(&["run", "t"]).exits(0);
    // Whoever follows it reads what each is sent for.
    for asked in [
        "by the scout on I-0001: what is planned?",
        "by the scout on I-0002: who else greets?",
    ] {
        assert!(said.out.contains(asked), "no `{asked}` in {}", said.out);
    }
    let wrong = failures(&world);
    for refused in [
        "nothing is unknown that somebody could look into",
        "`scope` of `what is planned?` shows no file inside of `Scope cap`",
        "src/greet.txt:1 is outside of the question's own scope",
    ] {
        assert!(wrong.contains(refused), "{refused} in {wrong}");
    }
    let (plans, greeting) = (
        transcript(&world, "scout", 1),
        transcript(&world, "scout", 2),
    );
    assert!(plans.contains("./secret/plans.txt"), "{plans}");
    assert!(!plans.contains("./src/greet.txt"), "{plans}");
    assert!(greeting.contains("./src/greet.txt"), "{greeting}");
    for hidden in ["secret", "private"] {
        assert!(!greeting.contains(hidden), "{hidden} in {greeting}");
    }
    // Both were at it at once, whoever came back first.
    let journal = world.journal();
    let scouts = journal.iter().filter(|record| {
        let body = &record["body"];
        let begun = body["kind"] == "attempt" && body["state"] == "scout";
        begun || record["kind"] == "attempt_ended.v1"
    });
    let steps: Vec<&str> = scouts
        .map(|record| record["kind"].as_str().unwrap())
        .collect();
    let steps = steps.join(" ");
    assert!(
        steps.contains("effect_began.v1 effect_began.v1 attempt_ended.v1"),
        "{steps}"
    );
    // Both lots of findings are in the snapshot that follows, each under its question.
    let mut texts =
        (1..=headers(&world).len()).map(|at| world.read(&format!("agent/context/iter-{at:04}.md")));
    let text = texts
        .find(|text| text.contains("who else greets? — closed by E-0004"))
        .unwrap();
    for found in [
        "- E-0003 (scout, I-0001): secret/plans.txt:1\n",
        "- E-0004 (scout, I-0002): src/greet.txt:1\n",
    ] {
        assert!(text.contains(found), "{found} in {text}");
    }
    world.run(&["audit"]).exits(0);
}

#[test]
fn what_a_person_has_set_no_agent_widens() {
    let cap = "scope_cap=Only `src/**`.";
    let world = begin_with("scope-revised", &["--set", cap]);
    world.run(&["run", "t"]).exits(2);
    let wrong = failures(&world);
    assert!(
        wrong.contains("`scope` of `what is planned?` shows no file inside of `Scope cap`"),
        "{wrong}"
    );
    assert_eq!(
        with_line(&world, "Scope cap: Only `src/**` and `secret/plans.txt`."),
        None
    );
}

#[test]
fn a_person_who_edits_the_header_gets_a_new_snapshot_before_the_next_step() {
    let world = begin("happy");
    until_snapshots(&world, 1);
    let state = world.read("agent/STATE.md");
    let edited = state.replace("not `!src/private/**`; enough", "nothing else; enough");
    assert_ne!(edited, state);
    world.write("agent/STATE.md", &edited);
    world.run(&["run", "t", "--once"]).exits(0);
    let text = snapshot(&world, 2);
    assert!(
        text.contains("Scope cap: Only `src/**`, nothing else; enough"),
        "{text}"
    );
    assert!(text.contains("Last gate run: none\n"), "{text}");
    world.run(&["run", "t"]).exits(0);
    assert_eq!(headers(&world).len(), 5);
    world.run(&["audit"]).exits(0);
}

pub(super) fn key(world: &World) -> std::path::PathBuf {
    let made = world.approver("ada");
    // The task folder is the run's: keys do not belong there.
    let key = world.at("tools/ada");
    std::fs::rename(&made, &key).unwrap();
    std::fs::remove_file(made.with_extension("pub")).unwrap();
    key
}

pub(super) fn decide(world: &World, key: &std::path::Path, option: &str, because: &str) -> Said {
    let key = key.to_str().unwrap();
    world.run(&["decide", "t", option, "--because", because, "--sign", key])
}

/// A request that asks for one small change is its own slice: whoever frames it need not say it otherwise.
#[test]
fn a_slice_may_be_the_request_itself() {
    let world = super::begin("happy");
    let script = world.read("tools/script.toml");
    let same = script.replace("\"Greet Ada by name.\"", "\"greet Ada\"");
    assert_ne!(script, same);
    world.write("tools/script.toml", &same);
    world.run(&["run", "t", "--once"]);
    assert_eq!(world.status()["state"], "scout", "{}", world.judged("t"));
}

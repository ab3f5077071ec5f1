//! What people say about a milestone as a whole, and what is asked of it before it begins.

use super::{count, facts, milestone, status, task, world};
use crate::support::{Said, World};
use std::path::Path;

#[track_caller]
fn tick(world: &World, key: &Path, which: &str, because: &str) -> Said {
    let key = key.to_str().unwrap();
    let args = [
        "wave",
        "tick",
        "m",
        which,
        "--because",
        because,
        "--sign",
        key,
    ];
    world.run(&args)
}

#[test]
fn a_criterion_without_a_command_is_ticked_by_a_person_and_by_nobody_else() {
    let world = world();
    let key = world.approver("ann");
    let head = "criteria = [\"a is there (verify: test -f a.txt)\", \"messages are kind\", \"it is nice\"]\n";
    milestone(&world, "m", head, &[task("a", "")]);
    tick(&world, &key, "2", "too early").refuses(1, "milestone_incomplete");
    let said = world.run(&["wave", "run", "m"]).exits(2);
    assert!(
        said.out.contains("proofhouse wave tick m 2"),
        "{}",
        said.out
    );
    assert_eq!(status(&world, "m")["goal_met"], false);
    tick(&world, &key, "7", "?").refuses(1, "criterion_unknown");
    tick(&world, &key, "1", "I looked").refuses(1, "criterion_has_proof");
    tick(&world, &key, "2", "  ").refuses(1, "tick_reason_required");
    world
        .run(&["wave", "tick", "m", "2", "--because", "I looked"])
        .refuses(1, "signature_required");
    tick(&world, &key, "2", "read them all").exits(0);
    world.run(&["wave", "run", "m"]).exits(2);
    tick(&world, &key, "it is nice", "looked at it").exits(0);
    world.run(&["wave", "run", "m"]).exits(0);
    let now = status(&world, "m");
    assert_eq!(now["goal_met"], true);
    assert_eq!(now["criteria"][1]["stands"], "ticked by ann@example.org");
    let page = world.read(".proofhouse/milestones/m/MILESTONE.md");
    assert!(
        page.contains("- [x] messages are kind (ticked by ann@example.org)"),
        "{page}"
    );
    assert_eq!(count(&world, "m", "criterion_ticked.v1"), 2);
    world.run(&["audit", "--ci"]).exits(0);
    // Somebody else's name under the same signature is none.
    use store::{Entry, Journal, Replay, RunName};
    let (dir, name) = (
        world.at(".proofhouse/milestones/m"),
        RunName::new("wave").unwrap(),
    );
    let mut entries = Vec::new();
    Journal::read(&dir, &name, Replay::default(), |record| {
        let body = record
            .body
            .get()
            .replace("\"who\":\"ann@", "\"who\":\"bob@");
        entries.push(Entry {
            at: record.at,
            kind: record.kind.to_owned(),
            body: serde_json::from_str(&body).unwrap(),
        });
        Ok(())
    })
    .unwrap();
    std::fs::remove_file(dir.join("wave.jsonl")).unwrap();
    Journal::create(&dir, &name)
        .unwrap()
        .append(0, &entries)
        .unwrap();
    let said = world.run(&["audit", "--ci"]).exits(1);
    assert!(said.out.contains("forged_decision"), "{}", said.out);
}

#[test]
fn the_sandbox_is_waived_for_a_milestone_by_a_person_and_its_runs_say_so() {
    let world = world();
    let key = world.approver("ann");
    milestone(&world, "m", "", &[task("a", "")]);
    world
        .run(&["wave", "run", "m", "--waive-sandbox"])
        .refuses(1, "signature_required");
    let key = key.to_str().unwrap();
    let args = ["wave", "run", "m", "--waive-sandbox", "--sign", key];
    world.run(&args).exits(0);
    world.run(&args).exits(0);
    assert_eq!(count(&world, "m", "wave_sandbox_waived.v1"), 1);
    let said = &facts(&world, "m")[0]["body"];
    assert_eq!(said["who"], "ann@example.org");
    assert!(
        said["channel"]
            .as_str()
            .unwrap()
            .starts_with("ssh-signature SHA256:")
    );
    assert_eq!(status(&world, "m")["sandbox_waived_by"], "ann@example.org");
    let run = world.read(".proofhouse/journal/m-a.jsonl");
    let run: serde_json::Value = serde_json::from_str(run.lines().next().unwrap()).unwrap();
    assert_eq!(run["body"]["sandbox_waived_by"], "ann@example.org");
    let through = run["body"]["sandbox_waived_through"].as_str().unwrap();
    assert_eq!(through, "milestone m");
    world.run(&["audit", "--ci"]).exits(0);
}

#[test]
fn a_stage_that_no_roadmap_plans_is_refused() {
    let world = world();
    milestone(&world, "m", "stage = \"mvp\"\n", &[task("a", "")]);
    world
        .run(&["wave", "run", "m"])
        .refuses(1, "stage_no_roadmap");
    assert!(!world.at("agent/agent.log").exists(), "nobody was started");
    world.write("ROADMAP.md", "# Roadmap\n\n## MVP\n- `m`: the first one\n");
    world.run(&["wave", "run", "m"]).exits(0);
}

/// Whoever names a milestone, or one run of many, is shown that, and told what goes on with it.
#[test]
fn a_milestone_and_its_runs_are_asked_for_by_name() {
    let world = world();
    let key = world.approver("ann");
    let tasks = [
        task("a", "autonomy = \"conservative\""),
        task("b", "autonomy = \"conservative\""),
    ];
    milestone(&world, "m", "", &tasks);
    world.run(&["wave", "run", "m"]).exits(2);
    let one = world.run(&["inbox", "m-a"]).exits(0).out;
    assert!(
        one.contains("`m-a` waits") && !one.contains("`m-b`"),
        "{one}"
    );
    world.run(&["inbox", "m-z"]).refuses(1, "unknown_run");
    let shown = world.run(&["wave", "status", "m"]).exits(0).out;
    assert_eq!(world.run(&["status", "m"]).exits(0).out, shown);
    let due = world.run(&["report", "m"]).exits(0).out;
    assert!(
        due.starts_with(&shown) && due.contains("2 decisions due"),
        "{due}"
    );
    let due = world.run(&["report", "m-b", "--json"]).exits(0).json();
    assert_eq!(due["decisions"].as_array().unwrap().len(), 1, "{due}");
    let due = world.run(&["report", "m", "--json"]).exits(0).json();
    assert_eq!(due["milestone"]["tasks"].as_array().unwrap().len(), 2);
    world.run(&["report", "z"]).refuses(1, "unknown_run");
    let now = world.run(&["guide", "m"]).exits(0).out;
    assert!(now.contains("decide m-a approve"), "{now}");
    // What drives it is the wave: who drove the run alone would leave it unmerged.
    let sign = key.to_str().unwrap();
    let said = world.run(&[
        "decide",
        "m-a",
        "reject",
        "--because",
        "too long",
        "--sign",
        sign,
    ]);
    let said = said.exits(0).out;
    assert!(said.contains("next: proofhouse wave run m\n"), "{said}");
    let said = world.run(&["status", "m-a"]).exits(0).out;
    assert!(said.contains("next: proofhouse wave run m\n"), "{said}");
}

#[test]
fn a_task_that_a_person_stopped_stays_stopped() {
    let world = world();
    let key = world.approver("ann");
    milestone(&world, "m", "", &[task("a", ""), task("b", "")]);
    let fails = super::script("{ run = \"false\", must = true }");
    world.write("agent/a.toml", &fails);
    world.run(&["wave", "run", "m"]).exits(2);
    let asked = [
        "decide",
        "m-a",
        "stop",
        "--because",
        "not worth it",
        "--sign",
    ];
    let key = key.to_str().unwrap();
    world.run(&[&asked[..], &[key]].concat()).exits(0);
    for _ in 0..2 {
        let said = world.run(&["wave", "run", "m"]);
        assert!(
            said.err.contains("milestone_incomplete"),
            "{}\n{}",
            said.out,
            said.err
        );
    }
    assert!(world.read("b.txt").starts_with('b'));
    assert!(!world.at(".proofhouse/journal/m-a-2.jsonl").exists());
    world.run(&["audit", "--ci"]).exits(0);
}

/// What a person has set for all runs holds for those of a wave; a task cannot ask for less of them.
#[test]
fn who_wants_to_approve_runs_approves_those_of_a_wave() {
    let world = world();
    let config = "[approvals]\nautonomy = \"conservative\"\n";
    world.write(".proofhouse/config.toml", config);
    milestone(
        &world,
        "m",
        "",
        &[task("a", ""), task("b", "autonomy = \"auto\"")],
    );
    let main = world.git(&["rev-parse", "main"]);
    let said = world.run(&["wave", "run", "m"]).exits(2);
    for run in ["m-a", "m-b"] {
        let waits = format!("`{run}` waits for a person (approval)");
        assert!(said.out.contains(&waits), "no {waits} in {}", said.out);
    }
    assert_eq!(world.git(&["rev-parse", "main"]), main);
}

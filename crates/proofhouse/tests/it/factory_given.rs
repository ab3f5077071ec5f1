//! What a person gives to the factory is judged when it is given, through the real binary: a spec that
//! holds a key, and a fix that could not stand where its module is. Refused, it has changed nothing.

use crate::factory::{spec, task};
use crate::factory_run::{
    EXAMPLES, FIRST, MOMENT, MOMENT_TESTS, approve, challenge, module, proposal, writes,
};
use crate::factory_ship::{RED, moment_plan, one_task, refused};
use crate::support::{Said, World};
use serde_json::{Value, json};

/// Every file of the repository, with what it holds.
fn files(world: &World) -> Vec<(String, Vec<u8>)> {
    let paths = store::walk(world.path(), &|_| false).unwrap();
    let read = |path: std::path::PathBuf| {
        let bytes = std::fs::read(world.path().join(&path)).unwrap();
        (path.display().to_string(), bytes)
    };
    paths.into_iter().map(read).collect()
}

#[test]
fn a_spec_that_holds_a_key_starts_no_project_and_leaves_nothing_behind() {
    let key = format!("sk-ant-{}", "api03-abcdefghijabcdefghij");
    let world = World::new();
    let start = ["factory", "start", "spec.json", "--name", "p"];
    // Wherever in the document it stands, and however its JSON is written.
    let mut first = task(1, &[]);
    first["acceptance_criteria"] = json!([format!("signs in with {key}"), "rejects another"]);
    let plain = spec(&[first]).to_string();
    let mut titled = spec(&[task(1, &[])]);
    titled["title"] = json!(format!("Log reader {key}"));
    let escaped = titled.to_string().replace("sk-ant", "\\u0073k-ant");
    assert!(!escaped.contains(&key));
    for text in [plain, escaped] {
        world.write("spec.json", &text);
        world.run(&["factory", "validate", "spec.json"]).exits(0);
        let before = files(&world);
        let said = world.run(&start).refuses(1, "document_holds_key");
        assert!(!said.err.contains(&key), "{}", said.err);
        assert_eq!(files(&world), before);
        assert!(!world.at(".proofhouse").exists());
    }
    // It was the key, and nothing else.
    world.write("spec.json", &spec(&[task(1, &[])]).to_string());
    world.run(&start).exits(0);
}

/// A project whose one module is rejected as it was proposed, and approved once `fixed` is said.
fn halted(fixed: &str) -> (World, String) {
    let wrong = MOMENT.replace("split_once(' ')", "split_once('-')");
    let mut steps = writes("MM-moment", &wrong, MOMENT_TESTS);
    let deep = "repo/state_store/modules/MM-moment/1.0.0/tests/data/line.txt";
    let all = steps.as_array_mut().unwrap();
    all.push(json!({"write": deep, "text": "1 a"}));
    let rejects = json!({
        "decision": "REJECT", "amendments": [], "rationale": "the blank still fails",
        "ship_directive": "NO_SHIP",
    });
    let world = one_task(vec![
        json!({"state": "challenge", "brief": fixed, "result": challenge("PASS")}),
        json!({"state": "adjudicate", "brief": fixed, "result": approve()}),
        json!({"state": "micro_plan", "result": moment_plan()}),
        json!({"state": "propose", "steps": steps, "result": proposal()}),
        json!({"state": "revise", "steps": [], "result": proposal()}),
        json!({"state": "challenge", "result": challenge("FAIL")}),
        json!({"state": "adjudicate", "result": rejects}),
    ]);
    world.run(&["factory", "run", "p"]).exits(2);
    let key = world.approver("ann").display().to_string();
    (world, key)
}

/// Gives a fix for the first task that halted.
pub(crate) fn fixes(world: &World, what: &str, artifacts: &Value, more: &[&str]) -> Said {
    let fix = json!({"fix_description": what, "fix_artifacts": artifacts});
    world.write("agent/fix.json", &fix.to_string());
    let resolve = [
        "resolve",
        FIRST,
        "--action",
        "PROVIDE_FIX",
        "--payload",
        "agent/fix.json",
        "--because",
        "seen it",
    ];
    world.run(&[&resolve[..], more].concat())
}

#[test]
fn s17_2_a_fix_that_meets_a_file_or_a_folder_of_its_module_is_refused_when_it_is_given() {
    let fixed = "splits at the blank now";
    let (world, key) = halted(fixed);
    let before = world.read(".proofhouse/journal/p.jsonl");
    let refuses = |name: &str, code: &str, words: &str| {
        let artifacts = json!({"implementation/lib.rs": MOMENT, name: "of no use"});
        // Nobody is asked to sign what will be refused.
        for more in [&["--sign", &key][..], &[]] {
            let said = fixes(&world, fixed, &artifacts, more).refuses(1, code);
            assert!(said.err.contains(words), "{words} is not in {}", said.err);
        }
        assert_eq!(world.read(".proofhouse/journal/p.jsonl"), before);
        assert!(!module(&world, "MM-moment", "implementation/lib.rs").contains("split_once(' ')"));
    };
    let taken = "fix_path_taken";
    refuses(
        "tests/lines.rs/more.rs",
        taken,
        "tests/lines.rs is a file in MM-moment@1.0.0",
    );
    refuses(
        "examples.md/more.md",
        "fix_path_outside",
        "no file of a module",
    );
    refuses(
        "tests/data",
        taken,
        "\"tests/data\", which is a folder in MM-moment@1.0.0",
    );
    refuses(
        "tests/data/line.txt/a/b",
        taken,
        "tests/data/line.txt is a file",
    );
    // The ship writes its log over whatever stands there.
    refuses(
        "tests/execution_log.json",
        "fix_path_outside",
        "no file of a module",
    );
    // One that stands beside what is there is taken, and ships.
    let good = json!({
        "implementation/lib.rs": MOMENT, "tests/data/more.txt": "2 b", "examples.md": EXAMPLES,
    });
    fixes(&world, fixed, &good, &["--sign", &key]).exits(0);
    world.run(&["factory", "run", "p"]).exits(0);
    refused(&world, &[RED; 3]);
    assert_eq!(module(&world, "MM-moment", "tests/data/more.txt"), "2 b");
}

#[test]
fn s17_2_a_folder_that_comes_after_the_fix_was_given_is_found_by_its_ship() {
    let fixed = "splits at the blank now";
    let (world, key) = halted(fixed);
    let good = json!({"implementation/lib.rs": MOMENT, "tests/more.txt": "2 b"});
    fixes(&world, fixed, &good, &["--sign", &key]).exits(0);
    let folder = world.at(".proofhouse/state_store/modules/MM-moment/1.0.0/tests/more.txt");
    std::fs::create_dir(&folder).unwrap();
    std::fs::write(folder.join("in-the-way"), "").unwrap();
    world.run(&["factory", "run", "p"]).exits(2);
    refused(
        &world,
        &[
            RED,
            RED,
            RED,
            (
                "interface_fingerprint",
                &["the fix names \"tests/more.txt\", which is a folder"],
            ),
            ("public_surface", &["changed after the debate"]),
            ("black_box_tests", &["changed after the debate"]),
        ],
    );
}

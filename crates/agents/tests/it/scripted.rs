//! What only the scripted agent owes: each step, the log, and being as rogue as it is told.

use crate::world::{World, transcript};
use agents::{Agent, Order, Scripted};
use kernel::outcome::Class;
use sandbox::Cancel;
use std::fs;
use std::os::unix::fs::PermissionsExt;

const RESULT: &str = r#"result = { summary = "s" }"#;

fn script(world: &World, text: &str) -> Scripted {
    Scripted::parse("embedded", text, &world.path("home")).expect("a script")
}

fn steps(world: &World, steps: &str) -> Scripted {
    script(
        world,
        &format!("[[attempt]]\nsteps = [{steps}]\n{RESULT}\n"),
    )
}

#[test]
fn every_step_does_what_it_says() {
    let world = World::new();
    fs::write(
        world.path("view/task/STATE.md"),
        "# Task\r\nPhase: build\r\nPhases: x\r\n",
    )
    .expect("STATE.md");
    fs::create_dir_all(world.path("view/repo/old/deep")).expect("a folder");
    let agent = steps(
        &world,
        r#"{ write = "repo/src/lib.rs", text = "a + b; a + c" },
           { edit = "repo/src/lib.rs", find = "a + b", replace = "a - b" },
           { edit = "repo/src/lib.rs", find = "a", replace = "x", all = true },
           { append = "task/deep/EVIDENCE.md", text = "one\n" },
           { append = "task/deep/EVIDENCE.md", text = "two\n" },
           { set = "Phase", to = "verify" },
           { delete = "repo/old" },
           { write = "repo/run.sh", text = "" }, { chmod = "repo/run.sh", mode = "750" },
           { symlink = "repo/link", to = "../../outside" },
           { write = "../outside", text = "rogue" },
           { print = "garbage" },
           { run = "pwd; cat link; exit 4" },
           { wait = 0.001 }"#,
    );
    let reply = world.run(&agent);
    assert_eq!(reply.class, Class::Done, "{}", transcript(&reply));
    assert_eq!(world.read("view/repo/src/lib.rs"), "x - b; x + c");
    assert_eq!(world.read("view/task/deep/EVIDENCE.md"), "one\ntwo\n");
    assert_eq!(
        world.read("view/task/STATE.md"),
        "# Task\r\nPhase: verify\r\nPhases: x\r\n"
    );
    assert!(!world.path("view/repo/old").exists());
    let mode = fs::metadata(world.path("view/repo/run.sh"))
        .expect("run.sh")
        .permissions()
        .mode();
    assert_eq!(mode & 0o7777, 0o750);
    assert_eq!(world.read("outside"), "rogue");
    let text = transcript(&reply);
    for line in [
        "> write repo/src/lib.rs",
        "> print\ngarbage\n> run pwd",
        "/view/repo\nrogue\n(exit code 4)\n",
        "[done: it left a valid result]",
    ] {
        assert!(text.contains(line), "{line:?} is not in:\n{text}");
    }
}

#[test]
fn a_step_that_fails_ends_the_attempt() {
    let cases = [
        (
            r#"{ delete = "repo/none" }"#,
            "step `delete repo/none` failed: No such file",
        ),
        (
            r#"{ write = "repo/a", text = "xx" }, { edit = "repo/a", find = "x", replace = "" }"#,
            "\"x\" occurs 2 times; make it longer, or add all = true",
        ),
        (
            r#"{ write = "repo/a", text = "xx" }, { edit = "repo/a", find = "y", replace = "" }"#,
            "\"y\" does not occur in the file",
        ),
        (
            r#"{ write = "task/STATE.md", text = "State: x\n" }, { set = "Phase", to = "x" }"#,
            "task/STATE.md has no `Phase:` line",
        ),
        (
            r#"{ run = "exit 5", must = true }"#,
            "`exit 5` had to succeed: exit code 5",
        ),
        (
            r#"{ write = "/proc/none/x", text = "" }"#,
            "step `write /proc/none/x` failed: ",
        ),
    ];
    for (case, expected) in cases {
        let world = World::new();
        let agent = steps(&world, case);
        let reply = world.run(&agent);
        assert_eq!(reply.class, Class::Crashed, "{case}");
        assert!(reply.reason.contains(expected), "{}", reply.reason);
        assert!(
            transcript(&reply).contains(&reply.reason),
            "it is in the transcript"
        );
        assert_eq!(agent.recover(&world.order()), None);
    }
}

#[test]
fn the_log_has_a_line_for_each_start_and_finish() {
    let world = World::new();
    let text = format!(
        "log = \"agent.log\"\n[[attempt]]\nattempt = 1\nsteps = [{{ crash = 1 }}]\n[[attempt]]\nattempt = 2\n{RESULT}\n"
    );
    let agent = script(&world, &text);
    for nth in 1..=3 {
        let order = Order {
            nth,
            effect: 6 + nth,
            ..world.order()
        };
        agent.run(&order, &Cancel::new(), &|_| {});
    }
    // The third found no entry: it never started, so it left no line.
    let expected = "start run=r1 effect=7 state=implement nth=1\n\
                    finish run=r1 effect=7 state=implement nth=1 class=crashed\n\
                    start run=r1 effect=8 state=implement nth=2\n\
                    finish run=r1 effect=8 state=implement nth=2 class=done\n";
    assert_eq!(world.read("home/agent.log"), expected);
}

#[test]
fn an_attempt_without_an_entry_could_not_run() {
    let world = World::new();
    let reply = world.run(&script(&world, "[[attempt]]\nstate = \"plan\"\n"));
    assert_eq!(reply.class, Class::CouldNotRun);
    let expected = "script embedded has no [[attempt]] for state `implement`, role `coder`, attempt 1; add one";
    assert_eq!(reply.reason, expected);
}

#[test]
fn usage_counts_however_the_attempt_ends() {
    for tail in ["result_text = \"x\"", "steps = [{ crash = 1 }]", "", RESULT] {
        let world = World::new();
        let text = format!("[[attempt]]\nusage = {{ micro_dollars = 4 }}\n{tail}\n");
        assert_eq!(
            world.run(&script(&world, &text)).usage.micro_dollars,
            4,
            "{tail}"
        );
    }
}

#[test]
fn progress_names_the_steps() {
    let world = World::new();
    let said = std::cell::RefCell::new(Vec::new());
    let agent = steps(
        &world,
        r#"{ print = "x" }, { write = "repo/a", text = "" }"#,
    );
    agent.run(&world.order(), &Cancel::new(), &|line| {
        said.borrow_mut().push(line.to_owned())
    });
    assert_eq!(said.into_inner(), ["print", "write repo/a"]);
}

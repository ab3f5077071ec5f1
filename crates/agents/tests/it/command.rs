//! What only the `command` connector owes: its environment, and distrust of its program.

use crate::world::{World, transcript};
use agents::{Agent, AgentSpec, Command, Order};
use kernel::outcome::Class;
use sandbox::Cancel;
use std::cell::RefCell;
use std::fs;
use std::time::Duration;

fn shell(text: &str) -> Command {
    Command::new(["sh", "-c", text].map(str::to_owned).to_vec()).expect("an agent")
}

const LEAVE: &str = r#"echo '{"summary":"s","usage":{"micro_dollars":5}}' > "$PROOFHOUSE_RESULT""#;

#[test]
fn the_program_gets_the_brief_and_its_surroundings() {
    let world = World::new();
    let order = Order {
        env: [("EXTRA".into(), "e".into())].into(),
        ..world.order()
    };
    let agent = shell(
        r#"cat > stdin.txt
        cmp stdin.txt "$PROOFHOUSE_BRIEF" || exit 1
        pwd -P > pwd.txt
        echo "$PROOFHOUSE_RUN $PROOFHOUSE_STATE $PROOFHOUSE_ROLE $PROOFHOUSE_ATTEMPT $EXTRA"
        echo "$PROOFHOUSE_VIEW" > view.txt
        echo here > "$PROOFHOUSE_REPO_DIR/repo.txt"
        echo here > "$PROOFHOUSE_TASK_DIR/task.txt"
        echo '{"summary":"s"}' > "$PROOFHOUSE_RESULT""#,
    );
    let told = RefCell::new(Vec::new());
    let reply = agent.run(&order, &Cancel::new(), &|line| {
        told.borrow_mut().push(line.to_owned())
    });
    assert_eq!(reply.class, Class::Done, "{}", transcript(&reply));
    // What it prints is told while it works.
    assert_eq!(told.borrow()[1], "r1 implement coder 1 e");
    assert_eq!(
        transcript(&reply).lines().next(),
        Some("r1 implement coder 1 e")
    );
    let repo = fs::canonicalize(world.path("view/repo")).expect("the repo");
    assert_eq!(
        world.read("view/repo/pwd.txt").trim(),
        repo.display().to_string()
    );
    assert_eq!(
        world.read("view/repo/view.txt").trim(),
        world.path("view").display().to_string()
    );
    assert_eq!(world.read("view/repo/repo.txt"), "here\n");
    assert_eq!(world.read("view/task/task.txt"), "here\n");
}

#[test]
fn a_crash_quotes_the_last_line_of_stderr_and_its_result_does_not_count() {
    let world = World::new();
    let agent = shell(&format!(
        "{LEAVE}; echo one >&2; echo 'no key' >&2; echo >&2; exit 3"
    ));
    let reply = world.run(&agent);
    assert_eq!(reply.class, Class::Crashed);
    assert_eq!(reply.reason, "exit code 3: no key");
    assert_eq!(reply.result, None);
    assert_eq!(reply.usage.micro_dollars, 5, "it was paid for");
    assert_eq!(agent.recover(&world.order()), None);
}

#[test]
fn whoever_leaves_no_result_is_quoted_too() {
    let world = World::new();
    let reply = world.run(&shell("echo 'agent: not found' >&2"));
    assert_eq!(reply.class, Class::Crashed);
    assert_eq!(reply.reason, "it left no result: agent: not found");
    let world = World::new();
    let reply = world.run(&shell(
        "echo 'agent: not found' >&2; : > \"$PROOFHOUSE_RESULT\"",
    ));
    assert_eq!(reply.class, Class::InvalidResult);
    assert!(
        reply.reason.ends_with(": agent: not found"),
        "{}",
        reply.reason
    );
}

#[test]
fn what_we_killed_is_killed_even_with_a_result_and_a_clean_exit() {
    let world = World::new();
    let agent = shell(&format!(
        "trap 'exit 0' TERM; {LEAVE}; while :; do sleep 0.05; done"
    ));
    let order = Order {
        wall: Duration::from_millis(300),
        ..world.order()
    };
    let reply = agent.run(&order, &Cancel::new(), &|_| {});
    assert_eq!((reply.class, reply.result), (Class::TimedOut, None));
    assert_eq!(agent.recover(&order), None);
}

#[test]
fn a_signal_is_a_crash() {
    let reply = World::new().run(&shell("kill -KILL $$"));
    assert_eq!(
        (reply.class, reply.reason.as_str()),
        (Class::Crashed, "ended by signal 9")
    );
}

#[test]
fn a_missing_program_could_not_run() {
    let agent = Command::new(vec!["no-such-program-here".into()]).expect("an agent");
    let reply = World::new().run(&agent);
    assert_eq!(reply.class, Class::CouldNotRun);
    assert!(
        reply.reason.contains("no-such-program-here"),
        "{}",
        reply.reason
    );
}

#[test]
fn an_empty_command_is_refused() {
    let error = AgentSpec::Command {
        argv: Vec::new(),
        env: Default::default(),
        idle: None,
    }
    .build()
    .err()
    .expect("nothing to run");
    assert_eq!(error.code(), "agent_no_program");
}

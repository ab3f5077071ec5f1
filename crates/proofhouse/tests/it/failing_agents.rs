//! Agents that die or leave a wrong result again and again: the person hears that the agent failed and
//! how, once, and what it had made is not lost.

use crate::quick::kept;
use crate::support::{CHECK, Said, World, says};
use std::os::unix::fs::PermissionsExt;

/// A repository, and a run `t` of `quick` by this program, as far as it comes.
fn driven(program: &str, more: &[&str]) -> (World, Said) {
    let world = World::of_ann();
    world.write("agent/it", &format!("#!/bin/sh\n{program}"));
    let runs = std::fs::Permissions::from_mode(0o755);
    std::fs::set_permissions(world.at("agent/it"), runs).unwrap();
    let agent = format!("command:{}", world.at("agent/it").display());
    let task = ["do", "be good", "--name", "t", "--check", CHECK, "--agent"];
    let said = says(&world, &[&task[..], &[&agent], more].concat());
    (world, said)
}

#[test]
fn who_dies_again_and_again_is_what_the_person_hears_of_and_only_what_is_offered_can_be_answered() {
    let (world, said) = driven("echo 'boom: no key' >&2\nexit 7\n", &[]);
    let said = said.exits(2);
    let (_, asked) = said
        .out
        .split_once("waits for a person (trouble): ")
        .unwrap();
    let (first, rest) = asked.split_once('\n').unwrap();
    assert_eq!(
        first,
        "the agent failed 3 times in a row (crashed): exit code 7: boom: no key"
    );
    for part in [
        "`proofhouse log t --attempt`",
        "`proofhouse run t --agent OTHER`",
    ] {
        assert!(rest.contains(part), "no `{part}` in\n{rest}");
    }
    assert_eq!(said.out.matches("boom: no key").count(), 2, "{}", said.out);
    assert_eq!(said.out.matches("the same as e0003").count(), 2);

    // The table has more answers from here; of those that answer work, none is offered now.
    let key = world.approver("ann");
    let said = world.decide(&key, "retryy").refuses(1, "unknown_option");
    assert!(
        said.err
            .contains("choose one of: retry, done_already, stop\n"),
        "{}",
        said.err
    );

    world.decide(&key, "stop").exits(0);
    let guide = says(&world, &["guide"]).exits(0).out;
    assert!(guide.contains("`t` was stopped by a person"), "{guide}");
    for command in ["  proofhouse diff t\n", "  proofhouse discard t\n"] {
        assert!(guide.contains(command), "{guide}");
    }
    says(&world, &["discard", "t"]).exits(0);
    let guide = says(&world, &["guide"]).exits(0).out;
    assert!(!guide.contains("`t`"), "{guide}");
}

/// Leaves work and a wrong result, unless somebody has begun the work before it.
const WRONG: &str = r#"
if test -f ../unfinished.patch; then
    grep -q '^+good' ../unfinished.patch && echo good > code.txt
    echo '{"summary": "taken over"}' > "$PROOFHOUSE_RESULT"
    exit
fi
echo good > code.txt
echo 'some noise' >&2
echo 'summary: x' > "$PROOFHOUSE_RESULT"
"#;

#[test]
fn a_wrong_result_is_told_once_and_its_work_is_offered_to_the_next_attempt() {
    let (world, said) = driven(WRONG, &["--budget", "attempts=4"]);
    said.exits(2);
    let log = says(&world, &["log", "t"]).exits(0).out;
    assert_eq!(log.matches("is not JSON").count(), 1, "{log}");
    assert!(log.contains("the same as e0003, 3 times now"), "{log}");
    // What is wrong with a result, the judge says, and not the program's last words.
    assert!(!log.contains("some noise"), "{log}");
    let page = world.read(".proofhouse/tasks/t/artifacts/evidence.html");
    assert!(page.contains("the same as e0003, 3 times now"));

    let kept_on = "refs/proofhouse/unfinished/t/e0005";
    assert!(log.contains(kept_on), "{log}");
    let work = world.git(&["show", "--format=%s", kept_on]);
    assert!(work.contains("+good"), "{work}");
    let briefs = kept(&world, "work brief");
    assert!(briefs[0].contains("`unfinished.patch`"), "{}", briefs[0]);
    let lays = "`patch -p1 < ../unfinished.patch`";
    assert!(briefs[0].contains(lays), "{}", briefs[0]);
    // Who is asked for a result alone has the work before them.
    assert!(!briefs[1].contains("unfinished.patch"), "{}", briefs[1]);
    let ended = world.journal();
    let ended = ended
        .iter()
        .filter(|record| record["kind"] == "attempt_ended.v1");
    let classes: Vec<&str> = ended
        .map(|record| record["body"]["outcome"]["class"].as_str().unwrap())
        .collect();
    assert_eq!(
        classes,
        ["invalid_result", "invalid_result", "invalid_result", "done"]
    );
}

/// Agents try again and again in silence; whoever reads a log of a run hears at once why nothing happens.
#[test]
fn that_nobody_answers_where_the_model_is_stands_in_a_pipe_as_well() {
    let world = World::of_ann();
    world.write("agent/codex", "#!/bin/sh\nexit 7\n");
    let runs = std::fs::Permissions::from_mode(0o755);
    std::fs::set_permissions(world.at("agent/codex"), runs).unwrap();
    let taken = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let address = taken.local_addr().unwrap().to_string();
    drop(taken);
    let program = world.at("agent/codex").display().to_string();
    let config =
        format!("[agents.codex]\nprogram = {program:?}\nbase_url = \"http://{address}/v1\"\n");
    world.write("agent/xdg/proofhouse/config.toml", &config);
    let task = [
        "do", "be good", "--name", "t", "--check", CHECK, "--agent", "codex",
    ];
    let said = says(&world, &task);
    let line = format!("the provider cannot be reached: {address}");
    assert!(said.out.contains(&line), "{}\n{}", said.out, said.err);
}

//! The first five minutes: what the README shows works as it is shown, and whoever took a wrong turn
//! is told what happened, why, and what to type.

use crate::support::{CHECK, HONEST, Said, World, says};
use std::os::unix::fs::PermissionsExt;
use std::process::Stdio;

/// What the README's wrapper wraps: it does each phase's work, and ends as the brief asks.
const CODING_AGENT: &str = r#"#!/bin/sh
grep -q 'End with one JSON object' || exit 9
field() { sed -i "s|^$1:.*|$1: $2|" "$PROOFHOUSE_TASK_DIR/STATE.md"; }
section() { sed -i "s|<!-- $1.*|the word is there, as artifacts/seen.txt shows|" "$PROOFHOUSE_TASK_DIR/EVIDENCE.md"; }
case $PROOFHOUSE_STATE in
intake) field 'Not doing' 'anything else'; field 'Reality constraints' none; next=shape ;;
shape) field 'Validation plan' grep; field 'Next step' build; next=implement ;;
implement) echo good > code.txt; field 'Current result' there; field 'Evidence location' artifacts/
    cp code.txt "$PROOFHOUSE_TASK_DIR/artifacts/seen.txt"; section 'What the candidate'; next=verify ;;
verify) section 'For each claim'; next=review ;;
review) section 'The reviewer'; next=done ;;
esac
seen() { printf '"%s": {"answer": "yes", "evidence": "task/artifacts/seen.txt %s"}' "$1" "$2"; }
answers=$(seen objective 'has the word'), ; answers="$answers$(seen truth 'is the file itself'), $(seen visible 'is all there is to see')"
answers="$answers, $(seen agree 'says what EVIDENCE says'), $(seen minimal 'is one line')"
printf 'Here it is:\n```json\n{"summary": "a \\"quoted\\" word", "answers": {%s}, "next": "%s"}\n```\n' "$answers" $next
"#;

fn script_of_the_readme() -> String {
    let readme = concat!(env!("CARGO_MANIFEST_DIR"), "/../../README.md");
    let readme = std::fs::read_to_string(readme).unwrap();
    let (_, from) = readme.split_once("```sh\n#!/bin/sh\n# my-agent").unwrap();
    let (script, _) = from.split_once("```").unwrap();
    format!("#!/bin/sh\n# my-agent{script}")
}

fn program(world: &World, name: &str, text: &str) {
    world.write(name, text);
    let runs = std::fs::Permissions::from_mode(0o755);
    std::fs::set_permissions(world.at(name), runs).unwrap();
}

#[test]
fn the_wrapper_of_the_readme_takes_a_task_to_its_approval() {
    let world = World::new();
    world.write(".gitignore", "bin/\n");
    program(&world, "bin/my-agent", &script_of_the_readme());
    program(&world, "bin/your-coding-agent", CODING_AGENT);
    let agent = format!("command:{}", world.at("bin/my-agent").display());
    world.start_by(&agent, CHECK, &["--autonomy", "conservative"]);
    let path = std::env::var("PATH").unwrap();
    let path = format!("{}:{path}", world.at("bin").display());
    let mut run = world.command(&["run", "t", "--json"]);
    let said: crate::support::Said = run.env("PATH", path).output().unwrap().into();
    let status = said.exits(2).json();
    assert_eq!(status["waiting_for"]["reason"], "approval", "{status:#}");
    assert_eq!(
        status["attempts"].as_array().unwrap().len(),
        5,
        "{status:#}"
    );
}

#[test]
fn who_is_asked_to_extend_a_budget_is_told_what_the_tries_came_to() {
    let world = World::new();
    world.start(
        "[[attempt]]\nstate = \"intake\"\nresult = { summary = \"x\", next = \"verify\" }\n",
        &[],
    );
    let said = world.run(&["run", "t"]).exits(2);
    let asked = "Before that, in `intake`: the agent asked to go from `intake` to `verify`";
    let code = world.status()["run_code"].as_str().unwrap().to_owned();
    let inbox = world.run(&["inbox"]).exits(0);
    for shown in [&said.out, &inbox.out] {
        assert!(shown.contains(asked), "{shown}");
        assert!(shown.contains(&code), "{shown}");
    }
    assert!(said.out.contains("evidence: file://"), "{}", said.out);
}

#[test]
fn a_gate_that_failed_too_often_is_named_with_its_checks() {
    let world = World::new();
    let never = HONEST.replace("good", "no better");
    world.start(&never, &[]);
    let said = world.run(&["run", "t"]).exits(2);
    let (_, waits) = said.out.split_once("waits for a person (budget)").unwrap();
    assert!(
        waits.contains("Before that, in `verify`: the gate failed"),
        "{waits}"
    );
    assert!(
        waits.contains(&format!("- command: {CHECK}: exit code 1")),
        "{waits}"
    );
}

#[test]
fn nobody_to_work_is_said_before_anything_works() {
    let world = World::new();
    let new = ["new", "phase", "--dir", "tasks/v", "--check", CHECK];
    let said = world.run(&new).exits(0);
    assert!(
        said.out.contains("warning no agent is set yet"),
        "{}",
        said.out
    );

    world.write("SPEC.md", "# A shop\n");
    let said = world.run(&["factory", "new", "SPEC.md"]).exits(0);
    assert!(
        said.out.contains("warning no agent is set yet"),
        "{}",
        said.out
    );
    // A project has something to say of itself also before there is a spec.
    let said = world.run(&["status", "factory"]).exits(0);
    assert!(
        said.out.contains("in `specifying`, ready to run"),
        "{}",
        said.out
    );
    assert!(
        said.out.contains("next: proofhouse factory run factory"),
        "{}",
        said.out
    );
    world.run(&["factory", "run"]).refuses(1, "no_agent");
}

#[test]
fn a_wave_that_nobody_can_work_on_uses_up_no_try() {
    let world = World::new();
    world.write(
        ".proofhouse/milestones/m/milestone.toml",
        "goal = \"g\"\nintegration = [\"true\"]\n[[task]]\nslug = \"a\"\n\
         set = { objective = \"o\", done_gate = \"d\" }\nchecks = [\"true\"]\n",
    );
    let said = world.run(&["wave", "run", "m"]).refuses(1, "no_agent");
    assert!(said.err.contains("task `a`"), "{}", said.err);
    let status = world
        .run(&["wave", "status", "m", "--json"])
        .exits(0)
        .json();
    assert_eq!(status["ready"], serde_json::json!(["a"]), "{status:#}");
    assert_eq!(status["waves"], serde_json::json!([]), "{status:#}");
}

#[test]
fn a_command_line_that_cannot_be_read_is_json_for_who_asked_for_json() {
    let world = World::new();
    for args in [["new", "--json"], ["fly", "--json"], ["wave", "--json"]] {
        let said = world.run(&args).exits(1);
        assert_eq!(said.out, "");
        let error: serde_json::Value = serde_json::from_str(&said.err).unwrap();
        assert_eq!(error["error"]["code"], "usage", "{error}");
        assert_eq!(error["error"]["exit"], 1, "{error}");
    }
    let said = world.run(&["sandbox", "run", "--", "--json"]);
    assert!(!said.err.starts_with('{'), "{}", said.err);
}

#[test]
fn no_run_is_guessed() {
    let world = World::new();
    world.run(&["run"]).refuses(1, "no_run_named");
    world.start(HONEST, &[]);
    for command in ["run", "resume"] {
        let said = world.run(&[command]).refuses(1, "no_run_named");
        assert!(said.err.contains("name one of: t"), "{}", said.err);
    }
    // To look at the only one costs nothing.
    let said = world.run(&["log"]).exits(0);
    assert!(
        said.out.contains("run started") || said.out.contains("started"),
        "{}",
        said.out
    );
}

#[test]
fn empty_words_start_and_decide_nothing() {
    let world = World::new();
    for words in ["", "  "] {
        let said = world.run(&["do", words]).exits(1);
        assert!(said.err.contains("it is empty"), "{}", said.err);
    }
    assert!(!world.at(".proofhouse/worktrees").exists());
    world.start(HONEST, &[]);
    world
        .run(&["decide", "t", "stop", "--because", " "])
        .refuses(1, "reason_required");
}

#[test]
fn what_is_refused_leaves_nothing_and_what_is_set_up_shows_the_settings_alone() {
    let world = World::new();
    let agent = ["--agent", "command:cat", "--check", CHECK];
    let wrong: [&[&str]; 5] = [
        &["land", "nobody"],
        &["discard", "nobody"],
        &["pr", "nobody"],
        &["do", "be good", "--with-edits", "--name", "A B"],
        &["slice", "be good", "--from", "nowhere"],
    ];
    for args in wrong {
        let more = match args[1] {
            "be good" => &agent[..],
            _ => &[],
        };
        says(&world, &[args, more].concat()).exits(1);
        assert!(!world.at(".proofhouse").exists(), "{args:?}");
    }
    says(&world, &["init", "--yes"]).exits(0);
    let seen = world.git(&["status", "--porcelain", "--untracked-files=all"]);
    assert_eq!(seen, "?? .proofhouse/config.toml");
}

#[test]
fn agents_and_commands_are_written_from_the_briefs() {
    let world = World::new();
    world.write(".claude/commands/lights-out-designing.md", "mine\n");
    let said = world.run(&["init", "--agents"]).exits(0).out;
    assert!(
        said.contains("kept  .claude/commands/lights-out-designing.md"),
        "{said}"
    );
    assert_eq!(
        world.read(".claude/commands/lights-out-designing.md"),
        "mine\n"
    );
    let brief = &flow::built_in("lights-out").unwrap().files["briefs/review.md"];
    for path in [
        ".claude/commands/lights-out-reviewing.md",
        ".github/prompts/lights-out-reviewing.prompt.md",
    ] {
        let text = world.read(path);
        assert!(text.contains(brief.trim()), "{path}: {text}");
        assert!(text.contains("no gate counts it"), "{path}: {text}");
    }
    // Who only reads gets nothing to write with.
    for name in ["explore", "reviewer", "verifier", "analyst"] {
        let text = world.read(&format!(".claude/agents/lights-out-{name}.md"));
        assert!(text.contains("\ntools: Read, Grep, Glob"), "{text}");
        assert!(!text.contains("Edit, Write"), "{text}");
    }
    assert!(!world.at(".claude/agents/lights-out-builder.md").exists());
    assert!(!world.at(".proofhouse/config.toml").exists());
    let more = ["init", "--agents", "--workflow", "slice"];
    world.run(&more).exits(0);
    assert!(
        !world
            .at(".claude/commands/slice-iteration-gate.md")
            .exists()
    );
    assert!(
        world
            .read(".claude/agents/slice-scout.md")
            .contains("tools: Read, Grep, Glob\n")
    );
    let again = world.run(&["init", "--agents", "--json"]).exits(0).json();
    assert_eq!(again["written"], serde_json::json!([]));
    world
        .run(&["init", "--agents", "--workflow", "none"])
        .refuses(1, "unknown_workflow");
}

/// `do` makes nothing for a run that nobody could work in.
#[test]
fn without_an_agent_nothing_is_begun() {
    let world = World::new();
    let mut command = world.command(&["do", "be good", "--check", "grep -q good code.txt"]);
    // Not even one that happens to be installed.
    let said = Said::from(command.env("PATH", "/usr/bin:/bin").output().unwrap());
    said.refuses(1, "no_agent");
    let runs = world.run(&["status", "--json"]).exits(0);
    assert_eq!(runs.json(), serde_json::json!([]));
}

/// Whatever may be decided wants the code that `status` shows: also what a person begins by
/// themselves, and of a run that nobody waits for.
#[test]
fn status_shows_the_code_wherever_something_can_be_decided() {
    let world = World::new();
    world.start(HONEST, &[]);
    let code = || world.status()["run_code"].as_str().unwrap().to_owned();
    let shown = |text: &str| text.contains(&format!("run code    {}", code()));
    let said = world.run(&["status", "t"]).exits(0);
    assert!(shown(&said.out), "ready to run: {}", said.out);
    world.run(&["run", "t"]).exits(0);
    let said = world.run(&["status", "t"]).exits(0);
    assert!(!said.out.contains("run code"), "it is over: {}", said.out);

    let said = world.run(&["status"]).exits(0);
    assert!(said.out.contains("spent"), "{}", said.out);
}

#[test]
fn a_bare_repository_is_called_one() {
    let world = World::new();
    world.git(&["clone", "--quiet", "--bare", ".", "bare.git"]);
    world
        .run(&["--repo", "bare.git", "status"])
        .refuses(1, "bare_repository");
}

#[test]
fn a_task_does_not_lie_in_a_repository_inside_of_the_repository() {
    let world = World::new();
    world.git(&["init", "--quiet", "inner"]);
    let new = |dir| world.run(&["new", "phase", "--dir", dir, "--check", CHECK]);
    new("inner/tasks/a").refuses(1, "task_folder_in_other_repo");
    assert!(!world.at("inner/tasks").exists(), "nothing was made");
    new("tasks/a").exits(0);
}

#[test]
fn the_demo_says_at_once_that_it_cannot_build() {
    let world = World::new();
    let mut demo = world.command(&["demo", "--dir", "shown"]);
    let said: crate::support::Said = demo.env("PATH", world.path()).output().unwrap().into();
    said.refuses(3, "program_not_found");
    assert!(!world.at("shown").exists(), "nothing was made");
}

#[test]
fn where_decisions_are_signed_the_inbox_says_so() {
    let world = World::new();
    world.approver("ada");
    world.start(HONEST, &["--autonomy", "conservative"]);
    let said = world.run(&["run", "t"]).exits(2);
    assert!(said.out.contains("add `--sign KEY`"), "{}", said.out);
    assert!(!said.out.contains("run code"), "{}", said.out);
}

#[test]
fn a_reader_of_completions_may_go_away() {
    let world = World::new();
    let mut asked = world.command(&["completions", "bash"]);
    let mut child = asked.stdout(Stdio::piped()).spawn().unwrap();
    drop(child.stdout.take());
    assert_eq!(child.wait().unwrap().code(), Some(0));
}

#[test]
fn an_address_has_no_blanks() {
    let world = World::new();
    let new = [
        "new",
        "phase",
        "--dir",
        "tasks/für alle",
        "--name",
        "t",
        "--check",
        CHECK,
    ];
    world.run(&new).exits(0);
    let status = world.status();
    let evidence = status["evidence"].as_str().unwrap();
    assert!(
        evidence.ends_with("/tasks/f%C3%BCr%20alle/artifacts/evidence.html"),
        "{evidence}"
    );
}

#[test]
fn a_sentence_takes_the_rung_of_its_method() {
    let world = World::of_ann();
    let agent = ["--agent", "command:false", "--check", CHECK];
    for (verb, rung) in [("add", "auto"), ("phase", "conservative")] {
        let task = [verb, "be good", "--name", verb];
        says(&world, &[&task[..], &agent[..]].concat());
        let status = says(&world, &["status", verb, "--json"]).exits(0).json();
        assert_eq!(status["autonomy"], rung, "{status:#}");
    }
}

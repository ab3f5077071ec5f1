//! The `phase` workflow through the real binary.

mod base;
mod features;
mod settled;

use crate::support::{CHECK, HONEST, World};

#[test]
fn an_honest_agent_gets_from_intake_to_done() {
    let world = World::new();
    world.start(HONEST, &[]);
    let said = world.run(&["run", "t"]).exits(0);
    assert!(said.out.contains("intake -> shape"), "{}", said.out);
    assert!(said.out.contains("review -> done"), "{}", said.out);
    assert!(!said.out.contains('\x1b'), "no colours in a pipe");
    assert_eq!(world.read("code.txt"), "good\n");
    let state = world.read("tasks/t/STATE.md");
    for line in [
        "Phase: done",
        "Status: done",
        "Objective: be good",
        "Candidate done: yes",
        "Validator status: pass",
        "Repair applied: no",
        "Evidence link: file://",
    ] {
        assert!(state.contains(line), "no `{line}` in\n{state}");
    }
    world.run(&["audit"]).exits(0);
    // Again: nothing is done twice, and not even an agent is needed.
    let before = world.journal().len();
    world.run(&["run", "t"]).exits(0);
    assert_eq!(world.journal().len(), before, "there was nothing to do");
}

#[test]
fn new_makes_every_file_and_every_required_field() {
    let world = World::new();
    world.start(HONEST, &[]);
    for file in [
        "README.md",
        "STATE.md",
        "TASKS.md",
        "EVIDENCE.md",
        "artifacts",
    ] {
        assert!(world.at("tasks/t").join(file).exists(), "{file}");
    }
    let state = world.read("tasks/t/STATE.md");
    for field in [
        "Phase",
        "Status",
        "Objective",
        "Done gate",
        "Not doing",
        "Reality constraints",
        "Validation plan",
        "Current result",
        "Next step",
        "Blockers",
        "Evidence location",
        "Evidence link",
        "Candidate done",
        "Validator status",
        "Repair applied",
        "Revalidation status",
        "Last updated",
    ] {
        assert!(
            state
                .lines()
                .any(|line| line.starts_with(&format!("{field}:"))),
            "{field}"
        );
    }
}

#[test]
fn the_evidence_link_can_be_opened_elsewhere() {
    let world = World::new();
    let config = "[evidence]\nbase_url = \"https://files.example.org/house/\"\n";
    world.write(".proofhouse/config.toml", config);
    world.start(HONEST, &[]);
    world.run(&["run", "t", "--once"]).exits(0);
    let link = "Evidence link: https://files.example.org/house/tasks/t/artifacts/evidence.html";
    let state = world.read("tasks/t/STATE.md");
    assert!(state.contains(link), "{state}");
}

#[test]
fn a_phantom_pass_is_caught_by_the_engines_own_run_and_repaired() {
    let world = World::new();
    let script = HONEST.replacen("text = \"good\\n\"", "text = \"still bad\\n\"", 1);
    world.start(&script, &[]);
    let said = world.run(&["run", "t"]).exits(0);
    assert!(said.out.contains("FAIL command"), "{}", said.out);
    assert!(said.out.contains("verify -> repair"), "{}", said.out);
    let state = world.read("tasks/t/STATE.md");
    assert!(state.contains("Repair applied: yes") && state.contains("Revalidation status: pass"));
    let evidence = world.read("tasks/t/EVIDENCE.md");
    assert!(
        evidence.contains("| verify | command: grep -q good code.txt | fail |"),
        "{evidence}"
    );
    assert!(
        evidence.contains("| verify | command: grep -q good code.txt | pass |"),
        "{evidence}"
    );
}

#[test]
fn an_edit_of_the_phase_line_is_a_request_and_an_illegal_one_is_refused() {
    let world = World::new();
    let script = r#"
[[attempt]]
state = "intake"
steps = [{ set = "Not doing", to = "nothing else" }, { set = "Reality constraints", to = "no network" }, { set = "Phase", to = "done" }]
result = { summary = "done!" }
"#;
    world.start(script, &[]);
    world.run(&["run", "t", "--once"]).exits(0);
    let status = world.status();
    assert_eq!(status["state"], "intake");
    assert_eq!(status["last_refusal"]["code"], "illegal_transition");
    assert!(
        status["last_refusal"]["mend"]
            .as_str()
            .unwrap()
            .contains("allowed next phases: shape")
    );
    assert_eq!(status["budgets"]["refusals"]["used"], 1);
    assert!(
        world.read("tasks/t/STATE.md").contains("Phase: intake"),
        "the file shows the truth again"
    );
    world.run(&["run", "t", "--once"]).exits(0);
    let brief = last_brief(&world);
    assert!(
        brief.contains("illegal_transition") && brief.contains("from `intake` to `done`"),
        "{brief}"
    );
}

#[test]
fn a_persons_edit_of_the_phase_line_is_answered() {
    let world = World::new();
    world.start(HONEST, &[]);
    let phase = |to: &str| {
        let state = world.read("tasks/t/STATE.md");
        let line = state.lines().find(|line| line.starts_with("Phase:"));
        world.write(
            "tasks/t/STATE.md",
            &state.replace(line.unwrap(), &format!("Phase: {to}")),
        );
    };
    world.run(&["run", "t", "--once"]).exits(0);
    assert_eq!(world.status()["state"], "shape");
    phase("done");
    let said = world.run(&["run", "t", "--once"]).exits(0);
    assert!(said.out.contains("an edit was not taken"), "{}", said.out);
    assert_eq!(world.status()["state"], "implement");
    phase("needs_user_decision");
    world.run(&["run", "t"]).exits(2);
    assert_eq!(world.status()["state"], "needs_user_decision");
    // A decision is no file's to make, and the decision itself is not held up by the line.
    phase("implement");
    let said = world.run(&["run", "t"]).exits(2);
    assert!(said.out.contains("decide t reopen"), "{}", said.out);
    phase("implement");
    let key = world.approver("ann");
    world.decide(&key, "reopen").exits(0);
    world.run(&["run", "t"]).exits(0);
    // Nothing is left of them, and a run that is over says so.
    assert!(world.read("tasks/t/STATE.md").contains("Phase: done"));
    phase("shape");
    let before = world.journal().len();
    let said = world.run(&["run", "t"]).exits(0);
    let told = format!("{}{}", said.out, said.err);
    assert!(told.contains("the run is over"), "{told}");
    assert_eq!(world.journal().len(), before);
    assert!(world.read("tasks/t/STATE.md").contains("Phase: done"));
    world.run(&["audit"]).exits(0);
}

/// The text of the last brief, from the vault.
fn last_brief(world: &World) -> String {
    let journal = world.journal();
    let evidence = journal
        .iter()
        .rev()
        .filter_map(|record| record["body"]["outcome"]["evidence"].as_array());
    let mut all = evidence.flatten();
    let brief = all.find(|piece| {
        piece["name"]
            .as_str()
            .is_some_and(|name| name.ends_with("brief"))
    });
    let hash = brief.expect("a brief")["hash"].as_str().unwrap().to_owned();
    world.read(&format!(".proofhouse/evidence/{}/{hash}", &hash[..2]))
}

#[test]
fn a_legal_request_in_the_file_alone_is_heard() {
    let world = World::new();
    let script = HONEST
        .replace(
            "result = { summary = \"built\", next = \"verify\" }",
            "result = { summary = \"built\" }",
        )
        .replace(
            "{ set = \"Current result\"",
            "{ set = \"Phase\", to = \"verify\" }, { set = \"Current result\"",
        );
    world.start(&script, &[]);
    world.run(&["run", "t"]).exits(0);
    assert_eq!(world.status()["state"], "done");
}

#[test]
fn a_verifier_that_edits_is_refused_and_nothing_of_it_is_taken_back() {
    let world = World::new();
    let script = HONEST
        .replace(
            "cat code.txt > ../task/artifacts/seen.txt",
            "echo good > code.txt; echo sneaky > new.txt",
        )
        .replacen("text = \"good\\n\"", "text = \"still bad\\n\"", 1);
    world.start(&script, &[]);
    world.run(&["run", "t"]).exits(2);
    let status = world.status();
    assert_eq!(
        (
            status["state"].as_str(),
            status["waiting_for"]["reason"].as_str()
        ),
        (Some("verify"), Some("budget"))
    );
    assert_eq!(status["last_refusal"]["code"], "out_of_scope");
    assert_eq!(world.read("code.txt"), "still bad\n");
    assert!(!world.at("new.txt").exists());
    let attempts = status["attempts"].as_array().unwrap();
    assert_eq!(
        attempts
            .iter()
            .filter(|attempt| attempt["ended"] == "out_of_scope")
            .count(),
        3
    );
}

#[test]
fn links_that_lead_out_and_files_outside_the_view_are_not_taken_back() {
    let world = World::new();
    let script = HONEST.replacen("{ write = \"repo/code.txt\", text = \"good\\n\" },",
        "{ write = \"repo/code.txt\", text = \"good\\n\" }, { symlink = \"repo/way-out\", to = \"../../../../../../etc/hostname\" },", 1);
    world.start(&script, &["--budget", "attempts=3"]);
    world.run(&["run", "t"]).exits(2);
    assert!(world.at("way-out").symlink_metadata().is_err());
    assert_eq!(
        world.read("code.txt"),
        "bad\n",
        "an attempt is taken back whole or not at all"
    );
    assert_eq!(world.status()["last_refusal"]["code"], "out_of_scope");
}

#[test]
fn three_repairs_then_a_person_and_an_extension_goes_on() {
    let world = World::new();
    let script = HONEST.replace("text = \"good\\n\"", "text = \"never\\n\"");
    world.start(
        &script.replace(
            "{ write = \"repo/code.txt\", text = \"never\\n\" }]",
            "{ run = \"date +%N >> code.txt\" }]",
        ),
        &[],
    );
    let key = world.approver("ann");
    let said = world.run(&["run", "t"]).exits(2);
    assert!(
        said.out.contains("budget `repair` is used up"),
        "{}",
        said.out
    );
    let status = world.status();
    assert_eq!(
        status["budgets"]["repair"],
        serde_json::json!({"used": 3, "cap": 3})
    );
    assert_eq!(
        status["waiting_for"]["options"],
        serde_json::json!(["extend", "look_again", "stop"])
    );
    world.decide(&key, "extend").exits(0);
    assert_eq!(world.status()["state"], "repair");
    world.decide(&key, "stop").exits(0);
    world.run(&["run", "t"]).exits(1);
    assert!(world.read("tasks/t/STATE.md").contains("Phase: repair"));
}

#[test]
fn blocked_waits_and_reopens_to_where_it_came_from() {
    let world = World::new();
    let script = HONEST
        .replace(
            "result = { summary = \"shaped\" }",
            "result = { summary = \"no database here\", next = \"blocked\" }",
        )
        .replace("state = \"shape\"\n", "state = \"shape\"\nattempt = 1\n");
    let script = format!(
        "{script}\n[[attempt]]\nstate = \"shape\"\nattempt = 2\nsteps = [{{ set = \"Validation plan\", to = \"grep\" }}]\nresult = {{ summary = \"ok\" }}\n"
    );
    world.start(&script, &[]);
    let key = world.approver("ann");
    world.run(&["run", "t"]).exits(2);
    let status = world.status();
    assert_eq!(
        (status["state"].as_str(), status["return_to"].as_str()),
        (Some("blocked"), Some("shape"))
    );
    world.decide(&key, "reopen").exits(0);
    world.run(&["run", "t"]).exits(0);
    let journal = world.journal();
    let decided = journal
        .iter()
        .find(|record| record["kind"] == "decided.v1")
        .unwrap();
    assert_eq!(decided["body"]["who"], "ann@example.org");
    assert!(
        decided["body"]["channel"]
            .as_str()
            .unwrap()
            .starts_with("ssh-signature SHA256:")
    );
}

/// An agent that writes what every phase asks for, and does nothing.
const IDLE: &str = r#"
[[attempt]]
state = "implement"
steps = [
    { set = "Current result", to = "it was good before" },
    { set = "Next step", to = "have it verified" },
    { set = "Evidence location", to = "artifacts/" },
    { append = "task/EVIDENCE.md", text = "\nlooked at it\n" },
    { edit = "task/EVIDENCE.md", find = "<!-- What the candidate is, and how it can be checked. -->", replace = "code.txt; grep it", all = true },
]
result = { summary = "built", next = "verify" }
[[attempt]]
state = "repair"
steps = [{ append = "task/EVIDENCE.md", text = "\nlooked again\n" }]
result = { summary = "repaired", next = "verify" }
"#;

#[test]
fn nothing_is_done_without_work() {
    let world = World::new();
    world.write("code.txt", "good\n");
    // A command that passes on anything, and a run that changes nothing.
    world.start_checked(&format!("{IDLE}\n{HONEST}"), "true", &["--check", CHECK]);
    world.run(&["run", "t"]).exits(2);
    let judged = world.judged("t");
    assert!(
        judged.contains("cannot fail: `true` passes as well"),
        "{judged}"
    );

    let world = World::new();
    world.write("code.txt", "good\n");
    world.start(&format!("{IDLE}\n{HONEST}"), &[]);
    world.run(&["run", "t"]).exits(2);
    let judged = world.judged("t");
    assert!(
        judged.contains("the repository is as the run found it"),
        "{judged}"
    );
    assert_eq!(world.status()["state"], "review");
}

#[test]
fn a_repair_that_goes_too_far_is_a_persons_to_look_at() {
    let world = World::new();
    let wide = r#"
[[attempt]]
state = "repair"
attempt = 1
steps = [
    { append = "task/EVIDENCE.md", text = "\nrepaired it all\n" },
    { run = "for each in a b c d e f; do echo new > $each.txt; done; echo good > code.txt" },
]
result = { summary = "repaired, and more", next = "verify" }
[[attempt]]
state = "repair"
attempt = 2
steps = [{ append = "task/EVIDENCE.md", text = "\nas agreed\n" }]
result = { summary = "as agreed", next = "verify" }
"#;
    let script = HONEST.replacen("text = \"good\\n\"", "text = \"still bad\\n\"", 1);
    world.start(&format!("{wide}\n{script}"), &[]);
    let key = world.approver("ann");
    world.run(&["run", "t"]).exits(2);
    let status = world.status();
    assert_eq!(
        (status["state"].as_str(), status["return_to"].as_str()),
        (Some("needs_user_decision"), Some("repair"))
    );
    let judged = world.judged("t");
    assert!(
        judged.contains("without a reason in `outside`: a.txt"),
        "{judged}"
    );
    world.decide(&key, "reopen").exits(0);
    world.run(&["run", "t"]).exits(0);
}

#[test]
fn no_material_progress_stops_the_run() {
    let world = World::new();
    world.start(
        "[[attempt]]\nresult = { summary = \"thinking about it\" }\n",
        &[],
    );
    let said = world.run(&["run", "t"]).exits(2);
    assert!(said.out.contains("no material progress"), "{}", said.out);
    assert_eq!(world.status()["waiting_for"]["reason"], "stall");
}

#[test]
fn without_a_validation_command_a_person_is_asked_at_once() {
    let world = World::new();
    world.write("agent/script.toml", HONEST);
    world.write(".gitignore", "agent/\n");
    let said = world
        .run(&[
            "new",
            "phase",
            "--dir",
            "tasks/t",
            "--agent",
            "scripted:agent/script.toml",
            "--set",
            "objective=be good",
            "--set",
            "done_gate=grep says so",
        ])
        .exits(0);
    assert!(said.out.contains("no validation command"), "{}", said.out);
    let said = world.run(&["run", "t"]).exits(2);
    // Asked before anybody builds something.
    assert!(!said.out.contains("implement"), "{}", said.out);
    assert!(
        said.out
            .contains("(needs_user_decision): could_fail: no validation command is set"),
        "{}",
        said.out
    );
    // A person mends it in the config, which agents cannot reach.
    world.write(
        ".proofhouse/config.toml",
        "[checks]\ncommands = [\"grep -q good code.txt\"]\n",
    );
    let key = world.approver("ann");
    world.decide(&key, "reopen").exits(0);
    world.run(&["run", "t"]).exits(0);
}

#[test]
fn a_users_edit_meanwhile_is_a_conflict_and_nothing_of_it_is_lost() {
    let world = World::new();
    let out = world.at("code.txt");
    // A step of the script itself is not confined: it stands for the user at the same file.
    let script = HONEST.replace(
        "{ write = \"repo/code.txt\", text = \"good\\n\" },\n",
        &format!("{{ write = \"repo/code.txt\", text = \"good\\n\" }}, {{ write = \"{}\", text = \"mine\\n\" }},\n", out.display()),
    );
    world.start(&script, &["--budget", "attempts=3"]);
    world.run(&["run", "t"]).exits(2);
    assert_eq!(world.read("code.txt"), "mine\n");
    let attempts = world.status()["attempts"].clone();
    assert_eq!(attempts[2]["ended"], "conflict", "{attempts}");
}

#[test]
fn fields_that_a_person_edits_in_the_file_are_heard_and_kept() {
    let world = World::new();
    world.start(HONEST, &[]);
    let state = world
        .read("tasks/t/STATE.md")
        .replace("Blockers:", "Blockers: the moon");
    world.write("tasks/t/STATE.md", &state);
    world.run(&["run", "t", "--once"]).exits(0);
    assert!(
        world
            .read("tasks/t/STATE.md")
            .contains("Blockers: the moon")
    );
    assert_eq!(world.status()["fields"]["Blockers"], "the moon");
}

#[test]
fn the_evidence_page_stands_alone_and_links_what_there_is() {
    let world = World::new();
    world.start(HONEST, &[]);
    world.run(&["run", "t"]).exits(0);
    let page = world.read("tasks/t/artifacts/evidence.html");
    for text in [
        "be good",
        "grep -q good code.txt",
        "seen.txt",
        "proofhouse audit t",
        "scripted",
    ] {
        assert!(page.contains(text), "no `{text}` in the page");
    }
    for foreign in ["http://", "https://", "<script", "<link", "@import"] {
        assert!(!page.contains(foreign), "`{foreign}` in the page");
    }
    assert!(page.contains("name=\"viewport\""));
    for href in page
        .split("href=\"")
        .skip(1)
        .map(|rest| rest.split('"').next().unwrap())
    {
        if !href.starts_with('#') {
            assert!(world.at("tasks/t/artifacts").join(href).is_file(), "{href}");
        }
    }
}

#[test]
fn an_invalid_result_is_asked_for_again_in_the_same_view_at_most_twice() {
    let world = World::new();
    let script = r#"
[[attempt]]
state = "intake"
attempt = 1
steps = [{ set = "Not doing", to = "nothing else" }, { set = "Reality constraints", to = "no network" }]
result_text = "I am done"
[[attempt]]
state = "intake"
attempt = 2
result = { next = 5 }
[[attempt]]
state = "intake"
attempt = 3
result = { summary = "now it is valid" }
"#;
    world.start(script, &[]);
    world.run(&["run", "t", "--once"]).exits(0);
    world.run(&["run", "t", "--once"]).exits(0);
    assert_eq!(world.status()["last_refusal"]["code"], "invalid_result");
    world.run(&["run", "t", "--once"]).exits(0);
    let status = world.status();
    let ended: Vec<_> = status["attempts"]
        .as_array()
        .unwrap()
        .iter()
        .map(|attempt| attempt["ended"].clone())
        .collect();
    assert_eq!(ended, ["invalid_result", "invalid_result", "done"]);
    assert_eq!(
        status["state"], "shape",
        "the work of the first attempt was not lost"
    );
    assert_eq!(status["fields"]["Not doing"], "nothing else");
    assert!(last_brief(&world).contains("Your result was not valid"));
}

#[test]
fn git_in_a_view_does_not_reach_the_users_repository() {
    let world = World::new();
    let script = HONEST.replacen("{ write = \"repo/code.txt\"", "{ run = \"git reset --hard; git checkout -b theirs; git stash -u; git commit -am x\" }, { write = \"repo/code.txt\"", 1);
    world.start(&script, &[]);
    world.write("mine.txt", "not committed\n");
    let before = world.git(&["log", "--oneline", "main"]);
    world.run(&["run", "t"]).exits(0);
    assert_eq!(world.read("mine.txt"), "not committed\n");
    assert_eq!(world.git(&["log", "--oneline", "main"]), before);
    assert_eq!(world.git(&["branch", "--list"]), "* main");
    assert_eq!(world.git(&["stash", "list"]), "");
}

#[test]
fn what_the_agent_says_reaches_the_person_who_is_asked() {
    let world = World::new();
    let script = HONEST.replace(
        "result = { summary = \"shaped\" }",
        "result = { summary = \"MySQL or Postgres?\", next = \"needs_user_decision\" }",
    );
    world.start(&script, &[]);
    world.run(&["run", "t"]).exits(2);
    assert!(
        world
            .run(&["inbox"])
            .exits(0)
            .out
            .contains("MySQL or Postgres?")
    );
}

#[test]
fn secrets_by_custom_are_not_in_a_view_and_cannot_be_overwritten() {
    let world = World::new();
    world.write(".env", "TOKEN=very-secret\n");
    let script = HONEST.replacen("{ write = \"repo/code.txt\"", "{ run = \"cat .env; ls -a\" }, { write = \"repo/.env\", text = \"TOKEN=mine\" }, { write = \"repo/code.txt\"", 1);
    world.start(&script, &["--budget", "attempts=3"]);
    world.run(&["run", "t"]).exits(2);
    assert_eq!(world.read(".env"), "TOKEN=very-secret\n");
    assert_eq!(world.status()["last_refusal"]["code"], "out_of_scope");
    for entry in std::fs::read_dir(world.at("tasks/t/artifacts/evidence"))
        .unwrap()
        .flatten()
    {
        let text = std::fs::read_to_string(entry.path()).unwrap();
        assert!(!text.contains("very-secret"), "{}", entry.path().display());
    }
}

#[test]
fn a_role_sees_and_changes_only_what_its_workflow_allows() {
    let world = World::new();
    world.write("src/a.txt", "seen\n");
    world.write("src/b.txt", "seen, not to be changed\n");
    world.write("other/c.txt", "not there\n");
    world.write(
        ".proofhouse/workflows/mine/workflow.toml",
        r#"name = "mine"
about = "a narrow view"
initial = "work"
[role.coder]
can = ["read", "edit", "execute"]
about = "codes"
sees = ["src/**"]
scope = ["src/a.txt"]
[state.work]
kind = "work"
role = "coder"
brief = "b.md"
gate = [{ check = "command", shell = "grep -q good src/a.txt" }]
[state.end]
kind = "end"
[[transition]]
action = "pass"
from = "work"
to = "end"
by = "engine"
when = "gate.pass"
"#,
    );
    world.write(".proofhouse/workflows/mine/b.md", "Make it good.");
    world.write("agent/script.toml", r#"
[[attempt]]
attempt = 1
steps = [{ run = "ls; ls ../..; test ! -e other && test ! -e code.txt", must = true }, { append = "repo/src/b.txt", text = "mine" }]
result = { summary = "out of scope" }
[[attempt]]
steps = [{ write = "repo/src/a.txt", text = "good" }]
result = { summary = "inside" }
"#);
    world.write(".gitignore", "agent/\n");
    world
        .run(&[
            "new",
            "mine",
            "--dir",
            "tasks/t",
            "--agent",
            "scripted:agent/script.toml",
        ])
        .exits(0);
    world.run(&["run", "t"]).exits(0);
    let ended = world.status()["attempts"].clone();
    assert_eq!(
        (ended[0]["ended"].as_str(), ended[1]["ended"].as_str()),
        (Some("out_of_scope"), Some("done")),
        "{ended:#}"
    );
    assert_eq!(world.read("src/b.txt"), "seen, not to be changed\n");
    assert_eq!(world.read("src/a.txt"), "good");
}

#[test]
fn no_key_is_kept_anywhere_after_a_run() {
    let world = World::new();
    let anthropic = format!("sk-ant-{}", "api03-0123456789abcdefghijklmn");
    let planted = [
        anthropic.as_str(),
        "sk-proj-abcdefghijklmnopqrstuvwxyz012345",
        "AIzaSyA1234567890abcdefghijklmnopqrstuv",
        "ghp_abcdefghijklmnopqrstuvwxyz0123456789",
        "my-own-very-private-value",
    ];
    let all = planted.join(" ");
    let script = HONEST
        .replace(
            "{ run = \"cat code.txt",
            &format!("{{ print = \"{all}\" }}, {{ run = \"echo $MY_API_KEY {all}; cat code.txt"),
        )
        .replace(
            "summary = \"verified\"",
            &format!("summary = \"used {all}\""),
        )
        .replace("to = \"it is good\"", &format!("to = \"it is good {all}\""));
    world.write("keys.txt", &all);
    world.start(&script, &["--check", "cat keys.txt"]);
    let mut command = world.command(&["run", "t"]);
    let said: crate::support::Said = command
        .env("MY_API_KEY", planted[4])
        .output()
        .unwrap()
        .into();
    said.exits(0);
    let files = store::walk(&world.at(".proofhouse"), &|_| false).unwrap();
    assert!(files.len() > 10, "{files:?}");
    for path in files {
        let bytes = std::fs::read(world.at(".proofhouse").join(&path)).unwrap();
        let text = String::from_utf8_lossy(&bytes);
        for key in planted {
            assert!(!text.contains(key), "{key} in {}:\n{text}", path.display());
        }
    }
}

/// Tests are counted where they ran last too, and what nobody tried is said to whoever approves.
#[test]
fn whoever_approves_sees_counts_and_that_new_tests_were_not_tried_before() {
    let world = World::new();
    let tested = HONEST.replacen(
        r#"{ write = "repo/code.txt", text = "good\n" },"#,
        r#"{ write = "repo/good.py", text = "def good():\n    return 1\n" }, { write = "repo/test_good.py", text = "import unittest\nimport good\n\n\nclass Good(unittest.TestCase):\n    def test_good(self):\n        self.assertEqual(good.good(), 1)\n" },"#,
        1,
    );
    assert_ne!(tested, HONEST);
    let tested = tested.replace("cat code.txt", "cat good.py");
    world.start_checked(
        &tested,
        "python3 -m unittest",
        &["--autonomy", "conservative"],
    );
    world.run(&["run", "t"]).exits(2);
    let asked = world.run(&["inbox"]).exits(0);
    for said in [
        "in `verify`: 1 passed, 0 failed, 0 skipped",
        "the tests that came with the work (test_good.py) were not tried on the code before it",
        "begin a run with --exam",
    ] {
        assert!(asked.out.contains(said), "no `{said}` in {}", asked.out);
    }

    // Its twin: without tests nothing is said of them.
    let world = World::new();
    world.start(HONEST, &["--autonomy", "conservative"]);
    world.run(&["run", "t"]).exits(2);
    let asked = world.run(&["inbox"]).exits(0);
    assert!(!asked.out.contains("not tried"), "{}", asked.out);
}

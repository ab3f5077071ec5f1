//! What no command can judge: an audit's verdict stands at its criterion, counts for the code that it saw, and
//! is before the eyes of whoever approves; and what they send back is mended.

use super::people::{decide, key};
use super::{begin_with, failures, headers, path, played, snapshot, transcript};
use crate::support::says;

#[test]
fn whoever_approves_sees_the_criteria_with_their_judge_the_risks_and_the_record() {
    let world = begin_with("judged-by-audit", &["--autonomy", "conservative"]);
    let key = key(&world);
    world.run(&["run", "t"]).exits(2);
    let wanted = [
        "F-0002: The greeting reads well. (by the audit E-0004)",
        "The greeting is in English alone. (E-0004)",
        "## Known risks",
    ];
    let said = world.run(&["inbox"]).exits(0);
    for want in wanted {
        assert!(said.out.contains(want), "no `{want}` in {}", said.out);
    }
    // So does the page.
    decide(&world, &key, "reject", "it is in English alone").exits(0);
    world.run(&["run", "t"]).exits(2);
    let page = world.read("agent/artifacts/evidence.html");
    for want in ["What makes it done", "by the audit E-", "in English alone"] {
        assert!(page.contains(want), "no `{want}` in the page");
    }

    // Its twin: a criterion with a command is shown with that command's answer.
    let world = begin_with("happy", &["--autonomy", "conservative"]);
    world.run(&["run", "t"]).exits(2);
    let said = world.run(&["inbox", "--json"]).exits(0);
    let facts: serde_json::Value = serde_json::from_str(&said.out).unwrap();
    let grounds = &facts[0]["grounds"];
    assert_eq!(grounds["criteria"][0]["met"], true, "{grounds}");
    assert_eq!(
        grounds["criteria"][0]["how"],
        "by `grep -qx 'hello Ada' src/greet.txt` in `exit_gate`"
    );
    assert!(grounds["risks"].is_null(), "{grounds}");
    let record = grounds["record"]["text"].as_str().unwrap();
    assert!(record.contains("## How verified"), "{record}");
}

/// The slice's own gates judge what comes of a merge, beside what a person set: that one is content with less.
#[test]
fn what_lands_on_a_branch_that_has_moved_passes_the_slices_own_gate() {
    let gate = "`grep -qx 'hello Ada' src/greet.txt && ! grep -rq 'Ada is away' src`";
    let own = super::data("happy").replace(
        "{ set = \"Gate (exit)\", to = \"`grep -qx 'hello Ada' src/greet.txt`\" }",
        &format!("{{ set = \"Gate (exit)\", to = \"{gate}\" }}"),
    );
    let own = own.replace(
        "by = \"grep -qx 'hello Ada' src/greet.txt\"",
        "by = \"grep -qx 'hello Ada' src/greet.txt && ! grep -rq 'Ada is away' src\"",
    );
    let world = crate::support::World::new();
    world.write("src/greet.txt", "good bye\n");
    world.write("tools/script.toml", &own);
    world.write(".gitignore", "tools/\n.proofhouse/\n");
    world.git(&["config", "user.name", "Ann"]);
    world.git(&["config", "user.email", "ann@example.org"]);
    world.commit("sample");
    let mut args = vec!["new", "slice", "greet Ada", "--name", "u"];
    args.extend(["--check", "grep -q Ada src/greet.txt", "--autonomy", "auto"]);
    args.extend(["--agent", "scripted:tools/script.toml"]);
    says(&world, &args).exits(0);
    says(&world, &["run", "u"]).exits(0);
    world.write("src/away.txt", "Ada is away\n");
    world.commit("meanwhile");
    let said = says(&world, &["land", "u"]).refuses(1, "land_unproven");
    assert!(said.err.contains("Ada is away"), "{}", said.err);
    world.write("src/away.txt", "Ada is back\n");
    world.commit("and back");
    says(&world, &["land", "u"]).exits(0);
    assert_eq!(world.read("src/greet.txt"), "hello Ada\n");
    let trees = world.git(&["worktree", "list", "--porcelain"]);
    assert!(!trees.contains("prunable"), "{trees}");
}

#[test]
fn a_verdict_holds_for_the_code_that_it_saw() {
    let world = played("edited-after-audit");
    let all: Vec<String> = (1..=headers(&world).len() as u32)
        .map(|one| snapshot(&world, one))
        .collect();
    let all = all.join("\n");
    for said in [
        "reads well. — judged by an audit: met (E-0004)\n",
        "reads well. — judged by an audit: met (E-0004) — STALE: the code was edited after E-0004\n",
        "nobody else. [E-0004] — STALE: the code was edited after E-0004\n",
        "reads well. — judged by an audit: met (E-0006)\n",
    ] {
        assert!(all.contains(said), "no `{said}` in {all}");
    }
    let wrong = failures(&world);
    // It is found before the exit gate runs, so that no gate has failed and nothing is to be fixed.
    assert!(
        wrong.contains("the work is another than `verifier` has judged: ask for `audit` again"),
        "{wrong}"
    );
    assert!(!all.contains("exit gate FAIL"), "{all}");
    let gates = path(&world);
    let gates = gates.iter().filter(|state| *state == "exit_gate");
    assert_eq!(gates.count(), 1);
    // Only what a fact rests on is missed when it is gone.
    assert!(wrong.contains("not there any more: E-0001\"\n"), "{wrong}");
    assert!(!wrong.contains("E-0002"), "{wrong}");
    world.run(&["audit"]).exits(0);
}

#[test]
fn what_a_person_sends_back_goes_where_it_can_be_mended() {
    let world = begin_with("sent-back", &["--autonomy", "conservative"]);
    let key = key(&world);
    world.run(&["run", "t"]).exits(2);
    let since = ["diff", "t", "--since-rejected"];
    world.run(&since).refuses(1, "nothing_rejected");
    decide(&world, &key, "reject", "be warmer").exits(0);
    world.run(&since).refuses(1, "nothing_rejected");
    world.run(&["run", "t"]).exits(2);
    // What was changed since is shown first, and then all of it.
    let said = world.run(&since).exits(0).out;
    assert!(said.contains("+welcome"), "{said}");
    assert!(!said.contains("-good bye"), "{said}");
    let inbox = world.run(&["inbox"]).exits(0).out;
    let (first, all) = inbox.split_once("all of it:").expect("both");
    let (_, first) = first.split_once("since it was sent back:").expect("first");
    assert!(
        first.contains("+welcome") && !first.contains("-good bye"),
        "{inbox}"
    );
    assert!(all.contains("-good bye"), "{inbox}");
    let page = world.read("agent/artifacts/evidence.html");
    assert!(page.contains("Since it was sent back"), "{page}");
    let back = path(&world);
    let at = back.iter().position(|state| state == "deliver").unwrap();
    assert_eq!(
        back[at + 1..],
        [
            "choose",
            "edit",
            "iteration_gate",
            "choose",
            "exit_gate",
            "deliver"
        ],
        "{back:?}"
    );
    let rejected = snapshot(&world, 5);
    assert!(
        rejected.contains("- I-0001: ada@example.org rejected it: be warmer (E-0004)"),
        "{rejected}"
    );
    let whose = "— next action: fix — stays open until that person has seen the work\n";
    assert!(rejected.contains(whose), "{rejected}");
    // Who decides on the snapshot alone sees no code, in a patch either; who records the change sees that.
    let chose = transcript(&world, "choose", 1);
    assert!(chose.contains("/task/context.md"), "{chose}");
    assert!(!chose.contains("change.patch"), "{chose}");
    assert!(transcript(&world, "deliver", 0).contains("/task/change.patch"));
    // Who records it again knows that what lies there is of what was rejected, and why that was.
    let briefs = crate::quick::kept(&world, " deliver brief");
    let old = "`task/change-record.md` is the record of an earlier delivery";
    let told: Vec<bool> = briefs.iter().map(|brief| brief.contains(old)).collect();
    assert_eq!(told, [true, false], "newest first");
    assert!(briefs[0].contains("be warmer"), "{}", briefs[0]);
    decide(&world, &key, "approve", "warm enough").exits(0);
    world.run(&["run", "t"]).exits(0);
    assert_eq!(path(&world).last().unwrap(), "done");
    world.run(&["audit"]).exits(0);
}

#[test]
fn what_a_person_opened_no_agent_closes() {
    let world = begin_with("closes-a-rejection", &["--autonomy", "conservative"]);
    let key = key(&world);
    world.run(&["run", "t"]).exits(2);
    decide(&world, &key, "reject", "be warmer").exits(0);
    world.run(&["run", "t"]).exits(2);
    let wrong = failures(&world);
    let whose = "`I-0001` was opened by a person, who closes it";
    for check in ["promotion", "dispositions"] {
        assert!(
            wrong.contains(&format!("\"{check}\": \"{whose}")),
            "{wrong}"
        );
    }
    let context = world.read("agent/context.md");
    let open = "rejected it: be warmer (E-0004) — next action: fix — stays open until";
    assert!(context.contains(open), "{context}");
    decide(&world, &key, "approve", "warm enough").exits(0);
    world.run(&["run", "t"]).exits(0);
    world.run(&["audit"]).exits(0);
}

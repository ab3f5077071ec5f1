//! Around the pipeline: the stack audited, raw material distilled, the next version proposed and
//! confirmed, and the market asked.

use super::{Product, block, nth};
use crate::support::says;

const OUTER: &str = include_str!("../../data/lights-out/outer.toml");

fn instead(name: &str, attempt: u32) -> String {
    nth(&block(OUTER, name), &[attempt])
}

/// A person says this, the agents work, and the run rests or waits here.
#[track_caller]
fn leads(product: &Product, says: &str, exit: i32, to: &str) {
    product.decides(says);
    product.runs(exit);
    product.is_in(to);
}

/// A person says this of the market, and on which signals.
#[track_caller]
fn validated(product: &Product, says: &str, to: &str) {
    let signals = "Signals: docs/input/usage.csv";
    let key = product.key.to_str().unwrap();
    let args = ["decide", "t", says, "--because", signals, "--sign", key];
    product.world.run(&args).exits(0);
    product.is_in(to);
}

#[test]
fn audit_and_distilling_come_back_to_where_they_were_asked_for_and_change_nothing_else() {
    let cheats = [
        instead("auditor-adjusts", 1),
        instead("distiller-rewrites", 1),
    ];
    let product = Product::begun(&cheats.concat(), &["--idle"]);
    let world = &product.world;
    world.write("docs/input/mail.txt", "We want to be greeted.\n");
    product.is_in("PreferencesConfigured");
    leads(
        &product,
        "AuditStackFromConfigured",
        0,
        "PreferencesConfigured",
    );
    assert!(world.read("preferences.md").contains("Stack: Rust"));
    assert!(
        world
            .read("scaffolding/stack-audit.md")
            .contains("Keep it.")
    );
    leads(
        &product,
        "DistillFromConfigured",
        0,
        "PreferencesConfigured",
    );
    assert_eq!(
        world.read("docs/input/mail.txt"),
        "We want to be greeted.\n"
    );
    assert!(world.at("docs/input/distilled-mail.md").is_file());
    let ends = world.journal();
    let refused = ends
        .iter()
        .filter(|record| record["body"]["outcome"]["class"] == "out_of_scope");
    assert_eq!(refused.count(), 2);
    let actions = product.actions().join(" ");
    assert!(
        actions.ends_with("DistillFromConfigured again DistillCompleteToExpand"),
        "{actions}"
    );
}

#[test]
fn the_market_is_asked_and_the_next_version_is_what_a_person_confirms() {
    let cheats = [
        instead("loses-a-criterion", 1),
        instead("keeps-both", 2),
        instead("analyzes-the-next-version", 2),
    ];
    let product = Product::begun(&cheats.concat(), &[]);
    let world = &product.world;
    product.runs(0);
    leads(&product, "StartPMFValidation", 2, "ValidatingPMF");
    // What users do is told by what a person looked at, not by anybody's word for it.
    world
        .decide(&product.key, "PMFValidated")
        .refuses(1, "pmf_without_signals");
    let key = product.key.to_str().unwrap();
    let nowhere = "Signals: docs/input/usage.csv";
    world
        .run(&[
            "decide",
            "t",
            "PMFValidated",
            "--because",
            nowhere,
            "--sign",
            key,
        ])
        .refuses(1, "pmf_without_signals");
    world.write("docs/input/usage.csv", "day,greeted\n1,40\n");
    validated(&product, "PMFValidated", "PipelineComplete");
    leads(&product, "StartPMFValidation", 2, "ValidatingPMF");
    validated(&product, "PMFNeedsIteration", "Ideating");
    world.write("docs/input/mail.txt", "We want to be greeted.\n");
    leads(&product, "DistillFromIdeating", 0, "Ideating");
    leads(&product, "ReenterFromIdeation", 2, "IterationProposed");
    leads(&product, "RejectIteration", 0, "PipelineComplete");
    let delivered = world.read("scaffolding/scope.md");
    leads(&product, "DistillFromComplete", 2, "IterationProposed");
    let inbox = world.run(&["inbox"]).exits(0).out;
    assert!(inbox.contains("proposal.md"), "{inbox}");
    product.decides("ConfirmIteration");
    // A criterion vanishes, and the old version is not kept as it was: neither passes.
    world.run(&["run", "t", "--once"]);
    product.is_in("IterationConfirmed");
    assert!(
        product
            .brief("IterationConfirmed")
            .contains("I looked at it")
    );
    let wrong = product.wrong("IterationConfirmed");
    assert!(wrong.contains("AC-2"), "{wrong}");
    assert!(wrong.contains("task/scope.md was changed"), "{wrong}");
    world.run(&["run", "t", "--once"]);
    product.is_in("Analyzing");
    assert_eq!(world.read("scaffolding/scope-v1.md"), delivered);
    assert!(world.read("scaffolding/scope.md").contains("AC-3"));
    world.run(&["run", "t", "--once"]);
    product.is_in("Building");
    let actions = product.actions().join(" ");
    assert!(
        actions.ends_with("IterateDirectToAnalyze PassAnalyzeGate AutoContinueToBuild"),
        "{actions}"
    );
    world.run(&["audit"]).exits(0);
}

#[test]
fn whoever_asks_for_nothing_yet_is_told_what_to_write() {
    let world = crate::support::World::new();
    world.write("preferences.md", "# Preferences\n\nStack: Rust\n");
    let said = world.run(&["new", "lights-out", "--name", "t"]).exits(0);
    for part in [
        "it rests in `PreferencesConfigured`",
        "write it behind `Request:` in the task's STATE.md",
        "next: proofhouse decide t RequestBuild --because",
    ] {
        assert!(said.out.contains(part), "no `{part}` in {}", said.out);
    }
    assert!(
        !said.out.contains("next: proofhouse run t\n"),
        "{}",
        said.out
    );
}

/// Approved before it ships and once more after: the second time says what is new since the first, and who wrote
/// what is built is told from who read it.
#[test]
fn the_second_approval_says_what_is_new_since_the_first() {
    let product = Product::laid("");
    let with = |from: &str| format!("{from}, verdict = \"pass\"");
    let script = [
        "result = { summary = \"design written\"",
        "result = { summary = \"ready\"",
        "result = { summary = \"no findings\"",
    ];
    let script = script.iter().fold(super::HAPPY.to_owned(), |all, one| {
        all.replace(one, &with(one))
    });
    let world = &product.world;
    world.write("agent/script.toml", &script);
    world.commit("preferences");
    // As a person does it, in a tree of the run's own.
    says(world, &super::begins(&["--autonomy", "conservative"])).exits(0);
    product.runs(2);
    let first = world.run(&["inbox"]).exits(0).out;
    assert!(!first.contains("since you approved it"), "{first}");
    for line in [
        "maker says  designer (scripted): design written",
        "maker says  builder (scripted): built",
        "reviewed    analyst (scripted): pass: ready",
        "reviewed    reviewer (scripted): pass: no findings",
        "reviewed    verifier (scripted): pass: verified",
    ] {
        assert!(first.contains(line), "no `{line}` in {first}");
    }
    for line in [
        "reviewed    designer",
        "maker says  analyst",
        "maker says  verifier",
    ] {
        assert!(!first.contains(line), "`{line}` in {first}");
    }
    let since = ["diff", "t", "--since-approved"];
    world.run(&since).refuses(1, "nothing_approved");
    product.decides("approve");
    product.runs(2);
    let second = world.run(&["inbox"]).exits(0).out;
    let (_, new) = second
        .split_once("since you approved it:")
        .expect("what is new");
    let (new, whole) = new.split_once("all of it:").expect("and the whole");
    assert!(
        new.contains("DELIVERY.md") && !new.contains("src/lib.rs"),
        "{new}"
    );
    assert!(whole.contains("src/lib.rs"), "{whole}");
    let diff = world.run(&since).exits(0).out;
    assert!(
        diff.contains("DELIVERY.md") && !diff.contains("src/lib.rs"),
        "{diff}"
    );
    let page = world.read(".proofhouse/tasks/t/artifacts/evidence.html");
    assert!(page.contains("Since you approved it"), "{page}");
    product.decides("approve");
    product.is_in("PipelineComplete");
}

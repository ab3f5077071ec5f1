//! Stepped runs, reconciliation on demand, and the complexity brake.

use super::{HAPPY, Product, block, fault, nth};

const BRAKES: &str = include_str!("../../data/lights-out/brakes.toml");

fn options(product: &Product) -> Vec<String> {
    let status = product.world.status();
    let options = status["waiting_for"]["options"].as_array();
    let options = options.unwrap_or_else(|| panic!("nobody is asked: {status:#}"));
    let names = options.iter().map(|option| option.as_str().unwrap());
    names.map(str::to_owned).collect()
}

#[test]
fn a_stepped_run_pauses_after_each_gate_and_goes_on_only_to_the_next_phase() {
    let product = Product::begun("", &["--stepped"]);
    let steps = [
        ("PassExpandGate", "ResumeToDesign"),
        ("PassDesignGate", "ResumeToAnalyze"),
        ("PassAnalyzeGate", "ResumeToBuild"),
        ("PassBuildGate", "ResumeToReview"),
        ("PassReviewGate", "ResumeToReconcile"),
        ("PassVerifyGate", "ResumeToDeploy"),
    ];
    for (passed, resume) in steps {
        product.runs(2);
        product.is_in("SteppedModePaused");
        let actions = product.actions();
        let last = &actions[actions.len() - 2..];
        assert_eq!(last, [passed, "PauseForSteppedMode"]);
        assert_eq!(options(&product), [resume, "lower", "stop"]);
        let wrong = match resume {
            "ResumeToDeploy" => "ResumeToBuild",
            _ => "ResumeToDeploy",
        };
        let refused = product.world.decide(&product.key, wrong);
        refused.refuses(1, "unknown_option");
        product.decides(resume);
    }
    product.runs(0);
    product.is_in("PipelineComplete");
}

/// The first attempt of the happy agent, which also writes this file.
fn scoping(path: &str) -> String {
    let first = HAPPY.split("[[attempt]]").nth(1).unwrap();
    let also = format!("steps = [{{ write = \"{path}\", text = \"/target\\n\" }}, ");
    format!("[[attempt]]{}", first.replacen("steps = [", &also, 1))
}

#[test]
fn whoever_writes_the_scope_writes_gitignore_and_nothing_else_of_the_repository() {
    let product = Product::begun(&scoping("repo/.gitignore"), &["--stepped"]);
    product.runs(2);
    product.is_in("SteppedModePaused");
    assert_eq!(product.world.read(".gitignore"), "/target\n");
    let product = Product::begun(&scoping("repo/src/early.rs"), &["--stepped"]);
    product.world.run(&["run", "t", "--once"]);
    product.is_in("Expanding");
    assert!(!product.world.at("src/early.rs").exists());
}

#[test]
fn a_reconciliation_on_demand_leads_back_to_where_it_was_asked_for() {
    let product = Product::begun("", &["--stepped"]);
    for resume in ["ResumeToDesign", "ResumeToAnalyze", "ResumeToBuild"] {
        product.runs(2);
        product.decides(resume);
    }
    product.is_in("Building");
    product.decides("ManualReconcileFromBuilding");
    product.is_in("Reconciling");
    product.world.run(&["run", "t", "--once"]);
    product.is_in("Building");
    // And what it repairs on the way is what is built from then on.
    product.decides("ManualReconcileFromBuilding");
    product.agent(&nth(&block(BRAKES, "repairs-the-design"), &[2]));
    product.runs(2);
    product.is_in("SteppedModePaused");
    let actions = product.actions().join(" ");
    assert!(
        actions.ends_with(
            "ManualReconcileFromBuilding ResumeAfterReconcileToBuilding \
             ManualReconcileFromBuilding ResumeAfterReconcileToBuilding \
             PassBuildGate PauseForSteppedMode"
        ),
        "{actions}"
    );
    assert!(
        product
            .world
            .read("scaffolding/design.md")
            .contains("seven")
    );
}

/// What an honest reconciler says where there is no code yet: nothing of the code.
fn before_anything_is_built(attempt: u32) -> String {
    let whole = HAPPY.split("[[attempt]]");
    let mut whole = whole.filter(|one| one.contains("state = \"Reconciling\""));
    let (steps, _) = whole.next().unwrap().split_once("result = {").unwrap();
    let steps = steps.replace(
        "Both are built.",
        "What is designed is what the scope asks for.",
    );
    format!(
        "[[attempt]]\nattempt = {attempt}{steps}result = {{ summary = \"the documents agree\", answers = {{ criteria = {{ answer = \"yes\", evidence = \"task/scope.md: both criteria have their place\" }}, stack = {{ answer = \"yes\", evidence = \"preferences.md and task/scope.md: Rust\" }}, log = {{ answer = \"yes\", evidence = \"task/log.md is written by the engine\" }} }} }}\n"
    )
}

/// Asked for before anything is built, a reconciliation has an honest yes: what is about the code is not asked,
/// and once something is built it is.
#[test]
fn before_anything_is_built_nobody_is_asked_about_the_code() {
    let early = [1, 2, 3].map(before_anything_is_built);
    let product = Product::begun(&early.concat(), &["--stepped"]);
    for (resume, asks, at) in [
        (
            "ResumeToDesign",
            "ManualReconcileFromDesigning",
            "Designing",
        ),
        (
            "ResumeToAnalyze",
            "ManualReconcileFromAnalyzing",
            "Analyzing",
        ),
    ] {
        product.runs(2);
        product.decides(resume);
        product.decides(asks);
        product.is_in("Reconciling");
        product.world.run(&["run", "t", "--once"]);
        product.is_in(at);
    }
    let brief = product.brief("Reconciling");
    let waits = "same files? It passes with: yes. Not asked where the checks show `unbuilt`.";
    assert!(brief.contains(waits), "{brief}");
    for resume in ["ResumeToBuild", "ResumeToReview", "ResumeToReconcile"] {
        product.runs(2);
        product.decides(resume);
    }
    product.world.run(&["run", "t", "--once"]);
    product.is_in("Reconciling");
    let wrong = product.wrong("Reconciling");
    for asked in [
        "same files?",
        "same interfaces?",
        "integrations of the design",
        "still traced",
    ] {
        assert!(wrong.contains(asked), "no `{asked}` in {wrong}");
    }
}

#[test]
fn a_name_that_the_design_lacks_holds_the_reconciliation() {
    let product = Product::begun("", &["--stepped"]);
    let waves = HAPPY.replace(
        "//! Greets.\\n\\n",
        "//! Greets.\\n\\npub fn wave() -> u8 {\\n    7\\n}\\n\\n",
    );
    let mends = block(BRAKES, "repairs-the-design").replace(
        "One crate of seven lines with a library and a command.",
        "One crate with a library and a command; `wave()` is for later.",
    );
    let script = format!("{}\n{waves}", nth(&mends, &[2]));
    product.world.write("agent/script.toml", &script);
    for resume in ["Design", "Analyze", "Build", "Review", "Reconcile"] {
        product.runs(2);
        product.decides(&format!("ResumeTo{resume}"));
    }
    // The role answers that all is well, and the engine sees that it is not.
    product.world.run(&["run", "t", "--once"]);
    product.is_in("Reconciling");
    let wrong = product.wrong("Reconciling");
    let unnamed = "public, and not in task/design.md: wave (src/lib.rs; nothing uses it)";
    assert!(wrong.contains(unnamed), "{wrong}");
    product.world.run(&["run", "t", "--once"]);
    product.is_in("Verifying");
    let actions = product.actions().join(" ");
    assert!(actions.ends_with("again ReconcileRepaired"), "{actions}");
}

/// The brake, what the person is told, and that recovery leads back to the design that they changed.
fn brakes(name: &str, told: &str) {
    let product = Product::begun(&nth(&block(BRAKES, name), &[1]), &[]);
    product.runs(2);
    product.is_in("ComplexityBrakeTriggered");
    assert!(product.actions().last().unwrap() == "TriggerComplexityBrake");
    let inbox = product.world.run(&["inbox"]).exits(0).out;
    for text in ["BLOCKED: ", "Options: ", "ResolveComplexityBrake", told] {
        assert!(inbox.contains(text), "no `{text}` in\n{inbox}");
    }
    let status = product.world.status();
    assert_eq!(status["budgets"]["tries"]["used"], 0, "it is no failed try");
    product.decides("ResolveComplexityBrake");
    product.world.run(&["run", "t", "--once"]);
    let actions = product.actions().join(" ");
    assert!(
        actions.contains("ResolveComplexityBrake RecoverToBuild"),
        "{actions}"
    );
    assert!(product.brief("Building").contains("I looked at it"));
}

#[test]
fn twice_the_designed_files_stop_the_build() {
    brakes("many-files", "sources");
}

#[test]
fn a_file_of_301_lines_stops_the_build() {
    brakes("long-file", "301 lines");
}

#[test]
fn a_package_that_the_design_does_not_name_stops_the_build_until_it_does() {
    let product = Product::begun(&nth(&block(BRAKES, "new-package"), &[1]), &[]);
    product.runs(2);
    product.is_in("ComplexityBrakeTriggered");
    let inbox = product.world.run(&["inbox"]).exits(0).out;
    assert!(inbox.contains("left-pad"), "{inbox}");
    // The person changes the design: it is designed anew, and passes its gate again.
    let design = product.world.read("scaffolding/design.md");
    product
        .world
        .write("scaffolding/design.md", &(design + "\nUses left-pad.\n"));
    product.decides("ResolveComplexityBrake");
    product.world.run(&["run", "t", "--once"]);
    let actions = product.actions().join(" ");
    assert!(
        actions.contains("ResolveComplexityBrake RecoverToDesign"),
        "{actions}"
    );
}

#[test]
fn a_third_approach_to_the_same_failure_is_a_persons_to_allow() {
    let second = block(super::FAULTS, "build").replace("a broken greeting", "another way");
    let product = Product::begun(&[fault("build", &[1]), nth(&second, &[2])].concat(), &[]);
    product.runs(2);
    product.is_in("ComplexityBrakeTriggered");
    let actions = product.actions().join(" ");
    assert!(
        actions.ends_with("FailBuildGate RetryBuild TriggerComplexityBrake"),
        "{actions}"
    );
    product.decides("ResolveComplexityBrake");
    product.world.run(&["run", "t", "--once"]);
    assert!(
        product
            .actions()
            .join(" ")
            .contains("RecoverToBuild PassBuildGate")
    );
}

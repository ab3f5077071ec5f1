//! Each gate of the pipeline fails three times: what is kept, what is put back, and what a person is told.
//! That every gate fails, once and thrice, is in `data/gates/lights-out.toml`.

use super::{Product, fault};

/// A phase that cannot be passed.
struct Dead<'a> {
    /// The fault's name.
    fault: &'a str,
    /// The phase whose gate refuses.
    state: &'a str,
    /// Who worked last before the person is asked.
    last: &'a str,
    /// What the agent left behind, and text in it.
    left: (&'a str, &'a str),
    /// What the engine saw.
    saw: &'a str,
    /// The last actions.
    actions: &'a str,
}

fn three_times(dead: &Dead<'_>) -> Product {
    let product = Product::begun(&fault(dead.fault, &[1, 2, 3]), &[]);
    let world = &product.world;
    // What a person has in their tree is none of the engine's business.
    world.write("mine.txt", "not committed yet\n");
    std::fs::create_dir(world.at("mine")).unwrap();
    product.runs(2);
    product.is_in("BlockedOnGate");
    let actions = product.actions().join(" ");
    assert!(actions.ends_with(dead.actions), "{actions}");
    // The broken state is kept, and put back.
    let (path, text) = dead.left;
    let subjects = world.git(&["log", "--format=%H %s", "refs/proofhouse/t"]);
    let broken = format!("fix({}): checkpoint broken state before revert", dead.last);
    let commit = |subject: &str| {
        let mut lines = subjects.lines().map(|line| line.split_once(' ').unwrap());
        let found = lines.find(|(_, said)| *said == subject);
        found.map(|(commit, _)| commit.to_owned())
    };
    let kept = commit(&broken).unwrap_or_else(|| panic!("no {broken} in\n{subjects}"));
    let kept = world.git(&["show", &format!("{kept}:{path}")]);
    assert!(kept.contains(text), "{kept}");
    assert!(commit(&format!("revert: {broken}")).is_some(), "{subjects}");
    let now = std::fs::read_to_string(world.at(path)).unwrap_or_default();
    assert!(
        !now.contains(text),
        "{path} is as the agent left it:\n{now}"
    );
    assert_eq!(world.read("mine.txt"), "not committed yet\n");
    // What was learnt.
    let log = world.read("scaffolding/log.md");
    for part in [
        &format!("## Post-mortem: {}", dead.last),
        "### What went wrong",
        "### What to try differently",
        "### What to avoid",
        dead.saw,
    ] {
        assert!(log.contains(part), "no `{part}` in\n{log}");
    }
    // What the person is told.
    let inbox = world.run(&["inbox"]).exits(0).out;
    let status = world.status()["waiting_for"].to_string();
    for told in [&inbox, &status] {
        assert!(told.contains("BLOCKED: "), "{told}");
        assert!(told.contains("Recommendation: "), "{told}");
        assert!(told.contains("UnblockByUser"), "{told}");
        assert!(told.contains(dead.saw), "{told}");
    }
    product.decides("UnblockByUser");
    product
}

/// What the next brief of the phase carries.
fn carries(product: &Product, state: &str, texts: &[&str]) {
    let brief = product.brief(state);
    for text in texts {
        assert!(brief.contains(text), "no `{text}` in\n{brief}");
    }
}

#[test]
fn expanding_three_times() {
    let dead = Dead {
        fault: "expand",
        state: "Expanding",
        last: "Expanding",
        left: ("scaffolding/scope.md", "Too short a scope"),
        saw: "Smallest Useful Version",
        actions: "FailExpandGate RetryExpand FailExpandGate RetryExpand FailExpandGate BlockAfterThreeRetries",
    };
    let product = three_times(&dead);
    product.world.run(&["run", "t", "--once"]);
    carries(
        &product,
        dead.state,
        &[
            "ask what it may cost",
            "wrote the problem only",
            "I looked at it",
        ],
    );
    product.runs(0);
    product.is_in("PipelineComplete");
}

#[test]
fn designing_three_times() {
    let product = three_times(&Dead {
        fault: "design",
        state: "Designing",
        last: "Designing",
        left: ("scaffolding/design.md", "without interfaces"),
        saw: "Interfaces",
        actions: "RetryDesign FailDesignGate BlockAfterThreeRetries",
    });
    product.world.run(&["run", "t", "--once"]);
    carries(
        &product,
        "Designing",
        &["name the interfaces", "drew boxes"],
    );
}

#[test]
fn analyzing_three_times() {
    let product = three_times(&Dead {
        fault: "analyze",
        state: "Analyzing",
        last: "Analyzing",
        left: ("scaffolding/readiness.md", "NOT READY"),
        saw: "NOT READY",
        actions: "RetryAnalyze FailAnalyzeGate BlockAfterThreeRetries",
    });
    product.world.run(&["run", "t", "--once"]);
    carries(&product, "Analyzing", &["define a name", "nobody knows"]);
}

#[test]
fn building_three_times() {
    let product = three_times(&Dead {
        fault: "build",
        state: "Building",
        last: "Building",
        left: ("src/lib.rs", "a broken greeting"),
        saw: "ac_1_greets",
        actions: "RetryBuild FailBuildGate BlockAfterThreeRetries",
    });
    assert!(
        !product.world.at("Cargo.toml").exists(),
        "all of it is put back"
    );
    // So are the folders that came with it, and no others.
    assert!(!product.world.at("src").exists() && !product.world.at("tests").exists());
    assert!(product.world.at("mine").is_dir());
    assert!(product.world.at("scaffolding/notes").is_dir());
    product.world.run(&["run", "t", "--once"]);
    carries(
        &product,
        "Building",
        &["say hello", "returned the bare name"],
    );
}

#[test]
fn reviewing_three_times() {
    let product = three_times(&Dead {
        fault: "review",
        state: "Reviewing",
        last: "Reviewing",
        left: ("scaffolding/review.md", "round 3"),
        saw: "R-1",
        actions: "FixReviewFindings FailReviewGate FixReviewFindings FailReviewGate EscalateReviewFailure BlockAfterThreeRetries",
    });
    product.world.run(&["run", "t", "--once"]);
    carries(
        &product,
        "Reviewing",
        &["say whom it greets", "R-1 is open"],
    );
}

#[test]
fn verifying_three_times() {
    let product = three_times(&Dead {
        fault: "verify",
        state: "Verifying",
        last: "Verifying",
        left: ("scaffolding/verification.md", "round 3"),
        saw: "bonjour Ada",
        actions: "FixVerifyFailures FailVerifyGate FixVerifyFailures FailVerifyGate EscalateVerifyFailure BlockAfterThreeRetries",
    });
    product.world.run(&["run", "t", "--once"]);
    carries(
        &product,
        "Verifying",
        &["look at AC-1 again", "AC-1 does not hold"],
    );
}

#[test]
fn deploying_three_times() {
    let product = three_times(&Dead {
        fault: "deploy",
        state: "Deploying",
        last: "Deploying",
        left: ("README.md", "says too little"),
        saw: "README.md",
        actions: "RetryDeploy FailDeployGate BlockAfterThreeRetries",
    });
    product.runs(0);
    product.is_in("PipelineComplete");
    carries(&product, "Deploying", &["ask for access", "into the dark"]);
}

#[test]
fn a_third_drift_leaves_a_person_only_the_harder_stop() {
    let product = Product::begun(&fault("reconcile", &[1, 2, 3]), &[]);
    let options = || {
        let status = product.world.status();
        let options = status["waiting_for"]["options"].as_array().unwrap().clone();
        let names = options.iter().map(|option| match option.as_str() {
            Some(name) => name.to_owned(),
            None => option["option"].as_str().unwrap_or_default().to_owned(),
        });
        names.collect::<Vec<String>>()
    };
    let built = "/target\nagent/\n";
    for because in ["revert: .gitignore; why: nobody asked for it", "split it"] {
        product.runs(2);
        product.is_in("ReconcileBlocked");
        assert!(options().contains(&"ResolveReconcileBlock".to_owned()));
        assert!(!options().contains(&"BlockAfterThreeRetries".to_owned()));
        product.decides_because("ResolveReconcileBlock", because);
    }
    product.runs(2);
    // What a person authorised was committed and put back as it was before the build, and nothing else.
    assert_eq!(product.world.read(".gitignore"), "agent/\n/target\n");
    assert!(product.world.read("src/lib.rs").contains("pub fn greet"));
    let aside = "refs/proofhouse/t^{/the work of Building is set aside}:.gitignore";
    assert_eq!(
        product.world.git(&["show", aside]).trim_end(),
        built.trim_end()
    );
    assert!(!options().contains(&"ResolveReconcileBlock".to_owned()));
    product.decides("BlockAfterThreeRetries");
    product.is_in("BlockedOnGate");
    let log = product.world.read("scaffolding/log.md");
    assert!(log.contains("## Post-mortem: Reconciling"), "{log}");
    product.decides("UnblockByUser");
    product.world.run(&["run", "t", "--once"]);
    carries(&product, "Reconciling", &["cut French"]);
}

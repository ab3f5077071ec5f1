//! `proofhouse demo`: the factory on a sample SPEC.md, with a scripted agent and a scripted human.
//!
//! Only their words are scripted. Everything that it makes lies in the sample repository, the script
//! and the key too, so a demo that was killed goes on with `proofhouse factory run`.

use super::person::{Person, Spoke};
use super::teller::Teller;
use super::window::Window;
use crate::cli::out::{Out, Tone, duration, plain};
use crate::cli::{exit, run};
use engine::Ending;
use engine::factory::{Driving, New};
use kernel::Machine;
use kernel::machine::Activity;
use report::Peek;
use std::path::Path;
use workspace::project::Records;
use workspace::{EngineError, Project, trust};

/// The project's name.
const NAME: &str = "receipts";
const SPEC: &str = include_str!("../../../demo/factory/spec.json");
const FILES: [(&str, &str); 3] = [
    ("SPEC.md", include_str!("../../../demo/factory/SPEC.md")),
    (
        "demo/amendment.json",
        include_str!("../../../demo/factory/amendment.json"),
    ),
    (".gitignore", "/demo/\n"),
];
/// What the agent replies. The first entry that fits wins, so the special stands before the general.
const SCRIPT: [&str; 9] = [
    include_str!("../../../demo/factory/script/3-exception.toml"),
    include_str!("../../../demo/factory/script/6-voucher.toml"),
    include_str!("../../../demo/factory/script/1-amount.toml"),
    include_str!("../../../demo/factory/script/2-quantity.toml"),
    include_str!("../../../demo/factory/script/3-item.toml"),
    include_str!("../../../demo/factory/script/4-money.toml"),
    include_str!("../../../demo/factory/script/5-total.toml"),
    include_str!("../../../demo/factory/script/7-summary.toml"),
    include_str!("../../../demo/factory/script/9-everybody.toml"),
];
/// More than the story has; a loop that never ends is a bug, and must not look like work.
const MOST_ANSWERS: usize = 10;

pub(super) fn demo(dir: &Path, window: &mut Window<'_>, out: &Out) -> Result<u8, EngineError> {
    let mut teller = Teller::new(out);
    super::write_files(dir, &FILES)?;
    super::write_files(dir, &[("demo/script.toml", &script())])?;
    // A story that is told must not depend on what else was made here, and has nobody who examines.
    let alone = "[index]\nshare = \"nothing\"\n\n[checks]\nexam = \"off\"\n";
    super::write_files(dir, &[(".proofhouse/config.toml", alone)])?;
    workspace::git::first_commit(dir, "A spec of one page")?;
    let project = Project::find(dir)?;
    // It is the demo's own file, and no other repository's.
    trust::confirm(&project, &trust::opening(&project.config()?))?;
    project.prepare(Records::InTree)?;
    let mut person = Person::arrive(&project, dir.join("demo/scripted-human.key"))?;
    if !out.json {
        open(dir, out);
    }
    window.open(&project, out)?;
    let begin = New {
        spec: &dir.join("SPEC.md"),
        with: &[],
        name: Some(NAME),
        agent: Some("scripted:demo/script.toml"),
        jobs: 1,
        budgets: &[],
    };
    engine::factory::new(&project, &begin)?;
    let driving = Driving {
        project: &project,
        name: NAME,
        agent: None,
    };
    for _ in 0..MOST_ANSWERS {
        let ended = engine::factory::drive(&driving, &mut teller, &run::on_interrupt)?;
        if ended.ending == Ending::Interrupted {
            eprintln!(
                "interrupted. Go on with:\n  cd {}\n  proofhouse factory run {NAME}",
                dir.display()
            );
            return Ok(exit::INTERRUPTED);
        }
        match ended.status.activity {
            Activity::Waiting => {
                let seen = report::look::peek_project(&project, NAME)?.head.seq;
                if person.speak(NAME)? == Spoke::NotToThis {
                    break;
                }
                teller.catch_up(&project, NAME, seen)?;
            }
            Activity::Done | Activity::Resting | Activity::Working | Activity::Stopped => break,
        }
    }
    close(&project, dir, &teller, out)
}

/// Everything that the agent replies, as one file.
fn script() -> String {
    // The first draft lets a task depend on one that there is not.
    let slip = SPEC.replacen("\"TSK-005\"\n", "\"TSK-050\"\n", 1);
    let product = include_str!("../../../demo/factory/script/0-product.toml");
    let product = product
        .replace("{{FIRST}}", &slip)
        .replace("{{SPEC}}", SPEC);
    let rest = SCRIPT.join("\n");
    format!("log = \"agent.log\"\n\n{product}\n{rest}")
}

fn open(dir: &Path, out: &Out) {
    let title = "Proofhouse demo: a SPEC.md of one page becomes a product that runs";
    out.line(&out.paint(Tone::Strong, title));
    out.line(
        "\nThe replies of the model and of the human are scripted. Everything else is real: the",
    );
    out.line("engine, the sandbox, every `cargo test`, every hash, signature and journal entry.\n");
    out.line(&format!("repository  {}", dir.display()));
}

/// A receipt as a shell's `printf` writes it: two items, 6.10 in total.
const RECEIPT: &str = r"apples 3 x 1.20\nbread 1 x 2.50\n";

/// What was proven, and where to look further.
fn close(project: &Project, dir: &Path, teller: &Teller<'_>, out: &Out) -> Result<u8, EngineError> {
    let Peek { machine, head } = report::look::peek_project(project, NAME)?;
    let page = engine::factory::page(project, NAME)?;
    let releases: Vec<_> = machine
        .releases()
        .iter()
        .map(|one| one.document())
        .collect();
    let passed = machine.releases().last().is_some_and(|one| one.passed());
    let code = match (passed, machine.status().activity) {
        (true, _) => exit::OK,
        (false, Activity::Waiting) => exit::WAITING,
        (false, _) => exit::USER,
    };
    let mut commands = vec![
        format!("proofhouse factory status {NAME}"),
        format!("proofhouse log {NAME}"),
        "proofhouse audit".to_owned(),
        "proofhouse factory export ../receipt".to_owned(),
        format!("(cd ../receipt && printf '{RECEIPT}' | cargo run)"),
        "proofhouse index search \"read an amount of money\"".to_owned(),
        "proofhouse index show MM-amount@1.0.0".to_owned(),
    ];
    if !passed {
        commands.retain(|one| !one.contains("../receipt"));
    }
    if out.json {
        let moments: Vec<_> = teller.moments().collect();
        out.facts(&serde_json::json!({
            "project": NAME, "dir": dir, "page": page, "seq": head.seq, "millis": teller.millis(),
            "status": machine.status(), "state_machine": machine.state_machine(),
            "moments": moments, "releases": releases, "commands": commands,
        }));
        return Ok(code);
    }
    let took = duration(teller.millis());
    let modules: Vec<String> = machine
        .releases()
        .last()
        .into_iter()
        .flat_map(|one| &one.modules)
        .map(|one| one.module_ref.to_string())
        .collect();
    let verdict = if passed {
        out.paint(Tone::Good, "released")
    } else {
        out.paint(Tone::Bad, "not released")
    };
    let waiting = machine.status().waiting_for.map(|waiting| waiting.why);
    let came_to = match passed {
        true => modules.join(", "),
        false => waiting.unwrap_or_else(|| "it is not complete".to_owned()),
    };
    out.line(&format!("\n{verdict} in {took}: {}", plain(&came_to)));
    let recap = teller.recap();
    if !recap.is_empty() {
        out.line("\nwhat was proven on the way:");
    }
    for line in recap {
        out.line(&line);
    }
    if !passed {
        out.line("\nwhat waits, and how to answer it: proofhouse inbox");
    }
    out.line(&format!("\nevidence: {}", report::address::address(&page)));
    out.line("\nlook further:");
    out.line(&format!("  cd {}", dir.display()));
    for command in commands {
        out.line(&format!("  {command}"));
    }
    out.line("  ls .proofhouse/state_store        modules with contract, tests, seal; escalations; releases");
    out.line("  ls demo                           the script of the agent and of the human");
    Ok(code)
}

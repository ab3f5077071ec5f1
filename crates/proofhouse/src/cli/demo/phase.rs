//! `proofhouse demo --workflow phase`: one task from intake to done, on a repository that it makes
//! itself. The agent is inside the binary, so what was interrupted is not resumed.

use super::window::Window;
use crate::cli::out::{Out, Tone};
use crate::cli::progress::Progress;
use crate::cli::{exit, run};
use agents::Scripted;
use engine::Until;
use engine::session::{Restore, Session};
use engine::start::{NewRun, start};
use std::path::Path;
use std::sync::Arc;
use workspace::{EngineError, Project};

const SCRIPT: &str = include_str!("../../../demo/phase/script.toml");
const FILES: [(&str, &str); 5] = [
    (
        "Cargo.toml",
        include_str!("../../../demo/phase/sample/Cargo.toml.txt"),
    ),
    (
        "Cargo.lock",
        include_str!("../../../demo/phase/sample/Cargo.lock.txt"),
    ),
    (".gitignore", "/target\n"),
    (
        "src/lib.rs",
        include_str!("../../../demo/phase/sample/src/lib.rs.txt"),
    ),
    (
        "tests/slugify.rs",
        include_str!("../../../demo/phase/sample/tests/slugify.rs.txt"),
    ),
];

pub(super) fn demo(dir: &Path, window: &mut Window<'_>, out: &Out) -> Result<u8, EngineError> {
    super::write_files(dir, &FILES)?;
    workspace::git::first_commit(dir, "A small crate with a promise in its tests")?;
    let project = Project::find(dir)?;
    if !out.json {
        out.line(&out.paint(
            Tone::Strong,
            "Proofhouse demo: one task, from intake to done",
        ));
        out.line("The model's replies are scripted. Everything else is real: the repository, the");
        out.line("engine, every `cargo test`, every hash, the journal, the commits.\n");
        out.line(&format!("repository  {}", dir.display()));
    }
    window.open(&project, out)?;
    let started = start(
        &project,
        &NewRun {
            workflow: "phase".to_owned(),
            dir: Some(dir.join("tasks/slugs")),
            set: vec![
                (
                    "objective".to_owned(),
                    "slugify() turns any title into a clean URL slug".to_owned(),
                ),
                (
                    "done_gate".to_owned(),
                    "tests/slugify.rs passes under cargo test, unchanged".to_owned(),
                ),
            ],
            commands: vec!["cargo test --quiet --offline".to_owned()],
            agent: Some("scripted:(embedded)".to_owned()),
            // The agent is scripted, and nobody should have to approve what it did.
            weak: Some(kernel::Weak::Suffices),
            ..NewRun::default()
        },
    )?;
    let script =
        Scripted::parse("demo/script.toml", SCRIPT, dir).map_err(agents::AgentError::Script)?;
    let session = Session {
        project: &project,
        run: &started.run,
        agent: None,
        built: Some(Arc::new(script)),
        until: Until::Rest,
        restore: Restore::No,
    };
    let ended = {
        let mut progress = Progress::new(out);
        session.drive(&mut progress, &run::on_interrupt)?
    };
    let code = run::report(&project, &ended, out)?;
    if !out.json && code == exit::OK {
        out.line("\nIts script works in the tree itself (`--here`), and weak evidence suffices for it. Your own");
        out.line("runs have a tree of their own, and ask you where nothing shows that a check could have failed.");
        out.line("\nlook further:");
        out.line(&format!("  cd {}", dir.display()));
        for command in ["status slugs", "log slugs", "audit", "workflow show phase"] {
            out.line(&format!("  proofhouse {command}"));
        }
    }
    Ok(code)
}

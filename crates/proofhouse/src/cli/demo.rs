//! `proofhouse demo`: the main job, end to end, on a repository that it makes itself.

use super::args::Demo;
use super::out::{Out, Tone};
use super::progress::Progress;
use super::{exit, run};
use agents::Scripted;
use engine::session::{Restore, Session};
use engine::start::{NewRun, start};
use engine::{EngineError, Project, Until};
use std::path::{Path, PathBuf};
use std::sync::Arc;

const SCRIPT: &str = include_str!("../../demo/script.toml");
const FILES: [(&str, &str); 5] = [
    (
        "Cargo.toml",
        include_str!("../../demo/sample/Cargo.toml.txt"),
    ),
    (
        "Cargo.lock",
        include_str!("../../demo/sample/Cargo.lock.txt"),
    ),
    (".gitignore", "/target\n"),
    (
        "src/lib.rs",
        include_str!("../../demo/sample/src/lib.rs.txt"),
    ),
    (
        "tests/slugify.rs",
        include_str!("../../demo/sample/tests/slugify.rs.txt"),
    ),
];

pub(crate) fn demo(args: &Demo, out: &Out) -> Result<u8, EngineError> {
    let dir = folder(args)?;
    for (name, text) in FILES {
        let path = dir.join(name);
        if let Some(parent) = path.parent() {
            std::fs::create_dir_all(parent).map_err(EngineError::io("create", parent))?;
        }
        std::fs::write(&path, text).map_err(EngineError::io("write", &path))?;
    }
    engine::git::first_commit(&dir, "A small crate with a promise in its tests")?;
    let project = Project::find(&dir)?;
    if !out.json {
        out.line(&out.paint(
            Tone::Strong,
            "Proofhouse demo: one task, from intake to done",
        ));
        out.line("The model's replies are scripted. Everything else is real: the repository, the");
        out.line("engine, every `cargo test`, every hash, the journal, the commits.\n");
        out.line(&format!("repository  {}", dir.display()));
    }
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
            ..NewRun::default()
        },
    )?;
    let script =
        Scripted::parse("demo/script.toml", SCRIPT, &dir).map_err(agents::AgentError::Script)?;
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
        out.line("\nlook further:");
        out.line(&format!("  cd {}", dir.display()));
        for command in ["status slugs", "log slugs", "audit", "workflow show phase"] {
            out.line(&format!("  proofhouse {command}"));
        }
    }
    Ok(code)
}

/// An empty folder: the named one, or a new one that stays in the temporary folder.
fn folder(args: &Demo) -> Result<PathBuf, EngineError> {
    let dir = match &args.dir {
        Some(dir) => dir.clone(),
        None => std::env::temp_dir().join(format!("proofhouse-demo-{}", engine::world::now().0)),
    };
    std::fs::create_dir_all(&dir).map_err(EngineError::io("create", &dir))?;
    if !is_empty(&dir)? {
        return Err(EngineError::user(
            "folder_not_empty",
            format!("{} is not empty", dir.display()),
            "name a folder that does not exist yet, or an empty one",
        ));
    }
    dir.canonicalize().map_err(EngineError::io("resolve", &dir))
}

fn is_empty(dir: &Path) -> Result<bool, EngineError> {
    let mut entries = std::fs::read_dir(dir).map_err(EngineError::io("read", dir))?;
    Ok(entries.next().is_none())
}

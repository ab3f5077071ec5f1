//! `proofhouse demo`: the main job, end to end, on a repository that it makes itself.

mod factory;
mod person;
mod phase;
mod teller;
mod window;

use super::args::{Demo, DemoOf};
use super::doctor::try_run;
use super::out::Out;
use std::path::{Path, PathBuf};
use window::Window;
use workspace::EngineError;

pub(crate) fn demo(args: &Demo, out: &Out) -> Result<u8, EngineError> {
    needs("git")?;
    needs("cargo")?;
    let dir = folder(args)?;
    let mut window = Window::of(args);
    let code = match args.workflow {
        DemoOf::Factory => factory::demo(&dir, &mut window, out),
        DemoOf::Phase => phase::demo(&dir, &mut window, out),
    }?;
    window.stay(code, out)
}

/// Both demos build and test Rust: better said now than in the middle of the story.
fn needs(program: &str) -> Result<(), EngineError> {
    let (what, mend) = match try_run(&[program, "--version"]) {
        Ok(ended) if ended.exited_with(0) => return Ok(()),
        // It stands for another program, as rustup's does, and that one is not there.
        Ok(ended) => {
            let said = String::from_utf8_lossy(&ended.output);
            let said = said.lines().next().unwrap_or("it failed").trim().to_owned();
            (
                format!("the demo needs `{program}`, and `{program} --version` says: {said}"),
                format!("mend that until `{program} --version` names its version"),
            )
        }
        Err(error) => (
            format!("the demo needs `{program}`: {error}"),
            format!("install {program}, or put it on PATH"),
        ),
    };
    Err(EngineError::environment("program_not_found", what, mend))
}

fn write_files(dir: &Path, files: &[(&str, &str)]) -> Result<(), EngineError> {
    for (name, text) in files {
        let path = dir.join(name);
        if let Some(parent) = path.parent() {
            std::fs::create_dir_all(parent).map_err(EngineError::io("create", parent))?;
        }
        std::fs::write(&path, text).map_err(EngineError::io("write", &path))?;
    }
    Ok(())
}

/// An empty folder: the named one, or a new one that stays in the temporary folder.
fn folder(args: &Demo) -> Result<PathBuf, EngineError> {
    let dir = match &args.dir {
        Some(dir) => dir.clone(),
        None => std::env::temp_dir().join(format!("proofhouse-demo-{}", workspace::clock::now().0)),
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

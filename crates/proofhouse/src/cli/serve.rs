//! `proofhouse serve`: says where, and serves.

use super::args::{Args, Run, Serve};
use super::detached;
use super::exit;
use super::out::{Out, plain};
use crate::serve::{Orders, Server};
use std::path::{Path, PathBuf};
use workspace::{EngineError, Project};

pub(crate) fn serve(args: &Args, asked: &Serve, out: &Out) -> Result<u8, EngineError> {
    let here = [PathBuf::from(".")];
    let places = match args.repo.as_slice() {
        [] => &here[..],
        named => named,
    };
    let found = places.iter().map(|place| Project::find(place));
    let mut repos: Vec<Project> = Vec::new();
    for project in found.collect::<Result<Vec<_>, _>>()? {
        let top = project.top().to_owned();
        if !repos.iter().any(|one| one.top() == top) {
            repos.push(project);
        }
    }
    let shown: Vec<String> = repos.iter().map(|one| place(one.top())).collect();
    let server = Server::bind(Orders {
        repos,
        port: asked.port,
        decides: asked.decide,
        go_on,
        opens: !asked.no_open && !out.json,
    })?;
    let address = server.address();
    if out.json {
        // One line: it goes on, and whoever reads it does not wait for its end.
        out.line(&serde_json::json!({ "address": address, "repositories": shown }).to_string());
    } else {
        out.line(&format!("serving {} at", shown.join(", ")));
        out.line(&format!("  {address}"));
        out.line("whoever has this address sees your runs; it holds until Ctrl-C");
    }
    server.serve()?;
    Ok(exit::OK)
}

/// Lets a run go on, in a process of its own.
pub(crate) fn go_on(project: &Project, name: &str) -> Result<(), EngineError> {
    let on = Run {
        run: Some(name.to_owned()),
        detach: true,
        once: false,
        agent: None,
        restore_views: false,
    };
    detached::begin(project, name, &on).map(drop)
}

fn place(top: &Path) -> String {
    plain(&top.display().to_string())
}

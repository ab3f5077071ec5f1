//! `proofhouse serve`: says where, and serves.

use super::args::{Args, Run, Serve};
use super::out::{Out, plain};
use super::{detached, exit, remembered};
use crate::serve::{Orders, Server};
use detached::Begun;
use std::path::{Path, PathBuf};
use workspace::{EngineError, Project};

pub(crate) fn serve(args: &Args, asked: &Serve, out: &Out) -> Result<u8, EngineError> {
    if let Some(named) = &asked.forget {
        let gone = remembered::forget(named)?;
        match out.json {
            true => out.facts(&serde_json::json!({ "forgotten": gone })),
            false => out.line(&format!("{} is forgotten", place(&gone))),
        }
        return Ok(exit::OK);
    }
    let repos = repositories(&args.repo)?;
    if args.repo.len() > 1 {
        remembered::remember(&repos)?;
    }
    let shown: Vec<String> = repos.iter().map(|one| place(one.top())).collect();
    let server = Server::bind(Orders {
        repos,
        port: asked.port,
        decides: asked.decide,
        go_on,
        end: detached::end,
        tools: asked.mcp,
        opens: !asked.no_open && !out.json,
    })?;
    let address = server.address();
    if out.json {
        // One line: it goes on, and whoever reads it does not wait for its end.
        let mut facts = serde_json::json!({ "address": address, "repositories": shown });
        if let Some((addresses, key)) = server.tools() {
            facts["tools"] = serde_json::json!({ "addresses": addresses, "key": key });
        }
        out.line(&facts.to_string());
    } else {
        out.line(&format!("serving {} at", shown.join(", ")));
        out.line(&format!("  {address}"));
        if let Some((addresses, key)) = server.tools() {
            out.line("tools for agents (MCP over HTTP) at");
            for address in addresses {
                out.line(&format!("  {address}"));
            }
            out.line(&format!("  with the header  Authorization: Bearer {key}"));
        }
        out.line("whoever has this address sees your runs; it holds until Ctrl-C");
    }
    server.serve()?;
    Ok(exit::OK)
}

/// Those that are named; or the one that holds the present folder, and those that are remembered.
fn repositories(named: &[PathBuf]) -> Result<Vec<Project>, EngineError> {
    let found: Vec<Project> = match named {
        [] => {
            let others = remembered::all().into_iter();
            // One that is gone, or on a disk that is not there today, is passed over.
            let others = others.filter_map(|place| Project::find(&place).ok());
            let others: Vec<Project> = others.collect();
            match (Project::find(Path::new(".")), others.is_empty()) {
                (Err(error), true) => return Err(error),
                (here, _) => here.into_iter().chain(others).collect(),
            }
        }
        named => {
            let found = named.iter().map(|place| Project::find(place));
            found.collect::<Result<_, _>>()?
        }
    };
    let mut repos: Vec<Project> = Vec::new();
    for project in found {
        if !repos.iter().any(|one| one.top() == project.top()) {
            repos.push(project);
        }
    }
    Ok(repos)
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
    match detached::begin(project, name, &on)? {
        Begun::Ended(said, code) if !matches!(code, exit::OK | exit::WAITING) => {
            let mend = format!("say it in a terminal: `proofhouse run {name}`");
            Err(EngineError::environment("not_begun", said.trim(), mend))
        }
        Begun::Ended(..) | Begun::Drives(_) => Ok(()),
    }
}

fn place(top: &Path) -> String {
    plain(&top.display().to_string())
}

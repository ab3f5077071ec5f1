//! `proofhouse workflow`.

use super::args::{Args, Format, WorkflowCommand};
use super::exit;
use super::out::{Out, Tone};
use flow::{Source, Workflow};
use kernel::explore::explore;
use kernel::export;
use std::path::Path;
use std::sync::Arc;
use workspace::EngineError;
use workspace::project::{Project, built_in, load, read_source};

pub(crate) fn workflow(
    args: &Args,
    command: &WorkflowCommand,
    out: &Out,
) -> Result<u8, EngineError> {
    match command {
        WorkflowCommand::List => list(args, out),
        WorkflowCommand::Show { name, source } => show(&source_of(args, name)?, *source, out),
        WorkflowCommand::Lint { name } => lint(&source_of(args, name)?, out),
        WorkflowCommand::Check { name } => check(&load(&source_of(args, name)?)?, out),
        WorkflowCommand::Export {
            name,
            format,
            out: folder,
        } => {
            let workflow = load(&source_of(args, name)?)?;
            print_export(&workflow, *format, folder.as_deref(), out)
        }
    }
}

fn lint(source: &Source, out: &Out) -> Result<u8, EngineError> {
    match (workspace::project::lint(source), out.json) {
        (Ok(workflow), true) => out
            .facts(&serde_json::json!({"workflow": workflow.name, "clean": true, "problems": []})),
        (Ok(workflow), false) => out.line(&format!(
            "{} {}",
            out.paint(Tone::Good, "clean"),
            workflow.name
        )),
        (Err(error), true) => {
            let problems: Vec<_> = error
                .problems
                .iter()
                .map(|problem| serde_json::json!({"code": problem.code, "file": problem.file, "line": problem.line, "what": problem.what, "mend": problem.mend}))
                .collect();
            out.facts(&serde_json::json!({"workflow": error.workflow, "clean": false, "problems": problems}));
            return Ok(exit::USER);
        }
        (Err(error), false) => return Err(error.into()),
    }
    Ok(exit::OK)
}

/// A workflow by name or by folder. Built-in ones need no repository.
fn source_of(args: &Args, name: &str) -> Result<Source, EngineError> {
    source_in(super::project(args).ok().as_ref(), name)
}

/// The same where the project is known.
pub(crate) fn source_in(project: Option<&Project>, name: &str) -> Result<Source, EngineError> {
    let folder = Path::new(name);
    if name.contains('/') || folder.join("workflow.toml").is_file() {
        let base = folder
            .canonicalize()
            .map_err(EngineError::io("open", folder))?;
        let own = base
            .file_name()
            .map(|name| name.to_string_lossy().into_owned())
            .unwrap_or_default();
        return read_source(&own, &base);
    }
    named(project, name)
}

/// A workflow by name. The project is handed in: finding it starts git, and a list needs it once.
fn named(project: Option<&Project>, name: &str) -> Result<Source, EngineError> {
    match project {
        Some(project) => project.workflow_source(name),
        None => built_in(name),
    }
}

fn list(args: &Args, out: &Out) -> Result<u8, EngineError> {
    let project = super::project(args).ok();
    let own = project
        .as_ref()
        .map(Project::workflow_names)
        .unwrap_or_default();
    let mut rows = Vec::new();
    let names = flow::built_in_names()
        .map(str::to_owned)
        .filter(|name| !own.contains(name));
    for (name, from) in own
        .iter()
        .map(|name| (name.clone(), "yours"))
        .chain(names.map(|name| (name, "built in")))
    {
        let about = match named(project.as_ref(), &name).and_then(|source| load(&source)) {
            Ok(workflow) => workflow.about.clone(),
            Err(_) => format!("cannot be loaded; see `proofhouse workflow lint {name}`"),
        };
        rows.push(vec![name, from.to_owned(), about]);
    }
    if out.json {
        let facts: Vec<_> = rows
            .iter()
            .map(|row| serde_json::json!({"name": row[0], "from": row[1], "about": row[2]}))
            .collect();
        out.facts(&facts);
    } else {
        out.table(&["name", "from", "about"], &rows);
    }
    Ok(exit::OK)
}

fn show(source: &Source, file: bool, out: &Out) -> Result<u8, EngineError> {
    if file {
        out.line(
            source
                .files
                .get("workflow.toml")
                .map_or("", |text| text.trim_end()),
        );
        return Ok(exit::OK);
    }
    let workflow = load(source)?;
    if out.json {
        out.line(&export::json(&workflow.table));
        return Ok(exit::OK);
    }
    out.line(&format!(
        "{}: {}",
        out.paint(Tone::Strong, &workflow.name),
        workflow.about
    ));
    let rows: Vec<Vec<String>> = workflow
        .table
        .states
        .iter()
        .map(|(name, state)| {
            let def = &workflow.states[name];
            let gate: Vec<&str> = def.gate.iter().map(|check| check.check.as_str()).collect();
            vec![
                name.to_string(),
                state.kind.as_str().to_owned(),
                def.role.clone().unwrap_or_default(),
                gate.join(", "),
            ]
        })
        .collect();
    out.line("");
    out.table(&["state", "kind", "role", "gate"], &rows);
    let rows: Vec<Vec<String>> = export::edges(&workflow.table)
        .iter()
        .map(|edge| {
            let from: Vec<&str> = edge.from.iter().map(|state| state.as_str()).collect();
            vec![
                edge.action.clone(),
                from.join(", "),
                edge.to.to_string(),
                edge.by.to_string(),
            ]
        })
        .collect();
    out.line("");
    out.table(&["action", "from", "to", "by"], &rows);
    if !workflow.judged.is_empty() {
        let row = |one: &flow::Judged| vec![one.file.clone(), one.text.clone(), one.by.clone()];
        let rows: Vec<Vec<String>> = workflow.judged.iter().map(row).collect();
        out.line("");
        out.table(&["file", "text", "judged by"], &rows);
    }
    for (name, counter) in &workflow.table.counters {
        out.line(&format!("\ncounter {name}: at most {}", counter.cap));
    }
    Ok(exit::OK)
}

fn check(workflow: &Arc<Workflow>, out: &Out) -> Result<u8, EngineError> {
    let report = explore(&workflow.table);
    if out.json {
        out.facts(&report);
    } else if report.findings.is_empty() {
        out.line(&format!(
            "{} {}: {} positions, {} steps explored. Proven:",
            out.paint(Tone::Good, "sound"),
            report.workflow,
            report.positions,
            report.steps
        ));
        for property in &report.proven {
            out.line(&format!("  - {property}"));
        }
    } else {
        for finding in &report.findings {
            out.line(&format!(
                "{} {} [{}]",
                out.paint(Tone::Bad, "unsound:"),
                finding.what,
                finding.code
            ));
            for step in &finding.path {
                out.line(&format!("    {step}"));
            }
        }
    }
    Ok(if report.findings.is_empty() {
        exit::OK
    } else {
        exit::USER
    })
}

fn print_export(
    workflow: &Workflow,
    format: Format,
    folder: Option<&Path>,
    out: &Out,
) -> Result<u8, EngineError> {
    let table = &workflow.table;
    if let (Format::Tla, Some(folder)) = (format, folder) {
        std::fs::create_dir_all(folder).map_err(EngineError::io("create", folder))?;
        let name = export::tla_module_name(table);
        for (file, text) in [
            (format!("{name}.tla"), export::tla(table)),
            (format!("{name}.cfg"), export::tla_config()),
        ] {
            let path = folder.join(file);
            std::fs::write(&path, text).map_err(EngineError::io("write", &path))?;
            out.line(&path.display().to_string());
        }
        return Ok(exit::OK);
    }
    if folder.is_some() {
        return Err(EngineError::user(
            "out_needs_tla",
            "`--out` is for `--format tla` only",
            "leave it out and redirect standard output",
        ));
    }
    out.line(
        match format {
            Format::Json => export::json(table),
            Format::Mermaid => export::mermaid(table),
            Format::Dot => export::dot(table),
            Format::Tla => export::tla(table),
        }
        .trim_end(),
    );
    Ok(exit::OK)
}

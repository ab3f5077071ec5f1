//! `proofhouse milestone`: begin one, say which one is meant, put one away.

use super::args::{MilestoneCommand, MilestoneNew};
use super::exit;
use super::out::{Out, Tone, count};
use engine::wave::milestones::{self, NewMilestone, Put};
use serde_json::json;
use workspace::{EngineError, Project};

pub(crate) fn milestone(
    project: &Project,
    command: &MilestoneCommand,
    out: &Out,
) -> Result<u8, EngineError> {
    match command {
        MilestoneCommand::New(args) => new(project, args, out)?,
        MilestoneCommand::Add(args) => {
            let added = milestones::Added {
                slug: args.task.0.clone(),
                asks: args.task.1.clone(),
                after: args.after.clone(),
                workflow: args.workflow.clone(),
            };
            let path = milestones::add(project, &args.milestone, &added)?;
            if out.json {
                let path = path.display().to_string();
                out.facts(
                    &json!({ "milestone": args.milestone, "task": added.slug, "path": path }),
                );
            } else {
                out.line(&format!("`{}` is added to {}", added.slug, path.display()));
                out.line(&format!("next: proofhouse wave run {}", args.milestone));
            }
        }
        MilestoneCommand::Remove { milestone, task } => {
            let path = milestones::remove(project, milestone, task)?;
            if out.json {
                let path = path.display().to_string();
                out.facts(&json!({ "milestone": milestone, "task": task, "path": path }));
            } else {
                out.line(&format!("`{task}` is taken out of {}", path.display()));
            }
        }
        MilestoneCommand::Use { milestone } => {
            milestones::use_it(project, milestone)?;
            if out.json {
                out.facts(&json!({ "milestone": milestone }));
            } else {
                out.line(&format!(
                    "`{milestone}` is meant where a command names none"
                ));
            }
        }
        MilestoneCommand::List => list(project, out),
        MilestoneCommand::Archive {
            milestone,
            unfinished,
        } => {
            let what = match unfinished {
                true => Put::AsItIs,
                false => Put::Done,
            };
            let archived = milestones::archive(project, milestone, what)?;
            if out.json {
                out.facts(&archived);
            } else {
                let lessons = count(archived.lessons as u64, "lesson");
                out.line(&format!("`{milestone}` is put away, with {lessons}:"));
                out.line(&format!("  {}", archived.summary.display()));
                out.line(&format!("  {}", archived.deltas.display()));
            }
        }
        MilestoneCommand::Compact { milestone } => {
            let moved = milestones::compact(project, milestone)?;
            if out.json {
                out.facts(&json!({ "milestone": milestone, "path": moved.display().to_string() }));
            } else {
                out.line(&format!("`{milestone}` lies in {} now", moved.display()));
            }
        }
    }
    Ok(exit::OK)
}

fn new(project: &Project, args: &MilestoneNew, out: &Out) -> Result<(), EngineError> {
    let name = &args.milestone;
    let asked = NewMilestone {
        name: name.clone(),
        goal: args.goal.clone(),
        criteria: args.criteria.clone(),
        integration: args.integration.clone(),
        tasks: args.tasks.clone(),
        workflow: args.workflow.clone(),
        stage: args.stage.clone(),
    };
    let path = milestones::begin(project, &asked)?;
    if out.json {
        out.facts(&json!({ "milestone": name, "path": path.display().to_string() }));
        return Ok(());
    }
    let tasks = count(args.tasks.len() as u64, "task");
    out.line(&format!("{} with {tasks}", path.display()));
    out.line(&format!(
        "next: proofhouse wave run {name}, which moves the branch forward as each merge passes"
    ));
    Ok(())
}

fn list(project: &Project, out: &Out) {
    let all = milestones::listed(project);
    if out.json {
        let one = |(name, meant): &(String, bool)| json!({ "milestone": name, "in_use": meant });
        out.facts(&all.iter().map(one).collect::<Vec<_>>());
        return;
    }
    if all.is_empty() {
        out.line("there is none; begin one with `proofhouse milestone new`");
    }
    for (name, meant) in &all {
        let meant = match meant {
            true => out.paint(Tone::Dim, "  (in use)"),
            false => String::new(),
        };
        out.line(&format!("{name}{meant}"));
    }
}

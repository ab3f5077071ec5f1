//! `spec.md`: the spec as a person reads it at the approval gate. It leaves nothing out, shows the
//! warnings that the gate must show, and lets no text of the spec pass for a heading.

use super::{Pillar, Product, ProductSpec, Task};
use crate::Report;
use documents::written as markdown;
use languages::product::called::shown;
use std::fmt::Write;

/// The spec alone.
pub fn render(spec: &ProductSpec) -> String {
    let mut out = String::new();
    // Writing to a string cannot fail; the results are dropped for that reason.
    let _ = write_spec(spec, &mut out);
    out
}

/// The spec as the gate of rule F3.2.4 shows it: with the warnings of the last validation, and
/// with the sources that were consulted.
pub fn spec_md(spec: &ProductSpec, report: &Report, sources: &[String]) -> String {
    let mut out = render(spec);
    out.push_str("\n## Warnings\n\n");
    if report.warnings.is_empty() {
        out.push_str("None.\n");
    }
    for warning in &report.warnings {
        let rule = warning
            .rule
            .map_or_else(String::new, |rule| format!(" (rule {rule})"));
        let line = format!("- `{}`: {}{rule}\n", warning.whole_path(), warning.message);
        out.push_str(&line);
    }
    out.push_str("\n## Sources\n\n");
    if sources.is_empty() {
        out.push_str("None.\n");
    }
    for source in sources {
        out.push_str(&format!("- {}\n", markdown::line(source)));
    }
    out
}

fn write_spec(spec: &ProductSpec, out: &mut String) -> std::fmt::Result {
    let line = markdown::line;
    writeln!(out, "# {}\n", line(&spec.title))?;
    writeln!(
        out,
        "{} version {}, created {}, updated {}\n",
        spec.spec_id, spec.spec_version, spec.created_at, spec.updated_at
    )?;
    writeln!(out, "{}", markdown::block(&spec.description))?;
    if let Some(product) = &spec.product {
        write_product(product, out)?;
    }
    for pillar in &spec.pillars {
        write_pillar(pillar, out)?;
    }
    Ok(())
}

fn write_product(product: &Product, out: &mut String) -> std::fmt::Result {
    let (line, block) = (markdown::line, markdown::block);
    writeln!(
        out,
        "\n## Product {}: {}\n",
        line(&product.name),
        product.form.as_str()
    )?;
    if let Some(tongue) = product.language {
        writeln!(out, "**In:** {}", tongue.language().as_str())?;
    }
    if let Some(entry) = &product.entry {
        writeln!(out, "**At the front:** {}", line(entry))?;
    }
    if let Some(why) = &product.why {
        writeln!(out, "**Why:** {}", line(why))?;
    }
    for (at, case) in product.cases.iter().enumerate() {
        let shows: Vec<String> = case.shows.iter().map(|one| line(one)).collect();
        let (number, shows) = (at + 1, shows.join(", "));
        if !case.steps.is_empty() {
            writeln!(out, "\n**Case {number}** shows {shows}. It calls\n")?;
            for step in &case.steps {
                writeln!(out, "- {}", markdown::item(&shown(step)))?;
            }
            writeln!(out, "\nand this holds\n")?;
            for claim in &case.holds {
                writeln!(out, "- {}", markdown::item(&claim.to_string()))?;
            }
            continue;
        }
        writeln!(out, "\n**Case {number}** shows {shows}. Given\n")?;
        writeln!(out, "{}\n", block(&case.given))?;
        for (word, said) in [("prints", &case.prints), ("is refused with", &case.refuses)] {
            if let Some(said) = said {
                writeln!(out, "it {word}\n\n{}", block(said))?;
            }
        }
    }
    Ok(())
}

fn write_pillar(pillar: &Pillar, out: &mut String) -> std::fmt::Result {
    let (line, block) = (markdown::line, markdown::block);
    writeln!(
        out,
        "\n## Pillar {}: {}\n",
        pillar.pillar_id,
        line(&pillar.name)
    )?;
    writeln!(out, "{}\n", block(&pillar.description))?;
    writeln!(out, "**Rationale:** {}", line(&pillar.rationale))?;
    for epic in &pillar.epics {
        writeln!(out, "\n### Epic {}: {}\n", epic.epic_id, line(&epic.name))?;
        writeln!(out, "{}\n", block(&epic.description))?;
        writeln!(out, "**Success criteria:**\n")?;
        for criterion in &epic.success_criteria {
            writeln!(out, "- {}", markdown::item(criterion))?;
        }
        for story in &epic.stories {
            writeln!(
                out,
                "\n#### Story {}: {}\n",
                story.story_id,
                line(&story.name)
            )?;
            writeln!(out, "{}\n", block(&story.description))?;
            writeln!(out, "**Users see:** {}", line(&story.user_facing_behavior))?;
            for task in &story.tasks {
                write_task(task, out)?;
            }
        }
    }
    Ok(())
}

fn write_task(task: &Task, out: &mut String) -> std::fmt::Result {
    let line = markdown::line;
    writeln!(out, "\n##### Task {}: {}\n", task.task_id, line(&task.name))?;
    writeln!(out, "{}\n", markdown::block(&task.description))?;
    let waits = if task.depends_on.is_empty() {
        "nothing".to_owned()
    } else {
        task.depends_on.join(", ")
    };
    writeln!(out, "**Depends on:** {waits}\n\n**Subtasks:**\n")?;
    for (index, subtask) in task.subtasks.iter().enumerate() {
        writeln!(out, "{}. {}", index + 1, line(subtask))?;
    }
    writeln!(out, "\n**Acceptance criteria:**\n")?;
    for criterion in &task.acceptance_criteria {
        writeln!(out, "- {}", markdown::item(criterion))?;
    }
    let sketch = &task.io_contract_sketch;
    writeln!(out, "\n**I/O contract sketch:**\n")?;
    for (name, text) in [
        ("Inputs", &sketch.inputs),
        ("Outputs", &sketch.outputs),
        ("Error surfaces", &sketch.error_surfaces),
        ("Effects", &sketch.effects),
        ("Modes", &sketch.modes),
    ] {
        writeln!(out, "- **{name}:** {}", markdown::item(text))?;
    }
    Ok(())
}

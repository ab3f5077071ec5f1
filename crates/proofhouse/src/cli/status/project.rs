//! A project of the factory, as `status` shows it.

use crate::cli::out::{Out, Tone, plain};
use crate::cli::{figures, inbox, signing};
use kernel::Status;
use kernel::machine::Activity;
use report::inbox::Item;
use report::project::ProjectReport;
use workspace::Project;

/// Where a project stands, below its first line.
pub(super) fn text(out: &Out, project: &Project, report: &ProjectReport, items: &[Item]) {
    let (name, status) = (&report.project, &report.status);
    figures::all(out, status, &report::spend::summary(&status.attempts));
    at_work(out, status);
    let tasks = report.tasks.iter();
    let rows: Vec<Vec<String>> = tasks
        .map(|one| {
            vec![
                one.task.clone(),
                one.status.clone(),
                plain(&one.name),
                one.modules.join(", "),
            ]
        })
        .collect();
    if !report.drafting {
        out.table(&["task", "status", "name", "modules"], &rows);
    }
    inbox::ask(out, project, items);
    if items.is_empty() && status.activity != Activity::Stopped {
        // A release, a deprecation and a stop are possible at any time.
        out.line(&signing::wants(project, name, &report.run_code));
    }
    if let (true, Some(waiting)) = (items.is_empty(), &status.waiting_for) {
        let word = out.paint(Tone::Warn, "waiting");
        out.line(&format!("{word} {}", plain(&waiting.why)));
    }
    if status.activity == Activity::Stopped {
        out.line(&out.paint(Tone::Warn, "stopped by a person"));
    }
    for (at, release) in report.releases.iter().enumerate() {
        let passed = release["overall_result"] == "PASS";
        let tone = if passed { Tone::Good } else { Tone::Bad };
        let result = release["overall_result"].as_str().unwrap_or_default();
        let id = release["release_id"].as_str().unwrap_or_default();
        out.line(&format!(
            "{} release {id}: {}",
            out.paint(tone, result),
            plain(release["notes"].as_str().unwrap_or_default())
        ));
        let product = &release["product"];
        // What a release stumbled over before the last one is over.
        if !passed && at + 1 < report.releases.len() {
            continue;
        }
        if let Some(what) = product["what"].as_str() {
            let result = product["result"].as_str().unwrap_or_default();
            let tone = if result == "PASS" {
                Tone::Good
            } else {
                Tone::Warn
            };
            let word = out.paint(tone, &format!("product {result}"));
            out.line(&format!("{word}: {}", plain(what)));
            if passed && result == "PASS" {
                let branch = engine::factory::branch_name(name);
                out.line(&format!(
                    "take it: git merge {branch}, or proofhouse factory export DIR"
                ));
            }
        }
    }
    if let Some(address) = &report.evidence {
        out.line(&format!("evidence: {address}"));
    }
    if status.activity == Activity::Working && !report.driven {
        out.line(&format!("next: proofhouse factory run {name}"));
    }
}

/// Who works right now, and on what.
fn at_work(out: &Out, status: &Status) {
    let running = status.attempts.iter().filter(|one| one.ended == "running");
    for attempt in running {
        out.line(&format!(
            "  {}       {} {}, since {}",
            attempt.effect,
            attempt.state,
            attempt.role,
            &attempt.began.to_string()[..19]
        ));
    }
}

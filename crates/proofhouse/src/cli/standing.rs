//! A milestone as it is printed, wherever somebody asks for it by its name, and which of them drives a
//! run. It starts nothing.

use super::exit;
use super::out::{Out, Tone, plain, uncut};
use ::wave::page::CriterionReport;
use engine::wave::verify::reported;
use engine::wave::{MilestoneFolder, milestones};
use report::spend::Spend;
use report::wave::{Report, Warning};
use workspace::{EngineError, Project};

/// The milestone of this name, if there is one.
pub(crate) fn milestone(project: &Project, name: &str) -> Option<MilestoneFolder> {
    let known = milestones::listed(project);
    let known = known.iter().any(|(one, _)| one == name);
    let folder = known.then(|| MilestoneFolder::find(project, Some(name)));
    folder?.ok()
}

/// What drives a run: the waves of its milestone, as long as one of them is live.
pub(crate) fn drives(project: &Project, name: &str) -> Option<String> {
    let mut standing = milestones::standing(project).into_iter();
    let of = |report: &Report| {
        let mut tasks = report.tasks.iter();
        tasks.any(|task| task.run.as_deref() == Some(name))
    };
    let milestone = standing.find(of)?.milestone;
    Some(format!("proofhouse wave run {milestone}"))
}

/// Runs that wait for a person, and what to do about the first.
pub(crate) fn queue(out: &Out, report: &Report) {
    for review in &report.review {
        let mut lines = review.why.lines().map(plain);
        out.line(&format!(
            "{} `{}` waits for a person ({}): {}",
            out.paint(Tone::Warn, "waiting"),
            review.run,
            review.reason,
            lines.next().unwrap_or_default()
        ));
        lines.for_each(|line| out.line(&format!("  {line}")));
    }
    if let Some(first) = report.review.first() {
        out.line(&format!(
            "next: proofhouse status {} shows how to decide it; then proofhouse wave run {}",
            first.run, report.milestone
        ));
    }
}

/// Criteria that wait for a person, and how to answer.
pub(crate) fn criteria(out: &Out, report: &Report) {
    for one in &report.criteria {
        out.line(&format!(
            "  {}. {}  {}",
            one.number,
            plain(&one.text),
            one.stands
        ));
    }
    let open = |one: &&CriterionReport| report.unticked.contains(&one.text);
    if let Some(first) = report.criteria.iter().find(open) {
        let word = out.paint(Tone::Warn, "waiting");
        out.line(&format!(
            "{word} every task is merged; only a person can say whether all criteria hold"
        ));
        out.line(&format!(
            "next: proofhouse wave tick {} {} --because 'what you looked at'",
            report.milestone, first.number
        ));
    }
}

pub(crate) fn warn(out: &Out, warnings: &[Warning]) {
    for warning in warnings {
        out.line(&format!(
            "{} {} [{}]",
            out.paint(Tone::Warn, "warning"),
            plain(&warning.what),
            warning.code
        ));
    }
}

/// Where its tasks stand, who is asked, and what is known of its criteria.
pub(crate) fn print(folder: &MilestoneFolder, out: &Out) -> Result<u8, EngineError> {
    let (board, _) = folder.peek()?;
    let report = reported(folder, &board);
    if out.json {
        out.facts(&report);
        return Ok(exit::OK);
    }
    out.line(&format!(
        "{}  {}",
        out.paint(Tone::Strong, &report.milestone),
        uncut(&report.goal)
    ));
    match &report.wave {
        Some(wave) => out.line(&format!(
            "  wave {} is {}, base {}, {} at once, {} failed",
            wave.number,
            wave.status.name(),
            wave.base,
            wave.jobs,
            wave.failures
        )),
        None => out.line(&format!("  no wave is live; {} ended", report.waves.len())),
    }
    if let Some(tip) = &report.tip {
        out.line(&format!("  merged work is on `{}`: {tip}", report.branch));
    }
    let rows: Vec<Vec<String>> = report
        .tasks
        .iter()
        .map(|task| {
            vec![
                task.task.clone(),
                task.stands.clone(),
                task.run.clone().unwrap_or_default(),
                task.spend.as_ref().map_or_else(String::new, Spend::money),
                plain(task.gate.as_deref().unwrap_or_default()),
                plain(task.failed.as_deref().unwrap_or_default()),
            ]
        })
        .collect();
    out.table(
        &["task", "stands", "run", "spent", "gate", "failed before"],
        &rows,
    );
    queue(out, &report);
    warn(out, &report.warnings);
    if let Some(who) = &report.sandbox_waived_by {
        out.line(&format!("  the sandbox is waived, by {}", plain(who)));
    }
    if report.complete {
        let met = match (report.goal_met, report.proven) {
            (true, _) => "every criterion holds",
            (false, true) => "every criterion that names a command holds",
            (false, false) => "not all criteria hold",
        };
        out.line(&format!("  complete; {met}"));
    }
    criteria(out, &report);
    Ok(exit::OK)
}

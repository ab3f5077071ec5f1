//! `proofhouse status`: where a run or a project stands, or all of them.

mod project;

use super::out::{Out, Tone, plain};
use super::{exit, figures, inbox, signing, standing};
use engine::wave::folder::put_back;
use kernel::Status;
use kernel::ledger::RUNNING;
use kernel::machine::Activity;
use report::Looked;
use report::fate::Fate;
use report::question::{Advice, Way};
use report::run::{Doing, Report, RunReport, overview};
use report::spend::dollars;
use workspace::{EngineError, Project};

pub(crate) fn status(project: &Project, run: Option<&str>, out: &Out) -> Result<u8, EngineError> {
    match run {
        Some(run) => match (
            report::look(project, run),
            standing::milestone(project, run),
        ) {
            (Err(_), Some(folder)) => return standing::print(&folder, out),
            (looked, _) => shown(project, run, &looked?, out)?,
        },
        None => all(project, out)?,
    }
    Ok(exit::OK)
}

/// Where one run or project stands.
pub(crate) fn print(project: &Project, name: &str, out: &Out) -> Result<(), EngineError> {
    shown(project, name, &report::look(project, name)?, out)
}

pub(crate) fn shown(
    project: &Project,
    name: &str,
    looked: &Looked,
    out: &Out,
) -> Result<(), EngineError> {
    let report = Report::of(project, name, looked)?;
    let put_back = put_back(project).remove(name);
    if out.json {
        out.facts(&with_put_back(&report, put_back.as_deref()));
        return Ok(());
    }
    if let Some(status) = report.status() {
        let doing = match &put_back {
            Some(why) => out.paint(Tone::Bad, &format!("{PUT_BACK}: {}", plain(why))),
            None => doing(out, project, &report),
        };
        out.line(&format!(
            "{}  {} in `{}`, {doing}",
            out.paint(Tone::Strong, name),
            status.workflow,
            status.state,
        ));
    }
    let items = report::inbox::of(project, name, looked)?;
    match &report {
        Report::Run(run) => {
            of_run(out, run);
            if items.is_empty() {
                way_on(out, project, name, run);
            }
            inbox::ask(out, project, &items);
        }
        Report::Project(one) => project::text(out, project, one, &items),
        Report::Unreadable { error, .. } => out.fault(error),
    }
    Ok(())
}

/// As many attempts are shown; the log has all.
const SHOWN: usize = 5;

/// What a run is whose work a wave could not keep: it is done, and its task is not.
const PUT_BACK: &str = "put back";

fn with_put_back(report: &Report, why: Option<&str>) -> serde_json::Value {
    let mut report = serde_json::to_value(report).unwrap_or_default();
    if let (Some(members), Some(why)) = (report.as_object_mut(), why) {
        members.insert("put_back".to_owned(), why.into());
    }
    report
}

fn of_run(out: &Out, run: &RunReport) {
    let status = &run.status;
    if let Some(left) = &run.forked {
        let (other, seq) = (plain(left.run.as_str()), left.seq);
        out.row(
            "fork of",
            &format!("{other}, which it left at record {seq}"),
        );
    }
    if let Some((name, text)) = &run.promise {
        let name = name.to_lowercase();
        out.row(&name, &plain(text));
    }
    for (name, value) in &run.measured {
        out.row(name, &plain(value));
    }
    out.line(&format!(
        "  autonomy    {}{}{}",
        status.autonomy,
        pace(status),
        risk(status)
    ));
    figures::all(out, status, &run.spend);
    if let Some(exam) = &run.exam {
        out.row("exam", &figures::exam(exam));
    }
    let earlier = status.attempts.len().saturating_sub(SHOWN);
    if earlier > 0 {
        let run = plain(status.run.as_str());
        out.row(
            "",
            &format!("{earlier} earlier attempts: `proofhouse log {run}`"),
        );
    }
    for attempt in status.attempts.iter().skip(earlier) {
        let begins = format!(
            "  {}       {:<10} {:<9} {:<14} {:<8}",
            attempt.effect,
            attempt.state.as_str(),
            attempt.role,
            match attempt.ended == RUNNING && !run.driven {
                true => "left behind",
                false => &attempt.ended,
            },
            match attempt.usage.micro_dollars {
                0 => String::new(),
                paid => dollars(paid),
            }
        );
        let reason = plain(&attempt.reason);
        let width = begins.chars().count() + 1 + reason.chars().count();
        if Out::columns().is_none_or(|columns| width <= columns) {
            out.line(&format!("{begins} {reason}"));
            continue;
        }
        out.line(begins.trim_end());
        out.row("", &reason);
    }
    // Of a run that is done, or whose gate has passed since, it says nothing any more.
    let open = status.refusal_stands && status.activity != Activity::Done;
    let open = open.then_some(status.last_refusal.as_ref());
    if let Some(refusal) = open.flatten() {
        let head = out.paint(Tone::Warn, "last refusal");
        out.hanging(&format!("  {head} "), &plain(&refusal.to_string()));
    }
    let head = &run.head;
    let hash = &head.hash[..16.min(head.hash.len())];
    out.line(&format!("  head        {}:{hash}", head.seq));
    out.line(&format!("  task        {}", run.task));
    out.line(&format!("  evidence    {}", run.evidence));
}

/// What can be done about a run that waits for nobody.
fn way_on(out: &Out, project: &Project, name: &str, run: &RunReport) {
    if run.status.activity == Activity::Working {
        // It can be stopped at any time, and that asks for the code.
        out.line(&signing::wants(project, name, &run.run_code));
        if !run.driven {
            let drives = standing::drives(project, name);
            let drives = drives.unwrap_or_else(|| format!("proofhouse run {name}"));
            out.line(&format!("next: {drives}"));
        }
        return;
    }
    if let Some(finished) = &run.not_landed {
        if !finished.is_plain() {
            out.line(&format!("  {}", plain(&finished.words(name))));
        }
        out.line(&format!("next: {}", finished.commands.join("   or: ")));
    } else if run.fate.is_none()
        && let Some(by) = report::unlanded::settling(project, name)
    {
        out.line(&format!(
            "next: proofhouse status {by}   it settles this one"
        ));
    }
    if run.may_begin.is_empty() {
        return;
    }
    if !run.about.is_empty() {
        out.line(&format!("  {}", plain(&run.about)));
    }
    for option in &run.may_begin {
        inbox::answer(
            out,
            &Way {
                command: report::question::decide(name, option, run.by),
                does: run.means.get(option).cloned().unwrap_or_default(),
                advice: Advice::None,
            },
        );
    }
    out.line(&signing::wants(project, name, &run.run_code));
}

fn pace(status: &Status) -> &'static str {
    match status.mode.pace {
        kernel::Pace::Stepped => ", stepped",
        kernel::Pace::Flowing => "",
    }
}

fn risk(status: &Status) -> &'static str {
    match status.mode.risk {
        kernel::Risk::High => ", risk: high",
        kernel::Risk::Normal => "",
    }
}

/// What a run does right now. Where it waits for a person's own session, that is no work yet.
fn does(project: &Project, report: &Report) -> Doing {
    match (report.doing(), report.status()) {
        (Doing::Working, Some(status))
            if engine::guest::is_awaited(project, status.run.as_str()) =>
        {
            Doing::Guest
        }
        (doing, _) => doing,
    }
}

fn doing(out: &Out, project: &Project, report: &Report) -> String {
    let doing = does(project, report);
    if let Some(fate) = report.fate() {
        let tone = match fate {
            Fate::Landed { .. } => Tone::Good,
            Fate::Altered { .. } => Tone::Bad,
            Fate::SetAside { .. } => Tone::Dim,
        };
        return out.paint(tone, &plain(&fate.words()));
    }
    match doing {
        Doing::Waiting | Doing::Stopped | Doing::Guest => out.paint(Tone::Warn, doing.as_str()),
        Doing::Done => out.paint(Tone::Good, doing.as_str()),
        Doing::Working | Doing::Ready | Doing::Resting => doing.as_str().to_owned(),
    }
}

fn all(project: &Project, out: &Out) -> Result<(), EngineError> {
    let mut reports = overview(project)?;
    // A clone may have fetched what others recorded, and nothing has laid it out yet.
    if reports.is_empty()
        && !workspace::records::lay_out_missing(project)?
            .runs
            .is_empty()
    {
        reports = overview(project)?;
    }
    let put_back = put_back(project);
    if out.json {
        let reports = reports
            .iter()
            .map(|(name, report)| with_put_back(report, put_back.get(name).map(String::as_str)));
        out.facts(&reports.collect::<Vec<_>>());
        return Ok(());
    }
    let milestones = engine::wave::milestones::standing(project);
    for one in &milestones {
        out.line(&plain(&one.sentence()));
    }
    if reports.is_empty() && !milestones.is_empty() {
        return Ok(());
    }
    if reports.is_empty() {
        out.line("no runs yet; start one: proofhouse do 'what you want'");
        return Ok(());
    }
    let rows: Vec<Vec<String>> = reports
        .iter()
        .map(|(name, report)| {
            let mut row = row(project, name, report);
            if let (true, Some(doing)) = (put_back.contains_key(name), row.get_mut(3)) {
                PUT_BACK.clone_into(doing);
            }
            row
        })
        .collect();
    let head = ["run", "workflow", "state", "activity", "attempts", "spent"];
    out.table(&head, &rows);
    let untaken = reports.iter().filter_map(|(name, report)| match report {
        Report::Run(run) => Some((name.as_str(), run.not_landed.as_ref()?)),
        Report::Project(_) | Report::Unreadable { .. } => None,
    });
    inbox::not_landed(out, untaken);
    Ok(())
}

/// A path of ours without what lies before it: a row of a table has no room for that.
fn from_the_top(text: &str) -> String {
    let ours = text.find("/.proofhouse/").map(|at| at + 1);
    text[ours.unwrap_or(0)..].to_owned()
}

/// Is there work that nobody has taken?
fn finished(report: &Report) -> bool {
    matches!(report, Report::Run(run) if run.not_landed.is_some())
}

fn row(project: &Project, name: &str, report: &Report) -> Vec<String> {
    let Some(status) = report.status() else {
        let why = match report {
            Report::Unreadable { error, .. } => from_the_top(&error.to_string()),
            Report::Run(_) | Report::Project(_) => String::new(),
        };
        return vec![name.to_owned(), String::new(), String::new(), why];
    };
    let doing = match (&status.waiting_for, report.fate()) {
        (Some(waiting), _) => format!("waiting: {}", waiting.reason),
        (None, Some(fate)) => fate.words(),
        (None, None) if finished(report) => "done, not landed".to_owned(),
        (None, None) => does(project, report).as_str().to_owned(),
    };
    let spent = report::spend::summary(&status.attempts).run;
    vec![
        name.to_owned(),
        status.workflow.clone(),
        status.state.to_string(),
        doing,
        status.attempts.len().to_string(),
        spent.money(),
    ]
}

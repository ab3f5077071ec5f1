//! `proofhouse wave`: several tasks of a milestone at once.

use super::args::{WaveCommand, WaveJobs, WaveRun, WaveTick};
use super::live_trace::Live;
use super::notify;
use super::out::{Out, Tone, plain};
use super::run::on_interrupt;
use super::signing::approved_unseen;
use super::standing::{criteria, print, queue, warn};
use super::wave_lines::Lines;
use super::{detached, exit};
use approval::Words;
use engine::Ending;
use engine::wave::session::{self, Orders};
use engine::wave::verify::{reported, verify};
use engine::wave::{MilestoneFolder, people};
use kernel::machine::Activity;
use report::wave::{OF_MILESTONE, Report, unmet};
use workspace::notify::{Told, Why};
use workspace::{EngineError, Project};

pub(crate) fn wave(project: &Project, command: &WaveCommand, out: &Out) -> Result<u8, EngineError> {
    match command {
        WaveCommand::Open(args) => {
            let folder = MilestoneFolder::find(project, args.milestone.as_deref())?;
            waived(project, &folder, args)?;
            session::open(&orders(&folder, args), &mut Lines::new(out, &folder))?;
            print(&folder, out)
        }
        WaveCommand::Run(args) => run(project, args, out),
        WaveCommand::Stop { milestone } => {
            let folder = MilestoneFolder::find(project, milestone.as_deref())?;
            let name = folder.milestone.name.as_str();
            detached::stop_wave(project, (name, &scratch_of(name)), out)
        }
        WaveCommand::Tick(args) => tick(project, args, out),
        WaveCommand::Status { milestone } => {
            print(&MilestoneFolder::find(project, milestone.as_deref())?, out)
        }
        WaveCommand::Verify { milestone } => {
            let folder = MilestoneFolder::find(project, milestone.as_deref())?;
            let (board, _) = folder.peek()?;
            let verified = verify(&folder, &board)?;
            if out.json {
                out.facts(&verified);
            } else {
                for row in &verified.forks {
                    let stands = row.echo.as_deref().unwrap_or("pending");
                    out.line(&format!("{}  {stands}", row.task));
                }
                warn(out, &verified.warnings);
            }
            // Not verified is not verified: nothing may be merged on it.
            match verified.forks.iter().all(|row| row.echo.is_some()) {
                true => Ok(exit::OK),
                false => Ok(exit::USER),
            }
        }
        WaveCommand::Close { milestone } => {
            let folder = MilestoneFolder::find(project, milestone.as_deref())?;
            session::close(&folder, &mut Lines::new(out, &folder))?;
            print(&folder, out)
        }
    }
}

/// The folder that its engine locks.
fn scratch_of(milestone: &str) -> String {
    format!("{OF_MILESTONE}{milestone}")
}

fn orders<'a>(folder: &'a MilestoneFolder, args: &WaveJobs) -> Orders<'a> {
    Orders {
        folder,
        jobs: args.jobs.map(usize::from),
        agent: None,
    }
}

fn waived(project: &Project, folder: &MilestoneFolder, args: &WaveJobs) -> Result<(), EngineError> {
    if !args.waive_sandbox {
        return Ok(());
    }
    people::waive(folder, &|words| {
        approved_unseen(project, args.sign.as_deref(), words)
    })
}

fn tick(project: &Project, args: &WaveTick, out: &Out) -> Result<u8, EngineError> {
    let folder = MilestoneFolder::find(project, Some(&args.milestone))?;
    let approve = |words: &Words<'_>| approved_unseen(project, args.sign.as_deref(), words);
    let ticked = people::tick(&folder, &args.criterion, &args.because, &approve)?;
    if out.json {
        return print(&folder, out);
    }
    let (word, name) = (out.paint(Tone::Good, "ticked"), &args.milestone);
    out.line(&format!("{word} `{}` of `{name}`", plain(&ticked)));
    Ok(exit::OK)
}

fn run(project: &Project, args: &WaveRun, out: &Out) -> Result<u8, EngineError> {
    let (args, detach) = (&args.jobs, args.detach);
    let folder = MilestoneFolder::find(project, args.milestone.as_deref())?;
    waived(project, &folder, args)?;
    if detach {
        // Refuses where another engine is at work; it is free again for the one that is started.
        drop(folder.open()?);
        let name = folder.milestone.name.as_str();
        return detached::start_wave(project, (name, &scratch_of(name)), args.jobs, out);
    }
    let ending = {
        let lines = Lines::new(out, &folder);
        let mut lines = Live::of_wave(lines, project, folder.milestone.name.as_str())?;
        session::run(&orders(&folder, args), &mut lines, &on_interrupt)?
    };
    let (board, _) = folder.peek()?;
    let report = reported(&folder, &board);
    if out.json {
        out.facts(&report);
    }
    if ending == Ending::Interrupted {
        eprintln!(
            "interrupted; every claim went back. Go on with:\n  proofhouse wave run {}",
            report.milestone
        );
        return Ok(exit::INTERRUPTED);
    }
    if !report.review.is_empty() {
        if !out.json {
            queue(out, &report);
        }
        return Ok(exit::WAITING);
    }
    told(project, &report, out);
    if let Some(error) = unmet(&report) {
        return Err(error);
    }
    if !report.unticked.is_empty() {
        if !out.json {
            criteria(out, &report);
        }
        return Ok(exit::WAITING);
    }
    if !out.json {
        warn(out, &report.warnings);
        out.line(&format!(
            "{} every task of `{}` is merged, on `{}`",
            out.paint(Tone::Good, "done"),
            report.milestone,
            report.branch
        ));
    }
    Ok(exit::OK)
}

/// Tells a person who is elsewhere that a milestone needs them, or is over.
fn told(project: &Project, report: &Report, out: &Out) {
    let open = !report.complete || !report.proven || !report.unticked.is_empty();
    let next = format!("proofhouse wave status {}", report.milestone);
    let told = Told {
        why: if open { Why::Needed } else { Why::Over },
        kind: "milestone",
        name: report.milestone.clone(),
        workflow: "wave".to_owned(),
        state: if report.complete {
            "complete"
        } else {
            "incomplete"
        }
        .to_owned(),
        activity: if open {
            Activity::Waiting
        } else {
            Activity::Done
        },
        reason: String::new(),
        text: report.unticked.join("\n"),
        options: Vec::new(),
        micro_dollars: report.spend.usage.micro_dollars,
        next,
    };
    notify::send(project, &told, out);
}

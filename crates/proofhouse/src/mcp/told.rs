//! What clients are told of runs: where they stand, what waits for a person, what was proven and what failed.

use kernel::Machine;
use kernel::machine::Activity;
use report::evidence::Evidence;
use report::inbox::{self, Item};
use report::kept::Kept;
use report::run::Report;
use workspace::{EngineError, Project};

pub(crate) fn status(project: &Project, run: &str) -> Result<String, EngineError> {
    let all = match run {
        "" => report::run::overview(project)?,
        run => {
            let looked = report::look::look(project, run)?;
            vec![(run.to_owned(), Report::of(project, run, &looked)?)]
        }
    };
    if all.is_empty() {
        return Ok("there is no run yet".to_owned());
    }
    let lines = all.iter().map(|(name, report)| {
        let taken = match engine::guest::open(project, name) {
            Ok(Some(_)) => "; it waits for a guest: `take` it",
            _ => "",
        };
        let state = report.status().map(|status| status.state.to_string());
        let fate = report
            .fate()
            .map_or_else(String::new, |fate| format!("; {}", fate.words()));
        let state = state.map_or_else(String::new, |state| format!(", in `{state}`"));
        let open = match report {
            Report::Run(run) => run.not_landed.as_ref().map(|open| {
                format!(
                    "; a person takes or leaves it: {}",
                    open.commands.join(" or ")
                )
            }),
            Report::Project(_) => None,
            Report::Unreadable { error, .. } => Some(format!(": {error}")),
        };
        format!(
            "`{name}`: {}{state}{fate}{taken}{}",
            report.doing().as_str(),
            open.unwrap_or_default()
        )
    });
    Ok(lines.collect::<Vec<_>>().join("\n"))
}

/// Where people look and answer in a browser.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Page<'a> {
    /// Nobody knows here whether one is served, nor where.
    Unknown,
    /// It is served at this origin, and only shows.
    Shows(&'a str),
    /// It is served at this origin, and takes answers.
    Decides(&'a str),
}

impl Page<'_> {
    /// Who answers what waits, and where.
    fn says_who_answers(self) -> String {
        match self {
            Page::Unknown => "Only the person answers: give them these commands, or the page of `proofhouse serve --decide`, \
                 where their passkey answers (http://localhost:7766/inbox/, unless they chose another port)."
                .to_owned(),
            Page::Shows(origin) => format!(
                "Only the person answers: give them these commands; {origin}/inbox/ shows them the same."
            ),
            Page::Decides(origin) => format!(
                "Only the person answers: give them these commands, or {origin}/inbox/, where their passkey answers."
            ),
        }
    }
}

pub(crate) fn waiting(project: &Project, page: Page<'_>) -> Result<String, EngineError> {
    let items = inbox::inbox(project)?;
    if items.is_empty() {
        return Ok("nothing waits for a person".to_owned());
    }
    let told = items.iter().map(|item| match (item.worded(), item) {
        (Some(worded), _) => {
            let ways = worded
                .answers
                .iter()
                .map(|way| format!("  {}   # {}", way.command, way.does));
            let lines = worded.lines.iter().map(|line| format!("  {line}"));
            let parts = std::iter::once(worded.headline.clone())
                .chain(lines)
                .chain(ways);
            parts.collect::<Vec<_>>().join("\n")
        }
        (None, Item::Unreadable { run, error }) => format!("`{run}` cannot be read: {error}"),
        (None, item) => item.run().to_owned(),
    });
    let told: Vec<String> = told.collect();
    Ok(format!(
        "{}\n\n{}",
        told.join("\n\n"),
        page.says_who_answers()
    ))
}

pub(crate) fn evidence(project: &Project, run: &str) -> Result<String, EngineError> {
    let (evidence, peek, _) = report::evidence::now(project, run, &mut Kept::default())?;
    let status = peek.machine.status();
    let mut lines = vec![format!(
        "`{run}` is in `{}`: {}",
        status.state,
        evidence.grounds.objective.trim()
    )];
    // First: what a gate said before it is of files that may be others by now.
    let over = matches!(status.activity, Activity::Done | Activity::Stopped);
    if let Some(refusal) = status
        .last_refusal
        .as_ref()
        .filter(|_| status.refusal_stands && !over)
    {
        lines.push(format!(
            "last refused: {} [{}]; mend: {}",
            refusal.what, refusal.code, refusal.mend
        ));
    }
    if let Some(change) = &evidence.grounds.change {
        lines.push(format!(
            "changed: {}",
            report::stat::totals(&change.changes)
        ));
        lines.extend(change.changes.iter().map(|one| format!("  {}", one.path)));
    }
    for one in &evidence.grounds.proven {
        lines.push(format!("proven by {}: {}", one.check, one.reason));
    }
    if let Some(standing) = &evidence.grounds.worth {
        lines.push(format!(
            "this evidence is {}: {}",
            standing.worth, standing.means
        ));
    }
    lines.extend(wrong(&evidence));
    Ok(lines.join("\n"))
}

/// What failed last in a run, whole; none: nothing did.
pub(crate) fn failed(project: &Project, run: &str) -> Result<Option<String>, EngineError> {
    let (evidence, ..) = report::evidence::now(project, run, &mut Kept::default())?;
    let lines = wrong(&evidence);
    Ok((!lines.is_empty()).then(|| lines.join("\n")))
}

fn wrong(evidence: &Evidence) -> Vec<String> {
    let mut lines = Vec::new();
    let ended = evidence.attempts.iter().rev();
    let mut ended = ended.filter(|one| !["", "running"].contains(&one.note.ended.as_str()));
    if let Some(last) = ended.next().filter(|one| one.note.ended != "done") {
        let how = last.note.ended.replace('_', " ");
        lines.push(format!(
            "the last attempt ended as {how}: {}",
            last.note.reason
        ));
    }
    for gate in report::gate::latest(&evidence.gates)
        .into_iter()
        .filter(|gate| !gate.passed)
    {
        lines.push(format!("the gate of `{}` did not pass:", gate.state));
        let failed = gate.checks.iter().filter(|check| {
            !check.failure.is_empty() || check.answer != report::gate::Answer::Passed
        });
        for check in failed {
            lines.push(format!("  {}: {}", check.check, check.reason));
            lines.extend(check.failure.lines().map(|line| format!("    {line}")));
        }
    }
    lines
}
